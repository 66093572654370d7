// For test_site.py: what a panel draws of the kernel's own states, by the same code that draws them in a page.
// A second panel stands where the first one does, as wide, sees the same states, and is taken away again.
globalThis.ldpDrawn = async (panel, spec, decks, shown) => {
  const found = [], here = document.createElement("div");
  panel.before(here);
  panel.hidden = true;
  const states = (await Promise.all(decks.map((deck) =>
    unpack(Uint8Array.from(atob(deck), (letter) => letter.charCodeAt(0)))))).flat();
  const store = new Store({ at: states[0].at, ask: () => {}, tell: () => {} });
  const view = spec.story ? new StoryView(spec, store) : new PanelView(spec, store);
  view.show(here);
  for (const state of states) {
    store.add([state]);
    store.move(state.at);
    found.push(await shown(view.root, found.length));
  }
  view.remove();
  panel.hidden = false;
  here.remove();
  return found;
};

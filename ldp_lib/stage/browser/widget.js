// A panel in a notebook: its store is fed by the widget's model, its views stand where the still picture of its
// output does, so that a notebook without a kernel shows that picture.
import { unpack } from "./deck.js";
import { PanelView } from "./panel.js";
import { StoryView } from "./story.js";
import { Store, key } from "./store.js";

const stores = new Map(); // by the key of the model

const TOLD_EVERY = 40; // ms

const viewed = (spec, store) => spec.story ? new StoryView(spec, store) : new PanelView(spec, store);

// Calls `act` at once, then with the newest value at most every TOLD_EVERY. (The model's own way of saving changes
// waits for an answer to the one before, for ever if the connection lost it.) `due` says whether one is still held.
function seldom(act) {
  let timer = 0, newest = null;
  const again = () => {
    timer = 0;
    if (newest) speak(newest);
  };
  const speak = (value) => {
    newest = null;
    timer = setTimeout(again, TOLD_EVERY);
    act(value);
  };
  const tell = (value) => { timer ? newest = value : speak(value); };
  return Object.assign(tell, { due: () => newest !== null });
}

function open(model) {
  const name = model.get("key");
  if (stores.has(name)) return stores.get(name);
  const store = new Store({
    at: model.get("place"),
    ask: (at) => model.send({ need: at }),
    tell: seldom((at) => { if (!store.gone) model.send({ place: at }); }),
  });
  store.untold = store.tell.due;
  store.hint = (control) => { if (!store.gone) model.send({ hint: control }); };
  stores.set(name, store);
  const take = async (bytes) => store.add(await unpack(bytes));
  take(model.get("deck")).then(() => store.look());
  model.on("msg:custom", (content, buffers) => { if (content.deck) take(buffers[0]); });
  // Only a move that the kernel made: when a lost connection is back, hosts set `place` to what the kernel knew.
  model.on("change:moves", () => store.move(model.get("place"), true));
  store.watched = watch(model, store);
  model.send({ hello: true }); // a page that knows nothing but the first deck
  return store;
}

const GONE = "The kernel is gone: run the cell again.";
const LOST = "The connection to the kernel is lost.";
const SIGNALS = ["connectionStatusChanged", "statusChanged", "disposed"]; // of a kernel

// Says when no new picture can come, and when it can again. Hosts differ in what they tell, so that the present
// state is read once a second as well. What a host has no word for is no alarm: marimo does not say whether a comm
// lives, Colab's and the classic notebook's managers know no kernel, and a bare page has no manager.
async function watch(model, store) {
  const manager = model.widget_manager ?? {}, own = await manager.get_model?.(model.get("key")) ?? model;
  let kernel;
  const forget = () => { for (const signal of SIGNALS) kernel?.[signal]?.disconnect(look); };
  const look = () => {
    if (manager.kernel !== kernel) {
      forget();
      kernel = manager.kernel; // null once JupyterLab has ended it
      for (const signal of SIGNALS) kernel?.[signal]?.connect(look);
    }
    const dead = kernel === null || kernel?.isDisposed
      || ["dead", "terminating", "restarting", "autorestarting"].includes(kernel?.status);
    const lost = ["disconnected", "connecting"].includes(kernel?.connectionStatus);
    const before = store.gone;
    store.lose(own.comm_live === false || dead ? GONE : lost ? LOST : "");
    if (before && !store.gone) model.send({ place: store.at }); // the kernel may have missed where we are
  };
  own.on("comm_live_update", look);
  const looking = setInterval(look, 1000);
  look();
  return () => {
    clearInterval(looking);
    own.off("comm_live_update", look);
    forget();
  };
}

// Views where the page holds the still picture of this model, now and whenever it gets one.
function inhabit(model) {
  const store = open(model), places = document.getElementsByClassName(`ldp-still-${model.get("key")}`);
  const views = new Map();
  const look = () => {
    for (const place of places) {
      if (views.has(place)) continue;
      const view = viewed(model.get("spec"), store);
      views.set(place, view);
      view.show(place);
    }
    for (const [place, view] of views) {
      if (!place.isConnected) view.away = true;
      else if (view.away) {
        view.away = false;
        view.readTheme();
        view.refresh();
        view.layout();
      }
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    observer.disconnect();
    for (const view of views.values()) view.remove();
    store.watched.then((stop) => stop());
    stores.delete(model.get("key"));
  };
}

export default {
  initialize({ model }) { return inhabit(model); },
  render({ model, el }) {
    const view = viewed(model.get("spec"), open(model));
    // Colab makes a frame as high as what is in it, so that nothing in it can go by the frame's height.
    if (globalThis.google?.colab) view.root.style.setProperty("--ldp-high", "clamp(300px, 56vw, 680px)");
    view.show(el);
    return () => view.remove();
  },
};

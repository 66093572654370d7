// One view of a panel: controls, scenes, axes, readout and what is said when something is wrong. It draws what
// its store shows and tells the store where the controls stand.
import { AxesView, element, save, unique } from "./draw.js";
import { clock, Notes } from "./notes.js";
import { key } from "./store.js";
import { commas, tabulated, written } from "./table.js";

const SPEAK_AFTER = 500; // ms: readers are told where a slider came to rest, not every step
const SWITCHED = { True: "yes", False: "no" }; // positions of a switch, in words
const NARROW = 640; // CSS pixels: in narrower panels one axes stands under the other
const LOW = 480; // CSS pixels: in lower windows, as at a zoom of 200%, what the scene is about is all there is

const GREY = "Grey words were true at the position they name.";

// Hosts take arrow keys, letters and digits for themselves unless the focused element says that they may not.
export function own(node) {
  node.setAttribute("data-lm-suppress-shortcuts", "true");
  return node;
}

export const button = (words, name, title, onclick) =>
  own(element("button", { type: "button", textContent: words, title, onclick }, { "aria-label": name }));

export class PanelView {
  constructor(spec, store) {
    Object.assign(this, { spec, store, axes: new Map(), inputs: [], drawn: null, aim: null, shortcuts: true, flows: false });
    this.id = unique();
    this.root = own(element("section", { className: "ldp-panel", tabIndex: -1, ldpRests: () => this.rests },
                            { role: "group", "aria-label": spec.title }));
    this.bar = element("div", { className: "ldp-bar" });
    this.sentence = element("p", { className: "ldp-sentence" });
    this.controls = element("div", { className: "ldp-controls" });
    this.figure = element("div", { className: "ldp-figure" }, { role: "group" });
    this.tables = own(element("div", { className: "ldp-tables", hidden: true, tabIndex: 0 },
                              { role: "region", "aria-label": "numbers of the picture" }));
    this.readout = element("div", { className: "ldp-readout" });
    this.status = element("p", { className: "ldp-status" }, { role: "status" });
    this.spoken = element("p", { className: "ldp-spoken" }, { role: "status", "aria-live": "polite" });
    this.error = element("p", {}, { role: "alert" });
    this.code = element("pre");
    this.failure = element("div", { className: "ldp-error", hidden: true }, {}, this.error,
      element("details", {}, {}, element("summary", { textContent: "where in the code" }), this.code));
    this.root.append(this.bar, this.controls, this.figure, this.tables, this.readout, this.failure, this.spoken);
    spec.controls.forEach((control, place) => this.addControl(control, place));
    this.addBar();
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("keyup", () => { this.deaf = false; });
    this.resized = new ResizeObserver(() => this.layout());
    this.resized.observe(this.root);
    this.resized.observe(this.figure); // what is above or below it may need another line
    this.notes = new Notes((passed) => this.script(passed), (event) => this.pressed(event));
    this.onStore = () => {
      const held = this.root.getRootNode().activeElement, mine = this.root.contains(held);
      this.refresh();
      // What had the focus may not be in this scene: keys go on from the panel, not from the end of the page.
      if (mine && !held.getClientRects().length) this.root.focus({ preventScroll: true });
    };
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.onTheme = () => this.readTheme();
    this.dark.addEventListener("change", this.onTheme);
    this.themes = new MutationObserver(this.onTheme);
    this.themes.observe(document.body, { attributeFilter: ["class", "data-jp-theme-light", "data-theme"] });
    store.listeners.add(this.onStore);
  }

  // Does what is seen stay as it is until somebody acts? Read off the panel whenever somebody asks (tests do, by
  // `root.ldpRests()`), so that it cannot be out of date. A state in between on the way to another is not `shown`.
  get rests() {
    const { store, drawn } = this;
    return store.settled && !store.untold?.() && drawn === store.shown && this.room() === this.laidOut;
  }

  // The sizes that `layout` goes by.
  room() { return [this.root, this.figure].flatMap((node) => [node.clientWidth, node.clientHeight]).join(); }

  // Into the page; what is in `place` gives way.
  show(place) {
    place.replaceChildren(this.root);
    // Two panels of one page have two names, in their order on it, whichever comes first.
    this.root.dataset.title = this.spec.title;
    [...document.querySelectorAll(".ldp-panel")].filter((node) => node.dataset.title === this.spec.title)
      .forEach((node, k) => node.setAttribute("aria-label", this.spec.title + (k ? ` (${k + 1})` : "")));
    this.readTheme();
    this.refresh();
    document.fonts.ready.then(() => this.layout());
  }

  remove() {
    this.store.listeners.delete(this.onStore);
    this.dark.removeEventListener("change", this.onTheme);
    this.themes.disconnect();
    this.resized.disconnect();
    this.root.remove();
  }

  // The colours of the page around: its background says whether it is dark. A pixel knows what a colour is in
  // whatever notation, and around marimo's outputs stands a shadow root.
  readTheme() {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    let bright = 255, node = this.root.parentElement;
    for (let opaque = false; node && !opaque; node = node.parentElement ?? node.getRootNode().host) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = getComputedStyle(node).backgroundColor;
      pixel.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
      opaque = alpha > 127;
      if (opaque) bright = 0.3 * red + 0.6 * green + 0.1 * blue;
    }
    this.root.dataset.theme = bright < 110 ? "dark" : "light";
  }

  // Controls.

  addControl({ name, label, help, kind, texts }, place) {
    const id = `${this.id}-${name}`;
    const row = element("div", { className: `ldp-control ldp-control-${name}`, title: help });
    const words = element("label", { htmlFor: id, textContent: label });
    const shown = element("output", {}, { for: id });
    let input;
    if (kind === "choice") {
      input = element("select", {}, {}, ...texts.map((text, value) => element("option", { value, textContent: text })));
    } else if (kind === "switch") {
      input = element("input", { type: "checkbox" });
    } else {
      input = element("input", { type: "range", min: 0, max: texts.length - 1, step: 1 });
      shown.style.minWidth = `${Math.max(...texts.map((text) => text.length))}ch`;
      row.append(words, input, shown);
    }
    if (kind !== "slider") row.append(words, input);
    input.id = id;
    if (help) input.setAttribute("aria-description", help);
    own(input).addEventListener("input", () =>
      this.move(place, kind === "switch" ? Number(input.checked) : Number(input.value)));
    const hint = () => this.store.hint?.(name);
    input.addEventListener("focus", hint);
    // Once the pointer moves: a row that comes under it at rest would say which answer has been clicked.
    row.addEventListener("pointerenter", () => row.addEventListener("pointermove", hint, { once: true }));
    this.inputs.push({ input, shown, kind, texts, row, name });
    this.controls.append(row);
  }

  move(place, position) {
    this.spec.remark = "";
    this.store.move(this.store.at.with(place, this.store.nearest(place, position, this.spec.controls[place].texts.length)));
  }

  // What is not at hand is greyed.
  grey({ input, row, kind, texts }, place) {
    const { at, has } = this.store, there = texts.map((_, to) => has(at.with(place, to)) !== false);
    if (kind === "choice") [...input.options].forEach((option, to) => { option.disabled = !there[to]; });
    else input.disabled = there.every((known, to) => !known || to === at[place]);
    row.title = there.includes(false) ? "Greyed positions are not stored on this page; the notebook has them."
      : this.spec.controls[place].help;
    const end = texts.length - 1, share = (to) => `${Math.max(0, Math.min(100, (100 * to) / end))}%`;
    const parts = there.map((known, to) => `var(--ldp-${known ? "private" : "faint"}) ${share(to - 0.5)} ${share(to + 0.5)}`);
    input.style.background = kind === "slider" && there.includes(false)
      ? `linear-gradient(to right, ${parts}) bottom / 100% 3px no-repeat` : "";
  }

  // A handle of the picture moves the control that it names.
  handle(node, away) {
    const where = () => this.spec.controls.findIndex(({ name }) => name === node.handle.control);
    const nearest = (event) => {
      const place = where(), { factor, offset, power } = node.handle;
      const stands = (value) => offset + factor * (power ? value ** power : Math.log(value));
      const far = this.spec.controls[place].values.map((value) => away(event, node.handle, stands(value)));
      this.move(place, far.indexOf(Math.min(...far)));
    };
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      node.focus();
      event.preventDefault();
    });
    node.addEventListener("pointermove", (event) => { if (node.hasPointerCapture(event.pointerId)) nearest(event); });
    node.addEventListener("keydown", (event) => {
      if (this.deaf && event.repeat) return;
      const place = where(), last = this.spec.controls[place].texts.length - 1, here = this.store.at[place];
      const way = Math.sign(node.handle.factor * (node.handle.power || 1));
      const to = { ArrowRight: here + way, ArrowUp: here + way, ArrowLeft: here - way, ArrowDown: here - way,
                   Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.move(place, Math.max(0, Math.min(last, to)));
    });
  }

  nameHandles() {
    for (const node of this.root.querySelectorAll(".ldp-handle")) {
      const place = this.spec.controls.findIndex(({ name }) => name === node.handle.control);
      const { label, texts } = this.spec.controls[place], now = this.store.at[place];
      const said = { "aria-label": `${label}, in the picture`, "aria-valuemin": 0, "aria-valuemax": texts.length - 1,
                     "aria-valuenow": now, "aria-valuetext": texts[now] };
      for (const [name, value] of Object.entries(said)) node.setAttribute(name, value);
    }
  }

  // Scenes, reset, lecture size.

  addBar() {
    const { scenes } = this.spec;
    this.reset = button("reset", "reset", "reset (key R)", () => this.restart());
    this.bigger = button("A+", "A+, lecture size", "lecture size (key L)", () => this.lecture());
    this.bigger.setAttribute("aria-pressed", "false");
    this.tabler = button("table", "table of the picture's numbers", "the numbers of the picture as a table (key T)", () => this.tabulate());
    this.tabler.setAttribute("aria-pressed", "false");
    const which = "Page Up and Page Down scenes, N new noise, P play, T table, L lecture size, there S notes and B black, R reset";
    this.keys = button("keys on", "keys on", `switch keys on or off: ${which}`, () => {
      this.shortcuts = !this.shortcuts;
      this.keys.textContent = this.keys.ariaLabel = this.shortcuts ? "keys on" : "keys off";
    });
    this.keys.className = "ldp-keys";
    if (scenes.length) {
      this.chooser = own(element("select", { className: "ldp-scenes" }, { "aria-label": "scene" },
        element("option", { value: -1, textContent: "scenes" }),
        ...scenes.map(({ name }, place) => element("option", { value: place, textContent: `${place + 1}. ${name}` }))));
      this.chooser.addEventListener("change", () => this.go(Number(this.chooser.value)));
      this.bar.append(button("‹", "previous scene", "previous scene (Page Up)", () => this.turn(-1)), this.chooser,
                      button("›", "next scene", "next scene (Page Down)", () => this.turn(1)));
    }
    this.bar.append(this.sentence, this.status, this.reset, this.tabler, this.bigger, this.keys);
  }

  restart() {
    this.deaf = true; // a key that is still held must not undo this
    this.go(-1);
    this.store.move([...this.spec.start]);
  }

  turn(by) {
    const here = this.chooser ? Number(this.chooser.value) : 0;
    const to = Math.max(0, Math.min(this.spec.scenes.length - 1, here + by));
    if (to !== here) this.go(to); // what is moved in the last scene stays
  }

  go(place) {
    const scene = this.spec.scenes[place];
    if (this.chooser) this.chooser.value = scene ? place : -1;
    this.scene = scene ?? null;
    this.spec.remark = "";
    this.essentials();
    if (scene) this.store.move([...scene.at]);
    this.refresh();
    this.layout();
  }

  // Where there is little room, what the scene is about; before one is chosen, the first.
  essentials() {
    const { controls = [], axes = [] } = this.scene ?? this.spec.scenes[0] ?? {}, all = [...this.axes.keys()];
    for (const { row, name } of this.inputs)
      row.classList.toggle("ldp-aside", controls.length > 0 && !controls.includes(name));
    const seen = axes.length ? axes : all.slice(0, 1);
    for (const [name, view] of this.axes) view.root.classList.toggle("ldp-aside", !seen.includes(name));
    for (const column of this.figure.children)
      column.classList.toggle("ldp-aside", !column.querySelector(".ldp-axes:not(.ldp-aside)"));
    this.root.classList.toggle("ldp-staged", Boolean(this.scene));
  }

  // In the browser's top layer, so that no scroll bar or frame of the host is in the way.
  lecture(on = !this.root.classList.contains("ldp-lecture")) {
    this.root.classList.toggle("ldp-lecture", on);
    this.root.classList.remove("ldp-black");
    this.bigger.setAttribute("aria-pressed", String(on));
    if (on) {
      this.root.popover = "manual";
      this.root.showPopover();
      this.root.focus();
    } else {
      this.root.hidePopover();
      this.root.removeAttribute("popover");
    }
    this.layout();
  }

  // What the speaker's notes say of a scene.
  script(passed) {
    const { scenes } = this.spec, here = Math.max(0, scenes.indexOf(this.scene));
    return { head: `Scene ${here + 1} of ${scenes.length} · ${clock(passed)}`,
             now: this.cues(true), next: scenes[here + 1]?.sentence };
  }

  // Of a scene, for its speaker; `aloud`: what stands on the screen as well.
  cues(aloud) { return aloud ? [this.sentence.textContent] : []; }

  pressed(event) {
    if (!event.repeat) this.deaf = false;
    else if (this.deaf) event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const lecturing = this.root.classList.contains("ldp-lecture");
    const darken = () => this.root.classList.toggle("ldp-black"); // presenters' remotes send a full stop
    const act = { PageDown: () => this.turn(1), PageUp: () => this.turn(-1), l: () => this.lecture(),
                  r: () => this.reset.click(), t: () => this.tabulate(), ...lecturing && { b: darken, ".": darken, s: () => this.notes.open() },
                }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (event.key === "Escape" && lecturing) this.lecture(false);
    else if (event.key === "Tab" && lecturing) this.goRound(event);
    else if (act && this.shortcuts && (event.target.tagName !== "SELECT" || event.key.startsWith("Page"))) {
      event.preventDefault();
      if (!event.repeat || event.key.startsWith("Page")) act();
    } else if (event.key === "Escape" || event.key === "Tab" || event.key === "Enter" && event.shiftKey) return;
    event.stopPropagation(); // what is typed here is not meant for the host
  }

  // The page behind a lecture is not seen: Tab stays in the panel.
  goRound(event) {
    const stops = [...this.root.querySelectorAll("button, input, select, summary, [tabindex='0']")]
      .filter((node) => node.getClientRects().length);
    if (event.shiftKey) stops.reverse();
    const here = this.root.getRootNode().activeElement;
    if (here !== stops[stops.length - 1] && !(event.shiftKey && here === this.root)) return;
    event.preventDefault();
    stops[0].focus();
  }

  // Drawing.

  layout() {
    const lecture = this.root.classList.contains("ldp-lecture") && window.innerWidth >= NARROW;
    // A frame is as low as what it holds if its host fits it: not its height says how much is seen at once.
    const low = (window.parent === window ? window.innerHeight : screen.height) < LOW;
    this.root.classList.toggle("ldp-low", low && !this.flows);
    const narrow = low ? this.flows : this.root.clientWidth < NARROW;
    this.root.classList.toggle("ldp-narrow", narrow && !lecture);
    this.reserve();
    for (const view of this.axes.values()) view.draw();
    this.nameHandles();
    this.laidOut = this.room();
  }

  // What is beside words must not jump: their heights only grow until width, letters or scene change.
  reserve() {
    const room = `${this.root.clientWidth} ${getComputedStyle(this.root).fontSize} ${this.scene?.name}`;
    const growing = [this.readout, ...this.header ? [this.header] : [], ...Array.from(this.axes.values(), (view) => view.legend)];
    if (room !== this.reservedFor) {
      this.reservedFor = room;
      for (const node of growing) node.style.minHeight = "";
      for (const { row } of this.inputs) row.style.gridColumn = "";
    }
    // A control that is wider than its column has two.
    const wide = this.inputs.filter(({ row }) => row.scrollWidth > row.clientWidth);
    for (const { row } of wide) if (!this.root.classList.contains("ldp-narrow")) row.style.gridColumn = "span 2";
    const heights = growing.map((node) => node.offsetHeight);
    growing.forEach((node, place) => { node.style.minHeight = `${heights[place]}px`; });
  }

  refresh() {
    if (!this.root.isConnected) return; // drawn again when the page takes it back
    this.notes.tell();
    const { store, spec } = this;
    this.inputs.forEach(({ input, shown, kind, texts }, place) => {
      const position = store.at[place], text = texts[position];
      if (store.has) this.grey(this.inputs[place], place);
      if (kind === "switch") input.checked = position === 1;
      else if (Number(input.value) !== position) input.value = position;
      if (kind !== "slider") return;
      if (shown.textContent !== text) shown.textContent = text;
      input.setAttribute("aria-valuetext", text);
    });
    const left = Boolean(this.scene) && this.left();
    this.sentence.classList.toggle("ldp-left", left);
    const words = [spec.remark, left && this.where(this.home()), this.scene && this.words()].filter(Boolean).join(" ");
    if (this.sentence.textContent !== words) this.sentence.textContent = words;
    const known = store.shown && key(store.shown.at) === key(store.at);
    const gone = store.gone && !(known && !store.failure);
    this.root.classList.toggle("ldp-gone", Boolean(gone));
    this.root.classList.toggle("ldp-computing", store.computing && !store.gone);
    const still = known ? "Positions that are known still move."
      : "This position is not known: the picture is an older one.";
    const said = store.gone ? `${store.gone} ${still}`
      : store.late ? "No answer for 3 s: the kernel is busy, or gone." : store.computing ? "computing …"
      : left && !this.root.classList.contains("ldp-lecture") ? GREY : "";
    if (this.status.textContent !== said) this.status.textContent = said;
    this.failure.hidden = !store.failure;
    this.error.textContent = store.failure?.error ?? "";
    this.code.textContent = store.failure?.traceback ?? "";
    if (store.shown && store.shown !== this.aim) {
      this.aim = store.shown; // what is drawn, or on the way
      try {
        this.draw(store.shown);
      } catch (fault) { // never half a picture without a word
        this.failure.hidden = false;
        this.error.textContent = `The picture cannot be drawn: ${fault}`;
        this.code.textContent = fault.stack;
      }
    }
    this.nameHandles();
    this.writeTables();
    this.speak();
  }

  // Once all rests, readers are told what is new, in one breath: two would cut each other off.
  speak() {
    const { shown } = this.store;
    if (!shown) return;
    const how = this.tables.hidden ? "The picture again." : "Numbers, as tables.";
    const now = [this.spec.remark, this.scene && this.words(), how, shown.alt, shown.readout.map((pair) => pair.join(": ")).join("; ")];
    this.heard ??= now; // nobody has moved anything yet
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      // Steps of play would talk over what was answered.
      const told = this.playing ? [...now.slice(0, 3), ...this.heard.slice(3)] : now;
      const fresh = told.filter((part, place) => part && part !== this.heard[place]);
      this.heard = told;
      if (fresh.length) this.spoken.textContent = fresh.join(" ");
    }, SPEAK_AFTER);
  }

  // Numbers in the place of the picture; they follow the controls as it does.
  tabulate(on = this.tables.hidden) {
    if (on) this.tables.style.setProperty("--ldp-before", `${this.figure.getBoundingClientRect().height}px`);
    const held = [this.figure, this.tables].some((node) => node.contains(document.activeElement));
    this.figure.hidden = on;
    this.tables.hidden = !on;
    this.tabler.setAttribute("aria-pressed", String(on));
    if (held) this.root.focus();
    this.writeTables();
    this.layout();
    this.speak();
  }

  writeTables() {
    const { shown } = this.store;
    if (this.tables.hidden || !shown || shown === this.tabled) return;
    this.tabled = shown;
    this.tables.replaceChildren(...shown.columns.flat().flatMap((axes) => {
      const table = tabulated(axes);
      return [written(table), button("save as CSV", `save as CSV: ${table.caption}`, "", () => save(`${axes.key}.csv`, commas(table)))];
    }));
  }

  // A sentence speaks of one position; elsewhere it is grey, and says of which.
  words() { return this.scene.sentence; }

  left() { return key(this.store.at) !== key(this.scene.at); }

  home() { return this.scene.at; }

  where(at) {
    const { controls = [] } = this.scene;
    const named = this.spec.controls.map((control, place) => `${control.label} = ${SWITCHED[control.texts[at[place]]] ?? control.texts[at[place]]}`)
      .filter((_, place) => this.spec.controls[place].kind !== "redraw"
        && (controls.includes(this.spec.controls[place].name) || !controls.length));
    return `At ${named.join(", ")}:`;
  }

  draw(state) {
    this.drawn = state;
    const all = state.columns.flat(), seen = new Set(all.map((axes) => axes.key));
    for (const [name, view] of this.axes)
      if (!seen.has(name)) {
        view.root.remove();
        this.axes.delete(name);
      }
    state.columns.forEach((column, place) => {
      const stack = this.figure.children[place] ?? this.figure.appendChild(element("div", { className: "ldp-column" }));
      stack.style.flexGrow = Math.max(...column.map((axes) => axes.wide));
      for (const axes of column) {
        if (!this.axes.has(axes.key))
          this.axes.set(axes.key, new AxesView(this.spec.roles, (...how) => this.handle(...how)));
        const { root } = this.axes.get(axes.key);
        if (root.parentNode !== stack) stack.append(root);
      }
    });
    while (this.figure.children.length > state.columns.length) this.figure.lastChild.remove();
    if (seen.size !== this.axesSeen) {
      this.axesSeen = seen.size;
      this.essentials();
    }
    for (const column of state.columns) for (const axes of column) this.axes.get(axes.key).update(axes, column);
    this.tell(state.readout);
    this.figure.setAttribute("aria-label", state.alt);
    this.layout();
  }

  tell(readout) {
    const spans = this.readout.children;
    while (spans.length > readout.length) this.readout.lastChild.remove();
    readout.forEach(([label, text], place) => {
      const span = spans[place] ?? this.readout.appendChild(element("span", {}, {}, element("i"), " ", element("b")));
      if (span.firstChild.textContent !== label) span.firstChild.textContent = label;
      if (span.lastChild.textContent !== text) span.lastChild.textContent = text;
    });
  }
}

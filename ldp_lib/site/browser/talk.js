// A talk in a page: its stops one after the other on the whole screen, and in a second window what to say, with the time.
import { element } from "../../stage/browser/draw.js";
import { clock, Notes } from "../../stage/browser/notes.js";
import { button } from "../../stage/browser/panel.js";

const OWN = "ldp-own-talk";
const HELD = "ldp-talk"; // in this tab's own storage: the clock, and whether there are notes; for a reload
const ONWARD = { ArrowRight: 1, ArrowDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1 };

// A talk from its text, as `ldp_lib.site.stored.talk` reads it. `known`: panel -> { version, title, scenes }. What is wrong
// is thrown with the number of its line.
export function parsedTalk(text, known) {
  let title = "";
  const stops = [];
  text.split(/\r\n|\r|\n/).forEach((line, k) => {
    const wrong = (why) => { throw new Error(`line ${k + 1}: ${why}`); };
    const [, minutes, address, say] = line.trim().match(/^(\d+)\s+(\S+)(?:\s+(.*))?$/) ?? [];
    if (line.startsWith("#")) title ||= line.replace(/^[# ]+/, "");
    else if (!line.trim()) return;
    else if (stops.length && address === "break" && !say) stops.at(-1).rest = Number(minutes);
    else if (!say) wrong("it needs whole minutes, an address and what to say: 2 consistency?scene=half+the+budget Signs are enough.");
    else {
      const [path, query] = address.split("?"), [name, version] = path.split("/");
      if (!Object.hasOwn(known, name)) wrong(`there is no panel ${name}; there are ${Object.keys(known).join(", ")}.`);
      const panel = known[name], scene = new URLSearchParams(query).get("scene");
      if (version && Number(version) !== panel.version) wrong(`${name} has version ${panel.version} now.`);
      if (query !== undefined && panel.scenes.length && !panel.scenes.includes(scene ?? "explore"))
        wrong(`${name} has no scene ${scene}; a space is written +, and there are ${panel.scenes.map((each) => each.replaceAll(" ", "+")).join(", ")}.`);
      const whole = query === undefined;
      stops.push({ minutes: Number(minutes), address: `${name}/${panel.version}${whole ? "" : `?${query}`}`, whole, say,
                   name: whole ? panel.title : scene ?? panel.title });
    }
  });
  if (!stops.length) throw new Error("no line has a stop: minutes, an address and what to say.");
  return { title: title || "A talk of your own", stops };
}

// `talks`: name -> { title, stops: [{ minutes, address, name, whole, say }] }. `open` shows an address in a place of the
// page, `fetchAhead` brings all that it needs.
export function hold(stage, { known, ...talks }, open, fetchAhead) {
  const mine = sessionStorage.getItem(OWN);
  if (mine) talks.own = parsedTalk(mine, known);
  const [name, stop, step] = location.hash.slice(1).split("/");
  addEventListener("hashchange", () => location.reload(), { once: true });
  if (Object.hasOwn(talks, name)) return new Talk(name, talks[name], open, stage, fetchAhead).begin(whole(stop), whole(step));
  sessionStorage.removeItem(HELD);
  stage.replaceChildren(element("ul", {}, {}, ...Object.entries(talks).map(([key, { title }]) =>
    element("li", {}, {}, element("a", { href: `#${key}`, textContent: title })))), ownTalk(known));
}

// A file of this computer is read here; nothing is sent, and this tab alone keeps it.
function ownTalk(known) {
  const said = element("p", { className: "ldp-talk-said" }, { role: "alert" });
  const choose = element("input", { type: "file", accept: ".txt,text/plain" });
  const read = async (file) => {
    try {
      const text = await file.text();
      parsedTalk(text, known);
      sessionStorage.setItem(OWN, text);
      location.hash = "own";
    } catch ({ message }) { said.textContent = `${file.name}, ${message}`; }
  };
  choose.addEventListener("change", () => { if (choose.files[0]) read(choose.files[0]); choose.value = ""; });
  const box = element("div", { className: "ldp-talk-own" }, {}, element("label", {}, {}, "A talk of your own, a text file: ", choose), said);
  box.addEventListener("dragover", (event) => event.preventDefault());
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });
  return box;
}

// What was kept, or null if nothing was, or something else.
function held() {
  try { return JSON.parse(sessionStorage.getItem(HELD)); } catch { return null; }
}

const whole = (text) => Math.round(Number(text)) || 1;

class Talk {
  constructor(name, { stops }, open, stage, fetchAhead) {
    // On the way to the stop `aim`, the one on the screen is still `here`.
    Object.assign(this, { name, stops, open, fetchAhead, here: -1, aim: -1, place: element("div"), answers: {} });
    const kept = held(), last = stops.length - 1;
    this.kept = kept?.name === name ? kept : { begun: 0, notes: false };
    this.notes = new Notes((passed) => this.script(passed), (event) => this.view?.pressed(event), this.kept.begun);
    addEventListener("pagehide", () => {
      sessionStorage.setItem(HELD, JSON.stringify({ name, begun: this.notes.begun, notes: this.notes.shown }));
      this.notes.part();
    });
    this.jump = element("select", {}, { "aria-label": "stop" }, ...stops.map((stop, k) =>
      element("option", { value: k, textContent: `${k + 1}. ${stop.name}${k === last ? " (the last)" : ""}` })));
    this.jump.addEventListener("change", () => this.turn(Number(this.jump.value)));
    this.said = element("p", { className: "ldp-talk-said" }, { role: "alert" });
    this.bar = element("div", { className: "ldp-talk-bar" }, {}, this.jump, this.said,
      button("notes", "speaker's notes", "speaker's notes in a window of their own (key S)", () => this.notes.open()));
    stage.replaceChildren(this.place, this.bar);
  }

  async begin(stop, step) {
    await this.turn(Math.max(0, Math.min(this.stops.length, stop) - 1), step - 1);
    if (this.kept.notes) this.reopen();
    const prepare = async () => {
      const missing = await this.fetchAhead(this.stops.map(({ address }) => address));
      this.said.textContent = missing && `Not all stops are here: ${missing}`;
    };
    addEventListener("online", prepare);
    await prepare();
  }

  // The window of notes is still there; if the browser lets nobody open one without a key, a key is needed.
  reopen() {
    this.notes.open();
    setTimeout(() => { if (!this.notes.shown) this.said.textContent = "Key S: the notes."; }, 1000);
  }

  // A stop that is a whole panel is entered at one of its steps: from behind at its last.
  async turn(to, step = to < this.aim ? -1 : 0) {
    if (!this.stops[to] || to === this.aim) return;
    this.aim = to;
    const { address, whole } = this.stops[to];
    try {
      const view = await this.open(element("div"), address, this.answers, whole ? step : undefined);
      if (this.aim !== to) return view.remove();
      if (view.store.failure && this.view) {
        view.remove();
        throw new Error(view.store.failure.error);
      }
      this.here = to;
      this.enter(view);
    } catch ({ message }) {
      if (this.aim !== to) return;
      this.aim = this.here;
      this.said.textContent = `Stop ${to + 1} cannot be shown: ${message}`;
    }
    this.jump.value = this.here;
  }

  enter(view) {
    const black = this.view?.root.classList.contains("ldp-black"), { whole } = this.stops[this.here];
    this.said.textContent = "";
    this.view?.remove();
    this.view = view;
    // Keys and buttons go from stop to stop, and through the scenes of a stop that is a whole panel.
    const [within, plain] = [view.turn.bind(view), view.pressed.bind(view)];
    view.turn = (by) => {
      if (!whole || this.aim !== this.here || !view.spec.scenes[view.place + by]) return this.turn(this.aim + by);
      within(by);
      this.mark();
    };
    view.pressed = (event) => {
      const by = ONWARD[event.key];
      if (!by || event.target.matches("input, select, button, summary, .ldp-handle")) return plain(event);
      event.preventDefault();
      event.stopPropagation();
      view.turn(by);
    };
    view.notes = this.notes;
    view.show(this.place);
    view.lecture(true);
    view.root.classList.toggle("ldp-black", Boolean(black));
    view.root.classList.add("ldp-talking");
    view.chooser.after(this.bar);
    this.mark();
  }

  // The number of the step in a stop that has several.
  get step() { return this.stops[this.here].whole && this.view.spec.story ? this.view.place + 1 : 0; }

  // The address of this stop, and of the step in it.
  mark() {
    history.replaceState(null, "", `#${this.name}/${this.here + 1}${this.step ? `/${this.step}` : ""}`);
    this.notes.tell();
  }

  script(passed) {
    const { view, step } = this, [{ say }, after] = this.stops.slice(this.here, this.here + 2);
    const until = (stop) => 60 * this.stops.slice(0, stop).reduce((sum, { minutes, rest = 0 }, k) => sum + minutes + (k < stop - 1 && rest), 0);
    const { scenes } = view.spec, ahead = step && scenes[step];
    const at = `Stop ${this.here + 1} of ${this.stops.length} · ${clock(passed)} of ${clock(until(this.stops.length))}`;
    const scene = step ? ` · scene ${step} of ${scenes.length}: ${scenes[step - 1].name}` : "";
    return { head: `${at} · this stop until ${clock(until(this.here + 1))}${scene}`,
             now: [...view.cues(step > 0), say],
             next: ahead ? `${ahead.name}. ${ahead.sentence}` : after && `${after.name}. ${after.say}` };
  }
}

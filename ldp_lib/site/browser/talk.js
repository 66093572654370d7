// A talk in a page: its stops one after the other on the whole screen, and in a second window what to say, with the time.
import { element } from "../../stage/browser/draw.js";
import { clock, Notes } from "../../stage/browser/notes.js";
import { button } from "../../stage/browser/panel.js";
import { spoken } from "../../stage/browser/story.js";
import { position } from "./address.js";
import { counted, kept } from "./lectern.js";
import { Room } from "./room.js";

export const OWN = "ldp-own-talk"; // in this tab's own storage: the text
export const DRAFT = "ldp-talk-draft"; // there, too: the text that is written on the page of all scenes, and was not held yet
const HELD = "ldp-talk"; // in this tab's own storage: the clock, and whether there are notes; for a reload
const SPENT = "ldp-talk-spent"; // there, too: how long each stop took, for the notes that are printed
const ONWARD = { ArrowRight: 1, ArrowDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1 };

// A talk from its text, as `ldp_lib.site.talk` reads it, and what is `wrong`, each line with its number.
// `known`: panel -> { version, title, scenes, votes: those of them that ask }.
export function readTalk(text, known) {
  let title = "";
  const stops = [], wrongs = [];
  text.split(/\r\n|\r|\n/).forEach((line, k) => {
    const wrong = (why) => wrongs.push(`line ${k + 1}: ${why}`);
    const [, minutes, address, say] = line.trim().match(/^(\d+)\s+(\S+)(?:\s+(.*))?$/) ?? [];
    if (line.startsWith("#")) title ||= line.replace(/^[# ]+/, "");
    else if (!line.trim()) return;
    else if (stops.length && address === "break" && !say) stops.at(-1).rest = Number(minutes);
    else if (!say) wrong("it needs whole minutes, an address and what to say: 2 consistency?scene=half+the+budget Signs are enough. A pause is 5 break, after a stop.");
    else {
      const [path, query] = address.split("?"), [name, version] = path.split("/");
      if (!Object.hasOwn(known, name)) return wrong(`there is no panel ${name}; there are ${Object.keys(known).join(", ")}.`);
      const panel = known[name], scene = new URLSearchParams(query).get("scene");
      if (version && Number(version) !== panel.version) return wrong(`${name} has version ${panel.version} now.`);
      if (query !== undefined && panel.scenes.length && !panel.scenes.includes(scene ?? "explore"))
        return wrong(`${name} has no scene ${scene}; a space is written +, and there are ${panel.scenes.map((each) => each.replaceAll(" ", "+")).join(", ")}.`);
      const whole = query === undefined;
      stops.push({ minutes: Number(minutes), address: `${name}/${panel.version}${whole ? "" : `?${query}`}`, whole, say,
                   name: whole ? panel.title : scene ?? panel.title,
                   votes: whole ? panel.votes.length : Number(panel.votes.includes(scene)) });
    }
  });
  if (!stops.length && !wrongs.length) wrongs.push("no line has a stop: minutes, an address and what to say.");
  return { title: title || "A talk of your own", stops, wrong: wrongs };
}

// The talk of a text; all that is wrong in it is thrown, each line after the name of its `file`.
export function parsedTalk(text, known, file = "") {
  const { wrong, ...talk } = readTalk(text, known);
  if (wrong.length) throw new Error(wrong.map((why) => (file ? `${file}, ${why}` : why)).join("\n"));
  return talk;
}

// `talks`: name -> { title, stops: [{ minutes, address, name, whole, say }] }. `open` shows an address in a place of the
// page, `fetchAhead` brings all that it needs, `described` tells of its panel. `served`: does a server answer, which gathers telephones, too?
export function hold(stage, { known, ...talks }, { open, fetchAhead, described, served }) {
  const room = served ? new Room() : null; // it takes its key out of the address
  const said = element("p", { className: "ldp-talk-said" }, { role: "alert" }), read = reader(known, said);
  const mine = sessionStorage.getItem(OWN), given = stage.dataset.talk;
  if (given) talks.own = JSON.parse(given);
  else if (mine) {
    try { talks.own = parsedTalk(mine, known); } catch ({ message }) { said.textContent = message; } // the pages are newer
  }
  const [name, stop, step] = (location.hash.slice(1) || (given ? "own" : "")).split("/");
  addEventListener("hashchange", () => location.reload(), { once: true });
  if (Object.hasOwn(talks, name) && stop === "notes") return printed(stage, name, talks[name], described, said);
  if (Object.hasOwn(talks, name)) return new Talk(name, talks[name], open, stage, fetchAhead, room, said).begin(whole(stop), whole(step));
  sessionStorage.removeItem(HELD);
  stage.replaceChildren(element("ul", {}, {}, ...Object.entries(talks).map(([key, { title }]) =>
    element("li", {}, {}, element("a", { href: `#${key}`, textContent: title }),
      " · ", element("a", { href: `#${key}/notes`, textContent: "notes to print" }, { "aria-label": `notes to print: ${title}` })))), ownTalk(read, said));
}

// What reads a file of this computer, also one that is dropped, wherever and whatever is shown. Nothing is sent, and
// this tab alone keeps it.
function reader(known, said) {
  const read = async (file) => {
    const text = await file.text();
    try { parsedTalk(text, known, file.name); } catch ({ message }) {
      said.textContent = message;
      return;
    }
    sessionStorage.setItem(OWN, text);
    sessionStorage.removeItem(DRAFT);
    // After the listener of the talk that is left: its clock is not this one's.
    addEventListener("pagehide", () => [HELD, SPENT].forEach((key) => sessionStorage.removeItem(key)));
    location.href = "talks.html#own"; // also from the page of another talk
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });
  return read;
}

function ownTalk(read, said) {
  const choose = element("input", { type: "file", accept: ".txt,text/plain" });
  choose.addEventListener("change", () => { if (choose.files[0]) read(choose.files[0]); choose.value = ""; });
  return element("div", { className: "ldp-talk-own" }, {},
    element("label", {}, {}, "A talk of your own, a text file; choose it, or drop it anywhere here: ", choose), said);
}

// What was kept of this talk in this tab, or null if nothing was, or something else.
function held(name, key) {
  const found = kept(sessionStorage, key);
  return found?.name === name ? found : null;
}

// The second at which a stop ends; breaks stand after stops.
export const until = (stops, stop) => 60 * stops.slice(0, stop).reduce((sum, { minutes, rest = 0 }, k) => sum + minutes + (k < stop - 1 && rest), 0);

const pause = ({ rest }) => (rest ? `, then a break of ${counted(rest, "minute")}` : "");

// The notes of a whole talk, with every vote and its answer, and how long a stop took when the talk was held in this tab.
async function printed(stage, name, { title, stops }, described, said) {
  const took = held(name, SPENT)?.seconds ?? [];
  const parts = await Promise.all(stops.map(async ({ address, minutes, name: called, whole, say }, k) => {
    const spec = await described(address), here = spec.story ? spec.scenes[position(spec, address.split("?")[1] ?? "")[0]] : null;
    const scenes = !here ? [] : whole ? spec.scenes : [here];
    const time = `${clock(until(stops, k + 1) - 60 * minutes)} to ${clock(until(stops, k + 1))}${took[k] ? `; it took ${clock(took[k])}` : ""}${pause(stops[k])}`;
    return element("section", {}, {}, element("h3", { textContent: `${k + 1}. ${called} (${time})` }),
      ...scenes.flatMap((scene) => [...whole ? [element("h4", { textContent: scene.name })] : [],
                                    ...spoken(scene).map((words) => element("p", { textContent: words }))]),
      element("p", {}, {}, element("strong", { textContent: say })));
  }));
  stage.replaceChildren(element("h2", { textContent: title || name }), said, element("p", { className: "ldp-talk-print" }, {},
    button("print", "print", "print these notes", () => print()), " ", element("a", { href: `#${name}`, textContent: "hold the talk" })), ...parts);
}

const whole = (text) => Math.round(Number(text)) || 1;

class Talk {
  constructor(name, { stops }, open, stage, fetchAhead, room, said) {
    // On the way to the stop `aim`, the one on the screen is still `here`.
    Object.assign(this, { name, stops, open, fetchAhead, room, said, here: -1, aim: -1, place: element("div"), answers: {} });
    const last = stops.length - 1;
    const again = held(name, HELD);
    this.kept = again ?? { begun: 0, notes: false };
    this.spent = again && held(name, SPENT)?.seconds || [];
    this.notes = new Notes((passed) => this.script(passed), (event) => this.view?.pressed(event), this.kept.begun);
    addEventListener("pagehide", () => {
      this.leave();
      sessionStorage.setItem(HELD, JSON.stringify({ name, begun: this.notes.begun, notes: this.notes.shown }));
      this.notes.part();
    });
    this.jump = element("select", {}, { "aria-label": "stop" }, ...stops.map((stop, k) =>
      element("option", { value: k, textContent: `${k + 1}. ${stop.name}${k === last ? " (the last)" : ""}` })));
    this.jump.addEventListener("change", () => this.turn(Number(this.jump.value)));
    this.bar = element("div", { className: "ldp-talk-bar" }, {}, this.jump, this.said, ...room?.bar ?? [],
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

  // How long the stop on the screen took so far is kept.
  leave() {
    const { name, spent, since } = this;
    if (since) spent[since.stop] = (spent[since.stop] ?? 0) + (Date.now() - since.time) / 1000;
    this.since = { stop: this.here, time: Date.now() };
    sessionStorage.setItem(SPENT, JSON.stringify({ name, seconds: spent }));
  }

  enter(view) {
    this.leave();
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
    this.room?.attend(view);
    view.show(this.place);
    view.lecture(true);
    view.root.classList.toggle("ldp-black", Boolean(black));
    view.root.classList.add("ldp-talking");
    view.chooser.after(this.bar);
    this.room?.lift();
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
    const { view, step } = this, [{ say, rest }, after] = this.stops.slice(this.here, this.here + 2);
    const { scenes } = view.spec, ahead = step && scenes[step];
    const at = `Stop ${this.here + 1} of ${this.stops.length} · ${clock(passed)} of ${clock(until(this.stops, this.stops.length))}`;
    const scene = step ? ` · scene ${step} of ${scenes.length}: ${scenes[step - 1].name}` : "";
    return { head: `${at} · this stop until ${clock(until(this.stops, this.here + 1))}${pause({ rest })}${scene}`,
             now: [...view.cues(step > 0), say],
             next: ahead ? `${ahead.name}. ${ahead.sentence}` : after && `${after.name}. ${after.say}` };
  }
}

// The room of a talk predicts. Where a scene asks, telephones answer: the screen says how many have, the lecturer locks,
// bars stand under the answers, and then one of them is pressed and the world answers. Without the server's answer a talk
// goes on as without a room.
import { element } from "../../stage/browser/draw.js";
import { button } from "../../stage/browser/panel.js";
import { counted, joining, kept, LOOK_EVERY, opened, post, say, takeKey } from "./lectern.js";

const ROOM = "ldp-room"; // the open room's code, and the key to it, for whoever loads this page again
const ROOM_BUDGETS = [0.5, 1, 2, 4];
const NOTHING = { key: "", question: "", answers: [] };
const points = (share) => `${Math.round(100 * share)}%`;

export class Room {
  constructor() {
    this.told = element("p", {}, { role: "status" });
    takeKey(() => say(this.told, ""));
    this.door = element("dialog", { className: "ldp-sheet ldp-room-door" }, { "aria-label": "the room" });
    this.door.addEventListener("keydown", (event) => event.stopPropagation()); // not meant for the picture behind
    this.door.addEventListener("focusin", ({ target }) => { this.held = target; });
    this.count = element("span", { className: "ldp-room-count" }, { role: "status" });
    this.locker = button("lock", "lock the room's answers", "take no more answers, and show what the room says", () => this.lock());
    this.bar = [this.count, this.locker, button("room", "the room", "telephones answer where a scene asks", () => this.invite()), this.door];
    this.row = element("div", { className: "ldp-room" }, { role: "group", "aria-label": "the room's answer" });
    this.seen = {}; // of each question what the room said last
    this.asked = this.posed = NOTHING;
    this.open = kept(localStorage, ROOM);
    this.draw();
    if (this.open) this.look();
  }

  // The door: by which address telephones come in, and how a room is opened and ended.
  invite() {
    const close = button("close", "close", "", () => this.door.close());
    this.door.replaceChildren(...(this.open ? [
      ...joining("room", "r", this.open.code),
      element("p", { textContent: this.open.alpha ? `Randomised on the telephone, with α = ${this.open.alpha} a question.`
        : "Not private: this server sees what each telephone chooses." }),
      button("end the room, delete everything", "end the room, delete everything", "", () => this.act(async () => {
        await post(`/room/${this.open.code}/end`, { key: this.open.key });
        this.close("The room has ended and is deleted.");
      })),
    ] : [
      element("p", { textContent: "Telephones join once, and answer wherever a scene asks." }),
      ...[null, ...ROOM_BUDGETS].map((alpha) => button(alpha ? `α = ${alpha} a question` : "not private",
        alpha ? `open a room with α = ${alpha}` : "open a room that is not private", "", () => this.act(async () => {
          this.open = { ...await opened("room", { alpha }), alpha };
          localStorage.setItem(ROOM, JSON.stringify(this.open));
          this.posed = null; // whatever the scene asks, also nothing
          this.seen = {};
          this.lost = "";
          this.refresh();
          this.look();
          this.invite();
        }))),
    ]), this.told, close);
    if (!this.door.open) this.door.showModal();
  }

  // A dialog that is moved with the bar falls from above the page into it, and forgets which button has the focus: the
  // next Enter would be for the first one, which is not private.
  lift() {
    if (!this.door.open) return;
    const { held } = this;
    this.door.close();
    this.door.showModal();
    held?.focus(); // in a window behind others none was told
  }

  // One thing after the other; what goes wrong is said.
  async act(work) {
    if (this.busy) return;
    this.busy = true;
    say(this.told, "");
    try { await work(); } catch ({ message }) { say(this.told, message); } finally { this.busy = false; }
  }

  close(words) {
    localStorage.removeItem(ROOM);
    this.open = null;
    this.refresh();
    this.invite();
    say(this.told, words);
  }

  // Follow a view of a story, whose question is the room's while it is open.
  attend(view) {
    const stage = view.stage?.bind(view);
    this.view = view;
    if (!stage) return this.ask(NOTHING);
    view.stage = () => {
      stage();
      if (this.view === view) this.follow();
    };
    view.questions.after(this.row);
  }

  refresh() { if (this.view?.scene) this.view.stage(); }

  follow() {
    const { view } = this, { scene, asking } = view, key = `${view.spec.story}/${scene.name}`;
    if (asking && key !== this.asked.key) this.ask({ key, question: scene.sentence, answers: scene.ask.answers });
    else if (!asking && key !== this.asked.key) this.ask({ ...NOTHING, key });
    else if (!asking && this.pending) this.lock(); // an answer was pressed before the room was locked
    this.draw();
  }

  get pending() { return this.open && this.asked.answers.length > 0 && !this.seen[this.asked.key]?.locked; }

  // What was said of it before is deleted on the server, but for the question that a page loaded again finds there.
  ask(asked) {
    this.asked = asked;
    if (asked.answers.length) {
      this.asked = { ...asked, anew: this.turned };
      this.turned = true;
      delete this.seen[asked.key];
    }
    this.hurry?.();
  }

  lock() {
    if (this.locking === this.asked) return;
    this.locking = this.asked;
    this.hurry?.();
  }

  // What the scene asks is posed, and what the room says is fetched, again and again.
  async look() {
    if (this.looking) return;
    this.looking = true;
    while (this.open) {
      const pause = new Promise((resolve) => {
        this.hurry = resolve;
        setTimeout(resolve, LOOK_EVERY);
      });
      await this.tell(this.open, this.asked, this.locking);
      this.refresh();
      await pause;
    }
    this.looking = false;
  }

  async tell(room, asked, locking) {
    const at = `/room/${room.code}`, { key } = room;
    try {
      if (this.posed !== asked) { // a hand that turns there and back is faster than what it has passed is posed
        if (asked.anew) await post(`${at}/pose`, { key, question: "", answers: [] });
        await post(`${at}/pose`, { key, question: asked.question, answers: asked.answers });
      }
      if (locking === asked && this.pending) await post(`${at}/lock`, { key });
      const answer = await fetch(at), state = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(state.error), { status: answer.status });
      if (this.open !== room) return;
      this.posed = asked;
      if (asked.answers.length && this.asked === asked) this.seen[asked.key] = state;
      this.lost = "";
    } catch ({ message, status }) {
      this.lost = status ? message : "The room's server does not answer; the talk goes on without it.";
      if (status === 404 && this.open === room) {
        localStorage.removeItem(ROOM);
        this.open = null;
      }
    }
  }

  draw() {
    const { view, asked, open } = this, state = this.seen[asked.key];
    const room = Boolean(open && view?.scene?.ask && (asked.answers.length || state));
    this.row.hidden = !room;
    this.locker.hidden = !room || !view.asking || Boolean(state?.locked);
    say(this.count, this.words(room, state));
    if (!room) return;
    view.questions.hidden = true;
    this.row.classList.toggle("ldp-answered", !view.asking);
    const { answers, right } = view.scene.ask, drawn = JSON.stringify([asked.key, view.asking, state?.locked, state?.counts]);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    const shares = sharesOf(state), noise = state?.noise ?? 0;
    this.row.replaceChildren(...answers.map((words, choice) => {
      const said = shares ? points(shares[choice]) : "", mark = !view.asking && choice === right ? "✓ " : "";
      const made = button("", `your answer: ${words}${said && `, the room: ${said}`}`, "", () => view.lock(choice));
      made.disabled = !view.asking;
      made.append(element("span", { textContent: `${mark}${words}` }), element("b", { textContent: said || "\u00a0" }), strip(shares?.[choice], noise));
      return made;
    }));
    if (shares && view.asking) this.row.children[shares.indexOf(Math.max(...shares))].focus();
  }

  words(room, state) {
    if (this.lost) return this.lost;
    if (!room || !state) return "";
    const people = counted(state.n, "answer");
    if (!state.locked || !state.n) return people;
    if (!state.counts) return `${people}: nothing is shown of fewer than ${state.least}`;
    const { view } = this, { right } = view.scene.ask, said = view.asking ? undefined : view.said(), share = (choice) => points(sharesOf(state)[choice]);
    if (said !== undefined) return [said === right ? "" : `${share(said)} said this`, right === null ? "" : `${share(right)} were right`].filter(Boolean).join(", ");
    return state.alpha ? `${people}, α = ${state.alpha}, noise up to ±${(100 * state.noise).toFixed(0)} points` : `${people}, not private`;
  }
}

// What share said each answer, undefined until it is known.
const sharesOf = (state) => state?.counts && (state.shares ?? state.counts.map((count) => count / (state.n || 1)));

// A share of the whole line; with noise, also how far the truth may be away: one standard deviation.
function strip(share, noise) {
  const line = element("i", { className: "ldp-room-strip" }), ends = (from, to) => ({
    left: points(Math.max(0, Math.min(1, from))), right: points(1 - Math.max(0, Math.min(1, to))) });
  if (share === undefined) return line;
  const bar = element("i", { className: "bar" });
  Object.assign(bar.style, ends(0, share));
  line.append(bar);
  if (noise) {
    const band = element("i", { className: "noise" });
    Object.assign(band.style, ends(share - noise, share + noise));
    line.append(band);
  }
  return line;
}

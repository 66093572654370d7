// A view of a story: one scene at a time fills the panel. The scene's sentence and its largest number stand above the
// picture, its controls below, and the way through the scenes at the bottom. Answers to questions stay in the browser.
import { between, element, save } from "./draw.js";
import { PanelView, button } from "./panel.js";
import { key } from "./store.js";

const AGAIN = 400; // ms between two draws of noise while the button or key is held: slow enough to see each
const PLAY = 1100; // ms between two steps of play
const GLIDE = 500; // ms from one scene's picture to the next one's
const SEEN_FOR = 2500; // ms between an answer and the play that follows it
const STORED = "ldp-answers"; // in the browser's own storage, never sent

export function answers() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED));
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {}; // a page without storage: asked again next time
  }
}

export function keep(story, scene, answer) {
  const all = answers();
  all[story] = { ...all[story], [scene]: answer };
  if (answer === undefined) delete all[story][scene];
  try {
    localStorage.setItem(STORED, JSON.stringify(all));
  } catch { /* as above */ }
}

export const capital = (words) => words[0].toUpperCase() + words.slice(1);
const verdict = ({ answers, right, told }, said) => `${answers[said]}. ${said === right ? "Right." : "No."} ${told[said]}`;

// What is said of a scene: its sentence; or its vote, the right answer and why.
export function spoken({ ask, sentence }) {
  if (!ask) return [sentence];
  const told = ask.right === null ? ask.told[0] : `Right: ${ask.answers[ask.right]}. ${ask.told[ask.right]}`;
  return [`Vote: ${sentence} ${ask.answers.join(" · ")}.`, told];
}

export class StoryView extends PanelView {
  constructor(spec, store) {
    super(spec, store);
    this.flows = true; // in a low window the page scrolls
    this.here = spec.answers ?? {}; // answers of this page, also where nothing can be stored
    this.root.classList.add("ldp-story");
    this.header = element("div", { className: "ldp-header" });
    this.header.append(this.sentence, this.readout);
    this.formula = element("div", { className: "ldp-formula", hidden: true }); // MathML of the package's own
    this.root.prepend(this.header, this.formula);
    this.questions = element("div", { className: "ldp-questions" }, { role: "group", "aria-label": "your answer" });
    this.redraw = button("new noise", "new noise", "new noise (key N; hold it)", ({ detail }) => {
      if (!detail) this.draws(); // a screen reader's click, which no pointer and no key began
    });
    this.redraw.addEventListener("pointerdown", () => this.hold());
    this.redraw.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault(); // no click besides
      if (!event.repeat) this.hold();
    });
    for (const name of ["pointerup", "pointerleave", "pointercancel", "keyup", "blur"])
      this.redraw.addEventListener(name, () => this.release());
    this.root.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.root.contains(relatedTarget)) this.release();
    });
    this.player = button("▶ play", "play", "play (key P)", () => this.play());
    this.player.className = "ldp-player"; // as wide with either word
    this.again = button("ask me again", "ask me again", "forget my answer", () => {
      this.answer(undefined);
      this.go(this.place);
    });
    this.controls.append(this.questions, this.redraw, this.player, this.again);
    if (spec.scenes.some(({ ask }) => ask)) this.addSheet();
    this.chooser.firstChild.remove(); // there is always a scene
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.place = -1;
  }

  // While it plays or is about to, and while new noise is held, it does not rest between two steps.
  get rests() { return super.rests && !this.playing && !this.later && !this.held; }

  addControl(control, place) {
    super.addControl(control, place);
    if (control.kind === "redraw" || control.name === "scene") this.inputs[place].row.hidden = true;
  }

  // The state says which scene it belongs to, whoever moved it there.
  refresh() {
    const place = this.store.at[0];
    if (place !== this.place) {
      this.stop();
      this.place = place;
      this.scene = this.spec.scenes[place];
      this.chooser.value = place;
      this.glide = true;
      this.essentials();
      const { ask, at } = this.scene, begins = Boolean(ask) && key(at) === key(this.store.at);
      this.byHand = !begins; // or by an address
      this.asking = begins && this.said() === undefined;
      const named = this.spec.named; // by the address that opened it
      this.spec.named = false;
      if (begins && !named && !this.asking && key(this.ending()) !== key(at))
        return this.store.move(this.ending()); // refreshes
    }
    // Who stands elsewhere, by an address or another view, is past the question.
    if (key(this.scene.at) !== key(this.store.at)) this.asking = false;
    this.stage();
    super.refresh();
  }

  go(place) {
    this.stop();
    this.spec.remark = "";
    this.glide = true;
    this.place = -1; // enter it, also from itself
    this.store.move([...this.spec.scenes[place].at]);
    this.refresh();
    this.layout();
  }

  restart() {
    this.deaf = true; // a key that is still held must not undo this
    this.go(this.place);
  }

  // While a question is open nothing can be moved, in the picture neither.
  move(place, position) {
    if (this.asking) return;
    this.stop();
    this.byHand = true;
    super.move(place, position);
  }

  // Where the scene stands once its answer and the play that follows are over.
  ending({ ask, play } = this.scene) {
    return play ? ask.then.with(play.control, play.stops.at(-1)) : [...ask.then];
  }

  // Where the scene is what its words speak of: where it begins; once it is answered, what came of that, and an
  // address may lead there, too. New noise changes nothing of it, and play does not leave it.
  homes() {
    const { ask, at } = this.scene, after = ask && !this.asking ? [ask.then, this.ending()] : [];
    return this.said() === undefined ? [at, ...after] : after;
  }

  left() {
    return this.byHand && this.place < this.spec.scenes.length - 1 && !this.homes().some((at) => this.stands(at));
  }

  stands(at) {
    return at.every((to, place) => to === this.store.at[place] || this.spec.controls[place].kind === "redraw");
  }

  home() { return this.said() === undefined ? this.scene.at : this.ending(); }

  // The number of the answer that was given; what an older story asked counts as no answer. A talk, which brings
  // `spec.answers`, asks its room anew.
  said(scene = this.scene) {
    const kept = this.here[scene.name] ?? (this.spec.answers ? undefined : answers()[this.spec.story]?.[scene.name]);
    return scene.ask && Number.isInteger(kept) && kept in scene.ask.answers ? kept : undefined;
  }

  answer(choice, scene = this.scene) {
    this.here[scene.name] = choice;
    if (!this.spec.answers) keep(this.spec.story, scene.name, choice);
  }

  // What the scene shows besides its picture.
  stage() {
    const { scene, asking: open } = this, said = this.said(), answered = !open && said !== undefined;
    for (const { row, name, kind } of this.inputs)
      row.hidden = open || kind === "redraw" || name === "scene" || !scene.controls.includes(name);
    this.redraw.hidden = open || !this.inputs.some(({ kind, name }) => kind === "redraw" && scene.controls.includes(name));
    this.player.hidden = open || !scene.play;
    this.again.hidden = !scene.ask || open;
    this.again.textContent = this.again.ariaLabel = answered ? "ask me again" : "ask me";
    this.questions.hidden = !open;
    if (this.staged !== `${scene.name} ${open}`) {
      this.staged = `${scene.name} ${open}`;
      const locked = `Nothing moves until ${this.spec.answers ? "the room has" : "you have"} answered.`;
      this.questions.replaceChildren(...(open ? [...scene.ask.answers.map((words, choice) =>
        button(words, `your answer: ${words}`, "", () => this.lock(choice))),
        element("span", { className: "ldp-locked", textContent: locked })] : []));
    }
    if (this.formula.written !== scene.formula) {
      this.formula.innerHTML = this.formula.written = scene.formula;
      this.formula.hidden = !scene.formula;
    }
    this.root.classList.toggle("ldp-asks", Boolean(scene.ask));
    this.root.classList.toggle("ldp-explore", this.place === this.spec.scenes.length - 1);
  }

  // What came of an answer, or would have, where an address leads there; else the question.
  words() {
    const { scene, who } = this, { ask } = scene, said = this.asking ? undefined : this.said();
    let words = said === undefined ? scene.sentence : ask.told[said];
    if (said === undefined && !this.stands(scene.at) && this.homes().some((at) => this.stands(at)))
      words = `${scene.sentence} ${ask.right === null ? "" : `Right is ${ask.answers[ask.right]}. `}${ask.told[ask.right ?? 0]}`;
    if (said !== undefined && scene.ask.right !== null) words = `${capital(who)} said ${verdict(scene.ask, said)}`;
    const before = scene.recall && this.spec.scenes.find(({ name }) => name === scene.recall);
    if (before && this.said(before) !== undefined)
      words += ` In “${before.name}” ${who} said: ${before.ask.answers[this.said(before)]}.`;
    return words;
  }

  // A vote, its right answer and why come from the question itself.
  cues(aloud) {
    if (!this.scene.ask) return super.cues(aloud);
    const [vote, right] = spoken(this.scene);
    return [this.asking ? `${vote} Nothing moves until one is pressed.` : vote, right];
  }

  get who() { return this.spec.answers ? "the room" : "you"; }

  // What was answered, to be saved (and printed) or forgotten. Nobody's secret is on it.
  addSheet() {
    const list = element("ul"), page = element("dialog", { className: "ldp-sheet" }, { "aria-label": "my answers" });
    const asked = () => this.spec.scenes.filter((scene) => scene.ask?.right != null && this.said(scene) !== undefined);
    const words = () => asked().map((scene) => {
      const { ask, name, sentence } = scene, said = this.said(scene);
      const cure = said === ask.right ? "" : ` Right is ${ask.answers[ask.right]}. ${ask.told[ask.right]}`;
      return `${name}: ${sentence} You said ${verdict(ask, said)}${cure}`;
    });
    const forget = () => {
      for (const scene of this.spec.scenes) if (scene.ask) this.answer(undefined, scene);
      page.close();
      this.go(this.place);
    };
    page.append(element("p", { textContent: "My answers, kept in this browser only" }), list,
      button("save", "save as a file", "save as a file, to keep or print",
        () => save("my_answers.txt", [this.spec.title, ...words(), ""].join("\n"))),
      button("forget", "forget my answers", "forget all answers of this story", forget),
      button("close", "close", "", () => page.close()));
    page.addEventListener("keydown", (event) => event.stopPropagation()); // not meant for the picture behind
    this.root.append(page);
    this.bar.insertBefore(button("my answers", "my answers", "what you said", () => {
      const said = words();
      list.replaceChildren(...(said.length ? said : ["nothing yet"]).map((textContent) => element("li", { textContent })));
      page.showModal();
    }), this.reset);
  }

  // An answer is locked, and then the world answers.
  lock(choice) {
    this.answer(choice);
    this.asking = this.byHand = false;
    this.glide = true;
    this.store.move([...this.scene.ask.then]);
    this.refresh();
    this.layout();
    this.root.focus();
    this.root.scrollTop = 0; // in a small window the answers stand below what is said of them
    // What the answer moved is seen before play goes on.
    const moved = key(this.scene.ask.then) !== key(this.scene.at);
    if (this.scene.play) this.later = setTimeout(() => this.play(), moved ? SEEN_FOR : 0);
  }

  // New noise, once; and again and again while it is held.
  hold() {
    this.release();
    this.draws();
    this.held = setInterval(() => this.draws(), AGAIN);
  }

  release() {
    clearInterval(this.held);
    this.held = 0;
  }

  draws() {
    const place = this.inputs.findIndex(({ kind, name }) => kind === "redraw" && this.scene.controls.includes(name));
    if (place >= 0 && !this.redraw.hidden)
      super.move(place, (this.store.at[place] + 1) % this.spec.controls[place].texts.length);
  }

  // Raise the control of `play` to its next stop, until the last; from the last, begin with the first.
  play() {
    clearTimeout(this.later);
    this.later = 0;
    if (this.playing) return this.stop();
    const { control, stops } = this.scene.play;
    const step = () => {
      if (this.player.hidden) return this.stop();
      const next = stops.find((stop) => stop > this.store.at[control]) ?? stops[0];
      this.glide = true;
      super.move(control, next);
      if (next === stops.at(-1)) this.stop();
    };
    this.playing = setInterval(step, PLAY);
    this.player.textContent = "❚❚ pause";
    step();
  }

  // Once, where a page begins; not for who wants things to keep still.
  playUnasked() {
    if (this.calm.matches || this.player.hidden) return;
    this.unasked = true;
    this.byHand = false; // its words speak of this
    this.play();
  }

  stop() {
    this.unasked = false;
    clearInterval(this.playing);
    clearTimeout(this.later);
    this.playing = this.later = 0;
    this.player.textContent = "▶ play";
  }

  // From one scene to the next things move, they do not jump.
  draw(state) {
    cancelAnimationFrame(this.frame);
    const from = this.drawn, since = performance.now();
    const step = () => {
      const share = Math.min(1, (performance.now() - since) / GLIDE);
      super.draw(share < 1 ? between(from, state, share * share * (3 - 2 * share)) : state);
      if (share < 1) this.frame = requestAnimationFrame(step);
    };
    const glide = this.glide && from && !this.calm.matches;
    this.glide = false;
    if (glide) step();
    else super.draw(state);
  }

  pressed(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "SELECT";
    const letter = event.key.length === 1 ? event.key.toLowerCase() : "";
    if (plain && this.shortcuts && letter === "n" && !this.redraw.hidden) {
      if (!event.repeat) {
        this.hold();
        // Wherever the focus is by then, in the window of notes as well.
        event.view.addEventListener("keyup", () => this.release(), { once: true, capture: true });
      }
    } else if (plain && this.shortcuts && letter === "p" && !this.player.hidden) {
      if (!event.repeat) this.play();
    } else return super.pressed(event);
    event.preventDefault();
    event.stopPropagation();
  }

  remove() {
    this.stop();
    this.release();
    super.remove();
  }
}

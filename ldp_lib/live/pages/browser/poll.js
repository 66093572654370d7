// The lecturer's side of a poll: its address for the telephones, the vote on alpha, then the estimate as it grows.
import { element } from "../../engine/browser/draw.js";

const LOOK_EVERY = 1000; // ms
const LECTURER = "ldp-poll"; // the code, and the key to it, stay in this tab when it is loaded again
const percent = (share) => `${(100 * share).toFixed(1)}%`;

async function post(path, told) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };

export class Poll {
  constructor(place) {
    this.place = place;
    this.said = element("p", {}, { role: "status" });
    const kept = sessionStorage.getItem(LECTURER);
    if (kept) this.open(JSON.parse(kept));
    else this.offer();
  }

  // One thing after the other: a double click is one. What goes wrong is said.
  async act(work) {
    if (this.busy) return;
    this.busy = true;
    say(this.said, "");
    try { await work(); } catch ({ message }) { say(this.said, message); } finally { this.busy = false; }
  }

  offer() {
    const question = element("input", { type: "text", maxLength: 200, value: "Have you ever cheated in an exam?" },
                             { "aria-label": "question" });
    const form = element("form", {}, {}, question, " ", element("button", { textContent: "open a poll" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.act(async () => {
        const opened = await post("/poll/begin", { question: question.value });
        sessionStorage.setItem(LECTURER, JSON.stringify(opened));
        this.open(opened);
      });
    });
    this.place.replaceChildren(form, ...this.warning(), this.said);
  }

  warning() {
    if (!/^(localhost|127\..*|\[::1\])$/.test(location.hostname)) return [];
    return [element("p", { className: "ldp-poll-warning", textContent: `Telephones cannot come to ${location.hostname}, which is each machine itself. ` +
      "Start it with make serve ADDRESS=0.0.0.0 and open this page by this machine's address in the network, for example http://192.168.1.20:8000." })];
  }

  open({ code, key }) {
    const address = `${location.host}/p/${code}`;
    Object.assign(this, { code, key, stage: "", body: element("div") });
    this.place.replaceChildren(
      element("div", { className: "ldp-poll-join" }, {},
        element("img", { src: `/poll/${code}/qr.svg`, alt: `QR code of ${address}`, width: 260 }),
        element("p", { textContent: address })),
      ...this.warning(), this.body, this.said,
      element("button", { textContent: "end the poll, delete everything", onclick: () => this.act(() => this.end()) }),
      element("p", { textContent: `The telephones' script comes from ${location.host}; whoever serves it must be trusted with it.` }));
    this.look();
  }

  // One after the other, so that an old answer never comes last.
  async look() {
    const { code } = this, answer = await fetch(`/poll/${code}`).catch(() => null);
    const poll = answer?.ok ? await answer.json().catch(() => null) : null;
    if (this.code !== code) return; // ended meanwhile
    if (answer?.status === 404) return this.close("There is no such poll any more; everything about it is deleted.");
    if (!poll) say(this.said, "No answer from the server; this page goes on asking.");
    else {
      if (this.said.textContent.startsWith("No answer")) say(this.said, "");
      if (poll.alpha === null) this.voting(poll);
      else this.counting(poll);
    }
    this.next = setTimeout(() => this.look(), LOOK_EVERY);
  }

  // What stays stays in its place, so that no click and no focus of the keyboard is lost.
  show(stage, ...parts) {
    if (this.stage !== stage) this.body.replaceChildren(...parts);
    this.stage = stage;
  }

  voting({ budgets, votes }) {
    this.buttons ??= budgets.map((alpha) => element("button", { onclick: () => this.act(() => this.ask(alpha)) }));
    this.show("voting", element("p", { className: "ldp-poll-number", textContent: "Which α? Vote on your telephone." }),
              element("p", { textContent: "The question is shown with the α that it is asked with; then α stays." }), ...this.buttons);
    this.buttons.forEach((button, k) => say(button, `ask with α = ${budgets[k]} (votes: ${votes[k]})`));
  }

  async ask(alpha) {
    await post(`/poll/${this.code}/ask`, { key: this.key, alpha });
  }

  counting({ question, alpha, truth, n, estimate, low, high }) {
    if (this.stage !== "counting") {
      this.number = element("output", { className: "ldp-poll-number" });
      this.band = element("i", { className: "band", hidden: true });
      this.dot = element("i", { className: "dot", hidden: true });
      this.line = element("div", { className: "ldp-poll-line" }, { role: "img" }, this.band, this.dot);
      this.told = element("p");
    }
    this.show("counting", element("h2", { textContent: question }), this.number, this.line,
              element("p", { className: "ldp-poll-ends" }, {}, element("span", { textContent: "0%" }), element("span", { textContent: "100% yes" })), this.told);
    const shown = Math.max(0, Math.min(1, estimate));
    say(this.number, n ? `${percent(shown)} yes; with 95%: from ${percent(low)} to ${percent(high)}` : "No report yet.");
    this.line.setAttribute("aria-label", this.number.textContent);
    this.band.hidden = this.dot.hidden = !n;
    Object.assign(this.band.style, { left: percent(low), width: percent(high - low) });
    this.dot.style.left = percent(shown);
    say(this.told, `α = ${alpha}: each telephone told the truth with probability ${percent(truth)}. Reports: ${n}. Nobody's report says her answer.`);
  }

  async end() {
    await post(`/poll/${this.code}/end`, { key: this.key });
    this.close(`The poll has ended and is deleted. ${this.stage === "counting" ? `Its last estimate: ${this.number.textContent}` : ""}`);
  }

  close(words) {
    sessionStorage.removeItem(LECTURER);
    clearTimeout(this.next);
    this.code = this.buttons = null;
    this.offer();
    say(this.said, words);
  }
}

// The lecturer's side of a poll: its address for the telephones, the vote on alpha, then the estimate as it grows.
import { element } from "../../stage/browser/draw.js";
import { joining, kept, LOOK_EVERY, opened, post, say, takeKey, warning } from "./lectern.js";

const WIDE = 0.2; // an interval of more than that is the news, not its middle
const LECTURER = "ldp-poll"; // the open poll's code, and the key to it, for whoever loads this page again
const LAST = "ldp-poll-last"; // the picture of the poll that has ended, in this tab
const percent = (share) => `${(100 * share).toFixed(1)}%`;

// What a report tells; where that is nearly all, it is said.
function promise(alpha) {
  const truth = 1 / (1 + Math.exp(-alpha));
  return `α = ${alpha}: each telephone told the truth with probability ${percent(truth)}. A report multiplies the odds of what anybody believes about ` +
    `one person by ${Math.exp(alpha).toPrecision(2)} at most.${truth < 0.95 ? "" : " That is hardly a secret: who holds a yes as likely as not believes it."}`;
}

// What a room will see: a row for so many telephones, a column for each α under its button.
function forecast(rooms, buttons) {
  const seen = ([width, shown]) => (shown < 0.5 ? "probably nothing" : `${(100 * width).toFixed(0)} points`);
  const row = (head, cells) => element("tr", {}, {}, element("th", { textContent: head }), ...cells);
  return element("table", {}, {},
    element("caption", { textContent: "What the room will see: how wide the 95% interval is, if 30% say yes" }),
    element("thead", {}, {}, row("telephones", buttons.map((button) => element("th", {}, {}, button)))),
    element("tbody", {}, {}, ...rooms.map(({ n, prospects }) => row(n, prospects.map((prospect) => element("td", { textContent: seen(prospect) }))))));
}

export class Poll {
  constructor(place) {
    this.place = place;
    this.said = element("p", {}, { role: "status" });
    takeKey(() => say(this.said, ""));
    addEventListener("keydown", (event) => this.pressed(event));
    const open = kept(localStorage, LECTURER), last = kept(sessionStorage, LAST);
    if (open?.code) this.open(open);
    else if (last?.question) this.remain(last, "The poll has ended.");
    else this.offer();
  }

  // One thing after the other: a double click is one. What goes wrong is said.
  async act(work) {
    if (this.busy) return;
    this.busy = true;
    say(this.said, "");
    try { await work(); } catch ({ message }) { say(this.said, message); } finally { this.busy = false; }
  }

  // B makes the screen black, and a question can be typed behind it; L fills the window. Enter and Escape bring all back.
  pressed(event) {
    const { key, target } = event, looks = this.place.classList;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (looks.contains("ldp-black") && ["Enter", "Escape"].includes(key)) return looks.remove("ldp-black");
    if (key === "Escape") return looks.remove("ldp-poll-lecture");
    if (target.matches?.("input")) return;
    if (key.toLowerCase() === "l") looks.toggle("ldp-poll-lecture");
    if (["b", "."].includes(key.toLowerCase()) && looks.toggle("ldp-black")) {
      event.preventDefault(); // the question begins with the next letter
      this.question?.select(); // what is typed takes the place of what is there
    }
  }

  offer() {
    this.place.classList.remove("ldp-poll-lecture");
    this.question = element("input", { type: "text", maxLength: 200, value: "Did you have breakfast today?" }, { "aria-label": "question" });
    const form = element("form", {}, {}, this.question, " ", element("button", { textContent: "open a poll" }));
    const talks = element("p", {}, {}, "Telephones can also answer what the scenes of a talk ask: open a ",
      element("a", { href: "talks.html", textContent: "talk" }), " and there the room.");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.act(async () => {
        const poll = await opened("poll", { question: this.question.value });
        localStorage.setItem(LECTURER, JSON.stringify(poll));
        this.open(poll);
      });
    });
    this.place.replaceChildren(form, ...warning(), this.said, talks);
  }

  open({ code, key }) {
    this.question = null;
    Object.assign(this, { code, key, stage: "", seen: null, body: element("div", { className: "ldp-poll-body" }) });
    this.place.classList.add("ldp-poll-lecture");
    this.place.replaceChildren(
      ...joining("poll", "p", code), this.body, this.said,
      element("p", { className: "ldp-poll-foot" }, {},
        element("button", { textContent: "end the poll, delete everything", onclick: () => this.act(() => this.end()) }),
        ` B: black. L: this or the whole page. The telephones' script comes from ${location.host}; whoever serves it must be trusted with it.`));
    this.look();
  }

  // One after the other, so that an old answer never comes last.
  async look() {
    const { code } = this, answer = await fetch(`/poll/${code}`).catch(() => null);
    const poll = answer?.ok ? await answer.json().catch(() => null) : null;
    if (this.code !== code) return; // ended meanwhile
    if (answer?.status === 404) {
      return this.close("There is no such poll any more; everything about it is deleted. If the server was started anew, ask something else: " +
        "a telephone answers a question once.");
    }
    if (!poll) say(this.said, "No answer from the server; this page goes on asking.");
    else {
      if (this.said.textContent.startsWith("No answer")) say(this.said, "");
      if (poll.alpha === null) this.voting(poll);
      else this.counting(this.seen = poll);
    }
    this.next = setTimeout(() => this.look(), LOOK_EVERY);
  }

  // What stays stays in its place, so that no click and no focus of the keyboard is lost.
  show(stage, ...parts) {
    if (this.stage !== stage) this.body.replaceChildren(...parts);
    this.stage = stage;
  }

  voting({ budgets, votes, rooms }) {
    if (this.stage !== "voting") {
      this.buttons = budgets.map((alpha) => element("button", { onclick: () => this.act(() => this.ask(alpha)) }));
      this.table = forecast(rooms, this.buttons);
    }
    this.show("voting", element("p", { className: "ldp-poll-number", textContent: "Which α? Vote on your telephone." }), this.table,
              element("p", { textContent: "The question is shown with the α that it is asked with; then α stays." }));
    this.buttons.forEach((button, k) => say(button, `ask with α = ${budgets[k]} (votes: ${votes[k]})`));
  }

  async ask(alpha) {
    await post(`/poll/${this.code}/ask`, { key: this.key, alpha });
  }

  counting({ question, alpha, n, counted, least, step, estimate, low, high }) {
    if (this.stage !== "counting") {
      this.number = element("output", { className: "ldp-poll-number" });
      this.band = element("i", { className: "band", hidden: true });
      this.dot = element("i", { className: "dot", hidden: true });
      this.line = element("div", { className: "ldp-poll-line" }, { role: "img" }, this.band, this.dot);
      this.told = element("p");
      this.reports = element("p", { className: "ldp-poll-reports" });
    }
    this.show("counting", element("h2", { textContent: question, className: question.length > 80 ? "ldp-poll-long" : "" }), this.number, this.line,
              element("p", { className: "ldp-poll-ends" }, {}, element("span", { textContent: "0%" }), element("span", { textContent: "100% yes" })),
              this.reports, this.told);
    const shown = low !== undefined, wide = high - low > WIDE;
    if (!shown) say(this.number, counted ? "Nothing to see yet: the interval reaches 0% or 100%." : `Nothing to see yet: fewer than ${least} reports.`);
    else say(this.number, `${wide ? "" : `${percent(estimate)} yes; `}with 95%: from ${percent(low)} to ${percent(high)}${wide ? " yes" : ""}`);
    this.line.setAttribute("aria-label", this.number.textContent);
    this.band.hidden = this.dot.hidden = !shown;
    if (shown) {
      Object.assign(this.band.style, { left: percent(low), width: percent(high - low) });
      this.dot.style.left = percent(estimate);
    }
    say(this.reports, `Reports: ${n}. Counted: ${counted}, in steps of ${step}.${shown && wide ? ` Best guess: ${percent(estimate)}.` : ""}`);
    say(this.told, promise(alpha));
  }

  async end() {
    await post(`/poll/${this.code}/end`, { key: this.key });
    this.close("The poll has ended and is deleted.");
  }

  // The server knows nothing any more; what the room has seen stays on the screen.
  close(words) {
    localStorage.removeItem(LECTURER);
    clearTimeout(this.next);
    this.code = null;
    if (this.seen) return this.remain(this.seen, words);
    this.offer();
    say(this.said, words);
  }

  remain(seen, words) {
    sessionStorage.setItem(LAST, JSON.stringify(seen));
    Object.assign(this, { stage: "", body: element("div", { className: "ldp-poll-body" }) });
    this.place.classList.add("ldp-poll-lecture");
    this.place.replaceChildren(this.body, this.said, element("p", { className: "ldp-poll-foot" }, {}, element("button", { textContent: "another poll", onclick: () => {
      sessionStorage.removeItem(LAST);
      say(this.said, "");
      this.offer();
    } })));
    this.counting(seen);
    say(this.said, words);
  }
}

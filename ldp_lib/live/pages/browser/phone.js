// A telephone in a poll. The answer that is tapped is randomised here, at once, and forgotten; the report alone is kept,
// so that this browser never makes another one for the same question, and the report alone is sent.
const LOOK_EVERY = 1500; // ms

// Heads with probability threshold / 2^bits: words of 64 bits, the first counting most, as `ResponseCoin.toss` reads them.
export const toss = (words, threshold) => words.reduce((value, word) => (value << 64n) | word, 0n) < BigInt(threshold);

const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// What is tapped goes no further than this function, which waits for nothing and reads as many bits whatever comes up.
export function randomised(yes, { alpha, bits, threshold }) {
  const honest = toss(crypto.getRandomValues(new BigUint64Array(bits / 64)), threshold);
  return { token: newToken(), alpha, yes: Number(honest === yes) };
}

// All tabs share the tables; a transaction on one waits for those before it, in other tabs and without TLS, too (where
// there are no Web Locks). What `act` asks for last is the answer, and by then on the disk.
async function kept(table, act) {
  const base = await new Promise((resolve, reject) => {
    const opening = indexedDB.open("ldp-poll", 1);
    opening.onupgradeneeded = () => ["reports", "votes"].forEach((name) => opening.result.createObjectStore(name));
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  }).catch(({ message }) => {
    throw new Error(`This browser cannot keep its one report (${message}), perhaps because of private browsing. Nothing is sent.`);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = base.transaction(table, "readwrite", { durability: "strict" });
      const asked = act(transaction.objectStore(table));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally { base.close(); }
}

// The first value that any tab keeps under this key stays.
const keepFirst = (table, key, value) => kept(table, (store) => {
  store.add(value, key).onerror = (event) => { if (event.target.error.name === "ConstraintError") event.preventDefault(); };
  return store.get(key);
});

const percent = (share) => `${(100 * share).toFixed(0)}%`;

const node = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const reach = (path, request) => fetch(path, request).catch(() => { throw new Error("The server does not answer."); });

async function post(path, told) {
  const answer = await reach(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

export class Phone {
  constructor(place, code) {
    Object.assign(this, { place, code });
    this.look();
  }

  // One after the other, at a pace that does not depend on what was tapped or tossed.
  async look() {
    try {
      const answer = await reach(`/poll/${this.code}`), poll = await answer.json();
      if (answer.status === 404) await this.end();
      else if (!answer.ok) throw new Error(poll.error);
      else if (poll.alpha === null) this.vote(poll);
      else await this.ask(poll);
    } catch (failed) { this.wait(failed); }
    setTimeout(() => this.look(), LOOK_EVERY);
  }

  wait({ message }) {
    this.show(`wait ${message}`, node("h1", {}, "Waiting"), node("p", {}, message), node("p", {}, "This page goes on trying; nothing is lost."));
  }

  show(stage, ...parts) {
    if (this.stage === stage) return;
    this.stage = stage;
    this.place.replaceChildren(...parts);
  }

  async end() {
    await kept("votes", (votes) => votes.delete(this.code));
    this.show("ended", node("h1", {}, "This poll has ended"), node("p", {}, "Everything about it is deleted on the server. " +
      "If you answered, this browser keeps its report, so that it never makes a second one for the same question."));
  }

  vote({ budgets }) {
    this.said ??= node("p");
    this.show("vote", node("h1", {}, "How private shall it be?"),
      node("p", {}, "Soon there is a question. Your telephone will lie with some probability; vote for it. The screen shows how many want what."),
      ...budgets.map((alpha) => node("button", { onclick: (event) => this.wish(alpha, event.target) },
        `α = ${alpha}: it tells the truth with ${percent(1 / (1 + Math.exp(-alpha)))}`)),
      this.said);
  }

  async wish(alpha, chosen) {
    try {
      await post(`/poll/${this.code}/vote`, { token: await keepFirst("votes", this.code, newToken()), alpha });
      this.said.textContent = "";
      for (const button of chosen.parentNode?.querySelectorAll("button") ?? []) button.ariaPressed = String(button === chosen);
    } catch ({ message }) { this.said.textContent = message; }
  }

  async ask(poll) {
    const report = await kept("reports", (reports) => reports.get(poll.question));
    const all = await kept("reports", (reports) => reports.getAll());
    const spent = all.reduce((sum, { alpha }) => sum + alpha, 0), { alpha, question, truth } = poll;
    const sum = node("p", { className: "quiet" }, `Questions that this browser has answered here: ${all.length}. Their α together: ${spent}. What reports tell about ` +
      "you adds up, also if one question comes in several spellings. Another browser, a private window or another address of this page counts anew.");
    if (report && report.alpha !== alpha)
      return this.show("other", node("h1", {}, question), node("p", {}, `You have answered this question with α = ${report.alpha}, ` +
        `and now it is asked with α = ${alpha}. A second report would tell more about you, so nothing is sent.`), sum);
    if (report) {
      if (!this.sent) await post(`/poll/${this.code}/report`, report);
      this.sent = true;
      return this.show("done", node("h1", {}, `Your report: ${report.yes ? "yes" : "no"}`),
        node("p", {}, "It may be a lie; nobody can tell, and this page has forgotten what you tapped. Look at the screen: the room becomes visible."), sum);
    }
    if (this.tapped) return;
    const tap = (yes) => () => this.keep(question, randomised(yes, poll));
    this.show("ask", node("p", {}, `α = ${alpha}: your telephone sends your true answer with probability ${percent(truth)}, the other one with ${percent(1 - truth)}.`),
      node("h1", {}, question), node("button", { onclick: tap(true) }, "yes"), node("button", { onclick: tap(false) }, "no"), sum,
      node("p", { className: "quiet" }, `The coin is your browser's cryptographic generator. The script that tosses it comes from ${location.host}. ` +
        "Whoever serves it could change it: you trust them" +
        `${location.protocol === "https:" ? "." : ", and, as it comes unencrypted, those who run this network."}`));
  }

  // From here on both answers look the same; the next look sends what was kept.
  async keep(question, report) {
    this.tapped = true;
    this.show("tapped", node("h1", {}, "Thank you"), node("p", {}, "Your report is being sent."));
    try { await keepFirst("reports", question, report); } catch (failed) {
      this.tapped = false;
      this.wait(failed);
    }
  }
}

if (typeof document !== "undefined" && document.querySelector(".ldp-phone"))
  new Phone(document.querySelector(".ldp-phone"), location.pathname.split("/").pop().toUpperCase());

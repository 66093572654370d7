// A telephone in a poll. The answer that is tapped is randomised here, at once, and forgotten. The report goes to the poll
// it was made for and to no other; when it has arrived it is forgotten, too. What stays is that the question was answered,
// in which poll and with which alpha, so that this browser never makes another report for it.
const LOOK_EVERY = 1500; // ms

// The truth is told where a word of 64 bits is below: `ResponseCoin(alpha, 1, 1).threshold`. No server chooses the coin.
export const THRESHOLDS = { 0.5: 11482347978973021681n, 1: 13485650502877570762n, 2: 16247838278329192790n, 4: 18114957061682843468n };
const truthOf = (alpha) => Number(THRESHOLDS[alpha]) / 2 ** 64;

// Heads with probability threshold / 2^bits: words of 64 bits, the first counting most, as `ResponseCoin.toss` reads them.
export const toss = (words, threshold) => words.reduce((value, word) => (value << 64n) | word, 0n) < BigInt(threshold);

const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// What is tapped goes no further than this function, which waits for nothing and reads as many bits whatever comes up.
export function randomised(yes, alpha) {
  const honest = toss(crypto.getRandomValues(new BigUint64Array(1)), THRESHOLDS[alpha]);
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
    throw Object.assign(new Error(`This browser cannot keep its one report (${message}), perhaps because of private browsing. ` +
      "Nothing is sent. Open this page in an ordinary window, or in another browser."), { lasting: true });
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

// Said of an alpha at which a report is as good as the answer.
const believed = (alpha) => (truthOf(alpha) < 0.95 ? "" : ` That is hardly a secret: who holds your yes as likely as not then believes it with ${percent(truthOf(alpha))}.`);

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
      const answer = await reach(`/poll/${encodeURIComponent(this.code)}`), poll = answer.status === 404 ? null : await answer.json();
      if (!poll) await this.end();
      else if (!answer.ok) throw new Error(poll.error);
      else if (poll.alpha === null) this.vote(poll);
      else await this.ask(poll);
    } catch (failed) { this.wait(failed); }
    setTimeout(() => this.look(), LOOK_EVERY);
  }

  wait({ message, lasting }) {
    this.show(`wait ${message}`, node("h1", {}, lasting ? "No report can be made here" : "Waiting"), node("p", {}, message),
      ...(lasting ? [] : [node("p", {}, "This page goes on trying; nothing is lost.")]));
  }

  show(stage, ...parts) {
    if (this.stage === stage) return;
    this.stage = stage;
    this.place.replaceChildren(...parts);
  }

  async end() {
    const { code } = this;
    this.met ||= await kept("votes", (votes) => votes.get(code)) || (await kept("reports", (reports) => reports.getAll())).some((one) => one.code === code);
    if (!this.met) {
      return this.show("unknown", node("h1", {}, `There is no poll ${code}`),
        node("p", {}, "Perhaps it has ended, or the address is mistyped: compare it with the screen, letter by letter."));
    }
    await kept("votes", (votes) => votes.delete(code));
    await kept("reports", (reports) => {
      const walk = reports.openCursor();
      walk.onsuccess = () => {
        const here = walk.result;
        if (here?.value.code === code) here.update({ code, alpha: here.value.alpha });
        here?.continue();
      };
      return walk;
    });
    this.show("ended", node("h1", {}, "This poll has ended"), node("p", {}, "Everything about it is deleted on the server. " +
      "This browser has no report any more, either; it only remembers which questions were answered, so that it never makes a second report for one."));
  }

  vote({ budgets }) {
    this.met = true;
    this.said ??= node("p");
    this.show("vote", node("h1", {}, "How private shall it be?"),
      node("p", {}, "Soon there is a question. Your telephone will lie with some probability; vote for it. The screen shows how many want what."),
      ...budgets.map((alpha) => node("button", { onclick: (event) => this.wish(alpha, event.target) },
        `α = ${alpha}: it tells the truth with ${percent(truthOf(alpha))}.${believed(alpha)}`)),
      this.said);
  }

  async wish(alpha, chosen) {
    try {
      await post(`/poll/${this.code}/vote`, { token: await keepFirst("votes", this.code, newToken()), alpha });
      this.said.textContent = "";
      for (const button of chosen.parentNode?.querySelectorAll("button") ?? []) button.ariaPressed = String(button === chosen);
    } catch ({ message }) { this.said.textContent = message; }
  }

  async ask({ alpha, question, least }) {
    this.met = true;
    if (!THRESHOLDS[alpha]) throw new Error(`This page has no coin for α = ${alpha}. Nothing is sent.`);
    const { code } = this, own = await kept("reports", (reports) => reports.get(question));
    const all = await kept("reports", (reports) => reports.getAll()), spent = all.reduce((sum, one) => sum + one.alpha, 0);
    const truth = truthOf(alpha), odds = Math.exp(alpha).toPrecision(2);
    const sum = node("p", { className: "quiet" }, `Questions that this browser has answered here: ${all.length}. Their α together: ${spent}. What reports tell about ` +
      "you adds up, also if one question comes in several spellings. Another browser, a private window or another address of this page counts anew.");
    if (own && (own.code !== code || own.alpha !== alpha)) {
      return this.show("other", node("h1", {}, question), node("p", {}, `You have answered this question with α = ${own.alpha}, in another poll; ` +
        `now it is asked with α = ${alpha}. A second report would tell more about you, so nothing is sent.`), sum);
    }
    if (own?.report) {
      await post(`/poll/${code}/report`, own.report);
      this.sent = own.report.yes ? "yes" : "no";
      await kept("reports", (reports) => reports.put({ code, alpha }, question));
    }
    if (own) {
      return this.show("done", node("h1", {}, "Your report is sent"),
        node("p", {}, `It multiplies the odds of what anybody believes about your answer by ${odds} at most: from 1 to 1 they become ${odds} to 1, ` +
          `which is ${percent(truth)}.${believed(alpha)} This page has forgotten what you tapped. Look at the screen: from ${least} reports on the room can become visible.`),
        ...(this.sent ? [node("details", {}, node("summary", {}, "What does it say?"), node("p", {}, `Your report says ${this.sent}.`))] : []), sum);
    }
    if (this.tapped) return;
    const tap = (yes) => () => this.keep(question, { code, alpha, report: randomised(yes, alpha) });
    this.show("ask", node("p", {}, `α = ${alpha}: your telephone sends your true answer with probability ${percent(truth)}, the other one with ${percent(1 - truth)}.${believed(alpha)}`),
      node("h1", {}, question), node("button", { onclick: tap(true) }, "yes"), node("button", { onclick: tap(false) }, "no"), sum,
      node("p", { className: "quiet" }, `The coin is your browser's cryptographic generator. The script that tosses it comes from ${location.host}. ` +
        "Whoever serves it could change it: you trust them" +
        `${location.protocol === "https:" ? "." : ", and, as it comes unencrypted, those who run this network."}`));
  }

  // From here on both answers look the same; the next look sends what was kept.
  async keep(question, made) {
    this.tapped = true;
    this.show("tapped", node("h1", {}, "Thank you"), node("p", {}, "Your report is being sent."));
    try { await keepFirst("reports", question, made); } catch (failed) {
      this.tapped = false;
      this.wait(failed);
    }
  }
}

if (typeof document !== "undefined" && document.querySelector(".ldp-phone"))
  new Phone(document.querySelector(".ldp-phone"), decodeURI(location.pathname.split("/").pop()).toUpperCase());

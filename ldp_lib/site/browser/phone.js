// A telephone in a poll, or in the room of a talk. What is tapped is randomised here, at once, and forgotten. The report goes
// to what it was made for and to nothing else; when it has arrived it is forgotten, too. What stays is that the question was
// answered, where and with which alpha, so that this browser never makes another report for it. Only a room that says that it
// is not private gets what was tapped.
const LOOK_EVERY = 1500; // ms
const PATIENCE = 10000; // ms

// Of 2^64 words so many say each answer that was not chosen, of 2, 3, 4 answers: 2^64 / (e^alpha + answers - 1), rounded up,
// so that the chosen one is at most e^alpha times as likely. No server chooses the coin.
export const OTHERS = {
  0.5: [6964396094736529935n, 5055673674456896012n, 3968132955179597173n],
  1: [4961093570831980854n, 3909631671945742413n, 3225924259609386020n],
  2: [2198905795380358826n, 1964706982186474590n, 1775593845874822304n],
  4: [331787012026708148n, 325924859079440232n, 320266259647133982n],
};
// Of two answers: the truth is told where a word is below, as `ResponseCoin(alpha, 1, 1).threshold`.
export const THRESHOLDS = Object.fromEntries(Object.entries(OTHERS).map(([alpha, [other]]) => [alpha, 2n ** 64n - other]));
const truthOf = (alpha, answers = 2) => 1 - (answers - 1) * otherOf(alpha, answers);
const otherOf = (alpha, answers = 2) => Number(OTHERS[alpha][answers - 2]) / 2 ** 64;

// Heads with probability threshold / 2^bits: words of 64 bits, the first counting most, as `ResponseCoin.toss` reads them.
export const toss = (words, threshold) => words.reduce((value, word) => (value << 64n) | word, 0n) < BigInt(threshold);

const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// What is tapped goes no further than this function, which waits for nothing and reads as many bits whatever comes up.
export function randomised(yes, alpha) {
  const honest = toss(crypto.getRandomValues(new BigUint64Array(1)), THRESHOLDS[alpha]);
  return { token: newToken(), alpha, yes: Number(honest === yes) };
}

// One of several answers: the first words say the others, one after the other, all that remain say the one that was chosen.
export function turned(choice, answers, alpha) {
  const [word] = crypto.getRandomValues(new BigUint64Array(1)), turn = Number(word / OTHERS[alpha][answers - 2]) + 1;
  return (choice + (turn < answers ? turn : 0)) % answers;
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

// What stays of a report that has arrived, or never will.
const answered = ({ report, ...rest }) => rest;

const percent = (share) => `${(100 * share).toFixed(0)}%`;

// Said of an alpha at which a report is as good as the answer.
const believed = (alpha) => (truthOf(alpha) < 0.95 ? "" : ` That is hardly a secret: who holds your answer as likely as not then believes it with ${percent(truthOf(alpha))}.`);

const node = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const reach = (path, request) => fetch(path, { ...request, signal: AbortSignal.timeout(PATIENCE) }).catch(() => { throw new Error("The server does not answer."); });

async function post(path, told) {
  const answer = await reach(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

export class Phone {
  constructor(place, code, kind) {
    Object.assign(this, { place, code, kind, lost: node("p") });
    this.look();
  }

  // One after the other, at a pace that does not depend on what was tapped or tossed.
  async look() {
    try {
      const answer = await reach(`/${this.kind}/${encodeURIComponent(this.code)}`), told = answer.status === 404 ? null : await answer.json();
      if (!told) await this.end();
      else if (!answer.ok) throw new Error(told.error);
      else if (this.kind === "room") await this.predict(told);
      else if (told.alpha === null) this.vote(told);
      else {
        await this.ask(told, ["yes", "no"], (place) => randomised(place === 0, told.alpha), ({ yes }) => (yes ? "yes" : "no"));
      }
      this.lost.remove();
    } catch (failed) { this.wait(failed); }
    setTimeout(() => this.look(), LOOK_EVERY);
  }

  // A question stays: a button that vanishes under a finger is not tapped, and what is tapped now is sent with a later look.
  wait({ message, lasting }) {
    const trying = "This page goes on trying; nothing is lost.";
    if (lasting || !/^(ask|choose) /.test(this.stage)) {
      this.show(`wait ${message}`, node("h1", {}, lasting ? "No report can be made here" : "Waiting"), node("p", {}, message), ...(lasting ? [] : [node("p", {}, trying)]));
    } else if (!this.unsent && !this.lost.isConnected) {
      this.lost.textContent = `${message} ${trying}`;
      [...this.place.querySelectorAll("button")].at(-1).after(this.lost);
    }
  }

  show(stage, ...parts) {
    if (this.stage === stage) return;
    this.stage = stage;
    this.place.replaceChildren(...parts);
  }

  async end() {
    const { code } = this;
    const tokens = IDBKeyRange.bound(code, `${code} \uffff`); // of a poll its code, of a room its code and a number
    this.met ||= await kept("votes", (votes) => votes.get(tokens)) || (await kept("reports", (reports) => reports.getAll())).some((one) => one.code === code);
    if (!this.met) {
      return this.show("unknown", node("h1", {}, `There is no ${this.kind} ${code}`),
        node("p", {}, "Perhaps it has ended, or the address is mistyped: compare it with the screen, letter by letter."));
    }
    await kept("votes", (votes) => votes.delete(tokens));
    await kept("reports", (reports) => {
      const walk = reports.openCursor();
      walk.onsuccess = () => {
        const here = walk.result;
        if (here?.value.code === code) here.update(answered(here.value));
        here?.continue();
      };
      return walk;
    });
    this.show("ended", node("h1", {}, `This ${this.kind} has ended`), node("p", {}, "Everything about it is deleted on the server. " +
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

  // A scene of a talk asks. What is chosen goes as it is, or the way of a poll's answer.
  async predict(room) {
    const { question, answers, number, locked, alpha } = room;
    this.met = true;
    if (this.unsent?.number !== number || locked) this.unsent = null;
    if (!question) {
      return this.show("in", node("h1", {}, "You are in"),
        node("p", {}, "Now nothing is asked. Leave this page open: it brings each question of the talk by itself."));
    }
    if (locked) return this.show(`locked ${number}`, node("h1", {}, question), node("p", {}, "The room is locked. Look at the screen."));
    if (alpha !== null) {
      return this.ask(room, answers, (place) => ({ token: newToken(), number, choice: turned(place, answers.length, alpha) }), ({ choice }) => answers[choice]);
    }
    if (this.stage !== `choose ${number}`) this.said = node("p");
    if (this.unsent) await this.send();
    const pressed = (choice) => String(this.picked?.number === number && this.picked.choice === choice);
    this.show(`choose ${number}`, node("h1", {}, question),
      ...answers.map((words, choice) => node("button", { ariaPressed: pressed(choice), onclick: ({ target }) => this.choose(number, choice, target) }, words)), this.said,
      node("p", { className: "quiet" }, `This is not private: ${location.host} sees what you choose, and your network address. ` +
        "The screen shows sums, once the room is locked. The next question deletes them."));
  }

  choose(number, choice, chosen) {
    for (const button of chosen.parentNode?.querySelectorAll("button") ?? []) button.ariaPressed = String(button === chosen);
    this.unsent = this.picked = { number, choice };
    this.lost.remove();
    return this.send();
  }

  // One after the other, so that what was tapped last arrives last; what does not arrive is sent with the next look.
  async send() {
    if (this.sending) return;
    this.sending = true;
    try {
      while (this.unsent) {
        const sent = this.unsent, token = await keepFirst("votes", `${this.code} ${sent.number}`, newToken());
        await post(`/room/${this.code}/report`, { token, ...sent });
        if (this.unsent === sent) this.unsent = null;
      }
      this.said.textContent = "Sent. Until the room is locked you may change it.";
    } catch ({ message }) { this.said.textContent = `${message} This page goes on trying.`; } finally { this.sending = false; }
  }

  // `made` is the report for the place of an answer, `says` what a report says.
  async ask({ alpha, question, least, number = 0 }, answers, made, says) {
    this.met = true;
    if (!OTHERS[alpha]?.[answers.length - 2]) throw new Error(`This page has no coin for α = ${alpha} and ${answers.length} answers. Nothing is sent.`);
    const { code, kind } = this, id = `${question} ${number}`, own = await kept("reports", (reports) => reports.get(question));
    const all = await kept("reports", (reports) => reports.getAll()), spent = all.reduce((sum, one) => sum + one.alpha, 0);
    const truth = truthOf(alpha, answers.length), odds = Math.exp(alpha).toPrecision(2);
    const sum = node("p", { className: "quiet" }, `Questions that this browser has answered here: ${all.length}. Their α together: ${spent}. What reports tell about ` +
      "you adds up, also if one question comes in several spellings. Another browser, a private window or another address of this page counts anew.");
    if (own && (own.code !== code || own.alpha !== alpha || (own.number ?? 0) !== number)) {
      return this.show(`other ${id}`, node("h1", {}, question), node("p", {}, `You have answered this question with α = ${own.alpha}, ${own.code === code ? "before" : "in another poll"}; ` +
        `now it is asked with α = ${alpha}. A second report would tell more about you, so nothing is sent.`), sum);
    }
    if (own?.report) {
      await post(`/${kind}/${code}/report`, own.report);
      this.sent = { id, words: says(own.report) };
      await kept("reports", (reports) => reports.put(answered(own), question));
    }
    if (own) {
      return this.show(`done ${id}`, node("h1", {}, "Your report is sent"),
        node("p", {}, `It multiplies the odds of what anybody believes about your answer by ${odds} at most: from 1 to 1 they become ${odds} to 1, ` +
          `which is ${percent(truthOf(alpha))}.${believed(alpha)} This page has forgotten what you tapped. Look at the screen: from ${least} reports on the room can become visible.`),
        ...(this.sent?.id === id ? [node("details", {}, node("summary", {}, "What does it say?"), node("p", {}, `Your report says ${this.sent.words}.`))] : []), sum);
    }
    if (this.tapped === id) return;
    const tap = (place) => () => this.keep(id, question, { code, alpha, ...(number ? { number } : {}), report: made(place) });
    this.show(`ask ${id}`, node("p", {}, `α = ${alpha}: your telephone sends your true answer with probability ${percent(truth)}, ` +
      `${answers.length === 2 ? "the" : "each"} other one with ${percent(otherOf(alpha, answers.length))}.${believed(alpha)}`),
      node("h1", {}, question), ...answers.map((words, place) => node("button", { onclick: tap(place) }, words)), sum,
      node("p", { className: "quiet" }, `The coin is your browser's cryptographic generator. The script that tosses it comes from ${location.host}. ` +
        "Whoever serves it could change it: you trust them" +
        `${location.protocol === "https:" ? "." : ", and, as it comes unencrypted, those who run this network."}`));
  }

  // From here on all answers look the same; the next look sends what was kept.
  async keep(id, question, made) {
    this.tapped = id;
    this.show(`tapped ${id}`, node("h1", {}, "Thank you"), node("p", {}, "Your report is being sent."));
    try { await keepFirst("reports", question, made); } catch (failed) {
      this.tapped = null;
      this.wait(failed);
    }
  }
}

if (typeof document !== "undefined" && document.querySelector(".ldp-phone")) {
  const [short, code] = decodeURI(location.pathname).split("/").slice(-2);
  new Phone(document.querySelector(".ldp-phone"), code.toUpperCase(), short === "r" ? "room" : "poll");
}

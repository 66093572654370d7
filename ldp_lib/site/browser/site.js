// A page without a kernel: panels stand where their still pictures do, and their states come from scripts beside
// the page, one for each scene. Scripts load from a disk, too, where nothing else may be fetched.
import { link, namesControls, position, remark } from "./address.js";
import { unpack } from "../../stage/browser/deck.js";
import { choose } from "./choose.js";
import { offer, unanswered } from "./exercise.js";
import { PanelView } from "../../stage/browser/panel.js";
import { StoryView } from "../../stage/browser/story.js";
import { Poll } from "./poll.js";
import { Store, key } from "../../stage/browser/store.js";
import { hold } from "./talk.js";

const here = document.currentScript.src || document.baseURI; // or the script stands in the page itself
const alone = !document.currentScript.src;
const views = [];
const awaited = new Set(); // promises of what changes the page when it comes

function expected(promise) {
  awaited.add(promise);
  promise.finally(() => awaited.delete(promise)); // a failure is still nobody's, and in the console
  return promise;
}

// Has all that was asked for come, and do the panels rest? Tests ask.
window.ldpRests = () => document.readyState === "complete" && document.fonts.status === "loaded" && !awaited.size
  && views.every((view) => !view.root.isConnected || view.rests);

const specs = new Map(), decks = new Map(), scripts = new Map(); // promises, but for what is asked at once

function load(name) {
  if (specs.has(name) || decks.has(name)) return Promise.resolve(); // a file that has all in it
  if (!scripts.has(name)) scripts.set(name, new Promise((resolve, reject) => {
    const node = document.createElement("script");
    node.src = new URL(`${name}.js`, here);
    node.onload = resolve;
    node.onerror = () => {
      scripts.delete(name);
      node.remove();
      const why = location.protocol === "file:" ? "is missing" : "does not come: the network is cut, or the file is missing";
      reject(new Error(`${name}.js ${why}`));
    };
    document.head.append(node);
  }));
  return scripts.get(name);
}

window.ldpPanel = (name, spec) => specs.set(name, spec);
window.ldpDeck = (name, number, text) => {
  let states = null; // a talk has many decks at hand, and opens few at a time
  decks.set(`${name}-${number}`, () => states ??= unpack(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
    .then((found) => new Map(found.map((state) => [key(state.at), state]))));
};

async function deck(name, number) {
  await load(`${name}-${number}`);
  return decks.get(`${name}-${number}`)();
}

// Where a position is stored: a story has a file for each scene, another panel has one.
const fileOf = (spec, at) => (spec.story ? at[0] : 0);

const file = (address) => address.split("?")[0].replace("/", "-");

// All that `addresses` need, one after the other; the first reason why one has not come.
async function fetchAhead(addresses) {
  let missing = "";
  const want = (name) => load(name).catch(({ message }) => { missing ||= message; });
  for (const address of addresses) {
    const name = file(address), query = address.split("?")[1];
    await want(name);
    const spec = specs.get(name);
    if (!spec) continue;
    const all = spec.story && !query ? spec.scenes.map((_, number) => number) : [fileOf(spec, position(spec, query))];
    for (const number of all) await want(`${name}-${number}`);
  }
  return missing;
}

async function described(address) {
  await load(file(address));
  return specs.get(file(address));
}

const NOT_STORED = "The position that was asked for is not stored on this page, the notebook has it; the nearest is shown.";

// No hand comes to a position that is not stored, only an address: the nearest one that is.
function nearest(states, at) {
  const far = (other) => other.split(",").reduce((sum, to, place) => sum + Math.abs(to - at[place]), 0);
  return [...states.keys()].reduce((best, other) => (far(other) < far(best) ? other : best)).split(",").map(Number);
}

// The address of what was moved last stands behind # in the address bar: whoever gets it has the picture.
const SHARED_AFTER = 300; // ms
let sharing = 0;
function share(spec, at, answered) {
  clearTimeout(sharing);
  sharing = setTimeout(() => history.replaceState(null, "", `#${link(spec, at, answered)}`), SHARED_AFTER);
}

// Where the pages are served by `make serve`, what is not stored is computed there. Another server has a file that
// says no: to ask it for a state would be an error in its log and on the reader's console.
const served = location.protocol.startsWith("http") && !alone
  ? fetch(new URL("computes.json", here), { cache: "no-cache" }).then((answer) => answer.json()).catch(() => false)
  : Promise.resolve(false);

async function computed(spec, at) {
  const place = new URL(`../../state/${link(spec, at)}`, here);
  const answer = await fetch(place).catch(() => fetch(place)); // a process of the server may just have been replaced
  if (!answer.ok) throw new Error(await answer.text());
  return (await unpack(await answer.arrayBuffer()))[0];
}

// A talk brings `answers`, story -> answers, which it forgets when it ends, and has an address of its own.
// `step`: the number of a scene, where the address names none.
async function inhabit(place, address = place.dataset.link, answers = null, step = undefined) {
  const name = file(place.dataset.link ?? address);
  await load(name);
  const spec = { ...specs.get(name), remark: remark(specs.get(name), address) }, query = address.split("?")[1] ?? "";
  spec.named = namesControls(query);
  if (answers) spec.answers = answers[spec.story] ??= {};
  let view = null;
  const known = new Map();
  const store = new Store({
    at: step === undefined || !spec.story ? position(spec, query) : [...(spec.scenes.at(step) ?? spec.scenes.at(-1)).at],
    ask: async (at) => {
      const states = await deck(name, fileOf(spec, at)).catch((missing) => missing);
      if (states instanceof Error) return store.add([{ at, error: `${states.message}.`, traceback: "" }]);
      known.set(fileOf(spec, at), states);
      const state = states.get(key(at))
        ?? (await served && await computed(spec, at).catch((failed) => ({ at, error: failed.message, traceback: "" })));
      if (state) return store.add([state]);
      spec.remark = `${spec.remark} ${NOT_STORED}`.trim();
      store.move(nearest(states, at));
    },
    tell: (at) => answers || view?.unasked || share(spec, at, view?.said?.() !== undefined),
  });
  // Is a position stored? Until its scene is there nobody knows, and nothing is greyed.
  if (!await served) store.has = (at) => known.get(fileOf(spec, at))?.has(key(at));
  view = spec.story ? new StoryView(spec, store) : new PanelView(spec, store);
  views.push(view);
  // The still picture stays until there is one to take its place, or something to say.
  const first = new Promise((resolve) => store.listeners.add(() => { if (store.shown || store.failure) resolve(); }));
  store.look();
  await first;
  view.show(place);
  // Whoever came for a section or a state has something else to look at.
  if ("plays" in place.dataset && !location.hash) view.playUnasked();
  return view;
}

// Key L, wherever the focus is, takes the panel in the middle of the window into lecture size.
addEventListener("keydown", (event) => {
  const seen = views.filter(({ root }) => root.isConnected), middle = window.innerHeight / 2;
  const away = ({ root }) => { const { top, bottom } = root.getBoundingClientRect(); return Math.max(top - middle, middle - bottom); };
  const view = seen.find(({ root }) => root.classList.contains("ldp-lecture"))
    ?? seen.sort((one, other) => away(one) - away(other))[0];
  const meant = event.target === document.body && (event.key.toLowerCase() === "l" || view?.root.matches(".ldp-lecture"));
  if (view && meant) view.pressed(event);
});

// What an address asked for stays where it was scrolled to while panels and forms find their heights, until a hand
// scrolls elsewhere.
let landing = null, landed = null;
let offered = null; // the promise of forms for exercises
function land(target, left) {
  landing?.abort();
  const { signal } = landing = new AbortController(), page = document.scrollingElement;
  landed = target;
  let tall = 0, top = 0;
  const stay = () => {
    target.scrollIntoView({ behavior: "instant" });
    tall = page.scrollHeight;
    top = target.getBoundingClientRect().top;
  };
  const grown = new ResizeObserver(() => { if (page.scrollHeight !== tall) stay(); });
  grown.observe(document.querySelector("article")); // the body is as high as the window
  page.style.overflowAnchor = "none"; // the browser's own way to hold still is in the way of this one
  signal.onabort = () => {
    grown.disconnect();
    landed = null;
    page.style.overflowAnchor = "";
    left();
  };
  addEventListener("load", stay, { signal }); // the browser's own scrolling ends there
  addEventListener("scroll", () => {
    const away = Math.abs(target.getBoundingClientRect().top - top) > 1 && page.scrollHeight === tall;
    if (away && document.readyState === "complete") landing.abort();
  }, { signal });
  stay();
  if (document.readyState === "complete") return;
  // Nothing is shown on its way: until forms have their heights the target is elsewhere.
  const root = document.documentElement, come = new Promise((resolve) => addEventListener("load", resolve));
  const late = new Promise((resolve) => setTimeout(resolve, 1500));
  root.classList.add("ldp-landing");
  const frame = () => new Promise(requestAnimationFrame);
  const ready = Promise.race([Promise.all([come, offered]), late]).then(frame).then(() => {
    if (!signal.aborted) stay();
  });
  expected(ready.then(frame).then(frame).finally(() => root.classList.remove("ldp-landing")));
}

let exercises = {}, talks = {};
window.ldpExercises = (all) => { exercises = all; };
window.ldpTalks = (all) => { talks = all; };

// What is wider than the page can be scrolled from the keyboard.
function reachable() {
  for (const node of document.querySelectorAll("pre, .cell_output, .table-wrapper, div.math"))
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
}

// Panels move in when they are nearly in view; that of the address behind # at once.
async function begin() {
  addEventListener("resize", reachable);
  reachable();
  const room = document.querySelector(".ldp-poll");
  if (room && await served) new Poll(room);
  const stage = document.querySelector(".ldp-talk");
  if (stage) return Promise.all([served, load("talks")]).then(([room]) => hold(stage, talks, { open: inhabit, fetchAhead, described, served: room }));
  const list = document.querySelector(".ldp-all-scenes");
  if (list) load("talks").then(() => choose(list, talks.known));
  const entered = new Map(); // promises of views: while one loads there may be another visit
  const enter = (place, address) => {
    near.unobserve(place);
    if (!entered.has(place)) entered.set(place, expected(inhabit(place, address)));
    return entered.get(place);
  };
  // What an address asked for would be pushed away by what grows above it.
  const above = (place) => landed && !place.contains(landed)
    && Boolean(place.compareDocumentPosition(landed) & Node.DOCUMENT_POSITION_FOLLOWING);
  // By itself such a page has its reader's colours; in a frame a dark one could stand on a light page.
  if (parent === window) document.querySelector(".ldp-embed")?.classList.add("ldp-top");
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting && !above(target)) enter(target);
  }, { rootMargin: "600px" });
  const places = [...document.querySelectorAll(".ldp-still[data-link]")];
  const observe = () => {
    near.disconnect();
    for (const place of places) if (!entered.has(place)) near.observe(place);
  };
  observe();
  const only = document.querySelector(".ldp-embed .ldp-still"); // in somebody else's page, which is told how high this is
  if (only && parent !== window) {
    const tell = () => parent.postMessage({ ldpHeight: document.documentElement.offsetHeight }, "*");
    new ResizeObserver(tell).observe(document.documentElement);
  }
  const visit = async (address) => { // not what the address bar says by now: a hand may just have moved a panel
    clearTimeout(sharing);
    const hash = new URL(address).hash.slice(1), short = only && hash.includes("=") && !hash.includes("?");
    const asked = short ? `${only.dataset.link.split("?")[0]}?${hash}` : hash, [name] = asked.split(/[/?]/);
    const place = places.find(({ dataset }) => dataset.link.startsWith(`${name}/`));
    const target = document.getElementById(asked) ?? place;
    if (target) land(target, observe);
    if (target !== place || !place) return;
    const known = entered.has(place), here = await enter(place, asked);
    if (!known) return;
    here.spec.remark = remark(here.spec, asked);
    here.spec.named = namesControls(asked.split("?")[1] ?? "");
    here.store.move(position(here.spec, asked.split("?")[1] ?? ""));
    here.refresh(); // also where it stands there already
  };
  const notebook = location.pathname.split("/").pop().replace(/html$/, "ipynb");
  const panelAbove = (form, address) => enter(places.findLast((place) => file(place.dataset.link) === file(address)
    && place.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING));
  const [asked] = unanswered();
  if (asked) {
    const [number] = asked[1].split(".");
    offered = expected(load(`exercises-${number}`).then(() => offer(exercises, notebook, panelAbove)));
  }
  addEventListener("hashchange", ({ newURL }) => visit(newURL));
  visit(location.href);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

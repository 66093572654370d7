// What pages of a lecturer share whose server gathers telephones: its keys, and the address for telephones.
import { element } from "../../stage/browser/draw.js";

export const LOOK_EVERY = 1000; // ms between two questions to the server
const SERVER = "ldp-poll-server"; // the key with which this server's lecturers open polls and rooms

export async function post(path, told) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error), { status: answer.status });
  return said;
}

// Anybody can write an address: its key is kept once it has opened something. A projector shows addresses.
export function takeKey(taken = () => {}) {
  const take = () => {
    if (!location.hash.startsWith("#key=")) return;
    sessionStorage.setItem(SERVER, location.hash.slice(5));
    history.replaceState(null, "", location.pathname);
    taken();
  };
  take();
  addEventListener("hashchange", take); // the address with the key, opened where the page is already
}

// A poll or a room, with the key of this tab's address, or with the last one that the server took.
export async function opened(kind, told) {
  const keys = [sessionStorage.getItem(SERVER), localStorage.getItem(SERVER)].filter((key) => key !== null);
  for (const key of keys.length ? keys : [""]) {
    try {
      const made = await post(`/${kind}/begin`, { ...told, key });
      localStorage.setItem(SERVER, key);
      return made;
    } catch (refused) {
      if (key === (keys.at(-1) ?? "")) throw refused;
    }
  }
}

// What a page left in a storage; null if nothing, or something that nobody can read.
export function kept(storage, name) {
  try { return JSON.parse(storage.getItem(name)); } catch { return null; }
}

export const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

export const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };

// By which address telephones join, as a picture and in letters.
export function joining(kind, short, code) {
  const address = `${location.host}/${short}/${code}`;
  return [element("div", { className: "ldp-poll-join" }, {},
            element("img", { src: `/${kind}/${code}/qr.svg`, alt: `QR code of ${address}` }), element("p", { textContent: address })),
          ...warning()];
}

export function warning() {
  if (!/^(localhost|127\..*|\[::1\])$/.test(location.hostname)) return [];
  return [element("p", { className: "ldp-poll-warning", textContent: `Telephones cannot come to ${location.hostname}, which is each machine itself. ` +
    "Start it with make serve ADDRESS=0.0.0.0 and open this page by this machine's address in the network, for example http://192.168.1.20:8000." })];
}

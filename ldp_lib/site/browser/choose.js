// The list of all scenes: an address is copied, or goes into a talk that is written beside it.
import { element, save } from "../../stage/browser/draw.js";
import { button } from "../../stage/browser/panel.js";
import { counted, say } from "./lectern.js";
import { DRAFT, OWN, parsedTalk, readTalk, until } from "./talk.js";

export function choose(place, known) {
  const said = element("p", {}, { role: "status" });
  const text = element("textarea", { rows: 6, value: sessionStorage.getItem(DRAFT) ?? sessionStorage.getItem(OWN) ?? "# A talk of my own\n" }, { "aria-label": "a talk of your own" });
  // How long the talk is by now. A line that is not finished yet is not counted, which is said.
  const tell = (what = "") => {
    const { stops, wrong } = readTalk(text.value, known), votes = stops.reduce((sum, stop) => sum + stop.votes, 0);
    const left = stops.length && wrong.length ? ` Not counted: line ${wrong.map((why) => parseInt(why.slice(5), 10)).join(", ")}.` : "";
    const minutes = until(stops, stops.length) / 60 + (stops.at(-1)?.rest ?? 0); // a break that is the last line so far
    sessionStorage.setItem(DRAFT, text.value); // who opens a picture and comes back finds it
    say(said, `${what}${counted(stops.length, "stop")}, ${counted(minutes, "minute")}, ${counted(votes, "vote")}.${left}`);
  };
  const checked = (act) => () => {
    try { parsedTalk(text.value, known); } catch ({ message }) { return say(said, message); }
    act();
  };
  const hold = () => {
    sessionStorage.setItem(OWN, text.value);
    sessionStorage.removeItem(DRAFT);
    location.href = "talks.html#own";
  };
  // Its file is called as the talk is.
  const file = () => `${readTalk(text.value, known).title.toLowerCase().match(/[\p{L}\p{N}]+/gu)?.join("_").slice(0, 60) || "my_talk"}.txt`;
  text.addEventListener("input", () => tell());
  tell();
  place.prepend(element("div", { className: "ldp-choice" }, {}, text,
    element("p", {}, {}, button("hold it", "hold it: this talk", "", checked(hold)), " ", button("save", "save this talk as a file", "", checked(() => save(file(), text.value))), said)));
  for (const { dataset: { address, sentence }, lastElementChild } of place.querySelectorAll("[data-address]")) {
    const add = () => {
      text.value = `${text.value.trimEnd()}\n2 ${address} ${sentence}\n`;
      text.scrollTop = text.scrollHeight;
      tell(`${address} is the last stop${readTalk(text.value, known).stops.at(-1).votes ? "; there the room votes" : ""}. `);
    };
    // Without TLS a browser gives pages no clipboard; what is selected can be copied by hand.
    const copy = () => navigator.clipboard?.writeText(address).then(() => say(said, `${address} is copied.`))
      ?? getSelection().selectAllChildren(lastElementChild.querySelector("code"));
    lastElementChild.append(" ", button("copy", `copy ${address}`, "", copy), " ", button("add", `add ${address} to the talk`, "", add));
  }
}

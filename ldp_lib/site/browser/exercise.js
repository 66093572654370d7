// Exercises of a page without a kernel: numbers are judged here, as `ldp_lib/stage/judge.py` does it;
// for the others the notebook is named.
import { element } from "../../stage/browser/draw.js";

const EDGE = 1 + 1e-9; // so much farther than the tolerance an answer may be: 0.49 is within 2% of 0.5
const near = (value, right, relative) =>
  Math.abs(value - right) <= EDGE * relative * Math.max(Math.abs(value), Math.abs(right));

// Up to how far from the right number an answer counts, in words, as `Number.tolerance` says it.
const tolerance = ({ relative }) => `${+(100 * relative).toPrecision(6)}%`;

// The numbers that a text may be: decimals, with an exponent or without, fractions, percents.
function readings(text) {
  const [, plain, percent] = text.trim().replace("−", "-").match(/^(.*?)\s*(%?)$/s);
  if (!plain) return [];
  // A comma is a decimal point to some and parts thousands for others, also in the pictures: the right reading counts.
  const thousands = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain) ? [plain.replaceAll(",", "")] : [];
  return [plain.replace(",", "."), ...thousands].map((each) => {
    const parts = each.split("/"), [over, under] = parts.map((part) => (part.trim() ? Number(part) : NaN));
    return parts.length > 2 ? NaN : over / (under ?? 1) / (percent ? 100 : 1);
  }).filter(Number.isFinite);
}

// What is said of an answer, a text: { right, words }. `tries` is how many wrong ones came before.
export function judged(exercise, text, tries) {
  const found = readings(text);
  const value = found.find((each) => near(each, exercise.right, exercise.relative)) ?? found[0];
  if (value === undefined) return { right: false, words: "A number is expected, for example 0.25, 1/4 or 25%." };
  if (near(value, exercise.right, exercise.relative)) return { right: true, words: "✓ Right." };
  const digits = text.trim().match(/[.,](\d+)\s*%?$/)?.[1].length ?? 0, size = Math.abs(exercise.right);
  const unit = 10 ** -(digits + 2 * text.trim().endsWith("%"));
  const room = Math.max(digits ? Math.min(unit, size / 4) : 0, 0.05 * size);
  const known = exercise.mistakes.find(([wrong, relative]) => near(value, wrong, relative));
  const words = [`✗ Not yet. ${text.trim()} is not it. Within ${tolerance(exercise)} it counts.`];
  if (Math.abs(value - exercise.right) * EDGE < room) words.push("Close: rounding?");
  if (known) words.push(known[2]);
  words.push(`Hint: ${exercise.hint}`);
  if (tries && exercise.second) words.push(`Second hint: ${exercise.second}`);
  return { right: false, words: words.join(" ") };
}

function form(name, exercise) {
  let tries = 0;
  const answer = element("input", { type: "text", inputMode: "decimal", size: 12, autocomplete: "off" },
                         { "aria-label": `your answer to exercise ${name}` });
  const said = element("p", {}, { role: "status" });
  const asked = `${exercise.question} (within ${tolerance(exercise)}): `;
  const made = element("form", { className: "ldp-exercise" }, {}, asked, answer, " ",
                       element("button", { textContent: "check" }), said);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const { right, words } = judged(exercise, answer.value, tries);
    if (!right) tries += 1;
    said.textContent = words;
  });
  return made;
}

// The outputs of the page that wait for an answer, pairs of a node and the exercise's name.
export function unanswered() {
  const all = [...document.querySelectorAll(".cell_output pre")];
  return all.map((said) => [said, said.textContent.match(/^Exercise (\d+\.\d+) \(.*\): not answered yet\.\s*$/s)?.[1]])
    .filter(([, name]) => name);
}

// `notebook`: where the page's notebook lies.
export function offer(exercises, notebook) {
  for (const [said, name] of unanswered()) {
    const exercise = exercises[name];
    said.replaceWith(exercise ? form(name, exercise) : element("p", { className: "ldp-exercise" }, {},
      "Code is tried in ", element("a", { href: notebook, textContent: "the notebook" }), "."));
  }
}

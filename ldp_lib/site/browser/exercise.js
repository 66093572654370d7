// Exercises of a page without a kernel. Numbers are judged here, as `ldp_lib/stage/judge.py` does it; of what is
// answered by where controls stand the page has every verdict; of the others the question, a place to think, and the
// notebook that judges them.
import { position } from "./address.js";
import { element } from "../../stage/browser/draw.js";
import { answers, capital, keep } from "../../stage/browser/story.js";

const EDGE = 1 + 1e-9; // so much farther than the tolerance an answer may be: 0.49 is within 2% of 0.5
const near = (value, right, relative) =>
  Math.abs(value - right) <= EDGE * relative * Math.max(Math.abs(value), Math.abs(right));

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

// What is said of an answer, in words; `tries` is how many wrong ones came before.
const praised = (more) => ({ right: true, words: `✓ Right. ${more}`.trim() });
const refused = (exercise, tries, ...wrong) => ({ right: false, words: ["✗ Not yet.", ...wrong, `Hint: ${exercise.hint}`,
  tries && exercise.second && `Second hint: ${exercise.second}`].filter(Boolean).join(" ") });

// Of a number, which is a text.
export function judged(exercise, text, tries) {
  const found = readings(text), { right, relative } = exercise;
  const counts = (each) => near(each, right, relative) && (each >= right || !exercise.above);
  const value = found.find(counts) ?? found[0];
  if (value === undefined) return { right: false, words: "A number is expected, for example 0.25, 1/4 or 25%." };
  if (counts(value)) return praised(exercise.more);
  const digits = text.trim().match(/[.,](\d+)\s*%?$/)?.[1].length ?? 0, size = Math.abs(right);
  const unit = 10 ** -(digits + 2 * text.trim().endsWith("%"));
  const room = Math.max(digits ? Math.min(unit, size / 4) : 0, 0.05 * size);
  const known = exercise.mistakes.find(([wrong, distance]) => near(value, wrong, distance));
  return refused(exercise, tries, `${text.trim()} is not it. ${exercise.enough}`,
                 Math.abs(value - right) * EDGE < room && "Close: rounding?", known?.[2]);
}

// Of where the controls stand, `at`.
export function placed(exercise, at, tries) {
  const row = at.reduce((sum, to, place) => sum * exercise.controls[place].texts.length + to, 0);
  const [wrong, said] = exercise.verdicts[row];
  return wrong ? refused(exercise, tries, wrong, said) : praised(said);
}

// Where a panel stands, of the controls that answer; or in words what must stand elsewhere first.
export function read(exercise, { spec, store: { at } }) {
  const asked = position(spec, exercise.address.split("?")[1]), names = exercise.controls.map(({ name }) => name);
  const moved = spec.controls.filter(({ name, kind }, place) =>
    at[place] !== asked[place] && kind !== "redraw" && !names.includes(name));
  const wanted = moved.map(({ label, texts }) => `${label} = ${texts[asked[spec.controls.findIndex((one) => one.label === label)]]}`);
  if (moved.length) return { words: `The question is asked at another state: ${wanted.join(", ")} is expected.` };
  return { at: names.map((name) => at[spec.controls.findIndex((control) => control.name === name)]) };
}

// `inputs`: what stands between the question and the button. `judge`: what is said of the answer, or a promise of it.
function form(name, exercise, inputs, words, judge) {
  let tries = 0;
  const said = element("p", {}, { role: "status" });
  const made = element("form", { className: "ldp-exercise" }, {}, element("p", { textContent: asked(exercise) }),
                       ...inputs, " ", element("button", { textContent: words }), said);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { right, words } = await judge(tries);
    if (right === false) tries += 1;
    said.textContent = words;
  });
  return made;
}

const asked = ({ question, enough }) => `${capital(question)}. ${enough}`;

function number(name, exercise) {
  const answer = element("input", { type: "text", inputMode: "decimal", size: 12, autocomplete: "off" },
                         { "aria-label": `your answer to exercise ${name}` });
  return form(name, exercise, [answer], "check", (tries) => judged(exercise, answer.value, tries));
}

// A control of the question's own: a slider, or a list.
function control(name, { label, kind, texts }) {
  if (kind !== "slider") {
    const list = element("select", {}, {}, ...texts.map((textContent, value) => element("option", { value, textContent })));
    return [list, element("label", {}, {}, `${label} `, list)];
  }
  const slider = element("input", { type: "range", min: 0, max: texts.length - 1, step: 1, value: 0 });
  const shown = element("span", {}, { "aria-hidden": "true" }); // the slider says it
  const tell = () => { shown.textContent = slider.ariaValueText = texts[slider.value]; };
  slider.addEventListener("input", tell);
  tell();
  return [slider, element("label", {}, {}, `${label} `, slider, " ", shown)];
}

function choice(name, exercise) {
  const own = exercise.controls.map((each) => control(name, each));
  return form(name, exercise, own.map(([, row]) => row), "this is my answer",
              (tries) => placed(exercise, own.map(([input]) => Number(input.value)), tries));
}

function state(name, exercise, panelAbove) {
  const where = element("span", { textContent: "Your answer is where the panel above stands." });
  const made = form(name, exercise, [where], "this is my answer", async (tries) => {
    const found = read(exercise, await panelAbove(made, exercise.address));
    return found.at ? placed(exercise, found.at, tries) : found;
  });
  return made;
}

// What is thought stays in this browser.
function code(name, exercise, notebook) {
  const thoughts = element("textarea", { rows: 4, value: answers().exercises?.[name] ?? "" },
                           { "aria-label": `your thoughts about exercise ${name}` });
  thoughts.addEventListener("input", () => keep("exercises", name, thoughts.value || undefined));
  return element("div", { className: "ldp-exercise" }, {}, element("p", { textContent: asked(exercise) }),
    element("details", {}, {}, element("summary", { textContent: "a place to think" }), thoughts),
    element("p", {}, {}, "Code is tried in ", element("a", { href: notebook, textContent: "the notebook" }), "."));
}

// The outputs of the page that wait for an answer, pairs of a node and the exercise's name.
export function unanswered() {
  const open = /^Exercise (\d+\.\d+) \(.*\):\s+not\s+answered\s+yet\.\s*$/s; // lines are broken
  const all = [...document.querySelectorAll(".cell_output pre")];
  return all.map((said) => [said, said.textContent.match(open)?.[1]]).filter(([, name]) => name);
}

// `notebook`: where the page's notebook lies. `panelAbove`: a promise of the panel of an address above a form.
export function offer(exercises, notebook, panelAbove) {
  for (const [said, name] of unanswered()) {
    const exercise = exercises[name];
    if (exercise) said.replaceWith(exercise.address ? state(name, exercise, panelAbove)
      : exercise.controls ? choice(name, exercise) : "right" in exercise ? number(name, exercise)
        : code(name, exercise, notebook));
  }
}

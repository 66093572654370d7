// What of the browser's half needs no page; run by tests/test_live_pictures.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, cut, project, rectangles } from "../../ldp_lib/stage/browser/draw.js";
import { Store } from "../../ldp_lib/stage/browser/store.js";

const LINEAR = { low: 0, high: 10, log: false }, LOG = { low: 1, high: 100, log: true };

test("scales go to pixels", () => {
  const line = project(LINEAR, 100, 200), log = project(LOG, 200, 0);
  assert.equal(line(5), 150);
  assert.equal(Math.round(log(10)), 100);
  assert.equal(log(0), 1e4, "what a logarithm cannot show is far below");
  assert.ok(Number.isNaN(log(-1)) && Number.isNaN(line(NaN)));
});

test("cells become few rectangles that cover each cell once", () => {
  const values = [0, 1, 1, 0, 1, 1, 2, 2, 2], found = rectangles(values, 3, 3), seen = new Array(9).fill(null);
  for (const [label, parts] of found)
    for (const [left, right, bottom, top] of parts)
      for (let row = bottom; row < top; row++)
        for (let column = left; column < right; column++) {
          assert.equal(seen[3 * row + column], null);
          seen[3 * row + column] = label;
        }
  assert.deepEqual(seen, values);
  assert.deepEqual(found.get(1), [[1, 3, 0, 2]]);
});

test("hover values are exact to four digits, and whole where they are counts", () => {
  assert.equal(brief(31623), "31,623");
  assert.equal(brief(0.0123456), "0.01235");
});

test("an open arrow has one shape, whichever way a bar goes on", () => {
  const frame = { left: 0, right: 300, top: 0, bottom: 200 }, half = 5;
  const shape = (...bar) => {
    const [tip, one, other] = [...cut(bar, frame, half).matchAll(/[ML](\S+) ([^LMz]+)/g)].map(([, x, y]) => [+x, +y]);
    return { tip, from: [(one[0] + other[0]) / 2 - tip[0], (one[1] + other[1]) / 2 - tip[1]],
             wide: Math.hypot(one[0] - other[0], one[1] - other[1]) };
  };
  assert.deepEqual(shape(-90, 30, 40, 80), { tip: [0, 60], from: [7, 0], wide: 10 });
  assert.deepEqual(shape(30, 390, 40, 80), { tip: [300, 60], from: [-7, 0], wide: 10 });
  assert.deepEqual(shape(40, 80, -90, 30), { tip: [60, 0], from: [0, 7], wide: 10 });
  assert.deepEqual(shape(40, 80, 30, 290), { tip: [60, 200], from: [0, -7], wide: 10 });
  assert.equal(cut([40, 80, 30, 60], frame, half), "", "it ends in its axes");
});

const state = (...at) => ({ at, columns: [] });

function store() {
  const calls = { asked: [], told: [] };
  const made = new Store({ at: [0], ask: (at) => calls.asked.push(at.join()),
                           tell: (at) => calls.told.push(at.join()) });
  made.add([state(0), state(1), state(2)]);
  return [made, calls];
}

test("a known state is shown without a question", () => {
  const [made, calls] = store();
  made.move([2]);
  assert.deepEqual(made.shown.at, [2]);
  assert.deepEqual(calls, { asked: [], told: ["2"] });
});

test("one question at a time, and the newest wish wins", () => {
  const [made, calls] = store();
  for (const place of [7, 8, 9]) made.move([place]);
  assert.deepEqual(calls.asked, ["7"]);
  made.add([state(7)]);
  assert.deepEqual(calls.asked, ["7", "9"]);
  assert.deepEqual(made.shown.at, [0], "an answer that nobody wants any more is not shown");
  made.add([state(9)]);
  assert.deepEqual(made.shown.at, [9]);
  clearTimeout(made.timer);
});

test("what is not at hand is passed over, on the way and no farther", () => {
  const [made] = store();
  assert.equal(made.nearest(0, 7, 10), 7, "a kernel has all");
  made.at = [5];
  made.has = ([at]) => [0, 3, 5, 6, 8].includes(at) && undefined;
  assert.deepEqual(Array.from({ length: 10 }, (_, to) => made.nearest(0, to, 10)), [0, 0, 3, 3, 3, 5, 6, 6, 8, 8]);
  made.has = ([at]) => at === 5;
  assert.deepEqual(Array.from({ length: 10 }, (_, to) => made.nearest(0, to, 10)), Array(10).fill(5));
});

test("a failure keeps the picture and is asked for again", () => {
  const [made, calls] = store();
  made.move([5]);
  made.add([{ at: [5], error: "no", traceback: "" }]);
  assert.equal(made.failure.error, "no");
  assert.deepEqual(made.shown.at, [0]);
  for (let k = 2; k < 5; k++) made.add([state(k)]);
  assert.deepEqual(calls.asked, ["5"], "not for every deck that comes");
  made.move([6]);
  assert.equal(made.failure, null, "nor is it said of another position");
  made.move([1]);
  assert.equal(made.failure, null);
  made.add([state(6)]);
  made.move([5]);
  assert.deepEqual(calls.asked, ["5", "6", "5"]);
  clearTimeout(made.timer);
});

test("it is settled when what is shown is of the present position, or nothing can be", () => {
  const [made] = store(), settled = (act) => { act(); return made.settled; };
  assert.equal(new Store({ at: [0], ask: () => {}, tell: () => {} }).settled, false, "nothing has come");
  assert.equal(settled(() => made.move([1])), true);
  assert.equal(settled(() => made.move([7])), false);
  assert.equal(settled(() => made.move([8])), false);
  assert.equal(settled(() => made.add([state(7)])), false, "an older answer");
  assert.equal(settled(() => made.add([state(8)])), true);
  assert.equal(settled(() => made.move([9])), false);
  assert.equal(settled(() => made.add([{ at: [9], error: "no", traceback: "" }])), true);
  assert.equal(settled(() => made.move([10])), false, "nor is a failure of another position one");
  assert.equal(settled(() => made.lose("gone")), true);
  assert.equal(settled(() => made.lose("")), false);
  clearTimeout(made.timer);
});

test("without a kernel known states still move and nothing is asked", () => {
  const [made, calls] = store();
  made.lose("gone");
  made.move([1]);
  assert.deepEqual(made.shown.at, [1]);
  made.move([6]);
  assert.deepEqual(calls.asked, []);
  made.lose("");
  assert.deepEqual(calls.asked, ["6"], "it comes back by itself");
  clearTimeout(made.timer);
});

test("memory is bounded and never loses what is shown", () => {
  const [made] = store();
  for (let k = 0; k < 4000; k++) made.add([state(k)]);
  assert.ok(made.states.size <= 1500);
  assert.ok(made.states.has("0"));
});

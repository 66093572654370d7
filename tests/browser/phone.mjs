// What the telephone's own module says, for tests/test_poll.py and tests/test_rooms.py: reads one JSON request, writes one JSON answer.
import { readFileSync } from "node:fs";
import { OTHERS, randomised, THRESHOLDS, toss, turned } from "../../ldp_lib/site/browser/phone.js";

const { want, of } = JSON.parse(readFileSync(0, "utf8"));
const words = (texts) => BigUint64Array.from(texts, BigInt);

const answers = {
  thresholds: () => Object.entries(THRESHOLDS).map(([alpha, threshold]) => [Number(alpha), String(threshold)]),
  others: () => Object.entries(OTHERS).map(([alpha, words]) => [Number(alpha), words.map(String)]),
  turned: () => of.map(({ choice, answers, alpha, drawn }) => {
    crypto.getRandomValues = (array) => (array.set(words(drawn)), array);
    return turned(choice, answers, alpha);
  }),
  toss: () => of.map(({ drawn, threshold }) => toss(words(drawn), threshold)),
  // How often heads comes up among all words of so few bits.
  law: () => of.map(({ count, threshold }) => Array.from({ length: count }, (_, k) => toss(words([k]), threshold)).filter(Boolean).length),
  // The report, with what was drawn from the generator: how many words of how many bits.
  reports: () => of.map(({ yes, alpha, drawn }) => {
    const asked = [];
    crypto.getRandomValues = (array) => {
      asked.push([array.length, 8 * array.BYTES_PER_ELEMENT]);
      array.set(array instanceof BigUint64Array ? words(drawn) : Array.from(array, (_, k) => k));
      return array;
    };
    return { report: randomised(yes, alpha), asked };
  }),
};
process.stdout.write(JSON.stringify(answers[want]()));

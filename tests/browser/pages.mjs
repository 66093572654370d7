// What the pages' own modules say, for tests/test_pages.py: reads one JSON request, writes one JSON answer.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, position, remark } from "../../ldp_lib/site/browser/address.js";
import { unpack } from "../../ldp_lib/stage/browser/deck.js";
import { between } from "../../ldp_lib/stage/browser/draw.js";
import { commas, tabulated } from "../../ldp_lib/stage/browser/table.js";
import { judged, placed, read } from "../../ldp_lib/site/browser/exercise.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const bytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

// A state as one number: words, scales, and every array bit for bit.
function digest(state) {
  const hash = createHash("sha256").update(JSON.stringify([state.at, state.alt, state.readout]));
  for (const axes of state.columns.flat())
    for (const mark of axes.marks) {
      hash.update(`${axes.key} ${mark.kind} ${mark.key} ${mark.role}`);
      for (const name of Object.keys(mark.arrays).sort()) hash.update(name).update(bytes(mark.arrays[name]));
    }
  return hash.digest("hex");
}

const answers = {
  decks: async (files) => {
    const found = {};
    for (const file of files) {
      const text = readFileSync(file, "utf8").match(/"([^"]*)"\);\n$/)[1];
      for (const state of await unpack(Buffer.from(text, "base64"))) found[state.at.join()] = digest(state);
    }
    return found;
  },
  addresses: ({ spec, links, places }) => ({
    places: links.map((one) => position(spec, one.split("?")[1] ?? "")), links: places.map((at) => link(spec, at)),
  }),
  remarks: ({ spec, links }) => links.map((one) => remark(spec, one)),
  between: async ({ deck, share }) => {
    const [from, to] = await unpack(Buffer.from(deck, "base64")), found = between(from, to, share);
    return [digest(found), found.columns.flat().map(({ x, y }) => [x.low, x.high, y.low, y.high])];
  },
  tables: async (deck) => (await unpack(Buffer.from(deck, "base64"))).map(({ columns }) => columns.flat().map(tabulated)),
  commas: (table) => commas(table),
  judged: ({ exercise, texts }) => texts.map((text) => judged(exercise, text, 1)),
  placed: ({ exercise, places }) => places.map((at) => placed(exercise, at, 0)),
  read: ({ exercise, spec, places }) => places.map((at) => read(exercise, { spec, store: { at } })),
};
process.stdout.write(JSON.stringify(await answers[asked.want](asked.of)));

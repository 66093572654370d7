// States as they travel: see deck.py. Returns an array of { at, columns, alt, readout } or { at, error }.
export async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const end = 4 + new DataView(buffer).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, end - 4)));
  const count = found.arrays.reduce((sum, [kind, size]) => sum + (kind === "f" ? size : 0), 0);
  const [first, second, third, last] = [0, 1, 2, 3].map((plane) => new Uint8Array(buffer, end + plane * count, count));
  const bits = new Int32Array(count);
  for (let k = 0, now = 0; k < count; k++)
    bits[k] = now = now + (first[k] | second[k] << 8 | third[k] << 16 | last[k] << 24) | 0;
  const left = { f: new Float32Array(bits.buffer), B: new Uint8Array(buffer, end + 4 * count) };
  const arrays = found.arrays.map(([kind, size]) => {
    const array = left[kind].subarray(0, size);
    left[kind] = left[kind].subarray(size);
    return array;
  });
  const before = found.forms.map(() => []);
  const axes = found.axes.map(([number, ...moved]) => {
    const places = before[number] = moved.map((by, place) => by + (before[number][place] ?? 0));
    const form = found.forms[number], next = places.values();
    const named = (names) => Object.fromEntries(names.map((name) => [name, arrays[next.next().value]]));
    return { ...form, marks: form.marks.map((mark) => ({ ...mark, arrays: named(mark.arrays) })) };
  });
  return found.states.map((state) => state.columns
    ? { ...state, columns: state.columns.map((column) => column.map((place) => axes[place])) }
    : state);
}

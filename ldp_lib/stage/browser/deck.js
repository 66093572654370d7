// States as they travel: see deck.py. Returns an array of { at, columns, alt, readout } or { at, error }.
export async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const end = 4 + new DataView(buffer).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, end - 4)));
  const arrays = found.arrays.map(([kind, size, start]) =>
    new (kind === "f" ? Float32Array : Uint8Array)(buffer, end + start, size));
  for (const axes of found.axes)
    for (const mark of axes.marks)
      for (const name of Object.keys(mark.arrays)) mark.arrays[name] = arrays[mark.arrays[name]];
  return found.states.map((state) => state.columns
    ? { ...state, columns: state.columns.map((column) => column.map((place) => found.axes[place])) }
    : state);
}

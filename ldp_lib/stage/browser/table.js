// The numbers of a picture, as a table for each of its axes: see table.py, which makes the same rows.
import { brief, element, named } from "./draw.js";

// Where a mark begins and ends, across and up; "" where it is a point.
const SIDES = { band: ["x", "", "low", "high"], bars: ["left", "right", "low", "high"], arrow: ["x0", "x1", "y0", "y1"] };
const POINT = ["x", "", "y", ""];

// What a place on an axis says: a number as its ticks tell it, or the name of the tick beside it.
function reading({ ticks, words, reads: [offset = 0, factor = 1, base = 0, unit = ""] }) {
  const told = offset !== 0 || factor !== 1 || base !== 0;
  const names = words.some(named) ? ticks.map((tick, k) => [tick, words[k]]).filter(([, word]) => !told || named(word)) : [];
  const gaps = ticks.flatMap((tick, k) => ticks.slice(0, k).map((other) => Math.abs(tick - other)));
  const near = (gaps.length ? Math.min(...gaps) : 1) / 2;
  const name = (place) => names.find(([tick]) => Math.abs(place - tick) <= near)?.[1];
  const number = (place) => {
    const value = offset + factor * place;
    if (!base) return value;
    return Math.abs(value) < 300 ? Number((base ** value).toPrecision(3)) : `${base}^${Math.floor(value + 0.5)}`;
  };
  const read = (place) => (place === null ? null : name(place) ?? number(place));
  return { unit, ends: (from, to) => {
    const ends = [read(from), read(to)];
    return typeof ends[0] === "string" && ends[0] === ends[1] ? [ends[0], null] : ends;
  } };
}

// Name and ends of all points of a mark; of cells, each run of one label in a row; what counts, once.
function* spans({ kind, key, label, arrays, options }) {
  if (kind === "cells") {
    const { rows, columns, roles, labels, box: [left, right, bottom, top] } = options;
    const shades = Number.isInteger(roles);
    const called = (value) => shades ? `${labels[0] ?? key}: ${value} of ${roles - 1}` : labels[value] ?? roles[value];
    const x = (column) => left + (right - left) * column / columns, y = (row) => bottom + (top - bottom) * row / rows;
    for (let row = 0; row < rows; row++)
      for (let from = 0, to; from < columns; from = to) {
        const value = arrays.values[row * columns + from];
        for (to = from + 1; to < columns && arrays.values[row * columns + to] === value;) to++;
        if (shades || roles[value]) yield [called(value), x(from), x(to), y(row), y(row + 1)];
      }
    return;
  }
  if ("counts" in options) {
    yield [label || key, (Math.min(...arrays.left) + Math.max(...arrays.right)) / 2, null, options.counts, null];
    return;
  }
  const sides = (SIDES[kind] ?? POINT).map((side) => arrays[side]);
  for (let k = 0; k < sides.find(Boolean).length; k++) {
    const places = sides.map((side) => side?.[k] ?? null), words = options.words?.[k % options.words.length];
    if (!places.some(Number.isNaN) && words !== "") yield [words ? `“${words}”` : label || key, ...places];
  }
}

// { caption, heads, rows } of an axes; what the key names first, and no column in which nothing stands.
export function tabulated({ key, title, x, y, xlabel, ylabel, marks }) {
  const across = reading(x), up = reading(y), rows = [], unnamed = ({ label, options }) => !label && !options.labels?.length;
  // Words say no place along an axis without ticks.
  const places = (mark, { ticks }, { ends }, ...place) => (mark.kind === "text" && !ticks.length ? [null, null] : ends(...place));
  for (const mark of [...marks].sort((one, other) => unnamed(one) - unnamed(other)))
    for (const [name, left, right, low, high] of spans(mark))
      rows.push([name, ...places(mark, x, across, left, right), ...places(mark, y, up, low, high)]);
  const filled = (column) => rows.some((row) => row[column] !== null);
  const pair = (label, unit, column) => {
    const head = unit ? `${label}, in ${unit}` : label;
    return filled(column + 1) ? [`${head}: from`, `${head}: to`] : [head, ""];
  };
  const heads = ["series", ...pair(xlabel || "x", across.unit, 1), ...pair(ylabel || "y", up.unit, 3)];
  const kept = heads.map((_, column) => column).filter((column) => filled(column) || !column);
  const chosen = (row) => kept.map((column) => row[column]);
  return { caption: title || key, heads: chosen(heads), rows: rows.map(chosen) };
}

// A page has 16 bits of what is no whole number: five digits.
const exact = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(5)));
const quoted = (cell) => (typeof cell === "string" ? `"${cell.replaceAll('"', '""')}"` : cell === null ? "" : exact(cell));

export const commas = ({ heads, rows }) => [heads, ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");

export function written(table) {
  const row = ([name, ...cells]) => element("tr", {}, {}, element("th", { scope: "row", textContent: name }),
    ...cells.map((cell) => element("td", { textContent: typeof cell === "number" ? brief(cell).replaceAll("-", "−") : cell ?? "" })));
  const head = element("tr", {}, {}, ...table.heads.map((textContent) => element("th", { scope: "col", textContent })));
  return element("table", {}, {}, element("caption", { textContent: table.caption }),
                 element("thead", {}, {}, head), element("tbody", {}, {}, ...table.rows.map(row)));
}

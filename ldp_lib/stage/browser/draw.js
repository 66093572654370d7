// One axes of a picture as SVG (see picture.py). Nodes are kept by the keys of their marks; a step of a slider
// changes attributes only. The layout is in CSS pixels, so that a zoomed page has larger letters.

const SVG = "http://www.w3.org/2000/svg";
const FAR = 1e4; // pixels: beyond, SVG coordinates lose their meaning
const NEAR = 14; // pixels around the pointer in which a point answers
const SEEN = 6; // pixels: no marker in a key is smaller
const ARROW = 5; // pixels: half the width of the open arrow at the end of a bar that its axes cut
const LETTER = 15; // pixels: widths of lines and sizes of markers are meant for letters of this size

// Every panel of a page may have a copy of this module of its own: names must differ all the same.
const COPY = `ldp-${Math.random().toString(36).slice(2, 8)}`;
let names = 0;
export const unique = () => `${COPY}-${++names}`;

export function element(tag, properties = {}, attributes = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function save(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function shape(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

const put = (node, words) => { if (node.textContent !== words) node.textContent = words; };
const round = (value) => Math.round(value * 10) / 10;

// From data to pixels.
export function project(scale, from, to) {
  const f = scale.log ? Math.log : (value) => value;
  const low = f(scale.low), slope = (to - from) / (f(scale.high) - low);
  return (value) => Math.max(-FAR, Math.min(FAR, from + (f(value) - low) * slope));
}

// The state a share `t` of the way between two: what has one key in both, and as many points, moves.
export function between(from, to, t) {
  const mix = (a, b) => a.map((value, k) => value + t * (b[k] - value));
  const scale = (a, b) => a.log === b.log && !b.log
    ? { ...b, low: a.low + t * (b.low - a.low), high: a.high + t * (b.high - a.high) } : b;
  const before = new Map(from.columns.flat().map((axes) => [axes.key, axes]));
  const axes = (b) => {
    const a = before.get(b.key);
    if (!a) return b;
    const marks = new Map(a.marks.map((mark) => [mark.key, mark]));
    return { ...b, x: scale(a.x, b.x), y: scale(a.y, b.y), marks: b.marks.map((mark) => {
      const old = marks.get(mark.key), names = Object.keys(mark.arrays);
      const alike = old?.kind === mark.kind && mark.kind !== "cells"
        && names.every((name) => old.arrays[name]?.length === mark.arrays[name].length);
      return alike ? { ...mark, arrays: Object.fromEntries(names.map((name) =>
        [name, mix(old.arrays[name], mark.arrays[name])])) } : mark;
    }) };
  };
  return { ...to, columns: to.columns.map((column) => column.map(axes)) };
}

function polyline(xs, ys, px, py) {
  let d = "", pen = "M";
  for (let k = 0; k < xs.length; k++) {
    const x = px(xs[k]), y = py(ys[k]);
    if (Number.isNaN(x) || Number.isNaN(y)) pen = "M";
    else {
      d += `${pen}${round(x)} ${round(y)}`;
      pen = "L";
    }
  }
  return d;
}

const MARKERS = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (x, y, r) => `M${x} ${y - 1.2 * r}l${1.1 * r} ${2 * r}h${-2.2 * r}z`,
  down: (x, y, r) => `M${x} ${y + 1.2 * r}l${1.1 * r} ${-2 * r}h${-2.2 * r}z`,
  diamond: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  star: (x, y, r) => "M" + Array.from({ length: 10 }, (_, k) => {
    const turn = Math.PI * k / 5, long = (k % 2 ? 0.55 : 1.4) * r;
    return `${round(x + long * Math.sin(turn))} ${round(y - long * Math.cos(turn))}`;
  }).join("L") + "z",
  cross: (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`,
  plus: (x, y, r) => `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`,
  minus: (x, y, r) => `M${x - r} ${y}h${2 * r}`,
  tick: (x, y, r) => `M${x} ${y - r}v${2 * r}`,
};
const STROKED = new Set(["cross", "plus", "minus", "tick"]);

function markers(kind, xs, ys, r) {
  let d = "";
  for (let k = 0; k < xs.length; k++)
    if (!Number.isNaN(xs[k]) && !Number.isNaN(ys[k])) d += MARKERS[kind](round(xs[k]), round(ys[k]), r);
  return d;
}

export const named = (word) => /\p{L}{2}/u.test(word);

// Areas of equal labels, as runs of cells in a row; equal runs in neighbouring rows are one rectangle.
export function rectangles(values, rows, columns) {
  const found = new Map(), open = new Map();
  for (let row = 0; row <= rows; row++) {
    const seen = new Map();
    for (let from = 0, to; row < rows && from < columns; from = to) {
      const label = values[row * columns + from];
      for (to = from + 1; to < columns && values[row * columns + to] === label;) to++;
      seen.set(`${label},${from},${to}`, open.get(`${label},${from},${to}`) ?? row);
    }
    for (const [name, bottom] of open)
      if (!seen.has(name)) {
        const [label, left, right] = name.split(",").map(Number);
        if (!found.has(label)) found.set(label, []);
        found.get(label).push([left, right, bottom, row]);
      }
    open.clear();
    for (const entry of seen) open.set(...entry);
  }
  return found;
}

// Letters of the longest tick word left of an axes. What shares its x axis, above it or below, begins where it does.
function lettersBeside({ x }, column) {
  const across = JSON.stringify(x), words = column.filter((axes) => JSON.stringify(axes.x) === across).flatMap(({ y }) => y.words);
  return Math.max(1, ...words.map((word) => word.length + 0.4 * word.endsWith("%")));
}

export class AxesView {
  constructor(roles, onHandle) {
    Object.assign(this, { roles, onHandle, id: unique(), marks: new Map(), drawn: "", zoom: 1 });
    this.title = element("div", { className: "ldp-title" });
    this.legend = element("div", { className: "ldp-key" });
    this.ylabel = element("div", { className: "ldp-label" });
    this.plot = element("div", { className: "ldp-plot" });
    this.xlabel = element("div", { className: "ldp-label ldp-xlabel" });
    this.root = element("div", { className: "ldp-axes" }, {}, this.title, this.legend, this.ylabel, this.plot,
                        this.xlabel);
    this.svg = shape("svg");
    this.defs = shape("defs");
    this.still = shape("g", { "aria-hidden": "true" });
    this.clip = shape("clipPath", { id: `${this.id}-clip` });
    this.clip.append(shape("rect"));
    this.moving = shape("g", { "clip-path": `url(#${this.id}-clip)`, "aria-hidden": "true" });
    this.words = shape("g", { "aria-hidden": "true" });
    this.handles = shape("g");
    this.defs.append(this.clip);
    this.svg.append(this.defs, this.still, this.moving, this.words, this.handles);
    this.hover = element("div", { className: "ldp-hover", hidden: true }, { "aria-hidden": "true" });
    this.plot.append(this.svg, this.hover);
    this.plot.addEventListener("pointermove", (event) => this.tellValue(event));
    this.plot.addEventListener("pointerleave", () => { this.hover.hidden = true; });
  }

  // Take over `axes` of a column and write its words; `draw` then shows its marks, when the words of all have their room.
  update(axes, column) {
    this.axes = axes;
    this.beside = lettersBeside(axes, column);
    put(this.title, axes.title);
    put(this.xlabel, axes.xlabel);
    put(this.ylabel, axes.ylabel);
    for (const node of [this.title, this.xlabel, this.ylabel]) node.hidden = !node.textContent;
    this.root.style.flexGrow = axes.high;
    this.root.classList.toggle("ldp-square", axes.square);
    this.drawKey();
  }

  drawKey() {
    const named = this.axes.marks.flatMap((mark) => [
      ...(mark.label ? [mark] : []),
      ...(mark.options.labels ?? []).map((label, place) => Number.isInteger(mark.options.roles)
        ? { ...mark, label, options: { roles: mark.options.roles } }
        : { kind: "bars", role: mark.options.roles[place], label, options: {} }),
    ]);
    const signature = JSON.stringify(named.map(({ kind, role, label, options }) =>
      [kind, role, label, options.dash, options.marker]));
    if (signature === this.named) return;
    this.named = signature;
    this.legend.hidden = !named.length;
    const plain = Object.assign(Object.create(this), { zoom: 1 }); // a swatch grows with its letters
    this.legend.replaceChildren(...named.map((mark) => {
      const swatch = shape("svg", { viewBox: "0 0 26 14", class: "ldp-swatch", "aria-hidden": "true" });
      const group = this.group(mark);
      const across = { x: [0, 26], y: [7, 7] }, area = { left: [1], right: [25], low: [13], high: [1] };
      const same = (value) => value;
      const kind = { line: "line", rule: "line", dots: "dots" }[mark.kind];
      if (kind === "line") PAINT.line.call(plain, group, { ...mark, arrays: across }, same, same);
      else if (mark.kind === "cells") {
        const columns = mark.options.roles, arrays = { values: [...Array(columns).keys()] };
        const options = { rows: 1, columns, roles: columns, box: [0, 26, 13, 1] };
        PAINT.cells.call(plain, group, { ...mark, arrays, options }, same, same);
      } else if (kind) {
        const options = { ...mark.options, size: Math.max(SEEN, mark.options.size ?? 0) };
        PAINT.dots.call(plain, group, { ...mark, options, arrays: { x: [13], y: [7] } }, same, same);
      } else if (mark.kind === "band") {
        PAINT.band.call(plain, group, { ...mark, arrays: { x: [1, 25], low: [13, 13], high: [1, 1] } }, same, same);
      } else PAINT.bars.call(plain, group, { ...mark, arrays: area }, same, same);
      swatch.append(group);
      return element("span", {}, {}, swatch, mark.label);
    }));
  }

  group(mark) {
    const group = shape("g", { class: "ldp-mark" });
    group.style.setProperty("--c", `var(--ldp-${mark.role})`);
    return group;
  }

  draw() {
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    if (!this.axes || width < 20 || height < 20) return;
    const frame = this.frame(width, height);
    this.zoom = frame.size / LETTER;
    const still = JSON.stringify([width, height, frame, this.axes.x, this.axes.y, this.axes.xlabel]);
    this.px = project(this.axes.x, frame.left, frame.right);
    this.py = project(this.axes.y, frame.bottom, frame.top);
    if (still !== this.drawn) {
      this.drawn = still;
      set(this.svg, { width, height });
      set(this.clip.firstChild, { x: frame.left - 1, y: frame.top - 1, width: frame.right - frame.left + 2,
                                  height: frame.bottom - frame.top + 2 });
      this.drawTicks(frame);
      // The words of the x axis stand below its middle, as far as there is room.
      const room = (width - this.xlabel.offsetWidth) / 2, shift = (frame.left + frame.right - width) / 2;
      this.xlabel.style.left = `${round(Math.max(-room, Math.min(room, shift)))}px`;
    }
    const seen = new Set(), next = new Map([[this.moving, 0], [this.words, 0]]);
    for (const mark of this.axes.marks) {
      seen.add(mark.key);
      let entry = this.marks.get(mark.key);
      if (!entry || entry.kind !== mark.kind || entry.role !== mark.role) {
        entry?.group.remove();
        entry = { kind: mark.kind, role: mark.role, group: this.group(mark) };
        this.marks.set(mark.key, entry);
      }
      const layer = mark.kind === "text" ? this.words : this.moving;
      const place = next.get(layer); // in the order of the marks
      if (layer.children[place] !== entry.group) layer.insertBefore(entry.group, layer.children[place] ?? null);
      next.set(layer, place + 1);
      PAINT[mark.kind].call(this, entry.group, mark, this.px, this.py, frame);
    }
    for (const [name, entry] of this.marks)
      if (!seen.has(name)) {
        entry.group.remove();
        this.marks.delete(name);
      }
    this.drawHandles(frame);
    // A square may leave room below it and beside it: its label stays with it.
    const { left, right, bottom, size, rows } = frame;
    this.xlabel.style.translate = this.axes.square
      ? `${round(Math.min(0, (left + right - width) / 2))}px ${round(bottom + (0.61 + 1.2 * rows) * size - height)}px` : "";
  }

  // Where the scales end, in pixels: room for tick words, whole pixels, a square if it has to be one.
  frame(width, height) {
    const { x, y, square } = this.axes;
    const size = parseFloat(getComputedStyle(this.plot).fontSize);
    // Names have no neighbour that stands for them, as a number has: each needs its room.
    const names = ({ words }) => (words.some(named) ? words : []);
    const gaps = names(y).slice(1).map((_, k) => Math.abs(y.ticks[k + 1] - y.ticks[k]));
    this.plot.style.setProperty("--names", gaps.length ? Math.min(16, (y.high - y.low) / Math.min(...gaps)) : 0);
    this.plot.dataset.names = [...names(x), ...names(y)].join("|");
    const left = Math.ceil(Math.min((0.62 * this.beside + 0.3) * size + 5, 0.48 * width));
    const last = x.words.at(-1) ?? "0", letters = last.length + Number(last.endsWith("%")); // a wide letter
    const frame = { left, right: width - Math.ceil(0.3 * size * letters + 2), top: Math.ceil(0.6 * size),
                    bottom: height - Math.ceil(x.words.length ? 1.81 * size : y.words.length ? 0.6 * size : 4), size };
    frame.rows = x.words.some(named) && this.crowded(frame) ? 2 : 1;
    frame.bottom -= Math.ceil(1.2 * size * (frame.rows - 1));
    if (square) {
      const side = Math.min(frame.right - frame.left, frame.bottom - frame.top);
      frame.right = frame.left + side;
      frame.bottom = frame.top + side;
    }
    return frame;
  }

  // Does a word below the x axis touch the one before it?
  crowded({ left, right, size }) {
    const { x } = this.axes, at = project(x, left, right), half = (k) => 0.29 * size * x.words[k].length;
    return x.ticks.some((tick, k) => k && at(tick) - half(k) < at(x.ticks[k - 1]) + half(k - 1) + 0.5 * size);
  }

  drawTicks({ left, right, top, bottom, size, rows }) {
    const { x, y, grid } = this.axes, nodes = [];
    const line = (d, name) => nodes.push(shape("path", { d, class: name }));
    if (grid) line(x.ticks.map((tick) => `M${round(this.px(tick))} ${top}V${bottom}`).join("")
                   + y.ticks.map((tick) => `M${left} ${round(this.py(tick))}H${right}`).join(""), "ldp-grid");
    line(`M${left} ${top}V${bottom}H${right}`, "ldp-spine");
    const ends = Array(rows).fill(-Infinity);
    x.words.forEach((word, k) => {
      const place = this.px(x.ticks[k]), half = 0.29 * size * word.length, row = k % rows;
      if (place - half < ends[row]) return; // no room: the grid line alone
      ends[row] = place + half + 0.5 * size;
      nodes.push(Object.assign(shape("text", { x: round(place), y: bottom + (1.46 + 1.2 * row) * size, "text-anchor": "middle" }),
                               { textContent: word }));
    });
    let above = Infinity;
    const upwards = y.words.map((word, k) => [this.py(y.ticks[k]), word]).sort(([one], [other]) => other - one);
    upwards.forEach(([place, word]) => {
      if (place > above - 1.08 * size) return;
      above = place;
      nodes.push(Object.assign(shape("text", { x: left - 5, y: round(place + 0.35 * size), "text-anchor": "end" }),
                               { textContent: word }));
    });
    this.still.replaceChildren(...nodes);
  }

  // Areas are hatched as their role says, so that they differ without colour.
  fill(role) {
    const { hatch, bare } = this.roles[role];
    if (!hatch) return `var(--ldp-${role})`;
    const id = `${this.id}-${role}`;
    if (!this.defs.querySelector(`[id="${id}"]`)) {
      const pattern = shape("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
      const ground = shape("rect", { width: 8, height: 8 });
      ground.style.fill = bare ? "none" : `var(--ldp-${role})`;
      const d = { rising: "M-1 9L9 -1M-1 1L1 -1M7 9L9 7", falling: "M-1 -1L9 9M7 -1L9 1M-1 7L1 9",
                  dots: "M2 2h1M6 6h1" }[hatch];
      const lines = shape("path", { d, class: "ldp-hatch" });
      if (bare) Object.assign(lines.style, { stroke: `var(--ldp-${role})`, strokeOpacity: 1, strokeWidth: 1.5 });
      pattern.append(ground, lines);
      this.defs.append(pattern);
    }
    return `url(#${id})`;
  }

  // A handle is a mark that moves a control: with the pointer, or with arrow keys like any slider.
  drawHandles({ left, right, top, bottom }) {
    const wanted = this.axes.marks.filter((mark) => mark.options.handle);
    while (this.handles.children.length > wanted.length) this.handles.lastChild.remove();
    wanted.forEach((mark, place) => {
      let node = this.handles.children[place];
      if (!node) {
        node = shape("rect", { class: "ldp-handle", tabindex: 0, role: "slider", rx: 4 });
        node.setAttribute("data-lm-suppress-shortcuts", "true");
        this.handles.append(node);
        this.onHandle(node, (event, { along }, value) => { // pixels from the pointer to where `value` stands
          const box = this.svg.getBoundingClientRect();
          const far = Math.abs(along === "x" ? this.px(value) + box.left - event.clientX : this.py(value) + box.top - event.clientY);
          return Number.isNaN(far) ? Infinity : far;
        });
      }
      node.handle = mark.options.handle;
      const { x = mark.arrays.right, y = mark.arrays.high } = mark.arrays, tall = mark.kind === "rule", grip = 24 * this.zoom;
      const at = { x: x ? this.px(x[0]) : (left + right) / 2, y: y ? this.py(y[0]) : (top + bottom) / 2 };
      const across = tall && !x ? right - left : grip, down = tall && !y ? bottom - top : grip;
      set(node, { x: round(at.x - across / 2), y: round(at.y - down / 2), width: across, height: down });
    });
  }

  // The nearest point of a named curve or dot, in exact numbers.
  tellValue(event) {
    if (!this.px) return;
    const box = this.svg.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let best = NEAR, said = "";
    for (const { kind, label, arrays } of this.axes.marks) {
      if (!label || !["line", "dots"].includes(kind)) continue;
      for (let k = 0; k < arrays.x.length; k++) {
        const far = Math.hypot(this.px(arrays.x[k]) - x, this.py(arrays.y[k]) - y);
        if (far < best) {
          best = far;
          said = `${label}: ${brief(arrays.x[k])}, ${brief(arrays.y[k])}`;
        }
      }
    }
    this.hover.hidden = !said;
    if (!said) return;
    put(this.hover, said);
    const room = this.plot.clientWidth - this.hover.offsetWidth;
    this.hover.style.left = `${Math.max(0, Math.min(x + 12, room))}px`;
    this.hover.style.top = `${y > 40 ? y - 32 : y + 16}px`;
  }
}

export const brief = (value) => {
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e9) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(4)));
};

const only = (group, count, tag = "path") => {
  while (group.children.length > count) group.lastChild.remove();
  while (group.children.length < count) group.append(shape(tag));
  return group.children;
};

// An open arrow at the end of a bar that its axes cut; see `cut` of picture.py.
export function cut([left, right, top, bottom], frame, most) {
  const [west, east] = [Math.max(left, frame.left), Math.min(right, frame.right)];
  const [north, south] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
  if (west >= east || north >= south) return "";
  const [wide, high] = [frame.right - frame.left, frame.bottom - frame.top];
  const [x, y] = [(west + east) / 2, (north + south) / 2];
  const ways = [
    [(frame.left - left) / wide, west, y, -1, 0], [(right - frame.right) / wide, east, y, 1, 0],
    [(bottom - frame.bottom) / high, x, south, 0, 1], [(frame.top - top) / high, x, north, 0, -1],
  ].filter(([beyond]) => beyond > 1e-3);
  if (ways.length !== 1) return ""; // what goes on in several directions is land, and no bar
  const [[, at, level, across, down]] = ways, half = Math.min(most, (across ? south - north : east - west) / 2);
  const back = (side) => `L${round(at - half * (1.4 * across + side * down))} ${round(level - half * (1.4 * down + side * across))}`;
  return `M${round(at)} ${round(level)}${back(1)}${back(-1)}z`;
}

// Each takes the group of a mark to the mark, in pixels.
const PAINT = {
  line(group, { role, arrays, options }, px, py) {
    const dash = options.dash ?? this.roles[role].dash, width = round((options.width ?? 2) * this.zoom);
    const lines = only(group, options.over ? 2 : 1), d = polyline(arrays.x, arrays.y, px, py);
    if (options.over) set(lines[0], { d, class: "ldp-halo", "stroke-width": width + 3 });
    const dashes = dash.map((length) => round(length * width)).join(" ") || "none";
    set(lines[lines.length - 1], { d, class: "ldp-line", "stroke-width": width, "stroke-dasharray": dashes });
  },
  band(group, { role, arrays }, px, py) {
    const { x, low, high } = arrays;
    const there = polyline(x, high, px, py), back = polyline([...x].reverse(), [...low].reverse(), px, py);
    const looks = this.roles[role].soft ? "ldp-area" : "ldp-area ldp-band";
    set(only(group, 1)[0], { d: there + back.replace("M", "L"), class: looks, fill: this.fill(role) });
  },
  dots(group, { role, arrays, options }, px, py) {
    const kind = options.marker ?? this.roles[role].marker, r = round((options.size ?? 8) / 2 * this.zoom);
    const xs = Array.from(arrays.x, (x) => px(x)), ys = Array.from(arrays.y, (y) => py(y));
    const looks = STROKED.has(kind) ? "ldp-line" : options.ring ? "ldp-ring" : "ldp-dot";
    set(only(group, 1)[0], { d: markers(kind, xs, ys, r), class: looks,
                             "stroke-width": r > 3 ? 1.5 : r > 2 ? 1 : 0.5 });
  },
  bars(group, { role, arrays, options }, px, py, frame) {
    let d = "", arrows = "";
    arrays.left.forEach((left, k) => {
      const [x0, x1, y0, y1] = [px(left), px(arrays.right[k]), py(arrays.low[k]), py(arrays.high[k])];
      if ([x0, x1, y0, y1].some(Number.isNaN)) return;
      d += `M${round(x0)} ${round(y0)}H${round(x1)}V${round(y1)}H${round(x0)}z`;
      if (frame) arrows += cut([x0, x1, y1, y0], frame, ARROW * this.zoom);
    });
    const [area, ends] = only(group, arrows ? 2 : 1);
    set(area, options.hollow ? { d, class: "ldp-line", "stroke-width": 1.5 } : { d, class: "ldp-area", fill: this.fill(role) });
    if (arrows) set(ends, { d: arrows, class: "ldp-ring" });
  },
  cells(group, { arrays, options }, px, py) {
    const { rows, columns, roles, box: [west, east, south, north] } = options;
    const x = Array.from({ length: columns + 1 }, (_, k) => round(px(west + (east - west) * k / columns)));
    const y = Array.from({ length: rows + 1 }, (_, k) => round(py(south + (north - south) * k / rows)));
    const areas = [...rectangles(arrays.values, rows, columns)]
      .filter(([label]) => Number.isInteger(roles) || roles[label]);
    const paths = only(group, areas.length);
    areas.forEach(([label, parts], place) => {
      const d = parts.map(([l, r, b, t]) => `M${x[l]} ${y[b]}H${x[r]}V${y[t]}H${x[l]}z`).join("");
      const fill = Number.isInteger(roles)
        ? `color-mix(in srgb, var(--ldp-truth) ${round(100 * label / (roles - 1))}%, var(--ldp-paper))`
        : this.fill(roles[label]);
      set(paths[place], { d, class: "ldp-area" });
      if (paths[place].style.fill !== fill) paths[place].style.fill = fill;
    });
  },
  polygon(group, { role, arrays, options }, px, py) {
    const d = polyline(arrays.x, arrays.y, px, py) + "z";
    set(only(group, 1)[0], options.hollow ? { d, class: "ldp-line", "stroke-width": 1.5 }
                                          : { d, class: "ldp-area", fill: this.fill(role) });
  },
  rule(group, mark, px, py, frame) {
    const { x, y } = mark.arrays, gap = NaN, same = (value) => value;
    const xs = [], ys = [];
    for (const value of x ?? []) { xs.push(px(value), px(value), gap); ys.push(frame.top, frame.bottom, gap); }
    for (const value of y ?? []) { xs.push(frame.left, frame.right, gap); ys.push(py(value), py(value), gap); }
    PAINT.line.call(this, group, { ...mark, arrays: { x: xs, y: ys } }, same, same);
  },
  arrow(group, { arrays, options }, px, py) {
    let d = "";
    arrays.x0.forEach((x0, k) => {
      const [ax, ay, bx, by] = [px(x0), py(arrays.y0[k]), px(arrays.x1[k]), py(arrays.y1[k])].map(round);
      const turn = Math.atan2(by - ay, bx - ax);
      const long = 8 * this.zoom;
      const barb = (side) =>
        `M${bx} ${by}L${round(bx - long * Math.cos(turn + side))} ${round(by - long * Math.sin(turn + side))}`;
      if (![ax, ay, bx, by].some(Number.isNaN)) d += `M${ax} ${ay}L${bx} ${by}${barb(0.45)}${barb(-0.45)}`;
    });
    set(only(group, 1)[0], { d, class: "ldp-line", "stroke-width": (options.width ?? 1.5) * this.zoom });
  },
  text(group, { arrays, options }, px, py, frame) {
    const nodes = only(group, arrays.x.length, "text"), { words, anchor, dx = 0, dy = 0 } = options;
    const wide = this.plot.clientWidth, share = { start: 0, middle: 0.5, end: 1 }[anchor];
    arrays.x.forEach((x, k) => {
      put(nodes[k], words[k % words.length]);
      // Words stay inside: a little beside their point is better than cut.
      const long = nodes[k].getComputedTextLength() + 2, place = px(x) + dx * this.zoom;
      const inside = Math.max(share * long, Math.min(wide - (1 - share) * long, place));
      const y = py(arrays.y[k]) + dy * this.zoom + 0.35 * frame.size;
      set(nodes[k], { x: round(inside), "text-anchor": anchor, y: round(Math.max(0.95 * frame.size, y)) });
    });
  },
};

"""The still picture of a state as SVG: what a notebook shows where no kernel and no matplotlib is.

The same picture as the browser draws (`ldp_lib/stage/browser/draw.js`), in the light theme, at a fixed
size. Words are as wide as in a common sans-serif font, about; there is room for wider ones.
"""

import base64
import html
import math
from functools import partial

import numpy as np

from .picture import ARROW, SWATCH, WAYS, boxes, cut, named
from .theme import FAINT, INK, PALE, PAPER, QUIET, ROLES, grey

DPI = 100
LETTER = 14
"""CSS pixels."""
WIDE = 0.56
"""Width of a letter, in letters' heights."""
_LEFT, _RIGHT, _LOW, _HIGH = SWATCH
SAMPLES = {
    "line": {"x": [_LEFT, _RIGHT], "y": [0, 0]}, "dots": {"x": [_RIGHT / 2], "y": [0]},
    "band": {"x": [_LEFT, _RIGHT], "low": [_LOW, _LOW], "high": [_HIGH, _HIGH]},
    "bars": {"left": [_LEFT], "right": [_RIGHT], "low": [_LOW], "high": [_HIGH]},
}
"""The arrays of a mark of each kind in a key."""


def image(state, title, size):
    """An HTML image of the state of a panel called `title`, `size` inches wide and high, with its words."""
    return embedded(drawn(state.picture, size).encode(), "svg+xml", f"{title}. {state.alt}", size)


def embedded(content, kind, words, size):
    """An HTML image, `size` inches, of a file's `content`, bytes of the `kind` "svg+xml" or "png".

    words : its text alternative. Readers drop that of a bare image; that of an HTML image arrives.
    """
    width, height = (round(DPI * inches) for inches in size)
    return (f'<img alt="{html.escape(words, quote=True)}" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" '
            f'src="data:image/{kind};base64,{base64.b64encode(content).decode("ascii")}">')


def drawn(picture, size):
    """The SVG file, a str, of a picture of `size` inches."""
    width, height = (DPI * inches for inches in size)
    parts = []
    ends = _shares(width, [max(axes.wide for axes in column) for column in picture.columns])
    for left, right, column in zip(ends, ends[1:], picture.columns):
        tops = _shares(height, [axes.high for axes in column])
        for top, bottom, axes in zip(tops, tops[1:], column):
            # What shares an x axis, one above the other, begins at one place.
            beside = [word for other in column if other.x == axes.x for word in other.y.words]
            parts.append(_axes(axes, (left + 6, top + 4, right - 8, bottom - 4), beside, f"clip{len(parts)}"))
    content = "".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="system-ui, DejaVu Sans, sans-serif" font-size="{LETTER}">'
            f'{_hatches(content)}<rect width="{width:g}" height="{height:g}" fill="{PAPER["light"]}"/>'
            f'{content}</svg>')


def _shares(length, parts):
    return np.concatenate([[0], np.cumsum(parts)]) / sum(parts) * length


def _hatches(content):
    """The patterns that the content of a picture uses."""
    lines = {"rising": "M-1 9L9 -1M-1 1L1 -1M7 9L9 7", "falling": "M-1 -1L9 9M7 -1L9 1M-1 7L1 9",
             "dots": "M2 2h1M6 6h1"}
    patterns = "".join(
        f'<pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" '
        f'fill="{"none" if role.bare else role.light}"/><path d="{lines[role.hatch]}" '
        + (f'stroke="{role.light}" stroke-width="1.5"/></pattern>' if role.bare else
           f'stroke="{INK["light"]}" stroke-opacity=".28"/></pattern>')
        for name, role in ROLES.items() if role.hatch and _fill(name) in content)
    return f"<defs>{patterns}</defs>"


def _words(x, y, words, anchor="start", **look):
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in look.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{html.escape(words)}</text>'


def _axes(axes, box, beside, clip):
    left, top, right, bottom = box
    parts, quiet = [], {"fill": QUIET["light"]}
    if axes.title:
        parts.append(_words(left, top + LETTER, axes.title, font_weight=600, fill=INK["light"]))
        top += 1.3 * LETTER
    key, top = _key(axes, left, top, right)
    parts += key
    if axes.ylabel:
        parts.append(_words(left, top + LETTER, axes.ylabel, **quiet))
        top += 1.3 * LETTER
    below = bottom - 3
    if axes.xlabel:
        bottom -= 1.4 * LETTER
    left += WIDE * LETTER * max([1, *map(len, beside)]) + 8
    right -= WIDE / 2 * LETTER * len(axes.x.words[-1] if axes.x.words else "")
    top, bottom = top + 0.5 * LETTER, bottom - (1.4 * LETTER if axes.x.words else 2)
    if axes.square:
        side = min(right - left, bottom - top)
        right, bottom = left + side, top + side
    if axes.xlabel:
        parts.append(_words((left + right) / 2, below, axes.xlabel, "middle", **quiet))
    px, py = _projection(axes.x, left, right), _projection(axes.y, bottom, top)
    for across, scale, place in ((True, axes.x, px), (False, axes.y, py)):
        end = -math.inf
        for at, word in zip(place(scale.ticks), scale.words):
            if axes.grid:
                d = f"M{at:.1f} {top:.1f}V{bottom:.1f}" if across else f"M{left:.1f} {at:.1f}H{right:.1f}"
                parts.append(f'<path d="{d}" stroke="{FAINT["light"]}"/>')
            if abs(at - end) >= (WIDE * LETTER * len(word) if across else LETTER):
                x, y = (at, bottom + 1.15 * LETTER) if across else (left - 5, at + 0.35 * LETTER)
                parts.append(_words(x, y, word, "middle" if across else "end", **quiet))
                end = at
    parts.append(f'<path d="M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}" fill="none" '
                 f'stroke="{INK["light"]}"/>')
    frame = left, top, right, bottom
    marks = "".join(_mark(mark, px, py, frame) + _cuts(mark, axes, px, py)
                    for mark in axes.marks if mark.kind != "text")
    words = "".join(_mark(mark, px, py, frame) for mark in axes.marks if mark.kind == "text")
    parts.append(f'<clipPath id="{clip}"><rect x="{left - 1:.1f}" y="{top - 1:.1f}" '
                 f'width="{right - left + 2:.1f}" height="{bottom - top + 2:.1f}"/></clipPath>'
                 f'<g clip-path="url(#{clip})">{marks}</g>{words}')
    return "".join(parts)


def _key(axes, left, top, right):
    """The names of the marks, in rows from `top`; and where the rows end."""
    parts, x = [], left
    for mark in named(axes):
        wide = 34 + WIDE * LETTER * len(mark.label)
        if x > left and x + wide > right:
            x, top = left, top + 1.3 * LETTER
        y = top + 0.65 * LETTER
        sample = mark._replace(arrays=SAMPLES.get(mark.kind, mark.arrays))
        parts += [_mark(sample, partial(np.add, x), partial(np.add, y), None),
                  _words(x + _RIGHT + 4, top + LETTER, mark.label, fill=INK["light"])]
        x += wide + 0.6 * LETTER
    return parts, top + 1.4 * LETTER if parts else top


def _projection(scale, start, end):
    f = np.log if scale.log else np.asarray
    low, high = f(scale.low), f(scale.high)

    def place(values):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (f(np.asarray(values, float)) - low) / (high - low)
            return np.clip(start + share * (end - start), -1e4, 1e4)

    return place


def _polyline(x, y):
    """A path through all points in tenths of a pixel; steps from one to the next are shorter than places."""
    parts, before = [], None
    for at, height in zip(np.rint(10 * np.asarray(x)), np.rint(10 * np.asarray(y))):
        if math.isnan(at) or math.isnan(height):
            before = None
            continue
        parts.append(f"M{at / 10:g} {height / 10:g}" if before is None
                     else f"l{(at - before[0]) / 10:g} {(height - before[1]) / 10:g}")
        before = at, height
    return "".join(parts)


def _fill(role):
    return f"url(#{role})" if ROLES[role].hatch else ROLES[role].light


def _line(d, role, width, dash):
    dashes = " ".join(f"{length * width:g}" for length in dash)
    return (f'<path d="{d}" fill="none" stroke="{ROLES[role].light}" stroke-width="{width}"'
            + (f' stroke-dasharray="{dashes}"' if dashes else "") + "/>")


def _area(d, role, options):
    if options.get("hollow"):
        return _line(d, role, 1.5, ())
    return f'<path d="{d}" fill="{_fill(role)}"/>'


CORNERS = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)], "triangle": [(0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
    "down": [(0, 1.2), (1.1, -0.8), (-1.1, -0.8)], "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
    "star": [((1.4, 0.55)[k % 2] * math.sin(math.pi * k / 5), -(1.4, 0.55)[k % 2] * math.cos(math.pi * k / 5))
             for k in range(10)],
}
STROKES = {
    "cross": [((-1, -1), (1, 1)), ((-1, 1), (1, -1))], "plus": [((-1, 0), (1, 0)), ((0, -1), (0, 1))],
    "minus": [((-1, 0), (1, 0))], "tick": [((0, -1), (0, 1))],
}


def _dots(mark, x, y):
    kind, r = mark.options.get("marker") or ROLES[mark.role].marker, mark.options.get("size", 8) / 2
    d = []
    for at, height in zip(x, y):
        if math.isnan(at) or math.isnan(height):
            continue
        if kind == "circle":
            d.append(f"M{at - r:.1f} {height:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z")
        elif kind in CORNERS:
            d.append("M" + "L".join(f"{at + r * a:.1f} {height + r * b:.1f}" for a, b in CORNERS[kind]) + "z")
        else:
            d += [f"M{at + r * a:.1f} {height + r * b:.1f}L{at + r * c:.1f} {height + r * e:.1f}"
                  for (a, b), (c, e) in STROKES[kind]]
    if kind in STROKES:
        return _line("".join(d), mark.role, 1.5, ())
    fill, edge, order = ROLES[mark.role].light, PAPER["light"], ' paint-order="stroke"'
    if mark.options.get("ring"):
        fill, edge, order = edge, fill, ""
    return (f'<path d="{"".join(d)}" fill="{fill}" stroke="{edge}" stroke-width="{1.5 if r > 3 else 0.5}"'
            f'{order}/>')


def _mark(mark, px, py, frame):
    """The SVG of a mark; `frame` is left, top, right, bottom."""
    kind, role, options = mark.kind, mark.role, mark.options
    a = {name: (px if name.startswith("x") else py)(values)
         for name, values in mark.arrays.items() if kind not in ("bars", "cells")}
    dash, width = options.get("dash", ROLES[role].dash), options.get("width", 2)
    if kind == "line":
        return _line(_polyline(a["x"], a["y"]), role, width, dash)
    if kind == "band":
        x, y = np.concatenate([a["x"], a["x"][::-1]]), np.concatenate([a["high"], a["low"][::-1]])
        pale = "" if ROLES[role].soft else f' opacity="{PALE["light"]}"'
        return f'<path d="{_polyline(x, y)}z" fill="{_fill(role)}"{pale}/>'
    if kind == "dots":
        return _dots(mark, a["x"], a["y"])
    if kind in ("bars", "cells"):
        return "".join(_boxes(mark, looks, px(sides[:2]), py(sides[2:])) for looks, sides in boxes(mark))
    if kind == "polygon":
        return _area(_polyline(a["x"], a["y"]) + "z", role, options)
    if kind == "rule":
        left, top, right, bottom = frame
        d = "".join([f"M{x:.1f} {top:.1f}V{bottom:.1f}" for x in a.get("x", ())]
                    + [f"M{left:.1f} {y:.1f}H{right:.1f}" for y in a.get("y", ())])
        return _line(d, role, width, dash)
    if kind == "arrow":
        return _arrow(*(float(a[end][0]) for end in ("x0", "y0", "x1", "y1")), role, width)
    halo = {"fill": INK["light"], "stroke": PAPER["light"], "stroke_width": 3, "paint_order": "stroke"}
    words = options["words"]
    return "".join(_words(x + options["dx"], y + options["dy"] + 0.35 * LETTER, words[k % len(words)],
                          options["anchor"], **halo) for k, (x, y) in enumerate(zip(a["x"], a["y"])))


def _cuts(mark, axes, px, py):
    """Open arrows at the ends of bars that the axes cut."""
    d = []
    for one, other, way in cut(mark, axes.x, axes.y) if mark.kind == "bars" else ():
        (x0, x1), (y0, y1) = (place(ends) for place, ends in zip((px, py), zip(one, other)))
        (across, down), half = WAYS[way], min(ARROW, max(abs(x1 - x0), abs(y1 - y0)) / 2)
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        back = [f"{x - half * (1.4 * across + side * down):.1f} {y - half * (1.4 * down + side * across):.1f}"
                for side in (1, -1)]
        d.append(f"M{x:.1f} {y:.1f}L{'L'.join(back)}z")
    return f'<path d="{"".join(d)}" fill="{PAPER["light"]}" stroke="{ROLES[mark.role].light}"/>' if d else ""


def _arrow(x0, y0, x1, y1, role, width):
    turn = math.atan2(y1 - y0, x1 - x0)
    barbs = "".join(
        f"M{x1:.1f} {y1:.1f}L{x1 - 8 * math.cos(turn + side):.1f} {y1 - 8 * math.sin(turn + side):.1f}"
        for side in (0.45, -0.45))
    return _line(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}{barbs}", role, width, ())


def _boxes(mark, looks, sides, ends):
    d = "".join(f"M{left:.1f} {low:.1f}H{right:.1f}V{high:.1f}H{left:.1f}z"
                for left, right, low, high in zip(*sides, *ends)
                if not any(map(math.isnan, (left, right, low, high))))
    if mark.kind == "bars":
        return _area(d, looks, mark.options)
    fill = _fill(looks) if isinstance(looks, str) else grey(looks)
    return f'<path d="{d}" fill="{fill}" shape-rendering="crispEdges"/>'

"""A picture is data: a few axes with marks, which have roles and arrays, and neither colours nor pixels.

A view makes a `Picture`; the browser (`ldp_lib/stage/browser/draw.js`), the
still picture (`still`) and matplotlib (`figure`) all draw that. Arrays are float32, or uint8 for `cells`;
a number stands for as many as the other arrays of its mark have. NaN breaks a line. Words may hold x^{...}
and x_{...}.

>>> import numpy as np
>>> n = np.array([100.0, 1000.0, 10000.0])
>>> axes = Axes("rate", log(100, 1e4), linear(0, 0.5, 0.1), title="excess risk", xlabel="people n",
...             marks=(line("risk", n, n**-0.5, "private", label="private rule"),
...                    dots("here", [1000.0], [1000.0**-0.5], "private", size=9)))
>>> [mark.key for mark in Picture(((axes,),)).axes[0].marks]
['risk', 'here']
"""

import math
import re
from typing import NamedTuple

import numpy as np

from .theme import MARKERS, ROLES


class Scale(NamedTuple):
    """An axis from `low` to `high`: the places of its `ticks`, each with a grid line, and their `words`.

    Ticks and words are chosen here, so that all renderers agree. `reads` is how `table` makes numbers of
    places where ticks tell others than their own; see `linear`.
    """

    low: float
    high: float
    ticks: tuple = ()
    words: tuple = ()
    log: bool = False
    reads: tuple = ()


class Mark(NamedTuple):
    """One thing that is drawn; made by `line`, `dots` and the others below.

    key : its name, unique in its axes: what has the same key in two pictures is one thing that moves.
    label : its name for readers, shown in the key of the axes; "" if it needs none.
    arrays : name -> array. options : what else its kind needs, plain values only.
    """

    kind: str
    key: str
    role: str
    arrays: dict
    label: str = ""
    options: dict = {}


class Axes(NamedTuple):
    """A rectangle with two scales and a sequence of marks, the first at the bottom.

    `title` says what is seen, `xlabel` and `ylabel` what the scales count. `square` gives both scales the
    same unit. `wide` and `high` are its shares of the picture's width and of its column's height. `grid`
    False leaves the grid lines out.
    """

    key: str
    x: Scale
    y: Scale
    title: str = ""
    xlabel: str = ""
    ylabel: str = ""
    marks: tuple = ()
    square: bool = False
    wide: float = 1.0
    high: float = 1.0
    grid: bool = True


class Picture(NamedTuple):
    """What a scene shows: `columns` from left to right, each a tuple of `Axes` from top to bottom.

    Where there is no room beside each other, all of them stand in one column.
    """

    columns: tuple

    @property
    def axes(self):
        """All axes, column by column."""
        return tuple(axes for column in self.columns for axes in column)


def between(before, after, share):
    """The picture a `share` (0 to 1) of the way: what has one key in both, and as many points, moves.

    What is new in `after` is there at once. As `between` of `ldp_lib/stage/browser/draw.js`.
    """
    old = {axes.key: axes for axes in before.axes}
    return Picture(tuple(tuple(_axes_between(old[axes.key], axes, share) if axes.key in old else axes
                               for axes in column) for column in after.columns))


def _axes_between(old, axes, share):
    def mix(start, end):
        return start + share * (end - start)

    def scale(start, end):
        if start.log or end.log:
            return end
        return end._replace(low=mix(start.low, end.low), high=mix(start.high, end.high))

    def mark(end):
        start = marks.get(end.key)
        if not start or start.kind != end.kind or end.kind == "cells" or any(
                name not in start.arrays or len(start.arrays[name]) != len(array)
                for name, array in end.arrays.items()):
            return end
        return end._replace(arrays={name: mix(start.arrays[name].astype(float), array).astype(np.float32)
                                    for name, array in end.arrays.items()})

    marks = {mark.key: mark for mark in old.marks}
    return axes._replace(x=scale(old.x, axes.x), y=scale(old.y, axes.y), marks=tuple(map(mark, axes.marks)))


def handless(picture, moved=()):
    """The picture without handles of other controls than those `moved`, nor names that ask to drag them.

    Without `moved` for films and cards.
    """
    def still(mark):
        grip = mark.options.get("handle")
        if grip is None or grip["control"] in moved:
            return mark
        return mark._replace(label="" if "drag" in mark.label else mark.label,
                             options=mark.options | {"handle": None})

    return Picture(tuple(tuple(axes._replace(marks=tuple(map(still, axes.marks))) for axes in column)
                         for column in picture.columns))


def linear(low, high, step=None, words="{:g}", *, ticks=None, reads=()):
    """A linear `Scale` with ticks at the multiples of `step`, or at `ticks`.

    words : a format for the tick words, or the words themselves. reads : (offset, factor, base, unit), the
    last ones as needed: a place p stands for v = offset + factor p, or for base^v if base is not 0, in units.
    """
    if ticks is None:
        ticks = () if step is None else [k * step for k in range(math.ceil(low / step - 1e-9),
                                                                 math.floor(high / step + 1e-9) + 1)]
    return Scale(float(low), float(high), *_ticks(ticks, words), reads=tuple(reads))


def log(low, high, words=None, *, ticks=None, every=1, reads=()):
    """A logarithmic `Scale` with ticks at every `every`-th power of ten, or at `ticks`; 0 < low < high."""
    if ticks is None:
        powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        ticks = [10.0**k for k in powers if k % every == 0]
    return Scale(float(low), float(high), *_ticks(ticks, words or power_of_ten), log=True, reads=tuple(reads))


def raised(text):
    """`text` as an exponent, in letters that every renderer has: digits, signs, dot, n and d.

    >>> "10" + raised(-4), "n" + raised("−0.25")
    ('10⁻⁴', 'n⁻⁰·²⁵')
    """
    return str(text).translate(str.maketrans("0123456789-−+.nd", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺·ⁿᵈ"))


def power_of_ten(value):
    """The words of 10^k: 0.1, 1, 10 and 100 as they are, others as a power.

    >>> power_of_ten(1e-4), power_of_ten(10.0)
    ('10⁻⁴', '10')
    """
    exponent = round(math.log10(value))
    if not math.isclose(value, 10.0**exponent) or -1 <= exponent <= 2:
        return f"{value:g}"
    return f"10{raised(exponent)}"


def _settled(value):
    """The value to twelve digits: 1/32, off by a last bit, is then 1/32, and 0.0312 in three."""
    return float(f"{value:.12g}")


def short(value):
    """A number, not below 0, in three digits, as people say it in a lecture.

    >>> short(17_800), short(1e6), short(1.78e9), short(0.00257), short(2.08e-16)
    ('17,800', '10⁶', '1.78·10⁹', '0.00257', '2.08·10⁻¹⁶')
    """
    mantissa, exponent = f"{_settled(value):.2e}".split("e")
    if -4 <= int(exponent) < 6:
        return figures(value)
    return ("" if float(mantissa) == 1 else f"{float(mantissa):g}·") + f"10{raised(int(exponent))}"


def signed(words):
    """Words in which numbers below 0 have a minus, and no hyphen: −0.2, n^−0.5, 1e-05.

    A ValueError where nan or inf stands for a number.

    >>> signed("-0.2 to 3; x-1")
    '−0.2 to 3; x-1'
    """
    if not isinstance(words, str):
        raise TypeError(f"{words!r:.60} is a {type(words).__name__}; what is said must be text.")
    if re.search(r"(?<![\w-])-?(?:nan|inf)(?![\w-])", words):
        raise ValueError(f"{words!r:.90} says nan or inf; say in words what happens there.")
    return re.sub(r"(?<![\w.)])-(?=\.?\d)", "−", words)


def percent(share):
    """A probability in words, which says that it is certain only if it is.

    >>> percent(0.517), percent(0.99999), percent(1.0)
    ('51.7%', '> 99.9%', '100.0%')
    """
    words = f"{share:.1%}"
    if words == "100.0%" and share < 1 - 1e-14:    # or else it is 1 up to rounding
        return "> 99.9%"
    return "< 0.1%" if words == "0.0%" and share > 0 else words


def figures(value, digits=3):
    """A number in so many digits, with commas: 1.4, 63, 640, 1,200."""
    return f"{float(f'{_settled(value):.{digits}g}'):,.15g}"


def _ticks(ticks, words):
    ticks = tuple(float(tick) for tick in ticks)
    if isinstance(words, str):
        words = words.format
    if callable(words):
        words = [words(tick) for tick in ticks]
    words = tuple(str(word).replace("-", "−") for word in words)
    if len(words) != len(ticks):
        raise ValueError(f"{len(ticks)} ticks have {len(words)} words; give one for each.")
    return ticks, words


def handle(control, along="x", factor=1.0, offset=0.0, power=1):
    """Makes a mark draggable: it moves `control`, whose value v stands there at offset + factor v^power.

    power 0 stands for the natural logarithm of v. For the option `handle` of `dots`, `rule` and `bars`.
    """
    return {"control": control, "along": along, "factor": float(factor), "offset": float(offset),
            "power": power}


def line(key, x, y, role, *, label="", width=2.0, dash=None, over=False):
    """A curve through the points; NaN breaks it. `dash` () is solid, None the role's own."""
    return _mark("line", key, role, label, {"x": x, "y": y}, width=width, dash=dash, over=over)


def step(key, x, y, role, *, label=""):
    """A step function that is y[k] from x[k] to x[k + 1]: a line with corners."""
    return line(key, np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1], role, label=label)


def band(key, x, low, high, role, *, label=""):
    """The area between two curves over the same x."""
    return _mark("band", key, role, label, {"x": x, "low": low, "high": high})


def dots(key, x, y, role, *, label="", size=5.0, marker=None, ring=False, handle=None):
    """A marker at every point, `size` CSS pixels wide; None is the role's own. `ring`: hollow."""
    if marker is not None and marker not in MARKERS:
        raise ValueError(f"marker = {marker!r} is unknown; choose one of {', '.join(map(repr, MARKERS))}.")
    return _mark("dots", key, role, label, {"x": x, "y": y}, size=size, marker=marker, ring=ring,
                 handle=handle)


def bars(key, left, right, low, high, role, *, label="", hollow=False, handle=None, counts=None):
    """Filled rectangles from (left, low) to (right, high).

    counts : of rectangles that stand for one number together, that number: a table says it, and not where
    each of them is.
    """
    return _mark("bars", key, role, label, {"left": left, "right": right, "low": low, "high": high},
                 hollow=hollow, handle=handle, counts=counts)


def cells(key, values, roles, box=(0, 1, 0, 1), *, labels=()):
    """A regular grid on `box` = (left, right, bottom, top): cell (i, k) is an area of roles[values[i, k]].

    values : whole numbers, shape (rows, columns), the first row at the bottom. roles : names of roles, None
    leaves a cell empty; or a whole number m of shades of grey from paper (0) to ink (m - 1). labels : of the
    roles, for the key of the axes; of shades a single one, which stands beside all of them.
    """
    values = np.ascontiguousarray(values, np.uint8)
    if values.ndim != 2:
        raise ValueError(f"values has shape {values.shape}; it must be (rows, columns).")
    for role in () if isinstance(roles, int) else roles:
        _known(role or "truth")
    return Mark("cells", key, "truth", {"values": values.ravel()}, "",
                {"rows": values.shape[0], "columns": values.shape[1], "box": [float(end) for end in box],
                 "roles": roles if isinstance(roles, int) else list(roles), "labels": list(labels)})


def polygon(key, x, y, role, *, label="", hollow=False):
    """A closed area."""
    return _mark("polygon", key, role, label, {"x": x, "y": y}, hollow=hollow)


def rule(key, role, *, x=None, y=None, label="", width=1.3, dash=None, handle=None):
    """A line across the whole axes at x, or at y; a number or several."""
    if (x is None) == (y is None):
        raise ValueError("a rule needs x or y, one of them.")
    place = {"x": np.atleast_1d(x)} if y is None else {"y": np.atleast_1d(y)}
    return _mark("rule", key, role, label, place, width=width, dash=dash, handle=handle)


def arrow(key, x0, y0, x1, y1, role, *, width=1.5):
    """An arrow from (x0, y0) to (x1, y1)."""
    return _mark("arrow", key, role, "", {"x0": x0, "y0": y0, "x1": x1, "y1": y1}, width=width)


def text(key, x, y, words, *, anchor="start", dx=0.0, dy=0.0):
    """Words at a point, in ink; `words` a string, x and y numbers, or as many of each.

    anchor : "start", "middle" or "end" of the words is there. dx, dy : CSS pixels to the right and down.
    """
    if anchor not in ("start", "middle", "end"):
        raise ValueError(f'anchor = {anchor!r} is unknown; choose "start", "middle" or "end".')
    words = [words] if isinstance(words, str) else list(words)
    return _mark("text", key, "truth", "", {"x": np.atleast_1d(x), "y": np.atleast_1d(y)}, words=words,
                 anchor=anchor, dx=dx, dy=dy)


EDGES = ("left", "right", "low", "high")
"""Arrays of `bars`."""
SWATCH = (0, 26, 5, -5)
"""Left, right, bottom and top of an area in a key, in CSS pixels, its left end and its middle being 0."""
STANDS_FOR = {"rule": "line", "polygon": "bars"}
"""Kinds of marks that another one stands for in the key of the axes."""


def named(axes):
    """What the key of `axes` shows: an area of cells stands there as a bar of its role, shades as a row of
    all; other marks as their kind or one of `STANDS_FOR`."""
    for mark in axes.marks:
        if mark.label:
            yield mark._replace(kind=STANDS_FOR.get(mark.kind, mark.kind))
        roles = mark.options.get("roles")
        for place, label in enumerate(mark.options.get("labels", ())):
            if isinstance(roles, int):
                yield cells(mark.key, [range(roles)], roles, SWATCH)._replace(label=label)
            else:
                yield Mark("bars", mark.key, roles[place], {}, label)


def boxes(mark):
    """What `bars` and `cells` fill: pairs of a role, or a grey, and boxes (left, right, low, high), arrays.

    A grey is a number from 0 (paper) to 1 (ink). Cells of one label that touch in a row are one box.
    """
    if mark.kind == "bars":
        yield mark.role, [mark.arrays[side] for side in EDGES]
        return
    options = mark.options
    values = mark.arrays["values"].reshape(options["rows"], options["columns"])
    left, right, bottom, top = options["box"]
    x = np.linspace(left, right, options["columns"] + 1)
    y = np.linspace(bottom, top, options["rows"] + 1)
    row, start = np.nonzero(np.diff(values.astype(int), axis=1, prepend=-1))
    end = np.append(start[1:], 0)
    end[end == 0] = options["columns"]
    for label in np.unique(values):
        roles, here = options["roles"], values[row, start] == label
        look = label / (roles - 1) if isinstance(roles, int) else roles[label]
        if look is not None:
            yield look, [x[start[here]], x[end[here]], y[row[here]], y[row[here] + 1]]


ARROW = 5.0
"""Half the width, in CSS pixels, of the open arrow where axes cut the end of a bar; less in a thin bar."""
WAYS = {"left": (-1, 0), "right": (1, 0), "down": (0, 1), "up": (0, -1)}
"""The directions in which bars go on, across and down the screen."""


def cut(mark, x, y):
    """Where the scales `x` and `y` cut `bars`: for each such end the two corners (x, y) that the bar has on
    the edge of the axes, and a name of `WAYS`. What goes on in several directions is land, and no bar.

    >>> list(cut(bars("tall", [1], [3], [0], [9], "private"), linear(0, 4), linear(-5, 5)))
    [((1.0, 5.0), (3.0, 5.0), 'up')]
    """
    for left, right, low, high in zip(*(mark.arrays[side].tolist() for side in EDGES)):
        (west, east), (south, north) = ((max(start, scale.low), min(end, scale.high))
                                        for start, end, scale in ((left, right, x), (low, high, y)))
        if not (west < east and south < north):
            continue  # out of sight, or NaN
        ends = {"left": (-share(x, left), (west, south), (west, north)),
                "right": (share(x, right) - 1, (east, south), (east, north)),
                "down": (-share(y, low), (west, south), (east, south)),
                "up": (share(y, high) - 1, (west, north), (east, north))}
        ways = [way for way, (beyond, *_) in ends.items() if beyond > 1e-3]
        if len(ways) == 1:
            yield *ends[ways[0]][1:], ways[0]


def share(scale, value):
    """How far along a scale a value is: 0 at its low end, 1 at its high end."""
    if not scale.log:
        return (value - scale.low) / (scale.high - scale.low)
    return -math.inf if value <= 0 else math.log(value / scale.low) / math.log(scale.high / scale.low)


def _known(role):
    if role not in ROLES:
        raise ValueError(f"role = {role!r} is unknown; choose one of {', '.join(map(repr, ROLES))}.")
    return role


def _mark(kind, key, role, label, arrays, **options):
    arrays = {name: np.ascontiguousarray(values, np.float32).ravel() for name, values in arrays.items()}
    lengths = {name: len(values) for name, values in arrays.items()}
    several = set(lengths.values()) - {1}
    if len(several) > 1:
        raise ValueError(f"mark {key!r} has arrays of different lengths, {lengths}; they must be equal or 1.")
    length = max(several, default=1)
    arrays = {name: values if len(values) == length else np.repeat(values, length)
              for name, values in arrays.items()}
    return Mark(kind, key, _known(role), arrays, label,
                {name: option for name, option in options.items()
                 if option is not None and option is not False})

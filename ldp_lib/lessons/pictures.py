"""What several panels show: fits of a rule, curves, where the sliders stand, rows of pictures."""

import math
from functools import lru_cache

import numpy as np
from contourpy import contour_generator

from ldp_lib.stage.picture import Axes, Picture, bars, cells, dots, handle, line, linear, short

ERROR = 1e-5
"""Relative error of exact risks in pictures, far below the width of a line."""
PIXELS = 96
"""Points per axis of the pictures of fits."""


def broken(parts):
    """The points of several lines as one that is broken between them: `parts` (k, m), NaN after each row."""
    return np.column_stack([parts, np.full(len(parts), np.nan)]).ravel()


def stems(places, values):
    """Upright lines from 0 to `values` at `places`, (m,): x and y of one broken line."""
    return broken(np.column_stack([places, places])), broken(np.column_stack([np.zeros(len(values)), values]))


@lru_cache(maxsize=16)
def boundary(law, points):
    """Where eta crosses 1/2: lines (2, m) in the unit square, NaN after each, from `points` values per axis.

    With one feature the second axis of the square means nothing, and the lines stand upright.
    """
    x = np.linspace(0.001, 0.999, points)
    if law.d == 2:
        both = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
        return contour(x, law.eta(both).reshape(points, points))
    before = np.flatnonzero(np.diff(law.eta(x[:, None]) >= 0.5))
    upright = np.stack([(x[before] + x[before + 1]) / 2] * 2, axis=1)
    return np.stack([broken(upright), broken(np.tile([0.0, 1.0], (len(before), 1)))])


def contour(x, eta):
    """Where `eta`, (m, m) values at x and x, crosses 1/2, if it is not NaN: lines (2, k), NaN after each."""
    lines = contour_generator(x, x, np.ma.masked_invalid(eta), name="serial").lines(0.5)
    return np.concatenate([np.empty((0, 2)), *(np.vstack([line_, [[np.nan] * 2]]) for line_ in lines)]).T


def painted(labels, h, middle=0.0):
    """The labels of cells of side h, (K,) or (K, K), on PIXELS x PIXELS points of the unit square.

    middle : 1/2 if cells have grid points in their middles, the first one in 0.
    """
    cell = ((np.arange(PIXELS) + 0.5) / PIXELS / h + middle).astype(int)
    return np.tile(labels[cell], (PIXELS, 1)) if labels.ndim == 1 else labels[np.ix_(cell, cell)].T


def fit(key, decisions, best, title, *, xlabel="", ylabel="", marks=(), areas=("says 0", "says 1"),
        dashes=""):
    """The `Axes` of one fit: its areas, `marks`, and as dashes the `boundary` of the best rule.

    decisions : labels, (m, m), rows are the second feature. areas, dashes : their names in the key, if any.
    """
    unit = linear(0, 1, 0.5)
    return Axes(key, unit, unit, title, xlabel, ylabel,
                (cells("areas", decisions, ("zero", "one"), labels=areas), *marks,
                 line("best", *best, "best", label=dashes, over=True)), square=True, grid=False)


def curves(looks, values):
    """Lines of `values`, name -> (x, y).

    looks : name -> (label, role, options of `line`), in the order in which they are drawn, the first below.
    """
    return [line(name, *values[name], role, label=label, **options)
            for name, (label, role, options) in looks.items() if name in values]


def upright(key, places, heights, role, *, wide=0.7, low=0.0, **looks):
    """`bars` about `places`, so `wide`, from `low` up to `heights`, or down to them; `looks` are theirs.

    >>> found = upright("signal", [0, 1], [2, -3], "truth").arrays
    >>> found["low"].tolist(), found["high"].tolist()
    ([0.0, -3.0], [2.0, 0.0])
    """
    places, half = np.asarray(places, float), wide / 2
    return bars(key, places - half, places + half, np.minimum(low, heights), np.maximum(low, heights), role,
                **looks)


def lying(key, ends, rows, role, *, high=0.6, low=0.0, **looks):
    """`bars` about `rows`, so `high`, from `low` to `ends`; `looks` are theirs."""
    return bars(key, low, ends, rows - high / 2, rows + high / 2, role, **looks)


def listed(words):
    """Rows for a sequence of `words`, the first on top: their places, (m,), and the named `Scale`."""
    rows = np.arange(len(words), 0, -1.0)
    return rows, linear(0.4, len(words) + 0.6, ticks=rows[::-1], words=words[::-1])


def side_by_side(words):
    """The `Scale` of columns at 0, 1, ..., called `words`."""
    return linear(-0.6, len(words) - 0.4, ticks=range(len(words)), words=words)


def round_distance(least):
    """The shortest distance of ticks that is `least` or more, and 1, 2 or 5 times a power of ten.

    >>> round_distance(0.3), round_distance(11.0)
    (0.5, 20.0)
    """
    unit = 10.0 ** math.floor(math.log10(least))
    return next(unit * k for k in (1, 2, 5, 10) if least <= unit * k)


def here(x, y, role, *, moves=None, label=""):
    """The large dot where the sliders stand; it is a handle of the control `moves` along x."""
    return dots("here", x, y, role, label=label, size=13, handle=moves and handle(moves))


def risk_in_words(value, least):
    """An exact risk; what is below `least` is rounding."""
    return short(value) if value >= least else f"below {short(least)}"


def row(columns, words, size=(10.0, 3.7)):
    """A figure of `size` inches that says `words`, of `columns` side by side: `Axes`, or lists of them."""
    from ldp_lib.stage.figure import render  # matplotlib is loaded by those who ask for it

    return render(Picture(tuple((column,) if isinstance(column, Axes) else column for column in columns)),
                  words, size)

"""The numbers of a picture, as a table for each of its axes: for who does not see it, and who draws it anew.

The browser's half, `ldp_lib/stage/browser/table.js`, makes the same rows.

>>> from ldp_lib.stage.picture import Axes, bars, line, linear, log
>>> axes = Axes("rate", log(100, 1e4), linear(-3, 0, reads=(0, 1, 10)), "the rate", "people n", marks=(
...     line("risk", [100, 1000], [-1, -1.5], "private", label="private rule"),))
>>> table(axes)
Table(caption='the rate', heads=('series', 'people n', 'y'), rows=[('private rule', 100.0, 0.1), \
('private rule', 1000.0, 0.0316)])
"""

import itertools
import math
from typing import NamedTuple

SIDES = {"band": ("x", "", "low", "high"), "bars": ("left", "right", "low", "high"),
         "arrow": ("x0", "x1", "y0", "y1")}
"""Arrays of where a mark begins and ends, across and up; the others are points."""
POINT = ("x", "", "y", "")


class Table(NamedTuple):
    """The numbers of one axes: `heads` of columns, and `rows`, each the name of a series and what it is at.

    A cell is a number as the ticks tell it, the name of the tick beside it, or None. Words say
    no place along an axis without ticks.
    """

    caption: str
    heads: tuple[str, ...]
    rows: list[tuple]


def table(axes):
    """The `Table` of an `Axes`: what its key names first, and no column in which nothing stands."""
    marks = sorted(axes.marks, key=lambda mark: not (mark.label or mark.options.get("labels")))
    rows = []
    for mark in marks:
        across, up = (_reader(scale) if scale.ticks or mark.kind != "text" else _nowhere
                      for scale in (axes.x, axes.y))
        rows += [(name, *_ends(across, left, right), *_ends(up, low, high))
                 for name, left, right, low, high in _spans(mark)]
    filled = [any(row[column] is not None for row in rows) for column in range(5)]
    heads = ["series"]
    for label, scale, second in ((axes.xlabel or "x", axes.x, filled[2]),
                                 (axes.ylabel or "y", axes.y, filled[4])):
        head = f"{label}, in {scale.reads[3]}" if len(scale.reads) > 3 else label
        heads += [f"{head}: from", f"{head}: to"] if second else [head, ""]
    kept = [column for column in range(5) if filled[column] or not column]
    return Table(axes.title or axes.key, tuple(heads[column] for column in kept),
                 [tuple(row[column] for column in kept) for row in rows])


def _named(word):
    """Is a tick's word a name, and no number or symbol?"""
    return any(one.isalpha() and other.isalpha() for one, other in itertools.pairwise(word))


def _reader(scale):
    """What a place on an axis says: a number as its ticks tell it, or the name of the tick beside it."""
    offset, factor, base = (*scale.reads, *(0, 1, 0)[len(scale.reads):])[:3]
    told = (offset, factor, base) != (0, 1, 0)
    names = [(tick, word) for tick, word in zip(scale.ticks, scale.words) if not told or _named(word)]
    if not any(map(_named, scale.words)):
        names = []
    near = min((abs(one - other) for one, other in itertools.combinations(scale.ticks, 2)), default=1) / 2

    def read(place):
        if place is None:
            return None
        for tick, word in names:
            if abs(place - tick) <= near:
                return word
        value = offset + factor * place
        if not base:
            return float(f"{value:.7g}") if told else value
        return float(f"{base**value:.3g}") if abs(value) < 300 else f"{base}^{math.floor(value + 0.5)}"

    return read


def _nowhere(place):
    """What an axis without ticks says of a place."""


def _ends(read, start, end):
    """Both ends as they are read; a name once, if they have one."""
    first, last = read(start), read(end)
    return (first, None) if isinstance(first, str) and first == last else (first, last)


def _spans(mark):
    """Name and ends of all points of a mark; of cells, runs of a label in a row; what `counts`, once."""
    options = mark.options
    if mark.kind == "cells":
        yield from _runs(mark)
        return
    if "counts" in options:
        left, right = float(mark.arrays["left"].min()), float(mark.arrays["right"].max())
        yield mark.label or mark.key, (left + right) / 2, None, options["counts"], None
        return
    sides = [mark.arrays.get(side) for side in SIDES.get(mark.kind, POINT)]
    for k in range(len(next(side for side in sides if side is not None))):
        # A float32 by its shortest decimal: 0.1, and not 0.10000000149.
        places = [None if side is None else float(str(side[k])) for side in sides]
        words = options["words"][k % len(options["words"])] if mark.kind == "text" else None
        if words != "" and not any(place is not None and math.isnan(place) for place in places):
            yield f"“{words}”" if words else mark.label or mark.key, *places


def _runs(mark):
    options, roles, labels = mark.options, mark.options["roles"], mark.options["labels"]
    rows, columns, (left, right, bottom, top) = options["rows"], options["columns"], options["box"]
    shades = isinstance(roles, int)

    def called(value):
        if shades:
            return f"{labels[0] if labels else mark.key}: {value} of {roles - 1}"
        return labels[value] if value < len(labels) else roles[value]

    def across(column):
        return left + (right - left) * column / columns

    def up(row):
        return bottom + (top - bottom) * row / rows

    for row, values in enumerate(mark.arrays["values"].reshape(rows, columns).tolist()):
        start = 0
        for value, run in itertools.groupby(values):
            end = start + len(list(run))
            if shades or roles[value]:
                yield called(value), across(start), across(end), up(row), up(row + 1)
            start = end

"""Metric spaces: distance, maximal packings, Voronoi cells (Bousquet et al., 2022, Appendix A).

An r-packing is a set of points **more** than r apart; it is maximal if no point of the space can be added, so
that everybody is within r of it and Voronoi cells have diameter at most 2r (Lemma A.8). A packing belongs to
the space and to r, never to the data: centres that depend on people would tell who they are.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from ldp_lib._arguments import points, real, require_memory
from ldp_lib.nature.cantor import cantor_function, cantor_quantile

ON_THE_SET = 1e-9
"""How far off a curved or broken set the coordinates of one of its points may be."""
BLOCK = 2**20
"""Distances computed at a time."""


class MetricSpace(ABC):
    """A metric space whose points are rows of `width` coordinates.

    `doubling_dimension` : at least log2 of the number of balls of half the radius that cover a ball; an upper
    bound is all that the theorems need.  `diameter` : largest distance, infinite where there is none.
    """

    width = 1
    doubling_dimension: float
    diameter: float

    def __repr__(self):
        return f"{type(self).__name__}()"

    @abstractmethod
    def contains(self, X):
        """Whether each row of X, (n, width), is a point of the space; (n,) booleans."""

    @abstractmethod
    def distance(self, a, b):
        """Distances between points (..., width), broadcast against each other; shape (...)."""

    @abstractmethod
    def packing(self, r):
        """A maximal r-packing of the space, r > 0: its points, shape (m, width)."""

    def validate(self, X):
        """X as floats of shape (n, width), every row a point of the space; or say which row is not."""
        X = points("X", X, self.width)
        outside = ~self.contains(X)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(f"X has in row {row} what is not a point of {self!r}; "
                             "map people to points of the space first, by a rule that is public.")
        return X

    def nearest(self, X, centres):
        """Number of the nearest centre of each row of X, (n,); the first of several."""
        index = np.empty(len(X), dtype=np.intp)
        step = max(1, BLOCK // len(centres))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            index[rows] = self.distance(X[rows, None, :], centres[None, :, :]).argmin(axis=1)
        return index

    def voronoi(self, r):
        """The `Voronoi` cells of a maximal r-packing."""
        return Voronoi(self, self.packing(r))


class Voronoi:
    """The cells of all points nearest to each of `centres`, (m, width); at a tie the first centre's."""

    def __init__(self, space, centres):
        self.space, self.centres = space, centres

    def locate(self, X):
        """The number of the cell of each row of X, whole numbers, (n,)."""
        return self.space.nearest(X, self.centres)


def _radius(r):
    return real("r", r, above=0, cure="r is the distance that points of the packing exceed.")


def _even_gaps(length, r):
    """How many equal gaps of `length` are longer than r and at most 2r: the fewest possible."""
    cells = math.ceil(length / (2 * r))
    require_memory(f"A packing of {cells:,} points", 64.0 * cells, "Increase r.")
    return cells


class _Numbers(MetricSpace):
    """Sets of numbers, with cells that are intervals."""

    def distance(self, a, b):
        """|a - b|."""
        return np.abs(np.asarray(a) - np.asarray(b))[..., 0]

    def nearest(self, X, centres):
        """Number of the nearest centre of each row of X, (n,); the lower of two."""
        order = np.argsort(centres[:, 0], kind="stable")
        ends = centres[order, 0]
        return order[np.searchsorted((ends[1:] + ends[:-1]) / 2, X[:, 0])]


class Interval(_Numbers):
    """[0, 1] with distance |x - y|."""

    doubling_dimension, diameter = 1.0, 1.0

    def contains(self, X):
        """Whether each row of X lies in [0, 1]."""
        return (X[:, 0] >= 0) & (X[:, 0] <= 1)

    def packing(self, r):
        """The middles of equal cells of length in (r, 2r]; a single one for r >= 1/2."""
        cells = _even_gaps(1.0, _radius(r))
        return ((np.arange(cells) + 0.5) / cells)[:, None]


class Line(_Numbers):
    """The real line: unbounded, so that its packings are infinite; the multiples of 2r are one."""

    doubling_dimension, diameter = 1.0, math.inf

    def contains(self, X):
        """Whether each row of X is a number."""
        return np.isfinite(X[:, 0])

    def packing(self, r):
        """Refused: the packing is infinite; `voronoi` knows its cells all the same."""
        raise ValueError(f"the packing of {self!r} at r = {r!r} is infinite; use voronoi(r).locate(X).")

    def voronoi(self, r):
        """The cells (2k - 1) r <= x < (2k + 1) r around the multiples of 2r."""
        return LineCells(2 * _radius(r))


class LineCells:
    """The Voronoi cells of all multiples of `width`; cell k is around k times it."""

    def __init__(self, width):
        self.width = width

    def locate(self, X):
        """The number k of the cell of each row of X, (n,)."""
        k = np.floor(X[:, 0] / self.width + 0.5)
        # Beyond 2^62 cells floats no longer tell neighbours apart.
        return np.clip(k, -2.0**62, 2.0**62).astype(np.int64)


class Circle(_Numbers):
    """A circle of circumference 1, points given as turns in [0, 1), with arc length as distance."""

    doubling_dimension, diameter = 1.0, 0.5

    def contains(self, X):
        """Whether each row of X is a turn in [0, 1)."""
        return (X[:, 0] >= 0) & (X[:, 0] < 1)

    def distance(self, a, b):
        """Length of the shorter arc."""
        apart = super().distance(a, b) % 1.0
        return np.minimum(apart, 1 - apart)

    def nearest(self, X, centres):
        """Number of the nearest centre of each row of X, (n,)."""
        return MetricSpace.nearest(self, X, centres)

    def packing(self, r):
        """Equally spaced points, their gaps in (r, 2r]; a single one for r >= 1/2."""
        cells = _even_gaps(1.0, _radius(r))
        return ((np.arange(cells) + 0.5) / cells)[:, None]


class CantorSet(_Numbers):
    """The Cantor set with distance |x - y|.

    Three balls of half the radius cover a ball, two do not always: the greedy cover from the left, which is
    the smallest for intervals, was computed for all balls of the set's first levels, and smaller ones are
    similar.
    """

    doubling_dimension, diameter = math.log2(3), 1.0

    def contains(self, X):
        """Whether each row of X is within 1e-9 of the set."""
        x = np.clip(X[:, 0], 0.0, 1.0)
        level = cantor_function(x)
        # The quantile is the right end of a gap; by symmetry, the left end.
        after = np.where(level < 1, cantor_quantile(np.minimum(level, 1 - 2.0**-53)), 1.0)
        before = np.where(level > 0, 1 - cantor_quantile(np.minimum(1 - level, 1 - 2.0**-53)), 0.0)
        return np.minimum(np.abs(X[:, 0] - after), np.abs(X[:, 0] - before)) <= ON_THE_SET

    def packing(self, r):
        """Greedy from the left: after p, the largest point of the set within 2r, or the next one beyond r.

        Between neighbours p and q the set has no point in (p + r, q - r), which is all that maximality asks.
        """
        r = _radius(r)
        require_memory(f"A packing at r = {r:g}", 64.0 / r, "Increase r.")
        centres = [_last_up_to(r)]
        while cantor_function(centres[-1] + r) < 1.0:
            start = centres[-1] + r
            # The first point of the set beyond `start`, give or take its gap.
            first = max(_first_from(start), np.nextafter(start, 2.0))
            centres.append(max(_last_up_to(first + r), first))
        return np.array(centres)[:, None]


def _last_up_to(x):
    """The largest point of the Cantor set that is at most x >= 0."""
    level = cantor_function(min(x, 1.0))
    return 1.0 - float(cantor_quantile(1.0 - level)) if level > 0 else 0.0


def _first_from(x):
    """The smallest point of the Cantor set from x < 1 on, where F(x) < 1."""
    return float(cantor_quantile(cantor_function(x)))

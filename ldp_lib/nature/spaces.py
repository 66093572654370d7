"""Metric spaces: distance, maximal packings, Voronoi cells (Bousquet et al., 2022, Appendix A).

An r-packing is a set of points **more** than r apart; it is maximal if no point of the space can be added, so
that everybody is within r of it and Voronoi cells have diameter at most 2r (Lemma A.8). A packing belongs to
the space and to r, never to the data: centres that depend on people would tell who they are.
"""

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from ldp_lib._arguments import numeric, points, real, require_memory, whole
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
    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X, (n, width), is a point of the space; (n,) booleans."""

    @abstractmethod
    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """Distances between points (..., width), broadcast against each other; shape (...)."""

    @abstractmethod
    def packing(self, r: float) -> np.ndarray:
        """A maximal r-packing of the space, r > 0: its points, shape (m, width)."""

    def validate(self, X: ArrayLike) -> np.ndarray:
        """X as floats of shape (n, width), every row a point of the space; or say which row is not."""
        X = points("X", X, self.width)
        outside = ~self.contains(X)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(f"X has in row {row} what is not a point of {self!r}; "
                             "map people to points of the space first, by a rule that is public.")
        return X

    def nearest(self, X: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of each row of X, (n,); the first of several."""
        index = np.empty(len(X), dtype=np.intp)
        step = max(1, BLOCK // len(centres))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            index[rows] = self.distance(X[rows, None, :], centres[None, :, :]).argmin(axis=1)
        return index

    def voronoi(self, r: float) -> "Voronoi | LineCells":
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


def in_order(centres):
    """The order of the numbers `centres`, (m, 1), from left to right; the middles between neighbours."""
    order = np.argsort(centres[:, 0], kind="stable")
    ends = centres[order, 0]
    return order, (ends[1:] + ends[:-1]) / 2


class _Numbers(MetricSpace):
    """Sets of numbers; [0, 1] unless a subclass says what else, with cells that are intervals."""

    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """|a - b|."""
        return np.abs(np.asarray(a) - np.asarray(b))[..., 0]

    def nearest(self, X: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of each row of X, (n,); the lower of two."""
        order, middles = in_order(centres)
        return order[np.searchsorted(middles, X[:, 0])]

    def packing(self, r: float) -> np.ndarray:
        """The middles of the fewest equal cells of [0, 1] at most 2r long; they are longer than r, or one."""
        cells = math.ceil(1.0 / (2 * _radius(r)))
        require_memory(f"A packing of {cells:,} points", 64.0 * cells, "Increase r.")
        return ((np.arange(cells) + 0.5) / cells)[:, None]


class Interval(_Numbers):
    """[0, 1] with distance |x - y|."""

    doubling_dimension, diameter = 1.0, 1.0

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X lies in [0, 1]."""
        return (X[:, 0] >= 0) & (X[:, 0] <= 1)


class Line(_Numbers):
    """The real line: unbounded, so that its packings are infinite; the multiples of 2r are one."""

    doubling_dimension, diameter = 1.0, math.inf

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X is a number."""
        return np.isfinite(X[:, 0])

    def packing(self, r: float) -> np.ndarray:
        """Refused: the packing is infinite; `voronoi` knows its cells all the same."""
        raise ValueError(f"the packing of {self!r} at r = {r!r} is infinite; use voronoi(r).locate(X).")

    def voronoi(self, r: float) -> "LineCells":
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

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X is a turn in [0, 1)."""
        return (X[:, 0] >= 0) & (X[:, 0] < 1)

    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """Length of the shorter arc."""
        apart = super().distance(a, b) % 1.0
        return np.minimum(apart, 1 - apart)

    # Cells are arcs: one of them goes across 0.
    nearest = MetricSpace.nearest


class CantorSet(_Numbers):
    """The Cantor set with distance |x - y|.

    Three balls of half the radius cover a ball, two do not always: the greedy cover from the left, which is
    the smallest for intervals, was computed for all balls of the set's first levels, and smaller ones are
    similar.
    """

    doubling_dimension, diameter = math.log2(3), 1.0

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X is within 1e-9 of the set."""
        x = np.clip(X[:, 0], 0.0, 1.0)
        level = cantor_function(x)
        # The quantile is the right end of a gap; by symmetry, the left end.
        after = np.where(level < 1, cantor_quantile(np.minimum(level, 1 - 2.0**-53)), 1.0)
        before = np.where(level > 0, 1 - cantor_quantile(np.minimum(1 - level, 1 - 2.0**-53)), 0.0)
        return np.minimum(np.abs(X[:, 0] - after), np.abs(X[:, 0] - before)) <= ON_THE_SET

    def packing(self, r: float) -> np.ndarray:
        """Greedy from the left: after p, the largest point of the set within 2r, or the next one beyond r.

        Between neighbours p and q the set has no point in (p + r, q - r), which is all that maximality asks.
        """
        r = _radius(r)
        require_memory(f"A packing at r = {r:g}", 64.0 / r, "Increase r.")
        centres = [_last_up_to(r)]
        while cantor_function(centres[-1] + r) < 1.0:
            start = centres[-1] + r
            # The first point of the set beyond `start`, give or take its gap.
            first = max(float(cantor_quantile(cantor_function(start))), np.nextafter(start, 2.0))
            centres.append(max(_last_up_to(first + r), first))
        return np.array(centres)[:, None]


def _last_up_to(x):
    """The largest point of the Cantor set that is at most x >= 0."""
    level = cantor_function(min(x, 1.0))
    return 1.0 - float(cantor_quantile(1.0 - level)) if level > 0 else 0.0


class GraphMetric(MetricSpace):
    """The vertices 0, ..., n - 1 of a connected graph; a point is the number of a vertex, shape (n, 1).

    edges : (m, 2), the vertices that each edge joins.  lengths : (m,), > 0.

    `paths` : (n, n), the distances.  `doubling_dimension` is computed: the largest number of balls that the
    greedy cover of any ball takes, an upper bound.
    """

    def __init__(self, edges: ArrayLike, lengths: ArrayLike):
        ends = numeric("edges", edges)
        if ends.ndim != 2 or ends.shape[1] != 2 or not ((ends >= 0) & (ends == np.floor(ends))).all():
            raise ValueError(f"edges has shape {ends.shape}; it must be (m, 2), two vertices a row.")
        weights = numeric("lengths", lengths)
        if weights.shape != (len(ends),) or not ((weights > 0) & np.isfinite(weights)).all():
            raise ValueError(f"lengths has shape {weights.shape}; give every edge a finite length > 0.")
        self.edges, self.lengths = ends.astype(np.intp), weights
        n = int(self.edges.max()) + 1
        require_memory(f"The distances of {n:,} vertices", 24.0 * n * n, "Use a smaller graph.")
        # SciPy 1.14 finds paths in matrices with 32-bit indices only.
        graph = csr_array((weights, tuple(self.edges.T.astype(np.int32))), shape=(n, n))
        self.paths = dijkstra(graph, directed=False)
        if not np.isfinite(self.paths).all():
            raise ValueError("edges leaves some vertices unconnected; join them, and leave no number out.")

    def __repr__(self):
        return f"{type(self).__name__}({len(self.paths)} vertices)"

    @property
    def diameter(self) -> float:
        """The largest distance."""
        return float(self.paths.max())

    @cached_property
    def doubling_dimension(self) -> float:
        """log2 of the largest greedy cover of a ball by balls of half its radius."""
        most = 1
        for centre in range(len(self.paths)):
            for radius in np.unique(self.paths[centre])[1:]:
                uncovered = self.paths[centre] <= radius
                near = self.paths <= radius / 2
                balls = 0
                while uncovered.any():
                    uncovered &= ~near[np.argmax(near @ uncovered.astype(float))]
                    balls += 1
                most = max(most, balls)
        return math.log2(max(most, 2))

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X is the number of a vertex."""
        return (X[:, 0] >= 0) & (X[:, 0] < len(self.paths)) & (X[:, 0] == np.floor(X[:, 0]))

    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """Lengths of shortest paths."""
        return self.paths[np.asarray(a)[..., 0].astype(np.intp), np.asarray(b)[..., 0].astype(np.intp)]

    def nearest(self, X: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of each row of X, (n,); the first of several."""
        return self.paths[:, centres[:, 0].astype(np.intp)].argmin(axis=1)[X[:, 0].astype(np.intp)]

    def packing(self, r: float) -> np.ndarray:
        """Greedy in the order of the vertices."""
        r = real("r", r, above=0)
        centres, free = [], np.ones(len(self.paths), bool)
        while free.any():
            centres.append(int(np.argmax(free)))
            free &= self.paths[centres[-1]] > r
        return np.array(centres, dtype=float)[:, None]


class BinaryTree(GraphMetric):
    """A tree in which every vertex of depth below `depth` has two children, half as far as its parent.

    Vertex 0 is the root; the children of v are 2 v + 1 and 2 v + 2, at distance 2^-(depth of the child).
    """

    def __init__(self, depth: int = 5):
        self.depth = whole("depth", depth, least=1, most=10)
        child = np.arange(1, 2 ** (self.depth + 1) - 1)
        super().__init__(np.column_stack([(child - 1) // 2, child]), 2.0 ** -np.floor(np.log2(child + 1)))

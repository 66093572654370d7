"""Metric spaces: distance, maximal packings, Voronoi cells (Bousquet et al., 2022, Appendix A).

An r-packing is a set of points **more** than r apart; it is maximal if no point of the space can be added, so
that everybody is within r of it and Voronoi cells have diameter at most 2r (Lemma A.8). A packing belongs to
the space and to r, never to the data: centres that depend on people would tell who they are.

With the spaces stand the Cantor function and exact integrals over Voronoi cells of the sphere.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ldp_lib._arguments import numeric, places, points, real, require_memory, whole
from ldp_lib._rounding import ranks

ON_THE_SET = 1e-9
"""How far off a curved or broken set the coordinates of one of its points may be."""
BLOCK = 2**20
"""Distances computed at a time."""
SMALLEST_RADIUS = 0.1
"""Packings of smaller radius have more than a thousand points; Algorithm 4 with 10^11 people stays above."""
ROUNDING = 1e-9
"""Rounding errors of angles between corners of cells and centres stay far below this."""
TIE = 1e-12
"""Distances, and cosines of them, that differ by a smaller share are equal."""
TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / math.sqrt(3)


class MetricSpace(ABC):
    """A metric space whose points are rows of `width` coordinates.

    `doubling_dimension` : at least log2 of the number of balls of half the radius that cover a ball; an upper
    bound is all that the theorems need.  `diameter` : largest distance, infinite where there is none.

    >>> from ldp_lib.nature import Sphere
    >>> sphere = Sphere()                       # every subclass has what stands here
    >>> cells = sphere.voronoi(1.0)
    >>> len(cells.centres), cells.locate(sphere.validate([[0, 0, 1], [0, 0, -1]])).tolist()
    (8, [0, 1])
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
            index[rows] = _first_nearest(self.distance(X[rows, None, :], centres[None, :, :]))
        return index

    def voronoi(self, r: float) -> Voronoi | LineCells:
        """The `Voronoi` cells of a maximal r-packing."""
        return Voronoi(self, self.packing(r))


def _first_nearest(distance):
    """The first column that has the least of its row's distances, up to `TIE`."""
    return (distance <= distance.min(axis=1, keepdims=True) * (1 + TIE)).argmax(axis=1)


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
    """[0, 1] with distance |x - y|.

    >>> Interval().packing(0.25).tolist()
    [[0.25], [0.75]]
    """

    doubling_dimension, diameter = 1.0, 1.0

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X lies in [0, 1]."""
        return (X[:, 0] >= 0) & (X[:, 0] <= 1)


class Line(_Numbers):
    """The real line: unbounded, so that its packings are infinite; the multiples of 2r are one.

    >>> Line().voronoi(0.5).locate(np.array([[0.1], [7.3]])).tolist()
    [0, 7]
    """

    doubling_dimension, diameter = 1.0, math.inf

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X is a number."""
        return np.isfinite(X[:, 0])

    def packing(self, r: float) -> np.ndarray:
        """Refused: the packing is infinite; `voronoi` knows its cells all the same."""
        raise ValueError(f"the packing of {self!r} at r = {r!r} is infinite; use voronoi(r).locate(X).")

    def voronoi(self, r: float) -> LineCells:
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
    """A circle of circumference 1, points given as turns in [0, 1), with arc length as distance.

    >>> round(float(Circle().distance([0.1], [0.9])), 12), Circle().diameter
    (0.2, 0.5)
    """

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


_BITS = 60
_LOW_BITS = np.uint64(2**_BITS - 1)

# The sum of 2 b_i / 3^i for each number with the binary digits b_1 ... b_11.
_CHUNK = 11
_TERNARY = np.zeros(1)
for _ in range(_CHUNK):
    _TERNARY = np.concatenate((_TERNARY / 3.0, _TERNARY / 3.0 + 2.0 / 3.0))


def cantor_function(x: ArrayLike) -> np.ndarray:
    """The distribution function F of the uniform law on the Cantor set.

    Reads the ternary digits of x up to the first 1, halves the 2s and takes the result as binary digits.
    F is only Hoelder of order log 2 / log 3, so that an error of 1e-16 in x would become 1e-10 in F: the
    digits are therefore taken from x, the float itself, by integer arithmetic with 120 binary places.

    Parameters
    ----------
    x : float or array
        Points of the line, any shape. F is 0 below 0 and 1 above 1; a NaN is refused.

    Returns
    -------
    array
        F(x), of the shape of `x`, in [0, 1]: within 2^-64 of the truth, plus the rounding to a float.

    Examples
    --------
    >>> cantor_function([0.25, 0.4, 0.5]).round(12).tolist()
    [0.333333333333, 0.5, 0.5]
    """
    x = np.clip(places("x", x), 0.0, 1.0)
    scaled = np.where(x < 1.0, x, 0.0) * 2.0**_BITS
    high = scaled.astype(np.uint64)
    low = ((scaled - high) * 2.0**_BITS).astype(np.uint64)
    three, shift = np.uint64(3), np.uint64(_BITS)
    value = np.where(x < 1.0, 0.0, 1.0)
    reading = x < 1.0
    for position in range(1, 65):
        low *= three
        high = high * three + (low >> shift)
        low &= _LOW_BITS
        digit = high >> shift
        high &= _LOW_BITS
        value += np.where(reading & (digit > 0), 2.0**-position, 0.0)
        reading = reading & (digit != 1)
    return value


def cantor_quantile(level):
    """The point of the Cantor set at `level` in [0, 1): binary digits doubled and read in base three."""
    digits = (np.asarray(level) * 2.0 ** (5 * _CHUNK)).astype(np.uint64)
    x = np.zeros(digits.shape)
    for _ in range(5):  # 5 * 11 = 55 digits, more than the 53 of a float; the last ones first
        x = _TERNARY[digits & np.uint64(2**_CHUNK - 1)] + x / 3.0**_CHUNK
        digits >>= np.uint64(_CHUNK)
    return x


class CantorSet(_Numbers):
    """The Cantor set with distance |x - y|.

    Three balls of half the radius cover a ball, two do not always: the greedy cover from the left, which is
    the smallest for intervals, was computed for all balls of the set's first levels, and smaller ones are
    similar.

    >>> CantorSet().contains(np.array([[0.25], [0.5]])).tolist()
    [True, False]
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
    """The vertices 0, ..., n - 1 of a connected graph, with lengths of shortest paths as distances.

    A point is the number of a vertex, shape (n, 1).

    Parameters
    ----------
    edges : array of shape (m, 2)
        The vertices that each edge joins, whole numbers from 0 on. Every vertex must be reached.
    lengths : array of shape (m,)
        Length of each edge, finite and > 0.

    Attributes
    ----------
    edges : array of shape (m, 2)
        As given, as whole numbers.
    lengths : array of shape (m,)
        As given, as floats.
    paths : array of shape (n, n)
        The distances.
    diameter : float
        The largest distance.
    doubling_dimension : float
        Computed: log2 of the largest number of balls that the greedy cover of any ball takes, an upper bound.

    Examples
    --------
    >>> path = GraphMetric([[0, 1], [1, 2]], lengths=[1.0, 2.0])
    >>> path.diameter, path.packing(1.0).tolist()
    (3.0, [[0.0], [2.0]])
    """

    def __init__(self, edges: ArrayLike, lengths: ArrayLike):
        ends = numeric("edges", edges)
        if ends.ndim != 2 or ends.shape[1] != 2 or not len(ends):
            raise ValueError(f"edges has shape {ends.shape}; it must be (m, 2), m >= 1, two vertices a row.")
        vertices = np.isfinite(ends) & (ends >= 0) & (ends == np.floor(ends))
        if not vertices.all():
            raise ValueError(f"edges has the vertex {ends[~vertices][0]:g}; vertices are whole numbers >= 0.")
        if len(np.unique(np.sort(ends, axis=1), axis=0)) < len(ends):
            raise ValueError("edges names an edge twice, perhaps the other way round; keep the shorter one.")
        weights = numeric("lengths", lengths)
        if weights.shape != (len(ends),) or not ((weights > 0) & np.isfinite(weights)).all():
            raise ValueError(f"lengths has shape {weights.shape}; give every edge a finite length > 0.")
        self.edges, self.lengths = ends.astype(np.intp), weights
        n = int(self.edges.max()) + 1
        require_memory(f"The distances of {n:,} vertices", 24.0 * n * n, "Use a smaller graph.")
        # SciPy 1.14 finds paths in matrices with 32-bit indices only.
        graph = scipy.sparse.csr_array((weights, tuple(self.edges.T.astype(np.int32))), shape=(n, n))
        self.paths = scipy.sparse.csgraph.dijkstra(graph, directed=False)
        if not np.isfinite(self.paths).all():
            raise ValueError("edges leaves some vertices unconnected; join them, and leave no number out.")
        self.diameter = float(self.paths.max())

    def __repr__(self):
        return f"{type(self).__name__}({len(self.paths)} vertices)"

    @cached_property
    def doubling_dimension(self) -> float:
        """log2 of the largest greedy cover of a ball by balls of half its radius."""
        most = 1
        for centre in range(len(self.paths)):
            for radius in np.unique(self.paths[centre])[1:] * (1 + TIE):
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
        return _first_nearest(self.paths[:, centres[:, 0].astype(np.intp)])[X[:, 0].astype(np.intp)]

    def packing(self, r: float) -> np.ndarray:
        """Greedy in the order of the vertices."""
        r = real("r", r, above=0)
        centres, free = [], np.ones(len(self.paths), bool)
        while free.any():
            centres.append(int(np.argmax(free)))
            free &= self.paths[centres[-1]] > r * (1 + TIE)
        return np.array(centres, dtype=float)[:, None]


class BinaryTree(GraphMetric):
    """A tree in which every vertex of depth below `depth` has two children, half as far as its parent.

    Vertex 0 is the root; the children of v are 2 v + 1 and 2 v + 2, at distance 2^-(depth of the child).

    Parameters
    ----------
    depth : int
        Depth of the leaves, 1 to 10; 5 unless given. The tree has 2^(depth + 1) - 1 vertices.

    Attributes
    ----------
    depth : int
        As given.
    edges, lengths, paths, diameter, doubling_dimension
        As in `GraphMetric`.

    Examples
    --------
    >>> tree = BinaryTree(depth=2)
    >>> tree, tree.diameter
    (BinaryTree(7 vertices), 1.5)
    """

    def __init__(self, depth: int = 5):
        self.depth = whole("depth", depth, least=1, most=10)
        child = np.arange(1, 2 ** (self.depth + 1) - 1)
        super().__init__(np.column_stack([(child - 1) // 2, child]), 2.0 ** -np.floor(np.log2(child + 1)))


class Sphere(MetricSpace):
    """The unit sphere in three dimensions, points (n, 3) of length 1, with angles as distances.

    Seven caps of half the radius cover a cap, as seven discs do in the plane: doubling dimension log2 7 at
    most.

    >>> round(float(Sphere().distance([0, 0, 1], [0, 1, 0])), 6)
    1.570796
    """

    width = 3
    doubling_dimension, diameter = math.log2(7), math.pi

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X has length 1, up to 1e-9."""
        return np.abs(np.linalg.norm(np.clip(X, -2, 2), axis=1) - 1) <= ON_THE_SET

    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """Angle between the points, in [0, pi]; accurate for small angles and for nearly opposite points."""
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        apart, together = (np.sqrt(((a + sign * b) ** 2).sum(axis=-1)) for sign in (-1, 1))
        return 2 * np.arctan2(apart, together)

    def nearest(self, X: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of each row of X, (n,), by the inner product; the first of several."""
        product = X @ centres.T
        return (product >= product.max(axis=1, keepdims=True) - TIE).argmax(axis=1)

    def packing(self, r: float) -> np.ndarray:
        """Greedy: from a tetrahedron on, add corners of the Voronoi cells that are more than r away.

        The distance to the centres has its local maxima at those corners, so that the packing is maximal
        when no corner is left: a certificate for all points of the sphere, not for those of a net.
        """
        r = real("r", r, least=SMALLEST_RADIUS, cure="Finer packings have more than a thousand points.")
        return _greedy(r).copy()


@lru_cache(maxsize=64)
def _greedy(r):
    if r >= math.pi:
        return TETRAHEDRON[:1]
    # Opposite points leave the equator, pi/2 away; the tetrahedron's points are 1.91 apart.
    centres = TETRAHEDRON if r < math.acos(-1 / 3) else np.concatenate([TETRAHEDRON[:1], -TETRAHEDRON[:1]])
    while len(centres) > 3:
        corners = scipy.spatial.SphericalVoronoi(centres).vertices
        distance = Sphere().distance(corners[:, None], centres).min(axis=1)
        corners, distance = corners[distance > r + ROUNDING], distance[distance > r + ROUNDING]
        if len(corners) == 0:
            break
        added = []
        # The packing is symmetric: many corners are equally far, and come in the order of their coordinates.
        for corner in corners[np.lexsort([ranks(column) for column in (*corners.T, -distance)])]:
            if not added or Sphere().distance(corner, np.array(added)).min() > r + ROUNDING:
                added.append(corner)
        centres = np.concatenate([centres, added])
    return centres


def cell_integrals(centres):
    """Areas of the Voronoi cells of a `Sphere.packing`, and the integrals of x and of |x_3| over them: (m,),
    (m, 3), (m,); exact.

    On a polygon with corners v_k in order the integral of x is half the sum of the angles of the edges times
    the unit normals of their planes (Lambert, 1760), up to its sign; |x_3| is twice x_3 above the equator,
    less x_3.
    """
    m = len(centres)
    if m < 4:
        # One cell is the sphere; the cells of two opposite points are halves of it, with cap height 1.
        return np.full(m, 4 * np.pi / m), (m - 1) * np.pi * centres, np.full(m, 2 * np.pi / m)
    cells = scipy.spatial.SphericalVoronoi(centres)
    cells.sort_vertices_of_regions()
    polygons = [cells.vertices[region] for region in cells.regions]
    moment = np.array([_moment(corners) for corners in polygons])
    north = np.array([_moment(_northern(corners)) for corners in polygons])
    sign = np.sign((moment * centres).sum(axis=1))  # corners may run either way round
    return cells.calculate_areas(), sign[:, None] * moment, sign * (2 * north - moment)[:, 2]


def _northern(corners):
    """The part of a convex spherical polygon with x_3 >= 0."""
    after = np.roll(corners, -1, axis=0)
    here, there = corners[:, 2:], after[:, 2:]
    crossings = np.abs(there) * corners + np.abs(here) * after
    kept = np.stack([corners, crossings], axis=1)[np.hstack([here >= 0, here * there < 0])]
    return kept / np.linalg.norm(kept, axis=1, keepdims=True)


def _moment(corners):
    normals = np.cross(corners, np.roll(corners, -1, axis=0))
    sine = np.linalg.norm(normals, axis=1)
    angle = Sphere().distance(corners, np.roll(corners, -1, axis=0))
    # An edge of length 0 has no direction and no weight.
    weight = np.divide(angle, sine, out=np.zeros_like(sine), where=sine > 0)
    return weight @ normals / 2

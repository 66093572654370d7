"""Classification problems on metric spaces, with exact masses of Voronoi cells."""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from ldp_lib._arguments import numeric, real
from ldp_lib.nature.base import CellMasses, LabelledLaw, Problem, build
from ldp_lib.nature.spaces import (
    BinaryTree, CantorSet, Circle, GraphMetric, Interval, Line, LineCells, MetricSpace, Sphere, Voronoi,
    cell_integrals, in_order,
)
from ldp_lib.nature.waves import Cantor, Sine


class SpaceProblem(LabelledLaw):
    """A law of (X, Y) on `space` x {0, 1}.  `bayes_risk` : error probability of the best rule.

    >>> from ldp_lib.nature import space_problem
    >>> law = space_problem("sphere")
    >>> law.space, law.voronoi_masses(law.space.voronoi(2.0)).p.round(3).tolist()
    (Sphere(), [0.5, 0.5])
    """

    kind = "space_problem"
    space: MetricSpace

    @property
    def _bytes(self):
        return 32.0 * self.space.width

    @abstractmethod
    def voronoi_masses(self, voronoi: Voronoi | LineCells) -> CellMasses:
        """Exact `CellMasses` of the cells of a `Voronoi` of the space."""

    @cached_property
    def bayes_risk(self) -> float:
        """Error probability of the best rule, (1 - E|2 eta - 1|) / 2."""
        return float(1 - self.voronoi_masses(self.space.voronoi(self.space.diameter)).margin.sum()) / 2


class OnNumbers(SpaceProblem):
    """A one-dimensional `Problem` of `ldp_lib.nature`, read on the interval, the circle or the Cantor set."""

    def __init__(self, name, space, law):
        if not isinstance(law, Problem) or law.d != 1:
            raise TypeError(f'law = {law!r:.60} is no problem with d = 1; try problem("sine").')
        self.name, self.space, self.law = name, space, law
        self.params = {key: value for key, value in law.params.items() if key != "d"}

    def eta(self, X):
        """P(Y = 1 | X = x) of the law."""
        return self.law.eta(self.space.validate(X))

    def _points(self, n, rng):
        return self.law.sample(n, rng=rng)[0]

    def voronoi_masses(self, voronoi):
        """The masses of the intervals between the middles of neighbouring centres."""
        order, middles = in_order(voronoi.centres)
        # On the circle the middle of the last and the first centre has to be the end of the interval.
        edges = np.concatenate([[0.0], middles, [1.0]])[:, None]
        masses = np.empty((3, len(order)))
        masses[:, order] = self.law.masses(edges[:-1], edges[1:])
        return CellMasses(*masses)


class OnSphere(SpaceProblem):
    """X uniform on the sphere, eta(x) = 1/2 + amplitude x_3."""

    name = "sphere"
    space = Sphere()

    def __init__(self, amplitude=0.4):
        self.amplitude = real("amplitude", amplitude, least=0, most=0.5)

    def eta(self, X):
        """1/2 + amplitude x_3."""
        return 0.5 + self.amplitude * self.space.validate(X)[:, 2]

    def _points(self, n, rng):
        X = rng.standard_normal((n, 3))
        return X / np.linalg.norm(X, axis=1, keepdims=True)

    def voronoi_masses(self, voronoi):
        """Areas and first moments of spherical polygons."""
        area, moment, height = (values / (4 * np.pi) for values in cell_integrals(voronoi.centres))
        return CellMasses(area, area / 2 + self.amplitude * moment[:, 2], 2 * self.amplitude * height)


class OnGraph(SpaceProblem):
    """People at the vertices of a graph: `weights` and `eta_at`, (number of vertices,) each."""

    def __init__(self, space, weights, eta_at, name="graph", params=None):
        if not isinstance(space, GraphMetric):
            raise TypeError(f"space = {space!r:.60} is no GraphMetric; people sit at the vertices of one.")
        self.weights, self.eta_at = numeric("weights", weights), numeric("eta_at", eta_at)
        for key, values in (("weights", self.weights), ("eta_at", self.eta_at)):
            if values.shape != (len(space.paths),) or not (values >= 0).all():
                raise ValueError(f"{key} must hold {len(space.paths)} numbers >= 0, one a vertex.")
        if (self.eta_at > 1).any() or not 0 < self.weights.sum() < np.inf:
            raise ValueError("eta_at must be probabilities and weights have a finite sum > 0.")
        self.weights = self.weights / self.weights.sum()
        self.name, self.space, self.params = name, space, params or {}

    def eta(self, X):
        """The probability of label 1 at each vertex."""
        return self.eta_at[self.space.validate(X)[:, 0].astype(np.intp)]

    def _points(self, n, rng):
        return rng.choice(len(self.weights), size=n, p=self.weights).astype(float)[:, None]

    def voronoi_masses(self, voronoi):
        """Sums over the vertices of each cell."""
        cell = voronoi.locate(np.arange(len(self.weights), dtype=float)[:, None])
        parts = self.weights, self.weights * self.eta_at, self.weights * np.abs(2 * self.eta_at - 1)
        return CellMasses(*(np.bincount(cell, part, minlength=len(voronoi.centres)) for part in parts))


class HeavyTails(SpaceProblem):
    """X Cauchy on the line, eta(x) = 1/2 + amplitude sin(2 pi frequency F(x)), F the distribution function.

    Without a mean, and a tenth of the people is beyond 6.3: no interval holds them all.
    """

    name = "heavy_tails"
    space = Line()

    def __init__(self, amplitude=0.4, frequency=1):
        self.law = Sine(1, amplitude, frequency)
        self.params = {"amplitude": amplitude, "frequency": frequency}
        self.bayes_risk = self.law.bayes_risk

    def eta(self, X):
        """That of the sine problem at the level F(x)."""
        return self.law.eta(_cauchy_level(self.space.validate(X)))

    def _points(self, n, rng):
        return np.tan(np.pi * (rng.random((n, 1)) - 0.5))

    def voronoi_masses(self, voronoi):
        """Refused: there are infinitely many cells; `cell_masses` knows each of them."""
        raise ValueError(f"{self!r} has infinitely many cells; use cell_masses(voronoi, cells).")

    def cell_masses(self, voronoi, cells):
        """Exact `CellMasses` of the cells with the given numbers, (m,)."""
        lower, upper = ((numeric("cells", cells) + half)[:, None] * voronoi.width for half in (-0.5, 0.5))
        return self.law.masses(_cauchy_level(lower), _cauchy_level(upper))


def _cauchy_level(x):
    return 0.5 + np.arctan(x) / np.pi


def interval(amplitude=0.4, frequency=1):
    """The sine problem on `Interval`."""
    return OnNumbers("interval", Interval(), Sine(1, amplitude, frequency))


def circle(amplitude=0.4, frequency=2):
    """X uniform on `Circle`, eta(x) = 1/2 + amplitude sin(2 pi frequency x)."""
    return OnNumbers("circle", Circle(), Sine(1, amplitude, frequency))


def cantor(amplitude=0.4, frequency=1):
    """The Cantor problem on `CantorSet`."""
    return OnNumbers("cantor", CantorSet(), Cantor(1, amplitude, frequency))


def tree(depth=5, amplitude=0.4):
    """People spread evenly over a `BinaryTree`; eta = 1/2 +- amplitude from the grandchildren on.

    Signs are +, -, +, - from left to right; above the grandchildren, at three vertices, eta = 1/2.
    """
    space = BinaryTree(depth)
    amplitude = real("amplitude", amplitude, least=0, most=0.5)
    vertex = np.arange(len(space.paths)) + 1
    level = np.floor(np.log2(vertex)).astype(int)
    # In binary, the digits of the vertex after the first are the turns from the root.
    second = (vertex >> np.maximum(level - 2, 0)) & 1
    eta = np.where(level >= 2, 0.5 + amplitude * (1 - 2 * second), 0.5)
    return OnGraph(space, np.ones(len(vertex)), eta, "tree", {"depth": space.depth, "amplitude": amplitude})


SPACE_PROBLEMS = {
    "interval": interval, "circle": circle, "sphere": OnSphere, "tree": tree, "cantor": cantor,
    "heavy_tails": HeavyTails,
}
"""Name -> class or function that builds the problem; its signature lists the parameters."""


def space_problem(name: str, **params: object) -> SpaceProblem:
    """Build a problem on a metric space by name.

    Parameters
    ----------
    name : str
        A key of `SPACE_PROBLEMS`.
    params : keyword arguments
        Those of the entry; its signature lists them.

    Returns
    -------
    SpaceProblem
        A law of (X, Y) on `space` x {0, 1}; `bayes_risk` is the error probability of the best rule.

    Examples
    --------
    >>> sphere = space_problem("sphere")
    >>> round(sphere.bayes_risk, 12), sphere.space
    (0.3, Sphere())
    """
    return build("space_problem", SPACE_PROBLEMS, name, params)

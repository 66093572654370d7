"""What every law of the collection can do, and every classification problem on [0, 1]^d.

A problem is a law of (X, Y) on [0, 1]^d x {0, 1}, written as

    P(X in A, Y = 1) = integral over A of eta dP_X,   eta(x) = P(Y = 1 | X = x),

whose box probabilities are known in closed form, so that risks can be
computed exactly in place of being simulated.  A subclass supplies `eta` and
`_masses`; where X is not uniform, also its density (None if there is none) and
how to draw it.  Private methods find their arguments checked.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice, generator, points, reals, require_memory, together, whole


@lru_cache(maxsize=64)
def _parameters(made):
    """The names of what a class or a function takes: laws are built at every step of a slider."""
    return tuple(inspect.signature(made).parameters)


class CellMasses(NamedTuple):
    """What exact risks need to know of cells; arrays of one shape."""

    p: np.ndarray
    """P(X in cell)."""
    q: np.ndarray
    """P(X in cell, Y = 1)."""
    margin: np.ndarray
    """E[ |2 eta(X) - 1| ; X in cell ], the excess risk of being wrong all over the cell."""


class Law(ABC):
    """A law with a name, parameters and samples: a problem, one on a metric space, or a density.

    Attributes
    ----------
    name : str, as given to the function `kind` of `ldp_lib.nature` that builds it
    params : dict, the parameters that make up the law
    """

    kind: str
    _bytes: int
    """Memory that the sample of one person takes."""

    @cached_property
    def name(self) -> str:
        """That of the class in small letters, unless something else is set."""
        return type(self).__name__.lower()

    @cached_property
    def params(self) -> dict[str, object]:
        """The parameters of the class, from the attributes of the same names."""
        return {key: getattr(self, key) for key in _parameters(type(self))}

    def __repr__(self):
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"{self.kind}({self.name!r}{params})"

    @abstractmethod
    def _draw(self, n, rng):
        """`sample`, its arguments checked."""

    def sample(self, n: int, *, rng: Randomness) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Draw n independent people, exactly from the law.

        Of a density: x, shape (n,).  Of a problem: `X`, (n, d) floats (coordinates of points on a metric
        space), and `y`, (n,) integers 0 or 1.  `rng` is a numpy Generator or a whole number >= 0 and the
        only source of randomness.
        """
        n = whole("n", n)
        require_memory(f"A sample of n = {n} people", self._bytes * n, "Draw several smaller samples.")
        return self._draw(n, generator(rng))


class LabelledLaw(Law):
    """A law of (X, Y), Y being 0 or 1."""

    @abstractmethod
    def eta(self, X: ArrayLike) -> np.ndarray:
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,)."""

    @abstractmethod
    def _points(self, n, rng):
        """n draws of X, one a row."""

    def _draw(self, n, rng):
        X = self._points(n, rng)
        return X, (rng.random(n) < self.eta(X)).astype(np.int64)


class Problem(LabelledLaw):
    """A law of (X, Y) on [0, 1]^d x {0, 1} with exact box probabilities; `d` is the number of features.

    >>> from ldp_lib.nature import problem
    >>> law = problem("sine")
    >>> law.d, law.eta([[0.25], [0.75]]).round(3).tolist(), round(float(law.margin_mass([0.0], [0.5])), 6)
    (1, [0.9, 0.1], 0.254648)
    """

    kind = "problem"
    d: int

    density_bins = None
    """Numbers of equal bins on the axes of [0, 1]^d on which the density is constant; None where it is
    not."""

    @property
    def _bytes(self):
        return 8 * (self.d + 1)

    def density(self, X: ArrayLike) -> np.ndarray:
        """Lebesgue density of X at each row, shape (n, d) -> (n,), 0 outside the unit cube.

        `density` itself is None where the law of X has none.
        """
        X = points("X", X, self.d)
        return ((X >= 0.0) & (X <= 1.0)).all(axis=1) * self._density(X)

    def _density(self, X):
        """`density` in the unit cube: there 1, unless a subclass knows better."""
        return 1.0

    def _points(self, n, rng):
        """Uniform, unless a subclass knows better."""
        return rng.random((n, self.d))

    @abstractmethod
    def _masses(self, lower, upper):
        """p, q and margin (`CellMasses`) of boxes inside the domain, up to rounding errors."""

    def masses(self, lower: ArrayLike, upper: ArrayLike) -> CellMasses:
        """Exact `CellMasses` of boxes: what `cell_masses` and `margin_mass` return, at once."""
        p, q, margin = self._masses(*self._boxes(lower, upper))
        # Differences of cumulative masses can miss 0 <= q <= p <= 1 by a rounding error.
        p = np.clip(p, 0.0, 1.0)
        return CellMasses(p, np.clip(q, 0.0, p), np.clip(margin, 0.0, 1.0))

    def cell_masses(self, lower: ArrayLike,
                    upper: ArrayLike) -> tuple[float | np.ndarray, float | np.ndarray]:
        """Exact `(p, q)` with p = P(X in box) and q = P(X in box, Y = 1).

        `lower` and `upper` have shape (..., d), broadcast against each other and satisfy
        lower <= upper; p and q have the shape without the last axis, an absolute error of about
        1e-16 and satisfy 0 <= q <= p <= 1.  Boxes may stick out of [0, 1]^d, where there is no mass.
        """
        return self.masses(lower, upper)[:2]

    def margin_mass(self, lower: ArrayLike, upper: ArrayLike) -> float | np.ndarray:
        """Exact E[ |2 eta(X) - 1| ; X in box ], the excess risk of being wrong all over the box.

        Arguments and shape of the result as in `cell_masses`.
        """
        return self.masses(lower, upper).margin

    @cached_property
    def _whole(self):
        """The masses of the domain."""
        return self.masses(np.zeros(self.d), np.ones(self.d))

    @property
    def bayes_risk(self) -> float:
        """Error probability of the best rule, E min(eta, 1 - eta) = (1 - E|2 eta - 1|) / 2."""
        return float(1.0 - self._whole.margin) / 2.0

    @property
    def majority_rate(self) -> float:
        """Accuracy of the better constant rule, max(P(Y = 1), P(Y = 0))."""
        positive = float(self._whole.q)
        return max(positive, 1.0 - positive)

    def _boxes(self, lower, upper):
        """Check the boxes and clip them to the domain."""
        edges = {"lower": reals("lower", lower), "upper": reals("upper", upper)}
        for name, edge in edges.items():
            if edge.ndim == 0 or edge.shape[-1] != self.d:
                raise ValueError(f"{name} has shape {edge.shape}; it must be (..., {self.d}), one row a box.")
        lower, upper = together(**edges)
        if (lower > upper).any():
            box = np.argwhere((lower > upper).any(axis=-1))[0].tolist()
            raise ValueError(f"lower exceeds upper in box {box}; every box needs lower <= upper.")
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)


def over_boxes(primitive, lower, upper):
    """Integrals over boxes, edges (..., d), from `primitive(corner)`, the integrals below each corner."""
    total = 0.0
    for far in product((False, True), repeat=lower.shape[-1]):
        total = total + (-1.0) ** far.count(False) * primitive(np.where(far, upper, lower))
    return total


class Uniform(Problem):
    """eta(x) = 1/2 + amplitude * w(x), X uniform on [0, 1]^d.

    A subclass gives `_wave`, that is w, and `_integrals`. Where not X but its *levels* P(X_k <= x_k) are
    uniform and carry the wave, it gives `_level` and `_points`.
    """

    amplitude: float

    @abstractmethod
    def _wave(self, level):
        """w at each row of points of the unit cube, shape (n, d) -> (n,)."""

    @abstractmethod
    def _integrals(self, lower, upper):
        """The integrals of w and of |w| over each box, shape (..., d) -> (...)."""

    def _level(self, x):
        return np.clip(x, 0.0, 1.0)

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,).

        Outside the domain, where nobody is, it is that of the nearest point of the domain.
        """
        return self._eta_at(self._level(points("X", X, self.d)))

    def _eta_at(self, level):
        return 0.5 + self.amplitude * self._wave(level)

    def _masses(self, lower, upper):
        lower, upper = self._level(lower), self._level(upper)
        p = (upper - lower).prod(axis=-1)
        signed, absolute = self._integrals(lower, upper)
        return p, 0.5 * p + self.amplitude * signed, 2.0 * self.amplitude * absolute


def build(kind, table, name, params):
    """The entry `name` of `table`, built with `params`; or say which names and parameters there are."""
    entry = table[choice("name", name, table)]
    legal = _parameters(entry)
    for key, value in params.items():
        if key not in legal:
            raise TypeError(
                f"{kind}({name!r}) has no parameter {key} = {value!r:.60}; it takes "
                f"{', '.join(legal) or 'none'}."
            )
    return entry(**params)

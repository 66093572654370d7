"""What every classification problem of the collection can do.

A problem is a law of (X, Y) on [0, 1]^d x {0, 1}, written as

    P(X in A, Y = 1) = integral over A of eta dP_X,   eta(x) = P(Y = 1 | X = x),

whose box probabilities are known in closed form, so that risks can be
computed exactly in place of being simulated.  A subclass supplies `eta`, the
density if there is one, and three private methods that find their arguments
checked.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from ldp_lib._arguments import generator, numeric, require_memory, whole


class Problem(ABC):
    """A law of (X, Y) on [0, 1]^d x {0, 1} with exact box probabilities.

    Attributes
    ----------
    name : str, as given to `ldp_lib.nature.problem`
    d : int, number of features
    params : dict, the parameters that make up the law
    """

    density = None
    """`density(X)` -> (n,), the Lebesgue density of X; None where the law of X has none."""

    density_bins = None
    """Numbers of equal bins on the axes of [0, 1]^d on which the density is constant; None where it is
    not."""

    def __init__(self, name, d, params):
        self.name = name
        self.d = d
        self.params = params

    def __repr__(self):
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"problem({self.name!r}{params})"

    @abstractmethod
    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,)."""

    @abstractmethod
    def _draw(self, n, rng):
        """`sample` before the labels are made integers."""

    @abstractmethod
    def _masses(self, lower, upper):
        """`cell_masses` of boxes inside the domain, up to rounding errors."""

    @abstractmethod
    def _margin(self, lower, upper):
        """`margin_mass` of boxes inside the domain, up to rounding errors."""

    def sample(self, n, *, rng):
        """Draw n independent people: `X` (n, d) floats in [0, 1], `y` (n,) integers 0 or 1.

        `rng` is a numpy Generator or a whole number >= 0 and the only source of randomness.
        """
        n = whole("n", n)
        require_memory(f"A sample of n = {n} people", 8 * n * (self.d + 1), "Draw several smaller samples.")
        X, y = self._draw(n, generator(rng))
        return X, y.astype(np.int64)

    def cell_masses(self, lower, upper):
        """Exact `(p, q)` with p = P(X in box) and q = P(X in box, Y = 1).

        `lower` and `upper` have shape (..., d), broadcast against each other and satisfy
        lower <= upper; p and q have the shape without the last axis, an absolute error of about
        1e-16 and satisfy 0 <= q <= p <= 1.  Boxes may stick out of [0, 1]^d, where there is no mass.
        """
        p, q = self._masses(*self._boxes(lower, upper))
        # Differences of cumulative masses can miss 0 <= q <= p <= 1 by a rounding error.
        p = np.clip(p, 0.0, 1.0)
        return p, np.clip(q, 0.0, p)

    def margin_mass(self, lower, upper):
        """Exact E[ |2 eta(X) - 1| ; X in box ], the excess risk of being wrong all over the box.

        Arguments and shape of the result as in `cell_masses`.
        """
        return np.clip(self._margin(*self._boxes(lower, upper)), 0.0, 1.0)

    @cached_property
    def bayes_risk(self):
        """Error probability of the best rule, E min(eta, 1 - eta) = (1 - E|2 eta - 1|) / 2."""
        return float(1.0 - self.margin_mass(np.zeros(self.d), np.ones(self.d))) / 2.0

    @cached_property
    def majority_rate(self):
        """Accuracy of the better constant rule, max(P(Y = 1), P(Y = 0))."""
        positive = float(self.cell_masses(np.zeros(self.d), np.ones(self.d))[1])
        return max(positive, 1.0 - positive)

    def _boxes(self, lower, upper):
        """Check the boxes and clip them to the domain."""
        edges = {}
        for name, edge in (("lower", lower), ("upper", upper)):
            edge = numeric(name, edge)
            if edge.ndim == 0 or edge.shape[-1] != self.d:
                raise ValueError(f"{name} has shape {edge.shape}; it must be (..., {self.d}), one row a box.")
            if not np.isfinite(edge).all():
                raise ValueError(f"{name} has a NaN or an infinity; every edge must be finite.")
            edges[name] = edge
        try:
            lower, upper = np.broadcast_arrays(edges["lower"], edges["upper"])
        except ValueError as error:
            shapes = " and ".join(str(edge.shape) for edge in edges.values())
            raise ValueError(f"lower and upper have shapes {shapes}; give both one row a box.") from error
        if (lower > upper).any():
            box = np.argwhere((lower > upper).any(axis=-1))[0].tolist()
            raise ValueError(f"lower exceeds upper in box {box}; every box needs lower <= upper.")
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

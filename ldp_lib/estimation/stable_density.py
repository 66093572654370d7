"""The centrally private density estimator of Bousquet et al. (2022), Algorithm 3 (PCDE)."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, real, require_memory, whole
from ldp_lib.estimation.base import Discreet, check_is_fitted
from ldp_lib.estimation.majority import default_side
from ldp_lib.privacy import stability_histogram

FARTHEST = 2.0**62
"""Cubes farther out than this many sides are one: floats no longer tell them apart."""


class StableHistogramDensity(Discreet):
    """Density chat/(n r^d) on cubes of side r over all of R^d; chat is the stability histogram.

    (epsilon, delta)-private under replacement of one person (Theorem 4.2). L1-consistent for every law with a
    density if log(1/delta) = o(sqrt n); the delta = omega(2^(-sqrt n)) of Theorem 4.3 is not small enough a
    restriction. Cubes without people need no memory, wherever they are.

    If **every count is zeroed**, there is nothing to normalise: the estimate is 0 everywhere (`mass_` is 0,
    its L1 distance to any density is 1) and `sample` refuses.

    Parameters
    ----------
    epsilon, delta : the budget, epsilon > 0 in nats, 0 < delta < 1.
    side : side r of the cubes [k r, (k + 1) r), > 0; None is n^(-1/(2d)).
    normalise : divide by the total mass (default), or leave the estimate as Algorithm 3 prints it.
    threshold : "sufficient" (default) or "printed", see `ldp_lib.privacy.stability_threshold`.
    noise : "lattice" (default) or "real".
    rng : None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations.
        Whoever knows it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    cells_ : (k, d), the cubes that show, as whole multiples of the side.  heights_ : (k,), the density there.
    side_ : side of the cubes.  mass_ : total mass before normalising.

    >>> X = np.random.default_rng(0).standard_normal((10_000, 1))
    >>> StableHistogramDensity(epsilon=1.0, delta=1e-6, side=0.5, rng=1).fit(X).pdf([[0.1], [50.0]]).round(2)
    array([0.36, 0.  ])
    """

    def __init__(self, epsilon: float = 1.0, delta: float = 1e-6, *, side: float | None = None,
                 normalise: bool = True, threshold: str = "sufficient", noise: str = "lattice",
                 rng: Randomness = None):
        self.epsilon = epsilon
        self.delta = delta
        self.side = side
        self.normalise = normalise
        self.threshold = threshold
        self.noise = noise
        self.rng = rng

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Let the curator count the people, rows of X (n, d), and release the histogram. Returns self."""
        X = self._checked(X)
        n, d = X.shape
        side = default_side(n, d) if self.side is None else self.side
        self.side_ = real("side", side, above=0, cure="side is a length in the units of X.")
        cells, people = np.unique(self._cubes(X), axis=0, return_counts=True)
        counts = stability_histogram(people, self.epsilon, self.delta, threshold=self.threshold,
                                     noise=self.noise, rng=self._source(secure=True))
        self.cells_, counts = cells[counts > 0], counts[counts > 0]
        self.mass_ = float(counts.sum() / n)
        total = counts.sum() if self.normalise else n
        self.heights_ = counts / total / self.side_**d if len(counts) else counts
        return self

    def _cubes(self, X):
        with np.errstate(over="ignore"):
            return np.clip(np.floor(X / self.side_), -FARTHEST, FARTHEST).astype(np.int64)

    def pdf(self, X: ArrayLike) -> np.ndarray:
        """The density at each row of X, (m, d) -> (m,)."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        table = dict(zip(map(tuple, self.cells_.tolist()), self.heights_.tolist(), strict=True))
        return np.array([table.get(tuple(cube), 0.0) for cube in self._cubes(X).tolist()])

    def sample(self, n: int, *, rng: Randomness) -> np.ndarray:
        """Draw n people from the normalised estimate, (n, d): as private as the estimate is."""
        check_is_fitted(self)
        if len(self.heights_) == 0:
            raise ValueError("every count was set to zero, so that there is no density to draw from; use "
                             f"more people, or raise epsilon = {self.epsilon!r}, delta = {self.delta!r} or "
                             f"side = {self.side_!r}.")
        n, rng = whole("n", n), generator(rng)
        d = self.cells_.shape[1]
        require_memory(f"A sample of n = {n} people", 24.0 * n * d, "Draw several smaller samples.")
        cube = rng.choice(len(self.heights_), size=n, p=self.heights_ / self.heights_.sum())
        return (self.cells_[cube] + rng.random((n, d))) * self.side_

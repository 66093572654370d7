"""What every density of the collection can do: exact values, exact samples, wavelet coefficients."""

import functools
from abc import ABC, abstractmethod

import numpy as np

from ldp_lib._arguments import choice, exponent, generator, places, require_memory, whole

FINE_LEVEL = 18
"""Coefficients are those of the averages over 2^18 cells of [0, 1], whose masses are exact."""


class Density(ABC):
    """A density f on [0, 1], 0 elsewhere.

    Attributes
    ----------
    name, params : as given to `ldp_lib.nature.density`.
    sup_norm : sup f, or a bound at most 1% above it.
    l2_norm_squared : the integral of f^2.
    """

    sup_norm: float
    l2_norm_squared: float

    def __init__(self, name, params):
        self.name, self.params = name, params

    def __repr__(self):
        params = "".join(f", {key}={value!r}" for key, value in self.params.items())
        return f"density({self.name!r}{params})"

    @abstractmethod
    def _pdf(self, x):
        """f at points of [0, 1]."""

    @abstractmethod
    def _cdf(self, x):
        """The integral of f from 0 to points of [0, 1]."""

    @abstractmethod
    def _smoothness(self, p):
        """`smoothness` at p >= 1."""

    def smoothness(self, p):
        """The largest s with f in the Besov space B^s_{p, infinity} of the line, 1 <= p <= infinity."""
        return self._smoothness(exponent("p", p))

    def pdf(self, x):
        """f at the points x, any shape."""
        x = places("x", x)
        return np.where((x >= 0) & (x <= 1), self._pdf(np.clip(x, 0.0, 1.0)), 0.0)

    def cdf(self, x):
        """P(X <= x) at the points x, any shape."""
        return np.clip(self._cdf(np.clip(places("x", x), 0.0, 1.0)), 0.0, 1.0)

    def sample(self, n, *, rng):
        """n independent draws, shape (n,), exactly from f."""
        n = whole("n", n)
        require_memory(f"A sample of n = {n} people", 32.0 * n, "Draw several smaller samples.")
        return self._draw(n, generator(rng))

    def _draw(self, n, rng):
        """Rejection: a uniform point under the lid sup f is kept if it is under f."""
        kept = np.empty(0)
        while len(kept) < n:
            x = rng.random(int((n - len(kept)) * self.sup_norm * 1.05) + 16)
            kept = np.concatenate([kept, x[rng.random(len(x)) * self.sup_norm < self._pdf(x)]])
        return kept[:n]

    def masses(self, level):
        """P(k 2^-level <= X < (k + 1) 2^-level), k = 0, ..., 2^level - 1."""
        level = whole("level", level, least=0, most=24)
        return np.maximum(np.diff(self.cdf(np.arange(2**level + 1) * 2.0**-level)), 0.0)

    def coefficients(self, basis, j, kind="psi"):
        """All wavelet coefficients of level j that are not 0: the integrals of f psi_jk, or f phi_jk.

        j : 0 to 17.

        Returns an array over k in `basis.translates(j)`. f is replaced by its averages over 2^18 cells: for
        j <= 8 the error is below 1e-6 (below 1e-5 for bumps and departures), and below 1e-9 for smooth
        densities.
        """
        j = whole("j", j, least=0, most=FINE_LEVEL - 1)
        return self._cascade(basis)[choice("kind", kind, ("phi", "psi"))][j]

    @functools.lru_cache(maxsize=8)
    def _cascade(self, basis):
        return cascade(self.masses(FINE_LEVEL), basis)


def cascade(masses, basis):
    """All coefficients of the density that is constant in 2^M cells of [0, 1], by the fast wavelet transform.

    masses : of the cells, (2^M,), with any sum. Returns {"phi": [level 0, ..., level M],
    "psi": [level 0, ..., level M - 1]}, each level over `basis.translates(level)`.
    """
    fine = len(masses).bit_length() - 1
    # A piecewise constant f sees the fine father only through its integrals over cells.
    fathers = 2.0 ** (fine / 2) * np.convolve(masses, basis.cell_weights[::-1])
    levels = {"phi": [fathers], "psi": []}
    for _ in range(fine):
        # k runs from 1 - c on both levels; a_{j-1,k} = sum_m h_m a_{j,2k+m}.
        padded = np.pad(levels["phi"][0], (basis.overlap - 1, basis.overlap))
        count = (len(levels["phi"][0]) - basis.overlap + 1) // 2 + basis.overlap - 1
        for kind, taps in (("psi", basis.high), ("phi", basis.low)):
            level = sum(tap * padded[m:m + 2 * count:2] for m, tap in enumerate(taps))
            levels[kind].insert(0, level)
    return levels

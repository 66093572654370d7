"""Compactly supported orthonormal wavelets at any point of the line, and how much of them overlaps there.

A value is a product of two-scale matrices, one for each binary digit of the point; `ldp_lib._two_scale` has
their tables. Behind the last block of digits phi is interpolated linearly.
"""

import functools
import math

import numpy as np
import pywt

from ldp_lib._arguments import choice, numeric, places, real, reals, whole
from ldp_lib._two_scale import BLOCK, S_TOLERANCE, TwoScale

REGULARITY = {
    "haar": 0.0,
    "db2": 0.5500, "db3": 1.0878, "db4": 1.6179, "db5": 1.9690, "db6": 2.1891, "db7": 2.4604, "db8": 2.7608,
    "db9": 3.0736, "db10": 3.3614,
    "sym4": 1.4026, "sym5": 1.7760, "sym6": 2.1224, "sym7": 2.4682, "sym8": 2.7500,
    "coif1": 0.5424, "coif2": 1.4493, "coif3": 2.2083,
}
"""Hölder exponent of the father. Those of Daubechies' wavelets are printed in Daubechies & Lagarias (1992)
and Rioul (1992); all of them are K - log2 of the largest spectral radius, per digit, among products of at
most 12 of the two matrices that are left when the K vanishing moments are divided out (an upper bound, and
sharp for db2 to db10)."""

EVALUATION_ERROR = 1e-8
"""Bound for the absolute error of `phi` and `psi` at a point that a float holds."""
FINEST_LEVEL = 60
"""Beyond, supports are narrower than the spacing of floats in [0, 1] many times over."""
CHUNK = 2**14
"""Points evaluated at a time, so that the work stays in the cache."""


def wavelet_basis(name):
    """The `WaveletBasis` called `name`, built once: its tables take some tens of milliseconds."""
    return _built(choice("wavelet", name, REGULARITY))


@functools.cache
def _built(name):
    return WaveletBasis(name)


class WaveletBasis(TwoScale):
    """The orthonormal wavelet `name`: "haar", "db2" to "db10", "sym4" to "sym8", "coif1" to "coif3".

    Filters are those of PyWavelets, whose equations hold to 2e-12 (sym4 to sym8; the others to 1e-15).

    Attributes
    ----------
    name : as above.
    filter_length : L; phi and psi live on [0, L - 1].
    overlap : c = L - 1 translates of either cover a point.
    vanishing_moments : K, integral of x^m psi = 0 for m < K.
    regularity : Hölder exponent of phi and psi, see `REGULARITY`.
    low, high : the filters h and g, shape (L,).

    >>> basis = WaveletBasis("db2")
    >>> basis.filter_length, basis.overlap, basis.vanishing_moments, basis.regularity
    (4, 3, 2, 0.55)
    >>> basis.phi([1.0, 2.0]).round(6).tolist()      # (1 + sqrt 3)/2 and (1 - sqrt 3)/2
    [1.366025, -0.366025]
    >>> round(basis.S_phi, 6), round(basis.S_psi, 6)   # sqrt 3 and 1/2 + sqrt 3
    (1.732051, 2.232051)
    """

    def __init__(self, name):
        self.name = choice("wavelet", name, REGULARITY)
        filters = pywt.Wavelet(name)
        super().__init__(np.array(filters.rec_lo), np.array(filters.rec_hi))
        self.filter_length = len(self.low)
        self.vanishing_moments = filters.vanishing_moments_psi
        self.regularity = REGULARITY[name]

    def __repr__(self):
        return f"WaveletBasis({self.name!r})"

    def phi(self, x):
        """The father at the points x (any shape)."""
        return self._evaluate("phi", x)

    def psi(self, x):
        """The mother at the points x (any shape)."""
        return self._evaluate("psi", x)

    def father(self, x, j, k):
        """phi_jk(x) = 2^(j/2) phi(2^j x - k); x, j and k broadcast."""
        return 2.0 ** (np.asarray(j) / 2) * self.phi(np.ldexp(numeric("x", x), j) - np.asarray(k))

    def wavelet(self, x, j, k):
        """psi_jk(x) = 2^(j/2) psi(2^j x - k); x, j and k broadcast."""
        return 2.0 ** (np.asarray(j) / 2) * self.psi(np.ldexp(numeric("x", x), j) - np.asarray(k))

    def translates(self, j, lower=0.0, upper=1.0):
        """The range of all k for which the support [k, k + L - 1) 2^-j meets [lower, upper); it needs no
        data."""
        j, lower = whole("j", j, least=0, most=FINEST_LEVEL), real("lower", lower)
        upper = real("upper", upper, above=lower)
        return range(math.floor(math.ldexp(lower, j)) - self.overlap + 1, math.ceil(math.ldexp(upper, j)))

    def values(self, x, j, kind="psi"):
        """All translates of level j that do not vanish at the points x, shape (n,).

        Returns `(first, values)`: first (n,) integers and values (n, c), with values[i, m] =
        2^(j/2) phi(2^j x_i - k), k = first[i] + m, or psi in place of phi.
        """
        choice("kind", kind, ("phi", "psi"))
        x = reals("x", x)
        if x.ndim != 1:
            raise ValueError(f"x has shape {x.shape}; it must be (n,), one point a row.")
        position = np.ldexp(x, whole("j", j, least=0, most=FINEST_LEVEL))
        cell = np.floor(position)
        result = np.empty((len(position), self.overlap))
        blocks = _digit_blocks(position - cell, self._count)
        # values at k = cell - i are those at fraction + i
        for rows in _chunks(len(position)):
            vectors = self._tails([part[rows] for part in blocks])
            result[rows] = np.einsum("nij,nj->ni", self._heads(kind)[blocks[0][rows]], vectors)[:, ::-1]
        result *= 2.0 ** (j / 2)
        return cell.astype(np.int64) - self.overlap + 1, result

    def reconstruct(self, fathers, details):
        """Father coefficients one level up: a_{j+1,m} = sum_k h_{m-2k} a_jk + g_{m-2k} b_jk.

        `fathers` and `details`, shape (..., m), are those of all translates over a domain of whole cells, as
        in
        `translates`; the result is over the translates of the next level. What lies outside is cut off.
        """
        c, inner = self.overlap, fathers.shape[-1] - self.overlap + 1
        result = np.zeros((*fathers.shape[:-1], 2 * fathers.shape[-1] + c))
        for m in range(c + 1):
            result[..., m:m + 2 * fathers.shape[-1]:2] += self.low[m] * fathers + self.high[m] * details
        # Entry 0 is translate 2 (first k) = 2 (lower - c + 1); wanted are 2 lower - c + 1 and on.
        return result[..., c - 1:c - 1 + 2 * inner + c - 1]

    def integral(self, kind, x):
        """The integral of phi or psi (`kind`) from 0 to the points x, any shape; at x >= L - 1 it is 1 or
        0."""
        choice("kind", kind, ("phi", "psi"))
        x = places("x", x)
        cell = np.floor(np.clip(x, 0.0, self.overlap - 2.0**-30))
        first, second, rest = _digit_blocks(np.clip(x - cell, 0.0, 1.0 - 2.0**-40), 2)
        within = self._areas("phi")[second] + rest[..., None] * self._mass[second] * 2.0**-BLOCK
        partial = np.einsum("...j,...j->...", self._heads(kind)[first, cell.astype(np.intp)],
                            within) * 2.0**-BLOCK
        areas = self._areas(kind)
        before = np.concatenate([[0.0], np.cumsum(areas[-1])])
        cell = cell.astype(np.intp)
        total = before[cell] + areas[first, cell] + partial
        return np.where(x >= self.overlap, before[-1], np.where(x <= 0, 0.0, total))

    def _evaluate(self, kind, x):
        x = places("x", x)
        flat = x.ravel()
        result = np.zeros(flat.shape)
        inside = np.flatnonzero((flat >= 0) & (flat < self.overlap))
        heads = self._heads(kind)
        for rows in _chunks(len(inside)):
            points = flat[inside[rows]]
            cell = np.floor(points)
            blocks = _digit_blocks(points - cell, self._count)
            row = heads[blocks[0], cell.astype(np.intp)]
            result[inside[rows]] = np.einsum("nj,nj->n", row, self._tails(blocks))
        return result.reshape(x.shape)

    def _tails(self, blocks):
        """v at the point whose digits are those behind the first block; shape (n, c)."""
        table, weight = self._dyadic, blocks[-1]
        if self._count == 1:
            return table[0] + weight[:, None] * (table[-1] - table[0])
        last = blocks[-2]
        vectors = table[last]
        vectors += weight[:, None] * (table[last + 1] - vectors)
        for block in reversed(blocks[1:-2]):
            vectors = np.einsum("nij,nj->ni", self._products[block], vectors)
        return vectors

    @property
    def _count(self):
        """Blocks of digits needed: linear interpolation errs by 2^(-digits min(regularity, 2)), up to a
        factor."""
        return 1 if self.regularity == 0 else math.ceil(33 / (BLOCK * min(self.regularity, 2.0)))

    @functools.cached_property
    def _suprema(self):
        """Upper bounds of sup_x sum_k |phi(x - k)|, the same for psi, sup |phi|, sup |psi|."""
        return [self._supremum(kind, total) for total in (True, False) for kind in ("phi", "psi")]

    @property
    def S_phi(self):
        """sup_x sum_k |phi(x - k)|, never below the truth and at most `S_error` above."""
        return self._suprema[0]

    @property
    def S_psi(self):
        """sup_x sum_k |psi(x - k)|, never below the truth and at most `S_error` above."""
        return self._suprema[1]

    @property
    def phi_max(self):
        """sup |phi|, never below the truth and at most `S_error` above."""
        return self._suprema[2]

    @property
    def psi_max(self):
        """sup |psi|, never below the truth and at most `S_error` above."""
        return self._suprema[3]

    @property
    def S_error(self):
        """Certified distance of `S_phi`, `S_psi`, `phi_max` and `psi_max` from the suprema, up to rounding
        errors."""
        return S_TOLERANCE


def _chunks(n):
    return [slice(start, start + CHUNK) for start in range(0, n, CHUNK)]


def _digit_blocks(fraction, count):
    """`count` blocks of binary digits of 0 <= fraction < 1, as integers, and what is left in [0, 1)."""
    blocks = []
    for _ in range(count):
        fraction = fraction * 2.0**BLOCK
        digits = fraction.astype(np.int64)
        blocks.append(digits)
        fraction = fraction - digits
    return [*blocks, fraction]

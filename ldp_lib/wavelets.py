"""Compactly supported orthonormal wavelets at any point of the line, and how much of them overlaps there.

With filters h and g of length L the father and the mother satisfy

    phi(x) = sqrt 2 sum_k h_k phi(2x - k),   psi(x) = sqrt 2 sum_k g_k phi(2x - k),

both on [0, L - 1]. The c = L - 1 values v(x) = (phi(x + i))_i at 0 <= x < 1 obey
v(x) = T_d v(2x - d), d being the first binary digit of x and T_d[i, m] = sqrt 2 h_{2i+d-m}, so that v(x) is
an infinite product of two matrices (Daubechies & Lagarias, 1991). Products over blocks of
`BLOCK` digits are tabulated once. For the mother the first factor is G_d, with g in place of h. Behind the
last block of digits phi is interpolated linearly. The same products bound the suprema.
"""

import functools
import math

import numpy as np
import pywt

from ldp_lib._arguments import choice, numeric, places, reals, whole

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
BLOCK = 12
"""Binary digits in a block of tabulated matrix products."""
FINEST_LEVEL = 60
"""Beyond, supports are narrower than the spacing of floats in [0, 1] many times over."""
CHUNK = 2**14
"""Points evaluated at a time, so that the work stays in the cache."""


def wavelet_basis(name):
    """The `WaveletBasis` called `name`, built once: its tables take some tens of milliseconds."""
    return _built(choice("wavelet", name, REGULARITY))


class WaveletBasis:
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

    S_error = 1e-8
    """Certified distance of `S_phi`, `S_psi`, `phi_max`, `psi_max` from the suprema, up to rounding."""

    def __init__(self, name):
        self.name = choice("wavelet", name, REGULARITY)
        filters = pywt.Wavelet(name)
        self.low, self.high = np.array(filters.rec_lo), np.array(filters.rec_hi)
        self.filter_length = len(self.low)
        self.overlap = self.filter_length - 1
        self.vanishing_moments = filters.vanishing_moments_psi
        self.regularity = REGULARITY[name]
        # Blocks of digits needed: interpolation errs by 2^(-digits min(regularity, 2)), up to a factor.
        self._count = 1 if self.regularity == 0 else math.ceil(33 / (BLOCK * min(self.regularity, 2.0)))

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

    def translates(self, j):
        """The range of all k for which the support [k, k + L - 1) 2^-j meets [0, 1); it needs no data."""
        return range(1 - self.overlap, 2 ** whole("j", j, least=0, most=FINEST_LEVEL))

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
        # values at k = cell - i are those at fraction + i
        result = self._entries(kind, position - cell)[:, ::-1] * 2.0 ** (j / 2)
        return cell.astype(np.int64) - self.overlap + 1, result

    def integral(self, kind, x):
        """The integral of phi or psi (`kind`) from 0 to the points x, any shape; at x >= L - 1 it is 1 or
        0."""
        choice("kind", kind, ("phi", "psi"))
        x = places("x", x)
        cell = np.floor(np.clip(x, 0.0, self.overlap - 2.0**-30))
        first, second, rest = _digit_blocks(np.clip(x - cell, 0.0, 1.0 - 2.0**-40), 2)
        cell = cell.astype(np.intp)
        within = self._areas("phi")[second] + rest[..., None] * self.means("phi", BLOCK)[second] * 2.0**-BLOCK
        partial = np.einsum("...j,...j->...", self._heads[kind][first, cell], within) * 2.0**-BLOCK
        areas = self._areas(kind)
        before = np.concatenate([[0.0], np.cumsum(areas[-1])])
        total = before[cell] + areas[first, cell] + partial
        return np.where(x >= self.overlap, before[-1], np.where(x <= 0, 0.0, total))

    def _evaluate(self, kind, x):
        x = places("x", x)
        flat = x.ravel()
        result = np.zeros(flat.shape)
        inside = np.flatnonzero((flat >= 0) & (flat < self.overlap))
        cell = np.floor(flat[inside])
        result[inside] = self._entries(kind, flat[inside] - cell, cell.astype(np.intp))
        return result.reshape(x.shape)

    def _entries(self, kind, fraction, *entry):
        """phi(. + i), or psi(. + i), at points of [0, 1): for all i, (n, c), or the i in `entry`, (n,)."""
        result = np.empty(len(fraction) if entry else (len(fraction), self.overlap))
        for start in range(0, len(fraction), CHUNK):
            rows = slice(start, start + CHUNK)
            blocks = _digit_blocks(fraction[rows], self._count)
            heads = self._heads[kind][blocks[0], *(numbers[rows] for numbers in entry)]
            result[rows] = np.einsum("n...j,nj->n...", heads, self._tails(blocks))
        return result

    def _tails(self, blocks):
        """v at the point whose digits are those behind the first block; shape (n, c)."""
        table, weight = self._dyadic, blocks[-1]
        if self._count == 1:
            return table[0] + weight[:, None] * (table[-1] - table[0])
        last = blocks[-2]
        vectors = table[last]
        vectors += weight[:, None] * (table[last + 1] - vectors)
        for block in reversed(blocks[1:-2]):
            vectors = np.einsum("nij,nj->ni", self._heads["phi"][block], vectors)
        return vectors

    @functools.cached_property
    def S_phi(self):
        """sup_x sum_k |phi(x - k)|, never below the truth and at most `S_error` above."""
        return self._supremum("phi", True)

    @functools.cached_property
    def S_psi(self):
        """sup_x sum_k |psi(x - k)|, never below the truth and at most `S_error` above."""
        return self._supremum("psi", True)

    @functools.cached_property
    def phi_max(self):
        """sup |phi|, never below the truth and at most `S_error` above."""
        return self._supremum("phi", False)

    @functools.cached_property
    def psi_max(self):
        """sup |psi|, never below the truth and at most `S_error` above."""
        return self._supremum("psi", False)

    @functools.cached_property
    def _matrices(self):
        """(T_0, T_1) and (G_0, G_1): the two-scale matrices of father and mother, (2, c, c) each."""
        c = self.overlap
        index = 2 * np.arange(c)[:, None] - np.arange(c) + np.arange(2)[:, None, None]
        inside = (index >= 0) & (index <= c)
        return {kind: math.sqrt(2) * np.where(inside, taps[index.clip(0, c)], 0.0)
                for kind, taps in (("phi", self.low), ("psi", self.high))}

    @functools.cached_property
    def _ends(self):
        """v(0) and v(1-): the fixed vectors of T_0 and T_1 whose entries sum to 1."""
        return [_fixed_vector(matrix) for matrix in self._matrices["phi"]]

    @functools.cached_property
    def _heads(self):
        """T_{d1} ... T_{dB}, and G_{d1} T_{d2} ... T_{dB}, for all blocks of B = `BLOCK` digits: (2^B, c, c)
        each."""
        return {kind: self._first_digits(kind, BLOCK) for kind in ("phi", "psi")}

    @functools.cached_property
    def _dyadic(self):
        """v at the multiples of 2^-B in [0, 1], shape (2^B + 1, c)."""
        return np.vstack([self._heads["phi"] @ self._ends[0], self._ends[1]])

    @functools.cached_property
    def _residual(self):
        """Projection of R^c off the vectors 1 and (0, 1, ..., c - 1), shape (c, c)."""
        line = np.vander(np.arange(self.overlap), min(2, self.overlap))
        return np.eye(self.overlap) - line @ np.linalg.pinv(line)

    @functools.cached_property
    def _radius(self):
        """A bound for ||v(t) - (1 - t) v(0) - t v(1)||_1."""
        # sup ||v||_1 is at most the table's maximum plus delta (sup ||v||_1 + ||v(0)||_1).
        reach = max(np.abs(end).sum() for end in self._ends)
        delta = np.ptp(self._heads["phi"], axis=-1).sum(axis=-1).max() / 2
        return (np.abs(self._dyadic).sum(axis=-1).max() + delta * reach) / (1 - delta) + reach

    @functools.lru_cache(maxsize=256)
    def _rest(self, kind, depth):
        """For each block of `depth` digits: sum over rows of the largest entry of the row's residual."""
        return np.abs(self._first_digits(kind, depth) @ self._residual).max(axis=-1).sum(axis=-1)

    @functools.cached_property
    def _shrinkage(self):
        """For 0 to B - 1 digits: what their product makes of ||z||_1 at most, tables over the digits."""
        residual = self._residual
        return [np.abs(residual @ self._first_digits("phi", depth) @ residual).sum(axis=-2).max(axis=-1)
                for depth in range(BLOCK)]

    def _first_digits(self, kind, depth):
        """The products over all blocks of `depth` digits, shape (2^depth, c, c); for "psi" depth >= 1."""
        products = np.eye(self.overlap)[None]
        for step in range(depth):
            matrices = self._matrices[kind if step == depth - 1 else "phi"]
            products = np.concatenate([matrix @ products for matrix in matrices])
        return products

    def off_chord(self, kind, cells, depth):
        """Bounds of sum_k |phi(x - k) - chord_k(x)| over the dyadic intervals [i, i + 1) 2^-depth, i in
        `cells`.

        chord_k runs linearly between the values of phi(. - k) at the ends of the interval; likewise for
        kind = "psi". depth from 1 to 23.

        On the interval with digits q, v(x) = P v(t) with P the product over q, 0 <= t < 1. What is left of
        v(t) off its chord, z, has sum z = 0 and sum m z_m = 0, because constants and lines are sums of
        translates of phi. Each row of P acts on z like the row's residual from a line, so that |(P z)_i| is
        at most that residual's largest entry times ||z||_1.
        """
        depth, digits = whole("depth", depth, most=2 * BLOCK - 1), np.asarray(cells) & ((1 << depth) - 1)
        front = min(depth, BLOCK)
        rest = self._rest(choice("kind", kind, ("phi", "psi")), front)[digits >> (depth - front)]
        if depth > BLOCK:
            rest = rest * self._shrinkage[depth - BLOCK][digits & ((1 << (depth - BLOCK)) - 1)]
        return self._radius * rest

    def _supremum(self, kind, total):
        """Bound sup_x of sum_i |v_i(x)| (or max_i |v_i(x)|) by branch and bound over dyadic intervals.

        On a chord either attains its maximum at an end; `off_chord` explains what the rest adds at most.
        """
        def size(entries):
            return entries.sum(axis=-1) if total else entries.max(axis=-1)

        ends = np.stack(self._ends, axis=1)
        products, best = self._matrices[kind], 0.0
        while len(products):
            chord = size(np.abs(products @ ends).swapaxes(1, 2)).max(axis=-1)
            best = max(best, chord.max())
            above = chord + self._radius * size(np.abs(products @ self._residual).max(axis=-1))
            alive = products[above > best + self.S_error]
            products = np.concatenate([alive @ matrix for matrix in self._matrices["phi"]])
        return float(best + self.S_error)

    @functools.cached_property
    def cell_weights(self):
        """Integrals of phi over [i, i + 1), i = 0, ..., c - 1: phi(x + i) averaged over a unit cell, shape
        (c,)."""
        return _fixed_vector(sum(self._matrices["phi"]) / 2)

    @functools.lru_cache(maxsize=64)
    def _areas(self, kind):
        """Integrals of phi(. + i), or psi(. + i), from 0 to the multiples of 2^-B in [0, 1]; (2^B + 1, c)."""
        areas = np.cumsum(self.means(kind, BLOCK), axis=0) * 2.0**-BLOCK
        return np.vstack([np.zeros(self.overlap), areas])

    @functools.lru_cache(maxsize=64)
    def means(self, kind, depth):
        """phi(x + i), or psi(x + i), averaged over the 2^depth dyadic cells of 0 <= x < 1: (2^depth, c)."""
        return self._first_digits(kind, depth) @ self.cell_weights

    @functools.lru_cache(maxsize=64)
    def square_means(self, kind, depth):
        """phi(x + i)^2, or psi(x + i)^2, averaged over the 2^depth dyadic cells of 0 <= x < 1: (2^depth,
        c)."""
        products = self._first_digits(kind, depth)
        return np.einsum("qij,jk,qik->qi", products, self._gram, products, optimize=True)

    @functools.cached_property
    def _gram(self):
        """phi(x + i) phi(x + j) averaged over 0 <= x < 1, (c, c): the mean of v v'."""
        # The fixed matrix of G -> (T_0 G T_0' + T_1 G T_1') / 2 whose entries sum to 1.
        halves = sum(np.kron(matrix, matrix) for matrix in self._matrices["phi"]) / 2
        return _fixed_vector(halves).reshape(2 * [self.overlap])

    @functools.cached_property
    def spill(self):
        """Integrals of phi(x - k) phi(x - l), k and l = 1 - c, ..., -1, over x < 0 and over x > 0.

        Shape (2, c - 1, c - 1): what the first and what the last c - 1 fathers of a domain of whole cells
        have beyond its lower and its upper end.
        """
        cells = np.arange(self.overlap - 1)
        below = sum((self._at(cell, self._gram) for cell in -1 - cells), np.zeros(2 * [len(cells)]))
        return np.array([below, np.eye(len(cells)) - below])

    def _at(self, cell, products):
        """Products of v_i and v_j, (..., c, c), as those of phi(x - k) phi(x - l) with x in [cell, cell + 1).

        k and l = 1 - c, ..., -1: shape (..., c - 1, c - 1).
        """
        entry = cell - np.arange(1 - self.overlap, 0)
        inside = (entry >= 0) & (entry < self.overlap)
        entry = entry.clip(0, self.overlap - 1)
        return np.where(np.outer(inside, inside), products[..., entry[:, None], entry], 0.0)

    @functools.lru_cache(maxsize=64)
    def spill_means(self, depth):
        """sum_kl spill_kl phi(x - k) phi(x - l), the square that a person at x has beyond the end next to
        her.

        Averages over the 2^depth dyadic cells of [m, m + 1): (2, c - 1, 2^depth); m = 0, ..., c - 2 within
        the lower end, m = 1 - c, ..., -1 within the upper end, from which x is then counted.
        """
        heads = self._first_digits("phi", depth)
        products = np.einsum("qij,jk,qlk->qil", heads, self._gram, heads, optimize=True)
        cells = np.arange(self.overlap - 1)
        sides = zip(self.spill, (cells, cells - len(cells)), strict=True)
        return np.array([[np.einsum("kl,qkl->q", spill, self._at(cell, products)) for cell in side]
                         for spill, side in sides]).reshape(2, len(cells), 2**depth)


_built = functools.cache(WaveletBasis)


def _digit_blocks(fraction, count):
    """`count` blocks of binary digits of 0 <= fraction < 1, as integers, and what is left in [0, 1)."""
    blocks = []
    for _ in range(count):
        fraction = fraction * 2.0**BLOCK
        digits = fraction.astype(np.int64)
        blocks.append(digits)
        fraction = fraction - digits
    return [*blocks, fraction]


def _fixed_vector(matrix):
    """The vector that `matrix` keeps, with entries that sum to 1."""
    system = np.vstack([matrix - np.eye(len(matrix)), np.ones(len(matrix))])
    return np.linalg.lstsq(system, np.eye(len(matrix) + 1)[-1], rcond=None)[0]

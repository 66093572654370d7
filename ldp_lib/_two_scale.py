"""The two matrices behind a compactly supported wavelet, their products, and what those bound.

With filters h and g of length L the father and the mother satisfy

    phi(x) = sqrt 2 sum_k h_k phi(2x - k),   psi(x) = sqrt 2 sum_k g_k phi(2x - k),

both on [0, L - 1]. The c = L - 1 values v(x) = (phi(x + i))_i at 0 <= x < 1 obey
v(x) = T_d v(2x - d), d being the first binary digit of x and T_d[i, m] = sqrt 2 h_{2i+d-m}, so that v(x) is
an infinite product of two matrices (Daubechies & Lagarias, 1991). Products over blocks of
`BLOCK` digits are tabulated once. For the mother the first factor is G_d, with g in place of h.
"""

import functools
import math

import numpy as np

from ldp_lib._arguments import choice, whole

BLOCK = 12
"""Binary digits in a block of tabulated matrix products."""
S_TOLERANCE = 1e-8
"""How far the bounds of the suprema may lie above them."""


class TwoScale:
    """Tables over the digits of x for the filters `low` (h) and `high` (g), both (L,); `overlap` is c = L -
    1."""

    def __init__(self, low, high):
        self.low, self.high, self.overlap = low, high, len(low) - 1

    @functools.cached_property
    def _matrices(self):
        """(T_0, T_1) and (G_0, G_1): the two-scale matrices of the father and of the mother, (2, c, c)
        each."""
        c = self.overlap
        index = 2 * np.arange(c)[:, None] - np.arange(c) + np.arange(2)[:, None, None]
        inside = (index >= 0) & (index <= c)
        return [math.sqrt(2) * np.where(inside, taps[index.clip(0, c)], 0.0)
                for taps in (self.low, self.high)]

    @functools.cached_property
    def _ends(self):
        """v(0) and v(1-): the fixed vectors of T_0 and T_1 whose entries sum to 1."""
        return [_fixed_vector(matrix) for matrix in self._matrices[0]]

    @functools.cached_property
    def _products(self):
        """T_{d1} ... T_{dB} for every block of B = `BLOCK` digits, shape (2^B, c, c)."""
        return self._first_digits("phi", BLOCK)

    @functools.cached_property
    def _mother_products(self):
        """G_{d1} T_{d2} ... T_{dB}, shape (2^B, c, c)."""
        return self._first_digits("psi", BLOCK)

    def _heads(self, kind):
        return self._products if kind == "phi" else self._mother_products

    @functools.cached_property
    def _dyadic(self):
        """v at the multiples of 2^-B in [0, 1], shape (2^B + 1, c)."""
        return np.vstack([self._products @ self._ends[0], self._ends[1]])

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
        delta = np.ptp(self._products, axis=-1).sum(axis=-1).max() / 2
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
            matrices = self._matrices[1 if kind == "psi" and step == depth - 1 else 0]
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
        products, best = self._matrices[1 if kind == "psi" else 0], 0.0
        while len(products):
            chord = size(np.abs(products @ ends).swapaxes(1, 2)).max(axis=-1)
            best = max(best, chord.max())
            above = chord + self._radius * size(np.abs(products @ self._residual).max(axis=-1))
            alive = products[above > best + S_TOLERANCE]
            products = np.concatenate([alive @ matrix for matrix in self._matrices[0]])
        return float(best + S_TOLERANCE)

    @functools.cached_property
    def cell_weights(self):
        """Integrals of phi over [i, i + 1), i = 0, ..., c - 1: phi(x + i) averaged over a unit cell, shape
        (c,)."""
        return _fixed_vector((self._matrices[0][0] + self._matrices[0][1]) / 2)

    @functools.cached_property
    def _mass(self):
        """v averaged over every block of digits, (2^B, c)."""
        return self._products @ self.cell_weights

    @functools.lru_cache(maxsize=64)
    def _areas(self, kind):
        """Integrals of phi(. + i), or psi(. + i), from 0 to the multiples of 2^-B in [0, 1]; (2^B + 1, c)."""
        means = self._mass if kind == "phi" else self._mother_products @ self.cell_weights
        return np.vstack([np.zeros(self.overlap), np.cumsum(means, axis=0) * 2.0**-BLOCK])

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
        halves = sum(np.kron(matrix, matrix) for matrix in self._matrices[0]) / 2
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


def _fixed_vector(matrix):
    """The vector that `matrix` keeps, with entries that sum to 1."""
    system = np.vstack([matrix - np.eye(len(matrix)), np.ones(len(matrix))])
    return np.linalg.lstsq(system, np.eye(len(matrix) + 1)[-1], rcond=None)[0]

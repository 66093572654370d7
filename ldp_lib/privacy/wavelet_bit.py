"""One bit a person about wavelet coefficients of the signed measure: for smooth regression functions."""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, generator, indices, labels, points, real, require_memory, whole
from ldp_lib.privacy.aggregate import CellAggregate, sum_reports
from ldp_lib.privacy.hadamard import hadamard_signs, hadamard_transform
from ldp_lib.privacy.response import LARGEST_BUDGET, SMALLEST_BUDGET, ResponseCoin, uniform_below
from ldp_lib.wavelets import REGULARITY, wavelet_basis

CHUNK = 2**13
"""People whose signals are computed at a time: their overlap^d entries stay small."""


class Resolution(NamedTuple):
    """Fathers of one level: `j`, translates an axis `width`, `order` M of the matrix H, first row `start`.

    `bound` is sup_x sum_k |Phi_jk(x)|, and `share` the share of the people who speak about it.
    """

    j: int
    width: int
    order: int
    start: int
    bound: float
    share: float


class WaveletBit:
    """A person sends one bit about v = (Phi_jk(X))_k, the tensor fathers of one level j, with her label.

    The level j, first <= j <= J, is public and random, the first one with probability 1/2 and the others with
    equal ones, and so is the row r of a Hadamard matrix H over the translates k. With
    S_j = sup_x sum_k |Phi_jk(x)| = (2^(j/2) S_phi)^d the number u = (2Y - 1) <H[r], v> / S_j lies in [-1, 1];
    she rounds it to a sign, +1 with probability (1 + u)/2, and turns the sign over with probability
    1 / (e^alpha + 1).

    Privacy: whatever (X, Y) and however the sign was rounded, either bit has a probability between
    1/(e^alpha + 1) and e^alpha/(e^alpha + 1), given the public j and r. Labels cost nothing:
    |(2Y - 1) u| <= 1. Only the last coin counts for the proof, and that one is exact.

    bit * H[r, k] * S_j (e^alpha + 1) / (2 (e^alpha - 1)) is unbiased for E[(Y - 1/2) Phi_jk(X)].

    Parameters
    ----------
    alpha : privacy budget in nats, 10^-100 to 10^4.
    wavelet : a name that `ldp_lib.wavelets.WaveletBasis` knows.
    levels : J, the finest level, 0 to 20.
    first : the coarsest level, 0 to J.
    d : dimension of X, 1 or more; X in [0, 1]^d, points outside count as the nearest one inside.

    Attributes
    ----------
    basis : the `WaveletBasis`.  resolutions : a tuple of `Resolution`.  K : number of rows in all.
    scale : (e^alpha + 1) / (2 (e^alpha - 1)).  sensitivity : 1, of u/2.  bits : 1.

    >>> mechanism = WaveletBit(alpha=1.0, wavelet="haar", levels=1, first=0)
    >>> mechanism.K, [round(level.bound, 3) for level in mechanism.resolutions]
    (3, [1.0, 1.414])
    """

    bits, sensitivity = 1, 1.0

    def __init__(self, alpha, wavelet="db3", levels=3, first=2, d=1):
        self.alpha = real("alpha", alpha, above=0, least=SMALLEST_BUDGET, most=LARGEST_BUDGET,
                          cure="alpha is the privacy budget in nats, for example 1.0.")
        choice("wavelet", wavelet, REGULARITY)
        self.basis, self.d = wavelet_basis(wavelet), whole("d", d, most=1000)
        self.levels = whole("levels", levels, least=0, most=20, cure="2^-levels is the resolution.")
        self.first = whole("first", first, least=0, most=self.levels)
        widest = (2.0**self.levels + self.basis.overlap - 1) ** min(self.d, 50)
        signal = 24 * CHUNK * float(self.basis.overlap) ** min(self.d, 50)
        require_memory(f"A grid of {widest:.3g} wavelets", 96 * widest + signal,
                       'Lower levels or d, or take wavelet="haar".')
        self._coin = ResponseCoin(self.alpha, 1, 1)
        self.scale = real("scale", 0.5 / np.tanh(self.alpha / 2), cure="alpha is too small; raise it.")
        # Every level above the first has one lot, and the first as many as all of them.
        finer = list(range(self.first + 1, self.levels + 1))
        self._lots = [self.first] * max(len(finer), 1) + finer
        resolutions, start = [], 0
        for j in range(self.first, self.levels + 1):
            width = len(self.basis.translates(j))
            order = 1 << (width**self.d - 1).bit_length()
            # A little above the supremum, which evaluation may exceed by its error.
            bound = (2.0 ** (j / 2) * self.basis.S_phi) ** self.d * (1 + 1e-6)
            share = self._lots.count(j) / len(self._lots)
            resolutions.append(Resolution(j, width, order, start, bound, share))
            start += order
        self.resolutions, self.K = tuple(resolutions), start

    def __repr__(self):
        return (f"WaveletBit(alpha={self.alpha!r}, wavelet={self.basis.name!r}, levels={self.levels}, "
                f"first={self.first}, d={self.d})")

    def _people(self, X, y):
        X = points("X", X, self.d)
        return np.clip(X, 0.0, np.nextafter(1.0, 0.0)), labels("y", y, len(X))

    def tensor(self, X, level):
        """Flat translates (n, c^d) and Phi_jk(x) there, for points in [0, 1)^d and a `Resolution`."""
        j, width = level.j, level.width
        index, values = np.zeros((len(X), 1), np.int64), np.ones((len(X), 1))
        first_of_all = self.basis.translates(j).start
        for axis in range(self.d):
            first, there = self.basis.values(X[:, axis], j, "phi")
            place = (first - first_of_all)[:, None] + np.arange(self.basis.overlap)
            index = (index[:, :, None] * width + place[:, None, :]).reshape(len(X), -1)
            values = (values[:, :, None] * there[:, None, :]).reshape(len(X), -1)
        return index, values

    def answers(self, X, y, level, rows):
        """u in [-1, 1], shape (n,), of people at X with labels y asked for `rows`, (n,), of `level`; no
        noise."""
        X, y = self._people(X, y)
        level = self.resolutions[whole("level", level, least=self.first, most=self.levels) - self.first]
        rows = indices("rows", rows, level.order)
        if rows.shape != y.shape:
            raise ValueError(f"rows has shape {rows.shape}; it must be {y.shape}. Give every person one row.")
        return self._answers(X, y, level, rows)

    def _answers(self, X, y, level, rows):
        u = np.empty(len(X))
        for start in range(0, len(X), CHUNK):
            part = slice(start, start + CHUNK)
            index, values = self.tensor(X[part], level)
            u[part] = (hadamard_signs(rows[part, None], index) * values).sum(axis=1)
        return (2 * y - 1) * u / level.bound

    def send(self, X, y, *, rng):
        """What leaves the hands of n people: public `rows` (n,), by level below K, and `bits` (n,), 1 or -1.

        rng : a numpy Generator or a seed, for teaching and tests; "secure" for people who exist.
        """
        X, y = self._people(X, y)
        source, n = generator(rng, secure=True), len(y)
        level_of = np.array(self._lots)[uniform_below(len(self._lots), n, source)]
        rows, u = np.empty(n, np.int64), np.empty(n)
        for level in self.resolutions:
            here = np.flatnonzero(level_of == level.j)
            row = uniform_below(level.order, here.size, source)
            rows[here] = level.start + row
            u[here] = self._answers(X[here], y[here], level, row)
        # Rounding need not be exact: the coin that follows protects either sign.
        uniform = uniform_below(2**53, n, source) / 2.0**53
        sign = np.where(uniform < (1 + u) / 2, 1, -1)
        return rows, sign * (2 * self._coin.toss(n, source).astype(np.int64) - 1)

    def privatize(self, X, y, *, rng):
        """The reports as (n, K) arrays: the bit at the place of its row, zeros elsewhere."""
        rows, bits = self.send(X, y, rng=rng)
        require_memory(f"A report matrix of {len(rows)} x {self.K}", 8.0 * len(rows) * self.K, "Use send.")
        reports = np.zeros((len(rows), self.K))
        reports[np.arange(len(rows)), rows] = bits
        return reports

    def aggregate(self, reports):
        """Sum the reports: an (n, K) array, or an iterable of blocks of its rows. Returns `CellAggregate`."""
        return CellAggregate(*sum_reports(reports, self.K), repr(self))

    def simulate_aggregate(self, X, y, *, rng):
        """The aggregate of the people's reports without the n x K matrix, O(n + K)."""
        rows, bits = self.send(X, y, rng=rng)
        return CellAggregate(len(rows), np.bincount(rows, weights=bits, minlength=self.K), repr(self))

    def coefficients(self, aggregate):
        """Unbiased estimates of E[(Y - 1/2) Phi_jk(X)], an array of shape (width,) * d for every level."""
        people, totals, _ = CellAggregate.checked(aggregate, self)
        result = []
        for level in self.resolutions:
            sums = hadamard_transform(totals[level.start:level.start + level.order])
            size = level.width**self.d
            unit = level.bound * self.scale / (people * level.share)
            result.append((unit * sums[:size]).reshape((level.width,) * self.d))
        return result

    def variance_by_level(self):
        """Second moment of one person's part of a coefficient, for every level, exact."""
        return np.array([(level.bound * self.scale) ** 2 / level.share for level in self.resolutions])

    def privacy_loss(self, x, y, x2, y2):
        """Exact supremum, over levels, rows and bits, of the log-likelihood ratio of two people, in nats."""
        t = math.tanh(self.alpha / 2)
        y, y2 = labels("y", [y], 1)[0], labels("y2", [y2], 1)[0]
        X, y = self._people([np.atleast_1d(x), np.atleast_1d(x2)], [y, y2])
        worst = 0.0
        for level in self.resolutions:
            rows = np.arange(level.order)
            u, u2 = (self._answers(np.tile(X[k], (level.order, 1)), y[[k] * level.order], level, rows)
                     for k in (0, 1))
            worst = max(worst, np.abs(np.log1p(t * u) - np.log1p(t * u2)).max(),
                        np.abs(np.log1p(-t * u) - np.log1p(-t * u2)).max())
        return min(float(worst), self.alpha)

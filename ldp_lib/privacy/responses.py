"""Randomised responses on cells: what people answer is tilted by a coin, and nothing is added to it.

One bit per person is a Hadamard coefficient of her signed cell: `HadamardBit` is for cells of one size,
`DyadicBit` for those of all dyadic sizes at once. `share_of_yes` and `yes_reports` are about one yes or
no, without cells. Answers that name cells are in `ldp_lib.privacy.subsets`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, indices, numeric, real, reals, together, whole
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.cell import CellMechanism
from ldp_lib.privacy.exact import LARGEST_BUDGET, SMALLEST_BUDGET, ResponseCoin, uniform_below
from ldp_lib.privacy.mechanism import grid_index


class OneBit(CellMechanism):
    """What the one-bit mechanisms share: the sign (2Y - 1) H[r, cell(X)], through randomised response.

    H is the Hadamard matrix H[r, c] = (-1)^(number of common ones in the binary digits of r and c) of the
    least order M >= K. The row r is public and random, and independent from person to person: everybody may
    know it, since nothing private enters it. The sign is turned over with probability 1 / (e^alpha + 1).

    Privacy: given the row, either bit is sent with probability e^alpha / (e^alpha + 1) or 1 / (e^alpha + 1),
    whatever (X, Y) is; the ratio is at most e^alpha, and is that for all pairs of people whose signs differ
    in their row. Two different signals do so in half of the rows at least. The coin is exact
    (`ldp_lib.privacy.exact`).

    Subclasses say how rows are drawn. A decoded report is weight[r] * bit * H[r, :], with weights
    1 / (M P(r)).
    """

    bits = 1
    _least_alpha, _most_alpha = SMALLEST_BUDGET, LARGEST_BUDGET

    def __init__(self, alpha: float, h: float, d: int = 1):
        super().__init__(alpha, h, d)
        self.order = 1 << (self.K - 1).bit_length()
        self._coin = ResponseCoin(self.alpha, 1, 1)
        self.scale = real("scale", 0.5 / np.tanh(self.alpha / 2), cure="alpha is too small; raise it.")

    @abstractmethod
    def _rows(self, n, source):
        """n public rows, int64."""

    @cached_property
    def row_weights(self) -> np.ndarray:
        """Weights of decoded reports, (M,), which make them unbiased: all 1 where rows are uniform."""
        return np.ones(self.order)

    def signs(self, rows: ArrayLike, cells: ArrayLike) -> np.int64 | np.ndarray:
        """H[rows, cells], int64 of 1 and -1, for rows and cells below M; arrays broadcast."""
        return hadamard_signs(*together(rows=indices("rows", rows, self.order),
                                        cells=indices("cells", cells, self.order)))

    def send(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness = None) -> tuple[np.ndarray, np.ndarray]:
        """What leaves the hands of n people: public `rows` (n,) and `bits` (n,), 1 or -1.

        rng as in `privatize`.
        """
        cells, y = self.people(X, y)
        return self._send(cells, y, generator(rng, secure=True))

    def _send(self, cells, y, source):
        rows = self._rows(len(y), source)
        keep = self._coin.toss(len(y), source)
        return rows, (2 * y - 1) * hadamard_signs(rows, cells) * (2 * keep.astype(np.int64) - 1)

    def _reports(self, cells, y, source):
        rows, bits = self._send(cells, y, source)
        return (self.row_weights[rows] * bits)[:, None] * hadamard_signs(rows[:, None], np.arange(self.K))

    def collect(self, rows: ArrayLike, bits: ArrayLike) -> CellAggregate:
        """The `CellAggregate` of what people sent, by a fast Hadamard transform: O(n + M log M)."""
        rows = indices("rows", rows, self.order, private=True)
        bits = numeric("bits", bits, private=True)
        if rows.ndim != 1 or rows.shape != bits.shape or not rows.size or not np.isin(bits, (-1, 1)).all():
            raise ValueError(f"rows has shape {rows.shape} and bits has shape {bits.shape}; they must be "
                             "(n,) with n >= 1, and every bit 1 or -1. Give what `send` returns.")
        return CellAggregate(len(bits), self._transform(rows, bits), repr(self))

    def _transform(self, rows, bits):
        sums = np.bincount(rows, weights=bits, minlength=self.order)
        return hadamard_transform(self.row_weights * sums)[:self.K]

    def _simulated_totals(self, cells, y, rng):
        return self._transform(*self._send(cells, y, rng))

    def disclosure(self, X: ArrayLike, y: ArrayLike) -> float:
        """Probability that a report of the first of two people has log-likelihood ratio alpha; (2, d), (2,).

        Their signs differ in the row, and the coin leaves hers alone.
        """
        cells, y = self.people(X, y)
        signs = (2 * y - 1) * self.signs(np.arange(self.order)[:, None], cells)
        differ = signs[:, 0] != signs[:, 1]
        return float((differ / self.row_weights).mean()) * self._coin.probability


class HadamardBit(OneBit):
    """A person sends one bit: the sign (2Y - 1) H[r, cell(X)] of a uniform public row r, see `OneBit`.

    Law of the score: the columns of H are orthogonal, so that bit * H[r, c] is +1 or -1 with equal odds for a
    person outside cell c, and (2Y - 1) times +-1 with odds e^alpha to 1 inside. The sum over people is
    a sum of independent signs with P(+1) = (1 + t (2q - p)) / 2, t = tanh(alpha / 2): a binomial variable.

    `privatize` shows reports decoded, bit * H[r, :] in {-1, 1}^K; `send` and `collect` work with the bits
    themselves. Compare [1]_ and [2]_.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    h : float
        Side of the cells, > 0, in units of the domain [0, 1]^d.
    d : int
        Dimension of X, 1 or more; 1 unless given.

    Attributes
    ----------
    scale : float
        (e^alpha + 1) / (2 (e^alpha - 1)): a report times this is unbiased for the signal (Y - 1/2) e_cell.
    order : int
        M, the order of H.
    bits : int
        1.
    sensitivity, shape, K
        As in `CellMechanism`.

    References
    ----------
    .. [1] J. Acharya, Z. Sun and H. Zhang, "Hadamard response: estimating distributions privately,
       efficiently, and with little communication" (2019), doi:10.48550/arXiv.1802.04705.
    .. [2] R. Bassily and A. Smith, "Local, private, efficient protocols for succinct histograms", STOC
       (2015), doi:10.1145/2746539.2746632.

    Examples
    --------
    >>> mechanism = HadamardBit(alpha=1.0, h=0.25)
    >>> mechanism.bits, mechanism.K, round(mechanism.scale, 4)
    (1, 4, 1.082)
    """

    def _rows(self, n, source):
        # M is a power of two: the last digits of a word are uniform.
        return (np.frombuffer(source.bytes(8 * n), "<u8") & np.uint64(self.order - 1)).astype(np.int64)

    def _law(self, p, q):
        # tanh(alpha / 2) = 1 / (2 scale); entries are 1 and -1 wherever the person lives.
        return np.ones_like(p), 0.5 + (2 * q - p) / (4 * self.scale)


class DyadicBit(OneBit):
    """`OneBit` on 2^levels cells per axis, for analysts who do not know the bandwidth.

    Rows are split over resolutions: coarse ones get more people each.

    On dyadic cells the rows of H are Walsh functions. Let a row have level j if it is constant on cells of
    side 2^-j but not on those of side 2^(1-j); there are 2^(jd) - 2^((j-1)d) of them, and those up to level j
    span everything that is constant on the cells of side 2^-j. A person's row has level j with probability
    proportional to j + 1, and is uniform within it. One report serves all bandwidths: the cells of side 2^-j,
    to whose estimates coarser levels contribute, are as exact as from r times the people of level j alone who
    report nothing but those cells: r is 1 at j = 0 and nears (2^d + 1) / (2^d - 1), from below, as j grows.

    Parameters
    ----------
    alpha : privacy budget in nats, 10^-100 to 10^4.
    levels : finest level J, 0 or more: cells of side 2^-J.
    d : dimension of X, 1 or more.

    Attributes
    ----------
    row_level : level of every row, (K,).  level_share : P(level), (J + 1,).  level_size : rows a level, (J +
    1,).
    scale, order, bits, K : as in `HadamardBit`; K = 2^(J d).

    >>> mechanism = DyadicBit(alpha=1.0, levels=2)
    >>> mechanism.row_level.tolist(), mechanism.level_size.tolist()
    ([0, 2, 1, 2], [1, 1, 2])
    """

    _parameters = "alpha", "levels", "d"

    def __init__(self, alpha: float, levels: int, d: int = 1):
        self.levels = whole("levels", levels, least=0, most=30, cure="Cells have side 2^-levels.")
        super().__init__(alpha, 2.0**-self.levels, d)
        axes = grid_index(self.shape)
        # A Walsh function that ignores the last digits of the cell has zeros there.
        lowest = np.where(axes > 0, axes & -axes, 1 << self.levels)
        self.row_level = (self.levels - np.log2(lowest).astype(np.int64)).max(axis=1)
        self.level_size = np.bincount(self.row_level)
        weights = np.arange(1, self.levels + 2)
        self.level_share = weights / weights.sum()
        self._rows_by_level = np.argsort(self.row_level, kind="stable")
        self._first = np.concatenate([[0], np.cumsum(self.level_size)])

    def _rows(self, n, source):
        lots = np.repeat(np.arange(self.levels + 1), np.arange(1, self.levels + 2))
        level = lots[uniform_below(len(lots), n, source)]
        rows = np.empty(n, np.int64)
        for j, size in enumerate(self.level_size):
            here = np.flatnonzero(level == j)
            rows[here] = self._rows_by_level[self._first[j] + uniform_below(int(size), here.size, source)]
        return rows

    @cached_property
    def row_weights(self) -> np.ndarray:
        """1 / (K P(row)), (K,): they make decoded reports unbiased."""
        return self.level_size[self.row_level] / (self.K * self.level_share[self.row_level])

    def variance(self, p: float) -> float:
        """scale^2 times the mean squared weight of a row, for cells of the finest level."""
        real("p", p, least=0, most=1)
        return self.scale**2 * float((self.level_size**2 / self.level_share).sum()) / self.K**2


def share_of_yes(reported, p):
    """The share of yes behind a share of yes reports, each the truth with probability p; unbiased.

    Source: Warner (1965), doi:10.1080/01621459.1965.10480775.

    >>> round(share_of_yes(0.5 * 0.75 + 0.5 * 0.25, p=0.75), 9)
    0.5
    """
    return (reported - (1 - p)) / (2 * p - 1)


def yes_reports(ones, zeros, p):
    """The law of the number of yes reports of `ones` people with a yes and `zeros` people with a no.

    Every report is the truth with probability p, 0 < p < 1. Returns the first number and the probabilities of
    it and of those that follow, (m,), exact but for 10^-14: the Fourier transform of
    (1 - p + p z)^ones (p + (1 - p) z)^zeros, folded beyond nine standard deviations.

    >>> first, law = yes_reports(2, 1, 0.75)
    >>> law[np.arange(4) - first].round(6).tolist()
    [0.046875, 0.296875, 0.515625, 0.140625]
    """
    mean, deviation = ones * p + zeros * (1 - p), math.sqrt((ones + zeros) * p * (1 - p))
    reach = math.ceil(9 * deviation) + 8
    first, size = math.floor(mean) - reach, 2 * reach + 1
    z = np.exp(2j * np.pi * np.arange(size) / size)
    folded = np.fft.fft((1 - p + p * z) ** ones * (p + (1 - p) * z) ** zeros).real / size
    return first, np.maximum(folded[np.arange(first, first + size) % size], 0)


def hadamard_signs(rows, cells):
    """H[rows, cells] for the Hadamard matrix of `HadamardBit`, int64 of 1 and -1; whole numbers >= 0."""
    return 1 - 2 * (np.bitwise_count(rows & cells).astype(np.int64) & 1)


def hadamard_transform(values):
    """H @ values for the Hadamard matrix of `HadamardBit`; whole numbers stay exact.

    values : 2^m numbers, m >= 0.

    >>> hadamard_transform(np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [10.0, -2.0, -4.0, 0.0]
    """
    values, half = reals("values", values), 1
    if values.ndim != 1 or len(values).bit_count() != 1:
        raise ValueError(f"values has shape {values.shape}; it must be (2^m,) with m >= 0. Fill it up with "
                         "zeros.")
    while half < len(values):
        pairs = values.reshape(-1, 2, half)
        values = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        half *= 2
    return values

"""Randomised responses on cells: what people answer is tilted by a coin, and nothing is added to it.

One bit per person is a Hadamard coefficient of her signed cell: `HadamardBit` is for cells of one size,
`DyadicBit` for those of all dyadic sizes at once. `SignedSubset` has the least noise when alpha is large.
`SubsetSelection` counts people in cells and asks for no label. `share_of_yes` and `yes_reports` are about
one yes or no, without cells.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import (
    Randomness, generator, indices, numeric, real, reals, require_memory, together, whole,
)
from ldp_lib._rounding import canonical
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.cell import CellMechanism, UnlabelledCells
from ldp_lib.privacy.exact import (
    LARGEST_BUDGET, SMALLEST_BUDGET, ResponseCoin, random_signs, random_subsets, uniform_below,
)
from ldp_lib.privacy.mechanism import grid_index

SENT_BYTES = 5
"""Bytes for a cell that a person sends, with its sign."""
BLOCK = 2**18
"""Cells are sent in blocks of this many, so that the work stays in the cache."""


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


class SignedSubset(CellMechanism):
    """A person sends a vector of {-1, 0, 1}^K with w entries that are not 0; those with her own are likelier.

    Let s = 2Y - 1 and c be her cell. All z with z_c = s have one probability, e^alpha times that of all
    others. Of the C(K, w) 2^w vectors a share w / (2K) has z_c = s, for every (c, s): the normalising
    constant is the same for everybody, and the likelihood ratio of two people is 1 or e^(+-alpha). That is
    the proof of privacy; all pairs of different people spend alpha. z_c = s has probability
    w e^alpha / (w e^alpha + 2K - w).

    A device draws a uniform vector, and tosses a coin (`ResponseCoin`, k = w). Heads, and z_c becomes s: if c
    is not among the w cells, it takes the place of one of them, each with the same probability; those that
    are left are uniform among the other cells either way. Every person reads the same amount of randomness,
    whoever she is and whatever she sends. Reports are whole numbers: one zero, without a sign.

    w = 1 is randomised response over the 2K signed cells, w = K has the law of `HadamardBit` in every cell.
    The score of a cell is a sum of independent variables in {-1, 0, 1}, whose two probabilities `law` gives.
    Among unsigned subsets see [1]_.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    h : float
        Side of the cells, > 0, in units of the domain [0, 1]^d.
    d : int
        Dimension of X, 1 or more; 1 unless given.
    size : int or None
        w, 1 to K; None, the default, takes the one of least variance in K equally likely cells, about
        2K / (e^alpha - 1).

    Attributes
    ----------
    scale : float
        A report times this is unbiased for the signal (Y - 1/2) e_cell.
    size : int
        w.
    bits : int
        Those of a number below C(K, w) 2^w, the shortest code of a report; the arrays of `send` take 40 w.
    sensitivity, shape, K
        As in `CellMechanism`.

    References
    ----------
    .. [1] M. Ye and A. Barg, "Optimal schemes for discrete distribution estimation under locally differential
       privacy", IEEE Trans. Inf. Theory 64 (2018), doi:10.1109/TIT.2018.2809790.

    Examples
    --------
    >>> mechanism = SignedSubset(alpha=3.0, h=0.1)
    >>> mechanism.size, mechanism.bits, round(mechanism.scale, 4)
    (1, 5, 1.024)
    """

    _least_alpha, _most_alpha = SMALLEST_BUDGET, LARGEST_BUDGET
    _parameters = "alpha", "h", "d", "size"

    def __init__(self, alpha: float, h: float, d: int = 1, size: int | None = None):
        super().__init__(alpha, h, d)
        self.size = best_size(self.alpha, self.K) if size is None else whole("size", size, most=self.K)
        w, K = self.size, self.K
        self._coin = ResponseCoin(self.alpha, w, 2 * K - w, w)
        self.scale = real("scale", _scale(self.alpha, w, K), cure="alpha is too small; raise it.")

    @property
    def bits(self) -> int:
        """Bits that a report takes in its shortest code."""
        return _subset_bits(self.size, self.K, self.size)

    def _law(self, p, q):
        own, opposite, elsewhere = _probabilities(self.alpha, self.size, self.K)
        ones = q * own + (p - q) * opposite + (1 - p) * elsewhere / 2
        return p * (own + opposite) + (1 - p) * elsewhere, ones

    def send(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness = None) -> tuple[np.ndarray, np.ndarray]:
        """What leaves the hands of n people, w entries each: `cells` (n, w), int32, and `signs` (n, w), int8.

        The cells of a person are in ascending order, which says nothing about which one is her own.
        signs[i, k] is 1 or -1, entry cells[i, k] of her report; all others are 0. rng as in `privatize`, and
        the same rng gives the same reports.
        """
        cells, y = self.people(X, y)
        require_memory(f"{len(y)} reports of {self.size} cells", SENT_BYTES * float(len(y)) * self.size,
                       "Send the reports of fewer people at a time.")
        return self._send(cells, y, generator(rng, secure=True))

    def _send(self, cells, y, source):
        chosen, signs = (np.empty((len(y), self.size), kind) for kind in (np.int32, np.int8))
        for rows, *part in self._parts(cells, y, source):
            chosen[rows], signs[rows] = part
        return chosen, signs

    def _parts(self, cells, y, source):
        """Blocks of people: their rows, and cells and signs as in `send`."""
        step = max(1, BLOCK // self.size)
        for start in range(0, len(y), step):
            rows = slice(start, start + step)
            yield rows, *self._drawn(cells[rows, None], 2 * y[rows, None] - 1, source)

    def _drawn(self, own, sign, source):
        """Cells and signs of people whose own are `own` and `sign`, (n, 1) each."""
        n, w = len(own), self.size
        told = self._coin.toss(n, source)[:, None]
        chosen, signs = random_subsets(w, self.K, n, source), random_signs((n, w), source)
        _put(own, chosen, told, source)
        return chosen, np.where(told & (chosen == own), sign, signs)

    def _reports(self, cells, y, source):
        reports = np.zeros((len(y), self.K), dtype=np.int8)
        np.put_along_axis(reports, *self._send(cells, y, source), axis=1)
        return reports

    def collect(self, cells: ArrayLike, signs: ArrayLike) -> CellAggregate:
        """The `CellAggregate` of what people sent, at cost O(n w + K)."""
        cells = indices("cells", cells, self.K, private=True)
        signs = numeric("signs", signs, private=True)
        if cells.shape != signs.shape or cells.shape != (len(signs), self.size) or not signs.size:
            raise ValueError(f"cells has shape {cells.shape} and signs has {signs.shape}; both must be "
                             f"(n, {self.size}) with n >= 1. Give what `send` returns.")
        if not (np.abs(signs) == 1).all() or not (cells[:, 1:] > cells[:, :-1]).all():
            raise ValueError("signs must be 1 or -1, and the cells of a person different and in ascending "
                             "order. Give what `send` returns.")
        return CellAggregate(len(signs), self._sums(cells, signs), repr(self))

    def _sums(self, cells, signs):
        return np.bincount(cells.ravel(), weights=signs.ravel(), minlength=self.K)

    def _simulated_totals(self, cells, y, rng):
        return sum((self._sums(*part) for _, *part in self._parts(cells, y, rng)), np.zeros(self.K))

    def disclosure(self, X: ArrayLike, y: ArrayLike) -> float:
        """Probability that a report of the first of two people has log-likelihood ratio alpha; (2, d), (2,).

        Her own signed cell is in it, and the other's is not.
        """
        cells, y = self.people(X, y)
        own = _probabilities(self.alpha, self.size, self.K)[0]
        if cells[0] == cells[1]:
            return own if y[0] != y[1] else 0.0
        return own * (1 - (self.size - 1) / (2 * (self.K - 1)))


def _put(own, chosen, told, source):
    """Give `own`, (n, 1), a place in the rows of `chosen`, (n, w), that are `told`, (n, 1); sort all rows.

    Both sides of every choice are computed, so that no step is longer for some people than for others.
    """
    absent = told & (chosen != own).all(axis=1, keepdims=True)
    place = uniform_below(chosen.shape[1], len(chosen), source)[:, None]
    np.put_along_axis(chosen, place, np.where(absent, own, np.take_along_axis(chosen, place, 1)), 1)
    chosen.sort(axis=1)


def _subset_bits(w, K, more=0):
    """Bits of a number below C(K, w) 2^more."""
    subsets = math.lgamma(K + 1) - math.lgamma(w + 1) - math.lgamma(K - w + 1)
    # Less a rounding error of the logarithms: powers of two need no bit more.
    return math.ceil(subsets / math.log(2) + more - 1e-6)


def _probabilities(alpha, w, K):
    """P(z_c = s), P(z_c = -s) at home, P(z_c != 0) elsewhere."""
    decay = math.exp(-alpha)
    norm = w + (2 * K - w) * decay
    own, opposite = w / norm, w * decay / norm
    absent = 2 * (K - w) * decay / norm
    return own, opposite, ((own + opposite) * (w - 1) + absent * w) / max(K - 1, 1)


def _scale(alpha, w, K):
    # P(z_c = s) - P(z_c = -s) = w (1 - e^-alpha) / (w + (2K - w) e^-alpha), and the signal is s / 2.
    return (w + (2 * K - w) * math.exp(-alpha)) / (2 * w * -math.expm1(-alpha))


def best_size(alpha, K):
    """The w of least variance in K equally likely cells.

    There the entry is not 0 with probability w/K exactly, so that the variance is proportional to
    (w (1 - e^-alpha) + 2 K e^-alpha)^2 / w: convex, and least at w = 2K / (e^alpha - 1).
    """
    ideal = min(2 * K * math.exp(-alpha) / -math.expm1(-alpha), K)
    # The scale is proportional to that square's root, over w.
    candidates = {max(1, math.floor(ideal)), max(1, math.ceil(ideal))}
    return min(candidates, key=lambda w: (canonical(_scale(alpha, w, K) ** 2 * w), w))


class SubsetSelection(UnlabelledCells):
    """A person sends w of K cells, and her own is likelier to be among them: counts without labels.

    All subsets of w cells that hold her cell c have one probability, e^alpha times that of all others. A
    share w/K of the subsets holds c, for every c: the normalising constant is the same for everybody, and the
    likelihood ratio of two people is 1 or e^(+-alpha). That is the proof of privacy; all pairs of people in
    different cells spend alpha. Her cell is sent with probability a = w e^alpha / (w e^alpha + K - w),
    another one with b = (w - a) / (K - 1).

    A device draws a uniform subset, and tosses a coin (`ResponseCoin`, k = w). Heads, and c takes the place
    of one of the w, each with the same probability, if it is not among them; as in `SignedSubset`, everybody
    reads the same amount of randomness.

    How often a cell is sent is binomial, with probability r = b + (a - b) P(X in the cell), exactly. With w
    about K / (e^alpha + 1) [1]_ the variance of an estimate is that of the best unary encoding [2]_ where
    there are many cells, n times it being 4 e^alpha / (e^alpha - 1)^2 in a rare one, and less for few cells.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    h : float
        Side of the cells, > 0 and < 1, in units of the domain [0, 1]^d.
    d : int
        Dimension of X, 1 or more; 1 unless given.
    size : int or None
        w, 1 to K - 1; None, the default, takes the one of least variance in K equally likely cells.

    Attributes
    ----------
    scale : float
        1 / (a - b): the share of reports with a cell, less b, times this is unbiased for P(X in the cell).
    size : int
        w.
    bits : int
        Those of a number below C(K, w), the shortest code of a report; the arrays of `send` take 32 w.
    shape, K
        (ceil(1/h),) * d, and the number of cells, the length of a report.

    References
    ----------
    .. [1] M. Ye and A. Barg, "Optimal schemes for discrete distribution estimation under locally differential
       privacy", IEEE Trans. Inf. Theory 64 (2018), doi:10.1109/TIT.2018.2809790.
    .. [2] T. Wang, J. Blocki, N. Li and S. Jha, "Locally differentially private protocols for frequency
       estimation", USENIX Security (2017), doi:10.48550/arXiv.1705.04421.

    Examples
    --------
    >>> mechanism = SubsetSelection(alpha=1.0, h=0.01)
    >>> mechanism.size, round(mechanism.variance(0.0), 2)      # of n people this / n
    (27, 3.59)
    >>> people = np.random.default_rng(1).random((100_000, 1)) ** 2
    >>> counts = SubsetSelection(alpha=2.0, h=0.25)
    >>> counts.score(counts.collect(counts.send(people, rng=2))).round(1).tolist()
    [0.5, 0.2, 0.2, 0.1]
    """

    _parameters = "alpha", "h", "d", "size"

    def __init__(self, alpha: float, h: float, d: int = 1, size: int | None = None):
        super().__init__(alpha, h, d)
        K = self._several_cells()
        if size is None:
            ideal = K * math.exp(-self.alpha) / (1 + math.exp(-self.alpha))
            # The variance is proportional to this in K equally likely cells.
            self.size = min({max(1, math.floor(ideal)), max(1, math.ceil(ideal))},
                            key=lambda w: (canonical(w * (K - w) * _unsigned(self.alpha, w, K)[2] ** 2), w))
        else:
            self.size = whole("size", size, most=K - 1)
        self._coin = ResponseCoin(self.alpha, self.size, K - self.size, self.size)
        self._own, self._other, scale = _unsigned(self.alpha, self.size, K)
        self.scale = real("scale", scale, cure="alpha is too small; raise it.")

    @property
    def bits(self) -> int:
        """Bits that a report takes in its shortest code."""
        return _subset_bits(self.size, self.K)

    def send(self, X: ArrayLike, *, rng: Randomness = None) -> np.ndarray:
        """What leaves the hands of n people: the cells of each in ascending order, (n, w), int32.

        rng as in `privatize`, and the same rng gives the same reports.
        """
        (cells,) = self.people(X)
        require_memory(f"{len(cells)} reports of {self.size} cells", 4.0 * len(cells) * self.size,
                       "Send the reports of fewer people at a time.")
        return np.concatenate(list(self._parts(cells, generator(rng, secure=True))))

    def _parts(self, cells, source):
        """Blocks of people: their cells, as in `send`."""
        step = max(1, BLOCK // self.size)
        for own in np.split(cells[:, None], range(step, len(cells), step)):
            told = self._coin.toss(len(own), source)[:, None]
            chosen = random_subsets(self.size, self.K, len(own), source)
            _put(own, chosen, told, source)
            yield chosen.astype(np.int32)

    def _reports(self, cells, source):
        reports = np.zeros((len(cells), self.K), dtype=np.int8)
        np.put_along_axis(reports, np.concatenate(list(self._parts(cells, source))), 1, axis=1)
        return reports

    def collect(self, cells: ArrayLike) -> CellAggregate:
        """The `CellAggregate` of what people sent, (n, w), at cost O(n w + K)."""
        cells = indices("cells", cells, self.K, private=True)
        if cells.ndim != 2 or cells.shape[1] != self.size or not cells.size:
            raise ValueError(f"cells has shape {cells.shape}; it must be (n, {self.size}) with n >= 1. Give "
                             "what `send` returns.")
        if not (cells[:, 1:] > cells[:, :-1]).all():
            raise ValueError("the cells of a person must be different and in ascending order. Give what "
                             "`send` returns.")
        return CellAggregate(len(cells), self._sums(cells), repr(self))

    def _sums(self, cells):
        return np.bincount(cells.ravel(), minlength=self.K).astype(float)

    def simulate_aggregate(self, X: ArrayLike, *, rng: Randomness) -> CellAggregate:
        """An aggregate with the law of `aggregate(privatize(X))`, without the n x K matrix.

        This simulates people; it protects nobody. Let real people run `send`.
        """
        (cells,) = self.people(X)
        return CellAggregate(len(cells), sum(map(self._sums, self._parts(cells, generator(rng)))), repr(self))

    def score(self, aggregate: CellAggregate) -> np.ndarray:
        """Unbiased estimate of P(X in the cell) for every cell, (K,)."""
        aggregate = CellAggregate.checked(aggregate, self)
        return (aggregate.totals / aggregate.people - self._other) * self.scale

    def law(self, p: ArrayLike) -> float | np.ndarray:
        """P(a cell is sent) = r, if people are in it with probability p: reports are binomial.

        p : a number or an array, 0 to 1; rounding errors up to 1e-12 are forgiven.
        """
        return self._other + reals("p", p, least=0, most=1 + 1e-12) / self.scale

    def disclosure(self, X: ArrayLike) -> float:
        """Probability that a report of the first of two people, X (2, d), has log-likelihood ratio alpha.

        Her own cell is in it, and the other's is not.
        """
        return self._own * (1 - (self.size - 1) / (self.K - 1)) if self._apart(X) else 0.0


def _unsigned(alpha, w, K):
    """a, b and 1 / (a - b) of a `SubsetSelection`."""
    decay = math.exp(-alpha)
    norm = w + (K - w) * decay
    # a - b = w (K - w) (1 - e^-alpha) / ((K - 1) norm), without cancellation.
    return w / norm, w * (w - 1 + (K - w) * decay) / norm / (K - 1), (
        (K - 1) * norm / (w * (K - w) * -math.expm1(-alpha)))

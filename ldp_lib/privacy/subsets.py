"""A person sends w of K cells, and her own is likelier to be among them: with labels, and without."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, indices, numeric, real, reals, require_memory, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.cell import CellMechanism, UnlabelledCells
from ldp_lib.privacy.exact import (
    LARGEST_BUDGET, SMALLEST_BUDGET, ResponseCoin, random_signs, random_subsets, uniform_below,
)

SENT_BYTES = 5
"""Bytes for a cell that a person sends, with its sign."""
BLOCK = 2**18
"""Cells are sent in blocks of this many, so that the work stays in the cache."""


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
        self.bits = _subset_bits(w, K, w)

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
        self.bits = _subset_bits(self.size, K)

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

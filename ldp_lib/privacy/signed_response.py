"""Signed subset selection: the least noise on cells when alpha is large."""

import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, indices, numeric, real, require_memory, whole
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.cell import CellMechanism
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
    Among unsigned subsets see Ye & Barg (2018).

    Parameters
    ----------
    alpha : privacy budget in nats, 10^-100 to 10^4.
    h : side of the cells, > 0, in units of the domain [0, 1]^d.
    d : dimension of X, 1 or more.
    size : w, 1 to K; None takes the one of least variance in K equally likely cells, about
        2K / (e^alpha - 1).

    Attributes
    ----------
    scale : a report times this is unbiased for the signal (Y - 1/2) e_cell.
    size : w.  bits : those of a number below C(K, w) 2^w, the shortest code of a report; the arrays of `send`
        take 40 w.  sensitivity, shape, K : as in `CellMechanism`.

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
        K, w = self.K, self.size
        subsets = math.lgamma(K + 1) - math.lgamma(w + 1) - math.lgamma(K - w + 1)
        # Less a rounding error of the logarithms: powers of two need no bit more.
        return math.ceil(subsets / math.log(2) + w - 1e-6)

    def _law(self, p, q):
        own, opposite, elsewhere = _probabilities(self.alpha, self.size, self.K)
        ones = q * own + (p - q) * opposite + (1 - p) * elsewhere / 2
        return p * (own + opposite) + (1 - p) * elsewhere, ones

    def send(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness) -> tuple[np.ndarray, np.ndarray]:
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
        sent = (np.empty((len(y), self.size), kind) for kind in (np.int32, np.int8))
        sent = chosen, signs = tuple(sent)
        for rows, *part in self._parts(cells, y, source):
            chosen[rows], signs[rows] = part
        return sent

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
        # Both sides of every choice are computed, so that no step is longer for some people than for others.
        absent = told & (chosen != own).all(axis=1, keepdims=True)
        place = uniform_below(w, n, source)[:, None]
        np.put_along_axis(chosen, place, np.where(absent, own, np.take_along_axis(chosen, place, 1)), 1)
        chosen.sort(axis=1)
        return chosen, np.where(told & (chosen == own), sign, signs)

    def _reports(self, cells, y, source):
        reports = np.zeros((len(y), self.K), dtype=np.int8)
        np.put_along_axis(reports, *self._send(cells, y, source), axis=1)
        return reports

    def collect(self, cells: ArrayLike, signs: ArrayLike) -> CellAggregate:
        """The `CellAggregate` of what people sent, at cost O(n w + K)."""
        cells, signs = indices("cells", cells, self.K), numeric("signs", signs)
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


def _probabilities(alpha, w, K):
    """P(z_c = s), P(z_c = -s) at home, P(z_c != 0) elsewhere."""
    decay = math.exp(-alpha)
    norm = w + (2 * K - w) * decay
    own, opposite = w / norm, w * decay / norm
    absent = 2 * (K - w) * decay / norm
    if K == 1:
        return own, opposite, 0.0
    return own, opposite, ((own + opposite) * (w - 1) + absent * w) / (K - 1)


def _scale(alpha, w, K):
    # P(z_c = s) - P(z_c = -s) = w (1 - e^-alpha) / (w + (2K - w) e^-alpha), and the signal is s / 2.
    return (w + (2 * K - w) * math.exp(-alpha)) / (2 * w * -math.expm1(-alpha))


def best_size(alpha, K):
    """The w of least variance in K equally likely cells.

    There the entry is not 0 with probability w/K exactly, so that the variance is proportional to
    (w (1 - e^-alpha) + 2 K e^-alpha)^2 / w: convex, and least at w = 2K / (e^alpha - 1).
    """
    alpha, K = real("alpha", alpha, above=0), whole("K", K)
    ideal = min(2 * K * math.exp(-alpha) / -math.expm1(-alpha), K)
    # The scale is proportional to that square's root, over w.
    candidates = {max(1, math.floor(ideal)), max(1, math.ceil(ideal))}
    return min(candidates, key=lambda w: _scale(alpha, w, K) ** 2 * w)

"""Two questions about cells, without labels, whose answers are signs: "which cell is yours?", a sign for each
cell, and "is yours in the set S?", one sign in all.

From the first people's `CellSigns` an office makes a set, and asks other people about it by `SetQuestion`.
That set is a function of reports, so that publishing it tells nothing more of those who made it.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, indices, real, reals
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.cell import UnlabelledCells
from ldp_lib.privacy.exact import ResponseCoin, random_signs


class TiltedSigns(UnlabelledCells):
    """What both share: reports are K signs, one of which is turned by a coin with odds e^alpha to 1.

    tilt : t = tanh(alpha/2), the mean of the tilted sign.  scale : 1 / t, see `score`.  bits : K.
    unit : 1, the size of an entry.
    """

    unit = 1.0

    def __init__(self, alpha: float, h: float, d: int = 1):
        super().__init__(alpha, h, d)
        self._coin = ResponseCoin(self.alpha, 1, 1)
        self.tilt = math.tanh(self.alpha / 2)
        self.scale = real("scale", 1 / self.tilt, cure="alpha is too small; raise it.")
        self.bits = self.K

    def _tilted(self, truth, source):
        """The signs `truth`, (n,), each turned over where the coin shows tails."""
        return np.where(self._coin.toss(len(truth), source), truth, -truth)

    def simulate_aggregate(self, X: ArrayLike, *, rng: Randomness) -> CellAggregate:
        """An aggregate with the law of `aggregate(privatize(X))` at cost O(n + K), by binomial draws.

        This simulates people; it protects nobody. Let real people run `privatize`.
        """
        (cells,) = self.people(X)
        return self._simulated(np.bincount(cells, minlength=math.prod(self.shape)), generator(rng))

    def _simulated(self, heads, rng):
        """The same from the numbers of people in all cells."""
        people, told, opposite = int(heads.sum()), *self._sides(heads)
        heads_up = self._coin.probability
        fair = people - told - opposite
        ones = (rng.binomial(told, heads_up) + rng.binomial(opposite, 1 - heads_up) + rng.binomial(fair, 0.5))
        return CellAggregate(people, 2.0 * ones - people, repr(self))

    @abstractmethod
    def _sides(self, heads):
        """Of people in all cells, (K,), how many tilt each sign of a report to 1, and how many to -1."""

    @abstractmethod
    def score(self, aggregate: CellAggregate) -> float | np.ndarray:
        """An unbiased estimate of what is asked about."""


class CellSigns(TiltedSigns):
    """A person sends K signs: her own cell's is 1 with odds e^alpha to 1, all others are fair coins.

    Privacy, with t = tanh(alpha/2): the likelihood of a sign is (1 + t) / 2 or (1 - t) / 2 in her own cell,
    and 1/2 elsewhere. Between two people the ratio is at most (1 + t) / (1 - t) = e^alpha, which is reached
    wherever their cells differ. It is a unary encoding, see [1]_, with chances e^alpha / (e^alpha + 1) and
    1/2; optimised unary encoding turns these round. Given how many people each cell holds, the sums of its
    signs are independent from cell to cell.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    h : float
        Side of the cells, > 0, in units of the domain [0, 1]^d. K faces have h = 1/K and face k the place
        (k + 1/2) / K.
    d : int
        Dimension of X, 1 or more; 1 unless given.

    Attributes
    ----------
    tilt : float
        t = tanh(alpha/2), the mean of the sign of the own cell.
    scale : float
        1 / t: the mean sign of a cell times this is unbiased for P(X in the cell).
    bits : int
        K.
    shape, K
        (ceil(1/h),) * d, and the number of cells, the length of a report.

    References
    ----------
    .. [1] T. Wang, J. Blocki, N. Li and S. Jha, "Locally differentially private protocols for frequency
       estimation", USENIX Security (2017), doi:10.48550/arXiv.1705.04421.

    Examples
    --------
    >>> mechanism = CellSigns(alpha=1.0, h=0.25)
    >>> mechanism.bits, mechanism.privacy_loss(0.1, 0.9), round(mechanism.variance(0.25), 2)
    (4, 1.0, 4.62)
    >>> people = np.random.default_rng(1).random(100_000) ** 2
    >>> mechanism.score(mechanism.simulate_aggregate(people, rng=2)).round(1).tolist()
    [0.5, 0.2, 0.2, 0.1]
    """

    def _reports(self, cells, source):
        told = self._tilted(np.ones(len(cells), np.int8), source)
        signs = random_signs((len(cells), self.K), source)
        signs[np.arange(len(cells)), cells] = told
        return signs

    def _sides(self, heads):
        return heads, np.zeros_like(heads)

    def score(self, aggregate: CellAggregate) -> np.ndarray:
        """Unbiased estimate of P(X in the cell) for every cell, (K,)."""
        aggregate = CellAggregate.checked(aggregate, self)
        return aggregate.totals * (self.scale / aggregate.people)

    def law(self, p: ArrayLike) -> float | np.ndarray:
        """P(the sign of a cell is 1) = (1 + t p) / 2, if people are in it with probability p, 0 to 1."""
        return (1 + self.tilt * reals("p", p, least=0, most=1 + 1e-12)) / 2

    def variance(self, p: float) -> float:
        """n times the exact variance of `score` in a cell that holds people with probability p."""
        return self.scale**2 - real("p", p, least=0, most=1) ** 2

    def disclosure(self, X: ArrayLike) -> float:
        """Probability that a report of the first of two people, X (2, d), has log-likelihood ratio alpha.

        Her coin shows heads, and the fair one in her place of his report falls against him.
        """
        return self._coin.probability / 2 if self._apart(X) else 0.0


class SetQuestion(TiltedSigns):
    """A person says whether her cell is in the public set S, and a coin turns the answer over [1]_.

    A report is one sign: 1 for yes. The true answer has odds e^alpha to 1, so that the likelihood ratio of
    two people is e^(+-alpha) where one of them is in S and the other is not, and 1 else. The set may depend
    on anything but her: on what other people reported before.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    h : float
        Side of the cells, > 0, in units of the domain [0, 1]^d; K faces as in `CellSigns`.
    d : int
        Dimension of X, 1 or more; 1 unless given.
    cells : array of int
        S: the flat numbers of its cells, from 0 on, not all that there are; (0,) unless given. It is part of
        the `repr`, so that answers to different questions are never added up.

    Attributes
    ----------
    tilt : float
        t = tanh(alpha/2).
    scale : float
        1 / t: (1 + scale times the mean answer) / 2 is unbiased for P(X in S).
    cells : tuple of int
        S, in ascending order.
    K, bits : int
        1: a report is one sign.
    shape : tuple of int
        (ceil(1/h),) * d cells.

    References
    ----------
    .. [1] S. Warner, "Randomized response: a survey technique for eliminating evasive answer bias", JASA 60
       (1965), doi:10.1080/01621459.1965.10480775.

    Examples
    --------
    >>> question = SetQuestion(alpha=1.0, h=0.25, cells=[0, 3])
    >>> question.privacy_loss(0.1, 0.9), question.privacy_loss(0.1, 0.3)
    (0.0, 1.0)
    >>> people = np.random.default_rng(1).random(100_000) ** 2
    >>> answers = question.privatize(people, rng=2)
    >>> round(question.score(question.aggregate(answers)), 1)       # P(X < 1/4 or X >= 3/4)
    0.6
    """

    _parameters = "alpha", "h", "d", "cells"

    def __init__(self, alpha: float, h: float, d: int = 1, cells: ArrayLike = (0,)):
        super().__init__(alpha, h, d)
        count = self._several_cells()
        self.K = self.bits = 1
        self.cells = tuple(sorted(set(indices("cells", cells, count).ravel().tolist())))
        if not 0 < len(self.cells) < count:
            raise ValueError(f"cells = {cells!r:.60} holds {len(self.cells)} of {count} different cells; a "
                             "question is about one at least, and not about all. Name other cells.")
        self._inside = np.zeros(count, dtype=bool)
        self._inside[list(self.cells)] = True

    def _signals(self, cells):
        return 2.0 * self._inside[cells, None] - 1

    def _reports(self, cells, source):
        return self._tilted(2 * self._inside[cells].astype(np.int8) - 1, source)[:, None]

    def count(self, X: ArrayLike) -> CellAggregate:
        """The aggregate of `encode(X)`: those who are in S less those who are not."""
        signals = self._signals(*self.people(X))
        return CellAggregate(len(signals), signals.sum(axis=0), repr(self))

    def _sides(self, heads):
        inside = heads[self._inside].sum(keepdims=True)
        return inside, heads.sum() - inside

    def score(self, aggregate: CellAggregate) -> float:
        """Unbiased estimate of P(X in S)."""
        aggregate = CellAggregate.checked(aggregate, self)
        return float(1 + aggregate.totals[0] * (self.scale / aggregate.people)) / 2

    def law(self, p: ArrayLike) -> float | np.ndarray:
        """P(the answer is yes) = (1 + t (2 p - 1)) / 2, if people are in S with probability p, 0 to 1."""
        return (1 + self.tilt * (2 * reals("p", p, least=0, most=1 + 1e-12) - 1)) / 2

    def disclosure(self, X: ArrayLike) -> float:
        """Probability that a report of the first of two people, X (2, d), has log-likelihood ratio alpha."""
        return self._coin.probability if self._apart(X) else 0.0

    def _apart(self, X):
        (cells,) = self.people(X)
        return self._inside[cells[0]] != self._inside[cells[1]]

"""A duel about one hidden sign: any mechanism with finitely many outputs and its best analyst, exactly."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from ldp_lib._arguments import real, whole
from ldp_lib.live.game import at_most
from ldp_lib.theory.contraction import kernel_budget

MOST_COUNTS = 4_000_000
"""`reports_total_variation` goes through this many vectors of counts at most."""


def reports_total_variation(n, m1, m2):
    """TV distance between n independent reports from m1 and n from m2, laws on finitely many points; exact.

    Points with the same likelihood ratio are merged; the counts of all but two of the r kinds that remain are
    enumerated, and the last two are binomial. So any n is possible if r <= 2; else n^(r - 2) is limited.
    Both laws must be positive wherever one of them is.
    """
    n, m1, m2 = whole("n", n), np.asarray(m1, dtype=float), np.asarray(m2, dtype=float)
    seen = m1 + m2 > 0
    _, kind = np.unique(np.round(np.log(m1[seen] / m2[seen]), 12), return_inverse=True)
    first, second = np.bincount(kind, m1[seen]), np.bincount(kind, m2[seen])
    if first.size == 1:
        return 0.0
    # The two extreme kinds come last: the more people answer with the largest ratio, the likelier is m1.
    order = [*range(1, first.size - 1), 0, first.size - 1]
    first, second = first[order], second[order]
    ratio = np.log(first / second)
    size = math.comb(n + first.size - 2, first.size - 2)
    if size > MOST_COUNTS:
        raise ValueError(f"n = {n} reports of {first.size} kinds have {size:,} vectors of counts, more than "
                         f"{MOST_COUNTS:,}; lower n or the number of outputs.")
    left, loss, logs = np.array([n]), np.zeros(1), np.zeros((2, 1))
    for k in range(first.size - 2):
        parent = np.repeat(np.arange(left.size), left + 1)
        count = np.arange(parent.size) - np.repeat(np.cumsum(left + 1) - left - 1, left + 1)
        people, rest = left[parent], left[parent] - count
        ways = gammaln(people + 1) - gammaln(count + 1) - gammaln(rest + 1)
        logs = np.array([log[parent] + ways + count * math.log(law[k] / law[k:].sum())
                         + rest * math.log(law[k + 1:].sum() / law[k:].sum())
                         for log, law in zip(logs, (first, second), strict=True)])
        left, loss = rest, loss[parent] + count * ratio[k]
    low, high = ratio[-2:]
    # m1 is likelier if loss + j high + (left - j) low > 0.
    most = np.floor(-(loss + left * low) / (high - low))
    tails = [1 - at_most(most, left, law[-1] / law[-2:].sum()) for law in (first, second)]
    return float(np.exp(logs[0]) @ tails[0] - np.exp(logs[1]) @ tails[1])


class Challenge(NamedTuple):
    """What came of a duel, exactly: budget spent, TV of all reports, risk of the best analyst, the bound."""

    budget: float
    tv: float
    risk: float
    bound: float

    def __repr__(self):
        return (f"budget spent {self.budget:.4f}; TV of all reports {self.tv:.5f}; risk of the best analyst "
                f"{self.risk:.6f}, {self.risk / self.bound:.4f} times the bound {self.bound:.6f}")


def challenge(mechanism, game):
    """Play `mechanism` against one hidden sign of `game`, whose m must be 1; return the exact `Challenge`.

    mechanism(inside, y) takes a record (is X in the active cell? and the label, 0 or 1) and returns the
    probabilities of its outputs, a list of any length that is the same for all records. The analyst knows all
    of the law but the sign; the best one follows the likelihood. Refuses what is no probability, and a
    mechanism that spends more than alpha.
    """
    whole("m", game.m, most=1, cure="The challenge is a duel about one sign.")
    records = list(itertools.product((True, False), (0, 1)))
    kernel = np.array([mechanism(inside, y) for inside, y in records], dtype=float)
    if kernel.ndim != 2 or (kernel < 0).any() or not np.allclose(kernel.sum(axis=1), 1, rtol=0, atol=1e-12):
        raise ValueError(f"mechanism returns {kernel.tolist()}; "
                         "every record needs probabilities that sum to 1.")
    budget = kernel_budget(kernel)
    real("budget of the mechanism", budget, most=game.alpha * (1 + 1e-12),
         cure="Make its answers less telling.")
    laws = [two_point_law(game, sign) @ kernel for sign in (1, -1)]
    tv = reports_total_variation(game.n, *laws)
    return Challenge(budget, tv, game.coin * (1 - tv), game.bound())


def two_point_law(game, sign):
    """P(inside, y) for (True, 0), (True, 1), (False, 0), (False, 1) if the hidden sign is `sign`."""
    tilt = sign * game.separation
    return np.array([game.w - tilt, game.w + tilt, 1 - game.w, 1 - game.w]) / 2

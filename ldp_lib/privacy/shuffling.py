"""What shuffling hides: n people send a bit each by randomised response, and the office sees how many are 1.

With q = e^alpha / (e^alpha + 1), let B be the number of ones among the other n - 1 people and b its law.
A person whose bit is 1 makes the count m with probability q b(m - 1) + (1 - q) b(m), and one whose bit is 0
with (1 - q) b(m - 1) + q b(m): the loss is log((q r + 1 - q) / ((1 - q) r + q)) with r = b(m - 1) / b(m). If
all others have bit 0, B is binomial(n - 1, 1 - q), and r = m / (n - m) e^alpha rises with m. So does the
loss, which is log(e^-alpha + 2 sinh(alpha) m / n), and the worst event is a tail of counts: delta is a
difference of two binomial tails, in either direction.

Whatever the others have, each of them sends a fair coin with probability 2 / (e^alpha + 1) and else the
truth. If the office is told who sends a fair coin, and what everybody else sends, it sees her bit and C fair
coins, C being binomial(n - 1, 2 / (e^alpha + 1)): an upper bound, and one more sum of binomial tails.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, real, whole
from ldp_lib.privacy.binomial import at_least, binomial_chances

OTHERS = "alike", "any"
LEAST_ALPHA, MOST_ALPHA = 1e-9, 50.0
"""Below, nothing is told; above, the odds of a lie are below 2^-72 and there is nothing to hide among."""
MOST_PEOPLE = 10**7
"""Of whom a law is a table: 80 MB and some seconds."""
FAR = 1e-20
"""Numbers of fair coins less likely than this count as if they told everything."""


class ShuffledCounts(NamedTuple):
    """What the office sees of n shuffled bits, if all but one person have bit 0; arrays of shape (n + 1,).

    one, zero : the laws of the number of ones, if her bit is 1, and if it is 0.
    loss : log(one / zero), nats.

    >>> bool(abs(sum(shuffled_counts(1.0, 9).one) - 1) < 1e-12)
    True
    """

    one: np.ndarray
    zero: np.ndarray
    loss: np.ndarray


def shuffled_counts(alpha: float, n: int) -> ShuffledCounts:
    """Both laws of the number of ones, and the loss at each number: the long way to `shuffled_delta`.

    Parameters
    ----------
    alpha, n : float, int
        As in `shuffled_delta`; n is at most 10^7.

    Returns
    -------
    ShuffledCounts
        The loss rises from -alpha, where nobody sent a one, to alpha, where everybody did.

    Examples
    --------
    >>> counts = shuffled_counts(1.0, 3)
    >>> counts.loss.round(3).tolist(), np.log(counts.one / counts.zero).round(3).tolist()
    ([-1.0, 0.141, 0.66, 1.0], [-1.0, 0.141, 0.66, 1.0])
    """
    alpha, n = _local(alpha), whole("n", n, most=MOST_PEOPLE)
    lie = 1 / (1 + math.exp(alpha))
    others = binomial_chances(n - 1, lie)
    fewer, same = np.append(0.0, others), np.append(others, 0.0)
    loss = np.log(math.exp(-alpha) + 2 * math.sinh(alpha) * np.arange(n + 1) / n)
    return ShuffledCounts((1 - lie) * fewer + lie * same, lie * fewer + (1 - lie) * same, loss)


def shuffled_delta(epsilon: float, alpha: float, n: int, *, others: str = "alike") -> float:
    """delta at `epsilon` of n shuffled bits, the larger one of the two directions.

    Parameters
    ----------
    epsilon : float
        Central privacy budget in nats, 0 or more.
    alpha : float
        Local budget of a bit in nats, 10^-9 to 50.
    n : int
        People, 1 or more; at most 10^7 for others = "any".
    others : str
        "alike": exact, if all others have the same bit. "any": an upper bound, whatever the others have.

    Returns
    -------
    float
        The least delta for which the number of ones is (epsilon, delta)-private under replacement of one
        person. 0 from epsilon = alpha on, and above 0 below it, whatever n is: with certainty shuffling
        hides nothing.

    Notes
    -----
    That others who are alike are the worst case for epsilon is not proved. For delta at a given epsilon they
    are not: one or two others who differ can raise it by some percent.

    Examples
    --------
    >>> [round(1e6 * shuffled_delta(0.13, 1.0, 1000, others=others), 2) for others in ("alike", "any")]
    [0.67, 6.33]
    """
    epsilon, alpha = real("epsilon", epsilon, least=0), _local(alpha)
    if choice("others", others, OTHERS) == "alike":
        return _alike(epsilon, alpha, whole("n", n))
    return _any(epsilon, alpha, whole("n", n, most=MOST_PEOPLE))


def _local(alpha):
    return real("alpha", alpha, least=LEAST_ALPHA, most=MOST_ALPHA)


def _sides(epsilon, alpha):
    """(q, log of the r at which the loss is epsilon), r as in the module; infinite where it never is."""
    truth = 1 / (1 + math.exp(-alpha))
    if epsilon >= alpha:
        return truth, math.inf
    # r = (e^(alpha + epsilon) - 1) / (e^alpha - e^epsilon).
    return truth, epsilon + math.log(-math.expm1(-alpha - epsilon)) - math.log(-math.expm1(epsilon - alpha))


def _alike(epsilon, alpha, n):
    truth, log_r = _sides(epsilon, alpha)
    if log_r == math.inf:
        return 0.0
    lie = 1 - truth
    # Losses above epsilon where m / (n - m) e^alpha > r, and below -epsilon where it is < 1 / r.
    first = math.floor(n / (1 + math.exp(alpha - log_r))) + 1
    last = math.ceil(n / (1 + math.exp(alpha + log_r))) - 1
    one = at_least(np.array([first - 1, first]), n - 1, lie) @ [[truth, lie], [lie, truth]]
    # P(at most m ones) is P(at least n - 1 - m zeros), each of chance q.
    zero = at_least(n - 1 - np.array([last - 1, last]), n - 1, truth) @ [[lie, truth], [truth, lie]]
    return float(max(one[0] - math.exp(epsilon) * one[1], zero[0] - math.exp(epsilon) * zero[1], 0.0))


def _any(epsilon, alpha, n):
    truth, log_r = _sides(epsilon, alpha)
    if log_r == math.inf:
        return 0.0
    lie = 1 - truth
    coins = binomial_chances(n - 1, 2 * lie)
    seen = np.flatnonzero(coins > FAR)
    first = np.floor((seen + 1) / (1 + math.exp(-log_r))).astype(np.int64) + 1
    more, fewer = at_least(first - 1, seen, 0.5), at_least(first, seen, 0.5)
    told = truth * more + lie * fewer - math.exp(epsilon) * (lie * more + truth * fewer)
    return float(coins[seen] @ np.maximum(told, 0.0) + FAR * (n - len(seen)))


def shuffled_epsilon(delta: float, alpha: float, n: int, *, others: str = "alike") -> float:
    """The least epsilon at which n shuffled bits are (epsilon, delta)-private, see `shuffled_delta`.

    Parameters
    ----------
    delta : float
        In (0, 1).
    alpha, n, others : float, int, str
        As in `shuffled_delta`.

    Returns
    -------
    float
        In nats, between 0 and alpha, to twelve digits; by halving.

    Examples
    --------
    >>> [round(shuffled_epsilon(1e-6, 1.0, 1000, others=others), 4) for others in ("alike", "any")]
    [0.1266, 0.1487]
    """
    delta, alpha = real("delta", delta, above=0, below=1), _local(alpha)
    low, high = 0.0, alpha
    if shuffled_delta(low, alpha, n, others=others) <= delta:
        return 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        private = shuffled_delta(middle, alpha, n, others=others) <= delta
        low, high = (low, middle) if private else (middle, high)
    return high


def printed_shuffled_epsilon(delta: float, alpha: float, n: int) -> float:
    """The closed form log(1 + 16 tanh(alpha/2) sqrt(e^alpha log(4/delta) / n)), for any alpha-LDP reports.

    From [1]_, Theorem 3.1, in the simplified form of C. Canonne's survey "Privacy doona: why we should hide
    among the clones" (differentialprivacy.org, equation 1). It holds for all mechanisms, not for bits alone.

    Parameters
    ----------
    delta, alpha, n : float, float, int
        As in `shuffled_epsilon`.

    Returns
    -------
    float
        In nats; alpha itself where e^alpha > n / (16 log(4/delta)), since nothing is promised there, or where
        the formula is larger.

    References
    ----------
    .. [1] V. Feldman, A. McMillan and K. Talwar, "Hiding among the clones: a simple and nearly optimal
       analysis of privacy amplification by shuffling", FOCS (2021), doi:10.48550/arXiv.2012.12803.

    Examples
    --------
    >>> [round(printed_shuffled_epsilon(1e-6, 1.0, n), 3) for n in (100, 1000, 10_000)]
    [1.0, 0.918, 0.389]
    """
    delta, alpha, n = real("delta", delta, above=0, below=1), _local(alpha), whole("n", n)
    clones = math.log(4 / delta)
    if alpha > math.log(n / (16 * clones)):
        return alpha
    return min(math.log1p(16 * math.tanh(alpha / 2) * math.sqrt(math.exp(alpha) * clones / n)), alpha)

"""The law of a count of bits: what the sum of randomised responses has, once the people are given."""

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainc, betainccinv, betaincinv


def at_least(k, n, chance):
    """P(at least k of n bits are 1), each with this chance; any k is legal, arrays broadcast.

    The incomplete beta function keeps 12 digits at n = 1e9, where `scipy.special.bdtr` has lost them all.

    >>> at_least([-1, 0, 2, 4], 3, 0.5).round(12).tolist()
    [1.0, 1.0, 0.5, 0.0]
    """
    k = np.asarray(k)
    inside = betainc(np.maximum(k, 1.0), np.maximum(n - k + 1.0, 1.0), chance)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inside))


def _log_ratios(n):
    """log of (n over k + 1) over (n over k) for k = 0, ..., n - 1, (n,): the same for all chances."""
    k = np.arange(n)
    return np.log((n - k) / (k + 1))


_kept = lru_cache(maxsize=2)(_log_ratios)
MOST_KEPT = 10**6
"""Of more people the logarithms are computed each time, lest they stay in memory."""


def binomial_chances(n, chance):
    """P(k of n bits are 1) for k = 0, ..., n, (n + 1,), each with this chance.

    >>> binomial_chances(2, 0.5).tolist()
    [0.25, 0.5, 0.25]
    """
    if not 0 < chance < 1:
        return np.eye(1, n + 1, n if chance else 0)[0]
    # From the likeliest k up and down: where weights are not small, sums of logarithms are, and keep digits.
    ratios = _kept(n) if n <= MOST_KEPT else _log_ratios(n)
    steps, top = ratios + math.log(chance / (1 - chance)), min(int((n + 1) * chance), n)
    weights = np.exp(np.concatenate([-np.cumsum(steps[:top][::-1])[::-1], [0.0], np.cumsum(steps[top:])]))
    return weights / weights.sum()


def least_chance(ones, n, miss):
    """The least chance of a one that `ones` of n do not refute, arrays: Clopper & Pearson's.

    miss : bounds the probability that the chance is below it.

    >>> least_chance(np.array([0, 5, 10]), 10, 0.025).round(3).tolist()
    [0.0, 0.187, 0.692]
    """
    return np.where(ones > 0, betaincinv(np.maximum(ones, 1), n - ones + 1, miss), 0.0)


def largest_chance(ones, n, miss):
    """The largest chance of a one that `ones` of n do not refute, as `least_chance`.

    >>> largest_chance(np.array([0, 5, 10]), 10, 0.025).round(3).tolist()
    [0.308, 0.813, 1.0]
    """
    return np.where(ones < n, betainccinv(ones + 1, np.maximum(n - ones, 1), miss), 1.0)


def binomial_interval(ones, n, miss):
    """The least and the largest chance of a one that `ones` of n do not refute; either is missed with
    probability `miss` at most."""
    return least_chance(ones, n, miss), largest_chance(ones, n, miss)

"""The law of a count of bits: what the sum of randomised responses has, once the people are given."""

import math

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


def binomial_chances(n, chance):
    """P(k of n bits are 1) for k = 0, ..., n, (n + 1,), each with this chance.

    >>> binomial_chances(2, 0.5).tolist()
    [0.25, 0.5, 0.25]
    """
    if not 0 < chance < 1:
        return np.eye(1, n + 1, n if chance else 0)[0]
    k = np.arange(n)
    logs = np.append(0.0, np.cumsum(np.log((n - k) / (k + 1)) + math.log(chance / (1 - chance))))
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def binomial_interval(ones, n, miss):
    """The least and the largest chance of a one that `ones` of n do not refute, arrays: Clopper & Pearson's.

    miss : bounds the probability, of either end, that the chance is beyond it.

    >>> low, high = binomial_interval(np.array([0, 5, 10]), 10, 0.025)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.187, 0.692], [0.308, 0.813, 1.0])
    """
    low = np.where(ones > 0, betaincinv(np.maximum(ones, 1), n - ones + 1, miss), 0.0)
    return low, np.where(ones < n, betainccinv(ones + 1, np.maximum(n - ones, 1), miss), 1.0)

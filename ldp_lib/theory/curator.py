"""What the corrected proofs of Bousquet et al. promise: error bounds, with constants.

Privacy budgets epsilon are in nats.  `ldp_lib.lessons` executes the proofs behind them; sample sizes are
`ldp_lib.estimation.labelled_sample_size`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import real, reals, whole
from ldp_lib.privacy.central import stability_threshold


def histogram_threshold(epsilon: float, delta: float) -> float:
    """(2 / epsilon) log(2 / delta) + 1, below which Algorithm 1, as printed, sets a noisy count to zero.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        The other part of the budget, in (0, 1).

    Returns
    -------
    float
        The threshold, in people.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Algorithm 1,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> round(histogram_threshold(1.0, 1e-6), 6)
    30.017315
    """
    return stability_threshold(epsilon, delta, threshold="printed", noise="real")


def histogram_error_bound(counts: ArrayLike, epsilon: float, delta: float) -> np.ndarray:
    """min{1 + (2 / epsilon)(1 + log(2 / delta)), c + 2 / epsilon}, 0 if c = 0.

    It bounds E|chat - c| of Algorithm 1 as printed, which is `ldp_lib.risk.mean_count_error` with threshold =
    "printed" and noise = "real".

    For epsilon <= 1 and delta <= 1/2 this is at most (8.4 / epsilon) min{log(1 / delta), c}, the form of
    Theorem 2.4 [1]_; without these conditions that form is false (errata 24).

    Parameters
    ----------
    counts : float or array
        The counts c, >= 0.
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        The other part of the budget, in (0, 1).

    Returns
    -------
    array
        The bound in people, of the shape of `counts`.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 2.4,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> histogram_error_bound([0, 1, 100], 1.0, 1e-6).round(6).tolist()
    [0.0, 3.0, 32.017315]
    """
    counts = reals("counts", counts, least=0)
    most = histogram_threshold(epsilon, delta) + 2 / epsilon
    return np.where(counts > 0, np.minimum(most, counts + 2 / epsilon), 0.0)


def few_people_bound(n, k, cells):
    """(2 k + 4) cells / n, at most 1: bounds Pr[N(x) <= k], N(x) the people of n in the cell of one more.

    Lemmas 3.3 and A.9 of Bousquet et al. (2022): light cells by their number, heavy ones by Chebyshev.
    """
    return min(1.0, (2 * k + 4) * cells / n)


def noise_bound(n, epsilon, cells, M):
    """Bounds E|noisy mean - mean label|; cells with fewer than M people count as thin."""
    return max(1.0, 1 / epsilon) * few_people_bound(n, M - 1, cells) + 1 / (epsilon * M)


def sampling_bound(n, cells, k):
    """Bounds E|mean label - mean of eta|; cells with up to k people count as thin."""
    return few_people_bound(n, k, cells) / 2 + 1 / (2 * math.sqrt(k)) + few_people_bound(n, 0, cells)


def _around(optimum):
    """The whole numbers next to where a convex function of a real number >= 1 is least."""
    low = max(1, math.floor(optimum))
    return low, low + 1


def pcl_bound(n: int, epsilon: float = 1.0, d: int = 1, L: float = 1.0, beta: float = 1.0) -> float:
    """Bound on the excess risk of Algorithm 2 (PCL) on [0, 1]^d for a Hölder eta; decreasing in n.

    The three terms of the proof of Theorem 3.2 [1]_ with r = n^(-1/(2d)) and (1/r + 1)^d cubes, doubled by
    Theorem 2.7: noise and sampling at the best cut-offs M and k, and what eta varies in a cube.

    Parameters
    ----------
    n : int
        People, 1 or more.
    epsilon : float
        Privacy budget in nats, > 0.
    d : int
        Dimension, 1 to 100.
    L : float
        Hölder constant, >= 0: |eta(x) - eta(x')| <= L max_k |x_k - x'_k|^beta.
    beta : float
        Hölder exponent, in (0, 1].

    Returns
    -------
    float
        The bound, at most 1.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 3.2,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> round(pcl_bound(10**6), 6)
    0.435207
    """
    n, d = whole("n", n), whole("d", d, most=100)
    epsilon = real("epsilon", epsilon, above=0)
    L, beta = real("L", L, least=0), real("beta", beta, above=0, most=1)
    r = n ** (-1 / (2 * d))
    cells, worst = (1 / r + 1) ** d, max(1.0, 1 / epsilon)
    noise = min(noise_bound(n, epsilon, cells, M)
                for M in _around(math.sqrt(n / (2 * cells * epsilon * worst))))
    sampling = min(sampling_bound(n, cells, k) for k in _around((n / (4 * cells)) ** (2 / 3)))
    return min(1.0, 2 * (noise + sampling + L * r**beta))

"""What the corrected proofs of Bousquet et al. promise: error bounds and sample sizes, with constants.

Privacy budgets epsilon are in nats.  `ldp_lib.lessons` executes the proofs behind these numbers.
"""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import LARGEST_WHOLE, choice, real, reals, whole
from ldp_lib.estimation import semi_supervised
from ldp_lib.estimation.semi_supervised import Net
from ldp_lib.privacy.central import stability_threshold
from ldp_lib.risk import mean_count_error
from ldp_lib.risk.planning import first_enough


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


@overload
def histogram_error(counts: float, epsilon: float, delta: float, target: float | None = ...) -> float: ...


@overload
def histogram_error(counts: ArrayLike, epsilon: float, delta: float,
                    target: ArrayLike | None = ...) -> np.ndarray: ...


def histogram_error(counts: ArrayLike, epsilon: float, delta: float,
                    target: ArrayLike | None = None) -> float | np.ndarray:
    """E|chat - target| of Algorithm 1 as printed, exact: `ldp_lib.risk.mean_count_error` with real noise.

    Parameters
    ----------
    counts : int or array
        Whole numbers >= 0.
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        The other part of the budget, in (0, 1).
    target : float or array, optional
        What chat is compared with, >= 0; the counts themselves by default. Broadcasts with `counts`.

    Returns
    -------
    float or array
        The mean error in people, of the broadcast shape.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Algorithm 1,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> histogram_error([1, 100], 1.0, 1e-6).round(6).tolist()
    [1.000008, 2.0]
    """
    return mean_count_error(counts, epsilon, delta, target=target, threshold="printed", noise="real")


def histogram_error_bound(counts: ArrayLike, epsilon: float, delta: float) -> np.ndarray:
    """min{1 + (2 / epsilon)(1 + log(2 / delta)), c + 2 / epsilon}, 0 if c = 0: bounds `histogram_error`.

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


def people_for_pcl(risk: float, epsilon: float = 1.0, d: int = 1, L: float = 1.0, beta: float = 1.0) -> int:
    """The smallest n with `pcl_bound` <= risk: by the proof, enough people for it.

    Parameters
    ----------
    risk : float
        Excess risk, in (0, 1).
    epsilon : float
        Privacy budget in nats, > 0.
    d : int
        Dimension, 1 to 100.
    L : float
        Hölder constant of eta, >= 0, see `pcl_bound`.
    beta : float
        Hölder exponent of eta, in (0, 1].

    Returns
    -------
    int
        People.

    Raises
    ------
    ValueError
        If more than 1e100 people may be needed.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 3.2,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> n = people_for_pcl(0.5)
    >>> pcl_bound(n) <= 0.5 < pcl_bound(n - 1)
    True
    """
    risk = real("risk", risk, above=0, below=1)

    def enough(n):
        return pcl_bound(n, epsilon, d, L, beta) <= risk

    high = 1
    while not enough(high):
        high *= 2
        if high > LARGEST_WHOLE:
            raise ValueError(f"risk = {risk:g} at d = {d!r}, L = {L!r} and beta = {beta!r} needs more than "
                             f"{LARGEST_WHOLE:.0e} people; raise risk or beta.")
    return first_enough(enough, high // 2, high)


def net(error: float, failure: float, hypotheses: str = "thresholds") -> Net:
    """The `Net` of the learner of Theorem 4.11 for thresholds, intervals or rectangles.

    It is within error / 4 of every hypothesis under the density it samples, but for probability `failure`.

    Parameters
    ----------
    error : float
        The error probability that the learner aims at, in (0, 1).
    failure : float
        Probability, in (0, 1).
    hypotheses : str
        "thresholds", "intervals" or "rectangles".

    Returns
    -------
    Net
        Axes, strips on each axis, candidates, and synthetic people whose quantiles separate the strips.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 4.11,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> net(0.1, 0.05)
    Net(axes=1, strips=50, candidates=51, synthetic=13850)
    """
    return semi_supervised.net(hypotheses, real("error", error, above=0, below=1), failure)


def labelled_people(error: float, failure: float, epsilon: float = 1.0,
                    hypotheses: str = "thresholds") -> int:
    """Labelled people m who suffice for the learner of Theorem 4.11 [1]_.

    If a hypothesis of the class makes the labels and the private density is within error / 8 of the truth in
    total variation, it errs by at most `error`, except with probability `failure`.  A third of it goes to
    each of: the best candidate's labelled errors, those of bad candidates, the choice.

        m = max{(72 / error) log(3 / failure), max(32, 8 / epsilon) / error log(3 candidates / failure)}

    It depends neither on the density of X nor on delta, which decide how many people without labels bring
    the private density that near; if X has no density, none do.  `theory.ledger("bayes-4.11")` executes the
    proof.

    Parameters
    ----------
    error : float
        In (0, 1).
    failure : float
        Probability, in (0, 1).
    epsilon : float
        Privacy budget in nats, > 0.
    hypotheses : str
        "thresholds", "intervals" or "rectangles".

    Returns
    -------
    int
        m, rounded up.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 4.11,
       doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> labelled_people(0.1, 0.05)
    2948
    """
    error = real("error", error, above=0, below=1)
    return semi_supervised.labelled_sample_size(hypotheses, error, failure, epsilon)


def cell_signal(n: float, side: float, d: int = 1, budget: float = 1.0, model: str = "central") -> float:
    """What must go to infinity for consistency in cells of mass side^d.

    Parameters
    ----------
    n : float
        People, > 0.
    side : float
        Of the cubes, > 0.
    d : int
        Dimension, 1 to 100.
    budget : float
        epsilon or alpha in nats, > 0.
    model : str
        "central" for n min(budget, 1) side^d, one noise a cell [1]_; "local" for
        n min(budget, 1)^2 side^(2 d), one a person and cell [2]_.

    Returns
    -------
    float
        The signal.

    References
    ----------
    .. [1] O. Bousquet et al., "Differentially-private Bayes consistency" (2022), Theorem 3.2,
       doi:10.48550/arXiv.2212.04216.
    .. [2] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.2, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> cell_signal(10**6, 0.125), cell_signal(10**6, 0.125, model="local")
    (125000.0, 15625.0)
    """
    n, d = real("n", n, above=0), whole("d", d, most=100)
    side, least = real("side", side, above=0), min(real("budget", budget, above=0), 1.0)
    share = least * side**d
    return n * share if choice("model", model, ("central", "local")) == "central" else n * share**2


def people_for_signal(signal: float, side: float, d: int = 1, budget: float = 1.0,
                      model: str = "central") -> float:
    """People at which `cell_signal` is `signal`; "local" is 1 / (min(budget, 1) side^d) times "central".

    Parameters
    ----------
    signal : float
        What `cell_signal` returns, > 0.
    side : float
        Of the cubes, > 0.
    d : int
        Dimension, 1 to 100.
    budget : float
        epsilon or alpha in nats, > 0.
    model : str
        "central" or "local", see `cell_signal`.

    Returns
    -------
    float
        People, not rounded.

    Examples
    --------
    >>> people_for_signal(125, 0.125), people_for_signal(125, 0.125, model="local")
    (1000.0, 8000.0)
    """
    return real("signal", signal, above=0) / cell_signal(1, side, d, budget, model)

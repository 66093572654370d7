"""What the corrected proofs of Bousquet et al. promise: error bounds and sample sizes, with constants.

Privacy budgets epsilon are in nats.  `ldp_lib.theory.proofs` executes the proofs behind these numbers.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import LARGEST_WHOLE, choice, real, reals, whole
from ldp_lib.estimation import semi_supervised
from ldp_lib.estimation.semi_supervised import Net
from ldp_lib.privacy.central import stability_threshold
from ldp_lib.risk import mean_count_error


def histogram_threshold(epsilon: float, delta: float) -> float:
    """(2 / epsilon) log(2 / delta) + 1, below which Algorithm 1, as printed, sets a noisy count to zero."""
    return stability_threshold(epsilon, delta, threshold="printed", noise="real")


def histogram_error(counts: ArrayLike, epsilon: float, delta: float,
                    target: ArrayLike | None = None) -> float | np.ndarray:
    """E|chat - target| of Algorithm 1 as printed, exact: `ldp_lib.risk.mean_count_error` with real noise."""
    return mean_count_error(counts, epsilon, delta, target=target, threshold="printed", noise="real")


def histogram_error_bound(counts: ArrayLike, epsilon: float, delta: float) -> np.ndarray:
    """min{1 + (2 / epsilon)(1 + log(2 / delta)), c + 2 / epsilon}, 0 if c = 0: bounds `histogram_error`.

    For epsilon <= 1 and delta <= 1/2 this is at most (8.4 / epsilon) min{log(1 / delta), c}, the form of
    Theorem 2.4 of Bousquet et al. (2022); without these conditions that form is false (errata 24).
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


def vote_bound(n, epsilon, cells, bias):
    """Bound on the excess risk of a noisy majority in `cells` cells.

    bias : a bound on E|eta - mean of eta over its cell|.  The three terms of the proofs of Theorems 3.2 and
    A.12 (Bousquet et al., 2022), doubled by Theorem 2.7, at the best cut-offs M (noise) and k (sampling).
    """
    worst = max(1.0, 1 / epsilon)
    noise = min(noise_bound(n, epsilon, cells, M)
                for M in _around(math.sqrt(n / (2 * cells * epsilon * worst))))
    sampling = min(sampling_bound(n, cells, k) for k in _around((n / (4 * cells)) ** (2 / 3)))
    return min(1.0, 2 * (noise + sampling + bias))


def _around(optimum):
    """The whole numbers next to where a convex function of a real number >= 1 is least."""
    low = max(1, math.floor(optimum))
    return low, low + 1


def pcl_bound(n: int, epsilon: float = 1.0, d: int = 1, L: float = 1.0, beta: float = 1.0) -> float:
    """Bound on the excess risk of Algorithm 2 (PCL) on [0, 1]^d for a Hölder eta; decreasing in n.

    n : people.  epsilon : nats.  L, beta : |eta(x) - eta(x')| <= L max_k |x_k - x'_k|^beta, beta in (0, 1].
    The proof of Theorem 3.2 (Bousquet et al., 2022) with r = n^(-1/(2d)) and (1/r + 1)^d cubes.
    """
    n, d = whole("n", n), whole("d", d, most=100)
    epsilon = real("epsilon", epsilon, above=0)
    L, beta = real("L", L, least=0), real("beta", beta, above=0, most=1)
    r = n ** (-1 / (2 * d))
    return vote_bound(n, epsilon, (1 / r + 1) ** d, L * r**beta)


def people_for_pcl(risk: float, epsilon: float = 1.0, d: int = 1, L: float = 1.0, beta: float = 1.0) -> int:
    """The smallest n with `pcl_bound` <= risk, risk in (0, 1): by the proof, enough people for it."""
    risk = real("risk", risk, above=0, below=1)
    high = 1
    while pcl_bound(high, epsilon, d, L, beta) > risk:
        high *= 2
        if high > LARGEST_WHOLE:
            raise ValueError(f"risk = {risk:g} at d = {d!r}, L = {L!r} and beta = {beta!r} needs more than "
                             f"{LARGEST_WHOLE:.0e} people; raise risk or beta.")
    low = high // 2                                     # not enough, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pcl_bound(middle, epsilon, d, L, beta) <= risk else (middle, high)
    return high


def net(error: float, failure: float, hypotheses: str = "thresholds") -> Net:
    """The `Net` of the learner of Theorem 4.11 for thresholds, intervals or rectangles.

    It is within error / 4 of every hypothesis under the density it samples, but for probability `failure`.
    """
    return semi_supervised.net(hypotheses, real("error", error, above=0, below=1), failure)


def labelled_people(error: float, failure: float, epsilon: float = 1.0,
                    hypotheses: str = "thresholds") -> int:
    """Labelled people m who suffice for the learner of Theorem 4.11 (Bousquet et al., 2022).

    If a hypothesis of the class makes the labels and the private density is within error / 8 of the truth in
    total variation, it errs by at most `error` in (0, 1), except with probability `failure` in (0, 1).  A
    third of it goes to each of: the best candidate's labelled errors, those of bad candidates, the choice.

        m = max{(72 / error) log(3 / failure), max(32, 8 / epsilon) / error log(3 candidates / failure)}

    It depends neither on the density of X nor on delta, which decide how many people without labels bring
    the private density that near; if X has no density, none do.  `theory.ledger("bayes-4.11")` executes the
    proof.
    """
    error = real("error", error, above=0, below=1)
    return semi_supervised.labelled_sample_size(hypotheses, error, failure, epsilon)


def cell_signal(n: float, side: float, d: int = 1, budget: float = 1.0, model: str = "central") -> float:
    """What must go to infinity for consistency in cells of mass side^d.

    model : "central", n min(budget, 1) side^d, one noise a cell (Bousquet et al., 2022, Theorem 3.2);
        "local", n min(budget, 1)^2 side^(2 d), one a person and cell (Berrett & Butucea, 2019, Theorem 2.2).
    n : people.  side : of the cubes, > 0.  budget : epsilon or alpha, nats.
    """
    n, d = real("n", n, above=0), whole("d", d, most=100)
    side, least = real("side", side, above=0), min(real("budget", budget, above=0), 1.0)
    share = least * side**d
    return n * share if choice("model", model, ("central", "local")) == "central" else n * share**2


def people_for_signal(signal: float, side: float, d: int = 1, budget: float = 1.0,
                      model: str = "central") -> float:
    """People at which `cell_signal` is `signal`; "local" is 1 / (min(budget, 1) side^d) times "central"."""
    return real("signal", signal, above=0) / cell_signal(1, side, d, budget, model)

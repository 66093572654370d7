"""The minimax risk over the class P(theta) between the best bounds on either side, at every alpha.

Below: Theorem 2.5 in its optimised form, `lower_bound`, of hypercubes and of the uniform law with bumps of
eta, whichever says more: the uniform law is in the class if mu <= 1 and c0 <= 2^-d.

Above: a rule of ours, for every alpha > 0. There are k^d partitions of [0, 1]^d into cells of side s, shifted
by s / k along the axes, and person i uses the one with number i modulo k^d: n' = floor(n / k^d) people each.
She sends one bit, `HadamardBit`, about her cell and label. A new x0 is judged in the partition in which it is
nearest to a centre: no axis is further than s / (2k) off.

* The votes of a cell are n' signs, each 1 with probability 1/2 + (q - p/2) tanh(alpha/2); a coin decides a
  tie. So P(wrong) is the mean of two binomial tails, falls in |q - p/2| and is the same on both sides of 1/2.
* Let u = |eta(x0) - 1/2|, and u >= L ((s/2 + s/(2k)) sqrt d)^beta, the Hölder term of the farthest point of
  the cell. Then eta is on one side of 1/2 all over the cell, and |q - p/2| >= integral of u - L |x - x0|^beta
  over any part of it. The ball about x0 of radius r = min(s/2 - s/(2k), r0) is such a part. Balls about x0 up
  to that radius hold c0 mu times their volume at least, and the integrand falls with the distance, so that
  |q - p/2| >= c0 mu V r^d (u - L r^beta d / (d + beta)). For smaller u the rule may err.
* If X is uniform, k = 1 is enough: |q - p/2| >= s^d (u - L mean |x - x0|^beta), the mean over the cell being
  largest at a corner.

Costs 2u are summed over thin shells of u, whose probabilities are bounded by the margin condition, as in
`ldp_lib.theory.classification.upper`.

What keeps the sides apart. For uniform X both have the same rate in n, and in alpha up to about 6; beyond,
the lower side keeps falling although no rule without privacy does better than its own rate. For the
whole class the densities have no upper bound: where u is below the Hölder term of the farthest point, all
other people of the cell may stand there and outvote the neighbours of x0, which no rule on cells can tell;
the hypercubes of the lower bound do not use such crowds.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy import HadamardBit, best_mechanism
from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.risk.scores import noisy_majority_probabilities, score_sign_probabilities
from ldp_lib.theory.classification import ball_volume, checked_theta, trivial_bound
from ldp_lib.theory.classification.lower import lower_bound
from ldp_lib.theory.classification.upper import Zone, best_bandwidth, mean_distance, thin_shells, whole_cost

PARTITIONS = range(2, 8)
"""Shifts per axis that are tried."""


class Sandwich(NamedTuple):
    """Bounds on the minimax excess risk, with the side of the cells and the shifts of the rule above.

    >>> bounds = sandwich(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True)
    >>> round(bounds.lower, 6), round(bounds.upper, 4), round(bounds.ratio, 2)
    (0.00054, 0.0027, 4.93)
    """

    lower: float
    upper: float
    side: float
    shifts: int

    @property
    def ratio(self) -> float:
        """upper / lower."""
        return self.upper / self.lower if self.lower else math.inf


def sandwich(n: int, alpha: float, beta: float, gamma: float, d: int, *, L: float = 1.0, C0: float = 2.0,
             c0: float | None = None, mu: float = 1.0, r0: float = 0.5, uniform_X: bool = False) -> Sandwich:
    """The minimax excess risk of n people at alpha nats over the class P(theta), between two bounds.

    Below is the better of the optimised `ldp_lib.theory.lower_bound` of hypercubes and of the uniform law;
    above, the risk of a rule of ours, see `ldp_lib.theory.classification.sandwich`. At large alpha they are
    far apart, and say little: 40 times at alpha = 1, 509 at 6, 3,298 at 12 for n = 10^4 and beta = gamma = d
    = 1, because the rule above no longer gains from the budget.

    Parameters
    ----------
    n : int
        People in all, 2 or more.
    alpha : float
        Privacy budget in nats, 0 < alpha <= 700.
    beta : float
        Hölder exponent of eta, in (0, 1].
    gamma : float
        Margin exponent, in [0, 100], with beta gamma <= d, or <= 1 with `uniform_X`.
    d : int
        Dimension, 1 to 100.
    L, C0 : float
        Hölder and margin constants, > 0; defaults 1 and 2.
    c0 : float or None
        Share of a ball that the support fills, in (0, 1/2]; None, the default, is 4^-d.
    mu : float
        Lower bound of the density of X on its support, > 0; default 1.
    r0 : float
        Largest radius of those balls, in (0, 1/2]; default 1/2.
    uniform_X : bool
        Restricts the class to X uniform on [0, 1]^d; from d = 8 on the memory limit refuses it.
        Default False.

    Returns
    -------
    Sandwich
        `lower` and `upper`, excess risks; `side` and `shifts` of the rule above; `ratio` is upper / lower.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.5 for the lower bound, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> sandwich(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True).ratio < 10
    True
    """
    n, alpha = whole("n", n, least=2), real("alpha", alpha, above=0, most=700)
    theta = checked_theta(beta, gamma, d, L, C0, c0, mu, real("r0", r0, above=0, most=0.5))
    if uniform_X and theta.beta * theta.gamma > 1:
        raise ValueError(f"gamma = {theta.gamma:g} is too large: with uniform_X beta gamma = "
                         f"{theta.beta * theta.gamma:g} must be at most 1. Lower gamma or beta.")
    if theta.c0 * theta.mu * ball_volume(theta.d) * theta.r0**theta.d > 1 + 1e-9:
        raise ValueError(f"mu = {theta.mu:g} is too large: a ball of radius r0 = {theta.r0:g} would hold "
                         "more than all people, and no law is in the class. Lower mu, r0 or c0.")
    place, known = (n, alpha, beta, gamma, d), {"L": L, "C0": C0}
    below = 0.0
    if theta.beta * theta.gamma <= 1 and (uniform_X or theta.mu <= 1 and theta.c0 <= 2.0**-theta.d):
        below = lower_bound(*place, **known, uniform_X=True).value
    if not uniform_X:
        below = max(below, lower_bound(*place, **known, mu=mu, c0=c0, r0=r0).value)
    start = (n * min(alpha, 1.0) ** 2) ** (-1 / (2 * theta.beta + 2 * theta.d))
    best = Sandwich(below, trivial_bound(theta.gamma, theta.C0), math.nan, 0)
    for shifts in (1,) if uniform_X else PARTITIONS:
        people = n // shifts**theta.d
        if people < 1:
            break

        def bound(side, shifts=shifts, people=people):
            zone = (_uniform if uniform_X else _anywhere)(theta, alpha, people, side, shifts)
            return whole_cost(thin_shells([zone], theta, side))

        side = best_bandwidth(bound, 2 * start, uniform_X)
        # A rule that promises no more than the trivial bound is not named.
        best = min(best, Sandwich(below, bound(side), float(side), shifts),
                   key=lambda each: canonical(each.upper))
    return best


def curator_bound(n: int, epsilon: float, beta: float, gamma: float, d: int, *, L: float = 1.0,
                  C0: float = 2.0) -> float:
    """The most excess risk of a curator over the class with uniform X, with n people at epsilon nats.

    The rule is the noisy majority in cells of the best side ([1]_, Algorithm 2); the steps are those of
    `sandwich` with the exact law of its vote. Where this is below `sandwich(...).lower`, the curator beats
    every local rule, known or not, of which people report in turn, once each.

    Parameters
    ----------
    n : int
        People in all, 2 or more.
    epsilon : float
        Privacy budget of the curator in nats, 0 < epsilon <= 50.
    beta : float
        Hölder exponent of eta, in (0, 1].
    gamma : float
        Margin exponent, in [0, 100].
    d : int
        Dimension, 1 or more; from 8 on the memory limit refuses it.
    L, C0 : float
        Hölder and margin constants, > 0; defaults 1 and 2.

    Returns
    -------
    float
        A bound on the excess risk, at most min(1, C0 2^-gamma).

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 2, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> local = sandwich(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True)
    >>> curator_bound(10**6, 1.0, 1.0, 1.0, 1) < local.lower / 5
    True
    """
    n, scale = whole("n", n, least=2), 2 / real(
        "epsilon", epsilon, above=0, most=50, cure="There is hardly any noise beyond.")
    theta = checked_theta(beta, gamma, d, L, C0)

    def bound(side):
        p = side**theta.d

        def error(ones):
            return np.maximum(noisy_majority_probabilities(n, p, ones, scale)[0],
                              noisy_majority_probabilities(n, p, p - ones, scale)[1])

        spread = math.sqrt(p / (4 * n)) + scale / n
        return whole_cost(thin_shells([_zone(error, spread, p, p, _corner(theta, side), 0.0)], theta, side))

    start = n ** (-1 / (2 * theta.beta + theta.d))
    return min(bound(best_bandwidth(bound, start, True)), trivial_bound(theta.gamma, theta.C0))


def _zone(error, spread, p, slope, bias, reach):
    """The `Zone` of points whose cell, of mass p, has |q - p/2| >= slope (u - bias) from u = reach on.

    error : P(wrong) as a function of q.  spread : standard deviation of the score, about.
    """
    def wrong(u):
        return np.where(u < reach, 1.0, error(np.clip(p / 2 + slope * (u - bias), 0.0, p)))

    return Zone(1.0, wrong, max(bias, reach) + 2.5 * spread / slope)


def _reports(mechanism, people, p):
    """P(wrong) as a function of q, and the standard deviation of the score, of a mechanism on cells."""
    def error(ones):
        below, above = (score_sign_probabilities(mechanism, people, p, q) for q in (ones, p - ones))
        return (below[0] + above[1]) / 2               # the same on both sides of 1/2, for a coin breaks ties

    return error, math.sqrt(mechanism.variance(p) / people)


def _corner(theta, side):
    return theta.L * mean_distance([0.0] * theta.d, [side] * theta.d, [0.0] * theta.d, theta.beta)


def _uniform(theta, alpha, people, side, shifts):
    p = side**theta.d
    mechanism = CELL_MECHANISMS[best_mechanism(alpha, round(1 / p))](alpha, side, theta.d)
    return _zone(*_reports(mechanism, people, p), p, p, _corner(theta, side), 0.0)


def _anywhere(theta, alpha, people, side, shifts):
    off = side / (2 * shifts)
    r = min(side / 2 - off, theta.r0)
    slope = min(1.0, theta.c0 * theta.mu * ball_volume(theta.d) * r**theta.d)
    reach = theta.L * ((side / 2 + off) * math.sqrt(theta.d)) ** theta.beta
    bias = theta.L * r**theta.beta * theta.d / (theta.d + theta.beta)
    return _zone(*_reports(HadamardBit(alpha, 1.0), people, 1.0), 1.0, slope, bias, reach)

"""What a second question buys: how many people it takes to see that a die of K faces is not fair.

Half of the faces have probability (1 + delta)/K and the others (1 - delta)/K; nobody knows which half. People
report under alpha-LDP. With s = sinh(alpha/2) and t = tanh(alpha/2):

* *The budget of a report.* For a channel Q with mean m(z) over the faces let M be the sum over z of
  (Q(z|.) - m(z)) (Q(z|.) - m(z))' / m(z): f'Mf is the Fisher information of a report about a tilt of the fair
  die in direction f. Then trace M <= K s^2, and f'Mf <= K t^2 for f = +-1/sqrt(K) with as many + as -.

  Proof. trace M = sum_z m(z) sum_x (r_z(x) - 1)^2, where r_z = Q(z|.)/m(z) has mean 1 over the faces and
  values in some [c, c e^alpha]. The variance of such values is largest where there are two of them, the
  larger one on a share w of the faces: w (1 - w) (e^alpha - 1)^2 / (1 - w + w e^alpha)^2. That is largest
  at w = 1/(1 + e^alpha), and is s^2 there. In one direction: half the difference of the means of r_z over the
  two halves is at most t, since these means have mean 1 and a ratio of at most e^alpha. Subset selection of
  K/(1 + e^alpha) faces, and the question "is yours in this half?", have equality.
* *Even questions*, fixed beforehand (the M of all people add up to a multiple of I - J/K): with the heavy
  half at random, 1 + chi^2 <= E exp(lambda (4H/K - 1)), where lambda = n s^2 delta^2/(K - 1) and H is
  hypergeometric(K, K/2, K/2). A test of level a has power at most a + sqrt(a (1 - a) chi^2).
  Order K^(3/2).
* *Any fixed questions*: tilts with independent signs in the r directions that are asked about least, each of
  which has at most n K s^2/(K - r) of the trace. A tilt of norm delta/sqrt(K) is a die, except with chance
  K exp(-r/(2 K delta^2)), and the others are left out. Here the class is that of the L2 distance, and where
  the exception is the rule nothing is proved: at delta = 1/2, and for any delta from some K on, of order
  e^(1/(2 delta^2)).
* *All sequentially interactive protocols*, with public dice, too: under the fair die the past says nothing of
  which half is heavy, so that the divergence of the fair die from the mixture is at most kappa lambda, with
  kappa = -log(1 - delta^2)/(2 delta^2): for a half and its complement -log(1 + x) - log(1 - x) is at most
  2 kappa x^2 where |x| <= delta, and E x^2 <= delta^2 s^2/(K - 1). It must be kl(level, power) at least.
  Order K.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtri

from ldp_lib._arguments import choice, real, reals, whole
from ldp_lib.nature.dice import MOST_FACES
from ldp_lib.theory.contraction import LARGEST_ALPHA, kl

PROTOCOLS = "even", "fixed", "interactive"
DEGREES = 1, 3, 2
"""c in the exponent min(4s / (4s + c), 1/2) of int f^2 without privacy, in one round and in two."""


class InformationBudget(NamedTuple):
    """The most that an alpha-LDP report can tell of tilts of a fair die: in all directions, and in one.

    >>> budget = information_budget(64, 1.0)
    >>> round(budget.trace, 3), round(budget.direction, 3)
    (17.379, 13.667)
    """

    trace: float
    direction: float


def information_budget(K: int, alpha: float) -> InformationBudget:
    """The bounds K sinh^2(alpha/2) of the trace, and K tanh^2(alpha/2) of f'Mf for a balanced f.

    Parameters
    ----------
    K : int
        Number of faces, 2 or more.
    alpha : float
        Privacy budget in nats, 0 < alpha <= 700.

    Returns
    -------
    InformationBudget
        `trace` and `direction`; both are reached, see the module.

    Examples
    --------
    >>> from ldp_lib.theory.contraction import randomised_response
    >>> matrix = report_information(randomised_response(1.0))
    >>> bool(matrix.trace() <= information_budget(2, 1.0).trace)
    True
    """
    K, alpha = whole("K", K, least=2), _budget(alpha)
    return InformationBudget(K * math.sinh(alpha / 2) ** 2, K * math.tanh(alpha / 2) ** 2)


def report_information(kernel: ArrayLike) -> np.ndarray:
    """M of one report: f'Mf is its Fisher information about a tilt of the fair die in direction f.

    Parameters
    ----------
    kernel : array, shape (K, outputs)
        The laws of the report given each face: rows that sum to 1.

    Returns
    -------
    array, shape (K, K)
        Symmetric, with rows that sum to 0.

    Examples
    --------
    >>> report_information([[0.75, 0.25], [0.25, 0.75]]).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    kernel = reals("kernel", kernel, least=0, most=1)
    if kernel.ndim != 2 or len(kernel) < 2 or not np.allclose(kernel.sum(axis=1), 1):
        raise ValueError(f"kernel has shape {kernel.shape}; it must be (K, outputs) with K >= 2, and each "
                         "row a law. Divide rows by their sums.")
    kernel = kernel[:, kernel.max(axis=0) > 0]
    mean = kernel.mean(axis=0)
    return (kernel - mean) @ ((kernel - mean) / mean).T


def people_bound(K: int, alpha: float, delta: float, *, protocol: str = "interactive", level: float = 0.05,
                 power: float = 0.8) -> int:
    """Fewer people than this cannot tell a fair die from one with an unknown heavy half, at level and power.

    Parameters
    ----------
    K : int
        Number of faces, 2 to 10^6; even, but for "fixed".
    alpha : float
        Privacy budget of each report in nats, 0 < alpha <= 700.
    delta : float
        The heavy faces have (1 + delta)/K, 0 < delta < 1.
    protocol : str
        "interactive" (default): people are asked once each, and questions may depend on all answers before,
        and on public dice. "even": fixed questions that ask about all directions alike, as all that treat
        faces alike do. "fixed": any fixed questions, against tilts of the same L2 distance.
    level, power : float
        Of the test, 0 < level < power < 1; 0.05 and 0.8 by default.

    Returns
    -------
    int
        A number of people; 0 for "fixed" where nothing is proved.

    Notes
    -----
    Of order K for "interactive" and K^(3/2) for the others, over s^2 delta^2; proofs in the module.

    Examples
    --------
    >>> [people_bound(256, 1.0, 0.5, protocol=protocol) for protocol in ("interactive", "even", "fixed")]
    [8759, 135761, 0]
    >>> people_bound(256, 1.0, 0.1, protocol="even"), people_bound(256, 1.0, 0.1, protocol="fixed")
    (3394002, 1318432)
    """
    K, alpha = whole("K", K, least=2, most=MOST_FACES), _budget(alpha)
    if choice("protocol", protocol, PROTOCOLS) != "fixed" and K % 2:
        raise ValueError(f"K = {K} faces have no half; K must be even. Take one face more.")
    delta = real("delta", delta, above=0, below=1)
    level = real("level", level, above=0, below=1)
    power = real("power", power, above=level, below=1)
    unit = (K - 1) / (math.sinh(alpha / 2) * delta) ** 2
    if protocol == "interactive":
        needed = kl([level, 1 - level], [power, 1 - power])
        return math.ceil(unit * needed * 2 * delta**2 / -math.log1p(-(delta**2)))
    log_needed = math.log1p((power - level) ** 2 / (level * (1 - level)))
    if protocol == "even":
        return math.ceil(unit * _even(K, log_needed))
    r = np.arange(1, K)
    left_out = K * np.exp(-r / (2 * K * delta**2))
    room = log_needed + 2 * np.log1p(-np.minimum(left_out, 1 - 1e-15))
    r, room = r[room > 0], room[room > 0]
    # r log cosh(x) is the bound of log(1 + chi^2), x = n delta^2 s^2 / (r (K - r)).
    return math.ceil((np.arccosh(np.exp(room / r)) * r * (K - r)).max(initial=0.0) * unit / (K - 1))


@lru_cache(maxsize=256)
def _even(K, log_needed):
    """The lambda with log E exp(lambda (4H/K - 1)) = log_needed."""
    half = np.arange(K // 2 + 1)
    log_ways = 2 * (gammaln(K / 2 + 1) - gammaln(half + 1) - gammaln(K / 2 - half + 1))
    log_law = log_ways - np.logaddexp.reduce(log_ways)
    low, high = 0.0, 1.0

    def enough(value):
        return np.logaddexp.reduce(log_law + value * (4 * half / K - 1)) >= log_needed

    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low


def _budget(alpha):
    return real("alpha", alpha, above=0, most=LARGEST_ALPHA)


class TwoRoundLimit(NamedTuple):
    """`noncentrality` lambda = n t^2 delta^2 / K and the best `share` of the first round.

    >>> limit = two_round_limit()
    >>> round(limit.noncentrality, 2), round(limit.share, 2)
    (8.77, 0.62)
    """

    noncentrality: float
    share: float


def two_round_limit(level: float = 0.05, power: float = 0.8) -> TwoRoundLimit:
    """What two rounds need for many faces and weak tilts: n = lambda K / (t^2 delta^2), whatever K is.

    A limit without a rate: power = Phi((sqrt(2/pi) sqrt(lambda_1 lambda_2) - z) / sqrt(1 + lambda_2)), where
    z is the quantile of the level and lambda_1 and lambda_2 are the parts of lambda in the two rounds.

    Parameters
    ----------
    level, power : float
        0 < level < power < 1; 0.05 and 0.8 by default.

    Returns
    -------
    TwoRoundLimit
        The least lambda, and the share of the people in the first round at which it is enough.

    Examples
    --------
    >>> round(two_round_limit(power=0.9).noncentrality, 2)
    11.99
    """
    level = real("level", level, above=0, below=1)
    power = real("power", power, above=level, below=1)
    edge, aim = -ndtri(level), ndtri(power)
    share = np.linspace(0.001, 0.999, 999)

    def needed(share):
        """The root lambda of sqrt(2/pi) lambda sqrt(w (1 - w)) - edge = aim sqrt(1 + lambda (1 - w))."""
        slope, half = np.sqrt(2 / np.pi * share * (1 - share)), (1 - share) / 2
        root = np.sqrt(slope**2 + 2 * slope * edge * half + (aim * half) ** 2)
        return (slope * edge + aim**2 * half + aim * root) / slope**2

    for width in (1e-3, 1e-6):
        best = share[needed(share).argmin()]
        share = best + width * np.linspace(-1, 1, 2001)
    return TwoRoundLimit(float(needed(best)), float(best))


def faces_exponent(rounds: int = 2, coins: str = "private") -> float:
    """The power of K to which the people rise who see that a die is not fair: 3/2 or 1.

    Parameters
    ----------
    rounds : int
        1, or 2 (default) and more: from the second round on questions can depend on answers.
    coins : str
        "private" (default), or "public": questions of one round may hang on dice that all see, and that are
        thrown after the law of the faces is chosen.

    Returns
    -------
    float
        3/2 for one round with private coins, and else 1. Upper and lower bounds, [1]_; see `people_bound`.

    References
    ----------
    .. [1] J. Acharya, C. Canonne, C. Freitag, Z. Sun and H. Tyagi, "Inference under information constraints
       III: local privacy constraints" (2021), doi:10.48550/arXiv.2101.07981.

    Examples
    --------
    >>> faces_exponent(rounds=1), faces_exponent(rounds=1, coins="public"), faces_exponent(rounds=2)
    (1.5, 1.0, 1.0)
    """
    public = choice("coins", coins, ("private", "public")) == "public"
    return 1.5 if whole("rounds", rounds) == 1 and not public else 1.0


def quadratic_exponent(s: float, rounds: int = 2) -> float:
    """The exponent of n alpha^2 in the error of int f^2, for a density f of smoothness s.

    min(4s/(4s + c), 1/2) with c = 1 without privacy, where alpha does not count, 3 in one round and 2 in two:
    the bias of K = 2^J cells is K^(-2s), the noise K^(3/2)/(n alpha^2) or K/(n alpha^2), and K^(1/2)/n
    without privacy. This balance is no proof; its bends agree with [1]_.

    Parameters
    ----------
    s : float
        Smoothness, > 0.
    rounds : int
        0 without privacy, 1, or 2, the default.

    Returns
    -------
    float
        Between 0 and 1/2.

    References
    ----------
    .. [1] C. Butucea, A. Rohde and L. Steinberger, "Interactive versus noninteractive locally differentially
       private estimation: two elbows for the quadratic functional", Ann. Statist. 51 (2023),
       doi:10.1214/22-AOS2254.

    Examples
    --------
    >>> [quadratic_exponent(0.5, rounds) for rounds in (0, 1, 2)]
    [0.5, 0.4, 0.5]
    """
    s = real("s", s, above=0)
    return min(4 * s / (4 * s + DEGREES[whole("rounds", rounds, least=0, most=2)]), 0.5)


def quadratic_elbow(rounds: int = 2) -> float:
    """The smoothness from which on int f^2 has the exponent 1/2, see `quadratic_exponent`.

    Parameters
    ----------
    rounds : int
        0 without privacy, 1, or 2, the default.

    Returns
    -------
    float
        1/4, 3/4 or 1/2.

    Examples
    --------
    >>> [quadratic_elbow(rounds) for rounds in (0, 1, 2)]
    [0.25, 0.75, 0.5]
    """
    return DEGREES[whole("rounds", rounds, least=0, most=2)] / 4

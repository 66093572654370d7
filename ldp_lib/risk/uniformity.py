"""How often does a private test find that a die is not fair? Exact powers of `UniformityTest`.

* One round: the statistic is a sum of independent functions of binomial counts, whose law is a fast Fourier
  transform (`ldp_lib.estimation.uniformity.chances_below`). Of public dice the power is the mean over the
  dice: how many heavy faces a random half holds is hypergeometric.
* One round by subset selection: the chi-squared approximation, no more; it needs fewer people than one bit.
* Two rounds: given how many of the first n people hold each face, N_1, ..., N_K, the signs of different faces
  are independent, and face k is suspected with a probability g(N_k). With a Poisson number of people the N_k
  are independent as well. The law for n people is then the coefficient of z^n, one contour integral over
  |z| = n, of the product over the faces of sum_N (z p_k)^N / N! (g(N) u_k + 1 - g(N)), and the power a finite
  sum over the numbers of heavy and light suspects, of binomial tails.

  g itself is a recursion: to tilt one fair coin more by t raises a tail P(X >= m) by (t/2) P(X' = m - 1), X'
  being the sum of the other n - 1, and that is a finite Fourier sum.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri, chndtrinc, gammaln

from ldp_lib._arguments import real, reals, whole, wrong_kind
from ldp_lib._rounding import canonical
from ldp_lib.estimation.uniformity import (
    PUBLIC_QUESTIONS, ROUNDING, UniformityTest, chances_below, fair_parts, group_sizes, largest_score,
    squared_deviations, walsh_sets,
)
from ldp_lib.privacy import SubsetSelection
from ldp_lib.privacy.binomial import at_least, binomial_chances
from ldp_lib.privacy.exact import LARGEST_BUDGET, SMALLEST_BUDGET
from ldp_lib.risk.contour import BLOCK, TINY
from ldp_lib.risk.planning import first_enough

NEGLECTED = 1e-17
"""Nodes of contours, and outcomes, that matter less than this are left out."""
MOST_PEOPLE = 10**7
"""Beyond, tables of counts take too long."""
REACH = 10.0
"""Standard deviations of a Poisson variable beyond which nobody looks."""


def uniformity_power(test: UniformityTest, law: ArrayLike, n: int, *, level: float = 0.05) -> float:
    """P(p_value_ <= level) if n people hold faces of the die `law`; with the fair die, the true level.

    Exact up to rounding, some 1e-10. Of public dice it is the mean over the dice.

    Parameters
    ----------
    test : UniformityTest
        Only its parameters count.
    law : array, shape (K,)
        The masses of the faces; they sum to 1. In two rounds, and with public dice, they have two values at
        most, as those of `ldp_lib.nature.tilted_die`.
    n : int
        People in all, one or more in each round, at most 10^7.
    level : float
        In (0, 1), 10^-6 or more; 0.05 by default.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from ldp_lib.estimation import UniformityTest
    >>> from ldp_lib.nature import tilted_die
    >>> one, two = (UniformityTest(alpha=1.0, K=64, rounds=rounds) for rounds in (1, 2))
    >>> [round(uniformity_power(test, tilted_die(64, 0.5), 10_000), 2) for test in (one, two)]
    [0.19, 0.78]
    >>> uniformity_power(two, [1/64] * 64, 10_000) < 0.05
    True
    """
    if not isinstance(test, UniformityTest):
        raise wrong_kind("test", test, "a UniformityTest")
    K, rounds = test.checked()
    law = checked_die(law)
    if len(law) != K:
        raise ValueError(f"law has shape {law.shape}; it must be ({K},), a mass for each face of the test.")
    n = whole("n", n, least=rounds, most=MOST_PEOPLE)
    level = real("level", level, least=1e-6, below=1)
    tilt = math.tanh(test.alpha / 2)
    if rounds == 2:
        return _two_rounds(law, test.first_people(n), n, tilt, level)
    if test.coins == "private":
        return _fixed_questions(walsh_sets(K), law, n, tilt, level)
    return _one_round(np.full(PUBLIC_QUESTIONS, K // 2 / K), [_random_half(law)] * PUBLIC_QUESTIONS, n, tilt,
                      level)


def questions_power(questions: ArrayLike, law: ArrayLike, n: int, alpha: float, *,
                    level: float = 0.05) -> float:
    """The same for the test in one round that asks these questions, a fixed number of people each.

    Parameters
    ----------
    questions : array of bool, shape (m, K)
        The faces that each question is about: one at least, and not all.
    law : array, shape (K,)
        The masses of the faces; they sum to 1.
    n : int
        People in all, 1 to 10^7.
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    level : float
        In (0, 1), 10^-6 or more; 0.05 by default.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> law, questions = [0.4, 0.4, 0.1, 0.1], [[True, False, True, False], [True, True, False, False]]
    >>> [questions_power([question], law, 300, 1.0) > 0.05 for question in questions]
    [False, True]
    """
    law, alpha = checked_die(law), real("alpha", alpha, least=SMALLEST_BUDGET, most=LARGEST_BUDGET)
    questions = np.asarray(questions)
    if questions.dtype != bool or questions.ndim != 2 or questions.shape[1] != len(law) or not (
            len(questions) and (questions.any(axis=1) & ~questions.all(axis=1)).all()):
        raise ValueError(f"questions is an array of {questions.dtype} of shape {questions.shape}; it must be "
                         f"of bool, (m, {len(law)}), each row with a True and a False. Say for each question "
                         "which faces it is about.")
    return _fixed_questions(questions, law, whole("n", n, most=MOST_PEOPLE), math.tanh(alpha / 2),
                            real("level", level, least=1e-6, below=1))


def checked_die(law):
    """The masses of a die, if they are legal."""
    law = reals("law", law, least=0, most=1)
    if law.ndim != 1 or len(law) < 2 or abs(law.sum() - 1) > 1e-9:
        raise ValueError(f"law has shape {law.shape} and sum {law.sum():g}; it must be (K,) with K >= 2, the "
                         "masses of the faces, and sum to 1.")
    return law


def _fixed_questions(sets, law, n, tilt, level):
    return _one_round(sets.mean(axis=1), [[(1.0, share)] for share in canonical(sets @ law)], n, tilt, level)


def _yes(share, tilt):
    """P(yes) if the set holds this share of the people."""
    return (1 + tilt * (2 * share - 1)) / 2


def _heights(law):
    """(mass, number of faces) of the heavy faces and of the light ones, of which a fair die has none."""
    masses, faces = np.unique(canonical(law), return_counts=True)
    if len(masses) > 2:
        raise ValueError(f"law has {len(masses)} different masses; in two rounds, or with public dice, exact "
                         "powers are for two at most. Take tilted_die, or simulate.")
    return [*zip(masses.tolist(), faces.tolist(), strict=True)][::-1] + [(0.0, 0)] * (2 - len(masses))


def _random_half(law):
    """(chance, share of the people) for what a random set of half of the faces can hold."""
    (heavy, many), (light, few) = _heights(law)
    half = len(law) // 2
    inside = np.arange(max(0, half - few), min(half, many) + 1)
    ways = (_log_ways(many, inside) + _log_ways(few, half - inside) - _log_ways(len(law), half))
    shares = inside * heavy + (half - inside) * light
    if 2 * half == len(law):
        # The other half is as likely, and has yes for no: the same squares.
        shares = np.minimum(shares, 1 - shares)
    kinds, place = np.unique(canonical(shares), return_inverse=True)
    return list(zip(np.bincount(place, np.exp(ways)), kinds, strict=True))


def _log_ways(n, k):
    """log of n over k."""
    return gammaln(n + 1) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n, k) + 1)


def _one_round(fair, shares, n, tilt, level):
    """The power where questions about `fair` shares of the faces, (m,), meet what `shares` of the people
    they hold, for each a list of (chance, share)."""
    people, chances = group_sizes(n, len(fair)), _yes(fair, tilt).tolist()
    below = chances_below(largest_score(len(fair)), fair_parts(people, chances))
    rejected = np.flatnonzero(1 - below + ROUNDING <= level)
    if not len(rejected):
        return 0.0
    kinds = Counter(zip(people.tolist(), chances, map(tuple, shares), strict=True))
    parts = [(squared_deviations(m, chance),
              sum(weight * binomial_chances(m, _yes(share, tilt)) for weight, share in mixture
                  if weight > NEGLECTED), copies)
             for (m, chance, mixture), copies in kinds.items() if m]
    return float(1 - chances_below(int(rejected[0]), parts)[-1])


def _two_rounds(law, first, n, tilt, level):
    """The power where the first of n people make the set."""
    (heavy, _), (light, _) = _heights(law)
    joint, K = _suspects(law, first, tilt), len(law)
    a, b = np.nonzero(joint > NEGLECTED)
    asked = (a + b > 0) & (a + b < K)
    a, b = a[asked], b[asked]
    critical = np.zeros(K + 1, dtype=np.int64)
    sizes = np.unique(a + b)
    critical[sizes] = _critical(n - first, _yes(sizes / K, tilt), level)
    return float(joint[a, b] @ at_least(critical[a + b], n - first, _yes(a * heavy + b * light, tilt)))


def _critical(n, chances, level):
    """The least k with P(at least k of n bits are 1) <= level, for each of the chances."""
    few, enough = np.zeros(len(chances), dtype=np.int64), np.full(len(chances), n + 1)
    while (enough - few > 1).any():
        middle = (few + enough) // 2
        small = at_least(middle, n, chances) <= level
        few, enough = np.where(small, few, middle), np.where(small, middle, enough)
    return enough


def suspects_law(law: ArrayLike, n: int, alpha: float) -> np.ndarray:
    """The joint law of how many heavy and how many light faces n first people make suspect.

    Parameters
    ----------
    law : array, shape (K,)
        The masses of the faces, with two values at most.
    n : int
        People in the first round, 1 to 10^7.
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.

    Returns
    -------
    array, shape (heavy + 1, light + 1)
        P(so many heavy faces, so many light ones). All faces of a fair die count as heavy.

    Examples
    --------
    >>> from ldp_lib.nature import tilted_die
    >>> chances = suspects_law(tilted_die(64, 0.5), 6000, 1.0)
    >>> heavy, light = (chances.sum(axis=axis) @ np.arange(33) for axis in (1, 0))
    >>> round(float(heavy + 32 - light), 1)                 # faces that are judged right, of 64
    39.0
    """
    law, alpha = checked_die(law), real("alpha", alpha, least=SMALLEST_BUDGET, most=LARGEST_BUDGET)
    return _suspects(law, whole("n", n, most=MOST_PEOPLE), math.tanh(alpha / 2))


def _suspects(law, n, tilt):
    kinds, K = _heights(law), len(law)
    middle = [n * mass for mass, faces in kinds if faces]
    low = max(math.floor(min(middle) - REACH * math.sqrt(min(middle))), 0)
    high = min(math.ceil(max(middle) + REACH * math.sqrt(max(middle)) + 4 * REACH), n)
    holders = np.arange(low, high + 1)
    suspected = _suspected(low, high, n, K, tilt)
    period = math.ceil(REACH * math.sqrt(n)) + 4 * math.ceil(REACH)
    angle = 2 * np.pi / period * np.arange(period // 2 + 1)
    sums, size = [], np.zeros(len(angle))
    for mass, faces in kinds:
        mean = max(n * mass, TINY)
        poisson = np.exp(holders * math.log(mean) - mean - gammaln(holders + 1))
        # The sums over N of chances times e^(i N angle): so many turns more are none.
        inside, outside = (np.fft.rfft(np.bincount(holders % period, poisson * chance, period)).conj()
                           for chance in (suspected, 1 - suspected))
        size += faces * np.log(np.maximum(np.abs(inside) + np.abs(outside), TINY))
        sums.append((inside, outside, faces))
    kept = size > size.max() + math.log(NEGLECTED)
    weight = np.where((angle == 0) | (2 * np.arange(len(angle)) == period), 1.0, 2.0)
    weight = (weight * np.exp(-1j * n * angle))[kept]
    heavy, light = (_powers(inside[kept], outside[kept], faces) for inside, outside, faces in sums)
    joint = ((heavy * weight[:, None]).T @ light).real.clip(min=0.0)
    # The factor n! / (n^n e^-n period) in front of the integral.
    return joint / joint.sum()


def _powers(inside, outside, faces):
    """The coefficients of u^a, a = 0, ..., faces, in (inside u + outside)^faces, (nodes, faces + 1)."""
    a = np.arange(faces + 1)
    logs = np.log(np.where(inside == 0, TINY, inside)), np.log(np.where(outside == 0, TINY, outside))
    return np.exp(np.outer(logs[0], a) + np.outer(logs[1], faces - a) + _log_ways(faces, a))


def _suspected(low, high, n, K, tilt):
    """g(N) for N = low, ..., high: P(the sum of n signs is above tilt n/K) if N of them are tilted."""
    # 2 X - n > tilt n / K, X being the number of signs that are 1.
    least = (n + math.floor(canonical(tilt * n / K))) // 2 + 1
    up = (1 + tilt) / 2
    ones = np.arange(low + 1)
    start = binomial_chances(low, up) @ at_least(least - ones, n - low, 0.5) if low else at_least(
        least, n, 0.5)
    # The law of n - 1 signs has n masses, so that sums over n angles are exact.
    half = np.pi / n * np.arange(n // 2 + 1)
    fair, tilted = np.cos(half), 1 - up + up * np.exp(2j * half)
    # Tilted signs turn less, so that the largest N has the largest terms.
    fair = np.maximum(fair, TINY)
    kept = high * np.log(np.abs(tilted)) + (n - high) * np.log(fair) > math.log(NEGLECTED)
    fair, tilted, half = fair[kept], tilted[kept], half[kept]
    weight = np.where((half == 0) | (2 * half == np.pi), 1.0, 2.0) / n
    more = np.log(tilted / fair) - 1j * half
    logs = (n - 1) * (np.log(fair) + 1j * half) - 2j * (least - 1) * half
    # From high - 1 down, a long way to the first N of a row, then a short one: a term is a product of two.
    width = max(math.ceil(math.sqrt(high - low)), 1)
    masses, short = np.zeros((width, width)), np.arange(width)
    for part in np.array_split(np.arange(len(half)), math.ceil(width * len(half) / BLOCK)):
        first = np.exp(logs[part] + np.outer(high - 1 - width * short, more[part])) * weight[part]
        masses += (first @ np.exp(np.outer(more[part], -short))).real
    masses = masses.ravel()[:high - low][::-1]
    return np.append(start, start + tilt / 2 * np.cumsum(masses)).clip(0.0, 1.0)


def people_for_power(test: UniformityTest, law: ArrayLike, *, power: float = 0.8, level: float = 0.05,
                     most: int = MOST_PEOPLE) -> int | None:
    """How many people find with probability `power` that the die `law` is not fair.

    Parameters
    ----------
    test, law, level : UniformityTest, array, float
        As in `uniformity_power`.
    power : float
        Aimed at, above `level` and below 1; 0.8 by default.
    most : int
        The most people to try, 2 to 10^7, the default.

    Returns
    -------
    int or None
        n with `uniformity_power(test, law, n) >= power`, and n - 1 has less, or is too few to be asked; None
        if `most` have less.

    Notes
    -----
    By doubling and halving. Counts are whole, so that the power goes up in teeth of about a percent, where n
    is small, and this is one of several such n.

    Examples
    --------
    >>> from ldp_lib.estimation import UniformityTest
    >>> from ldp_lib.nature import tilted_die
    >>> people_for_power(UniformityTest(alpha=1.0, K=16), tilted_die(16, 0.5))
    2672
    """
    level = real("level", level, least=1e-6, below=1)
    power = real("power", power, above=level, below=1)
    most = whole("most", most, least=2, most=MOST_PEOPLE)
    few, many = 1, 2

    def enough(n):
        return canonical(uniformity_power(test, law, n, level=level)) >= canonical(power)

    while not enough(many):
        if many == most:
            return None
        few, many = many, min(2 * many, most)
    return first_enough(enough, few, many)


def subset_noncentrality(law: ArrayLike, alpha: float) -> float:
    """What each person adds to the noncentrality of the test by `SubsetSelection` that the die `law` is fair.

    U, the mean of the products of the reports of two people, is unbiased for the sum of p_k^2, and K - 1
    degrees of freedom are its limit: noncentral chi-squared with n |p - 1/K|^2 / c, where c (1 - 1/K) is n
    times the variance of an estimated share under the fair die. No mechanism that treats faces alike has a
    smaller c where K / (1 + e^alpha) is whole; see `ldp_lib.theory.information_budget`.

    Parameters
    ----------
    law : array, shape (K,)
        The masses of the faces; they sum to 1.
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.

    Returns
    -------
    float
        0 for the fair die.

    Examples
    --------
    >>> from ldp_lib.nature import tilted_die
    >>> round(1000 * subset_noncentrality(tilted_die(64, 0.5), 1.0), 3)
    1.077
    """
    law = checked_die(law)
    K = len(law)
    variance = SubsetSelection(alpha, 1 / K).variance(1 / K)
    return float(((law - 1 / K) ** 2).sum() * (1 - 1 / K) / variance)


def subset_people(law: ArrayLike, alpha: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """About how many people find by `SubsetSelection`, in one round, that the die `law` is not fair.

    The chi-squared approximation of `subset_noncentrality`, which is good for many people.

    Parameters
    ----------
    law, alpha : array, float
        As there; the die must not be fair.
    power, level : float
        Of the test, 0 < level < power < 1; 0.8 and 0.05 by default.

    Returns
    -------
    int
        1 or more.

    Examples
    --------
    >>> from ldp_lib.nature import tilted_die
    >>> [subset_people(tilted_die(K, 0.5), 1.0) for K in (6, 64, 256)]
    [967, 30877, 231366]
    """
    law, level = checked_die(law), real("level", level, above=0, below=1)
    power, degrees = real("power", power, above=level, below=1), len(law) - 1
    if np.ptp(law) < 1e-9 / len(law):
        raise ValueError("law is the fair die, of which no number of people finds that it is not fair. Take "
                         "tilted_die.")
    needed = chndtrinc(chdtri(degrees, level), degrees, 1 - power)
    return max(round(needed / subset_noncentrality(law, alpha)), 1)

"""The exercises of notebook 03, on the upper bound."""

from functools import cache

import numpy as np
from scipy.integrate import quad

from ldp_lib._rounding import canonical
from ldp_lib.lessons.upper_rate.explore import MULTIPLE, PEOPLE
from ldp_lib.risk.hypercube import both_sides, bump_score, theorem_bumps, wide_risk
from ldp_lib.stage.judge import (
    Exercise, Offer, behaves, chosen, crossing, exercise, function, near, number, shrinks, telling, variants,
    widths,
)
from ldp_lib.stage.picture import short
from ldp_lib.theory import classification_exponent, theorem_bandwidth, upper_bound


def _exponent(d, beta, gamma):
    private, open_data = classification_exponent(beta, gamma, d), beta * (1 + gamma) / (2 * beta + d)
    return Exercise(
        f"the exponent at d = {d}" + f", β = {beta:g}, γ = {gamma:g}" * ((beta, gamma) != (1, 1)),
        number(lambda: private),
        "the noise of a cube is 1/(α √n), whatever its size; its signal is h^(β + d); "
        "which h makes them equal?",
        mistakes={near(open_data): "That is the exponent without privacy."},
        more=f"Half the risk takes {2 ** (1 / private):.3g} times the people; without privacy, where it is "
             f"{open_data:.3g}, {2 ** (1 / open_data):.2g} times.",
        task=f"In d = {d} features, at smoothness β = {beta:g} and margin γ = {gamma:g}, the excess risk of "
             "the best private rule falls like (n α²)^(-r). What is r?")


variants("03.1", _exponent, d=(3, 1, 2, 4), beta=(1, 0.5, 0.6, 0.8), gamma=(1, 0.25, 0.5))


def _people_for_half_the_risk(n=10**12):
    """Exact, for the hypercube at the theorem's tuning in d = 2, beta = gamma = 1."""

    def risk(people):
        h = np.array([theorem_bandwidth(people, 1.0, 1.0, 2)])
        return float(wide_risk(people, 1.0, 1, theorem_bumps(h, 1.0, 1.0, 2), 2)[0])

    return crossing(lambda people: risk(people) - risk(n) / 2, n, 100 * n) / n


exercise(
    "03.2", "people for half the risk, two features",
    number(_people_for_half_the_risk, relative=0.02),
    "solve factor^(-r) = 1/2 with the exponent r of β = γ = 1, d = 2.",
    mistakes={near(4): "That is the price without privacy."},
    more="Without privacy 4 times the people would do.")

exercise(
    "03.3", "the theorem's bandwidth as a function",
    function(theorem_bandwidth, [
        {"n": 10**6, "alpha": 1.0, "beta": 1.0, "d": 1}, {"n": 10**8, "alpha": 0.25, "beta": 0.5, "d": 2},
        {"n": 2000, "alpha": 0.5, "beta": 0.75, "d": 3}]),
    "the theorem's n is the number of people in one half of the sample.",
    more="With β = d = 1 it takes 16 times the people to halve it.")


def _worst(n, h):
    """Exact risk of the worst hypercube of one height, beta = gamma = d = alpha = 1; 0 where none fits."""
    return canonical(np.maximum(*both_sides(n, 1.0, h, 1.0, 1.0, 1, C0=4.0)))


def _worst_at(multiple, n=10**8):
    """The same at so many times the theorem's bandwidth."""
    return float(_worst(n, np.array([multiple * theorem_bandwidth(n, 1.0, 1.0, 1)]))[0])


NONE_FITS = "There no hypercube fits, so that there is no risk to compare."


def _regret_of_multiple(multiple):
    theirs, mine = _worst_at(1.0), _worst_at(multiple)
    if not mine > 0:
        return NONE_FITS
    if mine <= theirs / 5:
        return ""
    return (f"There the exact risk is {mine:.2g}; at the theorem's h it is {theirs:.2g}, only "
            f"{telling(theirs / mine, 5)} times as much.")


exercise(
    "03.4", "a bandwidth five times better than the theorem's",
    chosen(0, 20, _regret_of_multiple),
    "move the bandwidth in the panel until the two sides meet; nothing random is involved.", stars=2,
    more="The exponent is right, the constant is not: the noise is 6.3 times as deep as that h assumes.",
    enough="At most a fifth of the risk of the theorem's counts.")


def _excess_of_the_printed_bound(n):
    """How far the bound, which is not cut here, is above 1."""
    return upper_bound(n, 1.0, 1.0, 1.0, 1, kind="printed").parts["untruncated"] - 1


exercise(
    "03.5", "the people from whom on the printed bound says anything",
    number(lambda: crossing(_excess_of_the_printed_bound, 10**3, 10**18), relative=0.02),
    "upper_bound(...).parts['untruncated'] is the bound before it is cut at 1; it falls like n^(-1/2).",
    stars=2,
    more="A bound above 1 promises nothing: every risk is at most 1.")

COUNTS = np.array([10**6, 10**8, 10**10])
LOWEST, WIDEST = 1e-6, 0.25


@cache
def _least():
    """The risk of the best bandwidth for each crowd."""
    tried = (np.geomspace(2, 6, 1000) * theorem_bandwidth(int(n), 1.0, 1.0, 1) for n in COUNTS)
    return np.array([_worst(n, h).min() for n, h in zip(COUNTS, tried)])


@cache
def _result(bandwidths):
    """(the geometric mean of risk / least risk, the same in words)."""
    risks = _worst(COUNTS, np.array(bandwidths))
    score = float(np.exp(np.log(risks / _least()).mean()))
    told = ", ".join(f"{risk:.2g}" for risk in risks)
    return score, (f"Exact risk of the worst hypercube at n = 10^6, 10^8, 10^10: {told}. Your score: "
                   f"{telling(score, 2.5)} times the least, as a geometric mean.")


def _far(bandwidths):
    score, told = _result(bandwidths)
    return "" if score <= 2.5 else f"{told} 2.5 is enough."


def _blurred(answer):
    """Is the bias larger than the noise, for the largest crowd?"""
    bias, noise = both_sides(COUNTS[-1:], 1.0, np.array([answer(n=int(COUNTS[-1]))]), 1.0, 1.0, 1, C0=4.0)
    return bool(bias > noise)


exercise(
    "03.6", "one rule h(n) for three crowds",
    widths(COUNTS.tolist(), LOWEST, WIDEST, _far),
    "the bar of a bump is h² high, and the noise level 4 √(5/n), whatever h is: where do they meet?",
    second="solve h² = 4 √(5/n) for h, then try a few multiples.", stars=3,
    mistakes={
        lambda answer: shrinks(-0.01, 0.01)(answer) and _blurred(answer):
            "Stuck: what is left is blur, not noise. Your cubes do not shrink.",
        _blurred: "Too wide: what is left is blur, not noise. It falls like h².",
        shrinks(0.24, 0.26): "The slope is right, the constant is not: the noise level is 4 √2.5 = 6.3 times "
                             "1/√n', with n' = n/2 people in a half.",
        shrinks(0.32, 0.35): "That is right without privacy, where the noise shrinks with the cube. The "
                             "private noise does not.",
        shrinks(0.49, 0.51): "Even the bars of high, wide bumps shrink like h then, as fast as the noise: "
                             "in the long run more people bring hardly anything."},
    score=lambda answer: _result(tuple(float(answer(n=n)) for n in COUNTS.tolist()))[1],
    more="The slope decides how fast the risk falls, the constant by how much it is too high.",
    enough="At most 2.5 times the least risk, as a geometric mean, counts.")


def _people(factor, beta, d):
    """By integrals: the noise must fall as much as the integral of a bump (h - |x|)^beta does, from h = 1."""

    def bar(h):
        return quad(lambda r: d * 2**d * r ** (d - 1) * (h - r) ** beta, 0, h)[0]

    return (bar(1.0) / bar(1 / factor)) ** 2


CASES = [{"factor": factor, "beta": beta, "d": d} for factor, beta, d in ((2, 1, 1), (2, 1, 2), (3, 0.5, 1))]

exercise(
    "03.7", "how many times the people for bumps `factor` times narrower",
    function(_people, CASES, relative=1e-6),
    "by how much does the bar shrink, and how does the noise level fall with n?",
    second="the bar shrinks by factor^(d + β). How many times the people divide the noise level by as much?",
    mistakes={
        behaves(lambda factor, beta, d: factor ** (2 * beta + d), CASES):
            "That is the price without privacy. Look at the noise level at both h: it does not shrink.",
        behaves(lambda factor, beta, d: factor ** (beta + d), CASES):
            "That is how much the bar shrinks. The noise level falls like 1/√n: square it.",
        behaves(lambda factor, beta, d: factor ** (2 * d), CASES):
            "Narrow bumps are also lower: where is β?"},
    more="With two features and β = 1, half the width takes 64 times the people; without privacy 16 times.")


@cache
def _least_of_the_slider():
    return min(map(_worst_at, MULTIPLE.values))


def _far_from_best(multiple):
    risk = _worst_at(multiple)
    if not risk > 0:
        return NONE_FITS
    ratio = risk / _least_of_the_slider()
    if ratio <= 1.2:
        return ""
    return f"At {multiple:g} times the theorem's h the risk is {telling(ratio, 1.2)} times the least."


exercise(
    "03.8", "how many times the theorem's h is best for a hundred million people",
    chosen(0, 20, _far_from_best),
    "the worst law is lowest where noise and blur cost the same.",
    mistakes={
        near(1): "That is the theorem's h: still too narrow, the noise is deeper than it assumes.",
        lambda multiple: 0 < multiple < 3.5: "Too narrow: noise costs most.",
        lambda multiple: 5.2 < multiple < 20: "Too wide: blur costs most."},
    more="At the theorem's h the risk is 5.3 times as large: its exponent is right, its constant is not.",
    enough="At most 1.2 times the least risk of the slider counts.",
    offer=Offer((MULTIPLE,), "upper_rate/2?scene=best+h&h=0.5"))

FINE = 0.05
"""The bandwidth of bumps that shall be seen."""


def _that_see(d):
    """People with whom the bar of such bumps is as high as the noise level, alpha = beta = 1."""
    return 5 * (2 ** (d + 1) / float(bump_score(FINE, 1, d))) ** 2


def _unseen(people):
    least = _that_see(2)
    if least <= people <= 2 * least:
        return ""
    return f"With {short(people)} people the bar is {(people / least)**0.5:.2g} times the noise level."


exercise(
    "03.9", "the people with whom bumps of h = 0.05 are seen, with two features",
    chosen(0, 10**15, _unseen, whole=True),
    "move n until the crossing h* is at 0.05, or just below.",
    second="half the h costs 64 times the people; h* is 0.238 with a million.",
    mistakes={
        lambda people: 0 < people < _that_see(2): "The bumps are still below the noise.",
        lambda people: 2 * _that_see(2) < people < 10**15: "They are seen, and with fewer people, too."},
    more="It takes 11.5 billion people; with one feature 12.8 million would do.",
    enough="Up to twice the fewest people count.",
    offer=Offer((PEOPLE,), "upper_rate/2?scene=two+features&d=2&n=1780000"))

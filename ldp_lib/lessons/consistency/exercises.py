"""The exercises of notebook 02, on universal consistency."""

from functools import cache

import numpy as np
from scipy.optimize import bisect

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons.consistency.explore import WIDTH
from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import excess_risk, people_needed
from ldp_lib.risk.exact import cell_grid
from ldp_lib.stage import Control
from ldp_lib.stage.judge import (
    Offer, behaves, chosen, crossing, exercise, function, near, nearly_best, number, shrinks, telling, trial,
    widths,
)

SINE = problem("sine")


def _people_for_half_the_budget(n=10**6):
    """The factor of n that brings the exact risk back where it was; deep in the noise."""

    def risk(alpha, people):
        return excess_risk(CubeClassifier(alpha, 0.2, noise="real"), SINE, people)

    return crossing(lambda people: risk(0.01, people) - risk(0.02, n), n, 100 * n) / n


exercise(
    "02.1", "the factor of people that pays for half the budget",
    number(_people_for_half_the_budget, relative=0.02),
    "when noise dominates, the risk depends on n and α through one product; which one?",
    mistakes={near(2**0.5): "Half the budget doubles the noise. Do √2 times the people halve it?",
              near(2): "Twice the people divide the noise by √2 only.",
              near(16): "With 16 times the people the noise is a quarter; a half was asked."},
    more="While noise dominates and α is at most 1, a tenth of the budget takes a hundred times the "
         "people.")


def _last_consistent_exponent(d=3):
    """Where n h^(2d) with h = n^-kappa stops growing with n."""
    n = np.array([1e4, 1e8])
    return bisect(lambda kappa: np.diff(np.log(n * n ** (-2 * d * kappa)))[0], 0.0, 1.0)


exercise(
    "02.2", "the largest exponent at d = 3",
    number(_last_consistent_exponent, relative=0.01),
    "put h = n^-κ into n h^(2d) and ask when it grows.",
    mistakes={near(1 / 3): "That is the exponent without privacy.", near(1 / 2): "That is right for d = 1."},
    more="In general it is 1/(2d), and 1/d without privacy.")


def _growth(n, alpha, h, d):
    """The variance of the score of an empty cube goes like 1 / this; vanishing noise does not fill cubes."""
    return n * h ** (2 * d) * (alpha * alpha if alpha < 1 else 1.0)


exercise(
    "02.3", "the number that must grow, as a function",
    function(_growth, [
        {"n": 10**6, "alpha": 0.5, "h": 0.1, "d": 1}, {"n": 10**4, "alpha": 30.0, "h": 0.01, "d": 1},
        {"n": 215_574, "alpha": 2.0, "h": 0.2, "d": 2}]),
    "the printed condition is not enough at large α: less noise does not fill an empty cube.", stars=2,
    more="Above α = 1 more budget does not help this number.")

exercise(
    "02.4", "people for an excess risk of 0.05 on the survey",
    number(lambda: people_needed(CubeClassifier(1.0, 0.14), problem("cps"), 0.05), relative=0.02),
    "excess_risk(CubeClassifier(alpha=1.0, h=0.14), problem('cps'), n) is exact and falls in n: bisect.",
    stars=2,
    more="The risk is exact and falls with n, so bisection finds the people without any simulation.")

exercise(
    "02.5", "a good bandwidth for 100,000 people",
    # The valley around 1/3 is narrow: steps of 0.001 are needed to find its floor.
    nearly_best(0, 1, lambda h: excess_risk(CubeClassifier(1.0, h), SINE, 100_000),
                candidates=np.linspace(0.03, 0.999, 970), factor=1.5),
    "try a grid of bandwidths; the risk is exact, so nothing jitters.", stars=2,
    more="Narrower cubes drown in noise, wider ones blur the sine.")

SURVEY = problem("cps")
AT = CubeClassifier(1.0, 0.16)
"""The rule of exercise 6, on the survey by age."""
CUBES = cell_grid(AT, SURVEY)
EVERYBODY, FITS = 215_574, 1000


@cache
def _fits(n):
    """(first, second), both (FITS, K): mean reports of the two halves of n people; seeded draws."""
    rng, half, mechanism = np.random.default_rng(2), n // 2, CubeLaplace(1.0, AT.h)
    lines = np.minimum(np.arange(mechanism.K) * AT.h, 1)[:, None]
    p, q, _ = SURVEY.masses(lines[:-1], lines[1:])

    def means(masses):
        # A cube is two neighbours of the intervals between grid points; whoever counts for none comes last.
        people = rng.multinomial(half, [*masses, max(0.0, 1 - masses.sum())], size=FITS)[:, :-1]
        up, down = rng.gamma(half, mechanism.scale, (2, FITS, mechanism.K))
        return (np.pad(people, [(0, 0), (1, 0)]) + np.pad(people, [(0, 0), (0, 1)]) + up - down) / half

    return means(p), means(q)


def _scores(answer, n):
    """What the reader's function makes of every fit, (FITS, K); decisions, if it returns them, as ±1."""
    made = np.array([answer(first=first.copy(), second=second.copy()) for first, second in zip(*_fits(n))])
    return np.where(made, 1.0, -1.0) if made.dtype == bool else made


def _right_score(first, second):
    return second - first / 2


def _accuracy(scores):
    lost = np.where(scores >= 0, CUBES.gain_zero, CUBES.gain_one).sum(axis=1).mean()
    return 1 - SURVEY.bayes_risk - lost


def _wrong_score(answer):
    first, second = (means[0] for means in _fits(1000))
    given, returned = len(first), np.shape(answer(first=first.copy(), second=second.copy()))
    if returned != (given,):
        found = f"{returned[0]}" if len(returned) == 1 else "a table" if returned else "one"
        return f"Of {given} numbers your function must return {given}; it returned {found}."
    few, many = _scores(answer, 1000), _scores(answer, EVERYBODY)
    if few.dtype.kind not in "biuf" or not (np.isfinite(few).all() and np.isfinite(many).all()):
        return "All that your function returns must be finite numbers."
    if np.allclose(few, _right_score(*_fits(1000))) and np.allclose(many, _right_score(*_fits(EVERYBODY))):
        return ""
    mine, right = _accuracy(many), _accuracy(_right_score(*_fits(EVERYBODY)))
    more = " A good map on this survey, but the mean of your score is not the true bar." * bool(mine >= right)
    return (f"With all {EVERYBODY:,} people your function is right {mine:.1%} of the time, the right score "
            f"{right:.1%}.{more}")


def _decides(specimen):
    """Recognise functions whose scores have the signs of those of `specimen`, in all fits of 1,000 people."""
    return lambda answer: np.array_equal(_scores(answer, 1000) >= 0, _scores(specimen, 1000) >= 0)


exercise(
    "02.6", "the score of every cube, from the mean reports",
    trial("simulation", _wrong_score),
    "on average `first` is P(X in the cube), and `second` P(X in the cube and Y = 1).",
    second="for a cube of coin flips the score must be 0 on average: what is `second` there, and `first`?",
    mistakes={
        _decides(lambda first, second: second - first):
            "You say 0 almost everywhere, because η - 1 is below 0. Compare `second` with half of `first`.",
        _decides(lambda first, second: second):
            "You count ones. More people in a cube means more ones: compare them with half of the people.",
        _decides(_right_score):
            "The signs are right, so the rule is the same. But the mean of your score is not the true bar.",
        _decides(lambda first, second: second / first - 0.5):
            "Right where `first` is above 0. With few people it may be below 0: try n = 1,000."},
    score=lambda answer: (f"With all {EVERYBODY:,} people it is right "
                          f"{_accuracy(_scores(answer, EVERYBODY)):.1%} of the time."),
    more="Any positive multiple of it decides alike: the rule needs the sign only.",
    enough="It must agree to 5 digits.")

COUNTS = (10**4, 10**6, 10**8)
LEARNT = 0.005
"""The excess risk that the largest crowd must reach."""


@cache
def _risks(bandwidths):
    return [excess_risk(CubeClassifier(1.0, h), SINE, n) for n, h in zip(COUNTS, bandwidths)]


def _told(bandwidths):
    risks = ", ".join(f"{risk:.2g}" for risk in _risks(bandwidths))
    return f"Exact excess risk at n = 10^4, 10^6, 10^8: {risks}."


def _slow(bandwidths):
    shrinking, last = bandwidths[0] > bandwidths[1] > bandwidths[2], _risks(bandwidths)[-1]
    if shrinking and last <= LEARNT:
        return ""
    asked = f" At last {telling(last, LEARNT)}; at most {LEARNT:g} is asked for." * (last > LEARNT)
    return f"{_told(bandwidths)}{asked}{' But h must fall with n.' * (not shrinking)}"


def _shrinks(low, high, what=lambda bandwidths: True):
    """As `shrinks`, of bandwidths that are legal and of which `what` is true."""
    known = shrinks(low, high)

    def made(answer):
        bandwidths = tuple(float(answer(n=n)) for n in COUNTS)
        return all(0 < h <= 1 for h in bandwidths) and known(answer) and bool(what(bandwidths))

    return made


def _narrow(bandwidths):
    """Do bandwidths twice as wide learn?"""
    return max(bandwidths) <= 0.5 and not _slow(tuple(2 * h for h in bandwidths))


def _blurred(bandwidths):
    """Is most of the largest crowd's risk left with a million times the people?"""
    rule = CubeClassifier(1.0, bandwidths[-1])
    return excess_risk(rule, SINE, 10**6 * COUNTS[-1]) > 0.5 * excess_risk(rule, SINE, COUNTS[-1])


def _many_cubes(bandwidths):
    return bandwidths[-1] * COUNTS[-1] <= 1


exercise(
    "02.7", "a bandwidth that learns the sine",
    widths(COUNTS, 1e-5, 1, _slow),
    "the bar of a cube shrinks like h, the noise level like 1/√n: which must shrink more slowly?",
    second="try h = n^-κ with κ far below 1/2.", stars=2,
    mistakes={
        _shrinks(0.15, 0.45, _narrow):
            "Your cubes shrink at a good pace, but they are too narrow: take a larger constant.",
        _shrinks(0.49, 0.51):
            "You are on the edge: bar and noise shrink together. More people do not help.",
        _shrinks(0.01, np.inf, _many_cubes): "You have more cubes than people.",
        _shrinks(0.99, np.inf):
            "Your cubes shrink like 1/n or faster: more people do not bring more of them into a cube.",
        _shrinks(0.51, 0.99):
            "Your cubes shrink faster than the noise level falls. Without privacy they could.",
        _shrinks(0.29, 0.49): "This rule learns, but very slowly. Can you reach 0.005?",
        _shrinks(-0.01, 0.01):
            "Your cubes do not shrink. On another law the risk stops falling.",
        _shrinks(-np.inf, -0.01): "Your cubes grow with n: the blur grows, too.",
        _shrinks(0.01, 0.15, _blurred):
            "Your cubes stay wide: with many people what is left is blur, not noise."},
    score=lambda answer: _told(tuple(float(answer(n=n)) for n in COUNTS)),
    more="Any exponent between 0 and 1/2 learns in the end; the constant decides how soon.",
    enough="The widths must shrink, and the last risk must be at most 0.005.")

GOAL = 1 - SURVEY.bayes_risk - 0.67
"""The excess risk of a rule that is right 67 times in 100."""


@cache
def _people(h):
    return people_needed(CubeClassifier(1.0, h), SURVEY, GOAL, most=10**9)


@cache
def _fewest():
    return min(map(_people, np.linspace(0.16, 0.168, 33)))


def _crowd(h):
    people = _people(h)
    if not people:
        return f"With h = {h:g} not even a billion people reach 67%."
    return (f"h = {h:g} needs {people:,} people. Your score: {telling(people / _fewest(), 1.01)} times the "
            "fewest; 1.01 is enough.")


def _many(h):
    if (_people(h) or np.inf) <= 1.01 * _fewest():
        return ""
    return (f"{_crowd(h)} The rule can change its label at h/2, 3h/2, 5h/2, ... only. Where are these "
            "places, and where does the truth change?")


exercise(
    "02.8", "67% right with the fewest people",
    chosen(0.02, 1, _many),
    "the best rule changes at the ages 24 and 60, which are 0.082 and 0.575 on the axis from 0 to 1.",
    second="choose h so that 0.082 is h/2. Where is 7h/2 then?", stars=3, score=lambda h: _crowd(float(h)),
    offer=Offer((Control("h", "half the width of a cube", "h", np.arange(100, 251, 4) / 1000, 0.16),)),
    more="It can change its label near 24 and 60 years, as the truth does. In the first cube noise often "
         "decides.",
    enough="At most 1.01 times the fewest people count.")


PLACES = [{"x": x, "h": h} for x, h in ((0.13, 0.2), (0.77, 0.2), (0.5, 0.16), (0.9, 0.14), (0.9, 0.16),
                                        (0.45, 0.28), (1.0, 0.28))]
"""Places left and right of the middle between two grid points; of the last one it is beyond 1."""

exercise(
    "02.9", "the number of the grid point that decides for x",
    function(lambda x, h: np.abs(np.arange(0, 1 + h, h) - x).argmin(), PLACES),
    "grid points lie at 0, h, 2h, ...; whose sign counts at x?",
    mistakes={
        behaves(lambda x, h: np.floor(x / h), PLACES):
            "You take the point to the left: your map is shifted by half a step of the grid.",
        behaves(lambda x, h: np.ceil(x / h), PLACES):
            "You take the point to the right: your map is shifted by half a step of the grid."},
    more="A cube is 2h wide, but it speaks for its middle half only.")

NEARLY = 0.001
"""So much less often than at the best position a rule may be right."""


@cache
def _right_on_average(h):
    return 1 - SURVEY.bayes_risk - excess_risk(CubeClassifier(1.0, h), SURVEY, EVERYBODY)


@cache
def _best_position():
    return max(map(_right_on_average, WIDTH.values))


def _worse(h):
    if _right_on_average(h) >= _best_position() - NEARLY:
        return ""
    return f"At h = {h:.3g} the rule is right {_right_on_average(h):.1%} of the time, on average."


exercise(
    "02.10", "the h at which the rule of all 215,574 people is right most often",
    chosen(0.02, 1, _worse),
    "look at the number “right, on average”, and go on after the first hill.",
    mistakes={
        lambda h: 0 < h < 0.1: "Too narrow: few people in a cube, low bars, and everybody's noise.",
        lambda h: 0.24 < h < 1: "Too wide: the truth changes inside of cubes.",
        near(0.125, 0.01): "That is the first hill. A wider cube is better still.",
        near(0.223, 0.01): "That is a lower hill. Go back a little."},
    more="It can change its label near 24 and 60 years, where the truth does: width is not all that counts. "
         "In the first cube, whose bar is low, noise often decides.",
    enough="Within 0.1 points of the best position it counts.",
    offer=Offer((WIDTH,), "consistency/2?scene=narrow+cubes"))

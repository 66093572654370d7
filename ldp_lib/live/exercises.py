"""The exercises of the notebooks: `check("01.1", answer)` says at once whether an answer is right.

Right answers are computed, never typed: with the library, or from the definition by another way than the
solution takes.  An exercise is one entry of `EXERCISES`; `ldp_lib.live.judges` makes its judge.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect

from ldp_lib._arguments import choice
from ldp_lib.estimation import CubeClassifier
from ldp_lib.live.exercises_assouad import ASSOUAD
from ldp_lib.live.exercises_bayes import BAYES
from ldp_lib.live.exercises_beyond import BEYOND
from ldp_lib.live.exercises_elbow import ELBOW
from ldp_lib.live.exercises_ldp_check import LDP_CHECK
from ldp_lib.live.exercises_upper_rate import UPPER_RATE
from ldp_lib.live.judges import Exercise, chosen, function, number
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk


class Verdict(NamedTuple):
    """What `check` says: `right` or not, and the `text` that a notebook shows."""

    right: bool
    text: str

    def __repr__(self):
        return self.text


def check(exercise, answer):
    """Return the verdict on `answer` to `exercise`, for example "01.1"; a cell that ends with it shows it.

    None and ... (what the notebooks begin with) are "not answered yet".  A wrong answer, of whatever type, is
    told what was expected and given a hint; only an unknown exercise raises.
    """
    entry = EXERCISES[choice("exercise", exercise, EXERCISES)]
    if answer is None or answer is ...:
        return Verdict(False, f"Exercise {exercise} ({entry.question}): not answered yet.")
    wrong = entry.judge(answer)
    if wrong:
        return Verdict(False, f"✗ Exercise {exercise}: not yet. {wrong} Hint: {entry.hint}")
    return Verdict(True, f"✓ Exercise {exercise}: right.")


SINE = problem("sine")
SURVEY = problem("cps")


def _people_for_half_the_budget():
    """The factor of n that brings the exact risk back where it was, found by bisection; deep in the noise."""
    target = excess_risk(CubeClassifier(0.02, 0.2, noise="real"), SINE, 10**6)

    def surplus(factor):
        return excess_risk(CubeClassifier(0.01, 0.2, noise="real"), SINE, round(factor * 10**6)) - target

    return bisect(surplus, 1.0, 100.0, xtol=1e-3)


def _last_consistent_exponent(d=3):
    """Where n h^(2d) with h = n^-kappa stops growing with n."""
    n = np.array([1e4, 1e8])
    return bisect(lambda kappa: np.diff(np.log(n * n ** (-2 * d * kappa)))[0], 0.0, 1.0)


def _people_for_the_survey(alpha=1.0, h=0.14, excess=0.05):
    """People at whom the exact expected excess risk reaches `excess`."""
    rule = CubeClassifier(alpha, h)
    return bisect(lambda n: excess_risk(rule, SURVEY, round(n)) - excess, 1e3, 1e7, xtol=1.0)


def _regret_of_bandwidth(h, alpha=1.0, n=100_000):
    # The valley around 1/3 is narrow: steps of 0.001 are needed to find its floor.
    best = min(excess_risk(CubeClassifier(alpha, trial), SINE, n) for trial in np.linspace(0.03, 0.999, 970))
    mine = excess_risk(CubeClassifier(alpha, h), SINE, n)
    if mine <= 1.5 * best:
        return ""
    return f"At h = {h:g} the excess risk is {mine:.2g}, {mine / best:.1f} times the least."


def _growth(n, alpha, h, d):
    """The variance of the score of an empty cube goes like 1 / this; vanishing noise does not fill cubes."""
    return n * h ** (2 * d) * (alpha * alpha if alpha < 1 else 1.0)


EXERCISES = LDP_CHECK | {
    "02.1": Exercise(
        "the factor of people that pays for half the budget",
        number(_people_for_half_the_budget, relative=0.02),
        "when noise dominates, the risk depends on n and α through one product; which one?"),
    "02.2": Exercise(
        "the largest exponent at d = 3",
        number(_last_consistent_exponent, relative=0.01),
        "put h = n^-κ into n h^(2d) and ask when it grows."),
    "02.3": Exercise(
        "the number that must grow, as a function",
        function(_growth, [
            {"n": 10**6, "alpha": 0.5, "h": 0.1, "d": 1}, {"n": 10**4, "alpha": 30.0, "h": 0.01, "d": 1},
            {"n": 215_574, "alpha": 2.0, "h": 0.2, "d": 2}]),
        "the printed condition is not enough at large α: less noise does not fill an empty cube."),
    "02.4": Exercise(
        "people for an excess risk of 0.05 on the survey",
        number(_people_for_the_survey, relative=0.02),
        "excess_risk(CubeClassifier(alpha=1.0, h=0.14), problem('cps'), n) is exact and falls in n: bisect."),
    "02.5": Exercise(
        "a good bandwidth for 100,000 people",
        chosen(0, 1, _regret_of_bandwidth),
        "try a grid of bandwidths; the risk is exact, so nothing jitters."),
} | UPPER_RATE | ASSOUAD | ELBOW | BAYES | BEYOND
"""Every exercise of every notebook: "notebook.number" -> Exercise."""

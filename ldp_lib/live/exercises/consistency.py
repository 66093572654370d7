"""The exercises of notebook 02, on universal consistency."""

import numpy as np
from scipy.optimize import bisect

from ldp_lib.estimation import CubeClassifier
from ldp_lib.live.exercises.judges import crossing, exercise, function, nearly_best, number
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk, people_needed

SINE = problem("sine")


def _people_for_half_the_budget(n=10**6):
    """The factor of n that brings the exact risk back where it was; deep in the noise."""

    def risk(alpha, people):
        return excess_risk(CubeClassifier(alpha, 0.2, noise="real"), SINE, people)

    return crossing(lambda people: risk(0.01, people) - risk(0.02, n), n, 100 * n) / n


exercise(
    "02.1", "the factor of people that pays for half the budget",
    number(_people_for_half_the_budget, relative=0.02),
    "when noise dominates, the risk depends on n and α through one product; which one?")


def _last_consistent_exponent(d=3):
    """Where n h^(2d) with h = n^-kappa stops growing with n."""
    n = np.array([1e4, 1e8])
    return bisect(lambda kappa: np.diff(np.log(n * n ** (-2 * d * kappa)))[0], 0.0, 1.0)


exercise(
    "02.2", "the largest exponent at d = 3",
    number(_last_consistent_exponent, relative=0.01),
    "put h = n^-κ into n h^(2d) and ask when it grows.")


def _growth(n, alpha, h, d):
    """The variance of the score of an empty cube goes like 1 / this; vanishing noise does not fill cubes."""
    return n * h ** (2 * d) * (alpha * alpha if alpha < 1 else 1.0)


exercise(
    "02.3", "the number that must grow, as a function",
    function(_growth, [
        {"n": 10**6, "alpha": 0.5, "h": 0.1, "d": 1}, {"n": 10**4, "alpha": 30.0, "h": 0.01, "d": 1},
        {"n": 215_574, "alpha": 2.0, "h": 0.2, "d": 2}]),
    "the printed condition is not enough at large α: less noise does not fill an empty cube.")

exercise(
    "02.4", "people for an excess risk of 0.05 on the survey",
    number(lambda: people_needed(CubeClassifier(1.0, 0.14), problem("cps"), 0.05), relative=0.02),
    "excess_risk(CubeClassifier(alpha=1.0, h=0.14), problem('cps'), n) is exact and falls in n: bisect.")

exercise(
    "02.5", "a good bandwidth for 100,000 people",
    # The valley around 1/3 is narrow: steps of 0.001 are needed to find its floor.
    nearly_best(0, 1, lambda h: excess_risk(CubeClassifier(1.0, h), SINE, 100_000),
                candidates=np.linspace(0.03, 0.999, 970), factor=1.5),
    "try a grid of bandwidths; the risk is exact, so nothing jitters.")

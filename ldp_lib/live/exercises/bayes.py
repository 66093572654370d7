"""The exercises of notebook 06, on consistency with a curator."""

import itertools

import numpy as np
from scipy.optimize import bisect

from ldp_lib.estimation import (
    NoisyMajorityClassifier, OneBitClassifier, StableHistogramDensity, labelled_sample_size,
)
from ldp_lib.live.exercises.judges import exercise, function, number
from ldp_lib.nature import problem
from ldp_lib.privacy.central import stability_threshold
from ldp_lib.risk import excess_risk, expected_l1_error, people_needed


def _scale_of_two_histograms(epsilon=0.5):
    """Scale for people and ones of two cells together, by going through all replacements of a person."""
    people = [np.concatenate([row, label * row]) for row in np.eye(2) for label in (0, 1)]
    return max(np.abs(a - b).sum() for a, b in itertools.product(people, repeat=2)) / epsilon


exercise(
    "06.1", "the noise scale for people and ones together, ε = 0.5",
    number(_scale_of_two_histograms),
    "who moves from one cell to another with label 1 changes four numbers.")

exercise(
    "06.2", "the sufficient threshold as a function",
    function(lambda epsilon, delta: stability_threshold(epsilon, delta, noise="real"),
             [{"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 0.1, "delta": 1e-3},
              {"epsilon": 3.0, "delta": 0.2}]),
    "a lone person shows if 1 + noise reaches the threshold; the noise is Laplace of scale 2/ε.")


def _digits_that_hide_half(n=10**6):
    """-log10 of the delta at which the L1 error is one half."""
    uniform = problem("sine")

    def surplus(digits):
        rule = StableHistogramDensity(1.0, 10.0**-digits, normalise=False, noise="real")
        return expected_l1_error(rule, uniform, n) - 0.5

    return bisect(surplus, 50.0, 300.0, xtol=1e-3)


exercise(
    "06.3", "the digits of δ that hide half of a million people",
    number(_digits_that_hide_half, relative=0.01),
    "a cell of a uniform law expects √n people; which δ puts the threshold there?")


def _ratio_of_people():
    local, central = (people_needed(rule, problem("cps"), 0.02)
                      for rule in (OneBitClassifier(1.0, 0.1), NoisyMajorityClassifier(1.0, side=0.1)))
    return local / central


exercise(
    "06.4", "people, one bit over curator, on the survey",
    number(_ratio_of_people, relative=0.04),
    "people_needed(rule, problem, target) finds both.")


def _width_that_saves_half(n=10**4):
    """The width of a law around the middle of a cube at which half of what can be lost is lost."""
    rule = NoisyMajorityClassifier(1.0)
    return bisect(lambda width: excess_risk(rule, problem("threshold", place=0.505, width=width), n) - 0.2,
                  0.011, 0.1, xtol=1e-7)


exercise(
    "06.5", "the width at which half is lost",
    number(_width_that_saves_half, relative=0.02),
    "only the cube with the border in it is lost; which share of the people lives there?")


def _budget_without_price():
    """The epsilon from which on more budget saves no labels."""
    least = labelled_sample_size("rectangles", 0.1, 0.05, 100.0)
    return bisect(lambda epsilon: labelled_sample_size("rectangles", 0.1, 0.05, epsilon) - least - 0.5,
                  0.01, 10.0, xtol=1e-5)


exercise(
    "06.6", "the budget from which on privacy costs no labels",
    number(_budget_without_price, relative=0.01),
    "two of the three conditions of labelled_sample_size do not know ε; where does the third take over?")

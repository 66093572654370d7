"""The exercises of notebook 07, on better mechanisms; `ldp_lib.live.exercises` offers them to the reader."""

import math
from functools import lru_cache

from scipy.optimize import bisect

from ldp_lib.estimation import CellClassifier, OneBitClassifier
from ldp_lib.live.judges import Exercise, chosen, function, number
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit, SignedSubset
from ldp_lib.risk import excess_risk


def _factor_of_variance(d=4):
    """Of n times the variance of the scores in empty cells, from the mechanisms themselves, at h = 1."""
    theirs, ours = CubeLaplace(1.0, 1.0, d, noise="real"), HadamardBit(1.0, 1.0, d)
    # Means of two halves, the second halved: 2 (1 + 1/4) Var of one noise.
    return 2.5 * 2 * theirs.scale**2 / ours.variance(0.0)


def _crossing(cells=16):
    """The budget at which both mechanisms have the same variance in a cell of this share of the people."""
    p = 1 / cells

    def difference(alpha):
        return HadamardBit(alpha, p).variance(p) - CellLaplace(alpha, p, noise="real").variance(p)

    return bisect(difference, 0.5, 8.0)


def _variance_of_one_named_cell(alpha, cells):
    """Of randomised response over the signed cells, in each of `cells` equally likely ones."""
    return SignedSubset(alpha, 1 / cells, size=1).variance(1 / cells)


@lru_cache(maxsize=1)
def _least_risk(n):
    return min(excess_risk(OneBitClassifier(1.0, 1 / m), problem("wave"), n) for m in range(2, 61))


def _regret_of_bandwidth(h, n=100_000):
    if h < 0.005:
        return f"h = {h:g} makes more than 200 cells."
    mine = excess_risk(OneBitClassifier(1.0, h), problem("wave"), n)
    least = _least_risk(n)
    if mine <= 1.1 * least:
        return ""
    return f"At h = {h:g} the excess risk is {mine:.4f}; the least is {least:.4f}."


def _people_for_the_survey(excess=0.05):
    """People at whom the least exact risk of a few bandwidths reaches `excess`, by bisection of log n."""
    law = problem("cps", features=("age", "education"))
    rules = [CellClassifier(1.0, 1 / m, mechanism="best") for m in range(2, 9)]

    def surplus(log_n):
        n = round(math.exp(log_n))
        return min(excess_risk(rule, law, n) for rule in rules) - excess

    return math.exp(bisect(surplus, math.log(1e3), math.log(1e6), xtol=1e-3))


BEYOND = {
    "07.1": Exercise(
        "the factor of variance at d = 4",
        number(_factor_of_variance),
        "the paper's is 2.5 times 2 (2^(d+1)/α)^2, as in The proof, executed; one bit has `variance(0)`."),
    "07.2": Exercise(
        "the budget from which on Laplace noise beats one bit",
        number(_crossing, relative=0.01),
        "`variance(p)` of both mechanisms, with p = 1/16; bisect between 1 and 4."),
    "07.3": Exercise(
        "the variance of randomised response over cells as a function",
        function(_variance_of_one_named_cell,
                 [{"alpha": 0.1, "cells": 2}, {"alpha": 1.0, "cells": 16}, {"alpha": 5.0, "cells": 64}]),
        "by how much is the own sign of the own cell more probable than the opposite one? How probable is it "
        "that a given cell is named at all?"),
    "07.4": Exercise(
        "a bandwidth for a wave that lies on no grid",
        chosen(0, 1, _regret_of_bandwidth),
        "try h = 1/2, 1/3, ...; the risk is exact, so nothing jitters."),
    "07.5": Exercise(
        "people for an excess risk of 0.05 on the survey",
        number(_people_for_the_survey, relative=0.03),
        "`people_needed` takes a list of rules, of which the best counts at every n."),
}
"""The exercises, by number."""

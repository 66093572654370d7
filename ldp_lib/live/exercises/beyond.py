"""The exercises of notebook 07, on better mechanisms."""

from scipy.optimize import bisect

from ldp_lib.estimation import CellClassifier, OneBitClassifier
from ldp_lib.live.exercises.judges import exercise, function, nearly_best, number
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit, SignedSubset
from ldp_lib.risk import excess_risk, people_needed


def _factor_of_variance(d=4):
    """Of n times the variance of the scores in empty cells, from the mechanisms themselves, at h = 1."""
    theirs, ours = CubeLaplace(1.0, 1.0, d, noise="real"), HadamardBit(1.0, 1.0, d)
    # Means of two halves, the second halved: 2 (1 + 1/4) Var of one noise.
    return 2.5 * 2 * theirs.scale**2 / ours.variance(0.0)


exercise(
    "07.1", "the factor of variance at d = 4",
    number(_factor_of_variance),
    "the paper's is 2.5 times 2 (2^(d+1)/α)^2, as in The proof, executed; one bit has `variance(0)`.")


def _crossing(cells=16):
    """The budget at which both mechanisms have the same variance in a cell of this share of the people."""
    p = 1 / cells

    def difference(alpha):
        return HadamardBit(alpha, p).variance(p) - CellLaplace(alpha, p, noise="real").variance(p)

    return bisect(difference, 0.5, 8.0)


exercise(
    "07.2", "the budget from which on Laplace noise beats one bit",
    number(_crossing, relative=0.01),
    "`variance(p)` of both mechanisms, with p = 1/16; bisect between 1 and 4.")


def _variance_of_one_named_cell(alpha, cells):
    """Of randomised response over the signed cells, in each of `cells` equally likely ones."""
    return SignedSubset(alpha, 1 / cells, size=1).variance(1 / cells)


exercise(
    "07.3", "the variance of randomised response over cells as a function",
    function(_variance_of_one_named_cell,
             [{"alpha": 0.1, "cells": 2}, {"alpha": 1.0, "cells": 16}, {"alpha": 5.0, "cells": 64}]),
    "by how much is the own sign of the own cell more probable than the opposite one? How probable is it "
    "that a given cell is named at all?")

exercise(
    "07.4", "a bandwidth for a wave that lies on no grid",
    # Narrower cells than 1/200 take long.
    nearly_best(0.005, 1, lambda h: excess_risk(OneBitClassifier(1.0, h), problem("wave"), 100_000),
                candidates=[1 / m for m in range(2, 61)], factor=1.1),
    "try h = 1/2, 1/3, ...; the risk is exact, so nothing jitters.")


def _people_for_the_survey():
    rules = [CellClassifier(1.0, 1 / m, mechanism="best") for m in range(2, 9)]
    return people_needed(rules, problem("cps", features=("age", "education")), 0.05)


exercise(
    "07.5", "people for an excess risk of 0.05 on the survey",
    number(_people_for_the_survey, relative=0.03),
    "`people_needed` takes a list of rules, of which the best counts at every n.")

"""Exact expected excess risk of the grid classifiers on every problem with exact masses.

    E(C_n) = sum over cells of  gain_1 P(class 0) + gain_0 P(class 1),

gain_1 and gain_0 being the integrals of (2 eta - 1)+ and (2 eta - 1)- over the cell.
The problem knows the integrals and `ldp_lib.risk.scores` the probabilities.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import whole
from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.estimation.histogram import histogram_shape
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.scores import cube_sign_probabilities, majority_sign_probabilities


class CellLaw(NamedTuple):
    """Cells of a grid classifier and its exact law on each of them.

    `lower`, `upper`: (K, d), the cells clipped to [0, 1]^d; `zero`, `one`: (K,), the
    probabilities of predicting class 0 and class 1 in the cell.
    """

    lower: np.ndarray
    upper: np.ndarray
    zero: np.ndarray
    one: np.ndarray


def cell_gains(problem, lower, upper):
    """Integrals of (2 eta - 1)+ and (2 eta - 1)- over boxes, under the law of X; exact.

    What one wins in the box by saying 1 (or 0) instead of the opposite, shapes (K,) each.
    """
    p, q = problem.cell_masses(lower, upper)
    size = problem.margin_mass(lower, upper)
    return np.maximum(size + (2 * q - p), 0) / 2, np.maximum(size - (2 * q - p), 0) / 2


@singledispatch
def cell_law(classifier, problem, n, relative_error=RELATIVE_ERROR):
    """The `CellLaw` of a classifier (with its parameters, fitted or not) for n people in all."""
    raise TypeError(
        f"classifier = {classifier!r} has no exact law here; use {', '.join(c.__name__ for c in cell_law.registry if c is not object)}, "
        "or simulate_excess_risk."
    )


@cell_law.register
def _(classifier: CubeClassifier, problem, n, relative_error=RELATIVE_ERROR):
    mechanism = CubeLaplace(classifier.alpha, classifier.h, problem.d, classifier.noise)
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    cubes, cells = mechanism.boxes()
    p, q = problem.cell_masses(*cubes)
    zero, one = cube_sign_probabilities(half, p, q, mechanism.scale, mechanism.granularity,
                                        relative_error=relative_error)
    return CellLaw(*(np.clip(edge, 0.0, 1.0) for edge in cells), zero, one)


@cell_law.register
def _(classifier: HistogramClassifier, problem, n, relative_error=RELATIVE_ERROR):
    shape = histogram_shape(classifier.h, problem.d)
    index = np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1)
    lower, upper = index * classifier.h, np.minimum((index + 1) * classifier.h, 1.0)
    p, q = problem.cell_masses(lower, upper)
    zero, one = majority_sign_probabilities(whole("n", n), p, q, relative_error)
    return CellLaw(lower, upper, zero, one)


def excess_risk(classifier, problem, n, relative_error=RELATIVE_ERROR):
    """Expected excess risk E R(C_n) - R(Bayes) of a grid classifier; exact, nothing is simulated.

    classifier : `CubeClassifier` or `HistogramClassifier`; only its parameters count.
    problem : from `ldp_lib.nature.problem`.
    n : number of people **in all** (2 or more for the private rule, which splits them).
    relative_error : of the probabilities; a picture that must keep up may ask for 1e-5.

    >>> from ldp_lib.estimation import CubeClassifier
    >>> from ldp_lib.nature import problem
    >>> round(excess_risk(CubeClassifier(alpha=1.0, h=0.2), problem("sine"), 20_000), 4)
    0.0447
    """
    law = cell_law(classifier, problem, n, relative_error)
    gain_one, gain_zero = cell_gains(problem, law.lower, law.upper)
    return float(gain_one @ law.zero + gain_zero @ law.one)

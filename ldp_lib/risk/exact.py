"""Exact expected excess risk of rules that are constant on cells, on every problem with exact masses.

    E(C_n) = sum over cells of  gain_1 P(class 0) + gain_0 P(class 1),

gain_1 and gain_0 being the integrals of (2 eta - 1)+ and (2 eta - 1)- over the cell.
The problem knows the integrals and `ldp_lib.risk.scores` the probabilities.
`ldp_lib.risk.planning` turns the question round.
"""

from __future__ import annotations

import copy
import math
from functools import singledispatch
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import reals, require_memory, together, whole, wrong_kind
from ldp_lib._rounding import canonical
from ldp_lib.estimation import (
    AdaptiveClassifier, CellClassifier, CubeClassifier, HistogramClassifier, NoisyMajorityClassifier,
    StableVoronoiClassifier, VoronoiClassifier, WaveletClassifier,
)
from ldp_lib.estimation.base import GridClassifier, histogram_shape
from ldp_lib.nature import Problem, SpaceProblem
from ldp_lib.privacy.central import central_noise
from ldp_lib.privacy.mechanism import grid_index
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.scores import (
    cube_sign_probabilities, majority_sign_probabilities, noisy_majority_probabilities,
    score_sign_probabilities,
)


class CellGrid(NamedTuple):
    """The cells of a classifier and what the law of the people does there; no budget.

    `lower`, `upper`: (K, d), the cells clipped to [0, 1]^d; both the centre for Voronoi cells.
    `p`, `q`: (K,), P(X counts for the cell) and P(X counts for the cell, Y = 1).
    `gain_one`, `gain_zero`: (K,), what one wins in the cell by saying 1, or 0, rather than the opposite:
    the integrals of (2 eta - 1)+ and (2 eta - 1)- under the law of X.

    >>> from ldp_lib.estimation import OneBitClassifier
    >>> from ldp_lib.nature import problem
    >>> grid = cell_grid(OneBitClassifier(h=0.5), problem("sine"))
    >>> grid.p.tolist(), grid.gain_one.round(4).tolist(), grid.gain_zero.round(4).tolist()
    ([0.5, 0.5], [0.2546, 0.0], [0.0, 0.2546])
    """

    lower: np.ndarray
    upper: np.ndarray
    p: np.ndarray
    q: np.ndarray
    gain_one: np.ndarray
    gain_zero: np.ndarray


WORK_BYTES = 512
"""Peak bytes for a cell while masses and probabilities are computed."""


def _cell_grid(problem, cells, counting):
    lower, upper = (np.clip(edge, 0.0, 1.0) for edge in cells)
    p, q, size = problem.masses(lower, upper)
    tilt = 2 * q - p
    gains = np.maximum(size + tilt, 0) / 2, np.maximum(size - tilt, 0) / 2
    return CellGrid(lower, upper, *(problem.cell_masses(*counting) if counting else (p, q)), *gains)


def _histogram_grid(problem, side, name):
    check_problem(problem)
    shape = histogram_shape(side, problem.d, name)
    size = math.prod(shape)
    require_memory(f"The risk on {size:,} cells", float(WORK_BYTES) * size, f"Increase {name}.")
    index = grid_index(shape)
    return _cell_grid(problem, (index * side, (index + 1) * side), None)


def check_problem(problem):
    """Refuse what is not a `Problem`."""
    if not isinstance(problem, Problem):
        raise wrong_kind("problem", problem, 'a law of ldp_lib.nature, for example problem("sine")')


@singledispatch
def cell_grid(classifier: GridClassifier, problem: Problem | SpaceProblem, n: int | None = None) -> CellGrid:
    """The cells of a classifier on a problem, and what the law of the people does there; exact.

    Parameters
    ----------
    classifier : GridClassifier
        Its parameters count, fitted or not: a `CubeClassifier`, `CellClassifier`, `OneBitClassifier`,
        `HistogramClassifier`, `NoisyMajorityClassifier`, `AdaptiveClassifier`, `WaveletClassifier`,
        `VoronoiClassifier` or `StableVoronoiClassifier`.
    problem : Problem or SpaceProblem
        From `ldp_lib.nature.problem`; for the two Voronoi rules, from `ldp_lib.nature.space_problem`.
    n : int, optional
        People in all. It matters where the cells depend on it, `side`, `radius` or `levels` being None, and
        must be given there.

    Returns
    -------
    CellGrid
        Lower and upper ends of the cells, (K, d), and their masses and gains, (K,); no budget.

    Examples
    --------
    >>> from ldp_lib.estimation import OneBitClassifier
    >>> from ldp_lib.nature import problem
    >>> grid = cell_grid(OneBitClassifier(h=0.5), problem("sine"))
    >>> grid.lower.tolist(), grid.upper.tolist()
    ([[0.0], [0.5]], [[0.5], [1.0]])
    """
    known = ", ".join(kind.__name__ for kind in cell_grid.registry if kind is not object)
    raise TypeError(f"classifier = {classifier!r:.60} is not constant on known cells; use one of {known}.")


@cell_grid.register
def _(classifier: CubeClassifier, problem, n=None):
    check_problem(problem)
    mechanism = classifier.build_mechanism(problem.d)
    require_memory(f"The risk on {mechanism.K:,} cells", float(WORK_BYTES) * mechanism.K, "Increase h.")
    cubes, cells = mechanism.boxes()
    return _cell_grid(problem, cells, cubes)


@cell_grid.register(CellClassifier)
@cell_grid.register(HistogramClassifier)
def _(classifier, problem, n=None):
    return _histogram_grid(problem, classifier.h, "h")


@cell_grid.register(AdaptiveClassifier)
@cell_grid.register(WaveletClassifier)
def _(classifier, problem, n=None):
    check_problem(problem)
    _check_n(classifier, n)
    return _histogram_grid(problem, classifier.cell_side(n, problem.d), "levels")


@cell_grid.register
def _(classifier: NoisyMajorityClassifier, problem, n=None):
    check_problem(problem)
    _check_n(classifier, n)
    return _histogram_grid(problem, classifier.cube_side(n, problem.d), "side")


@cell_grid.register(VoronoiClassifier)
@cell_grid.register(StableVoronoiClassifier)
def _(classifier, problem, n=None):
    if not isinstance(problem, SpaceProblem) or not isinstance(problem.space, type(classifier.space)):
        raise TypeError(f"problem = {problem!r:.60} does not live on {classifier.space!r}; build one, say "
                        'with ldp_lib.nature.space_problem("sphere").')
    _check_n(classifier, n)
    voronoi = classifier.voronoi(n)
    p, q, margin = problem.voronoi_masses(voronoi)
    gains = np.maximum(margin + 2 * q - p, 0) / 2, np.maximum(margin - 2 * q + p, 0) / 2
    return CellGrid(voronoi.centres, voronoi.centres, p, q, *gains)


def merged(grid):
    """Cells with equal masses taken together: a `CellGrid`, and which of its cells each one is part of, (K,).

    For pictures. Equal masses of a problem differ by rounding errors of 1e-17 or so, and masses that differ
    by less than 1e-14 count as equal, which matters where n is 1e12 and more.
    """
    masses = np.stack([grid.p, grid.q]).round(14)
    (p, q), first, place = np.unique(masses, axis=1, return_index=True, return_inverse=True)
    gains = (np.bincount(place, weights=gain) for gain in (grid.gain_one, grid.gain_zero))
    return CellGrid(grid.lower[first], grid.upper[first], p, np.minimum(q, p), *gains), place


def has_exact_law(classifier):
    """Whether `label_probabilities` knows the law of the rule's labels."""
    return label_probabilities.dispatch(type(classifier)) is not label_probabilities.dispatch(object)


def moving(classifier):
    """The parameter that is None, so that the cells depend on the number of people; None if there is none."""
    return next((name for name in ("levels", "radius", "side") if getattr(classifier, name, 0) is None), None)


def _check_n(classifier, n):
    name = moving(classifier)
    if name and n is None:
        raise ValueError(f"n is missing; {name} = None depends on the number of people. Give n, or a {name}.")
    if n is not None:
        whole("n", n)


@singledispatch
def label_probabilities(classifier: GridClassifier, grid: CellGrid, n: ArrayLike,
                        relative_error: float = RELATIVE_ERROR) -> tuple[np.ndarray, np.ndarray]:
    """(P(class 0), P(class 1)) in every cell of `grid` after learning from n people in all; exact.

    Parameters
    ----------
    classifier : GridClassifier
        A `CubeClassifier`, `CellClassifier`, `OneBitClassifier`, `HistogramClassifier`,
        `NoisyMajorityClassifier` or `VoronoiClassifier`; only its parameters count.
    grid : CellGrid
        The cells of the classifier, from `cell_grid`.
    n : int or array, shape (K,)
        People in all: a whole number, or one for each cell. 1 or more; 2 or more for `CubeClassifier`.
    relative_error : float
        Aim for the smaller of the two probabilities, 1e-13 by default.

    Returns
    -------
    tuple of two arrays, shape (K,)
        P(class 0) and P(class 1).

    Examples
    --------
    >>> from ldp_lib.estimation import OneBitClassifier
    >>> from ldp_lib.nature import problem
    >>> rule = OneBitClassifier(alpha=1.0, h=0.5)
    >>> zero, one = label_probabilities(rule, cell_grid(rule, problem("sine")), 100)
    >>> zero.round(3).tolist()          # the better label is 1 on the left and 0 on the right
    [0.1, 0.861]
    """
    raise TypeError(f"classifier = {classifier!r:.60} has no exact law here; `label_probabilities` "
                    "says which rules have one. simulate_excess_risk takes the others.")


@label_probabilities.register
def _(classifier: CubeClassifier, grid, n, relative_error=RELATIVE_ERROR):
    mechanism = classifier.build_mechanism(grid.lower.shape[1])
    half = reals("n", n, least=2, integer=True) // 2
    return cube_sign_probabilities(half, grid.p, grid.q, mechanism.scale, mechanism.granularity,
                                   relative_error=relative_error)


@label_probabilities.register
def _(classifier: CellClassifier, grid, n, relative_error=RELATIVE_ERROR):
    mechanism = classifier.build_mechanism(grid.lower.shape[1])
    people = reals("n", n, least=1, integer=True)
    return score_sign_probabilities(mechanism, people, grid.p, grid.q, relative_error)


@label_probabilities.register
def _(classifier: HistogramClassifier, grid, n, relative_error=RELATIVE_ERROR):
    return majority_sign_probabilities(n, grid.p, grid.q, relative_error)


@label_probabilities.register(NoisyMajorityClassifier)
@label_probabilities.register(VoronoiClassifier)
def _(classifier, grid, n, relative_error=RELATIVE_ERROR):
    noise = central_noise(classifier.epsilon, classifier.noise)
    return noisy_majority_probabilities(n, grid.p, grid.q, noise.scale, noise.granularity, relative_error)


@overload
def excess_risk(classifier: GridClassifier, problem: Problem | SpaceProblem, n: float, *,
                alpha: float | None = ..., relative_error: float = ...) -> float: ...


@overload
def excess_risk(classifier: GridClassifier, problem: Problem | SpaceProblem, n: ArrayLike, *,
                alpha: ArrayLike | None = ..., relative_error: float = ...) -> np.ndarray: ...


def excess_risk(classifier: GridClassifier, problem: Problem | SpaceProblem, n: ArrayLike, *,
                alpha: ArrayLike | None = None, relative_error: float = RELATIVE_ERROR) -> float | np.ndarray:
    """Expected excess risk E R(C_n) - R(Bayes) of a rule on cells; exact, nothing is simulated.

    The law of a score is in `ldp_lib.risk.scores`: of `OneBitClassifier` and all rules on disjoint cells,
    `score_sign_probabilities`.

    Parameters
    ----------
    classifier : GridClassifier
        A `CubeClassifier`, `CellClassifier`, `OneBitClassifier`, `HistogramClassifier`,
        `NoisyMajorityClassifier` or `VoronoiClassifier`; only its parameters count.
    problem : Problem or SpaceProblem
        From `ldp_lib.nature.problem`; for `VoronoiClassifier`, from `ldp_lib.nature.space_problem`.
    n : int or array
        Number of people **in all**, 2 or more (the private rule splits them in two). An array, or a list,
        gives an array of its shape, in one call.
    alpha : float or array, optional
        Budgets in place of that of the rule, nats > 0, for rules with a parameter alpha; a number or an
        array that broadcasts against n. The cells, which no budget moves, are made once.
    relative_error : float
        Of the probabilities, 1e-13 by default; pictures may ask for less.

    Returns
    -------
    float or array
        The excess risk: a float for numbers, else an array of the shape of n, or of n and alpha together.

    Examples
    --------
    >>> from ldp_lib.estimation import CubeClassifier
    >>> from ldp_lib.nature import problem
    >>> round(excess_risk(CubeClassifier(alpha=1.0, h=0.2), problem("sine"), 20_000), 4)
    0.0447
    >>> excess_risk(CubeClassifier(alpha=1.0, h=0.2), problem("sine"), [10_000, 20_000]).round(4).tolist()
    [0.0811, 0.0447]
    >>> excess_risk(CubeClassifier(h=0.2), problem("sine"), 20_000, alpha=[0.5, 1, 2]).round(4).tolist()
    [0.1199, 0.0447, 0.0064]
    """
    many, cure = isinstance(n, (list, tuple, np.ndarray)), "Both halves of the sample need a person."
    people = reals("n", n if many else whole("n", n, least=2, cure=cure), least=2, integer=True, cure=cure)
    if not people.size:
        raise ValueError(f"n = {n!r} is empty; it must hold one whole number of people or more.")
    if alpha is not None:
        return _risks_of_budgets(classifier, problem, people, alpha, relative_error)
    counts, place = np.unique(people, return_inverse=True)
    if moving(classifier):
        grids = [cell_grid(classifier, problem, int(each)) for each in counts]
    else:
        grids = [cell_grid(classifier, problem)] * len(counts)
    risks = grid_risks(classifier, grids, counts, relative_error)
    return risks[place].reshape(people.shape) if many else float(risks[0])


def _risks_of_budgets(classifier, problem, people, alpha, relative_error):
    """`excess_risk` at budgets `alpha`; a float for two numbers."""
    if "alpha" not in classifier.get_params():
        raise TypeError(f"alpha = {alpha!r:.60} is for rules with that parameter; {classifier!r:.60} has "
                        "none. Leave it out.")
    budgets, people = together(alpha=reals("alpha", alpha, above=0), n=people)
    if not budgets.size:
        raise ValueError(f"alpha = {alpha!r} is empty; it must hold one budget or more.")
    grid, risks = cell_grid(classifier, problem, int(people.flat[0])), np.empty(people.shape)
    for budget in np.unique(budgets):
        rule, here = copy.copy(classifier).set_params(alpha=float(budget)), budgets == budget
        risks[here] = grid_risks(rule, [grid] * here.sum(), people[here], relative_error)
    return risks if risks.ndim else float(risks)


def grid_risks(classifier, grids, people, relative_error=RELATIVE_ERROR):
    """Exact excess risk with `people[k]` people on the cells `grids[k]`, (m,).

    All of it is one call; cells of a grid with equal (p, q) are computed once.
    """
    kinds = {each: np.unique(grid.p + 1j * grid.q, return_inverse=True)
             for each, grid in {id(grid): grid for grid in grids}.items()}
    masses = [kinds[id(grid)][0] for grid in grids]
    sizes, joined = [len(each) for each in masses], np.concatenate(masses)
    distinct = grids[0]._replace(p=joined.real, q=joined.imag)
    labels = label_probabilities(classifier, distinct, np.repeat(people, sizes), relative_error)
    parts = zip(grids, *(np.split(side, np.cumsum(sizes)[:-1]) for side in labels), strict=True)
    risks = []
    for grid, zero, one in parts:
        kind = kinds[id(grid)][1]
        risks.append(grid.gain_one @ zero[kind] + grid.gain_zero @ one[kind])
    return np.array(risks)


LEAST = 1e-13
"""What risks on a curve are, at least, in logarithms."""


STEPS = 8
"""Steps from one number of people of a table to the next where it is refined: of 10% each, if there are three
of them a decade."""


def people_on_curve(target, people, risks, finer=None):
    """The people at whom exact risks first fall to `target`, straight in the logarithms.

    people : (m,), in order.  risks : (m,), or (rules, m), of which the best counts at every n.  Infinite if
    the last people are too few; the first if they suffice.
    finer : function of rules, a tuple of their indices, and of people, a tuple, that gives their risks, as
        above. It is asked about those between the two n around the answer.
    """
    risks = np.atleast_2d(risks)
    enough = canonical(risks) <= canonical(target)
    place = int(enough.any(axis=0).argmax())
    if place == 0:
        return float(people[0]) if enough[:, 0].any() else np.inf
    people, risks = people[place - 1:place + 1], risks[:, place - 1:place + 1]
    if finer:
        # The risk of a rule falls with n: one that is not enough at the end of the step was not before.
        people = np.geomspace(*people, STEPS + 1).round().astype(int)
        return people_on_curve(target, people, finer(tuple(np.flatnonzero(enough[:, place])), tuple(people)))
    # What is 0, or below it, is a rounding error far below every risk that is looked for.
    logs = np.log(np.maximum(risks.min(axis=0), LEAST))
    return float(np.exp(np.interp(-np.log(target), -logs, np.log(people))))

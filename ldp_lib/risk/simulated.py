"""What is simulated: excess risk with its standard error, the check on the exact one, and crowds.

Crowds are too large to hold: their aggregates are drawn from their law, or collected in parts on several
machines.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple, overload

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from tqdm.auto import tqdm

from ldp_lib._arguments import (
    OperatingSystem, Randomness, generator, labels, points, reals, whole, wrong_kind,
)
from ldp_lib._rounding import head_counts
from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.estimation.asking import SimulationWarning
from ldp_lib.estimation.base import Estimator, GridClassifier
from ldp_lib.nature import Problem, SpaceProblem, point_cloud, point_cloud_eta
from ldp_lib.privacy import Aggregate, CellAggregate, CellLaplace, CubeLaplace
from ldp_lib.privacy.cell import CellMechanism
from ldp_lib.privacy.mechanism import ENTRY_BYTES, grid_index
from ldp_lib.privacy.registry import REGISTRY
from ldp_lib.risk.exact import cell_grid, check_problem

MOST_REPEATS = 10**6
"""More random streams than that do not fit a loop over fits."""


class Simulated(NamedTuple):
    """Mean over repeats, its standard error, and the value of every repeat.

    A repeat is a survey: fresh people and fresh noise. The standard error is that of the mean and falls with
    the repeats; what one survey may be away from it, the spread below, does not.

    >>> from ldp_lib.nature import problem
    >>> risk = simulate_excess_risk(CubeClassifier(1.0, 0.2), problem("sine"), 16_000, 100, rng=1)
    >>> round(risk.standard_deviation, 3), risk.quantile([0.05, 0.5, 0.95]).round(3).tolist()
    (0.059, [0.0, 0.024, 0.142])
    """

    mean: float
    standard_error: float
    values: np.ndarray

    @property
    def standard_deviation(self) -> float:
        """How far one survey is from the mean of all: the standard deviation over repeats."""
        return float(self.values.std(ddof=1))

    @overload
    def quantile(self, share: float) -> float: ...

    @overload
    def quantile(self, share: ArrayLike) -> np.ndarray: ...

    def quantile(self, share: ArrayLike) -> float | np.ndarray:
        """The value that a share of all surveys does not exceed, estimated; shares in [0, 1], any shape."""
        return np.quantile(self.values, reals("share", share, least=0, most=1))[()]


def simulate_excess_risk(classifier: GridClassifier, problem: Problem | SpaceProblem, n: int, repeats: int, *,
                         rng: Randomness, n_jobs: int | None = None,
                         progress: bool | None = None) -> Simulated:
    """Fit the classifier to `repeats` fresh samples of n people; average the exact excess risk of each fit.

    Only the sample and the noise are random: given a fit, the risk is an exact
    integral over the cells. The result depends on `rng` alone, not on who works.

    Parameters
    ----------
    classifier : GridClassifier
        One with known cells, see `cell_grid`.
    problem : Problem or SpaceProblem
        Where the people come from, as for `cell_grid`.
    n : int
        People in all, 2 or more.
    repeats : int
        Fits, 2 or more, at most 10^6.
    rng : Generator, int or None
        A numpy Generator, a seed, or None for fresh entropy.
    n_jobs : int, optional
        Workers that share the repeats: None is 1, or what `joblib.parallel_config` says (backend="dask" takes
        a cluster).
    progress : bool, optional
        Show a bar. None, the default, shows one after two seconds, where errors go to a terminal.

    Returns
    -------
    Simulated
        Mean excess risk, its standard error, and the value of every repeat, (repeats,).

    Examples
    --------
    >>> from ldp_lib.estimation import OneBitClassifier
    >>> from ldp_lib.nature import problem
    >>> from ldp_lib.risk import excess_risk
    >>> rule, law = OneBitClassifier(alpha=1.0, h=0.25), problem("sine")
    >>> found = simulate_excess_risk(rule, law, 500, 200, rng=1)
    >>> bool(abs(found.mean - excess_risk(rule, law, 500)) < 5 * found.standard_error)
    True
    """
    n = whole("n", n, least=2, cure="Both halves of the sample need a person.")
    risk = functools.partial(excess_of_one_fit, classifier, problem, n, cell_grid(classifier, problem, n))
    return _repeated(risk, repeats, rng, n_jobs, progress)


PATIENCE = 2.0
"""Seconds for which nobody needs to see a bar."""


def progress_bar(progress, steps=None, **words):
    """A bar over `steps`; `progress` is True, False, or None: after two seconds, on a terminal or a page.

    Unasked it does not show where the variable TQDM_DISABLE is set: how long something takes is no output.
    """
    asked = progress is not None
    unasked = True if os.environ.get("TQDM_DISABLE") else None
    return tqdm(steps, disable=not progress if asked else unasked, delay=0 if asked else PATIENCE, **words)


def _repeated(value, repeats, rng, n_jobs=1, progress=None):
    """`Simulated` of value(stream), a fit a stream; the random streams do not depend on `n_jobs`."""
    repeats = whole("repeats", repeats, least=2, most=MOST_REPEATS,
                    cure="A standard error needs two repeats.")
    streams = progress_bar(progress, generator(rng).spawn(repeats), desc="repeats", unit="fit")
    values = np.array(Parallel(n_jobs=n_jobs)(map(delayed(value), streams)))
    return Simulated(values.mean(), values.std(ddof=1) / np.sqrt(values.size), values)


def simulate_accuracy(classifier: Estimator,
                      sample: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]], n: int,
                      repeats: int, *, test: int = 20_000, rng: Randomness) -> Simulated:
    """Accuracy on fresh people of a classifier taught by n people, averaged over `repeats` fits.

    Parameters
    ----------
    classifier : Estimator
        For example `ldp_lib.estimation.CubeClassifier()`.
    sample : function (n, rng) -> (X, y)
        Draws people; for laws whose risk has no closed form.
    n : int
        People who teach, 2 or more.
    repeats : int
        Fits, 2 or more, at most 10^6.
    test : int
        Number of fresh people that each fit is tried on, 20000 by default.
    rng : Generator, int or None
        A numpy Generator, a seed, or None for fresh entropy.

    Returns
    -------
    Simulated
        Mean accuracy, its standard error, and the value of every repeat, (repeats,).

    Examples
    --------
    >>> from ldp_lib.estimation import OneBitClassifier
    >>> from ldp_lib.nature import point_cloud
    >>> def sample(n, rng):
    ...     return point_cloud("circles", n, rng=rng)
    >>> found = simulate_accuracy(OneBitClassifier(alpha=2.0, h=0.25), sample, 5000, 10, rng=1)
    >>> found.values.shape, bool(0.6 < found.mean < 0.9)
    ((10,), True)
    """
    if isinstance(classifier, type) or not hasattr(classifier, "get_params"):
        raise wrong_kind("classifier", classifier,
                         "an estimator, for example ldp_lib.estimation.CubeClassifier()")
    n, test = whole("n", n, least=2), whole("test", test)

    def accuracy(stream):
        fit = _reseeded(classifier, stream).fit(*sample(n, stream))
        X, y = sample(test, stream)
        return (fit.predict(X) == y).mean()

    return _repeated(accuracy, repeats, rng)


def slides_experiment(alphas, *, n=20_000, h=0.15, repeats=20, rng):
    """Accuracies on the clouds "moons" and "circles" against alpha, as a table: column -> list.

    A row is a fit to n people with bandwidth h, tried on fresh people: "cloud", "rule", "alpha" in nats, and
    "accuracy". The rule "private" has `repeats` fits for every alpha. The three others know no alpha, and
    their values are repeated at each: "no privacy", a histogram, as many fits; "best" and "majority label",
    one value. The seminar slides (Baumann, 2022) show only the picture; n, h and these levels are ours.

    >>> table = slides_experiment((1.0, 4.0), n=500, repeats=2, rng=1)
    >>> list(table), {len(column) for column in table.values()}
    (['cloud', 'rule', 'alpha', 'accuracy'], {24})
    """
    rng, rows = generator(rng), []
    for cloud in ("moons", "circles"):
        fits = functools.partial(simulate_accuracy, sample=functools.partial(_cloud_people, cloud), n=n,
                                 repeats=repeats, rng=rng)
        private = [fits(CubeClassifier(alpha, h)).values for alpha in alphas]
        histogram = fits(HistogramClassifier(h)).values
        X, y = _cloud_people(cloud, 100_000, rng)
        best = [((point_cloud_eta(cloud, X) >= 0.5) == y).mean()]
        majority = [max(y.mean(), 1 - y.mean())]
        for alpha, values in zip(alphas, private, strict=True):
            rules = {"private": values, "no privacy": histogram, "best": best, "majority label": majority}
            rows += [(cloud, rule, alpha, float(value)) for rule in rules for value in rules[rule]]
    return dict(zip(("cloud", "rule", "alpha", "accuracy"), map(list, zip(*rows)), strict=True))


def _cloud_people(cloud, n, rng):
    return point_cloud(cloud, n, rng=rng)


def _reseeded(classifier, rng):
    """A copy of the classifier for fresh people, whose noise, if it has any, comes from `rng`."""
    from sklearn.base import clone  # loaded by those who fit

    rule = clone(classifier)
    return rule.set_params(rng=rng) if "rng" in rule.get_params() else rule


def excess_of_one_fit(classifier, problem, n, grid, rng):
    """The exact excess risk of a fresh copy of the classifier that n people have taught, on its cells."""
    X, y = problem.sample(n, rng=rng)
    says_one = _reseeded(classifier, rng).fit(X, y).predict((grid.lower + grid.upper) / 2) == 1
    return grid.gain_one[~says_one].sum() + grid.gain_zero[says_one].sum()


BLOCK_BYTES = 2**25
"""People of a place send in blocks of about this size, or of that of the sums if they take more."""
PERSON_BYTES, FEATURE_BYTES, BIT_BYTES = 128, 32, 40
"""Peak bytes for a person who sends, for each of her features, and for each bit that she sends."""


def simulate_crowd(mechanism: CellLaplace | CubeLaplace, problem: Problem, n: int, *,
                   rng: Randomness) -> Aggregate | CellAggregate:
    """The aggregate of n people from `problem` who report to `mechanism`, at cost O(K) whatever n is.

    The head counts of all cells and labels are multinomial with exact probabilities, and the sum of all noise
    is one draw a cell: the law of `mechanism.simulate_aggregate(*problem.sample(n))`, drawn in floating
    point. For cubes the cells are those between the grid lines, where nobody may live with positive
    probability; a cube is made of 2^d of them.

    Parameters
    ----------
    mechanism : CellLaplace or CubeLaplace
        What the people run.
    problem : Problem
        From `ldp_lib.nature.problem`.
    n : int
        People in all, at most 10^15; 2 or more for `CubeLaplace`.
    rng : Generator, int or None
        A numpy Generator, a seed, or None for fresh entropy.

    Returns
    -------
    Aggregate or CellAggregate
        Sums of the reports: an `Aggregate` from `CubeLaplace`, a `CellAggregate` from `CellLaplace`.

    Examples
    --------
    >>> from ldp_lib.nature import problem
    >>> simulate_crowd(CellLaplace(1.0, 0.25), problem("sine"), 10**9, rng=1).people
    1000000000
    """
    if not isinstance(mechanism, CellLaplace | CubeLaplace):
        raise wrong_kind("mechanism", mechanism, "a CellLaplace or a CubeLaplace: only independent noise has "
                                                 "a sum that is one draw a cell")
    check_problem(problem)
    n, rng = whole("n", n, most=10**15), generator(rng)
    if isinstance(mechanism, CubeLaplace):
        return _simulate_cubes(mechanism, problem, n, rng)
    p, q = problem.cell_masses(*mechanism.boxes())
    ones, zeros = np.split(head_counts(rng, n, np.concatenate([q, p - q])), 2)
    return mechanism.add_noise(CellAggregate(n, (ones - zeros) / 2, repr(mechanism)), rng=rng)


def _simulate_cubes(mechanism, problem, n, rng):
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    between = tuple(points - 1 for points in mechanism.shape)
    low = mechanism.h * grid_index(between)
    totals = np.empty((2, mechanism.K))
    for row, mass in zip(totals, problem.cell_masses(low, np.minimum(low + mechanism.h, 1.0)), strict=True):
        counts = head_counts(rng, half, mass).reshape(between)
        for axis in range(mechanism.d):
            counts = np.insert(counts, 0, 0, axis) + np.insert(counts, between[axis], 0, axis)
        row[:] = counts.ravel() + mechanism.noise.sample_sum(half, mechanism.K, rng)
    return Aggregate((half, half), totals, repr(mechanism))


def collect(mechanism: CellMechanism, parts: Iterable[Callable[[], tuple[ArrayLike, ArrayLike]]], *,
            rng: Randomness = None, n_jobs: int | None = None) -> CellAggregate:
    """The aggregate of the reports of people in many places, merged: one total of all parts.

    Parameters
    ----------
    mechanism : CellMechanism
        Such as `CellLaplace`, `HadamardBit`, `SignedSubset` or `DyadicBit`. Where people `send` less than a
        dense report, they do, in blocks.
    parts : iterable of functions
        Without arguments, one or more, each returning the (X, y) of one place. They run where the work is
        done: data stay there, and only sums of reports travel. So do errors, which name the part and the
        rule that it broke, no record; what a part itself raises is told by its kind alone.
    rng : Generator, int, "secure" or None
        None or "secure" (default): every place draws its noise from its own operating system. Messages to
        it hold the mechanism and the part, no randomness, so that whoever collects, or reads them, cannot
        draw the noise again. A seed or a Generator makes a simulation that can be repeated, and a
        `SimulationWarning`: the streams of all places are made from it here and sent to them.
    n_jobs : int, optional
        Workers, for joblib; None is 1, or what `joblib.parallel_config` says. With backend="dask" they
        are those of a dask.distributed cluster (`pip install ldp-lib[cluster]`). With one worker, wherever
        it is, joblib calls the parts in this process.

    Returns
    -------
    CellAggregate
        The sums of the reports of all people in all places.

    Notes
    -----
    Whoever does the work, in whatever order parts come back: the total holds one report of each person, from
    one attempt. If a worker dies, its part runs again: with a seed to the same bits, since sums of lattice
    reports are exact (those of a `DyadicBit` are rounded, in the order of `parts`); without one its people
    are asked again and draw fresh noise. Who has seen the sums of k attempts of a place, by reading messages,
    knows about each person there what a mechanism of budget k alpha may tell; the total, and whatever holds
    one attempt of each place, stays at alpha. Where that is not enough, let a part that is called twice
    refuse: then the collection fails.

    Examples
    --------
    >>> from ldp_lib.privacy import HadamardBit
    >>> places = [lambda: ([[0.1], [0.7]], [1, 0]), lambda: ([[0.3]], [1])]     # each runs where its data are
    >>> collect(HadamardBit(alpha=1.0, h=0.5), places).people
    3
    """
    if not isinstance(mechanism, CellMechanism):
        known = [line.name for line in REGISTRY if issubclass(line.kind, CellMechanism)]
        raise wrong_kind("mechanism", mechanism, f"one of {', '.join(known)}")
    places = list(parts) if isinstance(parts, Iterable) else []
    if not places or not all(map(callable, places)):
        raise TypeError(f"parts is a {type(parts).__name__}; it must be functions without arguments, one or "
                        "more, each returning the (X, y) of one place.")
    source = generator("secure" if rng is None else rng, secure=True)
    if isinstance(source, OperatingSystem):
        sources = [source] * len(places)
    else:
        warnings.warn("collect with a seed or a Generator is a simulation: whoever knows the seed, or reads "
                      "the messages to the places, can draw all noise again and subtract it. Leave rng out "
                      "for people who exist.", SimulationWarning, stacklevel=2)
        sources = source.spawn(len(places))
    work = (delayed(_collect_part)(mechanism, f"parts[{number}]", part, source)
            for number, (part, source) in enumerate(zip(places, sources, strict=True)))
    first, *others = Parallel(n_jobs=n_jobs)(work)
    return first.merge(*others)


def _collect_part(mechanism, name, part, source):
    """The aggregate of one place, drawn there."""
    X, y = _people_of(mechanism, name, part)
    if not hasattr(mechanism, "send"):
        return mechanism.aggregate(mechanism.privatize_blocks(X, y, rng=source))
    size = PERSON_BYTES + FEATURE_BYTES * mechanism.d + BIT_BYTES * mechanism.bits
    step = max(1, max(BLOCK_BYTES, ENTRY_BYTES * mechanism.K) // size)
    return functools.reduce(CellAggregate.merge, (
        mechanism.collect(*mechanism.send(X[start:start + step], y[start:start + step], rng=source))
        for start in range(0, len(y), step)))


def _people_of(mechanism, name, part):
    """The records that `part` returns, checked. Errors travel: they leave the place without its data."""
    data = failure = None
    try:
        data = part()
    except Exception as error:
        failure = type(error).__name__
    # Outside the handler: an error that is raised inside would carry the first one, and its words.
    if failure is not None:
        raise RuntimeError(f"{name} raised {failure}; its words stay where the data are. Call the part there "
                           "to read them.")
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise TypeError(f"{name} returned a {type(data).__name__}, not a pair (X, y). Let every part return "
                        "the features and the labels of its people.")
    X = points(f"{name}: X", data[0], mechanism.d)
    return X, labels(f"{name}: y", data[1], len(X))

"""Simulated excess risk: the check on the exact one, with its standard error."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from ldp_lib._arguments import generator, whole
from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.nature import point_cloud, point_cloud_eta
from ldp_lib.risk.exact import cell_grid


MOST_REPEATS = 10**6
"""More random streams than that do not fit a loop over fits."""


class Simulated(NamedTuple):
    """Mean over repeats, its standard error, and the value of every repeat."""

    mean: float
    standard_error: float
    values: np.ndarray


def simulate_excess_risk(classifier, problem, n, repeats, *, rng, n_jobs=None, progress=False):
    """Fit the classifier to `repeats` fresh samples of n people; average the exact excess risk of each fit.

    Only the sample and the noise are random: given a fit, the risk is an exact
    integral over the cells. `n_jobs` workers share the repeats: None is 1, or what
    `joblib.parallel_config` says (backend="dask" takes a cluster); the
    result depends on `rng` alone. `progress` shows a bar.
    """
    repeats = whole("repeats", repeats, least=2, most=MOST_REPEATS,
                    cure="A standard error needs two repeats.")
    n = whole("n", n, least=2, cure="Both halves of the sample need a person.")
    grid = cell_grid(classifier, problem, n)
    streams = tqdm(generator(rng).spawn(repeats), disable=not progress, desc="repeats", unit="fit")
    jobs = (delayed(_excess_of_one_fit)(classifier, problem, n, grid, stream) for stream in streams)
    return _summary(Parallel(n_jobs=n_jobs)(jobs))


def simulate_accuracy(classifier, sample, n, repeats, *, test=20_000, rng):
    """Accuracy on fresh people of a classifier taught by n people, averaged over `repeats` fits.

    sample : function (n, rng) -> (X, y) that draws people; for laws whose risk has no closed form.
    test : number of fresh people that each fit is tried on.
    """
    if isinstance(classifier, type) or not hasattr(classifier, "get_params"):
        raise TypeError(f"classifier = {classifier!r:.60} is a {type(classifier).__name__}; it must be an "
                        "estimator, for example ldp_lib.estimation.CubeClassifier().")
    n, test = whole("n", n, least=2), whole("test", test)
    repeats = whole("repeats", repeats, least=2, most=MOST_REPEATS,
                    cure="A standard error needs two repeats.")
    values = []
    for stream in generator(rng).spawn(repeats):
        fit = _reseeded(classifier, stream).fit(*sample(n, stream))
        X, y = sample(test, stream)
        values.append((fit.predict(X) == y).mean())
    return _summary(values)


class CloudAccuracy(NamedTuple):
    """One cloud: accuracies of the private rule, (k,) at `alphas` with standard errors, and the levels around
    it."""

    cloud: str
    n: int
    h: float
    repeats: int
    alphas: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    non_private: float
    bayes: float
    majority: float


def slides_experiment(cloud, alphas, *, n=20_000, h=0.15, repeats=20, rng):
    """`CloudAccuracy` of "moons" or "circles": n people, bandwidth h, `repeats` fits for every alpha.

    The seminar slides (Baumann, 2022) show only the picture; the number of people, the bandwidth and what a
    good accuracy would be are ours.
    """
    rng = np.random.default_rng(rng)

    def sample(people, stream):
        return point_cloud(cloud, people, rng=stream)

    private = [simulate_accuracy(CubeClassifier(alpha, h), sample, n, repeats, rng=rng) for alpha in alphas]
    histogram = simulate_accuracy(HistogramClassifier(h), sample, n, repeats, rng=rng)
    X, y = sample(100_000, rng)
    best = ((point_cloud_eta(cloud, X) >= 0.5) == y).mean()
    return CloudAccuracy(cloud, n, h, repeats, np.array(alphas), np.array([fit.mean for fit in private]),
                         np.array([fit.standard_error for fit in private]), histogram.mean, best,
                         max(y.mean(), 1 - y.mean()))


def _summary(values):
    values = np.array(values)
    return Simulated(values.mean(), values.std(ddof=1) / np.sqrt(values.size), values)


def _reseeded(classifier, rng):
    """A fresh copy of the classifier whose noise, if it has any, comes from `rng`."""
    from sklearn.base import clone  # loaded by those who fit

    rule = clone(classifier)
    return rule.set_params(rng=rng) if "rng" in rule.get_params() else rule


def _excess_of_one_fit(classifier, problem, n, grid, rng):
    X, y = problem.sample(n, rng=rng)
    says_one = _reseeded(classifier, rng).fit(X, y).predict((grid.lower + grid.upper) / 2) == 1
    return grid.gain_one[~says_one].sum() + grid.gain_zero[says_one].sum()

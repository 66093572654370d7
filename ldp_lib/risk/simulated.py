"""Simulated excess risk: the check on the exact one, with its standard error."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from tqdm.auto import tqdm

from ldp_lib._arguments import generator, whole
from ldp_lib.risk.exact import cell_grid


class SimulatedRisk(NamedTuple):
    """Mean excess risk over repeats, its standard error, and the value of every repeat."""

    mean: float
    standard_error: float
    values: np.ndarray


def simulate_excess_risk(classifier, problem, n, repeats, *, rng, n_jobs=1, progress=False):
    """Fit the classifier to `repeats` fresh samples of n people and average the exact excess risk of each fit.

    Only the sample and the noise are random: given a fit, the risk is an exact
    integral over the cells. `n_jobs` workers share the repeats (joblib); the
    result depends on `rng` alone. `progress` shows a bar.
    """
    repeats = whole("repeats", repeats, least=2, cure="A standard error needs two repeats.")
    n = whole("n", n, least=2, cure="Both halves of the sample need a person.")
    grid = cell_grid(classifier, problem)
    streams = tqdm(generator(rng).spawn(repeats), disable=not progress, desc="repeats", unit="fit")
    jobs = (delayed(_excess_of_one_fit)(classifier, problem, n, grid, stream) for stream in streams)
    values = np.array(Parallel(n_jobs=n_jobs)(jobs))
    return SimulatedRisk(values.mean(), values.std(ddof=1) / np.sqrt(repeats), values)


def _excess_of_one_fit(classifier, problem, n, grid, rng):
    X, y = problem.sample(n, rng=rng)
    rule = clone(classifier)
    if "rng" in rule.get_params():
        rule.set_params(rng=rng)
    says_one = rule.fit(X, y).predict((grid.lower + grid.upper) / 2) == 1
    return grid.gain_one[~says_one].sum() + grid.gain_zero[says_one].sum()

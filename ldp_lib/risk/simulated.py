"""Simulated excess risk: the check on the exact one, with its standard error."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from tqdm.auto import tqdm

from ldp_lib._arguments import generator, whole
from ldp_lib.risk.exact import cell_gains, cell_law


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
    law = cell_law(classifier, problem, n)
    gains = cell_gains(problem, law.lower, law.upper)
    centres = (law.lower + law.upper) / 2
    streams = tqdm(generator(rng).spawn(repeats), disable=not progress, desc="repeats", unit="fit")
    jobs = (delayed(_excess_of_one_fit)(classifier, problem, n, centres, gains, stream) for stream in streams)
    values = np.array(Parallel(n_jobs=n_jobs)(jobs))
    return SimulatedRisk(values.mean(), values.std(ddof=1) / np.sqrt(repeats), values)


def _excess_of_one_fit(classifier, problem, n, centres, gains, rng):
    X, y = problem.sample(n, rng=rng)
    rule = clone(classifier)
    if "rng" in rule.get_params():
        rule.set_params(rng=rng)
    says_one = rule.fit(X, y).predict(centres) == 1
    gain_one, gain_zero = gains
    return gain_one[~says_one].sum() + gain_zero[says_one].sum()

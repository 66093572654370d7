"""What the stability histogram loses: exact mean errors of its counts and of the density built on them.

Given a count c > 0, chat = W = c + noise where W >= tau and 0 elsewhere, so that for any target x

    E|chat - x| = |x| P(W < tau) + E[|W - x|; W >= tau],

a closed form in the tail and the mean excess of the noise. Counts in a cell are binomial, cells are added up:
nothing is simulated.
"""

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import reals, require_memory, together, whole
from ldp_lib.estimation import StableHistogramDensity
from ldp_lib.estimation.majority import default_side
from ldp_lib.nature import Problem
from ldp_lib.privacy.central import central_noise, stability_threshold

NEGLECTED = 1e-16
"""Binomial counts with less probability than this in either tail are left out."""


def mean_count_error(counts: ArrayLike, epsilon: float, delta: float, *, target: ArrayLike | None = None,
                     threshold: str = "sufficient", noise: str = "lattice") -> float | np.ndarray:
    """E|chat - target| of `ldp_lib.privacy.stability_histogram`, exact; arrays broadcast together.

    counts : whole numbers >= 0.  target : >= 0, the counts themselves by default.  The rest as there.

    >>> float(mean_count_error(1, 1.0, 1e-6))      # one person is lost for almost certain
    1.00002...
    """
    counts = reals("counts", counts, least=0, integer=True)
    target = counts if target is None else reals("target", target, least=0)
    counts, target = together(counts=counts, target=target)
    return count_error(counts, target, central_noise(epsilon, noise),
                       stability_threshold(epsilon, delta, threshold=threshold, noise=noise))


def count_error(counts, target, law, tau):
    """E|released - target| where counts get noise of this law and are zeroed below tau; exact, any shape."""
    shown = law.tail(tau - counts)
    # E[(W - tau)^+] and then from tau to the target.
    above = law.mean_excess(tau - counts) + (tau - target) * shown
    # E[|W - x|; W >= tau] = E(W - x)^+ + E(x - W)^+ - E(tau - W)^+ - (x - tau) P(W < tau) for x > tau.
    around = (law.mean_excess(target - counts) + law.mean_excess(counts - target)
              - law.mean_excess(counts - tau) - (target - tau) * (1 - shown))
    error = target * (1 - shown) + np.where(target <= tau, above, around)
    return np.where(counts > 0, error, target)[()]


def expected_l1_error(estimator: StableHistogramDensity, problem: Problem, n: int) -> float:
    """E of the integral of |f - fhat| for Algorithm 3 with n people, exact; fhat as printed, not normalised.

    estimator : a `StableHistogramDensity` with normalise=False; only its parameters count.
    problem : from `ldp_lib.nature.problem`, with a density that is constant on bins (`density_bins`): "sine",
        "checkerboard", "cps".  n : number of people in all.

    >>> from ldp_lib.nature import problem
    >>> rule = StableHistogramDensity(1.0, 10.0**6 * 2.0**-1000, normalise=False)
    >>> round(expected_l1_error(rule, problem("sine"), 10**6), 6)
    1.0
    """
    if not isinstance(estimator, StableHistogramDensity) or estimator.normalise:
        raise TypeError(f"estimator = {estimator!r:.60} is no StableHistogramDensity with normalise=False.")
    if not isinstance(problem, Problem) or problem.density_bins is None:
        raise TypeError(f"problem = {problem!r:.60} has no density constant on bins; try \"sine\".")
    n = whole("n", n, most=10**11)
    side = default_side(n, problem.d) if estimator.side is None else estimator.side
    p, height, volume = _pieces(problem, side)
    # Pieces alike in everything are counted together: for a uniform law there are two kinds.
    kinds, inverse = np.unique(np.round(np.column_stack([p, height]), 14), axis=0, return_inverse=True)
    volume = np.bincount(inverse.ravel(), volume)
    error = [_mean_error(n, *kind, side**problem.d, estimator) for kind in kinds]
    return float(volume @ error)


def _pieces(problem, side):
    """Intersections of cubes and bins: mass of the cube, density and volume of each, (k,)."""
    edges, outer = [], []
    for bins in problem.density_bins:
        # Beyond the domain the last cube has no people, but an estimate.
        last = side * np.ceil(1 / side - 1e-9)
        cubes = side * np.arange(round(last / side) + 1)
        axis = np.unique(np.round(np.concatenate([cubes, np.arange(bins + 1) / bins]), 14))
        edges.append(axis)
        outer.append(axis[:-1])
    size = np.prod([float(len(axis)) for axis in edges])
    require_memory("The pieces of cubes and bins", 200.0 * size, "Increase side.")
    low = np.stack(np.meshgrid(*outer, indexing="ij"), axis=-1).reshape(-1, problem.d)
    high = np.stack(np.meshgrid(*[axis[1:] for axis in edges], indexing="ij"), axis=-1).reshape(-1, problem.d)
    middle = (low + high) / 2
    cube = np.floor(middle / side)
    p, _ = problem.cell_masses(cube * side, (cube + 1) * side)
    return p, problem.density(middle), (high - low).prod(axis=1)


def _mean_error(n, p, height, volume, estimator):
    """E|height - chat/(n volume)| in a cube of that volume, the count being binomial(n, p)."""
    from scipy.stats import binom  # 46 MiB, which a panel does not need

    scale = n * volume
    counts = np.arange(binom.ppf(NEGLECTED, n, p), binom.isf(NEGLECTED, n, p) + 1) if p > 0 else np.zeros(1)
    error = mean_count_error(np.maximum(counts, 0), estimator.epsilon, estimator.delta, target=height * scale,
                             threshold=estimator.threshold, noise=estimator.noise)
    return binom.pmf(np.maximum(counts, 0), n, min(p, 1.0)) @ error / scale

"""Crowds too large to hold: aggregates drawn from their law, or collected in parts on several machines."""

import math
from collections.abc import Iterable

import numpy as np
from joblib import Parallel, delayed

from ldp_lib._arguments import generator, whole
from ldp_lib.nature import Problem
from ldp_lib.privacy import Aggregate, CellAggregate, CellLaplace, CubeLaplace
from ldp_lib.privacy.cell import CellMechanism


def simulate_crowd(mechanism, problem, n, *, rng):
    """The aggregate of n people from `problem` who report to `mechanism`, at cost O(K) whatever n is.

    mechanism : `CellLaplace` or `CubeLaplace`.

    The head counts of all cells and labels are multinomial with exact probabilities, and the sum of all noise
    is one draw a cell: the law of `mechanism.simulate_aggregate(*problem.sample(n))`, drawn in floating
    point. For cubes the cells are those between the grid lines, where nobody may live with positive
    probability; a cube is made of 2^d of them.

    >>> from ldp_lib.nature import problem
    >>> simulate_crowd(CellLaplace(1.0, 0.25), problem("sine"), 10**9, rng=1).people
    1000000000
    """
    if not isinstance(mechanism, CellLaplace | CubeLaplace):
        raise TypeError(f"mechanism = {mechanism!r:.60} is a {type(mechanism).__name__}; it must be a "
                        "CellLaplace or a CubeLaplace: only independent noise has a sum that is one draw a "
                        "cell.")
    if not isinstance(problem, Problem):
        raise TypeError(f"problem = {problem!r:.60} is a {type(problem).__name__}; build one, for example "
                        'with ldp_lib.nature.problem("sine").')
    n, rng = whole("n", n, most=10**15), generator(rng)
    if isinstance(mechanism, CubeLaplace):
        return _simulate_cubes(mechanism, problem, n, rng)
    p, q = problem.cell_masses(*mechanism.boxes())
    odds = np.concatenate([q, p - q])
    ones, zeros = np.split(rng.multinomial(n, odds / odds.sum()), 2)
    return CellAggregate(n, mechanism.add_noise((ones - zeros) / 2, n, rng), repr(mechanism))


def _simulate_cubes(mechanism, problem, n, rng):
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    between = tuple(points - 1 for points in mechanism.shape)
    low = mechanism.h * np.stack(np.unravel_index(np.arange(math.prod(between)), between), axis=1)
    totals = np.empty((2, mechanism.K))
    for row, mass in zip(totals, problem.cell_masses(low, np.minimum(low + mechanism.h, 1.0)), strict=True):
        counts = rng.multinomial(half, np.append(mass, max(0.0, 1 - mass.sum())))[:-1].reshape(between)
        for axis in range(mechanism.d):
            edge = [(0, 0)] * mechanism.d
            edge[axis] = (1, 1)
            counts = np.pad(counts, edge)
            counts = counts.take(range(1, counts.shape[axis]), axis) + counts.take(
                range(counts.shape[axis] - 1), axis)
        row[:] = counts.ravel() + mechanism.noise.sample_sum(half, mechanism.K, rng)
    return Aggregate((half, half), totals, repr(mechanism))


def collect(mechanism, parts, *, rng, n_jobs=None):
    """The aggregate of the reports of people in many places, merged: one total of all parts.

    mechanism : `CellLaplace`, `HadamardBit` or `SignedSubset`.
    parts : functions without arguments, each returning the (X, y) of one place. They run where the work is
        done: data stay there, and only sums of reports travel.
    n_jobs : workers, for joblib; None is 1, or what `joblib.parallel_config` says. With backend="dask" they
        are those of a dask.distributed cluster (`pip install ldp-lib[cluster]`).

    Every part has its own random stream, spawned from `rng`: who does the work, how often a part had to be
    repeated because a worker died, and in which order parts come back make no difference to a bit, since sums
    of lattice reports are exact.
    """
    if not isinstance(mechanism, CellMechanism):
        raise TypeError(f"mechanism = {mechanism!r:.60} is a {type(mechanism).__name__}; it must be a "
                        "CellLaplace, HadamardBit or SignedSubset.")
    places = list(parts) if isinstance(parts, Iterable) else []
    if not places or not all(map(callable, places)):
        raise TypeError(f"parts = {parts!r:.60} must be functions without arguments, one or more, each "
                        "returning the (X, y) of one place.")
    streams = generator(rng).spawn(len(places))
    work = (delayed(_collect_part)(mechanism, part, stream)
            for part, stream in zip(places, streams, strict=True))
    first, *others = Parallel(n_jobs=n_jobs)(work)
    return first.merge(*others)


def _collect_part(mechanism, part, rng):
    data = part()
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise TypeError(f"parts has {part!r:.60}, which returned {data!r:.60}; every part must return a pair "
                        "(X, y).")
    return mechanism.aggregate(mechanism.privatize_blocks(*data, rng=rng))

"""A crowd that stays the same while n, h and alpha move: private fits with common random numbers.

Moving a slider must change the picture because the *law* changes, not because new
people and new noise were drawn. Person number i and the noise at grid point j are
therefore fixed for good, and n, h and alpha only decide how much of them is used:

* n people are the first n of a million, counted once per n in a table of fine
  bins; cubes of any bandwidth are sums over the table. Features are recorded on
  this public grid (4096 steps in one dimension, 256 in two), so that a small
  cube may hold a few people more or less than its own. The survey's first
  215,574 are its people without replacement.
* The noise of a sum of n reports is b (G - G'), two Gamma(n) quantiles at fixed
  uniform levels: the exact law of the noise at each n, alpha and h, continuous in alpha.
  The noise is real, not on the lattice: a lattice that changed with alpha would
  jump, and nobody's data leave this room.
"""

from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv

from ldp_lib.nature import problem
from ldp_lib.privacy import Aggregate, CubeLaplace

PEOPLE = 2**20
"""Size of the crowd."""
STEPS = {1: 4096, 2: 256}
"""Steps of the public grid on which features are recorded, per axis, by dimension."""
FINEST = 0.03
"""Smallest bandwidth that the noise is kept for."""
SHOWN = 240
"""People whose very features are kept, to be drawn."""
SEED = 12
"""Chosen so that the first picture of notebook 02, one random fit, is a typical one: about as accurate as the
mean."""


class Crowd:
    """Up to a million people of one problem and the noise at every grid point.

    Those of the survey problem are every surveyed person once, then persons drawn from the survey again. Only
    recorded features are kept; `shown` is (X, y) of the first few people as they are.
    """

    def __init__(self, law):
        rng = np.random.default_rng(SEED)
        if hasattr(law, "people"):
            X, y = law.people(rng=rng)
            more, labels = law.sample(PEOPLE - len(y), rng=rng)
            X, y = np.concatenate([X, more]), np.concatenate([y, labels])
        else:
            X, y = law.sample(PEOPLE, rng=rng)
        self.law, self.shown = law, (X[:SHOWN].copy(), y[:SHOWN].copy())
        self.steps = STEPS[law.d]
        bins = np.clip((X * self.steps).astype(np.int32), 0, self.steps - 1)
        self._bins = np.ravel_multi_index(tuple(bins.T), (self.steps,) * law.d).astype(np.int32)
        self._labels = y.astype(np.int8)
        points = CubeLaplace(1.0, FINEST, law.d).shape
        levels = rng.random((2, 2, *points))
        self._levels = lru_cache(maxsize=64)(lambda draw: np.random.default_rng(
            (SEED, draw)).random(levels.shape) if draw else levels)
        self._tables = lru_cache(maxsize=6)(self._count)
        self._gammas = lru_cache(maxsize=64)(self._noise)

    def recorded(self, n):
        """(X, y) of the first n people, (n, d) and (n,): features as recorded, the middles of their bins."""
        bins = np.stack(np.unravel_index(self._bins[:n], (self.steps,) * self.law.d), axis=1)
        return (bins + 0.5) / self.steps, self._labels[:n].astype(int)

    def _count(self, half):
        """Cumulative tables of the first `half` people of either half: all of them, those with label 1."""
        # Odd and even people make the two halves, so that more people extend both.
        first, second = self._bins[: 2 * half].reshape(-1, 2).T
        tables = []
        for flat in (first, second[self._labels[1 : 2 * half : 2] == 1]):
            table = np.bincount(flat, minlength=self.steps**self.law.d).astype(np.int32)
            table = table.reshape((self.steps,) * self.law.d)
            for axis in range(self.law.d):
                table = table.cumsum(axis, dtype=np.int32)
            tables.append(np.pad(table, [(1, 0)] * self.law.d))
        return tables

    def _noise(self, half, draw=0):
        """Sum of `half` Laplace(1) noises at every grid point, for either half of the people."""
        up, down = gammaincinv(half, self._levels(draw).swapaxes(0, 1))
        return up - down

    def aggregate(self, mechanism, n, draw=0):
        """What the analyst gets from the first n people, an `Aggregate`: recorded features, noise of exact
        law; `draw`, a whole number, names another draw of all of the noise, None is none."""
        half = n // 2
        edges = np.arange(-1, mechanism.shape[0] + 1) * mechanism.h
        # A bin counts for a cube if its centre lies in the open cube.
        low = np.clip(np.floor(edges[:-2] * self.steps + 0.5), 0, self.steps).astype(int)
        high = np.clip(np.ceil(edges[2:] * self.steps - 0.5), 0, self.steps).astype(int)
        totals = np.empty((2, mechanism.K))
        for row, table in zip(totals, self._tables(half), strict=True):
            for axis in range(self.law.d):
                table = table.take(high, axis) - table.take(low, axis)
            row[:] = table.ravel()
        if draw is not None:
            kept = (slice(None),) + (slice(mechanism.shape[0]),) * self.law.d
            totals += mechanism.scale * self._gammas(half, draw)[kept].reshape(2, -1)
        return Aggregate((half, half), totals, repr(mechanism))


@lru_cache(maxsize=8)
def crowd(name, **params):
    """The crowd of `ldp_lib.nature.problem(name, **params)`. The last eight are kept, 5 MB each and more."""
    return Crowd(problem(name, **params))

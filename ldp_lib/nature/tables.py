"""Piecewise constant laws: people counted on a grid of bins, spread evenly inside each bin.

The survey problem `cps` is one.  Its law is the empirical law of the adults of the Current
Population Survey, with a uniform jitter inside each year of age and each year of schooling.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import generator, points
from ldp_lib.nature.base import Problem
from ldp_lib.nature.surveys import load_cps


class Tabulated(Problem):
    """A law with constant density and constant eta on each bin of a regular grid of [0, 1]^d.

    Parameters
    ----------
    people : array of shape (m_1, ..., m_d), weights >= 0 of the m_1 ... m_d bins; counts, for example
    positive : array of the same shape, the part of each weight that has Y = 1
    """

    def __init__(self, name, people, positive, params):
        self._people = np.asarray(people, dtype=float)
        self._positive = np.asarray(positive, dtype=float)
        self._bins = np.array(self._people.shape)
        self._total = self._people.sum()
        self._cumulative = self._accumulate()
        super().__init__(name, self._people.ndim, params)

    @property
    def density_bins(self):
        """Numbers of bins on the axes."""
        return self._people.shape

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,).

        In a bin without people, where it may be anything, it is 1/2; outside the domain it is that of
        the nearest bin.
        """
        bins = self._bin(points("X", X, self.d))
        people, positive = self._people[bins], self._positive[bins]
        return np.divide(positive, people, out=np.full(len(people), 0.5), where=people > 0)

    def density(self, X):
        """Density of X at each row, shape (n, d) -> (n,)."""
        X = points("X", X, self.d)
        inside = ((X >= 0.0) & (X <= 1.0)).all(axis=1)
        return inside * self._people[self._bin(X)] * (self._bins.prod() / self._total)

    def _bin(self, X):
        return tuple(np.clip(np.floor(np.clip(X, 0.0, 1.0) * self._bins), 0, self._bins - 1).astype(int).T)

    def _draw(self, n, rng):
        flat = rng.choice(self._people.size, size=n, p=self._people.ravel() / self._total)
        label = rng.random(n) * self._people.flat[flat] < self._positive.flat[flat]
        return self._jitter(np.column_stack(np.unravel_index(flat, self._people.shape)), rng), label

    def _jitter(self, bins, rng):
        """A uniform point of each bin, shape (n, d) of bin numbers -> (n, d)."""
        return (bins + rng.random(bins.shape)) / self._bins

    def _accumulate(self):
        """Weight below every grid corner: of all, of Y = 1, and of |2 eta - 1|; shape (m_1 + 1, ..., 3)."""
        margin = np.abs(2.0 * self._positive - self._people)
        tables = np.stack((self._people, self._positive, margin), axis=-1)
        for axis in range(self._people.ndim):
            tables = tables.cumsum(axis=axis)
        return np.pad(tables, [(1, 0)] * self._people.ndim + [(0, 0)])

    def _box_sums(self, lower, upper):
        """The three weights of each box, shape (..., d) -> (..., 3).

        Under a piecewise constant density the cumulative table is multilinear between corners, and a
        box takes, on every axis, its value at the upper edge minus its value at the lower edge.
        """
        terms = []
        for axis in range(self.d):
            terms.append([])
            for edge, sign in ((upper, 1.0), (lower, -1.0)):
                position = edge[..., axis] * self._bins[axis]
                corner = np.minimum(position.astype(int), self._bins[axis] - 1)
                share = position - corner
                terms[-1] += [(corner, sign * (1.0 - share)), (corner + 1, sign * share)]
        sums = 0.0
        for corners in product(*terms):
            weight = np.prod([share for _, share in corners], axis=0)
            sums = sums + weight[..., None] * self._cumulative[tuple(corner for corner, _ in corners)]
        return sums / self._total

    def _masses(self, lower, upper):
        sums = self._box_sums(lower, upper)
        return sums[..., 0], sums[..., 1]

    def _margin(self, lower, upper):
        return self._box_sums(lower, upper)[..., 2]


class Feature(NamedTuple):
    """A survey column of whole years `first`, ..., `first` + `years` - 1."""

    column: str
    first: int
    years: int


FEATURES = {"age": Feature("age", 18, 73), "education": Feature("edu_years", 0, 21)}


class CurrentPopulationSurvey(Tabulated):
    """Full-year work (50 weeks or more) of the 215,574 adults of the CPS 1994-95.

    `features` is ("age",), ("education",) or both; with U uniform on [0, 1), age becomes
    (age - 18 + U) / 73 and years of schooling (years + U) / 21.  The law of a person picked at
    random from the survey is taken as the truth, so that the Bayes risk is known.
    """

    def __init__(self, features=("age",)):
        legal = ", ".join(map(repr, FEATURES))
        if isinstance(features, str) or not features or any(feature not in FEATURES for feature in features):
            raise ValueError(f"features = {features!r:.60} is not a tuple of some of {legal}; try ('age',).")
        features = tuple(features)
        if len(set(features)) < len(features):
            raise ValueError(f"features = {features!r:.60} names a feature twice; name each at most once.")
        survey = load_cps()
        columns = [FEATURES[feature] for feature in features]
        self._rows = np.column_stack([getattr(survey, column.column) - column.first for column in columns])
        self._labels, self._counts = survey.full_year, survey.count
        shape = [column.years for column in columns]
        people, positive = np.zeros(shape), np.zeros(shape)
        np.add.at(people, tuple(self._rows.T), self._counts)
        np.add.at(positive, tuple(self._rows.T), self._counts * self._labels)
        super().__init__("cps", people, positive, {"features": features})

    def people(self, *, rng):
        """Everybody in the survey once, in random order and with fresh jitter.

        Returns `X` of shape (215574, d) and `y` of shape (215574,).
        """
        rng = generator(rng)
        row = rng.permutation(np.repeat(np.arange(len(self._counts)), self._counts))
        return self._jitter(self._rows[row], rng), self._labels[row]

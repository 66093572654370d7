"""Real people as tables of counts: full-year work by age and schooling, flight departures by minute.

The files live in the folder `data/` of a checkout, and in a wheel inside the
package; its `README.md` says where they come from and what they cannot tell.
`data/build.py` of a checkout rebuilds them.

People counted on a grid of bins and spread evenly inside each bin are a piecewise constant law, `Tabulated`.
The problem `cps` is one: the empirical law of the adults of the Current Population Survey, with a uniform
jitter inside each year of age and each year of schooling.
"""

import gzip
import hashlib
import zlib
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from ldp_lib._arguments import generator, points
from ldp_lib.nature.base import Problem, over_boxes

_PACKAGE = Path(__file__).resolve().parents[1]
DATA_FOLDER = (_PACKAGE if (_PACKAGE / "data").is_dir() else _PACKAGE.parent) / "data"
"""Inside the package if it came in a wheel, else beside it."""

CURE = "Run `python data/build.py` in a checkout of the repository to rebuild it, or install the wheel again."

CHECKSUMS = {
    "cps_full_year.csv.gz": "326a4c80e0b8b6920db8ea7255d92a95309c6d3b899e1ecbc2d4b0b38a558753",
    "departures.csv.gz": "307de13acde26e9fdb7013aed312fe5677a6d6ad5927085c3f313eaa8826e21e",
}
"""sha256 of each uncompressed table of a survey (compressors differ between machines, tables do not)."""


class FullYearWork(NamedTuple):
    """Adults of the Current Population Survey 1994-95, counted; four int64 arrays of shape (1907,).

    Rows are sorted by age, then schooling, then label; no combination occurs twice.
    """

    age: np.ndarray
    """Age in years, 18 to 90 (90 stands for 90 or older)."""
    edu_years: np.ndarray
    """Years of schooling, 0 to 20."""
    full_year: np.ndarray
    """Label: 1 = worked 50 weeks or more in the year before the interview, else 0."""
    count: np.ndarray
    """Number of people with these three values; 215,574 in all."""


class Departures(NamedTuple):
    """Departures from New York City's three airports in 2013; three int64 arrays of shape (1440,)."""

    minute: np.ndarray
    """Minute of the local day, 0 to 1439."""
    scheduled: np.ndarray
    """Flights that were to leave in that minute; 336,776 in all."""
    actual: np.ndarray
    """Flights that did leave in that minute; 328,521 in all."""


def load_cps() -> FullYearWork:
    """Return the survey table of full-year work (U.S. Census Bureau, public domain).

    Returns
    -------
    FullYearWork
        Columns `age`, `edu_years`, `full_year` and `count`, four int64 arrays of length 1907 that cannot be
        written to. The counts are of people, 215,574 in all.

    Raises
    ------
    FileNotFoundError
        The file is missing; the message says how to rebuild it.
    ValueError
        The file is not the published one; the message says how to rebuild it.

    Examples
    --------
    >>> table = load_cps()
    >>> int(table.count.sum())
    215574
    """
    return _table(FullYearWork, "cps_full_year.csv.gz")


def load_departures() -> Departures:
    """Return the table of flight departures by minute of the day (Bureau of Transportation Statistics, CC0).

    Returns
    -------
    Departures
        Columns `minute`, `scheduled` and `actual`, three int64 arrays of shape (1440,) that cannot be written
        to. The last two count flights.

    Raises
    ------
    FileNotFoundError
        The file is missing; the message says how to rebuild it.
    ValueError
        The file is not the published one; the message says how to rebuild it.

    Examples
    --------
    >>> table = load_departures()
    >>> int(table.scheduled.sum()), int(table.actual.sum())
    (336776, 328521)
    """
    return _table(Departures, "departures.csv.gz")


def flights():
    """When the flights of `load_departures` left, in days from midnight: the middle of their minute, shape
    (328521,)."""
    table = load_departures()
    return np.repeat((table.minute + 0.5) / 1440, table.actual)


def _table(kind, name):
    """One table as a `kind` of int64 arrays that cannot be written to."""
    return kind(**_columns(read_table(name)))


@lru_cache(maxsize=2)  # a law asks for its table whenever it is built, and a picture builds one
def _columns(content):
    """The columns of a file's bytes, by name."""
    header, *rows = content.decode("ascii").splitlines()
    columns = np.array([row.split(",") for row in rows]).astype(np.int64).T.copy()
    columns.setflags(write=False)
    return dict(zip(header.split(","), columns, strict=True))


def read_table(name):
    """Return the bytes of the file `name` of the data folder, uncompressed; a survey is verified."""
    path = DATA_FOLDER / name
    if not path.is_file():
        raise FileNotFoundError(f"the data file {path} is missing. {CURE}")
    if name not in CHECKSUMS:
        return path.read_bytes()
    try:
        table = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:  # no gzip file, a truncated one, a damaged one
        raise ValueError(f"{path} is not a complete gzip file ({error}). {CURE}") from error
    if hashlib.sha256(table).hexdigest() != CHECKSUMS[name]:
        raise ValueError(f"{path} differs from the published table (see data/README.md). {CURE}")
    return table


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
        self.density_bins = self._people.shape
        self._bins = np.array(self.density_bins)
        self._total = self._people.sum()
        self.name, self.d, self.params = name, self._people.ndim, params
        # Weight below every grid corner: of all, of Y = 1, and of |2 eta - 1|; shape (m_1 + 1, ..., 3).
        margin = np.abs(2.0 * self._positive - self._people)
        tables = np.stack((self._people, self._positive, margin), axis=-1)
        for axis in range(self.d):
            tables = tables.cumsum(axis=axis)
        edges = [np.linspace(0.0, 1.0, bins + 1) for bins in self.density_bins]
        # Under a piecewise constant density the cumulative table is multilinear between corners.
        below = np.pad(tables, [(1, 0)] * self.d + [(0, 0)])
        self._below = scipy.interpolate.RegularGridInterpolator(edges, below)

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,).

        In a bin without people, where it may be anything, it is 1/2; outside the domain it is that of
        the nearest bin.
        """
        bins = self._bin(points("X", X, self.d))
        people, positive = self._people[bins], self._positive[bins]
        return np.divide(positive, people, out=np.full(len(people), 0.5), where=people > 0)

    def _density(self, X):
        return self._people[self._bin(X)] * (self._bins.prod() / self._total)

    def _bin(self, X):
        return tuple(np.clip(np.floor(np.clip(X, 0.0, 1.0) * self._bins), 0, self._bins - 1).astype(int).T)

    def _draw(self, n, rng):
        flat = rng.choice(self._people.size, size=n, p=self._people.ravel() / self._total)
        label = rng.random(n) * self._people.flat[flat] < self._positive.flat[flat]
        bins = np.column_stack(np.unravel_index(flat, self._people.shape))
        return self._jitter(bins, rng), label.astype(np.int64)

    def _jitter(self, bins, rng):
        """A uniform point of each bin, shape (n, d) of bin numbers -> (n, d)."""
        return (bins + rng.random(bins.shape)) / self._bins

    def _masses(self, lower, upper):
        sums = over_boxes(self._below, lower, upper).reshape(*lower.shape[:-1], 3)
        return np.moveaxis(sums / self._total, -1, 0)


FEATURES = {"age": ("age", 18, 73), "education": ("edu_years", 0, 21)}
"""Name -> column of the survey, its first year and the number of its years."""


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
        columns, firsts, years = zip(*(FEATURES[feature] for feature in features))
        self._rows = np.column_stack([getattr(survey, column) for column in columns]) - firsts
        self._labels, self._counts = survey.full_year, survey.count
        people, positive = np.zeros(years), np.zeros(years)
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


@cache
def cast():
    """The 144 persons of the notebooks: `X`, (144, 2), age and schooling in [0, 1], and `y`, (144,).

    Every 1,497th of the surveyed in the order of age. The first of them was chosen so that the 144 are like
    all: 73 have label 1 (50.7%), and the best rule that knows the age is right for 100 (69.4%, all: 69.3%).
    """
    X, y = CurrentPopulationSurvey(("age", "education")).people(rng=0)
    chosen = np.lexsort(X.T[::-1])[((np.arange(144) + 0.768) / 144 * len(y)).astype(int)]
    X, y = X[chosen], y[chosen]
    for kept in (X, y):  # for everybody who asks
        kept.setflags(write=False)
    return X, y

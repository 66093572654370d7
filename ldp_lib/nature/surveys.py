"""Real people as tables of counts: full-year work by age and schooling, flight departures by minute.

The files live in the folder `data/` of a checkout, and in a wheel inside the
package; its `README.md` says where they come from and what they cannot tell.
`data/build.py` of a checkout rebuilds them.
"""

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

_PACKAGE = Path(__file__).resolve().parents[1]
DATA_FOLDER = (_PACKAGE if (_PACKAGE / "data").is_dir() else _PACKAGE.parent) / "data"
"""Inside the package if it came in a wheel, else beside it."""

CURE = "Run `python data/build.py` in a checkout of the repository to rebuild it, or install the wheel again."

CHECKSUMS = {
    "cps_full_year.csv.gz": "326a4c80e0b8b6920db8ea7255d92a95309c6d3b899e1ecbc2d4b0b38a558753",
    "departures.csv.gz": "307de13acde26e9fdb7013aed312fe5677a6d6ad5927085c3f313eaa8826e21e",
    "laboratory_audits.csv.gz": "6ce4568895acb49374c8d2010e7329e8e8687b73b8d3f1002133d9774abaa5d8",
}
"""sha256 of each uncompressed table (compressors differ between machines, tables do not); the last holds the
audits of `ldp_lib.live.laboratory_audits`."""


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


def load_cps():
    """Return the survey table `FullYearWork` (U.S. Census Bureau, public domain).

    Raises FileNotFoundError if the file is missing and ValueError if it is not
    the published one; both say how to rebuild it.

    >>> table = load_cps()
    >>> int(table.count.sum())
    215574
    """
    return FullYearWork(*_columns("cps_full_year.csv.gz", FullYearWork._fields))


def load_departures():
    """Return the table `Departures` (Bureau of Transportation Statistics, CC0).

    Raises FileNotFoundError if the file is missing and ValueError if it is not
    the published one; both say how to rebuild it.

    >>> table = load_departures()
    >>> int(table.scheduled.sum()), int(table.actual.sum())
    (336776, 328521)
    """
    return Departures(*_columns("departures.csv.gz", Departures._fields))


def flights():
    """When the flights of `load_departures` left, in days from midnight: the middle of their minute, shape
    (328521,)."""
    table = load_departures()
    return np.repeat((table.minute + 0.5) / 1440, table.actual)


def _columns(name, fields):
    """Return the columns of one table as int64 arrays that cannot be written to."""
    header, *rows = read_table(name).decode("ascii").splitlines()
    if header != ",".join(fields):
        raise ValueError(f"{name} has the columns {header}, not {','.join(fields)}.")
    columns = np.array([row.split(",") for row in rows]).astype(np.int64).T.copy()
    columns.setflags(write=False)
    return columns


def read_table(name):
    """Return the bytes of the uncompressed table `name`, a key of `CHECKSUMS`, verified."""
    path = DATA_FOLDER / name
    if not path.is_file():
        raise FileNotFoundError(f"the data file {path} is missing. {CURE}")
    try:
        table = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:  # no gzip file, a truncated one, a damaged one
        raise ValueError(f"{path} is not a complete gzip file ({error}). {CURE}") from error
    if hashlib.sha256(table).hexdigest() != CHECKSUMS[name]:
        raise ValueError(f"{path} differs from the published table (see data/README.md). {CURE}")
    return table

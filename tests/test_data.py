"""The committed tables: their counts, their description, and the program that builds them."""

import gzip
import importlib.util
import math
import re

import numpy as np
import pytest

from ldp_lib.lessons.computed import TABLES
from ldp_lib.nature import load_cps, load_departures, surveys
from ldp_lib.privacy.audit import EpsilonBound


@pytest.fixture(scope="module")
def build(repository):
    """Return data/build.py as a module."""
    spec = importlib.util.spec_from_file_location("build", repository / "data" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_survey_counts():
    table = load_cps()
    assert len(table.count) == 1907
    assert table.count.sum() == 215_574
    assert table.count.min() >= 1
    assert (table.age.min(), table.age.max()) == (18, 90)
    assert (table.edu_years.min(), table.edu_years.max()) == (0, 20)
    assert table.count[table.full_year == 1].sum() == 109_244
    assert set(table.full_year) == {0, 1}
    rows = list(zip(table.age, table.edu_years, table.full_year, strict=True))
    assert rows == sorted(set(rows))


def test_departure_counts():
    table = load_departures()
    np.testing.assert_array_equal(table.minute, np.arange(1440))
    assert (table.scheduled.sum(), table.actual.sum()) == (336_776, 328_521)
    assert table.scheduled.min() >= 0 and table.actual.min() >= 0


@pytest.mark.parametrize("load", [load_cps, load_departures])
def test_columns_are_read_only_integers(load):
    for column in load():
        assert column.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_readme_describes_the_files(repository):
    readme = (repository / "data" / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w.]+)` \|.*\| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    assert listed == surveys.CHECKSUMS
    assert {path.name for path in (repository / "data").glob("*.gz")} == set(surveys.TABLES)
    for number in ("1,907", "215,574", "109,244", "1,440", "336,776", "328,521", "8,255", "299,285"):
        assert number in readme


def test_readme_states_the_map_of_schooling(repository, build):
    readme = (repository / "data" / "README.md").read_text(encoding="utf-8")
    assert set(load_cps().edu_years) == set(build.YEARS_OF_SCHOOLING.values())
    for answer, years in build.YEARS_OF_SCHOOLING.items():
        words = answer.split("(")[0].strip()
        if words.startswith("Associates"):
            words = "Associates degree, vocational or academic"
        words = words.replace("Prof school", "Professional school")
        assert re.search(rf"\| {re.escape(words)} \| {years} \|", readme), words


def test_a_missing_file_names_the_cure(tmp_path, monkeypatch):
    monkeypatch.setattr(surveys, "DATA_FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"cps_full_year\.csv\.gz is missing.*data/build\.py"):
        load_cps()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda packed: packed[:-20], id="truncated"),
        pytest.param(lambda packed: b"age" + packed, id="not gzip"),
        pytest.param(lambda packed: packed[:100] + bytes(100) + packed[200:], id="overwritten"),
        pytest.param(lambda packed: gzip.compress(gzip.decompress(packed)[:-5]), id="rows missing"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, monkeypatch, repository, damage):
    name = "cps_full_year.csv.gz"
    (tmp_path / name).write_bytes(damage((repository / "data" / name).read_bytes()))
    monkeypatch.setattr(surveys, "DATA_FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"data/build\.py"):
        load_cps()


def test_tables_are_sorted_and_carry_no_time(tmp_path, build):
    rows = [(2, 1), (1, 30), (1, 4)]
    checksum = build.write_table(tmp_path / "first.csv.gz", ("a", "b"), rows)
    assert checksum == build.write_table(tmp_path / "second.csv.gz", ("a", "b"), rows[::-1])
    first = (tmp_path / "first.csv.gz").read_bytes()
    assert first == (tmp_path / "second.csv.gz").read_bytes()
    assert gzip.decompress(first) == b"a,b\n1,4\n1,30\n2,1\n"
    assert first[4:8] == bytes(4)  # the field of the gzip header that holds the time


def test_the_survey_is_reduced_to_adults(build):
    def person(age, education, weeks):
        row = ["?"] * 42
        row[0], row[4], row[39] = age, education, weeks
        return row

    rows = [
        person("17", "11th grade", "52"),
        person("18", "11th grade", "50"),
        person("18", "11th grade", "49"),
        person("18", "11th grade", "52"),
        person("90", "Doctorate degree(PhD EdD)", "0"),
    ]
    assert build.count_full_year(rows) == (5, {(18, 11, 1): 2, (18, 11, 0): 1, (90, 20, 0): 1})
    with pytest.raises(ValueError, match="41 columns"):
        build.count_full_year([["18"] * 41])


def test_departures_are_counted_by_minute(build):
    rows = [
        {"sched_dep_time": "2359", "dep_time": "2400"},
        {"sched_dep_time": "517", "dep_time": "NA"},
        {"sched_dep_time": "517", "dep_time": "1"},
    ]
    assert build.count_departures(rows) == ({1439: 1, 317: 2}, {0: 1, 1: 1})


def test_audits_become_rows(build):
    def run(suspect, alpha, n):
        return EpsilonBound(math.inf if suspect == "broken" else alpha / n, 1e-7, f"entry {n} >= {alpha}")

    assert build.audit_rows(("honest", "broken"), (0.5, 1.0), (3,), run) == [
        ("honest", 0.5, 3, "0.1667", "entry 3 >= 0.5"), ("honest", 1.0, 3, "0.3333", "entry 3 >= 1.0"),
        ("broken", 0.5, 3, "inf", "entry 3 >= 0.5"), ("broken", 1.0, 3, "inf", "entry 3 >= 1.0")]


def test_only_tables_that_exist_are_built(build):
    assert {f"{name}.csv.gz" for name in build.BUILDERS if name not in TABLES} == set(surveys.TABLES)
    with pytest.raises(SystemExit, match="no table lab; choose from cps_full_year"):
        build.main(["lab"])


@pytest.mark.parametrize("clock", ["2401", "1260", "-5", "9999"])
def test_times_that_no_clock_shows_are_refused(build, clock):
    with pytest.raises(ValueError, match="not a time of day"):
        build.minute_of_day(clock)

"""Tables that took long to compute: every file is whole, and what is computed anew is what it says."""

from extent import all_rows
import csv
import re
from decimal import Decimal

import pytest

from ldp_lib.lessons.computed import TABLES, Table, table
from ldp_lib.lessons.ldp_check.laboratory import SUSPECTS
from ldp_lib.nature import surveys

CHEAP = {
    "laboratory_audits": [("CubeLaplace", 1.0, 1000), ("half the noise", 8.0, 2000)],
    "elbow_spike": [(6, 10**9), (9, 50_000_000_000)],
    "elbow_scales": [1, 2],
    "beyond_gallery": [("sine", 1.0, 0.05)],
    "beyond_survey": [8.0],
    "price": [0.6],
    "second_question_people": [(4, 2.0, 0.5), (8, 3.0, 0.5)],
    "second_question_power": [(64, 1.0, 0.5, 10_607), (8, 2.0, 0.25, 500), (256, 1.0, 0.5, 42_228)],
    "second_question_questionnaire": [500],
    "second_question_false_alarms": ["the same reports", "the same people again"],
}
"""Keys whose rows take a few seconds together."""
SECONDS = {"beyond_gallery", "beyond_survey", "price", "second_question_questionnaire"}
"""Tables of which one row takes seconds."""
MINUTES = {"beyond_gallery", "laboratory_audits", "price", *(f"second_question_{name}" for name in (
    "people", "power", "questionnaire"))}
"""Tables that take minutes in all."""
FULL = all_rows()


def anew(known, key):
    """Is a row, computed anew, the printed one? Of decimals the last one may differ by a unit: a rounding."""
    parts = key if isinstance(key, tuple) else (key,)
    for kind, word, said in zip(known.columns.values(), known.make(*parts), known.printed[*map(str, parts)],
                                strict=True):
        if kind is float and said != "inf":
            unit = Decimal(10) ** Decimal(said).as_tuple().exponent
            assert abs(Decimal(word) - Decimal(said)) <= unit, key
        else:
            assert word == said, key


@pytest.mark.parametrize("name", TABLES)
def test_the_file_has_its_heading_and_every_row(name, repository):
    known, lines = table(name), (repository / "data" / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    assert (known.name, tuple(lines[:2])) == (name, known.heading)
    assert [row[:len(known.over)] for row in csv.reader(lines[2:])] == [
        [*map(str, key if isinstance(key, tuple) else (key,))] for key in known]
    assert len(known) == len(lines) - 2 == len(list(known.values())) and set(CHEAP) == set(TABLES)


def test_the_readme_counts_the_rows_of_each_table_and_the_names_in_them(repository):
    written = (repository / "data" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\.csv` \|[^|]*\| ([\d,]+) \|", written, re.MULTILINE)
    assert {name: int(count.replace(",", "")) for name, count in rows} == {
        name: len(table(name)) for name in TABLES}
    assert f"a key of `SUSPECTS` | {len(SUSPECTS)} names |" in written


@pytest.mark.parametrize(("name", "key"), [
    pytest.param(name, key, marks=pytest.mark.ci if name in SECONDS else ())
    for name, keys in CHEAP.items() for key in keys])
def test_a_row_is_made_anew(name, key):
    anew(table(name), key)


@pytest.mark.ci
@pytest.mark.parametrize("name", TABLES if FULL else [name for name in TABLES if name not in MINUTES])
def test_every_row_is_made_anew(name):
    for key in table(name):
        anew(table(name), key)


def doubled(place, n):
    """Twice a number."""
    return f"{place}, doubled", f"{2 * n}"


def test_what_is_written_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(surveys, "DATA_FOLDER", tmp_path)
    known = Table("doubles", doubled, {"place": ("a", "b"), "n": (1, 2)}, {"words": str, "twice": int})
    with pytest.raises(FileNotFoundError, match=r"doubles\.csv is missing.*data/build\.py"):
        known["a", 1]
    (tmp_path / "doubles.csv").write_text(known.text(), encoding="utf-8")
    assert known.heading == ("# Twice a number. test_computed.doubled", "place,n,words,twice")
    assert dict(known) == {("a", 1): ("a, doubled", 2), ("a", 2): ("a, doubled", 4),
                           ("b", 1): ("b, doubled", 2), ("b", 2): ("b, doubled", 4)}
    with pytest.raises(KeyError, match=r"doubles\.csv has no row \('c', 1\)"):
        known["c", 1]

"""LECTURERS.md and the talks: every address opens, minutes add up, the glossary names arguments."""

import importlib
import inspect
import re

import nbformat
import pytest
from test_minutes import MULTIPLE, counted, said
from test_notebooks_contract import FILES, FOLDER, NUMBER, number

from ldp_lib.live import panel

STOP = re.compile(r"(?P<minutes>\d+) +(?P<address>\S+) +(?P<say>\S.*[.?!])")


def talks(repository):
    """Each talk: its file, and its lines without comments."""
    for path in sorted((repository / "docs" / "talks").glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield path, [line for line in lines if line and not line.startswith("#")]


@pytest.fixture
def page(repository):
    """LECTURERS.md."""
    return (repository / "LECTURERS.md").read_text(encoding="utf-8")


def test_every_stop_of_every_talk_opens_and_the_minutes_fit(repository, page):
    found = list(talks(repository))
    assert [path.stem for path, _ in found] == [
        "25_minutes", "25_minutes_second_question", "45_minutes", "90_minutes"]
    for path, lines in found:
        minutes = 0
        for line in lines:
            if re.fullmatch(r"\d+ break", line):
                minutes += int(line.split()[0])
                continue
            stop = STOP.fullmatch(line)
            assert stop, f"{path.name}: {line}"
            opened = panel(stop["address"])
            assert opened.remarks == [] and opened.failure is None, stop["address"]
            name, _, query = stop["address"].partition("?")
            scene = query.removeprefix("scene=").replace("+", " ") or opened.scenes[0].name
            assert (opened.name, opened.values["scene"]) == (name, scene)
            minutes += int(stop["minutes"])
            # What is said to be dragged or played is there, once the room has answered.
            described = next(each for each in opened.scenes if each.name == opened.values["scene"])
            shown = {each.symbol or each.name for each in opened.controls if each.name in opened.shown(scene)}
            told = re.findall(r"[Dd]rag (\w+)", stop["say"])
            assert set(told) - {"the"} <= shown | set(opened.shown(scene)), line
            assert described.play or not re.search(r"\bplays?\b|\bPlay\b", stop["say"]), line
            assert "Vote" not in stop["say"], "the notes say it, as the scene asks it"
        assert 0.9 * int(path.stem.split("_")[0]) <= minutes <= int(path.stem.split("_")[0]), path.name
        assert f"docs/talks/{path.name}" in page


def test_an_address_that_opens_nothing_is_noticed():
    assert panel("consistency?scene=no+such+scene").remarks


def test_minutes_are_those_of_the_notebooks(page):
    rows = re.findall(rf"^\| \[({NUMBER}) [^|]*\|.*\| (\d+)(?: \((\d+)\))? \|$", page, re.MULTILINE)
    told = {known: (int(minutes), reader and int(reader) or None) for known, minutes, reader in rows}
    assert told == {number(path): said(nbformat.read(path, as_version=4)) for path in FILES}


def test_the_glossary_names_arguments(page):
    rows = re.findall(r"^\| \$.*\| `(\w+)` of `(ldp_lib[\w.]*)\.(\w+)` \|$", page, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| \$", page, re.MULTILINE)) >= 12
    for argument, module, name in rows:
        assert argument in inspect.signature(getattr(importlib.import_module(module), name)).parameters, name


MEETING = re.compile(
    r"^\| (\d) \| [^|]+ \| [\d.]+ \|(?P<before>[^|]*)\| (?P<minutes>\d+) \| [^|]+ \|$", re.MULTILINE)


def test_the_minutes_before_a_meeting_are_those_of_its_notebooks(page):
    """As their first cells say them, of the appendix as they are counted; the least that is said is five."""
    alone = {number(path): said(nbformat.read(path, as_version=4))[0] for path in FILES}
    for path in FOLDER.glob("appendix/*.ipynb"):
        alone[path.name] = max(MULTIPLE, counted(nbformat.read(path, as_version=4)))
    meetings = list(MEETING.finditer(page))
    assert [found[1] for found in meetings] == list("12345671234561234")
    for found in meetings:
        names = re.findall(rf"appendix/([^)]+)\)|\b({NUMBER})\b(?!\]| in)", found["before"])
        assert int(found["minutes"]) == sum(alone[far or near] for far, near in names), found[0]
        assert names or not found["before"].strip()


def test_papers_have_the_numbers_of_their_citations(repository, page):
    citations = (repository / "CITATION.cff").read_text(encoding="utf-8")
    seminars = page[page.index("## Three seminars"):page.index("### A grading sheet")]
    assert re.findall(r"arXiv:\d+\.\d+", seminars) == re.findall(r"arXiv:\d+\.\d+", citations)[:3]


def term(page):
    """The lines of a term; tests/browser/test_term.py runs them."""
    return re.findall("^    (python .*)$", page[page.index("**A term is four lines**"):], re.MULTILINE)[:4]


def test_the_minutes_of_hands_are_those_of_the_lines(page):
    assert f"Hands type for {sum(map(len, term(page))) / 200:.0f} minutes, at 200" in " ".join(page.split())

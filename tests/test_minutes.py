"""Minutes that notebooks say they take: counted from their words, scenes, steps of proofs and exercises.

Whoever reads 150 words a minute, looks at a scene for a minute and at a step of a proof for one and a half,
and gives an exercise 5, 8 or 12 minutes by its stars. What a reader needed is said where it is much more.
"""

import math
import re
from urllib.parse import parse_qsl, urlencode

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_notebooks_contract import FILES, START, code, number, prose, words

from ldp_lib.live import EXERCISES, kind
from ldp_lib.stage.control import split

WORDS_A_MINUTE = 150
SCENE, STEP = 1.0, 1.5
EXERCISE = {1: 5, 2: 8, 3: 12}
"""Stars -> minutes."""
MULTIPLE = 5
"""Of so many minutes notebooks speak."""
MUCH_MORE = 1.25
STOPS, GOES_ON = re.compile(r"After \*([^*]+)\* go on below"), re.compile(r"the story of \d\d goes on")
"""What is said where a notebook shows the first scenes of a panel, or goes on where another one stopped."""
SAID = re.compile(r"^(\d+) minutes alone(?: \(readers: (\d+)\))?;", re.MULTILINE)


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request):
    """Return the place of a notebook."""
    return request.param


def source(notebook):
    """Return what stands in the code cells."""
    return "\n".join(cell.source for cell in code(notebook.cells))


def checked(notebook):
    """Return the stars of the exercises that a notebook checks, in order."""
    names = re.findall(r"""\bcheck\(["'](\d\d\.\d+)["']""", source(notebook))
    return [EXERCISES[name].stars for name in names]


def read(notebook):
    """Return the minutes that words, scenes and proofs of a notebook take once from top to bottom."""
    minutes = len(words(prose(notebook.cells))) / WORDS_A_MINUTE
    for name, scenes in shown(notebook).items():
        steps = sum(scene != "explore" for scene in scenes) if name.startswith("proof_") else 0
        minutes += STEP * steps + SCENE * (len(scenes) - steps)
    return minutes


def shown(notebook):
    """Return {panel: the scenes of it that a notebook shows}, each once, in their order.

    All of them, unless the words above say that the reader goes on below after one, or that a story goes on.
    """
    found, said_above = {}, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            said_above = cell.source
            continue
        for link in re.findall(r"""\bpanel\(["']([^"']+)""", cell.source):
            name, _, query = split(link)
            scenes, asked = [scene.name for scene in kind(name).scenes], dict(parse_qsl(query)).get("scene")
            if name not in found:
                last = STOPS.search(said_above)
                first = scenes.index(asked) if GOES_ON.search(said_above) else 0
                found[name] = scenes[first:scenes.index(last[1]) + 1 if last else None]
            elif asked and asked not in found[name]:
                found[name].append(asked)
    return found


def counted(notebook):
    """Return the minutes that a notebook takes with its exercises, a multiple of five."""
    minutes = read(notebook) + sum(EXERCISE[stars] for stars in checked(notebook))
    return MULTIPLE * round(minutes / MULTIPLE)


def needed(repository, known):
    """Return the most minutes that a reader of the notebook called `known` estimated; 0 if nobody did."""
    text = (repository / "tests" / "readings" / "readings.md").read_text(encoding="utf-8")
    column, most = 0, 0
    for line in text.splitlines():
        row = [entry.strip() for entry in line.strip("|").split("|")]
        if row[0] == "notebook":
            column = row.index("minutes (estimate)")
        elif row[0] == known:
            most = max(most, *map(int, re.findall(r"\d+", row[column])))
    return most


def said(notebook):
    """Return what the first cell says: minutes, and how many a reader needed, or None for each."""
    found = SAID.search(notebook.cells[0].source)
    return tuple(minutes and int(minutes) for minutes in found.groups()) if found else (None, None)


def test_a_notebook_says_the_minutes_that_are_counted(repository, path):
    """And those of the reader who needed most, where they are more than a quarter more."""
    notebook = nbformat.read(path, as_version=4)
    minutes, most = counted(notebook), needed(repository, number(path))
    assert said(notebook) == (minutes, most if most > MUCH_MORE * minutes else None)


def test_every_exercise_shows_its_stars(path):
    """Those that it is judged with, above the cell that checks it."""
    notebook = nbformat.read(path, as_version=4)
    shown = [len(stars) for stars in re.findall("^★+", prose(notebook.cells), re.MULTILINE)]
    assert shown == checked(notebook) != []


def test_the_curious_are_told_how_long_the_first_notebook_takes_without_exercises(repository):
    """In the notebook and on the first page, never less than is counted."""
    notebook = nbformat.read(FILES[0], as_version=4)
    assert FILES[0].name == START
    minutes = MULTIPLE * math.ceil(read(notebook) / MULTIPLE)
    assert f"without the exercises {minutes}." in notebook.cells[0].source
    index = (repository / "docs" / "site" / "index.md").read_text(encoding="utf-8")
    assert f"{minutes} minutes" in index


def test_halves_of_a_notebook_show_the_whole_story_once():
    """Every scene but the last, *explore*, which any half may open."""
    halves = [shown(nbformat.read(path, as_version=4)) for path in FILES if number(path).startswith("05")]
    story = [scene.name for scene in kind("elbow").scenes]
    first, second = (half["elbow"] for half in halves)
    assert first + second == story and "break it" in first and "proof_elbow" in halves[0]


def test_scenes_are_counted_that_a_notebook_shows():
    """All; up to where it says to go on below, and what it opens there; or from where a story goes on."""
    def scenes(told, *opened):
        cells = [new_markdown_cell(told), *(new_code_cell(f"panel({link!r})") for link in opened)]
        return shown(new_notebook(cells=cells))["elbow"]

    story = [scene.name for scene in kind("elbow").scenes]
    one, second = story[4], story[1]
    address = f"elbow?{urlencode({'scene': one})}"
    assert scenes("", "elbow") == scenes("", address) == scenes("", "elbow", "elbow") == story
    assert scenes(f"After *{second}* go on below.", "elbow", *2 * [address]) == [*story[:2], one]
    assert scenes("Here the story of 05 goes on.", address) == story[4:]

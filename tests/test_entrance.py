"""The first page and the list of pages: few words, true numbers, every notebook, few entries."""

import importlib
import json
import re
import sys
from fnmatch import fnmatch

import pytest
import yaml
from PIL import Image
from test_notebooks_contract import FILES, FOLDER, STORIES, words

from ldp_lib.lessons.price import DESIGNS, PRICES
from ldp_lib.live import PANELS
from ldp_lib.stage.picture import Picture, handless

MOST_ENTRIES = 14


@pytest.fixture
def site(repository, monkeypatch):
    """The folder of the sources of pages, from which modules can be imported."""
    monkeypatch.syspath_prepend(str(repository / "docs" / "site"))
    yield repository / "docs" / "site"
    for name in ("entrance", "build"):
        sys.modules.pop(name, None)


@pytest.fixture
def index(site):
    """The first page."""
    return (site / "index.md").read_text(encoding="utf-8")


def test_the_first_words_are_few_and_their_numbers_are_computed(index):
    _, lead, picture, *_ = index.split("\n\n")
    assert len(words(lead)) <= 40 and "data-plays" in picture
    people = dict(zip(DESIGNS, PRICES[0.67]))
    told = re.search(r"(\d+) times as many people .* (\d+) times with", lead, re.DOTALL).groups()
    assert told == tuple(str(round(people[way] / people["open"])) for way in ("one bit each", "cubes"))
    assert "67%" in index and f"{people['open']} are enough" in index


def test_the_list_of_pages_is_short(site, index):
    """Notebooks are found, and all others, the second half of one too, stand below one of a few entries."""
    listed = [line for block in re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL)
              for line in block.splitlines() if line and not line.startswith(":")]
    assert listed[0] == "notebooks/0?_*"
    first = [path for path in FILES if fnmatch(path.stem, "0?_*")]
    assert len(first) + len(listed) - 1 <= MOST_ENTRIES
    below = importlib.import_module("build").BELOW
    assert {f"notebooks/{path.name}" for path in first} >= {name for name in below if name[-6:] == ".ipynb"}
    assert {path.stem for path in set(FILES) - set(first)} == {
        page for name, pages in below.items() if name[-6:] == ".ipynb" for page in pages}


def test_every_notebook_has_a_sentence_and_a_picture(site, tmp_path):
    entrance = importlib.import_module("entrance")
    made = entrance.write_map(FOLDER, tmp_path)
    assert re.findall(r'href="notebooks/(\w+)\.html"', made) == [path.stem for path in STORIES]
    assert sorted(tmp_path.iterdir()) == [tmp_path / f"{path.stem}.svg" for path in STORIES]
    assert set(entrance.PICTURES) <= set(PANELS)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == len(STORIES), "halves of a story, too"
    for path in tmp_path.iterdir():
        drawn = path.read_text(encoding="utf-8")
        assert "<text" not in drawn and drawn.count("<path") > 3 and len(drawn) < 12_000, path


def test_every_notebook_has_a_card_for_other_sites(site, tmp_path):
    """With the question and the answer of the map, 1200 x 630, and nothing on it that asks to be dragged."""
    entrance = importlib.import_module("entrance")
    cards = entrance.write_cards(FOLDER, tmp_path)
    assert list(cards) == [f"notebooks/{path.stem}" for path in STORIES]
    for path in STORIES:
        card = cards[f"notebooks/{path.stem}"]
        assert "?" in card["about"] and card["about"].endswith(".") and len(card["alt"]) > 40
        assert card["image"] == f"_static/{tmp_path.name}/{path.stem}.png"
        with Image.open(tmp_path / f"{path.stem}.png") as picture:
            assert picture.size == (1200, 630)
        assert (tmp_path / f"{path.stem}.png").stat().st_size < 120_000
    axes, _ = entrance.chosen("consistency")
    assert [mark.label for mark in axes.marks if "drag" in mark.label]
    bare, = handless(Picture(((axes,),))).axes
    assert not [mark.label for mark in bare.marks if "drag" in mark.label]
    assert len(bare.marks) == len(axes.marks)


def test_a_panel_that_nobody_chose_a_picture_for_shows_its_first_scene(site):
    assert importlib.import_module("entrance").small("start").startswith("<svg")


def test_all_authors_are_named(repository, site):
    said = importlib.import_module("entrance").sources(repository / "CITATION.cff")
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    names = [author["family-names"] for paper in citation["references"] for author in paper["authors"]]
    assert re.findall("|".join(map(re.escape, names)), said) == names
    assert "T. Berrett and C. Butucea, " in said
    assert f"version {citation['version']}, {citation['license']} licence" in said


@pytest.mark.parametrize(("source", "folded"), [
    ('from ldp_lib.live import panel\n\npanel("start")', True), ('panel("price/1?scene=open")', True),
    ('view = panel("start")\nview', False), ('print(panel("start"))', False),
    ("x = 1\npanel('start')", False), ("", False), ('lie = ...\ncheck("00.1", lie)', False),
    ('people = ...\ncheck("00.3", people)', True), ('print(1)\nh = ...\ncheck("02.8", h)', False),
    ('from ldp_lib.live import check\n\nbudget = ...\ncheck("00.4", budget)', True)])
def test_code_that_a_page_does_not_need_is_folded(site, source, folded):
    build = importlib.import_module("build")
    notebook = {"cells": [{"cell_type": "code", "source": [source], "metadata": {}}]}
    build.fold(notebook)
    assert (notebook["cells"][0]["metadata"].get("tags") == ["hide-input"]) == folded


@pytest.mark.parametrize("path", [path for path in STORIES if not path.name.startswith("00")],
                         ids=lambda path: path.stem)
def test_pages_say_that_they_hold_the_answers(site, path):
    build = importlib.import_module("build")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    build.fold(notebook)
    words = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert words.count("The page holds the right answers") == 1
    assert "Replace `...`" not in words and "beside this notebook" not in words

"""The numbers of a picture: the same rows in Python and in the browser, as the ticks tell them."""

import base64
import csv
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest
from test_live_pictures import Demo, ask_node, positions

from ldp_lib.lessons.price import DESIGNS, PRICES
from ldp_lib.live import PANELS, panel
from ldp_lib.stage.deck import State, pack, rounded
from ldp_lib.stage.picture import Axes, Picture, arrow, bars, cells, dots, line, linear, rule, text
from ldp_lib.stage.table import table

PAGES = Path(__file__).parent / "browser" / "pages.mjs"
UNIT = linear(0, 1, 0.5)


def axes(*marks, x=UNIT, y=UNIT, **words):
    return Axes("a", x, y, marks=marks, **words)


def arrived(picture):
    """The picture as a browser has it."""
    return Picture(tuple(tuple(part._replace(marks=tuple(mark._replace(arrays={
        name: rounded(part, name, values) for name, values in mark.arrays.items()}) for mark in part.marks))
        for part in column) for column in picture.columns))


def in_the_browser(*pictures):
    deck = pack({(k,): State(picture, "", ()) for k, picture in enumerate(pictures)})
    return ask_node(PAGES, "tables", base64.b64encode(deck).decode())


def agree(mine, others):
    """Whether tables have the same words, and numbers up to rounding."""
    assert (mine.caption, list(mine.heads)) == (others["caption"], others["heads"])
    assert len(mine.rows) == len(others["rows"])
    for row, other in zip(mine.rows, others["rows"], strict=True):
        for one, two in zip(row, other, strict=True):
            same = math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-12) if type(one) is float else one == two
            assert same, (mine.caption, row, other)


@pytest.mark.parametrize("name", ["demo", *PANELS])
def test_python_and_the_browser_make_the_same_rows(name):
    shown = Demo() if name == "demo" else panel(name)
    starts = [shown.position()] if name == "demo" else shown.starts().values()
    pictures = [arrived(shown.show(**values).picture) for values in starts]
    for picture, tables in zip(pictures, in_the_browser(*pictures), strict=True):
        for part, there in zip(picture.axes, tables, strict=True):
            assert part.marks == () or there["rows"]
            agree(table(part), there)


def test_every_mark_has_its_rows():
    """Ends, or one place where it is a point; what breaks a line is none; names of the key first."""
    nan = math.nan
    found = table(axes(
        line("curve", [0, nan, 1], [1, nan, 0], "private", label="the curve"),
        bars("bar", [0.25], [0.5], [0], [1], "private"), rule("wall", "bound", y=0.5),
        arrow("arrow", 0, 0.25, 1, 0.75, "truth"), text("word", 1, 0, "here"),
        cells("field", [[0, 0, 1], [1, 2, 2]], ("zero", None, "one"), labels=("no",)),
        cells("grey", [[3, 3]], 5, labels=("depth",)), title="all marks", xlabel="place"))
    assert found.caption == "all marks"
    assert found.heads == ("series", "place: from", "place: to", "y: from", "y: to")
    third = 1 / 3
    assert found.rows == [
        ("the curve", 0, None, 1, None), ("the curve", 1, None, 0, None),
        ("no", 0, 2 * third, 0, 0.5), ("one", third, 1, 0.5, 1), ("depth: 3 of 4", 0, 1, 0, 1),
        ("bar", 0.25, 0.5, 0, 1), ("wall", None, None, 0.5, None), ("arrow", 0, 1, 0.25, 0.75),
        ("“here”", 1, None, 0, None)]


def test_what_counts_is_one_row_and_words_say_no_place_where_no_tick_does():
    """Squares of a stack are one number; a word that is empty is none."""
    designs = linear(0, 10, ticks=(2, 8), words=("open", "cubes"))
    found = table(axes(bars("stack", [6, 8, 6], [7, 9, 7], [0, 0, 1], [1, 1, 2], "private", counts=160_952),
                       text("words", [2, 8], [1, 2], ["", "160,952"]), x=designs,
                       y=linear(0, 5, reads=(0, 1, 0, "people"))))
    assert found.heads == ("series", "x", "y, in people")
    assert found.rows == [("stack", "cubes", 160_952), ("“160,952”", "cubes", None)]


def test_the_table_of_prices_has_a_row_for_each_way_to_ask():
    """It had one for each of 1,156 squares."""
    rows = panel("price").numbers()["price"]
    assert len(rows) < 12
    counted = rows.set_index("series")["y, in people"].dropna()
    assert counted.to_dict() == dict(zip(DESIGNS, PRICES[0.67], strict=True))


def test_a_column_in_which_nothing_stands_is_left_out():
    wall = table(axes(rule("wall", "bound", y=0.5), ylabel="risk"))
    assert (wall.heads, wall.rows) == (("series", "risk"), [("wall", 0.5)])
    assert table(axes()) == ("a", ("series",), [])


def test_places_are_told_as_ticks_tell_them():
    """Other units, logarithms that were taken before, logarithms beyond every float, and names."""
    ages = linear(0, 1, ticks=(0, 1), words=("18", "91"), reads=(18, 73, 0, "years"))
    decades = linear(-400, 2, 1, reads=(0, 1, 10))
    found = table(axes(dots("d", [0, 0.5], [-400.6, -1.5], "private"), x=ages, y=decades, ylabel="chance"))
    assert found.heads == ("series", "x, in years", "chance")
    assert found.rows == [("d", 18, "10^-401"), ("d", 54.5, 0.0316)]
    rows = linear(0.4, 2.6, ticks=(1, 2), words=("one bit", "n/2"))
    found = table(axes(bars("b", [0, 0], [3, 4], [0.7, 1.7], [1.3, 2.3], "private"),
                       bars("both", [0], [1], [1], [2], "private"), rule("out", "bound", y=3), y=rows))
    assert found.rows == [("b", 0, 3, "one bit", None), ("b", 0, 4, "n/2", None),
                          ("both", 0, 1, "one bit", "n/2"), ("out", None, None, 3, None)]
    beside = linear(0, 1.3, ticks=(0, 0.5, 1.2), words=("18", "54", "desk"), reads=(18, 73))
    found = table(axes(dots("d", [0.1, 1.2], [0, 0], "private"), x=beside))
    assert found.rows == [("d", 25.3, 0), ("d", "desk", 0)]


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def told(word, head):
    """The number that a tick's word says, and one unit of its last digit; None if it says none."""
    word = word.replace("−", "-").replace(",", "")
    if "in α" in head:
        word = re.sub("^(-?)α", r"\g<1>1", word).replace("α", "")
    if found := re.fullmatch("10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", word):
        return 10.0 ** int(found[1].translate(SUPERSCRIPTS)), 0.0
    if found := re.fullmatch(r"(-?\d+)/(\d+)", word):
        return int(found[1]) / int(found[2]), 0.0
    if not (found := re.fullmatch(r"([-+]?\d+(?:\.(\d+))?)(:00)?(%?)", word)):
        return None
    scale = 100 if found[4] else 1
    return float(found[1]) / scale, 10.0 ** -len(found[2] or "") / scale


BY_HAND = {("laboratory", "climb", "y", "0"),  # on a logarithmic axis: its head says so
           ("laboratory", "bits", "x", "1"),  # 2^0, place 0
           ("second_question", "sheet", "x", "1")}  # faces are cells, and their first one begins at 0


@pytest.mark.parametrize("name", PANELS)
def test_wherever_a_tick_says_a_number_the_table_says_it(name):
    shown, seen = panel(name), 0
    for values in [*positions(shown.controls), *shown.starts().values()]:
        for part in shown.show(**values).picture.axes:
            for scale, way in ((part.x, "x"), (part.y, "y")):
                made = table(axes(dots("ticks", scale.ticks, np.zeros(len(scale.ticks)), "truth"), x=scale))
                for word, (_, found, _) in zip(scale.words, made.rows, strict=bool(scale.ticks)):
                    says = told(word, made.heads[1])
                    if isinstance(found, str):
                        assert found == word or abs(says[0]) < 1e-300
                    elif says and (name, part.key, way, word) not in BY_HAND:
                        off = abs(found - says[0])
                        assert off <= says[1] + 2e-3 * abs(says[0]) + 1e-9, (part.key, way, word, found)
                        seen += 1
    assert seen > 20, "ticks were looked at"


def test_a_panel_has_the_numbers_of_its_present_picture():
    shown = panel("consistency/2?scene=half+the+budget")
    shown.set(alpha=0.5)
    found = shown.numbers()
    assert list(found) == ["bars", "decisions"]
    assert found["bars"].attrs["title"].startswith("cubes: ages within")
    noise, = found["bars"].query("series.str.startswith('noise')")["y: to"].unique()
    before, *_ = panel("consistency/2?scene=half+the+budget").numbers()["bars"]["y: to"]
    assert noise == pytest.approx(2 * before, rel=1e-6)
    assert set(found["decisions"].query("series == 'worked all year'").iloc[:, 3]) == {"yes 1"}


def test_commas_are_read_back():
    """Whole numbers whole, others to five digits, words with commas and quotes as they are."""
    made = {"heads": ["series", 'x, in "α"'], "rows": [["a, b", 215574], ["c", 0.123456789], ["d", None]]}
    rows = list(csv.reader(io.StringIO(ask_node(PAGES, "commas", made))))
    assert rows == [["series", 'x, in "α"'], ["a, b", "215574"], ["c", "0.12346"], ["d", ""]]

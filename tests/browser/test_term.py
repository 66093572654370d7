"""A term as LECTURERS.md says it: sheets, a student in JupyterLab, a class's work, what the lecturer reads.

A term of thirty students, with endless loops, is in tests/test_classroom.py.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import harness
import nbformat
import pytest
from playwright.sync_api import expect
from test_classroom import filled, notebook, right, work
from test_lecturers import term

from ldp_lib.lessons.exercises import EXERCISES
from ldp_lib.stage import kept

EVERYBODY = ["ada", "bob", "eve", "kim", "lea"]
"""In a browser; has all right; forges; is stuck; stopped after the first week."""


@pytest.fixture
def lines(repository):
    """The lines of a term."""
    return term((repository / "LECTURERS.md").read_text(encoding="utf-8"))


def typed(line, folder):
    """What the lecturer's shell does with a line."""
    program, *rest = shlex.split(line)
    assert program == "python"
    line = " ".join([shlex.quote(sys.executable), *rest])  # the shell finds all weeks
    settings = os.environ | {"PYTHONPATH": str(harness.ROOT)}
    done = subprocess.run(line, shell=True, cwd=folder, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def answered(page, number, line):
    """Type over the first line of a cell, by hand, and run it; what is said."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-line").first.click()
    for key in ("Home", "Shift+End"):
        page.keyboard.press(key)
    page.keyboard.type(line)
    page.keyboard.press("Shift+Enter")
    return cell.locator(".jp-OutputArea-output")


def works_in_lab(browser, home, tmp_path):
    """Ada opens her sheet, is wrong once, then right, answers the second exercise, and saves."""
    first, second = right(home / "week1.ipynb").values()
    with harness.server("lab", home, tmp_path / "hub") as lab, harness.new_page(browser) as page:
        harness.open_in_lab(page, lab.url("week1.ipynb"))
        answered(page, 0, "from ldp_lib.live import check")
        expect(answered(page, 1, "answer = -1")).to_contain_text("not yet")
        expect(answered(page, 1, f"answer = {first}")).to_contain_text(": right")
        expect(answered(page, 2, f"answer = {second}")).to_contain_text(": right")
        page.keyboard.press("Control+s")
        page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    assert first in "".join(cell.source for cell in nbformat.read(home / "week1.ipynb", 4).cells)


@pytest.mark.ci
@pytest.mark.long
def test_a_term_from_sheets_to_a_table(browser, tmp_path, monkeypatch, lines):
    (tmp_path / "notebooks").symlink_to(harness.NOTEBOOKS)
    (tmp_path / "names.txt").write_text("\n".join(EVERYBODY))
    for line in lines[:3]:
        typed(line, tmp_path)
    for student in EVERYBODY:
        home = tmp_path / "class" / student
        home.mkdir(parents=True)
        for week in ("week1", "week2", "week3"):
            sheet = shutil.copy(tmp_path / week / "students" / f"{student}.ipynb", home / f"{week}.ipynb")
            if student in ("ada", "bob") and (student, week) != ("ada", "week1"):
                notebook(sheet, filled(sheet, right(sheet)))
    works_in_lab(browser, tmp_path / "class" / "ada", tmp_path)
    kim, lea, eve = (tmp_path / "class" / student for student in ("kim", "lea", "eve"))
    name, *_ = right(kim / "week1.ipynb")
    opening = filled(kim / "week1.ipynb", {})[0]
    work(kim, [opening, *(f'check("{name}", {wrong})' for wrong in (-1, -2, -3))], monkeypatch)
    work(lea, filled(lea / "week1.ipynb", right(lea / "week1.ipynb")), monkeypatch)
    claim = {"right": True, "stars": 1, "answer": "1"}
    forged = (json.dumps(claim | {"exercise": each}) for each in right(eve / "week1.ipynb"))
    (eve / kept.FILE).write_text("\n".join(forged))

    assert typed(lines[3], tmp_path) == ["class.csv", "class.html"]
    with harness.new_page(browser, 1280, 720) as page:
        page.goto((tmp_path / "class.html").as_uri())
        solved, doubts, exercises = page.get_by_role("table").all()
        head, *rows = [[cell.inner_text() for cell in row.locator("th, td").all()]
                       for row in solved.get_by_role("row").all()]
        cells = {row[0]: dict(zip(head, row)) for row in rows}
        assert list(cells) == EVERYBODY and head[3:] == [
            name for line in lines[:3] for name in re.findall(r"\d\d\.\d", line)]
        first, second = ("★" * EXERCISES[name].stars for name in head[3:5])
        assert (cells["ada"]["01.1"], cells["ada"]["03.1"]) == (f"{first} 2", second)
        full = str(sum(EXERCISES[name].stars for name in head[3:]))
        assert cells["ada"]["stars"] == cells["bob"]["stars"] == full
        assert cells["kim"]["01.1"] == "☆ 3" and cells["eve"]["01.1"] == "☆ (!)"
        assert cells["lea"]["03.1"] == second and cells["lea"]["04.1"] == ""
        expect(doubts.get_by_role("rowheader")).to_have_text(["eve", "eve", "eve", "eve"])
        expect(doubts).to_contain_text("says right, is not")
        stuck = exercises.get_by_role("row").filter(has_text="01.1").get_by_role("cell").last
        expect(stuck).to_have_text("kim")
        page.set_viewport_size({"width": 390, "height": 800})
        harness.check_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390

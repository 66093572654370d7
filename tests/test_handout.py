"""Sheets with other numbers for each student: right answers by a second road, distinct mistakes, graders."""

import csv
import itertools
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl

import nbformat
import numpy as np
import pytest

from ldp_lib.live import EXERCISES, check
from ldp_lib.site.handout import drawn, handout
from ldp_lib.stage.judge import VARIANTS, Near, found

FORMULAS = {
    "01.1": lambda d, alpha: 2 ** (d + 1) / alpha,
    "03.1": lambda d, beta, gamma: beta * (1 + gamma) / (2 * beta + 2 * d),
    "04.1": lambda tv, alpha: tv * math.tanh(alpha / 2),
    "05.1": lambda s: s / (s + 1),
    "05.2": lambda s, r: r / (s + 1),
    "06.1": lambda epsilon: 4 / epsilon,
}
"""The theorems' words; the library computes right answers by other ways."""
EVERY = [name for variants in VARIANTS.values() for name in variants]


def numbers(name):
    return {key: float(value) for key, value in parse_qsl(name.partition("?")[2])}


@pytest.mark.parametrize("exercise", VARIANTS)
def test_the_right_answer_by_a_second_road(exercise):
    assert set(VARIANTS) == set(FORMULAS)
    for name in VARIANTS[exercise]:
        entry = found(name)
        assert entry.judge(FORMULAS[exercise](**numbers(name))) == "", name
        assert all(f"{value:g}" in entry.task for value in numbers(name).values()), name
    first, entry = found(next(iter(VARIANTS[exercise]))), EXERCISES[exercise]
    assert (first.question, first.judge.right) == (entry.question, entry.judge.right)


@pytest.mark.parametrize("exercise", VARIANTS)
def test_thirty_students_have_numbers_of_their_own_and_mistakes_that_differ(exercise):
    names = drawn(exercise, 30, np.random.default_rng(7))
    assert len(set(names)) == 30
    for name in names:
        entry = found(name)
        for made in entry.mistakes:
            wrong, said = entry.told(made.value)
            assert isinstance(made, Near) and "Close" not in wrong and said == entry.mistakes[made], name
    for one, other in itertools.permutations(names, 2):
        assert found(one).judge(found(other).judge.right), f"{other} copied into {one} is right"


def test_more_students_than_numbers_have_them_again():
    names = drawn("05.1", 100, np.random.default_rng(7))
    assert len(names) == 100 and set(names[40:]) <= set(names[:40])


def test_the_same_seed_writes_the_same_sheets(tmp_path):
    for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
        handout(tmp_path / folder, 2, seed)
    a, b, c = ({path.name: path.read_bytes() for path in (tmp_path / each).rglob("*") if path.is_file()}
               for each in "abc")
    assert a == b != c and len(a) == 3


def cells(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    return [cell.source for cell in book.cells]


def test_a_sheet_runs_and_a_graded_one_holds_nothing_that_judges(tmp_path):
    for graded in (False, True):
        sheet = handout(tmp_path / str(graded), ["ada"], 7, graded=graded)
        with open(sheet, newline="") as file:
            solutions = list(csv.DictReader(file))
        assert [row["exercise"].partition("?")[0] for row in solutions] == [
            name for name in EXERCISES if name in VARIANTS]
        text = cells(sheet.parent / "students" / "ada.ipynb")
        names = {}
        for source in text[1:]:
            if source.startswith("###"):
                continue
            exec(source, names)
        for row, source in zip(solutions, text[3::2], strict=True):
            assert source == f'answer = ...\ncheck("{row["exercise"]}", answer)'
            assert check(row["exercise"], float(row["right"])).right
            assert not graded or f"{float(row['right']):.4g}" not in "".join(text)
        assert ("ldp_lib" in "".join(text)) != graded
        assert names["check"](solutions[0]["exercise"], 1.0) is None or not graded


def test_what_is_no_class_is_told(tmp_path):
    for students, words in (([], "at least one"), (0, "students = 0"), (["a/b"], "'a/b'"), ([".."], "'..'"),
                            (["ada", "ada"], "twice")):
        with pytest.raises(ValueError, match=words):
            handout(tmp_path / "exam", students)
    for more, words in (({"seed": -1}, "seed = -1"), ({"nbgrader": True, "otter": True}, "choose one"),
                        ({"exercises": ["00.1"]}, "exercises = '00.1'")):
        with pytest.raises(ValueError, match=words):
            handout(tmp_path / "exam", 1, **more)
    assert not (tmp_path / "exam").exists()
    handout(tmp_path / "exam", 1)
    with pytest.raises(FileExistsError):
        handout(tmp_path / "exam", 1)


@pytest.fixture
def program(request, environment, repository):
    """A program that grades, installed for its test beside what is here already, and what it needs to run."""
    package = request.param
    python = environment(package)
    home = python.parents[1]
    packages, = (home / "lib").glob("python*/site-packages")
    # It starts programs of packages that were here already, and they must find it.
    places = (home / "bin", Path(sys.executable).parent, os.environ["PATH"])
    settings = {"PATH": os.pathsep.join(map(str, places)), "HOME": str(home),
                "PYTHONPATH": os.pathsep.join([str(packages), str(repository)]),
                "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter")}

    def run(*command, cwd):
        done = subprocess.run([home / "bin" / package.partition("-")[0], *command], cwd=cwd,
                              env=os.environ | settings, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def answered(released, solutions, path, count, right=True):
    """Write at `path` what a student makes of a sheet of two: so many answers, right ones or 1."""
    text = "\n".join(cells(released))
    with open(solutions, newline="") as file:
        known = [row["right"] for row in csv.DictReader(file)]
    assert "ldp_lib" not in text and not any(each[:6] in text for each in known)
    book = nbformat.read(released, as_version=4)
    empty = [cell for cell in book.cells if re.search(r"NotImplementedError|= \.\.\.", cell.source)]
    assert len(empty) == 2
    for cell, name, answer in list(zip(empty, ("answer_01_1", "answer_05_1"), known))[:count]:
        cell.source = f"{name} = {answer if right else 1}"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)


def nbgrader(tmp_path, program):
    """It generates, grades and reports."""
    course = tmp_path / "course"
    solutions = handout(course, seed=7, exercises=["01.1", "05.1"], nbgrader=True)
    (course / "nbgrader_config.py").write_text("c = get_config()\n")
    program("generate_assignment", "sheet", cwd=course)
    released, handed_in = course / "release" / "sheet" / "sheet.ipynb", course / "submitted"
    answered(released, solutions, handed_in / "ada" / "sheet" / "sheet.ipynb", 2)
    answered(released, solutions, handed_in / "eve" / "sheet" / "sheet.ipynb", 1, right=False)
    for command in (["autograde", "sheet"], ["generate_feedback", "sheet"], ["export"]):
        program(*command, cwd=course)
    with open(course / "grades.csv", newline="") as file:
        grades = {row["student_id"]: (float(row["score"]), float(row["max_score"]))
                  for row in csv.DictReader(file)}
    assert grades == {"ada": (2.0, 2.0), "eve": (0.0, 2.0)}
    feedback = (course / "feedback" / "eve" / "sheet" / "sheet.html").read_text(encoding="utf-8")
    assert "is not it" in feedback, "what the judge says reaches the student"


def otter(tmp_path, program):
    """It assigns and grades."""
    solutions = handout(tmp_path / "course", seed=7, exercises=["01.1", "05.1"], otter=True)
    program("assign", "--no-run-tests", "course/source/sheet/sheet.ipynb", "dist", cwd=tmp_path)
    released = tmp_path / "dist" / "student" / "sheet.ipynb"
    judge, = (tmp_path / "dist" / "autograder").glob("*.zip")
    for student, count, right in (("ada", 2, True), ("eve", 1, False)):
        answered(released, solutions, tmp_path / f"{student}.ipynb", count, right)
        (tmp_path / student).mkdir()
        program("run", "-a", judge, "-o", student, f"{student}.ipynb", cwd=tmp_path)
        told = json.loads((tmp_path / student / "results.json").read_text())["tests"]
        scores = {each["name"]: each["score"] for each in told if "score" in each}
        assert scores == {"q01_1": float(right), "q05_1": float(right)}


@pytest.mark.ci
@pytest.mark.long
@pytest.mark.share(2)
@pytest.mark.parametrize("program, grade", [("nbgrader", nbgrader), ("otter-grader", otter)],
                         indirect=["program"], ids=["nbgrader", "otter"])
def test_a_grader_takes_what_is_handed_out(tmp_path, program, grade):
    """Two students: one whose answers are right, one who makes a mistake and leaves the rest."""
    grade(tmp_path, program)

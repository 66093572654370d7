"""Typical mistakes get their own feedback, second hints come second, and what a student did is kept."""

import json
import os
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from story_facts import twins

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import exercises
from ldp_lib.lessons.consistency import exercises as consistency
from ldp_lib.lessons.upper_rate import exercises as upper_rate
from ldp_lib.live import EXERCISES, check, progress, recall
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk
from ldp_lib.risk.hypercube import both_sides
from ldp_lib.stage import kept
from ldp_lib.stage import judge as judges
from ldp_lib.stage.judge import number

# The tables stand with their lessons: what a student writes, and words that only its own feedback has.
TWINS = twins("test_exercises")
MISTAKES = [row for twin in TWINS for row in twin.MISTAKES]
RIGHT = [row for twin in TWINS for row in twin.RIGHT]


@pytest.mark.parametrize("exercise, wrong, words", MISTAKES)
def test_a_typical_mistake_gets_its_own_feedback_and_no_other(exercise, wrong, words):
    entry, text = EXERCISES[exercise], check(exercise, wrong).text
    said = [feedback for feedback in entry.mistakes.values() if feedback in text]
    assert text.startswith("✗") and entry.hint in text and len(said) == 1 and words in said[0]
    assert sum(words in feedback for feedback in entry.mistakes.values()) == 1


def test_every_mistake_that_is_recognised_is_made_above():
    made = {(exercise, feedback) for exercise, wrong, _ in MISTAKES
            for feedback in [EXERCISES[exercise].feedback(wrong)]}
    assert made == {(name, said) for name, entry in EXERCISES.items() for said in entry.mistakes.values()}


@pytest.mark.parametrize("exercise, answer, words", RIGHT)
def test_the_right_answer_is_right_with_its_score(exercise, answer, words):
    verdict = check(exercise, answer)
    assert verdict.right and words in verdict.text


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_strange_answer_makes_no_typical_mistake(exercise):
    for odd in ("2", [], True, -7.25, np.ones(3), lambda **arguments: 1 / 0, lambda **arguments: np.nan):
        assert EXERCISES[exercise].feedback(odd) == ""


@pytest.mark.parametrize("h, words", [
    (0.17, "196,212 people. Your score: 1.23"), (0.15, "242,114 people. Your score: 1.52"),
    (0.18, "19,288,838 people"), (0.2, "not even a billion")])
def test_the_challenge_says_the_score_and_where_cells_end(h, words):
    text = check("02.8", h).text
    assert text.startswith("✗") and words in text and "h/2, 3h/2" in text


def test_numbers_in_the_words_are_those_of_the_library():
    """What feedback and hints claim, computed anew."""
    cps = problem("cps")
    x = np.linspace(0, 1, 40_001)[:, None]
    changes = x[1:][np.diff(cps.eta(x) >= 0.5), 0]
    assert np.allclose(changes, [0.082, 0.575], atol=5e-4)
    assert np.allclose(18 + 73 * changes, [24, 60], atol=0.05)
    exact = 1 - cps.bayes_risk - excess_risk(CubeClassifier(1.0, 0.16), cps, 215_574)
    right = consistency._scores(lambda first, second: second - first / 2, 215_574)
    assert abs(consistency._accuracy(right) - exact) < 6 * 0.024 / consistency.FITS**0.5
    first, second = consistency._fits(215_574)
    # Six standard errors of the mean reports: sqrt(2) 4 / sqrt(107,787 * FITS) is that of the noise.
    assert np.abs(first.mean(axis=0) - consistency.CUBES.p).max() < 6 * 0.0173 / consistency.FITS**0.5
    assert np.abs(second.mean(axis=0) - consistency.CUBES.q).max() < 6 * 0.0173 / consistency.FITS**0.5
    assert (consistency._fits(1000)[0] < 0).mean() > 0.1
    # A map that is half a cube to the left costs accuracy.
    lines = np.minimum(np.arange(len(first[0]) + 1) * 0.16, 1)[:, None]
    p, q, size = cps.masses(lines[:-1], lines[1:])
    lost = np.where(right >= 0, size - (2 * q - p), size + (2 * q - p)).sum(axis=1).mean() / 2
    assert round(1 - cps.bayes_risk - lost, 2) == 0.65
    # Wide cubes: what is left does not fall with more people.
    wide, sine = CubeClassifier(1.0, 10.0**-0.8), problem("sine")
    assert excess_risk(wide, sine, 10**12) > 0.99 * excess_risk(wide, sine, 10**8) > 0.005
    # The blur of h = n'^(-1/8) is all of the risk, and h^2 in shape.
    h = (upper_rate.COUNTS / 2) ** -0.125
    bias, noise = both_sides(upper_rate.COUNTS, 1.0, h, 1.0, 1.0, 1, C0=4.0)
    assert (bias > noise).all() and np.ptp(bias / h**2) < 1e-9


def test_risks_of_exercise_3_6_are_those_of_the_table():
    for factor, kappa, risks in ((1, 1 / 4, [0.0088, 0.0021, 0.00021]), (1, 1 / 3, [0.029, 0.011, 0.0065]),
                                 (1, 1 / 2, [0.058, 0.059, 0.059]), (4, 1 / 4, [0.0028, 0.00047, 4.7e-5]),
                                 (1, 1 / 8, [0.0047, 0.0015, 0.00047]), (0.1, 0, [0.0058, 0.0013, 0.0013])):
        mine = upper_rate._worst(upper_rate.COUNTS, factor * (upper_rate.COUNTS / 2) ** -kappa)
        assert [float(f"{risk:.2g}") for risk in mine] == risks
    assert np.allclose(upper_rate._least(), [0.00195, 0.000343, 3.43e-5], rtol=0.01)


def test_rounding_is_told_from_error():
    judge = number(lambda: 1 / 6)
    for close in (0.17, 0.16, 0.2, 0.174, np.float32(0.17)):
        assert judge(close).endswith("Close: rounding?")
    for far in (0.1, 0.25, -0.17, 0.0, 1, 0, 1e308, 5e-324):
        assert judge(far) and "Close" not in judge(far)
    assert "Close" not in number(lambda: 4.0)(3) and "Close" in number(lambda: 4.0)(3.9)


def test_the_second_hint_comes_with_the_second_wrong_try(monkeypatch):
    monkeypatch.setattr(exercises, "_wrong_tries", exercises.Counter())
    entry = EXERCISES["02.8"]
    texts = [check("02.8", h).text for h in (..., 0.164, 0.3, 0.3)]
    assert [entry.second in text for text in texts] == [False, False, False, True] and entry.hint in texts[2]
    assert "Second" not in check("02.8", 0.164).text
    assert entry.second not in check("02.7", 1).text


def test_exercises_have_one_to_three_stars():
    assert {entry.stars for entry in EXERCISES.values()} == {1, 2, 3}


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """Work in an empty folder, as if in the kernel of a notebook; return the place of the file."""
    monkeypatch.chdir(tmp_path)
    shell = SimpleNamespace(kernel=object(), user_ns={})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    return tmp_path / kept.FILE


def half(n):
    return n**-0.5


def quarter(n):
    return n**-0.25


def test_nothing_is_kept_outside_of_a_notebook_or_without_an_answer(notebook, monkeypatch):
    check("02.7", ...), check("02.7", None)
    assert not notebook.exists()
    monkeypatch.delitem(sys.modules, "IPython")
    check("02.7", quarter)
    assert not notebook.exists()


def test_what_a_student_did_is_kept_and_recalled(notebook):
    check("02.7", half), check("02.7", quarter), check("02.7", half), check("03.2", 8), check("03.1", 7)
    found = progress()
    assert found.trouble == "" and set(found.answers) == {"02.7", "03.2", "03.1"}
    assert found.answers["02.7"][:3] == (True, 2, 3) and found.answers["03.1"][:3] == (False, 0, 1)
    assert repr(recall("02.7")) == "def quarter(n):\n    return n**-0.25" and recall("03.1") == "7"
    check("02.7", lambda n: n**-0.2)  # the last right one
    assert "n**-0.2" in recall("02.7")
    assert "Nothing is kept" in recall("02.8")
    total = sum(entry.stars for name, entry in EXERCISES.items() if name.startswith("02."))
    assert f"02   2 of {total}" in repr(found) and "02.7 ★★" in repr(found) and "03.1 ☆" in repr(found)
    assert f"<th scope='row'>02</th><td>2 of {total}</td>" in found._repr_html_()
    with pytest.raises(ValueError, match="exercise = '99.1'"):
        recall("99.1")


def test_a_new_exercise_is_known_at_once_and_has_a_number(notebook, monkeypatch):
    monkeypatch.setattr(judges, "REGISTERED", judges.REGISTERED.copy())
    monkeypatch.setattr(kept, "REGISTERED", judges.REGISTERED)
    for name in ("03.2v1", "3.8", "03", "03.08", 3.8):
        with pytest.raises(ValueError, match="must be a notebook's two digits, a point and a number"):
            judges.exercise(name, "a variant", number(lambda: 1), "none")
    judges.exercise("03.99", "one more", number(lambda: 1), "none")
    assert check("03.99", 1).right and "03.99 ★" in repr(progress()) and repr(recall("03.99")) == "1"


def test_what_another_version_asked_is_kept_and_told(notebook):
    check("03.2", 8)
    line = {"exercise": "03.2v1", "right": True, "stars": 1, "answer": "7"}
    notebook.write_text(f"{notebook.read_text()}{json.dumps(line)}\n")
    assert "03.2v1" in progress().answers and "03.2v1" in progress().trouble
    assert "03.2 ★" in repr(progress())


def test_an_appendix_shares_the_file(notebook, monkeypatch):
    check("03.2", 8)
    (notebook.parent / "appendix").mkdir()
    monkeypatch.chdir(notebook.parent / "appendix")
    check("03.1", 0.25)
    assert set(progress(notebook).answers) == {"03.1", "03.2"} == set(progress().answers)


def test_it_is_exported_printed_and_deleted(notebook, tmp_path):
    check("02.7", quarter), check("03.2", 8)
    found = progress()
    found.export("mine.json"), found.export("sheet.html")
    answer = json.loads((tmp_path / "mine.json").read_text())["03.2"]
    assert datetime.fromisoformat(answer.pop("time")).utcoffset() == timedelta(0)
    assert answer == {"right": True, "stars": 1, "tries": 1, "text": "8", "code": ""}
    sheet = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert "<pre>def quarter(n):" in sheet and "<h1>My answers</h1>" in sheet and "can be run again" in sheet
    found.sign("Ada <3")
    found.export("hers.html")
    assert "<h1>Answers of Ada &lt;3</h1>" in (tmp_path / "hers.html").read_text(encoding="utf-8")
    assert progress().name == "Ada <3"
    for name in ("", " ", "a\nb", "x" * 101, 7):
        with pytest.raises(ValueError, match="1 to 100 characters"):
            found.sign(name)
    with pytest.raises(FileExistsError):
        found.export(kept.FILE)
    found.delete(), found.delete()
    assert not notebook.exists() and found.answers == progress().answers == {}


class Unspeakable:
    def __repr__(self):
        raise SystemError("<b>")


def test_any_answer_is_kept_as_text(notebook, tmp_path):
    for odd in (10**5000, "<script>\u2028\n", Unspeakable(), np.zeros(10**6), print, "x" * 10**6, b"\xff"):
        assert not check("03.2", odd).right
    found = progress()
    assert found.trouble == "" and found.answers["03.2"].tries == 7
    assert notebook.stat().st_size < 3 * kept.LONGEST
    check("03.2", "<script>")
    progress().export("sheet.html")
    assert "<script>" not in (tmp_path / "sheet.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("damage", [
    b"\xff\xfe\x00garbage", b'{"exercise": "03.1", "right": tr', b"[1, 2]", b"3", b'{"exercise": []}',
    b"[" * 10**5,
    b'{"exercise": [], "right": true, "stars": 1, "answer": "1"}',
    b'{"exercise": 5, "right": true, "stars": 1, "answer": "1"}',
    b'{"exercise": "03.2", "right": true, "stars": Infinity, "answer": "1"}',
    b'{"exercise": "03.1", "right": true, "stars": 1, "answer": "\\ud800"}',
    b'{"exercise": "\\u001b[2J", "right": true, "stars": 1, "answer": "1"}'])
def test_a_damaged_file_loses_nothing(notebook, damage):
    """Whatever stands in the file stays there, and a line that was cut does not damage the next."""
    check("03.2", 8)
    before = notebook.read_bytes() + damage
    notebook.write_bytes(before)
    assert check("03.1", 0.25).right
    assert notebook.read_bytes().startswith(before)
    found = progress()
    assert set(found.answers) == {"03.1", "03.2"}
    assert found.trouble.endswith(": 1.") and kept.FILE in repr(found)
    found.export("sheet.html")


class Leaving:
    """An answer that leaves Python when it is shown."""

    def __repr__(self):
        raise SystemExit


def test_an_answer_that_wants_to_leave_is_judged(notebook):
    assert "kept" not in check("03.2", Leaving()).text and notebook.exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_file_that_cannot_be_written_or_read_is_told(notebook, make):
    """Nor is a pipe waited for."""
    make(notebook)
    verdict = check("03.2", 8)
    assert verdict.right and "Judged, but not kept: my_answers.jsonl cannot be written" in verdict.text
    assert str(notebook.parent) not in verdict.text
    assert "cannot be read" in progress().trouble and "cannot be read" in recall("03.2")
    with pytest.raises(OSError, match="it is no file"):
        progress().delete()


def test_several_kernels_lose_nothing(notebook):
    """Four writers at once, each with a file handle of its own."""
    def work(number):
        for _ in range(100):
            kept.keep("03.2", f"{number}" * 5000, False)

    writers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = progress()
    assert found.answers["03.2"].tries == 400 and found.trouble == ""


@pytest.mark.ci
def test_a_real_kernel_keeps_code_and_the_next_one_recalls_it(tmp_path):
    def run(*cells):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        NotebookClient(book, timeout=120, kernel_name="python3",
                       resources={"metadata": {"path": str(tmp_path)}}).execute()
        return [output for cell in book.cells for output in cell.outputs]

    begin = "from ldp_lib.live import check, progress, recall"
    run(begin, "answer = ...\ncheck('03.7', answer)")
    assert list(tmp_path.iterdir()) == []
    code = "def people(factor, beta, d):\n    return factor ** (2 * beta + d)"
    run(begin, code, "check('03.7', people)")
    shown, table = run(begin, "recall('03.7')", "progress()")
    assert shown.data["text/plain"] == code and "text/html" in table.data


def test_judges_of_bandwidths_say_where_they_fail():
    judge = judges.widths((10, 1000), 0.1, 1, lambda found: str(found))
    assert judge(lambda n: n**-0.25) == str((10**-0.25, 1000**-0.25))
    wrong = judge(lambda n: n**-0.5)
    assert "At n = 1,000 your function returns something else: A bandwidth from 0.1 to 1 is" in wrong
    assert "expected, not a str" in judge(lambda n: "1")

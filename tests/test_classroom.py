"""A class's work: collected, run and judged again, and a table that believes nobody. A term in miniature."""

import csv
import io
import itertools
import json
import os
import re
import sys
import zipfile
from types import SimpleNamespace

import nbformat
import pytest
from extent import all_rows

from ldp_lib.lessons import exercises
from ldp_lib.live import check
from ldp_lib.site import classroom
from ldp_lib.site.answerer import Answerer
from ldp_lib.site.classroom import collect, given, judge, judge_all, page, table
from ldp_lib.site.handout import handout
from ldp_lib.stage import kept
from ldp_lib.stage.judge import found

SECONDS = 4
RIGHT = ("import math\nfrom ldp_lib.live import check",
         "def lie(alpha):\n    return 1 / (odds(alpha) + 1)\ndef odds(a):\n    return math.exp(a)\n"
         "check('00.1', lie)",
         "people = 11_700 + 7\ncheck('00.3', people)")
CARELESS = (RIGHT[0], "def lie(alpha):\n    return math.exp(-alpha)\ncheck('00.1', lie)", *RIGHT[1:])
"""One typical mistake first."""
STUCK = (RIGHT[0], *(f"def lie(alpha):\n    return 0.5 + {k}\ncheck('00.1', lie)" for k in range(3)))
LOOPS = "def lie(alpha):\n    while True:\n        pass\ncheck('00.1', lie)"
RAISES = "def lie(alpha):\n    return 1 / 0\ncheck('00.1', lie)"


def work(folder, cells, monkeypatch, name=""):
    """What a student does in a notebook whose cells run in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(exercises, "_wrong_tries", exercises.Counter())
    names = {"In": []}
    shell = SimpleNamespace(kernel=object(), user_ns=names)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    for cell in cells:
        names["In"].append(cell)
        exec(cell, names)
    if name:
        kept.progress().sign(name)
    monkeypatch.undo()


def notebook(path, cells):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells))), path)


def forged(folder, **more):
    """A file that nobody has worked for: exercises of notebook 00, right, with as many stars as one likes."""
    folder.mkdir()
    line = {"right": True, "stars": 99, "answer": "lambda alpha: 0.5"} | more
    lines = [json.dumps({"exercise": name} | line) for name in ("00.1", "00.3")]
    (folder / kept.FILE).write_text("\n".join(lines))


def rows(students):
    return {student.student: student for student in students}


@pytest.fixture
def judged(tmp_path):
    """Collect and judge what stands in a folder, in this process."""
    return lambda **more: rows([judge(each, seconds=SECONDS) for each in collect(tmp_path / "class", **more)])


@pytest.mark.ci
def test_a_small_class(tmp_path, monkeypatch, judged):
    home = tmp_path / "class"
    work(home / "ada", CARELESS, monkeypatch, "Ada <b>")
    work(home / "stuck", STUCK, monkeypatch)
    work(tmp_path / "half", RIGHT[:2], monkeypatch)
    text = (tmp_path / "half" / kept.FILE).read_text() + '{"exercise": "00.3", "rig'
    with zipfile.ZipFile(home / "half.zip", "w") as archive:
        archive.writestr("deep/down/my_answers.jsonl", text)
    notebook(home / "loops" / "00_start_here.ipynb", [*RIGHT[:1], LOOPS, RIGHT[2]])
    notebook(home / "raises.ipynb", [RAISES, "%magic", "answer = ...\ncheck('00.3', answer)"])
    forged(home / "forger")
    forged(home / "=forger", stars=1, code="lambda alpha: 0.5", time="2026-01-01T00:00:00+00:00")
    found = judged()
    assert list(found) == ["=forger", "ada", "forger", "half", "loops", "raises", "stuck"]
    ada, half, loops, raises = (found[name] for name in ("ada", "half", "loops", "raises"))
    assert ada.name == "Ada <b>" and {each: row[:2] for each, row in ada.rows.items()} == {
        "00.1": (1, 2), "00.3": (3, 1)}
    assert not any(row.doubts for row in ada.rows.values())
    assert ada.rows["00.1"].mistakes[0].startswith("Too careful")
    assert half.rows["00.1"].stars == 1 and "00.3" not in half.rows and "cannot be read: 1" in half.trouble
    assert loops.rows["00.1"].stars == 0 and loops.rows["00.3"].stars == 3
    assert loops.rows["00.1"].doubts == [f"it took longer than {SECONDS} seconds"]
    assert set(raises.rows) == {"00.1"} and raises.rows["00.1"].mistakes == ["none of the known mistakes"]
    for name in ("forger", "=forger"):
        assert not any(row.stars for row in found[name].rows.values())
        assert all("says right, is not" in row.doubts for row in found[name].rows.values())
    assert "99 stars where check writes" in " ".join(found["forger"].rows["00.1"].doubts)

    students = list(found.values())
    read = list(csv.DictReader(io.StringIO(table(students))))
    assert list(read[0]) == ["student", "name", "stars", "00.1", "00.3", "doubts"]
    assert [*read[1].values()] == ["ada", "Ada <b>", "4", "1", "3", ""]
    assert read[0]["student"] == "'=forger" and read[0]["doubts"] == "00.1 00.3" and read[3]["00.3"] == ""
    text = page(students)
    assert "Ada &lt;b&gt;" in text and "<b>" not in text and "1 × Too careful" in text
    # Who is stuck: three different wrong tries, none right.
    assert re.search(r"00\.1 how often.*?<td>2 of 7</td>.*?<td>stuck</td></tr>", text)


def test_what_is_kept_runs_again_with_what_it_needs(tmp_path, monkeypatch, judged):
    """Names of other cells, also those bound later; a line of an older library has no program."""
    work(tmp_path / "class" / "ada", RIGHT, monkeypatch)
    lines, _, _ = kept.lines((tmp_path / "class" / "ada" / kept.FILE).read_text())
    assert [line.exercise for line in lines] == ["00.1", "00.3"] and all(line.time for line in lines)
    assert lines[0].code.splitlines()[0] == "import math" and "odds" in lines[0].code
    assert lines[1].code == "people = 11700 + 7\npeople"
    old = {"exercise": "00.3", "right": True, "stars": 3, "answer": "11707"}
    (tmp_path / "class" / "old").mkdir()
    (tmp_path / "class" / "old" / kept.FILE).write_text(json.dumps(old))
    row = judged()["old"].rows["00.3"]
    assert row.stars == 3 and row.doubts == [
        "typed by hand, or kept by a library before its programs: no program, no time"]


@pytest.mark.ci
def test_who_has_many_endless_loops_does_not_hold_up_the_class(tmp_path, monkeypatch, judged):
    monkeypatch.setattr(classroom, "MOST_SECONDS", 0.5)
    notebook(tmp_path / "class" / "eve.ipynb", [LOOPS, LOOPS.replace("00.1", "00.2"), RIGHT[2]])
    rows = judged()["eve"].rows
    assert "took longer" in rows["00.1"].doubts[0]
    assert rows["00.2"].doubts == rows["00.3"].doubts == ["not run: the answers before it took too long"]


def test_times_that_run_backwards_were_typed(tmp_path, judged):
    (tmp_path / "class" / "eve").mkdir(parents=True)
    line = kept.Line("00.3", True, 3, "11707", "11707")._asdict()
    lines = (json.dumps(line | {"time": f"2026-01-0{day}T00:00:00+00:00"}) for day in (2, 1))
    (tmp_path / "class" / "eve" / kept.FILE).write_text("\n".join(lines))
    assert judged()["eve"].rows["00.3"].doubts == ["typed by hand: earlier than the line before"]


def test_nothing_outside_of_the_class_is_read(tmp_path):
    """Links, pipes, hidden folders are not followed; a damaged zip or notebook is told, and stops nobody."""
    home = tmp_path / "class"
    (home / "eve" / ".trash").mkdir(parents=True)
    secret = tmp_path / "secret.jsonl"
    secret.write_text(json.dumps({"name": "the lecturer's"}))
    (home / "eve" / "my_answers.jsonl").symlink_to(secret)
    (home / "eve" / "more").symlink_to(tmp_path)
    (home / "link").symlink_to(tmp_path)
    os.mkfifo(home / "eve" / "pipe.jsonl")
    (home / "eve" / ".trash" / "a.jsonl").write_text(json.dumps({"name": "old"}))
    (home / "eve" / "a.ipynb").write_text("[1]")
    (home / "broken.zip").write_bytes(b"PK\3\4 nothing")
    with zipfile.ZipFile(home / "mallory.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/x.jsonl", json.dumps({"name": "M"}))
        archive.writestr("../../y.jsonl", json.dumps({"name": "out of the folder"}))
        archive.writestr("bomb.jsonl", b" " * (classroom.LARGEST + 1))
    broken, eve, mallory = collect(home)
    assert (broken.student, eve.student, mallory.student) == ("broken", "eve", "mallory")
    assert "broken.zip cannot be read" in broken.trouble and eve.name == "" and mallory.name == "M"
    refused = "cannot be read, or is larger than 20 MiB."
    assert eve.trouble == f"a.ipynb is no notebook. my_answers.jsonl {refused} pipe.jsonl {refused}"
    assert "bomb.jsonl cannot be read" in mallory.trouble


def test_a_zip_of_folders_is_a_class(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for student in ("ada", "bob"):
            archive.writestr(f"{student}/deep/my_answers.jsonl", json.dumps({"name": student.title()}))
            archive.writestr(f"__MACOSX/{student}/._my_answers.jsonl", "x")
    assert [each[:2] for each in collect(tmp_path / "all.zip")] == [("ada", "Ada"), ("bob", "Bob")]


def test_the_command_writes_the_table_or_says_what_is_wrong(tmp_path, monkeypatch, capsys):
    home = tmp_path / "class"
    notebook(home / "ada.ipynb", RIGHT)
    classroom.main([str(home), "--to", str(tmp_path / "table")])
    assert "ada,,4,1,3," in (tmp_path / "table.csv").read_text()
    assert "<th scope='row'>ada</th>" in (tmp_path / "table.html").read_text()
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(Answerer, "_command", lambda self: ["/bin/false"])
    for arguments, words in (([str(tmp_path / "empty"), "--trust"], "each entry is a student"),
                             ([str(tmp_path / "none")], "the class cannot be read"),
                             ([str(home)], "cannot keep answers from files and network")):
        with pytest.raises(SystemExit):
            classroom.main(arguments)
        assert words in capsys.readouterr().err


def filled(path, answers):
    """Fill a sheet in: `answers` maps exercises to source."""
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        for name, source in answers.items():
            if cell.cell_type == "code" and f'check("{name}' in cell.source:
                cell.source = cell.source.replace("answer = ...", f"answer = {source}")
    return [cell.source for cell in book.cells if cell.cell_type == "code"]


def right(path):
    names = re.findall(r'check\("(.*?)"', path.read_text().replace('\\"', '"'))
    return {name: repr(float(found(name).judge.right)) for name in names}


def test_whoever_has_the_numbers_of_others_is_told(tmp_path, monkeypatch, judged):
    sheet = handout(tmp_path / "exam", ["ada", "bob"], 7, exercises=["01.1", "05.1"], graded=True)
    ada = tmp_path / "exam" / "students" / "ada.ipynb"
    for student in ("ada", "bob"):
        notebook(tmp_path / "class" / f"{student}.ipynb", filled(ada, right(ada)))
    found = judged(numbers=given(sheet))
    assert [row.doubts for row in found["ada"].rows.values()] == [[], []]
    assert [row.doubts for row in found["bob"].rows.values()] == [["has the numbers of ada"]] * 2
    # A right answer to other numbers is wrong.
    other = tmp_path / "exam" / "students" / "bob.ipynb"
    copied = dict(zip(right(other), right(ada).values()))
    notebook(tmp_path / "class" / "bob.ipynb", filled(other, copied))
    assert [row.stars for row in judged(numbers=given(sheet))["bob"].rows.values()] == [0, 0]


@pytest.mark.ci
def test_a_term_in_miniature(tmp_path, monkeypatch):
    """Three hand-outs. Of 30 students, or of 9, most are honest; answers of some raise, or do not end; some
    forge their files, and some stop half-way."""
    sizes = (20, 4, 2, 2, 2) if all_rows() else (4, 2, 1, 1, 1)
    everybody = [f"student_{k + 1:02}" for k in range(sum(sizes))]
    names = iter(everybody)
    honest, raising, looping, forging, half = ([*itertools.islice(names, size)] for size in sizes)
    first, second, third = ["01.1", "03.1"], ["04.1", "05.1"], ["05.2", "06.1"]
    home = tmp_path / "class"
    sheets = []
    for place, (names, graded) in enumerate(((first, False), (second, False), (third, True))):
        sheet = handout(tmp_path / f"week{place}", len(everybody), place, exercises=names, graded=graded)
        sheets.append(sheet)
        for student in everybody:
            path = sheet.parent / "students" / f"{student}.ipynb"
            answers = right(path)
            if student in half and place:
                continue
            if student in raising:
                answers[next(iter(answers))] = "1 / 0"
            if student in looping:
                answers[next(iter(answers))] = "__import__('time').sleep(10**6)"
            cells = filled(path, answers)
            if student in forging:
                continue
            if graded or student in (*raising, *looping):
                notebook(home / student / f"week{place}.ipynb", cells)
            else:
                mistake = f'check("{next(iter(answers))}", -1)'  # everybody errs once
                work(home / student, [cells[0], mistake, *cells[1:]], monkeypatch)
    numbers = given(*sheets)
    for student in forging:
        (home / student).mkdir()
        lines = [{"exercise": name, "right": True, "stars": 1, "answer": "1"} for name in numbers[student]]
        (home / student / kept.FILE).write_text("\n".join(map(json.dumps, lines)))
    students = rows(judge_all(list(collect(home, numbers)), seconds=SECONDS))
    stars = {name: sum(row.stars for row in student.rows.values()) for name, student in students.items()}
    assert stars == (dict.fromkeys(honest, 6) | dict.fromkeys(raising, 3) | dict.fromkeys(looping, 3)
                     | dict.fromkeys(forging, 0) | dict.fromkeys(half, 2))
    doubtful = {name for name, student in students.items()
                if any(row.doubts for row in student.rows.values())}
    assert doubtful == {*raising, *looping, *forging}
    assert {name for name, student in students.items() if len(student.rows) < 6} == {*half}
    assert table(list(students.values())).count("\n") == len(everybody) + 1


def test_a_variant_is_judged_in_words_of_its_numbers():
    name = "03.1?d=4&beta=0.5&gamma=0.5"
    assert check(name, found(name).judge.right).right
    said = check(name, 0.5 * 1.5 / (1 + 4))
    assert "without privacy" in said.text and "d = 4, β = 0.5" in check(name, ...).text
    with pytest.raises(ValueError, match=r"has numbers that 03\.1 has not; a variant of it is '03\.1\?d=3"):
        check("03.1?d=99", 1)
    with pytest.raises(ValueError, match="it has no variants"):
        check("00.1?d=1", 1)

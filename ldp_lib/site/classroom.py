"""What a class has done: `python -m ldp_lib.site.classroom FOLDER`.

Every entry of FOLDER is a student: a folder (a hub's homes will do), a zip, or a file; FOLDER may also be a
zip of such folders. Lines of `my_answers.jsonl` are read, and of exercises that have none the notebooks.
Nothing is believed: every answer is run again in a process of its own and judged here
(`ldp_lib.site.answerer`). A table is written, student by exercise, as CSV and as a page.
"""

import argparse
import csv
import html
import io
import itertools
import json
import multiprocessing
import os
import statistics
import sys
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ldp_lib.lessons.exercises import EXERCISES
from ldp_lib.site.answerer import SECONDS, Answerer, Ended
from ldp_lib.stage import kept, rerun
from ldp_lib.stage.judge import VARIANTS, found

LARGEST, MOST_FILES = 20 * 2**20, 1000
"""Bytes of a file, and files of one student, that are read."""
MOST_TRIES = 200
"""Of a student that are judged: the last ones."""
MOST_SECONDS = 10
"""Of all answers of a student, in those of one: whoever has many endless loops does not hold up the class."""
STUCK = 3
"""Wrong tries, and no right one."""


class Work(NamedTuple):
    """What was collected of a student.

    `name` : the name that she gave, or "". `tries` : each with why `check` cannot have written it, or "".
    """

    student: str
    name: str
    tries: list[tuple[kept.Line, str]]
    trouble: str


class Row(NamedTuple):
    """A student and an exercise.

    `mistakes` : what was said of each wrong try. `doubts` : what was typed by hand, or cannot be run.
    """

    stars: int
    tries: int
    mistakes: list[str]
    doubts: list[str]


class Student(NamedTuple):
    """A student's row of the table: exercise, whatever its numbers are -> `Row`."""

    student: str
    name: str
    rows: dict[str, Row]
    trouble: str


def _wanted(parts):
    """Is it a file of answers or a notebook, and nothing hidden?"""
    hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    return not hidden and parts[-1].endswith((".jsonl", ".ipynb"))


def _in_zip(source, student=""):
    """(student, name, bytes) of each file of a zip; its folders are students if no student is given."""
    with zipfile.ZipFile(source) as archive:
        for entry in archive.infolist():
            parts = PurePosixPath(entry.filename).parts
            if parts and _wanted(parts):
                with archive.open(entry) as file:
                    yield student or parts[0], parts[-1], file.read(LARGEST + 1)


def _in_folder(folder):
    """The names and paths of the files of a folder; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from ((name, Path(place, name)) for name in sorted(names) if _wanted((name,)))


def _files(folder):
    """(student, name, bytes or None if it cannot be read) of each file of a class, by students' names."""
    if folder.is_file():
        yield from _in_zip(folder)
        return
    for entry in sorted(each for each in folder.iterdir() if not each.name.startswith(".")):
        if entry.suffix == ".zip":
            try:
                yield from _in_zip(entry, entry.stem)
            except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError):  # the last one: it has a password
                yield entry.stem, entry.name, None
        elif _wanted((entry.name,)) and not entry.is_dir():
            yield entry.stem, entry.name, _bytes(entry)
        elif not entry.is_symlink():
            yield from ((entry.name, name, _bytes(path)) for name, path in _in_folder(entry))


def _bytes(path):
    """What is in a file; None if it is none, or a link: it might lead to what is not the student's."""
    try:
        if not path.is_file():  # to open a pipe would wait for ever
            return None
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read(LARGEST + 1)
    except OSError:
        return None


def _of_notebook(text):
    """The last answer to each exercise that the cells of a notebook check, as claims of nothing."""
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    calls = filter(None, map(rerun.checked, (node for cell in cells for node in rerun.parsed(cell))))
    for exercise in dict.fromkeys(call.args[0].value for call in calls):
        code = rerun.program(cells, exercise)
        yield kept.Line(exercise, False, 0, code, code)


def given(*sheets: Path) -> dict[str, set[str]]:
    """The exercises of each student, from the solutions that `ldp_lib.site.handout.handout` wrote."""
    students = {}
    for sheet in sheets:
        with open(sheet, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                students.setdefault(row["student"], set()).add(row["exercise"])
    return students


def collect(folder: Path, numbers: Mapping[str, set[str]] = {}) -> Iterator[Work]:
    """Read what is kept of each student of a class, or what notebooks hold; nothing is run.

    numbers : which exercises are whose, as from `given`; whoever has others is told.

    Raises
    ------
    OSError, zipfile.BadZipFile
        If `folder` cannot be read.
    """
    students = {}
    for student, name, content in _files(folder):
        students.setdefault(student, []).append((name, content))
    for student, files in sorted(students.items()):
        tries, names, trouble, books = [], [], [], []
        for name, content in files[:MOST_FILES]:
            if content is None or len(content) > LARGEST:
                trouble.append(f"{name} cannot be read, or is larger than {LARGEST // 2**20} MiB.")
                continue
            text = content.decode(errors="replace")
            if name.endswith(".ipynb"):
                try:
                    books += _of_notebook(text)
                except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                    trouble.append(f"{name} is no notebook.")
            else:
                those, said, damaged = kept.lines(text)
                times = itertools.accumulate((line.time for line in those), max, initial="")
                tries += [(line, _typed(line, before)) for line, before in zip(those, times)]
                names += [said] * bool(said)
                trouble += [f"Lines of {name} that cannot be read: {damaged}."] * bool(damaged)
        trouble += [f"Files that were not read: {len(files) - MOST_FILES}."] * (len(files) > MOST_FILES)
        known = {line.exercise for line, _ in tries}
        tries += [(line, "") for line in books if line.exercise not in known]
        trouble += [f"Tries that were not judged, the first ones: {len(tries) - MOST_TRIES}."] * (
            len(tries) > MOST_TRIES)
        tries = [(line, _foreign(student, line.exercise, numbers) or doubt) for line, doubt in tries]
        yield Work(student, ", ".join(dict.fromkeys(names)), tries, " ".join(trouble))


def _base(exercise):
    """The exercise of a variant."""
    return exercise.partition("?")[0]


def _known(exercise):
    return exercise in EXERCISES or exercise in VARIANTS.get(_base(exercise), ())


def _foreign(student, exercise, given):
    """Whose numbers these are, in words, if not those of a student; `given` is empty if nobody has any."""
    if not given or exercise in given.get(student, ()):
        return ""
    whose = [name for name, those in given.items() if exercise in those]
    return f"has the numbers of {', '.join(whose) or 'nobody'}"


def _typed(line, before):
    """Why `check` cannot have written this line after the time `before`, in words; or ""."""
    stars = found(line.exercise).stars if line.right and _known(line.exercise) else 0
    if line.stars != stars:
        return f"typed by hand: {line.stars} stars where check writes {stars}"
    if not (line.code and line.time):
        return "typed by hand, or kept by a library before its programs: no program, no time"
    if line.time < before:
        return "typed by hand: earlier than the line before"
    return ""


def _judged(answerer, line):
    """(Is it right, what is said of its mistake, why it could not be judged) of a try; None for no answer."""
    program = line.code or rerun.program([line.answer], line.exercise) or line.answer
    try:
        with answerer.answer(program) as answer:
            if answer is None:
                return None
            wrong, mistake = found(line.exercise).told(answer)
    except Ended as why:
        return False, "", str(why)
    return not wrong, wrong and (mistake or "none of the known mistakes"), ""


def judge(work: Work, trust: bool = False, seconds: int = SECONDS) -> Student:
    """Run every try of a student again, and judge it.

    trust, seconds : as for `ldp_lib.site.answerer.Answerer`, which also says when RuntimeError is raised.
    """
    rows, seen = {}, {}
    strange = sorted({line.exercise for line, _ in work.tries if not _known(line.exercise)})
    trouble = [work.trouble] + [f"Not known here: exercise {', '.join(strange)}."] * bool(strange)
    end = time.monotonic() + MOST_SECONDS * seconds
    with Answerer(trust, seconds) as answerer:
        for line, doubt in work.tries[-MOST_TRIES:]:
            if line.exercise in strange:
                continue
            what = line.exercise, line.code or line.answer
            if what not in seen and time.monotonic() > end:
                seen[what] = False, "", "not run: the answers before it took too long"
            elif what not in seen:
                seen[what] = _judged(answerer, line)
            if not seen[what]:
                continue
            right, mistake, failure = seen[what]
            claim = "says right, is not" if line.right and not right else ""
            name = _base(line.exercise)
            old = rows.get(name, Row(0, 0, [], []))
            rows[name] = Row(
                max(old.stars, EXERCISES[name].stars * right), old.tries + 1,
                old.mistakes + [mistake] * bool(mistake),
                [*dict.fromkeys([*old.doubts, *filter(None, (claim, doubt, failure))])])
    return Student(work.student, work.name, rows, " ".join(filter(None, trouble)))


def judge_all(works: list[Work], trust: bool = False, seconds: int = SECONDS) -> Iterator[Student]:
    """`judge` each student, one on each core at a time, in the order given."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(works), os.cpu_count() or 1) or 1, fresh) as pool:
        yield from pool.map(judge, works, [trust] * len(works), [seconds] * len(works))


def columns(students: list[Student]) -> list[str]:
    """The exercises that somebody tried, in the order of the notebooks."""
    tried = {exercise for student in students for exercise in student.rows}
    return [exercise for exercise in EXERCISES if exercise in tried]


def table(students: list[Student]) -> str:
    """The table as CSV: a number of stars for each exercise, 0 if it was tried, nothing if not.

    The last column says which exercises have doubts, which the page explains.
    """
    text = io.StringIO()
    writer, tried = csv.writer(text), columns(students)
    writer.writerow(["student", "name", "stars", *tried, "doubts"])
    for student in students:
        stars = [student.rows[each].stars if each in student.rows else "" for each in tried]
        doubts = " ".join(each for each in tried if each in student.rows and student.rows[each].doubts)
        writer.writerow([_plain(student.student), _plain(student.name), sum(filter(None, stars)), *stars,
                         doubts])
    return text.getvalue()


def _plain(words):
    """Words that a spreadsheet takes for words: what begins like a formula is quoted."""
    return f"'{words}" if words.startswith(("=", "+", "-", "@", "\t", "\r")) else words


STYLE = """body { font: 16px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 80rem; padding: 0 1rem;
  color-scheme: light dark; }
div { overflow-x: auto; } table { border-collapse: collapse; min-width: 44rem; }
th, td { padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8888; }
thead th { white-space: nowrap; }"""


def _rows(name, head, rows):
    """A table of HTML, which scrolls in a narrow window; of each row the first cell is a heading."""
    top = "".join(f"<th scope='col'>{html.escape(each)}</th>" for each in head)
    body = "".join(f"<tr><th scope='row'>{html.escape(str(first))}</th>"
                   + "".join(f"<td>{html.escape(str(each))}</td>" for each in rest) + "</tr>"
                   for first, *rest in rows)
    return (f"<h2>{name}</h2><div role='region' aria-label='{name}' tabindex='0'>"
            f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>")


def _cell(row, exercise):
    """What the page says of a student and an exercise."""
    if row is None:
        return ""
    solved = "★" * row.stars or "☆" * EXERCISES[exercise].stars
    return f"{solved}{f' {row.tries}' if row.tries > 1 else ''}{' (!)' if row.doubts else ''}"


def page(students: list[Student]) -> str:
    """The table as a page of HTML: who solved what, what was typed by hand, mistakes, who is stuck where."""
    tried = columns(students)
    everybody = [[student.student, student.name, sum(row.stars for row in student.rows.values()),
                  *(_cell(student.rows.get(each), each) for each in tried)] for student in students]
    doubts = [[student.student, each, doubt] for student in students
              for each in tried if each in student.rows for doubt in student.rows[each].doubts]
    doubts += [[student.student, "", student.trouble] for student in students if student.trouble]
    exercises = []
    for each in tried:
        rows = {student.student: student.rows[each] for student in students if each in student.rows}
        mistakes = Counter(said for row in rows.values() for said in row.mistakes)
        stuck = [name for name, row in rows.items() if not row.stars and len(row.mistakes) >= STUCK]
        solved = sum(row.stars > 0 for row in rows.values())
        own = ", or with numbers of one's own" if each in VARIANTS else ""
        exercises.append([f"{each} {EXERCISES[each].question}{own}", f"{solved} of {len(rows)}",
                          f"{statistics.median(row.tries for row in rows.values()):g}", " / ".join(
                              f"{count} × {said}" for said, count in mistakes.most_common(3)),
                          ", ".join(stuck)])
    return "".join([
        "<!DOCTYPE html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>A class's work</title><style>{STYLE}</style><main><h1>A class's work</h1>"
        "<p>Every answer was run and judged again; stars are of answers that are right now. ★ solved, ☆ "
        "tried, with the number of tries; (!) see what to look at. Who copied a right answer cannot be "
        "told from who found it.</p>",
        _rows("Who solved what", ["student", "name", "stars", *tried], everybody),
        _rows("What to look at", ["student", "exercise", "what"], doubts),
        _rows("Exercise by exercise", ["exercise", "solved", "tries, median", "most frequent mistakes",
                                       f"stuck after {STUCK} mistakes"], exercises), "</main></html>\n"])


def main(arguments=None):
    """Collect, judge, write; refuse where answers could read or write files, unless told to trust them."""
    parser = argparse.ArgumentParser(description="Judge a class's work again, and write a table.")
    parser.add_argument("folder", type=Path, help="a folder or a zip: each entry is a student")
    parser.add_argument("--to", type=Path, default=Path("class"),
                        help="the table's files, without .csv and .html (default: class)")
    parser.add_argument("--sheet", type=Path, nargs="+", default=[],
                        help="the solutions of each hand-out: whose numbers are whose")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="that an answer may take")
    parser.add_argument("--trust", action="store_true",
                        help="run answers also where nothing keeps them from files and network")
    asked = parser.parse_args(arguments)
    try:
        works = list(collect(asked.folder, given(*asked.sheet)))
        if not asked.trust:
            with Answerer() as answerer, answerer.answer("1"):
                pass
    except (OSError, zipfile.BadZipFile) as failure:
        parser.error(f"the class cannot be read: {failure}")
    except RuntimeError as failure:
        parser.error(f"this system cannot keep answers from files and network: {failure}. On a machine where "
                     "they can do no harm, say --trust.")
    if not works:
        parser.error(f"{asked.folder} has no my_answers.jsonl and no notebook; each entry is a student")
    students = []
    for student in judge_all(works, asked.trust, asked.seconds):
        students.append(student)
        print(f"{len(students)} of {len(works)}: {student.student}", file=sys.stderr)
    for ending, content in (("csv", table(students)), ("html", page(students))):
        asked.to.with_suffix(f".{ending}").write_text(content, encoding="utf-8")
        print(asked.to.with_suffix(f".{ending}"))


if __name__ == "__main__":
    main()

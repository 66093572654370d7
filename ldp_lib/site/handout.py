"""Notebooks of exercises with other numbers for each student, and one sheet of solutions.

`handout("exam", students=30, seed=7)` writes them; `notebooks/hand_out.py` is its command.
The numbers are drawn from `ldp_lib.stage.judge.VARIANTS`, so that a typical mistake looks like no right
answer and like no other mistake, and that the right answer of one student is wrong for another one, as long
as there are enough of them.
"""

import csv
import itertools
import os
from collections.abc import Iterable
from pathlib import Path

import nbformat
import numpy as np

from ldp_lib._arguments import choice, whole
from ldp_lib.lessons.exercises import EXERCISES
from ldp_lib.stage.judge import VARIANTS, Near, found

APART = 0.11
"""Relative distance of a right answer and the mistakes: "Close: rounding?" is said up to 0.05."""
SHEET = "solutions.csv"
IN_CLASS = ("Replace each `...` and run the cell: your answer is judged at once, and kept beside the "
            "notebook, with the time and the lines that made it, so that it can be run again.")
FOR_GRADES = "Replace each `...`, run all cells and hand this notebook in. Nothing is judged here."
"""What a sheet says of itself."""
LATER = 'def check(exercise, answer):\n    """Your answer is judged when you have handed it in."""'


def _numbers(name):
    """The right answer of a variant, and the typical mistakes."""
    entry = found(name)
    return [entry.judge.right, *(made.value for made in entry.mistakes if isinstance(made, Near))]


def _apart(first, second, relative):
    return abs(first - second) > relative * max(abs(first), abs(second))


def drawn(exercise: str, count: int, rng: np.random.Generator) -> list[str]:
    """Draw `count` variants of an exercise, a key of `VARIANTS`; a variant comes again when all have come.

    >>> import numpy as np
    >>> drawn("05.1", 2, np.random.default_rng(7))
    ['05.1?s=0.65', '05.1?s=2.05']
    """
    clear = []
    for name in rng.permutation(sorted(VARIANTS[exercise])).tolist():
        numbers, tolerance = _numbers(name), found(name).judge.relative
        mistakes = all(_apart(*pair, APART) for pair in itertools.combinations(numbers, 2))
        if mistakes and all(_apart(numbers[0], _numbers(other)[0], 2 * tolerance) for other in clear):
            clear.append(name)
    return list(itertools.islice(itertools.cycle(clear), count))


def sheet(student: str, variants: list[str], graded: bool) -> nbformat.NotebookNode:
    """The notebook of one student. `graded` : it holds nothing that judges."""
    new = nbformat.v4
    first = LATER if graded else "from ldp_lib.live import check"
    cells = [new.new_markdown_cell(f"# Exercises\n\nFor {student}. {FOR_GRADES if graded else IN_CLASS}"),
             new.new_code_cell(first)]
    for name in variants:
        entry = found(name)
        cells += [new.new_markdown_cell(f"### {name.partition('?')[0]} {'★' * entry.stars}\n\n{entry.task}"),
                  new.new_code_cell(f'answer = ...\ncheck("{name}", answer)')]
    return _numbered(cells)


def _numbered(cells):
    """A notebook of these cells, the same bytes whenever it is written."""
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _graded(name):
    """What programs that grade need of a variant: its exercise, task, solution, test, points."""
    entry, base = found(name), name.partition("?")[0]
    answer = f"answer_{base.replace('.', '_')}"
    test = (f"from ldp_lib.live import check\nverdict = check({name!r}, {answer})\n"
            "assert verdict.right, verdict.text")
    return (base, f"### {base}\n\n{entry.task} Call it `{answer}`.",
            f"{answer} = {float(entry.judge.right)!r}", test, entry.stars)


def _of_nbgrader(cell, name, **more):
    """`cell` with nbgrader's metadata."""
    kind = {"grade": False, "solution": False, "locked": False, "task": False} | more
    cell.metadata["nbgrader"] = kind | {"grade_id": name.replace(".", "-"), "schema_version": 3}
    return cell


def nbgrader_source(variants: list[str]) -> nbformat.NotebookNode:
    """The lecturer's version of an assignment of nbgrader, with solutions and hidden tests.

    `nbgrader generate_assignment` takes both out; `nbgrader autograde` puts the tests back.
    """
    new, cells = nbformat.v4, [nbformat.v4.new_markdown_cell("# Exercises")]
    for name in variants:
        base, task, solution, test, stars = _graded(name)
        solution = f"### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
        test = f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS"
        cells += [_of_nbgrader(new.new_markdown_cell(task), f"{base}-task", locked=True),
                  _of_nbgrader(new.new_code_cell(solution), f"{base}-answer", solution=True),
                  _of_nbgrader(new.new_code_cell(test), f"{base}-test", grade=True, locked=True,
                               points=stars)]
    return _numbered(cells)


def otter_source(variants: list[str]) -> nbformat.NotebookNode:
    """The lecturer's version of an assignment of Otter-Grader, with solutions and hidden tests.

    `otter assign` takes both out; `otter run` grades with the tests. What students get does not import Otter.
    """
    code, raw = nbformat.v4.new_code_cell, nbformat.v4.new_raw_cell
    cells = [raw("# ASSIGNMENT CONFIG\ninit_cell: false\nexport_cell: false\ncheck_all_cell: false")]
    for name in variants:
        base, task, solution, test, stars = _graded(name)
        hidden = '""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\n'
        cells += [raw(f"# BEGIN QUESTION\nname: q{base.replace('.', '_')}\npoints: {stars}"),
                  nbformat.v4.new_markdown_cell(task),
                  raw("# BEGIN SOLUTION"), code(f"{solution} # SOLUTION"), raw("# END SOLUTION"),
                  raw("# BEGIN TESTS"), code(hidden + test), raw("# END TESTS"), raw("# END QUESTION")]
    return _numbered(cells)



def handout(folder: str | os.PathLike, students: int | Iterable[str] = 30, seed: int = 7, *,
            exercises: Iterable[str] | None = None, graded: bool = False, nbgrader: bool = False,
            otter: bool = False) -> Path:
    """Write a notebook for each student, with numbers of her own, and the solutions of all.

    Parameters
    ----------
    folder : path
        A new folder. Solutions go into it; what students get, into "students" below it.
    students : int or names
        How many, or who; a name is that of a file.
    seed : int
        Not negative; the same seed draws the same numbers.
    exercises : names
        Keys of `ldp_lib.stage.judge.VARIANTS`; None is all of them.
    graded : bool
        Whether notebooks hold nothing that judges.
    nbgrader, otter : bool
        Write "source/sheet/sheet.ipynb" for nbgrader, or for Otter-Grader, instead, with the same numbers for
        everybody.

    Returns
    -------
    Path
        The sheet of solutions, a CSV file: student, exercise, question, right answer, what counts. It tells
        `python -m ldp_lib.site.classroom FOLDER --sheet solutions.csv` whose numbers are whose.

    Raises
    ------
    FileExistsError
        If there is such a folder, so that nobody's answers are written over.
    ValueError
        If an argument is not legal.
    """
    folder, rng = Path(folder), np.random.default_rng(whole("seed", seed, least=0))
    asked = [choice("exercises", each, VARIANTS) for each in exercises or filter(VARIANTS.get, EXERCISES)]
    if isinstance(students, int):
        students = [f"student_{k + 1:02}" for k in range(whole("students", students))]
    if nbgrader and otter:
        raise ValueError("nbgrader and otter are both True; choose one of the two programs.")
    source = nbgrader_source if nbgrader else otter_source if otter else None
    who = ["everybody"] if source else list(students)
    for name in who:
        if Path(name).name != name or name.startswith("."):
            raise ValueError(f"students has {name!r:.60}; it must be a name that a file can have, no '/'.")
    if not who or len(set(who)) < len(who):
        raise ValueError("students must be at least one name, and nobody's twice.")
    given = dict(zip(who, zip(*(drawn(each, len(who), rng) for each in asked), strict=True), strict=True))
    home = folder / ("source/sheet" if source else "students")
    folder.mkdir(parents=True)
    home.mkdir(parents=True)
    for student, names in given.items():
        book = source(names) if source else sheet(student, names, graded)
        nbformat.write(book, home / ("sheet.ipynb" if source else f"{student}.ipynb"))
    with open(folder / SHEET, "x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "exercise", "question", "right", "counts"])
        writer.writerows([student, name, found(name).question, f"{found(name).judge.right:.10g}",
                          found(name).tolerance] for student, names in given.items() for name in names)
    return folder / SHEET

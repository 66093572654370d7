"""Copy the notebooks without their solutions, for a class that is to find them itself.

    python notebooks/hand_out.py FOLDER
    python notebooks/hand_out.py FOLDER --students 30 --seed 7 [--exercises 01.1 03.1] [--graded]
    python notebooks/hand_out.py FOLDER --nbgrader

Everything else stays as it is: pictures, folds, hints, links, the appendix.  FOLDER must not exist, so that
nobody's answers are written over.  With --students, how many or a file of names, it gets exercises instead: a
notebook with other numbers for each student, and one sheet of solutions, by `ldp_lib.site.handout`.
"""

import argparse
import pathlib
import re

import nbformat

from ldp_lib.site.handout import handout
from ldp_lib.stage.judge import VARIANTS

FOLDER = pathlib.Path(__file__).resolve().parent
SOLUTION = re.compile(r"<details>\s*<summary>[^<]*Solution[^<]*</summary>.*?</details>\s*", re.DOTALL)


def without_solutions(notebook):
    """Drop the folds called "Solution" from `notebook` (changed in place), and return how many there were."""
    dropped = 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source, found = SOLUTION.subn("", cell.source)
            dropped += found
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    return dropped


def students(text):
    """How many students, or their names from a file."""
    if text.isdecimal():
        return int(text)
    try:
        lines = pathlib.Path(text).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as failure:
        raise argparse.ArgumentTypeError(f"{text} is no number, and no file of names: {failure}") from None
    return [line.strip() for line in lines if line.strip()]


def main(arguments=None):
    """Write the copies; print how many solutions each notebook had."""
    parser = argparse.ArgumentParser(description="Copy the notebooks without their solutions.")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="a new folder")
    parser.add_argument("--students", type=students,
                        help="write exercises with other numbers for so many, or for the names in a file")
    parser.add_argument("--exercises", nargs="+", choices=VARIANTS, help="which of them (default: all)")
    parser.add_argument("--seed", type=int, default=7, help="of the numbers (default: 7)")
    parser.add_argument("--graded", action="store_true", help="leave out what judges")
    for program in ("nbgrader", "otter"):
        parser.add_argument(f"--{program}", action="store_true", help=f"write an assignment of {program}")
    asked = parser.parse_args(arguments)
    folder = asked.folder
    if folder.exists():
        parser.error(f"{folder} exists already; name a new folder, so that nobody's answers are lost")
    if asked.students or asked.nbgrader or asked.otter:
        try:
            print(handout(folder, asked.students or 1, asked.seed, exercises=asked.exercises,
                          graded=asked.graded, nbgrader=asked.nbgrader, otter=asked.otter))
        except ValueError as wrong:
            parser.error(str(wrong))
        return
    for path in sorted(FOLDER.glob("**/[!.]*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        dropped = without_solutions(notebook)
        copy = folder / path.relative_to(FOLDER)
        copy.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, copy)
        print(f"{path.stem:<28}{dropped:3} solutions left out")


if __name__ == "__main__":
    main()

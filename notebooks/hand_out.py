"""Copy the notebooks without their solutions, for a class that is to find them itself.

    python notebooks/hand_out.py FOLDER

Everything else stays as it is: pictures, folds, hints, links, the appendix.  FOLDER must not exist, so that
nobody's answers are written over.
"""

import argparse
import pathlib
import re

import nbformat

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


def main(arguments=None):
    """Write the copies; print how many solutions each notebook had."""
    parser = argparse.ArgumentParser(description="Copy the notebooks without their solutions.")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="a new folder")
    folder = parser.parse_args(arguments).folder
    if folder.exists():
        parser.error(f"{folder} exists already; name a new folder, so that nobody's answers are lost")
    for path in sorted(FOLDER.glob("**/[!.]*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        dropped = without_solutions(notebook)
        copy = folder / path.relative_to(FOLDER)
        copy.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, copy)
        print(f"{path.stem:<28}{dropped:3} solutions left out")


if __name__ == "__main__":
    main()

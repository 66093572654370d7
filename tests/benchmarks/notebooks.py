"""Seconds that each notebook takes from first cell to last, kernel included; the files stay as they are."""

import importlib.util
import time
from pathlib import Path

import nbformat

from .measure import Row, duration

TITLE = "Notebooks, executed"
FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
GOAL_SECONDS = 30


def rows():
    """Yield one `Row` a notebook."""
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path in sorted(FOLDER.glob("[0-9]*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        start = time.perf_counter()
        module.execute(notebook, FOLDER)
        seconds = time.perf_counter() - start
        yield Row(path.stem, duration(seconds), goal="30 s", met=seconds <= GOAL_SECONDS)

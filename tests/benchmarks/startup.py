"""Seconds until a fresh Python has imported the library, against numpy alone."""

import subprocess
import sys

from .measure import Row, duration, medians

TITLE = "Importing, in a fresh Python (medians of 3 in turns)"
ROOMS = ("nature", "privacy", "estimation", "risk", "theory", "live")
FOUNDATION = ("scipy.special", "scipy.stats", "scipy.integrate", "sklearn.base", "sklearn.utils.validation")
GOAL_SECONDS = 0.4


def imports(*modules):
    """An action that imports `modules` in a fresh Python."""
    command = [sys.executable, "-c", "; ".join(f"import {module}" for module in modules)]
    return lambda: subprocess.run(command, check=True)


def rows():
    """Yield one `Row` for the package and one for each room; a room imports the rooms before it."""
    rooms = [f"ldp_lib.{room}" for room in ROOMS]
    numpy, package, *taken, every, foundation = medians(
        3, imports("numpy"), imports("ldp_lib"), *map(imports, rooms), imports(*rooms), imports(*FOUNDATION))

    def beside(seconds):
        return f"numpy {1e3 * (seconds - numpy):+.0f} ms"

    yield Row("ldp_lib (alone it imports nothing)", duration(package), f"{duration(numpy)} for numpy",
              "numpy + 400 ms", package <= numpy + GOAL_SECONDS)
    # The goal is the package's; what a room takes is told beside what its foundation takes.
    for name, seconds in zip(rooms, taken, strict=True):
        yield Row(f"  {name}", duration(seconds), beside(seconds))
    yield Row("  all rooms", duration(every), beside(every))
    yield Row("  what they stand on: scipy, scikit-learn", duration(foundation), beside(foundation))

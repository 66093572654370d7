"""How the benchmarks take and show their numbers."""

import os
import platform
import statistics
import time
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """One comparison: what was measured, what stands beside it, the goal if any, and whether it is met."""

    what: str
    measured: str
    beside: str = ""
    goal: str = ""
    met: bool | None = None

    @property
    def verdict(self):
        return {None: "", True: "met", False: "MISSED"}[self.met]


def medians(repeats, *actions):
    """Median seconds of each action; they take turns, so that a busy moment of the machine meets all."""
    seconds = [[] for _ in actions]
    for _ in range(repeats):
        for action, taken in zip(actions, seconds, strict=True):
            start = time.perf_counter()
            action()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in seconds]


def duration(seconds):
    """Seconds in a unit that keeps three digits readable."""
    for unit, size in (("days", 86_400), ("h", 3600), ("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def machine():
    """One line about where and in what company the numbers were taken."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (f"{os.cpu_count()} cores ({platform.machine()}), load {load} over 1, 5, 15 minutes; "
            f"Python {platform.python_version()}, numpy {np.__version__}")


def print_table(title, rows):
    """Print `rows` in columns under `title`."""
    cells = [("", "measured", "beside it", "goal", ""), *((*row[:4], row.verdict) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print(f"\n{title}")
    for line in cells:
        print("  " + "   ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip(), flush=True)

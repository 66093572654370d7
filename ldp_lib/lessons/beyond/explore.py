"""*Explore* of notebook 07: the same theorem, mechanism by mechanism, and the people that each needs.

Everything on the right of the picture is exact. The table of one budget, all risks at all bandwidths and
numbers of people, takes some hundredths of a second: X is uniform, so that many cells share their two masses.
Where a curve of the paper's mechanism falls to the risk of the best one is computed between the two n of the
table.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.pictures import ERROR
from ldp_lib.nature import problem as build_problem
from ldp_lib.risk import cell_grid, label_probabilities
from ldp_lib.risk.exact import grid_risks, merged, people_on_curve
from ldp_lib.stage import Control
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.picture import (
    Axes, Picture, arrow, dots, figures, handle, line, linear, log, rule, short,
)
from ldp_lib.stage.widget import LivePanel, Positioned

ROLES = {"paper": "the paper's", "cells": "cells", "bit": "one bit", "best": "best"}
"""Mechanisms, and what they are called in the picture."""
LINES = {"paper": ("bound", 2.4), "cells": ("other", 2.2), "bit": ("private", 2.0)}
"""Role and width of the curves; the best is a wide one behind them, one of which it mostly is."""
PROBLEMS = ("sine", "wave")
ALPHAS = powers_of_two(-6, 6, 2)
"""Positions of alpha, half octaves."""
CELLS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
"""Cells per axis; the bandwidths are their reciprocals."""
PEOPLE = np.logspace(2, 11, 28).round().astype(int)[1:]
"""Numbers of people at which the curves are computed; the slider takes those up to `MOST_PEOPLE`."""
MOST_PEOPLE = 10**7
PEOPLE_AXIS = (80, 1.3e11)
"""Ends of the axis of n."""
TUNED = 0.0
"""The position of h that gives each mechanism the bandwidth of its least exact risk."""
FLOOR = 5e-7
"""An excess risk below is 0 to six digits, and not compared: soon it is all rounding errors."""
HIGHEST = 0.29
"""End of the axis of risk; the majority label has 0.25 in d = 1, 0.16 in d = 2."""
SAME = 1.2
"""Up to this factor two numbers of people are called about the same."""
SEED = 5
"""Of the numbers that decide all fits; chosen so that the first picture is a typical one."""


@lru_cache(maxsize=4)
def law(name, d):
    """The problem."""
    return build_problem(name, d=d)


def classifier(role, alpha, h):
    """The classifier of a role; real noise, since a lattice that moved with alpha would make curves jump."""
    if role == "paper":
        return CubeClassifier(alpha, h, noise="real")
    if role == "bit":
        return OneBitClassifier(alpha, h)
    return CellClassifier(alpha, h, mechanism="laplace" if role == "cells" else "best", noise="real")


@lru_cache(maxsize=96)
def pieces(name, d, paper, cells):
    """The paper's cubes or disjoint cells, `cells` per axis, `merged`: the two that this returns."""
    cubes = classifier("paper" if paper else "cells", 1.0, 1 / cells)
    grid, place = merged(cell_grid(cubes, law(name, d)))
    return grid, place.reshape((cells + paper,) * d)


def exact_risk(name, d, role, alpha, cells, people):
    """Exact excess risk at each of `people`, an array (m,)."""
    grid, _ = pieces(name, d, role == "paper", cells)
    return grid_risks(classifier(role, alpha, 1 / cells), [grid] * len(people), people, ERROR)


@lru_cache(maxsize=52)
def table(name, d, alpha):
    """Exact excess risks of each role, arrays (len(CELLS), len(PEOPLE))."""
    return {role: np.array([exact_risk(name, d, role, alpha, cells, PEOPLE) for cells in CELLS])
            for role in ROLES}


@lru_cache(maxsize=2)
def luck(d):
    """One uniform number a cell, common to all fits: a cell of index j says 1 if P(class 1) exceeds it.

    So every cell has the exact law of its label, and a fit changes where the law changes. Cells are drawn
    independently of each other, which their noise is; that people live in one cell only is neglected.
    """
    return np.random.default_rng(SEED).random((CELLS[-1] + 1,) * d)


def fit(name, d, role, alpha, cells, n):
    """The labels of one fit: the paper's rule asks the nearest grid point, the others the cell."""
    grid, place = pieces(name, d, role == "paper", cells)
    one = label_probabilities(classifier(role, alpha, 1 / cells), grid, n, ERROR)[1]
    says_one = luck(d)[tuple(map(slice, place.shape))] < one[place]
    return pictures.painted(says_one, 1 / cells, 0.5 if role == "paper" else 0.0)


@lru_cache(maxsize=4096)
def between(name, d, alpha, grids, rows, people):
    """Exact risks of the paper's mechanism with the cells per axis `grids[row]`, (len(rows), len(people))."""
    return np.array([exact_risk(name, d, "paper", alpha, grids[row], people) for row in rows])


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls; dicts have the keys `ROLES`."""

    bandwidths: dict
    boundary: np.ndarray
    """Where the Bayes rule changes, lines (2, m)."""
    decisions: dict
    """Labels of one fit, (PIXELS, PIXELS); rows are the second feature."""
    curves: dict
    """Exact excess risk at each of `PEOPLE`."""
    risks: dict
    """The same at n."""
    needed: float
    """People with whom the paper's mechanism has the risk of the best one at n; infinite if 10^11 are too
    few, NaN if both have the same risk or the best one is below `FLOOR`: then there is nothing to count."""
    majority: float
    """Excess risk of the majority label."""
    bayes_risk: float
    best: object
    """The mechanism of the role "best"."""


class Beyond(LivePanel):
    """Move alpha, h, d and n; watch four mechanisms learn from the same people, and count the people."""

    name = "beyond"
    title = "The same theorem, with how many people?"
    size = (10.6, 5.2)
    controls = (
        Control("problem", "problem", "", PROBLEMS, "sine", help="wave: its boundary lies on no grid"),
        Control("d", "features", "d", (1, 2), 2, "{}", "dimension of X"),
        Control("alpha", "privacy", "α", ALPHAS, 1.0, "{:.3g}", "budget of every person, in nats"),
        Control("n", "people", "n", tuple(int(n) for n in PEOPLE if n <= MOST_PEOPLE), 1000, "{:,}",
                "people in all"),
        Control("h", "bandwidth", "h", (TUNED, *(1 / m for m in reversed(CELLS))), TUNED,
                lambda h: f"{h:.3g}" if h else "its best",
                "of least exact risk at each n, or yours for all"),
    )

    @staticmethod
    def compute(problem: str, d: int, alpha: float, n: int, h: float) -> Result:
        """A `Result`."""
        risks, at = table(problem, d, alpha), int(np.searchsorted(PEOPLE, n))
        grids = CELLS if h == TUNED else (round(1 / h),)
        offered = [CELLS.index(cells) for cells in grids]
        rows = {role: offered[np.maximum(risks[role][offered, at], FLOOR).argmin()] for role in ROLES}
        curves = {role: risks[role][offered].min(axis=0) for role in ROLES}
        here = {role: float(curve[at]) for role, curve in curves.items()}
        equal = abs(here["paper"] - here["best"]) <= 10 * ERROR * here["best"]  # no more is known
        people = law(problem, d)
        return Result(
            {role: 1 / CELLS[row] for role, row in rows.items()}, pictures.boundary(people, 300),
            {role: fit(problem, d, role, alpha, CELLS[row], n) for role, row in rows.items()},
            curves, here,
            np.nan if equal or here["best"] < FLOOR else people_on_curve(
                here["best"], PEOPLE, risks["paper"][offered], partial(between, problem, d, alpha, grids)),
            1 - people.majority_rate - people.bayes_risk, people.bayes_risk,
            classifier("best", alpha, 1 / CELLS[rows["best"]]).build_mechanism(d),
        )

    @staticmethod
    def draw(result: Positioned) -> Picture:
        """Left: one fit of each mechanism. Right: the exact risks of all of them against n."""
        return Picture(((fit_of("paper", result), fit_of("bit", result)),
                        (fit_of("cells", result), fit_of("best", result)), (risks(result),)))

    def conclude(self, result: Positioned) -> str:
        """Risks at n, and the people that the paper's mechanism needs for the risk of the best."""
        risks = ", ".join(f"{words} {pictures.risk_in_words(result.risks[role], FLOOR)}"
                          for role, words in ROLES.items())
        return (f"With {result.n:,} people, d = {result.d} and α = {result.alpha:.3g} the exact excess "
                f"risks are: {risks}; the majority label {result.majority:.3f}. {verdict(result).sentence}")

    def summarise(self, result: Positioned) -> list[tuple[str, str]]:
        """Exact excess risks, bandwidths and what a person sends."""
        bits = result.best.bits
        return [
            *((f"excess risk, exact: {words}" if role == "paper" else words,
               f"{pictures.risk_in_words(result.risks[role], FLOOR)} (h = {result.bandwidths[role]:.3g})")
              for role, words in ROLES.items()),
            ("majority", short(result.majority)),
            ("Bayes error", short(result.bayes_risk)),
            ("best is", f"{type(result.best).__name__}, {bits:,} bit{'s' * (bits > 1)} a person"),
        ]


def fit_of(role, result):
    """The `Axes` of one fit of the mechanism of `role`; one column names the areas, the other the dashes."""
    names = {"areas": ()} if role in ("cells", "best") else {}
    return pictures.fit(role, result.decisions[role], result.boundary, ROLES[role],
                        dashes="Bayes rule" if names else "", **names)


def risks(result):
    """The `Axes` of the exact risks against n, and of the people that the paper's mechanism needs."""
    level, factor = result.risks["best"], result.needed / result.n
    marks = [rule("bayes", "best", y=0),
             rule("majority", "reference", y=result.majority, label="majority label"),
             rule("n", "truth", x=result.n, width=1, dash=(1, 3), handle=handle("n")),
             line("best", PEOPLE, result.curves["best"], "reference", dash=(), width=10, label="best")]
    for name, (role, width) in LINES.items():
        marks += [line(name, PEOPLE, result.curves[name], role, width=width, over=True, label=ROLES[name]),
                  dots(f"{name} here", [result.n], [result.risks[name]], role, size=11)]
    if np.isfinite(factor) and max(factor, 1 / factor) > SAME:
        marks.append(arrow("needed", result.n, level, result.needed, level, "truth", width=2))
    elif not np.isnan(factor):
        end = min(result.needed, PEOPLE_AXIS[1])
        marks.append(line("needed", [result.n, end], [level, level], "truth"))
    return Axes("risk", log(*PEOPLE_AXIS, every=2), linear(-0.01, HIGHEST, 0.1), verdict(result).headline,
                "people n", "exact excess risk", tuple(marks), wide=2.5)


class Verdict(NamedTuple):
    """On the paper's mechanism and the best one: a few words, and a sentence."""

    headline: str
    sentence: str


def verdict(result):
    """Return the `Verdict` on `result`; it counts people only where risks can be told apart."""
    if result.risks["best"] < FLOOR:
        if result.risks["paper"] < FLOOR:
            return Verdict("both equal the Bayes rule to 6 digits",
                           "To 6 digits the paper's mechanism and the best one equal the Bayes rule.")
        return Verdict("the best equals the Bayes rule to 6 digits",
                       "To 6 digits the best mechanism equals the Bayes rule; the paper's does not.")
    if np.isnan(result.needed):
        return Verdict("the same risk", "The paper's mechanism has the risk of the best.")
    which = "any h of the slider" if result.h == TUNED else "this h"
    if np.isinf(result.needed):
        return Verdict(f"not with 10¹¹ people at {which}",
                       f"With 10¹¹ people the paper's mechanism does not get there at {which}.")
    needs = f"For the risk of the best, the paper's mechanism needs {figures(result.needed, 2)} people, "
    factor = result.needed / result.n
    times = f"{figures(max(factor, 1 / factor), 2)} times"
    if factor > SAME:
        return Verdict(f"{times} fewer people", f"{needs}{times} as many.")
    if factor < 1 / SAME:
        return Verdict(f"the paper's needs {times} fewer people",
                       f"{needs}{times} fewer: the best has least noise, in cells that fit this law worse.")
    return Verdict("about as many people", f"{needs}about as many.")


def glance(people, **params):
    """Return a figure of the paper's and the best mechanism at each n of `people`.

    `params` as in the panel.
    """
    results = [Beyond.compute(n=n, **params) for n in people]
    last = results[-1]
    columns = [[pictures.fit(role, result.decisions[role], result.boundary,
                             f"{ROLES[role]}, n = {result.n:,}: {result.risks[role]:.3f}", areas=())
                for role in ("paper", "best")] for result in results]
    said = "; ".join(f"{result.risks['paper']:.3f} and {result.risks['best']:.3f} at n = {result.n:,}"
                     for result in results)
    alt = (f"Exact excess risk of the paper's and the best mechanism on {last.problem}, d = {last.d}, "
           f"alpha = {last.alpha:g}: {said}. The majority label has {last.majority:.3f}.")
    return pictures.row(columns, alt, (10.0, 5.6))

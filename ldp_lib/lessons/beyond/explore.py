"""*Explore* of notebook 07: the same theorem, mechanism by mechanism, and the people that each needs.

Everything on the right of the picture is exact. The table of one budget, all risks at all bandwidths and
numbers of people, takes some hundredths of a second: X is uniform, so that many cells share their two masses.
Where a curve of the paper's mechanism falls to the risk of the best one is computed between the two n of the
table.
"""

from functools import lru_cache, partial

import numpy as np

from ldp_lib.estimation import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.pictures import ERROR
from ldp_lib.nature import problem as build_problem
from ldp_lib.risk import cell_grid, label_probabilities
from ldp_lib.risk.exact import grid_risks, merged, people_on_curve
from ldp_lib.stage import Control, Shown, powers_of_two, view
from ldp_lib.stage.picture import Axes, arrow, dots, figures, handle, line, linear, log, rule, short

ROLES = {"paper": "the paper's", "cells": "cells", "bit": "one bit", "best": "best"}
"""Mechanisms, and what they are called in the picture."""
LINES = {"paper": ("bound", 2.4), "cells": ("other", 2.2), "bit": ("private", 2.0)}
"""Role and width of the curves; the best is a wide one behind them, one of which it mostly is."""
PROBLEMS = ("sine", "wave")
ALPHAS = powers_of_two(-6, 6, 2)
"""Positions of alpha, half octaves."""
CELLS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
"""Cells per axis; the bandwidths are their reciprocals."""
COUNTS = np.logspace(2, 11, 28).round().astype(int)[1:]
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

PROBLEM = Control("problem", "problem", "", PROBLEMS, "sine", help="wave: its boundary lies on no grid")
FEATURES = Control("d", "features", "d", (1, 2), 2, "{}", "dimension of X")
ALPHA = Control("alpha", "privacy", "α", ALPHAS, 1.0, "{:.3g}", "budget of every person, in nats")
PEOPLE = Control("n", "people", "n", tuple(int(n) for n in COUNTS if n <= MOST_PEOPLE), 1000, "{:,}",
                 "people in all")
WIDTH = Control("h", "bandwidth", "h", (TUNED, *(1 / m for m in reversed(CELLS))), TUNED,
                lambda h: f"{h:.3g}" if h else "its best", "of least exact risk at each n, or yours for all")


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
    """Exact excess risks of each role, arrays (len(CELLS), len(COUNTS))."""
    return {role: np.array([exact_risk(name, d, role, alpha, cells, COUNTS) for cells in CELLS])
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


def offered(h):
    """Cells per axis from which each mechanism takes its best."""
    return CELLS if h == TUNED else (round(1 / h),)


def risks(problem, d, alpha, h):
    """Role -> exact excess risks at the bandwidths that are `offered`, (bandwidths, len(COUNTS))."""
    rows = [CELLS.index(cells) for cells in offered(h)]
    return {role: risk[rows] for role, risk in table(problem, d, alpha).items()}


def least(problem, d, alpha, n, h):
    """Role -> least exact excess risk of n people; role -> cells per axis, below `FLOOR` the fewest."""
    at, grids, found = np.searchsorted(COUNTS, n), offered(h), risks(problem, d, alpha, h)
    return ({role: float(risk[:, at].min()) for role, risk in found.items()},
            {role: grids[np.maximum(risk[:, at], FLOOR).argmin()] for role, risk in found.items()})


def people_needed(problem, d, alpha, n, h):
    """People with whom the paper's mechanism has the risk of the best one at n; infinite above 10^11.

    NaN if both have the same risk or the best one is below `FLOOR`: then there is nothing to count.
    """
    here, _ = least(problem, d, alpha, n, h)
    best = here["best"]
    if abs(here["paper"] - best) <= 10 * ERROR * best or best < FLOOR:  # no more is known
        return np.nan
    return people_on_curve(best, COUNTS, risks(problem, d, alpha, h)["paper"],
                           partial(between, problem, d, alpha, offered(h)))


def fit_axes(role, problem, d, alpha, cells, n, title, **names):
    """The `Axes` of one fit of the mechanism of `role`; `names` of areas and dashes in the key."""
    return pictures.fit(role, fit(problem, d, role, alpha, cells[role], n),
                        pictures.boundary(law(problem, d), 300), title, **names)


@view(PROBLEM, FEATURES, ALPHA, PEOPLE, WIDTH)
def everything(problem, d, alpha, n, h):
    """Left: one fit of each mechanism. Right: the exact risks of all of them against n."""
    people, (here, cells) = law(problem, d), least(problem, d, alpha, n, h)
    majority, needed = 1 - people.majority_rate - people.bayes_risk, people_needed(problem, d, alpha, n, h)
    best = classifier("best", alpha, 1 / cells["best"]).build_mechanism(d)
    headline, sentence = verdict(here, needed, n, h)
    # One column names the areas, the other the dashes.
    dashes = {"areas": (), "dashes": "Bayes rule"}
    fits = {role: fit_axes(role, problem, d, alpha, cells, n, words,
                           **dashes if role in ("cells", "best") else {}) for role, words in ROLES.items()}
    words = {role: pictures.risk_in_words(risk, FLOOR) for role, risk in here.items()}
    said = ", ".join(f"{ROLES[role]} {risk}" for role, risk in words.items())
    return Shown(
        ((fits["paper"], fits["bit"]), (fits["cells"], fits["best"]),
         against_people(risks(problem, d, alpha, h), here, majority, n, needed, headline)),
        f"With {n:,} people, d = {d} and α = {alpha:.3g} the exact excess risks are: {said}; the majority "
        f"label {majority:.3f}. {sentence}",
        [*((f"excess risk, exact: {ROLES[role]}" if role == "paper" else ROLES[role],
            f"{risk} (h = {1 / cells[role]:.3g})") for role, risk in words.items()),
         ("majority", short(majority)), ("Bayes error", short(people.bayes_risk)),
         ("best is", f"{type(best).__name__}, {best.bits:,} bit{'s' * (best.bits > 1)} a person")])


def against_people(risks, here, majority, n, needed, title):
    """The `Axes` of the exact risks against n, and of the people that the paper's mechanism needs."""
    level, factor = here["best"], needed / n
    curves = {role: risk.min(axis=0) for role, risk in risks.items()}
    marks = [rule("bayes", "best", y=0),
             rule("majority", "reference", y=majority, label="majority label"),
             rule("n", "truth", x=n, width=1, dash=(1, 3), handle=handle("n")),
             line("best", COUNTS, curves["best"], "reference", dash=(), width=10, label="best")]
    for name, (role, width) in LINES.items():
        marks += [line(name, COUNTS, curves[name], role, width=width, over=True, label=ROLES[name]),
                  dots(f"{name} here", n, here[name], role, size=11)]
    if np.isfinite(factor) and max(factor, 1 / factor) > SAME:
        marks.append(arrow("needed", n, level, needed, level, "truth", width=2))
    elif not np.isnan(factor):
        marks.append(line("needed", [n, min(needed, PEOPLE_AXIS[1])], level, "truth"))
    return Axes("risk", log(*PEOPLE_AXIS, every=2), linear(-0.01, HIGHEST, 0.1), title, "people n",
                "exact excess risk", marks, wide=2.5)


def verdict(here, needed, n, h):
    """On the paper's mechanism and the best one: a few words, and a sentence.

    It counts people only where risks can be told apart.
    """
    if here["best"] < FLOOR:
        if here["paper"] < FLOOR:
            return ("both equal the Bayes rule to 6 digits",
                    "To 6 digits the paper's mechanism and the best one equal the Bayes rule.")
        return ("the best equals the Bayes rule to 6 digits",
                "To 6 digits the best mechanism equals the Bayes rule; the paper's does not.")
    if np.isnan(needed):
        return "the same risk", "The paper's mechanism has the risk of the best."
    which = "any h of the slider" if h == TUNED else "this h"
    if np.isinf(needed):
        return (f"not with 10¹¹ people at {which}",
                f"With 10¹¹ people the paper's mechanism does not get there at {which}.")
    needs = f"For the risk of the best, the paper's mechanism needs {figures(needed, 2)} people, "
    factor = needed / n
    times = f"{figures(max(factor, 1 / factor), 2)} times"
    if factor > SAME:
        return f"{times} fewer people", f"{needs}{times} as many."
    if factor < 1 / SAME:
        return (f"the paper's needs {times} fewer people",
                f"{needs}{times} fewer: the best has least noise, in cells that fit this law worse.")
    return "about as many people", f"{needs}about as many."


def glance(people, problem, d):
    """Return a figure of the paper's and the best mechanism, tuned, at each n of `people`."""
    made, alpha, columns, said = law(problem, d), ALPHA.default, [], []
    for n in people:
        here, cells = least(problem, d, alpha, n, TUNED)
        columns.append([fit_axes(role, problem, d, alpha, cells, n,
                                 f"{ROLES[role]}, n = {n:,}: {here[role]:.3f}", areas=())
                        for role in ("paper", "best")])
        said.append(f"{here['paper']:.3f} and {here['best']:.3f} at n = {n:,}")
    alt = (f"Exact excess risk of the paper's and the best mechanism on {problem}, d = {d}, alpha = "
           f"{alpha:g}: {'; '.join(said)}. The majority label has "
           f"{1 - made.majority_rate - made.bayes_risk:.3f}.")
    return pictures.row(columns, alt, (10.0, 5.6))

"""The surveyed people: how many are asked, the axis of their ages, and what a rule says of 144 of them."""

from functools import lru_cache

import numpy as np

from ldp_lib.lessons import pictures
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.stage.picture import Axes, bars, dots, line, linear

SURVEYED = 215_574
"""All of them."""
STOPS = (144, 576, 2304, 9216, 36_864, 147_456, SURVEYED)
"""Four times the people, again and again, and then everybody."""
ENDS = (-0.06, 1.18)
"""Of the axes of ages, which begin at 18; the last grid point may be beyond the oldest."""
YEARS = range(20, 101, 10)
AGE = linear(*ENDS, ticks=[(age - 18) / 73 for age in YEARS], words=[str(age) for age in YEARS],
             reads=(18, 73, 0, "years"))


@lru_cache(maxsize=1)
def by_age():
    """The law of all of them by age; to count them at every step of a slider would take time."""
    return problem("cps")


@lru_cache(maxsize=1)
def best_rule():
    """Where the best rule by age changes its decision: (m,)."""
    x, _ = pictures.boundary(by_age(), 4001)
    return x[np.isfinite(x)][::2]


def decisions(places, width, says):
    """The `Axes` of a rule's decisions at every age, where they are wrong, and the 144 persons.

    It `says` 1 of ages within half a `width` of some of the `places`, (m,), of others 0.
    """
    X, y = cast()
    edges = np.clip(np.append(places - width / 2, places[-1] + width / 2), 0, 1)
    best = best_rule()
    cuts = np.unique(np.concatenate([edges, best]))
    middles = (cuts[:-1] + cuts[1:]) / 2
    mine = says[np.abs(middles[:, None] - places).argmin(axis=1)]
    wrong = mine != (by_age().eta(middles[:, None]) >= 0.5)
    marks = [bars(key, *np.where(here, (cuts[:-1], cuts[1:]), np.nan), low, high, role, label=words)
             for key, here, low, high, role, words in (
                 ("zero", ~mine, 0, 1, "zero", "the rule says 0"),
                 ("one", mine, 0, 1, "one_plain", "it says 1"),
                 ("wrong", wrong, -0.5, -0.1, "wrong", "and is wrong"))]
    rows = np.where(y == 1, 0.85, 0.15)
    marks += [dots(f"label {label}", X[y == label, 0], rows[y == label], role, size=9, ring=ring, label=words)
              for label, role, ring, words in ((0, "truth", True, "did not work all year"),
                                               (1, "second", False, "worked all year"))]
    marks.append(line("best", np.repeat(best, 3), np.tile([-0.6, 1.1, np.nan], len(best)), "best", width=3,
                      dash=(2, 1), label="best rule changes"))
    sides = linear(-0.6, 1.1, ticks=(0.15, 0.85), words=("no 0", "yes 1"))
    return Axes("decisions", AGE, sides, "", "age", "", marks, high=3.2, grid=False)

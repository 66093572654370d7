"""How the panel of notebook 07 looks: four fits and exact risks of a `Result` of `ldp_lib.live.beyond`."""

from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection

from ldp_lib.live import style
from ldp_lib.live.consistency_scene import Regions

ROLES = {"paper": "the paper's", "cells": "cells, Laplace", "bit": "one bit", "best": "best"}
"""Mechanisms, and what they are called in the picture."""
CURVES = {
    "best": {"color": "#a9cfec", "linestyle": "-", "linewidth": 8, "solid_capstyle": "round"},
    "paper": {**style.THEOREM.curve, "linewidth": 2.4},
    "cells": {**style.OTHER.curve, "linewidth": 2.2},
    "bit": {**style.PRIVATE.curve, "linewidth": 1.6},
}
"""How the curves are drawn; the best is a wide one behind the others, one of which it mostly is."""
MARKERS = {"paper": style.THEOREM, "cells": style.OTHER, "bit": style.PRIVATE}
FLOOR = 5e-7
"""An excess risk below is 0 to six digits, and not compared: soon it is all rounding errors."""
SAME = 1.2
"""Up to this factor two numbers of people are called about the same."""
PEOPLE_AXIS = (80, 1.3e11)
"""Ends of the axis of n."""
HIGHEST = 0.33
"""End of the axis of risk; the majority label has 0.25 in d = 1, 0.16 in d = 2."""


class Boundary:
    """One fit of the mechanism of `role` as filled regions, the Bayes boundary as dashes."""

    def __init__(self, axes, role):
        self.role = role
        style.unit_square(axes)
        axes.set_title(ROLES[role])
        self.regions = axes.add_artist(Regions())
        self.boundary = axes.add_collection(LineCollection(
            [], colors=style.BAYES.colour, linestyles=[style.BAYES.line], linewidths=1.5, zorder=3))
        self.moving = [self.regions, self.boundary]

    def update(self, result):
        """Show the fit of `result`."""
        self.regions.labels = result.decisions[self.role]
        self.boundary.set_segments(result.boundary)


class Verdict(NamedTuple):
    """On the paper's mechanism and the best one: a few words over the arrow, and a sentence."""

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
    which = "any h of the slider" if result.tuned else "this h"
    if np.isinf(result.needed):
        return Verdict(f"not with 10^11 people at {which}",
                       f"With 10^11 people the paper's mechanism does not get there at {which}.")
    needs = f"For the risk of the best, the paper's mechanism needs {figures(result.needed)} people, "
    factor = result.needed / result.n
    if factor > SAME:
        return Verdict(f"{figures(factor)} times fewer people", f"{needs}{figures(factor)} times as many.")
    if factor < 1 / SAME:
        return Verdict(f"the paper's needs {figures(1 / factor)} times fewer people",
                       f"{needs}{figures(1 / factor)} times fewer.")
    return Verdict("about as many people", f"{needs}about as many.")


def figures(number):
    """A number in two figures: 1.4, 63, 640, 1,200."""
    return f"{float(f'{number:.2g}'):,.16g}"


class RiskCurves:
    """Exact excess risk against n for all mechanisms, and the people that the paper's needs for the best."""

    def __init__(self, axes):
        axes.set(xscale="log", xlim=PEOPLE_AXIS, ylim=(-0.02, HIGHEST), xlabel="people n",
                 ylabel="exact excess risk")
        axes.set_title("how many people?")
        axes.axhline(0, linewidth=1.2, **style.BAYES.curve)
        axes.annotate("Bayes: the best rule", (PEOPLE_AXIS[1], 0), xytext=(-2, -6),
                      textcoords="offset points", ha="right", va="top", fontsize=9)
        self.majority, = axes.plot([], [], linewidth=1.3, **style.REFERENCE.curve)
        self.majority_name = axes.text(PEOPLE_AXIS[1], 0, "majority label ", ha="right", va="bottom",
                                       fontsize=9, color="#6b6b6b")
        self.lines = {role: axes.plot([], [], label=ROLES[role], **look)[0] for role, look in CURVES.items()}
        self.here = {role: axes.plot([], [], **look.dots, markersize=8, markeredgecolor="white", zorder=4)[0]
                     for role, look in MARKERS.items()}
        self.span, = axes.plot([], [], color=style.INK, linewidth=1.4, zorder=5)
        self.tip, = axes.plot([], [], color=style.INK, marker=">", markersize=7, linestyle="none", zorder=5)
        # Between the name of the highest majority level and the legend no curve ever passes.
        self.headline = axes.text(0.5, 0.885, "", transform=axes.transAxes, ha="center", va="center",
                                  fontsize=13, fontweight="bold")
        axes.legend(handles=[self.lines[role] for role in ROLES], loc="upper center", ncols=4,
                    handlelength=2.2, columnspacing=1.2, borderaxespad=0)
        self.moving = [*self.lines.values(), *self.here.values(), self.span, self.tip, self.headline]

    def update(self, result):
        """Draw the curves of `result`, its n, and the span to the people that the paper's mechanism needs."""
        if list(self.majority.get_ydata()) != [result.majority] * 2:
            self.majority.set_data(PEOPLE_AXIS, [result.majority] * 2)
            self.majority_name.set_position((PEOPLE_AXIS[1], result.majority + 0.006))
        for role, line in self.lines.items():
            line.set_data(result.people, result.curves[role])
        for role, dot in self.here.items():
            dot.set_data([result.n], [result.risks[role]])
        level, factor = result.risks["best"], result.needed / result.n
        end = min(result.needed, PEOPLE_AXIS[1])  # NaN stays NaN, and no arrow is drawn
        headed = np.isfinite(factor) and max(factor, 1 / factor) > SAME
        self.span.set_data([result.n, end], [level, level])
        self.tip.set_data([end] if headed else [], [level] if headed else [])
        self.tip.set_marker(">" if factor > 1 else "<")
        self.headline.set_text(verdict(result).headline)


class Scene:
    """Left: one fit of each mechanism. Right: the exact risks of all of them against n."""

    def __init__(self, figure):
        grid = figure.add_gridspec(2, 3, width_ratios=(1, 1, 2.3))
        places = [grid[0, 0], grid[0, 1], grid[1, 0], grid[1, 1]]
        self.parts = [Boundary(figure.add_subplot(place), role)
                      for place, role in zip(places, ROLES, strict=True)]
        self.parts.append(RiskCurves(figure.add_subplot(grid[:, 2])))
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)

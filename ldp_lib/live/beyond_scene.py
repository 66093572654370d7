"""How the panel of notebook 07 looks: four fits and exact risks of a `Result` of `ldp_lib.live.beyond`."""

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
PEOPLE_AXIS = (80, 1.3e11)
"""Ends of the axis of n."""
HIGHEST = 0.31
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


class RiskCurves:
    """Exact excess risk against n for all mechanisms, and the people that the paper's needs for the best."""

    def __init__(self, axes):
        axes.set(xscale="log", xlim=PEOPLE_AXIS, ylim=(-0.02, HIGHEST), xlabel="people n",
                 ylabel="exact excess risk")
        axes.set_title("how many people?")
        axes.axhline(0, linewidth=1.2, **style.BAYES.curve)
        axes.annotate("Bayes: the best rule", (PEOPLE_AXIS[1], 0), xytext=(-2, -3),
                      textcoords="offset points", ha="right", va="top", fontsize=9)
        self.majority, = axes.plot([], [], linewidth=1.3, **style.REFERENCE.curve)
        self.majority_name = axes.text(PEOPLE_AXIS[1], 0, "majority label ", ha="right", va="bottom",
                                       fontsize=9, color="#6b6b6b")
        self.lines = {role: axes.plot([], [], label=ROLES[role], **look)[0] for role, look in CURVES.items()}
        self.here = {role: axes.plot([], [], **look.dots, markersize=8, markeredgecolor="white", zorder=4)[0]
                     for role, look in MARKERS.items()}
        self.span, = axes.plot([], [], color=style.INK, linewidth=1.4, zorder=5)
        self.tip, = axes.plot([], [], color=style.INK, marker=">", markersize=7, linestyle="none", zorder=5)
        # Between the highest majority level and the legend no curve ever passes.
        self.factor = axes.text(0.5, 0.885, "", transform=axes.transAxes, ha="center", va="center",
                                fontsize=13, fontweight="bold")
        axes.legend(handles=[self.lines[role] for role in ROLES], loc="upper center", ncols=4,
                    handlelength=2.2, columnspacing=1.2, borderaxespad=0)
        self.moving = [*self.lines.values(), *self.here.values(), self.span, self.tip, self.factor]

    def update(self, result):
        """Draw the curves of `result`, its n, and the span to the people that the paper's mechanism needs."""
        if list(self.majority.get_ydata()) != [result.majority] * 2:
            self.majority.set_data(PEOPLE_AXIS, [result.majority] * 2)
            self.majority_name.set_position((PEOPLE_AXIS[1], result.majority + 0.002))
        for role, line in self.lines.items():
            line.set_data(result.people, result.curves[role])
        for role, dot in self.here.items():
            dot.set_data([result.n], [result.risks[role]])
        level, end = result.risks["best"], result.needed
        reached = not np.isnan(end)
        fewer = reached and end > 1.2 * result.n
        right = end if reached else PEOPLE_AXIS[1]
        self.span.set_data([result.n, right], [level, level])
        self.tip.set_data([end] if fewer else [], [level] if fewer else [])
        self.factor.set_text(
            "the paper's mechanism never gets there" if not reached else
            f"{times(end / result.n)} times fewer people" if fewer else "about as many people")


def times(factor):
    """A factor in two figures: 1.4, 63, 640, 1,200."""
    return f"{float(f'{factor:.2g}'):,.12g}"


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

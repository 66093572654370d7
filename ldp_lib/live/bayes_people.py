"""How many people a curator saves: exact risks of rules that each use their own best bandwidth."""

import numpy as np

from ldp_lib.live import style
from ldp_lib.live.bayes_cells import ERROR
from ldp_lib.live.stage import PanelFigure
from ldp_lib.risk import CellGrid, cell_grid, label_probabilities

LOOKS = (style.SECOND, style.OTHER, style.PRIVATE)


def best_risks(rules, law, people):
    """Least exact excess risk among `rules` at each of `people`, an array; all n in one call for a rule."""
    least = np.full(len(people), np.inf)
    for rule in rules:
        cells = cell_grid(rule, law)
        every = CellGrid(*(np.concatenate([part] * len(people)) for part in cells))
        zero, one = label_probabilities(rule, every, np.repeat(people, len(cells.p)), ERROR)
        risks = (every.gain_one * zero + every.gain_zero * one).reshape(len(people), -1).sum(axis=1)
        np.minimum(least, risks, out=least)
    return least


def rivals_figure(rivals, law, people, needed):
    """Return a figure of `best_risks` against n, a line for each of the three `rivals`: name -> rules.

    needed : goal -> people that each rival needs for this excess risk, in their order; marked on the lines.
    """
    with style.context():
        figure = PanelFigure(figsize=(8.4, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.set(xscale="log", yscale="log", xlabel="people n", ylabel="exact excess risk",
                 title="each rule with the best bandwidth at every n")
        majority = 1 - law.majority_rate - law.bayes_risk
        style.level(axes, majority, "majority label", style.REFERENCE)
        for (name, rules), look in zip(rivals.items(), LOOKS, strict=True):
            axes.plot(people, best_risks(rules, law, people), linewidth=2.2, label=name, **look.curve)
        for goal, counts in needed.items():
            for n, look in zip(counts, LOOKS, strict=True):
                axes.plot(n, goal, markersize=8, markeredgecolor="white", **look.dots)
        axes.legend(loc="lower left")
    figure.alt = " ".join(
        f"For excess risk {goal:g}: " + ", ".join(
            f"{name} {n:,} people" for name, n in zip(rivals, counts, strict=True)) + "."
        for goal, counts in needed.items())
    return figure

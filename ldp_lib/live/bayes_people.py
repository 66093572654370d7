"""How many people a curator saves: exact risks of rules that each use their own best bandwidth."""

import numpy as np

from ldp_lib.live.bayes_cells import ERROR
from ldp_lib.live.engine.picture import Axes, Picture, dots, line, log, rule
from ldp_lib.risk import excess_risk

ROLES = ("second", "other", "private")


def best_risks(rules, law, people):
    """Least exact excess risk among `rules` at each of `people`, an array; all n in one call for a rule."""
    return np.min([excess_risk(rule, law, people, relative_error=ERROR) for rule in rules], axis=0)


def rivals_figure(rivals, law, people, needed):
    """Return a figure of `best_risks` against n, a line for each of the three `rivals`: name -> rules.

    needed : goal -> people that each rival needs for this excess risk, in their order; marked on the lines.
    """
    from ldp_lib.live.engine.figure import render

    majority = 1 - law.majority_rate - law.bayes_risk
    marks = [rule("majority", "reference", y=majority, label="majority label")]
    for k, ((name, rules), role) in enumerate(zip(rivals.items(), ROLES, strict=True)):
        marks += [line(name, people, best_risks(rules, law, people), role, label=name, width=2.8),
                  dots(f"goals of {name}", [counts[k] for counts in needed.values()], list(needed), role,
                       size=11)]
    axes = Axes("rivals", log(people[0], people[-1]), log(1e-4, 1),
                "each rule with the best bandwidth at every n", "people n", "exact excess risk", tuple(marks))
    return render(Picture(((axes,),)), " ".join(
        f"For excess risk {goal:g}: " + ", ".join(
            f"{name} {n:,} people" for name, n in zip(rivals, counts, strict=True)) + "."
        for goal, counts in needed.items()), (8.4, 4.4))

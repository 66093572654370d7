"""Figures that the notebooks draw once: pictures without controls."""

import numpy as np
from scipy.special import stdtrit

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live.engine.picture import Axes, band, dots, line, linear, log, rule
from ldp_lib.live.pictures import ERROR, row
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.risk import best_level, excess_risk
from ldp_lib.theory import sandwich


def slides_figure(results):
    """A figure of accuracy against alpha, one pair of axes per cloud, with 99% bands and all levels.

    results : what `ldp_lib.risk.simulated.slides_experiment` says of each cloud.
    """
    return row([_accuracies(result) for result in results], " ".join(
        f"{result.cloud}: from {result.mean[0]:.2f} at alpha = {result.alphas[0]:g} to {result.mean[-1]:.2f} "
        f"at alpha = {result.alphas[-1]:g}; without privacy {result.non_private:.2f}, Bayes "
        f"{result.bayes:.2f}, majority {result.majority:.2f}." for result in results), (10.0, 4.2))


def _accuracies(result):
    """The `Axes` of one cloud."""
    alphas, reach = result.alphas, stdtrit(result.repeats - 1, 0.995) * result.standard_error
    marks = (
        rule("majority", "reference", y=result.majority, label="majority label"),
        rule("histogram", "open", y=result.non_private, label="histogram, no privacy"),
        rule("bayes", "best", y=result.bayes, label="Bayes"),
        band("99%", alphas, result.mean - reach, result.mean + reach, "private"),
        line("private", alphas, result.mean, "private", label="private rule"),
        dots("means", alphas, result.mean, "private", size=8),
    )
    # Half a position beyond either end.
    beyond = (alphas[-1] / alphas[0]) ** (0.5 / max(len(alphas) - 1, 1))
    return Axes(result.cloud, log(alphas[0] / beyond, alphas[-1] * beyond, "{:g}", ticks=alphas),
                linear(0.45, 1.02, 0.1), f"{result.cloud}: {result.n:,} people, h = {result.h:g}",
                "privacy α (nats)", "accuracy on fresh people", marks)


def day(alphas):
    """A figure of the departures of a day, estimated privately at each of `alphas` (nats)."""
    x, f = flights(), density("departures")
    minutes = np.arange(1440) / 60
    columns, said = [], []
    for alpha in alphas:
        J, risk = best_level(f, len(x), alpha, "db2")
        fit = LinearWaveletDensity(alpha, "db2", J, scales="scaling_only", rng=1).fit(x)
        hours, values = fit.grid_pdf(depth=10 - J)
        marks = (line("flights", minutes, f.pdf(minutes / 24), "noise", label="all flights", width=0.8),
                 line("private", 24 * hours, values, "private", label="private"))
        columns.append(Axes(f"{alpha:g}", linear(0, 24, 6), linear(-1, 4, 1),
                            f"α = {alpha:g}: {1440 / 2**J:.0f} minutes", "hour", "", marks))
        said.append(f"{risk.value / f.l2_norm_squared:.2f} at α = {alpha:g}")
    return row(columns,
               "Departures by time of day and a private estimate of their density at the best resolution; "
               f"expected squared error over the square of the density: {', '.join(said)}.", (10.0, 3.2))


def best_risks(rules, law, people):
    """Least exact excess risk among `rules` at each of `people`, an array; all n in one call for a rule."""
    return np.min([excess_risk(rule, law, people, relative_error=ERROR) for rule in rules], axis=0)


def rivals_figure(rivals, law, people, needed):
    """Return a figure of `best_risks` against n, a line for each of the three `rivals`: name -> rules.

    needed : goal -> people that each rival needs for this excess risk, in their order; marked on the lines.
    """
    majority = 1 - law.majority_rate - law.bayes_risk
    marks = [rule("majority", "reference", y=majority, label="majority label")]
    roles = "second", "other", "private"
    for k, ((name, rules), role) in enumerate(zip(rivals.items(), roles, strict=True)):
        marks += [line(name, people, best_risks(rules, law, people), role, label=name, width=2.8),
                  dots(f"goals of {name}", [counts[k] for counts in needed.values()], list(needed), role,
                       size=11)]
    axes = Axes("rivals", log(people[0], people[-1]), log(1e-4, 1),
                "each rule with the best bandwidth at every n", "people n", "exact excess risk", tuple(marks))
    return row([axes], " ".join(
        f"For excess risk {goal:g}: " + ", ".join(
            f"{name} {n:,} people" for name, n in zip(rivals, counts, strict=True)) + "."
        for goal, counts in needed.items()), (8.4, 4.4))


def worth_of_a_nat(n, beta, gamma, d, alphas):
    """A figure of both sides of the minimax risk over the uniform part of the class against the budget alpha.

    Parameters as in `ldp_lib.theory.sandwich`; alphas : nats, ascending.
    """
    sides = [sandwich(n, alpha, beta, gamma, d, uniform_X=True) for alpha in alphas]
    lower, upper = ([getattr(side, name) for side in sides] for name in ("lower", "upper"))
    marks = (band("gap", alphas, lower, upper, "forbidden", label="between the best bounds"),
             line("upper", alphas, upper, "private", label="a rule that is private", width=3),
             line("lower", alphas, lower, "bound", label="no private rule is better", width=3))
    axes = Axes("nat", log(alphas[0], alphas[-1], "{:g}", ticks=alphas[::2]),
                log(min(lower) / 2, 2 * max(upper)), f"{n:,} people: the best excess risk, from both sides",
                "privacy α (nats)", "excess risk", marks)
    return row([axes], f"Bounds on the best private excess risk of {n:,} people: " + "; ".join(
        f"at alpha = {alpha:g} between {side.lower:.2g} and {side.upper:.2g}"
        for alpha, side in zip(alphas, sides, strict=True)) + ".", (7.6, 4.0))

"""Figures that the notebooks draw once: pictures without controls."""

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.lessons.pictures import ERROR, row
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.privacy import shuffled_counts, shuffled_epsilon
from ldp_lib.risk import best_level, excess_risk
from ldp_lib.stage.picture import Axes, band, bars, dots, figures, line, linear, log, power_of_ten, rule
from ldp_lib.theory import sandwich
from ldp_lib.theory.classification.game import PRIVATE_PLAYS, cube_risk, public_risk


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
                "each rule with the best bandwidth at every n", "people n", "exact excess risk", marks)
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


def scoreboard(games):
    """Return a figure: exact worst-case risks of all plays in up to three `games`, in multiples of bounds.

    The cube mechanism plays with h = 1 / (4q), at which one cube is one cell; m is at most 8.
    """
    rows = {"a coin": lambda game: game.coin,
            "cubes, h = 1/(4q)": lambda game: cube_risk(game, 1 / (4 * game.q))}
    rows |= PRIVATE_PLAYS | {"public x, private y": public_risk}
    y = -np.arange(len(rows))
    marks = [bars("forbidden", 0, 1, y[-1] - 0.5, 0.5, "forbidden", label="forbidden to private mechanisms"),
             rule("bound", "bound", x=1, width=2)]
    said = []
    for game, role in zip(games, ("private", "open", "other"), strict=False):
        shares = [play(game) / game.bound() for play in rows.values()]
        marks.append(dots(f"{game.alpha:g}", shares, y, role, label=f"α = {game.alpha:g}", size=11))
        said.append(f"at alpha = {game.alpha:g} " + ", ".join(
            f"{name} {share:.2f}" for name, share in zip(rows, shares, strict=True)))
    axes = Axes("scores", linear(0, 2.6, 0.5), linear(y[-1] - 0.5, 0.5, ticks=y, words=tuple(rows)),
                f"n = {games[0].n:,}: exact worst-case risk / bound for every α-LDP mechanism", marks=marks)
    return row([axes], f"Exact worst-case risk as a multiple of the lower bound: {'; '.join(said)}.",
               (9.0, 3.6))


SHARES = 0.01, 0.05, 0.25, 0.7, 0.95
"""Ticks of the axis of `shuffled`, which is in log-odds of shares of ones."""


def shuffled(alpha, people, delta):
    """A figure of what one of n shuffled bits can tell, for each n of `people`.

    Above: the loss at each share of ones, between -alpha and alpha, and the epsilon that is kept but for
    `delta`; below: how likely that share is, if all others have bit 0. In log-odds the loss is an S.

    alpha : nats.  people : two or more each.  delta : in (0, 1).
    """
    odds = np.log(np.divide(SHARES, np.subtract(1, SHARES)))
    x = linear(-alpha - 4.5, 4.5 - alpha, ticks=odds, words=[f"{share:.0%}" for share in SHARES])
    columns, said = [], []
    for n in people:
        counts, epsilon = shuffled_counts(alpha, n), shuffled_epsilon(delta, alpha, n)
        at = np.arange(1, n)
        where = np.log(at / (n - at))
        seen = (where > x.low) & (where < x.high)
        where, loss, law = where[seen], counts.loss[1:-1][seen], counts.zero[1:-1][seen]
        top = Axes(f"loss {n}", x, linear(-1.15 * alpha, 1.15 * alpha, ticks=(-alpha, 0, alpha)),
                   f"{n:,} people: ε = {figures(epsilon)}", "", "loss, nats",
                   (band("kept", [x.low, x.high], -epsilon, epsilon, "promise",
                         label=f"up to ε, but for δ = {power_of_ten(delta)}"),
                    line("loss", where, loss, "private", width=3, label="what the count tells")))
        low = Axes(f"law {n}", x, linear(0, 1.1, ticks=()), "", "share of ones", "how likely",
                   (line("law", where, law / law.max(), "second", width=3, label="others all 0"),
                    rule("middle", "reference", x=-alpha, label="nothing told")))
        columns.append((top, low))
        said.append(f"{figures(epsilon)} of {n:,}")
    return row(columns, f"In log-odds of the share of ones the loss is an S from -{alpha:g} to {alpha:g}. "
               "The more people, the narrower the shares that come up, and the less of the S they reach. "
               f"ε at δ = {power_of_ten(delta)} is {', '.join(said)} people.", (10.0, 4.6))

"""Scene *explore* of notebook 04, and its figures: the lower bound as a game against hidden signs.

Berrett & Butucea (2019), Theorem 2.5.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.lessons.pictures import broken, curves, here, row
from ldp_lib.stage import Control, Shown, log_steps, view
from ldp_lib.stage.picture import Axes, bars, cells, dots, line, linear, log, polygon, rule, step, text
from ldp_lib.theory import classification_exponent, distinguishability
from ldp_lib.theory.classification.game import Game, one_bit_tv
from ldp_lib.theory.contraction import at_most

SIGNS = np.random.default_rng(364).choice((-1, 1), 2**15)
"""The hidden signs, the same at all positions of the sliders; m never exceeds 2^15."""
KNOWN = 1e-6
"""A hypercube that leaves less than this share of a coin's risk has no secrets."""
LEFT = 1e-12
"""Less of a coin's risk is what rounding leaves of nothing: 1 − TV has no digits there."""
RUNGS = ("a coin: (m/2)Δ", "one bit each", "any: best pair", "Pinsker: n/4", "interactive: n/2",
         "as printed: 2n")
"""The rungs of the ladder, from the top; each is at most the one above."""
CURVES = {"one bit": ("one bit", "private", {"width": 3}), "dominating": ("best pair", "bound", {}),
          "noninteractive": ("n/4", "open", {}), "interactive": ("n/2", "other", {}),
          "printed": ("2n", "reference", {})}
"""Bounds on the total variation, in the order of the rungs below the first: names, roles, looks."""
LOSSES = np.linspace(-6, 6, 241)
"""Where the distribution functions of the log-likelihood ratio are drawn."""
COUNTS = tuple(np.geomspace(10, 1e9, 33).round().astype(int).tolist())
"""Numbers of people at which the curves of the total variation are drawn."""
MOST = 64
"""Cells per axis in the picture; of more, as many are shown as that, from the corner."""
FRAMED, FEW = 24, 12
"""Up to so many cells per axis the plane shows the cubes of people, and the signs."""


chosen_game = lru_cache(maxsize=64)(Game.best)
"""Kept: the signs and the sliders that it overrules do not matter."""


@lru_cache(maxsize=512)
def chances(n, alpha, separation):
    """TV of n reports, n a number or a tuple: that of one bit from everybody, and bounds for all others."""
    _, *contractions = CURVES
    bounds = {name: distinguishability(n, alpha, separation, name) for name in contractions}
    return {"one bit": one_bit_tv(n, alpha, separation)} | bounds


BUDGET = Control("alpha", "budget", "α", tuple(2.0 ** (k / 2) for k in range(-6, 5)), 1.0, "{:.3g}",
                 "nats per report")
PEOPLE = Control("n", "people", "n", log_steps(100, 100_000_000, 4), 1_000_000, "{:,}", "people in all")
HYPERCUBE = (
    Control("beta", "smoothness", "β", tuple(k / 8 for k in range(2, 9)), 1.0, "{:g}",
            "Hölder exponent of η"),
    Control("gamma", "margin", "γ", (*(k / 8 for k in range(9)), 1.5, 2.0, 3.0, 4.0, 6.0, 8.0), 0.5, "{:g}",
            "few people near a toss-up; at most d/β is used"),
    Control("d", "dimension", "d", (1, 2), 1, "{}"),
    Control("choose", "choose q, m, w for me", "", (False, True), False,
            help="the hypercube that proves most; overrules the next three"),
    Control("q", "cells per axis", "q", (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), 16, "{}"),
    Control("cells", "signs", "m", tuple(k / 16 for k in range(1, 17)), 1.0, "{:.0%}",
            "cells with a sign, as a share of the most that the margin condition allows"),
    Control("mass", "mass", "w", tuple(k / 20 for k in range(21)), 1.0, "{:.0%}",
            "people in such a cell, from the least (0) to the most (1) that the class allows"),
)
FLIP = Control("flip", "flip sign", "k", tuple(range(17)), 0, lambda k: str(k or "none"),
               "the cell whose sign is turned and examined; 0 turns none; after m it begins again")


def hypercube(alpha, n, beta, gamma, d, choose, q, cells, mass):
    """The `Game` that is played; gamma beyond d / beta, where the theorem ends, is replaced by d / beta."""
    gamma = min(gamma, d / beta)
    if choose:
        return chosen_game(n, alpha, beta, gamma, d)
    return Game.by_hand(n, alpha, beta, gamma, d, q, cells, mass)


def turned(m, flip):
    """The m signs of the vertex that is drawn, and the number of the cell that is examined."""
    signs, cell = SIGNS[:m].copy(), (flip - 1) % m if flip else 0
    if flip:
        signs[cell] *= -1
    return signs, cell


def ratio_laws(game):
    """P(log-likelihood ratio of n bits <= `LOSSES`) under sigma_k = +1 and -1, (2, 241), exact."""
    # The ratio is (ones - zeros) log((1 + tilt) / (1 - tilt)).
    ones = np.floor((LOSSES / (2 * math.atanh(game.tilt)) + game.n) / 2)
    return np.array([at_most(ones, game.n, (1 + sign * game.tilt) / 2) for sign in (1, -1)])


def rungs(game):
    """The numbers of the proof, (len(RUNGS),), from the risk of a coin down to the printed bound."""
    left = 1 - np.array([0.0, *chances(game.n, game.alpha, game.separation).values()])
    return game.coin * np.where(left < LEFT, 0.0, left)


def loosest(values):
    """The rung farthest below the one above; from the coin to one bit is no step of the proof."""
    return 2 + int(np.argmax(-np.diff(values[1:])))


@view(BUDGET, PEOPLE, *HYPERCUBE, FLIP)
def everything(alpha, n, beta, gamma, d, choose, q, cells, mass, flip):
    """The hypercube; what its sign does to the reports, at n and at all n; the proof."""
    game = hypercube(alpha, n, beta, gamma, d, choose, q, cells, mass)
    signs, cell = turned(game.m, flip)
    values, tv = rungs(game), float(chances(n, alpha, game.separation)["one bit"])
    _, own, bound, *_, printed = values
    used, people = min(gamma, d / beta), f"{n:,} people at α = {alpha:.3g}"
    if bound < KNOWN * game.coin:
        says = (f"{people} find out every sign of this hypercube: it proves nothing. "
                "Smaller bumps are harder to see.")
    else:
        says = (f"With {people} no private rule has a worst-case excess risk below {bound:.3g}; "
                f"one bit from everybody has {own:.3g} on this hypercube, {own / bound:.2f} times as much. "
                f"The loosest rung is “{RUNGS[loosest(values)]}”.")
    limit = " (the largest, d/β)" if gamma > used else ""
    return Shown(
        (cube(game.law, signs, cell), (ratio(ratio_laws(game)), chance(game, tv)), ladder(values)), says,
        [("hypercube", f"q = {game.q}, m = {game.m:,}, w = {game.w:.3g}"),
         ("first signs", "".join("+" if sign > 0 else "−" for sign in signs[:16])),
         ("height of 2η − 1", f"{game.law.height:.4g}"), ("cost of a sign Δ", f"{game.separation:.3g}"),
         ("1 − overlap (TV), one bit", f"{tv:.4f}"), ("TV at most", f"{1 - bound / game.coin:.4f}"),
         ("lower bound", f"{bound:.4g}"), ("as printed in the paper (2n)", f"{printed:.4g}"),
         ("margin γ used", f"{used:.3g}{limit}"),
         ("exponent", f"{classification_exponent(beta, used, d):.4g}")])


def cube(law, signs, cell):
    """The `Axes` of the vertex eta_sigma, a curve or a plane, and of the cell that is examined."""
    shown, unit = min(law.q, MOST), 1 / (4 * law.q)
    x = linear(0, shown / (2 * law.q), shown / (4 * law.q), "{:.2g}")
    title = "2η − 1, by its height" if law.d == 1 else "2η − 1: the signs of its bumps"
    if shown < law.q:
        title = f"2η − 1: {shown} of {law.q:,} cells per axis"
    if law.d == 1:
        examined = polygon("cell", law.centres[cell, 0] + unit * np.array([-1, 1, 1, -1]),
                           [-1.35, -1.35, 1.35, 1.35], "bound", hollow=True, label="cell k")
        return Axes("cube", x, linear(-1.5, 1.5, 1), title, "x", "", (*outline(law, signs[:shown]), examined),
                    grid=False)
    return Axes("cube", x, x, title, "x₁", "x₂", plane(law, signs, cell, shown), square=True, grid=False)


def outline(law, signs, height=1.0, words="2η − 1"):
    """The marks of a curve, called `words`, with bumps of these signs and this height; thick: people."""
    shown, unit = len(signs), 1 / (4 * law.q)
    feet = law.centres[:shown] + unit * np.array([-1, -0.5, 0.5, 1])
    tops = height * signs[:, None] * np.array([0, 1, 1, 0])
    return (
        rule("half", "reference", y=0, width=1, dash=()),
        line("eta", np.append(feet, shown * 2 * unit), np.append(tops, 0), "truth", width=1.5, label=words),
        line("people", broken(feet[:, 1:3]), broken(tops[:, 1:3]), "private", width=5, label="people"),
    )


def plane(law, signs, cell, shown):
    """The marks of the signs in the plane: cells, and in their middles the cubes in which people are."""
    table, unit = np.full(law.q**2, 2, np.uint8), 1 / (4 * law.q)
    table[: law.m] = signs > 0
    # The first index of a cell is its place along x1, which runs to the right.
    table = table.reshape(law.q, law.q).T[:shown, :shown]
    middles = law.centres[: law.m * (law.q <= FRAMED)]
    (left, low), (right, high) = (middles - unit / 2).T, (middles + unit / 2).T
    return (
        cells("signs", table, ("zero", "one", None), 2 * (0, shown * 2 * unit), labels=("−", "+")),
        bars("people", left, right, low, high, "private", hollow=True, label="people"),
        *(dots(name, *law.centres[(signs == sign) & (law.q <= FEW)].T, "truth", marker=name, size=9)
          for name, sign in (("plus", 1), ("minus", -1))),
        polygon("cell", *(law.centres[cell] + unit * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])).T,
                "bound", hollow=True, label="cell k"),
    )


def ratio(laws):
    """The `Axes` of the exact laws of the log-likelihood ratio of n bits; at 0, how far apart they are."""
    steps = [step(words, LOSSES, below, role, label=words) for words, below, role in
             zip(("σₖ = +1", "σₖ = −1"), laws, ("second", "first"), strict=True)]
    gap = line("gap", [0, 0], laws[:, LOSSES.size // 2], "truth", width=4, label="total variation")
    return Axes("ratio", linear(-6, 6, 3), linear(-0.05, 1.05, 0.5), "n bits: P(log-likelihood ratio ≤ x)",
                "", "", (*steps, gap), wide=1.3)


def chance(game, tv):
    """The `Axes` of the total variation of all reports under either sign against n, exact and bounded."""
    known = {name: (COUNTS, values) for name, values in chances(COUNTS, game.alpha, game.separation).items()}
    marks = (*curves(CURVES, known)[::-1], here(game.n, tv, "private", moves="n"))
    return Axes("chance", log(COUNTS[0], COUNTS[-1], every=2), linear(-0.08, 1.12, ticks=(0, 0.5, 1)),
                "total variation of all reports", "people n", "", marks, wide=1.3, high=1.15)


def ladder(values):
    """The `Axes` of the proof: every rung as a share of the coin's risk; the steepest fall is marked."""
    share, y = values / values[0], -np.arange(len(RUNGS))
    low = loosest(values)
    marks = (
        bars("rungs", 0, share, y - 0.38, y - 0.08, "private"),
        bars("fall", share[low], share[low - 1], y[low] - 0.38, y[low] - 0.08, "bound", label="loosest step"),
        text("names", 0, y - 0.08, RUNGS, dx=4, dy=-9),
        text("values", 1, y - 0.08, [f"{value:.3g}" for value in values], anchor="end", dy=-9),
    )
    return Axes("ladder", linear(0, 1, 0.25), linear(0.5 - len(RUNGS), 0.5),
                "What is left of a coin's risk", "", "", marks, wide=1.1)


def glance(people):
    """Return a figure of the best hypercube for each number of `people`, heights to scale."""
    columns, said = [], []
    for n in people:
        game = chosen_game(n, alpha=1.0, beta=1.0, gamma=0.5, d=1)
        law, bound = game.law, f"{rungs(game)[2]:.2g}"
        marks = outline(law, SIGNS[:game.m], law.height / 2, "η − 1/2")
        columns.append(Axes("cube", linear(0, 0.5, 0.25), linear(-0.16, 0.16, 0.1),
                            f"n = {n:,}: risk ≥ {bound}", "x", "", marks, grid=False))
        said.append(f"n = {n:,}: {law.m} hidden signs, height {law.height:.3g}, "
                    f"worst-case risk at least {bound}")
    return row(columns, f"The best hypercube at alpha = 1. {'; '.join(said)}.", (10.0, 3.4))



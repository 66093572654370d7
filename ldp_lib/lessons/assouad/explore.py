"""Scene *explore* of notebook 04, and its figures: the lower bound as a game against hidden signs.

Berrett & Butucea (2019), Theorem 2.5.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.pictures import broken, curves, here, row
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.picture import (
    Axes, Picture, bars, cells, dots, line, linear, log, polygon, rule, step, text,
)
from ldp_lib.stage.widget import LivePanel, Positioned
from ldp_lib.theory import classification_exponent, distinguishability
from ldp_lib.theory.classification.game import PRIVATE_PLAYS, Game, cube_risk, one_bit_tv, public_risk
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
PEOPLE = tuple(np.geomspace(10, 1e9, 33).round().astype(int).tolist())
"""Numbers of people at which the curves of the total variation are drawn."""
MOST = 64
"""Cells per axis in the picture; of more, as many are shown as that, from the corner."""
FRAMED, FEW = 24, 12
"""Up to so many cells per axis the plane shows the cubes of people, and the signs."""


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls; all of it exact.

    `gamma` is the one used. `signs` (m,) are those of the vertex that is drawn,
    `cell` is the number of the cell that is examined.
    `below` (2, 241): P(log-likelihood ratio <= `LOSSES`) under sigma_cell = +1 and -1, for n people who send
    `ldp_lib.theory.classification.game.one_bit_risk`'s bit; `tv` is the total variation distance of the two.
    `curves`: name of a contraction -> (33,) bound on TV at `PEOPLE`; "one bit" is exact.
    `ladder`: (len(RUNGS),) numbers of the proof, from the risk of a real mechanism down to the printed bound.
    """

    game: Game
    gamma: float
    signs: np.ndarray
    cell: int
    below: np.ndarray
    tv: float
    curves: dict
    ladder: np.ndarray

    @property
    def loosest(self):
        """The rung farthest below the one above; from the coin to one bit is no step of the proof."""
        return 2 + int(np.argmax(-np.diff(self.ladder[1:])))


chosen_game = lru_cache(maxsize=64)(Game.best)
"""Kept: the signs and the sliders that it overrules do not matter."""


@lru_cache(maxsize=512)
def chances(n, alpha, separation):
    """TV of n reports, n a number or a tuple: that of one bit from everybody, and bounds for all others."""
    _, *contractions = CURVES
    bounds = {name: distinguishability(n, alpha, separation, name) for name in contractions}
    return {"one bit": one_bit_tv(n, alpha, separation)} | bounds


class Assouad(LivePanel):
    """Theorem 2.5: whoever learns from private reports cannot know the signs of many small bumps."""

    name = "assouad"
    title = "Nobody can win this game"
    size = (12.6, 4.9)
    controls = (
        Control("alpha", "budget", "α", tuple(2.0 ** (k / 2) for k in range(-6, 5)), 1.0, "{:.3g}",
                "nats per report"),
        Control("n", "people", "n", log_steps(100, 100_000_000, 4), 1_000_000, "{:,}", "people in all"),
        Control("beta", "smoothness", "β", tuple(k / 8 for k in range(2, 9)), 1.0, "{:g}",
                "Hölder exponent of η"),
        Control("gamma", "margin", "γ", (*(k / 8 for k in range(9)), 1.5, 2.0, 3.0, 4.0, 6.0, 8.0), 0.5,
                "{:g}", "few people near a toss-up; at most d/β is used"),
        Control("d", "dimension", "d", (1, 2), 1, "{}"),
        Control("choose", "choose q, m, w for me", "", (False, True), False,
                help="the hypercube that proves most; overrules the next three"),
        Control("q", "cells per axis", "q", (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), 16, "{}"),
        Control("cells", "signs", "m", tuple(k / 16 for k in range(1, 17)), 1.0, "{:.0%}",
                "cells with a sign, as a share of the most that the margin condition allows"),
        Control("mass", "mass", "w", tuple(k / 20 for k in range(21)), 1.0, "{:.0%}",
                "people in such a cell, from the least (0) to the most (1) that the class allows"),
        Control("flip", "flip sign", "k", tuple(range(17)), 0, lambda k: str(k or "none"),
                "the cell whose sign is turned and examined; 0 turns none; after m it begins again"),
    )

    @staticmethod
    def compute(alpha: float, n: int, beta: float, gamma: float, d: int, choose: bool, q: int, cells: float,
                mass: float, flip: int) -> Result:
        """A `Result`; gamma beyond d / beta, where the theorem ends, is replaced by d / beta, and said to
        be."""
        used = min(gamma, d / beta)
        if choose:
            game = chosen_game(n, alpha, beta, used, d)
        else:
            game = Game.by_hand(n, alpha, beta, used, d, q, cells, mass)
        cell = (flip - 1) % game.m if flip else 0
        signs = SIGNS[: game.m].copy()
        if flip:
            signs[cell] *= -1
        tilt = game.separation * math.tanh(alpha / 2)
        # The ratio is (ones - zeros) log((1 + tilt) / (1 - tilt)).
        ones = np.floor((LOSSES / (2 * math.atanh(tilt)) + n) / 2)
        below = np.array([at_most(ones, n, (1 + sign * tilt) / 2) for sign in (1, -1)])
        known = chances(n, alpha, game.separation)
        left = 1 - np.array([0.0, *known.values()])
        ladder = game.coin * np.where(left < LEFT, 0.0, left)
        curves_ = chances(PEOPLE, alpha, game.separation)
        return Result(game, used, signs, cell, below, float(known["one bit"]), curves_, ladder)

    @staticmethod
    def draw(result: Positioned) -> Picture:
        """The hypercube; what its sign does to the reports, at n and at all n; the proof."""
        return Picture(((cube(result),), (ratio(result), chance(result)), (ladder(result),)))

    def conclude(self, result: Positioned) -> str:
        """What nobody can beat, what somebody reaches, and where the proof is loosest."""
        game, bound, own = result.game, result.ladder[2], result.ladder[1]
        people = f"{game.n:,} people at α = {game.alpha:.3g}"
        if bound < KNOWN * game.coin:
            return (f"{people} find out every sign of this hypercube: it proves nothing. "
                    "Smaller bumps are harder to see.")
        return (f"With {people} no private rule has a worst-case excess risk below {bound:.3g}; "
                f"one bit from everybody has {own:.3g} on this hypercube, {own / bound:.2f} times as much. "
                f"The loosest rung is “{RUNGS[result.loosest]}”.")

    def summarise(self, result: Positioned) -> list[tuple[str, str]]:
        """The hypercube and the numbers of the proof."""
        game, law = result.game, result.game.law
        limit = " (the largest, d/β)" if result.position["gamma"] > result.gamma else ""
        return [
            ("hypercube", f"q = {game.q}, m = {game.m:,}, w = {game.w:.3g}"),
            ("first signs", "".join("+" if sign > 0 else "−" for sign in result.signs[:16])),
            ("height of 2η − 1", f"{law.height:.4g}"), ("cost of a sign Δ", f"{game.separation:.3g}"),
            ("1 − overlap (TV), one bit", f"{result.tv:.4f}"),
            ("TV at most", f"{1 - result.ladder[2] / game.coin:.4f}"),
            ("lower bound", f"{result.ladder[2]:.4g}"),
            ("as printed in the paper (2n)", f"{result.ladder[-1]:.4g}"),
            ("margin γ used", f"{result.gamma:.3g}{limit}"),
            ("exponent", f"{classification_exponent(game.beta, result.gamma, game.d):.4g}"),
        ]


def cube(result):
    """The `Axes` of the vertex eta_sigma, a curve or a plane, and of the cell that is examined."""
    law = result.game.law
    shown = min(law.q, MOST)
    x = linear(0, shown / (2 * law.q), shown / (4 * law.q), "{:.2g}")
    title = "2η − 1, by its height" if law.d == 1 else "2η − 1: the signs of its bumps"
    if shown < law.q:
        title = f"2η − 1: {shown} of {law.q:,} cells per axis"
    if law.d == 1:
        return Axes("cube", x, linear(-1.5, 1.5, 1), title, "x", "", bumps(result, shown), grid=False)
    return Axes("cube", x, x, title, "x₁", "x₂", plane(result, shown), square=True, grid=False)


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


def bumps(result, shown):
    """The marks of the curve in the first cells, and of the cell that is examined."""
    law, unit = result.game.law, 1 / (4 * result.game.q)
    middle = law.centres[result.cell, 0]
    return (
        *outline(law, result.signs[:shown]),
        polygon("cell", middle + unit * np.array([-1, 1, 1, -1]), [-1.35, -1.35, 1.35, 1.35], "bound",
                hollow=True, label="cell k"),
    )


def plane(result, shown):
    """The marks of the signs in the plane: cells, and in their middles the cubes in which people are."""
    law, unit = result.game.law, 1 / (4 * result.game.q)
    table = np.full(law.q**2, 2, np.uint8)
    table[: law.m] = result.signs > 0
    # The first index of a cell is its place along x1, which runs to the right.
    table = table.reshape(law.q, law.q).T[:shown, :shown]
    middles = law.centres[: law.m * (law.q <= FRAMED)]
    (left, low), (right, high) = (middles - unit / 2).T, (middles + unit / 2).T
    return (
        cells("signs", table, ("zero", "one", None), 2 * (0, shown * 2 * unit), labels=("−", "+")),
        bars("people", left, right, low, high, "private", hollow=True, label="people"),
        *(dots(name, *law.centres[(result.signs == sign) & (law.q <= FEW)].T, "truth", marker=name, size=9)
          for name, sign in (("plus", 1), ("minus", -1))),
        polygon("cell", *(law.centres[result.cell] + unit * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])).T,
                "bound", hollow=True, label="cell k"),
    )


def ratio(result):
    """The `Axes` of the exact laws of the log-likelihood ratio of n bits; at 0, how far apart they are."""
    laws = [step(words, LOSSES, below, role, label=words) for words, below, role in
            zip(("σₖ = +1", "σₖ = −1"), result.below, ("second", "first"), strict=True)]
    gap = line("gap", [0, 0], result.below[:, LOSSES.size // 2], "truth", width=4, label="total variation")
    return Axes("ratio", linear(-6, 6, 3), linear(-0.05, 1.05, 0.5), "n bits: P(log-likelihood ratio ≤ x)",
                "", "", (*laws, gap), wide=1.3)


def chance(result):
    """The `Axes` of the total variation of all reports under either sign against n, exact and bounded."""
    known = {name: (PEOPLE, values) for name, values in result.curves.items()}
    marks = (*curves(CURVES, known)[::-1], here(result.n, result.tv, "private", moves="n"))
    return Axes("chance", log(PEOPLE[0], PEOPLE[-1], every=2), linear(-0.08, 1.12, ticks=(0, 0.5, 1)),
                "total variation of all reports", "people n", "", marks, wide=1.3, high=1.15)


def ladder(result):
    """The `Axes` of the proof: every rung as a share of the coin's risk; the steepest fall is marked."""
    share, y = result.ladder / result.ladder[0], -np.arange(len(RUNGS))
    low, thick = result.loosest, np.array([-0.38, -0.08])
    marks = (
        bars("rungs", 0 * share, share, *(y + side for side in thick[:, None]), "private"),
        bars("fall", share[[low]], share[[low - 1]], *(y[low] + side for side in thick[:, None]), "bound",
             label="loosest step"),
        text("names", 0 * share, y + 0.22, RUNGS, dx=4),
        text("values", 0 * share + 1, y + 0.22, [f"{value:.3g}" for value in result.ladder], anchor="end"),
    )
    return Axes("ladder", linear(0, 1, 0.25), linear(0.5 - len(RUNGS), 0.5),
                "What is left of a coin's risk", "", "", marks, wide=1.1)


def glance(people):
    """Return a figure of the best hypercube for each number of `people`, heights to scale."""
    columns, said = [], []
    for n in people:
        result = Assouad.compute(n=n, choose=True)
        law, bound = result.game.law, f"{result.ladder[2]:.2g}"
        marks = outline(law, result.signs, law.height / 2, "η − 1/2")
        columns.append(Axes("cube", linear(0, 0.5, 0.25), linear(-0.16, 0.16, 0.1),
                            f"n = {n:,}: risk ≥ {bound}", "x", "", marks, grid=False))
        said.append(f"n = {n:,}: {law.m} hidden signs, height {law.height:.3g}, "
                    f"worst-case risk at least {bound}")
    return row(columns, f"The best hypercube at alpha = {result.alpha:g}. {'; '.join(said)}.", (10.0, 3.4))


def scoreboard(games):
    """Return a figure: exact worst-case risks of all plays in up to three `games`, in multiples of bounds.

    The cube mechanism plays with h = 1 / (4q), at which one cube is one cell; m is at most 8.
    """
    rows = {"a coin": lambda game: game.coin,
            "cubes, h = 1/(4q)": lambda game: cube_risk(game, 1 / (4 * game.q))}
    rows |= PRIVATE_PLAYS | {"public x, private y": public_risk}
    y = -np.arange(len(rows))
    marks = [bars("forbidden", [0], [1], y[-1:] - 0.5, [0.5], "forbidden",
                  label="forbidden to private mechanisms"),
             rule("bound", "bound", x=1, width=2)]
    said = []
    for game, role in zip(games, ("private", "open", "other"), strict=False):
        shares = [play(game) / game.bound() for play in rows.values()]
        marks.append(dots(f"{game.alpha:g}", shares, y, role, label=f"α = {game.alpha:g}", size=11))
        said.append(f"at alpha = {game.alpha:g} " + ", ".join(
            f"{name} {share:.2f}" for name, share in zip(rows, shares, strict=True)))
    axes = Axes("scores", linear(0, 2.6, 0.5), linear(y[-1] - 0.5, 0.5, ticks=y, words=tuple(rows)),
                f"n = {games[0].n:,}: exact worst-case risk / bound for every α-LDP mechanism",
                marks=tuple(marks))
    return row([axes], f"Exact worst-case risk as a multiple of the lower bound: {'; '.join(said)}.",
               (9.0, 3.6))

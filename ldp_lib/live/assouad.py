"""The panel of notebook 04: the lower bound as a game against hidden signs.

Berrett & Butucea (2019), Theorem 2.5.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.live import style
from ldp_lib.live.assouad_scene import LOSSES, PEOPLE, RUNGS, Cube, Scene
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.live.game import PRIVATE_PLAYS, Game, at_most, cube_risk, one_bit_tv, public_risk
from ldp_lib.live.stage import PanelFigure
from ldp_lib.theory import classification_exponent, distinguishability

SIGNS = np.random.default_rng(364).choice((-1, 1), 2**15)
"""The hidden signs, the same at all positions of the sliders; m never exceeds 2^15."""

PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
"""The ground of words on a hatched field."""
KNOWN = 1e-6
"""A hypercube that leaves less than this share of a coin's risk has no secrets."""


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls; all of it exact.

    `gamma` is the one used, `asked` that of the slider. `signs` (m,) are those of the vertex that is drawn,
    `cell` is the number of the cell that is examined.
    `below` (2, 241): P(log-likelihood ratio <= `LOSSES`) under sigma_cell = +1 and -1, for n people who send
    `ldp_lib.live.game.one_bit_risk`'s bit; `tv` is the total variation distance of the two.
    `curves`: name of a contraction -> (33,) bound on TV at `PEOPLE`; "one bit" is exact.
    `ladder`: (len(RUNGS),) numbers of the proof, from the risk of a real mechanism down to the printed bound.
    """

    game: Game
    gamma: float
    asked: float
    chosen: bool
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


@lru_cache(maxsize=4096)
def chosen_game(n, alpha, beta, gamma, d):
    """`Game.best`, kept: the signs and the sliders that it overrules do not matter."""
    return Game.best(n, alpha, beta, gamma, d)


@lru_cache(maxsize=512)
def chance_curves(alpha, separation):
    """Bounds on TV at all `PEOPLE`, and that of one bit from everybody."""
    curves = {name: distinguishability(PEOPLE, alpha, separation, name)
              for name in ("dominating", "noninteractive", "interactive", "printed")}
    return curves | {"one bit": one_bit_tv(PEOPLE, alpha, separation)}


class Assouad(LivePanel):
    """Theorem 2.5: whoever learns from private reports cannot know the signs of many small bumps."""

    title = "Nobody can win this game"
    size = (10.6, 5.8)
    scene = Scene
    controls = (
        Control("alpha", "privacy", "α", tuple(2.0 ** (k / 2) for k in range(-6, 5)), 1.0, "{:.3g}",
                "nats per report"),
        Control("n", "people", "n", log_steps(100, 100_000_000, 4), 1_000_000, "{:,}", "people in all"),
        Control("beta", "smoothness", "β", tuple(k / 8 for k in range(2, 9)), 1.0, "{:g}",
                "Hölder exponent of η"),
        Control("gamma", "margin", "γ", (*(k / 8 for k in range(9)), 1.5, 2.0, 3.0, 4.0, 6.0, 8.0), 0.5,
                "{:g}", "few people near a toss-up; at most d/β is used"),
        Control("d", "dimension", "d", (1, 2), 1, "{}"),
        Control("choose", "choose q, m, w for me", "", (False, True), False,
                help="the hypercube that proves most; overrules the next three"),
        Control("q", "cells per axis", "q", (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64), 4, "{}"),
        Control("cells", "signs", "m", tuple(k / 16 for k in range(1, 17)), 1.0, "{:.0%}",
                "cells with a sign, as a share of the most that the margin condition allows"),
        Control("mass", "mass", "w", tuple(k / 20 for k in range(21)), 1.0, "{:.0%}",
                "people in such a cell, from the least (0) to the most (1) that the class allows"),
        Control("flip", "flip sign", "k", tuple(range(17)), 0, "{}",
                "the cell whose sign is turned and examined; 0 turns none; after m it begins again"),
    )

    @staticmethod
    def compute(alpha, n, beta, gamma, d, choose, q, cells, mass, flip):
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
        tv = float(one_bit_tv(n, alpha, game.separation))
        own = game.coin * (1 - tv)
        rest = [game.bound(name) for name in ("dominating", "noninteractive", "interactive", "printed")]
        curves = chance_curves(alpha, game.separation)
        return Result(game, used, gamma, choose, signs, cell, below, tv, curves,
                      np.array([game.coin, own, *rest]))

    def conclude(self, result):
        """What nobody can beat, what somebody reaches, and where the proof is loosest."""
        game, bound, own = result.game, result.ladder[2], result.ladder[1]
        people = f"{game.n:,} people at α = {game.alpha:.3g}"
        if bound < KNOWN * game.coin:
            return (f"{people} find out every sign of this hypercube: it proves nothing. "
                    "Smaller bumps are harder to see.")
        return (f"With {people} no private rule has a worst-case excess risk below {bound:.3g}; "
                f"one bit from everybody has {own:.3g} on this hypercube, {own / bound:.2f} times as much. "
                f"The loosest rung is “{RUNGS[result.loosest]}”.")

    def summarise(self, result):
        """The hypercube and the numbers of the proof."""
        game, law = result.game, result.game.law
        limit = " (the largest, d/β)" if result.asked > result.gamma else ""
        return [
            ("hypercube", f"q = {game.q}, m = {game.m:,}, w = {game.w:.3g}"),
            ("first signs", "".join("+" if sign > 0 else "−" for sign in result.signs[:16])),
            ("height Lφ", f"{law.height:.4g}"), ("cost of a sign Δ", f"{game.separation:.3g}"),
            ("TV, one bit", f"{result.tv:.4f}"), ("TV at most", f"{1 - result.ladder[2] / game.coin:.4f}"),
            ("lower bound", f"{result.ladder[2]:.4g}"), ("as printed (2n)", f"{result.ladder[-1]:.4g}"),
            ("γ used", f"{result.gamma:.3g}{limit}"),
            ("exponent", f"{classification_exponent(game.beta, result.gamma, game.d):.4g}"),
        ]


def glance(people, alpha=1.0, beta=1.0, gamma=0.5):
    """Return a figure of the best hypercube for each number of `people`, d = 1, heights to scale."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.4), layout="constrained")
        said = []
        for axes, n in zip(figure.subplots(1, len(people), sharey=True), people, strict=True):
            result = Assouad.compute(n=n, alpha=alpha, beta=beta, gamma=gamma, d=1, choose=True)
            cube = Cube(axes, heights=True)
            cube.update(result)
            axes.set_title(f"n = {n:,}: risk ≥ {result.ladder[2]:.2g}")
            said.append(f"n = {n:,}: {result.game.m} hidden signs, height {result.game.law.height:.3g}, "
                        f"worst-case risk at least {result.ladder[2]:.2g}")
    figure.alt = f"The best hypercube at alpha = {alpha:g}. " + "; ".join(said) + "."
    return figure


def scoreboard(games):
    """Return a figure: exact worst-case risks of all plays in up to three `games`, in multiples of bounds.

    The cube mechanism plays with h = 1 / (4q), at which one cube is one cell; m is at most 8.
    """
    rows = {"a coin": lambda game: game.coin,
            "cubes, h = 1/(4q)": lambda game: cube_risk(game, 1 / (4 * game.q))}
    rows |= PRIVATE_PLAYS | {"public x, private y": public_risk}
    with style.context():
        figure = PanelFigure(figsize=(9.0, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(0, 2.6), ylim=(len(rows) - 0.5, -0.5),
                 xlabel="exact worst-case risk / bound for every α-LDP mechanism")
        axes.set_yticks(range(len(rows)), rows)
        axes.axvline(1, **style.THEOREM.curve)
        axes.axvspan(0, 1, facecolor=style.REGIONS[1], hatch="///", edgecolor="white", linewidth=0, zorder=0)
        axes.text(0.02, -0.15, "forbidden to private mechanisms", color=style.INK, fontsize=9, bbox=PAPER)
        said = []
        for game, look in zip(games, (style.PRIVATE, style.NON_PRIVATE, style.OTHER), strict=False):
            shares = [play(game) / game.bound() for play in rows.values()]
            axes.plot(shares, range(len(rows)), label=f"α = {game.alpha:g}", markersize=8,
                      markeredgecolor="white", **look.dots)
            said.append(f"at alpha = {game.alpha:g} " + ", ".join(
                f"{name} {share:.2f}" for name, share in zip(rows, shares, strict=True)))
        axes.legend(loc="lower right", title=f"n = {games[0].n:,}")
    figure.alt = "Exact worst-case risk as a multiple of the lower bound: " + "; ".join(said) + "."
    return figure

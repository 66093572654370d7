"""The story of notebook 04: hidden signs, and the rectangle cost x hidden (Berrett & Butucea, Theorem 2.5).

The class has beta = d = 1 and gamma = 1/2, and alpha = 1 where no control says otherwise. *Hidden* is
1 - TV of all reports under the two signs of one bump: 1 is a coin's knowledge, 0 is certainty.
"""

import dataclasses
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.assouad import explore
from ldp_lib.lessons.bars import NOISE, noise_band, signal_bars
from ldp_lib.stage import Control
from ldp_lib.stage.picture import (
    Axes, Picture, band, bars, dots, handle, line, linear, log, rule, short, step, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Scene
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.game import Game, challenge, margin_constant, one_bit_risk, one_bit_tv
from ldp_lib.theory.classification.lower import legal_hypercubes
from ldp_lib.theory.contraction import at_most, indistinguishability, kernel_budget, mirrored_overlap

CONTROL = {control.name: control for control in explore.Assouad.controls}
MILLION, ALPHA = 10**6, 1.0
FLIPS = tuple(Control(f"sign{k}", f"sign {k}", "", (-1, 1), 1 if k in (1, 4, 5, 7, 8) else -1,
                      lambda sign: "up" if sign > 0 else "down") for k in range(1, 9))
UP = Control("up", "the bump is", "", ("up", "down"), "up")
SHOWN = Control("shown", "the overlap", "", (False, True), False)
SEEN = Control("seen", "the question is answered", "", (False, True), False)
CHANCES = tuple(k / 100 for k in range(1, 100))
YES = Control("yes", "label 1, on the bump", "", CHANCES, 0.7, "{:.2f}", "chance of sending a 1")
NO = Control("no", "label 0, on the bump", "", CHANCES, 0.4, "{:.2f}", "chance of sending a 1")
OUTSIDE = Control("outside", "elsewhere", "", CHANCES, 0.5, "{:.2f}", "chance of sending a 1")
PLACE = Control("place", "cells per axis", "q", (4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 32, 40, 48, 64), 8,
                "{}", "many cells: many low bumps")
PROTECT = Control("protect", "protected", "", ("x and y", "only y", "nothing"), "x and y")
CELLS = np.arange(3, 121)
"""Numbers q of cells per axis: the points of all curves."""
WIDEST = 0.0118
"""The end of the axis of costs; at q = 4 wrong signs cost 0.0110."""
DUEL = Game(1000, ALPHA, 1, 1, 0.25)
BINS = np.linspace(-4, 4, 161)
"""Of the sum of all bits, in standard deviations."""
BEST_BIT = 1.467
"""The least score of a bit in the duel: as often a 1 as the budget allows for label 1 on the bump, as rarely
as it allows for everybody else."""


@lru_cache(maxsize=1)
def hypercubes():
    """(m, height, w) of the hypercubes with `CELLS` cells, arrays: as many signs as the margin allows."""
    m, height, _, mass = legal_hypercubes(CELLS, checked_theta(1.0, 0.5, 1, C0=margin_constant(0.5)), "ramp")
    return m, height, mass


@lru_cache(maxsize=64)
def curve(n, alpha, protect="x and y"):
    """(cost, hidden) at all `CELLS`: of any private mechanism, if features and labels are protected; of
    randomised response on the label with public features; or of the data themselves."""
    m, height, mass = hypercubes()
    delta = height * mass
    if protect == "x and y":
        return m / 2 * delta, indistinguishability(n, alpha, delta)
    tilt = delta if protect == "nothing" else delta * math.tanh(alpha / 2)
    return m / 2 * delta, mirrored_overlap(n, (mass + tilt) / 2, (mass - tilt) / 2)


def at(q, n=MILLION, alpha=ALPHA):
    """The `Game` with this many cells."""
    return Game.by_hand(n, alpha, 1.0, 0.5, 1, int(q), 1.0, 1.0)


@lru_cache(maxsize=64)
def best(n, alpha=ALPHA):
    """The `Game` of the largest rectangle."""
    return at(CELLS[np.multiply(*curve(n, alpha)).argmax()], n, alpha)


def received(k, up, noise):
    """The sum of a million bits, seen through the public signs of cell k, in standard deviations.

    Its law is exact under both signs (`one_bit_risk` says what people send), and a flip moves it: whoever
    sends a 1 if the bump is down sends it also if it is up. Cells are drawn one by one.
    """
    tilt, rng = best(MILLION).separation * math.tanh(ALPHA / 2), np.random.default_rng((5, noise, k))
    ones = rng.binomial(MILLION, (1 - tilt) / 2)
    ones += up * rng.binomial(MILLION - ones, 2 * tilt / (1 + tilt))
    return (2 * ones - MILLION) / math.sqrt(MILLION)


def figure(area):
    """An area in words: five places, or a power of ten."""
    return f"{area:.5f}" if area >= 1e-4 else short(area)


class Hidden(NamedTuple):
    """Signs of bumps, and what an analyst receives."""

    game: Game
    signs: np.ndarray
    shift: float
    """The mean of a sum, in standard deviations."""
    sums: np.ndarray


class Signs(LivePanel):
    """The reader's signs above, and below what a million private bits say about them."""

    name, title = "signs", "Hide eight signs"
    controls = (NOISE, *FLIPS)

    @staticmethod
    def compute(noise, **flips):
        """The `Hidden` signs."""
        signs = np.array([flips[control.name] for control in FLIPS])
        game = best(MILLION)
        sums = np.array([received(k, sign > 0, noise) for k, sign in enumerate(signs)])
        shift = math.sqrt(MILLION) * game.separation * math.tanh(ALPHA / 2)
        return Hidden(game, signs, shift, sums)

    @staticmethod
    def draw(result):
        """Bumps that can be dragged, and the sums below them."""
        law, wrong = result.game.law, result.sums * result.signs < 0
        places, height = law.centres[:, 0], law.height / 2
        grips = [dots(control.name, [x], [sign * height], "truth", size=15,
                      marker="triangle" if sign > 0 else "down",
                      handle=handle(control.name, along="y", factor=height))
                 for control, x, sign in zip(FLIPS, places, result.signs)]
        across = linear(0, 0.5, 0.1)
        above = Axes("truth", across, linear(-0.024, 0.024, ticks=(-0.02, 0, 0.02)),
                     "your bumps: chance of label 1, minus 1/2; drag, or Tab to one and press ↑ ↓", "", "",
                     (*ground(result), *grips), grid=False)
        marks = (noise_band(1.0, 0, 0.5, "noise"), rule("zero", "truth", y=0, width=1),
                 *signal_bars(places, result.signs * result.shift, 0.035, seen=result.sums),
                 dots("ends", places, result.sums, "private", size=9),
                 dots("wrong", np.where(wrong, places, np.nan), np.full(8, -2.6), "best", size=16,
                      label="wrong guess"))
        below = Axes("sums", across, linear(-3, 3, ticks=(-2, 0, 2), words=("−2.00", "0", "2.00")),
                     "what the analyst gets: one sum of private bits for each bump", "feature x", "",
                     marks, grid=False, high=1.6)
        return Picture(((above, below),))

    def conclude(self, result):
        """How many guesses are wrong, and what they cost."""
        wrong = int((result.sums * result.signs < 0).sum())
        return (f"The analyst guesses {wrong} of 8 signs wrong, which costs "
                f"{wrong * result.game.separation:.5f}. A true bar is {result.shift:.2f} noise levels long.")

    def summarise(self, result):
        """Guesses and costs."""
        wrong, delta = int((result.sums * result.signs < 0).sum()), result.game.separation
        share, height = 1 / result.game.w, 2 / result.game.law.height
        return [("wrong guesses", f"{wrong} of 8"), ("their cost", f"{wrong * delta:.5f}"),
                ("each costs Δ", f"{delta:.6f}"),
                ("2 × share × height", f"2 · 1/{share:.0f} · 1/{height:.0f}")]


def ground(result):
    """The marks of eta - 1/2 to scale: a line, thick where people live."""
    law = result.game.law
    half, eta, people = explore.outline(law, result.signs, law.height / 2, "")
    return half, eta, people._replace(label="where people live")


class Hills(NamedTuple):
    """The laws of a sum under both signs, in `BINS`, and one sum."""

    up_law: np.ndarray
    down_law: np.ndarray
    sum: float
    overlap: float


class Bump(LivePanel):
    """The sum of all bits about one bump: two laws, and their overlap."""

    name, title = "bump", "One bump, a million bits"
    controls = (UP, NOISE, SHOWN)

    @staticmethod
    def compute(up, noise, shown):
        """The `Hills`."""
        game = best(MILLION)
        tilt = game.separation * math.tanh(ALPHA / 2)
        ones = (MILLION + BINS * math.sqrt(MILLION)) / 2
        laws = [np.diff(at_most(np.ceil(ones) - 1, MILLION, (1 + sign * tilt) / 2)) for sign in (1, -1)]
        overlap = 1 - float(one_bit_tv(MILLION, ALPHA, game.separation))
        return Hills(*laws, received(0, up == "up", noise), overlap)

    @staticmethod
    def draw(result):
        """Two hills, and on the axis what was received."""
        high = 1.25 * result.up_law.max()
        wrong = result.sum * (1 if result.up == "up" else -1) < 0
        marks = []
        if result.shown:
            both = np.repeat(np.minimum(result.up_law, result.down_law), 2)
            marks = [band("overlap", np.repeat(BINS, 2)[1:-1], 0 * both, both, "noise"),
                     text("overlap words", 0, 0.2 * high, f"hidden: overlap {result.overlap:.0%}",
                          anchor="middle")]
        marks += [rule("middle", "truth", x=0, width=1),
                  step("down", BINS, np.append(result.down_law, 0), "first", label="if it is down"),
                  step("up", BINS, np.append(result.up_law, 0), "second", label="if it is up"),
                  text("guess down", -3.9, 0.93 * high, "← guess: down"),
                  text("guess up", 3.9, 0.93 * high, "guess: up →", anchor="end"),
                  dots("sum", [result.sum], [0.03 * high], "best" if wrong else "truth", size=18,
                       label="this sum" + ": wrong guess" * bool(wrong))]
        return Picture(((Axes("hills", linear(-4, 4, 1), linear(0, high), "the sum of a million bits",
                              "in units of its noise", "", tuple(marks), grid=False),),))

    def conclude(self, result):
        """The overlap, once it is shown."""
        said = f"The bump is {result.up}, and this sum is {result.sum:.2f} noise levels."
        return said + result.shown * (f" The two laws overlap by {result.overlap:.1%}: a guess is wrong with "
                                      f"probability {result.overlap / 2:.1%}.")

    def summarise(self, result):
        """The sum, and the overlap."""
        guess = "up" if result.sum >= 0 else "down"
        said = [("guess", guess), ("the bump is", result.up), ("the sum", f"{result.sum:.2f}")]
        more = [("hidden from one bit each", f"{result.overlap:.3f}"), ("wrong", f"{result.overlap / 2:.1%}")]
        return said + more * result.shown


class Bit(NamedTuple):
    """What a bit spends, and how well it does."""

    budget: float
    score: float
    """Risk of the best analyst as a multiple of the bound; that of a bit which spends too much may be below
    1."""
    most: float
    """The largest chance that the budget allows beside the smallest one."""

    @property
    def legal(self):
        """Does it keep the promise?"""
        return self.budget <= ALPHA

    @property
    def verdict(self):
        """The score in words."""
        if not self.legal:
            return "refused: over budget"
        if self.score < BEST_BIT + 0.02:
            return "no bit is better"
        return "it tells hardly anything" if self.score > 3 else "can you come nearer?"


class Duel(LivePanel):
    """One sign, a thousand people, and the reader's own bit."""

    name, title = "duel", "A bit of your own"
    controls = (YES, NO, OUTSIDE)

    @staticmethod
    def compute(yes, no, outside):
        """The `Bit`, judged by `challenge`; one over budget plays the same game with the budget it spends."""
        chances = {(True, 1): yes, (True, 0): no, (False, 0): outside, (False, 1): outside}
        rows = {record: [one, 1 - one] for record, one in chances.items()}
        budget, low = kernel_budget(list(rows.values())), min(yes, no, outside)
        allowed = dataclasses.replace(DUEL, alpha=max(ALPHA, budget))
        risk = challenge(lambda inside, y: rows[inside, y], allowed).risk
        return Bit(budget, risk / DUEL.bound(), min(math.e * low, 1 - (1 - low) / math.e))

    @staticmethod
    def draw(result):
        """Three bars and what the budget allows; and the score between the bound and a coin."""
        names, tops = ("yes", "no", "outside"), np.array([result.yes, result.no, result.outside])
        places, low = np.arange(3.0), tops.min()
        role = "private" if result.legal else "wrong"
        marks = [band("allowed", [-0.6, 2.6], [low] * 2, [result.most] * 2, "promise",
                      label="allowed beside the lowest bar"),
                 bars("bits", places - 0.25, places + 0.25, 0 * tops, tops, role)]
        marks += [dots(name, [place], [top], "truth", size=17, handle=handle(name, along="y"))
                  for name, place, top in zip(names, places, tops)]
        left = Axes("bit", linear(-0.6, 2.6, ticks=places, words=("label 1", "label 0", "elsewhere")),
                    linear(0, 1, 0.25), "how often each sends a 1",
                    "on the bump: label 1 or 0; elsewhere: both", "", tuple(marks), grid=False)
        end = 4.6
        meters = (bars("beyond", [0], [1], [0], [1], "forbidden", label="no private mechanism"),
                  rule("one", "bound", x=1, width=3),
                  rule("best", "reference", x=BEST_BIT, width=2, label=f"best bit, {BEST_BIT}"),
                  bars("score", [0], [min(result.score, end)], [0.4], [0.6], role, label="your score"),
                  text("score words", min(result.score, 3.6), 0.5, f"{result.score:.2f}", dx=8),
                  text("verdict", end, 0.85, result.verdict, anchor="end"))
        right = Axes("meters", linear(0, end, 1), linear(0, 1), "score: your risk / bound",
                     "less is better", "", meters, grid=False, wide=0.9)
        return Picture(((left,), (right,)))

    def conclude(self, result):
        """Budget and score."""
        if not result.legal:
            return (f"This bit spends {result.budget:.2f}, more than α = 1: it is refused. Its risk would be "
                    f"{result.score:.3f} times the bound for private mechanisms.")
        return (f"This bit spends {result.budget:.2f} of α = 1; the best analyst's risk is "
                f"{result.score:.3f} times the bound.")

    def summarise(self, result):
        """Budget and score."""
        return [("score", f"{result.score:.3f}" if result.legal else "refused"),
                ("budget spent", f"{result.budget:.3f} of {ALPHA:g}"),
                ("people, a quarter on the bump", f"{DUEL.n:,}")]


class Rectangle(NamedTuple):
    """A hypercube, and its rectangle among all."""

    game: Game
    costs: np.ndarray
    hidden: np.ndarray
    private: np.ndarray
    """`hidden` is under the chosen protection, `private` if features and labels are protected."""
    bit: float | None = None
    """How well the signs are hidden from one bit of everybody."""

    @property
    def signs(self):
        """Of the bumps that are drawn."""
        return np.resize((1, -1), self.game.m)

    @property
    def up(self):
        """How well the signs of this hypercube are hidden."""
        return float(self.hidden[np.abs(self.costs - self.game.coin).argmin()])

    @property
    def area(self):
        """Of the rectangle."""
        return self.game.coin * self.up


def private(result):
    """The curve that no private mechanism can push down."""
    return line("private", result.costs, result.private, "bound", width=4, label="any private mechanism")


def truth(result, high):
    """The `Axes` of eta - 1/2 to scale."""
    return Axes("truth", linear(0, 0.5, 0.1), linear(-high, high, ticks=(-high, 0, high)),
                f"q = {result.game.q} cells, {result.game.m} hidden signs", "feature x", "",
                tuple(ground(result)), grid=False, wide=0.9)


def rectangle(result, *, role="forbidden", grip=None, more=(), widest=WIDEST):
    """The `Axes` of cost and hidden with the rectangle of a result; `more` marks stand above it."""
    cost, up = result.game.coin, result.up
    marks = (bars("area", [0], [cost], [0], [up], role), *more,
             dots("hider", [cost], [up], "truth", size=17, handle=grip),
             text("area words", widest, 0.99, f"area {figure(result.area)}", anchor="end"))
    return Axes("rectangle", linear(0, widest, 0.004), linear(0, 1.08, 0.25), "cost × hidden",
                "cost, if nothing is known", "hidden", marks, grid=False)


class Hider(LivePanel):
    """The hider's choice of q, and the rectangle under the curve."""

    name, title = "hider", "Cost times hidden"
    controls = (PLACE, PROTECT, SEEN)

    @staticmethod
    def compute(place, protect, seen):
        """The `Rectangle` of a million people."""
        game = at(place)
        bit = 1 - float(one_bit_tv(MILLION, ALPHA, game.separation))
        return Rectangle(game, *curve(MILLION, ALPHA, protect), curve(MILLION, ALPHA)[1], bit)

    @staticmethod
    def draw(result):
        """The bumps, and the rectangle."""
        # m = mass / w, so that the cost falls like q^(-3/2) exactly.
        grip = handle("place", factor=result.game.coin * result.place**1.5, power=-1.5)
        lines, opened = [private(result)], result.protect != "x and y"
        if opened:
            words = {"only y": "only y is protected", "nothing": "no privacy"}[result.protect]
            lines += [line("open", result.costs, result.hidden, "open", width=4, label=words),
                      # A rectangle may be too low to be seen without its outline.
                      bars("edge", [0], [result.game.coin], [0], [result.up], "open", hollow=True)]
        right = rectangle(result, grip=grip, more=lines, role="promise_open" if opened else "forbidden")
        return Picture(((truth(result, 0.035),), (right,)))

    def conclude(self, result):
        """The rectangle in words."""
        return (f"{result.game.m} bumps in {result.place} cells: wrong guesses cost {result.game.coin:.5f}, "
                f"hidden is {result.up:.4f}; the rectangle has the area {figure(result.area)}.")

    def summarise(self, result):
        """Area, sides, and the largest area."""
        area, cost = figure(result.area), ("cost", f"{result.game.coin:.5f}")
        if result.protect != "x and y":
            return [("area", area), cost, ("hidden", f"{result.up:.4g}"), ("budget spent", "∞")]
        largest = [("largest area", figure(float((result.costs * result.hidden).max())))]
        return [("area = bound", area), cost, ("budget spent", f"{ALPHA:g}"),
                ("hidden, any / one bit", f"{result.up:.4f} / {result.bit:.3f}"), *largest * result.seen]


STOPS = tuple(n for n in CONTROL["n"].values if n >= 10_000)


@lru_cache(maxsize=1)
def bounds():
    """The largest rectangle for every number of people in `STOPS`."""
    return np.array([np.multiply(*curve(n, ALPHA)).max() for n in STOPS])


class People(LivePanel):
    """The largest rectangle, for more and more people."""

    name, title = "people", "More people"
    controls = (CONTROL["n"], SEEN)

    @staticmethod
    def compute(n, seen):
        """The `Rectangle` of the best hider."""
        costs, hidden = curve(n, ALPHA)
        return Rectangle(best(n), costs, hidden, hidden)

    @staticmethod
    def draw(result):
        """The rectangle, and its area against the number of people."""
        shown = np.where(result.seen | (np.array(STOPS) <= result.n), bounds(), np.nan)
        marks = (line("bounds", STOPS, shown, "bound", width=4, label="largest area"),
                 dots("here", [result.n], [result.area], "truth", size=17, handle=handle("n")))
        right = Axes("areas", log(6e3, 2e8, every=2), log(1e-4, 2e-2), "nobody can have less risk",
                     "people n", "", marks, wide=0.9)
        return Picture(((rectangle(result, more=[private(result)], widest=0.0185),), (right,)))

    def conclude(self, result):
        """The bound."""
        return (f"With {short(result.n)} people the hider chooses {result.game.m} bumps in {result.game.q} "
                f"cells; the rectangle has the area {figure(result.area)}.")

    def summarise(self, result):
        """The bound, and the hider's choice."""
        return [("area = bound", figure(result.area)), ("cells q", f"{result.game.q}"),
                ("signs that the margin allows", f"{result.game.m}"), ("hidden", f"{result.up:.3f}")]


ALPHAS = CONTROL["alpha"].values


@lru_cache(maxsize=1)
def scores():
    """Risk of one bit from everybody as a multiple of the bound, at all `ALPHAS`."""
    games = [best(MILLION, alpha) for alpha in ALPHAS]
    return np.array([one_bit_risk(game) / game.bound() for game in games])


class Gap(LivePanel):
    """What one bit reaches, beside what nobody can beat."""

    name, title = "gap", "One bit against the bound"
    controls = (CONTROL["alpha"],)

    @staticmethod
    def compute(alpha):
        """The `Rectangle` of the best hider at this budget; `hidden` is that of one bit from everybody."""
        _, height, mass = hypercubes()
        costs, hidden = curve(MILLION, alpha)
        bit = 1 - one_bit_tv(MILLION, alpha, height * mass)
        return Rectangle(best(MILLION, alpha), costs, bit, hidden)

    @staticmethod
    def draw(result):
        """Two rectangles, and the ratio of their areas at all budgets."""
        cost, score = result.game.coin, float(scores()[ALPHAS.index(result.alpha)])
        up = result.up / score
        more = (bars("bound", [0], [cost], [0], [up], "forbidden"), private(result),
                line("bit", result.costs, result.hidden, "private", width=4, label="one bit from everybody"))
        left = rectangle(result, role="zero", more=more)
        marks = (bars("forbidden", [0.11], [4.6], [0.8], [1], "forbidden", label="no private mechanism"),
                 rule("one", "bound", y=1, width=3),
                 line("score", ALPHAS, scores(), "private", width=4, label="one bit: risk / bound"),
                 dots("here", [result.alpha], [score], "truth", size=17, handle=handle("alpha")))
        right = Axes("scores", log(0.11, 4.6, "{:g}", ticks=(0.125, 0.5, 1, 2, 4)), linear(0.8, 2.0, 0.2),
                     "times the bound", "budget α", "", marks, grid=False, wide=0.9)
        return Picture(((left,), (right,)))

    def conclude(self, result):
        """The ratio."""
        score = scores()[ALPHAS.index(result.alpha)]
        return (f"At α = {result.alpha:.3g} one bit from everybody has the risk {figure(result.area)}, "
                f"{score:.3f} times the bound.")

    def summarise(self, result):
        """Both risks."""
        score = float(scores()[ALPHAS.index(result.alpha)])
        return [("times the bound", f"{score:.3f}"), ("one bit", figure(result.area)),
                ("bound", figure(result.area / score))]


class Assouad(Story):
    """Notebook 04: whoever hides signs chooses how tall; cost times hidden is a rectangle that stays."""

    name = "assouad"
    version = 2
    title = "Can anybody do better?"
    size = (10.0, 5.2)
    controls = (*explore.Assouad.controls, NOISE, *FLIPS, UP, SHOWN, SEEN, YES, NO, OUTSIDE, PLACE,
                PROTECT)
    views = {"signs": Signs, "bump": Bump, "duel": Duel, "hider": Hider, "people": People, "gap": Gap,
             "explore": explore.Assouad}
    scenes = (
        Scene("signs",
              "You play nature at its worst: hide eight signs, bumps up or down. From a million private bits "
              "an analyst guesses. Wrong guesses cost her.", {}, ("noise",), view="signs"),
        Scene("one bump",
              "Costs of single signs add up, so look at one bump. Its sum of a million bits says up or down: "
              "how often wrongly?", {}, ("up", "noise"), view="bump",
              ask=Ask(("hardly ever", "1 in 10", "1 in 3", "1 in 2"), 2, (
                  "Two hills overlap by 65%, even now. The overlap is called hidden; half of it is wrong.",
                  "The two hills overlap by 65%. The overlap is called hidden; half of it is wrong.",
                  "The two hills overlap by 65%. The overlap is called hidden; half of it is wrong.",
                  "That is a coin. The overlap of the hills, called hidden, is 65%; half of it is wrong."),
                      {"shown": True})),
        Scene("rectangle",
              "Taller bumps cost more and hide worse. Whatever the mechanism, the risk is at least the "
              "rectangle. Where is it largest? Say, then drag.", {"place": 5}, ("place",), view="hider",
              ask=Ask(("q = 4: tall", "q = 8: lower", "q = 16: low", "q = 64: flat"), 1, (
                  "Too tall: only 0.05% hidden, area 0.0000057. Half hidden is best: 0.0021 at q = 8.",
                  "Half hidden, area 0.0021: both sides are long. Taller bumps are seen, lower ones cost "
                  "little.",
                  "87% hidden but cheap: area 0.0012. Half hidden is best: 0.0021 at q = 8.",
                  "99% hidden, and worth nothing: area 0.00017. Half hidden is best: 0.0021 at q = 8."),
                      {"place": 8, "seen": True})),
        Scene("your bit",
              "Why any mechanism? Within the budget no bar is above e times another. A smaller game, one "
              "bump: how near 1 comes your score?", {}, ("yes", "no", "outside"), view="duel"),
        Scene("people",
              "With more people, signs hide only in lower bumps. A hundred times the people: how much of the "
              "rectangle is left?", {"n": MILLION}, ("n",), view="people",
              play=("n", (10**4, 10**5, 10**6, 10**7, 10**8)),
              ask=Ask(("1/100", "1/10", "about 1/6", "all of it"), 2, (
                  "Not so fast: the hider retreats to lower bumps. 0.00210 at 10⁶ people falls to 0.00037 at "
                  "10⁸.",
                  "That is an average of 10⁸ numbers. The hider retreats: 0.00210 at 10⁶ people, 0.00037 at "
                  "10⁸.",
                  "0.00210 at 10⁶ people falls to 0.00037 at 10⁸: the hider retreats to lower bumps, and to "
                  "more.",
                  "More people see lower bumps. 0.00210 at 10⁶ people falls to 0.00037 at 10⁸."),
                      {"n": 10**8, "seen": True})),
        Scene("one bit",
              "Back to a million people. One bit from everybody has 1.21 times the bound as its risk. What "
              "does this number tell?",
              {"n": MILLION}, ("alpha",), view="gap",
              ask=Ask(("somebody will reach the bound", "nobody lowers this risk by more than the gap",
                       "one bit is best for all laws"), 1, (
                  "Perhaps nobody can. It only says: against this hider, nobody gets below the bound.",
                  "Against this hider nobody has less than 82% of its risk. Other laws may differ.",
                  "It speaks about this hider only. For other laws it says nothing."), {})),
        Scene("break it",
              "Promise less: publish where people live, protect only the labels. How much of the rectangle "
              "is left?", {"place": 8}, ("protect", "place"),
              view="hider", recall="rectangle",
              ask=Ask(("all of it", "a half", "a fiftieth"), 2, (
                  "A fiftieth: now a bump's own people can be looked at alone, without everybody's noise.",
                  "A fiftieth: now a bump's own people can be looked at alone, without everybody's noise.",
                  "Now a bump's own people can be looked at alone, without everybody's noise."),
                      {"protect": "only y"})),
        Scene("explore",
              "For questions: one hypercube, the laws of its bits, and the proof's ladder. n/4, n/2 and 2n "
              "stand for weaker lines of it.", {}, view="explore"),
    )


STORY = Assouad

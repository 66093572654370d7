"""The proof of Theorem 2.5 (Berrett & Butucea), one step at a time: each replaces an edge of the rectangle.

The first three steps stand on the hypercube of the story of notebook 04, with one bit from each of a million
people; the others on the class with beta = gamma = d = 1.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.assouad import story
from ldp_lib.lessons.assouad.story import ALPHA, BINS, MILLION, best
from ldp_lib.lessons.steps import Waste, decades, mathml, step_view
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, handle, line, linear, log, rule, short, step, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import classification_exponent, ledger, lower_bound
from ldp_lib.theory.classification.game import one_bit_tv
from ldp_lib.theory.contraction import CONTRACTIONS, at_most, contraction_constant, symmetric_kl

LEAN = Control("lean", "says up from", "t", tuple(k / 4 for k in range(-8, 9)), 0.75, "{:g}",
               "the analyst says up if the sum is above t noise levels")
PEOPLE = Control("n", "people", "n", log_steps(10_000, 10**8, 2), 10**6, short, "people in all")
BUDGET = Control("alpha", "budget", "α", powers_of_two(-3, 0, 2), 1.0, "{:.3g}", "nats; at most 1")
CLASS = (
    Control("beta", "smoothness", "β", (0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η"),
    Control("gamma", "margin", "γ", (0.0, 0.5, 1.0), 1.0, "{:g}", "few people near a toss-up"),
    Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features"),
)
ONE = (PEOPLE, BUDGET)
RUNGS = dict(zip(("best possible", "Pinsker: n/4", "in turn: n/2", "paper: 2n"), reversed(CONTRACTIONS),
                 strict=True))
"""Rungs of the ladder from the top, and their contractions; *in turn*: questions may depend on the reports
before. The closed form of the theorem comes below."""
CROWD = np.geomspace(1e3, 1e8, 41).round()
LINES = ("game", "average first", "Cauchy-Schwarz", "Pinsker", "likelihoods", "contraction, 1",
         "contraction, 4", "people", "dominating pair", "n/4", "n/2", "2n", "small alpha", "choice of c2",
         "risk", "rate")
"""Lines of the ledger that may waste, in its order; what holds with room to spare costs nothing."""


class Errors(NamedTuple):
    """What an analyst does wrong who says up where the sum of bits is above t: exact."""

    missed: float
    """The chance of a wrong guess if the bump is up."""
    false: float
    """The same if it is down."""
    overlap: float
    m: int
    delta: float

    @property
    def risks(self):
        """Of all signs, by how many of them are up: 0, 1, ..., m."""
        ups = np.arange(self.m + 1)
        return self.delta * (ups * self.missed + (self.m - ups) * self.false)

    @property
    def average(self):
        """Of the risk, over all signs."""
        return self.m * self.delta * (self.missed + self.false) / 2


def errors(lean):
    """The `Errors`."""
    game = best(MILLION)
    tilt = game.separation * math.tanh(ALPHA / 2)
    ones = np.floor((MILLION + lean * math.sqrt(MILLION)) / 2)
    up, down = (float(at_most(ones, MILLION, (1 + sign * tilt) / 2)) for sign in (1, -1))
    overlap = 1 - float(one_bit_tv(MILLION, ALPHA, game.separation))
    return Errors(up, 1 - down, overlap, game.m, game.separation)


TOP = 0.0085
"""Of the axes of risks: all eight signs wrong."""


def signs(result):
    """The `Axes` of the risk under all signs."""
    ups = np.arange(result.m + 1.0)
    marks = (bars("risks", ups - 0.36, ups + 0.36, 0 * ups, result.risks, "private",
                  label="risk of these signs"),
             rule("average", "bound", y=result.average, width=3, label="average over all 256"))
    return Axes("signs", linear(-0.6, result.m + 0.6, 1), linear(0, TOP, 0.002),
                "the same analyst, all signs", "how many of eight signs are up", "", marks, grid=False)


def signs_said(result):
    """Worst and average."""
    return (f"The risk of the worst signs is {result.risks.max():.5f}, of the average over all signs "
            f"{result.average:.5f}.")


def signs_numbers(result):
    """Worst and average."""
    return [("average", f"{result.average:.5f}"), ("worst", f"{result.risks.max():.5f}"),
            ("least for one bit: (m/2)Δ(1 − TV)", f"{result.m / 2 * result.delta * result.overlap:.5f}")]


def sums(result):
    """The `Axes` of the parts of the average, one for each sign, on top of each other."""
    k, part = np.arange(1.0, result.m + 1), result.average / result.m
    marks = (bars("so far", k - 0.4, k + 0.4, 0 * k, (k - 1) * part, "nothing", label="sum so far"),
             bars("parts", k - 0.4, k + 0.4, (k - 1) * part, k * part, "private", label="this sign adds"),
             rule("average", "bound", y=result.average, width=3, label="average over all signs"))
    return Axes("sums", linear(0.4, result.m + 0.6, 1), linear(0, TOP, 0.002),
                "eight signs, added one after the other", "sign", "", marks, grid=False)


def sums_said(result):
    """One part and the sum."""
    return (f"Every sign adds {result.average / result.m:.6f}, Δ times the chance of a wrong guess; "
            f"together {result.average:.5f}.")


def sums_numbers(result):
    """One part and the sum."""
    return [("all eight", f"{result.average:.5f}"), ("one sign", f"{result.average / result.m:.6f}"),
            ("Δ", f"{result.delta:.6f}"), ("wrong", f"{(result.missed + result.false) / 2:.1%}")]


def hills(result):
    """The `Axes` of both laws of the sum, and the errors on either side of t."""
    laws, edges = story.hills(), np.repeat(BINS, 2)[1:-1]
    up_law, down_law = laws
    up, down = (np.repeat(law, 2) for law in laws)
    below, high = edges <= result.lean, 1.25 * up_law.max()
    marks = (band("missed", edges[below], 0 * up[below], up[below], "one", label="up, called down"),
             band("false", edges[~below], 0 * down[~below], down[~below], "zero", label="down, called up"),
             step("down law", BINS, np.append(down_law, 0), "first", label="law if down"),
             step("up law", BINS, np.append(up_law, 0), "second", label="law if up"),
             rule("t", "truth", x=result.lean, width=3, handle=handle("lean")))
    return Axes("hills", linear(-4, 4, 1), linear(0, high), "errors on either side of t",
                "sum of a million bits, in units of its noise", "", marks, grid=False)


def hills_said(result):
    """Errors and overlap."""
    return (f"With t = {result.lean:g} the two errors add up to {result.missed + result.false:.3f}; the "
            f"hills overlap by {result.overlap:.3f}.")


def hills_numbers(result):
    """Errors and overlap."""
    return [("both errors", f"{result.missed + result.false:.3f}"),
            ("overlap = 1 − TV", f"{result.overlap:.3f}")]


class Lids(NamedTuple):
    """Total variation of n bits, and Pinsker's lid, at all `CROWD`."""

    tv: np.ndarray
    lid: np.ndarray
    here: tuple


@lru_cache(maxsize=256)
def lids(n, alpha):
    """The `Lids` on the story's hypercube: J of n independent bits is n times that of one."""
    delta = best(MILLION).separation
    tilt = delta * math.tanh(alpha / 2)
    one = symmetric_kl([(1 + tilt) / 2, (1 - tilt) / 2], [(1 - tilt) / 2, (1 + tilt) / 2])
    people = np.append(CROWD, n)
    tv, lid = one_bit_tv(people, alpha, delta), np.sqrt(people * one / 4)
    return Lids(tv[:-1], lid[:-1], (float(tv[-1]), float(lid[-1])))


def pinsker(result):
    """The `Axes` of the total variation and its lid."""
    lid = np.where(result.lid <= 1.2, result.lid, np.nan)
    shown = [here for here in result.here if here <= 1.1]
    marks = (line("exact", CROWD, result.tv, "private", width=4, label="TV of n bits"),
             line("lid", CROWD, lid, "bound", width=3, label="lid √(J/4)"),
             dots("here", [result.n] * len(shown), shown, "truth", size=13))
    return Axes("pinsker", log(1e3, 1e8), linear(0, 1.1, 0.25), "how well can the signs be told apart?",
                "people n", "", marks)


def pinsker_said(result):
    """Both sides."""
    exact, lid = result.here
    return (f"With {short(result.n)} people TV is {exact:.3g}; Pinsker's lid is {lid:.3g}, "
            f"{lid / exact:.2f} times as much.")


def pinsker_numbers(result):
    """Both sides."""
    exact, lid = result.here
    return [("lid / TV", f"{lid / exact:.2f}"), ("TV", f"{exact:.3g}"), ("lid", f"{lid:.3g}")]


class Ladder(NamedTuple):
    """Lower bounds of the class, from that for any mechanism down to the closed form."""

    values: np.ndarray
    cells: tuple
    """The best q of each rung; the closed form has none."""
    constants: tuple
    """c of J <= c TV^2 for one report: of the dominating pair, by a short proof, printed."""


@lru_cache(maxsize=256)
def ladder(n, alpha):
    """The `Ladder` at beta = gamma = d = 1."""
    found = [lower_bound(n, alpha, 1.0, 1.0, 1, contraction=name) for name in RUNGS.values()]
    values = [*(bound.value for bound in found), book_of(n, alpha)["whole"].left]
    return Ladder(np.array(values), tuple(bound.q for bound in found), tuple(contraction_constant(alpha, kind)
                                          for kind in ("dominating", "simple", "printed")))


@lru_cache(maxsize=256)
def book_of(n, alpha, beta=1.0, gamma=1.0, d=1):
    """The ledger; a gamma beyond d / beta, where the theorem ends, is replaced by d / beta."""
    return ledger("2.5", n=n, alpha=alpha, beta=beta, gamma=min(gamma, d / beta), d=d)


def wastes(result):
    """The `Waste` of every rung: the bound falls like n^-r."""
    factors = (result.values[:-1] / result.values[1:]) ** (1 / classification_exponent(1, 1, 1))
    words = ("Pinsker", "in turn", "paper's 4", "closed form")
    return tuple(Waste(word, float(factor)) for word, factor in zip(words, factors, strict=True))


def strip(result):
    """The `Axes` of the constants of one report."""
    words, rows = ("best possible", "short proof", "in the paper"), np.array([3.0, 2.0, 1.0])
    values = np.array(result.constants)
    marks = [bars("best", [0], values[:1], rows[:1] - 0.3, rows[:1] + 0.3, "private",
                  label="best possible c"),
             bars("lids", [0, 0], values[1:], rows[1:] - 0.3, rows[1:] + 0.3, "bound", label="larger c"),
             text("factors", values, rows, [f"{value:.3g}" for value in values], dx=6)]
    return Axes("strip", linear(0, 1.25 * values.max()),
                linear(0.4, 3.6, ticks=rows[::-1], words=words[::-1]),
                "c in J ≤ c TV² of one report", "", "", tuple(marks), grid=False)


def strip_said(result):
    """The three constants."""
    sharpest, simple, printed = result.constants
    return (f"No report exceeds c = {sharpest:.3g}; a short proof gives {simple:.3g}, and the "
            f"constant of the paper is {printed:.3g}: {simple / sharpest:.2f} and "
            f"{printed / sharpest:.2f} times as much.")


def rungs(result):
    """The `Axes` of the ladder."""
    values, words = np.log10(result.values), (*RUNGS, "closed form")
    told = [short(float(value)) for value in result.values]
    told = [*(f"{value}, q = {q}" for value, q in zip(told, result.cells)), told[-1]]
    rows, low = np.arange(len(values), 0, -1.0), math.floor(np.log10(result.values.min())) - 0.5
    marks = (bars("best", [low], values[:1], rows[:1] - 0.3, rows[:1] + 0.3, "private",
                  label="best possible"),
             bars("rungs", np.full(4, low), values[1:], rows[1:] - 0.3, rows[1:] + 0.3, "bound",
                  label="what the proof keeps"),
             text("words", values, rows, told, dx=6))
    return Axes("ladder", decades(low, values.max() + 2.2, 4),
                linear(0.4, 5.6, ticks=rows[::-1], words=words[::-1]),
                "lower bound on the risk", "", "", marks, grid=False)


def rungs_said(result):
    """All rungs."""
    told = zip((*RUNGS, "closed form"), map(float, result.values))
    return f"Nobody has less risk than: {', '.join(f'{words} {short(value)}' for words, value in told)}."


class Whole(NamedTuple):
    """The ledger."""

    book: Ledger


def whole(n, alpha, beta, gamma, d):
    """The `Whole` proof."""
    return Whole(book_of(n, alpha, beta, gamma, d))


def slacks(result):
    """The `Axes` of right / left side of the lines of the ledger."""
    values = np.log10([result.book[name].slack for name in LINES])
    rows = np.arange(len(LINES), 0, -1.0)
    words = [f"{10**value:.2f}" if value < 2 else short(10**value) for value in values]
    marks = (bars("slack", 0 * values, values, rows - 0.35, rows + 0.35, "bound"),
             text("factors", np.maximum(values, 0), rows, words, dx=6))
    return Axes("slacks", decades(0, values.max() * 1.25 + 0.2, 5),
                linear(0.4, len(LINES) + 0.6, ticks=rows[::-1], words=LINES[::-1]),
                "right side / left side, line by line", "", "", marks, grid=False)


def slacks_said(result):
    """The ends of the chain, and its largest step."""
    book = result.book
    largest = max(LINES, key=lambda name: book[name].slack)
    return (f"The closed form is {short(book['whole'].left)}; the exact sum on its hypercube is "
            f"{short(book['whole'].right)}. The loosest line is {largest!r}: "
            f"{book[largest].slack:.3g} times.")


def slacks_numbers(result):
    """The ends of the chain."""
    step_ = result.book["whole"]
    return [("in all", f"×{step_.slack:.3g}"), ("closed form", short(step_.left)),
            ("its hypercube, exact", short(step_.right))]


class ProofAssouad(Story):
    """Theorem 2.5, one step at a time."""

    name = "proof_assouad"
    title = "The proof of Theorem 2.5"
    size = (10.0, 5.2)
    controls = (LEAN, *ONE, *CLASS)
    views = {
        "average": step_view((LEAN,), errors, signs, signs_said, numbers=signs_numbers),
        "one sign": step_view((LEAN,), errors, sums, sums_said, numbers=sums_numbers),
        "test": step_view((LEAN,), errors, hills, hills_said, numbers=hills_numbers),
        "pinsker": step_view(ONE, lids, pinsker, pinsker_said, numbers=pinsker_numbers),
        "strip": step_view(ONE, ladder, strip, strip_said, wastes, 2),
        "rungs": step_view(ONE, ladder, rungs, rungs_said, wastes, 3),
        "explore": step_view((*ONE, *CLASS), whole, slacks, slacks_said, numbers=slacks_numbers),
    }
    scenes = (
        Scene("average",
              "The worst signs cost at least the average over all signs, whatever the analyst does.", {},
              view="average", formula=mathml(
                  '"worst risk" >= frac{1}{2^m} sum_{sigma} "risk under " sigma')),
        Scene("one sign",
              "The average counts each sign alone. So look at one sign at a time, and add up.", {},
              view="one sign", formula=mathml(
                  '"average" = frac{1}{2} sum_{k} Delta ( P_{+k} ("says down") + P_{-k} ("says up") )')),
        Scene("test", "Move t. The two errors never add up to less than the overlap of the hills.", {},
              view="test", formula=mathml(
                  'P_{+k} ("says down") + P_{-k} ("says up") >= 1 - "TV" ( M_{+k} , M_{-k} )')),
        Scene("Pinsker",
              "TV of a million reports is hard to compute. Their divergence J adds up over people, and the "
              "root of J/4 is a lid.", {"lean": 0.0}, view="pinsker", formula=mathml(
                  '"TV"^{2} <= frac{J}{4} "," "  " J = n " times that of one report"')),
        Scene("contraction",
              "A report's chances p under both signs differ little: privacy keeps every person's chances "
              "within e to the α. So its J is small.", {}, view="strip", formula=mathml(
                  '| p_+ - p_- | <= (e^alpha - 1) "(TV of a person) (least " p ")" '
                  '"," "  so " J <= c "(TV of a person)"^{2}')),
        Scene("choose q",
              "Each line chooses its best q, now at γ = 1 instead of ½. Most is lost in the closed form.", {},
              view="rungs", formula=mathml(
                  '"risk" >= A (n alpha^{2})^{- beta (1 + gamma) / (2 beta + 2 d)}')),
        Scene("explore", "All lines of the ledger that may waste: how many times the right side is the left.",
              {}, view="explore"),
    )


STORY = ProofAssouad

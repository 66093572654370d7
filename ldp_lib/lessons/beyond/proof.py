"""The theorem of notebook 07, one step at a time: one bit is private, unbiased, and has less variance."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import OneBitClassifier
from ldp_lib.lessons.beyond.story import STRIPES, blocks, flip_chance
from ldp_lib.lessons.steps import Waste, mathml, staircase, step_view, total
from ldp_lib.nature import problem
from ldp_lib.privacy import HadamardBit
from ldp_lib.risk import excess_risk
from ldp_lib.risk.scores import score_sign_probabilities
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.picture import (
    Axes, band, bars, cells, dots, figures, line, linear, log, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory.classification.game import Game, cube_risk, one_bit_risk

BUDGET = Control("alpha", "privacy", "α", powers_of_two(-4, 6, 2), 1.0, "{:.3g}", "budget, in nats")
DIMENSION = Control("d", "features", "d", (1, 2, 3), 2, "{}", "how many are asked for")
OWN = Control("own", "her cell", "", tuple(range(STRIPES.K)), 2, "{}", "one of 16")
OTHER = Control("other", "another cell", "", tuple(range(STRIPES.K)), 5, "{}", "one of 16")
PEOPLE = Control("n", "people", "n", log_steps(1000, 10**8, 2), 10**5, short, "people in all")
FEW = Control("few", "people", "n", (4, 9, 16, 36, 100, 1000, 10**5), 36, "{:,}",
              "the law of a score is nearly normal from a hundred on")
CELLS = Control("cells", "cells", "K", (2, 4, 8, 16, 20, 32, 64), 20, "{}", "of the wave's axis")
PLACES = np.linspace(0, 4, 41)
"""Bars, in noise levels."""
CROWDS = np.logspace(3, 9, 13).round().astype(int)


class Mosaic(NamedTuple):
    """The law of everything that a person may send: patterns and bits, given her cell and label."""

    law: np.ndarray
    """(8 outputs, 8 signals): the four patterns with bit 1, then with bit -1."""
    losses: np.ndarray
    """Logarithms of ratios, for every output and every two people, flat."""


@lru_cache(maxsize=64)
def mosaic(alpha):
    """The `Mosaic` of one bit about four cells."""
    bit = HadamardBit(alpha, 0.25)
    sign = bit.signs(np.arange(bit.order)[:, None], np.arange(bit.K))
    hers = np.concatenate([sign, -sign], axis=1)
    plus = np.where(hers == 1, 1 - flip_chance(alpha), flip_chance(alpha)) / bit.order
    law = np.concatenate([plus, 1 / bit.order - plus])
    logs = np.log(law)
    return Mosaic(law, (logs[:, :, None] - logs[:, None, :]).ravel())


def privacy(result):
    """The `Axes` of the mosaic, and of its two chances."""
    likely = result.law > result.law.mean()
    sides = linear(0, 8, ticks=(2, 6), words=("label 1", "label 0"))
    outputs = linear(0, 8, ticks=(2, 6), words=("bit +", "bit −"))
    left = Axes("mosaic", sides, outputs, "what she may send, for each cell and label", "cell and label", "",
                (cells("law", likely, ("nothing", "promise_open"), (0, 8, 0, 8),
                       labels=[f"{100 * each:.3g}%" for each in (result.law.min(), result.law.max())]),),
                square=True, grid=False)
    chances = np.array([result.law.min(), result.law.max()])
    marks = (bars("chances", [-0.35, 0.65], [0.35, 1.35], [0, 0], chances, "private"),
             text("words", [0, 1], chances, [f"{100 * each:.3g}%" for each in chances], anchor="middle",
                  dy=-12),
             rule("wall", "bound", y=chances[0] * math.exp(result.alpha), width=3,
                  label=f"wall: {figures(math.exp(result.alpha))} times the smaller"))
    right = Axes("chances", linear(-0.6, 1.6, ticks=(0, 1), words=("flipped", "not flipped")),
                 linear(0, 0.3), "every chance is one of these two", "", "", marks, grid=False)
    return [left, right]


def privacy_said(result):
    """The largest ratio."""
    return (f"Every pattern and bit has the probability {result.law.min():.3g} or {result.law.max():.3g}, "
            f"whoever sends it. The largest log ratio is {result.losses.max():.4g}; the budget is "
            f"{result.alpha:.4g}.")


def privacy_numbers(result):
    """The same."""
    return [("largest log ratio", f"{result.losses.max():.3g}"), ("α", f"{result.alpha:.3g}"),
            ("flipped", f"{flip_chance(result.alpha):.1%}")]


class Products(NamedTuple):
    """The signs of her own cell times those of another one, pattern by pattern."""

    products: np.ndarray
    """(16,)."""
    means: np.ndarray
    """Over patterns, for each of the 16 cells."""


def unbiased_of(own, other):
    """The `Products`."""
    signs = STRIPES.signs(np.arange(STRIPES.order)[:, None], np.arange(STRIPES.K))
    every = signs[:, [own]] * signs
    return Products(every[:, other].astype(float), every.mean(axis=0))


def unbiased(result):
    """The `Axes` of products for one other cell, and of their means for all cells."""
    places, products = np.arange(STRIPES.order), result.products
    zero = 0 * products
    left = [bars(key, np.where(here, places - 0.4, np.nan), np.where(here, places + 0.4, np.nan),
                 np.minimum(zero, products), np.maximum(zero, products), role, label=words)
            for key, here, role, words in (("same", products > 0, "private", "same sign"),
                                           ("opposite", products < 0, "second", "opposite sign"))]
    right = (bars("means", places - 0.4, places + 0.4, np.minimum(0, result.means),
                  np.maximum(0, result.means), "private"),
             dots("other", [result.other], [-0.06], "second", size=14, label="the other cell"))
    across = linear(-0.7, 15.7, ticks=range(0, 16, 5))
    return [Axes("products", across, linear(-1.3, 1.3, 1), "her sign times the other cell's", "pattern", "",
                 (rule("zero", "truth", y=0, width=1), *left), grid=False),
            Axes("means", across, linear(-0.15, 1.15, 0.5), "mean over all 16 patterns", "cell", "", right,
                 grid=False)]


def unbiased_said(result):
    """How many products cancel."""
    same = int((result.products > 0).sum())
    return (f"The signs of cells {result.own} and {result.other} agree in {same} of 16 patterns and differ "
            f"in {16 - same}: their products have the mean {result.products.mean():g}.")


def unbiased_numbers(result):
    """The means."""
    return [("mean, this cell", f"{result.products.mean():g}"),
            ("mean, her own", f"{result.means[result.own]:g}")]


class Variances(NamedTuple):
    """n times the variance of a score: the paper's, cells, one bit."""

    parts: tuple
    values: np.ndarray


@lru_cache(maxsize=64)
def variances_of(d, alpha):
    """The `Variances`, of noise alone."""
    parts = blocks(d, alpha)
    one = HadamardBit(alpha, 0.5, d).variance(0)
    return Variances(parts, one * np.array([total(parts), parts[3].factor, 1.0]))


def variance(result):
    """The `Axes` of three variances, and of the blocks between them."""
    places, values, low = np.arange(3), result.values, 0.1
    marks = (bars("variance", places - 0.35, places + 0.35, np.full(3, low), values, "private"),
             text("words", places, values, [figures(value) for value in values], anchor="middle", dy=-12))
    left = Axes("variance", linear(-0.6, 2.6, ticks=places, words=("the paper's", "cells", "one bit")),
                log(low, 30 * values.max(), every=1 + (values.max() > 1e5)),
                "n times the variance of a score", "", "", marks, grid=False)
    return [left, staircase(result.parts)._replace(title="what the paper's report wastes")]


def variance_said(result):
    """The factors."""
    return (f"With {result.d} features n times the variance is {figures(result.values[0])} for the paper's "
            f"report, {figures(result.values[1])} for cells and {figures(result.values[2])} for one "
            f"bit: {figures(total(result.parts[:3]))} and {figures(total(result.parts))} times as many.")


def variance_numbers(result):
    """The products."""
    return [("cells", f"× {figures(total(result.parts[:3]))}"),
            ("one bit", f"× {figures(total(result.parts))}")]


class Errors(NamedTuple):
    """What a cell costs, in units of its noise level, against its bar."""

    exact: np.ndarray
    cantelli: np.ndarray


@lru_cache(maxsize=64)
def errors(few):
    """The `Errors` of one bit in a cell where all labels are 1; bars above everybody's cost nothing.

    The budget does not matter: it is part of the noise level.
    """
    bit = HadamardBit(1.0, 1.0)
    level = bit.scale / math.sqrt(few)
    p = np.minimum(2 * PLACES * level, 1.0)
    wrong = score_sign_probabilities(bit, few, p, p)[0]
    return Errors(np.where(2 * PLACES * level <= 1, 2 * PLACES * wrong, 0), 2 * PLACES / (1 + PLACES**2))


def wrong(result):
    """The `Axes` of the cost of a cell, its lid, and the lid of all lids."""
    marks = (line("cantelli", PLACES, result.cantelli, "bound", width=3, label="Cantelli: P ≤ 1/(1 + m²)"),
             line("exact", PLACES, result.exact, "truth", width=4, label="exact"),
             rule("one", "reference", y=1, width=2, label="at most one noise level"))
    left = Axes("cost", linear(0, 4, 1), linear(0, 1.25, 0.5), "what a wrong label costs on average",
                "bar, in noise levels", "", marks, wide=1.2)
    return [left, staircase(cell_wastes(result))._replace(title="what the step wastes")]


def cell_wastes(result):
    """The `Waste` of the lid: the cost is a noise level, which falls like one over the root of n."""
    return (Waste("Cantelli", float((result.cantelli.max() / result.exact.max()) ** 2)),)


def wrong_said(result):
    """The largest cost."""
    return (f"A cell costs at most {result.exact.max():.3f} noise levels; Cantelli's inequality says "
            f"{result.cantelli.max():.3f}: {cell_wastes(result)[0].factor:.3g} times as many people.")


def wrong_numbers(result):
    """The same."""
    return [("times as many people", f"× {figures(cell_wastes(result)[0].factor)}"),
            ("exact, at most", f"{result.exact.max():.3f}"), ("Cantelli", f"{result.cantelli.max():.3f}")]


class Sums(NamedTuple):
    """The whole risk on a wave: exact, and the two terms of the bound."""

    exact: float
    labels: float
    noise: float


@lru_cache(maxsize=256)
def sums(n, cells):
    """The `Sums` of one bit, alpha = 1."""
    law, bit = problem("wave"), HadamardBit(1.0, 1 / cells)
    p, q = law.cell_masses(*bit.boxes())
    labels = 0.5 - law.bayes_risk - np.abs(q - p / 2).sum()
    return Sums(excess_risk(OneBitClassifier(1.0, 1 / cells), law, n, relative_error=1e-6), float(labels),
                cells * bit.scale / math.sqrt(n))


def whole(result):
    """The `Axes` of the exact risk and of its bound."""
    ends = np.array([result.exact, result.labels + result.noise])
    marks = [bars("exact", [-0.35], [0.35], [0], ends[:1], "truth"),
             bars("labels", [0.65], [1.35], [0], [result.labels], "other", label="best labels of the cells"),
             bars("noise", [0.65], [1.35], [result.labels], ends[1:], "bound", label="noise: K levels"),
             text("words", [0, 1], ends, [short(end) for end in ends], anchor="middle", dy=-12)]
    return Axes("sum", linear(-0.6, 1.6, ticks=(0, 1), words=("exact", "bound")),
                linear(0, 1.2 * max(ends.max(), 1e-3)), "excess risk on a wave, one bit, α = 1", "", "",
                tuple(marks), grid=False)


def whole_said(result):
    """Risk and bound."""
    return (f"With {short(result.n)} people and {result.cells} cells the exact risk is "
            f"{short(result.exact)}; the bound is {short(result.labels)} for the best labels and "
            f"{short(result.noise)} for noise.")


def whole_numbers(result):
    """The same."""
    return [("exact risk", short(result.exact)), ("bound", short(result.labels + result.noise))]


class Left(NamedTuple):
    """Worst risks on the hard laws of notebook 04, over the lower bound of these laws, at `CROWDS`."""

    bit: np.ndarray
    paper: np.ndarray


@lru_cache(maxsize=32)
def left_over(alpha):
    """The `Left`, one feature, beta = gamma = 1; the paper's at the best of six bandwidths."""
    games = [Game.best(int(n), alpha, 1.0, 1.0, 1) for n in CROWDS]
    bounds = np.array([game.bound() for game in games])
    bit = np.array([one_bit_risk(game) for game in games])
    paper = np.array([min(cube_risk(game, factor / game.q) for factor in (0.25, 0.5, 1)) for game in games])
    return Left(bit / bounds, paper / bounds)


def left_axes(result):
    """The `Axes` of what is left."""
    marks = (band("land", CROWDS, np.zeros(len(CROWDS)), np.ones(len(CROWDS)), "forbidden",
                  label="below 1: impossible"),
             line("paper", CROWDS, result.paper, "bound", width=3, label="the paper's, best h"),
             line("bit", CROWDS, result.bit, "private", width=4, label="one bit"))
    return Axes("left", log(1e3, 1e9), linear(0, 1.1 * result.paper.max(), 0.5),
                "risk on hard laws, over its lower bound", "people n", "", marks)


def left_said(result):
    """What one bit leaves."""
    return (f"On the hard laws of notebook 04 one bit has {result.bit.min():.2f} to "
            f"{result.bit.max():.2f} times the lower bound, the paper's report {result.paper.min():.2f} to "
            f"{result.paper.max():.2f} times.")


def left_numbers(result):
    """The same."""
    return [("one bit / bound, at most", f"{result.bit.max():.2f}"),
            ("the paper's / bound", f"{result.paper.max():.2f}")]


class Everything(NamedTuple):
    """The variances, and what is left."""

    variances: Variances
    left: Left


class ProofBeyond(Story):
    """Notebook 07: privacy, mean, variance, risk, and what nobody can improve."""

    name = "proof_beyond"
    title = "Why one bit is enough"
    size = (10.0, 5.2)
    controls = (FEW, DIMENSION, BUDGET, OWN, OTHER, PEOPLE, CELLS)
    views = {
        "privacy": step_view((BUDGET,), mosaic, privacy, privacy_said, numbers=privacy_numbers),
        "unbiased": step_view((OWN, OTHER), unbiased_of, unbiased, unbiased_said, numbers=unbiased_numbers),
        "variance": step_view((DIMENSION, BUDGET), variances_of, variance, variance_said,
                              numbers=variance_numbers),
        "wrong": step_view((FEW,), errors, wrong, wrong_said, numbers=wrong_numbers),
        "sum": step_view((PEOPLE, CELLS), sums, whole, whole_said, numbers=whole_numbers),
        "left": step_view((BUDGET,), left_over, left_axes, left_said, numbers=left_numbers),
        "explore": step_view(
            (DIMENSION, BUDGET), lambda d, alpha: Everything(variances_of(d, alpha), left_over(alpha)),
            lambda result: [variance(result.variances)[1], left_axes(result.left)],
            lambda result: left_said(result.left),
            numbers=lambda result: [*variance_numbers(result.variances), *left_numbers(result.left)]),
    }
    scenes = (
        Scene("private", "Any two people send any pattern and bit with chances that differ at most by the "
              "factor e to the α.", {}, ("alpha",), view="privacy",
              formula=mathml('frac{P("pattern, bit" | "A")}{P("pattern, bit" | "B")} <= e^{alpha}')),
        Scene("unbiased", "Any other cell has her sign in half of the patterns, and the opposite sign in the "
              "other half. They cancel.", {}, ("own", "other"), view="unbiased",
              formula=mathml('frac{"same sign" - "opposite sign"}'
                             '{"all patterns"} = frac{8 - 8}{16} = 0')),
        Scene("variance", "The blocks again: more noise, half of the people for each question, two noisy "
              "means. Against cells, one bit saves only at small budgets.", {}, ("d", "alpha"),
              view="variance",
              formula=mathml('"paper: " 5 frac{4^{d+1}}{alpha^2} "," "  cells: " frac{2}{alpha^2} '
                             '"," "  one bit: " '
                             "frac{1}{4} {(frac{e^{alpha} + 1}{e^{alpha} - 1})}^2")),
        Scene("wrong label", "If a cell's label is wrong, it costs twice its bar, here m noise levels. "
              "However many people, on average at most one noise level.", {}, ("few",), view="wrong",
              formula=mathml('2 m P("wrong") <= 2 m frac{1}{1 + m^2} <= 1')),
        Scene("all cells", "All cells together cost at most their noise levels. Add what the best labels of "
              "the cells cost.", {}, ("n", "cells"), view="sum",
              formula=mathml('"excess risk" <= "cost of the best labels" + K " noise levels"')),
        Scene("what is left", "Notebook 04 found laws that are hard for every private report, with a lower "
              "bound. One bit comes near it.", {}, ("alpha",), view="left",
              formula=mathml('frac{"largest risk on these laws"}{"lower bound"} >= 1 '
                             '"  for every private report"')),
        Scene("explore",
              "Left: what the paper's report wastes. Right: risks on the hard laws of notebook 04, over "
              "their lower bound.", {}, view="explore"),
    )


STORY = ProofBeyond

"""The theorem of notebook 07, one step at a time: one bit is private, unbiased, and has less variance."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.estimation import OneBitClassifier
from ldp_lib.lessons.beyond.story import STRIPES, blocks, flip_chance
from ldp_lib.lessons.pictures import side_by_side, upright
from ldp_lib.lessons.steps import Waste, mathml, staircase, total
from ldp_lib.nature import problem
from ldp_lib.privacy import HadamardBit
from ldp_lib.risk import excess_risk
from ldp_lib.risk.scores import score_sign_probabilities
from ldp_lib.stage import Control, Scene, Shown, Story, log_steps, powers_of_two, view
from ldp_lib.stage.picture import (
    Axes, band, bars, cells, dots, figures, line, linear, log, rule, short, text,
)
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
COUNTS = np.logspace(3, 9, 13).round().astype(int)


@lru_cache(maxsize=64)
def mosaic(alpha):
    """The law of everything that a person may send about four cells, and the largest log ratio of two people.

    (8 outputs, 8 signals): the four patterns with bit 1, then with bit -1, given her cell and label.
    """
    bit = HadamardBit(alpha, 0.25)
    sign = bit.signs(np.arange(bit.order)[:, None], np.arange(bit.K))
    hers = np.concatenate([sign, -sign], axis=1)
    plus = np.where(hers == 1, 1 - flip_chance(alpha), flip_chance(alpha)) / bit.order
    law = np.concatenate([plus, 1 / bit.order - plus])
    return law, np.ptp(np.log(law), axis=1).max()


@view(BUDGET)
def two_chances(alpha):
    """The mosaic of all chances, and the two that it is made of."""
    law, loss = mosaic(alpha)
    chances = np.array([law.min(), law.max()])
    words = [f"{100 * each:.3g}%" for each in chances]
    sides, outputs = (linear(0, 8, ticks=(2, 6), words=words)
                      for words in (("label 1", "label 0"), ("bit +", "bit −")))
    left = Axes("mosaic", sides, outputs, "what she may send, for each cell and label", "cell and label", "",
                (cells("law", law > law.mean(), ("nothing", "promise_open"), (0, 8, 0, 8), labels=words),),
                square=True, grid=False)
    marks = (upright("chances", [0, 1], chances, "private"),
             text("words", [0, 1], chances, words, anchor="middle", dy=-12),
             rule("wall", "bound", y=chances[0] * math.exp(alpha), width=3,
                  label=f"wall: {figures(math.exp(alpha))} times the smaller"))
    right = Axes("chances", side_by_side(("flipped", "not flipped")), linear(0, 0.3),
                 "every chance is one of these two", "", "", marks, grid=False)
    return Shown((left, right),
                 f"Every pattern and bit has the probability {chances[0]:.3g} or {chances[1]:.3g}, whoever "
                 f"sends it. The largest log ratio is {loss:.4g}; the budget is {alpha:.4g}.",
                 [("largest log ratio", f"{loss:.3g}"), ("α", f"{alpha:.3g}"),
                  ("flipped", f"{flip_chance(alpha):.1%}")])


@view(OWN, OTHER)
def products_of_signs(own, other):
    """Signs of her own cell times those of another one, pattern by pattern, and their means for all cells."""
    signs, places = STRIPES.signs(np.arange(STRIPES.order)[:, None], np.arange(STRIPES.K)), np.arange(16)
    every = signs[:, [own]] * signs
    products, means = every[:, other].astype(float), every.mean(axis=0)
    left = [upright(key, np.where(here, places, np.nan), products, role, wide=0.8, label=words)
            for key, here, role, words in (("same", products > 0, "private", "same sign"),
                                           ("opposite", products < 0, "second", "opposite sign"))]
    right = (upright("means", places, means, "private", wide=0.8),
             dots("other", other, -0.06, "second", size=14, label="the other cell"))
    across, same = linear(-0.7, 15.7, ticks=range(0, 16, 5)), int((products > 0).sum())
    return Shown(
        (Axes("products", across, linear(-1.3, 1.3, 1), "her sign times the other cell's", "pattern", "",
              (rule("zero", "truth", y=0, width=1), *left), grid=False),
         Axes("means", across, linear(-0.15, 1.15, 0.5), "mean over all 16 patterns", "cell", "", right,
              grid=False)),
        f"The signs of cells {own} and {other} agree in {same} of 16 patterns and differ in {16 - same}: "
        f"their products have the mean {products.mean():g}.",
        [("mean, this cell", f"{products.mean():g}"), ("mean, her own", f"{means[own]:g}")])


@lru_cache(maxsize=64)
def variances(d, alpha):
    """n times the variance of a score, of noise alone: the paper's, cells, one bit; `blocks` between them."""
    parts = blocks(d, alpha)
    one = HadamardBit(alpha, 0.5, d).variance(0)
    return one * np.array([total(parts), parts[3].factor, 1.0]), parts


def wasted(parts):
    """The `Axes` of the blocks that the paper's report wastes."""
    return staircase(parts)._replace(title="what the paper's report wastes")


def times_as_many(parts):
    """The numbers of people by the paper's report, over those by cells and by one bit."""
    return [("cells", f"× {figures(total(parts[:3]))}"), ("one bit", f"× {figures(total(parts))}")]


@view(DIMENSION, BUDGET)
def three_variances(d, alpha):
    """Three variances, and the blocks between them."""
    (values, parts), places, low = variances(d, alpha), np.arange(3), 0.1
    words = [figures(value) for value in values]
    marks = (bars("variance", places - 0.35, places + 0.35, low, values, "private"),
             text("words", places, values, words, anchor="middle", dy=-12))
    left = Axes("variance", side_by_side(("the paper's", "cells", "one bit")),
                log(low, 30 * values.max(), every=1 + (values.max() > 1e5)),
                "n times the variance of a score", "", "", marks, grid=False)
    return Shown((left, wasted(parts)),
                 f"With {d} feature{'s' * (d > 1)} n times the variance is {words[0]} for the paper's "
                 f"report, {words[1]} for cells and {words[2]} for one bit: {figures(total(parts[:3]))} and "
                 f"{figures(total(parts))} times as many.", times_as_many(parts))


@lru_cache(maxsize=64)
def cost_of_a_cell(few):
    """What one bit loses in a cell where all labels are 1, in noise levels, against its bar (`PLACES`).

    Bars above everybody's cost nothing. The budget does not matter: it is part of the noise level.
    """
    bit = HadamardBit(1.0, 1.0)
    level = bit.scale / math.sqrt(few)
    p = np.minimum(2 * PLACES * level, 1.0)
    wrong = score_sign_probabilities(bit, few, p, p)[0]
    return np.where(2 * PLACES * level <= 1, 2 * PLACES * wrong, 0)


@view(FEW)
def wrong_label(few):
    """The cost of a cell, its lid, and the lid of all lids."""
    exact, lid = cost_of_a_cell(few), 2 * PLACES / (1 + PLACES**2)
    # The cost is a noise level, which falls like one over the root of n.
    waste = Waste("Cantelli", float((lid.max() / exact.max()) ** 2))
    marks = (line("cantelli", PLACES, lid, "bound", width=3, label="Cantelli: P ≤ 1/(1 + m²)"),
             line("exact", PLACES, exact, "truth", width=4, label="exact"),
             rule("one", "reference", y=1, width=2, label="at most one noise level"))
    left = Axes("cost", linear(0, 4, 1), linear(0, 1.25, 0.5), "what a wrong label costs on average",
                "bar, in noise levels", "", marks, wide=1.2)
    return Shown((left, staircase((waste,))._replace(title="what the step wastes")),
                 f"A cell costs at most {exact.max():.3f} noise levels; Cantelli's inequality says "
                 f"{lid.max():.3f}: {waste.factor:.3g} times as many people.",
                 [("times as many people", f"× {figures(waste.factor)}"),
                  ("exact, at most", f"{exact.max():.3f}"), ("Cantelli", f"{lid.max():.3f}")])


@lru_cache(maxsize=256)
def wave_risk(n, cells):
    """The exact risk of one bit on a wave, alpha = 1, and what bounds it: best labels of the cells, noise."""
    law, bit = problem("wave"), HadamardBit(1.0, 1 / cells)
    p, q = law.cell_masses(*bit.boxes())
    labels = 0.5 - law.bayes_risk - np.abs(q - p / 2).sum()
    return (excess_risk(OneBitClassifier(1.0, 1 / cells), law, n, relative_error=1e-6), float(labels),
            cells * bit.scale / math.sqrt(n))


@view(PEOPLE, CELLS)
def all_cells(n, cells):
    """The exact risk and its bound."""
    exact, labels, noise = wave_risk(n, cells)
    ends = np.array([exact, labels + noise])
    words = [short(end) for end in ends]
    marks = (upright("exact", 0, ends[0], "truth"),
             upright("labels", 1, labels, "other", label="best labels of the cells"),
             upright("noise", 1, ends[1], "bound", low=labels, label="noise: K levels"),
             text("words", [0, 1], ends, words, anchor="middle", dy=-12))
    axes = Axes("sum", side_by_side(("exact", "bound")), linear(0, 1.2 * max(ends.max(), 1e-3)),
                "excess risk on a wave, one bit, α = 1", "", "", marks, grid=False)
    return Shown((axes,), f"With {short(n)} people and {cells} cells the exact risk is {words[0]}; the bound "
                 f"adds {short(labels)} for the best labels and {short(noise)} for noise.",
                 [("exact risk", words[0]), ("bound", words[1])])


@lru_cache(maxsize=32)
def hard_laws(alpha):
    """Worst risks on the hard laws of notebook 04 over their lower bound, at `COUNTS`: one bit, the paper's.

    One feature, beta = gamma = 1; the paper's at the best of three bandwidths.
    """
    games = [Game.best(int(n), alpha, 1.0, 1.0, 1) for n in COUNTS]
    bounds = np.array([game.bound() for game in games])
    bit = np.array([one_bit_risk(game) for game in games])
    paper = np.array([min(cube_risk(game, factor / game.q) for factor in (0.25, 0.5, 1)) for game in games])
    return bit / bounds, paper / bounds


@view(BUDGET)
def what_is_left(alpha):
    """What one bit and the paper's report leave above the lower bound."""
    bit, paper = hard_laws(alpha)
    marks = (band("land", COUNTS, 0, 1, "forbidden", label="below 1: impossible"),
             line("paper", COUNTS, paper, "bound", width=3, label="the paper's, best h"),
             line("bit", COUNTS, bit, "private", width=4, label="one bit"))
    axes = Axes("left", log(1e3, 1e9), linear(0, 1.1 * paper.max(), 0.5),
                "risk on hard laws, over its lower bound", "people n", "", marks)
    return Shown((axes,), f"On the hard laws of notebook 04 one bit has {bit.min():.2f} to {bit.max():.2f} "
                 f"times the lower bound, the paper's report {paper.min():.2f} to {paper.max():.2f} times.",
                 [("one bit / bound, at most", f"{bit.max():.2f}"),
                  ("the paper's / bound", f"{paper.max():.2f}")])


@view(DIMENSION, BUDGET)
def everything(d, alpha):
    """Left: what the paper's report wastes. Right: what is left."""
    (_, parts), left = variances(d, alpha), what_is_left(alpha=alpha)
    return Shown((wasted(parts), *left.columns), left.says, times_as_many(parts) + left.numbers)


STORY = Story("proof_beyond", "Why one bit is enough", size=(10.0, 5.2), scenes=(
    Scene("private", "Any two people send any pattern and bit with chances that differ at most by the "
          "factor e to the α.", two_chances, {}, ("alpha",),
          formula=mathml('frac{P("pattern, bit" | "A")}{P("pattern, bit" | "B")} <= e^{alpha}')),
    Scene("unbiased", "Any other cell has her sign in half of the patterns, and the opposite sign in the "
          "other half. They cancel.", products_of_signs, {}, ("own", "other"),
          formula=mathml('frac{"same sign" - "opposite sign"}{"all patterns"} = frac{8 - 8}{16} = 0')),
    Scene("variance", "The blocks again: more noise, half of the people for each question, two noisy means. "
          "Against cells, one bit saves only at small budgets.",
          three_variances, {}, ("d", "alpha"), formula=mathml(
              '"paper: " 5 frac{4^{d+1}}{alpha^2} "," "  cells: " frac{2}{alpha^2} "," "  one bit: " '
              "frac{1}{4} {(frac{e^{alpha} + 1}{e^{alpha} - 1})}^2")),
    Scene("wrong label", "If a cell's label is wrong, it costs twice its bar, here m noise levels. However "
          "many people, on average at most one noise level.", wrong_label, {}, ("few",),
          formula=mathml('2 m P("wrong") <= 2 m frac{1}{1 + m^2} <= 1')),
    Scene("all cells", "All cells together cost at most their noise levels. Add what the best labels of the "
          "cells cost.", all_cells, {}, ("n", "cells"),
          formula=mathml('"excess risk" <= "cost of the best labels" + K " noise levels"')),
    Scene("what is left", "Notebook 04 found laws that are hard for every private report, with a lower "
          "bound. One bit comes near it.", what_is_left, {}, ("alpha",), formula=mathml(
              'frac{"largest risk on these laws"}{"lower bound"} >= 1 "  for every private report"')),
    Scene("explore", "Left: what the paper's report wastes. Right: risks on the hard laws of notebook 04, "
          "over their lower bound.", everything),
))

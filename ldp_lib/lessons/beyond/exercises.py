"""The exercises of notebook 07, on better mechanisms."""

import math
from collections import Counter
from functools import cache, lru_cache
from itertools import product

import numpy as np
from scipy.optimize import bisect

from ldp_lib.estimation import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons.beyond.story import CROWD, OUT, flip_chance
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit, SignedSubset
from ldp_lib.risk import excess_risk, people_needed
from ldp_lib.stage import Control
from ldp_lib.stage.judge import Offer, chosen, exercise, function, near, nearly_best, number, telling, trial


def _factor_of_variance(d=4):
    """Of n times the variance of the scores in empty cells, from the mechanisms themselves, at h = 1."""
    theirs, ours = CubeLaplace(1.0, 1.0, d, noise="real"), HadamardBit(1.0, 1.0, d)
    # Means of two halves, the second halved: 2 (1 + 1/4) Var of one noise.
    return 2.5 * 2 * theirs.scale**2 / ours.variance(0.0)


exercise(
    "07.1", "the factor of variance at d = 4",
    number(_factor_of_variance),
    "the paper's is 2.5 times 2 (2^(d+1)/α)^2, as in The proof, executed; one bit has `variance(0)`.",
    more="One feature more multiplies it by 4.")


def _crossing(cells=16):
    """The budget at which both mechanisms have the same variance in a cell of this share of the people."""
    p = 1 / cells

    def difference(alpha):
        return HadamardBit(alpha, p).variance(p) - CellLaplace(alpha, p, noise="real").variance(p)

    return bisect(difference, 0.5, 8.0)


exercise(
    "07.2", "the budget from which on Laplace noise beats one bit",
    number(_crossing, relative=0.01),
    "`variance(p)` of both mechanisms, with p = 1/16; bisect between 1 and 4.",
    more="However large α is, one bit keeps the noise of other people's patterns.")


def _variance_of_one_named_cell(alpha, cells):
    """Of randomised response over the signed cells, in each of `cells` equally likely ones."""
    return SignedSubset(alpha, 1 / cells, size=1).variance(1 / cells)


exercise(
    "07.3", "the variance of randomised response over cells as a function",
    function(_variance_of_one_named_cell,
             [{"alpha": 0.1, "cells": 2}, {"alpha": 1.0, "cells": 16}, {"alpha": 5.0, "cells": 64}]),
    "by how much is the own sign of the own cell more probable than the opposite one? How probable is it "
    "that a given cell is named at all?",
    more="It grows with the number of cells; the variance of a bit in a random pattern does not.")

exercise(
    "07.4", "a bandwidth for a wave that lies on no grid",
    # Narrower cells than 1/200 take long.
    nearly_best(0.005, 1, lambda h: excess_risk(OneBitClassifier(1.0, h), problem("wave"), 100_000),
                candidates=[1 / m for m in range(2, 61)], factor=1.1),
    "try h = 1/2, 1/3, ...; the risk is exact, so nothing jitters.",
    more="Its borders lie on no grid, so every width misses some of them.")


def _people_for_the_survey():
    rules = [CellClassifier(1.0, 1 / m, mechanism="best") for m in range(2, 9)]
    return people_needed(rules, problem("cps", features=("age", "education")), 0.05)


exercise(
    "07.5", "people for an excess risk of 0.05 on the survey",
    number(_people_for_the_survey, relative=0.03),
    "`people_needed` takes a list of rules, of which the best counts at every n.",
    more="The list is compared at every n, because the best width changes with the people.")


SMALL = HadamardBit(1.0, 0.25)
"""Four cells and four patterns."""
TOLD = tuple(product(range(SMALL.K), (0, 1), range(SMALL.order)))
"""Every cell, label and pattern."""
MATRIX = SMALL.signs(np.arange(SMALL.order)[:, None], np.arange(SMALL.K)).tolist()
"""MATRIX[pattern][cell], 1 or -1."""
TRIES = 600
"""Of each; over all, the share of flips has a standard error of 0.003 at most."""
ROOM = 0.015
"""So far may that share be off, five standard errors."""
ALPHAS = (1.0, 2.0)


@lru_cache(maxsize=4)
def _sent(answer):
    """What a function `send` does, at each of `ALPHAS`; ValueError where a bit is no sign.

    How many patterns were sent that are not the given ones; how much the pattern that was sent depends on the
    cell, the largest total variation of two cells; and the share of bits that are not
    (2 label - 1) H[pattern, cell], for label 0 and for label 1, (alphas, 2).
    """
    rng, moved, flips = np.random.default_rng(7), 0, np.zeros((len(ALPHAS), 2))
    rows = [Counter() for _ in range(SMALL.K)]
    for (place, alpha), (cell, label, row) in product(enumerate(ALPHAS), TOLD):
        for _ in range(TRIES):
            told, bit = answer(cell=cell, label=label, row=row, alpha=alpha, rng=rng)
            if bit not in (-1, 1):
                raise ValueError(f"the bit must be 1 or -1, not {bit!r:.40}")
            moved += told != row
            rows[cell][told] += 1
            flips[place, label] += bit != (2 * label - 1) * MATRIX[row][cell]
    apart = max((first - second).total() / first.total() for first, second in product(rows, rows))
    return moved, apart, flips / (TRIES * SMALL.K * SMALL.order)


def _flips_like(share):
    """Recognises functions that send the given pattern, and flip the right sign with this probability."""
    wanted = np.array([share(alpha) for alpha in ALPHAS])[:, None]

    def made(answer):
        moved, _, flips = _sent(answer)
        return not moved and (np.abs(flips - wanted) < ROOM).all()
    return made


def _forgets_label(answer):
    """The sign is that of the pattern, whatever the label is: wrong as often for label 0 as right for 1."""
    moved, _, flips = _sent(answer)
    zero, one = flips.T
    return not moved and (np.abs(zero + one - 1) < 2 * ROOM).all() and (one < 0.45).all()


def _wrong_report(answer):
    moved, _, flips = _sent(answer)
    if moved:
        return f"In {moved:,} of {len(ALPHAS) * len(TOLD) * TRIES:,} tries another pattern was sent."
    for alpha, (zero, one) in zip(ALPHAS, flips, strict=True):
        if max(abs(zero - flip_chance(alpha)), abs(one - flip_chance(alpha))) > ROOM:
            return (f"At alpha = {alpha:g} the bit is flipped for {zero:.1%} of label 0 and {one:.1%} of "
                    f"label 1; it should be {flip_chance(alpha):.1%}.")
    return ""


exercise(
    "07.6", "one bit of one person as a function",
    trial("comparison", _wrong_report),
    "look at row, label and flip one by one. What would be sent if nothing were ever flipped?",
    second="the sign is H[row, cell], or its opposite for label 0. Flip it with probability f, so that "
           "(1 - f) / f = e^alpha; send the row as it is given.",
    stars=2,
    mistakes={
        lambda answer: _sent(answer)[1] > 0.1: "The row is public. It now tells the cell.",
        _flips_like(lambda alpha: math.exp(-alpha)):
            "Too careful: at alpha = 1 flip with 1/(e + 1) = 0.269, not 0.368.",
        _flips_like(lambda alpha: flip_chance(alpha / 2)):
            "That is alpha/2. There is one bit: let it spend all of alpha.",
        _flips_like(lambda alpha: 1 - flip_chance(alpha)):
            "That is how often to tell the truth: you flip too often, or the sign is turned round.",
        _forgets_label: "You count people; the label is in the sign."},
    more="It is the coin of notebook 00: 26.9% of flips at α = 1.",
    enough="The share of flips may be off by 0.015.")

CELLS = HadamardBit(1.0, 1 / 16)
"""16 cells."""
PEOPLE_A_ROW = 25


@cache
def _case(alpha=1.0):
    """Patterns, all of them equally often, and bits of a crowd that lives to the left."""
    rng, rows = np.random.default_rng(8), np.repeat(np.arange(CELLS.order), PEOPLE_A_ROW)
    homes = rng.integers(0, CELLS.K // 2, len(rows))
    return rows, CELLS.signs(rows, homes) * np.where(rng.random(len(rows)) < flip_chance(alpha), -1, 1)


def _decoded(rows, bits, alpha=1.0):
    """Share with label 1 less share with label 0, unbiased: twice the mechanism's own score."""
    cells = HadamardBit(alpha, 1 / 16)
    return 2 * cells.score(cells.collect(rows, bits))


def _own_rows(rows, bits):
    """Of a cell only the pattern with its number."""
    cells = np.arange(CELLS.K)
    sums = np.bincount(rows, weights=bits, minlength=CELLS.order)
    return 2 * CELLS.scale * CELLS.signs(cells, cells) * sums / PEOPLE_A_ROW


def _decodes(specimen):
    """Recognises functions that decode as this one does."""
    def made(answer):
        rows, bits = _case()
        found = np.asarray(answer(rows=rows.copy(), bits=bits.copy(), alpha=1.0), float)
        return found.shape == (CELLS.K,) and np.allclose(found, specimen(rows, bits), rtol=1e-6, atol=1e-9)
    return made


def _wrong_decoder(answer):
    for alpha in ALPHAS:
        rows, bits = _case(alpha)
        found = np.asarray(answer(rows=rows.copy(), bits=bits.copy(), alpha=alpha), float)
        if found.shape != (CELLS.K,) or not np.isfinite(found).all():
            return f"For {len(rows)} people your function must return {CELLS.K} finite numbers, one a cell."
        right = _decoded(rows, bits, alpha)
        wrong = np.flatnonzero(~np.isclose(found, right, rtol=1e-6, atol=1e-9))
        if wrong.size:
            return (f"At alpha = {alpha:g} your function says {found[wrong[0]]:.4g} in cell {wrong[0]}; "
                    f"{right[wrong[0]]:.4g} was expected.")
    return ""


exercise(
    "07.7", "decoding the bits of everybody",
    trial("comparison", _wrong_decoder),
    "a bit times its pattern is a vote about every cell. Average the votes, and correct for the flips.",
    second="flips shrink every mean by 1 - 2f, f = 1/(e^alpha + 1). So multiply by "
           "(e^alpha + 1)/(e^alpha - 1), which is 2.164 at alpha = 1.",
    stars=2,
    mistakes={
        _decodes(lambda rows, bits: _decoded(rows, bits) / (2 * CELLS.scale)):
            "Right signs. But flips have made every mean smaller. How much smaller?",
        _decodes(lambda rows, bits: _decoded(rows, bits) / 2):
            "That is the score of the mechanism, for label minus one half: half of what is asked here.",
        _decodes(lambda rows, bits: _decoded(rows, bits) * CELLS.K):
            "Nobody knows who is in the cell: divide by n.",
        _decodes(_own_rows): "Every row sees every cell. Use all.",
        _decodes(_decoded): "Right at alpha = 1. At another alpha another share is flipped."},
    more="The factor falls with the budget: 2.16 at α = 1, and 1.31 at α = 2.",
    enough="It must agree to 6 digits.")

RULES = {"one bit": OneBitClassifier, "cells": CellClassifier, "cubes": CubeClassifier}
"""Of the challenge; a budget of 1 nat."""
FEWEST = 8623
"""The fewest known, of all three at h = 0.04, 0.0404, ..., 0.26."""
ENOUGH = 1.03 * FEWEST


@lru_cache(maxsize=64)
def _people_for_67(design, h):
    """Exact; None if a billion are too few."""
    law = problem("cps")
    return people_needed(RULES[design](1.0, h), law, 1 - law.bayes_risk - 0.67, most=10**9)


def _plan(answer):
    """(design, h) of an answer; ValueError in words if it is none."""
    design, h = answer
    if design not in RULES or not 0.02 <= h <= 0.5:
        raise ValueError(f"a design of {', '.join(map(repr, RULES))} and an h from 0.02 to 0.5 are expected")
    return design, float(h)


def _wrong_plan(answer):
    try:
        people = _people_for_67(*_plan(answer))
    except (TypeError, ValueError) as failure:
        return f"A pair such as (\"cells\", 0.1) is expected: {failure}."
    if people is not None and people <= ENOUGH:
        return ""
    if people is None:
        return "Not even a billion people reach it."
    return (f"It takes {people:,} people, {telling(people / FEWEST, 1.03)} times the fewest known; 1.03 is "
            "enough.")


def _people_like(design, low, high):
    """Recognises plans of one design with such an h."""
    return lambda answer: _plan(answer)[0] == design and low <= _plan(answer)[1] <= high


exercise(
    "07.8", "right for 67% with the fewest people",
    _wrong_plan,
    "people_needed says how many a rule takes; try all three designs and a few h.",
    second="one bit. The majority changes at 0.082 and 0.575: which cells end near both?", stars=3,
    mistakes={
        _people_like("cubes", 0.02, 0.5): "Cubes that overlap and two halves: see the blocks.",
        _people_like("cells", 0.02, 0.5):
            "The noise of a number a cell: one bit has 1.7 times less variance.",
        _people_like("one bit", 0.12, 0.5): "Too wide: the best rule changes inside a cell.",
        _people_like("one bit", 0.02, 0.095): "Too narrow: the bars fall with h, and the noise stays."},
    score=lambda answer: (f"{_people_for_67(*_plan(answer)):,} people. Your score: "
                          f"{_people_for_67(*_plan(answer)) / FEWEST:.3f} times the fewest known."),
    offer=Offer((Control("design", "design", "", tuple(RULES), "cubes"),
                 Control("h", "width", "h", np.arange(4, 27, 2) / 100, 0.2))),
    more="Trust and promise are those of the cubes. Only the question is shorter.",
    enough="At most 1.03 times the fewest known people count.")

BY_BIT, BY_CELLS, BY_CUBES = OUT


def _not_out(people):
    if BY_CELLS <= people <= 1.02 * BY_CELLS:
        return ""
    return f"With {people:,} people bar / noise of the cells is {(people / BY_CELLS)**0.5:.2f}."


exercise(
    "07.9", "the fewest people with whom the bars of cells are as tall as their noise",
    chosen(1, 10**9, _not_out, whole=True),
    "the middle group: which n makes bar / noise 1?",
    mistakes={
        near(BY_BIT): "These are enough for one bit. A noisy number for each cell has deeper noise.",
        near(BY_CUBES): "So many need the paper's cubes. Cells are the group in the middle."},
    more=f"It is {BY_CELLS / BY_BIT:.1f} times the {BY_BIT} people of one bit, and the paper's cubes need "
         f"{BY_CUBES / BY_CELLS:.0f} times as many.",
    enough="Up to 2% more than the fewest count.",
    offer=Offer((CROWD,), "beyond/2?scene=three+noise+levels&crowd=100"))

"""The price of 67%: one table, computed again; the stack that each notebook explains."""

import numpy as np
import pytest
from story_facts import Fact
from walk_facts import scenes

from ldp_lib.estimation import (
    CellClassifier, CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier,
)
from ldp_lib.lessons.price import DESIGNS, PRICES, STORY, WIDTHS, how_many_people
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk


def squares(seen, words):
    """How many squares a stack has, the last one as a part."""
    stack = seen["price"][words]
    return float(((stack["right"] - stack["left"]) / 0.8).sum())


def explains(words, before=None, factor=None):
    """This stack is as many people as the sentence says, and so many times the one before."""
    def told(at):
        seen = at()
        count = int(seen.readout[words].replace(",", ""))
        assert count == PRICES[0.67][list(DESIGNS).index(words)]
        assert f"{count:,}" in STORY.scene(words).sentence
        assert squares(seen, words) == pytest.approx(count / 163, rel=1e-4), "the stack is as high"
        bar = seen["factors"][words]
        assert float(bar["right"][0]) == pytest.approx(count / 163, rel=1e-4), "and the bar is as long"
        if before:
            assert squares(seen, words) / squares(seen, before) == pytest.approx(factor, abs=0.05)
            assert seen.readout[f"times {before}"] == f"× {factor}"
    return told


def everything(at):
    seen = at()
    lengths = [float(seen["factors"][words]["right"][0]) for words in DESIGNS]
    assert (np.diff(lengths) > 0).all(), "every step costs people"
    assert round(lengths[-1]) == 987


FACTS = [
    Fact("price", "open", explains("open"), {"goal": 0.66}),
    Fact("price", "curator", explains("curator", "open", 1.4), {"goal": 0.6}),
    Fact("price", "one bit each", explains("one bit each", "curator", 36.9), {"goal": 0.66}),
    Fact("price", "cells", explains("cells", "one bit each", 1.7), {"goal": 0.68}),
    Fact("price", "cubes", explains("cubes", "cells", 10.8), {"goal": 0.64}),
    Fact("price", "explore", everything, {"goal": 0.6}),
]
SAID = scenes("price", {"explore": [
    ("each way with its best cells", lambda seen: (np.diff([seen["price"][way]["left"].size for way in
        DESIGNS]) >= 0).all()),
]})
RULES = (
    HistogramClassifier, lambda h: NoisyMajorityClassifier(1.0, side=h), lambda h: OneBitClassifier(1.0, h),
    lambda h: CellClassifier(1.0, h, mechanism="laplace"), lambda h: CubeClassifier(1.0, h),
)


LETTER, GAP, TELEPHONE = 16 * 0.6, 6, 320
"""CSS pixels: a digit, what is between words and stacks at least, and the width of a plot on a telephone."""


@pytest.mark.parametrize("goal", PRICES)
def test_words_over_a_stack_stay_off_other_stacks_on_a_telephone(goal):
    axes, = how_many_people(goal=goal, answered=True).picture.axes
    unit = TELEPHONE / (axes.x.high - axes.x.low)
    marks = {mark.key: mark for mark in axes.marks}
    for words in ("people", "times open"):
        for middle, word in zip(marks[words].arrays["x"], marks[words].options["words"], strict=True):
            left, right = (middle * unit + side * len(word) * LETTER / 2 for side in (-1, 1))
            for design in DESIGNS:
                stack = marks[design].arrays
                if not stack["left"].min() < middle < stack["right"].max():
                    assert (right + GAP < stack["left"].min() * unit
                            or stack["right"].max() * unit + GAP < left), word


@pytest.mark.share(3)
@pytest.mark.parametrize("goal", PRICES)
def test_so_many_people_are_enough_and_two_fewer_are_not(goal):
    """The table of prices: at the best of all bandwidths, at alpha = epsilon = 1, on the survey by age."""
    law = problem("cps")
    target = 1 - law.bayes_risk - goal
    for words, rule, people in zip(DESIGNS, RULES, PRICES[goal], strict=True):
        enough = [excess_risk(rule(h), law, people) for h in WIDTHS]
        assert min(enough) <= target, words
        assert min(excess_risk(rule(h), law, people - 2) for h in WIDTHS) > target, words



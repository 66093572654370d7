"""The question that comes back at the end of notebooks: the same accuracy, how many people?"""

import math
from itertools import pairwise

import numpy as np

from ldp_lib.estimation import (
    CellClassifier, CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier,
)
from ldp_lib.lessons.computed import Table
from ldp_lib.nature import problem
from ldp_lib.risk import people_needed
from ldp_lib.stage import Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, bars, figures, linear, log, short, text

WIDTHS = tuple(k / 400 for k in range(20, 201))
"""The bandwidths of which each design takes the best."""
DESIGNS = {"open": "open", "curator": "best", "one bit each": "private", "cells": "other",
           "cubes": "bound"}
"""Ways to ask, and their roles: nobody adds noise; a curator does; everybody sends one bit; one noisy number
for each cell; the paper's, one for each cube of a grid whose cubes overlap. alpha = epsilon = 1."""
RULES = (
    HistogramClassifier, lambda h: NoisyMajorityClassifier(1.0, side=h), lambda h: OneBitClassifier(1.0, h),
    lambda h: CellClassifier(1.0, h, mechanism="laplace"), lambda h: CubeClassifier(1.0, h),
)
"""The rule of each of `DESIGNS`, from its bandwidth."""


def fewest(goal):
    """The fewest people of each design who reach an accuracy by age alone on average; exact.

    So many are enough, and two fewer are not, at any of `WIDTHS`.
    """
    law = problem("cps")
    return [f"{people_needed([rule(h) for h in WIDTHS], law, 1 - law.bayes_risk - goal)}" for rule in RULES]


GOAL = Control("goal", "accuracy", "", (0.60, 0.64, 0.66, 0.67, 0.68), 0.67, "{:.0%}",
               "how often the rule by age is right")
PRICES = Table("price", fewest, {"goal": GOAL.values}, dict.fromkeys(DESIGNS, int))
ANSWERED = Control("answered", "the question is answered", "", (False, True), False)
EXPLAINED = Control("explained", "explained", "", tuple(DESIGNS), "cubes", help="the stack in full colour")
WHY = ("nobody adds noise", "a desk adds it once", "everybody adds it", "a number each cell",
       "overlap, two halves")
"""What makes each of `DESIGNS` dearer than the one before it."""


@view(GOAL, ANSWERED)
def how_many_people(goal, answered):
    """Stacks of squares; before the question is answered, only of open answers and the paper's mechanism."""
    shown, people = tuple(DESIGNS) if answered else ("open", "cubes"), dict(zip(DESIGNS, PRICES[goal]))
    return Shown((stacks(goal, shown),), needed(goal, shown),
                 [(words, f"× {short(people[words] / people['open'])}")
                  for words in ("one bit each", "curator", "cells", "cubes") if words in shown])


@view(GOAL, EXPLAINED)
def one_explained(goal, explained):
    """Left the stacks, right how many times the people of open answers."""
    people, place = PRICES[goal], tuple(DESIGNS).index(explained)
    numbers = [(explained, f"{people[place]:,}")]
    if place > 1:
        numbers.append(("times open", f"× {figures(people[place] / people[0])}"))
    if place:
        numbers.append((f"times {tuple(DESIGNS)[place - 1]}", f"× {grown(people)[place - 1]:.1f}"))
    return Shown((stacks(goal, DESIGNS, explained), steps(goal, explained)), needed(goal, DESIGNS), numbers)


def needed(goal, shown):
    """The sentence that says how many people the designs that are `shown` need."""
    counts = ", ".join(f"{words} {count:,}" for words, count in zip(DESIGNS, PRICES[goal]) if words in shown)
    return f"To be right {goal:.0%} of the time takes so many people: {counts}."


def grown(people):
    """How many times the people of the design before it each one needs."""
    return [after / before for before, after in pairwise(people)]


def stacks(goal, shown, explained=None):
    """The `Axes` of the stacks of the designs that are `shown`; grey, if another one is explained.

    One square is as many people as open answers need, and a stack is as wide as it is high. Above it stands
    how many people these are, and how many times those of open answers, unless it is grey.
    """
    unit = PRICES[goal][0]
    wide = np.ceil(np.sqrt(np.array(PRICES[goal]) / unit))
    rooms = np.maximum(wide, 0.6 * wide[-1]) + wide[-1] / 4  # a narrow stack has wide words
    middles = np.cumsum(rooms) - rooms / 2
    marks, tops, counts, factors = [], [], [], []
    for name, count, middle, abreast in zip(DESIGNS, PRICES[goal], middles, wide, strict=True):
        bright, top = explained in (None, name), 0
        if name in shown:
            marks.append(stack(name, middle - abreast / 2, count, unit, abreast,
                               DESIGNS[name] if bright else "reference"))
            top = marks[-1].arrays["high"].max()
        tops.append(top)
        counts.append("" if not bright else f"{count:,}" if name in shown else "?")
        factors.append(f"× {figures(count / unit)}" if bright and name in shown and count > unit else "")
    marks += [text("people", middles, tops, counts, anchor="middle", dy=-12),
              text("times open", middles, tops, factors, anchor="middle", dy=-32)]
    across = linear(0, rooms.sum(), ticks=middles, words=tuple(DESIGNS))
    return Axes("price", across, linear(0, 1.35 * float(max(tops)), reads=(0, 1, 0, "people")),
                f"how many people must answer, for {goal:.0%} right at α = 1",
                f"one square is {unit:,} people: enough for open answers, without noise", "",
                marks, grid=False)


def stack(key, left, people, unit, abreast, role):
    """`bars` of squares of `unit` people each in rows of `abreast`, the last one a part of a square."""
    squares = people / unit
    place = np.arange(math.ceil(squares))
    x, y = left + place % abreast, (place // abreast).astype(float)
    return bars(key, x, x + 0.8 * np.minimum(1, squares - place), y, y + 0.8, role, counts=people)


def steps(goal, explained):
    """The `Axes` of the designs from top to bottom, each bar as long as the times of open people it needs."""
    people = PRICES[goal]
    times = np.array(people) / people[0]
    rows = np.arange(len(times), 0, -1.0)
    place = tuple(DESIGNS).index(explained)
    marks = [bars(words, 0.8, count, row - 0.4, row - 0.1, role if words == explained else "reference")
             for words, role, count, row in zip(DESIGNS, DESIGNS.values(), times, rows, strict=True)]
    factors = ["", *(f" (× {factor:.1f})" for factor in grown(people))]
    marks.append(text("why", 0.9, rows[: place + 1],
                      [words + factor for words, factor in zip(WHY, factors)][: place + 1], dy=-6))
    across = log(0.8, 4000, ticks=(1, 10, 100, 1000), words=("1", "10", "100", "1,000"))
    down = linear(0.3, len(times) + 0.6, ticks=(), words=())
    return Axes("factors", across, down, "why, in brackets: times the people above",
                "times the people of open answers", "", marks, wide=0.7, grid=False)


STORY = Story("price", "The same 67%: how many people?", size=(10.0, 5.2), scenes=(
    Scene("open", "Nobody adds noise. For 67% right 163 people are needed, because people of one age "
          "differ.", one_explained, {"explained": "open"}, ("goal",)),
    Scene("curator", "A curator, a desk that all trust, adds one draw of noise to each cell, for any crowd: "
          "234.", one_explained, {"explained": "curator"}, ("goal",)),
    Scene("one bit each", "Nobody is trusted: everybody adds noise. One bit about a random pattern of cells "
          "is a short question: 8,623.", one_explained, {"explained": "one bit each"}, ("goal",)),
    Scene("cells", "Everybody sends a noisy number for every cell, not one bit: 14,912.",
          one_explained, {"explained": "cells"}, ("goal",)),
    Scene("cubes", "Cubes overlap, so two people differ in four numbers and the noise is deeper. Each half "
          "of the people answers one question: 160,952.",
          one_explained, {"explained": "cubes"}, ("goal",)),
    Scene("explore", "Choose an accuracy and a stack. Numbers are exact, each way with its best cells.",
          one_explained),
))

"""The question that comes back at the end of notebooks: the same accuracy, how many people?"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ldp_lib.stage import Control, Shown, view
from ldp_lib.stage.picture import Axes, Picture, bars, figures, linear, log, short, text
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import LivePanel, Scene

WIDTHS = tuple(k / 400 for k in range(20, 201))
"""The bandwidths of which each design takes the best."""
DESIGNS = {"open": "open", "curator": "best", "one bit each": "private", "cells": "other",
           "cubes": "bound"}
"""Ways to ask, and their roles: nobody adds noise; a curator does; everybody sends one bit; one noisy number
for each cell; the paper's, one for each cube of a grid whose cubes overlap. alpha = epsilon = 1."""
PRICES = {
    0.60: (18, 28, 182, 330, 13_812), 0.64: (61, 78, 623, 1129, 38_218),
    0.66: (115, 177, 5501, 9539, 78_744), 0.67: (163, 234, 8623, 14_912, 160_952),
    0.68: (269, 363, 15_305, 26_438, 480_116),
}
"""Accuracy by age alone -> how many people reach it on average, for each of `DESIGNS`. Exact: so many are
enough, and two fewer are not, at any of `WIDTHS`. It takes a minute, so that the table is kept here; a test
computes it again."""
GOAL = Control("goal", "accuracy", "", tuple(PRICES), 0.67, "{:.0%}", "how often the rule by age is right")
ANSWERED = Control("answered", "the question is answered", "", (False, True), False)
EXPLAINED = Control("explained", "explained", "", tuple(DESIGNS), "cubes", help="the stack in full colour")
WHY = ("nobody adds noise", "a desk adds it once", "everybody adds it", "a number each cell",
       "overlap, two halves")
"""What makes each of `DESIGNS` dearer than the one before it."""
ABREAST = 25
"""Squares beside each other in a stack."""


class Needed(NamedTuple):
    """How many people each of `DESIGNS` needs."""

    people: tuple
    shown: tuple
    """Whose number is said: before the question is answered, open answers and the paper's mechanism."""


class Price(LivePanel):
    """The same accuracy: how many people does each way to ask need?"""

    name, title = "price", "The same accuracy, how many people?"
    controls = (GOAL, ANSWERED)

    @staticmethod
    def compute(goal, answered):
        """What is `Needed`."""
        return Needed(PRICES[goal], tuple(answered or words in ("open", "cubes") for words in DESIGNS))

    @staticmethod
    def draw(result):
        """Stacks of squares, each for as many people as open answers need."""
        return Picture(((stacks(result),),))

    def conclude(self, result):
        """All numbers that are shown."""
        needed = ", ".join(f"{words} {count:,}" for words, count, shown in
                           zip(DESIGNS, result.people, result.shown) if shown)
        return f"To be right {result.goal:.0%} of the time takes so many people: {needed}."

    def summarise(self, result):
        """The private ones as multiples of open answers, one bit first."""
        times = {words: f"× {short(count / result.people[0])}" for words, count, shown in
                 zip(DESIGNS, result.people, result.shown) if shown}
        return [(words, times[words]) for words in ("one bit each", "curator", "cells", "cubes")
                if words in times]


@view(GOAL, ANSWERED)
def how_many_people(goal, answered):
    """What `Price` shows."""
    result = Price.compute(goal=goal, answered=answered)
    return Shown(Price.draw(result).columns, Price.conclude(None, result), Price.summarise(None, result))


class Explained(LivePanel):
    """The stacks, and what makes one of them dearer than the one before it."""

    name, title = "explained", Price.title
    controls = (GOAL, EXPLAINED)

    @staticmethod
    def compute(goal, explained):
        """What is `Needed`."""
        return Needed(PRICES[goal], (True,) * len(DESIGNS))

    @staticmethod
    def draw(result):
        """Left the stacks, right how many times the people of open answers."""
        return Picture(((stacks(result, result.explained),), (steps(result),)))

    def conclude(self, result):
        """All numbers."""
        return Price.conclude(self, result)

    def summarise(self, result):
        """The explained one, and how it compares with the one before it."""
        place = tuple(DESIGNS).index(result.explained)
        found = [(result.explained, f"{result.people[place]:,}")]
        if place > 1:
            found.append(("times open", f"× {figures(result.people[place] / result.people[0])}"))
        if place:
            found.append((f"times {tuple(DESIGNS)[place - 1]}", f"× {grown(result.people)[place - 1]:.1f}"))
        return found


def grown(people):
    """How many times the people of the design before it each one needs."""
    return [after / before for before, after in pairwise(people)]


def stacks(result, explained=None):
    """The `Axes` of the stacks that are shown; grey and without a number, if another one is explained."""
    pitch, unit = ABREAST + 6, result.people[0]
    piles = [stack(words, place * pitch, count / unit, role if explained in (None, words) else "reference")
             for place, (words, role, count) in
             enumerate(zip(DESIGNS, DESIGNS.values(), result.people, strict=True))]
    tops = [mark.arrays["high"].max() if shown else 0 for mark, shown in zip(piles, result.shown)]
    middles = np.arange(len(piles)) * pitch + ABREAST / 2
    words = [(f"{count:,}" if shown else "?") if explained in (None, name) else ""
             for name, count, shown in zip(DESIGNS, result.people, result.shown)]
    marks = [mark for mark, shown in zip(piles, result.shown) if shown]
    marks.append(text("people", middles, tops, words, anchor="middle", dy=-14))
    across = linear(-6, len(piles) * pitch, ticks=middles, words=tuple(DESIGNS))
    return Axes("price", across, linear(0, 1.2 * float(max(tops))),
                f"how many people must answer, for {result.goal:.0%} right at α = 1",
                f"one square is {unit:,} people: as many as open answers need", "",
                tuple(marks), grid=False)


def stack(key, left, squares, role):
    """`bars` of so many unit squares in rows of `ABREAST`, the last one a part of a square."""
    place = np.arange(math.ceil(squares))
    middle = max(0, ABREAST - squares) / 2
    x, y = left + middle + place % ABREAST, (place // ABREAST).astype(float)
    return bars(key, x, x + 0.8 * np.minimum(1, squares - place), y, y + 0.8, role)


def steps(result):
    """The `Axes` of the designs from top to bottom, each bar as long as the times of open people it needs."""
    times = np.array(result.people) / result.people[0]
    rows = np.arange(len(times), 0, -1.0)
    place = tuple(DESIGNS).index(result.explained)
    marks = [bars(words, [0.8], [count], [row - 0.4], [row - 0.1],
                  role if words == result.explained else "reference")
             for words, role, count, row in zip(DESIGNS, DESIGNS.values(), times, rows, strict=True)]
    factors = ["", *(f" (× {factor:.1f})" for factor in grown(result.people))]
    marks.append(text("why", np.full(place + 1, 0.9), rows[: place + 1],
                      [words + factor for words, factor in zip(WHY, factors)][: place + 1], dy=-6))
    across = log(0.8, 4000, ticks=(1, 10, 100, 1000), words=("1", "10", "100", "1,000"))
    down = linear(0.3, len(times) + 0.6, ticks=(), words=())
    return Axes("steps", across, down, "why, in brackets: times the people above",
                "times the people of open answers", "", tuple(marks), wide=0.7, grid=False)


class Refrain(Story):
    """Notebooks 02, 06 and 07: one more stack explained."""

    name = "price"
    version = 1
    title = "The same 67%: how many people?"
    size = (10.0, 5.2)
    controls = (GOAL, EXPLAINED)
    views = {"explained": Explained}
    scenes = (
        Scene("open",
              "Nobody adds noise. For 67% right 163 people are needed, because people of one age differ.",
              {"explained": "open"}, ("goal",), view="explained"),
        Scene("curator",
              "A curator, a desk that all trust, adds one draw of noise to each cell, for any crowd: 234.",
              {"explained": "curator"}, ("goal",), view="explained"),
        Scene("one bit each",
              "Nobody is trusted: everybody adds noise. One bit about a random pattern of cells is a short "
              "question: 8,623.", {"explained": "one bit each"}, ("goal",), view="explained"),
        Scene("cells",
              "Everybody sends a noisy number for every cell, not one bit: 14,912.",
              {"explained": "cells"}, ("goal",), view="explained"),
        Scene("cubes",
              "Cubes overlap, so two people differ in four numbers and the noise is deeper. Each half of the "
              "people answers one question: 160,952.", {"explained": "cubes"}, ("goal",), view="explained"),
        Scene("explore", "Choose an accuracy and a stack. Numbers are exact, each way with its best cells.",
              {}, view="explained"),
    )


STORY = Refrain

"""*Explore* of notebook 08: the information of one answer, what the office sees, and people against faces.

Powers and people needed come from tables, where they are exact or said to be about so. Curves of one round
are chi-squared limits; of two rounds a bell has the exact mean and spread.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtr, chdtri, chndtr, ndtri

from ldp_lib.estimation.uniformity import PUBLIC_QUESTIONS
from ldp_lib.lessons.second_question import numbers
from ldp_lib.nature import tilted_die
from ldp_lib.risk import subset_noncentrality
from ldp_lib.stage import Control, Shown, view
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, figures, line, linear, log, percent, rule, text,
)
from ldp_lib.theory import information_budget

FACES = Control("K", "faces", "K", numbers.FACES, 64, "{}", "of the die; half of them are heavy")
ALPHA = Control("alpha", "budget", "α", numbers.ALPHAS, 1.0, help="privacy budget of each person, in nats")
PEOPLE = Control("n", "people", "n", numbers.COUNTS, numbers.ENOUGH[64], "{:,}", "people in all")
TILT = Control("delta", "tilt", "δ", numbers.DELTAS, 0.5,
               help="heavy faces have probability (1 + δ)/K, light ones (1 − δ)/K")
ROUNDS = Control("rounds", "rounds", "", (1, 2), 1, "{}", "in the second one other people are asked")
COINS = Control("coins", "questions of one round", "", ("private", "public"), "private",
                help="fixed beforehand, or drawn by dice that all see")

EDGE = -4.0, 12.0
"""Ends of the axis of what the office sees, in standard deviations under the fair die."""
PLACES = np.linspace(*EDGE, 321)
LIMIT = -float(ndtri(numbers.LEVEL))


ALMOST, ABOUT = 1 - 1e-9, 0.999
"""The most that is said of a power: four decimals are never certain, and "> 99.9%" is no approximation."""


class Plan(NamedTuple):
    """A way to ask: what is said of it, its column in the tables, and what is known of the numbers there."""

    words: str
    column: str
    about: str


def plan(rounds, coins):
    """The `Plan`; two rounds have private coins."""
    if rounds == 2:
        return Plan("two rounds", "two", "")
    return Plan("public dice", "dice", "") if coins == "public" else Plan("one round", "subset", "about ")


def power(K, alpha, delta, n, asked):
    """The power of a `Plan`, a number and its words."""
    found = numbers.POWER[K, alpha, delta, n][[*numbers.POWER.columns].index(asked.column)]
    return found, asked.about + percent(min(found, ABOUT if asked.about else ALMOST))


def needed(K, alpha, delta):
    """People needed: column of the table -> number."""
    return dict(zip(numbers.PEOPLE.columns, numbers.PEOPLE[K, alpha, delta], strict=True))


def information(K, alpha, rounds, coins):
    """The `Axes` of the information of one answer: a column for each direction in which the die can lean."""
    budget, places = information_budget(K, alpha), np.arange(K - 1.0)
    if rounds == 2:
        places, height, words = places[:1], budget.direction, "is yours a suspect?"
    elif coins == "public":
        places = places[:PUBLIC_QUESTIONS]
        height, words = budget.direction / len(places), "six random halves"
    else:
        height, words = budget.trace / len(places), f"subset selection: {K - 1} columns"
    top, wide = 1.1 * budget.trace, len(places) > K / 2
    # A single column is so wide that it can be seen.
    right = places + max(0.92, K / 60 if len(places) == 1 else 0)
    marks = (bars("ink", places + 0.08, right, 0 * places, 0 * places + height, "private"),
             text("asked", right[-1], min(height, 0.85 * top), words, anchor="end" if wide else "start",
                  dx=-8 if wide else 8, dy=-12))
    return Axes("information", linear(0, K - 1, ticks=()),
                linear(0, top, ticks=(0, budget.trace), words=("0", figures(budget.trace))),
                "information: how far a lean moves an answer's chance, squared",
                f"{K - 1} directions in which the die can lean", "", marks, grid=False), height


def bell(mean, spread):
    """The normal density at `PLACES`."""
    return np.exp(-((PLACES - mean) / spread) ** 2 / 2) / (spread * math.sqrt(2 * math.pi))


def slopes(cumulative):
    """The density at `PLACES` of a law by its distribution function at places half a step to either side."""
    step = (PLACES[1] - PLACES[0]) / 2
    return (cumulative(PLACES + step) - cumulative(PLACES - step)) / (2 * step)


@lru_cache(maxsize=1024)
def laws(K, alpha, delta, n, rounds, coins):
    """Densities at `PLACES` under the fair die and under the other one, and the edge of level 0.05.

    The statistic is in standard deviations under the fair die, about its mean.
    """
    if rounds == 2:
        *_, mean, spread = numbers.POWER[K, alpha, delta, n]
        return bell(0, 1), bell(mean, spread), LIMIT
    degrees = K - 1 if coins == "private" else PUBLIC_QUESTIONS
    unit = math.sqrt(2 * degrees)

    def squares(z):
        return np.maximum(degrees + unit * z, 0)

    if coins == "private":
        shift = n * subset_noncentrality(tilted_die(K, delta), alpha)
        far = shift / unit > 2 * EDGE[1]        # off the axis, where chndtr would be slow
        unfair = 0 * PLACES if far else slopes(lambda z: chndtr(squares(z), degrees, shift))
    else:
        # Random halves hold heavy faces in excess: each square is 1 + shift times a chi-squared one.
        shift = n * math.tanh(alpha / 2) ** 2 * delta**2 / (K - 1) / degrees
        unfair = slopes(lambda z: chdtr(degrees, squares(z) / (1 + shift)))
    return (slopes(lambda z: chdtr(degrees, squares(z))), unfair,
            float((chdtri(degrees, numbers.LEVEL) - degrees) / unit))


LOOKS = {(1, "private"): "as chi-squared", (1, "public"): "for many faces", (2, "private"): "as a bell",
         (2, "public"): "as a bell"}
"""What the curves are: limits, but for the mean and the spread of the bell."""


def seen(K, alpha, delta, n, rounds, coins):
    """The `Axes` of what the office sees: its statistic under the fair die and under the other one."""
    fair, unfair, edge = laws(K, alpha, delta, n, rounds, coins)
    out = PLACES >= edge
    marks = [band("found", PLACES[out], 0 * PLACES[out], unfair[out], "promise", label="found"),
             line("unfair", PLACES, unfair, "private", width=4, label="half of the faces heavy"),
             line("fair", PLACES, fair, "truth", width=3, dash=(2, 1), label="a fair die"),
             rule("edge", "bound", x=edge, width=2)]
    if unfair.max() < 1e-3:
        marks.append(text("away", EDGE[1], 0.2, "far to the right →", anchor="end", dx=-8))
    return Axes("seen", linear(*EDGE, 2), linear(0, 0.5, ticks=()),
                "the office says “unfair” right of the line",
                f"standard deviations under a fair die, {LOOKS[rounds, coins]}", "", tuple(marks), grid=False)


def against_faces(K, alpha, delta, coins, title=""):
    """The `Axes` of people needed against faces, and dots where the control stands."""
    rows = {faces: needed(faces, alpha, delta) for faces in numbers.FACES}
    here, faces = rows[K], np.array(numbers.FACES, float)
    curve = {name: np.array([row[name] for row in rows.values()], float) for name in numbers.PEOPLE.columns}
    one = plan(1, coins)
    marks = [band("nobody", faces, np.full(len(faces), FEWEST), curve["nobody"], "forbidden",
                  label="proved too few")]
    if coins == "private":
        marks.append(line("even", faces, curve["even"], "bound",
                          label="too few for one round about all alike"))
    marks += [line("one", faces, curve[one.column], "other", width=4, label=one.words),
              line("two", faces, curve["two"], "private", width=4, label="two rounds"),
              rule("here", "reference", x=K, width=1),
              dots("one here", [K], [here[one.column]], "other", size=13),
              dots("two here", [K], [here["two"]], "private", size=13)]
    return Axes("people", log(3.4, 300, ticks=(4, 8, 16, 32, 64, 128, 256), words="{:g}"), log(FEWEST, 1e7),
                title, "faces K", "people", tuple(marks), wide=1.1)


FEWEST = 30.0
"""Lower end of the axis of people."""


def compared(K, alpha, delta, coins):
    """Who needs fewer people: a few words, and the factor in words."""
    here, one = needed(K, alpha, delta), plan(1, coins)
    factor = here[one.column] / here["two"]
    times = figures(max(factor, 1 / factor), 2)
    if times == "1":
        return "both need about as many", times
    fewer = "two rounds need" if factor > 1 else f"{one.words} {'need' if coins == 'public' else 'needs'}"
    return f"{fewer} {times} times fewer", figures(factor, 2)


@view(FACES, ALPHA, PEOPLE, TILT, ROUNDS, COINS)
def everything(K, alpha, n, delta, rounds, coins):
    """Left: information, and what the office sees. Right: people against faces."""
    asked, here = plan(rounds, coins), needed(K, alpha, delta)
    _, found = power(K, alpha, delta, n, asked)
    ink, height = information(K, alpha, rounds, coins)
    title, factor = compared(K, alpha, delta, coins)
    one = plan(1, coins)
    said = " Two rounds need no public dice." if rounds == 2 and coins == "public" else ""
    return Shown(
        ((ink, seen(K, alpha, delta, n, rounds, coins)), against_faces(K, alpha, delta, coins, title)),
        f"{K} faces, α = {alpha:g}, δ = {delta:g}, {n:,} people, {asked.words}: the die is found with "
        f"probability {found}. For 80% {one.about}{here[one.column]:,} people are needed by {one.words} and "
        f"{here['two']:,} by two rounds; fewer than {here['nobody']:,} are proved too few.{said}",
        [(f"found, {asked.words}", found), ("information in a direction", f"≤ {figures(height)}"),
         (f"people for 80%: {one.words}", f"{one.about}{here[one.column]:,}"),
         ("two rounds", f"{here['two']:,}"), ("factor", factor),
         ("proved too few", f"below {here['nobody']:,}")])

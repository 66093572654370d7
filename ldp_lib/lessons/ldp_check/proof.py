"""The proof of Theorem 2.1 (Berrett & Butucea), one step at a time: its ledger, drawn.

A judge sees one report and asks: A or B? Every number of the report pushes the judge's needle by its
log-likelihood ratio.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.ldp_check.story import SIDES, needle_axes, told
from ldp_lib.lessons.steps import mathml, step_view, times
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import PrivacyLoss, privacy_loss_distribution, trade_off
from ldp_lib.stage import Control
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import Axes, bars, dots, line, linear, rule, short, text
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import ledger

BUDGET = Control("alpha", "privacy", "α", powers_of_two(-4, 4, 2), 1.0, "{:.3g}", "budget in nats")
WIDTH = Control("h", "bandwidth", "h", (0.1, 0.15, 0.2, 0.25, 0.4, 0.5), 0.2, "{:g}",
                "half the width of a cube")
DIMENSION = Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features")
NOISE = Control("noise", "noise", "", range(24), 0, "{}", "another report of A", redraw=True)
FINE = 401
"""Places on the line, and outputs of a number."""
BINS = 25
"""Bars of the needle's law."""
A_THIRD = 1 / 3
"""Of a cube's half-width: where A stands beside the first grid point, so that no cube ends at A."""


class Reports(NamedTuple):
    """A and the person who is farthest from A, on the line, and one report of A."""

    book: Ledger
    scale: float
    places: np.ndarray
    """Of everybody, (m,)."""
    differ: np.ndarray
    """In how many numbers the arrays of A and of somebody at these places differ, (m,)."""
    pushes: np.ndarray
    """Of the numbers of A's report towards A, (K,)."""
    most: np.ndarray
    """The largest that they can be, (K,)."""
    law: PrivacyLoss
    """Of the needle, if A sends the report."""
    level: np.ndarray
    """P(S) under B of the best sets S, ascending."""
    power: np.ndarray
    """P(S) under A."""


@lru_cache(maxsize=512)
def reports(alpha, h, noise=0):
    """The `Reports` of A and B."""
    mechanism, places = CubeLaplace(alpha, h, 1), np.linspace(0, 1, FINE)
    arrays = mechanism.encode(places[:, None], np.ones(FINE, int), half=1)
    first = int(np.abs(places - A_THIRD * h).argmin())
    differ = np.abs(arrays - arrays[first]).sum(axis=1)
    other = int(differ.argmax())
    A, B = ((places[[k]], 1) for k in (first, other))
    rng = np.random.default_rng((5, noise))
    sent = mechanism.privatize(places[[first, first], None], np.ones(2, int), rng=rng)[0]
    far, near = (np.abs(sent - arrays[k]) for k in (other, first))
    tests = trade_off(mechanism, A, B)
    return Reports(ledger("2.1", alpha=alpha, h=h), mechanism.scale, places, differ,
                   (far - near) / mechanism.scale, np.abs(arrays[first] - arrays[other]) / mechanism.scale,
                   privacy_loss_distribution(mechanism, A, B), tests.level, tests.power)


def one_number(result):
    """The two `Axes` of the laws of one number, and of its push: the distance of their logarithms."""
    sent = np.linspace(-3, 4, FINE)
    push, wall = (np.abs(sent) - np.abs(sent - 1)) / result.scale, result.book["coordinate"].right
    laws = (line("A", sent, -np.abs(sent - 1) / result.scale, "first", width=3, label="if A sent it: v = 1"),
            line("B", sent, -np.abs(sent) / result.scale, "second", width=3, label="if B sent it: v′ = 0"))
    marks = (rule("wall", "bound", y=[-wall, wall], width=3, label=f"walls ±{wall:.3g}"),
             rule("zero", "reference", y=0, width=1, dash=()),
             line("push", sent, push, "truth", width=4, label="push of the number"))
    across = linear(-3, 4, 1)
    high = linear(-1.4 * wall, 1.4 * wall, ticks=[-wall, 0, wall], words="{:.3g}")
    return [Axes("laws", across, linear(-4.2 / result.scale, 0.3 / result.scale),
                 "logarithms of the two laws of one number", "z, the number that was sent", "", laws,
                 grid=False),
            Axes("push", across, high, "their distance: how far it pushes", "z, the number that was sent",
                 "↓ it was B\u2003\u2003it was A ↑", marks, grid=False)]


def one_number_said(result):
    """The largest push."""
    return (f"Whatever number was sent, it pushes the judge by at most {1 / result.scale:.3g}; the wall is "
            f"{result.book['coordinate'].right:.3g}.")


def one_number_numbers(result):
    """The largest push."""
    return [("largest push", f"{1 / result.scale:.3g}"), ("noise scale b", f"{result.scale:.3g}")]


def add_up(result):
    """The `Axes` of the pushes of one report, laid end to end, as in the story."""
    here, alpha = np.flatnonzero(result.most), result.position["alpha"]
    return needle_axes(result.pushes[here] / alpha, [f"number {k + 1}" for k in here],
                       "one report of A: its numbers push one after the other", "number that differs",
                       reach=result.most.sum() / alpha)


def add_up_said(result):
    """Where the needle ends."""
    return (f"The numbers of this report push the judge by {result.pushes.sum():.2f} towards A. More than "
            f"{result.most.sum():.3g} is impossible.")


def add_up_numbers(result):
    """Where the needle ends."""
    alpha = result.position["alpha"]
    return [("the needle", told(result.pushes.sum() / alpha)),
            ("at most", f"{result.most.sum() / alpha:.3g} α")]


def count(result):
    """The `Axes` of the numbers in which two people differ, by the place of the second."""
    most = result.book["distance"].right
    marks = (rule("wall", "bound", y=most, width=3, label=f"at most {most:.0f}"),
             line("differ", result.places, result.differ, "truth", width=4,
                  label="numbers that differ from A's"),
             dots("A", [A_THIRD * result.position["h"]], [0], "first", size=16, label="A"))
    return Axes("count", linear(0, 1, 0.25), linear(-0.4, 4.6, 1), "in how many numbers A and B differ",
                "where B is", "", marks, grid=False)


def wasted(result):
    """How many times as many people the count costs: as the variance of the noise, the scale squared."""
    return result.book["distance"].slack ** 2


def count_said(result):
    """The largest count."""
    return (f"A and B differ in at most {result.differ.max():.0f} numbers; the noise is made for "
            f"{result.book['distance'].right:.0f}: {times(wasted(result))} people.")


def count_numbers(result):
    """The largest count."""
    return [("times as many people", times(wasted(result))), ("differ at most", f"{result.differ.max():.0f}"),
            ("noise made for", f"{result.book['distance'].right:.0f}")]


def needle(result):
    """The `Axes` of the law of the needle, if A sends the report."""
    wall, law = result.position["alpha"], result.law
    inner = np.linspace(law.loss[0], law.loss[-1], BINS + 1)
    mass, _ = np.histogram(law.loss, inner, weights=law.under_a)
    half = (inner[1] - inner[0]) / 2
    marks = (rule("wall", "bound", x=[-wall, wall], width=3, label="walls at −α and α"),
             bars("law", inner[:-1] + 0.1 * half, inner[1:] - 0.1 * half, np.zeros(BINS), mass, "truth",
                  hollow=True, label="exact law of the needle, if A sends"))
    return Axes("law", linear(-1.25 * wall, 1.25 * wall, ticks=[-wall, 0, wall], words=("−α", "0", "α")),
                linear(0, 1.15 * mass.max(), 0.05 if mass.max() < 0.3 else 0.2), "where the needle ends",
                SIDES, "", marks, grid=False)


def needle_said(result):
    """Where the law ends."""
    return (f"The needle never leaves the walls: it ends at {result.law.loss[-1]:.3g} at most, the wall is "
            f"{result.position['alpha']:.3g}. It ends there with probability {result.law.under_a[-1]:.3g}.")


def needle_numbers(result):
    """Where the law ends."""
    return [("farthest", f"{result.law.loss[-1]:.3g}"), ("the wall α", f"{result.position['alpha']:.3g}"),
            ("chance to end there", f"{result.law.under_a[-1]:.3g}")]


def any_set(result):
    """The `Axes` of the chances of a set of reports under A and under B."""
    x = np.linspace(0, 1, 101)
    power = np.interp(x, result.level, result.power)
    wall = np.minimum(1, np.exp(result.position["alpha"]) * x)
    marks = (line("wall", x, wall, "bound", width=3, label="the wall: e to the α times"),
             line("best", x, power, "private", width=4, label="the best sets"),
             line("same", [0, 1], [0, 1], "reference", label="the same chance"))
    return Axes("sets", linear(0, 1, 0.25), linear(0, 1, 0.25), "the chance that the report is in a set",
                "if B sends it", "if A sends it", marks)


def any_set_said(result):
    """The largest ratio."""
    return f"No set of reports is more than {largest(result):.3g} times as likely for A as for B."


def largest(result):
    """The largest ratio of the chances of a set under A and B."""
    here = result.level > 0
    return float((result.power[here] / result.level[here]).max())


def any_set_numbers(result):
    """The largest ratio, and the wall."""
    return [("largest ratio", f"{largest(result):.3g}"),
            ("allowed: e to the α", f"{np.exp(result.position['alpha']):.3g}")]


class Whole(NamedTuple):
    """The ledger."""

    book: Ledger


@lru_cache(maxsize=512)
def whole(alpha, h, d):
    """The `Whole` proof."""
    return Whole(ledger("2.1", alpha=alpha, h=h, d=d))


LINES = {"ones in B": "cubes of A", "distance": "they differ",
         "coordinate": "one push", "first half": "first half",
         "second half": "second half", "label only": "other label"}
"""Lines of the proof in the ledger -> what they bound, in words. Its other lines are checks of these."""


def used(result):
    """The `Axes` of how much of its right side every line of the proof uses."""
    steps = [result.book[name] for name in LINES]
    rows, share = np.arange(len(steps), 0, -1.0), np.array([step.left / step.right for step in steps])
    marks = (bars("used", np.zeros(len(steps)), share, rows - 0.3, rows + 0.3, "truth", hollow=True,
                  label="left side, largest"),
             rule("wall", "bound", x=1, width=3, label="right side: what the proof allows"),
             text("words", share, rows, [f"{short(step.left)} of {short(step.right)}" for step in steps],
                  dx=6))
    return Axes("used", linear(0, 1.35, 0.25, "{:.0%}"),
                linear(0.4, len(steps) + 0.6, ticks=rows[::-1], words=[*LINES.values()][::-1]),
                "how much of what it allows every line uses", "", "", marks, grid=False)


def used_said(result):
    """The whole budget."""
    steps = result.book
    return (f"No two people use more than {steps['first half'].left:.3g} of the budget "
            f"α = {steps['first half'].right:.3g}.")


def used_numbers(result):
    """The budget that is used."""
    used = result.book["first half"]
    return [("budget used", f"{used.left / used.right:.0%}"), ("of α", short(used.right)),
            ("numbers that differ", f"{result.book['distance'].left:.0f}"),
            ("times as many people", times(wasted(result)))]


class ProofLdpCheck(Story):
    """Theorem 2.1, one step at a time."""

    name = "proof_ldp_check"
    title = "The proof of Theorem 2.1"
    size = (10.0, 5.2)
    controls = (BUDGET, WIDTH, DIMENSION, NOISE)
    views = {
        "push": step_view((BUDGET, WIDTH), reports, one_number, one_number_said, numbers=one_number_numbers),
        "chain": step_view((BUDGET, WIDTH, NOISE), reports, add_up, add_up_said, numbers=add_up_numbers),
        "count": step_view((BUDGET, WIDTH), reports, count, count_said, numbers=count_numbers),
        "needle": step_view((BUDGET, WIDTH), reports, needle, needle_said, numbers=needle_numbers),
        "sets": step_view((BUDGET, WIDTH), reports, any_set, any_set_said, numbers=any_set_numbers),
        "explore": step_view((BUDGET, WIDTH, DIMENSION), whole, used, used_said, numbers=used_numbers),
    }
    scenes = (
        Scene("one number",
              "z was sent. A's true number is v, B's is v′. Below 0 and above 1 the laws are parallel: the "
              "push stays the same.", {}, ("alpha",), view="push", formula=mathml(
                  '"push of" z = frac{| z - v\' | - | z - v |}{b} <= frac{| v - v\' |}{b}')),
        Scene("add up",
              "Every number has its own noise, so the pushes add up. Arrows to the right say A, to the left "
              "B.", {}, ("h", "noise"), view="chain", formula=mathml(
                  '"needle" = log frac{p("report" | "A")}{p("report" | "B")} = '
                  "sum_j frac{| z_j - v'_j | - | z_j - v_j |}{b}")),
        Scene("count",
              "A is in two cubes at most, and so is B. At most four numbers differ: fewer, if they share a "
              "cube.", {}, ("h",), view="count", formula=mathml(
                  "sum_j | v_j - v'_j | <= 2^d + 2^d = 2^{d+1}")),
        Scene("the wall",
              "At most four pushes, each at most α/4: the needle never leaves the walls at −α and α.", {},
              ("alpha", "h"), view="needle", formula=mathml("2^{d+1} · frac{1}{b} = alpha")),
        Scene("any set", "What holds for every report holds for every set S of reports.", {}, ("alpha", "h"),
              view="sets", formula=mathml(
                  'P("report" in S | "A") <= e^alpha P("report" in S | "B")')),
        Scene("explore",
              "Every line of the proof. With one feature and h = 0.5 at most three numbers differ: less "
              "noise would be enough.", {}, view="explore", formula=mathml("b = frac{2^{d+1}}{alpha}")),
    )


STORY = ProofLdpCheck

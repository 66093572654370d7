"""The proof of Theorem 2.1 (Berrett & Butucea), one step at a time: its ledger, drawn.

A judge sees one report and asks: A or B? Every number of the report pushes the judge's needle by its
log-likelihood ratio.
"""

from functools import lru_cache

import numpy as np

from ldp_lib.lessons.ldp_check.story import SIDES, needle_axes, pushes, told
from ldp_lib.lessons.pictures import listed, lying
from ldp_lib.lessons.steps import DIMENSION, mathml, times
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution, trade_off
from ldp_lib.stage import Control, Scene, Shown, Story, powers_of_two, view
from ldp_lib.stage.picture import Axes, bars, dots, line, linear, rule, short, text
from ldp_lib.theory import ledger

BUDGET = Control("alpha", "privacy", "α", powers_of_two(-4, 4, 2), 1.0, "{:.3g}", "budget in nats")
WIDTH = Control("h", "bandwidth", "h", (0.1, 0.15, 0.2, 0.25, 0.4, 0.5), 0.2, "{:g}",
                "half the width of a cube")
NOISE = Control("noise", "noise", "", range(24), 0, "{}", "another report of A", redraw=True)
FINE = 401
"""Places on the line, and outputs of a number."""
BINS = 25
"""Bars of the needle's law."""
A_THIRD = 1 / 3
"""Of a cube's half-width: where A stands beside the first grid point, so that no cube ends at A."""


@lru_cache(maxsize=512)
def book_of(alpha, h, d=1):
    """The ledger."""
    return ledger("2.1", alpha=alpha, h=h, d=d)


@lru_cache(maxsize=512)
def two_people(alpha, h):
    """The mechanism on the line, and A and the person who is farthest from A, as records.

    Then the places of everybody, (m,), and in how many numbers their arrays differ from that of A, (m,).
    """
    mechanism, places = CubeLaplace(alpha, h, 1), np.linspace(0, 1, FINE)
    arrays = mechanism.encode(places[:, None], np.ones(FINE, int), half=1)
    first = int(np.abs(places - A_THIRD * h).argmin())
    differ = np.abs(arrays - arrays[first]).sum(axis=1)
    A, B = ((places[[k]], 1) for k in (first, int(differ.argmax())))
    return mechanism, A, B, places, differ


@view(BUDGET, WIDTH)
def one_number(alpha, h):
    """Left: the laws of one number if A or B sent it. Right: its push, the distance of their logarithms."""
    scale, wall = two_people(alpha, h)[0].scale, book_of(alpha, h)["coordinate"].right
    sent = np.linspace(-3, 4, FINE)
    across, z = linear(-3, 4, 1), "z, the number that was sent"
    laws = Axes("laws", across, linear(-4.2 / scale, 0.3 / scale), "logarithms of the two laws of one number",
                z, "",
                (line("A", sent, -np.abs(sent - 1) / scale, "first", width=3, label="if A sent it: v = 1"),
                 line("B", sent, -np.abs(sent) / scale, "second", width=3, label="if B sent it: v′ = 0")),
                grid=False)
    push = Axes("push", across, linear(-1.4 * wall, 1.4 * wall, ticks=[-wall, 0, wall], words="{:.3g}"),
                "their distance: how far it pushes", z, "↓ it was B\u2003\u2003it was A ↑",
                (rule("wall", "bound", y=[-wall, wall], width=3, label=f"walls ±{wall:.3g}"),
                 rule("zero", "reference", y=0, width=1, dash=()),
                 line("push", sent, (np.abs(sent) - np.abs(sent - 1)) / scale, "truth", width=4,
                      label="push of the number")), grid=False)
    return Shown((laws, push), f"Whatever number was sent, it pushes the judge by at most {1 / scale:.3g}; "
                 f"the wall is {wall:.3g}.",
                 [("largest push", f"{1 / scale:.3g}"), ("noise scale b", f"{scale:.3g}")])


@view(BUDGET, WIDTH, NOISE)
def add_up(alpha, h, noise):
    """The pushes of one report, laid end to end, as in the story."""
    mechanism, A, B, *_ = two_people(alpha, h)
    arrays = mechanism.encode([A[0], B[0]], [1, 1], half=1)
    sent = mechanism.privatize([A[0], A[0]], [1, 1], rng=np.random.default_rng((5, noise)))[0]
    pushed, here = pushes(sent, *arrays, mechanism), np.flatnonzero(arrays[0] != arrays[1])
    total, most = alpha * pushed.sum(), len(here) / mechanism.scale
    axes = needle_axes(pushed[here], [f"number {k + 1}" for k in here],
                       "one report of A: its numbers push one after the other", "number that differs",
                       reach=most / alpha)
    return Shown((axes,), f"The numbers of this report push the judge by {total:.2f} towards A. More than "
                 f"{most:.3g} is impossible.",
                 [("the needle", told(total / alpha)), ("at most", f"{most / alpha:.3g} α")])


def people_wasted(book):
    """How many times as many people the count costs, in words: as the variance, the noise scale squared."""
    return times(book["distance"].slack ** 2)


@view(BUDGET, WIDTH)
def count(alpha, h):
    """In how many numbers two people differ, by the place of the second."""
    (*_, places, differ), book = two_people(alpha, h), book_of(alpha, h)
    most, largest, wasted = book["distance"].right, differ.max(), people_wasted(book)
    marks = (rule("wall", "bound", y=most, width=3, label=f"at most {most:.0f}"),
             line("differ", places, differ, "truth", width=4, label="numbers that differ from A's"),
             dots("A", A_THIRD * h, 0, "first", size=16, label="A"))
    axes = Axes("count", linear(0, 1, 0.25), linear(-0.4, 4.6, 1), "in how many numbers A and B differ",
                "where B is", "", marks, grid=False)
    return Shown((axes,), f"A and B differ in at most {largest:.0f} numbers; the noise is made for "
                 f"{most:.0f}: {wasted} people.",
                 [("times as many people", wasted), ("differ at most", f"{largest:.0f}"),
                  ("noise made for", f"{most:.0f}")])


@view(BUDGET, WIDTH)
def where_the_needle_ends(alpha, h):
    """The law of the needle, if A sends the report."""
    law = privacy_loss_distribution(*two_people(alpha, h)[:3])
    edges = np.linspace(law.loss[0], law.loss[-1], BINS + 1)
    mass, _ = np.histogram(law.loss, edges, weights=law.under_a)
    half, end, chance = (edges[1] - edges[0]) / 2, law.loss[-1], law.under_a[-1]
    marks = (rule("wall", "bound", x=[-alpha, alpha], width=3, label="walls at −α and α"),
             bars("law", edges[:-1] + 0.1 * half, edges[1:] - 0.1 * half, 0, mass, "truth", hollow=True,
                  label="exact law of the needle, if A sends"))
    axes = Axes("law", linear(-1.25 * alpha, 1.25 * alpha, ticks=[-alpha, 0, alpha], words=("−α", "0", "α")),
                linear(0, 1.15 * mass.max(), 0.05 if mass.max() < 0.3 else 0.2), "where the needle ends",
                SIDES, "", marks, grid=False)
    return Shown((axes,), f"The needle never leaves the walls: it ends at {end:.3g} at most, the wall is "
                 f"{alpha:.3g}. It ends there with probability {chance:.3g}.",
                 [("farthest", f"{end:.3g}"), ("the wall α", f"{alpha:.3g}"),
                  ("chance to end there", f"{chance:.3g}")])


@view(BUDGET, WIDTH)
def any_set(alpha, h):
    """The chances of a set of reports under A and under B."""
    found, x = trade_off(*two_people(alpha, h)[:3]), np.linspace(0, 1, 101)
    power, wall = np.interp(x, found.level, found.power), np.minimum(1, np.exp(alpha) * x)
    possible = found.level > 0
    largest = float((found.power[possible] / found.level[possible]).max())
    marks = (line("wall", x, wall, "bound", width=3, label="the wall: e to the α times"),
             line("best", x, power, "private", width=4, label="the best sets"),
             line("same", [0, 1], [0, 1], "reference", label="the same chance"))
    axes = Axes("sets", linear(0, 1, 0.25), linear(0, 1, 0.25), "the chance that the report is in a set",
                "if B sends it", "if A sends it", marks)
    return Shown((axes,), f"No set of reports is more than {largest:.3g} times as likely for A as for B.",
                 [("largest ratio", f"{largest:.3g}"), ("allowed: e to the α", f"{np.exp(alpha):.3g}")])


LINES = {"ones in B": "cubes of A", "distance": "they differ",
         "coordinate": "one push", "first half": "first half",
         "second half": "second half", "label only": "other label"}
"""Lines of the proof in the ledger -> what they bound, in words. Its other lines are checks of these."""



@view(BUDGET, WIDTH, DIMENSION)
def every_line(alpha, h, d):
    """How much of its right side every line of the proof uses."""
    book = book_of(alpha, h, d)
    steps, budget = [book[name] for name in LINES], book["first half"]
    (rows, down), share = listed([*LINES.values()]), np.array([step.left / step.right for step in steps])
    marks = (lying("used", share, rows, "truth", hollow=True, label="left side, largest"),
             rule("wall", "bound", x=1, width=3, label="right side: what the proof allows"),
             text("words", share, rows, [f"{short(step.left)} of {short(step.right)}" for step in steps],
                  dx=6))
    axes = Axes("used", linear(0, 1.35, 0.25, "{:.0%}"), down, "how much of what it allows every line uses",
                "", "", marks, grid=False)
    return Shown((axes,), f"No two people use more than {budget.left:.3g} of the budget "
                 f"α = {budget.right:.3g}.",
                 [("budget used", f"{budget.left / budget.right:.0%}"), ("of α", short(budget.right)),
                  ("numbers that differ", f"{book['distance'].left:.0f}"),
                  ("times as many people", people_wasted(book))])


STORY = Story("proof_ldp_check", "The proof of Theorem 2.1", size=(10.0, 5.2), scenes=(
    Scene("one number", "z was sent. A's true number is v, B's is v′. Below 0 and above 1 the laws are "
          "parallel: the push stays the same.", one_number, {}, ("alpha",),
          formula=mathml('"push of" z = frac{| z - v\' | - | z - v |}{b} <= frac{| v - v\' |}{b}')),
    Scene("add up", "Every number has its own noise, so the pushes add up. Arrows to the right say A, to "
          "the left B.", add_up, {}, ("h", "noise"), formula=mathml(
              '"needle" = log frac{p("report" | "A")}{p("report" | "B")} = '
              "sum_j frac{| z_j - v'_j | - | z_j - v_j |}{b}")),
    Scene("count", "A is in two cubes at most, and so is B. At most four numbers differ: fewer, if they "
          "share a cube.", count, {}, ("h",), formula=mathml("sum_j | v_j - v'_j | <= 2^d + 2^d = 2^{d+1}")),
    Scene("the wall", "At most four pushes, each at most α/4: the needle never leaves the walls at −α and "
          "α.", where_the_needle_ends, {}, ("alpha", "h"), formula=mathml("2^{d+1} · frac{1}{b} = alpha")),
    Scene("any set", "What holds for every report holds for every set S of reports.", any_set, {},
          ("alpha", "h"), formula=mathml('P("report" in S | "A") <= e^alpha P("report" in S | "B")')),
    Scene("explore", "Every line of the proof. With one feature and h = 0.5 at most three numbers differ: "
          "less noise would be enough.", every_line, formula=mathml("b = frac{2^{d+1}}{alpha}")),
))

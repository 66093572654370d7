"""The proof of Theorem 2.2 (Berrett & Butucea), one step at a time: its ledger, drawn."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.consistency.ledger import LAWS, pieces
from ldp_lib.lessons.steps import LN10, Waste, chance, decades, mathml, step_view
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, figures, line, linear, log, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import ledger

PERSONS = 100
"""People in the picture of a cube."""
WIDTHS = (0.00625, 0.0125, 0.025, 0.05, 0.1, 0.2)

CONTROLS = (
    Control("n", "people", "n", log_steps(1000, 10**8, 2), 10**6, short, "people in all"),
    Control("alpha", "privacy", "α", powers_of_two(-6, 0, 2), 1.0, "{:.3g}", "nats; the proof needs α ≤ 1"),
    Control("d", "dimension", "d", (1, 2, 3), 1, "{}", "number of features"),
    Control("p", "in the cube", "p", (0.05, 0.1, 0.2, 0.4, 0.8), 0.2, "{:.0%}", "share of all people"),
    Control("share", "label 1 there", "q / p", (0.6, 0.75, 0.9, 1.0), 0.75, "{:.0%}",
            "share of the people in the cube"),
)
WIDTH = Control("h", "bandwidth", "h", WIDTHS, 0.1, "{:g}", "half the width of a cube")
LAW = Control("law", "law", "", tuple(LAWS), "two densities", help="where the people are")


class Chain(NamedTuple):
    """The ledger at t = E T, and exact chances beside it."""

    book: Ledger
    bar: float
    """E T = q - p/2, by which the score must fall to be wrong."""
    far: np.ndarray
    """Deviations (m,)."""
    tails: np.ndarray
    """Decimal logarithms of P(T - E T <= -far) and P(T - E T >= far), (2, m)."""


@lru_cache(maxsize=2048)
def chain(n, alpha, d, p, share):
    """The `Chain` of a cube with a share p of the people, of whom `share` have label 1."""
    q = p * share
    bar = q - p / 2
    far = bar * np.linspace(0, 1.2, 25)
    sides = bar + far * np.array([[-1], [1]])
    return Chain(ledger("2.2", n=n, alpha=alpha, d=d, t=bar, p=p, q=q), bar, far,
                 log_tail_probability(n // 2, p, q, 2 ** (d + 1) / alpha, sides) / LN10)


def exponents(book):
    """What is left of the exact exponent after each step: exact, Chernoff, the lids, (3.1), (3.2)."""
    rest = book["(3.1), exponent"]
    chernoff = rest.right + book["mgf"].right - book["mgf"].left
    return book["(3.1)"].right, chernoff, rest.right, rest.left, book["(3.2)"].left


def wastes(result):
    """The `Waste` of every step. Exponents are proportional to n, so that their ratio is one of people."""
    book = result.book
    exact, chernoff, lids, *_ = exponents(book)
    return (Waste("Chernoff", exact / chernoff), Waste("two lids", chernoff / lids),
            Waste("round", book["(3.1), exponent"].slack),
            Waste("half bar", book["(3.2)"].slack / book["(3.1)"].slack))


def cube(result):
    """The `Axes` of the people in the cube: a half up for label 1, a half down for label 0."""
    inside, ones = (round(PERSONS * share) for share in (result.p, result.p * result.share))
    places = np.arange(PERSONS) + 0.5
    score = np.where(places < ones, 0.5, np.where(places < inside, -0.5, 0.0))
    marks = [rule("zero", "truth", y=0, width=1)]
    for key, here, role, ring, words in (
            ("one", score > 0, "second", False, "label 1: one half"),
            ("zero label", score < 0, "truth", True, "label 0: minus one half"),
            ("outside", score == 0, "reference", False, "not in the cube: 0")):
        marks.append(dots(key, np.where(here, places, np.nan), score, role, ring=ring, size=9, label=words))
    marks += [bars("bar", [PERSONS + 3], [PERSONS + 12], [0], [result.bar], "private",
                   label="their mean: the bar E T"),
              text("bar words", PERSONS + 7.5, result.bar, f"{result.bar:.3g}", anchor="middle", dy=-12)]
    return Axes("cube", linear(0, PERSONS + 16), linear(-0.7, 0.7, 0.5),
                "what 100 people add to the score of a cube", "", "", tuple(marks), grid=False)


def cube_said(result):
    """The bar of a cube."""
    return (f"In the cube are {result.p:.0%} of the people, {result.share:.0%} of them with label 1. The "
            f"mean score, the bar, is {result.bar:.4g}.")


def likelier(result):
    """Decimal logarithm of the chance of a miss on the likelier side, (m,)."""
    return result.tails[:, np.argmin(np.abs(result.far - result.bar))].argmax()


def tail_axes(result, side, low, high, title, marks):
    """The `Axes` of exact chances of one side against the deviation, and other marks."""
    ticks = [0, result.bar / 2, result.bar]
    return Axes("tail", linear(0, result.far[-1], ticks=ticks, words=[f"{tick:.3g}" for tick in ticks]),
                decades(low, high), title, "the score misses its mean by t", "",
                (bars("nothing", [0], [result.far[-1]], [0], [high], "nothing",
                      label="above 1: says nothing"),
                 line("exact", result.far, result.tails[side], "truth", width=4, label="exact chance"),
                 *marks), wide=1.2)


def at(key, x, y, role, **look):
    """A dot at a chance, whose decimal logarithm is y, and the chance beside it."""
    return dots(key, [x], [y], role, size=13), text(f"{key} words", x, y, chance(y), **look)


def chernoff(result):
    """The `Axes` of the exact tail under the exponential lid of the proof."""
    book, side = result.book, likelier(result)
    exact, rest, *_ = exponents(book)
    slope = (book["(3.1), exponent"].right + book["mgf"].right) / result.bar
    lid = (book["mgf"].left - slope * result.far) / LN10
    low = -1.35 * exact / LN10 - 1
    high = max(1.0, min(lid[0] + 0.3, -0.35 * low))
    marks = (line("lid", result.far, lid, "bound", width=3, label="lid, straight on this axis"),
             *at("at exact", result.bar, -exact / LN10, "truth", anchor="end", dx=-12, dy=12),
             *at("at lid", result.bar, -rest / LN10, "bound", dx=-4, dy=-22))
    return tail_axes(result, side, low, high, "chance of a miss by t or more", marks)


def chernoff_said(result):
    """The exact tail and its lid."""
    exact, rest, *_ = (-exponent / LN10 for exponent in exponents(result.book))
    return (f"The score misses its mean by {result.bar:.3g} or more with probability {chance(exact)}; the "
            f"exponential lid says {chance(rest)}.")


def lids(result):
    """The `Axes` of the logarithms of moment generating functions: of people, of noise and of both."""
    book = result.book
    people, both = book["Hoeffding"], book["mgf"]
    noise = both.left - people.left, both.right - people.right
    sides = np.array([(people.left, people.right), noise, (both.left, both.right)])
    low = 10.0 ** math.floor(math.log10(sides.min() / 2))
    places = np.arange(3.0)
    marks = []
    # Large letters are wider than bars: what the lid says stands a line higher.
    for key, k, role, words in (("exact", 0, "truth", "exact"), ("lid", 1, "bound", "the proof's lid")):
        left = places - 0.38 + 0.4 * k
        marks += [bars(key, left, left + 0.36, np.full(3, low), sides[:, k], role, label=words),
                  text(f"{key} words", left + 0.18, sides[:, k], [short(value) for value in sides[:, k]],
                       anchor="middle", dy=-12 - 20 * k)]
    return Axes("lids", linear(-0.6, 2.6, ticks=places, words=("people", "noise", "both")),
                log(low, 8 * sides.max()), "logarithms of moment generating functions", "", "", tuple(marks),
                grid=False, wide=1.2)


def lids_said(result):
    """What the lids add."""
    book = result.book
    return (f"The lid on the people is {figures(book['Hoeffding'].slack)} times too high. The noise is "
            f"exact: together {short(book['mgf'].left)} against {short(book['mgf'].right)}.")


def rest(result):
    """The `Axes` of the exponent that Chernoff's bound leaves, and the one that is written down."""
    book = result.book["(3.1), exponent"]
    lid = result.book["mgf"].right
    heights = np.array([book.right + lid, book.right + lid, book.right, book.left])
    lows = np.array([0, book.right, 0, 0])
    shown = [heights[0], lid, book.right, book.left]
    roles = ("truth", "reference", "truth", "bound")
    marks = [mark for k, role in enumerate(roles) for mark in (
        bars(f"bar {k}", [k - 0.35], [k + 0.35], [lows[k]], [heights[k]], role),
        text(f"words {k}", k, heights[k], short(shown[k]), anchor="middle", dy=-12))]
    return Axes("rest", linear(-0.6, 3.6, ticks=range(4), words=("λ t", "− lid", "= left", "printed")),
                linear(0, 1.15 * heights[0]), "the exponent: the larger, the rarer", "", "", tuple(marks),
                grid=False, wide=1.2)


def rest_said(result):
    """The exponent that is left, and the printed one."""
    book = result.book["(3.1), exponent"]
    return (f"The exponent that is left is {short(book.right)}, the printed one {short(book.left)}: "
            f"{figures(book.slack)} times as many people for the same promise.")


def half_bar(result):
    """The `Axes` of how far the score must fall, and how far the proof lets it fall."""
    step = result.book["(3.2)"]
    exact = -(step.right - math.log(2)) / LN10
    curve = result.book["(3.1)"].left / result.bar**2
    lid = (math.log(2) - curve * result.far**2) / LN10
    low, high = 1.35 * exact - 1, max(0.6, 0.2 * -exact)
    here = result.bar / 2, (math.log(2) - step.left) / LN10
    marks = (line("lid", result.far, lid, "bound", width=3, label="lid (3.1)"),
             rule("half", "reference", x=[result.bar / 2], width=2),
             *at("at exact", result.bar, exact, "truth", anchor="end", dx=-12, dy=12),
             *at("at lid", *here, "bound", dx=10, dy=-16))
    return tail_axes(result, 0, low, high, "chance that the score falls by t or more", marks)


def half_bar_said(result):
    """What is needed, and what is used."""
    step = result.book["(3.2)"]
    exact, said = -(step.right - math.log(2)) / LN10, (math.log(2) - step.left) / LN10
    return (f"The label is wrong if the score falls by the whole bar {result.bar:.3g}, with probability "
            f"{chance(exact)}. The proof stops at half the bar and says {chance(said)}.")


class Narrow(NamedTuple):
    """A law on the line, and its cubes at one width; and the same distance for all widths."""

    people: np.ndarray
    """Ends of the pieces, in shares of the people from left to right, (m + 1,)."""
    eta: np.ndarray
    """In the pieces, (m,)."""
    cube: np.ndarray
    """q / p of the cube that the rule reads there, (m,)."""
    books: tuple
    """The ledgers of all `WIDTHS`."""


@lru_cache(maxsize=32)
def narrow(h, law):
    """The `Narrow` of a law at bandwidth h."""
    parts = pieces(LAWS[law], h)
    here = parts.mass > 0
    people = np.concatenate([[0.0], np.cumsum(parts.mass[here])])
    return Narrow(people, parts.eta[here], parts.q[here] / parts.p[here], books(law))


@lru_cache(maxsize=8)
def books(law):
    """The ledgers of a law at all `WIDTHS`."""
    return tuple(ledger("2.2", law=law, h=width) for width in WIDTHS)


def shrinking(result):
    """The `Axes` of eta and of q / p over the people."""
    x = np.repeat(result.people, 2)[1:-1]
    eta, near = np.repeat(result.eta, 2), np.repeat(result.cube, 2)
    marks = (band("gap", x, np.minimum(eta, near), np.maximum(eta, near), "bound", label="their distance"),
             rule("half", "reference", y=0.5, width=1),
             line("cube", x, near, "private", width=3, label="share of 1 in the cube"),
             line("eta", x, eta, "truth", width=3, dash=(6, 2), label="η"))
    return Axes("eta", linear(0, 1, 0.25, "{:.0%}"), linear(0, 1, 0.25),
                "the truth, and the cubes that stand for it", "people, from left to right", "", marks,
                grid=False, wide=1.2)


def shrunk(result):
    """The `Axes` of the distance against h."""
    steps, here = [book["differentiation"] for book in result.books], WIDTHS.index(result.h)
    exact, promised = [step.left for step in steps], [step.right for step in steps]
    marks = (line("promised", WIDTHS, promised, "bound", width=3, label="what the proof uses"),
             line("exact", WIDTHS, exact, "truth", width=4, label="exact"),
             dots("at", [result.h], [exact[here]], "truth", size=13))
    return Axes("distance", log(0.005, 0.25, "{:g}", ticks=(0.00625, 0.025, 0.1)), log(1e-3, 3),
                "mean distance", "bandwidth h", "", marks, wide=0.8)


def both_narrow(result):
    """The two `Axes` of narrow cubes."""
    return [shrinking(result), shrunk(result)]


def narrow_said(result):
    """The distance at h, and its bound."""
    step = result.books[WIDTHS.index(result.h)]["differentiation"]
    return (f"At h = {result.h:g} the share of label 1 in a cube is {short(step.left)} away from η on "
            f"average; the proof promises {short(step.right)}.")


def narrow_numbers(result):
    """The distance at h."""
    step = result.books[WIDTHS.index(result.h)]["differentiation"]
    return [("mean distance", short(step.left)), ("the proof says", short(step.right))]


def left(result):
    """The `Axes` of what is left of the exponent after each step."""
    values, places = np.array(exponents(result.book)), np.arange(5.0)
    marks = (bars("exact", places[:1] - 0.35, places[:1] + 0.35, [0], values[:1], "truth", label="exact"),
             bars("steps", places[1:] - 0.35, places[1:] + 0.35, np.zeros(4), values[1:], "bound",
                  label="what the proof keeps"),
             text("words", places, values, [short(value) for value in values], anchor="middle", dy=-12))
    words = ("exact", "Chernoff", "two lids", "round", "half bar")
    return Axes("left", linear(-0.6, 4.6, ticks=places, words=words), linear(0, 1.15 * values.max()),
                "the exponent of an error, after each step", "", "", marks, grid=False, wide=1.2)


def left_said(result):
    """The first and the last exponent."""
    values = exponents(result.book)
    return (f"With {short(result.n)} people the exact exponent is {short(values[0])}. The proof keeps "
            f"{short(values[-1])}. With the factor 2 before it, it asks for "
            f"{figures(result.book['(3.2)'].slack)} times as many people.")


def bar_numbers(result):
    """The bar."""
    return [("the bar E T", f"{result.bar:.3g}"), ("in the cube", f"{result.p:.0%}"),
            ("with label 1", f"{100 * result.p * result.share:.3g}%")]


class ProofConsistency(Story):
    """Theorem 2.2, one step at a time."""

    name = "proof_consistency"
    title = "The proof of Theorem 2.2"
    size = (10.0, 5.2)
    controls = (*CONTROLS, WIDTH, LAW)
    views = {
        "cube": step_view(CONTROLS, chain, cube, cube_said, numbers=bar_numbers),
        "chernoff": step_view(CONTROLS, chain, chernoff, chernoff_said, wastes, 0),
        "lids": step_view(CONTROLS, chain, lids, lids_said, wastes, 1),
        "rest": step_view(CONTROLS, chain, rest, rest_said, wastes, 2),
        "half": step_view(CONTROLS, chain, half_bar, half_bar_said, wastes, 3),
        "narrow": step_view((WIDTH, LAW), narrow, both_narrow, narrow_said,
                            numbers=narrow_numbers),
        "explore": step_view(CONTROLS, chain, left, left_said, wastes),
    }
    scenes = (
        Scene("the bar", "Label 1 in the cube adds one half, label 0 takes one half. The mean is the bar.",
              {"n": 10**6}, ("p", "share"), view="cube", formula=mathml(
                  'E T = P("in the cube", Y = 1) - frac{1}{2} P("in the cube") = q - frac{p}{2}')),
        Scene("Chernoff",
              "How often does the score miss its mean by t? The exact chance lies under a straight lid.", {},
              ("n", "alpha", "share"), view="chernoff",
              formula=mathml("P(T - E T >= t) <= e^{- lambda t} E e^{lambda (T - E T)}")),
        Scene("two lids",
              "The noise enters exactly. For the people the proof takes a simpler, larger number.", {},
              ("n", "alpha", "p"), view="lids", formula=mathml(
                  "log E e^{lambda (T - E T)} <= frac{5 lambda^2}{32 n'} - n' log(1 - "
                  "frac{b^2 lambda^2}{{n'}^2}) - n' log(1 - frac{b^2 lambda^2}{4 {n'}^2})")),
        Scene("round", "From λ t take the lid: an exponent is left. The paper prints a simpler, smaller one.",
              {}, ("n", "alpha", "share"), view="rest", formula=mathml(
                  "frac{n' alpha^2 t^2}{2^{2d+6}} <= lambda t -" '"lid" ","  "  "'
                  "lambda = frac{n' alpha^2 t}{2^{2d+4}}")),
        Scene("wrong side",
              "For a wrong label the score must fall by the whole bar. The proof uses only half of it.", {},
              ("n", "alpha", "share"), view="half", formula=mathml(
                  'P("wrong side") <= 2 exp(- frac{n\' alpha^2 delta^2}{2^{2d+6}}) "," "  " '
                  "delta = frac{| E T |}{2}")),
        Scene("narrow cubes",
              "Let h shrink. The share of label 1 in a cube comes near the truth η, for any law.", {},
              ("h", "law"), view="narrow", formula=mathml(
                  'E | frac{q}{p} - eta(X) | <= (1 + 2^d) E | eta(X) - g(X) | + 1.5 h ("slope of " g)')),
        Scene("explore",
              "The whole chain. Left: what is left of the exponent. Right: how many times as many people.",
              {}, view="explore", formula=mathml("n' alpha^2 h^{2d} -> infinity")),
    )


STORY = ProofConsistency

"""The proof of Theorem 2.2 (Berrett & Butucea), one step at a time: its ledger, drawn."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.consistency.ledger import LAWS, THIN, pieces
from ldp_lib.lessons.steps import LN10, Waste, chance, decades, mathml, step
from ldp_lib.nature import cantor_function
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.stage import Control, Scene, Shown, Story, log_steps, view
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, figures, handle, line, linear, log, percent, rule, short, text,
)
from ldp_lib.theory import ledger

PERSONS = 100
"""People in the picture of a cube."""
WIDTHS = (0.00625, 0.0125, 0.025, 0.05, 0.1, 0.2)
RAMP = 0.1
"""Width of the ramps of the continuous function g that is drawn; the bound takes the best width."""
CDFS = {"two densities": LAWS["two densities"].cdf,
          "a Cantor set and its gaps": lambda x: 0.85 * cantor_function(x) + 0.15 * np.asarray(x)}
"""Where the people of `thin_cubes` are, by distribution functions: with a density, and with none, 85% on the
Cantor set and the others spread evenly, also over its gaps."""

CUBE = (
    Control("n", "people", "n", log_steps(1000, 10**8, 2), 10**6, short, "people in all"),
    Control("alpha", "privacy", "α", powers_of_two(-6, 0, 2), 1.0, "{:.3g}", "nats; the proof needs α ≤ 1"),
    Control("d", "dimension", "d", (1, 2, 3), 1, "{}", "number of features"),
    Control("p", "in the cube", "p", (0.05, 0.1, 0.2, 0.4, 0.8), 0.2, "{:.0%}", "share of all people"),
    Control("share", "label 1 there", "q / p", (0.6, 0.75, 0.9, 1.0), 0.75, "{:.0%}",
            "share of the people in the cube"),
)
"""What a cube of the rule is told by."""
WIDTH = Control("h", "bandwidth", "h", WIDTHS, 0.1, "{:g}", "half the width of a cube")
LAW = Control("law", "law", "", tuple(LAWS), "two densities", help="where the people are")
LINE = Control("thin", "thin up to", "c", (0.05, 0.1, 0.25, THIN), THIN, "{:g}",
               "a cube is thin if its share is at most c h")


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


def wastes(book):
    """The `Waste` of every step. Exponents are proportional to n, so that their ratio is one of people."""
    exact, chernoff, lids, *_ = exponents(book)
    return (Waste("Chernoff", exact / chernoff), Waste("two lids", chernoff / lids),
            Waste("round", book["(3.1), exponent"].slack),
            Waste("half bar", book["(3.2)"].slack / book["(3.1)"].slack))


@view(*CUBE)
def the_bar(n, alpha, d, p, share):
    """The people in the cube: a half up for label 1, a half down for label 0."""
    bar, places = chain(n, alpha, d, p, share).bar, np.arange(PERSONS) + 0.5
    inside, ones = round(PERSONS * p), round(PERSONS * (p * share))
    score = np.where(places < ones, 0.5, np.where(places < inside, -0.5, 0.0))
    marks = [rule("zero", "truth", y=0, width=1)]
    for key, here, role, ring, words in (
            ("one", score > 0, "second", False, "label 1: one half"),
            ("zero label", score < 0, "truth", True, "label 0: minus one half"),
            ("outside", score == 0, "reference", False, "not in the cube: 0")):
        marks.append(dots(key, np.where(here, places, np.nan), score, role, ring=ring, size=9, label=words))
    marks += [bars("bar", [PERSONS + 3], [PERSONS + 12], [0], [bar], "private",
                   label="their mean: the bar E T"),
              text("bar words", PERSONS + 7.5, bar, f"{bar:.3g}", anchor="middle", dy=-12)]
    axes = Axes("cube", linear(0, PERSONS + 16), linear(-0.7, 0.7, 0.5),
                "what 100 people add to the score of a cube", "", "", tuple(marks), grid=False)
    return Shown((axes,), f"In the cube are {p:.0%} of the people, {share:.0%} of them with label 1. The "
                 f"mean score, the bar, is {bar:.4g}.",
                 [("the bar E T", f"{bar:.3g}"), ("in the cube", f"{p:.0%}"),
                  ("with label 1", f"{100 * p * share:.3g}%")])


def tail_axes(found, side, low, high, title, marks):
    """The `Axes` of a `Chain`'s exact chances of one side against the deviation, and other marks."""
    ticks = [0, found.bar / 2, found.bar]
    return Axes("tail", linear(0, found.far[-1], ticks=ticks, words=[f"{tick:.3g}" for tick in ticks]),
                decades(low, high), title, "the score misses its mean by t", "",
                (bars("nothing", [0], [found.far[-1]], [0], [high], "nothing",
                      label="above 1: says nothing"),
                 line("exact", found.far, found.tails[side], "truth", width=4, label="exact chance"),
                 *marks), wide=1.2)


def at(key, x, y, role, **look):
    """A dot at a chance, whose decimal logarithm is y, and the chance beside it."""
    return dots(key, [x], [y], role, size=13), text(f"{key} words", x, y, chance(y), **look)


@view(*CUBE)
def chernoff(n, alpha, d, p, share):
    """The exact tail under the exponential lid of the proof."""
    found = chain(n, alpha, d, p, share)
    book, bar, far = found.book, found.bar, found.far
    likelier = found.tails[:, np.argmin(np.abs(far - bar))].argmax()
    exact, rest, *_ = exponents(book)
    slope = (book["(3.1), exponent"].right + book["mgf"].right) / bar
    lid = (book["mgf"].left - slope * far) / LN10
    low = -1.35 * exact / LN10 - 1
    high = max(1.0, min(lid[0] + 0.3, -0.35 * low))
    marks = (line("lid", far, lid, "bound", width=3, label="lid, straight on this axis"),
             *at("at exact", bar, -exact / LN10, "truth", anchor="end", dx=-12, dy=12),
             *at("at lid", bar, -rest / LN10, "bound", dx=-4, dy=-22))
    axes = tail_axes(found, likelier, low, high, "chance of a miss by t or more", marks)
    return step((axes,), f"The score misses its mean by {bar:.3g} or more with probability "
                f"{chance(-exact / LN10)}; the exponential lid says {chance(-rest / LN10)}.", wastes(book), 0)


@view(*CUBE)
def two_lids(n, alpha, d, p, share):
    """The logarithms of moment generating functions: of people, of noise and of both."""
    book = chain(n, alpha, d, p, share).book
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
    axes = Axes("lids", linear(-0.6, 2.6, ticks=places, words=("people", "noise", "both")),
                log(low, 8 * sides.max()), "logarithms of moment generating functions", "", "", tuple(marks),
                grid=False, wide=1.2)
    return step((axes,), f"The lid on the people is {figures(people.slack)} times too high. The noise is "
                f"exact: together {short(both.left)} against {short(both.right)}.", wastes(book), 1)


@view(*CUBE)
def rounded(n, alpha, d, p, share):
    """The exponent that Chernoff's bound leaves, and the one that is written down."""
    book = chain(n, alpha, d, p, share).book
    rest, lid = book["(3.1), exponent"], book["mgf"].right
    heights = np.array([rest.right + lid, rest.right + lid, rest.right, rest.left])
    lows = np.array([0, rest.right, 0, 0])
    shown = [heights[0], lid, rest.right, rest.left]
    roles = ("truth", "reference", "truth", "bound")
    marks = [mark for k, role in enumerate(roles) for mark in (
        bars(f"bar {k}", [k - 0.35], [k + 0.35], [lows[k]], [heights[k]], role),
        text(f"words {k}", k, heights[k], short(shown[k]), anchor="middle", dy=-12))]
    axes = Axes("rest", linear(-0.6, 3.6, ticks=range(4), words=("λ t", "− lid", "= left", "printed")),
                linear(0, 1.15 * heights[0]), "the exponent: the larger, the rarer", "", "", tuple(marks),
                grid=False, wide=1.2)
    return step((axes,), f"The exponent that is left is {short(rest.right)}, the printed one "
                f"{short(rest.left)}: {figures(rest.slack)} times as many people for the same promise.",
                wastes(book), 2)


@view(*CUBE)
def half_bar(n, alpha, d, p, share):
    """How far the score must fall, and how far the proof lets it fall."""
    found = chain(n, alpha, d, p, share)
    book, bar = found.book, found.bar
    wrong = book["(3.2)"]
    exact, said = -(wrong.right - math.log(2)) / LN10, (math.log(2) - wrong.left) / LN10
    lid = (math.log(2) - book["(3.1)"].left / bar**2 * found.far**2) / LN10
    low, high = 1.35 * exact - 1, max(0.6, 0.2 * -exact)
    marks = (line("lid", found.far, lid, "bound", width=3, label="lid (3.1)"),
             rule("half", "reference", x=[bar / 2], width=2),
             *at("at exact", bar, exact, "truth", anchor="end", dx=-12, dy=12),
             *at("at lid", bar / 2, said, "bound", dx=10, dy=-16))
    axes = tail_axes(found, 0, low, high, "chance that the score falls by t or more", marks)
    return step((axes,), f"The label is wrong if the score falls by the whole bar {bar:.3g}, with "
                f"probability {chance(exact)}. The proof stops at half the bar and says {chance(said)}.",
                wastes(book), 3)


@lru_cache(maxsize=8)
def distances(law):
    """The ledger's step of a law at all `WIDTHS`: mean distance of q / p from eta, and its bound."""
    return [ledger("2.2", law=law, h=width)["differentiation"] for width in WIDTHS]


def continuous(law, x):
    """The function g that is drawn: eta of a law with ramps in place of its jumps, at places x, (m,)."""
    ends = np.add.outer(law.edges[1:-1], [-RAMP / 2, RAMP / 2]).ravel()
    return np.interp(x, ends, np.repeat(law.eta, 2)[1:-1])


@view(WIDTH, LAW)
def narrow_cubes(h, law):
    """Left: eta, g and the share of label 1 in the cubes, over the people. Right: the distance against h."""
    parts = pieces(LAWS[law], h)
    inside = parts.mass > 0
    people = np.repeat(np.concatenate([[0.0], np.cumsum(parts.mass[inside])]), 2)[1:-1]
    eta, near = np.repeat(parts.eta[inside], 2), np.repeat(parts.q[inside] / parts.p[inside], 2)
    x = np.linspace(0, 1, 401)
    marks = (band("gap", people, np.minimum(eta, near), np.maximum(eta, near), "bound",
                  label="distance of the two"),
             rule("half", "reference", y=0.5, width=1),
             line("g", LAWS[law].cdf(x), continuous(LAWS[law], x), "other", width=2, label="g, continuous"),
             line("cube", people, near, "private", width=3, label="q / p, of the cube"),
             line("eta", people, eta, "truth", width=3, dash=(6, 2), label="η"))
    cubes = Axes("eta", linear(0, 1, 0.25, "{:.0%}"), linear(0, 1, 0.25),
                 "the truth, and the cubes that stand for it", "people, from left to right", "", marks,
                 grid=False, wide=1.2)
    steps = distances(law)
    here, exact, promised = WIDTHS.index(h), [each.left for each in steps], [each.right for each in steps]
    marks = (bars("nothing", [0.005], [0.25], [1], [3], "nothing", label="above 1: says nothing"),
             line("promised", WIDTHS, promised, "bound", width=3, label="what the proof uses"),
             line("exact", WIDTHS, exact, "truth", width=4, label="exact"),
             dots("at", [h], [exact[here]], "truth", size=13))
    distance = Axes("distance", log(0.005, 0.25, "{:g}", ticks=(0.00625, 0.025, 0.1)), log(1e-3, 3),
                    "mean distance", "bandwidth h", "", marks, wide=0.8)
    most = short(promised[here])
    promise = f"the proof promises {most}" if promised[here] < 1 else f"the proof's {most} promises nothing"
    return Shown((cubes, distance), f"At h = {h:g} the share of label 1 in a cube is {short(exact[here])} "
                 f"away from η on average; {promise}.",
                 [("mean distance", short(exact[here])), ("the proof says", most)])


class Shares(NamedTuple):
    """Shares of the people, one entry for each grid point 0, h, 2h, ..., 1."""

    cube: np.ndarray
    """Within h of it."""
    cell: np.ndarray
    """Within h / 2 of it: these people's label it decides."""


def shares(cdf, h):
    """The `Shares` of a law on [0, 1] with this distribution function; 1 / h is a whole number."""
    halves = 2 * round(1 / h)
    below = cdf(np.clip(np.arange(-2, halves + 3) / halves, 0, 1))
    return Shares(below[4::2] - below[:-4:2], below[3::2] - below[1:-2:2])


@view(WIDTH, LINE)
def thin_cubes(h, thin):
    """Two laws: the share of every cube, as a multiple of h, and the line up to which a cube is thin.

    Bars are as wide as h, so that all thin ones together have an area of c (1 + h) at most.
    """
    columns, decided = [], []
    for k, (name, cdf) in enumerate(CDFS.items()):
        cube, cell = shares(cdf, h)
        places, low = np.arange(len(cube)) * h, cube <= thin * h
        decided.append(float(cell[low].sum()))
        left, right = places - h / 2, places + h / 2
        marks = [bars("room", left[:1], right[-1:], [0], [thin], "forbidden", label="room for thin cubes")]
        marks += [bars(key, np.where(here, left, np.nan), right, np.zeros(len(cube)), cube / h, role,
                       label=words)
                  for key, here, role, words in (("others", ~low, "private", "other cubes"),
                                                 ("thin", low, "second", "thin cubes"))]
        marks.append(rule("line", "bound", y=thin, width=2, handle=handle("thin", along="y")))
        columns.append(Axes(f"law {k}", linear(-0.12, 1.12, ticks=(0, 0.5, 1)), linear(0, 4, 1),
                            f"{name}: {percent(decided[-1])} in thin cubes", "place",
                            "share of the cube / h" if k == 0 else "", tuple(marks), grid=False))
    most, found = percent(thin * (1 + 2 * h)), [percent(share) for share in decided]
    people = " and ".join(f"{share} of the people of {name}" for share, name in zip(found, CDFS))
    says = (f"A cube is thin if the cube's share is at most {thin:g} h. At h = {h:g} thin cubes decide for "
            f"{people}; under no law for more than {most}.")
    return Shown(tuple(columns), says, [("at most, whatever the law", most), *zip(CDFS, found)])


@view(*CUBE)
def whole_chain(n, alpha, d, p, share):
    """What is left of the exponent after each step."""
    book = chain(n, alpha, d, p, share).book
    values, places = np.array(exponents(book)), np.arange(5.0)
    marks = (bars("exact", places[:1] - 0.35, places[:1] + 0.35, [0], values[:1], "truth", label="exact"),
             bars("steps", places[1:] - 0.35, places[1:] + 0.35, np.zeros(4), values[1:], "bound",
                  label="what the proof keeps"),
             text("words", places, values, [short(value) for value in values], anchor="middle", dy=-12))
    words = ("exact", "Chernoff", "two lids", "round", "half bar")
    left = Axes("left", linear(-0.6, 4.6, ticks=places, words=words), linear(0, 1.15 * values.max()),
                "the exponent of an error, after each step", "", "", marks, grid=False, wide=1.2)
    return step((left,), f"With {short(n)} people the exact exponent is {short(values[0])}. The proof keeps "
                f"{short(values[-1])}. With the factor 2 before it, it asks for "
                f"{figures(book['(3.2)'].slack)} times as many people.", wastes(book))


STORY = Story("proof_consistency", "The proof of Theorem 2.2", size=(10.0, 5.2), scenes=(
    Scene("the bar", "Label 1 in the cube adds one half to the score T, label 0 takes one half. The mean E T "
          "is the bar.",
          the_bar, {"n": 10**6}, ("p", "share"),
          formula=mathml('E T = q - frac{p}{2} "," "  " p = P("in the cube") "," "  " '
                         'q = P("in the cube", Y = 1)')),
    Scene("Chernoff", "Bounded: the chance that T misses E T by t, because such a miss can mean a wrong "
          "label. Any slope λ gives a lid.", chernoff, {}, ("n", "alpha", "share"),
          formula=mathml("P(T - E T >= t) <= e^{- lambda t} E e^{lambda (T - E T)}")),
    Scene("two lids", "In the lid is a mean over n' people, half of all, and noise of scale b. People get a "
          "simpler bound; noise stays exact.",
          two_lids, {}, ("n", "alpha", "p"), formula=mathml(
              "log E e^{lambda (T - E T)} <= frac{lambda^2}{8 n'} + frac{lambda^2}{32 n'} - n' log(1 - "
              "frac{b^2 lambda^2}{{n'}^2}) - n' log(1 - frac{b^2 lambda^2}{4 {n'}^2})")),
    Scene("round", "λ t minus the lid is the exponent: the larger, the rarer the miss. A simple number, with "
          "d features, bounds it from below.",
          rounded, {}, ("n", "alpha", "share"), formula=mathml(
              "frac{n' alpha^2 t^2}{2^{2d+6}} <= lambda t -" '"lid" ","  "  "'
              "lambda = frac{n' alpha^2 t}{2^{2d+4}}")),
    Scene("wrong side", "A label is wrong only if T falls by the whole bar: at most as often as T misses by "
          "half the bar, δ.", half_bar, {}, ("n", "alpha", "share"), formula=mathml(
              'P("wrong side") <= 2 exp(- frac{n\' alpha^2 delta^2}{2^{2d+6}}) "," "  " '
              "delta = frac{| E T |}{2}")),
    Scene("narrow cubes", "For any law some continuous g is near η, the chance of label 1. In narrow cubes "
          "g hardly changes, so q/p comes near η.",
          narrow_cubes, {"h": 0.025}, ("h", "law"), formula=mathml(
              'E | frac{q}{p} - eta(X) | <= (1 + 2^d) E | eta(X) - g(X) | + 1.5 h ("slope of " g)')),
    Scene("thin cubes", "Thin cubes have a share of at most c h each. Whatever the law, thin cubes fit under "
          "the line together. Others hold more.", thin_cubes, {"h": 0.05, "thin": THIN}, ("thin", "h"),
          formula=mathml(
              'P("in a thin cube") <= c (1 + 2 h)^d "," "  " "else" "  " p > c h^d')),
    Scene("explore", "Joined: few people are in thin cubes. In others q/p is near η, and the exponent grows "
          "with n' α² h²ᵈ: wrong labels die out.", whole_chain, formula=mathml(
              "n' alpha^2 delta^2 >= frac{c^2}{4} | frac{q}{p} - frac{1}{2} |^2 n' alpha^2 h^{2d} "
              "-> infinity")),
))

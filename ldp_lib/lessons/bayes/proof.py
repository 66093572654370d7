"""The proof of Theorem 3.2 (Bousquet et al., 2022), one step at a time: its ledger, drawn.

A curator adds one Laplace draw to the sum of y - 1/2 in every cell; the subject is the law of the ledger,
people on both sides of a jump, one side crowded.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.bayes.ledger.cells import people_in_cell
from ldp_lib.lessons.bayes.ledger.votes import moves
from ldp_lib.lessons.steps import Waste, chance, decades, mathml, step_view, times, total
from ldp_lib.stage import Control
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import (
    Axes, bars, dots, line, linear, log, polygon, power_of_ten, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import ledger

PEOPLE = Control("n", "people", "n", tuple(10**4 * 4**k for k in range(5)), 10**4, short, "people in all")
BUDGET = Control("epsilon", "budget", "ε", powers_of_two(-3, 3, 1), 1.0, "{:g}", "of the curator's release")
ADDED = {"y − ½": lambda y: y - 0.5, "y": lambda y: float(y)}
SUM = Control("added", "added up", "", tuple(ADDED), "y − ½", help="what a person adds to her cell's sum")
CHAIN = {"plug in": "Theorem 2.7", "bound each": "Jensen", "cut at k": "(15)", "count thin": "whole"}
"""Steps that waste -> a line of the ledger that they end with."""
WASTED = (25_960.88, 501.1245, 21_100.14, 15.14939)
"""How many times the people of the step before each of `CHAIN` needs, to promise the risk of ten thousand
people. It takes a while, so that it is kept here; a test computes it again."""
PARTS = ("noise", "sampling", "blur")


def settings(n):
    """The ledger's M and k, 10 for ten thousand people; they grow, or else the bound would not fall."""
    times_ = n / 10**4
    return {"M": round(10 * times_**0.25), "k": round(10 * times_ ** (1 / 3))}


@lru_cache(maxsize=256)
def book_of(n, epsilon=1.0):
    """The ledger."""
    return ledger("bayes-3.2", n=n, epsilon=epsilon, **settings(n))


def chain(book):
    """The excess risk, and what bounds it after each of `CHAIN`."""
    right = {step.name: step.right for step in book.steps}
    return (book["whole"].left, right["Theorem 2.7"], 2 * (right["noise"] + right["Jensen"] + right["bias"]),
            2 * (right["thin cells"] + right["(15)"] + right["bias"]), right["whole"])


def parts(book, word):
    """Noise, sampling and blur after a step of `CHAIN`; they add up to half of the bound."""
    lines = {"plug in": [("noise", "left"), ("Jensen", "left"), ("bias", "left")],
             "bound each": [("noise", "right"), ("Jensen", "right"), ("bias", "right")],
             "cut at k": [("thin cells", "right"), ("(15)", "right"), ("bias", "right")]}
    return np.array([getattr(book[name], side) for name, side in lines[word]])


class Pairs(NamedTuple):
    """How far one person can move the sums of two cells, for every change of her record."""

    moves: np.ndarray
    length: float


def pairs(added):
    """The `Pairs` of a sum."""
    found = moves(ADDED[added])
    return Pairs(found, float(np.abs(found).sum(axis=1).max()))


def diamond(result):
    """The `Axes` of all moves, and of what noise of scale 1 / epsilon hides."""
    at, edge = result.moves, np.array([1.0, 0, -1, 0])
    marks = (polygon("hidden", edge, np.roll(edge, 1), "promise", label="hidden by noise of scale 1/ε"),
             rule("across", "truth", y=0, width=1), rule("up", "truth", x=0, width=1),
             dots("moves", at[:, 0], at[:, 1], "private", size=11, label="a change of one record"))
    unit = linear(-1.4, 1.4, 1)
    return Axes("moves", unit, unit, f"one record changes two sums of {result.added}", "sum of her cell",
                "", marks, square=True)


def diamond_said(result):
    """How far it moves."""
    return f"One record replaced moves the two sums of {result.added} by {result.length:g} in all, at most."


def diamond_numbers(result):
    """Sensitivity and scale."""
    return [("moves by at most", f"{result.length:g}"), ("noise scale", f"{result.length:g}/ε")]


class Line(NamedTuple):
    """The ledger at a position."""

    book: Ledger


def at_position(n, epsilon):
    """The `Line` of n people."""
    return Line(book_of(n, epsilon))


def wastes(result):
    """The `Waste` of each of `CHAIN`, for ten thousand people at epsilon = 1."""
    return tuple(Waste(word, factor) for word, factor in zip(CHAIN, WASTED))


def with_waste(word, sides):
    """Makes a read-out: what a step of `CHAIN` wastes for ten thousand people, and `sides` of a result."""
    def numbers(result):
        return [("times as many people", times(WASTED[tuple(CHAIN).index(word)])), *sides(result)]
    return numbers


def plug(result):
    """The `Axes` of the exact risk beside twice the three errors, stacked."""
    pieces, exact = 2 * parts(result.book, "plug in"), result.book["Theorem 2.7"].left
    ends = np.cumsum(pieces)
    marks = [bars("exact", [-0.35], [0.35], [0], [exact], "private", label="exact excess risk")]
    marks += [bars(f"part {words}", [0.65], [1.35], [ends[k] - pieces[k]], [ends[k]], role,
                   label=f"2 × {words}") for k, (words, role) in enumerate(
                       zip(PARTS, ("noise", "one", "zero")))]
    top = 1.15 * ends[-1]
    return Axes("plug", linear(-0.6, 1.6, ticks=(0, 1), words=("risk", "bound")), ticked(top),
                "wrong labels cost at most twice the error of the mean", "", "", tuple(marks), grid=False)


def ticked(top):
    """A linear `Scale` from 0 with three to six ticks."""
    unit = 10.0 ** math.floor(math.log10(top / 3))
    return linear(0, top, next(unit * k for k in (1, 2, 5, 10) if top / (unit * k) <= 6))


def plug_said(result):
    """Both sides."""
    step = result.book["Theorem 2.7"]
    return f"The excess risk is {short(step.left)}; twice the three errors add up to {short(step.right)}."


def three(result):
    """The `Axes` of noise, sampling and blur, exact and bounded."""
    at = np.arange(3.0)
    exact, bound = (parts(result.book, word) for word in ("plug in", "bound each"))
    marks = (bars("exact", at - 0.38, at, np.zeros(3), exact, "private", label="exact"),
             bars("bound", at, at + 0.38, np.zeros(3), bound, "bound", label="its bound"),
             text("numbers", at - 0.19, exact, [f"{value:.2g}" for value in exact], anchor="middle", dy=-10))
    return Axes("three", linear(-0.6, 2.6, ticks=at, words=PARTS), ticked(1.2 * bound.max()),
                "three errors of the mean label of a cell", "", "", marks, grid=False)


def three_said(result):
    """All six numbers."""
    exact, bound = (parts(result.book, word) for word in ("plug in", "bound each"))
    return "; ".join(f"{words} {value:.3g}, at most {most:.3g}"
                     for words, value, most in zip(PARTS, exact, bound)) + "."


def crowding(result):
    """The `Axes` of how many people share a cell with somebody: thin cells are marked."""
    book, k = result.book, result.book.params["k"]
    law, r = book.params, result.n**-0.5
    shares = np.array([law["share"], 1 - law["share"]])
    masses = shares * r / np.array([law["edge"], 1 - law["edge"]])
    counts, chances = people_in_cell(result.n, masses)
    most = counts.max()
    ends = np.linspace(-0.5, most + 0.5, 61)
    held = np.histogram(counts.ravel(), ends, weights=(shares[:, None] * chances).ravel())[0]
    marks = (bars("people", ends[:-1], ends[1:], np.zeros(60), held, "private", label="people"),
             rule("k", "bound", x=k, width=3, label=f"thin: {k} people or fewer"))
    return Axes("crowding", linear(0, most, round(most / 4, -1)), linear(0, 1.1 * held.max()),
                "how many people live in her cell?", "people in the cell", "", marks, grid=False)


def crowding_said(result):
    """The share of thin cells, and its bound."""
    step, k = result.book["Lemma 3.3"], result.book.params["k"]
    return (f"A share of {short(step.left)} of the people has at most {k} people in the cell; the proof "
            f"allows {short(step.right)}.")


def crowding_numbers(result):
    """The same, in numbers."""
    step = result.book["Lemma 3.3"]
    return [("in thin cells", f"{step.left:.2%}"), ("the proof allows", f"{step.right:.2%}")]


def chebyshev(result):
    """The `Axes` of the chance that a full cell is thin, and of Chebyshev's bound, as decimal logarithms."""
    step = result.book["heavy cells"]
    ends = logarithms(step)
    low = 1.25 * min(*ends, -5)
    marks = (rule("one", "reference", y=0, width=1, label="1: always"),
             dots("exact", [0], ends[:1], "private", size=18), dots("bound", [1], ends[1:], "bound", size=18),
             text("chances", [0, 1], ends, [chance(end) for end in ends], dx=14, dy=5))
    return Axes("chebyshev", linear(-0.6, 1.6, ticks=(0, 1), words=("exact", "Chebyshev")),
                decades(low, 0.1 * -low), "chance that a full cell is thin", "", "", marks)


def logarithms(step):
    """Decimal logarithms of both sides; what no float can hold counts as 10^-308."""
    return tuple(math.log10(max(side, 1e-308)) for side in (step.left, step.right))


def chebyshev_said(result):
    """Both chances."""
    exact, bound = logarithms(result.book["heavy cells"])
    return f"A full cell is thin with chance {chance(exact)}; Chebyshev's inequality says {chance(bound)}."


def whole(result):
    """The `Axes` of the chain from the exact risk to the bound."""
    values = np.maximum(chain(result.book), 1e-18)
    at = np.arange(len(values), 0, -1.0)
    low = 10.0 ** math.floor(math.log10(values.min()) - 1)
    marks = (bars("chain", np.full(len(at), low), values, at - 0.3, at + 0.3, "private"),
             rule("one", "bound", x=1, width=3, label="1: the bound says nothing"),
             text("values", values, at, [short(value) for value in values], dx=6))
    high = 200 * max(1.0, values.max())
    every = max(1, round(math.log10(high / low) / 5))
    return Axes("chain", log(low, high, power_of_ten, every=every),
                linear(0.4, len(at) + 0.6, ticks=at[::-1], words=tuple(reversed(("exact risk", *CHAIN)))),
                "from the exact excess risk to the bound", "excess risk", "", marks, grid=False, wide=1.1)


def whole_said(result):
    """Both ends."""
    found = chain(result.book)
    return (f"With {short(result.n)} people the exact excess risk is {short(found[0])}, and the bound "
            f"{found[-1]:.3g}: {short(found[-1] / max(found[0], 1e-300))} times as much.")


def whole_numbers(result):
    """Both ends, and the price in people."""
    found = chain(result.book)
    return [("bound", f"{found[-1]:.3g}"), ("exact risk", short(found[0])),
            ("people, for the risk of ten thousand", times(total(wastes(result))))]


class Falls(NamedTuple):
    """Exact risk and bound against the number of people."""

    people: np.ndarray
    exact: np.ndarray
    bound: np.ndarray
    book: Ledger


@lru_cache(maxsize=16)
def falls(epsilon):
    """The `Falls` at one budget."""
    found = np.array([chain(book_of(n, epsilon)) for n in PEOPLE.values])
    return Falls(np.array(PEOPLE.values), found[:, 0], found[:, -1], book_of(10**4, epsilon))


def tends(result):
    """The `Axes` of both, which fall."""
    marks = (line("exact", result.people, np.maximum(result.exact, 1e-18), "private", width=4,
                  label="exact risk"),
             line("bound", result.people, result.bound, "bound", width=4, label="the bound"))
    return Axes("tends", log(8e3, 4e6), log(1e-12, 10, every=3), "more and more people", "people n", "",
                marks)


def tends_said(result):
    """Both ends of both."""
    return (f"From 10,000 to 2,560,000 people the bound falls from {result.bound[0]:.3g} to "
            f"{result.bound[-1]:.3g}, the exact risk from {short(result.exact[0])} to "
            f"{short(result.exact[-1])}.")


def tends_numbers(result):
    """The bound at both ends."""
    return [("bound at 2,560,000", f"{result.bound[-1]:.2g}"), ("at 10,000", f"{result.bound[0]:.2f}")]


ONE, BOTH = (PEOPLE,), (PEOPLE, BUDGET)


def at_one(n):
    """The `Line` of n people at epsilon = 1."""
    return Line(book_of(n))


class ProofBayes(Story):
    """Theorem 3.2: noisy votes are private, and their risk tends to 0 for every law."""

    name = "proof_bayes"
    version = 1
    title = "Votes of a curator are consistent"
    size = (10.0, 5.2)
    controls = (PEOPLE, BUDGET, SUM)
    views = {
        "moves": step_view((SUM,), pairs, diamond, diamond_said, numbers=diamond_numbers),
        "plug": step_view(ONE, at_one, plug, plug_said, wastes, 0, with_waste("plug in", lambda result: [
            ("risk", short(chain(result.book)[0])), ("bound", short(chain(result.book)[1]))])),
        "three": step_view(ONE, at_one, three, three_said, wastes, 1, with_waste(
            "bound each", lambda result: [("bound", f"{chain(result.book)[2]:.2g}")])),
        "crowding": step_view(ONE, at_one, crowding, crowding_said, wastes, 2, crowding_numbers),
        "chebyshev": step_view(ONE, at_one, chebyshev, chebyshev_said, wastes, 3, with_waste(
            "count thin", lambda result: [("bound", f"{chain(result.book)[4]:.2g}")])),
        "tends": step_view((BUDGET,), falls, tends, tends_said, numbers=tends_numbers),
        "explore": step_view(BOTH, at_position, whole, whole_said, wastes, numbers=whole_numbers),
    }
    scenes = (
        Scene("one record",
              "With y − ½ one record moves two sums by at most 1 together, the diamond's edge: noise hides "
              "it. With y by 2.", {}, ("added",), view="moves", formula=mathml(
                  "sum_{\"cells\"} | \"change of \" sum (y - frac{1}{2}) | <= 1")),
        Scene("plug in",
              "A wrong label costs at most twice the error of the cell's noisy mean η′. It has three parts.",
              {}, view="plug", formula=mathml(
                  '"excess risk" <= 2 E | eta - eta\' | <= 2 ( "noise" + "sampling" + "blur" )')),
        Scene("three parts",
              "Noise: one draw, shared by N people. Sampling: N labels. Blur: the truth moves in the cell; "
              "here only at walls, so 0.", {}, view="three", formula=mathml(
                  'E[ frac{1}{epsilon N} ] + frac{1}{2} E[ frac{1}{sqrt{N}} ] + "blur"')),
        Scene("thin cells",
              "Noise and sampling need people in the cell. The proof gives up cells of at most k people, and "
              "takes N = k elsewhere.", {}, view="crowding", formula=mathml(
                  '"sampling" <= frac{1}{2} P(N <= k) + frac{1}{2 sqrt{k}} + P(N = 0)')),
        Scene("Chebyshev",
              "A full cell is hardly ever thin. Chebyshev's inequality does not know how rarely.",
              {}, view="chebyshev", formula=mathml('P(N <= k) <= frac{2 k + 4}{n} × "cells"')),
        Scene("tends to 0",
              "k grows slower than √n: noise and sampling vanish. Blur vanishes for every law: up to a small "
              "error, every truth is continuous.", {}, view="tends",
              formula=mathml(
                  'k -> ∞ ","  "number of cells" = sqrt{n} ","  "  " frac{(2 k + 4) sqrt{n}}{n} -> 0')),
        Scene("explore", "The whole chain. What is largest on paper is not what costs most people.", {},
              view="explore"),
    )


STORY = ProofBayes

"""The proof of Theorem 3.2 (Bousquet et al., 2022), one step at a time: its ledger, drawn.

A curator adds one Laplace draw to the sum of y - 1/2 in every cell; the subject is the law of the ledger,
people on both sides of a jump, one side crowded.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.lessons.bayes.ledger.cells import people_in_cell
from ldp_lib.lessons.bayes.ledger.votes import moves
from ldp_lib.lessons.pictures import listed, lying, side_by_side, upright
from ldp_lib.lessons.steps import Waste, chance, decades, mathml, staircase, ticked, times, total
from ldp_lib.stage import Control, Scene, Shown, Story, powers_of_two, view
from ldp_lib.stage.picture import (
    Axes, bars, dots, line, linear, log, polygon, power_of_ten, rule, short, text,
)
from ldp_lib.theory import ledger

PEOPLE = Control("n", "people", "n", tuple(10**4 * 4**k for k in range(5)), 10**4, short, "people in all")
BUDGET = Control("epsilon", "budget", "ε", powers_of_two(-3, 3, 1), 1.0, "{:g}", "of the curator's release")
ADDED = {"y − ½": lambda y: y - 0.5, "y": lambda y: float(y)}
SUM = Control("added", "added up", "", tuple(ADDED), "y − ½", help="what a person adds to her cell's sum")
CHAIN = {"plug in": "Theorem 2.7", "bound each": "Jensen", "cut at k": "(15)", "count thin": "whole"}
"""Steps that waste -> a line of the ledger that they end with."""
PARTS = ("noise", "sampling", "blur")


def settings(n):
    """The ledger's M and k, 10 for ten thousand people; they grow, or else the bound would not fall."""
    more = n / 10**4
    return {"M": round(10 * more**0.25), "k": round(10 * more ** (1 / 3))}


@lru_cache(maxsize=256)
def book_of(n, epsilon=1.0):
    """The ledger."""
    return ledger("bayes-3.2", n=n, epsilon=epsilon, **settings(n))


def chain(book):
    """The excess risk, and what bounds it after each of `CHAIN`."""
    right = {step.name: step.right for step in book.steps}
    return (book["whole"].left, right["Theorem 2.7"], 2 * (right["noise"] + right["Jensen"] + right["bias"]),
            2 * (right["thin cells"] + right["(15)"] + right["bias"]), right["whole"])


@lru_cache(maxsize=1)
def wastes():
    """The `Waste` of each of `CHAIN`: how many times the people of the step before it a step needs.

    Each promises the exact risk of ten thousand people. Beyond 4^13 times as many a bound goes on by its last
    slope.
    """
    people = [10**4 * 4**k for k in range(14)]
    bounds = np.log([chain(book_of(n))[1:] for n in people]).T
    target, n, needed = math.log(book_of(10**4)["whole"].left), np.log(people), [math.log(10**4)]
    for bound in bounds:
        beyond = n[-1] + (bound[-1] - target) * (n[-1] - n[-2]) / (bound[-2] - bound[-1])
        needed.append(beyond if bound[-1] > target else np.interp(-target, -bound, n))
    return tuple(map(Waste, CHAIN, np.exp(np.diff(needed)).tolist()))


def parts(book, side):
    """Noise, sampling and blur, exact on the "left" side and bounded on the "right"; half of their cost."""
    return np.array([getattr(book[name], side) for name in ("noise", "Jensen", "bias")])


@view(SUM)
def one_record(added):
    """All moves of the sums of two cells by one record, and what noise of scale 1 / epsilon hides."""
    at, edge = moves(ADDED[added]), np.array([1.0, 0, -1, 0])
    marks = (polygon("hidden", edge, np.roll(edge, 1), "promise", label="hidden by noise of scale 1/ε"),
             rule("across", "truth", y=0, width=1), rule("up", "truth", x=0, width=1),
             dots("moves", at[:, 0], at[:, 1], "private", size=11, label="a change of one record"))
    unit, length = linear(-1.4, 1.4, 1), float(np.abs(at).sum(axis=1).max())
    axes = Axes("moves", unit, unit, f"one record changes two sums of {added}", "sum of her cell", "", marks,
                square=True)
    return Shown((axes,), f"One record replaced moves the two sums of {added} by {length:g} in all, at most.",
                 [("moves by at most", f"{length:g}"), ("noise scale", f"{length:g}/ε")])


def wasteful(axes, says, now, *numbers):
    """What the step of this number in `CHAIN` shows: what it compares, and what is wasted so far."""
    return Shown((axes, staircase(wastes(), now)), says,
                 [("times as many people", times(wastes()[now].factor)), *numbers])


@view(PEOPLE)
def plug_in(n):
    """The exact risk beside twice the three errors, stacked."""
    book = book_of(n)
    pieces, exact = 2 * parts(book, "left"), book["Theorem 2.7"]
    ends = np.cumsum(pieces)
    marks = (upright("exact", 0, exact.left, "private", label="exact excess risk"),
             *(upright(f"part {words}", 1, end, role, low=end - piece, label=f"2 × {words}")
               for words, piece, end, role in zip(PARTS, pieces, ends, ("noise", "one", "zero"))))
    axes = Axes("plug", side_by_side(("risk", "bound")), ticked(1.15 * ends[-1]),
                "wrong labels cost at most twice the error of the mean", "", "", marks, grid=False)
    return wasteful(axes, f"The excess risk is {short(exact.left)}; twice the three errors add up to "
                    f"{short(exact.right)}.", 0,
                    ("risk", short(book["whole"].left)), ("bound", short(exact.right)))


@view(PEOPLE)
def three_parts(n):
    """Noise, sampling and blur, exact and bounded."""
    book, at = book_of(n), np.arange(3.0)
    exact, bound = parts(book, "left"), parts(book, "right")
    marks = (bars("exact", at - 0.38, at, 0, exact, "private", label="exact"),
             bars("bound", at, at + 0.38, 0, bound, "bound", label="its bound"),
             text("numbers", at - 0.19, exact, [f"{value:.2g}" for value in exact], anchor="middle", dy=-10))
    axes = Axes("three", side_by_side(PARTS), ticked(1.2 * bound.max()),
                "three errors of the mean label of a cell", "", "", marks, grid=False)
    says = "; ".join(f"{words} {value:.3g}, at most {most:.3g}"
                     for words, value, most in zip(PARTS, exact, bound))
    return wasteful(axes, f"{says}.", 1, ("bound", f"{chain(book)[2]:.2g}"))


@view(PEOPLE)
def thin_cells(n):
    """How many people share a cell with somebody: thin cells are marked."""
    book = book_of(n)
    law, k, thin = book.params, book.params["k"], book["Lemma 3.3"]
    shares = np.array([law["share"], 1 - law["share"]])
    counts, chances = people_in_cell(n, shares * n**-0.5 / np.array([law["edge"], 1 - law["edge"]]))
    most = counts.max()
    ends = np.linspace(-0.5, most + 0.5, 61)
    held = np.histogram(counts.ravel(), ends, weights=(shares[:, None] * chances).ravel())[0]
    marks = (bars("people", ends[:-1], ends[1:], 0, held, "private", label="people"),
             rule("k", "bound", x=k, width=3, label=f"thin: {k} people or fewer"))
    axes = Axes("crowding", linear(-0.5, most + 0.5, round(most / 4, -1)), linear(0, 1.1 * held.max()),
                "how many people live in her cell?", "people in the cell", "", marks, grid=False)
    return Shown((axes, staircase(wastes(), 2)),
                 f"A share of {short(thin.left)} of the people has at most {k} people in the cell; the proof "
                 f"allows {short(thin.right)}.",
                 [("in thin cells", f"{thin.left:.2%}"), ("the proof allows", f"{thin.right:.2%}")])


@view(PEOPLE)
def full_cells_that_are_thin(n):
    """The chance that a full cell is thin, and Chebyshev's bound."""
    book = book_of(n)
    # Decimal logarithms: what no float can hold counts as 10^-308.
    ends = [math.log10(max(side, 1e-308)) for side in (book["heavy cells"].left, book["heavy cells"].right)]
    exact, bound = map(chance, ends)
    marks = (rule("one", "reference", y=0, width=1, label="1: always"),
             dots("exact", 0, ends[0], "private", size=18), dots("bound", 1, ends[1], "bound", size=18),
             text("chances", [0, 1], ends, [exact, bound], dx=14, dy=5))
    low = 1.25 * min(*ends, -5)
    axes = Axes("chebyshev", side_by_side(("exact", "Chebyshev")), decades(low, 0.1 * -low),
                "chance that a full cell is thin", "", "", marks)
    return wasteful(axes, f"A full cell is thin with chance {exact}; Chebyshev's inequality says {bound}.", 3,
                    ("bound", f"{chain(book)[4]:.2g}"))


@lru_cache(maxsize=16)
def falls(epsilon):
    """Exact risk and bound at each of `PEOPLE`, (2, m)."""
    return np.array([chain(book_of(n, epsilon)) for n in PEOPLE.values]).T[[0, -1]]


@view(BUDGET)
def tends_to_zero(epsilon):
    """Exact risk and bound against the number of people: both fall."""
    exact, bound = falls(epsilon)
    marks = (line("exact", PEOPLE.values, np.maximum(exact, 1e-18), "private", width=4, label="exact risk"),
             line("bound", PEOPLE.values, bound, "bound", width=4, label="the bound"))
    axes = Axes("tends", log(8e3, 4e6), log(1e-12, 10, every=3), "more and more people", "people n", "",
                marks)
    return Shown((axes,), f"From 10,000 to 2,560,000 people the bound falls from {bound[0]:.3g} to "
                 f"{bound[-1]:.3g}, the exact risk from {short(exact[0])} to {short(exact[-1])}.",
                 [("bound at 2,560,000", f"{bound[-1]:.2g}"), ("at 10,000", f"{bound[0]:.2f}")])


@view(PEOPLE, BUDGET)
def whole_chain(n, epsilon):
    """The chain from the exact risk to the bound."""
    exact, *_, bound = found = chain(book_of(n, epsilon))
    values, (rows, down) = np.maximum(found, 1e-18), listed(("exact risk", *CHAIN))
    low, high = 10.0 ** math.floor(math.log10(values.min()) - 1), 200 * max(1.0, values.max())
    marks = (lying("chain", values, rows, "private", low=low),
             rule("one", "bound", x=1, width=3, label="1: the bound says nothing"),
             text("values", values, rows, [short(value) for value in values], dx=6))
    across = log(low, high, power_of_ten, every=max(1, round(math.log10(high / low) / 5)))
    axes = Axes("chain", across, down, "from the exact excess risk to the bound", "excess risk", "", marks,
                grid=False, wide=1.1)
    return Shown((axes, staircase(wastes())), f"With {short(n)} people the exact excess risk is "
                 f"{short(exact)}, and the bound {bound:.3g}: {short(bound / max(exact, 1e-300))} times as "
                 "much.",
                 [("bound", f"{bound:.3g}"), ("exact risk", short(exact)),
                  ("people, for the risk of ten thousand", times(total(wastes())))])


STORY = Story("proof_bayes", "Votes of a curator are consistent", size=(10.0, 5.2), scenes=(
    Scene("one record", "With y − ½ one record moves two sums by at most 1 together, the diamond's edge: "
          "noise hides it. With y by 2.", one_record, {}, ("added",),
          formula=mathml('sum_{"cells"} | "change of " sum (y - frac{1}{2}) | <= 1')),
    Scene("plug in", "A wrong label costs at most twice the error of the cell's noisy mean η′. It has three "
          "parts.", plug_in,
          formula=mathml('"excess risk" <= 2 E | eta - eta\' | <= 2 ( "noise" + "sampling" + "blur" )')),
    Scene("three parts", "Noise: one draw, shared by N people. Sampling: N labels. Blur: the truth moves in "
          "the cell; here only at walls, so 0.", three_parts,
          formula=mathml('E[ frac{1}{epsilon N} ] + frac{1}{2} E[ frac{1}{sqrt{N}} ] + "blur"')),
    Scene("thin cells", "Noise and sampling need people in the cell. The proof gives up cells of at most k "
          "people, and takes N = k elsewhere.", thin_cells,
          formula=mathml('"sampling" <= frac{1}{2} P(N <= k) + frac{1}{2 sqrt{k}} + P(N = 0)')),
    Scene("Chebyshev", "A full cell is hardly ever thin. Chebyshev's inequality does not know how rarely.",
          full_cells_that_are_thin, formula=mathml('P(N <= k) <= frac{2 k + 4}{n} × "cells"')),
    Scene("tends to 0", "k grows slower than √n: noise and sampling vanish. Blur vanishes for every law: up "
          "to a small error, every truth is continuous.", tends_to_zero, formula=mathml(
              'k -> ∞ ","  "number of cells" = sqrt{n} ","  "  " frac{(2 k + 4) sqrt{n}}{n} -> 0')),
    Scene("explore", "The whole chain. A step's factor on paper is not its factor in people.", whole_chain),
))

"""The proof of Theorem 2.4 (Berrett & Butucea), one step at a time: its ledger, drawn."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.lessons.pictures import listed, lying, upright
from ldp_lib.lessons.steps import DIMENSION, SMOOTHNESS, Waste, decades, mathml, step, ticked, total
from ldp_lib.lessons.upper_rate.ledger import CHAIN
from ldp_lib.lessons.upper_rate.numbers import waterfall
from ldp_lib.nature.holder import TwoBoxes
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.hypercube import largest_bumps, wide_risk
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.stage import Control, Scene, Shown, Story, log_steps, powers_of_two, view
from ldp_lib.stage.picture import Axes, band, bars, dots, line, linear, log, rule, short, text
from ldp_lib.theory import ledger, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.upper import sharp_bounds

ONE = (Control("n", "people", "n", log_steps(10_000, 10**10, 2), 10**6, short, "people in all"),
       Control("alpha", "privacy", "α", powers_of_two(-6, 0, 2), 1.0, "{:.3g}", "nats; at most 1"))
MARGIN = Control("gamma", "margin", "γ", (0.0, 0.5, 1.0), 1.0, "{:g}", "few people near η = 1/2")

LAW = TwoBoxes(1.0, 1.0, 1, 0.5)
"""The subject of the ledger at beta = gamma = d = L = 1: X is uniform and eta(x) = x."""
STEPS = {"give up 0": CHAIN[:1], "round up": CHAIN[1:2], "tail lid": CHAIN[2:3], "low bar": CHAIN[3:6],
         "crowd": CHAIN[6:7], "far shells": CHAIN[7:]}
"""Steps of the story and the links of the ledger's chain that they draw."""
ROLES = ("wrong", "one", "zero", "promise_open", "nothing")
"""Of shells 0, 1, 2, ..."""
MULTIPLES = np.geomspace(0.25, 8, 21)
"""Bandwidths, in multiples of the theorem's."""
NONE_LEFT = 1e-6
"""Terms of the sum over shells that are smaller are not drawn."""



@lru_cache(maxsize=512)
def book_of(n, alpha, beta=1.0, gamma=1.0, d=1):
    """The ledger; a gamma beyond d / beta, where the theorem ends, is replaced by d / beta."""
    return ledger("2.4", n=n, alpha=alpha, beta=beta, gamma=min(gamma, d / beta), d=d)


@lru_cache(maxsize=512)
def costs(n, alpha):
    """`LAW` cut at the borders of cells and shells, and what a person costs in each piece, the density of the
    excess risk: places (m + 1,); the shells 0, 1, ... of the pieces (m,); and the cost at the left and the
    right end of each piece after no step, after the first, ... and after "low bar", (5, m, 2).
    """
    book, half, h = book_of(n, alpha), n // 2, theorem_bandwidth(n, alpha, 1.0, 1)
    mechanism, lam = CubeLaplace(alpha, h, 1, "real"), 2 * h
    steps = lam * 2.0 ** np.arange(1, max(1, math.ceil(math.log2(0.5 / lam))) + 1)
    borders = (np.arange(mechanism.K) + 0.5) * h
    ends = np.unique(np.clip(np.concatenate([[0, 0.5, 1], borders, 0.5 - steps, 0.5 + steps]), 0, 1))
    middle = (ends[:-1] + ends[1:]) / 2
    cell = np.minimum(np.rint(middle / h).astype(int), mechanism.K - 1)
    cube, ones = LAW.cell_masses(*mechanism.boxes()[0])
    zero, one = (side[cell] for side in cube_sign_probabilities(half, cube, ones, mechanism.scale))
    side = np.sign(middle - 0.5)
    mean, cube = side * (ones - cube / 2)[cell], cube[cell]
    shell = np.maximum(0, np.ceil(np.log2(np.abs(middle - 0.5) / lam)).astype(int) - 1)
    edge, ball, rate = lam * 2.0**shell, book["ball"].left, half * alpha**2 / 2**8
    errors = [np.where(side > 0, zero, one)] + [
        np.exp(-rate * np.maximum(score, 0) ** 2) for score in (mean, ball / 4 * edge)]
    wrong, lid, low = (np.where(shell > 0, error, 1.0)[:, None] for error in errors)
    value = np.abs(2 * np.column_stack([ends[:-1], ends[1:]]) - 1)
    top = np.repeat(4 * edge, 2).reshape(-1, 2)
    exact = value * errors[0][:, None]
    return ends, shell, np.stack([exact, value * wrong, top * wrong, top * lid, top * low])


def sides(book, word):
    """What a step of the story makes larger, before and after: the two ends of its links in the ledger."""
    return book[STEPS[word][0]].left, book[STEPS[word][-1]].right


def wastes(book):
    """The `Waste` of every step of the story."""
    people = {name: factor for name, _, factor in waterfall(book)}
    return tuple(Waste(word, math.prod(people[name] for name in names)) for word, names in STEPS.items())


@view(*ONE)
def shells(n, alpha):
    """Eta, coloured by shells."""
    (x, shell, _), h = costs(n, alpha), theorem_bandwidth(n, alpha, 1.0, 1)
    lam, top = 2 * h, int(shell.max())
    marks = (*(bars(f"shell {j}", x[:-1][shell == j], x[1:][shell == j], -0.5, 0.5,
                    ROLES[min(j, len(ROLES) - 1)], label=f"shell {j}" if j < len(ROLES) else "")
               for j in range(top + 1)),
             rule("half", "truth", y=0, width=1),
             line("eta", [0, 1], [-0.5, 0.5], "truth", width=4, label="η − 1/2"))
    edges = [2 * lam * 2**j for j in range(top)][:3]
    words = [f"{2 ** (j + 1)}Λ" for j in range(len(edges))]
    axes = Axes("shells", linear(0, 1, 0.25), linear(-0.5, 0.5, ticks=[0, *edges], words=["0", *words]),
                "shells: how far η is from one half", "feature x", "", marks, grid=False)
    shares = [f"{np.diff(x)[shell == j].sum():.0%}" for j in range(min(4, top + 1))]
    return Shown((axes,), f"With {short(n)} people shells 0, 1, ... hold these shares of them: "
                 f"{', '.join(shares)}.",
                 [("in shell 0", shares[0]), ("Λ", f"{lam:.3g}"), ("bandwidth h", f"{h:.3g}")])


def costs_more(word, before, after):
    """The view of a step that makes what a person costs larger: `before` and `after` it, in words.

    The areas are the sides of the ledger.
    """
    k = list(STEPS).index(word)

    @view(*ONE)
    def cost(n, alpha):
        """What a person costs before and after the step."""
        (ends, _, found), book = costs(n, alpha), book_of(n, alpha)
        (least, most), x = sides(book, word), np.repeat(ends, 2)[1:-1]
        low, high = found[k].ravel(), found[k + 1].ravel()
        marks = (band("before", x, 0, low, "private", label=f"{before}: {short(least)}"),
                 line("after", x, high, "bound", width=3, label=f"{after}: {short(most)}"))
        axes = Axes("cost", linear(0, 1, 0.25), ticked(1.1 * max(high.max(), low.max())),
                    "what a person at x costs; the area is the risk", "feature x", "", marks, grid=False,
                    wide=1.2)
        grows = (f"grows from {short(least)} to {short(most)}" if short(least) != short(most) else
                 f"stays at {short(least)}, to three digits")
        return step((axes,), f"The area, which stands for the excess risk, {grows}.", wastes(book), k)

    return cost


@lru_cache(maxsize=512)
def by_shell(n, alpha):
    """What shells 0, 1, ... cost after "low bar" and after "crowd", (k,) and (m,).

    The first with the people of the law, who are where shells begin below 1/2; the second with as many as the
    class allows, in all shells of the printed bound.
    """
    (ends, shell, _), book = costs(n, alpha), book_of(n, alpha)
    edge = 2 * theorem_bandwidth(n, alpha, 1.0, 1) * 2.0 ** np.arange(60)
    error = np.exp(-(n // 2) * alpha**2 / 2**8 * (book["ball"].left / 4 * edge) ** 2)
    error[0] = 1.0
    begun = max(1, int((edge < 0.5).sum()))
    people = np.array([np.diff(ends)[shell == j].sum() for j in range(begun)])
    most = 4 * edge * book.params["C0"] * 2 * edge * error
    shown = most > NONE_LEFT
    return 4 * edge[:begun] * people * error[:begun], most[:begun + (~shown[begun:]).argmax()]


@view(*ONE)
def crowd(n, alpha):
    """The cost of the shells that can have people."""
    (law, most), book = by_shell(n, alpha), book_of(n, alpha)
    count = len(law)
    at, most = np.arange(count), most[:count]
    marks = (bars("before", at - 0.38, at, 0, law, "private", label="people of this law"),
             bars("after", at, at + 0.38, 0, most, "bound", label="as many as the class allows"))
    axes = Axes("crowd", linear(-0.6, count - 0.4, ticks=at, words=at.tolist()), ticked(1.15 * most.max()),
                "what each shell adds to the bound", "shell j", "", marks, grid=False, wide=1.2)
    least, allowed = (short(side) for side in sides(book, "crowd"))
    return step((axes,), f"With the people of this law the shells add up to {least}; the class allows "
                f"{allowed}.", wastes(book), 4)


@view(*ONE)
def far_shells(n, alpha):
    """The cost of all shells of the printed bound."""
    (law, most), book = by_shell(n, alpha), book_of(n, alpha)
    at, high = np.arange(len(most)), np.log10(most)
    low = math.floor(high.min())
    marks = tuple(upright(key, at[here], high[here], role, wide=0.76, low=low, label=words)
                  for key, here, role, words in (
                      ("inside", slice(0, len(law)), "private", "shells that can have people"),
                      ("beyond", slice(len(law), None), "bound", "|η − 1/2| would be above 1/2: nobody")))
    axes = Axes("far", linear(-0.6, len(at) - 0.4, ticks=at, words=at.tolist()),
                decades(low, high.max() + 0.5), "what each shell adds to the printed bound", "shell j", "",
                marks, grid=False, wide=1.2)
    least, printed = (short(side) for side in sides(book, "far shells"))
    return step((axes,), f"Shells that can have people add {least}; all shells {printed}. The largest is "
                f"shell {most.argmax()}.", wastes(book), 5)


@lru_cache(maxsize=128)
def bounds(n, alpha):
    """At `MULTIPLES`: the printed bound, not cut at 1, and the same shells with exact tails."""
    h, theta = theorem_bandwidth(n, alpha, 1.0, 1), checked_theta(1.0, 1.0, 1)
    printed = [upper_bound(n, alpha, 1.0, 1.0, 1, kind="printed", h=h * multiple).parts["untruncated"]
               for multiple in MULTIPLES.tolist()]
    return np.array(printed), sharp_bounds(np.full(len(MULTIPLES), n), alpha, theta, h * MULTIPLES)


@view(*ONE)
def choice(n, alpha):
    """Both bounds against the bandwidth."""
    printed, sharp = bounds(n, alpha)
    best, lowest = int(sharp.argmin()), int(printed.argmin())
    here = int(np.abs(np.log(MULTIPLES)).argmin())
    low, high = 10.0 ** math.floor(math.log10(sharp.min())), 10.0 ** math.ceil(math.log10(printed.max()))
    marks = (bars("nothing", 0.2, 10, 1, high, "nothing", label="above 1: says nothing"),
             rule("theorem", "reference", x=1.0, width=2, label="the theorem's h"),
             line("printed", MULTIPLES, printed, "bound", width=3, label="printed bound"),
             line("sharp", MULTIPLES, sharp, "private", width=4, label="with exact chances"),
             dots("best", MULTIPLES[best], sharp[best], "private", size=15))
    axes = Axes("choice", log(0.2, 10, "{:g}", ticks=(0.25, 0.5, 1, 2, 4, 8)), log(low, high),
                "the bounds for every h", "h, in multiples of the theorem's", "", marks)
    return Shown((axes,), f"In this range the printed bound is least at {MULTIPLES[lowest]:.2g} times the "
                 f"theorem's h: {short(float(printed[lowest]))}. With exact chances the least is "
                 f"{short(float(sharp[best]))}, at {MULTIPLES[best]:.2g} times.",
                 [("with exact chances", short(float(sharp[here]))), ("printed", short(float(printed[here]))),
                  ("h", f"{theorem_bandwidth(n, alpha, 1.0, 1):.3g}")])


@lru_cache(maxsize=1)
def rungs():
    """What can be said about a million people at alpha = beta = gamma = d = 1: name -> value."""
    here = (10**6, 1.0, 1.0, 1.0, 1)
    thin = upper_bound(*here, kind="fine")
    bumps = np.arange(1, int(0.25 / thin.h) + 1)
    return {
        "printed": upper_bound(*here, kind="printed").parts["untruncated"],
        "exact tail": upper_bound(*here, kind="sharp", h=theorem_bandwidth(*here[:3], 1)).value,
        "best h": upper_bound(*here, kind="sharp").value,
        "thin shells": thin.value,
        "exact": float(wide_risk(here[0], 1.0, bumps, largest_bumps(bumps * thin.h, 1.0, 1.0, 1), 1).max()),
        "lower": lower_bound(*here).value,
    }


@view()
def ladder():
    """The rungs as bars, from the printed bound down."""
    said, ends = {name: short(float(value)) for name, value in rungs().items()}, np.log10([*rungs().values()])
    (rows, down), low, high = listed([*said]), -4.6, 4.2
    marks = (bars("nothing", 0, high, down.low, down.high, "nothing", label="above 1: says nothing"),
             *(lying(key, ends[here], rows[here], role, low=low, label=words) for key, here, role, words in (
                 ("bounds", slice(0, 4), "bound", "upper bounds"),
                 ("exact", slice(4, 5), "private", "the rule on one law"),
                 ("lower", slice(5, 6), "other", "lower bound, any private rule"))),
             text("words", ends, rows, said.values(), dx=6))
    axes = Axes("ladder", decades(low, high, 9), down, "excess risk of 1,000,000 people", "", "", marks,
                grid=False)
    return Shown((axes,), "With a million people: " + ", ".join(map(" ".join, said.items())) + ".",
                 [("best upper bound", said["thin shells"]), ("exact", said["exact"]),
                  ("lower bound", said["lower"])])


@view(*ONE, SMOOTHNESS, MARGIN, DIMENSION)
def whole_chain(n, alpha, beta, gamma, d):
    """The exact risk, and what stands for it after each link of the ledger's chain."""
    book = book_of(n, alpha, beta, gamma, d)
    links = tuple(Waste(name, factor) for name, _, factor in waterfall(book))
    values = np.log10([book[CHAIN[0]].left, *(book[name].right for name in CHAIN)])
    rows, down = listed(("exact", *CHAIN))
    low, high = math.floor(values.min()) - 0.5, max(1.0, values.max() + 0.2)
    marks = (bars("nothing", 0, high, down.low, down.high, "nothing", label="above 1: says nothing"),
             lying("exact", values[0], rows[0], "private", low=low, label="exact risk"),
             lying("bounds", values[1:], rows[1:], "bound", low=low, label="what stands for it"))
    axes = Axes("stages", decades(low, high), down, "excess risk, after each line of the proof", "", "",
                marks, grid=False)
    largest = max(links, key=lambda link: link.factor)
    return step((axes,), f"The exact risk is {short(book['whole'].left)}, the printed bound "
                f"{short(book['whole'].right)}: {short(total(links))} times as many people. The largest step "
                f"is {largest.word!r}, {short(largest.factor)}.", links)


STORY = Story("proof_upper_rate", "The proof of Theorem 2.4", size=(10.0, 5.2), scenes=(
    Scene("shells", "Shells sort people by how far η is from one half. Shell 0 is the nearest.",
          shells, formula=mathml(
              '"shell " j >= 1 ":   " 2^j Lam < | eta(x) - frac{1}{2} | <= 2^{j+1} Lam "," "  " '
              "Lam = L (2 h sqrt{d})^beta")),
    Scene("give up shell 0", "In shell 0 the proof gives up: it counts every label there as wrong.",
          costs_more("give up 0", "exact", "after giving up shell 0"),
          formula=mathml('"risk" <= E[ | 2 eta(X) - 1 | "; shell 0"] + "risk in the other shells"')),
    Scene("round up", "A mistake in a shell now costs as much as the most expensive mistake there.",
          costs_more("round up", "before", "rounded up to the shell's edge"),
          formula=mathml('| 2 eta(x) - 1 | <= 2^{j+2} Lam " in shell " j')),
    Scene("tail lid", "Outside shell 0 mistakes are rare. The proof takes a lid for their chance.",
          costs_more("tail lid", "exact chance of an error", "its lid"),
          formula=mathml('P("wrong side") <= exp(- frac{n\' alpha^2 (E T)^2}{2^{2d+6}})')),
    Scene("low bar", "The true bar is unknown. The proof takes the lowest bar that the class allows.",
          costs_more("low bar", "the lid at the true bar", "the lid at the lowest bar"), formula=mathml(
              "| E T | >= c_0 mu V (frac{h}{2})^d (2^j - 1) Lam >= "
              "c_0 mu min(1, V) (frac{h}{2})^d 2^{j - 1} Lam")),
    Scene("crowd", "How many people are in a shell? The proof takes as many as the class allows.",
          crowd, formula=mathml('P("shell " j) <= C_0 (2^{j+1} Lam)^gamma')),
    Scene("far shells", "The printed sum runs over shells where nobody can be. This wastes the most.",
          far_shells, formula=mathml(
              "A = (2 sqrt{d})^{beta (1 + gamma)} 2^{gamma + 2} (1 + "
              "sum_{j >= 1} 2^{j (1 + gamma)} exp(- kappa 4^j))")),
    Scene("choose h", "With 100 million people, cubes 2.8 times as wide halve the bound with exact chances.",
          choice, {"n": 10**8}, formula=mathml("h = (n' alpha^2 L^2 mu^2)^{-1 / (2d + 2 beta)}")),
    Scene("ladder", "One million people. The printed bound says nothing. Better counting helps. A gap "
          "stays.", ladder, formula=mathml(
              '"excess risk" <= A C_0 {(frac{L^d}{(n\' alpha^2 mu^2)^{beta/2}})}'
              "^{(1 + gamma)/(d + beta)}")),
    Scene("explore", "The whole chain, line by line, from the exact risk of one law to the printed bound.",
          whole_chain, {"n": 10**6}),
))

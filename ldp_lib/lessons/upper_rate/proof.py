"""The proof of Theorem 2.4 (Berrett & Butucea), one step at a time: its ledger, drawn."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.steps import Waste, decades, mathml, step_view, total
from ldp_lib.lessons.upper_rate.ledger import CHAIN, waterfall
from ldp_lib.nature.holder import TwoBoxes
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.hypercube import largest_bumps, wide_risk
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import Axes, band, bars, dots, line, linear, log, rule, short, text
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import ledger, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.upper import sharp_bounds

PEOPLE = Control("n", "people", "n", log_steps(10_000, 10**10, 2), 10**6, short, "people in all")
BUDGET = Control("alpha", "privacy", "α", powers_of_two(-6, 0, 2), 1.0, "{:.3g}", "nats; at most 1")
CLASS = (
    Control("beta", "smoothness", "β", (0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η"),
    Control("gamma", "margin", "γ", (0.0, 0.5, 1.0), 1.0, "{:g}", "few people near η = 1/2"),
    Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features"),
)
ONE = (PEOPLE, BUDGET)

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


class Costs(NamedTuple):
    """The law cut at the borders of cells and shells, and what a person costs in each piece."""

    book: Ledger
    ends: np.ndarray
    """Places (m + 1,)."""
    shell: np.ndarray
    """0, 1, ..., of the pieces (m,)."""
    costs: np.ndarray
    """Cost of a person at the left and the right end of each piece, after no step, after the first, ... and
    after "low bar", (5, m, 2)."""


@lru_cache(maxsize=512)
def book_of(n, alpha, beta=1.0, gamma=1.0, d=1):
    """The ledger; a gamma beyond d / beta, where the theorem ends, is replaced by d / beta."""
    return ledger("2.4", n=n, alpha=alpha, beta=beta, gamma=min(gamma, d / beta), d=d)


@lru_cache(maxsize=512)
def costs(n, alpha):
    """The `Costs` on `LAW`: the density of the excess risk, and of what stands for it after each step."""
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
    return Costs(book, ends, shell, np.stack([exact, value * wrong, top * wrong, top * lid, top * low]))


def sides(book, word):
    """What a step of the story makes larger, before and after: the two ends of its links in the ledger."""
    return book[STEPS[word][0]].left, book[STEPS[word][-1]].right


def wastes(result):
    """The `Waste` of every step of the story."""
    people = {name: factor for name, _, factor in waterfall(result.book)}
    return tuple(Waste(word, math.prod(people[name] for name in names)) for word, names in STEPS.items())


def places(result):
    """The ends of the pieces, each twice, (2 m,)."""
    return np.repeat(result.ends, 2)[1:-1]


def shells(result):
    """The `Axes` of eta, coloured by shells."""
    x, lam = result.ends, 2 * theorem_bandwidth(result.n, result.alpha, 1.0, 1)
    marks, top = [], int(result.shell.max())
    for j in range(top + 1):
        here = result.shell == j
        half = np.full(here.sum(), 0.5)
        marks.append(bars(f"shell {j}", x[:-1][here], x[1:][here], -half, half, ROLES[min(j, len(ROLES) - 1)],
                          label=f"shell {j}" if j < len(ROLES) else ""))
    marks += [rule("half", "truth", y=0, width=1),
              line("eta", [0, 1], [-0.5, 0.5], "truth", width=4, label="η − 1/2")]
    edges = [2 * lam * 2**j for j in range(top)][:3]
    words = [f"{2 ** (j + 1)}Λ" for j in range(len(edges))]
    return Axes("shells", linear(0, 1, 0.25), linear(-0.5, 0.5, ticks=[0, *edges], words=["0", *words]),
                "shells: how far η is from one half", "feature x", "", tuple(marks), grid=False)


def shells_said(result):
    """Who is in which shell."""
    widths = np.diff(result.ends)
    shares = [f"{widths[result.shell == j].sum():.0%}" for j in range(min(4, result.shell.max() + 1))]
    return f"With {short(result.n)} people shells 0, 1, ... hold these shares of them: {', '.join(shares)}."


def shells_numbers(result):
    """The unit of the shells."""
    lam = 2 * theorem_bandwidth(result.n, result.alpha, 1.0, 1)
    share = np.diff(result.ends)[result.shell == 0].sum()
    return [("in shell 0", f"{share:.0%}"), ("Λ", f"{lam:.3g}"), ("bandwidth h", f"{lam / 2:.3g}")]


SEEN = {"give up 0": ("exact", "after giving up shell 0"),
        "round up": ("before", "rounded up to the shell's edge"),
        "tail lid": ("exact chance of an error", "its lid"),
        "low bar": ("the lid at the true bar", "the lid at the lowest bar")}
"""What stands before and after a step."""


def cost_axes(result, word):
    """The `Axes` of what a person costs before and after a step; the areas are the sides of the ledger."""
    k = list(STEPS).index(word)
    before, after = result.costs[k].ravel(), result.costs[k + 1].ravel()
    x, (least, most) = places(result), sides(result.book, word)
    first, second = SEEN[word]
    marks = (band("before", x, np.zeros(len(x)), before, "private", label=f"{first}: {short(least)}"),
             line("after", x, after, "bound", width=3, label=f"{second}: {short(most)}"))
    top = 1.1 * max(after.max(), before.max())
    return Axes("cost", linear(0, 1, 0.25), linear(0, top, _step(top)),
                "what a person at x costs; the area is the risk", "feature x", "", marks, grid=False,
                wide=1.2)


def cost_views(word):
    """The view of a step that makes a person's cost larger."""
    def compared(result):
        return cost_axes(result, word)

    def said(result):
        least, most = sides(result.book, word)
        return f"The area, which stands for the excess risk, grows from {short(least)} to {short(most)}."

    return step_view(ONE, costs, compared, said, wastes, list(STEPS).index(word))


class Shells(NamedTuple):
    """What shells cost, j = 0, 1, ...; the later ones reach beyond |eta - 1/2| = 1/2, where nobody is."""

    book: Ledger
    people: np.ndarray
    """Of the law, (k,): the shells that begin below 1/2."""
    law: np.ndarray
    """Their cost with these people, (k,)."""
    most: np.ndarray
    """The cost with as many people as the class allows, (m,)."""


@lru_cache(maxsize=512)
def by_shell(n, alpha):
    """The `Shells` after "low bar" and after "crowd", and all shells of the printed bound."""
    parts, lam = costs(n, alpha), 2 * theorem_bandwidth(n, alpha, 1.0, 1)
    edge = lam * 2.0 ** np.arange(60)
    error = np.exp(-n // 2 * alpha**2 / 2**8 * (parts.book["ball"].left / 4 * edge) ** 2)
    error[0] = 1.0
    widths = np.diff(parts.ends)
    begun = max(1, int((edge < 0.5).sum()))
    people = np.array([widths[parts.shell == j].sum() for j in range(begun)])
    most = 4 * edge * parts.book.params["C0"] * 2 * edge * error
    shown = most > NONE_LEFT
    return Shells(parts.book, people, 4 * edge[:begun] * people * error[:begun],
                  most[:begun + (~shown[begun:]).argmax()])


def crowd(result):
    """The `Axes` of the cost of the shells that can have people."""
    count = len(result.people)
    shown = slice(0, count)
    at = np.arange(count)
    marks = (bars("before", at - 0.38, at, np.zeros(count), result.law, "private",
                  label="people of this law"),
             bars("after", at, at + 0.38, np.zeros(count), result.most[shown], "bound",
                  label="as many as the class allows"))
    top = 1.15 * result.most[shown].max()
    return Axes("crowd", linear(-0.6, count - 0.4, ticks=at, words=at.tolist()), linear(0, top, _step(top)),
                "what each shell adds to the bound", "shell j", "", marks, grid=False, wide=1.2)


def _step(top):
    """A round distance of three to six ticks up to `top`."""
    unit = 10.0 ** math.floor(math.log10(top / 3))
    return next(unit * k for k in (1, 2, 5, 10) if top / (unit * k) <= 6)


def crowd_said(result):
    """The two sums."""
    least, most = sides(result.book, "crowd")
    return f"With the people of this law the shells add up to {short(least)}; the class allows {short(most)}."


def far(result):
    """The `Axes` of the cost of all shells of the printed bound."""
    at, count = np.arange(len(result.most)), len(result.people)
    high = np.log10(result.most)
    low = math.floor(high.min())
    marks = [bars(key, at[here] - 0.38, at[here] + 0.38, np.full(len(at[here]), low), high[here], role,
                  label=words)
             for key, here, role, words in (
                 ("inside", slice(0, count), "private", "shells that can have people"),
                 ("beyond", slice(count, None), "bound", "|η − 1/2| would be above 1/2: nobody"))]
    return Axes("far", linear(-0.6, len(at) - 0.4, ticks=at, words=at.tolist()),
                decades(low, high.max() + 0.5),
                "what each shell adds to the printed bound", "shell j", "", tuple(marks), grid=False,
                wide=1.2)


def far_said(result):
    """The two sums, and the largest term."""
    least, most = sides(result.book, "far shells")
    return (f"Shells that can have people add {short(least)}; all shells {short(most)}. The largest is shell "
            f"{int(result.most.argmax())}.")


class Widths(NamedTuple):
    """Bounds against the bandwidth, at `MULTIPLES` of the theorem's."""

    h: float
    printed: np.ndarray
    sharp: np.ndarray


@lru_cache(maxsize=128)
def widths(n, alpha):
    """The `Widths`: the printed bound, not cut at 1, and the same shells with exact tails."""
    h, theta = theorem_bandwidth(n, alpha, 1.0, 1), checked_theta(1.0, 1.0, 1)
    printed = [upper_bound(n, alpha, 1.0, 1.0, 1, kind="printed", h=h * multiple).parts["untruncated"]
               for multiple in MULTIPLES.tolist()]
    return Widths(h, np.array(printed), sharp_bounds(np.full(len(MULTIPLES), n), alpha, theta, h * MULTIPLES))


def choice(result):
    """The `Axes` of both bounds against the bandwidth."""
    best = int(result.sharp.argmin())
    low = 10.0 ** math.floor(math.log10(result.sharp.min()))
    high = 10.0 ** math.ceil(math.log10(result.printed.max()))
    marks = (bars("nothing", [0.2], [10], [1], [high], "nothing", label="above 1: says nothing"),
             rule("theorem", "reference", x=[1.0], width=2, label="the theorem's h"),
             line("printed", MULTIPLES, result.printed, "bound", width=3, label="printed bound"),
             line("sharp", MULTIPLES, result.sharp, "private", width=4, label="with exact chances"),
             dots("best", MULTIPLES[[best]], result.sharp[[best]], "private", size=15))
    return Axes("choice", log(0.2, 10, "{:g}", ticks=(0.25, 0.5, 1, 2, 4, 8)), log(low, high),
                "the bounds for every h", "h, in multiples of the theorem's", "", marks)


def choice_said(result):
    """The best bandwidths."""
    printed, sharp = int(result.printed.argmin()), int(result.sharp.argmin())
    return (f"In this range the printed bound is least at {MULTIPLES[printed]:.2g} times the theorem's h: "
            f"{short(float(result.printed[printed]))}. With exact chances the least is "
            f"{short(float(result.sharp[sharp]))}, at {MULTIPLES[sharp]:.2g} times.")


def choice_numbers(result):
    """Both bounds at the theorem's h."""
    here = int(np.abs(np.log(MULTIPLES)).argmin())
    return [("with exact chances", short(float(result.sharp[here]))),
            ("printed", short(float(result.printed[here]))), ("h", f"{result.h:.3g}")]


class Ladder(NamedTuple):
    """What can be said about a million people: names and values, from the printed bound down."""

    rungs: tuple
    values: np.ndarray


@lru_cache(maxsize=1)
def ladder():
    """The `Ladder` of the class with beta = gamma = d = 1 at alpha = 1."""
    here = (10**6, 1.0, 1.0, 1.0, 1)
    thin = upper_bound(*here, kind="fine")
    bumps = np.arange(1, int(0.25 / thin.h) + 1)
    rungs = {
        "printed": upper_bound(*here, kind="printed").parts["untruncated"],
        "exact tail": upper_bound(*here, kind="sharp", h=theorem_bandwidth(*here[:3], 1)).value,
        "best h": upper_bound(*here, kind="sharp").value,
        "thin shells": thin.value,
        "exact": float(wide_risk(here[0], 1.0, bumps, largest_bumps(bumps * thin.h, 1.0, 1.0, 1), 1).max()),
        "lower": lower_bound(*here).value,
    }
    return Ladder(tuple(rungs), np.array(list(rungs.values())))


def rungs(result):
    """The `Axes` of the ladder."""
    count, ends = len(result.rungs), np.log10(result.values)
    rows, low, high = np.arange(count, 0, -1.0), -4.6, 4.2
    marks = [bars("nothing", [0], [high], [0.4], [count + 0.6], "nothing", label="above 1: says nothing")]
    for key, here, role, words in (("bounds", slice(0, 4), "bound", "upper bounds"),
                                   ("exact", slice(4, 5), "private", "the rule on one law"),
                                   ("lower", slice(5, 6), "other", "lower bound, any private rule")):
        marks.append(bars(key, np.full(len(ends[here]), low), ends[here], rows[here] - 0.3, rows[here] + 0.3,
                          role, label=words))
    marks.append(text("words", ends, rows, [short(float(value)) for value in result.values], dx=6))
    return Axes("ladder", decades(low, high, 9), linear(0.4, count + 0.6, ticks=rows[::-1],
                                                         words=result.rungs[::-1]),
                "excess risk of 1,000,000 people", "", "", tuple(marks), grid=False)


def rungs_said(result):
    """All rungs."""
    return "With a million people: " + ", ".join(
        f"{name} {short(float(value))}" for name, value in zip(result.rungs, result.values)) + "."


def rungs_numbers(result):
    """The ends."""
    values = dict(zip(result.rungs, result.values))
    return [(words, short(float(values[name]))) for words, name in (
        ("best upper bound", "thin shells"), ("exact", "exact"), ("lower bound", "lower"))]


class Whole(NamedTuple):
    """The ledger."""

    book: Ledger


def whole(n, alpha, beta, gamma, d):
    """The `Whole` proof."""
    return Whole(book_of(n, alpha, beta, gamma, d))


def links(result):
    """The `Waste` of every link of the ledger's chain."""
    return tuple(Waste(name, factor) for name, _, factor in waterfall(result.book))


def stages(result):
    """The `Axes` of the exact risk and of what stands for it after each link."""
    values = np.log10([result.book[CHAIN[0]].left, *(result.book[name].right for name in CHAIN)])
    rows = np.arange(len(values), 0, -1.0)
    low = math.floor(values.min()) - 0.5
    high = max(1.0, values.max() + 0.2)
    marks = (bars("nothing", [0], [high], [0.4], [len(values) + 0.6], "nothing",
                  label="above 1: says nothing"),
             bars("exact", [low], values[:1], rows[:1] - 0.3, rows[:1] + 0.3, "private", label="exact risk"),
             bars("bounds", np.full(len(CHAIN), low), values[1:], rows[1:] - 0.3, rows[1:] + 0.3, "bound",
                  label="what stands for it"))
    words = ("exact", *CHAIN)
    return Axes("stages", decades(low, high),
                linear(0.4, len(values) + 0.6, ticks=rows[::-1], words=words[::-1]),
                "excess risk, after each line of the proof", "", "", marks, grid=False)


def stages_said(result):
    """The ends of the chain, and its largest step."""
    book, steps = result.book, links(result)
    largest = max(steps, key=lambda step: step.factor)
    return (f"The exact risk is {short(book['whole'].left)}, the printed bound {short(book['whole'].right)}: "
            f"{short(total(steps))} times as many people. The largest step is {largest.word!r}, "
            f"{short(largest.factor)}.")


class ProofUpperRate(Story):
    """Theorem 2.4, one step at a time."""

    name = "proof_upper_rate"
    title = "The proof of Theorem 2.4"
    size = (10.0, 5.2)
    controls = (*ONE, *CLASS)
    views = {
        "shells": step_view(ONE, costs, shells, shells_said, numbers=shells_numbers),
        **{word: cost_views(word) for word in SEEN},
        "crowd": step_view(ONE, by_shell, crowd, crowd_said, wastes, 4),
        "far": step_view(ONE, by_shell, far, far_said, wastes, 5),
        "choice": step_view(ONE, widths, choice, choice_said, numbers=choice_numbers),
        "ladder": step_view((), ladder, rungs, rungs_said, numbers=rungs_numbers),
        "explore": step_view((*ONE, *CLASS), whole, stages, stages_said, links),
    }
    scenes = (
        Scene("shells",
              "Shells sort people by how far η is from one half. Shell 0 is the nearest.", {},
              view="shells", formula=mathml(
                  '"shell " j >= 1 ":   " 2^j Lam < | eta(x) - frac{1}{2} | <= 2^{j+1} Lam "," "  " '
                  "Lam = L (2 h sqrt{d})^beta")),
        Scene("give up shell 0", "In shell 0 the proof gives up: it counts every label there as wrong.", {},
              view="give up 0", formula=mathml(
                  '"risk" <= E[ | 2 eta(X) - 1 | "; shell 0"] + "risk in the other shells"')),
        Scene("round up", "A mistake in a shell now costs as much as the most expensive mistake there.", {},
              view="round up", formula=mathml('| 2 eta(x) - 1 | <= 2^{j+2} Lam " in shell " j')),
        Scene("tail lid", "Outside shell 0 mistakes are rare. The proof takes a lid for their chance.", {},
              view="tail lid",
              formula=mathml('P("wrong side") <= exp(- frac{n\' alpha^2 (E T)^2}{2^{2d+6}})')),
        Scene("low bar", "The true bar is unknown. The proof takes the lowest bar that the class allows.", {},
              view="low bar", formula=mathml(
                  "| E T | >= c_0 mu V (frac{h}{2})^d (2^j - 1) Lam >= "
                  "c_0 mu min(1, V) (frac{h}{2})^d 2^{j - 1} Lam")),
        Scene("crowd", "How many people are in a shell? The proof takes as many as the class allows.", {},
              view="crowd", formula=mathml('P("shell " j) <= C_0 (2^{j+1} Lam)^gamma')),
        Scene("far shells", "The printed sum runs over shells where nobody can be. This wastes the most.", {},
              view="far", formula=mathml(
                  "A = (2 sqrt{d})^{beta (1 + gamma)} 2^{gamma + 2} (1 + "
                  "sum_{j >= 1} 2^{j (1 + gamma)} exp(- kappa 4^j))")),
        Scene("choose h",
              "With 100 million people, cubes 2.8 times as wide halve the bound with exact chances.",
              {"n": 10**8}, view="choice", formula=mathml("h = (n' alpha^2 L^2 mu^2)^{-1 / (2d + 2 beta)}")),
        Scene("ladder",
              "One million people. The printed bound says nothing. Better counting helps. A gap stays.", {},
              view="ladder", formula=mathml(
                  '"excess risk" <= A C_0 {(frac{L^d}{(n\' alpha^2 mu^2)^{beta/2}})}'
                  "^{(1 + gamma)/(d + beta)}")),
        Scene("explore",
              "The whole chain, line by line, from the exact risk of one law to the printed bound.",
              {"n": 10**6}, view="explore"),
    )


STORY = ProofUpperRate

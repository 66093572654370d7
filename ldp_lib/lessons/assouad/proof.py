"""The proof of Theorem 2.5 (Berrett & Butucea), one step at a time: each replaces an edge of the rectangle.

The first three steps stand on the hypercube of the story of notebook 04, with one bit from each of a million
people; the others on the class with beta = gamma = d = 1.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.lessons.assouad.story import BINS, hills, overlap
from ldp_lib.lessons.assouad.numbers import MILLION, best_game
from ldp_lib.lessons.pictures import listed, lying, upright
from ldp_lib.lessons.steps import DIMENSION, SMOOTHNESS, Waste, decades, mathml, step
from ldp_lib.stage import Control, Scene, Shown, Story, log_steps, picture, powers_of_two, view
from ldp_lib.stage.picture import Axes, band, dots, handle, line, linear, log, rule, short, text
from ldp_lib.theory import classification_exponent, ledger, lower_bound
from ldp_lib.theory.classification.game import one_bit_risk, one_bit_tv
from ldp_lib.theory.contraction import CONTRACTIONS, at_most, contraction_constant, symmetric_kl

LEAN = Control("lean", "says up from", "t", tuple(k / 4 for k in range(-8, 9)), 0.75, "{:g}",
               "the analyst says up if the sum is above t noise levels")
PEOPLE = Control("n", "people", "n", log_steps(10_000, 10**8, 2), 10**6, short, "people in all")
BUDGET = Control("alpha", "budget", "α", powers_of_two(-3, 0, 2), 1.0, "{:.3g}", "nats; at most 1")
MARGIN = Control("gamma", "margin", "γ", (0.0, 0.5, 1.0), 1.0, "{:g}", "few people near a toss-up")
ONE = (PEOPLE, BUDGET)
RUNGS = dict(zip(("best possible", "Pinsker: n/4", "in turn: n/2", "paper: 2n"), reversed(CONTRACTIONS),
                 strict=True))
"""Rungs of the ladder from the top, and their contractions; *in turn*: questions may depend on the reports
before. The closed form of the theorem comes below."""
COUNTS = np.geomspace(1e3, 1e8, 41).round()
LINES = ("game", "average first", "Cauchy-Schwarz", "Pinsker", "likelihoods", "contraction, 1",
         "contraction, 4", "people", "dominating pair", "n/4", "n/2", "2n", "small alpha", "choice of c2",
         "risk", "rate")
"""Lines of the ledger that may waste, in its order; what holds with room to spare costs nothing."""


TOP = 0.0085
"""Of the axes of risks: all eight signs wrong."""


def errors(lean):
    """Of who says up above t, exact: chances to be wrong, if the bump is up, if it is down; average risk."""
    game = best_game(MILLION)
    ones = np.floor((MILLION + lean * math.sqrt(MILLION)) / 2)
    up, down = (float(at_most(ones, MILLION, (1 + sign * game.tilt) / 2)) for sign in (1, -1))
    return up, 1 - down, game.coin * (up + 1 - down)


@view(LEAN)
def all_signs(lean):
    """The risk under all signs, by how many of them are up, and its average."""
    game, (missed, false, average) = best_game(MILLION), errors(lean)
    ups = np.arange(game.m + 1.0)
    risks = game.separation * (ups * missed + (game.m - ups) * false)
    marks = (upright("risks", ups, risks, "private", wide=0.72, label="risk of these signs"),
             rule("average", "bound", y=average, width=3, label="average over all 256"))
    axes = Axes("signs", linear(-0.6, game.m + 0.6, 1), linear(0, TOP, 0.002), "the same analyst, all signs",
                "how many of eight signs are up", "", marks, grid=False)
    return Shown((axes,), f"The risk of the worst signs is {risks.max():.5f}, of the average over all signs "
                 f"{average:.5f}.",
                 [("average", f"{average:.5f}"), ("worst", f"{risks.max():.5f}"),
                  ("least for one bit: (m/2)Δ(1 − TV)", f"{one_bit_risk(game):.5f}")])


@view(LEAN)
def one_sign_at_a_time(lean):
    """The parts of the average, one for each sign, on top of each other."""
    game, (missed, false, average) = best_game(MILLION), errors(lean)
    k, part = np.arange(1.0, game.m + 1), average / game.m
    before = (k - 1) * part
    marks = (upright("so far", k, before, "nothing", wide=0.8, label="sum so far"),
             upright("parts", k, k * part, "private", wide=0.8, low=before, label="this sign adds"),
             rule("average", "bound", y=average, width=3, label="average over all signs"))
    axes = Axes("sums", linear(0.4, game.m + 0.6, 1), linear(0, TOP, 0.002),
                "eight signs, added one after the other", "sign", "", marks, grid=False)
    return Shown((axes,), f"Every sign adds {part:.6f}, Δ times the chance of a wrong guess; together "
                 f"{average:.5f}.",
                 [("all eight", f"{average:.5f}"), ("one sign", f"{part:.6f}"),
                  ("Δ", f"{game.separation:.6f}"), ("wrong", f"{(missed + false) / 2:.1%}")])


@view(LEAN)
def two_errors(lean):
    """Both laws of the sum, and the errors on either side of t."""
    (missed, false, _), hidden = errors(lean), overlap(best_game(MILLION))
    laws, edges = hills(), np.repeat(BINS, 2)[1:-1]
    up, down = (np.repeat(law, 2) for law in laws)
    below = edges <= lean
    marks = (band("missed", edges[below], 0, up[below], "one", label="up, called down"),
             band("false", edges[~below], 0, down[~below], "zero", label="down, called up"),
             picture.step("down law", BINS, np.append(laws[1], 0), "first", label="law if down"),
             picture.step("up law", BINS, np.append(laws[0], 0), "second", label="law if up"),
             rule("t", "truth", x=lean, width=3, handle=handle("lean")))
    axes = Axes("hills", linear(-4, 4, 1), linear(0, 1.25 * up.max()), "errors on either side of t",
                "sum of a million bits, in units of its noise", "", marks, grid=False)
    return Shown((axes,), f"With t = {lean:g} the two errors add up to {missed + false:.3f}; the hills "
                 f"overlap by {hidden:.3f}.",
                 [("both errors", f"{missed + false:.3f}"), ("overlap = 1 − TV", f"{hidden:.3f}")])


@lru_cache(maxsize=256)
def tv_and_lid(n, alpha):
    """Total variation of all `COUNTS` and at last of n bits on the story's hypercube, and Pinsker's lid."""
    delta = best_game(MILLION).separation
    lean = delta * math.tanh(alpha / 2)
    one = symmetric_kl([(1 + lean) / 2, (1 - lean) / 2], [(1 - lean) / 2, (1 + lean) / 2])
    people = np.append(COUNTS, n)
    return one_bit_tv(people, alpha, delta), np.sqrt(people * one / 4)      # J of n bits is n times J of one


@view(*ONE)
def pinskers_lid(n, alpha):
    """The total variation and its lid against the number of people."""
    tv, lid = tv_and_lid(n, alpha)
    here = [float(tv[-1]), float(lid[-1])]
    shown = [value for value in here if value <= 1.1]
    marks = (line("exact", COUNTS, tv[:-1], "private", width=4, label="TV of n bits"),
             line("lid", COUNTS, np.where(lid <= 1.2, lid, np.nan)[:-1], "bound", width=3,
                  label="lid √(J/4)"),
             dots("here", n, shown, "truth", size=13))
    axes = Axes("pinsker", log(1e3, 1e8), linear(0, 1.1, 0.25), "how well can the signs be told apart?",
                "people n", "", marks)
    exact, lid, ratio = f"{here[0]:.3g}", f"{here[1]:.3g}", f"{here[1] / here[0]:.2f}"
    return Shown((axes,), f"With {short(n)} people TV is {exact}; Pinsker's lid is {lid}, {ratio} times as "
                 "much.", [("lid / TV", ratio), ("TV", exact), ("lid", lid)])


@lru_cache(maxsize=256)
def ladder(n, alpha):
    """Lower bounds at beta = gamma = d = 1, from that for any mechanism to the closed form; their best q.

    The closed form has no q.
    """
    found = [lower_bound(n, alpha, 1.0, 1.0, 1, contraction=name) for name in RUNGS.values()]
    values = [*(bound.value for bound in found), book_of(n, alpha)["whole"].left]
    return np.array(values), [bound.q for bound in found]


@lru_cache(maxsize=256)
def book_of(n, alpha, beta=1.0, gamma=1.0, d=1):
    """The ledger; a gamma beyond d / beta, where the theorem ends, is replaced by d / beta."""
    return ledger("2.5", n=n, alpha=alpha, beta=beta, gamma=min(gamma, d / beta), d=d)


def wastes(values):
    """The `Waste` of every rung: the bound falls like n^-r."""
    factors = (values[:-1] / values[1:]) ** (1 / classification_exponent(1, 1, 1))
    words = ("Pinsker", "in turn", "paper's 4", "closed form")
    return tuple(Waste(word, float(factor)) for word, factor in zip(words, factors, strict=True))


@view(*ONE)
def constants_of_one_report(n, alpha):
    """c of J <= c TV^2 for one report: of the dominating pair, by a short proof, printed."""
    values = np.array([contraction_constant(alpha, kind) for kind in ("dominating", "simple", "printed")])
    rows, down = listed(("best possible", "short proof", "in the paper"))
    marks = (lying("best", values[0], rows[0], "private", label="best possible c"),
             lying("lids", values[1:], rows[1:], "bound", label="larger c"),
             text("factors", values, rows, [f"{value:.3g}" for value in values], dx=6))
    axes = Axes("constants", linear(0, 1.25 * values.max()), down, "c in J ≤ c TV² of one report", "", "",
                marks, grid=False)
    sharpest, simple, printed = values
    return step((axes,), f"No report exceeds c = {sharpest:.3g}; a short proof gives {simple:.3g}, and the "
                f"constant of the paper is {printed:.3g}: {simple / sharpest:.2f} and "
                f"{printed / sharpest:.2f} times as much.", wastes(ladder(n, alpha)[0]), 2)


@view(*ONE)
def lower_bounds(n, alpha):
    """The ladder of lower bounds."""
    (bounds, cells), words = ladder(n, alpha), (*RUNGS, "closed form")
    told, values = [short(float(value)) for value in bounds], np.log10(bounds)
    (rows, down), low = listed(words), math.floor(values.min()) - 0.5
    marks = (lying("best", values[0], rows[0], "private", low=low, label="best possible"),
             lying("rungs", values[1:], rows[1:], "bound", low=low, label="what the proof keeps"),
             text("words", values, rows, [*(f"{value}, q = {q}" for value, q in zip(told, cells)), told[-1]],
                  dx=6))
    axes = Axes("ladder", decades(low, values.max() + 2.2, 4), down, "lower bound on the risk", "", "", marks,
                grid=False)
    all_rungs = ", ".join(f"{name} {value}" for name, value in zip(words, told))
    return step((axes,), f"Nobody has less risk than: {all_rungs}.", wastes(bounds), 3)


@view(*ONE, SMOOTHNESS, MARGIN, DIMENSION)
def whole_ledger(n, alpha, beta, gamma, d):
    """Right / left side of the lines of the ledger."""
    book = book_of(n, alpha, beta, gamma, d)
    values, (rows, down) = np.log10([book[name].slack for name in LINES]), listed(LINES)
    words = [f"{10**value:.2f}" if value < 2 else short(10**value) for value in values]
    marks = (lying("slack", values, rows, "bound", high=0.7),
             text("factors", np.maximum(values, 0), rows, words, dx=6))
    axes = Axes("slacks", decades(0, values.max() * 1.25 + 0.2, 5), down,
                "right side / left side, line by line", "", "", marks, grid=False)
    whole, largest = book["whole"], max(LINES, key=lambda name: book[name].slack)
    closed, exact = short(whole.left), short(whole.right)
    return Shown((axes,), f"The closed form is {closed}; the exact sum on its hypercube is {exact}. The "
                 f"loosest line is {largest!r}: {book[largest].slack:.3g} times.",
                 [("in all", f"×{whole.slack:.3g}"), ("closed form", closed),
                  ("its hypercube, exact", exact)])


STORY = Story("proof_assouad", "The proof of Theorem 2.5", size=(10.0, 5.2), scenes=(
    Scene("average", "The worst signs cost at least the average over all signs, whatever the analyst does.",
          all_signs, formula=mathml('"worst risk" >= frac{1}{2^m} sum_{sigma} "risk under " sigma')),
    Scene("one sign", "The average counts each sign alone. So look at one sign at a time, and add up.",
          one_sign_at_a_time, formula=mathml(
              '"average" = frac{1}{2} sum_{k} Delta ( P_{+k} ("says down") + P_{-k} ("says up") )')),
    Scene("test", "Move t. The two errors never add up to less than the overlap of the hills.", two_errors,
          formula=mathml('P_{+k} ("says down") + P_{-k} ("says up") >= 1 - "TV" ( M_{+k} , M_{-k} )')),
    Scene("Pinsker", "TV of a million reports is hard to compute. Their divergence J adds up over people, "
          "and the root of J/4 is a lid.", pinskers_lid, {"lean": 0.0},
          formula=mathml('"TV"^{2} <= frac{J}{4} "," "  " J = n " times that of one report"')),
    Scene("contraction", "A report's chances p under both signs differ little: privacy keeps every person's "
          "chances within e to the α. So its J is small.", constants_of_one_report, formula=mathml(
              '| p_+ - p_- | <= (e^alpha - 1) "(TV of a person) (least " p ")" '
              '"," "  so " J <= c "(TV of a person)"^{2}')),
    Scene("choose q", "Each line chooses its best q, now at γ = 1 instead of ½. Most is lost in the closed "
          "form.", lower_bounds,
          formula=mathml('"risk" >= A (n alpha^{2})^{- beta (1 + gamma) / (2 beta + 2 d)}')),
    Scene("explore", "All lines of the ledger that may waste: how many times the right side is the left.",
          whole_ledger),
))

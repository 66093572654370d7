"""The story of notebook 04: hidden signs, and the rectangle cost x hidden (Berrett & Butucea, Theorem 2.5).

The class has beta = d = 1 and gamma = 1/2, and alpha = 1 where no control says otherwise. *Hidden* is
1 - TV of all reports under the two signs of one bump: 1 is a coin's knowledge, 0 is certainty.
"""

import dataclasses
import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ldp_lib.lessons.assouad import explore
from ldp_lib.lessons.assouad.explore import BUDGET, PEOPLE
from ldp_lib.lessons.assouad.numbers import ALPHA, MILLION, best_game, game_with, hypercubes, rectangles
from ldp_lib.lessons.bars import NOISE, ZERO, noise_band, signal_bars
from ldp_lib.lessons.pictures import side_by_side, upright
from ldp_lib.privacy.binomial import binomial_chances
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, handle, line, linear, log, percent, rule, short, step, text,
)
from ldp_lib.theory.classification.game import Game, challenge, one_bit_risk, one_bit_tv, two_point_law
from ldp_lib.theory.contraction import at_most, kernel_budget

FLIPS = tuple(Control(f"sign{k}", f"sign {k}", "", (-1, 1), 1 if k in (1, 4, 5, 7, 8) else -1,
                      lambda sign: "up" if sign > 0 else "down") for k in range(1, 9))
UP = Control("up", "the bump is", "", ("up", "down"), "up")
SHOWN = Control("shown", "the overlap", "", (False, True), False)
SEEN = Control("seen", "the question is answered", "", (False, True), False)
CHANCES = tuple(k / 100 for k in range(1, 100))
YES = Control("yes", "label 1, on the bump", "", CHANCES, 0.7, "{:.2f}", "chance of sending a 1")
NO = Control("no", "label 0, on the bump", "", CHANCES, 0.4, "{:.2f}", "chance of sending a 1")
OUTSIDE = Control("outside", "elsewhere", "", CHANCES, 0.5, "{:.2f}", "chance of sending a 1")
PLACE = Control("place", "cells per axis", "q", (4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 32, 40, 48, 64), 8,
                "{}", "many cells: many low bumps")
PROTECT = Control("protect", "protected", "", ("x and y", "only y", "nothing"), "x and y")
WIDEST = 0.0118
"""The end of the axis of costs; at q = 4 wrong signs cost 0.0110."""
DUEL = Game(1000, ALPHA, 1, 1, 0.25)
OPEN = dataclasses.replace(DUEL, alpha=math.log(CHANCES[-1] / CHANCES[0]))
"""The same, with the largest budget that a bit of these chances can spend."""
BINS = np.linspace(-4, 4, 161)
"""Of the sum of all bits, in standard deviations: borders of its bins, and in the duel places."""
BEST_BIT = 1.467
"""The least score of a bit in the duel: as often a 1 as the budget allows for label 1 on the bump, as rarely
as it allows for everybody else."""
WALL, BEST_TOP = (-NormalDist().inv_cdf(score * DUEL.bound() / DUEL.coin / 2) for score in (1, BEST_BIT))
"""Where two normal hills stand that overlap as little as the bound allows, and as the best bit does."""


def received(k, up, noise):
    """The sum of a million bits, seen through the public signs of cell k, in standard deviations.

    Its law is exact under both signs (`one_bit_risk` says what people send), and a flip moves it: whoever
    sends a 1 if the bump is down sends it also if it is up. Cells are drawn one by one.
    """
    lean, rng = best_game(MILLION).tilt, np.random.default_rng((5, noise, k))
    ones = rng.binomial(MILLION, (1 - lean) / 2)
    ones += up * rng.binomial(MILLION - ones, 2 * lean / (1 + lean))
    return (2 * ones - MILLION) / math.sqrt(MILLION)


def figure(area):
    """An area in words: three digits, or a power of ten."""
    return f"{area:#.3g}" if area >= 1e-4 else short(area)


def ground(law, signs):
    """The marks of eta - 1/2 to scale: a line, thick where people live."""
    half, eta, people = explore.outline(law, signs, law.height / 2, "")
    return half, eta, people._replace(label="where people live")


@view(NOISE, *FLIPS)
def eight_signs(noise, sign1, sign2, sign3, sign4, sign5, sign6, sign7, sign8):
    """The reader's signs above, as bumps to drag, and below what a million private bits say about them."""
    game, signs = best_game(MILLION), np.array([sign1, sign2, sign3, sign4, sign5, sign6, sign7, sign8])
    law, delta, shift = game.law, game.separation, math.sqrt(MILLION) * game.tilt
    sums = np.array([received(k, sign > 0, noise) for k, sign in enumerate(signs)])
    wrong, places, height = sums * signs < 0, law.centres[:, 0], law.height / 2
    grips = [dots(control.name, x, sign * height, "truth", size=15, marker="triangle" if sign > 0 else "down",
                  handle=handle(control.name, along="y", factor=height))
             for control, x, sign in zip(FLIPS, places, signs)]
    across = linear(0, 0.5, 0.1)
    above = Axes("truth", across, linear(-0.024, 0.024, ticks=(-0.02, 0, 0.02)),
                 "your bumps: chance of label 1, minus 1/2; drag, or Tab to one and press ↑ ↓", "", "",
                 (*ground(law, signs), *grips), grid=False)
    marks = (noise_band(1.0, 0, 0.5, "noise"), ZERO, *signal_bars(places, signs * shift, 0.035, seen=sums),
             dots("ends", places, sums, "private", size=9),
             dots("wrong", np.where(wrong, places, np.nan), -2.6, "best", size=16, label="wrong guess"))
    below = Axes("sums", across, linear(-3, 3, 2),
                 "what the analyst gets: one sum of private bits for each bump", "feature x", "", marks,
                 grid=False, high=1.6)
    count, cost = int(wrong.sum()), f"{wrong.sum() * delta:.5f}"
    return Shown(((above, below),), f"The analyst guesses {count} of 8 signs wrong, which costs {cost}. A "
                 f"true bar is {shift:.2f} noise levels long.",
                 [("wrong guesses", f"{count} of 8"), ("their cost", cost), ("each costs Δ", f"{delta:.6f}"),
                  ("2 × share × height", f"2 · 1/{1 / game.w:.0f} · 1/{2 / law.height:.0f}")])


def hills():
    """The exact laws of the sum in `BINS`: if the bump is up, and if it is down."""
    lean, ones = best_game(MILLION).tilt, (MILLION + BINS * math.sqrt(MILLION)) / 2
    return [np.diff(at_most(np.ceil(ones) - 1, MILLION, (1 + sign * lean) / 2)) for sign in (1, -1)]


def overlap(game):
    """How well signs are hidden from one bit of everybody."""
    return 1 - float(one_bit_tv(game.n, game.alpha, game.separation))


@view(UP, NOISE, SHOWN)
def one_bump(up, noise, shown):
    """Two hills, the laws of the sum of all bits about one bump, and on the axis what was received."""
    (up_law, down_law), total, hidden = hills(), received(0, up == "up", noise), overlap(best_game(MILLION))
    high, wrong = 1.25 * up_law.max(), (total if up == "up" else -total) < 0
    says = f"The bump is {up}, and this sum is {total:.2f} noise levels."
    numbers = [("guess", "up" if total >= 0 else "down"), ("the bump is", up), ("the sum", f"{total:.2f}")]
    marks = []
    if shown:
        both = np.repeat(np.minimum(up_law, down_law), 2)
        marks = [band("overlap", np.repeat(BINS, 2)[1:-1], 0, both, "noise"),
                 text("overlap words", 0, 0.2 * high, f"hidden: overlap {hidden:.0%}", anchor="middle")]
        says += f" The two laws overlap by {hidden:.1%}: a guess is wrong with probability {hidden / 2:.1%}."
        numbers += [("hidden from one bit each", f"{hidden:.3f}"), ("wrong", f"{hidden / 2:.1%}")]
    marks += [rule("middle", "truth", x=0, width=1),
              step("down", BINS, np.append(down_law, 0), "first", label="if it is down"),
              step("up", BINS, np.append(up_law, 0), "second", label="if it is up"),
              text("guess down", -3.9, 0.93 * high, "← guess: down"),
              text("guess up", 3.9, 0.93 * high, "guess: up →", anchor="end"),
              dots("sum", total, 0.03 * high, "best" if wrong else "truth", size=18,
                   label="this sum" + ": wrong guess" * wrong)]
    return Shown((Axes("hills", linear(-4, 4, 1), linear(0, high), "the sum of a million bits",
                       "in units of its noise", "", marks, grid=False),), says, numbers)


def judged(yes, no, outside):
    """The budget that a bit spends, and its score: the best analyst's risk as a multiple of the bound.

    A bit over budget plays, too; its score may be below 1.
    """
    chances = {(True, 1): yes, (True, 0): no, (False, 0): outside, (False, 1): outside}
    rows = {record: [one, 1 - one] for record, one in chances.items()}
    budget = kernel_budget(list(rows.values()))
    return budget, challenge(lambda inside, y: rows[inside, y], OPEN).risk / DUEL.bound()


def sums_of(yes, no, outside):
    """The laws of the number of ones if the bump is up, and down, at `BINS`; and where their tops stand.

    In units of the noise, from the middle of both; between two numbers of ones a law is a line.
    """
    rates = np.array([two_point_law(DUEL, sign) @ (no, yes, outside, outside) for sign in (1, -1)])
    middle, ones = rates.mean(), np.arange(DUEL.n + 1)
    noise = math.sqrt(DUEL.n * middle * (1 - middle))
    places = (ones - DUEL.n * middle) / noise
    laws = [np.interp(BINS, places, noise * binomial_chances(DUEL.n, rate), 0, 0) for rate in rates]
    return laws, DUEL.n * (rates - middle) / noise


@view(YES, NO, OUTSIDE)
def your_bit(yes, no, outside):
    """Left: who sends a 1 how often, and what the budget allows. Right: the laws of the sum, and walls."""
    budget, score = judged(yes, no, outside)
    hidden = score * DUEL.bound() / DUEL.coin
    if budget > ALPHA:
        role, verdict, told = "wrong", "refused: over budget", "refused"
        says = (f"This bit spends {budget:.2f}, more than α = 1: it is refused. Its risk would be "
                f"{score:.3f} times the bound for private mechanisms.")
    else:
        role, told = "private", f"{score:.3f}"
        verdict = ("nearly the best bit" if score < BEST_BIT + 0.02 else
                   "it tells hardly anything" if score > 3 else "push the hills apart")
        says = (f"This bit spends {budget:.2f} of α = 1. The hills overlap by {hidden:.1%}; the best "
                f"analyst's risk is {told} times the bound.")
    places, tops = np.arange(3.0), np.array([yes, no, outside])
    low = tops.min()
    most = min(math.e * low, 1 - (1 - low) / math.e)
    feet, bump = [-0.6, -0.45, -0.25, 1.25, 1.45, 2.6], 0.16 * np.array([0, 0, 1, 1, 0, 0])
    marks = (band("allowed", [-0.6, 2.6], low, most, "promise", label="allowed beside the lowest bar"),
             ZERO, upright("bits", places, tops, role, wide=0.5),
             *(dots(name, place, top, "truth", size=17, handle=handle(name, along="y"))
               for name, place, top in zip(("yes", "no", "outside"), places, tops)),
             line("bump down", feet, -0.25 - bump, "first"), line("bump up", feet, -0.25 + bump, "second"),
             dots("label 1", [-0.08, 0.08, 1.92], -0.25, "second", size=11),
             dots("label 0", [0.92, 1.08, 2.08], -0.25, "truth", size=11, ring=True),
             text("bump words", 0.5, -0.25, "bump?", anchor="middle"))
    bit = Axes("bit", side_by_side(("label 1", "label 0", "elsewhere")), linear(-0.5, 1, ticks=(0, 0.5, 1)),
               "how often each sends a 1", "on the bump: label 1 or 0; elsewhere: both", "", marks,
               grid=False)
    (up_law, down_law), ends = sums_of(yes, no, outside)
    marks = (bars("beyond", [-4, WALL], [-WALL, 4], 0.33, 0.5, "forbidden",
                  label="no top of a private mechanism"),
             rule("walls", "bound", x=(-WALL, WALL), width=3),
             rule("best", "reference", x=(-BEST_TOP, BEST_TOP), width=2, label="tops for the best bit"),
             band("overlap", BINS, 0, np.minimum(up_law, down_law), "noise"),
             line("down", BINS, down_law, "first", width=3, label="bump down"),
             line("up", BINS, up_law, "second", width=3, label="bump up"),
             dots("tops", ends, [up_law.max(), down_law.max()], "truth", size=9),
             text("overlap words", 0, 0.1, f"overlap {percent(hidden)}", anchor="middle"))
    hills = Axes("hills", linear(-4, 4, 1), linear(0, 0.5), f"the sum of {DUEL.n:,} bits: {verdict}",
                 "in units of its noise", "", marks, grid=False)
    return Shown((bit, hills), says,
                 [("score: risk / bound", told), ("budget spent", f"{budget:.3f} of {ALPHA:g}"),
                  ("people, a quarter on the bump", f"{DUEL.n:,}")])


def how_hidden(game, costs, hidden):
    """Of the rectangle of a game under a curve: how well its signs are hidden."""
    return float(hidden[np.abs(costs - game.coin).argmin()])


def wall(costs, hidden):
    """The curve that no private mechanism can push down."""
    return line("private", costs, hidden, "bound", width=4, label="any private mechanism")


def rectangle(cost, hidden, above, *, role="forbidden", grip=None, widest=WIDEST):
    """The `Axes` of cost and hidden with a rectangle; the marks `above` stand above it."""
    marks = (bars("area", 0, cost, 0, hidden, role), *above,
             dots("hider", cost, hidden, "truth", size=17, handle=grip),
             text("area words", widest, 0.99, f"area {figure(cost * hidden)}", anchor="end"))
    return Axes("rectangle", linear(0, widest, 0.004), linear(0, 1.08, 0.25), "cost × hidden",
                "cost, if nothing is known", "hidden", marks, grid=False)


@view(PLACE, PROTECT, SEEN)
def cost_times_hidden(place, protect, seen):
    """The bumps of the hider's choice of q, and the rectangle under the curve."""
    game, (costs, hidden) = game_with(place), rectangles(MILLION, ALPHA, protect)
    _, private = rectangles(MILLION, ALPHA)
    cost, up = game.coin, how_hidden(game, costs, hidden)
    area, above = figure(cost * up), [wall(costs, private)]
    if protect == "x and y":
        role = "forbidden"
        numbers = [("area = bound", area), ("cost", f"{cost:.5f}"), ("budget spent", f"{ALPHA:g}"),
                   ("hidden, any mechanism / one bit", f"{up:.4f} / {overlap(game):.3f}")]
        if seen:
            numbers.append(("largest area", figure(float((costs * hidden).max()))))
    else:
        role, words = "promise_open", {"only y": "only y is protected", "nothing": "no privacy"}[protect]
        above += [line("open", costs, hidden, "open", width=4, label=words),
                  # A rectangle may be too low to be seen without its outline.
                  bars("edge", 0, cost, 0, up, "open", hollow=True)]
        numbers = [("area", area), ("cost", f"{cost:.5f}"), ("hidden", f"{up:.4g}"),
                   ("budget spent", "∞" if protect == "nothing" else f"∞, on labels {ALPHA:g}")]
    # m = mass / w, so that the cost falls like q^(-3/2) exactly.
    grip = handle("place", factor=cost * place**1.5, power=-1.5)
    truth = Axes("truth", linear(0, 0.5, 0.1), linear(-0.035, 0.035, ticks=(-0.035, 0, 0.035)),
                 f"q = {game.q} cells, {game.m} hidden signs", "feature x", "",
                 ground(game.law, np.resize((1, -1), game.m)), grid=False, wide=0.9)
    return Shown((truth, rectangle(cost, up, above, role=role, grip=grip)),
                 f"{game.m} bumps in {place} cells: wrong guesses cost {cost:.5f}, hidden is {up:.4f}; the "
                 f"rectangle has the area {area}.", numbers)


STOPS = tuple(n for n in PEOPLE.values if n >= 10_000)


@lru_cache(maxsize=1)
def bounds():
    """The largest rectangle for every number of people in `STOPS`."""
    return np.array([np.multiply(*rectangles(n, ALPHA)).max() for n in STOPS])


@view(PEOPLE, SEEN)
def more_people(n, seen):
    """The largest rectangle, and its area against the number of people."""
    game, (costs, hidden) = best_game(n), rectangles(n, ALPHA)
    up = how_hidden(game, costs, hidden)
    area = game.coin * up
    marks = (line("bounds", STOPS, np.where(seen | (np.array(STOPS) <= n), bounds(), np.nan), "bound",
                  width=4, label="largest area"),
             dots("here", n, area, "truth", size=17, handle=handle("n")))
    areas = Axes("areas", log(6e3, 2e8, every=2), log(1e-4, 2e-2), "nobody can have less risk", "people n",
                 "", marks, wide=0.9)
    return Shown((rectangle(game.coin, up, [wall(costs, hidden)], widest=0.0185), areas),
                 f"With {short(n)} people the hider chooses {game.m} bumps in {game.q} cells; the rectangle "
                 f"has the area {figure(area)}.",
                 [("area = bound", figure(area)), ("cells q", f"{game.q}"),
                  ("signs that the class allows", f"{game.m}"), ("hidden", f"{up:.3f}")])


ALPHAS = BUDGET.values


@lru_cache(maxsize=1)
def scores():
    """Risk of one bit from everybody as a multiple of the bound, at all `ALPHAS`."""
    games = [best_game(MILLION, alpha) for alpha in ALPHAS]
    return np.array([one_bit_risk(game) / game.bound() for game in games])


@view(BUDGET)
def bit_against_bound(alpha):
    """Two rectangles, of one bit from everybody and of the bound, and the ratio of their areas at all α."""
    _, tall, mass = hypercubes()
    game, (costs, hidden) = best_game(MILLION, alpha), rectangles(MILLION, alpha)
    bit, score = 1 - one_bit_tv(MILLION, alpha, tall * mass), float(scores()[ALPHAS.index(alpha)])
    cost, up = game.coin, how_hidden(game, costs, bit)
    above = (bars("bound", 0, cost, 0, up / score, "forbidden"), wall(costs, hidden),
             line("bit", costs, bit, "private", width=4, label="one bit from everybody"))
    marks = (bars("forbidden", 0.11, 4.6, 0.8, 1, "forbidden", label="no private mechanism"),
             rule("one", "bound", y=1, width=3),
             line("score", ALPHAS, scores(), "private", width=4, label="one bit: risk / bound"),
             dots("here", alpha, score, "truth", size=17, handle=handle("alpha")))
    right = Axes("scores", log(0.11, 4.6, "{:g}", ticks=(0.125, 0.5, 1, 2, 4)), linear(0.8, 2.0, 0.2),
                 "times the bound", "budget α", "", marks, grid=False, wide=0.9)
    area = cost * up
    return Shown((rectangle(cost, up, above, role="zero"), right),
                 f"At α = {alpha:.3g} one bit from everybody has the risk {figure(area)}, {score:.3f} times "
                 "the bound.",
                 [("times the bound", f"{score:.3f}"), ("one bit", figure(area)),
                  ("bound", figure(area / score))])


STORY = Story("assouad", "Can anybody do better?", version=2, size=(10.0, 5.2), scenes=(
    Scene("signs", "You play nature at its worst: hide eight signs, bumps up or down. From a million "
          "private bits an analyst guesses. Wrong guesses cost her.", eight_signs, {}, ("noise",),
          drags=tuple(control.name for control in FLIPS)),
    Scene("one bump", "Costs of single signs add up, so look at one bump. Its sum of a million bits says up "
          "or down: how often wrongly?", one_bump, {}, ("up", "noise"), ask=Ask({
              "hardly ever": "Two hills overlap by 65%, even now. The overlap is called hidden; half of it "
                             "is wrong.",
              "1 in 10": "The two hills overlap by 65%. The overlap is called hidden; half of it is wrong.",
              "1 in 3": "The two hills overlap by 65%. The overlap is called hidden; half of it is wrong.",
              "1 in 2": "That is a coin. The overlap of the hills, called hidden, is 65%; half of it is "
                        "wrong."}, right="1 in 3", then={"shown": True})),
    Scene("rectangle", "Taller bumps cost more and hide worse. Whatever the mechanism, the risk is at least "
          "the rectangle. Where is it largest? Say, then drag.",
          cost_times_hidden, {"place": 5}, ("place",), ask=Ask({
              "q = 4: tall": "Too tall: only 0.05% hidden, area 0.0000057. Half hidden is best: 0.0021 at "
                             "q = 8.",
              "q = 8: lower": "Half hidden, area 0.0021: both sides are long. Taller bumps are seen, lower "
                              "ones cost little.",
              "q = 16: low": "87% hidden but cheap: area 0.0012. Half hidden is best: 0.0021 at q = 8.",
              "q = 64: flat": "99% hidden, and worth nothing: area 0.00017. Half hidden is best: 0.0021 at "
                              "q = 8."}, right="q = 8: lower", then={"place": 8, "seen": True})),
    Scene("your bit", "Why any mechanism? Within the budget no bar is above e times another, so tops stay "
          "between the walls. Drag the bars: how near?", your_bit),
    Scene("people", "With more people, signs hide only in lower bumps. A hundred times the people: how much "
          "of the rectangle is left?",
          more_people, {"n": MILLION}, ("n",), play=("n", (10**4, 10**5, 10**6, 10**7, 10**8)), ask=Ask({
              "1/100": "Not so fast: the hider retreats to lower bumps. 0.00210 at 10⁶ people falls to "
                       "0.00037 at 10⁸.",
              "1/10": "That is an average of 10⁸ numbers. The hider retreats: 0.00210 at 10⁶ people, "
                      "0.00037 at 10⁸.",
              "about 1/6": "0.00210 at 10⁶ people falls to 0.00037 at 10⁸: the hider retreats to lower "
                           "bumps, and to more.",
              "all of it": "More people see lower bumps. 0.00210 at 10⁶ people falls to 0.00037 at 10⁸."},
              right="about 1/6", then={"n": 10**8, "seen": True})),
    Scene("one bit", "Back to a million people. One bit from everybody has 1.21 times the bound as its "
          "risk. What does this number tell?",
          bit_against_bound, {"n": MILLION}, ("alpha",), ask=Ask({
              "somebody will reach the bound":
                  "Perhaps nobody can. It only says: against this hider, nobody gets below the bound.",
              "nobody lowers this risk by more than the gap":
                  "Against this hider nobody has less than 82% of its risk. Other laws may differ.",
              "one bit is best for all laws":
                  "It speaks about this hider only. For other laws it says nothing."},
              right="nobody lowers this risk by more than the gap")),
    Scene("break it", "Promise less: publish where people live, protect only the labels. How much of the "
          "rectangle is left?",
          cost_times_hidden, {"place": 8}, ("protect", "place"), recall="rectangle", ask=Ask({
              answer: f"{whole}: a bump's own people can be looked at alone. Lower bumps hide: drag."
              for answer, whole in (("all of it", "A fiftieth of this"), ("a half", "A fiftieth of this"),
                                    ("a fiftieth", "Of this area"))},
              right="a fiftieth", then={"protect": "only y"})),
    Scene("explore", "For questions: one hypercube, the laws of its bits, and the proof's ladder. n/4, n/2 "
          "and 2n stand for weaker lines of it.", explore.everything),
))

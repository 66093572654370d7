"""The story of notebook 03: narrower bumps, lower bars, the same noise (Berrett & Butucea, Theorem 2.4).

The bar falls like h^(d + beta), the noise stays; they meet at the finest visible bump.
"""

from functools import lru_cache

import numpy as np

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, ZERO, noise_band, signal_bars
from ldp_lib.lessons.upper_rate import explore
from ldp_lib.lessons.upper_rate.explore import PEOPLE, FEATURES, MULTIPLE
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk
from ldp_lib.risk.hypercube import bump_score
from ldp_lib.risk.scores import noise_level, sampling_level
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, band, dots, figures, handle, line, linear, log, rule, short, text
from ldp_lib.theory import theorem_bandwidth

WIDTH = Control("width", "bandwidth", "h", tuple(round(0.2 * 2 ** (k / 4), 3) for k in range(-12, 1)),
                0.2, "{:g}", "half the width of a bump, and of a cube")
OPEN = Control("open", "without privacy", "", (False, True), False, help="nobody adds noise")
CAPPED = Control("capped", "in h, count α only up to 1", "", (False, True), False)
SEEN = Control("seen", "the rest of the curve", "", (False, True), False)
SCALE = 4.0
"""The scale of the noise at alpha = 1 and d = 1; 8 at d = 2."""
REACH = 0.05
"""Where the axis of bars ends: the bar of the widest bump, and some room."""


def seen_bars(centres, signs, h, n, noise):
    """What an analyst sees of bars at `centres`: the score is a sum of many reports, drawn from their counts.

    Label and place of n / 2 people of either half are drawn exactly; the noise is the exact sum of n / 2
    Laplace draws in either half, differences of gamma variables.
    """
    rng, half = np.random.default_rng((3, noise)), n // 2
    p, tilt = 2 * h, signs * bump_score(h, 1, 1)
    first = rng.binomial(half, p, len(centres))
    second = rng.binomial(half, p / 2 + tilt)
    sums = [np.subtract(*rng.standard_gamma(half, (2, len(centres)))) * SCALE for _ in range(2)]
    return (second + sums[1]) / half - (first + sums[0]) / (2 * half)


@view(WIDTH, PEOPLE, NOISE)
def bumps_and_bars(width, n, noise):
    """Above, the truth with bumps of one width and signs in turn; below, their bars against the noise."""
    centres = np.arange(width, 1 - width * 0.999, 2 * width)
    signs = np.where(np.arange(len(centres)) % 2, -1.0, 1.0)
    bar, level = float(bump_score(width, 1, 1)), noise_level(SCALE, n)
    x = np.linspace(0, 1, 401)
    nearest = np.abs(x[:, None] - centres).argmin(axis=1)
    hill = np.maximum(width - np.abs(x - centres[nearest]), 0) * signs[nearest]
    marks = (rule("half", "reference", y=0.5, width=1, dash=()),
             line("eta", x, 0.5 + hill, "truth", width=3),
             text("high", max(centres[0], 0.06), 0.5 + width, f"{width:g} high", anchor="middle", dy=-12))
    above = Axes("truth", linear(0, 1, 0.2), linear(0.25, 0.85, ticks=(0.3, 0.5, 0.7)),
                 "the truth η: bumps of half-width h", "", "", marks, grid=False)
    marks = (noise_band(level, 0, 1, f"noise ±{level:.4f}"), ZERO,
             *signal_bars(centres, signs * bar, 1.96 * width,
                          seen=seen_bars(centres, signs, width, n, noise)))
    below = Axes("score", linear(0, 1, 0.2), linear(-REACH, REACH, 0.04),
                 "the score of each bump's cube, α = 1", "feature x", "", marks, grid=False, high=1.5)
    return Shown(((above, below),), f"A bump of half-width h = {width:g} is {width:g} high. Its bar is "
                 f"{figures(bar)}; the noise level of {n:,} people is {figures(level)}.",
                 [("true bar / noise", f"{bar / level:.2f}"), ("bar", figures(bar)),
                  ("noise", f"±{figures(level)}"), ("people", short(n))])


@view(WIDTH, NOISE)
def who_adds_noise(width, noise):
    """The reports of 144 persons about the cube in the middle, as dots over the places of their senders."""
    x, reach = (np.arange(144) + 0.5) / 144, 30.0
    inside = np.abs(x - 0.5) < width
    reports = inside + np.random.default_rng((4, noise)).laplace(0, SCALE, 144)
    marks = (band("cube", [0.5 - width, 0.5 + width], -reach, reach, "zero"), ZERO,
             text("cube words", 0.5, reach, "the cube", anchor="middle", dy=14),
             dots("outside", np.where(inside, np.nan, x), reports, "truth", size=10, ring=True,
                  label="sent from outside: 0 + noise"),
             dots("inside", np.where(inside, x, np.nan), reports, "second", size=12,
                  label="sent from inside: 1 + noise"))
    axes = Axes("who", linear(0, 1, 0.2), linear(-reach, reach, 15),
                "what 144 people answer: are you in this cube?", "feature x of the sender", "", marks,
                grid=False)
    level, count = 2**0.5 * SCALE, int(inside.sum())
    near, rest, whole = (f"±{level * people**0.5:.1f}" for people in (count, 144 - count, 144))
    return Shown((axes,), f"Of 144 people {count} are in the cube. All of them send noise: {near} from "
                 f"inside, {rest} from outside, together {whole}, whatever h is.",
                 [("noise of the sum", whole), ("people inside", f"{count} of 144"), ("their noise", near)])


@view(WIDTH, PEOPLE, FEATURES, OPEN)
def finest_bump(width, n, d, open):
    """Bars and noise against the bandwidth at alpha = beta = 1, and where they cross."""
    h, low, high = np.geomspace(0.004, 0.4, 61), 1e-6, 0.3
    level, widest = noise_level(2.0 ** (d + 1), n), float(bump_score(1.0, 1, d))
    cross = (level / widest) ** (1 / (d + 1))
    cross_open = (float(sampling_level(2.0**d, n)) / widest) ** (1 / (d / 2 + 1))
    marks = [line("noise", h, level, "private", width=4, dash=(6, 2), label="private noise: flat"),
             line("bar", h, bump_score(h, 1, d), "truth", width=4, label=f"bar: slope {d + 1}")]
    if open:
        marks += [line("open", h, sampling_level((2 * h) ** d, n), "open", width=4,
                       label=f"without privacy: slope {d / 2:g}"),
                  rule("cross open", "open", x=cross_open, width=2),
                  text("cross open words", cross_open, low, f"h* = {cross_open:.4f}", dx=5, dy=-14)]
    else:
        marks.insert(0, band("drowned", h, low, level, "noise"))
    marks += [rule("cross", "private", x=cross, width=2),
              text("cross words", cross, low, f"h* = {cross:.4f}", dx=5, dy=-38),
              dots("here", width, bump_score(width, 1, d), "truth", size=17, handle=handle("width"))]
    axes = Axes("scales", log(0.004, 0.4, "{:g}", ticks=[0.005, 0.01, 0.02, 0.05, 0.1, 0.2]), log(low, high),
                "size of the bar and of the noise, for each h", "bandwidth h", "", marks)
    # A cube of half a width h above 1/2 is wider than all places.
    finest = f"{cross:.4f}{' (wider than all places)' if cross > 0.5 else ''}"
    numbers = [("finest h, private", finest), ("half of it costs", f"{2 ** (2 + 2 * d)} × people")]
    if open:
        numbers += [("without privacy", f"{cross_open:.4f}"), ("half costs", f"{2 ** (2 + d)} × people")]
    return Shown((axes,), f"With {short(n)} people in d = {d} the bar meets the private noise at h = "
                 f"{finest}, and without privacy at h = {cross_open:.4f}.", numbers)


@view(MULTIPLE, PEOPLE)
def best_bandwidth(h, n):
    """The left half of *explore*: the exact risk at one n, noise on one side and blur on the other."""
    (axes, _), says, numbers = explore.everything(h=h, n=n)
    sides, found = explore.sweep(n, 1.0, 1.0, 1.0, 1), dict(numbers)
    best = sides.multiple[sides.best]
    beside = "too narrow" if best > 1 else "too wide" if best < 1 else "the best of these"
    words = {"noise": "what noise costs", "bias": "what blur costs"}
    marks = sorted((mark._replace(label=words.get(mark.key, mark.label)) for mark in axes.marks),
                   key=lambda mark: mark.key != "worst")
    cross = noise_level(SCALE, n) ** 0.5 / theorem_bandwidth(n, 1.0, 1.0, 1)
    marks.append(rule("cross", "truth", x=cross, width=1.5, dash=(1, 1), label="h*: bar = noise"))
    title = f"exact excess risk with {short(n)} people: the theorem's h is {beside}"
    return Shown((axes._replace(title=title, marks=marks),), says,
                 [("excess risk", found["exact risk, worst width"]), ("least", found["least, over h"]),
                  ("the theorem's h is", beside)])


BUDGETS = np.geomspace(0.1, 1e4, 16)


@lru_cache(maxsize=2)
def budgets(capped):
    """At each of `BUDGETS` risk on *sine* and people in a cube, at the theorem's h for 10,000 people."""
    law, n = problem("sine"), 10_000
    widths = [theorem_bandwidth(n, min(alpha, 1.0) if capped else alpha, 1.0, 1) for alpha in BUDGETS]
    risks = [excess_risk(CubeClassifier(alpha, h, noise="real"), law, n, relative_error=pictures.ERROR)
             for alpha, h in zip(BUDGETS, widths)]
    return np.array(risks), 2 * np.array(widths) * n


@view(CAPPED, SEEN)
def growing_budget(capped, seen):
    """The exact risk of ten thousand people against alpha, with the h that the rate seems to ask for."""
    risk, inside = budgets(capped)
    last = len(BUDGETS) - 1 if seen else int((BUDGETS <= 50).sum()) - 1
    shown = np.where(np.arange(len(BUDGETS)) <= last, risk, np.nan)
    marks = (line("risk", BUDGETS, shown, "private", width=4),
             dots("few", BUDGETS, shown, "private", size=9),
             text("people 0", BUDGETS[0], risk[0], f"{round(inside[0]):,} people in a cube", dy=-22),
             text(f"people {last}", BUDGETS[last], risk[last], f"{round(inside[last]):,} people in a cube",
                  anchor="end" if seen else "middle", dy=-22 if seen else 24))
    axes = Axes("budget", log(0.02, 5e4, "{:g}", ticks=[0.1, 1, 10, 100, 1000, 10_000]),
                log(5e-4, 1, ticks=[1e-3, 0.01, 0.1, 1]),
                "exact excess risk of 10,000 people; the truth is a sine wave", "privacy budget α", "", marks)
    if not seen:
        return Shown((axes,), f"The excess risk of 10,000 people falls from {risk[0]:.3f} at α = 0.1 to "
                     f"{risk[last]:.4f} at α = {BUDGETS[last]:.3g}; the rest of the curve is not shown yet.",
                     [("risk at α = 46", f"{risk[last]:.4f}")])
    low = risk.argmin()
    return Shown((axes,), f"The excess risk is least at α = {BUDGETS[low]:.3g}, {risk[low]:.4f}, and "
                 f"{risk[-1]:.4f} at α = 10,000, where a cube holds {inside[-1]:.0f} people.",
                 [("risk at α = 10,000", f"{risk[-1]:.4f}"), ("least", f"{risk.min():.4f}"),
                  ("people in a cube", f"{inside[-1]:,.0f}")])


STORY = Story("upper_rate", "How fast can the risk fall?", version=2, size=(10.0, 5.2), scenes=(
    Scene("bump", "A smooth truth rises slowly: a narrow bump is low. Its bar adds up the people of its "
          "cube, and few live there.",
          bumps_and_bars, {"n": 10**6, "width": 0.2}, ("noise",)),
    Scene("halve h", "Make the bumps half as wide: their bars shrink by 4. And the noise?",
          bumps_and_bars, {}, ("width", "noise"), ask=Ask({
              "falls by 4": "The noise does not know how high a bump is. It stays; the next scene says why.",
              "falls by 2": "Half of the people are in the cube, but all add noise. The next scene shows it.",
              "falls by √2": "That is true without privacy, where only people in the cube count. Here all "
                             "add noise.",
              "stays": "True bars fall from 0.04 to 0.01, the noise stays at 0.0089. The next scene says "
                       "why."},
              right="stays", then={"width": 0.1})),
    Scene("who", "Why? Few people live in the cube. But everybody sends noise to it.",
          who_adds_noise, {"width": 0.1}, ("width", "noise")),
    Scene("cross", "The finest bumps that you can see are where the lines cross. Play: 16 times the people, "
          "half the h.",
          finest_bump, {}, ("width", "n", "open"), play=("n", (10**6, 4 * 10**6, 16 * 10**6)),
          recall="halve h"),
    Scene("two features", "With one feature, half the h costs 16 times the people. How much with two "
          "features?",
          finest_bump, {}, ("n", "d", "open"), play=("n", (10**6, 8 * 10**6, 64 * 10**6)), ask=Ask({
              "16 times": "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times.",
              "32 times": "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times.",
              "64 times": "The bar falls by 8: 2 for the height, 4 for the people. The root of 64 is 8.",
              "256 times": "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times."},
              right="64 times", then={"d": 2})),
    Scene("best h", "Narrow cubes lose to noise, wide cubes to blur. The theorem leaves out a factor of the "
          "noise: is its h right?",
          best_bandwidth, {"n": 10**8}, ("h", "n")),
    Scene("break it", "Ten thousand people and more and more budget α; h shrinks by the theorem's formula. "
          "What happens next?",
          growing_budget, {}, ("capped",), ask=Ask({
              "the risk falls on": "It rises: h shrinks until chance decides in cubes of few people.",
              "it stays": "It rises: h shrinks until chance decides in cubes of few people.",
              "it rises": "h shrinks until chance decides in cubes of few people."},
              right="it rises", then={"seen": True})),
    Scene("explore", "For questions: one n and all h on the left; all n and the bounds on the right.",
          explore.everything),
))

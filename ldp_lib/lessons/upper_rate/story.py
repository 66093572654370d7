"""The story of notebook 03: narrower bumps, lower bars, the same noise (Berrett & Butucea, Theorem 2.4)."""

import dataclasses
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, noise_band, noise_level, signal_bars
from ldp_lib.lessons.upper_rate import explore
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk
from ldp_lib.stage import Control
from ldp_lib.stage.picture import (
    Axes, Picture, band, dots, figures, handle, line, linear, log, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Scene
from ldp_lib.theory import theorem_bandwidth

CONTROL = {control.name: control for control in explore.UpperRate.controls}
WIDTH = Control("width", "bandwidth", "h", tuple(round(0.2 * 2 ** (k / 4), 3) for k in range(-12, 1)),
                0.2, "{:g}", "half the width of a bump, and of a cube")
OPEN = Control("open", "without privacy", "", (False, True), False, help="nobody adds noise")
CAPPED = Control("capped", "in h, count α only up to 1", "", (False, True), False)
SEEN = Control("seen", "the rest of the curve", "", (False, True), False)
CROWD = dataclasses.replace(
    CONTROL["n"], values=sorted({*CONTROL["n"].values, *(m * 10**6 for m in (4, 8, 16, 64))}))
SCALE = 4.0
"""The scale of the noise at alpha = 1 and d = 1; 8 at d = 2."""
REACH = 0.05
"""Where the axis of bars ends: the bar of the widest bump, and some room."""


def bar_of(h, beta, d):
    """The mean score of the cube of a bump (h - |x|)^beta of half-width h, |x| the maximum norm; exact.

    The integral over the cube of side 2h: the shell at distance r has the area d 2^d r^(d - 1), so that it is
    d 2^d h^(d + beta) B(d, beta + 1), with Euler's beta function.
    """
    share = math.gamma(d) * math.gamma(beta + 1) / math.gamma(d + beta + 1)
    return d * 2**d * share * np.asarray(h, float) ** (d + beta)


def sampling_level(h, n, d):
    """The standard deviation of the same score if nobody adds noise: that of counting people in the cube."""
    return np.sqrt(1.5 * (2 * np.asarray(h, float)) ** d / n)


class Hills(NamedTuple):
    """Bumps of one width, their bars, and the noise."""

    centres: np.ndarray
    signs: np.ndarray
    bar: float
    level: float
    seen: np.ndarray


class Bumps(LivePanel):
    """The truth with bumps of one width above, and their bars against the noise below."""

    name, title = "bumps", "Bumps and their bars"
    controls = (WIDTH, CROWD, NOISE)

    @staticmethod
    def compute(width, n, noise):
        """`Hills` of half-width `width` side by side, with signs in turn."""
        centres = np.arange(width, 1 - width * 0.999, 2 * width)
        level = noise_level(SCALE, n)
        signs = np.where(np.arange(len(centres)) % 2, -1.0, 1.0)
        seen = seen_bars(centres, signs, width, n, noise)
        return Hills(centres, signs, float(bar_of(width, 1, 1)), level, seen)

    @staticmethod
    def draw(result):
        """Above the truth, below the bars."""
        h = result.width
        x = np.linspace(0, 1, 401)
        nearest = np.abs(x[:, None] - result.centres).argmin(axis=1)
        hill = np.maximum(h - np.abs(x - result.centres[nearest]), 0) * result.signs[nearest]
        truth = (rule("half", "reference", y=0.5, width=1, dash=()),
                 line("eta", x, 0.5 + hill, "truth", width=3),
                 text("high", max(result.centres[0], 0.06), 0.5 + h, f"{h:g} high", anchor="middle", dy=-12))
        height = linear(0.25, 0.85, ticks=(0.3, 0.5, 0.7), words=("0.300", "0.500", "0.700"))
        above = Axes("truth", linear(0, 1, 0.2), height,
                     "the truth η: bumps of half-width h", "", "", truth, grid=False)
        return Picture(((above, score_axes(result, high=1.5)),))

    def conclude(self, result):
        """Bar and noise."""
        return (f"A bump of half-width h = {result.width:g} is {result.width:g} high. Its bar is "
                f"{figures(result.bar)}; the noise level of {result.n:,} people is {figures(result.level)}.")

    def summarise(self, result):
        """Bar and noise, and their ratio."""
        return [("true bar / noise", f"{result.bar / result.level:.2f}"), ("bar", figures(result.bar)),
                ("noise", f"±{figures(result.level)}"), ("people", short(result.n))]


def seen_bars(centres, signs, h, n, noise):
    """What an analyst sees of bars at `centres`: the score is a sum of many reports, drawn from their counts.

    Label and place of n / 2 people of either half are drawn exactly; the noise is the exact sum of n / 2
    Laplace draws in either half, differences of gamma variables.
    """
    rng, half = np.random.default_rng((3, noise)), n // 2
    p, tilt = 2 * h, signs * bar_of(h, 1, 1)
    first = rng.binomial(half, p, len(centres))
    second = rng.binomial(half, p / 2 + tilt)
    sums = [np.subtract(*rng.standard_gamma(half, (2, len(centres)))) * SCALE for _ in range(2)]
    return (second + sums[1]) / half - (first + sums[0]) / (2 * half)


def score_axes(result, **look):
    """The `Axes` of the bars against the noise."""
    marks = (noise_band(result.level, 0, 1, f"noise ±{result.level:.4f}"),
             rule("zero", "truth", y=0, width=1),
             *signal_bars(result.centres, result.signs * result.bar, 1.96 * result.width, seen=result.seen))
    return Axes("score", linear(0, 1, 0.2), linear(-REACH, REACH, 0.04),
                "the score of each bump's cube, α = 1", "feature x", "", marks, grid=False, **look)


class Senders(NamedTuple):
    """Reports of 144 persons about one cube."""

    x: np.ndarray
    inside: np.ndarray
    reports: np.ndarray


class Who(LivePanel):
    """Who adds noise to one cube: everybody."""

    name, title = "who", "Who adds noise to this cube?"
    controls = (WIDTH, NOISE)

    @staticmethod
    def compute(width, noise):
        """The `Senders` of one report each, about the cube in the middle."""
        x = (np.arange(144) + 0.5) / 144
        inside = np.abs(x - 0.5) < width
        return Senders(x, inside, inside + np.random.default_rng((4, noise)).laplace(0, SCALE, 144))

    @staticmethod
    def draw(result):
        """Every report as a dot over the place of its sender."""
        x, inside, reports = result.x, result.inside, result.reports
        reach, h = 30.0, result.width
        marks = (band("cube", [0.5 - h, 0.5 + h], [-reach] * 2, [reach] * 2, "zero"),
                 rule("zero", "truth", y=0, width=1),
                 text("cube words", 0.5, reach, "the cube", anchor="middle", dy=14),
                 dots("outside", np.where(inside, np.nan, x), reports, "truth", size=10, ring=True,
                      label="sent from outside: 0 + noise"),
                 dots("inside", np.where(inside, x, np.nan), reports, "second", size=12,
                      label="sent from inside: 1 + noise"))
        return Picture(((Axes("who", linear(0, 1, 0.2), linear(-reach, reach, 15),
                              "what 144 people answer: are you in this cube?", "feature x of the sender",
                              "", marks, grid=False),),))

    def conclude(self, result):
        """How much noise comes from whom."""
        level, inside = 2**0.5 * SCALE, int(result.inside.sum())
        return (f"Of 144 people {inside} are in the cube. All of them send noise: ±{level * inside**0.5:.1f} "
                "from "
                f"inside, ±{level * (144 - inside) ** 0.5:.1f} from outside, together ±{level * 12:.1f}, "
                "whatever h is.")

    def summarise(self, result):
        """The noise of the sum, and where it comes from."""
        level, inside = 2**0.5 * SCALE, int(result.inside.sum())
        return [("noise of the sum", f"±{level * 12:.1f}"), ("people inside", f"{inside} of 144"),
                ("their noise", f"±{level * inside**0.5:.1f}")]


class Lines(NamedTuple):
    """Bar and noise against the bandwidth."""

    h: np.ndarray
    bar: np.ndarray
    level: float
    sampling: np.ndarray
    cross: float
    """The private h at which the bar meets the noise."""
    cross_open: float


class Scales(LivePanel):
    """Bars and noise against the bandwidth, both on logarithmic scales."""

    name, title = "scales", "The finest bumps that can be seen"
    controls = (WIDTH, CROWD, CONTROL["d"], OPEN)

    @staticmethod
    def compute(width, n, d, open):
        """The `Lines` at alpha = beta = 1."""
        h = np.geomspace(0.004, 0.4, 61)
        bar, sampling, level = bar_of(h, 1, d), sampling_level(h, n, d), noise_level(2.0 ** (d + 1), n)
        constant = float(bar_of(1.0, 1, d))
        cross = (level / constant) ** (1 / (d + 1))
        cross_open = (float(sampling_level(1.0, n, d)) / constant) ** (1 / (d / 2 + 1))
        return Lines(h, bar, level, sampling, cross, cross_open)

    @staticmethod
    def draw(result):
        """Three lines, and where they cross."""
        d, ends = result.d, [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
        low, high = 1e-6, 0.3
        marks = [] if result.open else [
            band("drowned", result.h, [low] * len(result.h), [result.level] * len(result.h), "noise")]
        marks += [line("noise", result.h, [result.level] * len(result.h), "private", width=4, dash=(6, 2),
                       label="private noise: flat"),
                  line("bar", result.h, result.bar, "truth", width=4, label=f"bar: slope {d + 1}")]
        if result.open:
            marks += [line("open", result.h, result.sampling, "open", width=4,
                           label=f"without privacy: slope {d / 2:g}"),
                      rule("cross open", "open", x=result.cross_open, width=2),
                      text("cross open words", result.cross_open, low, f"h* = {result.cross_open:.4f}",
                           dx=5, dy=-14)]
        marks += [rule("cross", "private", x=result.cross, width=2),
                  text("cross words", result.cross, low, f"h* = {result.cross:.4f}", dx=5, dy=-38),
                  dots("here", [result.width], [float(bar_of(result.width, 1, d))], "truth", size=17,
                       handle=handle("width"))]
        return Picture(((Axes("scales", log(0.004, 0.4, "{:g}", ticks=ends), log(low, high),
                              "size of the bar and of the noise, for each h", "bandwidth h", "",
                              tuple(marks)),),))

    def conclude(self, result):
        """Where the lines cross."""
        return (f"With {short(result.n)} people in d = {result.d} the bar meets the private noise at h = "
                f"{result.cross:.4f}{_beyond(result.cross)}, and without privacy at h = "
                f"{result.cross_open:.4f}.")

    def summarise(self, result):
        """The finest visible bump."""
        d = result.d
        said = [("finest h, private", f"{result.cross:.4f}{_beyond(result.cross)}"),
                ("half of it costs", f"{2 ** (2 + 2 * d)} × people")]
        more = [("without privacy", f"{result.cross_open:.4f}"), ("half costs", f"{2 ** (2 + d)} × people")]
        return [*said, *more] if result.open else said


def _beyond(h):
    """A cube of half a width h above 1/2 is wider than all places."""
    return " (wider than all places)" if h > 0.5 else ""


class Compromise(LivePanel):
    """The exact risk at one n against the bandwidth: noise on one side, blur on the other."""

    name, title = "compromise", "Too narrow drowns, too wide blurs"
    controls = (CONTROL["h"], CROWD)

    @staticmethod
    def compute(h, n):
        """What *explore* computes there, at alpha = beta = gamma = d = 1."""
        return explore.UpperRate.compute(h=h, n=n)

    @staticmethod
    def draw(result):
        """The left half of *explore*."""
        axes = explore.compromise(result.found)
        words = {"noise": "what noise costs", "bias": "what blur costs", "worst": "the larger of the two"}
        marks = sorted((mark._replace(label=words.get(mark.key, mark.label)) for mark in axes.marks),
                       key=lambda mark: mark.key != "worst")
        cross = noise_level(SCALE, result.n) ** 0.5 / theorem_bandwidth(result.n, 1.0, 1.0, 1)
        marks.append(rule("cross", "truth", x=cross, width=1.5, dash=(1, 1), label="h*: bar = noise"))
        title = f"exact excess risk with {short(result.n)} people: the theorem's h is {beside(result.found)}"
        return Picture(((axes._replace(title=title, marks=tuple(marks)),),))

    def conclude(self, result):
        """Which side rules."""
        return explore.UpperRate.conclude(self, result.found)

    def summarise(self, result):
        """The risk here, and the least one."""
        found = dict(explore.UpperRate.summarise(self, result.found))
        return [("excess risk", found["exact risk, worst width"]), ("least", found["least, over h"]),
                ("the theorem's h is", beside(result.found))]


def beside(result):
    """How the theorem's h compares with the best one of those tried, in words."""
    best = result.sweep.multiple[result.sweep.best]
    return "too narrow" if best > 1 else "too wide" if best < 1 else "the best of these"


BUDGETS = np.geomspace(0.1, 1e4, 16)


class Budgets(NamedTuple):
    """Risk and people in a cube against the budget."""

    risk: np.ndarray
    inside: np.ndarray


@lru_cache(maxsize=2)
def budgets(capped, n=10_000):
    """The `Budgets` on *sine*, n people, at the bandwidth of the theorem for alpha, or for min(alpha, 1)."""
    law = problem("sine")
    widths = [theorem_bandwidth(n, min(alpha, 1.0) if capped else alpha, 1.0, 1) for alpha in BUDGETS]
    risks = [excess_risk(CubeClassifier(alpha, h, noise="real"), law, n, relative_error=pictures.ERROR)
             for alpha, h in zip(BUDGETS, widths)]
    return Budgets(np.array(risks), 2 * np.array(widths) * n)


class Budget(LivePanel):
    """More and more budget for ten thousand people, with the bandwidth that the rate seems to ask for."""

    name, title = "budget", "Can budget replace people?"
    controls = (CAPPED, SEEN)

    @staticmethod
    def compute(capped, seen):
        """The `Budgets`."""
        return budgets(capped)

    @staticmethod
    def draw(result):
        """The exact risk against alpha."""
        ticks = [0.1, 1, 10, 100, 1000, 10_000]
        shown = np.where(result.seen | (BUDGETS <= 50), result.risk, np.nan)
        last = len(BUDGETS) - 1 if result.seen else int((BUDGETS <= 50).sum()) - 1
        marks = (line("risk", BUDGETS, shown, "private", width=4),
                 dots("few", BUDGETS, shown, "private", size=9),
                 *(text(f"people {k}", BUDGETS[k], result.risk[k],
                        f"{round(result.inside[k]):,} people in a cube",
                        anchor="start" if k == 0 else "end" if result.seen else "middle",
                        dy=-22 if k == 0 or result.seen else 24)
                   for k in (0, last)))
        return Picture(((Axes("budget", log(0.02, 5e4, "{:g}", ticks=ticks),
                              log(5e-4, 1, ticks=[1e-3, 0.01, 0.1, 1]),
                              "exact excess risk of 10,000 people; the truth is a sine wave",
                              "privacy budget α", "", marks),),))

    def conclude(self, result):
        """Where the risk is least, and at the end."""
        if not result.seen:
            return (f"The excess risk of 10,000 people falls from {result.risk[0]:.3f} at α = 0.1 to "
                    f"{result.risk[8]:.4f} at α = {BUDGETS[8]:.3g}; the rest of the curve is not shown yet.")
        low = int(result.risk.argmin())
        return (f"The excess risk is least at α = {BUDGETS[low]:.3g}, {result.risk[low]:.4f}, and "
                f"{result.risk[-1]:.4f} at α = 10,000, where a cube holds {result.inside[-1]:.0f} people.")

    def summarise(self, result):
        """The ends of the curve."""
        if not result.seen:
            return [("risk at α = 46", f"{result.risk[8]:.4f}")]
        return [("risk at α = 10,000", f"{result.risk[-1]:.4f}"), ("least", f"{result.risk.min():.4f}"),
                ("people in a cube", f"{result.inside[-1]:,.0f}")]


class UpperRate(Story):
    """Notebook 03: the bar falls like h^(d + beta), the noise stays; they meet at the finest visible bump."""

    name = "upper_rate"
    version = 2
    title = "How fast can the risk fall?"
    size = (10.0, 5.2)
    controls = (*(CROWD if control.name == "n" else control for control in explore.UpperRate.controls), WIDTH,
                OPEN, NOISE, CAPPED, SEEN)
    views = {"bumps": Bumps, "who": Who, "scales": Scales, "compromise": Compromise, "budget": Budget,
             "explore": explore.UpperRate}
    scenes = (
        Scene("bump", "A narrow bump must be low. Its bar is lower still: few people live in a narrow cube.",
              {"n": 10**6, "width": 0.2}, ("noise",), view="bumps"),
        Scene("halve h", "Make the bumps half as wide: their bars shrink by 4. And the noise?", {},
              ("width", "noise"), view="bumps",
              ask=Ask(("falls by 4", "falls by 2", "falls by √2", "stays"), 3, (
                  "The noise does not know how high a bump is. It stays; the next scene says why.",
                  "Half of the people are in the cube, but all add noise. The next scene shows it.",
                  "That is true without privacy, where only people in the cube count. Here all add noise.",
                  "Bars fall from 0.04 to 0.01, the noise stays at 0.0089. The next scene says why."),
                      {"width": 0.1})),
        Scene("who", "Why? Few people live in the cube. But everybody sends noise to it.", {"width": 0.1},
              ("width", "noise"), view="who"),
        Scene("cross",
              "The finest bumps that you can see are where the lines cross. Play: 16 times the people, half "
              "the h.",
              {}, ("width", "n", "open"), view="scales", play=("n", (10**6, 4 * 10**6, 16 * 10**6)),
              recall="halve h"),
        Scene("two features",
              "With one feature, half the h costs 16 times the people. How much with two features?", {},
              ("n", "d", "open"), view="scales", play=("n", (10**6, 8 * 10**6, 64 * 10**6)),
              ask=Ask(("16 times", "32 times", "64 times", "256 times"), 2, (
                  "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times.",
                  "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times.",
                  "The bar falls by 8: 2 for the height, 4 for the people. The root of 64 is 8.",
                  "The bar falls by 8 now: 2 for the height, 4 for the people. So 8² = 64 times."),
                      {"d": 2})),
        Scene("best h",
              "Narrow cubes lose to noise, wide cubes to blur. The theorem's rate does not say how deep the "
              "noise is: is its h right?",
              {"n": 10**8, "h": 1.0, "d": 1}, ("h", "n"), view="compromise"),
        Scene("break it",
              "Ten thousand people and more and more budget α; h shrinks as the theorem says. What happens "
              "next?", {},
              ("capped",), view="budget",
              ask=Ask(("the risk falls on", "it stays", "it rises"), 2, (
                  "It rises: h shrinks until chance decides in cubes of few people.",
                  "It rises: h shrinks until chance decides in cubes of few people.",
                  "h shrinks until chance decides in cubes of few people."),
                      {"seen": True})),
        Scene("explore", "For questions: one n and all h on the left; all n and the bounds on the right.", {},
              view="explore"),
    )


STORY = UpperRate

"""The story of notebook 05: fine wavelets are loud, so a tall spike hides where many bumps did.

Butucea, Dubois, Kroll & Saumard (2020), Corollaries 2.1 and 4.1, Theorem 5.1.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.estimation.densities import on_grid
from ldp_lib.lessons.bars import NOISE, noise_band, signal_bars
from ldp_lib.lessons.elbow import explore
from ldp_lib.lessons.pictures import broken, stems
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk import mise
from ldp_lib.stage import Control
from ldp_lib.stage.picture import (
    Axes, Picture, band, bars, dots, handle, line, linear, log, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Scene
from ldp_lib.theory import density_elbows
from ldp_lib.theory.coefficients import norm_power
from ldp_lib.wavelets import wavelet_basis

CONTROL = {control.name: control for control in explore.Elbow.controls}
BASIS = wavelet_basis("db2")
TIMES = tuple(round(k / 80, 4) for k in range(80))


def clock(x):
    """A time of day.

    >>> clock(0.3)
    '7:12'
    """
    hours, minutes = divmod(round(1440 * x), 60)
    return f"{hours}:{minutes:02}"


FIRST = Control("x", "A leaves at", "", TIMES, 0.3, clock)
SECOND = Control("x2", "B leaves at", "", TIMES, 0.25, clock)
LEVEL = Control("j", "level", "j", range(2, 10), 2, "{}", "a wavelet of the next level is half as wide")
NORM = Control("norm", "spikes allowed: small", "p", (3.0, 2.75, 2.5, 2.25, 2.0, 1.75, 1.5), 3.0,
               "{:g}", "the smaller, the taller a single spike may be")
SMOOTH = Control("smooth", "smoothness", "s", (0.75, 0.9, 1.0, 1.1, 1.25), 1.0, "{:g}",
                 "the larger, the lower fine bumps must be")
OPEN = Control("open", "without privacy", "", (False, True), False, help="nobody adds noise")
SPIKE = Control("spike", "level of the spike", "j", (6, 9), 9, "{}", "the finer, the taller and thinner")
MISTAKE = Control("mistake", "mistake", "", ("no mistake", "forget B", "only wavelets that see you"),
                  "no mistake")
SEEN = Control("seen", "the private estimate", "", (False, True), False)
HOURS = {"ticks": (0, 0.25, 0.5, 0.75, 1), "words": ("0:00", "6:00", "12:00", "18:00", "24:00")}


def noise_of(j, n):
    """One standard deviation of the noise in the mean of n reports about level j alone, alpha = 1."""
    return 2**1.5 * BASIS.S_psi * 2.0 ** (np.asarray(j) / 2) / math.sqrt(n)


@lru_cache(maxsize=1)
def leavers():
    """When the 144 persons leave: the time of each is invented, their law is that of the departures."""
    return np.quantile(flights(), (np.arange(144) + 0.5) / 144)


class Seen(NamedTuple):
    """What wavelets of one level see of a person."""

    first: int
    """The first wavelet that sees her."""
    numbers: np.ndarray
    """Of all wavelets of the level."""
    report: np.ndarray
    level: float


class Person(LivePanel):
    """The wavelets that see a person, and what she sends."""

    name, title = "person", "A person and the wavelets that see her"
    controls = (FIRST, LEVEL, NOISE)

    @staticmethod
    def compute(x, j, noise):
        """What is `Seen` at time x, and her report about level j, alpha = 1."""
        first, values = BASIS.values(np.array([x]), j)
        translates, level = BASIS.translates(j), float(noise_of(j, 1))
        numbers = np.zeros(len(translates))
        numbers[first[0] - translates.start + np.arange(BASIS.overlap)] = values[0]
        drawn = np.random.default_rng((10, noise)).laplace(0, level / 2**0.5, 2**9 + BASIS.overlap - 1)
        return Seen(int(first[0]), numbers, numbers + drawn[:len(numbers)], level)

    @staticmethod
    def draw(result):
        """Left the wavelets and the person, right her numbers in the noise band."""
        j, x, start = result.j, result.x, BASIS.translates(result.j).start
        reach, steps = 12.0 * 2 ** max(0, (result.j - 5) / 2), np.linspace(0, BASIS.overlap, 97)
        values = 2 ** (j / 2) * BASIS.psi(steps)
        ks = np.arange(start, start + len(result.numbers)) if j <= 5 else np.array([start])
        others = [(steps + k) / 2**j for k in ks]
        here = result.numbers[result.first - start:][:BASIS.overlap]
        marks = [line("others", broken(np.array(others)), broken(np.tile(values, (len(ks), 1))), "reference",
                      width=1, dash=())]
        for m, role in enumerate(("private", "open", "other")):
            k = result.first + m
            when = (steps + k) / 2**j
            marks.append(line(f"sees {m}", when, values, role, width=3))
            if j <= 5:
                top = np.where((when >= 0) & (when <= 1), values, -np.inf).argmax()  # of what is seen of it
                marks.append(text(f"number {m}", when[top], values[top], f"{k}".replace("-", "−"),
                                  anchor="middle", dy=-6))
        marks += [rule("time", "truth", x=x, width=1.5, handle=handle("x")),
                  dots("numbers", [x] * len(here), here, "truth", size=11, ring=True, handle=handle("x")),
                  text("time words", x, reach, clock(x), dx=6, dy=16),
                  dots("people", leavers(), np.full(144, -0.86 * reach), "truth", size=6, ring=True),
                  text("people words", 0.02, -0.86 * reach, "144 people", dy=-10)]
        places = np.arange(start, start + len(result.numbers))
        far = max(2.2 * result.level, 1.1 * float(np.abs(result.report).max()))
        sent = (noise_band(result.level, places[0] - 0.7, places[-1] + 0.7, f"noise ±{result.level:.1f}"),
                rule("zero", "truth", y=0, width=1), *signal_bars(places, result.numbers, 0.7),
                dots("report", places, result.report, "private", size=8, label="what she sends"))
        unit = 10.0 ** math.floor(math.log10(far))
        return Picture((
            (Axes("wave", linear(0, 1, **HOURS), linear(-reach, reach, 4 if j <= 5 else reach / 2, "{:.0f}"),
                  f"wavelets of level {j}, with their number k", "time of day", "", tuple(marks), grid=False,
                  wide=1.3),),
            (Axes("report", linear(places[0] - 0.7, places[-1] + 0.7, max(1, len(places) // 6)),
                  linear(-far, far, unit * (1 if far < 5 * unit else 2)),
                  f"her report, α = 1: {len(places)} numbers", "wavelet k", "", sent, grid=False),)))

    def conclude(self, result):
        """Her numbers."""
        return (f"At {clock(result.x)} the wavelets of level {result.j} see {not_zero(result.numbers)}. She "
                f"sends all {len(result.numbers)} numbers, each with noise of ±{result.level:.1f}.")

    def summarise(self, result):
        """Her numbers and the noise."""
        return [("numbers sent", f"{len(result.numbers)}"), ("noise of each", f"±{result.level:.1f}"),
                ("not 0", not_zero(result.numbers))]


def not_zero(numbers):
    """What is not 0, as far as it is printed."""
    return ", ".join(f"{value:.3f}".replace("-", "−") for value in numbers[np.abs(numbers) >= 0.0005])


class Loud(NamedTuple):
    """Tallest values and noise by level, and a bump that hides at one of them."""

    tallest: np.ndarray
    level: np.ndarray
    height: float
    f: np.ndarray


GRID = np.arange(1, 2**11) / 2**11
"""Where densities are drawn."""
FLAT = 4 / 3
"""Height of the density where bumps hide: a bump this high, turned over, reaches 0."""


@lru_cache(maxsize=1)
def plateau():
    """The density on which bumps are hidden, at `GRID`."""
    return density("plateau").pdf(GRID)


class Levels(LivePanel):
    """Noise level by level, and what hides under it."""

    name, title = "levels", "Fine levels are loud"
    controls = (LEVEL, CONTROL["n"])

    @staticmethod
    def compute(j, n):
        """The `Loud` levels."""
        at = np.array(LEVEL.values)
        gamma = float(noise_of(j, n))
        f = plateau() + gamma * BASIS.wavelet(GRID, j, 2 ** (j - 1) - 1)
        return Loud(2.0 ** (at / 2) * BASIS.psi_max, noise_of(at, n), gamma * 2 ** (j / 2) * BASIS.psi_max, f)

    @staticmethod
    def draw(result):
        """Left both by level, right the bump."""
        at, j = np.array(LEVEL.values), result.j
        here = [LEVEL.values.index(j)]
        marks = (line("tallest", at, result.tallest, "truth", width=3, label="tallest value of a person"),
                 line("noise", at, result.level, "private", width=4,
                      label=f"noise in the mean of {short(result.n)}"),
                 dots("here", at[here], result.level[here], "private", size=15, handle=handle("j")),
                 dots("top", at[here], result.tallest[here], "truth", size=13))
        hidden = (line("density", GRID, result.f, "truth", width=3, label="with bump"),
                  line("plateau", GRID, plateau(), "bound", width=3, dash=(3, 2), label="without bump"),
                  text("height", 0.5, FLAT + result.height, f"{result.height:.2g} high", anchor="middle",
                       dy=-12))
        return Picture((
            (Axes("loud", linear(1.7, 9.3, ticks=at), log(1e-4, 1e2), "how loud a level is, α = 1", "level j",
                  "", marks),),
            (Axes("hidden", linear(0, 1, 0.25), linear(0, 3, 1), f"a bump of level {j} that hides in it", "x",
                  "", hidden),)))

    def conclude(self, result):
        """The numbers of the level."""
        k = LEVEL.values.index(result.j)
        return (f"A wavelet of level {result.j} is up to {result.tallest[k]:.2f} tall. The noise in the "
                f"mean of {short(result.n)} reports is {result.level[k]:.4f}. A bump {result.height:.2g} "
                f"high hides{no_room(result.f)}.")

    def summarise(self, result):
        """The same."""
        k = LEVEL.values.index(result.j)
        return [("hidden height", f"{result.height:.3g}{no_room(result.f)}"),
                ("noise", f"{result.level[k]:.4f}"), ("tallest value", f"{result.tallest[k]:.2f}")]


def no_room(f):
    """No density is negative: so much noise would hide more than there can be."""
    return ", more than a density has room for" if f.min() < -1e-3 else ""


CROWD, OPEN_CROWD = 31_600_000, 3000
"""People of the hiding place, with privacy and without."""
RADIUS = 12.0
"""Of the Besov ball, for the hidden bumps alone."""
HIDING = np.arange(5, 11)
"""Levels where bumps may be hidden."""


class Side(NamedTuple):
    """An adversary, with privacy or without."""

    m: np.ndarray
    """How many bumps cost most on each level: as many as fit, or one; (6,)."""
    gamma: np.ndarray
    """The size of their coefficients, (6,)."""
    loss: np.ndarray
    """m gamma^r ||psi_jk||_r^r, in units of the lever's left end, (6,)."""
    ends: np.ndarray
    """Levels at the ends of the lever: as many bumps as fit, and one."""
    lever: np.ndarray
    """The loss at both ends, in the same unit."""
    slope: float
    hidden: np.ndarray
    """How high a bump of one noise level is, by level, (6,)."""

    @property
    def best(self):
        """Index of the best level."""
        return int(self.loss.argmax())


def fitting(j):
    """How many disjoint supports of level j fit the flat half, as `ldp_lib.theory.DenseFamily` counts."""
    return int((math.floor(0.75 * 2.0**j) - math.ceil(0.25 * 2.0**j)) // BASIS.overlap)


@lru_cache(maxsize=512)
def adversary(p, s, r, open):
    """The `Side` of class and loss p, s, r.

    Coefficients are at most one noise level, c 2^(a j), a = 1/2 with privacy and 0 without; the norm of m of
    them is at most `RADIUS`; and no density is negative. As in the proofs m is as many as fit, or 1. The
    lever is the same for a continuous j.
    """
    a = 0.0 if open else 0.5
    c = math.sqrt(FLAT / OPEN_CROWD) if open else float(noise_of(0, CROWD))
    weight = s + 0.5 - 1 / p

    def loss(j, m, gamma):
        return m * gamma**r * norm_power(BASIS.name, r) * 2.0 ** (j * (r / 2 - 1))

    rows = []
    for j in HIDING:
        m = np.array([fitting(j), 1])
        top = min(c * 2.0 ** (a * j), FLAT / (2 ** (j / 2) * BASIS.psi_max))
        gamma = np.minimum(top, RADIUS * 2.0 ** (-j * weight) * m ** (-1 / p))
        k = loss(j, m, gamma).argmax()
        rows.append((m[k], gamma[k], loss(j, m, gamma)[k]))
    room, steep = math.log2(RADIUS / c), a + s + 0.5
    lid = math.log2(FLAT / BASIS.psi_max / c) / (a + 0.5)
    crowded = math.log2(2 * BASIS.overlap) / (p * steep) + room / steep
    ends = np.minimum([crowded, room / (steep - 1 / p)], lid)
    gamma = c * 2.0 ** (a * ends)
    lever = loss(ends, (RADIUS * 2.0 ** (-ends * weight) / gamma) ** p, gamma)
    m, gamma, losses = np.array(rows).T
    # m falls like 2^(j (1 - p (a + s + 1/2))), and the loss of one bump rises like 2^(j (a r + r/2 - 1)).
    return Side(m, gamma, losses / lever[0], ends, lever / lever[0], (a + 0.5) * r - p * steep,
                c * 2.0 ** ((a + 0.5) * HIDING) * BASIS.psi_max)


def bumpy(j, m, gamma):
    """The density with m bumps at level j, spread over the flat half; signs in no order, one alone is up."""
    start, c, most = math.ceil(2.0**j / 4), BASIS.overlap, fitting(j)
    chosen = (most * (np.arange(m) + 0.5) / m).astype(int)
    sizes = np.zeros(most)
    sizes[chosen] = np.random.default_rng(4).choice([1.0, -1.0], len(chosen)) if m > 1 else 1.0
    index = np.floor((GRID * 2.0**j - start) / c).astype(int)
    inside = (index >= 0) & (index < most)
    index = np.where(inside, index, 0)
    return plateau() + gamma * np.where(inside, sizes[index] * BASIS.wavelet(GRID, j, start + c * index), 0.0)


class Hidden(NamedTuple):
    """The adversary with privacy, the one without, and the density of the one that is shown."""

    private: Side
    usual: Side
    shown: Side
    f: np.ndarray
    open: bool


def hidden(norm, smooth, r, open):
    """What is `Hidden`, and by whom."""
    sides = [adversary(norm, smooth, r, known) for known in (False, True)]
    shown = sides[open]
    k = shown.best
    return Hidden(*sides, shown, bumpy(int(HIDING[k]), int(shown.m[k]), shown.gamma[k]), open)


def hidden_axes(result):
    """The `Axes` of the density that costs most, in the noise of its level."""
    shown = result.shown
    k = shown.best
    count, most = int(shown.m[k]), fitting(HIDING[k])
    flat = FLAT + shown.hidden[k] * np.array([-1, 1])
    crowd = (f"{OPEN_CROWD:,} people, not private" if result.open
             else f"{CROWD / 10**6:.1f} million people, α = 1")
    marks = (band("noise", [0.2, 0.8], [max(flat[0], 0)] * 2, [flat[1]] * 2, "noise",
                  label=f"what hides on level {HIDING[k]}"),
             line("density", GRID, result.f, "truth", width=3),
             text("words", 0.5, 3.35, f"{count} of {most} places side by side", anchor="middle"),
             text("height", 0.5, 3.35, f"level {HIDING[k]}, {height(shown):.2g} high", anchor="middle",
                  dy=22))
    return Axes("hidden", linear(0.2, 0.8, 0.1), linear(0, 3.6, 1), f"what costs you most: {crowd}", "x", "",
                marks, grid=False, wide=1.1)


def tall(j, gamma):
    """How high a bump is, from its coefficient."""
    return gamma * 2.0 ** (np.asarray(j) / 2) * BASIS.psi_max


def ceilings(j, p, s):
    """The largest coefficients of the class at levels j: at all places, and of one spike alone."""
    one = RADIUS * 2.0 ** (-j * (s + 0.5 - 1 / p))
    return one * (2**j / (2 * BASIS.overlap)) ** (-1 / p), one


class Hiding(LivePanel):
    """What the noise hides, and what the class allows."""

    name, title = "hiding", "The hiding place"
    controls = (NORM, SMOOTH, CONTROL["r"])

    @staticmethod
    def compute(norm, smooth, r):
        """What is `Hidden` with privacy."""
        return hidden(norm, smooth, r, False)

    @staticmethod
    def draw(result):
        """Left the density, right its height against the noise and the class."""
        shown, j = result.shown, np.linspace(4.7, 10.6, 60)
        noise = tall(j, noise_of(j, CROWD))
        many, one = (tall(j, gamma) for gamma in ceilings(j, result.norm, result.smooth))
        low, k = 0.02, shown.best
        ends = tall(shown.ends, noise_of(shown.ends, CROWD))
        marks = (band("hides", j, [low] * len(j), noise, "noise"),
                 line("noise", j, noise, "private", width=4, label="noise: lower ones hide"),
                 line("many", j, many, "other", width=4, label="class: bumps at all places"),
                 line("one", j, one, "bound", width=4, dash=(6, 2), label="class: one spike"),
                 dots("ends", shown.ends, ends, "truth", size=11, ring=True),
                 text("end words", shown.ends, ends, ["many", "one"], anchor="middle", dy=-20),
                 dots("ball", HIDING[[k]], [height(shown)], "truth", size=19))
        if max(ends) > 0.999 * FLAT:  # no density is negative
            marks += (rule("lid", "reference", y=FLAT, width=1.5, dash=(1, 1)),
                      text("lid words", 4.8, FLAT, "deeper: below 0", dy=-12))
        ticks = (0.05, 0.1, 0.2, 0.5, 1, 2)
        return Picture(((hidden_axes(result),),
                        (Axes("ceilings", linear(4.7, 10.6, ticks=HIDING), log(low, 4, "{:g}", ticks=ticks),
                              "how high bumps may be", "level j", "", marks),)))

    def conclude(self, result):
        """What the best adversary does, and where the ceilings meet the noise."""
        shown = result.shown
        k = shown.best
        return (f"At p = {result.norm:g}, s = {result.smooth:g} and r = {result.r:g} the adversary hides "
                f"{int(shown.m[k])} on level {HIDING[k]}, {height(shown):.3g} high. Bumps at all places meet "
                f"the noise at level {shown.ends[0]:.2f}, one spike at level {shown.ends[1]:.2f}.")

    def summarise(self, result):
        """Bumps, and where the ceilings meet the noise."""
        shown = result.shown
        k = shown.best
        return [("bumps", f"{int(shown.m[k])}"), ("level", f"{HIDING[k]}"),
                ("height", f"{height(shown):.3g}"), ("many meet the noise at level", f"{shown.ends[0]:.1f}"),
                ("one meets it at level", f"{shown.ends[1]:.1f}")]


class Lever(LivePanel):
    """What both ends cost, with privacy and without."""

    name, title = "lever", "The lever"
    controls = (NORM, SMOOTH, CONTROL["r"], OPEN)

    @staticmethod
    def compute(norm, smooth, r, open):
        """What is `Hidden`."""
        return hidden(norm, smooth, r, open)

    @staticmethod
    def draw(result):
        """Left the density, right the lever."""
        shown, role = result.shown, ("private", "open")[result.open]
        k = shown.best
        lowest = 1 / 16
        marks = [line("lever", result.private.ends, result.private.lever, "private", width=6,
                      label="lever, private", dash=())]
        if result.open:
            marks.append(line("open lever", result.usual.ends, result.usual.lever, "open", width=5,
                              label="lever, no privacy"))
        end, up = int(shown.m[k] == 1), bool(shown.slope > 0)  # words stand off the lever
        steep = math.log2(shown.lever[1])  # where the lever leaves the picture, its word stays inside
        inside = min(1.0, 3.2 / max(abs(steep), 3.2))
        marks += [dots("ends", shown.ends, shown.lever, "truth", size=11, ring=True),
                  dots("ball", shown.ends[[end]], shown.lever[[end]], role, size=20),
                  text("many", shown.ends[0], shown.lever[0], "many bumps", anchor="middle", dy=32),
                  text("one", shown.ends[0] + inside * (shown.ends[1] - shown.ends[0]), 2 ** (inside * steep),
                       "one spike", anchor="end", dx=12, dy=48 * (not up) - 18),
                  dots("pivot", [result.private.ends.mean()], [math.prod(result.private.lever) ** 0.5 * 0.8],
                       "truth", size=15, marker="triangle")]
        ticks = 2.0 ** np.arange(-4, 5)
        fractions = ["1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16"]
        return Picture((
            (hidden_axes(result),),
            (Axes("lever", linear(4.7, 10.6, ticks=HIDING), log(lowest, 16, ticks=ticks, words=fractions),
                  "loss, if many bumps cost 1", "level j", "", tuple(marks)),)))

    def conclude(self, result):
        """What the best adversary does, and where the levers tip."""
        shown = result.shown
        k = shown.best
        return (f"At p = {result.norm:g}, s = {result.smooth:g} and r = {result.r:g} the adversary hides "
                f"{int(shown.m[k])} on level {HIDING[k]}, {height(shown):.3g} high. The slope of the private "
                f"lever is {result.private.slope:g}, without privacy {result.usual.slope:g}.")

    def summarise(self, result):
        """Bumps, slopes, elbows."""
        shown, elbows = result.shown, density_elbows(result.smooth, result.r)
        k = shown.best
        said = [("bumps", f"{int(shown.m[k])}"), ("height", f"{height(shown):.3g}"),
                ("private: slope", signed(result.private.slope)), ("tips at p", f"{elbows.private:.3g}")]
        more = [("not private: slope", signed(result.usual.slope)),
                ("it tips at p", f"{elbows.nonprivate:.3g}")]
        return said + more if result.open else said


def signed(value):
    """A number with its sign.

    >>> signed(-0.5), signed(0.0)
    ('−0.5', '0')
    """
    return f"{value:+.3g}".replace("-", "−") if value else "0"


def height(side):
    """How high the bumps of the best level are."""
    k = side.best
    return float(side.gamma[k] * 2.0 ** (HIDING[k] / 2) * BASIS.psi_max)


MANY = tuple(n for n in CONTROL["n"].values if n >= 10**9)
CROWDS = Control("many", "people", "n", MANY, 10**9, short, "people in all")
ERRORS = {
    6: {"same": (2.65e-3, 1.49e-3, 8.38e-4, 4.71e-4, 2.65e-4, 1.49e-4, 8.41e-5, 5.33e-5),
        "threshold": (9.05e-4, 5.32e-4, 3.09e-4, 1.87e-4, 1.27e-4, 7.96e-5, 4.77e-5, 2.97e-5),
        "best": (3.10e-4, 1.74e-4, 9.83e-5, 5.54e-5, 3.13e-5, 1.77e-5, 1.02e-5, 6.55e-6)},
    9: {"same": (0.185, 0.104, 0.0585, 0.0329, 0.0185, 0.0104, 5.85e-3, 3.70e-3),
        "threshold": (7.23e-3, 5.17e-3, 2.96e-3, 1.51e-3, 9.40e-4, 6.24e-4, 3.53e-4, 2.39e-4),
        "best": (1.00e-3, 9.66e-4, 9.47e-4, 9.36e-4, 9.30e-4, 9.27e-4, 6.31e-4, 3.99e-4)},
}
"""Level of the spike -> rule -> E ||fhat - f||^2 / ||f||^2 at `MANY`, alpha = 1, db2; a test recomputes it.

The reports are those of `cutter`. "same": the linear rule on them. "threshold": `cutter`, simulated, 40
repeats, seed 1. "best": the least exact error of all linear rules, on fathers or on (3.1), J = 1, ..., 12."""
COARSE = {6: (7,) * 8, 9: (6,) * 6 + (10,) * 2}
"""Level of the spike -> J of the fathers that have the least error at `MANY`; a test recomputes it."""


def cutter(spike):
    """The threshold rule that reads reports (3.1) with one level more than that of the spike."""
    return ThresholdWaveletDensity(1.0, "db2", spike + 1, first_level=spike // 2, scales="common",
                                   noise="real", factor=1.0)


@lru_cache(maxsize=2)
def spiky(spike):
    """The law with a spike of this level, as tall as the plateau allows; and the mechanism of `cutter`."""
    return explore.law("spikes", "db2", None, 1.25, 1.0, level=spike), cutter(spike).mechanism(1)


class Cells(NamedTuple):
    """Noisy coefficients of the level of the spike, and the errors of rules."""

    noisy: np.ndarray
    true: np.ndarray
    level: float
    threshold: float
    errors: dict
    """The rows of `ERRORS`."""
    scales: tuple
    """Of the noise in one number of a report: of all levels, and of a coarse one."""


class Cut(LivePanel):
    """One spike among noisy cells: who keeps what, and what it costs."""

    name, title = "cut", "Keep or cut"
    controls = (CROWDS, SPIKE, NOISE)

    @staticmethod
    def compute(many, spike, noise):
        """The `Cells`."""
        law, mechanism = spiky(spike)
        means = explore.coefficients(law, many)["psi"][spike]
        up, down = np.random.default_rng((6, noise)).standard_gamma(many, (2, len(means)))
        level = 2**0.5 * mechanism.scale / math.sqrt(many)
        coarse = WaveletLaplace(1.0, "db2", COARSE[spike][MANY.index(many)], "scaling_only", noise="real")
        return Cells(means + mechanism.scale * (up - down) / many, law.truth["psi"][spike], level,
                     float(cutter(spike).thresholds(mechanism, many)[-1]), ERRORS[spike],
                     (mechanism.scale, coarse.scale))

    @staticmethod
    def draw(result):
        """Left the cells, right the errors against n."""
        at = np.arange(len(result.noisy)) / len(result.noisy)
        kept, k = np.abs(result.noisy) >= result.threshold, int(np.abs(result.true).argmax())
        reach = 1.15 * max(float(np.abs(result.noisy).max()), result.threshold)
        cells = (noise_band(result.level, 0, 1, f"noise ±{result.level:.4f}"),
                 line("cut", *stems(at[~kept], result.noisy[~kept]), "reference", width=1, dash=()),
                 rule("threshold", "bound", y=[-result.threshold, result.threshold], width=2.5),
                 line("kept", *stems(at[kept], result.noisy[kept]), "private", width=5),
                 dots("tops", at[kept], result.noisy[kept], "private", size=12),
                 dots("spike", at[[k]], result.true[[k]], "truth", size=18, ring=True,
                      label="the true spike"),
                 text("words", 0, result.threshold, "threshold", dx=6, dy=-10))
        looks = {"same": ("reference", (4, 2), "linear, all cells"),
                 "best": ("open", (6, 2), "linear, coarse reports"),
                 "threshold": ("private", (), "threshold")}
        k = MANY.index(result.many)
        marks = [line(key, MANY, np.where(np.arange(len(MANY)) <= k, result.errors[key], np.nan), role,
                      width=4, dash=dash, label=words) for key, (role, dash, words) in looks.items()]
        marks += [dots(f"{key} here", [result.many], [result.errors[key][k]], role, size=13)
                  for key, (role, *_) in looks.items()]
        return Picture((
            (Axes("cells", linear(0, 1, 0.25), linear(-reach, reach, _step(reach)),
                  f"level {result.spike}: a number for each of {len(at)} cells", "x", "", cells,
                  grid=False),),
            (Axes("errors", log(8e8, 6.5e10, ticks=(10**9, 10**10)),
                  log(4e-6, 0.5), "error of the whole curve", "people n", "", tuple(marks)),)))

    def conclude(self, result):
        """Who has the least error."""
        k = MANY.index(result.many)
        kept = int((np.abs(result.noisy) >= result.threshold).sum())
        said = {"same": "the linear rule that keeps all cells", "threshold": "the threshold",
                "best": "the best linear rule of whole levels (db2), on coarse reports"}
        return (f"With {short(result.many)} people the threshold keeps {kept} of {len(result.noisy)} cells. "
                "The error over the square of the curve: "
                + ", ".join(f"{words} {short(result.errors[key][k])}" for key, words in said.items())
                + ". Each number of a report has the noise scale {:.0f}, of a coarse one {:.0f}.".format(
                    *result.scales))

    def summarise(self, result):
        """Three errors, the noise of both reports, and cells kept."""
        k = MANY.index(result.many)
        kept = int((np.abs(result.noisy) >= result.threshold).sum())
        return [("threshold", short(result.errors["threshold"][k])),
                ("linear, coarse reports", short(result.errors["best"][k])),
                ("all cells", short(result.errors["same"][k])),
                ("noise scale", "{:.0f}, coarse {:.0f}".format(*result.scales)),
                ("cells kept", f"{kept} of {len(result.noisy)}")]


def _step(reach):
    """A round distance of ticks."""
    unit = 10.0 ** math.floor(math.log10(reach))
    return next(unit * k for k in (0.5, 1, 2, 5) if reach / (unit * k) < 3)


BEST = {0.125: (2, 0.2403), 0.178: (2, 0.2166), 0.237: (3, 0.1801), 0.316: (3, 0.1573), 0.422: (3, 0.1445),
        0.562: (3, 0.1373), 0.75: (3, 0.1332), 1.0: (4, 0.125), 1.33: (5, 0.119), 1.78: (5, 0.1074),
        2.37: (5, 0.1009), 3.16: (6, 0.0909), 4.22: (7, 0.0764), 5.62: (7, 0.0581), 8.0: (7, 0.046)}
"""alpha -> `ldp_lib.risk.best_level` of the departures, db2: J, and the error over ||f||^2; a test recomputes
it."""
FLOWN = 328_521
"""Departures."""
MINUTES = (np.arange(1440) + 0.5) / 1440


@lru_cache(maxsize=64)
def cells_error(alpha, J):
    """The exact error over ||f||^2 of a private day in 2^J cells."""
    f = density("departures")
    return mise(LinearWaveletDensity(alpha, "db2", J, scales="scaling_only", noise="real"), f,
                FLOWN).value / f.l2_norm_squared


class Estimate(NamedTuple):
    """A private estimate of the day."""

    J: int
    error: float
    x: np.ndarray
    fhat: np.ndarray


class Day(LivePanel):
    """All departures of a year as one private day."""

    name, title = "day", "A day of departures"
    controls = (CONTROL["alpha"], NOISE, SEEN)

    @staticmethod
    def compute(alpha, noise, seen):
        """An `Estimate` with the best J: the fathers of all flights, and the sum of everybody's noise."""
        J, error = BEST[alpha]
        truth = explore.law("departures", "db2", None, 0, 0).truth["phi"][J]
        mechanism = WaveletLaplace(alpha, "db2", J, "scaling_only", noise="real")
        up, down = np.random.default_rng((7, noise)).standard_gamma(FLOWN, (2, len(truth)))
        table = 2.0 ** (J / 2) * BASIS.means("phi", 10 - J)[:, ::-1].T
        fathers = truth + mechanism.scale * (up - down) / FLOWN
        return Estimate(J, error, (np.arange(2**10) + 0.5) / 2**10, on_grid(fathers, table).ravel())

    @staticmethod
    def draw(result):
        """The whole day, and three hours of it."""
        f = density("departures").pdf(MINUTES)
        axes = []
        for key, low, high, title, ticks in (
                ("day", 0, 24, "departures by time of day (even: 1)", (0, 6, 12, 18, 24)),
                ("rush", 6, 9, "6:00 to 9:00", (6, 7, 8, 9))):
            inside = [(24 * x >= low) & (24 * x <= high) for x in (MINUTES, result.x)]
            marks = [line("flights", 24 * MINUTES[inside[0]], f[inside[0]], "reference", width=1.2, dash=(),
                          label="all flights")]
            if result.seen:
                marks.append(line("private", 24 * result.x[inside[1]], result.fhat[inside[1]], "private",
                                  width=4, label=f"private, α = {result.alpha:.3g}"))
            axes.append(Axes(key, linear(low, high, ticks=ticks, words=[f"{hour}:00" for hour in ticks]),
                             linear(-0.5, 5, 1), title, "", "", tuple(marks)))
        return Picture(tuple((each,) for each in axes))

    def conclude(self, result):
        """How fine, how wrong."""
        if not result.seen:
            return f"{FLOWN:,} departures by time of day; the private estimate is not shown yet."
        return (f"At α = {result.alpha:g} cells of {1440 / 2**result.J:g} minutes are best: the expected "
                f"error is {result.error:.3f} of the square of the curve.")

    def summarise(self, result):
        """The resolution and the error."""
        said = [("flights", f"{FLOWN:,}")]
        return said if not result.seen else [
            ("best cell", f"{1440 / 2**result.J:.3g} minutes"), ("error", f"{result.error:.3f}"),
            *((f"{words} minutes", f"{cells_error(result.alpha, J):.3f}")
              for words, J in (("90", 4), ("22", 6), ("6", 8)))]


FATHERS = 4
"""Level of the broken reports."""


class Pushes(NamedTuple):
    """How much of the budget each number of a report can use to tell two people apart."""

    first: np.ndarray
    """Numbers of A; NaN where none is sent."""
    second: np.ndarray
    pushes: np.ndarray
    loss: float


class Broken(LivePanel):
    """A report about fathers of level 4, and the budget that it uses if somebody makes a mistake."""

    name, title = "broken", "Forget the second person"
    controls = (FIRST, SECOND, MISTAKE)

    @staticmethod
    def compute(x, x2, mistake):
        """The `Pushes` at alpha = 1."""
        honest = WaveletLaplace(1.0, "db2", FATHERS, "scaling_only", noise="real")
        numbers = honest.encode([x, x2])
        scale = honest.scale / (2 if mistake == "forget B" else 1)
        pushes = np.abs(numbers[0] - numbers[1]) / scale
        if mistake == "only wavelets that see you":
            numbers = np.where(numbers == 0, np.nan, numbers)
            pushes = np.where(np.isnan(numbers).any(axis=0) & ~np.isnan(numbers).all(axis=0), np.inf, pushes)
        return Pushes(*numbers, pushes, float(pushes.sum()))

    @staticmethod
    def draw(result):
        """Left their numbers, right the pushes, end to end."""
        at, end = np.arange(len(result.first)) - 2, 2.6
        marks = [rule("zero", "truth", y=0, width=1)]
        for person, time, values, role, left in (("A", result.x, result.first, "first", -0.38),
                                                 ("B", result.x2, result.second, "second", 0.02)):
            marks.append(bars(f"numbers {person}", at + left, at + left + 0.36, np.minimum(0, values),
                              np.maximum(0, values), role, label=f"of {person}, {clock(time)}"))
        used = np.flatnonzero(result.pushes)
        stops = np.minimum(np.cumsum(result.pushes[used]), end)
        starts = np.concatenate([[0.0], stops[:-1]])[:len(stops)]
        rows = np.arange(len(used), 0, -1.0)
        far = max(len(used), 6) + 1.0
        needle = [bars("beyond", [1], [end], [0], [far], "forbidden", label="beyond the promise")]
        whose = np.array([" and ".join(name for name, values in (("A", result.first), ("B", result.second))
                                       if values[k]) for k in used])
        # A number that both people have belongs to neither.
        for name, role in (("A", "first"), ("B", "second"), ("A and B", "private")):
            here = whose == name
            if here.any():
                needle.append(bars(f"used {name}", starts[here], stops[here], rows[here] - 0.35,
                                   rows[here] + 0.35, role, label=f"used by numbers of {name}"))
        needle.append(rule("wall", "bound", x=1.0, width=4, label="the promise, α = 1"))
        told = "∞: a missing number tells who" if math.isinf(result.loss) else "budget that one report uses"
        return Picture((
            (Axes("numbers", linear(at[0] - 0.6, at[-1] + 0.6, 3), linear(-4, 8, 4),
                  "what A and B would send without noise", "coarse average k of level 4", "",
                  tuple(marks), grid=False),),
            (Axes("needle", linear(0, end, 0.5), linear(0, far), told, "budget", "",
                  tuple(needle), grid=False),)))

    def conclude(self, result):
        """The loss."""
        loss = "without limit" if math.isinf(result.loss) else f"{result.loss:.3f}"
        return (f"{result.mistake}: to tell A at {clock(result.x)} from B at {clock(result.x2)} one report "
                f"uses the budget {loss}; the promise is 1.")

    def summarise(self, result):
        """The loss, and what is promised."""
        return [("budget used", "∞" if math.isinf(result.loss) else f"{result.loss:.3f}"), ("promised", "1")]


class Elbow(Story):
    """Notebook 05: noise grows with the level, so that tall spikes hide earlier than without privacy."""

    name = "elbow"
    version = 3
    title = "A whole curve: the elbow"
    size = (10.0, 5.2)
    controls = (FIRST, SECOND, LEVEL, NORM, SMOOTH, OPEN, CROWDS, SPIKE, MISTAKE, *explore.Elbow.controls,
                NOISE, SEEN)
    views = {"person": Person, "levels": Levels, "hiding": Hiding, "lever": Lever, "cut": Cut, "day": Day,
             "broken": Broken, "explore": explore.Elbow}
    scenes = (
        Scene("a wavelet",
              "A leaves at 7:12. Three of the six wavelets of level 2 see her: they are not 0 there. How "
              "many on level 3?", {"x": 0.3, "j": 2}, ("x", "j", "noise"), view="person",
              ask=Ask(("three", "six", "all ten"), 0, (
                  "Nearly twice as many wavelets, each half as wide: three of them overlap, as before.",
                  "Nearly twice as many wavelets, but each is half as wide. Three see her, as before.",
                  "All ten numbers are sent, with noise. But seven of them are 0 without it."), {"j": 3})),
        Scene("loud levels",
              "One report's noise must cover the tallest value that anybody can send. One level finer: how "
              "much taller is a bump that hides?", {"j": 5, "n": CROWD}, ("j", "n"), view="levels",
              ask=Ask(("as tall", "√2 times", "2 times", "4 times"), 2, (
                  "The wavelet is √2 times taller, so the noise is, too. The bump has both: 2 times.",
                  "That is the noise. The wavelet itself is √2 times taller, too: together 2 times.",
                  "The noise is √2 times as large, and the wavelet √2 times as tall.",
                  "Noise √2 times, wavelet √2 times: together 2 times. Two levels give 4."), {"j": 6})),
        Scene("hiding place",
              "21 low bumps hide: below the noise, and below what the class allows, the falling lines. A "
              "smaller p allows spikes. What hides then?", {"norm": 3.0, "smooth": 1.0, "r": 5.0},
              ("norm",), view="hiding",
              ask=Ask(("still many bumps", "lower bumps", "one tall spike"), 2, (
                  "One spike now hides on a finer level, where the noise is louder. It costs you more.",
                  "Lower bumps cost you less. One spike now hides on a finer, louder level: taller.",
                  "Its line meets the noise on a finer level. There a taller bump hides."), {"norm": 2.0})),
        Scene("lever",
              "Two dots, one lever: its high end costs you more. Without privacy 3,000 people see level 8 "
              "about like 31.6 million with it. What hides?", {"norm": 2.0}, ("norm", "open"), view="lever",
              ask=Ask(("one spike, too", "many bumps", "nothing"), 1, (
                  "Without privacy noise does not rise with the level. A fine spike must be lower.",
                  "Without privacy noise does not rise with the level. This lever tips at a smaller p, 1.67.",
                  "Chance hides bumps, too: only 3,000 people were asked. Many bumps cost most."),
                      {"open": True})),
        Scene("keep or cut",
              "One spike in 514 noisy cells. A threshold keeps only cells beyond its line; coarse reports "
              "have fewer cells, less noise. More people: who wins?", {"many": 10**9, "spike": 9},
              ("many", "spike", "noise"), view="cut", play=("many", (10**10, 31_600_000_000, 50_000_000_000)),
              ask=Ask(("linear, keeps all cells", "linear, on coarse reports", "threshold"), 2, (
                  "It keeps the noise of 514 cells for one spike. It is the worst throughout.",
                  "Until 10¹⁰ people: coarse reports have a third of the noise or less. Then the threshold "
                  "sees the spike.",
                  "First it misses the spike: its reports are at least three times as noisy. Then it keeps "
                  "one cell."),
                      {"many": 3_160_000_000})),
        Scene("a day",
              "328,521 flights left New York in a year; each reports once. Which cells are best for the day "
              "at α = 1?", {"alpha": 1.0}, ("alpha", "noise"), view="day",
              ask=Ask(("5.6 minutes", "22.5 minutes", "90 minutes"), 2, (
                  "At α = 1 cells of 5.6 minutes drown in noise. What is finer than a cell is not reported.",
                  "Half as wide means four times the noise of all cells together. At α = 1, 90 minutes are "
                  "best.",
                  "Finer cells drown in noise, but 90 minutes blur the rush. Raise α: when do you see rush "
                  "minutes?"),
                      {"seen": True})),
        Scene("break it",
              "A report must hide A's numbers and B's: their bars end at the promise. Now half the "
              "noise, enough for A. How much is used?", {"x": 0.0, "x2": 0.25}, ("mistake", "x", "x2"),
              view="broken",
              ask=Ask(("0.5", "1", "2"), 2, (
                  "Half the noise hides less: every bar is twice as long, 2 in all.",
                  "With half the noise that is A's part alone. B's numbers use as much: 2 in all.",
                  "Half the noise doubles every bar: A's numbers use 1, B's as much again."),
                      {"mistake": "forget B"})),
        Scene("explore",
              "For questions: one sample and three rules, the exponents, details by level, the exact risk.",
              {"alpha": 1.0, "n": 10**6, "r": 6.0}, view="explore"),
    )


STORY = Elbow

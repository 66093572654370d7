"""The story of notebooks 05 and 05b: fine wavelets are loud, so a tall spike hides where many bumps did.

Butucea, Dubois, Kroll & Saumard (2020), Corollaries 2.1 and 4.1, Theorem 5.1.
"""

import math
from functools import cache, lru_cache

import numpy as np

from ldp_lib.lessons.bars import NOISE, noise_band, signal_bars
from ldp_lib.lessons.elbow import explore
from ldp_lib.lessons.elbow.explore import ALPHA, ERROR_NORM, PEOPLE
from ldp_lib.lessons.elbow.numbers import (
    ERRORS, FLOWN, MANY, SPIKES, best_interval, coefficients, cutter, interval_error, law, spiky,
)
from ldp_lib.lessons.pictures import broken, round_distance, stems
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, handle, line, linear, log, percent, raised, rule, short, text,
)
from ldp_lib.theory import density_elbows
from ldp_lib.theory.bumps import hidden_bumps
from ldp_lib.theory.densities import Plateau
from ldp_lib.wavelets import wavelet_basis

BASIS = wavelet_basis("db2")
TIMES = tuple(round(k / 80, 4) for k in range(80))


def clock(x):
    """A time of day.

    >>> clock(0.3)
    '7:12'
    """
    hours, minutes = divmod(round(1440 * x), 60)
    return f"{hours}:{minutes:02}"


FINEST = Control("finest", "finest level", "", range(1, 5), 1, "{}", "of the wavelets in the sum")
FIRST = Control("x", "A leaves at", "", TIMES, 0.3, clock)
SECOND = Control("x2", "B leaves at", "", TIMES, 0.25, clock)
LEVEL = Control("j", "level", "j", range(2, 10), 2, "{}", "a wavelet of the next level is half as wide")
NORM = Control("norm", "spikes allowed: small", "p", (3.0, 2.75, 2.5, 2.25, 2.0, 1.75, 1.5), 3.0,
               "{:g}", "the smaller, the taller a single spike may be")
SMOOTH = Control("smooth", "smoothness", "s", (0.75, 0.9, 1.0, 1.1, 1.25), 1.0, "{:g}",
                 "the larger, the lower fine bumps must be")
OPEN = Control("open", "without privacy", "", (False, True), False, help="nobody adds noise")
SPIKE = Control("spike", "level of the spike", "j", SPIKES, 9, "{}", "the finer, the taller and thinner")
MISTAKE = Control("mistake", "mistake", "", ("no mistake", "forget B", "only wavelets that see you"),
                  "no mistake")
SEEN = Control("seen", "the private estimate", "", (False, True), False)
HOURS = {"ticks": (0, 0.25, 0.5, 0.75, 1), "words": ("0:00", "6:00", "12:00", "18:00", "24:00"),
         "reads": (0, 24, 0, "hours")}


@lru_cache(maxsize=len(FINEST.values))
def summed(finest):
    """The fathers of level 0 and the wavelets up to `finest`, each times its coefficient for the departures.

    At `explore.CENTRES`.
    """
    return explore.curve(BASIS, finest + 1, law("departures", "db2").truth["phi"][finest + 1])


@lru_cache(maxsize=len(FINEST.values))
def distance(finest):
    """Between the curve, which is the finest sum, and that up to a level, at `explore.CENTRES`."""
    return np.abs(summed(FINEST.values[-1]) - summed(finest))


@view(FINEST, ERROR_NORM)
def a_curve(finest, r):
    """Left the curve and a sum of wavelets, right the loss: the area of their distance to the power r."""
    x, whole, part, off = explore.CENTRES, summed(FINEST.values[-1]), summed(finest), distance(finest)
    loss, area, most = float((off**r).mean()), float(off.mean()), float(off.max())
    marks = (band("distance", x, np.minimum(whole, part), np.maximum(whole, part), "other",
                  label="distance"),
             line("curve", x, whole, "truth", width=3, label=f"curve: up to level {FINEST.values[-1]}"),
             line("sum", x, part, "open", width=3, dash=(), label=f"sum up to level {finest}"),
             dots("people", leavers(), np.full(144, -0.5), "truth", size=6, ring=True),
             text("people words", 0.04, -0.5, "144 people", dy=-10))
    curves = Axes("curve", linear(0, 1, **HOURS), linear(-0.8, 2.5, 1),
                  "curve = sum of coefficient × wavelet", "time of day", "", marks, grid=False)
    marks = (band("loss", x, np.zeros(len(x)), off**r, "other", label="loss: this area"),)
    losses = Axes("loss", linear(0, 1, **HOURS), linear(0, 1.6, 0.5),
                  f"distance to the power {r:g}", "time of day", "", marks, grid=False)
    says = (f"With wavelets up to level {finest} the area between the sum and the curve is {short(area)}, "
            f"the largest distance {most:.2f}. The loss at r = {r:g} is {short(loss)}")
    numbers = [("loss", short(loss)), ("area between", short(area)), ("largest distance", f"{most:.2f}")]
    if not loss:
        return Shown((curves, losses), f"{says}: the sum is the curve.", numbers)
    tall = percent(float((off[off > most / 2] ** r).sum() / (off**r).sum()))
    return Shown((curves, losses), f"{says}, {tall} of it from distances of more than half the largest.",
                 [*numbers, ("from more than half the largest", tall)])


def noise_of(j, n):
    """One standard deviation of the noise in the mean of n reports about level j alone, alpha = 1."""
    return 2**1.5 * BASIS.S_psi * 2.0 ** (np.asarray(j) / 2) / math.sqrt(n)


@lru_cache(maxsize=1)
def leavers():
    """When the 144 persons leave: the time of each is invented, their law is that of the departures."""
    return np.quantile(flights(), (np.arange(144) + 0.5) / 144)


def numbers_of(x, j):
    """Of all wavelets of level j what they see of a person at x, (K,); and the first that sees her."""
    first, values = BASIS.values(np.array([x]), j)
    translates = BASIS.translates(j)
    numbers = np.zeros(len(translates))
    numbers[first[0] - translates.start + np.arange(BASIS.overlap)] = values[0]
    return numbers, int(first[0])


@view(FIRST, LEVEL, NOISE)
def one_person(x, j, noise):
    """Left the wavelets and the person, right her numbers in the noise band."""
    numbers, first = numbers_of(x, j)
    places, level = np.array(BASIS.translates(j)), float(noise_of(j, 1))
    drawn = np.random.default_rng((10, noise)).laplace(0, level / 2**0.5, 2**9 + BASIS.overlap - 1)
    report = numbers + drawn[:len(numbers)]
    far = max(2.2 * level, 1.1 * float(np.abs(report).max()))
    unit = 10.0 ** math.floor(math.log10(far))
    marks = (noise_band(level, places[0] - 0.7, places[-1] + 0.7, f"noise ±{level:.1f}"),
             rule("zero", "truth", y=0, width=1), *signal_bars(places, numbers, 0.7),
             dots("report", places, report, "private", size=8, label="what A sends"))
    sent = Axes("report", linear(places[0] - 0.7, places[-1] + 0.7, max(1, len(places) // 6)),
                linear(-far, far, unit * (1 if far < 5 * unit else 2)),
                f"A's report, α = 1: {len(places)} numbers", "wavelet k", "", marks, grid=False)
    mean = minus(f"{round(coefficient(j, first + 1), 3) + 0.0:.3f}")  # no zero has a minus
    return Shown((waves(x, j, first, numbers[first - places[0]:][:BASIS.overlap]), sent),
                 f"At {clock(x)} person A has the values {not_zero(numbers)} of wavelets of level {j}. "
                 f"Person A sends all {len(numbers)} numbers, each with noise of ±{level:.1f}. The "
                 f"coefficient of wavelet {minus(first + 1)} is the mean of everybody's values, {mean}.",
                 [("numbers sent", f"{len(numbers)}"), ("noise of each", f"±{level:.1f}"),
                  ("not 0", not_zero(numbers)), (f"coefficient of wavelet {minus(first + 1)}", mean)])


def waves(x, j, first, numbers):
    """The `Axes` of the wavelets of level j, and of a person at x with the `numbers` that they see of her.

    first : the first that sees her. Of fine levels, which have many, only those that do are drawn. All people
    stand on the second of those, at their own values; the mean of the values is the coefficient.
    """
    middle = first + 1
    reach, steps = 12.0 * 2 ** max(0, (j - 5) / 2), np.linspace(0, BASIS.overlap, 97)
    values, translates = 2 ** (j / 2) * BASIS.psi(steps), BASIS.translates(j)
    others = np.array(translates if j <= 5 else translates[:1])
    marks = [line("others", broken((steps + others[:, None]) / 2**j),
                  broken(np.tile(values, (len(others), 1))), "reference", width=1, dash=())]
    for m, role in enumerate(("private", "open", "other")):
        when = (steps + first + m) / 2**j
        marks.append(line(f"sees {m}", when, values, role, width=3))
        if j <= 5:
            top = np.where((when >= 0) & (when <= 1), values, -np.inf).argmax()  # of what is seen of it
            marks.append(text(f"number {m}", when[top], values[top], minus(first + m), anchor="middle",
                              dy=-6))
    ends, mean = np.array([middle, middle + BASIS.overlap]) / 2**j, coefficient(j, middle)
    marks += [dots("people", leavers(), BASIS.wavelet(leavers(), j, middle), "truth", size=5, ring=True),
              line("mean", ends, [mean] * 2, "bound", width=4,
                   label=f"mean of all, wavelet {minus(middle)}"),
              rule("time", "truth", x=x, width=1.5, handle=handle("x")),
              dots("numbers", [x] * len(numbers), numbers, "truth", size=11, ring=True, handle=handle("x")),
              text("time words", x, reach, f"A, {clock(x)}", dx=6, dy=16)]
    return Axes("wave", linear(0, 1, **HOURS), linear(-reach, reach, 4 if j <= 5 else reach / 2, "{:.0f}"),
                f"wavelets of level {j}, with their number k", "time of day", "", tuple(marks), grid=False,
                wide=1.3)


def coefficient(j, k):
    """Of wavelet k of level j in the curve of all departures: the mean of everybody's values."""
    return float(law("departures", "db2").truth["psi"][j][k - BASIS.translates(j).start])


def not_zero(numbers):
    """What is not 0, as far as it is printed."""
    return ", ".join(minus(f"{value:.3f}") for value in numbers[np.abs(numbers) >= 0.0005])


def minus(number):
    """A number in words, with a minus and no hyphen.

    >>> minus(-2)
    '−2'
    """
    return f"{number}".replace("-", "−")


GRID = np.arange(1, 2**11) / 2**11
"""Where densities are drawn."""
PLATEAU = Plateau()
FLAT = PLATEAU.height
"""Height of the density where bumps hide: a bump this high, turned over, reaches 0."""


@lru_cache(maxsize=1)
def plateau():
    """The density on which bumps are hidden, at `GRID`."""
    return density("plateau").pdf(GRID)


@view(LEVEL, PEOPLE)
def loud_levels(j, n):
    """Left the tallest value of a person and the noise, by level; right the bump that hides in it."""
    at, k = np.array(LEVEL.values), LEVEL.values.index(j)
    tallest, noise = 2.0 ** (at / 2) * BASIS.psi_max, noise_of(at, n)
    gamma = float(noise_of(j, n))
    height = float(tall(j, gamma))
    f = plateau() + gamma * BASIS.wavelet(GRID, j, 2 ** (j - 1) - 1)
    # No density is negative: so much noise would hide more than there can be.
    no_room = ", more than a density has room for" if f.min() < -1e-3 else ""
    marks = (line("tallest", at, tallest, "truth", width=3, label="tallest value of a person"),
             line("noise", at, noise, "private", width=4, label=f"noise in the mean of {short(n)}"),
             dots("here", [j], [noise[k]], "private", size=15, handle=handle("j")),
             dots("top", [j], [tallest[k]], "truth", size=13))
    loud = Axes("loud", linear(1.7, 9.3, ticks=at), log(1e-4, 1e2), "how loud a level is, α = 1", "level j",
                "", marks)
    marks = (line("density", GRID, f, "truth", width=3, label="with bump"),
             line("plateau", GRID, plateau(), "bound", width=3, dash=(3, 2), label="without bump"),
             text("height", 0.5, FLAT + height, f"{height:.2g} high", anchor="middle", dy=-12))
    bump = Axes("hidden", linear(0, 1, 0.25), linear(0, 3, 1), f"a bump of level {j} that hides in it", "x",
                "", marks)
    return Shown((loud, bump), f"A wavelet of level {j} is up to {tallest[k]:.2f} tall. The noise in the "
                 f"mean of {short(n)} reports is {noise[k]:.4f}. A bump {height:.2g} high hides{no_room}.",
                 [("hidden height", f"{height:.3g}{no_room}"), ("noise", f"{noise[k]:.4f}"),
                  ("tallest value", f"{tallest[k]:.2f}")])


def tall(j, gamma):
    """How high a bump is, from its coefficient."""
    return gamma * 2.0 ** (np.asarray(j) / 2) * BASIS.psi_max


PRIVATE_PEOPLE, OPEN_PEOPLE = 31_600_000, 3000
"""People of the hiding place, with privacy and without."""
RADIUS = 12.0
"""Of the Besov ball, for the hidden bumps alone."""
HIDING = np.arange(5, 11)
"""Levels where bumps may be hidden."""


def fitting(j):
    """How many disjoint supports of level j fit the flat half."""
    return int(PLATEAU.room(j, BASIS.overlap))


@lru_cache(maxsize=512)
def adversary(p, s, r, open):
    """The `HiddenBumps` of class and loss p, s, r: among `PRIVATE_PEOPLE`, or `OPEN_PEOPLE`."""
    noise = math.sqrt(FLAT / OPEN_PEOPLE) if open else float(noise_of(0, PRIVATE_PEOPLE))
    return hidden_bumps(s, p, r, noise=noise, growth=0.0 if open else 0.5, radius=RADIUS, levels=HIDING)


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


def hidden(side, r, open):
    """The `Axes` of the density of an adversary that costs most, in the noise of its level; and why it does.

    What bumps cost is proportional to their number, the power r of their height, and their width.
    """
    level = math.sqrt(FLAT / OPEN_PEOPLE) if open else noise_of(side.level, PRIVATE_PEOPLE)
    flat = FLAT + tall(side.level, level) * np.array([-1, 1])
    drawn, other = sorted((side.many, side.one), key=lambda bumps: bumps.loss, reverse=True)
    crowd = (f"{OPEN_PEOPLE:,} people, not private" if open
             else f"{PRIVATE_PEOPLE / 10**6:.1f} million people, α = 1")
    marks = (band("noise", [0.2, 0.8], [max(flat[0], 0)] * 2, [flat[1]] * 2, "noise",
                  label=f"noise of level {side.level}"),
             line("density", GRID, bumpy(side.level, side.bumps, side.gamma[side.best]), "truth", width=3),
             text("rule", 0.5, 3.9, f"how many × how high{raised(f'{r:g}')} × how wide:", anchor="middle"),
             text("costs most", 0.5, 3.9, product(drawn, r), anchor="middle", dy=21),
             text("costs less", 0.5, 3.9, f"or {product(other, r)}", anchor="middle", dy=42))
    return Axes("hidden", linear(0.2, 0.8, 0.1), linear(0, 4.2, 2), f"what costs you most: {crowd}", "x", "",
                marks, grid=False, wide=1.1)


def cost(bumps, r):
    """Of `Bumps`: number times height to the power r times width."""
    return bumps.m * bumps.height**r * BASIS.overlap * 2.0**-bumps.level


def product(bumps, r):
    """The `cost` in words, with what is multiplied."""
    times, width = "\N{THIN SPACE}×\N{THIN SPACE}", BASIS.overlap * 2.0**-bumps.level
    return (f"{bumps.m}{times}{bumps.height:.3g}{raised(f'{r:g}')}{times}{width:.3g} = "
            f"{short(cost(bumps, r))}")


def hides(norm, smooth, r, side):
    """What the adversary does, in words."""
    what = f"{side.bumps} bumps" if side.bumps > 1 else "one spike"
    return (f"At p = {norm:g}, s = {smooth:g} and r = {r:g} the adversary hides {what} of level "
            f"{side.level}, {side.height:.3g} high.")


def ceilings(j, p, s):
    """The largest coefficients of the class at levels j: at all places, and of one spike alone."""
    one = RADIUS * 2.0 ** (-j * (s + 0.5 - 1 / p))
    return one * (2**j / (2 * BASIS.overlap)) ** (-1 / p), one


@view(NORM, SMOOTH, ERROR_NORM)
def hiding_place(norm, smooth, r):
    """Left the density, right its height against the noise and the class."""
    side, j, low = adversary(norm, smooth, r, False), np.linspace(4.7, 10.6, 60), 0.02
    noise, ends = (tall(level, noise_of(level, PRIVATE_PEOPLE)) for level in (j, side.ends))
    many, one = (tall(j, gamma) for gamma in ceilings(j, norm, smooth))
    marks = (band("hides", j, [low] * len(j), noise, "noise"),
             line("noise", j, noise, "private", width=4, label="noise: lower ones hide"),
             line("many", j, many, "other", width=4, label="class: bumps at all places"),
             line("one", j, one, "bound", width=4, dash=(6, 2), label="class: one spike"),
             dots("ends", side.ends, ends, "truth", size=11, ring=True),
             text("end words", side.ends, ends, ["many", "one"], anchor="middle", dy=-20),
             dots("ball", [side.level], [side.height], "truth", size=19))
    if max(ends) > 0.999 * FLAT:  # no density is negative
        marks += (rule("lid", "reference", y=FLAT, width=1.5, dash=(1, 1)),
                  text("lid words", 4.8, FLAT, "deeper: below 0", dy=-12))
    heights = log(low, 4, "{:g}", ticks=(0.05, 0.1, 0.2, 0.5, 1, 2))
    roof = Axes("ceilings", linear(4.7, 10.6, ticks=HIDING), heights, "how high bumps may be", "level j", "",
                marks)
    return Shown((hidden(side, r, False), roof),
                 f"{hides(norm, smooth, r, side)} Bumps at all places meet the noise at level "
                 f"{side.ends[0]:.2f}, one spike at level {side.ends[1]:.2f}. Many bumps cost "
                 f"{short(cost(side.many, r))}, one spike {short(cost(side.one, r))}.",
                 [("bumps", f"{side.bumps}"), ("level", f"{side.level}"), ("height", f"{side.height:.3g}"),
                  ("many bumps cost", short(cost(side.many, r))), ("one spike", short(cost(side.one, r))),
                  ("many meet the noise at level", f"{side.ends[0]:.1f}"),
                  ("one meets it at level", f"{side.ends[1]:.1f}")])


@view(NORM, SMOOTH, ERROR_NORM, OPEN)
def lever(norm, smooth, r, open):
    """Left the density, right the lever: what both ends cost, with privacy and without."""
    private, usual = (adversary(norm, smooth, r, known) for known in (False, True))
    side, elbows = usual if open else private, density_elbows(smooth, r)
    marks = [line("lever", private.ends, private.lever, "private", width=6, label="lever, private", dash=())]
    numbers = [("bumps", f"{side.bumps}"), ("height", f"{side.height:.3g}"),
               ("private: slope", signed(private.slope)), ("tips at p", f"{elbows.private:.3g}")]
    if open:
        marks.append(line("open lever", usual.ends, usual.lever, "open", width=5, label="lever, no privacy"))
        numbers += [("not private: slope", signed(usual.slope)),
                    ("it tips at p", f"{elbows.nonprivate:.3g}")]
    end, up = int(side.bumps == 1), bool(side.slope > 0)  # words stand off the lever
    steep = math.log2(side.lever[1])  # where the lever leaves the picture, its word stays inside
    inside = min(1.0, 3.2 / max(abs(steep), 3.2))
    marks += [dots("ends", side.ends, side.lever, "truth", size=11, ring=True),
              dots("ball", side.ends[[end]], side.lever[[end]], "open" if open else "private", size=20),
              text("many", side.ends[0], side.lever[0], "many bumps", anchor="middle", dy=32),
              text("one", side.ends[0] + inside * (side.ends[1] - side.ends[0]), 2 ** (inside * steep),
                   "one spike", anchor="end", dx=12, dy=48 * (not up) - 18),
              dots("pivot", [private.ends.mean()], [math.prod(private.lever) ** 0.5 * 0.8], "truth", size=15,
                   marker="triangle", label="pivot")]
    losses = log(1 / 16, 16, ticks=2.0 ** np.arange(-4, 5),
                 words=["1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8", "16"])
    tips = Axes("lever", linear(4.7, 10.6, ticks=HIDING), losses, "loss, if many bumps cost 1",
                "level j where lines cross; bumps on whole levels cost less", "", tuple(marks))
    return Shown((hidden(side, r, open), tips),
                 f"{hides(norm, smooth, r, side)} The slope of the private lever is {private.slope:g}, "
                 f"without privacy {usual.slope:g}.", numbers)


def signed(value):
    """A number with its sign.

    >>> signed(-0.5), signed(0.0)
    ('−0.5', '0')
    """
    return minus(f"{value:+.3g}") if value else "0"


BILLIONS = Control("many", "people", "n", MANY, 10**9, short, "people in all")


@view(BILLIONS, SPIKE, NOISE)
def keep_or_cut(many, spike, noise):
    """Left the noisy coefficients with one spike among them, right the errors of rules against n."""
    law, mechanism = spiky(spike)
    true, means = law.truth["psi"][spike], coefficients(law, many)["psi"][spike]
    up, down = np.random.default_rng((6, noise)).standard_gamma(many, (2, len(means)))
    noisy = means + mechanism.scale * (up - down) / many
    level = 2**0.5 * mechanism.scale / math.sqrt(many)
    threshold = float(cutter(spike).thresholds(mechanism, many)[-1])
    at, kept = np.arange(len(noisy)) / len(noisy), np.abs(noisy) >= threshold
    top, reach = int(np.abs(true).argmax()), 1.15 * max(float(np.abs(noisy).max()), threshold)
    marks = (noise_band(level, 0, 1, f"noise ±{level:.4f}"),
             line("cut", *stems(at[~kept], noisy[~kept]), "reference", width=1, dash=()),
             rule("threshold", "bound", y=[-threshold, threshold], width=2.5),
             line("kept", *stems(at[kept], noisy[kept]), "private", width=5),
             dots("tops", at[kept], noisy[kept], "private", size=12),
             dots("spike", [at[top]], [true[top]], "truth", size=18, ring=True, label="the true spike"),
             text("words", 0, threshold, "threshold", dx=6, dy=-10))
    noisy_level = Axes("coefficients", linear(0, 1, 0.25), linear(-reach, reach, round_distance(reach / 3)),
                       f"level {spike}: {len(at)} noisy coefficients", "x", "", marks, grid=False)
    *found, J = ERRORS[spike, many]
    same, cut, best = map(short, found)
    coarse = WaveletLaplace(1.0, "db2", J, "scaling_only", noise="real").scale
    says = (f"With {short(many)} people the threshold keeps {kept.sum()} of {len(noisy)} coefficients. The "
            f"error over the square of the curve: the linear rule that keeps all {same}, the threshold "
            f"{cut}, the best linear rule of whole levels (db2), on coarse reports {best}. Each number of a "
            f"report has the noise scale {mechanism.scale:.0f}, of a coarse one {coarse:.0f}.")
    return Shown((noisy_level, errors(spike, many)), says,
                 [("threshold", cut), ("linear, coarse reports", best), ("linear, all", same),
                  ("noise scale", f"{mechanism.scale:.0f}, coarse {coarse:.0f}"),
                  ("coefficients kept", f"{kept.sum()} of {len(noisy)}")])


def errors(spike, many):
    """The `Axes` of `ERRORS` against n; those of more people than so `many` are to be guessed."""
    found = dict(zip(ERRORS.columns, zip(*(ERRORS[spike, n] for n in MANY))))
    marks, k = [], MANY.index(many)
    known = np.arange(len(MANY)) <= k
    looks = (("same", "reference", (4, 2), "linear, keeps all"),
             ("best", "open", (6, 2), "linear, coarse reports"), ("threshold", "private", (), "threshold"))
    for key, role, dash, words in looks:
        marks.append(line(key, MANY, np.where(known, found[key], np.nan), role, width=4, dash=dash,
                          label=words))
    marks += [dots(f"{key} here", [MANY[k]], [found[key][k]], role, size=13) for key, role, *_ in looks]
    return Axes("errors", log(8e8, 6.5e10, ticks=(10**9, 10**10)), log(4e-6, 0.5),
                "error of the whole curve", "people n", "", tuple(marks))


MINUTES = (np.arange(1440) + 0.5) / 1440


def private_day(alpha, noise):
    """The private estimate with the best J, at `explore.CENTRES`: all flights' fathers, everybody's noise."""
    J, _ = best_interval(alpha)
    truth = law("departures", "db2").truth["phi"][J]
    scale = WaveletLaplace(alpha, "db2", J, "scaling_only", noise="real").scale
    up, down = np.random.default_rng((7, noise)).standard_gamma(FLOWN, (2, len(truth)))
    return explore.curve(BASIS, J, truth + scale * (up - down) / FLOWN)


@view(ALPHA, NOISE, SEEN)
def a_day(alpha, noise, seen):
    """The whole day, and three hours of it."""
    J, error = best_interval(alpha)
    f, x, fhat = density("departures").pdf(MINUTES), explore.CENTRES, private_day(alpha, noise)
    columns = ()
    for key, low, high, title, ticks in (
            ("day", 0, 24, "departures (1: as if spread evenly)", (0, 6, 12, 18, 24)),
            ("rush", 6, 9, "6:00 to 9:00", (6, 7, 8, 9))):
        truth, mine = ((24 * places >= low) & (24 * places <= high) for places in (MINUTES, x))
        marks = (line("flights", 24 * MINUTES[truth], f[truth], "reference", width=1.2, dash=(),
                      label="all flights"),)
        if seen:
            marks += (line("private", 24 * x[mine], fhat[mine], "private", width=4,
                           label=f"private, α = {alpha:.3g}"),)
        hours = linear(low, high, ticks=ticks, words=[f"{hour}:00" for hour in ticks],
                       reads=(0, 1, 0, "hours"))
        columns += (Axes(key, hours, linear(-0.5, 5, 1), title, "", "", marks),)
    if not seen:
        return Shown(columns, f"{FLOWN:,} departures by time of day; the private estimate is not shown yet.",
                     [("flights", f"{FLOWN:,}")])
    return Shown(columns, f"At α = {alpha:g} intervals of {1440 / 2**J:g} minutes are best: the expected "
                 f"error is {error:.3f} of the square of the curve.",
                 [("best interval", f"{1440 / 2**J:.3g} minutes"), ("error", f"{error:.3f}"),
                  *((f"{words} minutes", f"{interval_error(alpha, J):.3f}")
                    for words, J in (("90", 4), ("22", 6), ("6", 8)))])


@cache
def honest_mechanism():
    """What the broken reports should have been."""
    return WaveletLaplace(1.0, "db2", 4, "scaling_only", noise="real")


@view(FIRST, SECOND, MISTAKE)
def broken_report(x, x2, mistake):
    """Left what A and B would send, right the budget that a report uses to tell them apart, end to end."""
    honest = honest_mechanism()
    numbers = honest.encode([x, x2])
    pushes = np.abs(numbers[0] - numbers[1]) / (honest.scale / (2 if mistake == "forget B" else 1))
    if mistake == "only wavelets that see you":  # what is not sent tells who does not send it
        numbers = np.where(numbers == 0, np.nan, numbers)
        pushes = np.where(np.isnan(numbers).sum(axis=0) == 1, np.inf, pushes)
    first, second = numbers
    loss, at = float(pushes.sum()), np.arange(len(pushes)) - 2
    marks = [rule("zero", "truth", y=0, width=1)]
    for person, time, values, role, left in (("A", x, first, "first", -0.38),
                                             ("B", x2, second, "second", 0.02)):
        marks.append(bars(f"numbers {person}", at + left, at + left + 0.36, np.minimum(0, values),
                          np.maximum(0, values), role, label=f"of {person}, {clock(time)}"))
    sent = Axes("numbers", linear(at[0] - 0.6, at[-1] + 0.6, 3), linear(-4, 8, 4),
                "what A and B would send without noise", "coarse average k of level 4", "", tuple(marks),
                grid=False)
    used = f"{loss:.3f}" if math.isfinite(loss) else "∞"
    says = (f"{mistake}: to tell A at {clock(x)} from B at {clock(x2)} one report uses the budget "
            f"{used.replace('∞', 'without limit')}; the promise is 1.")
    return Shown((sent, needle(first, second, pushes)), says, [("budget used", used), ("promised", "1")])


def needle(first, second, pushes):
    """The `Axes` of what each number of A's and B's uses of the budget, end to end; NaN is not sent."""
    end, used = 2.6, np.flatnonzero(pushes)
    stops = np.minimum(np.cumsum(pushes[used]), end)
    starts = np.concatenate([[0.0], stops[:-1]])[:len(stops)]
    rows, far = np.arange(len(used), 0, -1.0), max(len(used), 6) + 1.0
    marks = [bars("beyond", [1], [end], [0], [far], "forbidden", label="beyond the promise")]
    whose = np.array([" and ".join(name for name, values in (("A", first), ("B", second)) if values[k])
                      for k in used])
    # A number that both people have belongs to neither.
    for name, role in (("A", "first"), ("B", "second"), ("A and B", "private")):
        here = whose == name
        if here.any():
            marks.append(bars(f"used {name}", starts[here], stops[here], rows[here] - 0.35, rows[here] + 0.35,
                              role, label=f"used by numbers of {name}"))
    marks.append(rule("wall", "bound", x=1.0, width=4, label="the promise, α = 1"))
    endless = np.isinf(pushes).any()
    return Axes("needle", linear(0, end, 0.5), linear(0, far),
                "∞: a missing number tells who" if endless else "budget that one report uses", "budget", "",
                tuple(marks), grid=False)


STORY = Story("elbow", "A whole curve: the elbow", version=3, size=(10.0, 5.2),
              last=(*explore.everything.controls, NOISE), scenes=(
    Scene("a curve", "A curve is a sum: coefficients times wavelets. Without fine wavelets there is a loss, "
          "right. At r = 5, twice the distance costs?", a_curve, {"finest": 1, "r": 1.0}, ("finest", "r"),
          ask=Ask({
              "2 times": "That is r = 1, the area itself. To the power 5 it is 2·2·2·2·2 = 32 times.",
              "10 times": "Not 5 times 2: the power 5 is 2·2·2·2·2, so 32 times.",
              "32 times": "2 to the power 5. So the few largest distances are nearly the whole loss."},
              right="32 times", then={"r": 5.0})),
    Scene("a wavelet", "A coefficient is the mean of people's values. Of person A's six values on level 2, "
          "three are not 0. How many on level 3?", one_person, {"x": 0.3, "j": 2}, ("x", "j", "noise"),
          ask=Ask({
              "three": "Nearly twice as many wavelets, each half as wide: three of them overlap, as before.",
              "six": "Nearly twice as many wavelets, each half as wide: again three are not 0 at person A's "
                "time.",
              "all ten": "All ten numbers are sent, with noise. But without noise seven of the ten are 0."},
              right="three", then={"j": 3})),
    Scene("loud levels", "One report's noise must cover the tallest value that anybody can send. One level "
          "finer: how much taller is a bump that hides?", loud_levels,
          {"j": 5, "n": PRIVATE_PEOPLE}, ("j", "n"),
          ask=Ask({
              "as tall": "The wavelet is √2 times taller, so the noise is, too. The bump has both: 2 times.",
              "√2 times": "That is the noise. The wavelet itself is √2 times taller, too: together 2 times.",
              "2 times": "The noise is √2 times as large, and the wavelet √2 times as tall.",
              "4 times": "Noise √2 times, wavelet √2 times: together 2 times. Two levels give 4."},
              right="2 times", then={"j": 6})),
    Scene("hiding place", "Bumps hide below both lines, noise and class. Loss: number × height⁵ × width. "
          "A smaller p allows taller spikes: what costs most?", hiding_place,
          {"norm": 3.0, "smooth": 1.0, "r": 5.0}, ("norm",), ask=Ask({
              "still many bumps": "One spike is 3.69 times as high, to the power 5: about 680 times. That "
                "outweighs 21 wider bumps.",
              "lower bumps": "Lower bumps cost less. One spike, 3.69 times as high, costs 8 times as much as "
                "21 bumps.",
              "one tall spike": "3.69 times as high, to the power 5: about 680 times. That outweighs 21 "
                "bumps, each four times as wide."},
              right="one tall spike", then={"norm": 2.0})),
    Scene("lever", "The lever joins “many” and “one”; its high end costs more. Without privacy 3,000 people "
          "have about this noise on level 8. What hides?", lever, {"norm": 2.0}, ("norm", "open"),
          ask=Ask({
              "one spike, too": "Without privacy noise does not rise with the level. A fine spike must be "
                "lower.",
              "many bumps": "Without privacy noise does not rise with the level: the lever tips at a smaller "
                "p, 1.67.",
              "nothing": "Chance hides bumps, too: only 3,000 people were asked. Many bumps cost most."},
              right="many bumps", then={"open": True})),
    Scene("break it", "All bars together use the promised budget, 1; person A's alone use ½. So somebody "
          "halves the noise. How much is used now?", broken_report, {"x": 0.0, "x2": 0.25},
          ("mistake", "x", "x2"), ask=Ask({
              "0.5": "Half the noise hides less: every bar is twice as long, 2 in all.",
              "1": "With half the noise person A's bars alone use 1. Person B's use as much: 2 in all.",
              "2": "Half the noise doubles every bar: person A's numbers use 1, person B's as much again."},
              right="2", then={"mistake": "forget B"})),
    Scene("keep or cut", "One spike among 514 noisy coefficients. A threshold keeps those beyond its line; "
          "coarse reports, averages alone, have less noise. More people: who wins?", keep_or_cut,
          {"many": 10**9, "spike": 9}, ("many", "spike", "noise"),
          play=("many", (10**10, 31_600_000_000, 50_000_000_000)), ask=Ask({
              "linear, keeps all": "This rule keeps the noise of 514 coefficients for one spike. It is the "
                "worst throughout.",
              "linear, on coarse reports": "Until 10¹⁰ people they have little noise and miss the spike; "
                "then missing it, or a level's noise, costs more.",
              "threshold": "Its report is noisier on all levels. With more people that costs less than "
                "keeping, or missing, a whole level."},
              right="threshold", then={"many": 3_160_000_000}), alone=("noise",)),
    Scene("a day", "328,521 flights left New York in a year; each reports once. Which intervals are best for "
          "the day at α = 1?", a_day, {"alpha": 1.0}, ("alpha", "noise"), ask=Ask({
              "5.6 minutes": "At α = 1 intervals of 5.6 minutes drown in noise. What is finer than an "
                "interval is not reported.",
              "22.5 minutes": "Half as wide means four times the noise of all intervals together. At α = 1, "
                "90 minutes are best.",
              "90 minutes": "Finer intervals drown in noise, but 90 minutes blur the rush. Raise α: when do "
                "you see rush minutes?"}, right="90 minutes", then={"seen": True})),
    Scene("explore", "For questions: one sample and three rules, the exponents, details by level, the exact "
          "risk.", explore.everything, {"alpha": 1.0, "n": 10**6, "r": 6.0}),
))

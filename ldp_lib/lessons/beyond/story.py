"""The story of notebook 07: a smaller distance needs less noise for the same promise, and so fewer people."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib._rounding import head_counts
from ldp_lib.estimation import AdaptiveClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, ZERO, noise_band, signal_bars
from ldp_lib.lessons.beyond import explore
from ldp_lib.lessons.beyond.numbers import GALLERY, GALLERY_WIDTHS, LAWS, RIGHT, gallery_range, survey
from ldp_lib.lessons.pictures import listed, lying, upright
from ldp_lib.lessons.steps import Waste, total
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit
from ldp_lib.privacy.responses import hadamard_transform
from ldp_lib.risk import simulate_crowd
from ldp_lib.risk.scores import noise_level
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, bars, cells, dots, figures, line, linear, log, rule, text

A, B = 24, 132
"""Numbers of two of the cast: 27 years old with label 1, 74 years old with label 0."""
CUBES, FLAT, BIT = (CubeLaplace(1.0, 0.25, 2, noise="real"), CellLaplace(1.0, 0.5, 2, noise="real"),
                    HadamardBit(1.0, 0.5, 2))
"""Half of the square wide, all of them: cubes of bandwidth 1/4, cells of side 1/2."""
STRIPES = HadamardBit(1.0, 0.25, 2)
"""The 16 cells of the scenes about one bit."""
DESIGNS = {"cubes": CUBES, "cells": FLAT}
HEIGHT = 0.4 / math.pi**2
"""The bar of a quarter of the square on *sine*, all of which are as tall; d bars have (0.4 / pi)^d."""
QUARTERS = np.array([1.0, -1.0, -1.0, 1.0])
"""Their signs."""

DESIGN = Control("design", "report", "", tuple(DESIGNS), "cubes", help="what is asked of everybody")
ROWS = Control("rows", "patterns averaged", "", tuple(range(1, STRIPES.order + 1)), 1, "{}",
               "of the 16 that there are")
OUT = tuple(2 * math.ceil((unit / HEIGHT) ** 2 / 2) for unit in (BIT.scale, math.sqrt(2), 8 * math.sqrt(5)))
"""The even number of people with whom the bar is as tall as the noise: one bit, cells, paper's."""
CROWD = Control("crowd", "people", "n", tuple(sorted({100, 300, 1000, 5000, 20_000, 60_000, 10**6, *OUT})),
                OUT[0], "{:,}", "people in all")
STEPS = Control("steps", "blocks taken away", "", (0, 1, 2, 3, 4), 0, "{}", "of the four on the left")
DIMENSION = Control("features", "features", "d", (1, 2, 3), 2, "{}", "how many are asked for")
GOAL = Control("goal", "excess risk aimed at", "", (0.02, 0.05), 0.02,
               help="how much worse than the best rule")
LARGE = Control("large", "budget", "α", (1.0, 8.0), 1.0, help="in nats; 8 is hardly any privacy")
SEEN = Control("seen", "the other laws", "", (False, True), False)
BUDGET = Control("budget", "budget", "α", (0.5, 1.0, 2.0, 8.0), 1.0, help="in nats")
OWN = Control("own", "the pattern of her own cell", "", (False, True), False, help="and not a random one")


LOOKS = (("A", "second", "forbidden"), ("B", "first", "promise"))
"""Of a person: role, and role of her cubes or cells."""


def plane(key, title, *marks):
    """The `Axes` of age and years of schooling, with `marks`."""
    return Axes(key, linear(0, 1, ticks=(0, 0.5, 1), words=("18", "54", "91"), reads=(18, 73, 0, "years")),
                linear(0, 1, ticks=(0, 0.5, 1), words=("0", "10", "21"), reads=(0, 21)), title, "age",
                "years of school", marks, square=True, grid=False)


def homes(design, arrays):
    """The `Axes` of where A and B live, and of the cubes or cells of which their `arrays` tell."""
    mechanism, overlap, (X, _) = DESIGNS[design], design == "cubes", cast()
    boxes = np.array(mechanism.boxes()[0] if overlap else mechanism.boxes())
    low, high = np.clip(boxes, 0, 1)
    sides = np.stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]])
    hers = [sides[:, array != 0] for array in arrays]
    marks = [bars(f"of {person}", *each, area) for (person, _, area), each in zip(LOOKS, hers)]
    if overlap:
        marks.append(dots("centres", *boxes.mean(axis=0).T, "reference", size=7, marker="plus",
                          label="middles of 25 cubes"))
        for (person, role, _), each in zip(LOOKS, hers):
            # Each a little smaller than the one before it, so that overlapping cubes can be told apart.
            inside = 0.008 * np.arange(1, each.shape[1] + 1) * np.array([[1], [-1], [1], [-1]])
            marks.append(bars(f"cubes of {person}", *(each + inside), role, hollow=True))
    else:
        marks.append(bars("all", *sides, "reference", hollow=True))
    marks += [dots(f"person {person}", *X[k], role, size=17, label=f"{person}, label {label}")
              for (person, role, _), k, label in zip(LOOKS, (A, B), (1, 0))]
    return plane("map", f"{'cubes' if overlap else 'cells'} in which they live", *marks)


@view(DESIGN, NOISE)
def her_report(design, noise):
    """Left: where they live. Right: their numbers in the noise, and the report of A."""
    mechanism, (X, y), overlap = DESIGNS[design], cast(), design == "cubes"
    # The paper's numbers are those of its first half, where labels play no part.
    arrays = mechanism.encode(X[[A, B]], y[[A, B]], **{"half": 1} if overlap else {})
    count, level = mechanism.K, math.sqrt(2) * mechanism.scale
    distance = f"{np.abs(arrays[0] - arrays[1]).sum():g}"
    report = arrays[0] + np.random.default_rng((7, noise)).laplace(0, mechanism.scale, count)
    place = (np.arange(count) + 0.5) / count
    marks = [noise_band(level, 0, 1, f"noise ±{level:.3g}"), ZERO]
    for (person, role, _), array, middle in zip(LOOKS, arrays, (-0.2, 0.2)):
        marks.append(upright(f"array {person}", place + middle / count, array, role, wide=0.3 / count,
                             label=f"{person}'s true numbers"))
        if not overlap:
            told = np.flatnonzero(array)
            marks.append(text(f"half {person}", place[told] + middle / count, np.maximum(array[told], 0),
                              ["−½" if array[told[0]] < 0 else "+½"], anchor="middle", dy=-8))
    marks.append(dots("report", place, report, "second", size=11, marker="square", ring=True,
                      label="what A sends"))
    shares = " + ".join(f"{np.abs(array).sum():g}".replace("0.5", "½") for array in arrays)
    numbers = Axes("numbers", linear(0, 1, ticks=()),
                   linear(-45, 45, 20) if overlap else linear(-5.6, 5.6, 2.5),
                   f"{count} numbers, distance {shares} = {distance}", "", "", marks, grid=False, wide=1.3)
    return Shown((homes(design, arrays), numbers),
                 f"In this report of {count} numbers the true ones of A and B are at distance {distance}, "
                 f"and every number gets noise of standard deviation {level:.3g}.",
                 [("noise of a number", f"±{level:.3g}"), ("distance of A and B", distance),
                  ("numbers", f"{count}"), ("budget α", "1")])


@lru_cache(maxsize=1)
def her_cell():
    """The number of the cell of A, and her label."""
    X, y = cast()
    (cell,), (label,) = STRIPES.people(X[A:A + 1], y[A:A + 1])
    return cell, label


def patterns(noise, rows, own=False):
    """The numbers of the first random patterns of A, or that of her own cell; is the bit flipped?"""
    rng = np.random.default_rng((8, noise))
    order, flipped = rng.permutation(STRIPES.order), bool(rng.random() < flip_chance(STRIPES.alpha))
    return [her_cell()[0]] if own else order[:rows], flipped


def flip_chance(alpha):
    """Of a bit."""
    return 1 / (math.exp(alpha) + 1)


def decoded(numbers):
    """Her bits in the patterns of these numbers, if none is flipped, times the signs of all cells, (m, K)."""
    signs = STRIPES.signs(np.asarray(numbers)[:, None], np.arange(STRIPES.K))
    cell, label = her_cell()
    return (2 * label - 1) * signs[:, [cell]] * signs


def stripes(number):
    """The `Axes` of the pattern of this number over the numbered cells, and where A lives."""
    X, _ = cast()
    low, high = STRIPES.boxes()
    signs = STRIPES.signs(number, np.arange(STRIPES.K)).reshape(STRIPES.shape).T
    return plane("stripes", f"public pattern, number {number}, of 16 cells",
                 cells("pattern", signs > 0, ("forbidden", "promise"), labels=("minus", "plus")),
                 bars("cells", low[:, 0], high[:, 0], low[:, 1], high[:, 1], "reference", hollow=True),
                 text("numbers", high[:, 0] - 0.02, low[:, 1] + 0.03, map(str, range(STRIPES.K)),
                      anchor="end"),
                 dots("A", *X[A], "second", size=18, label="A, label 1"))


def weighed(values):
    """The `Axes` of a square in each of the 16 cells, of an area like its value in -1/2 to 1/2, (16,)."""
    low, high = STRIPES.boxes()
    (x, y), side = (low + high).T / 2, 0.45 * STRIPES.h

    def squares(key, shares, role, words):
        half = side * np.sqrt(np.maximum(shares, 0) * 2)
        return bars(key, x - half, x + half, y - half, y + half, role, label=words)

    hers = np.eye(STRIPES.K)[her_cell()[0]] / 2
    return plane("decoded", "",
                 bars("cells", low[:, 0], high[:, 0], low[:, 1], high[:, 1], "reference", hollow=True),
                 squares("minus", -values, "second", "minus"), squares("plus", values, "private", "plus"),
                 squares("signal", hers, "truth", "her signal, ½")._replace(options={"hollow": True}))


@view(ROWS, NOISE)
def one_bit(rows, noise):
    """Left: the last pattern, and what A sends. Right: what it and those before it say, cell by cell."""
    numbers, flipped = patterns(noise, rows)
    told, (cell, _) = decoded(numbers), her_cell()
    mean = told.mean(axis=0) / 2
    single = STRIPES.scale * (-1 if flipped else 1) * told[-1, cell]
    pattern = stripes(numbers[-1])
    sign = "plus" if STRIPES.signs(numbers[-1], cell) > 0 else "minus"
    pattern = pattern._replace(title=f"she sends the sign of her cell: {sign}" + ", flipped" * flipped)
    many = "1 pattern" if rows == 1 else f"{rows} patterns"
    right = weighed(mean)._replace(title=f"bit × pattern, mean of {many} and all flips")
    own, other = f"{mean[cell]:.2g}", f"{np.abs(np.delete(mean, cell)).max():.2g}"
    over = "One pattern" if rows == 1 else f"The mean over {rows} patterns"
    now = "flipped" if flipped else "not flipped"
    return Shown((pattern, right),
                 f"{over} says {own} in the cell of A and at most {other} in the others. This time her bit "
                 f"was {now}.",
                 [("in other cells, at most", other), ("in A's cell", own),
                  ("flipped", f"{flip_chance(STRIPES.alpha):.1%} of the time"),
                  ("this bit there", f"{single:.2f}, {now}")])


@view(OWN, NOISE)
def public_pattern(own, noise):
    """Left: the pattern. Right: where somebody who reads it finds A."""
    (number,), _ = patterns(noise, 1, own)
    places, (cell, _) = np.arange(STRIPES.K), her_cell()
    chance = np.eye(STRIPES.K)[cell] if own else np.full(STRIPES.K, 1 / STRIPES.K)
    marks = (upright("chance", places, chance, "bound", wide=0.8),
             dots("hers", cell, -0.05, "second", size=15, label="A's cell"))
    right = Axes("found", linear(-0.7, STRIPES.K - 0.3, ticks=range(0, STRIPES.K, 5)),
                 linear(-0.1, 1.1, 0.25, "{:.0%}"), "chance of each cell, for a reader of the pattern",
                 "number of the cell", "", marks, grid=False, wide=1.3)
    return Shown((stripes(number), right),
                 f"Who knows the pattern finds the cell of A with probability {chance.max():.1%}; the "
                 f"privacy loss is {'infinite' if own else 'at most 1'}.",
                 [("cell found", f"{chance.max():.1%}"), ("privacy loss", "∞" if own else "≤ 1")])


EDGE = 0.14
"""Where the axis of scores ends."""


@lru_cache(maxsize=512)
def three(crowd, noise):
    """Noise levels of the three reports, (3,), and four bars as each of them shows these, (3, 4).

    Places, labels and noise of n people on *sine* are drawn by their exact laws.
    """
    law, rng = problem("sine", d=2), np.random.default_rng((9, noise))
    paper = CUBES.score(simulate_crowd(CUBES, law, crowd, rng=rng)).reshape(5, 5)[1::2, 1::2].ravel()
    flat = FLAT.score(simulate_crowd(FLAT, law, crowd, rng=rng))
    # Rows are uniform; the bit of a row is 1 with probability 1/2 + (transform of the signals) / (2 scale).
    ones = 0.5 + hadamard_transform(HEIGHT * QUARTERS) / (2 * BIT.scale)
    count = head_counts(rng, crowd, np.concatenate([ones, 1 - ones]) / BIT.order).reshape(2, -1)
    bit = BIT.scale * hadamard_transform((count[0] - count[1]).astype(float)) / crowd
    levels = noise_level(CUBES.scale, crowd), math.sqrt(FLAT.variance(0) / crowd), BIT.scale / crowd**0.5
    return np.array(levels), np.stack([paper, flat, bit])


@view(CROWD, NOISE)
def three_levels(crowd, noise):
    """The same bars in three noise bands: three groups of four bars, each in its band."""
    levels, seen = three(crowd, noise)
    places, marks = np.linspace(-0.27, 0.27, 4), [ZERO]
    for k, words in enumerate(("paper", "cells", "bit")):
        band = noise_band(levels[k], k - 0.44, k + 0.44, "" if k else "noise level")
        marks.append(band._replace(key=f"noise {words}"))
        marks += [mark._replace(key=f"{mark.key} {words}", label="" if k else mark.label) for mark in
                  signal_bars(k + places, HEIGHT * QUARTERS, 0.14, seen=seen[k])]
    said = [figures(level) for level in levels]
    words = [f"{report} ±{level}" for report, level in zip(("paper", "cells", "bit"), said)]
    axes = Axes("levels", linear(-0.5, 2.5, ticks=range(3), words=words), linear(-EDGE, EDGE, 0.04),
                f"the scores of four cubes or cells, {crowd:,} people, α = 1", "", "", marks, grid=False)
    return Shown((axes,), f"With {crowd:,} people all bars are {HEIGHT:.4f} tall. The noise levels are "
                 f"{said[0]}, {said[1]} and {said[2]}.",
                 [(words, f"{HEIGHT / level:.2f}") for words, level in
                  zip(("bar / noise, one bit", "cells", "the paper's"), levels[::-1])])


def blocks(d, alpha=1.0):
    """What the paper's report pays for in variance: three factors against `CellLaplace`, and one bit's."""
    cube, flat = CubeLaplace(alpha, 0.25, d, noise="real"), CellLaplace(alpha, 0.5, d, noise="real")
    one = HadamardBit(alpha, 0.5, d)
    times_less = cube.scale / flat.scale
    return (Waste(f"noise {times_less:g} × {times_less:g}", times_less**2), Waste("two halves", 2.0),
            Waste("means: 1 + ¼", 1.25), Waste("one bit", flat.variance(0) / one.variance(0)))


def report_parts(d, steps):
    """The `Axes` of the four parts of the paper's report, of which the first `steps` are taken away.

    From above: by how much two people differ, how many answer a question, how noisy the means are, of how
    many cells everybody tells.
    """
    wide = 2.0 ** (d + 1)
    units, half = np.arange(wide), wide / 2
    paper = ((units, units + 0.9), ([0], [half]), ([0, 1.1 * half], [half, 1.35 * half]),
             (units[::2], units[::2] + 1.8))
    rest = ([0], [0.9]), ([0], [wide]), ([0], [half]), ([0], [0.9])
    words = ((f"differ by {wide:g}", "differ by 1"), ("half answer", "all answer"), ("two means", "one mean"),
             ("every cell", "one bit"))

    def pieces(key, parts, places, role, label, hollow=False):
        boxes = [(left, right, 4 - k) for k in places for left, right in zip(*parts[k])]
        left, right, row = np.reshape(boxes, (-1, 3)).T
        return lying(key, right, row, role, high=0.4, low=left, label=label, hollow=hollow)

    gone = range(steps)
    fewer = [f"{figures(part.factor)} times fewer people" for part in blocks(d)[:steps]]
    fewer[:1] = [f"{wide:g}² = {said}" for said in fewer[:1]]
    marks = (pieces("paper", paper, range(steps, 4), "bound", "the paper's report"),
             pieces("gone", paper, gone, "reference", "taken away", hollow=True),
             pieces("rest", rest, gone, "private", "what is left"),
             text("fewer", wide, 4.2 - np.arange(steps), fewer, anchor="end", dy=-9))
    down = linear(0.5, 4.8, ticks=(4, 3, 2, 1), words=[both[k in gone] for k, both in enumerate(words)])
    return Axes("parts", linear(0, 1.02 * wide), down, "what is taken away from the report", "", "", marks,
                grid=False, wide=1.2)


@view(STEPS, DIMENSION)
def without_blocks(steps, features):
    """Left: the parts of the report, of which some are gone. Right: bars in the noise that is left.

    There are so many people that cells have a noise level of one bar.
    """
    parts, signs = blocks(features), np.resize(QUARTERS, 2**features)
    fewer, cells_fewer = total(parts[:steps]), total(parts[:3])
    level, places = math.sqrt(cells_fewer / fewer), (np.arange(len(signs)) + 0.5) / len(signs)
    marks = (noise_band(level, 0, 1, "noise"), ZERO, *signal_bars(places, signs, 0.5 / len(signs)),
             text("level", 0.5, 2.2, f"noise: {figures(level)} bars", anchor="middle"))
    right = Axes("blocks", linear(0, 1, ticks=()), linear(-2.5, 2.5, 1), "the same bars in the noise", "",
                 "the noise level, in bars", marks, grid=False)
    asked = "1 feature" if features == 1 else f"{features} features"
    gone = ("no block", "1 block")[steps] if steps < 2 else f"{steps} blocks"
    times_fewer = f"{figures(fewer)} times fewer" if steps else "as many"
    return Shown((report_parts(features, steps), right),
                 f"With {asked} and {gone} taken away the noise level is {figures(level)} "
                 f"bars: {times_fewer} people for the same level.",
                 [("times fewer people", figures(fewer)), ("cells", figures(cells_fewer)),
                  ("one bit", figures(total(parts)))])


@lru_cache(maxsize=1)
def sketches():
    """How eta runs from left to right in each law of the gallery, one above the other as in *honest*, (2, m).

    The second feature, if any, is 0.65. NaN after each.
    """
    x, lines = np.linspace(0, 1, 121), []
    for row, (kind, params) in zip(range(len(LAWS), 0, -1), LAWS.values()):
        law = problem(kind, **params)
        places = np.column_stack([x] + [np.full(len(x), 0.65)] * (law.d - 1))
        lines += [np.stack([0.025 * 16**x, row + 0.7 * (law.eta(places) - 0.5)]), [[np.nan]] * 2]
    return np.hstack(lines)


def by_noise_alone(d):
    """How many times fewer people cells need: as wide as cubes; as wide as grid points are apart.

    A cube is twice as wide as that.
    """
    window = total(blocks(d)[:3])
    return window, window / 4.0**d


@view(GOAL, LARGE, SEEN)
def kinder_comparisons(goal, large, seen):
    """Left: widths, and the noise alone. Right: how many times fewer people one bit needs, law by law."""
    window, spacing = by_noise_alone(2)
    # What is not shown yet is NaN.
    people = np.array([np.divide(*GALLERY[law, large, goal]) if seen or law == "sine, d = 2" else np.nan
                       for law in LAWS])
    h, left = CUBES.h, []
    for key, width, apart, top, high, role, words in (
            ("cubes", 2 * h, h, 5.1, 0.25, "reference", "cubes, 2h wide and h apart"),
            ("window", 2 * h, 2 * h, 2.8, 0.35, "private", f"cells 2h wide: {window:g} times fewer"),
            ("spacing", h, h, 0.8, 0.35, "private", f"cells h wide: {spacing:g} times fewer")):
        starts = np.arange(0, 1 - width + 1e-9, apart)
        # Cubes overlap: each is drawn below the one before it.
        low = top - 0.42 * (key == "cubes") * np.arange(len(starts))
        left += [bars(key, starts + 0.006, starts + width - 0.006, low, low + high, role),
                 text(f"{key} words", 0.5, top + high, words, anchor="middle", dy=-12)]
    fair = Axes("noise alone", linear(0, 1, ticks=()), linear(0.4, 6.4), "cells, by noise alone, d = 2",
                "one side of the square", "", left, grid=False, wide=0.75)
    rows, known = np.arange(len(LAWS), 0, -1.0), np.flatnonzero(people > 0)
    right = (rule("even", "bound", x=1, width=2, label="as many people"),
             line("laws", *sketches(), "truth", width=1.5, label="chance of label 1"),
             dots("factor", people, rows, "private", size=13),
             text("words", people[known], rows[known], [times(x) for x in people[known]], dx=12))
    laws = Axes("gallery", log(0.02, 20_000, ticks=(1, 10, 100, 1000), words=("1", "10", "100", "1,000")),
                linear(0.3, len(rows) + 0.7, ticks=rows[::-1], words=tuple(LAWS)[::-1]),
                f"one bit: times fewer people, α = {large:g}",
                f"each report at the best of {len(GALLERY_WIDTHS)} h", "", right)
    lowest, least, most = np.nanmin(people), times(np.nanmin(people)), times(np.nanmax(people))
    fewer = (f"{least} times fewer people on the law" if len(known) == 1
             else f"from {least} to {most} times fewer people on the laws" if lowest >= 1
             else f"from {times(1 / lowest)} times more to {most} times fewer people on the laws")
    return Shown((fair, laws), f"With cells as wide as cubes cells need {window:.0f} times fewer people at "
                 f"d = 2, with cells half as wide {spacing:.0f}. For a risk of {goal:g} at α = {large:g} one "
                 f"bit needs {fewer} shown.",
                 [("least", least), ("most", most), ("same spacing", f"{spacing:.0f}")])


def times(factor):
    """A factor in words."""
    return f"{factor:,.0f}" if factor >= 10 else figures(factor, 2)


@lru_cache(maxsize=128)
def learnt(budget, noise):
    """One fit of the rule that is not told h, from one report of every surveyed person.

    Labels as in `pictures.fit`, and how often it is right; exact.
    """
    law, people, grid = survey()
    rule = AdaptiveClassifier(budget)
    # As `fit` does it, which would bring scikit-learn's checks of the people into the kernel.
    told = rule.build_mechanism(*people[0].shape).simulate_aggregate(*people, rng=noise + 1)
    ones = rule.fit_aggregate(told).scores_ >= 0
    lost = np.where(ones.ravel(), grid.gain_zero, grid.gain_one).sum()
    return pictures.painted(ones, 1 / len(ones)).astype(np.uint8), float(1 - law.bayes_risk - lost)


@view(BUDGET, NOISE)
def learnt_width(budget, noise):
    """Left: one fit of the rule that is not told h. Right: how often rules are right."""
    (law, *_), (labels, right_now) = survey(), learnt(budget, noise)
    # Without the best rule's border: ages and years are whole numbers, and it has hundreds of hooks.
    left = plane("fit", "who worked all year? one fit",
                 cells("areas", labels, ("zero", "one"), labels=("guesses no", "guesses yes")))
    paper, known, mean, error = RIGHT[budget]
    values = np.array([law.majority_rate, paper, known, mean, 1 - law.bayes_risk])
    rows, down = listed(("always yes", "paper's", "cells", "all widths", "best rule"))
    marks = [lying(f"bar {k}", value, row, role, low=0.5) for k, (value, row, role) in enumerate(
        zip(values, rows, ("reference", "bound", "other", "private", "truth")))]
    said, spread = [f"{value:.1%}" for value in values], f"{figures(100 * error, 1)}%"
    said[3] += f" ± {spread}"
    marks.append(text("words", values, rows, said, dx=8))
    best = "cells are" if known > mean else "all widths are"
    right = Axes("right", linear(0.5, 0.95, 0.1, "{:.0%}"), down, f"α = {budget:g}: {best} more often right",
                 "the paper's, cells: best h, looked up", "", marks, grid=False)
    return Shown((left, right), f"At α = {budget:g} the best h on cells is right {known:.1%} of the time, "
                 f"the rule that learns h {mean:.1%}, simulated, with a standard error of {spread}; this "
                 f"fit {right_now:.1%}.",
                 [("this fit is right", f"{right_now:.1%}"), ("mean of 12 simulated fits", said[3]),
                  ("best h, looked up", f"{known:.1%}")])


STORY = Story("beyond", "Same promise, fewer people", version=2, size=(10.6, 5.2), last=(NOISE,), scenes=(
    Scene("her report", "The paper asks about 25 overlapping cubes: A and B differ in 8 answers. Noise must "
          "cover this distance. Choose cells: distance 1, less noise.", her_report, {}, ("design", "noise")),
    Scene("one bit", "Now 16 cells: A sends her cell's sign in a random pattern, the opposite for label 0, "
          "sometimes flipped. Over all patterns, other cells cancel.",
          one_bit, {}, ("rows", "noise"), play=("rows", (1, 2, 4, 8, 16))),
    Scene("three noise levels", f"Same people, same promise. With {OUT[0]} people the bars are as tall as "
          "one bit's noise. How many does the paper's report need?",
          three_levels, {}, ("crowd", "noise"), play=("crowd", (OUT[0], OUT[1], 20_000, OUT[2])), ask=Ask({
              "10 times as many": f"It is {OUT[2]:,}, 273 times as many: its noise is 16.5 times as deep.",
              "50 times": f"It is {OUT[2]:,}, 273 times as many: its noise is 16.5 times as deep.",
              "270 times": f"It is {OUT[2]:,}: its noise is 16.5 times as deep, and 16.5² = 273."},
              right="270 times")),
    Scene("blocks", "Why so many fewer people? Play: four times something is taken away from the paper's "
          "report, and the noise falls under the bars.",
          without_blocks, {}, ("steps", "features"), play=("steps", (1, 2, 3, 4)),
          recall="three noise levels"),
    Scene("honest", "Cells h wide hold fewer people: 160 becomes 10. On sine, one bit needs 865 times fewer "
          "people. And on other laws?",
          kinder_comparisons, {}, ("goal", "large"), ask=Ask({
              "865 everywhere": "Sine is kind: its borders are cells' borders. At α = 1 laws give "
                                f"{gallery_range()}.",
              "160 everywhere": "160 counts noise alone. People depend on the law: at α = 1, "
                                f"{gallery_range()}.",
              gallery_range(): "This is at α = 1. Least is won where borders of the law miss the borders of "
                               "cells.",
              "one bit often loses": "Not on these laws at α = 1. But move the budget to 8."},
              right=gallery_range(), then={"seen": True})),
    Scene("no h", "Nobody knows the best h. This rule averages over many widths instead, and guesses who "
          "worked all year from 215,574 reports.", learnt_width, {}, ("budget", "noise")),
    Scene("break it", "Somebody uses the pattern with the number of her own cell. The bit is flipped as "
          "before. How often is her cell found?",
          public_pattern, {}, ("own", "noise"), ask=Ask({
              "1 time in 16": "That is true for a random pattern. This one has her address as its number.",
              "1 time in 2": "The flips protect the bit. But the pattern is public, and its number is her "
                             "address.",
              "always": "The pattern is public, and its number is her address. A flip cannot hide that."},
              right="always", then={"own": True})),
    Scene("explore", "For questions: four fits and exact risks; the factor above the curves counts people.",
          explore.everything),
))

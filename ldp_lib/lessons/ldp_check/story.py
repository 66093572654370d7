"""The story of notebook 01: every number of a report pushes a judge's needle, and none pushes it far.

The needle stands at the log-likelihood ratio of the report, A against B: the sum of one push for each number
(Berrett & Butucea 2019, Theorem 2.1). It is drawn in units of alpha.
"""

from functools import lru_cache

import numpy as np

from ldp_lib.lessons.bars import NOISE, ZERO, noise_band
from ldp_lib.lessons.ldp_check import explore
from ldp_lib.lessons.ldp_check.explore import DIMENSION, HEIGHT, IN_ALPHA, LABEL_2, PLACE, PLACE_2, age
from ldp_lib.lessons.pictures import broken, lying, stems, upright
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution, reachability_attack
from ldp_lib.privacy.mutants import HalfTheNoise, NoiseOnNonEmptyCellsOnly, float_laplace
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, arrow, bars, dots, handle, line, linear, rule, text
from ldp_lib.theory.contraction import total_variation

ALPHA, H = 1.0, 0.2
"""Of all scenes before *explore*."""
HONEST = CubeLaplace(ALPHA, H)
A, B = 0.13, 0.78
"""Where numbers 24 and 133 of the cast live: 27 and 75 years old, both with label 1."""
SEED = 1321
"""Chosen so that the reports that are drawn fit into their axes, and the first has pushes to both sides."""
CLOSE = 16.0
"""Where the axis of a report ends."""
BEYOND = 10.0
"""Where a push without end is drawn to: out of every picture."""
BETS = 20
"""Reports of one draw of the betting game."""

SHOWN = Control("shown", "bets are placed", "", (False, True), False, help="then it is told who sent what")
MISTAKES = {"no mistake": CubeLaplace, "half the noise": HalfTheNoise,
            "no noise on zeros": NoiseOnNonEmptyCellsOnly, "ordinary floats": float_laplace}
MISTAKE = Control("mistake", "mistake", "", tuple(MISTAKES), "no mistake", help="how the noise is drawn")
BUDGET = ("budget α", f"{ALPHA:g}")
"""In every readout: it is nowhere to be moved before *explore*."""

GRID = np.arange(6) * H
AGES = [age(place) for place in GRID]
AGE = linear(-0.22, 1.22, ticks=GRID, words=AGES, reads=(18, 73, 0, "years"))
CUBE = "cube at age"
SCHOOL = linear(-0.25, 1.25, ticks=GRID, words=[f"{21 * place:.0f}" for place in GRID], reads=(0, 21))
"""Years of schooling."""
SIDES = "← it was B\u2003\u2003it was A →"
WALLS = linear(-1.35, 1.35, ticks=(-1, -0.5, 0, 0.5, 1), words=("−α", "−α/2", "0", "α/2", "α"),
               reads=IN_ALPHA)
QUARTERS = linear(-1.35, 1.35, ticks=[k / 4 for k in range(-4, 5)],
                  words=["−α", "", "−α/2", "", "0", "", "α/2", "", "α"], reads=IN_ALPHA)
WIDE = linear(-2.6, 2.6, ticks=(-2, -1, 0, 1, 2), words=("−2α", "−α", "0", "α", "2α"), reads=IN_ALPHA)
"""Where needles stand, in units of alpha."""
LOOKS = {"A": ("first", "promise", "x", -0.2, 0.5), "B": ("second", "forbidden", "x2", -0.42, 0.0)}
"""Roles of a person and of her cubes, the control of her place, her line under the cubes, her part of one."""


def named(person, x):
    """A person in words: her letter and age."""
    return f"{person}, {age(x)} years old"


def array(x, label=1, mechanism=HONEST):
    """What somebody at `x` publishes in the second half of the sample, without noise: (K,)."""
    return mechanism.encode([[x, HEIGHT][:mechanism.d]], [int(label)], half=2)[0]


def sent(mechanism, x, noise):
    """The report of somebody with label 1 at `x`, in the second half of the sample: (K,)."""
    rng = np.random.default_rng((SEED, noise))
    return mechanism.privatize([[x], [x]], [1, 1], rng=rng)[1]


def pushes(report, first, second, mechanism):
    """What each number of reports (..., K) pushes the needle towards the first array, in units of alpha.

    A number that one of them cannot send pushes without end.
    """
    raw = (np.abs(report - second) - np.abs(report - first)) / (mechanism.noise.scale * mechanism.alpha)
    if isinstance(mechanism, NoiseOnNonEmptyCellsOnly):
        impossible = (first != second) & ((second == 0) != (report == 0))
    elif mechanism.granularity == 0:
        impossible = (first != second) & reachability_attack(report, second, mechanism.noise).ruled_out
    else:
        impossible = np.zeros(raw.shape, bool)
    return np.where(impossible, np.inf, raw)


@view(PLACE, NOISE)
def one_report(x, noise):
    """Left: the cubes in which A lives. Right: her numbers, and what she sends."""
    mechanism, ones = CubeLaplace(ALPHA, H), array(x)
    level = mechanism.noise.variance**0.5
    return Shown((cubes({"A": (x, ones)}), report_axes(mechanism, sent(mechanism, x, noise), {"A": ones})),
                 f"{named('A', x)}, lives in {ones.sum():.0f} of {len(GRID)} cubes. She sends {len(GRID)} "
                 f"numbers, each with a noise of standard deviation {level:.2f}.",
                 [("noise √2·b", f"±{level:.2f}"), ("A's age", age(x)),
                  ("scale b = 4/α", f"{HONEST.scale:g}"), BUDGET])


def cubes(people):
    """The `Axes` of all cubes, in two rows because they overlap, and who lives in which.

    people : "A" or "B" -> place and array.
    """
    low, height = np.where(np.arange(len(GRID)) % 2, 0.05, 0.55), 0.4 / len(people)
    marks = [bars("cubes", GRID - H, GRID + H, low, low + 0.4, "truth", hollow=True)]
    for person, (x, ones) in people.items():
        role, fill, control, level, part = LOOKS[person]
        bottom = low + (0.4 * part if len(people) > 1 else 0)
        here = np.where(ones > 0, 1.0, np.nan)
        marks += [bars(f"of {person}", (GRID - H) * here, (GRID + H) * here, bottom, bottom + height, fill,
                       label=f"{person}'s cubes"),
                  line(f"line {person}", [x, x], [level, 1.0], role, width=2),
                  dots(f"person {person}", x, level, role, size=18, label=named(person, x),
                       handle=handle(control))]
    marks.append(dots("middles", GRID, low + 0.2, "truth", size=7, marker="circle", label="middle of a cube"))
    return Axes("cubes", AGE, linear(-0.55, 1.05), "6 cubes of 29 years; they overlap, so in two rows", "age",
                "", marks, grid=False)


def report_axes(mechanism, report, arrays):
    """The `Axes` of one report, of the arrays that may stand behind it, and of the noise.

    arrays : "A" or "B" -> array.
    """
    level = mechanism.noise.variance**0.5
    marks = (noise_band(level, AGE.low, AGE.high, f"noise ±{level:.2f}"), ZERO,
             *(upright(f"array {person}", GRID + middle, ones, LOOKS[person][0], wide=0.04,
                       label=f"{person}'s numbers")
               for (person, ones), middle in zip(arrays.items(), (-0.045, 0.045))),
             line("stems", *stems(GRID, report), "private", width=2),
             dots("report", GRID, report, "private", size=13, marker="square", label="what is sent"))
    return Axes("report", AGE, linear(-CLOSE, CLOSE, 4), "one report", "age at the middle of the cube", "",
                marks, grid=False)


def nearer_axes(report, arrays):
    """The `Axes` of one report, a row for each number: whose true number it is nearer to, and by how far.

    Rows are those of `needle_axes`. arrays : "A" and "B" -> array.
    """
    rows, differ = np.arange(len(GRID), 0, -1.0), arrays["A"] != arrays["B"]
    middle, right = (arrays["A"] + arrays["B"]) / 2, arrays["A"] > arrays["B"]
    marks = []
    for person, above, words in (("A", right, "nearer to A's"), ("B", ~right, "nearer to B's")):
        low, end = np.where(differ, (np.where(above, middle, -CLOSE), np.where(above, CLOSE, middle)), np.nan)
        marks.append(lying(f"for {person}", end, rows, LOOKS[person][1], high=0.84, low=low, label=words))
    edge = np.where(differ, np.nan, CLOSE)
    marks.append(lying("for nobody", edge, rows, "nothing", high=0.84, low=-edge, label="the same for both"))
    marks += [dots(f"array {person}", np.where(differ, ones, np.nan), rows, LOOKS[person][0], size=12,
                   label=f"{person}'s true number") for person, ones in arrays.items()]
    marks.append(dots("report", report, rows, "truth", size=13, marker="square", label="what is sent"))
    down = 73 * H  # years from row to row, the first one above
    y = linear(-0.7, len(report) + 0.6, ticks=rows[::-1], words=AGES[::-1],
               reads=(18 + down * len(report), -down))
    return Axes("report", linear(-CLOSE, CLOSE, 4), y, "whose true number is nearer?", "number that is sent",
                CUBE, marks, grid=False)


def needle_axes(pushed, words, title, ylabel, *, scale=QUARTERS, reach=None):
    """The `Axes` of pushes (m,), laid end to end from 0, and the needle where they end.

    A push without end leaves the picture, and takes the needle with it.

    words : of the rows, () for none. scale : where needles stand. reach : how far this one can go.
    """
    endless = np.isinf(pushed)
    finite = np.where(endless, 0.0, pushed)
    ends = np.cumsum(finite)
    starts = ends - finite
    tips = np.where(endless, np.sign(pushed) * BEYOND, ends)
    stands = np.nan if endless.any() else ends[-1]
    rows = np.arange(len(pushed), 0, -1.0)
    marks = [bars("land", [-BEYOND, 1], [-1, BEYOND], -1, len(pushed) + 1, "forbidden")]
    if reach is not None:
        marks.append(bars("reach", -reach, reach, -0.35, 0.35, "promise", label="as far as it can go"))
    marks += [rule("walls", "bound", x=(-1, 1), width=3, label="walls at −α and α"),
              line("chain", np.column_stack([ends, ends]).ravel(),
                   np.column_stack([rows, rows - 1]).ravel(), "reference", width=1, label="end to end")]
    marks += [arrow(f"push {k + 1}", starts[k], rows[k], tips[k], rows[k],
                    "first" if pushed[k] > 0 else "second", width=4) for k in np.flatnonzero(pushed)]
    none = np.where(pushed == 0, 1.0, np.nan)
    marks += [dots("no push", starts * none, rows, "reference", size=6, marker="circle",
                   label="same number for both" if (pushed == 0).any() else ""),
              line("needle", stands, [0.45, -0.6], "truth", width=7, label="needle")]
    y = linear(-0.7, len(pushed) + 0.6, ticks=[0, *rows[::-1][:len(words)]], words=["sum", *words[::-1]])
    return Axes("needle", scale, y, title, SIDES, ylabel, marks)


def told(value):
    """A place of the needle in words."""
    if np.isinf(value):
        return "∞"
    return f"{value:+.2f}\u00a0α".replace("-", "−")


@view(PLACE, PLACE_2, LABEL_2, NOISE)
def one_needle(x, x2, y2, noise):
    """Left: each number of one report of A, and whose it is nearer to. Right: there it pushes the needle."""
    arrays, report = {"A": array(x), "B": array(x2, y2)}, sent(HONEST, x, noise)
    pushed = pushes(report, *arrays.values(), HONEST)
    total = pushed.sum()
    return Shown(
        (nearer_axes(report, arrays),
         needle_axes(pushed, AGES, "needle = log P(report | A) / P(report | B)", CUBE)),
        where_it_ends(pushed, farthest(x, x2, y2)),
        [("the needle", told(total)), ("times likelier from A", f"{np.exp(ALPHA * total):.2f}"), BUDGET])


def farthest(x, x2, y2):
    """How far the needle can go, in units of alpha."""
    return HONEST.privacy_loss([x], 1, [x2], int(y2), half=2) / ALPHA


def where_it_ends(pushed, reach):
    """A needle in words."""
    count = np.count_nonzero(pushed)
    return (f"A sends. {count} {'number pushes' if count == 1 else 'numbers push'} the needle, the longest "
            f"push is {np.abs(pushed).max():.3g} α. It ends at {pushed.sum():.2f} α and can go as far as "
            f"{reach:.3g} α.")


@view(PLACE, PLACE_2, LABEL_2, NOISE)
def shared_cubes(x, x2, y2, noise):
    """Left: who lives in which cubes. Right: the needle, and how far it can go."""
    first, second, reach = array(x), array(x2, y2), farthest(x, x2, y2)
    pushed = pushes(sent(HONEST, x, noise), first, second, HONEST)
    return Shown(
        (cubes({"A": (x, first), "B": (x2, second)}),
         needle_axes(pushed, AGES, "shared cubes push nothing", CUBE, reach=reach)),
        where_it_ends(pushed, reach),
        [("it can go as far as", f"{reach:.3g} α"),
         ("numbers that differ", f"{np.count_nonzero(first - second)}")])


@lru_cache(maxsize=2)
def law(d):
    """The exact law of the needle if A sends, at d features: places (m,), probabilities (m,)."""
    mechanism, places = CubeLaplace(ALPHA, H, d), [(x, HEIGHT)[:d] for x in (A, B)]
    found = privacy_loss_distribution(mechanism, *((place, 1) for place in places), half=2)
    return found.loss / ALPHA, found.under_a


@lru_cache(maxsize=2)
def game(d):
    """Many reports at d features, for every noise 20: who sent them, and pushes.

    True where A did, (24, 20); what a bettor bets on who cannot decide; and the pushes towards A of the
    numbers in which both differ, (24, 20, m), if A sends and if B does.
    """
    mechanism, rng = CubeLaplace(ALPHA, H, d), np.random.default_rng((SEED, 0, d))
    arrays = np.stack([array(x, 1, mechanism) for x in (A, B)])
    coin, toss = rng.random((2, len(NOISE.values), BETS)) < 0.5
    noise = mechanism.noise.sample((*coin.shape, mechanism.K), rng)
    found = [pushes(ones + noise, *arrays, mechanism)[..., arrays[0] != arrays[1]] for ones in arrays]
    return coin, toss, found


@lru_cache(maxsize=2)
def best_bettor(d):
    """The exact probability with which the best bettor wins: (1 + total variation) / 2."""
    under_a = law(d)[1]
    # With as many ones on both sides the laws are mirror images.
    return (1 + total_variation(under_a, under_a[::-1])) / 2


@view(SHOWN, NOISE)
def twenty_bets(shown, noise):
    """Before the answer closed envelopes; then one mark for every bet, stacked over its needle."""
    if not shown:
        return Shown((envelopes(),), "Twenty closed envelopes, in each a report by A or by B; nobody has bet "
                     "yet.", [("bets", str(BETS)), BUDGET])
    coin, toss, (from_a, from_b) = game(1)
    by_a = coin[noise]
    needles = np.where(by_a[:, None], from_a[noise], from_b[noise]).sum(axis=1)
    won = np.where(np.abs(needles) < 1e-9, toss[noise], needles > 0) == by_a
    mean, wall = best_bettor(1), float(np.exp(ALPHA) / (1 + np.exp(ALPHA)))
    place, row = stacked(needles)
    marks = [bars("land", [-BEYOND, 1], [-1, BEYOND], -1, 20, "forbidden"),
             rule("walls", "bound", x=(-1, 1), width=3, label="walls at −α and α"),
             rule("middle", "reference", x=0, width=1)]
    marks += [dots(f"by {person}", np.where(here, place, np.nan), row, LOOKS[person][0], size=15,
                   label=f"{person} sent it") for person, here in (("A", by_a), ("B", ~by_a))]
    marks.append(dots("lost", np.where(won, np.nan, place), row, "best", size=20, label="lost"))
    axes = Axes("bets", WALLS, linear(0, 10.5), "each mark stands where a needle stands",
                "← bet on B\u2003\u2003bet on A →", "", marks, grid=False)
    return Shown((axes,), f"The best bettor wins {won.sum()} of these {BETS} bets, and {BETS * mean:.1f} on "
                 f"average; if all needles stood at a wall it would be {BETS * wall:.1f}.",
                 [("won this time", f"{won.sum()} of {BETS}"),
                  ("on average", f"{BETS * mean:.1f} = {mean:.1%}"),
                  ("always at a wall", f"{BETS * wall:.1f} = {wall:.1%}")])


def envelopes():
    """The `Axes` of twenty closed envelopes in a row."""
    left = np.arange(BETS) + 0.1
    flap = broken(np.column_stack([left, left + 0.4, left + 0.8]))
    marks = (bars("envelopes", left, left + 0.8, 3, 4, "truth", hollow=True),
             line("flaps", flap, np.tile([4.0, 3.4, 4.0, np.nan], BETS), "truth", width=2))
    return Axes("bets", linear(0, BETS), linear(0, 7), "20 closed envelopes, a report in each", "", "", marks,
                grid=False)


def binned(needles):
    """Which of 17 bins every needle is in, -8 to 8: those at the ends are the walls and nothing else."""
    inside = np.clip(np.rint(8 * needles), -7, 7)
    return np.where(np.abs(needles) > 1 - 1e-9, np.sign(needles) * 8, inside).astype(int)


def stacked(needles):
    """Where marks stand that pile up in the bins of `needles`: places and heights from 1."""
    bins = binned(needles)
    heights = [1 + np.count_nonzero(bins[:k] == bins[k]) for k in range(len(bins))]
    return bins / 8, np.array(heights, float)


def counted(needles, weights=None):
    """How many needles stand in each of the 17 bins, or their weights together."""
    return np.bincount(binned(needles) + 8, weights, minlength=17)


def reports_of_a(d, noise):
    """What the numbers of her reports push, 20 reports for this noise and every one before it: (m, k)."""
    return game(d)[2][0][:noise + 1].reshape(-1, 2 ** (d + 1))


@view(DIMENSION, NOISE)
def many_needles(d, noise):
    """Above, the last report that A sent. Below, its needle has fallen on those of all before it."""
    pushed, many, exact = reports_of_a(d, noise), 2 ** (d + 1), counted(*law(d))
    counts, mean = counted(pushed.sum(axis=1)), best_bettor(d)
    last = needle_axes(pushed[-1], (), f"A's last report: {many} pushes, α/{many} at most", "", scale=WALLS)
    place, tops = int(binned(pushed[-1].sum())), np.maximum(exact, counts / counts.sum())
    fallen = (dots("fallen", place / 8, tops[place + 8] + 0.03, "truth", size=16, marker="down",
                   label="this needle"),
              text("walls words", [-1.1, 1.1], tops[[0, -1]] + 0.03,
                   [f"1 in {1 / exact[wall]:.0f}" for wall in (0, -1)], anchor="middle", dy=-12))
    below = pile(counts, exact)
    return Shown(((last._replace(xlabel="", high=0.8), below._replace(marks=(*below.marks, *fallen))),),
                 f"Of {counts.sum()} needles {counts[-1]} stand at A's wall; the exact probability is "
                 f"{exact[-1]:.4f}, and {exact[0]:.4f} at B's. The best bettor wins {mean:.1%} of the time.",
                 [("the best bettor wins", f"{mean:.1%}"),
                  ("at A's wall", f"{counts[-1]} of {counts.sum()}"), ("exact", f"{exact[-1]:.2%}")])


@view(DIMENSION, NOISE)
def cubes_of_features(d, noise):
    """Left: the cubes of both people by one feature or two. Right: needles of A's reports."""
    counts, (places, probability) = counted(reports_of_a(d, noise).sum(axis=1)), law(d)
    mean = (places * probability).sum()
    spread = float(((places - mean) ** 2 * probability).sum() ** 0.5)
    return Shown((plane(d), pile(counts, counted(places, probability))),
                 f"{2 ** (d + 1)} numbers differ. If A sends, the needle ends at {mean:.3f} α on average, "
                 f"with standard deviation {spread:.3f} α. The best bettor wins {best_bettor(d):.1%} of the "
                 "time.",
                 [("the best bettor wins", f"{best_bettor(d):.1%}"), ("needle's mean", told(mean)),
                  ("spread", f"±{spread:.2f} α")])


def plane(d):
    """The `Axes` of the cubes in which A and B live by age and schooling, and of the middles of all cubes.

    With one feature a cube is a strip: nobody asks for schooling.
    """
    mechanism, many = CubeLaplace(ALPHA, H, d), 2 ** (d + 1)
    x, y = (each.ravel() for each in np.meshgrid(GRID, GRID if d == 2 else np.array([HEIGHT])))
    marks = [dots("middles", x, y, "reference", size=6, marker="circle",
                  label=f"middles of {mechanism.K} cubes")]
    for person, place in (("A", A), ("B", B)):
        role, fill = LOOKS[person][:2]
        ones = np.argwhere(array(place, 1, mechanism).reshape(mechanism.shape)) * H
        middle = ones[:, 0]
        inset = 0.012 * np.arange(len(ones))  # or edges of one cube would hide those of another
        left, right = middle - H + inset, middle + H - inset
        low, high = ((ones[:, 1] - H + inset, ones[:, 1] + H - inset) if d == 2 else
                     (SCHOOL.low + 0.05 + inset, SCHOOL.high - 0.05 - inset))
        marks += [bars(f"of {person}", left, right, low, high, fill),
                  bars(f"frames {person}", left, right, low, high, role, hollow=True,
                       label=f"{person}'s {len(ones)} cubes"),
                  dots(f"ones {person}", middle, ones[:, 1] if d == 2 else HEIGHT, role, size=10,
                       marker="square"),
                  dots(f"person {person}", place, HEIGHT, role, size=18, label=named(person, place))]
    return Axes("plane", AGE, SCHOOL, f"{many} numbers differ, each pushes α/{many} at most", "age",
                "years of schooling" if d == 2 else "years of schooling, not asked", marks, grid=False)


def pile(counts, exact):
    """The `Axes` of the needles drawn, over the exact law; both of the 17 bins."""
    places = np.arange(-8, 9) / 8
    marks = (bars("land", [-BEYOND, 1], [-1, BEYOND], -1, 2, "forbidden"),
             rule("walls", "bound", x=(-1, 1), width=3),
             upright("drawn", places, counts / counts.sum(), "private", wide=0.08,
                     label=f"{counts.sum()} reports of A"),
             upright("exact", places, exact, "truth", wide=0.11, hollow=True, label="exact law"))
    return Axes("pile", WALLS, linear(0, 0.42, 0.1), "share of needles", SIDES, "", marks, grid=False)


FIRST_FLOAT, FLOATS = 2.5, 40
"""Where possible outputs are compared: so many floats, or lattice points, from here on."""


@lru_cache(maxsize=1)
def combs():
    """Which outputs next to 2.5 are possible, for an input 1 and for 0: float, then lattice, (4, 40) bool."""
    found = []
    for mechanism in (float_laplace(ALPHA, H), CubeLaplace(ALPHA, H)):
        step = mechanism.granularity or np.spacing(FIRST_FLOAT)
        outputs = FIRST_FLOAT + step * np.arange(FLOATS)
        found += [~reachability_attack(outputs, value, mechanism.noise).ruled_out for value in (1.0, 0.0)]
    return np.stack(found)


@lru_cache(maxsize=1)
def proving():
    """Share of the floats sent for a 0 that are impossible for a 1, of 10,000."""
    noise = float_laplace(ALPHA, H).noise
    return reachability_attack(noise.sample(10_000, np.random.default_rng(SEED)), 1.0, noise).rate


@view(MISTAKE, NOISE)
def mistakes(mistake, noise):
    """Left: the report, or the outputs that floats can reach. Right: where the needle ends."""
    mechanism, arrays = MISTAKES[mistake](ALPHA, H), {"A": array(A), "B": array(B)}
    report = sent(mechanism, A, noise)
    pushed = pushes(report, *arrays.values(), mechanism)
    total, longest, endless = pushed.sum(), np.abs(pushed).max(), np.isinf(pushed).sum()
    passes = abs(total) > 1 + 1e-9
    if endless:
        prove = "one number proves that B did not send it" if endless == 1 else (
            f"{endless} numbers prove that B did not send them")
        says = f"With {mistake}, {prove}: no wall holds."
        verdict = "one number proves it" if endless == 1 else f"{endless} numbers prove it"
    else:
        says = (f"With {mistake} the longest push is {longest:.3g} α and the needle ends at {total:.2f} α, "
                f"{'outside' if passes else 'inside'} the walls.")
        verdict = ("it passes the wall" if passes else
                   "between the walls" if mistake == "no mistake" else "inside this time")
    left = report_axes(mechanism, report, arrays)
    if mistake == "ordinary floats":
        left, verdict = comb_axes(), f"{proving():.0%} of the outputs prove it"
    right = needle_axes(pushed, AGES, "the walls of the theorem", CUBE, scale=WIDE)
    return Shown((left, right), says,
                 [(verdict, told(total)), ("longest push", told(longest).lstrip("+")), BUDGET])


def comb_axes():
    """The `Axes` of possible outputs: with floats two different combs, on the lattice one and the same."""
    found, rows = combs(), np.array([4.0, 3.0, 1.6, 0.6])
    marks = [line(f"row {k}", np.repeat(np.where(possible, np.arange(FLOATS), np.nan), 3),
                  np.tile([row - 0.36, row + 0.36, np.nan], FLOATS), role, width=3)
             for k, (possible, row, role) in enumerate(zip(found, rows, ("first", "second") * 2))]
    y = linear(0, 4.7, ticks=rows[::-1], words=["lattice, 0", "lattice, 1", "float, 0", "float, 1"])
    return Axes("combs", linear(-1, FLOATS), y, "which outputs an input 1 or 0 can reach",
                "40 neighbouring outputs from 2.5 on", "", marks, grid=False)


STORY = Story("ldp_check", "How well can anybody tell two people apart?", (
    Scene("her report", "With one feature a cube is an interval. A lives in 2 of 6: these numbers are 1, "
          "the others 0. All six get noise.", one_report, {"x2": B}, ("x", "noise")),
    Scene("needle", "Is the report A's or B's? Each number pushes the needle towards the person whose true "
          "number is nearer, by at most α/4.", one_needle, {}, ("noise",)),
    Scene("bet", "A coin picks A or B, 20 times. You bet on the side to which the needle points. How many "
          "bets do you win?", twenty_bets, {}, ("noise",), ask=Ask({
              "10": "That is what a coin wins. A report says a little more: 11.8 on average.",
              "12": "On average 11.8, or 59.2%. If every needle stood at a wall: 14.6, or 73.1%.",
              "15": "That needs every needle at a wall: 14.6, or 73.1%. Most stay away, so it is 11.8.",
              "19": "The walls allow 14.6 on average, or 73.1%. Most needles stay away from them: 11.8."},
              right="12", then={"shown": True})),
    Scene("law", "A sends again and again: each report costs α anew. Hold new noise: most needles stay off "
          "the walls, 1 in 16 ends at A's.", many_needles, {}, ("noise",), recall="bet"),
    Scene("two features", "Ask for schooling, too, with the same α. Now 8 numbers differ, not 4. Does the "
          "best bettor win more often?", cubes_of_features, {}, ("d", "noise"), ask=Ask(dict.fromkeys(
              ("more often", "just as often", "less often"),
              "8 small pushes partly cancel: half the drift to A, but 0.7 times the spread."),
              right="less often", then={"d": 2, "noise": 23})),
    Scene("closer", "Suppose that B moves to age 32. A is 27. How far can the needle go then?", shared_cubes,
          {"d": 1}, ("x2", "noise"), ask=Ask({
              answer: f"{why} Drag B: cubes count, not years." for answer, why in (
                  ("to the wall", "That needs two people without a common cube. These share both."),
                  ("half as far", "So it is with one common cube. These share both."),
                  ("a quarter", "So it is on the grid line at 33. These share both."),
                  ("nowhere", "They share both cubes, so nothing differs."))},
              right="nowhere", then={"x2": 0.19})),
    Scene("break it", "Somebody adds half the noise. How far can the needle go? Then choose the other "
          "mistakes: all have been made.", mistakes, {"noise": 4}, ("mistake", "noise"), ask=Ask({
              "α": "With all the noise. Now four pushes of α/2 can pass the wall. The other mistakes are "
              "worse: choose them.",
              "2α": "Four pushes of α/2 can pass the wall. The other mistakes are worse: choose them.",
              "4α": "Each push doubles: four pushes of α/2 can pass the wall. The other mistakes are worse: "
              "choose them.",
              "without end": "Four pushes of α/2 can pass the wall. The other mistakes are worse, without "
              "end: choose them."}, right="2α", then={"mistake": "half the noise"})),
    Scene("explore", "All controls. In the second half people send label times array: zeros, if it is 0. "
          "Right: what any test can reach.", explore.everything, {"noise": 0}),
), last=(NOISE,), version=2, size=(10.6, 5.2))

"""The story of notebook 02: the noise falls below the bars (Berrett & Butucea 2019, Theorem 2.2)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, band_handle, noise_band, signal_bars
from ldp_lib.lessons.consistency import explore
from ldp_lib.lessons.consistency.explore import ALPHA, PEOPLE, WIDTH
from ldp_lib.lessons.people import AGE, ENDS, STOPS, by_age, decisions
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.crowd import crowd
from ldp_lib.risk.exact import grid_risks
from ldp_lib.risk.scores import noise_level
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, bars, dots, line, linear, log, percent, raised, rule, short

ANNA = 24
"""Her number in the cast: 27 years old, label 1."""
SIDE = 12
"""People along each side of the square of `share_of_a_cube`."""
REACH = 0.12
"""Where the axis of bars ends, for the survey."""
CLOSE = 16.0
"""Where the axis of a single report ends, if no number is farther out."""
PACE = Control("pace", "exponent", "κ", (*(k / 20 for k in range(2, 13)), 0.75, 1.0, 1.25, 1.5, 2.0), 0.25,
               help="cubes shrink like h = n^−κ")
LAW = Control("law", "law of the people", "", ("sine", "Cantor set"), "sine",
              help="spread evenly, or without anybody in wide gaps")
FEATURES = Control("d", "features", "d", (1, 2), 2, "{}", "a cube is a strip, or a square")
BUDGET = Control("growing", "let α grow like n³", "", (False, True), False,
                 help="then hardly any noise is left")


@view(ALPHA, WIDTH, NOISE)
def one_report(alpha, h, noise):
    """Anna's report: her true numbers as hollow bars, what she sends as squares, the noise as a band."""
    mechanism, people = CubeLaplace(alpha, h, 1, noise="real"), crowd("cps")
    X, y = cast()
    array = mechanism.encode(X[ANNA:ANNA + 1, :1], y[ANNA:ANNA + 1], half=1)[0]
    noisy, plain = (people.aggregate(mechanism, 2, draw).totals[0] for draw in (noise, None))
    places, report, level = np.arange(mechanism.K) * h, array + noisy - plain, 2**0.5 * mechanism.scale
    marks = (noise_band(level, *ENDS, f"noise: ±{level:.2f}, one standard deviation"),
             rule("zero", "truth", y=0, width=1),
             line("stems", *pictures.stems(places, report), "private", width=2),
             *signal_bars(places, array, 0.05),
             dots("report", places, report, "private", size=13, marker="square", label="what Anna sends"),
             dots("Anna", X[ANNA:ANNA + 1, 0], [0], "second", size=16, label="Anna, 27"))
    reach = max(CLOSE, 1.1 * np.abs(report).max())
    axes = Axes("bars", AGE, linear(-reach, reach, pictures.round_distance(reach / 4)),
                "within 12 years of this age? 1 = yes", "age", "", marks, grid=False)
    return Shown((axes,), f"Anna sends {len(places)} numbers. Her true numbers are 0 or 1; the noise has a "
                 f"standard deviation of {level:.2f}.",
                 [("noise", f"±{level:.2f}"), ("Anna's true numbers", "0 or 1")])


@view(ALPHA, WIDTH, PEOPLE, NOISE)
def bars_in_noise(alpha, h, n, noise):
    """Above, all bars of the survey against the band; below, who is told 0 or 1, and the 144 persons."""
    mechanism, law = CubeLaplace(alpha, h, 1, noise="real"), by_age()
    cells = explore.grid("survey: age", True, h)
    places, signal, level = np.arange(mechanism.K) * h, cells.q - cells.p / 2, noise_level(mechanism.scale, n)
    seen = mechanism.score(crowd("cps").aggregate(mechanism, n, noise))
    ones, best = seen >= 0, 1 - law.bayes_risk
    mean = best - explore.exact_risk("survey: age", alpha, h, n)
    fit = best - float(cells.gain_one[~ones].sum() + cells.gain_zero[ones].sum())
    marks = (noise_band(level, *ENDS, f"noise ±{short(level)}"), rule("zero", "truth", y=0, width=1),
             *signal_bars(places, signal, 0.35 * h, seen=seen))
    if level <= REACH:
        edge = band_handle(level * n**0.5 / 5**0.5)
        marks += (dots("edge", [ENDS[1] - 0.02], [level], "noise", size=13, handle=edge,
                       label="drag it: people n"),)
    bars = Axes("bars", AGE, linear(-REACH, REACH, 0.04),
                f"cubes: ages within {73 * h:.0f} years; above 0 the rule says 1", "", "", marks, high=3,
                grid=False)
    says = (f"With {n:,} people, α = {alpha:.3g} and h = {h:.3g} the noise level is {level:.3g}, the tallest "
            f"bar {np.abs(signal).max():.3g}. The rule is right {mean:.1%} of the time, the best rule "
            f"{best:.1%}.")
    return Shown(((bars, decisions(places, h, ones)),), says,
                 [("right, on average", f"{mean:.1%}"), ("with this noise", f"{fit:.1%}"),
                  ("best rule", f"{best:.1%}"), ("one label for all", f"{law.majority_rate:.1%}")])


@view(FEATURES, WIDTH, PEOPLE)
def share_of_a_cube(d, h, n):
    """Left: people spread evenly, and a cube. Right: the tallest bar that it can have, and the noise.

    If all in the cube have label 1, its bar is half of its share p = (2h)^d. At alpha = 1 the squared ratio
    of bar and noise is n h^(2d) / 80.
    """
    law, widths = problem("sine", d=d), np.array(WIDTH.values)
    corners = 0.5 + np.multiply.outer([-1, 1], np.tile(widths[:, None], d))
    tallest = law.cell_masses(*corners)[0] / 2
    level, bar = noise_level(CubeLaplace(1.0, h, d, noise="real").scale, n), tallest[WIDTH.values.index(h)]
    places = np.stack(np.meshgrid(*[(np.arange(SIDE) + 0.5) / SIDE] * 2), axis=-1).reshape(-1, 2)
    inside = (np.abs(places[:, :d] - 0.5) < h).all(axis=1)
    low, high = (0, 1) if d == 1 else (0.5 - h, 0.5 + h)
    marks = (bars("cube", [0.5 - h], [0.5 + h], [low], [high], "promise", label="a cube"),
             *(dots(key, *np.where(here, places.T, np.nan), role, size=8, ring=ring, label=words)
               for key, here, role, ring, words in (("inside", inside, "second", False, "in the cube"),
                                                    ("outside", ~inside, "truth", True, "outside"))))
    unit = linear(0, 1, 0.5)
    square = Axes("people", unit, unit, f"the cube holds {percent(2 * bar)} of the people", "first feature",
                  "" if d == 1 else "second feature", marks, square=True, grid=False)
    scales = Axes("scales", log(0.03, 0.52, "{:g}", ticks=(0.05, 0.1, 0.2, 0.5)), log(1e-3, 3),
                  "bar and noise against h, if all in the cube have label 1", "bandwidth h", "",
                  (line("bar", widths, tallest, "truth", width=4,
                        label=f"bar: half of {'2h' if d == 1 else '(2h)²'}"),
                   line("noise", widths, np.full(len(widths), level), "noise", width=4, dash=(2, 1),
                        label="noise level"),
                   pictures.here(h, bar, "truth", moves="h")))
    ratio, growth = short(bar / level), short(n * h ** (2 * d))
    says = (f"A cube with h = {h:.3g} holds {percent(2 * bar)} of people who are spread evenly. If all in "
            f"the cube have label 1, the bar is {bar:.3g}: {ratio} times the noise level {level:.3g} of "
            f"{n:,} people.")
    return Shown((square, scales), says,
                 [("bar / noise", ratio), ("in the cube", percent(2 * bar)), ("bar", f"{bar:.3g}"),
                  ("noise", f"{level:.3g}"), (f"n h{raised(2 * d)}", growth)])


MOST_CELLS = 40_000
COUNTS = np.logspace(1, 6, 11).round().astype(int)


class Race(NamedTuple):
    """Against the number of people, while h = n^-kappa: the tallest bar, the noise level, the exact risk."""

    people: np.ndarray
    tallest: np.ndarray
    level: np.ndarray
    risk: np.ndarray
    coin: float
    """Excess risk of a coin."""
    crowded: float
    """Mean number of people in the fullest cube, at the last n."""


@lru_cache(maxsize=512)
def race(law, kappa, growing):
    """The `Race` of a law, as far as its grid has at most `MOST_CELLS` points."""
    people = COUNTS[COUNTS**kappa + 1 <= MOST_CELLS]
    widths = people**-float(kappa)
    grids = [explore.grid(law, True, float(h)) for h in widths]
    alphas = people**3.0 if growing else np.ones(len(people))
    tallest = np.array([np.abs(cells.q - cells.p / 2).max() for cells in grids])
    level = np.array([noise_level(4 / alpha, n) for alpha, n in zip(alphas, people)])
    risk = np.concatenate([grid_risks(CubeClassifier(alpha, noise="real"), [cells], [n], pictures.ERROR)
                           for alpha, cells, n in zip(alphas, grids, people)])
    made = explore.PROBLEMS[law]().law
    return Race(people, tallest, level, risk, 0.5 - made.bayes_risk,
                float(grids[-1].p.max() * people[-1]))


@view(LAW, PACE, BUDGET)
def shrinking_cubes(law, pace, growing):
    """Left: the tallest bar and the noise against n. Right: the exact excess risk."""
    run, n = race(law, pace, growing), log(8, 2e6, ticks=[10.0**k for k in (1, 2, 3, 4, 5, 6)])
    size = [line("tallest", run.people, run.tallest, "truth", width=4, label="tallest bar"),
            line("noise", run.people, run.level, "noise", width=4, dash=(2, 1), label="noise level")]
    if run.people[-1] < COUNTS[-1]:
        size.append(rule("end", "reference", x=float(run.people[-1]), width=1.5, dash=(1, 1),
                         label=f"end: {MOST_CELLS:,} cubes"))
    risk = (rule("coin", "reference", y=run.coin, label="a coin"),
            line("risk", run.people, run.risk, "private", width=4, label="the private rule"))
    ratio, people = short(float(run.tallest[-1] / run.level[-1])), f"{run.people[-1]:,}"
    says = (f"On {law}, with h = n^-{pace:g} and α = {'n³' if growing else '1'}: at {people} people the "
            f"tallest bar is {ratio} times the noise level, the fullest cube holds {short(run.crowded)} "
            f"people on average, and the excess risk is {run.risk[-1]:.3f}; a coin's is {run.coin:.3f}.")
    return Shown(
        (Axes("race", n, log(1e-4, 10), "bar against noise", "people n", "", tuple(size)),
         Axes("risk", n, linear(0, 0.4, 0.1), "how much worse than the best rule: excess risk", "people n",
              "", risk)),
        says,
        [("people in the fullest cube", short(run.crowded)), ("tallest bar / noise", ratio), ("at n", people),
         ("excess risk", f"{run.risk[-1]:.3f}"), ("a coin's", f"{run.coin:.3f}")])


STORY = Story("consistency", "What can be learnt from noisy reports?", version=2, size=(10.0, 5.2), scenes=(
    Scene("one report", "Eight questions: are you within 12 years of this age? Anna, 27, says yes to two, "
          "and adds noise to all. Do squares tell which?",
          one_report, {"n": 144, "h": 0.16, "alpha": 1.0, "problem": "survey: age"}, ("noise",)),
    Scene("144 reports", "Half report like Anna. The others first multiply by their label: 1 if they worked "
          "all year, else 0. 144 people: noise covers all.",
          bars_in_noise, {}, ("noise",)),
    Scene("more people", "Four times the people: the bars stay, the noise halves. With all 215,574, how "
          "often is the rule right?",
          bars_in_noise, {}, ("n",), play=("n", STOPS), ask=Ask({
              "52%": "The answer is 67%. Noise hides one person, but not the mean of all people.",
              "58%": "The answer is 67%. The band halves five times and more, and falls below the tall bars.",
              "67%": "The band falls below the tall bars. The low bars cost two points.",
              "69%": "The answer is 67%. The cube at age 18 reaches to 30, so its bar is nearly zero."},
              right="67%")),
    Scene("sign", "With 80,000 people the heights are still wrong. But most signs are right, and the rule "
          "needs only the signs.",
          bars_in_noise, {"n": 80_000}, ("n", "noise")),
    Scene("half the budget", "A smaller budget is more private. Half of the budget α: the noise doubles. How "
          "many times the people bring the accuracy back?",
          bars_in_noise, {"n": 36_864}, ("alpha", "n"), play=("n", (36_864, 147_456)), ask=Ask({
              "√2 times": "√2 times the people divide the noise by 1.19. To halve the noise takes 4 times.",
              "twice": "Twice the people divide the noise by √2 only. To halve the noise takes 4 times.",
              "4 times": "The noise falls like one over the root of n, and the root of 4 is 2.",
              "16 times": "16 times the people divide the noise by 4. To halve the noise takes 4 times."},
              right="4 times", then={"alpha": 0.5})),
    Scene("narrow cubes", "Cubes are now half as wide: fewer people in each, so lower bars; everybody's "
          "noise stays. Move h: no width reaches 69%. Which is best?",
          bars_in_noise, {"n": 215_574, "h": 0.08}, ("h", "noise"), recall="more people"),
    Scene("share of a cube", "Two features: a cube half as wide holds a quarter of the people. How many "
          "times the people bring bar / noise back?",
          share_of_a_cube, {"n": 9216, "h": 0.354, "d": 2}, ("d", "h", "n"), play=("n", (9216, 147_456)),
          ask=Ask({
              "twice": "Twice the people divide the noise by 1.4. The bar is a quarter: 16 times are needed.",
              "4 times": "4 times the people halve the noise. The bar is a quarter: 4 × 4 times are needed.",
              "8 times": "8 times the people divide the noise by 2.8. For a quarter 16 times are needed.",
              "16 times": "The bar is a quarter, so the noise must be, too: 4 × 4 times the people."},
              right="16 times", then={"h": 0.177})),
    Scene("break it", "Another distribution, or law. Cubes shrink while people join: h = n to the −κ. Do "
          "bars beat the noise? Are people in cubes?",
          shrinking_cubes, {}, ("law", "pace", "growing")),
    Scene("explore", "For questions: all laws, all controls. Fills: one private rule. Dashes: the best rule.",
          explore.everything, {"problem": "moons", "n": 150_000, "alpha": 2.0, "h": 0.14, "kappa": 0.2}),
))

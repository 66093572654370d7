"""The story of notebook 02: the noise falls below the bars (Berrett & Butucea 2019, Theorem 2.2)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, band_handle, noise_band, noise_level, signal_bars
from ldp_lib.lessons.consistency import explore
from ldp_lib.lessons.consistency.explore import ALPHA, PEOPLE, WIDTH
from ldp_lib.lessons.people import AGE, ENDS, STOPS, decisions
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.crowd import crowd
from ldp_lib.risk.exact import grid_risks
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, dots, line, linear, log, rule, short

A = 24
"""The number of A in the cast: 27 years old, label 1."""
REACH = 0.12
"""Where the axis of bars ends, for the survey."""
CLOSE = 16.0
"""Where the axis of a single report ends."""
PACE = Control("pace", "exponent", "κ", (*(k / 20 for k in range(2, 13)), 0.75, 1.0, 1.25, 1.5, 2.0), 0.25,
               help="cubes shrink like h = n^-κ")
LAW = Control("law", "law of the people", "", ("sine", "Cantor set"), "sine",
              help="spread evenly, or without anybody in wide gaps")
BUDGET = Control("growing", "let α grow like n³", "", (False, True), False,
                 help="then hardly any noise is left")


@view(ALPHA, WIDTH, NOISE)
def one_report(alpha, h, noise):
    """One person's report: her array as hollow bars, her report as squares, the noise as a band."""
    mechanism, people = CubeLaplace(alpha, h, 1, noise="real"), crowd("cps")
    X, y = cast()
    array = mechanism.encode(X[A:A + 1, :1], y[A:A + 1], half=1)[0]
    noisy, plain = (people.aggregate(mechanism, 2, draw).totals[0] for draw in (noise, None))
    places, report, level = np.arange(mechanism.K) * h, array + noisy - plain, 2**0.5 * mechanism.scale
    marks = (noise_band(level, *ENDS, f"noise: ±{level:.2f}, one standard deviation"),
             rule("zero", "truth", y=0, width=1),
             line("stems", *pictures.stems(places, report), "private", width=2),
             *signal_bars(places, array, 0.05),
             dots("report", places, report, "private", size=13, marker="square", label="what she sends"),
             dots("A", X[A:A + 1, 0], [0], "second", size=16, label="A, 27 years old"))
    axes = Axes("tide", AGE, linear(-CLOSE, CLOSE, 4), "within 12 years of this age? 1 = yes", "age", "",
                marks, grid=False)
    return Shown((axes,), f"One person sends {len(places)} numbers. The true ones are 0 or 1; the noise has "
                 f"a standard deviation of {level:.2f}.",
                 [("noise", f"±{level:.2f}"), ("her true numbers", "0 or 1")])


@view(ALPHA, WIDTH, PEOPLE, NOISE)
def bars_in_noise(alpha, h, n, noise):
    """Above, all bars of the survey against the band; below, who is told 0 or 1, and the 144 persons."""
    mechanism, law = CubeLaplace(alpha, h, 1, noise="real"), problem("cps")
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
    bars = Axes("tide", AGE, linear(-REACH, REACH, 0.04),
                f"cubes: ages within {73 * h:.0f} years; above 0 the rule says 1", "", "", marks, high=3,
                grid=False)
    says = (f"With {n:,} people, α = {alpha:.3g} and h = {h:.3g} the noise level is {level:.3g}, the tallest "
            f"bar {np.abs(signal).max():.3g}. The rule is right {mean:.1%} of the time, the best rule "
            f"{best:.1%}.")
    return Shown(((bars, decisions(places, h, ones)),), says,
                 [("right, on average", f"{mean:.1%}"), ("with this noise", f"{fit:.1%}"),
                  ("best rule", f"{best:.1%}"), ("one label for all", f"{law.majority_rate:.1%}")])


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
    Scene("one report", "Eight questions: are you within 12 years of this age? A says yes twice, and adds "
          "noise to all eight. Can you see it?",
          one_report, {"n": 144, "h": 0.16, "alpha": 1.0, "problem": "survey: age"}, ("noise",)),
    Scene("144 reports", "Half send this; the others first multiply by 1 if they worked all year, else 0. "
          "Above zero: most did. 144 people: noise covers all.",
          bars_in_noise, {}, ("noise",)),
    Scene("more people", "Four times the people: the bars stay, the noise halves. With all 215,574, how "
          "often is the rule right?",
          bars_in_noise, {}, ("n",), play=("n", STOPS), ask=Ask({
              "52%": "It is 67%. One person is hidden, but the mean of all is not.",
              "58%": "It is 67%. The band halves five times and more, and falls below the bars.",
              "67%": "The band falls below the tall bars. The low ones cost two points.",
              "69%": "It is 67%. The cube at 18 reaches to 30, so its bar is nearly zero."}, right="67%")),
    Scene("sign", "The heights are still wrong. But most signs are right, and the rule needs only the sign.",
          bars_in_noise, {"n": 80_000}, ("n", "noise")),
    Scene("half the budget", "A smaller budget is more private. Half of α: the noise doubles. How many "
          "times the people bring the accuracy back?",
          bars_in_noise, {"n": 36_864}, ("alpha", "n"), play=("n", (36_864, 147_456)), ask=Ask({
              "√2 times": "√2 times the people divide the noise by 1.19. To halve it takes 4 times.",
              "twice": "Twice the people divide the noise by √2 only. To halve it takes 4 times.",
              "4 times": "The noise falls like one over the root of n, and the root of 4 is 2.",
              "16 times": "16 times the people divide the noise by 4. To halve it takes 4 times."},
              right="4 times", then={"alpha": 0.5})),
    Scene("narrow cubes", "Narrow cubes follow the truth better. But few people are in them, so bars are "
          "low; and everybody's noise stays.",
          bars_in_noise, {"n": 215_574, "h": 0.281}, ("h", "noise"), recall="more people"),
    Scene("break it", "Another truth: a wave. Cubes shrink while people join, h = n to the −κ. Do bars beat "
          "the noise? Are people in the cubes?",
          shrinking_cubes, {}, ("law", "pace", "growing")),
    Scene("explore", "For questions: all laws, all controls. Fills: one private rule. Dashes: the best "
          "one.",
          explore.everything, {"problem": "moons", "n": 150_000, "alpha": 2.0, "h": 0.14, "kappa": 0.2}),
))

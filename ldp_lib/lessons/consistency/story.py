"""The story of notebook 02: the noise falls below the bars (Berrett & Butucea 2019, Theorem 2.2)."""

import dataclasses
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.bars import NOISE, band_handle, noise_band, noise_level, signal_bars
from ldp_lib.lessons.consistency import explore
from ldp_lib.lessons.people import AGE, ENDS, STOPS, strip
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.crowd import crowd
from ldp_lib.risk.exact import grid_risks
from ldp_lib.stage import Control
from ldp_lib.stage.picture import (
    Axes, Picture, dots, line, linear, log, rule, short,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Scene

A = 24
"""The number of A in the cast: 27 years old, label 1."""
REACH = 0.12
"""Where the axis of bars ends, for the survey."""
CLOSE = 16.0
"""Where the axis of a single report ends."""
CONTROL = {control.name: control for control in explore.Consistency.controls}
WIDTH = dataclasses.replace(CONTROL["h"], values=sorted({*CONTROL["h"].values, 0.08, 0.16}))
CROWD = dataclasses.replace(CONTROL["n"], values=sorted({*CONTROL["n"].values, *STOPS}))
PACE = Control("pace", "exponent", "κ", (*(k / 20 for k in range(2, 13)), 0.75, 1.0, 1.25, 1.5, 2.0), 0.25,
               help="cubes shrink like h = n^-κ")
ALPHA = dataclasses.replace(CONTROL["alpha"], label="privacy budget", help="in nats; less is more private")
LAW = Control("law", "law of the people", "", ("sine", "Cantor set"), "sine",
              help="spread evenly, or without anybody in wide gaps")
BUDGET = Control("growing", "let α grow like n³", "", (False, True), False,
                 help="then hardly any noise is left")


class Report(NamedTuple):
    """What A knows and what she sends, at every grid point."""

    places: np.ndarray
    array: np.ndarray
    report: np.ndarray
    level: float


class OneReport(LivePanel):
    """One person's report: her cubes, and noise in every number."""

    name, title = "one report", "One report"
    controls = (ALPHA, WIDTH, NOISE)

    @staticmethod
    def compute(alpha, h, noise):
        """A `Report` of the person A."""
        mechanism, people = CubeLaplace(alpha, h, 1, noise="real"), crowd("cps")
        X, y = cast()
        array = mechanism.encode(X[A:A + 1, :1], y[A:A + 1], half=1)[0]
        noisy, plain = (people.aggregate(mechanism, 2, draw).totals[0] for draw in (noise, None))
        return Report(np.arange(mechanism.K) * h, array, array + noisy - plain, 2**0.5 * mechanism.scale)

    @staticmethod
    def draw(result):
        """Her array as hollow bars, her report as squares, the noise as a band."""
        X, _ = cast()
        stems = line("stems", *pictures.stems(result.places, result.report), "private", width=2)
        words = f"noise: ±{result.level:.2f}, one standard deviation"
        marks = (noise_band(result.level, *ENDS, words),
                 rule("zero", "truth", y=0, width=1), stems,
                 *signal_bars(result.places, result.array, 0.05),
                 dots("report", result.places, result.report, "private", size=13, marker="square",
                      label="what she sends"),
                 dots("A", X[A:A + 1, 0], [0], "second", size=16, label="A, 27 years old"))
        return Picture(((Axes("tide", AGE, linear(-CLOSE, CLOSE, 4), "within 12 years of this age? 1 = yes",
                              "age", "", marks, grid=False),),))

    def conclude(self, result):
        """Bars and noise, in words."""
        return (f"One person sends {len(result.places)} numbers. The true ones are 0 or 1; the noise has a "
                f"standard deviation of {result.level:.2f}.")

    def summarise(self, result):
        """The noise against a bar."""
        return [("noise", f"±{result.level:.2f}"), ("her true numbers", "0 or 1")]


class Bars(NamedTuple):
    """The bars of all cubes, the noise level, and the decisions."""

    places: np.ndarray
    signal: np.ndarray
    """E T at the grid points."""
    seen: np.ndarray
    """T, with this noise and these people."""
    level: float
    risk: float
    """Exact mean over people and noise."""
    fit_risk: float
    h: float


class Tide(LivePanel):
    """All bars of the survey against the band, and what the rule says of the 144 persons."""

    name, title = "bars and noise", "Bars and noise"
    controls = (ALPHA, WIDTH, CROWD, NOISE)

    @staticmethod
    def compute(alpha, h, n, noise):
        """The `Bars` of the first n surveyed people."""
        mechanism, people = CubeLaplace(alpha, h, 1, noise="real"), crowd("cps")
        cells, rule_ = explore.grid("survey: age", True, h), CubeClassifier(alpha, h, noise="real")
        seen = mechanism.score(people.aggregate(mechanism, n, noise))
        ones = seen >= 0
        return Bars(np.arange(mechanism.K) * h, cells.q - cells.p / 2, seen, noise_level(mechanism.scale, n),
                    float(grid_risks(rule_, [cells], [n], pictures.ERROR)[0]),
                    float(cells.gain_one[~ones].sum() + cells.gain_zero[ones].sum()), h)

    @staticmethod
    def draw(result):
        """Above, bars in the band; below, who is told 0 or 1, and the 144 persons."""
        return Picture(((tide(result), strip(result)),))

    def conclude(self, result):
        """How tall the tallest bar is against the noise, and how often the rule is right."""
        right = 1 - problem("cps").bayes_risk
        return (f"With {result.n:,} people, α = {result.alpha:.3g} and h = {result.h:.3g} the noise level is "
                f"{result.level:.3g}, the tallest bar {np.abs(result.signal).max():.3g}. The rule is right "
                f"{right - result.risk:.1%} of the time, the best rule {right:.1%}.")

    def summarise(self, result):
        """How often the rule is right, between the best rule and one label for all."""
        law = problem("cps")
        right = 1 - law.bayes_risk
        return [("right, on average", f"{right - result.risk:.1%}"),
                ("with this noise", f"{right - result.fit_risk:.1%}"), ("best rule", f"{right:.1%}"),
                ("one label for all", f"{law.majority_rate:.1%}")]


def tide(result):
    """The `Axes` of bars and band."""
    scale = result.level * result.n**0.5 / 5**0.5
    marks = (noise_band(result.level, *ENDS, f"noise ±{short(result.level)}"),
             rule("zero", "truth", y=0, width=1),
             *signal_bars(result.places, result.signal, 0.35 * result.h, seen=result.seen))
    if result.level <= REACH:
        marks += (dots("edge", [ENDS[1] - 0.02], [result.level], "noise", size=13,
                       handle=band_handle(scale), label="drag it: people n"),)
    return Axes("tide", AGE, linear(-REACH, REACH, 0.04),
                f"cubes: ages within {73 * result.h:.0f} years; above 0 the rule says 1", "", "", marks,
                high=3, grid=False)


MOST_CELLS = 40_000
PEOPLE = np.logspace(1, 6, 11).round().astype(int)


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
    people = PEOPLE[PEOPLE**kappa + 1 <= MOST_CELLS]
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


class Pace(LivePanel):
    """Cubes that shrink while people join: bars against noise, and the risk."""

    name, title = "race", "Cubes shrink while people join"
    controls = (LAW, PACE, BUDGET)

    @staticmethod
    def compute(law, pace, growing):
        """A `Race`."""
        return race(law, pace, growing)

    @staticmethod
    def draw(result):
        """Left: the tallest bar and the noise against n. Right: the exact excess risk."""
        n = log(8, 2e6, ticks=[10.0**k for k in (1, 2, 3, 4, 5, 6)])
        size = [line("tallest", result.people, result.tallest, "truth", width=4, label="tallest bar"),
                line("noise", result.people, result.level, "noise", width=4, dash=(2, 1),
                     label="noise level")]
        if result.people[-1] < PEOPLE[-1]:
            size.append(rule("end", "reference", x=float(result.people[-1]), width=1.5, dash=(1, 1),
                             label=f"end: {MOST_CELLS:,} cubes"))
        risk = (rule("coin", "reference", y=result.coin, label="a coin"),
                line("risk", result.people, result.risk, "private", width=4, label="the private rule"))
        return Picture(((Axes("race", n, log(1e-4, 10), "bar against noise", "people n", "",
                              tuple(size)),),
                        (Axes("risk", n, linear(0, 0.4, 0.1),
                              "how much worse than the best rule: excess risk", "people n", "", risk),)))

    def conclude(self, result):
        """Who wins the race."""
        ratio = result.tallest[-1] / result.level[-1]
        budget = "n³" if result.growing else "1"
        return (f"On {result.law}, with h = n^-{result.pace:g} and α = {budget}: at "
                f"{result.people[-1]:,} people the tallest bar is {short(float(ratio))} times the "
                "noise level, "
                f"the fullest cube holds {short(result.crowded)} people on average, and the excess risk is "
                f"{result.risk[-1]:.3f}; a coin's is {result.coin:.3f}.")

    def summarise(self, result):
        """The ratio that must grow, and the risk."""
        ratio = float(result.tallest[-1] / result.level[-1])
        return [("people in the fullest cube", short(result.crowded)),
                ("tallest bar / noise", short(ratio)), ("at n", f"{result.people[-1]:,}"),
                ("excess risk", f"{result.risk[-1]:.3f}"), ("a coin's", f"{result.coin:.3f}")]


class Consistency(Story):
    """Notebook 02: noise falls below the bars, and the sign of a bar is enough."""

    name = "consistency"
    version = 2
    title = "What can be learnt from noisy reports?"
    size = (10.0, 5.2)
    controls = (CONTROL["problem"], ALPHA, WIDTH, CROWD, CONTROL["kappa"], NOISE, LAW, PACE,
                BUDGET)
    views = {"report": OneReport, "tide": Tide, "race": Pace, "explore": explore.Consistency}
    scenes = (
        Scene("one report",
              "Eight questions: are you within 12 years of this age? A says yes twice, and adds noise to "
              "all eight. Can you see it?",
              {"n": 144, "h": 0.16, "alpha": 1.0, "problem": "survey: age"}, ("noise",), view="report"),
        Scene("144 reports",
              "Half send this; the others first multiply by 1 if they worked all year, else 0. Above zero: "
              "most did. 144 people: noise covers all.", {}, ("noise",), view="tide"),
        Scene("more people",
              "Four times the people: the bars stay, the noise halves. With all 215,574, how often is the "
              "rule right?", {}, ("n",), view="tide", play=("n", STOPS),
              ask=Ask(("52%", "58%", "67%", "69%"), 2, (
                  "It is 67%. One person is hidden, but the mean of all is not.",
                  "It is 67%. The band halves five times and more, and falls below the bars.",
                  "The band falls below the tall bars. The low ones cost two points.",
                  "It is 67%. The cube at 18 reaches to 30, so its bar is nearly zero."))),
        Scene("sign",
              "The heights are still wrong. But most signs are right, and the rule needs only the sign.",
              {"n": 80_000}, ("n", "noise"), view="tide"),
        Scene("half the budget",
              "A smaller budget is more private. Half of α: the noise doubles. How many times the people "
              "bring the accuracy back?", {"n": 36_864}, ("alpha", "n"), view="tide",
              play=("n", (36_864, 147_456)),
              ask=Ask(("√2 times", "twice", "4 times", "16 times"), 2, (
                  "√2 times the people divide the noise by 1.19. To halve it takes 4 times.",
                  "Twice the people divide the noise by √2 only. To halve it takes 4 times.",
                  "The noise falls like one over the root of n, and the root of 4 is 2.",
                  "16 times the people divide the noise by 4. To halve it takes 4 times."), {"alpha": 0.5})),
        Scene("narrow cubes",
              "Narrow cubes follow the truth better. But few people are in them, so bars are low; and "
              "everybody's noise stays.", {"n": 215_574, "h": 0.281}, ("h", "noise"), view="tide",
              recall="more people"),
        Scene("break it",
              "Another truth: a wave. Cubes shrink while people join, h = n to the −κ. Do bars beat the "
              "noise? Are people in the cubes?", {}, ("law", "pace", "growing"), view="race"),
        Scene("explore",
              "For questions: two features, all controls. Fills: one private rule. Dashes: the best one.",
              {"problem": "moons", "n": 150_000, "alpha": 2.0, "h": 0.14, "kappa": 0.2}, view="explore"),
    )


STORY = Consistency

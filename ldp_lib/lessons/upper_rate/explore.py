"""The panel of notebook 03: the rate as the best compromise of one slider.

Berrett & Butucea (2019), Theorem 2.4. One class P(theta) throughout: L = mu = 1, c0 = 4^-d up to r0 = 1/2,
which all hypercubes of `ldp_lib.risk.hypercube` have, and C0 = 2^(1 + gamma), that is P(0 < |2 eta - 1| <= t)
<= 2 t^gamma.

The exact risks are those of hypercubes whose bumps all have one height, at the worst of some widths. So they
bound the rule's worst risk over the class from below, and other laws are worse: bumps of two heights side by
side, for instance (tested).
"""

import math
from collections import namedtuple
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.pictures import curves, here, row
from ldp_lib.risk.hypercube import WIDEST, both_sides, theorem_bumps, wide_risk
from ldp_lib.stage import Control, log_steps, powers_of_two
from ldp_lib.stage.picture import (
    Axes, Picture, bars, dots, handle, line, log, power_of_ten, rule, short,
)
from ldp_lib.stage.widget import LivePanel, Positioned
from ldp_lib.theory import classification_exponent, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.upper import sharp_bounds

MULTIPLES = powers_of_two(-12, 12, 4)
"""Bandwidths, in multiples of the theorem's."""
PEOPLE = log_steps(1000, 10**12, 4)
"""Positions of n; every second one carries the exact curves, every sixth the bounds."""
TRIED = (2.0, 4.0)
"""The sharper bound takes the better of these multiples of the theorem's h; the best gains a few per cent."""
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
FIRST = 1 / 18
"""Curves against n begin at this h: few bumps that fit the grid of a wider one fit into [0, 1/2], and the
worst law of the class, to which the lower bound belongs, is worse than the worst of them."""

PEOPLE_AXIS, VALUES = (700.0, 4e12), (1e-11, 1e3)
"""Ends of the right axes; what is larger than 1 bounds nothing."""
CURVES = {
    "printed": ("printed bound", "bound", {"dash": (1, 1.2)}),
    "sharp": ("sharper bound", "bound", {}),
    "worst": ("exact, worst width", "private", {"width": 3.5}),
    "tuned": ("exact, tuned hypercube", "private", {"width": 1.5}),
    "lower": ("lower bound", "other", {}),
}
"""Field of `Rates` -> its name for readers, role and look, from the top of the picture to the bottom."""
START, BELOW = 1e7, 100.0
"""Reference lines begin at this n, by this factor below the line of the tuned hypercube."""


class Sweep(NamedTuple):
    """Exact excess risk at one n against h = `multiple` * theorem's h, up to `WIDEST`; arrays."""

    multiple: np.ndarray
    bias: np.ndarray
    noise: np.ndarray

    @property
    def worst(self):
        """The larger of the two: what the worst hypercube of one height and these widths costs."""
        return np.maximum(self.bias, self.noise)

    @property
    def best(self):
        """Index of the bandwidth at which that is least."""
        return int(self.worst.argmin())


class Rates(namedtuple("Rates", CURVES)):
    """Curves (people, value) at the theorem's h; the exact ones begin where h <= `FIRST`.

    "worst": exact, at the worst of the widths; "tuned": exact, hypercube at the theorem's tuning; "sharp",
    "printed" and "lower": bounds, "printed" not cut at 1.
    """


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls; `gamma` and `h` as they are used."""

    gamma: float
    h: float
    risk: float
    """`Sweep.worst` at (n, alpha, h); NaN if h > `WIDEST`."""
    sweep: Sweep
    rates: Rates
    exponents: tuple
    """With and without privacy."""


def margin_constant(gamma):
    """C0 of the class, for which at most a share 2 t^gamma of the people has 0 < |2 eta - 1| <= t."""
    return 2.0 ** (1 + gamma)


@lru_cache(maxsize=4096)
def sweep(n, alpha, beta, gamma, d):
    """The `Sweep` at n people."""
    h = np.array(MULTIPLES) * theorem_bandwidth(n, alpha, beta, d)
    multiple, h = np.array(MULTIPLES)[h <= WIDEST], h[h <= WIDEST]
    known = {"C0": margin_constant(gamma), "relative_error": ERROR}
    return Sweep(multiple, *both_sides(n, alpha, h, beta, gamma, d, **known))


def between(n, people, values):
    """The value of a curve at `n`, straight in the logarithms; 0 where a neighbour is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.interp(np.log(n), np.log(people), np.log(values))))


@lru_cache(maxsize=1024)
def rates(alpha, beta, gamma, d):
    """The `Rates`; they do not depend on n."""
    people = np.array(PEOPLE[::2])
    h = np.array([theorem_bandwidth(n, alpha, beta, d) for n in people.tolist()])
    few, start = people[::3], h[::3]
    people, h = people[h <= FIRST], h[h <= FIRST]
    C0 = margin_constant(gamma)
    worst = np.maximum(*both_sides(people, alpha, h, beta, gamma, d, C0=C0, relative_error=ERROR))
    tuned = wide_risk(people, alpha, 1, theorem_bumps(h, beta, gamma, d), d, ERROR)
    theta = checked_theta(beta, gamma, d, C0=C0)
    sharp = sharp_bounds(few, alpha, theta, np.outer(TRIED, start)).min(axis=0)
    places = [(n, alpha, beta, gamma, d) for n in few.tolist()]
    printed = [upper_bound(*place, kind="printed", C0=C0).parts["untruncated"] for place in places]
    lower = [lower_bound(*place, contraction="interactive", C0=C0).value for place in places]
    printed, lower = np.array([printed, lower])
    return Rates((few, printed), (few, sharp), (people, worst), (people, tuned), (few, lower))


class UpperRate(LivePanel):
    """Move alpha, h, the class and n; watch bias against noise, and the exact risk between its bounds."""

    name = "upper_rate"
    title = "The rate, as the best compromise of one slider"
    size = (10.6, 4.7)
    controls = (
        Control("alpha", "privacy", "α", powers_of_two(-9, 9, 3), 1.0, "{:.3g}",
                "budget of every person, in nats"),
        Control("h", "bandwidth", "h", MULTIPLES, 1.0, "{:.3g}×",
                "times the theorem's, (n α² / 2)^(-1/(2β+2d))"),
        Control("beta", "smoothness", "β", (0.25, 0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η"),
        Control("gamma", "margin", "γ", (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0), 1.0, "{:g}",
                "few people near η = 1/2; at most d/β is used"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features"),
        Control("n", "people", "n", PEOPLE, 10**8, short, "people in all"),
    )

    @staticmethod
    def compute(alpha: float, h: float, beta: float, gamma: float, d: int, n: int) -> Result:
        """A `Result`; gamma beyond d / beta, where the theorem ends, is replaced by d / beta, and said to
        be."""
        used = min(gamma, d / beta)
        width = h * theorem_bandwidth(n, alpha, beta, d)
        sides = sweep(n, alpha, beta, used, d)
        place = np.flatnonzero(sides.multiple == h)
        risk = float(sides.worst[place[0]]) if place.size else math.nan
        exponents = tuple(classification_exponent(beta, used, d, private) for private in (True, False))
        return Result(used, width, risk, sides, rates(alpha, beta, used, d), exponents)

    @staticmethod
    def draw(result: Positioned) -> Picture:
        """Left: one n, all bandwidths. Right: all n, the theorem's bandwidth."""
        return Picture(((compromise(result),), (against_people(result),)))

    def conclude(self, result: Positioned) -> str:
        """Which side rules at the current bandwidth, and the two exponents."""
        private, usual = result.exponents
        slopes = f"The private rate is n^-{private:.3g}, without privacy n^-{usual:.3g}."
        if math.isnan(result.risk):
            return f"h = {result.h:.3g} is wider than the hypercube: no exact risk here. {slopes}"
        multiple = result.position["h"]
        at = list(result.sweep.multiple).index(multiple)
        side = "bias" if result.sweep.bias[at] >= result.sweep.noise[at] else "noise"
        best = result.sweep.multiple[result.sweep.best]
        return (f"With {short(result.n)} people and α = {result.alpha:.3g}, {multiple:.3g} times "
                f"the theorem's bandwidth has an exact excess risk of {short(result.risk)} on the worst "
                f"hypercube of one height, ruled by {side}; of the slider {best:.3g} times would be best. "
                f"{slopes}")

    def summarise(self, result: Positioned) -> list[tuple[str, str]]:
        """Bandwidths, risks, bounds at n and the gamma that is used."""
        sweep = result.sweep
        least = "none fits"
        if sweep.multiple.size:
            least = f"{short(sweep.worst.min())} at {sweep.multiple[sweep.best]:.3g}×"
        bounds = (result.rates.lower, result.rates.sharp, result.rates.printed)
        lower, sharp, printed = (between(result.n, *curve) for curve in bounds)
        limit = " (the largest, d/β)" if result.position["gamma"] > result.gamma else ""
        return [
            ("h", f"{result.h:.3g}"),
            ("exact risk, worst width", "none fits" if math.isnan(result.risk) else short(result.risk)),
            ("least, over h", least), ("lower bound", f"{lower:.2g}"), ("sharper bound", f"{sharp:.2g}"),
            ("printed bound", f"{float(f'{printed:.2g}'):,.9g}"), ("γ used", f"{result.gamma:.3g}{limit}"),
            ("exponents", " and ".join(f"{value:.3f}" for value in result.exponents)),
        ]


def compromise(result):
    """The `Axes` of both sides of the compromise against the bandwidth; they end where no hypercube fits."""
    sides, multiple = result.sweep, result.position["h"]
    best = [sides.best] if len(sides.multiple) else []
    marks = (
        rule("mine", "private", x=multiple, width=1, handle=handle("h")),
        rule("theorem", "bound", x=1, width=1.5, label="theorem"),
        line("noise", sides.multiple, positive(sides.noise), "reference", dash=(4, 1.5),
             label="noise, on wide bumps"),
        line("bias", sides.multiple, positive(sides.bias), "open", dash=(1, 1),
             label="blur, on narrow bumps"),
        line("worst", sides.multiple, positive(sides.worst), "private", width=3.5,
             label="the larger of the two"),
        dots("best", sides.multiple[best], 1.6 * sides.worst[best], "truth", marker="down", size=10,
             label="best h"),
        here(multiple, result.risk, "private", label="your h"),
    )
    powers = log(2**-3.15, 2**3.15, ("1/8", "1/4", "1/2", "1", "2", "4", "8"),
                 ticks=[2.0**k for k in range(-3, 4)])
    return Axes("compromise", powers, log(1e-8, 1, every=2), "exact excess risk at one n, all h",
                "h, in multiples of the theorem's h", "", marks)


def against_people(result):
    """The `Axes` of exact risks and bounds against n, and of the slopes with and without privacy."""
    risks = {name: (people, positive(values)) for name, (people, values) in result.rates._asdict().items()}
    # The slopes start together, below the tuned hypercube.
    people, tuned = result.rates.tuned
    level = tuned[-1] * (people[-1] / START) ** result.exponents[0] / BELOW
    ends = np.array([START, people[-1]])
    slopes = [line(key, ends, level * (ends / START) ** -exponent, role, width=1.5,
                   label=words.format(exponent))
              for key, words, role, exponent in zip(
                  ("slope", "slope open"), ("slope −{:.3f}, private", "−{:.3f} without"),
                  ("reference", "open"), result.exponents, strict=True)]
    marks = (
        bars("empty", PEOPLE_AXIS[:1], PEOPLE_AXIS[1:], [1], VALUES[1:], "nothing",
             label="above 1: says nothing"),
        rule("mine", "private", x=result.n, width=1, handle=handle("n")), *curves(CURVES, risks), *slopes,
        here(result.n, result.risk, "private", label="your n and h"),
    )
    return Axes("people", log(*PEOPLE_AXIS, every=3), log(*VALUES, every=3),
                "excess risk at all n, the theorem's h", "people n", "", marks, wide=1.25)


def positive(values):
    """`values` with gaps where they are 0, which has no place on a logarithmic axis."""
    return np.where(values > 0, values, np.nan)


def glance(people, **params):
    """Return a figure of bias against noise at each n of `people`; `params` as in the panel."""
    results = [UpperRate.compute(n=n, **params) for n in people]
    said = "; ".join(f"{sides.worst.min():.2g} at {sides.multiple[sides.best]:.2g} times the theorem's h"
                     for sides in (result.sweep for result in results))
    sizes = ", ".join(f"{n:.0e}" for n in people)
    columns = []
    for result in results:
        axes = compromise(result)
        marks = tuple(mark for mark in axes.marks if mark.key not in ("mine", "here"))
        columns.append(axes._replace(title=f"n = {power_of_ten(result.n)}", marks=marks))
    return row(columns, "Exact excess risk on the worst hypercube of one height against bandwidth at n = "
               f"{sizes}: noise falls, bias rises, and the least risk is {said}.")

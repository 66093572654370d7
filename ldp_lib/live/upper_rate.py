"""The panel of notebook 03: the rate as the best compromise of one slider (Berrett & Butucea 2019, Theorem 2.4).

One class P(theta) throughout: L = mu = 1, C0 = 2^(1 + gamma), that is P(0 < |2 eta - 1| <= t) <= 2 t^gamma, and the
regularity c0 of `theta` up to r0 = 1/2, which all hypercubes of `ldp_lib.risk.hypercube` have.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.live import style
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.live.stage import PanelFigure
from ldp_lib.live.upper_rate_scene import Compromise, Scene
from ldp_lib.risk.hypercube import largest_bumps, narrow_risk, theorem_bumps, wide_risk
from ldp_lib.theory import classification_exponent, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.lower import regularity

MULTIPLES = tuple(float(f"{2 ** (k / 4):.3g}") for k in range(-12, 13))
"""Bandwidths, in multiples of the theorem's."""
PEOPLE = log_steps(1000, 10**12, 4)
"""Positions of n; every second one carries the exact curves, every sixth the bounds."""
WIDTHS = np.array([1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 27, 37, 50, 67, 90, 121, 163, 220, 297, 401, 541, 731, 987, 1332])
"""Wide bumps are this many cells wide; the maximum over widths is flat. The widest one that fits is tried as well."""
TRIED = (2.0, 4.0)
"""The sharper bound is taken at the best of these multiples of the theorem's h, a few per cent above the best h."""
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
WIDEST = 0.25
"""Beyond this h no two bumps fit into [0, 1/2] and the hypercube says nothing."""


class Sweep(NamedTuple):
    """Exact excess risk against the bandwidth, at one n; arrays over the `h` = multiple * theorem's h up to `WIDEST`."""

    multiple: np.ndarray
    bias: np.ndarray
    noise: np.ndarray

    @property
    def worst(self):
        """The larger of the two: what the worst hypercube costs."""
        return np.maximum(self.bias, self.noise)

    @property
    def best(self):
        """Index of the bandwidth with the least worst risk."""
        return int(self.worst.argmin())


class Rates(NamedTuple):
    """Everything against n at the theorem's h: name -> (people, value); a curve begins where its hypercube fits.

    "worst": exact, at the worst width of the bumps; "tuned": exact, hypercube at the theorem's tuning; "sharp",
    "printed" and "lower": bounds, "printed" not cut at 1.
    """

    worst: tuple
    tuned: tuple
    sharp: tuple
    printed: tuple
    lower: tuple


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls; `gamma` is the one used."""

    alpha: float
    beta: float
    gamma: float
    asked: float
    d: int
    n: int
    h: float
    multiple: float
    risk: float
    """Exact excess risk at (n, alpha, h) at the worst hypercube; NaN if h > `WIDEST`."""
    sweep: Sweep
    rates: Rates
    exponents: tuple
    """With and without privacy."""


def theta(gamma, d):
    """The constants of the class as keyword arguments of the bounds."""
    return {"L": 1.0, "C0": 2.0 ** (1 + gamma), "mu": 1.0, "r0": 0.5, "c0": regularity(1, d, 0.5)}


def worst_width(n, alpha, h, beta, gamma, d):
    """Exact risk at the worst signs and the worst of `WIDTHS`; n and h are arrays (m,), and so is the result."""
    n, h = np.broadcast_arrays(n, h)
    widest = np.floor(WIDEST / h * (1 + 1e-9))[:, None]
    k = np.concatenate([np.broadcast_to(WIDTHS, (len(h), len(WIDTHS))), np.maximum(widest // [[1, 2]], 1)], axis=1)
    fits = k <= widest
    row, risks = np.nonzero(fits)[0], np.zeros(fits.shape)
    bumps = largest_bumps(h[row] * k[fits], beta, gamma, d, C0=2.0 ** (1 + gamma))
    risks[fits] = wide_risk(n[row], alpha, k[fits], bumps, d, ERROR)
    return risks.max(axis=1)


@lru_cache(maxsize=4096)
def sweep(n, alpha, beta, gamma, d):
    """The `Sweep` at n people."""
    h = np.array(MULTIPLES) * theorem_bandwidth(n, alpha, beta, d)
    multiple, h = np.array(MULTIPLES)[h <= WIDEST], h[h <= WIDEST]
    return Sweep(multiple, narrow_risk(h, beta, gamma, d, C0=2.0 ** (1 + gamma)), worst_width(n, alpha, h, beta, gamma, d))


def between(n, people, values):
    """The value of a curve at `n`, straight in the logarithms; 0 where a neighbour is 0."""
    left = min(int(np.searchsorted(people, n, side="right")), len(people) - 1) - 1
    ends = values[left : left + 2]
    return float(np.exp(np.interp(math.log(n), np.log(people[left : left + 2]), np.log(ends)))) if ends.all() else 0.0


@lru_cache(maxsize=1024)
def rates(alpha, beta, gamma, d):
    """The `Rates`; they do not depend on n."""
    people, few = np.array(PEOPLE[::2]), np.array(PEOPLE[::6])
    h = np.array([theorem_bandwidth(int(n), alpha, beta, d) for n in people])
    people, h = people[h <= WIDEST], h[h <= WIDEST]
    worst = np.maximum(narrow_risk(h, beta, gamma, d, C0=2.0 ** (1 + gamma)), worst_width(people, alpha, h, beta, gamma, d))
    tuned = wide_risk(people, alpha, 1, theorem_bumps(h, beta, gamma, d), d, ERROR)
    printed, sharp, lower = [], [], []
    for n in few.tolist():
        place, known = (n, alpha, beta, gamma, d), theta(gamma, d)
        start = theorem_bandwidth(n, alpha, beta, d)
        printed.append(upper_bound(*place, kind="printed", **known).parts["untruncated"])
        sharp.append(min(upper_bound(*place, kind="sharp", h=c * start, **known).value for c in TRIED))
        lower.append(lower_bound(*place, contraction="interactive", **known).value)
    bounds = ((few, np.array(values)) for values in (sharp, printed, lower))
    return Rates((people, worst), (people, tuned), *bounds)


class UpperRate(LivePanel):
    """Move alpha, h, the class and n; watch bias against noise, and the exact risk between its bounds."""

    title = "The rate, as the best compromise of one slider"
    size = (10.6, 4.6)
    scene = Scene
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.125, 8.0, 8), 1.0, "{:.3g}", "budget of every person, in nats"),
        Control("h", "bandwidth", "h / theorem's h", MULTIPLES, 1.0, "{:.3g}", "as a multiple of (n α² / 2)^(-1/(2β+2d))"),
        Control("beta", "smoothness", "β", (0.25, 0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η"),
        Control("gamma", "margin", "γ", (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0), 1.0, "{:g}",
                "few people near η = 1/2; at most d/β is used"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features"),
        Control("n", "people", "n", PEOPLE, 10**8, "{:.3g}", "people in all"),
    )

    @staticmethod
    def compute(alpha, h, beta, gamma, d, n):
        """A `Result`; gamma beyond d / beta, where the theorem ends, is replaced by d / beta, and said to be."""
        used = min(gamma, d / beta)
        width = h * theorem_bandwidth(n, alpha, beta, d)
        here = sweep(n, alpha, beta, used, d)
        position = np.flatnonzero(here.multiple == h)
        return Result(
            alpha, beta, used, gamma, d, n, width, h, float(here.worst[position[0]]) if position.size else math.nan,
            here, rates(alpha, beta, used, d),
            tuple(classification_exponent(beta, used, d, private) for private in (True, False)))

    def conclude(self, result):
        """Which side rules at the current bandwidth, and the two exponents."""
        private, usual = result.exponents
        slopes = f"The private rate is n^-{private:.3g}, without privacy n^-{usual:.3g}."
        if math.isnan(result.risk):
            return f"h = {result.h:.3g} is wider than the hypercube: no exact risk here. {slopes}"
        at = list(result.sweep.multiple).index(result.multiple)
        side = "bias" if result.sweep.bias[at] >= result.sweep.noise[at] else "noise"
        best = result.sweep.multiple[result.sweep.best]
        return (f"With {result.n:.3g} people and α = {result.alpha:.3g}, {result.multiple:.3g} times the theorem's bandwidth "
                f"has a worst exact excess risk of {result.risk:.3g}, ruled by {side}; {best:.3g} times would be best. {slopes}")

    def summarise(self, result):
        """Bandwidths, risks, bounds at n and the gamma that is used."""
        least = f"{result.sweep.worst.min():.3g} at {result.sweep.multiple[result.sweep.best]:.3g}×" if len(
            result.sweep.multiple) else "none fits"
        bounds = {name: between(result.n, *getattr(result.rates, name)) for name in ("lower", "sharp", "printed")}
        limit = " (the largest, d/β)" if result.asked > result.gamma else ""
        return [
            ("h", f"{result.h:.3g}"), ("worst exact risk", "no hypercube" if math.isnan(result.risk) else f"{result.risk:.3g}"),
            ("least, over h", least), ("lower bound", f"{bounds['lower']:.2g}"), ("sharper upper bound", f"{bounds['sharp']:.2g}"),
            ("printed", f"{bounds['printed']:.2g}"), ("γ used", f"{result.gamma:.3g}{limit}"),
            ("exponents", " and ".join(f"{value:.3f}" for value in result.exponents)),
        ]


def glance(people, **params):
    """Return a figure of bias against noise at each n of `people`; `params` are positions of the other controls."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        said = []
        for axes, n in zip(figure.subplots(1, len(people), sharey=True), people, strict=True):
            result = UpperRate.compute(n=n, **params)
            Compromise(axes).update(result)
            best = result.sweep.best
            said.append(f"{result.sweep.worst[best]:.2g} at {result.sweep.multiple[best]:.2g} times the theorem's bandwidth")
            axes.set_title(f"n = {n:.0e}")
            axes.label_outer()
            if said[1:]:
                axes.get_legend().remove()
    figure.alt = (f"Worst exact excess risk against bandwidth at n = {', '.join(f'{n:.0e}' for n in people)}: noise falls, "
                  f"bias rises, and the least risk is {'; '.join(said)}.")
    return figure

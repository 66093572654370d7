"""The panel of notebook 03: the rate as the best compromise of one slider.

Berrett & Butucea (2019), Theorem 2.4. One class P(theta) throughout: L = mu = 1, c0 = 4^-d up to r0 = 1/2,
which all hypercubes of `ldp_lib.risk.hypercube` have, and C0 = 2^(1 + gamma), that is P(0 < |2 eta - 1| <= t)
<= 2 t^gamma.

The exact risks are those of hypercubes whose bumps all have one height, at the worst of some widths. So they
bound the rule's worst risk over the class from below, and other laws are worse: bumps of two heights side by
side, for instance (tested).
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
from ldp_lib.theory.holder_class import checked_theta
from ldp_lib.theory.upper import sharp_bounds

MULTIPLES = tuple(float(f"{2 ** (k / 4):.3g}") for k in range(-12, 13))
"""Bandwidths, in multiples of the theorem's."""
PEOPLE = log_steps(1000, 10**12, 4)
"""Positions of n; every second one carries the exact curves, every sixth the bounds."""
WIDTHS = np.unique(np.geomspace(1, 1400, 27).round())
"""Wide bumps are this many cells wide, or as wide as one or two of them may be. At 400 positions the worst of
all widths costs 1% more on average, and up to 35% more where one bump more or less fits."""
TRIED = (2.0, 4.0)
"""The sharper bound takes the better of these multiples of the theorem's h; the best gains a few per cent."""
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
WIDEST = 0.25
"""Beyond this h no two bumps fit into [0, 1/2] and the hypercube says nothing."""
FIRST = 1 / 18
"""Curves against n begin at this h: few bumps that fit the grid of a wider one fit into [0, 1/2], and the
worst law of the class, to which the lower bound belongs, is worse than the worst of them."""


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


class Rates(NamedTuple):
    """Curves (people, value) at the theorem's h; the exact ones begin where h <= `FIRST`.

    "worst": exact, at the worst of the widths; "tuned": exact, hypercube at the theorem's tuning;
    "sharp", "printed" and "lower": bounds, "printed" not cut at 1.
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
    """`Sweep.worst` at (n, alpha, h); NaN if h > `WIDEST`."""
    sweep: Sweep
    rates: Rates
    exponents: tuple
    """With and without privacy."""


def margin_constant(gamma):
    """C0 of the class, for which at most a share 2 t^gamma of the people has 0 < |2 eta - 1| <= t."""
    return 2.0 ** (1 + gamma)


def worst_width(n, alpha, h, beta, gamma, d):
    """Exact risk of wide bumps at the worst signs and the worst of `WIDTHS`; n and h: arrays (m,)."""
    n, h = np.broadcast_arrays(n, h)
    widest = np.floor(WIDEST / h * (1 + 1e-9))[:, None]
    usual = np.broadcast_to(WIDTHS, (len(h), len(WIDTHS)))
    k = np.concatenate([usual, np.maximum(widest // [[1, 2]], 1)], axis=1)
    fits = k <= widest
    row, risks = np.nonzero(fits)[0], np.zeros(fits.shape)
    bumps = largest_bumps(h[row] * k[fits], beta, gamma, d, C0=margin_constant(gamma))
    risks[fits] = wide_risk(n[row], alpha, k[fits], bumps, d, ERROR)
    return risks.max(axis=1)


def both_sides(n, alpha, h, beta, gamma, d):
    """(bias, noise): what narrow and what wide bumps cost at n people and bandwidth h, arrays (m,)."""
    return narrow_risk(h, beta, gamma, d, C0=margin_constant(gamma)), worst_width(n, alpha, h, beta, gamma, d)


@lru_cache(maxsize=4096)
def sweep(n, alpha, beta, gamma, d):
    """The `Sweep` at n people."""
    h = np.array(MULTIPLES) * theorem_bandwidth(n, alpha, beta, d)
    multiple, h = np.array(MULTIPLES)[h <= WIDEST], h[h <= WIDEST]
    return Sweep(multiple, *both_sides(n, alpha, h, beta, gamma, d))


def between(n, people, values):
    """The value of a curve at `n`, straight in the logarithms; 0 where a neighbour is 0."""
    left = min(int(np.searchsorted(people, n, side="right")), len(people) - 1) - 1
    places, ends = people[left : left + 2], values[left : left + 2]
    return float(np.exp(np.interp(math.log(n), np.log(places), np.log(ends)))) if ends.all() else 0.0


@lru_cache(maxsize=1024)
def rates(alpha, beta, gamma, d):
    """The `Rates`; they do not depend on n."""
    people, few = np.array(PEOPLE[::2]), np.array(PEOPLE[::6])
    h = np.array([theorem_bandwidth(int(n), alpha, beta, d) for n in people])
    people, h = people[h <= FIRST], h[h <= FIRST]
    worst = np.maximum(*both_sides(people, alpha, h, beta, gamma, d))
    tuned = wide_risk(people, alpha, 1, theorem_bumps(h, beta, gamma, d), d, ERROR)
    C0 = margin_constant(gamma)
    start = np.array([theorem_bandwidth(n, alpha, beta, d) for n in few.tolist()])
    sharp = sharp_bounds(few, alpha, checked_theta(beta, gamma, d, 1.0, C0, None, 1.0, 0.5),
                         np.outer(TRIED, start)).min(axis=0)
    places = [(n, alpha, beta, gamma, d) for n in few.tolist()]
    printed = [upper_bound(*place, kind="printed", C0=C0).parts["untruncated"] for place in places]
    lower = [lower_bound(*place, contraction="interactive", C0=C0).value for place in places]
    bounds = ((few, np.array(values)) for values in (sharp, printed, lower))
    return Rates((people, worst), (people, tuned), *bounds)


class UpperRate(LivePanel):
    """Move alpha, h, the class and n; watch bias against noise, and the exact risk between its bounds."""

    title = "The rate, as the best compromise of one slider"
    size = (10.6, 4.7)
    scene = Scene
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.125, 8.0, 8), 1.0, "{:.3g}",
                "budget of every person, in nats"),
        Control("h", "bandwidth", "h", MULTIPLES, 1.0, "{:.3g}×",
                "times the theorem's, (n α² / 2)^(-1/(2β+2d))"),
        Control("beta", "smoothness", "β", (0.25, 0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η"),
        Control("gamma", "margin", "γ", (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0), 1.0, "{:g}",
                "few people near η = 1/2; at most d/β is used"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features"),
        Control("n", "people", "n", PEOPLE, 10**8, "{:.3g}", "people in all"),
    )

    @staticmethod
    def compute(alpha, h, beta, gamma, d, n):
        """A `Result`; gamma beyond d / beta, where the theorem ends, is replaced by d / beta, and said to
        be."""
        used = min(gamma, d / beta)
        width = h * theorem_bandwidth(n, alpha, beta, d)
        here = sweep(n, alpha, beta, used, d)
        position = np.flatnonzero(here.multiple == h)
        risk = float(here.worst[position[0]]) if position.size else math.nan
        exponents = tuple(classification_exponent(beta, used, d, private) for private in (True, False))
        return Result(
            alpha, beta, used, gamma, d, n, width, h, risk, here, rates(alpha, beta, used, d), exponents)

    def conclude(self, result):
        """Which side rules at the current bandwidth, and the two exponents."""
        private, usual = result.exponents
        slopes = f"The private rate is n^-{private:.3g}, without privacy n^-{usual:.3g}."
        if math.isnan(result.risk):
            return f"h = {result.h:.3g} is wider than the hypercube: no exact risk here. {slopes}"
        at = list(result.sweep.multiple).index(result.multiple)
        side = "bias" if result.sweep.bias[at] >= result.sweep.noise[at] else "noise"
        best = result.sweep.multiple[result.sweep.best]
        return (f"With {result.n:.3g} people and α = {result.alpha:.3g}, {result.multiple:.3g} times the "
                f"theorem's bandwidth has an exact excess risk of {result.risk:.3g} on the worst hypercube "
                f"of one height, ruled by {side}; {best:.3g} times would be best. {slopes}")

    def summarise(self, result):
        """Bandwidths, risks, bounds at n and the gamma that is used."""
        sweep = result.sweep
        least = "none fits"
        if sweep.multiple.size:
            least = f"{sweep.worst.min():.3g} at {sweep.multiple[sweep.best]:.3g}×"
        bounds = (result.rates.lower, result.rates.sharp, result.rates.printed)
        lower, sharp, printed = (between(result.n, *curve) for curve in bounds)
        limit = " (the largest, d/β)" if result.asked > result.gamma else ""
        return [
            ("h", f"{result.h:.3g}"),
            ("exact risk, worst width", "none fits" if math.isnan(result.risk) else f"{result.risk:.3g}"),
            ("least, over h", least), ("lower bound", f"{lower:.2g}"), ("sharper bound", f"{sharp:.2g}"),
            ("printed bound", f"{printed:.2g}"), ("γ used", f"{result.gamma:.3g}{limit}"),
            ("exponents", " and ".join(f"{value:.3f}" for value in result.exponents)),
        ]


def glance(people, **params):
    """Return a figure of bias against noise at each n of `people`; `params` as in the panel."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        said = []
        for axes, n in zip(figure.subplots(1, len(people), sharey=True), people, strict=True):
            result = UpperRate.compute(n=n, **params)
            compromise = Compromise(axes)
            compromise.update(result)
            best = result.sweep.best
            least, multiple = result.sweep.worst[best], result.sweep.multiple[best]
            said.append(f"{least:.2g} at {multiple:.2g} times the theorem's h")
            axes.set_title(f"n = {n:.0e}")
            axes.label_outer()
        figure.legend(handles=compromise.handles, loc="outside lower center", ncols=6)
    sizes = ", ".join(f"{n:.0e}" for n in people)
    figure.alt = (f"Exact excess risk on the worst hypercube of one height against bandwidth at n = "
                  f"{sizes}: noise falls, bias rises, and the least risk is {'; '.join(said)}.")
    return figure

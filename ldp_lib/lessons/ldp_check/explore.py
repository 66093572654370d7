"""What *explore* shows in notebook 01: two people, one report, and how well anybody can tell whose it is.

Everything that it shows is exact, except that the one report which is drawn comes from a fixed seed.
Losses are drawn in units of alpha and reports in units of the noise scale b, so that no scale moves.
"""

from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.pictures import broken, row
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.picture import (
    Axes, Picture, bars, cells, dots, handle, line, linear, polygon, rule, step,
)
from ldp_lib.stage.widget import LivePanel, Positioned

HEIGHT = 0.37
"""Second coordinate of both people in d = 2: a multiple of no bandwidth of the slider."""

SEED = 97
"""Of the one report that is drawn; the same noise, in units of b, at all positions of one grid."""
PERSONS = ((1, "first", "x"), (2, "second", "x2"))
"""Number, role, and the control of the place."""
NAMES = {1: "A", 2: "B"}
"""What readers call them."""
SENT = {1: "B", 2: "yB"}
"""What people publish in either half of the sample."""
HALVES = {1: "first: B", 2: "second: yB"}
BANDWIDTHS = (0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
PLACES = tuple(percent / 100 for percent in range(101))

LINE = (-0.6, 1.6)
"""Where reports are followed on the line on which person 2's array is 0 and person 1's is 1."""
SHADES = 9
"""Of a report in d = 2, from -4b to 4b, in whole multiples of b."""
LOWEST_STEP = 1 / 400
"""Lower steps of a distribution function are drawn together: there are thousands, more than pixels."""
UNITS = linear(-1.25, 1.25, ticks=(-1, -0.5, 0, 0.5, 1), words=("−α", "−α/2", "0", "α/2", "α"))
"""Of losses."""


class Comparison(NamedTuple):
    """Two people before one mechanism; everything about them is exact.

    `people` (2, d) are where they are, `cubes` (2, K) their arrays B, `signals` (2, K) what
    they publish without noise and `report` (K,) one noisy report of person 1.  `loss` is the supremum of the
    log-likelihood ratio in nats and `report_loss` its value at the report.  `losses` (m,) are the values that
    it can take, with distribution functions `below` (2, m), one row for each true sender.
    """

    mechanism: CubeLaplace
    people: np.ndarray
    cubes: np.ndarray
    signals: np.ndarray
    report: np.ndarray
    loss: float
    report_loss: float
    losses: np.ndarray
    below: np.ndarray

    @property
    def share(self):
        """Part of the budget that the two people spend, in [0, 1]."""
        return self.loss / self.mechanism.alpha

    @property
    def spends_all(self):
        """Whether the loss is alpha, up to a rounding error."""
        return self.share > 1 - 2.0**-38     # the scale has 40 binary digits

    @property
    def top(self):
        """Probability that person 1's report costs all of `loss`: the last step of its distribution."""
        return float(self.below[0, -1] - (self.below[0, -2] if self.losses.size > 1 else 0))

    @property
    def gap(self):
        """P(loss <= 0) under either sender, (2,): the best test that weighs both errors alike cuts there."""
        return self.below[:, np.searchsorted(self.losses, 0.0, side="right") - 1]

    @property
    def advantage(self):
        """Total variation distance: power minus level of the best test."""
        return float(np.ptp(self.gap))

    def line(self, place):
        """Log-likelihood ratio in nats at the report v' + place (v - v'), v and v' being the signals."""
        return self.loss * (np.abs(place) - np.abs(1 - place))


class LdpCheck(LivePanel):
    """Theorem 2.1 of Berrett & Butucea (2019): two people differ by alpha at most, and some by alpha."""

    name = "ldp_check"
    title = "How well can anybody tell two people apart?"
    size = (10.6, 5.2)
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.1, 8.0, 10), 1.0, "{:.3g}", "nats per report"),
        Control("h", "bandwidth", "h", BANDWIDTHS, 0.2, "{:g}", "distance of grid points; a cube is 2h wide"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "if 2, both people have x₂ = 0.37"),
        Control("half", "half", "", tuple(HALVES), 2, HALVES.get,
                "of the sample: the first publishes B, the second y times B"),
        Control("x", "A lives at", "x", PLACES, 0.13, "{:.2f}"),
        Control("y", "A has label 1", "", (False, True), True),
        Control("x2", "B lives at", "x′", PLACES, 0.77, "{:.2f}"),
        Control("y2", "B has label 1", "", (False, True), True),
    )

    @staticmethod
    def compute(alpha: float, h: float, d: int, half: int, x: float, y: bool, x2: float,
                y2: bool) -> Comparison:
        mechanism = CubeLaplace(alpha, h, d)
        people, labels = np.array([[x, HEIGHT], [x2, HEIGHT]])[:, :d], (y, y2)
        first, second = zip(people, labels)
        cubes = mechanism.encode(people, labels, half=1)
        signals = mechanism.encode(people, labels, half=half)
        report = signals[0] + mechanism.noise.sample(mechanism.K, np.random.default_rng(SEED))
        law = privacy_loss_distribution(mechanism, first, second, half=half)
        return Comparison(
            mechanism, people, cubes, signals, report,
            loss=mechanism.privacy_loss(*first, *second, half=half),
            report_loss=float(np.subtract(*np.abs(report - signals)[::-1]).sum() / mechanism.scale),
            losses=law.loss,
            below=np.minimum(np.cumsum([law.under_a, law.under_b], axis=1), 1.0),
        )

    @staticmethod
    def draw(result: Positioned) -> Picture:
        """Left: both arrays and a report. Middle: the ratio and its law. Right: the best tests."""
        return Picture(((arrays(result),), (ratio(result), law(result)), (tests(result),)))

    def conclude(self, result: Positioned) -> str:
        alpha = f"α = {result.mechanism.alpha:.3g}"
        if result.spends_all:
            return f"The supports are disjoint: the loss reaches {alpha} exactly."
        reasons, ones = [], result.signals != 0
        if not ones.any(axis=1).all():
            reasons.append("a label 0 publishes an empty array")
        if (ones.sum(axis=1)[ones.any(axis=1)] < 2**result.mechanism.d).any():
            reasons.append("on a grid line a person is in fewer cubes")
        if ones.all(axis=0).any():
            reasons.append("the supports overlap")
        why = " and ".join(reasons)
        if not result.loss:
            return f"{why[0].upper()}{why[1:]}: both arrays are the same, and no report can tell who sent it."
        return f"{why[0].upper()}{why[1:]}: only {result.share:.1%} of {alpha} is spent."

    def summarise(self, result: Positioned) -> list[tuple[str, str]]:
        first, second = result.signals
        return [
            ("noise scale b", f"{result.mechanism.scale:.3g}"),
            ("distance |x − x′|", f"{abs(result.people[0, 0] - result.people[1, 0]):.2f}"),
            (f"ones in {SENT[result.half]}", f"{first.sum():.0f} and {second.sum():.0f}"),
            ("arrays differ in",
             f"{np.abs(first - second).sum():.0f} of at most {result.mechanism.sensitivity:.0f}"),
            ("exact loss", f"{result.loss:.4g} of α = {result.mechanism.alpha:.3g} ({result.share:.1%})"),
            ("P(loss reached)", f"{result.top:.4g}"),
            ("best test's advantage", f"{result.advantage:.4f}"),
            ("loss of the drawn report", f"{result.report_loss:+.3f}"),
        ]


def arrays(result):
    """The `Axes` of what the two would publish, and of one noisy report, in units of b."""
    return lines(result) if result.mechanism.d == 1 else squares(result)


def lines(result):
    """Stems over the grid points where d = 1; both people stand on lines of their own below."""
    mechanism = result.mechanism
    grid, noise = np.arange(mechanism.shape[0]) * mechanism.h, result.report / mechanism.scale
    marks = [bars("report", grid - 0.009, grid + 0.009, np.minimum(noise, 0), np.maximum(noise, 0), "noise",
                  label="report"),
             line("zero", [0, grid[-1]], [0, 0], "truth", width=0.8),
             dots("grid", grid, np.zeros(grid.size), "truth", size=4)]
    for (number, role, control), level, shift, signal in zip(PERSONS, (-6.2, -7.7), (-0.012, 0.012),
                                                             result.signals):
        side = grid[signal > 0] + shift
        height = np.full(side.size, 1 / mechanism.scale)
        marks += [line(f"stems {number}", *stems(side, height), role, width=2.5),
                  dots(f"heads {number}", side, height, role, size=7),
                  dots(f"person {number}", result.people[number - 1], [level], role, size=13,
                       label=NAMES[number], handle=handle(control))]
    return Axes("arrays", linear(-0.08, 1.28, ticks=(0, 0.5, 1)), linear(-8.6, 5.4, ticks=(-4, -2, 0, 2, 4)),
                f"{SENT[result.half]} and one report, in units of b", "x", "", tuple(marks))


def squares(result):
    """Cells around the grid points where d = 2: shades for the report, a frame around a person's ones."""
    mechanism = result.mechanism
    low, high = -mechanism.h / 2, (mechanism.shape[0] - 0.5) * mechanism.h
    levels = np.clip(np.rint(result.report / mechanism.scale) + SHADES // 2, 0, SHADES - 1)
    marks = [cells("shades", levels.reshape(mechanism.shape).T, SHADES, (low, high, low, high),
                   labels=("report, −4b to 4b",)),
             bars("domain", [0], [1], [0], [1], "truth", hollow=True)]
    for (number, role, control), signal in zip(PERSONS, result.signals):
        ones = np.argwhere(signal.reshape(mechanism.shape))
        marks += [line(f"ones {number}", *frame(ones, mechanism.h), role, width=2.5, over=True),
                  dots(f"person {number}", *result.people[number - 1][:, None], role, size=13,
                       label=NAMES[number], handle=handle(control))]
    place = linear(-0.3, 1.45, ticks=(0, 0.5, 1))
    return Axes("arrays", place, place, f"{SENT[result.half]} (frames) and one report", "x₁", "x₂",
                tuple(marks), square=True, grid=False)


def stems(x, y):
    """Return the coordinates of one line that draws a stem from 0 to each point (x, y), both (m,)."""
    return broken(np.stack([x, x], axis=1)), broken(np.stack([0 * y, y], axis=1))


def frame(index, h):
    """Return the outline of the cells around the grid points `index` (m, 2) times h; empty if m is 0."""
    if not len(index):
        return [], []
    (left, low), (right, high) = (index.min(axis=0) - 0.5) * h, (index.max(axis=0) + 0.5) * h
    return [left, right, right, left, left], [low, low, high, high, low]


def ratio(result):
    """The `Axes` of the log-likelihood ratio on the line through both arrays, in units of alpha."""
    alpha, places = result.mechanism.alpha, np.array([LINE[0], 0, 1, LINE[1]])
    # A report lies off the line; it is shown where the line has its ratio.
    place = 0.5 + 0.5 * result.report_loss / result.loss if result.loss else 0.5
    marks = (
        rule("theorem", "bound", y=(-1, 1), label="Theorem 2.1"),
        line("ratio", places, result.line(places) / alpha, "private", label="ratio", width=3),
        dots("report", [place], [result.report_loss / alpha], "other", label="the report", size=11),
    )
    ends = linear(*LINE, ticks=(0, 1), words=("B", "A"))
    return Axes("ratio", ends, UNITS, "Log-likelihood ratio of a report",
                "report, on the line through both arrays", "", marks, high=0.9)


def law(result):
    """The `Axes` of the exact distribution function of the ratio under either sender."""
    losses, below = seen(result)
    losses = np.concatenate([[-2], losses / result.mechanism.alpha, [2]])
    curves = [step(f"person {number}", losses, np.concatenate([[0], side, [1]]), role,
                   label=f"{NAMES[number]} sends")
              for (number, role, _), side in zip(PERSONS, below)]
    marks = (
        rule("theorem", "bound", x=(-1, 1)), *curves,
        line("gap", [0, 0], result.gap, "truth", width=3),
        dots("ends", [0, 0], result.gap, "truth", size=11, marker="minus"),
    )
    return Axes("law", UNITS, linear(0, 1, 0.5), f"Its exact law: advantage {result.advantage:.3f}",
                "P(log-likelihood ratio ≤ this)", "", marks)


def seen(result):
    """The losses (k,) at which a distribution function rises by a step that is seen, and both, (2, k)."""
    risen = np.diff(np.rint(result.below / LOWEST_STEP), axis=1, prepend=0).any(axis=0)
    return result.losses[risen], result.below[:, risen]


def tests(result, title="Best tests: A, not B?"):
    """The `Axes` of power against level of every best test, and of what alpha-LDP forbids."""
    steep = np.exp(result.mechanism.alpha)
    corner = (1 / (1 + steep), steep / (1 + steep))
    level, power = (np.concatenate([[1], 1 - side, [0]]) for side in seen(result)[1][::-1])
    marks = (
        polygon("forbidden", *zip((0, 0), corner, (1, 1), (0, 1)), "forbidden", label="forbidden by α"),
        line("guessing", [0, 1], [0, 1], "reference", label="guessing", width=1.5),
        line("edges", [0, 1 / steep, np.nan, 0, 1], [0, 1, np.nan, 1 - 1 / steep, 1], "bound",
             label="slopes eᵅ and e⁻ᵅ", width=1.5),
        line("best", level, power, "private", label="best test", width=3),
    )
    unit = linear(0, 1, 0.5)
    return Axes("tests", unit, unit, title, "level: false alarms", "power", marks, wide=0.85)


def glance(alphas, **params):
    """Return a figure of the trade-off at each of `alphas`; `params` are positions of the other controls."""
    results = [LdpCheck.compute(alpha=alpha, **params) for alpha in alphas]
    said = "; ".join(f"at alpha = {result.alpha:g} it exceeds the level by {result.advantage:.3f} at most"
                     for result in results)
    columns = [tests(result, f"α = {result.alpha:g}: advantage {result.advantage:.3f}") for result in results]
    return row(columns, f"Power of the best test between two people, against its level: {said}.",
               (10.0, 3.8))

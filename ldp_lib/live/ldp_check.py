"""The panel of notebook 01: two people, one report, and how well anybody can tell whose report it is.

Everything shown is exact.  Losses are drawn in units of alpha and reports in units of the noise scale b,
so that no axis moves with a slider: what moves is how loud the signal is in the noise, and how much of the
budget two people spend.
"""

from typing import NamedTuple

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution

from . import style
from .engine import Control, LivePanel, log_steps
from .stage import PanelFigure

HEIGHT = 0.37
"""Second coordinate of both people in d = 2: a multiple of no bandwidth of the slider."""

SEED = 97
"""Of the one report that is drawn; the same noise, in units of b, at all positions of one grid."""

LINE = (-0.75, 1.75)
"""Where reports are followed on the line on which person 2's array is 0 and person 1's is 1."""

HALVES = {1: "first: B", 2: "second: yB"}

PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.5}
"""The ground of words that may fall on lines."""

PLACES = tuple(percent / 100 for percent in range(101))

ALPHA_TICKS = {"ticks": (-1, -0.5, 0, 0.5, 1), "labels": ("−α", "−α/2", "0", "α/2", "α")}


class Comparison(NamedTuple):
    """Two people before one mechanism; everything about them is exact.

    `people` (2, d) and `labels` (2,) are the records, `cubes` (2, K) their arrays B, `signals` (2, K) what
    they publish without noise and `report` (K,) one noisy report of person 1.  `loss` is the supremum of the
    log-likelihood ratio in nats and `report_loss` its value at the report.  `losses` (m,) are the values that
    it can take, with distribution functions `below` (2, m), one row for each true sender.
    """

    mechanism: CubeLaplace
    half: int
    people: np.ndarray
    labels: tuple
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
        return self.share > 1 - 1e-12

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
        """Log-likelihood ratio in nats at the report v' + place (v - v'), v and v' the signals; place of any shape."""
        return self.loss * (np.abs(place) - np.abs(1 - place))


class Arrays:
    """What the two would publish, and one noisy report, in units of b."""

    def __init__(self, axes):
        self.axes, self.d = axes, 1
        axes.set(title="Both arrays, and one noisy report", xlabel="$x_1$", xticks=(0, 0.5, 1))
        self.noise, = axes.plot([], [], color=style.REFERENCE.colour, linewidth=6, solid_capstyle="butt")
        self.grid, = axes.plot([], [], color=style.INK, linewidth=0.8, marker=".", markersize=5)
        self.image = axes.imshow([[0]], cmap="Greys", vmin=-4, vmax=4, origin="lower", aspect="auto",
                                 interpolation="nearest", zorder=1, visible=False)
        self.domain = Rectangle((0, 0), 1, 1, fill=False, edgecolor=style.INK, visible=False)
        axes.add_patch(self.domain)
        looks = (style.FIRST, style.SECOND)
        self.stems = [axes.plot([], [], color=look.colour, linestyle=look.line, linewidth=2.5)[0] for look in looks]
        self.heads = [axes.plot([], [], markersize=7, **look.dots)[0] for look in looks]
        self.places = [axes.plot([], [], markersize=8, markeredgecolor="white", **look.dots)[0] for look in looks]
        self.names = [axes.text(0, 0, name, color=look.colour, va="center", fontsize=10, bbox=PAPER)
                      for look, name in zip(looks, ("person 1", "person 2"))]
        self.key = axes.text(0.99, 0.98, "", transform=axes.transAxes, ha="right", va="top", fontsize=9, bbox=PAPER)
        self.moving = [self.noise, self.grid, self.image, self.domain, *self.stems, *self.heads, *self.places,
                       *self.names, self.key]
        self._turn(1)

    def _turn(self, d):
        """Make the axes those of dimension `d`: the only change that costs a new background."""
        self.d = d
        if d == 1:
            self.axes.set(xlim=(-0.08, 1.28), ylim=(-5.9, 5.4), ylabel="published number / $b$", yticks=(-4, -2, 0, 2, 4))
        else:
            self.axes.set(xlim=(-0.3, 1.45), ylim=(-0.3, 1.45), ylabel="$x_2$", yticks=(0, 0.5, 1))
        for artist in (self.image, self.domain):
            artist.set_visible(d == 2)
        for artist in (self.noise, self.grid, *self.heads):
            artist.set_visible(d == 1)

    def update(self, result):
        mechanism = result.mechanism
        if mechanism.d != self.d:
            self._turn(mechanism.d)
        grid = np.arange(mechanism.shape[0]) * mechanism.h
        if mechanism.d == 1:
            self.key.set_text(f"a one is as high as {1 / mechanism.scale:.2g} b;  grey: a report of person 1")
            self.noise.set_data(*stems(grid, result.report / mechanism.scale))
            self.grid.set_data(grid, np.zeros(grid.size))
            levels = (-4.1, -5.2)
        else:
            self.key.set_text("grey: a report of person 1, from −4b to 4b")
            self.image.set_data(result.report.reshape(mechanism.shape).T / mechanism.scale)
            low, high = -mechanism.h / 2, grid[-1] + mechanism.h / 2
            self.image.set_extent((low, high, low, high))
            levels = (HEIGHT, HEIGHT)
        for person, signal in enumerate(result.signals):
            x = result.people[person, 0]
            self.places[person].set_data([x], [levels[person]])
            if mechanism.d == 1:
                side = grid[signal > 0] + (-0.012, 0.012)[person]
                height = np.full(side.size, 1 / mechanism.scale)
                self.stems[person].set_data(*stems(side, height))
                self.heads[person].set_data(side, height)
                self.names[person].set_position((x + 0.03, levels[person]))
            else:
                self.stems[person].set_data(*frame(np.argwhere(signal.reshape(mechanism.shape)), mechanism.h))
                self.names[person].set_position((x - 0.1, HEIGHT + (0.19, -0.19)[person]))


def stems(x, y):
    """Return the coordinates of one line that draws a stem from 0 to each point (x, y), both (m,)."""
    gaps = np.full(x.size, np.nan)
    return np.stack([x, x, gaps], axis=1).ravel(), np.stack([np.zeros(x.size), y, gaps], axis=1).ravel()


def frame(index, h):
    """Return the outline of the cells around the grid points `index` (m, 2) times h; empty if m is 0."""
    if not len(index):
        return [], []
    (left, low), (right, high) = (index.min(axis=0) - 0.5) * h, (index.max(axis=0) + 0.5) * h
    return [left, right, right, left, left], [low, low, high, high, low]


class Ratio:
    """The log-likelihood ratio as a function of the report."""

    def __init__(self, axes):
        axes.set(title="Log-likelihood ratio of a report", xlim=LINE, ylim=(-1.35, 1.35), xticks=(0, 1),
                 xlabel="report, moved along the line through both arrays")
        axes.set_xticklabels(("array of person 2", "array of person 1"))
        axes.set_yticks(**ALPHA_TICKS)
        style.level(axes, 1, "", style.THEOREM)
        style.level(axes, -1, "", style.THEOREM)
        style.name_line(axes, LINE[0], 1, "Theorem 2.1: at most α", style.THEOREM, xytext=(4, 8))
        style.name_line(axes, LINE[1], -1, "at least −α", style.THEOREM, xytext=(-4, -9), ha="right")
        self.curve, = axes.plot([], [], linewidth=2.6, **style.PRIVATE.curve)
        self.report, = axes.plot([], [], markersize=9, **style.OTHER.dots)
        self.name = axes.text(0, 0, "the report", color=style.OTHER.colour, va="center", fontsize=10)
        self.moving = [self.curve, self.report, self.name]
        self.places = np.array([LINE[0], 0, 1, LINE[1]])

    def update(self, result):
        alpha = result.mechanism.alpha
        self.curve.set_data(self.places, result.line(self.places) / alpha)
        # A report lies off the line; it is shown where the line has its ratio.
        place = 0.5 + 0.5 * result.report_loss / result.loss if result.loss else 0.5
        self.report.set_data([place], [result.report_loss / alpha])
        self.name.set_position((place + 0.08, result.report_loss / alpha - 0.13))


class LossLaw:
    """The exact distribution function of the privacy loss, under either sender."""

    def __init__(self, axes):
        axes.set(title="Privacy loss, exact distribution", xlim=(-1.2, 1.2), ylim=(0, 1),
                 xlabel="log-likelihood ratio of a report", ylabel="P(ratio at most this)")
        axes.set_xticks(**ALPHA_TICKS)
        for side in (-1, 1):
            axes.axvline(side, linewidth=1.3, **style.THEOREM.curve)
        axes.text(-0.96, 0.93, "sent by person 2", color=style.SECOND.colour, fontsize=10, va="top")
        axes.text(0.96, 0.07, "sent by person 1", color=style.FIRST.colour, fontsize=10, ha="right")
        self.curves = [axes.plot([], [], drawstyle="steps-post", **look.curve)[0]
                       for look in (style.FIRST, style.SECOND)]
        self.gap, = axes.plot([], [], color=style.INK, linewidth=3, marker="_", markersize=9)
        self.name = axes.text(0, 0, "", color=style.INK, fontsize=10, va="center", bbox=PAPER)
        self.moving = [*self.curves, self.gap, self.name]

    def update(self, result):
        # Thousands of lattice steps, most of them lower than half a pixel: those that are seen suffice.
        seen = np.diff(np.rint(1000 * result.below), axis=1, prepend=0).any(axis=0)
        losses = np.concatenate([[-2], result.losses[seen] / result.mechanism.alpha, [2]])
        for curve, below in zip(self.curves, result.below[:, seen]):
            curve.set_data(losses, np.concatenate([[0], below, [1]]))
        self.gap.set_data([0, 0], result.gap)
        self.name.set_text(f"advantage {result.advantage:.3f}")
        self.name.set_position((0.05, min(result.gap.mean(), 0.93)))


class TradeOffCurve:
    """Power against level of every best test, and what alpha-LDP forbids."""

    def __init__(self, axes):
        self.axes = axes
        axes.set(title="Best tests: was it person 1, not 2?", xlim=(0, 1), ylim=(0, 1),
                 xlabel="level: false alarms", ylabel="power", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        self.forbidden = Polygon(np.zeros((3, 2)), facecolor=style.REGIONS[1], edgecolor=style.THEOREM.colour,
                                 hatch="///", linewidth=0)
        axes.add_patch(self.forbidden)
        axes.plot([0, 1], [0, 1], linewidth=1.3, **style.REFERENCE.curve)
        self.lines = [axes.plot([], [], **style.THEOREM.curve)[0] for _ in range(2)]
        self.curve, = axes.plot([], [], linewidth=2.6, **style.PRIVATE.curve)
        axes.text(0.97, 0.34, "best test", color=style.PRIVATE.colour, fontsize=10, ha="right")
        axes.text(0.97, 0.24, "dashed: guessing", color="#6b6b6b", fontsize=10, ha="right")
        axes.text(0.97, 0.04, "hatched: forbidden,\nslopes $e^{α}$ and $e^{-α}$", color=style.THEOREM.colour,
                  fontsize=10, ha="right")
        self.moving = [self.forbidden, *self.lines, self.curve]

    def update(self, result):
        steep = np.exp(result.mechanism.alpha)
        corner = (1 / (1 + steep), steep / (1 + steep))
        self.forbidden.set_xy([(0, 0), corner, (1, 1), (0, 1)])
        self.lines[0].set_data([0, 1 / steep], [0, 1])
        self.lines[1].set_data([0, 1], [1 - 1 / steep, 1])
        self.curve.set_data(*(np.concatenate([[1], 1 - below]) for below in result.below[::-1]))


class Scene:
    """Arrays and ratio above, loss and trade-off below."""

    def __init__(self, figure):
        axes = figure.subplots(2, 2)
        self.parts = [part(place) for part, place in zip((Arrays, Ratio, LossLaw, TradeOffCurve), axes.flat)]
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        for part in self.parts:
            part.update(result)


class LdpCheck(LivePanel):
    """Theorem 2.1 of Berrett & Butucea (2019): no two people differ by more than alpha, and some by exactly alpha."""

    title = "How well can anybody tell two people apart?"
    size = (10.0, 5.8)
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.1, 8.0, 10), 1.0, "{:.3g}", "budget of one report, in nats"),
        Control("h", "bandwidth", "h", (0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), 0.2, "{:g}",
                "distance of the grid points; a cube is 2h wide"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "in two dimensions both people sit at height 0.37"),
        Control("half", "half of the sample", "", tuple(HALVES), 2, HALVES.get,
                "the first half publishes B, the second half publishes y times B"),
        Control("x", "person 1 at", "x", PLACES, 0.13, "{:.2f}"),
        Control("y", "label of person 1", "y", (0, 1), 1, "{}"),
        Control("x2", "person 2 at", "x′", PLACES, 0.77, "{:.2f}"),
        Control("y2", "label of person 2", "y′", (0, 1), 1, "{}"),
    )
    scene = Scene

    @staticmethod
    def compute(alpha, h, d, half, x, y, x2, y2):
        mechanism = CubeLaplace(alpha, h, d)
        people, labels = np.array([[x, HEIGHT], [x2, HEIGHT]])[:, :d], (y, y2)
        records = [record for record in zip(people, labels)]
        cubes = mechanism.encode(people, labels, half=1)
        signals = mechanism.encode(people, labels, half=half)
        report = signals[0] + mechanism.noise.sample(mechanism.K, np.random.default_rng(SEED))
        law = privacy_loss_distribution(mechanism, *records, half=half)
        return Comparison(
            mechanism, half, people, labels, cubes, signals, report,
            loss=mechanism.privacy_loss(*records[0], *records[1], half=half),
            report_loss=float(np.subtract(*np.abs(report - signals)[::-1]).sum() / mechanism.scale),
            losses=law.loss,
            below=np.minimum(np.cumsum([law.under_a, law.under_b], axis=1), 1.0),
        )

    def conclude(self, result):
        alpha = f"α = {result.mechanism.alpha:.3g}"
        if result.spends_all:
            return f"The supports are disjoint: the loss reaches {alpha} exactly."
        reasons = []
        if result.half == 2 and 0 in result.labels:
            reasons.append("a label 0 publishes an empty array")
        if (result.cubes.sum(axis=1) < 2**result.mechanism.d).any():
            reasons.append("on a grid line a person is in fewer cubes")
        if result.cubes.prod(axis=0).any():
            reasons.append("the supports overlap")
        why = " and ".join(reasons)
        if not result.loss:
            return f"{why[0].upper()}{why[1:]}: both arrays are the same, and no report can tell who sent it."
        return f"{why[0].upper()}{why[1:]}: only {result.share:.1%} of {alpha} is spent."

    def summarise(self, result):
        first, second = result.signals
        return [
            ("noise scale b", f"{result.mechanism.scale:.3g}"),
            ("ones", f"{first.sum():.0f} and {second.sum():.0f}"),
            ("arrays differ in", f"{np.abs(first - second).sum():.0f} of at most {result.mechanism.sensitivity:.0f}"),
            ("exact loss", f"{result.loss:.4g} of α = {result.mechanism.alpha:.3g} ({result.share:.1%})"),
            ("P(loss reached)", f"{result.top:.4g}"),
            ("best test's advantage", f"{result.advantage:.4f}"),
            ("loss of the drawn report", f"{result.report_loss:+.3f}"),
        ]


def glance(alphas, **params):
    """Return a figure of the trade-off at each of `alphas`, the other controls at `params` or their defaults."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.6), layout="constrained")
        figure.alt = "Power of the best test between two people, against its level: "
        for axes, alpha in zip(figure.subplots(1, len(alphas)), alphas):
            result = LdpCheck.compute(alpha=alpha, **params)
            TradeOffCurve(axes).update(result)
            axes.set_title(f"α = {alpha:g}: advantage {result.advantage:.3f}")
            figure.alt += f"at alpha = {alpha:g} it exceeds the level by {result.advantage:.3f} at most; "
        figure.alt = figure.alt.removesuffix("; ") + "."
    return figure

"""The panel of notebook 01: two people, one report, and how well anybody can tell whose report it is.

Everything that it shows is exact, except that the one report which is drawn comes from a fixed seed.
"""

from typing import NamedTuple

import numpy as np

from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution

from . import style
from .engine import Control, LivePanel, log_steps
from .ldp_check_scene import Scene, TradeOffCurve
from .stage import PanelFigure

HEIGHT = 0.37
"""Second coordinate of both people in d = 2: a multiple of no bandwidth of the slider."""

SEED = 97
"""Of the one report that is drawn; the same noise, in units of b, at all positions of one grid."""

HALVES = {1: "first: B", 2: "second: yB"}

BANDWIDTHS = (0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)

PLACES = tuple(percent / 100 for percent in range(101))


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
    def sent(self):
        """The letters of what the two publish: "B" in the first half of the sample, "yB" in the second."""
        return HALVES[self.half].split(": ")[1]

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
        """Log-likelihood ratio in nats at the report v' + place (v - v'), v and v' being the signals."""
        return self.loss * (np.abs(place) - np.abs(1 - place))


class LdpCheck(LivePanel):
    """Theorem 2.1 of Berrett & Butucea (2019): two people differ by alpha at most, and some by alpha."""

    title = "How well can anybody tell two people apart?"
    size = (10.0, 5.8)
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.1, 8.0, 10), 1.0, "{:.3g}", "nats per report"),
        Control("h", "bandwidth", "h", BANDWIDTHS, 0.2, "{:g}", "distance of grid points; a cube is 2h wide"),
        Control("d", "dimension", "d", (1, 2), 1, "{}", "if 2, both people have x₂ = 0.37"),
        Control("half", "half of the sample", "", tuple(HALVES), 2, HALVES.get,
                "the first half publishes B, the second half publishes y times B"),
        Control("x", "person 1 at", "x", PLACES, 0.13, "{:.2f}"),
        Control("y", "y = 1", "", (False, True), True, help="the label of person 1"),
        Control("x2", "person 2 at", "x′", PLACES, 0.77, "{:.2f}"),
        Control("y2", "y′ = 1", "", (False, True), True, help="the label of person 2"),
    )
    scene = Scene

    @staticmethod
    def compute(alpha, h, d, half, x, y, x2, y2):
        mechanism = CubeLaplace(alpha, h, d)
        people, labels = np.array([[x, HEIGHT], [x2, HEIGHT]])[:, :d], (y, y2)
        first, second = zip(people, labels)
        cubes = mechanism.encode(people, labels, half=1)
        signals = mechanism.encode(people, labels, half=half)
        report = signals[0] + mechanism.noise.sample(mechanism.K, np.random.default_rng(SEED))
        law = privacy_loss_distribution(mechanism, first, second, half=half)
        return Comparison(
            mechanism, half, people, labels, cubes, signals, report,
            loss=mechanism.privacy_loss(*first, *second, half=half),
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
            ("distance |x − x′|", f"{abs(result.people[0, 0] - result.people[1, 0]):.2f}"),
            (f"ones in {result.sent}", f"{first.sum():.0f} and {second.sum():.0f}"),
            ("arrays differ in",
             f"{np.abs(first - second).sum():.0f} of at most {result.mechanism.sensitivity:.0f}"),
            ("exact loss", f"{result.loss:.4g} of α = {result.mechanism.alpha:.3g} ({result.share:.1%})"),
            ("P(loss reached)", f"{result.top:.4g}"),
            ("best test's advantage", f"{result.advantage:.4f}"),
            ("loss of the drawn report", f"{result.report_loss:+.3f}"),
        ]


def glance(alphas, **params):
    """Return a figure of the trade-off at each of `alphas`; `params` are positions of the other controls."""
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

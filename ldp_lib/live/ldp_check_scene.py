"""How the panel of notebook 01 looks: four small axes, one class each.

Losses are drawn in units of alpha and reports in units of the noise scale b, so that no axis moves with a
slider and the background stays as it is; only another dimension draws it anew.
"""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from . import style

LINE = (-0.75, 1.75)
"""Where reports are followed on the line on which person 2's array is 0 and person 1's is 1."""

PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.5}
"""The ground of words that may fall on lines."""

ALPHA_TICKS = {"ticks": (-1, -0.5, 0, 0.5, 1), "labels": ("−α", "−α/2", "0", "α/2", "α")}


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
        self.stems = [axes.plot([], [], linewidth=2.5, **look.curve)[0] for look in looks]
        self.heads = [axes.plot([], [], markersize=7, **look.dots)[0] for look in looks]
        self.places = [axes.plot([], [], markersize=8, markeredgecolor="white", **look.dots)[0]
                       for look in looks]
        self.names = [axes.text(0, 0, name, color=look.colour, va="center", fontsize=10, bbox=PAPER)
                      for look, name in zip(looks, ("person 1", "person 2"))]
        self.key = axes.text(0.99, 0.98, "", transform=axes.transAxes, ha="right", va="top", fontsize=9,
                             bbox=PAPER)
        self.moving = [self.noise, self.grid, self.image, self.domain, *self.stems, *self.heads, *self.places,
                       *self.names, self.key]
        self._turn(1)

    def _turn(self, d):
        """Make the axes those of dimension `d`: the only change that costs a new background."""
        self.d = d
        if d == 1:
            self.axes.set(xlim=(-0.08, 1.28), ylim=(-5.9, 5.4), ylabel="published number / $b$",
                          yticks=(-4, -2, 0, 2, 4))
        else:
            self.axes.set(xlim=(-0.3, 1.45), ylim=(-0.3, 1.45), ylabel="$x_2$", yticks=(0, 0.5, 1))
        for artist in (self.image, self.domain):
            artist.set_visible(d == 2)
        for artist in (self.noise, self.grid, *self.heads):
            artist.set_visible(d == 1)

    def update(self, result):
        """Show the arrays, the report and the people of `result`."""
        mechanism = result.mechanism
        if mechanism.d != self.d:
            self._turn(mechanism.d)
        grid = np.arange(mechanism.shape[0]) * mechanism.h
        if mechanism.d == 1:
            self.key.set_text(f"both send {result.sent}; a one is {1 / mechanism.scale:.2g} b; grey: a "
                              "report of person 1")
            self.noise.set_data(*stems(grid, result.report / mechanism.scale))
            self.grid.set_data(grid, np.zeros(grid.size))
            levels = (-4.1, -5.2)
        else:
            self.key.set_text(f"both send {result.sent}; grey: a report of person 1, from −4b to 4b")
            self.image.set_data(result.report.reshape(mechanism.shape).T / mechanism.scale)
            low, high = -mechanism.h / 2, grid[-1] + mechanism.h / 2
            self.image.set_extent((low, high, low, high))
            levels = result.people[:, 1]
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
                self.names[person].set_position((x - 0.1, levels[person] + (0.19, -0.19)[person]))


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
        """Show the ratio on the line, and that of the report, in units of alpha."""
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
        """Show the two distribution functions, and the advantage where they are farthest apart."""
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
        """Show the curve, and the area that alpha forbids."""
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
        """Show `result` in all four."""
        for part in self.parts:
            part.update(result)

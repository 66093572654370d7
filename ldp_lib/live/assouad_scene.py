"""How the panel of notebook 04 looks: hypercube, what an analyst sees, and the proof as a ladder."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import LinearSegmentedColormap

from ldp_lib.live import style
from ldp_lib.nature.bumps import bump_profile

RUNGS = ("a coin: nobody reports", "one bit from everybody, exact", "any mechanism: exact for the best pair",
         "Pinsker, contraction: n/4", "with interaction: n/2", "as printed: 2n")
"""The rungs of the ladder, from the top; each is at most the one above."""
CURVES = {"one bit": style.PRIVATE, "dominating": style.THEOREM, "noninteractive": style.NON_PRIVATE,
          "interactive": style.OTHER, "printed": style.REFERENCE}
"""Bounds on the total variation, in the order of the rungs below the first, and their looks."""
TINTS = (255 * LinearSegmentedColormap.from_list("signs", [style.REGIONS[0], "white", style.REGIONS[1]])(
    np.linspace(0, 1, 129))).round().astype(np.uint8)
"""RGBA from sign -1 to sign +1 at full height."""
PIXELS = 320
"""The picture of the plane is computed on this many points per axis."""
LOSSES = np.linspace(-6, 6, 241)
"""Where the distribution functions of the log-likelihood ratio are drawn."""
PEOPLE = np.geomspace(10, 1e9, 33).round().astype(int)
"""Numbers of people at which the curves of the total variation are drawn."""
QUARTERS = (0, 0.25, 0.5), ("0", "¼", "½")
"""Places and words of the ticks on [0, 1/2]."""
FEW = 12
"""Up to this many cells per axis the signs are written into the plane."""


class Plane(Artist):
    """(2 eta - 1) / height on a regular grid of the axes, as tints."""

    zorder = 0
    tilt = np.zeros((1, 1))
    """(rows, columns) in [-1, 1], the first row at the bottom."""

    def draw(self, renderer):
        """Copy the tint of every pixel's nearest grid point."""
        if not self.get_visible():
            return
        left, bottom, right, top = np.round(self.axes.bbox.extents).astype(int)
        rows, columns = self.tilt.shape
        down = np.arange(top - bottom) * rows // (top - bottom)
        across = np.arange(right - left) * columns // (right - left)
        tints = TINTS[np.round(64 * (self.tilt[down] + 1)).astype(np.uint8)]
        renderer.draw_image(renderer.new_gc(), left, bottom, np.ascontiguousarray(tints[:, across]))


class Cube:
    """The vertex eta_sigma: a curve in d = 1, tints in d = 2; and the cell that is examined.

    `heights`: to scale; otherwise the curve is drawn in units of its height, so that the axes stand still.
    """

    def __init__(self, axes, heights=False):
        self.axes, self.heights, self.d = axes, heights, None
        self.title, self.plane = axes.set_title(" "), axes.add_artist(Plane())
        self.half, = axes.plot([0, 1], [0, 0], color=style.REFERENCE.colour, linewidth=1, zorder=1)
        self.eta, = axes.plot([], [], color=style.INK, linewidth=1.4, zorder=3)
        self.mass, = axes.plot([], [], color=style.PRIVATE.colour, linewidth=4, solid_capstyle="butt",
                              zorder=4)
        self.plus, = axes.plot([], [], color=style.INK, linestyle="none", marker="+", zorder=3)
        self.minus, = axes.plot([], [], color=style.INK, linestyle="none", marker="_", zorder=3)
        self.here, = axes.plot([], [], color=style.THEOREM.colour, linewidth=2, zorder=5)
        self.moving = [self.plane, self.half, self.eta, self.mass, self.plus, self.minus, self.here]
        if heights:
            axes.set(xlim=(0, 0.5), ylim=(-0.16, 0.16), xlabel="x", ylabel="η − 1/2")
            self.here.set_visible(False)

    def _turn(self, d):
        """Make the axes those of dimension `d`: the only change that costs a new background."""
        self.d = d
        if not self.heights:
            self.axes.set(xlim=(0, 0.5), ylim=(-1.5, 1.5) if d == 1 else (0, 0.5), 
                          xlabel="x" if d == 1 else "x₁")
            self.title.set_text("2η − 1, by its height; thick: people" if d == 1 else
                                "2η − 1: blue −, orange +; darkest: people")
            # Words as short as those of d = 1, for which the layout was solved.
            self.axes.set_xticks(*QUARTERS)
            self.axes.set_yticks(*((-1, 0, 1), ("−1", "0", "1")) if d == 1 else QUARTERS)
            self.axes.grid(False)
        self.plane.set_visible(d == 2)
        for artist in (self.half, self.eta, self.mass):
            artist.set_visible(d == 1)

    def update(self, result):
        """Show the vertex of `result`."""
        law, signs = result.game.law, result.signs
        if law.d != self.d:
            self._turn(law.d)
        unit = 1 / (4 * law.q)
        centre = law.centres[result.cell]
        if law.d == 1:
            scale = law.height / 2 if self.heights else 1.0
            feet = law.centres + unit * np.array([-1, -0.5, 0.5, 1])
            tops = scale * signs[:, None] * np.array([0, 1, 1, 0])
            self.eta.set_data(np.append(feet.ravel(), 0.5), np.append(tops.ravel(), 0))
            gap = np.full(law.m, np.nan)
            self.mass.set_data(np.stack([feet[:, 1], feet[:, 2], gap], 1).ravel(),
                               np.stack([tops[:, 1], tops[:, 2], gap], 1).ravel())
            box = np.array([-1.35, 1.35])
            self.here.set_data(centre[0] + unit * np.array([-1, 1, 1, -1, -1]), box[[0, 0, 1, 1, 0]])
            return
        x = (np.arange(PIXELS) + 0.5) / PIXELS / 2
        cell = np.minimum((2 * law.q * x).astype(int), law.q - 1)
        radius = np.abs(law.q * x - (2 * cell + 1) / 4)
        table = np.zeros(law.q**2)
        table[: law.m] = signs
        bump = 0.7 * bump_profile("ramp", np.maximum.outer(radius, radius)) + 0.3 * np.logical_and.outer(
            radius <= 0.125, radius <= 0.125)
        # The first index of a cell is its place along x1, which runs to the right.
        self.plane.tilt = (table.reshape(law.q, law.q)[np.ix_(cell, cell)] * bump).T
        for line, sign in ((self.plus, 1), (self.minus, -1)):
            shown = law.centres[signs == sign] if law.q <= FEW else np.empty((0, 2))
            line.set_data(*shown.T)
        self.here.set_data(centre[0] + unit * np.array([-1, 1, 1, -1, -1]),
                           centre[1] + unit * np.array([-1, -1, 1, 1, -1]))


class RatioLaw:
    """The exact distribution function of the log-likelihood ratio of n bits, under either sign."""

    def __init__(self, axes):
        axes.set(title="n bits: is σₖ = +1 or −1? exact", xlim=(-6, 6), ylim=(-0.13, 1.13),
                 yticks=(0, 0.5, 1), xlabel="log-likelihood ratio", ylabel="P(ratio at most this)")
        axes.text(-5.7, 1.02, "σₖ = −1", color=style.SECOND.colour, va="bottom")
        axes.text(5.7, -0.02, "σₖ = +1", color=style.FIRST.colour, ha="right", va="top")
        self.curves = [axes.plot([], [], drawstyle="steps-post", **look.curve)[0]
                       for look in (style.FIRST, style.SECOND)]
        self.gap, = axes.plot([], [], color=style.INK, linewidth=3, marker="_", markersize=9)
        self.moving = [*self.curves, self.gap]

    def update(self, result):
        """Show both laws; the bar at 0 is their total variation distance."""
        for line, below in zip(self.curves, result.below, strict=True):
            line.set_data(LOSSES, below)
        middle = result.below[:, LOSSES.size // 2]
        self.gap.set_data([0, 0], middle)


class ChanceCurves:
    """Total variation between the reports under either sign, against n: exact and bounded."""

    def __init__(self, axes):
        axes.set(title="total variation; lines: see below", xscale="log", xlim=(PEOPLE[0], PEOPLE[-1]),
                 ylim=(0, 1.03),
                 yticks=(0, 0.5, 1), xlabel="people n")
        self.lines = {key: axes.plot([], [], linewidth=2.6 if key == "one bit" else 1.6, **look.curve)[0]
                      for key, look in reversed(CURVES.items())}
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=9, markeredgecolor="white")
        self.moving = [*self.lines.values(), self.here]

    def update(self, result):
        """Show the curves, and n on the exact one."""
        for key, line in self.lines.items():
            line.set_data(PEOPLE, result.curves[key])
        self.here.set_data([result.game.n], [result.tv])


class Ladder:
    """The chain of the proof: every rung as a share of the coin's risk; the steepest fall is marked."""

    def __init__(self, axes):
        axes.set(title="The proof as a ladder: what is left of a coin's risk (m/2)Δ", xlim=(0, 1.31),
                 ylim=(len(RUNGS) - 0.5, -0.6),
                 xticks=(0, 0.25, 0.5, 0.75, 1))
        axes.set_yticks(range(len(RUNGS)), RUNGS)
        axes.grid(axis="y", visible=False)
        # The lines of the curves above, so that they need no legend of their own.
        for y, look in enumerate(CURVES.values(), 1):
            axes.plot([1.11, 1.17], [y, y], linewidth=1.8, **look.curve)
        self.bars, = axes.plot([], [], color=style.PRIVATE.colour, linewidth=7, solid_capstyle="butt")
        self.fall, = axes.plot([], [], color=style.THEOREM.colour, linewidth=7, solid_capstyle="butt")
        self.word = axes.text(0, 0, "loosest", color=style.THEOREM.colour, fontsize=9, va="center")
        self.numbers = [axes.text(1.3, y, "", ha="right", va="center", fontsize=9) for y in range(len(RUNGS))]
        self.moving = [self.bars, self.fall, self.word, *self.numbers]

    def update(self, result):
        """Show the rungs of `result`, and their values at the right."""
        share, y = result.ladder / result.ladder[0], np.arange(len(RUNGS))
        gap = np.full(len(RUNGS), np.nan)
        self.bars.set_data(np.stack([0 * share, share, gap], 1).ravel(), np.stack([y, y, gap], 1).ravel())
        low = result.loosest
        self.fall.set_data([share[low], share[low - 1]], [low, low])
        self.word.set_position((share[low - 1] + 0.01, low))
        for text, value in zip(self.numbers, result.ladder, strict=True):
            text.set_text(f"{value:.3g}")


class Scene:
    """Above: hypercube, law of the ratio, total variation. Below: the ladder."""

    def __init__(self, figure):
        above, below = figure.subfigures(2, 1, height_ratios=(1.35, 1))
        first, second, third = above.subplots(1, 3, width_ratios=(1.25, 1, 1.1))
        self.parts = (Cube(first), RatioLaw(second), ChanceCurves(third), Ladder(below.subplots()))
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)

"""How the panel of notebook 02 looks: three axes, each of which follows a `Result` of
`ldp_lib.live.consistency`."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array

from ldp_lib.live import style

PEOPLE_AXIS = (8, 6e8)
"""Ends of the axis of n."""
FILLS = (255 * to_rgba_array(style.REGIONS)).round().astype(np.uint8)
"""RGBA of the regions labelled 0 and 1."""
SCHEDULES = {"slow": (0, (1, 1)), "edge": (0, (3, 1.5, 1, 1.5)), "fast": (0, (6, 1.5, 1, 1.5, 1, 1.5))}
"""Roles of the curves whose exponent stands still, and their dashes."""
PROMISES = (("consistent", "#cfe3f1", None), ("only without privacy", "#cfeadf", "//"),
            ("nothing", "#eeeeee", "xx"))
"""What the theorems promise as kappa grows: words, fill, hatch."""


def say(text, words):
    """Let a text that stands still say `words`; setting even the same words would redraw the background."""
    if text.get_text() != words:
        text.set_text(words)


class Regions(Artist):
    """Labels 0 and 1 on a regular grid of [0, 1]^2 as fills of the whole axes, three times faster than an
    image."""

    zorder = 0
    labels = np.zeros((1, 1), int)
    """(rows, columns), the first row at the bottom."""

    def draw(self, renderer):
        """Copy the label of every pixel's nearest grid point; nothing is interpolated."""
        left, bottom, right, top = np.round(self.axes.bbox.extents).astype(int)
        rows, columns = self.labels.shape
        down = np.arange(top - bottom) * rows // (top - bottom)
        across = np.arange(right - left) * columns // (right - left)
        renderer.draw_image(renderer.new_gc(), left, bottom, FILLS[self.labels[down]][:, across])


class Fit:
    """One private fit as filled regions, the Bayes boundary as dashes; eta in d = 1, some people in d = 2."""

    def __init__(self, axes):
        style.unit_square(axes)
        self.title, self.along, self.across = axes.set_title(" "), axes.set_xlabel(" "), axes.set_ylabel(" ")
        self.regions = axes.add_artist(Regions())
        self.half, = axes.plot([0, 1], [0.5, 0.5], color=style.REFERENCE.colour, linewidth=1, zorder=1)
        self.boundary = axes.add_collection(LineCollection(
            [], colors=style.BAYES.colour, linestyles=[style.BAYES.line], linewidths=1.8, zorder=3))
        self.eta, = axes.plot([], [], color=style.INK, linewidth=1.8, zorder=3)
        self.people = [axes.plot([], [], **look.dots, markersize=3.5, zorder=2)[0]
                       for look in (style.FIRST, style.SECOND)]
        self.moving = [self.regions, self.half, self.boundary, self.eta, *self.people]

    def update(self, result):
        """Show the fit of `result`; another problem renames the axes and so redraws the background."""
        scene, plane = result.landscape, result.landscape.d == 2
        self.regions.labels = result.decisions
        self.boundary.set_segments(scene.boundary)
        self.eta.set_data(*scene.eta)
        for line, points in zip(self.people, scene.points, strict=True):
            line.set_data(*points.T)
        self.half.set_visible(not plane)
        say(self.title, "fills: one private fit; dashes: Bayes")
        say(self.along, scene.axes[0])
        say(self.across, scene.axes[1] if plane else "curve: η(x) = P(Y = 1 | x)")


class RiskCurves:
    """Exact excess risk against n: private and not, at the chosen exponent and at fixed ones."""

    def __init__(self, axes):
        axes.set(xscale="log", xlim=PEOPLE_AXIS, ylim=(-0.04, 0.44), xlabel="people n")
        axes.set_title("exact excess risk if h = n$^{-κ}$")
        axes.plot(PEOPLE_AXIS, [0, 0], linewidth=1.2, **style.BAYES.curve)
        axes.annotate("Bayes: the best rule", (PEOPLE_AXIS[1], 0), xytext=(-2, -3),
                      textcoords="offset points", ha="right", va="top", fontsize=9)
        self.majority, = axes.plot([], [], linewidth=1.2, **style.REFERENCE.curve)
        self.majority_name = axes.text(PEOPLE_AXIS[1], 0, "majority label ", ha="right", va="bottom",
                                       fontsize=9,
                                       color="#6b6b6b")
        self.lines = {role: axes.plot([], [], linewidth=1.4, color=style.OTHER.colour, linestyle=dashes,
                                      label=role)[0]
                      for role, dashes in SCHEDULES.items()}
        self.lines["open"], = axes.plot([], [], linewidth=1.4, label="no privacy, your κ",
                                        **style.NON_PRIVATE.curve)
        self.lines["private"], = axes.plot([], [], linewidth=2.6, label="private, your κ",
                                           **style.PRIVATE.curve)
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=10, markeredgecolor="white",
                               label="private, your n and h")
        handles = [self.lines["private"], self.here, self.lines["open"],
                   *(self.lines[role] for role in SCHEDULES)]
        legend = style.legend_below(axes, handles, 3)
        self.names = dict(zip(SCHEDULES, legend.get_texts()[3:], strict=True))
        self.moving = [*self.lines.values(), self.here]

    def update(self, result):
        """Draw the curves of `result` and mark its n and h; what belongs to the problem stands still."""
        scene = result.landscape
        if list(self.majority.get_ydata()) != [scene.majority] * 2:
            self.majority.set_data(PEOPLE_AXIS, [scene.majority] * 2)
            self.majority_name.set_position((PEOPLE_AXIS[1], scene.majority + 0.003))
        for role, text in self.names.items():
            say(text, f"private, κ = {scene.schedules[role]:.3g}")
        for role, line in self.lines.items():
            line.set_data(*result.curves[role])
        self.here.set_data([result.n], [result.risk])


class Promise:
    """For which exponents kappa the theorems promise consistency, and where the slider stands."""

    def __init__(self, axes):
        axes.set(xlim=(0, 1), ylim=(0, 1), yticks=(),
                 xlabel="exponent κ: what the theorems promise, whatever the law of (X, Y) is")
        axes.grid(False)
        self.regions = [axes.axvspan(0, 1, facecolor=fill, hatch=hatch, edgecolor="white", linewidth=0)
                        for _, fill, hatch in PROMISES]
        self.names = [axes.text(0, 0.42, words, ha="center", va="center", fontsize=9) for words, _,
                      _ in PROMISES]
        self.pointer, = axes.plot([], [], color=style.PRIVATE.colour, marker="v", markersize=12,
                                  linestyle="none",
                                  markeredgecolor="white", clip_on=False)
        self.d = None
        self.moving = [self.pointer]

    def update(self, result):
        """Move the pointer, and for another d the borders 1/(2d) and 1/d."""
        if result.landscape.d != self.d:
            self.d = result.landscape.d
            edges = (0.0, 0.5 / self.d, 1.0 / self.d, 1.0)
            for region, name, low, high in zip(self.regions, self.names, edges[:-1], edges[1:], strict=True):
                region.set_bounds(low, 0, high - low, 1)
                name.set(position=((low + high) / 2, 0.42), visible=high > low)
        self.pointer.set_data([result.kappa], [1.0])


class Scene:
    """Left: one private fit. Right: exact risk against n, and below it the regions of kappa."""

    def __init__(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.45), height_ratios=(8, 0.9))
        self.parts = (Fit(figure.add_subplot(grid[:, 0])), RiskCurves(figure.add_subplot(grid[0, 1])),
                      Promise(figure.add_subplot(grid[1, 1])))
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)

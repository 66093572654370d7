"""How the panel of notebook 02 looks: three axes, each of which follows a `Result` of `ldp_lib.live.consistency`."""

import numpy as np
from matplotlib.collections import LineCollection

from ldp_lib.live import style

PEOPLE_AXIS = (8, 6e8)
"""Ends of the axis of n."""
FILLS = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in style.REGIONS], np.uint8)
"""RGB of the regions labelled 0 and 1."""
SCHEDULES = ("slow", "edge", "fast")
"""Roles of the curves whose exponent stands still."""
PROMISES = (("consistent", "#cfe3f1", None), ("only without privacy", "#cfeadf", "//"), ("nothing", "#eeeeee", "xx"))
"""What the theorems promise as kappa grows: words, fill, hatch."""


class Fit:
    """One private fit as filled regions, the Bayes boundary as dashes; eta in d = 1, some people in d = 2."""

    def __init__(self, axes):
        style.unit_square(axes)
        self.title, self.along, self.across = axes.set_title(" "), axes.set_xlabel(" "), axes.set_ylabel(" ")
        blank = np.full((1, 1, 3), 255, np.uint8)
        self.image = axes.imshow(blank, extent=(0, 1, 0, 1), origin="lower", interpolation="nearest", zorder=0)
        self.half, = axes.plot([0, 1], [0.5, 0.5], color=style.REFERENCE.colour, linewidth=1, zorder=1)
        self.boundary = axes.add_collection(LineCollection(
            [], colors=style.BAYES.colour, linestyles=[style.BAYES.line], linewidths=1.8, zorder=3))
        self.eta, = axes.plot([], [], color=style.INK, linewidth=1.8, zorder=3)
        self.people = [axes.plot([], [], **look.dots, markersize=3.5, zorder=2)[0] for look in (style.FIRST, style.SECOND)]
        ground = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5}
        self.key = axes.text(0.02, 0.02, "", fontsize=9, zorder=4, bbox=ground)
        self.moving = [self.image, self.half, self.boundary, self.eta, *self.people, self.key]

    def update(self, result):
        """Show the fit of `result`; another problem renames the axes and so redraws the background."""
        scene, plane = result.landscape, result.landscape.d == 2
        self.image.set_data(FILLS[result.decisions])
        self.boundary.set_segments(scene.boundary)
        self.eta.set_data(*scene.eta)
        for line, points in zip(self.people, scene.points, strict=True):
            line.set_data(*points.T)
        self.half.set_visible(not plane)
        self.key.set_text("fills: private rule; dashes: Bayes" + ("" if plane else "; curve: η"))
        for text, words in ((self.title, f"one private fit, {result.problem}"), (self.along, scene.axes[0]),
                            (self.across, scene.axes[1] if plane else "η(x) = P(Y = 1 | x)")):
            # Setting even the same words would redraw the background.
            if text.get_text() != words:
                text.set_text(words)


class RiskCurves:
    """Exact excess risk against n: private and not, at the chosen exponent and at fixed ones."""

    def __init__(self, axes):
        axes.set(xscale="log", xlim=PEOPLE_AXIS, ylim=(-0.01, 0.44), xlabel="people n")
        axes.set_title("exact excess risk if h = n$^{-κ}$")
        axes.plot(PEOPLE_AXIS, [0, 0], linewidth=1.2, **style.BAYES.curve)
        axes.annotate("Bayes: the best rule", (10, 0.006), fontsize=9)
        self.majority, = axes.plot([], [], linewidth=1.2, **style.REFERENCE.curve)
        self.majority_name = axes.text(PEOPLE_AXIS[1], 0, "majority label ", ha="right", va="bottom", fontsize=9,
                                       color="#6b6b6b")
        roles = [(role, style.OTHER, "private, other κ" if role == "slow" else "_") for role in SCHEDULES]
        roles += [("open", style.NON_PRIVATE, "no privacy, your κ"), ("private", style.PRIVATE, "private, your κ")]
        self.lines = {
            role: axes.plot([], [], linewidth=2.6 if role == "private" else 1.3, label=label, **look.curve)[0]
            for role, look, label in roles
        }
        self.names = {role: axes.text(0, 0, "", color=style.OTHER.colour, fontsize=9) for role in SCHEDULES}
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=10, markeredgecolor="white",
                               label="private, your n and h")
        axes.legend(loc="upper right", bbox_to_anchor=(1, 0.88))
        self.moving = [self.majority, self.majority_name, *self.lines.values(), *self.names.values(), self.here]

    def update(self, result):
        """Draw the curves of `result` and mark its n and h."""
        level = result.landscape.majority
        self.majority.set_data(PEOPLE_AXIS, [level, level])
        self.majority_name.set_position((PEOPLE_AXIS[1], level + 0.003))
        for role, line in self.lines.items():
            line.set_data(*result.curves[role])
        for role, text in self.names.items():
            people, risks = result.curves[role]
            kappa = result.landscape.schedules[role]
            # A name to the right of a long curve would leave the picture.
            text.set(text="" if kappa == result.kappa else f"κ = {kappa:.3g}", position=(people[-1], risks[-1] + 0.006),
                     horizontalalignment="right" if people[-1] > 1e6 else "left")
        self.here.set_data([result.n], [result.risk])


class Promise:
    """For which exponents kappa the theorems promise consistency, and where the slider stands."""

    def __init__(self, axes):
        axes.set(xlim=(0, 1), ylim=(0, 1), yticks=(),
                 xlabel="exponent κ: what the theorems promise, whatever the law of (X, Y) is")
        axes.grid(False)
        self.regions = [axes.axvspan(0, 1, facecolor=fill, hatch=hatch, edgecolor="white", linewidth=0)
                        for _, fill, hatch in PROMISES]
        self.names = [axes.text(0, 0.42, words, ha="center", va="center", fontsize=9) for words, _, _ in PROMISES]
        self.pointer, = axes.plot([], [], color=style.PRIVATE.colour, marker="v", markersize=12, linestyle="none",
                                  markeredgecolor="white", clip_on=False)
        self.moving = [*self.regions, *self.names, self.pointer]

    def update(self, result):
        """Move the borders 1/(2d) and 1/d and the pointer."""
        d = result.landscape.d
        edges = (0.0, 0.5 / d, 1.0 / d, 1.0)
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

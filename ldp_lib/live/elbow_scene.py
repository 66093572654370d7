"""How the panel of notebook 05 looks: four axes, each of which follows a `Result` of `ldp_lib.live.elbow`."""

import numpy as np

from ldp_lib.live import style

INVERSE = np.linspace(0, 1, 201)
"""The 1/p at which exponents are drawn."""
CENTRES = (np.arange(512) + 0.5) / 512
"""Where the estimates are drawn."""
SIZES = (1e-5, 1e3)
"""Ends of the axis of coefficients."""
RISKS = (1e-6, 1e3)
"""Ends of the axis of risk."""
LINEAR = style.PRIVATE
THRESHOLD = style.Look(style.THEOREM.colour, "-", "^")
OPEN = style.NON_PRIVATE
TRUTH = style.Look(style.INK, "-", ".")
CURVES = ((OPEN, "no privacy"), (LINEAR, "private reports"), (style.OTHER, "noise on X itself"))
"""Looks and words of the exponents, in their order."""


class Estimates:
    """The density and three estimates of it, over the density's maximum; `handles` are for a legend."""

    def __init__(self, axes):
        axes.set(xlim=(0, 1), ylim=(-0.45, 1.45), xlabel="x", yticks=(0, 0.5, 1))
        axes.set_title("density and estimates, over max f")
        axes.axhline(0, color=style.INK, linewidth=0.8)
        self.truth, = axes.plot([], [], color=TRUTH.colour, linewidth=1.3, label="density f")
        self.lines = {
            "open": axes.plot([], [], linewidth=1.2, label="linear, no privacy", **OPEN.curve)[0],
            "linear": axes.plot([], [], linewidth=1.2, label="linear, private", **LINEAR.curve)[0],
            "threshold": axes.plot([], [], linewidth=2.0, label="threshold, private", **THRESHOLD.curve)[0],
        }
        self.handles = [self.truth, self.lines["open"], self.lines["linear"], self.lines["threshold"]]
        self.moving = [self.lines["linear"], self.lines["open"], self.truth, self.lines["threshold"]]

    def update(self, result):
        """Draw the estimates of `result`."""
        self.truth.set_data(CENTRES, result.law.picture / result.law.picture.max())
        for role, line in self.lines.items():
            line.set_data(CENTRES, result.estimates[role])


class Elbows:
    """The three exponents against 1/p, their elbows, and a marker at your p."""

    def __init__(self, axes):
        axes.set(xlim=(-0.02, 1.03), ylim=(0, 0.5), yticks=np.arange(6) / 10,
                 xlabel="1/p: to the right, spikier densities belong to the class")
        axes.set_title("exponent of $\\|\\hat f - f\\|_r$ in n, or n α²; ◇ elbow")
        self.here, = axes.plot([], [], color=style.REFERENCE.colour, linewidth=1.2)
        self.lines = [axes.plot([], [], linewidth=2, label=words, **look.curve)[0] for look, words in CURVES]
        self.bends = [axes.plot([], [], color=look.colour, marker="D", markersize=6, linestyle="none",
                                markerfacecolor="white")[0] for look, _ in CURVES]
        self.dots = [axes.plot([], [], color=look.colour, marker="o", markersize=8, linestyle="none",
                               markeredgecolor="white")[0] for look, _ in CURVES]
        style.legend_below(axes, self.lines, 3)
        self.moving = [self.here, *self.lines, *self.bends, *self.dots]

    def update(self, result):
        """Draw the curves of `result`; an elbow beyond 1/p = 1 is outside the class of densities."""
        x, exponents = 1 / result.p, result.exponents
        self.here.set_data([x, x], [0, 0.5])
        for i, curve in enumerate(exponents.curves):
            bend = exponents.elbows[i]
            self.lines[i].set_data(INVERSE, curve)
            # Left of its elbow a curve is flat.
            self.bends[i].set_data([bend] if bend <= 1 else [], [curve[0]] if bend <= 1 else [])
            self.dots[i].set_data([x], [exponents.here[i]])


def _spread(sizes):
    """(level, place, size) as places on an axis on which every level has a width of 0.8."""
    level, place, size = sizes
    return level + 0.8 * (place - 0.5), size


def _segments(values):
    """A horizontal line for each level, in one path broken by NaN."""
    level = np.arange(len(values))
    x = np.stack([level - 0.42, level + 0.42, np.full(len(values), np.nan)], axis=1)
    return x.ravel(), np.repeat(values, 3)


class ByLevel:
    """True details by level, the noise on them, the thresholds, and what was kept."""

    def __init__(self, axes):
        axes.set(yscale="log", xlim=(-0.6, 8.6), ylim=SIZES, xticks=range(9),
                 xlabel="level j; within a level, from left to right in x")
        axes.set_title("|detail coefficients|: signal against noise")
        self.signal, = axes.plot([], [], color="#6b6b6b", marker="o", markersize=2.6, linestyle="none",
                                 markeredgewidth=0, label="true")
        self.kept, = axes.plot([], [], **THRESHOLD.dots, markersize=7, markeredgecolor="white", label="kept")
        self.segments = {
            "sampling": axes.plot([], [], linewidth=1.8, color=OPEN.colour, label="spread: people")[0],
            "noise": axes.plot([], [], linewidth=2.6, color=LINEAR.colour, label="spread: privacy")[0],
            "threshold": axes.plot([], [], linewidth=1.8, color=THRESHOLD.colour, label="threshold")[0],
        }
        style.legend_below(axes, [self.segments["threshold"], self.segments["noise"],
                                  self.segments["sampling"], self.kept, self.signal], 3)
        self.moving = [self.signal, *self.segments.values(), self.kept]

    def update(self, result):
        """Draw the levels of `result`; beyond J nothing is published."""
        levels = result.levels
        self.signal.set_data(*_spread(levels.signal))
        self.kept.set_data(*_spread(levels.kept))
        for name, line in self.segments.items():
            line.set_data(*_segments(getattr(levels, name)))


class RiskByLevel:
    """Exact risk of the linear estimator against J, in its parts, and the J of the theorem."""

    def __init__(self, axes):
        axes.set(yscale="log", xlim=(0.6, 9.4), ylim=RISKS, xticks=range(1, 10), xlabel="J",
                 yticks=10.0 ** np.arange(-6, 4, 2))
        axes.minorticks_off()
        axes.set_title("exact risk of the linear estimator, over ‖f‖²")
        axes.axhspan(1, RISKS[1], color="#eeeeee", zorder=0)
        axes.annotate("above 1: say 0 instead", (0.7, RISKS[1]), xytext=(0, -4), textcoords="offset points",
                      va="top", fontsize=9, color="#6b6b6b")
        self.chosen, = axes.plot([], [], linewidth=1.2, label="J of (4.2)", **style.THEOREM.curve)
        parts = {"bias": (style.OTHER.colour, (0, (1, 1)), "bias²"),
                 "sampling": (OPEN.colour, OPEN.line, "sampling"),
                 "noise": (style.REFERENCE.colour, (0, (4, 1.5)), "privacy noise")}
        self.parts = {name: axes.plot([], [], color=colour, linestyle=dashes, label=words)[0]
                      for name, (colour, dashes, words) in parts.items()}
        self.total, = axes.plot([], [], linewidth=2.6, label="risk", **LINEAR.curve)
        self.best, = axes.plot([], [], color=style.INK, marker="v", markersize=9, linestyle="none",
                               label="best J")
        self.here, = axes.plot([], [], **LINEAR.dots, markersize=11, markeredgecolor="white", label="your J")
        style.legend_below(axes, [self.total, *self.parts.values(), self.chosen, self.best, self.here], 4)
        self.moving = [self.chosen, *self.parts.values(), self.total, self.best, self.here]

    def update(self, result):
        """Draw the risks of `result`."""
        J, risks = np.arange(1, 10), result.risks
        for name, line in self.parts.items():
            line.set_data(J, getattr(risks, name))
        self.total.set_data(J, risks.total)
        self.chosen.set_data([result.chosen[0]] * 2, [RISKS[0], 1])
        self.best.set_data([J[risks.best]], [3 * risks.total[risks.best]])
        self.here.set_data([result.J], [risks.total[result.J - 1]])


class Scene:
    """Above: estimates, exponents. Below: coefficients by level, risk by level."""

    def __init__(self, figure):
        axes = figure.subplots(2, 2).ravel()
        kinds = (Estimates, Elbows, ByLevel, RiskByLevel)
        self.parts = [kind(place) for kind, place in zip(kinds, axes, strict=True)]
        style.legend_below(axes[0], self.parts[0].handles, 2)
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)

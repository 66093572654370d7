"""How the panel of notebook 03 looks: two axes, each of which follows a `Result` of
`ldp_lib.live.upper_rate`."""

import numpy as np

from ldp_lib.live import style

RISKS = (1e-8, 1.0)
"""Ends of the left axis of risk."""
PEOPLE_AXIS = (700, 4e12)
"""Ends of the axis of n."""
VALUES = (1e-11, 1e3)
"""Ends of the right axis; what is larger than 1 bounds nothing."""
CURVES = {
    "printed": ("printed upper bound",
                {"color": style.THEOREM.colour, "linestyle": (0, (1, 1.2)), "linewidth": 1.8}),
    "sharp": ("sharper upper bound", {**style.THEOREM.curve, "linewidth": 1.6}),
    "worst": ("exact, worst width", {**style.PRIVATE.curve, "linewidth": 2.6}),
    "tuned": ("exact, tuned hypercube", {**style.PRIVATE.curve, "linewidth": 1.2}),
    "lower": ("lower bound, every rule", {**style.OTHER.curve, "linewidth": 1.8}),
}
"""Field of `Rates` -> words of the legend and how the curve is drawn, from the top of the picture to the
bottom."""
START, BELOW = 1e7, 100.0
"""Reference lines begin at this n, by this factor below the line of the tuned hypercube."""


class Compromise:
    """Exact risk against the bandwidth, the sides of bias and noise; `handles` are for a legend."""

    def __init__(self, axes):
        axes.set(xscale="log", yscale="log", xlim=(2**-3.15, 2**3.15), ylim=RISKS,
                 xlabel="h, in multiples of the theorem's h", ylabel="exact excess risk",
                 xticks=[2.0**k for k in range(-3, 4)],
                 xticklabels=["1/8", "1/4", "1/2", "1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_title("one n, all bandwidths")
        theorem = axes.axvline(1, linewidth=1.2, label="theorem's h", **style.THEOREM.curve)
        self.noise, = axes.plot([], [], color=style.REFERENCE.colour, linewidth=1.8, linestyle=(0, (4, 1.5)),
                                label="noise: wide bumps")
        self.bias, = axes.plot([], [], color=style.NON_PRIVATE.colour, linewidth=1.8, linestyle=(0, (1, 1)),
                               label="bias: narrow bumps")
        self.worst, = axes.plot([], [], linewidth=2.8, label="the larger of the two", **style.PRIVATE.curve)
        self.best, = axes.plot([], [], color=style.INK, marker="v", markersize=9, linestyle="none",
                              label="best h")
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=11, markeredgecolor="white",
                              label="your h")
        self.handles = [self.worst, self.noise, self.bias, self.here, self.best, theorem]
        self.moving = [self.noise, self.bias, self.worst, self.best, self.here]

    def update(self, result):
        """Draw the curves of `result`; they end where no hypercube fits."""
        sweep = result.sweep
        for line, values in ((self.noise, sweep.noise), (self.bias, sweep.bias), (self.worst, sweep.worst)):
            line.set_data(sweep.multiple, np.where(values > 0, values, np.nan))
        place = [sweep.best] if len(sweep.multiple) else []
        self.best.set_data(sweep.multiple[place], 1.45 * sweep.worst[place])
        self.here.set_data([result.multiple], [result.risk])


class AgainstPeople:
    """Exact risks and bounds against n, the slopes with and without privacy, and a dot at your n and h."""

    def __init__(self, axes):
        axes.set(xscale="log", yscale="log", xlim=PEOPLE_AXIS, ylim=VALUES, xlabel="people n")
        axes.set_title("all n, the theorem's h")
        axes.axhspan(1, VALUES[1], color="#eeeeee", zorder=0)
        # On the left the printed bound is far above 1: 98 at n = 10^6 where it is least.
        axes.annotate("above 1: says nothing", (PEOPLE_AXIS[0], 1), xytext=(4, 3),
                      textcoords="offset points", va="bottom", fontsize=9, color="#6b6b6b")
        self.lines = {name: axes.plot([], [], label=words, **look)[0]
                      for name, (words, look) in CURVES.items()}
        slopes = ((style.REFERENCE, "slope with privacy"), (style.NON_PRIVATE, "slope without"))
        self.slopes = [axes.plot([], [], linewidth=1.2, label=words, **look.curve)[0]
                       for look, words in slopes]
        places = (("#6b6b6b", 3, "left", "bottom"), (style.NON_PRIVATE.colour, -4, "right", "top"))
        self.names = [axes.annotate("", (1, 1), xytext=(0, away), textcoords="offset points", fontsize=9,
                                    color=colour, ha=side, va=edge)
                      for colour, away, side, edge in places]
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=11, markeredgecolor="white",
                              label="your n and h")
        style.legend_below(axes, [*self.lines.values(), *self.slopes, self.here], 3)
        self.moving = [*self.lines.values(), *self.slopes, *self.names, self.here]

    def update(self, result):
        """Draw the curves of `result`; the reference lines start together below the tuned hypercube."""
        for name, line in self.lines.items():
            people, values = getattr(result.rates, name)
            line.set_data(people, np.where(values > 0, values, np.nan))
        people, tuned = result.rates.tuned
        level = tuned[-1] * (people[-1] / START) ** result.exponents[0] / BELOW
        ends = np.array([START, people[-1]])
        for line, name, exponent in zip(self.slopes, self.names, result.exponents, strict=True):
            values = level * (ends / START) ** -exponent
            line.set_data(ends, values)
            name.xy = ends[1] / 30, values[1] * 30**exponent
            name.set_text(f"$n^{{-{exponent:.3f}}}$")
        self.here.set_data([result.n], [result.risk])


class Scene:
    """Left: one n, all bandwidths. Right: all n, the theorem's bandwidth."""

    def __init__(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
        self.parts = Compromise(left), AgainstPeople(right)
        style.legend_below(left, self.parts[0].handles, 2)
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)

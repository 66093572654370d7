"""How the laboratory looks: the audit's climb, the bits of outputs, and how many betray their input.

Budgets are drawn in units of the claimed alpha, so that no axis moves with a slider.
"""

import math
import textwrap

import numpy as np
from matplotlib.colors import ListedColormap

from . import style

ROWS = 8
"""Outputs of either noise whose bits are shown."""
LEAST, INFINITE = 1 / 16, 128
"""Where bounds of alpha/16 and less, and infinite ones, are drawn, in units of alpha."""

HIGHEST_PLACE, LOWEST_PLACE = 6, -63
"""Bits are shown from 2^6 to 2^-63."""
FINEST = -53
"""Outputs of the input 1 are multiples of 2^-53 (see `precision_attack`)."""
INSIDE, ZERO, ONE, TELLTALE = range(4)
"""What a place of a number may be: finer than the float can say, 0, 1, or a 1 that the input 1 forbids."""
BITS = ListedColormap(["white", "#dfe6ec", style.INK, style.THEOREM.colour])


def bits(values):
    """The places HIGHEST_PLACE, ..., LOWEST_PLACE of floats (m,): kinds, (m, places)."""
    mantissa, exponent = np.frexp(np.abs(values))
    whole = (mantissa * 2.0**53).astype(np.int64)[:, None]
    place = np.arange(HIGHEST_PLACE, LOWEST_PLACE - 1, -1)
    shift = place - (exponent[:, None] - 53)
    ones = whole >> np.clip(shift, 0, 62) & 1
    kinds = np.where(ones == 1, np.where(place < FINEST, TELLTALE, ONE), ZERO)
    return np.where(shift < 0, INSIDE, kinds)


class Climb:
    """What n reports prove about the budget."""

    def __init__(self, axes):
        axes.set(title="Audit: budget that n reports prove", xscale="log", yscale="log", xlim=(80, 125_000),
                 ylim=(LEAST / 2, INFINITE * 1.5), xlabel="reports $n$ of each person and half, simulated")
        axes.set_yticks((LEAST, 0.25, 0.5, 1, 2, 4, 16, INFINITE),
                        ("0", "α/4", "α/2", "α", "2α", "4α", "16α", "∞"))
        axes.minorticks_off()
        axes.axhspan(1, INFINITE * 1.5, color=style.REGIONS[1], linewidth=0, alpha=0.45)
        axes.axhline(1, **style.THEOREM.curve)
        words = {"fontsize": 9, "va": "top"}
        axes.text(90, 35, "dotted: the most that $n$ reports can prove", **words)
        axes.text(90, 24, "above the claim α: refuted", color=style.THEOREM.colour, **words)
        axes.text(90, LEAST / 1.25, "below α: nothing is proved", color=style.THEOREM.colour, **words)
        self.wrong = axes.text(90, 105, "", **words)
        self.event = axes.text(90, 51, "", color=style.PRIVATE.colour, **words)
        self.most, = axes.plot([], [], color=style.REFERENCE.colour, linewidth=1.3, linestyle=(0, (1, 1.5)))
        self.loss, = axes.plot([], [], linewidth=1.5, **style.BAYES.curve)
        self.path, = axes.plot([], [], markersize=5, marker="o", **style.PRIVATE.curve)
        self.here, = axes.plot([], [], marker="o", markersize=11, color=style.PRIVATE.colour,
                               markeredgecolor="white")
        self.loss_name = axes.text(115_000, 1, "", color=style.INK, fontsize=10, va="bottom", ha="right")
        self.moving = [self.most, self.loss, self.path, self.here, self.loss_name, self.wrong, self.event]

    def update(self, result):
        """Show the bounds up to n, and the true loss if it is known."""
        heights = np.clip(result.bounds / result.alpha, LEAST, INFINITE)
        self.path.set_data(result.people, heights)
        self.here.set_data(result.people[-1:], heights[-1:])
        self.most.set_data(result.people, np.maximum(result.ceilings / result.alpha, LEAST))
        self.wrong.set_text(textwrap.fill(f"wrong: {result.wrong}", 60))
        self.event.set_text(f"event: {result.event}")
        true = min(result.loss / result.alpha, INFINITE) if not math.isnan(result.loss) else math.nan
        self.loss.set_data((80, 125_000), (true, true))
        self.loss_name.set_visible(not math.isnan(true))
        if not math.isnan(true):
            self.loss_name.set_position((115_000, true * 1.06))
            self.loss_name.set_text("true loss: " + {INFINITE: "∞", 1: "α"}.get(true, f"{true:.3g} α"))


class Bits:
    """The first outputs of the input 0, in binary: a row each, the textbook's above and ours below."""

    def __init__(self, axes):
        left, right = HIGHEST_PLACE + 0.5, LOWEST_PLACE - 0.5
        axes.set(title="Attacks: outputs of $x = 0$ in binary", ylim=(-0.6, 2 * ROWS + 0.6),
                 xlim=(left, right - 20), xlabel="dark 1, light 0, orange: a 1 that $x = 1$ cannot have")
        axes.set_xticks((0, -20, -40, FINEST), ("1", "$2^{-20}$", "$2^{-40}$", "$2^{-53}$"))
        axes.set_yticks((ROWS / 2 - 0.5, 1.5 * ROWS + 0.5), ("ours", "textbook"), rotation=90, va="center")
        axes.tick_params(left=False)
        axes.grid(False)
        line = axes.axvline(FINEST - 0.5, linewidth=1.3, **style.THEOREM.curve)
        self.image = axes.imshow([[0]], cmap=BITS, vmin=0, vmax=3, interpolation="nearest", aspect="auto",
                                 zorder=1, extent=(left, right, -0.5, 2 * ROWS + 0.5))
        self.height = np.concatenate([np.arange(ROWS) + ROWS + 1, np.arange(ROWS)])
        places = (right - 4, right - 15)
        for place, text in zip(places, ("not 1", "it was 0")):
            axes.annotate(text, (place, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom",
                          fontsize=9)
        self.places = places
        common = {"linestyle": "none", "markersize": 5.5, "color": style.THEOREM.colour}
        self.marks = [axes.plot([], [], **common, **look)[0]
                      for look in ({"marker": "x", "markeredgewidth": 2}, {"marker": "D"})]
        self.moving = [self.image, line, *self.marks]

    def update(self, result):
        """Show the bits, and which outputs prove what."""
        both = result.textbook, result.ours
        kinds = [bits(attacked.outputs) for attacked in both]
        gap = np.full((1, kinds[0].shape[1]), INSIDE)
        rows = np.concatenate([kinds[1], gap, kinds[0]])
        # Three lines of a row and a white one keep neighbours apart.
        lines = np.stack([rows, rows, rows, np.full_like(rows, INSIDE)], axis=1)
        self.image.set_data(lines.reshape(-1, rows.shape[1])[::-1])
        for mark, place, proofs in zip(self.marks, self.places, ("excluded", "exposed")):
            proved = np.concatenate([getattr(attacked, proofs) for attacked in both])
            height = self.height[proved]
            mark.set_data(np.full(height.size, place), height)


class Betrayed:
    """How many of all outputs give their input away."""

    WORDS = ("textbook: not 1", "textbook: it was 0", "ours: not 1", "ours: it was 0")

    def __init__(self, axes):
        axes.set(title="Share of outputs that prove it (black: exact)", xlim=(0, 1.15), ylim=(-0.6, 3.6),
                 xticks=(0, 0.25, 0.5, 0.75, 1))
        axes.set_xticklabels(("0", "25%", "50%", "75%", "100%"))
        axes.set_yticks((3, 2, 1, 0), self.WORDS)
        axes.grid(False, axis="y")
        colours = (style.THEOREM.colour,) * 2 + (style.PRIVATE.colour,) * 2
        self.bars = [axes.plot([], [], linewidth=9, solid_capstyle="butt", color=colour)[0]
                     for colour in colours]
        self.exact, = axes.plot([], [], color=style.INK, marker="|", markersize=15, markeredgewidth=2)
        self.counts = [axes.text(0, height, "", va="center", fontsize=10, color=colour)
                       for height, colour in zip((2.97, 1.97, 0.97, -0.03), colours)]
        self.moving = [*self.bars, self.exact, *self.counts]

    def update(self, result):
        """Show the shares under both attacks."""
        for height, share, bar, count in zip((3, 2, 1, 0), (*result.textbook.rates, *result.ours.rates),
                                             self.bars, self.counts):
            bar.set_data((0, share), (height, height))
            count.set_position((share + 0.02, height))
            count.set_text(f"{share:.1%}" if share else "0")
        self.exact.set_data([result.exposure], [2])


class Scene:
    """The audit on the left; bits and shares on the right."""

    def __init__(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.1), height_ratios=(2.1, 1))
        self.parts = [Climb(figure.add_subplot(grid[:, 0])), Bits(figure.add_subplot(grid[0, 1])),
                      Betrayed(figure.add_subplot(grid[1, 1]))]
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Show `result` in all three."""
        for part in self.parts:
            part.update(result)

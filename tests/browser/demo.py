"""A small panel for the tests of the engine and of the browser harness, and for the latency benchmark.

It has what the real ones have: an image with a contour and 500 points, log-log curves with a moving
marker, a slider over decades, a linear one, a dropdown and a checkbox; and a position that fails.
"""

from typing import NamedTuple

import contourpy
import numpy as np
from matplotlib.collections import LineCollection

from ldp_lib.live import Control, LivePanel, log_steps, style

CELLS = 64
GRID = np.linspace(0, 1, CELLS)
POINTS = np.random.default_rng(1).random((500, 2))
PEOPLE = np.logspace(2, 7, 40)


class Ripples(NamedTuple):
    """A field (64, 64), its rates (40,) at `PEOPLE` and the rate at the marker."""

    field: np.ndarray
    shown: np.ndarray
    rates: np.ndarray
    n: float
    rate: float


class Scene:
    """Left the field and its zero line, right the rates."""

    def __init__(self, figure):
        left, right = figure.subplots(1, 2)
        style.unit_square(left)
        left.set(title="Sign of the field", xlabel="$x_1$", ylabel="$x_2$")
        edges = np.linspace(0, 1, CELLS + 1)
        self.image = left.pcolormesh(edges, edges, np.zeros((CELLS, CELLS)), cmap="RdBu", vmin=-2, vmax=2)
        self.zero = LineCollection([], colors=style.INK, linewidths=1.5)
        left.add_collection(self.zero)
        self.points, = left.plot([], [], markersize=3, **style.FIRST.dots)
        right.set(xscale="log", yscale="log", xlim=(1e2, 1e7), ylim=(1e-4, 1), xlabel="people n",
                  ylabel="excess risk", title="Rate")
        self.curve, = right.plot([], [], **style.PRIVATE.curve)
        self.marker, = right.plot([], [], markersize=10, **style.SECOND.dots)
        style.level(right, 0.5, "majority", style.REFERENCE)
        self.moving = [self.image, self.zero, self.points, self.curve, self.marker]

    def update(self, ripples):
        self.image.set_array(ripples.field)
        self.zero.set_segments(contourpy.contour_generator(GRID, GRID, ripples.field).lines(0.0))
        self.points.set_data(ripples.shown.T)
        self.curve.set_data(PEOPLE, ripples.rates)
        self.marker.set_data([ripples.n], [ripples.rate])


class Demo(LivePanel):
    """Ripples whose frequency falls with privacy; shape "broken" fails."""

    title = "Ripples"
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.1, 10.0, 20), 1.0, "{:.3g}", "nats per person"),
        Control("n", "people", "n", log_steps(100, 10**7, 4), 10**4, "{:,}", "all of them"),
        Control("shape", "shape", "", ("sum", "product", "broken"), "sum"),
        Control("points", "show points", "", (False, True), True),
    )
    scene = Scene

    @staticmethod
    def compute(alpha, n, shape, points):
        if shape == "broken":
            raise ArithmeticError("this shape always fails")
        x, y = np.meshgrid(GRID, GRID)
        left = np.sin(2 * np.pi * (1 + alpha / 3) * x + n ** 0.1)
        right = np.cos(2 * np.pi * (1 + alpha / 5) * y)
        field = left + right if shape == "sum" else 2 * left * right
        return Ripples(field, POINTS if points else POINTS[:0], 0.5 / (1 + alpha * PEOPLE ** 0.4), n,
                       0.5 / (1 + alpha * n ** 0.4))

    def conclude(self, ripples):
        return f"With {ripples.n:,} people the rate is {ripples.rate:.4f}."

    def summarise(self, ripples):
        return [("people", f"{ripples.n:,}"), ("shown", f"{len(ripples.shown)}"),
                ("rate", f"{ripples.rate:.5f}"), ("positive", f"{np.mean(ripples.field > 0):.3f}")]

"""A small panel for the tests of the engine and of the browser harness, and for the latency benchmark.

It has every kind of mark and of control, a handle on either axis, scenes, and a position that fails.
"""

import time
from typing import NamedTuple

import numpy as np

from ldp_lib.live import Control, LivePanel, Scene, log_steps
from ldp_lib.stage.picture import (
    Axes, Picture, arrow, band, bars, cells, dots, handle, line, linear, log, polygon, rule, step, text,
)

CELLS = 64
GRID = np.linspace(0, 1, CELLS)
POINTS = np.random.default_rng(1).random((500, 2))
PEOPLE = np.logspace(2, 7, 40)


class Ripples(NamedTuple):
    """A field (64, 64), its rates (40,) at `PEOPLE` and the rate at the marker."""

    field: np.ndarray
    shown: np.ndarray
    rates: np.ndarray
    rate: float


class Demo(LivePanel):
    """Ripples whose frequency falls with privacy; shape "broken" fails, "slow" takes a second."""

    name = "demo"
    title = "Ripples"
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.1, 10.0, 20), 1.0, "{:.3g}", "nats per person"),
        Control("n", "people", "n", log_steps(100, 10**7, 4), 10**4, "{:,}", "all of them"),
        Control("shape", "shape", "", ("sum", "product", "slow", "broken"), "sum"),
        Control("points", "show points", "", (False, True), True),
    )
    scenes = (
        Scene("start", "Ten thousand people.", controls=("n",)),
        Scene("many", "Ten million people.", {"n": 10**7}, ("n",), ("rate",)),
        Scene("more privacy", "The same with alpha = 0.1.", {"alpha": 0.1}, ("alpha",)),
    )

    @staticmethod
    def compute(alpha, n, shape, points):
        if shape == "broken":
            raise ArithmeticError("this shape always fails")
        if shape == "slow":
            time.sleep(1.0)
        x, y = np.meshgrid(GRID, GRID)
        left = np.sin(2 * np.pi * (1 + alpha / 3) * x + n ** 0.1)
        right = np.cos(2 * np.pi * (1 + alpha / 5) * y)
        field = 2 * left * right if shape == "product" else left + right
        return Ripples(field, POINTS if points else POINTS[:0], 0.5 / (1 + alpha * PEOPLE ** 0.4),
                       0.5 / (1 + alpha * n ** 0.4))

    @staticmethod
    def draw(ripples):
        unit, half = linear(0, 1, 0.5), ripples.rates / 2
        edges = np.linspace(0, 1, 9)
        heights = ripples.field[0, ::8]
        return Picture((
            (Axes("field", unit, unit, "Sign of the field", "x₁", "x₂", (
                cells("sign", ripples.field > 0, ("zero", "one"), labels=("negative", "positive")),
                dots("points", *ripples.shown.T, "first", size=3, label="points"),
                polygon("triangle", [0.1, 0.3, 0.2], [0.1, 0.1, 0.3], "bound", label="triangle"),
                arrow("arrow", 0.9, 0.1, 0.7, 0.3, "truth"),
                text("word", 0.9, 0.1, "here", anchor="end", dy=10),
            ), square=True, grid=False),),
            (Axes("rate", log(1e2, 1e7), log(1e-4, 1), "Rate", "people n", "excess risk", (
                band("band", PEOPLE, ripples.rates - half / 2, ripples.rates + half / 2, "private",
                     label="within 25%"),
                rule("majority", "reference", y=0.5, label="majority"),
                line("curve", PEOPLE, ripples.rates, "private", label="rate", width=3),
                dots("marker", [ripples.n], [ripples.rate], "second", label="here", size=13,
                     handle=handle("n")),
            ), high=2), Axes("row", unit, linear(-2, 2, 1), "First row", "", "", (
                bars("bars", edges[:-1], edges[1:], np.minimum(heights, 0), np.maximum(heights, 0), "open",
                     label="mean"),
                step("step", edges, np.append(heights, heights[-1]), "bound", label="steps"),
            ))),
        ))

    def conclude(self, ripples):
        return f"With {ripples.n:,} people the rate is {ripples.rate:.4f}."

    def summarise(self, ripples):
        return [("people", f"{ripples.n:,}"), ("shown", f"{len(ripples.shown)}"),
                ("rate", f"{ripples.rate:.5f}"), ("positive", f"{np.mean(ripples.field > 0):.3f}")]

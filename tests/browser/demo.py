"""A small panel for the tests of the engine and of the browser harness, and for the latency benchmark.

It has every kind of mark and of control, a handle on either axis, scenes, and a position that fails.
"""

import time

import numpy as np

from ldp_lib.live import Control, LivePanel, Scene, log_steps
from ldp_lib.stage import Shown, view
from ldp_lib.stage.picture import (
    Axes, arrow, band, bars, cells, dots, handle, line, linear, log, polygon, rule, step, text,
)

CELLS = 64
GRID = np.linspace(0, 1, CELLS)
POINTS = np.random.default_rng(1).random((500, 2))
PEOPLE = np.logspace(2, 7, 40)


ALPHA = Control("alpha", "privacy", "α", log_steps(0.1, 10.0, 20), 1.0, "{:.3g}", "nats per person")
COUNT = Control("n", "people", "n", log_steps(100, 10**7, 4), 10**4, "{:,}", "all of them")
SHAPE = Control("shape", "shape", "", ("sum", "product", "slow", "broken"), "sum")
SHOWN = Control("points", "show points", "", (False, True), True)


@view(ALPHA, COUNT, SHAPE, SHOWN)
def ripples(alpha, n, shape, points):
    """A field whose frequency falls with privacy, its rates at `PEOPLE` and the rate at the marker."""
    if shape == "broken":
        raise ArithmeticError("this shape always fails")
    if shape == "slow":
        time.sleep(1.0)
    x, y = np.meshgrid(GRID, GRID)
    left = np.sin(2 * np.pi * (1 + alpha / 3) * x + n ** 0.1)
    right = np.cos(2 * np.pi * (1 + alpha / 5) * y)
    field = 2 * left * right if shape == "product" else left + right
    shown = POINTS if points else POINTS[:0]
    rates, rate = (0.5 / (1 + alpha * people ** 0.4) for people in (PEOPLE, n))
    unit, quarter, edges, heights = linear(0, 1, 0.5), rates / 4, np.linspace(0, 1, 9), field[0, ::8]
    sign = Axes("field", unit, unit, "Sign of the field", "x₁", "x₂", (
        cells("sign", field > 0, ("zero", "one"), labels=("negative", "positive")),
        dots("points", *shown.T, "first", size=3, label="points"),
        polygon("triangle", [0.1, 0.3, 0.2], [0.1, 0.1, 0.3], "bound", label="triangle"),
        arrow("arrow", 0.9, 0.1, 0.7, 0.3, "truth"),
        text("word", 0.9, 0.1, "here", anchor="end", dy=10),
    ), square=True, grid=False)
    curve = Axes("rate", log(1e2, 1e7), log(1e-4, 1), "Rate", "people n", "excess risk", (
        band("band", PEOPLE, rates - quarter, rates + quarter, "private", label="within 25%"),
        rule("majority", "reference", y=0.5, label="majority"),
        line("curve", PEOPLE, rates, "private", label="rate", width=3),
        dots("marker", [n], [rate], "second", label="here", size=13, handle=handle("n")),
    ), high=2)
    row = Axes("row", unit, linear(-1, 1, 1), "First row", "", "", (
        bars("bars", edges[:-1], edges[1:], np.minimum(heights, 0), np.maximum(heights, 0), "open",
             label="mean"),
        step("step", edges, np.append(heights, heights[-1]), "bound", label="steps"),
    ))
    return Shown((sign, (curve, row)), f"With {n:,} people the rate is {rate:.4f}.",
                 [("people", f"{n:,}"), ("shown", f"{len(shown)}"), ("rate", f"{rate:.5f}"),
                  ("positive", f"{np.mean(field > 0):.3f}")])


class Demo(LivePanel):
    """Ripples; shape "broken" fails, "slow" takes a second."""

    name = "demo"
    title = "Ripples"
    view = ripples
    scenes = (
        Scene("start", "Ten thousand people.", ripples, controls=("n",)),
        Scene("many", "Ten million people.", ripples, {"n": 10**7}, ("n",), ("rate",)),
        Scene("more privacy", "The same with alpha = 0.1.", ripples, {"alpha": 0.1}, ("alpha",)),
    )

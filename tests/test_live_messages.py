"""A browser is not trusted: it sets positions and the pixel ratio, within their ranges, and nothing else."""

import asyncio
import logging
import math
import sys
import threading
import time
from pathlib import Path

import ipywidgets
import pytest

from ldp_lib.live.stage import Stage

sys.path.insert(0, str(Path(__file__).parent / "browser"))
from demo import Demo  # noqa: E402

BAD = [
    None, -1, 20.5, 10**9, 10**400, -1.5, 0.99, 2.01, 1e308, math.nan, math.inf, "", "1.5", "\ud800",
    "9" * 10**6, [], [1.5], [[]] * 10**5, {}, {"ratio": 1.5}, "IPY_MODEL_nothing",
]

def receive(widget, content):
    """Hand a message from the browser to `widget`, which prints what is wrong with it, as in a notebook."""
    widget._handle_msg({"content": {"data": content}, "buffers": []})


def update(widget, **state):
    receive(widget, {"method": "update", "state": state, "buffer_paths": []})


def parts(widget):
    """Yield `widget` and whatever hangs on it: children, layouts, styles."""
    yield widget
    for name in widget.keys:
        value = getattr(widget, name)
        for below in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(below, ipywidgets.Widget):
                yield from parts(below)


@pytest.fixture
def demo(monkeypatch, caplog):
    """A panel at its first picture, whose sharp pictures do not wait; ipywidgets' complaints are not kept."""
    caplog.set_level(logging.CRITICAL, "traitlets")
    monkeypatch.setattr("ldp_lib.live.engine.SETTLE_AFTER", 0)
    return Demo()


def state(panel):
    return {(part.model_id, name): value for part in parts(panel) for name, value in part.get_state().items()}


def test_bad_values_change_nothing_and_cost_no_picture(demo, monkeypatch):
    drawn = []
    real = Stage.draw
    monkeypatch.setattr(Stage, "draw", lambda self, ratio=1.0: drawn.append(ratio) or real(self, ratio))
    before = state(demo)
    widgets = list(parts(demo))
    assert len(widgets) >= 18

    async def attack():
        for widget in widgets:
            for name in widget.keys:
                for value in BAD:
                    update(widget, **{name: value})
            assert state(demo) == before, widget
        await asyncio.sleep(0.1)

    asyncio.run(attack())
    assert (drawn, demo.frames, demo.errors) == ([], 1, 0)
    demo.set(n=100)
    assert demo.frames == 2 and demo.failure is None


@pytest.mark.parametrize("content", [
    None, [], "update", {}, {"method": "update", "state": None, "buffer_paths": []},
    {"method": "update", "state": [["ratio", 20]], "buffer_paths": []},
    {"method": "update", "state": {"ratio": 1}, "buffer_paths": [["ratio", "x", 10**9]]},
    {"method": "custom", "content": None}, {"method": "custom", "content": [["ask"]]},
    {"method": "custom", "content": {"ask": {"whole": 1}}}, {"method": "custom"}, {"method": "destroy"},
], ids=str)
def test_messages_without_sense_leave_the_panel_alive(demo, content):
    before = state(demo)
    for widget in parts(demo):
        receive(widget, content)
    assert state(demo) == before
    demo.set(n=100)
    assert (demo.frames, demo.errors) == (2, 0)


def test_what_a_browser_does_set_is_taken(demo):
    alpha, n, shape, points = demo._inputs.values()
    update(alpha, index=0)
    update(n, index=0)
    update(shape, index=1)
    update(points, value=False)
    assert demo.values == {"alpha": 0.1, "n": 100, "shape": "product", "points": False}
    assert demo.frames == 5
    for ratio in (2, 1.02):
        update(demo._screen, ratio=ratio)
        assert demo._screen.ratio == ratio


def test_a_position_is_taken_whatever_comes_with_it(demo):
    n = demo._inputs["n"]
    update(n, index=0, _options_labels=["none"], description="hacked", invented=1)
    assert demo.values["n"] == 100
    assert n.description == "people n" and len(n._options_labels) > 1


class Pausing(Demo):
    """A panel whose `compute` waits at its second position until `moved` is set, at most a second."""

    moved = threading.Event()

    @staticmethod
    def compute(alpha, n, shape, points):
        if (alpha, n) == (1.0, 100):
            Pausing.moved.wait(1)
        return Demo.compute(alpha=alpha, n=n, shape=shape, points=points)


def test_the_last_position_shows_though_messages_come_on_two_threads():
    """Jupyter hands them to a thread of their own, or to the one in which the cell ran."""
    panel = Pausing()
    first = threading.Thread(target=update, args=(panel._inputs["n"],), kwargs={"index": 0})
    first.start()
    while panel._inputs["n"].value != 100:
        time.sleep(0.001)
    update(panel._inputs["alpha"], index=0)
    Pausing.moved.set()
    first.join()
    assert panel.values["alpha"] == 0.1
    assert panel.frames == 3
    assert panel._screen.alt == panel.static(n=100, alpha=0.1).alt
    assert panel._screen.readout == [list(pair) for pair in panel.summarise(panel.compute(n=100, alpha=0.1))]

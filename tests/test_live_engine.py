"""The live engine, headless: pictures exact, errors loud, memory flat."""

import asyncio
import base64
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from ldp_lib.live import PANELS, Control, LivePanel, corners, log_steps, panel
from ldp_lib.live.stage import SpriteRenderer, Stage

from viewer import Viewer, decoded

sys.path.insert(0, str(Path(__file__).parent / "browser"))
from demo import Demo, Scene  # noqa: E402


@pytest.fixture
def demo():
    return Demo()


@pytest.mark.parametrize("ratio", [1.0, 1.5])
def test_frame_equals_full_draw(ratio):
    """After many moves, a frame over the background is, pixel for pixel, the figure drawn from nothing."""
    stage = Stage(Scene, Demo.size)
    for setting in corners(Demo):
        if setting["shape"] != "broken":
            stage.update(Demo.compute(**setting))
            stage.draw()
    frame = stage.draw(ratio).copy()
    assert stage.captures == (1 if ratio == 1 else 2)
    figure = stage.release("")
    figure.dpi = 100 * ratio
    figure.canvas.draw()
    np.testing.assert_array_equal(frame, np.asarray(figure.canvas.buffer_rgba()))


def test_sharp_frames_leave_the_moving_ones_as_they_were():
    stage = Stage(Scene, Demo.size)
    stage.update(Demo.compute())
    before = stage.draw().copy()
    assert stage.draw(1.5).shape == (630, 1500, 4)
    assert stage.draw(2.0).shape == (840, 2000, 4)
    np.testing.assert_array_equal(stage.draw(), before)
    assert stage.captures == 3


class Retitled(Scene):
    """A scene that changes something static."""

    def __init__(self, figure):
        super().__init__(figure)
        self.title = figure.axes[0].set_title("people", loc="right")

    def update(self, ripples):
        super().update(ripples)
        self.title.set_text(f"{ripples.n} people")


def test_a_static_change_is_drawn():
    stage = Stage(Retitled, Demo.size)
    stage.update(Demo.compute(n=100))
    first = stage.draw().copy()
    stage.update(Demo.compute(n=1000))
    second = stage.draw().copy()
    assert stage.captures == 2
    assert (first[:30] != second[:30]).any(), "the title stands in the uppermost rows"
    stage.update(Demo.compute(n=100))
    np.testing.assert_array_equal(stage.draw(), first)


def test_picture_readout_and_name_follow_the_controls(demo):
    viewer = Viewer(demo)
    before = viewer.picture
    demo.set(n=100, alpha=10.0)
    assert demo.values == {"alpha": 10.0, "n": 100, "shape": "sum", "points": True}
    assert demo.readout.startswith("people: 100; shown: 500; rate: ")
    assert demo._screen.alt.startswith("With 100 people")
    assert (viewer.picture != before).any()
    demo.reset()
    np.testing.assert_array_equal(viewer.picture, before)
    assert set(demo.timings) == {"compute", "draw", "encode"}


def test_several_values_make_one_frame_and_no_change_none(demo):
    assert demo.frames == 1
    demo.set(alpha=0.1, n=100, shape="product")
    assert demo.frames == 2
    demo.set(alpha=0.1)
    assert demo.frames == 2


def test_picture_text_and_readout_travel_in_one_message(demo, monkeypatch):
    sent = []
    monkeypatch.setattr(type(demo._screen), "send_state", lambda self, key=None: sent.append(set(key)))
    demo.set(n=100)
    assert sent == [{"frame", "number", "alt", "readout"}]


@pytest.mark.parametrize("setting", [s for s in corners(Demo) if s["shape"] != "broken"], ids=str)
def test_corners_draw(demo, setting):
    demo.set(**setting)
    assert demo.failure is None


def test_corners_are_all_there():
    settings = corners(Demo)
    assert settings[0] == Demo.completed()
    assert len(settings) == 1 + 2 * 2 * 3 * 2
    assert {setting["n"] for setting in settings} == {100, 10**4, 10**7}


def test_a_step_sends_what_changed_and_a_late_view_gets_the_whole(demo):
    viewer = Viewer(demo)
    first = len(demo._screen.frame)
    demo.set(n=178)
    assert len(demo._screen.frame) < first
    demo._screen._handle_custom_msg({"ask": "something else"}, [])
    assert demo.frames == 2
    demo._screen._handle_custom_msg({"ask": "whole"}, [])
    np.testing.assert_array_equal(decoded(demo._screen.frame), viewer.picture)
    canvas = demo.static(n=178).canvas
    canvas.draw()
    np.testing.assert_array_equal(np.asarray(canvas.buffer_rgba())[:, :, :3], viewer.picture)


def test_failures_show_with_their_cause_and_leave_the_picture(demo):
    demo.strict = False
    picture = demo._screen.frame
    demo.set(shape="broken", n=100)
    assert demo.errors == 1
    assert isinstance(demo.failure, ArithmeticError)
    words = "ArithmeticError: this shape always fails\nat privacy α = 1, people n = 100"
    assert demo._screen.error.startswith(words)
    assert "in compute" in demo._screen.traceback
    assert demo._screen.frame == picture
    demo.set(shape="product")
    assert demo._screen.error == ""
    assert demo.failure is None


def test_failures_are_raised_when_strict(demo):
    demo.strict = True
    with pytest.raises(ArithmeticError, match="always fails"):
        demo.set(shape="broken")
    assert demo.values["shape"] == "broken", "the control stays where it was put"


def test_compute_completes_and_refuses():
    np.testing.assert_array_equal(Demo.compute(n=10**4).field, Demo.compute().field)
    with pytest.raises(TypeError, match="Demo has no control beta; its controls are alpha, n, shape, points"):
        Demo.compute(beta=1)


def test_set_refuses_positions_off_the_grid(demo):
    with pytest.raises(ValueError, match=r"n = 101 is not a position of its control; choose one of 100, 178"):
        demo.set(n=101)
    assert demo.frames == 1


def test_control_refusals():
    with pytest.raises(ValueError, match="default = 3 is not one of its values"):
        Control("d", "dimension", "d", (1, 2), 3)
    with pytest.raises(ValueError, match="the same text"):
        Control("h", "bandwidth", "h", (0.11, 0.12), 0.11, "{:.1f}")


def test_log_steps():
    assert log_steps(1.0, 10.0, 3) == (1.0, 2.15, 4.64, 10.0)
    assert log_steps(0.05, 20.0, 2) == (0.05, 0.1, 0.316, 1.0, 3.16, 10.0, 20.0)
    assert log_steps(100, 10**4, 2) == (100, 316, 1000, 3160, 10**4)
    with pytest.raises(ValueError, match="0 < low < high"):
        log_steps(0, 1, 3)


def test_static_figure_shows_itself(demo):
    figure = demo.static(n=100)
    data, metadata = figure._repr_mimebundle_()
    assert metadata["image/png"] == {"alt": data["text/plain"], "width": 1000, "height": 420}
    assert data["text/plain"].startswith("With 100 people")
    assert decoded(base64.b64decode(data["image/png"])).shape == (630, 1500, 3)


def test_static_figure_is_the_live_picture(demo):
    """At the default position, where the layout of the panel is solved, the two agree pixel for pixel."""
    canvas = demo.static().canvas
    canvas.draw()
    np.testing.assert_array_equal(np.asarray(canvas.buffer_rgba())[:, :, :3], decoded(demo._screen.frame))


def test_the_display_bundle_reads_without_a_kernel(demo):
    data, metadata = demo._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    np.testing.assert_array_equal(decoded(base64.b64decode(data["image/png"])), decoded(demo._screen.frame))
    assert metadata["image/png"]["alt"] == demo._screen.alt


def test_one_sharp_frame_after_rest(demo, monkeypatch):
    monkeypatch.setattr("ldp_lib.live.engine.SETTLE_AFTER", 0.02)

    viewer = Viewer(demo)

    async def move():
        demo._screen.ratio = 1.5
        for n in (100, 1000, 10**5):
            demo.set(n=n)
            assert viewer.picture.shape == (420, 1000, 3)
        await asyncio.sleep(0.2)

    asyncio.run(move())
    assert viewer.picture.shape == (630, 1500, 3)
    assert demo.frames == 1 + 3 + 1


def test_at_rest_the_frame_needs_none_before_it(demo, monkeypatch):
    """On an ordinary screen; nothing follows a failure, or a frame that is whole already."""
    monkeypatch.setattr("ldp_lib.live.engine.SETTLE_AFTER", 0.02)
    demo.strict = False
    viewer = Viewer(demo)

    async def move():
        demo.set(n=178)
        assert demo._screen.frame[:4] == b"TILE"
        await asyncio.sleep(0.1)
        np.testing.assert_array_equal(decoded(demo._screen.frame), viewer.picture)
        assert demo.frames == 3
        demo._screen.ratio = 1.04
        await asyncio.sleep(0.1)
        demo._screen.ratio = 2.0
        demo.set(shape="broken")
        await asyncio.sleep(0.1)

    asyncio.run(move())
    assert demo.frames == 3


def test_after_a_failure_the_display_bundle_holds_the_picture_that_is_shown(demo, monkeypatch):
    demo.strict = False
    before = demo._repr_mimebundle_()
    monkeypatch.setattr(demo, "conclude", lambda result: 1 / 0)
    demo.set(n=100)
    assert demo.failure is not None
    assert demo._repr_mimebundle_() == before


class Stillborn(Demo):
    """A panel that fails where it starts."""

    strict = False

    @staticmethod
    def compute(alpha, n, shape, points):
        raise ArithmeticError("never")


def test_a_panel_that_fails_at_once_says_so():
    panel = Stillborn()
    assert panel._screen.error.startswith("ArithmeticError: never")
    data, metadata = panel._repr_mimebundle_()
    assert "image/png" not in data and metadata == {}


class Small(Demo):
    """The same panel, smaller: what a frame leaves behind does not depend on its size."""

    size = (3.0, 1.3)


def test_two_thousand_frames_leave_no_memory_behind():
    small = Small()
    positions = Small.controls[0].values
    for alpha in positions:
        small.set(alpha=alpha)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for step in range(2000):
            small.set(alpha=positions[step % len(positions)])
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert small.frames >= 2000
    # Half a kilobyte a frame.
    assert grown < 2**20


def test_registry_lists_its_names():
    with pytest.raises(ValueError, match="'ldp_check', 'laboratory', 'consistency'"):
        panel("nothing")
    assert all(target.count(":") == 1 for target in PANELS.values())


def test_a_panel_must_say_what_it_computes():
    class Empty(LivePanel):
        strict = True
        scene = Scene

    with pytest.raises(NotImplementedError, match="static method compute"):
        Empty()
    with pytest.raises(TypeError, match="must be a @staticmethod"):
        type("Impure", (LivePanel,), {"compute": lambda self: None})


@pytest.mark.parametrize("words, ismath", [("Agjpq 0.299", False), ("$e^{\\alpha}$", True)])
def test_kept_text_has_the_pixels_of_agg(words, ismath):
    plain, kept = RendererAgg(200, 100, 100), SpriteRenderer(200, 100, 100)
    for renderer in (plain, kept, kept):
        renderer.clear()
        renderer.draw_text(renderer.new_gc(), 50, 50, words, FontProperties(), 0, ismath)
    assert np.asarray(plain.buffer_rgba())[..., 3].any()
    np.testing.assert_array_equal(kept.buffer_rgba(), plain.buffer_rgba())


def test_texts_that_no_longer_show_are_not_kept_for_ever():
    renderer = SpriteRenderer(200, 100, 100)
    for number in range(3 * SpriteRenderer.KEPT):
        renderer.draw_text(renderer.new_gc(), 50, 50, str(number), FontProperties(), 0)
    assert len(renderer._sprites) <= SpriteRenderer.KEPT

"""The browser's half of a panel alone, on frames that come late, in a burst, not at all, or after its end."""

import base64
from pathlib import Path

import numpy as np
import pytest

import ldp_lib.live
from ldp_lib.live.frames import FrameStream

from viewer import decoded

SOURCE = (Path(ldp_lib.live.__file__).parent / "screen.js").read_text()
MODEL = """
window.model = {
    state: {width: 70, height: 50, frame: new DataView(new ArrayBuffer(0)), number: 0, alt: "", readout: [],
            error: "", traceback: "", labels: [], ratio: 1, title: "panel"},
    handlers: {"change:number": new Set(), "change:error": new Set()},
    questions: [],
    get(name) { return this.state[name]; },
    on(event, handler) { this.handlers[event].add(handler); },
    off(event, handler) { this.handlers[event].delete(handler); },
    send(question) { this.questions.push(question); },
    receive(frame, number, alt) {
        const bytes = Uint8Array.from(atob(frame), letter => letter.charCodeAt());
        Object.assign(this.state, {frame: new DataView(bytes.buffer), number, alt});
        for (const handler of this.handlers["change:number"]) handler();
    },
};
"""


class Kernel:
    """Pictures on their way to a view in `page`, named by their numbers."""

    def __init__(self, page):
        self._page, self._stream, self._rng = page, FrameStream(), np.random.default_rng(0)
        self.pixels = np.full((50, 70, 4), 255, np.uint8)
        self.frames = []
        page.evaluate(MODEL)

    def move(self, rows=8, columns=9):
        """Draw the next picture; a few pixels of the one before change."""
        self.pixels[:rows, :columns, :3] = self._rng.integers(0, 256, (rows, columns, 3))
        self._add(self._stream.pack(self.pixels))

    def resize(self, height, width):
        self.pixels = np.full((height, width, 4), 255, np.uint8)
        self.move()

    def whole(self):
        """Answer a question."""
        self._add(self._stream.whole())

    def _add(self, frame):
        self.frames.append([base64.b64encode(frame).decode(), self._stream.number, f"{self._stream.number}"])

    def send(self, frames):
        """All of them at once."""
        self._page.evaluate("frames => frames.forEach(frame => model.receive(...frame))", frames)


@pytest.fixture
def kernel(page):
    page.goto("about:blank")
    return Kernel(page)


def open_view(page):
    page.evaluate("""async source => {
        const {default: {render}} = await import(`data:text/javascript;base64,${source}`);
        const el = document.body.appendChild(document.createElement("div"));
        window.close = render({model, el});
        window.canvas = el.querySelector("canvas");
        window.said = [];
        new MutationObserver(() => said.push(canvas.getAttribute("aria-label")))
            .observe(canvas, {attributeFilter: ["aria-label"]});
    }""", base64.b64encode(SOURCE.encode()).decode())


def questions(page):
    """Those asked so far, when all frames have been dealt with."""
    page.wait_for_timeout(100)
    asked = page.evaluate("model.questions")
    assert all(question == {"ask": "whole"} for question in asked)
    return len(asked)


def check_shown(page, kernel):
    page.wait_for_function("canvas.getAttribute('aria-label') === model.get('alt')")
    png = page.evaluate("canvas.toDataURL()").partition(",")[2]
    np.testing.assert_array_equal(decoded(base64.b64decode(png)), kernel.pixels[..., :3])


def test_a_burst_is_drawn_in_its_order(page, kernel):
    kernel.move()
    kernel.send(kernel.frames)
    open_view(page)
    check_shown(page, kernel)
    for _ in range(4):
        kernel.move()
    kernel.resize(75, 105)
    kernel.resize(50, 70)
    for _ in range(4):
        kernel.move()
    page.evaluate("said.length = 0")
    kernel.send(kernel.frames[1:])
    check_shown(page, kernel)
    assert questions(page) == 0
    assert page.evaluate("said") == ["11"], "the words are never ahead of the picture"


def test_a_late_view_asks_once_and_again_when_the_answer_is_lost(page, kernel):
    page.clock.install()
    for _ in range(3):
        kernel.move()
    kernel.send(kernel.frames)
    open_view(page)
    assert questions(page) == 1
    kernel.move()
    kernel.send(kernel.frames[-1:])
    assert questions(page) == 1, "the answer is on its way"
    page.clock.fast_forward(2000)
    kernel.whole()  # and is lost
    kernel.move()
    kernel.send(kernel.frames[-1:])
    assert questions(page) == 2
    kernel.whole()
    kernel.send(kernel.frames[-1:])
    check_shown(page, kernel)
    kernel.move()
    kernel.send(kernel.frames[-1:])
    check_shown(page, kernel)
    kernel.move()  # lost
    kernel.move()
    kernel.send(kernel.frames[-1:])
    assert questions(page) == 3, "it has been answered, so that another question need not wait"


def test_a_browser_that_cannot_unpack_sees_whole_frames(page, kernel):
    kernel.move()
    kernel.send(kernel.frames)
    open_view(page)
    page.evaluate("delete window.DecompressionStream")
    for asked in (1, 2):
        kernel.move()
        kernel.send(kernel.frames[-1:])
        assert questions(page) == asked
        kernel.whole()
        kernel.send(kernel.frames[-1:])
        check_shown(page, kernel)


def test_a_view_may_close_while_it_unpacks(page, kernel):
    failures = []
    page.on("pageerror", lambda failure: failures.append(failure))
    kernel.move()
    kernel.send(kernel.frames)
    open_view(page)
    kernel.move()
    kernel.move()
    page.evaluate("frames => { frames.forEach(frame => model.receive(...frame)); window.close(); }",
                  kernel.frames[1:])
    assert questions(page) == 0
    assert page.evaluate("Object.values(model.handlers).map(handlers => handlers.size)") == [0, 0]
    assert failures == []

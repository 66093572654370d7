"""Live panels: a picture and a readout that follow their sliders within a few hundredths of a second.

A panel is written in three parts, none of which sees a widget::

    class Result(NamedTuple):
        x: np.ndarray
        y: np.ndarray

    class Scene:                                   # how it looks: see `ldp_lib.live.stage`
        def __init__(self, figure): ...            # axes and everything that stands still
        def update(self, result): ...              # move the artists in `self.moving` to a result

    class Wave(LivePanel):
        title = "A wave and its frequency"
        controls = (
            Control("frequency", "frequency", "f", log_steps(1, 100, 10), 10, "{:.3g}", "cycles per unit"),
            Control("shape", "shape", "", ("sine", "square"), "sine"),
        )
        scene = Scene

        @staticmethod
        def compute(frequency, shape):             # what is true: pure, below 15 ms, returns a NamedTuple
            ...

        def conclude(self, result):                # what the picture says, for people who do not see it
            return f"The wave crosses zero {len(result.x)} times."

        def summarise(self, result):               # the numbers under the picture
            return [("zeros", f"{len(result.x)}")]

In a notebook `panel("wave")` shows it.  Everywhere else `wave.compute(frequency=3)` and
`wave.static(frequency=3)` give the same numbers and the same picture without a browser; controls
that are not mentioned stand at their defaults.

Rules that keep a panel fast and honest

* `compute` is pure.  Keep tables that depend on the problem only in a cache; draw random numbers from
  a fixed seed, common to all slider positions, so that the picture moves and does not flicker.
* `update` changes only the artists in `moving`.
* What goes wrong in `compute` or `update` is shown in the panel with the values that caused it; the
  picture before it stays.  With `LivePanel.strict` (environment `LDP_LIVE_STRICT=1`) it is raised as well.
"""

import asyncio
import functools
import os
import threading
import time
import traceback

import ipywidgets
import threadpoolctl

from .control import Control, log_steps, position  # noqa: F401  what a panel's module needs, from one place
from .frames import FrameStream, pack_png
from .screen import Screen, take_only
from .stage import DPI, Stage, image_bundle

SETTLE_AFTER = 0.4
"""Seconds of rest after which the picture is sent whole, at the pixel ratio of the screen."""

BESIDE = 240
"""CSS pixels of a window's height that controls, readout and the bars of JupyterLab need."""

WIDEST = 1400
"""CSS pixels: beyond this a picture only grows coarse."""

WORTH_SHARPENING = 1.05
"""Below this pixel ratio a sharp frame could not be told from the moving one."""


class LivePanel(ipywidgets.VBox):
    """A picture that follows its controls; the module's docstring shows how to write one.

    Class attributes of a panel: `title`, `controls`, `scene`, `size` (inches at 100 pixels each) and the
    methods `compute`, `conclude` and `summarise`.

    Attributes
    ----------
    frames, errors : int
        Pictures sent, and callbacks that failed, since the panel was made.
    timings : dict
        Milliseconds of the last frame: `compute`, `draw`, `encode`.
    failure : Exception or None
        What went wrong at the current position; None after a good frame.
    """

    title = ""
    controls = ()
    scene = None
    size = (10.0, 4.2)
    strict = os.environ.get("LDP_LIVE_STRICT") == "1"

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        compute = cls.__dict__.get("compute")
        if compute is None:
            return
        if not isinstance(compute, staticmethod):
            raise TypeError(f"{cls.__name__}.compute must be a @staticmethod: it never sees a widget.")
        cls.compute = _with_defaults(compute.__func__)

    def __init__(self):
        # On two cores the spinning threads of BLAS and OpenMP take their time from the browser.
        threadpoolctl.threadpool_limits(limits=1)
        self.frames = self.errors = 0
        self.timings = {}
        self.failure = None
        # Jupyter may hand the messages of one panel to several threads.
        self._turn = threading.RLock()
        self._pending = None
        self._gathering = False
        self._stage = Stage(self.scene, self.size)
        self._stream = FrameStream()
        self._inputs = {control.name: control.widget() for control in self.controls}
        for widget in self._inputs.values():
            widget.observe(self._moved, "value")
        button = ipywidgets.Button(description="reset", tooltip="back to the first picture",
                                   layout={"width": "auto"})
        button.on_click(lambda _: self.reset())
        width, height = (round(inches * DPI) for inches in self.size)
        self._screen = Screen(title=self.title, width=width, height=height, labels=[
            control.described(self._inputs[control.name]) for control in self.controls
        ])
        self._screen.observe(lambda _: self._settle_later(), "ratio")
        # A view that opens later, or has lost a frame, cannot use the tiles that changed since.
        self._screen.on_ask(self._show_whole)
        bar = ipywidgets.Box([*self._inputs.values(), button])
        bar.add_class("ldp-controls")
        super().__init__([bar, self._screen])
        # All of the panel fits into the window, unless the window is too low for the picture's natural size.
        high = f"(100vh - {BESIDE}px) * {width / height:.3f}"
        self.layout.max_width = f"min({WIDEST}px, max({width}px, {high}))"
        self.add_class("ldp-panel")
        positions = {widget: position(widget) for widget in self._inputs.values()}
        take_only(positions | {self._screen: ["ratio"], self: [], bar: [], button: []}, self._turn)
        self._follow()

    # What a panel says; the subclass answers.

    def compute(self, **values):
        """Return what is true at `values`, as a NamedTuple; pure.  Missing values are the defaults."""
        raise NotImplementedError(f"{type(self).__name__} needs a static method compute.")

    def conclude(self, result):
        """Return the sentence that the picture of `result` says: its text alternative."""
        raise NotImplementedError(f"{type(self).__name__} needs a method conclude.")

    def summarise(self, result):
        """Return the readout of `result`: a list of pairs (label, text)."""
        raise NotImplementedError(f"{type(self).__name__} needs a method summarise.")

    # What others ask of it.

    @classmethod
    def completed(cls, **params):
        """Return `params` with the defaults of the controls that it leaves out; refuse unknown names."""
        defaults = {control.name: control.default for control in cls.controls}
        unknown = params.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"{cls.__name__} has no control {', '.join(sorted(unknown))}; "
                            f"its controls are {', '.join(defaults)}.")
        return defaults | params

    def static(self, **params):
        """Return the picture at `params` as a figure of its own, which shows itself in a notebook."""
        result = self.compute(**params)
        stage = Stage(self.scene, self.size)
        stage.update(result)
        return stage.release(self.conclude(result))

    @property
    def values(self):
        """The current position of every control, a dict."""
        return {name: widget.value for name, widget in self._inputs.items()}

    def set(self, **values):
        """Move several controls at once, with one new picture at the end."""
        self.completed(**values)
        for control in self.controls:
            if control.name in values and values[control.name] not in control.values:
                raise ValueError(f"{control.name} = {values[control.name]!r} is not a position of its "
                                 f"control; choose one of {', '.join(control.texts)}.")
        with self._turn:
            before = self.values
            if before | values == before:
                return
            self._gathering = True
            try:
                for name, value in values.items():
                    self._inputs[name].value = value
            finally:
                self._gathering = False
            self._follow()

    def reset(self):
        """Move every control to its default."""
        self.set(**self.completed())

    @property
    def readout(self):
        """The current readout as text."""
        return "; ".join(f"{label}: {text}" for label, text in self._screen.readout)

    def _repr_mimebundle_(self, **keywords):
        data = super()._repr_mimebundle_(**keywords)
        if not self.frames:  # the first position failed already: the error is all there is to see
            return data, {}
        picture, metadata = image_bundle(pack_png(self._stream.picture, level=9), self._screen.alt, self.size)
        return data | picture, metadata

    # How it moves.

    def _moved(self, change):
        if not self._gathering:
            self._follow()

    def _follow(self):
        """Show the current position; if that fails, say so in the panel and keep the picture before it."""
        self._rest()
        values = self.values
        try:
            start = time.perf_counter()
            result = self.compute(**values)
            computed = time.perf_counter()
            self._stage.update(result)
            said = {"alt": self.conclude(result), "readout": [list(pair) for pair in self.summarise(result)]}
            pixels = self._stage.draw()
            drawn = time.perf_counter()
            frame = self._stream.pack(pixels)
        except Exception as failure:
            self._report(failure, values)
            return
        encoded = time.perf_counter()
        self.failure = None
        self._show(frame, error="", **said)
        self.timings = {
            "compute": 1e3 * (computed - start),
            "draw": 1e3 * (drawn - computed),
            "encode": 1e3 * (encoded - drawn),
        }
        self._settle_later()

    def _report(self, failure, values):
        """Show `failure` and the `values` that caused it; raise it as well when `strict`."""
        self.errors += 1
        self.failure = failure
        where = ", ".join(
            f"{control.title} = {control.text(values[control.name])}" for control in self.controls
        )
        self._publish(error=f"{type(failure).__name__}: {failure}\nat {where}",
                      traceback="".join(traceback.format_exception(failure)))
        if self.strict:
            raise failure

    def _publish(self, **state):
        """Send everything that changes in one message."""
        with self._screen.hold_sync():
            for name, value in state.items():
                setattr(self._screen, name, value)

    def _show(self, frame, **said):
        """Send a frame and what is `said` with it."""
        self._publish(frame=frame, number=self._stream.number, **said)
        self.frames += 1

    def _settle_later(self):
        """Send the picture whole and sharp once nothing has moved for a while, if there is need of it."""
        self._rest()
        sharper = self._screen.ratio >= WORTH_SHARPENING
        if self.failure is not None or not (sharper or self._stream.patched):
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # No event loop, no browser: a script or a test moves the panel.
            return
        self._pending = loop.call_later(SETTLE_AFTER, self._show_whole, sharper)

    def _show_whole(self, sharper=False):
        """Leave a frame that needs none before it: what is saved with a notebook, or opened again."""
        with self._turn:
            self._show(self._stream.pack(self._stage.draw(self._screen.ratio)) if sharper
                       else self._stream.whole())

    def _rest(self):
        """Forget the whole frame that is waiting."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None


def _with_defaults(compute):
    """Return the pure function `compute` as a class method in which controls have their defaults."""

    @functools.wraps(compute)
    def completed(cls, **params):
        return compute(**cls.completed(**params))

    return classmethod(completed)

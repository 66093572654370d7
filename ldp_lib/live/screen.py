"""The screen of a live panel: a canvas, a readout and an error box in the browser.

The picture, its text alternative, the readout and the error travel in one message and change together.
The browser's half is `screen.js`; it unpacks a frame away from the page and draws it when it is ready, one
after the other, so that no frame is ever blank and the last one always shows.
"""

import functools
import pathlib

import anywidget
import traitlets

_HERE = pathlib.Path(__file__).parent

SHARPEST = 2.0
"""The largest pixel ratio: beyond it nobody sees a difference, and a picture costs its square."""


class Screen(anywidget.AnyWidget):
    """The browser's view of a panel; `LivePanel` sets its traits inside `hold_sync`."""

    _esm = _HERE / "screen.js"
    _css = _HERE / "screen.css"

    title = traitlets.Unicode(help="accessible name of the whole panel").tag(sync=True)
    width = traitlets.Int(help="CSS pixels of the picture at its natural size").tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    frame = traitlets.Bytes(help="the newest frame, whole or what changed: see `frames`").tag(sync=True)
    number = traitlets.Int(help="of the newest frame").tag(sync=True)
    alt = traitlets.Unicode(help="accessible name of the picture: what it says").tag(sync=True)
    readout = traitlets.List(help="pairs (label, text)").tag(sync=True)
    error = traitlets.Unicode(help="shown until the next good frame").tag(sync=True)
    traceback = traitlets.Unicode().tag(sync=True)
    labels = traitlets.List(help="of the controls: see `Control.described`").tag(sync=True)
    ratio = traitlets.Float(1.0, help="set by the browser: its pixels per picture pixel").tag(sync=True)

    @traitlets.validate("ratio")
    def _check_ratio(self, proposal):
        if not 1.0 <= proposal.value <= SHARPEST:  # NaN neither
            raise traitlets.TraitError(f"ratio = {proposal.value!r} is not between 1 and {SHARPEST:g}.")
        return proposal.value

    def on_ask(self, answer):
        """Call `answer()` whenever a view says that it needs a whole frame."""
        self.on_msg(lambda _, content, __: answer() if content == {"ask": "whole"} else None)


def take_only(settable, turn):
    """Let a browser set the traits `settable[widget]` of each widget and nothing else.

    ipywidgets lets it set all that is sent to it: options, children, even the program of a widget.  None,
    to ipywidgets "no position", is not taken either.  The lock `turn` is held meanwhile.
    """
    for widget, names in settable.items():
        widget.set_state = functools.partial(_take, widget.set_state, names, turn)
        for part in {"layout", "style"} & set(widget.keys):
            getattr(widget, part).set_state = lambda state: None


def _take(set_state, names, turn, state):
    with turn:
        set_state({name: state[name] for name in names if state.get(name) is not None})

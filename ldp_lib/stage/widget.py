"""Live panels: a picture and a readout that follow their controls within a display frame.

What a panel shows is a `Story`, plain data; `widget` makes the class that shows it in a notebook. A picture
of one view without scenes of its own is a subclass with a `view`::

    class Wave(LivePanel):
        name = "wave"                              # its key in `ldp_lib.live.PANELS`
        title = "A wave and its frequency"
        view = wave                                # a function of its controls, that returns what is `Shown`
        scenes = (Scene("faster", "Twice as many.", wave, {"frequency": 20.0}),)

In a notebook `panel("wave")` shows it, `panel("wave", frequency=20)` at another position. Everywhere else
`kind("wave").show(frequency=3)` and `kind("wave").static(frequency=3)` give the same without a browser;
controls that are not mentioned stand at their defaults.

How a press becomes a picture: the view makes a `Picture`, `deck.pack` packs it, `LivePanel._serve`
sends it, and `ldp_lib/stage/browser/draw.js` draws the pixels. The browser has the states along every
slider before anybody touches one: a deck of them goes with the panel. A press on a known state is drawn
there and then, whatever the kernel does. The kernel is told, and sends the neighbours of the new position
ahead, one slice after the other, on a thread of its own (`_WORKER`), so that nothing is computed twice at
once and the newest wish always goes first. A state that is not known is asked for. In plain Python, where
there is no browser, none is made for one.

Rules: views are pure and may run beside a cell, in another thread; `scene` has the others. What goes wrong is
shown in the panel with the values that caused it, and the picture before it stays.
"""

import asyncio
import collections
import concurrent.futures
import ctypes
import functools
import html
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Iterable
from pathlib import Path

import anywidget
import comm
import threadpoolctl
import traitlets

from . import still, theme
from .control import address, with_defaults
from .deck import Failure, State, pack
from .picture import signed
from .scene import Shown, Story
from .table import table

_BROWSER = Path(__file__).parent / "browser"
_MODULES = ("deck", "store", "draw", "table", "notes", "panel", "story")

AHEAD_AT_ONCE = 0.6
"""Seconds that a new panel spends on the states along its sliders before it is shown."""
SLICE = 0.012
"""Seconds of work on states that nobody has asked for yet, before somebody else has a turn."""
MOST_SENT = 1200
"""States; the browser keeps some more than that, and forgets the oldest."""

FRAME = """<iframe src="{source}" title="{title}" loading="lazy"
        style="width: 100%; height: 680px; border: 0"></iframe>
<script>
addEventListener("message", ({{ source, data }}) => {{
  const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source);
  if (frame && data?.ldpHeight > 0) frame.style.height = `${{Math.ceil(data.ldpHeight)}}px`;
}});
</script>"""
"""A panel in somebody else's page: what is in it says how high it is."""


class _Turns(concurrent.futures.Executor):
    """Python in a browser has no threads: what is submitted runs at later turns of the event loop."""

    def submit(self, task, *arguments):
        asyncio.get_event_loop().call_soon(task, *arguments)


_WORKER = _Turns() if sys.platform == "emscripten" else concurrent.futures.ThreadPoolExecutor(1, "ldp-panel")
"""Makes all states that are asked for after a panel's first picture."""


def browser_half(*host: Path) -> str:
    """The browser's half as one script: its parts, in order, without the lines that join them.

    host : the last parts, which know where the panel lives: in a notebook, or in a page without a kernel.
    """
    parts = (*(_BROWSER / f"{name}.js" for name in _MODULES), *host)
    lines = (line for part in parts for line in part.read_text(encoding="utf-8").splitlines()
             if not line.startswith("import "))
    return "\n".join(line.removeprefix("export ") if not line.startswith("export default") else line
                     for line in lines)


def _has_browser():
    """Whether a kernel or another host has put its `create_comm` in the place of one that tells nobody."""
    return comm.create_comm.__module__ != comm.__name__


class LivePanel(anywidget.AnyWidget):
    """A picture that follows its controls.

    Class attributes of a panel: `name`, `title`, `view` and its `controls`, `scenes`, `version` (of its
    controls, part of its addresses) and `size` (inches of the still picture).

    Attributes
    ----------
    values : dict
        Where the controls stand.
    link : str
        The address of that.
    readout : str
        The numbers under the picture.
    failure : Failure or None
        What went wrong at the present position.
    remarks : list of str
        What was wrong with the address or the position that was asked for first.

    Examples
    --------
    >>> from ldp_lib.live import panel
    >>> consistency = panel("consistency/2?scene=explore&alpha=0.5")
    >>> isinstance(consistency, LivePanel), consistency.values["alpha"], consistency.remarks
    (True, 0.5, [])
    """

    name = "panel"
    title = ""
    version = 1
    view = None
    controls = ()
    scenes = ()
    size = (10.0, 4.6)

    _esm = browser_half(_BROWSER / "widget.js")
    _css = (_BROWSER / "panel.css").read_text(encoding="utf-8") + theme.css()

    key = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict(help="what does not move: names, positions, scenes, looks").tag(sync=True)
    deck = traitlets.Bytes(help="the states that the browser has from the start").tag(sync=True)
    place = traitlets.Tuple(help="the index of every control's position").tag(sync=True)
    moves = traitlets.Int(help="how often the kernel moved the controls").tag(sync=True)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "view" in cls.__dict__:
            cls.controls = cls.view.controls
        if "scenes" in cls.__dict__ and cls.controls:
            cls._check_scenes()

    @classmethod
    def _check_scenes(cls):
        """ValueError if a scene stands, plays or leads where a control has no position."""
        known = {control.name: control for control in cls.controls}
        for scene in cls.scenes:
            asked = [*scene.moves.items(), *(scene.ask.then.items() if scene.ask else ())]
            asked += [(scene.play[0], stop) for stop in scene.play[1]] if scene.play else []
            for name, value in asked:
                if name not in known:
                    raise ValueError(f"{cls.name}, scene {scene.name!r}: there is no control {name!r}; the "
                                     f"controls are {', '.join(known)}.")
                if value not in known[name].values:
                    raise ValueError(f"{cls.name}, scene {scene.name!r}: {name} = {value!r} is no position "
                                     f"of its control; choose one of {', '.join(known[name].texts)}.")

    def __init__(self, values: dict[str, object] | None = None, remarks: Iterable[str] = ()) -> None:
        """A panel that stands at `values`, completed by defaults; `remarks` are shown in it."""
        # On two cores the spinning threads of BLAS and OpenMP take their time from the browser.
        threadpoolctl.threadpool_limits(limits=1)
        values, self.remarks = self.position(**(values or {})), list(remarks)
        self._computing = threading.Lock()
        self._latest = (None, None)
        self._wishes = collections.deque(maxlen=1)
        self._ahead, self._turn = collections.deque(), 0
        self._begun, self._sent = frozenset(), set()
        start = self._last_wish = self._place(values)
        key = uuid.uuid4().hex
        super().__init__(model_id=key, key=key, spec=self._specification(), place=start)
        self.observe(lambda change: self._wish(change["new"]), "place")
        self.on_msg(self._told)

    # What others ask of it.

    @classmethod
    def show(cls, **position: object) -> Shown:
        """What is shown where controls stand at `position`; those that are not named at their defaults."""
        if cls.view is None:
            raise NotImplementedError(f"{cls.__name__} needs a view.")
        return cls.view.show(**cls.position(**position))

    @classmethod
    def position(cls, **params: object) -> dict[str, object]:
        """Return `params` with the defaults of the controls that it leaves out; refuse unknown names."""
        return with_defaults(cls.__name__, cls.controls, params)

    @classmethod
    def starts(cls) -> dict[str, dict[str, object]]:
        """The position of every scene, name -> values; each begins where the scene before it stands."""
        values, found = cls.position(), {}
        for scene in cls.scenes:
            values = cls.position(**values | scene.moves)
            found[scene.name] = values
        return found

    @classmethod
    def start(cls, asked: dict[str, object]) -> dict[str, object]:
        """Where controls stand that an address does not name; `asked` is what it names. The defaults."""
        return cls.position()

    @classmethod
    def reachable(cls, values: dict[str, object],
                  asked: Iterable[str]) -> tuple[dict[str, object], list[str]]:
        """The position nearest to `values` that a hand can reach, and what is not as was `asked` for."""
        return values, []

    @classmethod
    def reach(cls) -> list[tuple[dict[str, object], tuple[str, ...]]]:
        """What a hand can reach: pairs of a position and the names of controls that can be moved there."""
        return [(cls.position(), tuple(control.name for control in cls.controls))]

    def static(self, **params: object) -> object:
        """Return the picture at `params` as a matplotlib figure, which shows itself in a notebook."""
        from .figure import render  # matplotlib is loaded by those who ask for it

        shown = self.show(**params)
        return render(shown.picture, shown.says, self.size)

    def numbers(self) -> dict:
        """The numbers of the present picture: the key of each axes -> a pandas `DataFrame`.

        A row is a point, a bar or an area; "series" is its name in the key. Places are numbers as the ticks
        tell them, or names of ticks. `attrs["title"]` says what is seen.

        >>> from ldp_lib.live import panel
        >>> panel("price").numbers()["price"].columns[0]
        'series'
        """
        import pandas  # who looks at pictures does not wait for it

        made = {}
        for axes in self.show(**self.values).picture.axes:
            caption, heads, rows = table(axes)
            made[axes.key] = pandas.DataFrame(rows, columns=list(heads))
            made[axes.key].attrs["title"] = caption
        return made

    @property
    def values(self) -> dict[str, object]:
        """Where the controls stand, a dict."""
        return self._values(self.place)

    @property
    def link(self) -> str:
        """The address of the present state."""
        return address(self, self.values)

    @property
    def readout(self) -> str:
        """The numbers under the picture, as text; "" where something went wrong."""
        state = self._state(self.place)
        return "; ".join(f"{label}: {text}" for label, text in getattr(state, "readout", ()))

    @property
    def failure(self) -> Failure | None:
        """What went wrong at the present position, or None."""
        state = self._state(self.place)
        return state if isinstance(state, Failure) else None

    def embed(self, site: str = "") -> None:
        """Print the frame that shows the present state in another page, as high as it needs to be.

        site : where the built pages stand, such as "https://example.org/privacy/"; "" for the same folder.
        """
        name, _, query = self.link.partition("?")
        source = f"{site.rstrip('/') + '/' if site else ''}embed/{name.partition('/')[0]}.html"
        source += f"#{query}" if query else ""
        print(FRAME.format(source=html.escape(source), title=html.escape(self.title)))

    def set(self, **values: object) -> None:
        """Move several controls at once, with one new picture at the end."""
        self.position(**values)
        for control in self.controls:
            if control.name in values and values[control.name] not in control.values:
                raise ValueError(f"{control.name} = {values[control.name]!r} is not a position of its "
                                 f"control; choose one of {', '.join(control.texts)}.")
        with self.hold_sync():
            self.place = self._place(self.values | values)
            self.moves += 1

    def reset(self) -> None:
        """Move every control to its default."""
        self.set(**self.position())

    def go(self, scene: str) -> None:
        """Move to the scene of this name."""
        found = self.starts()
        if scene not in found:
            raise ValueError(f"scene = {scene!r:.60} is unknown; "
                             f"choose one of {', '.join(map(repr, found))}.")
        self.set(**found[scene])

    def _repr_mimebundle_(self, **keywords):
        """The still picture; the browser's half moves in where it stands as soon as both are there."""
        return self._bundle(self._still(self._state(self.place), self.title))

    def _still(self, state, title):
        """The still picture of a state in HTML, or what went wrong."""
        if isinstance(state, Failure):
            return f"<p>{html.escape(state.error)}</p>"
        return still.image(state, title, self.size)

    def _bundle(self, pictures):
        """What a notebook shows without the browser's half: pictures, and the present state in words.

        In Colab each output is a page of its own, into which only a widget's view brings the browser's half.
        """
        if "google.colab.output" in sys.modules:
            return super()._repr_mimebundle_()
        state = self._state(self.place)
        words = state.error if isinstance(state, Failure) else state.alt
        opened = f'<div class="ldp-still ldp-still-{self.key}" data-link="{html.escape(self.link)}">'
        return {"text/html": f"{opened}{pictures}</div>", "text/plain": words}

    # Positions and states.

    def _place(self, values):
        return tuple(control.values.index(values[control.name]) for control in self.controls)

    def _values(self, place):
        return {control.name: control.values[index] for control, index in zip(self.controls, place)}

    def _specification(self):
        return {
            "title": self.title, "start": list(self._place(self.position())), "roles": theme.looks(),
            "controls": [{"name": control.name, "label": control.title, "help": control.help,
                          "kind": control.kind, "texts": list(control.texts),
                          "values": list(control.values) if control.kind == "slider" else []}
                         for control in self.controls],
            "scenes": [{"name": scene.name, "sentence": scene.sentence, "controls": list(scene.controls),
                        "axes": list(scene.axes), "at": list(self._place(values))}
                       for scene, values in zip(self.scenes, self.starts().values())],
            "remark": " ".join(self.remarks),
        }

    def _state(self, place):
        """The `State` or `Failure` of a position; the last one is kept."""
        with self._computing:
            if self._latest[0] == place:
                return self._latest[1]
            values = self._values(place)
            try:
                shown = self.show(**values)
                readout = tuple((label, signed(text)) for label, text in shown.numbers)
                state = State(shown.picture, signed(shown.says), readout)
            except Exception as failure:
                state = self._failed(place, failure)
            self._latest = place, state
            return state

    def _made(self, ahead, seconds):
        """The states of the first places of `ahead`, a deque, until the time is over or somebody wishes."""
        made, deadline = {}, time.perf_counter() + seconds
        while ahead and not self._wishes and time.perf_counter() < deadline:
            at = ahead.popleft()
            state = self._state(at)
            if isinstance(state, State):
                made[at] = state
        return made

    def _failed(self, place, failure):
        values = self._values(place)
        where = ", ".join(f"{control.title} = {control.text(values[control.name])}"
                          for control in self.controls)
        return Failure(f"{type(failure).__name__}: {failure}\nat {where}",
                       "".join(traceback.format_exception(failure)))

    def _lines(self, place, first=None):
        """The positions along every slider from `place`, nearest first; the control `first` before others."""
        ahead = sorted((control.name != first, abs(index - place[k]), k, -index)
                       for k, control in enumerate(self.controls) if control.kind != "choice"
                       for index in range(len(control.values)) if index != place[k])
        return [(*place[:k], -turned, *place[k + 1:]) for _, _, k, turned in ahead]

    # The browser's wishes.

    @traitlets.default("deck")
    def _first(self):
        """Made when it is sent: in plain Python never."""
        at = self.place
        known = {at: self._state(at)} | self._made(collections.deque(self._lines(at)), AHEAD_AT_ONCE)
        self._begun = frozenset(known)
        self._sent.update(known)
        return pack(known)

    @traitlets.validate("place")
    def _legal(self, proposal):
        """A position that exists, whoever sets it."""
        return self._checked(proposal["value"])

    def set_state(self, sync_data: dict[str, object]) -> None:
        """What a page sets: nothing; it says where its controls stand in a message of its own (`_told`)."""
        raise traitlets.TraitError(f"{', '.join(sorted(sync_data))}: a page can set no trait of a panel.")

    def _checked(self, place):
        right = (isinstance(place, (tuple, list)) and len(place) == len(self.controls)
                 and all(type(index) is int and 0 <= index < len(control.values)
                         for index, control in zip(place, self.controls)))
        if not right:
            raise traitlets.TraitError(f"place = {place!r:.80} is not the index of a position of every "
                                       f"control ({', '.join(control.name for control in self.controls)}).")
        return tuple(place)

    def _told(self, _, content, buffers):
        """A message of the browser: the controls' `place`, a state that they `need`, a `hint` at the control
        that moves next, `hello` of a new page."""
        if "need" in content:
            place = self._checked(content["need"])
            self._sent.discard(place)
            self._wish(place)
        elif "place" in content:
            self.place = self._checked(content["place"])
        elif "hint" in content:
            self._wish(self.place, content["hint"])
        elif "hello" in content:
            self._sent = set(self._begun)
            self._wish(self.place)

    def _wish(self, place, control=None):
        """The newest wish goes first; what was to be sent ahead of the one before is forgotten."""
        if self.comm is None or not _has_browser():
            return
        moved = [c.name for c, old, new in zip(self.controls, self._last_wish, place) if old != new]
        self._last_wish = place
        self._wishes.append((place, control or (moved[0] if moved else None)))
        self._turn += 1
        _WORKER.submit(self._serve, self._turn)

    def _serve(self, turn):
        """Send the state that was wished for, or a slice of those ahead of it, until a later wish's turn."""
        if turn != self._turn:
            return
        if self._wishes:
            place, control = self._wishes.pop()  # nobody else takes wishes
            if place not in self._sent:
                self._deliver({place: self._state(place)})
            self._ahead = collections.deque(at for at in self._lines(place, control) if at not in self._sent)
        made = self._made(self._ahead, SLICE)
        if made:
            self._deliver(made)
        if self._ahead and self.comm is not None:
            _WORKER.submit(self._serve, turn)
        else:
            _tidy()

    def _deliver(self, states):
        try:
            deck = pack(states)
        except Exception as failure:  # on this thread nobody would see it
            states = {at: self._failed(at, failure) for at in states}
            deck = pack(states)
        if len(self._sent) > MOST_SENT:
            self._sent.clear()
        self._sent.update(at for at, state in states.items() if isinstance(state, State))
        self.send({"deck": len(states)}, [deck])

    def open(self) -> None:
        """Tell the browser that there is a panel; without one it only takes its place among widgets."""
        if _has_browser():
            super().open()
            self._answer_anywhere()
        elif self.comm is None:
            self.get_state({*self.keys} - {"deck"})  # makes the widgets that it consists of
            self.comm = comm.create_comm(comm_id=self._model_id)

    def _send(self, msg, buffers=None):
        super()._send(msg, buffers)
        self._answer_anywhere()

    def _answer_anywhere(self):
        """ipykernel answers a comm in the shell that spoke on it last, and the main one may be busy with a
        cell; without this memory the page's own subshell answers."""
        if self.comm is not None:
            vars(self.comm).pop("_reply_subshell_id", None)


def _tidy():
    """Give the system back what the C library keeps of freed memory; after sweeps that is more than half."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
        if trim is not None:
            trim(0)


class Told(LivePanel):
    """A `Story` that moves; `widget` makes the class of one."""

    story = None

    @classmethod
    def show(cls, **position):
        return cls.story.show(**position)

    def static(self, **params):
        """Return a figure: of the scene that `params` name, from where it begins, else of *explore*.

        Without `params` it is of what is shown now.
        """
        begins = self.start(params) if "scene" in params else {}
        return super().static(**(begins | params if params else self.values))

    @classmethod
    def starts(cls):
        return cls.story.starts()

    @classmethod
    def start(cls, asked):
        return cls.story.start(asked)

    @classmethod
    def shown(cls, scene):
        """The names of the controls that a scene shows."""
        return cls.story.shown(scene)

    @classmethod
    def reachable(cls, values, asked):
        return cls.story.reachable(values, asked)

    @classmethod
    def reach(cls):
        return cls.story.reach()

    def _specification(self):
        plain = super()._specification()
        indices = {control.name: place for place, control in enumerate(self.controls)}
        for described, scene in zip(plain["scenes"], self.scenes, strict=True):
            described["controls"] = list(self.shown(scene.name))
            described["moved"] = list(self.story.moved(scene.name))
            if scene.play:
                control, stops = scene.play
                place = indices[control]
                described["play"] = {"control": place,
                                     "stops": [self.controls[place].values.index(stop) for stop in stops]}
            if scene.ask:
                then = self.starts()[scene.name] | dict(scene.ask.then)
                answers, right = list(scene.ask.answers), scene.ask.right
                described["ask"] = {
                    "answers": answers, "right": None if right is None else answers.index(right),
                    "told": list(scene.ask.answers.values()), "then": list(self._place(then))}
            described["recall"], described["formula"] = scene.recall, scene.formula
        return plain | {"story": self.name}

    def _lines(self, place, first=None):
        """What a hand may do next: turn to a scene, play, answer, move a control that the scene shows."""
        described = self.scenes[place[0]]
        shown = self.shown(described.name)
        starts = [self._place(values) for values in self.starts().values()]
        ahead = [] if described.ask is None else [
            self._place(self.starts()[described.name] | dict(described.ask.then))]
        if described.play:
            control, stops = described.play
            ahead += [self._place(self._values(place) | {control: stop}) for stop in stops]
        ahead += sorted((at for at in starts if at != place), key=lambda at: abs(at[0] - place[0]))
        names = [control.name for control in self.controls]
        sliders = [at for at in super()._lines(place, first)
                   if all(name in shown for name, old, new in zip(names, place, at) if old != new)]
        near = ahead[:2] if first else ahead
        return list(dict.fromkeys(near + sliders + ahead))

    def _repr_mimebundle_(self, **keywords):
        """Still pictures, each with the sentence of its scene; the live panel takes their place.

        One per scene, in a row, where a scene begins; who opens it elsewhere has come for one state.
        """
        told, pictures = list(zip(self.scenes, self.starts().values(), strict=True)), []
        if self.values not in [values for _, values in told]:
            told = [(self.story.scene(self.values["scene"]), self.values)]
        for scene, values in told:
            formula = f"<p>{scene.formula}</p>" if scene.formula else ""
            pictures.append(f"<p><b>{html.escape(scene.name)}.</b> {html.escape(scene.sentence)}</p>{formula}"
                            + self._still(self._state(self._place(values)), f"{self.title}: {scene.name}"))
        return self._bundle("".join(pictures))


@functools.cache
def widget(story: Story) -> type[Told]:
    """The class of panels that show a story."""
    return type(story.name.title().replace("_", ""), (Told,), {
        "__doc__": story.title, "story": story, "name": story.name, "title": story.title,
        "version": story.version, "size": story.size, "controls": story.controls, "scenes": story.scenes})

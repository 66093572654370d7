"""A lesson as plain data: a view is a function of its controls, a scene a position of a view, a story scenes.

`examples/queues.py` is a complete one, which needs nothing but this stage.

A view is pure, thread-safe and takes less than 15 ms; tables that depend on a law only stand in a bounded
cache, and random numbers come from a fixed seed that all positions share, so that a picture moves and does
not flicker. `ldp_lib.stage.widget` shows a story in a notebook, `ldp_lib.site` on a page.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .control import Control, with_defaults
from .picture import Axes, Picture, handless

EXPLORE = "explore"


class Shown(NamedTuple):
    """What a view shows at a position.

    `columns` : of the picture, from left to right; each an `Axes`, or a tuple of those one above the other.
    `says` : the sentence that the picture says, for people who do not see it.
    `numbers` : the read-out under the picture, pairs (label, text), the most important one first.
    """

    columns: tuple[Axes | tuple[Axes, ...], ...]
    says: str
    numbers: list[tuple[str, str]]

    @property
    def picture(self) -> Picture:
        """The columns as a `Picture`."""
        return Picture(tuple((column,) if isinstance(column, Axes) else tuple(column)
                             for column in self.columns))


@dataclass(eq=False)
class View:
    """A function of `controls` that returns what is `Shown`; `view` makes one."""

    controls: tuple[Control, ...]
    show: Callable[..., Shown]

    def __call__(self, **position: object) -> Shown:
        """What is shown where controls stand at `position`; those that are not named at their defaults."""
        return self.show(**with_defaults(self.show.__name__, self.controls, position))


def view(*controls: Control) -> Callable[[Callable[..., Shown]], View]:
    """Decorator of a function whose arguments are the positions of `controls`, in their order.

    >>> from ldp_lib.stage import Control
    >>> @view(Control("load", "load", "", (1, 2), 1))
    ... def queue(load):
    ...     return Shown((), f"{load} people wait.", [])
    >>> queue(load=2).says
    '2 people wait.'
    """
    def made(function):
        names = [control.name for control in controls]
        if list(inspect.signature(function).parameters) != names:
            raise TypeError(f"{function.__name__} must take {', '.join(names) or 'nothing'}, as its controls "
                            f"are called, not {', '.join(inspect.signature(function).parameters)}.")
        return functools.update_wrapper(View(controls, function), function)

    return made


class Ask(NamedTuple):
    """A question that a scene asks: an answer is locked, and then the world answers.

    `answers` : what can be chosen, with what is said of each after "You said ..." and, if it is wrong, after
    "No."; `right` : the right one;
    None if there is none, and then the answer is not said again. `then` : control -> position: where the
    scene goes when the answer is locked.
    """

    answers: Mapping[str, str]
    right: str | None = None
    then: Mapping[str, object] = {}


class Scene(NamedTuple):
    """A named position of a view: one sentence, what it changes against the scene before it, what matters.

    `moves` : control -> position. `controls` : names of those that it shows; () is all of its view.
    `drags` : names of those that only handles of the picture move. `axes` : keys of what to look at; () is
    the first. `play` : a control and the positions that *play* raises it to, one after the other. `ask` : an
    `Ask`. `recall` : the name of a scene before, of whose question the reader's answer is shown. `formula` :
    MathML, shown below the sentence. `alone` : names of controls that pages without Python store by
    themselves only, because states are large.

    >>> @view(Control("load", "load", "", (1, 2), 1))
    ... def queue(load):
    ...     return Shown((), f"{load} people wait.", [])
    >>> Scene("busy", "Twice the work: who waits?", queue, {"load": 2}).moves
    {'load': 2}
    """

    name: str
    sentence: str
    view: View
    moves: Mapping[str, object] = {}
    controls: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    play: tuple = ()
    ask: Ask | None = None
    recall: str = ""
    formula: str = ""
    drags: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


@dataclass(eq=False)
class Story:
    """Scenes of one picture; the last one is called "explore" and shows all controls of its view.

    Each scene begins where the one before it began, with what it moves. A story has one control more than
    its views, "scene", its first: a state and its address say which scene they belong to. Where none is
    named *explore* stands in.

    Parameters
    ----------
    name : str
        What addresses begin with.
    title : str
        In words.
    scenes : tuple of Scene
        In order.
    version : int
        Of its controls, part of its addresses: raised where an address changes its meaning.
    size : tuple of float
        Inches of a still picture.
    last : tuple of Control
        Controls that stand below all others; those of *explore* come first, others as they appear.
    """

    name: str
    title: str
    scenes: tuple[Scene, ...]
    version: int = 1
    size: tuple[float, float] = (10.0, 4.6)
    last: tuple[Control, ...] = ()
    controls: tuple[Control, ...] = field(init=False, repr=False)

    def __post_init__(self):
        names = tuple(scene.name for scene in self.scenes)
        if names[-1:] != (EXPLORE,):
            raise TypeError(f"{self.name}: the last scene must be called {EXPLORE!r}, not {names[-1:]}.")
        found = {}
        for scene in (self.scenes[-1], *self.scenes):
            for control in scene.view.controls:
                if found.setdefault(control.name, control) is not control:
                    raise TypeError(f"{self.name}: two controls are called {control.name!r}; views of a "
                                    "story share their controls.")
        self._check(found)
        strange = [control.name for control in self.last if found.get(control.name) is not control]
        if strange:
            raise TypeError(f"{self.name}: last names {', '.join(strange)}, which no view of the story has.")
        others = [control for control in found.values() if control not in self.last]
        self.controls = Control("scene", "scene", "", names, EXPLORE), *others, *self.last

    def _check(self, controls):
        """Refuse what scenes name and what is not there."""
        if not self.name.isidentifier():
            raise TypeError(f"name = {self.name!r} must be a word of letters, digits and _, since addresses "
                            "begin with it.")
        before = {}
        for scene in self.scenes:
            where = f"{self.name}, scene {scene.name!r}"
            if scene.name in before:
                raise TypeError(f"{where}: two scenes have this name.")
            named = [*scene.moves, *scene.controls, *scene.drags, *scene.alone, *scene.play[:1],
                     *(scene.ask.then if scene.ask else ())]
            strange = [name for name in named if name not in controls]
            if strange:
                raise TypeError(f"{where}: there is no control {', '.join(strange)}; its views have "
                                f"{', '.join(controls)}.")
            if scene.ask and scene.ask.right not in (None, *scene.ask.answers):
                raise TypeError(f"{where}: right = {scene.ask.right!r} is none of its answers, which are "
                                f"{', '.join(map(repr, scene.ask.answers))}.")
            if scene.recall and not (scene.recall in before and before[scene.recall].ask):
                raise TypeError(f"{where}: recall = {scene.recall!r} is no scene before it that asks.")
            before[scene.name] = scene

    def scene(self, name: str) -> Scene:
        """The scene of this name."""
        return next(scene for scene in self.scenes if scene.name == name)

    def show(self, **position: object) -> Shown:
        """What is shown at a position; without "scene" that is what *explore* shows.

        What the picture offers to drag is what the scene lets move.
        """
        values = self.position(**position)
        scene = self.scene(values["scene"])
        seen = scene.view.show(**{control.name: values[control.name] for control in scene.view.controls})
        if not isinstance(seen, Shown):
            raise TypeError(f"{scene.view.show.__name__} must return Shown(columns, says, numbers), not a "
                            f"{type(seen).__name__}.")
        return seen._replace(columns=handless(seen.picture, self.moved(scene.name)).columns)

    def position(self, **position: object) -> dict[str, object]:
        """`position` with the defaults of the controls that it leaves out; refuse unknown names."""
        return with_defaults(self.name, self.controls, position)

    def starts(self) -> dict[str, dict[str, object]]:
        """Where each scene begins, name -> values."""
        values, found = self.position(), {}
        for scene in self.scenes:
            values = self.position(**values | scene.moves | {"scene": scene.name})
            found[scene.name] = values
        return found

    def start(self, asked: Mapping[str, object]) -> dict[str, object]:
        """Where controls stand that an address does not name, `asked` being what it names.

        That is where the asked scene begins; the first one, if nothing is asked.
        """
        starts = self.starts()
        if not asked:
            return starts[self.scenes[0].name]
        scene = asked.get("scene")
        found = starts.get(scene if isinstance(scene, str) else EXPLORE, starts[EXPLORE])
        return {name: value for name, value in found.items() if name != "scene"}

    def shown(self, name: str) -> tuple[str, ...]:
        """The names of the controls that a scene shows."""
        scene = self.scene(name)
        return scene.controls or tuple(control.name for control in scene.view.controls)

    def moved(self, name: str) -> tuple[str, ...]:
        """The names of the controls that a hand moves in a scene: with sliders, or in the picture alone."""
        return self.shown(name) + self.scene(name).drags

    def reach(self) -> list[tuple[dict[str, object], tuple[str, ...]]]:
        """Where each scene begins, and the controls that it shows."""
        return [(values, self.shown(name)) for name, values in self.starts().items()]

    def reachable(self, values: dict[str, object],
                  asked: Iterable[str]) -> tuple[dict[str, object], list[str]]:
        """The position nearest to `values` that a hand can reach, and what is not as was `asked` for.

        Where a scene begins; elsewhere only what it moves has been moved, from where its answer led.
        """
        name = values["scene"]
        scene, start = self.scene(name), self.starts()[name]
        if values == start:
            return values, []
        free = {"scene", *self.moved(name), *scene.play[:1]}
        stands = start | dict(scene.ask.then if scene.ask else {})
        found = {control: value if control in free else stands[control] for control, value in values.items()}
        remarks = []
        for control in self.controls:
            if control.name in asked and found[control.name] != values[control.name]:
                others = [each.name for each in self.scenes if control.name in self.moved(each.name)]
                remarks.append(f"{name} does not show {control.name}; {', '.join(others) or 'no scene'} "
                               f"{'do' if len(others) > 1 else 'does'}.")
        if any(found[control] != values[control] for control in values.keys() - set(asked)):
            remarks.append(f"In {name} nothing moves before its answer, so what the answer brings is shown, "
                           "too.")
        return found, remarks

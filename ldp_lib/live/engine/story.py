"""A story: scenes of one picture, each a sentence and a position, drawn by views of its own.

A view is a `LivePanel` that is not shown by itself: controls, `compute`, `draw`, `conclude`, `summarise`::

    class Wave(Story):
        name = "wave"
        controls = (FREQUENCY, SHAPE, NOISE)       # of all views together
        views = {"one": OneWave, "all": Explore}
        scenes = (
            Scene("slow", "Ten cycles.", {"frequency": 10}, controls=("frequency",), view="one",
                  play=("frequency", (10, 20, 40))),
            Scene("explore", "Everything moves.", view="all"),
        )

Every story has one more control, "scene", its first: a state and its address say which scene they belong
to. A scene begins where the one before it began, with what it `moves`. The last one is called "explore"; it
shows all controls of its view, and stands in wherever no scene is named: `compute(alpha=2)` is what *explore*
computes.
"""

import html

from .control import Control
from .panel import LivePanel, Positioned

EXPLORE = "explore"


class Story(LivePanel):
    """A panel whose scenes are drawn by `views`, name -> class; the module's docstring shows one."""

    views = {}

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "scenes" not in cls.__dict__:
            return
        names = tuple(scene.name for scene in cls.scenes)
        if names[-1:] != (EXPLORE,):
            raise TypeError(f"{cls.__name__}: the last scene must be called {EXPLORE!r}, not {names[-1:]}.")
        cls.controls = (Control("scene", "scene", "", names, EXPLORE), *cls.controls)

    @classmethod
    def view(cls, scene: str) -> type[LivePanel]:
        """The class that draws the scene of this name."""
        return cls.views[next(each.view for each in cls.scenes if each.name == scene)]

    @classmethod
    def positions(cls):
        """The position of every scene, name -> values; each begins where the scene before it stands."""
        return {name: values | {"scene": name} for name, values in super().positions().items()}

    @classmethod
    def origin(cls, asked):
        """Where the asked scene begins; the first one, if nothing is asked."""
        positions = cls.positions()
        if not asked:
            return positions[cls.scenes[0].name]
        scene = asked.get("scene")
        found = positions.get(scene if isinstance(scene, str) else EXPLORE, positions[EXPLORE])
        return {name: value for name, value in found.items() if name != "scene"}

    @classmethod
    def shown(cls, scene):
        """The names of the controls that a scene shows: its own, or all of its view."""
        each = next(each for each in cls.scenes if each.name == scene)
        return each.controls or tuple(control.name for control in cls.view(scene).controls)

    @classmethod
    def reachable(cls, values, asked):
        """Where a scene begins; elsewhere only what it shows has been moved, from where its answer led."""
        name = values["scene"]
        scene, start = next(each for each in cls.scenes if each.name == name), cls.positions()[name]
        if values == start:
            return values, []
        free = {"scene", *cls.shown(name), *scene.play[:1]}
        stands = start | (scene.ask.then if scene.ask else {})
        found = {control: value if control in free else stands[control] for control, value in values.items()}
        remarks = []
        for control in cls.controls:
            if control.name in asked and found[control.name] != values[control.name]:
                others = ", ".join(each.name for each in cls.scenes if control.name in cls.shown(each.name))
                remarks.append(f"{name} does not show {control.name}; {others or 'no scene'} does.")
        if any(found[control] != values[control] for control in values.keys() - set(asked)):
            remarks.append(f"In {name} nothing moves before its answer, so what the answer brings is shown, "
                           "too.")
        return found, remarks

    @classmethod
    def stages(cls):
        """What a hand can reach: where each scene begins, and the controls that it shows."""
        return [(values, cls.shown(name)) for name, values in cls.positions().items()]

    @classmethod
    def compute(cls, **params):
        """What is true at a position: what the view of its scene computes there."""
        position = cls.completed(**params)
        view = cls.view(position["scene"])
        found = view.compute(**{each.name: position[each.name] for each in view.controls})
        return Positioned(found, position)

    @classmethod
    def draw(cls, result):
        """The picture, as the view of the scene draws it."""
        return cls.view(result.scene).draw(result.found)

    def conclude(self, result):
        """What the picture says, in the words of the scene's view."""
        return self.view(result.scene).conclude(self, result.found)

    def summarise(self, result):
        """The numbers of the scene, the most important one first."""
        return self.view(result.scene).summarise(self, result.found)

    def _specification(self):
        plain = super()._specification()
        indices = {control.name: place for place, control in enumerate(self.controls)}
        for described, scene in zip(plain["scenes"], self.scenes, strict=True):
            described["controls"] = list(self.shown(scene.name))
            if scene.play:
                control, stops = scene.play
                place = indices[control]
                described["play"] = {"control": place,
                                     "stops": [self.controls[place].values.index(stop) for stop in stops]}
            if scene.ask:
                then = self.positions()[scene.name] | scene.ask.then
                described["ask"] = {"answers": list(scene.ask.answers), "right": scene.ask.right,
                                    "told": list(scene.ask.told), "then": list(self._place(then))}
            described["recall"], described["formula"] = scene.recall, scene.formula
        return plain | {"story": self.name}

    def _lines(self, place, first=None):
        """What a hand may do next: turn to a scene, play, answer, move a control that the scene shows."""
        described = self.scenes[place[0]]
        shown = self.shown(described.name)
        starts = [self._place(values) for values in self.positions().values()]
        ahead = [] if described.ask is None else [
            self._place(self.positions()[described.name] | described.ask.then)]
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
        """One still picture per scene, in a row, each with its sentence; the live panel takes their place."""
        pictures = []
        for scene, values in zip(self.scenes, self.positions().values(), strict=True):
            formula = f"<p>{scene.formula}</p>" if scene.formula else ""
            pictures.append(f"<p><b>{html.escape(scene.name)}.</b> {html.escape(scene.sentence)}</p>{formula}"
                            + self._still(self._state(self._place(values)), f"{self.title}: {scene.name}"))
        return self._bundle("".join(pictures))

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

from .control import Control
from .widget import LivePanel, Positioned, StoryPanel

EXPLORE = "explore"


class Story(StoryPanel):
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

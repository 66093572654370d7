"""What notebooks show: panels that move, and answers that are judged.

`panel("consistency")` shows the story of notebook 02, `check("02.6", answer)` judges an answer, `progress()`
says what is solved, `recall("02.6")` what was answered. All of it stands in `ldp_lib.lessons`, on
`ldp_lib.stage`.
"""

import importlib
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_lib._arguments import wrong_kind

try:
    from ldp_lib.lessons import PANELS
    from ldp_lib.stage import Control, Scene, corners, log_steps
    from ldp_lib.stage.control import legal, split
    from ldp_lib.stage.scene import Story
    from ldp_lib.stage.widget import LivePanel, widget
except ModuleNotFoundError as missing:
    cure = "Panels need more than the library: pip install 'ldp-lib[live]', or make lab in the repository."
    raise ModuleNotFoundError(f"{missing}. {cure}", name=missing.name) from missing

if TYPE_CHECKING:
    from ldp_lib.lessons.exercises import EXERCISES, check, progress, recall

__all__ = ["EXERCISES", "PANELS", "Control", "LivePanel", "Scene", "check", "corners", "kind", "log_steps",
           "panel", "progress", "recall"]


def __getattr__(name):
    """What judges answers: it needs all lessons, so it comes when it is first asked for."""
    if name in ("EXERCISES", "check", "progress", "recall"):
        return getattr(importlib.import_module("ldp_lib.lessons.exercises"), name)
    raise AttributeError(f"module {__name__} has no attribute {name!r}")


def kind(name: str) -> type[LivePanel]:
    """The class of the panel that is called `name`, a key of `PANELS`.

    >>> kind("price").title
    'The same 67%: how many people?'
    """
    module, _, attribute = PANELS[name].partition(":")
    story = getattr(importlib.import_module(module), attribute)
    return story if isinstance(story, type) else widget(story)


_MADE = {}
"""Path of a lesson of one's own -> names of the exercises that it made when it was run last."""


def _own(path):
    """The story of a lesson of one's own; its file is run, and its exercises take the place of older ones."""
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}; the path of a lesson begins at the folder where Python "
                         f"runs, {Path.cwd()}.")
    made = importlib.import_module("ldp_lib.stage.judge").REGISTERED
    for name in _MADE.pop(path, ()):
        del made[name]
    before = set(made)
    try:
        story = runpy.run_path(path).get("STORY")
    finally:  # whoever mends a line below an exercise runs the file again
        _MADE[path] = made.keys() - before
    if not isinstance(story, Story):
        raise ValueError(f"{path} has no STORY; its last lines must be STORY = Story(...), as in "
                         "examples/queues.py.")
    if story.name in PANELS:
        raise ValueError(f"{path}: a panel of the collection is called {story.name!r}, too; choose another "
                         "name for the story, since its addresses begin with it.")
    return story


def panel(name: str, **position: object) -> LivePanel:
    """Return a new live panel, ready to be displayed.

    Parameters
    ----------
    name : a key of `PANELS`, the address of a state, or the path of a lesson of one's own
        In the order of the notebooks: "start" (00), "ldp_check" and "laboratory" (01), "consistency" (02),
        "upper_rate" (03), "assouad" (04), "elbow" (05, 05b), "bayes" (06), "beyond" (07),
        "second_question" (08); "price" (at the end of 02, 06, 07); and the proofs step by step: "proof_" and
        the name of the notebook's panel. An address is what `LivePanel.link` returns, for example
        "consistency/1?alpha=0.5". A path ends with ".py"; the file, which is run, has a `STORY`:
        `examples/queues.py` is one, and "examples/queues.py?scene=busy" a state of it.
    position : where controls stand at first, by name
        What is not a legal position is told in a sentence in the panel, and the nearest one taken.

    Examples
    --------
    >>> panel("consistency", alpha=0.5).values["alpha"]
    0.5
    """
    if not isinstance(name, str):
        raise wrong_kind("name", name, "a key of PANELS or the address of a state, for example 'consistency'")
    path, _, query = name.partition("?")
    if path.endswith(".py"):  # from Python alone: pages and browsers send addresses of known panels
        made = widget(_own(path))
        return made(*legal(made, f"{made.name}?{query}", position))
    key = split(name)[0]
    if key not in PANELS:
        raise ValueError(f"name = {name!r:.60} is unknown; choose one of {', '.join(map(repr, PANELS))}, "
                         "the address of a state of these, or the path of a lesson of your own, which ends "
                         "with .py, and its state: my_lesson.py?scene=explore.")
    made = kind(key)
    return made(*legal(made, name, position))

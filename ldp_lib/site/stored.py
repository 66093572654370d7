"""Pages without Python: the states that a hand can reach, computed once, in files beside the page.

A scene is stored whole: every position of the controls that it shows, but along those by themselves that it
calls `alone`; before its question is answered the beginning only. Where these are more than `MOST` it is
stored along each control, at every budget, and where handles of the picture alone move it, whatever these
can do together. Each scene is one deck (`ldp_lib.stage.deck`) in a script of its own, which the page loads
when somebody comes there: scripts also load where a page is opened from a disk. What is not stored is greyed
in the page, never guessed.
"""

import base64
import itertools
import json
import math
import shutil
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

import joblib

from ldp_lib.lessons.exercises import EXERCISES
from ldp_lib.live import PANELS, panel
from ldp_lib.site import COMPUTES
from ldp_lib.stage.control import legal, split
from ldp_lib.stage.deck import Failure, pack
from ldp_lib.stage.judge import Near, Number
from ldp_lib.stage.scene import EXPLORE
from ldp_lib.stage.widget import LivePanel, Told, browser_half

_BROWSER = Path(__file__).parent / "browser"
_MODULES = ("address", "exercise", "lectern", "room", "talk", "choose", "poll", "site")

MOST = 3000
"""States of one scene that is stored whole."""
BUDGETS = ("alpha", "epsilon")
"""Names of the control that everything is asked about."""


def places(shown: LivePanel, links: Iterable[str] = (),
           sample: bool = False) -> dict[int, list[tuple[int, ...]]]:
    """The positions of a panel that are stored: number of the file -> addresses on the wire.

    The files of a story are its scenes, in their order; another panel has one. `links` : addresses of states
    from which a hand sets out, too; those of other panels are left alone, and from those in *explore* it goes
    along each control alone. `sample` : so everywhere.
    """
    story = isinstance(shown, Told)

    def seen(start):
        return shown.shown(start["scene"]) if story else [control.name for control in shown.controls]

    starts = [] if story else [shown.position()]
    found = {}
    for number, (start, scene) in enumerate(zip(shown.starts().values(), shown.scenes, strict=True)):
        then = scene.ask.then if scene.ask else {}
        if scene.ask:  # nothing can be moved before it is answered
            found[number] = {shown._place(start): None}
        # After its answer; turned to again, with all as before but what no hand moves; where its play ends.
        free = seen(start)
        starts += [start | then, start | {name: value for name, value in then.items() if name not in free}]
        if scene.play:
            starts.append(start | then | {scene.play[0]: scene.play[1][-1]})
    asked = [legal(shown, link, {})[0] for link in links if split(link)[0] == shown.name]
    for start in [*starts, *asked]:
        scene = shown.story.scene(start["scene"]) if story else None
        few = sample or story and scene.name == EXPLORE and start not in starts
        reached = _reached(shown, start, seen(start), scene, few)
        found.setdefault(shown._place(start)[0] if story else 0, {}).update(dict.fromkeys(reached))
    return {number: list(ahead) for number, ahead in sorted(found.items())}


def _positions(shown, start, names):
    """For each control the indices of its positions if it is in `names`, else of the one in `start`."""
    return [range(len(control.values)) if control.name in names else (at,)
            for control, at in zip(shown.controls, shown._place(start), strict=True)]


def _reached(shown, start, names, scene, sample):
    """What is stored of a `Scene`, or of a panel without, that begins at `start` with controls `names`."""
    drags, alone = (scene.drags, scene.alone) if scene else ((), ())
    every = (*names, *drags)
    together = [name for name in every if name not in alone]
    if sample:
        planes = [(name,) for name in every] or [()]
    elif math.prod(map(len, _positions(shown, start, together))) <= MOST:
        planes = [together, *((name,) for name in alone)]
    else:
        budget = [name for name in every if name in BUDGETS]
        planes = [*((name, *budget) for name in every), drags]
    return (at for plane in planes for at in itertools.product(*_positions(shown, start, plane)))


def write(folder: Path | str, names: Iterable[str] = tuple(PANELS), talks: Mapping[str, object] = {},
          links: Iterable[str] = (), sample: bool = False) -> list[tuple[str, int, int, int]]:
    """Write scripts, style sheet, talks and the states of the panels called `names` into `folder`.

    `talks` : by name, as `ldp_lib.site.talk` reads them. `links` : addresses at which pages show panels.
    `sample` : as in `places`. Returns one row a panel: its name, the number of scenes, of states, of bytes.
    """
    folder, names = Path(folder), list(names)
    folder.mkdir(parents=True, exist_ok=True)
    scripts = browser_half(*(_BROWSER / f"{name}.js" for name in _MODULES))
    (folder / "panels.js").write_text(f"(() => {{\n{scripts}\n}})();\n", encoding="utf-8")
    (folder / "panels.css").write_text(LivePanel._css + (_BROWSER / "pages.css").read_text(encoding="utf-8"),
                                       encoding="utf-8")
    for name in ("phone.html", "phone.js"):
        shutil.copy(_BROWSER / name, folder)
    (folder / COMPUTES).write_text("false\n", encoding="ascii")
    told = {**talks, "known": dict(map(_known, names))}
    (folder / "talks.js").write_text(f"ldpTalks({json.dumps(told)});\n", encoding="utf-8")
    links = [*links, *(stop["address"] for talk in talks.values() for stop in talk["stops"])]
    with warnings.catch_warnings():  # panels fill a process, and joblib warns that it starts another
        warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.externals\.loky")
        return joblib.Parallel(-1)(joblib.delayed(write_panel)(folder, name, links, sample) for name in names)


def write_exercises(folder: Path | str) -> None:
    """Write what pages ask and judge without Python into `folder`, one script for each notebook's number."""
    numbers = sorted({name.partition(".")[0] for name in EXERCISES})
    joblib.Parallel(-1)(joblib.delayed(_write_asked)(Path(folder), number) for number in numbers)


def _write_asked(folder, number):
    asked = {name: _judged(entry) for name, entry in EXERCISES.items() if name.startswith(f"{number}.")}
    (folder / f"exercises-{number}.js").write_text(f"ldpExercises({json.dumps(asked)});\n", encoding="utf-8")


def _known(name):
    """The name of a panel's addresses, and what a talk that is read in the page needs of it."""
    shown = panel(name)
    scenes = shown.scenes if isinstance(shown, Told) else ()
    return shown.name, {"version": shown.version, "title": shown.title,
                        "scenes": [scene.name for scene in scenes],
                        "votes": [scene.name for scene in scenes if scene.ask]}


def _judged(entry):
    """What the page needs to ask an exercise, and to judge it if its answer is a number or is offered."""
    asked = {"question": entry.question, "enough": entry.tolerance}
    hints = {"hint": entry.hint, "second": entry.second}
    if entry.offer:
        controls = [{"label": control.title, "kind": control.kind, "texts": list(control.texts),
                     "name": control.name} for control in entry.offer.controls]
        verdicts = [entry.told(answer) for answer in entry.offer.answers()]
        return asked | hints | {"controls": controls, "address": entry.offer.address,
                                "verdicts": verdicts}
    if isinstance(entry.judge, Number):
        known = [(*mistake, said) for mistake, said in entry.mistakes.items() if isinstance(mistake, Near)]
        right = float(entry.judge.right)
        return asked | hints | {"right": right, "relative": entry.judge.relative, "above": entry.judge.above,
                                "more": entry.praise(right), "mistakes": known}
    return asked


def specification(shown: LivePanel) -> dict[str, object]:
    """What the page knows of a panel before it has a state."""
    start = shown._place(shown.position(**shown.start({})))
    spec = shown._specification() | {"begin": list(start), "address": f"{shown.name}/{shown.version}"}
    for described, control in zip(spec["controls"], shown.controls, strict=True):
        described["keys"] = [str(value) for value in control.values]
    return spec


def write_panel(folder: Path, name: str, links: Iterable[str],
                sample: bool = False) -> tuple[str, int, int, int]:
    """Write the states of one panel, or of the lesson whose path is `name`; a row of `write`."""
    shown = panel(name)
    name = shown.name  # that of a lesson of one's own is a path
    key, stored, size = f"{name}-{shown.version}", places(shown, links, sample), 0
    for number, ahead in stored.items():
        states = {at: shown._state(at) for at in ahead}
        failed = next((state for state in states.values() if isinstance(state, Failure)), None)
        if failed:
            raise RuntimeError(f"{name}: a stored position cannot be shown: {failed.error}")
        deck = base64.b64encode(pack(states)).decode("ascii")
        script = f'ldpDeck("{key}", {number}, "{deck}");\n'
        (folder / f"{key}-{number}.js").write_text(script, encoding="ascii")
        size += len(script)
    script = f'ldpPanel("{key}", {json.dumps(specification(shown), allow_nan=False)});\n'
    (folder / f"{key}.js").write_text(script, encoding="utf-8")
    return name, len(stored), sum(map(len, stored.values())), size + len(script)

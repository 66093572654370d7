"""What panels show, what ledgers and errata compute: by fingerprint, so that no change of it goes unseen.

    python -m tests.kept       writes tests/kept.txt anew: what differs there is what a change has changed;
                               and adds to tests/names.json the names that are new;
                               `python -m tests.kept elbow price` draws no other panels

A line is a control, a position (where a scene begins, is answered or played, where each control ends, some
that are drawn) with its words and its axes, the words of still pictures, a figure, an exercise, a step of a
proof, an erratum, or a saboteur. Numbers count to four digits, arrays by two sums, so that no fingerprint
hangs on a processor; what is a millionth of the largest is nothing.
"""

import itertools
import json
import random
import re
import sys
import zlib
from pathlib import Path
from unittest.mock import patch

import numpy as np

from ldp_lib.estimation import CubeClassifier, NoisyMajorityClassifier, OneBitClassifier
from ldp_lib.lessons import assouad, bayes, elbow, figures, ldp_check, upper_rate
from ldp_lib.live import EXERCISES, PANELS, kind, panel
from ldp_lib.nature import problem
from ldp_lib.stage import still
from ldp_lib.stage.deck import Failure
from ldp_lib.theory import LEDGERS, errata, ledger
from ldp_lib.theory.classification.game import Game

KEPT = Path(__file__).with_name("kept.txt")
NAMES = Path(__file__).with_name("names.json")
"""Names that others have written down: panels with their version, scenes and controls, and exercises."""
WORDS_OF_STILLS = re.compile("<(?:text|rect) .*?>")
"""Where they stand, and the frames around them."""
OFF_EDGES = 1 + 3.7e-5
"""Numbers that are meant are often halfway between two roundings, and no number times this one is."""


def digits(value, largest=1.0):
    """A number to four digits."""
    return f"{value * OFF_EDGES:.4g}" if abs(value) > 1e-6 * largest else "0"


def leaves(part):
    """The words and numbers that a part of a picture is made of."""
    if isinstance(part, np.ndarray):
        values = part[np.isfinite(part)].astype(float)
        weights = np.cos(np.arange(len(values)))
        largest = np.abs(values).sum() + 1e-9
        sums = digits(values.sum(), largest), digits(weights @ values, largest)
        return [f"{part.size} {len(values)} {' '.join(sums)}"]
    if isinstance(part, dict):
        return [leaf for key in sorted(part) for leaf in (key, *leaves(part[key]))]
    if isinstance(part, (tuple, list)):
        return [leaf for each in part for leaf in leaves(each)]
    if isinstance(part, float):
        return [digits(part, 1e-6)]
    return [str(part)]


def fingerprint(*parts):
    """Eight hexadecimal digits."""
    return f"{zlib.crc32(chr(10).join(leaf for part in parts for leaf in leaves(part)).encode()):08x}"


def positions(shown):
    """Words -> values: the places of a panel that are looked at."""
    found = {}
    reach = shown.reach() * (1 if len(shown.reach()) > 1 else len(shown.scenes))
    for scene, start, (_, free) in zip(shown.scenes, shown.starts().values(), reach, strict=True):
        places = {"begins": start}
        if scene.ask:
            places["answered"] = start | dict(scene.ask.then)
        if scene.play:
            control, stops = scene.play
            places["played"] = places.get("answered", start) | {control: stops[-1]}
        for control in shown.controls:
            if control.name in free:
                first, last = control.values[0], control.values[-1]
                places[control.name] = start | {control.name: last if start[control.name] != last else first}
        draw = random.Random(scene.name)
        for number in range(len(free)):
            places[f"drawn {number}"] = start | {control.name: draw.choice(control.values)
                                                 for control in shown.controls if control.name in free}
        found |= {f"{scene.name}: {words}": values for words, values in places.items()}
    return found


def proofs():
    """The lines of all ledgers, where nothing is asked, and of the errata."""
    for name in LEDGERS:
        for step in ledger(name).steps:
            said = step.claim, step.relation, step.source, float(step.left), float(step.right)
            yield f"ledger {name} | {step.name} | {fingerprint(said)}"
    for number, each in enumerate(errata()):
        yield f"erratum {each.number} | {number} | {fingerprint(tuple(each.evidence()))}"


def figures_of_notebooks():
    """The lines of figures without controls."""
    law, people = problem("cps"), np.array([100.0, 10_000.0])
    rivals = {"cubes": [CubeClassifier(1.0, 0.2, noise="real")], "bits": [OneBitClassifier(1.0, 0.2)],
              "curator": [NoisyMajorityClassifier(1.0, side=0.2)]}
    with patch("ldp_lib.stage.figure.render", lambda *parts: parts):
        for drawn in (ldp_check.explore.glance((0.5, 4.0)), upper_rate.explore.glance((10**5, 10**8)),
                      assouad.explore.glance((100, 10_000)), elbow.explore.glance((10**5, 10**7)),
                      bayes.explore.glance((100, 1_000), "square: moons", 0.316),
                      figures.day((1.0, 4.0)),
                      figures.rivals_figure(rivals, law, people, {0.1: (500, 200, 1_000)}),
                      figures.scoreboard([Game.best(n=100, alpha=1.0, beta=1.0, gamma=0.5, d=1)]),
                      figures.shuffled(1.0, (20, 200), 1e-6),
                      figures.worth_of_a_nat(10**6, 1.0, 1.0, 1, (0.5, 1.0, 2.0))):
            yield f"figure | {fingerprint(*drawn)}"


def exercises():
    """The lines of what is asked and said, whatever the answer."""
    for name, asked in EXERCISES.items():
        said = (asked.question, asked.task, asked.stars, asked.hint, asked.second, asked.more,
                asked.tolerance, tuple(asked.mistakes.values()))
        yield f"exercise {name} | {fingerprint(said)}"


def sabotaged(theorem, saboteur, after, twin):
    """The line of a saboteur: what the steps are `after` it, and after its `twin`."""
    sides = [[(float(step.left), float(step.right)) for step in book.steps] for book in (after, twin)]
    return f"saboteur {theorem} | {saboteur.assumption}, {saboteur.change} | {fingerprint(*sides)}"


def saboteurs():
    """The lines of all saboteurs."""
    for theorem, make in LEDGERS.items():
        for saboteur in make.saboteurs:
            yield sabotaged(theorem, saboteur, make(**saboteur.broken()), make(**saboteur.kept()))


def panels(name):
    """The lines of a panel."""
    shown = panel(name)
    asked = ("name", "sentence", "recall", "formula", "answers", "right", "told")
    scenes = [[str(row.get(each)) for each in asked]
              for row in (scene | scene.get("ask", {}) for scene in shown.spec["scenes"])]
    yield f"{name} | story | {fingerprint(shown.title, shown.version, shown.size, scenes)}"
    for control in shown.controls[1 if shown.controls[0].name == "scene" else 0:]:
        values = [f"{value:.12g}" if isinstance(value, float) else value for value in control.values]
        told = control.title, values, control.default, control.texts, control.help
        yield f"{name} | {control.name} | {fingerprint(told)}"
    stills = []
    for words, values in positions(shown).items():
        state = shown._state(shown._place(values))
        if isinstance(state, Failure):  # of a new mechanism nothing is stored yet
            yield f"{name} | {words} | fails: {state.error!r}"
            continue
        stills += WORDS_OF_STILLS.findall(still.drawn(state.picture, shown.size)) * words.endswith(": begins")
        axes = [f"{each.key} {fingerprint(each)}" for each in state.picture.axes]
        yield " | ".join((name, words, fingerprint(state.alt, state.readout), *axes))
    yield f"{name} | stills | {fingerprint(stills)}"


def described(name):
    """What addresses of a panel name."""
    shown = kind(name)
    return {"version": shown.version, "scenes": [scene.name for scene in shown.scenes],
            "controls": sorted(control.name for control in shown.controls)}


def holds(new, old):
    """Whether a panel has all that addresses of an older one name."""
    lost = [name for part in ("scenes", "controls") for name in old[part] if name not in new[part]]
    return new["version"] == old["version"] and not lost


def lost(known, panels):
    """The panels of `known` of which names are lost, as they were."""
    return {name: old for name, old in known["panels"].items()
            if name not in panels or not holds(panels[name], old)}


def with_new_names(known):
    """`known` and what is new; a panel that lost a name stays as it was, and `test_names` says so."""
    panels = {name: described(name) for name in PANELS}
    gone = [name for name in known["exercises"] if name not in EXERCISES]
    return {"panels": panels | lost(known, panels), "exercises": [*EXERCISES, *gone]}


def lines(some, old):
    """All lines; of panels that are not among `some`, if there are some, the `old` ones."""
    for name in PANELS:
        own = [line for line in old if line.startswith(f"{name} |")]
        yield from sorted(panels(name)) if not some or name in some else own
    yield from itertools.chain(figures_of_notebooks(), exercises(), proofs(), saboteurs())


def main(some):
    """Write all of it, or of panels only `some`."""
    if strange := {*some} - {*PANELS}:
        raise SystemExit(f"{', '.join(sorted(strange))} is no panel; choose of {', '.join(PANELS)}.")
    known = json.loads(NAMES.read_text(encoding="utf-8"))
    for name in lost(known, {name: described(name) for name in PANELS}):
        print(f"{name} has lost a name, or has another version: tests/names.json is changed by hand there.")
    NAMES.write_text(json.dumps(with_new_names(known), indent=1) + "\n", encoding="utf-8")
    made = [*lines(some, KEPT.read_text(encoding="utf-8").splitlines())]
    KEPT.write_text("".join(f"{line}\n" for line in made), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

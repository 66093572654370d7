"""What panels show, what ledgers and errata compute: by fingerprint, so that no change of it goes unseen.

    python -m tests.kept       writes tests/kept.txt anew: what differs there is what a change has changed;
                               and adds to tests/names.json the names that are new

A line is a control, a position (where a scene begins, is answered or played, where each control ends) with
its words and its axes, a step of a proof or an erratum. Numbers count to four digits, arrays by two sums, so
that no fingerprint hangs on a processor; what is a millionth of the largest is nothing.
"""

import json
import zlib
from pathlib import Path

import numpy as np

from ldp_lib.live import EXERCISES, PANELS, kind, panel
from ldp_lib.stage import widget
from ldp_lib.theory import LEDGERS, errata, ledger

KEPT = Path(__file__).with_name("kept.txt")
NAMES = Path(__file__).with_name("names.json")
"""Names that others have written down: panels with their version, scenes and controls, and exercises."""
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


def panels(name):
    """The lines of a panel."""
    shown = panel(name)
    asked = ("name", "sentence", "recall", "formula", "answers", "right", "told")
    scenes = [[str(row.get(each)) for each in asked]
              for row in (scene | scene.get("ask", {}) for scene in shown.spec["scenes"])]
    yield f"{name} | story | {fingerprint(shown.title, shown.version, shown.size, scenes)}"
    for control in shown.controls[1 if shown.controls[0].name == "scene" else 0:]:
        told = control.title, control.values, control.texts, control.help
        yield f"{name} | {control.name} | {fingerprint(told)}"
    for words, values in positions(shown).items():
        state = shown._state(shown._place(values))
        axes = [f"{each.key} {fingerprint(each)}" for each in state.picture.axes]
        yield " | ".join((name, words, fingerprint(state.alt, state.readout), *axes))


def described(name):
    """What addresses of a panel name."""
    shown = kind(name)
    return {"version": shown.version, "scenes": [scene.name for scene in shown.scenes],
            "controls": sorted(control.name for control in shown.controls)}


def holds(new, old):
    """Whether a panel has all that addresses of an older one name."""
    lost = [name for part in ("scenes", "controls") for name in old[part] if name not in new[part]]
    return new["version"] == old["version"] and not lost


def with_new_names(known):
    """`known` and what is new; a panel that lost a name stays as it was, and `test_names` says so."""
    panels = {name: described(name) for name in PANELS}
    lost = {name: old for name, old in known["panels"].items()
            if name not in panels or not holds(panels[name], old)}
    gone = [name for name in known["exercises"] if name not in EXERCISES]
    return {"panels": panels | lost, "exercises": [*EXERCISES, *gone]}


def main():
    """Write all of it."""
    known = json.loads(NAMES.read_text(encoding="utf-8"))
    NAMES.write_text(json.dumps(with_new_names(known), indent=1) + "\n", encoding="utf-8")
    widget.AHEAD_AT_ONCE = 0.0
    lines = [line for name in PANELS for line in sorted(panels(name))] + list(proofs())
    KEPT.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()

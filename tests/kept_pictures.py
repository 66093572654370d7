"""What every panel shows where its scenes begin, are answered and played, and where each control ends.

    python -m tests.kept_pictures       writes tests/pictures.txt anew: what differs is a changed picture

A line is a position and the fingerprints of its words and of its axes. Numbers count to four digits, arrays
by two sums, so that no fingerprint hangs on a processor; what is a millionth of the largest is nothing.
"""

import zlib
from pathlib import Path

import numpy as np

from ldp_lib.live import PANELS, panel
from ldp_lib.stage import widget

KEPT = Path(__file__).with_name("pictures.txt")
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
    stages = shown.stages() * (1 if len(shown.stages()) > 1 else len(shown.scenes))
    for scene, start, (_, free) in zip(shown.scenes, shown.positions().values(), stages, strict=True):
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


def lines(name):
    """The lines of a panel."""
    shown = panel(name)
    for words, values in positions(shown).items():
        state = shown._state(shown._place(values))
        axes = [f"{each.key} {fingerprint(each)}" for each in state.picture.axes]
        yield " | ".join((name, words, fingerprint(state.alt, state.readout), *axes))


def main():
    """Write all of them."""
    widget.AHEAD_AT_ONCE = 0.0
    KEPT.write_text("".join(f"{line}\n" for name in PANELS for line in lines(name)), encoding="utf-8")


if __name__ == "__main__":
    main()

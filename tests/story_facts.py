"""A scene's fact: what a reader can read off its picture, and a position at which it is false."""

import importlib
from typing import NamedTuple

import numpy as np
from walk_facts import NUMBER, value

from ldp_lib.lessons import LESSONS


def twins(name):
    """The modules of this name under tests/lessons, which mirrors ldp_lib/lessons."""
    folders = (lesson.__name__.removeprefix("ldp_lib.") for lesson in LESSONS)
    return [importlib.import_module(f"{folder}.{name}") for folder in folders]


class Seen:
    """What a reader sees at a position: `seen["axes"]["mark"]` are arrays of the picture.

    `seen.shown.says` is the sentence below it, `seen.readout` its numbers, `seen.at` where controls stand.
    """

    def __init__(self, shown, at):
        self.shown, self.at, self.readout = shown, at, dict(shown.numbers)
        self.axes = {axes.key: {mark.key: mark.arrays for mark in axes.marks} for axes in shown.picture.axes}

    def __getitem__(self, key):
        return self.axes[key]

    def noise(self, axes="bars"):
        """Half the width of the noise band."""
        band = self[axes]["noise"]
        assert (band["low"] == -band["high"]).all()
        return float(band["high"][0])

    def heights(self, key, axes="bars"):
        """Signed heights of bars."""
        bars = self[axes][key]
        return np.where(bars["high"] > 0, bars["high"], bars["low"]).astype(float)

    def number(self, label, place=0):
        """A number of the readout."""
        return value(NUMBER.findall(self.readout[label])[place])

    def pushes(self):
        """How far, and where to, the arrows of the needle push; the longest leave the picture."""
        found = [arrays["x1"] - arrays["x0"] for key, arrays in self["needle"].items() if key[:5] == "push "]
        return np.concatenate([np.zeros(1), *found])

    def right(self):
        """How often the rule is right, as it is said."""
        return float(self.readout["right, on average"].rstrip("%")) / 100


class Fact(NamedTuple):
    """What a scene shows. `told` raises AssertionError where it is false; `broken`: moves that make it so."""

    story: str
    scene: str
    told: object
    broken: dict


def moved(story, scene, **moves):
    """The `Seen` at the position of a scene, with some controls elsewhere."""
    at = story.starts()[scene] | moves
    return Seen(story.show(**at), at)

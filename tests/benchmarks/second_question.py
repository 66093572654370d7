"""Notebook 08: exact powers of tests of 256 faces, and every position that a hand reaches in its scenes.

Powers take turns with a fast Fourier transform of a million numbers: its median says how fast the machine is
today, and its slowest tenth how much of a time is noise. Times are those of the processor, so that they mean
nearly the same on a busy machine. Positions are computed as for the first visitor: what the modules of this
lesson keep in caches is forgotten before each round, and each position counts with its median.
"""

import functools
import statistics
import sys
import time

import numpy as np

from ldp_lib.estimation import UniformityTest
from ldp_lib.lessons.second_question.proof import STORY as PROOF
from ldp_lib.lessons.second_question.story import STORY
from ldp_lib.nature import tilted_die
from ldp_lib.risk import uniformity_power
from ldp_lib.stage.scene import Story

from .measure import Row, duration

TITLE = "The second question (alpha = 1, delta = 0.5)"
TESTS = {"one round": (UniformityTest(1.0, 256, rounds=1), 293_122),
         "public dice": (UniformityTest(1.0, 256, rounds=1, coins="public"), 88_918),
         "two rounds": (UniformityTest(1.0, 256), 42_228)}
"""With power 0.8."""
REPEATS, ROUNDS = 51, 3
GOAL_POWER, GOAL_POSITION = 0.020, 0.015


def rows():
    """Yield one `Row` a test, and one a scene."""
    law, numbers = tilted_die(256, 0.5), np.random.default_rng(1).random(2**20)
    transforms = []
    for name, (test, n) in TESTS.items():
        powers, units = zip(*((_seconds(uniformity_power, test, law, n), _seconds(np.fft.rfft, numbers))
                              for _ in range(REPEATS)), strict=True)
        seconds, unit = map(statistics.median, (powers, units))
        transforms += units
        yield Row(f"exact power, 256 faces, {n:,} people, {name}", duration(seconds),
                  f"{seconds / unit:.2f} transforms of 2^20 numbers", duration(GOAL_POWER),
                  seconds <= GOAL_POWER)
    middle, *_, high = statistics.quantiles(transforms, n=10)[4:]
    yield Row("  a transform", duration(middle), f"one in ten takes {high / middle:.1f} times as long")
    for story in (STORY, PROOF):
        yield from scenes(story)


def scenes(story: Story):
    """Yield a `Row` for each scene: where it begins, and each of its controls moved from there."""
    found = {}
    for _ in range(ROUNDS):
        _forget()
        for start, shown in story.reach():
            places = [start] + [start | {control.name: value} for control in story.controls
                                if control.name in shown for value in control.values]
            for number, place in enumerate(places):
                taken = _seconds(story.show, **place)
                found.setdefault(start["scene"], {}).setdefault(number, []).append(taken)
    for scene, positions in found.items():
        seconds = [statistics.median(each) for each in positions.values()]
        yield Row(f"{story.name}, {scene}: the slowest of {len(seconds)} positions", duration(max(seconds)),
                  f"median {duration(statistics.median(seconds))}", duration(GOAL_POSITION),
                  max(seconds) <= GOAL_POSITION)


def _seconds(action, *arguments, **named):
    """Of the processor."""
    start = time.process_time()
    action(*arguments, **named)
    return time.process_time() - start


def _forget():
    """Empty the caches of the modules of this lesson, and of its theory."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("ldp_lib.lessons.second_question", "ldp_lib.theory.second_question")):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()

"""What panels say and mechanisms draw, into a file: to compare processors, real or played ones.

    python tests/jitter/snapshot.py FILE [--positions 12] [--panels elbow bayes]

`--positions` : how many of a scene's positions, drawn from a seed: along single controls, and with all moved.
"""

import argparse
import pickle
import random
import warnings

import numpy as np

from ldp_lib.live import PANELS, panel
from ldp_lib.nature import DENSITIES, PROBLEMS, density, problem
from ldp_lib.privacy import (
    CellLaplace, CubeLaplace, DyadicBit, HadamardBit, LatticeLaplace, SignedSubset, SubsetSelection,
    WaveletLaplace, stability_histogram,
)
from ldp_lib.privacy.registry import REGISTRY
from ldp_lib.risk import simulate_crowd
from ldp_lib.stage.deck import Failure

PEOPLE = 300
MECHANISMS = (
    *(line.build(alpha, 0.3) for line in REGISTRY for alpha in (0.3, 1.0, 4.0)), CubeLaplace(0.7, 0.4, 2),
    CellLaplace(3.0, 0.4, 2), WaveletLaplace(1.0, "db2", 3), WaveletLaplace(0.5, "sym4", 2, "by_level"),
    HadamardBit(0.001, 0.2), DyadicBit(8.0, 1, 2), SignedSubset(3.0, 0.3, 2), SubsetSelection(2.0, 1 / 64))


def reached(shown, most, seed):
    """At most so many positions of every scene of a panel: its start, and some that a hand can reach."""
    choose = random.Random(f"{shown.name} {seed}")
    answered = [(values | scene.ask.then, names)
                for (values, names), scene in zip(shown.reach(), shown.scenes) if scene.ask]
    for start, names in [*shown.reach(), *answered]:
        yield start
        moved = [control for control in shown.controls if control.name in names and control.name != "scene"]
        single = [start | {control.name: value} for control in moved for value in control.values]
        yield from choose.sample(single, min(len(single), most - most // 3))
        for _ in range(most // 3 if len(moved) > 1 else 0):
            yield start | {control.name: choose.choice(control.values) for control in moved}


def said(name, most, seed):
    """Position -> sentence, read-out and marks of the panel of that name."""
    shown, found = panel(name), {}
    for values in reached(shown, most, seed):
        state = shown._state(shown._place(values))
        where = f"{name}: " + ", ".join(f"{key}={value}" for key, value in values.items())
        if isinstance(state, Failure):
            found[where] = state.error
            continue
        marks = {f"{axes.key}/{mark.key}": (mark.kind, mark.label, dict(mark.options), dict(mark.arrays))
                 for column in state.picture.columns for axes in column for mark in axes.marks}
        found[where] = state.alt, state.readout, marks
    return found


def reports():
    """What every mechanism and every noise draws from a seed: whole numbers of steps, bit for bit."""
    found = {}
    places, labels = np.random.default_rng(1).random(PEOPLE), np.random.default_rng(2).integers(0, 2, PEOPLE)
    for number, mechanism in enumerate(MECHANISMS):
        rows = np.repeat(places[:, None], mechanism.d, axis=1)
        people = (rows, labels) if mechanism.labelled else (places,)
        found[f"{number} {mechanism!r} reports"] = mechanism.privatize(*people, rng=3)
        if hasattr(mechanism, "simulate_aggregate"):
            found[f"{number} {mechanism!r} sums"] = mechanism.simulate_aggregate(*people, rng=4)
    for scale in (0.01, 1.0, 2 / 0.7, 1000.0):
        for crowd in (1, 30, 10**5, 10**9, 10**12):
            found[f"{crowd} noises of {scale}"] = LatticeLaplace(scale).sample_sum(crowd, 100, rng=5)
    return found | {"histogram": stability_histogram(np.arange(200), 1.0, 1e-6, rng=6)}


def people():
    """Who is drawn from every law from a seed: places up to rounding, and all that is counted."""
    found = {}
    for name in PROBLEMS:
        law = problem(name)
        found[name] = law.sample(PEOPLE, rng=7)
        if law.d <= 2:
            for kind in (CubeLaplace, CellLaplace):
                for crowd in (10**4, 10**9):
                    found[f"{crowd} of {name}, {kind.__name__}"] = simulate_crowd(
                        kind(1.0, 0.1, law.d), law, crowd, rng=8)
    for name in DENSITIES:
        found[f"density {name}"] = density(name).sample(PEOPLE, rng=9)
    return found


def main():
    parser = argparse.ArgumentParser(description="Write what panels say and mechanisms draw into a file.")
    parser.add_argument("file")
    parser.add_argument("--positions", type=int, default=12)
    parser.add_argument("--panels", nargs="*", default=list(PANELS))
    parser.add_argument("--seed", type=int, default=0, help="of the positions")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {"mechanisms": reports(), "people": people()}
    found |= {name: said(name, asked.positions, asked.seed) for name in asked.panels}
    with open(asked.file, "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    main()

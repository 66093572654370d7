"""What the pictures of notebook 06 show, in numbers: who adds how much noise, and what a move changes."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.estimation import NoisyMajorityClassifier
from ldp_lib.lessons.people import by_age
from ldp_lib.privacy import (
    CellLaplace, CubeLaplace, HadamardBit, LatticeLaplace, RealLaplace, hockey_stick, lattice_laws,
)
from ldp_lib.risk import cell_grid
from ldp_lib.risk.scores import noise_level

SIDE = 1 / 8
"""Of a cell of ages: nine years and a month."""
CELLS = np.arange(8)
HOME = 1
A = 0.13
"""Where number 24 of the cast lives: 27 years old, in the cell `HOME`, with label 1."""


@lru_cache(maxsize=8)
def survey(cuts=8):
    """The `CellGrid` of the survey, ages cut into so many cells: exact shares of people in every cell, and of
    those with label 1."""
    return cell_grid(NoisyMajorityClassifier(1.0, side=1 / cuts), by_age())


def depth(mechanism, n):
    """The noise in the votes of the cell `HOME` from reports of n people, in people: one standard deviation.

    A report varies by her place and label, too, which is no noise.
    """
    share = float(survey().p[HOME])
    return math.sqrt(n * (mechanism.variance(share) - share / 4))


RIVALS = {
    "curator": lambda n: math.sqrt(RealLaplace(1.0).variance),
    "one bit each": lambda n: depth(HadamardBit(1.0, SIDE), n),
    "cells": lambda n: depth(CellLaplace(1.0, SIDE), n),
    "cubes": lambda n: n * noise_level(CubeLaplace(1.0, SIDE / 2).scale, n),
}
"""Who adds noise, named as in `price` -> n -> how deep it is, in people, at alpha = epsilon = 1."""


def margin(n):
    """What the votes of n people in the cell `HOME` add up to, on average."""
    cells = survey()
    return float(n * (cells.q[HOME] - cells.p[HOME] / 2))


def both_noises(n):
    """How deep everybody's noise is, and a curator's, in people."""
    return np.array([RIVALS["cells"](n), RIVALS["curator"](n)])


KINDS = {"votes": (("votes", 0.5),), "yes": (("yes", 1),), "yes and people": (("yes", 1), ("people", 1))}
"""What a curator may release of every cell -> name of each number, and what a person with label 1 adds to
it."""


def change(kind, to, cuts):
    """What changes in every one of so many cells if A, whose label is 1, moves there: (numbers, cells)."""
    added, places = np.array([own for _, own in KINDS[kind]], float)[:, None], np.arange(cuts)
    return added * ((places == int(to * cuts)) * 1.0 - (places == int(A * cuts)))


@lru_cache(maxsize=len(KINDS))
def smallest_delta(kind):
    """Of noise of scale 1 at epsilon = 1 if A moves to another cell: exact, on a lattice of sixteenths."""
    noise = LatticeLaplace(1.0, steps=16)
    moved = [sign * own for _, own in KINDS[kind] for sign in (-1.0, 1.0)]
    return hockey_stick([lattice_laws(0.0, each, noise) for each in moved], 1.0)


def memory(n):
    """Mean error after n people of the rule that says 1 from the smallest x with label 1 on.

    The threshold is in the middle of a law without atoms: the integral of (1 - a)^n over [0, 1/2], whatever
    the scale of the law. No privacy, no cells.
    """
    return (1 - 0.5 ** (n + 1.0)) / (n + 1)

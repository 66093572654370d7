"""Exact risks of four mechanisms and the people that each needs, for the panel of notebook 07.

X is uniform, so that many cells share their two masses; each pair of masses is integrated once. The table of
one budget, all risks at all bandwidths and numbers of people, takes some hundredths of a second. Where a
curve of the paper's mechanism falls to the risk of the best one is computed between the two n of the table.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.nature import problem as build_problem
from ldp_lib.risk import cell_grid, label_probabilities
from ldp_lib.risk.exact import grid_risks, people_on_curve

ROLES = {"paper": "the paper's", "cells": "cells, Laplace", "bit": "one bit", "best": "best"}
"""Mechanisms, and what they are called in the picture."""
PROBLEMS = ("sine", "wave")
ALPHAS = tuple(float(f"{2 ** (k / 2):.3g}") for k in range(-6, 7))
"""Positions of alpha, half octaves."""
CELLS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
"""Cells per axis; the bandwidths are their reciprocals."""
PEOPLE = np.logspace(2, 11, 28).round().astype(int)[1:]
"""Numbers of people at which the curves are computed; the slider takes those up to `MOST_PEOPLE`."""
MOST_PEOPLE = 10**7
TUNED = 0.0
"""The position of h that gives each mechanism the bandwidth of its least exact risk."""
ERROR = 1e-5
"""Relative error of the probabilities in the picture, far below the width of a line."""
STEPS = 8
"""Steps from one of `PEOPLE` to the next in the search for the people that a mechanism needs: of 10% each."""
FLOOR = 5e-7
"""An excess risk below is 0 to six digits, and not compared: soon it is all rounding errors."""
PIXELS = 96
"""Points per axis of the pictures of the fits."""
SEED = 5
"""Of the numbers that decide all fits; chosen so that the first picture is a typical one."""


class Pieces(NamedTuple):
    """The cells of a rule, those with equal masses taken together.

    `p`, `q`: masses as in `CellGrid`, and `gain_one`, `gain_zero` added up, (m,).  `place`: which of the m a
    cell belongs to, of the shape of the grid.  `lower`: as there, of all cells.
    """

    lower: np.ndarray
    p: np.ndarray
    q: np.ndarray
    gain_one: np.ndarray
    gain_zero: np.ndarray
    place: np.ndarray


@lru_cache(maxsize=4)
def law(name, d):
    """The problem."""
    return build_problem(name, d=d)


def rule(role, alpha, h):
    """The classifier of a role; real noise, since a lattice that moved with alpha would make curves jump."""
    if role == "paper":
        return CubeClassifier(alpha, h, noise="real")
    if role == "bit":
        return OneBitClassifier(alpha, h)
    if role == "cells":
        return CellClassifier(alpha, h, noise="real")
    return CellClassifier(alpha, h, mechanism="best", noise="real")


@lru_cache(maxsize=96)
def pieces(name, d, paper, cells):
    """The `Pieces` of the paper's cubes or of disjoint cells, `cells` per axis."""
    grid = cell_grid(rule("paper" if paper else "cells", 1.0, 1 / cells), law(name, d))
    # Equal masses differ by rounding errors of 1e-17 or so.
    masses = np.stack([grid.p, grid.q]).round(14)
    (p, q), place = np.unique(masses, axis=1, return_inverse=True)
    gains = (np.bincount(place, weights=gain) for gain in (grid.gain_one, grid.gain_zero))
    return Pieces(grid.lower, p, np.minimum(q, p), *gains, place.reshape((cells + paper,) * d))


def build_mechanism(role, alpha, cells, d):
    """What people run in a role other than the paper's, with `cells` per axis."""
    return rule(role, alpha, 1 / cells).build_mechanism(d)


def exact_risk(name, d, role, alpha, cells, people):
    """Exact excess risk at each of `people`, an array (m,)."""
    part = pieces(name, d, role == "paper", cells)
    return grid_risks(rule(role, alpha, 1 / cells), [part] * len(people), people, ERROR)


@lru_cache(maxsize=52)
def table(name, d, alpha):
    """Exact excess risks of each role, arrays (len(CELLS), len(PEOPLE))."""
    return {role: np.array([exact_risk(name, d, role, alpha, cells, PEOPLE) for cells in CELLS])
            for role in ROLES}


@lru_cache(maxsize=2)
def luck(d):
    """One uniform number a cell, common to all fits: a cell of index j says 1 if P(class 1) exceeds it.

    So every cell has the exact law of its label, and a fit changes where the law changes. Cells are drawn
    independently of each other, which their noise is; that people live in one cell only is neglected.
    """
    return np.random.default_rng(SEED).random((CELLS[-1] + 1,) * d)


def fit(name, d, role, alpha, cells, n):
    """The labels of one fit on PIXELS x PIXELS points of the unit square."""
    part = pieces(name, d, role == "paper", cells)
    one = label_probabilities(rule(role, alpha, 1 / cells), part, n, ERROR)[1]
    labels = (luck(d)[tuple(map(slice, part.place.shape))] < one[part.place]).astype(int)
    # The paper's rule asks the nearest grid point, the others the cell.
    x = (np.arange(PIXELS) + 0.5) / PIXELS * cells + (0.5 if role == "paper" else 0.0)
    index = x.astype(int)
    return np.tile(labels[index], (PIXELS, 1)) if d == 1 else labels[np.ix_(index, index)].T


@lru_cache(maxsize=4096)
def between(name, d, alpha, grids, place):
    """`STEPS` + 1 people from `PEOPLE[place - 1]` to `PEOPLE[place]`; the paper's least risk at `grids`."""
    people = np.geomspace(*PEOPLE[place - 1 : place + 1], STEPS + 1).round().astype(int)
    return people, np.min([exact_risk(name, d, "paper", alpha, cells, people) for cells in grids], axis=0)


def people_for(risk, name, d, alpha, grids):
    """The people with whom the paper's mechanism first has `risk`, with the best of `grids` cells per axis.

    Infinite if the last of `PEOPLE` do not suffice; the first of them if they do.
    """
    curves = table(name, d, alpha)["paper"][[CELLS.index(cells) for cells in grids]]
    enough = curves <= risk
    if not enough.any():
        return np.inf
    place = int(enough.any(axis=0).argmax())
    if place == 0:
        return float(PEOPLE[0])
    # At one h the risk falls with n: what is not there at the end of the step was not there before.
    people, curve = between(name, d, alpha, tuple(np.compress(enough[:, place], grids).tolist()), place)
    return people_on_curve(risk, people, curve)

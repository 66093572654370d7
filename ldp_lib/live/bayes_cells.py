"""The laws of the bayes panel: their cells for every n, exact masses, and where the picture draws them.

All of it is computed once for each law; budgets do not matter here.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from contourpy import contour_generator

from ldp_lib.estimation import HistogramClassifier, NoisyMajorityClassifier, VoronoiClassifier
from ldp_lib.live.bayes_scene import PIXELS
from ldp_lib.live.control import log_steps
from ldp_lib.nature import Circle, problem, space_problem
from ldp_lib.nature.on_spaces import OnNumbers
from ldp_lib.risk import cell_grid, label_probabilities

HALF = {"place": 0.3819, "width": 0.7638}
"""A threshold that no cell ends at."""
LAWS = {
    "[0, 1]: a threshold": ("threshold", partial(problem, "threshold", **HALF)),
    "[0, 1]: Cantor set": ("cantor", partial(problem, "cantor")),
    "square: moons": ("moons", partial(problem, "moons")),
    "square: survey, age and schooling": ("cps", partial(problem, "cps", features=("age", "education"))),
    "circle": ("circle", lambda: OnNumbers("circle", Circle(), problem("threshold", **HALF))),
    "sphere": ("sphere", partial(space_problem, "sphere")),
    "tree": ("tree", partial(space_problem, "tree", depth=6)),
}
"""Entry of the dropdown -> name and maker of the law; the last three have Voronoi cells, the others cubes."""
SPACES = ("circle", "sphere", "tree")
PEOPLE = log_steps(10, 10**6, 4)
MODELS = ("central", "local")
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
NEGLECTED = 1e-10
"""What a cell may add to the risk without being looked at."""
RING = (0.27, 0.48)
"""Radii between which the circle is drawn, for the unit square."""


class Votes(NamedTuple):
    """Classes of cells with the same law of the vote, (m,) each; all n of a law together.

    The excess risk at an n is its `floor` and, summed over its classes, `stake` times the probability of a 0.
    `row`: which n.  `p`, `q`: P(X in the cell), P(X in the cell, Y = 1).  `floor`: one for each n.
    """

    row: np.ndarray
    p: np.ndarray
    q: np.ndarray
    stake: np.ndarray
    floor: np.ndarray


class Tiling(NamedTuple):
    """The cells at one n.

    `cells`: (rows, PIXELS), the cell at each pixel, -1 outside.  `place`: (K,), where the picture of the
    counts puts them.  The rest as in `ldp_lib.risk.CellGrid`.
    """

    p: np.ndarray
    q: np.ndarray
    gain_one: np.ndarray
    gain_zero: np.ndarray
    cells: np.ndarray
    place: np.ndarray


class Landscape(NamedTuple):
    """What no slider moves.

    `tilings`: model -> n -> `Tiling`.  `votes`: model -> `Votes`.  `open`: the risks without privacy.
    `majority`: the risk of the majority label.
    """

    tilings: dict
    votes: dict
    open: np.ndarray
    majority: float
    eta: np.ndarray
    """(2, m), places and values of eta on [0, 1]; empty elsewhere."""
    boundary: list
    """Polylines (m, 2) in the unit square where the best rule changes."""


def _rule(name, law, n, model):
    """The rule whose cells the picture has: the curator's; for local reports, cubes of side n^(-1/(4d))."""
    if name in SPACES:
        return VoronoiClassifier(space=law.space, noise="real")
    return NoisyMajorityClassifier(side=None if model == "central" else n ** (-1 / (4 * law.d)), noise="real")


def _screen(name, law):
    """(points, inside) of the PIXELS x PIXELS picture, first row at the bottom; one row for numbers.

    The circle is a ring, the sphere its equal-area cylinder (longitude, height), the tree has its root on
    top.
    """
    u = (np.arange(PIXELS) + 0.5) / PIXELS
    across, up = np.meshgrid(u, u)
    inside = np.ones(across.shape, bool)
    if name == "circle":
        radius = np.hypot(across - 0.5, up - 0.5)
        inside = (radius >= RING[0]) & (radius <= RING[1])
        return (np.arctan2(up - 0.5, across - 0.5) / (2 * np.pi) % 1.0)[..., None], inside
    if name == "sphere":
        height, longitude = 2 * up - 1, 2 * np.pi * across
        wide = np.sqrt(1 - height**2)
        return np.stack([wide * np.cos(longitude), wide * np.sin(longitude), height], axis=-1), inside
    if name == "tree":
        depth = np.floor((1 - up) * (law.space.depth + 1))
        return (2.0**depth - 1 + np.floor(across * 2.0**depth))[..., None], inside
    if law.d == 1:
        return u[None, :, None], np.ones((1, PIXELS), bool)
    return np.stack([across, up], axis=-1), inside


def _located(name, law, rule, n, screen):
    """(cells, place) of a `Tiling`; `place` is None where the space has no order."""
    points, inside = screen
    cells = np.full(inside.shape, -1, np.int16)
    if name in SPACES:
        voronoi = rule.voronoi(n)
        cells[inside] = voronoi.locate(points[inside])
        return cells, voronoi.centres[:, 0] if name == "circle" else None
    side = rule.cube_side(n, law.d)
    m = int(np.ceil(1 / side - 1e-9))
    index = np.minimum(np.floor(points / side).astype(int), m - 1)
    cells[:] = np.ravel_multi_index(tuple(np.moveaxis(index, -1, 0)), (m,) * law.d)
    return cells, np.minimum((np.arange(m) + 0.5) * side, 1.0) if law.d == 1 else None


def _tiling(name, law, n, model, screen, known):
    rule = _rule(name, law, n, model)
    key = rule.voronoi(n).centres.tobytes() if name in SPACES else (n, model)
    if key not in known:
        grid = cell_grid(rule, law, n)
        cells, place = _located(name, law, rule, n, screen)
        if place is None:
            place = np.empty(len(grid.p))
            place[np.argsort(-grid.p, kind="stable")] = (np.arange(len(grid.p)) + 0.5) / len(grid.p)
        known[key] = Tiling(grid.p, grid.q, grid.gain_one, grid.gain_zero, cells, place)
    return known[key]


def _votes(tilings, model):
    """The `Votes` of the tilings of all n: equal cells are counted once.

    A curator's vote with real noise treats both labels alike, so that cells with more zeros than ones are
    counted with labels exchanged; local reports, half of them without labels, do not.
    """
    parts, floor = [], []
    for row, cells in enumerate(tilings):
        exchanged = (cells.gain_one < cells.gain_zero) & (model == "central")
        q = np.where(exchanged, cells.p - cells.q, cells.q)
        stake = np.where(exchanged, -1, 1) * (cells.gain_one - cells.gain_zero)
        floor.append(np.where(exchanged, cells.gain_one, cells.gain_zero).sum())
        some = np.abs(stake) > NEGLECTED
        kinds, which = np.unique(np.round([cells.p[some], q[some]], 14), axis=1, return_inverse=True)
        stakes = np.bincount(which.ravel(), stake[some], minlength=kinds.shape[1])
        parts.append([np.full(len(stakes), row), *kinds, stakes])
    return Votes(*map(np.concatenate, zip(*parts, strict=True)), np.array(floor))


def _boundary(name, law, screen):
    points, inside = screen
    if name == "cps":  # one value of eta for every year: borders everywhere
        return np.empty((2, 0)), []
    eta = np.full(inside.shape, np.nan)
    eta[inside] = law.eta(points[inside])
    if name not in SPACES and law.d == 1:
        return np.array([points[0, :, 0], eta[0]]), []
    u = (np.arange(PIXELS) + 0.5) / PIXELS
    return np.empty((2, 0)), contour_generator(u, u, np.ma.masked_invalid(eta), name="serial").lines(0.5)


@lru_cache(maxsize=None)
def landscape(entry):
    """The `Landscape` of an entry of `LAWS`."""
    name, make = LAWS[entry]
    law = make()
    screen, tilings, known = _screen(name, law), {}, {}
    for model in MODELS:
        tilings[model] = {n: _tiling(name, law, n, model, screen, known) for n in PEOPLE}
    usual = []
    for n, cells in tilings["central"].items():
        zero, one = label_probabilities(HistogramClassifier(), cells, n, ERROR)
        usual.append(cells.gain_one @ zero + cells.gain_zero @ one)
    whole = tilings["central"][PEOPLE[0]]
    ones, margin = whole.q.sum(), whole.gain_one.sum() + whole.gain_zero.sum()
    eta, boundary = _boundary(name, law, screen)
    votes = {model: _votes(tilings[model].values(), model) for model in MODELS}
    return Landscape(tilings, votes, np.array(usual), (margin - abs(2 * ones - 1)) / 2, eta, boundary)

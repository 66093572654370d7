"""The laws of the bayes panel: their cells for every n, exact masses, and where the picture draws them.

All of it is computed once for each law; budgets do not matter here.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import HistogramClassifier, NoisyMajorityClassifier, VoronoiClassifier
from ldp_lib.live.engine import log_steps
from ldp_lib.live.pictures import ERROR, broken, contour
from ldp_lib.nature import Circle, problem, space_problem
from ldp_lib.nature.on_spaces import OnNumbers
from ldp_lib.risk import CellGrid, cell_grid
from ldp_lib.risk.exact import grid_risks

HALF = {"place": 0.3819, "width": 0.7638}
"""A threshold that no cell ends at."""
LAWS = {
    "[0, 1]: a threshold": ("threshold", partial(problem, "threshold", **HALF), "one fit on [0, 1]"),
    "[0, 1]: Cantor set": ("cantor", partial(problem, "cantor"), "one fit on [0, 1]"),
    "square: moons": ("moons", partial(problem, "moons"), "one fit on the square"),
    "square: survey, age and schooling": ("cps", partial(problem, "cps", features=("age", "education")),
                                          "one fit by age and schooling (up)"),
    "circle": ("circle", lambda: OnNumbers("circle", Circle(), problem("threshold", **HALF)),
               "one fit on the circle"),
    "sphere": ("sphere", partial(space_problem, "sphere"), "one fit by longitude and height (up)"),
    "tree": ("tree", partial(space_problem, "tree", depth=6), "one fit, the root on top"),
}
"""Entry of the dropdown -> name and maker of the law, and title of its picture.

The last three have Voronoi cells, the others cubes."""
SPACES = ("circle", "sphere", "tree")
PEOPLE = log_steps(10, 10**6, 4)
MODELS = ("central", "local")
FIELD = 160
"""Points per axis at which the cells of a circle and of a sphere are drawn."""
FINE = 256
"""Points per axis from which the border of the best rule is found."""
MOST_EDGES = 300
"""Edges of more cells than this would hide the cells."""
RING = (0.27, 0.48)
"""Radii between which the circle is drawn, for the unit square."""


class Tiling(NamedTuple):
    """The cells at one n.

    `cells`: (rows, columns), the cell at each place of a grid on `box` (left, right, bottom, top), first row
    at the bottom, -1 outside.  `edges`: (2, m), lines between them, NaN after each.  `place`: (K,), where the
    picture of the counts puts them.
    """

    grid: CellGrid
    cells: np.ndarray
    box: tuple
    edges: np.ndarray
    place: np.ndarray


class Landscape(NamedTuple):
    """What no slider moves.

    `tilings`: model -> n -> `Tiling`.  `open`: the risks without privacy.  `majority`: the risk of the
    majority label.  `ordered`: whether cells have places on a line.
    """

    tilings: dict
    open: np.ndarray
    majority: float
    ordered: bool
    eta: np.ndarray
    """(2, m), places and values of eta on [0, 1]; empty elsewhere."""
    boundary: np.ndarray
    """(2, m), lines in the unit square where the best rule changes, NaN after each."""


def _rule(name, law, n, model):
    """The rule whose cells the picture has: the curator's; for local reports, cubes of side n^(-1/(4d))."""
    if name in SPACES:
        return VoronoiClassifier(space=law.space, noise="real")
    return NoisyMajorityClassifier(side=None if model == "central" else n ** (-1 / (4 * law.d)), noise="real")


def _screen(name, law, rows, columns):
    """(points, inside) of a grid of places in the unit square, first row at the bottom.

    The circle is a ring, the sphere its equal-area cylinder (longitude, height), the tree has its root on
    top.
    """
    across, up = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
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
    return (across[..., None] if law.d == 1 else np.stack([across, up], axis=-1)), inside


def _located(name, law, rule, n):
    """(cells, box, place) of a `Tiling`; `place` is None where the space has no order."""
    if name in SPACES:
        points, inside = _screen(name, law, *((law.space.depth + 1, 2**law.space.depth) if name == "tree"
                                              else (FIELD, FIELD)))
        cells, voronoi = np.full(inside.shape, -1, np.int16), rule.voronoi(n)
        cells[inside] = voronoi.locate(points[inside])
        return cells, (0, 1, 0, 1), voronoi.centres[:, 0] if name == "circle" else None
    side = rule.cube_side(n, law.d)
    m = int(np.ceil(1 / side - 1e-9))
    cells = np.arange(m**law.d, dtype=np.int16).reshape(-1, m).T  # the last cubes reach beyond the square
    if law.d == 1:
        return cells.T, (0, m * side, 0, 1), np.minimum((np.arange(m) + 0.5) * side, 1.0)
    return cells, (0, m * side, 0, m * side), None


def _sides(cells):
    """(column, start, end) of the upright lines between unequal neighbours, each as long as it goes."""
    changes = np.diff(np.pad(cells[:, 1:] != cells[:, :-1], ((1, 1), (0, 0))).astype(np.int8), axis=0).T
    (column, start), (_, end) = np.nonzero(changes > 0), np.nonzero(changes < 0)
    return column + 1, start, end


def _edges(cells, box):
    """The `edges` of a `Tiling`."""
    (across, start, end), (up, left, right) = _sides(cells), _sides(cells.T)
    x, y = (broken(np.concatenate(ends, axis=1).T) for ends in (
        ([across, across], [left, right]), ([start, end], [up, up])))
    return np.array([box[0] + x * (box[1] - box[0]) / cells.shape[1],
                     box[2] + y * (box[3] - box[2]) / cells.shape[0]], np.float32)


def _tiling(name, law, n, model, known):
    rule = _rule(name, law, n, model)
    key = rule.voronoi(n).centres.tobytes() if name in SPACES else (n, model)
    if key not in known:
        grid = cell_grid(rule, law, n)
        cells, box, place = _located(name, law, rule, n)
        edges = _edges(cells, box) if len(grid.p) <= MOST_EDGES else np.empty((2, 0), np.float32)
        if place is None:
            place = np.empty(len(grid.p))
            place[np.argsort(-grid.p, kind="stable")] = (np.arange(len(grid.p)) + 0.5) / len(grid.p)
        known[key] = Tiling(grid, cells, box, edges, place)
    return known[key]


def _boundary(name, law):
    """(eta, boundary) of a `Landscape`."""
    nothing = np.empty((2, 0))
    if name == "cps":  # one value of eta for every year: borders everywhere
        return nothing, nothing
    line = name not in SPACES and law.d == 1
    points, inside = _screen(name, law, 1 if line else FINE, FINE)
    eta = np.full(inside.shape, np.nan)
    eta[inside] = law.eta(points[inside])
    if line:
        return np.array([points[0, :, 0], eta[0]]), nothing
    return nothing, contour((np.arange(FINE) + 0.5) / FINE, eta)


@lru_cache(maxsize=len(LAWS))
def landscape(entry):
    """The `Landscape` of an entry of `LAWS`."""
    name, make, _ = LAWS[entry]
    law = make()
    tilings, known = {}, {}
    for model in MODELS:
        tilings[model] = {n: _tiling(name, law, n, model, known) for n in PEOPLE}
    grids = [tiling.grid for tiling in tilings["central"].values()]
    ones, margin = grids[0].q.sum(), grids[0].gain_one.sum() + grids[0].gain_zero.sum()
    ordered = name == "circle" or (name not in SPACES and law.d == 1)
    return Landscape(tilings, grid_risks(HistogramClassifier(), grids, PEOPLE, ERROR),
                     (margin - abs(2 * ones - 1)) / 2, ordered, *_boundary(name, law))

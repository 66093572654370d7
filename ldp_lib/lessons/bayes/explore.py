"""The panel of notebook 06: private Bayes consistency (Bousquet et al., 2022, Algorithms 1 to 4).

What no slider but that of the law moves, the cells for every n, their exact masses, and where the picture
draws them, is computed once for each law.

Central: a curator adds noise to the votes of every cell. Local: people add noise to their own reports,
one-hot vectors of the cells, as in notebook 02 but in cells that do not overlap, so that the noise has scale
2/epsilon and not 2^(d+1)/epsilon. One bit: the same cells, and what a curator is to be compared with, since
no mechanism of this library learns from fewer people at epsilon <= 1 (`ldp_lib.privacy.HadamardBit`). Fits
are drawn with common random numbers: for every n one sample of votes, whatever the budget. Noise is real, not
on a lattice, for the reason given in `ldp_lib.risk.crowd`.
"""

import math
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ldp_lib._rounding import NOTHING, head_counts, ranks
from ldp_lib.estimation import (
    HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier, VoronoiClassifier,
)
from ldp_lib.lessons.bayes.numbers import memory
from ldp_lib.lessons.pictures import ERROR, broken, contour, curves, here, risk_in_words, row
from ldp_lib.nature import Circle, problem, space_problem
from ldp_lib.nature.on_spaces import OnNumbers
from ldp_lib.privacy import stability_threshold
from ldp_lib.risk import CellGrid, cell_grid, label_probabilities
from ldp_lib.risk.exact import grid_risks, merged, people_on_curve
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.stage import Control, Shown, log_steps, view
from ldp_lib.stage.picture import Axes, cells, dots, figures, handle, line, linear, log, rule, short

HALF = {"place": 0.3819, "width": 0.7638}
"""A threshold that no cell ends at."""
LAWS = {
    "[0, 1]: a threshold": ("threshold", partial(problem, "threshold", **HALF), "one fit on [0, 1]"),
    "[0, 1]: Cantor set": ("cantor", partial(problem, "cantor"), "one fit on [0, 1]"),
    "square: moons": ("moons", partial(problem, "moons"), "one fit on the square"),
    "square: survey": ("cps", partial(problem, "cps", features=("age", "education")),
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
GOAL = 0.05
"""Excess risk for which the readout counts people."""
DELTAS = tuple(10.0**-k for k in (60, 50, 40, 30, 25, 20, 16, 13, 10, 8, 6, 4, 2))
RISKS = (2e-7, 1.0)
COUNTS = (0.4, 3e6)
"""Ends of the axis of people in a cell; a cell that shows 0 stands at the lower end."""
CURVES = {
    "central": ("curator", "private", {"width": 3}),
    "one bit": ("everybody, one bit", "truth", {"dash": (3, 2)}),
    "local": ("everybody, counts", "second", {}),
    "open": ("no privacy", "open", {"width": 1.6}),
    "memory": ("no privacy, no cells", "other", {}),
}
"""Of the risks: name in the key, role and looks; the last where the law moves."""
SEED = 4


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

    `tilings`: model -> n -> `Tiling`.  `grids`: model -> their cells, `merged`, one for each of `PEOPLE`.
    `open`: the risks without privacy.  `majority`: the risk of the majority label.  `ordered`: whether cells
    have places on a line.
    """

    tilings: dict
    grids: dict
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
            place = (np.argsort(np.argsort(ranks(-grid.p), kind="stable")) + 0.5) / len(grid.p)
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
    law, known = make(), {}
    tilings = {model: {n: _tiling(name, law, n, model, known) for n in PEOPLE} for model in MODELS}
    grids = {model: [merged(tiling.grid)[0] for tiling in tilings[model].values()] for model in MODELS}
    whole = tilings["central"][PEOPLE[0]].grid
    ones, margin = whole.q.sum(), whole.gain_one.sum() + whole.gain_zero.sum()
    ordered = name == "circle" or (name not in SPACES and law.d == 1)
    return Landscape(tilings, grids, grid_risks(HistogramClassifier(), grids["central"], PEOPLE, ERROR),
                     (margin - abs(2 * ones - 1)) / 2, ordered, *_boundary(name, law))


class LocalCounts(NamedTuple):
    """The vote of noisy one-hot reports, half of them without labels."""

    epsilon: float


@label_probabilities.register
def _(classifier: LocalCounts, grid, n, relative_error):
    scale = 2 / classifier.epsilon
    return cube_sign_probabilities(n // 2, grid.p, grid.q, scale, relative_error=relative_error)


RULES = {
    "central": lambda epsilon: NoisyMajorityClassifier(epsilon, noise="real"), "local": LocalCounts,
    "one bit": lambda epsilon: OneBitClassifier(epsilon, 1.0),
}
"""What is compared, on given cells."""


@lru_cache(maxsize=512)
def curve(entry, compared, epsilon):
    """Exact excess risk of one of `RULES` at each of `PEOPLE`, (21,); the local ones have the same cells."""
    grids = landscape(entry).grids["central" if compared == "central" else "local"]
    return grid_risks(RULES[compared](epsilon), grids, PEOPLE, ERROR)


def hidden(grid):
    """The cells once the law has moved: everybody in one of them, half on either side of a border inside."""
    p = np.zeros(len(grid.p))
    p[len(p) // 2] = 1.0
    return grid._replace(p=p, q=p / 2, gain_one=p / 2, gain_zero=p / 2)


def fit(grid, n, epsilon, model):
    """(says_one, expected, counts, noisy), (K,) each: a sample of n people and what is released about it."""
    rng, half, K, scale = np.random.default_rng((SEED, n)), n // 2, len(grid.p), 2 / epsilon
    if model == "central":
        ones, zeros = np.split(head_counts(rng, n, np.concatenate([grid.q, grid.p - grid.q])), 2)
        vote, noise = scale * rng.laplace(size=(2, K))
        return ones - zeros + vote > 0, n * grid.p, ones + zeros, ones + zeros + noise
    counts, ones = head_counts(rng, half, grid.p), head_counts(rng, half, grid.q)
    first, second = scale * (rng.standard_gamma(half, (2, K)) - rng.standard_gamma(half, (2, K)))
    return ones + second - (counts + first) / 2 >= 0, half * grid.p, counts, counts + first


LAW = Control("law", "law", "", tuple(LAWS), "[0, 1]: a threshold",
              help="where people live, and which labels they have")
BUDGET = Control("epsilon", "budget", "ε", log_steps(0.1, 10.0, 8), 1.0, "{:.3g}",
                 "privacy budget in nats, central or local")
DELTA = Control("delta", "shown by chance", "δ", DELTAS, 1e-6, short,
                "of the stability histogram only; votes and local reports need none")
ASKED = Control("n", "people", "n", PEOPLE, 1000, "{:,}", "people in all")
MODEL = Control("model", "who adds noise", "", MODELS, "central", help="a trusted curator, or every person")
MOVES = Control("moves", "the distribution moves with n", "", (False, True), False,
                help="everybody moves into the middle of one cell, on both sides of a hidden border")


def tiling_at(law, n, model, moves):
    """The `Tiling` at n; if the law moves, everybody is in one of its cells."""
    tiling = landscape(law).tilings[model][n]
    return tiling._replace(grid=hidden(tiling.grid)) if moves else tiling


def exact_risks(law, epsilon, moves):
    """Each of `RULES`, and "open" -> excess risk at each of `PEOPLE`; if the law moves, "memory", too."""
    if moves:
        half = np.full(len(PEOPLE), 0.5)
        return dict.fromkeys((*RULES, "open"), half) | {"memory": memory(np.array(PEOPLE))}
    return {name: curve(law, name, epsilon) for name in RULES} | {"open": landscape(law).open}


def losses(grid, says_one):
    """What labels lose in each cell, and whether that is half or more of what a label can win: (K,) each."""
    lost = np.where(says_one, grid.gain_zero, grid.gain_one)
    won = np.where(says_one, grid.gain_one, grid.gain_zero)
    return lost, (lost > NOTHING) & (lost >= won - NOTHING)


def noise_level(n, epsilon, delta, model):
    """Central: the gate of counts. Local: the standard deviation of their noise."""
    if model == "central":
        return stability_threshold(epsilon, delta, noise="real")
    return 2 / epsilon * (2 * (n // 2)) ** 0.5


def release(grid, counts, noisy, level, model):
    """People of the cells as they are released, (K,); NaN where nobody is and nothing shows."""
    if model == "central":
        return np.where(counts > 0, np.where(noisy >= level, noisy, 0.0), np.nan)
    return np.where((grid.p > NOTHING) | (noisy > 0), np.maximum(noisy, 0.0), np.nan)


@view(LAW, BUDGET, DELTA, ASKED, MODEL, MOVES)
def everything(law, epsilon, delta, n, model, moves):
    """Left: one fit. Middle: exact risk against n. Right: the stability histogram."""
    tiling, exact = tiling_at(law, n, model, moves), exact_risks(law, epsilon, moves)
    says_one, expected, people, noisy = fit(tiling.grid, n, epsilon, model)
    level = noise_level(n, epsilon, delta, model)
    released = release(tiling.grid, people, noisy, level, model)
    zeroed = people[released == 0].sum() / n
    curator, now = model == "central", {name: values[PEOPLE.index(n)] for name, values in exact.items()}
    if moves:
        says = ("The law moves with n: everybody is in one cell, half on either side of a border, and every "
                f"rule on cells has excess risk {now['central']:.3g} for every n; a rule without privacy "
                f"that looks at {n:,} people has {now['memory']:.2g}.")
    else:
        says = (f"{law}, {n:,} people, ε = {epsilon:.3g}: the exact excess risk is {_risk(now['central'])} "
                f"with a curator, {_risk(now['one bit'])} from one bit per person, {_risk(now['local'])} "
                f"from local counts, {_risk(now['open'])} without privacy; ")
        says += (f"the histogram at δ = {short(delta)} hides {zeroed:.0%} of the people." if curator else
                 "local reports need no δ.")
    central, bit = (people_on_curve(GOAL, PEOPLE, exact[name]) for name in ("central", "one bit"))
    return Shown(
        (labels(law, tiling, says_one, moves), risks(law, exact, n, model, moves),
         counts(law, tiling, expected, released, level, epsilon if curator else None)),
        says,
        [("excess risk, exact: curator", _risk(now["central"])),
         ("everybody, one bit", _risk(now["one bit"])), ("everybody, counts", _risk(now["local"])),
         ("no privacy", _risk(now["open"])),
         ("this fit", _risk(float(losses(tiling.grid, says_one)[0].sum()))),
         (f"people for risk {GOAL:g}: curator", _in_words(central)), ("one bit", _in_words(bit)),
         ("ratio", figures(bit / central, 2) if np.isfinite(bit) else "unknown"),
         ("gate τ" if curator else "noise of a count", figures(level)),
         ("people hidden by the gate", f"{zeroed:.1%}" if curator else "none: no δ here"),
         ("cells", f"{len(tiling.grid.p):,}")])


def labels(law, tiling, says_one, moves, title=None):
    """The `Axes` of the cells of one fit: their labels, where these are wrong, and the best rule."""
    scene, wrong = landscape(law), losses(tiling.grid, says_one)[1]
    # Cell -1 is the last one: outside.
    fills = np.append(np.where(tiling.grid.p > NOTHING, says_one, 2), 3)
    marks = [
        cells("labels", fills[tiling.cells], ("zero", "one", "nothing", None), tiling.box,
              labels=("says 0", "says 1", "nobody")),
        cells("wrong", np.append(~wrong, True)[tiling.cells], ("wrong", None), tiling.box, labels=("wrong",)),
        line("edges", *tiling.edges, "reference", width=0.7, dash=()),
    ]
    if moves:
        marks.append(dots("everybody", *_inside(tiling), "truth", marker="star", size=16, label="everybody"))
    elif scene.eta.size:
        marks += [rule("half", "reference", y=0.5, width=1, dash=()),
                  line("eta", *scene.eta, "truth", label="η", over=True)]
    elif scene.boundary.size:
        marks.append(line("best", *scene.boundary, "best", label="best rule", over=True))
    interval = scene.eta.size > 0
    unit = linear(0, 1, 0.5 if interval else None)
    return Axes("cells", unit, unit, title or LAWS[law][2], "x" if interval else "", marks=marks,
                square=not interval, grid=False)


def _inside(tiling):
    """A point inside the cell of everybody, or the nearest one that is drawn; it may be a ring."""
    rows, columns = tiling.cells.shape
    K = len(tiling.grid.p)
    away = np.abs(np.where(tiling.cells < 0, K, tiling.cells) - K // 2)
    up, across = np.nonzero(away == away.min())
    row = up[len(up) // 2]
    across = across[up == row]
    run = max(np.split(across, np.flatnonzero(np.diff(across) > 1) + 1), key=len)
    left, right, bottom, top = tiling.box
    return (left + (run[len(run) // 2] + 0.5) / columns * (right - left),
            bottom + (row + 0.5) / rows * (top - bottom))


def risks(law, exact, n, model, moves):
    """The `Axes` of `exact_risks` against n."""
    shown = {name: (PEOPLE, np.maximum(values, RISKS[0] / 100)) for name, values in exact.items()}
    marks = (
        rule("majority", "reference", y=0.5 if moves else landscape(law).majority, label="majority label"),
        *curves(CURVES, shown),
        here(n, max(exact[model][PEOPLE.index(n)], RISKS[0] * 1.4), CURVES[model][1], moves="n",
             label="your n"),
    )
    return Axes("risks", log(8, 1.3e6), log(*RISKS), "exact excess risk", "people n", marks=marks, wide=1.05)


def counts(law, tiling, expected, released, level, epsilon=None):
    """The `Axes` of the people in each cell: expected, released and set to zero.

    With a curator, who has a budget `epsilon`, the level is the gate, whose logarithm moves delta; else that
    of the noise.
    """
    order = np.argsort(tiling.place, kind="stable")
    place, expected, released = tiling.place[order], expected[order], released[order]
    lowest, look = 1.3 * COUNTS[0], {"label": "noise of a count"}
    if epsilon:
        scale = 2 / epsilon
        look = {"label": "gate τ", "handle": handle("delta", "y", -scale, 1 - scale * math.log(2), power=0)}
    marks = (
        dots("expected", place, np.maximum(expected, COUNTS[0] / 2), "noise", marker="minus", size=7,
             label="expected"),
        dots("released", place[released > 0], np.maximum(released[released > 0], lowest), "private", size=6,
             label="released"),
        dots("zeroed", place[released == 0], lowest, "bound", marker="cross", size=7, label="released as 0"),
        rule("level", "bound", y=level, width=2, **look),
    )
    ordered = landscape(law).ordered
    return Axes("counts", linear(-0.02, 1.02, ticks=(0, 0.5, 1) if ordered else ()), log(*COUNTS),
                "people released in every cell",
                "place of the cell" if ordered else "cells, the fullest first", marks=marks, wide=1.05)


def _risk(value):
    """A risk as the picture knows it: below its axis cells are neglected and numbers rounded."""
    return risk_in_words(value, RISKS[0]) if value else "0"


def _in_words(people):
    return figures(people, 2) if np.isfinite(people) else f"over {PEOPLE[-1]:,}"


def glance(people, law, epsilon):
    """Return a figure of one fit of a curator at each n of `people`."""
    model, moves = MODEL.default, False
    exact, columns, said = exact_risks(law, epsilon, moves)[model], [], []
    for n in people:
        tiling = tiling_at(law, n, model, moves)
        said.append(f"{exact[PEOPLE.index(n)]:.2g}")
        columns.append(labels(law, tiling, fit(tiling.grid, n, epsilon, model)[0], moves,
                              f"n = {n:,}: excess risk {said[-1]}"))
    sizes = ", ".join(f"{n:,}" for n in people)
    alt = (f"{law}, ε = {epsilon:g}, {model} noise: with n = {sizes} people the exact excess risk is "
           f"{', '.join(said)}; wrong cells are hatched.")
    return row(columns, alt)

"""The panel of notebook 06: private Bayes consistency (Bousquet et al., 2022, Algorithms 1 to 4).

Central: a curator adds noise to the votes of every cell. Local: people add noise to their own reports, one-hot
vectors of the cells, as in notebook 02 but in cells that do not overlap, so that the noise has scale 2/epsilon and not
2^(d+1)/epsilon: the best that this mechanism can be. Fits are drawn with common random numbers: for every n one sample
of votes, whatever the budget. Noise is real, not on a lattice, for the reason given in `ldp_lib.live.crowd`.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from contourpy import contour_generator

from ldp_lib.estimation import HistogramClassifier, NoisyMajorityClassifier, VoronoiClassifier
from ldp_lib.live import style
from ldp_lib.live.bayes_scene import PIXELS, Cells, Scene
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.live.stage import PanelFigure
from ldp_lib.nature import Circle, problem, space_problem
from ldp_lib.nature.on_spaces import OnNumbers
from ldp_lib.privacy import stability_threshold
from ldp_lib.risk import cell_grid, label_probabilities, noisy_majority_probabilities
from ldp_lib.risk.scores import cube_sign_probabilities

HALF = {"place": 0.3819, "width": 0.7638}
"""A threshold that no cell ends at."""
LAWS = {
    "[0, 1]: a threshold": ("threshold", partial(problem, "threshold", **HALF)),
    "[0, 1]: Cantor set": ("cantor", partial(problem, "cantor")),
    "square: moons": ("moons", partial(problem, "moons")),
    "square: survey, age and schooling": ("cps", partial(problem, "cps", features=("age", "education"))),
    "circle": ("circle", lambda: OnNumbers("circle", Circle(), problem("threshold", **HALF))),
    "sphere": ("sphere", partial(space_problem, "sphere")),
    "tree": ("tree", partial(space_problem, "tree", depth=7)),
}
"""Entry of the dropdown -> name and maker of the law; the last three have Voronoi cells, the others cubes."""
SPACES = ("circle", "sphere", "tree")
PEOPLE = log_steps(10, 10**6, 4)
MODELS = ("central", "local")
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
NEGLECTED = 1e-10
"""What a cell may add to the risk without being looked at."""
GOAL = 0.05
"""Excess risk for which the readout counts people."""
SEED = 4
RING = (0.27, 0.48)
"""Radii between which the circle is drawn, for the unit square."""


class Votes(NamedTuple):
    """Classes of cells with the same exact risk, (m,) each; all n of a law together.

    `row`: which n.  `p`: P(X in the cell).  `more`: P(X in the cell, the label that is more frequent there).
    `stake`: what is lost by saying the other one, in all cells of the class.
    """

    row: np.ndarray
    p: np.ndarray
    more: np.ndarray
    stake: np.ndarray


class Tiling(NamedTuple):
    """The cells at one n. `cells`: (rows, PIXELS), the cell at each pixel, -1 outside. `place`: (K,), where the
    picture of the counts puts them."""

    p: np.ndarray
    q: np.ndarray
    gain_one: np.ndarray
    gain_zero: np.ndarray
    cells: np.ndarray
    place: np.ndarray

    @property
    def floor(self):
        """The risk of the best rule on the cells."""
        return np.minimum(self.gain_one, self.gain_zero).sum()


class Landscape(NamedTuple):
    """What no slider moves: model -> n -> `Tiling`, model -> `Votes`, risks without privacy, what the picture shows."""

    tilings: dict
    votes: dict
    open: np.ndarray
    majority: float
    eta: np.ndarray
    """(2, m), places and values of eta on [0, 1]; empty elsewhere."""
    boundary: list
    """Polylines (m, 2) in the unit square where the best rule changes."""


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls."""

    law: str
    landscape: Landscape
    epsilon: float
    delta: float
    n: int
    model: str
    moves: bool
    tiling: Tiling
    says_one: np.ndarray
    """(K,) booleans: the fit that is drawn."""
    wrong: np.ndarray
    """(K,) booleans: half or more of what a label can win in the cell is lost."""
    fit_risk: float
    curves: dict
    """"central", "local", "open" -> exact excess risk at each of `PEOPLE`; "memory" too if the law moves."""
    expected: np.ndarray
    released: np.ndarray
    """(K,), people of the cells expected, and released; NaN where nobody is and nothing shows."""
    level: float
    """Central: the threshold. Local: the standard deviation of the noise of a count."""
    lost: float
    """Share of the people in cells that are released as 0; 0 in the local model, which zeroes nothing."""


def _rule(name, law, n, model):
    """The rule whose cells the picture has: the curator's; for local reports, cubes of side n^(-1/(4d))."""
    if name in SPACES:
        return VoronoiClassifier(space=law.space, noise="real")
    return NoisyMajorityClassifier(side=None if model == "central" else n ** (-1 / (4 * law.d)), noise="real")


def _screen(name, law):
    """(points, inside) of the PIXELS x PIXELS picture, first row at the bottom; one row for numbers of [0, 1].

    The circle is a ring, the sphere its equal-area cylinder (longitude, height), the tree has its root on top.
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
    """(cells, place) of a `Tiling`; without an order on the space, cells stand from the fullest to the emptiest."""
    points, inside = screen
    cells = np.full(inside.shape, -1)
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


def _votes(tilings):
    """The `Votes` of the tilings of all n: equal cells, and cells with the labels exchanged, are counted once."""
    parts = []
    for row, cells in enumerate(tilings):
        more, stake = np.maximum(cells.q, cells.p - cells.q), np.abs(cells.gain_one - cells.gain_zero)
        some = stake > NEGLECTED
        kinds, which = np.unique(np.round([cells.p[some], more[some]], 14), axis=1, return_inverse=True)
        stakes = np.bincount(which.ravel(), stake[some], minlength=kinds.shape[1])
        parts.append([np.full(len(stakes), row), *kinds, stakes])
    return Votes(*map(np.concatenate, zip(*parts, strict=True)))


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
    return Landscape(tilings, {model: _votes(tilings[model].values()) for model in MODELS}, np.array(usual),
                     (margin - abs(2 * ones - 1)) / 2, eta, boundary)


def _negligible(votes, n, scale):
    """Which classes of cells the curator's vote gets wrong with less than `NEGLECTED` of the risk.

    P(V + Z <= 0) <= E exp(-s V) E exp(-s Z) for every s in (0, 1/scale); the best of a few.
    """
    log_mean = np.full(len(n), np.inf)
    for share in (0.1, 0.4, 0.7, 0.95):
        for cap in (0.2, np.inf):
            s = min(share / scale, cap)
            votes_part = n * np.log1p(votes.more * np.expm1(-s) + (votes.p - votes.more) * np.expm1(s))
            np.minimum(log_mean, votes_part - np.log1p(-(s * scale) ** 2), out=log_mean)
    return np.log(votes.stake) + log_mean < np.log(NEGLECTED)


@lru_cache(maxsize=4096)
def curve(entry, model, epsilon):
    """Exact excess risk at each of `PEOPLE`, (21,); all cells of all n go through one contour integral."""
    scene = landscape(entry)
    votes, tilings = scene.votes[model], scene.tilings[model]
    n, scale = np.array(PEOPLE)[votes.row], 2 / epsilon
    wrong = np.zeros(len(n))
    if model == "central":
        keep = ~_negligible(votes, n, scale)
        wrong[keep] = noisy_majority_probabilities(n[keep], votes.p[keep], votes.more[keep], scale,
                                                   relative_error=ERROR)[0]
    else:
        wrong = cube_sign_probabilities(n // 2, votes.p, votes.more, scale, relative_error=ERROR)[0]
    floor = np.array([cells.floor for cells in tilings.values()])
    return floor + np.bincount(votes.row, votes.stake * wrong, minlength=len(PEOPLE))


def hidden(tiling):
    """The cells once the law has moved: everybody is in one of them, half on either side of a border inside it."""
    p = np.zeros(len(tiling.p))
    p[len(p) // 2] = 1.0
    return tiling._replace(p=p, q=p / 2, gain_one=p / 2, gain_zero=p / 2)


def memory(n):
    """Mean error after n people, X uniform on both sides of a threshold in the middle, of the rule that says 1 from
    the smallest x with label 1 on: the integral of (1 - a)^n over [0, 1/2]. No privacy, no cells, any law."""
    return (1 - 0.5 ** (n + 1.0)) / (n + 1)


def _fit(tiling, n, epsilon, model, rng):
    """(says_one, expected, counts, noisy): a sample of n people and what is released about it."""
    half, K, scale = n // 2, len(tiling.p), 2 / epsilon
    rest = max(0.0, 1 - tiling.p.sum())
    if model == "central":
        ones, zeros = np.split(rng.multinomial(n, np.concatenate([tiling.q, tiling.p - tiling.q, [rest]]))[:-1], 2)
        vote, noise = scale * rng.laplace(size=(2, K))
        return ones - zeros + vote > 0, n * tiling.p, ones + zeros, ones + zeros + noise
    counts = rng.multinomial(half, np.append(tiling.p, rest))[:-1]
    ones = rng.multinomial(half, np.append(tiling.q, 1 - tiling.q.sum()))[:-1]
    first, second = scale * (rng.standard_gamma(half, (2, K)) - rng.standard_gamma(half, (2, K)))
    return ones + second - (counts + first) / 2 >= 0, half * tiling.p, counts, counts + first


class Bayes(LivePanel):
    """Move the budget, the people and the law; watch votes in cells, exact risks and the stability histogram."""

    title = "Private Bayes consistency"
    size = (11.6, 4.3)
    scene = Scene
    controls = (
        Control("law", "law", "", tuple(LAWS), "[0, 1]: a threshold", help="where people live, and which labels they have"),
        Control("epsilon", "budget", "ε", log_steps(0.1, 10.0, 8), 1.0, "{:.3g}", "privacy budget in nats, central or local"),
        Control("delta", "failure", "δ", tuple(10.0**-k for k in (60, 50, 40, 30, 25, 20, 16, 13, 10, 8, 6, 4, 2)),
                1e-6, "{:.0e}", "of the stability histogram only; votes and local reports need none"),
        Control("n", "people", "n", PEOPLE, 1000, "{:,}", "people in all"),
        Control("model", "who adds noise", "", MODELS, "central", help="a trusted curator, or every person"),
        Control("moves", "the distribution moves with n", "", (False, True), False,
                help="everybody moves into the middle of one cell, on both sides of a hidden border"),
    )

    def __init__(self):
        # Exact masses for all n take a moment, once; no slider may wait for them.
        for entry in LAWS:
            landscape(entry)
        super().__init__()

    @staticmethod
    def compute(law, epsilon, delta, n, model, moves):
        """A `Result`: one fit with common random numbers, and exact risks."""
        scene = landscape(law)
        tiling = scene.tilings[model][n]
        if moves:
            tiling = hidden(tiling)
            curves = {name: np.full(len(PEOPLE), 0.5) for name in (*MODELS, "open")}
            curves["memory"] = memory(np.array(PEOPLE))
        else:
            curves = {name: curve(law, name, epsilon) for name in MODELS} | {"open": scene.open}
        says_one, expected, counts, noisy = _fit(tiling, n, epsilon, model, np.random.default_rng((SEED, n)))
        lost = np.where(says_one, tiling.gain_zero, tiling.gain_one)
        won = np.where(says_one, tiling.gain_one, tiling.gain_zero)
        if model == "central":
            level = stability_threshold(epsilon, delta, noise="real")
            released = np.where(counts > 0, np.where(noisy >= level, noisy, 0.0), np.nan)
        else:
            level = 2 / epsilon * (2 * (n // 2)) ** 0.5
            released = np.where((tiling.p > 0) | (noisy > 0), np.maximum(noisy, 0.0), np.nan)
        zeroed = counts[released == 0].sum() / n if model == "central" else 0.0
        return Result(law, scene, epsilon, delta, n, model, moves, tiling, says_one, (lost > 0) & (lost >= won),
                      float(lost.sum()), curves, expected, released, float(level), float(zeroed))

    def conclude(self, result):
        """What the risks do, and what the histogram keeps."""
        at = PEOPLE.index(result.n)
        central, local = (result.curves[name][at] for name in MODELS)
        if result.moves:
            return (f"The law moves with n: half of the people are in the wrong part of one cell, and every rule on cells "
                    f"has excess risk {central:.3g} for every n; a rule that looks at people without privacy, "
                    f"{result.curves['memory'][at]:.2g}.")
        return (f"{result.law}, {result.n:,} people, budget {result.epsilon:.3g}: the exact excess risk is {central:.2g} with a "
                f"curator, {local:.2g} with local noise, {result.curves['open'][at]:.2g} without privacy; "
                + (f"the stability histogram at δ = {result.delta:.0e} hides {result.lost:.0%} of the people."
                   if result.model == "central" else "local reports need no δ."))

    def summarise(self, result):
        """Exact risks at n, the people that either model needs, and the threshold."""
        at = PEOPLE.index(result.n)
        central, local = (people_for(GOAL, result.curves[name]) for name in MODELS)
        ratio = f"{float(f'{local / central:.2g}'):,.0f}" if np.isfinite(local) else "unknown"
        curator = result.model == "central"
        return [
            *((f"excess risk, exact: {words}" if name == "central" else words, f"{result.curves[name][at]:.3g}")
              for name, words in (("central", "central"), ("local", "local"), ("open", "no privacy"))),
            ("this fit", f"{result.fit_risk:.3g}"),
            (f"people for risk {GOAL:g}: central", _in_words(central)), ("local", _in_words(local)), ("ratio", ratio),
            ("threshold τ" if curator else "noise of a count", f"{result.level:.3g}"),
            ("people hidden by τ", f"{result.lost:.1%}" if curator else "none: no δ here"),
            ("cells", f"{len(result.tiling.p):,}"),
        ]


def people_for(goal, risks):
    """People at which the risks, one at each of `PEOPLE`, first are `goal`: straight in the logarithms, inf if never."""
    reached = risks <= goal
    if reached[0] or not reached.any():
        return PEOPLE[0] if reached[0] else np.inf
    ends = slice(int(np.argmax(reached)) - 1, int(np.argmax(reached)) + 1)
    log_risks = -np.log(np.maximum(risks[ends], 1e-300))
    return float(np.exp(np.interp(-np.log(goal), log_risks, np.log(PEOPLE[ends]))))


def _in_words(people):
    return f"{float(f'{people:.2g}'):,.0f}" if np.isfinite(people) else f"over {PEOPLE[-1]:,}"


def glance(people, **params):
    """Return a figure of one fit at each n of `people`; `params` are positions of the other controls."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        risks = []
        for axes, n in zip(figure.subplots(1, len(people)), people, strict=True):
            result = Bayes.compute(n=n, **params)
            Cells(axes).update(result)
            risks.append(f"{result.curves[result.model][PEOPLE.index(n)]:.2g}")
            axes.set_title(f"n = {n:,}: exact excess risk {risks[-1]}")
    figure.alt = (f"{result.law}, ε = {result.epsilon:g}, {result.model} noise: with n = {', '.join(f'{n:,}' for n in people)} "
                  f"people the exact excess risk is {', '.join(risks)}; wrong cells are hatched.")
    return figure

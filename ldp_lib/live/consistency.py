"""The panel of notebook 02: universal consistency (Berrett & Butucea 2019, Theorem 2.2)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection

from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.live import style
from ldp_lib.live.crowd import crowd
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import CellGrid, cell_grid, label_probabilities

class Choice(NamedTuple):
    """An entry of the dropdown: the problem, its parameters and the names of its features."""

    name: str
    params: tuple = ()
    axes: tuple = ("first feature x", "second feature")


PROBLEMS = {
    "survey: age": Choice("cps", (), ("age from 18 to 90, scaled", "")),
    "survey: age, schooling": Choice(
        "cps", (("features", ("age", "education")),), ("age from 18 to 90, scaled", "years of schooling, scaled")),
    "sine": Choice("sine"),
    "Cantor set": Choice("cantor"),
    "checkerboard": Choice("checkerboard"),
    "moons": Choice("moons"),
    "circles": Choice("circles"),
}
SURVEYED = 215_574
PEOPLE = np.logspace(1, 8, 15).round().astype(int)
"""Numbers of people at which the curves are computed."""
MOST_CELLS = 500
"""A curve ends where its grid would have more points than this: a picture must keep up."""
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
PIXELS = 96
"""The decision picture is computed on this many points per axis."""


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls."""

    d: int
    problem: str
    alpha: float
    h: float
    n: int
    kappa: float
    decisions: np.ndarray
    """(PIXELS, PIXELS) labels of the private fit; rows are the second feature."""
    risk: float
    """Exact excess risk at (n, alpha, h)."""
    fit_risk: float
    """Excess risk of the fit that is drawn."""
    curves: dict
    """Role -> (people, exact excess risk): "private", "open" and the fixed schedules."""
    bayes_risk: float
    majority: float
    """Excess risk of the majority label."""


class Landscape(NamedTuple):
    """What does not move while the sliders of one problem do."""

    d: int
    eta: np.ndarray
    boundary: list
    points: tuple
    majority: float


@lru_cache(maxsize=None)
def landscape(name):
    """The Bayes boundary, eta along the first axis and some people of a problem."""
    people = crowd(*PROBLEMS[name][:2])
    law = people.law
    x = np.linspace(0.001, 0.999, 500)
    if law.d == 1:
        eta = law.eta(x[:, None])
        crossings = np.flatnonzero(np.diff(eta >= 0.5))
        boundary = [np.array([[x[i : i + 2].mean(), 0.0], [x[i : i + 2].mean(), 1.0]]) for i in crossings]
        points = (np.empty((0, 2)), np.empty((0, 2)))
    else:
        eta = np.full_like(x, np.nan)
        grid = law.eta(np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)).reshape(500, 500)
        boundary = contour_generator(x, x, grid, name="serial").lines(0.5)
        shown, labels = people.X[:240], people.y[:240]
        points = (shown[labels == 0], shown[labels == 1])
    return Landscape(law.d, eta, boundary, points, 1 - law.majority_rate - law.bayes_risk)


@lru_cache(maxsize=None)
def grid(name, private, h):
    """The `CellGrid` of a problem at bandwidth h; it depends neither on n nor on alpha."""
    law = crowd(*PROBLEMS[name][:2]).law
    return cell_grid(CubeClassifier(1.0, h) if private else HistogramClassifier(h), law)


@lru_cache(maxsize=4096)
def curve(name, kappa, alpha):
    """Exact excess risk against n with h = n^-kappa; alpha None is the rule without privacy.

    All cells of all n go through one contour integral.
    """
    d = crowd(*PROBLEMS[name][:2]).law.d
    people = PEOPLE[(PEOPLE**kappa + 1) ** d <= MOST_CELLS]
    grids = [grid(name, alpha is not None, float(n) ** -kappa) for n in people]
    sizes = [len(cells.p) for cells in grids]
    joined = CellGrid(*map(np.concatenate, zip(*grids, strict=True)))
    rule = HistogramClassifier() if alpha is None else CubeClassifier(alpha, noise="real")
    zero, one = label_probabilities(rule, joined, np.repeat(people, sizes), ERROR)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return people, np.add.reduceat(joined.gain_one * zero + joined.gain_zero * one, starts)


def powers_of_two(low, high, per_octave):
    """Positions 2^(k / per_octave) for k = low, ..., high, to three digits: 1/2, 1, 2 are among them."""
    return tuple(float(f"{2 ** (k / per_octave):.3g}") for k in range(low, high + 1))


def schedules(d):
    """Exponents kappa of the fixed schedules: consistent, on the edge, and only consistent without privacy."""
    return {"slow": 0.25 / d, "edge": 0.5 / d, "fast": 0.75 / d}


class Scene:
    """Left: one private fit and the Bayes boundary. Right: exact risk against n. Below: regions of kappa."""

    def __init__(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.45), height_ratios=(8, 0.9))
        self.left = figure.add_subplot(grid[:, 0])
        self.right = figure.add_subplot(grid[0, 1])
        self.strip = figure.add_subplot(grid[1, 1])
        self.moving = [*self._build_left(), *self._build_right(), *self._build_strip()]

    def _build_left(self):
        axes = self.left
        style.unit_square(axes)
        self.title = axes.set_title(" ")
        self.along, self.across = axes.set_xlabel(" "), axes.set_ylabel(" ")
        blank = np.full((PIXELS, PIXELS, 3), 255, np.uint8)
        self.image = axes.imshow(blank, extent=(0, 1, 0, 1), origin="lower", interpolation="nearest", zorder=0)
        self.boundary = axes.add_collection(
            LineCollection([], colors=style.BAYES.colour, linestyles=[style.BAYES.line], linewidths=1.8, zorder=3))
        self.eta, = axes.plot([], [], color=style.INK, linewidth=1.8, zorder=3)
        self.zeros, = axes.plot([], [], **style.FIRST.dots, markersize=3.5, zorder=2)
        self.ones, = axes.plot([], [], **style.SECOND.dots, markersize=3.5, zorder=2)
        self.half, = axes.plot([0, 1], [0.5, 0.5], color=style.REFERENCE.colour, linewidth=1, zorder=1)
        key = {"fontsize": 9, "zorder": 4, "bbox": {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5}}
        self.key = axes.text(0.02, 0.02, "", **key)
        return [self.image, self.half, self.boundary, self.eta, self.zeros, self.ones, self.key]

    def _build_right(self):
        axes = self.right
        axes.set(xscale="log", xlim=(8, 6e8), ylim=(-0.01, 0.44), xlabel="people n")
        axes.set_title("exact excess risk if h = n$^{-κ}$")
        self.bayes, = axes.plot([8, 6e8], [0, 0], linewidth=1.2, **style.BAYES.curve)
        axes.annotate("Bayes: the best rule", (10, 0.006), fontsize=9)
        self.majority, = axes.plot([], [], linewidth=1.2, **style.REFERENCE.curve)
        self.majority_name = axes.text(5e8, 0, "majority label", ha="right", va="bottom", fontsize=9, color="#6b6b6b")
        self.lines, self.names = {}, {}
        looks = {"slow": style.OTHER, "edge": style.OTHER, "fast": style.OTHER,
                 "open": style.NON_PRIVATE, "private": style.PRIVATE}
        for role, look in looks.items():
            label = {"private": "private, your κ", "open": "no privacy, your κ", "slow": "private, other κ"}.get(role, "_")
            width = 2.6 if role == "private" else 1.3
            self.lines[role], = axes.plot([], [], linewidth=width, label=label, **look.curve)
        for role in schedules(1):
            self.names[role] = axes.text(0, 0, "", color=style.OTHER.colour, fontsize=9)
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=10, markeredgecolor="white",
                               label="private, your n and h")
        axes.legend(loc="upper right", bbox_to_anchor=(1, 0.88))
        return [self.majority, self.majority_name, *self.lines.values(), *self.names.values(), self.here]

    def _build_strip(self):
        axes = self.strip
        axes.set(xlim=(0, 1), ylim=(0, 1), yticks=(), xlabel="exponent κ: what the theorems promise, whatever the law of (X, Y) is")
        axes.grid(False)
        self.regions = [axes.axvspan(0, 1, facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0)
                        for colour, hatch in (("#cfe3f1", None), ("#cfeadf", "//"), ("#eeeeee", "xx"))]
        self.region_names = [axes.text(0, 0.42, text, ha="center", va="center", fontsize=9)
                             for text in ("consistent", "only without privacy", "nothing")]
        self.pointer, = axes.plot([], [], color=style.PRIVATE.colour, marker="v", markersize=12, linestyle="none",
                                  markeredgecolor="white", clip_on=False)
        return [*self.regions, *self.region_names, self.pointer]

    def update(self, result):
        """Move everything to `result`; another problem redraws the background as well."""
        scene = landscape(result.problem)
        fills = np.array([[int(colour[i:i + 2], 16) for i in (1, 3, 5)] for colour in style.REGIONS], np.uint8)
        self.image.set_data(fills[result.decisions])
        self.boundary.set_segments(scene.boundary)
        self.eta.set_data(np.linspace(0.001, 0.999, 500), scene.eta)
        self.zeros.set_data(*scene.points[0].T)
        self.ones.set_data(*scene.points[1].T)
        self.half.set_visible(result.d == 1)
        plane = result.d == 2
        self.key.set_text("fills: private rule; dashes: Bayes" + ("" if plane else "; curve: η"))
        self._rename(self.title, f"one private fit, {result.problem}")
        names = PROBLEMS[result.problem].axes
        self._rename(self.along, names[0])
        self._rename(self.across, names[1] if plane else "η(x) = P(Y = 1 | x)")

        self.majority.set_data([8, 6e8], [result.majority] * 2)
        self.majority_name.set_position((5e8, result.majority + 0.003))
        labels = {role: f"κ = {kappa:.3g}" for role, kappa in schedules(result.d).items() if kappa != result.kappa}
        for role, line in self.lines.items():
            line.set_data(*result.curves[role])
        for role, text in self.names.items():
            people, risks = result.curves[role]
            late = people[-1] > 1e6
            text.set(text=labels.get(role, ""), position=(people[-1], risks[-1] + 0.006),
                     horizontalalignment="right" if late else "left")
        self.here.set_data([result.n], [result.risk])

        edges = (0.0, 0.5 / result.d, 1.0 / result.d, 1.0)
        for region, name, low, high in zip(self.regions, self.region_names, edges, edges[1:], strict=False):
            region.set_bounds(low, 0, high - low, 1)
            name.set_position(((low + high) / 2, 0.42))
            name.set_visible(high > low)
        self.pointer.set_data([result.kappa], [1.0])

    @staticmethod
    def _rename(text, words):
        # Setting even the same words would redraw the background.
        if text.get_text() != words:
            text.set_text(words)


class Consistency(LivePanel):
    """Move alpha, h, n and the schedule h = n^-kappa; watch one private fit and the exact risk."""

    title = "Universal consistency under local privacy"
    size = (10.6, 4.4)
    scene = Scene
    controls = (
        Control("problem", "problem", "", tuple(PROBLEMS), "survey: age", help="the law of the people"),
        Control("alpha", "privacy", "α", powers_of_two(-12, 20, 4), 1.0, "{:.3g}", "budget of every person, in nats"),
        Control("h", "bandwidth", "h", powers_of_two(-30, -6, 6), 0.14, "{:.3g}", "half the side of a cube"),
        Control("n", "people", "n", tuple(sorted({*log_steps(100, 1_000_000, 6), SURVEYED})), SURVEYED, "{:,}",
                "people in all; the survey has 215,574"),
        Control("kappa", "schedule exponent", "κ", tuple(k / 40 for k in range(2, 41)), 0.25, "{:.3g}",
                "the curve on the right has h = n^-κ"),
    )

    @staticmethod
    def compute(problem, alpha, h, n, kappa):
        """A `Result`: one private fit with common random numbers, and exact risks."""
        people = crowd(*PROBLEMS[problem][:2])
        law = people.law
        mechanism = CubeLaplace(alpha, h, law.d, noise="real")
        rule = CubeClassifier(alpha, h, noise="real").fit_aggregate(people.aggregate(mechanism, n), d=law.d)
        centres = (np.arange(PIXELS) + 0.5) / PIXELS
        if law.d == 1:
            decisions = np.tile(rule.predict(centres[:, None]), (PIXELS, 1))
        else:
            nearest = np.floor(centres / h + 0.5).astype(int)
            decisions = (rule.scores_[np.ix_(nearest, nearest)] >= 0).T.astype(int)
        cells = grid(problem, True, h)
        zero, one = label_probabilities(CubeClassifier(alpha, h, noise="real"), cells, n, ERROR)
        says_one = rule.scores_.ravel() >= 0
        curves = {role: curve(problem, value, alpha) for role, value in schedules(law.d).items()}
        curves |= {"private": curve(problem, kappa, alpha), "open": curve(problem, kappa, None)}
        return Result(
            law.d, problem, alpha, h, n, kappa, decisions,
            risk=float(cells.gain_one @ zero + cells.gain_zero @ one),
            fit_risk=float(cells.gain_one[~says_one].sum() + cells.gain_zero[says_one].sum()),
            curves=curves, bayes_risk=law.bayes_risk, majority=landscape(problem).majority,
        )

    def conclude(self, result):
        """The verdict on kappa and the accuracies at the current position."""
        edge, limit = 0.5 / result.d, 1.0 / result.d
        verdict = ("the private rule is consistent for every law" if result.kappa < edge else
                   "consistency for every law is promised only without privacy" if result.kappa < limit else
                   "no theorem promises consistency, with or without privacy")
        best = 1 - result.bayes_risk
        return (f"At κ = {result.kappa:.3g} {verdict}. With {result.n:,} people, privacy α = {result.alpha:.3g} and "
                f"h = {result.h:.3g} the private rule is right {best - result.risk:.1%} of the time; "
                f"the best rule {best:.1%}, the majority label {best - result.majority:.1%}.")

    def summarise(self, result):
        """Accuracies and the number that has to diverge."""
        best = 1 - result.bayes_risk
        growth = result.n * min(result.alpha, 1) ** 2 * result.h ** (2 * result.d)
        return [
            ("accuracy, exact mean", f"{best - result.risk:.4f}"), ("this fit", f"{best - result.fit_risk:.4f}"),
            ("Bayes", f"{best:.4f}"), ("majority", f"{best - result.majority:.4f}"),
            ("n^-κ", f"{result.n ** -result.kappa:.3g}"), ("n min(α,1)² h^2d", f"{growth:,.4g}"),
        ]

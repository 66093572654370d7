"""The panel of notebook 02: universal consistency (Berrett & Butucea 2019, Theorem 2.2)."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.lessons import pictures
from ldp_lib.lessons.people import STOPS, SURVEYED
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import cell_grid
from ldp_lib.risk.crowd import crowd
from ldp_lib.risk.exact import grid_risks
from ldp_lib.stage import Control, Shown, view
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.picture import Axes, bars, dots, figures, handle, line, linear, log, rule, text


PROBLEMS = {
    "survey: age": partial(crowd, "cps"),
    "survey: age, schooling": partial(crowd, "cps", features=("age", "education")),
    "sine": partial(crowd, "sine"), "Cantor set": partial(crowd, "cantor"),
    "checkerboard": partial(crowd, "checkerboard"), "moons": partial(crowd, "moons"),
    "circles": partial(crowd, "circles"),
}
"""Entry of the dropdown -> maker of its people."""
FEATURES = {"survey: age": ("age from 18 to 90, scaled", ""),
            "survey: age, schooling": ("age from 18 to 90, scaled", "years of schooling, scaled")}
"""Their names, where they have one."""
POSITIONS = (*(m * 10**k for k in (2, 3, 4) for m in (1, 1.5, 2, 3, 4, 6, 8)), 100_000, 150_000, SURVEYED,
             300_000, 400_000, 600_000, 800_000, 1_000_000)
"""Numbers of people that can be chosen: four times 1,000, or 100,000, is one, too."""
COUNTS = np.logspace(1, 8, 15).round().astype(int)
"""Numbers of people at which the curves are computed."""
MOST_CELLS = 500
"""A curve ends where its grid would have more points than this: a picture must keep up."""
SCHEDULES = {"slow": (0.25, (1, 1)), "edge": (0.5, (3, 1.5, 1, 1.5)),
             "fast": (0.75, (6, 1.5, 1, 1.5, 1, 1.5))}
"""Roles of the curves whose exponent stands still: it in multiples of 1/d, and their dashes. One that is
consistent, one on the edge of Theorem 2.2, and one that is consistent only without privacy."""


class Landscape(NamedTuple):
    """What does not move while the sliders of one problem do.

    `eta`: (2, 500), places and values of eta where d = 1, else None.  `boundary`: where the Bayes rule
    changes, lines (2, m).  `points`: some people with label 0 and 1, (m, d) each.  `majority`: excess risk of
    the majority label.
    """

    d: int
    eta: np.ndarray | None
    boundary: np.ndarray
    points: tuple
    majority: float


@lru_cache(maxsize=16)
def landscape(name):
    """The Bayes boundary, eta along the first axis and some people of a problem."""
    people = PROBLEMS[name]()
    law, (shown, labels), x = people.law, people.shown, np.linspace(0.001, 0.999, 500)
    eta = np.array([x, law.eta(x[:, None])]) if law.d == 1 else None
    points = shown[labels == 0], shown[labels == 1]
    return Landscape(law.d, eta, pictures.boundary(law, 500), points, 1 - law.majority_rate - law.bayes_risk)


@lru_cache(maxsize=2048)
def grid(name, private, h):
    """The `CellGrid` of a problem at bandwidth h; it depends neither on n nor on alpha."""
    law = PROBLEMS[name]().law
    return cell_grid(CubeClassifier(1.0, h) if private else HistogramClassifier(h), law)


@lru_cache(maxsize=4096)
def curve(name, kappa, alpha):
    """Exact excess risk against n with h = n^-kappa; alpha None is the rule without privacy.

    All n are one call.
    """
    d = PROBLEMS[name]().law.d
    people = COUNTS[(COUNTS**kappa + 1) ** d <= MOST_CELLS]
    grids = [grid(name, alpha is not None, float(n) ** -kappa) for n in people]
    rule = HistogramClassifier() if alpha is None else CubeClassifier(alpha, noise="real")
    return people, grid_risks(rule, grids, people, pictures.ERROR)


PROBLEM = Control("problem", "problem", "", tuple(PROBLEMS), "survey: age",
                  help="the distribution, or law, of the people")
ALPHA = Control("alpha", "privacy budget", "α", powers_of_two(-12, 20, 4), 1.0, "{:.3g}",
                "in nats; less is more private")
WIDTH = Control("h", "bandwidth", "h", sorted({*powers_of_two(-30, -6, 6), 0.08, 0.16}), 0.14, "{:.3g}",
                "half the side of a cube")
PEOPLE = Control("n", "people", "n", sorted({*map(int, POSITIONS), *STOPS}), SURVEYED, "{:,}",
                 "people in all; the survey has 215,574")
KAPPA = Control("kappa", "exponent", "κ", tuple(k / 40 for k in range(2, 41)), 0.25, "{:.3g}",
                "the curve on the right has h = n^−κ")


def private_fit(problem, alpha, h, n):
    """One private fit with common random numbers: the rule, and which cells it says 1 of."""
    people = PROBLEMS[problem]()
    mechanism = CubeLaplace(alpha, h, people.law.d, noise="real")
    rule = CubeClassifier(alpha, h, noise="real").fit_aggregate(people.aggregate(mechanism, n),
                                                                d=people.law.d)
    return rule, rule.scores_ >= 0


def exact_risk(problem, alpha, h, n):
    """Exact excess risk of the private rule."""
    rule = CubeClassifier(alpha, h, noise="real")
    return float(grid_risks(rule, [grid(problem, True, h)], [n], pictures.ERROR)[0])


def curves(problem, alpha, kappa):
    """Role -> (people, exact excess risk): "private", "open" and the fixed schedules."""
    d = PROBLEMS[problem]().law.d
    found = {role: curve(problem, share / d, alpha) for role, (share, _) in SCHEDULES.items()}
    return found | {"private": curve(problem, kappa, alpha), "open": curve(problem, kappa, None)}


@view(PROBLEM, ALPHA, WIDTH, PEOPLE, KAPPA)
def everything(problem, alpha, h, n, kappa):
    """Left: one private fit. Right: exact risk against n, and below it what the theorems promise."""
    law, scene, cells = PROBLEMS[problem]().law, landscape(problem), grid(problem, True, h)
    _, says_one = private_fit(problem, alpha, h, n)
    risk, best = exact_risk(problem, alpha, h, n), 1 - law.bayes_risk
    fit_risk = float(cells.gain_one[~says_one.ravel()].sum() + cells.gain_zero[says_one.ravel()].sum())
    edge, limit = 0.5 / scene.d, 1.0 / scene.d
    verdict = ("the private rule is consistent for every law" if kappa < edge else
               "consistency for every law is promised only without privacy" if kappa < limit else
               "no theorem promises consistency, with or without privacy")
    says = (f"At κ = {kappa:.3g} {verdict}. With {n:,} people, privacy α = {alpha:.3g} and h = {h:.3g} the "
            f"private rule is right {best - risk:.1%} of the time; the best rule {best:.1%}, the majority "
            f"label {best - scene.majority:.1%}.")
    growth = n * min(alpha, 1) ** 2 * h ** (2 * scene.d)
    return Shown(
        (fit(problem, pictures.painted(says_one, h, middle=0.5)),
         (risks(scene, curves(problem, alpha, kappa), n, risk), promise(scene.d, kappa))),
        says,
        [("accuracy, exact mean", f"{best - risk:.4f}"), ("this fit", f"{best - fit_risk:.4f}"),
         ("Bayes", f"{best:.4f}"), ("majority", f"{best - scene.majority:.4f}"),
         ("n to the −κ", f"{n ** -kappa:.3g}"), ("n min(α,1)² h²ᵈ", figures(growth))])


def fit(problem, decisions, title="fills: one private fit; dashes: the best rule"):
    """The `Axes` of one private fit: areas, the best boundary, eta where d = 1, some people where d = 2."""
    scene, axes = landscape(problem), FEATURES.get(problem, ("first feature x", "second feature"))
    if scene.d == 1:
        marks = [rule("half", "reference", y=0.5, width=1, dash=()),
                 line("eta", *scene.eta, "truth", label="η(x) = P(Y = 1 | x)")]
    else:
        marks = [dots(f"label {label}", *points.T, role, size=5, label=f"label {label}")
                 for label, points, role in zip((0, 1), scene.points, ("first", "second"))]
    return pictures.fit("fit", decisions, scene.boundary, title, xlabel=axes[0],
                        ylabel="" if scene.d == 1 else axes[1], marks=marks)


def risks(scene, curves, n, risk):
    """The `Axes` of the exact excess risk against n: private and not, at your exponent and at fixed ones."""
    fixed = [line(role, *curves[role], "other", dash=dash, width=1.5,
                  label=f"private, κ = {share / scene.d:.3g}") for role, (share, dash) in SCHEDULES.items()]
    marks = (
        rule("best", "best", y=0), rule("majority", "reference", y=scene.majority),
        text("levels", [3e9, 3e9], [scene.majority, 0], ["majority label", "best rule"], anchor="end",
             dy=-10),
        *fixed, line("open", *curves["open"], "open", label="no privacy, your κ", width=1.5),
        line("private", *curves["private"], "private", label="private, your κ", width=3),
        pictures.here(n, risk, "private", moves="n", label="your n and h"),
    )
    return Axes("risk", log(8, 3e9), linear(-0.02, 0.46, 0.1), "exact excess risk if h = n to the power −κ",
                "people n", "", marks, wide=1.45, high=6)


def promise(d, kappa):
    """The `Axes` of the exponents at which the theorems promise consistency, and where the slider stands."""
    edges = np.array([0.0, 0.5 / d, 1.0 / d, 1.0])
    words = ("consistent", "only without privacy", "nothing")
    marks = [bars(word, [low], [high], [0], [1], role, label=word) for word, low, high, role in
             zip(words, edges, edges[1:], ("promise", "promise_open", "nothing")) if high > low]
    marks.append(rule("kappa", "private", x=kappa, width=4, handle=handle("kappa")))
    return Axes("promise", linear(0, 1, 0.25), linear(0, 1),
                "what the theorems promise at your κ, for every law", "", "", tuple(marks), wide=1.45,
                high=2.4, grid=False)


def glance(alphas, problem, n):
    """Return a figure of one private fit at each of `alphas`."""
    scene, best, h = landscape(problem), 1 - PROBLEMS[problem]().law.bayes_risk, WIDTH.default
    accuracies = [f"{best - exact_risk(problem, alpha, h, n):.3f}" for alpha in alphas]
    columns = [fit(problem, pictures.painted(private_fit(problem, alpha, h, n)[1], h, middle=0.5),
                   f"α = {alpha:g}: accuracy {accuracy}") for alpha, accuracy in zip(alphas, accuracies)]
    alt = (f"One private rule on {problem} at privacy alpha = {', '.join(f'{a:g}' for a in alphas)}: "
           f"expected accuracy {', '.join(accuracies)}; the best rule has {best:.3f}, the majority label "
           f"{best - scene.majority:.3f}.")
    return pictures.row(columns, alt)

"""What people's data look like: classification problems with exact masses, metric spaces, and survey data.

>>> from ldp_lib.nature import problem
>>> sine = problem("sine")
>>> sine
problem('sine', d=1, amplitude=0.4, frequency=1)
>>> round(sine.bayes_risk, 6)
0.245352
>>> p, q = sine.cell_masses([[0.0], [0.5]], [[0.5], [1.0]])
>>> p.round(6).tolist(), q.round(6).tolist()
([0.5, 0.5], [0.377324, 0.122676])
"""

from ldp_lib.nature.base import Problem, build
from ldp_lib.nature.densities import DENSITIES, Density, density
from ldp_lib.nature.dice import tilted_die
from ldp_lib.nature.holder import Theta, holder
from ldp_lib.nature.hypercube import Hypercube
from ldp_lib.nature.on_spaces import SPACE_PROBLEMS, SpaceProblem, space_problem
from ldp_lib.nature.own import density_from_pdf, problem_from_eta
from ldp_lib.nature.pieces import Threshold, circles, hidden_threshold, moons, point_cloud, point_cloud_eta
from ldp_lib.nature.spaces import (
    BinaryTree, CantorSet, Circle, GraphMetric, Interval, Line, MetricSpace, Sphere, cantor_function,
)
from ldp_lib.nature.surveys import CurrentPopulationSurvey, load_cps, load_departures
from ldp_lib.nature.waves import Arches, Cantor, Checkerboard, Sine, Wave

__all__ = [
    "BinaryTree",
    "CantorSet",
    "Circle",
    "DENSITIES",
    "GraphMetric",
    "Interval",
    "Line",
    "MetricSpace",
    "PROBLEMS",
    "Density",
    "Problem",
    "SPACE_PROBLEMS",
    "SpaceProblem",
    "Sphere",
    "Theta",
    "cantor_function",
    "density",
    "density_from_pdf",
    "load_cps",
    "load_departures",
    "point_cloud",
    "point_cloud_eta",
    "problem",
    "problem_from_eta",
    "space_problem",
    "tilted_die",
]

PROBLEMS = {
    "sine": Sine,
    "checkerboard": Checkerboard,
    "moons": moons,
    "circles": circles,
    "cantor": Cantor,
    "cps": CurrentPopulationSurvey,
    "holder": holder,
    "hypercube": Hypercube,
    "threshold": Threshold,
    "hidden_threshold": hidden_threshold,
    "arches": Arches,
    "wave": Wave,
}
"""Name -> class or function that builds the problem; its signature lists the parameters."""


def problem(name: str, **params: object) -> Problem:
    """Build a classification problem by name: a law of (X, Y) on [0, 1]^d x {0, 1}.

    Parameters
    ----------
    name : str
        A key of `PROBLEMS`.
    params : keyword arguments
        Those of the entry, described in its docstring.

    Returns
    -------
    Problem
        An object with `d`, `eta(X)`, `density(X)` (None if singular), `sample(n, rng=)`,
        `cell_masses(lower, upper)`, `margin_mass(lower, upper)`, `bayes_risk` and `majority_rate`; see
        `ldp_lib.nature.base.Problem`.

    Examples
    --------
    >>> problem("sine", amplitude=0.2)
    problem('sine', d=1, amplitude=0.2, frequency=1)
    """
    return build("problem", PROBLEMS, name, params)

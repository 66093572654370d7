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

import inspect

from ldp_lib._arguments import choice
from ldp_lib.nature.base import Problem
from ldp_lib.nature.cantor import Cantor, cantor_function
from ldp_lib.nature.clouds import point_cloud, point_cloud_eta
from ldp_lib.nature.holder import Theta, holder
from ldp_lib.nature.densities import (
    Claw, Kink, Plateau, Semicircle, Smooth, Spikes, departures, jumps, uniform,
)
from ldp_lib.nature.density_base import Density
from ldp_lib.nature.density_shapes import Bumps, Doppler, Heavisine, blocks
from ldp_lib.nature.hypercube import Hypercube
from ldp_lib.nature.graphs import BinaryTree, GraphMetric
from ldp_lib.nature.on_spaces import SPACE_PROBLEMS, SpaceProblem, space_problem
from ldp_lib.nature.rings import circles, moons
from ldp_lib.nature.smooth import Arches, Wave
from ldp_lib.nature.spaces import CantorSet, Circle, Interval, Line, MetricSpace
from ldp_lib.nature.sphere import Sphere
from ldp_lib.nature.surveys import load_cps, load_departures
from ldp_lib.nature.tables import CurrentPopulationSurvey
from ldp_lib.nature.thresholds import Threshold, hidden_threshold
from ldp_lib.nature.waves import Checkerboard, Sine

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
    "load_cps",
    "load_departures",
    "point_cloud",
    "point_cloud_eta",
    "problem",
    "space_problem",
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

DENSITIES = {
    "uniform": uniform,
    "smooth": Smooth,
    "kink": Kink,
    "jumps": jumps,
    "semicircle": Semicircle,
    "plateau": Plateau,
    "blocks": blocks,
    "bumps": Bumps,
    "heavisine": Heavisine,
    "doppler": Doppler,
    "claw": Claw,
    "spikes": Spikes,
    "departures": departures,
}
"""Name -> class or function that builds the density; its signature lists the parameters."""


def problem(name, **params):
    """Build a classification problem by name: a law of (X, Y) on [0, 1]^d x {0, 1}.

    The keys of `PROBLEMS` are the legal names; the parameters are those of the entry, described
    in its docstring.  Returns an object with `d`, `eta(X)`, `density(X)` (None if singular),
    `sample(n, rng=)`, `cell_masses(lower, upper)`, `margin_mass(lower, upper)`, `bayes_risk` and
    `majority_rate`; see `ldp_lib.nature.base.Problem`.
    """
    return _build("problem", PROBLEMS, name, params)


def density(name, **params):
    """Build a density on [0, 1] by name, a key of `DENSITIES`; the parameters are those of the entry.

    Returns an object with `pdf(x)`, `cdf(x)`, `sample(n, rng=)`, `coefficients(basis, j)`, `smoothness(p)`,
    `sup_norm` and `l2_norm_squared`; see `ldp_lib.nature.density_base.Density`.

    >>> density("kink").pdf([0.25, 0.5]).tolist(), density("kink").smoothness(2)
    ([1.0, 2.0], 1.5)
    """
    return _build("density", DENSITIES, name, params)


def _build(what, table, name, params):
    build = table[choice("name", name, table)]
    legal = inspect.signature(build).parameters
    for key, value in params.items():
        if key not in legal:
            raise TypeError(
                f"{what}({name!r}) has no parameter {key} = {value!r:.60}; it takes "
                f"{', '.join(legal) or 'none'}."
            )
    return build(**params)

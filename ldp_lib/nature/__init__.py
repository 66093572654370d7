"""What people's data look like: classification problems with exact masses, and survey data.

>>> from ldp_lib.nature import problem
>>> sine = problem("sine")
>>> round(sine.bayes_risk, 6)
0.245352
"""

import inspect

from ldp_lib._arguments import choice
from ldp_lib.nature.waves import Checkerboard, Sine

__all__ = ["PROBLEMS", "problem"]

PROBLEMS = {"sine": Sine, "checkerboard": Checkerboard}
"""Name -> class or function that builds the problem; its signature lists the parameters."""


def problem(name, **params):
    """Build a classification problem by name: a law of (X, Y) on [0, 1]^d x {0, 1}.

    The keys of `PROBLEMS` are the legal names; the parameters are those of the entry, described
    in its docstring.  Returns an object with `d`, `eta(X)`, `density(X)` (None if singular),
    `sample(n, rng=)`, `cell_masses(lower, upper)`, `margin_mass(lower, upper)`, `bayes_risk` and
    `majority_rate`; see `ldp_lib.nature.base.Problem`.
    """
    build = PROBLEMS[choice("name", name, PROBLEMS)]
    legal = inspect.signature(build).parameters
    for key in params:
        if key not in legal:
            raise TypeError(
                f"problem({name!r}) has no parameter {key} = {params[key]!r}; its parameters are {', '.join(legal)}."
            )
    return build(**params)

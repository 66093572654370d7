"""What several panels show: one fit of a rule on the unit square, and where the best rule changes."""

import numpy as np
from contourpy import contour_generator

from ldp_lib.live.engine.picture import Axes, cells, line, linear


def boundary(law, points):
    """Where eta crosses 1/2: lines (2, m) in the unit square, NaN after each, from `points` values per axis.

    With one feature the second axis of the square means nothing, and the lines stand upright.
    """
    x = np.linspace(0.001, 0.999, points)
    if law.d == 1:
        before = np.flatnonzero(np.diff(law.eta(x[:, None]) >= 0.5))
        lines = [np.array([[at, 0.0], [at, 1.0]]) for at in (x[before] + x[before + 1]) / 2]
    else:
        eta = law.eta(np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)).reshape(points, points)
        lines = contour_generator(x, x, eta, name="serial").lines(0.5)
    gap = np.full((1, 2), np.nan)
    return np.concatenate([np.empty((0, 2)), *(part for line_ in lines for part in (line_, gap))]).T


def fit(key, decisions, best, title, *, xlabel="", ylabel="", marks=(), areas=("says 0", "says 1"),
        dashes=""):
    """The `Axes` of one fit: its areas, `marks`, and as dashes the `boundary` of the best rule.

    decisions : labels, (m, m), rows are the second feature. areas, dashes : their names in the key, if any.
    """
    unit = linear(0, 1, 0.5)
    return Axes(key, unit, unit, title, xlabel, ylabel,
                (cells("areas", decisions, ("zero", "one"), labels=areas), *marks,
                 line("best", *best, "best", label=dashes, over=True)), square=True, grid=False)

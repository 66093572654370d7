"""A day of departures, estimated from private reports: the figure of notebook 05."""

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live.engine.picture import Axes, Picture, line, linear
from ldp_lib.nature import density, load_departures
from ldp_lib.risk import mise

WAVELET = "db2"
MOST_LEVELS = 9


def flights():
    """When the flights left, in days from midnight: the middle of their minute, shape (328521,)."""
    table = load_departures()
    return np.repeat((table.minute + 0.5) / 1440, table.actual)


def best_level(alpha, n):
    """(J, its `Mise`) of the linear estimator that is best for the departures; n people, alpha in nats."""
    f = density("departures")
    risks = [mise(LinearWaveletDensity(alpha, WAVELET, J, scales="scaling_only"), f, n)
             for J in range(1, MOST_LEVELS + 1)]
    best = min(range(len(risks)), key=lambda J: risks[J].value)
    return best + 1, risks[best]


def day(alphas, rng=1):
    """Return a figure with one private estimate of the day for each of `alphas`, in nats; rng seeds it."""
    from ldp_lib.live.engine.figure import render

    x, f = flights(), density("departures")
    minutes = np.arange(1440) / 60
    columns, said = [], []
    for alpha in alphas:
        J, risk = best_level(alpha, len(x))
        fit = LinearWaveletDensity(alpha, WAVELET, J, scales="scaling_only", rng=rng).fit(x)
        hours, values = fit.grid_pdf(depth=10 - J)
        marks = (line("flights", minutes, f.pdf(minutes / 24), "noise", label="all flights", width=0.8),
                 line("private", 24 * hours, values, "private", label="private"))
        columns.append((Axes(f"{alpha:g}", linear(0, 24, 6), linear(-1, 4, 1),
                             f"α = {alpha:g}: {1440 / 2**J:.0f} minutes", "hour", "", marks),))
        said.append(f"{risk.value / f.l2_norm_squared:.2f} at α = {alpha:g}")
    return render(Picture(tuple(columns)),
                  "Departures by time of day and a private estimate of their density at the best resolution; "
                  f"expected squared error over the square of the density: {', '.join(said)}.", (10.0, 3.2))

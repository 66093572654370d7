"""A day of departures, estimated from private reports: the figure of notebook 05."""

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live import style
from ldp_lib.live.stage import PanelFigure
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
    x, f = flights(), density("departures")
    minutes = np.arange(1440) / 60
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.2), layout="constrained")
        said = []
        for axes, alpha in zip(figure.subplots(1, len(alphas), sharey=True), alphas, strict=True):
            J, risk = best_level(alpha, len(x))
            fit = LinearWaveletDensity(alpha, WAVELET, J, scales="scaling_only", rng=rng).fit(x)
            axes.plot(minutes, f.pdf(minutes / 24), color="#a0a0a0", linewidth=0.6)
            hours, values = fit.grid_pdf(depth=10 - J)
            axes.plot(24 * hours, values, **style.PRIVATE.curve)
            axes.set(xlim=(0, 24), ylim=(-1, 4), xticks=range(0, 25, 6), xlabel="hour")
            axes.set_title(f"α = {alpha:g}: {1440 / 2**J:.0f} minutes")
            axes.label_outer()
            said.append(f"{risk.value / f.l2_norm_squared:.2f} at α = {alpha:g}")
    figure.alt = ("Departures by time of day and a private estimate of their density at the best "
                  f"resolution; expected squared error over the square of the density: {', '.join(said)}.")
    return figure

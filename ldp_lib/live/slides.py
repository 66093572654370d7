"""The experiment of the seminar slides (Baumann 2022): accuracy against alpha on two point clouds.

The slides show only the picture; the number of people, the bandwidth and what a
good accuracy would be are ours, and drawn in.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.live import style
from ldp_lib.live.stage import PanelFigure
from ldp_lib.nature import point_cloud, point_cloud_eta
from ldp_lib.risk import simulate_accuracy


class CloudAccuracy(NamedTuple):
    """One cloud: accuracies of the private rule, (k,) at `alphas` with standard errors, and the levels around
    it."""

    cloud: str
    n: int
    h: float
    repeats: int
    alphas: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    non_private: float
    bayes: float
    majority: float


def slides_experiment(cloud, alphas, *, n=20_000, h=0.15, repeats=20, rng):
    """`CloudAccuracy` of "moons" or "circles": n people, bandwidth h, `repeats` fits for every alpha."""
    rng = np.random.default_rng(rng)

    def sample(people, stream):
        return point_cloud(cloud, people, rng=stream)

    private = [simulate_accuracy(CubeClassifier(alpha, h), sample, n, repeats, rng=rng) for alpha in alphas]
    histogram = simulate_accuracy(HistogramClassifier(h), sample, n, repeats, rng=rng)
    X, y = sample(100_000, rng)
    best = ((point_cloud_eta(cloud, X) >= 0.5) == y).mean()
    return CloudAccuracy(cloud, n, h, repeats, np.array(alphas), np.array([fit.mean for fit in private]),
                         np.array([fit.standard_error for fit in private]), histogram.mean, best,
                         max(y.mean(), 1 - y.mean()))


def slides_figure(results):
    """A figure of accuracy against alpha, one pair of axes a cloud, with 99% bands and all levels."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        for axes, result in zip(figure.subplots(1, len(results), sharey=True, squeeze=False)[0], results,
                                strict=True):
            axes.set(xscale="log", xlabel="privacy α (nats)", ylim=(0.45, 1.02),
                     title=f"{result.cloud}: {result.n:,} people, h = {result.h:g}")
            axes.set_xticks(result.alphas, [f"{alpha:g}" for alpha in result.alphas])
            axes.minorticks_off()
            for value, words, look in ((result.majority, "majority label", style.REFERENCE),
                                       (result.non_private, "histogram, no privacy", style.NON_PRIVATE),
                                       (result.bayes, "Bayes", style.BAYES)):
                line = axes.axhline(value, linewidth=1.3, **look.curve)
                # Bayes and the histogram nearly agree: their names stand on either side of their lines.
                below = look is not style.BAYES
                axes.annotate(words, (0, value), xycoords=("axes fraction", "data"),
                              xytext=(4, -3 if below else 3),
                              textcoords="offset points", va="top" if below else "bottom", fontsize=9,
                              color=line.get_color())
            band = student.ppf(0.995, result.repeats - 1) * result.standard_error
            axes.fill_between(result.alphas, result.mean - band, result.mean + band,
                              color=style.PRIVATE.colour, alpha=0.25)
            axes.plot(result.alphas, result.mean, marker=style.PRIVATE.marker, label="private rule",
                      **style.PRIVATE.curve)
            axes.legend(loc="lower right", bbox_to_anchor=(1, 0.12))
        figure.axes[0].set_ylabel("accuracy on fresh people")
    figure.alt = " ".join(
        f"{result.cloud}: from {result.mean[0]:.2f} at alpha = {result.alphas[0]:g} to {result.mean[-1]:.2f} "
        f"at alpha = {result.alphas[-1]:g}; without privacy {result.non_private:.2f}, Bayes "
        f"{result.bayes:.2f}, majority {result.majority:.2f}." for result in results)
    return figure

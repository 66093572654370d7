"""The experiment of the seminar slides (Baumann 2022): accuracy against alpha on two point clouds.

The slides show only the picture; the number of people, the bandwidth and what a
good accuracy would be are ours, and drawn in.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.live.engine.picture import Axes, Picture, band, dots, line, linear, log, rule
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
    from ldp_lib.live.engine.figure import render

    return render(Picture(tuple((_accuracies(result),) for result in results)), " ".join(
        f"{result.cloud}: from {result.mean[0]:.2f} at alpha = {result.alphas[0]:g} to {result.mean[-1]:.2f} "
        f"at alpha = {result.alphas[-1]:g}; without privacy {result.non_private:.2f}, Bayes "
        f"{result.bayes:.2f}, majority {result.majority:.2f}." for result in results), (10.0, 4.2))


def _accuracies(result):
    """The `Axes` of one cloud."""
    alphas, reach = result.alphas, stdtrit(result.repeats - 1, 0.995) * result.standard_error
    marks = (
        rule("majority", "reference", y=result.majority, label="majority label"),
        rule("histogram", "open", y=result.non_private, label="histogram, no privacy"),
        rule("bayes", "best", y=result.bayes, label="Bayes"),
        band("99%", alphas, result.mean - reach, result.mean + reach, "private"),
        line("private", alphas, result.mean, "private", label="private rule"),
        dots("means", alphas, result.mean, "private", size=8),
    )
    # Half a position beyond either end.
    beyond = (alphas[-1] / alphas[0]) ** (0.5 / max(len(alphas) - 1, 1))
    return Axes(result.cloud, log(alphas[0] / beyond, alphas[-1] * beyond, "{:g}", ticks=alphas),
                linear(0.45, 1.02, 0.1), f"{result.cloud}: {result.n:,} people, h = {result.h:g}",
                "privacy α (nats)", "accuracy on fresh people", marks)

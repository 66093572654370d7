"""The panel of notebook 05: private wavelet density estimation and its twofold elbow.

Butucea, Dubois, Kroll & Saumard (2020), Corollaries 2.1 and 4.1, display (5.1). The linear estimator uses
the mechanism that publishes the fathers of level J alone; the threshold estimator uses mechanism (3.2) with
the same J, and thresholds every detail.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.estimation.wavelet import on_grid
from ldp_lib.live import style
from ldp_lib.live.elbow_people import (
    DRAWN,
    PEOPLE,
    SHAPES,
    WAVELETS,
    Law,
    aggregate,
    coefficients,
    law,
    prepare,
)
from ldp_lib.live.elbow_scene import INVERSE, Estimates, Scene
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.live.stage import PanelFigure
from ldp_lib.risk.integrated import squared_error
from ldp_lib.theory import density_elbows, density_exponent, linear_level, noisy_data_exponent

LEVELS = tuple(range(1, 10))
"""Positions of J."""


class Levels(NamedTuple):
    """Sizes by level: details j = 0, ..., 8 of the truth, j < J of the threshold estimator; arrays."""

    signal: tuple
    """(level, place in [0, 1] and |coefficient|) of all true details: three arrays."""
    kept: tuple
    """The same of the noisy details that were kept."""
    noise: np.ndarray
    """Standard deviation that privacy adds to a detail, (J,)."""
    sampling: np.ndarray
    """Standard deviation of a detail because people are a sample, root mean square over k, (J,)."""
    threshold: np.ndarray
    """(J,)."""


class Risks(NamedTuple):
    """Exact E ||fhat - f||_2^2 / ||f||_2^2 of the linear estimator at every J of `LEVELS`, in parts."""

    bias: np.ndarray
    sampling: np.ndarray
    noise: np.ndarray

    @property
    def total(self):
        """Their sum."""
        return self.bias + self.sampling + self.noise

    @property
    def best(self):
        """Index of the J with the least risk."""
        return int(self.total.argmin())


class Exponents(NamedTuple):
    """The exponents e of ||fhat - f||_r ~ N^-e: without privacy, with it, and with noise on X itself."""

    curves: tuple
    """At `INVERSE`, three arrays."""
    here: tuple
    """At your p."""
    elbows: tuple
    """The 1/p at which each bends; above 1 it bends nowhere."""
    regime: str


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls."""

    alpha: float
    s: float
    p: float
    r: float
    J: int
    n: int
    law: Law
    estimates: dict
    """Role -> values over max f in 2^9 cells of [0, 1]: "linear", "threshold", "open"."""
    errors: dict
    """Role -> ||fhat - f||_2^2 / ||f||_2^2 of what is drawn."""
    levels: Levels
    risks: Risks
    exponents: Exponents
    chosen: tuple
    """J of (4.2) with s* and as printed, with s."""
    details: int
    """How many details the threshold estimator could keep."""


@lru_cache(maxsize=1024)
def exponents(s, r):
    """(curves, elbows) of `Exponents`."""
    with np.errstate(divide="ignore"):
        p = 1 / INVERSE
    curves = _trio(s, p, r)
    elbows = density_elbows(s, r)
    # The third line bends at p = v r / (2 s + v), v = 5.
    return curves, (1 / elbows.nonprivate, 1 / elbows.private, (2 * s + 5) / (5 * r))


def _trio(s, p, r):
    """The exponents of the error at p, a number or an array, in the order of `Exponents`."""
    rates = density_exponent(s, p, r, private=False), density_exponent(s, p, r), noisy_data_exponent(s, p, r)
    return tuple(rate.exponent / r for rate in rates)


@lru_cache(maxsize=256)
def _table(basis, J):
    """The fathers of level J averaged over the picture's cells in one of theirs, for `on_grid`: (c, m)."""
    return 2.0 ** (J / 2) * basis.means("phi", DRAWN - J)[:, ::-1].T


def _fit(estimator, law_, means, n):
    """The fitted `estimator`, its picture over max f, and its error over ||f||^2."""
    mechanism = estimator.mechanism(n)
    estimator.fit_aggregate(aggregate(mechanism, means, n, estimator.alpha is not None))
    values = on_grid(estimator.fathers_, _table(law_.basis, mechanism.levels)).ravel()
    J = mechanism.levels
    error = squared_error(law_.truth["phi"][J], estimator.fathers_, law_.bias[J], law_.basis)
    return estimator, values / law_.picture.max(), float(error / law_.square)


def _places(parts):
    """Level, place and size of the details in `parts`, one array a level."""
    level = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    place = np.concatenate([(np.arange(len(part)) + 0.5) / len(part) for part in parts])
    return level, place, np.abs(np.concatenate(parts))


@lru_cache(maxsize=256)
def _signal(law_):
    return _places(law_.truth["psi"][:LEVELS[-1]])


def _levels(rule, law_, n):
    """The `Levels` of a fitted threshold estimator."""
    mechanism, J = rule.mechanism_, rule.mechanism_.levels
    kept = _places([rule.coefficients_[band.columns] for band in mechanism.bands[1:]])
    some = kept[2] > 0
    # The details of level j account for what V_{j+1} varies more than V_j.
    sampling = np.diff(law_.sampling[:J + 1]) / 2.0 ** np.arange(J) / n
    return Levels(_signal(law_), tuple(part[some] for part in kept),
                  np.sqrt(rule.noise_variance(mechanism, n)[1:]), np.sqrt(np.maximum(sampling, 0.0)),
                  rule.thresholds(mechanism, n)[1:])


def _risks(alpha, wavelet, law_, n):
    """The `Risks`."""
    rules = [LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real") for J in LEVELS]
    noise = [2**rule.level * float(rule.noise_variance(rule.mechanism(n), n)[0]) for rule in rules]
    at = slice(LEVELS[0], LEVELS[-1] + 1)
    return Risks(*(part / law_.square for part in (law_.bias[at], law_.sampling[at] / n, np.array(noise))))


class Elbow(LivePanel):
    """Move alpha, the class, J, n, wavelet and density; watch spikes hide where the noise is loudest."""

    title = "Private wavelet density estimation, and where its rate bends"
    size = (10.6, 6.2)
    scene = Scene
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.125, 8.0, 8), 1.0, "{:.3g}",
                "budget of every person, in nats"),
        Control("s", "smoothness", "s", (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0), 1.5, "{:g}",
                "of the class; above 1, so that s > 1/p for every p"),
        Control("p", "norm of the class", "p",
                (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0), 2.0, "{:g}",
                "small p: spiky densities are in the class"),
        Control("r", "norm of the error", "r", (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0), 6.0, "{:g}",
                "the loss is E ||f̂ - f||_r^r"),
        Control("J", "resolution", "2^-J", LEVELS, 6, lambda J: f"1/{2**J}",
                "the h of this world; J levels of details"),
        Control("n", "people", "n", PEOPLE, 10**6, "{:.3g}", "people in all"),
        Control("wavelet", "wavelet", "", WAVELETS, "db4", help="longer ones are smoother, and overlap more"),
        Control("density", "density", "", SHAPES, "claw",
                help="the law of the people; spikes follow s, p and n α²"),
    )

    def __init__(self):
        prepare(LEVELS[-1])
        super().__init__()

    @staticmethod
    def compute(alpha, s, p, r, J, n, wavelet, density):
        """A `Result`: three fits with common random numbers, exact risks and exponents."""
        law_ = law(density, wavelet, n * alpha**2, s, p)
        means = coefficients(law_, n)
        rules = {
            "linear": LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real"),
            "threshold": ThresholdWaveletDensity(alpha, wavelet, J, first_level=0, noise="real",
                                                 sup_bound=law_.sup_norm),
            "open": LinearWaveletDensity(None, wavelet, J, scales="scaling_only"),
        }
        fits = {role: _fit(rule, law_, means, n) for role, rule in rules.items()}
        threshold = fits["threshold"][0]
        curves, elbows = exponents(s, r)
        star = s - max(1 / p - 1 / r, 0.0)
        return Result(
            alpha, s, p, r, J, n, law_,
            {role: values for role, (_, values, _) in fits.items()},
            {role: error for role, (_, _, error) in fits.items()},
            _levels(threshold, law_, n), _risks(alpha, wavelet, law_, n),
            Exponents(curves, _trio(s, p, r), elbows, density_exponent(s, p, r).regime),
            (linear_level(n, alpha, star), linear_level(n, alpha, s)),
            threshold.mechanism_.K - len(threshold.mechanism_.bands[0].translates),
        )

    def conclude(self, result):
        """Who wins on this draw, what rules the risk, and where p stands among the elbows."""
        risks, at = result.risks, LEVELS.index(result.J)
        parts = {"bias": risks.bias[at], "sampling": risks.sampling[at], "privacy noise": risks.noise[at]}
        private, usual = result.exponents.here[1], result.exponents.here[0]
        better = min(("linear", "threshold"), key=result.errors.get)
        return (f"With {result.n:.3g} people, α = {result.alpha:.3g} and J = {result.J} on "
                f"{result.law.shape}, the linear risk is {risks.total[at]:.2g} of ||f||², ruled by "
                f"{max(parts, key=parts.get)}; J = {LEVELS[risks.best]} would be best. The threshold keeps "
                f"{len(result.levels.kept[0])} of {result.details} details, and on this draw the {better} "
                f"estimate is the better one. At p = {result.p:g} the regime is {result.exponents.regime}: "
                f"exponent {private:.3f} with privacy, {usual:.3f} without.")

    def summarise(self, result):
        """Risk, errors of the draw, coefficients kept, levels, exponents and elbows."""
        risks, at = result.risks, LEVELS.index(result.J)
        chosen, printed = result.chosen
        slip = f" (printed: {printed})" if printed != chosen else ""
        usual, private, data = result.exponents.here
        bends = (f"{1 / bend:.3g}" if bend <= 1 else "none" for bend in result.exponents.elbows[1::-1])
        return [
            ("linear risk / ‖f‖²", f"{risks.total[at]:.2e}"), ("best J", f"{LEVELS[risks.best]}"),
            ("J of (4.2)", f"{chosen}{slip}"),
            ("this draw: linear", f"{result.errors['linear']:.2e}"),
            ("threshold", f"{result.errors['threshold']:.2e}"),
            ("no privacy", f"{result.errors['open']:.2e}"),
            ("details kept", f"{len(result.levels.kept[0])} of {result.details}"),
            ("exponent", f"{private:.3f}, open {usual:.3f}, noise on X {data:.3f}"),
            ("regime", result.exponents.regime), ("elbows at p =", " and ".join(bends)),
        ]


def glance(people, **params):
    """Return a figure of the estimates at each n of `people`; `params` as in the panel."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        said = []
        for axes, n in zip(figure.subplots(1, len(people), sharey=True), people, strict=True):
            result = Elbow.compute(n=n, **params)
            estimates = Estimates(axes)
            estimates.update(result)
            said.append(" against ".join(f"{result.errors[role]:.2g}" for role in ("linear", "threshold")))
            axes.set_title(f"n = {n:.0e}")
            axes.label_outer()
        figure.legend(handles=estimates.handles, loc="outside lower center", ncols=4)
    sizes = ", ".join(f"{n:.0e}" for n in people)
    figure.alt = (f"Private estimates of the density {result.law.shape} at n = {sizes}: squared error over "
                  f"||f||² of the linear against the threshold estimate {'; '.join(said)}.")
    return figure

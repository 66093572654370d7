"""Private density estimators: of a curator, Bousquet et al. (2022), Algorithm 3 (PCDE), and from locally
private wavelet coefficients, Butucea, Dubois, Kroll & Saumard (2020), Sections 4 and 5."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
import pywt
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from ldp_lib._arguments import (
    Randomness, choice, generator, interval, numeric, places, real, require_memory, rescaled, whole,
)
from ldp_lib.estimation.asking import AsksPeople
from ldp_lib.estimation.base import CuratorEstimator, Estimator, check_is_fitted, parameters
from ldp_lib.estimation.intervals import DensityIntervals
from ldp_lib.estimation.majority import default_side
from ldp_lib.privacy import WaveletAggregate, WaveletLaplace, stability_histogram
from ldp_lib.privacy.aggregate import ReportSums
from ldp_lib.privacy.wavelet import LARGEST_NU
from ldp_lib.wavelets import WaveletBasis

FARTHEST = 2.0**62
"""Cubes farther out than this many sides are one: floats no longer tell them apart."""
GRID_DEPTH = 6
"""A projection to a density integrates over 2^6 points in every cell of the finest level."""


class DensityEstimator(Estimator):
    """An estimator with `pdf`; `_square()` is the integral of the square of the estimate."""

    _kind = "density_estimator"

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """2 mean(pdf(X)) - int pdf^2, higher is better. Looks at data: not a private statistic.

        Of people with density f who did not take part in the fit it estimates int f^2 - ||pdf - f||_2^2
        without bias, the criterion of least-squares cross-validation (Bowman, 1984). scikit-learn's
        `KernelDensity` sums logarithms, which an estimate that is 0 or negative somewhere has not.
        """
        return float(2 * np.mean(self.pdf(self._features(X))) - self._square())


@parameters
class StableHistogramDensity(CuratorEstimator, DensityEstimator):
    """Density chat/(n r^d) on cubes of side r over all of R^d; chat is the stability histogram.

    (epsilon, delta)-private under replacement of one person (Theorem 4.2). L1-consistent for every law with a
    density if log(1/delta) = o(sqrt n); the delta = omega(2^(-sqrt n)) of Theorem 4.3 is not small enough a
    restriction. Cubes without people need no memory, wherever they are.

    If **every count is zeroed**, there is nothing to normalise: the estimate is 0 everywhere (`mass_` is 0,
    its L1 distance to any density is 1) and `sample` refuses.

    Parameters
    ----------
    epsilon, delta : the budget, epsilon > 0 in nats, 0 < delta < 1.
    side : side r of the cubes [k r, (k + 1) r), > 0; None is n^(-1/(2d)).
    normalise : divide by the total mass (default), or leave the estimate as Algorithm 3 prints it.
    threshold : "sufficient" (default) or "printed", see `ldp_lib.privacy.stability_threshold`.
    noise : "lattice" (default) or "real".
    rng : None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations.
        Whoever knows it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    cells_ : (k, d), the cubes that show, as whole multiples of the side.  heights_ : (k,), the density there.
    side_ : side of the cubes.  mass_ : total mass before normalising.

    >>> X = np.random.default_rng(0).standard_normal((10_000, 1))
    >>> StableHistogramDensity(epsilon=1.0, delta=1e-6, side=0.5, rng=1).fit(X).pdf([[0.1], [50.0]]).round(2)
    array([0.36, 0.  ])
    """

    delta: float = 1e-6
    _: KW_ONLY
    side: float | None = None
    normalise: bool = True
    threshold: str = "sufficient"
    _learns = "heights_"

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Let the curator count the people, rows of X (n, d), and release the histogram. Returns self."""
        X = self._checked(X)
        n, d = X.shape
        side = default_side(n, d) if self.side is None else self.side
        self.side_ = real("side", side, above=0, cure="side is a length in the units of X.")
        cells, people = np.unique(self._cubes(X), axis=0, return_counts=True)
        counts = stability_histogram(people, self.epsilon, self.delta, threshold=self.threshold,
                                     noise=self.noise, rng=self._source(secure=True))
        self.cells_, counts = cells[counts > 0], counts[counts > 0]
        self.mass_ = float(counts.sum() / n)
        total = counts.sum() if self.normalise else n
        self.heights_ = counts / total / self.side_**d if len(counts) else counts
        return self

    def _cubes(self, X):
        with np.errstate(over="ignore"):
            return np.clip(np.floor(X / self.side_), -FARTHEST, FARTHEST).astype(np.int64)

    def pdf(self, X: ArrayLike) -> np.ndarray:
        """The density at each row of X, (m, d) -> (m,)."""
        X = self._features(X)
        table = dict(zip(map(tuple, self.cells_.tolist()), self.heights_.tolist(), strict=True))
        return np.array([table.get(tuple(cube), 0.0) for cube in self._cubes(X).tolist()])

    def _square(self):
        return (self.heights_**2).sum() * self.side_ ** self.cells_.shape[1]

    def sample(self, n: int, *, rng: Randomness) -> np.ndarray:
        """Draw n people from the normalised estimate, (n, d): as private as the estimate is."""
        check_is_fitted(self)
        if len(self.heights_) == 0:
            raise ValueError("every count was set to zero, so that there is no density to draw from; use "
                             f"more people, or raise epsilon = {self.epsilon!r}, delta = {self.delta!r} or "
                             f"side = {self.side_!r}.")
        n, rng = whole("n", n), generator(rng)
        d = self.cells_.shape[1]
        require_memory(f"A sample of n = {n} people", 24.0 * n * d, "Draw several smaller samples.")
        cube = rng.choice(len(self.heights_), size=n, p=self.heights_ / self.heights_.sum())
        return (self.cells_[cube] + rng.random((n, d))) * self.side_


class PrivateDensity(AsksPeople, DensityEstimator):
    """A density on the interval `domain` of which people, each a number, tell by reports.

    Subclasses say in `mechanism(n)` what n people run, in `_simulated(mechanism, x, source)` what that makes
    of people at x, (n,), in `_sums` which kind of aggregate comes of it, and in `_learn(mechanism,
    aggregate)` what they learn.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        return tags

    def _checked(self, X, **options):
        if not issparse(X) and len(getattr(X, "shape", ())) < 2:
            X = numeric("X", X, private=True)
            X = X.reshape(-1, 1) if X.ndim == 1 else X
        X = super()._checked(X, **options)
        if X.shape[1] != 1:
            raise ValueError(f"X has shape {X.shape}; it must be (n, 1) or (n,): here a person is a number.")
        return X

    def fit(self, x: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Simulate n people at x, shape (n,) or (n, 1), who report, and estimate. The labels y are ignored.

        Whoever calls this holds the data, and numpy draws noise in floating point from `rng`, which the rule
        forgets; None seeds it afresh. Let real people run `privatize` or `send` of `mechanism(n)`, and use
        `fit_aggregate`. `AskedAgainError` if they were asked `times` times, by this rule and its copies
        together; without privacy (alpha None) nobody counts. Many people outside the domain are a
        `DomainWarning`. Returns self.
        """
        X = self._checked(x)
        mechanism = self.mechanism(len(X))
        self._warn_outside(X, *interval("domain", self.domain),
                           "Name the public range of the data: domain=(lower, upper).", stacklevel=3)
        source, loss = (None, math.inf) if self.alpha is None else self._ask()
        self.fit_aggregate(self._simulated(mechanism, X[:, 0], source)).total_loss_ = loss
        return self

    def fit_aggregate(self, aggregate: ReportSums) -> Self:
        """Estimate from sums of reports alone, an aggregate of `mechanism(n)`. Returns self."""
        mechanism = self.mechanism(whole("people of the aggregate", self._sums.legal(aggregate).people))
        self.mechanism_, self.aggregate_ = mechanism, self._sums.checked(aggregate, mechanism)
        self.n_features_in_, self.rng = 1, None
        self.total_loss_ = math.inf if self.alpha is None else mechanism.alpha
        self._learn(mechanism, self.aggregate_)
        return self


@parameters(init=False)
class WaveletDensity(DensityIntervals, PrivateDensity):
    """What the two estimators share: parameters, reports, coefficients, evaluation.

    Subclasses say in `_levels(n)` how many levels n people report and in `select` what is made of
    the noisy coefficients.
    """

    alpha: float | None = 1.0
    wavelet: str = "db2"
    _: KW_ONLY
    scales: str = "common"
    calibration: str = "tight"
    nu: float = 1.5
    domain: tuple[float, float] = (0.0, 1.0)
    noise: str = "lattice"
    project: bool = False
    rng: Randomness = None
    _learns, _sums = "fathers_", WaveletAggregate

    def mechanism(self, n: int) -> WaveletLaplace:
        """The `WaveletLaplace` that n people run; without privacy (alpha None) it only lays out the
        coefficients."""
        private = self.alpha is not None
        return WaveletLaplace(self.alpha if private else 1.0, self.wavelet, self._levels(n), self.scales,
                              self.calibration, self.nu, self.domain, self.noise if private else "real")

    def noise_variance(self, mechanism: WaveletLaplace, n: int) -> np.ndarray:
        """Variance that privacy adds to the mean of n reports, for every band; zeros without privacy."""
        return mechanism.variance_by_level / n * (self.alpha is not None)

    def _simulated(self, mechanism, x, source):
        aggregate = mechanism.count(x)
        return mechanism.add_noise(aggregate, rng=source) if source else aggregate

    def _learn(self, mechanism, aggregate):
        self.raw_coefficients_ = aggregate.totals / aggregate.people
        self.coefficients_ = self.select(mechanism, self.raw_coefficients_, aggregate.people)
        self.fathers_ = fine_fathers(mechanism, self.coefficients_)
        self.projection_level_ = None
        if self.project:
            # The integral over the domain is a sum over the points of `grid_pdf`.
            x, table = grid(mechanism, GRID_DEPTH)
            self.projection_level_ = projection_level(on_grid(self.fathers_, table).ravel(), x[1] - x[0])

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """The estimate at the points x, any shape, per unit of the data: 0 outside the domain, where nobody
        is; inside it can be negative unless `project` is set."""
        check_is_fitted(self)
        x = places("x", x)
        basis, J, (lower, upper) = self.mechanism_.basis, self.mechanism_.levels, self.mechanism_.domain
        first, values = basis.values(rescaled(x, lower, upper).ravel(), J, "phi")
        index = first[:, None] + np.arange(basis.overlap) - basis.translates(J).start
        # At the upper end itself the last father, which would begin there, is 0.
        fathers = np.append(self.fathers_, 0.0)[np.minimum(index, len(self.fathers_))]
        estimate = self._projected((values * fathers).sum(axis=1)).reshape(x.shape) / (upper - lower)
        return np.where((x >= lower) & (x <= upper), estimate, 0.0)

    def grid_pdf(self, depth: int = GRID_DEPTH) -> tuple[np.ndarray, np.ndarray]:
        """The estimate at 2^depth midpoints in each of the 2^J cells of the domain: `(x, values)`."""
        check_is_fitted(self)
        u, table = grid(self.mechanism_, whole("depth", depth, least=0, most=16))
        lower, upper = self.mechanism_.domain
        values = self._projected(on_grid(self.fathers_, table).ravel())
        return lower + (upper - lower) * u, values / (upper - lower)

    def _square(self):
        x, values = self.grid_pdf()
        return (values**2).sum() * (x[1] - x[0])

    def _projected(self, estimate):
        level = self.projection_level_  # of the fit, whatever `project` is by now
        return estimate if level is None else np.maximum(estimate - level, 0.0)


def projection_level(values, step):
    """The t at which the sum of (values - t)+ times `step` is 1, over the last axis: the L2 projection on
    densities."""
    # If the k largest values alone are above t, it is the k-th of these; too many or too few give less.
    sums = np.cumsum(np.sort(values)[..., ::-1], axis=-1)
    return ((sums - 1 / step) / np.arange(1, values.shape[-1] + 1)).max(axis=-1)


def fine_fathers(mechanism, coefficients):
    """The coefficients of phi_Jk, (..., m), that on the domain span the same function as those of the
    mechanism, (..., K)."""
    return pywt.waverec([coefficients[..., band.columns] for band in mechanism.bands], mechanism.basis.name)


def grid(mechanism, depth):
    """2^depth midpoints in every finest cell of [0, 1], flat, and the fathers at them in one cell, (c,
    2^depth)."""
    J = mechanism.levels
    step = 2.0 ** -(J + depth)
    u = (np.arange(2 ** (J + depth)) + 0.5) * step
    return u, mechanism.basis.values(u[:2**depth], J, "phi")[1].T


def on_grid(fathers, table):
    """Values in every cell, (..., cells, points), of sum_k a_k phi_Jk; see `grid`."""
    return np.lib.stride_tricks.sliding_window_view(fathers, len(table), axis=-1) @ table


@parameters
class LinearWaveletDensity(WaveletDensity):
    """Sum of all estimated coefficients below level J: unbiased for the projection of f on V_J (Section 4).

    With 2^J of order n^(1/(2s+1)) or (n alpha^2)^(1/(2s+2)), the smaller, it reaches the rate
    of B^s_{p,q} in L_r for r <= p (Corollary 4.1; for r > p, s is to be replaced by s - 1/p + 1/r, in J too).

    Parameters
    ----------
    alpha : privacy budget in nats, > 0, or None: no privacy, coefficients without noise.
    wavelet : name, see `ldp_lib.wavelets.WaveletBasis`.
    level : J, 0 to 20.
    scales, calibration, nu, domain, noise : as in `WaveletLaplace`.
    project : project the estimate to the densities on the domain (positive, integral 1). Levels, coefficients
        and `projection_level_` belong to the data rescaled to [0, 1].
    rng : of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : how often each person may be asked in all, by this rule and its copies: 1 unless given. Once more
        is `AskedAgainError`, or a warning if people are simulated.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    raw_coefficients_, coefficients_ : estimates in the order of a report, (K,), before and after selection.
    fathers_ : the coefficients of phi_Jk of the estimate on the domain.
    total_loss_ : nats told by whoever was asked each time, by this rule and its copies up to this fit;
        infinite without privacy.
    projection_level_ : with `project` the estimate is (pdf - projection_level_)+ on the domain.

    >>> import numpy as np
    >>> people = np.random.default_rng(1).random(100_000) ** 2
    >>> estimate = LinearWaveletDensity(alpha=4.0, wavelet="haar", level=2, rng=1).fit(people)
    >>> estimate.pdf([0.1, 0.3, 0.6, 0.9]).round(1).tolist()
    [2.0, 0.8, 0.6, 0.5]
    """

    level: int = 4

    def _levels(self, n):
        return self.level

    def select(self, mechanism: WaveletLaplace, coefficients: np.ndarray, n: int) -> np.ndarray:
        """All coefficients are kept."""
        return coefficients


@parameters
class ThresholdWaveletDensity(WaveletDensity):
    """Coefficients at levels j >= J0 count only where they exceed K t_j (Section 5, display (5.1)).

    With the explicit lambda_j of `thresholds`, |noisy coefficient - coefficient| >= lambda_j has probability
    at most 2 * 2^(-g j), for every n (Bernstein's inequality, with noise whose moments are at most those of
    Laplace's); K t_j = `factor` * lambda_j. Theorem 5.1 takes factor 2 and g >= max(2 r, (R + 1) r)
    (`theorem_g`); in practice g = 1 keeps more and is the default. The threshold needs a bound of sup f: the
    estimator does not adapt to that, nor does the mechanism with scales="common" choose its J.

    It is here for the theorem. To learn a density take `AdaptiveDensity`: a threshold of 2.35 sqrt(j)
    standard deviations and more leaves little of what 10^5 people say at alpha = 1, and on each of 13
    densities of `ldp_lib.nature` it had at least 1.8 times the mean integrated squared error of that.

    Parameters
    ----------
    alpha, wavelet, calibration, nu, domain, noise, project, rng, times : as in `LinearWaveletDensity`.
    levels : J, or None for J1 of the theorem at n people.
    first_level : J0, or None for that of the theorem.
    scales : "by_level" (default, mechanism (3.2)) or "common".
    rule : "hard" (kept or zero) or "soft" (moved to zero by the threshold).
    sup_bound : B >= sup f, for data rescaled to [0, 1].
    g, factor : see above, > 0.

    >>> people = np.random.default_rng(1).random(100_000) ** 2
    >>> estimate = ThresholdWaveletDensity(alpha=4.0, wavelet="haar", levels=3, rng=1).fit(people)
    >>> estimate.pdf([0.1, 0.3, 0.6, 0.9]).round(1).tolist()
    [2.9, 0.8, 0.6, 0.6]
    """

    levels: int | None = None
    _: KW_ONLY
    first_level: int | None = None
    scales: str = "by_level"
    rule: str = "hard"
    sup_bound: float = 4.0
    g: float = 1.0
    factor: float = 2.0

    def _levels(self, n):
        choice("scales", self.scales, ("by_level", "common"))
        if self.levels is not None:
            return whole("levels", self.levels, least=1, most=20)
        # 2^J11 = n / log n and 2^J12 = (N / (log N)^(2 nu + 1))^(1/2), N = n alpha^2.
        finest = math.log2(n / math.log(n)) if n > 2 else 1.0
        if self.alpha is not None:
            real("nu", self.nu, above=1, most=LARGEST_NU)
            N = max(n * real("alpha", self.alpha, above=0) ** 2, math.e)
            finest = min(finest, (math.log2(N) - (2 * self.nu + 1) * math.log2(math.log(N))) / 2)
        return int(min(max(finest, 1), 20))

    def coarse_levels(self, mechanism: WaveletLaplace, n: int) -> int:
        """J0: details below it are all kept. By the theorem 2^J0 = N^(1/(2 (R + 1) + 2)), R the
        regularity."""
        if self.first_level is not None:
            return whole("first_level", self.first_level, least=0, most=20)
        R = mechanism.basis.regularity
        if self.alpha is None:
            return int(math.log2(n) / (2 * (R + 1) + 1))
        return int(max(math.log2(n * self.alpha**2), 0) / (2 * (R + 1) + 2))

    def thresholds(self, mechanism: WaveletLaplace, n: int) -> np.ndarray:
        """K t_j = factor * lambda_j for every band, (len(bands),); 0 for the bands that are always kept.

        lambda_j = sqrt(2 (B + V_j) g j ln 2 / n) + max((2/3) ||psi||_inf 2^(j/2), sigma_j) g j ln 2 / n, with
        V_j the variance of the noise in one report (2 sigma_j^2, or a little less on the lattice) and 1 for j
        = 0.
        """
        bound = real("sup_bound", self.sup_bound, above=0)
        g, factor = real("g", self.g, above=0), real("factor", self.factor, above=0)
        first = self.coarse_levels(mechanism, n)
        j = np.array([band.j for band in mechanism.bands])
        always = [band.kind == "phi" or band.j < first for band in mechanism.bands]
        step = g * np.maximum(j, 1) * math.log(2) / n
        reach = np.maximum(2 / 3 * mechanism.basis.psi_max * 2.0 ** (j / 2),
                           mechanism.scales_by_level * (self.alpha is not None))
        spread = np.sqrt(2 * (bound + n * self.noise_variance(mechanism, n)) * step)
        return np.where(always, 0.0, factor * (spread + reach * step))

    def select(self, mechanism: WaveletLaplace, coefficients: np.ndarray, n: int) -> np.ndarray:
        """Coefficients, (..., K), after thresholding."""
        soft = choice("rule", self.rule, ("hard", "soft")) == "soft"
        least = np.repeat(self.thresholds(mechanism, n), [len(band.translates) for band in mechanism.bands])
        size = np.abs(coefficients)
        return np.where(size >= least, np.sign(coefficients) * (size - least * soft), 0.0)


def theorem_g(r: float, basis: WaveletBasis) -> float:
    """The g that Theorem 5.1 of [1]_ asks for: max(2 r, (R + 1) r).

    Parameters
    ----------
    r : float
        Exponent of the L_r loss, finite and >= 1.
    basis : WaveletBasis
        Its `regularity` is R.

    Returns
    -------
    float
        The least g of the theorem, as `ThresholdWaveletDensity` takes it.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020), Theorem 5.1,
       doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> from ldp_lib.wavelets import WaveletBasis
    >>> theorem_g(2.0, WaveletBasis("db2"))
    4.0
    """
    r = real("r", r, least=1)
    return max(2 * r, (basis.regularity + 1) * r)

"""How sure are we? Standard errors, intervals and the confidence in a label, of what has been learnt.

Nothing here asks anybody again: the sums of the reports and public quantities are enough. All that is said is
about what reports can tell, the integral of g = f (eta - 1/2) over a cell, or the mean of a density's
estimate. How far that is from g or f at a point, the bias, no interval shows.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from ldp_lib._arguments import places, real, rescaled
from ldp_lib.estimation.base import check_is_fitted
from ldp_lib.privacy import CubeLaplace, HadamardBit, SignedSubset
from ldp_lib.privacy.binomial import at_least, binomial_interval

HALVINGS = 50
"""Of the range in which a quantile of a mixture is sought."""
MOST_LEVELS = 12
"""Of a density whose band is planned."""


def normal_reach(confidence):
    """How many standard errors an interval of this confidence reaches to either side, if all is normal."""
    return float(ndtri(0.5 + real("confidence", confidence, above=0, below=1) / 2))


def variance_bound(mechanism, mass):
    """n times the variance of a score that n people give, at most; `mass` bounds P(X counts for the cell).

    On cells it is the second moment of one person's part: without the square of its mean. For `CubeLaplace`
    either half has n/2 people.
    """
    mass = real("mass", mass, above=0, most=1, cure="mass bounds the probability of a cell.")
    if isinstance(mechanism, CubeLaplace):
        most = mass * (1 - mass) if mass < 0.5 else 0.25
        return 2.5 * (most + mechanism.noise.variance)
    # P(S != 0) is linear in the probability of the cell.
    return max(mechanism.variance(0.0), mechanism.variance(mass))


def sign_size(mechanism):
    """The size of a person's part of a score where it is a sign, whoever she is; None where it is not."""
    everywhere = isinstance(mechanism, SignedSubset) and mechanism.size == mechanism.K
    return mechanism.scale if everywhere or isinstance(mechanism, HadamardBit) else None


class ScoreIntervals:
    """For rules whose score is a mean over people: what it tells of the integral of g over the cell.

    For `CubeClassifier` the integral is that over the cube of the nearest grid point, twice as wide, whose
    probability `mass` bounds.

    >>> from ldp_lib.estimation import OneBitClassifier
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> rule = OneBitClassifier(alpha=1.0, h=0.25, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.interval([[0.1], [0.9]]).round(2).tolist()      # of -1/8 and 1/8
    [[-0.17, -0.11], [0.08, 0.15]]
    """

    def standard_error(self, X: ArrayLike, *, mass: float = 1.0) -> np.ndarray:
        """Standard deviation of the score in the cell of each row of X, (n,).

        From public quantities and the score alone. For one bit a person the mean square of her part is known,
        scale^2; less the square of the score, which is that of the sample, this is her variance, with an
        expectation too small by a share 1/n. For other mechanisms that square grows with P(X in the cell),
        which no report tells: `mass` is a bound of it, above 0 and up to 1, the default; give what is public,
        say 0.1 for ages in tenths of the people. Noise counts exactly, and people at most: the variance is
        up to 1 + alpha^2 / 8 times too large for "laplace", but (1 + P) / P times, P = P(X in the cell), for
        "subset" at large alpha. At large alpha with few people the square of the score is uncertain itself.
        """
        score, most = self.decision_function(X), variance_bound(self.mechanism_, mass)
        # No integral of g is beyond mass / 2; the halves of `CubeLaplace` have means of their own.
        told = np.minimum(score**2, mass**2 / 4) * (not isinstance(self.mechanism_, CubeLaplace))
        return np.sqrt((most - told) / np.sum(self.aggregate_.people))

    def interval(self, X: ArrayLike, confidence: float = 0.95, *, mass: float = 1.0) -> np.ndarray:
        """Confidence interval for the integral of g over the cell of each row of X, (n, 2).

        For one bit a person it is exact: the binomial law of the score refutes all values outside. Else the
        score is taken as normal, with `standard_error`: not for a few people at a large alpha, whose scores
        have few values. Each is for one cell: of many, the share 1 - `confidence` misses.
        """
        reach, error = normal_reach(confidence), self.standard_error(X, mass=mass)
        score, size = self.decision_function(X), sign_size(self.mechanism_)
        if size is None:
            return np.stack([score - reach * error, score + reach * error], axis=1)
        n = self.aggregate_.people
        low, high = binomial_interval(self._ones(score, size), n, (1 - confidence) / 2)
        return size * (2 * np.stack([low, high], axis=-1) - 1)

    def label_confidence(self, X: ArrayLike, *, mass: float = 1.0) -> np.ndarray:
        """Confidence that the label in the cell of each row of X is the better one there, (n,).

        1 less the probability that a score at 0 would give is as far on this side as the one that was seen:
        exact for one bit a person, else normal. It is no probability that the label is right.
        """
        score = self.decision_function(X)
        size = sign_size(self.mechanism_)
        error = math.sqrt(variance_bound(self.mechanism_, mass) / np.sum(self.aggregate_.people))
        if size is None:
            return ndtr(np.abs(score) / error)
        n = self.aggregate_.people
        ones = self._ones(score, size)
        most = np.maximum(ones, n - ones)
        return at_least(n - most + 1, n, 0.5)

    def _ones(self, score, size):
        return np.rint(self.aggregate_.people * (1 + score / size) / 2)


class PosteriorIntervals:
    """Of what has been learnt as a posterior mean, the posterior.

    A belief is a mixture of Gaussians. The estimate is an average over beliefs, and what is said of its
    errors holds for each: the widest is taken, so that it is true of all odds between them. This is for good
    reason. A belief that makes g constant on the cells asked about is sure of what no bit can tell, and the
    reports can make it likely.

    These are beliefs, and how often an interval covers a given law is another question, see
    `PosteriorConfidence` and `AdaptiveDensity`.

    Subclasses say in `_components(mechanism, seen, variance, cells)` of the Gaussians of every belief the
    weights (m,), means and variances (m, cells); in `_cell_of(X)` the number of the cell of every place; in
    `_learnt()` the estimates in all cells.
    """

    def _beliefs_at(self, X):
        """For every belief weights (m,), means and deviations (m, cells); the cells, and each place's."""
        cells, place = np.unique(self._cell_of(X), return_inverse=True)
        seen, variance = self._read(self.mechanism_, self.aggregate_)
        # A rounding error may take all of a variance.
        found = [(weights / weights.sum(), means, np.sqrt(np.maximum(variances, 1e-300))) for
                 weights, means, variances in self._components(self.mechanism_, seen, variance, cells)]
        return found, cells, place

    def standard_error(self, X: ArrayLike) -> np.ndarray:
        """Root of the mean squared distance of the truth from the estimate, as `interval` takes both.

        Over the posterior of the belief for which it is largest; for a single belief, its standard deviation.
        """
        found, cells, place = self._beliefs_at(X)
        away = [weights @ (deviations**2 + (means - self._learnt()[cells]) ** 2)
                for weights, means, deviations in found]
        return np.sqrt(np.max(away, axis=0))[place]

    def interval(self, X: ArrayLike, confidence: float = 0.95) -> np.ndarray:
        """For the integral of g over the cell of each row of X, (n, 2), or the density at each point x,
        (..., 2): from the least quantile to the most.

        Between those of one belief lies the share `confidence` of its posterior, with equal tails.
        """
        tail = (1 - real("confidence", confidence, above=0, below=1)) / 2
        found, _, place = self._beliefs_at(X)
        low = np.min([_quantile(*belief, tail) for belief in found], axis=0)
        high = np.max([_quantile(*belief, 1 - tail) for belief in found], axis=0)
        return np.stack([low, high], axis=1)[place]


class PosteriorConfidence(PosteriorIntervals):
    """For rules that believe something about g: the posterior of its integrals over the cells of the rule.

    The cells of the rule are finer than those asked about (`scores_` has one entry a cell): an integral over
    one of them is small, and so is its interval.

    Measured at a nominal 95%, alpha = 1, over 64 random cells in 40 surveys of 16,000 and of 200,000 people:
    92% to 100% on laws "sine" (d = 1, 2), "checkerboard", "moons", "cps", "holder" and "wave"; 88% to 95% on
    "threshold", whose jump lies within a cell asked about; 62% to 89% on "cantor", which has no density. Over
    the cells of a law labels were the better ones more often than they said, "cantor" at 200,000 people
    apart.

    >>> from ldp_lib.estimation import WaveletClassifier
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> rule = WaveletClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.label_confidence([[0.1], [0.49], [0.9]]).round(2).tolist()
    [0.99, 0.55, 0.98]
    """

    def _cell_of(self, X):
        return np.ravel_multi_index(tuple(self._cell(self._features(X)).T), self.scores_.shape)

    def _learnt(self):
        return self.scores_.ravel()

    def label_confidence(self, X: ArrayLike) -> np.ndarray:
        """Posterior probability that the label in the cell of each row of X is the better one there, (n,).

        That of the belief for which it is least.
        """
        found, cells, place = self._beliefs_at(X)
        ones = np.array([weights @ ndtr(means / deviations) for weights, means, deviations in found])
        one = self._learnt()[cells] >= 0
        return np.where(one, ones.min(axis=0), 1 - ones.max(axis=0))[place]


def _quantile(weights, means, deviations, share):
    """Where the distribution functions of mixtures of Gaussians, (m, cells), reach `share`, by halving."""
    low, high = (means - 40 * deviations).min(axis=0), (means + 40 * deviations).max(axis=0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = weights @ ndtr((middle - means) / deviations) >= share
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


class DensityIntervals:
    """For wavelet densities: pointwise, about the mean of the estimate and not its bias.

    Measured at a nominal 95%, over the domain, 60 surveys of 20,000 people of "kink", "claw", "spikes" and
    "blocks" each: with alpha = 4 95% to 96%, linear (level 6) or with a threshold (levels 5). Without privacy
    the noise no longer hides what is taken for constant or fixed below: 89% to 95% (linear, level 6) and 67%
    to 93% with a threshold (levels 6), least beside peaks.

    >>> from ldp_lib.estimation import LinearWaveletDensity
    >>> people = np.random.default_rng(1).random(100_000) ** 2
    >>> estimate = LinearWaveletDensity(alpha=4.0, wavelet="haar", level=2, rng=1).fit(people)
    >>> estimate.interval([0.1, 0.9]).round(2).tolist()      # of 2 and 0.54
    [[1.96, 2.02], [0.52, 0.58]]
    """

    def standard_error(self, x: ArrayLike) -> np.ndarray:
        """Standard deviation of the estimate at the points x, any shape; 0 outside the domain.

        The noise counts exactly; the part of the people is estimated, as if f had its estimated value all
        around x. Coefficients that a threshold has set to zero count as fixed, and `project` is left out.
        """
        estimate, noise, kernel = self._at(x)
        people = self.aggregate_.people
        return np.sqrt(noise + np.maximum(np.maximum(estimate, 0) * kernel - estimate**2, 0) / people)

    def interval(self, x: ArrayLike, confidence: float = 0.95) -> np.ndarray:
        """The estimate, before `project`, and as many standard errors to either side as a normal law has
        between, (..., 2): a confidence interval for the mean of the estimate at x."""
        error = normal_reach(confidence) * self.standard_error(x)
        estimate = self._at(x)[0]
        return np.stack([estimate - error, estimate + error], axis=-1)

    def _at(self, x):
        """Of the points x: the estimate, the variance of its noise, and the sum of its squared wavelets."""
        check_is_fitted(self)
        x, mechanism = places("x", x), self.mechanism_
        lower, upper = mechanism.domain
        inside, width = (x >= lower) & (x <= upper), upper - lower
        flat = rescaled(x, lower, upper).ravel()
        variances = self.noise_variance(mechanism, self.aggregate_.people)
        sums = np.zeros((3, flat.size))
        for band, variance in zip(mechanism.bands, variances, strict=True):
            first, values = mechanism.basis.values(flat, band.j, band.kind)
            index = first[:, None] + np.arange(values.shape[1]) - band.translates.start
            coefficients = self.coefficients_[band.columns]
            # At the upper end the last translate, which would begin there, is 0.
            values = np.where(index < len(coefficients), values, 0.0)
            coefficients = coefficients[np.minimum(index, len(coefficients) - 1)]
            squares = (values**2 * (coefficients != 0)).sum(axis=1)
            sums += (values * coefficients).sum(axis=1), variance * squares, squares
        return np.where(inside, sums.reshape(3, *x.shape), 0.0) / np.reshape(
            [width, width**2, width], (3, *[1] * x.ndim))


def density_variance_bound(estimator, height):
    """n times the variance of a linear density estimate at the worst of 2^6 places in every finest cell.

    At most: `height` bounds the density, and the square of the mean is left out.
    """
    mechanism = estimator.mechanism(1)
    lower, upper = mechanism.domain
    if mechanism.levels > MOST_LEVELS:
        raise ValueError(f"level = {mechanism.levels} is too fine to look for the worst place of a band; use "
                         f"at most {MOST_LEVELS}.")
    # All bands repeat after a length of 1.
    x = np.arange(2 ** (mechanism.levels + 6)) / 2 ** (mechanism.levels + 6)
    total = np.zeros(len(x))
    for band, variance in zip(mechanism.bands, estimator.noise_variance(mechanism, 1), strict=True):
        squares = mechanism.basis.values(x, band.j, band.kind)[1] ** 2
        total += (variance + height * (upper - lower)) * squares.sum(axis=1)
    return float(total.max()) / (upper - lower) ** 2

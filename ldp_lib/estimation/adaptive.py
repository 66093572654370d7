"""A private classifier that averages over bandwidths and smoothness when it reads the reports."""

import math
from functools import lru_cache, partial, reduce
from itertools import product

import numpy as np
from scipy.fft import idctn
from scipy.special import logsumexp

from ldp_lib.estimation.posterior import Belief, PosteriorMeanClassifier, ScaleMixture, along, spread
from ldp_lib.privacy import DyadicBit
from ldp_lib.privacy.hadamard import hadamard_transform

SMOOTHNESS = (1, 2, 4)
WIDTHS = (1, 0.3, 0.1)
AMPLITUDES = 2.0 ** np.arange(-14, 6)
"""The mean of g^2 over the domain, before any bit is seen."""
ABSENT = 0.8
"""Prior probability that a level of a blocky g is zero."""
RATIOS = np.array([0, *4.0 ** np.arange(-1, 8)])
"""Signal over noise in a level of a blocky g: these nine share the rest of the probability."""
DIGITS = 12
"""The rule has at most 2^12 cells."""


class AdaptiveClassifier(PosteriorMeanClassifier):
    """A `PosteriorMeanClassifier` with two beliefs about how fast g varies.

    It learns how to read the bits, not what to ask: see `levels`. A jump of g inside a cell asked about may
    be put at the edge of that cell.

    smooth : a Gaussian process, g = sum_k theta_k phi_k in the tensor cosine basis of [0, 1]^d, independent
        theta_k of mean 0 and variance tau (1 + l^2 |k|^2)^-(s + d/2) times a constant that makes the mean of
        g^2 equal to tau: Matern spectra with s in `SMOOTHNESS`, l in `WIDTHS` and tau in `AMPLITUDES`, all
        equally likely. Such a g is read *inside* the cells asked about: borders need not lie on their grid.
    blocky : g constant on the cells asked about, Walsh coefficients independent, of one ratio of signal to
        noise a level; independent levels are zero with probability `ABSENT`, or have a ratio in `RATIOS`.

    Parameters
    ----------
    alpha, levels, classes, rng : as in `PosteriorMeanClassifier`.

    Attributes
    ----------
    smooth_ : posterior probability that g is smooth, not blocky.
    scores_ : as in `PosteriorMeanClassifier`, like all others; on 2^floor(12/d) cells an axis.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = AdaptiveClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.37], [0.43], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    @staticmethod
    def _digits(levels, d):
        return DIGITS // d

    def _learn(self, mechanism, aggregate):
        beliefs = _smooth(mechanism.levels, mechanism.d), partial(_blocky, mechanism)
        (self.smooth_, _), _ = self._weigh(mechanism, aggregate, beliefs)
        return self


@lru_cache(maxsize=8)
def _smooth(levels, d):
    """The belief in Gaussian processes; it depends on no data."""
    mechanism, cells = DyadicBit(1.0, levels, d), 2 ** (DIGITS // d)
    asked, k = mechanism.shape[0], np.arange(cells)
    # The mean of cos(pi k x) over a cell of width w is its value at the centre times sinc(k w / 2).
    waves = np.where(k > 0, math.sqrt(2), 1) * np.cos(np.pi * k * (np.arange(asked)[:, None] + 0.5) / asked)
    masses = waves * np.sinc(k / (2 * asked)) / asked
    fade = reduce(np.multiply.outer, [np.sinc(k / (2 * cells)) / math.sqrt(cells)] * d)
    squares = sum(axis**2 for axis in np.ix_(*[k] * d))
    spectra = np.array([(1 + l**2 * squares) ** -(s + d / 2) for s, l in product(SMOOTHNESS, WIDTHS)])
    spectra /= spectra.sum(axis=tuple(range(1, d + 1)), keepdims=True)
    tensor = reduce(np.kron, [masses] * d)
    covariances = np.array([tensor * spectrum.ravel() @ tensor.T for spectrum in spectra])

    def carry(answers):
        theta = sum(spectrum * along(masses.T, answer.reshape(mechanism.shape))
                    for spectrum, answer in zip(spectra, answers, strict=True))
        return idctn(theta * fade, norm="ortho")

    return ScaleMixture(mechanism, covariances, AMPLITUDES, carry)


def _blocky(mechanism, seen, variance):
    """The `Belief` that levels have variances of their own."""
    total = variance * (1 + RATIOS)
    energy = np.bincount(mechanism.row_level, weights=seen**2)[:, None]
    prior = np.array([ABSENT, *[(1 - ABSENT) / (len(RATIOS) - 1)] * (len(RATIOS) - 1)])
    joint = np.log(prior) - 0.5 * (mechanism.level_size[:, None] * np.log(total) + energy / total)
    evidence = logsumexp(joint, axis=1, keepdims=True)
    weights = np.exp(joint - evidence)
    kept = weights @ (RATIOS / (1 + RATIOS))
    mass = hadamard_transform(kept[mechanism.row_level] * seen * spread(mechanism)) / mechanism.K
    finer = 2 ** (DIGITS // mechanism.d - mechanism.levels)
    mean = np.kron(mass.reshape(mechanism.shape), np.ones((finer,) * mechanism.d)) / finer**mechanism.d
    return Belief(evidence.sum(), kept @ mechanism.level_size, mean, weights)

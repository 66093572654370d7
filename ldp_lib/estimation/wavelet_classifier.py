"""A private classifier for smooth regression functions: a wavelet prior, one bit a person."""

import functools
import itertools

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice
from ldp_lib.estimation.posterior import PosteriorMeanClassifier, ScaleMixture, along
from ldp_lib.privacy import DyadicBit
from ldp_lib.wavelets import REGULARITY, wavelet_basis

SMOOTHNESS = tuple(itertools.product((0, 1, 2), (1.0, 2.0, 3.0)))
"""Pairs (r, beta): the variances of wavelet coefficients are equal up to level r, and fall from there on."""
POWERS = 2.0 ** np.arange(-12, 5)
"""sigma^2, the variance of a coefficient of level 0; |g| <= f / 2, so that 16 is for densities of 8."""
FINER = 4
"""Cells of the rule are at most 2^FINER times narrower than those asked about, ..."""
DIGITS = 16
"""... and number at most 2^DIGITS."""


class WaveletClassifier(PosteriorMeanClassifier):
    """A `PosteriorMeanClassifier` that believes in random wavelet series.

    On [0, 1]^d g is a series in tensor wavelets with independent normal coefficients, whose variance at level
    j is

        sigma^2 2^(-(2 beta + d) max(j - r, 0)),

    as in Abramovich, Sapatinas & Silverman (1998), but without their atoms at 0. It falls as the squared
    coefficients of functions of smoothness beta do, from level r on: smoothness beyond the beta <= 1 of
    Berrett & Butucea (2019) counts. The wavelets reach beyond [0, 1]^d, where nobody looks: that g jumps to 0
    at the border costs nothing. Haar's wavelets are a second belief, for rules that jump on a dyadic grid;
    within a belief all (r, beta, sigma) that differ in their variances are equally likely.

    Smoothness is in the prior and not in the questions: a Walsh function is what a bit can say most about,
    |(2Y - 1) H[r, cell]| being 1 everywhere. Bits about smooth fathers, scaled to stay in [-1, 1], would need
    S_phi^(2d) times the people, S_phi^2 being 2.2 for "sym6", and ask for places outside [0, 1].

    Parameters
    ----------
    alpha, levels, classes, rng : as in `PosteriorMeanClassifier`.
    wavelet : name, see `ldp_lib.wavelets.WaveletBasis`: the prior's; g can be as smooth as it is.

    Attributes
    ----------
    weights_ : posterior probabilities of the priors, (wavelets, pairs (r, beta), values of sigma^2).
    scores_ : as in `PosteriorMeanClassifier`, like all others; on 2^min(J + 4, floor(16/d)) cells an axis.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = WaveletClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.3], [0.6], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, alpha: float = 1.0, wavelet: str = "sym6", *, levels: int | None = None,
                 classes: ArrayLike = (0, 1), rng: Randomness = None):
        self.alpha = alpha
        self.wavelet = wavelet
        self.levels = levels
        self.classes = classes
        self.rng = rng

    @staticmethod
    def _digits(levels, d):
        return min(levels + FINER, DIGITS // d)

    def _learn(self, mechanism, aggregate):
        names = dict.fromkeys(("haar", choice("wavelet", self.wavelet, REGULARITY)))
        beliefs = [_series(name, mechanism.levels, mechanism.d) for name in names]
        share, found = self._weigh(mechanism, aggregate, beliefs)
        self.weights_ = share[:, None, None] * [belief.weights for belief in found]
        return self


@functools.lru_cache(maxsize=8)
def _series(wavelet, levels, d):
    """The belief in series of this wavelet; it depends on no data."""
    mechanism, finest = DyadicBit(1.0, levels, d), WaveletClassifier._digits(levels, d)
    basis = wavelet_basis(wavelet)
    # With few levels several pairs say the same.
    steps = np.unique([_steps(r, beta, finest, d) for r, beta in SMOOTHNESS], axis=0)
    overlaps, kernels = [], []
    for j in range(finest + 1):
        # Integrals of one father over fine cells serve all its translates; outside its support they are 0.
        width = 2 ** (finest - j)
        integral = basis.integral("phi", np.arange(width * basis.overlap + 1) / width)
        masses = 2.0 ** (-j / 2) * np.pad(np.diff(integral), 1)
        place = np.arange(2**finest)[:, None] - width * np.array(basis.translates(j))
        fine = masses[(place + 1).clip(0, len(masses) - 1)]
        coarse = fine.reshape(2**levels, -1, fine.shape[1]).sum(axis=1)
        overlaps.append(fine @ coarse.T)
        kernels.append(functools.reduce(np.kron, [coarse @ coarse.T] * d))

    def carry(answers):
        return sum(along(overlap, part.reshape(mechanism.shape))
                   for overlap, part in zip(overlaps, steps.T @ answers, strict=True))

    return ScaleMixture(mechanism, np.tensordot(steps, kernels, 1), POWERS, carry)


def _steps(r, beta, finest, d):
    """Weights of the projections P_0, ..., P_finest on tensor fathers in the prior covariance over sigma^2.

    The tensor details of level j are P_(j+1) - P_j; there are none from level `finest` on.
    """
    variances = 2.0 ** (-(2 * beta + d) * np.maximum(np.arange(finest) - r, 0))
    return -np.diff(np.concatenate([[1.0], variances, [0.0]]))

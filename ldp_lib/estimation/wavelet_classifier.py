"""A private classifier for smooth regression functions: wavelets, from one bit a person."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ldp_lib._arguments import real, whole
from ldp_lib.estimation.grid import ReportClassifier
from ldp_lib.privacy.wavelet_bit import CHUNK, WaveletBit
from ldp_lib.wavelets import wavelet_basis


class WaveletClassifier(ReportClassifier):
    """Class 1 where the wavelet estimate of the signed density g = f (eta - 1/2) is >= 0.

    `WaveletBit` estimates E[(Y - 1/2) Phi_jk(X)], the father coefficients of g, at every level; the details
    of level j are what those of level j + 1 say beyond level j. Details are thresholded by level: multiplied
    by (1 - (1 + penalty sqrt(2 / m)) E / R)^+, R being their energy, E that of their noise and m their number
    (Cavalier & Tsybakov, 2001). So neither beta nor h is needed; with K vanishing moments smoothness up to
    beta = K is used, beyond the beta <= 1 of Berrett & Butucea (2019).

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    wavelet : name, see `ldp_lib.wavelets.WaveletBasis`; with K vanishing moments (db3: 3).
    first, levels : coarsest and finest level. None are floor(log2(N) / (2 d + 2 beta)) with beta = K and
        1, N = n / scale^2, about n alpha^2: the bandwidths for that smoothness (Theorem 2.4 of the paper).
    penalty : >= 0; more keeps fewer levels.
    rng : numpy Generator, seed, or None for fresh entropy: the people's noise. A seed undoes the privacy.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    shrinkage_ : factors of the details of levels first, ..., J - 1.
    fathers_ : the coefficients of Phi_Jk of the estimate.  classes_ : the two labels.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = WaveletClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.3], [0.6], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, alpha=1.0, wavelet="db3", *, first=None, levels=None, penalty=1.0, rng=None):
        self.alpha = alpha
        self.wavelet = wavelet
        self.first = first
        self.levels = levels
        self.penalty = penalty
        self.rng = rng

    def build_mechanism(self, n, d):
        """The `WaveletBit` that n people with d features run."""
        scale = WaveletBit(self.alpha, self.wavelet, 0, 0, d).scale
        K = wavelet_basis(self.wavelet).vanishing_moments
        octaves = math.log2(max(n / scale**2, 1))
        levels = (max(1, int(octaves / (2 * d + 2))) if self.levels is None
                  else whole("levels", self.levels, least=0))
        first = int(octaves / (2 * d + 2 * K)) if self.first is None else whole("first", self.first, least=0)
        return WaveletBit(self.alpha, self.wavelet, levels, min(first, levels), d)

    _mechanism_of = build_mechanism

    def _learn(self, mechanism, aggregate):
        penalty = real("penalty", self.penalty, least=0)
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        estimates = mechanism.coefficients(aggregate)
        variances = mechanism.variance_by_level() / aggregate.people
        fathers, shrinkage = estimates[0], []
        for place, finer in enumerate(estimates[1:], start=1):
            down = _down(mechanism.basis, mechanism.first + place - 1)
            details = finer - _along(down.T, _along(down, finer))
            # White noise on the coefficients leaves this energy in details, this many dimensions' worth.
            P = down.T @ down
            count = len(P) ** mechanism.d - 2 * np.trace(P) ** mechanism.d + (P * P).sum() ** mechanism.d
            noise, seen = variances[place] * count, (details**2).sum()
            ratio = (1 + penalty * math.sqrt(2 / count)) * noise / max(seen, noise / 2)
            shrinkage.append(max(1 - ratio, 0.0))
            fathers = _along(down.T, fathers) + shrinkage[-1] * details
        self.fathers_, self.shrinkage_ = fathers, np.array(shrinkage)
        return self

    def decision_function(self, X):
        """The estimate of f (eta - 1/2) at each row of X, shape (n,); class 1 where it is >= 0."""
        check_is_fitted(self)
        X = np.clip(self._features(X), 0.0, np.nextafter(1.0, 0.0))
        mechanism, result = self.mechanism_, np.empty(len(X))
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            index, values = mechanism.tensor(X[rows], mechanism.resolutions[-1])
            result[rows] = (self.fathers_.ravel()[index] * values).sum(axis=1)
        return result


def _down(basis, j):
    """The matrix of a_jk = sum_m h_(m - 2k) a_(j+1)m, translates of the unit interval at both levels."""
    coarse, fine = basis.translates(j), basis.translates(j + 1)
    step = np.arange(fine.start, fine.stop) - 2 * np.arange(coarse.start, coarse.stop)[:, None]
    inside = (step >= 0) & (step < basis.filter_length)
    return np.where(inside, basis.low[step.clip(0, basis.filter_length - 1)], 0.0)


def _along(matrix, array):
    """The matrix applied along every axis."""
    for axis in range(array.ndim):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array

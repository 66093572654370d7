"""A private classifier for smooth regression functions: a wavelet prior, one bit a person."""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, require_memory, whole
from ldp_lib.estimation.grid import ReportClassifier
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import hadamard_transform
from ldp_lib.wavelets import REGULARITY, wavelet_basis

SMOOTHNESS = tuple(itertools.product((0, 1, 2), (1.0, 2.0, 3.0)))
"""Pairs (r, beta): the variances of wavelet coefficients are equal up to level r, and fall from there on."""
POWERS = 2.0 ** np.arange(-12, 5)
"""sigma^2, the variance of a coefficient of level 0; |g| <= f / 2, so that 16 is for densities of 8."""
FINER = 4
"""Cells of the rule are at most 2^FINER times narrower than those of the reports, ..."""
DIGITS = 16
"""... and number at most 2^DIGITS, unless those of the reports do already."""
MOST_DIGITS = 8
"""The reports' cells number at most 2^MOST_DIGITS if nobody says otherwise: linear algebra is cubic."""


class Prior(NamedTuple):
    """What a random wavelet series says about the masses of K cells, seen through Walsh functions.

    `steps` (priors, levels) weigh the projections on fathers. With one person and scale 1, the covariance
    of the Walsh coefficients over their standard deviations is `vectors` diag(`values`) `vectors`^T.
    `carry`, a matrix (2^finest, 2^J) a level: sum_k of integrals of father k over fine cells and over cells.
    """

    steps: np.ndarray
    values: np.ndarray
    vectors: np.ndarray
    carry: tuple


class WaveletClassifier(ReportClassifier):
    """Class 1 where the posterior mean of the signed density g = f (eta - 1/2) has an integral >= 0.

    Everybody answers once, with one bit of `DyadicBit`: a Walsh function is what a bit can say most about,
    |(2Y - 1) H[r, cell]| being 1 everywhere. (Bits about smooth fathers, scaled to stay in [-1, 1], need
    S_phi^2 times the people, about 3, and ask for places outside [0, 1].) Smoothness is in the prior
    (Abramovich, Sapatinas & Silverman, 1998): on [0, 1]^d g is a series in tensor wavelets with independent
    normal coefficients, whose variance at level j is

        sigma^2 2^(-(2 beta + d) max(j - r, 0)).

    It falls as the squared coefficients of functions of smoothness beta do, from level r on. The wavelets
    reach beyond [0, 1]^d, where nobody looks: that g jumps to 0 at the border costs nothing. Haar's wavelets
    are tried besides, for rules that jump on a dyadic grid.

    The excess risk is linear in g, so that the sign of the posterior mean is the best rule under a prior;
    the means for all (wavelet, r, beta, sigma) are averaged with the weights of their marginal likelihoods.
    So neither h nor beta is needed, and smoothness beyond the beta <= 1 of Berrett & Butucea (2019) counts.

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    wavelet : name, see `ldp_lib.wavelets.WaveletBasis`: the prior's; g can be as smooth as it is.
    levels : J, the reports' finest cells have side 2^-J; None takes log2(n / scale^2) / (2 d + 2), rounded,
        scale^2 being about 1/alpha^2: the bandwidth of the paper's Theorem 2.4 at beta = 1; at most 8/d.
    rng : numpy Generator, seed, or None for fresh entropy: the people's noise. A seed undoes the privacy.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    weights_ : posterior probabilities of the priors, (wavelets, pairs (r, beta), values of sigma^2).
    scores_ : posterior means of the integrals of g over cells of width 2^-finest.  classes_ : the two labels.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = WaveletClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.3], [0.6], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, alpha=1.0, wavelet="sym6", *, levels=None, rng=None):
        self.alpha = alpha
        self.wavelet = wavelet
        self.levels = levels
        self.rng = rng

    def build_mechanism(self, n, d):
        """The `DyadicBit` that n people with d features run."""
        levels = self.levels
        if levels is None:
            octaves = math.log2(max(n / DyadicBit(self.alpha, 0, d).scale ** 2, 1))
            levels = min(max(1, round(octaves / (2 * d + 2))), MOST_DIGITS // d)
        return DyadicBit(self.alpha, levels, d)

    _mechanism_of = build_mechanism

    def cell_side(self, n, d):
        """Width of the cells on which the rule is constant when it has learnt from n people."""
        return 2.0 ** -_finest(self.build_mechanism(n, d).levels, d)

    def _learn(self, mechanism, aggregate):
        names = dict.fromkeys(("haar", choice("wavelet", self.wavelet, REGULARITY)))
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        priors = [_prior(name, mechanism.levels, mechanism.d) for name in names]
        # A Walsh coefficient is seen by the people of its row only: its variance is scale^2 row_weight / n.
        people = aggregate.people / mechanism.scale**2
        deviation = np.sqrt(mechanism.row_weights / people)
        seen = _walsh(mechanism.score(aggregate)) / deviation
        turned = np.array([np.einsum("pki,k->pi", prior.vectors, seen) for prior in priors])[:, :, None]
        ratio = people * POWERS[:, None] * np.array([prior.values for prior in priors])[:, :, None]
        evidence = -0.5 * (np.log1p(ratio) - turned**2 * ratio / (1 + ratio)).sum(axis=-1)
        weights = np.exp(evidence - evidence.max())
        self.weights_ = weights / weights.sum()
        # Covariances with the data times these are the posterior means.
        shrunk = (self.weights_[..., None] * POWERS[:, None] * turned / (1 + ratio)).sum(axis=2)
        self.scores_ = sum(self._mean(*part, deviation) for part in zip(priors, shrunk, strict=True))
        return self

    def _mean(self, prior, shrunk, deviation):
        """A prior's share of the posterior mean, on fine cells."""
        dual = np.einsum("pki,pi->pk", prior.vectors, shrunk) / deviation
        return sum(_along(carry, _walsh(part).reshape(self.mechanism_.shape))
                   for carry, part in zip(prior.carry, prior.steps.T @ dual, strict=True))

    def _cell(self, X):
        last = len(self.scores_) - 1
        return np.floor(np.clip(X, 0, 1) * (last + 1)).clip(max=last).astype(np.intp)


def _finest(levels, d):
    return max(levels, min(levels + FINER, DIGITS // d))


@functools.lru_cache(maxsize=4)
def _prior(wavelet, levels, d):
    """The `Prior` for reports about 2^levels cells an axis; it depends on no data."""
    mechanism, finest = DyadicBit(1.0, levels, d), _finest(levels, d)
    K = mechanism.K
    require_memory(f"A prior for {K:,} cells", 24.0 * len(SMOOTHNESS) * K**2, "Lower levels or d.")
    basis, edges = wavelet_basis(wavelet), np.arange(2**finest + 1) / 2**finest
    carry, covariances = [], 0.0
    # With few levels several pairs say the same.
    steps = np.unique([_steps(r, beta, finest, d) for r, beta in SMOOTHNESS], axis=0)
    for j, step in enumerate(steps.T):
        places = np.ldexp(edges, j)[:, None] - np.array(basis.translates(j))
        fine = 2.0 ** (-j / 2) * np.diff(basis.integral("phi", places), axis=0)
        coarse = fine.reshape(2**levels, -1, fine.shape[1]).sum(axis=1)
        carry.append(fine @ coarse.T)
        covariances = covariances + step[:, None, None] * functools.reduce(np.kron, [coarse @ coarse.T] * d)
    weigh = mechanism.signs(np.arange(K)[:, None], np.arange(K)) / np.sqrt(K * mechanism.row_weights)[:, None]
    values, vectors = np.linalg.eigh(weigh @ covariances @ weigh.T)
    return Prior(steps, values.clip(0), vectors, tuple(carry))


def _steps(r, beta, finest, d):
    """Weights of the projections P_0, ..., P_finest on tensor fathers in the prior covariance over sigma^2.

    The tensor details of level j are P_(j+1) - P_j; there are none from level `finest` on.
    """
    variances = 2.0 ** (-(2 * beta + d) * np.maximum(np.arange(finest) - r, 0))
    return -np.diff(np.concatenate([[1.0], variances, [0.0]]))


def _walsh(values):
    """The orthonormal Walsh transform, which is its own inverse."""
    return hadamard_transform(values) / math.sqrt(values.size)


def _along(matrix, array):
    """The matrix applied along every axis."""
    for axis in range(array.ndim):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array

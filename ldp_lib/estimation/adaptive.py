"""A private classifier that is told neither the bandwidth nor the smoothness."""

import math

import numpy as np

from ldp_lib._arguments import real
from ldp_lib.estimation.grid import ReportClassifier
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import hadamard_transform

FAINT = 2.0**-20
"""The least factor of the coarsest level."""


class AdaptiveClassifier(ReportClassifier):
    """Class 1 where a shrunken dyadic estimate of the signed measure E[(Y - 1/2); X in cell] is >= 0.

    Everybody answers once, with one bit of `DyadicBit`: no label is used to choose h that was not paid for.
    From the sums the analyst estimates all Walsh coefficients w_r of the signed measure. Those of level j,
    m_j of them, have the energy R_j = sum w_r^2, seen with noise of known mean energy E_j, and are
    multiplied by

        k_j = (1 - (1 + penalty sqrt(2 / m_j)) E_j / R_j)^+,

    block James-Stein shrinkage with the penalty of Cavalier & Tsybakov (2001): levels of pure noise vanish,
    for which R_j exceeds E_j by a standard deviation sqrt(2 / m_j) E_j now and then, and what remains is
    weighed as by somebody who knew the signal-to-noise ratios. A finer level turns the label of a coarser
    cell only where it has the evidence to outweigh it, so that no single bandwidth is chosen: `h_` reports
    the finest level left.

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    levels : finest level J; None takes floor(log2(n / scale^2) / (2 d + 1)), the bandwidth of Theorem 2.4 of
        Berrett & Butucea (2019) at smoothness beta = 1/2, scale^2 being about 1/alpha^2.
    penalty : >= 0; more keeps fewer levels.
    rng : numpy Generator, seed, or None for fresh entropy: the people's noise. A seed undoes the privacy.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    shrinkage_ : k_0, ..., k_J; k_0 is never quite 0, so that ties go to the larger class.
    h_ : 2^-j for the finest level j with k_j > 0, 1 if there is none.
    scores_ : the estimates, shape (2^J,) * d.  classes_ : the two labels.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = AdaptiveClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.h_, rule.predict([[0.1], [0.45], [0.55], [0.9]]).tolist()
    (0.5, [0, 0, 1, 1])
    """

    def __init__(self, alpha=1.0, *, levels=None, penalty=1.0, rng=None):
        self.alpha = alpha
        self.levels = levels
        self.penalty = penalty
        self.rng = rng

    def build_mechanism(self, n, d):
        """The `DyadicBit` that n people with d features run."""
        levels = self.levels
        if levels is None:
            scale = DyadicBit(self.alpha, 0, d).scale
            levels = max(1, int(math.log2(max(n / scale**2, 1)) / (2 * d + 1)))
        return DyadicBit(self.alpha, levels, d)

    _mechanism_of = build_mechanism

    def _learn(self, mechanism, aggregate):
        penalty = real("penalty", self.penalty, least=0)
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        coefficients = hadamard_transform(mechanism.score(aggregate))
        size, share = mechanism.level_size, mechanism.level_share
        seen = np.bincount(mechanism.row_level, weights=coefficients**2)
        # m_j coefficients, each from the bits of n P(level) / m_j people.
        noise = mechanism.scale**2 * size**2 / (aggregate.people * share)
        ratio = (1 + penalty * np.sqrt(2 / size)) * noise / np.maximum(seen, noise / 2)
        self.shrinkage_ = np.maximum(1 - ratio, 0)
        kept = np.flatnonzero(self.shrinkage_)
        # Where nothing else is known, the sign of the whole decides.
        self.shrinkage_[0] = max(self.shrinkage_[0], FAINT)
        self.h_ = 2.0 ** -float(kept[-1] if kept.size else 0)
        smooth = hadamard_transform(self.shrinkage_[mechanism.row_level] * coefficients) / mechanism.K
        self.scores_ = smooth.reshape(mechanism.shape)
        return self

    def _cell(self, X):
        last = self.mechanism_.shape[0] - 1
        return np.floor(np.clip(X, 0, 1) * (last + 1)).clip(max=last).astype(np.intp)

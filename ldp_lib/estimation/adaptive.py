"""A private classifier that is told neither the bandwidth nor the smoothness."""

import math
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.fft import idctn
from scipy.special import logsumexp

from ldp_lib._arguments import whole
from ldp_lib.estimation.grid import ReportClassifier
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import hadamard_transform

SMOOTHNESS = (1, 2, 4)
WIDTHS = (1, 0.3, 0.1)
AMPLITUDES = 2.0 ** np.arange(-14, 6)[:, None]
"""The mean of g^2 over the domain, before any bit is seen."""
ABSENT = 0.8
"""Prior probability that a level of a blocky g is zero."""
RATIOS = np.array([0, *4.0 ** np.arange(-1, 8)])
"""Signal over noise in a level of a blocky g: these nine share the rest of the probability."""
ASKED_DIGITS = 8
"""At most 2^8 cells are asked about: the work grows with the cube of their number."""
SCORE_DIGITS = 12
"""The posterior mean is written down on at most 2^12 cells."""


class AdaptiveClassifier(ReportClassifier):
    """Class 1 where the posterior mean of the signed density g = f (eta - 1/2) is >= 0.

    Everybody answers once, with one bit of `DyadicBit`; all that follows is the analyst's arithmetic, which
    costs no privacy, and no label is used to choose h that was not paid for.

    A rule that says 1 on a set A has the excess risk 2 (int g^+ - int_A g), which is linear in g. So whatever
    one believes about g before, the least expected risk afterwards belongs to the set where the *posterior
    mean* of g is positive. Two beliefs, of probability 1/2 each, cover what a bandwidth would have to guess:

    smooth : a Gaussian process, g = sum_k theta_k phi_k in the tensor cosine basis of [0, 1]^d, independent
        theta_k of mean 0 and variance tau (1 + l^2 |k|^2)^-(s + d/2) times a constant that makes the mean of
        g^2 equal to tau: Matern spectra with s in `SMOOTHNESS`, l in `WIDTHS` and tau in `AMPLITUDES`, all
        equally likely.
    blocky : g constant on the cells asked about, Walsh coefficients independent, of one variance a level;
        independent levels are zero with probability `ABSENT`, or have a signal-to-noise ratio in `RATIOS`.

    The sums of bits give each Walsh coefficient of g with independent noise of known variance. Taking it as
    Gaussian, the posterior mean given one prior is linear in them, and the posterior weighs the priors by
    their marginal likelihoods (Rasmussen & Williams, "Gaussian processes for machine learning", 2006,
    sections 2.2 and 5.2): beta and h are averaged over rather than picked. A smooth g is also read *inside*
    the cells asked about, so that borders need not lie on their grid.

    What is proved: privacy (`OneBit`), and optimality on average over the prior, if the noise is Gaussian.
    Processes with a random length scale adapt to the smoothness at the optimal rates, up to logarithms, where
    data are seen without privacy (van der Vaart & van Zanten, Annals of Statistics 37, 2009). For private
    bits that is measured in the tests and not proved here; with a finite grid of scores there is no
    universal consistency, for which `CellClassifier` has a theorem.

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    levels : finest level J asked about, 0 to 8/d: cells of side 2^-J. None takes log2(n / scale^2) /
        (2 d + 2), rounded, and 8/d if that is less: the bandwidth of Theorem 2.4 of Berrett & Butucea (2019)
        at smoothness beta = 1, scale^2 being about 1/alpha^2. With d > 8 one cell is all there is.
    rng : numpy Generator, seed, or None for fresh entropy: the people's noise. A seed undoes the privacy.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    smooth_ : posterior probability that g is smooth, not blocky.
    degrees_of_freedom_ : expected trace of the linear map that takes the Walsh coefficients to their
        estimates; the number of cells, for a rule that estimates each for itself.
    h_ : degrees_of_freedom_^(-1/d), 1 at most: the side of so many equal cells.
    scores_ : the posterior mean at the centres of 2^(12/d) cells an axis.  classes_ : the two labels.

    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = AdaptiveClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.37], [0.43], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, alpha=1.0, *, levels=None, rng=None):
        self.alpha = alpha
        self.levels = levels
        self.rng = rng

    def build_mechanism(self, n, d):
        """The `DyadicBit` that n people with d features run."""
        levels, most = self.levels, ASKED_DIGITS // whole("d", d)
        if levels is None:
            scale = DyadicBit(self.alpha, 0, d).scale
            levels = min(round(math.log2(max(n / scale**2, 1)) / (2 * d + 2)), most)
        cure = f"At most 2^{ASKED_DIGITS} cells, 2^levels on each of {d} axes, are asked about."
        return DyadicBit(self.alpha, whole("levels", levels, least=0, most=most, cure=cure), d)

    @staticmethod
    def score_cells(d):
        """Cells an axis on which the rule is constant."""
        return 2 ** (SCORE_DIGITS // d)

    _mechanism_of = build_mechanism

    def _learn(self, mechanism, aggregate):
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        walsh = hadamard_transform(mechanism.score(aggregate))
        beliefs = [belief(mechanism, walsh, aggregate.people) for belief in (_smooth, _blocky)]
        evidence, freedom, means = zip(*beliefs, strict=True)
        share = np.exp(evidence - logsumexp(evidence))
        self.smooth_ = share[0]
        self.degrees_of_freedom_ = share @ freedom
        self.h_ = min(self.degrees_of_freedom_ ** (-1 / mechanism.d), 1.0)
        self.scores_ = share[0] * means[0] + share[1] * means[1]
        return self

    def _cell(self, X):
        cells = self.score_cells(X.shape[1])
        return np.floor(np.clip(X, 0, 1) * cells).clip(max=cells - 1).astype(np.intp)


@lru_cache(maxsize=8)
def _processes(alpha, levels, d, people):
    """What the smooth prior says before any bit is seen; the same for all fits to so many people.

    Returns the questions, (K, cells^d): Walsh coefficients of the cosines over the standard deviation of
    their noise. And for each spectrum: its variances, (cells^d,), and the variances, (K,), and axes, (K, K),
    in which signal and noise, of variance 1, are independent.
    """
    mechanism, cells = DyadicBit(alpha, levels, d), AdaptiveClassifier.score_cells(d)
    along = masses = _cosine_masses(mechanism.shape[0], cells)
    for _ in range(d - 1):
        masses = np.kron(masses, along)
    rows = np.arange(mechanism.K)
    questions = mechanism.signs(rows[:, None], rows) @ masses / _noise(mechanism, people)[:, None]
    squares = (np.indices((cells,) * d).reshape(d, -1) ** 2).sum(axis=0)
    processes = []
    for smoothness, width in product(SMOOTHNESS, WIDTHS):
        spectrum = (1 + width**2 * squares) ** -(smoothness + d / 2)
        spectrum /= spectrum.sum()
        size, axes = np.linalg.eigh(questions * spectrum @ questions.T)
        processes.append((spectrum, np.maximum(size, 0), axes))
    return questions, processes


def _noise(mechanism, people):
    """Standard deviations of the estimated Walsh coefficients, (K,)."""
    # Row r was asked of people / (K row_weights[r]) of them, and a decoded bit has variance scale^2.
    return mechanism.scale * np.sqrt(mechanism.K * mechanism.row_weights / people)


def _smooth(mechanism, walsh, people):
    """Log evidence, degrees of freedom, and posterior mean (cells,) * d of g under the Gaussian processes."""
    d, cells = mechanism.d, AdaptiveClassifier.score_cells(mechanism.d)
    questions, processes = _processes(mechanism.alpha, mechanism.levels, d, people)
    evidence, freedom, answers = [], [], []
    for _, size, axes in processes:
        signal = AMPLITUDES * size
        seen = axes.T @ (walsh / _noise(mechanism, people))
        evidence.append(-0.5 * (np.log1p(signal) + seen**2 / (1 + signal)).sum(axis=1))
        freedom.append((signal / (1 + signal)).sum(axis=1))
        answers.append(AMPLITUDES * seen / (1 + signal) @ axes.T)
    total = logsumexp(evidence)
    share = np.exp(evidence - total)
    theta = sum(spectrum * (weight @ answer @ questions)
                for (spectrum, _, _), weight, answer in zip(processes, share, answers, strict=True))
    mean = idctn(theta.reshape((cells,) * d), norm="ortho") * cells ** (d / 2)
    return total - math.log(share.size), (share * freedom).sum(), mean


def _cosine_masses(cells, order):
    """Integrals of 1, sqrt(2) cos(pi x), ..., the first `order` cosines, over equal cells of [0, 1]."""
    edges, k = np.arange(cells + 1)[:, None] / cells, np.arange(1, order)
    waves = math.sqrt(2) * np.diff(np.sin(np.pi * k * edges), axis=0) / (np.pi * k)
    return np.hstack([np.full((cells, 1), 1 / cells), waves])


def _blocky(mechanism, walsh, people):
    """Log evidence, degrees of freedom, and posterior mean of g if levels have variances of their own."""
    size = mechanism.level_size[:, None]
    energy = np.bincount(mechanism.row_level, weights=(walsh / _noise(mechanism, people)) ** 2)[:, None]
    prior = np.array([ABSENT, *[(1 - ABSENT) / (len(RATIOS) - 1)] * (len(RATIOS) - 1)])
    joint = np.log(prior) - 0.5 * (size * np.log1p(RATIOS) + energy / (1 + RATIOS))
    evidence = logsumexp(joint, axis=1, keepdims=True)
    kept = np.exp(joint - evidence) @ (RATIOS / (1 + RATIOS))
    mean = hadamard_transform(kept[mechanism.row_level] * walsh).reshape(mechanism.shape)
    for axis in range(mechanism.d):
        mean = mean.repeat(AdaptiveClassifier.score_cells(mechanism.d) // mechanism.shape[0], axis)
    return evidence.sum(), kept @ mechanism.level_size, mean

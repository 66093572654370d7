"""Rules that believe something about a density, ask each person once, and say what is best then.

`AdaptiveClassifier` averages over bandwidths and smoothness when it reads the reports, `WaveletClassifier`
over priors of wavelet coefficients; both learn a signed density.
"""

import math
from functools import lru_cache, partial, reduce
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike  # noqa: F401  (inherited parameters name it)
from scipy.fft import idctn, ifft
from scipy.special import softmax

from ldp_lib._arguments import Randomness, choice, whole  # noqa: F401
from ldp_lib._rounding import canonical
from ldp_lib.estimation.base import parameters
from ldp_lib.estimation.intervals import PosteriorConfidence
from ldp_lib.estimation.reports import ReportClassifier
from ldp_lib.privacy import DyadicBit, SignedSubset
from ldp_lib.privacy.responses import hadamard_transform
from ldp_lib.wavelets import REGULARITY, wavelet_basis

ASKED_DIGITS = 8
"""At most 2^8 cells are asked about: the work grows with the cube of their number."""
ONE_BIT = math.log(3)
"""Up to this budget no report on signed cells has less variance than a bit, see `best_mechanism`."""


class Questions(NamedTuple):
    """What priors have to know of a mechanism: the Walsh functions that it tells about, and how well each.

    levels, d : there are 2^levels cells on each of d axes.
    white : whether all Walsh coefficients have the same noise, or that of the rows of a `DyadicBit`.
    """

    levels: int
    d: int
    white: bool

    @classmethod
    def of(cls, mechanism):
        """Those of a mechanism with 2^levels cells on every axis."""
        return cls(mechanism.shape[0].bit_length() - 1, mechanism.d, not isinstance(mechanism, DyadicBit))

    @property
    def layout(self):
        """A `DyadicBit` with these cells, for its rows; its budget does not matter."""
        return _layout(self.levels, self.d)

    @property
    def spread(self):
        """Standard deviations of the Walsh coefficients, (K,), in units of sqrt(`noise` / people)."""
        layout = self.layout
        return np.ones(layout.K) if self.white else np.sqrt(layout.K * layout.row_weights)

    @property
    def functions(self):
        """The Walsh functions on the cells over `spread`, (K, K)."""
        rows = np.arange(2 ** (self.levels * self.d))
        return self.layout.signs(rows[:, None], rows) / self.spread[:, None]


@lru_cache(maxsize=32)
def _layout(levels, d):
    return DyadicBit(1.0, levels, d)


def noise(mechanism):
    """Variance of what one report says about a Walsh coefficient, over the square of `Questions.spread`.

    Without labels it is that of the others: the first one, the mass of all cells, is known.
    """
    if isinstance(mechanism, DyadicBit):
        return mechanism.scale**2
    power = mechanism.K * mechanism.variance(1 / mechanism.K)
    return power if mechanism.labelled else power * mechanism.K / (mechanism.K - 1)


class Belief(NamedTuple):
    """What a belief about g has become now that the reports are in.

    evidence : log of their density under it, up to a constant that all beliefs share.
    freedom : expected trace of the linear map that takes the Walsh coefficients to their estimates.
    mean : posterior means of the integrals of g over the cells of the rule, (cells,) * d.
    weights : posterior probabilities of its priors, given that it is right.
    """

    evidence: float
    freedom: float
    mean: np.ndarray
    weights: np.ndarray


class PosteriorMean:
    """What rules share that ask about dyadic cells and average over beliefs.

    They have parameters `alpha` and `levels`, and say in `_subset` which subsets a report may be, in `_gain`
    what is learnt from a bit over what its score estimates, and in `_finer` how many levels they add.
    """

    _gain, _finer = 1, 0

    def _asked(self, n, d):
        """The mechanism that n people with d features run.

        A subset of cells tells equally much about all Walsh functions. It is asked for where its variance is
        less than that of the rows of a `DyadicBit`, in the geometric mean over levels: each level may be the
        one that matters. Up to `ONE_BIT` everybody sends a bit.
        """
        most = ASKED_DIGITS // whole("d", d)
        if not most:
            raise ValueError(f"d = {d} features are too many: at most 2^{ASKED_DIGITS} cells are asked "
                             f"about, and two on each axis are more. Choose {ASKED_DIGITS} features or "
                             "fewer, or use AdditiveClassifier, which asks everybody about one of them.")
        n, levels = whole("n", n), self.levels
        if levels is None:
            scale = DyadicBit(self.alpha, 0, d).scale
            # alpha = log 3 has the scale 1, up to rounding, and n = 2^14 lies half-way between two levels.
            best = float(canonical(math.log2(max(n / scale**2, 1)) / (2 * d + 2)))
            levels = min(round(best) + self._finer, most)
        cure = f"At most 2^{ASKED_DIGITS} cells, 2^levels on each of {d} axes, are asked about."
        bit = DyadicBit(self.alpha, whole("levels", levels, least=0, most=most, cure=cure), d)
        if self.alpha <= ONE_BIT or bit.K == 1:
            return bit
        subset = self._subset(self.alpha, 2.0**-bit.levels, d)
        typical = math.exp(np.log(bit.level_size / bit.level_share).mean())
        return subset if noise(subset) < self._gain**2 * noise(bit) * typical else bit

    def _average(self, seen, variance, beliefs):
        """Average over equally likely `beliefs`: their probabilities, the `Belief`s, and the posterior mean.

        Each maps `seen`, Walsh coefficients over `Questions.spread`, and the variance of their noise, to a
        `Belief`.
        """
        found = [belief(seen, variance) for belief in beliefs]
        share = softmax([belief.evidence for belief in found])
        self.degrees_of_freedom_ = share @ [belief.freedom for belief in found]
        mean = sum(weight * belief.mean for weight, belief in zip(share, found, strict=True))
        return share, found, mean


@parameters(kw_only=True)
class PosteriorMeanClassifier(PosteriorConfidence, PosteriorMean, ReportClassifier):
    """Class 1 in cells where the posterior mean of g = f (eta - 1/2), a signed density, integrates to >= 0.

    Principle. A rule that says 1 on A has the excess risk 2 (int g^+ - int_A g), linear in g. Given the
    reports, its expectation is 2 (E int g^+ - int_A E g): among the unions A of cells, the best is that of
    all cells over which the posterior mean E g has an integral >= 0, whatever was believed before. A belief
    is a mixture of Gaussian priors; their posterior means are averaged, weighed by marginal likelihoods, so
    that reading the reports takes no bandwidth, no smoothness and no labels to choose them. What people are
    asked is not learnt: `levels` is fixed before anybody answers.

    Everybody answers once, with one bit of `DyadicBit`; all that follows is arithmetic, which costs no
    privacy. With theta the Walsh coefficients of g, n people and P(r) the probability of row r, the estimates
    of theta are unbiased and their covariance is diag(scale^2 / (n P(r))) - theta theta^T / n, as multinomial
    numbers of people have the rows. We take the noise as Gaussian, for n P(r) large, and leave out the second
    term: the variance is overstated, in one direction, by a factor of cosh(alpha/2)^2 at most.

    One bit says hardly more at alpha = 8 than at 4. So a person sends a `SignedSubset` where the variance of
    that is less in the geometric mean over levels, from about alpha = 2 to 3 on: on 16 laws from a seed it
    left 0.3 to 0.6 of the excess risk that bits leave at alpha = 3, and 0.1 to 0.2 at 8. Two entries of a
    report have a product of mean 0, one of them being a fair coin at least, and the squares of all add up to
    w scale^2: that is the second moment of every Walsh coefficient of a report, whatever the law is. They are
    uncorrelated where X is uniform on the cells; elsewhere we leave out their correlations, beside theta
    theta^T / n.

    Proved are privacy (`OneBit`), and the least expected risk in this Gaussian model, among rules that see
    the same bits and label the same cells, if g is drawn from the prior, which ignores that |g| <= f/2. No
    rate is claimed. Questions end at cells of side 2^-floor(8/d), so that there is no universal consistency,
    for which `CellClassifier` has a theorem: of a g with mean 0 in each of these cells no bit says anything.

    Subclasses say in `_digits` how fine the cells of the rule are, and hand their beliefs to `_weigh`.
    `AdaptiveClassifier` documents the parameters and attributes that they share.
    """

    levels: int | None = None
    _cell_by_cell = False

    def build_mechanism(self, n: int, d: int) -> DyadicBit | SignedSubset:
        """What n people with d features run."""
        return self._asked(n, d)

    _mechanism_of, _subset = build_mechanism, SignedSubset

    def cell_side(self, n: int, d: int) -> float:
        """Side of the cells on which the rule is constant when it has learnt from n people."""
        return 2.0 ** -self._digits(Questions.of(self.build_mechanism(n, d)).levels, d)

    def _weigh(self, mechanism, aggregate, beliefs):
        """Learn the scores. Returns the probabilities of `beliefs`, as `_average` takes them, and the
        `Belief`s."""
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        share, found, self.scores_ = self._average(*self._read(mechanism, aggregate), beliefs)
        self.h_ = min(self.degrees_of_freedom_ ** (-1 / mechanism.d), 1.0)
        self._side = 1 / len(self.scores_)
        return share, found

    @staticmethod
    def _read(mechanism, aggregate):
        """The Walsh coefficients over `Questions.spread`, as seen, and the variance of their noise."""
        seen = hadamard_transform(mechanism.score(aggregate)) / Questions.of(mechanism).spread
        return seen, noise(mechanism) / aggregate.people


class ScaleMixture:
    """A belief: g is Gaussian with covariance tau C_i, all pairs (i, tau) being equally likely.

    In the axes of an eigenvalue problem coefficients are independent, for all tau and numbers of people
    (Rasmussen & Williams, "Gaussian processes for machine learning", 2006, sections 2.2 and 5.2).

    asked : the `Questions`, about K cells.
    covariances : (priors, K, K), C_i of the integrals of g over these cells.
    amplitudes : the tau.
    carry : maps v (priors, K) to sum_i C_i(cells of the rule, cells asked about) v_i, (cells,) * d.
    reach : maps (i, cells) to C_i(cells of the rule, cells asked about), (cells, K), and to the variances
        C_i(cells of the rule, themselves), (cells,), for these cells, in flat order.
    """

    def __init__(self, asked, covariances, amplitudes, carry, reach):
        self._questions = asked.functions
        sizes, self._axes = np.linalg.eigh(self._questions @ covariances @ self._questions.T)
        self._amplitudes = np.asarray(amplitudes)[:, None]
        self._signal = self._amplitudes * sizes.clip(0)[:, None]
        self._carry, self._reach = carry, reach

    def _weighed(self, seen, variance):
        """`seen` in the axes, its variances; log evidence and weights of all pairs."""
        turned, total = (seen @ self._axes)[:, None], self._signal + variance
        evidence = -0.5 * (np.log(total) + turned**2 / total).sum(axis=-1)
        return turned, total, evidence, softmax(evidence)

    def components(self, seen, variance, cells):
        """Of the Gaussians that count: weights (m,), means and variances (m, cells)."""
        turned, total, _, weights = self._weighed(seen, variance)
        parts = []
        for i, kept in enumerate(weights > NEGLIGIBLE):
            if kept.any():
                across, own = self._reach(i, cells)
                across = across @ self._questions.T @ self._axes[i]
                tau, near = self._amplitudes[kept], total[i, kept]
                parts.append((weights[i, kept], tau * (turned[i] / near) @ across.T,
                              tau * own - tau**2 * (1 / near) @ (across**2).T))
        return tuple(map(np.concatenate, zip(*parts, strict=True)))

    def __call__(self, seen, variance):
        """The `Belief` after `seen` (K,), as `PosteriorMean` hands it over."""
        turned, total, evidence, weights = self._weighed(seen, variance)
        freedom = (weights * (self._signal / total).sum(axis=-1)).sum()
        solved = (weights[..., None] * self._amplitudes * turned / total).sum(axis=1)
        answers = np.einsum("pki,pi->pk", self._axes, solved) @ self._questions
        return Belief(np.logaddexp.reduce(evidence, axis=None) - math.log(evidence.size), freedom,
                      self._carry(answers), weights)


def along(matrix, array):
    """The matrix applied along every axis."""
    for axis in range(array.ndim):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array


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
NEGLIGIBLE = 1e-6
"""Gaussians of less weight are left out of standard errors and intervals."""


class AdaptiveClassifier(PosteriorMeanClassifier):
    """Class 1 where the posterior mean of g = f (eta - 1/2) integrates to >= 0 over the cell of x.

    Among rules that see the same reports and label the same cells it has the least expected risk, if g is
    drawn from one of two beliefs about how fast it varies, which are averaged: so there is no bandwidth to
    choose. Everybody sends one bit about dyadic cells, a `DyadicBit`, or from about alpha = 2 on a
    `SignedSubset` where that tells more. It learns how to read the reports, not what to ask: see `levels`. A
    jump of g inside a cell asked about may be put at the edge of that cell. No rate is claimed, and there is
    no universal consistency, for which `CellClassifier` has a theorem.

    smooth : a Gaussian process, g = sum_k theta_k phi_k in the tensor cosine basis of [0, 1]^d, independent
        theta_k of mean 0 and variance tau (1 + l^2 |k|^2)^-(s + d/2) times a constant that makes the mean of
        g^2 equal to tau: Matern spectra with s in `SMOOTHNESS`, l in `WIDTHS` and tau in `AMPLITUDES`, all
        equally likely. Such a g is read *inside* the cells asked about: borders need not lie on their grid.
    blocky : g constant on the cells asked about, Walsh coefficients independent, of one ratio of signal to
        noise a level; independent levels are zero with probability `ABSENT`, or have a ratio in `RATIOS`.

    Parameters
    ----------
    alpha : float
        Local privacy budget in nats, 10^-100 to 10^4; 1.0 unless given.
    classes : pair of labels
        The two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    times : int
        How often each person may be asked in all, by this rule and its copies: 1 unless given. Once more
        is `AskedAgainError`, or a warning if people are simulated.
    rng : Generator, int or None
        Of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    levels : int or None
        J, the finest cells asked about have side 2^-J; 0 to 8/d. None, the default, takes
        log2(n / scale^2) / (2 d + 2), rounded, and 8/d if that is less: the bandwidth of Theorem 2.4 of
        [1]_ at smoothness beta = 1, scale being about 1/alpha where alpha is small. More than 8 features
        are refused.

    Attributes
    ----------
    mechanism_ : DyadicBit or SignedSubset
        What the people ran.
    aggregate_ : CellAggregate
        The sums that the analyst got.
    smooth_ : float
        Posterior probability that g is smooth, not blocky.
    scores_ : array
        Posterior means of the integrals of g over the cells of the rule, 2^floor(12/d) an axis.
    degrees_of_freedom_ : float
        Expected trace of the linear map that takes the Walsh coefficients to their estimates; the number
        of cells, for a rule that estimates each for itself.
    h_ : float
        degrees_of_freedom_^(-1/d), 1 at most: the side of so many equal cells.
    classes_ : array of shape (2,)
        `classes`.
    total_loss_ : float
        Nats told by whoever was asked each time, by this rule and its copies up to this fit.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.4, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = AdaptiveClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.37], [0.43], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    @staticmethod
    def _digits(levels, d):
        return DIGITS // d

    def _learn(self, mechanism, aggregate):
        (self.smooth_, _), _ = self._weigh(mechanism, aggregate, smooth_and_blocky(mechanism))
        return self

    @staticmethod
    def _components(mechanism, seen, variance, cells):
        return smooth_and_blocky_components(mechanism, seen, variance, cells)


def smooth_and_blocky(mechanism, centred=False):
    """The two beliefs of `AdaptiveClassifier` for `PosteriorMean`; `centred`: the integral of g is 0."""
    asked = Questions.of(mechanism)
    return _smooth(asked, centred), partial(_blocky, asked, centred)


def smooth_and_blocky_components(mechanism, seen, variance, cells, centred=False):
    """Their Gaussians in these cells, as `PosteriorIntervals` takes them."""
    asked = Questions.of(mechanism)
    return (_smooth(asked, centred).components(seen, variance, cells),
            _blocky_component(asked, centred, seen, variance, cells))


@lru_cache(maxsize=8)
def _smooth(asked, centred):
    """The belief in Gaussian processes; it depends on no data."""
    d, coarse, cells = asked.d, 2**asked.levels, 2 ** (DIGITS // asked.d)
    k = np.arange(cells)
    # The mean of cos(pi k x) over a cell of width w is its value at the centre times sinc(k w / 2).
    waves = np.where(k > 0, math.sqrt(2), 1) * np.cos(np.pi * k * (np.arange(coarse)[:, None] + 0.5) / coarse)
    masses = waves * np.sinc(k / (2 * coarse)) / coarse
    fade = reduce(np.multiply.outer, [np.sinc(k / (2 * cells)) / math.sqrt(cells)] * d)
    squares = sum(axis**2 for axis in np.ix_(*[k] * d))
    spectra = np.array([(1 + l**2 * squares) ** -(s + d / 2) for s, l in product(SMOOTHNESS, WIDTHS)])
    if centred:
        spectra[(slice(None), *[0] * d)] = 0.0
    spectra /= spectra.sum(axis=tuple(range(1, d + 1)), keepdims=True)
    tensor = reduce(np.kron, [masses] * d)
    covariances = np.array([tensor * spectrum.ravel() @ tensor.T for spectrum in spectra])

    def carry(answers):
        theta = sum(spectrum * along(masses.T, answer.reshape((coarse,) * d))
                    for spectrum, answer in zip(spectra, answers, strict=True))
        return idctn(theta * fade, norm="ortho")

    axes = range(1, d + 1)

    def reach(i, places):
        theta = tensor.reshape(-1, *fade.shape) * spectra[i] * fade
        across = idctn(theta, axes=axes, norm="ortho").reshape(len(tensor), -1)[:, places].T
        own = spectra[i] * fade**2
        for axis in range(d):
            # The square of a cosine is half of 1 and half of the cosine of twice the angle.
            own = np.moveaxis(own, axis, -1)
            doubled = ifft(own * np.exp(1j * np.pi * k / cells), axis=-1).real
            own = np.moveaxis(own[..., 1:].sum(axis=-1, keepdims=True) / cells + doubled, -1, axis)
        return across, own.ravel()[places]

    return ScaleMixture(asked, covariances, AMPLITUDES, carry, reach)


def _blocky_weights(layout, centred, seen, variance):
    """Log evidence of every level, (levels, 1), and the weights of its `RATIOS`, (levels, ratios)."""
    total = variance * (1 + RATIOS)
    energy = np.bincount(layout.row_level, weights=seen**2)[:, None]
    prior = np.array([ABSENT, *[(1 - ABSENT) / (len(RATIOS) - 1)] * (len(RATIOS) - 1)])
    joint = np.log(prior) - 0.5 * (layout.level_size[:, None] * np.log(total) + energy / total)
    if centred:  # the first level is the integral, and 0
        joint[0] = np.where(RATIOS == 0, joint[0] - math.log(ABSENT), -np.inf)
    evidence = np.logaddexp.reduce(joint, axis=1, keepdims=True)
    return evidence, np.exp(joint - evidence)


def _blocky(asked, centred, seen, variance):
    """The `Belief` that levels have variances of their own."""
    layout, d = asked.layout, asked.d
    evidence, weights = _blocky_weights(layout, centred, seen, variance)
    kept = weights @ (RATIOS / (1 + RATIOS))
    mass = hadamard_transform(kept[layout.row_level] * seen * asked.spread) / layout.K
    finer = 2 ** (DIGITS // d - asked.levels)
    mean = np.kron(mass.reshape(layout.shape), np.ones((finer,) * d)) / finer**d
    return Belief(evidence.sum(), kept @ layout.level_size, mean, weights)


def _blocky_component(asked, centred, seen, variance, cells):
    """As `ScaleMixture.components`, one Gaussian with the exact mean and variance: those of all ratios of all
    levels would be too many."""
    layout, d = asked.layout, asked.d
    _, weights = _blocky_weights(layout, centred, seen, variance)
    shrink, finer = RATIOS / (1 + RATIOS), 2 ** (DIGITS // d - asked.levels)
    kept, sizes = weights @ shrink, asked.spread
    levels = np.arange(asked.levels + 1)[:, None] == layout.row_level
    parts = np.array([hadamard_transform(level * seen * sizes) for level in levels]) / layout.K
    within = variance * (kept[layout.row_level] * sizes**2).sum() / layout.K**2
    between = (weights @ shrink**2 - kept**2) @ parts**2
    axes = np.unravel_index(cells, (layout.shape[0] * finer,) * d)
    place = np.ravel_multi_index([axis // finer for axis in axes], layout.shape)
    volume = finer**d
    return (np.ones(1), (kept @ parts)[None, place] / volume,
            (within + between)[None, place] / volume**2)


WAVELET_SMOOTHNESS = tuple(product((0, 1, 2), (1.0, 2.0, 3.0)))
"""Pairs (r, beta): the variances of wavelet coefficients are equal up to level r, and fall from there on."""
VARIANCES = 2.0 ** np.arange(-12, 5)
"""sigma^2, the variance of a coefficient of level 0; |g| <= f / 2, so that 16 is for densities of 8."""
FINER = 4
"""Cells of the rule are at most 2^FINER times narrower than those asked about, ..."""
WAVELET_DIGITS = 16
"""... and number at most 2^WAVELET_DIGITS."""


@parameters
class WaveletClassifier(PosteriorMeanClassifier):
    """The rule of `AdaptiveClassifier` with another belief: g is a random wavelet series.

    On [0, 1]^d g is a series in tensor wavelets with independent normal coefficients, whose variance at level
    j is

        sigma^2 2^(-(2 beta + d) max(j - r, 0)),

    as in [1]_, but without their atoms at 0. It falls as the squared coefficients of functions of smoothness
    beta do, from level r on: smoothness beyond the beta <= 1 of [2]_ counts. The wavelets reach beyond
    [0, 1]^d, where nobody looks: that g jumps to 0 at the border costs nothing. Haar's wavelets are a second
    belief, for rules that jump on a dyadic grid; within a belief all (r, beta, sigma) that differ in their
    variances are equally likely.

    Smoothness is in the prior and not in the questions: a Walsh function is what a bit can say most about,
    |(2Y - 1) H[r, cell]| being 1 everywhere. Bits about smooth fathers, scaled to stay in [-1, 1], would need
    S_phi^(2d) times the people, S_phi^2 being 2.2 for "sym6", and ask for places outside [0, 1].

    Parameters
    ----------
    alpha : float
        Local privacy budget in nats, 10^-100 to 10^4; 1.0 unless given.
    wavelet : str
        Name, see `ldp_lib.wavelets.WaveletBasis`: the prior's; g can be as smooth as it is. "sym6" unless
        given.
    classes : pair of labels
        The two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : Generator, int or None
        Of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : int
        How often each person may be asked in all, by this rule and its copies: 1 unless given. Once more is
        `AskedAgainError`, or a warning if people are simulated.
    levels : int or None
        J, the finest cells asked about have side 2^-J; 0 to 8/d. None, the default, takes
        log2(n / scale^2) / (2 d + 2), rounded, and 8/d if that is less: the bandwidth of Theorem 2.4 of
        [2]_ at smoothness beta = 1, scale being about 1/alpha where alpha is small. More than 8 features
        are refused.

    Attributes
    ----------
    weights_ : array of shape (wavelets, pairs (r, beta), values of sigma^2)
        Posterior probabilities of the priors.
    scores_ : array
        Posterior means of the integrals of g over the cells of the rule, 2^min(J + 4, floor(16/d)) an axis.
    mechanism_, aggregate_, degrees_of_freedom_, h_, classes_, total_loss_
        As in `AdaptiveClassifier`.

    References
    ----------
    .. [1] F. Abramovich, T. Sapatinas and B. Silverman, "Wavelet thresholding via a Bayesian approach",
       Journal of the Royal Statistical Society B 60 (1998), doi:10.1111/1467-9868.00151.
    .. [2] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.4, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> X = np.linspace(0, 1, 20000).reshape(-1, 1)
    >>> rule = WaveletClassifier(alpha=1.0, rng=1).fit(X, X[:, 0] > 0.4)
    >>> rule.predict([[0.1], [0.3], [0.6], [0.9]]).tolist()
    [0, 0, 1, 1]
    """

    wavelet: str = "sym6"

    @staticmethod
    def _digits(levels, d):
        return min(levels + FINER, WAVELET_DIGITS // d)

    def _learn(self, mechanism, aggregate):
        share, found = self._weigh(mechanism, aggregate, self._beliefs(mechanism))
        self.weights_ = share[:, None, None] * [belief.weights for belief in found]
        return self

    def _beliefs(self, mechanism):
        names = dict.fromkeys(("haar", choice("wavelet", self.wavelet, REGULARITY)))
        return [_series(name, Questions.of(mechanism)) for name in names]

    def _components(self, mechanism, seen, variance, cells):
        for belief in self._beliefs(mechanism):
            yield belief.components(seen, variance, cells)


@lru_cache(maxsize=8)
def _series(wavelet, asked):
    """The belief in series of this wavelet; it depends on no data."""
    levels, d, basis = asked.levels, asked.d, wavelet_basis(wavelet)
    finest = WaveletClassifier._digits(levels, d)
    # With few levels several pairs say the same.
    steps = np.unique([_steps(r, beta, finest, d) for r, beta in WAVELET_SMOOTHNESS], axis=0)
    overlaps, kernels, widths = [], [], []
    for j in range(finest + 1):
        # Integrals of one father over fine cells serve all its translates; outside its support they are 0.
        width = 2 ** (finest - j)
        integral = basis.integral("phi", np.arange(width * basis.overlap + 1) / width)
        masses = 2.0 ** (-j / 2) * np.pad(np.diff(integral), 1)
        place = np.arange(2**finest)[:, None] - width * np.array(basis.translates(j))
        fine = masses[(place + 1).clip(0, len(masses) - 1)]
        coarse = fine.reshape(2**levels, -1, fine.shape[1]).sum(axis=1)
        overlaps.append(fine @ coarse.T)
        kernels.append(reduce(np.kron, [coarse @ coarse.T] * d))
        widths.append((fine**2).sum(axis=1))

    def carry(answers):
        return sum(along(overlap, part.reshape((2**levels,) * d))
                   for overlap, part in zip(overlaps, steps.T @ answers, strict=True))

    def reach(i, cells):
        across, own = 0.0, 0.0
        axes = np.unravel_index(cells, (2**finest,) * d)
        for step, overlap, width in zip(steps[i], overlaps, widths, strict=True):
            rows = reduce(lambda left, right: (left[:, :, None] * right[:, None]).reshape(len(left), -1),
                          [overlap[axis] for axis in axes])
            across = across + step * rows
            own = own + step * reduce(np.multiply, [width[axis] for axis in axes])
        return across, own

    return ScaleMixture(asked, np.tensordot(steps, kernels, 1), VARIANCES, carry, reach)


def _steps(r, beta, finest, d):
    """Weights of the projections P_0, ..., P_finest on tensor fathers in the prior covariance over sigma^2.

    The tensor details of level j are P_(j+1) - P_j; there are none from level `finest` on.
    """
    variances = 2.0 ** (-(2 * beta + d) * np.maximum(np.arange(finest) - r, 0))
    return -np.diff(np.concatenate([[1.0], variances, [0.0]]))

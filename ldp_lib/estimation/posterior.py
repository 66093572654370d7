"""Rules that believe something about the signed density, ask one bit a person, and say what is best then.

`AdaptiveClassifier` averages over bandwidths and smoothness when it reads the reports, `WaveletClassifier`
over priors of wavelet coefficients.
"""

import math
from functools import lru_cache, partial, reduce
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.fft import idctn, ifft
from scipy.special import logsumexp, softmax

from ldp_lib._arguments import choice, whole
from ldp_lib.estimation.base import parameters
from ldp_lib.estimation.intervals import PosteriorIntervals
from ldp_lib.estimation.reports import ReportClassifier
from ldp_lib.privacy import DyadicBit
from ldp_lib.privacy.responses import hadamard_transform
from ldp_lib.wavelets import REGULARITY, wavelet_basis

ASKED_DIGITS = 8
"""At most 2^8 cells are asked about: the work grows with the cube of their number."""


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


@parameters(kw_only=True)
class PosteriorMeanClassifier(PosteriorIntervals, ReportClassifier):
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

    Proved are privacy (`OneBit`), and the least expected risk in this Gaussian model, among rules that see
    the same bits and label the same cells, if g is drawn from the prior, which ignores that |g| <= f/2. No
    rate is claimed. Questions end at cells of side 2^-floor(8/d), so that there is no universal consistency,
    for which `CellClassifier` has a theorem: of a g with mean 0 in each of these cells no bit says anything.

    Subclasses say in `_digits` how fine the cells of the rule are, and hand their beliefs to `_weigh`.

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    levels : J, the finest cells asked about have side 2^-J; 0 to 8/d. None takes log2(n / scale^2) / (2 d +
        2), rounded, and 8/d if that is less: the bandwidth of Theorem 2.4 of Berrett & Butucea (2019) at
        smoothness beta = 1, scale being about 1/alpha where alpha is small. With d > 8 there is one cell.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    mechanism_, aggregate_ : what the people ran, and the sums that the analyst got.
    degrees_of_freedom_ : expected trace of the linear map that takes the Walsh coefficients to their
        estimates; the number of cells, for a rule that estimates each for itself.
    h_ : degrees_of_freedom_^(-1/d), 1 at most: the side of so many equal cells.
    scores_ : posterior means of the integrals of g over the cells of the rule.  classes_ : `classes`.
    """

    levels: int | None = None

    def build_mechanism(self, n: int, d: int) -> DyadicBit:
        """The `DyadicBit` that n people with d features run."""
        levels, most = self.levels, ASKED_DIGITS // whole("d", d)
        if levels is None:
            scale = DyadicBit(self.alpha, 0, d).scale
            levels = min(round(math.log2(max(n / scale**2, 1)) / (2 * d + 2)), most)
        cure = f"At most 2^{ASKED_DIGITS} cells, 2^levels on each of {d} axes, are asked about."
        return DyadicBit(self.alpha, whole("levels", levels, least=0, most=most, cure=cure), d)

    _mechanism_of = build_mechanism

    def cell_side(self, n: int, d: int) -> float:
        """Side of the cells on which the rule is constant when it has learnt from n people."""
        return 2.0 ** -self._digits(self.build_mechanism(n, d).levels, d)

    def _weigh(self, mechanism, aggregate, beliefs):
        """Average over `beliefs`, equally likely before. Returns their probabilities and the `Belief`s.

        Each maps the Walsh coefficients times sqrt(P(row)), and the variance of their noise, to a `Belief`.
        """
        self.mechanism_, self.aggregate_ = mechanism, aggregate
        read = self._read(mechanism, aggregate)
        found = [belief(*read) for belief in beliefs]
        share = softmax([belief.evidence for belief in found])
        self.degrees_of_freedom_ = share @ [belief.freedom for belief in found]
        self.h_ = min(self.degrees_of_freedom_ ** (-1 / mechanism.d), 1.0)
        self.scores_ = sum(weight * belief.mean for weight, belief in zip(share, found, strict=True))
        self._side = 1 / len(self.scores_)
        return share, found

    @staticmethod
    def _read(mechanism, aggregate):
        """The Walsh coefficients times sqrt(P(row)), as seen, and the variance of their noise."""
        seen = hadamard_transform(mechanism.score(aggregate)) / spread(mechanism)
        return seen, mechanism.scale**2 / aggregate.people


def spread(mechanism):
    """1 / sqrt(P(row)), (K,): standard deviations of the Walsh coefficients, but for scale / sqrt(people)."""
    return np.sqrt(mechanism.K * mechanism.row_weights)


class ScaleMixture:
    """A belief: g is Gaussian with covariance tau C_i, all pairs (i, tau) being equally likely.

    In the axes of an eigenvalue problem coefficients are independent, for all tau and numbers of people
    (Rasmussen & Williams, "Gaussian processes for machine learning", 2006, sections 2.2 and 5.2).

    mechanism : a `DyadicBit`, for its K cells and rows; its budget does not matter.
    covariances : (priors, K, K), C_i of the integrals of g over these cells.
    amplitudes : the tau.
    carry : maps v (priors, K) to sum_i C_i(cells of the rule, cells asked about) v_i, (cells,) * d.
    reach : maps (i, cells) to C_i(cells of the rule, cells asked about), (cells, K), and to the variances
        C_i(cells of the rule, themselves), (cells,), for these cells, in flat order.
    """

    def __init__(self, mechanism, covariances, amplitudes, carry, reach):
        rows = np.arange(mechanism.K)
        self._questions = mechanism.signs(rows[:, None], rows) / spread(mechanism)[:, None]
        sizes, self._axes = np.linalg.eigh(self._questions @ covariances @ self._questions.T)
        self._amplitudes = np.asarray(amplitudes)[:, None]
        self._signal = self._amplitudes * sizes.clip(0)[:, None]
        self._carry, self._reach = carry, reach

    def components(self, seen, variance, cells):
        """Of the Gaussians that count: weights (m,), means and variances (m, cells)."""
        turned, total = (seen @ self._axes)[:, None], self._signal + variance
        evidence = -0.5 * (np.log(total) + turned**2 / total).sum(axis=-1)
        weights = softmax(evidence)
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
        """The `Belief` after `seen` (K,), as `PosteriorMeanClassifier` hands it over."""
        turned, total = (seen @ self._axes)[:, None], self._signal + variance
        evidence = -0.5 * (np.log(total) + turned**2 / total).sum(axis=-1)
        weights = softmax(evidence)
        freedom = (weights * (self._signal / total).sum(axis=-1)).sum()
        solved = (weights[..., None] * self._amplitudes * turned / total).sum(axis=1)
        answers = np.einsum("pki,pi->pk", self._axes, solved) @ self._questions
        return Belief(logsumexp(evidence) - math.log(evidence.size), freedom, self._carry(answers), weights)


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

    @staticmethod
    def _components(mechanism, seen, variance, cells):
        yield _smooth(mechanism.levels, mechanism.d).components(seen, variance, cells)
        yield _blocky_component(mechanism, seen, variance, cells)


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

    return ScaleMixture(mechanism, covariances, AMPLITUDES, carry, reach)


def _blocky_weights(mechanism, seen, variance):
    """Log evidence of every level, (levels, 1), and the weights of its `RATIOS`, (levels, ratios)."""
    total = variance * (1 + RATIOS)
    energy = np.bincount(mechanism.row_level, weights=seen**2)[:, None]
    prior = np.array([ABSENT, *[(1 - ABSENT) / (len(RATIOS) - 1)] * (len(RATIOS) - 1)])
    joint = np.log(prior) - 0.5 * (mechanism.level_size[:, None] * np.log(total) + energy / total)
    evidence = logsumexp(joint, axis=1, keepdims=True)
    return evidence, np.exp(joint - evidence)


def _blocky(mechanism, seen, variance):
    """The `Belief` that levels have variances of their own."""
    evidence, weights = _blocky_weights(mechanism, seen, variance)
    kept = weights @ (RATIOS / (1 + RATIOS))
    mass = hadamard_transform(kept[mechanism.row_level] * seen * spread(mechanism)) / mechanism.K
    finer = 2 ** (DIGITS // mechanism.d - mechanism.levels)
    mean = np.kron(mass.reshape(mechanism.shape), np.ones((finer,) * mechanism.d)) / finer**mechanism.d
    return Belief(evidence.sum(), kept @ mechanism.level_size, mean, weights)


def _blocky_component(mechanism, seen, variance, cells):
    """As `ScaleMixture.components`, one Gaussian with the exact mean and variance: those of all ratios of all
    levels would be too many."""
    _, weights = _blocky_weights(mechanism, seen, variance)
    shrink, finer = RATIOS / (1 + RATIOS), 2 ** (DIGITS // mechanism.d - mechanism.levels)
    kept, sizes = weights @ shrink, spread(mechanism)
    levels = np.arange(mechanism.levels + 1)[:, None] == mechanism.row_level
    parts = np.array([hadamard_transform(level * seen * sizes) for level in levels]) / mechanism.K
    within = variance * (kept[mechanism.row_level] * sizes**2).sum() / mechanism.K**2
    between = (weights @ shrink**2 - kept**2) @ parts**2
    axes = np.unravel_index(cells, (mechanism.shape[0] * finer,) * mechanism.d)
    asked = np.ravel_multi_index([axis // finer for axis in axes], mechanism.shape)
    volume = finer**mechanism.d
    return (np.ones(1), (kept @ parts)[None, asked] / volume,
            (within + between)[None, asked] / volume**2)


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
    """A `PosteriorMeanClassifier` that believes in random wavelet series.

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
    levels : int or None
        J, the finest cells asked about have side 2^-J; 0 to 8/d. None, the default, takes
        log2(n / scale^2) / (2 d + 2), rounded, and 8/d if that is less: the bandwidth of Theorem 2.4 of
        [2]_ at smoothness beta = 1, scale being about 1/alpha where alpha is small. With d > 8 there is one
        cell.

    Attributes
    ----------
    weights_ : array of shape (wavelets, pairs (r, beta), values of sigma^2)
        Posterior probabilities of the priors.
    scores_ : array
        As in `PosteriorMeanClassifier`, on 2^min(J + 4, floor(16/d)) cells an axis.
    mechanism_, aggregate_, degrees_of_freedom_, h_, classes_
        As in `PosteriorMeanClassifier`.

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
        return [_series(name, mechanism.levels, mechanism.d) for name in names]

    def _components(self, mechanism, seen, variance, cells):
        for belief in self._beliefs(mechanism):
            yield belief.components(seen, variance, cells)


@lru_cache(maxsize=8)
def _series(wavelet, levels, d):
    """The belief in series of this wavelet; it depends on no data."""
    mechanism, finest = DyadicBit(1.0, levels, d), WaveletClassifier._digits(levels, d)
    basis = wavelet_basis(wavelet)
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
        return sum(along(overlap, part.reshape(mechanism.shape))
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

    return ScaleMixture(mechanism, np.tensordot(steps, kernels, 1), VARIANCES, carry, reach)


def _steps(r, beta, finest, d):
    """Weights of the projections P_0, ..., P_finest on tensor fathers in the prior covariance over sigma^2.

    The tensor details of level j are P_(j+1) - P_j; there are none from level `finest` on.
    """
    variances = 2.0 ** (-(2 * beta + d) * np.maximum(np.arange(finest) - r, 0))
    return -np.diff(np.concatenate([[1.0], variances, [0.0]]))

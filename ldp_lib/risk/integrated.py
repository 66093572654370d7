"""Mean integrated errors of density estimators: E ||fhat - f||_r^r of wavelets, over their domain, which is
[0, 1] after rescaling, and what the stability histogram loses, in its counts and in L1.

Wavelet estimates end with the domain. On the line the fathers phi_Jk are orthonormal; of
fhat = sum_k a_k phi_Jk

    spill(a) = integral of fhat^2 beyond [0, 1] = sum over both ends of a' H a,

a the c - 1 fathers that cross an end and H what their products have beyond it (`WaveletBasis.spill`), is
taken off. So for r = 2, a linear estimator, and the true fathers a of level J,

    E ||fhat - f||_2^2 = sum of the squared coefficients from level J on - spill(a)            (bias)
                       + (1/n) (sum over k of Var phi_Jk(X) - the variance of spill's part)    (sampling)
                       + (1/n) sum over j of 2^j times the variance of the noise               (noise).

The last line, exact on the lattice: for every wavelet sum_k psi_jk(x)^2 has period 2^-j and mean 2^j.

Rounding to the lattice moves a coefficient's mean by at most half a step, 2^-11 of the noise scale
or less, and is left out. All else is simulated, from the exact law of the sums, and says how precisely.

Of the stability histogram nothing is simulated. Given a count c > 0, chat = W = c + noise where W >= tau and
0 elsewhere, so that for any target x

    E|chat - x| = |x| P(W < tau) + E[|W - x|; W >= tau],

a closed form in the tail and the mean excess of the noise. Counts in a cell are binomial, cells are added up.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, interval, real, reals, require_memory, together, whole
from ldp_lib._rounding import head_counts
from ldp_lib.estimation import AdaptiveDensity, LinearWaveletDensity, StableHistogramDensity
from ldp_lib.estimation.densities import (
    GRID_DEPTH, WaveletDensity, fine_fathers, grid, on_grid, projection_level,
)
from ldp_lib.estimation.majority import default_side
from ldp_lib.nature import Density, Problem
from ldp_lib.nature.densities import FINE_LEVEL
from ldp_lib.privacy import WaveletAggregate
from ldp_lib.privacy.central import central_noise, stability_threshold
from ldp_lib.privacy.mechanism import grid_index
from ldp_lib.risk.simulated import MOST_REPEATS, _repeated, _reseeded

MOST_LEVELS = 9
"""`best_level` goes through 1, ..., 9 levels."""
NEGLECTED = 1e-16
"""Binomial counts with less probability than this in either tail are left out."""


class Mise(NamedTuple):
    """E ||fhat - f||_r^r is `value`, exact where `standard_error` is 0; then it is `bias` + `sampling` +
    `noise`.

    Where the value is simulated the parts are None.

    >>> from ldp_lib.estimation import LinearWaveletDensity
    >>> from ldp_lib.nature import density
    >>> risk = mise(LinearWaveletDensity(alpha=1.0, wavelet="haar", level=2), density("kink"), 10_000)
    >>> round(risk.value, 4), round(risk.bias, 4), round(risk.noise, 4), risk.standard_error
    (0.1209, 0.0833, 0.0373, 0.0)
    """

    value: float
    standard_error: float
    bias: float | None = None
    sampling: float | None = None
    noise: float | None = None


@functools.lru_cache(maxsize=32)
def energies(density, basis):
    """For every J = 0, ..., 17: squared bias of the projection on V_J, and n times the sampling part; two
    arrays (18,), of errors on [0, 1].

    For J <= 10 the bias is right to 1%, and to 1e-6 where f is smooth.
    """
    levels = {kind: [density.coefficients(basis, j, kind) for j in range(FINE_LEVEL)]
              for kind in ("phi", "psi")}
    return energies_of(density.masses(FINE_LEVEL), levels, density.l2_norm_squared, basis)


def energies_of(masses, levels, l2_norm_squared, basis):
    """The same for J = 0, ..., M - 1 from the masses of 2^M cells and their
    `ldp_lib.nature.densities.cascade`.

    Both are those of f averaged over the cells. Beyond level M the bias has what ||f||^2 leaves, but no more
    than level M - 1: energies at least halve from level to level, whereas averaging alone loses some of
    ||f||^2.
    """
    fine = len(levels["psi"])
    details, fathers = ([(level**2).sum() for level in levels[kind][:fine]] for kind in ("psi", "phi"))
    rest = np.clip(l2_norm_squared - fathers[0] - sum(details), 0.0, details[-1])
    bias = np.cumsum(details[::-1])[::-1] + rest
    sampling = np.empty(fine)
    for J in range(fine):
        # sum_k phi_Jk(x)^2 has period 2^-J: fold the masses.
        depth = min(fine - J, 10)
        folded = masses.reshape(2**J, 2**depth, -1).sum(axis=(0, 2))
        sampling[J] = 2.0**J * folded @ basis.square_means("phi", depth).sum(axis=1) - fathers[J]
        beyond, ends = spill(basis, levels["phi"][J]), min(basis.overlap - 1, 2**J)
        # People next to an end, in the cells whose fathers cross it.
        lower, upper = basis.spill_means(depth)
        near = masses.reshape(2**J, 2**depth, -1).sum(axis=2)
        near = ((near[:ends] * lower[:ends]).sum()
                + (near[2**J - ends:] * upper[len(upper) - ends:]).sum())
        bias[J] = max(bias[J] - beyond, 0.0)
        sampling[J] -= 2.0**J * near - beyond
    return bias, sampling


def spill(basis, fathers):
    """Integral beyond [0, 1] of the square of sum_k a_k phi_Jk; fathers : a, all of the domain, (..., m)."""
    c = basis.overlap
    ends = np.stack([fathers[..., :c - 1], fathers[..., fathers.shape[-1] - c + 1:]])
    return np.einsum("e...k,ekl,e...l->...", ends, basis.spill, ends)


def mise(density_estimator: WaveletDensity | AdaptiveDensity, density: Density, n: int, r: float = 2, *,
         repeats: int = 200, cells: int | None = None, rng: Randomness = None) -> Mise:
    """E ||fhat - f||_r^r on the domain, exact or simulated.

    It is exact for a linear estimator without projection and r = 2 (its bias up to level 10 to 1%, see
    `energies`), else simulated.

    Parameters
    ----------
    density_estimator : LinearWaveletDensity, ThresholdWaveletDensity or AdaptiveDensity
        On the domain of the density; only parameters count.
    density : Density
        From `ldp_lib.nature.density`.
    n : int
        Number of people.
    r : float
        From 1 to 100; 2 by default. For r != 2, or with `project`, the integral is a sum over 2^6 midpoints
        in every finest cell; for `AdaptiveDensity` over 2^16.
    repeats : int
        Of the simulation, 2 or more; 200 by default.
    cells : int, optional
        For wavelets. None draws n people a repeat. A whole number M draws how many of them stand in each of
        2^M cells and replaces what a cell's people publish by its average, at a cost that does not grow with
        n: only their variance within cells is missing, a small part of `sampling`.
    rng : Generator, int or None
        Of the simulation: a numpy Generator, a seed, or None for fresh entropy. Its noise has the exact law
        of the sum of n people's.

    Returns
    -------
    Mise
        The value and its standard error, 0 where it is exact; then also the parts `bias`, `sampling` and
        `noise`.

    Examples
    --------
    >>> from ldp_lib.estimation import LinearWaveletDensity
    >>> from ldp_lib.nature import density
    >>> risk = mise(LinearWaveletDensity(alpha=1.0, wavelet="haar", level=2), density("uniform"), 10_000)
    >>> round(risk.sampling, 6), round(risk.noise, 4), risk.standard_error   # 3/n, 4 * 2 * 6.83^2 / n
    (0.0003, 0.0373, 0.0)
    """
    _check_pair(density_estimator, density)
    n, r = whole("n", n), real("r", r, least=1, most=100)
    domain = interval("domain", density_estimator.domain)
    if domain != density.domain:
        raise ValueError(f"domain = {domain} of the estimator is not that of the density, {density.domain}; "
                         "give both the same.")
    if isinstance(density_estimator, AdaptiveDensity):
        return _simulated_mise(density_estimator, density, n, r, repeats, rng)
    mechanism = density_estimator.mechanism(n)
    # The integral of |fhat - f|^r in the units of the data, from that of what is rescaled to [0, 1].
    unit = (density.domain[1] - density.domain[0]) ** (1 - r)
    if mechanism.levels >= FINE_LEVEL:
        raise ValueError(f"{mechanism.levels} levels are too fine for a risk; use at most {FINE_LEVEL - 1}.")
    linear = isinstance(density_estimator, LinearWaveletDensity) and not density_estimator.project
    if linear and r == 2:
        bias, sampling = (unit * float(part[mechanism.levels])
                          for part in energies(density, mechanism.basis))
        cells = [2**band.j for band in mechanism.bands]
        noise = unit * float(density_estimator.noise_variance(mechanism, n) @ cells)
        return Mise(bias + sampling / n + noise, 0.0, bias, sampling / n, noise)
    values = unit * np.concatenate([
        _losses(density_estimator, mechanism, density, n, r, totals)
        for totals in _simulated_totals(density_estimator, mechanism, density, n, repeats, cells,
                                        generator(rng))])
    return Mise(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


def _check_pair(density_estimator, density):
    kinds = WaveletDensity, AdaptiveDensity
    if not isinstance(density_estimator, kinds) or not isinstance(density, Density):
        raise TypeError("mise needs a wavelet density estimator or an AdaptiveDensity, and a density of "
                        f"ldp_lib.nature; got {density_estimator!r:.60} and {density!r:.60}.")


def _simulated_mise(estimator, density, n, r, repeats, rng):
    """`mise` of an estimator that people report to, on 2^16 midpoints."""
    lower, upper = density.domain
    x = lower + (upper - lower) * (np.arange(2**16) + 0.5) / 2**16
    truth = density.pdf(x)

    def loss(stream):
        fit = _reseeded(estimator, stream).fit(density.sample(n, rng=stream))
        return (np.abs(fit.pdf(x) - truth) ** r).mean() * (upper - lower)

    return Mise(*map(float, _repeated(loss, repeats, rng)[:2]))


def best_level(density: Density, n: int, alpha: float | None, wavelet: str) -> tuple[int, Mise]:
    """The level J, from 1 to 9, of the best `LinearWaveletDensity(scales="scaling_only")`.

    Parameters
    ----------
    density : Density
        As for `mise`.
    n : int
        Number of people.
    alpha : float or None
        Privacy budget in nats, > 0; None: no privacy.
    wavelet : str
        A name, see `ldp_lib.wavelets.WaveletBasis`.

    Returns
    -------
    tuple of int and Mise
        J, and its `Mise` for r = 2.

    Examples
    --------
    >>> from ldp_lib.nature import density
    >>> best_level(density("departures"), 328_521, 1.0, "db2")[0]
    4
    """
    rule = LinearWaveletDensity(alpha, wavelet, scales="scaling_only")
    _check_pair(rule, density)
    rule.set_params(domain=density.domain)
    risks = {J: mise(rule.set_params(level=J), density, n) for J in range(1, MOST_LEVELS + 1)}
    best = min(risks, key=lambda J: risks[J].value)
    return best, risks[best]


def _simulated_totals(estimator, mechanism, density, n, repeats, cells, rng):
    """Blocks of sums of n reports, (m, K) each, `repeats` rows in all."""
    repeats = whole("repeats", repeats, least=2, most=MOST_REPEATS,
                    cure="A standard error needs two repeats.")
    if cells is not None:
        cells = whole("cells", cells, least=mechanism.levels, most=FINE_LEVEL)
        masses = density.masses(cells)
        means = [mechanism.basis.means(band.kind, cells - band.j) * 2.0 ** (band.j / 2)
                 for band in mechanism.bands]
    for _ in range(repeats):
        if cells is None:
            totals = mechanism.count(density.sample(n, rng=rng)).totals
        else:
            counts = head_counts(rng, n, masses / masses.sum()).astype(float)
            totals = np.concatenate([_band_sums(counts.reshape(-1, len(mean)) @ mean) for mean in means])
            # Reports lie on the lattice, and so do their sums.
            for columns, law in mechanism.noise_laws:
                if step := law.granularity:
                    totals[columns] = step * np.rint(totals[columns] / step)
        if estimator.alpha is not None:
            totals = mechanism.add_noise(WaveletAggregate(n, totals), rng=rng).totals
        yield totals[None]


def _band_sums(parts):
    """Sums of a band: parts[cell, i] belongs to translate k = cell - i, and k runs from 1 - c."""
    rows, c = parts.shape
    place = np.arange(rows)[:, None] - np.arange(c) + c - 1
    return np.bincount(place.ravel(), parts.ravel())


def _losses(estimator, mechanism, density, n, r, totals):
    """||fhat - f||_r^r of every row of totals, everything rescaled to [0, 1]."""
    fathers = fine_fathers(mechanism, estimator.select(mechanism, totals / n, n))
    if r == 2 and not estimator.project:
        return squared_error(density.coefficients(mechanism.basis, mechanism.levels, "phi"), fathers,
                             energies(density, mechanism.basis)[0][mechanism.levels], mechanism.basis)
    u, table = grid(mechanism, GRID_DEPTH)
    step, (lower, upper) = 1 / len(u), density.domain
    values = on_grid(fathers, table).reshape(len(fathers), -1)
    if estimator.project:
        values = np.maximum(values - projection_level(values, step)[:, None], 0.0)
    truth = (upper - lower) * density.pdf(lower + (upper - lower) * u)
    return (np.abs(values - truth) ** r).sum(axis=1) * step


def squared_error(truth, fathers, bias, basis):
    """||fhat - f||_2^2 on [0, 1] from the fathers of level J of f and of fhat, (..., m), and the squared bias
    there."""
    moved = np.square(fathers - truth).sum(axis=-1)
    return moved + bias + spill(basis, truth) - spill(basis, fathers)


@overload
def mean_count_error(counts: float, epsilon: float, delta: float, *, target: float | None = ...,
                     threshold: str = ..., noise: str = ...) -> float: ...


@overload
def mean_count_error(counts: ArrayLike, epsilon: float, delta: float, *, target: ArrayLike | None = ...,
                     threshold: str = ..., noise: str = ...) -> np.ndarray: ...


def mean_count_error(counts: ArrayLike, epsilon: float, delta: float, *, target: ArrayLike | None = None,
                     threshold: str = "sufficient", noise: str = "lattice") -> float | np.ndarray:
    """E|chat - target| of `ldp_lib.privacy.stability_histogram`, exact.

    The histogram is Algorithm 1 of Bousquet et al. [1]_. Arrays broadcast together.

    Parameters
    ----------
    counts : int or array
        Whole numbers >= 0, of people in cells.
    epsilon, delta : float
        The budget, epsilon > 0 in nats, 0 < delta < 1.
    target : float or array, optional
        Numbers >= 0; the counts themselves by default.
    threshold : str
        "sufficient" (default) or "printed", see `ldp_lib.privacy.stability_threshold`.
    noise : str
        "lattice" (default) or "real".

    Returns
    -------
    float or array
        The mean absolute error, in people, of the common shape of counts and target.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 1, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> float(mean_count_error(1, 1.0, 1e-6))      # one person is lost for almost certain
    1.00002...
    """
    counts = reals("counts", counts, least=0, integer=True)
    target = counts if target is None else reals("target", target, least=0)
    counts, target = together(counts=counts, target=target)
    return count_error(counts, target, central_noise(epsilon, noise),
                       stability_threshold(epsilon, delta, threshold=threshold, noise=noise))


def count_error(counts, target, law, tau):
    """E|released - target| where counts get noise of this law and are zeroed below tau; exact, any shape."""
    shown = law.tail(tau - counts)
    # E[(W - tau)^+] and then from tau to the target.
    above = law.mean_excess(tau - counts) + (tau - target) * shown
    # E[|W - x|; W >= tau] = E(W - x)^+ + E(x - W)^+ - E(tau - W)^+ - (x - tau) P(W < tau) for x > tau.
    around = (law.mean_excess(target - counts) + law.mean_excess(counts - target)
              - law.mean_excess(counts - tau) - (target - tau) * (1 - shown))
    error = target * (1 - shown) + np.where(target <= tau, above, around)
    return np.where(counts > 0, error, target)[()]


def expected_l1_error(estimator: StableHistogramDensity, problem: Problem, n: int) -> float:
    """E of the integral of |f - fhat| for Algorithm 3 with n people, exact; fhat as printed, not normalised.

    Algorithm 3 is the private density estimator of Bousquet et al. [1]_.

    Parameters
    ----------
    estimator : StableHistogramDensity
        With normalise=False; only its parameters count.
    problem : Problem
        From `ldp_lib.nature.problem`, with a density that is constant on bins (`density_bins`): "sine",
        "checkerboard", "cps".
    n : int
        Number of people in all, at most 10^11.

    Returns
    -------
    float
        The mean L1 distance of fhat from f.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 3, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> from ldp_lib.nature import problem
    >>> rule = StableHistogramDensity(1.0, 10.0**6 * 2.0**-1000, normalise=False)
    >>> round(expected_l1_error(rule, problem("sine"), 10**6), 6)
    1.0
    """
    if not isinstance(estimator, StableHistogramDensity) or estimator.normalise:
        raise TypeError(f"estimator = {estimator!r:.60} is no StableHistogramDensity with normalise=False.")
    if not isinstance(problem, Problem) or problem.density_bins is None:
        raise TypeError(f"problem = {problem!r:.60} has no density constant on bins; try \"sine\".")
    n = whole("n", n, most=10**11)
    side = default_side(n, problem.d) if estimator.side is None else real("side", estimator.side, above=0)
    p, height, volume = _pieces(problem, side)
    # Pieces alike in everything are counted together: for a uniform law there are two kinds.
    kinds, inverse = np.unique(np.round(np.column_stack([p, height]), 14), axis=0, return_inverse=True)
    volume = np.bincount(inverse.ravel(), volume)
    error = [_mean_error(n, *kind, side**problem.d, estimator) for kind in kinds]
    return float(volume @ error)


def _pieces(problem, side):
    """Intersections of cubes and bins: mass of the cube, density and volume of each, (k,)."""
    # Beyond the domain the last cube has no people, but an estimate.
    cubes = side * np.arange(np.ceil(1 / side - 1e-9) + 1)
    edges = [np.unique(np.round(np.concatenate([cubes, np.arange(bins + 1) / bins]), 14))
             for bins in problem.density_bins]
    size = math.prod(float(len(axis)) for axis in edges)
    require_memory("The pieces of cubes and bins", 200.0 * size, "Increase side.")
    index = grid_index([len(axis) - 1 for axis in edges])
    low, high = (np.stack([axis[k] for axis, k in zip(edges, (index + step).T, strict=True)], axis=1)
                 for step in (0, 1))
    middle = (low + high) / 2
    cube = np.floor(middle / side)
    p, _ = problem.cell_masses(cube * side, (cube + 1) * side)
    return p, problem.density(middle), (high - low).prod(axis=1)


def _mean_error(n, p, height, volume, estimator):
    """E|height - chat/(n volume)| in a cube of that volume, the count being binomial(n, p)."""
    from scipy.stats import binom  # 46 MiB, which a panel does not need

    scale = n * volume
    counts = np.arange(binom.ppf(NEGLECTED, n, p), binom.isf(NEGLECTED, n, p) + 1) if p > 0 else np.zeros(1)
    error = mean_count_error(np.maximum(counts, 0), estimator.epsilon, estimator.delta, target=height * scale,
                             threshold=estimator.threshold, noise=estimator.noise)
    return binom.pmf(np.maximum(counts, 0), n, min(p, 1.0)) @ error / scale

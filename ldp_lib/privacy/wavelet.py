"""The mechanisms of Butucea, Dubois, Kroll & Saumard (2020), Section 3: noisy wavelet coefficients of one
person."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice, interval, numeric, points, real, rescaled, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy.aggregate import WaveletAggregate
from ldp_lib.privacy.mechanism import NoisyMechanism, UnlabelledMechanism
from ldp_lib.privacy.noise import (
    SMALLEST_SCALE, STEPS_PER_SCALE, LatticeLaplace, RealLaplace, calibrated_scale, laplace_noise,
)
from ldp_lib.wavelets import BLOCK, wavelet_basis

ROUNDING_SHARE = 2.0**-14
"""Share of alpha that pays for what computers add: half of it for rounding to the lattice, the rest for the
errors of phi and psi (a share 1e-6 at most) and of the sums and quotients of floats here (2^-45)."""
LARGEST_NU = 100.0
"""20^nu has to stay a float."""
SCALES = ("common", "by_level", "scaling_only")
CALIBRATIONS = ("tight", "crude", "exact")
TOLERANCE = 1e-3
"""The search stops when its bound is within this relative distance of the loss of the pair that it found
..."""
MOST_INTERVALS = 2**11
"""... or when more intervals than this are left; the bound holds nevertheless."""


class Band(NamedTuple):
    """One level of a report: phi_jk or psi_jk (`kind`) at level `j` for all k in the range `translates`.

    Its entries begin at column `start` of a report. `size` bounds sum_k |.|, and `weight` is its noise in
    units in which the scales of all levels are weight * (privacy loss at these weights) / alpha.
    """

    kind: str
    j: int
    translates: range
    start: int
    size: float
    weight: float

    @property
    def columns(self):
        """Where the band stands in a report."""
        return slice(self.start, self.start + len(self.translates))


class WaveletLaplace(UnlabelledMechanism, NoisyMechanism):
    """A person publishes her wavelet coefficients, plus noise: phi_0k and psi_jk, 0 <= j < J, at her point x.

    x is rescaled to [0, 1], in which the domain is the unit of all levels: the same report leaves her hands,
    whether she knows her age or somebody rescaled it for her. So x is a point of [0, 1] from here on.
    Every k whose translate meets [0, 1) is published, whatever x is. `scales` is the mechanism:

    "common": one noise scale for all levels, display (3.1).
    "by_level": sigma_j of order 2^(j/2) max(j, 1)^nu, display (3.2); J does not move the coarse levels.
    "scaling_only": the coefficients phi_Jk alone, which span the same space with less noise.

    Privacy: the log-likelihood ratio of a report z between x and x' is at most, and for z beyond both
    signals equal to, the sum over all j, k of |psi_jk(x) - psi_jk(x')| / sigma_j. A level changes by at most
    its size at x plus its size at x': hence the factor 2 in all calibrations but "exact". With c
    translates overlapping, a level's size sum_k |psi_jk(x)| is at most

    "crude": 2^(j/2) c ||psi||_inf; and for "by_level" sum_j max(j, 1)^-nu over -1 <= j < infinity is at most
        C_nu = (3 nu - 2) / (nu - 1), so that sigma_j = (2 c ||psi||_inf / alpha) C_nu 2^(j/2) max(j, 1)^nu;
    "tight": 2^(j/2) S_psi with S_psi = sup_x sum_k |psi(x - k)|, and the sum over the J + 1 levels that
        exist;
    "exact": a bound of the supremum over all pairs x, x' of the whole sum, by branch and bound;
        `worst_pair` says how close it is.

    On the lattice all K coefficients are rounded. At most c entries a person and level are not 0, each off by
    at most half a step g: two people's reports differ by up to c g more a level. Steps are so
    fine that this takes at most a share 2^-15 of alpha. The scales leave twice that to it, and to the errors
    of floats.

    Parameters
    ----------
    alpha : privacy budget in nats, > 0.
    wavelet : a name that `ldp_lib.wavelets.WaveletBasis` knows.
    levels : J, 0 to 20; the domain has 2^J cells. With "haar" and J = 0 everybody publishes the constant 1
        and noise: reports say nothing, and there is no worst pair that calibration = "exact" could search
        for.
    scales, calibration : see above.
    nu : > 1, for "by_level" only.
    domain : (lower, upper), two public numbers in the units of the data, for example (18, 90); whoever is
        outside counts as the nearest end.
    noise : "lattice" (default) or "real" (floating point, for mathematics only).

    Attributes
    ----------
    basis : the `WaveletBasis`.
    bands : the levels of a report, a tuple of `Band`.
    K : the length of a report.
    noises : the noise law of every band.
    scales_by_level : their scales, (len(bands),).
    noise, scale, granularity : those of the finest band, whose scale is the largest.
    sensitivity : bound of sum_jk |psi_jk(x) - psi_jk(x')| scale / sigma_j, rounding included; alpha * scale.

    Examples
    --------
    >>> mechanism = WaveletLaplace(alpha=1.0, wavelet="haar", levels=2)
    >>> mechanism.K, round(mechanism.scale, 3)            # 2 (1 + 1 + sqrt 2), and rounding
    (4, 6.829)
    >>> mechanism.encode([0.3]).round(3).tolist()
    [[1.0, 1.0, -1.414, 0.0]]
    """

    d = 1
    _aggregates = WaveletAggregate
    _cure = "lower levels."
    _parameters = "alpha", "wavelet", "levels", "scales", "calibration", "nu", "domain"

    def __init__(self, alpha: float, wavelet: str = "db2", levels: int = 5, scales: str = "common",
                 calibration: str = "tight", nu: float = 1.5, domain: tuple[float, float] = (0.0, 1.0),
                 noise: str = "lattice"):
        self.alpha = real("alpha", alpha, least=SMALLEST_SCALE,
                          cure="alpha is the privacy budget in nats, for example 1.0.")
        self.basis = wavelet_basis(wavelet)
        self.wavelet = self.basis.name
        self.levels = whole("levels", levels, least=0, most=20, cure="2^-levels is the resolution.")
        self.scales = choice("scales", scales, SCALES)
        self.calibration = choice("calibration", calibration, CALIBRATIONS)
        self.nu = real("nu", nu, above=1, most=LARGEST_NU,
                       cure="The series of j^-nu must converge; 1.5 is usual.")
        self.domain = interval("domain", domain)
        self.bands = self._bands()
        self.signal_bounds = tuple(band.size for band in self.bands)
        self.K = self.bands[-1].columns.stop
        # Rounding adds at most c g_j / sigma_j <= c / steps a level: half of the share.
        share, steps = 0.0, STEPS_PER_SCALE
        if choice("noise", noise, ("lattice", "real")) == "lattice":
            share = ROUNDING_SHARE
            steps = max(steps, 2 * len(self.bands) * self.basis.overlap / (share * self.alpha))
        unit = calibrated_scale(self._loss_at_weights(), self.alpha * (1 - share))
        self.noises = tuple(laplace_noise(noise, band.weight * unit, steps) for band in self.bands)
        self.noise = self.noises[-1]
        self.sensitivity = self.alpha * self.scale
        self.scales_by_level = np.array([law.scale for law in self.noises])
        self.granularity_by_level = np.array([law.granularity for law in self.noises])
        self.variance_by_level = np.array([law.variance for law in self.noises])

    def _bands(self):
        """The levels of a report with their sizes and weights."""
        basis, crude = self.basis, self.calibration == "crude"
        sizes = {"phi": basis.overlap * basis.phi_max if crude else basis.S_phi,
                 "psi": basis.overlap * basis.psi_max if crude else basis.S_psi}
        layout = [("phi", self.levels)] if self.scales == "scaling_only" else [
            ("phi", 0), *(("psi", j) for j in range(self.levels))]
        bands, start = [], 0
        for kind, j in layout:
            translates = basis.translates(j)
            size = 2.0 ** (j / 2) * sizes[kind]
            weight = size * max(j, 1) ** self.nu if self.scales == "by_level" else 1.0
            bands.append(Band(kind, j, translates, start, size, weight))
            start += len(translates)
        return tuple(bands)

    def _loss_at_weights(self):
        """Bound of the privacy loss between any two people if every noise scale were the band's weight."""
        if self.calibration == "exact":
            return self._search.bound
        if self.calibration == "crude" and self.scales == "by_level":
            return 2 * (3 * self.nu - 2) / (self.nu - 1)
        return sum(2 * band.size / band.weight for band in self.bands)

    @functools.cached_property
    def _search(self):
        """The worst pair of points at these weights, before rounding."""
        if self.K == 1:
            raise ValueError("levels = 0 of the wavelet 'haar': everybody publishes the same constant, and "
                             "there is no worst pair. Take levels = 1 or more.")
        return worst_pair(self.basis, self.bands)

    @property
    def noise_laws(self) -> list[tuple[slice, LatticeLaplace | RealLaplace]]:
        """The columns of every band, and the law of their noise."""
        return [(band.columns, law) for band, law in zip(self.bands, self.noises, strict=True)]

    def people(self, X: ArrayLike) -> tuple[np.ndarray]:
        X = numeric("X", X, private=True)
        X = points("X", X[:, None] if X.ndim == 1 else X, 1)[:, 0]
        return (np.minimum(rescaled(X, *self.domain), np.nextafter(1.0, 0.0)),)

    def _coefficients(self, X):
        """For each band: columns of the report (n, c) and what stands there (n, c), on the lattice."""
        entries = _entries(self.basis, self.bands, X)
        for (columns, values), step in zip(entries, self.granularity_by_level, strict=True):
            yield columns, np.rint(values / step) * step if step else values

    def _signals(self, X):
        rows = np.zeros((len(X), self.K))
        for columns, values in self._coefficients(X):
            np.put_along_axis(rows, columns, values, axis=1)
        return rows

    def count(self, X: ArrayLike) -> WaveletAggregate:
        """The aggregate of `encode(X)`, without noise and without the n x K matrix."""
        (X,) = self.people(X)
        totals = np.zeros(self.K)
        for columns, values in self._coefficients(X):
            totals += np.bincount(columns.ravel(), weights=values.ravel(), minlength=self.K)
        return WaveletAggregate(len(X), totals, repr(self))

    def simulate_aggregate(self, X: ArrayLike, *, rng: Randomness) -> WaveletAggregate:
        """An aggregate with the law of `aggregate(privatize(X))` at cost O(n + K).

        This simulates people and protects nobody, see `NoisyMechanism.simulate_aggregate`.
        """
        return self.add_noise(self.count(X), rng=rng)

    def privacy_loss(self, x: float, x2: float) -> float:
        """Exact supremum, over all reports, of the log-likelihood ratio between people at x and x2, in nats.

        sum_jk |difference of what they publish before noise| / sigma_j, rounding included.
        """
        difference = np.abs(np.subtract(*self.encode([real("x", x), real("x2", x2)])))
        return float(sum(difference[columns].sum() / law.scale for columns, law in self.noise_laws))

    def worst_pair(self) -> WorstPair:
        """The two points that the mechanism hides least, as a `WorstPair`: their exact loss, and a bound for
        all pairs.

        In nats. The bound is 0.1% above the loss, or more if the search had to end early; and it is never
        above alpha.
        """
        lower, upper = self.domain
        pair = tuple(lower + (upper - lower) * x for x in self._search.pair)
        slack = self.basis.overlap * (self.granularity_by_level / self.scales_by_level).sum()
        bound = self._search.bound * self.bands[-1].weight / self.scale + slack
        return WorstPair(pair, self.privacy_loss(*pair), float(min(bound, self.alpha)))


class WorstPair(NamedTuple):
    """`loss` of the `pair` (x, x') that was found, and a `bound` that no pair exceeds.

    >>> pair, loss, bound = WaveletLaplace(alpha=1.0, wavelet="haar", levels=2).worst_pair()
    >>> pair, round(loss, 3), round(bound, 3)
    ((0.0, 0.5), 0.707, 0.708)
    """

    pair: tuple
    loss: float
    bound: float


@functools.lru_cache(maxsize=64)
def worst_pair(basis, bands):
    """Bound sup over x, x' of sum over bands of sum_k |psi_jk(x) - psi_jk(x')| / weight; see `WorstPair`.

    Let V(x) be all coefficients over their weights. On a dyadic interval V is its chord up to an l1 error e
    (`WaveletBasis.off_chord`), and ||V(x) - V(x')||_1 is convex along chords. So for a pair of intervals it
    is at most e + e' more than at the worst of their four pairs of ends. Intervals that cannot beat the best
    pair of points so far with any partner are dropped; the others are halved. No pair exceeds twice the
    bands' sizes either.
    """
    depth = max(band.j for band in bands) + 1
    cells = np.arange(2**depth)
    if len(cells) > MOST_INTERVALS:
        raise ValueError(f"levels = {depth - 1} starts the search for the worst pair with {len(cells)} "
                         f'intervals, more than {MOST_INTERVALS}; lower levels, or use calibration="tight".')
    bound, best, pair = sum(2 * band.size / band.weight for band in bands), 0.0, None
    while True:
        left = np.ldexp(cells.astype(float), -depth)
        x = np.concatenate([left, np.nextafter(np.ldexp(cells + 1.0, -depth), left)])
        signals = _weighted(basis, bands, x)
        distance = scipy.spatial.distance.cdist(signals, signals, "cityblock")
        # Shifts of a pair are as far apart: the first of them, at any depth, is the one that is told.
        a, b = np.unravel_index(canonical(distance).argmax(), distance.shape)
        if canonical(distance[a, b]) > canonical(best):
            best, pair = float(distance[a, b]), (float(x[a]), float(x[b]))
        # A band of level j sees an interval of length 2^-(depth - j) in its own units.
        error = sum(basis.off_chord(band.kind, cells, depth - band.j) * 2.0 ** (band.j / 2) / band.weight
                    for band in bands)
        above = distance.reshape(2, len(cells), 2, len(cells)).max(axis=(0, 2)) + error + error[:, None]
        # What was dropped before is below best (1 + TOLERANCE).
        bound = min(bound, max(float(above.max()), best * (1 + TOLERANCE)))
        alive = above.max(axis=1) > best * (1 + TOLERANCE)
        depth += 1
        coarsest = depth - min(band.j for band in bands)
        if bound <= best * (1 + TOLERANCE) or 2 * alive.sum() > MOST_INTERVALS or coarsest >= 2 * BLOCK:
            return WorstPair(pair, best, float(bound))
        cells = np.repeat(2 * cells[alive], 2) + np.tile([0, 1], alive.sum())


def _entries(basis, bands, x):
    """For each band: columns of the report (n, c), and the coefficients of the points x that stand there,
    (n, c)."""
    for band in bands:
        first, values = basis.values(x, band.j, band.kind)
        yield (band.start + first - band.translates.start)[:, None] + np.arange(basis.overlap), values


def _weighted(basis, bands, x):
    """V at the points x, dense, (n, K)."""
    rows = np.zeros((len(x), bands[-1].columns.stop))
    for band, (columns, values) in zip(bands, _entries(basis, bands, x), strict=True):
        np.put_along_axis(rows, columns, values / band.weight, axis=1)
    return rows

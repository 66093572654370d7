"""What the pictures of notebook 05 show, in numbers: private estimates of densities, and their errors.

The n people of a picture are the first n of 5 10^10: between two positions of the slider new ones join, and
how many of them stand in each of 2^12 cells is drawn once; both these numbers and their sums have
multinomial laws. The noise is kept the same way: that of a sum of n reports is scale * (G - G') with two
gamma variables of shape n, which are sums of those of the groups that joined. So every picture has the
exact law of its position, while from one position to the next it moves and does not flicker. Two things
differ from the mechanism in use: places are recorded on the cells, what a cell's people publish being
replaced by its average; and the noise is real, for a lattice that changed with alpha would jump.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.lessons.computed import Table
from ldp_lib.nature import Density, density
from ldp_lib.nature.densities import cascade
from ldp_lib.privacy import WaveletAggregate, WaveletLaplace
from ldp_lib.risk import best_level, mise
from ldp_lib.risk.integrated import energies_of, squared_error
from ldp_lib.stage import log_steps
from ldp_lib.wavelets import WaveletBasis, wavelet_basis

FINE, RECORDED, DRAWN, FINEST = 15, 12, 10, 10
"""Levels of the cells in which a law is known, in which people are recorded, and which the picture shows; the
largest J."""
LEVELS = tuple(range(1, FINEST + 1))
WAVELETS = ("haar", "db2", "db4", "sym8", "coif1")
COUNTS = log_steps(10**4, 5 * 10**10, 4)
"""Numbers of people of the slider."""
JOINED = np.diff(COUNTS, prepend=0)
"""How many join at each of them."""
AMPLITUDE = 16.0
"""Amplitude of the spikes, where it can be: easy to see."""
SEED = 5
MANY = tuple(n for n in COUNTS if n >= 10**9)
SPIKES = 6, 9
"""Levels of a spike among the details of so many people."""
FLOWN = 328_521
"""Departures."""


@dataclass(frozen=True, eq=False)
class Law:
    """A density and a wavelet. Coefficients and energies are those of the averages over 2^FINE cells."""

    density: Density
    basis: WaveletBasis
    truth: dict
    """As `ldp_lib.nature.densities.cascade`, up to level FINEST."""
    bias: np.ndarray
    """Squared bias on [0, 1] at J = 0, ...; within 6% at J = 10 for departures, closer elsewhere."""
    sampling: np.ndarray
    """n times the sampling part of the error there."""
    picture: np.ndarray
    """f averaged over the cells of the picture."""
    people: np.ndarray
    """Of the first n people, how many stand in each of 2^RECORDED cells; a row for each n."""


def law(shape, wavelet, N=0.0, s=0.0, p=0.0, *, level=None):
    """The `Law` called `shape`; N = n alpha^2, s and p count for the spikes only, `level` stands for N."""
    if shape != "spikes":
        return _law(shape, wavelet)
    j = level or density("spikes", n_alpha2=max(N, 3.0), s=s, p=p, wavelet=wavelet).j
    return _spike(wavelet, j, s, p)


@lru_cache(maxsize=64)
def _law(shape, wavelet):
    return _tables(density(shape), wavelet, _masses(shape), _crowd(shape))


@lru_cache(maxsize=16)
def _spike(wavelet, j, s, p):
    """A spike moves people of the plateau from one part of its support to another; all others stay."""
    f = density("spikes", s=s, p=p, wavelet=wavelet, amplitude=AMPLITUDE, level=j)
    masses, people = _masses("plateau").copy(), _crowd("plateau").copy()
    first, last = (f.k << RECORDED) >> j, -(-((f.k + f.basis.overlap) << RECORDED) >> j)
    within, fine = slice(first, last), slice(first << (FINE - RECORDED), last << (FINE - RECORDED))
    masses[fine] = np.diff(f.cdf(np.arange(fine.start, fine.stop + 1) * 2.0**-FINE))
    shares = masses[fine].reshape(-1, 2 ** (FINE - RECORDED)).sum(axis=1)
    joined = np.diff(people[:, within].sum(axis=1), prepend=0)
    moved = np.random.default_rng([SEED, j]).multinomial(joined, shares / shares.sum())
    people[:, within] = moved.cumsum(axis=0)
    return _tables(f, wavelet, masses, people)


def _tables(f, wavelet, masses, people):
    basis = wavelet_basis(wavelet)
    truth = cascade(masses, basis)
    energies = energies_of(masses, truth, f.l2_norm_squared, basis)
    shown = {kind: levels[:FINEST + 1] for kind, levels in truth.items()}
    return Law(f, basis, shown, *energies, masses.reshape(2**DRAWN, -1).sum(axis=1) * 2**DRAWN, people)


@lru_cache(maxsize=16)
def _masses(shape):
    return density(shape).masses(FINE)


@lru_cache(maxsize=16)
def _crowd(shape):
    """Counts, a row for each position of n, (m, 2^RECORDED)."""
    masses = _masses(shape).reshape(2**RECORDED, -1).sum(axis=1)
    return np.random.default_rng(SEED).multinomial(JOINED, masses / masses.sum()).cumsum(axis=0)


@lru_cache(maxsize=32)
def _noise(kind, j):
    """Noise of scale 1 in the sums of the first n people, (m, K): a column for each coefficient."""
    rng = np.random.default_rng([SEED, kind == "phi", j])
    # Long enough for the longest wavelet; shorter ones use the first columns.
    columns = 2**j + max(wavelet_basis(name).overlap for name in WAVELETS) - 1
    up, down = rng.standard_gamma(JOINED[:, None], (2, len(JOINED), columns)).cumsum(axis=1)
    return up - down


@lru_cache(maxsize=32)
def coefficients(known, n):
    """Means of the coefficients of the first n people of a `Law`, without noise; as `cascade`."""
    return cascade(known.people[COUNTS.index(n)] / n, known.basis)


def aggregate(mechanism, means, n, private):
    """The sums that the analyst gets from the first n people, a `WaveletAggregate` of `mechanism`."""
    totals = []
    for band, scale in zip(mechanism.bands, mechanism.scales_by_level * private, strict=True):
        noise = _noise(band.kind, band.j)[COUNTS.index(n), :len(band.translates)]
        totals.append(n * means[band.kind][band.j] + scale * noise)
    return WaveletAggregate(n, np.concatenate(totals))


def fits(known, alpha, J, n):
    """Role -> estimator of a `Law` from its first n people: "linear", "threshold" and "open", not private."""
    wavelet, means = known.basis.name, coefficients(known, n)
    rules = {
        "linear": LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real"),
        "threshold": ThresholdWaveletDensity(alpha, wavelet, J, first_level=0, noise="real",
                                             sup_bound=known.density.sup_norm),
        "open": LinearWaveletDensity(None, wavelet, J, scales="scaling_only"),
    }
    return {role: rule.fit_aggregate(aggregate(rule.mechanism(n), means, n, role != "open"))
            for role, rule in rules.items()}


def error(known, rule):
    """||fhat - f||_2^2 / ||f||_2^2 of what is drawn."""
    J = rule.mechanism_.levels
    square = squared_error(known.truth["phi"][J], rule.fathers_, known.bias[J], known.basis)
    return float(square / known.density.l2_norm_squared)


class Risks(NamedTuple):
    """Exact E ||fhat - f||_2^2 / ||f||_2^2 of the linear estimator at every J of `LEVELS`, in parts."""

    bias: np.ndarray
    sampling: np.ndarray
    noise: np.ndarray

    @property
    def total(self):
        """Their sum."""
        return self.bias + self.sampling + self.noise

    @property
    def best(self):
        """Index of the J with the least risk."""
        return int(self.total.argmin())


@lru_cache(maxsize=64)
def noise_of_one(alpha, wavelet):
    """What the noise of one person adds to the expected error at all `LEVELS`, before it is relative."""
    reports = (WaveletLaplace(alpha, wavelet, J, "scaling_only", noise="real") for J in LEVELS)
    return np.array([2**J * report.variance_by_level[0] for J, report in zip(LEVELS, reports)])


def exact_risks(known, alpha, n):
    """The `Risks` for n people of a `Law`."""
    at = slice(LEVELS[0], LEVELS[-1] + 1)
    parts = known.bias[at], known.sampling[at] / n, noise_of_one(alpha, known.basis.name) / n
    return Risks(*(part / known.density.l2_norm_squared for part in parts))


def cutter(spike):
    """The threshold rule that reads reports (3.1) with one level more than that of the spike."""
    return ThresholdWaveletDensity(1.0, "db2", spike + 1, first_level=spike // 2, scales="common",
                                   noise="real", factor=1.0)


@lru_cache(maxsize=2)
def spiky(spike):
    """The law with a spike of this level, as tall as the plateau allows; and the mechanism of `cutter`."""
    return law("spikes", "db2", s=1.25, p=1.0, level=spike), cutter(spike).mechanism(1)


def errors_of_rules(spike, n):
    """E ||fhat - f||^2 / ||f||^2 of rules at alpha = 1, db2, f with a spike of this level; 3 digits.

    "same": the linear rule on the reports of `cutter`. "threshold": `cutter`, simulated, 40 repeats, seed 1.
    "best": the least exact error of all linear rules, on fathers or on (3.1), J = 1, ..., 12, and its J: the
    best one is always on fathers.
    """
    f, rule = spiky(spike)[0].density, cutter(spike)
    exact = {(scales, J): mise(LinearWaveletDensity(1.0, "db2", J, scales=scales, noise="real"), f, n).value
             for scales in ("common", "scaling_only") for J in range(1, 13)}
    best = min(exact, key=exact.get)
    found = exact["common", rule.levels], mise(rule, f, n, repeats=40, cells=12, rng=1).value, exact[best]
    return [*(f"{error / f.l2_norm_squared:#.3g}" for error in found), f"{best[1]}"]


ERRORS = Table("elbow_spike", errors_of_rules, {"spike": SPIKES, "n": MANY},
               {"same": float, "threshold": float, "best": float, "J": int})


@lru_cache(maxsize=16)
def best_interval(alpha):
    """The best J for a private day, and its exact error over ||f||^2."""
    f = density("departures")
    J, risk = best_level(f, FLOWN, alpha, "db2")
    return J, risk.value / f.l2_norm_squared


@lru_cache(maxsize=64)
def interval_error(alpha, J):
    """The exact error over ||f||^2 of a private day in 2^J intervals."""
    f = density("departures")
    return mise(LinearWaveletDensity(alpha, "db2", J, scales="scaling_only", noise="real"), f,
                FLOWN).value / f.l2_norm_squared

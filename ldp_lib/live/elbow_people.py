"""What stands still behind the panel of notebook 05: laws, their coefficients, and people who never leave.

Only the picture needs this; exact errors are in `ldp_lib.risk.integrated`, coefficients in
`ldp_lib.nature.densities`.

The n people of a picture are the first n of 10^10: between two positions of the slider new ones join, and
how many of them stand in each of 2^12 cells is drawn once; both these numbers and their sums have
multinomial laws. The noise is kept the same way: that of a sum of n reports is scale * (G - G') with two
gamma variables of shape n, which are sums of those of the groups that joined. So every picture has the
exact law of its position, while from one position to the next it moves and does not flicker. Two things
differ from the mechanism in use: places are recorded on the cells, what a cell's people publish being
replaced by its average; and the noise is real, for a lattice that changed with alpha would jump.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ldp_lib.live.engine import log_steps
from ldp_lib.nature import Density, density
from ldp_lib.nature.densities import cascade
from ldp_lib.privacy import WaveletAggregate
from ldp_lib.risk.integrated import energies_of
from ldp_lib.wavelets import WaveletBasis, wavelet_basis

PEOPLE = log_steps(10**4, 10**10, 4)
"""Positions of n."""
JOINED = np.diff(PEOPLE, prepend=0)
"""How many join at each of them."""
SHAPES = ("claw", "smooth", "kink", "jumps", "blocks", "bumps", "heavisine", "doppler", "departures",
          "spikes")
"""Densities of the panel; the spikes are those of the lower bound, and follow the sliders."""
WAVELETS = ("haar", "db2", "db4", "sym8", "coif1")
FINE, RECORDED, DRAWN, FINEST = 15, 12, 9, 9
"""Levels of the cells in which a law is known, in which people are recorded, and which the picture shows; the
largest J."""
SPIKE = 16.0
"""Amplitude of the spikes, where it can be: easy to see."""
SEED = 5


@dataclass(frozen=True, eq=False)
class Law:
    """A density and a wavelet. Coefficients and energies are those of the averages over 2^FINE cells."""

    density: Density
    basis: WaveletBasis
    truth: dict
    """As `ldp_lib.nature.densities.cascade`, up to level FINEST."""
    bias: np.ndarray
    """Squared bias on [0, 1] at J = 0, ...; within 4% at J = 9 for departures, closer elsewhere."""
    sampling: np.ndarray
    """n times the sampling part of the error there."""
    picture: np.ndarray
    """f averaged over the cells of the picture."""
    people: np.ndarray
    """Of the first n people, how many stand in each cell; a row for each of PEOPLE. See `counts`."""
    moved: tuple = (slice(0), np.empty((len(PEOPLE), 0)))
    """Cells where it is otherwise, and how many stand there."""


def law(shape, wavelet, N, s, p):
    """The `Law` called `shape`; N = n alpha^2, s and p count for the spikes only."""
    if shape != "spikes":
        return _law(shape, wavelet)
    j = density("spikes", n_alpha2=max(N, 3.0), s=s, p=p, wavelet=wavelet).j
    return _spike(wavelet, j, s, p)


@lru_cache(maxsize=64)
def _law(shape, wavelet):
    return _tables(density(shape), wavelet, _masses(shape), _crowd(shape))


@lru_cache(maxsize=32)
def _spike(wavelet, j, s, p):
    """A spike moves people of the plateau from one part of its support to another; all others stay."""
    f = density("spikes", s=s, p=p, wavelet=wavelet, amplitude=SPIKE, level=j)
    masses, people = _masses("plateau").copy(), _crowd("plateau")
    first, last = (f.k << RECORDED) >> j, -(-((f.k + f.basis.overlap) << RECORDED) >> j)
    within, fine = slice(first, last), slice(first << (FINE - RECORDED), last << (FINE - RECORDED))
    masses[fine] = np.diff(f.cdf(np.arange(fine.start, fine.stop + 1) * 2.0**-FINE))
    shares = masses[fine].reshape(-1, 2 ** (FINE - RECORDED)).sum(axis=1)
    joined = np.diff(people[:, within].sum(axis=1), prepend=0)
    rng = np.random.default_rng([SEED, j])
    moved = rng.multinomial(joined, shares / shares.sum()).cumsum(axis=0)
    return _tables(f, wavelet, masses, people, (within, moved))


def _tables(f, wavelet, masses, *people):
    basis = wavelet_basis(wavelet)
    truth = cascade(masses, basis)
    energies = energies_of(masses, truth, f.l2_norm_squared, basis)
    shown = {kind: levels[:FINEST + 1] for kind, levels in truth.items()}
    return Law(f, basis, shown, *energies, masses.reshape(2**DRAWN, -1).sum(axis=1) * 2**DRAWN, *people)


@lru_cache(maxsize=16)
def _masses(shape):
    return density(shape).masses(FINE)


@lru_cache(maxsize=16)
def _crowd(shape):
    """(len(PEOPLE), 2^RECORDED) counts."""
    masses = _masses(shape).reshape(2**RECORDED, -1).sum(axis=1)
    return np.random.default_rng(SEED).multinomial(JOINED, masses / masses.sum()).cumsum(axis=0)


@lru_cache(maxsize=32)
def _noise(kind, j):
    """Noise of scale 1 in the sums of the first n people, (len(PEOPLE), K): a column for each coefficient."""
    rng = np.random.default_rng([SEED, kind == "phi", j])
    # Long enough for the longest wavelet; shorter ones use the first columns.
    columns = 2**j + max(wavelet_basis(name).overlap for name in WAVELETS) - 1
    up, down = rng.standard_gamma(JOINED[:, None], (2, len(JOINED), columns)).cumsum(axis=1)
    return up - down


def counts(law_, n):
    """Of the first n people, how many stand in each cell, (2^RECORDED,)."""
    row, (within, moved) = PEOPLE.index(n), law_.moved
    people = law_.people[row].copy()
    people[within] = moved[row]
    return people


@lru_cache(maxsize=32)
def coefficients(law_, n):
    """Means of the coefficients of the first n people, without noise; as `cascade`."""
    return cascade(counts(law_, n) / n, law_.basis)


def aggregate(mechanism, means, n, private):
    """The sums that the analyst gets from the first n people, a `WaveletAggregate` of `mechanism`."""
    totals = [n * means[band.kind][band.j] for band in mechanism.bands]
    if private:
        row = PEOPLE.index(n)
        totals = [part + scale * _noise(band.kind, band.j)[row, :len(part)]
                  for part, band, scale
                  in zip(totals, mechanism.bands, mechanism.scales_by_level, strict=True)]
    return WaveletAggregate(n, np.concatenate(totals))

"""Where bumps hide best: what makes the exponents of density estimation bend, as numbers.

An adversary hides m bumps gamma psi_jk of one level j on the plateau of a density. They hide if gamma is at
most one noise level, c 2^(a j): reports of people have a = 1/2, for a wavelet of level j is up to
2^(j/2) sup |psi| tall and noise must cover it; people alone have a = 0. The class, a Besov ball of radius L,
allows gamma <= L 2^(-j (s + 1/2 - 1/p)) m^(-1/p), and no density is negative. As in the proofs of
Propositions 2.1 and 2.2 of Butucea, Dubois, Kroll & Saumard (2020), m is as many as fit, or 1; see
`ldp_lib.theory.densities` for the bounds that they prove.

What they cost, m gamma^r ||psi_jk||_r^r, rises with j while all places hide, and falls where a single bump
meets the class. Between these two levels, the *lever*, m falls like 2^(j (1 - p (a + s + 1/2))) and the cost
of one bump rises like 2^(j (a r + r/2 - 1)): with slope (a + 1/2) r - p (a + s + 1/2), which is 0 at the
elbow, `ldp_lib.theory.density_elbows`.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real
from ldp_lib.theory.coefficients import norm_power
from ldp_lib.theory.densities import Plateau
from ldp_lib.wavelets import wavelet_basis


class Bumps(NamedTuple):
    """Equal bumps of one level."""

    level: int
    m: int
    """How many they are."""
    height: float
    loss: float
    """In units of the lever's left end."""


class HiddenBumps(NamedTuple):
    """The bumps that cost most on each of `levels`, (K,), and the lever."""

    levels: np.ndarray
    m: np.ndarray
    """How many there are: as many as fit, or one; (K,)."""
    gamma: np.ndarray
    """The size of their coefficients, (K,)."""
    heights: np.ndarray
    """How high they are, (K,)."""
    loss: np.ndarray
    """m gamma^r ||psi_jk||_r^r, in units of the lever's left end, (K,)."""
    ends: np.ndarray
    """Levels, not whole, at the ends of the lever: where as many bumps as fit meet the class, and one."""
    lever: np.ndarray
    """The loss at both ends, in the same unit."""
    slope: float
    """Of log2 of the loss along the lever."""
    many: Bumps
    """On the level where as many as fit cost most."""
    one: Bumps
    """On the level where one alone costs most."""

    @property
    def best(self):
        """Index of the level that costs most."""
        return int(self.loss.argmax())

    @property
    def level(self):
        """The level that costs most."""
        return int(self.levels[self.best])

    @property
    def bumps(self):
        """How many bumps there are on it."""
        return int(self.m[self.best])

    @property
    def height(self):
        """How high they are."""
        return float(self.heights[self.best])


def hidden_bumps(s, p, r, *, noise, growth, radius, levels, wavelet="db2"):
    """The `HiddenBumps` on the density `Plateau` for the loss ||.||_r^r over a Besov ball.

    Parameters
    ----------
    s, p : float
        Smoothness of the ball and its norm, s + 1/2 > 1/p >= 0.
    r : float
        Of the loss, 1 to 20.
    noise, growth : float
        c > 0 and a >= 0 of the noise level c 2^(a j) of a coefficient of level j.
    radius : float
        Of the ball, for the bumps alone, above `noise`.
    levels : array of int
        Levels to hide on, each with room for one bump.
    wavelet : str
        Name of a `WaveletBasis`.

    Returns
    -------
    HiddenBumps

    Examples
    --------
    >>> private = {"noise": 0.001, "growth": 0.5, "radius": 12.0, "levels": range(5, 11)}
    >>> for p in (3.0, 1.5):
    ...     found = hidden_bumps(1.0, p, 5.0, **private)
    ...     print(found.bumps, found.level, found.slope, "one alone:", found.one.level)
    21 7 -1.0 one alone: 8
    1 10 2.0 one alone: 10
    """
    p, r = real("p", p, least=1), real("r", r, least=1, most=20)
    s, growth = real("s", s, above=1 / p - 0.5), real("growth", growth, least=0)
    noise = real("noise", noise, above=0)
    radius, levels = real("radius", radius, above=noise), np.asarray(levels)
    basis, plateau = wavelet_basis(wavelet), Plateau()
    steep, weight = growth + s + 0.5, s + 0.5 - 1 / p

    def loss(j, m, gamma):
        return m * gamma**r * norm_power(wavelet, r) * 2.0 ** (j * (r / 2 - 1))

    m = np.array([plateau.room(levels, basis.overlap), np.ones(len(levels))])
    tall = 2.0 ** (levels / 2) * basis.psi_max
    gamma = np.minimum(noise * 2.0 ** (growth * levels), plateau.height / tall)
    gamma = np.minimum(gamma, radius * 2.0 ** (-levels * weight) * m ** (-1 / p))
    costs = loss(levels, m, gamma)
    # On the lever bumps are one noise level high, and the class says how many there are.
    room, lid = math.log2(radius / noise), math.log2(plateau.height / basis.psi_max / noise) / (growth + 0.5)
    crowded = math.log2(2 * basis.overlap) / (p * steep) + room / steep
    ends = np.minimum([crowded, room / (steep - 1 / p)], lid)
    hiding = noise * 2.0 ** (growth * ends)
    lever = loss(ends, (radius * 2.0 ** (-ends * weight) / hiding) ** p, hiding)
    found = m, gamma, gamma * tall, costs / lever[0]
    many, one = (Bumps(int(levels[k]), int(m[row, k]), *(float(each[row, k]) for each in found[2:]))
                 for row, k in enumerate(costs.argmax(axis=1)))
    most = (np.where(costs[0] >= costs[1], *both) for both in found)
    return HiddenBumps(levels, *most, ends, lever / lever[0], (growth + 0.5) * r - p * steep, many, one)

"""The hypercube of the lower bound: laws that differ in the signs of little bumps (private Assouad).

Theorem 2.5 of Berrett & Butucea (2019), with the corrections of the errata.  [0, 1/2]^d is cut into q^d
cells of side 1/(2q); the first m of them in lexicographic order are *active*.  An active cell holds the
mass w, uniform on the cube of side 1/(4q) in its middle, where

    eta_sigma(x) = (1 + sigma_i L C_phi q^(-beta)) / 2,

and from there eta returns to 1/2 at the edge of the cell along a bump u.  The mass 1 - m w is uniform on
A0, everything outside the active cells, where eta = 1/2: nothing to learn there.

The bump u is 1 up to radius 1/8, 0 from radius 1/4 on, non-increasing between.  Each profile in `BUMPS` is an
odd increasing function S of [-1, 1] onto itself, and

    u(r) = (1 - S(16 r - 3)) / 2   for 1/8 <= r <= 1/4.

The steepest stretch of given length is the one centred at S = 0, so that the Hölder constant of u
is a maximum over one variable, [u]_beta = 8^beta max_{0 < x <= 1} S(x) / x^beta.

Distances to cell centres are taken in the sup norm, in which balls are cubes, so that box masses are
exact in any dimension; in one dimension nothing changes.  The proof loses nothing: a bump that is Hölder
in the sup norm is Hölder with the same constant in the larger Euclidean norm, and plateau, margin and
separation are those of the paper.

Lexicographic order makes A0 an upper set: with x it contains every x' >= x.  So the support is
(4^-d, 1/2)-regular whatever q, m and w.  About x in A0 the set A0 contains the product of [x_k, 1] for
x_k <= 1/2 and [1/2, 1] for x_k > 1/2, half of every interval about x_k; about x in a cube it contains, with
the cubes, a product of combs that fill a quarter.  Balls are mixtures of such boxes axis by axis.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, points, real, require_memory, whole
from ldp_lib.nature.base import Problem
from ldp_lib.nature.holder import Theta, supremum
from ldp_lib.nature.surveys import Tabulated


def _smooth(x):
    """The profile of exp(-1/t): g(t) / (g(t) + g(1 - t)) with g(t) = exp(-1/t), centred."""
    # At x = 1 the argument is infinite; any number above 20 gives the same float.
    return np.tanh(2.0 * x / np.maximum(1.0 - x**2, 1e-9))


BUMPS = {
    "ramp": lambda x: x,
    "cubic": lambda x: (3.0 * x - x**3) / 2.0,
    "quintic": lambda x: (15.0 * x - 10.0 * x**3 + 3.0 * x**5) / 8.0,
    "exp": _smooth,
}
"""Name -> odd profile S on [-1, 1]; u has 0, 1, 2 and all derivatives continuous."""


class BumpConstants(NamedTuple):
    """What limits the height L C_phi of the bump when eta is to be Hölder with constant L."""

    seminorm: float
    """[u]_beta = sup |u(r) - u(s)| / |r - s|^beta."""
    edge: float
    """K_0 = sup u(r) / (1/4 - r)^beta: how fast u rises from the edge of its cell."""
    c_phi: float
    """1 / [u]_beta, the largest C_phi with phi(x) = L C_phi u(|x|) Hölder, as the paper asks."""
    c_eta: float
    """min(2 / [u]_beta, 2^beta / K_0), the largest C_phi with (1 +- varphi)/2 Hölder for all signs."""


def bump_profile(bump, r):
    """u(r) at radii `r` >= 0, any shape, values in [0, 1]; `bump` is a key of `BUMPS`."""
    profile = BUMPS[choice("bump", bump, BUMPS)]
    return (1.0 - profile(np.clip(16.0 * np.asarray(r, dtype=float) - 3.0, -1.0, 1.0))) / 2.0


def bump_constants(bump, beta):
    """The `BumpConstants` of the profile `bump` for Hölder exponent `beta` in (0, 1].

    c_phi <= c_eta always, because K_0 <= [u]_beta.  For c_eta: inside a cell eta moves half as much
    as varphi; across two cells of opposite signs, at scaled distances s and t from their edges,
    (u + u') / 2 <= K_0 (s^beta + t^beta) / 2 <= K_0 ((s + t) / 2)^beta, with equality at s = t.

    >>> [round(1 / bump_constants(bump, 1.0).c_phi, 9) for bump in BUMPS]
    [8.0, 12.0, 15.0, 16.0]
    """
    return _constants(choice("bump", bump, BUMPS), real("beta", beta, above=0.0, most=1.0))


@lru_cache(maxsize=256)
def _constants(bump, beta):
    profile = BUMPS[bump]
    seminorm = 8.0**beta * supremum(lambda x: profile(x) / x**beta, 1.0)
    edge = 16.0**beta * supremum(lambda t: (1.0 - profile(1.0 - t)) / 2.0 / t**beta, 2.0)
    return BumpConstants(seminorm, edge, 1.0 / seminorm, min(2.0 / seminorm, 2.0**beta / edge))


class Hypercube(Problem):
    """One vertex of the hypercube.

    Parameters
    ----------
    q : cells an axis of [0, 1/2]^d, >= 1.
    m : active cells, 1 <= m <= q^d; None for all.
    w : mass of an active cell, 0 < w <= 1/m; None for (2q)^-d, what the uniform law gives a cell.
    beta : Hölder exponent in (0, 1].
    L : Hölder constant > 0 with L C_phi q^(-beta) <= 1, or eta would leave [0, 1].
    signs : m numbers -1 or 1, in lexicographic order of the cells; None for all 1.
    bump : key of `BUMPS`.
    d : dimension >= 1.
    c_phi : C_phi, 0 < C_phi <= `bump_constants(bump, beta).c_eta`; None for the `c_phi` there, the largest
        for which the bump itself, and not only eta, is Hölder with constant L, as the paper asks.

    Attributes
    ----------
    height : L C_phi q^(-beta), that is |2 eta - 1| on the cubes
    separation : w L C_phi q^(-beta), the integral of |2 eta - 1| over an active cell, which is also the
        total variation distance of two vertices that differ in one sign
    centres : (m, d), the middles of the active cells
    signs : (m,) integers
    """

    def __init__(self, q=4, m=None, w=None, beta=1.0, L=1.0, signs=None, bump="ramp", d=1, c_phi=None):
        self.q, self.d = whole("q", q, most=10**9), whole("d", d, most=30, cure="There are q^d cells.")
        cells, shape = self.q**self.d, (self.q,) * self.d
        require_memory(f"A hypercube with q^d = {self.q}^{self.d} cells", 64 * (self.q + 1) ** self.d,
                       "Lower q or d.")
        self.m = cells if m is None else whole("m", m, most=cells, cure="There are q^d cells.")
        self.w = (2.0 * self.q) ** -self.d if w is None else real("w", w, above=0.0)
        if self.m * self.w > 1.0:
            raise ValueError(
                f"w = {self.w:g} is out of range; it must satisfy 0 < w <= 1/m = {1 / self.m:g}, "
                "or the active cells would hold more than everybody. Lower w or m."
            )
        self.beta = real("beta", beta, above=0.0, most=1.0)
        constants = bump_constants(bump, self.beta)
        self.c_phi = constants.c_phi
        if c_phi is not None:
            cure = "Higher bumps would break the Hölder condition."
            self.c_phi = real("c_phi", c_phi, above=0.0, most=constants.c_eta, cure=cure)
        self.bump = bump
        steepest = self.q**self.beta / self.c_phi
        self.L = real("L", L, above=0.0, most=steepest, cure="Steeper bumps would leave [0, 1]; raise q.")
        self.height = self.L / steepest
        self.separation = self.w * self.height
        self.signs = _signs(signs, self.m)
        index = np.unravel_index(np.arange(self.m), shape)
        self.centres = (2.0 * np.stack(index, axis=1) + 1.0) / (4.0 * self.q)
        self._sign_of_cell = np.zeros(shape)
        self._sign_of_cell[index] = self.signs
        self._outside = 1.0 - self.m * (2.0 * self.q) ** -self.d
        self._rest = 1.0 - self.m * self.w
        # Mass of the active cells with all weights 1, those of sign +1 counted as positive: stretching
        # cells, or the cubes inside them, to bins turns the areas wanted into masses of this table.
        self._table = Tabulated("active cells", self._sign_of_cell != 0, self._sign_of_cell > 0, {})
        chosen = None if signs is None else tuple(self.signs.tolist())
        self.params = self.params | {"signs": chosen, "c_phi": c_phi}

    def margin_constant(self, gamma):
        """Smallest C0 for which the margin condition holds with exponent `gamma` >= 0.

        |eta(X) - 1/2| is height/2 with probability m w and else 0, so that C0 = m w (height/2)^-gamma.
        """
        gamma = real("gamma", gamma, least=0.0)
        return self.m * self.w * (self.height / 2.0) ** -gamma

    def margin_law(self, t):
        """P(0 < |eta(X) - 1/2| <= t), any shape, exact."""
        return self.m * self.w * (np.asarray(t, dtype=float) >= self.height / 2.0)

    def theta(self, gamma):
        """A class P(theta) with margin exponent `gamma` >= 0 that contains this vertex and all others.

        mu is 0 if m w = 1: then A0 is no part of the support, and nothing is claimed about what is left.
        """
        gamma = real("gamma", gamma, least=0.0)
        mu = min(self.w * (4.0 * self.q) ** self.d, self._rest / self._outside)
        return Theta(self.beta, gamma, self.d, self.L, self.margin_constant(gamma), 4.0**-self.d, mu, 0.5)

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,); 1/2 outside the active cells."""
        sign, radius = self._cell(points("X", X, self.d))
        return (1.0 + sign * self.height * bump_profile(self.bump, radius)) / 2.0

    def _density(self, X):
        sign, radius = self._cell(X)
        cube = self.w * (4.0 * self.q) ** self.d * (radius <= 0.125)
        return np.where(sign != 0.0, cube, self._rest / self._outside)

    def _cell(self, X):
        """Sign of the cell of each row, 0 if it is not active, and q times the distance to its centre."""
        index = np.floor(2.0 * self.q * np.clip(X, 0.0, 1.0)).astype(int)
        nearest = np.minimum(index, self.q - 1)
        sign = np.where((index < self.q).all(axis=1), self._sign_of_cell[tuple(nearest.T)], 0.0)
        return sign, np.abs(self.q * np.clip(X, -1.0, 2.0) - (2.0 * nearest + 1.0) / 4.0).max(axis=1)

    def _points(self, n, rng):
        X = super()._points(n, rng)
        active = rng.random(n) < self.m * self.w
        cell = rng.integers(self.m, size=np.count_nonzero(active))
        X[active] = self.centres[cell] + (X[active] - 0.5) / (4.0 * self.q)
        # At least half of the unit cube is outside the active cells, so that few draws are repeated.
        repeat = np.flatnonzero(~active)
        while (repeat := repeat[self._cell(X[repeat])[0] != 0.0]).size:
            X[repeat] = rng.random((repeat.size, self.d))
        return X

    def _masses(self, lower, upper):
        cells = self._table.cell_masses(np.minimum(2.0 * lower, 1.0), np.minimum(2.0 * upper, 1.0))[0]
        within = cells * (1.0 - self._outside)
        rest = ((upper - lower).prod(axis=-1) - within) * self._rest / self._outside
        # The mass of the cubes in each box, and of those with sign +1.
        cubes, plus = (self.m * self.w * mass for mass in
                       self._table.cell_masses(self._stretch(lower), self._stretch(upper)))
        q = (cubes + rest) / 2.0 + self.height * (plus - cubes / 2.0)
        return cubes + rest, q, self.height * cubes

    def _stretch(self, x):
        """The map of [0, 1] that stretches cubes to bins of width 1/q and what is between them to nothing."""
        cell = np.minimum(np.floor(2.0 * self.q * x), self.q - 1.0)
        return (cell + np.clip(4.0 * self.q * x - 2.0 * cell - 0.5, 0.0, 1.0)) / self.q


def _signs(signs, m):
    if signs is None:
        return np.ones(m, dtype=np.int64)
    values = np.asarray(signs)
    if values.shape != (m,):
        raise ValueError(f"signs has shape {values.shape}; it must be ({m},), -1 or 1 for each active cell.")
    odd = [value for value in values.tolist() if isinstance(value, bool) or value not in (-1, 1)]
    if odd:
        raise ValueError(f"signs contains {odd[0]!r:.60}; every sign must be -1 or 1.")
    return values.astype(np.int64)

"""The hypercube of the lower bound: laws that differ in the signs of little bumps (private Assouad).

Theorem 2.5 of Berrett & Butucea (2019), with the corrections of the errata.  [0, 1/2]^d is cut into q^d
cells of side 1/(2q); the first m of them in lexicographic order are *active*.  An active cell holds the
mass w, uniform on the cube of side 1/(4q) in its middle, where

    eta_sigma(x) = (1 + sigma_i L C_phi q^(-beta)) / 2,

and from there eta returns to 1/2 at the edge of the cell along the bump of `ldp_lib.nature.bumps`.  The mass
1 - m w is uniform on A0, everything outside the active cells, where eta = 1/2: nothing to learn there.

Distances to cell centres are taken in the sup norm, in which balls are cubes, so that box masses are
exact in any dimension; in one dimension nothing changes.  The proof loses nothing: a bump that is Hölder
in the sup norm is Hölder with the same constant in the larger Euclidean norm, and plateau, margin and
separation are those of the paper.

Lexicographic order makes A0 an upper set: with x it contains every x' >= x.  So the support is
(4^-d, 1/2)-regular whatever q, m and w.  About x in A0 the set A0 contains the product of [x_k, 1] for
x_k <= 1/2 and [1/2, 1] for x_k > 1/2, half of every interval about x_k; about x in a cube it contains, with
the cubes, a product of combs that fill a quarter.  Balls are mixtures of such boxes axis by axis.
"""

import numpy as np

from ldp_lib._arguments import points, real, require_memory, whole
from ldp_lib.nature.base import Problem
from ldp_lib.nature.bumps import bump_constants, bump_profile
from ldp_lib.nature.holder import Theta
from ldp_lib.nature.tables import Tabulated


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
    bump : key of `ldp_lib.nature.bumps.BUMPS`.
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
        self.q, d = whole("q", q, most=10**9), whole("d", d, most=30, cure="There are q^d cells.")
        require_memory(f"A hypercube with q^d = {self.q}^{d} cells", 64 * self.q**d, "Lower q or d.")
        self.m = self.q**d if m is None else whole("m", m, most=self.q**d, cure="There are q^d cells.")
        self.w = (2.0 * self.q) ** -d if w is None else real("w", w, above=0.0)
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
        index = np.unravel_index(np.arange(self.m), (self.q,) * d)
        self.centres = (2.0 * np.stack(index, axis=1) + 1.0) / (4.0 * self.q)
        self._sign_of_cell = np.zeros((self.q,) * d)
        self._sign_of_cell[index] = self.signs
        self._outside = 1.0 - self.m * (2.0 * self.q) ** -d
        self._rest = 1.0 - self.m * self.w
        # Mass of the active cells with all weights 1, those of sign +1 counted as positive: stretching
        # cells, or the cubes inside them, to bins turns the areas wanted into masses of this table.
        self._table = Tabulated("active cells", self._sign_of_cell != 0, self._sign_of_cell > 0, {})
        chosen = None if signs is None else tuple(self.signs.tolist())
        params = {"q": self.q, "m": self.m, "w": self.w, "beta": self.beta, "L": self.L, "signs": chosen}
        super().__init__("hypercube", d, params | {"bump": bump, "d": d, "c_phi": c_phi})

    def flip(self, k):
        """The neighbouring vertex: the same problem with sign `k` changed, 0 <= k < m."""
        k = whole("k", k, least=0, most=self.m - 1)
        signs = self.signs.copy()
        signs[k] = -signs[k]
        return Hypercube(**self.params | {"signs": signs})

    def margin_constant(self, gamma):
        """Smallest C0 for which the margin condition holds with exponent `gamma` >= 0.

        |eta(X) - 1/2| is height/2 with probability m w and else 0, so that C0 = m w (height/2)^-gamma.
        """
        gamma = real("gamma", gamma, least=0.0)
        return self.m * self.w * (self.height / 2.0) ** -gamma

    def theta(self, gamma):
        """A class P(theta) with margin exponent `gamma` >= 0 that contains this vertex and all others.

        mu is 0 if m w = 1: then A0 is no part of the support, and nothing is claimed about what is left.
        """
        gamma = real("gamma", gamma, least=0.0)
        mu = min(self.w * (4.0 * self.q) ** self.d, self._rest / self._outside)
        return Theta(self.beta, gamma, self.margin_constant(gamma), self.L, 4.0**-self.d, 0.5, mu)

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,); 1/2 outside the active cells."""
        sign, radius = self._cell(points("X", X, self.d))
        return (1.0 + sign * self.height * bump_profile(self.bump, radius)) / 2.0

    def density(self, X):
        """Density of X at each row, shape (n, d) -> (n,)."""
        X = points("X", X, self.d)
        sign, radius = self._cell(X)
        cube = self.w * (4.0 * self.q) ** self.d * (radius <= 0.125)
        inside = ((X >= 0.0) & (X <= 1.0)).all(axis=1)
        return inside * np.where(sign != 0.0, cube, self._rest / self._outside)

    def _cell(self, X):
        """Sign of the cell of each row, 0 if it is not active, and q times the distance to its centre."""
        index = np.floor(2.0 * self.q * np.clip(X, 0.0, 1.0)).astype(int)
        nearest = np.minimum(index, self.q - 1)
        sign = np.where((index < self.q).all(axis=1), self._sign_of_cell[tuple(nearest.T)], 0.0)
        return sign, np.abs(self.q * np.clip(X, -1.0, 2.0) - (2.0 * nearest + 1.0) / 4.0).max(axis=1)

    def _draw(self, n, rng):
        X = rng.random((n, self.d))
        active = rng.random(n) < self.m * self.w
        cell = rng.integers(self.m, size=np.count_nonzero(active))
        X[active] = self.centres[cell] + (X[active] - 0.5) / (4.0 * self.q)
        # At least half of the unit cube is outside the active cells, so that few draws are repeated.
        repeat = np.flatnonzero(~active)
        while (repeat := repeat[self._cell(X[repeat])[0] != 0.0]).size:
            X[repeat] = rng.random((repeat.size, self.d))
        return X, rng.random(n) < self.eta(X)

    def _masses(self, lower, upper):
        cells = self._table.cell_masses(np.minimum(2.0 * lower, 1.0), np.minimum(2.0 * upper, 1.0))[0]
        within = cells * (1.0 - self._outside)
        rest = ((upper - lower).prod(axis=-1) - within) * self._rest / self._outside
        cubes, plus = self._cubes(lower, upper)
        return cubes + rest, (cubes + rest) / 2.0 + self.height * (plus - cubes / 2.0)

    def _margin(self, lower, upper):
        return self.height * self._cubes(lower, upper)[0]

    def _cubes(self, lower, upper):
        """Mass of the cubes in each box, and of those with sign +1."""
        masses = self._table.cell_masses(self._stretch(lower), self._stretch(upper))
        return [self.m * self.w * mass for mass in masses]

    def _stretch(self, x):
        """The map of [0, 1] that stretches cubes to bins of width 1/q and what is between them to nothing."""
        cell = np.minimum(np.floor(2.0 * self.q * x), self.q - 1.0)
        return (cell + np.clip(4.0 * self.q * x - 2.0 * cell - 0.5, 0.0, 1.0)) / self.q


def _signs(signs, m):
    """The signs as an int64 array of shape (m,)."""
    if signs is None:
        return np.ones(m, dtype=np.int64)
    values = np.asarray(signs)
    if values.shape != (m,):
        raise ValueError(f"signs has shape {values.shape}; it must be ({m},), -1 or 1 for each active cell.")
    if values.dtype.kind not in "iuf" or not np.isin(values, (-1, 1)).all():
        odd = next((value for value in values.tolist() if value not in (-1, 1)), values.dtype)
        raise ValueError(f"signs contains {odd!r:.60}; every sign must be -1 or 1.")
    return values.astype(np.int64)

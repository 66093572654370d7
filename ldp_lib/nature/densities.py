"""Densities on [0, 1] whose smoothness in the sense of Besov is known, and one of real people.

`smoothness(p)` counts the ends of [0, 1] too: a density that does not vanish there jumps, as
a function on the line, and has s = 1/p.
"""

import math

import numpy as np
from scipy.special import ndtr

from ldp_lib._arguments import choice, real, whole
from ldp_lib.nature.density_base import Density
from ldp_lib.nature.surveys import load_departures
from ldp_lib.wavelets import wavelet_basis


class Steps(Density):
    """Constant between `edges`, (m + 1,) from 0 to 1; `weights` (m,) are the probabilities. s = 1/p."""

    def __init__(self, name, params, edges, weights):
        super().__init__(name, params)
        self.edges, self.weights = np.asarray(edges, dtype=float), weights / np.sum(weights)
        self.heights = self.weights / np.diff(self.edges)
        self._at_edges = np.concatenate([[0.0], np.cumsum(self.weights)])
        self.sup_norm = float(self.heights.max())
        self.l2_norm_squared = float(self.weights @ self.heights)

    def _cell(self, x):
        return np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.heights) - 1)

    def _pdf(self, x):
        return self.heights[self._cell(x)]

    def _cdf(self, x):
        return np.interp(x, self.edges, self._at_edges)

    def _draw(self, n, rng):
        cell = rng.choice(len(self.weights), size=n, p=self.weights)
        return self.edges[cell] + rng.random(n) * np.diff(self.edges)[cell]

    def _smoothness(self, p):
        """1/p: jumps."""
        return 1 / p


def uniform():
    """f = 1: two jumps, at 0 and 1; its level energies are exactly 2^-j times a constant, s = 1/2 for p =
    2."""
    return Steps("uniform", {}, [0.0, 1.0], np.ones(1))


def jumps():
    """Heights 0.5, 1.6, 0.9 on thirds of [0, 1]: four jumps, two of them between the points of every dyadic
    grid."""
    return Steps("jumps", {}, np.arange(4) / 3, np.array([0.5, 1.6, 0.9]))


def departures(which="actual"):
    """Departures from New York's airports in 2013 by minute of the day over 1440; `which` = "actual" or
    "scheduled"."""
    counts = getattr(load_departures(), choice("which", which, ("actual", "scheduled")))
    return Steps("departures", {"which": which}, np.arange(1441) / 1440, counts)


class Smooth(Density):
    """(8/3) sin^4(pi x) = 1 - (4/3) cos(2 pi x) + (1/3) cos(4 pi x): its fourth derivative jumps, s = 4 +
    1/p."""

    sup_norm, l2_norm_squared = 8 / 3, 1 + 8 / 9 + 1 / 18

    def __init__(self):
        super().__init__("smooth", {})

    def _pdf(self, x):
        return 8 / 3 * np.sin(np.pi * x) ** 4

    def _cdf(self, x):
        return x - 2 / (3 * np.pi) * np.sin(2 * np.pi * x) + np.sin(4 * np.pi * x) / (12 * np.pi)

    def _smoothness(self, p):
        """4 + 1/p."""
        return 4 + 1 / p


class Kink(Density):
    """The tent 4 min(x, 1 - x): kinks at 0, 1/2 and 1, s = 1 + 1/p."""

    sup_norm, l2_norm_squared = 2.0, 4 / 3

    def __init__(self):
        super().__init__("kink", {})

    def _pdf(self, x):
        return 4 * np.minimum(x, 1 - x)

    def _cdf(self, x):
        return np.where(x < 0.5, 2 * x**2, 1 - 2 * (1 - x) ** 2)

    def _smoothness(self, p):
        """1 + 1/p."""
        return 1 + 1 / p


class Semicircle(Density):
    """(8/pi) sqrt(x (1 - x)): square roots at 0 and 1, s = 1/2 + 1/p."""

    sup_norm, l2_norm_squared = 4 / np.pi, 64 / (6 * np.pi**2)

    def __init__(self):
        super().__init__("semicircle", {})

    def _pdf(self, x):
        return 8 / np.pi * np.sqrt(x * (1 - x))

    def _cdf(self, x):
        angle = 2 * np.arcsin(np.sqrt(x))
        return (angle - np.sin(2 * angle) / 2) / np.pi

    def _smoothness(self, p):
        """1/2 + 1/p."""
        return 0.5 + 1 / p


class Claw(Density):
    """Marron & Wand (1992), no. 10, cut to [-4, 4] and moved to [0, 1] by x = (z + 4)/8.

    Half a standard normal plus five fingers N(m/2 - 1, 1/100), m = 0, ..., 4, of weight 1/10. The cut
    leaves jumps of 5e-4 at the ends, so that s = 1/p on paper.
    """

    means = np.array([0.0, -1.0, -0.5, 0.0, 0.5, 1.0])
    spreads = np.array([1.0, 0.1, 0.1, 0.1, 0.1, 0.1])
    weights = np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])

    def __init__(self):
        super().__init__("claw", {})
        ends = self._total(np.array([-4.0, 4.0]))
        self._start, self._mass = ends[0], ends[1] - ends[0]
        self.sup_norm = float(self._pdf(np.array(0.5))) * 1.001
        spread = np.hypot(self.spreads, self.spreads[:, None])
        gap = (self.means - self.means[:, None]) / spread
        # Outside [-4, 4] there is less than 1e-8 of the integral of the square.
        product = np.exp(-(gap**2) / 2) / (spread * np.sqrt(2 * np.pi))
        self.l2_norm_squared = float(8 / self._mass**2 * self.weights @ product @ self.weights)

    def _total(self, z):
        return ndtr((z[..., None] - self.means) / self.spreads) @ self.weights

    def _pdf(self, x):
        gap = (8 * x[..., None] - 4 - self.means) / self.spreads
        return 8 / self._mass * np.exp(-(gap**2) / 2) @ (self.weights / self.spreads) / np.sqrt(2 * np.pi)

    def _cdf(self, x):
        return (self._total(8 * x - 4) - self._start) / self._mass

    def _smoothness(self, p):
        """1/p, because of the cut."""
        return 1 / p


class Plateau(Density):
    """4/3 on [1/4, 3/4], with flanks as smooth as `Smooth`: the uniform law on [0, 3/4] plus a `Smooth` over
    4.

    s = 5 + 1/p. The base on which the lower bounds put their wavelets.
    """

    width = 0.25
    sup_norm = 4 / 3

    def __init__(self):
        super().__init__("plateau", {})
        # On a flank of width w, f = F(x/w)/(1 - w) with F the distribution function of Smooth.
        square = 1 / 3 + 1 / (3 * np.pi**2) * 2 + (2 / (3 * np.pi)) ** 2 / 2 + (1 / (12 * np.pi)) ** 2 / 2 \
            - 1 / (24 * np.pi**2)
        self.l2_norm_squared = float((1 - 2 * self.width + 2 * self.width * square) / (1 - self.width) ** 2)

    def _pdf(self, x):
        flank = np.minimum(np.minimum(x, 1 - x) / self.width, 1.0)
        return np.maximum(Smooth()._cdf(flank), 0.0) / (1 - self.width)

    def _cdf(self, x):
        rising = _smooth_primitive(np.minimum(x / self.width, 1.0)) * self.width + np.maximum(x - self.width,
                                                                                              0.0)
        falling = self.width * _smooth_primitive(np.maximum((x - 1) / self.width + 1, 0.0))
        return (rising - falling) / (1 - self.width)

    def _smoothness(self, p):
        """5 + 1/p."""
        return 5 + 1 / p


def _smooth_primitive(x):
    """The integral of the distribution function of `Smooth` from 0 to x, 0 <= x <= 1."""
    return x**2 / 2 + (np.cos(2 * np.pi * x) - 1) / (3 * np.pi**2) - (np.cos(4 * np.pi * x)
                                                                      - 1) / (48 * np.pi**2)


class Spikes(Density):
    """One wavelet on a plateau, gamma psi_jk, whose width follows the effective sample: hard in the sparse
    regime.

    2^j = (N / log N)^(1/(2 (s + 1 - 1/p))), rounded to a whole j, with N = `n_alpha2`, and gamma =
    `amplitude` * 2^(-j (s + 1/2 - 1/p)), made smaller where needed so that f >= 0: the ball of B^s_p holds
    the whole family (Butucea, Dubois, Kroll & Saumard, 2020, Proposition 2.2).

    n_alpha2 : N = n alpha^2 (or n (e^alpha - 1)^2), > e.  s > 1/p.  p >= 1.  amplitude > 0.
    wavelet : name of the wavelet of the spike, in the middle of [0, 1].
    level : j itself, whatever N is, for the other members of the family; None for that of the formula.
    """

    def __init__(self, n_alpha2=1e5, s=2.0, p=1.0, amplitude=1.0, wavelet="db2", level=None):
        self.p = real("p", p, least=1)
        self.s = real("s", s, above=1 / self.p, cure="The sparse regime asks for s > 1/p.")
        N = real("n_alpha2", n_alpha2, above=math.e)
        super().__init__("spikes",
                         {"n_alpha2": n_alpha2, "s": s, "p": p, "amplitude": amplitude, "wavelet": wavelet,
                                    "level": level})
        self.basis, self._base = wavelet_basis(wavelet), Plateau()
        narrow = math.ceil(math.log2(2 * (self.basis.overlap + 1)))
        if level is None:
            level = max(narrow, round(math.log2(N / math.log(N)) / (2 * (self.s + 1 - 1 / self.p))))
        self.j = whole("level", level, least=narrow, most=17, cure="The spike must fit on the plateau.")
        self.k = 2 ** (self.j - 1) - self.basis.overlap // 2
        lid = 4 / 3 * 2.0 ** (-self.j / 2) / self.basis.psi_max
        self.gamma = min(real("amplitude", amplitude, above=0)
                         * 2.0 ** (-self.j * (self.s + 0.5 - 1 / self.p)), lid)
        self.sup_norm = 4 / 3 + self.gamma * 2.0 ** (self.j / 2) * self.basis.psi_max
        # On the plateau the base is constant, and psi integrates to 0.
        self.l2_norm_squared = self._base.l2_norm_squared + self.gamma**2

    def _pdf(self, x):
        return np.maximum(self._base._pdf(x) + self.gamma * self.basis.wavelet(x, self.j, self.k), 0.0)

    def _cdf(self, x):
        spike = self.basis.integral("psi", np.ldexp(x, self.j) - self.k)
        return self._base._cdf(x) + self.gamma * 2.0 ** (-self.j / 2) * spike

    def _smoothness(self, p):
        """s - 1/self.p + 1/p: what keeps the Besov norms of the family, not of one member, bounded."""
        return self.s - 1 / self.p + 1 / p

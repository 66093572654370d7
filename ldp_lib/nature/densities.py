"""Densities on [0, 1] whose smoothness in the sense of Besov is known, and one of real people.

`smoothness(p)` counts the ends of [0, 1] too: a density that does not vanish there jumps, as
a function on the line, and has s = 1/p.

The shapes of Donoho & Johnstone (1994, Table 1), "blocks", "bumps", "heavisine" and "doppler", are lifted
above zero and normalised: f = (lift + shape) / Z. The lift leaves jumps at 0 and 1, so that all of them have
s = 1/p.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod

import numpy as np
import pywt
import scipy
from numpy.typing import ArrayLike
from scipy.special import ndtr

from ldp_lib._arguments import Randomness, choice, exponent, places, real, rescaled, whole
from ldp_lib._rounding import canonical
from ldp_lib.nature.base import Law, build
from ldp_lib.nature.surveys import load_departures
from ldp_lib.wavelets import WaveletBasis, wavelet_basis

FINE_LEVEL = 18
"""Coefficients are those of the averages over 2^18 cells of [0, 1], whose masses are exact."""


class Density(Law):
    """A density f on its domain, 0 elsewhere: [0, 1], unless somebody's own law has another one.

    `pdf`, `cdf` and `sample` are in the units of the domain. All else, `masses` and the attributes below too,
    belongs to the variable rescaled to [0, 1].

    Attributes
    ----------
    domain : (lower, upper).
    sup_norm : sup f, or a bound at most 1% above it.
    l2_norm_squared : the integral of f^2.
    breaks : points inside (0, 1) between which f is smooth, for this integral.
    regularity : what `smoothness` adds to 1/p.

    >>> from ldp_lib.nature import density
    >>> law = density("kink")
    >>> law.cdf([0.25, 0.5]).tolist(), law.sup_norm, law.masses(2).tolist()
    ([0.125, 0.5], 2.0, [0.125, 0.375, 0.375, 0.125])
    """

    kind = "density"
    _bytes = 32.0
    domain = (0.0, 1.0)
    sup_norm: float
    regularity = 0
    breaks = np.empty(0)

    @abstractmethod
    def _pdf(self, x):
        """f at points of [0, 1]."""

    @abstractmethod
    def _cdf(self, x):
        """The integral of f from 0 to points of [0, 1]."""

    @functools.cached_property
    def l2_norm_squared(self) -> float:
        """The integral of f^2, by `quadrature` unless there is a formula."""
        x, weights = quadrature(self.breaks)
        return float(weights @ self._pdf(x) ** 2)

    def smoothness(self, p: float) -> float:
        """The largest s with f in the Besov space B^s_{p, infinity} of the line, 1 <= p <= infinity.

        It is `regularity` + 1/p. A density that jumps, if only at 0 or 1, has s = 1/p.
        """
        return self.regularity + 1 / exponent("p", p)

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """f at the points x, any shape."""
        x, (lower, upper) = places("x", x), self.domain
        heights = self._pdf(rescaled(x, lower, upper)) / (upper - lower)
        return np.where((x >= lower) & (x <= upper), heights, 0.0)

    def cdf(self, x: ArrayLike) -> float | np.ndarray:
        """P(X <= x) at the points x, any shape."""
        return self._below(rescaled(places("x", x), *self.domain))

    def _below(self, u):
        return np.clip(self._cdf(u), 0.0, 1.0)

    def sample(self, n: int, *, rng: Randomness) -> np.ndarray:
        """Draw n independent people, (n,), exactly from the law; see `Law.sample`."""
        lower, upper = self.domain
        return np.minimum(lower + (upper - lower) * super().sample(n, rng=rng), upper)

    def _draw(self, n, rng):
        """Rejection: a uniform point under the lid sup f is kept if it is under f."""
        kept = np.empty(0)
        while len(kept) < n:
            x = rng.random(int((n - len(kept)) * canonical(self.sup_norm) * 1.05) + 16)
            kept = np.concatenate([kept, x[rng.random(len(x)) * self.sup_norm < self._pdf(x)]])
        return kept[:n]

    def masses(self, level: int) -> np.ndarray:
        """P(k 2^-level <= U < (k + 1) 2^-level), U = X rescaled to [0, 1], k = 0, ..., 2^level - 1."""
        level = whole("level", level, least=0, most=24)
        return np.maximum(np.diff(self._below(np.arange(2**level + 1) * 2.0**-level)), 0.0)

    def coefficients(self, basis: WaveletBasis, j: int, kind: str = "psi") -> np.ndarray:
        """All wavelet coefficients of level j that are not 0: the integrals of f psi_jk, or f phi_jk.

        j : 0 to 17.

        Returns an array over k in `basis.translates(j)`. f is replaced by its averages over 2^18 cells: for
        j <= 8 the error is below 1e-6 (below 1e-5 for bumps and departures), and below 1e-9 for smooth
        densities.
        """
        j = whole("j", j, least=0, most=FINE_LEVEL - 1)
        return self._cascade(basis)[choice("kind", kind, ("phi", "psi"))][j]

    @functools.lru_cache(maxsize=8)
    def _cascade(self, basis):
        return cascade(self.masses(FINE_LEVEL), basis)


def cascade(masses, basis):
    """All coefficients of the density that is constant in 2^M cells of [0, 1], by the fast wavelet transform.

    masses : of the cells, (2^M,), with any sum. Returns {"phi": [level 0, ..., level M],
    "psi": [level 0, ..., level M - 1]}, each level over `basis.translates(level)`.
    """
    fine = len(masses).bit_length() - 1
    # A piecewise constant f sees the fine father only through its integrals over cells.
    fathers = 2.0 ** (fine / 2) * np.convolve(masses, basis.cell_weights[::-1])
    levels = {"phi": [fathers], "psi": []}
    for _ in range(fine):
        for kind, level in zip(("phi", "psi"), pywt.dwt(levels["phi"][0], basis.name, "zero"), strict=True):
            levels[kind].insert(0, level)
    return levels


def quadrature(breaks, panels=2048, order=8):
    """Gauss-Legendre points x and weights on [0, 1], in u with x = sin^2(pi u / 2), which undoes square roots
    at the ends."""
    edges = np.union1d(np.linspace(0.0, 1.0, panels + 1), 2 / np.pi * np.arcsin(np.sqrt(breaks)))
    node, weight = np.polynomial.legendre.leggauss(order)
    half = np.diff(edges)[:, None] / 2
    u = (edges[:-1, None] + half * (1 + node)).ravel()
    return np.sin(np.pi * u / 2) ** 2, np.pi / 2 * np.sin(np.pi * u) * (half * weight).ravel()


class Steps(Density):
    """Constant between `edges`, (m + 1,) from 0 to 1; `weights` (m,) are the probabilities. s = 1/p."""

    def __init__(self, name, params, edges, weights):
        self.name, self.params = name, params
        self.edges, self.weights = np.asarray(edges, dtype=float), weights / np.sum(weights)
        self.heights = self.weights / np.diff(self.edges)
        self._at_edges = np.concatenate([[0.0], np.cumsum(self.weights)])
        self.sup_norm = float(self.heights.max())
        self.l2_norm_squared = float(self.weights @ self.heights)

    def _pdf(self, x):
        cell = np.searchsorted(self.edges, x, side="right") - 1
        return self.heights[np.clip(cell, 0, len(self.heights) - 1)]

    def _cdf(self, x):
        return np.interp(x, self.edges, self._at_edges)

    def _draw(self, n, rng):
        cell = rng.choice(len(self.weights), size=n, p=self.weights)
        return self.edges[cell] + rng.random(n) * np.diff(self.edges)[cell]


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

    regularity = 4
    sup_norm, l2_norm_squared = 8 / 3, 1 + 8 / 9 + 1 / 18

    def _pdf(self, x):
        return 8 / 3 * np.sin(np.pi * x) ** 4

    def _cdf(self, x):
        return x - 2 / (3 * np.pi) * np.sin(2 * np.pi * x) + np.sin(4 * np.pi * x) / (12 * np.pi)


class Kink(Density):
    """The tent 4 min(x, 1 - x): kinks at 0, 1/2 and 1, s = 1 + 1/p."""

    regularity = 1
    sup_norm, l2_norm_squared = 2.0, 4 / 3

    def _pdf(self, x):
        return 4 * np.minimum(x, 1 - x)

    def _cdf(self, x):
        return np.where(x < 0.5, 2 * x**2, 1 - 2 * (1 - x) ** 2)


class Semicircle(Density):
    """(8/pi) sqrt(x (1 - x)): square roots at 0 and 1, s = 1/2 + 1/p."""

    regularity = 0.5
    sup_norm, l2_norm_squared = 4 / np.pi, 64 / (6 * np.pi**2)

    def _pdf(self, x):
        return 8 / np.pi * np.sqrt(x * (1 - x))

    def _cdf(self, x):
        angle = 2 * np.arcsin(np.sqrt(x))
        return (angle - np.sin(2 * angle) / 2) / np.pi


class Claw(Density):
    """Marron & Wand (1992), no. 10, cut to [-4, 4] and moved to [0, 1] by x = (z + 4)/8.

    Half a standard normal plus five fingers N(m/2 - 1, 1/100), m = 0, ..., 4, of weight 1/10. The cut
    leaves jumps of 5e-4 at the ends, so that s = 1/p on paper.
    """

    parts = ((0.5, 0.0, 1.0), *((0.1, m / 2 - 1, 0.1) for m in range(5)))
    """Weight, mean and standard deviation of each normal law."""

    def __init__(self):
        ends = self._total(np.array([-4.0, 4.0]))
        self._start, self._mass = ends[0], ends[1] - ends[0]
        self.sup_norm = float(self._pdf(np.array(0.5))) * 1.001

    # Part by part: an axis of six in numpy's innermost loop takes four times as long.
    def _total(self, z):
        return sum(weight * ndtr((z - mean) / spread) for weight, mean, spread in self.parts)

    def _pdf(self, x):
        z = 8 * x - 4
        heights = (weight / spread * np.exp(-(((z - mean) / spread) ** 2) / 2)
                   for weight, mean, spread in self.parts)
        return 8 / (self._mass * np.sqrt(2 * np.pi)) * sum(heights)

    def _cdf(self, x):
        return (self._total(8 * x - 4) - self._start) / self._mass


class Plateau(Density):
    """4/3 on [1/4, 3/4], with flanks as smooth as `Smooth`: the uniform law on [0, 3/4] plus a `Smooth` over
    4.

    s = 5 + 1/p. The base on which the lower bounds put their wavelets.
    """

    regularity = 5
    width = 0.25
    breaks = np.array([width, 1 - width])
    sup_norm = 4 / 3

    def _pdf(self, x):
        flank = np.minimum(np.minimum(x, 1 - x) / self.width, 1.0)
        return np.maximum(Smooth()._cdf(flank), 0.0) / (1 - self.width)

    def _cdf(self, x):
        flat = np.maximum(x - self.width, 0.0)
        rising = self.width * _smooth_primitive(np.minimum(x / self.width, 1.0)) + flat
        falling = self.width * _smooth_primitive(np.maximum((x - 1) / self.width + 1, 0.0))
        return (rising - falling) / (1 - self.width)


def _smooth_primitive(x):
    """The integral of the distribution function of `Smooth` from 0 to x, 0 <= x <= 1."""
    slow, fast = np.cos(2 * np.pi * x) - 1, np.cos(4 * np.pi * x) - 1
    return x**2 / 2 + slow / (3 * np.pi**2) - fast / (48 * np.pi**2)


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
        self.n_alpha2, self.amplitude, self.wavelet, self.level = n_alpha2, amplitude, wavelet, level
        # What keeps the Besov norms of the family, not of one member, bounded.
        self.regularity = self.s - 1 / self.p
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


PLACES = np.array([0.1, 0.13, 0.15, 0.23, 0.25, 0.40, 0.44, 0.65, 0.76, 0.78, 0.81])
LARGEST_LIFT = 1e6
"""Beyond, the shape would drown in rounding errors."""
BLOCK_HEIGHTS = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
BUMP_HEIGHTS = np.array([4, 5, 3, 4, 5, 4.2, 2.1, 4.3, 3.1, 5.1, 4.2])
BUMP_WIDTHS = np.array([0.005, 0.005, 0.006, 0.01, 0.01, 0.03, 0.01, 0.01, 0.005, 0.008, 0.005])


def blocks(lift=3.0):
    """Eleven jumps; the lowest block is -2, so that the lift must exceed 2."""
    lift = real("lift", lift, above=2, most=LARGEST_LIFT)
    edges = np.concatenate([[0.0], PLACES, [1.0]])
    heights = np.concatenate([[0.0], np.cumsum(BLOCK_HEIGHTS)]) + lift
    return Steps("blocks", {"lift": lift}, edges, heights * np.diff(edges))


class Shape(Density):
    """(lift + shape(x)) / Z; `breaks` are the points where the shape is not smooth, it is above
    -`least_lift`."""

    least_lift = 0.0

    def __init__(self, lift):
        self.lift = real("lift", lift, least=self.least_lift, most=LARGEST_LIFT)
        self._mass = float(self._area(np.array(1.0)))
        # Nodes lie within 1e-4 of each other.
        self.sup_norm = 1.01 * float(self._pdf(np.append(quadrature(self.breaks)[0], self.breaks)).max())

    def _pdf(self, x):
        return (self.lift + self._shape(x)) / self._mass

    def _cdf(self, x):
        return self._area(x) / self._mass


class Bumps(Shape):
    """Eleven peaks (1 + |x - t|/w)^-4."""

    breaks = PLACES
    peaks = tuple(zip(PLACES, BUMP_HEIGHTS, BUMP_WIDTHS, strict=True))

    def __init__(self, lift=0.2):
        super().__init__(lift)

    def _shape(self, x):
        return sum(height / np.square(np.square(1 + np.abs(x - place) / width))
                   for place, height, width in self.peaks)

    def _area(self, x):
        def primitive(x):
            gaps = ((height * width, (x - place) / width) for place, height, width in self.peaks)
            return sum(weight * np.sign(gap) * (1 - (1 + np.abs(gap)) ** -3.0) / 3 for weight, gap in gaps)

        return self.lift * x + primitive(x) - primitive(np.array(0.0))


class Heavisine(Shape):
    """4 sin(4 pi x) - sgn(x - 0.3) - sgn(0.72 - x): a wave with two jumps; its minimum is above -6."""

    breaks = np.array([0.3, 0.72])
    least_lift = 6.0

    def __init__(self, lift=7.0):
        super().__init__(lift)

    def _shape(self, x):
        return 4 * np.sin(4 * np.pi * x) - np.sign(x - 0.3) - np.sign(0.72 - x)

    def _area(self, x):
        # The primitives of the two signs are |x - 0.3| and -|0.72 - x|, up to constants.
        jumps = np.abs(x - 0.72) - np.abs(x - 0.3) - 0.42
        return self.lift * x + (1 - np.cos(4 * np.pi * x)) / np.pi + jumps


class Doppler(Shape):
    """sqrt(x (1 - x)) sin(2.1 pi / (x + 0.05)): slower and slower waves; the minimum is above -1/2."""

    least_lift = 0.5

    def __init__(self, lift=0.6):
        # In u, x = sin^2(pi u / 2), the wave is analytic: a spline of degree 7 is exact to the last bits.
        u = np.linspace(0.0, 1.0, 4097)
        wave = self._shape(np.sin(np.pi * u / 2) ** 2) * np.pi / 2 * np.sin(np.pi * u)
        spline = scipy.interpolate.make_interp_spline(u, wave, k=7)
        self._primitive = scipy.interpolate.PPoly.from_spline(spline).antiderivative()
        super().__init__(lift)

    def _shape(self, x):
        return np.sqrt(x * (1 - x)) * np.sin(2.1 * np.pi / (x + 0.05))

    def _area(self, x):
        return self.lift * x + self._primitive(2 / np.pi * np.arcsin(np.sqrt(x)))


DENSITIES = {
    "uniform": uniform,
    "smooth": Smooth,
    "kink": Kink,
    "jumps": jumps,
    "semicircle": Semicircle,
    "plateau": Plateau,
    "blocks": blocks,
    "bumps": Bumps,
    "heavisine": Heavisine,
    "doppler": Doppler,
    "claw": Claw,
    "spikes": Spikes,
    "departures": departures,
}
"""Name -> class or function that builds the density; its signature lists the parameters."""


def density(name: str, **params: object) -> Density:
    """Build a density on [0, 1] by name.

    Parameters
    ----------
    name : str
        A key of `DENSITIES`.
    params : keyword arguments
        Those of the entry, described in its docstring.

    Returns
    -------
    Density
        An object with `pdf(x)`, `cdf(x)`, `sample(n, rng=)`, `coefficients(basis, j)`, `smoothness(p)`,
        `sup_norm` and `l2_norm_squared`; see `Density`.

    Examples
    --------
    >>> density("kink").pdf([0.25, 0.5]).tolist(), density("kink").smoothness(2)
    ([1.0, 2.0], 1.5)
    """
    return build("density", DENSITIES, name, params)

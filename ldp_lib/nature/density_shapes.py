"""The shapes of Donoho & Johnstone (1994, Table 1), lifted above zero and normalised to densities on [0, 1].

Each is f = (lift + shape) / Z. The lift leaves jumps at 0 and 1: as functions on the line all of
them have s = 1/p.
"""

import numpy as np

from ldp_lib._arguments import real
from ldp_lib.nature.densities import Steps
from ldp_lib.nature.density_base import Density

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

    breaks = np.empty(0)
    least_lift = 0.0

    def __init__(self, name, lift):
        self.lift, self._mass = real("lift", lift, least=self.least_lift, most=LARGEST_LIFT), 1.0
        super().__init__(name, {"lift": self.lift})
        u, weights = _nodes(self.breaks)
        x, jacobian = np.sin(np.pi * u / 2) ** 2, np.pi / 2 * np.sin(np.pi * u) * weights
        self._mass = float(self._area(np.array(1.0)))
        values = self._pdf(x)
        self.l2_norm_squared = float(jacobian @ values**2)
        # Nodes lie within 1e-4 of each other.
        self.sup_norm = 1.01 * float(max(values.max(), self._pdf(self.breaks).max(initial=0.0)))

    def _pdf(self, x):
        return (self.lift + self._shape(x)) / self._mass

    def _cdf(self, x):
        return self._area(x) / self._mass

    def _smoothness(self, p):
        """1/p, because of the lift."""
        return 1 / p


def _nodes(breaks, panels=2048, order=8):
    """Gauss-Legendre nodes and weights on [0, 1] in u, x = sin^2(pi u / 2), which undoes square roots at the
    ends."""
    edges = np.union1d(np.linspace(0.0, 1.0, panels + 1), 2 / np.pi * np.arcsin(np.sqrt(breaks)))
    node, weight = np.polynomial.legendre.leggauss(order)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + node)).ravel(), (half * weight).ravel()


class Bumps(Shape):
    """Eleven peaks (1 + |x - t|/w)^-4."""

    breaks = PLACES

    def __init__(self, lift=0.2):
        super().__init__("bumps", lift)

    def _shape(self, x):
        gap = np.abs(x[..., None] - PLACES) / BUMP_WIDTHS
        return (1 + gap) ** -4.0 @ BUMP_HEIGHTS

    def _area(self, x):
        def primitive(x):
            gap = (x[..., None] - PLACES) / BUMP_WIDTHS
            return np.sign(gap) * (1 - (1 + np.abs(gap)) ** -3.0) / 3 @ (BUMP_HEIGHTS * BUMP_WIDTHS)

        return self.lift * x + primitive(x) - primitive(np.array(0.0))


class Heavisine(Shape):
    """4 sin(4 pi x) - sgn(x - 0.3) - sgn(0.72 - x): a wave with two jumps; its minimum is above -6."""

    breaks = np.array([0.3, 0.72])
    least_lift = 6.0

    def __init__(self, lift=7.0):
        super().__init__("heavisine", lift)

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
        edges = np.linspace(0.0, 1.0, 4097)
        self._edges, self._table = edges, np.zeros(4097)
        self._table[1:] = np.cumsum(_gauss(self._wave, edges[:-1], edges[1:]))
        super().__init__("doppler", lift)

    def _shape(self, x):
        return np.sqrt(x * (1 - x)) * np.sin(2.1 * np.pi / (x + 0.05))

    def _wave(self, u):
        return self._shape(np.sin(np.pi * u / 2) ** 2) * np.pi / 2 * np.sin(np.pi * u)

    def _area(self, x):
        u = 2 / np.pi * np.arcsin(np.sqrt(x))
        cell = np.clip((u * 4096).astype(np.intp), 0, 4095)
        return self.lift * x + self._table[cell] + _gauss(self._wave, self._edges[cell], u)


def _gauss(function, lower, upper, order=6):
    """Gauss-Legendre integrals of `function` over short intervals."""
    half = (upper - lower) / 2
    return sum(weight * half * function(lower + half * (1 + node))
               for node, weight in zip(*np.polynomial.legendre.leggauss(order), strict=True))

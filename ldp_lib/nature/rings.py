"""Moons and circles with a known regression function.

Each class is uniform on one piece, a ring or half a ring, and a label is wrong with probability
`flip`; the shapes are those of scikit-learn's `make_moons` and `make_circles` with thick lines in
place of Gaussian noise.  So eta is `flip` or 1 - `flip`, the Bayes risk is `flip`, and a box
holds of a piece the area of disc-and-rectangle intersections, which has a closed form.
"""

from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import points, real
from ldp_lib.nature.base import Problem


FAR = 2.0**26
"""Here differences of two distances are 2^-26 away from their limits, and as exact as that in floats."""


def drawn_near(X):
    """The points X, (n, d), those beyond `FAR` moved to it along their rays.

    From afar the ray alone says which of two figures is nearer, while in floats their distances are equal.
    """
    return X / np.maximum(np.abs(X).max(axis=1, keepdims=True) / FAR, 1.0)


class Ring(NamedTuple):
    """{ inner <= |x - centre| <= outer }, whole (side 0) or its upper (1) or lower (-1) half."""

    centre: tuple[float, float]
    inner: float
    outer: float
    side: int

    @property
    def area(self):
        """Area of the whole ring or half ring."""
        full = np.pi * (self.outer - self.inner) * (self.outer + self.inner)
        return full / 2.0 if self.side else full

    def distance(self, X):
        """Euclidean distance of each row of `X` to the ring, shape (n, 2) -> (n,)."""
        x, y = (X - self.centre).T
        radius = np.hypot(x, y)
        across = np.maximum(np.maximum(self.inner - radius, radius - self.outer), 0.0)
        if not self.side:
            return across
        # From beyond the diameter the nearest points lie on the two feet of the half ring.
        along = np.maximum(np.maximum(self.inner - np.abs(x), np.abs(x) - self.outer), 0.0)
        return np.where(self.side * y >= 0.0, across, np.hypot(along, y))

    def draw(self, n, rng):
        """n uniform points of the ring, shape (n, 2)."""
        radius = np.sqrt(self.inner**2 + (self.outer**2 - self.inner**2) * rng.random(n))
        angle = np.pi * rng.random(n) * (self.side or 2)
        return np.column_stack((radius * np.cos(angle), radius * np.sin(angle))) + self.centre

    def area_within(self, lower, upper):
        """Area of the ring inside each rectangle, shapes (..., 2), (..., 2) -> (...)."""
        (left, bottom), (right, top) = (np.moveaxis(edge - self.centre, -1, 0) for edge in (lower, upper))
        if self.side > 0:
            bottom, top = np.maximum(bottom, 0.0), np.maximum(top, 0.0)
        elif self.side < 0:
            bottom, top = np.minimum(bottom, 0.0), np.minimum(top, 0.0)

        def disc(radius):
            corners = (_corner_area(x, y, radius) for x in (right, left) for y in (top, bottom))
            right_top, right_bottom, left_top, left_bottom = corners
            return right_top - right_bottom - left_top + left_bottom

        return disc(self.outer) - disc(self.inner)


def _corner_area(x, y, radius):
    """Area of { |(s, t)| <= radius } between the axes and the corner (x, y), odd in x and in y.

    The disc is under y up to s = sqrt(radius^2 - y^2), and under its own arc from there to x.
    """
    if radius == 0.0:
        return np.zeros(np.shape(x))
    width, height = np.minimum(np.abs(x) / radius, 1.0), np.minimum(np.abs(y) / radius, 1.0)
    flat = np.minimum(width, np.sqrt((1.0 - height) * (1.0 + height)))
    area = flat * height + _under_arc(width) - _under_arc(flat)
    return np.sign(x) * np.sign(y) * radius**2 * area


def _under_arc(s):
    """Integral of sqrt(1 - t^2) for t from 0 to s."""
    return 0.5 * (s * np.sqrt((1.0 - s) * (1.0 + s)) + np.arcsin(s))


class TwoRings(Problem):
    """Y = k on `rings[k]` up to a flip; the rectangle `frame` (lower, upper) is mapped onto [0, 1]^2.

    Both classes have half the mass.  Off the rings eta is that of the nearer ring (in the
    coordinates of the frame), so that the Bayes rule is defined everywhere.
    """

    def __init__(self, name, rings, frame, flip, params):
        self.rings = rings
        self.flip = real("flip", flip, least=0.0, most=0.5)
        self._origin = np.array(frame[0])
        self._size = np.array(frame[1]) - self._origin
        super().__init__(name, 2, params | {"flip": self.flip})

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, 2) -> (n,)."""
        zero, one = self._distances(X)
        return np.where(one < zero, 1.0 - self.flip, self.flip)

    def density(self, X):
        """Density of X at each row, shape (n, 2) -> (n,)."""
        on_ring = [distance == 0.0 for distance in self._distances(X)]
        return sum(0.5 * self._size.prod() / ring.area * on for ring, on in zip(self.rings, on_ring))

    def _distances(self, X):
        framed = self._origin + self._size * drawn_near(points("X", X, 2))
        return [ring.distance(framed) for ring in self.rings]

    def _draw(self, n, rng):
        label = rng.random(n) < 0.5
        framed = np.empty((n, 2))
        for ring, members in zip(self.rings, (~label, label)):
            framed[members] = ring.draw(np.count_nonzero(members), rng)
        return (framed - self._origin) / self._size, label ^ (rng.random(n) < self.flip)

    def _class_masses(self, lower, upper):
        lower, upper = (self._origin + self._size * edge for edge in (lower, upper))
        return [0.5 * ring.area_within(lower, upper) / ring.area for ring in self.rings]

    def _masses(self, lower, upper):
        zero, one = self._class_masses(lower, upper)
        return zero + one, self.flip * zero + (1.0 - self.flip) * one

    def _margin(self, lower, upper):
        return (1.0 - 2.0 * self.flip) * sum(self._class_masses(lower, upper))


def moons(width=0.4, flip=0.1):
    """Two interleaving half rings of radius 1 and thickness `width`, as in scikit-learn's `make_moons`.

    `width` in (0, 0.75]: at 0.75 the foot of each moon touches the inner arc of the other.
    `flip` in [0, 1/2].
    """
    width = real("width", width, above=0.0, most=0.75, cure="Wider moons would overlap.")
    inner, outer = 1.0 - width / 2.0, 1.0 + width / 2.0
    rings = Ring((0.0, 0.0), inner, outer, 1), Ring((1.0, 0.5), inner, outer, -1)
    # The frame holds the widest moons, so that widths can be compared in the same coordinates.
    return TwoRings("moons", rings, ((-1.375, -0.875), (2.375, 1.375)), flip, {"width": width})


def circles(factor=0.5, width=0.25, flip=0.1):
    """Two concentric rings of thickness `width` and radii 1 (class 0) and `factor` (class 1).

    As in scikit-learn's `make_circles`.  `factor` in (0, 1); `width` > 0 is at most 1 - factor, so
    that the rings do not overlap, and at most 2 factor, where the small one is a disc; `flip` is in
    [0, 1/2].
    """
    factor = real("factor", factor, above=0.0, below=1.0)
    most = min(1.0 - factor, 2.0 * factor)
    width = real("width", width, above=0.0, most=most, cure="A wider ring would overlap the other or itself.")
    rings = [Ring((0.0, 0.0), radius - width / 2.0, radius + width / 2.0, 0) for radius in (1.0, factor)]
    reach = 4.0 / 3.0  # the largest outer radius that the conditions above allow
    frame = (-reach, -reach), (reach, reach)
    return TwoRings("circles", rings, frame, flip, {"factor": factor, "width": width})

"""Two classes, each uniform on a piece of its own, with labels that are wrong with probability `flip`.

So eta is `flip` or 1 - `flip`, the Bayes risk is `flip`, and what a box holds of a piece has a closed form.

*Moons and circles.*  The pieces are rings or half rings: the shapes are those of scikit-learn's `make_moons`
and `make_circles` with thick lines in place of Gaussian noise.  The blurred clouds themselves, the data of
the seminar's experiment, are here too; their box masses have no closed form, but eta is a one-dimensional
integral along the two arcs, so that the Bayes rule can be drawn beside what a cloud teaches.

*Thresholds* on [0, 1] are learnable from any fixed law, and lost once the law moves with the sample: no
private rule learns them uniformly over all laws (Bun et al., 2015; Alon et al., 2019).  The noisy majority
vote shows how: people on both sides of the threshold, closer together than a cell is wide.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ldp_lib._arguments import Randomness, choice, generator, points, real, require_memory, whole
from ldp_lib.nature.base import Problem, Uniform, over_boxes


class Threshold(Uniform):
    """X uniform on an interval of length `width` around `place`; eta is 1 - flip from `place` on, flip below.

    place : in (0, 1).  width : > 0, at most twice the distance of `place` to the ends of [0, 1].
    flip : probability of a wrong label, in [0, 1/2].
    """

    d = 1

    def __init__(self, place=0.4, width=0.8, flip=0.1):
        self.place = real("place", place, above=0, below=1)
        most = 2 * min(self.place, 1 - self.place)
        self.width = real("width", width, above=0, most=most, cure="People live on [0, 1].")
        self.flip = real("flip", flip, least=0.0, most=0.5)
        self.amplitude = 0.5 - self.flip

    def _level(self, x):
        return np.clip((x - self.place) / self.width + 0.5, 0.0, 1.0)

    def _wave(self, level):
        return np.where(level[..., 0] >= 0.5, 1.0, -1.0)

    def _integrals(self, lower, upper):
        low, high = lower[..., 0], upper[..., 0]
        return np.abs(high - 0.5) - np.abs(low - 0.5), high - low

    def density(self, X):
        """Density of X at each row, (n, 1) -> (n,)."""
        return (np.abs(points("X", X, 1)[:, 0] - self.place) <= self.width / 2) / self.width

    def _points(self, n, rng):
        return self.place + self.width * (super()._points(n, rng) - 0.5)


def hidden_threshold(n=10_000, flip=0.1):
    """The `Threshold` against which the noisy majority vote with n people fails: half of them in vain.

    Cells of side r = n^(-1/2) start at 0; the threshold is in the middle of the cell that holds 1/2, or the
    one before, and everybody is within r/n of it. The vote of that cell is wrong on one side: excess risk
    1/2 - flip for this n, whatever epsilon is. For this law and more and more people it goes to 0.
    """
    n = whole("n", n, least=4, most=10**9, cure="Beyond, floats do not resolve r/n.")
    side = n**-0.5
    law = Threshold((math.floor(0.5 / side - 0.5) + 0.5) * side, side / n, flip)
    law.name, law.params = "hidden_threshold", {"n": n, "flip": law.flip}
    return law


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
        half = (-np.inf, 0.0 if self.side > 0 else -np.inf), (np.inf, 0.0 if self.side < 0 else np.inf)
        lower, upper = (np.clip(edge - self.centre, *half) for edge in (lower, upper))
        outer, inner = (over_boxes(partial(_corner_area, radius), lower, upper)
                        for radius in (self.outer, self.inner))
        return outer - inner


def _corner_area(radius, corner):
    """Area of { |(s, t)| <= radius } between the axes and the corner (x, y), odd in x and in y.

    The disc is under y up to s = sqrt(radius^2 - y^2), and under its own arc from there to x.
    """
    x, y = np.moveaxis(corner, -1, 0)
    if radius == 0.0:
        return np.zeros(np.shape(x))
    width, height = np.minimum(np.abs(x) / radius, 1.0), np.minimum(np.abs(y) / radius, 1.0)
    flat = np.minimum(width, np.sqrt((1.0 - height) * (1.0 + height)))
    area = flat * height + _under_arc(width) - _under_arc(flat)
    return np.sign(x) * np.sign(y) * radius**2 * area


def _under_arc(s):
    """Integral of sqrt(1 - t^2) for t from 0 to s."""
    return 0.5 * (s * np.sqrt((1.0 - s) * (1.0 + s)) + np.arcsin(s))


class Frame(NamedTuple):
    """The rectangle with corners `lower` and `upper`, (2,) each, that becomes [0, 1]^2."""

    lower: np.ndarray
    upper: np.ndarray

    @property
    def size(self):
        """Its two sides."""
        return self.upper - self.lower

    def place(self, X):
        """Where in the rectangle the points X of [0, 1]^2 are."""
        return self.lower + self.size * X

    def rescale(self, places):
        """The inverse of `place`."""
        return (places - self.lower) / self.size


class TwoRings(Problem):
    """The pieces are `rings`; the `Frame` around them is mapped onto [0, 1]^2.

    Both classes have half the mass.  Off the rings eta is that of the nearer ring (in the
    coordinates of the frame), so that the Bayes rule is defined everywhere.
    """

    d = 2

    def __init__(self, name, rings, frame, flip, params):
        self.rings, self.frame, self.flip = rings, frame, real("flip", flip, least=0.0, most=0.5)
        self.name, self.params = name, params | {"flip": self.flip}

    def eta(self, X):
        zero, one = self._distances(points("X", X, 2))
        return np.where(one < zero, 1.0 - self.flip, self.flip)

    def density(self, X):
        """Density of X at each row, shape (n, 2) -> (n,)."""
        on_ring = [distance == 0.0 for distance in self._distances(points("X", X, 2))]
        return sum(0.5 * self.frame.size.prod() / ring.area * on for ring, on in zip(self.rings, on_ring))

    def _distances(self, X):
        places = self.frame.place(drawn_near(X))
        return [ring.distance(places) for ring in self.rings]

    def _draw(self, n, rng):
        label = rng.random(n) < 0.5
        places = np.empty((n, 2))
        for ring, members in zip(self.rings, (~label, label)):
            places[members] = ring.draw(np.count_nonzero(members), rng)
        label ^= rng.random(n) < self.flip
        return self.frame.rescale(places), label.astype(np.int64)

    def _masses(self, lower, upper):
        lower, upper = self.frame.place(lower), self.frame.place(upper)
        zero, one = (0.5 * ring.area_within(lower, upper) / ring.area for ring in self.rings)
        both = zero + one
        return both, self.flip * zero + (1.0 - self.flip) * one, (1.0 - 2.0 * self.flip) * both


def moons(width=0.4, flip=0.1):
    """Two interleaving half rings of radius 1 and thickness `width`, as in scikit-learn's `make_moons`.

    `width` in (0, 0.75]: at 0.75 the foot of each moon touches the inner arc of the other.
    `flip` in [0, 1/2].
    """
    width = real("width", width, above=0.0, most=0.75, cure="Wider moons would overlap.")
    # The frame holds the widest moons, so that widths can be compared in the same coordinates.
    frame = Frame(np.array([-1.375, -0.875]), np.array([2.375, 1.375]))
    return TwoRings("moons", _moons(width), frame, flip, {"width": width})


def _moons(width):
    inner, outer = 1.0 - width / 2.0, 1.0 + width / 2.0
    return Ring((0.0, 0.0), inner, outer, 1), Ring((1.0, 0.5), inner, outer, -1)


def circles(factor=0.5, width=0.25, flip=0.1):
    """Two concentric rings of thickness `width` and radii 1 (class 0) and `factor` (class 1).

    As in scikit-learn's `make_circles`.  `factor` in (0, 1); `width` > 0 is at most 1 - factor, so
    that the rings do not overlap, and at most 2 factor, where the small one is a disc; `flip` is in
    [0, 1/2].
    """
    factor = real("factor", factor, above=0.0, below=1.0)
    most = min(1.0 - factor, 2.0 * factor)
    width = real("width", width, above=0.0, most=most, cure="A wider ring would overlap the other or itself.")
    reach = np.full(2, 4.0 / 3.0)  # the largest outer radius that the conditions above allow
    frame, params = Frame(-reach, reach), {"factor": factor, "width": width}
    return TwoRings("circles", _circles(factor, width), frame, flip, params)


def _circles(factor, width):
    return [Ring((0.0, 0.0), radius - width / 2.0, radius + width / 2.0, 0) for radius in (1.0, factor)]


# The frames are public, so that scaling tells nothing about anybody; they reach five standard
# deviations of the default noise, 0.2, beyond the arcs.
CLOUDS = {
    "moons": (_moons(0.0), Frame(np.array([-2.0, -1.5]), np.array([3.0, 2.0]))),
    "circles": (_circles(0.5, 0.0), Frame(np.array([-2.0, -2.0]), np.array([2.0, 2.0]))),
}
"""Name -> the arcs of classes 0 and 1, rings without thickness, and their frame."""


def point_cloud(name: str, n: int, *, noise: float = 0.2, rng: Randomness) -> tuple[np.ndarray, np.ndarray]:
    """Points of scikit-learn's `make_moons` or `make_circles(factor=0.5)`, rescaled.

    The rescaling does not depend on the data: a point lands outside [0, 1]^2 with probability below 1e-6 at
    noise 0.2, and stays there, since the mechanisms accept people outside the domain.

    Parameters
    ----------
    name : str
        "moons" or "circles".
    n : int
        Number of points, 2 or more.
    noise : float
        Standard deviation of the Gaussian noise in scikit-learn's units, in [0, 1]; 0.2 unless given.
    rng : Generator, int or None
        A numpy Generator, a seed, or None for fresh entropy.

    Returns
    -------
    X : array of shape (n, 2)
        The points.
    y : array of shape (n,)
        Their labels, 0 or 1, int64.

    Examples
    --------
    >>> X, y = point_cloud("moons", 1000, rng=1)
    >>> X.shape, float(y.mean())
    ((1000, 2), 0.5)
    """
    # Imported here because only the clouds need scikit-learn's data sets, which are slow to load.
    from sklearn.datasets import make_circles, make_moons

    _, frame = CLOUDS[choice("name", name, CLOUDS)]
    n = whole("n", n, least=2)
    require_memory(f"A cloud of n = {n} points", 64 * n, "Draw several smaller clouds.")
    noise = real("noise", noise, least=0.0, most=1.0)
    seed = int(generator(rng).integers(2**32))
    if name == "moons":
        X, y = make_moons(n, noise=noise, random_state=seed)
    else:
        X, y = make_circles(n, noise=noise, factor=0.5, random_state=seed)
    return frame.rescale(X), y.astype(np.int64)


def point_cloud_eta(name: str, X: ArrayLike, *, noise: float = 0.2) -> np.ndarray:
    """P(Y = 1 | X = x) under the law of `point_cloud`.

    The density of a class is the average over its arc of the Gaussian density about the arc's
    points; scikit-learn spaces the angles evenly where this law draws them uniformly.

    Parameters
    ----------
    name : str
        "moons" or "circles".
    X : array of shape (n, 2)
        Points, in the coordinates of `point_cloud`.
    noise : float
        Standard deviation as in `point_cloud`, here in [0.05, 1]; 0.2 unless given.

    Returns
    -------
    array of shape (n,)
        Probabilities of label 1.

    Examples
    --------
    >>> point_cloud_eta("circles", [[0.5, 0.5], [0.0, 0.0]]).round(3).tolist()
    [1.0, 0.0]
    """
    arcs, frame = CLOUDS[choice("name", name, CLOUDS)]
    places = frame.place(drawn_near(points("X", X, 2)))
    noise = real("noise", noise, least=0.05, most=1.0)
    zero, one = (_log_density(arc, places, noise) for arc in arcs)
    return expit(one - zero)


def _log_density(arc, X, noise):
    """Log of the class density up to a constant, by Gauss-Legendre quadrature over the angle.

    In logarithms because far from both arcs the densities underflow and their ratio does not.
    """
    # Six nodes a standard deviation of arc length resolve a Gaussian to rounding error.
    start, turn = (np.pi if arc.side < 0 else 0.0), (np.pi if arc.side else 2.0 * np.pi)
    nodes, weights = np.polynomial.legendre.leggauss(16 + int(6.0 * arc.outer * turn / noise))
    angles = start + turn * (nodes + 1.0) / 2.0
    total = np.full(len(X), -np.inf)
    for angle, weight in zip(angles, weights):
        source = np.array(arc.centre) + arc.outer * np.array([np.cos(angle), np.sin(angle)])
        total = np.logaddexp(total, np.log(weight) - ((X - source) ** 2).sum(axis=1) / (2.0 * noise**2))
    return total

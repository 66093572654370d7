"""The unit sphere: greedy packings that are maximal for certain, and exact integrals over Voronoi cells."""

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import SphericalVoronoi

from ldp_lib._arguments import real
from ldp_lib.nature.spaces import ON_THE_SET, MetricSpace

SMALLEST_RADIUS = 0.1
"""Packings of smaller radius have more than a thousand points; Algorithm 4 with 10^11 people stays above."""
ROUNDING = 1e-9
"""Rounding errors of angles between corners of cells and centres stay far below this."""
TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / math.sqrt(3)


class Sphere(MetricSpace):
    """The unit sphere in three dimensions, points (n, 3) of length 1, with angles as distances.

    Seven caps of half the radius cover a cap, as seven discs do in the plane: doubling dimension log2 7 at
    most.
    """

    width = 3
    doubling_dimension, diameter = math.log2(7), math.pi

    def contains(self, X: np.ndarray) -> np.ndarray:
        """Whether each row of X has length 1, up to 1e-9."""
        return np.abs(np.linalg.norm(np.clip(X, -2, 2), axis=1) - 1) <= ON_THE_SET

    def distance(self, a: ArrayLike, b: ArrayLike) -> float | np.ndarray:
        """Angle between the points, in [0, pi]; accurate for small angles and for nearly opposite points."""
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        apart, together = (np.sqrt(((a + sign * b) ** 2).sum(axis=-1)) for sign in (-1, 1))
        return 2 * np.arctan2(apart, together)

    def nearest(self, X: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Number of the nearest centre of each row of X, (n,): that with the largest inner product."""
        return np.argmax(X @ centres.T, axis=1)

    def packing(self, r: float) -> np.ndarray:
        """Greedy: from a tetrahedron on, add corners of the Voronoi cells that are more than r away.

        The distance to the centres has its local maxima at those corners, so that the packing is maximal
        when no corner is left: a certificate for all points of the sphere, not for those of a net.
        """
        r = real("r", r, least=SMALLEST_RADIUS, cure="Finer packings have more than a thousand points.")
        return _greedy(r).copy()


@lru_cache(maxsize=64)
def _greedy(r):
    if r >= math.pi:
        return TETRAHEDRON[:1]
    # Opposite points leave the equator, pi/2 away; the tetrahedron's points are 1.91 apart.
    centres = TETRAHEDRON if r < math.acos(-1 / 3) else np.concatenate([TETRAHEDRON[:1], -TETRAHEDRON[:1]])
    while len(centres) > 3:
        corners = SphericalVoronoi(centres).vertices
        distance = Sphere().distance(corners[:, None], centres).min(axis=1)
        free = np.flatnonzero(distance > r + ROUNDING)
        if len(free) == 0:
            break
        added = []
        for corner in corners[free[np.argsort(-distance[free], kind="stable")]]:
            if not added or Sphere().distance(corner, np.array(added)).min() > r + ROUNDING:
                added.append(corner)
        centres = np.concatenate([centres, added])
    return centres


def cell_integrals(centres):
    """Areas of the Voronoi cells, and the integrals of x and of |x_3| over them: (m,), (m, 3), (m,); exact.

    A cell is cut out of each octant by the half-spaces of points nearer to its centre than to another. On a
    polygon with corners v_k in positive order the integral of x is half the sum of the angles of the edges
    times the unit normals of their planes (Lambert, 1760), and the area a sum of triangles (van Oosterom &
    Strackee, 1983).
    """
    m = len(centres)
    area, moment, height = np.zeros(m), np.zeros((m, 3)), np.zeros(m)
    for i, centre in enumerate(centres):
        apart = Sphere().distance(centre, centres)
        order = np.argsort(apart, kind="stable")[1:]
        for signs in itertools.product((1.0, -1.0), repeat=3):
            corners = np.diag(signs)
            # Most octants are nearer to another centre all over: nothing to cut.
            if (corners @ (centres - centre).T > ROUNDING).all(axis=0).any():
                continue
            if np.prod(signs) < 0:
                corners = corners[::-1]
            for j in order:
                # Nobody beyond twice the reach of what is left can cut it.
                if len(corners) == 0 or apart[j] > 2 * Sphere().distance(centre, corners).max() + ROUNDING:
                    break
                corners = _clip(corners, centre - centres[j])
            if len(corners) > 2:
                piece = _moment(corners)
                area[i] += _area(corners)
                moment[i] += piece
                height[i] += abs(piece[2])
    return area, moment, height


def _clip(corners, normal):
    """The part of a convex spherical polygon in the half-space normal . x >= 0."""
    side = corners @ normal
    if (side >= 0).all():
        return corners
    kept = []
    for k in range(len(corners)):
        here, there, a, b = corners[k - 1], corners[k], side[k - 1], side[k]
        if a * b < 0:
            crossing = (a * there - b * here) * np.sign(a - b)
            kept.append(crossing / np.linalg.norm(crossing))
        if b >= 0:
            kept.append(there)
    return np.array(kept).reshape(-1, 3)


def _area(corners):
    a, b, c = corners[0], corners[1:-1], corners[2:]
    volume = np.cross(b, c) @ a
    return 2 * np.arctan2(volume, 1 + b @ a + (b * c).sum(axis=1) + c @ a).sum()


def _moment(corners):
    normals = np.cross(corners, np.roll(corners, -1, axis=0))
    sine = np.linalg.norm(normals, axis=1)
    angle = Sphere().distance(corners, np.roll(corners, -1, axis=0))
    # An edge of length 0 has no direction and no weight.
    weight = np.divide(angle, sine, out=np.zeros_like(sine), where=sine > 0)
    return weight @ normals / 2

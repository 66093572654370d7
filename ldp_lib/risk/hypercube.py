"""The worst member of a hypercube for the cube classifier: exact risk at any n from a handful of integrals.

Worst are the signs, within a family whose bumps all have one width and one height. The class P(theta) holds
worse laws: where two families fit side by side and the margin condition has room for both, their risks add.

The hypercube of Theorem 2.5 (`ldp_lib.nature.hypercube`) with the "ramp" is scaled so that it fits the grid
of the classifier. Bumps are cubes of side delta in the middle of cells of side 2 delta, which fill [0, 1/2]^d
from the origin; 2 delta = 1/(2q), and q need not be whole. On a bump |2 eta - 1| is L delta^beta, the most
that two opposite neighbours, delta apart, may have; a bump holds w people, and the rest of [0, 1]^d has eta =
1/2 and costs nothing. Two scales:

*Wide bumps*, delta = k h with a whole number k. The centres, odd multiples of k h, are grid points. The cube
of a cell that meets a bump is 2h wide and ends within the cell of the hypercube: it sees one sign only. So
the risk is a sum over bumps, and the worst signs are all +1 or all -1. Along an axis, the bump consists of
inner cells, whose cubes have 2h of it, and of two outer ones: half cells whose cubes have h of it if k is
even, whole ones with 3h/2 if k = 3, 5, ...; k = 1 is one cell, with h. Cells differ by their number j of
outer axes: d + 1 integrals. There is no bias: with n the risk goes to 0.

*Narrow bumps*, delta = h/2, signs alternate along the last axis. Every bump is cut in half by a border
between cells; a cell between two bumps holds as much of either sign, so that half is lost whatever its label:
the bias. What noise adds at the ends of a row of bumps is left out.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import comb

from ldp_lib._arguments import whole
from ldp_lib.estimation import CubeClassifier
from ldp_lib.nature.hypercube import Hypercube
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.exact import excess_risk
from ldp_lib.risk.scores import cube_sign_probabilities

ROUNDING = 1e-9
"""What a quotient may lack to a whole number and still count as whole."""
WIDTHS = np.unique(np.geomspace(1, 1400, 27).round())
"""Wide bumps are this many cells wide, or as wide as one or two of them may be. At 400 positions the worst of
all widths costs 1% more on average, and up to 35% more where one bump more or less fits."""
WIDEST = 0.25
"""Beyond this h no two bumps fit into [0, 1/2] and the hypercube says nothing."""
MOST_SIGNS = 8
"""`worst_signs_risk` goes through 2^m vertices."""


class Bumps(NamedTuple):
    """Hypercubes (arrays): `m` bumps of side `delta`, mass `w`, |2 eta - 1| = `height`; m = 0: none fits."""

    delta: np.ndarray
    m: np.ndarray
    w: np.ndarray
    height: np.ndarray


def largest_bumps(delta, beta, gamma, d, *, C0=2.0):
    """`Bumps` of side `delta` (array, > 0), m and then w as large as P(theta) with L = mu = 1 allows.

    m w = C0 (height / 2)^gamma as far as the q^d cells of [0, 1/2]^d hold that much, with delta^d <= w <=
    (2 delta)^d, so that the density is at least 1 on the bumps and off them.
    """
    delta = np.asarray(delta, dtype=float)
    height = np.minimum(delta**beta, 1.0)
    return _with_mass(delta, height, C0 * (height / 2) ** gamma, d)


def theorem_bumps(h, beta, gamma, d):
    """`Bumps` at the tuning of Theorems 2.4 and 2.5, L = 1: delta = h = 1/(4q), m about q^(d - beta gamma).

    m is rounded down, and w raised above h^d for it, so that m w = q^(d - beta gamma) h^d. h : array, > 0.
    """
    h = np.asarray(h, dtype=float)
    return _with_mass(h, h**beta, (4 * h) ** (beta * gamma - d) * h**d, d)


def bump_score(h, beta, d):
    """The mean score of the cube of a bump (h - |x|)^beta of half-width h, |x| the maximum norm; exact.

    The integral over the cube of side 2h: the shell at distance r has the area d 2^d r^(d - 1), so that it is
    d 2^d h^(d + beta) B(d, beta + 1), with Euler's beta function.
    """
    share = math.gamma(d) * math.gamma(beta + 1) / math.gamma(d + beta + 1)
    return d * 2**d * share * np.asarray(h, float) ** (d + beta)


def _with_mass(delta, height, mass, d):
    cells = np.floor((1 + ROUNDING) / (4 * delta)) ** d
    m = np.minimum(cells, np.floor(mass / delta**d * (1 + ROUNDING)))
    return Bumps(delta, m, np.minimum(mass / np.maximum(m, 1), (2 * delta) ** d), height)


def wide_risk(n, alpha, k, bumps, d, relative_error=RELATIVE_ERROR):
    """Exact excess risk at the worst signs, h = delta / k; 0 where no bump fits. Arrays broadcast.

    n : people in all, 2 or more.  alpha : nats, > 0.  k : whole numbers.  Noise is real Laplace noise.
    """
    n, k, _, m, w, height = np.broadcast_arrays(n, k, *bumps)
    whole = (k % 2 == 1) & (k > 1)
    outer, width = np.where(whole, 2, 1) / k, np.where(whole, 1.5, 1.0)
    j = np.arange(d + 1).reshape(-1, *[1] * n.ndim)
    share = (m > 0) * comb(d, j) * outer**j * (1 - outer) ** (d - j)
    there, lost = share > 0, np.zeros((2, *share.shape))
    # All signs, cells and people in one call.
    half, p, height_there = (np.broadcast_to(values, share.shape)[there] for values in (
        n // 2, w * (width / k) ** j * (2 / k) ** (d - j), height))
    below, above = cube_sign_probabilities(half, p, p * (1 + np.array([[1], [-1]]) * height_there) / 2,
                                           2 ** (d + 1) / alpha, relative_error=relative_error)
    lost[:, there] = share[there] * np.array([below[0], above[1]])
    return m * w * height * lost.sum(axis=1).max(axis=0)


def narrow_risk(h, beta, gamma, d, *, C0=2.0):
    """What narrow bumps cost at bandwidth `h` (array) however many people there are; 0 where none fit."""
    bumps = largest_bumps(np.asarray(h, dtype=float) / 2, beta, gamma, d, C0=C0)
    row = np.maximum(1, np.minimum(bumps.m, np.floor((1 + ROUNDING) / (4 * bumps.delta))))
    whole_rows = row * np.floor(bumps.m / row)
    return whole_rows * bumps.w * bumps.height / 2 * (1 - 1 / row)


def both_sides(n, alpha, h, beta, gamma, d, *, C0=2.0, relative_error=RELATIVE_ERROR):
    """(bias, noise): what narrow bumps cost, and wide ones at the worst of `WIDTHS`; L = mu = 1.

    n, h : arrays (m,), people in all, and bandwidths up to `WIDEST`.
    """
    n, h = np.broadcast_arrays(n, h)
    widest = np.floor(WIDEST / h * (1 + ROUNDING))[:, None]
    usual = np.broadcast_to(WIDTHS, (len(h), len(WIDTHS)))
    k = np.concatenate([usual, np.maximum(widest // [[1, 2]], 1)], axis=1)
    fits = k <= widest
    row, risks = np.nonzero(fits)[0], np.zeros(fits.shape)
    bumps = largest_bumps(h[row] * k[fits], beta, gamma, d, C0=C0)
    risks[fits] = wide_risk(n[row], alpha, k[fits], bumps, d, relative_error)
    return narrow_risk(h, beta, gamma, d, C0=C0), risks.max(axis=1)


def worst_signs_risk(n, alpha, h, law):
    """Exact excess risk at the worst signs of `law`, a `Hypercube`, at any bandwidth h > 0; as `wide_risk`.

    m at most 8: all 2^m vertices are tried, and all cells of the classifier.
    """
    whole("m", law.m, most=MOST_SIGNS, cure="All 2^m sign vectors are tried; play with fewer cells.")
    rule = CubeClassifier(alpha, h, noise="real")
    vertices = (Hypercube(**law.params | {"signs": signs})
                for signs in itertools.product((1, -1), repeat=law.m))
    return max(excess_risk(rule, vertex, n) for vertex in vertices)

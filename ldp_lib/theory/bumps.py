"""The bumps of the lower bound: how high a bump of given foot may be without breaking the Hölder condition.

u(r) = 1 for r <= 1/8, 0 for r >= 1/4 and 1 - S(8 r - 1) between, S a step from 0 to 1 with S(t) + S(1 - t) =
1. In cell i of the hypercube eta = (1 + sigma_i varphi) / 2 with varphi(x) = q^-beta L C_phi u(q ||x -
x_i||), feet being q^-1/4 from the centres and cells q^-1/2 wide, so that feet of neighbours touch.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from ldp_lib._arguments import choice, real


def _exponential(t):
    rise, fall = (np.exp(-1 / np.maximum(side, 1e-3)) * (side > 0) for side in (t, 1 - t))
    return rise / (rise + fall)


STEPS = {
    "ramp": lambda t: t,
    "cubic": lambda t: t**2 * (3 - 2 * t),
    "quintic": lambda t: t**3 * (10 - 15 * t + 6 * t**2),
    "exponential": _exponential,
}
"""S on [0, 1]: the ramp allows the highest bump; the exponential one, exp(-1/t) up to scale, is smooth."""


def bump_profile(bump, r):
    """u(r) for distances r >= 0, an array."""
    return 1 - STEPS[choice("bump", bump, STEPS)](np.clip(8 * np.asarray(r, dtype=float) - 1, 0.0, 1.0))


def _largest(ratio, low, high):
    """The maximum of a smooth ratio with a single peak: a grid, then refined about its best point."""
    grid = np.linspace(low, high, 2001)
    best = int(np.argmax(ratio(grid)))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(lambda t: -ratio(t), bounds=bounds, method="bounded", options={"xatol": 1e-12})
    return float(max(-found.fun, ratio(grid[best])))


def holder_seminorm(bump, beta):
    """[u]_beta = sup |u(r) - u(s)| / |r - s|^beta. The largest rise over a width of S is about its middle.

    >>> [round(1 / holder_seminorm(bump, 1.0), 4) for bump in STEPS]
    [0.125, 0.0833, 0.0667, 0.0625]
    """
    step, beta = STEPS[choice("bump", bump, STEPS)], real("beta", beta, above=0, most=1)
    return 8**beta * _largest(lambda w: (step((1 + w) / 2) - step((1 - w) / 2)) / w**beta, 1e-4, 1.0)


def foot_seminorm(bump, beta):
    """K0 = sup u(r) / (1/4 - r)^beta: how steeply u leaves its foot, what bumps of opposite sign that touch
    need."""
    step, beta = STEPS[choice("bump", bump, STEPS)], real("beta", beta, above=0, most=1)
    return 8**beta * _largest(lambda w: step(w) / w**beta, 1e-4, 1.0)


def largest_height(bump, beta, strict=False):
    """Largest C_phi for which every eta_sigma is (beta, L)-Hölder: min(2 / [u]_beta, 2^beta / K0).

    Within a cell |eta - eta'| <= L C_phi [u]_beta |x - x'|^beta / 2. From cell to cell with opposite signs it
    is at most (L C_phi K0 / 2) (a^beta + a'^beta), a and a' the distances to the feet, and a^beta + a'^beta
    <= 2^(1-beta) (a + a')^beta. `strict` asks, as the paper does, that phi itself be (beta, L)-Hölder: 1 /
    [u]_beta.

    >>> round(largest_height("ramp", 1.0), 9), round(largest_height("ramp", 1.0, strict=True), 9)
    (0.25, 0.125)
    """
    if strict:
        return 1 / holder_seminorm(bump, beta)
    return min(2 / holder_seminorm(bump, beta), 2**beta / foot_seminorm(bump, beta))

"""The bump of the lower bound, in four profiles, and how high it may rise.

Theorem 2.5 of Berrett & Butucea (2019) raises eta in little cells by a bump u: 1 up to radius 1/8,
0 from radius 1/4 on, non-increasing between.  Each profile here is an odd increasing function S of
[-1, 1] onto itself, and

    u(r) = (1 - S(16 r - 3)) / 2   for 1/8 <= r <= 1/4.

The steepest stretch of given length is the one centred at S = 0, so that the Hölder constant of u
is a maximum over one variable, [u]_beta = 8^beta max_{0 < x <= 1} S(x) / x^beta.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ldp_lib._arguments import choice, real


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
    seminorm = 8.0**beta * _largest(lambda x: profile(x) / x**beta, 1.0)
    edge = 16.0**beta * _largest(lambda t: (1.0 - profile(1.0 - t)) / 2.0 / t**beta, 2.0)
    return BumpConstants(seminorm, edge, 1.0 / seminorm, min(2.0 / seminorm, 2.0**beta / edge))


def _largest(ratio, most):
    """Supremum of a unimodal `ratio` over (0, most]."""
    bounds, options = (0.0, most), {"xatol": 1e-10}
    inside = minimize_scalar(lambda x: -ratio(x), bounds=bounds, method="bounded", options=options)
    return float(max(-inside.fun, ratio(most)))

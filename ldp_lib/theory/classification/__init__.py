"""The class P(theta) of Berrett & Butucea (2019), Section 2: its constants, checked, and what follows from
them at once. `upper` and `lower` bound the excess risk over it.

theta = (beta, gamma, C0, L, c0, r0, mu): |eta(x) - eta(x')| <= L ||x - x'||^beta (Euclidean norm);
P(0 < |eta(X) - 1/2| <= t) <= C0 t^gamma for t > 0; X has a density f >= mu on its support S in [0, 1]^d, and
vol(S, B(x, r)) >= c0 vol(B(x, r)) for all x in S and r <= r0.
"""

import math

import numpy as np
from scipy.special import gammaln

from ldp_lib._arguments import real, whole
from ldp_lib.nature import Theta

MOST_DIMENSIONS = 100
"""Beyond, constants of the theorems are smaller than floats."""


def checked_theta(beta, gamma, d, L=1.0, C0=2.0, c0=None, mu=1.0, r0=0.5):
    """`Theta`, or a refusal that names the argument. c0 = None means 4^-d, what the hypercube has."""
    d = whole("d", d, most=MOST_DIMENSIONS, cure="Constants like 4^-d leave the floats.")
    c0 = 4.0**-d if c0 is None else c0
    return Theta(
        real("beta", beta, above=0, most=1), real("gamma", gamma, least=0, most=100), d,
        real("L", L, above=0), real("C0", C0, above=0),
        real("c0", c0, above=0, most=0.5, cure="At an outermost point half a ball is empty."),
        real("mu", mu, above=0), real("r0", r0, above=0))


def ball_volume(d):
    """Volume of the Euclidean unit ball in d dimensions: 2, pi, 4.19, ...; below 1 from d = 13 on."""
    return math.exp(d / 2 * math.log(math.pi) - gammaln(d / 2 + 1))


def theorem_bandwidth(n: int, alpha: float, beta: float, d: int, L: float = 1.0, mu: float = 1.0) -> float:
    """The bandwidth of the cube classifier in the proof of the upper bound.

    h = (n' alpha^2 L^2 mu^2)^(-1 / (2d + 2 beta)), with n' = n/2 people a half, rounded down.

    Parameters
    ----------
    n : int
        People in all, 2 or more: both halves of the sample need a person.
    alpha : float
        Privacy budget in nats, > 0.
    beta : float
        Hölder exponent of eta, in (0, 1].
    d : int
        Dimension, 1 to 100.
    L : float
        Hölder constant of eta, > 0; default 1.
    mu : float
        Lower bound of the density of X on its support, > 0; default 1.

    Returns
    -------
    float
        h, > 0, in units of the features.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       proof of Theorem 2.4, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> round(theorem_bandwidth(2000, alpha=1.0, beta=1.0, d=1), 4)
    0.1778
    """
    n = whole("n", n, least=2, cure="Both halves of the sample need a person.")
    alpha, L, mu = real("alpha", alpha, above=0), real("L", L, above=0), real("mu", mu, above=0)
    beta, d = real("beta", beta, above=0, most=1), whole("d", d, most=MOST_DIMENSIONS)
    return float(((n // 2) * (alpha * L * mu) ** 2) ** (-1 / (2 * d + 2 * beta)))


def trivial_bound(gamma, C0):
    """No rule loses more: E|2 eta - 1| <= 1, and at most P(eta != 1/2) <= C0 2^-gamma."""
    return min(1.0, C0 * 2.0**-gamma)


def smallest_mass(theta, h):
    """p >= c0 mu V_d min(h/2, r0)^d for the cube of any x0 in the support: it holds the ball B(x0, h/2).

    h : a number or an array.
    """
    ball = ball_volume(theta.d) * np.minimum(h / 2, theta.r0) ** theta.d
    return np.minimum(1.0, theta.c0 * theta.mu * ball)

"""Noisy wavelet coefficients: how they overlap, and how far they stray.

With n people, a density of at most B and noise of scale sigma, with t = g j ln 2,

    P(|betahat_jk - beta_jk| >= lambda_j) <= 2 exp(-t) = 2 * 2^(-g j),
    lambda_j = sqrt(2 (B + 2 sigma^2) t / n) + max((2/3) sup |psi| 2^(j/2), sigma) t / n

(Butucea, Dubois, Kroll & Saumard, 2020, Proposition C.1, with constants). What makes it true is a bound on
the logarithm of the moment generating function, v s^2 / (2 (1 - b s)) with v = B + 2 sigma^2 a person and b
the maximum above, for psi_jk(X) and for the noise apart (Boucheron, Lugosi & Massart, 2013, Section 2.4).
"""

from __future__ import annotations

import functools
import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import reals
from ldp_lib.risk.contour import smaller_side
from ldp_lib.risk.scores import Score
from ldp_lib.wavelets import wavelet_basis

CELLS = 2**12
"""Cells per unit length in the quadrature of a mother."""
LARGEST_A = 700.0
"""e^a has to stay a float."""


@functools.cache
def mother_values(wavelet):
    """psi at the midpoints of CELLS cells per unit, shape (c CELLS,), scaled to an exact mean square.

    With these values the integral of psi^2 is 1; the scaling changes them by less than 1e-4.
    """
    basis = wavelet_basis(wavelet)
    values = basis.psi((np.arange(basis.overlap * CELLS) + 0.5) / CELLS)
    values /= np.sqrt(np.square(values).sum() / CELLS)
    values.flags.writeable = False
    return values


@functools.cache
def norm_power(wavelet, r):
    """Integral of |psi|^r, r >= 1, by the midpoint rule; relative error below 1e-4 for every wavelet."""
    return float((np.abs(mother_values(wavelet)) ** r).sum() / CELLS)


@functools.cache
def square_bound(wavelet):
    """D = S_phi sup |phi| >= sum_k |phi(x - k) phi(y - k)| for all x, y: 2^J D bounds the kernel of V_J."""
    basis = wavelet_basis(wavelet)
    return basis.S_phi * basis.phi_max


def coefficients_at(wavelet, x, levels):
    """What people at x contribute: (fathers of level 0, mothers of levels 0 to J - 1, fathers of level J).

    x : (m,) points.  levels : J.  Shapes (first (m,), values (m, c)) of the fathers and a list of such pairs
    of the mothers: values[i, a] belongs to k = first[i] + a.
    """
    basis = wavelet_basis(wavelet)
    x = np.asarray(x, dtype=float)
    # All levels in one call: psi_jk(x) = 2^(j/2) psi_0k(2^j x).
    j = np.arange(levels)
    scaled = np.ldexp(x[None, :], j[:, None]).ravel()
    first, values = basis.values(scaled, 0)
    first = first.reshape(levels, len(x))
    values = values.reshape(levels, len(x), basis.overlap) * 2.0 ** (j / 2)[:, None, None]
    fathers, top = (basis.values(x, level, kind="phi") for level in (0, levels))
    return fathers, list(zip(first, values, strict=True)), top


@overload
def log_noisy_tail(n: float, x: float, q: float = ..., a: float = ...) -> float: ...


@overload
def log_noisy_tail(n: ArrayLike, x: ArrayLike, q: ArrayLike = ..., a: ArrayLike = ...) -> np.ndarray: ...


def log_noisy_tail(n: ArrayLike, x: ArrayLike, q: ArrayLike = 0.0, a: ArrayLike = 0.0) -> float | np.ndarray:
    """log P(sum of n variables a T + W >= x): exact, relative error of the probability below 1e-9.

    T is 1 or -1 with probability q/2 each and 0 otherwise: a Haar coefficient psi_jk(X) divided by the noise
    scale. W is Laplace of scale 1. q = 0 is the noise alone. Arrays broadcast.

    Parameters
    ----------
    n : int or array
        Variables, whole, 1 to 1e15.
    x : float or array
        What the sum reaches, > 0.
    q : float or array
        Probability of T not being 0, in [0, 1].
    a : float or array
        Factor of T, 0 to 700.

    Returns
    -------
    float or array
        The logarithm of the probability, of the broadcast shape.

    Examples
    --------
    >>> round(float(log_noisy_tail(1, 3.0)), 9), round(-3 - math.log(2), 9)
    (-3.693147181, -3.693147181)
    """
    n, x, q, a = np.broadcast_arrays(reals("n", n, least=1, most=1e15, integer=True), reals("x", x, above=0),
                                     reals("q", q, least=0, most=1), reals("a", a, least=0, most=LARGEST_A))
    result = np.empty(n.shape)
    alone = n == 1          # a density with kinks: its contour integral would converge slowly
    shifted = x[alone] - np.array([[0.0], [1.0], [-1.0]]) * a[alone]
    above = np.where(shifted > 0, np.exp(-np.abs(shifted)) / 2, 1 - np.exp(-np.abs(shifted)) / 2)
    weights = q[alone] * np.array([[-1.0], [0.5], [0.5]]) + np.array([[1.0], [0.0], [0.0]])
    result[alone] = np.log((weights * above).sum(axis=0))
    if not alone.all():
        n, x, q, a = (values[~alone] for values in (n, x, q, a))
        # In units of a; where that is 0, T is.
        q, a = np.where(a > 1e-100, q, 0.0), np.where(a > 1e-100, a, 1.0)
        result[~alone] = log_haar_tail(n, q / 2, q / 2, x / (a * n), 1 / a)
    return result[()]


def log_haar_tail(n, up, down, stray, noise, power=0):
    """log E[(D - stray)^power; D >= stray], D = mean of T + noise W over n people, less its expectation.

    T is 1 with probability `up` and -1 with probability `down`, W Laplace of scale 1; arrays (m,); n >= 2 and
    stray >= 0. With power 0 the probability of D >= stray. The relative error is below 1e-9.
    """
    n, up, down, stray, noise = np.broadcast_arrays(*map(np.atleast_1d, (n, up, down, stray, noise)))
    # S < 0 where the sum of -T - noise W falls below -n (stray + up - down); W is symmetric.
    score = Score(n.astype(float), [{1: down, 0: 1 - up - down, -1: up}], 1.0, 0.0,
                  -n * (stray + up - down), noises=(1.0,), scale=noise)
    return smaller_side(score, power=power)[1] - power * np.log(n)


@overload
def coefficient_deviation(n: float, j: float, sigma: float, B: float, psi_max: float, g: float) -> float: ...


@overload
def coefficient_deviation(n: ArrayLike, j: ArrayLike, sigma: ArrayLike, B: ArrayLike, psi_max: ArrayLike,
                          g: ArrayLike) -> np.ndarray: ...


def coefficient_deviation(n: ArrayLike, j: ArrayLike, sigma: ArrayLike, B: ArrayLike, psi_max: ArrayLike,
                          g: ArrayLike) -> float | np.ndarray:
    """lambda_j, by which a noisy coefficient strays with probability at most 2 * 2^(-g j); arrays broadcast.

    With t = g j ln 2, it is Proposition C.1 [1]_ with constants:

        lambda_j = sqrt(2 (B + 2 sigma^2) t / n) + max((2/3) psi_max 2^(j/2), sigma) t / n

    Parameters
    ----------
    n : float or array
        People, > 0.
    j : float or array
        Level, 0 to 1000.
    sigma : float or array
        Noise scale of level j, >= 0.
    B : float or array
        Bound of the density, >= 0.
    psi_max : float or array
        sup |psi|, >= 0.
    g : float or array
        Rate at which the probability falls with the level, >= 0.

    Returns
    -------
    float or array
        lambda_j, of the broadcast shape.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Proposition C.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> round(float(coefficient_deviation(10**6, 3, sigma=1.0, B=1.0, psi_max=1.0, g=2.0)), 9)
    0.00500317
    """
    n, j = reals("n", n, above=0), reals("j", j, least=0, most=1000)
    sigma, B, psi_max, g = (reals(name, value, least=0, most=1e100) for name, value in (
        ("sigma", sigma), ("B", B), ("psi_max", psi_max), ("g", g)))
    t = g * np.asarray(j) * math.log(2)
    worst = np.maximum(2 / 3 * psi_max * 2.0 ** (np.asarray(j) / 2), sigma)
    return np.sqrt(2 * (B + 2 * np.square(sigma)) * t / n) + worst * t / n

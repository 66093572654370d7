"""Where the proofs of Theorems 2.1 and 2.2 and the slides slip."""

import math
from fractions import Fraction

import numpy as np

from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.scores import wrong_side_probability
from ldp_lib.theory.errata.entry import CLASSIFICATION, SLIDES, Erratum, Evidence


def _hoeffding_term():
    n, alpha, t, d = 1000, 1.0, 0.5, 1
    lam = n * alpha**2 * t / 2 ** (2 * d + 4)
    return Evidence(
        "Hoeffding term 5 lambda^2 / (32 n) at n = 1000, alpha = 1, t = 1/2, d = 1",
        printed=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 9),
        corrected=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 13),
        computed=5 * lam**2 / (32 * n),
    )


def _centring():
    p, q = Fraction(3, 10), Fraction(18, 100)
    outcomes = [(w, u, (q if w else 1 - q) * (p if u else 1 - p)) for w in (0, 1) for u in (0, 1)]
    derivative = {sign: sum((w - Fraction(u, 2) - q + sign * p / 2) * mass for w, u, mass in outcomes)
                  for sign in (-1, 1)}
    return Evidence(
        "mean of the variable in the exponent at p = 0.3, q = 0.18; a centred one has mean 0",
        printed=float(derivative[-1]), corrected=float(derivative[1]), computed=0.0,
    )


def _unbounded_alpha():
    """X uniform, eta = 1: a point far from everybody is labelled by noise alone, whatever alpha is."""
    n = 300
    h, alpha = float(n) ** -2, float(n) ** 3
    # Cubes of mass 2h overlap at every x; eta = 1 makes q = p, and the excess risk is P(T_n < 0).
    risk = wrong_side_probability(n, 2 * h, 2 * h, 4 / alpha)
    # A lower bound by hand: nobody of either half is in the cube, and then the noise decides.
    return Evidence(
        "excess risk at h = n^-2, alpha = n^3, n = 300 a half, where n alpha^2 h^2 = n^3",
        printed=0.0, corrected=(1 - 2 * h) ** (2 * n) / 2, computed=float(risk),
    )


def _two_scales():
    """At 0 neither part has positive lower density, their sum has: shells 2^-k belong to the parts by
    turns."""
    ends = [2**m for m in range(11)]                  # blocks of shells [1, 2), [2, 4), ..., [512, 1024)
    shells = np.arange(1, ends[-1])
    owner = np.floor(np.log2(shells)).astype(int) % 2
    mass = 2.0**-shells
    ball = {part: np.cumsum((mass * (owner == part))[::-1])[::-1] / mass for part in (0, 1)}
    # P(ball of radius 2^-k) / 2^-k from the shells beyond k; the last block lacks its continuation.
    keep = shells < ends[-2]
    lower = {part: float(ball[part][keep].min()) for part in (0, 1)}
    return Evidence(
        "lower density at 0 of the sum of two measures whose own lower densities are 0 (printed: their "
        "maximum)",
        printed=max(lower.values()), corrected=1.0, computed=float((ball[0] + ball[1])[keep].min()),
    )


def _same_pair_twice():
    alpha, mechanism = 1.0, CubeLaplace(1.0, 0.2)
    return Evidence(
        "sup of the ratio in the definition of alpha-LDP for the cube mechanism at alpha = 1",
        printed=1.0, corrected=math.exp(alpha), computed=math.exp(mechanism.privacy_loss(0.1, 1, 0.9, 1)),
    )


def _lost_absolute_value():
    eta, p = 0.2, 0.3
    ratio = p * (eta - 0.5) / (abs(eta - 0.5) * p / 2)
    return Evidence(
        "the third indicator at eta = 0.2, where E T_n / delta tends to -2; the proof needs 0",
        printed=float(ratio < 1), corrected=float(abs(ratio) < 1), computed=0.0,
    )


def _strict_density():
    least = problem("sine").density(np.linspace(0, 1, 11)[:, None]).min()
    return Evidence(
        "is the uniform law, of density 1, in the class with mu = 1? The paper's definition says yes, 1",
        printed=float(least > 1.0), corrected=float(least >= 1.0), computed=1.0,
    )


ENTRIES = [
    Erratum(
        1, CLASSIFICATION, "(3.1), third line", "5 n alpha^4 t^2 / 2^(4d+9)",
        "5 n alpha^4 t^2 / 2^(4d+13), for alpha <= 1",
        "The printed term is larger than the true one: loose, and the bound survives.", _hoeffding_term),
    Erratum(
        2, CLASSIFICATION, "proof of Theorem 2.2, moment generating function", "W - U/2 - EW - EU/2",
        "W - U/2 - EW + EU/2", "A sign; the lines after it use the right one.", _centring),
    Erratum(
        3, CLASSIFICATION, "Theorem 2.2", "n alpha^2 h^(2d) -> infinity, any alpha",
        "n min(alpha, 1)^2 h^(2d) -> infinity",
        "As printed the theorem is false: with large alpha the noise vanishes but the cubes stay empty.",
        _unbounded_alpha),
    Erratum(
        4, CLASSIFICATION, "proof of Theorem 2.2, the set Omega_0", "Omega_0 = Omega_mu union Omega_nu",
        "Omega_0 contains Omega_mu union Omega_nu",
        "Only the inclusion is true, and only the inclusion is needed. The same proof differentiates along "
        "cubes that are not centred at x0; approximating eta in L1 by continuous functions repairs "
        "it.", _two_scales),
    Erratum(
        32, SLIDES, "Definition 1", "Q(A | x', y') / Q(A | x', y')", "Q(A | x, y) / Q(A | x', y')",
        "As printed every mechanism is private.", _same_pair_twice),
    Erratum(
        32, SLIDES, "Theorem 2, limit display, third indicator", "1{E T_n / delta < 1}",
        "1{|E T_n / delta| < 1}",
        "Without the absolute value it tends to 1, not to 0, wherever eta < 1/2.", _lost_absolute_value),
    Erratum(
        32, SLIDES, "Definition 5", "f(x) > mu on the support", "f(x) >= mu on the support",
        "As printed the uniform law with mu = 1 would be outside the class.", _strict_density),
]
"""Errata 1 to 4 and 32."""

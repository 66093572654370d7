"""Where the printed proof of Theorem 2.2, its introduction and the slides slip (Berrett & Butucea 2019)."""

import math
from fractions import Fraction

import numpy as np

from ldp_lib.lessons.papers import CLASSIFICATION, SLIDES
from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.scores import wrong_side_probability
from ldp_lib.stage.errata import Evidence, erratum


@erratum(1, CLASSIFICATION, "(3.1), third line", "5 n alpha^4 t^2 / 2^(4d+9)",
         "5 n alpha^4 t^2 / 2^(4d+13), for alpha <= 1",
         "The printed term is larger than the true one: loose, and the bound survives.")
def _hoeffding_term():
    n, alpha, t, d = 1000, 1.0, 0.5, 1
    lam = n * alpha**2 * t / 2 ** (2 * d + 4)
    return Evidence(
        "Hoeffding term 5 lambda^2 / (32 n) at n = 1000, alpha = 1, t = 1/2, d = 1",
        printed=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 9),
        corrected=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 13), computed=5 * lam**2 / (32 * n))


@erratum(2, CLASSIFICATION, "proof of Theorem 2.2, moment generating function", "W - U/2 - EW - EU/2",
         "W - U/2 - EW + EU/2", "A sign; the lines after it use the right one.")
def _centring():
    p, q = Fraction(3, 10), Fraction(18, 100)
    outcomes = [(w, u, (q if w else 1 - q) * (p if u else 1 - p)) for w in (0, 1) for u in (0, 1)]
    derivative = {sign: sum((w - Fraction(u, 2) - q + sign * p / 2) * mass for w, u, mass in outcomes)
                  for sign in (-1, 1)}
    return Evidence(
        "mean of the variable in the exponent at p = 0.3, q = 0.18; a centred one has mean 0",
        printed=float(derivative[-1]), corrected=float(derivative[1]), computed=0.0)


@erratum(3, CLASSIFICATION, "Theorem 2.2", "n alpha^2 h^(2d) -> infinity, any alpha",
         "n min(alpha, 1)^2 h^(2d) -> infinity",
         "As printed the theorem is false: with large alpha the noise vanishes but the cubes stay empty.")
def _unbounded_alpha():
    """X uniform, eta = 1: a point far from everybody is labelled by noise alone, whatever alpha is."""
    n = 300
    h, alpha = float(n) ** -2, float(n) ** 3
    # Cubes of mass 2h overlap at every x; eta = 1 makes q = p, and the excess risk is P(T_n < 0).
    risk = wrong_side_probability(n, 2 * h, 2 * h, 4 / alpha)
    # A lower bound by hand: nobody of either half is in the cube, and then the noise decides.
    return Evidence(
        "excess risk at h = n^-2, alpha = n^3, n = 300 a half, where n alpha^2 h^2 = n^3",
        printed=0.0, corrected=(1 - 2 * h) ** (2 * n) / 2, computed=float(risk))


@erratum(4, CLASSIFICATION, "proof of Theorem 2.2, the set Omega_0", "Omega_0 = Omega_mu union Omega_nu",
         "Omega_0 contains Omega_mu union Omega_nu",
         "Only the inclusion is true, and only the inclusion is needed. The same proof differentiates "
         "along cubes that are not centred at x0; approximating eta in L1 by continuous functions repairs "
         "it.")
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
        printed=max(lower.values()), corrected=1.0, computed=float((ball[0] + ball[1])[keep].min()))


@erratum(32, SLIDES, "Definition 1", "Q(A | x', y') / Q(A | x', y')", "Q(A | x, y) / Q(A | x', y')",
         "As printed every mechanism is private.")
def _same_pair_twice():
    alpha, mechanism = 1.0, CubeLaplace(1.0, 0.2)
    return Evidence(
        "sup of the ratio in the definition of alpha-LDP for the cube mechanism at alpha = 1",
        printed=1.0, corrected=math.exp(alpha), computed=math.exp(mechanism.privacy_loss(0.1, 1, 0.9, 1)))


@erratum(32, SLIDES, "Theorem 2, limit display, third indicator", "1{E T_n / delta < 1}",
         "1{|E T_n / delta| < 1}", "Without the absolute value it tends to 1, not to 0, wherever eta < 1/2.")
def _lost_absolute_value_in_the_limit():
    eta, p = 0.2, 0.3
    ratio = p * (eta - 0.5) / (abs(eta - 0.5) * p / 2)
    return Evidence(
        "the third indicator at eta = 0.2, where E T_n / delta tends to -2; the proof needs 0",
        printed=float(ratio < 1), corrected=float(abs(ratio) < 1), computed=0.0)


@erratum(32, SLIDES, "Definition 5", "f(x) > mu on the support", "f(x) >= mu on the support",
         "As printed the uniform law with mu = 1 would be outside the class.")
def _strict_density():
    least = problem("sine").density(np.linspace(0, 1, 11)[:, None]).min()
    return Evidence(
        "is the uniform law, of density 1, in the class with mu = 1? The paper's definition says yes, 1",
        printed=float(least > 1.0), corrected=float(least >= 1.0), computed=1.0)


def _histogram_error(n, alpha=1.0):
    """Smallest integrated squared error, over bin widths, of a private histogram of the density 2x: exact.

    Each person adds Laplace(2 / alpha) noise, of variance 8 / alpha^2, to the indicator of every bin.
    """
    bins = np.unique(np.round(np.geomspace(1, 1e4, 4000)))
    h = 1 / bins
    # Bin masses are (2k + 1) h^2, k = 0, ..., bins - 1; their squares sum to (4 bins^2 - 1) h^3 / 3.
    squares = (4 * bins**2 - 1) * h**3 / 3
    return float((h**2 / 3 + (1 - squares) / (n * h) + 8 / (alpha**2 * n * h**2)).min())


@erratum(16, CLASSIFICATION, "introduction, density estimation",
         "(n alpha^2)^(-beta / (2 beta + 2)), n^(-beta / (2 beta + 1))",
         "(n alpha^2)^(-2 beta / (2 beta + 2)), n^(-2 beta / (2 beta + 1))",
         "The printed exponents are those of the root of the mean integrated squared error.")
def _squared_error():
    beta, low, high = 1.0, 1e8, 1e12
    slope = math.log(_histogram_error(low) / _histogram_error(high)) / math.log(high / low)
    return Evidence(
        "exponent of the mean integrated squared error for smoothness 1: a private histogram of 2x, n = "
        "1e8 to 1e12",
        printed=beta / (2 * beta + 2), corrected=2 * beta / (2 * beta + 2), computed=slope)

"""Where Butucea, Dubois, Kroll & Saumard (2020) slip, or promise more than they prove: errata 17 to 19."""

import math

import numpy as np

from ldp_lib.lessons.papers import WAVELETS
from ldp_lib.stage.errata import Evidence, erratum
from ldp_lib.theory.coefficients import coefficient_deviation, log_noisy_tail
from ldp_lib.theory.densities import p_norm
from ldp_lib.theory.rates import density_exponent, linear_density_exponent
from ldp_lib.wavelets import wavelet_basis


def edge_coefficients(wavelet, j):
    """The coefficients of level j >= 4 of the uniform density on [0, 1], read on the line; those that are
    not 0.

    Only the supports that cross 0 or 1 have any: 2^(-j/2) times the integral of psi from 0 to m, or less it.
    """
    basis = wavelet_basis(wavelet)
    below = basis.integral("psi", np.arange(1, basis.overlap))
    return 2 ** (-j / 2) * np.concatenate([-below, below])


@erratum(17, WAVELETS, "introduction, the class and the procedures",
         "periodic smoothness is equivalent to smoothness on the line; \"also non-interactive procedures\"",
         "smoothness on the line is more: a density that does not vanish at the ends of its support jumps; "
         "\"also interactive procedures\"",
         "The theorems are about the line, and hold. A density like the uniform one needs boundary "
         "wavelets or a periodic basis. The lower bounds cover interaction; the mechanisms of the paper do "
         "without.")
def _jumps_of_the_line():
    s, p, j = 1.0, 2.0, 8
    level = [2 ** (i * (s + 0.5 - 1 / p)) * p_norm(edge_coefficients("db2", i), p) for i in (j, j + 1)]
    return Evidence(
        "growth per level of the Besov norm of the uniform density, s = 1, p = 2, db2; printed: the "
        "periodic class, in which it has no details at all",
        printed=0.0, corrected=2 ** (s - 1 / p), computed=level[1] / level[0])


def worst_bias_and_noise(n, alpha, s, p, J, wavelet="db8"):
    """Largest squared bias over the ball of radius 1 (q infinite, p <= 2) plus the noise, r = 2; exact.

    Of the linear estimator's risk only the people's own variance is missing, which is of a lower order.

    Squared bias: a level of p-norm b has 2-norm at most b, reached by a spike; so the sum over j >= J of
    4^(-j (s + 1/2 - 1/p)). Noise: one variance of scale 2 S_phi 2^(J/2) / alpha for each phi_Jk on [0, 1].
    """
    basis = wavelet_basis(wavelet)
    star = s + 0.5 - 1 / p
    noise = 2 * (2 * basis.S_phi * 2 ** (J / 2) / alpha) ** 2 * len(basis.translates(J)) / n
    return 4 ** (-J * star) / (1 - 4**-star) + noise


def _slope(s, tuned, p, levels=(30, 40)):
    """Exponent of n in `worst_bias_and_noise` at alpha = 1 with 2^J = n^(1 / (2 tuned + 2))."""
    n = [2.0 ** ((2 * tuned + 2) * J) for J in levels]
    risk = [worst_bias_and_noise(people, 1.0, s, p, J) for people, J in zip(n, levels, strict=True)]
    return math.log(risk[0] / risk[1]) / math.log(n[1] / n[0])


@erratum(18, WAVELETS, "Corollary 4.1, r > p", "J as in (4.2)",
         "J as in (4.2) with s* = s - 1/p + 1/r in place of s",
         "With s the level is too coarse for spiky densities and the promised rate is missed.")
def _level_for_the_wrong_norm():
    s, p, r = 2.0, 1.0, 2.0
    return Evidence(
        "exponent of the worst squared bias plus noise, s = 2, p = 1, r = 2, linear with J as in (4.2)",
        printed=linear_density_exponent(s, p, r).exponent, corrected=r * (s - 1 / p + 1 / r) / (2 * s + 2),
        computed=_slope(s, s, p))


@erratum(19, WAVELETS, "Section 3, mechanism (3.1)", "sigma_J for a J that (4.2) chooses later",
         "J, and with it the smoothness s, must be known before the first report is sent",
         "The linear procedure is not adaptive: its noise comes from J, and a wrong s costs the rate.")
def _level_for_the_wrong_smoothness():
    s, p, tuned = 1.0, 2.0, 2.0
    return Evidence(
        "exponent of the worst squared bias plus noise, s = 1, p = r = 2, with a mechanism built for s = "
        "2; printed: the minimax exponent, that of an adaptive procedure",
        printed=density_exponent(s, p, 2).exponent, corrected=2 * s / (2 * tuned + 2),
        computed=_slope(s, tuned, p))


@erratum(19, WAVELETS, "Section 5 and Proposition C.1, adaptation", "independent of s, p, q, L and T",
         "independent of s, p, q and L given T, which the published translates need, and a bound of the "
         "density, which the threshold needs",
         "A threshold for too low a bound lets noise through, more often than promised.")
def _height_must_be_known():
    n, j, g, B, assumed, sigma = 4000, 5, 2.0, 4.0, 1.0, 0.05
    lam = float(coefficient_deviation(n, j, sigma, assumed, 1.0, g))
    # Haar, height B on the support of psi_jk: one person's coefficient is +-2^(j/2) with probability B 2^-j.
    log_tail = float(log_noisy_tail(n, n * lam / sigma, min(1.0, B / 2**j), 2 ** (j / 2) / sigma))
    v, b = B + 2 * sigma**2, max(2 / 3 * 2 ** (j / 2), sigma)
    bernstein = -n * lam**2 / (2 * (v + b * lam))
    return Evidence(
        "P(|betahat - beta| >= lambda_j) for Haar, n = 4000, j = 5, g = 2, little noise and a density of "
        "height 4, lambda_j computed for height 1; corrected: Bernstein's inequality at the true height",
        printed=2 * 2.0 ** (-g * j), corrected=min(1.0, 2 * math.exp(bernstein)),
        computed=2 * math.exp(log_tail))

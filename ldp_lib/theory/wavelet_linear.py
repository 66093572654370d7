"""Proposition 4.1 and Corollary 4.1 of Butucea, Dubois, Kroll & Saumard (2020), executed with constants.

The linear estimator keeps every noisy coefficient below level J of mechanism (3.1). With u = max(p, r), s* =
s - (1/p - 1/r)+ and a ball of radius L,

    E ||fhat - f||_u^u <= C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) },

and the J of (4.2), with s* in place of s, makes this the rate in s*; for r < p the error in L_r follows by
Hölder's inequality. Moments beyond the second are bounded by the fourth, whose constants are explicit, so
that u <= 4 here; the paper uses Rosenthal's inequality, for every u and with a constant left open.
"""

import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.density_rates import linear_density_exponent
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.wavelet_constants import coefficients_at, norm_power, square_bound
from ldp_lib.theory.wavelet_privacy import noise_scales
from ldp_lib.wavelets import wavelet_basis

PAPER = "Butucea et al. 2020, proof of Proposition 4.1"
COROLLARY = "Butucea et al. 2020, proof of Corollary 4.1"


def linear_level(n, alpha, s):
    """The J of (4.2): the largest with 2^J <= min(n^(1/(2s+1)), (n alpha^2)^(1/(2s+2))), at least 0.

    n : people, a real number >= 1.  alpha : nats.  s : smoothness, s* for r > p (errata 18).

    >>> linear_level(2**30, 1.0, s=0.5), linear_level(2**30, 1.0, s=1.5)
    (10, 6)
    """
    n, alpha, s = real("n", n, least=1), real("alpha", alpha, above=0), real("s", s, above=0)
    finest = min(math.log2(n) / (2 * s + 1), math.log2(n * alpha**2) / (2 * s + 2))
    return max(0, math.floor(finest + 1e-9))


def ledger_wavelet_4_1(n=10**6, alpha=1.0, s=1.0, p=2.0, r=2.0, L=1.0, B=2.0, width=1.0, wavelet="db2",
                       J=None, x=0.3):
    """The ledger of Proposition 4.1 and Corollary 4.1 for tight noise.

    n : people in all, n alpha^2 >= 1.  alpha : nats.
    s, p, r : Besov smoothness, its norm and that of the loss; max(p, r) <= 4 and s > (1/p - 1/r)+.
    L : radius of the ball.  B : bound of the density.  width : of the domain.
    wavelet : a name of `ldp_lib.wavelets.WaveletBasis`.  x : the point at which the kernel is computed.
    J : None for the corrected (4.2); another one shows which of the lines on the choice of J then fail.
    """
    n, alpha = whole("n", n, most=10**15), real("alpha", alpha, above=0)
    s, L = real("s", s, least=0.01, most=100), real("L", L, above=0)
    B, width, x = real("B", B, above=0), real("width", width, above=0), real("x", x, least=-9, most=9)
    p, r = (real(name, value, least=1, most=4, cure="The moments in this ledger end at the fourth.")
            for name, value in (("p", p), ("r", r)))
    if B * width < 1:
        raise ValueError(f"B = {B:g} is too small: a density on an interval of length {width:g} exceeds "
                         f"{1 / width:g} somewhere. Raise B.")
    total = n * alpha**2
    if total < 1:
        raise ValueError(f"alpha = {alpha:g} with n = {n} is out of range: n alpha^2 = {total:.3g} must be "
                         "at least 1. Take more people.")
    exponents = [linear_density_exponent(s, p, r, private).exponent for private in (False, True)]
    u, star = max(p, r), s - max(0.0, 1 / p - 1 / r)
    J = whole("J", linear_level(n, alpha, star) if J is None else J, least=0, most=20,
              cure="(4.2) asks for a finer level than the mechanism has; take fewer people, or a larger s.")
    basis, D = wavelet_basis(wavelet), square_bound(wavelet)
    c = basis.overlap

    # Bias: the worst one-level density is a spike, f0 + gamma psi_Jk with gamma 2^(J(s + 1/2 - 1/p)) = L.
    spike = L * norm_power(wavelet, u) ** (1 / u) * 2 ** (-J * star)
    meyer = basis.S_psi ** (1 - 1 / u) * norm_power(wavelet, 1) ** (1 / u)
    j = np.arange(J, J + math.ceil(60 / star))
    tail, closed_tail = float((2.0 ** (-j * star)).sum()), 2 ** (-J * star) / (1 - 2**-star)

    # Stochastic error at the point x.
    fathers, mothers, top = coefficients_at(wavelet, [x], J)
    weights = np.concatenate([values[0] for _, values in (fathers, *mothers)])
    diagonal, kernel = float(np.square(weights).sum()), float(np.square(top[1]).sum())
    sigma = float(noise_scales(alpha, wavelet, J, "common")[0])
    C_sigma = 2 * (math.sqrt(2) + 1) * max(basis.S_phi, basis.S_psi)
    people, noise = 2**J / n, 4.0**J / total
    spread, shake = B * D * people, 2 * C_sigma**2 * D * noise        # bounds of the two variances
    variance = 2 * sigma**2 / n * diagonal
    fourth = 3 * variance**2 + 12 * n * float(((weights * sigma / n) ** 4).sum())
    bounded = 2 * 2**J * D / n
    if u <= 2:
        powers = np.array([(B * D) ** (u / 2), (2 * C_sigma**2 * D) ** (u / 2)])
    else:
        powers = np.array([((3 + 4 * D / B) * (B * D) ** 2) ** (u / 4),
                           (6 * (2 * C_sigma**2 * D) ** 2) ** (u / 4)])
    length = width + 2 * c
    parts = np.array([(L * meyer / (1 - 2**-star)) ** u, *(length * powers)])
    sizes = np.array([2 ** (-J * u * star), people ** (u / 2), noise ** (u / 2)])
    C = 3 ** (u - 1) * parts.max()

    # The choice of J.
    plain, private = n ** (-u * star / (2 * star + 1)), total ** (-u * star / (2 * star + 2))
    rate = max(plain, private)
    coefficients = sum(len(basis.translates(i, 0.0, width)) for i in (0, *range(J)))
    crossing = n ** (1 / (4 * star + 2))

    steps = (
        Step("embedding", "s + 1/2 - 1/p = s* + 1/2 - 1/u: the ball in B^s_p lies in that in B^(s*)_u",
             s - 1 / p, star - 1 / u, COROLLARY, "="),
        Step("one level",
             "||sum_k beta_jk psi_jk||_u <= S_psi^(1-1/u) ||psi||_1^(1/u) 2^(j(1/2-1/u)) ||beta_j||_u",
             spike, L * meyer * 2 ** (-J * star), "Hölder's inequality, for a spike of level J"),
        Step("all levels", "sum_{j >= J} 2^(-j s*) = 2^(-J s*) / (1 - 2^-s*)", tail, closed_tail, PAPER, "="),
        Step("kernel", "sum_k phi_0k(x)^2 + sum_{j < J, k} psi_jk(x)^2 = sum_k phi_Jk(x)^2", diagonal, kernel,
             "two orthonormal bases of V_J", "="),
        Step("kernel, size", "sum_k phi_Jk(x)^2 <= 2^J D, D = S_phi sup |phi|", kernel, 2**J * D, PAPER),
        Step("people, variance", "Var <= B sum_k phi_Jk(x)^2 / n <= B D 2^J / n", B * kernel / n, spread,
             PAPER),
        Step("noise scale", "tight sigma_J <= 2 (sqrt 2 + 1) max(S_phi, S_psi) 2^(J/2) / alpha", sigma,
             C_sigma * 2 ** (J / 2) / alpha, "mechanism (3.1)"),
        Step("noise, variance", "(2 sigma_J^2 / n) sum_k phi_Jk(x)^2 <= 2 C_sigma^2 D 2^(2J) / (n alpha^2)",
             variance, shake, PAPER),
        Step("noise, fourth moment", "3 V^2 + 12 n sum (a sigma_J / n)^4 <= 3 (1 + 1/n) V^2", fourth,
             3 * (1 + 1 / n) * variance**2, "exact, in place of Rosenthal's inequality"),
        Step("noise, moment", "E |Z|^u <= V^(u/2), or (E Z^4)^(u/4) beyond u = 2",
             variance ** (u / 2) if u <= 2 else fourth ** (u / 4), powers[1] * noise ** (u / 2), PAPER),
        Step("people, fourth moment", "max^2 V + 3 V^2 <= (3 + 4 D / B) (B D 2^J / n)^2 while 2^J <= n",
             bounded**2 * spread + 3 * spread**2, (3 + 4 * D / B) * spread**2,
             "in place of Rosenthal's inequality"),
        Step("noise, integrated",
             "(2 sigma_J^2 / n) (number of coefficients) <= (width + 2c) 2 C_sigma^2 D 2^(2J) / (n alpha^2)",
             2 * sigma**2 / n * coefficients, length * shake, "the exact part of the risk at r = 2"),
        Step("(4.1)",
             "3^(u-1) (bias^u + people + noise) <= "
             "C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) }",
             3 ** (u - 1) * float((parts * sizes).sum()), C * float(sizes.sum()), PAPER),
        Step("(4.2), bias", "2^(-J u s*) <= 2^(u s*) rate: rounding J down costs at most one level", sizes[0],
             2 ** (u * star) * rate, COROLLARY + ", with errata 18"),
        Step("(4.2), people", "(2^J / n)^(u/2) <= n^(-u s* / (2 s* + 1))", sizes[1], plain,
             COROLLARY + ", with errata 18"),
        Step("(4.2), noise", "(2^(2J) / (n alpha^2))^(u/2) <= (n alpha^2)^(-u s* / (2 s* + 2))", sizes[2],
             private, COROLLARY + ", with errata 18"),
        Step("(4.3)", "C {...} <= C (2^(u s*) + 2) rate", C * float(sizes.sum()),
             C * (2 ** (u * star) + 2) * rate, PAPER),
        Step("Hölder", "rate^(r/u) = n^-e ∨ (n alpha^2)^-e', the exponents of the linear estimator in L_r",
             rate ** (r / u), max(n ** -exponents[0], total ** -exponents[1]), COROLLARY, "="),
        Step("crossover",
             "n^(-u s* / (2 s* + 1)) = (n alpha^2)^(-u s* / (2 s* + 2)) at alpha = n^(1 / (4 s* + 2))", plain,
             (n * crossing**2) ** (-u * star / (2 * star + 2)), PAPER, "="),
    )
    params = {"n": n, "alpha": alpha, "s": s, "p": p, "r": r, "L": L, "B": B, "width": width,
              "wavelet": wavelet, "J": J, "x": x}
    return Ledger("wavelet-4.1", params, steps, kind="Proposition")

"""The threshold estimator of Butucea et al. (2020), Proposition C.1, executed."""

import math

import numpy as np
from scipy.special import zeta

from ldp_lib._arguments import real, whole
from ldp_lib.theory.coefficients import (coefficient_deviation, log_noisy_tail,
                                         mother_values, noise_scales)
from ldp_lib.theory.proofs.steps import Step, equation, proves
from ldp_lib.wavelets import wavelet_basis

MGF_CELLS = 2**8
"""Cells per unit length of the quadrature of a moment generating function; its second moment is exact."""


@proves("wavelet-C.1", kind="Proposition")
def ledger_wavelet_C_1(n: int = 10**5, alpha: float = 1.0, j: int = 3, wavelet: str = "db2", levels: int = 6,
                       nu: float = 1.5, B: float = 2.0, g: float = 2.0):
    """The ledger of Proposition C.1, and of the threshold that Theorem 5.1 makes of it, at one coefficient.

    n : people in all.  alpha : nats.  j : level, 1 <= j < levels.
    wavelet, levels, nu : those of mechanism (3.2), tight.
    B : bound of the density, >= 1.  g : the failure probability is 2 * 2^(-g j); Theorem 5.1 asks for
    g >= max(2 r, (R + 1) r), R the regularity of the wavelet.

    Where a line concerns a density, it is B on the support of psi_jk (2^j / c if B is too large for that),
    and the line is tight. "j 2^j <= n" is the condition on the level that the choice of J1 provides.
    """
    n, alpha = whole("n", n, least=2), real("alpha", alpha, above=0, most=100)
    levels = whole("levels", levels, least=2, most=20)
    j = whole("j", j, most=levels - 1)
    nu, B, g = real("nu", nu, above=1, most=100), real("B", B, least=1), real("g", g, above=0)
    basis = wavelet_basis(wavelet)
    sigma, size = float(noise_scales(alpha, wavelet, levels, "by_level", nu)[j + 1]), 2 ** (j / 2)
    t, v = g * j * math.log(2), B + 2 * sigma**2
    bounded, b = 2 / 3 * basis.psi_max * size, max(2 / 3 * basis.psi_max * size, sigma)
    lam = float(coefficient_deviation(n, j, sigma, B, basis.psi_max, g))
    y = math.sqrt(2 * t / (v * n))
    s = y / (1 + b * y)

    top = min(B, 2**j / basis.overlap)
    exponent = s * size * mother_values(wavelet, MGF_CELLS)
    # E exp(s psi_jk(X)) - 1; the mean is 0, and what is left of exp(e) - 1 - e must not cancel.
    small = np.abs(exponent) < 1e-3
    rest = np.where(small, exponent**2 / 2 * (1 + exponent / 3 * (1 + exponent / 4 * (1 + exponent / 5))),
                    np.expm1(exponent) - exponent)
    grown = float(np.log1p(top / 2**j * rest.sum() / MGF_CELLS))
    people, noise = B * s**2 / (2 * (1 - bounded * s)), sigma**2 * s**2 / (1 - sigma * s)
    both = v * s**2 / (2 * (1 - b * s))
    laplace = -math.log1p(-((sigma * s) ** 2))
    moments = max(2 * 3.0 ** (m - 2) / math.factorial(m) for m in range(2, 20))
    alone = -float(log_noisy_tail(n, math.sqrt(4 * t * n) + t))
    haar = -float(log_noisy_tail(n, n * lam / sigma, min(1.0, B / 2**j), size / sigma))

    C = 2 * basis.S_psi * (2 + zeta(nu))
    shape = np.array([math.sqrt(j / n), size * j ** (nu + 0.5) / (math.sqrt(n) * alpha)])
    K = np.array([math.sqrt(2 * B * g * math.log(2)) + 2 / 3 * basis.psi_max * g * math.log(2),
                  C * (2 * math.sqrt(g * math.log(2)) + g * math.log(2))])

    steps = (
        Step("second moment", "E psi_jk(X)^2 <= B", top, B),
        Step("moments, people", "M^(m-2) <= (m!/2) (M/3)^(m-2) for |psi_jk(X) - beta| <= M; the worst m",
             moments, 1.0, "Bernstein's condition"),
        Step("mgf, people",
             "n log E exp(s psi_jk(X)) <= n B s^2 / (2 (1 - M s / 3)), M = 2 sup |psi| 2^(j/2)", n * grown,
             n * people),
        Step("mgf, noise", "- n log(1 - sigma^2 s^2) <= n sigma^2 s^2 / (1 - sigma s)", n * laplace,
             n * noise),
        Step("mgf, both", "their sum <= n (B + 2 sigma^2) s^2 / (2 (1 - b s)), b = max(M/3, sigma)",
             n * (people + noise), n * both),
        equation("Chernoff", "n s lambda_j - n (B + 2 sigma^2) s^2 / (2 (1 - b s)) = t at the best s",
                 n * (s * lam - both), t, "Boucheron, Lugosi & Massart 2013, Section 2.4"),
        Step("exponent", "t <= n [s lambda_j - log E exp(s ...)] with the exact moment generating functions",
             t, n * (s * lam - grown - laplace), "what the bounds on them give away"),
        Step("tail, noise", "t <= -log P(mean of sigma W >= sqrt(4 sigma^2 t / n) + sigma t / n)", t, alone,
             "exact tail"),
        Step("tail, Haar", "t <= -log P(a Haar coefficient with this noise strays by lambda_j)", t, haar,
             "exact tail"),
        Step("two sides", "P(|betahat_jk - beta_jk| >= lambda_j) <= 2 * 2^(-g j)", 2 * math.exp(-haar),
             2 * 2.0 ** (-g * j), "exact tail, Haar"),
        Step("C", "2 S_psi (2 + sum_{0 < i < J} i^-nu) <= C = 2 S_psi (2 + zeta(nu))",
             sigma * alpha / (size * j**nu), C, "sigma_j <= C 2^(j/2) j^nu / alpha at every J"),
        Step("level", "j 2^j <= n", j * 2.0**j, n, "choice of J1 <= J11 in Theorem 5.1"),
        Step("people's part", "sqrt(2 B t / n) + (M/3) t / n <= K_1 sqrt(j / n)",
             math.sqrt(2 * B * t / n) + bounded * t / n, K[0] * shape[0], "needs j 2^j <= n"),
        Step("noise's part",
             "2 sigma sqrt(t / n) + sigma t / n <= K_2 2^(j/2) j^(nu + 1/2) / sqrt(n alpha^2)",
             2 * sigma * math.sqrt(t / n) + sigma * t / n, K[1] * shape[1], "needs j <= n"),
        Step("threshold",
             "lambda_j <= max(K_1, K_2) t_j, t_j = sqrt(j / n) + 2^(j/2) j^(nu + 1/2) / sqrt(n alpha^2)", lam,
             K.max() * shape.sum(), "Theorem 5.1's t_j"),
    )
    return {"n": n, "alpha": alpha, "j": j, "wavelet": wavelet, "levels": levels, "nu": nu, "B": B,
            "g": g}, steps

"""The proofs of Butucea, Dubois, Kroll & Saumard (2020), executed with constants.

Proposition 3.1: noisy coefficients are private.

Proposition 4.1 and Corollary 4.1: the linear estimator keeps every noisy coefficient below level J of
mechanism (3.1). With u = max(p, r), s* = s - (1/p - 1/r)+ and a ball of radius L,

    E ||fhat - f||_u^u <= C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) },

and the J of (4.2), with s* in place of s, makes this the rate in s*; for r < p the error in L_r follows by
Hölder's inequality. Moments beyond the second are bounded by the fourth, whose constants are explicit, so
that u <= 4 here; the paper uses Rosenthal's inequality, for every u and with a constant left open.

Proposition C.1: how far a noisy coefficient strays, see `ldp_lib.theory.coefficients`.
"""

import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.coefficients import coefficients_at, difference, noise_scales
from ldp_lib.theory.proofs.steps import Step, equation, proves
from ldp_lib.wavelets import wavelet_basis

COROLLARY = "Butucea et al. 2020, proof of Corollary 4.1"
OURS = "sharper than the paper"


@proves("wavelet-3.1", kind="Proposition")
def ledger_wavelet_3_1(alpha: float = 1.0, wavelet: str = "db2", levels: int = 6, nu: float = 1.5,
                       x: float = 0.3, x2: float = 0.7):
    """The ledger of Proposition 3.1 at two people, x and x2, who differ in everything that the reports show.

    alpha : nats, > 0.  wavelet : a name of `ldp_lib.wavelets.WaveletBasis`.  levels : J >= 1; the
    coefficients are those of the father at level 0 and of the mothers at 0, ..., J - 1.  nu : of mechanism
    (3.2), > 1.

    "common" is mechanism (3.1), "by level" is (3.2), "fathers" publishes the fathers of level J only. c is
    the filter length less 1; C_nu = (3 nu - 2) / (nu - 1).
    """
    alpha, levels = real("alpha", alpha, above=0), whole("levels", levels, most=20)
    nu, x, x2 = real("nu", nu, above=1, most=100), real("x", x, least=-9, most=9), real("x2", x2, least=-9,
                                                                                        most=9)
    basis = wavelet_basis(wavelet)
    c, S_phi, S_psi = basis.overlap, basis.S_phi, basis.S_psi
    largest = max(basis.phi_max, basis.psi_max)
    J, root = levels, math.sqrt(2) + 1
    j = np.arange(J)

    fathers, mothers, top = coefficients_at(wavelet, [x, x2], J)
    # Sums over k, for two people.
    heights = [np.abs(values).sum(axis=1) for _, values in (fathers, *mothers, top)]
    apart = np.array([difference(*pair) for pair in (fathers, *mothers)])
    summed = np.array([height.sum() for height in heights[:-1]])
    by_level = noise_scales(alpha, wavelet, J, "by_level", nu)
    common, top_scale = (noise_scales(alpha, wavelet, J, scales)[0] for scales in ("common", "scaling_only"))

    geometric = float((2.0 ** (j / 2)).sum())
    crude = 2 * c / alpha * (basis.phi_max + root * basis.psi_max * (2 ** (J / 2) - 1))
    weights = np.maximum(j, 1.0) ** nu
    C_nu = (3 * nu - 2) / (nu - 1)
    series = float((1 / weights[1:]).sum())
    crude_levels = 2 * c * C_nu / alpha * np.append(basis.phi_max, basis.psi_max * 2 ** (j / 2) * weights)
    spent = apart / by_level
    allowed = alpha / (2 + series) * np.append(1.0, 1 / weights)
    worst = int(np.argmax(spent / allowed))

    steps = (
        Step("overlap, fathers", "sum_k |phi(x - k)| <= S_phi", heights[0].max(), S_phi, OURS),
        Step("c fathers", "S_phi <= c sup |phi|: c translates cover a point", S_phi, c * basis.phi_max),
        Step("overlap, mothers", "2^(-j/2) sum_k |psi_jk(x)| <= S_psi at every level",
             max(height.max() / 2 ** (i / 2) for i, height in enumerate(heights[1:-1])), S_psi, OURS),
        Step("c mothers", "S_psi <= c sup |psi|", S_psi, c * basis.psi_max),
        equation("farthest report",
                 "log ratio of the densities beyond both centres = sum |psi_jk(x) - psi_jk(x2)| / sigma",
                 _log_ratio((fathers, *mothers), common), apart.sum() / common,
                 "the exact privacy loss of the pair"),
        Step("triangle", "sum |psi_jk(x) - psi_jk(x2)| <= sum |psi_jk(x)| + |psi_jk(x2)|", apart.sum(),
             summed.sum()),
        equation("geometric sum", "sum_{j < J} 2^(j/2) = (sqrt 2 + 1)(2^(J/2) - 1)", geometric,
                 root * (2 ** (J / 2) - 1)),
        Step("common, overlap", "sum |psi_jk(x)| + |psi_jk(x2)| <= 2 S_phi + 2 S_psi sum 2^(j/2)",
             summed.sum(), 2 * (S_phi + S_psi * geometric), OURS),
        equation("common, tight", "2 [S_phi + S_psi sum 2^(j/2)] / sigma_J = alpha",
                 2 * (S_phi + S_psi * geometric) / common, alpha, "tight calibration of (3.1)"),
        Step("common, crude", "tight sigma_J <= (2c/alpha)[sup |phi| + (sqrt 2 + 1) sup |psi| (2^(J/2) - 1)]",
             common, crude),
        Step("common, order", "crude sigma_J <= 2c (sqrt 2 + 1) max(sup |phi|, sup |psi|) 2^(J/2) / alpha",
             crude, 2 * c * root * largest * 2 ** (J / 2) / alpha, "sigma_J of order 2^(J/2) / alpha"),
        Step("common", "the pair's privacy loss <= alpha", apart.sum() / common, alpha, "mechanism (3.1)"),
        Step("series", "sum_{0 < j < J} j^-nu <= 1 + integral from 1 of t^-nu = nu / (nu - 1)", series,
             nu / (nu - 1)),
        Step("C_nu", "2 + sum_{0 < j < J} j^-nu <= (3 nu - 2) / (nu - 1)", 2 + series, C_nu),
        Step("by level, one level",
             "level j spends at most alpha / (C max(j, 1)^nu); the level nearest to it", spent[worst],
             allowed[worst], "C = 2 + sum_{0 < j < J} j^-nu"),
        equation("by level, tight", "2 S_phi / sigma_-1 + sum_{j < J} 2 S_psi 2^(j/2) / sigma_j = alpha",
                 2 * float((np.append(S_phi, S_psi * 2.0 ** (j / 2)) / by_level).sum()), alpha,
                 "tight calibration of (3.2)"),
        Step("by level, crude", "tight sigma_j <= crude sigma_j at every level; the level nearest to it",
             (by_level / crude_levels).max(), 1.0),
        Step("by level", "the pair's privacy loss <= alpha", spent.sum(), alpha, "mechanism (3.2)"),
        Step("fathers, overlap", "2^(-J/2) sum_k |phi_Jk(x)| <= S_phi", heights[-1].max() / 2 ** (J / 2),
             S_phi, OURS),
        Step("fathers", "the pair's privacy loss <= alpha with noise 2 S_phi 2^(J/2) / alpha",
             difference(*top) / top_scale, alpha, "fathers of level J only"),
        Step("fathers, quieter", "2 S_phi 2^(J/2) / alpha <= tight sigma_J", top_scale, common,
             "the same space V_J for less noise"),
    )
    return {"alpha": alpha, "wavelet": wavelet, "levels": levels, "nu": nu, "x": x, "x2": x2}, steps


def _log_ratio(pairs, scale):
    """Log-likelihood ratio of the two people at a report beyond both centres in every coordinate."""
    total = 0.0
    for first, values in pairs:
        low, c = int(first.min()), values.shape[1]
        centres = np.zeros((2, int(first.max()) - low + c))
        for centre, start, row in zip(centres, first - low, values, strict=True):
            centre[start : start + c] = row
        own, other = centres
        report = own + np.where(own > other, 1.0, -1.0)
        total += (np.abs(report - other) - np.abs(report - own)).sum() / scale
    return float(total)

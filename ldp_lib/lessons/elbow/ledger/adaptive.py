"""The threshold estimator of Butucea et al. (2020), Section 5, executed.

Proposition C.1: how far a noisy coefficient strays, see `ldp_lib.theory.coefficients`.

Theorem 5.1: what thresholding costs, as an oracle inequality with constants of our own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from ldp_lib._arguments import choice, real, whole
from ldp_lib.lessons.elbow.ledger.privacy import DoubleNoise, EightfoldNoise, wavelet_mechanism
from ldp_lib.nature import Density, density
from ldp_lib.nature.densities import DENSITIES, Steps, cascade
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.privacy.mutants import OnePersonsWavelets
from ldp_lib.stage.ledger import Saboteur, Step, equation, proves
from ldp_lib.theory.coefficients import coefficient_deviation, log_haar_tail, log_noisy_tail
from ldp_lib.wavelets import wavelet_basis


@proves("wavelet-C.1",
        Saboteur("bounded density", "a density of 4 that is said to be at most 1",
                 lambda: _in_a_tower(1.0, j=2, levels=3, wavelet="haar"),
                 lambda: _in_a_tower(4.0, j=2, levels=3, wavelet="haar")),
        Saboteur("noise scale", "twice the noise", lambda: {"mechanism": DoubleNoise},
                 lambda: {"mechanism": OnePersonsWavelets}),
        Saboteur("independent people", "four reports are one person's",
                 lambda: {"copies": 4}, lambda: {"n": 25_000}),
        kind="Proposition")
def ledger_wavelet_C_1(n: int = 10**5, alpha: float = 1.0, j: int = 3, wavelet: str = "db2", levels: int = 6,
                       nu: float = 1.5, B: float = 2.0, g: float = 2.0, law: str | Density = "kink",
                       x: float = 0.5, copies: int = 1,
                       mechanism: type[WaveletLaplace] = WaveletLaplace):
    """The ledger of Proposition C.1, and of the threshold that Theorem 5.1 makes of it, at one coefficient.

    Its subjects are the coefficient psi_jk(X) of a person with the density `law`, the noise of mechanism
    (3.2) of the class `mechanism`, and n reports.

    n : reports in all, >= 2.  alpha : nats, at most 100.  j : level, 1 <= j < levels <= 20.
    wavelet, levels, nu : those of mechanism (3.2), tight.
    B : bound of the density, >= 1; the steps that use it hold if it is at least `law.sup_norm`.
    g : the failure probability is 2 * 2^(-g j); Theorem 5.1 asks for g >= max(2 r, (R + 1) r), R the
    regularity of the wavelet.
    law : a density of `ldp_lib.nature` or its name.  x : in [0, 1]; psi_jk is the one whose support has
    x in the middle, and the tails are those of the Haar coefficient there with the wavelet's noise.
    copies : so many of the n reports are one person's; it divides n.

    Not counted: the choice of s, and what K t_j makes of lambda_j under the condition "j 2^j <= n" on the
    level, which the choice of J1 provides: formulas only.
    """
    n, alpha = whole("n", n, least=2, most=10**15), real("alpha", alpha, above=0, most=100)
    levels = whole("levels", levels, least=2, most=15, cure="Averages over cells are exact enough so far.")
    j, law, people = whole("j", j, most=levels - 1), _law(law), _people(n, copies, 2)
    nu, B, g = real("nu", nu, above=1, most=100), real("B", B, least=1), real("g", g, above=0)
    x, basis, size = real("x", x, least=0, most=1), wavelet_basis(wavelet), 2 ** (j / 2)

    # By the proof.
    series = float((np.arange(1.0, levels) ** -nu).sum())
    sigma = 2 * basis.S_psi * (2 + series) * size * j**nu / alpha
    t, v = g * j * math.log(2), B + 2 * sigma**2
    spread = 2 * basis.psi_max * size
    bounded, b = spread / 3, max(spread / 3, sigma)
    lam, haar_lam = coefficient_deviation(n, j, sigma, B, [basis.psi_max, 1.0], g)
    y = math.sqrt(2 * t / (v * n))
    s = y / (1 + b * y)
    signal, noise = B * s**2 / (2 * (1 - bounded * s)), sigma**2 * s**2 / (1 - sigma * s)
    both = v * s**2 / (2 * (1 - b * s))
    C = 2 * basis.S_psi * (2 + zeta(nu))
    shape = np.array([math.sqrt(j / n), size * j ** (nu + 0.5) / (math.sqrt(n) * alpha)])
    K = np.array([math.sqrt(2 * B * g * math.log(2)) + 2 / 3 * basis.psi_max * g * math.log(2),
                  C * (2 * math.sqrt(g * math.log(2)) + g * math.log(2))])

    # By the subjects.
    one, scale = coefficient_law(law, basis, j, x), wavelet_mechanism(mechanism)(
        alpha, wavelet, levels, "by_level", nu=nu, noise="real").scales_by_level[j + 1]
    summed = people * (one.log_mgf(copies * s) + log_mgf_of_noise(copies * scale * s))
    moments = max(one.moment(m) / (math.factorial(m) / 2 * B * bounded ** (m - 2)) for m in range(2, 13))
    alone = -float(log_noisy_tail(people, people * sigma / scale * (2 * math.sqrt(t / n) + t / n)))
    haar = coefficient_law(law, wavelet_basis("haar"), j, x)
    up, down = (float(haar.masses[haar.values * sign > 0].sum()) for sign in (1, -1))
    tails = -log_haar_tail(people, [up, down], [down, up], haar_lam / size, scale / size)

    name, bound, loud = f"{law.name} at psi_jk", ("bounded density",), ("noise scale",)
    crowd, everything = f"{people:,} people", ("bounded density", "noise scale", "independent people")
    steps = (
        Step("second moment", "E psi_jk(X)^2 <= B", one.masses @ one.values**2, B, subject=name, uses=bound),
        Step("moments, people",
             "E |psi_jk(X) - beta|^m <= (m!/2) B (M/3)^(m-2), M = 2 sup |psi| 2^(j/2); the worst m", moments,
             1.0, "Bernstein's condition", subject=name, uses=bound),
        Step("mgf, people", "n log E exp(s (psi_jk(X) - beta)) <= n B s^2 / (2 (1 - M s / 3))",
             n * one.log_mgf(s), n * signal, subject=name, uses=bound),
        Step("mgf, noise", "n log E exp(s sigma_j W) <= n sigma_j^2 s^2 / (1 - sigma_j s)",
             n * log_mgf_of_noise(scale * s), n * noise, subject=f"the noise of {mechanism.__name__}",
             uses=loud),
        Step("variance", "n Var betahat_jk <= B + 2 sigma_j^2", copies * (one.moment(2) + 2 * scale**2), v,
             subject=crowd, uses=everything),
        Step("mgf, both",
             "log E exp(s n (betahat_jk - beta_jk)) <= n (B + 2 sigma_j^2) s^2 / (2 (1 - b s)), "
             "b = max(M/3, sigma_j)", summed, n * both, subject=crowd, uses=everything),
        equation("Chernoff", "n s lambda_j - n (B + 2 sigma_j^2) s^2 / (2 (1 - b s)) = t at the best s",
                 n * (s * lam - both), t, "Boucheron, Lugosi & Massart 2013, Section 2.4"),
        Step("tail, noise",
             "t <= -log P(mean of the noise >= 2 sigma_j sqrt(t / n) + sigma_j t / n)", t, alone,
             "exact tail", subject=crowd, uses=("noise scale", "independent people")),
        *(Step(f"tail, {side}", f"t <= -log P({what} >= lambda_j), a Haar coefficient", t, tail, "exact tail",
               subject=crowd, uses=everything)
          for side, what, tail in (("above", "betahat_jk - beta_jk", tails[0]),
                                   ("below", "beta_jk - betahat_jk", tails[1]))),
        Step("two sides", "P(|betahat_jk - beta_jk| >= lambda_j) <= 2 * 2^(-g j), a Haar coefficient",
             np.exp(-tails).sum(), 2 * 2.0 ** (-g * j), "exact tail", subject=crowd, uses=everything),
        Step("C", "alpha sigma_j / (2^(j/2) j^nu) <= 2 S_psi (2 + zeta(nu)) = C at every J",
             scale * alpha / (size * j**nu), C, subject=f"the noise of {mechanism.__name__}", uses=loud),
        Step("level", "j 2^j <= n", j * 2.0**j, n, "choice of J1 <= J11 in Theorem 5.1"),
        Step("threshold",
             "lambda_j <= max(K_1, K_2) t_j, t_j = sqrt(j / n) + 2^(j/2) j^(nu + 1/2) / sqrt(n alpha^2), "
             "K_1 = sqrt(2 B g ln 2) + (2/3) sup |psi| g ln 2, K_2 = C (2 sqrt(g ln 2) + g ln 2)", lam,
             K.max() * shape.sum(), "Theorem 5.1's t_j, while j 2^j <= n"),
    )
    return {"n": n, "alpha": alpha, "j": j, "wavelet": wavelet, "levels": levels, "nu": nu, "B": B, "g": g,
            "law": law.name, "x": x, "copies": copies}, steps


def haar_table(levels):
    """The father and the mothers below level J on the 2^J cells of [0, 1]: (2^J, 2^J), a function a row."""
    rows = [np.ones((1, 2**levels))]
    for j in range(levels):
        mother = 2.0 ** (j / 2) * np.repeat([1.0, -1.0], 2 ** (levels - j - 1))
        rows.append(np.kron(np.eye(2**j), mother))
    return np.vstack(rows)


@proves("wavelet-5.1",
        Saboteur("bounded density", "a density of 4 that is said to be at most 1",
                 lambda: _in_a_tower(1.0, V=8.0), lambda: _in_a_tower(4.0, V=8.0)),
        Saboteur("noise scale", "8 times the noise", lambda: {"law": RIPPLE, "mechanism": EightfoldNoise},
                 lambda: {"law": RIPPLE, "mechanism": OnePersonsWavelets}),
        Saboteur("independent people", "64 reports are one person's",
                 lambda: {"law": RIPPLE, "copies": 64}, lambda: {"law": RIPPLE, "n": 15_625}),
        Saboteur("variation", "a comb whose variation is said to be 0.1",
                 lambda: _in_a_comb(0.1), lambda: _in_a_comb(46.0)),
        Saboteur("orthonormality", "the wavelets of one level are moved", lambda: {"table": skew_table},
                 lambda: {"table": turned_table}))
def ledger_wavelet_5_1(n: int = 10**6, alpha: float = 1.0, levels: int = 5, first_level: int = 1,
                       nu: float = 1.5, B: float = 2.0, V: float = 4.0, g: float = 4.0,
                       law: str | Density = "kink", copies: int = 1,
                       mechanism: type[WaveletLaplace] = WaveletLaplace,
                       table: Callable[[int], np.ndarray] = haar_table):
    """The ledger of Theorem 5.1 at r = 2: an oracle inequality with constants, and what follows for a class.

    The paper bounds the risk up to constants; the proof here is ours. D = betahat_jk - beta_jk, lambda_j is
    that of Proposition C.1 and K t_j = 2 lambda_j, t = g max(j, 1) ln 2, v_j = (B + 2 sigma_j^2) / n.

    1. Proposition C.1 holds for every exponent u > 0 in place of t: P(|D| >= lambda(u)) <= 2 exp(-u). As
       lambda(u) <= lambda_j u / t for u >= t, integration by parts gives

           E[D^2; |D| >= lambda_j] <= 2 * integral from t of lambda(u)^2 exp(-u) du
                                   <= 2 exp(-t) lambda_j^2 (1 + 2/t + 2/t^2) = rho_j.

    2. A coefficient with |beta| > lambda_j that is kept costs E[D^2; kept] <= v_j <= lambda_j^2 / (2 t). If
       |beta| <= lambda_j and it is kept nevertheless, |D| >= lambda_j: rho_j. If it is killed it costs
       beta^2, which for |beta| <= 3 lambda_j is at most 9 min(beta^2, lambda_j^2); for |beta| > 3 lambda_j
       it means |D| > |beta| - 2 lambda_j >= |beta| / 3 and |D| > lambda_j, and costs 9 rho_j at most, where
       the minimum is lambda_j^2. So

           E (estimate - beta)^2 <= C_j min(beta^2, lambda_j^2) + rho_j,
           C_j = 1 / (2 t) + 9 max(1, rho_j / lambda_j^2).

    3. Summed, with those that are always kept and those that nobody asks for, and C the largest C_j, which is
       that of J0 and close to 9 unless g is small,

           E ||fhat - f||^2 <= C sum_{J0 <= j < J1, k} min(beta_jk^2, lambda_j^2) + sum_{j < J0} N_j v_j
                               + sum_{J0 <= j < J1} 2^j rho_j + sum_{j >= J1} beta_jk^2,

       N_j the number of coefficients, the father among them. That needs no class.
    4. Let f have a variation of at most V, a ball of B^1_{1, infinity}: |beta_jk| is at most half of
       2^(-j/2) times what f varies on the support. Hence, with m = min(V, B),

           sum_k min(beta_jk^2, lambda_j^2) <= min(2^j lambda_j^2, 2^(-j/2) lambda_j V / 2, 2^-j V m / 4),

       and beyond level J1, cell by cell, what is left is at most 2^-J1 V m / 4.

    Its subjects are the coefficients of the density `law` in `table`, n reports of mechanism (3.2), and what
    `ThresholdWaveletDensity` of the room estimation makes of them, with Haar wavelets on [0, 1]: there the
    law of one coefficient is exact, three outcomes for every person and Laplace noise, with relative errors
    below 1e-8.

    n : reports in all, 16 to 10^12.  alpha : nats, at most 100.  levels : J1, 2 to 8.  first_level : J0,
    0 <= J0 < J1; those of the theorem leave something between them from n = 10^12 on only, for Haar, nu = 1.5
    and alpha = 1.  nu : of mechanism (3.2), > 1.  B, V : bounds of the density and of its variation within
    [0, 1]; steps that use them hold if they are.  g : of C.1; the theorem asks for 4 at r = 2 and Haar.
    law : a density of `ldp_lib.nature` or its name.  copies : so many of the n reports are one person's; it
    divides n and leaves 16 people or more.  table : (J) -> the functions, as `haar_table`.

    Not counted: that what is small and killed costs beta^2, whatever the law is. Not here: other wavelets
    (the proof is the same, the law of a coefficient is not), r other than 2, and the rates over all Besov
    balls, which follow from 3. as in the paper up to its constants.
    """
    n, alpha = whole("n", n, least=16, most=10**12), real("alpha", alpha, above=0, most=100)
    levels = whole("levels", levels, least=2, most=8)
    first_level = whole("first_level", first_level, least=0, most=levels - 1)
    nu, B, V = real("nu", nu, above=1, most=100), real("B", B, least=1), real("V", V, above=0)
    g, law, people = real("g", g, above=0, most=100), _law(law), _people(n, copies, 16)
    functions = np.asarray(table(levels), dtype=float)
    if functions.shape != (2**levels, 2**levels):
        raise ValueError(f"table = {table!r:.60} makes an array of shape {functions.shape}; it must be "
                         f"({2**levels}, {2**levels}) at levels = {levels}: a function a row, a cell a "
                         "column.")

    # By the proof, for every band: the father, and the mothers of levels 0 to J - 1.
    basis, j = wavelet_basis("haar"), np.maximum(np.arange(-1, levels), 0)
    heights, weights, counts = 2.0 ** (j / 2), np.maximum(j, 1.0) ** nu, np.append(1, 2 ** j[1:])
    sigma = 2 * basis.S_psi * heights * weights * (1 / weights).sum() / alpha
    t, v = g * np.maximum(j, 1) * math.log(2), (B + 2 * sigma**2) / n
    lam = np.sqrt(2 * v * t) + np.maximum(2 / 3 * heights, sigma) * t / n
    rho = 2 * np.exp(-t) * lam**2 * (1 + 2 / t + 2 / t**2)
    varied = V * min(V, B) / 4
    asked = np.arange(levels + 1) > first_level
    shares = np.minimum(np.minimum(counts * lam**2, lam * V / (2 * heights)), varied / counts)[asked]
    costs = 1 / (2 * t) + 9 * np.maximum(1, rho / lam**2)
    C, always, leaked = costs[asked].max(), (counts * v)[~asked].sum(), (counts * rho)[asked].sum()

    # By the subjects.
    noise = wavelet_mechanism(mechanism)(alpha, "haar", levels, "by_level", nu=nu,
                                         noise="real").scales_by_level
    masses, band = law.masses(levels), np.repeat(np.arange(levels + 1), counts)
    unit, start = heights[band], 2**first_level
    every = HaarCoefficients(people, (functions > 0) @ masses, (functions < 0) @ masses, noise[band] / unit)
    beta, variance = unit * every.beta, unit**2 * every.variance
    worst_variance = (variance / v[band]).max()
    coarse, rest = variance[:start].sum(), law.l2_norm_squared - 2**levels * float(masses @ masses)

    # An estimate whose coefficients all stray by lambda_j, on the cells of a finer grid and in coefficients.
    estimate = beta + lam[band] * np.where(np.arange(len(band)) % 2, 1, -1)
    estimate[start:] *= np.abs(estimate[start:]) >= 2 * lam[band[start:]]
    cells = law.masses(PARSEVAL_LEVEL)
    apart = np.repeat(estimate @ functions, len(cells) // 2**levels) - len(cells) * cells
    squares = np.square(estimate - beta).sum() + sum(
        np.square(details).sum() for details in cascade(cells, basis)["psi"][levels:])

    # From here on the coefficients that are thresholded.
    band, unit, beta = band[start:], unit[start:], beta[start:]
    judged = HaarCoefficients(people, *(values[start:] for values in every[1:]))
    killed, kept = judged.kept(2 * lam[band] / unit)
    strayed, beyond = judged.beyond(lam[band] / unit) + judged.beyond(lam[band] / unit, downwards=True)
    kept, beyond, lost = unit**2 * kept, unit**2 * beyond, beta**2 * killed
    least = np.minimum(beta**2, lam[band] ** 2)
    large, far = np.abs(beta) > lam[band], np.abs(beta) > 3 * lam[band]
    risk = coarse + (kept + lost).sum() + rest

    name, crowd = f"{law.name}, Haar coefficients", f"{people:,} people"
    everything = ("bounded density", "noise scale", "independent people")
    smooth = ("variation", "bounded density")
    steps = (
        Step("variance", "n Var betahat_jk <= B + 2 sigma_j^2; the worst jk", worst_variance, 1.0,
             subject=crowd, uses=everything),
        Step("concentration", "P(|D| >= lambda_j) <= 2 * 2^(-g max(j, 1)); the worst jk",
             (strayed * np.exp(t[band]) / 2).max(), 1.0, "Proposition C.1", subject=crowd, uses=everything),
        Step("beyond lambda", "E[D^2; |D| >= lambda_j] <= rho_j; the worst jk", (beyond / rho[band]).max(),
             1.0, OURS, subject=crowd, uses=everything),
        Step("always kept", "sum of Var betahat_jk, j < J0, and of the father <= sum N_j v_j", coarse, always,
             OURS, subject=crowd, uses=everything),
        Step("large, kept", "sum of E[D^2; kept] where |beta| > lambda_j <= sum of v_j there",
             kept[large].sum(), v[band][large].sum(), OURS, subject=crowd, uses=everything),
        Step("wrongly kept", "sum of E[D^2; kept] where |beta| <= lambda_j <= sum of rho_j there",
             kept[~large].sum(), rho[band][~large].sum(), OURS, subject=crowd, uses=everything),
        Step("wrongly killed", "sum of beta^2 P(killed) where |beta| > 3 lambda_j <= 9 sum of rho_j there",
             lost[far].sum(), 9 * rho[band][far].sum(), OURS, subject=crowd, uses=everything),
        Step("small, killed",
             "sum of beta^2 P(killed) where |beta| <= 3 lambda_j <= 9 sum of min(beta^2, lambda_j^2) there",
             lost[~far].sum(), 9 * least[~far].sum(), OURS + ": it costs beta^2 at most"),
        Step("one coefficient",
             "E (estimate - beta)^2 <= C_j min(beta^2, lambda_j^2) + rho_j; the worst jk",
             ((kept + lost) / (costs[band] * least + rho[band])).max(), 1.0, OURS, subject=crowd,
             uses=everything),
        equation("Parseval",
                 "integral of (fhat - f)^2 = sum of the squared errors of coefficients + sum_{j >= J1} "
                 "beta_jk^2", np.square(apart).mean(), squares, "fhat: every betahat_jk strays by lambda_j",
                 subject=f"{law.name} in {table.__name__}", uses=("orthonormality",)),
        Step("oracle inequality",
             "E ||fhat - f||^2 <= C sum min(beta_jk^2, lambda_j^2) + sum N_j v_j + sum 2^j rho_j + "
             "sum_{j >= J1} beta_jk^2", risk, C * least.sum() + always + leaked + rest, OURS, subject=crowd,
             uses=(*everything, "orthonormality")),
        Step("oracle, class",
             "sum min(beta_jk^2, lambda_j^2) <= sum_j min(2^j lambda_j^2, 2^(-j/2) lambda_j V / 2, "
             "2^-j V m / 4)", least.sum(), shares.sum(), OURS, subject=name, uses=smooth),
        Step("beyond J1", "sum_{j >= J1} beta_jk^2 <= 2^-J1 V m / 4, m = min(V, B)", rest,
             varied / 2**levels, OURS, subject=name, uses=smooth),
        Step("risk of the class", "E ||fhat - f||^2 <= what all densities with these B and V have in common",
             risk, C * shares.sum() + always + leaked + varied / 2**levels, OURS, subject=crowd,
             uses=(*everything, "variation", "orthonormality"), certain=B),
    )
    return {"n": n, "alpha": alpha, "levels": levels, "first_level": first_level, "nu": nu, "B": B, "V": V,
            "g": g, "law": law.name, "copies": copies}, steps


OURS = "a proof of ours"
DEPTH, FINEST = 8, 22
"""A person's coefficient is averaged over cells of 2^-8 of the length of a unit of its level, or of 2^-22 of
the domain, where that is wider: the masses of narrower cells would drown in rounding."""
PARSEVAL_LEVEL = 12
"""Parseval's identity is that of the density averaged over 2^12 cells."""


class Coefficient(NamedTuple):
    """The law of psi_jk(X): the `values` that it takes, (m,), and their `masses`, (m,); it is 0 otherwise.

    Density and wavelet are averaged over cells. So the one stays below its bound and the other below its
    height, and the average is a conditional expectation, with second and exponential moments that are at most
    those of psi_jk. They differ by less than 1 in 1000 as a rule, and not at all for Haar's wavelet.
    """

    values: np.ndarray
    masses: np.ndarray

    @property
    def mean(self):
        """beta_jk."""
        return float(self.masses @ self.values)

    def moment(self, m):
        """E |psi_jk(X) - beta|^m."""
        away = 1 - self.masses.sum()
        return float(self.masses @ np.abs(self.values - self.mean) ** m + away * abs(self.mean) ** m)

    def log_mgf(self, s):
        """log E exp(s (psi_jk(X) - beta))."""
        exponent = s * (np.append(self.values, 0.0) - self.mean)
        # The mean is 0, and what is left of exp(e) - 1 - e must not cancel.
        small = np.abs(exponent) < 1e-3
        rest = np.where(small, exponent**2 / 2 * (1 + exponent / 3 * (1 + exponent / 4 * (1 + exponent / 5))),
                        np.expm1(exponent) - exponent)
        return float(np.log1p(np.append(self.masses, 1 - self.masses.sum()) @ rest))


def log_mgf_of_noise(s):
    """log E exp(s W) of Laplace noise of scale 1; infinite for s >= 1."""
    return -math.log1p(-(s**2)) if s < 1 else math.inf


def coefficient_law(law, basis, j, x):
    """The `Coefficient` of the psi_jk whose support has x in the middle, for X with the density `law`."""
    depth = min(DEPTH, FINEST - j)
    k = math.floor(2.0**j * x - (basis.overlap - 1) / 2)
    edges = np.ldexp(k + np.arange((basis.overlap << depth) + 1) * 2.0**-depth, -j)
    # means[q, i] is over the cell q of [i, i + 1).
    return Coefficient(2.0 ** (j / 2) * basis.means("psi", depth).T.ravel(), np.diff(law.cdf(edges)))


def _law(law):
    """`law`, a density or its name, checked."""
    if isinstance(law, str):
        return density(choice("law", law, DENSITIES))
    if not isinstance(law, Density):
        raise TypeError(f"law = {law!r:.60} is no subject of this proof; it must be a density on [0, 1] or "
                        'the name of one, such as "kink", see ldp_lib.nature.density.')
    return law


def _people(n, copies, least):
    """How many people the n reports come from, `copies` from each, checked."""
    copies = whole("copies", copies, most=n // least)
    if n % copies:
        raise ValueError(f"copies = {copies:,} does not divide n = {n:,}: so many of the reports are one "
                         "person's. Change one of them.")
    return n // copies


TOWER = Steps("tower", {}, [0.0, 0.5, 0.75, 1.0], np.array([0.0, 1.0, 0.0]))
"""4 on a quarter of [0, 1], 0 elsewhere."""


def _in_a_tower(B, **given):
    """Arguments with little noise and a density of 4 that is said to be at most B."""
    return {"law": TOWER, "B": B, "alpha": 100.0, **given}


def turned_table(levels):
    """All of them moved by one cell around the circle, on which they are as orthonormal as before."""
    return np.roll(haar_table(levels), 1, axis=1)


def skew_table(levels):
    """The mothers of level 1 alone moved by one cell: those of finer levels see them."""
    table = haar_table(levels)
    table[2:4] = np.roll(table[2:4], 1, axis=1)
    return table


class HaarCoefficients(NamedTuple):
    """The exact laws of noisy Haar coefficients betahat = beta + D, in units of 2^(j/2); arrays (m,).

    people : in all.  up, down : of T in `log_haar_tail`.  noise : scale.
    """

    people: int
    up: np.ndarray
    down: np.ndarray
    noise: np.ndarray

    @property
    def beta(self):
        """E betahat."""
        return self.up - self.down

    @property
    def variance(self):
        """E D^2."""
        return (self.up + self.down - self.beta**2 + 2 * self.noise**2) / self.people

    def beyond(self, y, downwards=False):
        """P(D >= y) and E[D^2; D >= y], y >= 0; `downwards` (a truth, or one each) puts -D for D."""
        up, down = np.where(downwards, (self.down, self.up), (self.up, self.down))
        tail, first, second = (np.exp(log_haar_tail(self.people, up, down, y, self.noise, power))
                               for power in range(3))
        return np.array([tail, second + 2 * y * first + y**2 * tail])

    def kept(self, tau):
        """P(|betahat| < tau), and E[D^2; |betahat| >= tau]."""
        negative, size = self.beta < 0, np.abs(self.beta)
        # Beyond the nearer of the two ends of -tau < betahat < tau, and beyond the other.
        near = self.beyond(np.abs(tau - size), np.where(size < tau, negative, ~negative))
        far = self.beyond(tau + size, ~negative)
        outside, square = near + far
        between, rest = near - far
        return np.where(size < tau, 1 - outside, between), np.where(size < tau, square, self.variance - rest)


RIPPLE = Steps("ripple", {}, np.arange(5) / 4, np.array([1.15, 0.85, 1.15, 0.85]))
"""Its two coefficients of level 1 are a little above 3 lambda_1 at the defaults of 5.1."""


def _in_a_comb(V):
    """Arguments of 5.1 with a density that is 2 and 0 in turns, whose variation is said to be V."""
    law = Steps("comb", {}, np.linspace(0, 1, 25), np.tile([2.0, 0.0], 12))
    return {"law": law, "V": V, "alpha": 10.0}

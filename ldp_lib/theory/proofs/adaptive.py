"""The threshold estimator of Butucea et al. (2020), Section 5, executed.

Proposition C.1: how far a noisy coefficient strays, see `ldp_lib.theory.coefficients`.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from ldp_lib._arguments import real, whole
from ldp_lib.nature import Density, density
from ldp_lib.nature.densities import Steps
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.privacy.mutants import OnePersonsWavelets
from ldp_lib.risk.contour import smaller_side
from ldp_lib.risk.scores import Score
from ldp_lib.theory.coefficients import coefficient_deviation, log_noisy_tail
from ldp_lib.theory.proofs.steps import Saboteur, Step, equation, proves
from ldp_lib.theory.proofs.wavelets import DoubleNoise, wavelet_mechanism
from ldp_lib.wavelets import wavelet_basis

DEPTH = 8
"""A person's coefficient is averaged over cells of 2^-8 of the length of a unit of its level ..."""
FINEST = 22
"""... or of 2^-22 of the domain, where that is wider: the masses of narrower cells would drown in rounding."""


class Coefficient(NamedTuple):
    """The law of psi_jk(X), averaged over cells: the `values` it takes, (m,), and their `masses`, (m,).

    Of what is left of the probability it is 0. The average over a cell is a conditional expectation: it is no
    larger than psi_jk, and its second moment and exponential moments are at most those of psi_jk(X), within
    (2^-DEPTH) of them for continuous wavelets, and equal for Haar's.
    """

    values: np.ndarray
    masses: np.ndarray

    @property
    def mean(self):
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


def coefficient_law(law, basis, j, x):
    """The `Coefficient` of the psi_jk whose support has x in the middle, for X with the density `law`."""
    depth = min(DEPTH, FINEST - j)
    k = math.floor(2.0**j * x - (basis.overlap - 1) / 2)
    edges = np.ldexp(k + np.arange((basis.overlap << depth) + 1) * 2.0**-depth, -j)
    # means[q, i] is over the cell q of [i, i + 1).
    return Coefficient(2.0 ** (j / 2) * basis.means("psi", depth).T.ravel(), np.diff(law.cdf(edges)))


def log_haar_tail(n, up, down, stray, noise):
    """log P(mean of T + noise W over n people exceeds its expectation by `stray`), exact.

    T is 1 with probability `up` and -1 with probability `down`, W Laplace of scale 1; arrays (m,). Relative
    error of the probability below 1e-9.
    """
    n, up, down, stray, noise = np.broadcast_arrays(*map(np.atleast_1d, (float(n), up, down, stray, noise)))
    score = Score(n, [{1: down, 0: 1 - up - down, -1: up}], 1.0, 0.0, -n * (stray + up - down), noises=(1.0,),
                  scale=noise)
    return smaller_side(score)[1]


def _law(law):
    """`law`, checked; None is the kink."""
    law = density("kink") if law is None else law
    if not isinstance(law, Density):
        raise TypeError(f"law = {law!r:.60} is no subject of this proof; it must be a density on [0, 1], such "
                        'as ldp_lib.nature.density("kink").')
    return law


def _speakers(speakers, n):
    """How many people the n reports come from, checked; None is n."""
    speakers = n if speakers is None else whole("speakers", speakers, least=2, most=n)
    if n % speakers:
        raise ValueError(f"speakers = {speakers:,} does not divide n = {n:,}: each person stands there "
                         "n / speakers times. Change one of them.")
    return speakers


def _tower(B):
    """Arguments of C.1 with little noise and a density of 4 where psi_jk lives, assumed to be at most B."""
    law = Steps("tower", {}, [0.0, 0.5, 0.75, 1.0], np.array([0.0, 1.0, 0.0]))
    return lambda: {"law": law, "B": B, "alpha": 100.0, "j": 2, "levels": 3, "wavelet": "haar"}


@proves("wavelet-C.1",
        Saboteur("bounded density", "a density of 4 that is said to be at most 1", _tower(1.0), _tower(4.0)),
        Saboteur("noise scale", "twice the noise", lambda: {"mechanism": DoubleNoise},
                 lambda: {"mechanism": OnePersonsWavelets}),
        Saboteur("independent people", "25,000 people whose reports are counted four times",
                 lambda: {"speakers": 25_000}, lambda: {"n": 25_000}),
        kind="Proposition")
def ledger_wavelet_C_1(n: int = 10**5, alpha: float = 1.0, j: int = 3, wavelet: str = "db2", levels: int = 6,
                       nu: float = 1.5, B: float = 2.0, g: float = 2.0, law: Density | None = None,
                       x: float = 0.5, speakers: int | None = None,
                       mechanism: type[WaveletLaplace] = WaveletLaplace):
    """The ledger of Proposition C.1, and of the threshold that Theorem 5.1 makes of it, at one coefficient.

    Its subjects are the coefficient psi_jk(X) of a person with the density `law`, the noise of mechanism
    (3.2) of the class `mechanism`, and n reports.

    n : reports in all, >= 2.  alpha : nats, at most 100.  j : level, 1 <= j < levels <= 20.
    wavelet, levels, nu : those of mechanism (3.2), tight.
    B : bound of the density, >= 1; the steps that use it hold if it is at least `law.sup_norm`.
    g : the failure probability is 2 * 2^(-g j); Theorem 5.1 asks for g >= max(2 r, (R + 1) r), R the
    regularity of the wavelet.
    law : a density of `ldp_lib.nature`; None is the kink.  x : in [0, 1]; psi_jk is the one whose support has
    x in the middle, and the tails are those of the Haar coefficient there with the wavelet's noise.
    speakers : None, or how many people there are: each stands among the n reports n / speakers times.

    Not counted: the choice of s, and what K t_j makes of lambda_j under the condition "j 2^j <= n" on the
    level, which the choice of J1 provides: formulas only.
    """
    n, alpha = whole("n", n, least=2, most=10**15), real("alpha", alpha, above=0, most=100)
    levels = whole("levels", levels, least=2, most=20)
    j, law, speakers = whole("j", j, most=levels - 1), _law(law), _speakers(speakers, n)
    nu, B, g = real("nu", nu, above=1, most=100), real("B", B, least=1), real("g", g, above=0)
    x, basis, size = real("x", x, least=0, most=1), wavelet_basis(wavelet), 2 ** (j / 2)

    # By the proof.
    series = float((np.arange(1.0, levels) ** -nu).sum())
    sigma = 2 * basis.S_psi * (2 + series) * size * j**nu / alpha
    t, v = g * j * math.log(2), B + 2 * sigma**2
    spread = 2 * basis.psi_max * size
    bounded, b = spread / 3, max(spread / 3, sigma)
    lam, haar_lam = (float(coefficient_deviation(n, j, sigma, B, height, g)) for height in (basis.psi_max, 1.0))
    y = math.sqrt(2 * t / (v * n))
    s = y / (1 + b * y)
    people, noise = B * s**2 / (2 * (1 - bounded * s)), sigma**2 * s**2 / (1 - sigma * s)
    both = v * s**2 / (2 * (1 - b * s))
    C = 2 * basis.S_psi * (2 + zeta(nu))
    shape = np.array([math.sqrt(j / n), size * j ** (nu + 0.5) / (math.sqrt(n) * alpha)])
    K = np.array([math.sqrt(2 * B * g * math.log(2)) + 2 / 3 * basis.psi_max * g * math.log(2),
                  C * (2 * math.sqrt(g * math.log(2)) + g * math.log(2))])

    # By the subjects.
    one, scale = coefficient_law(law, basis, j, x), wavelet_mechanism(mechanism)(
        alpha, wavelet, levels, "by_level", nu=nu, noise="real").scales_by_level[j + 1]
    copies = n / speakers
    moments = max(one.moment(m) / (math.factorial(m) / 2 * B * bounded ** (m - 2)) for m in range(2, 13))
    summed = speakers * (one.log_mgf(copies * s) - np.log1p(-((copies * scale * s) ** 2)))
    alone = -float(log_noisy_tail(speakers, speakers * (2 * sigma * math.sqrt(t / n) + sigma * t / n) / scale))
    haar = coefficient_law(law, wavelet_basis("haar"), j, x)
    up, down = (float(haar.masses[haar.values * sign > 0].sum()) for sign in (1, -1))
    tails = -log_haar_tail(speakers, [up, down], [down, up], haar_lam / size, scale / size)

    name, bound, loud = f"{law.name} at psi_jk", ("bounded density",), ("noise scale",)
    crowd, everything = f"{speakers:,} people", ("bounded density", "noise scale", "independent people")
    steps = (
        Step("second moment", "E psi_jk(X)^2 <= B", one.masses @ one.values**2, B, subject=name, uses=bound),
        Step("moments, people",
             "E |psi_jk(X) - beta|^m <= (m!/2) B (M/3)^(m-2), M = 2 sup |psi| 2^(j/2); the worst m", moments,
             1.0, "Bernstein's condition", subject=name, uses=bound),
        Step("mgf, people", "n log E exp(s (psi_jk(X) - beta)) <= n B s^2 / (2 (1 - M s / 3))",
             n * one.log_mgf(s), n * people, subject=name, uses=bound),
        Step("mgf, noise", "n log E exp(s sigma_j W) <= n sigma_j^2 s^2 / (1 - sigma_j s)",
             -n * np.log1p(-((scale * s) ** 2)), n * noise, subject=f"the noise of {mechanism.__name__}",
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
            "law": law.name, "x": x, "speakers": speakers}, steps

"""The proofs of Butucea, Dubois, Kroll & Saumard (2020), executed with constants.

Proposition 3.1: noisy coefficients are private.

Proposition 4.1 and Corollary 4.1: the linear estimator keeps every noisy coefficient below level J of
mechanism (3.1). With u = max(p, r), s* = s - (1/p - 1/r)+ and a ball of radius L,

    E ||fhat - f||_u^u <= C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) },

and the J of (4.2), with s* in place of s, makes this the rate in s*; for r < p the error in L_r follows by
Hölder's inequality. Moments beyond the second are bounded by the fourth, whose constants are explicit, so
that u <= 4 here; the paper uses Rosenthal's inequality, for every u and with a constant left open.
"""

import math

import numpy as np

from ldp_lib._arguments import generator, real, whole
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.privacy.audit import epsilon_lower_bound
from ldp_lib.privacy.mutants import OnePersonsWavelets
from ldp_lib.privacy.wavelet import LARGEST_NU
from ldp_lib.theory.coefficients import coefficients_at, noise_scales, norm_power, square_bound
from ldp_lib.theory.proofs.steps import Saboteur, Step, equation, proves
from ldp_lib.theory.rates import linear_density_exponent, linear_level
from ldp_lib.wavelets import wavelet_basis

COROLLARY = "Butucea et al. 2020, proof of Corollary 4.1"
OURS = "sharper than the paper"
AUDITED, AUDITED_LEVELS = 400, 3
"""Reports, and levels, of an audit in a ledger: few, as it need only see noise that is the same twice."""


class OverlappingWavelets(WaveletLaplace):
    """Publishes psi_jk + psi_{j,k+1} as if it were psi_jk, and likewise the fathers: twice the overlap."""

    height = 1.0

    def _signals(self, X):
        rows = super()._signals(X)
        for band in self.bands:
            rows[:, band.columns] += np.roll(rows[:, band.columns], 1, axis=1)
        return self.height * rows


class LowWavelets(OverlappingWavelets):
    """(psi_jk + psi_{j,k+1}) / 2: more translates overlap, and the sum of their sizes does not grow."""

    height = 0.5


class DoubleNoise(WaveletLaplace):
    """Noise of twice the scale."""

    factor = 2.0

    def _loss_at_weights(self):
        return self.factor * super()._loss_at_weights()


class EightfoldNoise(DoubleNoise):
    """Noise of 8 times the scale."""

    factor = 8.0


class SlowNoise(WaveletLaplace):
    """With scales="by_level" its noise grows like 2^(j/2) max(j, 1)^(nu - 1) from that of level 1 on."""

    power = -1.0

    def _bands(self):
        bands = super()._bands()
        if self.scales != "by_level":
            return bands
        return tuple(band._replace(weight=band.weight * max(band.j, 1) ** self.power) for band in bands)

    def _loss_at_weights(self):
        return sum(2 * band.size / band.weight for band in super()._bands())


class FastNoise(SlowNoise):
    """Like 2^(j/2) max(j, 1)^(nu + 1)."""

    power = 1.0


class OneDrawForAllWavelets(WaveletLaplace):
    """One noise a person."""

    def privatize(self, X, *, rng):
        signals = self.encode(X)
        return signals + self.noises[0].sample((len(signals), 1), generator(rng, secure=True))


class NoiseBackwards(WaveletLaplace):
    """The noises of a person in another order, which no longer is that of the generator."""

    def privatize(self, X, *, rng):
        signals = self.encode(X)
        return signals + (super().privatize(X, rng=rng) - signals)[:, ::-1]


def wavelet_mechanism(mechanism):
    """`mechanism`, checked: `WaveletLaplace` or a class that inherits from it."""
    if not (isinstance(mechanism, type) and issubclass(mechanism, WaveletLaplace)):
        raise TypeError(f"mechanism = {mechanism!r:.60} is no subject of this proof; it must be the class "
                        "WaveletLaplace, not an object of it, or a class that inherits from it.")
    return mechanism


def _haar(mechanism):
    """Arguments of 3.1 at which half the noise spends more than alpha: Haar wavelets have no other slack."""
    return lambda: {"mechanism": mechanism, "wavelet": "haar"}


@proves("wavelet-3.1",
        Saboteur("overlap", "wavelets that overlap twice as much", _haar(OverlappingWavelets),
                 _haar(LowWavelets)),
        Saboteur("noise scale", "c for 2 c: half the noise", _haar(OnePersonsWavelets), _haar(DoubleNoise)),
        Saboteur("growth", "the noise of (3.2) lacks a factor j", _haar(SlowNoise), _haar(FastNoise)),
        Saboteur("independent noise", "one draw for all entries of a report", _haar(OneDrawForAllWavelets),
                 _haar(NoiseBackwards)),
        kind="Proposition")
def ledger_wavelet_3_1(alpha: float = 1.0, wavelet: str = "db2", levels: int = 6, nu: float = 1.5,
                       x: float = 0.3, x2: float = 0.7, mechanism: type[WaveletLaplace] = WaveletLaplace):
    """The ledger of Proposition 3.1 at two people, x and x2, who differ in everything that the reports show.

    Its subjects are mechanisms of the class `mechanism` and what the two people publish.

    alpha : nats, > 0.  wavelet : a name of `ldp_lib.wavelets.WaveletBasis`.  levels : J, 1 to 20; the
    coefficients are those of the father at level 0 and of the mothers at 0, ..., J - 1.  nu : of mechanism
    (3.2), > 1, at most 100.  x, x2 : in [0, 1].

    "common" is mechanism (3.1), "by level" is (3.2), "fathers" publishes the fathers of level J only. All
    have real noise, but "on the lattice" and the audit, which looks at AUDITED reports of either person of
    mechanism (3.1) with at most AUDITED_LEVELS levels, with a fixed seed; it refutes an honest mechanism with
    probability 1e-6 at most. c is the filter length less 1; C_nu = (3 nu - 2) / (nu - 1).

    Not counted: two comparisons of the formulas of noise scales, which say what the constants cost.
    """
    alpha, levels = real("alpha", alpha, above=0), whole("levels", levels, most=20)
    nu, x, x2 = real("nu", nu, above=1, most=LARGEST_NU), *(
        real(name, place, least=0, most=1) for name, place in (("x", x), ("x2", x2)))
    name = wavelet_mechanism(mechanism).__name__

    def built(scales, calibration="tight", levels=levels, noise="real"):
        return mechanism(alpha, wavelet, levels, scales, calibration, nu=nu, noise=noise)

    common, by_level, fathers = (built(scales) for scales in ("common", "by_level", "scaling_only"))
    basis, c, j = common.basis, common.basis.overlap, np.arange(levels)
    S_phi, S_psi, root = basis.S_phi, basis.S_psi, math.sqrt(2) + 1

    # By the proof: sums over k at one point, and the noise that pays for them at two.
    sizes = np.append(S_phi, S_psi * 2.0 ** (j / 2))
    common_scale, fathers_scale = 2 * sizes.sum() / alpha, 2 * S_phi * 2 ** (levels / 2) / alpha
    crude = 2 * c / alpha * (basis.phi_max + root * basis.psi_max * (2 ** (levels / 2) - 1))
    weights = np.append(1.0, np.maximum(j, 1.0) ** nu)
    allowed = alpha / weights / (1 / weights).sum()

    # By the subject.
    heights, apart = _sums(common, x, x2)
    tops, top_apart = _sums(fathers, x, x2)
    spent = _sums(by_level, x, x2)[1] / by_level.scales_by_level
    worst = int(np.argmax(spent / allowed))
    tails = common.noises[0].tail(common_scale * np.array([1.0, 2.0]))
    loss, noise, both = f"a report of {name}", ("noise scale",), ("overlap", "noise scale")
    grown, people = (*both, "growth"), f"what two people publish with {name}"
    audited = built("common", levels=min(levels, AUDITED_LEVELS), noise="lattice")
    steps = (
        Step("overlap, fathers", "sum_k |phi(x - k)| <= S_phi", heights[0], S_phi, OURS, subject=people,
             uses=("overlap",)),
        Step("overlap, mothers", "2^(-j/2) sum_k |psi_jk(x)| <= S_psi at every level",
             (heights[1:] * 2.0 ** (-j / 2)).max(), S_psi, OURS, subject=people, uses=("overlap",)),
        Step("fathers, overlap", "2^(-J/2) sum_k |phi_Jk(x)| <= S_phi", tops[0] / 2 ** (levels / 2), S_phi,
             OURS, subject=people, uses=("overlap",)),
        Step("common, overlap", "sum |psi_jk(x) - psi_jk(x2)| <= 2 S_phi + 2 S_psi sum_{j < J} 2^(j/2)",
             apart.sum(), 2 * sizes.sum(), OURS, subject=people, uses=("overlap",)),
        Step("coordinate",
             "log P(noise >= sigma_J) / P(noise >= 2 sigma_J) <= 1: what an entry tells that differs by "
             "sigma_J", math.log(tails[0] / tails[1]), 1.0, "mechanism (3.1)", subject=f"the noise of {name}",
             uses=noise),
        Step("farthest report",
             "log ratio of the densities beyond both centres <= sum |psi_jk(x) - psi_jk(x2)| / sigma_J",
             common.privacy_loss(x, x2), apart.sum() / common_scale, "mechanism (3.1)", subject=loss,
             uses=noise),
        Step("common", "the pair's privacy loss <= alpha", common.privacy_loss(x, x2), alpha,
             "mechanism (3.1)", subject=loss, uses=both),
        Step("common, crude constants", "the pair's privacy loss with c sup |phi| for S_phi <= alpha",
             built("common", "crude").privacy_loss(x, x2), alpha, "mechanism (3.1)", subject=loss, uses=both),
        Step("by level, one level",
             "level j spends at most alpha / (C max(j, 1)^nu); the level nearest to it", spent[worst],
             allowed[worst], "C = 2 + sum_{0 < j < J} j^-nu", subject=loss, uses=grown),
        Step("by level", "the pair's privacy loss <= alpha", spent.sum(), alpha, "mechanism (3.2)",
             subject=loss, uses=grown),
        Step("by level, crude constants", "the pair's privacy loss with C_nu, which is enough for any J, "
             "<= alpha", built("by_level", "crude").privacy_loss(x, x2), alpha, "mechanism (3.2)",
             subject=loss, uses=grown),
        Step("fathers", "the pair's privacy loss <= alpha with noise 2 S_phi 2^(J/2) / alpha",
             top_apart.sum() / fathers.scale, alpha, "fathers of level J only", subject=loss, uses=both),
        Step("on the lattice", "the pair's privacy loss with rounded coefficients <= alpha",
             built("common", noise="lattice").privacy_loss(x, x2), alpha, "ours: rounding is paid for",
             subject=loss, uses=both),
        Step("audit", f"{AUDITED:,} reports of either prove a loss of alpha at most",
             epsilon_lower_bound(audited, x, x2, n=AUDITED, rng=1).epsilon, alpha,
             "the entries of a report have noises of their own", subject=f"reports of {name}",
             uses=("independent noise", *both)),
        Step("common, crude", "tight sigma_J <= (2c/alpha)[sup |phi| + (sqrt 2 + 1) sup |psi| (2^(J/2) - 1)]",
             common_scale, crude, ", display (3.1): c translates cover a point"),
        Step("fathers, quieter", "2 S_phi 2^(J/2) / alpha <= tight sigma_J", fathers_scale, common_scale,
             "the same space V_J for less noise"),
    )
    return {"alpha": alpha, "wavelet": wavelet, "levels": levels, "nu": nu, "x": x, "x2": x2}, steps


def _sums(mechanism, x, x2):
    """For every band: max over two people of the sum of |entries|, and the sum of their differences; before
    noise."""
    rows = mechanism.encode([x, x2])
    starts = [band.start for band in mechanism.bands]
    return (np.add.reduceat(np.abs(rows), starts, axis=1).max(axis=0),
            np.add.reduceat(np.abs(rows[0] - rows[1]), starts))


@proves("wavelet-4.1", kind="Proposition")
def ledger_wavelet_4_1(n: int = 10**6, alpha: float = 1.0, s: float = 1.0, p: float = 2.0, r: float = 2.0,
                       L: float = 1.0, B: float = 2.0, width: float = 1.0, wavelet: str = "db2",
                       J: int | None = None, x: float = 0.3):
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
        equation("embedding", "s + 1/2 - 1/p = s* + 1/2 - 1/u: the ball in B^s_p lies in that in B^(s*)_u",
                 s - 1 / p, star - 1 / u, COROLLARY),
        Step("one level",
             "||sum_k beta_jk psi_jk||_u <= S_psi^(1-1/u) ||psi||_1^(1/u) 2^(j(1/2-1/u)) ||beta_j||_u", spike,
             L * meyer * 2 ** (-J * star), "Hölder's inequality, for a spike of level J"),
        equation("all levels", "sum_{j >= J} 2^(-j s*) = 2^(-J s*) / (1 - 2^-s*)", tail, closed_tail),
        equation("kernel", "sum_k phi_0k(x)^2 + sum_{j < J, k} psi_jk(x)^2 = sum_k phi_Jk(x)^2", diagonal,
                 kernel, "two orthonormal bases of V_J"),
        Step("kernel, size", "sum_k phi_Jk(x)^2 <= 2^J D, D = S_phi sup |phi|", kernel, 2**J * D),
        Step("people, variance", "Var <= B sum_k phi_Jk(x)^2 / n <= B D 2^J / n", B * kernel / n, spread),
        Step("noise scale", "tight sigma_J <= 2 (sqrt 2 + 1) max(S_phi, S_psi) 2^(J/2) / alpha", sigma,
             C_sigma * 2 ** (J / 2) / alpha, "mechanism (3.1)"),
        Step("noise, variance", "(2 sigma_J^2 / n) sum_k phi_Jk(x)^2 <= 2 C_sigma^2 D 2^(2J) / (n alpha^2)",
             variance, shake),
        Step("noise, fourth moment", "3 V^2 + 12 n sum (a sigma_J / n)^4 <= 3 (1 + 1/n) V^2", fourth,
             3 * (1 + 1 / n) * variance**2, "exact, in place of Rosenthal's inequality"),
        Step("noise, moment", "E |Z|^u <= V^(u/2), or (E Z^4)^(u/4) beyond u = 2",
             variance ** (u / 2) if u <= 2 else fourth ** (u / 4), powers[1] * noise ** (u / 2)),
        Step("people, fourth moment", "max^2 V + 3 V^2 <= (3 + 4 D / B) (B D 2^J / n)^2 while 2^J <= n",
             bounded**2 * spread + 3 * spread**2, (3 + 4 * D / B) * spread**2,
             "in place of Rosenthal's inequality"),
        Step("noise, integrated",
             "(2 sigma_J^2 / n) (number of coefficients) <= (width + 2c) 2 C_sigma^2 D 2^(2J) / (n alpha^2)",
             2 * sigma**2 / n * coefficients, length * shake, "the exact part of the risk at r = 2"),
        Step("(4.1)",
             "3^(u-1) (bias^u + people + noise) <= "
             "C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) }",
             3 ** (u - 1) * float((parts * sizes).sum()), C * float(sizes.sum())),
        Step("(4.2), bias", "2^(-J u s*) <= 2^(u s*) rate: rounding J down costs at most one level", sizes[0],
             2 ** (u * star) * rate, COROLLARY + ", with errata 18"),
        Step("(4.2), people", "(2^J / n)^(u/2) <= n^(-u s* / (2 s* + 1))", sizes[1], plain,
             COROLLARY + ", with errata 18"),
        Step("(4.2), noise", "(2^(2J) / (n alpha^2))^(u/2) <= (n alpha^2)^(-u s* / (2 s* + 2))", sizes[2],
             private, COROLLARY + ", with errata 18"),
        Step("(4.3)", "C {...} <= C (2^(u s*) + 2) rate", C * float(sizes.sum()),
             C * (2 ** (u * star) + 2) * rate),
        equation("Hölder",
                 "rate^(r/u) = n^-e ∨ (n alpha^2)^-e', the exponents of the linear estimator in L_r",
                 rate ** (r / u), max(n ** -exponents[0], total ** -exponents[1]), COROLLARY),
        equation("crossover",
                 "n^(-u s* / (2 s* + 1)) = (n alpha^2)^(-u s* / (2 s* + 2)) at alpha = n^(1 / (4 s* + 2))",
                 plain, (n * crossing**2) ** (-u * star / (2 * star + 2))),
    )
    return {"n": n, "alpha": alpha, "s": s, "p": p, "r": r, "L": L, "B": B, "width": width,
            "wavelet": wavelet, "J": J, "x": x}, steps

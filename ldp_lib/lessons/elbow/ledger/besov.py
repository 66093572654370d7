"""Lower bounds over Besov balls: Butucea et al. (2020), Propositions 2.1 and 2.2, executed."""

from __future__ import annotations

import math

import numpy as np
from ldp_lib._arguments import real, whole
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.stage.ledger import Saboteur, Step, proves
from ldp_lib.theory.contraction import (
    LARGEST_ALPHA, contraction_constant, distinguishability, kl, pair_divergence, randomised_response,
    reports_total_variation, symmetric_kl,
)
from ldp_lib.theory.densities import DenseFamily, Plateau, SparseFamily

AMPLITUDE = "amplitude gamma"


def _saboteurs():
    return (
        Saboteur(AMPLITUDE, "bumps twice as high", lambda: {"louder": 2.0}, lambda: {"r": 3.0}),
        Saboteur(AMPLITUDE, "bumps so high that densities are negative", lambda: {"louder": 60.0},
                 lambda: {"n": 10**9}),
        Saboteur(AMPLITUDE, "bumps half as high", lambda: {"louder": 0.5}, lambda: {"L": 20.0}),
        Saboteur("disjoint supports", "neighbouring translates", lambda: {"spacing": 1},
                 lambda: {"spacing": 20, "n": 10**9}),
        Saboteur("alpha-LDP", "a hundred thousand times the budget", lambda: {"spent": 1e5, "n": 10**9},
                 lambda: {"spent": 0.5, "n": 10**9}),
        Saboteur("smoothness s", "bumps of smoothness s + 1.9", lambda: {"rougher": -1.9},
                 lambda: {"n": 10**7}),
    )


@proves("wavelet-2.1", *_saboteurs(), kind="Proposition")
def ledger_wavelet_2_1(n: int = 10**6, alpha: float = 1.0, s: float = 1.0, p: float = 2.0, r: float = 2.0,
                       wavelet: str = "db4", L: float | None = None, *, louder: float = 1.0,
                       spacing: int | None = None, spent: float = 1.0, rougher: float = 0.0):
    """The ledger of Proposition 2.1: the dense family, and what no private estimator can do over it.

    n : people, 1000 to 10^9.  alpha : nats, 0.05 to 5, where floats hold the laws of the reports.
    s, p, r, wavelet, L : as in `ldp_lib.theory.DenseFamily`.
    louder : amplitude of the bumps in units of gamma.  spacing : translates from one to the next.
    spent : budget of the reports in units of alpha.  rougher : smoothness that the step "rate" lacks.

    The subject is two members of the family, integrated on a grid, and a bit from everybody about where one
    of them is larger. Levels are whole, which changes a bound by 2^(r s) at most. The step "estimator" has a
    private linear estimator; it is at r = 2 whatever r is.
    """
    n, alpha, louder, spacing, spent, rougher = _arguments(n, alpha, louder, spacing, spent, rougher)
    family = DenseFamily(n, alpha, s, p, r, wavelet, L=L)
    bumps = Bumps(family, louder, spacing)
    squared = DenseFamily(n, alpha, s, p, 2, wavelet, L=L)
    later = DenseFamily(FURTHER * n, alpha, s - rougher, p, r, wavelet)
    now = DenseFamily(n, alpha, s - rougher, p, r, wavelet)
    exponent = r * s / (2 * s + 2)
    steps = (
        *_common(family, bumps, alpha, spent, 2),
        Step("estimator", "bound at r = 2 <= risk over the family of the best private linear estimator",
             squared.bound, best_linear_risk(squared, alpha * spent), subject="a private estimator",
             uses=("alpha-LDP",)),
        Step("rate", f"bound at n over bound at {FURTHER:,} n <= 2^(r s) {FURTHER:,}^(r s / (2 s + 2))",
             now.bound / later.bound, 2 ** (r * s) * FURTHER**exponent,
             subject="families of smoothness s", uses=("smoothness s",)),
    )
    return {"n": n, "alpha": alpha, "s": s, "p": p, "r": r, "wavelet": wavelet}, steps


@proves("wavelet-2.2", *_saboteurs(), kind="Proposition")
def ledger_wavelet_2_2(n: int = 10**8, alpha: float = 1.0, s: float = 2.0, p: float = 1.0, r: float = 4.0,
                       wavelet: str = "db4", L: float | None = None, *, louder: float = 1.0,
                       spacing: int | None = None, spent: float = 1.0, rougher: float = 0.0):
    """The ledger of Proposition 2.2: one bump in one of many places; s > 1/p. Parameters as in 2.1.

    Fano's inequality itself (Tsybakov, 2009, Theorem 2.5) holds for any laws and is not a step. What it asks
    for is: the divergence of all reports, averaged over the places, below log m / 8.
    """
    n, alpha, louder, spacing, spent, rougher = _arguments(n, alpha, louder, spacing, spent, rougher)
    family = SparseFamily(n, alpha, s, p, r, wavelet, L=L)
    bumps = Bumps(family, louder, spacing)
    later = SparseFamily(FURTHER * n, alpha, s - rougher, p, r, wavelet)
    now = SparseFamily(n, alpha, s - rougher, p, r, wavelet)
    exponent = r * (s - 1 / p + 1 / r) / (2 * (s - 1 / p) + 2)
    divergence = n * kl(*bumps.bits((1, 0), alpha * spent))
    steps = (
        *_common(family, bumps, alpha, spent, 1),
        Step("Fano", "divergence of one bit from everybody, at one place, from those under f0 <= log(m) / 8",
             divergence * (1 - 3 * QUADRATURE), math.log(family.m) / 8, "Tsybakov 2009, Theorem 2.5",
             subject="one bit from everybody", uses=(AMPLITUDE, "alpha-LDP")),
        Step("rate",
             f"bound at n over bound at {FURTHER:,} n <= 2^(r s') {FURTHER:,}^(r s' / (2 (s - 1/p) + 2))",
             now.bound / later.bound, 2 ** (r * (s - 1 / p + 1 / r)) * FURTHER**exponent,
             subject="families of smoothness s", uses=("smoothness s",)),
    )
    return {"n": n, "alpha": alpha, "s": s, "p": p, "r": r, "wavelet": wavelet}, steps


def _common(family, bumps, alpha, spent, differ):
    """Steps of both propositions; `differ` is 2 if two members differ by twice a bump, else 1."""
    on, r = f"two members at level {family.level}", family.r
    moved, height = differ * bumps.size * bumps.first, np.abs(bumps.size * bumps.first)
    density = np.where(height > 0, np.inf, 0.0)         # where f0 is 0 a bump must be 0, too
    np.divide(height, bumps.heights, out=density, where=bumps.heights > 0)
    bits = bumps.bits((1, 1 - differ), alpha * spent)
    few = min(family.n, FEW)
    seen = reports_total_variation(few, *bits)
    coefficient = bumps.integral(bumps.size * bumps.first**2)
    return (
        Step("density", "gamma |psi_jk| / f0 <= 1: no density is negative",
             density.max(), 1.0, subject=on, uses=(AMPLITUDE,)),
        Step("Besov ball", "norm of f0 + sum of bumps, from its coefficients <= L",
             family.member_norm(coefficient) * (1 - QUADRATURE), family.L, subject=on, uses=(AMPLITUDE,)),
        Step("disjoint", "integral of |psi_jk psi_jk'| <= 0 for two places of the family",
             bumps.integral(np.abs(bumps.first * bumps.second)), 0.0, subject=on,
             uses=("disjoint supports",)),
        Step("separation", "(gamma ||psi_jk||_r)^r, 2^r times that for two signs <= integral of |f - f'|^r",
             family.separation * (1 - QUADRATURE), bumps.integral(np.abs(moved) ** r), subject=on,
             uses=(AMPLITUDE,)),
        Step("total variation", "TV of two members <= gamma ||psi_jk||_1, half of it from f0",
             bumps.integral(np.abs(moved)) / 2 * (1 - QUADRATURE), family.tv, subject=on, uses=(AMPLITUDE,)),
        Step("one report", "symmetric divergence of a bit about {psi > 0} <= that of the dominating pair",
             symmetric_kl(*bits) * (1 - 3 * QUADRATURE), pair_divergence(alpha, family.tv),
             "Duchi, Jordan & Wainwright 2018, sharpened", subject="one bit from everybody",
             uses=(AMPLITUDE, "alpha-LDP")),
        Step("constants", "that <= (e^alpha - 1)^2 TV^2", pair_divergence(alpha, family.tv),
             contraction_constant(alpha) * family.tv**2, "algebra"),
        Step("all reports", f"TV of {few} bits <= bound on the TV of {few} private reports",
             seen * (1 - 3 * QUADRATURE), distinguishability(few, alpha, family.tv),
             subject="one bit from everybody", uses=(AMPLITUDE, "alpha-LDP")),
    )


POINTS = 2**13
"""Points of a quadrature over two supports."""
QUADRATURE = 1e-3
"""Relative error allowed to it: wavelets have kinks."""
FEW = 400
"""Reports whose joint law is computed."""
FURTHER = 10**6
"""Times as many people, between which the rate of a bound is measured."""


class Bumps:
    """The plateau and two wavelets of a family about two supports, on a grid; integrals up to QUADRATURE.

    louder : amplitude in units of gamma.  spacing : translates between the two, None: as in the family.
    """

    def __init__(self, family, louder, spacing):
        basis, level, k = family.basis, family.level, int(family.translates[0])
        self.width = 2 * basis.overlap * 2.0**-level / POINTS
        x = math.ldexp(k, -level) + (np.arange(POINTS) + 0.5) * self.width
        self.heights = family.base.pdf(x)
        self.size = louder * family.gamma
        self.first = basis.wavelet(x, level, k)
        if spacing is None:                             # a family of one place borrows the next
            spacing = int(family.translates[-1]) - k or basis.overlap
        self.second = basis.wavelet(x, level, k + spacing)

    def integral(self, values):
        """Of a function on the grid."""
        return float(values.sum()) * self.width

    def bits(self, signs, alpha):
        """Laws of a private bit about where the first bump is positive, if it has each of these signs."""
        inside = (self.integral((self.heights + sign * self.size * self.first) * (self.first > 0))
                  for sign in signs)
        kernel = randomised_response(min(alpha, LARGEST_ALPHA))
        return [np.array([share, 1 - share]) @ kernel for share in inside]


def best_linear_risk(family, alpha):
    """An upper bound of the risk of private linear estimators over a dense family, r = 2.

    Squared bias of the plateau and of the bumps that a level loses, people, and noise, exactly up to the
    people's part, which is at most (largest density) 2^J / n.
    """
    _, details = Plateau(family.base.domain).coefficients(family.basis.name)
    energies = np.array([np.square(beta).sum() for beta in details])
    top, risks = family.base.height + family.gamma * 2 ** (family.level / 2) * family.basis.psi_max, []
    for J in range(len(details)):
        mechanism = WaveletLaplace(alpha, family.basis.name, J, "scaling_only", noise="real")
        noise = 2 * mechanism.scale**2 * mechanism.K / family.n
        lost = family.m * family.gamma**2 * (family.level >= J)
        risks.append(energies[J:].sum() + lost + top * 2**J / family.n + noise)
    return min(risks)


def _arguments(n, alpha, louder, spacing, spent, rougher):
    """Checked arguments of both ledgers: n and alpha, for exact laws in a range of floats."""
    n, alpha = whole("n", n, least=1000, most=10**9), real("alpha", alpha, least=0.05, most=5)
    return (n, alpha, real("louder", louder, above=0), spacing and whole("spacing", spacing),
            real("spent", spent, above=0), real("rougher", rougher))

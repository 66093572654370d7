"""The linear estimator of Butucea et al. (2020), Proposition 4.1 and Corollary 4.1, executed."""

from __future__ import annotations

import functools
import math

import numpy as np

from ldp_lib._arguments import choice, real, whole
from ldp_lib.nature import DENSITIES, density
from ldp_lib.nature.densities import FINE_LEVEL
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk.integrated import energies
from ldp_lib.stage.ledger import Saboteur, Step, equation, proves
from ldp_lib.theory.coefficients import coefficients_at, norm_power, square_bound
from ldp_lib.theory.rates import linear_level
from ldp_lib.wavelets import wavelet_basis


@proves("wavelet-4.1",
        Saboteur("Besov ball", "a density with jumps in place of one with a kink",
                 lambda: {"density": "jumps"}, lambda: {"density": "plateau", "L": 1.0}),
        Saboteur("bounded density", "a density that reaches 4.8", lambda: {"density": "claw", "L": 1000.0},
                 lambda: {"density": "plateau", "L": 1000.0}),
        Saboteur("independent people", "a thousand people send one report", lambda: {"copies": 1000},
                 lambda: {"n": 50_000}),
        Saboteur("noise scale", "a thousand times the noise", lambda: {"louder": 1000.0},
                 lambda: {"alpha": 0.5}),
        Saboteur("J of (4.2)", "level 14", lambda: {"J": 14}, lambda: {"n": 10**7}),
        Saboteur("J of (4.2)", "level 14, with a large budget", lambda: {"J": 14, "n": 10**4, "alpha": 1e4},
                 lambda: {"n": 10**4, "alpha": 1e4}),
        Saboteur("J of (4.2)", "level 0", lambda: {"J": 0}, lambda: {"n": 10**8}),
        kind="Proposition")
def ledger_wavelet_4_1(n: int = 10**6, alpha: float = 1.0, s: float = 1.0, p: float = 2.0, r: float = 2.0,
                       L: float | None = None, B: float = 2.0, width: float = 1.0, wavelet: str = "db2",
                       J: int | None = None, x: float = 0.5, density: str = "kink", *, louder: float = 1.0,
                       copies: int = 1):
    """The ledger of Proposition 4.1 and Corollary 4.1 for tight noise.

    n : people in all, n alpha^2 >= 1.  alpha : nats.
    s, p, r : Besov smoothness, its norm and that of the loss; max(p, r) <= 4 and s > (1/p - 1/r)+.
    L : radius of the ball; None: the norm of the density "kink".  B : bound of the density.
    width : of the domain.  wavelet : a name of `ldp_lib.wavelets.WaveletBasis`.
    x : the point at which the kernel is computed.
    J : None for the corrected (4.2), at most 17; another one shows which of the lines on it then fail.
    density : a name of `ldp_lib.nature.DENSITIES`.  louder : scale of the noise in units of the tight one.
    copies : so many people send one report.

    The subject is the density at p = r = 2, where the risk of the estimator is exact: its three parts are
    compared with the bounds term by term, and their sum with (4.1) and (4.3). Other p and r have the same
    chain, with moments of order u = max(p, r); there no law enters, and it is algebra.
    """
    n, alpha = whole("n", n, most=10**15), real("alpha", alpha, above=0)
    s, name = real("s", s, least=0.01, most=100), choice("density", density, DENSITIES)
    L = besov_norm("kink", wavelet, s) if L is None else real("L", L, above=0)
    B, width, x = real("B", B, above=0), real("width", width, above=0), real("x", x, least=-9, most=9)
    p, r = (real(label, value, least=1, most=4, cure="The moments in this ledger end at the fourth.")
            for label, value in (("p", p), ("r", r)))
    if B * width < 1:
        raise ValueError(f"B = {B:g} is too small: a density on an interval of length {width:g} exceeds "
                         f"{1 / width:g} somewhere. Raise B.")
    total = n * alpha**2
    if total < 1:
        raise ValueError(f"alpha = {alpha:g} with n = {n} is out of range: n alpha^2 = {total:.3g} must be "
                         "at least 1. Take more people.")
    louder, copies = real("louder", louder, above=0), whole("copies", copies, most=n)
    u, star = max(p, r), s - max(0.0, 1 / p - 1 / r)
    finest = linear_level(n, alpha, s) if J is None else J               # of the exact risk, at p = r = 2
    J = whole("J", linear_level(n, alpha, star) if J is None else J, least=0, most=FINE_LEVEL - 1,
              cure="(4.2) asks for a finer level than densities are known at; take fewer people, or a larger "
                   "s.")
    basis, D = wavelet_basis(wavelet), square_bound(wavelet)
    c = basis.overlap

    # Bias: the worst one-level density is a spike, f0 + gamma psi_Jk with gamma 2^(J(s + 1/2 - 1/p)) = L.
    spike = L * norm_power(wavelet, u) ** (1 / u) * 2 ** (-J * star)
    meyer = basis.S_psi ** (1 - 1 / u) * norm_power(wavelet, 1) ** (1 / u)

    # Stochastic error at the point x.
    fathers, mothers, top = coefficients_at(wavelet, [x], J)
    weights = np.concatenate([values[0] for _, values in (fathers, *mothers)])
    diagonal, kernel = float(np.square(weights).sum()), float(np.square(top[1]).sum())
    tight = WaveletLaplace(alpha, wavelet, J, "common", noise="real").scale
    sigma = louder * tight
    C_sigma = 2 * (math.sqrt(2) + 1) * max(basis.S_phi, basis.S_psi)
    people, noise = 2**J / n, 4.0**J / total
    spread, shake = B * D * people, 2 * C_sigma**2 * D * noise        # bounds of the two variances
    variance = 2 * tight**2 / n * diagonal
    fourth = 3 * variance**2 + 12 * n * float(((weights * tight / n) ** 4).sum())
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

    # The exact risk at p = r = 2, and its bound.
    bias, sampling = (float(part[finest]) for part in energies(law(name), basis))
    sampling, shaking = copies * sampling / n, copies * 2**finest * 2 / n * (
        louder * WaveletLaplace(alpha, wavelet, finest, "common", noise="real").scale) ** 2
    squares = np.array([L**2 / (1 - 4**-s), max(B, 1.0), (1 + 2 * c) * 2 * C_sigma**2 * D])
    orders = np.array([4 ** (-finest * s), 2**finest / n, 4.0**finest / total])

    # The choice of J.
    plain, private = n ** (-u * star / (2 * star + 1)), total ** (-u * star / (2 * star + 2))
    rate = max(plain, private)
    rate_2 = max(n ** (-2 * s / (2 * s + 1)), total ** (-2 * s / (2 * s + 2)))
    nothing = float(law(name).l2_norm_squared)                          # the risk of the estimate 0
    level, on, budget = "J of (4.2)", f"the density {name}", f"{n:,} people, alpha = {alpha:g}"
    ball, bound, apart, scale = "Besov ball", "bounded density", "independent people", "noise scale"
    steps = (
        Step("ball", "2^(j s) ||beta_j||_2 <= L at every level", besov_norm(name, wavelet, s), L, subject=on,
             uses=(ball,)),
        Step("bias", "||f - P_J f||^2 <= L^2 2^(-2 J s) / (1 - 2^(-2 s))", bias, squares[0] * orders[0],
             subject=on, uses=(ball,)),
        Step("one level",
             "||sum_k beta_jk psi_jk||_u <= S_psi^(1-1/u) ||psi||_1^(1/u) 2^(j(1/2-1/u)) ||beta_j||_u", spike,
             L * meyer * 2 ** (-J * star), "algebra: Hölder's inequality, for a spike of level J"),
        equation("kernel", "sum_k phi_0k(x)^2 + sum_{j < J, k} psi_jk(x)^2 = sum_k phi_Jk(x)^2", diagonal,
                 kernel, "algebra: two orthonormal bases of V_J"),
        Step("kernel, size", "sum_k phi_Jk(x)^2 <= 2^J D, D = S_phi sup |phi|", kernel, 2**J * D,
             "algebra: no law enters"),
        Step("people, variance", "n Var of the people's part at x <= B sum_k phi_Jk(x)^2",
             people_variance(name, wavelet, J, x), B * kernel, subject=on, uses=(bound,)),
        Step("people", "the people's part of the risk <= max(B, 1) 2^J / n", sampling, squares[1] * orders[1],
             subject=on, uses=(apart,)),
        Step("noise scale", "sigma_J <= 2 (sqrt 2 + 1) max(S_phi, S_psi) 2^(J/2) / alpha", sigma,
             C_sigma * 2 ** (J / 2) / alpha, "mechanism (3.1)", subject="mechanism (3.1)", uses=(scale,)),
        Step("noise, variance", "(2 sigma_J^2 / n) sum_k phi_Jk(x)^2 <= 2 C_sigma^2 D 2^(2J) / (n alpha^2)",
             2 * sigma**2 / n * diagonal, shake, subject="mechanism (3.1)", uses=(scale,)),
        Step("noise, fourth moment", "3 V^2 + 12 n sum (a sigma_J / n)^4 <= 3 (1 + 1/n) V^2", fourth,
             3 * (1 + 1 / n) * variance**2, "algebra, in place of Rosenthal's inequality"),
        Step("noise, moment", "E |Z|^u <= V^(u/2), or (E Z^4)^(u/4) beyond u = 2",
             variance ** (u / 2) if u <= 2 else fourth ** (u / 4), powers[1] * noise ** (u / 2), "algebra"),
        Step("people, fourth moment", "max^2 V + 3 V^2 <= (3 + 4 D / B) (B D 2^J / n)^2 while 2^J <= n",
             bounded**2 * spread + 3 * spread**2, (3 + 4 * D / B) * spread**2,
             "in place of Rosenthal's inequality", subject=budget, uses=(level,)),
        Step("noise", "the noise's part of the risk <= (1 + 2c) 2 C_sigma^2 D 2^(2J) / (n alpha^2)", shaking,
             squares[2] * orders[2], subject="mechanism (3.1)", uses=(scale, apart)),
        Step("(4.1)",
             "3^(u-1) (bias^u + people + noise) <= "
             "C { 2^(-J u s*) + (2^J / n)^(u/2) + (2^(2J) / (n alpha^2))^(u/2) }",
             3 ** (u - 1) * float((parts * sizes).sum()), C * float(sizes.sum()), "algebra"),
        Step("(4.1), risk", "exact risk <= C { 2^(-2 J s) + 2^J / n + 2^(2J) / (n alpha^2) }",
             bias + sampling + shaking, squares.max() * orders.sum(), subject=on,
             uses=(ball, apart, scale), certain=nothing),
        Step("(4.2), bias", "2^(-J u s*) <= 2^(u s*) rate: rounding J down costs at most one level", sizes[0],
             2 ** (u * star) * rate, COROLLARY, subject=budget, uses=(level,)),
        Step("(4.2), people", "(2^J / n)^(u/2) <= n^(-u s* / (2 s* + 1))", sizes[1], plain, COROLLARY,
             subject=budget, uses=(level,)),
        Step("(4.2), noise", "(2^(2J) / (n alpha^2))^(u/2) <= (n alpha^2)^(-u s* / (2 s* + 2))", sizes[2],
             private, COROLLARY, subject=budget, uses=(level,)),
        Step("(4.3)", "exact risk <= C (2^(2 s) + 2) rate", bias + sampling + shaking,
             squares.max() * (4**s + 2) * rate_2, COROLLARY, subject=on,
             uses=(ball, apart, scale, level), certain=nothing),
    )
    return {"n": n, "alpha": alpha, "s": s, "p": p, "r": r, "L": L, "B": B, "width": width,
            "wavelet": wavelet, "J": J, "x": x, "density": name}, steps


COROLLARY = "Butucea et al. 2020, proof of Corollary 4.1, with errata 18"
CELLS = 2**13
"""The variance at a point is a sum over so many cells of the support of its kernel."""
law = functools.cache(density)


@functools.cache
def level_norms(name, wavelet):
    """||beta_j||_2 of the details of a density, levels 0 to FINE_LEVEL - 1."""
    basis = wavelet_basis(wavelet)
    return np.array([np.linalg.norm(law(name).coefficients(basis, j, "psi")) for j in range(FINE_LEVEL)])


def besov_norm(name, wavelet, s):
    """sup_j 2^(j s) ||beta_j||_2: the norm of B^s_(2, infinity), without the fathers, up to level 17."""
    return float((2.0 ** (s * np.arange(FINE_LEVEL)) * level_norms(name, wavelet)).max())


def people_variance(name, wavelet, J, x):
    """n times the variance at x of the projection estimator without noise: of K_J(x, X)."""
    reach = wavelet_basis(wavelet).overlap * 2.0**-J
    edges = np.linspace(x - reach, x + reach, CELLS + 1)
    _, _, (first, values) = coefficients_at(wavelet, np.append(x, (edges[1:] + edges[:-1]) / 2), J)
    k = first[:, None] + np.arange(values.shape[1])
    apart = k[1:] - first[0]
    here = np.where((apart >= 0) & (apart < values.shape[1]),
                    values[0][np.clip(apart, 0, values.shape[1] - 1)], 0.0)
    kernel, mass = (here * values[1:]).sum(axis=1), np.diff(law(name).cdf(edges))
    return float(mass @ kernel**2 - (mass @ kernel) ** 2)

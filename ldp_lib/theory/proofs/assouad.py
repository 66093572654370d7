"""The lower bound of Berrett & Butucea (2019), Theorem 2.5, executed."""

import math

from scipy.integrate import quad

from ldp_lib._arguments import choice, real, whole
from ldp_lib.nature.hypercube import BUMPS, bump_constants, bump_profile
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.lower import lower_bound, regularity, working_constants
from ldp_lib.theory.contraction import contraction_constant, indistinguishability, pair_divergence
from ldp_lib.theory.proofs.steps import Step, equation, proves
from ldp_lib.theory.rates import classification_exponent


@proves("2.5")
def ledger_2_5(n: int = 10**6, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0, d: int = 1,
               L: float = 1.0, C0: float = 2.0, bump: str = "ramp"):
    """The ledger of Theorem 2.5 at the working constants C1 = C3 = 1, with the corrections of errata 9 to 14.

    n : people who report, in all, with n alpha^2 >= 1.  alpha : nats, in (0, 1].  beta, gamma : beta gamma <=
        d.
    L, C0 : class constants.  bump : a key of `ldp_lib.nature.hypercube.BUMPS`.

    TV stands for the average over cells of TV(M_+k, M_-k); its worst case over mechanisms is bounded through
    the dominating pair, and every later bound on it is larger.
    """
    n, alpha = whole("n", n), real("alpha", alpha, above=0)
    exponent = classification_exponent(beta, gamma, d)
    beta, gamma, d, L, C0, *_ = checked_theta(beta, gamma, d, L, C0, None, 1.0, 1.0)
    limits = bump_constants(choice("bump", bump, BUMPS), beta)
    q, m, w, height = working_constants(n, alpha, beta, gamma, d, L, C0, bump)
    C_phi, c2 = height / L, w * q**d
    top = height * q**-beta                                     # of varphi
    delta = w * top
    expm1 = math.expm1(alpha)
    # TV(P_+k, P_-k) = integral of varphi f over the cell, f uniform on the cube of half-width 1/(8q): shells
    # r^(d-1) dr.
    shells = quad(lambda r: d * r ** (d - 1) * top * w * float(bump_profile(bump, q * r / (8 * q))), 0, 1)[0]
    J = n * pair_divergence(alpha, delta)
    # The contour integral's absolute error, below 1e-10, would show where TV is smaller still.
    tv = max(0.0, 1 - float(indistinguishability(n, alpha, delta)) - 1e-10)
    bounds = {K: math.sqrt(K * n) * expm1 * delta for K in (0.25, 0.5, 2.0)}
    total = n * alpha**2
    density = lower_bound(n, alpha, beta, gamma, d, L=L, C0=C0, bump=bump, kind="working",
                          contraction="printed").mu
    closed = 2 ** (-beta * (1 + gamma) - 3) * c2 * height * total**-exponent

    steps = (
        Step("cells", "m <= q^d cells fit", m, q**d, ", errata 9"),
        Step("mass", "m w <= 1", m * w, 1),
        Step("eta is a probability", "varphi <= L C_phi q^-beta <= 1", top, 1, "errata 14: unstated"),
        Step("Hölder, one cell", "L C_phi [u]_beta / 2 <= L", height * limits.seminorm / 2, L),
        Step("Hölder, phi", "L C_phi [u]_beta <= L: what the paper asks", height * limits.seminorm, L),
        Step("Hölder, two cells", "L C_phi K0 2^-beta <= L where opposite signs touch",
             height * limits.edge * 2**-beta, L, "not in the paper"),
        Step("height", "C_phi against the largest that the Hölder condition on eta allows", C_phi,
             limits.c_eta, "phi is asked for, eta = (1 + varphi)/2 would do"),
        Step("margin", "m w <= C0 (L C_phi q^-beta / 2)^gamma", m * w, C0 * (top / 2) ** gamma, ", errata 9"),
        Step("regular support", "c0 for radii up to 1/2, whatever q and m are <= c0 for radii within a cell",
             regularity(q, d, 0.5), regularity(q, d, 1 / (4 * q)),
             "errata 10: A0 = all but the active cells"),
        Step("density", "mu of this hypercube <= w (4q)^d = 4^d c2, free of n", density, 4**d * c2,
             "strong density assumption"),
        equation("cell integral", "integral of varphi f over a cell = w L C_phi q^-beta", shells, delta),
        Step("game", "the bound with TV of the dominating pair <= the sum with nothing known",
             m / 2 * (1 - tv) * delta, m / 2 * delta, ", averaging first, errata 11"),
        Step("Pinsker", "TV <= sqrt(J / 4), J the symmetric divergence of n draws of the pair", tv,
             math.sqrt(J / 4)),
        Step("contraction, pair", "J / n <= 2 (e^alpha - 1)^2 Delta^2 / (e^alpha + 1)", J / n,
             contraction_constant(alpha, "dominating") * delta**2, "not in the paper"),
        Step("contraction, 1", "J / n <= (e^alpha - 1)^2 Delta^2", J / n, expm1**2 * delta**2, "constant 1"),
        Step("contraction, 4", "J / n <= min(4, e^(2 alpha)) (e^alpha - 1)^2 Delta^2", J / n,
             contraction_constant(alpha, "printed") * delta**2, "Duchi, Jordan & Wainwright 2018, Theorem 1"),
        Step("n/4", "TV <= sqrt(n/4) (e^alpha - 1) Delta without interaction", tv, bounds[0.25],
             "Pinsker, constant 1"),
        Step("n/2", "sqrt(n/4) <= sqrt(n/2): with interaction", bounds[0.25], bounds[0.5],
             "Pinsker, constant 1"),
        Step("2n", "sqrt(n/2) <= sqrt(2n): as printed", bounds[0.5], bounds[2.0]),
        Step("small alpha", "2n (e^alpha - 1)^2 Delta^2 <= 8 n alpha^2 Delta^2 for alpha <= 1",
             bounds[2.0] ** 2, 8 * total * delta**2),
        Step("choice of q", "n alpha^2 q^(-2 beta - 2d) <= 1", total * float(q) ** (-2 * beta - 2 * d), 1),
        Step("8 n alpha^2", "8 n alpha^2 Delta^2 <= 8 c2^2 L^2 C_phi^2", 8 * total * delta**2,
             8 * (c2 * height) ** 2),
        Step("choice of c2", "8 c2^2 L^2 C_phi^2 <= 1/4", 8 * (c2 * height) ** 2, 0.25,
             "errata 12: printed 1/2"),
        Step("risk", "m w L C_phi / (4 q^beta) <= (m/2) Delta (1 - TV)", m * delta / 4,
             m / 2 * delta * (1 - tv)),
        Step("floor", "q^(d - beta gamma) / 2 <= m", q ** (d - beta * gamma) / 2, m),
        Step("ceiling", "q <= 2 (n alpha^2)^(1 / (2 beta + 2d))", q, 2 * total ** (1 / (2 * beta + 2 * d)),
             ", n alpha^2 >= 1, errata 13"),
        Step("rate", "2^(-beta (1+gamma) - 3) c2 L C_phi (n alpha^2)^-r <= m w L C_phi / (4 q^beta)", closed,
             m * delta / 4),
        Step("whole", "the closed form <= (m/2) Delta (1 - TV)", closed, m / 2 * delta * (1 - tv)),
    )
    return {"n": n, "alpha": alpha, "beta": beta, "gamma": gamma, "d": d, "L": L, "C0": C0}, steps

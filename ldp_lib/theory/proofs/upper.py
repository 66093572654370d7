"""The upper bound of Berrett & Butucea (2019), Theorem 2.4, executed."""

import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.theory.classification import ball_volume, checked_theta, theorem_bandwidth
from ldp_lib.theory.classification.upper import mean_distance, printed_constant, upper_bound
from ldp_lib.theory.proofs.steps import Step, equation, proves


@proves("2.4")
def ledger_2_4(n: int = 10**6, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0, d: int = 1,
               L: float = 1.0, C0: float = 2.0, c0: float | None = None, mu: float = 1.0, r0: float = 0.5,
               shell: int = 1):
    """The ledger of Theorem 2.4 at the theorem's h, with the corrections of errata 5 to 8.

    n : people in all.  alpha : nats; the tail step needs alpha <= 1.  beta, gamma, d, L, C0, c0 (None: 4^-d),
        mu,
    r0 : the class; the step "radius" is the condition h / 2 <= r0 that the theorem omits.
    shell : j >= 1, the shell at whose inner edge the tail is computed; beyond |eta - 1/2| = 1/2 the last
        shell with a point in it is taken, and the edge is cut at 1/4 if no shell has one.

    Where a step concerns a law, it is evaluated at the worst one: mass c0 mu V (h/2)^d, V the volume of the
    unit ball.
    """
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    alpha, j = real("alpha", alpha, above=0), whole("shell", shell, most=100)
    theta = checked_theta(beta, gamma, d, L, C0, c0, mu, r0)
    beta, gamma, d, L, C0, c0, mu, r0 = theta
    volume = ball_volume(d)
    if c0 * mu * volume * r0**d > 1 + 1e-9:
        raise ValueError(
            f"r0 = {r0:g} is too large: balls of that radius would hold at least c0 mu V r0^d = {c0:g} * "
            f"{mu:g} * {volume:g} * {r0**d:g} = {c0 * mu * volume * r0**d:.3g} > 1 of the people, and no law "
            "is in the class. Lower r0, c0 or mu.")
    h, root = theorem_bandwidth(n, alpha, beta, d, L, mu), math.sqrt(d)
    lam, nearest = L * (2 * h * root) ** beta, L * (1.5 * h * root) ** beta
    least = c0 * mu * min(1.0, volume) * (h / 2) ** d
    mass = min(1.0, c0 * mu * volume * (h / 2) ** d)

    # The edge of shell j; the shells' own edges may lie beyond 1/2, where there is nobody.
    while j > 1 and 2**j * lam > 0.5:
        j -= 1
    u = 2**j * lam
    mean = mass * (u - lam)
    p = min(1.0, mass)
    t = min(mean, p / 2)
    b = 2 ** (d + 1) / alpha
    tail = -max(log_tail_probability(half, p, p / 2 + t, b, 0.0),
                log_tail_probability(half, p, p / 2 - t, b, 0.0))
    rate = half * alpha**2 / 2 ** (2 * d + 6)

    kappa = c0**2 * d**beta * 2.0 ** (2 * beta - 4 * d - 8) * min(1.0, volume) ** 2
    A = printed_constant(beta, gamma, d, c0)
    shells = np.arange(1, 400)
    with np.errstate(over="ignore"):                       # 4^j beyond the floats: the shell costs nothing
        exponents = kappa * 4.0**shells
    costs = np.exp((shells + 2) * math.log(2) + (shells + 1) * gamma * math.log(2) - exponents)
    shell_sum = C0 * lam ** (1 + gamma) * (2 ** (2 + gamma) + costs.sum())
    final = A * C0 * (L * h**beta) ** (1 + gamma)
    uniform = L * mean_distance([-h] * d, [h] * d, [h / 2] * d, beta)

    steps = (
        Step("radius", "h / 2 <= r0: regularity is known at this radius", h / 2, r0,
             "omitted from the theorem, errata 8"),
        Step("ball in cube", "x in B(x0, h/2) has ||x - x_j*||_inf <= h/2 + h/2 <= h", h / 2 + h / 2, h),
        Step("ball", "c0 mu (h/2)^d min(1, V) <= c0 mu V (h/2)^d <= P(X in cube*)", least,
             c0 * mu * volume * (h / 2) ** d, ", with errata 6"),
        Step("distance", "points of the cube are within 1.5 h sqrt(d) of x0: the Hölder term <= Lam",
             nearest, lam, ", errata 7"),
        Step("mean distance", "if X is uniform the Hölder term averages to less", uniform, nearest,
             "not in the paper"),
        Step("(3.3)", "c0 mu (h/2)^d (2^j - 1) Lam <= |E T_n| in shell j", least * (2**j - 1) * lam, mean),
        Step("doubling", "2^(j-1) <= 2^j - 1", 2 ** (j - 1), 2**j - 1, "errata 5: printed 2^j"),
        equation("shell 0", "an error costs |2 eta - 1| <= 4 Lam where |eta - 1/2| <= 2 Lam", 2 * (2 * lam),
                 4 * lam),
        equation("shell j", "an error costs |2 eta - 1| <= 2^(j+2) Lam in shell j", 2 * 2 ** (j + 1) * lam,
                 2 ** (j + 2) * lam),
        Step("tail", "n' alpha^2 |E T_n|^2 / 2^(2d+6) <= -log P(wrong side of 0)", rate * t**2, tail,
             "(3.1), exact tail"),
        equation("exponent",
                 "n' alpha^2 [c0 mu (h/2)^d 2^(j-1) Lam]^2 / 2^(2d+6) = kappa 4^j at the theorem's h",
                 rate * (least * 2 ** (j - 1) * lam) ** 2, kappa * 4.0**j, ", with errata 5"),
        Step("shell mass", "P(shell j) <= C0 (2^(j+1) Lam)^gamma, no more than 1 is needed",
             min(1.0, C0 * (2 ** (j + 1) * lam) ** gamma), C0 * (2 ** (j + 1) * lam) ** gamma,
             "margin condition"),
        equation("sum", "shell 0 and all others sum to A C0 (L h^beta)^(1+gamma)", shell_sum, final),
        equation("rate", "L h^beta = {L^d / (n' alpha^2 mu^2)^(beta/2)}^(1/(d+beta))", L * h**beta,
                 (L**d / (half * alpha**2 * mu**2) ** (beta / 2)) ** (1 / (d + beta))),
        Step("whole", "the same shells with the exact tail, cut at 1 <= A C0 (L h^beta)^(1+gamma)",
             upper_bound(n, alpha, beta, gamma, d, L=L, C0=C0, c0=c0, mu=mu, r0=r0, kind="sharp", h=h).value,
             final, "exact tail"),
        Step("constant", "shell 0 alone against the whole of A",
             (2 * root) ** (beta * (1 + gamma)) * 2 ** (gamma + 2), A,
             "how much of A is the price of the exponential inequality"),
    )
    return {"n": 2 * half, "alpha": alpha, **theta._asdict(), "shell": j}, steps

"""The proofs of Berrett & Butucea (2019), executed: privacy, consistency, upper and lower bound."""

import math

import numpy as np
from scipy.integrate import quad

from ldp_lib._arguments import choice, real, require_memory, whole
from ldp_lib.nature.hypercube import BUMPS, bump_constants, bump_profile
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.theory.classification import MOST_DIMENSIONS, ball_volume, checked_theta, theorem_bandwidth
from ldp_lib.theory.classification.lower import lower_bound, regularity, working_constants
from ldp_lib.theory.classification.upper import mean_distance, printed_constant, upper_bound
from ldp_lib.theory.contraction import contraction_constant, indistinguishability, pair_divergence
from ldp_lib.theory.proofs.steps import Step, equation, proves
from ldp_lib.theory.rates import classification_exponent

PAPER = "Berrett & Butucea 2019"


@proves("2.1", PAPER)
def ledger_2_1(alpha: float = 1.0, h: float = 0.2, d: int = 1):
    """The ledger of Theorem 2.1 at privacy alpha (nats), bandwidth h and dimension d.

    Maxima over people are exact: a person's array is a product over the axes, so
    that grid lines and midpoints of one axis represent all positions.
    """
    mechanism = CubeLaplace(alpha, h, d)
    axis = CubeLaplace(alpha, h, 1)
    require_memory(f"All pairs of {2 * axis.K:,} places", 100.0 * axis.K**2, "Increase h.")
    places = np.concatenate([np.arange(axis.K) * h, (np.arange(axis.K) + 0.5) * h])
    places = places[places <= 1]
    B = axis.encode(places[:, None], np.ones(len(places), int), half=1)
    ones = B.sum(axis=1) ** d
    distance = ones[:, None] + ones - 2 * (B @ B.T) ** d
    first, second = np.unravel_index(distance.argmax(), distance.shape)
    a, b = ((np.full(d, places[i]), 1) for i in (first, second))
    z = np.linspace(-3, 4, 141)
    coordinate = (np.abs(z - 1) - np.abs(z)).max() / mechanism.scale
    losses = {half: mechanism.privacy_loss(*a, *b, half=half) for half in (1, 2)}
    crowded = np.full(d, places[ones.argmax()])
    steps = (
        Step("ones in B", "an array B has at most 2^d ones", ones.max(), 2.0**d),
        Step("distance", "two arrays differ by ||b - b'||_1 <= 2^(d+1)", distance.max(),
             mechanism.sensitivity),
        Step("coordinate", "where b = 0 and b' = 1: |z - b'| - |z - b| <= |b - b'|, over the scale",
             coordinate, 1 / mechanism.scale),
        equation("supremum", "the law of the loss reaches ||b - b'||_1 / scale",
                 privacy_loss_distribution(mechanism, a, b).loss[-1], distance.max() / mechanism.scale,
                 "outputs beyond both centres"),
        Step("first half", "log-likelihood ratio of B + noise <= alpha", losses[1], mechanism.alpha),
        Step("second half", "log-likelihood ratio of YB + noise <= alpha", losses[2], mechanism.alpha),
        Step("label only", "the same x with another label costs at most alpha / 2",
             mechanism.privacy_loss(crowded, 0, crowded, 1), mechanism.alpha / 2, "||b||_1 <= 2^d"),
    )
    return {"alpha": mechanism.alpha, "h": mechanism.h, "d": mechanism.d}, steps


@proves("2.2", PAPER)
def ledger_2_2(n: int = 10**6, alpha: float = 1.0, d: int = 1, t: float = 0.05, p: float = 0.2,
               q: float = 0.15):
    """The ledger of Theorem 2.2 at one cube.

    n : people in all, half of them labelled.  alpha : nats.  t : deviation of T_n, in (0, 1].
    p = P(X in cube), in (0, 1].  q = P(X in cube, Y = 1), in [0, p].

    Exponents are compared, not probabilities: they are proportional to n, so that
    the slack of a step is the factor by which it inflates the number of people.
    The last step of the chain needs alpha <= 1 (errata 1 and 3): beyond, the
    ledger shows where it fails.
    """
    half = whole("n", n, least=2) // 2
    alpha, d = real("alpha", alpha, above=0), whole("d", d, most=MOST_DIMENSIONS)
    t, p = real("t", t, above=0, most=1), real("p", p, above=0, most=1)
    q = real("q", q, least=0, most=p)
    b, mean = 2 ** (d + 1) / alpha, q - p / 2
    delta = abs(mean) / 2
    lam = half * alpha**2 * t / 2 ** (2 * d + 4)
    s = lam / half
    if b * s >= 1:
        raise ValueError(
            f"alpha * t = {alpha:g} * {t:g} is out of range: the chain needs "
            f"alpha * t < 2^(d+3) = {2 ** (d + 3)}, "
            "or the moment generating function of the noise is infinite. Lower alpha or t."
        )

    labelled, unlabelled = _centred_log_mgf(q, s), _centred_log_mgf(p, -s / 2)
    noise = -np.log1p(-((b * s) ** 2)) - np.log1p(-((b * s) ** 2) / 4)
    chernoff = lam * t - half * (labelled + unlabelled + noise)
    hoeffding = lam * t - half * (s**2 / 8 + s**2 / 32 + noise)
    bound = half * alpha**2 * t**2 / 2 ** (2 * d + 6)
    tail = -log_tail_probability(half, p, q, b, mean + t)
    integral = quad(lambda z: (np.exp((s * b - 1) * z) + np.exp(-(s * b + 1) * z)) / 2, 0, np.inf,
                    epsrel=1e-11)[0]

    wrong = -log_tail_probability(half, p, q, b, 0.0)
    steps = (
        equation("noise mgf", "E exp(s eps) = 1 / (1 - (b s)^2) for eps ~ Laplace(b)", integral,
                 1 / (1 - (b * s) ** 2)),
        Step("Hoeffding, labelled", "log E exp(s (YB - q)) <= s^2 / 8", labelled, s**2 / 8),
        Step("Hoeffding, unlabelled", "log E exp(-s (B - p) / 2) <= s^2 / 32", unlabelled, s**2 / 32),
        Step("Chernoff", "lambda t - log mgf <= -log P(T_n - E T_n >= t)", chernoff, tail),
        Step("Hoeffding, both", "the exponent with both Hoeffding bounds", hoeffding, chernoff),
        Step("(3.1)", "n alpha^2 t^2 / 2^(2d+6) is below that exponent", bound, hoeffding, ", with errata 1"),
        Step("(3.1), whole", "n alpha^2 t^2 / 2^(2d+6) <= -log P(T_n - E T_n >= t)", bound, tail),
        Step("wrong side",
             "n alpha^2 delta^2 / 2^(2d+6) <= -log(P(wrong side of 0) / 2), delta = |q - p/2| / 2",
             half * alpha**2 * delta**2 / 2 ** (2 * d + 6), np.log(2) + wrong),
    )
    return {"n": 2 * half, "alpha": alpha, "d": d, "t": t, "p": p, "q": q}, steps


def _centred_log_mgf(probability, s):
    """log E exp(s (B - EB)) of a Bernoulli variable, without cancellation.

    Taylor's formula with integral remainder.

    The second derivative is the variance under exponential tilting, at most 1/4; that is Hoeffding's lemma.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    v = (nodes + 1) / 2
    tilted = probability * np.exp(s * v)
    tilted /= 1 - probability + tilted
    return s**2 * (weights / 2) @ ((1 - v) * tilted * (1 - tilted))


@proves("2.4", PAPER)
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


@proves("2.5", PAPER)
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

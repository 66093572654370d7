"""Where Berrett & Butucea (2019), and the slides about it, slip: errata 1 to 16 and 32."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import binom

from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.scores import cube_sign_probabilities, wrong_side_probability
from ldp_lib.theory.classification import ball_volume
from ldp_lib.theory.classification.upper import printed_constant
from ldp_lib.theory.contraction import randomised_response, total_variation
from ldp_lib.theory.errata import CLASSIFICATION, SLIDES, Evidence, erratum


@erratum(1, CLASSIFICATION, "(3.1), third line", "5 n alpha^4 t^2 / 2^(4d+9)",
         "5 n alpha^4 t^2 / 2^(4d+13), for alpha <= 1",
         "The printed term is larger than the true one: loose, and the bound survives.")
def _hoeffding_term():
    n, alpha, t, d = 1000, 1.0, 0.5, 1
    lam = n * alpha**2 * t / 2 ** (2 * d + 4)
    return Evidence(
        "Hoeffding term 5 lambda^2 / (32 n) at n = 1000, alpha = 1, t = 1/2, d = 1",
        printed=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 9),
        corrected=5 * n * alpha**4 * t**2 / 2 ** (4 * d + 13), computed=5 * lam**2 / (32 * n))


@erratum(2, CLASSIFICATION, "proof of Theorem 2.2, moment generating function", "W - U/2 - EW - EU/2",
         "W - U/2 - EW + EU/2", "A sign; the lines after it use the right one.")
def _centring():
    p, q = Fraction(3, 10), Fraction(18, 100)
    outcomes = [(w, u, (q if w else 1 - q) * (p if u else 1 - p)) for w in (0, 1) for u in (0, 1)]
    derivative = {sign: sum((w - Fraction(u, 2) - q + sign * p / 2) * mass for w, u, mass in outcomes)
                  for sign in (-1, 1)}
    return Evidence(
        "mean of the variable in the exponent at p = 0.3, q = 0.18; a centred one has mean 0",
        printed=float(derivative[-1]), corrected=float(derivative[1]), computed=0.0)


@erratum(3, CLASSIFICATION, "Theorem 2.2", "n alpha^2 h^(2d) -> infinity, any alpha",
         "n min(alpha, 1)^2 h^(2d) -> infinity",
         "As printed the theorem is false: with large alpha the noise vanishes but the cubes stay empty.")
def _unbounded_alpha():
    """X uniform, eta = 1: a point far from everybody is labelled by noise alone, whatever alpha is."""
    n = 300
    h, alpha = float(n) ** -2, float(n) ** 3
    # Cubes of mass 2h overlap at every x; eta = 1 makes q = p, and the excess risk is P(T_n < 0).
    risk = wrong_side_probability(n, 2 * h, 2 * h, 4 / alpha)
    # A lower bound by hand: nobody of either half is in the cube, and then the noise decides.
    return Evidence(
        "excess risk at h = n^-2, alpha = n^3, n = 300 a half, where n alpha^2 h^2 = n^3",
        printed=0.0, corrected=(1 - 2 * h) ** (2 * n) / 2, computed=float(risk))


@erratum(4, CLASSIFICATION, "proof of Theorem 2.2, the set Omega_0", "Omega_0 = Omega_mu union Omega_nu",
         "Omega_0 contains Omega_mu union Omega_nu",
         "Only the inclusion is true, and only the inclusion is needed. The same proof differentiates "
         "along cubes that are not centred at x0; approximating eta in L1 by continuous functions repairs "
         "it.")
def _two_scales():
    """At 0 neither part has positive lower density, their sum has: shells 2^-k belong to the parts by
    turns."""
    ends = [2**m for m in range(11)]                  # blocks of shells [1, 2), [2, 4), ..., [512, 1024)
    shells = np.arange(1, ends[-1])
    owner = np.floor(np.log2(shells)).astype(int) % 2
    mass = 2.0**-shells
    ball = {part: np.cumsum((mass * (owner == part))[::-1])[::-1] / mass for part in (0, 1)}
    # P(ball of radius 2^-k) / 2^-k from the shells beyond k; the last block lacks its continuation.
    keep = shells < ends[-2]
    lower = {part: float(ball[part][keep].min()) for part in (0, 1)}
    return Evidence(
        "lower density at 0 of the sum of two measures whose own lower densities are 0 (printed: their "
        "maximum)",
        printed=max(lower.values()), corrected=1.0, computed=float((ball[0] + ball[1])[keep].min()))


@erratum(32, SLIDES, "Definition 1", "Q(A | x', y') / Q(A | x', y')", "Q(A | x, y) / Q(A | x', y')",
         "As printed every mechanism is private.")
def _same_pair_twice():
    alpha, mechanism = 1.0, CubeLaplace(1.0, 0.2)
    return Evidence(
        "sup of the ratio in the definition of alpha-LDP for the cube mechanism at alpha = 1",
        printed=1.0, corrected=math.exp(alpha), computed=math.exp(mechanism.privacy_loss(0.1, 1, 0.9, 1)))


@erratum(32, SLIDES, "Theorem 2, limit display, third indicator", "1{E T_n / delta < 1}",
         "1{|E T_n / delta| < 1}", "Without the absolute value it tends to 1, not to 0, wherever eta < 1/2.")
def _lost_absolute_value_in_the_limit():
    eta, p = 0.2, 0.3
    ratio = p * (eta - 0.5) / (abs(eta - 0.5) * p / 2)
    return Evidence(
        "the third indicator at eta = 0.2, where E T_n / delta tends to -2; the proof needs 0",
        printed=float(ratio < 1), corrected=float(abs(ratio) < 1), computed=0.0)


@erratum(32, SLIDES, "Definition 5", "f(x) > mu on the support", "f(x) >= mu on the support",
         "As printed the uniform law with mu = 1 would be outside the class.")
def _strict_density():
    least = problem("sine").density(np.linspace(0, 1, 11)[:, None]).min()
    return Evidence(
        "is the uniform law, of density 1, in the class with mu = 1? The paper's definition says yes, 1",
        printed=float(least > 1.0), corrected=float(least >= 1.0), computed=1.0)


def _island(d, h=0.25):
    """(c0, P(X in cube*)) of a law with mu = 1 whose cube* holds little: a member of the class with r0 = h/2.

    The support is [0, 1]^d without cube*, and the ball of radius h/4 about x0, the centre of cube*, on which
    f = 1. For x in the ball and r <= h/2, B(x, r) holds a ball of radius min(r/2, h/4) inside the island: c0
    = 2^-d. So it does elsewhere: the orthant that points away from cube* and from the border belongs to the
    support.
    """
    return 2.0**-d, ball_by_slices(d) * (h / 4) ** d


def ball_by_slices(d):
    """Volume of the Euclidean unit ball without its formula, by quadrature.

    Cut across the last axis at x = sin t it is made of balls of radius cos t in d - 1 dimensions, and so on.
    """
    return math.prod(quad(lambda t, k=k: math.cos(t) ** (k + 1), -math.pi / 2, math.pi / 2)[0]
                     for k in range(d))


@erratum(5, CLASSIFICATION, "proof of Theorem 2.4, exponent in shell j", "2^(4d + 6 - 2 beta)",
         "2^(4d + 8 - 2 beta)",
         "2^j - 1 >= 2^(j-1) costs a factor 4. In the printed form it was lost; a ball volume of at least "
         "2, which the proof gives away, pays for it up to d = 10, and the line fails from d = 13 on.")
def _shell_exponent():
    d, j, h = 14, 1, 0.25
    c0, mass = _island(d, h)
    # eta = 1/2 + 2^j Lam all over cube*; everything in units of c0 mu (h/2)^d Lam.
    unit = c0 * (h / 2) ** d
    return Evidence(
        "|E T_n| / (c0 mu (h/2)^d Lam) at the edge of shell j = 1, d = 14, for a small island in an empty "
        "cube; the proof needs a lower bound on it",
        printed=2.0**j, corrected=min(1.0, ball_volume(d)) * (2.0**j - 1), computed=mass * 2**j / unit)


@erratum(6, CLASSIFICATION, "proof of Theorem 2.4, P(X in cube*)", "P(X in cube*) >= c0 mu (h/2)^d",
         "P(X in cube*) >= c0 mu V_d (h/2)^d, V_d the volume of the unit ball",
         "Right as printed for d <= 12, where V_d >= 1; A then needs a factor V_d^2 in its exponent.")
def _ball_volume_slip():
    d, h = 14, 0.25
    c0, mass = _island(d, h)
    return Evidence(
        "P(X in cube*) / (c0 mu (h/2)^d) at d = 14 for a small island in an empty cube; the proof needs a "
        "lower bound",
        printed=1.0, corrected=ball_volume(d), computed=mass / (c0 * (h / 2) ** d))


@erratum(7, CLASSIFICATION, "proof of Theorem 2.4, the sum over shells", "{2 eta(x0) - 1}", "|2 eta(x0) - 1|",
         "Where eta < 1/2 the printed integrand is negative and bounds nothing. (Also 2 h sqrt(d) can be "
         "1.5 h sqrt(d).)")
def _lost_absolute_value():
    half, alpha, d, h, u = 2000, 1.0, 1, 0.25, 0.1
    p, q, b = 2 * h, 2 * h * (0.5 - u), 2 ** (d + 1) / alpha
    error = float(cube_sign_probabilities(half, p, q, b)[1])
    factor = math.exp(-half * alpha**2 * (p * u) ** 2 / 2 ** (2 * d + 6))
    return Evidence(
        "excess risk at an inner point where eta = 0.4 all over the cube, against the integrand that "
        "bounds it",
        printed=-2 * u * factor, corrected=2 * u * factor, computed=2 * u * error)


@erratum(8, CLASSIFICATION, "Theorem 2.4", "for all n, alpha and L",
         "for alpha <= 1, with the stated h, if h <= 2 r0",
         "As printed the right side vanishes as L -> 0 with everything else fixed, and the risk does not.")
def _missing_conditions():
    n = alpha = C0 = 1.0
    L, beta, gamma, d = 1e-16, 1.0, 0.0, 1
    A = printed_constant(beta, gamma, d, c0=0.5)
    right = A * C0 * (L**d / (n * alpha**2) ** (beta / 2)) ** ((1 + gamma) / (d + beta))
    # h = L^(-1/2) is so large that everybody is in the cube: p = q = 1.
    risk = wrong_side_probability(1, 1.0, 1.0, 4.0 / alpha)
    return Evidence(
        "excess risk at n = alpha = d = 1, eta = 1, gamma = 0, C0 = 1, L = 1e-16; corrected: what holds "
        "without h <= 2 r0",
        printed=right, corrected=1.0, computed=float(risk))


@erratum(15, CLASSIFICATION, "Theorem 2.3", "c0, r0, mu in (0, infinity)",
         "c0, r0, mu small enough, as in Theorem 2.5",
         "For c0 > 1/2 no law is in the class: about an outermost point of the support half of a ball is "
         "empty.")
def _outermost_points():
    # [0, 1] about its end point, by counting a grid of the ball B(0, r).
    r = 0.3
    grid = (np.arange(10_000) + 0.5) / 10_000 * 2 * r - r
    return Evidence(
        "share of the ball about an outermost point of a support in [0, 1] that the support can fill; "
        "printed: any c0 is allowed, 0.75 say",
        printed=0.75, corrected=0.5, computed=float(((grid >= 0) & (grid <= 1)).mean()))


def _histogram_error(n, alpha=1.0):
    """Smallest integrated squared error, over bin widths, of a private histogram of the density 2x: exact.

    Each person adds Laplace(2 / alpha) noise, of variance 8 / alpha^2, to the indicator of every bin.
    """
    bins = np.unique(np.round(np.geomspace(1, 1e4, 4000)))
    h = 1 / bins
    # Bin masses are (2k + 1) h^2, k = 0, ..., bins - 1; their squares sum to (4 bins^2 - 1) h^3 / 3.
    squares = (4 * bins**2 - 1) * h**3 / 3
    return float((h**2 / 3 + (1 - squares) / (n * h) + 8 / (alpha**2 * n * h**2)).min())


@erratum(16, CLASSIFICATION, "introduction, density estimation",
         "(n alpha^2)^(-beta / (2 beta + 2)), n^(-beta / (2 beta + 1))",
         "(n alpha^2)^(-2 beta / (2 beta + 2)), n^(-2 beta / (2 beta + 1))",
         "The printed exponents are those of the root of the mean integrated squared error.")
def _squared_error():
    beta, low, high = 1.0, 1e8, 1e12
    slope = math.log(_histogram_error(low) / _histogram_error(high)) / math.log(high / low)
    return Evidence(
        "exponent of the mean integrated squared error for smoothness 1: a private histogram of 2x, n = "
        "1e8 to 1e12",
        printed=beta / (2 * beta + 2), corrected=2 * beta / (2 * beta + 2), computed=slope)


@erratum(9, CLASSIFICATION, "proof of Theorem 2.5, notation",
         "J = {0, ..., q}^d; alpha for gamma and X|Y for Y|X in places",
         "J = {0, ..., q - 1}^d; gamma, q^(-beta gamma), Y|X, and n_q(x) = x_j for j*(x) = j",
         "With q + 1 points an axis the last cells stick out of [0, 1/2]^d.")
def _one_cell_too_many():
    q, d = 4, 2
    inside = sum(all((2 * k + 1) / (4 * q) < 0.5 for k in j) for j in itertools.product(range(q + 1),
                                                                                        repeat=d))
    return Evidence(
        "number of grid points in [0, 1/2]^2 at q = 4, against the size of the index set J",
        printed=(q + 1) ** d, corrected=q**d, computed=inside)


def support_share(q, m, r, everything_outside, resolution=2000):
    """Share of B(x, r) filled by the support in d = 2, x the centre of the first of m active cells in a
    square block.

    The block starts in the corner of [0, 1/2]^2 at the origin. A0 is everything outside the active cells, or
    [3/4, 1]^2. Midpoints of a grid are counted; balls of radius 1/(8q), far below its step, enter by their
    area.
    """
    side, s = math.isqrt(m), 1 / (2 * q)
    centre = s / 2
    axis = (np.arange(resolution) + 0.5) / resolution
    x, y = np.meshgrid(axis, axis)
    near = (x - centre) ** 2 + (y - centre) ** 2 <= r * r
    outside = (np.maximum(x, y) > side * s) if everything_outside else (np.minimum(x, y) > 0.75)
    centres = (np.arange(side) + 0.5) * s
    reached = (np.add.outer((centres - centre) ** 2, (centres - centre) ** 2) <= (r - s / 4) ** 2).sum()
    return float((near & outside).mean() + reached * math.pi * (s / 4) ** 2) / (math.pi * r * r)


@erratum(10, CLASSIFICATION, "proof of Theorem 2.5, the set A0", "A0 sufficiently regular",
         "the union of A0 and the balls regular: A0 = everything outside the active cells",
         "A regular A0 far from the active cells leaves them almost alone in large balls; the share falls "
         "like 1/q.")
def _regular_support():
    q, r = 64, 0.25
    return Evidence(
        "share of the support in a ball of radius 1/4 about an active cell, d = 2, beta gamma = 1, q = m = "
        "64; printed: the least that A0 and the balls have at small radii, c0 = 1/4; corrected: with A0 = "
        "everything outside",
        printed=0.25, corrected=support_share(q, q, r, True), computed=support_share(q, q, r, False))


def reports_on_labels(n, signs, odds=3.0):
    """Law of n reports by randomised response on the label, shape (2^n,); two cells of mass 1/2, varphi = 1.

    A person's label is certain given her cell: P(Y = 1) is the share of cells with sign +1.
    """
    ones = np.mean([sign > 0 for sign in signs])
    one = np.array([1 - ones, ones]) @ randomised_response(math.log(odds))
    law = np.ones(1)
    for _ in range(n):
        law = np.kron(law, one)
    return law


def min_inside_and_outside(n, odds=3.0):
    """Exact (min taken inside, min outside) of the last display before the cell integrals, for one cell of
    two.

    Inside: the average over the other sign of sum_z min(M_{+,s}(z), M_{-,s}(z)). Outside: 1 - TV of the
    mixtures over s.
    """
    laws = {signs: reports_on_labels(n, signs, odds) for signs in itertools.product((1, -1), repeat=2)}
    inside = np.mean([np.minimum(laws[1, s], laws[-1, s]).sum() for s in (1, -1)])
    plus, minus = ((laws[sign, 1] + laws[sign, -1]) / 2 for sign in (1, -1))
    return float(inside), 1 - total_variation(plus, minus)


@erratum(11, CLASSIFICATION, "proof of Theorem 2.5, last line of the first display",
         "E min(L_+, L_-) = 1 - TV(M_+k, M_-k), summed over the other signs",
         "<=: average over the other signs before min",
         "The chain as printed goes the wrong way at its end; averaging first gives the same bound honestly.")
def _average_first():
    inside, outside = min_inside_and_outside(2)
    return Evidence(
        "E min(L_+, L_-) for n = m = 2, w = 1/2, varphi = 1, randomised response on y with odds 3 : 1; "
        "printed: = 1 - TV(M_+k, M_-k); corrected: = the average of 1 - TV over the other signs",
        printed=outside, corrected=11 / 16, computed=inside)


def squared_distance(n, bias):
    """TV^2 between n coins of bias 1/2 + `bias` and of bias 1/2 - `bias`, summed over the n + 1 counts."""
    heads = np.arange(n + 1)
    return (np.abs(binom.pmf(heads, n, 0.5 + bias) - binom.pmf(heads, n, 0.5 - bias)).sum() / 2) ** 2


@erratum(12, CLASSIFICATION, "proof of Theorem 2.5, choice of c2",
         "2n (e^alpha - 1)^2 w^2 L^2 C_phi^2 q^(-2 beta) <= 1/2", "... <= 1/4",
         "A squared TV of 1/2 gives (1 - 0.707)/2 = 0.146 and not 1/4; the sharper contraction rescues it.")
def _squared_average():
    # 101 coins that are just so biased that TV^2 = 1/2; no test errs less often than the majority.
    n = 101
    bias = brentq(lambda bias: squared_distance(n, bias) - 0.5, 0.0, 0.25, xtol=1e-15)
    return Evidence(
        "(1 - TV) / 2, the factor of m w L C_phi q^-beta, when the squared TV is known to be at most 1/2; "
        "computed: how often the best test errs between 101 coins of either bias, TV^2 = 1/2",
        printed=0.25, corrected=(1 - math.sqrt(0.5)) / 2, computed=float(binom.cdf(n // 2, n, 0.5 + bias)))


@erratum(13, CLASSIFICATION, "proof of Theorem 2.5, last line", "2^(-beta (1 + gamma)), for all n and alpha",
         "(2 C1)^(-beta (1 + gamma)), for n alpha^2 >= 1",
         "A dropped constant; and a risk of at most 1/2 cannot exceed what grows as n alpha^2 -> 0.")
def _dropped_constant():
    C1, total, beta, gamma, d = 4.0, 1e6, 1.0, 1.0, 1
    q = math.ceil(C1 * total ** (1 / (2 * beta + 2 * d)))
    rate = total ** (-beta * (1 + gamma) / (2 * beta + 2 * d))
    return Evidence(
        "q^(-beta (1 + gamma)) at C1 = 4, n alpha^2 = 1e6, beta = gamma = d = 1; the last line needs a "
        "lower bound on it",
        printed=2 ** (-beta * (1 + gamma)) * rate, corrected=(2 * C1) ** (-beta * (1 + gamma)) * rate,
        computed=float(q) ** (-beta * (1 + gamma)))


@erratum(14, CLASSIFICATION, "proof of Theorem 2.5, choice of C3", "C3 large enough",
         "C3 = 1, and L C_phi <= 1", "gamma = 0 leaves room for q^d cells, so that C3 <= 1.")
def _too_many_cells():
    C3, q, d, beta, gamma = 2, 4, 1, 1.0, 0.0
    return Evidence(
        "number m of active cells at gamma = 0, q = 4, d = 1, C3 = 2 (large enough for m >= 2 at every q) "
        "against the cells",
        printed=math.floor(C3 * q ** (d - beta * gamma)), corrected=math.floor(q ** (d - beta * gamma)),
        computed=len(list(itertools.product(range(q), repeat=d))))

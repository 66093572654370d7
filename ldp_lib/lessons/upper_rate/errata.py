"""Where the printed proofs of Theorems 2.3 and 2.4 slip (Berrett & Butucea 2019)."""

import math

import numpy as np
from scipy.integrate import quad

from ldp_lib.lessons.papers import CLASSIFICATION
from ldp_lib.risk.scores import cube_sign_probabilities, wrong_side_probability
from ldp_lib.stage.errata import Evidence, erratum
from ldp_lib.theory.classification import ball_volume
from ldp_lib.theory.classification.upper import printed_constant


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

"""Where the printed proof of Theorem 2.5 slips (Berrett & Butucea 2019)."""

import itertools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr

from ldp_lib.lessons.papers import CLASSIFICATION
from ldp_lib.privacy.binomial import binomial_chances
from ldp_lib.stage.errata import Evidence, erratum
from ldp_lib.theory.contraction import randomised_response, total_variation


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
    return total_variation(binomial_chances(n, 0.5 + bias), binomial_chances(n, 0.5 - bias)) ** 2


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
        printed=0.25, corrected=(1 - math.sqrt(0.5)) / 2, computed=float(bdtr(n // 2, n, 0.5 + bias)))


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

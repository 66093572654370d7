"""Theorem A.12 of Bousquet et al. (2022), executed: a noisy majority in Voronoi cells of a doubling space."""

import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.nature.spaces import Interval
from ldp_lib.theory.central import few_people_bound
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.majority_vote import box_cells, crowds, few_people
from ldp_lib.theory.theorem_bayes_3_2 import bias_bound, vote_steps

PAPER = "Bousquet et al. 2022, proof of Theorem A.12"


def voronoi_edges(r):
    """Edges of the Voronoi cells of a maximal packing of [0, 1], distances strictly above r, 0 < r < 1."""
    centres = Interval().packing(r)[:, 0]
    return np.concatenate([[0.0], (centres[1:] + centres[:-1]) / 2, [1.0]])


def ledger_bayes_a_12(n=10**4, epsilon=1.0, d=1, edge=0.3, share=0.9, left=0.8, right=0.3, M=50, k=50):
    """The ledger of Theorem A.12 for Algorithm 4 (PCL2), corrected by errata 20, 21, 28, 29 and 31.

    The space is [0, 1]^d with the maximum norm, whose doubling dimension is d: an interval is covered by two
    intervals of half its radius, and a cube is a product.  r = n^(-1/(4d)), n >= 2.  The other parameters are
    those of `ledger_bayes_3_2`.
    """
    n, d, M, k = whole("n", n, least=2, most=10**9), whole("d", d, most=8), whole("M", M), whole("k", k)
    epsilon, law = real("epsilon", epsilon, above=0), crowds(edge, share, left, right)
    r, theta = n ** (-1 / (4 * d)), 0.5
    edges = voronoi_edges(r)
    cells, spacing = box_cells(law, edges, d), 1 / (len(edges) - 1)
    number, allowed = (len(edges) - 1) ** d, (8 * theta / r) ** d
    at_most = sum(few_people(cells, n, k))
    steps = (
        Step("packing", "r < distance of two centres, strictly", r, spacing, PAPER + ", with errata 28"),
        Step("cover", "every point is within r of a centre, because the packing is maximal", spacing / 2, r,
             "Bousquet et al. 2022, Theorem A.4"),
        Step("Lemma A.8", "diam(V) <= 2 r", np.diff(edges).max(), 2 * r, "Lemma A.8, with errata 29"),
        Step("doubling", "ceil(log2(4 theta / r)) halvings, from radius 2 theta to radius r/2",
             2.0 ** (d * math.ceil(math.log2(4 * theta / r))), allowed, "Lemma A.9, with errata 29"),
        Step("cells", "centres <= (8 theta / r)^ddim, theta = 1/2 the radius of the space", number, allowed,
             "Lemma A.9, with errata 29"),
        Step("Lemma A.9", "Pr[N <= k] <= (2k + 4) (8 theta / r)^ddim / n", at_most,
             few_people_bound(n, k, allowed),
             "Lemma A.9, with errata 29"),
        *vote_steps(cells, n, epsilon, allowed, M, k, bias_bound(law, 2 * r), PAPER),
    )
    params = {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k}
    return Ledger("bayes-A.12", params, steps)

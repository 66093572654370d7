"""The proofs of Bousquet et al. (2022), executed: noisy majorities, histograms, and few labels."""

import itertools
import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.curator import few_people_bound, noise_bound, sampling_bound
from ldp_lib.theory.proofs.cells import box_cells, crowds, few_people, voronoi_edges, votes
from ldp_lib.theory.proofs.steps import Step, equation, proves


@proves("bayes-3.2")
def ledger_bayes_3_2(n: int = 10**4, epsilon: float = 1.0, d: int = 1, edge: float = 0.3, share: float = 0.9,
                     left: float = 0.8, right: float = 0.3, M: int = 10, k: int = 10):
    """The ledger of Theorem 3.2 for Algorithm 2 (PCL), with the corrections of errata 20 to 23 and 31.

    n : people.  epsilon : nats, any; Laplace(1 / epsilon) noise on the sum of y - 1/2, one draw a cube.
    d : dimension of [0, 1]^d, cut in cubes of side n^(-1/(2d)).
    edge, share, left, right : the law, see `ldp_lib.theory.proofs.cells.Crowds`.
    M, k : people below which a cell counts as thin, for the noise and for the sampling error.

    N(x) is the number of people in the cube of a fresh x, etahat their mean label, etabar the mean of eta
    over the cube, etahat^eps = etahat + w / N(x) the noisy mean; in an empty cube they are 0 and the label.
    """
    n, d, M, k = whole("n", n, most=10**12), whole("d", d, most=8), whole("M", M), whole("k", k)
    epsilon, law = real("epsilon", epsilon, above=0), crowds(edge, share, left, right)
    r = n ** (-1 / (2 * d))
    m = math.ceil(1 / r - 1e-9)
    cells, K = box_cells(law, np.minimum(np.arange(m + 1) * r, 1.0), d), m**d

    light, heavy = few_people(cells, n, k)
    steps = (
        equation("sensitivity", "one record replaced moves the vector of the sums of y - 1/2 by at most 1",
                 sensitivity(lambda y: y - 0.5), 1.0, "Bousquet et al. 2022, Theorem 3.1, with errata 22"),
        Step("light cubes", "Pr[N <= k, cube of mass <= 2k/n] <= (2k/n) ceil(1/r)^d", light, 2 * k * K / n,
             "Lemma 3.3, from Devroye, Györfi & Lugosi, Theorem 6.2"),
        Step("heavy cubes", "Pr[N <= k, cube of mass > 2k/n] <= (4/n) number of them, by Chebyshev", heavy,
             4 / n * cells.number[cells.p > 2 * k / n].sum(), "Lemma 3.3"),
        Step("Lemma 3.3", "Pr[N <= k] <= (2k + 4) ceil(1/r)^d / n", light + heavy, few_people_bound(n, k, K),
             "Lemma 3.3, with errata 23"),
        *vote_steps(cells, n, epsilon, K, M, k, bias_bound(law, r)),
    )
    return {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k}, steps


def vote_steps(cells, n, epsilon, K, M, k, bias_bound):
    """The steps that Theorems 3.2 and A.12 share: K is the number of cells that the lemma allows for."""
    exact, worst = votes(cells, n, epsilon), max(1.0, 1 / epsilon)
    below_M, at_most = sum(few_people(cells, n, M - 1)), sum(few_people(cells, n, k))
    noise, sampling = exact.inverse / epsilon + exact.empty / 2, exact.sampling
    appendix = "Bousquet et al. 2022, Appendix B, with errata 31"
    return (
        Step("noise", "E|etahat^eps - etahat| <= E[1/(eps N); N > 0] + Pr[N = 0]", noise,
             exact.inverse / epsilon + exact.empty, ", with errata 20"),
        Step("thin cells", "E[1/(eps N); N > 0] + Pr[N = 0] <= max(1, 1/eps) Pr[N < M] + 1/(eps M)",
             exact.inverse / epsilon + exact.empty, worst * below_M + 1 / (epsilon * M), ", with errata 21"),
        Step("Jensen", "E|etahat - etabar| <= E[N^(-1/2); N > 0] / 2 + Pr[N = 0]", sampling,
             exact.root / 2 + exact.empty, appendix),
        Step("thin, sampling", "E[N^(-1/2); N > 0] / 2 <= Pr[N <= k] / 2 + 1 / (2 sqrt(k))", exact.root / 2,
             at_most / 2 + 1 / (2 * math.sqrt(k)), appendix),
        Step("bias", "E|eta - etabar| <= 2 E|eta - eta_tau| + modulus of eta_tau over a cell", exact.bias,
             bias_bound, "Bousquet et al. 2022, Theorem A.11"),
        Step("Theorem 2.7", "excess risk <= 2 E|eta - etahat^eps|, term by term", exact.excess,
             2 * (noise + sampling + exact.bias), "Bousquet et al. 2022, Theorem B.1"),
        Step("whole", "excess risk <= twice the sum of the bounds", exact.excess,
             2 * (noise_bound(n, epsilon, K, M) + sampling_bound(n, K, k) + bias_bound)),
    )


def sensitivity(contribution):
    """Largest l1 distance between the sums of contribution(y) in two cells when one record is replaced.

    Everybody else's part is the same in both, so that it is a maximum over pairs of records (cell, y).
    """
    moves = [np.array([contribution(y), 0.0])[::step] for y in (0, 1) for step in (1, -1)]
    return max(np.abs(one - other).sum() for one, other in itertools.product(moves, repeat=2))


def bias_bound(law, width):
    """2 E|eta - eta_tau| + modulus: eta_tau joins the two values of eta linearly over edge +- b, the best b.

    E|eta - eta_tau| = gap (sum of the two densities) b / 4; the modulus over a width is gap * width / (2 b).
    """
    density = law.share / law.edge + (1 - law.share) / (1 - law.edge)
    b = min(math.sqrt(width / density), law.edge, 1 - law.edge)
    return abs(law.left - law.right) * (density * b / 2 + min(1.0, width / (2 * b)))


@proves("bayes-A.12")
def ledger_bayes_a_12(n: int = 10**4, epsilon: float = 1.0, d: int = 1, edge: float = 0.3, share: float = 0.9,
                      left: float = 0.8, right: float = 0.3, M: int = 50, k: int = 50):
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
        Step("packing", "r < distance of two centres, strictly", r, spacing, ", with errata 28"),
        Step("cover", "every point is within r of a centre, because the packing is maximal", spacing / 2, r,
             "Bousquet et al. 2022, Theorem A.4"),
        Step("Lemma A.8", "diam(V) <= 2 r", np.diff(edges).max(), 2 * r, "Lemma A.8, with errata 29"),
        Step("doubling", "ceil(log2(4 theta / r)) halvings, from radius 2 theta to radius r/2",
             2.0 ** (d * math.ceil(math.log2(4 * theta / r))), allowed, "Lemma A.9, with errata 29"),
        Step("cells", "centres <= (8 theta / r)^ddim, theta = 1/2 the radius of the space", number, allowed,
             "Lemma A.9, with errata 29"),
        Step("Lemma A.9", "Pr[N <= k] <= (2k + 4) (8 theta / r)^ddim / n", at_most,
             few_people_bound(n, k, allowed), "Lemma A.9, with errata 29"),
        *vote_steps(cells, n, epsilon, allowed, M, k, bias_bound(law, 2 * r)),
    )
    return {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k}, steps

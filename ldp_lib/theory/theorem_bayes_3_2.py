"""Theorems 3.1 and 3.2 of Bousquet et al. (2022), executed: the noisy majority in cubes."""

import itertools
import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.central import few_people_bound
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.majority_vote import box_cells, crowds, few_people, votes

PAPER = "Bousquet et al. 2022, proof of Theorem 3.2"


def ledger_bayes_3_2(n=10**4, epsilon=1.0, d=1, edge=0.3, share=0.9, left=0.8, right=0.3, M=10, k=10):
    """The ledger of Theorem 3.2 for Algorithm 2 (PCL), with the corrections of errata 20 to 23 and 31.

    n : people.  epsilon : nats, any; Laplace(1 / epsilon) noise on the sum of y - 1/2, one draw a cube.
    d : dimension of [0, 1]^d, cut in cubes of side n^(-1/(2d)).
    edge, share, left, right : the law, see `ldp_lib.theory.majority_vote.Crowds`.
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
        Step("sensitivity", "one record replaced moves the vector of the sums of y - 1/2 by at most 1",
             sensitivity(lambda y: y - 0.5), 1.0, "Bousquet et al. 2022, Theorem 3.1, with errata 22", "="),
        Step("light cubes", "Pr[N <= k, cube of mass <= 2k/n] <= (2k/n) ceil(1/r)^d",
             light, 2 * k * K / n, "Lemma 3.3, from Devroye, Györfi & Lugosi, Theorem 6.2"),
        Step("heavy cubes", "Pr[N <= k, cube of mass > 2k/n] <= (4/n) number of them, by Chebyshev",
             heavy, 4 / n * cells.number[cells.p > 2 * k / n].sum(), "Lemma 3.3"),
        Step("Lemma 3.3", "Pr[N <= k] <= (2k + 4) ceil(1/r)^d / n", light + heavy, few_people_bound(n, k, K),
             "Lemma 3.3, with errata 23"),
        *vote_steps(cells, n, epsilon, K, M, k, bias_bound(law, r), PAPER),
    )
    params = {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k}
    return Ledger("bayes-3.2", params, steps)


def vote_steps(cells, n, epsilon, K, M, k, bias_bound, source):
    """The steps that Theorems 3.2 and A.12 share: K is the number of cells that the lemma allows for."""
    exact, worst = votes(cells, n, epsilon), max(1.0, 1 / epsilon)
    below_M, at_most = sum(few_people(cells, n, M - 1)), sum(few_people(cells, n, k))
    noise, sampling = exact.inverse / epsilon + exact.empty / 2, exact.sampling
    noise_bound = worst * few_people_bound(n, M - 1, K) + 1 / (epsilon * M)
    sampling_bound = few_people_bound(n, k, K) / 2 + 1 / (2 * math.sqrt(k)) + few_people_bound(n, 0, K)
    appendix = "Bousquet et al. 2022, Appendix B, with errata 31"
    return (
        Step("noise", "E|etahat^eps - etahat| <= E[1/(eps N); N > 0] + Pr[N = 0]", noise,
             exact.inverse / epsilon + exact.empty, source + ", with errata 20"),
        Step("thin cells", "E[1/(eps N); N > 0] + Pr[N = 0] <= max(1, 1/eps) Pr[N < M] + 1/(eps M)",
             exact.inverse / epsilon + exact.empty, worst * below_M + 1 / (epsilon * M),
             source + ", with errata 21"),
        Step("Jensen", "E|etahat - etabar| <= E[N^(-1/2); N > 0] / 2 + Pr[N = 0]", sampling,
             exact.root / 2 + exact.empty, appendix),
        Step("thin, sampling", "E[N^(-1/2); N > 0] / 2 <= Pr[N <= k] / 2 + 1 / (2 sqrt(k))", exact.root / 2,
             at_most / 2 + 1 / (2 * math.sqrt(k)), appendix),
        Step("bias", "E|eta - etabar| <= 2 E|eta - eta_tau| + modulus of eta_tau over a cell", exact.bias,
             bias_bound,
             "Bousquet et al. 2022, Theorem A.11"),
        Step("Theorem 2.7", "excess risk <= 2 E|eta - etahat^eps|, term by term", exact.excess,
             2 * (noise + sampling + exact.bias), "Bousquet et al. 2022, Theorem B.1"),
        Step("whole", "excess risk <= twice the sum of the bounds", exact.excess,
             2 * (noise_bound + sampling_bound + bias_bound), source),
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

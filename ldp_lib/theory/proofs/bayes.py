"""The proofs of Bousquet et al. (2022), executed: noisy majorities, histograms, and few labels."""

import itertools
import math

import numpy as np
from scipy.special import betainc, betaincc

from ldp_lib._arguments import choice, real, whole
from ldp_lib.estimation.semi_supervised import ENDS
from ldp_lib.theory.curator import (few_people_bound, histogram_error, histogram_threshold, labelled_people,
                                    net, noise_bound, sampling_bound)
from ldp_lib.theory.proofs.cells import (box_cells, crowds, density_errors, few_people, shell_heights,
                                         staircase, voronoi_edges, votes)
from ldp_lib.theory.proofs.steps import Step, equation, proves

PAPER = "Bousquet et al. 2022"
OURS = "cited there as Theorem 4.4"
LEARNER = "Theorem 4.10, cited there; the proof is ours"
CONSTANT = 100.0
"""m <= CONSTANT VC / (eps error) log(1 / (error failure)); 98.8 is needed, at error = failure = 1/2."""


@proves("bayes-3.2", PAPER)
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


@proves("bayes-4.3", PAPER)
def ledger_bayes_4_3(n: int = 500_000, epsilon: float = 1.0, delta: float = 1e-6, d: int = 1,
                     tail: float = 1.0, shells: int = 6, box: int = 3):
    """The ledger of Theorem 4.3 for Algorithm 3 (PCDE), with the corrections of errata 24 to 26.

    n : people.  epsilon : nats, in (0, 1]; delta in (0, 1/2]: the range of the histogram's error bound.
    d : dimension; cubes of side n^(-1/(2d)).
    tail > 0, shells : the law, P(X_1 > 2^k - 1) = 2^(-tail k) for k < shells.
    box : 1 to shells; the proof's cube T0 has side 2^box - 1.

    The step "released" is what log(1/delta) = o(sqrt n) secures: where it fails, hardly a count survives.
    """
    n, d, shells = whole("n", n, most=10**12), whole("d", d, most=8), whole("shells", shells, most=60)
    epsilon, delta = real("epsilon", epsilon, above=0, most=1), real("delta", delta, above=0, most=0.5)
    tail, box = real("tail", tail, above=0), whole("box", box, most=shells)
    r, T = n ** (-1 / (2 * d)), 2.0**box + 1
    tau = 2.0 ** (-tail * box) if box < shells else 0.0
    cells = staircase(tail, shells, r, d)
    errors = density_errors(cells, n, epsilon, delta)
    threshold, log = histogram_threshold(epsilon, delta), math.log(1 / delta)
    inside = cells.shell < box
    heights = np.append(shell_heights(tail, shells), 0.0)

    counts = np.unique(np.geomspace(1, 50 * threshold, 100).round())
    error, allowed = histogram_error(counts, epsilon, delta), 8.4 / epsilon * np.minimum(log, counts)
    worst = np.argmax(error / allowed)
    private = cells.number * errors.private
    inner, outer = 8.4 * T**d * log / (epsilon * math.sqrt(n)), 3 * tau / epsilon
    sampling = math.sqrt(T**d / math.sqrt(n)) + 2 * tau
    bias = r / 2 * (np.abs(np.diff(heights)).sum() + d - 1)
    light = cells.number @ (cells.p * (n * cells.p <= 2 * threshold))
    steps = (
        Step("Theorem 2.4", "E|chat - c| <= (8.4 / eps) min{log(1/delta), c}, at the worst count c",
             error[worst], allowed[worst], "Bousquet et al. 2022, Theorem 2.4, with errata 24"),
        Step("released", "(2/eps) log(2/delta) + 1 <= people expected in the fullest cell", threshold,
             n * cells.p.max(), "omitted from the theorem, errata 25"),
        Step("(4)", "E||fhat - f|| <= E||fhat - f_S|| + E||f_S - f||", errors.whole,
             private.sum() + errors.ordinary),
        Step("cubes", "cells that meet T0 number at most T^d / r^d, T = T0 + 2", cells.number[inside].sum(),
             T**d / r**d),
        Step("(5)", "E of the integral of |fhat - f_S| over them <= 8.4 T^d log(1/delta) / (eps sqrt(n))",
             private[inside].sum(), inner, ", with errata 25"),
        Step("(7)", "the rest of it <= 3 tau / eps, tau = P(X outside T0)", private[~inside].sum(), outer),
        Step("light cells", "mass of cells that expect <= 2 thresholds <= 2 threshold T^d / sqrt(n) + tau",
             light, 2 * threshold * T**d / math.sqrt(n) + tau, "what log(1/delta) = o(sqrt n) makes vanish"),
        Step("sampling", "E||f_S - E f_S|| <= sqrt(T^d / sqrt(n)) + 2 tau", errors.sampling, sampling, OURS),
        Step("bias", "||E f_S - f|| <= (r/2) (sum of the jumps of g, + d - 1)", errors.bias, bias, OURS),
        Step("Theorem 4.4", "E||f_S - f|| <= E||f_S - E f_S|| + ||E f_S - f||", errors.ordinary,
             errors.sampling + errors.bias, OURS),
        Step("normalised", "|E integral of fhat - 1| <= E||fhat - f||: to divide by it costs as much again",
             abs(errors.mass - 1), errors.whole, "Remark 4.1, with errata 26"),
        Step("whole", "E||fhat - f|| <= the sum of the bounds", errors.whole,
             inner + outer + sampling + bias),
    )
    return {"n": n, "epsilon": epsilon, "delta": delta, "d": d, "tail": tail, "shells": shells,
            "box": box}, steps


@proves("bayes-A.12", PAPER)
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


@proves("bayes-4.11", PAPER)
def ledger_bayes_4_11(error: float = 0.1, failure: float = 0.05, epsilon: float = 1.0,
                      hypotheses: str = "thresholds", m: int | None = None):
    """The ledger of Theorem 4.11, with the corrections of erratum 27, for a target among the hypotheses.

    X has a density: without one, no density is within failure / s of its law, and the step "TV" has no start.

    error, failure : in (0, 1/2]; the classifier errs by more than `error` with probability at most 3 failure.
    epsilon : nats, in (0, 1].
    hypotheses : "thresholds", "intervals" (on the line) or "rectangles" (in the plane).
    m : labelled people; None takes `labelled_people`, fewer make the budgets fail.

    Candidates have their ends between strips that hold equally many of s synthetic people, see
    `ldp_lib.theory.curator.net`; one is chosen with probability proportional to exp(-epsilon errors / 2).
    """
    error, failure = real("error", error, above=0, most=0.5), real("failure", failure, above=0, most=0.5)
    epsilon, ends = real("epsilon", epsilon, above=0, most=1), ENDS[choice("hypotheses", hypotheses, ENDS)]
    m = labelled_people(error, failure, epsilon, hypotheses) if m is None else whole("m", m)
    axes, strips, H, s = net(error, failure, hypotheses)
    share, lot = failure / 3, s // strips

    heavy, heavy_bound = betaincc(lot + 1, s - lot, 1.25 / strips), math.exp(-s / (40 * strips))
    many, few = math.ceil(m * error / 2), math.floor(3 * m * error / 4)
    best, best_bound = betainc(many, m - many + 1, 3 * error / 8), math.exp(-m * error / 72)
    bad, bad_bound = H * betaincc(few + 1, m - few, error), H * math.exp(-m * error / 32)
    t = m * error / 4
    chosen, chosen_bound = wrong_choice(H, epsilon, t), H * math.exp(-epsilon * t / 2)
    distance = -math.expm1(s * math.log1p(-failure / s))
    steps = (
        Step("strips", "P(mass of a strip > 5/(4k)) = P(Bin(s, 5/(4k)) <= s/k) <= exp(-s / (40 k)), k strips",
             heavy, heavy_bound, LEARNER),
        Step("strips, budget", "axes k exp(-s / (40 k)) <= failure", axes * strips * heavy_bound, failure,
             LEARNER),
        Step("net", "ends * 5/(4k) <= error / 4: a candidate is that near to every hypothesis",
             ends * 1.25 / strips, error / 4, LEARNER),
        Step("best candidate", "P(Bin(m, 3/8 error) >= m error / 2) <= exp(-m error / 72)", best, best_bound,
             LEARNER),
        Step("best, budget", "which is at most failure / 3", best_bound, share, LEARNER),
        Step("bad candidates", "candidates P(Bin(m, error) <= 3/4 m error) <= candidates exp(-m error / 32)",
             bad, bad_bound, LEARNER),
        Step("bad, budget", "which is at most failure / 3", bad_bound, share, LEARNER),
        Step("privacy", "the choice has privacy loss <= eps", choice_loss(H, epsilon), epsilon,
             "exponential mechanism, McSherry & Talwar 2007"),
        Step("utility", "P(chosen has m error / 4 more than the best) <= candidates exp(-eps m error / 8)",
             chosen, chosen_bound, "exponential mechanism, McSherry & Talwar 2007"),
        Step("utility, budget", "which is at most failure / 3", chosen_bound, share, LEARNER),
        Step("labels", "the three exact probabilities sum to at most failure", best + bad + chosen, failure,
             LEARNER),
        Step("TV",
             "TV of s draws <= s TV of one = failure, if fhat is within failure / s of f: the paper's " "way",
             distance, failure),
        Step("failure", "a bad density, or a good one and then s draws or the labels: at most 3 failure",
             failure + (1 - failure) * (distance + failure), 3 * failure, ", with errata 27"),
        Step("labelled people", f"m <= {CONSTANT:g} VC / (eps error) log(1 / (error failure))", m,
             CONSTANT * ends / (epsilon * error) * math.log(1 / (error * failure)),
             "Theorem 4.11, with a constant"),
    )
    return {"error": error, "failure": failure, "epsilon": epsilon, "hypotheses": hypotheses, "m": m}, steps


def wrong_choice(candidates, epsilon, t):
    """P(the exponential mechanism takes one with t errors more than the best), as all but one have."""
    bad = (candidates - 1) * math.exp(-epsilon * t / 2)
    return bad / (1 + bad)


def choice_loss(candidates, epsilon):
    """Largest privacy loss of the exponential mechanism: one candidate gains an error, others lose one."""
    errors = np.array([[0.0, 1.0], [1.0, 0.0]])                # data set, (that candidate, each other)
    weights = np.exp(-epsilon * errors / 2)
    chances = weights[:, 0] / (weights[:, 0] + (candidates - 1) * weights[:, 1])
    return math.log(chances[0] / chances[1])

"""The learner of Bousquet et al. (2022), Theorem 4.11, executed."""

import math

import numpy as np
from scipy.special import betainc, betaincc

from ldp_lib._arguments import choice, real, whole
from ldp_lib.estimation.semi_supervised import ENDS
from ldp_lib.theory.curator import labelled_people, net
from ldp_lib.theory.proofs.steps import Step, proves

LEARNER = "Theorem 4.10, cited there; the proof is ours"
CONSTANT = 100.0
"""m <= CONSTANT VC / (eps error) log(1 / (error failure)); 98.8 is needed, at error = failure = 1/2."""


@proves("bayes-4.11")
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

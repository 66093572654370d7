"""The learner of Bousquet et al. (2022), Theorem 4.11, executed."""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincc

from ldp_lib._arguments import choice, real, whole
from ldp_lib.estimation.semi_supervised import ENDS
from ldp_lib.stage.ledger import Saboteur, Step, proves
from ldp_lib.theory.curator import labelled_people, net

ENOUGH = "enough labelled people"


@proves("bayes-4.11",
        Saboteur(ENOUGH, "a tenth of the labels", lambda: {"m": 300}, lambda: {"m": 4000}),
        Saboteur("enough synthetic people", "a tenth of the synthetic people", lambda: {"synthetic": 0.1},
                 lambda: {"synthetic": 2.0}),
        Saboteur("independent people", "fifty labelled people are one", lambda: {"copies": 50},
                 lambda: {"m": 5000}),
        Saboteur("weights exp(-eps errors / 2)", "weights exp(-eps errors)", lambda: {"weight": 1.0},
                 lambda: {"epsilon": 0.5}),
        Saboteur("weights exp(-eps errors / 2)", "weights exp(-eps errors / 50)", lambda: {"weight": 0.02},
                 lambda: {"epsilon": 0.9}),
        Saboteur("density within failure / s", "three times as far", lambda: {"apart": 3.0},
                 lambda: {"apart": 0.5}))
def ledger_bayes_4_11(error: float = 0.1, failure: float = 0.05, epsilon: float = 1.0,
                      hypotheses: str = "thresholds", m: int | None = None, *, synthetic: float = 1.0,
                      copies: int = 1, weight: float = 0.5, apart: float = 1.0):
    """The ledger of Theorem 4.11, with the corrections of erratum 27, for a target among the hypotheses.

    X has a density: without one, no density is within failure / s of its law, and the step "TV" has no start.

    error, failure : in (0, 1/2]; the classifier errs by more than `error` with probability at most 3 failure.
    epsilon : nats, in (0, 1].
    hypotheses : "thresholds", "intervals" (on the line) or "rectangles" (in the plane).
    m : labelled people; None takes `labelled_people`, fewer make the budgets fail.
    synthetic : share of the synthetic people that `net` asks for.  copies : so many labelled people are one.
    weight : of eps errors in the choice.  apart : distance of the density, in units of failure / s.

    Candidates have their ends between strips that hold equally many of s synthetic people, see
    `ldp_lib.theory.curator.net`; one is chosen with probability proportional to exp(-epsilon errors / 2).
    Probabilities are binomial, chances of the choice are closed forms, products of laws are enumerated, and
    "failure" counts all outcomes of a small case once. Not counted are formulas of error and failure alone.
    """
    error, failure = real("error", error, above=0, most=0.5), real("failure", failure, above=0, most=0.5)
    epsilon, ends = real("epsilon", epsilon, above=0, most=1), ENDS[choice("hypotheses", hypotheses, ENDS)]
    m = labelled_people(error, failure, epsilon, hypotheses) if m is None else whole("m", m)
    weight, apart = real("weight", weight, above=0), real("apart", apart, above=0)
    axes, strips, H, asked = net(error, failure, hypotheses)
    share, lot = failure / 3, max(1, round(asked // strips * real("synthetic", synthetic, above=0)))
    s, people = lot * strips, max(1, m // whole("copies", copies))

    heavy, heavy_bound = betaincc(lot + 1, s - lot, 1.25 / strips), math.exp(-asked / (40 * strips))
    many, few = math.ceil(people * error / 2), math.floor(3 * people * error / 4)
    best, best_bound = betainc(many, people - many + 1, 3 * error / 8), math.exp(-m * error / 72)
    bad, bad_bound = H * betaincc(few + 1, people - few, error), H * math.exp(-m * error / 32)
    t = m * error / 4
    chosen, chosen_bound = wrong_choice(H, epsilon, t, weight), H * math.exp(-epsilon * t / 2)
    step = apart * failure / DRAWS
    fair, tilted = np.full(4, 0.25), np.array([0.25 + step, 0.25 - step, 0.25, 0.25])
    case = TwoCells(faces=10, draws=2)
    synth, labels = f"{s:,} synthetic people", f"{m:,} labelled people"
    independent, weights, near = ("independent people", "weights exp(-eps errors / 2)",
                                  "density within failure / s")
    mechanism = "exponential mechanism, McSherry & Talwar 2007"
    steps = (
        Step("strips", "P(mass of a strip > 5/(4k)) <= P(Bin(s, 5/(4k)) <= s/k) <= exp(-s / (40 k))",
             heavy, heavy_bound, LEARNER, subject=synth, uses=("enough synthetic people",)),
        Step("strips, budget", "axes k P(...) <= failure", axes * strips * heavy, failure, LEARNER,
             subject=synth, uses=("enough synthetic people",)),
        Step("net", "ends * 5/(4k) <= error / 4: a candidate is that near to every hypothesis",
             ends * 1.25 / strips, error / 4, "algebra: the choice of k"),
        Step("best candidate", "P(Bin(m, 3/8 error) >= m error / 2) <= exp(-m error / 72)", best, best_bound,
             LEARNER, subject=labels, uses=(independent,)),
        Step("best, budget", "which is at most failure / 3", best, share, LEARNER, subject=labels,
             uses=(independent, ENOUGH)),
        Step("bad candidates", "candidates P(Bin(m, error) <= 3/4 m error) <= candidates exp(-m error / 32)",
             bad, bad_bound, LEARNER, subject=labels, uses=(independent,)),
        Step("bad, budget", "which is at most failure / 3", bad, share, LEARNER, subject=labels,
             uses=(independent, ENOUGH)),
        Step("privacy", "the choice has privacy loss <= eps", choice_loss(H, epsilon, weight), epsilon,
             mechanism, subject="two neighbouring tables of errors", uses=(weights,)),
        Step("utility", "P(chosen has m error / 4 more than the best) <= candidates exp(-eps m error / 8)",
             chosen, chosen_bound, mechanism, subject="one good candidate", uses=(weights,)),
        Step("utility, budget", "which is at most failure / 3", chosen, share, LEARNER,
             subject="one good candidate", uses=(weights, ENOUGH)),
        Step("labels", "a probability, a union bound and a choice sum to at most failure",
             best + bad + chosen, failure, LEARNER, subject=labels, uses=(independent, weights, ENOUGH)),
        Step("TV", f"TV of s draws <= s TV of one = failure, here s = {DRAWS}: the paper's way",
             product_distance(fair, tilted, DRAWS), failure, "all outcomes counted",
             subject="two laws of four cells", uses=(near,)),
        Step("failure", "a bad density, or a good one and then s draws or the labels: at most 3 failure",
             case.failures(), 3 / case.faces, "algebra: a small case of errata 27, all outcomes counted"),
        Step("labelled people", f"m <= {CONSTANT:g} VC / (eps error) log(1 / (error failure))", m,
             CONSTANT * ends / (epsilon * error) * math.log(1 / (error * failure)),
             "Theorem 4.11, with a constant: algebra"),
    )
    return {"error": error, "failure": failure, "epsilon": epsilon, "hypotheses": hypotheses, "m": m}, steps


DRAWS = 6
"""Synthetic people whose joint law is enumerated."""
LEARNER = "Theorem 4.10, cited there; the proof is ours"
CONSTANT = 100.0
"""m <= CONSTANT VC / (eps error) log(1 / (error failure)); 98.8 is needed, near error = failure = 1/2."""


class TwoCells(NamedTuple):
    """A case of Theorem 4.11 in which fair dice decide everything, so that failures can be counted.

    beta = 1 / `faces`; people live in two cells, and a die of `sides` faces draws one: the odd cell has 1
    face in truth and 2 faces in the density estimate, at total variation beta / `draws`.  A die of `faces`
    faces spoils the estimate with one of them: then everybody seems to live in the odd cell.  The learner
    draws `draws` synthetic people and errs if one of them is odd; from the truth that happens with
    probability below beta.
    """

    faces: int
    draws: int
    odd_in_estimate: int = 2
    odd_in_truth = 1

    @property
    def sides(self):
        """Faces of the die that draws a person."""
        return self.faces * self.draws

    @staticmethod
    def learner_fails(rolls, odd):
        """Is one of the synthetic people, one for each roll, in the odd cell, which has `odd` faces?"""
        return any(roll < odd for roll in rolls)

    def failures(self):
        """The share of all outcomes of all dice in which the learner errs."""
        odd = [self.sides] + [self.odd_in_estimate] * (self.faces - 1)
        outcomes = itertools.product(odd, itertools.product(range(self.sides), repeat=self.draws))
        return sum(self.learner_fails(rolls, faces) for faces, rolls in outcomes) / (
            self.faces * self.sides**self.draws)


def product_distance(p, q, draws):
    """Total variation of so many independent draws from p and from q, all outcomes counted."""
    p, q = (functools.reduce(np.multiply.outer, [law] * draws).ravel() for law in (p, q))
    return float(np.abs(p - q).sum() / 2)


def wrong_choice(candidates, epsilon, t, weight=0.5):
    """P(the exponential mechanism takes one with t errors more than the best), as all but one have."""
    bad = (candidates - 1) * math.exp(-epsilon * t * weight)
    return bad / (1 + bad)


def choice_loss(candidates, epsilon, weight=0.5):
    """Largest privacy loss of the exponential mechanism: one candidate gains an error, others lose one."""
    errors = np.array([[0.0, 1.0], [1.0, 0.0]])                # data set, (that candidate, each other)
    weights = np.exp(-epsilon * errors * weight)
    chances = weights[:, 0] / (weights[:, 0] + (candidates - 1) * weights[:, 1])
    return math.log(chances[0] / chances[1])

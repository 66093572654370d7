"""Where Sections 2 to 4 of Bousquet et al. slip: errata 20 to 27."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, laplace

from ldp_lib.theory.central import histogram_error, histogram_error_bound, histogram_threshold, net
from ldp_lib.theory.errata.entry import BAYES, Erratum, Evidence
from ldp_lib.theory.theorem_bayes_3_2 import sensitivity
from ldp_lib.theory.theorem_bayes_4_3 import density_errors, staircase


def _noise_of_a_mean():
    people, ones, epsilon = 10, 6, 1.0
    return Evidence(
        "P(a cube with 10 people, 6 ones, is labelled 0) at epsilon = 1: P(etahat + noise <= 1/2)",
        printed=math.exp(-epsilon * (ones / people - 1 / 2)) / 2,
        corrected=math.exp(-epsilon * people * (ones / people - 1 / 2)) / 2,
        computed=float(laplace.cdf(people / 2 - ones, scale=1 / epsilon)),
    )


def _large_epsilon():
    """Four people, two cubes of mass 1/2: every placement of them is enumerated."""
    n, epsilon, M = 4, 100.0, 1
    gap = 0.0
    for placement in itertools.product((0, 1), repeat=n):
        N = placement.count(0)                       # the cube of the fresh x; by symmetry, cube 0
        gap += (1 / (epsilon * N) if N else 1.0) / 2**n
    thin = 2.0**-n                                   # Pr[N < 1]
    return Evidence(
        "E[1/(eps N); N > 0] + Pr[N = 0] with four people in two cubes, eps = 100, M = 1; the last line of "
        "(1) bounds it",
        printed=(thin + 1 / M) / epsilon, corrected=max(1, 1 / epsilon) * thin + 1 / (epsilon * M),
        computed=gap,
    )


def _sensitivity_of_counts():
    return Evidence(
        "l1 distance of the counts of two cubes when one record is replaced, at most",
        printed=1.0, corrected=2.0, computed=float(sensitivity(lambda y: 1)),
    )


def _fresh_noise():
    epsilon, queries = 1.0, 10
    sums = np.array([-6.0, -5.0])                    # of y - 1/2 in one cube, neighbouring data sets
    answer = laplace.logsf(-sums, scale=1 / epsilon)
    return Evidence(
        "privacy loss at epsilon = 1 after ten questions in one cube, all answered 1, with a fresh draw for "
        "each",
        printed=epsilon, corrected=queries * epsilon, computed=float(queries * (answer[1] - answer[0])),
    )


def _thin_cubes():
    n = 10**6
    return Evidence(
        "Pr[N(x) <= 0] for uniform X, d = 1 and cubes of side r = 1/n, n = 1e6; printed: the limit for any r",
        printed=0.0, corrected=math.exp(-1), computed=float(binom.pmf(0, n, 1 / n)),
    )


def _histogram_at_large_epsilon():
    epsilon, delta, count = 100.0, 0.1, 1
    return Evidence(
        "E|chat - c| at epsilon = 100, delta = 0.1, c = 1; printed with the constant 8.4 that small epsilon "
        "allows",
        printed=8.4 / epsilon * min(math.log(1 / delta), count),
        corrected=float(histogram_error_bound(count, epsilon, delta)),
        computed=float(histogram_error(count, epsilon, delta)),
    )


def _delta_too_small():
    n, epsilon = 10**6, 1.0
    log_delta = math.log(n) - math.sqrt(n) * math.log(2)
    delta = math.exp(log_delta)
    cells = staircase(tail=1.0, shells=1, r=n**-0.5, d=1)          # the uniform law on [0, 1]
    errors = density_errors(cells, n, epsilon, delta)
    return Evidence(
        "E||fhat - f|| for the uniform law, n = 1e6, eps = 1, delta = n 2^(-sqrt n), before normalising; "
        "printed: its limit",
        printed=0.0,
        corrected=cells.number @ histogram_error_bound(n * cells.p, epsilon, delta) / n + errors.ordinary,
        computed=errors.whole,
    )


def all_zeroed(n, cells, epsilon, delta):
    """P(Algorithm 1 releases only zeros), n people uniform on `cells` cells: exact, a cell at a time."""
    threshold = histogram_threshold(epsilon, delta)
    reach = np.zeros(n + 1)                          # by people placed so far, all their counts zeroed
    reach[0] = 1.0
    for left in range(cells, 0, -1):
        after = np.zeros(n + 1)
        for placed, chance in enumerate(reach):
            counts = np.arange(n - placed + 1)
            zeroed = np.where(counts > 0, laplace.cdf(threshold - counts, scale=2 / epsilon), 1.0)
            after[placed:] += chance * binom.pmf(counts, n - placed, 1 / left) * zeroed
        reach = after
    return float(reach[n])


def _nothing_to_normalise():
    n, cells, epsilon, delta = 100, 10, 1.0, 1e-6
    counts = np.arange(n + 1)
    kept = binom.pmf(counts, n, 1 / cells) @ laplace.sf(
        histogram_threshold(epsilon, delta) - counts, scale=2 / epsilon)
    return Evidence(
        "P(every count is zeroed), uniform X in 10 cells, n = 100, eps = 1, delta = 1e-6: nothing is left to "
        "divide by",
        printed=0.0, corrected=float(1 - cells * kept), computed=all_zeroed(n, cells, epsilon, delta),
    )


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
    odd_in_truth = 1
    odd_in_estimate = 2

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


def _three_causes():
    case = TwoCells(faces=20, draws=2)
    beta = 1 / case.faces
    return Evidence(
        "failure probability at beta = 0.05 in a case of two cells, all outcomes of its dice counted",
        printed=2 * beta, corrected=3 * beta, computed=case.failures(),
    )


def _two_atoms():
    """The event "within w of an atom" tells the law from every density that is constant on cubes."""
    n, w, failure = 10**6, 1e-10, 0.05
    side = n**-0.5
    return Evidence(
        "total variation between two atoms and a density on cubes of side 1/1000 (n = 1e6), at least; "
        "printed: beta / n_semi, which some n brings about",
        printed=failure / net(0.1, failure).synthetic, corrected=1.0, computed=1 - 2 * (2 * w / side),
    )


ENTRIES = [
    Erratum(
        20, BAYES, "proofs of Theorems 3.2 and A.12", "etahat + w_j", "etahat + w_j / N(x)",
        "E|w_j| = 1/epsilon never vanishes; the displays that follow divide by N(x).", _noise_of_a_mean),
    Erratum(
        21, BAYES, "(1) and (10), last step", "(1/eps)(Pr[N < M] + 1/M)",
        "max(1, 1/eps) Pr[N < M] + 1/(eps M)",
        "As printed it needs eps <= 1, which Theorem 1.5 assumes and Theorem 3.2 does not.", _large_epsilon),
    Erratum(
        22, BAYES, "proof of Theorem 3.1, sensitivity", "counts have sensitivity 1",
        "sums of y - 1/2 have sensitivity 1; counts have 2 when a record is replaced",
        "Algorithm 2 is private as it stands; noise of scale 1/epsilon on counts would not be.",
        _sensitivity_of_counts),
    Erratum(
        22, BAYES, "Algorithm 2, step 5", "Lap(1/epsilon) for each x", "one draw for each cube",
        "With a fresh draw for each question the loss grows with their number.", _fresh_noise),
    Erratum(
        23, BAYES, "Lemma 3.3", "any r", "r with n r^d -> infinity, as r = n^(-1/(2d))",
        "With r = n^(-1/d) cubes stay thin: Pr[N = 0] tends to 1/e for the uniform law.", _thin_cubes),
    Erratum(
        24, BAYES, "Theorem 2.4, error of the histogram", "O((1/eps) min{log(1/delta), c})",
        "min{1 + (2/eps)(1 + log(2/delta)), c + 2/eps}; at most (8.4/eps) min{log(1/delta), c} if eps <= 1, "
        "delta <= 1/2",
        "False for large epsilon, where a count of 1 lies below the threshold, almost without noise, and as "
        "delta -> 1.",
        _histogram_at_large_epsilon),
    Erratum(
        25, BAYES, "Theorems 1.7 and 4.3, (5)", "delta = omega(2^(-sqrt n))", "log(1/delta) = o(sqrt n)",
        "With the printed condition the threshold can exceed every count. The theorem also needs a density, "
        "so that "
        "Remark 1.8 does not give a learner for singular laws; Theorem A.13 does.", _delta_too_small),
    Erratum(
        26, BAYES, "Remark 4.1", "normalise the estimate",
        "normalise, or take any fixed density if every count is zeroed",
        "Its distance from f is then at most 2 = 2 ||0 - f||, so that the remark's factor 2 survives.",
        _nothing_to_normalise),
    Erratum(
        27, BAYES, "Theorem 4.11, failure probability", "2 beta", "3 beta",
        "The density estimate fails with probability beta as well. (In Remark 4.12, O(VC) is Omega(VC).)",
        _three_causes),
    Erratum(
        27, BAYES, "Theorem 4.11, the law of X", "for every distribution P",
        "for every P under which X has a density",
        "The proof takes its synthetic people from Theorem 4.3. Its estimate is a density, and never comes "
        "nearer to a law with atoms, in total variation, than their mass. How many people without labels are "
        "enough depends on the law, as it says.", _two_atoms),
]
"""Errata 20 to 27."""

"""The exercises of notebook 08, on questions to other people, and of its appendix: squares and shuffling."""

import math
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ldp_lib._rounding import canonical
from ldp_lib.estimation import UniformityTest
from ldp_lib.lessons.second_question.ledger import (
    LEVEL, POWER, Rounds, above_fair, false_alarms, independent, read_again, said_by_others,
    said_by_the_first,
)
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import hockey_stick, printed_shuffled_epsilon, shuffled_counts, shuffled_epsilon
from ldp_lib.privacy.binomial import at_least, binomial_chances
from ldp_lib.risk import people_for_power, quadratic_one_round, subset_people, uniformity_power
from ldp_lib.stage import Control
from ldp_lib.stage.judge import Offer, behaves, chosen, exercise, function, near, number, telling, trial

SURVEYS = {(64, 1.0): (6364, 4243), (16, 0.25): (22_000, 14_700)}
"""Of the trial of 08.1: faces and alpha -> people in the two rounds."""
REPEATS = 60
"""First rounds of each kind, with a fixed seed; the power of the second is exact given the first."""
NEARLY = 0.97
"""So much of the power of the library's suspects is enough."""


class FirstRound(NamedTuple):
    """What the first people sent, and what is true."""

    K: int
    alpha: float
    counts: np.ndarray
    """How many signs of each face are 1, (K,)."""
    people: tuple[int, int]
    """In the first round, and in the second."""
    die: np.ndarray


@cache
def _first_rounds():
    """All first rounds of the trial, of dice with a random heavy half."""
    rng, found = np.random.default_rng(8), []
    for (K, alpha), people in SURVEYS.items():
        up = 1 / (1 + math.exp(-alpha))
        for _ in range(REPEATS):
            die = rng.permutation(tilted_die(K, 0.5))
            held = rng.multinomial(people[0], die)
            counts = rng.binomial(held, up) + rng.binomial(people[0] - held, 0.5)
            found.append(FirstRound(K, alpha, counts, people, die))
    return tuple(found)


def _share_of_yes(share, alpha):
    return (1 + math.tanh(alpha / 2) * (2 * share - 1)) / 2


@cache
def _critical(size, K, alpha, people):
    """From how many yes about so many of K faces the test calls the die unfair."""
    tails = at_least(np.arange(people + 2), people, _share_of_yes(size / K, alpha))
    return int(np.argmax(canonical(tails) <= LEVEL))


def _power(survey, asked):
    """The chance that the second round of a survey about the faces `asked`, (K,) booleans, finds the die."""
    size, second = int(asked.sum()), survey.people[1]
    if size in (0, survey.K):
        return 0.0
    return float(at_least(_critical(size, survey.K, survey.alpha, second), second,
                          _share_of_yes(survey.die[asked].sum(), survey.alpha)))


@lru_cache(maxsize=2)
def _asked(suspects):
    """The faces that a reader's function asks about in every survey, (K,) booleans each."""
    found = []
    for survey in _first_rounds():
        told = np.asarray(suspects(counts=survey.counts.copy(), n=survey.people[0], alpha=survey.alpha,
                                   K=survey.K))
        if told.dtype == bool and told.shape == (survey.K,):
            found.append(told)
            continue
        faces = told.astype(int) if told.size == 0 else told
        if faces.ndim != 1 or faces.dtype.kind not in "iu" or ((faces < 0) | (faces >= survey.K)).any():
            raise ValueError(f"it returned {told.dtype} of shape {told.shape}; expected are True or False "
                             f"for each of {survey.K} faces, or numbers of faces from 0 to {survey.K - 1}")
        found.append(np.isin(np.arange(survey.K), faces))
    return tuple(found)


def _powers(suspects):
    """The mean power of each kind of survey, in the order of `SURVEYS`."""
    each = [_power(survey, asked) for survey, asked in zip(_first_rounds(), _asked(suspects), strict=True)]
    return np.reshape(each, (len(SURVEYS), REPEATS)).mean(axis=1)


def _above(bar):
    """Suspects whose share of signs that are 1 is above bar(alpha, K)."""
    return lambda counts, n, alpha, K: counts > n * bar(alpha, K)


_above_fair = _above(lambda alpha, K: (1 + math.tanh(alpha / 2) / K) / 2)


def _misses(suspects):
    for (K, alpha), mine, ours in zip(SURVEYS, _powers(suspects), _powers(_above_fair), strict=True):
        if mine < NEARLY * ours:
            return (f"With {K} faces and alpha = {alpha:g} your question finds the die with probability "
                    f"{telling(mine, NEARLY * ours)}; {NEARLY * ours:.2f} is asked for.")
    return ""


def _asks_like(specimen):
    """Recognises functions that ask about the same faces as this one in every survey."""
    def made(suspects):
        return all(np.array_equal(mine, other)
                   for mine, other in zip(_asked(suspects), _asked(specimen), strict=True))
    return made


def _everything(counts, n, alpha, K):
    return np.ones(K, dtype=bool)


def _the_top(counts, n, alpha, K):
    return np.arange(K) == counts.argmax()


_half = _above(lambda alpha, K: 0.5)
_without_tilt = _above(lambda alpha, K: (1 + 1 / K) / 2)


def _too_rare(counts, n, alpha, K):
    return ~_above_fair(counts, n, alpha, K)


exercise(
    "08.1", "the second question as a function",
    trial("comparison", _misses),
    "which count does a fair die give? One person in K tilts the sign of a face, all others toss a coin.",
    second="a sign is 1 with probability (1 + t/K)/2 under the fair die, t = tanh(alpha/2).", stars=2,
    mistakes={
        _asks_like(_everything): "You ask about all faces: everybody is in the set, and yes tells nothing.",
        _asks_like(_the_top): "The top face alone. Every face that looks too frequent adds something.",
        _asks_like(_half): "Your bar is one half. Faces of a fair die are above it more often than below.",
        _asks_like(_without_tilt): "Your bar is what signs without lies give. A sign is tilted by t only.",
        _asks_like(_too_rare): "Faces that look too rare get too few yes, and the test waits for too many."},
    score=lambda suspects: f"Power {_powers(suspects)[0]:.2f} with 64 faces. Whatever you write here, a fair "
                           "die is called unfair in 5% of all surveys at most: others answer.",
    enough="At least 97% of the power of the library's suspects counts.")

BEST_SHARE, FEWEST = 0.615, 42_207
"""Of 08.2: the share of the first round with the fewest people of all shares on a grid, and how many."""
ROOM = 1.02
"""So many times the fewest are allowed."""


@lru_cache(maxsize=64)
def _power_of_share(share):
    """With so many people."""
    return uniformity_power(UniformityTest(1.0, 256, share=share), tilted_die(256, 0.5),
                            math.floor(ROOM * FEWEST))


def _badly_shared(share):
    power = _power_of_share(share)
    if canonical(power) >= POWER:
        return ""
    return (f"With {math.floor(ROOM * FEWEST):,} people the power is {telling(power, POWER)}; "
            f"{POWER:g} can be reached.")


exercise(
    "08.2", "the share of people for the first round",
    chosen(0, 1, _badly_shared),
    "suspicions add up over the faces: better ones make every later answer worth more, but fewer answer. "
    "uniformity_power(UniformityTest(1.0, 256, share=w), tilted_die(256, 0.5), n) is exact: try several w.",
    second="more than half of the people choose the faces, and the others answer.",
    mistakes={
        near(0.5): "Half each is not far off. But whom to ask about is the harder part.",
        near(1 / 256): "So few people find no suspects: the question is a random set.",
        near(0.9): "A good question, and hardly anybody is left to answer it.",
        near(1 - BEST_SHARE): "That is about the part of the second round."},
    score=lambda share: f"The fewest known are {FEWEST:,} people, at {BEST_SHARE:g}. Any share from 0.54 to "
                        "0.7 costs at most 2% more.",
    enough="At most 1.02 times the fewest people count.",
    offer=Offer((Control("share", "share of the first round", "", np.arange(5, 100, 5) / 100, 0.5),)))


@cache
def _two_rounds(K, alpha=1.0):
    return people_for_power(UniformityTest(alpha, K), tilted_die(K, 0.5))


@cache
def _first_to_pay():
    """The smallest even number of faces for which two rounds need fewer people."""
    return next(K for K in range(2, 65, 2) if _two_rounds(K) < subset_people(tilted_die(K, 0.5), 1.0))


exercise(
    "08.3", "the smallest even number of faces for which a second question pays",
    number(_first_to_pay, relative=0),
    "for few faces the people of the second round are missed in the first. Go up, K = 2, 4, 6 and so "
    "on, until two rounds need fewer.",
    second="two rounds gain a factor near 0.4 √K / cosh²(α/2), which is 1 near K = 10; exactly, a little "
           "earlier.", stars=2,
    mistakes={
        near(6): "Nearly: a die of six faces is where both need about the same, and one round a little less.",
        lambda K: K in (2, 4): "With so few faces one round asks about few directions, and needs fewer.",
        lambda K: 8 < K <= 256 and K % 2 == 0: "It pays there. Does it pay for fewer faces, too?"},
    score=lambda K: f"With {K:g} faces two rounds need {_two_rounds(int(K)):,} people, one round about "
                    f"{subset_people(tilted_die(int(K), 0.5), 1.0):,}. At a larger α it takes more faces.")

SMALL = Rounds(8, 3.0, np.full(4, 0.25), independent, above_fair)
"""A fair die of four faces and eight people a round, of which all outcomes are enumerated."""
A_SMALL_SURVEY = f"{len(SMALL.die)} faces, {SMALL.n} people a round, alpha = {SMALL.alpha:g}"
LOOKS, BETWEEN = 10, 400
"""How often plan 4 looks, after so many answers each time, to a question about half of the faces."""


@cache
def _stopped_early():
    """P(p-value <= 5% at one look at least), with a fair die: binomial counts that have not been stopped."""
    going, more = np.ones(1), binomial_chances(BETWEEN, 0.5)
    for look in range(1, LOOKS + 1):
        going = np.convolve(going, more)
        tails = at_least(np.arange(len(going)), look * BETWEEN, 0.5)
        going[canonical(tails) <= LEVEL] = 0
    return float(1 - going.sum())


PLANS = {1: lambda: false_alarms(SMALL, read_again), 2: lambda: false_alarms(SMALL, said_by_the_first),
         3: lambda: false_alarms(SMALL, said_by_others), 4: _stopped_early}
"""How often each plan calls a fair die unfair at level 5%: the first people's signs are summed over the faces
that they made suspect; the first people answer the second question; others do; others do, and the office
looks after every 400 answers and stops when it likes what it sees."""


def _too_often(plan):
    alarms = PLANS[plan]()
    size = f"{LOOKS} looks, {BETWEEN} answers each" if plan == 4 else A_SMALL_SURVEY
    return "" if alarms <= LEVEL else (f"Plan {plan} calls a fair die unfair in {alarms:.1%} of all surveys "
                                       f"({size}).")


exercise(
    "08.4", "the plan whose false alarms are at most 5%",
    chosen(0, 5, _too_often, whole=True),
    "under the fair die, are the answers coins that know nothing of the set, and are they judged once?",
    mistakes={
        near(1): "The signs that made these faces suspect judge them: luck is counted twice.",
        near(2): "Who made a face suspect is likely to hold it. And each of them has then told 2α.",
        near(4): "One look has 5%. Ten looks have ten chances to be wrong."},
    score=lambda plan: f"With {A_SMALL_SURVEY}: {PLANS[3]():.1%}; never more than 5%: counts are whole. The "
                       "set is made of reports, so that publishing it costs the first people nothing more.",
    enough="False alarms in at most 5% of all surveys count.",
    offer=Offer((Control("plan", "plan", "", tuple(PLANS), 1, "{}"),)))

MIXED = 10_000
"""People whose bits are shuffled in 08.5."""
PROMISED = 1.0, 1e-6
"""What the shuffled bits keep there, epsilon and delta."""


def _surplus(alpha, *directions):
    """The largest of these divergences at epsilon, less delta: summed over all counts."""
    counts, (epsilon, delta) = shuffled_counts(alpha, MIXED), PROMISED
    laws = {"up": (counts.one, counts.zero), "down": (counts.zero, counts.one)}
    return max(hockey_stick([laws[way]], epsilon) for way in directions) - delta


@cache
def _loudest(*directions):
    return brentq(lambda alpha: _surplus(alpha, *directions), 1, 9)


@cache
def _loudest_by(promise):
    """The same where `promise(delta, alpha, n)` is the epsilon that is kept."""
    epsilon, delta = PROMISED
    return brentq(lambda alpha: promise(delta, alpha, MIXED) - epsilon, 1, 9)


exercise(
    "08.5", "the loudest bits that shuffling makes private enough",
    number(lambda: _loudest("up", "down")),
    "`shuffled_epsilon(1e-6, alpha, 10_000)` rises with alpha; find where it is 1.",
    second="between 5 and 6.",
    mistakes={
        lambda alpha: near(_loudest("up"))(alpha): "One direction. The other one is the larger here: fewer "
                                                   "ones than expected tell more.",
        lambda alpha: near(_loudest_by(printed_shuffled_epsilon))(alpha): "The closed form promises that. "
                                                                          "The exact tails allow more.",
        lambda alpha: near(_loudest_by(partial(shuffled_epsilon, others="any")))(alpha):
            "That is safe whatever the others have. Here all others have the same bit."},
    score=lambda alpha: f"A bit at α = {alpha:.2f} lies once in {1 + math.exp(alpha):.0f} answers.")


def _loss(m, n, alpha):
    counts = shuffled_counts(alpha, n)
    return math.log(counts.one[m] / counts.zero[m])


COUNTS = [{"m": 3, "n": 12, "alpha": 1.0}, {"m": 0, "n": 5, "alpha": 0.5}, {"m": 7, "n": 7, "alpha": 2.0},
          {"m": 30, "n": 40, "alpha": 0.3}]
INSIDE = COUNTS[::3]

exercise(
    "08.6", "the loss of a count of shuffled bits as a function",
    function(_loss, COUNTS, relative=1e-7),
    "with r = b(m-1)/b(m) = m e^alpha / (n - m), her bit 1 makes the count m with q b(m-1) + (1-q) b(m).",
    second="multiply above and below by n - m; below, n is all that is left of m.", stars=2,
    mistakes={
        behaves(lambda m, n, alpha: -_loss(m, n, alpha), COUNTS): "The other way round: many ones speak for "
                                                                  "her bit 1.",
        behaves(lambda m, n, alpha: alpha * (2 * m / n - 1), COUNTS): "Both ends are right. Between them it "
                                                                      "is no straight line.",
        behaves(lambda m, n, alpha: alpha + math.log(m / (n - m)), INSIDE): "That is log r: as if she never "
                                                                            "lied."},
    more="At m = n it is α: with certainty mixing hides nothing.")


def _error_of_one_round(n):
    return quadratic_one_round(tilted_die(64, 0.5), n, 1.0).root_mean_square


@cache
def _enough_for(part):
    """People of one round whose error is this part of |D|^2, by the root of a quadratic equation in 1/n."""
    square, tilt, K = 0.25 / 64, math.tanh(0.5), 64
    linear = 4 * (square / tilt**2 - square**2)
    trace = 2 * ((K - 1) / tilt**4 - 2 * square / tilt**2 + square**2)
    goal = (part * square) ** 2
    # goal n (n - 1) = linear (n - 1) + trace.
    middle = goal + linear
    return math.ceil((middle + math.sqrt(middle**2 + 4 * goal * (trace - linear))) / (2 * goal))


exercise(
    "08.7", "people of one round for the squares of 64 faces",
    number(lambda: _enough_for(0.5), relative=0.01),
    "`quadratic_one_round(tilted_die(64, 0.5), n, 1.0).root_mean_square` falls with n.",
    second="|D|^2 is 0.25/64.",
    mistakes={
        lambda n: near(_enough_for(1.0))(n): "That error is |D|² itself, which who says 1/K and asks nobody "
                                             "has, too.",
        near(10_200, 0.03): "So many do in two rounds, with the best clip, which nobody knows."},
    score=lambda n: f"Their error is {_error_of_one_round(round(n)) / (0.25 / 64):.3f} times |D|².")

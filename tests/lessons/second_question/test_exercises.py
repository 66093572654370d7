"""The exercises of notebook 08 recognise every mistake of their tables; what they say of it is true."""

import math

import numpy as np
import pytest

from ldp_lib.estimation import TwoRoundSurvey, UniformityTest
from ldp_lib.estimation.uniformity import faces_above
from ldp_lib.lessons.second_question.exercises import (
    BEST_SHARE, BETWEEN, FEWEST, LOOKS, PLANS, REPEATS, ROOM, SURVEYS, _first_rounds, _powers,
    _two_rounds,
)
from ldp_lib.live import EXERCISES, check
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns, SubsetSelection
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.risk import people_for_power, subset_people, uniformity_power


def above(bar):
    return lambda counts, n, alpha, K: counts / n > bar(alpha, K)


def fair(alpha, K):
    return (1 + math.tanh(alpha / 2) / K) / 2


def loss(m, n, alpha):
    return math.log(math.exp(-alpha) + 2 * math.sinh(alpha) * m / n)


suspects = above(fair)
# What a student writes, and words that only its own feedback has.
MISTAKES = [
    ("08.1", lambda counts, n, alpha, K: np.arange(K), "everybody is in the set"),
    ("08.1", lambda counts, n, alpha, K: counts > n / K, "everybody is in the set"),
    ("08.1", lambda counts, n, alpha, K: [int(np.argmax(counts))], "top face alone"),
    ("08.1", above(lambda alpha, K: 0.5), "bar is one half"),
    ("08.1", above(lambda alpha, K: (1 + 1 / K) / 2), "signs without lies"),
    ("08.1", lambda **given: ~suspects(**given), "waits for too many"),
    ("08.2", 0.5, "Half each"), ("08.2", 1 / 256, "a random set"), ("08.2", 0.9, "left to answer"),
    ("08.2", 0.38, "of the second round"),
    ("08.3", 6, "a die of six faces"), ("08.3", 2, "few directions"), ("08.3", 4.0, "few directions"),
    ("08.3", 64, "for fewer faces"), ("08.3", 10, "for fewer faces"),
    ("08.4", 1, "luck is counted twice"), ("08.4", 2, "told 2α"), ("08.4", 4, "Ten looks"),
    ("08.5", 7.017, "One direction"), ("08.5", 2.393, "closed form"), ("08.5", 5.47, "whatever the others"),
    ("08.6", lambda m, n, alpha: -loss(m, n, alpha), "other way round"),
    ("08.6", lambda m, n, alpha: alpha * (2 * m - n) / n, "no straight line"),
    ("08.6", lambda m, n, alpha: np.log(np.exp(alpha) * m / (n - m)), "never lied"),
    ("08.7", 16_064, "asks nobody"), ("08.7", 10_208, "nobody knows"),
]
RIGHT = [
    ("08.1", suspects, "Power 0.78 with 64 faces"),
    ("08.1", lambda counts, n, alpha, K: np.flatnonzero(suspects(counts, n, alpha, K)), "others answer"),
    ("08.1", lambda counts, n, alpha, K: np.argsort(-counts)[:K // 2], "Power 0.7"),
    ("08.2", 0.62, "42,207 people"), ("08.2", 0.54, ""), ("08.2", 0.7, ""),
    ("08.3", 8, "1,356 people, one round about 1,483"), ("08.4", 3, "1.7%"),
    ("08.5", 5.689, "once in 297 answers"), ("08.6", lambda m, n, alpha: loss(m, n, alpha), ""),
    ("08.7", 38_150, "0.500 times"),
]


@pytest.mark.parametrize(("answer", "words"), [
    (lambda counts, n, alpha, K: counts, "numbers of faces from 0 to 63"),
    (lambda counts, n, alpha, K: counts / n, "float64"), (lambda counts, n, alpha, K: [], "probability 0.00"),
    (lambda counts, n, alpha, K: np.arange(K) < K // 2, "your question finds"),
    (lambda counts: counts, "fails")])
def test_the_judge_of_suspects_says_what_it_found(answer, words):
    text = check("08.1", answer).text
    assert text.startswith("✗") and words in text and EXERCISES["08.1"].feedback(answer) == ""


@pytest.mark.parametrize(("exercise", "near"), [
    ("08.1", lambda counts, n, alpha, K: np.argsort(-counts)[:2]),
    ("08.1", lambda counts, n, alpha, K: counts > n / 2 + n**0.5), ("08.2", 0.45), ("08.2", 0.01),
    ("08.2", 0.8), ("08.3", 7), ("08.3", 9), ("08.3", 300), ("08.4", 2.5), ("08.4", 5), ("08.4", True),
    ("08.5", 6.5), ("08.5", 1.1), ("08.6", lambda m, n, alpha: 2 * loss(m, n, alpha)),
    ("08.6", lambda m, n, alpha: loss(m, n, alpha) if m != n else 0.0), ("08.7", 5000)])
def test_near_misses_are_no_typical_mistakes(exercise, near):
    assert not check(exercise, near).right and EXERCISES[exercise].feedback(near) == ""


def test_the_right_suspects_are_those_of_the_survey_with_its_power():
    """The mean over 60 first rounds is that of all, up to 4.5 standard errors, false alarm 7e-6."""
    for survey in _first_rounds():
        signs = CellSigns(survey.alpha, 1 / survey.K)
        totals = 2.0 * survey.counts - survey.people[0]
        found = faces_above(signs, CellAggregate(survey.people[0], totals, repr(signs)))
        told = suspects(survey.counts, survey.people[0], survey.alpha, survey.K)
        assert np.flatnonzero(told).tolist() == found.tolist()
    for ((K, alpha), people), mean in zip(SURVEYS.items(), _powers(suspects), strict=True):
        n = sum(people)
        test = UniformityTest(alpha, K, share=people[0] / n)
        exact = uniformity_power(test, tilted_die(K, 0.5), n)
        assert test.first_people(n) == people[0] and abs(mean - exact) < 4.5 * 0.5 / REPEATS**0.5
        assert 0.75 < exact < 0.85


@pytest.mark.parametrize("share, costs", [(0.53, False), (0.54, True), (0.6, True), (0.7, True),
                                          (0.72, False)])
def test_which_shares_cost_little(share, costs):
    test = UniformityTest(1.0, 256, share=share)
    enough = uniformity_power(test, tilted_die(256, 0.5), math.floor(ROOM * FEWEST)) >= 0.8
    assert enough == costs == check("08.2", share).right


def test_the_fewest_people_are_those_of_the_best_share():
    law = tilted_die(256, 0.5)
    assert people_for_power(UniformityTest(1.0, 256, share=BEST_SHARE), law) == FEWEST
    for share in (0.6, 0.61, 0.62, 0.63, 0.65):
        assert people_for_power(UniformityTest(1.0, 256, share=share), law) > FEWEST


def one_round(K, alpha=1.0):
    """People by subset selection."""
    return subset_people(tilted_die(K, 0.5), alpha)


def test_one_round_is_simulated_at_eight_faces():
    """4,000 simulated tests by subset selection; 4.5 standard errors, false alarm 7e-6, and 0.01 for the law
    of chi-squared."""
    K, n, repeats = 8, one_round(8), 4000
    mechanism = min((SubsetSelection(1.0, 1 / K, size=size) for size in range(1, K)),
                    key=lambda each: each.scale**2 * each.size * (K - each.size))
    rng = np.random.default_rng(3)
    law, found = tilted_die(K, 0.5), {}
    places = (np.arange(K) + 0.5) / K
    for name, die in (("fair", np.full(K, 1 / K)), ("tilted", law)):
        squares = []
        for _ in range(repeats):
            held = np.repeat(places, rng.multinomial(n, die))
            shares = mechanism.score(mechanism.simulate_aggregate(held, rng=rng))
            squares.append(np.square(shares - 1 / K).sum())
        found[name] = np.array(squares)
    power = (found["tilted"] > np.quantile(found["fair"], 0.95)).mean()
    assert abs(power - 0.8) < 0.01 + 4.5 * 0.02
    assert _two_rounds(8) < n and _two_rounds(6) > one_round(6)
    assert all(_two_rounds(K, 2.0) > one_round(K, 2.0) for K in (8, 16)), "a larger budget takes more faces"


def test_false_alarms_of_plans_that_are_simulated():
    """40,000 surveys of a fair die; 4.5 standard errors, 0.0019 at most: false alarm 7e-6 each."""
    rng, repeats, n, K, alpha = np.random.default_rng(4), 40_000, 8, 4, 3.0
    up = 1 / (1 + math.exp(-alpha))

    def survey(fresh):
        held = rng.multinomial(n, np.full(K, 1 / K), repeats)
        sums = 2 * (rng.binomial(held, up) + rng.binomial(n - held, 0.5)) - n
        made = sums > math.tanh(alpha / 2) * n / K
        inside = rng.binomial(n, made.mean(axis=1)) if fresh else (held * made).sum(axis=1)
        yes = rng.binomial(inside, up) + rng.binomial(n - inside, 1 - up)
        p_values = np.ones(repeats)
        for size in range(1, K):
            chance = (1 + math.tanh(alpha / 2) * (2 * size / K - 1)) / 2
            law = [math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]
            tails = np.cumsum(law[::-1])[::-1]
            here = made.sum(axis=1) == size
            p_values[here] = tails[yes[here]]
        return (p_values <= 0.05).mean()

    assert abs(survey(fresh=True) - PLANS[3]()) < 0.0019 and abs(survey(fresh=False) - PLANS[2]()) < 0.0055
    steps = rng.binomial(BETWEEN, 0.5, (repeats, LOOKS)).cumsum(axis=1)
    asked = BETWEEN * np.arange(1, LOOKS + 1)
    stopped = []
    for look, count in enumerate(asked.tolist()):
        stopped.append(steps[:, look] >= _least(count))
    assert abs(np.any(stopped, axis=0).mean() - PLANS[4]()) < 4.5 * 0.4 / repeats**0.5


def _least(n):
    """The least k with P(at least k of n fair coins) <= 1/20, by whole numbers."""
    tail, k = 0, n + 1
    while 20 * tail <= 2**n:
        k -= 1
        tail += math.comb(n, k)
    return k + 1


def test_plans_are_refused_by_the_office():
    """What plans 1, 2 and 4 do is not offered: who answered is refused, and a result ends the survey."""
    survey = TwoRoundSurvey(3.0, 4)
    at = np.full(8, 0.1)
    survey.first(range(8), survey.signs.privatize(at, rng=np.random.default_rng(1)))
    question = survey.question()
    with pytest.raises(RuntimeError, match="have answered before"):
        survey.second(range(8), question.privatize(at, rng=np.random.default_rng(2)))
    survey.second(range(8, 16), question.privatize(at, rng=np.random.default_rng(2)))
    assert 0 < survey.p_value() <= 1
    with pytest.raises(RuntimeError, match="To look at a result"):
        survey.second(range(16, 24), question.privatize(at, rng=np.random.default_rng(2)))


def test_a_number_of_faces_is_exact_and_a_plan_names_its_survey():
    assert "The exact number counts." in check("08.3", 7).text and not check("08.3", 8.004).right
    assert "4 faces, 8 people a round, alpha = 3" in check("08.4", 2).text
    assert f"{LOOKS} looks, {BETWEEN} answers each" in check("08.4", 4).text

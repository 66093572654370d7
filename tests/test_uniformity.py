"""Tests of a die: laws by brute force, levels exactly, powers by simulation, the survey and what it tells."""

from extent import all_rows
import copy
import itertools
import math
import pickle
import time
from functools import partial

import numpy as np
import pytest
from scipy import stats

from ldp_lib.estimation import AskedAgainError, TwoRoundSurvey, UniformityTest, uniformity
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns, SetQuestion, SubsetSelection
from ldp_lib.privacy.binomial import binomial_chances
from ldp_lib.risk import (
    people_for_power, questions_power, subset_noncentrality, subset_people, suspects_law, uniformity_power,
)

KINDS = [dict(rounds=1), dict(rounds=1, coins="public"), dict(rounds=2)]


def fair(K):
    return np.full(K, 1 / K)


# The laws that everything rests on.

@pytest.mark.parametrize("n, chance", [(1, 0.5), (7, 0.3), (1153, 0.5), (20_000, 0.269), (10**6, 0.731)])
def test_binomial_chances(n, chance):
    """At 2001 counts within ten standard deviations, or all: to 12 digits of the largest."""
    reach = 10 * (n * chance * (1 - chance)) ** 0.5
    k = np.unique(np.clip(np.linspace(n * chance - reach, n * chance + reach, 2001), 0, n).astype(int))
    expected, found = stats.binom.pmf(k, n, chance), binomial_chances(n, chance)
    assert np.abs(found[k] - expected).max() < 1e-12 * expected.max() and abs(found.sum() - 1) < 1e-12
    assert binomial_chances(n, 0.0)[0] == binomial_chances(n, 1.0)[n] == binomial_chances(n, 1.0).sum() == 1
    assert binomial_chances(n, 0.0).sum() == 1


@pytest.mark.parametrize("groups", [[(7, 0.3, 3)], [(40, 0.5, 15)], [(11, 0.5, 2), (12, 0.4, 3)],
                                    [(300, 0.45, 1)]])
def test_sums_of_scores_are_convolutions(groups):
    """To 1e-12: `ROUNDING` is a hundred times as much."""
    parts = [(uniformity.squared_deviations(n, chance), binomial_chances(n, chance), copies)
             for n, chance, copies in groups]
    law = np.ones(1)
    for scores, chances, copies in parts:
        for _ in range(copies):
            law = np.convolve(law, np.bincount(scores, chances))
    limit = min(uniformity.largest_score(sum(copies for *_, copies in groups)), len(law))
    below = uniformity.chances_below(limit, parts)
    assert np.abs(below - np.append(0.0, np.cumsum(law))[:limit + 1]).max() < 1e-12


def test_scores_are_squares_in_steps():
    scores = uniformity.squared_deviations(100, 0.5)
    assert scores[[50, 60, 40]].tolist() == [0, 4 * uniformity.STEPS, 4 * uniformity.STEPS]


def suspects_by_brute_force(law, n, alpha):
    """The sum over all ways in which n people can hold the faces."""
    K, tilt = len(law), math.tanh(alpha / 2)
    heavy = int((law == law[0]).sum())
    joint, suspected = np.zeros((heavy + 1, K - heavy + 1)), []
    for holders in range(n + 1):
        ones = np.convolve(stats.binom.pmf(np.arange(holders + 1), holders, (1 + tilt) / 2),
                           stats.binom.pmf(np.arange(n - holders + 1), n - holders, 0.5))
        suspected.append(ones[2 * np.arange(n + 1) - n > tilt * n / K].sum())
    for held in itertools.product(range(n + 1), repeat=K):
        if sum(held) == n:
            sides = [np.ones(1), np.ones(1)]
            for face, holders in enumerate(held):
                side = int(face >= heavy)
                sides[side] = np.convolve(sides[side], [1 - suspected[holders], suspected[holders]])
            joint += stats.multinomial.pmf(held, n, law) * np.outer(*sides)
    return joint


@pytest.mark.parametrize("law, n, alpha", [
    (tilted_die(4, 0.5), 6, 1.0), (tilted_die(2, 0.5), 9, 2.0), (tilted_die(3, 0.5, heavy=1), 5, 0.3),
    (tilted_die(4, 1.0), 1, 1.0), (tilted_die(4, 0.9, heavy=1), 7, 8.0), (tilted_die(2, 0.5), 40, 40.0)])
def test_the_contour_is_the_sum_over_all_people(law, n, alpha):
    assert np.abs(suspects_law(law, n, alpha) - suspects_by_brute_force(law, n, alpha)).max() < 1e-13


def two_round_power_by_brute_force(law, first, second, alpha, level):
    """The same with binomial tests of the second round, written as in a textbook."""
    K, tilt, power = len(law), math.tanh(alpha / 2), 0.0
    for (a, b), chance in np.ndenumerate(suspects_by_brute_force(law, first, alpha)):
        if 0 < a + b < K:
            held = a * law[0] + b * law[-1]
            tails = stats.binom.sf(np.arange(-1, second + 1), second, (1 + tilt * (2 * (a + b) / K - 1)) / 2)
            enough = np.flatnonzero(tails <= level)[0]
            power += chance * stats.binom.sf(enough - 1, second, (1 + tilt * (2 * held - 1)) / 2)
    return power


@pytest.mark.parametrize("law, n, alpha, level", [
    (tilted_die(4, 0.9), 14, 2.0, 0.05), (tilted_die(2, 0.8), 31, 1.0, 0.1),
    (tilted_die(3, 1.5, heavy=1), 12, 3.0, 0.2)])
def test_the_power_of_two_rounds_by_brute_force(law, n, alpha, level):
    test = UniformityTest(alpha, len(law))
    first = test.first_people(n)
    expected = two_round_power_by_brute_force(law, first, n - first, alpha, level)
    assert uniformity_power(test, law, n, level=level) == pytest.approx(expected, abs=1e-12)


def test_the_power_of_one_round_by_brute_force():
    """Three Walsh questions to 4, 4 and 3 people: all counts of yes, p-values by summing."""
    law, alpha, level = np.array([0.55, 0.05, 0.25, 0.15]), 2.0, 0.2
    tilt, people = math.tanh(alpha / 2), (4, 4, 3)
    sets = ([0, 2], [0, 1], [0, 3])
    outcomes = list(itertools.product(*(range(n + 1) for n in people)))
    scores = [sum(math.floor(32 * (yes - n / 2) ** 2 / (n / 4) + 1e-9) for yes, n in zip(each, people))
              for each in outcomes]

    def chances(law):
        rates = [(1 + tilt * (2 * law[held].sum() - 1)) / 2 for held in sets]
        return np.array([math.prod(stats.binom.pmf(yes, n, rate) for yes, n, rate in zip(each, people, rates))
                         for each in outcomes])

    null, law_of_outcomes = chances(fair(4)), chances(law)
    p_values = np.array([null[np.array(scores) >= score].sum() for score in scores])
    expected = law_of_outcomes[p_values <= level].sum()
    assert 0 < expected < 1
    test = UniformityTest(alpha, 4, rounds=1)
    assert uniformity_power(test, law, 11, level=level) == pytest.approx(expected)


def test_levels_go_down_to_a_millionth():
    test, law = UniformityTest(1.0, 4), tilted_die(4, 0.5)
    for power_at in (partial(uniformity_power, test, law, 14), partial(people_for_power, test, law),
                     partial(questions_power, np.eye(4, dtype=bool), law, 14, 1.0)):
        assert power_at(level=1e-6) >= 0
        with pytest.raises(ValueError, match="level"):
            power_at(level=0.99e-6)


def test_walsh_sets_of_all_sizes():
    for K in (2, 3, 4, 6, 8, 12, 16):
        sets = uniformity.walsh_sets(K)
        assert len(sets) == 2 ** math.ceil(math.log2(K)) - 1
        assert ((sets.sum(axis=1) > 0) & (sets.sum(axis=1) < K)).all()


# The level, and powers.

@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("K", [2, 3, 4, 6, 13, 16, 64])
def test_the_level_is_kept(kind, K):
    """At most a, for every K, n and alpha of a grid, exactly; and not idle where people are many."""
    for alpha, n, level in itertools.product((0.1, 1.0, 4.0), (2, 7, 40, 2500), (0.01, 0.05, 0.3)):
        reached = uniformity_power(UniformityTest(alpha, K, **kind), fair(K), n, level=level)
        assert 0 <= reached <= level
    # With two or three faces S is empty or full every other time, and nobody is asked.
    assert reached > (0.4 if K < 4 else 0.8) * level


CI = pytest.mark.ci


@pytest.mark.share(3)
@pytest.mark.parametrize("kind, K, n, repeats", [
    (KINDS[0], 4, 605, 400), (KINDS[1], 5, 700, 400), (KINDS[2], 16, 2672, 800), (KINDS[2], 5, 500, 800),
    *(pytest.param(*case, 4000 if all_rows() else 2000, marks=CI) for case in (
        (KINDS[0], 4, 605), (KINDS[0], 6, 700), (KINDS[1], 6, 1683), (KINDS[1], 16, 3000), (KINDS[2], 4, 694),
        (KINDS[2], 64, 10_607)))])
def test_powers_and_levels_are_those_of_simulated_people(kind, K, n, repeats):
    """5.5 standard errors, 20 comparisons: false alarm 8e-7 by the normal law."""
    heavy = tilted_die(K, 0.5, heavy=None if K % 2 == 0 else 2)
    for law, which in ((heavy, 1), (fair(K), 2)):
        chance = uniformity_power(UniformityTest(1.0, K, **kind), law, n)
        rng, found = np.random.default_rng([K, n, which]), 0
        for _ in range(repeats):
            faces = rng.choice(K, size=n, p=law)
            found += UniformityTest(1.0, K, **kind, rng=rng).fit(faces).p_value_ <= 0.05
        assert abs(found / repeats - chance) < 5.5 * math.sqrt(chance * (1 - chance) / repeats)


TABLE = {
    # K: one bit in one round, public dice, two rounds at share 0.6; alpha = 1, delta = 0.5.
    4: (605, 1104, 694), 6: (1385, 1683, 1028), 8: (1863, 2357, 1356), 16: (5243, 5158, 2672),
    64: (39_029, 21_916, 10_607), 256: (293_122, 88_918, 42_228),
}


def share_found(kind, K, law, n, surveys, rng):
    """In how many of so many simulated surveys the p-value is at most 5%: all at once, from counts."""
    test, tilt = UniformityTest(1.0, K, **kind), math.tanh(0.5)

    def said_yes(people, held):
        return rng.binomial(people, (1 + tilt * (2 * held - 1)) / 2)

    if test.rounds == 2:
        first = test.first_people(n)
        holders = rng.multinomial(first, law, surveys)
        ones = rng.binomial(holders, (1 + tilt) / 2) + rng.binomial(first - holders, 0.5)
        suspects = 2 * ones - first > tilt * first / K
        size, yes = suspects.sum(axis=1), said_yes(n - first, suspects @ law)
        critical = stats.binom.isf(0.05, n - first, (1 + tilt * (2 * size / K - 1)) / 2)
        return ((yes > critical) & (size > 0) & (size < K)).mean()
    people = uniformity.group_sizes(n, len(test.sets(rng)))
    if test.coins == "private":
        held, fair_share = (test.sets(rng) @ law)[None], test.sets(rng).mean(axis=1)
    else:
        heavy = rng.hypergeometric(K // 2, K // 2, K // 2, (surveys, len(people)))
        held, fair_share = heavy * law[0] + (K // 2 - heavy) * law[-1], np.full(len(people), 0.5)
    yes = said_yes(people, np.broadcast_to(held, (surveys, len(people))))
    chances = (1 + tilt * (2 * fair_share - 1)) / 2
    score = sum(uniformity.squared_deviations(m, chance)[column]
                for m, chance, column in zip(people, chances, yes.T, strict=True))
    below = uniformity.chances_below(int(score.max()), uniformity.fair_parts(people, chances.tolist()))
    return (1 - below[score] + uniformity.ROUNDING <= 0.05).mean()


@pytest.mark.share(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("K", [4, 16, 64, pytest.param(256, marks=CI)])
def test_the_people_needed_have_their_power_in_100_000_surveys(kind, K):
    """n is what `people_for_power` says, see `TABLE`. 5.5 standard errors, 24 comparisons: false alarm 9e-7
    by the normal law."""
    n, surveys, rng = TABLE[K][KINDS.index(kind)], 10**5, np.random.default_rng([K, KINDS.index(kind)])
    for law in (tilted_die(K, 0.5), fair(K)):
        chance = uniformity_power(UniformityTest(1.0, K, **kind), law, n)
        found = np.mean([share_found(kind, K, law, n, surveys // 10, rng) for _ in range(10)])
        error = math.sqrt(chance * (1 - chance) / surveys)
        print(f"\nK = {K}, {kind}: {found:.4f} ± {error:.4f} of {surveys:,} surveys; exact {chance:.4f}")
        assert abs(found - chance) < 5.5 * error


def test_people_for_power_is_a_crossing():
    for kind, K in zip(KINDS, (6, 8, 16)):
        test, law = UniformityTest(1.0, K, **kind), tilted_die(K, 0.5)
        n = people_for_power(test, law)
        assert uniformity_power(test, law, n - 1) < 0.8 <= uniformity_power(test, law, n)
    assert people_for_power(UniformityTest(1.0, 16), tilted_die(16, 0.5), most=2000) is None


def test_exact_powers_are_fast():
    """Below 20 ms at K = 256 in an idle process; ten times as much, the best of five, is the alarm here."""
    for kind, n in zip(KINDS, (294_190, 88_799, 42_133)):
        test, law, best = UniformityTest(1.0, 256, **kind), tilted_die(256, 0.5), math.inf
        for _ in range(5):
            start = time.perf_counter()
            power = uniformity_power(test, law, n)
            best = min(best, time.perf_counter() - start)
        assert power == pytest.approx(0.8, abs=0.005) and best < 0.2


@pytest.mark.parametrize("K", [pytest.param(K, marks=CI) if K > 64 else K for K in TABLE])
def test_the_table_of_people_by_a_second_road(K):
    """The second road: powers from the chi-squared approximation in one round, and independent marginals in
    two; both are near, and printed."""
    law = tilted_die(K, 0.5)
    found = tuple(people_for_power(UniformityTest(1.0, K, **kind), law) for kind in KINDS)
    assert found == TABLE[K]
    t2 = math.tanh(0.5) ** 2
    fixed = found[0] * t2 * 0.25 / (K - 1)
    chi = stats.ncx2.sf(stats.chi2.isf(0.05, K - 1), K - 1, fixed)
    lam = found[1] * t2 * 0.25 / 6
    half = np.arange(K // 2 + 1)
    overlap = stats.hypergeom.pmf(half, K, K // 2, K // 2)
    squares = lam * (4 * half / K - 1) ** 2
    # Six groups: the characteristic function of a mixture of noncentral chi-squared laws with one degree.
    grid = np.linspace(0, 60, 60_001)
    density = sum(p * np.diff(stats.ncx2.cdf(grid, 1, max(s, 1e-12))) for p, s in zip(overlap, squares))
    total = np.fft.irfft(np.fft.rfft(density, 1 << 19) ** 6, 1 << 19)
    dice = 1 - total[:round(1000 * stats.chi2.isf(0.05, 6))].sum()
    joint = suspects_law(law, round(0.6 * found[2]), 1.0)
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    print(f"\nK = {K}: {found}, chi-squared {chi:.4f}, dice {dice:.4f}, joint against product "
          f"{np.abs(joint - independent).sum() / 2:.4f}")
    # At K = 6 seven questions are put where five would do.
    assert chi == pytest.approx(0.8, abs=0.01) or K == 6
    assert dice == pytest.approx(0.8, abs=0.02)


def test_named_questions_have_the_power_of_the_test_that_asks_them():
    law = tilted_die(16, 0.5)
    test = UniformityTest(1.0, 16, rounds=1)
    assert questions_power(uniformity.walsh_sets(16), law, 3001, 1.0) == uniformity_power(test, law, 3001)
    with pytest.raises(ValueError, match=r"int64 of shape \(1, 16\); it must be of bool, \(m, 16\)"):
        questions_power([[1] * 16], law, 100, 1.0)
    with pytest.raises(ValueError, match="each row with a True and a False"):
        questions_power([[True] * 16], law, 100, 1.0)


def test_one_named_question_is_a_two_sided_binomial_test():
    """The second road: the counts that are as far from what is expected as the least one that rejects."""
    law, n, level = tilted_die(8, 0.5), 301, 0.05
    question = np.arange(8) % 3 == 0
    fair_yes, yes = ((1 + math.tanh(0.5) * (2 * mass - 1)) / 2 for mass in (3 / 8, law[question].sum()))
    counts = np.arange(n + 1)
    score = uniformity.squared_deviations(n, fair_yes)
    under = stats.binom.pmf(counts, n, fair_yes)
    rejected = np.array([under[score >= each].sum() + 1e-10 <= level for each in score])
    assert questions_power([question], law, n, 1.0) == pytest.approx(
        stats.binom.pmf(counts, n, yes)[rejected].sum(), abs=1e-9)


@pytest.mark.parametrize("K, alpha", [(6, 1.0), (64, 1.0), (64, 3.0), (33, 0.5)])
def test_subset_selection_by_its_formulas(K, alpha):
    law = tilted_die(K, 0.5, heavy=K // 2)
    d, e = np.arange(1, K), math.exp(alpha)
    c = ((K - 1) * (d * e + K - d) ** 2 / (K * d * (K - d) * (e - 1) ** 2)).min()
    each = subset_noncentrality(law, alpha)
    assert each == pytest.approx(((law - 1 / K) ** 2).sum() / c, rel=1e-9)
    edge = stats.chi2.isf(0.05, K - 1)
    n = subset_people(law, alpha)
    assert stats.ncx2.sf(edge, K - 1, (n - 1) * each) < 0.8 < stats.ncx2.sf(edge, K - 1, (n + 1) * each)
    with pytest.raises(ValueError, match="fair die"):
        subset_people(fair(K), alpha)


def test_subset_selection_has_about_the_power_that_is_said():
    """400 simulated surveys of 16 faces: within 5 standard errors, 0.1, of 0.8; a false alarm has 1e-6."""
    K, alpha, rng = 16, 1.0, np.random.default_rng(3)
    law = tilted_die(K, 0.5)
    n = subset_people(law, alpha)
    mechanism = SubsetSelection(alpha, 1 / K)
    found = 0
    for _ in range(400):
        at = uniformity.places(rng.choice(K, n, p=law), K)
        seen = mechanism.score(mechanism.aggregate(mechanism.privatize(at, rng=rng)))
        unit = mechanism.variance(1 / K) * K / (K - 1)
        found += n * ((seen - 1 / K) ** 2).sum() / unit > stats.chi2.isf(0.05, K - 1)
    assert abs(found / 400 - 0.8) < 0.1


# The survey of two rounds.

def survey_of(faces, alpha, K, first, seed):
    survey, rng, at = TwoRoundSurvey(alpha, K), np.random.default_rng(seed), (faces + 0.5) / K
    survey.first(range(first), survey.signs.privatize(at[:first], rng=rng))
    question = survey.question()
    if question:
        survey.second(range(first, len(faces)), question.privatize(at[first:], rng=rng))
    return survey.p_value()


def test_the_survey_has_the_level_and_the_power_of_the_test():
    """5.5 standard errors of 500 repeats, two comparisons: false alarm 8e-8 by the normal law."""
    K, n = 8, 700
    test = UniformityTest(1.0, K)
    for law in (tilted_die(K, 0.9), fair(K)):
        chance, rng = uniformity_power(test, law, n), np.random.default_rng(3)
        found = sum(survey_of(rng.choice(K, size=n, p=law), 1.0, K, test.first_people(n), seed) <= 0.05
                    for seed in range(500))
        assert abs(found / 500 - chance) < 5.5 * math.sqrt(chance * (1 - chance) / 500)


def test_the_published_question_tells_no_more_than_the_report():
    """Post-processing, exactly: all reports of two people, of whom one changes face; alpha is nearly told
    by the reports, and less by the set."""
    alpha, K = 1.3, 3
    signs = CellSigns(alpha, 1 / K)
    reports = np.array(list(itertools.product((-1, 1), repeat=K)))
    truth = 1 / (1 + math.exp(-alpha))
    law = [np.where(reports[:, face] == 1, truth, 1 - truth) / 2 ** (K - 1) for face in range(K)]
    published = {}
    for first, second in itertools.product(range(len(reports)), repeat=2):
        suspects = tuple(uniformity.faces_above(signs, signs.aggregate(reports[[first, second]])))
        for mine, other in itertools.product(range(K), repeat=2):
            chance = published.setdefault(suspects, np.zeros((K, K)))
            chance[mine, other] += law[mine][first] * law[other][second]
    assert len(published) > 4 and sum(published.values()) == pytest.approx(np.ones((K, K)))
    losses = [np.log(chance.max(axis=0) / chance.min(axis=0)).max() for chance in published.values()]
    assert 0.2 < max(losses) < alpha


def test_people_are_asked_once_and_rounds_end():
    survey, rng = TwoRoundSurvey(8.0, 4), np.random.default_rng(1)
    with pytest.raises(RuntimeError, match="nobody has answered"):
        survey.question()
    with pytest.raises(RuntimeError, match="both rounds"):
        survey.p_value()
    at = (rng.choice(4, size=60, p=[0.7, 0.1, 0.1, 0.1]) + 0.5) / 4
    survey.first(range(20), survey.signs.privatize(at[:20], rng=rng))
    with pytest.raises(AskedAgainError, match="1 of 2 people have answered before"):
        survey.first([20, 19], survey.signs.privatize(at[:2], rng=rng))
    with pytest.raises(AskedAgainError, match="1 of 2 people"):
        survey.first(["a", "a"], survey.signs.privatize(at[:2], rng=rng))
    with pytest.raises(ValueError, match="1 or -1"):
        survey.first([50], [[0, 1, 1, 1]])
    with pytest.raises(ValueError, match="rows"):
        survey.first([50, 51], [[1, 1, 1, 1]])
    survey.first(range(20, 40), survey.signs.privatize(at[20:40], rng=rng))
    assert survey.people == (40, 0)
    question = survey.question()
    assert isinstance(question, SetQuestion) and survey.question() is question
    with pytest.raises(RuntimeError, match="round 1 are taken in that round only, .* in round 2"):
        survey.first([70], survey.signs.privatize(at[:1], rng=rng))
    with pytest.raises(AskedAgainError, match="would judge it"):
        survey.second([41, 3], question.privatize(at[:2], rng=rng))
    with pytest.raises(RuntimeError, match="both rounds"):
        survey.p_value()
    survey.second(range(40, 60), question.privatize(at[40:], rng=rng))
    assert survey.people == (40, 20) and 0 < survey.p_value() <= 1 and survey.p_value() == survey.p_value()
    with pytest.raises(RuntimeError, match="is over"):
        survey.second([99], question.privatize(at[:1], rng=rng))


def test_without_a_suspect_nobody_is_asked():
    survey = TwoRoundSurvey(1.0, 3)
    survey.first([0], [[-1, -1, -1]])
    assert survey.question() is None and survey.p_value() == 1.0
    with pytest.raises(RuntimeError, match="over|no question"):
        survey.second([1], [[1]])


def test_the_same_reports_judge_themselves_wrongly():
    """The saboteur: faces that are chosen and judged by the same reports look heavy in a fair die, always:
    at a nominal level of 5% all of 20 fair dice are found guilty."""
    K, n = 64, 5000
    signs = CellSigns(1.0, 1 / K)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sums = signs.simulate_aggregate((rng.integers(0, K, n) + 0.5) / K, rng=rng)
        suspects = uniformity.faces_above(signs, sums)
        gain = signs.score(sums)[suspects].sum() - len(suspects) / K
        assert gain > 2 * math.sqrt(len(suspects) * signs.variance(1 / K) / n)


# The estimator.

def test_fitted_tests_hold_no_generator_and_no_record():
    x = np.random.default_rng(1).integers(0, 16, 2000)
    for kind in KINDS:
        test = UniformityTest(1.0, 16, **kind, rng=1).fit(x)
        assert test.rng is None and test.total_loss_ == 1.0 and 0 < test.p_value_ <= 1
        learnt = {"p_value_", "questions_", "total_loss_", "_askings"}
        assert set(vars(test)) - set(test.get_params()) == learnt
        assert pickle.loads(pickle.dumps(test)).p_value_ == test.p_value_
        again = UniformityTest(1.0, 16, **kind, rng=1).fit(x)
        assert again.p_value_ == test.p_value_
        assert [q.cells for q in again.questions_] == [q.cells for q in test.questions_]


def test_people_who_exist_are_asked_once():
    x = np.arange(40) % 4
    test = UniformityTest(1.0, 4).fit(x)
    with pytest.raises(AskedAgainError):
        test.fit(x)
    with pytest.raises(AskedAgainError):
        copy.copy(test).fit(x)
    assert UniformityTest(1.0, 4, times=2).fit(x).fit(x).total_loss_ == 2.0


def test_the_order_of_people_does_not_matter():
    """Sorted faces would fill the first round with low ones. False alarm 6e-7 by the normal law."""
    K, n = 4, 300
    chance = uniformity_power(UniformityTest(1.0, K), fair(K), n)
    x = np.random.default_rng(2)
    found = sum(UniformityTest(1.0, K, rng=seed).fit(np.sort(x.integers(0, K, n))).p_value_ <= 0.05
                for seed in range(1000))
    assert abs(found / 1000 - chance) < 5 * math.sqrt(chance * (1 - chance) / 1000)


def test_a_certain_die_is_found_at_once():
    for kind in KINDS:
        for n in (200, 5000):
            assert UniformityTest(4.0, 8, **kind, rng=1).fit(np.zeros(n)).p_value_ < 1e-3
        for alpha in (4.0, 400.0):
            assert uniformity_power(UniformityTest(alpha, 8, **kind), [1] + [0] * 7, 500) > 0.95


@pytest.mark.parametrize("given, x, words", [
    (dict(K=1), [0, 1], "K = 1"), (dict(rounds=3), [0, 1], "rounds = 3"),
    (dict(coins="fair"), [0, 1], "coins"),
    (dict(coins="public"), [0, 1], "two rounds need no public dice"), (dict(share=1.0), [0, 1], "share"),
    (dict(alpha=0.0), [0, 1], "alpha"), (dict(), [0, 64], "row 1"), (dict(), [0.5, 1], "row 0"),
    (dict(), [[0], [1]], r"x has shape \(2, 1\)"), (dict(), [3], "each round asks"), (dict(), [], "n >= 2"),
    (dict(K=10**5, rounds=1), [0], "questions about K = 100000")], ids=str)
def test_bad_tests_are_refused(given, x, words):
    with pytest.raises((ValueError, MemoryError), match=words):
        UniformityTest(**given).fit(x)


def test_laws_with_three_heights_are_for_one_round():
    law = [0.5, 0.3, 0.1, 0.1]
    assert 0 < uniformity_power(UniformityTest(1.0, 4, rounds=1), law, 50) < 1
    for kind in KINDS[1:]:
        with pytest.raises(ValueError, match="3 different masses"):
            uniformity_power(UniformityTest(1.0, 4, **kind), law, 50)

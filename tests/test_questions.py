"""Signs without labels: privacy and law by enumeration, reports and simulated sums against the law."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ldp_lib.privacy import CellSigns, HadamardBit, SetQuestion
from ldp_lib.privacy.audit import epsilon_lower_bound, trade_off, worst_pair


def laws(mechanism, K):
    """Every possible report, and its probability for a person in each of K cells, by the definition."""
    reports = np.array(list(itertools.product((-1, 1), repeat=mechanism.K)))
    truth = 1 / (1 + math.exp(-mechanism.alpha))
    chances = []
    for cell in range(K):
        if isinstance(mechanism, SetQuestion):
            own = reports[:, 0] == (1 if cell in mechanism.cells else -1)
            chances.append(np.where(own, truth, 1 - truth))
        else:
            chances.append(np.where(reports[:, cell] == 1, truth, 1 - truth) / 2 ** (K - 1))
    return reports, np.array(chances)


MECHANISMS = pytest.mark.parametrize("mechanism", [
    CellSigns(1.7, 1 / 3), CellSigns(0.2, 1 / 2), SetQuestion(1.7, 1 / 3, cells=[0, 2]),
    SetQuestion(0.4, 1 / 4, cells=[1])], ids=repr)


@MECHANISMS
def test_privacy_and_law_by_enumeration(mechanism):
    K = mechanism.shape[0]
    reports, chances = laws(mechanism, K)
    assert chances.sum(axis=1) == pytest.approx(1)
    at = (np.arange(K) + 0.5) / K
    for x, y in itertools.product(range(K), repeat=2):
        ratio = np.log(chances[x] / chances[y])
        assert mechanism.privacy_loss(at[x], at[y]) == pytest.approx(np.abs(ratio).max(), abs=1e-12)
        surely = chances[x][ratio > mechanism.alpha / 2].sum()
        assert mechanism.disclosure(at[[x, y]]) == pytest.approx(surely)
        power = trade_off(mechanism, at[x], at[y]).power
        assert power.max() == pytest.approx(1)
    # Scores are unbiased, with the variance that is stated.
    p = np.arange(1, K + 1) / (K * (K + 1) / 2)
    mixed = p @ chances
    sums = [mechanism.score(mechanism.aggregate(report[None])) for report in reports]
    mean = mixed @ np.array(sums)
    variance = mixed @ np.square(sums) - mean**2
    held = p[list(mechanism.cells)].sum() if isinstance(mechanism, SetQuestion) else p
    assert mean == pytest.approx(held)
    assert variance == pytest.approx(np.array([mechanism.variance(each) for each in np.atleast_1d(held)]))
    assert mechanism.law(held) == pytest.approx(mixed @ (reports == 1) if np.ndim(held) else mixed[1])


@MECHANISMS
def test_reports_and_simulated_sums_follow_the_law(mechanism):
    """Chi-squared at 1e-6 each."""
    K, n = mechanism.shape[0], 40_000
    reports, chances = laws(mechanism, K)
    sent = mechanism.privatize(np.full(n, 0.5 / K), rng=1)
    counts = np.bincount(((sent + 1) // 2) @ (1 << np.arange(mechanism.K)[::-1]), minlength=len(reports))
    distance = ((counts - n * chances[0]) ** 2 / (n * chances[0])).sum()
    assert distance < stats.chi2.isf(1e-6, len(reports) - 1)
    # Of two people the sums of their signs, (-2, 0, 2)^K, cell by cell.
    x, rng = (np.array([0, K - 1]) + 0.5) / K, np.random.default_rng(2)
    made = np.array([mechanism.simulate_aggregate(x, rng=rng).totals for _ in range(8000)])
    one, other = ((chance[:, None] * (reports == 1)).sum(axis=0) for chance in (chances[0], chances[-1]))
    expected = np.array([(1 - one) * (1 - other), one * (1 - other) + other * (1 - one), one * other])
    found = np.array([(made == value).sum(axis=0) for value in (-2, 0, 2)])
    distance = ((found - 8000 * expected) ** 2 / (8000 * expected)).sum(axis=0)
    assert (distance < stats.chi2.isf(1e-6, 2)).all()


def test_two_cells_and_one_question_are_randomised_response():
    """And the sign vector is as good as the bit of a Hadamard row, of which it costs K."""
    question = SetQuestion(1.0, 0.5, cells=[1])
    assert question.encode([0.1, 0.9]).tolist() == [[-1.0], [1.0]]
    assert question.count([0.1, 0.9, 0.8]).totals.tolist() == [1.0]
    assert CellSigns(1.0, 1 / 64).variance(0.0) == pytest.approx((2 * HadamardBit(1.0, 1 / 64).scale) ** 2)
    assert (CellSigns(1.0, 1 / 64).bits, question.bits) == (64, 1)
    assert worst_pair(question).loss == worst_pair(CellSigns(1.0, 1 / 3)).loss == 1.0


def test_questions_are_not_mixed_up():
    one, other = SetQuestion(1.0, 0.25, cells=[3, 0]), SetQuestion(1.0, 0.25, cells=[0, 2])
    assert repr(one) == "SetQuestion(alpha=1.0, h=0.25, d=1, cells=(0, 3))"
    with pytest.raises(ValueError, match="it must come from SetQuestion"):
        other.score(one.aggregate(one.privatize([0.1], rng=1)))


@pytest.mark.parametrize("cells", [[], [0, 1, 2, 3], [0, 0, 1, 2, 3, 3]])
def test_a_question_without_two_answers_is_refused(cells):
    with pytest.raises(ValueError, match="different cells"):
        SetQuestion(1.0, 0.25, cells=cells)
    with pytest.raises(ValueError, match="cells"):
        SetQuestion(1.0, 0.25, cells=[4])


def test_audits_reach_the_budget_and_not_more():
    """False alarm 1e-6 each: the confidence of the bound."""
    for mechanism in (CellSigns(1.0, 1 / 4), SetQuestion(1.0, 1 / 4, cells=[0, 1])):
        bound = epsilon_lower_bound(mechanism, 0.1, 0.9, n=40_000, confidence=1 - 1e-6, rng=1)
        assert 0.85 < bound.epsilon < 1.0

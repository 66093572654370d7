"""Counts without labels: privacy and law by enumeration, and the least known variance."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ldp_lib.privacy import HadamardBit, SubsetSelection


@pytest.mark.parametrize("K, w", [(2, 1), (3, 2), (5, 1), (5, 2), (5, 4)])
def test_privacy_and_law_by_enumeration(K, w):
    alpha, mechanism = 1.7, SubsetSelection(1.7, 1 / K, size=w)
    subsets = list(itertools.combinations(range(K), w))
    weights = [np.array([math.exp(alpha) if cell in subset else 1.0 for subset in subsets])
               for cell in range(K)]
    # Everybody has the same normalising constant: the ratio is 1 or e^(+-alpha).
    assert np.allclose([weight.sum() for weight in weights], weights[0].sum())
    chances = weights[0] / weights[0].sum()
    sent = [sum(chances[k] for k, subset in enumerate(subsets) if cell in subset) for cell in (0, 1)]
    assert [float(mechanism.law(p)) for p in (1, 0)] == pytest.approx(sent)
    assert mechanism.scale == pytest.approx(1 / (sent[0] - sent[1]))
    # The coin says "the truth", or the truth comes by chance.
    told = mechanism._coin.probability
    assert told + (1 - told) * w / K == pytest.approx(sent[0], rel=1e-14)
    disclosed = sum(chances[k] for k, subset in enumerate(subsets) if 0 in subset and 1 not in subset)
    assert mechanism.disclosure([[0.1 / K], [1.1 / K]]) == pytest.approx(disclosed)
    # Reports have these probabilities: chi-squared, false alarm 1e-6.
    reports = mechanism.send(np.full(40_000, 0.5 / K), rng=1)
    index = {subset: k for k, subset in enumerate(subsets)}
    counts = np.bincount([index[tuple(row)] for row in reports.tolist()], minlength=len(subsets))
    distance = ((counts - 40_000 * chances) ** 2 / (40_000 * chances)).sum()
    assert distance < stats.chi2.isf(1e-6, len(subsets) - 1)


@pytest.mark.parametrize("alpha, unary", [(1.0, 3.68), (2.0, 0.72)])
def test_no_oracle_is_known_that_counts_better(alpha, unary):
    """n times the variance in a rare cell: optimised unary encoding has 4 e^alpha / (e^alpha - 1)^2."""
    limit = 4 * math.exp(alpha) / math.expm1(alpha) ** 2
    assert limit == pytest.approx(unary, abs=0.005)
    found = {K: SubsetSelection(alpha, 1 / K).variance(0.0) for K in (2, 4, 16, 64, 1024)}
    bit = (2 * HadamardBit(alpha, 1 / 64).scale) ** 2
    print(f"\nalpha = {alpha}: {found}, unary {limit:.3f}, one bit {bit:.3f}")
    assert all(variance <= limit * (1 + 1e-12) for variance in found.values())
    assert found[1024] > 0.99 * limit and bit > 1.25 * limit
    for K in (3, 16, 60):
        sizes = [SubsetSelection(alpha, 1 / K, size=w).variance(1 / K) for w in range(1, K)]
        assert SubsetSelection(alpha, 1 / K).variance(1 / K) <= min(sizes) * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", [SubsetSelection(1.0, 0.25), SubsetSelection(3.0, 0.5, d=2, size=3)],
                         ids=str)
def test_scores_are_unbiased_with_their_exact_variance(mechanism):
    rng, n, repeats = np.random.default_rng(1), 500, 2000
    X = rng.random((n * repeats, mechanism.d)) ** 2
    truth = mechanism.count(X).totals / len(X)
    reports = mechanism.privatize(X, rng=2)
    assert (reports.sum(axis=1) == mechanism.size).all() and reports.dtype == np.int8
    groups = reports.reshape(repeats, n, -1).sum(axis=1)
    scores = (groups / n - mechanism.law(0.0)) * mechanism.scale
    # Six standard errors, 16 comparisons: false alarm below 1e-7.
    variance = np.array([mechanism.variance(p) for p in truth]) / n
    assert (np.abs(scores.mean(axis=0) - truth) < 6 * np.sqrt(variance / repeats)).all()
    assert (np.abs(scores.var(axis=0) / variance - 1) < 6 * math.sqrt(2 / repeats)).all()
    assert np.allclose(mechanism.score(mechanism.aggregate(reports)), scores.mean(axis=0))


def test_compact_reports_are_the_dense_ones():
    mechanism, X = SubsetSelection(1.0, 0.1), np.random.default_rng(1).random(700)
    cells = mechanism.send(X, rng=3)
    assert cells.shape == (700, mechanism.size) and cells.dtype == np.int32
    totals = mechanism.collect(cells).totals
    assert totals.tobytes() == mechanism.aggregate(mechanism.privatize(X, rng=3)).totals.tobytes()
    assert totals.tobytes() == mechanism.simulate_aggregate(X[:, None], rng=3).totals.tobytes()
    assert mechanism.bits == math.ceil(math.log2(math.comb(10, mechanism.size)))
    assert mechanism.privacy_loss(0.11, 0.19) == 0 and mechanism.privacy_loss(0.11, 0.21) == 1.0


@pytest.mark.parametrize("cells, words", [
    ([[0, 0]], "ascending"), ([[1, 0]], "ascending"), ([[0, 9]], "entry in row 0"), ([[0]], r"\(n, 2\)"),
    (np.zeros((0, 2)), "n >= 1")])
def test_what_nobody_sent_is_refused(cells, words):
    with pytest.raises(ValueError, match=words):
        SubsetSelection(1.0, 0.2, size=2).collect(cells)


def test_one_cell_has_nothing_to_tell():
    with pytest.raises(ValueError, match="one cell"):
        SubsetSelection(1.0, 1.0)
    with pytest.raises(ValueError, match="size = 5"):
        SubsetSelection(1.0, 0.2, size=5)

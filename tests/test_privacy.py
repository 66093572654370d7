"""The mechanism keeps its promise, and its aggregates have the right law."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ldp_lib.privacy import CubeLaplace, LatticeLaplace, RealLaplace

people = st.integers(1, 2).flatmap(lambda d: st.tuples(
    *[st.tuples(st.lists(st.floats(-0.5, 1.5), min_size=d, max_size=d), st.integers(0, 1))
      for _ in range(2)]))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(people, st.floats(0.05, 3.0), st.floats(0.01, 50.0))
def test_privacy_loss_never_exceeds_alpha(records, h, alpha):
    (x, y), (x2, y2) = records
    mechanism = CubeLaplace(alpha, h, len(x))
    loss = mechanism.privacy_loss(x, y, x2, y2)
    assert 0 <= loss <= alpha * (1 + 1e-12)


def test_privacy_loss_is_tight_exactly_for_full_disjoint_supports():
    mechanism = CubeLaplace(alpha=0.7, h=0.2, d=1)
    assert mechanism.privacy_loss(0.13, 1, 0.77, 1) == pytest.approx(0.7)
    assert mechanism.privacy_loss(0.13, 1, 0.33, 1) < 0.7       # neighbouring supports overlap
    assert mechanism.privacy_loss(0.0, 1, 0.77, 1) < 0.7        # a multiple of h lies in one cube only
    assert mechanism.privacy_loss(0.13, 1, 0.13, 0) == pytest.approx(0.35)  # flipping y costs alpha / 2


def test_privacy_loss_is_the_supremum_of_the_likelihood_ratio():
    """Brute force on the lattice: the ratio of report probabilities is attained beyond both signals."""
    mechanism = CubeLaplace(alpha=1.3, h=0.3, d=1)
    a, b = mechanism.encode([[0.1], [0.8]], [1, 1], half=2)
    k = np.arange(-2048, 2049) * mechanism.granularity
    ratio = (np.abs(k[:, None] - b) - np.abs(k[:, None] - a)) / mechanism.scale
    assert ratio.max(axis=0).sum() == pytest.approx(mechanism.privacy_loss(0.1, 1, 0.8, 1), rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_at_most_two_cubes_an_axis_hold_a_point(d):
    mechanism = CubeLaplace(1.0, 0.1, d)
    tenths = np.random.default_rng(3).integers(0, 100_001, (500, d))
    tenths[:100] = np.round(tenths[:100], -4)
    X = tenths / 100_000
    signals = mechanism.encode(X, np.ones(500, int), half=1)
    assert set(np.unique(signals)) == {0.0, 1.0}
    assert signals.sum(axis=1).max() == 2**d and signals.sum(axis=1).min() >= 1
    # In whole numbers, so that 3/10 is the line 3 and nothing else.
    grid = np.stack(np.unravel_index(np.arange(mechanism.K), mechanism.shape), axis=1) * 10_000
    inside = (np.abs(tenths[:, None, :] - grid) < 10_000).all(axis=2)
    assert (signals == inside).all()


def test_people_outside_the_domain_report_like_everybody():
    mechanism = CubeLaplace(1.0, 0.25, 2)
    X = np.array([[5.0, 0.3], [-1e300, 1e300], [0.5, 0.5], [0.1, 0.2]])
    reports = mechanism.privatize(X, [1, 1, 1, 1], rng=0)
    assert reports.shape == (4, mechanism.K) and np.isfinite(reports).all()
    assert (mechanism.encode(X, [1, 1, 1, 1])[:2] == 0).all()


def test_first_half_never_shows_a_label():
    mechanism = CubeLaplace(1.0, 0.2)
    X = np.random.default_rng(0).random((10, 1))
    zeros, ones = (mechanism.encode(X, np.full(10, label)) for label in (0, 1))
    assert (zeros[:5] == ones[:5]).all() and (zeros[5:] == 0).all() and ones[5:].any()


def test_lattice_reports_lie_on_the_lattice():
    mechanism = CubeLaplace(0.3, 0.2, 2)
    reports = mechanism.privatize(np.random.default_rng(0).random((50, 2)), np.ones(50, int), rng=1)
    assert (reports / mechanism.granularity == np.round(reports / mechanism.granularity)).all()


def test_blocks_sum_to_the_same_aggregate():
    mechanism = CubeLaplace(1.0, 0.001)
    X = np.random.default_rng(0).random((20001, 1))
    y = (X[:, 0] > 0.5).astype(int)
    whole_matrix = mechanism.aggregate(mechanism.privatize(X, y, rng=5))
    stream = mechanism.aggregate(mechanism.privatize_blocks(X, y, rng=5), people=20001)
    assert stream.people == whole_matrix.people == (10000, 10000)
    # Both sums have the same law; the blocks draw their noise in another order.
    exact = mechanism.count(X, y).totals
    sd = np.sqrt(2 * 10000) * mechanism.scale
    for totals in (stream.totals, whole_matrix.totals):
        assert np.abs(totals - exact).max() < 7 * sd  # 4004 normal-like sums: false alarm about 1e-8


def test_aggregate_counts_without_noise():
    mechanism = CubeLaplace(1.0, 0.3, 2)
    X = np.random.default_rng(1).random((101, 2)) * 1.2 - 0.1
    y = np.random.default_rng(2).integers(0, 2, 101)
    expected = mechanism.aggregate(mechanism.encode(X, y))
    assert (mechanism.count(X, y).totals == expected.totals).all()


@pytest.mark.parametrize("noise", ["lattice", "real"])
@pytest.mark.parametrize("n", [2, 7, 400])
def test_simulated_aggregate_has_the_law_of_the_aggregated_reports(noise, n):
    """Two-sample Kolmogorov-Smirnov at level 1e-6 a case: 6 cases, seeded."""
    mechanism = CubeLaplace(1.0, 0.5, noise=noise)
    X, y = np.full((n, 1), 0.3), np.ones(n, int)
    rng = np.random.default_rng(11)
    honest = [mechanism.aggregate(mechanism.privatize(X, y, rng=rng)).totals.ravel() for _ in range(1500)]
    quick = [mechanism.simulate_aggregate(X, y, rng=rng).totals.ravel() for _ in range(1500)]
    for column in range(6):
        p_value = stats.ks_2samp(np.array(honest)[:, column], np.array(quick)[:, column]).pvalue
        assert p_value > 1e-6 / 6


@pytest.mark.parametrize("noise", ["lattice", "real"])
def test_entries_of_simulated_aggregates_are_uncorrelated(noise):
    """All pairs of 2 x 3 sums over 4000 draws: |r| sqrt(4000) > 6.2 has probability 1e-8 for 15 pairs."""
    mechanism = CubeLaplace(1.0, 0.5, noise=noise)
    rng = np.random.default_rng(2)
    X, y = np.full((50, 1), 0.3), np.ones(50, int)
    draws = np.array([mechanism.simulate_aggregate(X, y, rng=rng).totals.ravel() for _ in range(4000)])
    correlation = np.corrcoef(draws.T) - np.eye(6)
    assert np.abs(correlation).max() * np.sqrt(4000) < 6.2


def test_real_noise_sums_have_the_variance_of_the_sum():
    draws = RealLaplace(3.0).sample_sum(10, 100_000, np.random.default_rng(0))
    assert draws.var() == pytest.approx(10 * 2 * 9, rel=0.05)  # relative sd 0.5%: false alarm far below 1e-6


def test_mean_score_is_the_integral_of_eta_minus_one_half():
    from ldp_lib.nature import problem

    sine, mechanism = problem("sine"), CubeLaplace(1.0, 0.2)
    X, y = sine.sample(400_000, rng=2)
    people, totals, _ = mechanism.count(X, y)
    (lower, upper), _ = mechanism.boxes()
    p, q = sine.cell_masses(lower, upper)
    score = totals[1] / people[1] - totals[0] / (2 * people[0])
    assert np.abs(score - (q - p / 2)).max() < 6 * np.sqrt(0.5 / 200_000)  # false alarm below 1e-8


@pytest.mark.parametrize("bad, names", [
    (dict(alpha=0.0), "alpha"), (dict(alpha=-1.0), "alpha"), (dict(alpha=np.nan), "alpha"),
    (dict(alpha="1"), "alpha"),
    (dict(h=0.0), "h "), (dict(h=np.inf), "h "), (dict(d=0), "d "), (dict(d=1.5), "d "),
    (dict(noise="gauss"), "noise"),
])
def test_bad_parameters_are_named(bad, names):
    with pytest.raises((ValueError, TypeError), match=names):
        CubeLaplace(**(dict(alpha=1.0, h=0.2) | bad))


@pytest.mark.parametrize("X, y, names", [
    ([[np.nan]], [1], "X has a NaN"), ([0.1, 0.2], [1, 0], "reshape"), ([[0.1, 0.2]], [1], "X has shape"),
    ([[0.1]], [2], "labels must be 0 or 1"), ([[0.1]], [1, 0], "y has shape"),
    (np.empty((0, 1)), [], "no rows"),
    ([["a"]], [1], "numbers"), ([[0.1]], ["1"], "labels"),
])
def test_bad_people_are_named(X, y, names):
    with pytest.raises((ValueError, TypeError), match=names):
        CubeLaplace(1.0, 0.2).privatize(X, y, rng=0)


def test_what_does_not_fit_says_how_many_gib():
    with pytest.raises(MemoryError, match=r"GiB.*Increase h"):
        CubeLaplace(1.0, 1e-6, 3)
    with pytest.raises(MemoryError, match=r"GiB.*stream"):
        CubeLaplace(1.0, 1e-6).privatize(np.full((10**4, 1), 0.5), np.ones(10**4, int), rng=0)


def test_absurd_budgets_are_refused_before_floats_betray_them():
    with pytest.raises(ValueError, match="Raise alpha"):
        CubeLaplace(1e-15, 0.2)
    with pytest.raises(ValueError, match="raise alpha"):
        LatticeLaplace(2.0**45).sample_sum(10**9, 3, np.random.default_rng(0))
    with pytest.raises(MemoryError, match="Increase h"):
        CubeLaplace(1.0, 1e-320)
    with pytest.raises(ValueError, match="alpha"):
        CubeLaplace(10**400, 0.2)


def test_far_away_people_and_foreign_aggregates():
    mechanism = CubeLaplace(1.0, 0.25)
    assert (mechanism.encode([[1e308], [-1e308]], [1, 1]) == 0).all()
    with pytest.raises(ValueError, match="people = 2"):
        mechanism.aggregate(np.ones((4, 5)), people=2)


def test_inputs_are_left_alone():
    X = np.asfortranarray(np.random.default_rng(0).random((20, 2)))
    y = np.ones(20)
    X.setflags(write=False), y.setflags(write=False)
    CubeLaplace(1.0, 0.3, 2).simulate_aggregate(X, y, rng=0)
    CubeLaplace(1.0, 0.3, 2).privatize(X, y, rng=0)


def test_rng_is_the_only_source_of_randomness():
    X, y = np.random.default_rng(0).random((30, 1)), np.ones(30, int)
    for method, noise in itertools.product(("privatize", "simulate_aggregate"), ("lattice", "real")):
        first, again, other = (getattr(CubeLaplace(1.0, 0.2, 1, noise), method)(X, y, rng=seed)
                               for seed in (1, 1, 2))
        if method == "simulate_aggregate":
            first, again, other = first.totals, again.totals, other.totals
        assert (first == again).all() and (first != other).any()
    with pytest.raises(TypeError, match="rng"):
        CubeLaplace(1.0, 0.2).privatize(X, y, rng="seed")

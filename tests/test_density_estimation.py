"""The density estimators invert the mechanism, select as they say, and keep scikit-learn's conventions."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from ldp_lib.estimation import (
    LinearWaveletDensity, StableHistogramDensity, ThresholdWaveletDensity, theorem_g,
)
from ldp_lib.nature import density
from ldp_lib.wavelets import wavelet_basis

KINDS = [LinearWaveletDensity(alpha=2.0, level=3, rng=1), ThresholdWaveletDensity(alpha=2.0, levels=4, rng=1)]


@pytest.fixture(scope="module")
def people():
    return density("kink").sample(20_000, rng=0)


@pytest.mark.parametrize("estimator", KINDS)
def test_conventions(estimator, people):
    fresh = clone(estimator).set_params(rng=1)
    assert fresh.get_params() == estimator.get_params() and "rng=1" in repr(fresh)
    assert fresh.fit(people) is fresh
    with pytest.raises(NotFittedError):
        clone(estimator).pdf([0.5])
    same = clone(estimator).set_params(rng=1).fit(people[:, None])
    assert (same.coefficients_ == fresh.coefficients_).all()
    assert fresh.pdf(np.zeros((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("estimator", KINDS)
def test_sums_are_all_that_is_needed(estimator, people):
    fitted = clone(estimator).set_params(rng=1).fit(people)
    again = clone(estimator).fit_aggregate(fitted.aggregate_)
    assert (again.coefficients_ == fitted.coefficients_).all()
    with pytest.raises(ValueError, match="comes from .* it must come from"):
        LinearWaveletDensity(level=2).fit_aggregate(fitted.aggregate_)


@pytest.mark.parametrize("wavelet", ["haar", "db2", "db7", "sym5", "coif1"])
@pytest.mark.parametrize("scales", ["common", "scaling_only"])
def test_pdf_is_the_sum_of_the_coefficients(wavelet, scales):
    """At scattered points, 0 beyond the domain, and on the grid."""
    estimate = LinearWaveletDensity(3.0, wavelet, 3, scales=scales, rng=1).fit(np.linspace(0, 1, 50))
    x = np.random.default_rng(2).random(200) * 6 - 3
    basis, direct = estimate.mechanism_.basis, 0.0
    for band in estimate.mechanism_.bands:
        function = basis.father if band.kind == "phi" else basis.wavelet
        direct = direct + function(x[:, None], band.j,
                                   np.array(band.translates)) @ estimate.coefficients_[band.columns]
    assert estimate.pdf(x) == pytest.approx(np.where((x >= 0) & (x <= 1), direct, 0.0), abs=1e-7)
    grid, values = estimate.grid_pdf()
    assert values == pytest.approx(estimate.pdf(grid), abs=1e-7) and grid.size == 2**9


@pytest.mark.parametrize("estimator", KINDS)
@pytest.mark.parametrize("project", [False, True])
def test_units_are_those_of_the_domain(estimator, people, project):
    """Raw ages give the curve of rescaled ones, per year."""
    unit = clone(estimator).set_params(project=project, rng=1).fit(people)
    ages = clone(estimator).set_params(project=project, rng=1, domain=(18, 90)).fit(18 + 72 * people)
    x = np.linspace(0.001, 0.999, 97)
    assert ages.pdf(18 + 72 * x) == pytest.approx(unit.pdf(x) / 72, abs=1e-4)
    assert ages.pdf([0.5, 17.9, 90.1]).tolist() == [0.0] * 3
    places, values = ages.grid_pdf()
    assert values == pytest.approx(unit.grid_pdf()[1] / 72, abs=1e-4)
    assert places == pytest.approx(18 + 72 * unit.grid_pdf()[0]) and values == pytest.approx(ages.pdf(places))
    if project:
        assert values.sum() * (places[1] - places[0]) == pytest.approx(1, abs=1e-12)


def test_without_privacy_coefficients_are_means(people):
    estimate = LinearWaveletDensity(None, "db3", 3).fit(people)
    basis = wavelet_basis("db3")
    band = estimate.mechanism_.bands[2]
    means = [basis.wavelet(people, band.j, k).mean() for k in band.translates]
    assert estimate.coefficients_[band.columns] == pytest.approx(means, abs=1e-9)


def test_linear_estimate_is_unbiased_for_the_projection():
    """200 fits: 26 coefficients within 6.5 standard errors, 26 * 8e-11 = 2e-9."""
    f, estimator = density("kink"), LinearWaveletDensity(5.0, "db2", 4)
    mechanism, x = estimator.mechanism(2000), f.sample(2000 * 200, rng=4).reshape(200, -1)
    rng = np.random.default_rng(5)
    raw = np.array([mechanism.simulate_aggregate(row, rng=rng).totals for row in x]) / 2000
    truth = np.concatenate([f.coefficients(mechanism.basis, band.j, band.kind) for band in mechanism.bands])
    assert (np.abs(raw.mean(axis=0) - truth) < 6.5 * raw.std(axis=0) / np.sqrt(200)).all()


def test_thresholds_follow_the_formula():
    estimator = ThresholdWaveletDensity(1.0, "db2", 5, first_level=2, sup_bound=3.0, g=1.5, noise="real")
    n, mechanism = 10_000, estimator.mechanism(10_000)
    thresholds = estimator.thresholds(mechanism, n)
    assert (thresholds[:3] == 0).all()          # phi and the details of levels 0 and 1
    for band, sigma, threshold in list(zip(mechanism.bands, mechanism.scales_by_level, thresholds,
                                           strict=True))[3:]:
        step = 1.5 * band.j * np.log(2) / n
        reach = max(2 / 3 * mechanism.basis.psi_max * 2 ** (band.j / 2), sigma)
        assert threshold == pytest.approx(2 * (np.sqrt(2 * (3 + 2 * sigma**2) * step) + reach * step))


def test_concentration_bound_holds():
    """Without signal and g = 1 at most 2 * 2^-j of the coefficients exceed lambda_j; far fewer do, seeded."""
    estimator = ThresholdWaveletDensity(1.0, "db2", 6, first_level=0, factor=1.0, scales="common")
    mechanism, rng = estimator.mechanism(50), np.random.default_rng(3)
    noise = np.array([mechanism.simulate_aggregate([0.5] * 50, rng=rng).totals for _ in range(200)])
    noise = (noise - mechanism.count([0.5] * 50).totals) / 50
    for band, threshold in list(zip(mechanism.bands, estimator.thresholds(mechanism, 50), strict=True))[2:]:
        # The sum of 0/1 variables with mean below the bound: six standard deviations above it, 1e-9.
        bound, count = 2 * 2.0**-band.j, noise[:, band.columns].size
        assert (np.abs(noise[:, band.columns]) >= threshold).mean() < bound + 6 * np.sqrt(bound / count)


def test_hard_keeps_and_soft_shrinks(people):
    hard, soft = (ThresholdWaveletDensity(None, "db2", 5, first_level=1, rule=rule).fit(people)
                  for rule in ("hard", "soft"))
    raw, mechanism = hard.raw_coefficients_, hard.mechanism_
    for band, threshold in zip(mechanism.bands, hard.thresholds(mechanism, len(people)), strict=True):
        part = raw[band.columns]
        kept = np.abs(part) >= threshold
        assert (hard.coefficients_[band.columns] == part * kept).all()
        assert soft.coefficients_[band.columns] == pytest.approx((part - np.sign(part) * threshold) * kept)


def test_levels_of_the_theorem():
    estimator = ThresholdWaveletDensity(1.0, "db2")
    levels = [estimator.mechanism(n).levels for n in (10, 10**4, 10**8, 10**12)]
    assert levels == sorted(levels) and levels[0] == 1 and levels[-1] > 5
    assert estimator.coarse_levels(estimator.mechanism(10**8), 10**8) == int(np.log2(1e8) / (2 * 1.55 + 2))
    for n in (10**4, 10**8, 10**13):
        open_rule = ThresholdWaveletDensity(None, "db2")
        assert open_rule.coarse_levels(open_rule.mechanism(n), n) == int(np.log2(n) / (2 * 1.55 + 1))
    assert theorem_g(2, wavelet_basis("db2")) == 4
    assert theorem_g(2, wavelet_basis("db10")) == pytest.approx(8.7228)


def test_projection_is_a_density(people):
    estimate = LinearWaveletDensity(1.0, "db2", 4, project=True, rng=3).fit(people)
    x, values = estimate.grid_pdf()
    assert values.min() >= 0 and values.mean() == pytest.approx(1, abs=1e-12)
    assert estimate.pdf([-0.1, 1.1]).tolist() == [0.0, 0.0]
    plain = LinearWaveletDensity(1.0, "db2", 4, rng=3).fit(people)
    f = density("kink").pdf(x)
    assert ((values - f) ** 2).mean() < ((plain.grid_pdf()[1]
                                          - f) ** 2).mean()   # a projection on a convex set


@pytest.mark.parametrize("estimator, message", [
    (LinearWaveletDensity(alpha=-1.0), "alpha"),
    (LinearWaveletDensity(level=-1), "levels"),
    (ThresholdWaveletDensity(scales="scaling_only"), "by_level"),
    (ThresholdWaveletDensity(rule="firm", levels=3), "hard"),
    (ThresholdWaveletDensity(g=0.0, levels=3), "g = 0"),
])
def test_bad_arguments_are_explained(estimator, message, people):
    with pytest.raises(ValueError, match=message):
        estimator.fit(people)


ESTIMATES = [
    LinearWaveletDensity(4.0, "haar", 3, rng=1), LinearWaveletDensity(4.0, "db2", 3, rng=1),
    ThresholdWaveletDensity(4.0, "sym5", 4, project=True, rng=1),
    LinearWaveletDensity(None, "db2", 4), StableHistogramDensity(4.0, side=0.125, rng=1),
]


@pytest.mark.parametrize("estimator", ESTIMATES, ids=repr)
def test_score_is_what_the_integrated_squared_error_leaves_of_the_square(estimator, people):
    """2 int fhat f - int fhat^2 = int f^2 - ||fhat - f||^2, both integrals as sums over midpoints."""
    fitted = clone(estimator).fit(people[:, None])
    x = (np.arange(2**15) + 0.5) / 2**15
    # People at each midpoint once, and those below 1/4 another three times: a density of 16/7 and 4/7.
    crowd = np.concatenate([x] + [x[x < 0.25]] * 3)[:, None]
    f = np.where(x < 0.25, 16 / 7, 4 / 7)
    fhat = fitted.pdf(x[:, None] if isinstance(fitted, StableHistogramDensity) else x)
    assert fitted.score(crowd) == pytest.approx((f**2).mean() - ((fhat - f)**2).mean(), abs=0.003)
    assert fitted.score(crowd, y=None) == fitted.score(crowd)


def test_a_search_over_levels_takes_the_one_of_least_error(people):
    """Without privacy, so that nobody is asked."""
    search = GridSearchCV(LinearWaveletDensity(None, "db2"), {"level": (0, 3, 12)}, cv=3).fit(people[:, None])
    assert search.best_params_ == {"level": 3}


@pytest.mark.parametrize("bad, words", [
    (np.zeros((5, 2)), r"X has (shape \(5, 2\)|2 features)"), (np.zeros((5, 1)) + 1j, "Complex data not"),
    (csr_array(np.eye(3)[:, :1]), "Sparse"), (np.full((5, 1), np.nan), "NaN"), (np.zeros((0, 1)), "0 sample"),
    ([["a"], ["b"]], "row 0 does not"), (np.zeros((5, 1, 1)), r"X has shape \(5, 1, 1\)"),
])
def test_people_who_are_no_numbers_are_refused(bad, words, people):
    estimator = LinearWaveletDensity(level=2, rng=1)
    for use in (estimator.fit, clone(estimator).fit(people).score):
        with pytest.raises((ValueError, TypeError), match=words):
            use(bad)

"""The exact risk of linear estimators agrees with simulation, and bends where the theorems say."""

import numpy as np
import pytest
from scipy.optimize import brentq

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.nature import density
from ldp_lib.privacy import WaveletAggregate
from ldp_lib.risk import mise

PURE = [("uniform", 0.5), ("semicircle", 1.0), ("kink", 1.5)]
"""Densities whose level energies are proportional to 2^(-2js) from some level on, with s =
`smoothness(2)`."""


@pytest.mark.parametrize("wavelet, alpha", [("haar", 4.0), ("db2", 4.0), ("sym4", None)])
@pytest.mark.parametrize("scales", ["common", "by_level", "scaling_only"])
def test_exact_risk_agrees_with_simulated_people(wavelet, alpha, scales):
    """Honest people, r = 2 by Parseval and by quadrature (r nearly 2); 5.5 standard errors, 18 cases:
    7e-7."""
    estimator, f = LinearWaveletDensity(alpha, wavelet, 3, scales=scales), density("kink")
    exact = mise(estimator, f, 500)
    assert exact.value == pytest.approx(exact.bias + exact.sampling + exact.noise)
    assert exact.standard_error == 0 and (exact.noise > 0) == (alpha is not None)
    same = mise(estimator, f, 500, r=2 + 1e-9, repeats=150, rng=5)
    assert abs(same.value - exact.value) < 5.5 * same.standard_error


def test_parts_in_closed_form():
    """Uniform and Haar: no bias, (2^J - 1)/n, and 2^J noises."""
    estimator = LinearWaveletDensity(1.0, "haar", 3)
    risk = mise(estimator, density("uniform"), 1000)
    mechanism = estimator.mechanism(1000)
    assert risk.bias == pytest.approx(0, abs=1e-9)
    assert risk.sampling == pytest.approx(7 / 1000)
    assert risk.noise == pytest.approx(8 * mechanism.variance_by_level[0] / 1000)


@pytest.mark.parametrize("wavelet, level, scales", [
    ("db2", 3, "common"), ("db4", 1, "scaling_only"), ("sym8", 4, "by_level"), ("db10", 0, "scaling_only")])
def test_error_counts_on_the_domain_alone(wavelet, level, scales):
    """Against quadrature over 2^8 midpoints a cell in [0, 1], at coefficients as the mechanism has them:

    the bias of their means, and what each of them adds if it alone moves.
    """
    f, n = density("claw"), 500
    rule = LinearWaveletDensity(2.0, wavelet, level, scales=scales, noise="real")
    mechanism, risk = rule.mechanism(n), mise(rule, f, n)
    truth = np.concatenate([f.coefficients(mechanism.basis, band.j, band.kind) for band in mechanism.bands])
    x, mean = _drawn(rule, truth)
    step = x[1] - x[0]
    assert risk.bias == pytest.approx(((mean - f.pdf(x)) ** 2).sum() * step, rel=2e-3)
    squares = np.array([(_drawn(rule, row)[1] ** 2).sum() * step for row in np.eye(mechanism.K)])
    sizes = [len(band.translates) for band in mechanism.bands]
    assert risk.noise == pytest.approx(squares @ np.repeat(rule.noise_variance(mechanism, n), sizes),
                                       rel=2e-3)
    # A person at y moves the mean by K(., y) / n: K is drawn for 512 people at the quantiles of f.
    quantiles = np.interp((np.arange(512) + 0.5) / 512, f.cdf(x), x)
    kernels = [_drawn(rule, mechanism.count(np.array([y])).totals)[1] for y in quantiles]
    assert risk.sampling == pytest.approx(((kernels - mean) ** 2).sum() * step / 512 / n, rel=0.02)


def _drawn(rule, coefficients):
    """(x, values) of the estimate with these coefficients, at 2^8 midpoints a cell."""
    return rule.fit_aggregate(WaveletAggregate(1, coefficients)).grid_pdf(8)


def test_estimates_end_with_the_domain():
    """claw, db2, J = 3, 500 people, alpha = 2: 1.3677 on the line, 1.1756 where the people are."""
    rule, f = LinearWaveletDensity(2.0, "db2", 3, scales="scaling_only", rng=1), density("claw")
    assert mise(rule, f, 500).value == pytest.approx(1.1756, abs=1e-4)
    fitted = rule.fit(f.sample(500, rng=1))
    assert fitted.pdf([-1.0, -0.01, 1.01, 5.0]).tolist() == [0.0] * 4 and fitted.pdf(0.01) != 0


def test_cells_have_the_law_of_people():
    """Counts in cells against people, both simulated; 5.5 standard errors: 4e-8."""
    estimator, f = ThresholdWaveletDensity(8.0, "sym4", 4, scales="common"), density("claw")
    people, cells = (mise(estimator, f, 5_000, repeats=40, cells=M, rng=2) for M in (None, 12))
    assert abs(people.value - cells.value) < 5.5 * np.hypot(people.standard_error, cells.standard_error)


def test_projection_and_thresholds_pay():
    """Seeded; the gaps are ten standard errors and more."""
    f, n = density("kink"), 20_000
    plain, projected = (LinearWaveletDensity(2.0, "db2", 4, project=project) for project in (False, True))
    better = mise(projected, f, n, repeats=160, cells=10, rng=1)
    assert better.value + 10 * better.standard_error < mise(plain, f, n).value


def best(f, n, alpha, wavelet="db2"):
    """The exact risk at the best J from 3 to 14."""
    return min(mise(LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real"), f, n).value
               for J in range(3, 15))


@pytest.mark.parametrize("name, s", PURE)
def test_private_slope(name, s):
    """Between n and 16^(s + 1) * n people the best J grows by 4: the exact slope is -2s/(2s + 2) in n
    alpha^2."""
    f, n = density(name), int({0.5: 1e12, 1.0: 1e14, 1.5: 1e15}[s])
    assert f.smoothness(2) == s
    factor = int(2 ** ((2 * s + 2) * 4))
    slope = np.log(best(f, factor * n, 1e-2) / best(f, n, 1e-2)) / np.log(factor)
    print(f"{name}: slope {slope:.4f} in n alpha^2, theorem {-2 * s / (2 * s + 2):.4f}")
    assert slope == pytest.approx(-2 * s / (2 * s + 2), abs=0.002)


@pytest.mark.parametrize("name, s", PURE)
def test_slope_and_switch_where_privacy_is_cheap(name, s):
    """For alpha well above n^(1/(4s+2)) the slope is -2s/(2s + 1); the alpha that doubles the risk grows like
    it."""
    f = density(name)
    n = int({0.5: 1e5, 1.0: 1e6, 1.5: 1e7}[s])
    factor = int(2 ** ((2 * s + 1) * 4))
    switch = 1 / (4 * s + 2)
    cheap = [best(f, m, 1e3 * m**switch) for m in (n, factor * n)]
    slope = np.log(cheap[1] / cheap[0]) / np.log(factor)
    assert slope == pytest.approx(-2 * s / (2 * s + 1), abs=0.002)

    def doubling(m):
        target = 2 * best(f, m, None)
        return brentq(lambda log_alpha: np.log(best(f, m, np.exp(log_alpha)) / target), 0, 25, xtol=1e-5)

    growth = (doubling(factor * n) - doubling(n)) / np.log(factor)
    print(f"{name}: slope {slope:.4f}, theorem {-2 * s / (2 * s + 1):.4f}; switch {growth:.4f}, {switch:.4f}")
    assert growth == pytest.approx(switch, abs=0.01)


def test_exact_risk_in_a_blink():
    """All levels from tables; no timing here, but the tables are computed once a density and basis."""
    from ldp_lib.risk.integrated import energies
    f = density("claw")
    first = mise(LinearWaveletDensity(1.0, "sym4", 3), f, 100)
    hits = energies.cache_info().hits
    mise(LinearWaveletDensity(1.0, "sym4", 9), f, 10**6)
    assert energies.cache_info().hits == hits + 1 and first.value > 0


@pytest.mark.parametrize("call, error, message", [
    (lambda f: mise(f, f, 10), TypeError, "wavelet density estimator"),
    (lambda f: mise(LinearWaveletDensity(domain=(-1, 1)), f, 10), ValueError, "domain"),
    (lambda f: mise(LinearWaveletDensity(level=18), f, 10), ValueError, "too fine"),
    (lambda f: mise(LinearWaveletDensity(), f, 10, r=0.5), ValueError, "1 <= r"),
    (lambda f: mise(LinearWaveletDensity(), f, 10, r=3, repeats=1), ValueError, "two repeats"),
])
def test_bad_arguments_are_explained(call, error, message):
    with pytest.raises(error, match=message):
        call(density("kink"))

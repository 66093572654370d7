"""Densities integrate, sample and decompose as they say; what is claimed of their smoothness shows in the
levels."""

import numpy as np
import pytest
from scipy import stats

from ldp_lib.nature import DENSITIES, density
from ldp_lib.wavelets import wavelet_basis

POINTS = 2**18
MIDPOINTS = (np.arange(POINTS) + 0.5) / POINTS


@pytest.fixture(params=DENSITIES)
def f(request):
    return density(request.param)


def test_it_is_a_density_with_the_stated_norms(f):
    """By the midpoint rule with 2^18 points; a jump inside a cell costs 4e-6 of its height."""
    values = f.pdf(MIDPOINTS)
    assert values.min() >= 0 and f.pdf([-0.1, 1.1]).tolist() == [0.0, 0.0]
    assert values.mean() == pytest.approx(1, abs=2e-5)
    assert (values**2).mean() == pytest.approx(f.l2_norm_squared, rel=3e-5)
    assert f.sup_norm * 0.98 < values.max() <= f.sup_norm * (1 + 1e-12)
    edges = np.arange(33) / 32
    assert np.diff(f.cdf(edges)) == pytest.approx(values.reshape(32, -1).mean(axis=1) / 32, abs=1e-5)
    assert f.cdf([-1.0, 0.0, 1.0, 2.0]) == pytest.approx([0, 0, 1, 1])


def test_samples_have_the_distribution_function(f):
    """Kolmogorov-Smirnov at level 1e-7, seeded, 13 densities."""
    x = f.sample(20_000, rng=7)
    assert x.shape == (20_000,) and 0 <= x.min() and x.max() <= 1
    assert stats.kstest(x, f.cdf).pvalue > 1e-7


@pytest.mark.share(3)
@pytest.mark.parametrize("wavelet", ["haar", "db2", "coif2"])
def test_coefficients_are_integrals(f, wavelet):
    """Against the midpoint rule with 2^18 points; both err by jumps inside cells."""
    basis, j = wavelet_basis(wavelet), 3
    values = f.pdf(MIDPOINTS)
    for kind in ("phi", "psi"):
        coefficients = f.coefficients(basis, j, kind)
        assert len(coefficients) == len(basis.translates(j))
        function = basis.father if kind == "phi" else basis.wavelet
        for index in (0, len(coefficients) // 2, len(coefficients) - 1):
            part = function(MIDPOINTS, j, basis.translates(j)[index])
            assert coefficients[index] == pytest.approx((values * part).mean(), abs=3e-5)


def test_parseval(f):
    """What lies beyond level 18, and what averaging over 2^18 cells loses, is below 4e-5 of the whole."""
    basis = wavelet_basis("db2")
    total = (f.coefficients(basis, 0, "phi") ** 2).sum() + sum((f.coefficients(basis, j) ** 2).sum()
                                                               for j in range(18))
    assert total == pytest.approx(f.l2_norm_squared, rel=4e-5) and total <= f.l2_norm_squared * (1 + 1e-8)


@pytest.mark.parametrize("name, s", [("uniform", 0.5), ("semicircle", 1.0), ("kink", 1.5)])
def test_level_energies_fall_at_the_smoothness(name, s):
    """Energy of level j proportional to 2^(-2 j s) once the supports at singular points are apart."""
    f, basis = density(name), wavelet_basis("db3")
    assert f.smoothness(2) == s
    energy = np.array([(f.coefficients(basis, j) ** 2).sum() for j in range(5, 11)])
    # The two ends of the semicircle are square roots times a smooth function: nearly pure.
    assert np.log2(energy[:-1] / energy[1:]) == pytest.approx(2 * s, abs=0.1 if name == "semicircle"
                                                              else 1e-2)


def test_spikes_follow_the_sample_and_stay_in_the_ball():
    basis, s, p, level = wavelet_basis("db2"), 1.5, 1.0, []
    for N in 10.0 ** np.arange(3, 13, 2):
        f = density("spikes", n_alpha2=N, s=s, p=p)
        detail = f.coefficients(basis, f.j)[basis.translates(f.j).index(f.k)]
        base = density("plateau").coefficients(basis, f.j)[basis.translates(f.j).index(f.k)]
        assert detail - base == pytest.approx(f.gamma, rel=1e-3)
        assert f.gamma * 2.0 ** (f.j * (s + 0.5 - 1 / p)) <= 1 + 1e-12
        level.append(f.j)
    assert level == sorted(level) and level[-1] > level[0]


def test_departures_are_those_of_the_table():
    f = density("departures", which="scheduled")
    assert f.cdf(1.0) == pytest.approx(1) and f.cdf(300
                                                    / 1440) < 0.01  # nobody leaves before five in the morning


@pytest.mark.parametrize("call, error, message", [
    (lambda: density("sine"), ValueError, "'uniform'"),
    (lambda: density("smooth", p=1), TypeError, "takes none"),
    (lambda: density("spikes", s=0.5), ValueError, "s > 1/p"),
    (lambda: density("departures", which="late"), ValueError, "scheduled"),
    (lambda: density("smooth").sample(0, rng=1), ValueError, "n = 0"),
    (lambda: density("smooth").coefficients(wavelet_basis("db2"), 18), ValueError, "0 to 17"),
])
def test_bad_arguments_are_explained(call, error, message):
    with pytest.raises(error, match=message):
        call()

"""Wavelets obey their equations at scattered points, agree with PyWavelets, and their suprema are
certified."""

import math

import numpy as np
import pytest
import pywt
from numpy.polynomial import polynomial

from ldp_lib.wavelets import EVALUATION_ERROR, REGULARITY, wavelet_basis

NAMES = list(REGULARITY)


@pytest.fixture(params=NAMES)
def basis(request):
    return wavelet_basis(request.param)


@pytest.fixture
def scattered(basis):
    return np.random.default_rng(1).random(4000) * basis.overlap


def test_two_scale_relations(basis, scattered):
    for function, taps in ((basis.phi, basis.low), (basis.psi, basis.high)):
        sums = math.sqrt(2) * sum(tap * basis.phi(2 * scattered - k) for k, tap in enumerate(taps))
        assert np.abs(function(scattered) - sums).max() < EVALUATION_ERROR


def test_partition_of_unity_and_of_lines(basis, scattered):
    first, values = basis.values(scattered, 0, "phi")
    assert np.abs(values.sum(axis=1) - 1).max() < 1e-10
    if basis.vanishing_moments > 1:
        lines = ((first[:, None] + np.arange(basis.overlap)) * values).sum(axis=1) - scattered
        assert np.ptp(lines) < EVALUATION_ERROR


def test_agreement_with_pywavelets_on_dyadic_points(basis):
    """Its cascade of 14 levels errs like a shift of a grid step: by 2^-14 times the slope, 2^(-14 * 0.54) for
    coif1."""
    phi, psi, x = pywt.Wavelet(basis.name).wavefun(level=14)
    if basis.name == "haar":
        phi, psi, x = phi[1:-1], psi[1:-1], (np.arange(phi.size - 2) + 0.5) / (phi.size - 2)
    error = 30 * 2.0 ** (-13 * min(max(basis.regularity, 0.5), 1))
    assert np.abs(basis.phi(x) - phi).max() < error
    assert np.abs(basis.psi(x) - psi).max() < error


def test_orthonormality_of_the_filters(basis):
    """Gram matrices of translates and of both kinds follow exactly from the filters."""
    for a, b, same in ((basis.low, basis.low, 1), (basis.high, basis.high, 1), (basis.low, basis.high, 0)):
        for shift in range(0, basis.filter_length, 2):
            product = a[shift:] @ b[:basis.filter_length - shift]
            assert product == pytest.approx(float(same and shift == 0), abs=2e-12)


def test_squares_integrate_to_one(basis):
    for kind in ("phi", "psi"):
        assert basis.square_means(kind, 6).mean(axis=0).sum() == pytest.approx(1, abs=1e-10)


def test_vanishing_moments(basis):
    k = np.arange(basis.filter_length) - basis.overlap / 2
    moments = np.array([(basis.high * k**m).sum() / (np.abs(basis.high) * np.abs(k) ** m).sum()
                        for m in range(basis.vanishing_moments + 1)])
    assert np.abs(moments[:-1]).max() < 1e-11 and np.abs(moments[-1]) > 1e-4


def test_values_are_those_of_single_translates(basis, scattered):
    for kind, function in (("phi", basis.father), ("psi", basis.wavelet)):
        first, values = basis.values(scattered[:300], 3, kind)
        for m in range(basis.overlap):
            assert np.abs(values[:, m] - function(scattered[:300], 3, first + m)).max() < 1e-10


def test_translates_cover_the_domain_and_nothing_else(basis):
    for j in (0, 3):
        translates = basis.translates(j)
        x = np.linspace(0, 1, 3001)[:-1]
        first, _ = basis.values(x, j)
        assert first.min() == translates.start and first.max() + basis.overlap == translates.stop


def test_integrals(basis):
    x = (np.arange(2**14) + 0.5) * basis.overlap / 2**14
    for kind, function, total in (("phi", basis.phi, 1.0), ("psi", basis.psi, 0.0)):
        sums = np.cumsum(function(x)) * basis.overlap / 2**14
        assert np.abs(basis.integral(kind, x + basis.overlap / 2**15) - sums).max() < 1e-3
        assert basis.integral(kind, np.array([-1.0, 0.0, 99.0])) == pytest.approx([0, 0, total], abs=1e-10)


@pytest.mark.parametrize("name, S_phi, S_psi",
                         [("haar", 1.0, 1.0), ("db2", math.sqrt(3), 0.5 + math.sqrt(3))])
def test_known_suprema(name, S_phi, S_psi):
    basis = wavelet_basis(name)
    for bound, truth in ((basis.S_phi, S_phi), (basis.S_psi, S_psi)):
        assert truth - 1e-12 <= bound <= truth + 2 * basis.S_error


def test_suprema_bound_what_is_seen(basis):
    """From above at every point of a fine grid, and closely: the maximum over 2^14 points a cell comes
    near."""
    x = np.arange(2**14) / 2**14
    for kind, total, largest in (("phi", basis.S_phi, basis.phi_max), ("psi", basis.S_psi, basis.psi_max)):
        values = np.abs(basis.values(x, 0, kind)[1])
        assert total * (1 - 2e-3) < values.sum(axis=1).max() <= total
        assert largest * (1 - 2e-3) < values.max() <= largest


def test_regularity_is_the_joint_spectral_radius(basis):
    """Recompute the upper bound from products of up to 8 of the matrices of the factored filter."""
    if basis.name == "haar":
        return
    factor = basis.low / math.sqrt(2)
    for _ in range(basis.vanishing_moments):
        factor, _ = polynomial.polydiv(factor, [0.5, 0.5])
    size = len(factor) - 1
    index = 2 * np.arange(size)[:, None] - np.arange(size) + np.arange(2)[:, None, None]
    matrices = np.where((index >= 0) & (index <= size), 2 * factor[index.clip(0, size)], 0.0)
    products, radius = np.eye(size)[None], 0.0
    for length in range(1, 9):
        products = np.concatenate([products @ matrix for matrix in matrices])
        radius = max(radius, np.abs(np.linalg.eigvals(products)).max() ** (1 / length))
    bound = basis.vanishing_moments - math.log2(radius)
    assert basis.regularity - 1e-3 < bound < basis.regularity + 0.03


def test_bad_points_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        wavelet_basis("db2").phi([np.nan])
    with pytest.raises(ValueError, match="choose one of 'haar'"):
        wavelet_basis("db11")


def test_what_is_off_its_chord_shrinks_down_to_the_last_depth():
    basis = wavelet_basis("db2")
    assert np.all(np.diff([basis.off_chord("phi", [0], depth)[0] for depth in (1, 5, 12, 13, 23)]) < 0)
    for depth in (0, 24):
        with pytest.raises(ValueError, match=f"depth = {depth}"):
            basis.off_chord("phi", [0], depth)

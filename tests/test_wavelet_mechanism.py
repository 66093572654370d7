"""The wavelet mechanisms keep their promise at every pair of points; one that forgets the second person is
caught."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ldp_lib.privacy import WaveletLaplace, audit
from ldp_lib.privacy.wavelet import CALIBRATIONS, SCALES
from ldp_lib.wavelets import REGULARITY


@pytest.mark.parametrize("wavelet", REGULARITY)
def test_no_pair_loses_more_than_alpha(wavelet):
    """Exact losses of 300 pairs, dyadic points and the worst pair among them, for every mechanism and
    calibration."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.random(280), np.arange(20) / 20, rng.integers(0, 64, 300) / 64])
    for scales in SCALES:
        worst = WaveletLaplace(1.0, wavelet, 3, scales, "exact").worst_pair()
        for calibration in CALIBRATIONS:
            mechanism = WaveletLaplace(0.7, wavelet, 3, scales, calibration)
            signals = mechanism.encode(x) / np.repeat(
                mechanism.scales_by_level, [len(band.translates) for band in mechanism.bands])
            assert np.abs(signals[::2] - signals[1::2]).sum(axis=1).max() <= 0.7
            assert mechanism.privacy_loss(*worst.pair) <= 0.7
        # The pair that was found comes within its stated distance of the bound.
        assert worst.loss <= worst.bound <= 1.0 and worst.loss > 0.99


@given(st.sampled_from(list(REGULARITY)), st.floats(-0.5, 1.5), st.floats(-0.5, 1.5), st.floats(1e-3, 50.0),
       st.sampled_from(SCALES), st.sampled_from(["tight", "crude"]), st.sampled_from(["lattice", "real"]))
def test_privacy_loss_never_exceeds_alpha(wavelet, x, x2, alpha, scales, calibration, noise):
    mechanism = WaveletLaplace(alpha, wavelet, 5, scales, calibration, noise=noise)
    assert 0 <= mechanism.privacy_loss(x, x2) <= alpha * (1 + 1e-12)


def test_loss_is_the_supremum_of_the_likelihood_ratio():
    """Reports beyond both signals attain it, on the lattice."""
    mechanism = WaveletLaplace(1.0, "db2", 2)
    a, b = mechanism.encode([0.1, 0.8])
    scales = np.repeat(mechanism.scales_by_level, [len(band.translates) for band in mechanism.bands])
    report = np.where(a > b, np.maximum(a, b) + 1, np.minimum(a, b) - 1)
    ratio = ((np.abs(report - b) - np.abs(report - a)) / scales).sum()
    assert ratio == pytest.approx(mechanism.privacy_loss(0.1, 0.8), rel=1e-12)


class ForgetsTheSecondPerson(WaveletLaplace):
    """A mutant: c in place of 2c, as if the two people's coefficients could not both count."""

    def _loss_at_weights(self):
        return super()._loss_at_weights() / 2


@pytest.mark.parametrize("calibration", ["tight", "exact"])
@pytest.mark.parametrize("scales", SCALES)
def test_forgetting_the_factor_two_is_caught(scales, calibration):
    mutant = ForgetsTheSecondPerson(1.0, "db2", 4, scales, calibration)
    pair = WaveletLaplace(1.0, "db2", 4, scales, calibration).worst_pair().pair
    assert mutant.privacy_loss(*pair) > 1.5


def test_the_crude_mutant_is_caught_for_haar():
    """For Haar the crude scaling-only constant has nothing to spare."""
    mutant = ForgetsTheSecondPerson(1.0, "haar", 3, "scaling_only", "crude")
    assert mutant.privacy_loss(0.05, 0.95) == pytest.approx(2, rel=1e-3)


def test_what_the_calibrations_buy():
    tight, crude, exact = (WaveletLaplace(1.0, "db2", 6, calibration=name)
                           for name in ("tight", "crude", "exact"))
    scaling = WaveletLaplace(1.0, "db2", 6, "scaling_only")
    assert tight.scale == pytest.approx(78.9, rel=1e-3) and scaling.scale == pytest.approx(27.7, rel=1e-3)
    assert scaling.scale < 0.36 * tight.scale < 0.36 * crude.scale
    assert exact.scale < 0.79 * tight.scale and tight.scale < 0.43 * crude.scale


def test_by_level_scales_follow_the_display():
    mechanism = WaveletLaplace(0.5, "db2", 5, "by_level", "crude", nu=1.3, noise="real")
    basis, j = mechanism.basis, np.arange(5)
    C = (3 * 1.3 - 2) / 0.3
    expected = 2 * 3 * basis.psi_max / 0.5 * C * 2.0 ** (j / 2) * np.maximum(j, 1) ** 1.3
    assert mechanism.scales_by_level[1:] == pytest.approx(expected)
    assert mechanism.scales_by_level[0] == pytest.approx(2 * 3 * basis.phi_max * C / 0.5)


def test_encoding_is_the_coefficients_on_the_lattice():
    mechanism = WaveletLaplace(1.0, "sym5", 3)
    x = np.random.default_rng(0).random(50)
    rows = mechanism.encode(x)
    for band, step in zip(mechanism.bands, mechanism.granularity_by_level, strict=True):
        function = mechanism.basis.father if band.kind == "phi" else mechanism.basis.wavelet
        truth = function(x[:, None], band.j, np.array(band.translates))
        part = rows[:, band.columns]
        assert np.abs(part - truth).max() <= step / 2 * (1 + 1e-9) + 1e-9
        assert (part / step == np.rint(part / step)).all()
    reports = mechanism.privatize(x, rng=0)
    assert (reports / mechanism.granularity == np.rint(reports / mechanism.granularity)).all()


def test_who_stands_outside_counts_as_the_nearest_end():
    mechanism = WaveletLaplace(1.0, "haar", 3)
    rows = mechanism.encode([-7.0, 0.0, 1.0, 1e300])
    assert (rows[0] == rows[1]).all() and (rows[2] == rows[3]).all() and rows[2].any()


@pytest.mark.parametrize("noise", ["lattice", "real"])
def test_simulated_aggregate_has_the_law_of_the_aggregated_reports(noise):
    """Two-sample Kolmogorov-Smirnov on all columns, seeded, at level 1e-6 for each noise."""
    mechanism = WaveletLaplace(1.0, "db2", 1, noise=noise)
    x, rng = np.array([0.1, 0.4, 0.45, 0.9]), np.random.default_rng(3)
    honest = np.array([mechanism.aggregate(mechanism.privatize(x, rng=rng)).totals for _ in range(1500)])
    quick = np.array([mechanism.simulate_aggregate(x, rng=rng).totals for _ in range(1500)])
    for column in range(mechanism.K):
        assert stats.ks_2samp(honest[:, column], quick[:, column]).pvalue > 1e-6 / mechanism.K
    # Shared noise would show as correlation: 15 pairs, |r| sqrt(1500) > 6.2 has probability 1e-8.
    noise_part = quick - mechanism.count(x).totals
    assert np.abs(np.corrcoef(noise_part.T) - np.eye(mechanism.K)).max() * np.sqrt(1500) < 6.2
    variance = len(x) * np.repeat(mechanism.variance_by_level,
                                  [len(band.translates) for band in mechanism.bands])
    # Relative standard deviation below sqrt(5/1500) = 0.06: false alarm below 1e-8.
    assert noise_part.var(axis=0) == pytest.approx(variance, rel=0.35)


def test_counts_and_blocks_agree_with_the_matrix():
    mechanism = WaveletLaplace(1.0, "db4", 4, "by_level")
    x = np.random.default_rng(1).random(1000)
    count = mechanism.count(x)
    assert count.people == 1000
    assert count.totals == pytest.approx(mechanism.encode(x).sum(axis=0), abs=1e-9)
    stream = mechanism.aggregate(mechanism.privatize_blocks(x, rng=1))
    assert stream.people == 1000 and stream.totals.shape == (mechanism.K,)


@pytest.mark.parametrize("arguments, error, message", [
    (dict(alpha=0.0), ValueError, "alpha"),
    (dict(wavelet="db99"), ValueError, "db99"),
    (dict(scales="all"), ValueError, "by_level"),
    (dict(calibration="loose"), ValueError, "tight"),
    (dict(nu=1.0), ValueError, "1 < nu"),
    (dict(levels=30), ValueError, "0 to 20"),
    (dict(domain=(0.5, 0.5)), ValueError, r"domain\[1\]"),
    (dict(domain=(0, 1, 2)), TypeError, "domain = .* a pair"),
    (dict(domain=(1e-320, 2e-320)), ValueError, r"domain\[1\] - domain\[0\]"),
])
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message):
        WaveletLaplace(**{"alpha": 1.0, **arguments})


def test_a_matrix_too_large_says_how_many_gib():
    with pytest.raises(MemoryError, match="GiB"):
        WaveletLaplace(1.0, "db2", 18).encode(np.full(10_000, 0.5))


@pytest.mark.parametrize("domain", [(18, 90), (-7.3, 1e6), (0, 1e-9), (-1e299, 1e299)])
@pytest.mark.parametrize("scales", SCALES)
def test_units_change_no_report(domain, scales):
    """What a person at x of the domain sends is what she sends from where x stands in [0, 1]."""
    lower, upper = domain
    raw, unit = (WaveletLaplace(1.0, "db2", 3, scales, "exact", domain=ends) for ends in (domain, (0, 1)))
    x = np.concatenate([[-0.5, 0, 1, 1.5], np.random.default_rng(0).random(50)])
    x = np.where((x > 0) & (x < 1), np.rint(x * 2**20) / 2**20 + 2.0**-22, x)  # in no doubt about the cell
    places = lower + (upper - lower) * x
    assert raw.encode(places) == pytest.approx(unit.encode(x), abs=1e-3)
    assert (raw.scales_by_level == unit.scales_by_level).all() and repr(raw) != repr(unit)
    haar = [WaveletLaplace(1.0, "haar", 3, scales, domain=ends) for ends in (domain, (0, 1))]
    assert (haar[0].privatize(places, rng=7) == haar[1].privatize(x, rng=7)).all()
    assert 0.99 < raw.worst_pair().loss <= raw.worst_pair().bound <= 1


@pytest.mark.parametrize("scales", SCALES)
def test_a_constant_signal_says_so(scales):
    constant = WaveletLaplace(1.0, "haar", 0, scales, domain=(3, 4))
    assert constant.privacy_loss(3.1, 3.9) == 0 and constant.privatize([3.5], rng=0).shape == (1, 1)
    for search in (constant.worst_pair, lambda: audit.worst_pair(constant),
                   lambda: WaveletLaplace(1.0, "haar", 0, scales, "exact")):
        with pytest.raises(ValueError, match="levels = 0 .* the same constant.* levels = 1 or more"):
            search()

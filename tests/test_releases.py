"""Releases beyond the cubes' are exact, too: choices of a curator, scales rounded up, and bits from the
system."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from ldp_lib.estimation import (
    NoisyMajorityClassifier, PrivateSemiSupervised, StableHistogramDensity, StableVoronoiClassifier,
    VoronoiClassifier,
)
from ldp_lib.nature import Interval
from ldp_lib.privacy import LatticeLaplace, WaveletLaplace, stability_histogram
from ldp_lib.privacy.central import central_noise
from ldp_lib.privacy.exact import exponential_choice, whole_below
from ldp_lib.privacy.wavelet import CALIBRATIONS, SCALES


class Words:
    """A source of bits that are known beforehand: 64 at a time."""

    def __init__(self, *words):
        self.words = iter(words)

    def bytes(self, length):
        return next(self.words).to_bytes(length, "little")


@pytest.mark.parametrize("rate", [Fraction(0.3), Fraction(1, 10**6), Fraction(5)])
def test_choices_change_where_the_distribution_function_says_to_the_last_bit(rate):
    """Against 60 digits: below, at and above each threshold, where 64 more bits decide."""
    counts = [3, 0, 5, 10**8, 1]
    with mpmath.workdps(60):
        weights = [count * mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator * i) for i,
                   count in enumerate(counts)]
        for i, part in enumerate(itertools.accumulate(weights[:-1])):
            threshold = int(mpmath.floor(part / sum(weights) * 2**64))
            if counts[i]:
                assert exponential_choice(counts, rate, Words(threshold - 1)) == i
                assert exponential_choice(counts, rate, Words(threshold, 0)) == i
            following = next(k for k in range(i + 1, 5) if counts[k])
            assert exponential_choice(counts, rate, Words(threshold + 1)) == following
            assert exponential_choice(counts, rate, Words(threshold, 2**64 - 1)) == following


def test_extreme_choices():
    rng = np.random.default_rng(1)
    assert exponential_choice([1] * 1000, Fraction(1e300), rng) == 0
    assert exponential_choice([0, 0, 7], Fraction(1), rng) == 2
    assert 0 <= exponential_choice([1] * 1000, Fraction(5e-324), rng) < 1000


def test_whole_numbers_are_equally_likely():
    """Three bits of every byte: 0 to 4 thirty-two times each; 5 to 7 are rejected, and the next byte
    counts."""
    found = [whole_below(5, Words(byte, 4)) for byte in range(256)]
    assert np.bincount(found).tolist() == [32, 32, 32, 32, 32 + 96]
    assert whole_below(1, Words(255)) == 0
    assert whole_below(2**20, Words(2**24 - 1)) == 2**20 - 1


@given(st.floats(1e-6, 100.0), st.sampled_from(SCALES), st.sampled_from(CALIBRATIONS[:2]), st.integers(0, 6),
       st.sampled_from(["haar", "db2", "sym5"]))
def test_wavelet_scales_spend_at_most_alpha_in_fractions(alpha, scales, calibration, levels, wavelet):
    """2 c ||psi|| or S_psi a level, c lattice steps for rounding, and 4e-8 for the errors of phi and psi."""
    mechanism = WaveletLaplace(alpha, wavelet, levels, scales, calibration)
    spent = Fraction(0)
    for band, law in zip(mechanism.bands, mechanism.noises, strict=True):
        signals = 2 * Fraction(band.size) * (1 + Fraction(4, 10**8))
        rounding = mechanism.basis.overlap * Fraction(law.granularity)
        spent += (signals + rounding) / Fraction(law.scale)
    assert spent <= Fraction(alpha)


@given(st.floats(1e-6, 1e6))
def test_central_scales_are_rounded_up(epsilon):
    assert Fraction(2) / Fraction(central_noise(epsilon).scale) <= Fraction(epsilon)


def test_a_lattice_too_fine_for_whole_numbers_is_refused():
    with pytest.raises(ValueError, match="scale = 1.0 with .* Raise alpha"):
        LatticeLaplace(1.0, steps=2**47)
    with pytest.raises(ValueError, match="Raise alpha"):
        WaveletLaplace(1e-9, "db2", 5)


X = np.random.default_rng(0).random((4000, 1))
Y = np.where(np.arange(4000) < 3000, -1, X[:, 0] > 0.5)
RULES = [NoisyMajorityClassifier(), StableHistogramDensity(), VoronoiClassifier(space=Interval()),
         StableVoronoiClassifier(space=Interval()), PrivateSemiSupervised(delta=1e-3)]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_release_of_a_curator_takes_the_systems_bits(rule):
    labels = Y if isinstance(rule, PrivateSemiSupervised) else np.abs(Y)
    clone(rule).set_params(rng="secure").fit(X, labels)
    # Whoever asked for bits that nobody can predict must not get a generator unawares.
    with pytest.raises(ValueError, match="does not repair"):
        clone(rule).set_params(rng="secure", noise="real").fit(X, labels)


def test_secure_wavelet_reports_and_histograms():
    mechanism = WaveletLaplace(1.0, "db2", 2)
    reports = mechanism.privatize([0.3, 0.4], rng="secure")
    assert (reports != mechanism.privatize([0.3, 0.4], rng="secure")).any()
    assert sum(len(block) for block in mechanism.privatize_blocks(X, rng="secure")) == 4000
    assert stability_histogram([1000], 1.0, 1e-6, rng="secure").shape == (1,)
    with pytest.raises(ValueError, match="does not repair"):
        WaveletLaplace(1.0, "db2", 2, noise="real").privatize([0.3], rng="secure")
    with pytest.raises(TypeError, match='"secure" is for reports'):
        mechanism.simulate_aggregate([0.3], rng="secure")

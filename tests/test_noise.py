"""Lattice noise has exactly its law: thresholds against 60 digits, digits against the law, ratios in
fractions."""

import inspect
import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ldp_lib import estimation, nature, privacy
from ldp_lib.privacy import CubeLaplace, LatticeLaplace, RealLaplace
from ldp_lib.privacy.exact import LOOKUP_BITS, DiscreteLaplace, discrete_laplace
from ldp_lib.privacy.noise import calibrated_scale

SCALES = [Fraction(1024), Fraction(4 / 0.3) * 2**7, Fraction(3 * 10**5), Fraction(2**46)]


@pytest.mark.parametrize("scale", [1e-9, 0.01, 4.0, 3e5])
def test_lattice_noise_has_the_discrete_laplace_law(scale):
    """Chi-square over 41 bins at level 1e-6 a scale, seeded."""
    noise = LatticeLaplace(scale)
    assert 2 ** np.round(np.log2(noise.granularity)) == noise.granularity <= min(1, scale / 1024)
    draws = noise.sample(200_000, np.random.default_rng(4)) / noise.granularity
    assert (draws == np.round(draws)).all()
    ratio = noise.granularity / scale
    edges = np.round(np.linspace(-5, 5, 40) / ratio)
    # P(K <= k) in closed form on either side of zero.
    upper = np.exp(-(np.abs(edges) + (edges >= 0)) * ratio) / (1 + np.exp(-ratio))
    cdf = np.where(edges < 0, np.exp(edges * ratio) / (1 + np.exp(-ratio)), 1 - upper)
    expected = np.diff(np.concatenate([[0], cdf, [1]])) * draws.size
    observed = np.bincount(np.searchsorted(edges, draws, side="left"), minlength=41)
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, 40) > 1e-6


@given(st.floats(1e-9, 1e9), st.integers(1, 6))
def test_budget_is_never_overspent_not_even_by_a_rounding_error(alpha, d):
    """pmf(z - v) / pmf(z - v') <= exp(||v - v'||_1 g/b / g), in rational arithmetic from the floats in
    use."""
    mechanism = CubeLaplace(alpha, 1.5, d)
    scale, step = Fraction(mechanism.scale), Fraction(mechanism.granularity)
    assert step.numerator == 1 and step.denominator & (step.denominator
                                                       - 1) == 0, "whole numbers are lattice points"
    assert Fraction(2) ** (d + 1) / scale <= Fraction(alpha)
    # And the scale is the smallest number of 40 binary digits that does it.
    below = scale - Fraction(2) ** (math.frexp(mechanism.scale)[1] - 40)
    assert Fraction(2) ** (d + 1) / below > Fraction(alpha)


@pytest.mark.parametrize("alpha, h, d", [(0.3, 0.4, 1), (1.0, 0.3, 1), (0.7, 0.5, 2)])
def test_ratio_of_report_probabilities_in_whole_numbers(alpha, h, d):
    """For every pair of people and every sign pattern beyond their signals, where the ratio is largest."""
    mechanism = CubeLaplace(alpha, h, d)
    axis = np.arange(0, 1.001, h / 2)
    places = np.array(list(itertools.product(axis, repeat=d)))
    step, unit = Fraction(mechanism.granularity), Fraction(mechanism.granularity) / Fraction(mechanism.scale)
    for half, label in itertools.product((1, 2), repeat=2):
        signals = mechanism.encode(places, np.full(len(places), label - 1), half=half)
        steps = [[int(Fraction(value) / step) for value in row] for row in signals]
        assert all(Fraction(value) == k * step for row, ks in zip(signals, steps) for value,
                   k in zip(row, ks))
        for a, b in itertools.combinations(steps, 2):
            # |k - b| - |k - a| is largest at k = a, in every entry.
            assert sum(abs(i - j) for i, j in zip(a, b)) * unit <= Fraction(alpha)


@pytest.mark.parametrize("t", SCALES)
def test_thresholds_are_the_distribution_function_to_the_last_bit(t):
    sampler = DiscreteLaplace(t)
    with mpmath.workdps(120):
        unit = mpmath.mpf(t.denominator) / t.numerator
        *low, top = sampler._digits[1:] + sampler._digits[:1]
        start, widths = 0, [int(np.log2(len(digit._thresholds) + 1)) for digit in low]
        for digit, width in zip(low, widths):
            ratio = mpmath.exp(-unit * 2**start)
            exact = [(1 - ratio ** (v + 1)) / (1 - ratio ** (2**width)) for v in range(2**width - 1)]
            assert [int(mpmath.floor(F * 2**64)) for F in exact] == digit._thresholds.tolist()
            start += width
        # The top digit: 2 Q + sign, Q geometric of ratio exp(-2^start / t), the sign 1 with odds exp(-1/t).
        ratio, positive = mpmath.exp(-unit * 2**start), 1 / (1 + mpmath.exp(-unit))
        exact = [F for q in range(len(top._thresholds) // 2 + 1)
                 for F in (1 - ratio**q * (1 - (1 - ratio) * positive), 1 - ratio ** (q + 1))]
        found = top._thresholds.tolist()
        assert [int(mpmath.floor(F * 2**64)) for F in exact][:len(found)] == found and found[-1] == 2**64 - 1


def test_digits_make_up_the_law():
    """Products of the digits' probabilities are those of the law: identity in 50 digits, for all values that
    show up."""
    t = Fraction(1500)
    sampler = DiscreteLaplace(t)
    top, low = sampler._digits
    with mpmath.workdps(50):
        r = mpmath.exp(-1 / mpmath.mpf(1500))
        ratio = r**256
        masses = {}
        for i, v in itertools.product(range(20), (0, 1, 100, 255)):
            q, sign = divmod(i, 2)
            mass = ratio**q * (1 - ratio) * (r if sign else 1) / (1 + r) * r**v * (1 - r) / (1 - ratio)
            masses[int(top._codes(np.array(i)) ^ low._codes(np.array(v)))] = mass
        assert len(masses) == 80
        for k, mass in masses.items():
            assert mpmath.almosteq(mass, (1 - r) / (1 + r) * r ** abs(k), rel_eps=mpmath.mpf(10) ** -45)


class Tape:
    """A source that plays back given bytes."""

    def __init__(self, *parts):
        self.rest = b"".join(parts)

    def bytes(self, length):
        played, self.rest = self.rest[:length], self.rest[length:]
        assert len(played) == length, "the tape is too short"
        return played


def test_undecided_bits_are_continued_until_they_decide():
    """U within 2^-128 of F(v), on either side: after 192 bits the digit is v + 1 above and v below."""
    digit = DiscreteLaplace(Fraction(1500))._digits[1]
    for v in (0, 77, 254):
        exact = next(itertools.islice(digit.thresholds(192), v, None))
        for beyond in (-1, 1):
            bits = (exact + beyond).to_bytes(24, "big")
            words = [bits[start:start + 8][::-1] for start in range(0, 24, 8)]
            lookup = np.array([int.from_bytes(bits[:2], "big")], dtype=np.uint16)
            # 48 of the second word's bits continue the lookup.
            second = (int.from_bytes(bits[2:8], "big") << LOOKUP_BITS).to_bytes(8, "little")
            tape = Tape(second, *words[1:])
            assert digit.continued(lookup, tape).tolist() == [v + (beyond > 0)] and not tape.rest


def test_every_lookup_is_decided_or_continued():
    """A table entry stands for an interval of length 2^-16 without any F(v); flags mark the others."""
    for digit in discrete_laplace(7.0, 2.0**-8)._digits:
        steps = (digit._thresholds >> np.uint64(48)).astype(int)
        flagged = np.abs(digit.table) >= 2**55
        assert sorted(set(steps.tolist())) == np.flatnonzero(flagged).tolist()
        probability = np.bincount(np.searchsorted(steps, np.flatnonzero(~flagged)),
                                  minlength=len(digit._thresholds) + 1) / 2**16
        exact = np.diff(np.concatenate([[0.0], digit._thresholds / 2.0**64, [1.0]]))
        assert (probability <= exact + 1e-15).all() and (exact < probability + 2 / 2**16).all()


def test_operating_system_and_generator_give_the_same_law():
    """Two-sample Kolmogorov-Smirnov at 1e-6; unseeded on one side, by its nature."""
    noise = LatticeLaplace(4.0)
    from ldp_lib._arguments import generator

    secure = noise.sample(50_000, generator("secure", secure=True))
    assert stats.ks_2samp(secure, noise.sample(50_000, np.random.default_rng(1))).pvalue > 1e-6


def test_secure_reports():
    X, y = np.random.default_rng(0).random((40, 1)), np.ones(40, int)
    mechanism = CubeLaplace(1.0, 0.2)
    first, again = (mechanism.privatize(X, y, rng="secure") for _ in range(2))
    assert (first != again).any(axis=1).all()
    assert mechanism.aggregate(mechanism.privatize_blocks(X, y, rng="secure"), people=40).people == (20, 20)
    with pytest.raises(ValueError, match='does not repair noise = "real"'):
        CubeLaplace(1.0, 0.2, noise="real").privatize(X, y, rng="secure")
    with pytest.raises(TypeError, match="for reports"):
        mechanism.simulate_aggregate(X, y, rng="secure")


def test_samples_do_not_depend_on_the_shape():
    noise = LatticeLaplace(3.0)
    flat, square = (noise.sample(size, np.random.default_rng(3)) for size in (12, (3, 4)))
    assert square.shape == (3, 4) and (square.ravel() == flat).all()
    assert noise.sample((0, 4), np.random.default_rng(3)).shape == (0, 4)


def test_scales_are_rounded_up():
    for sensitivity, alpha in ((4.0, 0.3), (2.0, 1.0), (8.0, 3e-7)):
        scale = calibrated_scale(sensitivity, alpha)
        assert Fraction(sensitivity) / Fraction(scale) <= Fraction(alpha)
        assert scale * alpha / sensitivity - 1 <= 2.0**-39
        # A last bit of the sensitivity, which processors may differ in, does not move the scale.
        for other in (np.nextafter(sensitivity, 0), sensitivity * (1 - 1e-15)):
            assert calibrated_scale(other, alpha) == scale


NOISY = [thing for thing in (getattr(room, name) for room in (privacy, estimation) for name in room.__all__)
         if not (inspect.isclass(thing) and issubclass(thing, Exception))
         and any(each.name == "noise" and each.default == "lattice"
                 for each in inspect.signature(thing).parameters.values())]
ARGUMENTS = {"alpha": 1.0, "h": 0.2, "wavelet": "haar", "levels": 2, "counts": np.arange(3), "epsilon": 1.0,
             "delta": 1e-3, "space": nature.Interval(), "rng": 1}


@pytest.mark.parametrize("maker", NOISY, ids=lambda maker: maker.__name__)
def test_no_other_noise_is_let_through(maker):
    """Neither when it is given nor, by estimators, when they learn; pandas.NA answers == as it likes."""
    known = {key: value for key, value in ARGUMENTS.items() if key in inspect.signature(maker).parameters}
    X, y = nature.problem("sine").sample(400, rng=1)
    unlabelled = np.arange(400) < 300 * ("Semi" in maker.__name__)
    people = {"X": X, "x": X[:, 0], "y": np.where(unlabelled, -1, y)}

    def use(noise):
        made = maker(**known, noise=noise)
        if hasattr(made, "fit"):
            made.fit(**{key: people[key] for key in inspect.signature(made.fit).parameters})

    use("lattice")
    for noise in (pandas.NA, None, "Lattice", np.nan, b"real", ["real"], np.array(["real", "lattice"])):
        with pytest.raises(ValueError, match="noise = .* is unknown; choose one of 'lattice', 'real'"):
            use(noise)


@pytest.mark.parametrize("noise", [LatticeLaplace(1.0), LatticeLaplace(2.0**-1000), RealLaplace(1e-300),
                                   RealLaplace(1e300)], ids=lambda noise: f"{noise.scale:g}")
def test_tails_far_beyond_floats(noise):
    for t in (1e308, 1.7e308):
        far = t > 1e10 * noise.scale
        for value in (noise.tail(t), 1 - noise.tail(-t)):
            assert value == 0 if far else 0 <= value < 0.5
        assert noise.mean_excess(t) == 0 and noise.mean_excess(-t) == t
    assert noise.tail([np.inf, -np.inf]).tolist() == [0, 1]
    # Where floats have room the cut makes no difference.
    t = noise.scale * np.linspace(-700, 700, 71)
    assert (np.diff(noise.tail(t)) <= 0).all() and noise.tail(t)[-1] > 0
    assert noise.mean_excess(noise.scale) > 0


@pytest.mark.parametrize("t", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)])
def test_few_steps_in_a_scale_have_the_law_as_well(t):
    """200,000 draws; six standard errors at 11 places: false alarm below 1e-7."""
    draws, n = DiscreteLaplace(t).draw(200_000, np.random.default_rng(1)), 200_000
    for k in range(-5, 6):
        p = np.tanh(1 / (2 * float(t))) * np.exp(-abs(k) / float(t))
        assert abs((draws == k).mean() - p) < 6 * (p * (1 - p) / n) ** 0.5


@pytest.mark.parametrize("steps", [0, -1, "a", np.nan])
def test_a_scale_has_a_step_at_least(steps):
    with pytest.raises((ValueError, TypeError), match="steps"):
        LatticeLaplace(1.0, steps)

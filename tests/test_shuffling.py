"""Shuffled bits: against enumeration, against each other, and against the printed closed form."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ldp_lib.lessons.figures import shuffled
from ldp_lib.privacy import (
    hockey_stick, printed_shuffled_epsilon, shuffled_counts, shuffled_delta, shuffled_epsilon,
)


def counts(bits, alpha):
    """The law of the number of ones that people with these bits send."""
    truth, law = 1 / (1 + math.exp(-alpha)), np.ones(1)
    for bit in bits:
        law = np.convolve(law, [1 - truth, truth] if bit else [truth, 1 - truth])
    return law


def either_way(one, zero, epsilon):
    """The larger hockey-stick divergence."""
    return max(hockey_stick([(one, zero)], epsilon), hockey_stick([(zero, one)], epsilon))


def delta_by_enumeration(epsilon, alpha, others):
    one, zero = counts((1, *others), alpha), counts((0, *others), alpha)
    return either_way(one, zero, epsilon)


@pytest.mark.parametrize("n", [1, 2, 6, 40])
@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_two_binomial_tails_are_the_sum_over_all_counts(n, alpha):
    for epsilon in (0.0, 0.05, 0.29, 0.9, 1.1, 4.0):
        expected = delta_by_enumeration(epsilon, alpha, (0,) * (n - 1))
        assert shuffled_delta(epsilon, alpha, n) == pytest.approx(expected, abs=1e-14)
        mirrored = delta_by_enumeration(epsilon, alpha, (1,) * (n - 1))
        assert expected == pytest.approx(mirrored, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 6, 40])
@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_counts_and_their_losses_by_enumeration(n, alpha):
    one, zero = counts((1, *(0,) * (n - 1)), alpha), counts((0,) * n, alpha)
    found = shuffled_counts(alpha, n)
    assert np.abs(found.one - one).max() < 1e-15 and np.abs(found.zero - zero).max() < 1e-15
    assert found.loss == pytest.approx(np.log(one / zero), abs=1e-12)
    assert found.loss[-1] == pytest.approx(alpha) == pytest.approx(-found.loss[0])


def test_the_two_directions_differ():
    """n = 1000, alpha = 1, delta = 1e-6: the smaller direction alone would say 0.1161."""
    one, zero = counts((1, *(0,) * 999), 1.0), counts((0,) * 1000, 1.0)
    ends = []
    for first, second in ((one, zero), (zero, one)):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if hockey_stick([(first, second)], middle) <= 1e-6 else (middle, high)
        ends.append(high)
    assert sorted(np.round(ends, 4)) == [0.1161, 0.1266]
    assert shuffled_epsilon(1e-6, 1.0, 1000) == pytest.approx(max(ends), rel=1e-9)


@pytest.mark.parametrize("n, alpha", [(1, 1.0), (5, 0.5), (12, 2.0), (60, 1.0)])
def test_whatever_the_others_hold_is_below_the_bound(n, alpha):
    for epsilon in (0.0, 0.1, 0.4, 0.9):
        worst = max(delta_by_enumeration(epsilon, alpha, (1,) * ones + (0,) * (n - 1 - ones))
                    for ones in range(n))
        bound = shuffled_delta(epsilon, alpha, n, others="any")
        assert shuffled_delta(epsilon, alpha, n) - 1e-14 <= worst <= bound + 1e-14


def test_the_bound_is_what_an_office_sees_that_is_told_who_is_a_coin():
    """Summed over all sets of coins, n = 5."""
    alpha, n, epsilon = 1.3, 5, 0.4
    truth, coin = 1 / (1 + math.exp(-alpha)), 2 / (1 + math.exp(alpha))
    total = 0.0
    for flags in itertools.product((0, 1), repeat=n - 1):
        law = stats.binom.pmf(np.arange(sum(flags) + 1), sum(flags), 0.5)
        one, zero = np.convolve(law, [1 - truth, truth]), np.convolve(law, [truth, 1 - truth])
        total += coin ** sum(flags) * (1 - coin) ** (n - 1 - sum(flags)) * either_way(one, zero, epsilon)
    assert shuffled_delta(epsilon, alpha, n, others="any") == pytest.approx(total, rel=1e-12)


TABLE = {
    (0.5, 1000): (0.0569, 0.0627, 0.483), (1.0, 1000): (0.1266, 0.1487, 0.918),
    (1.0, 10_000): (0.0357, 0.0432, 0.389), (2.0, 10_000): (0.0870, 0.1144, 0.829),
    (3.0, 100_000): (0.0472, 0.0656, 0.588), (4.0, 1_000_000): (0.0240, 0.0343, 0.368),
}


@pytest.mark.parametrize("alpha, n", TABLE)
def test_the_table(alpha, n):
    """Rounded as printed; a Gaussian of mean 2 sinh(alpha/2)/sqrt(n) is a second road, to 5%."""
    found = (shuffled_epsilon(1e-6, alpha, n), shuffled_epsilon(1e-6, alpha, n, others="any"),
             printed_shuffled_epsilon(1e-6, alpha, n))
    assert tuple(map(round, found, (4, 4, 3))) == TABLE[alpha, n]
    assert found[0] < found[1] < found[2]
    mu, low, high = 2 * math.sinh(alpha / 2) / math.sqrt(n), 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        delta = stats.norm.cdf(mu / 2 - middle / mu) - math.exp(middle) * stats.norm.sf(mu / 2 + middle / mu)
        low, high = (low, middle) if delta <= 1e-6 else (middle, high)
    assert found[0] == pytest.approx(high, rel=0.05)


def test_certainty_is_not_amplified():
    """At delta below the chance that all say yes the loss is alpha, whatever n is."""
    for n in (1, 3, 10):
        least = math.exp(-1.0 * 2) * (1 / (1 + math.e)) ** (n - 1) * 1e-3
        assert shuffled_epsilon(least, 1.0, n) > 0.99
        assert shuffled_delta(1.0, 1.0, n) == shuffled_delta(1.5, 1.0, n, others="any") == 0.0
    assert shuffled_epsilon(0.9, 1.0, 10) == 0.0
    assert printed_shuffled_epsilon(1e-6, 3.0, 1000) == 3.0


def test_the_figure_is_an_s_about_the_likeliest_share():
    """Point-symmetric in log-odds about -alpha, within alpha; the law below is narrower for more people."""
    figure, widths = shuffled(1.0, (20, 2000), 1e-6), []
    for top, low in zip(figure.axes[::2], figure.axes[1::2], strict=True):
        where, loss = top.lines[0].get_data()
        assert loss == pytest.approx(np.log(math.exp(-1) + 2 * math.sinh(1) / (1 + np.exp(-where))), abs=1e-6)
        mirrored = np.interp(-2.0 - where, where, loss)
        inside = np.abs(where + 1) < 1.5
        assert mirrored[inside] == pytest.approx(-loss[inside], abs=0.02) and np.abs(loss).max() < 1
        at, law = low.lines[0].get_data()
        assert abs(at[law.argmax()] + 1) < 0.1
        widths.append(np.ptp(at[law > 0.5]))
    assert widths[1] < widths[0] / 5 and "0.999 of 20, 0.0862 of 2,000 people" in figure.alt


def test_more_people_and_quieter_bits_tell_less():
    for others in ("alike", "any"):
        by_n = [shuffled_epsilon(1e-6, 1.0, n, others=others) for n in (10, 100, 1000, 10_000)]
        by_alpha = [shuffled_epsilon(1e-6, alpha, 1000, others=others) for alpha in (3.0, 2.0, 1.0, 0.1)]
        assert by_n == sorted(by_n, reverse=True) and by_alpha == sorted(by_alpha, reverse=True)


@pytest.mark.parametrize("call, words", [
    (lambda: shuffled_delta(-0.1, 1.0, 10), "epsilon = -0.1"),
    (lambda: shuffled_delta(0.1, 60.0, 10), "alpha"),
    (lambda: shuffled_delta(0.1, 1.0, 0), "n = 0"), (lambda: shuffled_epsilon(0.0, 1.0, 10), "delta"),
    (lambda: shuffled_delta(0.1, 1.0, 10**8, others="any"), "n = 1"),
    (lambda: shuffled_counts(1.0, 10**8), "n = 1"), (lambda: shuffled_counts(60.0, 5), "alpha"),
    (lambda: shuffled_epsilon(0.1, 1.0, 10, others="all"), "others")])
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()

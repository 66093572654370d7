"""Exponents of density estimation over Besov balls: the twofold elbow, its frontiers and its logarithms."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ldp_lib.theory import (
    DenseFamily,
    adaptive_density_rate,
    crossover_alpha,
    density_elbows,
    density_exponent,
    density_rate,
    linear_density_exponent,
    noisy_data_exponent,
)

smoothness, loss, norm = st.floats(0.1, 6), st.floats(1, 12), st.floats(1, 50)


@pytest.mark.parametrize(("s", "p", "r", "private", "plain"), [
    (1.0, 2.0, 2.0, (1 / 2, "dense"), (2 / 3, "dense")),
    (0.5, 2.0, 2.0, (1 / 3, "dense"), (1 / 2, "dense")),
    (2.0, 1.0, 4.0, (4 * 1.25 / 4, "between"), (8 / 5, "dense")),
    (1.5, 1.0, 6.0, (6 * (0.5 + 1 / 6) / 3, "sparse"), (6 * (0.5 + 1 / 6) / 2, "sparse")),
    (1.0, math.inf, 3.0, (3 / 4, "dense"), (1.0, "dense")),
])
def test_exponents_by_hand(s, p, r, private, plain):
    exponent, regime = density_exponent(s, p, r)
    assert (pytest.approx(exponent), regime) == private
    exponent, regime = density_exponent(s, p, r, private=False)
    assert (pytest.approx(exponent), regime) == plain


@given(smoothness, loss)
def test_lines_meet_at_their_frontier(s, r):
    """A hair below its elbow an exponent has the value that it has above; only the logarithm jumps."""
    for elbow, exponent in zip(density_elbows(s, r), (
            lambda p: density_exponent(s, p, r), lambda p: density_exponent(s, p, r, private=False)),
                               strict=True):
        assume(elbow > 1 + 1e-6 and s * elbow > 1 + 1e-6)
        below, above = exponent(elbow * (1 - 1e-9)), exponent(elbow * (1 + 1e-9))
        assert below.exponent == pytest.approx(above.exponent, rel=1e-6)
        assert above.log_power == 0 and below.log_power == below.exponent and below.regime != "dense"


@given(smoothness, norm, loss)
def test_privacy_costs_noise_on_the_data_costs_more(s, p, r):
    assume(s * p > 1 + 1e-9)
    lines = density_exponent(s, p, r, private=False), density_exponent(s, p, r), noisy_data_exponent(s, p, r)
    plain, private, data = lines
    assert plain.exponent > private.exponent > data.exponent > 0
    # Sparse without privacy is sparse with it, and with noise on X.
    assert plain.regime == "dense" or private.regime == data.regime == "sparse"
    assert (private.regime == "between") == (private.log_power > 0 and plain.regime == "dense")
    for private in (True, False):
        linear, best = linear_density_exponent(s, p, r, private), density_exponent(s, p, r, private)
        assert linear.exponent <= best.exponent * (1 + 1e-12) and linear.log_power == 0
        if p >= r:
            assert linear.exponent == best.exponent and linear.regime == "homogeneous"
        elif best.regime == "dense":
            assert linear.exponent < best.exponent


@given(smoothness, loss)
def test_exponent_falls_as_densities_get_spikier(s, r):
    inverse = np.linspace(0, min(1.0, s * (1 - 1e-9)), 60)
    with np.errstate(divide="ignore"):
        p = 1 / inverse
    for private in (True, False):
        exponent, regime = density_exponent(s, p, r, private)
        assert exponent.shape == regime.shape == p.shape
        assert (np.diff(exponent) <= 1e-12).all()
        assert [density_exponent(s, one, r, private) for one in p] == list(zip(exponent, regime, strict=True))


def test_elbows_bend_where_the_regime_changes():
    s, r = 2.0, 9.0
    private, plain = density_elbows(s, r)
    assert (private, plain) == (3.0, 1.8)
    p = np.array([1.79, 1.8, 1.81, 2.99, 3.0, 3.01])
    assert density_exponent(s, p, r).regime.tolist() == ["sparse", "sparse", "between", "between", "between",
                                                         "dense"]
    assert density_exponent(s, p, r, private=False).regime.tolist() == ["sparse", "sparse", *4 * ["dense"]]


def test_noise_on_the_data_has_degree_two():
    assert noisy_data_exponent(1, 2, 2) == (2 / 7, "dense")
    s, p, r = 2.0, 1.0, 8.0
    assert p <= 5 * r / (2 * s + 5)
    assert noisy_data_exponent(s, p, r) == (pytest.approx(r * (s - 1 + 1 / r) / (2 * (s - 1) + 5)), "sparse")


@given(st.floats(2, 15), st.floats(-2, 1), smoothness, norm, loss)
def test_rates_are_powers_with_their_logarithms(log_n, log_alpha, s, p, r):
    assume(s * p > 1 + 1e-9)
    n, alpha = 10**log_n, 10**log_alpha
    rate, plain = density_rate(n, alpha, s, p, r), density_rate(n, alpha, s, p, r, private=False)
    assert rate >= plain > 0
    people = n * math.expm1(alpha) ** 2
    for size, value, line in ((n, plain, density_exponent(s, p, r, private=False)),
                              (people, rate, density_exponent(s, p, r))):
        own = size**-line.exponent * max(math.log(size), 1) ** line.log_power
        assert value == pytest.approx(own) or value > own and value == plain
    adaptive = adaptive_density_rate(n, alpha, s, p, r, nu=1.2)
    line, plain_line = density_exponent(s, p, r), density_exponent(s, p, r, private=False)
    own = [max(math.log(size), 1) ** ((2 * nu + 1) * e.exponent) * size**-e.exponent
           for size, e, nu in ((n, plain_line, 0.0), (n * alpha**2, line, 1.2))]
    assert adaptive == pytest.approx(max(own))


def test_crossover_is_where_the_two_dense_rates_meet():
    n, s = 1e8, 0.75
    alpha = crossover_alpha(n, s)
    private = density_exponent(s, 2, 2).exponent
    assert (n * alpha**2) ** -private == pytest.approx(density_rate(n, 1.0, s, 2, 2, private=False))


def test_a_growing_budget_leaves_the_corollary_a_lower_bound_only():
    """At alpha = log(n) / 4 the dense family's bound falls more slowly than the maximum of the two rates."""
    ends = 10**12, 10**18
    for budget, slope in ((lambda n: 1.0, -0.501), (lambda n: math.log(n) / 4, -0.632)):
        bounds = [DenseFamily(n, budget(n), s=1, p=2, r=2).bound for n in ends]
        rates = [density_rate(n, budget(n), 1, 2, 2) for n in ends]
        found, promised = (math.log(b / a) / math.log(1e6) for a, b in (bounds, rates))
        assert found == pytest.approx(slope, abs=2e-3)
        assert promised == pytest.approx(-1 / 2 if budget(ends[0]) == 1 else -2 / 3)


def test_rates_broadcast_over_people():
    n = np.array([1e4, 1e6, 1e8])
    rate = density_rate(n, 0.5, 1, 2, 2)
    assert rate.shape == (3,) and rate[1] == density_rate(1e6, 0.5, 1, 2, 2)
    assert np.diff(np.log(rate)) / np.diff(np.log(n)) == pytest.approx(-0.5)


@pytest.mark.parametrize(("bad", "name"), [
    (dict(s=0.0), "s"), (dict(s=math.nan), "s"), (dict(p=0.5), "p"), (dict(p=math.nan), "p"),
    (dict(r=0.5), "r"),
    (dict(s=0.8, p=1.0, r=8.0), "s"), (dict(r=math.inf), "r"), (dict(p=[2.0, 0.9]), "p"),
])
def test_bad_arguments_are_named(bad, name):
    good = dict(s=1.0, p=2.0, r=2.0)
    for function in (density_exponent, noisy_data_exponent, linear_density_exponent):
        with pytest.raises(ValueError, match=rf"^{name} = "):
            function(**(good | bad))


def test_bad_people_are_named():
    for bad, name in ((dict(n=0), "n"), (dict(alpha=-1.0), "alpha"), (dict(n=[10, math.inf]), "n")):
        with pytest.raises(ValueError, match=f"^{name} = "):
            density_rate(**(dict(n=10, alpha=1.0, s=1, p=2, r=2) | bad))
    with pytest.raises(ValueError, match="s > 1/p"):
        adaptive_density_rate(1e6, 1.0, s=0.5, p=2, r=2)
    with pytest.raises(ValueError, match="nu"):
        adaptive_density_rate(1e6, 1.0, s=1, p=2, r=2, nu=1.0)


def test_one_p_too_small_for_s_refuses_the_whole_array():
    """As its own number does: the exponents of the others would stand beside a wrong one."""
    assert linear_density_exponent(0.3, [4.0, 2.0], 2.0).regime.tolist() == ["homogeneous"] * 2
    for p in (1.0, [4.0, 1.0], [1.0, 4.0]):
        with pytest.raises(ValueError, match=r"s\* = .* -0.2 must be > 0"):
            linear_density_exponent(0.3, p, 2.0)
    for p in (1.0, [9.0, 1.0]):
        with pytest.raises(ValueError, match=r"s = 0.4 is too small for p = 1"):
            density_exponent(0.4, p, 2.0)
        with pytest.raises(ValueError, match=r"s = 0.9 is too small: Theorem 5.1"):
            adaptive_density_rate(1e6, 1.0, 0.9, p, 1.0)

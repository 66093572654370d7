"""Bounds on the excess risk: lower <= exact risk of the cube mechanism <= upper, and every inequality they
rest on."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.stats import binom

from ldp_lib.estimation import CellClassifier, NoisyMajorityClassifier
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk
from ldp_lib.risk.scores import cube_sign_probabilities, wrong_side_probability
from ldp_lib.theory import (
    classification_exponent,
    distinguishability,
    lower_bound,
    curator_bound,
    sandwich,
    theorem_bandwidth,
    upper_bound,
)
from ldp_lib.nature.hypercube import BUMPS, bump_constants, bump_profile
from ldp_lib.theory.contraction import (
    CONTRACTIONS,
    indistinguishability,
    randomised_response,
    total_variation,
)
from ldp_lib.theory.classification.lower import best_separation
from ldp_lib.theory.classification.upper import mean_distance, printed_constant, worst_error

FINE = 2**15


class Line:
    """A law on [0, 1] as masses and margins on a fine grid of intervals: enough for exact risks in d = 1."""

    def __init__(self, mass, margin):
        self.mass, self.margin = mass, margin          # per interval: P(X there), eta - 1/2

    def within(self, values, lower, upper):
        total = np.concatenate([[0.0], np.cumsum(values)])
        return np.diff(np.interp(np.stack([lower, upper]) * FINE, np.arange(FINE + 1), total), axis=0)[0]

    def cube_risk(self, n, alpha, h):
        """Exact excess risk of the cube classifier with n people in all."""
        j = np.arange(math.ceil(1 / h) + 1)
        cubes, cells = ((np.clip((j - side) * h, 0, 1), np.clip((j + side) * h, 0, 1)) for side in (1, 0.5))
        p = np.clip(self.within(self.mass, *cubes), 0, 1)
        q = np.clip(self.within(self.mass * (0.5 + self.margin), *cubes), 0, p)
        zero, one = cube_sign_probabilities(n // 2, p, q, 4 / alpha)
        gains = [self.within(2 * self.mass * np.maximum(sign * self.margin, 0), *cells) for sign in (1, -1)]
        return float(gains[0] @ zero + gains[1] @ one)


MIDDLES = (np.arange(FINE) + 0.5) / FINE


def hypercube_law(bound, L, beta, signs):
    """The laws of `lower_bound` in d = 1: bumps on plateaus, the rest of the people where eta = 1/2."""
    q, m, w = bound.q, bound.m, bound.w
    cell = np.floor(MIDDLES * 2 * q).astype(int)
    active = cell < m
    distance = np.abs(MIDDLES - (cell + 0.5) / (2 * q))
    plateau = active & (distance < 1 / (8 * q))
    mass = np.where(plateau, w / max(plateau.sum() / m, 1),
                    np.where(active, 0.0, (1 - m * w) / max((~active).sum(), 1)))
    bump = bound.separation / w * bump_profile("ramp", q * distance)
    return Line(mass,
                np.where(active, np.append(signs, np.zeros(2 * q))[np.minimum(cell, m)] * bump / 2, 0.0))


@pytest.mark.share(4)
@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize("n", [10**3, 10**5, 10**7])
def test_the_exact_worst_risk_on_the_hypercube_lies_between(n, alpha, beta, gamma):
    """All sign patterns of up to 4 bumps, at several h; every contraction constant, every kind of upper
    bound."""
    L, C0 = 2.0, 4.0
    for contraction in CONTRACTIONS:
        bound = lower_bound(n, alpha, beta, gamma, 1, L=L, C0=C0, contraction=contraction)
        if bound.m > 4 or bound.q > 200:
            patterns = np.random.default_rng(1).choice([-1, 1], size=(8, bound.m))
        else:
            patterns = itertools.product((-1, 1), repeat=bound.m)
        laws = [hypercube_law(bound, L, beta, np.array(signs)) for signs in patterns]
        start = theorem_bandwidth(n, alpha, beta, 1, L)
        for h in (start / 2, start, 3 * start):
            risks = [law.cube_risk(n, alpha, h) for law in laws]
            assert bound.value <= max(risks) * (1 + 1e-6)
            for kind in ("printed", "sharp", "fine"):
                limit = upper_bound(n, alpha, beta, gamma, 1, L=L, C0=C0, c0=bound.c0, mu=bound.mu,
                                    r0=bound.r0, kind=kind, h=h)
                assert max(risks) <= limit.value * (1 + 1e-6), (kind, h)


@pytest.mark.share(3)
@pytest.mark.parametrize("n", [200, 10**4, 10**6, 10**8])
@pytest.mark.parametrize("alpha", [0.2, 1.0, 4.0])
def test_members_with_uniform_x_lie_between(n, alpha):
    L, C0 = 1.0, 2.0
    bound = lower_bound(n, alpha, 1.0, 1.0, 1, L=L, C0=C0, uniform_X=True)
    assert bound.m in (1, 2)
    width = math.sqrt(bound.separation / L)
    bumps = [Line(np.full(FINE, 1 / FINE),
                  a * L * np.maximum(width - MIDDLES, 0) + b * L * np.maximum(width - 1 + MIDDLES, 0))
             for a, b in itertools.product((1, -1), repeat=2)]
    lines = [Line(np.full(FINE, 1 / FINE), sign * np.clip(L * (MIDDLES - centre), -0.5, 0.5))
             for sign in (1, -1) for centre in (0, 0.3, 0.5, 1)]
    for pieces in (2, 5, 12, 40):
        h = 1 / pieces
        risks = [law.cube_risk(n, alpha, h) for law in bumps + lines]
        if bound.m == 2:
            assert bound.value <= max(risks[:4]) * (1 + 1e-3)        # the grid cuts the bumps
        for kind in ("sharp", "fine"):
            assert max(risks) <= upper_bound(n, alpha, 1.0, 1.0, 1, L=L, C0=C0, kind=kind, h=h,
                                             uniform_X=True).value
        assert max(risks) <= upper_bound(n, alpha, 1.0, 1.0, 1, L=L, C0=C0, kind="fine", h=h, c0=0.5, mu=1.0,
                                         r0=0.5).value


def test_sharp_tail_bounds_every_admissible_cube():
    """Any p and q with q - p/2 >= t, few and many people: the tail of the most spread-out law is larger."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        half, alpha, d = int(10 ** rng.uniform(0, 8)), rng.uniform(0.05, 8), int(rng.integers(1, 4))
        b = 2 ** (d + 1) / alpha
        p = rng.uniform(0, 1, 20)
        most = min(0.5, 6 * b / math.sqrt(half))
        t = np.minimum(rng.uniform(0, most, 20), p / 2)
        limit = worst_error(half, alpha, d, t) * (1 + 1e-9)
        extra = rng.uniform(0, 1, 20) * (p / 2 - t) * rng.integers(0, 2, 20)
        assert (cube_sign_probabilities(half, p, p / 2 + t + extra, b)[0] <= limit).all()
        assert (cube_sign_probabilities(half, p, p / 2 - t - extra, b)[1] <= limit).all()


def test_wrong_side_falls_in_q_and_the_worst_tail_in_t():
    q = np.linspace(0.15, 0.3, 40)
    assert (np.diff(wrong_side_probability(2000, 0.3, q, 4.0)) <= 0).all()
    assert (np.diff(worst_error(2000, 1.0, 1, np.linspace(0, 0.5, 60))) <= 0).all()


def test_the_printed_constant():
    assert printed_constant(1.0, 1.0, 1, 0.5) == pytest.approx(9.37e4, rel=1e-3)
    # Term by term, with an obviously sufficient number of shells.
    kappa = 0.3**2 * 2**0.7 * 2.0 ** (1.4 - 16)
    series = 1 + sum(2 ** (1.5 * j) * math.exp(-kappa * 4.0**j) for j in range(1, 60))
    assert printed_constant(0.7, 0.5, 2, 0.3) == pytest.approx((2 * 2**0.5) ** (0.7 * 1.5) * 2**2.5 * series)


def test_the_printed_bound_at_any_bandwidth():
    """n' alpha^2 L^2 mu^2 h^(2d + 2 beta) min(1, 2 r0 / h)^(2d), alpha at most 1, multiplies kappa."""
    for n, alpha, h in ((10**9, 0.5, 0.2), (10**5, 3.0, 0.05)):
        bound = upper_bound(n, alpha, 0.7, 0.5, 2, L=1.3, C0=3.0, c0=0.3, mu=0.8, r0=0.05, h=h,
                            kind="printed")
        people = n / 2 * min(alpha, 1) ** 2 * 1.3**2 * 0.8**2 * h**5.4 * min(1.0, 0.1 / h) ** 4
        constant = printed_constant(0.7, 0.5, 2, 0.3, people)
        assert bound.parts["constant"] == pytest.approx(constant)
        assert bound.parts["untruncated"] == pytest.approx(constant * 3.0 * (1.3 * h**0.7) ** 1.5)


def test_each_kind_of_upper_bound_is_sharper_than_the_one_before():
    for n, beta, gamma, d in ((10**8, 1.0, 1.0, 1), (10**10, 0.5, 2.0, 2), (10**12, 1.0, 0.0, 2)):
        values = [upper_bound(n, 1.0, beta, gamma, d, kind=kind) for kind in ("printed", "sharp", "fine")]
        values.append(upper_bound(n, 1.0, beta, min(gamma, 1 / beta), d, kind="fine", uniform_X=True))
        sizes = [bound.parts["untruncated"] for bound in values]
        assert (np.diff(sizes) < 0).all()
        best = values[2]
        for factor in (0.8, 1.25):
            assert upper_bound(n, 1.0, beta, gamma, d, kind="fine",
                               h=best.h * factor).parts["untruncated"] >= sizes[2] * 0.999
    few = upper_bound(10, 1.0, 1.0, 1.0, 1, kind="printed")
    assert few.value == 1.0 and few.parts["trivial"] and few.parts["untruncated"] > 1


@pytest.mark.parametrize(("beta", "gamma", "d"),
                         [(1.0, 0.0, 1), (1.0, 1.0, 1), (0.5, 1.0, 1), (0.5, 2.0, 1), (1.0, 1.0, 2)])
def test_all_bounds_have_the_exponent_of_the_theorem(beta, gamma, d):
    low, high, exponent = 10**17, 10**20, classification_exponent(beta, gamma, d)
    bounds = [lambda n,
              kind=kind: upper_bound(n, 1.0, beta, gamma, d, C0=8.0, kind=kind) for kind in ("printed",
                                                                                             "sharp", "fine")]
    bounds += [lambda n,
               kind=kind: lower_bound(n, 1.0, beta, gamma, d, C0=8.0, kind=kind) for kind in ("working",
                                                                                              "optimised")]
    bounds.append(lambda n: upper_bound(n, 1.0, beta, gamma, d, C0=8.0, kind="fine", uniform_X=True))
    bounds.append(lambda n: lower_bound(n, 1.0, beta, gamma, d, C0=8.0, uniform_X=True))
    for bound in bounds:
        ends = bound(low), bound(high)
        value = [getattr(end, "parts", {}).get("untruncated") or end.value for end in ends]
        slope = math.log(value[0] / value[1]) / math.log(high / low)
        assert slope == pytest.approx(exponent, abs=0.01)


def test_the_ratio_of_the_bounds():
    """n = 1e6, alpha = d = beta = gamma = 1: uniform X, and a class that holds it, with everything proved."""
    args = (10**6, 1.0, 1.0, 1.0, 1)
    uniform = upper_bound(*args, kind="fine", uniform_X=True).value / lower_bound(*args, uniform_X=True).value
    local = dict(mu=1.0, c0=0.5, r0=1 / 32)
    whole = [upper_bound(*args, kind="fine", **theta).value / lower_bound(*args,
                                                                          **theta).value for theta in ({},
                                                                                                       local)]
    assert 29 < uniform < 31 and 600 < whole[0] < 700 and 350 < whole[1] < 450


def test_lower_bounds_improve_with_contraction_and_choice():
    for n, alpha, beta, gamma, d in itertools.product((10**3, 10**7), (0.1, 1.0), (0.4, 1.0), (0.0, 1.0),
                                                      (1, 2)):
        values = []
        for contraction in CONTRACTIONS:
            working = lower_bound(n, alpha, beta, gamma, d, kind="working", contraction=contraction)
            values.append(lower_bound(n, alpha, beta, gamma, d, contraction=contraction, mu=working.mu).value)
            assert values[-1] >= 0.99 * working.value > 0
        values = [lower_bound(n, alpha, beta, gamma, d,
                              contraction=contraction).value for contraction in CONTRACTIONS]
        assert (np.diff(values) >= 0).all()
        for bump in BUMPS:
            assert lower_bound(n, alpha, beta, gamma, d, bump=bump).value <= values[-1] * (1 + 1e-9)


def test_the_hypercube_found_is_in_the_class():
    for n, beta, gamma, d, mu in itertools.product((10**4, 10**9), (0.5, 1.0), (0.0, 1.0), (1, 2),
                                                   (0.01, 0.3, 1.0)):
        L, C0 = 1.5, 3.0
        bound = lower_bound(n, 1.0, beta, gamma, d, L=L, C0=C0, mu=mu)
        if bound.value == 0:
            continue
        height = bound.separation / bound.w
        assert height <= L * bump_constants("ramp", beta).c_eta * bound.q**-beta * (1 + 1e-9) and height <= 1
        assert bound.m <= bound.q**d and bound.m * bound.w <= min(1, C0 * (height / 2) ** gamma) * (1 + 1e-9)
        assert bound.mu >= mu * (1 - 1e-9)


def test_no_rule_beats_the_bound_in_a_game_that_can_be_enumerated():
    """Three people, two cells, randomised response on (cell, label): the best guess of all signs, over all
    reports."""
    w, height, alpha, n = 0.3, 0.6, 1.0, 3
    kernel = randomised_response(alpha, 5)                      # cell 1 or 2 times label, or elsewhere
    laws = {}
    for signs in itertools.product((1, -1), repeat=2):
        person = [w * (1 + label * sign * height) / 2 for sign in signs for label in (1, -1)] + [1 - 2 * w]
        laws[signs] = np.array(person) @ kernel
    delta = w * height
    assert total_variation(laws[1, 1] @ np.linalg.inv(kernel),
                           laws[-1, 1] @ np.linalg.inv(kernel)) == pytest.approx(delta)
    risk = 0.0
    for reports in itertools.product(range(5), repeat=n):
        likelihood = {signs: law[list(reports)].prod() / 4 for signs, law in laws.items()}
        for k in (0, 1):
            risk += delta * min(sum(value for signs,
                                    value in likelihood.items() if signs[k] == s) for s in (1, -1))
    assert 0.5 * 2 * delta * indistinguishability(n, alpha, delta) <= risk


def test_best_separation_is_best():
    for n, alpha, contraction in itertools.product((1, 100, 10**8), (0.1, 1.0, 5.0), CONTRACTIONS):
        best = best_separation(n, alpha, contraction)
        value = lambda size: size * (1 - distinguishability(n, alpha, size, contraction))      # noqa: E731
        assert all(value(min(1.0, best * factor)) <= value(best) * (1 + 1e-6) for factor in (0.5, 0.95, 1.05,
                                                                                             2))


def test_mean_distances_by_quadrature():
    for beta, x0 in itertools.product((0.3, 1.0), (0.0, 0.2, 1.0)):
        exact = quad(lambda x: abs(x - x0) ** beta, -1, 1, points=[x0])[0] / 2
        assert mean_distance([-1], [1], [x0], beta) == pytest.approx(exact, rel=1e-8)
    exact = dblquad(lambda x, y: math.hypot(x, y) ** 0.5, -0.5, 1.5, -0.25, 0.75)[0] / 2
    assert mean_distance([-0.5, -0.25], [1.5, 0.75], [0, 0], 0.5) == pytest.approx(exact, rel=1e-6)
    # Convex along each axis: no inner point of the cell is worse than a corner.
    corner = mean_distance([-1, -1], [1, 1], [0.5, 0.5], 0.4)
    assert all(mean_distance([-1, -1], [1, 1], x0,
                             0.4) <= corner for x0 in np.random.default_rng(1).uniform(-0.5, 0.5, (30, 2)))


GOOD = dict(n=1000, alpha=1.0, beta=1.0, gamma=1.0, d=1)


@pytest.mark.parametrize("bad", [
    dict(n=1), dict(n=10.5), dict(alpha=0), dict(alpha=math.nan), dict(beta=1.5), dict(gamma=-1), dict(d=0),
    dict(L=0),
    dict(C0=-1), dict(c0=0.6), dict(mu=0), dict(r0=0), dict(kind="best"), dict(h=0.0),
    dict(uniform_X=True, h=0.3), dict(uniform_X=True, kind="printed")])
def test_bad_arguments_of_the_upper_bound_are_named(bad):
    with pytest.raises(ValueError, match=list(bad)[-1] if "uniform_X" not in bad else "uniform_X"):
        upper_bound(**GOOD | bad)


@pytest.mark.parametrize("bad", [
    dict(n=0), dict(alpha=-1), dict(beta=0), dict(gamma=2), dict(d=1.5), dict(L=math.inf), dict(C0=0),
    dict(c0=0.6),
    dict(bump="box"), dict(kind="best"), dict(contraction="none"), dict(mu=-1), dict(r0=-1),
    dict(kind="working", alpha=0.01), dict(r0=0.6), dict(kind="working", uniform_X=True),
    dict(d=2, gamma=2.0, uniform_X=True)])
def test_bad_arguments_of_the_lower_bound_are_named(bad):
    with pytest.raises(ValueError, match=list(bad)[-1]):
        lower_bound(**GOOD | bad)


@pytest.mark.parametrize("n", [10, 10**4, 10**8])
def test_best_separation_without_privacy_is_known(n):
    """Whoever is seen tells the sign: D = 1 - (1 - Delta)^n; Delta (1 - D) is largest at 1 / (n + 1)."""
    assert best_separation(n, 700.0, "dominating") == pytest.approx(1 / (n + 1), rel=1e-2)


def test_sides_of_the_minimax_risk_are_near_each_other():
    """30 and 655 with the paper's rule."""
    assert sandwich(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True).ratio < 5
    assert sandwich(10**6, 1.0, 1.0, 1.0, 1).ratio < 56
    ratios = [sandwich(10**6, alpha, 1.0, 1.0, 1, uniform_X=True).ratio for alpha in (0.05, 0.5, 2, 4, 6)]
    assert max(ratios) < 8


@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 1.0), (0.5, 1.0), (1.0, 0.3), (0.7, 1.2)])
@pytest.mark.parametrize("alpha", [0.2, 1.0, 4.0])
def test_laws_of_the_class_are_below_the_upper_side(alpha, beta, gamma):
    """The exact risk of the very rule: mechanism and cells of the bound, on an extremal law of the class."""
    law, n = problem("holder", beta=beta, gamma=gamma), 100_000
    theta = law.theta
    both = sandwich(n, alpha, beta, gamma, 1, L=theta.L, C0=theta.C0, uniform_X=True)
    rule = CellClassifier(alpha, both.side, mechanism="best")
    assert 0 < excess_risk(rule, law, n) <= both.upper


@pytest.mark.parametrize("alpha", [0.3, 1.0, 20.0])
@pytest.mark.parametrize("n", [2, 3, 10, 101])
def test_constant_laws_are_below_the_upper_side_at_the_smallest_crowds(n, alpha):
    """One cell, eta = 1/2 + u or 1/2 - u, and votes 1 with probability 1/2 + u tanh(alpha/2): ties matter."""
    both = sandwich(n, alpha, 1.0, 0.0, 1, L=0.001, C0=1.0, uniform_X=True)
    u = np.linspace(0.001, 0.5, 500)
    votes = binom(n, 0.5 + u * math.tanh(alpha / 2))
    minority, tie = votes.cdf((n - 1) // 2), votes.pmf(n / 2)
    assert both.side == 1 and both.lower <= (2 * u * (minority + tie / 2)).max() <= both.upper
    if n % 2 == 0:                           # a rule without the coin, on the side where ties are wrong
        assert (2 * u * (minority + tie)).max() > both.upper


@pytest.mark.share(3)
@pytest.mark.parametrize("uniform_X", [True, False])
@pytest.mark.parametrize(("beta", "gamma", "d"), [(1.0, 1.0, 1), (0.5, 0.5, 2), (0.3, 0.0, 1)])
def test_the_sides_of_the_minimax_risk_are_in_order(beta, gamma, d, uniform_X):
    corners = itertools.product((2, 10**8), (1e-3, 700.0))
    for n, alpha in (*corners, *itertools.product((30, 10**4), (1.0, 10.0))):
        both = sandwich(n, alpha, beta, gamma, d, uniform_X=uniform_X)
        assert 0 <= both.lower <= both.upper <= 2.0**-gamma * 2


def test_a_law_outside_the_class_breaks_the_upper_side():
    """A bound for flat eta, and a law that is steep: the saboteur of the Hölder condition."""
    law = problem("holder", beta=1.0, gamma=1.0)
    both = sandwich(10**7, 1.0, 1.0, 1.0, 1, L=0.02, C0=law.theta.C0, uniform_X=True)
    assert excess_risk(CellClassifier(1.0, both.side, mechanism="best"), law, 10**7) > both.upper


def test_a_curator_is_below_what_no_local_rule_can_reach():
    """And the exact risk of the curator's rule on an extremal law is below its bound."""
    for n in (10**3, 10**6):
        assert curator_bound(n, 1.0, 1.0, 1.0, 1) < sandwich(n, 1.0, 1.0, 1.0, 1, uniform_X=True).lower
    law, n = problem("holder"), 10_000
    bound = curator_bound(n, 0.3, 1.0, 1.0, 1, L=law.theta.L, C0=law.theta.C0)
    risks = [excess_risk(NoisyMajorityClassifier(0.3, side=1 / m), law, n) for m in range(2, 60)]
    assert 0 < min(risks) <= bound

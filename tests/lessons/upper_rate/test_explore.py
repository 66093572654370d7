"""The rate from above: exact risk of hypercubes at their worst signs, its slope, bounds, and the panel."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, norm

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons.upper_rate.explore import CURVES, everything, glance
from ldp_lib.lessons.upper_rate.numbers import FIRST, COUNTS, TRIED, between, margin_constant, rates, sweep
from ldp_lib.lessons.upper_rate.story import STORY
from ldp_lib.live import corners, panel
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk
from ldp_lib.risk.hypercube import (
    WIDEST, Bumps, largest_bumps, narrow_risk, theorem_bumps, wide_risk, worst_signs_risk,
)
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.stage import deck, figure, still
from ldp_lib.theory import classification_exponent, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.upper import sharp_bounds, worst_error

CLASSES = [(1.0, 0.0, 1), (1.0, 1.0, 1), (0.5, 1.0, 1), (0.5, 2.0, 1), (1.0, 1.0, 2), (0.5, 2.0, 2)]


def vertex(bumps, q, beta, d, signs):
    """The problem with these bumps and signs; q must be whole."""
    return problem(
        "hypercube", q=q, m=len(signs), w=float(bumps.w), beta=beta, signs=signs, d=d, c_phi=4.0**-beta)


@pytest.mark.parametrize("d, q, k, beta", [
    (1, 4, 1, 1.0), (1, 2, 2, 0.5), (1, 2, 3, 1.0), (1, 1, 4, 0.5), (1, 2, 5, 0.5),
    (2, 2, 1, 1.0), (2, 1, 2, 0.5), (2, 1, 3, 0.5), (2, 2, 3, 1.0),
])
@pytest.mark.parametrize("alpha", [0.5, 8.0])
def test_wide_bumps_have_the_risk_of_their_worst_vertex(d, q, k, beta, alpha):
    """A few integrals against the general formula over all cells, at each of all vertices."""
    bumps = largest_bumps(1 / (4 * q), beta, 1.0, d)
    rule, m = CubeClassifier(alpha, 1 / (4 * q * k), noise="real"), int(bumps.m)
    risks = [excess_risk(rule, vertex(bumps, q, beta, d, 1 - 2 * (code >> np.arange(m) & 1)), 20_000)
             for code in range(2**m)]
    assert wide_risk(20_000, alpha, k, bumps, d) == pytest.approx(max(risks), rel=1e-10)


@pytest.mark.parametrize("d, q, beta, gamma", [
    (1, 8, 1.0, 0.5), (1, 4, 1.0, 1.0), (2, 4, 0.5, 1.0), (2, 2, 1.0, 2.0)])
def test_narrow_bumps_cost_their_bias_at_any_size_of_the_sample(d, q, beta, gamma):
    h = 1 / (2 * q)
    bumps = largest_bumps(h / 2, beta, gamma, d, C0=margin_constant(gamma))
    m = int(bumps.m)
    row = min(m, q)
    law = vertex(bumps, q, beta, d, 1 - 2 * (np.arange(row * (m // row)) % q % 2))
    few, many = (excess_risk(CubeClassifier(8.0, h, noise="real"), law, n) for n in (10**4, 10**12))
    assert many == pytest.approx(narrow_risk(h, beta, gamma, d, C0=margin_constant(gamma)), rel=1e-9)
    assert few >= many * (1 - 1e-12)


def test_two_heights_are_worse_than_one():
    """Bumps 6h and 12h wide, n = 1e8, h = 1/86, alpha = beta = gamma = d = 1: in the class, and .0029 against
    .0023.

    From the masses of all cells of the classifier, as for any law in d = 1.
    """
    n, h = 10**8, 1 / 86
    one = max(float(wide_risk(n, 1.0, k, largest_bumps(k * h, 1.0, 1.0, 1, C0=4.0), 1))
              for k in range(1, 44))
    assert one == pytest.approx(0.00231, abs=1e-5)
    # Two bumps of 6h and one of 12h in the middle of cells twice as wide, from 19h on; people fill the rest.
    starts, ends = (np.array(sides) * h for sides in ((22, 34, 49), (28, 40, 61)))
    height = (ends - starts).round(12)
    rest = (1 - height.sum()) / (1 - 48 * h)
    assert rest >= 1
    for t in (6 * h, 12 * h):
        assert height[height <= t + 1e-9].sum() <= 4 * (t / 2) * (1 + 1e-9)         # the margin condition
    gaps = starts[1:] - ends[:-1]
    assert ((height[1:] + height[:-1]) / 2 <= gaps + 1e-9).all()                 # Hölder, at opposite signs

    def support(low, high):
        """How much of [low, high] the bumps and the rest have: (5, len(low))."""
        pieces = [np.minimum(high, end) - np.maximum(low, start)
                  for start, end in zip([*starts, 0.0, 67 * h], [*ends, 19 * h, 1.0], strict=True)]
        return np.maximum(pieces, 0.0)

    inside = np.linspace(0, 1, 4001)
    inside = inside[(support(inside - 1e-9, inside + 1e-9) > 0).any(axis=0)]
    for r in np.geomspace(1e-3, 0.5, 60):
        # c0 = 1/4 up to r0 = 1/2; half of the ball about an end of [0, 1] is filled.
        assert (support(inside - r, inside + r).sum(axis=0) >= 0.25 * 2 * r * (1 - 1e-6)).all()
    points = np.arange(87) * h
    cube = support(points - h, points + h)
    cell = support(points - h / 2, points + h / 2)
    p = cube[:3].sum(axis=0) + rest * cube[3:].sum(axis=0)
    surplus = (cube[:3] * height[:, None]).sum(axis=0) / 2
    zero, _ = cube_sign_probabilities(n // 2, p, p / 2 + surplus, 4.0)
    two = float((cell[:3] * height[:, None]).sum(axis=0) @ zero)
    assert two == pytest.approx(0.00292, abs=1e-5) and two > 1.2 * one
    low, high = largest_bumps(6 * h, 1.0, 1.0, 1, C0=4.0), Bumps(12 * h, 1, 12 * h, 12 * h)
    added = wide_risk(n, 1.0, 6, low, 1) + wide_risk(n, 1.0, 12, high, 1)
    assert two == pytest.approx(float(added), rel=1e-9)


@pytest.mark.parametrize("beta, gamma, d", CLASSES)
def test_slope_of_the_tuned_hypercube_is_the_theorems(beta, gamma, d):
    """Within 0.01 over n = 1e6 ... 1e12, by least squares and from end to end."""
    n = np.logspace(6, 12, 25).round().astype(int)
    h = np.array([theorem_bandwidth(size, 1.0, beta, d) for size in n])
    risks = np.log(wide_risk(n, 1.0, 1, theorem_bumps(h, beta, gamma, d), d))
    promised = classification_exponent(beta, gamma, d)
    assert -np.polyfit(np.log(n), risks, 1)[0] == pytest.approx(promised, abs=0.01)
    assert -(risks[-1] - risks[0]) / np.log(n[-1] / n[0]) == pytest.approx(promised, abs=0.01)


@pytest.mark.parametrize("beta, gamma, d", CLASSES)
def test_hypercubes_are_in_the_class(beta, gamma, d):
    """Margin, mass and density, for `margin_constant` and mu = 1, at many widths."""
    delta, C0 = np.geomspace(1e-4, WIDEST, 200), margin_constant(gamma)
    for bumps in (largest_bumps(delta, beta, gamma, d, C0=C0), theorem_bumps(delta, beta, gamma, d)):
        mass, some = bumps.m * bumps.w, bumps.m > 0
        assert some[:-1].all() and (mass <= 1).all()
        assert (mass <= C0 * (bumps.height / 2) ** gamma * (1 + 1e-9)).all()
        assert (bumps.w[some] >= delta[some] ** d * (1 - 1e-9)).all()
        assert ((1 - mass) >= (1 - bumps.m * (2 * delta) ** d) * (1 - 1e-9)).all()
        assert (bumps.m <= (0.5 / delta / 2 * (1 + 1e-9)) ** d).all()


@pytest.mark.parametrize("alpha, beta, gamma, d", [
    (0.125, 0.25, 0.0, 1), (1.0, 1.0, 1.0, 1), (1.0, 0.5, 2.0, 2), (8.0, 1.0, 0.5, 1), (8.0, 0.25, 4.0, 1)])
def test_exact_risks_stand_between_the_bounds(alpha, beta, gamma, d):
    """At the theorem's h: lower bound <= exact <= both upper bounds."""
    known = {"C0": margin_constant(gamma)}
    for n in (10**4, 10**7, 10**12):
        h = theorem_bandwidth(n, alpha, beta, d)
        side = sweep(n, alpha, beta, gamma, d)
        at = np.flatnonzero(side.multiple == 1.0)
        for kind in ("printed", "sharp"):
            most = upper_bound(n, alpha, beta, gamma, d, kind=kind, h=h, **known).value
            assert (side.worst[at] <= most).all()
        found = lower_bound(n, alpha, beta, gamma, d, contraction="interactive", **known).value
        assert (side.worst[at] >= found).all()


def test_exact_risks_stand_between_the_bounds_at_every_corner():
    """Bounds at all bandwidths of the sweep, and all curves of the picture where they are drawn."""
    ends = [[control.minimum, control.maximum] for control in everything.controls if control.name != "h"]
    for alpha, beta, asked, d, n in itertools.product(*ends):
        gamma = min(asked, d / beta)
        C0, side = margin_constant(gamma), sweep(n, alpha, beta, gamma, d)
        theta = checked_theta(beta, gamma, d, 1.0, C0, None, 1.0, 0.5)
        if side.multiple.size:
            h = side.multiple * theorem_bandwidth(n, alpha, beta, d)
            assert (side.worst <= sharp_bounds(n, alpha, theta, h)).all()
        drawn = rates(alpha, beta, gamma, d)
        people, risks = drawn.worst
        for few, lower, sharp, printed in zip(*drawn.lower, drawn.sharp[1], drawn.printed[1], strict=True):
            assert lower <= sharp <= printed
            h = theorem_bandwidth(int(few), alpha, beta, d)
            for risk in risks[people == few]:
                assert lower <= risk <= min(printed, sharp_bounds(few, alpha, theta, h))
            assert (few in people) == (h <= FIRST)


@pytest.mark.parametrize("beta, gamma, d", CLASSES)
def test_bounds_in_one_go_are_those_one_by_one(beta, gamma, d):
    n, h = np.array([100, 10**6, 10**12, 10**6]), np.array([0.9, 0.1, 0.003, 0.04])
    one_by_one = [upper_bound(int(people), 0.7, beta, gamma, d, h=width).value
                  for people, width in zip(n, h, strict=True)]
    theta = checked_theta(beta, gamma, d, 1.0, 2.0, None, 1.0, 0.5)
    assert sharp_bounds(n, 0.7, theta, h) == pytest.approx(one_by_one, rel=1e-8)


def test_curves_of_the_panel_are_those_of_the_library():
    exact = rates(1.0, 1.0, 1.0, 1)
    n, h = 10**6, theorem_bandwidth(10**6, 1.0, 1.0, 1)
    assert between(n, *exact.tuned) == pytest.approx(
        wide_risk(n, 1.0, 1, theorem_bumps(np.array([h]), 1.0, 1.0, 1), 1)[0], rel=1e-4)
    assert between(n, *exact.lower) == pytest.approx(
        lower_bound(n, 1.0, 1.0, 1.0, 1, C0=4.0, contraction="interactive").value)
    assert between(n, *exact.sharp) == pytest.approx(min(
        upper_bound(n, 1.0, 1.0, 1.0, 1, C0=4.0, kind="sharp", h=c * h).value for c in TRIED))
    sides = sweep(n, 1.0, 1.0, 1.0, 1)
    assert 10**6 in COUNTS[::6]
    assert between(n, *exact.worst) == pytest.approx(sides.worst[sides.multiple == 1][0], rel=1e-4)


@pytest.mark.parametrize("beta, gamma, d", CLASSES)
def test_printed_bound_never_rises_with_the_budget(beta, gamma, d):
    """Up to alpha = 1 it falls like (alpha^2)^-exponent; beyond, it and its h stand still."""
    alphas = np.array([0.25, 0.5, 1.0, 2.0, 8.0, 64.0])
    bounds = [upper_bound(10**8, alpha, beta, gamma, d, kind="printed") for alpha in alphas]
    promised = np.minimum(alphas, 1.0) ** (-2 * classification_exponent(beta, gamma, d))
    values = np.array([bound.parts["untruncated"] for bound in bounds])
    assert values / values[2] == pytest.approx(promised, rel=1e-9)
    assert {bound.h for bound in bounds[2:]} == {theorem_bandwidth(10**8, 1.0, beta, d)}
    drawn = rates(8.0, beta, gamma, d).printed[1]
    assert (drawn <= rates(1.0, beta, gamma, d).printed[1] * (1 + 1e-9)).all()


def test_between_is_straight_in_the_logarithms():
    n = np.array([10, 1000, 10**5])
    assert between(100, n, 1.0 / n) == pytest.approx(0.01)
    assert between(10**5, n, 1.0 / n) == pytest.approx(1e-5)
    assert between(100, n, np.array([1.0, 0.0, 0.0])) == 0.0


@pytest.fixture(scope="module")
def live():
    return panel("upper_rate", scene="explore")


def drawn(picture):
    """A `Picture`, after both renderers and the browser's deck have taken it."""
    state = deck.State(picture, "what it says", ())
    assert [axes["key"] for axes in sum(deck.unpack(deck.pack({(0,): state}))[(0,)]["columns"], [])] == [
        axes.key for axes in picture.axes]
    assert still.drawn(picture, STORY.size).endswith("</svg>")
    figure.render(picture, "what it says", STORY.size).canvas.draw()
    return picture


def test_every_corner_computes(live):
    for values in corners(live):
        if values["scene"] != "explore":
            continue
        shown = live.show(**values)
        alpha, beta, d, n = (values[name] for name in ("alpha", "beta", "d", "n"))
        gamma, said = min(values["gamma"], d / beta), dict(shown.numbers)
        assert said["γ used"].split()[0] == f"{gamma:.3g}"
        assert ("the largest" in said["γ used"]) == (gamma < values["gamma"])
        sides, curves = sweep(n, alpha, beta, gamma, d), rates(alpha, beta, gamma, d)
        for risks in (sides.worst, curves.worst[1], curves.tuned[1]):
            assert ((risks >= 0) & (risks <= 1)).all()
        wide = values["h"] * theorem_bandwidth(n, alpha, beta, d) > WIDEST
        assert np.isnan(sides.risk(values["h"])) == (said["exact risk, worst width"] == "none fits") == wide
        assert f"{classification_exponent(beta, gamma, d):.3g}" in shown.says
        assert len(shown.picture.axes) == 2


@pytest.mark.parametrize("values", [{}, {"n": 1000, "h": 8.0, "alpha": 0.125, "beta": 0.25, "d": 2},
                                    {"n": 10**12, "h": 0.125, "alpha": 8.0, "gamma": 4.0}])
def test_every_renderer_draws_what_was_computed(values):
    picture, values = drawn(everything(**values).picture), STORY.position(**values)
    h, alpha, beta, d, n = (values[name] for name in ("h", "alpha", "beta", "d", "n"))
    gamma = min(values["gamma"], d / beta)
    sides, curves = sweep(n, alpha, beta, gamma, d), rates(alpha, beta, gamma, d)
    axes = {axes.key: {mark.key: mark for mark in axes.marks} for axes in picture.axes}
    left, right = axes["compromise"], axes["people"]
    assert left["mine"].arrays["x"] == np.float32(h)
    assert right["mine"].arrays["x"] == np.float32(n)
    assert np.array_equal(left["here"].arrays["y"], np.float32([sides.risk(h)]), equal_nan=True)
    # The triangle stands above the least risk; where no hypercube fits there is none.
    assert left["best"].arrays["x"].size == (sides.multiple.size > 0)
    for side in ("noise", "bias"):
        values = getattr(sides, side)
        assert (np.isnan(left[side].arrays["y"]) == (values <= 0)).all()
    for name in CURVES:
        assert right[name].arrays["x"].size == getattr(curves, name)[0].size
    assert right["slope"].label == f"slope −{classification_exponent(beta, gamma, d):.3f}, private"


def test_half_the_budget_costs():
    whole, half = (sweep(10**8, alpha, 1.0, 1.0, 1).risk(1.0) for alpha in (1.0, 0.5))
    assert half > 1.5 * whole


def test_large_budgets_leave_the_printed_bound_where_it_is():
    bounds = [[between(10**8, *curve) for curve in (found.printed, found.lower)]
              for found in (rates(alpha, 1.0, 1.0, 1) for alpha in (1.0, 8.0))]
    assert bounds[1][0] == pytest.approx(bounds[0][0]) and bounds[1][1] < bounds[0][1] / 100


def test_sides_of_the_compromise():
    """Narrow bandwidths are ruled by noise, wide ones by bias; the best is between."""
    sides = sweep(10**10, 1.0, 1.0, 1.0, 1)
    assert sides.noise[0] > sides.bias[0] and sides.noise[-1] < sides.bias[-1]
    assert 0 < sides.best < len(sides.multiple) - 1
    assert (np.diff(sides.bias) > 0).all()


def test_still_pictures_carry_their_conclusions(live):
    assert live.static(n=10**6).alt == everything(n=10**6).says
    few = glance(people=(10**5, 10**8))
    few.canvas.draw()
    assert len(few.axes) == 2 and f"{sweep(10**5, 1.0, 1.0, 1.0, 1).worst.min():.2g}" in few.alt
    # Both axes have one key.
    assert len(few.legends) == 1 and not any(axes.get_legend() for axes in few.axes)


def test_the_worst_signs_are_looked_for_among_256_and_no_more():
    law = problem("hypercube", q=16, m=8, w=0.05)
    worst = worst_signs_risk(1000, 1.0, 0.25, law)
    usual = excess_risk(CubeClassifier(1.0, 0.25, noise="real"), law, 1000)
    assert usual <= worst <= law.m * law.w
    with pytest.raises(ValueError, match="m = 9 is out of range.*from 1 to 8"):
        worst_signs_risk(1000, 1.0, 0.25, problem("hypercube", q=16, m=9, w=0.05))


@pytest.mark.parametrize("alpha", [1.0, 8.0])
@pytest.mark.parametrize("half", [4, 10, 100])
def test_few_people_are_worth_the_correction_of_the_exact_tail(half, alpha):
    """E H*(D2) is the tail plus at most g E[D2-], g the density of noise at 0; Hoeffding bounds E[D2-]."""
    b, ones = 4 / alpha, np.arange(half + 1)
    for t in (0.0, 0.02, 0.1, 0.3):
        law = binom(half, (1 + 2 * t) / 3).pmf(ones)
        below = law @ np.maximum(half / 2 - 1.5 * ones, 0)
        tail = cube_sign_probabilities(half, 1.0, (1 + 2 * t) / 3, b / 1.5, threshold=-1 / 6)[0]
        found = float(worst_error(half, alpha, 1, t))
        assert min(1.0, float(tail) + below / (b * (5 * half) ** 0.5)) <= found
        bound = 0.75 * (2 * np.pi * half) ** 0.5 * norm.cdf(-t * half**0.5 / 0.75)
        assert found == pytest.approx(min(1.0, float(tail) + bound / (b * (5 * half) ** 0.5)), rel=1e-3)

"""Members of P(theta): exact masses, and every constant of theta against brute force."""

import numpy as np
import pytest

from ldp_lib.estimation import CubeClassifier
from ldp_lib.nature import problem
from ldp_lib.nature.holder import CantorGaps, TwoBoxes
from ldp_lib.risk import excess_risk, simulate_excess_risk

GAPS = [(1, 0, 1), (1, 0.1, 1), (1, 0.5, 2), (1, 1, 1), (0.5, 1, 1), (0.5, 2, 1), (0.3, 0, 1), (0.5, 2, 2)]
BOXES = [(1, 2, 2), (1, 1.5, 2), (0.5, 3, 2), (0.8, 2.4, 2), (1, 3, 3), (0.7, 2, 3)]

each_member = pytest.mark.parametrize("beta, gamma, d", GAPS + BOXES, ids=str)

# A frequency misses its probability by t with probability at most 2 exp(-2 n t^2) (Hoeffding); t is set for
# at most 100 comparisons a test and a false-alarm probability of 1e-6 a test.
PEOPLE = 100_000
TOLERANCE = np.sqrt(np.log(2 * 100 / 1e-6) / (2 * PEOPLE))


def random_boxes(d, count, rng):
    edges = np.sort(rng.uniform(-0.1, 1.1, size=(2, count, d)), axis=0)
    return edges[0], edges[1]


@each_member
def test_masses_add_up_over_any_partition(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    rng = np.random.default_rng(1)
    cuts = [np.array([-0.2, *np.sort(rng.uniform(-0.1, 1.1, 9)), 1.2]) for _ in range(d)]
    lower = np.stack(np.meshgrid(*(cut[:-1] for cut in cuts), indexing="ij"), axis=-1)
    upper = np.stack(np.meshgrid(*(cut[1:] for cut in cuts), indexing="ij"), axis=-1)
    p, q = law.cell_masses(lower, upper)
    margin = law.margin_mass(lower, upper)
    whole = np.zeros(d), np.ones(d)
    np.testing.assert_allclose((p.sum(), q.sum()), law.cell_masses(*whole), atol=1e-13)
    np.testing.assert_allclose(margin.sum(), law.margin_mass(*whole), atol=1e-13)
    assert p.sum() == pytest.approx(1, abs=1e-13)
    assert (margin >= np.abs(2 * q - p) - 1e-13).all() and (margin <= p + 1e-13).all()


@pytest.mark.share(3)
@each_member
def test_masses_agree_with_sampling(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    X, y = law.sample(PEOPLE, rng=2)
    assert X.min() >= 0 and X.max() <= 1 and (law.density(X) >= law.theta.mu).all()
    size = np.abs(2 * law.eta(X) - 1)
    lower, upper = random_boxes(d, 30, np.random.default_rng(3))
    p, q = law.cell_masses(lower, upper)
    margin = law.margin_mass(lower, upper)
    for box in range(30):
        inside = ((X > lower[box]) & (X < upper[box])).all(axis=1)
        assert abs(inside.mean() - p[box]) < TOLERANCE
        assert abs((inside & (y == 1)).mean() - q[box]) < TOLERANCE
        assert abs((inside * size).mean() - margin[box]) < TOLERANCE
    assert abs(((law.eta(X) >= 0.5) == y).mean() - (1 - law.bayes_risk)) < TOLERANCE


@pytest.mark.parametrize("beta, gamma", [(1, 1), (0.5, 1), (0.5, 2), (1, 0), (0.7, 0.5)])
def test_masses_of_gaps_are_integrals_of_eta(beta, gamma):
    law = problem("holder", beta=beta, gamma=gamma)
    # Half gaps of the first four levels; at distance v^10 from its edge eta is a polynomial in v.
    v, weights = np.polynomial.legendre.leggauss(20)
    away, weights = ((1 + v) / 2) ** 10, 5 * weights * ((1 + v) / 2) ** 9
    starts = [0.0]
    for level in range(min(4, len(law._halves))):
        child, half = law._lengths[level + 1], law._halves[level]
        for start in starts:
            for edge, side in ((start + child, 1), (start + child + 2 * half, -1)):
                eta = law.eta((edge + side * half * away)[:, None])
                box = sorted([[edge], [edge + side * half]])
                assert law.cell_masses(*box)[1] == pytest.approx(half * (weights @ eta), abs=1e-12)
                size = half * (weights @ np.abs(2 * eta - 1))
                assert law.margin_mass(*box) == pytest.approx(size, abs=1e-12)
        starts = [shift for start in starts for shift in (start, start + child + 2 * half)]


def test_masses_of_two_boxes_in_closed_form():
    # gamma = 2 / beta: eta = 1/2 +- A max(z)^beta; with beta = 1 the integrals are polynomials.
    law = problem("holder", beta=1, gamma=2, d=2, amplitude=0.5)
    p, q = law.cell_masses([0.5, 0.5], [1, 1])
    # X is in the upper box with probability 1/2, and E max of two uniforms is 2/3.
    assert (p, q) == pytest.approx((0.5, 0.25 + 0.25 * 2 / 3), abs=1e-15)
    assert law.bayes_risk == pytest.approx(1 / 6, abs=1e-15)
    assert law.cell_masses([0, 0.5], [0.5, 1])[0] == 0
    # Box 1/2 <= x_1 <= 3/4, 3/4 <= x_2 <= 1: the larger coordinate is the second, E z_2 = 3/4.
    p, q = law.cell_masses([0.5, 0.75], [0.75, 1])
    assert (p, q) == pytest.approx((0.125, 0.0625 + 0.125 * 0.5 * 0.75), abs=1e-15)


@each_member
def test_margin_law_is_exact_and_its_constant_the_smallest(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    theta = law.theta
    X, _ = law.sample(PEOPLE, rng=4)
    distance = np.abs(law.eta(X) - 0.5)
    t = law.amplitude * np.linspace(0.02, 1, 50)
    observed = np.array([((distance > 0) & (distance <= value)).mean() for value in t])
    assert np.abs(observed - law.margin_law(t)).max() < TOLERANCE
    t = np.geomspace(1e-9, 2, 20_000)
    ratio = law.margin_law(t) / t**gamma
    assert ratio.max() <= theta.C0 * (1 + 1e-12)
    assert distance.max() <= law.amplitude and theta.gamma == gamma
    # Nothing smaller would do: the supremum is reached, or approached at the finest gaps.
    finest = np.append(t, [1e-30, law.amplitude])
    if isinstance(law, CantorGaps):
        finest = np.append(finest, law.amplitude * (4 * law._halves) ** beta)
    assert (law.margin_law(finest) / finest**gamma).max() == pytest.approx(theta.C0, rel=1e-9)


@pytest.mark.parametrize("beta, gamma", [(1, 0.5), (0.5, 1), (0.9, 0.3)])
def test_margin_exponent_of_gaps_cannot_be_larger(beta, gamma):
    # P(|eta - 1/2| <= t) / t^gamma stays away from 0 too, over ten orders of magnitude of dist(x, C).
    law = problem("holder", beta=beta, gamma=gamma)
    t = law.amplitude * np.geomspace(1e-10, 1, 2000) ** beta
    assert (law.margin_law(t) / t**gamma).min() > law.theta.C0 / 5


def pairs_of_points(d, rng):
    """Random pairs at distances from 1e-6 to 1, some near the middle or near dyadic points of an axis."""
    x = rng.random((40_000, d))
    x[::4, 0] = rng.integers(0, 65, 10_000) / 64
    x[1::4] = 0.5 + (x[1::4] - 0.5) * 10.0 ** rng.uniform(-4, 0, (10_000, 1))
    direction = rng.normal(size=x.shape)
    direction[::3] = np.sign(direction[::3])
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return x, np.clip(x + direction * 10.0 ** rng.uniform(-6, 0, (len(x), 1)), 0, 1)


@each_member
def test_eta_is_hoelder_with_the_stated_constant(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    x, other = pairs_of_points(d, np.random.default_rng(5))
    distance = np.linalg.norm(x - other, axis=1)
    apart = distance > 0
    # Points are rounded by 1e-16, which eta magnifies to at most L 1e-16^beta.
    slack = 4 * law.theta.L * 1e-16**beta
    gap = np.abs(law.eta(x) - law.eta(other)) - slack
    assert (gap[apart] <= law.theta.L * distance[apart] ** beta).all()
    if d == 1:
        grid = np.linspace(0, 1, 1537)
        values = law.eta(grid[:, None])
        steps = np.abs(np.subtract.outer(grid, grid)) ** beta
        assert (np.abs(np.subtract.outer(values, values)) - slack <= law.theta.L * steps).all()


@pytest.mark.parametrize(("beta", "gamma", "d"), [(1, 1, 1), (1, 1, 2), (0.5, 1, 1), (0.6, 0.3, 2)])
def test_two_boxes_that_are_halves_of_the_cube(beta, gamma, d):
    """eta crosses 1/2 once, in x_1; its constants are the smallest possible."""
    law = TwoBoxes(beta, gamma, d, 0.5)
    x, other = pairs_of_points(d, np.random.default_rng(5))
    distance = np.linalg.norm(x - other, axis=1)
    x, other, distance = (values[distance > 0] for values in (x, other, distance))
    ratio = np.abs(law.eta(x) - law.eta(other)) / distance**beta
    assert ratio.max() <= law.theta.L * (1 + 1e-9)
    ends = law.eta([[x] + [0.5] * (d - 1) for x in (0.0, 0.4, 0.5, 0.6, 1.0)])
    assert ends[0] == 0 and ends[1] < 0.5 == ends[2] < ends[3] and ends[4] == 1
    if beta * gamma == 1:
        assert law.theta.L == 1
    assert law.density(x).min() == law.theta.mu == 1
    t = np.geomspace(1e-6, 0.5, 50)
    assert law.margin_law(t) == pytest.approx(law.theta.C0 * t**gamma)


@each_member
def test_no_much_smaller_hoelder_constant_would_do(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    if isinstance(law, TwoBoxes):
        # One person walks on the rim where the rise is greatest, the other mirrors it where the fall is.
        near = np.linspace(0.0, 0.5, 5001)[:-1]
        x, other = np.full((2, len(near), d), 0.5)
        x[:, 0], x[:, 1] = 1.0, 0.5 - near
        other[:, 0], other[:, 1] = 0.5 + near, 0.0
        sharp = 1.0
    else:
        x, other = np.array([[0.5] * d]), np.array([[0.25] + [0.5] * (d - 1)])
        sharp = 2.0 ** (beta - 1)
        if beta * gamma == 1:  # two cusps of opposite sign meet at 1/4
            x[0, 0], other[0, 0], sharp = 0.375, 0.125, 1.0
    ratio = np.abs(law.eta(x) - law.eta(other)) / np.linalg.norm(x - other, axis=1) ** beta
    assert ratio.max() == pytest.approx(sharp * law.theta.L, rel=1e-3)


@pytest.mark.parametrize("beta, gamma, d", [(1, 1, 1), (1, 1, 2), (1, 2, 2), (1, 1.5, 3), (1, 3, 3)])
def test_support_is_regular_with_the_stated_constants(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    rng = np.random.default_rng(6)
    centres = law.sample(20, rng=rng)[0]
    centres[:5] = np.round(centres[:5])  # corners are the worst
    if isinstance(law, TwoBoxes):
        centres[:5, :] = np.repeat([[0.0], [0.5], [0.5], [1.0], [1.0]], d, axis=1)
    ball = rng.normal(size=(PEOPLE, d))
    ball *= rng.random((PEOPLE, 1)) ** (1 / d) / np.linalg.norm(ball, axis=1, keepdims=True)
    for centre in centres:
        for radius in law.theta.r0 * np.array([0.3, 1.0 - 1e-9]):
            share = (law.density(centre + radius * ball) > 0).mean()
            assert share > law.theta.c0 - TOLERANCE  # 40 comparisons


def test_gamma_is_a_matter_of_dimension():
    with pytest.raises(ValueError, match="gamma = 1.5 .* 0 <= gamma <= d / beta = 1"):
        problem("holder", beta=1, gamma=1.5, d=1)
    for beta in np.random.default_rng(7).uniform(0.01, 1, 200):
        assert problem("holder", beta=beta, gamma=1 / beta).theta.L > 0  # rounding refuses nobody


@pytest.mark.parametrize(
    "bad, says",
    [
        ({"beta": 0}, "beta = 0"), ({"beta": 1.2}, "beta = 1.2"), ({"gamma": -1}, "gamma = -1"),
        ({"d": 0}, "d = 0"), ({"amplitude": 0.6}, "amplitude = 0.6"), ({"gamma": np.nan}, "gamma = nan"),
    ],
)
def test_bad_arguments_are_named(bad, says):
    with pytest.raises(ValueError, match=says):
        problem("holder", **bad)


@pytest.mark.parametrize("gamma", [0.0, 1e-320, 1e-17, 1e-6, 1 - 1e-16, 1.0])
def test_margin_exponents_at_the_edges_give_finite_constants(gamma):
    law = problem("holder", beta=1.0, gamma=gamma)
    assert np.isfinite(law.theta).all() and 0 < law.bayes_risk < 0.5


@pytest.mark.parametrize("beta, gamma, d", [(1, 1, 1), (0.5, 1, 1), (1, 2, 2)])
def test_exact_risk_agrees_with_simulation(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d)
    classifier = CubeClassifier(alpha=1.0, h=0.25, noise="real")
    simulated = simulate_excess_risk(classifier, law, 20_000, 400, rng=8)
    exact = excess_risk(classifier, law, 20_000)
    assert abs(simulated.mean - exact) < 5 * simulated.standard_error  # false alarm below 1e-6


@each_member
def test_repr_rebuilds_the_problem(beta, gamma, d):
    law = problem("holder", beta=beta, gamma=gamma, d=d, amplitude=0.3)
    again = eval(repr(law), {"problem": problem})
    assert again.theta == law.theta and again.bayes_risk == law.bayes_risk

"""The hypercube of Theorem 2.5: largest heights of bumps, exact masses, Hölder and margin constants."""

from itertools import product

import numpy as np
import pytest

from ldp_lib.estimation import CubeClassifier
from ldp_lib.nature import problem
from ldp_lib.nature.hypercube import BUMPS, bump_constants, bump_profile
from ldp_lib.risk import excess_risk, simulate_excess_risk

VARIANTS = [
    {},
    {"q": 1},
    {"q": 5, "m": 3, "w": 0.2, "signs": (1, -1, -1)},
    {"q": 3, "m": 3, "w": 1 / 3, "beta": 0.5, "L": 4.0, "signs": (-1, 1, -1)},
    {"q": 4, "m": 5, "w": 0.1, "beta": 0.7, "L": 3.0, "signs": (1, -1, 1, -1, -1), "bump": "cubic", "d": 2},
    {"q": 2, "m": 7, "w": 0.05, "signs": (1, -1, 1, -1, -1, 1, 1), "bump": "exp", "d": 3, "L": 30.0},
]

each_law = pytest.mark.parametrize("params", VARIANTS, ids=str)
each_bump = pytest.mark.parametrize("bump", BUMPS)

# A frequency misses its probability by t with probability at most 2 exp(-2 n t^2) (Hoeffding); t is set for
# at most 200 comparisons a test and a false-alarm probability of 1e-6 a test.
PEOPLE = 100_000
TOLERANCE = np.sqrt(np.log(2 * 200 / 1e-6) / (2 * PEOPLE))


@each_bump
def test_bumps_are_one_then_fall_to_zero(bump):
    np.testing.assert_array_equal(bump_profile(bump, [0, 0.1, 0.125, 0.25, 0.3, 9]), [1, 1, 1, 0, 0, 0])
    r = np.linspace(0, 0.3, 3001)
    assert (np.diff(bump_profile(bump, r)) <= 1e-15).all()
    assert bump_profile(bump, 3 / 16) == 0.5


def test_exp_bump_is_the_one_of_the_name():
    t = np.linspace(0.01, 0.99, 99)
    rise = np.exp(-1 / t)
    expected = rise[::-1] / (rise + rise[::-1])
    np.testing.assert_allclose(bump_profile("exp", (1 + t) / 8), expected, atol=1e-14)


def test_largest_heights_of_the_table():
    table = {1.0: (1 / 8, 1 / 12, 1 / 15, 1 / 16), 0.5: (0.354, 0.335, 0.310, 0.286)}
    for beta, heights in table.items():
        for bump, height in zip(BUMPS, heights):
            assert bump_constants(bump, beta).c_phi == pytest.approx(height, abs=5e-4 if beta < 1 else 1e-12)


@each_bump
@pytest.mark.parametrize("beta", [0.05, 0.3, 0.5, 0.9, 1.0])
def test_bump_constants_against_all_pairs(bump, beta):
    r = np.linspace(1 / 8, 1 / 4, 1601)
    u = bump_profile(bump, r)
    constants = bump_constants(bump, beta)
    above = np.triu_indices(len(r), 1)
    ratio = (u[above[0]] - u[above[1]]) / (r[above[1]] - r[above[0]]) ** beta
    assert constants.seminorm * (1 - 1e-5) <= ratio.max() <= constants.seminorm * (1 + 1e-9)
    edge = (u[:-1] / (0.25 - r[:-1]) ** beta).max()
    assert constants.edge * (1 - 1e-5) <= edge <= constants.edge * (1 + 1e-9)
    assert constants.c_phi == 1 / constants.seminorm <= constants.c_eta


def all_signs(law):
    """A few vertices: constant, alternating, and random signs."""
    rng = np.random.default_rng(1)
    patterns = [np.ones(law.m), np.where(np.arange(law.m) % 2, -1, 1), rng.choice([-1, 1], law.m)]
    return [problem("hypercube", **law.params | {"signs": pattern}) for pattern in patterns]


@pytest.mark.share(3)
@each_bump
@pytest.mark.parametrize("beta", [0.3, 0.5, 1.0])
@pytest.mark.parametrize("height", ["c_phi", "c_eta"])
def test_eta_is_hoelder_for_every_pattern_of_signs(bump, beta, height):
    constants = bump_constants(bump, beta)
    grid = np.linspace(0, 0.6, 1201)[:, None]
    apart = np.abs(grid - grid.T) ** beta
    worst = 0.0
    for signs in product((-1, 1), repeat=3):
        c_phi = getattr(constants, height)
        law = problem("hypercube", q=3, m=3, w=0.1, beta=beta, L=2.0, signs=signs, bump=bump, c_phi=c_phi)
        eta = law.eta(grid)
        excess = np.abs(np.subtract.outer(eta, eta)) - law.L * apart
        assert excess.max() < 1e-12
        off_diagonal = ~np.eye(len(grid), dtype=bool)
        worst = max(worst, (np.abs(np.subtract.outer(eta, eta))[off_diagonal] / apart[off_diagonal]).max())
    if height == "c_eta":
        assert worst > 0.995 * law.L  # the largest height, not just an admissible one


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_eta_is_hoelder_in_several_dimensions(d, beta):
    rng = np.random.default_rng(2)
    c_eta = bump_constants("ramp", beta).c_eta
    for law in all_signs(problem("hypercube", q=3, beta=beta, d=d, c_phi=c_eta)):
        x = rng.uniform(0, 0.6, (30_000, d))
        other = x + rng.normal(size=x.shape) * 10.0 ** rng.uniform(-4, -0.5, (len(x), 1))
        # Adversarial: mirror images in a face shared by two cells.
        other[::3] = x[::3]
        other[::3, 0] = np.round(6 * x[::3, 0]) / 3 - x[::3, 0]
        other = np.clip(other, 0, 1)
        distance = np.linalg.norm(x - other, axis=1)
        assert (np.abs(law.eta(x) - law.eta(other)) <= law.L * distance**beta + 1e-13).all()


@each_law
def test_masses_add_up_over_any_partition(params):
    law = problem("hypercube", **params)
    rng = np.random.default_rng(3)
    cuts = [np.array([-0.2, *np.sort(rng.uniform(-0.1, 1.1, 9)), 1.2]) for _ in range(law.d)]
    lower = np.stack(np.meshgrid(*(cut[:-1] for cut in cuts), indexing="ij"), axis=-1)
    upper = np.stack(np.meshgrid(*(cut[1:] for cut in cuts), indexing="ij"), axis=-1)
    p, q = law.cell_masses(lower, upper)
    margin = law.margin_mass(lower, upper)
    assert p.sum() == pytest.approx(1, abs=1e-13)
    assert q.sum() == pytest.approx(0.5 + law.separation * law.signs.sum() / 2, abs=1e-13)
    assert margin.sum() == pytest.approx(law.m * law.separation, abs=1e-13)
    assert law.bayes_risk == pytest.approx((1 - law.m * law.separation) / 2, abs=1e-14)
    assert (margin >= np.abs(2 * q - p) - 1e-13).all() and (margin <= p + 1e-13).all()


@each_law
def test_active_cells_hold_w_and_the_separation(params):
    law = problem("hypercube", **params)
    half = 1 / (4 * law.q)
    p, q = law.cell_masses(law.centres - half, law.centres + half)
    np.testing.assert_allclose(p, law.w, rtol=1e-12)
    np.testing.assert_allclose(2 * q - p, law.signs * law.separation, rtol=1e-9)
    margin = law.margin_mass(law.centres - half, law.centres + half)
    np.testing.assert_allclose(margin, law.separation, rtol=1e-12)
    # All of it in the cubes, where eta is constant.
    p, _ = law.cell_masses(law.centres - half / 2, law.centres + half / 2)
    np.testing.assert_allclose(p, law.w, rtol=1e-12)
    np.testing.assert_allclose(law.eta(law.centres), (1 + law.signs * law.height) / 2, rtol=1e-15)
    assert law.separation == pytest.approx(law.w * law.L * law.c_phi * law.q**-law.beta)


@each_law
def test_masses_agree_with_sampling(params):
    law = problem("hypercube", **params)
    X, y = law.sample(PEOPLE, rng=4)
    assert X.min() >= 0 and X.max() <= 1 and set(np.unique(y)) == {0, 1}
    distance = np.abs(2 * law.eta(X) - 1)  # constant on the cubes, else nothing to learn
    np.testing.assert_allclose(distance[distance > 0], law.height, rtol=1e-9)
    assert abs((distance > 0).mean() - law.m * law.w) < TOLERANCE
    rng = np.random.default_rng(5)
    lower, upper = np.sort(rng.uniform(-0.05, 0.8, size=(2, 60, law.d)), axis=0)
    p, q = law.cell_masses(lower, upper)
    for box in range(60):
        inside = ((X > lower[box]) & (X < upper[box])).all(axis=1)
        assert abs(inside.mean() - p[box]) < TOLERANCE
        assert abs((inside & (y == 1)).mean() - q[box]) < TOLERANCE


@pytest.mark.parametrize("params", VARIANTS[:-1], ids=str)
def test_masses_are_integrals_of_density_and_eta(params):
    law = problem("hypercube", **params)
    # Densities jump at multiples of 1/(8q) only: a midpoint rule that knows them is exact.
    bins = 8 * law.q
    middles = (np.arange(bins) + 0.5) / bins
    grid = np.stack(np.meshgrid(*[middles] * law.d, indexing="ij"), axis=-1).reshape(-1, law.d)
    density = law.density(grid) / bins**law.d
    p, q = law.cell_masses(grid - 0.5 / bins, grid + 0.5 / bins)
    np.testing.assert_allclose(p, density, atol=1e-14)
    np.testing.assert_allclose(q, density * law.eta(grid), atol=1e-14)
    assert density.sum() == pytest.approx(1, abs=1e-12)
    if law.m * law.w < 1:
        assert law.density(grid)[density > 0].min() == pytest.approx(law.theta(1.0).mu)


def test_one_box_by_hand():
    law = problem("hypercube", q=2, m=1, w=0.4, L=4.0, signs=[-1])
    # Cell [0, 1/4], cube [1/16, 3/16], A0 = [1/4, 1] with density 0.6 / 0.75 = 0.8, height 4 / 8 / 2 = 1/4.
    assert law.height == pytest.approx(0.25)
    p, q = law.cell_masses([0.125], [0.5])
    assert p == pytest.approx(0.2 + 0.2, abs=1e-15)
    assert q == pytest.approx(0.2 * 0.375 + 0.1, abs=1e-15)
    assert law.margin_mass([0.0], [0.1]) == pytest.approx(0.25 * 0.4 * (0.1 - 0.0625) * 8, abs=1e-15)


@each_law
def test_margin_condition_holds_with_the_smallest_constant(params):
    law = problem("hypercube", **params)
    for gamma in (0.0, 0.5, 1.0, 3.0):
        C0 = law.margin_constant(gamma)
        assert law.m * law.w <= C0 * (law.height / 2) ** gamma * (1 + 1e-12)
        assert law.m * law.w > 0.999 * C0 * (law.height / 2) ** gamma
        assert law.theta(gamma).C0 == C0 and law.theta(gamma).L == law.L
    assert law.margin_law(law.height * np.array([0.49, 0.5, 1.0])).tolist() == [0] + [law.m * law.w] * 2


@pytest.mark.share(3)
@pytest.mark.parametrize("q, m, d", [(1, 1, 1), (5, 2, 1), (7, 7, 1), (1, 1, 2), (3, 4, 2), (4, 16, 2)])
def test_support_is_regular_with_the_stated_constants(q, m, d):
    law = problem("hypercube", q=q, m=m, w=0.5 / m, d=d)
    theta = law.theta(1.0)
    rng = np.random.default_rng(6)
    corners = law.centres[:, None] + np.array(list(product((-1, 1), repeat=d))) / (8 * q) * (1 - 1e-9)
    centres = np.concatenate([corners.reshape(-1, d), rng.random((40, d))])
    centres = centres[law.density(centres) > 0]
    centres = centres[rng.permutation(len(centres))[:20]]
    ball = rng.normal(size=(PEOPLE, d))
    ball *= rng.random((PEOPLE, 1)) ** (1 / d) / np.linalg.norm(ball, axis=1, keepdims=True)
    for centre in centres:
        for radius in np.geomspace(1 / (16 * q), theta.r0, 9):
            assert (law.density(centre + radius * ball) > 0).mean() > theta.c0 - TOLERANCE


def test_neighbours_differ_in_the_labels_of_one_cell():
    law, neighbour = (problem("hypercube", q=3, m=5, w=0.1, signs=(1, sign, 1, 1, -1), d=2)
                      for sign in (-1, 1))
    rng = np.random.default_rng(7)
    lower, upper = np.sort(rng.random((2, 50, 2)), axis=0)
    (p, q), (p2, q2) = law.cell_masses(lower, upper), neighbour.cell_masses(lower, upper)
    np.testing.assert_array_equal(p, p2)
    # Total variation: the labels of one cell, on which nothing else depends, move by the separation.
    cell = law.centres[1] - 1 / 12, law.centres[1] + 1 / 12
    assert neighbour.cell_masses(*cell)[1] - law.cell_masses(*cell)[1] == pytest.approx(law.separation)
    assert np.abs(q2 - q).max() <= law.separation + 1e-15


@pytest.mark.parametrize(
    "bad, says",
    [
        ({"q": 0}, "q = 0"),
        ({"q": 2.5}, "q = 2.5"),
        ({"m": 5}, "m = 5 .* 1 to 4"),
        ({"m": 4, "w": 0.3}, "w = 0.3 .* 0 < w <= 1/m = 0.25"),
        ({"w": 0}, "w = 0"),
        ({"beta": 0}, "beta = 0"),
        ({"L": 33.0}, "L = 33.0 .* L <= 32"),
        ({"c_phi": 0.3}, "c_phi = 0.3 .* c_phi <= 0.25"),
        ({"bump": "box"}, "bump = 'box' is unknown; choose one of 'ramp'"),
        ({"bump": ["ramp"]}, "bump = "),
        ({"signs": [1, -1]}, r"signs has shape \(2,\); it must be \(4,\)"),
        ({"signs": [1, 0, 1, 1]}, "signs contains 0"),
        ({"signs": [True, True, True, True]}, "signs contains"),
    ],
)
def test_bad_arguments_are_named(bad, says):
    with pytest.raises(ValueError, match=says):
        problem("hypercube", **bad)


def test_too_many_cells_are_refused_before_they_are_made():
    with pytest.raises(MemoryError, match="Lower q or d"):
        problem("hypercube", q=100, d=6)


@each_law
def test_repr_rebuilds_the_problem(params):
    law = problem("hypercube", **params)
    again = eval(repr(law), {"problem": problem})
    np.testing.assert_array_equal(again.signs, law.signs)
    assert again.params == law.params and params.items() <= law.params.items()


@pytest.mark.parametrize("params", [VARIANTS[2], VARIANTS[4]], ids=str)
def test_exact_risk_agrees_with_simulation(params):
    law = problem("hypercube", **params)
    classifier = CubeClassifier(alpha=2.0, h=0.15, noise="real")
    exact = excess_risk(classifier, law, 50_000)
    simulated = simulate_excess_risk(classifier, law, 50_000, 200, rng=9)
    assert 0 < exact < law.m * law.separation
    assert abs(simulated.mean - exact) < 5 * simulated.standard_error  # false alarm below 1e-6

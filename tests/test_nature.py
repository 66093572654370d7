"""The problems: exact masses against sampling, quadrature and identities; refusals of bad arguments."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, ive

from ldp_lib.nature import PROBLEMS, cantor_function, load_cps, point_cloud, point_cloud_eta, problem
from ldp_lib.nature.spaces import cantor_quantile
from ldp_lib.nature.pieces import Ring
from ldp_lib.nature.surveys import Tabulated

VARIANTS = [
    ("sine", {}),
    ("sine", {"d": 3, "amplitude": 0.5, "frequency": 3}),
    ("checkerboard", {}),
    ("checkerboard", {"d": 1, "squares": 5, "flip": 0.0}),
    ("moons", {}),
    ("moons", {"width": 0.75, "flip": 0.3}),
    ("circles", {}),
    ("circles", {"factor": 0.3, "width": 0.6}),
    ("cantor", {}),
    ("cantor", {"d": 2, "frequency": 1}),
    ("cps", {}),
    ("cps", {"features": ("age", "education")}),
    ("threshold", {}),
    ("threshold", {"place": 0.3, "width": 0.1, "flip": 0.0}),
    ("hidden_threshold", {"n": 100}),
]

# A frequency misses its probability by t with probability at most 2 exp(-2 n t^2) (Hoeffding).  With the
# people below and at most 200 comparisons a test, t is set for a false-alarm probability of 1e-6 a test.
PEOPLE = 200_000
COMPARISONS = 200
TOLERANCE = np.sqrt(np.log(2 * COMPARISONS / 1e-6) / (2 * PEOPLE))

each_law = pytest.mark.parametrize("name, params", VARIANTS, ids=lambda value: str(value))


def random_boxes(d, count, rng, low=-0.2, high=1.2):
    edges = np.sort(rng.uniform(low, high, size=(2, count, d)), axis=0)
    return edges[0], edges[1]


@each_law
def test_masses_add_up_over_any_partition(name, params):
    law = problem(name, **params)

    @settings(max_examples=30, deadline=None)
    @given(st.data())
    def check(data):
        cut = st.lists(st.floats(-0.5, 1.5), max_size=5)
        axes = [np.array([-0.5, *sorted(data.draw(cut)), 1.5]) for _ in range(law.d)]
        lower = np.stack(np.meshgrid(*(axis[:-1] for axis in axes), indexing="ij"), axis=-1)
        upper = np.stack(np.meshgrid(*(axis[1:] for axis in axes), indexing="ij"), axis=-1)
        p, q = law.cell_masses(lower, upper)
        assert p.shape == q.shape == lower.shape[:-1]
        assert (0 <= q).all() and (q <= p).all()
        whole = law.cell_masses(np.zeros(law.d), np.ones(law.d))
        np.testing.assert_allclose((p.sum(), q.sum()), whole, atol=1e-13)
        margin = law.margin_mass(lower, upper)
        assert (margin >= np.abs(2 * q - p) - 1e-13).all() and (margin <= p + 1e-13).all()
        np.testing.assert_allclose(margin.sum(), law.margin_mass(np.zeros(law.d), np.ones(law.d)), atol=1e-13)

    check()


@pytest.mark.share(3)
@each_law
def test_masses_agree_with_sampling(name, params):
    law = problem(name, **params)
    X, y = law.sample(PEOPLE, rng=20)
    assert X.shape == (PEOPLE, law.d) and y.shape == (PEOPLE,) and y.dtype == np.int64
    assert X.min() >= 0 and X.max() <= 1 and set(np.unique(y)) == {0, 1}
    lower, upper = random_boxes(law.d, 60, np.random.default_rng(21))
    p, q = law.cell_masses(lower, upper)
    margin = law.margin_mass(lower, upper)
    distance = np.abs(2 * law.eta(X) - 1)
    for box in range(len(lower)):
        inside = ((X > lower[box]) & (X < upper[box])).all(axis=1)
        assert abs(inside.mean() - p[box]) < TOLERANCE
        assert abs((inside & (y == 1)).mean() - q[box]) < TOLERANCE
        assert abs((inside * distance).mean() - margin[box]) < TOLERANCE


@each_law
def test_risks_follow_from_the_masses(name, params):
    law = problem(name, **params)
    whole = np.zeros(law.d), np.ones(law.d)
    p, q = law.cell_masses(*whole)
    assert law.masses(*whole) == (p, q, law.margin_mass(*whole))
    assert p == pytest.approx(1, abs=1e-14)
    assert law.bayes_risk == pytest.approx((1 - law.margin_mass(*whole)) / 2, abs=1e-14)
    assert law.majority_rate == pytest.approx(max(q, 1 - q), abs=1e-14)
    assert law.bayes_risk <= 1 - law.majority_rate + 1e-14
    X, y = law.sample(PEOPLE, rng=22)
    assert abs(((law.eta(X) >= 0.5) == y).mean() - (1 - law.bayes_risk)) < TOLERANCE


@each_law
def test_the_same_seed_draws_the_same_people(name, params):
    law = problem(name, **params)
    for first, second in zip(law.sample(50, rng=5), law.sample(50, rng=np.random.default_rng(5))):
        np.testing.assert_array_equal(first, second)


@each_law
def test_repr_rebuilds_the_problem(name, params):
    law = problem(name, **params)
    again = eval(repr(law), {"problem": problem})
    assert type(again) is type(law) and again.params == law.params and law.name == name
    assert params.items() <= law.params.items()


@pytest.mark.parametrize(
    "name, nodes", [("sine", 4001), ("checkerboard", 1600), ("cps", 7300), ("moons", 1600), ("circles", 1600)]
)
def test_masses_are_integrals_of_density_and_eta(name, nodes):
    law = problem(name)
    middles = (np.arange(nodes) + 0.5) / nodes
    grid = np.stack(np.meshgrid(*[middles] * law.d, indexing="ij"), axis=-1).reshape(-1, law.d)
    density, eta = law.density(grid), law.eta(grid)
    lower, upper = np.full(law.d, 0.25), np.full(law.d, 0.6)
    inside = ((grid > lower) & (grid < upper)).all(axis=1) * density / nodes**law.d
    values = inside.sum(), (inside * eta).sum(), (inside * np.abs(2 * eta - 1)).sum()
    # The midpoint rule errs by about one cell along every jump: at most 3 / nodes here.
    exact = *law.cell_masses(lower, upper), law.margin_mass(lower, upper)
    np.testing.assert_allclose(values, exact, atol=3 / nodes)


def test_only_the_cantor_law_is_singular():
    for name in PROBLEMS:
        law = problem(name)
        assert (law.density is None) == (name == "cantor")
        if law.density is not None:
            assert law.density(np.full((1, law.d), 1.5)) == 0


def test_sine_in_closed_form():
    law = problem("sine")
    assert law.bayes_risk == pytest.approx(0.5 - 0.8 / np.pi, abs=1e-15)
    with mpmath.workdps(30):
        for low, high in [(0.1, 0.45), (0.3, 0.300001), (0.0, 1.0), (0.49, 0.93)]:
            _, q = law.cell_masses([low], [high])
            turn = 2 * mpmath.pi
            wave = (mpmath.cos(turn * low) - mpmath.cos(turn * high)) / turn
            exact = (mpmath.mpf(high) - mpmath.mpf(low)) / 2 + mpmath.mpf(0.4) * wave
            assert q == pytest.approx(float(exact), rel=1e-9, abs=1e-17)
            breaks = [low, *[b for b in (0.5,) if low < b < high], high]
            margin = mpmath.quad(lambda t: 0.8 * abs(mpmath.sin(turn * t)), breaks)
            assert law.margin_mass([low], [high]) == pytest.approx(float(margin), abs=1e-15)


def test_checkerboard_squares_alternate_from_the_origin():
    law = problem("checkerboard", squares=4, flip=0.1)
    centres = (np.stack(np.meshgrid(range(4), range(4), indexing="ij"), axis=-1) + 0.5) / 4
    parity = np.add.outer(range(4), range(4)) % 2
    expected = np.where(parity == 0, 0.9, 0.1)
    np.testing.assert_allclose(law.eta(centres.reshape(-1, 2)).reshape(4, 4), expected)
    p, q = law.cell_masses(centres - 0.125, centres + 0.125)
    np.testing.assert_allclose(q, expected * p, atol=1e-16)
    assert law.eta([[1.0, 0.1]]) == law.eta([[0.99, 0.1]])
    odd = problem("checkerboard", d=1, squares=5, flip=0.0)
    assert odd.majority_rate == pytest.approx(3 / 5)


@pytest.mark.parametrize("side", [0, 1, -1])
def test_ring_areas_to_twelve_digits(side):
    ring = Ring((0.2, -0.1), 0.6, 1.1, side)
    everywhere = np.full(2, -5.0), np.full(2, 5.0)
    assert ring.area_within(*everywhere) == pytest.approx(ring.area, abs=1e-14)
    lower, upper = random_boxes(2, 25, np.random.default_rng(3), low=-1.2, high=1.4)
    areas = ring.area_within(lower, upper)
    with mpmath.workdps(20):
        for (left, bottom), (right, top), area in zip(lower - ring.centre, upper - ring.centre, areas):
            if side:
                bottom, top = (max(bottom, 0), max(top, 0)) if side > 0 else (min(bottom, 0), min(top, 0))

            def height(x, radius):
                reach = mpmath.sqrt(max(radius**2 - x**2, 0))
                return max(min(top, reach) - max(bottom, -reach), 0)

            kinks = {left, right}
            for radius in (ring.inner, ring.outer):
                for edge in (0.0, min(abs(bottom), radius), min(abs(top), radius)):
                    kink = float(np.sqrt(radius**2 - edge**2))
                    kinks |= {s * kink for s in (-1, 1) if left < s * kink < right}
            exact = mpmath.quad(lambda x: height(x, ring.outer) - height(x, ring.inner), sorted(kinks))
            assert area == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(
    "name, params", [("moons", {"width": 0.75}), ("circles", {"factor": 1 / 3, "width": 0.66})]
)
def test_rings_do_not_overlap_at_their_widest(name, params):
    law = problem(name, flip=0.0, **params)
    X, y = law.sample(20_000, rng=4)
    np.testing.assert_array_equal(law.eta(X), y)  # flip = 0: the nearer ring is the person's own
    # Where rings overlapped, the density would be the sum of both.
    density = {round(0.5 * law.frame.size.prod() / ring.area, 9) for ring in law.rings}
    assert set(np.round(law.density(X), 9)) <= density | {0.0}


def test_distance_to_a_half_ring():
    ring = Ring((0.0, 0.0), 0.6, 1.1, 1)
    radius, angle = np.meshgrid(np.linspace(0.6, 1.1, 201), np.linspace(0, np.pi, 1201))
    on_ring = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=-1).reshape(-1, 2)
    X = np.random.default_rng(6).uniform(-2, 2, size=(60, 2))
    brute = [np.hypot(*(on_ring - x).T).min() for x in X]
    np.testing.assert_allclose(ring.distance(X), brute, atol=3e-3)


def points_at_all_distances(n):
    """n points of the plane in all directions, up to the largest floats; some of them beside an axis."""
    rng = np.random.default_rng(7)
    angle, size = rng.uniform(0, 2 * np.pi, n), 10.0 ** rng.uniform(0, 308.2, n)
    X = np.column_stack((np.cos(angle), np.sin(angle))) * size[:, None]
    X[np.arange(0, n, 5), np.arange(0, n, 5) // 5 % 2] = 0.3
    return X


@pytest.mark.parametrize("name", ["moons", "circles"])
def test_eta_is_that_of_the_nearer_ring_however_far_it_is(name):
    """Distances to 650 digits: more than the largest floats have, squared."""
    law, X = problem(name), points_at_all_distances(300)

    def distance(ring, point):
        x, y = (value - centre for value, centre in zip(point, ring.centre))
        radius = mpmath.hypot(x, y)
        if not ring.side or ring.side * y >= 0:
            return max(ring.inner - radius, radius - ring.outer, 0)
        return mpmath.hypot(max(ring.inner - abs(x), abs(x) - ring.outer, 0), y)

    with mpmath.workdps(650):
        framed = [[mpmath.mpf(o) + mpmath.mpf(s) * mpmath.mpf(v) for o, s, v in zip(
            law.frame.lower, law.frame.size, x)] for x in X.tolist()]
        farther = [float(distance(law.rings[0], x) - distance(law.rings[1], x)) for x in framed]
    assert min(map(abs, farther)) > 1e-6
    np.testing.assert_array_equal(law.eta(X), np.where(np.array(farther) > 0, 1 - law.flip, law.flip))


def test_from_afar_a_cloud_is_its_farthest_reach():
    """At infinity the arc wins that reaches farther in the direction of the point."""
    X = points_at_all_distances(300)
    X = X[np.abs(X).max(axis=1) > 1e6]
    direction = X / np.abs(X).max(axis=1, keepdims=True) * (5.0, 3.5)
    angle = np.linspace(0, np.pi, 4001)
    arc = np.stack((np.cos(angle), np.sin(angle)))
    zero, one = (direction @ arc).max(axis=1), (direction @ (np.array([[1.0], [0.5]]) - arc)).max(axis=1)
    assert np.abs(zero - one).min() > 1e-4
    np.testing.assert_array_equal(point_cloud_eta("moons", X), one > zero)


@pytest.mark.parametrize("far", [1e308, -1e308, np.finfo(float).max, np.finfo(float).min])
def test_the_survey_answers_for_the_nearest_bin_however_far(far):
    law = problem("cps", features=("age", "education"))
    X = np.array([[far, far], [far, 0.6], [0.4, far]])
    np.testing.assert_array_equal(law.eta(X), law.eta(X.clip(0.0, 1.0)))
    assert (law.density(X) == 0).all()


def test_cantor_function_at_known_points():
    third = np.nextafter(1 / 3, 1)
    np.testing.assert_array_equal(cantor_function([third, 0.5, 0.66]), 0.5)
    np.testing.assert_array_equal(cantor_function([0, 1, -3, 4]), [0, 1, 0, 1])
    np.testing.assert_array_equal(cantor_function([0.15, 0.8]), [0.25, 0.75])
    # F is Hoelder of order log 2 / log 3: an error of 1e-16 in x, as in 3/10, costs at most 2e-10.
    np.testing.assert_allclose(cantor_function([1 / 4, 3 / 4, 3 / 10]), [1 / 3, 2 / 3, 2 / 5], atol=2e-10)
    # 1/3 as a float lies just below 1/3, and F is steep there: digits of the float itself are needed.
    assert 1e-12 < 0.5 - cantor_function(1 / 3) < 1e-10


def exact_cantor(x):
    """F of a float from 200 ternary digits, taken in rational arithmetic."""
    numerator, denominator = float(x).as_integer_ratio()
    value = mpmath.mpf(0)
    for position in range(1, 200):
        digit, numerator = divmod(3 * numerator, denominator)
        value += mpmath.mpf(digit > 0) / 2**position
        if digit == 1:
            break
    return value


@given(st.floats(0, 0.99), st.integers(0, 30))
def test_cantor_function_against_rational_arithmetic(level, depth):
    # Near the Cantor set, where no early digit 1 hides an error, and at every magnitude.
    x = float(cantor_quantile(level)) / 3.0**depth
    with mpmath.workdps(60):
        assert abs(exact_cantor(x) - mpmath.mpf(float(cantor_function(x)))) < 2e-16


@given(st.floats(0, 1), st.floats(0, 1))
def test_cantor_function_is_monotone_symmetric_and_self_similar(x, other):
    low, high = sorted((x, other))
    assert cantor_function(low) <= cantor_function(high)
    # 1 - x and x / 3 are rounded, which F magnifies to at most 2e-10.
    assert cantor_function(1 - x) == pytest.approx(1 - cantor_function(x), abs=2e-10)
    assert cantor_function(x / 3) == pytest.approx(cantor_function(x) / 2, abs=2e-10)


def test_cantor_quantile_inverts_the_function():
    level = np.random.default_rng(7).random(10_000)
    x = cantor_quantile(level)
    np.testing.assert_allclose(cantor_function(x), level, atol=2e-10)
    assert ((x < 1 / 3) | (x > 2 / 3 - 1e-15)).all()


def test_cantor_rule_changes_sides_among_people():
    law = problem("cantor")
    for boundary in (1 / 4, 3 / 4):
        for reach in 3.0 ** -np.arange(2, 12):
            below = law.cell_masses([boundary - reach], [boundary])
            above = law.cell_masses([boundary], [boundary + reach])
            assert below[0] > 0 and above[0] > 0
            assert (2 * below[1] - below[0]) * (2 * above[1] - above[0]) < 0


def test_cantor_law_has_no_atoms_and_no_length():
    law = problem("cantor")
    edges = np.arange(3**8 + 1)[:, None] / 3**8
    p, _ = law.cell_masses(edges[:-1], edges[1:])
    # 2^8 of the 3^8 intervals share the mass equally; rounding of their ends moves at most 2e-8.
    assert np.count_nonzero(p > 1e-6) == 2**8
    np.testing.assert_allclose(p[p > 1e-6], 2.0**-8, atol=1e-7)


def test_survey_law_counts_everybody():
    survey = load_cps()
    law = problem("cps", features=("age", "education"))
    X, y = law.people(rng=8)
    assert X.shape == (215_574, 2) and y.shape == (215_574,)
    age, schooling = (np.floor(X * (73, 21)).astype(int) + (18, 0)).T
    people = np.zeros((91, 21, 2), dtype=int)
    np.add.at(people, (age, schooling, y), 1)
    table = np.zeros_like(people)
    table[survey.age, survey.edu_years, survey.full_year] = survey.count
    np.testing.assert_array_equal(people, table)
    np.testing.assert_array_equal(law.people(rng=8)[0], X)
    p, q = law.cell_masses([(40 - 18) / 73, 0], [(41 - 18) / 73, 1])
    forty = survey.age == 40
    assert p * 215_574 == pytest.approx(survey.count[forty].sum(), abs=1e-6)
    assert q * 215_574 == pytest.approx((survey.count * survey.full_year)[forty].sum(), abs=1e-6)


def test_survey_marginals_agree():
    both, age = problem("cps", features=("education", "age")), problem("cps")
    lower, upper = random_boxes(1, 20, np.random.default_rng(9))
    everything = np.zeros_like(lower), np.ones_like(upper)
    wide = both.cell_masses(np.hstack((everything[0], lower)), np.hstack((everything[1], upper)))
    np.testing.assert_allclose(wide, age.cell_masses(lower, upper), atol=1e-14)
    assert both.bayes_risk < age.bayes_risk < 1 - age.majority_rate


def test_table_with_an_empty_bin():
    law = Tabulated("table", [[2, 0], [1, 1]], [[2, 0], [0, 1]], {})
    np.testing.assert_array_equal(law.eta([[0.2, 0.2], [0.2, 0.8], [0.8, 0.2], [0.8, 0.8]]), [1, 0.5, 0, 1])
    np.testing.assert_array_equal(law.density([[0.2, 0.2], [0.2, 0.8], [1.0, 1.0], [1.1, 0.5]]), [2, 0, 1, 0])
    assert law.cell_masses([0.25, 0.0], [0.75, 1.0]) == (0.5, 0.375)
    assert law.bayes_risk == 0


@pytest.mark.parametrize("name", ["moons", "circles"])
def test_point_cloud_is_the_one_of_scikit_learn(name):
    X, y = point_cloud(name, 1001, noise=0.0, rng=10)
    lower, upper = {"moons": ((-2.0, -1.5), (3.0, 2.0)), "circles": ((-2.0, -2.0), (2.0, 2.0))}[name]
    framed = X * np.subtract(upper, lower) + lower
    centre = np.where(y[:, None] == 1, (1.0, 0.5), 0.0) if name == "moons" else 0.0
    radius = 1.0 if name == "moons" else np.where(y == 1, 0.5, 1.0)
    np.testing.assert_allclose(np.hypot(*(framed - centre).T), radius, atol=1e-12)
    assert abs(y.mean() - 0.5) < 1e-3


@pytest.mark.parametrize("name", ["moons", "circles"])
def test_point_cloud_eta_is_calibrated(name):
    X, y = point_cloud(name, PEOPLE, rng=11)
    eta = point_cloud_eta(name, X)
    assert ((X >= 0) & (X <= 1)).all(axis=1).mean() > 1 - 1e-4
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        group = (eta >= low) & (eta <= low + 0.2)
        # Values in [-1, 1] have twice the range.  Evenly spaced angles make people independent but not
        # alike, which Hoeffding allows.
        assert abs((group * (y - eta)).mean()) < 2 * TOLERANCE


def test_circle_cloud_eta_against_bessel_functions():
    # Averaging a Gaussian over a circle gives exp(-(r^2 + R^2) / 2 s^2) I_0(r R / s^2).
    X = np.random.default_rng(12).random((200, 2))
    r = np.hypot(*(4 * X - 2).T)
    for noise in (0.05, 0.2, 1.0):
        one, zero = (
            np.log(ive(0, r * radius / noise**2)) - (r - radius) ** 2 / (2 * noise**2) for radius in (0.5, 1)
        )
        np.testing.assert_allclose(point_cloud_eta("circles", X, noise=noise), expit(one - zero), atol=1e-12)
    assert np.isfinite(point_cloud_eta("moons", [[60.0, -40.0]], noise=0.05)).all()


def test_moon_cloud_eta_against_adaptive_quadrature():
    noise, X = 0.2, np.random.default_rng(13).uniform(0.2, 0.8, size=(10, 2))

    def density(x, centre, start):
        def integrand(angle):
            return np.exp(-((x - centre - (np.cos(angle), np.sin(angle))) ** 2).sum() / (2 * noise**2))

        return quad(integrand, start, start + np.pi, epsabs=0, epsrel=1e-11, limit=200)[0]

    for x, eta in zip(X * (5.0, 3.5) - (2.0, 1.5), point_cloud_eta("moons", X, noise=noise)):
        zero, one = density(x, (0.0, 0.0), 0.0), density(x, (1.0, 0.5), np.pi)
        assert eta == pytest.approx(one / (zero + one), abs=1e-10)


def test_unknown_names_and_parameters_list_the_legal_ones():
    with pytest.raises(ValueError, match="name = 'sinus' is unknown; choose one of 'sine', 'checkerboard'"):
        problem("sinus")
    with pytest.raises(TypeError, match="no parameter phase = 1; it takes d, amplitude, frequency"):
        problem("sine", phase=1)
    with pytest.raises(ValueError, match="name = 'spiral'"):
        point_cloud("spiral", 10, rng=1)


@pytest.mark.parametrize(
    "name, argument, value",
    [
        ("sine", "d", 0),
        ("sine", "d", 1.5),
        ("sine", "d", "2"),
        ("sine", "amplitude", 0.51),
        ("sine", "amplitude", -0.1),
        ("sine", "amplitude", np.nan),
        ("sine", "frequency", 0),
        ("sine", "frequency", 0.5),
        ("cantor", "d", 0),
        ("cantor", "frequency", 0),
        ("cantor", "amplitude", 1),
        ("checkerboard", "d", 0),
        ("checkerboard", "squares", 0),
        ("checkerboard", "flip", 0.6),
        ("moons", "width", 0.0),
        ("moons", "width", 0.76),
        ("moons", "flip", -0.1),
        ("circles", "factor", 0.0),
        ("circles", "factor", 1.0),
        ("circles", "width", 0.51),
        ("circles", "width", 0),
        ("circles", "flip", None),
        ("cps", "features", "age"),
        ("cps", "features", ()),
        ("cps", "features", ("income",)),
        ("cps", "features", ("age", "age")),
    ],
)
def test_bad_parameters_are_refused_by_name(name, argument, value):
    with pytest.raises((ValueError, TypeError), match=f"^{argument} = "):
        problem(name, **{argument: value})


@pytest.mark.parametrize(
    "lower, upper, match",
    [
        ([0.1], [0.2, 0.3], r"lower has shape \(1,\); it must be \(..., 2\)"),
        (0.1, [0.2, 0.3], r"lower has shape \(\)"),
        ([0.1, 0.1], [0.2, np.inf], "upper = inf is out of range; it must be a finite number"),
        ([0.1, np.nan], [0.2, 0.3], "lower = nan is out of range; it must be a finite number"),
        ([[0.1, 0.1], [0.1, 0.4]], [[0.2, 0.3]], r"lower exceeds upper in box \[1\]"),
        (np.zeros((2, 2)), np.ones((3, 2)), r"lower \(2, 2\), upper \(3, 2\); give"),
    ],
)
def test_bad_boxes_are_refused(lower, upper, match):
    for method in (problem("checkerboard").cell_masses, problem("checkerboard").margin_mass):
        with pytest.raises(ValueError, match=match):
            method(lower, upper)


def test_bad_points_and_samples_are_refused():
    for name in PROBLEMS:
        law = problem(name)
        with pytest.raises(ValueError, match="X has shape"):
            law.eta(np.zeros((3, law.d + 1)))
        with pytest.raises(ValueError, match="X has a NaN"):
            law.eta(np.full((3, law.d), np.nan))
        if law.density is not None:
            with pytest.raises(ValueError, match="X has shape"):
                law.density(np.zeros(3))
        with pytest.raises(ValueError, match="n = 0"):
            law.sample(0, rng=1)
        with pytest.raises(TypeError, match="rng = 'seed'"):
            law.sample(1, rng="seed")
        with pytest.raises(MemoryError, match="GiB"):
            law.sample(10**10, rng=1)
    with pytest.raises(ValueError, match="n = 1"):
        point_cloud("moons", 1, rng=1)
    with pytest.raises(ValueError, match="noise = -1"):
        point_cloud("moons", 10, noise=-1, rng=1)
    with pytest.raises(ValueError, match="noise = 0"):
        point_cloud_eta("moons", [[0.5, 0.5]], noise=0)

"""Private Bayes consistency: exact risks of the curator's rules, what they promise, and where they fail."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_estimator_repr, check_get_params_invariance, check_no_attributes_set_in_init,
    check_parameters_default_constructible, check_set_params,
)

from ldp_lib.estimation import (
    CubeClassifier, NoisyMajorityClassifier, PrivateSemiSupervised, StableHistogramDensity, StableVoronoiClassifier,
    VoronoiClassifier, labelled_sample_size,
)
from ldp_lib.estimation.hypotheses import net_edges, net_size, private_choice, strips
from ldp_lib.nature import CantorSet, Line, Sphere, problem, space_problem
from ldp_lib.privacy import stability_threshold
from ldp_lib.privacy.central import central_noise
from ldp_lib.risk import (
    cell_grid, excess_risk, expected_l1_error, label_probabilities, mean_count_error, noisy_majority_probabilities,
    people_needed, simulate_accuracy, simulate_excess_risk,
)

FIXED = [("sine", {}), ("checkerboard", {}), ("cantor", {}), ("cps", {}), ("moons", {}), ("threshold", {})]
SPACES = ["interval", "circle", "sphere", "tree", "cantor"]


def noise_constants(noise):
    scale = mp.mpf(noise.scale)
    r = mp.exp(-mp.mpf(noise.granularity) / scale) if noise.granularity else mp.mpf(1)
    return mp.exp(-1 / scale), 1 / (1 + r)


def brute(n, p, q, noise):
    """P(V + Z <= 0) and P(V + Z > 0) over all numbers of ones and zeros, 40 digits."""
    with mp.workdps(40):
        (rho, a), p, q = noise_constants(noise), mp.mpf(p), mp.mpf(q)
        one = zero = mp.mpf(0)
        for i in range(n + 1):
            for j in range(n + 1 - i):
                weight = mp.binomial(n, i) * mp.binomial(n - i, j) * q**i * (p - q) ** j * (1 - p) ** (n - i - j)
                says_one = 1 - a * rho ** (i - j) if i > j else (1 - a) * rho ** (j - i)
                one, zero = one + weight * says_one, zero + weight * (1 - says_one)
        return float(zero), float(one)


def quadrature(n, p, q, noise):
    """P(V + Z > 0) by one integral in which the noise is part of the kernel, 60 digits; for many people."""
    with mp.workdps(60):
        (rho, a), p, q = noise_constants(noise), mp.mpf(p), mp.mpf(q)
        c = min(max(mp.log((p - q) / q) / 2, mp.mpf("0.01")), mp.mpf("0.9") / noise.scale)

        def integrand(t):
            z = mp.exp(-c - 1j * t)
            kernel = z * (1 - rho) * (1 - a * (1 + rho) + (a - rho * (1 - a)) * z)
            kernel /= (1 - z) * (1 - rho * z) * (z - rho)
            return (kernel * mp.exp(n * mp.log(1 + q * (1 / z - 1) + (p - q) * (z - 1)))).real

        width = 15 / mp.sqrt(n * p)
        return float(mp.quad(integrand, mp.linspace(0, width, 9)) / mp.pi)


@pytest.mark.parametrize("kind", ["lattice", "real"])
def test_noisy_majority_against_brute_force(kind):
    for n in (1, 2, 5, 70):
        for p, q in ((0.3, 0.2), (1.0, 0.9), (0.01, 0.005), (0.0, 0.0), (1e-9, 1e-9), (0.999, 0.001)):
            for epsilon in (1e-6, 1.0, 100.0) if n < 70 else (1.0,):
                noise = central_noise(epsilon, kind)
                found = noisy_majority_probabilities(n, p, q, noise.scale, noise.granularity)
                assert np.allclose(found, brute(n, p, q, noise), rtol=1e-10, atol=0), (n, p, q, epsilon)


@pytest.mark.parametrize("n, p, q, epsilon", [
    (10**4, 0.1, 0.06, 1.0), (10**6, 0.01, 0.004, 0.3), (10**6, 0.01, 0.004, 3.0), (10**8, 1e-3, 5.01e-4, 0.01),
])
def test_noisy_majority_of_many_against_quadrature(n, p, q, epsilon):
    noise = central_noise(epsilon)
    one = noisy_majority_probabilities(n, p, q, noise.scale, noise.granularity)[1]
    assert one == pytest.approx(quadrature(n, p, q, noise), rel=1e-9)


@pytest.mark.parametrize("law, rule", [
    *[(problem(name, **params), NoisyMajorityClassifier(0.5)) for name, params in [*FIXED, ("sine", {"d": 2})]],
    *[(law, VoronoiClassifier(0.5, law.space, radius=0.3)) for law in map(space_problem, SPACES)],
], ids=repr)
def test_cell_laws_agree_with_simulation(law, rule):
    """Exact binomial tests of how often each cell says 1, at level 1e-7 over all cells of a case."""
    n, repeats, rng = 300, 300, np.random.default_rng(6)
    cells = cell_grid(rule, law, n)
    _, probability = label_probabilities(rule, cells, n)
    centres = (cells.lower + cells.upper) / 2
    ones = sum(clone(rule).set_params(rng=rng).fit(*law.sample(n, rng=rng)).predict(centres) for _ in range(repeats))
    tail = np.minimum(binom.cdf(ones, repeats, probability), binom.sf(ones - 1, repeats, probability))
    assert tail.min() > 1e-7 / (2 * len(tail))


@pytest.mark.parametrize("law, rule", [
    (problem("sine"), NoisyMajorityClassifier(0.5)), (problem("cantor"), NoisyMajorityClassifier(0.5, side=0.07)),
    (space_problem("sphere"), VoronoiClassifier(0.5, Sphere())),
], ids=repr)
def test_exact_risk_agrees_with_simulated_risk(law, rule):
    """Within 6 standard errors of 200 repeats, a false alarm of 1e-8 a case (Student's t)."""
    simulated = simulate_excess_risk(rule, law, 500, 200, rng=5)
    assert abs(simulated.mean - excess_risk(rule, law, 500)) <= 6 * simulated.standard_error


@pytest.mark.parametrize("name, params", FIXED)
def test_pcl_is_consistent_on_every_fixed_law(name, params):
    law = problem(name, **params)
    risks = [excess_risk(NoisyMajorityClassifier(1.0), law, n) for n in (10**2, 10**4, 10**6, 10**8)]
    assert risks == sorted(risks, reverse=True) or name == "threshold"
    assert risks[-1] < 0.01 and risks[-1] < risks[0]


@pytest.mark.parametrize("name", SPACES)
def test_pcl2_is_consistent_on_every_space(name):
    law = space_problem(name)
    rule = VoronoiClassifier(1.0, law.space)
    assert excess_risk(rule, law, 10**9) < 0.004 < excess_risk(rule, law, 10)


def test_the_moving_threshold_is_never_learnt_and_every_fixed_one_is():
    rule = NoisyMajorityClassifier(1.0)
    for n in (10**2, 10**4, 10**6, 10**8):
        moving = problem("hidden_threshold", n=n)
        assert moving.bayes_risk == pytest.approx(0.1) and excess_risk(rule, moving, n) == pytest.approx(0.4, rel=1e-6)
    fixed = problem("hidden_threshold", n=100)
    assert [excess_risk(rule, fixed, n) < 1e-9 for n in (10**2, 10**6, 10**8)] == [False, True, True]


def test_noise_is_drawn_once_a_cube_and_for_empty_cubes_too():
    X, y = problem("sine").sample(200, rng=0)
    rule = NoisyMajorityClassifier(0.1, rng=1).fit(X * 0.3, y)
    grid = np.linspace(0, 1, 500)[:, None]
    assert (rule.decision_function(grid) == rule.decision_function(grid)).all()
    assert (rule.scores_ != 0).mean() > 0.9 and len(rule.scores_) == 15
    assert len(np.unique(rule.scores_)) > 10


def test_local_against_central_on_the_survey(capsys):
    """People needed for the same exact accuracy at the same budget, best bandwidth of a few for either."""
    law, sides = problem("cps"), (0.1, 0.15, 0.2, 0.3)
    for target in (0.05, 0.03):
        local = people_needed([CubeClassifier(1.0, h) for h in sides], law, target)
        central = people_needed([NoisyMajorityClassifier(1.0, side=side) for side in sides], law, target)
        with capsys.disabled():
            print(f"\ncps, excess risk {target}, budget 1: local {local:,} people, central {central:,}, "
                  f"ratio {local / central:,.0f}")
        assert local > 300 * central
    assert people_needed(NoisyMajorityClassifier(1.0, side=1.0), law, 0.01, most=10**4) is None


def heavy_tailed(n, rng):
    return space_problem("heavy_tails").sample(n, rng=rng)


def test_pcl2b_learns_on_the_line_with_heavy_tails():
    """Accuracy within 0.03 of the best, 20 standard errors of the mean."""
    best = 1 - space_problem("heavy_tails").bayes_risk
    simulated = simulate_accuracy(StableVoronoiClassifier(1.0, 1e-6, Line()), heavy_tailed, 50_000, 5, rng=0)
    assert best - 0.03 < simulated.mean < best + 0.01


def test_pcl2b_hides_empty_cells_and_small_ones():
    X, y = heavy_tailed(2000, np.random.default_rng(0))
    rule = StableVoronoiClassifier(1.0, 1e-6, Line(), rng=0).fit(X, y)
    assert len(rule.cells_) < len(np.unique(rule.voronoi_.locate(X))) and (rule.counts_ + rule.ones_ > 0).all()
    assert (rule.predict([[1e9], [-1e9]]) == 0).all() and (rule.decision_function([[1e9]]) == 0).all()
    nobody = StableVoronoiClassifier(0.01, 1e-300, Line(), rng=0).fit(X, y)
    assert len(nobody.cells_) == 0 and (nobody.predict(X) == 0).all()


@pytest.mark.parametrize("noise", ["lattice", "real"])
@pytest.mark.parametrize("threshold", ["printed", "sufficient"])
def test_mean_count_error_against_a_sum(noise, threshold):
    """The law of chat summed over a fine lattice; and the bound of Theorem 2.4 in its corrected form."""
    epsilon, delta = 0.8, 1e-3
    law = central_noise(epsilon, noise)
    step = law.granularity or 1 / 4096
    z = step * np.arange(-400_000, 400_001)
    mass = np.exp(-np.abs(z) / law.scale)
    mass /= mass.sum()
    tau = stability_threshold(epsilon, delta, threshold=threshold, noise=noise)
    for count in (0, 1, 10, 16, 40):
        noisy = np.where(count + z >= tau, count + z, 0.0) if count else np.zeros_like(z)
        for target in (count, 7.3, 20.1):
            exact = mean_count_error(count, epsilon, delta, target=target, threshold=threshold, noise=noise)
            assert exact == pytest.approx(mass @ np.abs(noisy - target), rel=2e-3 if noise == "real" else 1e-8, abs=1e-12)
    c = np.arange(0, 200)
    log = np.log(1 / delta)
    assert (mean_count_error(c, epsilon, delta, threshold="printed") <= 8.4 / epsilon * np.minimum(log, c) + 1e-12).all()


@pytest.mark.parametrize("name", ["sine", "cps"])
def test_exact_l1_error_agrees_with_simulation(name):
    """Within 6 standard errors of 100 repeats, a false alarm below 1e-7; the grid resolves all edges."""
    law, n = problem(name), 500
    rule = StableHistogramDensity(1.0, 1e-2, side=0.13, normalise=False, rng=np.random.default_rng(3))
    edges = np.unique(np.concatenate([0.13 * np.arange(9), np.arange(74) / 73]))
    middle, width = (edges[1:] + edges[:-1])[:, None] / 2, np.diff(edges)
    rng = np.random.default_rng(1)
    errors = [width @ np.abs(rule.fit(law.sample(n, rng=rng)[0]).pdf(middle) - law.density(middle)) for _ in range(100)]
    exact = expected_l1_error(rule, law, n)
    assert abs(np.mean(errors) - exact) <= 6 * np.std(errors, ddof=1) / 10


def test_pcde_is_consistent_where_delta_allows_and_nothing_at_the_counterexample():
    def error(n, delta, d=1):
        return expected_l1_error(StableHistogramDensity(1.0, delta, normalise=False), problem("sine", d=d), n)

    # log(1/delta) = n^0.3 is o(sqrt n).
    for d in (1, 2):
        risks = [error(n, np.exp(-float(n) ** 0.3), d) for n in (10**2, 10**4, 10**6, 10**8)]
        assert risks == sorted(risks, reverse=True) and risks[-1] < 0.02
    # delta = n 2^(-sqrt n) satisfies the printed condition.
    assert error(10**6, 10.0**6 * 2.0**-1000) == pytest.approx(1, abs=1e-9)


def test_pcde_when_everything_is_zeroed():
    X = np.random.default_rng(0).random((1000, 1))
    rule = StableHistogramDensity(1.0, 1e-300, rng=0).fit(X)
    assert rule.mass_ == 0 and (rule.pdf(X) == 0).all()
    with pytest.raises(ValueError, match="every count was set to zero"):
        rule.sample(10, rng=0)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_pcde_is_a_density_and_samples_from_itself(d):
    """Frequencies of a million draws within 6 standard deviations in every cube (1e-6 over a hundred cubes)."""
    X = np.random.default_rng(0).standard_normal((20_000, d))
    rule = StableHistogramDensity(1.0, 1e-6, side=0.8, rng=0).fit(X)
    assert rule.heights_.sum() * 0.8**d == pytest.approx(1)
    assert (rule.pdf((rule.cells_ + 0.5) * 0.8) == rule.heights_).all() and rule.pdf(np.full((1, d), 1e18)) == 0
    drawn = rule.sample(10**6, rng=1)
    cells, seen = np.unique(np.floor(drawn / 0.8).astype(int), axis=0, return_counts=True)
    expected = 10**6 * rule.pdf((cells + 0.5) * 0.8) * 0.8**d
    assert (np.abs(seen - expected) <= 6 * np.sqrt(expected) + 6).all()


CONCEPTS = {
    "thresholds": (1, lambda X: X[:, 0] >= 0.37), "intervals": (1, lambda X: (X[:, 0] >= 0.1) & (X[:, 0] < 0.9)),
    "rectangles": (2, lambda X: (np.abs(X - 0.5) < 0.5).all(axis=1)),
}


@pytest.mark.parametrize("hypotheses", CONCEPTS)
def test_semi_supervised_learning_reaches_its_accuracy(hypotheses):
    """Labels as many as promised; the exponential mechanism fails with probability below 1e-6."""
    d, truth = CONCEPTS[hypotheses]
    accuracy = 0.4 if d == 2 else 0.1
    rng = np.random.default_rng(0)
    m = labelled_sample_size(hypotheses, accuracy, 1e-6, epsilon=1.0)
    X = rng.standard_normal((m + 60_000, d))
    y = np.where(np.arange(len(X)) < m, truth(X), -1)
    rule = PrivateSemiSupervised(1.0, 1e-6, hypotheses, accuracy=accuracy, rng=1).fit(X, y)
    fresh = rng.standard_normal((50_000, d))
    assert (rule.predict(fresh) != truth(fresh)).mean() <= accuracy
    assert labelled_sample_size(hypotheses, accuracy, 0.05, 0.1) > labelled_sample_size(hypotheses, accuracy, 0.05, 1.0)


def test_the_exponential_mechanism_is_exact():
    """All boxes of a small net listed; chi-square-like test of 6 standard deviations a box (1e-7 over 37 boxes)."""
    rng = np.random.default_rng(0)
    X, epsilon, repeats = rng.random((12, 2)), 0.7, 4000
    y = (X[:, 0] > 0.5).astype(int)
    edges = net_edges(X, 3)
    drawn = {}
    for _ in range(repeats):
        lower, upper = private_choice("rectangles", edges, X, y, epsilon, rng)
        key = (*lower, *upper)
        drawn[key] = drawn.get(key, 0) + 1
    pairs = [[(a, b) for i, a in enumerate(axis) for b in axis[i + 1:]] for axis in edges]
    boxes = [(a, c, b, d) for a, b in pairs[0] for c, d in pairs[1]]
    errors = np.array([(((X >= box[:2]) & (X < box[2:])).all(axis=1) != y).sum() for box in boxes])
    weight = np.exp(-epsilon * errors / 2)
    expected = repeats * weight / weight.sum()
    seen = np.array([drawn.get(box, 0) for box in boxes])
    assert len(boxes) == 36 and seen.sum() == repeats
    assert (np.abs(seen - expected) <= 6 * np.sqrt(expected) + 3).all()
    # Exact privacy: replacing one person moves every error by at most 1, hence every probability by e^epsilon.
    for person in range(12):
        other = y.copy()
        other[person] = 1 - other[person]
        moved = np.array([(((X >= box[:2]) & (X < box[2:])).all(axis=1) != other).sum() for box in boxes])
        ratio = weight / weight.sum() / (np.exp(-epsilon * moved / 2) / np.exp(-epsilon * moved / 2).sum())
        assert np.abs(np.log(ratio)).max() <= epsilon


def test_nets_have_the_size_they_say():
    for name, sides in (("thresholds", 1), ("intervals", 2), ("rectangles", 4)):
        k = strips(name, 0.5)
        assert k == 10 * sides
        assert net_size(name, 0.5) >= {"thresholds": k + 1, "intervals": k * (k + 1) / 2}.get(name, 0)


@pytest.mark.parametrize("fit, named", [
    (lambda X, y: NoisyMajorityClassifier(0.0).fit(X, y), "epsilon"),
    (lambda X, y: NoisyMajorityClassifier(side=-1.0).fit(X, y), "side"),
    (lambda X, y: NoisyMajorityClassifier(noise="none").fit(X, y), "noise"),
    (lambda X, y: VoronoiClassifier(1.0).fit(X, y), "space"),
    (lambda X, y: VoronoiClassifier(1.0, Line()).fit(X, y), "unbounded"),
    (lambda X, y: VoronoiClassifier(1.0, CantorSet()).fit(X, y), "not a point"),
    (lambda X, y: VoronoiClassifier(1.0, Sphere()).fit(X, y), "shape"),
    (lambda X, y: StableVoronoiClassifier(1.0, 0.0, Line()).fit(X, y), "delta"),
    (lambda X, y: StableHistogramDensity(delta=2.0).fit(X), "delta"),
    (lambda X, y: StableHistogramDensity(side=0.0).fit(X), "side"),
    (lambda X, y: PrivateSemiSupervised(hypotheses="balls").fit(X, y), "hypotheses"),
    (lambda X, y: PrivateSemiSupervised().fit(X, y), "-1"),
    (lambda X, y: PrivateSemiSupervised(hypotheses="rectangles").fit(X, y), "features"),
    (lambda X, y: cell_grid(NoisyMajorityClassifier(), problem("sine")), "n is missing"),
    (lambda X, y: excess_risk(VoronoiClassifier(1.0, Sphere()), problem("sine"), 10), "does not live on"),
    (lambda X, y: excess_risk(StableVoronoiClassifier(1.0, 0.1, Sphere()), space_problem("sphere"), 10), "exact law"),
    (lambda X, y: expected_l1_error(StableHistogramDensity(), problem("sine"), 10), "normalise"),
    (lambda X, y: expected_l1_error(StableHistogramDensity(normalise=False), problem("cantor"), 10), "density"),
    (lambda X, y: problem("threshold", width=2.0), "width"),
])
def test_bad_arguments_are_named(fit, named):
    X, y = problem("sine").sample(60, rng=0)
    with pytest.raises((ValueError, TypeError), match=named):
        fit(X, y)


@pytest.mark.parametrize("rule", [
    VoronoiClassifier(1.0, Sphere()), StableVoronoiClassifier(1.0, 1e-6, Line()), PrivateSemiSupervised(),
], ids=lambda rule: type(rule).__name__)
def test_parameters_are_kept_as_they_are(rule):
    """The conventions that do not feed arbitrary tables: people are points of a space, or lack a label."""
    for check in (check_parameters_default_constructible, check_get_params_invariance, check_set_params,
                  check_no_attributes_set_in_init, check_estimator_repr):
        check(type(rule).__name__, rule)
    assert clone(rule).get_params().keys() == rule.get_params().keys()

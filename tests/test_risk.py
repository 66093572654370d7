"""The exact excess risk agrees with simulation, with theory, and with itself."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone

from ldp_lib.estimation import (
    CellClassifier, CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier,
)
from ldp_lib.nature import problem
from ldp_lib.risk import cell_grid, excess_risk, label_probabilities, people_needed, simulate_excess_risk

PROBLEMS = [
    ("sine", {}), ("sine", {"d": 2}), ("checkerboard", {}), ("moons", {}), ("circles", {}), ("cantor", {}),
    ("cps", {}), ("cps", {"features": ("age", "education")}),
]


@pytest.mark.share(3)
@pytest.mark.parametrize("name, params", PROBLEMS)
@pytest.mark.parametrize("rule", [CubeClassifier(alpha=2.0, h=0.17, rng=0), HistogramClassifier(h=0.17)])
def test_cell_law_agrees_with_simulation(name, params, rule):
    """Exact binomial tests of how often each cell is labelled 1, at level 1e-7 over all cells of a case."""
    law = problem(name, **params)
    n, repeats = (1000, 400)
    cells = cell_grid(rule, law)
    _, probability = label_probabilities(rule, cells, n)
    centres = (cells.lower + cells.upper) / 2
    rng = np.random.default_rng(5)
    fits = (clone(rule).set_params(**({"rng": rng} if hasattr(rule, "rng") else {})) for _ in range(repeats))
    ones = sum(fit.fit(*law.sample(n, rng=rng)).predict(centres) for fit in fits)
    # Cells beyond the domain have no inside, and their clipped centre lies in a neighbour.
    proper = (cells.upper > cells.lower).all(axis=1)
    tail = np.minimum(binom.cdf(ones, repeats, probability), binom.sf(ones - 1, repeats, probability))
    assert tail[proper].min() > 1e-7 / (2 * proper.sum())


@pytest.mark.share(3)
@pytest.mark.parametrize("name, params", PROBLEMS)
def test_exact_risk_agrees_with_simulated_risk(name, params):
    """Within 6 standard errors of 200 repeats, a false alarm of 1e-8 a case (Student's t, 199 degrees)."""
    law, rule = problem(name, **params), CubeClassifier(alpha=2.0, h=0.17)
    simulated = simulate_excess_risk(rule, law, 4000, 200, rng=5)
    assert abs(simulated.mean - excess_risk(rule, law, 4000)) <= 6 * simulated.standard_error


@pytest.mark.parametrize("rule", [
    CubeClassifier(1.0, 0.13), CubeClassifier(4.0, 0.2, noise="real"), CellClassifier(1.0, 0.13),
    CellClassifier(4.0, 0.2, mechanism="subset"), OneBitClassifier(1.0, 0.13), HistogramClassifier(0.13),
    NoisyMajorityClassifier(1.0), NoisyMajorityClassifier(1.0, side=0.13)], ids=str)
@pytest.mark.parametrize("name", ["sine", "moons"])
def test_one_call_for_a_curve_gives_what_a_loop_gives(rule, name):
    """Equal cells are computed once, and cells that move with n are those of each n."""
    law, people = problem(name), np.array([[7, 100, 64], [5000, 100, 10**6]])
    curve = excess_risk(rule, law, people)
    loop = [excess_risk(rule, law, int(n)) for n in people.ravel()]
    assert curve.shape == people.shape and curve.ravel() == pytest.approx(loop, rel=1e-11)
    assert excess_risk(rule, law, people.tolist()[1])[0] == pytest.approx(curve[1, 0], rel=1e-11)
    # What the sum over all cells gives, equal or not.
    cells = cell_grid(rule, law, 5000)
    zero, one = label_probabilities(rule, cells, 5000)
    assert loop[3] == pytest.approx(cells.gain_one @ zero + cells.gain_zero @ one, rel=1e-11)


@pytest.mark.parametrize("rule", [CubeClassifier(h=0.13), CellClassifier(h=0.13, mechanism="best"),
                                  OneBitClassifier(h=0.13)], ids=str)
def test_one_call_for_all_budgets_gives_what_a_loop_gives_to_the_last_bit(rule):
    law, budgets = problem("moons"), [0.5, 8.0, 2.0]
    curve = excess_risk(rule, law, [[1000], [5000]], alpha=budgets)
    rules = [clone(rule).set_params(alpha=alpha) for alpha in budgets]
    assert (curve == np.transpose([excess_risk(each, law, [1000, 5000]) for each in rules])).all()
    assert excess_risk(rule, law, 5000, alpha=2.0) == excess_risk(rules[2], law, 5000)


@pytest.mark.parametrize("rule, bad", [
    (HistogramClassifier(), 1.0), (NoisyMajorityClassifier(), [1.0]), (CubeClassifier(), []),
    (CubeClassifier(), [1.0, 0.0]), (CubeClassifier(), "1")])
def test_budgets_are_checked(rule, bad):
    with pytest.raises((ValueError, TypeError), match="^alpha "):
        excess_risk(rule, problem("sine"), 100, alpha=bad)


@pytest.mark.parametrize("bad", [[], [100, 1], [100.5], ["100"], [[1, 2], [3]], np.array([np.nan])])
def test_arrays_of_people_are_checked(bad):
    with pytest.raises((ValueError, TypeError), match="^n "):
        excess_risk(CubeClassifier(), problem("sine"), bad)


@pytest.mark.parametrize("name, people", [("moons", 435_460), ("circles", 2_001_094)])
def test_people_needed_by_the_best_of_seven_rules(name, people):
    """The rules take turns at the head; rough risks decide far from the target."""
    law, rules = problem(name), [CubeClassifier(1.0, 1 / m) for m in (2, 3, 4, 5, 6, 8, 10)]
    assert people_needed(rules, law, 0.05) == people
    risks = [excess_risk(rule, law, [people - 2, people]) for rule in rules]
    assert np.min(risks, axis=0)[1] <= 0.05 < np.min(risks, axis=0)[0]


def test_parallel_simulation_gives_the_same_values():
    args = CubeClassifier(alpha=1.0, h=0.3), problem("sine"), 500, 6
    one, two = (simulate_excess_risk(*args, rng=1, n_jobs=jobs) for jobs in (1, 2))
    assert (one.values == two.values).all() and one.standard_error > 0


def test_cells_partition_the_domain():
    for name, params in PROBLEMS:
        law = problem(name, **params)
        for rule in (CubeClassifier(h=0.23), HistogramClassifier(h=0.23)):
            cells = cell_grid(rule, law)
            assert (cells.gain_one + cells.gain_zero).sum() == pytest.approx(1 - 2 * law.bayes_risk, abs=1e-9)
            assert np.allclose(sum(label_probabilities(rule, cells, 100)), 1)


def test_noise_drowns_everything_and_data_win_in_the_end():
    sine = problem("sine")
    drowned = excess_risk(CubeClassifier(alpha=1e-6, h=0.1), sine, 1000)
    assert drowned == pytest.approx((1 - 2 * sine.bayes_risk) / 2, rel=1e-3)
    risks = [excess_risk(CubeClassifier(alpha=1.0, h=n**-0.25), sine, n)
             for n in (10**3, 10**5, 10**7, 10**9)]
    assert risks == sorted(risks, reverse=True) and risks[-1] < 0.02


def test_halving_alpha_costs_four_times_the_people_at_small_alpha():
    """The law depends on n alpha^2 alone once the noise dominates."""
    sine = problem("sine")
    a = excess_risk(CubeClassifier(alpha=0.02, h=0.25, noise="real"), sine, 10**6)
    b = excess_risk(CubeClassifier(alpha=0.01, h=0.25, noise="real"), sine, 4 * 10**6)
    assert a == pytest.approx(b, rel=1e-3)


def test_counterexample_of_erratum_3():
    law = problem("sine", amplitude=0.4)
    risks = [excess_risk(CubeClassifier(alpha=float(n) ** 3, h=float(n) ** -2), law, n) for n in (10, 30)]
    assert min(risks) > 0.2


def test_lattice_and_real_noise_have_nearly_the_same_risk():
    sine = problem("sine")
    lattice, real = (excess_risk(CubeClassifier(alpha=1.0, h=0.2, noise=kind), sine, 20_000)
                     for kind in ("lattice", "real"))
    assert lattice == pytest.approx(real, rel=1e-4) and lattice != real


@pytest.mark.parametrize("n", [0, 1, 2.5, np.nan, "10"])
def test_bad_numbers_of_people(n):
    with pytest.raises((ValueError, TypeError), match="n = "):
        excess_risk(CubeClassifier(), problem("sine"), n)


def test_rules_without_exact_law_are_refused():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(TypeError, match="CubeClassifier, HistogramClassifier"):
        excess_risk(LogisticRegression(), problem("sine"), 100)

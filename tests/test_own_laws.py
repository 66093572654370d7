"""Laws that users write down or tabulate: exact against the laws of the house, and refused in sentences."""

import math

import numpy as np
import pytest

from ldp_lib.estimation import AdaptiveClassifier, CellClassifier, CubeClassifier, LinearWaveletDensity
from ldp_lib.nature import density, density_from_pdf, load_cps, problem, problem_from_eta
from ldp_lib.risk import excess_risk, mise, people_needed, simulate_excess_risk


def sine(X):
    return 0.5 + 0.4 * np.prod(np.sin(2 * np.pi * X), axis=1)


@pytest.fixture(scope="module")
def own():
    return problem_from_eta(sine)


def test_the_sine_written_down_is_the_sine_of_the_house(own):
    """Masses of whole bins to 12 digits, risks to 9, people to the last one."""
    house, k = problem("sine"), np.arange(70)[:, None]
    for mine, exact in zip(own.masses(k / 70, (k + 1) / 70), house.masses(k / 70, (k + 1) / 70), strict=True):
        assert mine == pytest.approx(exact, abs=1e-12)
    assert own.bayes_risk == pytest.approx(house.bayes_risk, abs=1e-12) and own.gap < 1e-12
    assert own.majority_rate == pytest.approx(house.majority_rate, abs=1e-12)
    x = np.linspace(0, 1, 999)[:, None]
    assert own.eta(x) == pytest.approx(house.eta(x), abs=1e-4)
    for rule in (CubeClassifier(h=0.2), CellClassifier(h=0.1), CellClassifier(h=1 / 7, mechanism="best")):
        assert excess_risk(rule, own, 20_000) == pytest.approx(excess_risk(rule, house, 20_000), rel=1e-9)
    assert people_needed(CellClassifier(h=0.1), own, 0.1) == people_needed(CellClassifier(h=0.1), house, 0.1)


@pytest.mark.parametrize("d, digits", [(2, 1e-12), (3, 1e-11), (4, 1e-5)])
def test_more_features_have_default_bins(d, digits):
    mine, house, rule = problem_from_eta(sine, d=d), problem("sine", d=d), CellClassifier(h=0.25)
    assert excess_risk(rule, mine, 10**5) == pytest.approx(excess_risk(rule, house, 10**5), rel=digits)


def test_a_density_and_cells_across_bins():
    """eta = x, f = 2 x1 (3/2) x2^2 up to a factor: masses in closed form where cells are whole bins.

    Elsewhere they are those of one law: p and q of two halves of a cell are those of the cell.
    """
    law = problem_from_eta(lambda X: X[:, :1], lambda X: 7 * X[:, 0] * X[:, 1] ** 2, d=2, bins=(20, 30))
    p, q = law.cell_masses([0.25, 0.1], [0.5, 0.4])
    assert p == pytest.approx((0.5**2 - 0.25**2) * (0.4**3 - 0.1**3), rel=1e-12)
    assert q == pytest.approx(2 / 3 * (0.5**3 - 0.25**3) * (0.4**3 - 0.1**3), rel=1e-12)
    parts = law.masses([[0.0, 0.0], [0.123, 0.0]], [[0.123, 0.77], [0.5, 0.77]])
    whole = law.masses([0.0, 0.0], [0.5, 0.77])
    assert [part.sum() for part in parts] == pytest.approx(list(whole), rel=1e-12)
    X, y = law.sample(20_000, rng=1)
    # Means over 20,000: standard deviations below 0.0034; 5.8 of them, false alarm 1e-8 each.
    assert [*X.mean(axis=0), y.mean()] == pytest.approx([2 / 3, 3 / 4, 2 / 3], abs=0.02)
    x = (np.arange(4000) + 0.5) / 4000
    written = 1 - np.sum(np.maximum(x, 1 - x) * 2 * x) / 4000
    assert law.bayes_risk - law.gap == pytest.approx(written, abs=1e-6)


def test_the_gap_is_what_bins_lose():
    """One bin of eta = x sees a fair coin, and loses 1/4. On whole bins the error of a rule is the same."""
    law = problem_from_eta(lambda X: X[:, 0], bins=1)
    assert law.bayes_risk == pytest.approx(0.5) and law.gap == pytest.approx(0.25, abs=0.04)
    coarse, fine = (problem_from_eta(lambda X: X[:, 0] ** 2, bins=bins) for bins in (15, 40320))
    rule, best = CellClassifier(h=0.2), 0.5**1.5 / 3 + (1 - 0.5**0.5) - (1 - 0.5**1.5) / 3
    assert fine.bayes_risk == pytest.approx(best, abs=1e-9) and fine.gap < 1e-8
    assert coarse.gap == pytest.approx(coarse.bayes_risk - best, rel=0.3) and coarse.gap > 1e-4
    errors = [excess_risk(rule, law, 5000) + law.bayes_risk for law in (coarse, fine)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


def test_a_table_of_counts_is_the_survey():
    table, people, ones = load_cps(), np.zeros((73, 21)), np.zeros((73, 21))
    np.add.at(people, (table.age - 18, table.edu_years), table.count)
    np.add.at(ones, (table.age - 18, table.edu_years), table.count * table.full_year)
    mine = problem_from_eta(ones / np.maximum(people, 1), density=people)
    house = problem("cps", features=("age", "education"))
    assert (mine.d, mine.gap) == (2, pytest.approx(0, abs=1e-12))
    assert mine.bayes_risk == pytest.approx(house.bayes_risk, abs=1e-12)
    rule = CellClassifier(h=0.25)
    assert excess_risk(rule, mine, 10**5) == pytest.approx(excess_risk(rule, house, 10**5), rel=1e-9)
    assert mine.density([[0.5, 0.6]]) == pytest.approx(house.density([[0.5, 0.6]]))


def test_functions_and_tables_mix():
    law = problem_from_eta(sine, density=np.array([1.0, 0.0, 3.0, 0.0]))
    other = problem_from_eta([0.3, 0.5, 0.8, 0.5], density=lambda X: np.exp(X[:, 0]))
    half = 0.5 + 0.4 * (1 - math.cos(math.pi / 2)) / (2 * math.pi) / 0.25
    assert law.cell_masses([0.0], [0.5]) == pytest.approx((0.25, 0.25 * half), rel=1e-4)
    assert other.cell_masses([0.0], [0.25])[0] == pytest.approx(math.expm1(0.25) / math.expm1(1))


def test_learnt_rules_and_simulations_take_own_laws():
    """Simulated against exact risk: 6 standard errors."""
    law = problem_from_eta(lambda X: X[:, 0] > 0.3, density=lambda X: 1 + X[:, 0])
    rule = CellClassifier(alpha=2.0, h=0.1, rng=1)
    seen = simulate_excess_risk(rule, law, 2000, 200, rng=1)
    assert abs(seen.mean - excess_risk(rule, law, 2000)) < 6 * seen.standard_error
    assert simulate_excess_risk(AdaptiveClassifier(levels=2, rng=1), law, 500, 2, rng=1).mean >= 0


@pytest.mark.parametrize("arguments, words", [
    (dict(eta=math.sin), "eta must take all rows at once.*failed.*numpy.vectorize"),
    (dict(eta=lambda X: 0.5 if X > 0.5 else 0.1), "eta must take all rows at once.*failed"),
    (dict(eta=lambda X: 0.5), r"eta must take all rows.*it made shape \(\)"),
    (dict(eta=lambda X: 1.5 * X), "eta = 1.0.* is out of range.*probability"),
    (dict(eta=lambda X: X - 0.5), "eta = -0.4.* is out of range"),
    (dict(eta=lambda X: np.where(X < 0.5, np.nan, 0.5)), "eta = nan"),
    (dict(eta=sine, density=lambda X: X[:, 0] - 0.1), "density = -0.09.* 0 <= density"),
    (dict(eta=sine, density=lambda X: 0 * X), "density is 0 in every bin"),
    (dict(eta=sine, density=lambda X: np.full(len(X), np.inf)), "density = inf"),
    (dict(eta=sine, d=5), "d = 5 has no default bins"), (dict(eta=sine, d=9, bins=2), "d = 9"),
    (dict(eta=sine, d=2, bins=(3, 4, 5)), "has 3 axes, but d = 2"),
    (dict(eta=sine, d=8, bins=8), r"ask for values at 4.3e\+09 points"),
    (dict(eta=[0.1, 0.9], bins=4), "bins = 4 is for functions"),
    (dict(eta=[0.1, 0.9], d=2), "has 1 axes, but d = 2"),
    (dict(eta=[0.1, 0.9], density=[1, 1, 1]), "density has shape"),
])
def test_what_is_no_law_is_refused_in_a_sentence(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        problem_from_eta(**arguments)


def test_numbers_at_a_time_can_be_wrapped():
    wrapped = problem_from_eta(np.vectorize(lambda x: math.sin(x) / 2), bins=100)
    assert wrapped.bayes_risk == pytest.approx(problem_from_eta(lambda X: np.sin(X) / 2, bins=100).bayes_risk)


def test_a_pdf_written_down_is_that_of_the_house():
    """In years: what belongs to [0, 1] is that of the rescaled one; what is in years is per year."""
    house = density("kink")
    mine = density_from_pdf(lambda age: 5 * house.pdf((age - 18) / 72), domain=(18, 90))
    assert mine.domain == (18.0, 90.0) and density("kink").domain == (0.0, 1.0)
    assert mine.masses(10) == pytest.approx(house.masses(10), abs=1e-12)
    for j in (0, 5):
        basis = LinearWaveletDensity().mechanism(1).basis
        assert mine.coefficients(basis, j) == pytest.approx(house.coefficients(basis, j), abs=1e-9)
    age = np.linspace(10, 100, 91)
    assert mine.pdf(age) == pytest.approx(house.pdf((age - 18) / 72) / 72, abs=1e-6)
    assert mine.cdf(age) == pytest.approx(house.cdf((age - 18) / 72), abs=1e-9)
    assert mine.pdf(18 + 72 * (np.arange(2**16) + 0.5) / 2**16).mean() * 72 == pytest.approx(1, abs=1e-9)
    ages = mine.sample(20_000, rng=1)
    # The largest gap of 20,000 people exceeds 2.9 / sqrt(20,000) with probability 2 exp(-2 * 2.9^2) = 1e-7.
    gaps = np.abs(np.sort(mine.cdf(ages)) - np.arange(20_000) / 20_000)
    assert 18 <= ages.min() <= ages.max() <= 90 and gaps.max() < 2.9 / math.sqrt(20_000)
    assert repr(mine) == "density_from_pdf('<lambda>', domain=(18.0, 90.0))"


def test_errors_of_curves_are_in_the_units_of_the_domain():
    """Exact: 1/72 for squares. Simulated from the same counts: 1 for r = 1, 72^-2 for r = 3."""
    house = density("kink")
    mine = density_from_pdf(lambda age: house.pdf((age - 18) / 72), domain=(18, 90))
    unit, ages = LinearWaveletDensity(4.0, "db2", 3), LinearWaveletDensity(4.0, "db2", 3, domain=(18, 90))
    for one, other in zip(mise(ages, mine, 1000), mise(unit, house, 1000), strict=True):
        assert one == pytest.approx(other / 72, rel=1e-6)
    for r in (1, 3):
        one, other = (mise(rule, law, 1000, r, repeats=3, cells=10, rng=1)
                      for rule, law in ((ages, mine), (unit, house)))
        assert one.value == pytest.approx(other.value * 72 ** (1 - r), rel=1e-4)
    with pytest.raises(ValueError, match="domain = .* is not that of the density"):
        mise(unit, mine, 1000)
    # By hand, from people in years: 6 standard errors.
    people, found = mine.sample(40 * 500, rng=2).reshape(40, -1), []
    for place, row in enumerate(people):
        x, values = LinearWaveletDensity(4.0, "db2", 3, domain=(18, 90), rng=place).fit(row).grid_pdf()
        found.append(((values - mine.pdf(x)) ** 2).sum() * (x[1] - x[0]))
    assert abs(np.mean(found) - mise(ages, mine, 500).value) < 6 * np.std(found) / math.sqrt(40)


def test_weights_of_bins_are_a_density():
    law = density_from_pdf(np.array([1, 0, 3]), domain=(-1, 2))
    assert law.pdf([-0.5, 0.5, 1.5, 3.0]) == pytest.approx([0.25, 0, 0.75, 0]) and law.smoothness(2) == 0.5
    with pytest.raises(ValueError, match=r"d = 1"):
        density_from_pdf([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="pdf must take all rows at once|pdf must"):
        density_from_pdf(lambda x: 1.0)

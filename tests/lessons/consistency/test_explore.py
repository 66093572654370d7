"""The consistency panel: true at every corner, common random numbers with the right law, words that match."""

import functools
import html

import numpy as np
import pytest
from scipy import stats

from ldp_lib.estimation import CubeClassifier, HistogramClassifier, OneBitClassifier
from ldp_lib.lessons.consistency import explore
from ldp_lib.lessons.consistency.explore import PROBLEMS, SURVEYED, curve
from ldp_lib.lessons.pictures import ERROR
from ldp_lib.live import check, corners, panel
from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import cell_grid, excess_risk, people_needed, simulate_crowd
from ldp_lib.risk.crowd import SEED, crowd


@pytest.fixture(scope="module")
def live():
    return panel("consistency", scene="explore")


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_corner_computes_and_draws(live, name):
    law = problem(name) if name in ("sine", "moons", "circles", "checkerboard") else PROBLEMS[name]().law
    for values in corners(live):
        if (values["scene"], values["problem"]) != ("explore", name):
            continue
        live.set(**values)
        assert live.failure is None and live.values == values
        shown = live.show(**values)
        fit, risks, _ = shown.picture.axes
        decisions = fit.marks[0].arrays["values"]
        assert decisions.size == 96**2 and set(np.unique(decisions)) <= {0, 1}
        for mark in risks.marks:
            if mark.kind == "line":
                assert (mark.arrays["y"] >= -1e-6).all() and (
                    mark.arrays["y"] <= 1 - 2 * law.bayes_risk + 1e-6).all()
        said = dict(pair.split(": ") for pair in live.readout.split("; "))
        assert all(0 <= float(said[each]) <= 1 - law.bayes_risk + 5e-5
                   for each in ("accuracy, exact mean", "this fit", "majority"))
        assert f"{values['n']:,}" in shown.says


def test_risks_are_those_of_the_library():
    moons = problem("moons")
    assert explore.exact_risk("moons", 2.0, 0.2, 10_000) == pytest.approx(
        excess_risk(CubeClassifier(2.0, 0.2, noise="real"), moons, 10_000), rel=10 * ERROR)
    for alpha, rule in ((2.0, CubeClassifier(2.0, noise="real")), (None, HistogramClassifier())):
        people, risks = curve("moons", 0.2, alpha)
        exact = [excess_risk(rule.set_params(h=float(n) ** -0.2), moons, int(n)) for n in people[:6]]
        assert risks[:6] == pytest.approx(exact, rel=10 * ERROR)


def test_survey_crowd_holds_every_adult_once():
    people = crowd("cps")
    table = problem("cps")
    X, y = table.people(rng=np.random.default_rng(SEED))
    places, labels = people.recorded(SURVEYED)
    assert np.abs(places - X).max() <= 0.5 / people.steps, "these are its first people"
    assert (labels == y).all()
    p, q = table.cell_masses(np.arange(73)[:, None] / 73, np.arange(1, 74)[:, None] / 73)
    age = np.clip((X[:, 0] * 73).astype(int), 0, 72)
    assert (np.bincount(age, minlength=73) == np.round(p * SURVEYED)).all()
    assert (np.bincount(age, weights=y, minlength=73) == np.round(q * SURVEYED)).all()


@pytest.mark.parametrize("name", ["sine", "moons"])
def test_crowd_reports_what_its_people_would(name):
    """Without noise the tables give the counts of the recorded features, cube by cube."""
    people = crowd(name)
    n, d = 5001, people.law.d
    mechanism = CubeLaplace(1e12, 0.0707, d, noise="real")
    X, y = people.recorded(n)
    assert np.abs(X[:240] - people.shown[0]).max() <= 0.5 / people.steps
    order = np.concatenate([np.arange(0, n - 1, 2), np.arange(1, n, 2)])
    expected = mechanism.count(X[order], y[order])
    aggregate = people.aggregate(mechanism, n)
    assert aggregate.people == expected.people
    assert np.abs(aggregate.totals - expected.totals).max() < 1e-6


@pytest.mark.parametrize("half", [1, 50, 10**5])
def test_common_noise_has_the_law_of_a_sum_of_laplace_noises(half):
    """Kolmogorov-Smirnov over the 2 x 35^2 grid points, level 1e-6, against simulated sums."""
    noise = crowd("moons")._gammas(half).ravel()
    rng = np.random.default_rng(1)
    fresh = rng.standard_gamma(half, 20_000) - rng.standard_gamma(half, 20_000)
    assert stats.ks_2samp(noise, fresh).pvalue > 1e-6


def test_common_noise_is_independent_between_halves_and_grid_points():
    """Correlations over 1225 grid points, of the halves and of neighbours: beyond 6 / 35 with probability
    2e-9 each."""
    noise = crowd("moons")._gammas(1000)
    pairs = [(noise[0], noise[1]), (noise[0, 1:], noise[0, :-1]), (noise[1, :, 1:], noise[1, :, :-1])]
    for one, other in pairs:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 6 / 35


def test_picture_moves_smoothly_with_alpha():
    """Common random numbers: a neighbouring slider position changes few labels."""
    pictures = [decisions(problem="circles", alpha=alpha) for alpha in explore.ALPHA.values]
    changes = [np.mean(one != two) for one, two in zip(pictures, pictures[1:], strict=False)]
    assert np.mean(changes) < 0.06 and np.mean(pictures[0] != pictures[-1]) > 0.2


def decisions(**position):
    """Of the fit that *explore* draws, (96, 96)."""
    return explore.everything(**position).picture.axes[0].marks[0].arrays["values"].reshape(96, 96)


@pytest.mark.parametrize("kappa, words", [
    (0.2, "consistent for every law"), (0.25, "only without privacy"), (0.475, "only without privacy"),
    (0.5, "no theorem"),
])
def test_conclusion_names_the_region_of_kappa(kappa, words):
    assert words in explore.everything(problem="moons", kappa=kappa).says


def test_static_picture_carries_its_conclusion(live):
    figure = live.static(problem="sine", n=10_000)
    assert figure.alt == explore.everything(problem="sine", n=10_000).says
    shown = figure._repr_mimebundle_()["text/html"]
    assert f'alt="{html.escape(figure.alt)}"' in shown and len(shown) > 10_000


def test_privacy_costs_what_the_mechanism_costs():
    """Points of accuracy on the survey at alpha = 1, and what one fit of the paper's mechanism spreads."""
    survey, sides = problem("cps"), [1 / k for k in range(2, 101)]
    papers, bits, open_rules = (min(excess_risk(make(h), survey, SURVEYED) for h in sides) for make in (
        lambda h: CubeClassifier(1.0, h), lambda h: OneBitClassifier(1.0, h), HistogramClassifier))
    assert 100 * (papers - open_rules) == pytest.approx(1.98, abs=0.005)
    assert 100 * (bits - open_rules) == pytest.approx(0.07, abs=0.005)


def test_at_a_fixed_bandwidth_budget_saves_people_beyond_one():
    needed = [people_needed(CubeClassifier(alpha, 0.2), problem("sine"), 0.05) for alpha in (1, 2, 4, 8, 16)]
    assert needed == pytest.approx([17_920, 4544, 1208, 368, 160], rel=0.02)


@pytest.mark.parametrize("alpha, h, spread", [(0.5, 0.23, 0.0422), (4.0, 0.13, 0.0039)])
def test_mean_of_two_thousand_fits_is_the_exact_accuracy(alpha, h, spread):
    """Within 5.5 standard errors (4e-8); the spread of one fit is far above that of a mean of twenty."""
    survey, rng = problem("cps"), np.random.default_rng(2)
    mechanism, cells = CubeLaplace(alpha, h), cell_grid(CubeClassifier(alpha, h), survey)
    ones = np.array([mechanism.score(simulate_crowd(mechanism, survey, SURVEYED, rng=rng)) >= 0
                     for _ in range(2000)])
    risks = ~ones @ cells.gain_one + ones @ cells.gain_zero
    exact = excess_risk(CubeClassifier(alpha, h), survey, SURVEYED)
    assert abs(risks.mean() - exact) < 5.5 * risks.std(ddof=1) / 2000**0.5
    assert risks.std(ddof=1) == pytest.approx(spread, rel=0.4)


def test_four_times_the_people_is_a_position_that_pays_for_half_the_budget():
    people = explore.POSITIONS
    assert {100_000, 400_000, SURVEYED} <= set(people)
    assert min(more / fewer for fewer, more in zip(people, people[1:], strict=False)) > 1.05
    whole, half = (explore.exact_risk("survey: age", alpha, 0.14, n)
                   for alpha, n in ((1.0, 100_000), (0.5, 400_000)))
    assert whole == pytest.approx(half, rel=0.01)


def test_fills_meet_the_dashed_lines_only_at_a_bandwidth_that_lets_them():
    """The lines are at .08 and .58; fills end at odd multiples of h/2."""
    def farthest(h):
        ends = (np.flatnonzero(np.diff(decisions(alpha=32.0, h=h)[0].astype(int))) + 1) / 96
        lines = explore.landscape("survey: age").boundary[0, ::3]  # two ends and a gap each
        return max(np.abs(ends - line).min() for line in lines)

    assert farthest(0.14) > 0.05 and farthest(0.0557) < 0.02


@functools.cache
def least_risk():
    """Of 100,000 people at alpha = 1, over a fine grid of bandwidths."""
    return min(excess_risk(CubeClassifier(1.0, h), problem("sine"), 100_000)
               for h in np.linspace(0.02, 0.999, 980))


@pytest.mark.parametrize("h, good", [
    (1 / 3, True), (0.333, True), (0.335, True), (0.33, True), (0.34, False), (0.32, False), (0.2, False)])
def test_a_good_bandwidth_is_half_as_bad_again_as_the_least_at_most(h, good):
    assert (excess_risk(CubeClassifier(1.0, h), problem("sine"), 100_000) <= 1.5 * least_risk()) == good
    assert check("02.5", h).right == good

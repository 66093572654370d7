"""Numbers of people: for a simulated risk, with its error, and for the width of an interval."""

import io
import sys

import numpy as np
import pytest

from ldp_lib.estimation import (
    AdaptiveClassifier, CellClassifier, CubeClassifier, LinearWaveletDensity, NoisyMajorityClassifier,
    OneBitClassifier, WaveletClassifier,
)
from ldp_lib.nature import density, problem
from ldp_lib.privacy import Aggregate, CellAggregate, DyadicBit
from ldp_lib.risk import (
    Planned, Simulated, cell_grid, excess_risk, people_for_width, people_needed, simulate_excess_risk,
)
from ldp_lib.risk import simulated
from ldp_lib.risk.planning import _fewest_of_any, _risks_of_bits
from ldp_lib.risk.simulated import excess_of_one_fit


@pytest.mark.ci
def test_a_simulated_plan_holds_the_exact_answer():
    """With one question a learnt rule has the labels of one bit on one cell, whose risk is exact.

    A plan misses at either end with a probability of 2.5%, and a bit more for several looks: at 6% all five
    do with one below 1e-6, which is the alarm.
    """
    law, target = problem("cps"), 0.1875
    bit, learnt = OneBitClassifier(1.0, h=1.0), AdaptiveClassifier(1.0, levels=0)
    exact = people_needed(bit, law, target)
    plans = [people_needed(learnt, law, target, repeats=50, rng=k) for k in range(5)]
    inside = sum(plan.low <= exact <= plan.high for plan in plans)
    print(f"\nexact {exact:,}; {inside} of 5 plans hold it: "
          + ", ".join(f"{plan.low:,}-{plan.people:,}-{plan.high:,}" for plan in plans))
    assert inside >= 1 and exact / 1.5 < np.median([plan.people for plan in plans]) < 1.5 * exact
    assert all(isinstance(plan, Planned) and plan.low <= plan.people <= plan.high for plan in plans)
    first, again = (people_needed(learnt, law, target, repeats=2, rng=0) for _ in range(2))
    assert first == again


def test_a_plan_is_what_simulated_surveys_of_people_need():
    """Surveys of people who are drawn one by one, at both ends: 5 standard errors, false alarm below 1e-6."""
    law, rule = problem("sine"), WaveletClassifier(2.0)
    plan = people_needed(rule, law, 0.05, repeats=100, rng=1)
    few, many = (simulate_excess_risk(rule, law, n, 60, rng=2) for n in (plan.low // 2, 2 * plan.high))
    assert few.mean > 0.05 - 5 * few.standard_error and many.mean < 0.05 + 5 * many.standard_error
    assert few.mean > many.mean
    # The rule that was asked about is as it was.
    assert rule.get_params() == WaveletClassifier(2.0).get_params() and not hasattr(rule, "scores_")


def test_sums_of_bits_have_the_law_of_people_who_are_drawn():
    """Means of two ways to draw 300 surveys: 5.5 standard errors apart with a probability below 1e-7."""
    law, rule = problem("sine"), AdaptiveClassifier(1.0, levels=2)
    grid, n = cell_grid(rule, law, 400), 400
    streams = np.random.default_rng(1).spawn(600)
    bits = _risks_of_bits(rule, DyadicBit(1.0, 2), law, n, grid, streams[:300])
    people = np.array([excess_of_one_fit(rule, law, n, grid, stream) for stream in streams[300:]])
    error = np.hypot(bits.std(), people.std()) / 300**0.5
    assert abs(bits.mean() - people.mean()) < 5.5 * error and error > 0


def test_cells_that_move_with_n_are_made_for_every_n():
    """The curator's side is n^(-1/(2 d)) unless given: the documented answer, by the risks themselves."""
    rule, law = NoisyMajorityClassifier(1.0), problem("sine")
    n = people_needed(rule, law, 0.05)
    assert n == 88 and excess_risk(rule, law, n) <= 0.05 < excess_risk(rule, law, n - 2)
    assert people_needed([rule, CubeClassifier(1.0, 0.25)], law, 0.05) == n


class Terminal(io.StringIO):
    """Errors that go to somebody's screen."""

    def isatty(self):
        return True


@pytest.mark.parametrize("given, screen, patience, shown", [
    (None, Terminal(), 0.0, True), (None, Terminal(), 3600.0, False), (None, io.StringIO(), 0.0, False),
    (True, io.StringIO(), 3600.0, True), (False, Terminal(), 0.0, False)])
@pytest.mark.parametrize("work", [
    lambda **given: people_needed(AdaptiveClassifier(4.0), problem("sine"), 0.2, repeats=2, rng=1, **given),
    lambda **given: simulate_excess_risk(OneBitClassifier(h=0.5), problem("sine"), 9, 2, rng=1, **given)])
def test_a_bar_comes_by_itself_after_two_seconds_at_a_terminal_alone(
        work, given, screen, patience, shown, monkeypatch):
    screen.truncate(0)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    assert simulated.PATIENCE == 2
    monkeypatch.setattr(simulated, "PATIENCE", patience)
    work(**{} if given is None else {"progress": given})
    assert bool(screen.getvalue()) == shown


def test_exact_rules_are_planned_as_before_and_count_beside_learnt_ones():
    law = problem("sine")
    assert people_needed([CubeClassifier(1.0, 0.25)], law, 0.05) == 26_868
    learnt, bit = AdaptiveClassifier(1.0, levels=0), OneBitClassifier(1.0, 0.25)
    exact, plan = people_needed(bit, law, 0.05), people_needed([learnt, bit], law, 0.05, repeats=2, rng=1)
    # One cell learns nothing of a sine: the plan is that of the exact rule, up to the 2% of the search.
    assert isinstance(exact, int) and exact / 1.03 <= plan.people <= 1.03 * exact + 2
    assert people_needed(learnt, law, 0.05, most=1000, repeats=20, rng=1) is None


def test_people_for_a_width_have_intervals_of_that_width_and_one_less_has_not():
    for alpha, h, width, confidence in ((1.0, 0.25, 0.1, 0.95), (0.5, 1.0, 0.3, 0.8), (3.0, 0.1, 0.2, 0.99)):
        bit = OneBitClassifier(alpha, h)
        mechanism = bit.build_mechanism(1)
        need = people_for_width(bit, width, confidence=confidence)
        widths = [np.ptp(bit.fit_aggregate(CellAggregate(n, np.full(mechanism.K, n % 2), repr(mechanism)))
                         .interval([[0.3]], confidence)) for n in range(need - 3, need + 4)]
        assert (np.array(widths[3:]) <= width).all() and widths[2] > width
        for rule in (CellClassifier(alpha, h), CellClassifier(alpha, h, mechanism="subset")):
            need = people_for_width(rule, width, confidence=confidence, mass=0.5)
            mechanism = rule.build_mechanism(1)
            widths = [np.ptp(rule.fit_aggregate(CellAggregate(n, np.zeros(mechanism.K), repr(mechanism)))
                             .interval([[0.3]], confidence, mass=0.5)) for n in (need - 1, need)]
            if rule.mechanism == "laplace" or mechanism.size < mechanism.K:
                assert widths[1] <= width * (1 + 1e-9) and widths[0] > width * (1 - 1e-9)
        cube = CubeClassifier(alpha, h)
        need = people_for_width(cube, width, confidence=confidence)
        for n, enough in ((need - 2, False), (need, True)):
            mechanism = cube._mechanism_of(n, 1)
            sums = Aggregate((n // 2, n // 2), np.zeros((2, mechanism.K)), repr(mechanism))
            found = np.ptp(cube.fit_aggregate(sums).interval([[0.3]], confidence))
            assert (found <= width * (1 + 1e-9)) == enough


def test_a_planned_band_is_as_narrow_as_it_was_planned():
    """The noise does not depend on the reports; the people's part stays below a height of 2, 1 being true."""
    law = density("uniform")
    for estimator in (LinearWaveletDensity(1.0, "haar", 2), LinearWaveletDensity(2.0, "db2", 2)):
        need = people_for_width(estimator, 0.5, height=2.0)
        fit = estimator.set_params(rng=1).fit(law.sample(need, rng=1))
        widths = np.ptp(fit.interval(np.linspace(0, 1, 999)), axis=1)
        assert 0.9 < widths.max() / 0.5 <= 1
    with pytest.raises(TypeError, match="known before"):
        people_for_width(AdaptiveClassifier(), 0.1)


def test_one_survey_is_not_the_mean_of_many():
    values = np.arange(101.0)
    survey = Simulated(50.0, values.std(ddof=1) / 101**0.5, values)
    assert survey.standard_deviation == pytest.approx(survey.standard_error * 101**0.5)
    assert survey.quantile(0.25) == 25 and survey.quantile([0.0, 1.0]).tolist() == [0, 100]
    with pytest.raises(ValueError, match="share"):
        survey.quantile(1.5)


def test_an_odd_most_is_tried():
    """15 people are enough, and 14 are not: a tie counts as 1."""
    rule, law = OneBitClassifier(2.0, h=0.5), problem("sine")
    assert [people_needed(rule, law, 0.12, most=most) for most in (14, 15, 16)] == [None, 15, 15]


@pytest.mark.parametrize("most, known", [
    (130, None), (131, 131), (143, 131), (144, 131), (147, 131), (10**12, 131)])
def test_the_last_odd_number_is_tried_where_the_last_even_one_is_not_enough(most, known):
    """Bits can tie, so that 146 people do worse than 131 for this rule; and than 147 for all."""
    rough, rule = problem("holder"), OneBitClassifier(8.0, h=4 / 11)
    assert people_needed(rule, rough, 0.05, most=most) == known
    risks = excess_risk(rule, rough, np.arange(2, 149))
    assert (np.flatnonzero(risks <= 0.05) + 2).tolist() == [*range(131, 149, 2), 148]


def test_the_best_of_many_rules_is_that_of_all_people_for_all_of_them():
    """The answer is enough for one, and two people fewer are for none, in whatever order rules are tried."""
    rough = problem("holder")
    rules = [OneBitClassifier(8.0, h=4 / k) for k in range(8, 24)]
    risks = np.array([excess_risk(rule, rough, np.arange(2, 260)) for rule in rules])
    first = int((risks <= 0.05).any(axis=0).argmax()) + 2
    assert first == 131 == people_needed(rules, rough, 0.05) == people_needed(rules[::-1], rough, 0.05)
    assert people_needed(rules, rough, 0.05, most=first - 1) is None


@pytest.mark.parametrize("swapped", [False, True])
def test_two_people_fewer_are_not_enough_for_any_rule_even_if_risks_rise(swapped):
    def fewest(*rules, most):
        return _fewest_of_any([lambda *people, rule=rule: list(map(rule, people)) for rule in rules], most)

    rules = [lambda n: n >= 100, lambda n: 90 <= n <= 110 or n >= 150]
    assert fewest(*(rules[::-1] if swapped else rules), most=1000) == 90
    assert [fewest(lambda n: False, lambda n: n >= least, most=10) for least in (2, 3, 9, 10, 11)] == [
        2, 3, 9, 10, None]


def test_no_density_is_lower_than_its_mean():
    with pytest.raises(ValueError, match="height = 1.0 is out of range"):
        people_for_width(LinearWaveletDensity(1.0, domain=(0, 0.1)), 4.0)

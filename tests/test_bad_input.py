"""Bad input into every public name: the right answer, or an error that names the argument. Never NaN, never a
change.

One `Call` a function says what good arguments are and of which kind each is; every kind has a list of bad
values and a list of good values in odd clothes. `pytest -s` prints how many were tried.
"""

import re

import pytest

from bad_input_calls import CALLS as CLASSIFICATION
from bad_input_calls_beyond import CALLS as BEYOND
from bad_input_calls_cells import CALLS as CELLS
from bad_input_calls_questions import CALLS as QUESTIONS
from bad_input_kinds import TRIED, differs_in_odd_clothes, refused_by_name_or_answered
from ldp_lib import estimation, nature, privacy, risk, theory
from ldp_lib.privacy import audit

# Places far outside are legal; whoever fits to them is told, see `test_own_data`.
pytestmark = pytest.mark.filterwarnings("ignore::ldp_lib.estimation.DomainWarning",
                                        "ignore::ldp_lib.estimation.FewPeopleWarning")

CALLS = [*CLASSIFICATION, *BEYOND, *CELLS, *QUESTIONS]


@pytest.mark.parametrize("subject", CALLS, ids=lambda subject: subject.name)
def test_bad_input_is_refused_by_name_or_answered(subject):
    escapes = refused_by_name_or_answered(subject)
    assert not escapes, "\n" + "\n".join(escapes)


@pytest.mark.parametrize("subject", CALLS, ids=lambda subject: subject.name)
def test_good_input_in_odd_clothes_gives_the_same_answer(subject):
    assert not differs_in_odd_clothes(subject)


RESULTS = {"Theta", "PrivacyLoss", "TradeOff", "EpsilonBound", "CellGrid", "CellAggregate", "Simulated",
           "Erratum", "Evidence", "Ledger", "LowerBound", "Step", "UpperBound", "Mise", "DensityExponent",
           "Elbows", "Saboteur", "Sandwich", "WaveletAggregate", "WorstPair", "SimulationWarning",
           "DomainWarning", "FewPeopleWarning", "AskedAgainError", "Planned",
           "InformationBudget", "TwoRoundLimit", "QuadraticError", "ShuffledCounts"}
WITHOUT_ARGUMENTS = {"load_cps", "load_departures", "errata", "PROBLEMS", "LEDGERS", "DENSITIES",
                     "SPACE_PROBLEMS"}
ELSEWHERE = {"Aggregate": "test_aggregate.py",
             "Problem": "an abstract class; its methods are tried for every problem",
             "Density": "as Problem", "SpaceProblem": "as Problem", "MetricSpace": "as Problem",
             "Mechanism": "as Problem", "CellMechanism": "as Problem"}


@pytest.mark.parametrize("call, words", [
    (lambda: theory.curator_bound(10**101, 1.0, 1.0, 1.0, 1),
     r"it must be a whole number .*, at most 1e\+100"),
    (lambda: estimation.StableVoronoiClassifier(delta=1.5).fit([[0.1], [0.2]], [0, 1]),
     "delta = 1.5 .* delta < 1"),
    (lambda: estimation.NoisyMajorityClassifier(side=-1.0).fit([[0.1], [0.2]], [0, 1]), "side = -1.0"),
    (lambda: estimation.PrivateSemiSupervised(delta=0.1).fit([[0.1], [0.2]], [0, 1]), "people without, -1"),
    (lambda: estimation.PrivateSemiSupervised(delta=0.1).fit([[0.1], [0.2]], [-1, -1]), "people with labels"),
])
def test_what_no_sum_can_hold_and_who_is_missing_is_said(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_every_public_name_is_tried():
    tried = {word for subject in CALLS for word in re.split(r"[ .]", subject.name)}
    for room in (nature, privacy, audit, estimation, risk, theory):
        untried = set(room.__all__) - tried - RESULTS - WITHOUT_ARGUMENTS - set(ELSEWHERE)
        assert untried == set(), room.__name__


@pytest.fixture(scope="module", autouse=True)
def count_of_inputs():
    yield
    print(f"\nInputs tried: {TRIED['bad']:,} bad or odd ones, {TRIED['odd']:,} good ones in odd clothes; "
          f"{TRIED['escapes']} escapes.")

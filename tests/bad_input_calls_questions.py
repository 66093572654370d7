"""The public functions of tests of a die and of shuffled bits; as in `bad_input_calls`."""

import numpy as np

from bad_input_kinds import call, people
from ldp_lib.estimation import TwoRoundSurvey, UniformityTest
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import (
    CellSigns, SetQuestion, printed_shuffled_epsilon, shuffled_counts, shuffled_delta, shuffled_epsilon,
)
from ldp_lib.risk import (
    best_clip, people_for_power, quadratic_one_round, quadratic_two_rounds, questions_power,
    subset_noncentrality, subset_people, suspects_law, uniformity_power,
)
from ldp_lib.theory import (
    faces_exponent, information_budget, ledger, people_bound, quadratic_elbow, quadratic_exponent,
    report_information, two_round_limit,
)

SEED = {"rng": (1, "rng")}
SIZE = {"alpha": (1.0, "budget"), "h": (0.2, "budget"), "d": (1, "whole")}
DIE = tilted_die(4, 0.5)
TEST = {"test": (UniformityTest(1.0, 4), "estimator"), "law": (DIE, "probabilities")}
TESTED = {"level": (0.05, "share"), "power": (0.8, "share")}
BY_LEVEL = {"power": "power|level", "level": "level|power"}


def mechanism_calls():
    yield call("CellSigns new", CellSigns, **SIZE)
    yield call("SetQuestion new", SetQuestion, **SIZE | {"h": (0.2, "share")},
               cells=([0, 2], "rows"))
    for mechanism in (CellSigns(1.0, 0.2), SetQuestion(1.0, 0.2, cells=[0, 2])):
        name, X = type(mechanism).__name__, {"X": (people(1), "X1")}
        for method in ("privatize", "simulate_aggregate"):
            yield call(f"{name}.{method}", getattr(mechanism, method), **X, **SEED)
        for method in ("encode", "count"):
            yield call(f"{name}.{method}", getattr(mechanism, method), **X)
        yield call(f"{name}.score", mechanism.score, {"aggregate": "aggregate|people|totals"},
                   aggregate=(mechanism.simulate_aggregate(people(1), rng=0), "cell sums"))
        yield call(f"{name}.law", mechanism.law, p=(0.3, "probabilities"))
        yield call(f"{name}.variance", mechanism.variance, p=(0.2, "fraction"))
        yield call(f"{name}.privacy_loss", mechanism.privacy_loss, {"x": "X", "x2": "X"}, x=(0.13, "share"),
                   x2=(0.7, "share"))
    for function in (shuffled_delta, shuffled_epsilon):
        first = {"epsilon": (0.3, "nonnegative")} if function is shuffled_delta else {"delta": (0.1, "share")}
        yield call(function.__name__, function, **first, alpha=(1.0, "positive"), n=(10, "whole"),
                   others=("any", "choice"))
    yield call("shuffled_counts", shuffled_counts, alpha=(1.0, "positive"), n=(10, "whole"))
    yield call("printed_shuffled_epsilon", printed_shuffled_epsilon, delta=(0.1, "share"),
               alpha=(1.0, "positive"), n=(1000, "whole"))


def test_calls():
    x = np.arange(12) % 4
    yield call("UniformityTest new", lambda x, **given: UniformityTest(rng=1, **given).fit(x).p_value_,
               {"K": "K|x"}, x=(x, "rows"), alpha=(1.0, "budget"), K=(4, "whole"), rounds=(2, "whole"),
               share=(0.5, "share"))
    yield call("UniformityTest.fit", lambda x, rng: UniformityTest(1.0, 4, rounds=1, rng=rng).fit(x).p_value_,
               x=(x, "rows"), **SEED)
    yield call("UniformityTest coins", lambda coins: UniformityTest(1.0, 4, rounds=1, coins=coins, rng=1).fit(
        x).p_value_, coins=("public", "choice"))
    yield call("TwoRoundSurvey new", lambda alpha, K: TwoRoundSurvey(alpha, K).signs.K, alpha=(1.0, "budget"),
               K=(4, "whole"))
    yield call("TwoRoundSurvey.first", lambda reports: TwoRoundSurvey(1.0, 5).first(range(2), reports),
               reports=(np.ones((2, 5)), "matrix"))


def risk_calls():
    yield call("tilted_die", tilted_die, {"K": "K|heavy", "delta": "delta|K", "heavy": "heavy|delta"},
               K=(4, "whole"), delta=(0.5, "positive"), heavy=(2, "optional"))
    yield call("uniformity_power", uniformity_power, **TEST, n=(30, "whole"), level=(0.05, "share"))
    yield call("questions_power", lambda law, n, alpha, level: questions_power(
        [[True, True, False, False]], law, n, alpha, level=level), law=(DIE, "probabilities"),
        n=(30, "whole"), alpha=(1.0, "budget"), level=(0.05, "share"))
    yield call("subset_noncentrality", subset_noncentrality, law=(DIE, "probabilities"),
               alpha=(1.0, "budget"))
    yield call("subset_people", subset_people, BY_LEVEL, law=(DIE, "probabilities"), alpha=(1.0, "budget"),
               **TESTED)
    yield call("people_for_power", people_for_power, BY_LEVEL, **TEST, **TESTED)
    told = {"law": (DIE, "probabilities"), "n": (30, "whole"), "alpha": (1.0, "budget")}
    yield call("quadratic_one_round", quadratic_one_round, **told)
    yield call("quadratic_two_rounds", quadratic_two_rounds, **told, clip=(0.1, "positive"),
               share=(0.5, "share"))
    yield call("best_clip", best_clip, **told)
    yield call("suspects_law", suspects_law, law=(DIE, "probabilities"), n=(30, "whole"),
               alpha=(1.0, "budget"))


def theory_calls():
    yield call("information_budget", information_budget, K=(4, "whole"), alpha=(1.0, "positive"))
    yield call("report_information", report_information,
               kernel=(np.array([[0.75, 0.25], [0.25, 0.75]]), "matrix"))
    yield call("people_bound", people_bound, BY_LEVEL, K=(4, "whole"), alpha=(1.0, "positive"),
               delta=(0.5, "share"), protocol=("even", "choice"), **TESTED)
    yield call("two_round_limit", two_round_limit, BY_LEVEL, **TESTED)
    yield call("faces_exponent", faces_exponent, rounds=(1, "whole"), coins=("public", "choice"))
    yield call("quadratic_exponent", quadratic_exponent, s=(0.4, "positive"), rounds=(1, "whole0"))
    yield call("quadratic_elbow", quadratic_elbow, rounds=(1, "whole0"))
    yield call("ledger second-question", lambda **given: ledger("second-question", **given), K=(2, "whole"),
               alpha=(1.0, "positive"), delta=(0.5, "share"), n=(3, "whole"), faces=(8, "whole"))


CALLS = [*mechanism_calls(), *test_calls(), *risk_calls(), *theory_calls()]

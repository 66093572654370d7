"""Bad input into every public name: the right answer, or an error that names the argument. Never NaN, never a change.

One `Call` a function says what good arguments are and of which kind each is; every kind has a list of bad values and
a list of good values in odd clothes. `pytest -s` prints how many were tried.
"""

import dataclasses
import math
import numbers
import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas
import pytest
from sklearn.exceptions import DataConversionWarning

from ldp_lib import estimation, nature, privacy, risk, theory
from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import Aggregate, CubeLaplace, LatticeLaplace, RealLaplace, audit, mutants
from ldp_lib.theory import classification_exponent, distinguishability, indistinguishability, ledger

NO_NUMBERS = [math.nan, math.inf, -math.inf, "1", None, [0.5], 1j, True, np.array([0.3, 0.4]), 10**400, object(), b"1"]


def clothes(values):
    """Good values of an array, in the types that people hand in."""
    values = np.asarray(values)
    frozen = np.asfortranarray(values)
    frozen.setflags(write=False)
    yield from (values.tolist(), frozen, values.astype(object), np.ma.array(values), np.repeat(values, 2, axis=0)[::2])
    if values.ndim == 2:
        yield pandas.DataFrame(values)
    elif values.ndim == 1:
        yield pandas.Series(values)


def people(d):
    return np.random.default_rng(5).random((12, d))


GRID_LINES = np.array([[0.0], [0.25], [0.5], [0.75], [1.0], [0.1], [0.3], [0.7], [-0.0], [1e-320], [0.2], [0.9]])


def bad_places(d):
    good = people(d)
    for value in (math.nan, math.inf, -math.inf):
        spoilt = good.copy()
        spoilt[3, 0] = value
        yield spoilt
    yield from (good[:, 0], good[None], good[:0], np.hstack([good, good]), "x", None, 0.5, [], [[]], [["a"]] * 12,
                good.astype(str), good.astype(object) + 1j, good + 1j, np.array([[None] * d] * 12),
                np.ma.masked_greater(good, 0.5), [[0.1], [0.2, 0.3]], good.astype("datetime64[s]"),
                pandas.DataFrame(good).where(good < 0.5))
    # Legal, if odd: far away, on the lines, tiny, whole numbers, booleans, doubled.
    yield from (good * 1e308, -good, np.tile(GRID_LINES, (1, d)), good * 1e-310, np.ones((12, d), int), good > 0.5,
                good.astype(np.float32), np.full((12, d), 0.25), good.astype(np.longdouble))


def bad_labels():
    good = LABELS
    yield from (good + 1, good - 1, good * 0.5, good.astype(str), good[:-1], good[:, None], None, "0", 1, [], good + 0j,
                np.where(good, math.nan, 0.0), np.ma.masked_equal(good, 1), ["yes"] * 12, [None] * 12,
                np.array([0, 1, "1"] * 4, dtype=object))
    # Legal: one class only, booleans, floats.
    yield from (good * 0, good * 0 + 1, good > 0, good.astype(float), good.astype(np.uint8))


LABELS = np.tile([0, 1, 1], 4)
FRACTIONS = [*NO_NUMBERS, -1, 1.5, -1e-12, 2, 1e12]

BAD = {
    "positive": [*NO_NUMBERS, 0, 0.0, -0.0, -1, -1e-300, 1e-12, 1e12, Decimal(1)],
    "budget": [*NO_NUMBERS, 0, 0.0, -0.0, -1, -1e-300, 1e-12, 1e12, 1e-300, 1e300, 5e-324, Decimal(1)],
    "nonnegative": [*NO_NUMBERS, -1, -1e-300, 1e-12, 1e12],
    "share": [*FRACTIONS, 1e-12],
    "fraction": [*FRACTIONS, 0],
    "whole": [0, -1, 1.5, math.nan, math.inf, "2", None, [2], True, 1e12, 10**30, np.float64(2.5), object()],
    "choice": ["nothing", None, 3, "", ["lattice"], b"lattice", math.nan],
    "half": ["nothing", 3, 0, "", [1], math.nan],
    "rng": [-1, 1.5, "seed", True, [1], np.random.RandomState, b"secure", "", math.nan],
    "labels": list(bad_labels()),
    "record": [0.1, (0.1,), (0.1, 2), ("a", 1), ((0.1, 0.2), 1), (math.nan, 1), None, (0.1, 1, 1), (0.1, "1"),
               ([[0.1]], 1), (None, 1), (1j, 1), ([], 1)],
    "mechanism": [None, 3, "CubeLaplace", CubeLaplace],
    "aggregate": [None, 3, "a", Aggregate((1, 1), np.zeros((2, 3))), Aggregate((1, 1), np.full((2, 6), math.nan)),
                  Aggregate((0, 0), np.zeros((2, 6))), Aggregate((1.5, 1), np.zeros((2, 6))),
                  Aggregate((1, 1), np.zeros(6)), Aggregate(None, None), (1, 2), np.zeros((2, 6))],
    "classifier": [None, 3, "rule", CubeClassifier, CubeClassifier(alpha=0.0), CubeClassifier(h=math.nan)],
    "problem": [None, 3, "sine", nature.PROBLEMS],
    "noise": [None, 3, "real", RealLaplace],
    "box": [None, "x", 0.5, [[math.nan]], [[math.inf]], [["a"]], [[0.1, 0.2]], [], [[1j]], [[9.0], [-9.0]], np.zeros(0)],
    "outputs": [None, "x", [], [math.nan], [math.inf], ["a"], [1j], [[0.1], [0.2, 0.3]], np.zeros((3, 7))],
    "probabilities": [*FRACTIONS, [0.2, 0.1, 0.2], "x", [], np.zeros(3), np.full(2, math.nan)],
    "counts": [0, -1, 1.5, math.nan, math.inf, "2", None, "x", 1j, [1, 2, 3], [], 10**400],
    "scales": [*NO_NUMBERS, 0, -1, 1e-12, 1e12, [1.0, 2.0, 3.0]],
} | {f"X{d}": list(bad_places(d)) for d in (1, 2)}


class Call(NamedTuple):
    """A public function, good arguments, and the kind of each; `alias` maps arguments to what errors call them."""

    name: str
    function: Callable
    good: dict
    kinds: dict
    alias: dict = {}


def call(name, function, alias=None, /, **arguments):
    """A `Call` from arguments given as (good value, kind)."""
    return Call(name, function, {key: value for key, (value, _) in arguments.items()},
                {key: kind for key, (_, kind) in arguments.items()}, alias or {})


ONE, TWO = CubeLaplace(1.0, 0.2), CubeLaplace(1.0, 0.4, 2)
SUMS = ONE.simulate_aggregate(people(1), LABELS, rng=0)
REPORTS = ONE.privatize(people(1), LABELS, rng=0)
RECORDS = {"record_a": ((0.13, 1), "record"), "record_b": ((0.77, 1), "record")}
SINE = problem("sine")
XY = {"X": (people(1), "X1"), "y": (LABELS, "labels")}
RULE = CubeClassifier(1.0, 0.3, rng=1)
SEED = {"rng": (1, "rng")}


def mechanism_calls():
    for mechanism, X in ((ONE, people(1)), (TWO, people(2))):
        d = mechanism.d
        arguments = {"X": (X, f"X{d}"), "y": (LABELS, "labels")}
        yield call(f"encode {d}", mechanism.encode, **arguments, half=(1, "half"))
        yield call(f"privatize {d}", mechanism.privatize, **arguments, **SEED)
        yield call(f"privatize_blocks {d}", lambda X, y, rng, m=mechanism: list(m.privatize_blocks(X, y, rng=rng)),
                   **arguments, **SEED)
        yield call(f"count {d}", mechanism.count, **arguments)
        yield call(f"simulate_aggregate {d}", mechanism.simulate_aggregate, **arguments, **SEED)
    yield call("aggregate", ONE.aggregate, {"reports": "reports|people"}, reports=(REPORTS, "X1"), people=(12, "whole"))
    yield call("score", ONE.score, aggregate=(SUMS, "aggregate"))
    place, label = (0.13, "share"), (1, "whole")
    yield call("privacy_loss", ONE.privacy_loss, {"x": "x and x2", "x2": "x and x2", "y": "y and y2", "y2": "y and y2"},
               x=place, y=label, x2=(0.7, "share"), y2=label, half=(1, "half"))


def problem_calls():
    for name, d in (("sine", 1), ("checkerboard", 2), ("moons", 2), ("cantor", 1), ("holder", 1), ("hypercube", 1), ("cps", 1)):
        law = problem(name)
        yield call(f"{name}.eta", law.eta, X=(people(d), f"X{d}"))
        if law.density:
            yield call(f"{name}.density", law.density, X=(people(d), f"X{d}"))
        yield call(f"{name}.sample", law.sample, n=(5, "whole"), **SEED)
        for method in ("cell_masses", "margin_mass"):
            yield call(f"{name}.{method}", getattr(law, method), {"lower": "lower|upper", "upper": "lower|upper"},
                       lower=(np.full((3, d), 0.1), "box"), upper=(np.full((3, d), 0.6), "box"))


def build(name):
    return lambda **params: problem(name, **params)


PROBLEM_PARAMS = {
    "sine": dict(d=(1, "whole"), amplitude=(0.4, "fraction"), frequency=(1, "whole")),
    "checkerboard": dict(d=(2, "whole"), squares=(4, "whole"), flip=(0.1, "fraction")),
    "cantor": dict(d=(1, "whole"), amplitude=(0.4, "fraction"), frequency=(1, "whole")),
    "holder": dict(beta=(1.0, "positive"), gamma=(1.0, "nonnegative"), d=(1, "whole"), amplitude=(0.4, "fraction")),
    "hypercube": dict(q=(4, "whole"), m=(2, "whole"), w=(0.1, "positive"), beta=(1.0, "positive"),
                      L=(1.0, "positive"), bump=("ramp", "choice"), d=(1, "whole")),
}


def theory_calls():
    smooth = dict(beta=(1.0, "positive"), gamma=(1.0, "nonnegative"), d=(1, "whole"))
    size = dict(n=(1000, "whole"), alpha=(1.0, "positive"))
    yield call("classification_exponent", classification_exponent, **smooth)
    yield call("theorem_bandwidth", theory.theorem_bandwidth, **size, beta=(1.0, "positive"), d=(1, "whole"),
               L=(1.0, "positive"), mu=(1.0, "positive"))
    shared = dict(L=(1.0, "positive"), C0=(2.0, "positive"), c0=(0.25, "share"), mu=(1.0, "positive"), r0=(0.5, "positive"))
    yield call("upper_bound", lambda **given: theory.upper_bound(**given), **size, **smooth, **shared,
               kind=("printed", "choice"), h=(0.3, "positive"))
    yield call("lower_bound", lambda **given: theory.lower_bound(**given, contraction="interactive"), **size, **smooth,
               **shared, kind=("working", "choice"), bump=("ramp", "choice"))
    yield call("indistinguishability", indistinguishability, n=(100, "counts"), alpha=(1.0, "scales"),
               tv=(0.1, "probabilities"))
    yield call("distinguishability", distinguishability, n=(100, "counts"), alpha=(1.0, "scales"),
               tv=(0.1, "probabilities"), contraction=("printed", "choice"))
    yield call("ledger", ledger, theorem=("2.1", "choice"))
    yield call("ledger 2.1", lambda **given: ledger("2.1", **given), alpha=(1.0, "positive"), h=(0.3, "positive"), d=(1, "whole"))
    yield call("ledger 2.2", lambda **given: ledger("2.2", **given), {"p": "[pq]", "t": "[t]"}, **size, t=(0.05, "share"), p=(0.2, "share"),
               q=(0.1, "fraction"), d=(1, "whole"))
    yield call("ledger 2.4", lambda **given: ledger("2.4", **given), **size, **smooth, **shared, shell=(1, "whole"))
    yield call("ledger 2.5", lambda **given: ledger("2.5", **given), **size, **smooth, L=(1.0, "positive"), C0=(2.0, "positive"))


def risk_calls():
    yield call("wrong_side_probability", risk.wrong_side_probability, {"q": "q|p", "p": "p|q"}, n=(100, "counts"),
               p=(0.3, "probabilities"), q=(0.2, "probabilities"), scale=(4.0, "scales"), granularity=(2.0**-8, "nonnegative"),
               threshold=(0.0, "scales"))
    pair = dict(classifier=(RULE, "classifier"), problem=(SINE, "problem"))
    named = {"classifier": "classifier|alpha|h "}
    yield call("cell_grid", lambda classifier, problem: risk.cell_grid(classifier, problem), named, **pair)
    yield call("excess_risk", risk.excess_risk, named, **pair, n=(100, "whole"))
    yield call("label_probabilities", lambda classifier, n: risk.label_probabilities(classifier, risk.cell_grid(RULE, SINE), n),
               named, classifier=(RULE, "classifier"), n=(100, "counts"))
    yield call("simulate_excess_risk", risk.simulate_excess_risk, named, **pair, n=(100, "whole"), repeats=(2, "whole"), **SEED)
    yield call("simulate_accuracy", lambda classifier, n, repeats, test, rng: risk.simulate_accuracy(
        classifier, lambda n, rng: SINE.sample(n, rng=rng), n, repeats, test=test, rng=rng), named | {"test": "n|test"},
        classifier=(RULE, "classifier"), n=(100, "whole"), repeats=(2, "whole"), test=(50, "whole"), **SEED)


SKLEARN = {"X": "", "y": ""}
"""Estimators check with scikit-learn's own functions and refuse in its words, which its estimator checks ask for."""


def fitted(rule):
    return lambda **given: vars(rule(**given).fit(people(1), LABELS))["scores_"]


CALLS = [
    call("CubeLaplace", CubeLaplace, alpha=(1.0, "budget"), h=(0.2, "budget"), d=(1, "whole"), noise=("real", "choice")),
    call("LatticeLaplace", LatticeLaplace, scale=(4.0, "budget")),
    call("RealLaplace", RealLaplace, scale=(4.0, "positive")),
    *mechanism_calls(),
    call("epsilon_lower_bound", audit.epsilon_lower_bound, {"record_a": "record", "record_b": "record"},
         mechanism=(ONE, "mechanism"), **RECORDS, n=(200, "whole"), confidence=(0.9, "share"), **SEED),
    call("betrayal_attack", audit.betrayal_attack, {"record_a": "record", "record_b": "record"},
         mechanism=(ONE, "mechanism"), **RECORDS, n=(20, "whole"), **SEED),
    *(call(name, getattr(audit, name), {"record_a": "record", "record_b": "record"}, mechanism=(ONE, "mechanism"), **RECORDS,
           half=(2, "half")) for name in ("trade_off", "privacy_loss_distribution")),
    call("worst_pair", audit.worst_pair, mechanism=(ONE, "mechanism"), candidates=(people(1), "X1")),
    call("reachability_attack", audit.reachability_attack, {"outputs": "outputs|guess", "guess": "outputs|guess"},
         outputs=(REPORTS, "outputs"), guess=(1.0, "outputs"), noise=(ONE.noise, "noise")),
    call("precision_attack", audit.precision_attack, {"outputs": "outputs|guess", "guess": "outputs|guess"},
         outputs=(REPORTS, "outputs"), guess=(1.0, "outputs")),
    call("identification_attack", audit.identification_attack, reports=(REPORTS, "outputs"),
         candidates=(np.eye(6), "outputs"), noise=(ONE.noise, "noise")),
    call("audit_table", lambda alpha, n, rng: mutants.audit_table(alpha, n, rng=rng), alpha=(1.0, "positive"),
         n=(100, "whole"), **SEED),
    call("CubeClassifier", fitted(CubeClassifier), alpha=(1.0, "budget"), h=(0.2, "budget"), noise=("real", "choice"),
         rng=(1, "rng")),
    call("HistogramClassifier", fitted(HistogramClassifier), h=(0.2, "budget")),
    call("CubeClassifier.fit_aggregate", lambda aggregate, d: CubeClassifier(1.0, 0.2).fit_aggregate(aggregate, d).scores_,
         {"d": "d |aggregate"}, aggregate=(SUMS, "aggregate"), d=(1, "whole")),
    *(call(f"{type(rule).__name__}.fit", lambda X, y, rule=rule: rule.fit(X, y).scores_, SKLEARN, **XY)
      for rule in (CubeClassifier(1.0, 0.2, rng=1), HistogramClassifier(0.2))),
    call("predict", CubeClassifier(1.0, 0.2, rng=1).fit(people(1), LABELS).predict, SKLEARN,
         X=(people(1), "X1")),
    call("cantor_function", nature.cantor_function, x=(people(1), "outputs")),
    call("point_cloud", nature.point_cloud, name=("moons", "choice"), n=(10, "whole"), noise=(0.2, "share"), **SEED),
    call("point_cloud_eta", nature.point_cloud_eta, name=("moons", "choice"), X=(people(2), "X2"), noise=(0.2, "share")),
    call("problem", nature.problem, name=("sine", "choice")),
    *(call(f"problem {name}", build(name), **params) for name, params in PROBLEM_PARAMS.items()),
    *problem_calls(),
    *risk_calls(),
    *theory_calls(),
]

TRIED = {"bad": 0, "odd": 0, "escapes": 0}


def content(thing, depth=4):
    """The numbers in a result, however it is packed."""
    if isinstance(thing, (np.ndarray, np.generic)) and np.asarray(thing).dtype.kind in "biufc":
        yield np.asarray(thing)
    elif isinstance(thing, numbers.Real):
        yield np.asarray(float(thing)) if abs(thing) < 1e300 else np.ones(1)
    elif isinstance(thing, (tuple, list)):
        for part in thing:
            yield from content(part, depth)
    elif isinstance(thing, dict):
        yield from content(list(thing.values()), depth)
    elif dataclasses.is_dataclass(thing) or (depth and hasattr(thing, "__dict__") and not callable(thing)):
        yield from content(list(vars(thing).values()), depth - 1)


def frozen(value):
    """What to compare a value with later: its bytes, or the value itself."""
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype != object else repr(value.tolist())
    return repr(value)


@pytest.mark.parametrize("subject", CALLS, ids=lambda subject: subject.name)
def test_bad_input_is_refused_by_name_or_answered(subject):
    escapes = []
    for argument, kind in subject.kinds.items():
        said = re.compile(subject.alias.get(argument, rf"\b{argument}\b"))
        for value in BAD[kind]:
            TRIED["bad"] += 1
            before, label = frozen(value), f"{argument} = {value!r:.70}"
            try:
                result = subject.function(**subject.good | {argument: value})
            except DataConversionWarning:
                assert subject.alias is SKLEARN, "a column of labels is flattened with scikit-learn's warning"
            except (TypeError, ValueError, MemoryError) as error:
                if not said.search(str(error)):
                    escapes.append(f"{label}: {type(error).__name__} does not name it: {error!s:.120}")
            except Exception as error:
                escapes.append(f"{label}: {type(error).__name__}: {error!s:.120}")
            else:
                if any(np.isnan(part).any() for part in content(result)):
                    escapes.append(f"{label}: NaN in the answer {result!r:.80}")
            if frozen(value) != before:
                escapes.append(f"{label}: was changed")
    TRIED["escapes"] += len(escapes)
    assert not escapes, "\n" + "\n".join(escapes)


@pytest.mark.parametrize("subject", CALLS, ids=lambda subject: subject.name)
def test_good_input_in_odd_clothes_gives_the_same_answer(subject):
    expected = list(content(subject.function(**subject.good)))
    for argument, value in subject.good.items():
        if isinstance(value, np.ndarray):
            for dressed in clothes(value):
                # A list of reports is a stream of blocks, and scikit-learn takes no labels of type object.
                if subject.name == "aggregate" and isinstance(dressed, list) or (
                        subject.alias is SKLEARN and argument == "y" and getattr(dressed, "dtype", None) == object):
                    continue
                TRIED["odd"] += 1
                found = list(content(subject.function(**subject.good | {argument: dressed})))
                assert len(found) == len(expected)
                for a, b in zip(found, expected):
                    np.testing.assert_array_equal(a, b, err_msg=f"{argument}: {type(dressed)}")


RESULTS = {"Theta", "PrivacyLoss", "TradeOff", "EpsilonBound", "CellGrid", "Simulated", "Erratum", "Evidence", "Ledger",
           "LowerBound", "Step", "UpperBound"}
WITHOUT_ARGUMENTS = {"load_cps", "load_departures", "errata", "PROBLEMS", "LEDGERS"}
ELSEWHERE = {"Aggregate": "test_aggregate.py", "Problem": "an abstract class; its methods are tried for every problem"}


def test_every_public_name_is_tried():
    tried = {word for subject in CALLS for word in re.split(r"[ .]", subject.name)}
    for room in (nature, privacy, audit, estimation, risk, theory):
        assert set(room.__all__) - tried - RESULTS - WITHOUT_ARGUMENTS - set(ELSEWHERE) == set(), room.__name__


@pytest.fixture(scope="module", autouse=True)
def count_of_inputs():
    yield
    print(f"\nInputs tried: {TRIED['bad']:,} bad or odd ones, {TRIED['odd']:,} good ones in odd clothes; "
          f"{TRIED['escapes']} escapes.")

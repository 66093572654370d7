"""The public functions around classification, each with good arguments and the kind of each; see
`bad_input_kinds`."""

import numpy as np
from sklearn.base import clone

from bad_input_kinds import LABELS, SKLEARN, call, people
from ldp_lib import nature, risk, theory
from ldp_lib.estimation import CubeClassifier, HistogramClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace, LatticeLaplace, RealLaplace, audit, mutants
from ldp_lib.theory import classification_exponent, distinguishability, indistinguishability, ledger

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
        yield call(f"privatize_blocks {d}",
                   lambda X, y, rng, m=mechanism: list(m.privatize_blocks(X, y, rng=rng)),
                   **arguments, **SEED)
        yield call(f"count {d}", mechanism.count, **arguments)
        yield call(f"simulate_aggregate {d}", mechanism.simulate_aggregate, **arguments, **SEED)
    yield call("aggregate", ONE.aggregate, {"reports": "reports|people"}, reports=(REPORTS, "X1"),
               people=(12, "whole"))
    yield call("score", ONE.score, aggregate=(SUMS, "aggregate"))
    place, label = (0.13, "share"), (1, "whole")
    yield call("privacy_loss", ONE.privacy_loss,
               {"x": "x and x2", "x2": "x and x2", "y": "y and y2", "y2": "y and y2"},
               x=place, y=label, x2=(0.7, "share"), y2=label, half=(1, "half"))


def noise_calls():
    for noise in (LatticeLaplace(4.0), RealLaplace(4.0)):
        name = type(noise).__name__
        yield call(f"{name}.sample", noise.sample, size=(3, "size"), **SEED)
        yield call(f"{name}.sample_sum", noise.sample_sum, people=(5, "whole0"), size=(3, "size"), **SEED)
        for method in ("tail", "mean_excess"):
            yield call(f"{name}.{method}", getattr(noise, method), t=(np.array([0.5, -2.0]), "reals"))


def problem_calls():
    for name, d in (("sine", 1), ("checkerboard", 2), ("moons", 2), ("cantor", 1), ("holder", 1),
                    ("hypercube", 1), ("cps", 1)):
        law = problem(name)
        yield call(f"{name}.eta", law.eta, X=(people(d), f"X{d}"))
        if law.density:
            yield call(f"{name}.density", law.density, X=(people(d), f"X{d}"))
        yield call(f"{name}.sample", law.sample, n=(5, "whole"), **SEED)
        for method in ("cell_masses", "margin_mass"):
            yield call(f"{name}.{method}", getattr(law, method),
                       {"lower": "lower|upper", "upper": "lower|upper"},
                       lower=(np.full((3, d), 0.1), "box"), upper=(np.full((3, d), 0.6), "box"))


def build(name):
    return lambda **params: problem(name, **params)


PROBLEM_PARAMS = {
    "sine": dict(d=(1, "whole"), amplitude=(0.4, "fraction"), frequency=(1, "whole")),
    "checkerboard": dict(d=(2, "whole"), squares=(4, "whole"), flip=(0.1, "fraction")),
    "cantor": dict(d=(1, "whole"), amplitude=(0.4, "fraction"), frequency=(1, "whole")),
    "holder": dict(beta=(1.0, "positive"), gamma=(1.0, "nonnegative"), d=(1, "whole"),
                   amplitude=(0.4, "fraction")),
    "hypercube": dict(q=(4, "whole"), m=(2, "whole"), w=(0.1, "positive"), beta=(1.0, "positive"),
                      L=(1.0, "positive"), bump=("ramp", "choice"), d=(1, "whole")),
}


def theory_calls():
    smooth = dict(beta=(1.0, "positive"), gamma=(1.0, "nonnegative"), d=(1, "whole"))
    size = dict(n=(1000, "whole"), alpha=(1.0, "positive"))
    yield call("classification_exponent", classification_exponent, **smooth)
    yield call("theorem_bandwidth", theory.theorem_bandwidth, **size, beta=(1.0, "positive"), d=(1, "whole"),
               L=(1.0, "positive"), mu=(1.0, "positive"))
    shared = dict(L=(1.0, "positive"), C0=(2.0, "positive"), c0=(0.25, "share"), mu=(1.0, "positive"),
                  r0=(0.5, "positive"))
    yield call("upper_bound", lambda **given: theory.upper_bound(**given), **size, **smooth, **shared,
               kind=("printed", "choice"), h=(0.3, "positive"))
    yield call("lower_bound", lambda **given: theory.lower_bound(**given, contraction="interactive"), **size,
               **smooth,
               **shared, kind=("working", "choice"), bump=("ramp", "choice"))
    yield call("curator_bound", lambda **given: theory.curator_bound(**given), n=size["n"],
               epsilon=(1.0, "positive"), **smooth)
    yield call("sandwich", lambda **given: theory.sandwich(**given), **size, **smooth, **shared)
    yield call("indistinguishability", indistinguishability, n=(100, "counts"), alpha=(1.0, "scales"),
               tv=(0.1, "probabilities"))
    yield call("distinguishability", distinguishability, n=(100, "counts"), alpha=(1.0, "scales"),
               tv=(0.1, "probabilities"), contraction=("printed", "choice"))
    yield call("ledger", ledger, theorem=("2.1", "choice"))
    yield call("sabotage", theory.sabotage, theorem=("2.1", "choice"))
    yield call("ledger 2.1", lambda **given: ledger("2.1", **given), alpha=(1.0, "positive"),
               h=(0.3, "positive"), d=(1, "whole"))
    yield call("ledger 2.2", lambda **given: ledger("2.2", **given), {"p": "[pq]", "t": "[t]"}, **size,
               t=(0.05, "share"), p=(0.2, "share"),
               q=(0.1, "fraction"), d=(1, "whole"), h=(0.1, "positive"), law=("Cantor", "choice"))
    yield call("ledger 2.4", lambda **given: ledger("2.4", **given), **size, **smooth, **shared,
               shell=(1, "whole"), law=(SINE, "problem"), scale=(4.0, "positive"), copies=(1, "whole"))
    yield call("ledger 2.4, its own law", lambda **given: ledger("2.4", **given), **size, **smooth, **shared)
    yield call("ledger 2.5", lambda **given: ledger("2.5", **given), **size, **smooth, L=(1.0, "positive"),
               C0=(2.0, "positive"))


def risk_calls():
    yield call("wrong_side_probability", risk.wrong_side_probability, {"q": "q|p", "p": "p|q"},
               n=(100, "counts"),
               p=(0.3, "probabilities"), q=(0.2, "probabilities"), scale=(4.0, "scales"),
               granularity=(2.0**-8, "nonnegative"),
               threshold=(0.0, "scales"))
    pair = dict(classifier=(RULE, "classifier"), problem=(SINE, "problem"))
    named = {"classifier": "classifier|alpha|h "}
    yield call("cell_grid", lambda classifier, problem: risk.cell_grid(classifier, problem), named, **pair)
    yield call("excess_risk", risk.excess_risk, named, **pair, n=(100, "whole"))
    yield call("label_probabilities",
               lambda classifier, n: risk.label_probabilities(classifier, risk.cell_grid(RULE, SINE), n),
               named, classifier=(RULE, "classifier"), n=(100, "counts"))
    yield call("simulate_excess_risk", risk.simulate_excess_risk, named, **pair, n=(100, "whole"),
               repeats=(2, "whole"), **SEED)
    yield call("simulate_accuracy", lambda classifier, n, repeats, test, rng: risk.simulate_accuracy(
        classifier, lambda n, rng: SINE.sample(n, rng=rng), n, repeats, test=test, rng=rng),
        named | {"test": "n|test"},
        classifier=(RULE, "classifier"), n=(100, "whole"), repeats=(2, "whole"), test=(50, "whole"), **SEED)


def fitted(rule):
    return lambda **given: vars(rule(**given).fit(people(1), LABELS))["scores_"]


CALLS = [
    call("CubeLaplace", CubeLaplace, alpha=(1.0, "budget"), h=(0.2, "budget"), d=(1, "whole"),
         noise=("real", "choice")),
    call("LatticeLaplace", LatticeLaplace, scale=(4.0, "budget")),
    call("RealLaplace", RealLaplace, scale=(4.0, "positive")),
    *noise_calls(),
    *mechanism_calls(),
    call("epsilon_lower_bound", audit.epsilon_lower_bound, {"record_a": "record", "record_b": "record"},
         mechanism=(ONE, "mechanism"), **RECORDS, n=(200, "whole"), confidence=(0.9, "share"), **SEED),
    call("betrayal_attack", audit.betrayal_attack, {"record_a": "record", "record_b": "record"},
         mechanism=(ONE, "mechanism"), **RECORDS, n=(20, "whole"), **SEED),
    *(call(name, getattr(audit, name), {"record_a": "record", "record_b": "record"},
           mechanism=(ONE, "mechanism"), **RECORDS,
           half=(2, "half")) for name in ("trade_off", "privacy_loss_distribution")),
    call("worst_pair", audit.worst_pair, mechanism=(ONE, "mechanism"), candidates=(people(1), "X1")),
    call("reachability_attack", audit.reachability_attack,
         {"outputs": "outputs|guess", "guess": "outputs|guess"},
         outputs=(REPORTS, "outputs"), guess=(1.0, "outputs"), noise=(ONE.noise, "noise")),
    call("precision_attack", audit.precision_attack, {"outputs": "outputs|guess", "guess": "outputs|guess"},
         outputs=(REPORTS, "outputs"), guess=(1.0, "outputs")),
    call("zero_attack", audit.zero_attack, {"outputs": "outputs|guess", "guess": "outputs|guess"},
         outputs=(REPORTS, "outputs"), guess=(1.0, "outputs")),
    call("identification_attack", audit.identification_attack, reports=(REPORTS, "outputs"),
         candidates=(np.eye(6), "outputs"), noise=(ONE.noise, "noise")),
    call("audit_table", lambda alpha, n, rng: mutants.audit_table(alpha, n, rng=rng), alpha=(1.0, "positive"),
         n=(100, "whole"), **SEED),
    call("CubeClassifier", fitted(CubeClassifier), alpha=(1.0, "budget"), h=(0.2, "budget"),
         noise=("real", "choice"),
         rng=(1, "rng"), times=(1, "whole")),
    call("HistogramClassifier", fitted(HistogramClassifier), h=(0.2, "budget")),
    call("CubeClassifier.fit_aggregate",
         lambda aggregate, d: CubeClassifier(1.0, 0.2).fit_aggregate(aggregate, d).scores_,
         {"d": "d |aggregate"}, aggregate=(SUMS, "aggregate"), d=(1, "whole")),
    *(call(f"{type(rule).__name__}.fit", lambda X, y, rule=rule: clone(rule).fit(X, y).scores_, SKLEARN, **XY)
      for rule in (CubeClassifier(1.0, 0.2, rng=1, times=10**9), HistogramClassifier(0.2))),
    call("predict", CubeClassifier(1.0, 0.2, rng=1).fit(people(1), LABELS).predict, SKLEARN,
         X=(people(1), "X1")),
    call("predict_proba", HistogramClassifier(0.2).fit(people(1), LABELS).predict_proba, SKLEARN,
         X=(people(1), "X1")),
    call("cantor_function", nature.cantor_function, x=(people(1), "outputs")),
    call("point_cloud", nature.point_cloud, name=("moons", "choice"), n=(10, "whole"), noise=(0.2, "share"),
         **SEED),
    call("point_cloud_eta", nature.point_cloud_eta, name=("moons", "choice"), X=(people(2), "X2"),
         noise=(0.2, "share")),
    call("problem", nature.problem, name=("sine", "choice")),
    *(call(f"problem {name}", build(name), **params) for name, params in PROBLEM_PARAMS.items()),
    *problem_calls(),
    *risk_calls(),
    *theory_calls(),
]

"""The public functions beyond the paper, on disjoint cells; as in `bad_input_calls`."""

import warnings

import numpy as np

from bad_input_kinds import LABELS, SKLEARN, call, people
from ldp_lib import risk
from ldp_lib.estimation import (
    AdaptiveClassifier, AdaptiveDensity, AdditiveClassifier, CellClassifier, CubeClassifier, OneBitClassifier,
    PublicBox, WaveletClassifier,
)
from ldp_lib.estimation.intervals import ScoreIntervals
from ldp_lib.nature import problem
from ldp_lib.privacy import (
    CellAggregate, CellLaplace, CellMechanism, CubeLaplace, DyadicBit, HadamardBit, SignedSubset,
    SubsetSelection, audit, best_mechanism, message_bytes, pack, sum_messages, unpack, variances,
)
from ldp_lib.privacy.registry import CELL_MECHANISMS, REGISTRY
from ldp_lib.privacy.responses import hadamard_transform

XY = {"X": (people(1), "X1"), "y": (LABELS, "labels")}
XY2 = {"X": (people(2), "X2"), "y": (LABELS, "labels")}
SEED = {"rng": (1, "rng")}
SIZE = {"alpha": (1.0, "budget"), "h": (0.2, "budget"), "d": (1, "whole")}
LAPLACE, SINE, WAVE = CellLaplace(1.0, 0.2), problem("sine"), problem("wave")
COUNTS = SubsetSelection(1.0, 0.2, size=2)
BIT, SUBSET, DYADIC = HadamardBit(1.0, 0.2), SignedSubset(3.0, 0.2), DyadicBit(1.0, 2)
CELLS = [line.build(1.0, 0.2) for line in REGISTRY if issubclass(line.kind, CellMechanism)]
RECORDS = {"record_a": ((0.13, 1), "record"), "record_b": ((0.77, 1), "record")}
SAID = {"aggregate": "aggregate|people|totals"}
LOSS = {"x": "X", "x2": "X"}


def sums(mechanism):
    return mechanism.simulate_aggregate(people(1), LABELS, rng=0)


def constructor_calls():
    for kind in CELL_MECHANISMS.values():
        yield call(f"{kind.__name__} new", kind, **SIZE)
    yield call("CellLaplace noise", lambda noise: CellLaplace(1.0, 0.2, noise=noise),
               noise=("real", "choice"))
    yield call("SignedSubset size", lambda size: SignedSubset(1.0, 0.2, size=size), size=(2, "whole"))
    yield call("SubsetSelection new", SubsetSelection, **SIZE | {"h": (0.2, "share")}, size=(2, "optional"))
    yield call("DyadicBit new", DyadicBit, alpha=(1.0, "budget"), levels=(2, "whole0"), d=(1, "whole"))
    for function in (best_mechanism, variances):
        yield call(function.__name__, lambda function=function, **given: len(function(**given)),
                   alpha=(1.0, "positive"), cells=(16, "whole"))


def mechanism_calls():
    for mechanism in CELLS:
        name = type(mechanism).__name__
        for method in ("privatize", "simulate_aggregate"):
            yield call(f"{name}.{method}", getattr(mechanism, method), **XY, **SEED)
        reports = mechanism.privatize(people(1), LABELS, rng=0)
        yield call(f"aggregate {name}", mechanism.aggregate, reports=(reports, "matrix"))
        yield call(f"{name}.privacy_loss", mechanism.privacy_loss, LOSS,
                   x=(0.13, "share"), y=(1, "whole"), x2=(0.7, "share"), y2=(1, "whole"))
    for mechanism in CELLS:
        name = type(mechanism).__name__
        yield call(f"{name}.score", mechanism.score, SAID, aggregate=(sums(mechanism), "cell sums"))
        yield call(f"{name}.variance", mechanism.variance, p=(0.2, "fraction"))
        yield call(f"{name}.privatize_blocks",
                   lambda X, y, rng, m=mechanism: list(m.privatize_blocks(X, y, rng=rng)), **XY, **SEED)
        yield call(f"{name} epsilon_lower_bound", audit.epsilon_lower_bound,
                   {"record_a": "record", "record_b": "record"}, mechanism=(mechanism, "mechanism"),
                   **RECORDS, n=(200, "whole"), confidence=(0.9, "share"), **SEED)
        if hasattr(mechanism, "disclosure") or mechanism.noise_laws:
            yield call(f"{name} trade_off", audit.trade_off, {"record_a": "record", "record_b": "record"},
                       mechanism=(mechanism, "mechanism"), **RECORDS)
    for kind in CELL_MECHANISMS.values():
        yield call(f"{kind.__name__}.privatize 2", kind(1.0, 0.4, 2).privatize, **XY2, **SEED)
    yield call("cells encode", LAPLACE.encode, **XY)
    yield call("cells count", LAPLACE.count, **XY)
    yield call("CellAggregate.merge", lambda other: sums(LAPLACE).merge(other),
               {"other": "aggregate"}, other=(sums(LAPLACE), "cell sums"))
    for kind in CELL_MECHANISMS.values():
        yield call(f"{kind.__name__}.law", kind(1.0, 0.2).law, {"q": "q|p", "p": "p|q"},
                   p=(0.3, "probabilities"), q=(0.2, "probabilities"))
    for mechanism in (BIT, DYADIC):
        yield call(f"{type(mechanism).__name__}.send", mechanism.send, **XY, **SEED)
        rows, bits = mechanism.send(people(1), LABELS, rng=0)
        yield call(f"{type(mechanism).__name__}.collect", mechanism.collect,
                   {"rows": "rows|bits", "bits": "rows|bits"}, rows=(rows, "outputs"), bits=(bits, "signs"))
    yield call("SignedSubset.send", SUBSET.send, **XY, **SEED)
    cells, signs = SUBSET.send(people(1), LABELS, rng=0)
    yield call("SignedSubset.collect", SUBSET.collect, {"cells": "cells|signs", "signs": "cells|signs"},
               cells=(cells, "outputs"), signs=(signs, "signs"))
    for method in ("privatize", "simulate_aggregate", "send"):
        yield call(f"SubsetSelection.{method}", getattr(COUNTS, method), X=XY["X"], **SEED)
    for method in ("encode", "count"):
        yield call(f"SubsetSelection.{method}", getattr(COUNTS, method), X=XY["X"])
    yield call("SubsetSelection.privatize_blocks",
               lambda X, rng: list(COUNTS.privatize_blocks(X, rng=rng)), X=XY["X"], **SEED)
    yield call("SubsetSelection.collect", COUNTS.collect, cells=(COUNTS.send(people(1), rng=0), "outputs"))
    yield call("SubsetSelection.score", COUNTS.score, SAID,
               aggregate=(COUNTS.simulate_aggregate(people(1), rng=0), "cell sums"))
    yield call("SubsetSelection.law", COUNTS.law, p=(0.3, "probabilities"))
    yield call("SubsetSelection.variance", COUNTS.variance, p=(0.2, "fraction"))
    yield call("SubsetSelection.privacy_loss", COUNTS.privacy_loss, LOSS, x=(0.13, "share"),
               x2=(0.7, "share"))
    yield call("HadamardBit.signs", BIT.signs, rows=(np.arange(3), "rows"), cells=(np.arange(3), "rows"))
    yield call("CellLaplace.add_noise",
               lambda totals, people, rng: LAPLACE.add_noise(CellAggregate(people, totals), rng=rng),
               totals=(np.zeros(5), "line"), people=(3, "whole"), **SEED)
    yield call("hadamard_transform", hadamard_transform, values=(np.arange(4.0), "rows"))


def message_calls():
    for mechanism, X in ((BIT, people(1)), (SUBSET, people(1)), (LAPLACE, people(1))):
        name, dense = type(mechanism).__name__, not hasattr(mechanism, "send")
        reports = (mechanism.privatize if dense else mechanism.send)(X, LABELS, rng=0)
        messages = pack(mechanism, reports)
        yield call(f"{name} pack", lambda reports, m=mechanism: list(map(list, pack(m, reports))),
                   {"reports": "reports|rows|bits|cells|signs"},
                   reports=(reports, "matrix" if dense else "sent"))
        yield call(f"{name} unpack", lambda messages, m=mechanism: unpack(m, messages),
                   messages=(messages, "messages"))
        yield call(f"{name} sum_messages", lambda messages, m=mechanism: sum_messages(m, messages),
                   messages=(messages, "messages"))
    cube = CubeLaplace(1.0, 0.2)
    reports = cube.privatize(people(1), LABELS, rng=0)
    yield call("pack half", lambda half: list(map(list, pack(cube, reports, half=half))), half=(1, "half"))
    yield call("unpack half", lambda half: unpack(cube, pack(cube, reports, half=1), half=half),
               half=(1, "half"))
    yield call("message_bytes", message_bytes, mechanism=(BIT, "mechanism"))


RULES = (
    (CellClassifier, "scores_", {"h": (0.2, "budget"), "mechanism": ("laplace", "name"),
                                 "noise": ("real", "name")}),
    (OneBitClassifier, "scores_", {"h": (0.2, "budget")}),
    (AdaptiveClassifier, "scores_", {"levels": (2, "optional")}),
    (WaveletClassifier, "scores_", {"wavelet": ("haar", "name"), "levels": (2, "optional")}),
)


def estimator_calls():
    for kind, learnt, rest in RULES:
        name = kind.__name__

        def fitted(kind=kind, learnt=learnt, **given):
            return vars(kind(**given).fit(people(1), LABELS))[learnt]

        yield call(name, fitted, alpha=(1.0, "budget"), times=(1, "whole"), **rest, **SEED)
        yield call(f"{name} fit", lambda X, y, kind=kind: kind(rng=1).fit(X, y).predict(people(1)), SKLEARN,
                   **XY)
        rule = kind(rng=1).fit(people(1), LABELS)
        yield call(f"{name}.predict", rule.predict, SKLEARN, X=(people(1), "X1"))

        def learnt_from(aggregate, d, kind=kind, learnt=learnt):
            return vars(kind().fit_aggregate(aggregate, d))[learnt]

        yield call(f"{name}.fit_aggregate", learnt_from, SAID | {"d": r"\bd\b|aggregate|totals"},
                   aggregate=(rule.aggregate_, "cell sums"), d=(1, "whole"))
    yield call("CellClassifier best", lambda alpha, h: CellClassifier(alpha, h, mechanism="best", rng=1).fit(
        people(1), LABELS).scores_, alpha=(1.0, "budget"), h=(0.2, "budget"))
    yield call("AdditiveClassifier", lambda **given: AdditiveClassifier(**given).fit(
        people(2), LABELS).scores_, alpha=(1.0, "budget"), levels=(2, "optional"), **SEED)
    yield call("AdditiveClassifier.fit", lambda X, y: AdditiveClassifier(rng=1).fit(X, y).predict(people(2)),
               SKLEARN, X=(people(2), "X2"), y=(LABELS, "labels"))
    rule = AdditiveClassifier(rng=1).fit(people(2), LABELS)
    yield call("AdditiveClassifier.predict", rule.predict, SKLEARN, X=(people(2), "X2"))
    yield call("AdditiveClassifier.fit_aggregate", lambda aggregate: AdditiveClassifier().fit_aggregate(
        [aggregate, rule.aggregates_[1]]).scores_, SAID, aggregate=(rule.aggregates_[0], "cell sums"))
    yield call("AdaptiveDensity", lambda **given: AdaptiveDensity(**given).fit(people(1)).heights_,
               alpha=(1.0, "budget"), levels=(2, "optional"), **SEED)
    yield call("AdaptiveDensity.fit", lambda X: AdaptiveDensity(rng=1).fit(X).heights_, SKLEARN,
               X=(people(1), "X1"))
    estimate = AdaptiveDensity(rng=1).fit(people(1))
    yield call("AdaptiveDensity.pdf", estimate.pdf, x=(np.linspace(0, 1, 5), "line"))
    yield call("AdaptiveDensity.standard_error", estimate.standard_error, x=(np.linspace(0, 1, 5), "line"))
    yield call("AdaptiveDensity.interval", estimate.interval, x=(np.linspace(0, 1, 5), "line"),
               confidence=(0.9, "share"))
    yield call("AdaptiveDensity.fit_aggregate", lambda aggregate: AdaptiveDensity().fit_aggregate(
        aggregate).heights_, SAID, aggregate=(estimate.aggregate_, "cell sums"))
    box = PublicBox([0.0], [1.0])
    yield call("PublicBox", lambda X: box.fit().transform(X), SKLEARN, X=(people(1), "X1"))
    yield call("PublicBox bounds", lambda lower, upper: PublicBox(lower, upper).fit().transform(people(1)),
               {"lower": "lower|upper|bounds", "upper": "lower|upper|bounds"},
               lower=([0.0], "bounds"), upper=([1.0], "bounds"))
    # Without a category the bounds count.
    yield call("PublicBox categories",
               lambda categories: PublicBox([0.0], [1.0], categories).fit().transform([[0.0], [1.0]]),
               categories=({0: (0, 1)}, "categories"))
    yield call("PublicBox.clipped", lambda X: box.fit().clipped(X), SKLEARN, X=(people(1), "X1"))
    yield call("PublicBox memory", box.memory, h=(0.2, "positive"))


def problem_calls():
    for kind in ("wave", "arches"):
        yield call(f"problem {kind}", lambda kind=kind, **params: problem(kind, **params), d=(1, "whole"),
                   amplitude=(0.4, "fraction"), frequency=(2, "whole"), shift=(0.06, "real"))
    for method in ("eta", "density"):
        yield call(f"wave.{method}", getattr(WAVE, method), X=(people(1), "X1"))
    yield call("wave.sample", WAVE.sample, n=(5, "whole"), **SEED)
    for method in ("cell_masses", "margin_mass"):
        yield call(f"wave.{method}", getattr(WAVE, method), {"lower": "lower|upper", "upper": "lower|upper"},
                   lower=(np.full((3, 1), 0.1), "box"), upper=(np.full((3, 1), 0.6), "box"))


def collected(mechanism, parts, rng):
    with warnings.catch_warnings(action="ignore", category=risk.SimulationWarning):
        return risk.collect(mechanism, parts, rng=rng)


def risk_calls():
    for kind, mechanism in (("cells", LAPLACE), ("cubes", CubeLaplace(1.0, 0.25))):
        yield call(f"simulate_crowd {kind}", lambda mechanism, problem, n, rng: risk.simulate_crowd(
            mechanism, problem, n, rng=rng), mechanism=(mechanism, "mechanism"), problem=(SINE, "problem"),
            n=(100, "whole"), **SEED)
    yield call("collect", collected, {"parts": "parts|X"},
               mechanism=(LAPLACE, "mechanism"), parts=([lambda: (people(1), LABELS)], "parts"), **SEED)
    for rule in (CellClassifier(1.0, 0.25, rng=1), OneBitClassifier(1.0, 0.25, rng=1),
                 CellClassifier(3.0, 0.25, mechanism="subset", rng=1)):
        yield call(f"excess_risk {rule!r:.40}", risk.excess_risk, {"classifier": "classifier|alpha|h "},
                   classifier=(rule, "classifier"), problem=(WAVE, "problem"), n=(100, "whole"))
    for rule in (AdaptiveClassifier(levels=2, rng=1), WaveletClassifier(wavelet="haar", rng=1)):
        yield call(f"simulate_excess_risk {type(rule).__name__}", risk.simulate_excess_risk,
                   {"classifier": "classifier|alpha|h "}, classifier=(rule, "classifier"),
                   problem=(WAVE, "problem"), n=(100, "whole"), repeats=(2, "whole"), **SEED)


def interval_calls():
    share, width = {"confidence": (0.9, "share")}, {"width": (0.2, "positive"), "confidence": (0.9, "share")}
    for rule in (CubeClassifier(1.0, 0.25, rng=1), OneBitClassifier(1.0, 0.25, rng=1),
                 AdaptiveClassifier(levels=1, rng=1), WaveletClassifier(wavelet="haar", rng=1)):
        name, fit, X = type(rule).__name__, rule.fit(people(1), LABELS), {"X": (people(1), "X1")}
        mass = {"mass": (0.3, "share")} if isinstance(rule, ScoreIntervals) else {}
        yield call(f"{name}.standard_error", fit.standard_error, SKLEARN, **X, **mass)
        yield call(f"{name}.interval", fit.interval, SKLEARN, **X, **share, **mass)
        yield call(f"{name}.label_confidence", fit.label_confidence, SKLEARN, **X, **mass)
    for rule in (CubeClassifier(1.0, 0.25), OneBitClassifier(1.0, 0.25), CellClassifier(1.0, 0.25)):
        yield call(f"people_for_width {type(rule).__name__}", risk.people_for_width,
                   {"estimator": "estimator|alpha|h "}, estimator=(rule, "classifier"), **width,
                   d=(1, "whole"), mass=(0.3, "share"))
    yield call("Simulated.quantile", risk.Simulated(1.0, 0.1, np.array([0.5, 1.5])).quantile,
               share=(0.3, "probabilities"))


CALLS = [*constructor_calls(), *mechanism_calls(), *message_calls(), *estimator_calls(), *problem_calls(),
         *risk_calls(), *interval_calls()]

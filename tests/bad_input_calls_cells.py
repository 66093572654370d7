"""The public functions beyond the paper, on disjoint cells; as in `bad_input_calls`."""

import numpy as np

from bad_input_kinds import LABELS, SKLEARN, call, people
from ldp_lib import risk
from ldp_lib.estimation import AdaptiveClassifier, CellClassifier, OneBitClassifier, PublicBox, WaveletClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, DyadicBit, HadamardBit, SignedSubset, WaveletBit, best_mechanism, variances

XY = {"X": (people(1), "X1"), "y": (LABELS, "labels")}
SEED = {"rng": (1, "rng")}
SIZE = {"alpha": (1.0, "budget"), "h": (0.2, "budget"), "d": (1, "whole")}


def calls():
    for kind in (CellLaplace, HadamardBit, SignedSubset):
        yield call(f"{kind.__name__} new", kind, **SIZE)
    yield call("CellLaplace noise", lambda noise: CellLaplace(1.0, 0.2, noise=noise), noise=("real", "choice"))
    yield call("SignedSubset size", lambda size: SignedSubset(1.0, 0.2, size=size), size=(2, "whole"))
    yield call("DyadicBit new", DyadicBit, alpha=(1.0, "budget"), levels=(2, "whole0"), d=(1, "whole"))
    yield call("WaveletBit new", WaveletBit, alpha=(1.0, "budget"), wavelet=("haar", "name"), levels=(2, "whole0"),
               first=(1, "whole0"), d=(1, "whole"))
    for mechanism in (CellLaplace(1.0, 0.2), HadamardBit(1.0, 0.2), SignedSubset(3.0, 0.2), DyadicBit(1.0, 2),
                      WaveletBit(1.0, "haar", 2, 1)):
        name = type(mechanism).__name__
        for method in ("privatize", "simulate_aggregate"):
            yield call(f"{name}.{method}", getattr(mechanism, method), **XY, **SEED)
    yield call("cells encode", CellLaplace(1.0, 0.2).encode, **XY, half=(1, "half"))
    yield call("cells count", CellLaplace(1.0, 0.2).count, **XY)
    for function in (best_mechanism, variances):
        yield call(function.__name__, lambda function=function, **given: len(function(**given)), alpha=(1.0, "positive"),
                   cells=(16, "whole"))
    for kind, rest in ((CellClassifier, {"h": (0.2, "budget")}), (OneBitClassifier, {"h": (0.2, "budget")}),
                       (AdaptiveClassifier, {"penalty": (1.0, "nonnegative")}),
                       (WaveletClassifier, {"wavelet": ("haar", "name"), "penalty": (1.0, "nonnegative")})):
        yield call(kind.__name__, lambda kind=kind, **given: kind(**given).fit(people(1), LABELS).scores_
                   if kind is not WaveletClassifier else kind(**given).fit(people(1), LABELS).fathers_,
                   alpha=(1.0, "budget"), **rest, **SEED)
        yield call(f"{kind.__name__} fit", lambda X, y, kind=kind: kind(rng=1).fit(X, y).predict(people(1)), SKLEARN, **XY)
    yield call("PublicBox", lambda X: PublicBox([0.0], [1.0]).fit().transform(X), SKLEARN, X=(people(1), "X1"))
    yield call("PublicBox memory", PublicBox([0.0], [1.0]).memory, h=(0.2, "positive"))
    yield call("simulate_crowd", lambda n, rng: risk.simulate_crowd(CellLaplace(1.0, 0.2), problem("sine"), n, rng=rng),
               n=(100, "whole"), **SEED)
    yield call("collect", lambda rng: risk.collect(CellLaplace(1.0, 0.2), [lambda: (people(1), LABELS)], rng=rng), **SEED)


CALLS = list(calls())

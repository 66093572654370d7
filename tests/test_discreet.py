"""What is published of a fitted rule holds no seed, no generator, no record and no sum without noise; which
labels people have changes nothing but the release; errors print no record."""

import copy
import inspect
import io
import itertools
import os
import pickle
import re
import warnings
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from ldp_lib import estimation
from ldp_lib.estimation import (
    AdaptiveClassifier, CellClassifier, CubeClassifier, HistogramClassifier, LinearWaveletDensity,
    NoisyMajorityClassifier, OneBitClassifier, PrivateSemiSupervised, PublicBox, StableHistogramDensity,
    StableVoronoiClassifier, ThresholdWaveletDensity, VoronoiClassifier, WaveletClassifier,
)
from ldp_lib.nature import Interval, Line
from ldp_lib.privacy import (
    CellLaplace, CubeLaplace, DyadicBit, HadamardBit, SignedSubset, WaveletLaplace,
)
from ldp_lib.privacy.central import central_noise

SEED = 0x5EED_C0FFEE
N = 400
X = np.random.default_rng(1).random((N, 1))
Y = (X[:, 0] > 0.3).astype(int)
UNLABELLED = np.where(np.arange(N) < 300, -1, Y)


def votes(cells):
    return np.bincount(cells, weights=2 * Y - 1)


def cube_votes(rule):
    return [votes((X[:, 0] * 10).astype(int))]


def counts(cells, weights=None):
    return np.bincount(cells, weights)[np.unique(cells)]


def voronoi(rule):
    return rule.voronoi(N).locate(X)


def asked(rule):
    """Sums over people of what the reports of this rule would say without noise, (rows, K)."""
    return np.atleast_2d(rule._mechanism_of(N, 1).count(X, Y).totals)


def waves(rule):
    return [rule.mechanism(N).count(X).totals]


SPACES = dict(space=Interval(), radius=0.05)
RULES = [
    # A rule, and its sums without noise; None where it has no noise, for the reason in WITHOUT_NOISE.
    (CubeClassifier(h=0.1), asked), (CubeClassifier(h=0.1, noise="real"), asked),
    (CellClassifier(h=0.1), asked), (CellClassifier(h=0.1, mechanism="best"), asked),
    (CellClassifier(3.0, h=0.1, mechanism="subset"), asked), (OneBitClassifier(h=0.1), asked),
    (AdaptiveClassifier(levels=3), asked), (WaveletClassifier(levels=3), asked),
    (NoisyMajorityClassifier(side=0.1), cube_votes),
    (NoisyMajorityClassifier(side=0.1, noise="real"), cube_votes),
    (VoronoiClassifier(**SPACES), lambda rule: [votes(voronoi(rule))]),
    (StableVoronoiClassifier(delta=0.1, **SPACES),
     lambda rule: [counts(voronoi(rule)), counts(voronoi(rule), Y)]),
    (StableHistogramDensity(delta=0.1, side=0.1), lambda rule: [counts((X[:, 0] * 10).astype(int))]),
    (PrivateSemiSupervised(delta=0.1, side=0.1),
     lambda rule: [counts((X[UNLABELLED == -1, 0] * 10).astype(int))]),
    (LinearWaveletDensity(level=3), waves), (ThresholdWaveletDensity(levels=3), waves),
    (LinearWaveletDensity(alpha=None, level=3), None), (HistogramClassifier(), None),
    (PublicBox([0], [1]), None),
]
WITHOUT_NOISE = {
    "HistogramClassifier": "the yardstick without privacy: it holds exact counts, and says so",
    "LinearWaveletDensity": "with alpha=None, which is its yardstick without privacy",
    "PublicBox": "it learns nothing from data",
}
ABSTRACT = {"WaveletDensity"}
"""Its two kinds are here."""


def named(rule):
    return f"{rule!r:.50}"


def learn(rule):
    """The rule, fitted to all people."""
    return rule.fit(X, UNLABELLED if isinstance(rule, PrivateSemiSupervised) else Y)


def test_every_estimator_is_searched():
    exported = {name for name in estimation.__all__ if inspect.isclass(thing := getattr(estimation, name))
                and issubclass(thing, BaseEstimator)}
    assert exported == {type(rule).__name__ for rule, _ in RULES} | ABSTRACT
    assert {type(rule).__name__ for rule, sums in RULES if sums is None} == set(WITHOUT_NOISE)


def joblib_dump(rule):
    file = io.BytesIO()
    joblib.dump(rule, file)
    return file.getvalue()


def published(rule):
    """Everything that may leave the room, as (name, object, its bytes)."""
    found = {"vars": vars(rule), "copy": copy.copy(rule), "deepcopy": copy.deepcopy(rule),
             "parameters": rule.get_params() if isinstance(rule, BaseEstimator) else {}}
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        found[f"pickle {protocol}"] = pickle.loads(pickle.dumps(rule, protocol))
    found["joblib"] = joblib.load(io.BytesIO(joblib_dump(rule)))
    for name, thing in found.items():
        yield name, thing, pickle.dumps(thing)
    yield "joblib bytes", {}, joblib_dump(rule)
    yield "repr", {}, repr(rule).encode()


def parts(thing, seen=None):
    """The thing and all that hangs on it."""
    seen = {} if seen is None else seen
    if id(thing) in seen or isinstance(thing, (type, str, bytes)) or callable(thing):
        return
    seen[id(thing)] = thing
    yield thing
    if isinstance(thing, dict):
        inner = [*thing, *thing.values()]
    elif isinstance(thing, (tuple, list, set, frozenset)):
        inner = list(thing)
    else:
        slots = itertools.chain.from_iterable(getattr(kind, "__slots__", ()) for kind in type(thing).__mro__)
        inner = [*getattr(thing, "__dict__", {}).values(),
                 *(getattr(thing, name) for name in slots if hasattr(thing, name))]
    for part in inner:
        yield from parts(part, seen)


def words(number):
    """A whole number as pickles write it, and as text."""
    length = (number.bit_length() + 7) // 8
    return number.to_bytes(length, "little"), str(number).encode(), hex(number)[2:].encode()


def secrets(rng):
    """The bytes that would give this source of noise away, before and after it was used."""
    if isinstance(rng, np.random.Generator):
        state = rng.bit_generator.state["state"]
        return [word for number in state.values() for word in words(number)]
    return words(rng) if isinstance(rng, int) else []


def follows(array, sums):
    """Whether the array is these sums, up to a factor."""
    if array.dtype.kind not in "biuf" or array.size != sums.size:
        return False
    array, sums = array.astype(float).ravel(), sums.astype(float)
    factor = array @ sums / (sums @ sums)
    return factor != 0 and bool(np.abs(array - factor * sums).max() <= 1e-9 * np.abs(array).max())


def leaks(rule, sums, forbidden):
    """What the published rule gives away: [(where, what)]."""
    records, found = set(X[:, 0].tolist()), []
    # The bytes of every fortieth person, written forwards, backwards or in letters; below, everybody's.
    written = [word for value in X[::40, 0]
               for word in (value.tobytes(), value.tobytes()[::-1], repr(float(value)).encode())]
    for name, thing, content in published(rule):
        if b"numpy.random" in content or b"OperatingSystem" in content:
            found.append((name, "generator"))
        found += [(name, "seed") for word in forbidden if word in content]
        found += [(name, "record") for word in written if word in content]
        for part in parts(thing):
            if isinstance(part, (np.random.Generator, np.random.BitGenerator, np.random.RandomState,
                                 np.random.SeedSequence)):
                found.append((name, "generator"))
            elif isinstance(part, int) and part == SEED:
                found.append((name, "seed"))
            elif isinstance(part, float) and part in records:
                found.append((name, "record"))
            elif isinstance(part, np.ndarray):
                if records & set(part.ravel().tolist() if part.dtype.kind == "f" else ()):
                    found.append((name, "record"))
                found += [(name, "sums") for truth in sums for row in (part, *(part if part.ndim > 1 else ()))
                          if follows(row, truth)]
    return found


SOURCES = {"system": lambda: None, "seed": lambda: SEED, "generator": lambda: np.random.default_rng(SEED),
           "other generator": lambda: np.random.Generator(np.random.Philox(SEED))}


def leaks_after_fit(rule, sums, source):
    rng, rule = SOURCES[source](), clone(rule)
    forbidden = []
    if "rng" in rule.get_params():
        rule.set_params(rng=rng)
        forbidden += secrets(rng) if source != "other generator" else []
    learn(rule)
    forbidden += secrets(rng) if source == "generator" else []
    return leaks(rule, [] if sums is None else list(sums(rule)), forbidden)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rule, sums", RULES, ids=lambda value: named(value) if hasattr(value, "fit") else "")
def test_nothing_of_a_fitted_rule_gives_people_away(rule, sums, source):
    assert leaks_after_fit(rule, sums, source) == []


class KeepsItsGenerator(NoisyMajorityClassifier):
    """Draws from the rng that it keeps."""

    def _source(self, *, secure=False):
        return self.rng


class KeepsItsSeedInside(NoisyMajorityClassifier):
    """Forgets the parameter and keeps a copy of it."""

    def _source(self, *, secure=False):
        self._origin = SimpleNamespace(rng=self.rng)
        return super()._source(secure=secure)


class KeepsItsPeople(NoisyMajorityClassifier):
    """Keeps the sample, as many non-private rules do."""

    def fit(self, X, y):
        self._sample = [X.tolist()]
        return super().fit(X, y)


class KeepsItsVotes(NoisyMajorityClassifier):
    """Keeps the votes, in another unit."""

    def fit(self, X, y):
        self._mean = np.bincount((X[:, 0] * 10).astype(int), weights=2 * y - 1) / len(X)
        return super().fit(X, y)


@pytest.mark.parametrize("mutant, what", [(KeepsItsGenerator, "generator"), (KeepsItsSeedInside, "seed"),
                                          (KeepsItsSeedInside, "generator"), (KeepsItsPeople, "record"),
                                          (KeepsItsVotes, "sums")])
def test_mutants_give_people_away(mutant, what):
    source = what if what in SOURCES else "system"
    found = leaks_after_fit(mutant(side=0.1), cube_votes, source)
    assert what in {what for _, what in found}


def exact_votes(blob):
    """The attack: votes of everybody in each cube, from a pickle that holds a generator or a seed; or None.

    Lattice noise that fits leaves whole numbers in all ten cubes; another has odds of 2^-70 or less.
    """
    rule = pickle.loads(blob)
    law = central_noise(rule.epsilon)
    for part in parts(rule):
        for back in range(200):
            if isinstance(part, np.random.Generator):
                source = copy.deepcopy(part)
                source.bit_generator.advance(-back)
            elif isinstance(part, int) and not isinstance(part, bool):
                source = np.random.default_rng(part)
            else:
                break
            found = 2 * rule.scores_ - law.sample(rule.scores_.shape, source)
            if (found == np.rint(found)).all():
                return found


@pytest.mark.parametrize("rng", [np.random.default_rng, lambda: SEED], ids=["generator", "seed"])
def test_noise_cannot_be_drawn_again_from_a_pickle(rng):
    """PCG64 runs backwards: `advance` takes negative steps."""
    truth = cube_votes(None)[0]
    assert exact_votes(pickle.dumps(NoisyMajorityClassifier(side=0.1, rng=rng()).fit(X, Y))) is None
    assert (exact_votes(pickle.dumps(KeepsItsSeedInside(side=0.1, rng=rng()).fit(X, Y))) == truth).all()


@pytest.mark.parametrize("rule", [rule for rule, _ in RULES], ids=named)
def test_fit_takes_the_seed_and_changes_no_other_parameter(rule):
    rule = clone(rule)
    if "rng" in rule.get_params():
        rule.set_params(rng=SEED)
        assert clone(rule).rng == pickle.loads(pickle.dumps(rule)).rng == copy.copy(rule).rng == SEED
    before = rule.get_params() | ({"rng": None} if "rng" in rule.get_params() else {})
    after = learn(rule).get_params()
    assert after.keys() == before.keys() and all(after[name] is before[name] for name in before)
    clone(rule)


@pytest.mark.parametrize("rule", [rule for rule, sums in RULES if sums], ids=named)
def test_seeds_make_simulations_that_can_be_repeated(rule):
    one, same, other, fresh, again = (
        pickle.dumps(learn(clone(rule).set_params(rng=rng))) for rng in (SEED, SEED, 1, None, None))
    assert one == same and one != other and fresh != again


def test_learning_from_sums_forgets_the_seed_too():
    aggregate = CubeLaplace(1.0, 0.1).simulate_aggregate(X, Y, rng=1)
    assert CubeClassifier(1.0, 0.1, rng=SEED).fit_aggregate(aggregate).rng is None
    density = LinearWaveletDensity(level=2)
    sums = density.mechanism(N).simulate_aggregate(X, rng=1)
    assert density.set_params(rng=SEED).fit_aggregate(sums).rng is None


@pytest.mark.parametrize("rule", [NoisyMajorityClassifier(), StableHistogramDensity(delta=0.1),
                                  VoronoiClassifier(**SPACES), StableVoronoiClassifier(delta=0.1, **SPACES),
                                  PrivateSemiSupervised(delta=0.1)], ids=named)
def test_a_curator_draws_from_the_operating_system(rule, monkeypatch):
    monkeypatch.setattr("os.urandom", lambda length: b"\x01" * length)
    first, second = (pickle.dumps(learn(clone(rule))) for _ in range(2))
    # A synthetic sample of what is released anyway is numpy's.
    assert first == second or isinstance(rule, PrivateSemiSupervised)

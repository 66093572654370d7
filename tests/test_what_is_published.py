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
from sklearn.base import clone, is_classifier

from ldp_lib import estimation
from ldp_lib.estimation import (
    AdaptiveClassifier, AdaptiveDensity, AdditiveClassifier, CellClassifier, CubeClassifier, DomainWarning,
    FewPeopleWarning, HistogramClassifier, LinearWaveletDensity, NoisyMajorityClassifier, OneBitClassifier,
    PrivateSemiSupervised, PublicBox, StableHistogramDensity, StableVoronoiClassifier,
    ThresholdWaveletDensity, VoronoiClassifier, WaveletClassifier,
)
from ldp_lib.estimation.base import CuratorEstimator, Estimator
from ldp_lib.nature import Interval, Line
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.central import central_noise
from ldp_lib.privacy.registry import REGISTRY

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
    # Subsets of one cell. With alpha = 6 only 7 of 400 reports lie, and their errors cancel once in 150 fits;
    # here 100 do, and cancel with probability below 10^-6.
    (AdaptiveClassifier(3.0, levels=3), asked), (AdaptiveDensity(3.0, levels=3), waves),
    (AdaptiveDensity(levels=3), lambda rule: [rule.mechanism(N).count(X, np.ones(N)).totals]),
    (AdditiveClassifier(levels=3), lambda rule: [rule.build_mechanism(N, 1).count(X, Y).totals]),
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
ELSEWHERE = {"UniformityTest": "its people are faces of a die: `test_uniformity.py`"}


def named(rule):
    return f"{rule!r:.50}"


def fresh(rule):
    """A rule like it, for people whom nobody asked."""
    return type(rule)(**rule.get_params())


def learn(rule):
    """The rule, fitted to all people."""
    return rule.fit(X, UNLABELLED if isinstance(rule, PrivateSemiSupervised) else Y)


def test_every_estimator_is_searched():
    exported = {name for name in estimation.__all__ if inspect.isclass(thing := getattr(estimation, name))
                and issubclass(thing, Estimator)}
    assert exported - set(ELSEWHERE) == {type(rule).__name__ for rule, _ in RULES}
    assert {type(rule).__name__ for rule, sums in RULES if sums is None} == set(WITHOUT_NOISE)


def joblib_dump(rule):
    file = io.BytesIO()
    joblib.dump(rule, file)
    return file.getvalue()


def published(rule):
    """Everything that may leave the room, as (name, object, its bytes)."""
    found = {"vars": vars(rule), "copy": copy.copy(rule), "deepcopy": copy.deepcopy(rule),
             "parameters": rule.get_params() if isinstance(rule, Estimator) else {}}
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
    rng, rule = SOURCES[source](), fresh(rule)
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
    rule = fresh(rule)
    if "rng" in rule.get_params():
        rule.set_params(rng=SEED)
        assert clone(rule).rng == pickle.loads(pickle.dumps(rule)).rng == copy.copy(rule).rng == SEED
    before = rule.get_params() | ({"rng": None} if "rng" in rule.get_params() else {})
    after = learn(rule).get_params()
    assert after.keys() == before.keys() and all(after[name] is before[name] for name in before)
    clone(rule)


@pytest.mark.parametrize("rule", [rule for rule, sums in RULES if sums], ids=named)
def test_seeds_make_simulations_that_can_be_repeated(rule):
    one, same, other, unseeded, again = (
        pickle.dumps(learn(fresh(rule).set_params(rng=rng))) for rng in (SEED, SEED, 1, None, None))
    assert one == same and one != other and unseeded != again


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
    first, second = (pickle.dumps(learn(fresh(rule))) for _ in range(2))
    # A synthetic sample of what is released anyway is numpy's.
    assert first == second or isinstance(rule, PrivateSemiSupervised)


@pytest.mark.parametrize("mechanism", [line.build(1.0, 0.2) for line in REGISTRY], ids=str)
def test_people_draw_from_the_operating_system(mechanism, monkeypatch):
    people = (X, Y) if mechanism.labelled else (X[:, 0],)
    drawn, system = [], os.urandom
    monkeypatch.setattr("os.urandom", lambda length: drawn.append(length) or system(length))
    assert mechanism.privatize(*people, rng=None).shape == (N, mechanism.K) and drawn


def test_real_noise_is_seeded_afresh_and_says_that_it_is_not_secure():
    one, other = (NoisyMajorityClassifier(noise="real").fit(X, Y).scores_ for _ in range(2))
    assert (one != other).all()
    with pytest.raises(ValueError, match="does not repair"):
        NoisyMajorityClassifier(noise="real", rng="secure").fit(X, Y)


PRIVATE = [rule for rule, sums in RULES if sums and is_classifier(rule)]
RELEASED = {"cells_", "counts_", "ones_", "heights_"}
"""Their lengths are part of what a stability histogram releases."""


def appearance(rule):
    """Names, kinds and shapes of all attributes, lengths that are released aside, and the labels."""
    looks = {}
    for name, value in vars(rule).items():
        if isinstance(value, np.ndarray):
            looks[name] = value.dtype, value.shape[name in RELEASED:]
        elif not isinstance(value, (Estimator, float)):
            looks[name] = type(value) if isinstance(value, tuple) else re.sub(" at 0x.*", "", repr(value))
    return looks, rule.classes_.tolist()


def fitted(rule, X, y):
    """The rule with the system's noise; warnings are errors, but what the holder of all data is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if not isinstance(rule, CuratorEstimator):
            warnings.simplefilter("ignore", DomainWarning)
            warnings.simplefilter("ignore", FewPeopleWarning)
        return fresh(rule).fit(X, y)


places = st.floats(-0.5, 1.5, width=32)


@st.composite
def neighbours(draw, labels=(0, 1)):
    """(X, y) of 2 to 12 people, and the same with another first person; labels may be absent from either."""
    n = draw(st.integers(2, 12))
    record = st.tuples(places, st.sampled_from(labels))
    people = draw(st.lists(record, min_size=n, max_size=n))
    return [(np.array([[x] for x, _ in crowd]), np.array([y for _, y in crowd], dtype=object))
            for crowd in (people, [draw(record), *people[1:]])]


def only(labels):
    """Two people with both labels, and two with the second only."""
    zero, one = labels
    return [(np.array([[0.1], [0.9]]), np.array(y, dtype=object)) for y in ([zero, one], [one, one])]


def differ(rule, pair, classes):
    """Whether two samples with labels among `classes` show in anything but what is released."""
    looks, rule = [], fresh(rule).set_params(classes=classes)
    for X, y in pair:
        if isinstance(rule, PrivateSemiSupervised):
            # Who has a label is public. Many have none, so that the density is never empty.
            crowd = np.linspace(0, 1, 3000)[:, None]
            X, y = np.vstack([crowd, X]), np.concatenate([np.full(3000, -1), y])
        elif isinstance(getattr(rule, "space", None), Interval):
            X = np.clip(X, 0, 1)
        try:
            looks.append(appearance(fitted(rule, X, y)))
        except Exception as error:
            looks.append(repr(error))
    return looks[0] != looks[1] or isinstance(looks[0], str)


LINE = dict(space=Line(), radius=0.05)
NAMES = [(0, 1), (1, 2), ("a", "b")]


@pytest.mark.parametrize("rule", [*PRIVATE, StableVoronoiClassifier(**LINE)], ids=named)
@settings(max_examples=25)
@given(data=st.data(), labels=st.sampled_from(NAMES))
def test_labels_of_neighbours_do_not_show(rule, data, labels):
    assert not differ(rule, data.draw(neighbours(labels)), labels) and not differ(rule, only(labels), labels)


@settings(max_examples=25)
@given(pair=neighbours())
def test_densities_of_neighbours_look_the_same(pair):
    first, second = (StableHistogramDensity().fit(X) for X, _ in pair)
    assert [a.shape[1:] for a in (first.cells_, first.heights_)] == [
        a.shape[1:] for a in (second.cells_, second.heights_)] and vars(first).keys() == vars(second).keys()


class ReadsItsLabels(NoisyMajorityClassifier):
    """Takes its classes from y, as scikit-learn's classifiers do."""

    def _validated(self, X, y):
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only")
        return X, (y == self.classes_[1]).astype(int)


class CountsItsLabels(NoisyMajorityClassifier):
    """Remembers how many labels there were."""

    def fit(self, X, y):
        self.weights_ = np.ones(len(np.unique(y)))
        return super().fit(X, y)


@pytest.mark.parametrize("mutant", [ReadsItsLabels, CountsItsLabels])
def test_mutants_show_labels(mutant):
    for labels in NAMES:
        assert differ(mutant(), only(labels), labels)


@pytest.mark.parametrize("rule", [*PRIVATE, HistogramClassifier()], ids=named)
@pytest.mark.parametrize("classes", [(0, 0), (0,), (0, 1, 2), (0, "1"), "ab", None, 3, (np.nan, 1), {0: 1},
                                     ([0], [1]), (0, None), (b"a", b"b")], ids=str)
def test_classes_are_two_labels(rule, classes):
    with pytest.raises(ValueError, match="classes = .* must be two different labels"):
        learn(fresh(rule).set_params(classes=classes))


def test_no_label_is_no_class():
    with pytest.raises(ValueError, match="-1, which marks people without a label"):
        PrivateSemiSupervised(classes=(-1, 1)).fit(X, UNLABELLED)
    named = PrivateSemiSupervised(epsilon=10.0, delta=0.1, classes=("low", "high"))
    crowd = np.linspace(0, 1, 3000)[:, None]
    y = np.array([-1] * 2500 + ["high"] * 500, dtype=object)
    assert set(named.fit(crowd, y).predict(crowd)) <= {"low", "high"}


SECRET = 0.7234567890123456
TEXT = "Jane Roe"


def malformed():
    """Pairs (X, y), each with a mistake and a secret in or beside it."""
    good, labels = np.full((6, 1), SECRET), np.array([0, 1] * 3)
    odd = good.astype(object)
    for entry in (TEXT, None, {TEXT: SECRET}, [SECRET], complex(SECRET), object()):
        odd[2, 0] = entry
        yield odd.copy(), labels
    for X in (good[:, 0], good[None], good[0, 0], SECRET, TEXT, [TEXT] * 6, np.full((6, 1), TEXT), good + 1j,
              [[SECRET], [SECRET, SECRET]], np.where(np.arange(6)[:, None] == 2, np.nan, good),
              np.where(np.arange(6)[:, None] == 2, np.inf, good), good[:1], good[:0], good[:5]):
        yield X, labels
    for entry in (SECRET, TEXT, complex(SECRET), None, [SECRET], np.nan):
        y = labels.astype(object)
        y[2] = entry
        yield good, y
    for y in (labels + SECRET, np.full(6, TEXT), labels + SECRET * 1j, SECRET, TEXT, np.full((6, 2), SECRET),
              [[SECRET], [SECRET, SECRET]], np.where(labels, SECRET, np.nan), None):
        yield good, y


def prints_secrets(error):
    """Whether the error, or one that a traceback shows with it, has a secret in its words."""
    earlier = [prints_secrets(cause) for cause in (error.__cause__, error.__context__) if cause]
    return "7234" in str(error) or TEXT in str(error) or any(earlier)


@pytest.mark.parametrize("rule", [*(rule for rule, _ in RULES), PublicBox([None], [None], {0: (0, 1)}),
                                  StableVoronoiClassifier(**LINE)], ids=named)
def test_errors_print_no_record(rule):
    refused = 0
    for X, y in malformed():
        try:
            rule.fit(X).transform(X) if isinstance(rule, PublicBox) else fresh(rule).fit(X, y)
        except (TypeError, ValueError) as error:
            refused += 1
            assert not prints_secrets(error), (X, y)
    assert refused >= 10

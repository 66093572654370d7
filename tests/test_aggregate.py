"""Aggregates of all kinds add up and survive the disk; damaged and foreign files are refused in words."""

import copy
import itertools
import json
import os
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_lib.nature import problem
from ldp_lib.privacy import (
    Aggregate, CellAggregate, CellLaplace, CubeLaplace, DyadicBit, HadamardBit, SignedSubset,
    WaveletAggregate, WaveletLaplace,
)
from ldp_lib.privacy import aggregate as module

KINDS = (Aggregate, CellAggregate, WaveletAggregate)
X, Y = problem("sine").sample(50, rng=0)
SUMS = [
    *(mechanism.simulate_aggregate(X, Y, rng=1) for mechanism in (
        CubeLaplace(0.3, 0.2), CellLaplace(1.0, 0.2), HadamardBit(1.0, 0.2), SignedSubset(3.0, 0.2),
        DyadicBit(1.0, 2))),
    WaveletLaplace(0.3, "db2", 2).simulate_aggregate(X, rng=1),
]
"""One of every mechanism that has sums."""
ONE_A_KIND = [SUMS[0], SUMS[1], SUMS[-1]]
EVERY_KIND = pytest.mark.parametrize("aggregate", ONE_A_KIND, ids=lambda sums: type(sums).__name__)


def sums_of(kind, numbers, size=None):
    """A strategy for aggregates of a kind, with totals from `numbers`."""
    counts = st.integers(0, 10**20)
    size = st.integers(1, 5) if size is None else st.just(size)

    def build(K):
        rows, people = (2, st.tuples(counts, counts)) if kind is Aggregate else (1, counts)
        totals = st.lists(numbers, min_size=rows * K, max_size=rows * K)
        shape = (rows, K) if kind is Aggregate else (K,)
        return st.builds(kind, people, totals.map(lambda values: np.reshape(np.array(values, float), shape)),
                         st.text(max_size=9) if size is None else st.just("M"))
    return size.flatmap(build)


def same(found, expected):
    return (type(found) is type(expected) and found.people == expected.people
            and found.mechanism == expected.mechanism and found.totals.shape == expected.totals.shape
            and found.totals.tobytes() == expected.totals.tobytes())


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_bit_survives_the_disk(kind, tmp_path, data):
    sums = data.draw(sums_of(kind, st.floats(allow_nan=False, allow_infinity=False)))
    path = tmp_path / "aggregate.json"
    sums.save(path)
    assert same(kind.load(str(path)), sums)
    assert [entry.name for entry in tmp_path.iterdir()] == ["aggregate.json"]


@pytest.mark.parametrize("aggregate", SUMS, ids=lambda sums: sums.mechanism)
def test_aggregates_of_every_mechanism_travel(aggregate, tmp_path):
    aggregate.save(tmp_path / "aggregate.json")
    assert same(type(aggregate).load(tmp_path / "aggregate.json"), aggregate)
    for copied in (pickle.loads(pickle.dumps(aggregate)), copy.deepcopy(aggregate)):
        assert same(copied, aggregate)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, derandomize=True)
@given(data=st.data())
def test_parts_merge_to_the_aggregate_of_all_in_any_order(kind, data):
    """Sums of lattice reports and of whole numbers are whole numbers of steps: no sum is rounded."""
    steps = st.integers(-2**40, 2**40).map(lambda number: number * 2.0**-10)
    parts = data.draw(st.lists(sums_of(kind, steps, size=3), min_size=1, max_size=4))
    expected = kind(tuple(np.sum(np.array([part.people for part in parts], object), axis=0))
                    if kind is Aggregate else sum(part.people for part in parts),
                    np.sum([part.totals for part in parts], axis=0), "M")
    for order in itertools.islice(itertools.permutations(parts), 6):
        before = [part.totals.tobytes() for part in order]
        merged = order[0].merge(*order[1:])
        assert [part.totals.tobytes() for part in order] == before
        one_by_one = order[0]
        for part in order[1:]:
            one_by_one = one_by_one + part
        for found in (merged, one_by_one):
            assert type(found) is kind and found.people == expected.people
            assert (found.totals == expected.totals).all()


@EVERY_KIND
def test_what_does_not_fit_is_not_merged(aggregate):
    kind = type(aggregate)
    short = aggregate._replace(totals=aggregate.totals[..., :2])
    with pytest.raises(ValueError, match="totals of shapes"):
        aggregate + short
    with pytest.raises(ValueError, match="different mechanisms.* and not recorded; merge those of one"):
        aggregate + aggregate._replace(mechanism="")
    with pytest.raises(ValueError, match="NaN or an infinity"):
        aggregate + aggregate._replace(totals=aggregate.totals * np.nan)
    huge = aggregate._replace(totals=np.full(aggregate.totals.shape, 1e308))
    with pytest.raises(ValueError, match="NaN or an infinity"):
        huge + huge
    for other in (1, (), *(sums for sums in ONE_A_KIND if sums is not aggregate)):
        words = f"of the kind {type(other).__name__}; it must be of the kind {kind.__name__}"
        with pytest.raises(TypeError, match=words):
            aggregate.merge(other)


@pytest.mark.parametrize("one, other", [
    (CubeLaplace(0.3, 0.2), CubeLaplace(0.3 + 2.0**-54, 0.2)),
    (CubeLaplace(0.3, 0.2), CubeLaplace(0.3, 0.2, noise="real")),
    (CubeLaplace(0.3, 0.2), CubeLaplace(0.3, 0.21)), (CubeLaplace(0.3, 0.2), CubeLaplace(3.0, 0.2)),
    (CellLaplace(1.0, 0.2), CellLaplace(1.0, 0.21)), (CellLaplace(1.0, 0.2), HadamardBit(1.0, 0.2)),
    (SignedSubset(1.0, 0.2, size=2), SignedSubset(1.0, 0.2, size=3)),
    (WaveletLaplace(1.0, "haar", 2), WaveletLaplace(1.0, "haar", 2, noise="real")),
    (WaveletLaplace(1.0, "haar", 2, "by_level"), WaveletLaplace(1.0, "haar", 2, "by_level", nu=2.0)),
    (WaveletLaplace(1.0, "haar", 2), WaveletLaplace(1.0, "haar", 2, domain=(1, 2))),
], ids=repr)
def test_reports_of_another_mechanism_are_no_part_although_k_is_the_same(one, other):
    people = (X[:, 0],) if isinstance(one, WaveletLaplace) else (X, Y)
    aggregate, foreign = (mechanism.simulate_aggregate(*people, rng=1) for mechanism in (one, other))
    assert foreign.totals.shape == aggregate.totals.shape
    with pytest.raises(ValueError, match="different mechanisms.*merge those of one mechanism"):
        aggregate + foreign
    use = other.score if hasattr(other, "score") else lambda sums: other.add_noise(sums, rng=1)
    with pytest.raises(ValueError, match="aggregate comes from .* it must come from"):
        use(aggregate)


@EVERY_KIND
def test_every_truncation_is_refused(aggregate, tmp_path):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="aggregate.json is truncated or no aggregate.*Ask for the file"):
            type(aggregate).load(path)


@EVERY_KIND
def test_every_altered_digit_is_refused(aggregate, tmp_path):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    content = path.read_text()
    for place in (k for k, letter in enumerate(content) if letter in "0123456789"):
        changed = "1" if content[place] != "1" else "3"
        path.write_text(content[:place] + changed + content[place + 1:])
        with pytest.raises(ValueError, match="aggregate.json (was altered|is truncated|has version)"):
            type(aggregate).load(path)


@settings(max_examples=60, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(), st.recursive(st.none() | st.floats() | st.text(), st.lists).map(
    lambda value: json.dumps(value).encode())))
def test_no_other_file_is_an_aggregate(tmp_path, content):
    path = tmp_path / "aggregate.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="aggregate.json is (truncated or )?no aggregate"):
        Aggregate.load(path)


@EVERY_KIND
@pytest.mark.parametrize("change, words", [
    (dict(version=3), "version 3; this library reads versions 1 to 2"), (dict(version=1), "altered"),
    (dict(format="x"), "no aggregate"), (dict(kind="Other"), "altered"), (dict(people=[1, -1]), "altered"),
    (dict(totals=None), "altered"), (dict(mechanism=""), "altered"), (dict(sha256=None), "altered"),
])
def test_foreign_files_are_refused(aggregate, tmp_path, change, words):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match=words):
        type(aggregate).load(path)
    for content in (b"[1]", b"\xff\xfe", b"", b"[" * 10**5):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="aggregate.json is .*aggregate"):
            type(aggregate).load(path)


@pytest.mark.parametrize("written, read", list(itertools.permutations(ONE_A_KIND, 2)),
                         ids=lambda sums: type(sums).__name__)
def test_a_file_of_another_kind_is_refused_by_both_names(written, read, tmp_path):
    written.save(tmp_path / "x.json")
    kind, other = type(written).__name__, type(read).__name__
    with pytest.raises(ValueError, match=f"x.json holds the kind {kind}, not {other}. Load it with {kind}."):
        type(read).load(tmp_path / "x.json")


VERSION_1 = """{"format": "ldp_lib aggregate", "version": 1, "people": [2, 1], "totals": \
[[0.1, -0.0, 5e-324], [1e+308, 0.3333333333333333, 0.0]], \
"mechanism": "CubeLaplace(alpha=0.3, h=0.5, d=1, noise='lattice')", \
"sha256": "ea967a84f23075e1f6cc280b56060e9922df5e83c7df66998a94dddf9829864b"}"""


def test_files_of_version_1_are_read_as_what_they_all_were(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(VERSION_1)
    totals = np.array([[0.1, -0.0, 5e-324], [1e308, 1 / 3, 0.0]])
    assert same(Aggregate.load(path), Aggregate((2, 1), totals, repr(CubeLaplace(0.3, 0.5))))
    with pytest.raises(ValueError, match="holds the kind Aggregate, not CellAggregate"):
        CellAggregate.load(path)
    path.write_text(VERSION_1.replace("0.1", "0.2"))
    with pytest.raises(ValueError, match="altered"):
        Aggregate.load(path)


@pytest.mark.parametrize("kind, people, totals, words", [
    (Aggregate, (1, 1), np.full((2, 2), np.nan), "NaN"), (Aggregate, (1, 1), np.zeros(4), r"\(2, K\)"),
    (Aggregate, (1.5, 1), np.zeros((2, 2)), "people of the aggregate = 1.5"),
    (Aggregate, (1,), np.zeros((2, 2)), "must be two head counts"),
    (Aggregate, (1, 1), np.zeros((2, 0)), "shape"),
    (Aggregate, 2, np.zeros((2, 2)), "people of the aggregate = 2 must be two head counts"),
    *((kind, *bad) for kind in (CellAggregate, WaveletAggregate) for bad in (
        (1, np.array([np.inf]), "infinity"), (1, np.zeros((2, 2)), r"\(K\)"), (1, 0.5, r"\(K\)"),
        (1, [], r"shape \(0,\)"), (-1, np.zeros(2), "= -1"), ((1, 1), np.zeros(2), "people"),
        (1, ["a"], "must hold numbers"), (1, [1j], "must hold numbers"))),
])
def test_what_is_no_aggregate_is_neither_saved_nor_merged(kind, people, totals, words, tmp_path):
    sums = kind(people, totals)
    for act in (lambda: sums.save(tmp_path / "x.json"), sums.merge):
        with pytest.raises((TypeError, ValueError), match=words):
            act()
    assert not list(tmp_path.iterdir())


@EVERY_KIND
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(aggregate, tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    aggregate.save(path)
    before = path.read_bytes()

    def broken(descriptor):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="no space left"):
        (aggregate + aggregate).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@EVERY_KIND
def test_paths_are_checked(aggregate, tmp_path):
    kind = type(aggregate)
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        kind.load(tmp_path / "nowhere.json")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        aggregate.save(tmp_path / "nowhere" / "x.json")
    for path in (None, 3, b"x.json", ["x.json"]):
        for act in (kind.load, aggregate.save):
            with pytest.raises(TypeError, match="path = .* must be a str or a pathlib.Path"):
                act(path)
    with pytest.raises(ValueError, match="names no file"):
        aggregate.save("")


@EVERY_KIND
def test_files_too_large_for_memory_are_refused(aggregate, tmp_path, monkeypatch):
    """A sparse file takes no room on the disk; the sums are refused before they are copied."""
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(10**9)
    with pytest.raises(MemoryError, match="large.json needs .* GiB"):
        type(aggregate).load(path)
    monkeypatch.setattr(module, "SAVED_BYTES", 2**32)
    with pytest.raises(MemoryError, match="file of .* sums needs .* GiB"):
        aggregate.save(path)

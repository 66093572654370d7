"""Aggregates add up and survive the disk; damaged files are refused in words."""

import json

import numpy as np
import pytest

from ldp_lib.privacy import Aggregate, CubeLaplace


@pytest.fixture
def aggregate():
    rng = np.random.default_rng(0)
    return CubeLaplace(0.3, 0.2).simulate_aggregate(rng.random((50, 1)), rng.integers(0, 2, 50), rng=1)


def test_what_was_saved_is_loaded_bit_by_bit(aggregate, tmp_path):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    loaded = Aggregate.load(path)
    assert loaded.people == aggregate.people and (loaded.totals == aggregate.totals).all()
    assert loaded.mechanism == "CubeLaplace(alpha=0.3, h=0.2, d=1, noise='lattice')"
    assert [entry.name for entry in tmp_path.iterdir()] == ["aggregate.json"]
    odd = Aggregate((1, 0), np.array([[0.1, -0.0, 5e-324], [1e308, 1 / 3, 0.0]]))
    odd.save(str(path))
    assert Aggregate.load(str(path)).totals.tobytes() == odd.totals.tobytes()


def test_parts_merge_to_the_aggregate_of_all(aggregate):
    doubled = aggregate + aggregate
    assert doubled.people == (50, 50) and (doubled.totals == 2 * aggregate.totals).all()
    three = aggregate.merge(aggregate, doubled)
    assert three.people == (100, 100) and (three.totals == 4 * aggregate.totals).all()
    assert (aggregate.merge().totals == aggregate.totals).all()
    with pytest.raises(ValueError, match=r"shapes \(2, 6\) and \(2, 3\)"):
        aggregate + Aggregate((1, 1), np.zeros((2, 3)))
    with pytest.raises(TypeError, match="only Aggregate can be merged with Aggregate"):
        aggregate + 1


@pytest.mark.parametrize("other", [
    CubeLaplace(0.3 + 2.0**-54, 0.2), CubeLaplace(0.3, 0.2, noise="real"), CubeLaplace(0.3, 0.21),
    CubeLaplace(3.0, 0.2),
], ids=repr)
def test_reports_of_another_mechanism_are_no_part_although_k_is_the_same(aggregate, other):
    foreign = other.simulate_aggregate(np.full((4, 1), 0.5), [0, 1, 0, 1], rng=1)
    assert foreign.totals.shape == aggregate.totals.shape
    with pytest.raises(ValueError, match="different mechanisms.*merge those of one mechanism"):
        aggregate + foreign
    with pytest.raises(ValueError, match="aggregate comes from .* it must come from"):
        other.score(aggregate)
    with pytest.raises(ValueError, match="not recorded"):
        aggregate + Aggregate((1, 1), np.zeros((2, 6)))


def test_every_truncation_is_refused(aggregate, tmp_path):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="truncated or no aggregate.*Ask for the file again"):
            Aggregate.load(path)


def test_every_altered_digit_is_refused(aggregate, tmp_path):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    content = path.read_text()
    for place in (k for k, letter in enumerate(content) if letter in "0123456789"):
        changed = "7" if content[place] != "7" else "3"
        path.write_text(content[:place] + changed + content[place + 1:])
        with pytest.raises(ValueError, match="altered|truncated|version"):
            Aggregate.load(path)


@pytest.mark.parametrize("change, words", [
    (dict(version=2), "version 2; this library reads version 1"), (dict(format="x"), "no aggregate"),
    (dict(people=[1, -1]), "altered"), (dict(totals=None), "altered"), (dict(sha256=None), "altered"),
])
def test_foreign_files_are_refused(aggregate, tmp_path, change, words):
    path = tmp_path / "aggregate.json"
    aggregate.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match=words):
        Aggregate.load(path)
    for content in (b"[1]", b"\xff\xfe", b""):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="aggregate"):
            Aggregate.load(path)


@pytest.mark.parametrize("people, totals, words", [
    ((1, 1), np.full((2, 2), np.nan), "NaN"), ((1, 1), np.zeros(4), "shape"),
    ((1.5, 1), np.zeros((2, 2)), "people"),
    ((1,), np.zeros((2, 2)), "people"), ((1, 1), np.zeros((2, 0)), "shape"),
])
def test_what_is_no_aggregate_is_not_saved(people, totals, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        Aggregate(people, totals).save(tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        Aggregate.load(tmp_path / "nowhere.json")

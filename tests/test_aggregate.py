"""Aggregates of all kinds add up and survive the disk; damaged and foreign files are refused in words."""

import contextlib
import copy
import itertools
import json
import os
import pickle
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_lib.nature import problem
from ldp_lib.privacy import (
    Aggregate, CellAggregate, CellLaplace, CubeLaplace, HadamardBit, SignedSubset, WaveletAggregate,
    WaveletLaplace,
)
from ldp_lib.privacy import aggregate as module
from ldp_lib.privacy.registry import REGISTRY

KINDS = (Aggregate, CellAggregate, WaveletAggregate)
X, Y = problem("sine").sample(50, rng=0)
MECHANISMS = [line.build(0.3, 0.2) for line in REGISTRY if hasattr(line.kind, "simulate_aggregate")]
SUMS = [mechanism.simulate_aggregate(*((X, Y) if mechanism.labelled else (X,)), rng=1)
        for mechanism in [*MECHANISMS, WaveletLaplace(0.3, "db2", 2)]]
"""One of every mechanism that has sums, and some more."""
ONE_A_KIND = [next(sums for sums in SUMS if type(sums) is kind) for kind in KINDS]
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
        for found in (merged, one_by_one, sum(order)):
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


def test_errors_show_nothing_that_a_terminal_obeys(tmp_path):
    """Files of sums come from others."""
    name = "\x1b]0;title\x07" + "A" * 5000
    forged, one_bit = CellAggregate(5, np.zeros(4), name), HadamardBit(1.0, 0.25)
    honest = one_bit.collect(*one_bit.send([[0.3]], [1], rng=1))
    for refuse in (lambda: forged + honest, lambda: honest + forged,
                   lambda: CellAggregate.checked(forged, one_bit)):
        with pytest.raises(ValueError) as caught:
            refuse()
        assert str(caught.value).isprintable() and len(str(caught.value)) < 500


@pytest.mark.parametrize("source", ["", repr(HadamardBit(1.0, 0.25))])
@pytest.mark.parametrize("sums", [[1e300, 0, 0, 0], [0.37, 0, 0, 0], [0, 6, 0, 0], [0, 0, -6, 0]])
def test_sums_that_nobody_can_have_sent_are_refused(sums, source):
    """Five people send a sign each."""
    with pytest.raises(ValueError, match="sums that 5 reports"):
        CellAggregate.checked(CellAggregate(5, np.array(sums, float), source), HadamardBit(1.0, 0.25))
    laplace = CellLaplace(1.0, 0.25)
    off = laplace.noise.granularity / 2
    with pytest.raises(ValueError, match="sums that 5 reports"):
        CellAggregate.checked(CellAggregate(5, np.array([0, off, 0, 0])), laplace)
    CellAggregate.checked(CellAggregate(5, np.array([0, 2 * off, 0, 1e9])), laplace)


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
    monkeypatch.setattr("ldp_lib.privacy.aggregate.NUMBER_BYTES", 2**32)
    with pytest.raises(MemoryError, match="file of .* sums needs .* GiB"):
        aggregate.save(path)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@EVERY_KIND
def test_an_existing_file_keeps_its_mode(aggregate, tmp_path):
    path, new = tmp_path / "x.json", tmp_path / "new.json"
    for bits in (0o600, 0o640, 0o604, 0o444, 0o666):
        path.touch()
        path.chmod(bits)
        aggregate.save(path)
        assert mode(path) == bits and same(type(aggregate).load(path), aggregate)
    aggregate.save(new)
    new.with_name("other").touch()
    assert mode(new) == mode(new.with_name("other"))


def test_a_file_is_never_more_open_than_the_one_it_replaces(tmp_path, monkeypatch):
    """Not even under its passing name, while it is written."""
    path, seen = tmp_path / "x.json", []
    path.touch()
    path.chmod(0o600)
    monkeypatch.setattr(os, "fsync", lambda _: seen.extend(map(mode, tmp_path.iterdir())))
    before = os.umask(0)
    try:
        SUMS[0].save(path)
    finally:
        os.umask(before)
    assert seen == [0o600, 0o600]


@EVERY_KIND
def test_links_are_followed(aggregate, tmp_path):
    (tmp_path / "far").mkdir()
    path, link, hop = tmp_path / "far" / "x.json", tmp_path / "link", tmp_path / "hop"
    link.symlink_to("hop")
    hop.symlink_to(path)
    aggregate.save(link)  # there is nothing yet where it leads
    (aggregate + aggregate).save(link)
    assert link.is_symlink() and hop.is_symlink() and not path.is_symlink()
    for place in (path, link):
        assert same(type(aggregate).load(place), aggregate + aggregate)
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["far", "hop", "link", "x.json"]
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for act in (aggregate.save, type(aggregate).load):
        with pytest.raises(OSError, match="loop"):
            act(loop)


@pytest.fixture
def special_files(tmp_path):
    """Paths of a pipe, a socket, a folder, a link to a pipe, and a device if one may make one, and what they
    are."""
    pipe, link, folder = tmp_path / "pipe", tmp_path / "link", tmp_path / "folder"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    folder.mkdir()
    with contextlib.chdir(tmp_path), socket.socket(socket.AF_UNIX) as plug:
        plug.bind("socket")  # a short name: addresses are
        kinds = {pipe: "a pipe", link: "a pipe", tmp_path / "socket": "a socket", folder: "a folder"}
        # A device of our own: a test that fails must not replace /dev/zero.
        with contextlib.suppress(PermissionError):
            os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            kinds[tmp_path / "device"] = "a device"
        yield kinds


@EVERY_KIND
def test_what_is_no_file_is_neither_written_nor_read(aggregate, special_files):
    """At once: a pipe would wait for somebody at its other end."""
    before = {path: path.lstat() for path in special_files}
    for path, what in special_files.items():
        for act in (aggregate.save, type(aggregate).load):
            with pytest.raises(OSError, match=f"{path.name} is {what}, no file"):
                act(path)
    for path, was in before.items():
        assert (path.lstat().st_mode, path.lstat().st_ino) == (was.st_mode, was.st_ino)


@pytest.mark.parametrize("name", ["null", "zero", "random"])
def test_devices_are_not_read(name):
    """/dev/zero never ends."""
    with pytest.raises(OSError, match=f"{name} is a device, no file"):
        CellAggregate.load(f"/dev/{name}")


KILLED = """
import os, signal, sys
import numpy as np
from ldp_lib.privacy import CellAggregate
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
CellAggregate(1, np.ones(3)).save(sys.argv[1])
"""


def test_what_a_killed_save_left_is_cleaned_up(tmp_path):
    path = tmp_path / "x[1].json"
    path.write_text("old")
    run = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert run.returncode == -signal.SIGKILL and len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "old"
    others = [tmp_path / name for name in ("x1.json.0123456789abcdef.part", "x[1].json.part",
                                           "x[1].json.my.part", "x[1].json.0123456789abcdef.part.txt")]
    for other in others:
        other.touch()
    ONE_A_KIND[1].save(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])
    assert same(CellAggregate.load(path), ONE_A_KIND[1])


def test_who_is_still_writing_is_left_alone(tmp_path, monkeypatch):
    """Somebody saves to the same path while another save is about to end: both do, the later one stays."""
    path, fsync = tmp_path / "x.json", os.fsync

    def meanwhile(descriptor):
        monkeypatch.setattr(os, "fsync", fsync)
        ONE_A_KIND[1].save(path)
        assert len(list(tmp_path.iterdir())) == 2
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)
    SUMS[3].save(path)
    assert same(CellAggregate.load(path), SUMS[3]) and list(tmp_path.iterdir()) == [path]


def test_many_who_save_at_once_all_succeed(tmp_path):
    path = tmp_path / "x.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda sums: sums.save(path), [ONE_A_KIND[1], SUMS[3]] * 100))
    assert list(tmp_path.iterdir()) == [path]
    assert any(same(CellAggregate.load(path), sums) for sums in (ONE_A_KIND[1], SUMS[3]))


BOMBS = {
    "nested": "[" * 10**6,
    "nested lists": "[" * 50 + "]" * 50,
    "nested objects": '{"a":' * 10**5,
    "empty lists": "[" + "[]," * 10**6 + "[]]",
    "empty objects": "[" + "{}," * 10**6 + "{}]",
    "words": "[" + '"ab",' * 10**6 + '"ab"]',
    "names": "{" + ",".join(f'"{number}":0' for number in range(10**5)) + "}",
    "hidden in a word": r'{"format": "\\", "x": ' + "[" * 10**6,
    "no ASCII": '{"format": "é"}',
    "UTF-16": '{"format": "ldp_lib aggregate"}'.encode("utf-16"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_is_measured_before_it_is_parsed(name, tmp_path, monkeypatch):
    """The parser makes twenty bytes and more of a byte, and falls over deep nesting: it sees no such file."""
    monkeypatch.setattr(module.json, "loads", lambda *_: pytest.fail("it was parsed"))
    content, path = BOMBS[name], tmp_path / "bomb.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match="bomb.json is truncated or no aggregate"):
        Aggregate.load(path)


def test_too_many_numbers_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    path = tmp_path / "numbers.json"
    path.write_text('{"totals": [' + "1," * 10**5 + "1]}")
    monkeypatch.setattr(module.json, "loads", lambda *_: pytest.fail("it was parsed"))
    monkeypatch.setattr("ldp_lib.privacy.aggregate.NUMBER_BYTES", 2**20)
    with pytest.raises(MemoryError, match="100,001 numbers of .*numbers.json needs .* GiB"):
        Aggregate.load(path)


def test_words_of_a_file_may_hold_any_sign(tmp_path):
    for word in ('"', "\\", '\\"', "[[[[[[{{{{", '"],[', "\\\\" * 9 + '"[', "é∀😀\x00\ud800", "," * 9):
        sums = ONE_A_KIND[1]._replace(mechanism=word)
        sums.save(tmp_path / "x.json")
        assert same(CellAggregate.load(tmp_path / "x.json"), sums)

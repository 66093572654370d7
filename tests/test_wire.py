"""Messages: every report comes back bit by bit, all are equally long, what nobody sends is refused."""

import hashlib
import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_lib.privacy import (
    CellLaplace, CellMechanism, CubeLaplace, DyadicBit, HadamardBit, Mechanism, SignedSubset,
    SubsetSelection, WaveletLaplace, message_bytes, pack, sum_messages, unpack, wire,
)
from ldp_lib.privacy.central import NoisyVotes
from ldp_lib.privacy.registry import REGISTRY

X, Y = np.random.default_rng(3).random((40, 1)), np.tile([0, 1, 1, 0], 10)
LOCAL = [line for line in REGISTRY if line.kind is not NoisyVotes]
REGISTERED = [line.build(alpha, h) for line in LOCAL for alpha in (0.1, 1.0, 5.0) for h in (0.3, 0.03)]
MORE = [SignedSubset(1.0, 0.05), SignedSubset(0.3, 0.3), SignedSubset(6.0, 0.2, size=2),
        SignedSubset(1.0, 2.0), HadamardBit(1.0, 1.0), DyadicBit(1.0, 2, 2), CellLaplace(100.0, 0.3),
        CubeLaplace(1.0, 0.4, 2),
        WaveletLaplace(1.0, "db2", 3, "by_level"), WaveletLaplace(1.0, "db3", 2, calibration="exact"),
        WaveletLaplace(5.0, "haar", 3, domain=(-1.0, 2.0))]
EVERY = pytest.mark.parametrize("mechanism", REGISTERED + MORE, ids=repr)


def answered(mechanism, X, y, rng=1):
    """What these people send or publish."""
    X = np.repeat(X, mechanism.d, axis=1)
    give = mechanism.send if hasattr(mechanism, "send") else mechanism.privatize
    return give(*((X, y) if mechanism.labelled else (X,)), rng=rng)


def packed(mechanism, reports):
    """Messages of people in their halves, in the order in which `aggregate` takes reports."""
    if not mechanism.halves:
        return pack(mechanism, reports)
    first, second = np.split(reports, 2)
    return pack(mechanism, first, half=1) + pack(mechanism, second, half=2)


def collected(mechanism, sent):
    """Their aggregate: numbers and signs, or numbers alone where there are no labels."""
    return mechanism.collect(*sent) if mechanism.labelled else mechanism.collect(sent)


def same(found, expected):
    """Equal in every bit, but that a zero has no sign."""
    return np.array_equal(found, expected) and not np.signbit(np.asarray(found)[np.asarray(found) == 0]).any()


def test_every_local_mechanism_is_tried():
    assert {type(mechanism) for mechanism in REGISTERED} == {line.kind for line in REGISTRY} - {NoisyVotes}


@EVERY
def test_reports_come_back_bit_by_bit(mechanism):
    reports = answered(mechanism, X, Y)
    messages = packed(mechanism, reports)
    assert {type(message) for message in messages} == {bytes} and len(messages) == len(Y)
    if mechanism.halves:
        found = np.vstack([unpack(mechanism, part, half=half)
                           for half, part in ((1, messages[:20]), (2, messages[20:]))])
    else:
        found = unpack(mechanism, messages)
    sent = isinstance(reports, tuple)
    assert all(map(same, found, reports)) if sent else same(found, reports)
    expected = collected(mechanism, reports) if hasattr(mechanism, "send") else mechanism.aggregate(reports)
    total = sum_messages(mechanism, iter(messages))
    assert type(total) is type(expected) and total.people == expected.people
    assert total.mechanism == expected.mechanism and total.totals.tobytes() == expected.totals.tobytes()


@EVERY
def test_the_length_is_that_of_the_mechanism_whoever_reports(mechanism):
    for place, label, seed in ((0.0, 0, 1), (0.99, 1, 2), (5.0, 1, 3)):
        reports = answered(mechanism, np.full((20, 1), place), np.full(20, label), rng=seed)
        assert {len(message) for message in packed(mechanism, reports)} == {message_bytes(mechanism)}


@EVERY
def test_one_report_has_one_message(mechanism):
    """Whatever byte of the body is changed: refused, or the message of the report that it now is."""
    half = mechanism.halves[0] if mechanism.halves else None
    kept = 0
    for message in packed(mechanism, answered(mechanism, X, Y))[:10]:  # one alone may have no neighbour
        for place, flip in itertools.product(range(wire.HEAD_BYTES, len(message)), (1, 128, 255)):
            forged = message[:place] + bytes([message[place] ^ flip]) + message[place + 1:]
            try:
                reports = unpack(mechanism, [forged], half=half)
            except ValueError as refused:
                assert "messages[0] holds nothing that" in str(refused)
            else:
                kept += 1
                assert pack(mechanism, reports, half=half) == [forged]
    assert kept or mechanism.K == 1 or isinstance(mechanism, SignedSubset | SubsetSelection)


def test_the_head_is_as_documented():
    (message,) = pack(CellLaplace(1.0, 0.5), answered(CellLaplace(1.0, 0.5), X[:1], Y[:1]))
    assert message[0] == 1
    assert message[1:9] == hashlib.sha256(b"CellLaplace(alpha=1.0, h=0.5, d=1, noise='lattice')").digest()[:8]
    cube = CubeLaplace(1.0, 0.5)
    (message,) = pack(cube, answered(cube, X[:1], Y[:1]), half=2)
    assert message[1:9] == hashlib.sha256(f"{cube!r}\nhalf 2".encode()).digest()[:8]


def test_bodies_are_as_documented():
    """Row 5 and +; cells 1 and 6 of 8 in 3 bits, - and +; the map of 3 cells; two entries in steps."""

    def body(mechanism, reports):
        return f"{int.from_bytes(pack(mechanism, reports)[0][9:]):b}"

    assert body(HadamardBit(1.0, 1 / 8), ([5], [1])) == "10110000"
    assert body(SignedSubset(5.0, 1 / 8, size=2), ([[1, 6]], [[-1, 1]])) == f"{0b0010_1101:b}"
    assert body(SignedSubset(1.0, 1 / 3, size=2), ([[0, 2]], [[-1, 1]])) == "10101000"
    # Without labels: cells 1 and 6 of 8, and the map of 3 cells.
    assert body(SubsetSelection(2.0, 1 / 8, size=2), [[1, 6]]) == f"{0b00111000:b}"
    assert body(SubsetSelection(1.0, 1 / 3, size=2), [[0, 2]]) == "10100000"
    laplace = CellLaplace(1.0, 0.5)
    width = (message_bytes(laplace) - 9) * 8 // 2
    assert width >= 17
    step = laplace.granularity
    wide = wire._body(laplace).width
    bits = f"{2**(wide - 1) + 3:0{wide}b}{2**(wide - 1) - 2:0{wide}b}"
    assert body(laplace, [[3 * step, -2 * step]]) == bits + "0" * (-len(bits) % 8)


@pytest.mark.parametrize("mechanism", [mechanism for mechanism in REGISTERED + MORE
                                       if mechanism.noise_laws], ids=repr)
def test_reports_beyond_the_width_have_odds_below_2_to_the_minus_64(mechanism):
    """By the exact tails of the noise and the largest signal; what is beyond is cut."""
    body = wire._body(mechanism)
    largest = (2 ** (body.width - 1) - 1) * body.steps
    places = np.linspace(*getattr(mechanism, "domain", (0, 1)), 4001)[:, None]
    odds = 0.0
    for columns, law in mechanism.noise_laws:
        signals = np.abs(mechanism.encode(*((np.repeat(places, mechanism.d, 1), np.ones(4001))
                                            if mechanism.labelled else (places,)))[:, columns]).max()
        bound = dict(zip([columns.start for columns, _ in mechanism.noise_laws], mechanism.signal_bounds))
        assert signals <= bound[columns.start] + law.granularity
        room = (largest[columns] - signals).min() + law.granularity
        odds += 2 * (columns.stop - columns.start) * law.tail(room)
    assert 0 < odds < 2.0**-wire.OVERFLOW
    # One bit less would not do, or hardly: no room is wasted.
    assert odds > 1e-70
    half = 2 if mechanism.halves else None
    far = np.full((1, mechanism.K), 2.0**40) * body.steps
    found = unpack(mechanism, pack(mechanism, np.vstack([far, -far]), half=half), half=half)
    assert same(found, np.vstack([largest, -largest]))


def test_negative_zeros_do_not_travel():
    mechanism = CellLaplace(1.0, 0.5)
    assert pack(mechanism, np.array([[-0.0, 0.0]])) == pack(mechanism, np.array([[0.0, 0.0]]))


def test_one_person_reports_in_either_half():
    """The first half publishes B whatever the label, and a single person who says 1 publishes B."""
    cube = CubeLaplace(1000.0, 0.5)
    one = [cube.privatize([[0.3]], [1], rng=seed) for seed in range(3)]
    two = [cube.privatize([[0.3]], [0], rng=seed) for seed in range(5)]
    messages = [pack(cube, report, half=1)[0] for report in one] + [pack(cube, two[0], half=2)[0]] + [
        pack(cube, report, half=2)[0] for report in two[1:]]
    total = sum_messages(cube, messages[::-1])
    assert total.people == (3, 5)
    assert (total.totals == [np.sum(one, axis=0)[0], np.sum(two, axis=0)[0]]).all()
    assert np.abs(total.totals[0] - 3 * cube.encode([[0.3]], [1], half=1)[0]).max() < 1
    with pytest.raises(ValueError, match=r"half = None .* must be 1 or 2"):
        pack(cube, one[0])
    with pytest.raises(ValueError, match=r"messages\[3\] is of another mechanism .* or of another half"):
        unpack(cube, messages, half=1)
    with pytest.raises(ValueError, match=r"half = 1 .* must be None"):
        pack(HadamardBit(1.0, 0.5), ([0], [1]), half=1)


BIT = HadamardBit(1.0, 0.25)
GOOD = pack(BIT, BIT.send(X, Y, rng=1))
NEAR = [HadamardBit(1.0, 0.25, 2), HadamardBit(1.1, 0.25), HadamardBit(1.0, 0.26), SignedSubset(9.0, 0.25)]


@pytest.mark.parametrize("wrong, words", [
    (GOOD[0][:-1], "has 9 bytes; those to HadamardBit"), (GOOD[0] + b"\0", "has 11 bytes"),
    (b"", "has 0 bytes"), (b"\2" + GOOD[0][1:], "is not of version 1"),
    (GOOD[0][:4] + b"????" + GOOD[0][8:], "is of another mechanism"),
    (GOOD[0][:-1] + b"\x01", "holds nothing that"), ("text", "is a str; it must be bytes"),
    (None, "is a NoneType"),
    *((pack(other, other.send(np.repeat(X[:1], other.d, 1), Y[:1], rng=1))[0], "is of another mechanism")
      for other in NEAR)])
def test_what_nobody_sent_is_refused_by_its_place(wrong, words):
    for read in (unpack, sum_messages):
        with pytest.raises((TypeError, ValueError), match=rf"^messages\[40\] ({words})"):
            read(BIT, [*GOOD, wrong])


@pytest.mark.parametrize("mechanism, body", [
    (SignedSubset(5.0, 1 / 8, size=2), [0b0111_0111]), (SignedSubset(5.0, 1 / 8, size=2), [0b1101_0011]),
    (SignedSubset(9.0, 0.2), [0b1011_0000]), (SignedSubset(1.0, 1 / 3, size=2), [0b11100000]),
    (SignedSubset(1.0, 1 / 3, size=2), [0b10000000]), (CellLaplace(1.0, 0.5), [0] * 5),
    (CellLaplace(1.0, 0.5), [0, 0, 127, 255, 0])], ids=repr)
def test_bodies_that_are_no_report_are_refused(mechanism, body):
    """A cell twice, cells in descending order, a cell that is none, three cells, one; steps below all."""
    (message,) = pack(mechanism, answered(mechanism, X[:1], Y[:1]))
    forged = message[:wire.HEAD_BYTES] + bytes(body)
    assert len(forged) == len(message)
    with pytest.raises(ValueError, match=r"^messages\[0\] holds nothing that"):
        unpack(mechanism, [forged])


def test_places_are_those_in_the_stream(monkeypatch):
    """Also beyond the first block."""
    monkeypatch.setattr(wire, "BLOCK_BYTES", 64 * 7)
    assert (sum_messages(BIT, GOOD).totals == BIT.collect(*unpack(BIT, GOOD)).totals).all()
    with pytest.raises(ValueError, match=r"^messages\[40\] holds nothing"):
        sum_messages(BIT, iter([*GOOD, GOOD[0][:-1] + b"\xff", *GOOD]))


FUZZED = [BIT, DyadicBit(1.0, 3), SignedSubset(1.0, 0.2), SignedSubset(5.0, 0.02), CellLaplace(1.0, 0.5),
          WaveletLaplace(1.0, "haar", 2)]


@given(st.sampled_from(FUZZED), st.data())
def test_random_bytes_are_refused_in_sentences_or_are_a_report(mechanism, data):
    length = message_bytes(mechanism)
    head = pack(mechanism, answered(mechanism, X[:1], Y[:1]))[0][:wire.HEAD_BYTES]
    message = data.draw(st.one_of(
        st.binary(max_size=length + 9), st.binary(min_size=length, max_size=length),
        st.binary(min_size=length - len(head), max_size=length - len(head)).map(head.__add__)))
    try:
        reports = unpack(mechanism, [message])
    except ValueError as refused:
        words = str(refused)
        assert re.match(r"messages\[0\] .*\. [A-Z].*\.$", words) and len(words) < 300
        assert message.hex() not in words and repr(message)[2:-1] not in words or len(message) < 4
    else:
        assert pack(mechanism, reports) == [message]


def test_reports_that_are_none_are_not_packed():
    """Dense ones are refused by their row, pairs as `collect` refuses them."""
    for bits in ([1, 0, 1], [1, 2.5, 1], [1, np.nan, 1], [1, 1]):
        with pytest.raises(ValueError, match="every bit 1 or -1"):
            pack(BIT, ([1, 2, 3], bits))
    with pytest.raises(ValueError, match="rows"):
        pack(BIT, ([1, 2, 4], [1, 1, 1]))
    with pytest.raises(ValueError, match="in ascending order"):
        pack(SignedSubset(5.0, 1 / 8, size=2), ([[3, 3]], [[1, 1]]))
    with pytest.raises(TypeError, match="must be a pair"):
        pack(BIT, [1])
    with pytest.raises(ValueError, match="reports has an illegal entry in row 1;"):
        pack(CellLaplace(1.0, 0.5), [[0.0, 0.0], [0.5, 1e-7]])


@pytest.mark.parametrize("mechanism, error, words", [
    (NoisyVotes(1.0, 0.3), TypeError, "does not say how large its signals are"),
    (CellLaplace(1.0, 0.3, noise="real"), ValueError, 'Use noise="lattice"'),
    (CellLaplace(1e14, 0.3), ValueError, "Lower alpha"),
    (CellLaplace, TypeError, "it must be a Mechanism"), (None, TypeError, "is a NoneType")])
def test_what_has_no_messages_says_why(mechanism, error, words):
    for ask in (message_bytes, lambda given: unpack(given, GOOD), lambda given: sum_messages(given, GOOD)):
        with pytest.raises(error, match=words):
            ask(mechanism)


class Votes(CellMechanism):
    """Somebody's own: on cells, without noise and without `send`."""

    bits = 2
    scale = 1.0

    def _reports(self, cells, y, source):
        rows = np.zeros((len(y), self.K), np.int8)
        rows[np.arange(len(y)), cells] = 2 * y - 1
        return rows


def test_a_mechanism_of_ones_own_works_or_says_why_not():
    votes = Votes(1.0, 0.25)
    reports = votes.privatize(X, Y, rng=1)
    assert message_bytes(votes) == 10 and same(unpack(votes, pack(votes, reports)), reports)
    with pytest.raises(ValueError, match="multiple of the mechanism's lattice step"):
        pack(votes, reports / 2)
    with pytest.raises(ValueError, match="illegal entry in row 0; .* at most 1 of them"):
        pack(votes, 2 * reports)

    class Loud(HadamardBit):
        def collect(self, rows, bits):
            """Take anything."""

    assert pack(Loud(1.0, 0.25), ([3], [1]))
    for sent in (([4], [1]), ([-1], [1]), ([0], [2]), ([0], [0])):
        with pytest.raises(ValueError, match="numbers than 0 to 3, or other signs .* have no messages"):
            pack(Loud(1.0, 0.25), sent)

    class Odd(Mechanism):
        alpha, d, h, K = 1.0, 1, 1.0, 1

        def people(self, X, y):
            return X, y

        _signals = _reports = people

    with pytest.raises(TypeError, match="has no `send`, adds no noise and is on no cells"):
        message_bytes(Odd.__new__(Odd))


def test_numbers_beyond_the_last_cell_are_sent_by_nobody():
    """Ten cells take four bits, which hold sixteen numbers."""

    class Ten(Mechanism):
        alpha, d, h, K = 1.0, 1, 0.1, 10

        def people(self, X, y):
            return X, y

        def send(self, X, y, *, rng):
            return X, y

        def collect(self, numbers, signs):
            """Take anything."""

        _signals = _reports = people

    ten = Ten.__new__(Ten)
    (message,) = pack(ten, ([9], [1]))
    assert message[-1] == 0b10011000 and unpack(ten, [message])[0].tolist() == [9]
    with pytest.raises(ValueError, match="holds nothing that"):
        unpack(ten, [message[:-1] + bytes([0b10101000])])

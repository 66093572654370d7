"""One person's report as bytes: what travels from a telephone to an office.

A message is a head of nine bytes and a body. The head is the version of the format, 1, and eight bytes that
name the mechanism: the first of the SHA-256 of its `repr` (and of "half 1" or "half 2" on a second line,
where halves of the people publish different things). The body is whole numbers of a fixed width, one after
the other, the first bit first; zeros fill its last byte. Nothing else travels: no name, no time.

Reports of mechanisms with `send` are numbers, with a sign each if there are labels. Where that is shorter,
they are one bit a cell, which says whether the cell was sent, and the signs. Dense reports are steps of the
mechanism's lattice, plus 2^(width - 1). The page docs/site/practice.md has the bytes as a table.

All messages to a mechanism are equally long, whoever the person is and whatever was drawn. The width of steps
is chosen from public parameters, so that a report has an entry beyond it with probability below 2^-64
(`OVERFLOW`); such an entry is cut to the largest number. That is done to the report and never looks at the
record: it costs no privacy. A zero has no sign.

There is one message for one report, and `unpack` refuses what nobody can have sent. The eight bytes find
messages that went astray. They are no signature, and prove nothing about who sent a message.
"""

import hashlib
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from ldp_lib._arguments import points, wrong_kind
from ldp_lib.privacy.aggregate import ReportSums
from ldp_lib.privacy.mechanism import BLOCK_BYTES, Mechanism, halves

VERSION = 1
HEAD_BYTES = 9
OVERFLOW = 64
"""A report of noise is cut with probability below 2^-64."""
MOST_WIDTH = 53
"""Bits of a number of steps: floats hold them all."""


class _Steps:
    """Bodies of dense reports: every entry as a whole number of lattice steps, `cut` where noise is added."""

    def __init__(self, mechanism, laws, cut=True):
        self.cut, self.K, self.steps, largest = cut, mechanism.K, np.empty(mechanism.K), 1
        for columns, step, bound in laws:
            self.steps[columns] = step
            largest = max(largest, bound)
        self.width = 1 + math.ceil(largest).bit_length()
        if self.width > MOST_WIDTH:
            raise ValueError(_mute(mechanism, f"a report needs {self.width} bits an entry, and floats hold "
                                              f"{MOST_WIDTH}. Lower alpha."))
        self.bits, self.size = self.K * self.width, self.K

    def write(self, reports):
        steps = points("reports", reports, self.K, cure="Give what `privatize` returns.") / self.steps
        largest = (1 << self.width - 1) - 1
        wrong = (steps != np.rint(steps)) | (np.abs(steps) > (math.inf if self.cut else largest))
        if wrong.any():
            size = "" if self.cut else f", at most {largest} of them"
            raise ValueError(f"reports has an illegal entry in row {np.argmax(wrong.any(axis=1))}; every "
                             f"entry must be a multiple of the mechanism's lattice step{size}. Give what "
                             "`privatize` returns.")
        return _digits(np.clip(steps, -largest, largest).astype(np.int64) + largest + 1, self.width)

    def read(self, bits):
        numbers = _numbers(bits, self.width)
        return (numbers - (1 << self.width - 1)) * self.steps, (numbers > 0).all(axis=1)


class _Sent:
    """Bodies of what people `send`: so many numbers, each with a sign where there are labels."""

    def __init__(self, mechanism):
        self.K, self.size, self.collect = mechanism.K, getattr(mechanism, "size", 1), mechanism.collect
        self.flat, self.signed = not hasattr(mechanism, "size"), int(mechanism.labelled)
        # A row of a matrix of some order, or a cell.
        self.most = getattr(mechanism, "order", self.K)
        self.digits = (self.most - 1).bit_length()
        self.width = self.digits + self.signed
        self.map = self.K < self.size * self.digits
        self.bits = self.K + self.size * self.signed if self.map else self.size * self.width

    def write(self, sent):
        if self.signed and (not isinstance(sent, tuple | list) or len(sent) != 2):
            raise TypeError(f"reports is a {type(sent).__name__}; it must be a pair (numbers, signs). {SENT}")
        sent = sent if self.signed else (sent,)
        self.collect(*sent)  # refuses what the mechanism does not send
        numbers, *signs = (np.asarray(part, dtype=np.int64).reshape(-1, self.size) for part in sent)
        if ((numbers < 0) | (numbers >= self.most)).any() or any((np.abs(part) != 1).any() for part in signs):
            raise ValueError(f"reports has other numbers than 0 to {self.most - 1}, or other "
                             f"signs than 1 and -1: they have no messages. {SENT}")
        if not self.map:
            return _digits(numbers << 1 | (signs[0] > 0) if signs else numbers, self.width)
        bits = np.zeros((len(numbers), self.bits), np.uint8)
        np.put_along_axis(bits, numbers, 1, axis=1)
        if signs:
            bits[:, self.K:] = signs[0] > 0
        return bits

    def read(self, bits):
        if self.map:
            right = bits[:, :self.K].sum(axis=1, dtype=np.int64) == self.size
            numbers = np.zeros((len(bits), self.size), np.int64)
            numbers[right] = np.nonzero(bits[right, :self.K])[1].reshape(-1, self.size)
            signs = bits[:, self.K:]
        else:
            numbers = _numbers(bits, self.width)
            numbers, signs = numbers >> self.signed, numbers & 1
            right = self._legal(numbers)
        if not self.signed:
            return numbers, right
        sent = numbers, 2 * signs.astype(np.int64) - 1
        return tuple(part[:, 0] if self.flat else part for part in sent), right

    def _legal(self, numbers):
        """Which rows can have been sent."""
        if self.flat:
            return numbers[:, 0] < self.most
        return (numbers[:, -1] < self.K) & (numbers[:, 1:] > numbers[:, :-1]).all(axis=1)


SENT = "Give what `send` returns."


def _digits(numbers, width):
    """Whole numbers (n, m) from 0 to 2^width - 1 as bits, (n, m width)."""
    octets = np.ascontiguousarray(numbers[..., None], dtype=">i8").view(np.uint8)
    return np.unpackbits(octets, axis=-1)[..., 64 - width:].reshape(len(numbers), -1)


def _numbers(bits, width):
    """What `_digits` made bits of."""
    rows = bits.reshape(len(bits), -1, width)
    padded = np.zeros((*rows.shape[:2], 64), np.uint8)
    padded[..., 64 - width:] = rows
    return np.packbits(padded, axis=-1).view(">i8")[..., 0].astype(np.int64)


def _body(mechanism):
    """How the mechanism's reports become bits, or why they do not."""
    if not isinstance(mechanism, Mechanism):
        raise wrong_kind("mechanism", mechanism, "a Mechanism, for example HadamardBit(alpha=1.0, h=0.1)")
    if hasattr(mechanism, "send"):
        return _Sent(mechanism)
    if mechanism.noise_laws:
        return _Steps(mechanism, list(_lattice(mechanism)))
    if hasattr(mechanism, "unit"):
        return _Steps(mechanism, [(slice(0, mechanism.K), mechanism.unit, 1)], cut=False)
    raise TypeError(_mute(mechanism, "it has no `send`, adds no noise and is on no cells. Give it a `send` "
                                     "that returns numbers and signs."))


def _mute(mechanism, why):
    return f"mechanism = {mechanism!r:.120} has no messages: {why}"


def _lattice(mechanism):
    """Columns, lattice step and the number of steps that a report hardly ever exceeds, for each noise law."""
    bounds = mechanism.signal_bounds
    if bounds is None:
        raise TypeError(_mute(mechanism, "it does not say how large its signals are. Give it "
                                         "`signal_bounds`, one for each of its `noise_laws`."))
    for (columns, law), bound in zip(mechanism.noise_laws, bounds, strict=True):
        if not law.granularity:
            raise ValueError(_mute(mechanism, "its noise is on no lattice, and the last bits of its reports "
                                              'betray the record. Use noise="lattice".'))
        # P(|noise| > m steps) < 2 exp(-m step / scale), for K entries; and a signal is rounded to a step.
        tail = (OVERFLOW + 1) * math.log(2) + math.log(mechanism.K)
        yield columns, law.granularity, (bound + tail * law.scale) / law.granularity + 1


def _head(mechanism, half):
    name = repr(mechanism) if half is None else f"{mechanism!r}\nhalf {half}"
    return bytes([VERSION]) + hashlib.sha256(name.encode()).digest()[:HEAD_BYTES - 1]


def _checked_half(mechanism, half):
    """`half` if the mechanism has it and has messages; all people do the same where there are none."""
    _body(mechanism)
    if half is None and mechanism.halves or half not in (None, *mechanism.halves):
        legal = " or ".join(map(repr, mechanism.halves or (None,)))
        raise ValueError(f"half = {half!r:.60} does not exist or is missing; for {mechanism!r:.120} it must "
                         f"be {legal}. A message is of one half of the people.")
    # 1.0 and True are equal to 1, and have other names.
    return half if half is None else mechanism.halves[mechanism.halves.index(half)]


def message_bytes(mechanism: Mechanism) -> int:
    """Length of every message to `mechanism`, in bytes.

    Parameters
    ----------
    mechanism : Mechanism
        A local mechanism of the registry, or one of your own. With lattice noise where noise is added.

    Returns
    -------
    int
        The head of 9 bytes, and the body.

    Examples
    --------
    >>> from ldp_lib.privacy import CellLaplace, HadamardBit
    >>> message_bytes(HadamardBit(1.0, 1/64)), message_bytes(CellLaplace(1.0, 1/64))
    (10, 145)
    """
    return HEAD_BYTES + -(-_body(mechanism).bits // 8)


def pack(mechanism: Mechanism, reports: np.ndarray | tuple[np.ndarray, np.ndarray], *,
         half: int | None = None) -> list[bytes]:
    """What people send to `mechanism` as messages, one a person.

    Parameters
    ----------
    mechanism : Mechanism
        As in `message_bytes`.
    reports : pair of arrays, or array of shape (n, K)
        What `mechanism.send` returns, or `mechanism.privatize` where people do not `send`; n >= 1 people.
    half : int, optional
        1 or 2, the half of the people that they belong to, for mechanisms with `halves`; None, the default,
        for all others. A single person who runs `privatize` publishes Y B, as the second half of
        `CubeLaplace` does. She publishes B, as the first half, if she calls it with label 1.

    Returns
    -------
    list of bytes
        n messages of `message_bytes(mechanism)` bytes each.

    Examples
    --------
    >>> from ldp_lib.privacy import HadamardBit
    >>> mechanism = HadamardBit(alpha=1.0, h=0.25)
    >>> (message,) = pack(mechanism, mechanism.send([[0.3]], [1], rng=1))
    >>> message.hex()
    '014d29715f386cb566e0'
    """
    body = _body(mechanism)
    head = np.frombuffer(_head(mechanism, _checked_half(mechanism, half)), np.uint8)
    packed = np.packbits(body.write(reports), axis=1)
    rows = np.hstack([np.broadcast_to(head, (len(packed), HEAD_BYTES)), packed])
    text, length = rows.tobytes(), rows.shape[1]
    return [text[start:start + length] for start in range(0, len(text), length)]


def unpack(mechanism: Mechanism, messages: Sequence[bytes], *,
           half: int | None = None) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """What `pack` made messages of; every message is checked.

    Parameters
    ----------
    mechanism : Mechanism
        As in `message_bytes`.
    messages : sequence of bytes
        One or more, of any origin. What is of another length, version, mechanism or half, or no report of
        this mechanism, is refused by its place; errors show no byte of it.
    half : int, optional
        As in `pack`.

    Returns
    -------
    pair of arrays, or array of shape (n, K)
        What `mechanism.collect` takes as two arguments (without labels, as one), or `mechanism.aggregate`.

    Examples
    --------
    >>> from ldp_lib.privacy import HadamardBit
    >>> mechanism = HadamardBit(alpha=1.0, h=0.25)
    >>> messages = pack(mechanism, mechanism.send([[0.3], [0.8]], [1, 0], rng=1))
    >>> rows, bits = unpack(mechanism, messages)
    >>> rows.tolist(), bits.tolist()
    ([3, 2], [-1, -1])
    """
    return _read(mechanism, messages, (_checked_half(mechanism, half),))[0]


def sum_messages(mechanism: Mechanism, messages: Iterable[bytes]) -> ReportSums:
    """The aggregate of the reports in `messages`, of both halves where there are halves.

    Parameters
    ----------
    mechanism : Mechanism
        As in `message_bytes`.
    messages : iterable of bytes
        One or more, in any order; read in blocks. Checked as in `unpack`.

    Returns
    -------
    ReportSums
        As `mechanism.aggregate` or `mechanism.collect` returns; of halves, `people` are those who reported in
        either, whatever their numbers.

    Examples
    --------
    >>> from ldp_lib.privacy import CellLaplace
    >>> mechanism = CellLaplace(alpha=1.0, h=0.25)
    >>> reports = mechanism.privatize([[0.3], [0.8]], [1, 0], rng=1)
    >>> sums = sum_messages(mechanism, pack(mechanism, reports))
    >>> sums.people, (sums.totals == reports.sum(axis=0)).tolist()
    (2, [True, True, True, True])
    """
    step = max(1, BLOCK_BYTES // (64 * _body(mechanism).size))
    if isinstance(messages, bytes | str) or not isinstance(messages, Iterable):
        raise TypeError(f"messages is a {type(messages).__name__}; it must be an iterable of bytes. {PACKED}")
    stream, start = iter(messages), step
    sums = _summed(mechanism, list(itertools.islice(stream, step)), 0)
    while block := list(itertools.islice(stream, step)):
        sums, start = sums.merge(_summed(mechanism, block, start)), start + step
    return sums


PACKED = "Give a list of what `pack` returns."


def _summed(mechanism, messages, first):
    """The aggregate of the messages of a block."""
    reports, which = _read(mechanism, messages, halves(mechanism), first)
    if not mechanism.halves:
        if not hasattr(mechanism, "send"):
            return mechanism.aggregate(reports)
        return mechanism.collect(*reports) if isinstance(reports, tuple) else mechanism.collect(reports)
    rows = [reports[which == number] for number in range(len(mechanism.halves))]
    return mechanism._aggregates(tuple(map(len, rows)), np.stack([part.sum(axis=0) for part in rows]),
                                 repr(mechanism))


def _read(mechanism, messages, allowed, first=0):
    """The reports in messages of the `allowed` halves, and the number of the half of each."""
    body, length = _body(mechanism), message_bytes(mechanism)
    if isinstance(messages, bytes | str) or not isinstance(messages, Sequence):
        raise TypeError(f"messages is a {type(messages).__name__}; it must be a sequence of bytes. {PACKED}")
    if not messages:
        raise ValueError(f"messages has length 0; there must be one or more. {PACKED}")
    for place, message in enumerate(messages, first):
        if not isinstance(message, bytes):
            raise TypeError(f"messages[{place}] is a {type(message).__name__}; it must be bytes. {PACKED}")
        if len(message) != length:
            raise ValueError(f"messages[{place}] has {len(message)} bytes; those to {mechanism!r:.120} have "
                             f"{length}. Ask for it again.")
    rows = np.frombuffer(b"".join(messages), np.uint8).reshape(-1, length)
    _refuse(rows[:, 0] == VERSION, first,
            f"is not of version {VERSION}, which this library reads. Use the library that wrote it")
    which = np.full(len(rows), -1)
    for number, half in enumerate(allowed):
        head = np.frombuffer(_head(mechanism, half), np.uint8)
        which[(rows[:, :HEAD_BYTES] == head).all(axis=1)] = number
    _refuse(which >= 0, first,
            f"is of another mechanism than {mechanism!r:.120}, or of another half. Send it where it belongs")
    bits = np.unpackbits(rows[:, HEAD_BYTES:], axis=1)
    reports, legal = body.read(bits[:, :body.bits])
    _refuse(legal & ~bits[:, body.bits:].any(axis=1), first,
            f"holds nothing that {mechanism!r:.120} sends: it was damaged or forged. Leave it out")
    return reports, which


def _refuse(right, first, words):
    """Refuse the first message that is not `right`."""
    if not right.all():
        raise ValueError(f"messages[{first + np.argmin(right)}] {words}.")

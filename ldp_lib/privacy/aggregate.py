"""Sums of reports: all that an analyst keeps, on disk too.

Files are written whole or not at all, and measured before they are parsed.
"""

import contextlib
import hashlib
import json
import operator
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ldp_lib._arguments import numeric, points, require_memory, whole, wrong_kind

try:
    import fcntl
except ImportError:
    fcntl = None  # Windows: nobody looks for orphans there

FORMAT, VERSION = "ldp_lib aggregate", 2
LOADED_BYTES, NUMBER_BYTES = 10, 96
"""Peak bytes for a byte of a file that is read, and for a number that is read or written."""
MOST_BRACKETS, MOST_QUOTES = 5, 26
"""In a file of sums: those of an object, people, and totals with two rows; those of 8 names and 5 words."""
NO_FILES = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
CURE = "Ask for the file again, or save the aggregate again."


class ReportSums(NamedTuple):
    """What the kinds of aggregates share: they add up, and travel as a file of JSON.

    Parts of the same mechanism add up: the same class, alpha and all other parameters. Sums of lattice
    reports and of reports in whole numbers are exact, so that the order of the parts does not matter; those
    of real noise, and of `DyadicBit`, whose rows have weights, are rounded.

    A file holds the kind of the aggregate, its fields with every bit of every float, and a checksum. The
    checksum finds damage; it is no signature.
    """

    people: int
    totals: np.ndarray
    mechanism: str = ""

    _groups = ()
    """Shape of the groups of people whose reports are summed apart."""
    _counts = staticmethod(lambda people: whole("people of the aggregate", people, least=0))
    _joined = staticmethod(operator.add)

    def merge(self, *others: Self) -> Self:
        """The aggregate of everybody's reports, from parts that different people sent to one mechanism."""
        people, totals, mechanism = self.legal(self)
        totals = totals.copy()
        for other in map(self.legal, others):
            if other.totals.shape != totals.shape:
                raise ValueError(f"the aggregates have totals of shapes {totals.shape} and "
                                 f"{other.totals.shape}; merge those of one mechanism.")
            if other.mechanism != mechanism:
                raise ValueError(f"the aggregates come from different mechanisms, {_shown(mechanism)} and "
                                 f"{_shown(other.mechanism)}; merge those of one mechanism.")
            people = self._joined(people, other.people)
            with np.errstate(over="ignore"):
                totals += other.totals
        return self.legal(type(self)(people, totals, mechanism))

    def __add__(self, other):
        return self.merge(other)

    def __radd__(self, other):
        # `sum` begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def save(self, path: str | Path, *, origin: str = "") -> None:
        """Write the aggregate to the file `path`, a str or Path: whole or not at all.

        `origin` may name what was summed, such as a collector's journal, for whoever must find sums of the
        same people; `load` does not read it.

        Links are followed, and an existing file keeps its mode. Raises OSError if that is impossible, as for
        folders, pipes and devices, and MemoryError if the text of the sums does not fit.
        """
        path, (people, totals, mechanism) = _file_path(path), self.legal(self)
        require_memory(f"The file of {totals.size:,} sums", NUMBER_BYTES * float(totals.size),
                       "Take a coarser grid or fewer levels.")
        content = {"kind": type(self).__name__, "people": people, "totals": totals.tolist(),
                   "mechanism": mechanism}
        named = {"origin": origin} if origin else {}
        envelope = {"format": FORMAT, "version": VERSION, **named, **content, "sha256": _checksum(content)}
        _write(path, json.dumps(envelope))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote, every bit of it; a file of version 1 holds an `Aggregate`.

        Raises OSError if there is no file to read, as for folders, pipes and devices, MemoryError if it is
        too large, and ValueError if it is truncated, altered, or of another kind, format or version.
        """
        path = _file_path(path)
        try:
            found = json.loads(_read(path))
        except ValueError as error:
            raise ValueError(f"{path} is truncated or no aggregate ({error}). {CURE}") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"{path} is no aggregate: its format is not {FORMAT!r}. {CURE}")
        version = found.get("version")
        if version not in (1, VERSION):
            raise ValueError(f"{path} has version {version!r:.60}; this library reads versions 1 to "
                             f"{VERSION}. Use the library that wrote it, or save the aggregate again.")
        names = cls._fields if version == 1 else ("kind", *cls._fields)
        content = {name: found.get(name) for name in names}
        if found.get("sha256") != _checksum(content):
            raise ValueError(f"{path} was altered or damaged: its checksum does not fit. {CURE}")
        kind = content.pop("kind", Aggregate.__name__)
        if kind != cls.__name__:
            raise ValueError(f"{path} holds the kind {_shown(str(kind))}, not {cls.__name__}. Load it with "
                             f"{_shown(str(kind))}.load.")
        try:
            return cls.legal(cls(**content))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no {kind}: {error} {CURE}") from error

    @classmethod
    def legal(cls, aggregate: Self) -> Self:
        """Return `aggregate`, which must be of this kind, in its legal form, or say what is wrong with it.

        Its `people` are head counts, 0 or more, its `totals` finite, its `mechanism` is a str.
        """
        if not isinstance(aggregate, cls):
            raise TypeError(f"aggregate is of the kind {type(aggregate).__name__}; it must be of the kind "
                            f"{cls.__name__}, such as `aggregate` of a mechanism returns.")
        people, totals, mechanism = aggregate
        totals = numeric("totals of the aggregate", totals, private=True)
        if totals.shape[:-1] != cls._groups or not totals.ndim or not totals.size:
            shape = ", ".join([*map(str, cls._groups), "K"])
            raise ValueError(f"totals of the aggregate has shape {totals.shape}; in {cls.__name__} it must "
                             f"be ({shape}), with K >= 1.")
        if not np.isfinite(totals).all():
            raise ValueError("totals of the aggregate has a NaN or an infinity; sums of reports are finite.")
        if not isinstance(mechanism, str):
            raise TypeError(f"mechanism of the aggregate = {mechanism!r:.60} is a "
                            f'{type(mechanism).__name__}; it must be the repr of the mechanism, or "".')
        return cls(cls._counts(people), totals, mechanism)

    # Any: a `Mechanism`, whose module needs this one.
    @classmethod
    def checked(cls, aggregate: Self, mechanism: Any) -> Self:
        """Return `aggregate` if it is of this kind and `mechanism` may have made it, or say what it lacks.

        Somebody must have reported, in each group of people. Their sums must be possible: on the
        mechanism's lattice, and where nothing is added to signs, no larger than all of them together.
        """
        aggregate = cls.legal(aggregate)
        people, totals, source = aggregate
        if source not in ("", repr(mechanism)):
            raise ValueError(f"aggregate comes from {_shown(source)}; it must come from {mechanism!r:.120}. "
                             "Give reports of the same mechanism.")
        if totals.shape[-1] != mechanism.K or np.min(people) == 0:
            raise ValueError(f"aggregate has totals of shape {totals.shape} and people = {people}; "
                             f"{mechanism!r} has {mechanism.K} sums of one person's reports or more. Give "
                             "reports of the same mechanism.")
        for columns, step, most in _legal_sums(mechanism):
            sums = totals[..., columns]
            if (step and (sums != step * np.rint(sums / step)).any()
                    or most and np.abs(sums).max() > most * people * (1 + 1e-9)):
                raise ValueError(f"aggregate has sums that {people} reports to {mechanism!r:.120} cannot "
                                 f"have. {CURE}")
        return aggregate


class Aggregate(ReportSums):
    """The sums of reports of either half, of a `CubeLaplace`.

    `people` = (first, second) head counts; `totals` has shape (2, K): row 0 sums the unlabelled reports of
    the first half, row 1 the labelled ones of the second; `mechanism` is the `repr` of what made the reports,
    "" if nobody has said. To add up, save and load see `ReportSums`.

    >>> one = Aggregate((2, 2), np.array([[0.5, 1.0], [0.0, 2.0]]))
    >>> (one + one).totals
    array([[1., 2.],
           [0., 4.]])
    """

    __slots__ = ()
    _groups = (2,)

    @staticmethod
    def _counts(people):
        if not isinstance(people, (tuple, list)) or len(people) != 2:
            raise ValueError(f"people of the aggregate = {people!r:.60} must be two head counts, one for "
                             "each half.")
        return tuple(whole("people of the aggregate", heads, least=0) for heads in people)

    @staticmethod
    def _joined(people, others):
        return tuple(map(operator.add, people, others))


class CellAggregate(ReportSums):
    """How many `people` reported, and the sums `totals` of their signed reports, shape (K,).

    `mechanism` is the `repr` of what made the reports, "" if nobody has said. To add up, save and load see
    `ReportSums`.

    >>> parts = [CellAggregate(2, np.array([0.5, 1.0])), CellAggregate(3, np.array([1.0, -2.0]))]
    >>> sum(parts).people, sum(parts).totals.tolist()
    (5, [1.5, -1.0])
    """

    __slots__ = ()


class WaveletAggregate(ReportSums):
    """How many `people` reported, and the sums `totals` of their wavelet coefficients, shape (K,).

    `mechanism` is the `repr` of what made the reports, "" if nobody has said. To add up, save and load see
    `ReportSums`.

    >>> one = WaveletAggregate(2, np.array([2.0, 0.5]))
    >>> (one + one).people, (one + one).totals.tolist()
    (4, [4.0, 1.0])
    """

    __slots__ = ()


def _legal_sums(mechanism):
    """Columns, the step of the lattice that sums are on and the largest entry of a report, None for any."""
    if mechanism.noise_laws:
        return [(columns, law.granularity, None) for columns, law in mechanism.noise_laws]
    if not hasattr(mechanism, "unit"):
        return []
    weights = np.unique(getattr(mechanism, "row_weights", 1.0))
    return [(slice(None), mechanism.unit if weights.size == 1 else None, mechanism.unit * weights.max())]


def _shown(name):
    """A mechanism's name in an error: files come from others, and a terminal obeys some letters."""
    return "".join(letter if letter.isprintable() else "?" for letter in name[:120]) or "not recorded"


def sum_reports(reports, K, ends=(sys.maxsize,)):
    """How many rows `reports` has, an (n, K) array or an iterable of blocks of rows, and their sums.

    ends : the rows before which groups of people end, ascending. Sums have shape (len(ends), K).
    """
    people, totals = 0, np.zeros((len(ends), K))
    for block in blocks(reports):
        block = points("reports", block, K, cure=ROWS)
        for row, start, end in zip(totals, (0, *ends), ends):
            row += block[max(start - people, 0):max(end - people, 0)].sum(axis=0)
        people += len(block)
    if not people:
        raise ValueError(f"reports has no rows; it must have one or more. {ROWS}")
    return people, totals


def blocks(reports):
    """Reports as a stream of blocks of rows: an (n, K) array is one block, an iterable a stream already."""
    if hasattr(reports, "shape"):
        return [reports]
    if not isinstance(reports, Iterable):
        raise TypeError(f"reports is a {type(reports).__name__}; it must be an (n, K) array or an iterable "
                        f"of blocks of its rows. {ROWS}")
    return reports


ROWS = "Make an array of all reports, one a row, with numpy.asarray; a list counts as a stream of blocks."


def _checksum(content):
    """Of the numbers as JSON writes them: `repr`, which gives every float back."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _file_path(path):
    """The path as a `Path` with a name."""
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_kind("path", path, 'a str or a pathlib.Path, for example "aggregate.json"')
    if not Path(path).name:
        raise ValueError(f'path = {str(path)!r} names no file; give one, for example "aggregate.json".')
    return Path(path)


def _status(path):
    """The status of the regular file at `path` or where its links lead; OSError if there is none."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = NO_FILES.get(stat.S_IFMT(status.st_mode), "a device")
        raise OSError(f"{path} is {kind}, no file. Give the path of a file, for example aggregate.json.")
    return status


def _write(path, text):
    """Write `text` to the file at `path`, or where its links lead: whole or not at all.

    An existing file keeps its mode. What saves that were killed have left beside it is removed.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = stat.S_IMODE(_status(path).st_mode)
    except FileNotFoundError:
        mode = None
    _remove_orphans(target)
    scratch, file = _scratch(target, mode)
    try:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows replaces no file that is open
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)
        file.close()


def _scratch(target, mode):
    """A new file beside `target`, open and locked as long as it is open, never more readable than `mode`."""
    while True:
        # Nobody else writes to a file of this name, not even who saves to the same path.
        path = target.with_name(f"{target.name}.{secrets.token_hex(8)}.part")
        # The umask acts on new files; the mode of one that exists was chosen.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        file = open(descriptor, "w", encoding="ascii")
        locked = _lock(descriptor)
        # Who looked for orphans before it was locked may have removed it.
        if not locked or os.fstat(descriptor).st_nlink:
            if mode is not None:
                os.chmod(path, mode)
            return path, file
        file.close()


def _remove_orphans(target):
    """Remove what saves to `target` left that were killed: a lock dies with its process."""
    name = re.compile(re.escape(target.name) + r"\.[0-9a-f]{16}\.part")
    for path in (target.with_name(entry) for entry in os.listdir(target.parent) if name.fullmatch(entry)):
        # Somebody else's, or renamed by now: it is not ours to remove.
        with contextlib.suppress(OSError):
            _status(path)
            with path.open("rb") as file:
                if _lock(file.fileno(), wait=False):
                    path.unlink()


def _lock(descriptor, *, wait=True):
    """Lock an open file until it is closed; False if somebody else has, or where there are no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (AttributeError, OSError):
        return False
    return True


def _read(path):
    """The text of the file at `path`, if it may be one of sums; ValueError says why not.

    The parser makes twenty bytes and more of a byte, and falls over deep nesting: files of another make, and
    those that are too large, are refused before it sees them.
    """
    size = _status(path).st_size
    require_memory(f"The file {path}", LOADED_BYTES * float(size), CURE)
    with path.open("rb") as file:
        content = file.read(size + 1)
    text = content.decode("ascii")
    # Without the quotes and backslashes inside words every second part is outside of them.
    parts = text.replace(r"\\", "").replace(r"\"", "").split('"', MOST_QUOTES + 1)
    outside = "".join(parts[::2])
    if len(content) != size or len(parts) > MOST_QUOTES + 1 or sum(
            map(outside.count, "[{")) > MOST_BRACKETS:
        raise ValueError("more than a file of sums holds")
    numbers = outside.count(",") + 1
    require_memory(f"Reading {numbers:,} numbers of the file {path}", NUMBER_BYTES * float(numbers), CURE)
    return text

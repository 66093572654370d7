"""Sums of reports: all that an analyst keeps, on disk too."""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import numeric, whole

FORMAT, VERSION = "ldp_lib aggregate", 1


def check_same_mechanism(aggregate, others):
    """Refuse to merge `aggregate` with `others` of another kind, shape or mechanism."""
    kind = type(aggregate).__name__
    for other in others:
        if not isinstance(other, type(aggregate)):
            raise TypeError(f"{other!r:.60} is a {type(other).__name__}; only {kind} can be merged with "
                            f"{kind}. Load or build one first.")
        if np.shape(other.totals) != np.shape(aggregate.totals):
            raise ValueError(f"the aggregates have totals of shapes {np.shape(aggregate.totals)} and "
                             f"{np.shape(other.totals)}; merge those of one mechanism.")
        if other.mechanism != aggregate.mechanism:
            raise ValueError("the aggregates come from different mechanisms, "
                             f"{aggregate.mechanism or 'not recorded'} and "
                             f"{other.mechanism or 'not recorded'}; merge those of one mechanism.")


class Aggregate(NamedTuple):
    """What the analyst keeps: the sums of the reports of either half.

    `people` = (first, second) head counts; `totals` has shape (2, K): row 0 sums
    the unlabelled reports of the first half, row 1 the labelled ones of the second;
    `mechanism` is the `repr` of what made the reports, "" if nobody has said.

    Aggregates of the same mechanism add up, and travel as a file of JSON:

    >>> one = Aggregate((2, 2), np.array([[0.5, 1.0], [0.0, 2.0]]))
    >>> (one + one).totals
    array([[1., 2.],
           [0., 4.]])
    """

    people: tuple
    totals: np.ndarray
    mechanism: str = ""

    def merge(self, *others):
        """The aggregate of everybody's reports, from parts that different people sent.

        All parts must come from the same mechanism: the same class, alpha, h, d and noise. Sums of lattice
        reports are exact, so that the order of the parts does not matter.
        """
        check_same_mechanism(self, others)
        parts = (self, *others)
        people = tuple(sum(heads) for heads in zip(*(part.people for part in parts), strict=True))
        return Aggregate(people, np.sum([part.totals for part in parts], axis=0), self.mechanism)

    def __add__(self, other):
        return self.merge(other)

    def save(self, path):
        """Write the aggregate to the file `path`, whole or not at all: JSON with a version and a checksum."""
        content = _content(*_checked(*self))
        path = Path(path)
        scratch = path.with_name(path.name + ".part")
        envelope = {"format": FORMAT, "version": VERSION, **content, "sha256": _checksum(content)}
        scratch.write_text(json.dumps(envelope), encoding="utf-8")
        os.replace(scratch, path)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote, every bit of it.

        Raises FileNotFoundError without the file, and ValueError if it is truncated, altered, or of another
        format or version. The checksum finds damage; it is no signature.
        """
        cure = "Ask for the file again, or save the aggregate again."
        try:
            found = json.loads(Path(path).read_bytes())
        except ValueError as error:  # no JSON, or no text at all
            raise ValueError(f"{path} is truncated or no aggregate ({error}). {cure}") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"{path} is no aggregate: its format is not {FORMAT!r}. {cure}")
        if found.get("version") != VERSION:
            raise ValueError(f"{path} has version {found.get('version')!r}; this library reads version "
                             f"{VERSION}. Use the library that wrote it, or save the aggregate again.")
        content = {name: found.get(name) for name in cls._fields}
        if found.get("sha256") != _checksum(content):
            raise ValueError(f"{path} was altered or damaged: its checksum does not fit. {cure}")
        try:
            return cls(*_checked(**content))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no aggregate: {error} {cure}") from error


def blocks(reports):
    """Reports as a stream of blocks of rows: an (n, K) array is one block, an iterable a stream already."""
    if hasattr(reports, "shape"):
        return [reports]
    if not isinstance(reports, Iterable):
        raise TypeError(f"reports = {reports!r} is a {type(reports).__name__}; it must be an (n, K) array "
                        "or an iterable of blocks of its rows.")
    return reports


def checked(aggregate, mechanism):
    """Return `aggregate` if it has sums of reports of `mechanism` and people in both halves, or say what it
    lacks."""
    if not isinstance(aggregate, Aggregate):
        raise TypeError(f"aggregate = {aggregate!r:.60} is a {type(aggregate).__name__}; it must be an "
                        "Aggregate, such as `aggregate` or `simulate_aggregate` of a mechanism returns.")
    try:
        people, totals, source = _checked(*aggregate)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the aggregate is damaged: {error}") from error
    if totals.shape[1] != mechanism.K or min(people) == 0:
        raise ValueError(f"aggregate has totals of shape {totals.shape} and people {people}; they must be "
                         f"(2, {mechanism.K}) and one or more in each half. Give reports with the same h and "
                         "d.")
    if source not in ("", repr(mechanism)):
        raise ValueError(f"aggregate comes from {source}; it must come from {mechanism!r}. Give reports of "
                         "the same mechanism.")
    return Aggregate(people, totals, source)


def _checked(people, totals, mechanism):
    """Head counts, totals and the name of the mechanism in their legal form."""
    totals = numeric("totals", totals)
    if totals.ndim != 2 or len(totals) != 2 or not totals.size:
        raise ValueError(f"totals has shape {totals.shape}; it must be (2, K), one row for each half.")
    if not np.isfinite(totals).all():
        raise ValueError("totals has a NaN or an infinity; sums of reports are finite.")
    if not isinstance(people, (tuple, list)) or len(people) != 2:
        raise ValueError(f"people = {people!r} must be two head counts, one for each half.")
    if not isinstance(mechanism, str):
        raise TypeError(f"mechanism = {mechanism!r:.60} is a {type(mechanism).__name__}; it must be the repr "
                        "of the mechanism, or \"\".")
    return tuple(whole("people", heads, least=0) for heads in people), totals, mechanism


def _content(people, totals, mechanism):
    return {"people": list(people), "totals": totals.tolist(), "mechanism": mechanism}


def _checksum(content):
    """Of the numbers as JSON writes them: `repr`, which gives every float back."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

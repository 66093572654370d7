"""States on their way to the browser: many pictures in one message, in which what is equal stands once.

A deck is, deflated: the length of a JSON text (uint32, little-endian), the text, all float arrays, and all
uint8 arrays, one after the other. The text has

    arrays   [type "f" (float32) or "B" (uint8), its length] for each array, in their order
    forms    what a picture says of one axes; the arrays of its marks are names alone
    axes     [number of a form, numbers of arrays for its names] for each axes; these numbers as differences
             from those of the axes before it that has this form
    states   {at, columns (of numbers of `axes`), alt, readout} or {at, error, traceback}

`at` is the address on the wire: the index of each control's position. `ldp_lib/stage/browser/deck.js`
is the other half.

Neighbours in a curve differ little, and so do their bits. Of the floats, `rounded`, stand the differences
of bits from one number to the next (int32, modulo 2^32): first the lowest bytes of all, then the next
ones. What is in a deck is what every browser draws, with a kernel or without.
"""

import json
import operator
import zlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .picture import Picture

ROUNDED = 8
"""Bits of a float32, of 24, that are left out."""
ACROSS = ("x", "x0", "x1", "left", "right")
"""Names of arrays of places from left to right."""


class State(NamedTuple):
    """What a panel shows at one position: a picture, what it says, and the numbers under it."""

    picture: Picture
    alt: str
    readout: tuple


class Failure(NamedTuple):
    """What a panel says where it cannot show anything: the error in words, and where in the code."""

    error: str
    traceback: str


def rounded(axes, name, values):
    """The array called `name` of a mark in `axes`, as a browser has it: to 16 significant bits.

    That is within 1 part in 65,536: no pixel shows it, nor do four digits, which is what a pointer is told.
    Whole numbers stay as they are, and so does what would move by more than such a part of a linear axis.

    >>> from ldp_lib.stage.picture import Axes, linear
    >>> rounded(Axes("a", linear(0, 1), linear(0, 1)), "y", np.float32([215574, 0.1, np.nan])).tolist()
    [215574.0, 0.10000038146972656, nan]
    """
    if values.dtype == np.uint8:
        return values
    scale = axes.x if name in ACROSS else axes.y
    return _rounded(values.tobytes(), np.inf if scale.log else abs(scale.high - scale.low) / 65_536)


# Of the arrays of a panel's states 19 of 20 have been met a moment ago.
@lru_cache(maxsize=1024)
def _rounded(content, most):
    values, half = np.frombuffer(content, np.float32), 1 << ROUNDED - 1
    found = (values.view(np.int32) + half >> ROUNDED << ROUNDED).view(np.float32)
    with np.errstate(invalid="ignore"):  # infinite numbers move nowhere
        moved = np.abs(found - values)
    sent = np.where((values == np.rint(values)) | (moved > most), values, found)
    sent.flags.writeable = False
    return sent


def _place(shelf, key, thing):
    """The number of a thing on a shelf, a dict, on which things of the same key stand once."""
    return shelf.setdefault(key, (len(shelf), thing))[0]


def pack(states):
    """Return the deck, bytes, of `states`: a dict of addresses (tuples of int) and `State` or `Failure`."""
    arrays, forms, axes = {}, {}, {}

    def flat(part):
        places, marks = [], []
        for mark in part.marks:
            marks.append(mark._asdict() | {"arrays": list(mark.arrays)})
            for name, values in mark.arrays.items():
                sent = rounded(part, name, values)
                places.append(_place(arrays, (sent.dtype.char, sent.tobytes()), sent))
        # A Scale is a tuple, which JSON would write without the names of its fields.
        form = part._asdict() | {"marks": marks, "x": part.x._asdict(), "y": part.y._asdict()}
        found = [_place(forms, json.dumps(form, sort_keys=True), form), *places]
        return _place(axes, tuple(found), found)

    rows = []
    for at, state in states.items():
        if isinstance(state, Failure):
            rows.append({"at": at, **state._asdict()})
        else:
            rows.append({"at": at, "columns": [list(map(flat, column)) for column in state.picture.columns],
                         "alt": state.alt, "readout": state.readout})
    arrays, forms, axes = ([thing for _, thing in shelf.values()] for shelf in (arrays, forms, axes))
    before, moved = {}, []
    for form, *places in axes:
        moved.append([form, *map(operator.sub, places, before.get(form, len(places) * [0]))])
        before[form] = places
    found = {"arrays": [[values.dtype.char, values.size] for values in arrays], "forms": forms, "axes": moved,
             "states": rows}
    text = json.dumps(found, allow_nan=False, separators=(",", ":")).encode()
    floats, others = (np.concatenate([np.empty(0, kind), *(each for each in arrays if each.dtype == kind)])
                      for kind in (np.float32, np.uint8))
    planes = np.diff(floats.view("<i4"), prepend=np.int32(0)).view(np.uint8).reshape(-1, 4).T
    return zlib.compress(len(text).to_bytes(4, "little") + text + planes.tobytes() + others.tobytes(), 6)


def unpack(deck):
    """Return what is in a deck: addresses and dicts as in the module's text, arrays in their places."""
    content = zlib.decompress(deck)
    end = 4 + int.from_bytes(content[:4], "little")
    found = json.loads(content[4:end])
    count = sum(size for kind, size in found["arrays"] if kind == "f")
    planes = np.frombuffer(content, np.uint8, 4 * count, end).reshape(4, count)
    bits = np.cumsum(np.ascontiguousarray(planes.T).view("<i4"), dtype=np.int32)
    left = {"f": bits.view(np.float32), "B": np.frombuffer(content, np.uint8, offset=end + 4 * count)}
    arrays = []
    for kind, size in found["arrays"]:
        arrays.append(left[kind][:size])
        left[kind] = left[kind][size:]
    axes, before = [], {}
    for number, *moved in found["axes"]:
        places = before[number] = list(map(operator.add, moved, before.get(number, len(moved) * [0])))
        form, following = found["forms"][number], iter(places)
        marks = [mark | {"arrays": {name: arrays[next(following)] for name in mark["arrays"]}}
                 for mark in form["marks"]]
        axes.append(form | {"marks": marks})
    for state in found["states"]:
        if "columns" in state:
            state["columns"] = [[axes[place] for place in column] for column in state["columns"]]
    return {tuple(state.pop("at")): state for state in found["states"]}

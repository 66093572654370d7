"""States on their way to the browser: many pictures in one message, in which what is equal stands once.

A deck is, deflated: the length of a JSON text (uint32, little-endian), the text, padded with spaces to whole
fours of bytes, and all arrays one after the other, each padded likewise. The text has

    arrays   [type "f" (float32) or "B" (uint8), its length, its first byte], for each array
    axes     what a picture says of one axes, its marks' arrays being numbers of `arrays`
    states   {at, columns (of numbers of `axes`), alt, readout} or {at, error, traceback}

`at` is the address on the wire: the index of each control's position. `ldp_lib/stage/browser/deck.js`
is the other half.
"""

import json
import zlib
from typing import NamedTuple

import numpy as np

from .picture import Picture


class State(NamedTuple):
    """What a panel shows at one position: a picture, what it says, and the numbers under it."""

    picture: Picture
    alt: str
    readout: tuple


class Failure(NamedTuple):
    """What a panel says where it cannot show anything: the error in words, and where in the code."""

    error: str
    traceback: str


def _place(shelf, key, thing):
    """The number of a thing on a shelf, a dict, on which things of the same key stand once."""
    return shelf.setdefault(key, (len(shelf), thing))[0]


def pack(states):
    """Return the deck, bytes, of `states`: a dict of addresses (tuples of int) and `State` or `Failure`."""
    arrays, axes = {}, {}

    def flat(part):
        content = part._asdict() | {"marks": [
            mark._asdict() | {"arrays": {name: _place(arrays, (values.dtype.char, values.tobytes()), values)
                                         for name, values in mark.arrays.items()}}
            for mark in part.marks]}
        # A Scale is a tuple, which JSON would write without the names of its fields.
        content |= {"x": part.x._asdict(), "y": part.y._asdict()}
        return _place(axes, json.dumps(content, sort_keys=True), content)

    rows = []
    for at, state in states.items():
        if isinstance(state, Failure):
            rows.append({"at": at, **state._asdict()})
        else:
            rows.append({"at": at, "columns": [list(map(flat, column)) for column in state.picture.columns],
                         "alt": state.alt, "readout": state.readout})
    table, body = [], bytearray()
    for _, values in arrays.values():
        table.append([values.dtype.char, values.size, len(body)])
        body += values.tobytes()
        body += bytes(-len(body) % 4)
    found = {"arrays": table, "axes": [content for _, content in axes.values()], "states": rows}
    text = json.dumps(found, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    return zlib.compress(len(text).to_bytes(4, "little") + text + body, 6)


def unpack(deck):
    """Return what is in a deck: addresses and dicts as in the module's text, arrays in their places."""
    content = zlib.decompress(deck)
    end = 4 + int.from_bytes(content[:4], "little")
    found = json.loads(content[4:end])
    arrays = [np.frombuffer(content, {"f": "<f4", "B": "u1"}[kind], size, end + start)
              for kind, size, start in found["arrays"]]
    for part in found["axes"]:
        for mark in part["marks"]:
            mark["arrays"] = {name: arrays[place] for name, place in mark["arrays"].items()}
    for state in found["states"]:
        if "columns" in state:
            state["columns"] = [[found["axes"][place] for place in column] for column in state["columns"]]
    return {tuple(state.pop("at")): state for state in found["states"]}

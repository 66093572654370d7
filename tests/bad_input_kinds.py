"""What the fuzz of the public functions is made of: bad values by kind, good ones in odd clothes, and the two
checks."""

import dataclasses
import math
import numbers
import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pandas
from sklearn.exceptions import DataConversionWarning

from ldp_lib import nature
from ldp_lib.estimation import CubeClassifier
from ldp_lib.privacy import Aggregate, CellAggregate, CubeLaplace, RealLaplace, WaveletAggregate

NO_NUMBERS = [math.nan, math.inf, -math.inf, "1", None, [0.5], 1j, True, np.array([0.3, 0.4]), 10**400,
              object(), b"1", -10**400, "1" * 10**4, [], np.longdouble("1e400"), pandas.NA]


def clothes(values):
    """Good values of an array, in the types that people hand in."""
    values = np.asarray(values)
    frozen = np.asfortranarray(values)
    frozen.setflags(write=False)
    yield from (values.tolist(), frozen, values.astype(object), np.ma.array(values),
                np.repeat(values, 2, axis=0)[::2])
    if values.ndim == 2:
        yield pandas.DataFrame(values)
    elif values.ndim == 1:
        yield pandas.Series(values)


def people(d):
    return np.random.default_rng(5).random((12, d))


GRID_LINES = np.array([[0.0], [0.25], [0.5], [0.75], [1.0], [0.1], [0.3], [0.7], [-0.0], [1e-320], [0.2],
                       [0.9]])


def bad_places(d):
    good = people(d)
    for value in (math.nan, math.inf, -math.inf):
        spoilt = good.copy()
        spoilt[3, 0] = value
        yield spoilt
    yield from (good[:, 0], good[None], good[:0], np.hstack([good, good]), "x", None, 0.5, [], [[]],
                [["a"]] * 12,
                good.astype(str), good.astype(object) + 1j, good + 1j, np.array([[None] * d] * 12),
                np.ma.masked_greater(good, 0.5), [[0.1], [0.2, 0.3]], good.astype("datetime64[s]"),
                pandas.DataFrame(good).where(good < 0.5), {}, {"a": 1}, iter(good),
                np.array([[pandas.NA] * d]),
                good.view([("a", float)]).copy(),
                np.array([[np.datetime64("2020")] * d], dtype=object))
    # Legal, if odd: far away, on the lines, tiny, whole numbers, booleans, doubled.
    yield from (good * 1e308, -good, np.tile(GRID_LINES, (1, d)), good * 1e-310, np.ones((12, d), int),
                good > 0.5,
                good.astype(np.float32), np.full((12, d), 0.25), good.astype(np.longdouble))


def bad_labels():
    good = LABELS
    yield from (good + 1, good - 1, good * 0.5, good.astype(str), good[:-1], good[:, None], None, "0", 1, [],
                good + 0j,
                np.where(good, math.nan, 0.0), np.ma.masked_equal(good, 1), ["yes"] * 12, [None] * 12,
                np.array([0, 1, "1"] * 4, dtype=object), np.array([0, 1, pandas.NA] * 4, dtype=object),
                np.array([0, 1, 1 + 0j] * 4, dtype=object), np.array([0, 1, 10**400] * 4, dtype=object),
                NESTED, {}, iter(good), [[0, 1]] * 12)
    # Legal: one class only, booleans, floats.
    yield from (good * 0, good * 0 + 1, good > 0, good.astype(float), good.astype(np.uint8))


LABELS = np.tile([0, 1, 1], 4)
TOO_LARGE = np.full(12, np.longdouble("1e400"))
NESTED = np.empty(12, dtype=object)
NESTED[:] = [np.zeros(2)] * 12
FRACTIONS = [*NO_NUMBERS, -1, 1.5, -1e-12, 2, 1e12]

BESOV = [0, -1, 0.5, math.nan, "2", None, [[1.0], [2.0, 3.0]], 1j, [1.0, 0.5], [math.nan], "x"]
"""Not the norm p of a smoothness, which may be infinite."""

BAD = {
    "positive": [*NO_NUMBERS, 0, 0.0, -0.0, -1, -1e-300, 1e-12, 1e12, Decimal(1)],
    "budget": [*NO_NUMBERS, 0, 0.0, -0.0, -1, -1e-300, 1e-12, 1e12, 1e-300, 1e300, 5e-324, Decimal(1)],
    "nonnegative": [*NO_NUMBERS, -1, -1e-300, 1e-12, 1e12],
    "share": [*FRACTIONS, 1e-12],
    "fraction": [*FRACTIONS, 0],
    "whole": [0, -1, 1.5, math.nan, math.inf, "2", None, [2], True, 1e12, 10**30, np.float64(2.5), object(),
              10**400, [], 1j],
    "choice": ["nothing", None, 3, "", ["lattice"], b"lattice", math.nan, "x" * 10**4, 10**400, [],
               pandas.NA],
    "optional": [*NO_NUMBERS[:4], "x", 1j, 0, -1, [0.1], pandas.NA],
    "norm": BESOV,
    "name": ["nothing", 3, "", ["haar"], b"haar", math.nan, None, pandas.NA],
    "estimator": [None, 3, "rule", CubeClassifier],
    "counts0": [-1, 1.5, math.nan, math.inf, "2", None, "x", 1j, [0.5], [-1], 10**400, [[1], [2, 3]]],
    "domain": [None, 1, (0, 1, 2), (1, 0), (0, 0), (0.5, 1), (math.nan, 1), (0, math.inf), "01", ("a", 1),
               (0, 1j)],
    "space": [None, 3, "line", nature.Interval],
    "pairs": [None, 3, [], [([1.0],)], [([0.5, 0.5], [1.0])], [([math.nan, 1], [0.5, 0.5])], [(["a"], [1.0])],
              [([2.0, -1.0], [0.5, 0.5])], "ab", [1.0]],
    "edges": [None, 3, [], [0, 1], [[0, 1, 2]], [[0, -1]], [[0.5, 1]], [[math.nan, 1]], [["a", 1]], [[0, 2]],
              [[0, math.inf]],
              [[0, 10**9]]],
    "lengths": [None, 1.0, [], [1.0], [0.0, 1.0], [-1.0, 1.0], [math.nan, 1.0], [math.inf, 1.0], ["a", "b"],
                [1j, 1.0]],
    "reals": [TOO_LARGE, None, "x", [math.nan], ["a"], [1j], [[0.1], [0.2, 0.3]], math.nan, np.array([None])],
    "norm1": [*NO_NUMBERS[:1], *NO_NUMBERS[2:], 0, -1, 0.5],
    "whole0": [-1, 1.5, math.nan, math.inf, "2", None, [2], True, 1e12, 10**30, np.float64(2.5), object()],
    "matrix": [None, 3, "x", [], [[]], {}, [[0.0] * 4], iter([]), np.zeros((2, 3)),
               np.full((2, 4), math.nan), np.zeros((0, 4)), np.zeros(4),
               [["a"] * 4],
               np.zeros((2, 4)) + 1j],
    "shares of bins": [None, 3, "x", [], [1.5, 0.5], [-0.1, 0.5], [math.nan, 0.5], [[0.1], [0.2, 0.3]],
                       [1j, 0.5], 0.5, ["a", "b"], [0.1, 0.2, 0.3], [[0.1, 0.2]], {}, lambda X: 0.5,
                       lambda X: math.sin(X), lambda X: X[0], lambda X: None, len],
    "weights of bins": [3, "x", [], [-1.0, 2.0], [math.nan, 1.0], [math.inf, 1.0], [[1.0], [2.0, 3.0]],
                        [1j, 1.0], ["a", "b"], [0.0, 0.0], [1e308, 1e308], [5e-324, 0.0], 0.5, {},
                        lambda x: 0.5, lambda x: math.sin(x), len],
    "sums": [None, 3, "a", WaveletAggregate(1, np.zeros(3)), WaveletAggregate(1, np.full(4, math.nan)),
             WaveletAggregate(0, np.zeros(4)), WaveletAggregate(1.5, np.zeros(4)),
             WaveletAggregate(None, None), (1, 2)],
    "line": [None, "x", 0.5, [math.nan], ["a"], [1j], [[0.1], [0.2, 0.3]], math.nan],
    "lattice": [*NO_NUMBERS, 0.3],
    "size": [-1, 1.5, math.nan, None, "2", [2], True, 1j, 10**9, 10**400, (2, -1), (2, 10**9), (1.5,),
             ((1,),)],
    "rows": [None, "x", [], [[0, 1]], [0.5], [-1], [10**9], [math.nan], ["a"], [1j], [None], [0] * 5, 10**400,
             TOO_LARGE],
    "signs": [None, 1, [1], [0.5] * 5, "x", [math.nan], [1j]],
    "sent": [None, 3, "x", [], (1,), ([0], [0.5]), ([0.5], [1]), ([-1], [1]), ([0, 1], [1]), ([10**9], [1]),
             ([math.nan], [1]), (["a"], [1]), ([0], [None]), ([], []), ([[0]], [[1]]), ([1j], [1])],
    "messages": [None, 3, "x", b"x", [], [None], [b""], ["text"], [b"x" * 11], [b"\0" * 5, 1], {}, [[b"x"]]],
    "half": ["nothing", 3, 0, "", [1], math.nan],
    "rng": [-1, 1.5, "seed", True, [1], np.random.RandomState, b"secure", "", math.nan],
    "labels": list(bad_labels()),
    "record": [0.1, (0.1,), (0.1, 2), ("a", 1), ((0.1, 0.2), 1), (math.nan, 1), None, (0.1, 1, 1), (0.1, "1"),
               ([[0.1]], 1), (None, 1), (1j, 1), ([], 1)],
    "mechanism": [None, 3, "CubeLaplace", CubeLaplace],
    "aggregate": [None, 3, "a", Aggregate((1, 1), np.zeros((2, 3))),
                  Aggregate((1, 1), np.full((2, 6), math.nan)),
                  Aggregate((0, 0), np.zeros((2, 6))), Aggregate((1.5, 1), np.zeros((2, 6))),
                  Aggregate((1, 1), np.zeros(6)), Aggregate(None, None), (1, 2), np.zeros((2, 6))],
    "cell sums": [None, 3, "a", (1, 2), np.zeros(5), CellAggregate(1, np.zeros(3)), CellAggregate(None, None),
                  CellAggregate(0, np.zeros(5)), CellAggregate(1.5, np.zeros(5)), CellAggregate(9, "x"),
                  CellAggregate(2, np.full(5, math.nan)), CellAggregate(2, np.zeros(5), "another one"),
                  WaveletAggregate(2, np.zeros(5)), CellAggregate(2, np.zeros(5), None)],
    "bounds": [None, 3, "x", [], [None], [math.nan], [math.inf], ["a"], [1j], [0.1, 0.2], [0.5], [9.0],
               [-9.0], [[0.1]], [True]],
    "categories": [3, "x", [0, 1], {1: (0, 1)}, {"a": (0, 1)}, {0: (1,)}, {0: (0, 0)}, {0: None}, {0: "ab"},
                   {0: (math.nan, 1)}, {0: (math.nan, math.nan)}, {0: (0, math.inf)}, {0: [[0, 1]]}, {0: 3}],
    "parts": [None, 3, "x", [], [3], [None], [lambda: None], [lambda: (0.5, 1)]],
    "real": [*NO_NUMBERS, 1e12, -1e300, 1e-300],
    "classifier": [None, 3, "rule", CubeClassifier, CubeClassifier(alpha=0.0), CubeClassifier(h=math.nan)],
    "problem": [None, 3, "sine", nature.PROBLEMS],
    "noise": [None, 3, "real", RealLaplace],
    "box": [TOO_LARGE[:, None], None, "x", 0.5, [[math.nan]], [[math.inf]], [["a"]], [[0.1, 0.2]], [], [[1j]],
            [[9.0], [-9.0]], np.zeros(0)],
    "outputs": [TOO_LARGE, None, "x", [], [math.nan], [math.inf], ["a"], [1j], [[0.1], [0.2, 0.3]],
                np.zeros((3, 7))],
    "probabilities": [*FRACTIONS, [0.2, 0.1, 0.2], "x", [], np.zeros(3), np.full(2, math.nan), 0.9],
    "counts": [0, -1, 1.5, math.nan, math.inf, "2", None, "x", 1j, [1, 2, 3], [], 10**400],
    "scales": [*NO_NUMBERS, 0, -1, 1e-12, 1e12, [1.0, 2.0, 3.0]],
} | {f"X{d}": list(bad_places(d)) for d in (1, 2, 3)}


class Call(NamedTuple):
    """A public function, good arguments, and the kind of each; `alias` maps arguments to what errors call
    them."""

    name: str
    function: Callable
    good: dict
    kinds: dict
    alias: dict = {}


def call(name, function, alias=None, /, **arguments):
    """A `Call` from arguments given as (good value, kind)."""
    return Call(name, function, {key: value for key, (value, _) in arguments.items()},
                {key: kind for key, (_, kind) in arguments.items()}, alias or {})


SKLEARN = {"X": "", "y": ""}
"""Estimators check with scikit-learn's own functions and refuse in its words, which its estimator checks ask
for."""


TRIED = {"bad": 0, "odd": 0, "escapes": 0}


def content(thing, depth=4):
    """The numbers in a result, however it is packed."""
    if isinstance(thing, (np.ndarray, np.generic)) and np.asarray(thing).dtype.kind in "biufc":
        yield np.asarray(thing)
    elif isinstance(thing, numbers.Real):
        yield np.asarray(float(thing)) if abs(thing) < 1e300 else np.ones(1)
    elif isinstance(thing, (tuple, list)):
        for part in thing:
            yield from content(part, depth)
    elif isinstance(thing, dict):
        yield from content(list(thing.values()), depth)
    elif dataclasses.is_dataclass(thing) or (depth and hasattr(thing, "__dict__") and not callable(thing)):
        yield from content(list(vars(thing).values()), depth - 1)


def frozen(value):
    """What to compare a value with later: its bytes, or the value itself."""
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype != object else repr(value.tolist())
    return repr(value)


NUMBERS_DERIVED = "so little noise"
"""An error deep in a computation knows what became of alpha, not alpha."""
STRUCTURE = ("NaN", "infinity", "masked", "shape", "row", "length", "no entry", "dtype",
             "must hold numbers; got", "not a pair")
"""Words that say what is wrong with an array, and in which row: records are not shown, see
`test_private_errors`.
A number must be shown itself, unless it belongs to a record."""
RECORD = ("in row", "; row", "has an illegal entry")
"""How a record is refused."""


LONGEST_ERROR = 500
"""Letters that one reads."""


def forms(value):
    """How an error may print a number or another single thing."""
    yield from (repr(value)[:30], str(value)[:30], str(np.asarray(value))[:30], type(value).__name__)
    if isinstance(value, numbers.Real) and abs(value) < math.inf:
        yield from ["inf"] if abs(value) > 1e308 else [repr(float(value)), f"{value:g}", f"{value:,}",
                                                       str(int(value))]


def leaves(value):
    """The single things in an array, a list or a tuple of them, or an estimator."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        value = list(value.get_params().values())
    if isinstance(value, (np.ndarray, pandas.DataFrame)):
        value = np.ma.getdata(np.asarray(value)).ravel().tolist()
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def shown(value, error):
    """Whether an error says what was handed in."""
    if isinstance(error, MemoryError):
        return "GiB" in str(error)
    if any(word in str(error) for word in RECORD):
        return True
    if isinstance(value, numbers.Real):
        return any(form in str(error)
                   for form in (*forms(value), "NaN", "shape ()", NUMBERS_DERIVED))
    return any(word in str(error) for word in (*STRUCTURE, type(value).__name__, repr(value)[:30])) or any(
        form in str(error) for leaf in leaves(value) for form in forms(leaf))


def refused_by_name_or_answered(subject):
    """Try every bad value of every argument; list what is neither answered nor refused as it should be."""
    escapes = []
    for argument, kind in subject.kinds.items():
        said = re.compile(subject.alias.get(argument, rf"\b{argument}\b"))
        for value in BAD[kind]:
            TRIED["bad"] += 1
            before, label = frozen(value), f"{argument} = {value!r:.70}"
            try:
                result = subject.function(**subject.good | {argument: value})
            except DataConversionWarning:
                if subject.alias.get(argument) != "":
                    escapes.append(f"{label}: scikit-learn warns where it does not check")
            except (TypeError, ValueError, MemoryError) as error:
                if not said.search(str(error)):
                    escapes.append(f"{label}: {type(error).__name__} does not name it: {error!s:.150}")
                elif len(str(error)) > LONGEST_ERROR and subject.alias.get(argument) != "":
                    escapes.append(f"{label}: an error of {len(str(error))} letters: {error!s:.150}")
                elif subject.alias.get(argument) != "" and not shown(value, error):
                    escapes.append(f"{label}: {type(error).__name__} does not show it: {error!s:.150}")
            except Exception as error:
                escapes.append(f"{label}: {type(error).__name__}: {error!s:.150}")
            else:
                if any(np.isnan(part).any() for part in content(result)):
                    escapes.append(f"{label}: NaN in the answer {result!r:.80}")
            if frozen(value) != before:
                escapes.append(f"{label}: was changed")
    TRIED["escapes"] += len(escapes)
    return escapes


def differs_in_odd_clothes(subject):
    """Try every good array as other types hold it; list where the answer is another one."""
    expected, escapes = list(content(subject.function(**subject.good))), []
    for argument, value in subject.good.items():
        if not isinstance(value, np.ndarray):
            continue
        for dressed in clothes(value):
            # A list of reports is a stream of blocks, and scikit-learn takes no labels of type object.
            if subject.name.startswith("aggregate") and isinstance(dressed, list) or (
                    subject.alias.get(argument) == "" and argument == "y"
                    and getattr(dressed, "dtype", None) == np.dtype(object)):
                continue
            TRIED["odd"] += 1
            found = list(content(subject.function(**subject.good | {argument: dressed})))
            if len(found) != len(expected) or not all(map(np.array_equal, found, expected)):
                escapes.append(f"{subject.name}: {argument} as {type(dressed).__name__}")
    return escapes

"""Checks of what callers hand in.

Every refusal names the argument, the value, the legal range and what to do.
Of records, which are private, it names the row and the rule that it broke,
never the value: errors end up in logs, and travel from workers to whoever
collects. The checks return the value in the form that the library computes
with; they never change what the caller owns.
"""

import math
import numbers
import os
from decimal import Decimal

import numpy as np

MEMORY_LIMIT_GIB = 4.0
"""Largest array, in GiB, that the library allocates without being asked to stream."""

Randomness = np.random.Generator | int | str | None
"""What `rng` can be, see `generator`; the one str is "secure", for reports and releases."""


def wrong_kind(name, value, legal, cure=""):
    """The TypeError of a public value that is not what it must be."""
    kind = type(value).__name__
    return TypeError(f"{name} = {value!r:.60} is a {kind}; it must be {legal}. {cure}".rstrip())


def real(name, value, *, above=-math.inf, least=None, most=math.inf, below=math.inf, cure=""):
    """Return `value` as a float inside its legal range, or say which range that is."""
    low = f"{least:g} <= " if least is not None else ("" if above == -math.inf else f"{above:g} < ")
    high = f" < {below:g}" if below < math.inf else ("" if most == math.inf else f" <= {most:g}")
    legal = f"a finite number with {low}{name}{high}" if low or high else "a finite number"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise wrong_kind(name, value, legal, cure)
    try:
        value = float(value)
    except OverflowError:
        value = math.inf if value > 0 else -math.inf
    inside = above < value < below and value <= most and (least is None or value >= least)
    if not (math.isfinite(value) and inside):
        raise ValueError(f"{name} = {value!r} is out of range; it must be {legal}. {cure}".rstrip())
    return value


def whole(name, value, *, least=1, most=None, cure=""):
    """Return `value` as an int, at least `least` and at most `most`."""
    legal = f"a whole number from {least}" + (" on" if most is None else f" to {most}")
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise wrong_kind(name, value, legal, cure)
    if not isinstance(value, numbers.Integral) and (not math.isfinite(value) or value != math.floor(value)):
        raise ValueError(f"{name} = {value!r:.60} is not whole; it must be {legal}. {cure}".rstrip())
    if most is None and value > LARGEST_WHOLE:
        legal += f", at most {LARGEST_WHOLE:.0e}"
    if not least <= value <= (LARGEST_WHOLE if most is None else most):
        raise ValueError(f"{name} = {value!r:.60} is out of range; it must be {legal}. {cure}".rstrip())
    return int(value)


LARGEST_WHOLE = 10**100
"""Its cube is still a float."""


def choice(name, value, legal):
    """Return `value` if it is one of `legal`; otherwise list the legal values."""
    if not isinstance(value, str) or value not in legal:
        raise ValueError(f"{name} = {value!r:.60} is unknown; choose one of {', '.join(map(repr, legal))}.")
    return value


class OperatingSystem:
    """A source of random bytes that nobody can predict: the operating system's cryptographic generator.

    demanded : somebody asked for it, by rng = "secure", and must get nothing less.
    """

    def __init__(self, demanded=False):
        self.demanded = demanded

    def bytes(self, length):
        """`length` uniform bytes, like `numpy.random.Generator.bytes`."""
        return os.urandom(length)


def generator(rng, *, secure=False):
    """Return a `numpy.random.Generator` from a Generator, an int seed or None (fresh entropy).

    Where something leaves a person's or a curator's hands, `secure` = True makes an `OperatingSystem` of
    None and of rng = "secure": Generators and seeds are for simulations.
    """
    if isinstance(rng, np.random.Generator) or (secure and isinstance(rng, OperatingSystem)):
        return rng
    if secure and (rng is None or isinstance(rng, str) and rng == "secure"):
        return OperatingSystem(demanded=rng is not None)
    number = isinstance(rng, numbers.Integral) and not isinstance(rng, bool)
    if rng is None or number and rng >= 0:
        return np.random.default_rng(rng)
    wrong = "below 0" if number else f"a {type(rng).__name__}"
    raise (ValueError if number else TypeError)(
        f"rng = {rng!r:.60} is {wrong}; it must be a numpy.random.Generator or a whole "
        'number >= 0, for example rng=numpy.random.default_rng(1); "secure" is for reports (privatize).'
    )


def interval(name, ends):
    """Return the two ends (lower, upper) of a public interval as floats, lower < upper."""
    if not isinstance(ends, (tuple, list, np.ndarray)) or len(ends) != 2:
        raise wrong_kind(name, ends, "a pair (lower, upper)")
    lower = real(f"{name}[0]", ends[0])
    upper = real(f"{name}[1]", ends[1], above=lower)
    real(f"{name}[1] - {name}[0]", upper - lower, least=1e-300, most=1e300, cure="Rescale the data.")
    return lower, upper


def rescaled(x, lower, upper):
    """Where finite x are on the way from lower to upper, 0 to 1; whoever is outside counts as the nearest
    end."""
    return (np.clip(x, lower, upper) - lower) / (upper - lower)


def numeric(name, values, *, private=False):
    """Return `values` as a float array; text, masked entries and what is no number are refused.

    `private` values are not shown: the error says in which row there is no number.
    """
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} has masked entries; fill them or leave them out.")
    array = _as_floats(values)
    if array is None:
        rule = f"; {_first_row_without_numbers(values)}" if private else f"; got {values!r:.60}"
        raise TypeError(f"{name} must hold numbers{rule}. Convert them first.")
    return array


def _as_floats(values):
    """`values` as a float array, None if they are none. Nobody sees numpy's error, which shows the value."""
    try:
        array = np.asarray(values)
        if array.dtype == float:
            return array
        # Of complex numbers, dates, durations and records, `astype` would keep a part.
        kind = array.dtype.kind
        if kind in "cmMV" or kind in "OSUT" and any(v is None or isinstance(v, NO_NUMBERS)
                                                    for v in array.ravel().tolist()):
            return None
        # Above the largest float there is an infinity, which callers refuse like any other.
        with np.errstate(over="ignore"):
            return array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        return None


def _first_row_without_numbers(values):
    """What breaks the rule of `numeric` in `values`, in words that show none of them."""
    rows = values if isinstance(values, (list, tuple)) else np.asarray(values)
    parts = [] if isinstance(rows, np.ndarray) and not rows.ndim else [_as_floats(entry) for entry in rows]
    for row, part in enumerate(parts):
        if part is None:
            return f"row {row} does not"
        if part.shape != parts[0].shape:
            return f"row {row} has another length than row 0"
    return f"it is a {type(values).__name__}"


NO_NUMBERS = (str, bytes, np.datetime64, np.timedelta64)
"""What `float` would take for a number, in part or by its digits."""


def reals(name, values, *, above=-math.inf, least=None, most=math.inf, below=math.inf, integer=False,
          private=False, cure=""):
    """Return `values`, any shape, as a float array in which `real` (or `whole`, if `integer`) accepts every
    entry; `private` as in `numeric`."""
    array = numeric(name, values, private=private)
    lowest = -math.inf if least is None else least
    # Nearly always all are right, and then the ends are; what is no number is at neither side of a bound.
    if not integer and (not array.size or above < array.min() >= lowest and below > array.max() <= most):
        return array
    right = (array > above) & (array < below) & (array <= most) & (array >= lowest)
    right &= np.isfinite(array) & ((array == np.floor(array)) | (not integer))
    if right.all():
        return array
    if private:
        row = f" in row {np.argwhere(~right)[0][0]}" if array.ndim else ""
        rules = [f"a {'whole' if integer else 'finite'} number"] + [
            f"{word} {bound:g}" for word, bound in (("above", above), ("at least", lowest), ("at most", most),
                                                    ("below", below)) if np.isfinite(bound)]
        rule = " and ".join(rules)
        raise ValueError(f"{name} has an illegal entry{row}; every entry must be {rule}. {cure}".rstrip())
    value = array[~right][0].item()
    if integer:
        whole(name, value, least=0 if least is None else int(least),
              most=None if most == math.inf else int(most), cure=cure)
    real(name, value, above=above, least=least, most=most, below=below, cure=cure)
    return array


def indices(name, values, count, *, private=False):
    """Return `values`, any shape, as int64 whole numbers from 0 to count - 1; `private` as in `numeric`."""
    return reals(name, values, least=0, most=count - 1, integer=True, private=private).astype(np.int64)


def places(name, x):
    """Return the points `x` of the line, any shape, as floats; NaN is refused, infinity is a place."""
    x = numeric(name, x)
    if np.isnan(x).any():
        raise ValueError(f"{name} has a NaN; every point must be a number.")
    return x


def exponent(name, value):
    """Return the index of an L_p norm, 1 <= value <= infinity, as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and value == math.inf:
        return math.inf
    return real(name, value, least=1)


def points(name, X, d, *, columns=None, cure=""):
    """Return the records `X` as a float array of shape (n, d) with finite entries and n >= 1."""
    values = numeric(name, X, private=True)
    if values.ndim and len(values) == 0:
        raise ValueError(f"{name} has no rows, shape {values.shape}; it must be (n, {d}), one row a person, "
                         "with n >= 1. Give at least one person.")
    if values.ndim != 2 or values.shape[1] != d:
        if values.ndim == 1 and d == 1:
            cure = f"Use {name}.reshape(-1, 1) for a single feature."
        cure = cure or f"Give every person {d} number{'s' * (d > 1)}."
        raise ValueError(f"{name} has shape {values.shape}; it must be (n, {d}), one row a person. {cure}")
    return finite(name, values, columns)


def finite(name, values, columns=None):
    """Return the records `values`, (n, d) floats, if all are finite; `columns` names the features."""
    right = np.isfinite(values)
    if not right.all():
        row, column = np.argwhere(~right)[0].tolist()
        where = column if columns is None else columns[column]
        raise ValueError(f"{name} has a NaN or an infinity in row {row}, column {where!r:.60}; every entry "
                         "must be a finite number. Leave this person out.")
    return values


def labels(name, y, n):
    """Return `y`, people's labels, as an int64 array of n zeros and ones."""
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        raise ValueError(f"{name} has masked entries; fill them or leave those people out.")
    try:
        values = np.asarray(y)
    except ValueError:
        values = np.fromiter(y, object)  # some are no labels at all
    if values.shape != (n,):
        cure = f"Use {name}.ravel()." if values.ndim > 1 and values.size == n else "Give every person one."
        raise ValueError(f"{name} has shape {values.shape}; it must be ({n},), one label 0 or 1 for each row "
                         f"of X. {cure}")
    if values.dtype.kind in "biuf":
        right = (values == 0) | (values == 1)
    else:
        # What is no number may answer == as it likes, and beside text numpy makes text of numbers.
        values = np.fromiter(y, object)
        right = np.array([isinstance(v, (numbers.Real, Decimal, np.bool_)) and v in (0, 1) for v in values])
    if not right.all():
        raise ValueError(f"{name} has no label 0 or 1 in row {np.argmin(right)}; labels must be 0 or 1. Map "
                         "the two classes to 0 and 1 first.")
    return values.astype(np.int64, copy=False)


def together(**arrays):
    """Return arrays of one shape, or name the shapes that do not fit each other."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in arrays.items())
        raise ValueError(
            f"shapes do not fit each other: {shapes}; give numbers or arrays of one shape.") from error


def part_of(p, q):
    """Return q = P(X in cell, Y = 1), cut to p = P(X in cell) where a rounding error exceeds it; arrays of
    one shape."""
    above = q > p + 1e-12
    if above.any():
        raise ValueError(f"q = {q[above][0]:g} exceeds p = {p[above][0]:g}; q = P(X in cell, Y = 1) must lie "
                         "between 0 and p = P(X in cell). Exchange them, or give probabilities of one cell.")
    return np.minimum(q, p)


def require_memory(what, bytes_needed, cure):
    """Refuse an array that would not fit, saying how many GiB it needs and what to change."""
    gib = bytes_needed / 2**30
    if gib > MEMORY_LIMIT_GIB:
        raise MemoryError(
            f"{what} needs {gib:.3g} GiB, more than the limit of {MEMORY_LIMIT_GIB:g} GiB "
            f"(ldp_lib._arguments.MEMORY_LIMIT_GIB). {cure}"
        )

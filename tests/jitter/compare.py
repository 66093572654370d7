"""What differs between two snapshots."""

import numbers

import numpy as np

RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""How far numbers that are drawn as positions may be apart; a pixel is a thousandth of a picture."""


def differences(one, other, exact=False, where=""):
    """Yield (where, one, other) for everything in which two nested things differ; numbers may, by rounding.

    exact : of the draws of mechanisms every bit counts.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            yield from differences(one.get(key), other.get(key), exact, f"{where} {key}".strip())
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype.kind in "fiub":
        if one.shape != other.shape or not (np.array_equal(one, other) if exact else np.allclose(
                one, other, rtol=RELATIVE, atol=ABSOLUTE * np.abs(one[np.isfinite(one)]).max(initial=1.0),
                equal_nan=True)):
            yield where, one, other
    elif isinstance(one, tuple | list) and isinstance(other, tuple | list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other)):
            yield from differences(*pair, exact, f"{where} {number}")
    elif isinstance(one, numbers.Real) and isinstance(other, numbers.Real):
        yield from differences(np.array(one, float), np.array(other, float), exact, where)
    elif hasattr(one, "__dict__") and type(one) is type(other):
        yield from differences(vars(one), vars(other), exact, where)
    elif one != other:
        yield where, one, other

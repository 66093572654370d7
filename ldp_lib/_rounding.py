"""Equal up to rounding is equal: decisions and draws that come out alike on every processor.

Processors differ in the last bit of exp, log, sin and powers, and add long sums in other orders. Where
numbers that are equal in mathematics meet, that bit must not decide: not which comes first, nor whether
something is 0, nor how often a generator is asked.
"""

import numpy as np

BITS = 40
"""Significant binary digits of a canonical number: one part in 10^12."""
NOTHING = 2.0**-50
"""A probability below this is what rounding leaves of 0: a difference of two that are equal."""


def canonical(values):
    """The nearest numbers with `BITS` significant binary digits, of any shape.

    >>> canonical([0.1 + 0.2, 0.3]).tolist() == [0.3000000000001819] * 2, float(canonical(6.0))
    (True, 6.0)
    """
    digits, exponents = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(digits, BITS)), exponents - BITS)


def ranks(values):
    """For (n,) numbers their ranks from 0, (n,): who is nearer than 1e-9 to the next has its rank.

    >>> ranks(np.array([2.0, 1.0, 1.0 + 1e-15])).tolist()
    [1, 0, 0]
    """
    order = np.argsort(values, kind="stable")
    result = np.empty(len(order), dtype=np.intp)
    result[order] = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) > 1e-9)
    return result


def head_counts(rng, n, masses):
    """How many of n people stand where: (m,) whole numbers, multinomial.

    masses : (m,), probabilities, each right up to rounding; whoever is in none of the places is not counted.
    A mass below `NOTHING` is taken for 0, because a draw from 0 asks the generator for nothing.
    """
    masses = np.asarray(masses)
    rest = 1 - masses.sum()
    kept = canonical(np.where(masses < NOTHING, 0.0, masses))
    # Without a rest whoever is left stands in the last place.
    return rng.multinomial(n, kept if rest < NOTHING * len(masses) else np.append(kept, rest))[:len(masses)]

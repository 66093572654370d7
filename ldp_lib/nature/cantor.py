"""A law without a density: independent coordinates on the Cantor set.

"Every distribution" in Theorem 2.2 of Berrett & Butucea (2019) includes laws that sit on a set of
Lebesgue measure zero.  Here X_k = F^{-1}(U_k) with F the Cantor function (the devil's staircase)
and U_k uniform, and eta is the sine of `ldp_lib.nature.waves` read at the levels F(x_k), so that
box masses are those of the sine problem at the levels of the box.
"""

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import numeric
from ldp_lib.nature.waves import Sine

_BITS = 60
_LOW_BITS = np.uint64(2**_BITS - 1)

# The sum of 2 b_i / 3^i for each number with the binary digits b_1 ... b_11.
_CHUNK = 11
_TERNARY = np.zeros(1)
for _ in range(_CHUNK):
    _TERNARY = np.concatenate((_TERNARY / 3.0, _TERNARY / 3.0 + 2.0 / 3.0))


def cantor_function(x: ArrayLike) -> np.ndarray:
    """F(x), the distribution function of the uniform law on the Cantor set; any shape, values in [0, 1].

    Reads the ternary digits of x up to the first 1, halves the 2s and takes the result as binary digits.
    F is only Hoelder of order log 2 / log 3, so that an error of 1e-16 in x would become 1e-10 in F: the
    digits are therefore taken from x, the float itself, by integer arithmetic with 120 binary places.  The
    result is within 2^-64 of F(x), plus the rounding of the result to a float.
    """
    x = numeric("x", x)
    if np.isnan(x).any():
        raise ValueError("x has a NaN; it must hold numbers, for example 0.5.")
    x = np.clip(x, 0.0, 1.0)
    scaled = np.where(x < 1.0, x, 0.0) * 2.0**_BITS
    high = scaled.astype(np.uint64)
    low = ((scaled - high) * 2.0**_BITS).astype(np.uint64)
    three, places = np.uint64(3), np.uint64(_BITS)
    value = np.where(x < 1.0, 0.0, 1.0)
    reading = x < 1.0
    for position in range(1, 65):
        low *= three
        high = high * three + (low >> places)
        low &= _LOW_BITS
        digit = high >> places
        high &= _LOW_BITS
        value += np.where(reading & (digit > 0), 2.0**-position, 0.0)
        reading = reading & (digit != 1)
    return value


def cantor_quantile(level):
    """The point of the Cantor set at `level` in [0, 1): binary digits doubled and read in base three."""
    digits = (np.asarray(level) * 2.0 ** (5 * _CHUNK)).astype(np.uint64)
    x = np.zeros(digits.shape)
    for _ in range(5):  # 5 * 11 = 55 digits, more than the 53 of a float; the last ones first
        x = _TERNARY[digits & np.uint64(2**_CHUNK - 1)] + x / 3.0**_CHUNK
        digits >>= np.uint64(_CHUNK)
    return x


class Cantor(Sine):
    """X = (F^{-1}(U_1), ..., F^{-1}(U_d)), eta(x) = 1/2 + amplitude * prod_k sin(2 pi frequency F(x_k)).

    F is the Cantor function, the U_k are independent and uniform; X has no density.  Parameters as
    for `Sine`.  With one or two periods eta crosses 1/2 in gaps of the Cantor set only, and a few cells
    hold the Bayes rule; with three, the default, it also does so at F = 1/3 and 2/3, which is at
    x = 1/4 and 3/4 with people at every distance, so that cells have to shrink.
    """

    density = None
    density_bins = None

    def __init__(self, d=1, amplitude=0.4, frequency=3):
        super().__init__(d, amplitude, frequency)

    def _level(self, x):
        return cantor_function(x)

    def _draw(self, n, rng):
        level = rng.random((n, self.d))
        return cantor_quantile(level), (rng.random(n) < self._eta_at(level)).astype(np.int64)

"""Exact draws of the discrete Laplace law P(k) = (1 - r) / (1 + r) r^|k|, r = exp(-1/t): whole numbers only.

No logarithm and no float is in the way, so that the law of the draws is the law of the proof. Let G be
geometric, P(G = k) = (1 - r) r^k. Then

* the noise is G with probability 1 / (1 + r) and -1 - G otherwise;
* the digits of G = R_0 + 2^8 R_1 + ... + 2^m Q are independent, because r^G is the product of their powers: Q
  is geometric with ratio r^(2^m), and a digit R_i is geometric, too, cut off at its 2^8 values. (Canonne,
  Kamath & Steinke, 2020, Algorithm 2, draw one such digit and Q by rejection.)

A digit is the number of its distribution function's values F(0) < F(1) < ... below a uniform variable U, and
U is drawn only as far as needed (Knuth & Yao, 1976): sixteen bits look the digit up in a table; the few of
the 2^16 intervals in which some F(v) lies need 64 bits; who is still in one interval of length 2^-64 with
some F(v), a matter of 2^-64, goes on for as long as it takes. floor(F(v) 2^bits) is computed in whole numbers
with a certified error. It decides all comparisons, since F(v) is never a multiple of 2^-bits: e to a rational
power is transcendental.

Time still depends on what is drawn: `ldp_lib.privacy` says how much.
"""

import bisect
import decimal
import itertools
from fractions import Fraction
from functools import lru_cache

import numpy as np

LOOKUP_BITS, WORD_BITS = 16, 64
DIGIT_BITS = 8
"""Digits of 2^8 values leave one in 2^8 of the intervals that are looked up undecided."""
BLOCK = 2**15
"""Draws are made in blocks of this many, so that the work stays in the cache."""
CERTAIN = 64
"""Distribution functions are wrong by less than 2^CERTAIN of their last places: see `_low_digit`."""


def exponential(x, bits):
    """exp(-x) 2^bits for a Fraction x >= 0, as a whole number; off by less than 2."""
    with decimal.localcontext(decimal.Context(prec=bits // 3 + 40)):
        # Correctly rounded, as the decimal arithmetic specification demands of `exp`.
        return int((-decimal.Decimal(x.numerator) / x.denominator).exp() * (1 << bits))


def _low_digit(x, width):
    """F(v) 2^bits, v = 0, 1, ..., of a geometric variable of ratio exp(-x) cut off at 2^width values."""

    def cumulative(bits):
        one, ratio = 1 << bits, exponential(x, bits)
        # 1 - exp(-2^width x) exceeds 2^-39: errors of 2 in it and 2^10 in the power make less than 2^64.
        norm, power = one - exponential(x * 2**width, bits), ratio
        for _ in range(2**width - 1):
            yield ((one - power) << bits) // norm
            power = power * ratio >> bits
        yield one

    return cumulative


def _top_digit(x, unit):
    """F(i) 2^bits, i = 2 Q + sign: Q is geometric of ratio exp(-x), sign = 1 has odds exp(-unit) to 1."""

    def cumulative(bits):
        one, ratio, power = 1 << bits, exponential(x, bits), 1 << bits
        positive = one * one // (one + exponential(unit, bits))
        while True:
            following = power * ratio >> bits
            yield one - power + ((power - following) * positive >> bits)
            yield one - following
            power = following

    return cumulative


class _Digit:
    """One digit, drawn by inverting its distribution function; `codes` maps its values to whole numbers."""

    def __init__(self, cumulative, codes, flag):
        self._cumulative = cumulative
        last = 2**WORD_BITS - 1
        thresholds = []
        for threshold in self.thresholds(WORD_BITS):
            if threshold <= last:
                thresholds.append(threshold)
            if threshold >= last:
                break
        self._thresholds = np.array(thresholds, dtype=np.uint64)
        self._codes = codes(np.arange(len(thresholds) + 1))
        self._code = codes
        steps = (self._thresholds >> np.uint64(WORD_BITS - LOOKUP_BITS)).astype(np.intp)
        self.table = self._codes[np.searchsorted(steps, np.arange(2**LOOKUP_BITS))]
        self.table[steps] ^= flag

    def thresholds(self, bits, guard=2 * CERTAIN):
        """floor(F(v) 2^bits) for v = 0, 1, ...: from `guard` more bits, or more where that is too few."""
        for v, value in enumerate(self._cumulative(bits + guard)):
            floor, rest = value >> guard, value & ((1 << guard) - 1)
            if floor < 1 << bits and not 1 << CERTAIN < rest < (1 << guard) - (1 << CERTAIN):
                floor = next(itertools.islice(self.thresholds(bits, 2 * guard), v, None))
            yield floor

    def continued(self, lookups, source):
        """Codes of the digits whose uniform variables begin with `lookups`, from fresh bits of `source`."""
        fresh = np.frombuffer(source.bytes(8 * lookups.size), "<u8") >> np.uint64(LOOKUP_BITS)
        words = lookups.astype(np.uint64) << np.uint64(WORD_BITS - LOOKUP_BITS) | fresh
        values = np.searchsorted(self._thresholds, words)
        codes = self._codes[values]
        for place in np.flatnonzero(np.append(self._thresholds, 0)[values] == words):
            codes[place] = self._code(np.array(self._settled(int(words[place]), source)))
        return codes

    def _settled(self, prefix, source):
        """The value of the digit whose uniform variable begins with 64 undecided bits, `prefix`."""
        for bits in itertools.count(2 * WORD_BITS, WORD_BITS):
            prefix = prefix << WORD_BITS | int.from_bytes(source.bytes(8), "little")
            value, threshold = next((v, t) for v, t in enumerate(self.thresholds(bits)) if t >= prefix)
            if threshold > prefix:
                return value


class DiscreteLaplace:
    """The sampler for one scale t, a Fraction from 2^10 to 2^46."""

    def __init__(self, t):
        unit = 1 / t
        # Between 4 and 8 steps of Q in one scale: few values, so that few lookups are undecided.
        top = (t.numerator // t.denominator).bit_length() - 3
        starts = range(0, top, DIGIT_BITS)
        # Flags of different digits are different bits, beyond all draws, so that they do not cancel.
        flags = [1 << 62 - place for place in range(len(starts) + 1)]
        self._flagged = flags[-1]
        cumulative = _top_digit(unit * 2**top, unit)
        self._digits = [_Digit(cumulative, lambda i: (i >> 1 << top) ^ -(i & 1), flags[-1])]
        for start, flag in zip(starts, flags):
            cumulative = _low_digit(unit * 2**start, min(DIGIT_BITS, top - start))
            self._digits.append(_Digit(cumulative, lambda i, start=start: i << start, flag))

    def draw(self, count, source):
        """`count` independent draws, int64. `source.bytes(n)` must give n uniform bytes."""
        draws = np.empty(count, np.int64)
        for start in range(0, count, BLOCK):
            self._fill(draws[start:start + BLOCK], source)
        return draws

    def _fill(self, draws, source):
        top, *low = self._digits
        size = LOOKUP_BITS // 8 * len(self._digits) * draws.size
        lookups = np.frombuffer(source.bytes(size), "<u2").reshape(len(self._digits), draws.size)
        np.take(top.table, lookups[0], out=draws, mode="clip")
        # -1 - G has the complements of the bits of G: exclusive or puts the digits in either sign.
        for digit, row in zip(low, lookups[1:]):
            draws ^= digit.table.take(row)
        undecided = np.flatnonzero(np.abs(draws) >= self._flagged)
        draws[undecided] = 0
        for digit, row in zip(self._digits, lookups):
            draws[undecided] ^= digit.continued(row[undecided], source)


def exponential_choice(counts, x, source):
    """An i with probability proportional to counts[i] exp(-x i), exactly: the exponential mechanism.

    counts : whole numbers >= 0, not all 0.  x : a Fraction >= 0.  source : as in `DiscreteLaplace.draw`.
    Inversion, with as many bits of the uniform variable as it takes.
    """
    drawn = 0
    for bits in itertools.count(WORD_BITS, WORD_BITS):
        drawn = drawn << WORD_BITS | int.from_bytes(source.bytes(WORD_BITS // 8), "little")
        power, ratio = 1 << bits + CERTAIN, exponential(x, bits + CERTAIN)
        sums, error = [0], 0
        for i, count in enumerate(counts):
            sums.append(sums[-1] + count * power)
            # Powers lose less than 1 by being cut off and 2 by the error of the ratio, each time.
            error += 3 * i * count
            power = power * ratio >> bits + CERTAIN
        # U lies in [drawn, drawn + 1] 2^-bits; i is sure if all of that is between its two sums.
        i = bisect.bisect_right(sums, drawn * sums[-1] >> bits) - 1
        low, high = drawn * (sums[-1] - error), (drawn + 1) * (sums[-1] + error)
        if low >= sums[i] + error << bits and high <= sums[i + 1] - error << bits:
            return i


def whole_below(count, source):
    """A whole number from 0 to count - 1, each with the same probability, by rejection."""
    bits = (count - 1).bit_length()
    while True:
        drawn = int.from_bytes(source.bytes(bits // 8 + 1), "little") & ((1 << bits) - 1)
        if drawn < count:
            return drawn


@lru_cache(maxsize=64)
def discrete_laplace(scale, granularity):
    """The sampler of scale t = scale / granularity, both floats taken at their word."""
    return DiscreteLaplace(Fraction(scale) / Fraction(granularity))

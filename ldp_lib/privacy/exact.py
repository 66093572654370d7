"""Exact draws, in whole numbers only: discrete Laplace noise, and the coins and dice of randomised response.

No logarithm and no float is in the way, so that the law of the draws is the law of the proof. Discrete
Laplace noise is P(k) = (1 - r) / (1 + r) r^|k|, r = exp(-1/t). Let G be geometric, P(G = k) = (1 - r) r^k.
Then

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

A report and the time that it took leave a person's hands together. So a coin reads the same number of bits
whatever comes up, and never goes on to "as many as it takes": its odds are rounded to a whole number of
2^-bits, downwards, so that the budget is never exceeded, and so finely that no float shows the difference
(`ResponseCoin`). Dice redraw words beyond the last multiple of their size. That happens with odds below 2^-30
a word, and says nothing about the word that is kept in the end.
"""

import bisect
import decimal
import itertools
import math
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

LOOKUP_BITS, WORD_BITS = 16, 64
DIGIT_BITS = 8
"""Digits of 2^8 values leave one in 2^8 of the intervals that are looked up undecided."""
BLOCK = 2**15
"""Draws are made in blocks of this many, so that the work stays in the cache."""
GUARD, CERTAIN = 128, 64
"""Bits computed beyond those that are needed; probabilities are wrong by less than 2^CERTAIN last places."""
PRECISION = 56
"""What a coin says, and what it leaves open, are kept to one part in 2^PRECISION."""
COIN_BYTES, SUBSET_BYTES = 2**20, 2**22
"""Coins are tossed, and subsets drawn, in blocks of about this size."""

SMALLEST_BUDGET, LARGEST_BUDGET = 1e-100, 1e4
"""Beyond, squares of scales overflow, or tails e^-alpha take too many digits."""


@lru_cache(maxsize=64)  # of public numbers: simulated surveys ask for the same few again and again
def exponential(x, bits):
    """exp(-x) 2^bits for a Fraction x >= 0, as a whole number; off by less than 2."""
    with decimal.localcontext(decimal.Context(prec=bits // 3 + 40)):
        # Correctly rounded, as the decimal arithmetic specification demands of `exp`.
        return int((-decimal.Decimal(x.numerator) / x.denominator).exp() * (1 << bits))


def _low_digit(x, width, bits):
    """F(v) 2^bits, v = 0, 1, ..., of a geometric variable of ratio exp(-x) cut off at 2^width values."""
    one, ratio = 1 << bits, exponential(x, bits)
    # 1 - exp(-2^width x) exceeds 2^-39: errors of 2 in it and 2^10 in the power make less than 2^64.
    norm, power = one - exponential(x * 2**width, bits), ratio
    for _ in range(2**width - 1):
        yield ((one - power) << bits) // norm
        power = power * ratio >> bits
    yield one


def _top_digit(x, unit, bits):
    """F(i) 2^bits, i = 2 Q + sign: Q is geometric of ratio exp(-x), sign = 1 has odds exp(-unit) to 1."""
    one, ratio, power = 1 << bits, exponential(x, bits), 1 << bits
    positive = one * one // (one + exponential(unit, bits))
    while True:
        following = power * ratio >> bits
        yield one - power + ((power - following) * positive >> bits)
        yield one - following
        power = following


class _Digit:
    """One digit, drawn by inverting its distribution function, `cumulative` of bits; `codes` maps its values
    to whole numbers."""

    def __init__(self, cumulative, codes, flag):
        self._cumulative, self._codes = cumulative, codes
        last = 2**WORD_BITS - 1
        thresholds = []
        for threshold in self.thresholds(WORD_BITS):
            if threshold <= last:
                thresholds.append(threshold)
            if threshold >= last:
                break
        self._thresholds = np.array(thresholds, dtype=np.uint64)
        steps = (self._thresholds >> np.uint64(WORD_BITS - LOOKUP_BITS)).astype(np.intp)
        self.table = codes(np.searchsorted(steps, np.arange(2**LOOKUP_BITS)))
        self.table[steps] ^= flag

    def thresholds(self, bits, guard=GUARD):
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
        for place in np.flatnonzero(np.append(self._thresholds, 0)[values] == words):
            values[place] = self._settled(int(words[place]), source)
        return self._codes(values)

    def _settled(self, prefix, source):
        """The value of the digit whose uniform variable begins with 64 undecided bits, `prefix`."""
        for bits in itertools.count(2 * WORD_BITS, WORD_BITS):
            prefix = prefix << WORD_BITS | int.from_bytes(source.bytes(8), "little")
            value, threshold = next((v, t) for v, t in enumerate(self.thresholds(bits)) if t >= prefix)
            if threshold > prefix:
                return value


class DiscreteLaplace:
    """The sampler for one scale t, a Fraction from 1 to 2^46."""

    def __init__(self, t):
        unit = 1 / t
        # Between 4 and 8 steps of Q in one scale: few values, so that few lookups are undecided. Below t = 4
        # there are fewer, and Q is all.
        top = max((t.numerator // t.denominator).bit_length() - 3, 0)
        starts = range(0, top, DIGIT_BITS)
        # Flags of different digits are different bits, beyond all draws, so that they do not cancel.
        flags = [1 << 62 - place for place in range(len(starts) + 1)]
        self._flagged = flags[-1]
        cumulative = partial(_top_digit, unit * 2**top, unit)
        self._digits = [_Digit(cumulative, lambda i: (i >> 1 << top) ^ -(i & 1), flags[-1])]
        for start, flag in zip(starts, flags):
            cumulative = partial(_low_digit, unit * 2**start, min(DIGIT_BITS, top - start))
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


class ResponseCoin:
    """Heads with probability P = (w e^alpha - k) / (w e^alpha + m), rounded down to a multiple of 2^-bits.

    With k = 0 heads is the truth, one of w answers that are e^alpha times as likely as the m others. With
    k = w heads says "the truth", and tails "any of the w + m answers, drawn as if she had none": a mixture of
    the same law. In both the likelihood ratio rises with P, so that it is at most e^alpha after rounding.

    What is lost: at alpha = 0 the coin says nothing, and P is P_0 = (w - k) / (w + m). `bits` makes 2^-bits
    at most 2^-56 min(P - P_0, 1 - P): both are kept to one part in 2^56, finer than floats. The budget spent
    is the logarithm of P / (1 - P) m / w for k = 0, w = m, and of 1 + P / (1 - P) (w + m) / w for k = w. Its
    slopes in P are 1 / (P (1 - P)) and (1 - e^-alpha) / (P (1 - P)), which times 2^-bits are at most 2^-55
    min(1, alpha): alpha is spent but for one part in 2^55.

    alpha : nats, a float taken at its word.  w, m : whole numbers >= 1.  k : 0, if w = m, or w.

    Heads comes up where a uniform whole number of `bits` bits is below `threshold`; `probability` is P(heads)
    as the nearest float.

    >>> coin = ResponseCoin(1.0, 1, 1)
    >>> round(coin.probability, 12), coin.bits                # e / (e + 1)
    (0.73105857863, 64)
    """

    def __init__(self, alpha, w, m, k=0):
        tail = math.exp(-alpha)
        norm = w + m * tail
        # log2 of P - P_0 and of 1 - P; e^-alpha itself may be too small for a float.
        told = math.log2(w * (m + k) / norm) + math.log2(-math.expm1(-alpha) / (w + m))
        left = math.log2((m + k) / norm) - alpha / math.log(2)
        self.bits = WORD_BITS * math.ceil((PRECISION - min(told, left)) / WORD_BITS)
        self.threshold = self._rounded_down(Fraction(alpha), w, m, k)
        self.probability = self.threshold / (1 << self.bits)
        mask = 2**WORD_BITS - 1
        self._words = [self.threshold >> start & mask for start in range(0, self.bits, WORD_BITS)]

    def _rounded_down(self, alpha, w, m, k):
        """A whole number of 2^-bits below P, and less than 1 + 2^-60 of them below."""
        one = 1 << self.bits + GUARD
        tail = exponential(alpha, self.bits + GUARD)
        # Off by less than 2 last places, which moves the quotient by 2 (k + m) / w + 1: below 2^CERTAIN.
        value = (w * one - k * tail) * one // (w * one + m * tail)
        return value - (1 << CERTAIN) >> GUARD

    def toss(self, count, source):
        """`count` independent tosses, bool, True for heads; `source.bytes(n)` must give n uniform bytes.

        Each compares all of its `bits` with P, and reads them whatever the first ones say.
        """
        heads = np.zeros(count, dtype=bool)
        step = max(1, 8 * COIN_BYTES // self.bits)
        for start in range(0, count, step):
            part = heads[start:start + step]
            words = np.frombuffer(source.bytes(self.bits // 8 * len(part)), "<u8").reshape(len(part), -1)
            # From the last word to the first, which counts most.
            for column, level in zip(words.T[::-1], self._words):
                np.logical_or(column < np.uint64(level), (column == np.uint64(level)) & part, out=part)
        return heads


def uniform_below(limit, count, source):
    """`count` independent uniform whole numbers below `limit` <= 2^63, int64; for m limits (m, count).

    Words beyond the last multiple of `limit` are redrawn.
    """
    limit = np.expand_dims(np.asarray(limit, dtype=np.uint64), -1)
    most = np.uint64(2**WORD_BITS - 1)
    last = most - (most % limit + np.uint64(1)) % limit
    words = np.frombuffer(source.bytes(8 * limit.size * count), "<u8").copy()
    words = words.reshape(*limit.shape[:-1], count)
    while (rejected := words > last).any():
        words[rejected] = np.frombuffer(source.bytes(8 * np.count_nonzero(rejected)), "<u8")
    return (words % limit).astype(np.int64)


def random_signs(shape, source):
    """Independent signs of that shape, int8 of 1 and -1, from a bit each."""
    count = math.prod(shape)
    bits = np.unpackbits(np.frombuffer(source.bytes(-(-count // 8)), np.uint8), count=count)
    return (2 * bits.astype(np.int8) - 1).reshape(shape)


def random_subsets(size, of, count, source):
    """`count` independent uniform subsets of `size` >= 1 of the numbers below `of`, whose numbers are in the
    rows, int64 (count, size), in no meaningful order.

    For j = of - size, ..., of - 1 a uniform number from 0 to j joins the subset, or j itself if that number
    is in it already (Floyd's algorithm, Bentley & Floyd, 1987): one die a number, whatever is drawn. Of more
    than half of the numbers those that stay outside are drawn.
    """
    if size == 1:
        return uniform_below(of, count, source)[:, None]
    drawn = min(size, of - size)
    subsets = np.empty((count, size), dtype=np.int64)
    step = max(1, SUBSET_BYTES // of)
    inside = np.zeros((min(step, count), of), dtype=bool)
    for start in range(0, count, step):
        block = subsets[start:start + step]
        people, seen = np.arange(len(block)), inside[:len(block)]
        numbers = uniform_below(np.arange(of - drawn, of) + 1, len(block), source)
        for j, number in enumerate(numbers, of - drawn):
            number[:] = np.where(seen[people, number], j, number)
            seen[people, number] = True
        block[:] = numbers.T if drawn == size else np.nonzero(~seen)[1].reshape(block.shape)
        seen[people, numbers] = False
    return subsets

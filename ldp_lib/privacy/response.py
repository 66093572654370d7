"""Coins and dice for randomised response: whole numbers only, no float between the proof and the draw.

A report and the time that it took leave a person's hands together. So a coin reads the same number of bits
whatever comes up, and never goes on to "as many as it takes": its odds are rounded to a whole number of
2^-bits, downwards, so that the budget is never exceeded, and so finely that no float shows the difference
(`ResponseCoin`). Dice redraw words beyond the last multiple of their size. That happens with odds below 2^-30
a word, and says nothing about the word that is kept in the end.
"""

import math
from fractions import Fraction

import numpy as np

from ldp_lib.privacy.exact import exponential

WORD_BITS = 64
PRECISION = 56
"""What a coin says, and what it leaves open, are kept to one part in 2^PRECISION."""
GUARD, CERTAIN = 128, 64
"""Bits computed beyond those of a coin, and how many of their last places may be wrong."""
COIN_BYTES, SUBSET_BYTES = 2**20, 2**22
"""Coins are tossed, and subsets drawn, in blocks of about this size."""

SMALLEST_BUDGET, LARGEST_BUDGET = 1e-100, 1e4
"""Beyond, squares of scales overflow, or tails e^-alpha take too many digits."""


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
        self._threshold = self._rounded_down(Fraction(alpha), w, m, k)
        mask = 2**WORD_BITS - 1
        self._words = [self._threshold >> start & mask for start in range(0, self.bits, WORD_BITS)]

    def _rounded_down(self, alpha, w, m, k):
        """A whole number of 2^-bits below P, and less than 1 + 2^-60 of them below."""
        one = 1 << self.bits + GUARD
        tail = exponential(alpha, self.bits + GUARD)
        # Off by less than 2 last places, which moves the quotient by 2 (k + m) / w + 1: below 2^CERTAIN.
        value = (w * one - k * tail) * one // (w * one + m * tail)
        return value - (1 << CERTAIN) >> GUARD

    @property
    def probability(self):
        """P(heads) as the nearest float."""
        return self._threshold / (1 << self.bits)

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
    rejected = np.nonzero(words > last)
    while rejected[0].size:
        words[rejected] = np.frombuffer(source.bytes(8 * rejected[0].size), "<u8")
        rejected = np.nonzero(words > last)
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

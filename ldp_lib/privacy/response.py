"""Exact coins and dice for randomised response: whole numbers only, no float between the proof and the draw.

A coin with P(heads) = p compares p with a uniform variable U, drawn only as far as needed
(Knuth & Yao, 1976): 64 bits decide unless U is in the one interval of length 2^-64 that holds p, and then
more bits are drawn, for as long as it takes. floor(p 2^bits) is computed in whole numbers with a certified
error.
"""

from fractions import Fraction

import numpy as np

from ldp_lib.privacy.exact import exponential

WORD_BITS = 64
GUARD, CERTAIN = 128, 64
"""Bits computed beyond those asked for, and how many of their last places may be wrong."""

SMALLEST_BUDGET, LARGEST_BUDGET = 1e-100, 1e4
"""Beyond, squares of scales overflow, or tails e^-alpha take too many digits."""


class ResponseCoin:
    """Heads with probability w e^alpha / (w e^alpha + m): w of the w + m answers are e^alpha times as likely.

    alpha : nats, a float taken at its word.  w, m : whole numbers >= 1.

    >>> coin = ResponseCoin(1.0, 1, 1)
    >>> round(coin.probability, 12)                           # e / (e + 1)
    0.73105857863
    """

    def __init__(self, alpha, w, m):
        self._alpha, self._odds = Fraction(alpha), Fraction(m, w)
        self._threshold = self.threshold(WORD_BITS)

    @property
    def probability(self):
        """P(heads) as the nearest float or its neighbour."""
        return self._threshold / 2**WORD_BITS

    def threshold(self, bits, guard=GUARD):
        """floor(p 2^bits), p = 1 / (1 + (m / w) e^-alpha): exact, by more digits where they are needed."""
        one = 1 << bits + guard
        # Off by less than 2 last places; that moves the quotient by less than 2 m/w + 1, far below 2^CERTAIN.
        tail = exponential(self._alpha, bits + guard)
        whole = one * self._odds.denominator
        value = one * whole // (whole + tail * self._odds.numerator)
        floor, rest = value >> guard, value & ((1 << guard) - 1)
        # e to a rational power is transcendental: p is no multiple of 2^-bits, and the loop ends.
        if not 1 << CERTAIN < rest < (1 << guard) - (1 << CERTAIN):
            return self.threshold(bits, 2 * guard)
        return floor

    def toss(self, count, source):
        """`count` independent tosses, bool, True for heads. `source.bytes(n)` must give n uniform bytes."""
        words = np.frombuffer(source.bytes(8 * count), "<u8")
        level = np.uint64(self._threshold)
        heads = words < level
        for place in np.flatnonzero(words == level):
            heads[place] = self._settled(source)
        return heads

    def _settled(self, source):
        """The toss whose U begins with the first 64 bits of p."""
        bits, prefix = WORD_BITS, self._threshold
        while prefix == self.threshold(bits):
            bits += WORD_BITS
            prefix = prefix << WORD_BITS | int.from_bytes(source.bytes(8), "little")
        return prefix < self.threshold(bits)


def uniform_below(limit, count, source):
    """`count` independent uniform whole numbers below `limit` <= 2^63, int64.

    Words beyond the last multiple of `limit` are redrawn.
    """
    last = np.uint64(2**WORD_BITS // limit * limit - 1)
    words = np.frombuffer(source.bytes(8 * count), "<u8").copy()
    rejected = np.flatnonzero(words > last)
    while rejected.size:
        words[rejected] = np.frombuffer(source.bytes(8 * rejected.size), "<u8")
        rejected = rejected[words[rejected] > last]
    return (words % np.uint64(limit)).astype(np.int64)


def random_subsets(size, of, count, source):
    """`count` independent uniform subsets of `size` of the numbers below `of`: bool, shape (count, of).

    Those with the smallest of `of` random words; a row with two equal words is drawn again.
    """
    chosen = np.zeros((count, of), dtype=bool)
    rows = np.arange(count)
    while rows.size and size:
        words = np.frombuffer(source.bytes(8 * rows.size * of), "<u8").reshape(rows.size, of)
        order = np.argsort(words, axis=1)
        inside = np.take_along_axis(words, order, axis=1)
        chosen[rows[:, None], order[:, :size]] = True
        equal = (inside[:, 1:] == inside[:, :-1]).any(axis=1)
        rows = rows[equal]
        chosen[rows] = False
    return chosen

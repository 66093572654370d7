"""The hockey-stick divergence of what a curator releases, exactly.

A mechanism is (epsilon, delta)-private if sup_A P(A) - e^epsilon Q(A) <= delta for the laws P, Q of its
output on any two neighbours, in either order. The supremum is a sum over outcomes, and lattice noise
has outcomes that can be counted. Beyond both centres the ratio of two noise laws no longer changes, so that
each end of the lattice is one outcome and nothing is cut off.
"""

import math

import numpy as np

from ldp_lib._arguments import numeric, real, require_memory
from ldp_lib.privacy.noise import LatticeLaplace

LARGEST_EPSILON = 700.0
"""e^epsilon has to stay a float."""
SAME_RATIO = 1e-10
"""Outcomes whose log-ratios round to the same multiple of this are merged."""


def hockey_stick(pairs, epsilon):
    """sup over events A of P(A) - e^epsilon Q(A) for products P, Q of independent coordinates.

    pairs : list of pairs (p, q), the laws of one coordinate: arrays of one shape that sum to 1.  A single
        coordinate is a list of one pair; coordinates in which the laws agree may be left out.
    epsilon : >= 0, in nats.

    >>> round(hockey_stick([([0.75, 0.25], [0.25, 0.75])], epsilon=math.log(2)), 12)
    0.25
    """
    epsilon = real("epsilon", epsilon, least=0, most=LARGEST_EPSILON)
    p = q = np.ones(1)
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2
                                                       for pair in pairs):
        raise TypeError(f"pairs = {pairs!r:.60} is a {type(pairs).__name__}; it must be a list of pairs of "
                        "laws.")
    for pair in pairs:
        a, b = (numeric("pairs", law).ravel() for law in pair)
        if a.shape != b.shape or not all(abs(v.sum() - 1) < 1e-9 and v.min() >= 0 for v in (a, b)):
            raise ValueError(f"pairs has {pair!r:.60}; it must hold two laws on the same outcomes for every "
                             "coordinate.")
        p, q = _merged(np.multiply.outer(p, a).ravel(), np.multiply.outer(q, b).ravel())
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def _merged(p, q):
    """The same two laws with outcomes of equal ratio made one, which leaves the divergence as it is."""
    possible = (p > 0) | (q > 0)
    p, q = p[possible], q[possible]
    with np.errstate(divide="ignore"):
        ratio = np.log(p) - np.log(q)
    _, group = np.unique(np.round(ratio / SAME_RATIO), return_inverse=True)
    return np.bincount(group, p), np.bincount(group, q)


def lattice_laws(value, other, noise, threshold=-math.inf):
    """Laws of value + noise and of other + noise, for `hockey_stick`; arrays of one shape.

    value, other : points of the lattice.  noise : a `LatticeLaplace`.  With a `threshold`, what falls below
    it is released as 0, and so is a value of 0 itself: a cell of the stability histogram.
    """
    if not isinstance(noise, LatticeLaplace):
        raise TypeError(f"noise = {noise!r:.60} is a {type(noise).__name__}; it must be a LatticeLaplace.")
    value, other = real("value", value), real("other", other)
    first, last = min(value, other), max(value, other)
    steps = (last - first) / noise.granularity
    require_memory(f"The laws of value = {value!r} and other = {other!r}", 64.0 * steps,
                   "Give values nearer to each other.")
    if threshold > -math.inf:
        # Below the threshold all is one outcome; above, the ratio changes between the centres only.
        first = noise.granularity * math.ceil(threshold / noise.granularity)
        last = max(first, last)
    steps = round((last - first) / noise.granularity)
    cuts = first + noise.granularity * np.arange(steps + 1)
    return tuple(_lattice_law(centre, cuts, noise, threshold) for centre in (value, other))


def _lattice_law(centre, cuts, noise, threshold):
    """P(below the cuts), P(between neighbours) ..., P(at the last cut or beyond)."""
    if threshold > -math.inf and centre == 0:
        return np.concatenate([[1.0], np.zeros(len(cuts))])
    # Differences of tails beside the centre, where tails are near 1, would cancel: count from the nearer end.
    reach, step = cuts - centre, noise.granularity
    inside = noise.tail(np.abs(reach[:-1])) - noise.tail(np.abs(reach[:-1]) + step)
    return np.concatenate([[noise.tail(step - reach[0])], inside, [noise.tail(reach[-1])]])

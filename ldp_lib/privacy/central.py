"""Counts released by a trusted curator (Bousquet et al., 2022, Algorithms 1 and 2), and what that costs.

Neighbours are samples of the same size that differ in one person: **replacement**. A person who is
replaced leaves one cell and enters another, so that

* counts move by 2 in l1 norm: noise of scale 2/epsilon;
* sums of y - 1/2 move by 1, a half in either cell or 1 in one: noise of scale 1/epsilon.

The second is half the noise of the first, which is why a noisy majority vote adds up y - 1/2 and not y.

A mechanism is (epsilon, delta)-private if sup_A P(A) - e^epsilon Q(A) <= delta for the laws P, Q of its
output on any two neighbours, in either order: `hockey_stick`, exactly. The supremum is a sum over outcomes,
and lattice noise has outcomes that can be counted. Beyond both centres the ratio of two noise laws no longer
changes, so that each end of the lattice is one outcome and nothing is cut off.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import (
    Randomness, choice, generator, labels, numeric, points, real, reals, require_memory, wrong_kind,
)
from ldp_lib.privacy.mechanism import NoisyMechanism
from ldp_lib.privacy.noise import LARGEST_SCALE, LatticeLaplace, calibrated_scale, laplace_noise

COUNT_SENSITIVITY = 2.0
"""l1 distance of the counts (or of twice the sums of y - 1/2) of two neighbours, at most."""
THRESHOLDS = ("sufficient", "printed")
LARGEST_EPSILON = 700.0
"""e^epsilon has to stay a float."""
SAME_RATIO = 1e-10
"""Outcomes whose log-ratios round to the same multiple of this are merged."""


def central_noise(epsilon, noise="lattice"):
    """The noise that makes whole numbers of l1 sensitivity 2 epsilon-private: Laplace, scale 2/epsilon."""
    epsilon = real("epsilon", epsilon, least=2 * COUNT_SENSITIVITY / LARGEST_SCALE,
                   cure="epsilon is the privacy budget in nats, for example 1.0.")
    return laplace_noise(noise, calibrated_scale(COUNT_SENSITIVITY, epsilon))


def noisy_votes(votes, epsilon, *, noise="lattice", rng):
    """Sums of y - 1/2 in disjoint cells plus Laplace noise of scale 1/epsilon; epsilon-private.

    votes : (K,), ones minus zeros in each cell: twice the sums of y - 1/2.  Replacing a person moves them
        by 2 in l1 norm, whole steps of the noise's lattice, so that noise of scale 2/epsilon is added and
        the sum is halved without a rounding.
    Every cell gets its one draw, empty cells too: noise on non-empty cells only would tell which ones are
    empty, and fresh noise for every query would average out.  Returns floats, shape (K,).
    rng : as in `stability_histogram`.
    """
    law = central_noise(epsilon, noise)
    votes = reals("votes", votes, least=-(2.0**52), most=2.0**52, integer=True, private=True)
    return (votes + law.sample(votes.shape, generator(rng, secure=True))) / 2


class NoisyVotes(NoisyMechanism):
    """Noisy majority votes in cells of width h, seen as what one person among others changes.

    A row is a release of its own: the votes y - 1/2 of one person and of a `crowd` that does not change, plus
    noise of scale 1/alpha in every cell. Replacing the person moves two cells by 1/2, or one by 1: the
    release is alpha-private.
    """

    crowd = 30
    """Votes for 1, less those for 0, in every cell."""

    def __init__(self, alpha, h):
        super().__init__(alpha, h)
        # The noise on twice the votes, as a curator draws it, and that on the votes.
        self.noise = LatticeLaplace(central_noise(alpha).scale / 2)

    def people(self, X, y):
        X = points("X", X, 1)
        return np.clip(X[:, 0] / self.h, 0, self.K - 1).astype(np.intp), labels("y", y, len(X))

    def _signals(self, cells, y):
        votes = np.full((len(y), self.K), float(self.crowd))
        votes[np.arange(len(y)), cells] += 2 * y - 1
        return votes / 2

    def _reports(self, cells, y, source):
        return noisy_votes(2 * self._signals(cells, y), self.alpha, rng=source)


def stability_threshold(epsilon: float, delta: float, *, threshold: str = "sufficient",
                        noise: str = "lattice") -> float:
    """The value below which the stability histogram, Algorithm 1 of [1]_, sets a noisy count to zero.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        Probability, 0 < delta < 1.
    threshold : {"sufficient", "printed"}
        "printed" is 1 + (2/epsilon) log(2/delta), as in Algorithm 1; with real noise it keeps a lone person
        hidden with probability 1 - delta/4 rather than 1 - delta. "sufficient", the default, is the smallest
        that is (epsilon, delta)-private and at least 1: for real noise 1 + (2/epsilon) log(1/(2 delta)), for
        lattice noise 1 plus the first lattice point >= 0 whose tail is at most delta.
    noise : {"lattice", "real"}
        Noise on the counts; "lattice" unless given.

    Returns
    -------
    float
        The threshold, a number of people, 1 or more.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 1, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> [round(stability_threshold(1.0, 1e-6, threshold=name), 3) for name in ("sufficient", "printed")]
    [27.246, 30.017]
    """
    law = central_noise(epsilon, noise)
    delta = real("delta", delta, above=0, below=1, cure="delta is a probability, for example 1e-6.")
    if choice("threshold", threshold, THRESHOLDS) == "printed":
        return 1 + law.scale * math.log(2 / delta)
    distance = max(0.0, -law.scale * math.log(2 * delta))
    if not law.granularity:
        return 1 + distance
    step = law.granularity
    # One step beyond the threshold of real noise the lattice tail is below delta, too.
    nearby = step * (math.ceil(distance / step) + np.arange(-1, 3.0))
    return 1 + float(next(t for t in np.maximum(nearby, 0) if law.tail(t) <= delta))


def stability_delta(epsilon: float, delta: float, *, threshold: str = "sufficient",
                    noise: str = "lattice") -> float:
    """The delta that the stability histogram spends: sup over neighbours of the hockey-stick divergence.

    It is P(1 + noise >= threshold), the probability that a lone person shows: delta/4 for the printed
    threshold of [1]_ and real noise.  Proof: replacing a person moves two counts by 1, a factor e^(epsilon/2)
    each, as long as both stay positive.  Only a cell with one person in one sample and nobody in the other
    can show what is impossible in the other sample; there is one such cell on either side at most, so that
    the divergence is at most that probability p, and two samples of one person attain it.  The other way
    round, where the cell shows 0 with probability 1 against 1 - p, Q(A) - e^epsilon (1 - p) P(A) for the
    other cell is at most Q(A) (1 - (1 - p) e^(epsilon/2)) <= p, too.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        Probability, 0 < delta < 1.
    threshold : {"sufficient", "printed"}
        As in `stability_threshold`; "sufficient" unless given.
    noise : {"lattice", "real"}
        Noise on the counts; "lattice" unless given.

    Returns
    -------
    float
        The delta that is spent, a probability.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 1, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> round(stability_delta(1.0, 1e-6, threshold="printed", noise="real") / 1e-6, 12)
    0.25
    """
    tau = stability_threshold(epsilon, delta, threshold=threshold, noise=noise)
    return float(central_noise(epsilon, noise).tail(tau - 1))


def stability_histogram(counts: ArrayLike, epsilon: float, delta: float, *, threshold: str = "sufficient",
                        noise: str = "lattice", rng: Randomness = None) -> np.ndarray:
    """The stability histogram, Algorithm 1 of [1]_; (epsilon, delta)-private.

    Zero counts stay zero, so that a countable set of cells costs memory only where people are; the others get
    Laplace noise of scale 2/epsilon, one draw each, and become zero below `stability_threshold`.

    Parameters
    ----------
    counts : int or array
        Whole numbers >= 0, any shape, of people in disjoint cells.
    epsilon : float
        Privacy budget in nats, > 0.
    delta : float
        Probability, 0 < delta < 1.
    threshold : {"sufficient", "printed"}
        As in `stability_threshold`; "sufficient" unless given. What is spent exactly is `stability_delta`.
    noise : {"lattice", "real"}
        "lattice" unless given; "real" is floating point, for mathematics only.
    rng : None, "secure", Generator or int
        None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations,
        since whoever knows it undoes the privacy. Real noise is numpy's: None seeds it afresh, "secure" is
        refused.

    Returns
    -------
    array
        Noisy counts of the shape of `counts`: 0 or at least the threshold.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithm 1, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> stability_histogram([0, 1, 500], epsilon=1.0, delta=1e-6, rng=0).round(1)
    array([  0. ,   0. , 505.2])
    """
    counts = reals("counts", counts, least=0, most=2.0**52, integer=True, private=True,
                   cure="Count people first, one count a cell.")
    law = central_noise(epsilon, noise)
    tau = stability_threshold(epsilon, delta, threshold=threshold, noise=noise)
    noisy = counts + law.sample(counts.shape, generator(rng, secure=True))
    return np.where((counts > 0) & (noisy >= tau), noisy, 0.0)


def hockey_stick(pairs: list[tuple[ArrayLike, ArrayLike]], epsilon: float, both: bool = False) -> float:
    """Hockey-stick divergence: sup over events A of P(A) - e^epsilon Q(A).

    P and Q are products of the laws of independent coordinates.

    Parameters
    ----------
    pairs : list of pairs of arrays
        For each coordinate a pair (p, q) of its laws under P and Q: arrays of one shape, >= 0, that sum to 1.
        A single coordinate is a list of one pair; coordinates in which the laws agree may be left out.
    epsilon : float
        In nats, 0 to 700.
    both : bool
        Whether the larger one of both orders is meant, of (P, Q) and of (Q, P), as privacy asks for.

    Returns
    -------
    float
        The supremum: the smallest delta >= 0 with P(A) <= e^epsilon Q(A) + delta for all A.

    Examples
    --------
    >>> round(hockey_stick([([0.75, 0.25], [0.25, 0.75])], epsilon=math.log(2)), 12)
    0.25
    """
    epsilon = real("epsilon", epsilon, least=0, most=LARGEST_EPSILON)
    p = q = np.ones(1)
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2
                                                       for pair in pairs):
        raise wrong_kind("pairs", pairs, "a list of pairs of laws")
    for pair in pairs:
        a, b = (numeric("pairs", law).ravel() for law in pair)
        if a.shape != b.shape or not all(abs(v.sum() - 1) < 1e-9 and v.min() >= 0 for v in (a, b)):
            raise ValueError(f"pairs has {pair!r:.60}; it must hold two laws on the same outcomes for every "
                             "coordinate.")
        p, q = _merged(np.multiply.outer(p, a).ravel(), np.multiply.outer(q, b).ravel())
    orders = [(p, q), (q, p)] if both else [(p, q)]
    return max(float(np.maximum(first - math.exp(epsilon) * second, 0).sum()) for first, second in orders)


def _merged(p, q):
    """The same two laws with outcomes of equal ratio made one, which leaves the divergence as it is."""
    possible = (p > 0) | (q > 0)
    p, q = p[possible], q[possible]
    with np.errstate(divide="ignore"):
        ratio = np.log(p) - np.log(q)
    _, group = np.unique(np.round(ratio / SAME_RATIO), return_inverse=True)
    return np.bincount(group, p), np.bincount(group, q)


def lattice_laws(value: float, other: float, noise: LatticeLaplace,
                 threshold: float = -math.inf) -> tuple[np.ndarray, np.ndarray]:
    """Laws of value + noise and of other + noise, for `hockey_stick`.

    With a `threshold` that is finite, they are laws of a cell of the stability histogram.

    Parameters
    ----------
    value, other : float
        Points of the lattice of `noise`.
    noise : LatticeLaplace
        The noise; a TypeError for any other.
    threshold : float
        What falls below it is released as 0, and so is a value of 0 itself; -inf, the default, for none.

    Returns
    -------
    p, q : array
        Probabilities of the same outcomes under `value` and `other`, of one shape (m,).

    Examples
    --------
    >>> p, q = lattice_laws(0.0, 1.0, LatticeLaplace(2.0))
    >>> hockey_stick([(p, q)], epsilon=0.5)
    0.0
    """
    if not isinstance(noise, LatticeLaplace):
        raise wrong_kind("noise", noise, "a LatticeLaplace")
    value, other = real("value", value), real("other", other)
    first, last = min(value, other), max(value, other)
    if threshold != -math.inf:
        # Below the threshold all is one outcome; above, the ratio changes between the centres only.
        first = noise.granularity * math.ceil(real("threshold", threshold) / noise.granularity)
        last = max(first, last)
    steps = round((last - first) / noise.granularity)
    require_memory(f"The laws of value = {value!r} and other = {other!r}", 64.0 * steps,
                   "Give values nearer to each other, and a threshold near them.")
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

"""What an adversary can tell: exact trade-offs for lattice noise and randomised response, and lower bounds on
epsilon for any mechanism.

A record is a pair (x, y), d features and a label, or x alone if a mechanism takes no labels. The exact tools
use the lattice law of the noise, or the odds of the answers; `epsilon_lower_bound` sees nothing but reports.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, points, real, require_memory, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy.attacks import (
    betrayal_attack, identification_attack, negative_zero, precision_attack, reachability_attack, zero_attack,
)
from ldp_lib.privacy.binomial import largest_chance, least_chance
from ldp_lib.privacy.mechanism import (
    Mechanism, check_mechanism, halves, record_pair, reports, scales, signals, told,
)

__all__ = [
    "EpsilonBound",
    "PrivacyLoss",
    "TradeOff",
    "WorstPair",
    "betrayal_attack",
    "epsilon_lower_bound",
    "identification_attack",
    "precision_attack",
    "privacy_loss_distribution",
    "reachability_attack",
    "trade_off",
    "worst_pair",
    "zero_attack",
]


class PrivacyLoss(NamedTuple):
    """Exact law of the log-likelihood ratio of record a against record b.

    `loss`: (m,) increasing, in nats; `under_a`, `under_b`: (m,), the probability of
    each loss when the report comes from a, or from b.

    >>> from ldp_lib.privacy import HadamardBit
    >>> law = privacy_loss_distribution(HadamardBit(1.0, 0.25), ((0.1,), 1), ((0.9,), 1))
    >>> law.loss.tolist(), law.under_a.round(3).tolist()
    ([-1.0, 0.0, 1.0], [0.134, 0.5, 0.366])
    """

    loss: np.ndarray
    under_a: np.ndarray
    under_b: np.ndarray


class TradeOff(NamedTuple):
    """Neyman-Pearson tests of b against a: `power` is the largest reachable at each `level`, both (m,).

    alpha-LDP says power <= e^alpha level and 1 - level <= e^alpha (1 - power).

    >>> from ldp_lib.privacy import HadamardBit
    >>> test = trade_off(HadamardBit(1.0, 0.25), ((0.1,), 1), ((0.9,), 1))
    >>> test.level.round(3).tolist(), test.power.round(3).tolist()
    ([0.0, 0.134, 0.634, 1.0], [0.0, 0.366, 0.866, 1.0])
    """

    level: np.ndarray
    power: np.ndarray


class EpsilonBound(NamedTuple):
    """`epsilon` is exceeded by the true budget, except with probability `failure_probability`.

    `event` says in words which event told the records apart.

    >>> from ldp_lib.privacy import HadamardBit
    >>> pair = ((0.1,), 1), ((0.9,), 1)
    >>> bound = epsilon_lower_bound(HadamardBit(1.0, 0.25), *pair, n=5000, confidence=0.95, rng=1)
    >>> 0.7 < bound.epsilon < 1.0, round(bound.failure_probability, 2)
    (True, 0.05)
    """

    epsilon: float
    failure_probability: float
    event: str


class WorstPair(NamedTuple):
    """Two records and the largest loss between them in nats, reached in `half` of the sample (None: no
    halves).

    >>> from ldp_lib.privacy import HadamardBit
    >>> found = worst_pair(HadamardBit(1.0, 0.25))
    >>> found.record_a, found.record_b, found.loss
    (((0.0,), 1), ((0.25,), 1), 1.0)
    """

    record_a: tuple
    record_b: tuple
    loss: float
    half: int | None


def worst_pair(mechanism: Mechanism, candidates: ArrayLike | None = None) -> WorstPair:
    """The pair of people between whom a report of `mechanism` tells most.

    Exact: Laplace noise of scales b_j loses sum_j |v_j - v'_j| / b_j between signals v and v'; randomised
    response about cells loses the same between any two different signals.

    Parameters
    ----------
    mechanism : Mechanism
        What people run, for example `CubeLaplace`.
    candidates : array, shape (m, d), optional
        Places where people may be, each taken with both labels if there are labels; the search covers no more
        than these. For `CubeLaplace` and for cells None means grid lines and cell centres inside [0, 1]^d:
        everybody publishes what somebody there publishes, so that the search is exhaustive. For
        `WaveletLaplace` None means its own search, `WaveletLaplace.worst_pair`, which also bounds what it may
        have missed.

    Returns
    -------
    WorstPair
        Two records, the largest loss between them in nats, and the half of the sample that it is reached in,
        None without halves.

    Examples
    --------
    >>> from ldp_lib.privacy import CubeLaplace
    >>> worst_pair(CubeLaplace(alpha=1.0, h=0.25)).loss <= 1.0
    True
    """
    _check_exact(mechanism, "d", "privacy_loss")
    if candidates is None and hasattr(mechanism, "worst_pair"):
        found = mechanism.worst_pair()
        return WorstPair(*found.pair, found.loss, None)
    if candidates is None:
        last, half_steps = 2 * (mechanism.shape[0] - 1), 0.5 * mechanism.h
        axis = np.minimum(np.arange(last + 1) * half_steps, 1.0)
        require_memory(f"All pairs of {2.0 * (last + 1)**mechanism.d:.3g} people",
                       32.0 * (last + 1.0) ** (2 * mechanism.d), "Raise h, or give candidates.")
        candidates = np.array(list(itertools.product(np.unique(axis), repeat=mechanism.d)))
    people = (points("candidates", candidates, mechanism.d),)
    labelled = told(mechanism, "labelled")
    if labelled:
        people = np.tile(people[0], (2, 1)), np.repeat([1, 0], len(people[0]))
    require_memory(f"All pairs of {len(people[0]):,} people", 8.0 * len(people[0]) ** 2,
                   "Give fewer candidates.")
    pairs = []
    for half in halves(mechanism):
        scaled = signals(mechanism, people, half) / scales(mechanism)
        distance = scipy.spatial.distance.cdist(scaled, scaled, "cityblock")
        pair = np.unravel_index(canonical(distance).argmax(), distance.shape)     # of equals the first
        where = [tuple(people[0][k].tolist()) for k in pair]
        records = ([(place, int(people[1][k])) for place, k in zip(where, pair)] if labelled
                   else [place if mechanism.d > 1 else place[0] for place in where])
        arguments = [*records[0], *records[1]] if labelled else records
        options = {} if half is None else {"half": half}
        pairs.append(WorstPair(*records, mechanism.privacy_loss(*arguments, **options), half))
    return max(pairs, key=lambda pair: canonical(pair.loss))


def _check_exact(mechanism, *needed):
    """Refuse what does not say of itself what exact losses are made of."""
    check_mechanism(mechanism)
    missing = [name for name in needed if not hasattr(mechanism, name)]
    if missing:
        cure = ("State `disclosure` if its only losses are -alpha, 0 and alpha, `noise_laws` if it adds noise"
                if isinstance(mechanism, Mechanism) else "Make it a Mechanism")
        raise TypeError(f"mechanism = {mechanism!r:.60} has no {' and no '.join(missing)}, so that its exact "
                        f"losses are not known. {cure}, or audit it with epsilon_lower_bound.")


def privacy_loss_distribution(mechanism: Mechanism, record_a: tuple | float, record_b: tuple | float, *,
                              half: int | None = None) -> PrivacyLoss:
    """Exact law of the log-likelihood ratio of one report, record a against record b.

    Randomised response (a bit, a signed subset) has the losses -alpha, 0 and alpha only, and says in
    `disclosure` how often. With noise the law is convolved over the coordinates in which the records differ.
    Where the signals differ by D, s = D/g lattice steps, the loss of that coordinate is
    (s - 2k) g/b with probability proportional to exp(-k g/b) for 0 < k < s, and +D/b or
    -D/b beyond either signal.

    Parameters
    ----------
    mechanism : Mechanism
        What the person runs. If it adds noise, it needs noise="lattice", and one scale for all entries.
    record_a, record_b : tuple or float
        A pair (x, y), d features and a label, or a number x if the mechanism takes no labels.
    half : 1 or 2, optional
        The half of the sample that the person is in; None (default) is the one that tells more. Mechanisms
        that treat all people alike take None only.

    Returns
    -------
    PrivacyLoss
        Losses in nats, increasing, and their probabilities under a and under b, all (m,).

    Raises
    ------
    ValueError
        If the noise is real or has several scales, or if the mechanism has no halves and `half` is given.

    Examples
    --------
    >>> from ldp_lib.privacy import SignedSubset
    >>> law = privacy_loss_distribution(SignedSubset(2.0, 0.25), ((0.1,), 0), ((0.9,), 1))
    >>> law.loss.tolist(), law.under_a.round(3).tolist()
    ([-2.0, 0.0, 2.0], [0.069, 0.417, 0.514])
    """
    people, sides = record_pair(mechanism, record_a, record_b), halves(mechanism, half)
    if hasattr(mechanism, "disclosure"):
        return _response_loss(mechanism.alpha, mechanism.disclosure(*people))
    _check_exact(mechanism, "granularity")
    if mechanism.granularity == 0:
        raise ValueError('noise = "real" has no lattice to convolve on; build the mechanism with '
                         'noise="lattice".')
    if np.ptp(scales(mechanism)) > 0:
        raise ValueError(f"mechanism = {mechanism!r} has several noise scales, whose losses lie on no common "
                         "lattice; "
                         'give one with one scale, such as scales="common".')
    difference = max((np.abs(np.subtract(*signals(mechanism, people, side))) for side in sides), key=np.sum)
    unit = mechanism.granularity / mechanism.scale
    steps = np.rint(difference / mechanism.granularity).astype(int)
    require_memory(f"The law of {steps.sum():,} lattice steps", 80.0 * steps.sum(), "Lower alpha or raise h.")
    law = np.ones(1)
    for s in steps[steps > 0]:
        law = _add_coordinate(law, s, unit)
    # Entry k of the law has loss (S - 2k) g/b, S being the sum of all steps; b sees the mirror image.
    loss = (steps.sum() - 2.0 * np.arange(law.size)) * unit
    return PrivacyLoss(loss[::-1], law[::-1], law)


def _response_loss(alpha, sure):
    """The losses -alpha, 0 and alpha; `sure` is the probability of alpha under a, and of -alpha under b."""
    rare = sure * math.exp(-alpha)
    law = np.array([rare, max(1 - sure - rare, 0.0), sure])
    return PrivacyLoss(np.array([-alpha, 0.0, alpha]), law, law[::-1])


def _add_coordinate(law, s, unit):
    """Convolve `law` with that of a coordinate that differs by s steps, in m log m operations.

    Its masses at k = 0, ..., s are 1, (1 - r) r^k, r^s over 1 + r, with r = exp(-unit); the geometric part
    is a first-order recursion, cut off after s steps.
    """
    ratio, padded = np.exp(-unit), np.concatenate([law, np.zeros(s)])
    history = _fading_sums(padded, ratio)
    result = padded.copy()
    result[1:] += -np.expm1(-unit) * ratio * history[:-1]
    result[s:] -= -np.expm1(-unit) * ratio**s * history[: len(law)]
    result[s:] += ratio**s * law
    return np.maximum(result, 0.0) / (1 + ratio)


def _fading_sums(values, ratio):
    """Return sums (m,) with entry k = values[k] + ratio entry k - 1: twice as many terms at a time."""
    sums, terms = values.copy(), 1
    while terms < sums.size and ratio > 0:
        sums[terms:] += ratio * sums[:-terms]
        ratio, terms = ratio * ratio, 2 * terms
    return sums


def trade_off(mechanism: Mechanism, record_a: tuple | float, record_b: tuple | float, *,
              half: int | None = None) -> TradeOff:
    """Exact trade-off between two records: the best test rejects b where the loss is large.

    Parameters
    ----------
    mechanism : Mechanism
        As for `privacy_loss_distribution`, like all others.
    record_a, record_b : tuple or float
        A pair (x, y), or a number x if the mechanism takes no labels.
    half : 1 or 2, optional
        None (default) is the half of the sample that tells more.

    Returns
    -------
    TradeOff
        Levels and the largest power at each, increasing from 0, both with one entry more than there are
        losses.

    Examples
    --------
    >>> from ldp_lib.privacy import HadamardBit
    >>> trade_off(HadamardBit(1.0, 0.25), ((0.1,), 1), ((0.1,), 0)).power.round(3).tolist()
    [0.0, 0.731, 0.731, 1.0]
    """
    law = privacy_loss_distribution(mechanism, record_a, record_b, half=half)
    level, power = (np.concatenate([[0.0], np.cumsum(side[::-1])]) for side in (law.under_b, law.under_a))
    return TradeOff(np.minimum(level, 1.0), np.minimum(power, 1.0))


MOST_COLUMNS = 24
"""The entries of a report that the audit looks at: those in which the two samples differ most."""


def _apart(first, second):
    """The largest difference of two samples' empirical distribution functions (Kolmogorov & Smirnov)."""
    first, second = np.sort(first), np.sort(second)
    places = np.concatenate([first, second])
    shares = (np.searchsorted(side, places, "right") / len(side) for side in (first, second))
    return np.abs(np.subtract(*shares)).max()


def _candidates(samples, pair):
    """Statistics that may tell two samples of reports, (n, K) each, apart: a list of tuples of columns.

    () is the clipped log-likelihood direction, which catches too little noise; (j,) an entry, which catches
    missing noise and leaks where nothing should differ; (j, k) a difference, which catches shared noise.
    """
    differ = np.flatnonzero(pair[0] != pair[1]).tolist()
    columns = range(len(pair[0]))
    if len(columns) > MOST_COLUMNS:
        apart = [_apart(*sides) for sides in zip(*(sample.T for sample in samples), strict=True)]
        ranked = np.argsort(-canonical(np.array(apart)), kind="stable")
        columns = list(dict.fromkeys([*differ, *ranked.tolist()]))[:MOST_COLUMNS]
    # Distribution functions do not see the sign of a zero.
    signs = [negative_zero(sample).mean(axis=0) for sample in samples]
    turned = np.argsort(-np.abs(signs[0] - signs[1]), kind="stable")
    columns = dict.fromkeys([*columns, *turned.tolist()[:MOST_COLUMNS]])
    return [(), *((j,) for j in columns), *itertools.islice(itertools.combinations(differ, 2), 8)]


def _statistic(columns, sample, pair, weights):
    """The statistic named by a tuple of columns, one value a report, in the order of `in_order`; weights (K,)
    are inverse to the noise scales."""
    if len(columns) == 1:
        return in_order(sample[:, columns[0]])
    if len(columns) == 2:
        values = sample[:, columns[0]] - sample[:, columns[1]]
    else:
        clipped = np.clip(sample, np.minimum(*pair), np.maximum(*pair))
        values = clipped @ (np.sign(pair[0] - pair[1]) * weights)
    # Its zeros have no sign that a report shows.
    return in_order(values + 0.0)


def in_order(values):
    """Whole numbers, int64, in the order of `values`, one for each pattern of bits: -0.0 comes before 0.0."""
    return _magnitude_turned(np.asarray(values, dtype=float).view(np.int64))


def _magnitude_turned(bits):
    """The bits of floats in the order of the floats, and back: negative magnitudes are turned over."""
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)


def _best_event(samples, pair, weights, confidence):
    """The event (columns, kind, cut, order) that promises the largest epsilon on these reports.

    `order` = (0, 1) bounds P_a(event) / P_b(event), (1, 0) its inverse.
    """
    best, event = -np.inf, None
    for columns in _candidates(samples, pair):
        values = [np.sort(_statistic(columns, sample, pair, weights)) for sample in samples]
        cuts = np.unique(np.quantile(np.concatenate(values), np.linspace(0.01, 0.99, 25), method="nearest"))
        atoms = np.concatenate([_commonest(side) for side in values])
        for kind, places in ((">=", cuts), ("<=", cuts), ("==", atoms)):
            hits = [_hits(side, kind, places) for side in values]
            for order in ((0, 1), (1, 0)):
                one, other = (hits[side] for side in order)
                # A limit is below the ratio that is seen: most events are out of the race.
                racing = np.flatnonzero(one > np.exp(best) * other)
                if not racing.size:
                    continue
                promise = canonical(_limit(one[racing], other[racing], len(values[0]), confidence))
                # An event and its opposite may promise the same: of equals the first is told.
                if promise.max() > best:
                    k = promise.argmax()
                    best, event = promise[k], (columns, kind, places[racing[k]], order)
    return event


def _commonest(values):
    """The two most frequent of sorted values."""
    begins = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    counts = np.diff(begins, append=len(values))
    return values[begins[np.argsort(counts, kind="stable")[-2:]]]


def _hits(values, kind, cuts):
    """How many of the sorted `values` are in the event, for each of the cuts."""
    below, up_to = (np.searchsorted(values, cuts, side) for side in ("left", "right"))
    return {">=": values.size - below, "<=": up_to, "==": up_to - below}[kind]


def _limit(hits_a, hits_b, n, confidence):
    """log of a lower limit for P_a(event) over an upper limit for P_b(event) (Clopper & Pearson, 1934).

    hits_a, hits_b : arrays, how many of n reports are in the event. -inf where none of a is.
    """
    miss = (1 - confidence) / 2
    with np.errstate(divide="ignore"):
        return np.log(least_chance(hits_a, n, miss) / largest_chance(hits_b, n, miss))


def ceiling(n, groups, confidence):
    """The largest bound that an audit of n reports can give, unless the noise is known, in nats.

    n : array.  groups : 2 if the halves of the sample publish different things, else 1; they share the risk.
    The event has all held-out reports of one person, none of the other's.
    """
    held_out = n - n // 2
    return _limit(held_out, 0, held_out, 1 - (1 - confidence) / groups)


COPIES = 16
"""People of each half whose noise is compared. Independent reports look as if they had known noise with odds
below 2^-30, whatever their law: p_1 ... p_16 <= 16^-16 for 16 different reports, (p q)^16 <= 4^-16 for
two."""


def _known_noise(mechanism, people, rng):
    """Says that the noise does not depend on the seed, or not on the person; else ""."""
    seeds = rng.integers(2**32, size=2).tolist()
    samples = (reports(mechanism, people, 0, COPIES, np.random.default_rng(seed)) for seed in seeds)
    for first, again in (map(in_order, pair) for pair in zip(*samples, strict=True)):
        kinds = [len(np.unique(sample, axis=0)) for sample in (first, again)]
        same = np.array_equal(first, again)
        if kinds[0] == COPIES and same:
            return "two seeds give the same reports"
        if kinds == [1, 1] and not same:
            return "everybody has the same noise"
    return ""


def epsilon_lower_bound(mechanism: Mechanism, record_a: tuple | float, record_b: tuple | float, *, n: int,
                        confidence: float = 1 - 1e-6, rng: Randomness) -> EpsilonBound:
    """A lower bound for the budget that the mechanism really spends on these two records.

    n reports of each record and each half of the sample are drawn with `mechanism.privatize`. Half of
    them choose an event, the other half bound its two probabilities; both halves of the sample and both
    orders of the records count, and the largest bound is returned. The true budget is below it with
    probability at most 1 - confidence, provided that reports are independent from person to person. A bound
    above alpha refutes the claim; one below proves nothing: an event that betrays more may have been missed.

    Parameters
    ----------
    mechanism : Mechanism
        What is audited: anything with `encode` and `privatize`, which return one row a person, and `K`, the
        length of a row.
    record_a, record_b : tuple or float
        A pair (x, y), d features and a label, or a number x if the mechanism takes no labels.
    n : int
        Reports of each record and each half of the sample, 100 or more; 100000 or more for a sharp bound.
    confidence : float
        In (0, 1); 1 - 1e-6 by default.
    rng : Generator, int or None
        A numpy Generator, a seed, or None for fresh entropy.

    Returns
    -------
    EpsilonBound
        The bound in nats, at least 0; 1 - confidence; and the event in words.

    Notes
    -----
    Events compare the bits of reports, of which 0.0 and -0.0 have different ones.

    Noise that is the same for two seeds, or for all people, can be subtracted, and numbers of another type
    for another record need no event: the bound is then infinite. Independent noise looks the same with
    probability 2^-29 at most (`COPIES`), on top of 1 - confidence.

    Examples
    --------
    >>> class Coin:                               # of one's own: half of x, told the truth 9 times out of 10
    ...     K = 1
    ...     def encode(self, X):
    ...         return (np.asarray(X).reshape(-1, 1) > 0.5).astype(float)
    ...     def privatize(self, X, *, rng):
    ...         return np.abs(self.encode(X) - (rng.random((len(X), 1)) < 0.1))
    >>> epsilon_lower_bound(Coin(), 0.1, 0.9, n=5000, confidence=0.95, rng=1).epsilon > 1.9     # log 9 = 2.2
    True
    """
    people = record_pair(mechanism, record_a, record_b)
    n = whole("n", n, least=100, cure="Use n = 100000 or more for a sharp bound.")
    require_memory(f"An audit with n = {n:,}", 64.0 * n * mechanism.K, "Lower n.")
    confidence = real("confidence", confidence, above=0, below=1)
    rng = generator(rng)
    known = _known_noise(mechanism, people, rng)
    if known:
        return EpsilonBound(math.inf, 1 - confidence, known)
    groups = halves(mechanism)
    # The risk is shared out among the halves of the sample, if it has halves.
    each = 1 - (1 - confidence) / len(groups)
    samples = [reports(mechanism, people, row, n, rng) for row in (0, 1)]
    types = {sample.dtype for side in samples for sample in side}
    if len(types) > 1:
        return EpsilonBound(math.inf, 1 - confidence, f"reports of several types, {sorted(map(str, types))}")
    weights = scales(mechanism).max() / scales(mechanism)
    bounds = []
    for half, *sides in zip(groups, *samples, strict=True):
        pair = signals(mechanism, people, half)
        columns, kind, cut, order = _best_event([side[: n // 2] for side in sides], pair, weights, each)
        held = [np.sort(_statistic(columns, side[n // 2:], pair, weights)) for side in sides]
        hits = [_hits(held[side], kind, cut) for side in order]
        epsilon = float(_limit(*hits, n - n // 2, each))
        what = " - ".join(f"entry {j}" for j in columns) or "likelihood direction"
        where = "" if half is None else f"half {half}: "
        place = float(_magnitude_turned(cut).view(float))
        bounds.append(EpsilonBound(max(epsilon, 0.0), 1 - confidence, f"{where}{what} {kind} {place:.6g}"))
    return max(bounds)

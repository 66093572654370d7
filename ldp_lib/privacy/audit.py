"""What an adversary can tell: exact trade-offs for lattice noise, lower bounds on epsilon for any mechanism.

A record is a pair (x, y): d features and a label. The exact tools use the lattice
law of the noise; `epsilon_lower_bound` sees nothing but reports. The attacks on
floating-point noise are in `ldp_lib.privacy.attacks`.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter
from scipy.stats import beta

from ldp_lib._arguments import generator, real, require_memory, whole
from ldp_lib.privacy.attacks import (
    betrayal_attack,
    identification_attack,
    precision_attack,
    reachability_attack,
)
from ldp_lib.privacy.records import check_mechanism, record_pair, worst_pair

__all__ = [
    "EpsilonBound",
    "PrivacyLoss",
    "TradeOff",
    "betrayal_attack",
    "epsilon_lower_bound",
    "identification_attack",
    "precision_attack",
    "privacy_loss_distribution",
    "reachability_attack",
    "trade_off",
    "worst_pair",
]


class PrivacyLoss(NamedTuple):
    """Exact law of the log-likelihood ratio of record a against record b.

    `loss`: (m,) increasing, in nats; `under_a`, `under_b`: (m,), the probability of
    each loss when the report comes from a, or from b.
    """

    loss: np.ndarray
    under_a: np.ndarray
    under_b: np.ndarray


class TradeOff(NamedTuple):
    """Neyman-Pearson tests of b against a: `power` is the largest reachable at each `level`, both (m,).

    alpha-LDP says power <= e^alpha level and 1 - level <= e^alpha (1 - power).
    """

    level: np.ndarray
    power: np.ndarray


class EpsilonBound(NamedTuple):
    """`epsilon` is exceeded by the true budget, except with probability `failure_probability`.

    `event` says in words which event told the records apart.
    """

    epsilon: float
    failure_probability: float
    event: str


def _signals(mechanism, record_a, record_b, half):
    """What the two people would publish without noise, shape (2, K); half None is the one that tells more."""
    X, y = record_pair(mechanism, record_a, record_b)
    halves = [mechanism.encode(X, y, half=k) for k in ((1, 2) if half is None else (half,))]
    return max(halves, key=lambda signals: np.abs(signals[0] - signals[1]).sum())


def privacy_loss_distribution(mechanism, record_a, record_b, *, half=None):
    """Exact `PrivacyLoss` of one report, by convolution over the coordinates in which the records differ.

    Where the signals differ by D, s = D/g lattice steps, the loss of that coordinate is
    (s - 2k) g/b with probability proportional to exp(-k g/b) for 0 < k < s, and +D/b or
    -D/b beyond either signal. `half` picks the half of the sample the person is in,
    None the one that tells more. Needs noise="lattice".
    """
    check_mechanism(mechanism)
    if mechanism.granularity == 0:
        raise ValueError('noise = "real" has no lattice to convolve on; build the mechanism with noise="lattice".')
    signal_a, signal_b = _signals(mechanism, record_a, record_b, half)
    unit = mechanism.granularity / mechanism.scale
    steps = np.rint(np.abs(signal_a - signal_b) / mechanism.granularity).astype(int)
    require_memory(f"The law of {steps.sum():,} lattice steps", 80.0 * steps.sum(), "Lower alpha or raise h.")
    law = np.ones(1)
    for s in steps[steps > 0]:
        law = _add_coordinate(law, s, unit)
    # Entry k of the law has loss (S - 2k) g/b, S being the sum of all steps; b sees the mirror image.
    loss = (steps.sum() - 2.0 * np.arange(law.size)) * unit
    return PrivacyLoss(loss[::-1], law[::-1], law)


def _add_coordinate(law, s, unit):
    """Convolve `law` with that of a coordinate that differs by s steps, in linear time.

    Its masses at k = 0, ..., s are 1, (1 - r) r^k, r^s over 1 + r, with r = exp(-unit); the geometric part
    is a first-order recursion, cut off after s steps.
    """
    ratio, padded = np.exp(-unit), np.concatenate([law, np.zeros(s)])
    history = lfilter([1.0], [1.0, -ratio], padded)
    result = padded.copy()
    result[1:] += -np.expm1(-unit) * ratio * history[:-1]
    result[s:] -= -np.expm1(-unit) * ratio**s * history[: len(law)]
    result[s:] += ratio**s * law
    return np.maximum(result, 0.0) / (1 + ratio)


def trade_off(mechanism, record_a, record_b, *, half=None):
    """Exact `TradeOff` between two records: the best test rejects b where the loss is large."""
    law = privacy_loss_distribution(mechanism, record_a, record_b, half=half)
    level, power = (np.concatenate([[0.0], np.cumsum(side[::-1])]) for side in (law.under_b, law.under_a))
    return TradeOff(np.minimum(level, 1.0), np.minimum(power, 1.0))


MOST_COLUMNS = 24
"""The entries of a report that the audit looks at: those in which the two samples differ most."""


def _candidates(samples, signals):
    """Statistics that may tell two samples of reports, (n, K) each, apart: a list of tuples of columns.

    () is the clipped log-likelihood direction, which catches too little noise; (j,) an entry, which catches
    missing noise and leaks where nothing should differ; (j, k) a difference, which catches shared noise.
    """
    differ = np.flatnonzero(signals[0] != signals[1]).tolist()
    # Quartiles see every shift and every large atom.
    quartiles = [np.quantile(sample, (0.25, 0.5, 0.75), axis=0) for sample in samples]
    shift = np.abs(quartiles[0] - quartiles[1]).max(axis=0)
    columns = list(dict.fromkeys([*differ, *np.argsort(-shift).tolist()]))[:MOST_COLUMNS]
    return [(), *((j,) for j in columns), *itertools.islice(itertools.combinations(differ, 2), 8)]


def _statistic(columns, sample, signals):
    """The statistic named by a tuple of columns, one value a report."""
    if len(columns) == 2:
        return sample[:, columns[0]] - sample[:, columns[1]]
    if len(columns) == 1:
        return sample[:, columns[0]]
    clipped = np.clip(sample, np.minimum(*signals), np.maximum(*signals))
    return clipped @ (signals[0] - signals[1])


def _best_event(samples, signals, confidence):
    """The event (columns, kind, cut, order) that promises the largest epsilon on these reports.

    `order` = (0, 1) bounds P_a(event) / P_b(event), (1, 0) its inverse.
    """
    best = (-np.inf, None)
    for columns in _candidates(samples, signals):
        pair = [np.sort(_statistic(columns, sample, signals)) for sample in samples]
        cuts = np.unique(np.quantile(np.concatenate(pair), np.linspace(0.01, 0.99, 25), method="nearest"))
        atoms = np.concatenate([_commonest(values) for values in pair])
        for kind, places in ((">=", cuts), ("<=", cuts), ("==", atoms)):
            hits = [_hits(values, kind, places) for values in pair]
            for order in ((0, 1), (1, 0)):
                promise = _limit(hits[order[0]], hits[order[1]], len(pair[0]), confidence)
                k = promise.argmax()
                best = max(best, (promise[k], (columns, kind, places[k], order)), key=lambda scored: scored[0])
    return best[1]


def _commonest(values):
    """The two most frequent values."""
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argsort(counts)[-2:]]


def _hits(values, kind, cuts):
    """How many of the sorted `values` are in the event, for each of the cuts."""
    below, up_to = (np.searchsorted(values, cuts, side) for side in ("left", "right"))
    return {">=": values.size - below, "<=": up_to, "==": up_to - below}[kind]


def _limit(hits_a, hits_b, n, confidence):
    """log of a lower limit for P_a(event) over an upper limit for P_b(event) (Clopper & Pearson, 1934).

    hits_a, hits_b : arrays, how many of n reports are in the event. -inf where none of a is.
    """
    risk = (1 - confidence) / 2
    some, most = np.maximum(hits_a, 1), np.minimum(hits_b, n - 1)
    lower = beta.ppf(risk, some, n - some + 1)
    upper = np.where(hits_b < n, beta.isf(risk, most + 1, n - most), 1.0)
    return np.where(hits_a > 0, np.log(lower / upper), -np.inf)


COPIES = 16
"""People of each half whose noise is compared. Independent reports look as if they had known noise with odds
below 2^-30, whatever their law: p_1 ... p_16 <= 16^-16 for 16 different reports, (p q)^16 <= 4^-16 for
two."""


def _known_noise(mechanism, X, y, rng):
    """Says that the noise does not depend on the seed, or not on the person; else ""."""
    crowd = np.tile(X[:1], (2 * COPIES, 1)), np.full(2 * COPIES, y[0])
    seeds = rng.integers(2**32, size=2).tolist()
    first, again = (mechanism.privatize(*crowd, rng=np.random.default_rng(seed)) for seed in seeds)
    for half in (slice(0, COPIES), slice(COPIES, None)):
        kinds = [len(np.unique(reports[half], axis=0)) for reports in (first, again)]
        same = np.array_equal(first[half], again[half])
        if kinds[0] == COPIES and same:
            return "two seeds give the same reports"
        if kinds == [1, 1] and not same:
            return "everybody has the same noise"
    return ""


def epsilon_lower_bound(mechanism, record_a, record_b, *, n, confidence=1 - 1e-6, rng):
    """A lower bound for the budget that the mechanism really spends on these two records.

    n reports of each record and each half of the sample are drawn with `mechanism.privatize`. Half of
    them choose an event, the other half bound its two probabilities; both halves of the sample and both
    orders of the records count, and the largest bound is returned. The true budget is below it with
    probability at most 1 - confidence, provided that reports are independent from person to person. A bound
    above alpha refutes the claim; one below proves nothing: an event that betrays more may have been missed.

    Noise that is the same for two seeds, or for all people, can be subtracted: the bound is then infinite.
    """
    check_mechanism(mechanism)
    n = whole("n", n, least=100, cure="Use n = 100000 or more for a sharp bound.")
    require_memory(f"An audit with n = {n:,}", 64.0 * n * mechanism.K, "Lower n.")
    confidence = real("confidence", confidence, above=0, below=1)
    rng = generator(rng)
    X, y = record_pair(mechanism, record_a, record_b)
    known = _known_noise(mechanism, X, y, rng)
    if known:
        return EpsilonBound(math.inf, 1 - confidence, known)
    # `privatize` splits its sample in two halves of n, which are audited at half the risk each.
    each = 1 - (1 - confidence) / 2
    reports = [mechanism.privatize(np.tile(x, (2 * n, 1)), np.full(2 * n, label), rng=rng)
               for x, label in zip(X, y, strict=True)]
    bounds = []
    for half, rows in ((1, slice(0, n)), (2, slice(n, 2 * n))):
        signals = mechanism.encode(X, y, half=half)
        columns, kind, cut, order = _best_event([sample[rows][: n // 2] for sample in reports], signals, each)
        held = [np.sort(_statistic(columns, sample[rows][n // 2:], signals)) for sample in reports]
        hits = [_hits(held[side], kind, cut) for side in order]
        epsilon = float(_limit(*hits, n - n // 2, each))
        what = " - ".join(f"entry {j}" for j in columns) or "likelihood direction"
        bounds.append(EpsilonBound(max(epsilon, 0.0), 1 - confidence, f"half {half}: {what} {kind} {cut:.6g}"))
    return max(bounds)

"""What an adversary can tell: exact trade-offs for lattice noise, lower bounds on epsilon for any mechanism.

A record is a pair (x, y): d features and a label. The exact tools use the lattice
law of the noise; `epsilon_lower_bound` sees nothing but reports.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from ldp_lib._arguments import generator, real, whole


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


def _louder_half(mechanism, record_a, record_b):
    """The half of the sample in which the two records differ more."""
    losses = {half: mechanism.privacy_loss(*record_a, *record_b, half=half) for half in (1, 2)}
    return max(losses, key=losses.get)


def _signals(mechanism, record_a, record_b, half):
    """What the two people would publish without noise, shape (2, K)."""
    X = np.array([np.atleast_1d(record_a[0]), np.atleast_1d(record_b[0])], dtype=float)
    return mechanism.encode(X, [record_a[1], record_b[1]], half=half)


def privacy_loss_distribution(mechanism, record_a, record_b, *, half=None):
    """Exact `PrivacyLoss` of one report, by convolution over the coordinates in which the records differ.

    Where the signals differ by D, s = D/g lattice steps, the loss of that coordinate is
    (s - 2k) g/b with probability proportional to exp(-k g/b) for 0 < k < s, and +D/b or
    -D/b beyond either signal. `half` picks the half of the sample the person is in,
    None the one that tells more. Needs noise="lattice".
    """
    if mechanism.granularity == 0:
        raise ValueError('noise = "real" has no lattice to convolve on; build the mechanism with noise="lattice".')
    half = _louder_half(mechanism, record_a, record_b) if half is None else half
    signal_a, signal_b = _signals(mechanism, record_a, record_b, half)
    unit = mechanism.granularity / mechanism.scale
    steps = np.rint(np.abs(signal_a - signal_b) / mechanism.granularity).astype(int)
    law = np.ones(1)
    for s in steps[steps > 0]:
        k = np.arange(s + 1)
        mass = -np.expm1(-unit) * np.exp(-k * unit)
        mass[0], mass[s] = 1.0, np.exp(-s * unit)
        law = np.convolve(law, mass / (1 + np.exp(-unit)))
    # Entry k of the law has loss (S - 2k) g/b, S being the sum of all steps; b sees the mirror image.
    loss = (steps.sum() - 2.0 * np.arange(law.size)) * unit
    return PrivacyLoss(loss[::-1], law[::-1], law)


def trade_off(mechanism, record_a, record_b, *, half=None):
    """Exact `TradeOff` between two records: the best test rejects b where the loss is large."""
    law = privacy_loss_distribution(mechanism, record_a, record_b, half=half)
    level, power = (np.concatenate([[0.0], np.cumsum(side[::-1])]) for side in (law.under_b, law.under_a))
    return TradeOff(np.minimum(level, 1.0), np.minimum(power, 1.0))


def _statistics(reports, signals):
    """Candidate statistics of reports (n, K) that may tell the records apart: name -> (n,) values.

    The clipped log-likelihood direction catches too little noise; single entries
    catch missing noise; differences of entries catch noise that is shared.
    """
    differ = np.flatnonzero(signals[0] != signals[1])
    low, high = np.minimum(*signals[:, differ]), np.maximum(*signals[:, differ])
    clipped = np.clip(reports[:, differ], low, high)
    statistics = {"likelihood direction": clipped @ (signals[0] - signals[1])[differ]}
    for j in differ:
        statistics[f"entry {j}"] = reports[:, j]
    for j, k in itertools.islice(itertools.combinations(differ, 2), 8):
        statistics[f"entry {j} - entry {k}"] = reports[:, j] - reports[:, k]
    return statistics


def _best_event(a, b, confidence):
    """The (name, kind, cut) whose confidence limits, on these reports, promise the largest epsilon."""
    best = (-np.inf, None)
    for name in a:
        values = np.concatenate([a[name], b[name]])
        cuts = np.unique(np.quantile(values, np.linspace(0.01, 0.99, 25), method="nearest"))
        common, counts = np.unique(a[name], return_counts=True)
        for kind, points in ((">=", cuts), ("<=", cuts), ("==", common[np.argsort(counts)[-2:]])):
            for cut in points:
                promise = _limit(_event(a[name], kind, cut), _event(b[name], kind, cut), confidence)
                best = max(best, (promise, (name, kind, cut)), key=lambda pair: pair[0])
    return best[1]


def _event(values, kind, cut):
    return {">=": np.greater_equal, "<=": np.less_equal, "==": np.equal}[kind](values, cut)


def _limit(event_a, event_b, confidence):
    """log of a lower limit for P_a(event) over an upper limit for P_b(event) (Clopper & Pearson, 1934)."""
    risk = (1 - confidence) / 2
    hits_a, hits_b, n = event_a.sum(), event_b.sum(), len(event_a)
    if hits_a == 0:
        return -np.inf
    lower = beta.ppf(risk, hits_a, n - hits_a + 1)
    upper = beta.isf(risk, hits_b + 1, n - hits_b) if hits_b < n else 1.0
    return float(np.log(lower / upper))


def epsilon_lower_bound(mechanism, record_a, record_b, *, n, confidence=1 - 1e-6, rng):
    """A lower bound for the budget that the mechanism really spends on these two records.

    n reports of each record are drawn with `mechanism.privatize`. Half of them
    choose an event, the other half bound its two probabilities; the true budget
    is below the result with probability at most 1 - confidence. A bound above
    alpha refutes the claim; one below proves nothing: an event that betrays more
    may have been missed.
    """
    n = whole("n", n, least=100, cure="Use n = 100000 or more for a sharp bound.")
    confidence = real("confidence", confidence, above=0, below=1)
    rng = generator(rng)
    half = _louder_half(mechanism, record_a, record_b)
    signals = _signals(mechanism, record_a, record_b, half)
    chosen, held_out = [], []
    for x, y in (record_a, record_b):
        # `privatize` splits its sample: the reports of the wanted half are kept.
        X, labels = np.tile(np.atleast_1d(x), (2 * n, 1)), np.full(2 * n, y)
        reports = mechanism.privatize(X, labels, rng=rng)
        reports = reports[:n] if half == 1 else reports[n:]
        chosen.append(_statistics(reports[: n // 2], signals))
        held_out.append(_statistics(reports[n // 2:], signals))
    name, kind, cut = _best_event(*chosen, confidence)
    bound = _limit(*(_event(side[name], kind, cut) for side in held_out), confidence)
    return EpsilonBound(max(bound, 0.0), 1 - confidence, f"{name} {kind} {cut:.6g}")

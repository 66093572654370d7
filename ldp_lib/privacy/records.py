"""Pairs of people: the records that an audit compares, and what a mechanism publishes of them.

A record is (x, y), d features and a label, or x alone where the mechanism takes no labels.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ldp_lib._arguments import labels, points, real, require_memory
from ldp_lib.privacy.mechanism import Mechanism


class WorstPair(NamedTuple):
    """Two records and the largest loss between them in nats, reached in `half` of the sample (None: no
    halves)."""

    record_a: tuple
    record_b: tuple
    loss: float
    half: int | None


def check_mechanism(mechanism):
    """Refuse what has no reports to audit."""
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism = {mechanism!r:.60} is a {type(mechanism).__name__}; it must be a "
                        "mechanism, for example CubeLaplace(alpha=1.0, h=0.2), or one of your own, a "
                        "subclass of ldp_lib.privacy.Mechanism.")


def record_pair(mechanism, record_a, record_b):
    """Two records, checked, as arrays that `encode` and `privatize` take: (features (2, d), labels (2,)) or
    (x (2,),)."""
    check_mechanism(mechanism)
    if not mechanism.labelled:
        return (np.array([real(name, record,
                               cure="A record of this mechanism is a number x, for example 0.3.")
                          for name, record in (("record_a", record_a), ("record_b", record_b))]),)
    for name, record in (("record_a", record_a), ("record_b", record_b)):
        if not isinstance(record, tuple) or len(record) != 2:
            raise TypeError(f"{name} = {record!r:.60} is not a record; give a pair (x, y), for example "
                            "(0.3, 1).")
    features = [np.atleast_1d(record[0]) for record in (record_a, record_b)]
    if features[0].shape != features[1].shape:
        raise ValueError(f"the features of the records have shapes {features[0].shape} and "
                         f"{features[1].shape}; both must be ({mechanism.d},).")
    X = points("the features of the records", features, mechanism.d)
    return X, labels("the labels of the records", [record_a[1], record_b[1]], 2)


def halves(mechanism, half=None):
    """The halves of the sample that publish different things, (1, 2); or (half,), or (None,) without
    halves."""
    if half is None:
        return mechanism.halves or (None,)
    if not mechanism.halves:
        raise ValueError(f"half = {half!r} does not exist: {mechanism!r} treats all people alike; leave it "
                         "out.")
    return (half,)


def signals(mechanism, people, half):
    """What `people`, a tuple of arrays as from `record_pair`, publish without noise in that half, (n, K)."""
    return mechanism.encode(*people) if half is None else mechanism.encode(*people, half=half)


def reports(mechanism, people, row, n, rng):
    """n reports of the person in that row of `people` from each half, [(n, K), ...] in the order of
    `halves`."""
    count = len(halves(mechanism))
    crowd = (np.repeat(part[row:row + 1], count * n, axis=0) for part in people)
    return np.split(mechanism.privatize(*crowd, rng=rng), count)


def scales(mechanism):
    """The noise scale of every entry, (K,); ones where noise is not added."""
    result = np.ones(mechanism.K)
    for columns, law in mechanism.noise_laws:
        result[columns] = law.scale
    return result


def worst_pair(mechanism, candidates=None):
    """The pair of people between whom a report of `mechanism` tells most: a `WorstPair`.

    candidates : (m, d), places where people may be, each taken with both labels if there are labels. For
    `CubeLaplace` and for cells None means grid lines and cell centres inside [0, 1]^d: everybody publishes
    what somebody there publishes, so that the search is exhaustive. For `WaveletLaplace` None means its own
    search,
    `WaveletLaplace.worst_pair`, which also bounds what it may have missed. For other candidates it covers no
    more than these.

    Exact: Laplace noise of scales b_j loses sum_j |v_j - v'_j| / b_j between signals v and v'; randomised
    response about cells loses the same between any two different signals.
    """
    check_mechanism(mechanism)
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
    labelled = mechanism.labelled
    if labelled:
        people = np.tile(people[0], (2, 1)), np.repeat([1, 0], len(people[0]))
    require_memory(f"All pairs of {len(people[0]):,} people", 8.0 * len(people[0]) ** 2,
                   "Give fewer candidates.")
    pairs = []
    for half in halves(mechanism):
        scaled = signals(mechanism, people, half) / scales(mechanism)
        distance = cdist(scaled, scaled, "cityblock")
        pair = np.unravel_index(distance.argmax(), distance.shape)
        records = [(tuple(people[0][k].tolist()), int(people[1][k])) if labelled else float(people[0][k, 0])
                   for k in pair]
        arguments = [*records[0], *records[1]] if labelled else records
        options = {} if half is None else {"half": half}
        pairs.append(WorstPair(*records, mechanism.privacy_loss(*arguments, **options), half))
    return max(pairs, key=lambda pair: pair.loss)

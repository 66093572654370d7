"""Pairs of people: the records (x, y), d features and a label, that an audit compares."""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ldp_lib._arguments import labels, points, require_memory


class WorstPair(NamedTuple):
    """Two records and the largest loss between them in nats, reached in `half` of the sample."""

    record_a: tuple
    record_b: tuple
    loss: float
    half: int


def check_mechanism(mechanism):
    """Refuse what has no reports to audit."""
    needed = ("encode", "privatize", "K")
    if isinstance(mechanism, type) or not all(hasattr(mechanism, name) for name in needed):
        raise TypeError(f"mechanism = {mechanism!r:.60} is a {type(mechanism).__name__}; it must be a "
                        "mechanism, for example CubeLaplace(alpha=1.0, h=0.2).")


def record_pair(mechanism, record_a, record_b):
    """Features (2, d) and labels (2,) of two records, checked."""
    check_mechanism(mechanism)
    for name, record in (("record_a", record_a), ("record_b", record_b)):
        if not isinstance(record, tuple) or len(record) != 2:
            raise TypeError(f"{name} = {record!r} is not a record; give a pair (x, y), for example (0.3, 1).")
    features = [np.atleast_1d(record[0]) for record in (record_a, record_b)]
    if features[0].shape != features[1].shape:
        raise ValueError(f"the features of the records have shapes {features[0].shape} and {features[1].shape}; "
                         f"both must be ({mechanism.d},).")
    X = points("the features of the records", features, mechanism.d)
    return X, labels("the labels of the records", [record_a[1], record_b[1]], 2)


def worst_pair(mechanism, candidates=None):
    """The pair of people between whom a report of `mechanism` tells most: a `WorstPair`.

    candidates : (m, d), places where people may be, each taken with both labels. None means grid lines and
    cell centres of the mechanism's grid inside [0, 1]^d: for `CubeLaplace` everybody publishes what somebody
    there publishes, so that the search is exhaustive. For other candidates it covers no more than these.

    Exact: Laplace noise of one scale on all entries loses ||v - v'||_1 / scale between signals v and v'.
    """
    check_mechanism(mechanism)
    if candidates is None:
        last, half_steps = 2 * (mechanism.shape[0] - 1), 0.5 * mechanism.h
        axis = np.minimum(np.arange(last + 1) * half_steps, 1.0)
        require_memory(f"All pairs of {2.0 * (last + 1)**mechanism.d:.3g} people",
                       32.0 * (last + 1.0) ** (2 * mechanism.d), "Raise h, or give candidates.")
        candidates = np.array(list(itertools.product(np.unique(axis), repeat=mechanism.d)))
    places = points("candidates", candidates, mechanism.d)
    X, y = np.tile(places, (2, 1)), np.repeat([1, 0], len(places))
    require_memory(f"All pairs of {len(X):,} people", 8.0 * len(X) ** 2, "Give fewer candidates.")
    pairs = []
    for half in (1, 2):
        signals = mechanism.encode(X, y, half=half)
        distance = cdist(signals, signals, "cityblock")
        a, b = np.unravel_index(distance.argmax(), distance.shape)
        loss = mechanism.privacy_loss(X[a], y[a], X[b], y[b], half=half)
        pairs.append(WorstPair((tuple(X[a].tolist()), int(y[a])), (tuple(X[b].tolist()), int(y[b])), loss, half))
    return max(pairs, key=lambda pair: pair.loss)

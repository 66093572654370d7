"""Theorem 2.1 of Berrett & Butucea (2019), executed: the cube mechanism is alpha-LDP."""

import numpy as np

from ldp_lib._arguments import require_memory
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution
from ldp_lib.theory.ledger import Ledger, Step

PAPER = "Berrett & Butucea 2019, proof of Theorem 2.1"


def ledger_2_1(alpha=1.0, h=0.2, d=1):
    """The ledger of Theorem 2.1 at privacy alpha (nats), bandwidth h and dimension d.

    Maxima over people are exact: a person's array is a product over the axes, so
    that grid lines and midpoints of one axis represent all positions.
    """
    mechanism = CubeLaplace(alpha, h, d)
    axis = CubeLaplace(alpha, h, 1)
    require_memory(f"All pairs of {2 * axis.K:,} places", 100.0 * axis.K**2, "Increase h.")
    places = np.concatenate([np.arange(axis.K) * h, (np.arange(axis.K) + 0.5) * h])
    places = places[places <= 1]
    B = axis.encode(places[:, None], np.ones(len(places), int), half=1)
    ones = B.sum(axis=1) ** d
    distance = ones[:, None] + ones - 2 * (B @ B.T) ** d
    first, second = np.unravel_index(distance.argmax(), distance.shape)
    a, b = ((np.full(d, places[i]), 1) for i in (first, second))
    z = np.linspace(-3, 4, 141)
    coordinate = (np.abs(z - 1) - np.abs(z)).max() / mechanism.scale
    losses = {half: mechanism.privacy_loss(*a, *b, half=half) for half in (1, 2)}
    crowded = np.full(d, places[ones.argmax()])
    steps = (
        Step("ones in B", "an array B has at most 2^d ones", ones.max(), 2.0**d, PAPER),
        Step("distance", "two arrays differ by ||b - b'||_1 <= 2^(d+1)", distance.max(),
             mechanism.sensitivity, PAPER),
        Step("coordinate", "where b = 0 and b' = 1: |z - b'| - |z - b| <= |b - b'|, over the scale",
             coordinate, 1 / mechanism.scale, PAPER),
        Step("supremum", "the law of the loss reaches ||b - b'||_1 / scale",
             privacy_loss_distribution(mechanism, a, b).loss[-1], distance.max() / mechanism.scale,
             "outputs beyond both centres", "="),
        Step("first half", "log-likelihood ratio of B + noise <= alpha", losses[1], mechanism.alpha, PAPER),
        Step("second half", "log-likelihood ratio of YB + noise <= alpha", losses[2], mechanism.alpha, PAPER),
        Step("label only", "the same x with another label costs at most alpha / 2",
             mechanism.privacy_loss(crowded, 0, crowded, 1), mechanism.alpha / 2, "||b||_1 <= 2^d"),
    )
    return Ledger("2.1", {"alpha": mechanism.alpha, "h": mechanism.h, "d": mechanism.d}, steps)

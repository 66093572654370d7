"""Counts released by a trusted curator (Bousquet et al., 2022, Algorithms 1 and 2).

Neighbours are samples of the same size that differ in one person: **replacement**. A person who is
replaced leaves one cell and enters another, so that

* counts move by 2 in l1 norm: noise of scale 2/epsilon;
* sums of y - 1/2 move by 1, a half in either cell or 1 in one: noise of scale 1/epsilon.

The second is half the noise of the first, which is why a noisy majority vote adds up y - 1/2 and not y.
"""

import math

import numpy as np

from ldp_lib._arguments import choice, generator, real, reals
from ldp_lib.privacy.noise import LARGEST_SCALE, calibrated_scale, laplace_noise

COUNT_SENSITIVITY = 2.0
"""l1 distance of the counts (or of twice the sums of y - 1/2) of two neighbours, at most."""
THRESHOLDS = ("sufficient", "printed")


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


def _delta(delta):
    return real("delta", delta, above=0, below=1, cure="delta is a probability, for example 1e-6.")


def stability_threshold(epsilon, delta, *, threshold="sufficient", noise="lattice"):
    """The value below which the stability histogram sets a noisy count to zero.

    "printed" : 1 + (2/epsilon) log(2/delta), as in Algorithm 1; keeps a lone person hidden with probability
        1 - delta/4 rather than 1 - delta.
    "sufficient" : the smallest that is (epsilon, delta)-private and at least 1: for real noise
        1 + (2/epsilon) log(1/(2 delta)), for lattice noise the first lattice point whose tail is at most
        delta.
    """
    law, delta = central_noise(epsilon, noise), _delta(delta)
    if choice("threshold", threshold, THRESHOLDS) == "printed":
        return 1 + law.scale * math.log(2 / delta)
    distance = max(0.0, -law.scale * math.log(2 * delta))
    if not law.granularity:
        return 1 + distance
    step = law.granularity
    # One step beyond the threshold of real noise the lattice tail is below delta, too.
    nearby = step * (math.ceil(distance / step) + np.arange(-1, 3.0))
    return 1 + float(next(t for t in np.maximum(nearby, 0) if law.tail(t) <= delta))


def stability_delta(epsilon, delta, *, threshold="sufficient", noise="lattice"):
    """The delta that the stability histogram spends: sup over neighbours of the hockey-stick divergence.

    It is P(1 + noise >= threshold), the probability that a lone person shows: delta/4 for the printed
    threshold and real noise.  Proof: replacing a person moves two counts by 1, a factor e^(epsilon/2) each,
    as long as both stay positive.  Only a cell with one person in one sample and nobody in the other can
    show what is impossible in the other sample; there is one such cell on either side at most, so that the
    divergence is at most that probability p, and two samples of one person attain it.  The other way round,
    where the cell shows 0 with probability 1 against 1 - p, Q(A) - e^epsilon (1 - p) P(A) for the
    other cell is at most Q(A) (1 - (1 - p) e^(epsilon/2)) <= p, too.

    >>> round(stability_delta(1.0, 1e-6, threshold="printed", noise="real") / 1e-6, 12)
    0.25
    """
    tau = stability_threshold(epsilon, delta, threshold=threshold, noise=noise)
    return float(central_noise(epsilon, noise).tail(tau - 1))


def stability_histogram(counts, epsilon, delta, *, threshold="sufficient", noise="lattice", rng):
    """The stability histogram, Algorithm 1 of Bousquet et al. (2022); (epsilon, delta)-private.

    Zero counts stay zero, so that a countable set of cells costs memory only where people are; the others get
    Laplace noise of scale 2/epsilon, one draw each, and become zero below `stability_threshold`.

    Parameters
    ----------
    counts : whole numbers >= 0, any shape, of people in disjoint cells.
    epsilon, delta : the budget, epsilon > 0 in nats, 0 < delta < 1.
    threshold : "sufficient" (default) or "printed"; what is spent exactly is `stability_delta`.
    noise : "lattice" (default) or "real" (floating point, for mathematics only).
    rng : None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations,
        since whoever knows it undoes the privacy. Real noise is numpy's: None seeds it afresh, "secure" is
        refused.

    Returns floats of the shape of `counts`: 0 or at least the threshold.

    >>> stability_histogram([0, 1, 500], epsilon=1.0, delta=1e-6, rng=0).round(1)
    array([  0. ,   0. , 505.2])
    """
    counts = reals("counts", counts, least=0, most=2.0**52, integer=True, private=True,
                   cure="Count people first, one count a cell.")
    law = central_noise(epsilon, noise)
    tau = stability_threshold(epsilon, delta, threshold=threshold, noise=noise)
    noisy = counts + law.sample(counts.shape, generator(rng, secure=True))
    return np.where((counts > 0) & (noisy >= tau), noisy, 0.0)

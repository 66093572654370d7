"""A noisy majority vote in cells: every quantity of its consistency proofs, exact.

The law is that of `Crowds`.  A partition into boxes has few kinds of cells under it, and sums over cells
become sums over kinds.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, gammaln

from ldp_lib._arguments import real
from ldp_lib.risk.scores import noisy_majority_probabilities

REACH = 9.0
"""Binomial sums run over this many standard deviations, and thrice as many counts, on either side."""


class Crowds(NamedTuple):
    """X in [0, 1]^d with independent coordinates, all uniform but the first.

    `share` of the people have x_1 < `edge`, uniformly, and P(Y = 1) = `left` there; the others lie beyond,
    uniformly, and have P(Y = 1) = `right`.
    """

    edge: float
    share: float
    left: float
    right: float


def crowds(edge, share, left, right):
    """`Crowds`, or a refusal that names the argument: edge in (0, 1), the others in [0, 1]."""
    return Crowds(real("edge", edge, above=0, below=1), real("share", share, least=0, most=1),
                  real("left", left, least=0, most=1), real("right", right, least=0, most=1))


class Cells(NamedTuple):
    """Kinds of cells; arrays of shape (kinds,).

    There are `number` cells of a kind; in each, p = P(X in it), q = P(X in it, Y = 1), `bias` = E|eta - mean
    of eta in it|, `gain` and `loss` = E of the positive and the negative part of 2 eta - 1, X in it.
    """

    number: np.ndarray
    p: np.ndarray
    q: np.ndarray
    bias: np.ndarray
    gain: np.ndarray
    loss: np.ndarray


def box_cells(law, edges, d):
    """`Cells` of the boxes that `edges` (m + 1 numbers from 0 to 1) cut out of [0, 1]^d along every axis.

    All intervals but the first and the last must have the same length.
    """
    m = len(edges) - 1
    at = int(np.searchsorted(edges[1:-1], law.edge))
    first, counts = _runs({0, at, m - 1})
    low, high = edges[first], edges[first + 1]
    before = law.share / law.edge * np.maximum(np.minimum(high, law.edge) - low, 0)
    after = (1 - law.share) / (1 - law.edge) * np.maximum(high - np.maximum(low, law.edge), 0)
    p = np.minimum(before + after, 1.0)                # rounding may exceed it
    q = np.minimum(before * law.left + after * law.right, p)
    with np.errstate(invalid="ignore"):                 # an empty cell has no bias
        bias = np.nan_to_num(2 * before * after / p) * abs(law.left - law.right)
    margins = 2 * law.left - 1, 2 * law.right - 1
    parts = [before * max(sign * margins[0], 0) + after * max(sign * margins[1], 0) for sign in (1, -1)]
    width, times = np.ones(1), np.ones(1)
    others, repeats = _runs({0, m - 1})
    for _ in range(d - 1):
        width = np.outer(width, np.diff(edges)[others]).ravel()
        times = np.outer(times, repeats).ravel()
    return Cells(np.outer(counts, times).ravel(),
                 *(np.outer(part, width).ravel() for part in (p, q, bias, *parts)))


def _runs(singles):
    """(first index, length) arrays of the singles and of the runs of indices between them."""
    singles = sorted(singles)
    runs = [(k, 1) for k in singles]
    runs += [(a + 1, b - a - 1) for a, b in zip(singles[:-1], singles[1:], strict=True) if b - a > 1]
    return np.array(runs).T


def people_in_cell(n, p):
    """(counts, probabilities) of N ~ Bin(n, p), shapes (kinds, window); p in [0, 1], shape (kinds,)."""
    half = int(REACH * (math.sqrt(n * (p * (1 - p)).max()) + 3))
    width = min(2 * half, n) + 1
    start = np.clip(np.floor(n * p).astype(np.int64) - half, 0, n + 1 - width)
    counts = start[:, None] + np.arange(width)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = (gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
               + np.where(counts > 0, counts * np.log(p)[:, None], 0)
               + np.where(counts < n, (n - counts) * np.log1p(-p)[:, None], 0))
    return counts, np.exp(log)


def share_absolute_deviation(N, rate):
    """E|B / N - rate| for B ~ Bin(N, rate): de Moivre's closed form; `rate` where N = 0."""
    N, rate = np.broadcast_arrays(np.asarray(N, float), rate)
    top = np.minimum(np.floor(N * rate) + 1, np.maximum(N, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        log = (gammaln(N + 1) - gammaln(top + 1) - gammaln(np.maximum(N - top, 0) + 1) + np.log(2 * top)
               + top * np.log(rate) + (N - top + 1) * np.log1p(-rate) - np.log(N))
    inner = np.where((rate > 0) & (rate < 1), np.exp(log), 0.0)
    return np.where(N == 0, rate, inner)


class Votes(NamedTuple):
    """Exact expectations over the sample, over x, and over the noise."""

    empty: float            # P(N(x) = 0)
    inverse: float          # E[1 / N(x); N(x) > 0]
    root: float             # E[N(x)^(-1/2); N(x) > 0]
    sampling: float         # E|etahat - etabar|, etahat = 0 where N(x) = 0
    bias: float             # E|eta - etabar|
    excess: float           # excess risk of the noisy majority


def votes(cells, n, epsilon):
    """`Votes` of n people with Laplace(1 / epsilon) noise on the sum of y - 1/2 in each cell."""
    weight = cells.number * cells.p
    N, probability = people_in_cell(n, cells.p)
    some, counted = N > 0, np.maximum(N, 1)
    with np.errstate(invalid="ignore"):
        rate = np.clip(np.nan_to_num(cells.q / cells.p), 0, 1)
    deviation = share_absolute_deviation(N, rate[:, None])
    zero, one = noisy_majority_probabilities(n, cells.p, cells.q, 2 / epsilon)
    return Votes(
        empty=float(weight @ (1 - cells.p) ** n),
        inverse=float(weight @ (probability * some / counted).sum(axis=1)),
        root=float(weight @ (probability * some / np.sqrt(counted)).sum(axis=1)),
        sampling=float(weight @ (probability * deviation).sum(axis=1)),
        bias=float(cells.number @ cells.bias),
        excess=float(cells.number @ (one * cells.loss + zero * cells.gain)))


def few_people(cells, n, k):
    """Pr[N(x) <= k] for one more person x, exact: the part in cells of mass <= 2k/n, and the other."""
    at_most = betaincc(k + 1, n - k, np.minimum(cells.p, 1.0)) if k < n else np.ones_like(cells.p)
    part, light = cells.number * cells.p * at_most, cells.p <= 2 * k / n
    return float(part[light].sum()), float(part[~light].sum())

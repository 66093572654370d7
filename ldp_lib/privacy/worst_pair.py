"""Which two people a wavelet mechanism hides least: a certified supremum over all pairs of points."""

import functools
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ldp_lib.wavelets import BLOCK

TOLERANCE = 1e-3
"""The search stops when its bound is within this relative distance of the loss of the pair that it found
..."""
MOST_INTERVALS = 2**11
"""... or when more intervals than this are left; the bound holds nevertheless."""


class WorstPair(NamedTuple):
    """`loss` of the `pair` (x, x') that was found, and a `bound` that no pair exceeds."""

    pair: tuple
    loss: float
    bound: float


@functools.lru_cache(maxsize=64)
def worst_pair(basis, bands, domain):
    """Bound sup over x, x' of sum over bands of sum_k |psi_jk(x) - psi_jk(x')| / weight; see `WorstPair`.

    Let V(x) be all coefficients over their weights. On a dyadic interval V is its chord up to an l1 error e
    (`WaveletBasis.off_chord`), and ||V(x) - V(x')||_1 is convex along chords. So for a pair of intervals it
    is at most e + e' more than at the worst of their four pairs of ends. Intervals that cannot beat the best
    pair of points so far with any partner are dropped; the others are halved. No pair exceeds twice the
    bands' sizes either.
    """
    depth = max(band.j for band in bands) + 1
    cells = np.arange(int(domain[0]) << depth, int(domain[1]) << depth)
    if len(cells) > MOST_INTERVALS:
        raise ValueError(f"levels = {depth - 1} on this domain starts the search for the worst pair with "
                         f"{len(cells)} "
                         f'intervals, more than {MOST_INTERVALS}; lower levels, or use calibration="tight".')
    bound, best, pair = sum(2 * band.size / band.weight for band in bands), 0.0, None
    while True:
        left = np.ldexp(cells.astype(float), -depth)
        x = np.concatenate([left, np.nextafter(np.ldexp(cells + 1.0, -depth), left)])
        signals = _signals(basis, bands, x)
        distance = cdist(signals, signals, "cityblock")
        a, b = np.unravel_index(distance.argmax(), distance.shape)
        if distance[a, b] > best:
            best, pair = float(distance[a, b]), (float(x[a]), float(x[b]))
        # A band of level j sees an interval of length 2^-(depth - j) in its own units.
        error = sum(basis.off_chord(band.kind, cells, depth - band.j) * 2.0 ** (band.j / 2) / band.weight
                    for band in bands)
        above = distance.reshape(2, len(cells), 2, len(cells)).max(axis=(0, 2)) + error + error[:, None]
        # What was dropped before is below best (1 + TOLERANCE).
        bound = min(bound, max(float(above.max()), best * (1 + TOLERANCE)))
        alive = above.max(axis=1) > best * (1 + TOLERANCE)
        depth += 1
        coarsest = depth - min(band.j for band in bands)
        if bound <= best * (1 + TOLERANCE) or 2 * alive.sum() > MOST_INTERVALS or coarsest >= 2 * BLOCK:
            return WorstPair(pair, best, float(bound))
        cells = np.repeat(2 * cells[alive], 2) + np.tile([0, 1], alive.sum())


def _signals(basis, bands, x):
    """V at the points x, dense, (n, K)."""
    rows = np.zeros((len(x), bands[-1].columns.stop))
    for band in bands:
        first, values = basis.values(x, band.j, band.kind)
        columns = (band.start + first - band.translates.start)[:, None] + np.arange(basis.overlap)
        np.put_along_axis(rows, columns, values / band.weight, axis=1)
    return rows

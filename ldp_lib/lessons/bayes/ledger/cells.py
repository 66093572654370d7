"""The laws under which the proofs of Bousquet et al. (2022) are executed, in kinds of cells: exact sums.

A partition into boxes has few kinds of cells under these laws, and sums over cells become sums over kinds.

`Crowds` is the law of the noisy majority votes, `HeavyTail` that of the votes on the line. The law of the
histograms is a staircase: the first coordinate has density g, constant on the shells [2^k - 1, 2^(k+1) - 1),
and P(X_1 > 2^k - 1) = 2^(-tail k); the others are uniform on [0, 1].  It has jumps inside cells, light cells,
and, with many shells, a heavy tail.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaincc, gammaln

from ldp_lib._arguments import real, whole
from ldp_lib._rounding import canonical
from ldp_lib.risk.integrated import count_error

REACH = 9.0
"""Binomial sums run over this many standard deviations, and thrice as many counts, on either side."""


class Crowds(NamedTuple):
    """X in [0, 1]^d with independent coordinates, all uniform but the first.

    `share` of the people have x_1 < `edge`, uniformly, and P(Y = 1) = `left` there; the others lie beyond,
    uniformly, and have P(Y = 1) = `right`.  With `repeats` > 1 that many copies of this, each as much
    narrower, stand side by side: the borders hide below any cell that is wider than a copy.
    """

    edge: float
    share: float
    left: float
    right: float
    repeats: int = 1

    @property
    def borders(self):
        """Where x_1 enters a copy, or crosses from `left` to `right` in it."""
        return np.add.outer(np.arange(self.repeats), [0, self.edge]).ravel() / self.repeats

    def masses(self, x):
        """P(X_1 <= x, P(Y = 1 | X) = left), and the same with `right`."""
        copies, place = np.divmod(x * self.repeats, 1)
        return (self.share / self.repeats * (copies + np.minimum(place / self.edge, 1)),
                (1 - self.share) / self.repeats
                * (copies + np.maximum(place - self.edge, 0) / (1 - self.edge)))


def crowds(edge, share, left, right, repeats=1):
    """`Crowds`, or a refusal that names the argument: edge in (0, 1), the next three in [0, 1]."""
    return Crowds(real("edge", edge, above=0, below=1), real("share", share, least=0, most=1),
                  real("left", left, least=0, most=1), real("right", right, least=0, most=1),
                  whole("repeats", repeats, most=10**5))


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
    first, counts = _runs({0, m - 1, *np.searchsorted(edges[1:-1], law.borders)})
    before, after = (np.maximum(np.diff(mass)[first], 0) for mass in law.masses(edges))
    p = np.minimum(before + after, 1.0)                # rounding may exceed it
    q = np.minimum(before * law.left + after * law.right, p)
    with np.errstate(invalid="ignore"):                 # an empty cell has no bias
        bias = np.nan_to_num(2 * before * after / p) * abs(law.left - law.right)
    margins = 2 * law.left - 1, 2 * law.right - 1
    parts = [before * max(sign * margins[0], 0) + after * max(sign * margins[1], 0) for sign in (1, -1)]
    others, repeats = _runs({0, m - 1})
    width, times = (_power(side, d - 1) for side in (np.diff(edges)[others], repeats))
    # Products of the same widths in another order are one kind.
    _, kind, same = np.unique(np.round(np.log(width), 12), return_index=True, return_inverse=True)
    width, times = width[kind], np.bincount(same, times)
    return Cells(np.outer(counts, times).ravel(),
                 *(np.outer(part, width).ravel() for part in (p, q, bias, *parts)))


def _power(side, axes):
    """The products of one entry of `side` per axis, flat."""
    return functools.reduce(np.multiply.outer, [side] * axes, np.ones(1)).ravel()


def _runs(singles):
    """(first index, length) arrays of the singles and of the runs of indices between them."""
    singles = sorted(singles)
    runs = [(k, 1) for k in singles]
    runs += [(a + 1, b - a - 1) for a, b in zip(singles[:-1], singles[1:], strict=True) if b - a > 1]
    return np.array(runs).T


class HeavyTail(NamedTuple):
    """X on the line, symmetric about 0: |X| = `spread` S, and P(S > 2^k - 1) = 2^(-tail k) for k < shells.

    S is uniform on each shell from 2^k - 1 to 2^(k + 1) - 1, where P(Y = 1) is `left` for even k and `right`
    for odd k.  `spread` > 1 takes the law away from 0.
    """

    tail: float
    shells: int
    left: float
    right: float
    spread: float = 1.0

    @property
    def borders(self):
        """Where |X| changes shells, the end of the last shell included."""
        return self.spread * (2.0 ** np.arange(1, self.shells + 1) - 1)

    def masses(self, x):
        """-P(|X| > x, P(Y = 1 | X) = left), and with `right`; x >= 0. Differences are what counts."""
        shells, ends = np.arange(self.shells), np.append(0.0, self.borders)
        mass = shell_heights(self.tail, self.shells) * 2.0**shells
        beyond = (np.append(np.cumsum((mass * (shells % 2 == odd))[::-1])[::-1], 0.0) for odd in (0, 1))
        return tuple(-np.interp(x, ends, part) for part in beyond)


def line_cells(law, r, ball):
    """`Cells` of `Line().voronoi(r)` under a `HeavyTail`: those that meet [-ball, ball], and all others.

    Cells have length 2 r; what lies right of 0 is cut, and mirrored.
    """
    inside = math.floor((ball / r + 1) / 2) + 1
    reach = max(inside, math.floor((law.borders[-1] / r + 1) / 2)) + 1
    edges = np.append(0.0, r * (2 * np.arange(reach + 1) + 1))
    near, far = (_mirrored(box_cells(law, part, 1)) for part in (edges[:inside + 1], edges[inside:]))
    # The first one, around 0, is no pair of cells.
    number, *masses = near
    return Cells(np.append(1.0, number[1:]), *(np.append(2 * mass[0], mass[1:]) for mass in masses)), far


def _mirrored(half):
    return Cells(2 * half.number, *(part / 2 for part in half[1:]))


def voronoi_edges(centres):
    """Edges of the Voronoi cells of `centres` in [0, 1], rising."""
    return np.concatenate([[0.0], (centres[1:] + centres[:-1]) / 2, [1.0]])


CERTAIN = 1e9
"""Logarithm of odds beyond which nothing else happens."""


def people_in_cell(n, p, reach=REACH):
    """(counts, probabilities) of N ~ Bin(n, p), shapes (kinds, window); p in [0, 1], shape (kinds,).

    By ratios of neighbours: the logarithms of n! and k! themselves would leave two digits at n = 1e12.
    """
    half = int(reach * (math.sqrt(n * (p * (1 - p)).max()) + 3))
    width = min(2 * half, n) + 1
    start = np.clip(np.floor(n * p).astype(np.int64) - half, 0, n + 1 - width)
    counts = start[:, None] + np.arange(width)
    with np.errstate(divide="ignore"):  # of what is certain, "infinite" odds are large enough
        odds = np.clip(np.log(p) - np.log1p(-p), -CERTAIN, CERTAIN)
    ratios = np.log((n - counts[:, :-1]) / counts[:, 1:]) + odds[:, None]
    logs = np.cumsum(np.insert(ratios, 0, 0.0, axis=1), axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return counts, weights / weights.sum(axis=1, keepdims=True)


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
    """Exact expectations over the sample and over x, without noise."""

    empty: float            # P(N(x) = 0)
    inverse: float          # E[1 / N(x); N(x) > 0]
    root: float             # E[N(x)^(-1/2); N(x) > 0]
    sampling: float         # E|etahat - etabar|, etahat = 0 where N(x) = 0
    bias: float             # E|eta - etabar|


def votes(cells, n, household=1):
    """`Votes` of n people in households of one record each."""
    weight = cells.number * cells.p
    households, probability = people_in_cell(n // household, cells.p)
    some, N = households > 0, household * np.maximum(households, 1)
    with np.errstate(invalid="ignore"):
        rate = np.clip(np.nan_to_num(cells.q / cells.p), 0, 1)
    deviation = share_absolute_deviation(households, rate[:, None])
    return Votes(
        empty=float(weight @ (1 - cells.p) ** (n // household)),
        inverse=float(weight @ (probability * some / N).sum(axis=1)),
        root=float(weight @ (probability * some / np.sqrt(N)).sum(axis=1)),
        sampling=float(weight @ (probability * deviation).sum(axis=1)),
        bias=float(cells.number @ cells.bias))


def excess_risk(cells, zero, one):
    """Excess risk of a rule that says 0 and 1 in the cells with these probabilities."""
    return float(cells.number @ (one * cells.loss + zero * cells.gain))


def light(cells, n, k):
    """Which kinds of cells have a mass of 2k/n at most, up to rounding."""
    return canonical(cells.p) <= canonical(2 * k / n)


def few_people(cells, n, k, household=1):
    """Pr[N(x) <= k] for one more person x, exact: the part in cells of mass <= 2k/n, and the other."""
    households, most = n // household, k // household
    at_most = (betaincc(most + 1, households - most, np.minimum(cells.p, 1.0)) if most < households
               else np.ones_like(cells.p))
    part, few = cells.number * cells.p * at_most, light(cells, n, k)
    return float(part[few].sum()), float(part[~few].sum())


class Staircase(NamedTuple):
    """Kinds of cells of side r; p = mass of one cell, shape (kinds,).

    `density`, `volume` (kinds, 3): the values of the density in the cell and the volumes where it takes them,
    left of a jump, right of it, and outside the support.  `shell` (kinds,) : the cell's first shell.
    """

    number: np.ndarray
    p: np.ndarray
    density: np.ndarray
    volume: np.ndarray
    shell: np.ndarray


def shell_heights(tail, shells):
    """Density of the first coordinate on each shell, shape (shells,); the last has the rest of the mass."""
    below = 2.0 ** (-tail * np.arange(shells))
    return (below - np.append(below[1:], 0.0)) / 2.0 ** np.arange(shells)


def staircase(tail, shells, r, d):
    """`Staircase` of the law for cubes of side r <= 1 that start at the origin."""
    heights = np.append(shell_heights(tail, shells), 0.0)
    jumps = 2.0 ** np.arange(1, shells + 1) - 1
    at = np.ceil(jumps / r - 1e-9) - 1                       # the cell that holds each jump, or ends at it
    whole_cells = np.diff(at, prepend=-1.0) - 1
    inner = np.minimum(jumps - at * r, r)
    number = np.concatenate([whole_cells, np.ones(shells)])
    left = np.concatenate([np.full(shells, r), inner])
    shell = np.tile(np.arange(shells), 2)
    full = math.floor(1 / r + 1e-9)
    rest = 1 - full * r if 1 - full * r > 1e-9 * r else 0.0
    width, times = (_power(side, d - 1) for side in ([r, rest], [full, 1.0 if rest else 0.0]))
    volume = np.stack([np.outer(left, width).ravel(), np.outer(r - left, width).ravel()])
    volume = np.vstack([volume, r**d - volume.sum(axis=0)])
    first = np.repeat(shell, len(width))
    density = np.stack([heights[first], heights[first + 1], np.zeros(len(first))])
    number = np.outer(number, times).ravel()
    keep = number > 0
    return Staircase(number[keep], (density * volume).sum(axis=0)[keep], density.T[keep], volume.T[keep],
                     first[keep])


class DensityErrors(NamedTuple):
    """Exact expectations of L1 distances; f the density, f_S the histogram, fhat the private one."""

    private: np.ndarray     # E|fhat - f_S| integrated over one cell, by kind
    sampling: float         # E||f_S - E f_S||
    bias: float             # ||E f_S - f||
    ordinary: float         # E||f_S - f||
    whole: float            # E||fhat - f||
    mass: float             # E of the integral of fhat


def density_errors(cells, n, noise, threshold, copies=1):
    """`DensityErrors` of Algorithm 3 (PCDE) before it is normalised, n people; `copies` of them at one place.

    noise : the law of what is added to a count.  threshold : what is below is released as 0.
    """
    def error(counts, target):
        return count_error(*np.broadcast_arrays(counts, target), noise, threshold)

    N, probability = people_in_cell(n // copies, cells.p)
    N = copies * N
    cell_volume = cells.volume.sum(axis=1)[0]
    private = (probability * error(N, N)).sum(axis=1) / n
    mean = n * cells.p
    # E chat is the distance to 0, for a released count is never negative.
    released = mean - (probability * (N - error(N, 0.0))).sum(axis=1)
    ordinary = whole_error = 0.0
    for density, volume in zip(cells.density.T, cells.volume.T, strict=True):
        target, share = n * cell_volume * density[:, None], cells.number * volume / (n * cell_volume)
        ordinary += share @ (probability * np.abs(N - target)).sum(axis=1)
        whole_error += share @ (probability * error(N, target)).sum(axis=1)
    bias = cells.volume * np.abs(cells.density - cells.p[:, None] / cell_volume)
    return DensityErrors(
        private=private,
        sampling=float(cells.number @ (probability * np.abs(N - mean[:, None])).sum(axis=1)) / n,
        bias=float(cells.number @ bias.sum(axis=1)), ordinary=float(ordinary), whole=float(whole_error),
        mass=float(cells.number @ released) / n)

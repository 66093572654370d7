"""Theorem 4.3 of Bousquet et al. (2022), executed: the stability histogram as a density estimate.

The law: the first coordinate has density g, constant on the shells [2^k - 1, 2^(k+1) - 1), and
P(X_1 > 2^k - 1) = 2^(-tail k); the others are uniform on [0, 1].  It has jumps inside cells, light cells,
and, with many shells, a heavy tail; a histogram has few kinds of cells under it.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.central import histogram_error, histogram_threshold
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.majority_vote import people_in_cell

PAPER = "Bousquet et al. 2022, proof of Theorem 4.3"
OURS = "cited there as Theorem 4.4"


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
    width, times = np.ones(1), np.ones(1)
    for _ in range(d - 1):
        width = np.outer(width, [r, rest]).ravel()
        times = np.outer(times, [full, 1.0 if rest else 0.0]).ravel()
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


def density_errors(cells, n, epsilon, delta):
    """`DensityErrors` of Algorithm 3 (PCDE) before it is normalised, n people."""
    N, probability = people_in_cell(n, cells.p)
    cell_volume = cells.volume.sum(axis=1)[0]
    private = (probability * histogram_error(N, epsilon, delta)).sum(axis=1) / n
    mean = n * cells.p
    released = mean - (probability * (N - _expected_release(N, epsilon, delta))).sum(axis=1)
    ordinary = whole_error = 0.0
    for density, volume in zip(cells.density.T, cells.volume.T, strict=True):
        target, share = n * cell_volume * density[:, None], cells.number * volume / (n * cell_volume)
        ordinary += share @ (probability * np.abs(N - target)).sum(axis=1)
        whole_error += share @ (probability * histogram_error(N, epsilon, delta, target)).sum(axis=1)
    bias = cells.volume * np.abs(cells.density - cells.p[:, None] / cell_volume)
    return DensityErrors(
        private=private,
        sampling=float(cells.number @ (probability * np.abs(N - mean[:, None])).sum(axis=1)) / n,
        bias=float(cells.number @ bias.sum(axis=1)), ordinary=float(ordinary), whole=float(whole_error),
        mass=float(cells.number @ released) / n)


def _expected_release(counts, epsilon, delta):
    """E chat of Algorithm 1: the distance to 0, for a released count is never negative."""
    return histogram_error(counts, epsilon, delta, 0.0)


def ledger_bayes_4_3(n=500_000, epsilon=1.0, delta=1e-6, d=1, tail=1.0, shells=6, box=3):
    """The ledger of Theorem 4.3 for Algorithm 3 (PCDE), with the corrections of errata 24 to 26.

    n : people.  epsilon : nats, in (0, 1]; delta in (0, 1/2]: the range of the histogram's error bound.
    d : dimension; cubes of side n^(-1/(2d)).
    tail > 0, shells : the law, P(X_1 > 2^k - 1) = 2^(-tail k) for k < shells.
    box : 1 to shells; the proof's cube T0 has side 2^box - 1.

    The step "released" is what log(1/delta) = o(sqrt n) secures: where it fails, hardly a count survives.
    """
    n, d, shells = whole("n", n, most=10**12), whole("d", d, most=8), whole("shells", shells, most=60)
    epsilon, delta = real("epsilon", epsilon, above=0, most=1), real("delta", delta, above=0, most=0.5)
    tail, box = real("tail", tail, above=0), whole("box", box, most=shells)
    r, T = n ** (-1 / (2 * d)), 2.0**box + 1
    tau = 2.0 ** (-tail * box) if box < shells else 0.0
    cells = staircase(tail, shells, r, d)
    errors = density_errors(cells, n, epsilon, delta)
    threshold, log = histogram_threshold(epsilon, delta), math.log(1 / delta)
    inside = cells.shell < box
    heights = np.append(shell_heights(tail, shells), 0.0)

    counts = np.unique(np.geomspace(1, 50 * threshold, 100).round())
    error, allowed = histogram_error(counts, epsilon, delta), 8.4 / epsilon * np.minimum(log, counts)
    worst = np.argmax(error / allowed)
    private = cells.number * errors.private
    inner, outer = 8.4 * T**d * log / (epsilon * math.sqrt(n)), 3 * tau / epsilon
    sampling = math.sqrt(T**d / math.sqrt(n)) + 2 * tau
    bias = r / 2 * (np.abs(np.diff(heights)).sum() + d - 1)
    light = cells.number @ (cells.p * (n * cells.p <= 2 * threshold))
    steps = (
        Step("Theorem 2.4", "E|chat - c| <= (8.4 / eps) min{log(1/delta), c}, at the worst count c",
             error[worst],
             allowed[worst], "Bousquet et al. 2022, Theorem 2.4, with errata 24"),
        Step("released", "(2/eps) log(2/delta) + 1 <= people expected in the fullest cell", threshold,
             n * cells.p.max(), "omitted from the theorem, errata 25"),
        Step("(4)", "E||fhat - f|| <= E||fhat - f_S|| + E||f_S - f||", errors.whole,
             private.sum() + errors.ordinary,
             PAPER),
        Step("cubes", "cells that meet T0 number at most T^d / r^d, T = T0 + 2", cells.number[inside].sum(),
             T**d / r**d, PAPER),
        Step("(5)", "E of the integral of |fhat - f_S| over them <= 8.4 T^d log(1/delta) / (eps sqrt(n))",
             private[inside].sum(), inner, PAPER + ", with errata 25"),
        Step("(7)", "the rest of it <= 3 tau / eps, tau = P(X outside T0)", private[~inside].sum(), outer,
             PAPER),
        Step("light cells", "mass of cells that expect <= 2 thresholds <= 2 threshold T^d / sqrt(n) + tau",
             light,
             2 * threshold * T**d / math.sqrt(n) + tau, "what log(1/delta) = o(sqrt n) makes vanish"),
        Step("sampling", "E||f_S - E f_S|| <= sqrt(T^d / sqrt(n)) + 2 tau", errors.sampling, sampling, OURS),
        Step("bias", "||E f_S - f|| <= (r/2) (sum of the jumps of g, + d - 1)", errors.bias, bias, OURS),
        Step("Theorem 4.4", "E||f_S - f|| <= E||f_S - E f_S|| + ||E f_S - f||", errors.ordinary,
             errors.sampling + errors.bias, OURS),
        Step("normalised", "|E integral of fhat - 1| <= E||fhat - f||: to divide by it costs as much again",
             abs(errors.mass - 1), errors.whole, "Remark 4.1, with errata 26"),
        Step("whole", "E||fhat - f|| <= the sum of the bounds", errors.whole, inner + outer + sampling + bias,
             PAPER),
    )
    params = {"n": n, "epsilon": epsilon, "delta": delta, "d": d, "tail": tail, "shells": shells, "box": box}
    return Ledger("bayes-4.3", params, steps)

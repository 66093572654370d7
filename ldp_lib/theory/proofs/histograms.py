"""The private histogram of Bousquet et al. (2022), Theorem 4.3, executed."""

import math

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.theory.curator import histogram_error, histogram_threshold
from ldp_lib.theory.proofs.cells import (density_errors, shell_heights,
                                         staircase)
from ldp_lib.theory.proofs.steps import Step, proves

OURS = "cited there as Theorem 4.4"


@proves("bayes-4.3")
def ledger_bayes_4_3(n: int = 500_000, epsilon: float = 1.0, delta: float = 1e-6, d: int = 1,
                     tail: float = 1.0, shells: int = 6, box: int = 3):
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
             error[worst], allowed[worst], "Bousquet et al. 2022, Theorem 2.4, with errata 24"),
        Step("released", "(2/eps) log(2/delta) + 1 <= people expected in the fullest cell", threshold,
             n * cells.p.max(), "omitted from the theorem, errata 25"),
        Step("(4)", "E||fhat - f|| <= E||fhat - f_S|| + E||f_S - f||", errors.whole,
             private.sum() + errors.ordinary),
        Step("cubes", "cells that meet T0 number at most T^d / r^d, T = T0 + 2", cells.number[inside].sum(),
             T**d / r**d),
        Step("(5)", "E of the integral of |fhat - f_S| over them <= 8.4 T^d log(1/delta) / (eps sqrt(n))",
             private[inside].sum(), inner, ", with errata 25"),
        Step("(7)", "the rest of it <= 3 tau / eps, tau = P(X outside T0)", private[~inside].sum(), outer),
        Step("light cells", "mass of cells that expect <= 2 thresholds <= 2 threshold T^d / sqrt(n) + tau",
             light, 2 * threshold * T**d / math.sqrt(n) + tau, "what log(1/delta) = o(sqrt n) makes vanish"),
        Step("sampling", "E||f_S - E f_S|| <= sqrt(T^d / sqrt(n)) + 2 tau", errors.sampling, sampling, OURS),
        Step("bias", "||E f_S - f|| <= (r/2) (sum of the jumps of g, + d - 1)", errors.bias, bias, OURS),
        Step("Theorem 4.4", "E||f_S - f|| <= E||f_S - E f_S|| + ||E f_S - f||", errors.ordinary,
             errors.sampling + errors.bias, OURS),
        Step("normalised", "|E integral of fhat - 1| <= E||fhat - f||: to divide by it costs as much again",
             abs(errors.mass - 1), errors.whole, "Remark 4.1, with errata 26"),
        Step("whole", "E||fhat - f|| <= the sum of the bounds", errors.whole,
             inner + outer + sampling + bias),
    )
    return {"n": n, "epsilon": epsilon, "delta": delta, "d": d, "tail": tail, "shells": shells,
            "box": box}, steps

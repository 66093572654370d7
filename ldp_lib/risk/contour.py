"""Exact probabilities that a sum of independent contributions falls below zero.

A score S with moment generating function exp(K(s)) has, for any c != 0 where K
is finite,

    P(S < 0) = 1{c > 0} - (1 / 2 pi i) * integral over Re s = c of exp(K(s)) / s ds,

and if S lives on the multiples of a step u, the integral runs over one period
|Im s| <= pi / u with u / (1 - exp(-u s)) in place of 1 / s. Through the
saddlepoint K'(c) = 0 the integrand does not oscillate, so that the midpoint
rule, which converges geometrically for analytic integrands, gives even tails
of 1e-200 with full relative accuracy (Daniels, 1987, describes the contour).
Nothing is simulated and nothing is approximated by a normal law.

A score is an object with one entry per cell: `n` (its powers), `step` (u, or 0),
`edge` (K is finite for |s| < edge), `saddlepoint()`, `reach(c, digits)`, `log_mgf(c, t)`
and indexing by cells: `ldp_lib.risk.scores.Score`. With the pole of the kernel at s = a
in place of 0, the same integral gives E[exp(a S); S < 0], and where S has a density, with a pole of order
q + 1, E[|S|^q exp(a S); S < 0] / q!.
"""

import math

import numpy as np

RELATIVE_ERROR = 1e-13
"""Default target for the smaller of the two probabilities. With nodes w apart in units of the distance to the
nearest pole the midpoint rule errs by about exp(-2 pi / w); a contour cut where the integrand has fallen by a
factor f errs by about f. Pictures may ask for less."""
FEW = 64
"""Below this many people the mgf falls far below 1 on the contour; from there on it stays near 1."""
MOST_NODES = 4e7
"""Integrand values for one call, some seconds of work; only alpha in the thousands and beyond needs more."""
TINY = 1e-16
"""Stands for 0 inside logarithms: what a quotient near 1 can resolve."""
BLOCK = 2**15
"""Integrand values per block: small enough to stay in the processor's cache."""


def expm1(x, cos, sin, half_sin):
    """exp(x + iy) - 1 without cancellation, from cos y, sin y and sin(y/2)."""
    grown = np.expm1(x)
    return grown * cos - 2 * half_sin**2 + 1j * ((1 + grown) * sin)


def find_saddlepoint(derivatives, edge):
    """A point within a tenth of a standard deviation of the root of K', by safeguarded Newton steps.

    derivatives(s) returns K'(s) and K''(s); K is convex and finite for |s| < edge.
    """
    low, high, s = -edge, edge, np.zeros_like(edge)
    for turn in range(200):
        slope, variance = derivatives(s)
        # At an end of the interval any contour is right, and the probability below exp(-K(edge)).
        settled = (np.abs(slope) < 0.1 * np.sqrt(variance)) | (high - low < 1e-9 * edge)
        if settled.all():
            return s, variance
        high, low = np.where(slope > 0, s, high), np.where(slope > 0, low, s)
        # Where K' grows like exp(s), as far from 0 as faint noise allows, Newton's steps are 1 however long
        # the way is: late ones take turns with halving.
        step = s - slope / variance
        near = (step > low) & (step < high) & (turn < 10 or turn % 2 == 0)
        s = np.where(settled, s, np.where(near, step, (low + high) / 2))
    raise ArithmeticError("the saddlepoint search did not settle; please report the arguments")


def log_power(n, above, below=0.0):
    """Logarithm of ((1 + above) / (1 + below))^n: real and imaginary parts.

    The rows of n are all below FEW or none is. For many people the quotient is
    near 1 and its logarithm must not lose what is multiplied by n; for few it may
    be near 0, where log1p would cancel.
    """
    if n[0, 0] < FEW:
        quotient = (1 + above) / (1 + below)
        return n * np.log(np.maximum(np.abs(quotient), TINY)), n * np.angle(quotient)
    excess = (above - below) / (1 + below)
    # Certain outcomes can bring the quotient itself to 0, where the integrand is 0.
    size = n / 2 * np.log1p(np.maximum(2 * excess.real + excess.real**2 + excess.imag**2, TINY - 1))
    return size, n * np.arctan2(excess.imag, 1 + excess.real)


def sign_probabilities(score, relative_error=RELATIVE_ERROR):
    """P(S < 0) and P(S >= 0) of a score, the smaller of the two with the given relative error."""
    below, log_smaller = smaller_side(score, relative_error)
    smaller = np.exp(log_smaller)
    return np.where(below, smaller, 1 - smaller), np.where(below, 1 - smaller, smaller)


def smaller_side(score, relative_error=RELATIVE_ERROR, pole=0.0, power=0):
    """Whether S < 0 is the less likely side, and log E[|S|^power exp(pole S); S on that side]; with the pole
    and the power at 0, its probability.

    pole : a number, or an array, one entry per cell.  power : whole; 0 unless S has a density.
    """
    digits = -np.log(relative_error)
    c, variance = score.saddlepoint()
    # Stay off the pole and the edge; 0/1 contributions grow like exp(s), so that 1 is far enough.
    clearance = np.minimum(1 / np.sqrt(variance), np.minimum(score.edge / 2, 1.0))
    offset = c - pole
    offset = np.where(offset > 0, np.maximum(offset, clearance), np.minimum(offset, -clearance))
    c = offset + pole
    reach = score.reach(c, digits)
    width = 2 * np.pi / digits * np.minimum(clearance, score.edge - np.abs(c))
    nodes = np.ceil(reach / width)
    if nodes.sum() > MOST_NODES:
        raise ValueError(
            f"scale and n: {score.n[nodes.argmax()]:g} people a half with so little noise (a large alpha) "
            f"would need {nodes.sum():.2g} integrand values; use more people, a smaller alpha, or alpha "
            "above 25000.")
    nodes = nodes.astype(np.int64)
    result = np.empty_like(c)
    for group in (score.n < FEW, score.n >= FEW):
        order = np.flatnonzero(group)
        order = order[np.argsort(nodes[order], kind="stable")]
        while len(order):
            # Cells of one block share the number of nodes, the largest that any of them needs: a few cells
            # that need thousands must not take along those that need dozens.
            least = nodes[order[0]]
            alike = int(np.searchsorted(nodes[order], 1.5 * least + 16, side="right"))
            size = max(1, min(int(BLOCK // least), alike))
            cells, order = order[:size], order[size:]
            result[cells] = _midpoint_rule(score[cells], c[cells], offset[cells], reach[cells],
                                           nodes[cells[-1]], power)
    return offset < 0, result


def _midpoint_rule(score, c, offset, reach, nodes, power):
    """log of (1/pi) times the integral over 0 < t < reach of Re[exp(K(s)) |kernel(s)|], s = c + it.

    The pole of the kernel, of order `power` + 1, is `offset` to the left of c.

    exp(K(c)) is taken out, so that probabilities below the smallest float keep their logarithm.
    """
    column, away, width = c[:, None], offset[:, None], reach[:, None] / nodes
    total = np.zeros(len(c))
    block = max(1, BLOCK // len(c))
    for first in range(0, nodes, block):
        middles = np.arange(first, min(first + block, nodes)) + 0.5
        # First c itself, whose height is taken out: a place more costs less than a call of its own.
        t = width * (middles if first else np.concatenate([[0.0], middles]))
        size, angle = score.log_mgf(column, t)
        if not first:
            height, size, angle, t = size[:, :1], size[:, 1:], angle[:, 1:], t[:, 1:]
        if score.step == 0:
            kernel = math.factorial(power) / (away + 1j * t) ** (power + 1)
        else:
            half_sin, half_cos = np.sin(score.step * t / 2), np.cos(score.step * t / 2)
            turn = expm1(-score.step * away, 1 - 2 * half_sin**2, -2 * half_sin * half_cos, half_sin)
            kernel = -score.step / turn
        waves = np.cos(angle) * kernel.real - np.sin(angle) * kernel.imag
        total += (np.exp(size - height) * waves).sum(axis=1)
    # A probability of exactly 0 may come out as a rounding error of either sign.
    total = np.maximum(np.sign(offset) ** (power + 1) * total * width[:, 0] / np.pi, 1e-300)
    return height[:, 0] + np.log(total)

"""Signed subset selection: the least noise on cells when alpha is large, and the choice of a mechanism."""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import part_of, real, reals, together, whole
from ldp_lib.privacy.cell import CellLaplace, CellMechanism
from ldp_lib.privacy.hadamard import HadamardBit
from ldp_lib.privacy.response import (
    LARGEST_BUDGET, SMALLEST_BUDGET, ResponseCoin, random_subsets, uniform_below,
)


class SignedSubset(CellMechanism):
    """A person sends a vector of {-1, 0, 1}^K with w entries that are not 0; those with her own are likelier.

    Let s = 2Y - 1 and c be her cell. All z with z_c = s have one probability, e^alpha times that of all
    others. Of the C(K, w) 2^w vectors a share w / (2K) has z_c = s, for every (c, s): the normalising
    constant is the same for everybody, and the likelihood ratio of two people is 1 or e^(+-alpha). That is
    the proof of privacy; all pairs of different people spend exactly alpha. z_c = s has probability
    w e^alpha / (w e^alpha + 2K - w), an exact coin; all else is uniform, drawn in whole numbers.

    w = 1 is randomised response over the 2K signed cells, w = K has the law of `HadamardBit` in every cell.
    The score of a cell is a sum of independent variables in {-1, 0, 1}, whose two probabilities `law` gives.
    Among unsigned subsets see Ye & Barg (2018).

    Parameters
    ----------
    alpha : privacy budget in nats, 10^-100 to 10^4.
    h : side of the cells, > 0, in units of the domain [0, 1]^d.
    d : dimension of X, 1 or more.
    size : w, 1 to K; None takes the one of least variance in K equally likely cells, about
        2K / (e^alpha - 1).

    Attributes
    ----------
    scale : a report times this is unbiased for the signal (Y - 1/2) e_cell.
    size : w.  bits : those of a number below C(K, w) 2^w.  sensitivity, shape, K : as in `CellMechanism`.

    >>> mechanism = SignedSubset(alpha=3.0, h=0.1)
    >>> mechanism.size, mechanism.bits, round(mechanism.scale, 4)
    (1, 5, 1.024)
    """

    _least_alpha, _most_alpha = SMALLEST_BUDGET, LARGEST_BUDGET

    def __init__(self, alpha, h, d=1, size=None):
        super().__init__(alpha, h, d)
        self.size = best_size(self.alpha, self.K) if size is None else whole("size", size, most=self.K)
        w, K = self.size, self.K
        self._coin = ResponseCoin(self.alpha, w, 2 * K - w)
        self.scale = real("scale", _scale(self.alpha, w, K), cure="alpha is too small; raise it.")

    def __repr__(self):
        return f"SignedSubset(alpha={self.alpha!r}, h={self.h!r}, d={self.d}, size={self.size})"

    @property
    def _report_factor(self):
        return self.scale

    @property
    def bits(self):
        """Bits that a person sends."""
        K, w = self.K, self.size
        subsets = math.lgamma(K + 1) - math.lgamma(w + 1) - math.lgamma(K - w + 1)
        # Less a rounding error of the logarithms: powers of two need no bit more.
        return math.ceil(subsets / math.log(2) + w - 1e-6)

    def variance(self, p):
        """scale^2 times the probability that the entry of the cell is not 0, `law(p, p)`."""
        return self.scale**2 * float(self.law(real("p", p, least=0, most=1), 0.0)[0])

    def law(self, p, q):
        """P(z_c != 0) and P(z_c = 1) of one report in a cell with P(X in it) = p, P(X in it, Y = 1) = q.

        Numbers or arrays of one shape, 0 <= q <= p <= 1; rounding errors up to 1e-12 are forgiven.
        """
        own, opposite, elsewhere = _probabilities(self.alpha, self.size, self.K)
        p, q = together(p=reals("p", p, least=0, most=1 + 1e-12), q=reals("q", q, least=0, most=1 + 1e-12))
        q = part_of(p, q)
        ones = q * own + (p - q) * opposite + (1 - p) * elsewhere / 2
        return p * (own + opposite) + (1 - p) * elsewhere, ones

    def _reports(self, cells, y, source):
        n, w, K = len(y), self.size, self.K
        own = self._coin.toss(n, source)
        # Of the vectors without z_c = s a share w / (2K - w) has z_c = -s.
        opposite = ~own & (uniform_below(2 * K - w, n, source) < w)
        spread = np.zeros((n, K), dtype=bool)
        for there, left in ((own | opposite, w - 1), (~(own | opposite), w)):
            rows = np.flatnonzero(there)
            others = random_subsets(left, K - 1, rows.size, source)
            # The others are all cells but the person's own: from there on they move up by one.
            place, other = np.nonzero(others)
            spread[rows[place], other + (other >= cells[rows[place]])] = True
        reports = np.zeros((n, K))
        reports[spread] = 2.0 * uniform_below(2, int(spread.sum()), source) - 1
        mine = own.astype(float) - opposite
        reports[np.arange(n), cells] = mine * (2 * y - 1)
        return reports

    def _simulated_totals(self, cells, y, rng):
        """In blocks, at cost O(n K): entries of a report depend on each other."""
        return sum((block.sum(axis=0) for block in self._blocks(cells, y, rng)), np.zeros(self.K))

    @property
    def _loss(self):
        return self.alpha

    def disclosure(self, X, y):
        """Probability that a report of the first of two people has log-likelihood ratio alpha; (2, d), (2,).

        Her own signed cell is in it, and the other's is not.
        """
        cells, y = self.people(X, y)
        own = self._coin.probability
        if cells[0] == cells[1]:
            return own if y[0] != y[1] else 0.0
        return own * (1 - (self.size - 1) / (2 * (self.K - 1)))


def _probabilities(alpha, w, K):
    """P(z_c = s), P(z_c = -s) at home, P(z_c != 0) elsewhere."""
    decay = math.exp(-alpha)
    norm = w + (2 * K - w) * decay
    own, opposite = w / norm, w * decay / norm
    absent = 2 * (K - w) * decay / norm
    if K == 1:
        return own, opposite, 0.0
    return own, opposite, ((own + opposite) * (w - 1) + absent * w) / (K - 1)


def _scale(alpha, w, K):
    # P(z_c = s) - P(z_c = -s) = w (1 - e^-alpha) / (w + (2K - w) e^-alpha), and the signal is s / 2.
    return (w + (2 * K - w) * math.exp(-alpha)) / (2 * w * -math.expm1(-alpha))


def _variance(alpha, w, K):
    """Second moment in K equally likely cells."""
    own, opposite, elsewhere = _probabilities(alpha, w, K)
    return _scale(alpha, w, K) ** 2 * ((own + opposite) / K + (1 - 1 / K) * elsewhere)


def best_size(alpha, K):
    """The w of least variance in K equally likely cells.

    There the entry is not 0 with probability w/K exactly, so that the variance is proportional to
    (w (1 - e^-alpha) + 2 K e^-alpha)^2 / w: convex, and least at w = 2K / (e^alpha - 1).
    """
    alpha, K = real("alpha", alpha, above=0), whole("K", K)
    ideal = min(2 * K * math.exp(-alpha) / -math.expm1(-alpha), K)
    return min({max(1, math.floor(ideal)), max(1, math.ceil(ideal))}, key=lambda w: _variance(alpha, w, K))


MECHANISMS = {"laplace": CellLaplace, "one-bit": HadamardBit, "subset": SignedSubset}
"""What can report disjoint cells, by name."""


class Candidate(NamedTuple):
    """A mechanism by `name`: its `variance` a person and cell, and the `bits` that she sends."""

    name: str
    variance: float
    bits: int


def variances(alpha, cells):
    """`Candidate`s with the exact second moments of one person's score in a cell of probability 1/`cells`.

    The best comes first. Her mean is the same for all of them, so that the order is that of the variances. Of
    equal ones the mechanism that sends fewer bits comes first.

    >>> [(row.name, round(row.variance, 3), row.bits) for row in variances(1.0, 16)]
    [('one-bit', 1.171, 1), ('subset', 1.171, 16), ('laplace', 2.016, 1024)]
    >>> [(row.name, round(row.variance, 3), row.bits) for row in variances(4.0, 16)]
    [('subset', 0.04, 5), ('laplace', 0.141, 1024), ('one-bit', 0.269, 1)]
    """
    cells = whole("cells", cells)
    table = [Candidate(name, kind(alpha, 1 / cells).variance(1 / cells), kind(alpha, 1 / cells).bits)
             for name, kind in MECHANISMS.items()]
    # Equal variances may differ by a rounding error.
    return sorted(table, key=lambda row: (float(f"{row.variance:.12g}"), row.bits))


def best_mechanism(alpha, cells):
    """Name of the mechanism of least exact variance on `cells` equally likely cells, see `variances`.

    With two cells and more the one bit wins up to alpha = ln 3, where w = K; beyond it signed subsets do.

    >>> best_mechanism(1.0, 64), best_mechanism(2.0, 64)
    ('one-bit', 'subset')
    """
    return variances(alpha, cells)[0].name

"""The game behind Theorem 2.5: m hidden signs, any mechanism against them, and exact risks.

Somebody hides the signs of a hypercube (`ldp_lib.nature.problem("hypercube", ...)`). n people report; a
wrong sign costs Delta = w L C_phi q^-beta. Every risk below is exact, and the worst over all signs:

* `cube_risk`: the mechanism of Berrett & Butucea (2019), any bandwidth;
* `laplace_risk`: one signed report in disjoint cells, (Y - 1/2) e_cell + Laplace(1 / alpha) in each;
* `response_risk`: randomised response on (cell, label);
* `one_bit_risk`: one random bit, which speaks about all cells at once;
* `public_risk`: randomised response on the label with public features. It is *not* private in x.

`challenge` lets a mechanism of the reader's own play a duel about one sign. The class is that of
`lower_bound` with its defaults, L = mu = 1 and the bump "ramp", and C0 = `margin_constant`.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.nature import problem
from ldp_lib.nature.hypercube import bump_constants
from ldp_lib.privacy import HadamardBit
from ldp_lib.risk.hypercube import worst_signs_risk
from ldp_lib.risk.scores import cell_sign_probabilities, score_sign_probabilities
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.lower import assouad_value, legal_hypercubes, lower_bound
from ldp_lib.theory.contraction import kernel_budget, mirrored_overlap, reports_total_variation


def margin_constant(gamma):
    """C0 of the class: 2 up to gamma = 1, then 2^gamma, which a bump needs where beta gamma = d."""
    return max(2.0, 2.0**gamma)


@dataclass(frozen=True)
class Game:
    """n people, in all, with budget alpha (nats) against the signs of m of q^d cells, each of mass w."""

    n: int
    alpha: float
    q: int
    m: int
    w: float
    beta: float = 1.0
    d: int = 1

    @classmethod
    def best(cls, n, alpha, beta, gamma, d):
        """The game that proves the largest lower bound over the class with margin exponent `gamma`."""
        bound = lower_bound(n, alpha, beta, gamma, d, C0=margin_constant(gamma))
        return cls(n, alpha, bound.q, bound.m, bound.w, beta, d)

    @classmethod
    def by_hand(cls, n, alpha, beta, gamma, d, q, cells, mass):
        """A game over the same class.

        `cells`, in (0, 1], is m as a share of the most that the margin condition allows; `mass`, in [0, 1],
        places w between the least and the most that the class allows.
        """
        theta = checked_theta(beta, gamma, d, C0=margin_constant(gamma))
        m, _, least, most = legal_hypercubes(q, theta, "ramp", cells)
        return cls(n, alpha, q, int(m), float(least + mass * (most - least)), beta, d)

    @cached_property
    def law(self):
        """The vertex with all signs 1; refuses constants that do not fit."""
        return self.vertex(None)

    def vertex(self, signs):
        """The `Problem` with these m signs."""
        return problem("hypercube", q=self.q, m=self.m, w=self.w, beta=self.beta, d=self.d, signs=signs,
                       c_phi=bump_constants("ramp", self.beta).c_eta)

    @property
    def separation(self):
        """Delta: what a wrong sign costs, and how far apart it puts the laws of one person."""
        return self.law.separation

    @property
    def tilt(self):
        """How far one private bit about a sign leans: it is 1 with probability (1 + tilt) / 2 if it is +1."""
        return self.separation * math.tanh(self.alpha / 2)

    @property
    def coin(self):
        """(m / 2) Delta: the risk of whoever sees no report."""
        return self.m * self.separation / 2

    def bound(self):
        """(m / 2) Delta (1 - D): no alpha-LDP mechanism and no analyst have a smaller worst-case risk."""
        return self._bound

    @cached_property
    def _bound(self):
        return float(assouad_value(self.n, self.alpha, self.m, self.separation, "dominating")[0])


def one_bit_tv(n, alpha, separation):
    """TV between n bits that are 1 with probability (1 + t)/2 and n with (1 - t)/2.

    t = separation tanh(alpha/2); n may be an array. The law of `HadamardBit` where all people of a cell have
    one label.
    """
    bit = HadamardBit(alpha, 1.0)
    false, right = (score_sign_probabilities(bit, n, separation, ones)[0] for ones in (0.0, separation))
    return false - right


def one_bit_risk(game):
    """One bit from everybody: (2Y - 1) s(cell of X) through randomised response.

    s are public random signs, new for everyone; whoever is outside the active cells sends a fair coin. Seen
    through s(k), the bits of all n people are independent for each cell k, 1 with probability
    (1 + sigma_k Delta tanh(alpha / 2)) / 2: people of other cells cancel.
    """
    return game.coin * (1 - float(one_bit_tv(game.n, game.alpha, game.separation)))


def response_risk(game):
    """Randomised response on the 2 m + 1 answers (cell, label) and "elsewhere", with odds e^alpha : 1.

    The majority in every cell; a fair coin decides ties, so that by symmetry no signs are worse than others.
    """
    share, gain = 1 / (math.exp(game.alpha) + 2 * game.m), math.expm1(game.alpha)
    plus, minus = (share * (1 + gain * (game.w + sign * game.separation) / 2) for sign in (1, -1))
    return game.coin * float(mirrored_overlap(game.n, plus, minus))


def public_risk(game):
    """Randomised response on the label, the features being published: alpha-LDP for the label only."""
    return game.coin * float(mirrored_overlap(game.n, (game.w + game.tilt) / 2, (game.w - game.tilt) / 2))


def laplace_risk(game):
    """(Y - 1/2) e_cell + Laplace(1 / alpha) in every cell: two people's vectors differ by 1 in all."""
    missed = cell_sign_probabilities(game.n, game.w, (game.w + game.separation) / 2, 1 / game.alpha)[0]
    return 2 * game.coin * float(missed)


def cube_risk(game, h):
    """The mechanism of Berrett & Butucea with bandwidth h > 0; m at most 8: all 2^m vertices are tried."""
    return worst_signs_risk(game.n, game.alpha, h, game.law)


PRIVATE_PLAYS = {
    "one bit about all cells": one_bit_risk,
    "signed cell + Laplace(1/α)": laplace_risk,
    "randomised response on (cell, y)": response_risk,
}
"""Name -> risk of the alpha-LDP plays that have nothing to tune."""


class Challenge(NamedTuple):
    """What came of a duel, exactly: budget spent, TV of all reports, risk of the best analyst, the bound."""

    budget: float
    tv: float
    risk: float
    bound: float

    def __repr__(self):
        return (f"budget spent {self.budget:.4f}; TV of all reports {self.tv:.5f}; risk of the best analyst "
                f"{self.risk:.6f}, {self.risk / self.bound:.4f} times the bound {self.bound:.6f}")


def challenge(mechanism, game):
    """Play `mechanism` against one hidden sign of `game`, whose m must be 1; return the exact `Challenge`.

    mechanism(inside, y) takes a record (is X in the active cell? and the label, 0 or 1) and returns the
    probabilities of its outputs, a list of any length that is the same for all records. The analyst knows all
    of the law but the sign; the best one follows the likelihood. Refuses what is no probability, and a
    mechanism that spends more than alpha.
    """
    whole("m", game.m, most=1, cure="The challenge is a duel about one sign.")
    records = itertools.product((True, False), (0, 1))
    kernel = np.array([mechanism(inside, y) for inside, y in records], dtype=float)
    if kernel.ndim != 2 or (kernel < 0).any() or not np.allclose(kernel.sum(axis=1), 1, rtol=0, atol=1e-12):
        raise ValueError(f"mechanism returns {kernel.tolist()}; "
                         "every record needs probabilities that sum to 1.")
    budget = kernel_budget(kernel)
    real("budget of the mechanism", budget, most=game.alpha * (1 + 1e-12),
         cure="Make its answers less telling.")
    tv = reports_total_variation(game.n, *(two_point_law(game, sign) @ kernel for sign in (1, -1)))
    return Challenge(budget, tv, game.coin * (1 - tv), game.bound())


def two_point_law(game, sign):
    """P(inside, y) for (True, 0), (True, 1), (False, 0), (False, 1) if the hidden sign is `sign`."""
    tilt = sign * game.separation
    return np.array([game.w - tilt, game.w + tilt, 1 - game.w, 1 - game.w]) / 2

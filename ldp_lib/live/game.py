"""The game behind Theorem 2.5: m hidden signs, any mechanism against them, and exact risks.

Somebody hides the signs of a hypercube (`ldp_lib.nature.problem("hypercube", ...)`). n people report; a
wrong sign costs Delta = w L C_phi q^-beta. Every risk below is exact, and the worst over all signs:

* `cube_risk`: the mechanism of Berrett & Butucea (2019), any bandwidth;
* `laplace_risk`: one signed report in disjoint cells, (Y - 1/2) e_cell + Laplace(1 / alpha) in each;
* `response_risk`: randomised response on (cell, label);
* `one_bit_risk`: one random bit, which speaks about all cells at once;
* `public_risk`: randomised response on the label with public features. It is *not* private in x.

`ldp_lib.live.duel` lets a mechanism of the reader's own play.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc

from ldp_lib._arguments import whole
from ldp_lib.estimation import CubeClassifier
from ldp_lib.nature import problem
from ldp_lib.nature.hypercube import bump_constants
from ldp_lib.privacy import HadamardBit
from ldp_lib.risk import excess_risk
from ldp_lib.risk.scores import (
    cell_sign_probabilities, majority_sign_probabilities, score_sign_probabilities,
)
from ldp_lib.theory import distinguishability, lower_bound

L, MU, BUMP = 1.0, 1.0, "ramp"
"""Constants of the class in which the game is played: Hölder and least density, and the bump."""
MOST_SIGNS = 8
"""`cube_risk` goes through 2^m vertices."""


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
        bound = lower_bound(n, alpha, beta, gamma, d, L=L, C0=margin_constant(gamma), mu=MU, bump=BUMP)
        return cls(n, alpha, bound.q, bound.m, bound.w, beta, d)

    @classmethod
    def by_hand(cls, n, alpha, beta, gamma, d, q, cells, mass):
        """A game over the same class.

        `cells`, in (0, 1], is m as a share of the most that the margin condition allows; `mass`, in [0, 1],
        places w between the least and the most that the class allows.
        """
        height = L * bump_constants(BUMP, beta).c_eta * q**-beta
        people, least = min(1.0, margin_constant(gamma) * (height / 2) ** gamma), MU * (4.0 * q) ** -d
        m = max(1, round(cells * math.floor(min(q**d, people / least) * (1 + 1e-12))))
        # Outside the active cells the density is (1 - m w) / (1 - m (2q)^-d) and must reach MU, too.
        most = min(people / m, (1 - MU) / m + MU * (2.0 * q) ** -d)
        return cls(n, alpha, q, m, least + mass * (most - least), beta, d)

    @cached_property
    def law(self):
        """The vertex with all signs 1; refuses constants that do not fit."""
        return self.vertex(None)

    def vertex(self, signs):
        """The `Problem` with these m signs."""
        return problem("hypercube", q=self.q, m=self.m, w=self.w, beta=self.beta, L=L, d=self.d, bump=BUMP,
                       signs=signs, c_phi=bump_constants(BUMP, self.beta).c_eta)

    @property
    def separation(self):
        """Delta: what a wrong sign costs, and how far apart it puts the laws of one person."""
        return self.law.separation

    @property
    def coin(self):
        """(m / 2) Delta: the risk of whoever sees no report."""
        return self.m * self.separation / 2

    def bound(self, contraction="dominating"):
        """(m / 2) Delta (1 - D): no alpha-LDP mechanism and no analyst have a smaller worst-case risk."""
        return self.coin * (1 - float(distinguishability(self.n, self.alpha, self.separation, contraction)))


def _majority_risk(game, p, plus, minus):
    """Worst-case risk of the majority in every cell.

    `p`: probability of an answer; `plus`, `minus`: P(one) for either sign.

    A fair coin decides ties, so that by symmetry no signs are worse than others.
    """
    missed = majority_sign_probabilities(game.n, p, plus)[0]
    false = majority_sign_probabilities(game.n, p, minus)[1]
    return game.coin * float(missed + false)


def one_bit_risk(game):
    """One bit from everybody: (2Y - 1) s(cell of X) through randomised response.

    s are public random signs, new for everyone; whoever is outside the active cells sends a fair coin. Seen
    through s(k), the bits of all n people are independent for each cell k, 1 with probability
    (1 + sigma_k Delta tanh(alpha / 2)) / 2: people of other cells cancel.
    """
    return game.coin * (1 - float(one_bit_tv(game.n, game.alpha, game.separation)))


def at_most(k, n, p):
    """P(at most k of n bits are 1), each with probability p; any k is legal, arrays broadcast.

    The incomplete beta function keeps 12 digits at n = 1e9, where `scipy.special.bdtr` has lost them all.
    """
    k = np.asarray(k)
    inside = betainc(np.maximum(n - k, 1.0), np.maximum(k + 1.0, 1.0), 1 - p)
    return np.where(k < 0, 0.0, np.where(k >= n, 1.0, inside))


def one_bit_tv(n, alpha, separation):
    """TV between n bits that are 1 with probability (1 + t)/2 and n with (1 - t)/2.

    t = separation tanh(alpha/2); n may be an array. The law of `HadamardBit` where all people of a cell have
    one label.
    """
    bit = HadamardBit(alpha, 1.0)
    false, right = (score_sign_probabilities(bit, n, separation, ones)[0] for ones in (0.0, separation))
    return false - right


def response_risk(game):
    """Randomised response on the 2 m + 1 answers (cell, label) and "elsewhere", with odds e^alpha : 1."""
    share, gain = 1 / (math.exp(game.alpha) + 2 * game.m), math.expm1(game.alpha)
    plus, minus = (share * (1 + gain * (game.w + sign * game.separation) / 2) for sign in (1, -1))
    return _majority_risk(game, plus + minus, plus, minus)


def public_risk(game):
    """Randomised response on the label, the features being published: alpha-LDP for the label only."""
    tilt = game.separation * math.tanh(game.alpha / 2)
    return _majority_risk(game, game.w, (game.w + tilt) / 2, (game.w - tilt) / 2)


def laplace_risk(game):
    """(Y - 1/2) e_cell + Laplace(1 / alpha) in every cell: two people's vectors differ by 1 in all."""
    plus, minus = (game.w + game.separation) / 2, (game.w - game.separation) / 2
    missed = cell_sign_probabilities(game.n, plus + minus, plus, 1 / game.alpha)[0]
    return 2 * game.coin * float(missed)


def cube_risk(game, h):
    """The mechanism of Berrett & Butucea with bandwidth h > 0; m at most 8: all 2^m vertices are tried."""
    whole("m", game.m, most=MOST_SIGNS, cure="All 2^m sign vectors are tried; play with fewer cells.")
    rule = CubeClassifier(game.alpha, h, noise="real")
    vertices = map(game.vertex, itertools.product((1, -1), repeat=game.m))
    return max(excess_risk(rule, vertex, game.n) for vertex in vertices)


PRIVATE_PLAYS = {
    "one bit about all cells": one_bit_risk,
    "signed cell + Laplace(1/α)": laplace_risk,
    "randomised response on (cell, y)": response_risk,
}
"""Name -> risk of the alpha-LDP plays that have nothing to tune."""

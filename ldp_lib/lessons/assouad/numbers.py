"""What the pictures of notebook 04 show, in numbers: rectangles cost x hidden, one for each hypercube.

The class has beta = d = 1 and gamma = 1/2, and alpha = 1 where nothing else is said. *Hidden* is 1 - TV of
all reports under the two signs of one bump: 1 is a coin's knowledge, 0 is certainty.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.game import Game, margin_constant
from ldp_lib.theory.classification.lower import legal_hypercubes
from ldp_lib.theory.contraction import indistinguishability, mirrored_overlap

MILLION, ALPHA = 10**6, 1.0
THETA = checked_theta(1.0, 0.5, 1, C0=margin_constant(0.5))
"""The class."""
CELLS = np.arange(3, 121)
"""Numbers q of cells per axis: the points of all curves."""


@lru_cache(maxsize=1)
def hypercubes():
    """(m, height, w) of the hypercubes with `CELLS` cells, arrays: as many signs as the margin allows."""
    m, height, _, mass = legal_hypercubes(CELLS, THETA, "ramp")
    return m, height, mass


@lru_cache(maxsize=64)
def rectangles(n, alpha, protect="x and y"):
    """(cost, hidden) at all `CELLS`: of any private mechanism, if features and labels are protected; of
    randomised response on the label with public features; or of the data themselves."""
    m, height, mass = hypercubes()
    delta = height * mass
    if protect == "x and y":
        return m / 2 * delta, indistinguishability(n, alpha, delta)
    lean = delta if protect == "nothing" else delta * math.tanh(alpha / 2)
    return m / 2 * delta, mirrored_overlap(n, (mass + lean) / 2, (mass - lean) / 2)


def game_with(q, n=MILLION, alpha=ALPHA):
    """The `Game` with this many cells."""
    return Game.by_hand(n, alpha, 1.0, 0.5, 1, int(q), 1.0, 1.0)


@lru_cache(maxsize=64)
def best_game(n, alpha=ALPHA):
    """The `Game` of the largest rectangle."""
    return game_with(CELLS[np.multiply(*rectangles(n, alpha)).argmax()], n, alpha)

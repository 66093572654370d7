"""Thresholds on [0, 1]: learnable from any fixed law, and lost once the law moves with the sample.

No private rule learns thresholds uniformly over all laws (Bun et al., 2015; Alon et al., 2019). The noisy
majority vote shows how: people on both sides of the threshold, closer together than a cell is wide.
"""

import math

import numpy as np

from ldp_lib._arguments import points, real, whole
from ldp_lib.nature.base import Problem


class Threshold(Problem):
    """X uniform on an interval of length `width` around `place`; eta is 1 - flip from `place` on, flip below.

    place : in (0, 1).  width : > 0, at most twice the distance of `place` to the ends of [0, 1].
    flip : probability of a wrong label, in [0, 1/2].
    """

    def __init__(self, place=0.4, width=0.8, flip=0.1):
        self.place = real("place", place, above=0, below=1)
        most = 2 * min(self.place, 1 - self.place)
        self.width = real("width", width, above=0, most=most, cure="People live on [0, 1].")
        self.flip = real("flip", flip, least=0, most=0.5)
        super().__init__("threshold", 1, {"place": self.place, "width": self.width, "flip": self.flip})

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of X, (n, 1) -> (n,)."""
        return np.where(points("X", X, 1)[:, 0] >= self.place, 1 - self.flip, self.flip)

    def density(self, X):
        """Density of X at each row, (n, 1) -> (n,)."""
        return (np.abs(points("X", X, 1)[:, 0] - self.place) <= self.width / 2) / self.width

    def _draw(self, n, rng):
        X = self.place + self.width * (rng.random((n, 1)) - 0.5)
        return X, rng.random(n) < self.eta(X)

    def _sides(self, lower, upper):
        """Mass of each box below and above the threshold."""
        # Positions in units of the width: no cancellation however narrow the law is.
        low, high = (np.clip((edge[..., 0] - self.place) / self.width, -0.5, 0.5) for edge in (lower, upper))
        return np.minimum(high, 0) - np.minimum(low, 0), np.maximum(high, 0) - np.maximum(low, 0)

    def _masses(self, lower, upper):
        below, above = self._sides(lower, upper)
        return below + above, self.flip * below + (1 - self.flip) * above

    def _margin(self, lower, upper):
        return (1 - 2 * self.flip) * sum(self._sides(lower, upper))


def hidden_threshold(n=10_000, flip=0.1):
    """The `Threshold` against which the noisy majority vote with n people fails: half of them in vain.

    Cells of side r = n^(-1/2) start at 0; the threshold is in the middle of the cell that holds 1/2, or the
    one before, and everybody is within r/n of it. The vote of that cell is wrong on one side: excess risk
    1/2 - flip for this n, whatever epsilon is. For this law and more and more people it goes to 0.
    """
    n = whole("n", n, least=4, most=10**9, cure="Beyond, floats do not resolve r/n.")
    side = n**-0.5
    law = Threshold((math.floor(0.5 / side - 0.5) + 0.5) * side, side / n, flip)
    law.name, law.params = "hidden_threshold", {"n": n, "flip": law.flip}
    return law

"""A smooth problem whose decision boundary lies on no grid."""

import numpy as np

from ldp_lib._arguments import real
from ldp_lib.nature.waves import Sine


class Wave(Sine):
    """X uniform on [0, 1]^d and eta(x) = 1/2 + amplitude * prod_k sin(2 pi (frequency x_k + shift)).

    Analytic, so that beta is as large as a rule can use; for `shift` 0 it is "sine", whose boundary lies on
    the lines of every even number of cells. With the defaults it crosses 1/2 at 0.22, 0.47, 0.72 and 0.97,
    where only grids of 50 cells and more have lines.

    Parameters: `d` >= 1; `amplitude` in [0, 1/2]; `frequency`, whole periods on [0, 1], >= 1; `shift`, in
    periods.
    """

    def __init__(self, d=1, amplitude=0.4, frequency=2, shift=0.06):
        super().__init__(d, amplitude, frequency)
        self.name = "wave"
        self.shift = real("shift", shift)
        self.params = {**self.params, "shift": self.shift}

    def _wave(self, level):
        return np.sin(2.0 * np.pi * (self.frequency * level + self.shift))

    def _signed(self, lower, upper):
        # The difference of two cosines as a product: no cancellation in narrow cells.
        turn = np.pi * self.frequency
        return np.sin(turn * (lower + upper) + 2 * np.pi * self.shift) * np.sin(turn * (upper - lower)) / turn

    def _absolute_from_zero(self, level):
        return super()._absolute_from_zero(level + self.shift / self.frequency)

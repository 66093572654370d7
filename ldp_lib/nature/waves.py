"""Problems whose regression function is a product of waves, one an axis.

    eta(x) = 1/2 + amplitude * prod_k w(x_k),   X uniform on [0, 1]^d.

Because everything factorises, all box probabilities are products of
one-dimensional integrals of w and of |w|, in any dimension.
`Sine` takes w(t) = sin(2 pi frequency t), `Checkerboard` a square wave.
"""

import numpy as np

from ldp_lib._arguments import points, real, whole
from ldp_lib.nature.base import Problem


class _ProductWave(Problem):
    """Coordinates are independent; their *levels* P(X_k <= x_k) are uniform on [0, 1] and carry the wave.

    A subclass gives `_wave`, its integral `_signed` and the integral `_absolute` of its absolute
    value over an interval of levels.
    """

    amplitude: float

    @property
    def density_bins(self):
        """One bin: X is uniform."""
        return (1,) * self.d

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,).

        Outside the domain, where nobody is, it is that of the nearest point of the domain.
        """
        return self._eta_at(self._level(points("X", X, self.d)))

    def density(self, X):
        """Density of X at each row, shape (n, d) -> (n,): 1 in the unit cube, 0 outside."""
        X = points("X", X, self.d)
        return ((X >= 0.0) & (X <= 1.0)).all(axis=1).astype(float)

    def _level(self, x):
        return np.clip(x, 0.0, 1.0)

    def _place(self, level):
        """Inverse of `_level`."""
        return level

    def _eta_at(self, level):
        return 0.5 + self.amplitude * self._wave(level).prod(axis=-1)

    def _draw(self, n, rng):
        level = rng.random((n, self.d))
        return self._place(level), rng.random(n) < self._eta_at(level)

    def _masses(self, lower, upper):
        lower, upper = self._level(lower), self._level(upper)
        p = (upper - lower).prod(axis=-1)
        return p, 0.5 * p + self.amplitude * self._signed(lower, upper).prod(axis=-1)

    def _margin(self, lower, upper):
        lower, upper = self._level(lower), self._level(upper)
        return 2.0 * self.amplitude * self._absolute(lower, upper).prod(axis=-1)


class Sine(_ProductWave):
    """X uniform on [0, 1]^d and eta(x) = 1/2 + amplitude * prod_k sin(2 pi frequency x_k).

    Parameters: `d` >= 1; `amplitude` in [0, 1/2]; `frequency`, whole periods on [0, 1], >= 1.
    In the class of Berrett & Butucea (2019): beta = 1 and, for d = 1, margin exponent gamma = 1.
    """

    def __init__(self, d=1, amplitude=0.4, frequency=1):
        self.amplitude = real("amplitude", amplitude, least=0.0, most=0.5)
        self.frequency = whole("frequency", frequency)
        d = whole("d", d)
        super().__init__("sine", d, {"d": d, "amplitude": self.amplitude, "frequency": self.frequency})

    def _wave(self, level):
        return np.sin(2.0 * np.pi * self.frequency * level)

    def _signed(self, lower, upper):
        # The difference of two cosines as a product: no cancellation in narrow cells.
        turn = np.pi * self.frequency
        return np.sin(turn * (lower + upper)) * np.sin(turn * (upper - lower)) / turn

    def _absolute(self, lower, upper):
        return self._absolute_from_zero(upper) - self._absolute_from_zero(lower)

    def _absolute_from_zero(self, level):
        arches, rest = np.divmod(2.0 * self.frequency * level, 1.0)
        return (2.0 * arches + 1.0 - np.cos(np.pi * rest)) / (2.0 * np.pi * self.frequency)


class Checkerboard(_ProductWave):
    """X uniform on [0, 1]^d; eta is 1 - flip and flip in turn on a board of `squares`^d squares.

    The square at the origin has eta = 1 - flip.
    Parameters: `d` >= 1; `squares` an axis, >= 1; `flip`, probability of a wrong label, in [0, 1/2].
    """

    def __init__(self, d=2, squares=4, flip=0.1):
        self.squares = whole("squares", squares)
        self.flip = real("flip", flip, least=0.0, most=0.5)
        self.amplitude = 0.5 - self.flip
        d = whole("d", d)
        super().__init__("checkerboard", d, {"d": d, "squares": self.squares, "flip": self.flip})

    def _wave(self, level):
        # The far edge of the board belongs to its last square.
        return 1.0 - 2.0 * (np.minimum(np.floor(self.squares * level), self.squares - 1) % 2)

    def _signed(self, lower, upper):
        return self._signed_from_zero(upper) - self._signed_from_zero(lower)

    def _signed_from_zero(self, level):
        """A triangle wave, the integral of the square wave."""
        half_turn = (self.squares * level) % 2.0
        return np.minimum(half_turn, 2.0 - half_turn) / self.squares

    def _absolute(self, lower, upper):
        return upper - lower

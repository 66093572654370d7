"""Problems whose regression function is a product of waves, one an axis.

    eta(x) = 1/2 + amplitude * prod_k w(x_k),   X uniform on [0, 1]^d.

Because everything factorises, all box probabilities are products of
one-dimensional integrals of w and of |w|, in any dimension.  The waves are
sines, whole or shifted off every grid or on the Cantor set, parabolas and squares.
"""

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.nature.base import Uniform
from ldp_lib.nature.spaces import cantor_function, cantor_quantile


class _ProductWave(Uniform):
    """The wave along one axis is w(frequency x + shift), of period 1, with w(u + 1/2) = -w(u).

    A subclass gives `_factor`, this wave, and `_area(u)`, the area below the first arch of w up to
    0 <= u <= 1/2.
    """

    shift = 0.0

    @property
    def density_bins(self):
        """One bin: X is uniform."""
        return (1,) * self.d

    def _wave(self, level):
        return self._factor(level).prod(axis=-1)

    def _turns(self, level):
        return self.frequency * level + self.shift

    def _signed(self, lower, upper):
        # The second arch takes back the first one.
        low, high = (self._area(np.minimum(phase, 1.0 - phase)) for phase in
                     (self._turns(lower) % 1.0, self._turns(upper) % 1.0))
        return (high - low) / self.frequency

    def _absolute_from_zero(self, level):
        arches, rest = np.divmod(2.0 * self._turns(level), 1.0)
        return (arches * self._area(0.5) + self._area(rest / 2.0)) / self.frequency

    def _integrals(self, lower, upper):
        absolute = self._absolute_from_zero(upper) - self._absolute_from_zero(lower)
        return self._signed(lower, upper).prod(axis=-1), absolute.prod(axis=-1)


class Sine(_ProductWave):
    """X uniform on [0, 1]^d and eta(x) = 1/2 + amplitude * prod_k sin(2 pi frequency x_k).

    Parameters: `d` >= 1; `amplitude` in [0, 1/2]; `frequency`, whole periods on [0, 1], >= 1.
    In the class of Berrett & Butucea (2019): beta = 1 and, for d = 1, margin exponent gamma = 1.
    """

    def __init__(self, d=1, amplitude=0.4, frequency=1):
        self.amplitude = real("amplitude", amplitude, least=0.0, most=0.5)
        self.frequency = whole("frequency", frequency)
        self.d = whole("d", d)

    def _factor(self, level):
        return np.sin(2.0 * np.pi * self._turns(level))

    def _signed(self, lower, upper):
        # The difference of two cosines as a product: no cancellation in narrow cells.
        turn = np.pi * self.frequency
        return np.sin(turn * (lower + upper) + 2 * np.pi * self.shift) * np.sin(turn * (upper - lower)) / turn

    def _area(self, u):
        return (1.0 - np.cos(2.0 * np.pi * u)) / (2.0 * np.pi)


class Cantor(Sine):
    """X = (F^{-1}(U_1), ..., F^{-1}(U_d)), eta(x) = 1/2 + amplitude * prod_k sin(2 pi frequency F(x_k)).

    F is the Cantor function, the U_k are independent and uniform; X has no density: "every distribution" in
    Theorem 2.2 of Berrett & Butucea (2019) includes laws that sit on a set of Lebesgue measure zero. Box
    masses are those of `Sine` at the levels of the box. Parameters as for `Sine`.  With one or two periods
    eta crosses 1/2 in gaps of the Cantor set only, and a few cells hold the Bayes rule; with three, the
    default, it also does so at F = 1/3 and 2/3, which is at x = 1/4 and 3/4 with people at every distance, so
    that cells have to shrink.
    """

    density = None
    density_bins = None

    def __init__(self, d=1, amplitude=0.4, frequency=3):
        super().__init__(d, amplitude, frequency)

    def _level(self, x):
        return cantor_function(x)

    def _draw(self, n, rng):
        level = rng.random((n, self.d))
        return cantor_quantile(level), (rng.random(n) < self._eta_at(level)).astype(np.int64)


class Wave(Sine):
    """X uniform on [0, 1]^d and eta(x) = 1/2 + amplitude * prod_k sin(2 pi (frequency x_k + shift)).

    Analytic, so that beta is as large as a rule can use; for `shift` 0 it is "sine", whose boundary lies on
    the lines of every grid of 2 frequency cells an axis, or a multiple. With the defaults it crosses 1/2 at
    0.22, 0.47, 0.72 and 0.97, where no grid of less than 25 cells has a line.

    Parameters: `d` >= 1; `amplitude` in [0, 1/2]; `frequency`, whole periods on [0, 1], >= 1; `shift`, in
    periods.
    """

    def __init__(self, d=1, amplitude=0.4, frequency=2, shift=0.06):
        super().__init__(d, amplitude, frequency)
        self.shift = real("shift", shift)


class Arches(Wave):
    """A wave of parabolas: smoothness beta = 2 and no more.

    eta(x) = 1/2 + amplitude * prod_k w(frequency x_k + shift), X uniform on [0, 1]^d, with w of period 1,
    w(u) = 8 u (1 - 2u) on [0, 1/2] and w(u + 1/2) = -w(u). The slope of w, a triangle wave between -8 and 8,
    has the Lipschitz constant 32, and a kink where w = 0: on the decision boundary. So for d = 1 the
    Hölder class of smoothness 2 has L = 32 amplitude frequency^2, and no class of higher smoothness holds
    eta, unless the amplitude is 0.

    Parameters as in `Wave`.
    """

    _signed = _ProductWave._signed

    def _factor(self, level):
        phase = self._turns(level) % 1.0
        u = phase % 0.5
        return 8.0 * u * (1.0 - 2.0 * u) * np.where(phase < 0.5, 1.0, -1.0)

    def _area(self, u):
        return u * u * (4.0 - 16.0 / 3.0 * u)


class Checkerboard(_ProductWave):
    """X uniform on [0, 1]^d; eta is 1 - flip and flip in turn on a board of `squares`^d squares.

    The square at the origin has eta = 1 - flip.
    Parameters: `d` >= 1; `squares` an axis, >= 1; `flip`, probability of a wrong label, in [0, 1/2].
    """

    def __init__(self, d=2, squares=4, flip=0.1):
        self.squares = whole("squares", squares)
        self.flip = real("flip", flip, least=0.0, most=0.5)
        self.amplitude = 0.5 - self.flip
        self.d, self.frequency = whole("d", d), self.squares / 2.0

    def _factor(self, level):
        # The far edge of the board belongs to its last square.
        return 1.0 - 2.0 * (np.minimum(np.floor(self.squares * level), self.squares - 1) % 2)

    def _area(self, u):
        return u

    def _absolute_from_zero(self, level):
        return level

"""Laplace noise, on a public lattice (the default) or on the real line.

Laplace(b) has density exp(-|z|/b) / (2b). Its lattice version gives the point
k*g the probability tanh(g/2b) exp(-|k| g/b), k a whole number. A statistic
that lies on the lattice, plus lattice noise, lies on the lattice whatever the
statistic was: the low-order bits of a report cannot betray it, as those of
floating-point noise do (Mironov, 2012).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import (
    OperatingSystem, Randomness, choice, generator, places, real, reals, require_memory, whole,
)
from ldp_lib._rounding import BITS
from ldp_lib.privacy.exact import discrete_laplace

STEPS_PER_SCALE = 1024
"""The lattice has at least this many steps in one noise scale (variance within 1e-7 of Laplace's)."""


SMALLEST_SCALE, LARGEST_SCALE = 2.0**-1000, 2.0**46
"""Larger noise would exceed 2^53 steps, which floats no longer resolve, with odds above e^-128."""
MOST_SCALES = 512
"""One person's noise is beyond this many scales with odds e^-512, which no number of people makes visible."""


def calibrated_scale(sensitivity, alpha):
    """The smallest b of 40 significant binary digits with sensitivity / b <= alpha exactly.

    Rounding b down would overspend the budget. The last bits of a float would differ between processors where
    the sensitivity has been computed; those of b do not.

    >>> 4 / 0.7, calibrated_scale(4.0, 0.7)
    (5.714285714285714, 5.714285714289872)
    """
    scale = sensitivity / alpha
    if scale == math.inf:
        raise ValueError(f"alpha = {alpha!r} is too small: the noise scale {sensitivity:g}/alpha is no "
                         "float. Raise alpha.")
    unit = Fraction(2) ** (math.frexp(scale)[1] - BITS)
    return float(math.ceil(Fraction(sensitivity) / Fraction(alpha) / unit) * unit)


class LatticeLaplace:
    """Discrete Laplace noise of scale b on the multiples of a power of two; an exact sampler.

    The point k g, k a whole number, has probability tanh(g / 2b) exp(-|k| g / b). The lattice step g is the
    largest power of two that is at most b/`steps` and at most 1, so that every whole number is a lattice
    point and 0/1 statistics need no rounding. A statistic that is rounded to the lattice moves by g/2 at most
    an entry, and its sensitivity has to pay for that. Draws are whole numbers from `ldp_lib.privacy.exact`,
    whose law is P(k g) without any error, and their sum with a statistic on the lattice is exact, too: its
    low-order bits cannot betray the statistic, as those of floating-point noise do [1]_.

    Parameters
    ----------
    scale : float
        The noise scale b, 2^-1000 to 2^46.
    steps : float
        Least number of lattice steps in one scale; 1024 unless given. At most 2^46 steps of the lattice may
        lie in one scale.

    Attributes
    ----------
    scale : float
        b, as given.
    granularity : float
        The lattice step g.
    variance : float
        The exact variance, g^2 / (2 sinh^2(g / 2b)).

    References
    ----------
    .. [1] I. Mironov, "On significance of the least significant bits for differential privacy", CCS (2012),
       doi:10.1145/2382196.2382264.

    Examples
    --------
    >>> noise = LatticeLaplace(2.0)
    >>> noise.granularity, round(noise.variance, 5)
    (0.001953125, 8.0)
    """

    def __init__(self, scale: float, steps: float = STEPS_PER_SCALE):
        # Beyond, B + noise would leave the whole numbers that floats hold, and its last bits would betray B.
        self.scale = real("scale", scale, least=SMALLEST_SCALE, most=LARGEST_SCALE,
                          cure="Raise alpha for a smaller scale, lower it for a larger one.")
        steps = real("steps", steps, least=1)
        exponent = min(0, math.frexp(self.scale / steps)[1] - 1)
        self.granularity = 2.0**exponent
        if self.scale / self.granularity > LARGEST_SCALE:
            raise ValueError(f"scale = {self.scale!r} with {steps:.3g} steps is out of range; a lattice has "
                             "2^46 steps in a scale at most. Raise alpha.")

    @property
    def variance(self) -> float:
        """Exact variance: g^2 / (2 sinh^2(g / 2b)) on the lattice, 2 b^2 in the limit g -> 0."""
        return self.granularity**2 / (2 * math.sinh(self.granularity / (2 * self.scale)) ** 2)

    def sample(self, size: int | tuple[int, ...], rng: Randomness) -> np.ndarray:
        """Independent draws, a float array of shape `size` of multiples of the granularity.

        rng : None or "secure" for the operating system's generator; a numpy Generator or a seed.
        """
        shape, rng = _shape(size), generator(rng, secure=True)
        steps = discrete_laplace(self.scale, self.granularity).draw(math.prod(shape), rng)
        return (steps * self.granularity).reshape(shape)

    def sample_sum(self, people: int, size: int | tuple[int, ...], rng: Randomness) -> np.ndarray:
        """The sum of `people` independent noises, at a cost that does not grow with them.

        For simulation only: numpy draws it in floating point. One noise is a difference of two geometric
        numbers, whose binary digits are independent: the digit worth 2^j is 1 with odds exp(-2^j g / b). So
        in the sum of all people it is worth 2^j times a binomial number. (A negative binomial, which is the
        law of the whole, numpy draws by comparing terms so large that the last bit of a logarithm decides.)
        """
        people, shape, rng = whole("people", people, least=0), _shape(size), generator(rng)
        if people == 0:
            return np.zeros(shape)
        if people * self.scale / self.granularity > 4e18:
            raise ValueError(f"people = {people} reports of scale {self.scale:g} do not fit whole numbers of "
                             "64 bits; raise alpha or simulate fewer people.")
        steps, unit = np.zeros(shape, dtype=np.int64), self.granularity / self.scale
        for digit in range(math.ceil(math.log2(MOST_SCALES / unit))):
            one = 1 / (1 + math.exp(2.0**digit * unit))
            steps += rng.binomial(people, one, shape) - rng.binomial(people, one, shape) << digit
        return steps * self.granularity

    def tail(self, t: ArrayLike) -> float | np.ndarray:
        """P(noise >= t), exact; t any shape."""
        # r^k / (1 + r) for k >= 0 steps; the law is symmetric.
        k = np.ceil(_reached(places("t", t), self.scale) / self.granularity)
        upper = self._geometric(np.where(k > 0, k, 1 - k))
        return np.where(k > 0, upper, 1 - upper)[()]

    def mean_excess(self, t: ArrayLike) -> float | np.ndarray:
        """E (noise - t)^+, exact; t any shape."""
        t = reals("t", t)
        distance = np.abs(_reached(t, self.scale))
        k = np.ceil(distance / self.granularity)
        beyond = self.granularity / math.expm1(self.granularity / self.scale)
        return (np.maximum(-t, 0) + self._geometric(k) * (self.granularity * k - distance + beyond))[()]

    def _geometric(self, k):
        unit = self.granularity / self.scale
        return np.exp(-unit * k) / (1 + math.exp(-unit))


class RealLaplace:
    """Laplace noise of scale b in floating point: for mathematics only.

    The law on paper is private; the bits that a computer prints are not, because not every float can be
    reached from every input [1]_. Use the lattice, `LatticeLaplace`, for anything that leaves the room.

    Parameters
    ----------
    scale : float
        The noise scale b, > 0.
    steps : float
        That of `LatticeLaplace`; ignored, for there is no lattice here.

    Attributes
    ----------
    scale : float
        b, as given.
    granularity : float
        0.
    variance : float
        2 b^2.

    References
    ----------
    .. [1] I. Mironov, "On significance of the least significant bits for differential privacy", CCS (2012),
       doi:10.1145/2382196.2382264.

    Examples
    --------
    >>> noise = RealLaplace(2.0)
    >>> noise.variance, float(noise.tail(0.0))
    (8.0, 0.5)
    """

    granularity = 0.0

    def __init__(self, scale: float, steps: float = 0):
        self.scale = real("scale", scale, above=0)

    @property
    def variance(self) -> float:
        """2 b^2."""
        return 2 * self.scale**2

    def sample(self, size: int | tuple[int, ...], rng: Randomness) -> np.ndarray:
        """Independent draws, a float array of shape `size`, by numpy: rng = None seeds it afresh."""
        rng = generator(rng, secure=True)
        if isinstance(rng, OperatingSystem) and not rng.demanded:
            rng = np.random.default_rng()
        if not isinstance(rng, np.random.Generator):
            raise ValueError('rng = "secure" does not repair noise = "real", whose low-order bits betray the '
                             'input whatever the source of its bits; use noise = "lattice", or a seed for '
                             'mathematics.')
        return rng.laplace(scale=self.scale, size=_shape(size))

    def sample_sum(self, people: int, size: int | tuple[int, ...], rng: Randomness) -> np.ndarray:
        """Exact draws of the sum of `people` independent noises: a difference of gammas."""
        people, shape, rng = whole("people", people, least=0), _shape(size), generator(rng)
        return self.scale * (rng.standard_gamma(people, shape) - rng.standard_gamma(people, shape))

    def tail(self, t: ArrayLike) -> float | np.ndarray:
        """P(noise >= t), exact; t any shape."""
        t = places("t", t)
        half = np.exp(-np.abs(_reached(t, self.scale)) / self.scale) / 2
        return np.where(t > 0, half, 1 - half)[()]

    def mean_excess(self, t: ArrayLike) -> float | np.ndarray:
        """E (noise - t)^+, exact; t any shape."""
        t = reals("t", t)
        tail = np.exp(-np.abs(_reached(t, self.scale)) / self.scale)
        return (np.maximum(-t, 0) + self.scale / 2 * tail)[()]


def _reached(t, scale):
    """The places t, cut to 1000 scales on either side: nearer than where floats overflow, and noise that far
    out has probability e^-1000, which is 0 as a float."""
    return np.clip(t, -1000 * scale, 1000 * scale)


def _shape(size):
    """`size`, a whole number or a tuple of them, as a shape."""
    shape = tuple(whole("size", length, least=0) for length in (size if isinstance(size, tuple) else (size,)))
    require_memory(f"Noise of size {shape}", 24.0 * math.prod(map(float, shape)), "Draw it in blocks.")
    return shape


KINDS = {"lattice": LatticeLaplace, "real": RealLaplace}


def laplace_noise(noise, scale, steps=STEPS_PER_SCALE):
    """The noise law called `noise` ("lattice" or "real") with scale b = `scale`; a lattice of step <= b /
    `steps`."""
    return KINDS[choice("noise", noise, KINDS)](scale, steps)

"""The scores of the grid classifiers as contour integrals, and the probabilities of their signs."""

import numpy as np

from ldp_lib._arguments import numeric, part_of, real, together
from ldp_lib.risk.contour import (
    RELATIVE_ERROR, expm1, find_saddlepoint, log_power, rows, sign_probabilities, smaller_side,
)


class CubeScore:
    """S = n T_n for the mechanism CubeLaplace: n people in each half.

    S is the sum of n variables Y B + Laplace(b) and -n/2 times the mean of n
    variables B + Laplace(b), p = P(B = 1), q = P(Y B = 1). With lattice noise of
    step g, S is a multiple of u = g/2. All arguments are flat float arrays.
    """

    def __init__(self, n, p, q, scale, granularity, threshold):
        self.n, self.p, self.q, self.scale = n, p, q, scale
        self.step = granularity / 2
        # S < x on the lattice means S < (x rounded up to the lattice).
        self.shift = n * threshold if self.step == 0 else self.step * np.ceil(n * threshold / self.step)
        # K is finite for |s| < edge; the noise of step g has mgf 1 / (1 - (sinh(gs/2) / unit)^2).
        self.unit = np.sinh(self.step / scale) if self.step else np.ones_like(scale)
        # exp(s) has to stay a float.
        self.edge = np.minimum(1 / scale, 600.0)

    def __getitem__(self, cells):
        return rows(self, ("n", "p", "q", "scale", "shift", "unit", "edge"), cells)

    def _noise(self, s, factor):
        """For the noise multiplied by `factor`: r(s) and r'(s), its mgf being 1 / (1 - r^2)."""
        if self.step == 0:
            return factor * self.scale * s, factor * self.scale
        angle = factor * self.step
        return np.sinh(angle * s) / self.unit, angle * np.cosh(angle * s) / self.unit

    def derivatives(self, s):
        """K'(s) and K''(s) for real s."""
        up, down = self.q * np.exp(s), self.p * np.exp(-s / 2)
        labelled, unlabelled = up / (1 - self.q + up), down / (1 - self.p + down)
        first = labelled - unlabelled / 2
        second = labelled * (1 - labelled) + unlabelled * (1 - unlabelled) / 4
        for factor in (1.0, 0.5):
            r, slope = self._noise(s, factor)
            gap = 1 - r * r
            first = first + 2 * r * slope / gap
            curvature = r * (factor * self.step) ** 2
            second = second + 2 * (slope**2 + r * curvature) / gap + (2 * r * slope / gap) ** 2
        return self.n * first - self.shift, self.n * second

    def saddlepoint(self):
        """Where K' is nearly 0, and K'' there."""
        return find_saddlepoint(self.derivatives, self.edge)

    def reach(self, c, digits):
        """Half-length of the contour: where |mgf| has fallen by exp(-digits), from the noise alone."""
        n, r = self.n, self._noise(c, 1.0)[0]
        # |mgf(c + it) / mgf(c)| <= ((1 + k x)(1 + x / 4))^-n with x = |r(it)|^2, k = 1 / (1 - r(c)^2).
        k, fall = 1 / (1 - r * r), np.expm1(np.minimum(digits / n, 300.0))
        x = 2 * fall / (k + 0.25 + np.sqrt((k + 0.25) ** 2 + k * fall))
        if self.step == 0:
            return np.sqrt(x) / self.scale
        sine = np.sqrt(x) * self.unit
        full = np.pi / self.step
        # The unlabelled noise alone damps the second half of the period: enough from n = 3 on.
        return np.where((sine < 1) & (n > 2), np.arcsin(np.minimum(sine, 1)) / self.step, full)

    def log_mgf(self, c, t):
        """K(c + it): real and imaginary parts, for c of shape (cells, 1) and t of shape (cells, nodes)."""
        n, p, q = self.n[:, None], self.p[:, None], self.q[:, None]
        quarter_sin, quarter_cos = np.sin(t / 4), np.cos(t / 4)
        half_sin, half_cos = 2 * quarter_sin * quarter_cos, 1 - 2 * quarter_sin**2
        up = q * expm1(c, 1 - 2 * half_sin**2, 2 * half_sin * half_cos, half_sin)
        down = p * expm1(-c / 2, half_cos, -half_sin, quarter_sin)
        squares = self._squares(c, t)
        above, below = up + down + up * down, squares[0] * squares[1] - squares[0] - squares[1]
        size, angle = log_power(n, above, below)
        shift = self.shift[:, None]
        return size - shift * c, angle - shift * t

    def _squares(self, c, t):
        """r(s)^2 at s = c + it for the noise of the labelled and the unlabelled reports."""
        if self.step == 0:
            square = (self.scale[:, None] * (c + 1j * t)) ** 2
            return square, square / 4
        unit = self.unit[:, None]
        return [(np.sinh(a * c) * np.cos(a * t) + 1j * np.cosh(a * c) * np.sin(a * t)) ** 2 / unit**2
                for a in (self.step, self.step / 2)]


class QuietScore:
    """V = 2 * (sum of n variables YB) - (sum of n variables B): twice the score S without its noise.

    A whole number, compared with `level`. Where the noise cannot reach 1/2, the sign of S is that of V,
    and the noise decides only if V = 0.
    """

    step = 1.0

    def __init__(self, n, p, q, level):
        # Absent outcomes have no finite saddlepoint; 1e-30 in place of 0 costs at most n 1e-30.
        self.n, self.level = n, level
        self.p, self.q, self.not_p, self.not_q = (np.maximum(v, 1e-30) for v in (p, q, 1 - p, 1 - q))
        self.edge = np.full_like(p, 100.0)

    def __getitem__(self, cells):
        return rows(self, ("n", "level", "p", "q", "not_p", "not_q", "edge"), cells)

    def _tilted(self, s):
        """Tilted probabilities of YB = 1 and of B = 1, and the variances of the two variables."""
        up, down = self.q * np.exp(2 * s), self.p * np.exp(-s)
        labelled, unlabelled = up / (self.not_q + up), down / (self.not_p + down)
        # 1 - labelled would cancel.
        return (labelled, unlabelled,
                labelled * self.not_q / (self.not_q + up), unlabelled * self.not_p / (self.not_p + down))

    def saddlepoint(self):
        """Where K' is nearly 0, and K'' there."""

        def derivatives(s):
            labelled, unlabelled, spread, other = self._tilted(s)
            return self.n * (2 * labelled - unlabelled) - self.level, self.n * (4 * spread + other)

        return find_saddlepoint(derivatives, self.edge)

    def reach(self, c, digits):
        """Half-length of the contour, at most the period; the unlabelled sum alone has no second peak."""
        # |1 - r + r e^(it)|^2 = 1 - 4 r (1 - r) sin(t/2)^2, r (1 - r) being the variance.
        sine = np.sqrt(digits / np.maximum(2 * self.n * self._tilted(c)[3], digits))
        return 2 * np.arcsin(sine)

    def log_mgf(self, c, t):
        """K(c + it), as in `CubeScore.log_mgf`."""
        half_sin, half_cos = np.sin(t / 2), np.cos(t / 2)
        sin, cos = 2 * half_sin * half_cos, 1 - 2 * half_sin**2
        up = self.q[:, None] * expm1(2 * c, 1 - 2 * sin**2, 2 * sin * cos, sin)
        down = self.p[:, None] * expm1(-c, cos, -sin, half_sin)
        size, angle = log_power(self.n[:, None], up + down + up * down)
        level = self.level[:, None]
        return size - level * c, angle - level * t


class CellMajority:
    """S = (number of ones) - (number of zeros) in a cell, among n people, without privacy.

    p = P(X in the cell), q = P(X in the cell, Y = 1); S is a whole number.
    """

    step = 1.0

    def __init__(self, n, p, q):
        # A cell without ones (or zeros) has no finite saddlepoint; 1e-30 in its place costs at most n 1e-30.
        self.n, self.ones, self.zeros = n, np.maximum(q, 1e-30), np.maximum(p - q, 1e-30)
        self.absent = 1 - p
        self.edge = np.full_like(p, np.inf)

    def __getitem__(self, cells):
        return rows(self, ("n", "ones", "zeros", "absent", "edge"), cells)

    def saddlepoint(self):
        """The exact root of K' (K is symmetric about it) and K'' there."""
        s = np.log(self.zeros / self.ones) / 2
        swing = 2 * np.sqrt(self.ones) * np.sqrt(self.zeros)
        return s, self.n * swing / (self.absent + swing)

    def reach(self, c, digits):
        """Half-length of the contour, at most the period."""
        up, down = self.ones * np.exp(c), self.zeros * np.exp(-c)
        share = (up + down) / (self.absent + up + down)
        # On the circle |1 - share (1 - cos t)|^n; where share > 1/2 a second peak sits at t = pi.
        sine = np.sqrt(np.minimum(-np.expm1(-np.minimum(digits / self.n, 300.0)) / (2 * share), 1))
        peak = self.n * np.log(np.maximum(2 * share - 1, 1e-300)) > -digits
        return np.where(peak, np.pi, 2 * np.arcsin(sine))

    def log_mgf(self, c, t):
        """K(c + it), as in `CubeScore.log_mgf`."""
        n, ones, zeros = self.n[:, None], self.ones[:, None], self.zeros[:, None]
        half_sin, half_cos = np.sin(t / 2), np.cos(t / 2)
        cos, sin = 1 - 2 * half_sin**2, 2 * half_sin * half_cos
        return log_power(n, ones * expm1(c, cos, sin, half_sin) + zeros * expm1(-c, cos, -sin, half_sin))


LEGAL = {
    "n": ("a whole number of people, at least 1", lambda v: (v >= 1) & (v == np.floor(v))),
    "p": ("a probability in [0, 1]", lambda v: (v >= 0) & (v <= 1)),
    "q": ("a probability in [0, p]", lambda v: (v >= 0) & (v <= 1)),
    "scale": ("a noise scale > 0", lambda v: v > 0),
    "threshold": ("a finite number", np.isfinite),
}
"""What the arguments of the probabilities have to be: words and test."""


def flat_arguments(**arrays):
    """Broadcast to flat float arrays and the common shape; refuse what is not a probability or a count."""
    values = [numeric(name, value) for name, value in arrays.items()]
    for (name, value) in zip(arrays, values, strict=True):
        words, legal = LEGAL[name]
        wrong = ~(np.isfinite(value) & legal(value))
        if wrong.any():
            raise ValueError(f"{name} = {np.atleast_1d(value)[np.atleast_1d(wrong)][0]!r} is out of range; "
                             f"it must be {words}.")
    values = together(**dict(zip(arrays, values, strict=True)))
    flat = {name: value.ravel() for name, value in zip(arrays, values, strict=True)}
    flat["q"] = part_of(flat["p"], flat["q"])
    return flat, values[0].shape


def wrong_side_probability(n, p, q, scale, granularity=0.0, threshold=0.0):
    """P(T_n < threshold) for the score of Berrett & Butucea (2019), exact and vectorised.

    T_n is the mean of n labelled reports minus half the mean of n unlabelled
    ones: **n people in each half, 2n in all**. It is the probability of the
    wrong side where eta > 1/2, and of the right one where eta < 1/2.

    Scalars or arrays, broadcast together:

    n : people in each half, whole numbers >= 1.
    p : P(X in cube), in [0, 1].   q : P(X in cube, Y = 1), in [0, p].
    scale : noise scale b = 2^(d+1)/alpha, > 0.
    granularity : step of the noise lattice (one number), 0 for real noise.
    threshold : compare T_n with this value instead of 0.

    Returns the probabilities, relative error below 1e-9 whatever n is. Refused are only a handful of people
    with a scale between 1e-4 and 1e-2 (alpha in the hundreds and more), where the work is too much.

    >>> round(float(wrong_side_probability(2000, 0.3, 0.18, 4.0)), 12)
    0.416198411761
    """
    return cube_sign_probabilities(n, p, q, scale, granularity, threshold)[0][()]


def cube_sign_probabilities(n, p, q, scale, granularity=0.0, threshold=0.0, relative_error=RELATIVE_ERROR):
    """(P(T_n < threshold), P(T_n >= threshold)) as in `wrong_side_probability`; the smaller is accurate."""
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale, threshold=threshold)
    granularity = real("granularity", granularity, least=0)
    if granularity > 64 * flat["scale"].min(initial=np.inf):
        raise ValueError(f"granularity = {granularity:g} is out of range; it must be at most 64 scales, 0 "
                         "for real noise. A mechanism's `granularity` is a thousandth of its scale.")
    n, scale = flat["n"], flat["scale"]
    # Chernoff's bound for the sum of all noise reaching 1/2 is below exp(-750) under both conditions.
    quiet = (flat["threshold"] == 0) & (n * scale**2 < 5.7e-5) & (scale < 1.6e-4)
    below, above = np.empty_like(n), np.empty_like(n)
    for cells, law in ((quiet, _quiet_sign_probabilities), (~quiet, _noisy_sign_probabilities)):
        if cells.any():
            part = {name: value[cells] for name, value in flat.items()}
            below[cells], above[cells] = law(part, granularity, relative_error)
    return below.reshape(shape), above.reshape(shape)


def _noisy_sign_probabilities(flat, granularity, relative_error):
    return sign_probabilities(CubeScore(granularity=granularity, **flat), relative_error)


def _quiet_sign_probabilities(flat, granularity, relative_error):
    """The same when the noise is too small to do more than break ties."""
    n, p, q, scale = (flat[name] for name in ("n", "p", "q", "scale"))
    zero = np.zeros_like(n)
    if granularity:
        # Only the ratio of step and scale counts; lattice noise is itself 0 with some probability.
        tie = np.empty_like(n)
        for people, size in {*zip(n, scale, strict=True)}:
            none, same = np.zeros(1), (n == people) & (scale == size)
            noise = CubeScore(np.array([people]), none, none, np.ones(1), granularity / size, none)
            tie[same] = sign_probabilities(noise, relative_error)[0]
    else:
        tie = zero + 0.5
    negative, not_negative = sign_probabilities(QuietScore(n, p, q, zero), relative_error)
    not_positive, positive = sign_probabilities(QuietScore(n, p, q, zero + 1), relative_error)
    return negative * (1 - tie) + not_positive * tie, not_negative * (1 - tie) + positive * tie


def log_tail_probability(n, p, q, scale, threshold):
    """log P(T_n < threshold) below the mean of T_n, log P(T_n >= threshold) above it; real noise.

    Arguments as in `wrong_side_probability`; exact far beyond the smallest float.
    """
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale, threshold=threshold)
    return smaller_side(CubeScore(granularity=0.0, **flat))[1].reshape(shape)[()]


def majority_sign_probabilities(n, p, q, relative_error=RELATIVE_ERROR):
    """(P(ones < zeros), P(ones >= zeros)) in a cell among n people in all, without privacy; exact.

    p = P(X in cell), q = P(X in cell, Y = 1); arrays broadcast together.
    """
    flat, shape = flat_arguments(n=n, p=p, q=q)
    below, above = sign_probabilities(CellMajority(**flat), relative_error)
    return below.reshape(shape), above.reshape(shape)

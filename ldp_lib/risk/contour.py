"""Exact probabilities that a sum of independent contributions falls below zero.

A score S with moment generating function exp(K(s)) has, for any c != 0 where K
is finite,

    P(S < 0) = 1{c > 0} - (1 / 2 pi i) * integral over Re s = c of exp(K(s)) / s ds,

and if S lives on the multiples of a step u, the integral runs over one period
|Im s| <= pi / u with u / (1 - exp(-u s)) in place of 1 / s. Through the
saddlepoint K'(c) = 0 the integrand does not oscillate, so that the midpoint
rule, which converges geometrically for analytic integrands, gives even tails
of 1e-200 with full relative accuracy (Daniels, 1987, describes the contour).
Nothing is simulated and nothing is approximated by a normal law.
"""

import numpy as np

from ldp_lib._arguments import real

SPACING = 0.19
"""Distance of the nodes in units of that to the nearest pole: the error is about exp(-2 pi / 0.19) = 4e-15."""
TAIL = 30.0
"""The contour ends where the integrand has fallen by exp(-TAIL)."""
FEW = 64
"""Below this many people the mgf falls far below 1 on the contour; from there on it stays near 1."""
BLOCK = 2**15
"""Integrand values per block: small enough to stay in the processor's cache."""


def _rows(score, names, cells):
    """The same score for some of its cells."""
    part = object.__new__(type(score))
    part.step = score.step
    for name in names:
        setattr(part, name, getattr(score, name)[cells])
    return part


def _expm1(x, cos, sin, half_sin):
    """exp(x + iy) - 1 without cancellation, from cos y, sin y and sin(y/2)."""
    grown = np.expm1(x)
    return grown * cos - 2 * half_sin**2 + 1j * ((1 + grown) * sin)


def _log_power(n, above, below=0.0):
    """Logarithm of ((1 + above) / (1 + below))^n: real and imaginary parts.

    The rows of n are all below FEW or none is. For many people the quotient is
    near 1 and its logarithm must not lose what is multiplied by n; for few it may
    be near 0, where log1p would cancel.
    """
    if n[0, 0] < FEW:
        quotient = (1 + above) / (1 + below)
        return n * np.log(np.abs(quotient)), n * np.angle(quotient)
    excess = (above - below) / (1 + below)
    size = n / 2 * np.log1p(2 * excess.real + excess.real**2 + excess.imag**2)
    return size, n * np.arctan2(excess.imag, 1 + excess.real)


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
        self.edge = 1 / scale

    def __getitem__(self, cells):
        return _rows(self, ("n", "p", "q", "scale", "shift", "unit", "edge"), cells)

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
        """A point within a tenth of a standard deviation of the root of K', by safeguarded Newton steps."""
        low, high = -self.edge, self.edge
        s = np.zeros_like(low)
        for _ in range(200):
            slope, variance = self.derivatives(s)
            if (np.abs(slope) < 0.1 * np.sqrt(variance)).all():
                return s, variance
            high, low = np.where(slope > 0, s, high), np.where(slope > 0, low, s)
            s = s - slope / variance
            s = np.where((s > low) & (s < high), s, (low + high) / 2)
        raise ArithmeticError("the saddlepoint search did not settle; please report the arguments")

    def reach(self, c):
        """Half-length of the contour: where |mgf| has fallen by exp(-TAIL), from the noise alone."""
        n, r = self.n, self._noise(c, 1.0)[0]
        # |mgf(c + it) / mgf(c)| <= ((1 + k x)(1 + x / 4))^-n with x = |r(it)|^2, k = 1 / (1 - r(c)^2).
        k, fall = 1 / (1 - r * r), np.expm1(np.minimum(TAIL / n, 300.0))
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
        up = q * _expm1(c, 1 - 2 * half_sin**2, 2 * half_sin * half_cos, half_sin)
        down = p * _expm1(-c / 2, half_cos, -half_sin, quarter_sin)
        squares = self._squares(c, t)
        above, below = up + down + up * down, squares[0] * squares[1] - squares[0] - squares[1]
        size, angle = _log_power(n, above, below)
        shift = self.shift[:, None]
        return size - shift * c, angle - shift * t

    def _squares(self, c, t):
        """r(s)^2 at s = c + it for the noise of the labelled and the unlabelled reports."""
        if self.step == 0:
            square = (self.scale[:, None] * (c + 1j * t)) ** 2
            return square, square / 4
        return [(np.sinh(a * c) * np.cos(a * t) + 1j * np.cosh(a * c) * np.sin(a * t)) ** 2 / self.unit[:, None] ** 2
                for a in (self.step, self.step / 2)]


class CellMajority:
    """S = (number of ones) - (number of zeros) in a cell, among n people, without privacy.

    p = P(X in the cell), q = P(X in the cell, Y = 1); S is a whole number.
    """

    step = 1.0

    def __init__(self, n, p, q):
        # A cell without ones (or zeros) has no finite saddlepoint; 1e-300 in its place costs less than 1e-150.
        self.n, self.ones, self.zeros = n, np.maximum(q, 1e-300), np.maximum(p - q, 1e-300)
        self.absent = 1 - p
        self.edge = np.full_like(p, np.inf)

    def __getitem__(self, cells):
        return _rows(self, ("n", "ones", "zeros", "absent", "edge"), cells)

    def saddlepoint(self):
        """The exact root of K' (K is symmetric about it) and K'' there."""
        s = np.log(self.zeros / self.ones) / 2
        swing = 2 * np.sqrt(self.ones) * np.sqrt(self.zeros)
        return s, self.n * swing / (self.absent + swing)

    def reach(self, c):
        """Half-length of the contour, at most the period."""
        up, down = self.ones * np.exp(c), self.zeros * np.exp(-c)
        share = (up + down) / (self.absent + up + down)
        # On the circle |1 - share (1 - cos t)|^n; where share > 1/2 a second peak sits at t = pi.
        sine = np.sqrt(np.minimum(-np.expm1(-np.minimum(TAIL / self.n, 300.0)) / (2 * share), 1))
        peak = self.n * np.log(np.maximum(2 * share - 1, 1e-300)) > -TAIL
        return np.where(peak, np.pi, 2 * np.arcsin(sine))

    def log_mgf(self, c, t):
        n, ones, zeros = self.n[:, None], self.ones[:, None], self.zeros[:, None]
        half_sin, half_cos = np.sin(t / 2), np.cos(t / 2)
        cos, sin = 1 - 2 * half_sin**2, 2 * half_sin * half_cos
        return _log_power(n, ones * _expm1(c, cos, sin, half_sin) + zeros * _expm1(-c, cos, -sin, half_sin))


def sign_probabilities(score):
    """P(S < 0) and P(S >= 0) of a score, the smaller of the two with full relative accuracy."""
    c, variance = score.saddlepoint()
    spread = np.sqrt(variance)
    # Stay off the poles at 0 and at the edge; on a lattice of few points one step away is far enough.
    clearance = np.minimum(1 / spread, score.edge / 2)
    if score.step:
        clearance = np.minimum(clearance, 1 / score.step)
    c = np.where(c > 0, np.maximum(c, clearance), np.minimum(c, -clearance))
    reach = score.reach(c)
    nodes = np.ceil(reach / (SPACING * np.minimum(clearance, score.edge - np.abs(c)))).astype(np.int64)
    integral = np.empty_like(c)
    for group in (score.n < FEW, score.n >= FEW):
        order = np.flatnonzero(group)
        order = order[np.argsort(nodes[order])]
        while len(order):
            # Cells of one block share the number of nodes, the largest that any of them needs.
            size = max(1, int(BLOCK // nodes[order[0]]))
            cells, order = order[:size], order[size:]
            integral[cells] = _midpoint_rule(score[cells], c[cells], reach[cells], nodes[cells[-1]])
    small = np.maximum(np.where(c < 0, -integral, integral), 0.0)
    return np.where(c < 0, small, 1 - small), np.where(c < 0, 1 - small, small)


def _midpoint_rule(score, c, reach, nodes):
    """(1/pi) times the integral over 0 < t < reach of Re[exp(K(s)) kernel(s)], s = c + it."""
    total = np.zeros(len(c))
    column, width = c[:, None], reach[:, None] / nodes
    block = max(1, BLOCK // len(c))
    for first in range(0, nodes, block):
        t = width * (np.arange(first, min(first + block, nodes)) + 0.5)
        size, angle = score.log_mgf(column, t)
        if score.step == 0:
            kernel = 1 / (column + 1j * t)
        else:
            half_sin, half_cos = np.sin(score.step * t / 2), np.cos(score.step * t / 2)
            turn = _expm1(-score.step * column, 1 - 2 * half_sin**2, -2 * half_sin * half_cos, half_sin)
            kernel = -score.step / turn
        total += (np.exp(size) * (np.cos(angle) * kernel.real - np.sin(angle) * kernel.imag)).sum(axis=1)
    return total * width[:, 0] / np.pi


def _flat(**arrays):
    """Broadcast to flat float arrays and the common shape; refuse what is not a probability or a count."""
    values = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in arrays.values()))
    for name, value in zip(arrays, values, strict=True):
        if not np.isfinite(value).all():
            raise ValueError(f"{name} holds a NaN or an infinity; every entry must be finite.")
        if name == "n" and not ((value >= 1) & (value == np.floor(value))).all():
            raise ValueError("n must be a whole number of people, at least 1.")
        if name in "pq" and not ((value >= 0) & (value <= 1)).all():
            raise ValueError(f"{name} must lie in [0, 1]: it is a probability.")
        if name == "scale" and not (value > 0).all():
            raise ValueError("scale must be > 0: it is the scale b of the Laplace noise.")
    p, q = (values[list(arrays).index(name)] for name in "pq")
    if (q > p + 1e-12).any():
        raise ValueError("q exceeds p somewhere; q = P(X in cube, Y = 1) cannot exceed p = P(X in cube).")
    flat = {name: value.ravel() for name, value in zip(arrays, values, strict=True)}
    flat["q"] = np.minimum(flat["q"], flat["p"])
    return flat, values[0].shape


def _exact_below_zero(n, p, q, scale, granularity, threshold):
    flat, shape = _flat(n=n, p=p, q=q, scale=scale, threshold=threshold)
    score = CubeScore(granularity=real("granularity", granularity, least=0), **flat)
    below, above = sign_probabilities(score)
    return below.reshape(shape), above.reshape(shape)


def wrong_side_probability(n, p, q, scale, granularity=0.0, threshold=0.0):
    """P(T_n < threshold) for the score of Berrett & Butucea (2019), exact and vectorised.

    T_n is the mean of n labelled reports minus half the mean of n unlabelled
    ones: **n people in each half, 2n in all**. It is the probability of the
    wrong side where eta > 1/2, and of the right one where eta < 1/2.

    Parameters (scalars or arrays, broadcast together)
    ----------
    n : people in each half, whole numbers >= 1.
    p : P(X in cube), in [0, 1].   q : P(X in cube, Y = 1), in [0, p].
    scale : noise scale b = 2^(d+1)/alpha, > 0.
    granularity : step of the noise lattice (one number), 0 for real noise.
    threshold : compare T_n with this value instead of 0.

    Returns the probabilities, relative error below 1e-9 whatever n is.

    >>> round(float(wrong_side_probability(2000, 0.3, 0.18, 4.0)), 12)
    0.416198411761
    """
    return _exact_below_zero(n, p, q, scale, granularity, threshold)[0][()]


def cube_sign_probabilities(n, p, q, scale, granularity=0.0):
    """(P(T_n < 0), P(T_n >= 0)) with the arguments of `wrong_side_probability`; neither suffers from 1 - P."""
    return _exact_below_zero(n, p, q, scale, granularity, 0.0)


def majority_sign_probabilities(n, p, q):
    """(P(ones < zeros), P(ones >= zeros)) in a cell among n people in all, without privacy; exact.

    p = P(X in cell), q = P(X in cell, Y = 1); arrays broadcast together.
    """
    flat, shape = _flat(n=n, p=p, q=q)
    below, above = sign_probabilities(CellMajority(**flat))
    return below.reshape(shape), above.reshape(shape)

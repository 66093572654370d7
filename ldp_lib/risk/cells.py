"""The laws of the scores on disjoint cells, exact, from the law of one report (`CellMechanism.law`).

With additive noise the score is S = sum of n variables (Y - 1/2) 1{X in the cell} + sum of n Laplace(b), a
contour integral like that of the paper's mechanism. That of signs, one from everybody, is binomial, an
incomplete beta function; that of answers in {-1, 0, 1} is a majority vote:
`ldp_lib.risk.scores.majority_sign_probabilities`.
"""

import numpy as np
from scipy.special import betainc

from ldp_lib._arguments import real
from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.risk.contour import RELATIVE_ERROR, expm1, find_saddlepoint, log_power, rows, sign_probabilities
from ldp_lib.risk.scores import CellMajority, flat_arguments, majority_sign_probabilities


class CellScore:
    """S as above, n people in all; p = P(X in the cell), q = P(X in the cell, Y = 1).

    Arguments are flat arrays.

    K(s) = n [log(1 + q (e^(s/2) - 1) + (p - q) (e^(-s/2) - 1)) - log(1 - r(s)^2)], r(s) = b s, or
    sinh(gs/2) / sinh(g/2b) for noise of lattice step g; S is then a multiple of g.
    """

    def __init__(self, n, p, q, scale, granularity):
        self.n, self.ones, self.zeros, self.absent, self.scale = n, q, p - q, 1 - p, scale
        self.step = granularity
        self.unit = np.sinh(self.step / (2 * scale)) if self.step else np.ones_like(scale)
        # exp(s) has to stay a float.
        self.edge = np.minimum(1 / scale, 600.0)

    def __getitem__(self, cells):
        return rows(self, ("n", "ones", "zeros", "absent", "scale", "unit", "edge"), cells)

    def _noise(self, s):
        """r(s) and r'(s)."""
        if self.step == 0:
            return self.scale * s, self.scale
        angle = self.step / 2
        return np.sinh(angle * s) / self.unit, angle * np.cosh(angle * s) / self.unit

    def derivatives(self, s):
        """K'(s) and K''(s) for real s."""
        up, down = self.ones * np.exp(s / 2), self.zeros * np.exp(-s / 2)
        total = self.absent + up + down
        mean, square = (up - down) / (2 * total), (up + down) / (4 * total)
        r, slope = self._noise(s)
        gap = 1 - r * r
        first = mean + 2 * r * slope / gap
        curvature = r * (self.step / 2) ** 2
        second = square - mean**2 + 2 * (slope**2 + r * curvature) / gap + (2 * r * slope / gap) ** 2
        return self.n * first, self.n * second

    def saddlepoint(self):
        """Where K' is nearly 0, and K'' there."""
        return find_saddlepoint(self.derivatives, self.edge)

    def reach(self, c, digits):
        """Half-length of the contour: where |mgf| has fallen by exp(-digits), from the noise alone."""
        r = self._noise(c)[0]
        # |1 - r(c + it)^2| >= 1 - r(c)^2 + |r(it)|^2, whose quotient with its value at t = 0 is to be
        # e^(digits/n).
        size = np.sqrt((1 - r * r) * np.expm1(np.minimum(digits / self.n, 300.0)))
        if self.step == 0:
            return size / self.scale
        return 2 * np.arcsin(np.minimum(size * self.unit, 1)) / self.step

    def log_mgf(self, c, t):
        """K(c + it): real and imaginary parts, for c of shape (cells, 1) and t of shape (cells, nodes)."""
        n, ones, zeros = self.n[:, None], self.ones[:, None], self.zeros[:, None]
        quarter_sin, quarter_cos = np.sin(t / 4), np.cos(t / 4)
        cos, sin = 1 - 2 * quarter_sin**2, 2 * quarter_sin * quarter_cos
        above = ones * expm1(c / 2, cos, sin, quarter_sin) + zeros * expm1(-c / 2, cos, -sin, quarter_sin)
        if self.step == 0:
            return log_power(n, above, -(self.scale[:, None] * (c + 1j * t)) ** 2)
        a = self.step / 2
        r = (np.sinh(a * c) * np.cos(a * t) + 1j * np.cosh(a * c) * np.sin(a * t)) / self.unit[:, None]
        return log_power(n, above, -r * r)


def cell_sign_probabilities(n, p, q, scale, granularity=0.0, relative_error=RELATIVE_ERROR):
    """(P(S < 0), P(S >= 0)) for the score of `CellLaplace`, exact and vectorised.

    n : people **in all**, whole numbers >= 1.  p : P(X in the cell).  q : P(X in the cell, Y = 1), in [0, p].
    scale : noise scale b = 1/alpha, > 0.  Arrays broadcast together.
    granularity : step of the noise lattice (one number, 1/2 over a whole number), 0 for real noise.
    The smaller probability has a relative error below 1e-9.

    >>> below, above = cell_sign_probabilities(2000, 0.3, 0.18, 1.0)
    >>> round(float(below), 12)
    0.175746313047
    """
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale)
    granularity = real("granularity", granularity, least=0)
    n, p, q, scale = (flat[name] for name in ("n", "p", "q", "scale"))
    # Chernoff's bound for the sum of all noise reaching 1/2 is below exp(-750) under both conditions.
    quiet = (n * scale**2 < 5.7e-5) & (scale < 1.6e-4)
    below, above = np.empty_like(n), np.empty_like(n)
    loud = ~quiet
    if loud.any():
        score = CellScore(n[loud], p[loud], q[loud], scale[loud], granularity)
        below[loud], above[loud] = sign_probabilities(score, relative_error)
    if quiet.any():
        below[quiet], above[quiet] = _quiet(
            n[quiet], p[quiet], q[quiet], scale[quiet], granularity, relative_error)
    return below.reshape(shape), above.reshape(shape)


def _quiet(n, p, q, scale, granularity, relative_error):
    """The same where the noise is too small to do more than break ties between ones and zeros."""
    negative, not_negative = sign_probabilities(CellMajority(n, p, q), relative_error)
    # With ones and zeros exchanged, a negative vote is a positive one.
    positive, not_positive = sign_probabilities(CellMajority(n, p, p - q), relative_error)
    tie = np.full_like(n, 0.5)
    if granularity:
        # Only the ratio of step and scale counts; lattice noise is itself 0 with some probability.
        none = np.zeros_like(n)
        noise = CellScore(n, none, none, np.ones_like(n), granularity / scale[0])
        tie = sign_probabilities(noise, relative_error)[0]
    return negative * (1 - tie) + not_positive * tie, not_negative * (1 - tie) + positive * tie


def score_sign_probabilities(mechanism, n, p, q, relative_error=RELATIVE_ERROR):
    """(P(score < 0), P(score >= 0)) in cells with masses p and q after n people used the mechanism; exact.

    mechanism : a `CellMechanism` that has a `law`: the law of one report says all.
    """
    if not hasattr(mechanism, "law"):
        known = ", ".join(kind.__name__ for kind in CELL_MECHANISMS.values())
        raise TypeError(f"mechanism = {mechanism!r:.60} has no exact law here; use one of {known}.")
    told, ones = mechanism.law(p, q)
    if mechanism.noise:
        # In units in which a report is 1/2 or -1/2 before noise.
        scale, step = (size / (2 * mechanism.unit)
                       for size in (mechanism.noise.scale, mechanism.noise.granularity))
        return cell_sign_probabilities(n, told, ones, scale, step, relative_error)
    if (told == 1).all():
        # Half of n signs or more make S >= 0.
        enough = np.ceil(np.asarray(n) / 2)
        return betainc(n - enough + 1, enough, 1 - ones), betainc(enough, n - enough + 1, ones)
    return majority_sign_probabilities(n, told, ones, relative_error)

"""Members of the class P(theta) of Berrett & Butucea (2019), extremal in smoothness and margin.

The margin condition P(0 < |eta(X) - 1/2| <= t) <= C0 t^gamma and the Hölder condition meet on the set
{eta = 1/2}: if |eta - 1/2| grows from it like (distance)^beta, its dimension must be d - beta gamma.

*beta gamma <= 1*: X is uniform on [0, 1]^d and, with C a Cantor set of dimension 1 - beta gamma,

    eta(x) = 1/2 + sign(x_1) * amplitude * (4 dist(x_1, C))^beta.

C keeps two end pieces of every interval: gaps take half of [0, 1], then the share 1 - 2^(-D / (1 - D))
of every interval, D = beta gamma; gaps of levels 0, 1, 2, ... have signs +, -, +, ...  With D = 1, C is
{0, 1/4, 3/4, 1} and eta three cusps.  So a window of any width sees eta cross 1/2: bias and noise both
pay what Theorem 2.4 allows.  gamma = 0, where no single law can have P(...) >= c > 0 for all t, takes the
share 1/(level + 2), for which P(...) falls like 1 / log(1/t).  Gaps shorter than 2^-59 are left out, eta
being 1/2 there.

*beta gamma > 1*: a continuous eta cannot cross 1/2 inside the support any more (its zero set is too small
to separate).  With k = ceil(beta gamma) and z = 2 (x_1, ..., x_k) - 1, X is uniform where all z_i >= 0 or
all z_i <= 0, two boxes that touch where z = 0, and

    eta(x) = 1/2 + amplitude * ((max_i z_i^+)^(k/gamma) - (max_i z_i^-)^(k/gamma)),

so that P(|eta(X) - 1/2| <= t) = (t / amplitude)^gamma.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from ldp_lib._arguments import points, real, whole
from ldp_lib.nature.base import Problem, Uniform, over_boxes

_SHORTEST = 2.0**-60
"""Half gaps below this are left out; floats near 1 are 2^-53 apart."""


class Theta(NamedTuple):
    """The class P(theta): Hölder, margin and strong density conditions (Section 2 of the paper).

    Balls and distances are Euclidean.

    >>> from ldp_lib.nature import problem
    >>> theta = problem("holder", beta=1.0, gamma=0.5).theta
    >>> theta.beta, theta.gamma, theta.L, round(theta.C0, 4)
    (1.0, 0.5, 1.6, 2.3716)
    """

    beta: float
    """Hölder exponent in (0, 1]: |eta(x) - eta(x')| <= L |x - x'|^beta on [0, 1]^d."""
    gamma: float
    """Margin exponent >= 0: P(0 < |eta(X) - 1/2| <= t) <= C0 t^gamma for all t > 0."""
    d: int
    """Features."""
    L: float
    """Hölder constant."""
    C0: float
    """Margin constant."""
    c0: float
    """The support fills the share c0 of every ball about one of its points of radius r <= r0."""
    mu: float
    """Lower bound of the density of X on its support."""
    r0: float
    """Largest such radius."""


def holder(beta=1.0, gamma=1.0, d=1, amplitude=0.4):
    """A member of P(theta), crossing 1/2, with margin exponent exactly `gamma`.

    beta : Hölder exponent in (0, 1].
    gamma : margin exponent >= 0 with beta * gamma <= d.
    d : dimension >= 1.
    amplitude : largest |eta - 1/2|, in (0, 1/2].

    `.theta` holds the constants, valid for all points and all t.  C0 is the smallest possible; so is L where
    beta * gamma >= 1, and otherwise it is at most 2^(1 - beta) times the smallest.
    """
    beta = real("beta", beta, above=0.0, most=1.0)
    gamma = real("gamma", gamma, least=0.0)
    d = whole("d", d)
    amplitude = real("amplitude", amplitude, above=0.0, most=0.5)
    if beta * gamma > d:
        raise ValueError(
            f"gamma = {gamma:g} is out of range; it must satisfy 0 <= gamma <= d / beta = {d / beta:g}, "
            "or eta could not come close to 1/2 on the support. Lower gamma or beta."
        )
    return (CantorGaps if beta * gamma <= 1.0 else TwoBoxes)(beta, gamma, d, amplitude)


class _Member(Problem):
    """What both constructions share; a subclass sets `theta` in its `__init__`."""

    name = "holder"
    theta: Theta

    def __init__(self, beta, gamma, d, amplitude):
        self.beta, self.gamma, self.d, self.amplitude = beta, gamma, d, amplitude


class CantorGaps(_Member, Uniform):
    """beta * gamma <= 1: X uniform, eta - 1/2 a power of the distance of x_1 to a Cantor set."""

    def __init__(self, beta, gamma, d, amplitude):
        super().__init__(beta, gamma, d, amplitude)
        self._lengths, self._halves = _gaps(beta * gamma)
        # What a gap counts for in the integrals of w, + and - in turn, and of |w|.
        self._signs = np.ones((len(self._halves), 2))
        self._signs[1::2, 0] = -1.0
        L = 2.0 ** (1.0 + beta) * amplitude
        self.theta = Theta(beta, gamma, d, L, self._margin_constant(), 2.0**-d, 1.0, 1.0)

    def margin_law(self, t):
        """P(0 < |eta(X) - 1/2| <= t), any shape, exact."""
        reach = (np.clip(np.asarray(t, dtype=float) / self.amplitude, 0.0, 1.0)) ** (1.0 / self.beta) / 4.0
        number = 2.0 ** np.arange(len(self._halves))
        return (number * 2.0 * np.minimum(self._halves, reach[..., None])).sum(axis=-1)

    def _margin_constant(self):
        # Between two half gaps the law divided by t^gamma has no inner maximum (a s^(1-D) + b s^-D has
        # one stationary point, a minimum), so that its supremum is reached at some half gap.
        t = self.amplitude * (4.0 * self._halves) ** self.beta
        return float((self.margin_law(t) / t**self.gamma).max())

    def _wave(self, X):
        distance, sign, _ = self._walk(X[:, 0])
        return sign * (4.0 * distance) ** self.beta

    def _integrals(self, lower, upper):
        along = self._walk(upper[..., 0])[2] - self._walk(lower[..., 0])[2]
        return along * (upper - lower)[..., 1:].prod(axis=-1)

    def _rise(self, u):
        """Integral of (4 s)^beta for s from 0 to u."""
        return u * (4.0 * u) ** self.beta / (1.0 + self.beta)

    @cached_property
    def _totals(self):
        """Integrals, signed and absolute, over one interval of each level; shape (levels + 1, 2)."""
        totals = np.zeros((len(self._lengths), 2))
        for level in reversed(range(len(self._halves))):
            gap = 2.0 * self._rise(self._halves[level])
            totals[level] = 2.0 * totals[level + 1] + gap * self._signs[level]
        return totals

    def _walk(self, x):
        """Distance of x in [0, 1] to C, the sign of its gap, and both integrals from 0 to x, (2, ...)."""
        # Boxes of a grid share their edges.
        rest, place = np.unique(x, return_inverse=True)
        place = place.reshape(np.shape(x))
        distance, sign, integrals = np.zeros(rest.size), np.zeros(rest.size), np.zeros((2, rest.size))
        inside = np.arange(rest.size)  # who is still in an interval of the current level, at `rest`
        for level, half in enumerate(self._halves):
            child, gap = self._lengths[level + 1], 2.0 * half
            past_child = rest > child
            past_gap = rest >= child + gap
            integrals[:, inside] += np.outer(self._totals[level + 1], past_child)
            u = np.where(past_child, np.minimum(rest - child, gap), 0.0)
            near = np.minimum(u, gap - u)
            swept = np.where(u <= half, self._rise(near), 2.0 * self._rise(half) - self._rise(near))
            integrals[:, inside] += np.outer(self._signs[level], swept)
            stay = past_child & ~past_gap
            distance[inside[stay]], sign[inside[stay]] = near[stay], self._signs[level, 0]
            rest = np.where(past_gap, rest - child - gap, rest)[~stay]
            inside = inside[~stay]
        return distance[place], sign[place], integrals[:, place]


def _gaps(dimension_lost):
    """Lengths of the intervals of levels 0 to N and half gaps of levels 0 to N - 1."""
    lengths, halves, share, later = [1.0], [], 0.5, 1.0
    if dimension_lost < 1.0:
        later = -math.expm1(-dimension_lost / (1.0 - dimension_lost) * math.log(2.0))
    while lengths[-1] * share / 2.0 > _SHORTEST:
        halves.append(lengths[-1] * share / 2.0)
        lengths.append(lengths[-1] * (1.0 - share) / 2.0)
        share = later if dimension_lost > 0.0 else 1.0 / (len(halves) + 2.0)
    return np.array(lengths), np.array(halves)


class TwoBoxes(_Member):
    """beta * gamma > 1: X uniform on two boxes that touch, eta - 1/2 a power of the distance to the touch.

    With 0 < beta * gamma <= 1 the boxes are the halves of [0, 1]^d, and eta crosses 1/2 once.
    """

    def __init__(self, beta, gamma, d, amplitude):
        super().__init__(beta, gamma, d, amplitude)
        self._axes = math.ceil(beta * gamma)
        self._power = self._axes / gamma
        # From box to box it is nearer along two axes, if there are two.
        L = 2.0 ** (1.0 + beta / 2.0 * (self._axes > 1)) * amplitude * _power_seminorm(self._power, beta)
        self.theta = Theta(beta, gamma, d, L, amplitude**-gamma, 2.0**-d, 2.0 ** (self._axes - 1), 0.5)

    def margin_law(self, t):
        """P(0 < |eta(X) - 1/2| <= t), any shape, exact."""
        return np.clip(np.asarray(t, dtype=float) / self.amplitude, 0.0, 1.0) ** self.gamma

    def eta(self, X):
        """P(Y = 1 | X = x) for each row of `X`, shape (n, d) -> (n,).

        Outside the domain, where nobody is, it is that of the nearest point of the domain.
        """
        z = self._centred(points("X", X, self.d))
        rise, fall = (np.maximum(side, 0.0).max(axis=1) for side in (z, -z))
        return 0.5 + self.amplitude * (rise**self._power - fall**self._power)

    def _density(self, X):
        z = self._centred(X)
        return self.theta.mu * ((z >= 0.0).all(axis=1) | (z <= 0.0).all(axis=1))

    def _centred(self, x):
        return 2.0 * np.clip(x[..., : self._axes], 0.0, 1.0) - 1.0

    def _points(self, n, rng):
        X = super()._points(n, rng)
        side = np.where(rng.random(n) < 0.5, -1.0, 1.0)[:, None]
        X[:, : self._axes] = (1.0 + side * X[:, : self._axes]) / 2.0
        return X

    def _masses(self, lower, upper):
        # Each box is seen from the touch: edges of its parts with z >= 0 and with z <= 0, in |z|.
        low, high = self._centred(lower), self._centred(upper)
        halves = [(np.maximum(near, 0.0), np.maximum(far, 0.0)) for near, far in ((low, high), (-high, -low))]
        width = (upper - lower)[..., self._axes :].prod(axis=-1)
        p = width * sum((far - near).prod(axis=-1) for near, far in halves) / 2.0
        above, below = (over_boxes(self._moment_from_zero, *half) for half in halves)
        scale = self.amplitude * width
        return p, 0.5 * p + scale * (above - below) / 2.0, scale * (above + below)

    def _moment_from_zero(self, corner):
        # The volume of {max z <= s} in the box [0, corner] is a product of min(s, edge): between two
        # edges in order of size, the edges below times s to the number of edges above.
        edges = np.sort(corner, axis=-1)
        total, below, previous = 0.0, 1.0, 0.0
        for j in range(self._axes):
            edge, above = edges[..., j], self._axes - j
            power = self._power + above
            total = total + below * above / power * (edge**power - previous**power)
            below, previous = below * edge, edge
        return total


def _power_seminorm(power, beta):
    """sup of |s^power - t^power| / |s - t|^beta over 0 <= s < t <= 1; needs power >= beta."""
    if power <= 1.0:
        return 1.0  # attained at s = 0, t = 1
    if beta == 1.0:
        return power

    def descent(step):
        # A convex power is steepest up to t = 1.
        return (-math.expm1(power * math.log1p(-step)) if step < 1.0 else 1.0) / step**beta

    return supremum(descent, 1.0)


def supremum(ratio, most):
    """Supremum of a unimodal `ratio` over (0, most]."""
    inside = scipy.optimize.minimize_scalar(lambda x: -ratio(x), bounds=(0.0, most), method="bounded",
                                            options={"xatol": 1e-10})
    return float(max(-inside.fun, ratio(most)))

"""Lower bounds on the worst excess risk of every alpha-LDP rule over P(theta): Theorem 2.5, with constants.

m cells have signs that nobody knows; in each of them a wrong sign costs Delta, the mass w of the cell times
the height L C_phi q^-beta of its bump, and Delta is also the TV distance of one person's law under one sign
from that under the other. Averaging the risk over all signs, and for cell k over the other signs first,

    risk >= (1/2) sum_k Delta (1 - TV(M_+k, M_-k)) >= (m / 2) Delta (1 - D(Delta)),

D(Delta) bounding TV between the reports of all n people when one person's laws are Delta apart
(`ldp_lib.theory.contraction.distinguishability`). n is the number of people who report, in all: nobody is
left out. Every choice of (q, m, w) that keeps the laws in the class gives a valid bound; "optimised" takes
the best.

Support (errata 10). The hypercube is that of the paper with cubes for balls (a bump that is Hölder in the sup
norm is Hölder in the larger Euclidean norm): the mass w of an active cell lies on the cube of half its width
s = 1 / (2q), the first m cells in lexicographic order are active, and A0 is everything outside the active
cells. With x the set A0 then holds all x' >= x, and B(x, r) has at least a share 4^-d of the support for r <=
1/2: along each axis half of the interval about x lies on the side that is filled, or half filled where cubes
and gaps alternate. For r <= s/2 the share is 2^-d, that of a corner. mu, c0 and r0 are fixed, whatever n is:
with a mu that may shrink the bound would be larger than the theorem's rate, and about another class.

Uniform X. There are no gaps: |eta - 1/2| = L 2^(beta-1) (rho - r)+^beta in disjoint balls, the same in the
corners of [0, 1]^d with a 2^d-th of a ball each, whose surfaces cost the margin condition less. Needs beta
gamma <= 1: a Hölder function cannot leave 1/2 inside the support otherwise.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import beta as beta_function

from ldp_lib._arguments import choice, real, whole
from ldp_lib._rounding import canonical
from ldp_lib.nature.hypercube import BUMPS, bump_constants
from ldp_lib.theory.contraction import CONTRACTIONS, PINSKER_PEOPLE, distinguishability
from ldp_lib.theory.classification import ball_volume, checked_theta
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.theory.rates import classification_exponent

KINDS = ("working", "optimised")
COARSE = 1e-6
"""Relative error of the total variations that only show where to look for the best one."""


class LowerBound(NamedTuple):
    """`value` bounds the worst excess risk of every alpha-LDP rule from below; 0 if no hypercube fits the
    class.

    q, m, w : the hypercube (for uniform X: q^d boxes hold the m balls, w is the mass of one).
    separation : Delta.  tv : the bound on TV used.
    mu, c0, r0 : the hypercube's laws satisfy the strong density assumption with these.

    >>> bound = lower_bound(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True)
    >>> round(bound.value, 6), bound.q, bound.m
    (0.00054, 14, 2)
    """

    value: float
    q: int
    m: int
    w: float
    separation: float
    tv: float
    mu: float
    c0: float
    r0: float


def regularity(q, d, r0):
    """A c0 for which the hypercube's support is (c0, r0)-regular, whatever m is.

    q : whole numbers, 1 or more, any shape.  d : dimension.  r0 in (0, 1/2].
    """
    d, r0 = whole("d", d), real("r0", r0, above=0, most=0.5)
    return np.where(r0 <= 1 / (4 * np.asarray(q)), 2.0**-d, 4.0**-d)[()]


def assouad_value(n, alpha, m, separation, contraction, relative_error=RELATIVE_ERROR):
    """(m / 2) Delta (1 - D(Delta)) and D(Delta); arrays broadcast."""
    tv = distinguishability(n, alpha, separation, contraction, relative_error)
    return m / 2 * separation * (1 - tv), tv


@lru_cache(maxsize=4096)
def best_separation(n, alpha, contraction):
    """The Delta in (0, 1] that maximises Delta (1 - D(Delta)), and that is worth most to whoever hides a
    sign.

    "dominating": Delta has a relative error below 1e-3, which costs less than 1e-6 of the maximum.
    """
    if contraction != "dominating":
        return min(1.0, 1 / (2 * math.sqrt(PINSKER_PEOPLE[contraction] * n) * math.expm1(alpha)))
    # With few people the counts are coarse and the value has several peaks: a wide grid first. It begins
    # below 1 / n, where samples without privacy tell signs, and below e^(-alpha/2) / sqrt(n).
    least = max(1 / n, math.exp(-alpha / 2) / math.sqrt(n)) / 64
    most = 64 / (math.sqrt(n) * min(alpha, 1.0))
    size = np.geomspace(least, most, 31 * round(math.log(most / least)))
    size = np.unique(np.minimum(size, 1.0))
    best = int(np.argmax(assouad_value(n, alpha, 2, size, contraction, COARSE)[0]))
    size = np.linspace(size[max(best - 1, 0)], size[min(best + 1, len(size) - 1)], 9)
    value = assouad_value(n, alpha, 2, size, contraction)[0]
    best = int(np.argmax(value))
    if best in (0, len(size) - 1):
        return float(size[best])
    # Between its neighbours the top is that of a parabola.
    left, top, right = value[best - 1 : best + 2]
    return float(size[best] + (size[1] - size[0]) / 2 * (right - left) / (2 * top - left - right))


def working_constants(n, alpha, beta, gamma, d, L, C0, bump="ramp", contraction="printed"):
    """(q, m, w, L C_phi) with C1 = C3 = 1: q = ceil((n alpha^2)^(1/(2 beta + 2d))), m = floor(q^(d - beta
    gamma)), w = c2 q^-d.

    c2 = min{1/2, C0 (L C_phi / 2)^gamma, 1 / (4 sqrt(K/n) L C_phi)}, K/n = 2 as printed; L C_phi <= 1.
    Needs n alpha^2 >= 1 (errata 13) and alpha <= 1.
    """
    if n * alpha**2 < 1 or alpha > 1:
        raise ValueError(f"alpha = {alpha:g} with n = {n} is out of range: the working constants need "
                         "n alpha^2 >= 1 and alpha <= 1. Choose kind = 'optimised', which needs neither.")
    # The hair's breadth keeps 1000^(1/3) at 10 and 10^(1 - 1) at 1.
    q = math.ceil((n * alpha**2) ** (1 / (2 * beta + 2 * d)) * (1 - 1e-12))
    m = math.floor(q ** (d - beta * gamma) * (1 + 1e-12))
    height = min(1.0, L * bump_constants(bump, beta).c_phi)
    people = PINSKER_PEOPLE.get(contraction, 0.25)
    c2 = min(0.5, C0 * (height / 2) ** gamma, 1 / (4 * math.sqrt(people) * height))
    return q, m, c2 * float(q) ** -d, height


def lower_bound(n: int, alpha: float, beta: float, gamma: float, d: int, *, L: float = 1.0, C0: float = 2.0,
                bump: str = "ramp", kind: str = "optimised", contraction: str = "dominating", mu: float = 1.0,
                c0: float | None = None, r0: float = 0.5, uniform_X: bool = False) -> LowerBound:
    """A `LowerBound` for every alpha-LDP rule, sequentially interactive ones included, with constants.

    It is over P(theta), for one report a person, in turn; with several rounds of reports it is not proved.

    Parameters
    ----------
    n : int
        People who report, in all, 1 or more.
    alpha : float
        Privacy budget in nats, 0 < alpha <= 700. "working" needs alpha <= 1 and n alpha^2 >= 1.
    beta : float
        Hölder exponent of eta, in (0, 1].
    gamma : float
        Margin exponent, in [0, 100], with beta gamma <= d.
    d : int
        Dimension, 1 to 100.
    L, C0 : float
        Hölder and margin constants, > 0; defaults 1 and 2.
    bump : str
        A key of `ldp_lib.nature.hypercube.BUMPS`; default "ramp".
    kind : str
        "working" evaluates the constants of `working_constants`; "optimised" (default) takes the best
        (q, m, w).
    contraction : str
        "printed" (2n), "interactive" (n/2), "noninteractive" (n/4, against mechanisms without interaction
        only) or "dominating" (default), see `ldp_lib.theory.contraction`.
    mu : float
        Lower bound of the density of X on its support, > 0; default 1.
    c0 : float or None
        Share of a ball that the support fills, in (0, 1/2]; None, the default, is 4^-d.
    r0 : float
        Largest radius of those balls, in (0, 1/2]; default 1/2. "working" leaves no choice of `mu`, `c0` and
        `r0`: its value does not depend on them, and those of the result say in which class its hypercube is.
    uniform_X : bool
        Only laws with X uniform on [0, 1]^d ("optimised" only, beta gamma <= 1); `mu`, `c0`, `r0` and `bump`
        do not matter then. Default False.

    Returns
    -------
    LowerBound
        `value`, an excess risk, 0 if no hypercube fits the class; then the hypercube and its class.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.5, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> bound = lower_bound(10**6, 1.0, 1.0, 1.0, 1, uniform_X=True)
    >>> round(bound.value, 6), bound.m
    (0.00054, 2)
    """
    n, alpha = whole("n", n), real("alpha", alpha, above=0)
    classification_exponent(beta, gamma, d)
    theta = checked_theta(beta, gamma, d, L, C0, c0, mu, real("r0", r0, above=0, most=0.5))
    for name, value, legal in (("bump", bump, BUMPS), ("kind", kind, KINDS),
                               ("contraction", contraction, CONTRACTIONS)):
        choice(name, value, legal)
    if uniform_X:
        if kind == "working" or theta.beta * theta.gamma > 1:
            raise ValueError("uniform_X = True needs kind = 'optimised' and beta gamma <= 1; "
                             f"kind = {kind!r}, beta gamma = {theta.beta * theta.gamma:g}.")
        return _uniform(n, alpha, theta, contraction)
    if kind == "working":
        q, m, w, height = working_constants(n, alpha, theta.beta, theta.gamma, theta.d, theta.L, theta.C0,
                                            bump, contraction)
        height *= q**-theta.beta
        return _report(n, alpha, theta, contraction, q, m, w * height, height)
    return _hypercube(n, alpha, theta, bump, contraction)


def _report(n, alpha, theta, contraction, q, m, separation, height):
    value, tv = assouad_value(n, alpha, m, separation, contraction)
    d, w = theta.d, separation / height
    mu = min(w * (4 * q) ** d, (1 - m * w) / (1 - m * (2.0 * q) ** -d))
    return LowerBound(float(value), int(q), int(m), float(w), float(separation), float(tv), float(mu),
                      regularity(q, d, theta.r0), theta.r0)


def legal_hypercubes(q, theta, bump, share=1.0):
    """(m, height, least, most): cells, height of the bumps, and the least and the most mass w of a cell.

    q : cells per axis, a number or an array.  share, in (0, 1] : m as a part of the most that the margin
    condition of the class `theta` allows, at least 1.  Nothing fits where `most` is below `least`.
    """
    q, d, mu = np.asarray(q, dtype=float), theta.d, theta.mu
    height = np.minimum(1.0, theta.L * bump_constants(bump, theta.beta).c_eta * q**-theta.beta)
    mass = np.minimum(1.0, theta.C0 * (height / 2) ** theta.gamma)
    least = mu * (4 * q) ** -d
    m = np.maximum(1, np.round(share * np.floor(np.minimum(q**d, mass / least) * (1 + 1e-12))))
    # Outside the active cells the density is (1 - m w) / (1 - m (2q)^-d) and must reach mu, too.
    return m, height, least, np.minimum(mass / m, (1 - mu) / m + mu * (2 * q) ** -d)


def _hypercube(n, alpha, theta, bump, contraction):
    """The best (q, m, w). For each q: as many cells as fit, for Delta (1 - D) / Delta falls with Delta = mass
    / m."""
    rate_q = (n * min(alpha, 1.0) ** 2) ** (1 / (2 * theta.beta + 2 * theta.d))
    q = np.unique(np.round(np.geomspace(1, 16 * rate_q + 16, 400)))
    q = q[regularity(q, theta.d, theta.r0) >= theta.c0]
    m, height, least, most = legal_hypercubes(q, theta, bump)
    fits = most >= least * (1 - 1e-12)
    if not fits.any():
        return LowerBound(0.0, 0, 0, 0.0, 0.0, 0.0, theta.mu, theta.c0, theta.r0)
    q, m, height, least, most = (values[fits] for values in (q, m, height, least, most))
    desired = best_separation(n, alpha, contraction)
    peak = (1 + 1e-6) * assouad_value(n, alpha, 2, desired, contraction)[0]
    separation = height * np.clip(desired / height, np.minimum(least, most), most)
    # Delta (1 - D) is at most its largest value, and at most Delta: most hypercubes are ruled out by that.
    best = np.argmax(ceiling := m / 2 * np.minimum(separation, peak))
    floor = assouad_value(n, alpha, m[best], separation[best], contraction)[0]
    open_question = np.flatnonzero(ceiling >= floor * (1 - 1e-9))
    found = assouad_value(n, alpha, m[open_question], separation[open_question], contraction)[0]
    best = open_question[canonical(found).argmax()]      # of equals the fewest cells
    return _report(n, alpha, theta, contraction, int(q[best]), int(m[best]), separation[best], height[best])


def _uniform(n, alpha, theta, contraction):
    """The best Delta on a grid about the unconstrained best one; for each, as many balls as the margin
    allows."""
    best = LowerBound(0.0, 0, 0, 0.0, 0.0, 0.0, 1.0, 2.0**-theta.d, 0.5)
    for separation in best_separation(n, alpha, contraction) * np.geomspace(1 / 8, 8, 49):
        boxes, m, volume = _balls(separation, theta)
        if m:
            value, tv = assouad_value(n, alpha, m, separation, contraction)
            if value > best.value:
                best = best._replace(value=float(value), q=boxes, m=m, w=volume,
                                     separation=float(separation), tv=float(tv))
    return best


def _balls(separation, theta):
    """(boxes per axis, number of balls, volume of one) for balls with integral 2 |eta - 1/2| = `separation`
    each."""
    beta, gamma, d, volume = theta.beta, theta.gamma, theta.d, ball_volume(theta.d)
    steep = theta.L * 2 ** (beta - 1)
    inner = (separation / (2 * steep * volume * d * beta_function(d, beta + 1))) ** (1 / (d + beta))
    corner = inner * 2 ** (d / (d + beta))
    # The hair's breadth lets a ball stand that fits exactly.
    room = 1 + 1e-12
    boxes = int(room / (2 * corner)) or int(corner <= room)
    if not boxes or steep * corner**beta > 0.5 * room:
        return 0, 0, 0.0
    # The margin condition at t = steep tau^beta: the mass within tau of the surfaces is at most budget
    # tau^(beta gamma).
    budget, power = theta.C0 * steep**gamma, beta * gamma
    at_surface = np.array([d * volume * radius ** (d - 1) * part for radius,
                           part in ((inner, 1), (corner, 2.0**-d))])
    if power == 1:
        # A shell's volume is concave in its width: the condition is hardest as tau -> 0.
        allowed, cost = np.array([budget]), at_surface[:, None]
    else:
        tau = np.geomspace(1e-4 * inner, corner, 400)
        shells = np.array([volume * part * (radius**d - np.maximum(radius - tau, 0) ** d)
                           for radius, part in ((inner, 1), (corner, 2.0**-d))])
        # Between two points of the grid the cost is at most that of the right one, the budget at least that
        # of the left.
        allowed = np.concatenate([[budget * tau[0] ** power], budget * tau[:-1] ** power])
        cost = np.concatenate([at_surface[:, None] * tau[0], shells[:, 1:]], axis=1)
    corners = min(2**d, boxes**d, int((allowed / cost[1]).min() + 1e-12))
    inside = int(max(0.0, ((allowed - corners * cost[1]) / cost[0]).min()) + 1e-12)
    return boxes, min(corners + inside, boxes**d), float(volume * inner**d)

"""Upper bounds on the excess risk of the cube classifier over the class P(theta): Theorem 2.4, with
constants.

The class is described in `ldp_lib.theory.classification`.  Noise is real Laplace noise, as in
the paper.

Lattice noise N (`CubeLaplace`'s default; indicators are lattice points, so that nothing is rounded and b is
the same) is less: an exponential variable is the step g times a geometric one, plus an independent remainder
in [0, g), so that Laplace noise = N + R with R symmetric and independent of N. Hence the variance of N is
smaller, (x / sinh x)^2 times 2 b^2 at x = g / (2b), its mgf is at most that of real noise, and (3.1) and with
it "printed" hold as they stand. An exact tail at most doubles: where T_n with N errs, R keeps it in error
with probability 1/2 or more. So twice the other kinds is proved for lattice noise; at the corners of the
sliders its exact risk is below them as they are (tested).

Let u = |eta(x0) - 1/2|. An error at x0 costs 2u. What differs is how its probability is bounded:

* "printed": dyadic shells of u and the exponential inequality (3.1), at the theorem's h; both with
  min(alpha, 1) in place of alpha, so that the bound stands still beyond alpha = 1.
* "sharp": the same shells, the exact tail, the best h.
* "fine": infinitely thin shells, exact tail, best h, and distances within the cube as they are.

Exact tail for the whole class. n T_n = D + noise, D a sum of n' = n/2 independent terms Y B - B' / 2 in
[-1/2, 1] whose mean is at least t (at most -t where eta < 1/2). With H(x) = P(noise < -x), P(T_n < 0) = E
H(D). H is decreasing, convex on x >= 0 and concave on x <= 0, the noise being symmetric and unimodal; let H*
continue it for x < 0 along its tangent at 0. H <= H*, H* is convex and decreasing, so E H(D) <= E H*(D) <= E
H*(D2), D2 having terms in {-1/2, 1} with mean exactly t: no law on [-1/2, 1] of that mean is more spread out.
Finally H* - H <= g |x| for x < 0, g = the density of the noise at 0 <= 1 / (sqrt(2) sd) as for every
symmetric log-concave law, and Hoeffding's inequality bounds E[D2-]. The correction is below 1e-7 where it
matters, and no bound on p = P(X in cube) is needed.

Exact tail for uniform X. p is known, q = P(X in cube, Y = 1) >= p/2 + t, and P(T_n < 0) decreases in q,
because YB grows with q while B' stays. Cubes at the border of [0, 1]^d are smaller; they are counted apart.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ldp_lib._arguments import choice, real, require_memory, whole
from ldp_lib._rounding import canonical
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.theory.classification import (ball_volume, checked_theta, smallest_mass, theorem_bandwidth,
                                           trivial_bound)

KINDS = ("printed", "sharp", "fine")
SHELLS = 240
"""Thin shells per bound. The sums are upper sums: more shells lower the bound, none makes it wrong."""
TAIL_ERROR = 1e-10
"""Relative error allowed to the exact tails here; the bounds are rounded up by it."""


class UpperBound(NamedTuple):
    """`value` bounds the excess risk from above; `h` is the bandwidth it holds for; `parts` says what it is
    made of.

    `parts`: "shell_0", the cost of u below 2 Lam ("fine": below the `scale` of the zone); "other_shells";
    "border", what small cubes at the border add; "constant", A of "printed"; "untruncated", the sum before it
    is cut at 1 (or at C0 2^-gamma, see `trivial_bound`); "trivial", whether that cut was made.

    >>> bound = upper_bound(10**6, 1.0, 1.0, 1.0, 1, kind="fine", uniform_X=True)
    >>> round(bound.value, 3), round(1 / bound.h), bound.parts["trivial"]
    (0.016, 14, False)
    """

    value: float
    h: float
    parts: dict


def printed_constant(beta, gamma, d, c0, people=1.0):
    """The corrected A: excess risk <= A C0 (L h^beta)^(1 + gamma) at the theorem's h.

    `people` = n' alpha^2 L^2 mu^2 h^(2d + 2 beta), 1 at the theorem's h, multiplies kappa at another h.

    A = (2 sqrt d)^(beta (1+gamma)) 2^(gamma+2) [1 + sum_j 2^(j (1+gamma)) exp(-kappa 4^j)], where
    kappa = c0^2 d^beta 2^(2 beta - 4d - 8) min(1, V_d)^2 and V_d, the volume of the unit ball, counts from d
    = 13 on.
    """
    kappa = c0**2 * d**beta * 2.0 ** (2 * beta - 4 * d - 8) * min(1.0, ball_volume(d)) ** 2 * people
    # Terms rise until 4^j is about (1 + gamma) / kappa and then die out doubly exponentially.
    j = np.arange(1, 12 + int(math.log(max((1 + gamma) / kappa, 4), 4) + 0.5))
    series = np.exp(j * (1 + gamma) * math.log(2) - kappa * 4.0**j).sum()
    return float((2 * math.sqrt(d)) ** (beta * (1 + gamma)) * 2 ** (gamma + 2) * (1 + series))


def worst_error(half, alpha, d, t):
    """P(error) at most, where the mean of T_n is at least t on the right side of 0; t an array in [0, 1/2].

    half : n' people in each half; arrays broadcast.  Whole class; see the module for the proof.
    """
    half, t = np.broadcast_arrays(half, np.asarray(t, dtype=float))
    b = 2 ** (d + 1) / alpha
    # A term of D2 is 3/2 Bernoulli - 1/2. In units of 3/2, against p = 1 (a term Bernoulli - 1/2), the
    # threshold moves.
    below, above = cube_sign_probabilities(half, 1.0, (1 + 2 * np.stack([t, -t])) / 3, b / 1.5,
                                           threshold=-1 / 6, relative_error=TAIL_ERROR)
    density = 1 / (b * np.sqrt(5 * half))                 # of the noise at 0: variance n' (2 b^2 + b^2 / 2)
    spread = 0.75 * np.sqrt(half)                         # Hoeffding: D2 has n' terms of range 3/2
    correction = density * spread * math.sqrt(2 * math.pi) * ndtr(-half * t / spread)
    return np.minimum(np.maximum(below[0], above[1]) * (1 + TAIL_ERROR) + correction, 1.0)


def _uniform_error(half, alpha, d, p, t):
    """The same for a cube of known mass p, exact: q = p/2 + t, cut at [0, p]."""
    b = 2 ** (d + 1) / alpha
    q = np.clip(p / 2 + t, 0.0, p)
    below = cube_sign_probabilities(half, p, q, b, relative_error=TAIL_ERROR)[0]
    above = cube_sign_probabilities(half, p, p - q, b, relative_error=TAIL_ERROR)[1]
    return np.minimum(np.maximum(below, above) * (1 + TAIL_ERROR), 1.0)


def mean_distance(lower, upper, x0, beta):
    """Mean of ||x - x0||^beta for x uniform in a box that holds x0; lower, upper, x0 of shape (d,).

    x0 cuts the box into 2^d boxes with a corner at x0, and each of them consists of d pyramids with apex x0.
    In a pyramid the integral over the height is exact; that over the base is smooth, and left to quadrature.
    """
    lower, upper, x0 = (np.asarray(side, dtype=float) for side in (lower, upper, x0))
    d = len(x0)
    require_memory(f"The mean distance in d = {d} dimensions", 200.0 * 16 ** (d - 1), "Lower d.")
    nodes, weights = (side / 2 for side in np.polynomial.legendre.leggauss(16))
    base = np.array(list(itertools.product(nodes + 0.5, repeat=d - 1))).reshape(16 ** (d - 1), d - 1)
    mass = np.array(list(itertools.product(weights, repeat=d - 1))).reshape(16 ** (d - 1), d - 1).prod(axis=1)
    total = 0.0
    for sides in itertools.product(*zip(x0 - lower, upper - x0, strict=True)):
        for height in range(d):
            squares = base**2 @ np.delete(sides, height) ** 2 + sides[height] ** 2
            total += np.prod(sides) / (d + beta) * (mass @ squares ** (beta / 2))
    return float(total / np.prod(upper - lower))


class Zone(NamedTuple):
    """Part of [0, 1]^d: its largest possible `share` of the people, and `error(u)`, a bound on P(error)
    there.

    error is nonincreasing; it falls from about 1/2 at u = `scale` on.
    """

    share: float
    error: Callable
    scale: float


def _whole_class(half, alpha, theta, h, kind):
    p, noise = smallest_mass(theta, h), 2.5 * 2**theta.d / (alpha * np.sqrt(half))
    if kind == "sharp":
        # As in the proof: every point of the cube has a margin of at least u - Lam.
        reach = bias = theta.L * (2 * h * math.sqrt(theta.d)) ** theta.beta
    else:
        # From u = reach on, no point of the cube pulls to the wrong side, and those of the ball B(x0, h/2)
        # are, at worst, spread as under a uniform law: E ||x - x0||^beta = radius^beta d / (d + beta).
        reach = theta.L * (1.5 * h * math.sqrt(theta.d)) ** theta.beta
        bias = theta.L * np.minimum(h / 2, theta.r0) ** theta.beta * theta.d / (theta.d + theta.beta)

    def error(u):
        return np.where(u < reach, 1.0, worst_error(half, alpha, theta.d, p * np.maximum(u - bias, 0)))

    return [Zone(1.0, error, reach + noise / p)]


def _uniform(half, alpha, theta, h, kind):
    """Zones by the number k of axes along which the cell of x0 lies at the border of [0, 1]^d; h = 1/M.

    The mean distance is convex in each coordinate of x0, so that its largest value is taken at a corner of
    the cell.
    """
    d, zones = theta.d, []
    for k in range(d + 1):
        lower = np.where(np.arange(d) < k, 0.0, -h)
        corners = [np.where(np.arange(d) < outer, 0.0, h / 2) for outer in range(k + 1)]
        bias = theta.L * max(mean_distance(lower, np.full(d, h), x0, theta.beta) for x0 in corners)
        p = min(1.0, float(np.prod(h - lower)))
        zones.append(Zone(math.comb(d, k) * h**k * (1 - h) ** (d - k),
                          lambda u, p=p, bias=bias: _uniform_error(half, alpha, d, p, p * (u - bias)),
                          bias + 2.5 * 2**d / (alpha * math.sqrt(half) * p)))
    return zones


def _dyadic_costs(zones, theta, h):
    """Costs (..., shells) of u <= 2 Lam, 2 Lam < u <= 4 Lam, ..., each with all the mass that the margin
    condition allows it; h : a number or an array (..., 1)."""
    lam = theta.L * (2 * h * math.sqrt(theta.d)) ** theta.beta
    doublings = np.maximum(0, np.ceil(np.log2(0.25 / lam)))
    j = np.arange(np.max(doublings) + 1)
    upper = np.minimum(2 * lam * 2.0**j, 0.5)
    cost = 2 * upper * np.where(j <= doublings, np.minimum(1.0, theta.C0 * upper**theta.gamma), 0.0)
    if j.size > 1:
        cost[..., 1:] *= np.max([zone.error(upper[..., :-1]) for zone in zones], axis=0)
    return cost


def _dyadic_shells(zones, theta, h):
    first, *others = _dyadic_costs(zones, theta, h)
    return {"shell_0": float(first), "other_shells": float(sum(others)), "border": 0.0}


def sharp_bounds(n, alpha, theta, h):
    """`upper_bound(..., kind="sharp", h=h).value` over the class `theta` for arrays n and h, in one go."""
    half, h = (values[..., None] for values in np.broadcast_arrays(np.asarray(n) // 2, h))
    cost = _dyadic_costs(_whole_class(half, alpha, theta, h, "sharp"), theta, h)
    return np.minimum(cost.sum(axis=-1), trivial_bound(theta.gamma, theta.C0))


def thin_shells(zones, theta, h):
    """The largest E[2u error(u)] that the margin condition allows, as an upper sum over thin shells.

    psi(u) = sup of 2v error(v), v >= u, is nonincreasing, so that it is worst when u is as small as the
    condition lets it be: P(0 < u <= t) = min(1, C0 t^gamma). Zones of small share: whatever c >= 0 is, their
    psi is at most max(psi of the main zone, psi - c) + c, and c costs no more than c times the share; the
    best c is taken.
    """
    top = min(0.5, 6 * max(zone.scale for zone in zones))
    u = np.linspace(0, top, SHELLS)
    if top < 0.5:
        u = np.concatenate([u, np.geomspace(top, 0.5, SHELLS // 8)[1:]])
    mass = np.diff(np.minimum(1.0, theta.C0 * u[1:] ** theta.gamma), prepend=0.0)
    psi = [np.maximum.accumulate((2 * u[1:] * zone.error(u[:-1]))[::-1])[::-1] for zone in zones]
    excess = [max(0.0, (side - psi[0]).max()) for side in psi]
    best = None
    for fraction in np.linspace(0, 1, 21 if any(excess) else 1):
        merged = np.max([side - fraction * c for side, c in zip(psi, excess, strict=True)], axis=0)
        border = sum(zone.share * fraction * c for zone, c in zip(zones, excess, strict=True))
        if best is None or merged @ mass + border < best[0]:
            best = merged @ mass + border, merged, border
    near = u[1:] <= min(zone.scale for zone in zones)
    return {"shell_0": float((best[1] * mass)[near].sum()),
            "other_shells": float((best[1] * mass)[~near].sum()),
            "border": float(best[2])}


def _printed(half, alpha, theta, h):
    # (3.1) needs alpha <= 1; less noise only helps, so that min(alpha, 1) is right beyond.
    people = half * (min(alpha, 1.0) * theta.L * theta.mu) ** 2 * h ** (2 * theta.d + 2 * theta.beta)
    constant = printed_constant(theta.beta, theta.gamma, theta.d, theta.c0,
                                people * min(1.0, 2 * theta.r0 / h) ** (2 * theta.d))
    scale = theta.C0 * (theta.L * h**theta.beta) ** (1 + theta.gamma)
    first = (2 * math.sqrt(theta.d)) ** (theta.beta * (1 + theta.gamma)) * 2 ** (theta.gamma + 2)
    return {"shell_0": scale * first, "other_shells": scale * (constant - first), "border": 0.0,
            "constant": constant}


def upper_bound(n: int, alpha: float, beta: float, gamma: float, d: int, *, L: float = 1.0, C0: float = 2.0,
                c0: float | None = None, mu: float = 1.0, r0: float = 0.5, kind: str = "sharp",
                h: float | None = None, uniform_X: bool = False) -> UpperBound:
    """An `UpperBound` on the worst excess risk of the cube classifier over P(theta), with constants.

    The value never exceeds `trivial_bound`; `parts["trivial"]` says when it had to be cut. beta gamma <= d is
    not needed. The defaults of the class hold the law with X uniform and eta = 1/2 + (x - 1/2) in d = 1;
    C0 = 2 / L is the least that lets eta cross 1/2 inside.

    Parameters
    ----------
    n : int
        People in all, 2 or more: both halves of the sample need a person.
    alpha : float
        Privacy budget in nats, > 0.
    beta : float
        Hölder exponent of eta, in (0, 1].
    gamma : float
        Margin exponent, in [0, 100].
    d : int
        Dimension, 1 to 100.
    L, C0 : float
        Hölder and margin constants, > 0; defaults 1 and 2.
    c0 : float or None
        Share of a ball that the support fills, in (0, 1/2]; None, the default, is 4^-d.
    mu : float
        Lower bound of the density of X on its support, > 0; default 1.
    r0 : float
        Largest radius of those balls, > 0; default 1/2.
    kind : str
        "printed", "sharp" (default) or "fine", see `ldp_lib.theory.classification.upper`.
    h : float or None
        Bandwidth, > 0. None: the theorem's at min(alpha, 1) for "printed", else the best. With `uniform_X` it
        must be 1 / (whole number).
    uniform_X : bool
        Restricts the class to X uniform on [0, 1]^d; "printed" is refused then, and from d = 8 on the memory
        limit refuses the others. Default False.

    Returns
    -------
    UpperBound
        `value`, an excess risk; `h`, the bandwidth it holds for; `parts`, what it is made of.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.4, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> bound = upper_bound(10**6, 1.0, 1.0, 1.0, 1, kind="fine", uniform_X=True)
    >>> round(bound.value, 3), round(1 / bound.h)
    (0.016, 14)
    """
    half = float(whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2)
    alpha, kind = real("alpha", alpha, above=0), choice("kind", kind, KINDS)
    theta = checked_theta(beta, gamma, d, L, C0, c0, mu, r0)
    if uniform_X and kind == "printed":
        raise ValueError("uniform_X = True has no printed bound; choose kind 'sharp' or 'fine'.")
    if h is not None:
        h = real("h", h, above=0)
        if uniform_X and abs(1 / h - round(1 / h)) > 1e-9 / h:
            raise ValueError(f"h = {h!r} does not divide 1; with uniform_X it must be 1/M, M whole.")
    def parts(bandwidth):
        if kind == "printed":
            return _printed(half, alpha, theta, bandwidth)
        zones = (_uniform if uniform_X else _whole_class)(half, alpha, theta, bandwidth, kind)
        return (_dyadic_shells if kind == "sharp" else thin_shells)(zones, theta, bandwidth)

    if h is None:
        # Beyond alpha = 1 a smaller h would keep (3.1) as it is and lose people: "printed" would rise.
        at = min(alpha, 1.0) if kind == "printed" else alpha
        h = theorem_bandwidth(n, at, theta.beta, theta.d, theta.L, theta.mu)
        if kind != "printed":
            h = best_bandwidth(lambda width: whole_cost(parts(width)), h, uniform_X)
    found, cut = parts(h), trivial_bound(theta.gamma, theta.C0)
    total = whole_cost(found)
    trivial = bool(canonical(total) > canonical(cut))
    return UpperBound(min(total, cut), float(h), found | {"untruncated": total, "trivial": trivial})


def whole_cost(parts):
    """The sum of the parts of a bound, before it is cut."""
    return parts["shell_0"] + parts["other_shells"] + parts["border"]


def best_bandwidth(total, start, divides):
    """Two rounds of a grid search about `start`; total(h) has one valley. `divides`: only h = 1/M.

    Of h that are equally good up to rounding the first, which is the narrowest, is taken.
    """

    def cost(h):
        return canonical(total(h))

    def allowed(around):
        return 1 / np.unique(np.maximum(1, np.round(1 / around))) if divides else around

    around = np.geomspace(start / 16, min(16 * start, 2.0), 25)
    for width in (2 ** (1 / 3), 2 ** (1 / 24)):
        best = min(allowed(around).tolist(), key=cost)
        around = best * np.geomspace(1 / width, width, 9)
    return min([best, *allowed(around)], key=cost)

"""Universal consistency: Berrett & Butucea (2019), Theorem 2.2, executed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad

from ldp_lib._arguments import choice, real, whole
from ldp_lib.nature import cantor_function
from ldp_lib.risk.scores import cube_sign_probabilities, log_tail_probability, wrong_side_probability
from ldp_lib.stage.ledger import Saboteur, Step, equation, proves
from ldp_lib.theory.classification import MOST_DIMENSIONS


def greedy(places, radius):
    """Places more than two radii apart, from left to right, to which no other can be added."""
    chosen = []
    for place in places:
        if not chosen or abs(place - chosen[-1]) > 2 * radius:
            chosen.append(place)
    return np.array(chosen)


@proves("2.2",
        Saboteur("noise at most b", "a hundred times the noise", lambda: {"n": 10**7, "scale": 400.0},
                 lambda: {"n": 10**7, "alpha": 0.5}),
        Saboteur("noise at least b", "a hundredth of the noise", lambda: {"scale": 0.04},
                 lambda: {"alpha": 0.9}),
        Saboteur("independent people", "a hundred thousand people send the same report",
                 lambda: {"n": 10**7, "copies": 100_000}, lambda: {"n": 100}),
        Saboteur("alpha <= 1", "alpha = 1,000 and twenty people",
                 lambda: {"alpha": 1000.0, "t": 0.0155, "n": 20},
                 lambda: {"alpha": 1.0, "t": 0.0155, "n": 20}),
        Saboteur("bounded domain", "features between 0 and 10",
                 lambda: {"law": Line("ten times as wide", lambda x: x / 10, (0.0, 5.0, 10.0), (0.8, 0.2))},
                 lambda: {"law": "uniform"}),
        Saboteur("maximal choice", "the first ball only", lambda: {"choose": lambda *thin: greedy(*thin)[:1]},
                 lambda: {"choose": greedy_from_the_right, "h": 0.07}),
        Saboteur("disjoint balls", "all balls", lambda: {"choose": lambda places, radius: places},
                 lambda: {"choose": greedy_from_the_right, "h": 0.07}),
        Saboteur("nearest cube", "the rule reads a cube 150 grid points away",
                 lambda: {"h": 0.002, "shift": 150}, lambda: {"h": 0.002}))
def ledger_2_2(n: int = 10**6, alpha: float = 1.0, d: int = 1, t: float = 0.05, p: float = 0.2,
               q: float = 0.15, h: float = 0.05, law: str | Line = "two densities", *,
               scale: float | None = None, copies: int = 1, choose: Callable = greedy, shift: int = 0):
    """The ledger of Theorem 2.2: one cube in d dimensions, a law on the line, and the converse.

    n : people in all, half of them labelled.  alpha : nats; (3.1) is proved for alpha <= 1 (the printed chain
    reaches 0.83 2^(d+1), erratum 1), and the theorem is false without a bound on alpha (erratum 3).
    t : deviation of T_n, in (0, 1].
    p = P(X in cube), in (0, 1].  q = P(X in cube, Y = 1), in [0, p].
    h : bandwidth on the line, in [0.001, 1].  law : a key of LAWS, or a `Line`.
    scale : what the noise really is, None: b = 2^(d+1) / alpha.  copies : so many people send one report.
    choose : takes thin places and a radius, and returns some of the places.  shift : grid points from the
    nearest cube to the one that the rule reads.

    Exponents are compared, not probabilities: they are proportional to n, so that the slack of a step is the
    factor by which it inflates the number of people. In place of limits the ledger has what they come from:
    thin cubes hold few people whatever the law is, by counting them and by Vitali's lemma (Omega_0); and
    q / p comes near eta for every law and every measurable eta, because a continuous function is near eta
    (Omega_1; the printed proof differentiates along cubes that are not centred, erratum 4).

    The converse is ours. If eta = 1, and n alpha^2 h^(2d) = 1 at n people a half, the votes in a cube exceed
    x = 2 n (2h)^d with probability 1/2 at most (Markov). The noise is symmetric, of variance
    s^2 = 5/2 b^2 n >= 5/2 x^2, and by Paley and Zygmund's inequality it exceeds x in absolute value with
    probability (1 - x^2 / s^2)^2 s^4 / E noise^4 at least, E noise^4 = (3 + 2.04 / n) s^4. So the rule errs
    with probability (1 - 2/5)^2 / 4 / (3 + 2.04 / n) at least, at every inner point, for ever.
    """
    half = whole("n", n, least=2) // 2
    alpha, d = real("alpha", alpha, above=0), whole("d", d, most=MOST_DIMENSIONS)
    t, p = real("t", t, above=0, most=1), real("p", p, above=0, most=1)
    q, h = real("q", q, least=0, most=p), real("h", h, least=0.001, most=1)
    law = law if isinstance(law, Line) else LAWS[choice("law", law, LAWS)]
    b, line_b = 2 ** (d + 1) / alpha, 4 / alpha
    louder = 1.0 if scale is None else real("scale", scale, above=0) / b
    reports = max(1, half // whole("copies", copies))
    lam = half * alpha**2 * t / 2 ** (2 * d + 4)
    s = lam / half
    if b * s >= 1:
        raise ValueError(
            f"alpha * t = {alpha:g} * {t:g} is out of range: the chain needs "
            f"alpha * t < 2^(d+3) = {2 ** (d + 3)}, "
            "or the moment generating function of the noise is infinite. Lower alpha or t."
        )

    bernoulli = reports * (_centred_log_mgf(q, lam / reports) + _centred_log_mgf(p, -lam / reports / 2))
    hoeffding = half * (s**2 / 8 + s**2 / 32)
    noise = -half * (math.log1p(-((b * s) ** 2)) + math.log1p(-((b * s) ** 2) / 4))
    theirs = reports * (_log_mgf(b * louder, lam / reports) + _log_mgf(b * louder, lam / reports / 2))
    bound = half * alpha**2 * t**2 / 2 ** (2 * d + 6)
    tail = -max(log_tail_probability(reports, p, q, b * louder, q - p / 2 + side * t) for side in (-1, 1))
    delta = abs(q - p / 2) / 2
    wrong = -log_tail_probability(reports, p, q, b * louder, 0.0) if delta else math.log(2)

    parts = pieces(law, h, shift)
    here = parts.mass > 0
    mass, eta, cube, ones = (values[here] for values in parts)
    distance = np.abs(np.divide(ones, cube, out=np.zeros_like(ones), where=cube > 0) - eta)
    kinds, kind = np.unique(np.round([cube, np.minimum(ones, cube)], 14), axis=1, return_inverse=True)
    below, above = np.array(cube_sign_probabilities(reports, *kinds, line_b * louder))[:, kind.ravel()]
    margin = np.abs(2 * eta - 1)
    risk = mass @ (margin * np.where(eta > 0.5, below, above))
    indicators = np.where(distance > margin / 4, 1.0,
                          np.exp(-half * (alpha * cube * margin / 2) ** 2 / 2**10))
    thin, covered, length, union = thin_balls(law, h, choose)

    side = (half * alpha**2) ** (-1 / (2 * d))
    full = min(1.0, (2 * side) ** d)
    on_line, concentration = f"{law.name} law", (
        "noise at most b", "independent people", "alpha <= 1")
    steps = (
        equation("noise mgf", "log E exp(s eps) = -log(1 - (b s)^2) for the noise eps",
                 _log_mgf(b * louder, s), -math.log1p(-((b * s) ** 2)), subject="the noise of an entry",
                 uses=("noise at most b", "noise at least b")),
        Step("Hoeffding", "log mgf of the mean of YB - B/2 at lambda = n' s <= n' (s^2 / 8 + s^2 / 32)",
             bernoulli, hoeffding, subject="people in a cube", uses=("independent people",)),
        Step("mgf", "with noise: - n' log(1 - (b s)^2) - n' log(1 - (b s)^2 / 4) more", bernoulli + theirs,
             hoeffding + noise, ", with errata 2", subject="T_n of a cube",
             uses=("noise at most b", "independent people")),
        Step("(3.1), exponent", "n' alpha^2 t^2 / 2^(2d+6) <= lambda t - that bound", bound,
             lam * t - hoeffding - noise, ", with errata 1", subject="a budget", uses=("alpha <= 1",)),
        Step("(3.1)", "n' alpha^2 t^2 / 2^(2d+6) <= -log P(T_n - E T_n >= t), on either side", bound, tail,
             subject="T_n of a cube", uses=concentration),
        Step("(3.2)", "n' alpha^2 delta^2 / 2^(2d+6) <= -log(P(wrong side of 0) / 2), delta = |q - p/2| / 2",
             half * alpha**2 * delta**2 / 2 ** (2 * d + 6), np.log(2) + wrong, ", the display after (3.2)",
             subject="T_n of a cube", uses=concentration),
        Step("thin cubes", f"P(X where P(cube) <= {THIN} h) <= {THIN} h (2 + 1/h), the number of cells",
             mass[cube <= THIN * h].sum(), THIN * (1 + 2 * h), "quantifies Omega_0", subject=on_line,
             uses=("bounded domain",)),
        Step("Vitali, cover", "P(X where a ball is thin) <= the sum of P(ball of radius 5 r) over the choice",
             thin, covered, "Omega_0", subject=on_line, uses=("maximal choice",)),
        Step("Vitali, 5^d", "volume of these balls <= 5^d times that of the union of all balls of radius r",
             length, 5 * union, "Omega_0, here d = 1", subject=on_line, uses=("disjoint balls",)),
        Step("differentiation", "E |q/p - eta(X)| <= (1 + 2^d) E |eta - g| + 1.5 h (slope of g)",
             mass @ distance, distance_from_continuous(law, h), "Omega_1, with errata 4", subject=on_line,
             uses=("nearest cube",)),
        Step("three indicators", "risk <= E |2 eta - 1| (1{|q/p - eta| > |eta - 1/2| / 2} + exp(-(3.2)))",
             risk, mass @ (margin * indicators), "with |eta - 1/2| p / 2 as delta", subject=on_line,
             uses=concentration),
        Step("converse", "n' alpha^2 h^(2d) = 1, eta = 1: P(wrong) >= 9/25 / (4 (3 + 2.04 / n'))",
             0.09 / (3 + 2.04 / half), wrong_side_probability(reports, full, full, b * louder),
             "the condition cannot be weakened; not in the paper", subject="eta = 1, X uniform",
             uses=("noise at least b",)),
    )
    return {"n": 2 * half, "n'": half, "alpha": alpha, "d": d, "t": t, "p": p, "q": q, "h": h,
            "law": law.name}, steps


THIN = 0.5
"""A cube is thin if less than THIN h people in one are in it."""
FINE = 8
"""Places per radius of a ball at which thin balls are looked for."""
WIDTHS = np.geomspace(1e-4, 0.25, 60)
"""Widths of the ramps that make a continuous function of eta."""


class Line(NamedTuple):
    """A law of (X, Y) on an interval: any distribution function, and eta constant between places.

    edges : K + 1 places, ascending, the ends first and last.  eta : K numbers in [0, 1].
    """

    name: str
    cdf: Callable
    edges: tuple
    eta: tuple


QUARTERS = {"edges": (0.0, 0.25, 0.5, 0.75, 1.0), "eta": (0.8, 0.2, 0.9, 0.35)}
LAWS = {
    "uniform": Line("uniform", lambda x: x, **QUARTERS),
    "two densities": Line("two densities", lambda x: np.interp(x, [0, 0.5, 1], [0, 0.1, 1]), **QUARTERS),
    "Cantor": Line("Cantor", cantor_function, **QUARTERS),
}
"""Subjects of the steps that need a law; the last has no density, and people at two of its edges."""


class Pieces(NamedTuple):
    """The line cut at the borders of its cells and cubes and where eta jumps: arrays, one entry a piece."""

    mass: np.ndarray
    eta: np.ndarray
    p: np.ndarray
    """P(X in the cube that the rule reads in this piece)."""
    q: np.ndarray
    """The same with Y = 1."""


def pieces(law, h, shift=0):
    """The `Pieces` of a line for cubes of bandwidth h; the rule reads the cube `shift` grid points away."""
    left, right = law.edges[0], law.edges[-1]
    grid = h * np.arange(math.floor(left / h), math.ceil(right / h - 1e-9) + 1)
    edges = np.unique(np.clip(np.concatenate([law.edges, grid, grid - h / 2, grid + h / 2]), left, right))
    middle = (edges[1:] + edges[:-1]) / 2
    mass = np.diff(law.cdf(edges))
    eta = np.array(law.eta)[np.searchsorted(law.edges, middle, side="right") - 1]
    point = np.clip(np.rint(middle / h) + shift, grid[0] / h, grid[-1] / h) * h
    ends = np.searchsorted(edges, np.clip([point - h, point + h], left, right) + [[-1e-12], [-1e-12]])
    below = np.concatenate([np.zeros((2, 1)), np.cumsum([mass, mass * eta], axis=1)], axis=1)
    p, q = below[:, ends[1]] - below[:, ends[0]]
    return Pieces(mass, eta, p, q)


def thin_balls(law, h, choose):
    """Vitali's lemma for the thin balls of radius h, h / 5 being the radius r of the lemma.

    P(thin), P of the union bound over the chosen balls of radius 5 r, the length of these balls, and that of
    the union of all balls of radius r.
    """
    r = h / 5
    left, right = law.edges[0], law.edges[-1]
    edges = np.linspace(left, right, math.ceil((right - left) * FINE / r) + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1] - edges[0]) / 2
    thin = law.cdf(np.minimum(middle + h, right)) - law.cdf(np.maximum(middle - h, left)) <= THIN * h
    chosen = choose(middle[thin], r)
    covered = law.cdf(np.minimum(chosen + h, right)) - law.cdf(np.maximum(chosen - h, left))
    gaps = np.diff(middle[thin])
    union = (2 * r * min(1, thin.sum()) + np.minimum(gaps, 2 * r).sum())
    return np.diff(law.cdf(edges))[thin].sum(), covered.sum(), 10 * r * len(chosen), union + 2 * half


def distance_from_continuous(law, h):
    """The least over ramps g of 3 E |eta(X) - g(X)| + 1.5 h (largest slope of g), bounded from above.

    g replaces every jump by a ramp of width w; eta and g differ there by half the jump at most.
    """
    places, jumps = np.array(law.edges[1:-1]), np.abs(np.diff(law.eta))
    widths = WIDTHS[WIDTHS <= np.diff(law.edges).min()][:, None]
    near = law.cdf(places + widths / 2) - law.cdf(places - widths / 2)
    return (3 * near @ jumps / 2 + 1.5 * h * jumps.max() / widths[:, 0]).min()


def greedy_from_the_right(places, radius):
    """`greedy` from right to left."""
    return greedy(places[::-1], radius)


def _log_mgf(scale, s):
    """log E exp(s noise), s > 0, of Laplace noise, from its tail; infinite from s = 1 / scale on.

    E exp(s noise) = 1 + s times the integral over z > 0 of (exp(s z) - exp(-s z)) exp(-z / scale) / 2.
    """
    if scale * s >= 1:
        return math.inf
    unit = scale / (1 - scale * s)                      # in which the integrand falls like exp(-u)
    grown = quad(lambda u: -math.exp(-u) * math.expm1(-2 * s * unit * u) / 2, 0, 60, epsrel=1e-11)[0]
    return math.log1p(s * unit * grown)


def _centred_log_mgf(probability, s):
    """log E exp(s (B - EB)) of a Bernoulli variable, without cancellation.

    Taylor's formula with integral remainder.

    The second derivative is the variance under exponential tilting, at most 1/4; that is Hoeffding's lemma.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    v = (nodes + 1) / 2
    tilted = probability * np.exp(s * v)
    tilted /= 1 - probability + tilted
    return s**2 * (weights / 2) @ ((1 - v) * tilted * (1 - tilted))

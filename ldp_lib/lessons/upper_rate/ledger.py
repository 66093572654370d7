"""The upper bound of Berrett & Butucea (2019), Theorem 2.4, executed."""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.nature import Problem, problem
from ldp_lib.nature.holder import TwoBoxes
from ldp_lib.nature.surveys import Tabulated
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.contour import smaller_side
from ldp_lib.risk.scores import cube_score
from ldp_lib.stage.ledger import Saboteur, Step, proves
from ldp_lib.theory.classification import ball_volume, checked_theta, theorem_bandwidth
from ldp_lib.theory.classification.upper import printed_constant
from ldp_lib.theory.rates import classification_exponent


@proves("2.4",
        Saboteur("Hölder", "300 jumps between 0 and 1 in place of three cusps",
                 lambda: JUMPS | {"law": problem("checkerboard", d=1, squares=300, flip=0.0)},
                 lambda: JUMPS | {"law": problem("holder", amplitude=0.5)}),
        Saboteur("margin", "a 25th of the slope, so that 25 times as many people are near 1/2",
                 lambda: CUSPS | {"law": problem("holder", amplitude=0.02), "L": 0.08},
                 lambda: CUSPS | {"law": problem("holder", amplitude=0.5), "L": 2.0}),
        Saboteur("strong density", "one person in 200 is in the left half of [0, 1]",
                 lambda: LEVEL | _in_bins((0.005, 0.995)), lambda: LEVEL | _in_bins((0.25, 0.75))),
        Saboteur("noise at most b", "ten times the noise", lambda: {"n": 10**10, "scale": 40.0},
                 lambda: {"n": 10**10, "scale": 0.4}),
        Saboteur("independent people", "a hundred people send the same report",
                 lambda: {"n": 10**10, "copies": 100}, lambda: {"n": 10**12}),
        Saboteur("alpha <= 1", "alpha = 10,000", lambda: {"alpha": 1e4, "n": 300},
                 lambda: {"alpha": 1e-4, "n": 3 * 10**18}),
        Saboteur("h <= 2 r0", "cubes that reach beyond [0, 1]", lambda: FLAT | {"n": 10},
                 lambda: FLAT | {"n": 10**13}))
@np.errstate(over="ignore")     # an infinite constant is refused
def ledger_2_4(n: int = 10**6, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0, d: int = 1,
               L: float = 1.0, C0: float | None = None, c0: float | None = None, mu: float = 1.0,
               r0: float = 0.5, shell: int = 1, law: Problem | None = None, *, scale: float | None = None,
               copies: int = 1):
    """The ledger of Theorem 2.4 at the theorem's h, with the corrections of errata 5 to 8.

    n : people in all.  alpha : nats; (3.1) needs alpha <= 1.  beta, gamma, d, L, C0, c0 (None: 4^-d), mu,
    r0 : the class; the step "radius" is the condition h / 2 <= r0 that the theorem omits.
    shell : j >= 1, the shell that is looked at; if nobody is in it, the nearest one with people.
    law : the subject, a law of the class, with boxes as shells: its eta depends on one coordinate, or is that
        of "holder". None: a law that crosses 1/2 once, as steep as L allows, eta(x) = x_1 at the defaults
        (`nature.holder.TwoBoxes`); C0 = None is the least for that law.
    scale : what the noise really is, None: b = 2^(d+1) / alpha.  copies : so many people send one report.

    What is said of the law is exact: its masses in cubes, cells and shells, the law of the score, and the
    risk, part by part. The steps of `CHAIN` lead from the risk to the printed bound. Four of them are
    algebra, because no law could break them: an error probability is at most 1, numbers are rounded to the
    edges of shells, and shells in which nobody is are added.
    """
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    alpha, j = real("alpha", alpha, above=0), whole("shell", shell, most=100)
    theta = checked_theta(beta, gamma, d, L, 1.0 if C0 is None else C0, c0, mu, r0)
    volume = ball_volume(theta.d)
    if theta.c0 * theta.mu * volume * theta.r0**theta.d > 1 + 1e-9:
        raise ValueError(
            f"r0 = {theta.r0:g} is too large: balls of that radius would hold at least c0 mu V r0^d = "
            f"{theta.c0:g} * {theta.mu:g} * {volume:g} * {theta.r0**theta.d:g} > 1 of the people, and no law "
            "is in the class. Lower r0, c0 or mu.")
    subject = "two boxes" if law is None else repr(law)
    if law is None:
        law, theta = _own_law(theta, C0)
    elif not isinstance(law, Problem) or law.d != theta.d or C0 is None:
        raise ValueError(f"law = {law!r:.60} and C0 = {C0} do not fit; a law is a Problem of "
                         f"ldp_lib.nature with d = {theta.d} features, and C0 > 0 its margin constant.")
    beta, gamma, d, L, C0, c0, mu, r0 = theta
    h, root = theorem_bandwidth(n, alpha, beta, d, L, mu), math.sqrt(d)
    if (1 + 1 / h) ** d > MOST_CELLS:
        raise ValueError(f"h = {h:.3g} is too small for this ledger, which integrates over {MOST_CELLS:,} "
                         f"cells at most; lower n = {n:g}, alpha = {alpha:g}, L = {L:g}, mu = {mu:g} or "
                         f"d = {d}.")
    bound = math.log(printed_constant(beta, gamma, d, c0)) + math.log(C0) + (1 + gamma) / (d + beta) * (
        d * math.log(L) - beta / 2 * math.log(half * alpha**2 * mu**2))
    if not bound < LARGEST:
        raise ValueError(f"gamma = {gamma:g} is too large here: the printed bound, e^{bound:.4g}, is no "
                         f"float; lower gamma or C0 = {C0:g}, or raise c0 = {c0:g}.")
    mechanism = CubeLaplace(alpha, h, d, "real")
    scale = mechanism.scale if scale is None else real("scale", scale, above=0)
    lam = L * (2 * h * root) ** beta
    pieces = _pieces(law, mechanism, lam, max(1, half // whole("copies", copies)), scale)
    ball, rate = c0 * mu * volume * (h / 2) ** d, half * alpha**2 / 2 ** (2 * d + 6)

    def near(t):
        """P(0 < |eta(X) - 1/2| <= t) at most."""
        return np.exp(math.log(C0) + gamma * np.log(t))

    def exponential(mean):
        """(3.1) at a mean of T_n on its right side; 1 on the wrong one."""
        return np.exp(-rate * np.maximum(mean, 0) ** 2)

    inner, outer = pieces.shell == 0, pieces.shell > 0
    j = min(np.unique(pieces.shell[outer]).tolist(), key=lambda found: abs(found - j), default=j)
    here, edge, edges = pieces.shell == j, 2.0**j * lam, 2.0**pieces.shell * lam
    promised = exponential(ball * (edge - lam))
    beyond = np.abs(pieces.away) >= lam
    far, gained = (values[beyond] for values in (np.abs(pieces.away), np.sign(pieces.away) * pieces.mean))

    near_half = law.margin_law(2 * lam) if hasattr(law, "margin_law") else pieces.p[inner].sum()

    def summed(errors):
        """The bound with these error probabilities in the outer shells, and 1 in shell 0."""
        return 4 * lam * near_half + (4 * edges * pieces.p * errors)[outer].sum()

    # The edges of all shells below 1/2; in the first one errors are certain.
    ladder = lam * 2.0 ** np.arange(max(1, math.ceil(math.log2(0.5 / lam))))
    rounded = ball * min(1.0, 1 / volume) / 2
    certain = np.where(ladder > lam, exponential(rounded * ladder), 1.0)
    bounds = (pieces.risk.sum(), pieces.margin[inner].sum() + pieces.risk[outer].sum(), summed(pieces.wrong),
              summed(exponential(np.sign(pieces.away[0]) * pieces.mean)),
              summed(exponential(pieces.cube * (edges - lam))), summed(exponential(ball * (edges - lam))),
              summed(exponential(rounded * edges)),
              (4 * ladder * near(2 * ladder) * certain).sum(), math.exp(bound))

    density, noise = ("strong density", "h <= 2 r0"), ("noise at most b", "independent people", "alpha <= 1")
    all_but_margin = ("Hölder", *density, *noise)
    links = (("in shell 0 the label may be wrong", ()),
             ("an error costs at most what it does at the outer edge of its shell", ()),
             ("P(wrong side) <= exp(-n' alpha^2 |E T_n|^2 / 2^(2d+6)) in the sum over the shells", noise),
             ("P(X in cube*) (2^j - 1) Lam <= |E T_n| there", ("Hölder",)),
             ("c0 mu V (h/2)^d <= P(X in cube*) there", density),
             ("min(1, V) <= V and 2^(j-1) <= 2^j - 1 there, errata 5 and 6", ()),
             ("P(shell j) <= C0 (2^(j+1) Lam)^gamma there, for all that begin below 1/2", ("margin",)),
             ("the other shells, where nobody is, make it the printed bound", ()))
    everybody = "the people of the law"
    steps = (
        Step("radius", "h / 2 <= r0: regularity is known at this radius", mechanism.h / 2, r0,
             "omitted from the theorem, errata 8", subject="a cube", uses=("h <= 2 r0",)),
        Step("ball", "c0 mu V (h/2)^d <= P(X in cube*)", ball, pieces.cube.min(), ", with errata 6",
             subject="the cube with the fewest people", uses=density),
        Step("distance", "|E[eta(X) - eta(x0) | X in cube*]| <= L (1.5 h sqrt(d))^beta",
             np.abs(pieces.mean / pieces.cube - pieces.away).max(), L * (1.5 * h * root) ** beta,
             ", errata 7", subject="the place of the largest bias", uses=("Hölder",)),
        Step("(3.3)", "c0 mu V (h/2)^d (|eta(x0) - 1/2| - Lam) <= |E T_n|, with the sign of eta(x0) - 1/2",
             *_worst(ball * (far - lam), gained), subject="the worst place with |eta(x0) - 1/2| >= Lam",
             uses=("Hölder", *density)),
        Step("tail", "n' alpha^2 |E T_n|^2 / 2^(2d+6) <= -log P(wrong side of 0)",
             *_worst(rate * pieces.mean**2, -pieces.log_tail), "(3.1), exact tail", subject="the worst cube",
             uses=noise),
        Step("wrong side", "P(wrong side) <= exp(-n' alpha^2 [c0 mu V (h/2)^d (2^j - 1) Lam]^2 / 2^(2d+6))",
             pieces.wrong[here].max(initial=0), promised, subject="the worst cube of shell j",
             uses=all_but_margin),
        Step("shell mass", "P(shell j) <= C0 (2^(j+1) Lam)^gamma", pieces.p[here].sum(),
             near(2 * edge), "margin condition", subject=everybody, uses=("margin",)),
        Step("shell 0", "the risk in shell 0 <= 4 Lam C0 (2 Lam)^gamma", pieces.risk[inner].sum(),
             4 * lam * near(2 * lam), subject=everybody, uses=("margin",)),
        Step("shell j", "the risk in shell j <= 2^(j+2) Lam P(shell j) exp(-...), as above",
             pieces.risk[here].sum(), 4 * edge * pieces.p[here].sum() * promised, subject=everybody,
             uses=all_but_margin),
        *(Step(name, claim, left, right, subject=everybody if uses else "", uses=uses)
          for name, (claim, uses), left, right in zip(CHAIN, links, bounds[:-1], bounds[1:], strict=True)),
        Step("whole", "the exact risk <= A C0 {L^d / (n' alpha^2 mu^2)^(beta/2)}^((1+gamma)/(d+beta))",
             bounds[0], bounds[-1], subject=everybody, uses=("margin", *all_but_margin), certain=1.0),
    )
    return {"n": 2 * half, "alpha": alpha, **theta._asdict(), "shell": j, "law": subject}, steps


CHAIN = ("shell 0 given up", "edges", "(3.1), summed", "Hölder term", "density", "rounding", "margin",
         "all shells")
"""The steps from the exact risk to the printed bound: the right side of each is the left one of the next."""
MOST_CELLS = 10_000
"""Cells of the classifier that a ledger integrates over, in a second."""
SCAN = 1024
"""Intervals in which the edges of shells are looked for; eight a cell, if that is more."""
HALVINGS = 40
"""Of such an interval, to the last digit but three."""
LARGEST = 700.0
"""Logarithm of the largest number in a ledger."""
NOBODY = 1e-12
"""A box of less mass counts as empty: differences of cumulative masses are as inexact."""


class Pieces(NamedTuple):
    """Boxes of people, each in one cell of the classifier and one shell of |eta - 1/2|; arrays (m,)."""

    shell: np.ndarray
    """-1 where eta = 1/2; else j >= 0, |eta - 1/2| being in (2^j Lam, 2^(j+1) Lam], from 0 on for j = 0."""
    p: np.ndarray
    """P(X in piece)."""
    margin: np.ndarray
    """E[|2 eta(X) - 1|; X in piece]."""
    away: np.ndarray
    """eta - 1/2 in the middle and at two corners, (3, m)."""
    cube: np.ndarray
    """P(X in cube*), of the cell's cube."""
    mean: np.ndarray
    """E T_n of that cube."""
    log_tail: np.ndarray
    """The logarithm of P(T_n on the side of 0 where its mean is not)."""
    wrong: np.ndarray
    """P(T_n on the side of 0 where eta - 1/2 is not)."""
    risk: np.ndarray
    """The part of the excess risk."""


def _crossings(law, levels, intervals):
    """For every axis, where eta - 1/2 leaves 0 or passes a level, above or below, along the diagonal.

    On axes on which eta does not depend there is no such place.
    """
    def away(t, without=None):
        points = np.repeat(t[:, None], law.d, axis=1)
        if without is not None:
            points[:, without] = 0.0
        return law.eta(points) - 0.5

    scan = np.linspace(0, 1, intervals + 1)
    values, found = away(scan), []
    for size, limits in ((np.abs, np.zeros(1)), (np.positive, levels), (np.negative, levels)):
        beyond = size(values) > limits[:, None]
        level, place = np.nonzero(beyond[:, 1:] != beyond[:, :-1])
        if not place.size:
            continue
        low, high, start = scan[place], scan[place + 1], beyond[level, place]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            same = (size(away(middle)) > limits[level]) == start
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        found.extend(high)
    moves = [(away(scan, axis) != values).any() for axis in range(law.d)]
    return [np.array(found if move else []) for move in moves]


def _pieces(law, mechanism, lam, people, scale):
    """The `Pieces` of a law and of the score of `people` in each half with noise of that scale; exact.

    The law is cut into boxes along the axes where |eta - 1/2| enters a shell, and refused if its shells are
    no such boxes.
    """
    h, last = mechanism.h, mechanism.shape[0] - 1
    outer = 2 * lam * 2.0 ** np.arange(max(0, math.ceil(math.log2(0.25 / lam))))
    cuts = [np.unique([0.0, 1.0, *edges[edges < 1]]) for edges in (
        np.concatenate([(np.arange(last + 1) + 0.5) * h, crossings])
        for crossings in _crossings(law, outer, max(SCAN, 8 * last)))]
    lower, upper = (np.stack(np.meshgrid(*corner, indexing="ij"), axis=-1).reshape(-1, law.d)
                    for corner in ([edges[:-1] for edges in cuts], [edges[1:] for edges in cuts]))
    p, q, margin = law.masses(lower, upper)
    lower, upper, p, q, margin = (values[p > NOBODY] for values in (lower, upper, p, q, margin))
    away = np.stack([law.eta(lower + share * (upper - lower)) - 0.5 for share in (0.5, 1e-6, 1 - 1e-6)])
    edge = lam * 2.0 ** np.maximum(0, np.ceil(np.log2(np.maximum(np.abs(away[0]), lam) / lam)) - 1)
    size, drift, room = margin / 2 / p, np.abs(q / p - 0.5), 1e-9 * edge + NOBODY / p
    least, most = np.minimum(np.abs(away).min(axis=0), size), np.maximum(np.abs(away).max(axis=0), size)
    mixed = (most > 2 * edge + room) | (edge > lam) & (np.minimum(least - edge, drift - size) < -room)
    level = (away == 0).all(axis=0)
    # The Cantor sets of "holder" have some mass in floats, and a hypercube has cells of both kinds:
    # `margin_law` knows how many people have eta = 1/2.
    if mixed.any() or (level & (size > room)).any() and not hasattr(law, "margin_law"):
        raise ValueError(f"law = {law!r:.60} has shells of |eta - 1/2| that are no boxes; this ledger "
                         "integrates laws whose eta depends on one coordinate (in d = 1 all of them), or on "
                         'the largest ones, as that of problem("holder").')
    shell = np.where(level & (size <= room), -1, np.rint(np.log2(edge / lam))).astype(int)

    # The score of every cell with people in it, once.
    nearest = np.minimum(np.floor((lower + upper) / 2 / h + 0.5).astype(int), last)
    cells, place = np.unique(np.ravel_multi_index(nearest.T, mechanism.shape), return_inverse=True)
    cube, ones = law.cell_masses(*(corner[cells] for corner in mechanism.boxes()[0]))
    below, tail = smaller_side(cube_score(*np.broadcast_arrays(float(people), cube, ones, scale), 0.0))
    small = np.exp(tail)
    zero, one = np.where(below, [small, 1 - small], [1 - small, small])[:, place]
    wrong = np.where(away[0] > 0, zero, one)
    # In shell 0 eta may cross 1/2; where it is 1/2, differences of masses are rounding errors.
    margin = np.where(shell < 0, 0.0, margin)
    tilt = np.clip(2 * q - p, -margin, margin)
    risk = np.where(shell > 0, margin * wrong, ((margin + tilt) * zero + (margin - tilt) * one) / 2)
    return Pieces(shell, p, margin, away, cube[place], (ones - cube / 2)[place], tail[place], wrong, risk)


def _own_law(theta, C0):
    """A law that crosses 1/2 once, as steep as L lets it be, and its class; C0 = None: the least.

    Its margin exponent is gamma, or 1/16 if that is more, which is allowed.
    """
    classification_exponent(theta.beta, theta.gamma, theta.d)
    exponent = max(theta.gamma, 1 / 16)
    steepest = TwoBoxes(theta.beta, exponent, theta.d, 0.5)
    amplitude = 0.5 * min(1.0, theta.L / steepest.theta.L)
    if -exponent * math.log(amplitude) > LARGEST:
        raise ValueError(f"gamma = {theta.gamma:g} is too large for L = {theta.L:g}: the margin constant of "
                         "a law so flat is no float. Lower gamma or raise L.")
    law, least = TwoBoxes(theta.beta, exponent, theta.d, amplitude), amplitude**-theta.gamma
    if C0 is not None and theta.C0 < least * (1 - 1e-12):
        raise ValueError(f"C0 = {C0:g} is out of range; with L = {theta.L:g} the ledger's own law is in the "
                         f"class if C0 >= {least:g}. Raise C0 or L, or give a law.")
    for name in ("c0", "r0", "mu"):
        value, most = getattr(theta, name), getattr(law.theta, name)
        if value > most:
            raise ValueError(f"{name} = {value:g} is out of range; the ledger's own law is in the class if "
                             f"{name} <= {most:g}. Lower {name}, or give a law.")
    return law, theta if C0 is not None else theta._replace(C0=least)


def _worst(left, right):
    """Of pairs left <= right that which is nearest to fail; (0, 0) if there is none."""
    if not left.size:
        return 0.0, 0.0
    place = np.where(left > 0, left / np.maximum(right, 1e-300), 0).argmax()
    return left[place], right[place]


def _in_bins(people):
    """Arguments with the law of so many people in bins of [0, 1], all of them with Y = 1."""
    return {"law": Tabulated("level", people, people, {"people": people})}


JUMPS = {"n": 10**10, "L": 2.0, "C0": 3.0, "c0": 0.5, "shell": 5}
CUSPS = {"n": 10**14, "C0": 3.0, "c0": 0.5}
LEVEL = {"n": 10**12, "L": 1e-3, "C0": 2.0, "mu": 0.5, "shell": 12}
FLAT = _in_bins((1, 1)) | {"L": 1e-6, "C0": 2.0, "c0": 0.5, "r0": 1.0, "shell": 8}
"""Classes at which the assumptions are taken away."""

"""The upper bound of Berrett & Butucea (2019), Theorem 2.4, executed."""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.nature import problem
from ldp_lib.nature.base import Problem
from ldp_lib.nature.holder import TwoBoxes
from ldp_lib.nature.surveys import Tabulated
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk.contour import smaller_side
from ldp_lib.risk.exact import check_problem
from ldp_lib.risk.scores import cube_score
from ldp_lib.theory.classification import ball_volume, checked_theta, theorem_bandwidth
from ldp_lib.theory.classification.upper import printed_constant
from ldp_lib.theory.proofs.steps import Saboteur, Step, proves
from ldp_lib.theory.rates import classification_exponent

CHAIN = ("shell 0 given up", "edges", "(3.1), summed", "Hölder term", "density", "rounding", "margin", "all shells")
"""The steps from the exact risk to the printed bound: the right side of each is the left one of the next."""
MOST_PIECES = 300_000
"""Boxes into which a ledger cuts [0, 1]^d; it takes about a second for so many."""
SCAN = 1024
"""Intervals in which a shell's edge is looked for; more where cells are narrower than eight of them."""
NOBODY = 1e-12
"""A box of less mass counts as empty: differences of cumulative masses are as inexact."""


class TenthOfTheBudget(CubeLaplace):
    """The noise of alpha / 10."""

    def __init__(self, alpha, h, d):
        super().__init__(alpha / 10, h, d)


class TenTimesTheBudget(CubeLaplace):
    """The noise of 10 alpha."""

    def __init__(self, alpha, h, d):
        super().__init__(10 * alpha, h, d)


class Pieces(NamedTuple):
    """Boxes with people in them, each in one cell of the classifier and one shell of |eta - 1/2|; (m,)."""

    cell: np.ndarray
    """The grid point."""
    p: np.ndarray
    """P(X in piece)."""
    tilt: np.ndarray
    """E[2 eta(X) - 1; X in piece]."""
    margin: np.ndarray
    """E[|2 eta(X) - 1|; X in piece]."""
    away: np.ndarray
    """eta - 1/2 in the middle and at two corners, (3, m)."""


def _crossings(law, levels, size):
    """Where eta - 1/2 passes one of +-levels or 0 along the diagonal of the cube, to 15 digits."""

    def away(t):
        return law.eta(np.repeat(t[:, None], law.d, axis=1)) - 0.5

    scan = np.linspace(0, 1, max(SCAN, 8 * size) + 1)
    beyond = np.array([0.0, *levels])[:, None]
    values = away(scan)
    found = []
    for sign in (1, -1):
        inside = sign * values > beyond
        level, place = np.nonzero(inside[:, 1:] != inside[:, :-1])
        low, high, start = scan[place], scan[place + 1], inside[level, place]
        for _ in range(40 if level.size else 0):
            middle = (low + high) / 2
            same = (sign * away(middle) > beyond[level, 0]) == start
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        found.append(high)
    return np.concatenate(found)


def _pieces(law, mechanism, lam):
    """The `Pieces` of a law, its shells beginning at 2 lam: exact if eta depends on one coordinate, or on
    the largest ones, as that of "holder" does."""
    h, last = mechanism.h, mechanism.shape[0] - 1
    doublings = max(0, math.ceil(math.log2(0.5 / lam)))
    levels = lam * 2.0 ** np.arange(1, doublings + 1)
    cuts = np.concatenate([[0.0, 1.0], (np.arange(last + 1) + 0.5) * h, _crossings(law, levels, last)])
    cuts = np.unique(cuts[cuts <= 1])
    if (len(cuts) - 1.0) ** law.d > MOST_PIECES:
        raise ValueError(f"n or alpha is too large for this ledger: at the theorem's h = {h:.3g} it would "
                         f"integrate over {(len(cuts) - 1.0) ** law.d:.3g} boxes, more than {MOST_PIECES:,}. "
                         "Lower n or d.")
    index = np.indices((len(cuts) - 1,) * law.d).reshape(law.d, -1).T
    lower, upper = cuts[index], cuts[index + 1]
    p, q, margin = law.masses(lower, upper)
    there = p > NOBODY
    lower, upper, p, q, margin = (side[there] for side in (lower, upper, p, q, margin))
    away = np.stack([law.eta(lower + share * (upper - lower)) - 0.5 for share in (0.5, 1e-6, 1 - 1e-6)])
    nearest = np.minimum(np.floor((lower + upper) / 2 / h + 0.5).astype(int), last)
    return Pieces(np.ravel_multi_index(nearest.T, mechanism.shape), p, 2 * q - p, margin, away)


def _shells(law, pieces, lam):
    """The shell of each piece, -1 where eta = 1/2; a law that is not cut along its shells is refused."""
    size = np.abs(pieces.away[0])
    shell = np.maximum(0, np.ceil(np.log2(np.maximum(size, lam) / lam)) - 1).astype(int)
    shell[(pieces.away == 0).all(axis=0)] = -1
    outer = shell > 0
    mean, edge = pieces.margin[outer] / 2, pieces.p[outer] * lam * 2.0 ** shell[outer]
    room = 1e-9 * edge + NOBODY
    if ((mean < edge - room) | (mean > 2 * edge + room)
            | (np.abs(np.abs(pieces.tilt[outer]) / 2 - mean) > room)).any():
        raise ValueError(f"law = {law!r:.60} has shells of |eta - 1/2| that are no boxes; this ledger "
                         "integrates laws whose eta depends on one coordinate (any law in d = 1), or on the "
                         'largest, as that of problem("holder").')
    return shell


def _own_law(theta):
    """A law of the class that crosses 1/2, as steep as L lets it be.

    Its margin exponent is gamma, or 1/16 if that is more, which is allowed.
    """
    classification_exponent(theta.beta, theta.gamma, theta.d)
    exponent = max(theta.gamma, 1 / 16)
    law = TwoBoxes(theta.beta, exponent, theta.d, 0.5)
    law = TwoBoxes(theta.beta, exponent, theta.d, min(0.5, 0.5 * theta.L / law.theta.L))
    known = law.theta
    for name, value, limit in (("c0", theta.c0, known.c0), ("r0", theta.r0, known.r0),
                               ("mu", theta.mu, known.mu)):
        if value > limit:
            raise ValueError(f"{name} = {value:g} is out of range; the ledger's own law is in the class if "
                             f"{name} <= {limit:g}. Lower {name}, or give a law.")
    return law


def _worst(left, right):
    """The pair of left <= right, arrays, that is nearest to fail, (0, 0) if there is none."""
    if not left.size:
        return 0.0, 0.0
    place = np.where(left > 0, left / np.maximum(right, 1e-300), 0).argmax()
    return left[place], right[place]


def _level(u, people=(1.0, 1.0)):
    """A law with eta = 1/2 + u wherever people are, and as many in bins of [0, 1] as `people` says."""
    weights = np.asarray(people)
    return Tabulated("level", weights, (0.5 + u) * weights, {"u": u, "people": people})


STEEP = {"n": 10**10, "L": 2.0, "C0": 3.0, "c0": 0.5, "shell": 5}
THIN = {"n": 10**12, "L": 1e-3, "C0": 2.0, "mu": 0.5, "shell": 12}
FLAT = {"L": 1e-6, "C0": 2.0, "r0": 1.0, "c0": 0.5, "shell": 8}
CUSPS = {"C0": 3.0, "c0": 0.5, "n": 10**14}


@proves("2.4",
        Saboteur("Hölder", "eta jumps between 0 and 1", lambda: STEEP | {
            "law": problem("checkerboard", d=1, squares=300, flip=0.0)}, lambda: STEEP | {
            "law": problem("holder", amplitude=0.5)}),
        Saboteur("margin", "a fiftieth of the slope, and fifty times as many people near 1/2", lambda: CUSPS | {
            "law": problem("holder", amplitude=0.02), "L": 0.08}, lambda: CUSPS | {
            "law": problem("holder", amplitude=0.5), "L": 2.0}),
        Saboteur("strong density", "half of [0, 1] holds one person in 200", lambda: THIN | {
            "law": _level(0.5, (0.005, 0.995))}, lambda: THIN | {
            "law": _level(0.5, (0.25, 0.75))}),
        Saboteur("noise scale", "the noise of a tenth of the budget", lambda: {
            "mechanism": TenthOfTheBudget, "n": 10**10}, lambda: {
            "mechanism": TenTimesTheBudget, "n": 10**10}),
        Saboteur("alpha <= 1", "alpha = 10,000", lambda: {"alpha": 1e4, "n": 300},
                 lambda: {"alpha": 1e-4, "n": 3 * 10**18}),
        Saboteur("h <= 2 r0", "cubes that reach beyond [0, 1]^d", lambda: FLAT | {
            "law": _level(0.5), "n": 10}, lambda: FLAT | {"law": _level(0.5), "n": 10**13}))
def ledger_2_4(n: int = 10**6, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0, d: int = 1,
               L: float = 1.0, C0: float | None = None, c0: float | None = None, mu: float = 1.0,
               r0: float = 0.5, shell: int = 1, law: Problem | None = None,
               mechanism: type[CubeLaplace] = CubeLaplace):
    """The ledger of Theorem 2.4 at the theorem's h, with the corrections of errata 5 to 8.

    n : people in all.  alpha : nats; (3.1) needs alpha <= 1.  beta, gamma, d, L, C0, c0 (None: 4^-d), mu,
    r0 : the class; the step "radius" is the condition h / 2 <= r0 that the theorem omits.
    shell : j >= 1, the shell that is looked at; if it holds nobody, the next one below that does.
    law : the subject, any law of the class that `_pieces` can integrate. None: `nature.holder.TwoBoxes`,
        which crosses 1/2 once, as steep as L allows; it is x_1 at the defaults. C0 = None is for that law:
        the least that holds it.
    mechanism : the class of the reports.

    What the left sides say of the law is exact: its masses in the cubes, in the cells and in the shells, and
    the risk in each. The steps of `CHAIN` lead from the exact risk to the printed bound; those that use
    nothing are algebra: an error probability is at most 1, and numbers are rounded to the edges of shells.
    """
    half = whole("n", n, least=2, cure="Both halves of the sample need a person.") // 2
    alpha, j = real("alpha", alpha, above=0), whole("shell", shell, most=100)
    theta = checked_theta(beta, gamma, d, L, 1.0 if C0 is None else C0, c0, mu, r0)
    subject = "two boxes" if law is None else repr(law)
    if law is None:
        law = _own_law(theta)
        least = law.amplitude**-theta.gamma
        if C0 is None:
            theta = theta._replace(C0=least)
        elif theta.C0 < least * (1 - 1e-12):
            raise ValueError(f"C0 = {C0:g} is out of range; the ledger's own law is in the class if C0 >= "
                             f"{least:g}. Raise C0, or give a law.")
    elif C0 is None:
        raise ValueError("C0 = None is for the ledger's own law; give the margin constant of your law, > 0.")
    check_problem(law)
    beta, gamma, d, L, C0, c0, mu, r0 = theta
    if law.d != d:
        raise ValueError(f"law has d = {law.d}, and d = {d}; give the law as many features as d says.")
    volume, root = ball_volume(d), math.sqrt(d)
    if c0 * mu * volume * r0**d > 1 + 1e-9:
        raise ValueError(
            f"r0 = {r0:g} is too large: balls of that radius would hold at least c0 mu V r0^d = {c0:g} * "
            f"{mu:g} * {volume:g} * {r0**d:g} = {c0 * mu * volume * r0**d:.3g} > 1 of the people, and no law "
            "is in the class. Lower r0, c0 or mu.")
    h = theorem_bandwidth(n, alpha, beta, d, L, mu)
    lam, nearest = L * (2 * h * root) ** beta, L * (1.5 * h * root) ** beta
    mass = c0 * mu * volume * (h / 2) ** d
    rate = half * alpha**2 / 2 ** (2 * d + 6)

    noisy = mechanism(alpha, h, d)
    pieces = _pieces(law, noisy, lam)
    shells = _shells(law, pieces, lam)
    cell, p, margin, away = pieces.cell, pieces.p, pieces.margin, pieces.away
    # The cubes of the cells that hold people, each once, and what the score does there.
    cells, place = np.unique(cell, return_inverse=True)
    lower, upper = (edge[cells] for edge in noisy.boxes()[0])
    cube, ones = law.cell_masses(lower, upper)
    mean = ones - cube / 2
    ends = smaller_side(cube_score(np.full(len(cells), float(half)), cube, ones,
                                   np.full(len(cells), noisy.noise.scale), noisy.noise.granularity))
    logs = ends[1]
    small = np.exp(logs)
    below = np.where(ends[0], small, 1 - small)
    # By pieces from here on: P(wrong side), the mean of the score towards the right side, the exact risk.
    side = np.sign(away[0])
    wrong = np.where(side > 0, below[place], 1 - below[place])
    wrong = np.where(side * mean[place] > 0, small[place], wrong)
    towards, width = side * mean[place], cube[place]
    risk = (margin + pieces.tilt) / 2 * below[place] + (margin - pieces.tilt) / 2 * (1 - below[place])
    inner, outer = shells == 0, shells > 0
    while j > 1 and not (shells == j).any():
        j -= 1
    here = shells == j
    edges = 2.0 ** shells * lam
    given_up = 4 * lam * p[inner].sum()

    def summed(errors):
        """The bound with these error probabilities in the outer shells."""
        return given_up + (4 * edges * p * errors)[outer].sum()

    def exponential(means):
        return np.exp(-rate * np.maximum(means, 0) ** 2)

    exact = risk.sum()
    # Shell 0, where errors are certain, and those that begin below 1/2.
    ladder = lam * 2.0 ** np.arange(max(1, math.ceil(math.log2(0.5 / lam))))
    errors = exponential(mass * min(1.0, 1 / volume) * ladder / 2)
    errors[0] = 1.0
    bounds = (exact, margin[inner].sum() + risk[outer].sum(), summed(wrong), summed(exponential(towards)),
              summed(exponential(width * (edges - lam))), summed(exponential(mass * (edges - lam))),
              summed(exponential(mass * min(1.0, 1 / volume) * edges / 2)),
              (4 * ladder * C0 * (2 * ladder) ** gamma * errors).sum())
    printed = printed_constant(beta, gamma, d, c0) * C0 * (
        L**d / (half * alpha**2 * mu**2) ** (beta / 2)) ** ((1 + gamma) / (d + beta))
    edge = 2**j * lam
    promised = math.exp(-rate * (mass * (edge - lam)) ** 2)
    density, noise = ("strong density", "h <= 2 r0"), ("noise scale", "alpha <= 1")
    all_but_margin = ("Hölder", *density, *noise)
    beyond = np.abs(away) >= lam
    far, gained = np.abs(away)[beyond], (np.sign(away) * mean[place])[beyond]
    words = {"shell 0 given up": ("in shell 0 the label may be wrong", ()),
             "edges": ("an error costs at most what it does at the outer edge of its shell", ()),
             "(3.1), summed": ("P(wrong side) <= exp(-n' alpha^2 |E T_n|^2 / 2^(2d+6)) in the sum", noise),
             "Hölder term": ("P(X in cube*) (2^j - 1) Lam for |E T_n| in the sum", ("Hölder",)),
             "density": ("c0 mu V (h/2)^d for P(X in cube*) in the sum", density),
             "rounding": ("min(1, V) for V and 2^(j-1) for 2^j - 1, errata 5 and 6", ()),
             "margin": ("C0 (2^(j+1) Lam)^gamma for P(shell j), j = 0 to the last below 1/2", ("margin",)),
             "all shells": ("with those beyond 1/2, where there is nobody, the sum is "
                            "A C0 {L^d / (n' alpha^2 mu^2)^(beta/2)}^((1+gamma)/(d+beta))", ())}
    people = "the people of the law"
    steps = (
        Step("radius", "h / 2 <= r0: regularity is known at this radius", noisy.h / 2, r0,
             "omitted from the theorem, errata 8", subject="a cube of the mechanism", uses=("h <= 2 r0",)),
        Step("ball", "c0 mu V (h/2)^d <= P(X in cube*)", mass, cube.min(), ", with errata 6",
             subject="the cube with the fewest people", uses=density),
        Step("distance", "|E[eta(X) - eta(x0) | X in cube*]| <= L (1.5 h sqrt(d))^beta",
             np.abs(mean[place] / width - away).max(), nearest, ", errata 7",
             subject="the place of the largest bias", uses=("Hölder",)),
        Step("(3.3)", "c0 mu V (h/2)^d (|eta(x0) - 1/2| - Lam) <= |E T_n|, E T_n on the side of eta(x0)",
             *_worst(mass * (far - lam), gained), subject="the worst place beyond Lam",
             uses=("Hölder", *density)),
        Step("tail", "n' alpha^2 |E T_n|^2 / 2^(2d+6) <= -log P(wrong side of 0)",
             *_worst(rate * mean**2, -logs), "(3.1), exact tail", subject="the worst cube", uses=noise),
        Step("wrong side", "P(wrong side) <= exp(-n' alpha^2 [c0 mu V (h/2)^d (2^j - 1) Lam]^2 / 2^(2d+6))",
             wrong[here].max(initial=0), promised, subject="the worst cube of shell j", uses=all_but_margin),
        Step("shell mass", "P(shell j) <= C0 (2^(j+1) Lam)^gamma", p[here].sum(), C0 * (2 * edge) ** gamma,
             "margin condition", subject=people, uses=("margin",)),
        Step("shell 0", "the risk in shell 0 <= 4 Lam C0 (2 Lam)^gamma", risk[inner].sum(),
             4 * lam * C0 * (2 * lam) ** gamma, subject=people, uses=("margin",)),
        Step("shell j", "the risk in shell j <= 2^(j+2) Lam P(shell j) exp(-...)", risk[here].sum(),
             4 * edge * p[here].sum() * promised, subject=people, uses=all_but_margin),
        *(Step(name, words[name][0], left, right, subject=words[name][1] and people, uses=words[name][1])
          for name, left, right in zip(CHAIN, bounds, (*bounds[1:], printed), strict=True)),
        Step("whole", "the exact risk <= A C0 {L^d / (n' alpha^2 mu^2)^(beta/2)}^((1+gamma)/(d+beta))", exact,
             printed, subject=people, uses=("margin", *all_but_margin)),
    )
    return {"n": 2 * half, "alpha": alpha, **theta._asdict(), "shell": j, "law": subject,
            "mechanism": mechanism.__name__}, steps

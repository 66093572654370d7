"""The lower bound of Berrett & Butucea (2019), Theorem 2.5, executed.

Three subjects. A vertex of the *hypercube* is in the class, and as hard to learn as the proof says. *Few
people* report through given mechanisms, with interaction and without, about a small hypercube; the laws of
all their reports are enumerated. The *dominating pair* (`ldp_lib.theory.contraction`) stands for every
mechanism where there are n people.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, real, whole, wrong_kind
from ldp_lib.nature import problem
from ldp_lib.nature.hypercube import BUMPS, Hypercube
from ldp_lib.stage.ledger import Saboteur, Step, equation, proves, tightest
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.lower import regularity, working_constants
from ldp_lib.theory.contraction import (
    contraction_constant, dominating_pair, indistinguishability, randomised_response,
    reports_total_variation, staircase, subsets, total_variation,
)
from ldp_lib.theory.rates import classification_exponent


@proves("2.5",
        Saboteur("Hölder", "bumps four times as high", lambda: _on_hypercube(32, 1, 1 / 256, 4.0),
                 lambda: _on_hypercube(32, 1, 1 / 256, 4.0, L=4.0)),
        Saboteur("L C_phi <= 1", "bumps of height 2",
                 lambda: {"law": taller(_cube(1, 1, 1 / 16, 8.0), 2), "n": 1, "L": 16.0},
                 lambda: _on_hypercube(1, 1, 1 / 16, 8.0, n=1, L=16.0)),
        Saboteur("margin", "twice the people in active cells", lambda: _on_hypercube(32, 1, 1 / 128),
                 lambda: _on_hypercube(32, 1, 1 / 128, C0=4.0)),
        Saboteur("m w <= 1/2", "nearly all people in active cells",
                 lambda: _on_hypercube(32, 32, 0.999 / 32, gamma=0.0),
                 lambda: _on_hypercube(32, 32, 0.499 / 32, gamma=0.0)),
        Saboteur("regular support", "people on an eighth of their cube",
                 lambda: _with_people_elsewhere(Needle), lambda: _with_people_elsewhere(Narrow)),
        Saboteur("plateau", "people also where bumps fall to 0",
                 lambda: _with_people_elsewhere(Broad), lambda: _with_people_elsewhere(Narrow)),
        Saboteur("private reports", "six times the budget",
                 lambda: _with_budget_times(6.0), lambda: _with_budget_times(0.2)),
        Saboteur("independent people", "one person reports five times",
                 lambda: _with_five_reports(same_person), lambda: _with_five_reports(half_outside)),
        Saboteur("mechanism without the signs", "a report on a hidden sign",
                 lambda: _with_few_people(protocols={"sign 1": informed(lambda signs: signs)}),
                 lambda: _with_few_people(protocols={"a guess": informed(lambda signs: (1,))})),
        Saboteur("analyst without the signs", "the true signs are told",
                 lambda: _with_few_people(analyst=lambda reports, signs: signs[:, None]),
                 lambda: _with_few_people(analyst=lambda reports, signs: np.ones_like(signs[:1, None]))),
        Saboteur("fine cells", "one cell for a million people",
                 lambda: _in_few_cells(10**6, 1.0, 1), lambda: _in_few_cells(10**6, 1.0, 40)),
        Saboteur("alpha <= 1", "a budget of 10",
                 lambda: _in_few_cells(10**4, 10.0, 32), lambda: _in_few_cells(10**6, 1.0, 32)),
        Saboteur("n alpha^2 >= 1", "one person with a budget of 0.001", lambda: _in_few_cells(1, 1e-3, 1),
                 lambda: _in_few_cells(10**6, 1e-3, 1)))
def ledger_2_5(n: int = 10**6, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0, d: int = 1,
               L: float = 1.0, C0: float = 2.0, bump: str = "ramp", law: Hypercube | None = None,
               few: FewPeople | None = None):
    """The ledger of Theorem 2.5 at the working constants C1 = C3 = 1, with the corrections of errata 9 to 14.

    n : people who report, in all, with n alpha^2 >= 1.  alpha : nats, in (0, 1].  beta, gamma : beta gamma <=
        d.
    L, C0 : class constants.  bump : a key of `ldp_lib.nature.hypercube.BUMPS`.
    law : a hypercube of that beta and d (`ldp_lib.nature.problem`), instead of that of the working constants
        which needs (q + 1)^d <= 2^21 and bumps of height 5e-7 or more; with it, n and alpha are free.
    few : `FewPeople` whose reports are enumerated at budget alpha, or 0.001 if that is more; None: FEW. A
        step shows the protocol that comes closest to failing.

    Not counted: what holds for all laws (Pinsker's and Cauchy's inequalities, averages first) and what
    compares formulas (the bounds on n reports one by one, the choice of c2). TV of n people is that of n
    draws of the dominating pair.
    """
    n, alpha = whole("n", n), real("alpha", alpha, above=0)
    exponent = classification_exponent(beta, gamma, d)
    theta = checked_theta(beta, gamma, d, L, C0)
    beta, gamma, d, L, C0, *_ = theta
    choice("bump", bump, BUMPS)
    law = _hypercube("law", _working_law(n, alpha, theta, bump) if law is None else law)
    if (law.beta, law.d) != (beta, d):
        raise ValueError(f"law has beta = {law.beta:g} and d = {law.d}; they must be those of the class, "
                         f"beta = {beta:g} and d = {d}.")
    q, m, w = float(law.q), law.m, law.w
    height, c2 = law.L * law.c_phi, w * q**d
    total = n * alpha**2
    inside, outside = law.density(np.stack([law.centres[0], np.ones(d)]))
    cell, cube = Cell.of(law, law.centres[-1]), f"hypercube, q = {law.q}, m = {m}"
    delta = cell.integral
    # Where TV is smaller still, two errors would show: that of the contour integral, below 1e-10, and that of
    # the probabilities, 2^-53 of them, which moves the mean of n draws by sqrt(n) 2^-51 deviations at most.
    overlap = float(indistinguishability(n, alpha, min(1.0, delta))) + 1e-10 + math.sqrt(n) * 2.0**-51
    tv = max(0.0, 1 - overlap)
    bounds = {K: math.sqrt(K * n) * math.expm1(alpha) * delta for K in (0.25, 0.5, 2.0)}
    drawn = f"{n:,} draws of the dominating pair"
    closed = 2 ** (-beta * (1 + gamma) - 3) * c2 * height * total**-exponent
    steps = (
        Step("eta is a probability", "|2 eta - 1| <= 1", np.abs(2 * cell.eta - 1).max(), 1,
             "errata 14: unstated", subject=cube, uses=("L C_phi <= 1",)),
        Step("Hölder", "|eta(x) - eta(x')| / |x - x'|^beta <= L through the first cell and its neighbour",
             _steepest(law), L, subject=cube, uses=("Hölder",)),
        Step("margin", "P(0 < |eta(X) - 1/2| <= t) / t^gamma <= C0 for all t",
             m * cell.margin(gamma), C0, ", errata 9", subject=cube, uses=("margin",)),
        Step("density", "min(4^d c2, 1/2), free of n, <= f in cells and on A0",
             min(4**d * c2, 0.5), min(inside, outside), "strong density assumption", subject=cube,
             uses=("m w <= 1/2",)),
        Step("regular support", "boxes about people are 1 / c0 = 4^d times their part of the support at most",
             1 / _smallest_share(law, inside, outside), 1 / regularity(law.q, d, 0.5),
             "errata 10: A0 = all but the active cells", subject=cube, uses=("regular support",)),
        equation("cell integral", "Delta, the integral of varphi f over a cell, = w L C_phi q^-beta", delta,
                 w * height * q**-beta, subject=cube, uses=("plateau",)),
        *_on_few_people(FEW if few is None else few, max(alpha, LEAST_BUDGET)),
        Step("n/4", "TV of n draws of the pair <= sqrt(n/4) (e^alpha - 1) Delta", tv, bounds[0.25],
             "Pinsker, constant 1", subject=drawn),
        Step("n/2", "sqrt(n/4) <= sqrt(n/2): with interaction", bounds[0.25], bounds[0.5],
             "Pinsker, constant 1"),
        Step("2n", "sqrt(n/2) <= sqrt(2n): as printed", bounds[0.5], bounds[2.0]),
        Step("small alpha", "TV^2 <= 8 n alpha^2 Delta^2 for alpha <= 1", tv**2, 8 * total * delta**2,
             subject=drawn, uses=("alpha <= 1",)),
        Step("choice of q", "n alpha^2 Delta^2 <= c2^2 L^2 C_phi^2", total * delta**2, (c2 * height) ** 2,
             subject=cube, uses=("fine cells",)),
        Step("choice of c2", "8 c2^2 L^2 C_phi^2 <= 1/4", 8 * (c2 * height) ** 2, 0.25,
             "errata 12: printed 1/2"),
        Step("risk", "m Delta / 4 <= (m/2) Delta (1 - TV)", m * delta / 4, m / 2 * delta * (1 - tv),
             subject=f"{cube}; {drawn}", uses=("fine cells", "alpha <= 1")),
        Step("rate", "2^(-beta (1+gamma) - 3) c2 L C_phi (n alpha^2)^-r <= m Delta / 4: q and m are rounded",
             closed, m * delta / 4, ", errata 13", subject=cube, uses=("n alpha^2 >= 1",)),
        Step("whole", "the closed form <= (m/2) Delta (1 - TV)", closed, m / 2 * delta * (1 - tv),
             subject=f"{cube}; {drawn}", uses=("fine cells", "alpha <= 1", "n alpha^2 >= 1")),
    )
    return {"n": n, "alpha": alpha, "beta": beta, "gamma": gamma, "d": d, "L": L, "C0": C0}, steps


def _on_few_people(few, alpha):
    """The steps on `FewPeople` at budget alpha: game, contraction of Duchi, Jordan & Wainwright (2018)."""
    if not isinstance(few, FewPeople):
        raise wrong_kind("few", few, "a FewPeople, like FEW")
    plays = {name: enumerated(few, name, alpha) for name in few.protocols}
    n, law = few.people, few.law
    delta = law.w * law.L * law.c_phi * float(law.q) ** -law.beta
    gain = math.expm1(alpha) * delta
    pair = reports_total_variation(n, *dominating_pair(alpha, delta))
    duchi = "Duchi, Jordan & Wainwright 2018, "

    def step(name, claim, sides, source="", uses=(), kind=Step, follows=""):
        """At the protocol that comes closest to failing."""
        return tightest([kind(name, claim, *sides(play), source, subject=f"reports of {n}: {protocol}",
                              uses=uses, follows=follows) for protocol, play in plays.items()])

    private = ("private reports", "independent people", "mechanism without the signs")
    one, other = few.records[few.neighbours[0][0, 0]], few.records[few.neighbours[1][0, 0]]
    return (
        equation("one person", "TV between the laws of a record = Delta = w L C_phi q^-beta",
                 total_variation(one, other), delta, subject="neighbours in a small hypercube",
                 uses=("plateau",)),
        step("game", "(1/2) sum_k Delta (1 - TV(M_+k, M_-k)) <= the analyst's worst risk",
             lambda play: ((1 - play.tv).sum() * delta / 2, play.risk),
             uses=("analyst without the signs", "plateau")),
        step("average first", "TV(M_+k, M_-k) <= the average of TV over the other signs",
             lambda play: (play.tv.mean(), play.tv_inside.mean()), ", errata 11"),
        step("Cauchy-Schwarz", "(average over k of TV)^2 <= average of TV^2",
             lambda play: (play.tv.mean() ** 2, (play.tv**2).mean())),
        step("Pinsker", "average of TV^2 <= average of J(M_+k, M_-k) / 4",
             lambda play: ((play.tv**2).mean(), play.divergence.mean() / 4)),
        step("chain rule", "J of all reports = sum over rounds of J of one person's report",
             lambda play: (play.joint, play.rounds), duchi + "proof of Theorem 3",
             private[1:], equation),
        step("likelihoods", "|m_+ - m_-| <= l (e^alpha - 1) Delta for one report, l its least likelihood",
             lambda play: (play.likelihood, gain), "constant 1", private),
        step("contraction, 1", "J of one report <= (e^alpha - 1)^2 Delta^2",
             lambda play: (play.report, gain**2), "constant 1", private),
        step("contraction, 4", "J of one report <= min(4, e^(2 alpha)) (e^alpha - 1)^2 Delta^2",
             lambda play: (play.report, contraction_constant(alpha, "printed") * delta**2),
             duchi + "Theorem 1", private, follows="contraction, 1"),
        step("Assouad", "sum_k J(M_+k, M_-k) <= 2 n (e^alpha - 1)^2 sum_k (2 Delta)^2",
             lambda play: (play.divergence.sum(), 8 * n * law.m * gain**2), duchi + "Theorem 3", private,
             follows="contraction, 1"),
        step("average TV", "(average over k of TV)^2 <= 2 n (e^alpha - 1)^2 Delta^2",
             lambda play: (play.tv.mean() ** 2, 2 * n * gain**2), uses=private,
             follows="contraction, 1"),
        step("people", "TV <= sqrt(n/4) (e^alpha - 1) Delta, sqrt(n/2) with interaction",
             lambda play: (play.tv.max(), math.sqrt(n / (2 if play.interactive else 4)) * gain),
             "Pinsker, constant 1", private),
        step("dominating pair", "TV <= TV of n draws of the dominating pair",
             lambda play: (play.tv.max(), pair), "not in the paper", private),
    )


MOST_CORNERS = 2**21
"""Corners (q + 1)^d of the cells of a hypercube that a ledger builds: half a second."""
LOWEST = 5e-7
"""Height of a bump: floats know 2 eta - 1 to nine digits if it is larger."""
LEAST_BUDGET, LEAST_SEPARATION = 1e-3, 0.01
"""Of few people: below, the laws of their reports differ by rounding errors."""
MOST_TRANSCRIPTS = 10_000
"""Sequences of earlier reports, for each of which the last person has a kernel."""


def _hypercube(name, law):
    """`law`, if it is a hypercube whose bumps can be seen."""
    if not isinstance(law, Hypercube):
        raise wrong_kind(name, law, "a hypercube of ldp_lib.nature, for example problem('hypercube', q=4)")
    if law.height < LOWEST:
        raise ValueError(f"{name} with L = {law.L:g} and q = {law.q} is out of range: its bumps are "
                         f"{law.height:.3g} high, and floats see {LOWEST:g}. Raise L, or lower q or n.")
    return law


class Narrow(Hypercube):
    """The people of a cell live on a cube of 1 / `times` the side; bumps are as before."""

    times = 8 / 7

    def _density(self, X):
        sign, radius = self._cell(X)
        cube = self.w * (4 * self.times * self.q) ** self.d * (radius <= 1 / (8 * self.times))
        return np.where(sign != 0, cube, super()._density(X))

    def _stretch(self, x):
        cell = np.minimum(np.floor(2 * self.q * x), self.q - 1)
        return (cell + np.clip((2 * self.q * x - cell - 0.5) * 2 * self.times + 0.5, 0, 1)) / self.q


class Needle(Narrow):
    """They fill so little of their cell that the support has holes."""

    times = 8


class Broad(Narrow):
    """They live in the whole cell, also where the bump falls to 0."""

    times = 1 / 2


def taller(law, factor):
    """The hypercube `law` with bumps `factor` times as high, also where eta leaves [0, 1]."""
    law.L, law.height, law.separation = (factor * value for value in (law.L, law.height, law.separation))
    return law


class Cell(NamedTuple):
    """Where the people of an active cell live, and what they know, in thin shells about its centre."""

    mass: np.ndarray
    eta: np.ndarray

    @classmethod
    def of(cls, law, centre):
        """The cell about `centre`: density and eta depend on the distance from it in the sup norm.

        Gauss's rule between multiples of 1/(64 q), where they may jump or bend.
        """
        nodes, weights = np.polynomial.legendre.leggauss(16)
        half = 1 / (128 * law.q)
        radius = (2 * half * np.arange(16)[:, None] + half * (1 + nodes)).ravel()
        X = np.repeat(centre[None], radius.size, axis=0)
        X[:, -1] += radius
        volume = law.d * 2.0**law.d * radius ** (law.d - 1) * np.tile(half * weights, 16)
        return cls(volume * law.density(X), law.eta(X))

    @property
    def integral(self):
        """The integral of varphi f = |2 eta - 1| f over the cell."""
        return float(self.mass @ np.abs(2 * self.eta - 1))

    def margin(self, gamma):
        """The largest P(0 < |eta(X) - 1/2| <= t, X in the cell) / t^gamma."""
        level = np.abs(self.eta - 0.5).reshape(16, -1).max(axis=1)
        mass = self.mass.reshape(16, -1).sum(axis=1)
        order = np.argsort(level, kind="stable")
        order = order[level[order] > 0]
        return (np.cumsum(mass[order]) * level[order] ** -gamma).max()


def _steepest(law):
    """The largest |eta(x) - eta(x')| / |x - x'|^beta of points 1/(64 q) apart on a line through two cells."""
    X = np.repeat(law.centres[:1], 65, axis=0)
    X[:, -1] = np.arange(65) / (64 * law.q)
    first, second = np.triu_indices(len(X), 1)
    eta = law.eta(X)
    return (np.abs(eta[first] - eta[second]) / (X[second, -1] - X[first, -1]) ** law.beta).max()


def _smallest_share(law, inside, outside):
    """The least share of the support in boxes about people, of half-width 1/2 and less.

    inside, outside : the density in cells and elsewhere. Balls are mixtures of such boxes axis by axis
    (`ldp_lib.nature.hypercube`).
    """
    edge = 1 / (8 * law.q)
    cells = [cell + side * edge for cell in law.centres[[0, -1]] for side in (-1, 0, 1)]
    people = np.array([*cells, np.ones(law.d)])
    people = people[law.density(people) > 0]
    half = np.repeat([[2 * edge], [3 * edge], [0.5 - edge], [0.5]] * 2, law.d, axis=1)
    half[4:, -1] /= 2
    masses = law.masses(people[:, None] - half, people[:, None] + half)
    cubes = masses.margin / law.height
    rest = (masses.p - cubes) / outside if outside > 0 else 0.0
    return ((cubes / inside + rest) / np.prod(2 * half, axis=1)).min()


def answers(alpha, signs, earlier):
    """Randomised response on the record."""
    return randomised_response(alpha, 2 * len(signs) + 2)


def one_bit(alpha, signs, earlier):
    """One bit on all cells: the label, in every other report with its sense changed in every other cell."""
    cell, label = np.divmod(np.arange(2 * len(signs) + 2), 2)
    one = (label + len(earlier) * cell) % 2 == 1
    return staircase(alpha, np.stack([one, ~one], axis=1))


@lru_cache(maxsize=8)
def _subsets(alpha, records):
    return staircase(alpha, subsets(records, max(1, round(records / (1 + math.exp(alpha))))))


def subset_selection(alpha, signs, earlier):
    """Subset selection: a set of about 1 / (1 + e^alpha) of all records, likelier if it holds one's own."""
    return _subsets(alpha, 2 * len(signs) + 2)


def second_look(alpha, signs, earlier):
    """With interaction: the first person answers, the others say one bit on the cell of that answer."""
    if not earlier:
        return answers(alpha, signs, earlier)
    cell = np.arange(2 * len(signs) + 2) // 2
    asked = (cell == earlier[0] // 2)[:, None]
    return np.where(asked, np.tile(randomised_response(alpha), (len(signs) + 1, 1)), 0.5)


def independent(records, people):
    """The joint law of `people` independent records, from the law of one."""
    return reduce(np.multiply.outer, [records] * people)


def same_person(records, people):
    """One person, again and again."""
    joint = np.zeros((len(records),) * people)
    joint[(np.arange(len(records)),) * people] = records
    return joint


def half_outside(records, people):
    """Independent people; every second one is outside the cells, half of the time."""
    outside = np.zeros(len(records))
    outside[-2:] = 0.5
    return reduce(np.multiply.outer, [(records + outside) / 2 if i % 2 else records for i in range(people)])


def likeliest(reports, signs):
    """The sign vector under which the reports are likeliest."""
    return signs[reports.argmax(axis=0)][None]


def informed(leaked):
    """A mechanism whose report is one bit, or by the toss of a coin the first of the signs leaked(signs)."""
    def protocol(alpha, signs, earlier):
        return one_bit(alpha, signs, earlier) / 2 + np.array([leaked(signs)[0] > 0, leaked(signs)[0] < 0]) / 2
    return protocol


@dataclass(frozen=True, eq=False)
class FewPeople:
    """So few people that all their reports about a small hypercube are enumerated.

    law : a hypercube with at most 3 active cells. A record is a cell, or "outside", and a label: 2 m + 2 of
        them, in this order.
    protocols : name -> protocol(alpha, signs, earlier), the kernel of the person who comes after the reports
        `earlier`, (2 m + 2, outputs), positive. An honest one looks at the length of `signs` only.
    people : 1 to 6.  sample(records, people) : the joint law of all records, 2 m + 2 along each of `people`
        axes, from the law of one record.
    analyst(reports, signs) : a sign for every cell after any reports, (1, reports, m), from the laws of all
        reports, (2^m, reports), and the sign vectors that they belong to, (2^m, m).
    """

    law: Hypercube = field(default_factory=lambda: problem("hypercube", q=2, m=2, w=0.3, L=16.0))
    protocols: Mapping[str, Callable] = field(default_factory=lambda: {
        "randomised response": answers, "one bit": one_bit, "subset selection": subset_selection,
        "a second look": second_look})
    people: int = 3
    sample: Callable = independent
    analyst: Callable = likeliest

    def __post_init__(self):
        whole("people", self.people, most=6, cure="All their reports are enumerated.")
        whole("m", _hypercube("law", self.law).m, most=3, cure="All sign vectors are enumerated.")
        real("separation", self.law.separation, least=LEAST_SEPARATION, cure="Raise w or L.")

    @cached_property
    def signs(self):
        """All sign vectors, (2^m, m)."""
        return np.array(list(itertools.product((1, -1), repeat=self.law.m)))

    @cached_property
    def neighbours(self):
        """For every cell the sign vectors with +1 there, (m, 2^(m-1)), and their neighbours with -1 there."""
        plus = np.array([np.flatnonzero(column > 0) for column in self.signs.T])
        return plus, plus + 2 ** np.arange(self.law.m)[::-1, None]

    @cached_property
    def cells(self):
        """`Cell` of every active cell under every sign vector."""
        vertices = [type(self.law)(**self.law.params | {"signs": signs}) for signs in self.signs]
        return [[Cell.of(vertex, centre) for centre in vertex.centres] for vertex in vertices]

    @cached_property
    def records(self):
        """The laws of one record, (2^m, 2 m + 2)."""
        inside = np.array([[cell.mass @ label for cell in cells for label in (1 - cell.eta, cell.eta)]
                           for cells in self.cells])
        return np.hstack([inside, np.repeat((1 - inside.sum(axis=1, keepdims=True)) / 2, 2, axis=1)])

    def kernels(self, name, alpha, transcripts):
        """The next person's kernels under all sign vectors after all transcripts, (2^m, transcripts, ...)."""
        if len(transcripts) > MOST_TRANSCRIPTS:
            raise ValueError(f"people = {self.people} is out of range: through {name!r} there are over "
                             f"{MOST_TRANSCRIPTS:,} sequences of earlier reports. Ask fewer people.")
        kernels = [[np.asarray(self.protocols[name](alpha, signs, earlier), float) for earlier in transcripts]
                   for signs in map(tuple, self.signs.tolist())]
        shapes = {kernel.shape for row in kernels for kernel in row}
        kernels = np.array(kernels) if len(shapes) == 1 else np.zeros(0)
        size = self.records.shape[1]
        if kernels.ndim != 4 or kernels.shape[2] != size or not (
                (kernels > 0).all() and np.allclose(kernels.sum(axis=3), 1, rtol=0, atol=1e-12)):
            raise ValueError(f"protocol {name!r} returns no kernel: it must have {size} rows, one a record, "
                             "of positive probabilities that sum to 1, as many whatever the earlier reports.")
        return kernels


FEW = FewPeople()
"""Few people who do all that the theorem asks of them."""


class Enumeration(NamedTuple):
    """What came of one protocol, exactly. M_+k and M_-k are the laws of all reports if sign k is +1 or -1."""

    interactive: bool
    """Do kernels depend on earlier reports?"""
    risk: float
    """The worst-case excess risk of the analyst."""
    tv: np.ndarray
    """TV(M_+k, M_-k) for every cell k, M averaged over the other signs."""
    tv_inside: np.ndarray
    """The average over the other signs of TV(M_+k, M_-k)."""
    divergence: np.ndarray
    """J(M_+k, M_-k) for every cell k, M averaged over the other signs."""
    joint: float
    """J(M_+k, M_-k), averaged over the other signs and the cells."""
    rounds: float
    """The same from the laws of one person each: the sum over rounds of what the kernels make of them."""
    report: float
    """The largest J of one report, all other signs and the earlier reports being given."""
    likelihood: float
    """The largest |m_+ - m_-| / l there, l the smallest likelihood of an output."""


def _symmetric(first, second):
    """J along the last axis, without cancellation."""
    return ((first - second) * np.log(first / second)).sum(axis=-1)


@lru_cache(maxsize=64)
def enumerated(few, name, alpha):
    """The `Enumeration` of the reports of `FewPeople` through their protocol of this name."""
    plus, minus = few.neighbours
    joint = np.array([few.sample(record, few.people) for record in few.records])
    laws, transcripts = joint.reshape(len(joint), 1, -1), [()]
    interactive, rounds, report, likelihood = False, 0.0, 0.0, 0.0
    for person in range(few.people):
        kernels = few.kernels(name, alpha, transcripts)
        interactive |= not (kernels == kernels[:, :1]).all()
        # Axes: sign vectors, earlier reports, record of this person, records of those who come later.
        laws = laws.reshape(*kernels.shape[:3], -1)
        seen = np.einsum("szra,szro->szo", laws, kernels)
        before = seen.sum(axis=2)
        given = seen / before[..., None]
        report = max(report, _symmetric(given[plus], given[minus]).max())
        smallest = kernels.min(axis=2)
        likelihood = max(likelihood, (np.abs(given[plus] - given[minus]) / smallest[plus]).max())
        # What the kernels chosen under sign +1 make of the laws of this person alone.
        own = joint.sum(axis=tuple(axis for axis in range(1, few.people + 1) if axis != person + 1))
        first, second = (np.einsum("ksr,kszro->kszo", own[side], kernels[plus]) for side in (plus, minus))
        excess = (first * np.log(first / second) - second * np.log(second / first)).sum(axis=3)
        divergence = ((before[plus] + before[minus]) * _symmetric(first, second)
                      + (before[plus] - before[minus]) * excess) / 2
        rounds += divergence.sum(axis=2).mean()
        laws = np.einsum("szra,szro->szoa", laws, kernels).reshape(len(joint), -1, laws.shape[3])
        transcripts = [(*earlier, z) for earlier in transcripts for z in range(kernels.shape[3])]
    reports = laws[..., 0]
    cost = np.array([cell.integral for cell in few.cells[0]])
    wrong = few.analyst(reports, few.signs) != few.signs[:, None]
    risk = ((reports[..., None] * wrong).sum(axis=1) @ cost).max()
    mixtures = reports[plus].mean(axis=1), reports[minus].mean(axis=1)
    return Enumeration(
        interactive, risk, np.abs(np.subtract(*mixtures)).sum(axis=1) / 2,
        np.abs(reports[plus] - reports[minus]).sum(axis=2).mean(axis=1) / 2, _symmetric(*mixtures),
        _symmetric(reports[plus], reports[minus]).mean(), rounds, report, likelihood)


def _cube(q, m, w, L=1.0, kind=Hypercube, **params):
    """A hypercube with signs in turn."""
    return kind(q, m, w, L=L, signs=np.resize((1, -1), m), **params)


@lru_cache(maxsize=8)
def _working_law(n, alpha, theta, bump):
    """The hypercube of the proof, with signs in turn; refuses what has too many cells."""
    beta, gamma, d, L, C0, *_ = theta
    q, m, w, height = working_constants(n, alpha, beta, gamma, d, L, C0, bump)
    if (q + 1.0) ** d > MOST_CORNERS:
        raise ValueError(f"n = {n} with d = {d} is out of range: its hypercube has {q}^{d} cells, and "
                         f"(q + 1)^d may be {MOST_CORNERS:,}. Lower n or d, or give a law.")
    if w == 0:
        raise ValueError(f"gamma = {gamma:g} with C0 = {C0:g} and L = {L:g} is out of range: cells would "
                         "hold less than the smallest float. Lower gamma, or raise C0 or L.")
    return _cube(q, m, w, L, beta=beta, bump=bump, d=d, c_phi=height / L)


def _on_hypercube(*shape, **changes):
    """Arguments with another law: q, m, w and L of a hypercube."""
    return {"law": _cube(*shape)} | changes


def _with_people_elsewhere(kind):
    """Arguments with people of active cells elsewhere, and in a class whose c2 is twice as large."""
    return {"law": _cube(32, 1, 1 / 128, 1.0, kind), "C0": 4.0,
                    "few": FewPeople(_cube(2, 2, 0.3, 16.0, kind))}


def _in_few_cells(n, alpha, q):
    """Arguments with gamma = 0, L = 8 and q cells that together hold 0.17 people."""
    return _on_hypercube(q, q, 0.17 / q, 8.0, n=n, alpha=alpha, gamma=0.0, L=8.0)


def _with_few_people(**changes):
    return {"alpha": 0.25, "few": replace(FEW, **changes)}


def _with_budget_times(factor):
    """Randomised response and one bit with `factor` times the budget."""
    return _with_few_people(protocols={
        "randomised response": lambda alpha, *rest: answers(factor * alpha, *rest),
        "one bit": lambda alpha, *rest: one_bit(factor * alpha, *rest)})


def _with_five_reports(sample):
    return _with_few_people(people=5, protocols={"one bit": one_bit}, sample=sample)

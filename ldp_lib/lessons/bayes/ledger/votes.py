"""The proofs of Bousquet et al. (2022) on noisy majorities, executed: Theorems 3.1 and 3.2, and A.12."""

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import real, reals, whole
from ldp_lib.lessons.bayes.ledger.cells import (
    box_cells, crowds, excess_risk, few_people, light, voronoi_edges, votes,
)
from ldp_lib.nature import Interval
from ldp_lib.privacy import LatticeLaplace
from ldp_lib.privacy.central import central_noise
from ldp_lib.risk import noisy_majority_probabilities
from ldp_lib.stage.ledger import Saboteur, Step, proves, strict
from ldp_lib.theory.curator import few_people_bound, noise_bound, sampling_bound


class Curator:
    """Algorithms 2 and 4 as the library runs them: sums of y - 1/2 in cells and Laplace(1 / epsilon) noise.

    `noise` is that of `ldp_lib.privacy.central.noisy_votes`, on twice the sums.
    """

    loudness = 1.0

    def __init__(self, epsilon):
        self.noise = central_noise(epsilon / self.loudness)

    def contribution(self, y):
        """What a person adds to the sum of her cell."""
        return y - 0.5

    def draws(self, questions):
        """How many draws of noise the answers to as many questions in one cell show."""
        return 1

    def label_probabilities(self, n, p, q, weight):
        """P(label 0), P(label 1) in cells of masses p, and q with Y = 1; each of n people counts `weight`
        times."""
        scale, step = self.noise.scale / weight, self.noise.granularity / weight
        return noisy_majority_probabilities(n, p, q, scale, step)

    def privacy_loss(self, questions):
        """Largest log-likelihood ratio of all answers in two cells when one record is replaced, exact."""
        return max(sum(self.draws(questions) * self._ratio(2 * abs(move)) for move in moved)
                   for moved in moves(self.contribution))

    def _ratio(self, distance):
        # Beyond both centres the ratio of two laws of the noise no longer changes.
        step = self.noise.granularity
        return math.log(self.noise.tail(step) / self.noise.tail(step + distance))


def voting_saboteurs(M, household, hidden):
    """What Theorems 3.2 and A.12 assume of people, of their law, and of the curator.

    M : cut-off of thin cells that shows loud noise.  household : size that leaves four in a cell, n = 1e8.
    hidden : arguments at which the bound on the risk is below 1/2.
    """
    uniform = {"edge": 0.5, "share": 0.5, "k": 49}
    border = {**hidden, "edge": 0.5, "share": 0.5, "left": 1.0, "right": 0.0}
    return (
        Saboteur("sums of y - 1/2", "sums of y",
                 lambda: {"curator": OnesAlone}, lambda: {"curator": ZerosLessHalf}),
        Saboteur("noise scale", "half the noise",
                 lambda: {"curator": HalfTheVoteNoise}, lambda: {"curator": WholeNumbers}),
        Saboteur("noise scale", "twenty times the noise",
                 lambda: {"curator": LoudVotes, "M": M}, lambda: {"curator": WholeNumbers}),
        Saboteur("one draw a cell", "a fresh draw for every question", lambda: {"curator": FreshDraws},
                 lambda: {"questions": 1000}),
        Saboteur("independent people", f"{household:,} people a household have the same record",
                 lambda: {**uniform, "n": 10**8, "household": household},
                 lambda: {**uniform, "n": 10**8 // household}),
        Saboteur("fixed law", "borders between 0 and 1 hidden in every cell",
                 lambda: {**border, "repeats": 5000}, lambda: border | {"edge": 0.4}),
        Saboteur("plug-in", "the label of the minority",
                 lambda: {"curator": Minority}, lambda: {"curator": TiesSayOne}),
    )


@proves("bayes-3.2", *voting_saboteurs(10, 2500, {"n": 10**6, "epsilon": 10.0, "M": 7, "k": 40}),
        Saboteur("cubes of side r", "one cube for all",
                 lambda: _in_cells([0.0, 1.0]), lambda: _in_cells(EDGES_FROM_THE_RIGHT)),
        Saboteur("cubes of side r", "cubes of side 1/n, errata 23",
                 lambda: _in_cells(np.linspace(0, 1, 9001)), lambda: _in_cells(EDGES_FROM_THE_RIGHT)))
def ledger_bayes_3_2(n: int = 10**4, epsilon: float = 1.0, d: int = 1, edge: float = 0.3, share: float = 0.9,
                     left: float = 0.8, right: float = 0.3, M: int = 10, k: int = 10, *,
                     curator: type[Curator] = Curator, questions: int = 10, household: int = 1,
                     repeats: int = 1, edges: ArrayLike | None = None):
    """The ledger of Theorem 3.2 for Algorithm 2 (PCL), with the corrections of errata 20 to 23 and 31.

    Its subjects are two people and what the curator releases of them (Theorem 3.1), the partition, and the
    law: every mass, count, label and noise is summed up exactly.  All steps are counted.

    n : people.  epsilon : nats, at most 350; Laplace(1 / epsilon) noise on the sum of y - 1/2, one draw a
        cube.
    d : dimension of [0, 1]^d, cut in cubes of side r = n^(-1/(2d)).
    edge, share, left, right : the law, see `ldp_lib.lessons.bayes.ledger.cells.Crowds`.
    M, k : people below which a cell counts as thin, for the noise and for the sampling error.
    curator : a `Curator`.  questions : asked in one cube.  household : people who have the same record, a
        divisor of n; 1 is independent people.  repeats : copies of the law side by side; the bounds are for
        1.  edges : of the cells along each axis, from 0 to 1, all but the first and the last equally far
        apart; None is cubes of side r.

    N(x) is the number of people in the cube of a fresh x, etahat their mean label, etabar the mean of eta
    over the cube, etahat^eps = etahat + w / N(x) the noisy mean; in an empty cube they are 0 and the label.
    """
    n, d, M, k = whole("n", n, most=10**12), whole("d", d, most=8), whole("M", M), whole("k", k)
    law, release, household = _subjects(n, epsilon, (edge, share, left, right, repeats), curator, household)
    r = n ** (-1 / (2 * d))
    K = math.ceil(1 / r - 1e-9) ** d
    edges = np.minimum(np.arange(math.ceil(1 / r - 1e-9) + 1) * r, 1.0) if edges is None else _edges(
        "edges", np.atleast_1d(reals("edges", edges)).ravel())
    cells = box_cells(law, edges, d)
    steps = (
        *privacy_steps(release, epsilon, whole("questions", questions)),
        Step("cubes", "their number is at most ceil(1/r)^d", (len(edges) - 1.0) ** d, K, "Lemma 3.3",
             subject="the partition", uses=("cubes of side r",)),
        *vote_steps(cells, n, epsilon, K, M, k, bias_bound(law, r), release, household, "Lemma 3.3",
                    ("cubes of side r",), ("cubes of side r",)),
    )
    return {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k,
            "household": household}, steps


@proves("bayes-A.12", *voting_saboteurs(200, 500_000, {"n": 10**8, "epsilon": 10.0, "M": 50, "k": 1000}),
        Saboteur("strict distances", "distances of r, errata 28", lambda: {"centres": np.arange(11) / 10},
                 lambda: {"centres": np.arange(10) / 9}),
        Saboteur("strict distances", "distances of r / 2", lambda: {"centres": np.arange(21) / 20},
                 lambda: {"centres": np.arange(10) / 9}),
        Saboteur("maximal packing", "nobody looks beyond 0.2",
                 lambda: {"centres": [0.05, 0.2]}, lambda: {"centres": GREEDY_PACKING}),
        Saboteur("doubling dimension", "dimension 8 taken for 1", lambda: {"d": 8, "ddim": 1.0},
                 lambda: {"d": 1, "ddim": 2.0}))
def ledger_bayes_a_12(n: int = 10**4, epsilon: float = 1.0, d: int = 1, edge: float = 0.3, share: float = 0.9,
                      left: float = 0.8, right: float = 0.3, M: int = 50, k: int = 50, *,
                      curator: type[Curator] = Curator, questions: int = 10, household: int = 1,
                      repeats: int = 1, centres: ArrayLike | None = None, ddim: float | None = None):
    """The ledger of Theorem A.12 for Algorithm 4 (PCL2), corrected by errata 20, 21, 28, 29 and 31.

    The space is [0, 1]^d with the maximum norm, whose doubling dimension is d: an interval is covered by two
    intervals of half its radius, and a cube is a product.  All steps are counted.

    centres : of the cells along each axis, in [0, 1], evenly spaced but for the first and the last; None is
        the library's packing of [0, 1].
    ddim : the doubling dimension that the algorithm is told, 1 to 64, r = n^(-1/(4 ddim)), n >= 2; None is d,
        and more is as true.
    The other parameters are those of `ledger_bayes_3_2`.
    """
    n, d, M, k = whole("n", n, least=2, most=10**9), whole("d", d, most=8), whole("M", M), whole("k", k)
    law, release, household = _subjects(n, epsilon, (edge, share, left, right, repeats), curator, household)
    ddim = float(d) if ddim is None else real("ddim", ddim, least=1, most=64)
    r, theta = n ** (-1 / (4 * ddim)), 0.5
    centres = np.unique(Interval().packing(r) if centres is None
                        else reals("centres", centres, least=0, most=1))
    edges = _edges("centres", voronoi_edges(centres))
    cells, apart = box_cells(law, edges, d), np.diff(centres)
    farthest = max(centres[0], 1 - centres[-1], apart.max(initial=0) / 2)
    number, allowed = float(len(centres)) ** d, (8 * theta / r) ** ddim
    balls = math.ceil(1 / r - 1e-9) ** float(d)
    packing, doubling = "a packing of [0, 1]^d", ("doubling dimension",)
    steps = (
        *privacy_steps(release, epsilon, whole("questions", questions)),
        strict("packing", "r < distance of two centres, strictly", r, apart.min(initial=math.inf),
               ", with errata 28", subject=packing, uses=("strict distances",)),
        Step("cover", "every point is within r of a centre, because the packing is maximal", farthest, r,
             "Bousquet et al. 2022, Theorem A.4", subject=packing, uses=("maximal packing",)),
        Step("A.4", "there are no more centres than balls of radius r/2 in a cover", number, balls,
             "Bousquet et al. 2022, Theorem A.4(2), with errata 28", subject=packing,
             uses=("strict distances",)),
        Step("Lemma A.8", "diam(V) <= 2 r", np.diff(edges).max(), 2 * r, "Lemma A.8, with errata 29",
             subject=packing, uses=("maximal packing",)),
        Step("doubling", "balls of radius r/2 in a cover <= 2^(ddim ceil(log2(4 theta / r))), by halvings",
             balls, 2.0 ** (ddim * math.ceil(math.log2(4 * theta / r))),
             "Lemma A.9, with errata 29", subject="a cover of [0, 1]^d", uses=doubling),
        Step("cells", "centres <= (8 theta / r)^ddim, theta = 1/2 the radius of the space", number, allowed,
             "Lemma A.9, with errata 29", subject=packing, uses=("strict distances", *doubling)),
        *vote_steps(cells, n, epsilon, allowed, M, k, bias_bound(law, 2 * r), release, household,
                    "Lemma A.9", doubling, ("maximal packing",)),
    )
    return {"n": n, "epsilon": epsilon, "d": d, **law._asdict(), "M": M, "k": k, "household": household,
            "ddim": ddim}, steps


def privacy_steps(release, epsilon, questions):
    """Theorem 3.1, which Algorithms 2 and 4 share: what one person can do to the answers in two cells."""
    name, theorem = type(release).__name__, "Bousquet et al. 2022, Theorem 3.1, with errata 22"
    return (
        Step("sensitivity", "one record replaced moves the vector of the sums of y - 1/2 by at most 1",
             sensitivity(release.contribution), 1.0, theorem, subject=f"two neighbours at {name}",
             uses=("sums of y - 1/2",)),
        Step("privacy", "log-likelihood ratio of the answers to all questions in two cells <= epsilon",
             release.privacy_loss(questions), epsilon, theorem,
             subject=f"two neighbours, {questions} questions to {name}",
             uses=("sums of y - 1/2", "noise scale", "one draw a cell")),
    )


def vote_steps(cells, n, epsilon, K, M, k, bias_bound, release, household, lemma, few, small):
    """The steps that Theorems 3.2 and A.12 share.

    K : the cells that `lemma` allows for, which are `few`, and `small` enough for bias_bound, by these
    assumptions.
    """
    exact, below_M = votes(cells, n, household), sum(few_people(cells, n, M - 1, household))
    says_one = release.label_probabilities(1, 0.0, 0.0, 1)[1]
    # The noise is on twice the sums: E|noise| / 2 = E noise^+ is the mean on the sums.
    noise = float(exact.inverse * release.noise.mean_excess(0.0) + exact.empty * says_one)
    excess = excess_risk(cells, *release.label_probabilities(n // household, cells.p, cells.q, household))
    name, independent, scale = type(release).__name__, ("independent people",), ("noise scale",)
    noisy, labels = f"the noise of {name}", f"the labels of {name}"
    return (
        *few_steps(cells, n, K, k, household, lemma, few),
        Step("noise", "E|etahat^eps - etahat| <= E[1/(eps N); N > 0] + Pr[N = 0]", noise,
             exact.inverse / epsilon + exact.empty, ", with errata 20", subject=noisy, uses=scale),
        Step("thin cells", "E|etahat^eps - etahat| <= max(1, 1/eps) Pr[N < M] + 1/(eps M)", noise,
             max(1.0, 1 / epsilon) * below_M + 1 / (epsilon * M), ", with errata 21", subject=noisy,
             uses=scale),
        Step("(1)", "E|etahat^eps - etahat| <= max(1, 1/eps) (2M + 2) cells / n + 1/(eps M)", noise,
             noise_bound(n, epsilon, K, M), ", with errata 21", subject=noisy,
             uses=(*scale, *independent, *few)),
        *sampling_steps(cells, n, k, household, exact, bias_bound, small),
        Step("Theorem 2.7", "excess risk <= 2 E|eta - etahat^eps|, term by term", excess,
             2 * (noise + exact.sampling + exact.bias), "Bousquet et al. 2022, Theorem B.1", subject=labels,
             uses=("plug-in",)),
        Step("whole", "excess risk <= twice the sum of the bounds", excess,
             2 * (noise_bound(n, epsilon, K, M) + sampling_bound(n, K, k) + bias_bound), subject=labels,
             uses=("plug-in", "fixed law", *scale, *independent, *dict.fromkeys(few + small)), certain=1.0),
    )


def few_steps(cells, n, K, k, household, lemma, few, others=0.0, outside=0.0, escape=()):
    """Lemmas 3.3 and A.9: hardly anybody has k people or fewer in her cell.

    cells : at most K by the assumptions `few`; on unbounded spaces those that meet a ball.  others :
    Pr[N <= k] in other cells; `outside` bounds it by the assumptions `escape`.
    """
    in_light, in_heavy = few_people(cells, n, k, household)
    subject, independent = people(household), ("independent people",)
    return (
        Step("light cells", "Pr[N <= k, cell of mass <= 2k/n] <= (2k/n) cells", in_light, 2 * k * K / n,
             lemma, subject=subject, uses=few),
        Step("heavy cells", "Pr[N <= k, cell of mass > 2k/n] <= (4/n) number of them, by Chebyshev", in_heavy,
             4 / n * cells.number[~light(cells, n, k)].sum(), lemma, subject=subject, uses=independent),
        Step(lemma, "Pr[N <= k] <= (2k + 4) cells / n" + " + Pr[outside the ball]" * bool(escape),
             in_light + in_heavy + others, few_people_bound(n, k, K) + outside, lemma, subject=subject,
             uses=(*independent, *few, *escape)),
    )


def sampling_steps(cells, n, k, household, exact, bias_bound, small):
    """Theorem A.11: what the sample and the cells lose without noise, from `Votes`; k as in the paper."""
    lines, independent = "Bousquet et al. 2022, Appendix B, with errata 31", ("independent people",)
    labels, at_most = f"the labels of {people(household)}", sum(few_people(cells, n, k, household))
    return (
        Step("Jensen", "E|etahat - etabar| <= E[N^(-1/2); N > 0] / 2 + Pr[N = 0]", exact.sampling,
             exact.root / 2 + exact.empty, lines, subject=labels, uses=independent),
        Step("(15)", "E|etahat - etabar| <= Pr[N <= k] / 2 + 1 / (2 sqrt(k)) + Pr[N = 0]", exact.sampling,
             at_most / 2 + 1 / (2 * math.sqrt(k)) + exact.empty, lines, subject=labels, uses=independent),
        Step("bias", "E|eta - etabar| <= 2 E|eta - eta_tau| + modulus of eta_tau over a cell", exact.bias,
             bias_bound, "Bousquet et al. 2022, Theorem A.11", subject="the law", uses=("fixed law", *small)),
    )


LARGEST_EPSILON = 350.0
"""Noise of half the scale is seen at twice this, and e^-700 is a float still."""


class OnesAlone(Curator):
    """Sums of y, which Algorithm 4 as printed compares with half the number of people."""

    def contribution(self, y):
        return y


class ZerosLessHalf(Curator):
    """Sums of 1/2 - y, which decide the same."""

    def contribution(self, y):
        return 0.5 - y


class HalfTheVoteNoise(Curator):
    """Noise of scale 1 / (2 epsilon)."""

    loudness = 0.5


class LoudVotes(Curator):
    """Noise of scale 20 / epsilon."""

    loudness = 20.0


class WholeNumbers(Curator):
    """The same scale on the coarsest lattice that there is, whole numbers where the scale is above 1."""

    def __init__(self, epsilon):
        self.noise = LatticeLaplace(central_noise(epsilon).scale, steps=1)


class FreshDraws(Curator):
    """A draw for every question, as "Lap(1/epsilon)" in step 5 of Algorithm 2 can be read (errata 22)."""

    def draws(self, questions):
        return questions


class Minority(Curator):
    """Says 0 where the noisy sum is positive."""

    def label_probabilities(self, n, p, q, weight):
        return super().label_probabilities(n, p, q, weight)[::-1]


class TiesSayOne(Curator):
    """Counts zeros less ones, and says 0 where the noisy sum is positive: only ties are decided otherwise."""

    def label_probabilities(self, n, p, q, weight):
        return super().label_probabilities(n, p, p - q, weight)[::-1]


def _in_cells(edges):
    """Arguments of 3.2 with cells between these edges, under a law with its border in the middle."""
    return {"n": 9000, "edge": 0.5, "share": 0.5, "edges": edges}


EDGES_FROM_THE_RIGHT = 1 - np.minimum(np.arange(math.ceil(9000**0.5), -1, -1) * 9000**-0.5, 1.0)


def _subjects(n, epsilon, law, curator, household):
    """Checked: the law, the release of a curator with budget epsilon, and the size of households."""
    release = of_kind(curator, Curator)(real("epsilon", epsilon, above=0, most=LARGEST_EPSILON))
    return crowds(*law), release, divisor(household, n)


def of_kind(curator, kind):
    """`curator`, a subclass of `kind`, or a refusal."""
    if not (isinstance(curator, type) and issubclass(curator, kind)):
        raise TypeError(f"curator = {curator!r:.60} is no {kind.__name__}; take it, or a subclass.")
    return curator


def divisor(household, n):
    """The size of households, which divides n, or a refusal."""
    household = whole("household", household, most=n)
    if n % household:
        raise ValueError(f"household = {household} does not divide n = {n}; the n people live in households "
                         "of that size. Take a divisor of n.")
    return household


def _edges(name, edges):
    """Checked: edges that `box_cells` takes; `name` is the argument that they come from."""
    gaps = np.diff(edges)
    uneven = len(gaps) > 3 and np.ptp(gaps[1:-1]) > 1e-9
    if edges[0] != 0 or edges[-1] != 1 or (gaps <= 0).any() or uneven:
        raise ValueError(f"{name} makes cells with edges {edges!r:.60}; they must rise from 0 to 1, all but "
                         "the first and the last equally far apart. Leave it out, or space it evenly.")
    return edges


def people(household):
    """The subject of a step about people."""
    return "people" if household == 1 else f"people in households of {household:,}"


def moves(contribution):
    """How far one record replaced moves the sums of contribution(y) in two cells, (16, 2).

    Everybody else's part is the same in both, so that all pairs of records (cell, y) are all there is.
    """
    records = [np.array([contribution(y), 0.0])[::step] for y in (0, 1) for step in (1, -1)]
    return np.array([one - other for one, other in itertools.product(records, repeat=2)])


def sensitivity(contribution):
    """Largest l1 distance between the sums of contribution(y) in two cells when one record is replaced."""
    return np.abs(moves(contribution)).sum(axis=1).max()


def bias_bound(law, width):
    """`smooth_bias_bound` of a `Crowds` law with one border: copies of it side by side have more."""
    density = law.share / law.edge + (1 - law.share) / (1 - law.edge)
    return smooth_bias_bound(law, density, min(law.edge, 1 - law.edge), width)


def smooth_bias_bound(law, density, most, width):
    """2 E|eta - eta_tau| + modulus: eta_tau joins the values of eta linearly over a border +- b, the best b.

    density : of X on either side of a border, summed over all borders.  most : largest b.  E|eta - eta_tau| =
    gap density b / 4; the modulus over a cell as wide as `width` is gap * width / (2 b).
    """
    b = min(math.sqrt(width / density), most) if density else most
    return abs(law.left - law.right) * (density * b / 2 + min(1.0, width / (2 * b)))


GREEDY_PACKING = np.arange(10) * 0.101
"""A maximal packing of [0, 1] at distances above 0.1, from 0 on."""

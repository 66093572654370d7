"""The proofs of Bousquet et al. (2022) on unbounded spaces, executed: Theorems A.13 to A.15."""

import functools
import itertools
import math

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ldp_lib._arguments import real, require_memory, whole
from ldp_lib._rounding import canonical
from ldp_lib.lessons.bayes.ledger.cells import (
    Cells, HeavyTail, excess_risk, few_people, line_cells, people_in_cell, shell_heights, votes,
)
from ldp_lib.lessons.bayes.ledger.histograms import largest_ratio
from ldp_lib.lessons.bayes.ledger.votes import (
    divisor, few_steps, of_kind, people, sampling_steps, smooth_bias_bound,
)
from ldp_lib.nature import Line
from ldp_lib.privacy import LatticeLaplace, RealLaplace, hockey_stick, lattice_laws
from ldp_lib.risk.integrated import count_error
from ldp_lib.stage.ledger import Saboteur, Step, proves, strict
from ldp_lib.theory.curator import (
    few_people_bound, histogram_error_bound, histogram_threshold, sampling_bound,
)

STEPS = 8
"""Of the noise lattice, in a noise scale, where all outcomes are listed; the library's noise has 1,024."""


class StableVotes:
    """Algorithm 5 as printed: stability histograms of the people and of the ones among them, and labels.

    Each is run at (epsilon, delta): Laplace noise of scale 2 / epsilon on positive counts, which are set to 0
    below the threshold.  The label is 1 where min(yhat, chat) > chat / 2.
    """

    steps, loudness, height = STEPS, 1.0, 1.0

    def __init__(self, epsilon, delta):
        self.noise = RealLaplace(self.loudness * 2 / epsilon)
        self.threshold = 1 + self.height * (histogram_threshold(epsilon, delta) - 1)

    def coordinates(self, sample, other):
        """Pairs of laws of all that is released, for `hockey_stick`, under two neighbouring samples.

        sample, other : (2, cells) counts of people and of ones, or (1, cells) for one histogram.  The noise
        is on a lattice.
        """
        return [_two_laws(one, two, self.noise.scale, self.steps, self.threshold)
                for one, two in sorted(zip(sample.ravel(), other.ravel(), strict=True)) if one != two]

    def shown(self, count):
        """P(chat > 0) for counts > 0, an array; 0 for counts of 0."""
        return np.where(count > 0, self.noise.tail(self.threshold - count), 0.0)

    def share_error(self, count, ones):
        """E|etahat - ones / count|, count >= 1: an integral over chat of what is exact given chat."""
        if ones == 0:
            return 0.0
        share = ones / count
        chat, weight = self._chats(count, self.threshold / share)
        # What is shown of the ones is cut at chat.
        error = (count_error(ones, share * chat, self.noise, self.threshold)
                 - self.noise.mean_excess(chat - ones))
        return float(share * (1 - self.shown(np.array(count))) + weight @ (error / chat))

    def _chats(self, count, kink):
        """Nodes and weights of an integral over the law of chat > 0: Gauss-Legendre between its kinks."""
        reach = FAR * self.noise.scale
        low, high = max(self.threshold, count - reach), max(self.threshold, count) + reach
        kinks = np.unique(np.clip([low, kink, count, high], low, high))
        ends = np.concatenate([np.linspace(*pair, 13)[:-1] for pair in itertools.pairwise(kinks)] + [[high]])
        half = np.diff(ends) / 2
        chat = ((ends[1:] + ends[:-1]) / 2)[:, None] + half[:, None] * NODES
        scale = self.noise.scale
        density = np.exp(-np.abs(chat - count) / scale) / (2 * scale)
        return chat.ravel(), (density * half[:, None] * WEIGHTS).ravel()

    def says_one(self, count, ones):
        """P(label 1) in a cell with these people and ones; arrays of one shape.

        Where chat is below twice the threshold, it is enough that yhat is shown; beyond, the integral of the
        tail of the noise at chat / 2 - ones over the density of chat, in the four pieces where both are
        exponentials.
        """
        tail, scale, low = self.noise.tail, self.noise.scale, 2 * self.threshold
        small = tail(self.threshold - ones) * (tail(self.threshold - count) - tail(low - count))
        # From the count on, in units of the scale: chat has density e^-|u| / 2, and says 1 if yhat does not
        # fall below it by (u - turn) / 2.
        turn, start = (2 * ones - count) / scale, (low - count) / scale
        early, late = np.minimum(start, turn), np.maximum(start, turn)
        certain = tail(scale * start) - tail(scale * late) + (_rise(early, turn) - _rise(turn, turn)) / 2
        return np.where(ones > 0, small + certain + _fall(late, turn) / 2, 0.0)

    def label_probabilities(self, n, p, q, weight):
        """P(label 0), P(label 1) in cells of masses p, and q with Y = 1; each of n people counts `weight`
        times: sums over the numbers of ones and of zeros."""
        one = np.array([self._says_one_in_cell(n, *masses, weight) for masses in zip(p, q, strict=True)])
        return 1 - one, one

    def _says_one_in_cell(self, n, p, q, weight):
        ones, zeros = (people_in_cell(n, np.array([mass]), SAMPLE)[0][0] for mass in (q, p - q))
        probability = _multinomial(n, ones[:, None], zeros, q, p - q)
        some = np.nonzero(probability > NEGLECTED)
        ones, zeros = ones[some[0]], zeros[some[1]]
        return probability[some] @ self.says_one(weight * (ones + zeros), weight * ones)


RELEASE = (
    Saboteur("one record", "two people with the same record are replaced", lambda: {"replaced": 2},
             lambda: {"crowd": 30}),
    Saboteur("noise scale", "half the noise",
             lambda: {"curator": HalfTheCountNoise}, lambda: {"curator": FineLattice}),
    Saboteur("threshold", "half as far above 1",
             lambda: {"curator": LowThreshold}, lambda: {"curator": DoubleThreshold}),
    Saboteur("draws of their own", "the same noise for people and for ones",
             lambda: {"curator": OneDrawForBoth, "crowd": 8}, lambda: {"curator": FineLattice, "crowd": 8}),
    Saboteur("post-processing", "labels from the bare counts",
             lambda: {"curator": BareOnes}, lambda: {"curator": StableMinority}),
)


@proves("bayes-A.14", *RELEASE)
def ledger_bayes_a_14(epsilon: float = 1.0, delta: float = 1e-3, *,
                      curator: type[StableVotes] = StableVotes, replaced: int = 1, crowd: int | None = None):
    """The ledger of Theorem A.14: Algorithm 5 (PCL2b) is (2 epsilon, 2 delta)-private.

    Its subjects are two neighbouring samples in two cells, all of which are gone through: a record moves or
    changes its label, alone or among a crowd; what is released of them is a product of laws on a lattice,
    whose hockey-stick divergence is a sum.  All steps are counted.

    epsilon : nats of a histogram, 0.01 to 10.  delta : its probability, 1e-10 <= delta < 1, above the
        rounding of sums of probabilities.
    curator : a `StableVotes`.  replaced : people with the same record who are replaced.  crowd : a third of
        the others in a full cell, two thirds of whom are ones; None is the threshold.
    """
    epsilon, delta, release = _release(epsilon, delta, curator)
    crowd = math.ceil(release.threshold) if crowd is None else whole("crowd", crowd, most=10**4)
    replaced = whole("replaced", replaced, most=10)
    pairs = list(_neighbours(crowd, replaced))
    moved = np.abs([sample - other for sample, other in pairs]).sum(axis=2).max(axis=0)
    alone = release.coordinates(np.ones((1, 1)), np.zeros((1, 1)))
    counts = np.unique([1, 2, crowd, 3 * crowd])
    losses = [release.coordinates(np.array([[c]]), np.array([[c + 1]])) for c in counts]
    spent = [(_divergence(release.coordinates(sample[:1], other[:1]), epsilon),
              _divergence(release.coordinates(sample[1:], other[1:]), epsilon),
              _divergence(release.coordinates(sample, other), 2 * epsilon),
              _divergence(_labels(release, sample, other), 2 * epsilon)) for sample, other in pairs]
    people_spent, ones_spent, both, labels = np.max(spent, axis=0)
    name, theorem = type(release).__name__, "Bousquet et al. 2022, Theorem 2.4"
    who = "two neighbours" if replaced == 1 else f"samples that differ in {replaced} records"
    subject = f"{who} at {name}, crowds of {3 * crowd}"
    private = ("one record", "noise scale", "threshold")
    steps = (
        Step("people", "one record replaced moves the counts of people by 2 at most", moved[0], 2.0, theorem,
             subject=subject, uses=("one record",)),
        Step("ones", "and those of ones by 2 at most", moved[1], 2.0, theorem, subject=subject,
             uses=("one record",)),
        Step("a count", "log-likelihood ratio of a positive count and the next one <= epsilon / 2",
             max(map(largest_ratio, losses)), epsilon / 2, theorem,
             subject=f"counts of {', '.join(map(str, counts))} at {name}", uses=("noise scale",)),
        Step("alone", "P(a lone person shows) <= delta", _divergence(alone, epsilon), delta, theorem,
             subject=f"one person and nobody at {name}", uses=("threshold", "noise scale"),
             follows="first histogram"),
        Step("first histogram", "sup P(A) - e^epsilon Q(A) <= delta for the counts of people", people_spent,
             delta, theorem, subject=subject, uses=private),
        Step("second histogram", "sup P(A) - e^epsilon Q(A) <= delta for the counts of ones", ones_spent,
             delta, theorem, subject=subject, uses=private, follows="first histogram"),
        Step("composition", "sup P(A) - e^(2 epsilon) Q(A) <= 2 delta for both", both, 2 * delta,
             subject=subject, uses=(*private, "draws of their own")),
        Step("labels", "sup P(A) - e^(2 epsilon) Q(A) <= 2 delta for the labels of both cells", labels,
             2 * delta, "post-processing", subject=subject, uses=(*private, "post-processing")),
    )
    return {"epsilon": epsilon, "delta": delta, "replaced": replaced, "crowd": crowd}, steps


@proves("bayes-A.15",
        Saboteur("fixed law", "people a hundred times as far out", lambda: _in_full_cells(spread=100.0),
                 lambda: {"tail": 0.5}),
        Saboteur("packing", "distances of 4e-5, not of r", lambda: BOUNDS_BELOW_1 | {"radius": 2e-5},
                 lambda: {"radius": 0.06}),
        Saboteur("packing", "distances of 200, not of r",
                 lambda: {"radius": 100.0, "tail": 0.5, "left": 1.0, "right": 0.0}, lambda: {"radius": 0.06}),
        Saboteur("noise no louder", "twenty times the noise",
                 lambda: {"curator": LoudCounts}, lambda: {"curator": HalfTheCountNoise}),
        Saboteur("threshold no higher", "200 times as high",
                 lambda: {"curator": HighThreshold}, lambda: {"curator": LowThreshold}),
        Saboteur("plug-in", "the label of the minority",
                 lambda: BOUNDS_BELOW_1 | {"curator": StableMinority, "left": 1.0, "right": 1.0},
                 lambda: {"curator": ZerosCounted}),
        Saboteur("independent people", "1,000 people a household have the same record",
                 lambda: _in_full_cells(household=1000, k=100), lambda: {"n": 100, "k": 100}))
def ledger_bayes_a_15(n: int = 10**4, epsilon: float = 1.0, delta: float = 1e-3, tail: float = 2.0,
                      shells: int = 6, left: float = 0.8, right: float = 0.3, box: int = 1, M: int = 100,
                      k: int = 20, *, curator: type[StableVotes] = StableVotes, household: int = 1,
                      spread: float = 1.0, radius: float | None = None):
    """The ledger of Theorem A.15: Algorithm 5 (PCL2b) on the line, with the corrections of errata 24, 29, 30.

    Its subjects are one cell with given counts, whose noise is integrated; a law with a heavy tail; and the
    labels, whose probabilities are summed up over people, ones and zeros, and integrated over the noise.
    E|etahat' - etahat| is not summed over the sample: Theorem 2.7 uses its bound E min{1, 3 B / N}.

    n : people, 16 to 1e5.  epsilon, delta : the budget of each histogram, 0.01 to 10 nats, delta from 1e-10
        and below 1.
    tail, shells, left, right : the law, see `ldp_lib.lessons.bayes.ledger.cells.HeavyTail`; tail at most
        20, at most 14 shells, numbered from 0.  box : 1 to shells; the proof's ball has radius 2^box - 1.
    M, k : people below which a cell counts as thin, for the noise and for the sampling error.
    curator : a `StableVotes`.  household : people who have the same record, a divisor of n; 1 is independent
        people.  spread : of the law, the bounds are for 1.  radius : of the packing of the line, whose cells
        are twice as long; None is r = n^(-1/4).
    """
    epsilon, delta, release = _release(epsilon, delta, curator)
    line = OnTheLine(n, 10**5, tail, shells, left, right, box, household, spread, radius)
    n, household, cells, M, k = line.n, line.household, line.cells, whole("M", M), whole("k", k)
    exact, most = votes(cells, n, household), histogram_threshold(epsilon, delta) + 2 / epsilon
    counts = np.unique(np.geomspace(1, 50 * release.threshold, 12).round())
    chat = count_error(counts, counts, release.noise, release.threshold)
    allowed = histogram_error_bound(counts, epsilon, delta)
    worst = canonical(chat / allowed).argmax()           # of equals the first
    shared = [(count, ones) for count in counts for ones in sorted({1.0, np.ceil(count / 2), count})]
    errors = np.array([release.share_error(*cell) for cell in shared])
    bounds = histogram_error_bound(np.array(shared), epsilon, delta) @ [2, 1] / np.array(shared)[:, 0]
    worst_share = canonical(errors / bounds).argmax()
    N, probability = people_in_cell(n // household, cells.p)
    noise = np.minimum(1.0, 3 * most / (household * np.maximum(N, 1)))
    noise = float((cells.number * cells.p) @ (probability * noise).sum(axis=1))
    excess = excess_risk(cells, *release.label_probabilities(n // household, cells.p, cells.q, household))
    name, few = type(release).__name__, ("packing", "fixed law")
    quiet = "noise no louder", "threshold no higher"
    thin = min(1.0, few_people_bound(n, M - 1, line.allowed) + line.outside)
    rare = sum(few_people(cells, n, M - 1, household))
    sampling = sampling_bound(n, line.allowed, k) + 1.5 * line.outside
    steps = (
        Step("Theorem 2.4", "E|chat - c| <= min{1 + (2/eps)(1 + log(2/delta)), c + 2/eps}, the worst of 12",
             chat[worst], allowed[worst], "Bousquet et al. 2022, Theorem 2.4, with errata 24",
             subject=f"{counts[worst]:g} people at {name}", uses=quiet),
        Step("a sample", "E|etahat' - etahat| <= (E|yhat - y| + 2 E|chat - N|) / N, by Theorem 2.4",
             errors[worst_share], bounds[worst_share],
             subject="{:g} people, {:g} ones at {}".format(*shared[worst_share], name), uses=quiet),
        Step("(12)", "E min{1, 3 B / N} <= Pr[N < M] + 3 B / M, B = 1 + (2/eps)(1 + log(2/delta))", noise,
             rare + 3 * most / M, "algebra, errata 30: true of any law of N"),
        Step("Lemma A.9", "Pr[N < M] <= (2M + 2) cells / n + Pr[outside the ball]", rare, thin,
             "Lemma A.9, with errata 29", subject=people(household), uses=("independent people", *few)),
        *sampling_steps(cells, n, k, household, exact, line.bias, ("packing",)),
        Step("Theorem 2.7", "excess risk <= 2 (E min{1, 3 B / N} + E|etahat - etabar| + E|eta - etabar|)",
             excess, 2 * (noise + exact.sampling + exact.bias), "Bousquet et al. 2022, Theorem B.1",
             subject=f"labels of {name}", uses=("plug-in", *quiet)),
        Step("whole", "excess risk <= twice the sum of the bounds", excess,
             2 * (thin + 3 * most / M + sampling + line.bias), subject=f"labels of {name}",
             uses=("plug-in", "independent people", *quiet, *few), certain=1.0),
    )
    return {"epsilon": epsilon, "delta": delta, **line.params, "M": M, "k": k}, steps


@proves("bayes-A.13",
        Saboteur("fixed law", "people a hundred times as far out", lambda: _in_full_cells(spread=100.0),
                 lambda: {"tail": 0.5}),
        Saboteur("packing", "distances of 4e-5, not of r", lambda: _in_full_cells(radius=2e-5, shells=1),
                 lambda: {"radius": 0.06}),
        Saboteur("packing", "distances of 4, not of r", lambda: {"radius": 2.0}, lambda: {"radius": 0.06}),
        Saboteur("independent people", "1,250 people a household have the same record",
                 lambda: _in_full_cells(household=1250, k=4), lambda: {"n": 80, "k": 4}),
        Saboteur("halves", "the whole budget for each histogram", lambda: {"share": 1.0},
                 lambda: {"epsilon": 0.8}),
        Saboteur("threshold no higher", "200 times as high",
                 lambda: _in_full_cells(curator=HighThreshold),
                 lambda: _in_full_cells(curator=FineLattice)))
def ledger_bayes_a_13(n: int = 10**4, epsilon: float = 1.0, delta: float = 1e-3, tail: float = 2.0,
                      shells: int = 6, left: float = 0.8, right: float = 0.3, box: int = 1, k: int = 5, *,
                      curator: type[StableVotes] = StableVotes, household: int = 1, spread: float = 1.0,
                      radius: float | None = None, share: float = 0.5):
    """The ledger of Theorem A.13: a learner for unbounded spaces, (epsilon, delta)-private and consistent.

    It is Algorithm 5 with half the budget for each histogram, as `StableVoronoiClassifier` has it.  Theorem
    A.14 says why that is private, A.15 why it is consistent where hardly anybody has few people in her cell;
    here that is shown on the line.  All steps are counted; the condition on delta is about limits.

    n : people, 16 to 1e8.  epsilon, delta : the whole budget, 0.04 to 10 nats, 1e-9 <= delta < 1.
    k : people below which a cell counts as thin.  share : of the budget that each histogram has, 0.25 to 1;
        the bounds are for a half.
    The other parameters are those of `ledger_bayes_a_15`.
    """
    epsilon, delta = real("epsilon", epsilon, least=0.04, most=10), real("delta", delta, least=1e-9, below=1)
    share = real("share", share, least=0.25, most=1)
    *_, release = _release(share * epsilon, share * delta, curator)
    line = OnTheLine(n, 10**8, tail, shells, left, right, box, household, spread, radius)
    n, household, near, k = line.n, line.household, line.near, whole("k", k)
    threshold = histogram_threshold(epsilon / 2, delta / 2)
    spent = max(_divergence(release.coordinates(*pair), epsilon)
                for pair in _neighbours(math.ceil(threshold), 1))
    N, probability = people_in_cell(n // household, line.cells.p)
    unseen = probability * (1 - release.shown(household * N))
    unseen = float((line.cells.number * line.cells.p) @ unseen.sum(axis=1))
    name, lemma = type(release).__name__, "Lemma A.9, with errata 29"
    cells = f"Line().voronoi({line.length / 2:.3g})"
    steps = (
        Step("halves", "sup P(A) - e^epsilon Q(A) <= delta for both histograms", spent, delta,
             "Theorem A.14", subject=f"two neighbours at {name}, which spends {share:g} on each",
             uses=("halves",)),
        strict("packing", "r < distance of two centres, strictly", line.r, line.length, ", with errata 28",
               subject=cells, uses=("packing",)),
        Step("cover", "every point is within r of a centre, because the packing is maximal", line.length / 2,
             line.r, "Theorem A.4", subject=cells, uses=("packing",)),
        Step("cells", "those that meet the ball of radius theta are at most (8 theta / r)^ddim",
             line.near.number.sum(), line.allowed, lemma, subject=cells, uses=("packing",)),
        Step("outside", "P(X outside the ball) <= 2^(-tail box)", line.escaped, line.outside, lemma,
             subject="the law", uses=("fixed law",)),
        *few_steps(near, n, line.allowed, k, household, "Lemma A.9", ("packing",),
                   sum(few_people(line.far, n, k, household)), line.outside, ("fixed law",)),
        Step("unseen", "P(chat(x) = 0) <= Pr[N(x) <= 2 threshold] + delta / 8", unseen,
             sum(few_people(line.cells, n, math.floor(2 * threshold), household)) + delta / 8,
             "what the condition on delta is for", subject=f"people at {name}",
             uses=("threshold no higher",)),
    )
    return {"epsilon": epsilon, "delta": delta, **line.params, "k": k, "share": share}, steps


FAR = 40.0
"""Noise beyond as many scales, of probability e^-40, is left out of integrals."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
SAMPLE, NEGLECTED = 7.0, 1e-18
"""Sums over ones and zeros: standard deviations on either side, and the probability that is left out."""


@functools.lru_cache(maxsize=256)
def _two_laws(value, other, scale, steps, threshold):
    """`lattice_laws` of a count in the stability histogram."""
    return lattice_laws(value, other, LatticeLaplace(scale, steps), threshold)


def _rise(u, turn):
    """The integral of e^(-|w| + (w - turn) / 2) / 2 over w < u, for u <= turn."""
    return np.where(u < 0, np.exp(np.minimum(3 * u - turn, 0) / 2) / 3,
                    4 / 3 * np.exp(-np.maximum(turn, 0) / 2) - np.exp(-np.maximum(u + turn, 0) / 2))


def _fall(u, turn):
    """The integral of e^(-|w| - (w - turn) / 2) / 2 over w > u, for u >= turn."""
    return np.where(u < 0, 4 / 3 * np.exp(np.minimum(turn, 0) / 2) - np.exp(np.minimum(u + turn, 0) / 2),
                    np.exp(np.minimum(turn - 3 * u, 0) / 2) / 3)


def _multinomial(n, ones, zeros, q, rest):
    """P(as many ones, and zeros, in a cell of masses q and `rest`), n people; arrays broadcast together."""
    others = n - ones - zeros
    log = (gammaln(n + 1) - gammaln(ones + 1) - gammaln(zeros + 1) - gammaln(np.maximum(others, 0) + 1)
           + xlogy(ones, q) + xlogy(zeros, rest) + xlog1py(np.maximum(others, 0), -min(q + rest, 1.0)))
    return np.where(others >= 0, np.exp(log), 0.0)


class HalfTheCountNoise(StableVotes):
    """Noise of scale 1 / epsilon, the threshold as before."""

    loudness = 0.5


class LoudCounts(StableVotes):
    """Noise of scale 40 / epsilon, the threshold as before."""

    loudness = 20.0


class LowThreshold(StableVotes):
    """A threshold half as far above 1."""

    height = 0.5


class DoubleThreshold(StableVotes):
    """A threshold twice as far above 1."""

    height = 2.0


class HighThreshold(StableVotes):
    """A threshold 200 times as far above 1."""

    height = 200.0


class FineLattice(StableVotes):
    """Four times the steps in a noise scale."""

    steps = 4 * STEPS


class OneDrawForBoth(StableVotes):
    """The same noise on a cell's count of people and on its count of ones: if both show, so do the zeros."""

    def coordinates(self, sample, other):
        if len(sample) == 1:
            return super().coordinates(sample, other)
        pairs = []
        for one, two in zip(sample.T, other.T, strict=True):
            shown = self.shown(np.array([one[1], two[1]]))
            if one[0] - one[1] != two[0] - two[1]:
                pairs.append(([shown[0], 0.0, 1 - shown[0]], [0.0, shown[1], 1 - shown[1]]))
        return pairs


class BareOnes(StableVotes):
    """Labels from the counts themselves."""

    def says_one(self, count, ones):
        return np.where(2 * ones > count, 1.0, 0.0)


class StableMinority(StableVotes):
    """The other label."""

    def says_one(self, count, ones):
        return 1 - super().says_one(count, ones)


class ZerosCounted(StableVotes):
    """The second histogram is of the zeros, and the label 0 where the first exceeds half the count."""

    def share_error(self, count, ones):
        return super().share_error(count, count - ones)

    def label_probabilities(self, n, p, q, weight):
        return super().label_probabilities(n, p, p - q, weight)[::-1]


def _neighbours(crowd, replaced):
    """Pairs of neighbouring samples in two cells, as counts (2, 2) of people and of ones.

    All pairs of records of those who are replaced, with nobody else, or with three times `crowd` others in
    one cell or both.
    """
    def one(cell, y):
        counts = np.zeros((2, 2))
        counts[:, cell] = replaced, replaced * y
        return counts

    full = np.array([[3 * crowd], [2 * crowd]])
    for others in ((0, 0), (0, 1), (1, 1)):
        for before, after in itertools.combinations([(0, 0), (0, 1), (1, 0), (1, 1)], 2):
            yield full * others + one(*before), full * others + one(*after)


def _divergence(pairs, epsilon):
    """`hockey_stick` either way."""
    return hockey_stick(pairs, epsilon, both=True)


def _release(epsilon, delta, curator):
    """Checked: the budget of a histogram, and its release by a curator."""
    epsilon = real("epsilon", epsilon, least=0.01, most=10)
    delta = real("delta", delta, least=1e-10, below=1)
    return epsilon, delta, of_kind(curator, StableVotes)(epsilon, delta)


def _labels(release, sample, other):
    """Pairs of laws of the labels of the cells."""
    ones = zip(*(release.says_one(*counts) for counts in (sample, other)), strict=True)
    return [(np.array([1 - a, a]).clip(0), np.array([1 - b, b]).clip(0)) for a, b in ones]


class OnTheLine:
    """What Theorems A.13 and A.15 are about: n people with a heavy tail on the line, in Voronoi cells.

    `near`, `far` : `Cells` that meet the ball of radius theta about 0, and all others, of that `length`.
    r = n^(-1/4), for the doubling dimension of the line is 1; `allowed` is (8 theta / r)^1, `outside` bounds
    `escaped`, P(X outside the ball), and `bias` the bias.
    """

    def __init__(self, n, most, tail, shells, left, right, box, household, spread, radius):
        self.n, shells = whole("n", n, least=16, most=most), whole("shells", shells, most=14)
        self.household, box = divisor(household, self.n), whole("box", box, most=shells)
        told = HeavyTail(real("tail", tail, above=0, most=20), shells, real("left", left, least=0, most=1),
                         real("right", right, least=0, most=1))
        law = told._replace(spread=real("spread", spread, least=0.01, most=100))
        self.r, theta = self.n ** (-1 / 4), 2.0**box - 1
        radius = self.r if radius is None else real("radius", radius, above=0, most=100)
        require_memory(f"Cells at radius = {radius:g} with shells = {shells} and spread = {law.spread:g}",
                       200.0 * law.borders[-1] / radius, "Increase radius, or lower shells or spread.")
        self.length = Line().voronoi(radius).width
        self.near, self.far = line_cells(law, radius, theta)
        self.cells = Cells(*map(np.concatenate, zip(self.near, self.far, strict=True)))
        self.allowed = 8 * theta / self.r
        self.escaped = float(-sum(mass[0] for mass in law.masses(np.array([theta]))))
        self.outside = 2.0 ** (-told.tail * box) if box < shells else 0.0
        heights = shell_heights(told.tail, shells)
        density = (heights[:-1] + heights[1:]).sum()        # on both sides of 0, halved on each
        self.bias = smooth_bias_bound(told, density, 0.5, 2 * self.r)
        self.params = {"n": self.n, **law._asdict(), "box": box, "household": self.household}


def _in_full_cells(**others):
    """Arguments of A.13 and A.15 at which cells in the ball have 4,000 people."""
    return {"n": 10**5, "tail": 10.0, **others}


BOUNDS_BELOW_1 = _in_full_cells(epsilon=10.0, delta=0.5, M=30, k=20, shells=1)
"""Arguments of A.15 at which its bounds are below 1."""

"""The proofs of Bousquet et al. (2022) on unbounded spaces, executed: Theorems A.13 to A.15."""

import itertools
import math

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ldp_lib._arguments import real, whole
from ldp_lib.privacy import LatticeLaplace, RealLaplace, hockey_stick, lattice_laws
from ldp_lib.theory.curator import (
    few_people_bound, histogram_error_bound, histogram_threshold, sampling_bound,
)
from ldp_lib.theory.proofs.bayes import few_steps, people, sampling_steps, smooth_bias_bound
from ldp_lib.theory.proofs.cells import (
    Cells, HeavyTail, excess_risk, few_people, line_cells, people_in_cell, shell_heights, votes,
)
from ldp_lib.theory.proofs.steps import Saboteur, Step, proves

STEPS = 8
"""Of the noise lattice, in a noise scale, where all outcomes are listed; the library's noise has 1,024."""
FAR = 40.0
"""Noise beyond as many scales, of probability e^-40, is left out of integrals."""
SAMPLE, NEGLECTED = 7.0, 1e-18
"""Sums over ones and zeros: standard deviations on either side, and the probability that is left out."""


class StableVotes:
    """Algorithm 5 as printed: stability histograms of the people and of the ones among them, and labels.

    Each is run at (epsilon, delta): Laplace noise of scale 2 / epsilon on positive counts, which are set to 0
    below the threshold.  The label is 1 where min(yhat, chat) > chat / 2.
    """

    steps = STEPS

    def __init__(self, epsilon, delta):
        self.noise = RealLaplace(2 / epsilon)
        self.threshold = histogram_threshold(epsilon, delta)

    def coordinates(self, sample, other):
        """Pairs of laws of all that is released, for `hockey_stick`, under two neighbouring samples.

        sample, other : (2, cells) counts of people and of ones, or (1, cells) for one histogram.  The noise
        is on a lattice.
        """
        lattice = self._lattice()
        return [lattice_laws(one, two, lattice, self.threshold)
                for one, two in sorted(zip(sample.ravel(), other.ravel(), strict=True)) if one != two]

    def _lattice(self):
        return LatticeLaplace(self.noise.scale, self.steps)

    def shown(self, count):
        """P(chat > 0) for counts > 0, an array; 0 for counts of 0."""
        return np.where(count > 0, self.noise.tail(self.threshold - count), 0.0)

    def count_error(self, count):
        """E|chat - count| for counts >= 1, an array."""
        needed = self.threshold - count
        part = np.abs(needed) * self.noise.tail(np.abs(needed)) + self.noise.mean_excess(np.abs(needed))
        shown = np.where(needed > 0, part, 2 * self.noise.mean_excess(0.0) - part)
        return count * (1 - self.shown(count)) + shown

    def exceeds_one(self, count, ones):
        """P(etahat > 1), etahat = min(yhat, chat) / chat where chat > 0 and 0 elsewhere."""
        return 0.0

    def share_error(self, count, ones):
        """E|etahat - ones / count|, count >= 1: an integral over chat of what is exact given chat."""
        if ones == 0:
            return 0.0
        noise, share = self.noise, ones / count
        chat, weight = self._chats(count, self.threshold / share)
        target = np.maximum(share * chat, self.threshold)
        hidden = 1 - noise.tail(self.threshold - ones)
        above = ((target - share * chat) * noise.tail(target - ones) + noise.mean_excess(target - ones)
                 - self._capped(chat, ones))
        below = (noise.mean_excess(ones - share * chat) - noise.mean_excess(ones - self.threshold)
                 - (share * chat - self.threshold) * hidden)
        error = share * chat * hidden + above + np.where(share * chat > self.threshold, below, 0.0)
        return float(share * (1 - self.shown(np.array(count))) + weight @ (error / chat))

    def _capped(self, chat, ones):
        """E (yhat - chat)^+, which the minimum of both takes away."""
        return self.noise.mean_excess(chat - ones)

    def _chats(self, count, kink):
        """Nodes and weights of an integral over the law of chat > 0: Gauss-Legendre between its kinks."""
        reach = FAR * self.noise.scale
        low, high = max(self.threshold, count - reach), max(self.threshold, count) + reach
        kinks = np.unique(np.clip([low, kink, count, high], low, high))
        ends = np.concatenate([np.linspace(*pair, 13)[:-1] for pair in itertools.pairwise(kinks)] + [[high]])
        nodes, weights = np.polynomial.legendre.leggauss(8)
        half = np.diff(ends) / 2
        chat = ((ends[1:] + ends[:-1]) / 2)[:, None] + half[:, None] * nodes
        scale = self.noise.scale
        density = np.exp(-np.abs(chat - count) / scale) / (2 * scale)
        return chat.ravel(), (density * half[:, None] * weights).ravel()

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
        falling = np.where(late < 0, 4 / 3 * np.exp(np.minimum(turn, 0) / 2) - np.exp(np.minimum(late + turn, 0) / 2),
                           np.exp(np.minimum(turn - 3 * late, 0) / 2) / 3)
        large = tail(scale * start) - tail(scale * late) + (falling + _rise(early, turn) - _rise(turn, turn)) / 2
        return np.where(ones > 0, small + large, 0.0)

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


def _rise(u, turn):
    """The integral of e^(-|w| + (w - turn) / 2) / 2 over w < u, for u <= turn."""
    return np.where(u < 0, np.exp(np.minimum(3 * u - turn, 0) / 2) / 3,
                    4 / 3 * np.exp(-np.maximum(turn, 0) / 2) - np.exp(-np.maximum(u + turn, 0) / 2))


def _multinomial(n, ones, zeros, q, rest):
    """P(as many ones, and zeros, in a cell of masses q and `rest`), n people; arrays broadcast together."""
    others = n - ones - zeros
    log = (gammaln(n + 1) - gammaln(ones + 1) - gammaln(zeros + 1) - gammaln(np.maximum(others, 0) + 1)
           + xlogy(ones, q) + xlogy(zeros, rest) + xlog1py(np.maximum(others, 0), -min(q + rest, 1.0)))
    return np.where(others >= 0, np.exp(log), 0.0)


class HalfTheCountNoise(StableVotes):
    """Noise of scale 1 / epsilon, the threshold as before."""

    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        self.noise = RealLaplace(1 / epsilon)


class LoudCounts(StableVotes):
    """Noise of scale 40 / epsilon, the threshold as before."""

    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        self.noise = RealLaplace(40 / epsilon)


class LowThreshold(StableVotes):
    """A threshold half as far above 1."""

    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        self.threshold = (1 + self.threshold) / 2


class HighThreshold(StableVotes):
    """Twenty times the threshold."""

    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        self.threshold *= 20


class FineLattice(StableVotes):
    """Four times the steps in a noise scale."""

    steps = 4 * STEPS


class OneDrawForBoth(StableVotes):
    """The same noise on a cell's count of people and on its count of ones."""

    def coordinates(self, sample, other):
        if len(sample) == 1:
            return super().coordinates(sample, other)
        lattice = self._lattice()
        step = lattice.granularity
        reach = math.ceil(FAR * lattice.scale / step)
        noise = step * np.arange(-reach, reach + 1)
        mass = lattice.tail(np.abs(noise)) - lattice.tail(np.abs(noise) + step)
        pairs = []
        for cell in np.nonzero((sample != other).any(axis=0))[0]:
            shown = [np.where((counts[:, cell, None] > 0) & (counts[:, cell, None] + noise >= self.threshold),
                              counts[:, cell, None] + noise, 0.0) for counts in (sample, other)]
            _, outcome = np.unique(np.hstack(shown), axis=1, return_inverse=True)
            laws = (np.bincount(half, mass, minlength=outcome.max() + 1)
                    for half in np.split(outcome.ravel(), 2))
            pairs.append(tuple(law / law.sum() for law in laws))
        return pairs


class WithoutMinimum(StableVotes):
    """etahat = yhat / chat, without a minimum."""

    def exceeds_one(self, count, ones):
        """P(yhat > chat > 0)."""
        chat, weight = self._chats(count, self.threshold)
        return float(weight @ self.noise.tail(chat - ones))

    def _capped(self, chat, ones):
        return 0.0


class BareOnes(StableVotes):
    """Labels from the counts themselves."""

    def says_one(self, count, ones):
        return np.where(2 * ones > count, 1.0, 0.0)


class StableMinority(StableVotes):
    """The other label."""

    def says_one(self, count, ones):
        return 1 - super().says_one(count, ones)

    def label_probabilities(self, n, p, q, weight):
        return super().label_probabilities(n, p, q, weight)[::-1]


class ZerosCounted(StableVotes):
    """The second histogram is of the zeros, and the label 0 where the first exceeds half the count."""

    def share_error(self, count, ones):
        return super().share_error(count, count - ones)

    def label_probabilities(self, n, p, q, weight):
        return super().label_probabilities(n, p, p - q, weight)[::-1]


def _of(curator, **others):
    return lambda: {"curator": curator, **others}


def _neighbours(crowd, replaced):
    """Pairs of neighbouring samples in two cells, as counts (2, 2) of people and of ones: all pairs of records
    of those who are replaced, with nobody else or three times `crowd` others in either cell."""
    def one(cell, y):
        counts = np.zeros((2, 2))
        counts[:, cell] = replaced, replaced * y
        return counts

    full = np.array([[3 * crowd], [2 * crowd]])
    for others in itertools.product((0, 1), repeat=2):
        for before, after in itertools.combinations([(0, 0), (0, 1), (1, 0), (1, 1)], 2):
            yield full * others + one(*before), full * others + one(*after)


def _divergence(pairs, epsilon):
    """`hockey_stick` either way."""
    return max(hockey_stick(pairs, epsilon), hockey_stick([pair[::-1] for pair in pairs], epsilon))


RELEASE = (
    Saboteur("one record", "two people with the same record are replaced", lambda: {"replaced": 2},
             lambda: {"crowd": 30}),
    Saboteur("noise scale", "half the noise", _of(HalfTheCountNoise), _of(FineLattice)),
    Saboteur("threshold", "half as far above 1", _of(LowThreshold), _of(HighThreshold)),
    Saboteur("draws of their own", "the same noise for people and for ones", _of(OneDrawForBoth, crowd=8),
             _of(FineLattice, crowd=8)),
    Saboteur("post-processing", "labels from the bare counts", _of(BareOnes), _of(StableMinority)),
)


@proves("bayes-A.14", *RELEASE)
def ledger_bayes_a_14(epsilon: float = 1.0, delta: float = 1e-3, curator: type[StableVotes] = StableVotes,
                      replaced: int = 1, crowd: int | None = None):
    """The ledger of Theorem A.14: Algorithm 5 (PCL2b) is (2 epsilon, 2 delta)-private.

    Its subjects are two neighbouring samples in two cells, all of which are gone through: a record moves or
    changes its label, alone or among a crowd; what is released of them is a product of laws on a lattice,
    whose hockey-stick divergence is a sum.  All steps are counted.

    epsilon : nats of a histogram, 0.01 to 10.  delta : its probability, 1e-10 <= delta < 1, above the
        rounding of sums of probabilities.
    curator : a `StableVotes`.  replaced : people with the same record who are replaced.  crowd : a third of
    the others in a full cell, two thirds of them ones; None is the threshold.
    """
    epsilon, delta, release = _release(epsilon, delta, curator)
    crowd = math.ceil(release.threshold) if crowd is None else whole("crowd", crowd, most=10**9)
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
    subject = f"{who} at {name}, {crowd} others"
    private = ("one record", "noise scale", "threshold")
    steps = (
        Step("people", "one record replaced moves the counts of people by 2 at most", moved[0], 2.0, theorem,
             subject=subject, uses=("one record",)),
        Step("ones", "and those of ones by 2 at most", moved[1], 2.0, theorem, subject=subject,
             uses=("one record",)),
        Step("a count", "log-likelihood ratio of a positive count and the next one <= epsilon / 2",
             max(_largest_ratio(*pair) for loss in losses for pair in loss), epsilon / 2, theorem,
             subject=f"counts of {', '.join(map(str, counts))} at {name}", uses=("noise scale",)),
        Step("alone", "P(a lone person shows) <= delta", _divergence(alone, epsilon), delta, theorem,
             subject=f"one person and nobody at {name}", uses=("threshold",)),
        Step("first histogram", "sup P(A) - e^epsilon Q(A) <= delta for the counts of people", people_spent,
             delta, theorem, subject=subject, uses=private),
        Step("second histogram", "sup P(A) - e^epsilon Q(A) <= delta for the counts of ones", ones_spent,
             delta, theorem, subject=subject, uses=private),
        Step("composition", "sup P(A) - e^(2 epsilon) Q(A) <= 2 delta for both", both, 2 * delta,
             subject=subject, uses=(*private, "draws of their own")),
        Step("labels", "sup P(A) - e^(2 epsilon) Q(A) <= 2 delta for the labels of both cells", labels,
             2 * delta, "post-processing", subject=subject, uses=(*private, "post-processing")),
    )
    return {"epsilon": epsilon, "delta": delta, "replaced": replaced, "crowd": crowd}, steps


def _release(epsilon, delta, curator):
    """Checked: the budget of a histogram, and its release by a curator."""
    if not (isinstance(curator, type) and issubclass(curator, StableVotes)):
        raise TypeError(f"curator = {curator!r:.60} is no StableVotes; take one of "
                        "ldp_lib.theory.proofs.unbounded, or a subclass.")
    epsilon = real("epsilon", epsilon, least=0.01, most=10)
    delta = real("delta", delta, least=1e-10, below=1)
    return epsilon, delta, curator(epsilon, delta)


def _labels(release, sample, other):
    """Pairs of laws of the labels of the cells."""
    ones = zip(*(release.says_one(*counts) for counts in (sample, other)), strict=True)
    return [(np.array([1 - a, a]).clip(0), np.array([1 - b, b]).clip(0)) for a, b in ones]


def _largest_ratio(p, q):
    return np.abs(np.log(p / q)).max()

"""Private semi-supervised learning: Bousquet et al. (2022), Theorem 4.11.

Nets of thresholds, intervals and rectangles, and the exponential mechanism on them. A hypothesis says 1
inside a box: [t, inf), [s, t) or [s, t) x [u, v). A net takes its edges from quantiles of a sample; moving an
edge of any hypothesis to the nearest one changes it on a part of a strip between two quantiles.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice, real  # noqa: F401  (inherited parameters name it)
from ldp_lib.estimation.base import Classifier, CuratorEstimator, check_labels, parameters, public_classes
from ldp_lib.estimation.densities import StableHistogramDensity
from ldp_lib.privacy.exact import exponential_choice, whole_below

CANDIDATES = 5e8
"""Hypotheses that are looked at, some ten seconds of work."""
BLOCK = 2**17
"""Hypotheses looked at together."""


ENDS = {"thresholds": 1, "intervals": 2, "rectangles": 4}
"""Classes of hypotheses and their number of free ends, which is also their VC dimension."""


class Net(NamedTuple):
    """The hypotheses to choose from, see `net`."""

    axes: int
    """Features."""
    strips: int
    """On each axis."""
    candidates: int
    """Hypotheses with all ends between strips."""
    synthetic: int
    """People, drawn from the private density, whose quantiles separate the strips."""


def net(hypotheses, accuracy, failure):
    """`Net` within accuracy / 4 of every hypothesis under the density it samples, but for probability
    `failure`.

    k = 5 ends / accuracy strips on each axis hold as many synthetic people each, and their masses are below
    5/(4k), unless a binomial count of mean 5/4 of those people is not above them: exp(-synthetic / (40 k)) at
    most for each strip.
    """
    ends = ENDS[choice("hypotheses", hypotheses, ENDS)]
    cure = "accuracy is an error probability, for example 0.1."
    k = math.ceil(5 * ends / real("accuracy", accuracy, above=0, below=1, cure=cure))
    axes = 2 if hypotheses == "rectangles" else 1
    candidates = k + 1 if ends == 1 else (k * (k + 1) // 2) ** axes + 1
    cure = "failure is a probability, for example 0.05."
    failure = real("failure", failure, above=0, below=1, cure=cure)
    return Net(axes, k, candidates, k * math.ceil(40 * math.log(axes * k / failure)))


def labelled_sample_size(hypotheses: str, accuracy: float, failure: float, epsilon: float) -> int:
    """Labelled people after whom the error is at most `accuracy`, except with probability `failure`.

    m = O((1/(epsilon a)) VC log(1/(a b))) with constants (Theorem 4.11 of [1]_), a the accuracy and b the
    failure probability, for labels that follow a hypothesis of the class and a density estimate within a/8 of
    the truth in total variation; X has a density, or no estimate comes that near. Then some member of the net
    errs at most 3a/8. Each of three events has probability at most b/3: it makes m a/2 errors among m people;
    one that errs more than a makes fewer than 3ma/4; the exponential mechanism takes one with ma/4 more
    errors than the fewest.

    Parameters
    ----------
    hypotheses : {"thresholds", "intervals", "rectangles"}
        Class of hypotheses, see `PrivateSemiSupervised`.
    accuracy : float
        a, the error probability aimed at, in (0, 1).
    failure : float
        b, the probability of failing, in (0, 1).
    epsilon : float
        Privacy budget of the labelled people in nats, > 0.

    Returns
    -------
    int
        m, the number of labelled people.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Theorem 4.11, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> labelled_sample_size("thresholds", accuracy=0.1, failure=0.05, epsilon=1.0)
    2948
    """
    candidates, epsilon = net(hypotheses, accuracy, failure).candidates, real("epsilon", epsilon, above=0)
    each = max(32, 8 / epsilon) * math.log(3 * candidates / failure)
    return math.ceil(max(72 * math.log(3 / failure), each) / accuracy)


def net_edges(sample, k):
    """Edges of k strips on each axis of a sample (n, d): (d, k + 1) increasing, the outer ones infinite."""
    edges = np.quantile(sample, np.arange(1, k) / k, axis=0, method="lower").T
    outer = np.full((len(edges), 1), np.inf)
    return np.hstack([-outer, edges, outer])


def private_choice(hypotheses, edges, X, y, epsilon, rng):
    """A box (lower, upper), (d,) each, by the exponential mechanism: probability ~ exp(-epsilon errors / 2).

    Replacing one labelled person changes a number of errors by at most 1 (McSherry & Talwar, 2007). Errors
    are whole numbers, so that boxes with as many errors are counted, the number is drawn, and then one of
    its boxes; all exactly, in whole numbers.  rng : a numpy Generator or any source of `bytes`.
    """
    d, k = len(edges), edges.shape[1] - 1
    pairs = [_pairs(ENDS[hypotheses] // d, k)] * d + [np.array([[0], [1]])] * (2 - d)
    candidates = pairs[0].shape[1] * pairs[1].shape[1]
    if candidates > CANDIDATES:
        raise ValueError(f"the net has {candidates:,} {hypotheses}, too many to look at; raise accuracy.")
    table = _cumulative_votes(edges, X, y)
    rows = max(1, BLOCK // pairs[1].shape[1])
    blocks = [pairs[0][:, start:start + rows] for start in range(0, pairs[0].shape[1], rows)]
    found = np.array([np.bincount(_errors(table, block, pairs[1], y).ravel(), minlength=len(y) + 1)
                      for block in blocks])
    number = found.sum(axis=0)
    fewest = np.flatnonzero(number)[0]
    errors = fewest + exponential_choice(number[fewest:].tolist(), Fraction(epsilon) / 2, rng)
    place = whole_below(int(number[errors]), rng)
    which = np.searchsorted(found[:, errors].cumsum(), place, side="right")
    before = found[:which, errors].sum()
    row, column = np.argwhere(_errors(table, blocks[which], pairs[1], y) == errors)[place - before]
    ends = [blocks[which][:, row], pairs[1][:, column]][:d]
    lower, upper = zip(*(axis[end] for axis, end in zip(edges, ends, strict=True)), strict=True)
    return np.array(lower), np.array(upper)


def _pairs(sides, k):
    """Numbers of lower and upper edges along an axis, (2, pairs)."""
    if sides == 1:
        return np.stack([np.arange(k + 1), np.full(k + 1, k)])
    return np.stack(np.triu_indices(k + 1, 1))


def _cumulative_votes(edges, X, y):
    """Ones minus zeros below each pair of edges, (k + 1, k + 1), or (k + 1, 2) for one feature."""
    votes, _ = np.histogramdd(X, list(edges), weights=2 * y - 1)
    votes = votes.astype(np.intp).reshape(edges.shape[1] - 1, -1)
    return np.pad(votes.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


def _errors(table, first, second, y):
    """Wrong labels of each box with sides `first` on one axis and `second` on the other."""
    band = table[first[1]] - table[first[0]]
    return y.sum() - (band[:, second[1]] - band[:, second[0]])


@parameters
class PrivateSemiSupervised(CuratorEstimator, Classifier):
    """Learn a threshold, an interval or a rectangle from many people without labels and few with them.

    The people without labels are seen by `StableHistogramDensity` only, at (epsilon, delta); a synthetic
    sample drawn from it yields a net of hypotheses. The labelled people choose among them by the exponential
    mechanism, at epsilon. The two groups are disjoint, and who belongs to which is public, so that together
    this is (epsilon, delta)-private under replacement of one person in either. If X has a density, how many
    labels are enough does not depend on it (`ldp_lib.estimation.labelled_sample_size`); how many people
    without labels does. Without a density the theorem promises nothing: two atoms inside one cube of the
    estimate are told apart by no number of labels. Density, synthetic sample and labels each fail with
    probability b at most: 3b in all, not the printed 2b.

    Parameters
    ----------
    epsilon, delta : the budget, epsilon > 0 in nats, 0 < delta < 1.
    hypotheses : "thresholds" (1 for x >= t), "intervals" (1 inside) or "rectangles" (two features, 1 inside).
    accuracy : a, the error probability aimed at, in (0, 1); the net is within a/4.
    failure : b, in (0, 1), sets the size of the synthetic sample.
    side : side of the cubes of the density estimate; None is n^(-1/(2d)), n people without labels.
    noise : "lattice" (default) or "real".
    classes : the two labels, (class 0, class 1), public; others are refused, but for -1, which is no label.
    rng : None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations.
        Whoever knows it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    lower_, upper_ : (d,), the box inside which the label is class 1.  density_ : the density estimate.
    classes_ : `classes`. The number of errors of the choice is not kept: it would not be private.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.random((20_000, 1))
    >>> y = np.where(np.arange(20_000) < 300, X[:, 0] >= 0.4, -1)        # 300 people have labels
    >>> rule = PrivateSemiSupervised(epsilon=1.0, delta=1e-6, rng=1).fit(X, y)
    >>> rule.predict([[0.1], [0.9]]).tolist()
    [0, 1]
    """

    delta: float = 1e-6
    hypotheses: str = "thresholds"
    _: KW_ONLY
    accuracy: float = 0.1
    failure: float = 0.05
    side: float | None = None
    classes: ArrayLike = (0, 1)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from X (n, d) and y (n,), one of `classes` with a label and -1 without. Returns self."""
        axes, strips, _, size = net(self.hypotheses, self.accuracy, self.failure)
        epsilon = real("epsilon", self.epsilon, above=0, cure="epsilon is the privacy budget in nats.")
        self.classes_ = public_classes(self.classes)
        if -1 in self.classes_:
            raise ValueError(f"classes = {self.classes!r:.60} holds -1, which marks people without a label; "
                             "name two other labels.")
        X, y = self._checked(X, y)
        if X.shape[1] != axes:
            raise ValueError(f"X has {X.shape[1]} features; {self.hypotheses} need {axes}.")
        labelled, zeros, ones = y != -1, y == self.classes_[0], y == self.classes_[1]
        check_labels(~labelled | zeros | ones, self.classes)
        if labelled.all() or not labelled.any():
            raise ValueError("y must hold people with labels, of `classes`, and people without, -1.")
        rng = self._source(secure=True)
        self.density_ = StableHistogramDensity(epsilon, self.delta, side=self.side, noise=self.noise, rng=rng)
        density = self.density_.fit(X[~labelled])
        # Whoever knows the density may draw from it: no secret is needed here.
        synthetic = density.sample(size, rng=rng if isinstance(rng, np.random.Generator) else None)
        edges, X, y = net_edges(synthetic, strips), X[labelled], ones[labelled].astype(np.int64)
        self.lower_, self.upper_ = private_choice(self.hypotheses, edges, X, y, epsilon, rng)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class 1 inside the box, class 0 outside, for each row of X."""
        X = self._features(X)
        return self.classes_[((X >= self.lower_) & (X < self.upper_)).all(axis=1).astype(np.int64)]

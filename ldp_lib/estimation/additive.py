"""A rule for many features that asks each person about one of them."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, whole
from ldp_lib.estimation.asking import AsksPeople
from ldp_lib.estimation.base import GridClassifier, parameters, public_classes
from ldp_lib.estimation.posterior import PosteriorMean, Questions, noise, smooth_and_blocky
from ldp_lib.privacy import CellAggregate, DyadicBit, SignedSubset
from ldp_lib.privacy.responses import hadamard_transform


@parameters
class AdditiveClassifier(PosteriorMean, AsksPeople, GridClassifier):
    """Class 1 where sum_k g_k(x_k) - (d - 1) m >= 0, for 5 to 20 features and more: a person tells of one.

    g = f (eta - 1/2) is the signed density of `AdaptiveClassifier`, m its integral, and g_k(x_k) its
    integral over all other features: what (x_k, y) alone tells. Everybody is in the group of one feature,
    which is public and drawn before anybody answers, and sends one report on (x_k, y), of budget alpha. The
    g_k are the posterior means of `AdaptiveClassifier`, each from n/d people and in one dimension: each is
    as exact as from d times fewer people, and the sum of d of them takes about d^2 times the people of one
    feature at equal error, not the d-th power of the number of cells.

    What is learnt. sum_k g_k - (d - 1) m is the orthogonal projection in L2([0, 1]^d) of g on the sums of
    functions of single features. Its sign is the best rule if g is such a sum, for example if X is uniform
    and eta additive. No rate and no consistency is proved. Of what only several features together tell, as
    XOR of two of them does, it learns nothing, from however many people. If X is not uniform, g_k weighs what
    x_k tells by how many people are there: let a `PublicBox` with public bounds spread them.

    Simulated, 100,000 people with 10 uniform features (mean of 10 surveys, standard error): where eta adds up
    from three of them and the best rule is right in 66.8% of all cases, this one was in 64.1% (0.3) at
    alpha = 1 and 66.5% (0.1) at 4; of XOR, where the best is right in 95%, it was in 50.1% (0.2) and 50.2%.

    Parameters
    ----------
    alpha : local privacy budget in nats, 10^-100 to 10^4.
    levels : J, the finest intervals of a feature asked about have length 2^-J; 0 to 8. None takes that of
        `AdaptiveClassifier` for n/d people with one feature.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : of the groups and the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy.
        Whoever knows it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : how often each person may be asked in all, by this rule and its copies: 1 unless given. Once more
        is `AskedAgainError`, or a warning if people are simulated.

    Attributes
    ----------
    mechanism_ : what everybody ran on her one feature, a `DyadicBit`, or a `SignedSubset` at large alpha.
    aggregates_ : the sums of the reports on each feature, a tuple of d.
    scores_ : g_k less its own integral on 4096 equal cells, (d, 4096).  offset_ : m, the mean of these
        integrals, weighed by people.
    smooth_ : posterior probability of each g_k that it is smooth, (d,).  degrees_of_freedom_ : of all g_k.
    classes_ : `classes`.
    total_loss_ : nats told by whoever was asked each time, by this rule and its copies up to this fit.

    >>> X = np.random.default_rng(1).random((60_000, 10))
    >>> y = X[:, 0] + X[:, 1] > 1
    >>> rule = AdditiveClassifier(alpha=2.0, rng=2).fit(X, y)
    >>> rule.predict([[0.2] * 10, [0.9, 0.8] + [0.5] * 8]).tolist()
    [0, 1]
    """

    alpha: float = 1.0
    levels: int | None = None
    rng: Randomness = None
    _subset = SignedSubset

    def build_mechanism(self, n: int, d: int) -> DyadicBit | SignedSubset:
        """What each of n people runs on one of her d features."""
        return self._asked(max(whole("n", n) // whole("d", d), 1), 1)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Simulate n >= d people (rows of X, labels y), in groups of n/d, who report. Returns self.

        Whoever calls this holds the data, and numpy draws groups and reports from `rng`, which the rule
        forgets. Let real people run `send` of the mechanism, and use `fit_aggregate`. `AskedAgainError` as
        in `AdaptiveClassifier`.
        """
        X, y = self._validated(X, y)
        n, d = X.shape
        if n < d:
            raise ValueError(f"{n} people are too few for {d} features: every feature needs a person.")
        mechanism = self.build_mechanism(n, d)
        source, loss = self._ask()
        group = source.permutation(n) % d
        self._learn(mechanism, [
            mechanism.simulate_aggregate(X[group == k, k:k + 1], y[group == k], rng=source)
            for k in range(d)]).total_loss_ = loss
        return self

    def fit_aggregate(self, aggregates: list[CellAggregate]) -> Self:
        """Learn from d sums of reports alone, those of the people asked about feature 0, 1, ... Returns self.

        They are of `build_mechanism(n, d)`, n being the people of all groups.
        """
        if not isinstance(aggregates, (list, tuple)) or not aggregates:
            found = "empty" if isinstance(aggregates, (list, tuple)) else f"a {type(aggregates).__name__}"
            raise TypeError(f"aggregates is {found}; it must be a list, with a CellAggregate for every "
                            "feature.")
        n = sum(CellAggregate.legal(aggregate).people for aggregate in aggregates)
        mechanism = self.build_mechanism(n, len(aggregates))
        aggregates = [CellAggregate.checked(aggregate, mechanism) for aggregate in aggregates]
        self.classes_, self.n_features_in_, self.rng = public_classes(self.classes), len(aggregates), None
        # Names of an earlier fit would be checked against people of another sample.
        vars(self).pop("feature_names_in_", None)
        return self._learn(mechanism, aggregates)

    def _learn(self, mechanism, aggregates):
        self.mechanism_, self.aggregates_ = mechanism, tuple(aggregates)
        self.total_loss_ = mechanism.alpha
        spread, beliefs = Questions.of(mechanism).spread, smooth_and_blocky(mechanism)
        smooth, freedom, masses = [], 0.0, []
        for aggregate in aggregates:
            seen = hadamard_transform(mechanism.score(aggregate)) / spread
            share, _, mean = self._average(seen, noise(mechanism) / aggregate.people, beliefs)
            smooth.append(share[0])
            masses.append(mean)
            freedom += self.degrees_of_freedom_
        self.smooth_, self.degrees_of_freedom_ = np.array(smooth), freedom
        masses = np.array(masses)
        wholes = masses.sum(axis=1)
        self.offset_ = float(np.average(wholes, weights=[aggregate.people for aggregate in aggregates]))
        self.scores_ = masses * masses.shape[1] - wholes[:, None]
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """sum_k g_k(x_k) - (d - 1) m at each row of X, (n, d) -> (n,); class 1 where it is >= 0."""
        X, cells = self._features(X), self.scores_.shape[1]
        cell = np.minimum((np.clip(X, 0, 1) * cells).astype(np.intp), cells - 1)
        return self.scores_[np.arange(X.shape[1]), cell].sum(axis=1) + self.offset_

"""Private semi-supervised learning: Bousquet et al. (2022), Theorem 4.11."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ldp_lib._arguments import choice, generator, real
from ldp_lib.estimation.hypotheses import HYPOTHESES, net_edges, private_choice, strips, synthetic_sample_size
from ldp_lib.estimation.stable_density import StableHistogramDensity


class PrivateSemiSupervised(ClassifierMixin, BaseEstimator):
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
    rng : numpy Generator, seed, None for fresh entropy, or "secure" for people who exist. A seed that others
    know undoes the privacy.

    Attributes
    ----------
    lower_, upper_ : (d,), the box inside which the label is 1.  density_ : the density estimate.  classes_ :
    0 and 1. The number of errors of the choice is not kept: it would not be private.
    """

    def __init__(self, epsilon=1.0, delta=1e-6, hypotheses="thresholds", *, accuracy=0.1, failure=0.05,
                 side=None, noise="lattice", rng=None):
        self.epsilon = epsilon
        self.delta = delta
        self.hypotheses = hypotheses
        self.accuracy = accuracy
        self.failure = failure
        self.side = side
        self.noise = noise
        self.rng = rng

    def fit(self, X, y):
        """Learn from X (n, d) and y (n,), 0 or 1 with a label and -1 without. Returns self."""
        family = HYPOTHESES[choice("hypotheses", self.hypotheses, HYPOTHESES)]
        epsilon = real("epsilon", self.epsilon, above=0, cure="epsilon is the privacy budget in nats.")
        X, y = validate_data(self, X, y, dtype=float)
        if X.shape[1] != family.d:
            raise ValueError(f"X has {X.shape[1]} features; {self.hypotheses} need {family.d}.")
        if not np.isin(y, (-1, 0, 1)).all():
            raise ValueError("y must hold 0 or 1, and -1 for people without a label.")
        y, labelled = y.astype(np.int64), y != -1
        if labelled.all() or not labelled.any():
            raise ValueError("y must hold people with labels, 0 or 1, and people without, -1.")
        rng = generator(self.rng, secure=True)
        size = synthetic_sample_size(self.hypotheses, self.accuracy, self.failure)
        self.classes_ = np.array([0, 1])
        self.density_ = StableHistogramDensity(epsilon, self.delta, side=self.side, noise=self.noise, rng=rng)
        density = self.density_.fit(X[~labelled])
        # Whoever knows the density may draw from it: no secret is needed here.
        synthetic = density.sample(size, rng=rng if isinstance(rng, np.random.Generator) else None)
        # The fitted density must not carry on the generator that the choice below draws from.
        self.density_.set_params(rng=None)
        edges = net_edges(synthetic, strips(self.hypotheses, self.accuracy))
        few = X[labelled], y[labelled]
        self.lower_, self.upper_ = private_choice(self.hypotheses, edges, *few, epsilon, rng)
        return self

    def predict(self, X):
        """1 inside the box, 0 outside, for each row of X."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, reset=False)
        return ((X >= self.lower_) & (X < self.upper_)).all(axis=1).astype(np.int64)

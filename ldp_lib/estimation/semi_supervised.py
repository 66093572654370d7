"""Private semi-supervised learning: Bousquet et al. (2022), Theorem 4.11."""

import numpy as np

from ldp_lib._arguments import choice, real
from ldp_lib.estimation.base import Classifier, check_is_fitted
from ldp_lib.estimation.discreet import Discreet, check_labels, public_classes
from ldp_lib.estimation.hypotheses import HYPOTHESES, net_edges, private_choice, strips, synthetic_sample_size
from ldp_lib.estimation.stable_density import StableHistogramDensity


class PrivateSemiSupervised(Classifier, Discreet):
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
    """

    def __init__(self, epsilon=1.0, delta=1e-6, hypotheses="thresholds", *, accuracy=0.1, failure=0.05,
                 side=None, noise="lattice", classes=(0, 1), rng=None):
        self.epsilon = epsilon
        self.delta = delta
        self.hypotheses = hypotheses
        self.accuracy = accuracy
        self.failure = failure
        self.side = side
        self.noise = noise
        self.classes = classes
        self.rng = rng

    def fit(self, X, y):
        """Learn from X (n, d) and y (n,), one of `classes` with a label and -1 without. Returns self."""
        family = HYPOTHESES[choice("hypotheses", self.hypotheses, HYPOTHESES)]
        epsilon = real("epsilon", self.epsilon, above=0, cure="epsilon is the privacy budget in nats.")
        self.classes_ = public_classes(self.classes)
        if -1 in self.classes_:
            raise ValueError(f"classes = {self.classes!r:.60} holds -1, which marks people without a label; "
                             "name two other labels.")
        X, y = self._checked(X, y)
        if X.shape[1] != family.d:
            raise ValueError(f"X has {X.shape[1]} features; {self.hypotheses} need {family.d}.")
        labelled, zeros, ones = y != -1, y == self.classes_[0], y == self.classes_[1]
        check_labels(~labelled | zeros | ones, self.classes)
        if labelled.all() or not labelled.any():
            raise ValueError("y must hold people with labels, of `classes`, and people without, -1.")
        size = synthetic_sample_size(self.hypotheses, self.accuracy, self.failure)
        rng = self._source(secure=True)
        self.density_ = StableHistogramDensity(epsilon, self.delta, side=self.side, noise=self.noise, rng=rng)
        density = self.density_.fit(X[~labelled])
        # Whoever knows the density may draw from it: no secret is needed here.
        synthetic = density.sample(size, rng=rng if isinstance(rng, np.random.Generator) else None)
        edges = net_edges(synthetic, strips(self.hypotheses, self.accuracy))
        few = X[labelled], ones[labelled].astype(np.int64)
        self.lower_, self.upper_ = private_choice(self.hypotheses, edges, *few, epsilon, rng)
        return self

    def predict(self, X):
        """Class 1 inside the box, class 0 outside, for each row of X."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return self.classes_[((X >= self.lower_) & (X < self.upper_)).all(axis=1).astype(np.int64)]

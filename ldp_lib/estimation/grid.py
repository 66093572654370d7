"""What the classifiers on a cubic grid share: labels, scores on cells, prediction."""

import numpy as np

from ldp_lib.estimation.base import Classifier, check_is_fitted
from ldp_lib.estimation.discreet import Discreet, check_labels, public_classes
from ldp_lib.privacy import CellAggregate


class GridClassifier(Classifier, Discreet):
    """A rule that is constant on the cells of a grid over [0, 1]^d: class 1 where the score is > 0.

    At a score of 0 it is class 1, too, except where `_ties_say_one` is False: the papers differ.
    Subclasses have a parameter `classes`, compute `scores_`, an array over the cells, and say in `_cell`
    which cell holds a point. Points outside [0, 1]^d belong to the nearest cell.
    """

    _ties_say_one = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # The domain [0, 1]^d is public and fixed: data elsewhere teach the rule nothing.
        tags.classifier_tags.poor_score = True
        return tags

    def _validated(self, X, y):
        """X as floats and y as zeros and ones; `classes_` are the labels that were named, not those in y."""
        self.classes_ = public_classes(self.classes)
        X, y = self._checked(X, y, ensure_min_samples=2)
        zeros, ones = y == self.classes_[0], y == self.classes_[1]
        check_labels(zeros | ones, self.classes)
        return X, ones.astype(np.int64)

    def decision_function(self, X):
        """The score of the cell of each row of X, shape (n,); class 1 where it is > 0, ties aside."""
        check_is_fitted(self)
        return self.scores_[tuple(self._cell(self._features(X)).T)]

    def _features(self, X):
        """X as floats with the features of the fit."""
        return self._checked(X, reset=False)

    def predict(self, X):
        """Predicted labels, one for each row of X."""
        score = self.decision_function(X)
        positive = score >= 0 if self._ties_say_one else score > 0
        return self.classes_[positive.astype(int)]


class ReportClassifier(GridClassifier):
    """A rule on a grid that learns from the sums of private reports, and from nothing else.

    Subclasses have parameters `classes` and `rng`. They say in `_mechanism_of(n, d)` what n people with d
    features run, in `_sums` which kind of aggregate comes of it, and in `_learn(mechanism, aggregate)` what
    they learn.
    """

    _sums = CellAggregate

    def fit(self, X, y):
        """Simulate n >= 2 people (rows of X, labels y) who report privately; keep the sums. Returns self.

        Whoever calls this holds the data, and numpy draws the noise of all reports in floating point, from
        `rng`, which the rule forgets; None seeds it afresh. Let real people run `privatize` or `send` of the
        mechanism, and use `fit_aggregate`.
        """
        X, y = self._validated(X, y)
        mechanism = self._mechanism_of(*X.shape)
        return self._learn(mechanism, mechanism.simulate_aggregate(X, y, rng=self._source()))

    def fit_aggregate(self, aggregate, d=1):
        """Learn from sums of reports alone, as an analyst would; nothing is drawn. Returns self."""
        people = int(np.sum(self._sums.legal(aggregate).people))
        mechanism = self._mechanism_of(people, d)
        aggregate = self._sums.checked(aggregate, mechanism)
        self.classes_, self.n_features_in_, self.rng = public_classes(self.classes), d, None
        # Names of an earlier fit would be checked against people of another sample.
        vars(self).pop("feature_names_in_", None)
        return self._learn(mechanism, aggregate)

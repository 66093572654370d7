"""What the classifiers on a cubic grid share: labels, scores on cells, prediction."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ldp_lib._arguments import generator
from ldp_lib.privacy import CellAggregate


class GridClassifier(ClassifierMixin, BaseEstimator):
    """A rule that is constant on the cells of a grid over [0, 1]^d: class 1 where the score is > 0.

    At a score of 0 it is class 1, too, except where `_ties_say_one` is False: the papers differ.
    Subclasses compute `scores_`, an array over the cells, and say in `_cell` which
    cell holds a point. Points outside [0, 1]^d belong to the nearest cell.
    """

    _ties_say_one = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # The domain [0, 1]^d is public and fixed: data elsewhere teach the rule nothing.
        tags.classifier_tags.poor_score = True
        return tags

    def _validated(self, X, y):
        """X as floats and y as zeros and ones; the two labels are public and stored in `classes_`."""
        X, y = validate_data(self, X, y, dtype=float, ensure_min_samples=2)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        classes = np.unique(y)
        # Zeros and ones stay what they are, even if only one of them is there.
        self.classes_ = np.array([0, 1]) if np.isin(classes, (0, 1)).all() else classes
        if len(self.classes_) == 1:
            raise ValueError(f"y holds one class only, {classes.tolist()[0]!r:.60}; give labels 0 and 1, "
                             "or both classes.")
        return X, (y == self.classes_[1]).astype(np.int64)

    def decision_function(self, X):
        """The score of the cell of each row of X, shape (n,); class 1 where it is > 0, ties aside."""
        check_is_fitted(self)
        return self.scores_[tuple(self._cell(self._features(X)).T)]

    def _features(self, X):
        """X as floats with the features of the fit."""
        return validate_data(self, X, dtype=float, reset=False)

    def predict(self, X):
        """Predicted labels, one for each row of X."""
        score = self.decision_function(X)
        positive = score >= 0 if self._ties_say_one else score > 0
        return self.classes_[positive.astype(int)]


class ReportClassifier(GridClassifier):
    """A rule on a grid that learns from the sums of private reports, and from nothing else.

    Subclasses have a parameter `rng` and say in `_mechanism_of(n, d)` what n people with d features run, in
    `_sums` which kind of aggregate comes of it, and in `_learn(mechanism, aggregate)` what they learn.
    """

    _sums = CellAggregate

    def fit(self, X, y):
        """Let n people (rows of X, labels y) report privately, and keep the sums. n >= 2, returns self."""
        X, y = self._validated(X, y)
        mechanism = self._mechanism_of(*X.shape)
        return self._learn(mechanism, mechanism.simulate_aggregate(X, y, rng=generator(self.rng)))

    def fit_aggregate(self, aggregate, d=1):
        """Learn from sums of reports alone, as an analyst would; labels are 0 and 1. Returns self."""
        people = int(np.sum(self._sums.legal(aggregate).people))
        mechanism = self._mechanism_of(people, d)
        aggregate = self._sums.checked(aggregate, mechanism)
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = d
        # Names of an earlier fit would be checked against people of another sample.
        vars(self).pop("feature_names_in_", None)
        return self._learn(mechanism, aggregate)

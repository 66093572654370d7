"""What estimators share: scikit-learn's conventions, what each keeps to itself, and rules on a grid.

scikit-learn brings pandas and scipy.stats along: a second and 90 MiB that the kernel of a live panel has no
use for. Its conventions need no common base class: parameters that can be read, set and copied, and tags.
It is loaded by those who ask something of it.
"""

from __future__ import annotations

import html
import inspect
import numbers
import warnings
from dataclasses import KW_ONLY, dataclass, field
from typing import Never, Self, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from ldp_lib._arguments import Randomness, finite, generator, real, whole
from ldp_lib.privacy.mechanism import grid_shape


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def parameters(cls=None, **options):
    """Decorator of estimators: what they annotate are their parameters, stored unchanged."""
    return dataclass(cls, eq=False, repr=False, **options)


BUDGET = "alpha", "epsilon", "delta"
"""Parameters that are always shown."""


class Estimator:
    """Parameters, which are the arguments of `__init__` and stored unchanged, and scikit-learn's tags.

    `_kind` is scikit-learn's word for what it is, or None; `_learns` the attribute that `fit` leaves last, or
    None for any.
    """

    _kind = None
    _learns = None

    @classmethod
    def _defaults(cls):
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {parameter.name: parameter.default for parameter in parameters if parameter.name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The parameters, name -> value; `deep` changes nothing, for no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: object) -> Self:
        """Set parameters by name. Returns self."""
        names = self._defaults()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"{name!r:.60} is no parameter of {type(self).__name__}; its parameters are "
                                 f"{', '.join(names)}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        said = (f"{name}={getattr(self, name)!r}" for name, default in self._defaults().items()
                if name in BUDGET or repr(getattr(self, name)) != repr(default))
        return f"{type(self).__name__}({', '.join(said)})"

    def _repr_html_(self):
        """For notebooks, a table: the budget first, all other parameters, and what people have told."""
        params = self.get_params(deep=False)
        rows = {name: params[name] for name in sorted(params, key=lambda name: name not in BUDGET)}
        if "total_loss_" in vars(self):
            rows["total_loss_"] = self.total_loss_
        body = "".join(f"<tr><th scope='row' style='text-align:left'>{name}</th>"
                       f"<td style='text-align:left'>{html.escape(f'{value!r:.60}')}</td></tr>"
                       for name, value in rows.items())
        return (f"<table><caption style='text-align:left'>{type(self).__name__}, "
                f"{'fitted' if is_fitted(self) else 'not fitted'}</caption><tbody>{body}</tbody></table>")

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        classifier = self._kind == "classifier"
        return Tags(estimator_type=self._kind, target_tags=TargetTags(required=classifier),
                    transformer_tags=None, regressor_tags=None, non_deterministic="rng" in self._defaults(),
                    classifier_tags=ClassifierTags() if classifier else None)


class Classifier(Estimator):
    """An estimator with `predict`."""

    _kind = "classifier"

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of the rows of X, (n, d), whose label in y, (n,), is predicted."""
        from sklearn.metrics import accuracy_score

        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)


def is_fitted(estimator):
    """Has it what `fit` leaves?"""
    left = [name for name in vars(estimator) if name.endswith("_") and not name.startswith("__")]
    return estimator._learns in left if estimator._learns else bool(left)


def check_is_fitted(estimator):
    """scikit-learn's `NotFittedError` for a rule without what `fit` leaves."""
    if not is_fitted(estimator):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with "
                             "appropriate arguments before using this estimator.")


class DomainWarning(UserWarning):
    """Of the people whom `fit` was given, more than 1% are outside the public domain of the rule.

    >>> from ldp_lib.estimation import HistogramClassifier
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     rule = HistogramClassifier(h=0.5).fit([[18], [44], [90]], [0, 1, 1])
    >>> str(caught[0].message)[:50]
    '3 of 3 people are outside the public domain [0, 1]'
    """


class FewPeopleWarning(UserWarning):
    """A rule has more cells than people: in most of them nobody lives, and it says there what noise says.

    >>> from ldp_lib.estimation import OneBitClassifier
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     rule = OneBitClassifier(h=0.25).fit([[0.1], [0.4], [0.9]], [0, 1, 1])
    >>> str(caught[0].message)[:60]
    'OneBitClassifier has 4 cells for 3 people: in most of them n'
    """


MOST_OUTSIDE = 0.01
"""Share of people outside the domain that needs no words."""


class Discreet(Estimator):
    """An estimator that can be published when it is fitted: its attributes, its copies, its errors.

    * Whoever has the generator or the seed of the noise can draw it again; PCG64 runs backwards, too. `fit`
      takes `rng` away from the rule, which has rng=None from then on. For another simulation set it again.
    * Labels are named beforehand. If they were read off y, one person could decide which labels there are,
      and no finite budget pays for that.
    * Errors, warnings and attributes depend on shapes, public parameters and what was released. What is no
      record at all has to be refused, which shows; the error names the row and its fault, not its values.

    There is one exception. `fit` of a rule that learns from reports simulates the people, and a rule without
    privacy reads them: whoever calls it holds the data of everybody. A `DomainWarning` tells there how many
    are outside the public domain, because no report shows it, and the rule would be wrong without a word.
    These counts are exact and not private. They belong on the screen of those who hold the data, not in what
    they publish, and no attribute has them. Nobody else is warned: not people in whose hands `privatize` and
    `send` run, not those who `predict`, and no curator. What a curator releases is for others, who may see
    the log as well; there one person more or less outside would switch the warning on. Curators can ask
    `PublicBox.clipped`, and keep the answer.
    """

    _simulates = True

    def _source(self, *, secure=False):
        """Where the noise of this fit comes from, which the rule forgets; `secure` as in `generator`."""
        source, self.rng = generator(self.rng, secure=secure), None
        return source

    def _checked(self, X, *y, **options):
        """X as floats, or (X, y), by scikit-learn's `validate_data`; its own errors would print records."""
        from sklearn.utils.validation import validate_data

        if any(np.ma.is_masked(given) for given in (X, *y)):
            raise ValueError("X and y must have no masked entries: what is behind a mask would count. "
                             "Leave these people out.")
        if not issparse(X):
            _check_rows(np.asarray(X), getattr(X, "columns", None))
        for labels in map(np.asarray, y):
            if labels.dtype.kind == "c":
                raise ValueError("Complex data not supported: y must hold labels.")
            if labels.dtype.kind in "fO" and labels.ndim == 1:
                _check_answered(labels)
        return validate_data(self, X, *y, dtype=float, **options)

    def _warn_outside(self, X, lower, upper, cure, stacklevel):
        """Tell whoever called `fit` how many rows of X, (n, d), leave [lower, upper]."""
        outside = (X < lower) | (X > upper)
        people = int(outside.any(axis=1).sum())
        if self._simulates and people > MOST_OUTSIDE * len(X):
            names = getattr(self, "feature_names_in_", range(X.shape[1]))
            where = [f"feature {name!r:.30}: {count:,}"
                     for name, count in zip(names, outside.sum(axis=0).tolist(), strict=True) if count]
            where = ", ".join(where[:5]) + ", ..." * (len(where) > 5)
            warnings.warn(f"{people:,} of {len(X):,} people are outside the public domain [{lower:g}, "
                          f"{upper:g}], where places are not told apart ({where}). {cure}", DomainWarning,
                          stacklevel=stacklevel)

    def _features(self, X):
        """X as floats with the features of the fit, which must have been."""
        check_is_fitted(self)
        return self._checked(X, reset=False)


@parameters
class CuratorEstimator(Discreet):
    """An estimator of a trusted curator, who sees the data and releases noisy counts or a noisy choice."""

    epsilon: float = 1.0
    _: KW_ONLY
    noise: str = "lattice"
    rng: Randomness = None
    _simulates = False


def _check_rows(X, columns):
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; it must be (n, d), one row a person. Reshape your data: "
                         "X.reshape(-1, 1) for a single feature, X.reshape(1, -1) for a single person.")
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers.")
    if X.dtype.kind in "mM":
        raise ValueError("X holds dates or times; give them as numbers, in units that everybody knows.")
    if X.dtype.kind not in "biuf" and not _are_numbers(X):
        row = next(k for k, entries in enumerate(X) if not _are_numbers(entries))
        column = next(k for k in range(X.shape[1]) if not _are_numbers(X[row, k:k + 1]))
        where = column if columns is None else columns[column]
        raise ValueError(f"X holds in row {row}, column {where!r:.60}, what is no number; every entry must "
                         "be one. PublicBox takes words as categories.")
    finite("X", X.astype(float), columns)


def _check_answered(labels):
    missing = np.isnan(labels) if labels.dtype.kind == "f" else np.array([*map(_is_missing, labels)], bool)
    if missing.any():
        raise ValueError(f"Input y contains NaN or another missing label, in row {missing.argmax()}. Leave "
                         "this person out.")


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is not even different from itself
        return getattr(label, "ndim", 0) == 0


def _are_numbers(entries):
    try:
        entries.astype(float)
    except (ValueError, OverflowError):
        return False
    except TypeError:
        if any(map(_is_missing, entries.ravel())):
            return False
        raise  # in the words that scikit-learn asks for
    return True


def public_classes(classes):
    """The two labels that somebody named, (class 0, class 1), as an array."""
    named = list(classes) if isinstance(classes, (tuple, list, np.ndarray)) else []
    if len(named) == 2 and all(isinstance(label, (str, numbers.Real, np.bool_)) for label in named):
        labels = np.array(named)
        # Of labels of two kinds numpy makes one kind.
        if labels.dtype.kind in "biufU" and labels.tolist() == named and named[0] != named[1]:
            return labels
    raise ValueError(f"classes = {classes!r:.60} must be two different labels of one kind, (class 0, class "
                     "1), for example (0, 1).")


def check_labels(legal, classes):
    """Refuse the first label that is not `legal`, (n,) booleans. scikit-learn asks for the first words."""
    if not legal.all():
        raise ValueError(
            f"Unknown label type: the label in row {np.argmin(legal)} of y is not in classes = "
            f"{classes!r:.60}. Only binary classification is supported. Name both labels, classes=(class 0, "
            "class 1): they are public and never read off y. Leave people without an answer out.")


@parameters(kw_only=True)
class GridClassifier(Classifier, Discreet):
    """A rule that is constant on the cells of a grid over [0, 1]^d: class 1 where the score is > 0.

    At a score of 0 it is class 1, too, except where `_ties_say_one` is False: the papers differ.
    Subclasses compute `scores_`, an array over the cells, and leave in `_side`
    how wide these are, or else say in `_cell` which cell holds a point. Points outside [0, 1]^d belong to the
    nearest cell, and `fit` warns of many (`DomainWarning`) unless a curator calls it.
    """

    classes: ArrayLike = (0, 1)
    _ties_say_one, _learns = True, "scores_"

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
        self._warn_outside(X, 0.0, 1.0, "Rescale by public bounds first, with ldp_lib.estimation.PublicBox.",
                           stacklevel=4)
        return X, ones.astype(np.int64)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """The score of the cell of each row of X, shape (n,); class 1 where it is > 0, ties aside."""
        cell = self._cell(self._features(X))
        return self.scores_[tuple(cell.T)]

    def _cell(self, X):
        return np.floor(np.clip(X, 0, 1) / self._side).clip(max=self.scores_.shape[0] - 1).astype(np.intp)

    @property
    def predict_proba(self) -> Never:
        """There is none: what private reports tell is the integral of f (eta - 1/2) over a cell, not eta."""
        raise AttributeError(f"{type(self).__name__} has no predict_proba: reports tell of the integral of "
                             "f (eta - 1/2) over a cell, not of eta. Locally private rules have `interval` "
                             "and `label_confidence`.")

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Predicted labels, one for each row of X."""
        score = self.decision_function(X)
        positive = score >= 0 if self._ties_say_one else score > 0
        return self.classes_[positive.astype(int)]


def histogram_shape(h, d, name="h"):
    """Numbers of cells of side h along the axes of [0, 1]^d; `name` is what the caller calls h."""
    h = real(name, h, above=0, cure=f"{name} is a length on [0, 1], for example 0.1.")
    return grid_shape(h, whole("d", d), cure=f"Increase {name} or lower d.", each=16)

"""From real features to [0, 1]^d, by public knowledge alone: bounds and categories, never quantiles."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from ldp_lib._arguments import interval, numeric, points, real, rescaled, whole, wrong_kind
from ldp_lib.estimation.base import Discreet, check_is_fitted, parameters
from ldp_lib.privacy.mechanism import ENTRY_BYTES, grid_shape


@parameters
class PublicBox(OneToOneFeatureMixin, TransformerMixin, Discreet):
    """Scale features to [0, 1] by bounds that are public, so that every person can do it at home.

    A feature x becomes (x - lower) / (upper - lower), and whoever is outside counts as the nearest end:
    clipping is part of what is promised, and `clipped` tells the shares among people whose data one may see.
    A categorical feature with m categories becomes the middle of the one of m equal intervals that belongs to
    its category, in the order given: cells of side 1/m, or 1/m over a whole number, hold one category each.
    Nothing is learnt from data: quantiles, standard deviations or the categories that occur would be one more
    report to pay for.

    Bounds by name choose columns of a table, those of `lower` first, then the other ones of `categories`;
    what is not named is left out. Cells multiply with every feature, and few people are left in each: four
    features are many, and `memory` says what more of them cost.

    Parameters
    ----------
    lower, upper : public bounds, lower < upper: two lists of d, or two dicts {name of a column: bound}.
        Those of categorical features are ignored; in a list they may be None, a dict may leave them out.
    categories : None, or a dict {column: sequence of 2 or more different numbers}, the public categories. The
        column is its place in X, or its name if the bounds are dicts; then categories may be words, too.

    Attributes
    ----------
    n_features_in_ : d, 1 or more.
    feature_names_in_ : the names of the columns, (d,), if the bounds are dicts or `fit` was given a table.

    >>> box = PublicBox(lower=[18, None], upper=[90, None], categories={1: (0, 1, 2)})
    >>> box.fit_transform([[18, 0], [54, 2], [200, 1]]).round(3).tolist()
    [[0.0, 0.167], [0.5, 0.833], [1.0, 0.5]]
    >>> box.memory(h=1 / 3)
    432
    >>> named = PublicBox(lower={"age": 18}, upper={"age": 90}, categories={"sex": ("f", "m")})
    >>> named.fit().get_feature_names_out().tolist()
    ['age', 'sex']
    """

    lower: Sequence[float | None] | Mapping[str, float]
    upper: Sequence[float | None] | Mapping[str, float]
    categories: Mapping[int | str, Sequence[float | str]] | None = None

    def _public(self):
        """{column: (lower, upper) or {category: place}} for every feature, checked."""
        for name, bounds in (("lower", self.lower), ("upper", self.upper)):
            listed = isinstance(bounds, (list, tuple)) or isinstance(bounds, np.ndarray) and bounds.ndim == 1
            if not listed and not isinstance(bounds, Mapping):
                raise wrong_kind(name, bounds, "a list of public bounds, one a feature, or a dict {column: "
                                               "bound}")
        categories = {} if self.categories is None else self.categories
        if not isinstance(categories, Mapping):
            raise wrong_kind("categories", categories, "a dict {column: public categories}")
        if isinstance(self.lower, Mapping) != isinstance(self.upper, Mapping):
            raise TypeError(f"lower = {self.lower!r:.60} and upper = {self.upper!r:.60} must be two lists, "
                            "or two dicts.")
        if self._named:
            ends = [{column: bound for column, bound in bounds.items() if column not in categories}
                    for bounds in (self.lower, self.upper)]
            if ends[0].keys() != ends[1].keys():
                raise ValueError(f"lower has bounds for {[*ends[0]]!r:.60}, upper for {[*ends[1]]!r:.60}; "
                                 "give one of each for the same columns.")
            columns = [*self.lower, *(column for column in categories if column not in self.lower)]
        elif len(self.lower) != len(self.upper):
            raise ValueError(f"lower and upper have {len(self.lower)} and {len(self.upper)} bounds, "
                             f"{self.lower!r:.60} and {self.upper!r:.60}; give one of each a feature.")
        else:
            columns = range(len(self.lower))
        whole("the number of bounds", len(columns))
        unknown = [column for column in categories if column not in columns]
        if unknown:
            raise ValueError(f"categories has the column {unknown[0]!r:.60}; the columns are 0 to "
                             f"{len(columns) - 1}.")
        public = {}
        for column in columns:
            if column in categories:
                public[column] = self._places(column, categories[column])
            else:
                low = real(f"lower[{column!r}]", self.lower[column])
                high = real(f"upper[{column!r}]", self.upper[column], above=low)
                public[column] = interval(f"bounds[{column!r}]", (low, high))
        return public

    @property
    def _named(self):
        return isinstance(self.lower, Mapping)

    def _places(self, column, categories):
        """{category: place}."""
        listed = list(categories) if np.iterable(categories) and not isinstance(categories, str) else []
        legal = all(isinstance(category, numbers.Real) and math.isfinite(category)
                    or self._named and isinstance(category, str) for category in listed)
        if not legal or len(listed) < 2 or len(set(listed)) < len(listed):
            raise ValueError(f"categories[{column!r}] = {categories!r:.60} must be two or more different "
                             "numbers. Words can be categories where bounds are dicts {column: bound}.")
        return {category: place for place, category in enumerate(listed)}

    def fit(self, X: ArrayLike | None = None, y: ArrayLike | None = None) -> Self:
        """Check the public bounds; X, if given, only for its features. Returns self."""
        public = self._public()
        vars(self).pop("feature_names_in_", None)
        if self._named:
            self.feature_names_in_ = np.array([*public], dtype=object)
            if X is not None:
                self._chosen(X)
        elif X is not None:
            X = self._checked(X)
            if X.shape[1] != len(public):
                raise ValueError(f"X has {X.shape[1]} features, but {len(public)} bounds; "
                                 "give bounds for each.")
        self.n_features_in_ = len(public)
        return self

    def _chosen(self, X):
        """The columns of the table X that have a name here, n entries each."""
        if not hasattr(X, "columns"):
            raise TypeError(f"X is a {type(X).__name__}; bounds by name choose columns of a table, for "
                            "example of a pandas.DataFrame. Give one, or bounds as lists.")
        missing = [column for column in self._public() if column not in X.columns]
        if missing:
            raise ValueError(f"X has no column {missing[0]!r:.60}; it must have all that have bounds or "
                             "categories.")
        return [np.asarray(X[column]) for column in self._public()]

    def _numbers(self, X):
        """The features of n people as numbers, (n, d), places in place of categories."""
        public = self._public()
        if self._named:
            check_is_fitted(self)
            columns = self._chosen(X)
        else:
            columns = self._features(X).T
        coded = [numeric(f"column {column!r:.60} of X", values, private=True) if isinstance(known, tuple)
                 else self._coded(column, values, known)
                 for values, (column, known) in zip(columns, public.items(), strict=True)]
        return points("X", np.column_stack(coded), len(public), columns=[*public])

    def _coded(self, column, values, known):
        for row, value in enumerate(values.tolist()):
            if not isinstance(value, (str, numbers.Real)) or value not in known:
                raise ValueError(f"X holds in row {row}, column {column!r}, what is no public category; add "
                                 "it to categories, or map it to one of them.")
        return np.array([known[value] for value in values.tolist()], dtype=float)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """The features of n people in [0, 1], shape (n, d). An unknown category is refused."""
        return np.column_stack([
            rescaled(values, *known) if isinstance(known, tuple) else (values + 0.5) / len(known)
            for values, known in zip(self._numbers(X).T, self._public().values(), strict=True)])

    def clipped(self, X: ArrayLike) -> np.ndarray:
        """Share of people outside the bounds, for every feature, (d,).

        Looks at data: not a private statistic.
        """
        return np.array([
            np.mean((values < known[0]) | (values > known[1])) if isinstance(known, tuple) else 0.0
            for values, known in zip(self._numbers(X).T, self._public().values(), strict=True)])

    def memory(self, h: float) -> int:
        """Bytes that an aggregate of cells of side h takes, work space included.

        Refused beyond the library's limit.
        """
        h, d = real("h", h, above=0), len(self._public())
        return ENTRY_BYTES * math.prod(grid_shape(h, d, cure="Increase h or drop a feature."))

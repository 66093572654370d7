"""From real features to [0, 1]^d, by public knowledge alone: bounds and categories, never quantiles."""

import math
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin

from ldp_lib._arguments import numeric, real, whole
from ldp_lib.estimation.base import Discreet, parameters
from ldp_lib.privacy.mechanism import ENTRY_BYTES, grid_shape

MOST_FEATURES = 4
"""Cells multiply with every feature; beyond four, few people are left in each."""


@parameters
class PublicBox(TransformerMixin, Discreet):
    """Scale features to [0, 1] by bounds that are public, so that every person can do it at home.

    A feature x becomes (x - lower) / (upper - lower), and whoever is outside counts as the nearest end:
    clipping is part of what is promised, and `clipped` tells the shares among people whose data one may see.
    A categorical feature with m categories becomes the middle of the one of m equal intervals that belongs to
    its category, in the order given: cells of side 1/m, or 1/m over a whole number, hold one category each.
    Nothing is learnt from data: quantiles, standard deviations or the categories that occur would be one more
    report to pay for.

    Parameters
    ----------
    lower, upper : d public bounds each, lower < upper; ignored for categorical features, where None is
        allowed.
    categories : None, or a dict {column: sequence of 2 or more different numbers}, the public categories.

    Attributes
    ----------
    n_features_in_ : d, 1 to 4.

    >>> box = PublicBox(lower=[18, None], upper=[90, None], categories={1: (0, 1, 2)})
    >>> box.fit_transform([[18, 0], [54, 2], [200, 1]]).round(3).tolist()
    [[0.0, 0.167], [0.5, 0.833], [1.0, 0.5]]
    >>> box.memory(h=1 / 3)
    432
    """

    lower: Sequence[float | None]
    upper: Sequence[float | None]
    categories: Mapping[int, Sequence[float]] | None = None

    def _public(self):
        """[(lower, upper) or array of categories] for every feature, checked."""
        for name, bounds in (("lower", self.lower), ("upper", self.upper)):
            if not hasattr(bounds, "__len__"):
                raise TypeError(f"{name} = {bounds!r:.60} is a {type(bounds).__name__}; it must be a list of "
                                "public bounds, one a feature.")
        if len(self.lower) != len(self.upper):
            raise ValueError(f"lower and upper have {len(self.lower)} and {len(self.upper)} bounds, "
                             f"{self.lower!r:.60} and {self.upper!r:.60}; give one of each a feature.")
        d = whole("the number of bounds", len(self.lower), most=MOST_FEATURES,
                  cure="Choose up to four features.")
        categories = {} if self.categories is None else self.categories
        if not isinstance(categories, Mapping):
            raise TypeError(f"categories = {categories!r:.60} is a {type(categories).__name__}; it must be a "
                            "dict {column: public categories}.")
        unknown = [column for column in categories if column not in range(d)]
        if unknown:
            raise ValueError(f"categories has the column {unknown[0]!r:.60}; the columns are 0 to {d - 1}.")
        public = []
        for column, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            if column in categories:
                values = numeric("categories", categories[column])
                if values.ndim != 1 or len(values) < 2 or len(np.unique(values)) < len(values) \
                        or not np.isfinite(values).all():
                    raise ValueError(f"categories[{column}] = {categories[column]!r:.60} must be two or "
                                     "more different numbers. Code names as numbers first.")
                public.append(values)
            else:
                low = real(f"lower[{column}]", low)
                public.append((low, real(f"upper[{column}]", high, above=low)))
        return public

    def fit(self, X: ArrayLike | None = None, y: ArrayLike | None = None) -> Self:
        """Check the public bounds; X, if given, only for its number of features. Returns self."""
        public = self._public()
        if X is not None:
            X = self._checked(X)
            if X.shape[1] != len(public):
                raise ValueError(f"X has {X.shape[1]} features, but {len(public)} bounds; "
                                 "give bounds for each.")
        self.n_features_in_ = len(public)
        return self

    def transform(self, X: ArrayLike) -> np.ndarray:
        """The features of n people in [0, 1], shape (n, d). An unknown category is refused."""
        X = self._features(X)
        result = np.empty_like(X)
        for column, (values, public) in enumerate(zip(X.T, self._public(), strict=True)):
            if isinstance(public, tuple):
                low, high = public
                # Halves, because the difference of two large bounds may exceed all floats.
                result[:, column] = (np.clip(values, low, high) / 2 - low / 2) / (high / 2 - low / 2)
            else:
                equal = values[:, None] == public
                known = equal.any(axis=1)
                if not known.all():
                    raise ValueError(f"X holds in row {np.argmin(known)}, column {column}, what is no public "
                                     "category; add it to categories, or map it to one of them.")
                result[:, column] = (equal.argmax(axis=1) + 0.5) / len(public)
        return result

    def clipped(self, X: ArrayLike) -> np.ndarray:
        """Share of people outside the bounds, for every feature, (d,).

        Looks at data: not a private statistic.
        """
        X = self._features(X)
        return np.array([
            np.mean((values < public[0]) | (values > public[1])) if isinstance(public, tuple) else 0.0
            for values, public in zip(X.T, self._public(), strict=True)
        ])

    def memory(self, h: float) -> int:
        """Bytes that an aggregate of cells of side h takes, work space included.

        Refused beyond the library's limit.
        """
        h, d = real("h", h, above=0), len(self._public())
        return ENTRY_BYTES * math.prod(grid_shape(h, d, cure="Increase h or drop a feature."))

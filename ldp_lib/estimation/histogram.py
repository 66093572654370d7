"""The non-private yardstick: a majority vote in every cell."""

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import real, require_memory, whole
from ldp_lib.estimation.base import GridClassifier


class VoteClassifier(GridClassifier):
    """A rule that counts votes in cells of one side."""

    def _votes(self, X, y, side, name):
        """Ones minus zeros in each cell; learns the cells. `name` is what the caller calls their side."""
        shape = histogram_shape(side, X.shape[1], name)
        self._side, self.scores_ = float(side), np.zeros(shape)
        flat = np.ravel_multi_index(tuple(self._cell(X).T), shape)
        return np.bincount(flat, weights=2 * y - 1, minlength=self.scores_.size).reshape(shape)


class HistogramClassifier(VoteClassifier):
    """Class 1 where a cell of side h holds at least as many ones as zeros; no privacy.

    Universally consistent if h -> 0 and n h^d -> infinity (Devroye, Györfi & Lugosi,
    1996, Theorem 6.2): half the exponent of h that privacy asks for.

    Parameters
    ----------
    h : side of the cells [k h, (k + 1) h), > 0, in units of the domain [0, 1]^d.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.

    Attributes
    ----------
    scores_ : ones minus zeros in each cell, shape (ceil(1/h),) * d: exact, so that the fitted rule is not to
        be published.  h_, shape_ : the cells.  classes_ : `classes`.
    """

    def __init__(self, h: float = 0.1, *, classes: ArrayLike = (0, 1)):
        self.h = h
        self.classes = classes

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count ones and zeros in every cell. Returns self."""
        X, y = self._validated(X, y)
        self.scores_ = self._votes(X, y, self.h, "h")
        self.shape_, self.h_ = self.scores_.shape, self._side
        return self


def histogram_shape(h, d, name="h"):
    """Numbers of cells of side h along the axes of [0, 1]^d; `name` is what the caller calls h."""
    h = real(name, h, above=0, cure=f"{name} is a length on [0, 1], for example 0.1.")
    d = whole("d", d)
    # 1/h may exceed a whole number by a rounding error only: no cell for that sliver.
    per_axis = max(1, math.ceil(min(1 / h, 1e18) - 1e-9))
    size = 2.0 ** min(4 + d * math.log2(per_axis), 1000)
    require_memory(f"A histogram of {per_axis:,}^{d} cells", size, f"Increase {name} or lower d.")
    return (per_axis,) * d

"""The mechanism of Berrett & Butucea (2019): noisy indicators of overlapping cubes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import choice, labels, points, whole
from ldp_lib.privacy.aggregate import Aggregate, blocks, sum_reports
from ldp_lib.privacy.mechanism import NoisyMechanism, grid_index
from ldp_lib.privacy.noise import calibrated_scale, laplace_noise

COUNT_ROWS = 2**16
"""People are counted in blocks of this many, so that the work stays in the cache."""


class CubeLaplace(NoisyMechanism):
    """The mechanism of [1]_, Section 2: a person publishes which cubes hold her, plus noise.

    Grid points x_j = j h, j in {0, ..., ceil(1/h)}^d; the cube of x_j is
    {x : max_k |x_k - j_k h| < h}, so that 2^d cubes overlap at almost every x.
    Among n people the first n//2 publish B + noise, the next n//2 publish
    Y B + noise, B being the 0/1 array of the cubes that hold X. A person outside
    all cubes still reports: her B is zero. With n odd the last person reports
    like the second half and is not counted, so that the halves are equal.

    Noise is independent with scale b = 2^(d+1)/alpha, because two people's arrays
    differ by at most 2^d ones each: ||B - B'||_1 <= 2^(d+1) (Theorem 2.1). Each
    report is alpha-LDP, with equality when the two supports are full and disjoint.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, > 0.
    h : float
        Bandwidth, > 0, in units of the domain [0, 1]^d.
    d : int
        Dimension of X, 1 or more; 1 unless given.
    noise : {"lattice", "real"}
        "lattice" unless given; "real" is floating point, for mathematics only.

    Attributes
    ----------
    scale : float
        b, by `ldp_lib.privacy.noise.calibrated_scale(sensitivity, alpha)`.
    sensitivity : float
        2^(d+1).
    granularity : float
        Lattice step, 0 for real noise.
    shape : tuple of int
        (ceil(1/h) + 1,) * d.
    K : int
        Number of grid points, the length of a report.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.1, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> mechanism = CubeLaplace(alpha=1.0, h=0.25)
    >>> mechanism.scale, mechanism.K
    (4.0, 5)
    >>> mechanism.encode([[0.3]], [1], half=2)
    array([[0., 1., 1., 0., 0.]])
    """

    halves = (1, 2)
    signal_bounds = (1.0,)
    _aggregates = Aggregate
    _grid = {"more": 1, "what": "points"}

    def __init__(self, alpha: float, h: float, d: int = 1, noise: str = "lattice"):
        super().__init__(alpha, h, d)
        self.sensitivity = 2.0 ** (self.d + 1)
        self.noise = laplace_noise(noise, calibrated_scale(self.sensitivity, self.alpha))

    def _supports(self, X):
        """For each of the 2^d corners around every person: flat grid index (n,) and whether it exists (n,).

        Where it does not exist, the index means nothing.
        """
        # Far outside, numbers would overflow; just outside is outside, too.
        position = np.clip(X, -2 * self.h, (self.shape[0] + 1) * self.h) / self.h
        line = np.rint(position)
        # 3 * 0.1 and 0.3 are the same line: X / h is off by a rounding error.
        on_line = np.abs(position - line) <= 4 * np.finfo(float).eps * np.maximum(np.abs(line), 1)
        low = np.where(on_line, line, np.floor(position)).astype(np.intp)
        axes = []
        for k in range(self.d):
            stride, lower = self.shape[0] ** (self.d - 1 - k), low[:, k]
            upper = lower + 1
            # On a grid line the strict inequality leaves one cube along that axis, not two.
            axes.append(((lower * stride, (lower >= 0) & (lower < self.shape[0])),
                         (upper * stride, (upper >= 0) & (upper < self.shape[0]) & ~on_line[:, k])))
        for corner in itertools.product(*axes):
            indices, existing = zip(*corner, strict=True)
            yield sum(indices), np.logical_and.reduce(existing)

    def encode(self, X: ArrayLike, y: ArrayLike, *, half: int | None = None) -> np.ndarray:
        """What people would publish without noise, shape (n, K): B in the first half, Y B in the second.

        X has shape (n, d), y holds n labels 0 or 1. `half` = 1 or 2 puts everybody
        in that half; None splits the sample as `privatize` does.
        """
        return self._dense(self._signals, *self.people(X, y, half))

    def people(self, X: ArrayLike, y: ArrayLike, half: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Where people are, and what multiplies each B: 1 in the first half, the label in the second."""
        X = points("X", X, self.d)
        y = labels("y", y, len(X))
        if half is None:
            return X, np.where(np.arange(len(y)) < len(y) // 2, 1, y)
        return X, (np.ones_like(y) if choice("half", str(half), ("1", "2")) == "1" else y)

    def _signals(self, X, factors):
        rows = np.zeros((len(X), self.K))
        for flat, exists in self._supports(X):
            person = np.flatnonzero(exists)
            rows[person, flat[person]] = factors[person]
        return rows

    def aggregate(self, reports: np.ndarray | Iterable[np.ndarray], *,
                  people: int | None = None) -> Aggregate:
        """Sum the reports of either half.

        `reports` is an (n, K) array, or an iterable of consecutive blocks of its
        rows; then `people` = n says where the first half ends.
        """
        if hasattr(reports, "shape") and people is None:
            people = len(reports)
        stream = blocks(reports)
        n = whole("people", people, least=2, cure="A stream does not say how many reports it holds, and both "
                  "halves of the sample need a person.")
        half = n // 2
        seen, totals = sum_reports(stream, self.K, (half, 2 * half))
        if seen != n:
            raise ValueError(f"people = {n}, but the reports have {seen} rows; pass the number of people in "
                             "all.")
        return Aggregate((half, half), totals, repr(self))

    def count(self, X: ArrayLike, y: ArrayLike) -> Aggregate:
        """The aggregate of `encode(X, y)`, without noise and without the n x K matrix."""
        X, factors = self.people(X, y)
        half = whole("n", len(X), least=2, cure="Both halves of the sample need a person.") // 2
        totals = [self._cube_counts(X[rows], factors[rows] == 1)
                  for rows in (slice(half), slice(half, 2 * half))]
        return Aggregate((half, half), np.stack(totals), repr(self))

    def _cube_counts(self, X, kept):
        """How many of the `kept` people each cube holds, shape (K,)."""
        counts = np.zeros(self.K)
        step = max(COUNT_ROWS, self.K)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            for flat, exists in self._supports(X[rows]):
                counts += np.bincount(flat[exists & kept[rows]], minlength=self.K)
        return counts

    def score(self, aggregate: Aggregate) -> np.ndarray:
        """T_n at every grid point, shape (K,): mean labelled report minus half the mean unlabelled one.

        Its mean is E[(eta(X) - 1/2); X in the cube]; the classifier says 1 where T_n >= 0.
        """
        aggregate = Aggregate.checked(aggregate, self)
        first, second = aggregate.people
        return aggregate.totals[1] / second - aggregate.totals[0] / (2 * first)

    def privacy_loss(self, x: ArrayLike, y: int, x2: ArrayLike, y2: int, *, half: int | None = None) -> float:
        """Exact supremum, over all reports, of the log-likelihood ratio between two people, in nats.

        x and x2 have d coordinates, y and y2 are 0 or 1. The supremum is
        ||B - B'||_1 / b in the first half and ||yB - y'B'||_1 / b in the second
        (push every coordinate of the report beyond both centres); `half` = 1 or 2
        picks one, None the larger.
        """
        X = points("x and x2", [np.atleast_1d(x), np.atleast_1d(x2)], self.d)
        y = labels("y and y2", [y, y2], 2)
        return max(float(np.abs(np.subtract(*self.encode(X, y, half=k))).sum())
                   for k in (self.halves if half is None else (half,))) / self.scale

    def boxes(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Cubes and cells of the grid points: (lower, upper) of either, each (K, d).

        The cube of x_j is where a person counts for x_j; its cell, where x_j is the
        nearest grid point, is where the classifier uses the score of x_j. Outer
        cells reach beyond the grid, so that the cells cover all of R^d.
        """
        index = grid_index(self.shape)
        cell_low = np.where(index == 0, -np.inf, (index - 0.5) * self.h)
        cell_high = np.where(index == self.shape[0] - 1, np.inf, (index + 0.5) * self.h)
        return ((index - 1) * self.h, (index + 1) * self.h), (cell_low, cell_high)

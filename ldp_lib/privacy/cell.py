"""Disjoint cells, one signed report a person: everybody's report counts, and the sensitivity is 1."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import (
    Randomness, choice, generator, labels, numeric, part_of, points, real, reals, together,
)
from ldp_lib.privacy.aggregate import CellAggregate
from ldp_lib.privacy.exact import LARGEST_BUDGET, SMALLEST_BUDGET
from ldp_lib.privacy.mechanism import Mechanism, NoisyMechanism, UnlabelledMechanism, grid_index
from ldp_lib.privacy.noise import KINDS, LARGEST_SCALE, STEPS_PER_SCALE, calibrated_scale, laplace_noise


class CellMechanism(Mechanism):
    """What the mechanisms on disjoint cells share: cells of side h, and the signal (Y - 1/2) e_cell(X).

    The cells [k h, (k + 1) h) of [0, 1]^d are public. Who lives outside the domain belongs to the nearest
    cell, so that everybody reports. Signals of two people are equal or at L1 distance exactly 1: the same
    cell with the other label moves one entry by 1, another cell moves two entries by 1/2 each.

    A subclass says in `_reports` what people publish, in `_law` what is seen of that in one cell, and sets
    `scale` and `bits`; scores, variances, classifiers, exact risks and plans follow. An entry of a report is
    `unit` times S, S in {-1, 0, 1}, plus noise if there is a `noise`, independently from person to person;
    `_law(p, q)` gives P(S != 0) and P(S = 1), see `law`.

    Attributes
    ----------
    sensitivity : 1.  shape : (ceil(1/h),) * d.  K : number of cells, the length of a report.
    scale : a report times this is unbiased for the signal, unless the subclass says otherwise.
    bits : bits that a person sends.
    unit : size of the entries of a report that are not 0, before noise.  noise : law of the noise, or None.

    >>> from ldp_lib.privacy import HadamardBit
    >>> mechanism = HadamardBit(alpha=1.0, h=0.25)         # any of them
    >>> told, one = mechanism.law(p=0.25, q=0.2)
    >>> round(mechanism.variance(p=0.25), 4), float(told), round(float(one), 4)
    (1.1707, 1.0, 0.5347)
    """

    sensitivity = unit = 1.0
    noise = None

    @abstractmethod
    def _reports(self, cells, y, source):
        """Reports, (n, K), of people in these cells with these labels, random by `source.bytes`."""

    def _simulated_totals(self, cells, y, rng):
        """Sums, (K,), with the law of those of `_reports`; `rng` is a numpy Generator."""
        return sum((block.sum(axis=0, dtype=float) for block in self._blocks((cells, y), rng)),
                   np.zeros(self.K))

    def _law(self, p, q):
        """See `law`; floats or arrays of one shape."""
        raise TypeError(f"mechanism = {self!r:.60} has no exact law in a cell: the entries of its reports "
                        "have several sizes. Use a mechanism that CellClassifier knows by name.")

    def law(self, p: ArrayLike, q: ArrayLike) -> tuple[float | np.ndarray, float | np.ndarray]:
        """P(S != 0) and P(S = 1) of one report in a cell with P(X in it) = p, P(X in it, Y = 1) = q.

        Numbers or arrays of one shape, 0 <= q <= p <= 1; rounding errors up to 1e-12 are forgiven. Where
        there is `noise`, S is what it is added to.
        """
        p, q = together(p=reals("p", p, least=0, most=1 + 1e-12), q=reals("q", q, least=0, most=1 + 1e-12))
        return self._law(p, part_of(p, q))

    def variance(self, p: float) -> float:
        """Second moment of one person's part of `score` in a cell that holds her with probability p, exact.

        Her mean there, E[(Y - 1/2); X in the cell], is the same for all mechanisms; its square is what
        separates this from the variance. By the `law`: P(S != 0) unit^2, and the variance of the noise.
        """
        told = self.unit**2 * float(self._law(real("p", p, least=0, most=1), 0.0)[0])
        return self._report_factor**2 * (told + (self.noise.variance if self.noise else 0.0))

    def people(self, X: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Flat cell index and label of every person, (n,) each; X has shape (n, d), y holds labels 0 or 1."""
        cells = cell_index(X, self.h, self.shape)
        return cells, labels("y", y, len(cells))

    def _signals(self, cells, y):
        """The signals (Y - 1/2) e_cell(X)."""
        rows = np.zeros((len(y), self.K))
        rows[np.arange(len(y)), cells] = y - 0.5
        return rows

    def count(self, X: ArrayLike, y: ArrayLike) -> CellAggregate:
        """The aggregate of `encode(X, y)`, without noise and without the n x K matrix."""
        cells, y = self.people(X, y)
        return CellAggregate(len(y), np.bincount(cells, weights=y - 0.5, minlength=self.K), repr(self))

    def simulate_aggregate(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness) -> CellAggregate:
        """An aggregate with the law of `aggregate(privatize(X, y))`, without the n x K matrix.

        This simulates people; it protects nobody. Whoever calls it holds the data, and numpy draws in
        floating point. Let real people run `privatize`.
        """
        cells, y = self.people(X, y)
        return CellAggregate(len(y), self._simulated_totals(cells, y, generator(rng)), repr(self))

    def score(self, aggregate: CellAggregate) -> np.ndarray:
        """Unbiased estimate of E[(Y - 1/2); X in the cell] for every cell, shape (K,)."""
        aggregate = CellAggregate.checked(aggregate, self)
        return aggregate.totals * (self._report_factor / aggregate.people)

    @property
    def _report_factor(self):
        """A report times this is unbiased for the signal."""
        return self.scale

    def privacy_loss(self, x: ArrayLike, y: int, x2: ArrayLike, y2: int) -> float:
        """Exact supremum, over all reports, of the log-likelihood ratio between two people, in nats.

        x and x2 have d coordinates, y and y2 are 0 or 1. Any two different signals are equally far apart.
        """
        cells, y = self.people([np.atleast_1d(x), np.atleast_1d(x2)], labels("y and y2", [y, y2], 2))
        if (cells[0], y[0]) == (cells[1], y[1]):
            return 0.0
        # What is added has its scale rounded up: a little less than alpha.
        return self.sensitivity / self.noise.scale if self.noise else self.alpha

    def boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """The cells: (lower, upper), each (K, d)."""
        index = grid_index(self.shape)
        return index * self.h, (index + 1) * self.h


class UnlabelledCells(UnlabelledMechanism):
    """What the mechanisms share that count people in cells of side h and ask for no label.

    The signal of a person is the unit vector of her cell. A subclass says in `_reports` what is sent.
    """

    _least_alpha, _most_alpha = SMALLEST_BUDGET, LARGEST_BUDGET

    def _several_cells(self):
        """The number of cells, if it is not 1."""
        if self.K == 1:
            raise ValueError(f"h = {self.h!r} leaves one cell, of which there is nothing to tell; lower h "
                             "below 1.")
        return self.K

    def people(self, X: ArrayLike) -> tuple[np.ndarray]:
        """Flat cell index of every person, (n,), as a tuple; X has shape (n, d), or (n,) where d = 1."""
        X = numeric("X", X, private=True)
        return (cell_index(X[:, None] if X.ndim == 1 and self.d == 1 else X, self.h, self.shape),)

    def _signals(self, cells):
        rows = np.zeros((len(cells), self.K))
        rows[np.arange(len(cells)), cells] = 1.0
        return rows

    def count(self, X: ArrayLike) -> CellAggregate:
        """The aggregate of `encode(X)`, without the n x K matrix."""
        (cells,) = self.people(X)
        return CellAggregate(len(cells), np.bincount(cells, minlength=self.K).astype(float), repr(self))

    @abstractmethod
    def law(self, p: ArrayLike) -> float | np.ndarray:
        """The probability of what `score` counts, if people are asked about with probability p."""

    def variance(self, p: float) -> float:
        """n times the exact variance of `score` where people are with probability p: counts are binomial."""
        counted = float(self.law(real("p", p, least=0, most=1)))
        return self.scale**2 * counted * (1 - counted)

    def privacy_loss(self, x: ArrayLike, x2: ArrayLike) -> float:
        """Exact supremum of the log-likelihood ratio between people at x and x2, d coordinates each; nats."""
        return self.alpha if self._apart([np.atleast_1d(x), np.atleast_1d(x2)]) else 0.0

    def _apart(self, X):
        """Does a report tell the two people at X from each other?"""
        (cells,) = self.people(X)
        return cells[0] != cells[1]


def cell_index(X, h, shape):
    """Flat index (n,) of the cell of side h that holds each row of X, (n, d), on a grid of this shape."""
    X = points("X", X, len(shape))
    # Whoever sits on the far edge, or beyond it, belongs to the last cell.
    index = np.floor(np.clip(X, 0, 1) / h).clip(max=shape[0] - 1).astype(np.intp)
    return np.ravel_multi_index(tuple(index.T), shape)


class CellLaplace(NoisyMechanism, CellMechanism):
    """A person publishes (Y - 1/2) e_cell(X) + Laplace(1/alpha) on every cell.

    Privacy: for any report z the log-likelihood ratio of signals v and v' is
    alpha sum_j (|z_j - v'_j| - |z_j - v_j|) <= alpha ||v - v'||_1, with equality for z beyond both, and
    ||v - v'||_1 is 0 or exactly 1 (`CellMechanism`): all pairs that differ spend exactly the budget.

    Against `CubeLaplace` the noise scale falls from 2^(d+1)/alpha to 1/alpha, one score needs no second half
    of the sample, and the unlabelled reports cost no noise: the variance of the score falls by 2.5 * 4^(d+1).

    Half-integers lie on the noise lattice, whose step is 1/2 or finer: nothing is rounded, nothing is paid.

    Parameters
    ----------
    alpha : privacy budget in nats, > 0; 2^-45 or more for lattice noise.
    h : side of the cells, > 0, in units of the domain [0, 1]^d.
    d : dimension of X, 1 or more.
    noise : "lattice" (default) or "real" (floating point, for mathematics only).

    Attributes
    ----------
    scale : noise scale 1/alpha.  sensitivity : 1.  granularity : lattice step, 0 for real noise.
    shape : (ceil(1/h),) * d.  K : number of cells.  bits : 64 K, a float a cell.

    >>> mechanism = CellLaplace(alpha=1.0, h=0.25)
    >>> mechanism.scale, mechanism.K
    (1.0, 4)
    >>> mechanism.encode([[0.3], [0.9]], [1, 0])
    array([[ 0. ,  0.5,  0. ,  0. ],
           [ 0. ,  0. ,  0. , -0.5]])
    """

    unit = 0.5
    signal_bounds = (unit,)
    _report_factor = 1.0

    def __init__(self, alpha: float, h: float, d: int = 1, noise: str = "lattice"):
        super().__init__(alpha, h, d)
        scale = calibrated_scale(self.sensitivity, self.alpha)
        if choice("noise", noise, KINDS) == "lattice":
            # In steps of 1/2 the noise is twice as large as in whole numbers.
            real("scale", scale, most=LARGEST_SCALE / 2, cure="The noise scale is 1/alpha; raise alpha.")
        self.noise = laplace_noise(noise, scale, max(STEPS_PER_SCALE, 2 * scale))
        self.bits = 64 * self.K

    def _law(self, p, q):
        return p, q

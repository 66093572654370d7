"""Majority votes in cells: without privacy, the yardstick, and of a curator, Bousquet et al. (2022),
Algorithms 2 (PCL), 4 and 5."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, real  # noqa: F401  (inherited parameters name it)
from ldp_lib.estimation.base import CuratorEstimator, GridClassifier, histogram_shape, parameters
from ldp_lib.nature import MetricSpace
from ldp_lib.nature.spaces import LineCells, Voronoi
from ldp_lib.privacy import stability_histogram
from ldp_lib.privacy.central import noisy_votes


class VoteClassifier(GridClassifier):
    """A rule that counts votes in cells.

    Subclasses say in `_laid_out(n, d)` which shape the array of cells has for n people with d features,
    and in `_released` what is kept of the votes, by default all of them.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count votes in every cell, a curator who adds noise if the rule is private. Returns self."""
        X, y = self._validated(X, y)
        self.scores_ = np.zeros(self._laid_out(*X.shape))  # `_cell` asks how many there are
        flat = np.ravel_multi_index(tuple(self._cell(X).T), self.scores_.shape)
        votes, people = (np.bincount(flat, weights, self.scores_.size) for weights in (2 * y - 1, None))
        shape = vars(self).pop("scores_").shape
        self._keep(people)
        self.scores_ = self._released(votes).reshape(shape)
        return self

    def _released(self, votes):
        return votes

    def _keep(self, people):
        """Keep how many people each cell holds: nobody does who is private."""


class NoisyVoteClassifier(CuratorEstimator, VoteClassifier):
    """Class 1 where the votes and the noise of a curator, one draw a cell, are > 0."""

    _ties_say_one = False

    def _released(self, votes):
        return noisy_votes(votes, self.epsilon, noise=self.noise, rng=self._source(secure=True))


@parameters
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
        be published.  people_ : how many people are in each.  h_, shape_ : the cells.  classes_ : `classes`.

    >>> rule = HistogramClassifier(h=0.5).fit([[0.1], [0.2], [0.3], [0.9]], [1, 1, 0, 0])
    >>> rule.predict_proba([[0.4], [0.6]]).round(2).tolist()
    [[0.33, 0.67], [1.0, 0.0]]
    """

    h: float = 0.1

    def _laid_out(self, n, d):
        self.shape_, self.h_ = histogram_shape(self.h, d), float(self.h)
        self._side = self.h_
        return self.shape_

    def _keep(self, people):
        self.people_ = people.reshape(self.shape_)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Shares of the two labels among the people in the cell of each row of X, (n, 2).

        1/2 where nobody is; at 1/2 the label is 1. Private rules on cells have no such thing: their reports
        tell of f (eta - 1/2), not of eta = P(Y = 1 | x), which takes the density, too. See their `interval`
        and `label_confidence`.
        """
        votes = self.decision_function(X)
        people = self.people_[tuple(self._cell(self._features(X)).T)]
        one = 0.5 + votes / (2 * np.maximum(people, 1))
        return np.stack([1 - one, one], axis=1)


def default_side(n, d):
    """Side of the cubes in Algorithms 2 and 3, r = n^(-1/(2d)), for n people in all."""
    return float(n) ** (-1 / (2 * d))


@parameters(kw_only=True)
class NoisyMajorityClassifier(NoisyVoteClassifier):
    """Class 1 where a cube of [0, 1]^d has sum (y - 1/2) + w > 0; w is Laplace noise of scale 1/epsilon.

    A trusted curator sees the data and releases the noisy sums: epsilon-differential privacy under
    replacement of one person (Theorem 3.1). The sensitivity of the sums of y - 1/2 is exactly 1: whoever
    changes cube moves either sum by 1/2, whoever changes the label moves one sum by 1. For sums of y, or for
    counts, it would be 2. Noise is drawn **once for every cube**, when the rule is learnt, also where nobody
    lives; a fresh draw for every query would average out, and a draw only where people are would betray
    where that is. Universally consistent (Theorem 3.2).

    Parameters
    ----------
    epsilon : central privacy budget in nats, > 0.
    side : side r of the cubes, > 0; None is n^(-1/(2d)).
    noise : "lattice" (default) or "real". Twice the sums are whole numbers and lie on the lattice: no
    rounding.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations.
        Whoever knows it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    scores_ : noisy sums of y - 1/2, shape (ceil(1/side),) * d.  side_ : side of the cubes.
    classes_ : `classes`.

    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> NoisyMajorityClassifier(epsilon=1.0, rng=1).fit(X, X[:, 0] > 0.5).predict([[0.1], [0.9]])
    array([0, 1])
    """

    side: float | None = None

    def cube_side(self, n: int | None, d: int) -> float:
        """Side of the cubes for n people in all with d features; n can be None where `side` is set."""
        return default_side(n, d) if self.side is None else self.side

    def _laid_out(self, n, d):
        side = self.cube_side(n, d)
        shape = histogram_shape(side, d, "side")
        self.side_ = self._side = float(side)
        return shape


def default_radius(n, space):
    """Radius of the packings in Algorithms 4 and 5, r = n^(-1/(4 ddim)), for n people in all."""
    return float(n) ** (-1 / (4 * space.doubling_dimension))


@parameters(kw_only=True)
class _VoronoiRule(CuratorEstimator, GridClassifier):
    """What both share: a packing of the space, cells, people as points of the space."""

    radius: float | None = None
    _ties_say_one = False

    def voronoi(self, n: int) -> Voronoi | LineCells:
        """The Voronoi cells for n people in all: of a packing of the space, whoever the people are."""
        if not isinstance(self.space, MetricSpace):
            raise TypeError(f"space = {self.space!r} is no MetricSpace; take one, as Sphere().")
        radius = default_radius(n, self.space) if self.radius is None else self.radius
        return self.space.voronoi(real("radius", radius, above=0))

    def _settle(self, n):
        """Learn the cells; a space changed by set_params is that of the next fit."""
        self.voronoi_, self.space_ = self.voronoi(n), self.space

    def _cell(self, X):
        return self.voronoi_.locate(self.space_.validate(X))[:, None]


@parameters
class VoronoiClassifier(_VoronoiRule, NoisyVoteClassifier):
    """PCL2: class 1 where a Voronoi cell has sum (y - 1/2) + w > 0; w is Laplace noise of scale 1/epsilon.

    Cells belong to a maximal r-packing of a bounded metric space with doubling dimension ddim. Privacy and
    noise as in `NoisyMajorityClassifier`, one draw a cell; universally consistent (Theorem A.12).

    Parameters
    ----------
    epsilon : central privacy budget in nats, > 0.
    space : a bounded `MetricSpace` of `ldp_lib.nature`; rows of X are points of it.
    radius : r > 0, in the units of the space's distance; None is n^(-1/(4 ddim)).
    noise, classes, rng : as in `NoisyMajorityClassifier`.

    Attributes
    ----------
    scores_ : noisy sums of y - 1/2, one a cell.  voronoi_ : the cells.  classes_ : `classes`.

    >>> from ldp_lib.nature import Sphere, space_problem
    >>> X, y = space_problem("sphere").sample(20_000, rng=1)
    >>> rule = VoronoiClassifier(epsilon=1.0, space=Sphere(), rng=1).fit(X, y)
    >>> rule.predict([[0, 0, 1], [0, 0, -1]]).tolist()
    [1, 0]
    """

    space: MetricSpace | None = None

    def _laid_out(self, n, d):
        if isinstance(self.space, MetricSpace) and not np.isfinite(self.space.diameter):
            raise ValueError(f"space = {self.space!r} is unbounded; use StableVoronoiClassifier there.")
        self._settle(n)
        return (len(self.voronoi_.centres),)


@parameters
class StableVoronoiClassifier(_VoronoiRule):
    """PCL2b: the same for unbounded spaces, with two stability histograms; (epsilon, delta)-private in all.

    One histogram counts people, chat, the other people with label 1, yhat; class 1 where min(yhat, chat) >
    chat/2, so that cells without people, or with too few, say 0. Replacing one person changes both, which
    adds the budgets up (Theorem A.14): **each is run at epsilon/2 and delta/2**, so that the rule spends
    what was asked for. Universally consistent if log(1/delta) = o(n^(3/4)), the order of the people in a cell
    of the default radius; delta = omega(2^(-n^(1/4))), the condition of Theorem A.13, is enough. Theorem A.15
    states no condition and needs one: at delta = 2^-n and epsilon <= 1 the threshold is above n.

    Parameters
    ----------
    epsilon, delta : the whole budget, epsilon > 0 in nats, 0 < delta < 1.
    space, radius, noise, classes, rng : as in `VoronoiClassifier`; the space may be unbounded.
    threshold : "sufficient" (default) or "printed", see `ldp_lib.privacy.stability_threshold`.

    Attributes
    ----------
    counts_, ones_ : noisy counts of the cells where people are, sorted as `cells_`, their numbers.
    voronoi_ : the cells.  classes_ : `classes`.

    >>> from ldp_lib.nature import Sphere, space_problem
    >>> X, y = space_problem("sphere").sample(20_000, rng=1)
    >>> rule = StableVoronoiClassifier(epsilon=1.0, delta=1e-6, space=Sphere(), rng=1).fit(X, y)
    >>> rule.predict([[0, 0, 1], [0, 0, -1]]).tolist()
    [1, 0]
    """

    delta: float = 1e-6
    space: MetricSpace | None = None
    _: KW_ONLY
    threshold: str = "sufficient"
    _learns = "ones_"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Let the curator release both histograms. Returns self."""
        epsilon = real("epsilon", self.epsilon, above=0, cure="epsilon is the privacy budget in nats.")
        delta = real("delta", self.delta, above=0, below=1, cure="delta is a probability, for example 1e-6.")
        X, y = self._validated(X, y)
        self._settle(len(X))
        cells, index, people = np.unique(self._cell(X)[:, 0], return_inverse=True, return_counts=True)
        options = {"threshold": self.threshold, "noise": self.noise, "rng": self._source(secure=True)}
        counts, ones = (
            stability_histogram(sums, epsilon / 2, delta / 2, **options)
            for sums in (people, np.bincount(index, weights=y, minlength=len(cells))))
        # Cells that show nothing must not be told from cells where nobody is.
        shown = (counts > 0) | (ones > 0)
        self.cells_, self.counts_, self.ones_ = cells[shown], counts[shown], ones[shown]
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """min(yhat, chat) - chat/2 in the cell of each row of X, shape (n,); class 1 where it is > 0."""
        X = self._features(X)
        if len(self.cells_) == 0:
            return np.zeros(len(X))
        cell = self._cell(X)[:, 0]
        place = np.searchsorted(self.cells_, cell).clip(max=len(self.cells_) - 1)
        score = np.minimum(self.ones_, self.counts_) - self.counts_ / 2
        return np.where(self.cells_[place] == cell, score[place], 0.0)

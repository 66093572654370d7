"""Locally private classifiers on a grid: they learn from the sums of private reports alone."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import KW_ONLY, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice, whole
from ldp_lib.estimation.asking import AsksPeople
from ldp_lib.estimation.base import (
    FewPeopleWarning, GridClassifier, histogram_shape, parameters, public_classes,
)
from ldp_lib.estimation.intervals import ScoreIntervals
from ldp_lib.privacy import Aggregate, CellAggregate, CellMechanism, CubeLaplace, best_mechanism
from ldp_lib.privacy.aggregate import ReportSums
from ldp_lib.privacy.mechanism import NoisyMechanism
from ldp_lib.privacy.noise import KINDS
from ldp_lib.privacy.registry import CELL_MECHANISMS


@parameters(kw_only=True)
class ReportClassifier(AsksPeople, GridClassifier):
    """A rule on a grid that learns from the sums of private reports, and from nothing else.

    Subclasses say in `build_mechanism(d)` what people with d features run (in `_mechanism_of(n, d)` where
    their number n matters), in `_sums` which kind of aggregate comes of it, and in `_learn(mechanism,
    aggregate)` what they learn; by default, the score of the mechanism in each cell. Where that is so,
    `_cell_by_cell`, few people are a `FewPeopleWarning`, of which numbers of people and of cells decide, both
    public.
    """

    alpha: float = field(default=1.0, kw_only=False)
    rng: Randomness = None
    _sums, _cell_by_cell = CellAggregate, True

    def _mechanism_of(self, n, d):
        return self.build_mechanism(d)

    def _learn(self, mechanism, aggregate):
        self.mechanism_, self.aggregate_, self._side = mechanism, aggregate, mechanism.h
        self.scores_ = mechanism.score(aggregate).reshape(mechanism.shape)
        return self

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Simulate n >= 2 people (rows of X, labels y) who report privately; keep the sums. Returns self.

        Whoever calls this holds the data, and numpy draws the noise of all reports in floating point, from
        `rng`, which the rule forgets; None seeds it afresh. Let real people run `privatize` or `send` of the
        mechanism, and use `fit_aggregate`. `AskedAgainError` if they were asked `times` times, by this rule
        and its copies together.
        """
        X, y = self._validated(X, y)
        mechanism = self._mechanism_of(*X.shape)
        if self._cell_by_cell and mechanism.K > len(X):
            warnings.warn(f"{type(self).__name__} has {mechanism.K:,} cells for {len(X):,} people: in most "
                          "of them nobody lives, and noise decides. Raise h, drop features, or take "
                          "AdaptiveClassifier; with more than 8 features AdditiveClassifier.",
                          FewPeopleWarning, stacklevel=2)
        source, self.total_loss_ = self._ask()
        return self._learn(mechanism, mechanism.simulate_aggregate(X, y, rng=source))

    def fit_aggregate(self, aggregate: ReportSums, d: int | None = None) -> Self:
        """Learn from sums of reports alone, as an analyst would; nothing is drawn. Returns self.

        d : features of these people; None reads it off the name of the mechanism that the sums carry.
        """
        people = whole("people of the aggregate", int(np.sum(self._sums.legal(aggregate).people)))
        if d is None:
            named = re.search(r"\bd=(\d+)", aggregate.mechanism)
            d = int(named[1]) if named else 1
        mechanism = self._mechanism_of(people, d)
        aggregate = self._sums.checked(aggregate, mechanism)
        self.classes_, self.n_features_in_, self.rng = public_classes(self.classes), d, None
        # Names of an earlier fit would be checked against people of another sample.
        vars(self).pop("feature_names_in_", None)
        self.total_loss_ = mechanism.alpha
        return self._learn(mechanism, aggregate)


@parameters
class CubeClassifier(ScoreIntervals, ReportClassifier):
    """Class 1 where T_n >= 0 at the nearest grid point; T_n is the score of `CubeLaplace`.

    Universally consistent if h -> 0 and n min(alpha, 1)^2 h^(2d) -> infinity
    (Theorem 2.2), minimax over Hölder and margin classes (Theorem 2.4).

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    h : bandwidth, > 0, in units of the domain [0, 1]^d, which is public.
    noise : "lattice" (default) or "real", see `ldp_lib.privacy.noise`.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : how often each person may be asked in all, by this rule and its copies: 1 unless given. Once more
        is `AskedAgainError`, or a warning if people are simulated.

    Attributes
    ----------
    mechanism_ : the `CubeLaplace` that the people ran.  aggregate_ : the sums that the analyst got.
    scores_ : T_n on the grid, shape (ceil(1/h) + 1,) * d.  classes_ : `classes`.
    total_loss_ : nats told by whoever was asked each time, by this rule and its copies up to this fit.

    `fit` draws the sums of the reports from their exact law, in place of n x K reports;
    `fit_aggregate` takes sums collected elsewhere.

    >>> import numpy as np
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> X = np.concatenate([X, X])          # the halves of the sample do different things
    >>> rule = CubeClassifier(alpha=4.0, h=0.25, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.predict([[0.1], [0.9]])
    array([0, 1])
    """

    h: float = 0.1
    _: KW_ONLY
    noise: str = "lattice"
    _sums = Aggregate

    def build_mechanism(self, d: int) -> CubeLaplace:
        """The mechanism that people with d features run."""
        return CubeLaplace(self.alpha, self.h, d, self.noise)

    def _cell(self, X):
        h, last = self.mechanism_.h, self.mechanism_.shape[0] - 1
        return np.floor(np.clip(X, 0, last * h) / h + 0.5).clip(max=last).astype(np.intp)


@parameters
class CellClassifier(ScoreIntervals, ReportClassifier):
    """Class 1 in a cell of side h where the score, an estimate of E[(Y - 1/2); X in the cell], is >= 0.

    Consistent under the same conditions as `CubeClassifier` (Theorem 2.2 of [1]_), with the
    same rate where X has a density bounded below on [0, 1]^d and 1/h is whole. How many people that saves
    depends on the law. "subset" takes the number of entries of least variance; with a fixed number the
    variance grows like the number of cells, and nothing is learnt.

    `fit` draws the sums of the reports from their exact law; `fit_aggregate` takes sums collected elsewhere.

    Parameters
    ----------
    alpha : float
        Local privacy budget in nats, > 0; 1.0 unless given.
    h : float
        Side of the cells [k h, (k + 1) h), > 0, in units of the domain [0, 1]^d, which is public; 0.1 unless
        given.
    classes : pair of labels
        The two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : Generator, int or None
        Of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : int
        How often each person may be asked in all, by this rule and its copies: 1 unless given. Once more is
        `AskedAgainError`, or a warning if people are simulated.
    mechanism : str
        A name from `ldp_lib.privacy.registry`, such as "laplace" (`CellLaplace`), the default, "one-bit"
        (`HadamardBit`) and "subset" (`SignedSubset`), or "best": the one of least exact variance for this
        alpha and number of cells.
    noise : {"lattice", "real"}
        "lattice" unless given. It matters where noise is added, as by "laplace"; the others have none.

    Attributes
    ----------
    mechanism_ : CellMechanism
        What the people ran; its `bits` is what each of them sent.
    aggregate_ : CellAggregate
        The sums of the reports.
    scores_ : array of shape (ceil(1/h),) * d
        The estimates.
    classes_ : array of shape (2,)
        `classes`.
    total_loss_ : float
        Nats told by whoever was asked each time, by this rule and its copies up to this fit.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorem 2.2, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> rule = CellClassifier(alpha=1.0, h=0.25, mechanism="best", rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.predict([[0.1], [0.9]]), rule.mechanism_
    (array([0, 1]), HadamardBit(alpha=1.0, h=0.25, d=1))
    """

    h: float = 0.1
    _: KW_ONLY
    mechanism: str = "laplace"
    noise: str = "lattice"

    def build_mechanism(self, d: int) -> CellMechanism:
        """The mechanism that people with d features run."""
        name = choice("mechanism", self.mechanism, (*CELL_MECHANISMS, "best"))
        if name == "best":
            name = best_mechanism(self.alpha, math.prod(histogram_shape(self.h, d)))
        kind, options = CELL_MECHANISMS[name], {"noise": choice("noise", self.noise, KINDS)}
        return kind(self.alpha, self.h, d, **(options if issubclass(kind, NoisyMechanism) else {}))


@parameters
class OneBitClassifier(CellClassifier):
    """`CellClassifier` from one bit a person, `HadamardBit`.

    Parameters
    ----------
    alpha : float
        Local privacy budget in nats, 10^-100 to 10^4; 1.0 unless given.
    h : float
        Side of the cells [k h, (k + 1) h), > 0, in units of the domain [0, 1]^d, which is public; 0.1 unless
        given.
    classes : pair of labels
        The two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : Generator, int or None
        Of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.
    times : int
        How often each person may be asked in all, by this rule and its copies: 1 unless given. Once more is
        `AskedAgainError`, or a warning if people are simulated.

    Attributes
    ----------
    mechanism_, aggregate_, scores_, classes_, total_loss_
        As in `CellClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> rule = OneBitClassifier(alpha=1.0, h=0.25, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.predict([[0.1], [0.9]]).tolist()
    [0, 1]
    """

    mechanism: ClassVar[str] = "one-bit"
    noise: ClassVar[str] = "lattice"

"""Locally private classifiers on disjoint cells: one signed report a person."""

import math

from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, choice
from ldp_lib.estimation.base import ReportClassifier
from ldp_lib.estimation.histogram import histogram_shape
from ldp_lib.privacy import CellMechanism, best_mechanism
from ldp_lib.privacy.mechanism import NoisyMechanism
from ldp_lib.privacy.noise import KINDS
from ldp_lib.privacy.registry import CELL_MECHANISMS


class CellClassifier(ReportClassifier):
    """Class 1 in a cell of side h where the score, an estimate of E[(Y - 1/2); X in the cell], is >= 0.

    Consistent under the same conditions as `CubeClassifier` (Berrett & Butucea, 2019, Theorem 2.2), with the
    same rate where X has a density bounded below on [0, 1]^d and 1/h is whole. How many people that saves
    depends on the law. "subset" takes the number of entries of least variance; with a fixed number the
    variance grows like the number of cells, and nothing is learnt.

    Parameters
    ----------
    alpha : local privacy budget in nats, > 0.
    h : side of the cells [k h, (k + 1) h), > 0, in units of the domain [0, 1]^d, which is public.
    mechanism : a name from `ldp_lib.privacy.registry`, such as "laplace" (`CellLaplace`), "one-bit"
        (`HadamardBit`) and "subset" (`SignedSubset`), or "best": the one of least exact variance for this
        alpha and number of cells.
    noise : "lattice" (default) or "real", where noise is added, as by "laplace"; the others have none.
    classes : the two labels, (class 0, class 1), public; (0, 1) unless they are named. Others are refused.
    rng : of the people whom `fit` simulates: numpy Generator, seed, or None for fresh entropy. Whoever knows
        it undoes the privacy; `fit` takes it from the rule, which has None from then on.

    Attributes
    ----------
    mechanism_ : what the people ran; its `bits` is what each of them sent.
    aggregate_ : the sums of the reports.
    scores_ : estimates, shape (ceil(1/h),) * d.  classes_ : `classes`.

    `fit` draws the sums of the reports from their exact law; `fit_aggregate` takes sums collected elsewhere.

    >>> import numpy as np
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> rule = CellClassifier(alpha=1.0, h=0.25, mechanism="best", rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.predict([[0.1], [0.9]]), rule.mechanism_
    (array([0, 1]), HadamardBit(alpha=1.0, h=0.25, d=1))
    """

    def __init__(self, alpha: float = 1.0, h: float = 0.1, *, mechanism: str = "laplace",
                 noise: str = "lattice", classes: ArrayLike = (0, 1), rng: Randomness = None):
        self.alpha = alpha
        self.h = h
        self.mechanism = mechanism
        self.noise = noise
        self.classes = classes
        self.rng = rng

    def build_mechanism(self, d: int) -> CellMechanism:
        """The mechanism that people with d features run."""
        name = choice("mechanism", self.mechanism, (*CELL_MECHANISMS, "best"))
        if name == "best":
            name = best_mechanism(self.alpha, math.prod(histogram_shape(self.h, d)))
        kind, options = CELL_MECHANISMS[name], {"noise": choice("noise", self.noise, KINDS)}
        return kind(self.alpha, self.h, d, **(options if issubclass(kind, NoisyMechanism) else {}))

    def _mechanism_of(self, n, d):
        return self.build_mechanism(d)


class OneBitClassifier(CellClassifier):
    """`CellClassifier` from one bit a person, `HadamardBit`.

    Parameters and attributes as there.
    """

    mechanism, noise = "one-bit", "lattice"

    def __init__(self, alpha: float = 1.0, h: float = 0.1, *, classes: ArrayLike = (0, 1),
                 rng: Randomness = None):
        self.alpha = alpha
        self.h = h
        self.classes = classes
        self.rng = rng

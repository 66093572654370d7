"""The locally private classifier of Berrett & Butucea (2019), Section 2."""

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness
from ldp_lib.estimation.base import ReportClassifier
from ldp_lib.privacy import Aggregate, CubeLaplace


class CubeClassifier(ReportClassifier):
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

    Attributes
    ----------
    mechanism_ : the `CubeLaplace` that the people ran.  aggregate_ : the sums that the analyst got.
    scores_ : T_n on the grid, shape (ceil(1/h) + 1,) * d.  classes_ : `classes`.

    `fit` draws the sums of the reports from their exact law, in place of n x K reports;
    `fit_aggregate` takes sums collected elsewhere.

    >>> import numpy as np
    >>> X = np.linspace(0, 1, 4000).reshape(-1, 1)
    >>> X = np.concatenate([X, X])          # the halves of the sample do different things
    >>> rule = CubeClassifier(alpha=4.0, h=0.25, rng=1).fit(X, X[:, 0] > 0.5)
    >>> rule.predict([[0.1], [0.9]])
    array([0, 1])
    """

    _sums = Aggregate

    def __init__(self, alpha: float = 1.0, h: float = 0.1, *, noise: str = "lattice",
                 classes: ArrayLike = (0, 1), rng: Randomness = None):
        self.alpha = alpha
        self.h = h
        self.noise = noise
        self.classes = classes
        self.rng = rng

    def _mechanism_of(self, n, d):
        return CubeLaplace(self.alpha, self.h, d, self.noise)

    def _cell(self, X):
        h, last = self.mechanism_.h, self.mechanism_.shape[0] - 1
        return np.floor(np.clip(X, 0, last * h) / h + 0.5).clip(max=last).astype(np.intp)

"""The centrally private majority vote of Bousquet et al. (2022), Algorithm 2 (PCL)."""

import math

import numpy as np

from ldp_lib.estimation.grid import GridClassifier
from ldp_lib.estimation.histogram import histogram_shape
from ldp_lib.privacy.central import noisy_votes


def default_side(n, d):
    """Side of the cubes in Algorithms 2 and 3, r = n^(-1/(2d)), for n people in all."""
    return float(n) ** (-1 / (2 * d))


class NoisyMajorityClassifier(GridClassifier):
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

    _ties_say_one = False

    def __init__(self, epsilon=1.0, *, side=None, noise="lattice", classes=(0, 1), rng=None):
        self.epsilon = epsilon
        self.side = side
        self.noise = noise
        self.classes = classes
        self.rng = rng

    def cube_side(self, n, d):
        """Side of the cubes for n people in all with d features."""
        return default_side(n, d) if self.side is None else self.side

    def fit(self, X, y):
        """Let the curator count votes in every cube and add the noise. Returns self."""
        X, y = self._validated(X, y)
        side = self.cube_side(*X.shape)
        shape = histogram_shape(side, X.shape[1], name="side")
        self.side_, self.scores_ = float(side), np.zeros(shape)
        flat = np.ravel_multi_index(tuple(self._cell(X).T), shape)
        votes = np.bincount(flat, weights=2 * y - 1, minlength=math.prod(shape))
        noisy = noisy_votes(votes, self.epsilon, noise=self.noise, rng=self._source(secure=True))
        self.scores_ = noisy.reshape(shape)
        return self

    def _cell(self, X):
        return np.floor(np.clip(X, 0, 1) / self.side_).clip(max=self.scores_.shape[0] - 1).astype(np.intp)

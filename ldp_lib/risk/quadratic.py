"""How well private reports tell F = sum_k p_k^2, the chance that two people hold the same face.

With u = 1/K, D = p - u, so that F = u + |D|^2, and t = tanh(alpha/2). People send a sign for each face
(`CellSigns`); less their mean over the faces, unbiased for D, these have the covariance S = P / t^2 - D D',
P being I - J/K.

* *One round.* u and the mean product of the reports of two people are unbiased for F. The variance is, for
  every n, 4 D'SD / n + 2 tr(S^2) / (n (n - 1)) (W. Hoeffding, 1948). The second term holds (K - 1) / t^4.
* *Two rounds.* The first n_1 people estimate the shares, q_k. Each of the n_2 others sends one bit, of mean
  t clip(q_k - u) / c at her face k, where excesses are clipped to [-c, c]. u and c/t times the mean bit, less
  the mean of the clipped excesses over the faces, is F on average, but for what the clip takes away. There is
  no K in its variance, but for what c must be.

A small c says that the die is nearly fair, and an office that asks nobody may say so, too: 1/K has the error
|D|^2. What is gained must be held against that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import real, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy.binomial import binomial_chances
from ldp_lib.privacy.exact import LARGEST_BUDGET, SMALLEST_BUDGET
from ldp_lib.risk.uniformity import MOST_PEOPLE, checked_die

SHARES = 0.3, 0.4, 0.5, 0.6, 0.7, 0.8
CLIPS = 40
"""Shares of the first round, and numbers of clips, that `best_clip` tries."""


class QuadraticError(NamedTuple):
    """Of an estimate of sum p_k^2: `bias`, `variance`, and the `share` and `clip` it is made with, if any.

    >>> QuadraticError(0.3, 0.16).root_mean_square
    0.5
    """

    bias: float
    variance: float
    share: float | None = None
    clip: float | None = None

    @property
    def root_mean_square(self) -> float:
        """sqrt(bias^2 + variance)."""
        return math.sqrt(self.bias**2 + self.variance)


def _checked(law, n, alpha):
    alpha = real("alpha", alpha, least=SMALLEST_BUDGET, most=LARGEST_BUDGET)
    return checked_die(law), whole("n", n, least=2, most=MOST_PEOPLE), math.tanh(alpha / 2)


def quadratic_one_round(law: ArrayLike, n: int, alpha: float) -> QuadraticError:
    """The error of u and the mean product of two people's signs, centred over the faces; exact for all n.

    Parameters
    ----------
    law : array, shape (K,)
        The masses of the faces; they sum to 1.
    n : int
        People in all, 2 to 10^7.
    alpha : float
        Privacy budget of one report in nats, 10^-100 to 10^4.

    Returns
    -------
    QuadraticError
        Its bias is 0.

    Examples
    --------
    >>> round(quadratic_one_round([1/64] * 64, 10_000, 1.0).root_mean_square, 4)
    0.0053
    """
    law, n, tilt = _checked(law, n, alpha)
    square = float(((law - 1 / len(law)) ** 2).sum())
    linear = square / tilt**2 - square**2
    trace = (len(law) - 1) / tilt**4 - 2 * square / tilt**2 + square**2
    return QuadraticError(0.0, 4 * linear / n + 2 * trace / (n * (n - 1)))


def quadratic_two_rounds(law: ArrayLike, n: int, alpha: float, clip: float, *,
                         share: float = 0.5) -> QuadraticError:
    """The error of two rounds of other people, from the exact laws of the estimated shares.

    Covariances of the estimates of different faces are left out; without a clip they take |D|^4 / n_1 from a
    variance that is |D|^2 / (t^2 n_1) and more.

    Parameters
    ----------
    law, n, alpha : array, int, float
        As in `quadratic_one_round`.
    clip : float
        c, the largest excess over 1/K that is believed, above 0.
    share : float
        Part of the people in the first round, in (0, 1); 0.5 by default.

    Returns
    -------
    QuadraticError

    Examples
    --------
    >>> wide, narrow = (quadratic_two_rounds([0.4] + [0.2] * 3, 10_000, 1.0, clip) for clip in (0.3, 0.01))
    >>> abs(wide.bias) < 5e-5, round(narrow.bias, 4)
    (True, -0.0272)
    """
    law, n, tilt = _checked(law, n, alpha)
    clip, share = real("clip", clip, above=0), real("share", share, above=0, below=1)
    return _of_clips(law, n, tilt, np.array([clip]), share)[0]


def _of_clips(law, n, tilt, clips, share):
    """The errors at all of these clips."""
    first = min(max(round(share * n), 1), n - 1)
    masses, faces = np.unique(canonical(law), return_counts=True)
    excess = masses - 1 / len(law)
    seen = (2 * np.arange(first + 1) / first - 1) / tilt - 1 / len(law)
    mean, square = np.empty((2, len(masses), len(clips)))
    for k, mass in enumerate(masses):
        chances = binomial_chances(first, (1 + tilt * mass) / 2)
        likely = chances > 1e-20
        believed = np.clip(seen[likely], -clips[:, None], clips[:, None])
        mean[k], square[k] = believed @ chances[likely], believed**2 @ chances[likely]
    spread = faces * (square - mean**2).T
    told = mean.T @ (faces * masses)
    bias = (mean.T - excess) @ (faces * excess)
    answers = (clips**2 / tilt**2 - told**2 - spread @ masses**2) / (n - first)
    return [QuadraticError(*map(float, each), share, float(clip)) for each, clip in zip(
        zip(bias, spread @ excess**2 + answers, strict=True), clips, strict=True)]


def best_clip(law: ArrayLike, n: int, alpha: float) -> QuadraticError:
    """Two rounds with the clip and the share, of a grid, that are best for this law: no office knows them.

    Parameters
    ----------
    law, n, alpha : array, int, float
        As in `quadratic_one_round`.

    Returns
    -------
    QuadraticError
        The one with the least mean square, of shares from 0.3 to 0.8 and 40 clips a share.

    Examples
    --------
    >>> from ldp_lib.nature import tilted_die
    >>> law = tilted_die(256, 0.5)
    >>> one, two = (error(law, 100_000, 1.0) for error in (quadratic_one_round, best_clip))
    >>> round(one.root_mean_square / two.root_mean_square, 1)
    3.8
    """
    law, n, tilt = _checked(law, n, alpha)
    excess, found = float(np.ptp(law)), []
    for share in SHARES:
        noise = 1 / (tilt * math.sqrt(max(share * n, 1)))
        clips = np.geomspace(noise / 30, excess + 6 * noise, CLIPS)
        found += _of_clips(law, n, tilt, clips, share)
    return min(found, key=lambda error: canonical(error.root_mean_square))

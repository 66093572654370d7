"""The laws of the scores on disjoint cells, exact: `CellLaplace`, `HadamardBit` and `SignedSubset`.

With additive noise the score is S = sum of n variables (Y - 1/2) 1{X in the cell} + sum of n Laplace(b), a
contour integral like that of the paper's mechanism. That of one bit is binomial, an incomplete beta function;
that of signed subsets is a sum of n variables in {-1, 0, 1}, a majority vote.
"""

from functools import singledispatch

import numpy as np
from scipy.special import betainc

from ldp_lib.privacy import CellLaplace, HadamardBit, SignedSubset
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.scores import cell_sign_probabilities, majority_sign_probabilities


@singledispatch
def score_sign_probabilities(mechanism, n, p, q, relative_error=RELATIVE_ERROR):
    """(P(score < 0), P(score >= 0)) in cells with masses p and q after n people used the mechanism; exact."""
    raise TypeError(f"mechanism = {mechanism!r:.60} has no exact law here; use CellLaplace, HadamardBit or "
                    "SignedSubset.")


@score_sign_probabilities.register
def _(mechanism: CellLaplace, n, p, q, relative_error=RELATIVE_ERROR):
    return cell_sign_probabilities(n, p, q, mechanism.scale, mechanism.granularity, relative_error)


@score_sign_probabilities.register
def _(mechanism: HadamardBit, n, p, q, relative_error=RELATIVE_ERROR):
    # Signs are +1 with probability (1 + t (2q - p)) / 2, and 2 t scale = 1: half of n or more of them make
    # S >= 0.
    tilt = (2 * np.asarray(q) - p) / (4 * mechanism.scale)
    enough = np.ceil(np.asarray(n) / 2)
    return betainc(n - enough + 1, enough, 0.5 - tilt), betainc(enough, n - enough + 1, 0.5 + tilt)


@score_sign_probabilities.register
def _(mechanism: SignedSubset, n, p, q, relative_error=RELATIVE_ERROR):
    return majority_sign_probabilities(n, *mechanism.law(p, q), relative_error)

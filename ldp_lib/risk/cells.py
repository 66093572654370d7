"""The laws of the scores on disjoint cells, exact, from the law of one report (`CellMechanism.law`).

With additive noise the score is S = sum of n variables (Y - 1/2) 1{X in the cell} + sum of n Laplace(b), a
contour integral like that of the paper's mechanism. That of signs, one from everybody, is binomial, an
incomplete beta function; that of answers in {-1, 0, 1} is a majority vote.
"""

import numpy as np
from scipy.special import betainc

from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.scores import cell_sign_probabilities, majority_sign_probabilities


def score_sign_probabilities(mechanism, n, p, q, relative_error=RELATIVE_ERROR):
    """(P(score < 0), P(score >= 0)) in cells with masses p and q after n people used the mechanism; exact.

    mechanism : a `CellMechanism` that has a `law`: the law of one report says all.
    """
    if not hasattr(mechanism, "law"):
        known = ", ".join(kind.__name__ for kind in CELL_MECHANISMS.values())
        raise TypeError(f"mechanism = {mechanism!r:.60} has no exact law here; use one of {known}.")
    told, ones = mechanism.law(p, q)
    if mechanism.noise:
        # In units in which a report is 1/2 or -1/2 before noise.
        scale, step = (size / (2 * mechanism.unit)
                       for size in (mechanism.noise.scale, mechanism.noise.granularity))
        return cell_sign_probabilities(n, told, ones, scale, step, relative_error)
    if (told == 1).all():
        # Half of n signs or more make S >= 0.
        enough = np.ceil(np.asarray(n) / 2)
        return betainc(n - enough + 1, enough, 1 - ones), betainc(enough, n - enough + 1, ones)
    return majority_sign_probabilities(n, told, ones, relative_error)

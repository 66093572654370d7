"""The law of a noisy majority vote, exact: Algorithms 2 and 4 of Bousquet et al. (2022).

V, ones minus zeros in a cell, is a whole number, and the noise Z on it is Laplace with scale b = 2/epsilon.
With rho = exp(-1/b) and a = P(Z >= 0), which is 1/2 for real noise, P(Z >= v) = a rho^v for v = 1, 2, ...,
so that

    P(V + Z > 0)  = P(V >= 1) - a E[rho^V; V >= 1] + (1 - a) E[rho^-V; V <= 0],
    P(V + Z <= 0) = a E[rho^V; V >= 1] + P(V <= 0) - (1 - a) E[rho^-V; V <= 0].

Each expectation is a contour integral of the mgf of V, moved by -1/b or 1/b. Both differences lose one
binary digit at most, because the subtracted term is about half of the other or less. The period of the
integrals is that of whole numbers however fine the lattice of the noise is.
"""

import numpy as np

from ldp_lib._arguments import real
from ldp_lib.risk.contour import RELATIVE_ERROR, rows, smaller_side
from ldp_lib.risk.scores import CellMajority, flat_arguments

MOST_TILT = 300.0
"""1/b beyond this is replaced by it: rho is then below the rounding error of every sum that holds it."""

class TiltedMajority(CellMajority):
    """V under the weight exp(tilt V): K(s) is the logarithm of E exp((tilt + s) V), not 0 at s = 0."""

    def __init__(self, n, p, q, tilt):
        super().__init__(n, p, q)
        self.tilt = tilt

    def __getitem__(self, cells):
        return rows(self, ("n", "ones", "zeros", "absent", "edge", "tilt"), cells)

    def saddlepoint(self):
        """Where K' is 0, and K'' there."""
        s, variance = super().saddlepoint()
        return s - self.tilt, variance

    def reach(self, c, digits):
        """Half-length of the contour, at most the period."""
        return super().reach(c + self.tilt, digits)

    def log_mgf(self, c, t):
        """K(c + it), as in `CubeScore.log_mgf`."""
        return super().log_mgf(c + self.tilt[:, None], t)

    def expectations(self, relative_error):
        """E[exp(tilt V); V < 0] and E[exp(tilt V); V >= 0]; no more than e where they are large."""
        c, log_smaller = smaller_side(self, relative_error)
        smaller = np.exp(np.minimum(log_smaller, 0))
        # The other side is what is left of the mgf at the tilt; where that is large, nobody asks for it.
        total = self.n * np.log1p(self.ones * np.expm1(self.tilt) + self.zeros * np.expm1(-self.tilt))
        other = np.exp(np.minimum(total, 1)) - smaller
        return np.where(c < 0, smaller, other), np.where(c < 0, other, smaller)


def noisy_majority_probabilities(n, p, q, scale, granularity=0.0, relative_error=RELATIVE_ERROR):
    """(P(V + Z <= 0), P(V + Z > 0)): a noisy vote says 0, and 1; exact, ties say 0.

    n : people in all.  p : P(X in the cell).  q : P(X in the cell, Y = 1), in [0, p].  scale : b = 2/epsilon
    of the noise on ones minus zeros.  Arrays broadcast together.  granularity : step of the noise lattice
    (one number, 1 over a whole number), 0 for real noise.  The smaller probability has a relative error of
    about 1e-12, an absolute one of 1e-16 where everybody is in the cell with the same label.

    >>> zero, one = noisy_majority_probabilities(1000, 0.1, 0.06, 2.0)
    >>> round(float(one), 12)
    0.973363645277
    """
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale)
    granularity = real("granularity", granularity, least=0)
    n, p, q, rate = flat["n"], flat["p"], flat["q"], np.minimum(1 / flat["scale"], MOST_TILT)
    a = 1 / (1 + np.exp(-granularity / flat["scale"]))
    # With ones and zeros exchanged, V >= 1 is V < 0.
    tilts = np.concatenate([np.zeros_like(n), rate, -rate])
    score = TiltedMajority(*(np.tile(v, 3) for v in (n, p, p - q)), tilts)
    below, rest = (np.split(side, 3) for side in score.expectations(relative_error))
    one = below[0] - a * below[1] + (1 - a) * rest[2]
    zero = a * below[1] + rest[0] - (1 - a) * rest[2]
    return zero.reshape(shape), one.reshape(shape)

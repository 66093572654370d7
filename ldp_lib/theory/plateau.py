"""The smooth density on whose plateau the lower bounds hide their wavelets, and its Besov norm."""

import functools
import math

import numpy as np
from scipy.special import expit

from ldp_lib._arguments import places, real
from ldp_lib.wavelets import wavelet_basis


class Plateau:
    """The density f0: constant in the middle half of its domain, infinitely smooth, 0 outside.

    Its shoulders, a quarter of the domain each, are symmetric steps exp(-1/t) / (exp(-1/t) + exp(-1/(1-t))).

    domain : (lower, upper).  height : of the plateau, 4/3 for a domain of length 1.  flat : where it is
    constant.

    >>> base = Plateau()
    >>> base.pdf([0.0, 0.125, 0.5]).round(6).tolist(), base.flat
    ([0.0, 0.666667, 1.333333], (0.25, 0.75))
    """

    def __init__(self, domain=(0.0, 1.0)):
        if not isinstance(domain, (tuple, list)) or len(domain) != 2:
            raise TypeError(f"domain = {domain!r:.60} is a {type(domain).__name__}; it must be a pair "
                            "(lower, upper).")
        lower = real("domain[0]", domain[0])
        upper = real("domain[1]", domain[1], above=lower)
        self.domain, self.width = (lower, upper), upper - lower
        self.height = 4 / (3 * self.width)
        self.flat = (lower + self.width / 4, upper - self.width / 4)

    def pdf(self, x):
        """The density at x (any shape)."""
        x = places("x", x)
        # Distance from the nearer end in units of a shoulder.
        t = np.minimum(x - self.domain[0], self.domain[1] - x) / (self.width / 4)
        t = np.clip(t, 1e-3, 1 - 1e-3)                          # exp(-1000) is 0 in floats
        return self.height * expit(1 / (1 - t) - 1 / t)

    def coefficients(self, wavelet, finest=14):
        """(alpha_0, [beta_0, beta_1, ...]): the coefficients that are not 0, from samples at level `finest`.

        alpha_Mk = 2^(-M/2) f0 at the centre of mass of phi_Mk up to a relative error of 4^-M, M = `finest`;
        the levels below by the filters. Returns the values alone: the norms do not ask where they stand.
        """
        basis, M = wavelet_basis(wavelet), finest
        centre = float(np.arange(basis.filter_length) @ basis.low) / math.sqrt(2)
        first = math.floor(math.ldexp(self.domain[0], M)) - basis.overlap
        k = np.arange(first, math.ceil(math.ldexp(self.domain[1], M)) + 1)
        values, details = 2 ** (-M / 2) * self.pdf((k + centre) * 2.0**-M), []
        for _ in range(M):
            # a_(j-1)k = sum_l h_(l - 2k) a_jl: correlate, then keep the even places.
            start = first - basis.overlap
            keep = slice(start % 2, None, 2)
            smooth, detail = (np.convolve(values, taps[::-1])[keep] for taps in (basis.low, basis.high))
            values, first = smooth, (start + start % 2) // 2
            details.append(detail)
        return values, details[::-1]


def p_norm(values, p):
    """The p-norm of a sequence, 1 <= p <= inf."""
    values = np.asarray(values)
    largest = np.abs(values).max()
    # Powers of numbers up to 1 do not overflow.
    return float(largest * np.linalg.norm(values / largest, p)) if largest > 0 else 0.0


@functools.cache
def plateau_levels(wavelet, domain, s, p):
    """(norm of the fathers, weighted norms of the levels) of the plateau.

    f0 is smooth: with K vanishing moments its coefficients fall like 2^(-j (K + 1/2)). Levels that rounding
    errors have reached, and those beyond the samples, are continued that way.
    """
    fathers, details = Plateau(domain).coefficients(wavelet)
    known = [beta for beta in details if np.abs(beta).max() > 1e-11]
    weighted = [2 ** (j * (s + 0.5 - 1 / p)) * p_norm(beta, p) for j, beta in enumerate(known)]
    fall = wavelet_basis(wavelet).vanishing_moments - s
    beyond = np.arange(1, math.ceil(40 / fall) + 1)
    return p_norm(fathers, p), np.concatenate([weighted, weighted[-1] * 2.0 ** (-fall * beyond)])

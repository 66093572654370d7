"""Constants of a wavelet that the proofs need beside those of its basis."""

import functools

import numpy as np

from ldp_lib.wavelets import wavelet_basis

CELLS = 2**12
"""Cells per unit length in the quadrature of a mother."""


@functools.cache
def mother_values(wavelet, cells=CELLS):
    """psi at the midpoints of `cells` cells per unit, shape (c cells,), scaled to an exact mean square.

    With these values the integral of psi^2 is 1; the scaling changes them by less than 1e-4.
    """
    basis = wavelet_basis(wavelet)
    values = basis.psi((np.arange(basis.overlap * cells) + 0.5) / cells)
    values /= np.sqrt(np.square(values).sum() / cells)
    values.flags.writeable = False
    return values


@functools.cache
def norm_power(wavelet, r):
    """Integral of |psi|^r, r >= 1, by the midpoint rule; relative error below 1e-4 for every wavelet."""
    return float((np.abs(mother_values(wavelet)) ** r).sum() / CELLS)


@functools.cache
def square_bound(wavelet):
    """D = S_phi sup |phi| >= sum_k |phi(x - k) phi(y - k)| for all x, y: 2^J D bounds the kernel of V_J."""
    basis = wavelet_basis(wavelet)
    return basis.S_phi * basis.phi_max


def coefficients_at(wavelet, x, levels):
    """What people at x contribute: (fathers of level 0, mothers of levels 0 to J - 1, fathers of level J).

    x : (m,) points.  levels : J.  Shapes (first (m,), values (m, c)) of the fathers and a list of such pairs
    of the mothers: values[i, a] belongs to k = first[i] + a.
    """
    basis = wavelet_basis(wavelet)
    x = np.asarray(x, dtype=float)
    # All levels in one call: psi_jk(x) = 2^(j/2) psi_0k(2^j x).
    j = np.arange(levels)
    scaled = np.ldexp(x[None, :], j[:, None]).ravel()
    first, values = basis.values(scaled, 0)
    first = first.reshape(levels, len(x))
    values = values.reshape(levels, len(x), basis.overlap) * 2.0 ** (j / 2)[:, None, None]
    fathers, top = (basis.values(x, level, kind="phi") for level in (0, levels))
    return fathers, list(zip(first, values, strict=True)), top


def difference(first, values):
    """sum_k |v_k(x) - v_k(x')| for two points, from `first` (2,) and `values` (2, c) of `coefficients_at`."""
    apart, c = int(first[1] - first[0]), values.shape[1]
    if abs(apart) >= c:
        return float(np.abs(values).sum())
    here, there = (0, apart) if apart >= 0 else (-apart, 0)
    both = np.zeros(c + abs(apart))
    both[here : here + c] += values[0]
    both[there : there + c] -= values[1]
    return float(np.abs(both).sum())

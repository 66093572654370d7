"""The exponents that the theorems promise, and why spiky densities pay twice for privacy.

Classification: `classification_exponent`. The rest is density estimation over Besov balls.

A density of smoothness s, measured in L_p, is estimated and the error measured by E ||fhat - f||_r^r.
Written as an inverse problem of degree delta (Kerkyacharian et al., 2007) every case of this page has the
same two lines: with v = 2 delta + 1, the noise of level j being of order 2^(j delta),

    dense    r s / (2 s + v)                          if p > v r / (2 s + v),
    sparse   r (s - 1/p + 1/r) / (2 (s - 1/p) + v)    otherwise.

Observing X has degree 0, the best private report degree 1/2, and X plus Laplace noise degree 2: the
characteristic function of that noise falls like |t|^-2. Where the line bends is the *elbow*; privacy moves
it, and the frontier r/(s+1) of the private line lies beyond the frontier r/(2s+1) of the other: the twofold
elbow of Butucea, Dubois, Kroll & Saumard (2020), Corollary 2.1.
"""

from __future__ import annotations

import math
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import numeric, real, reals, whole

DEGREES = {"none": 0.0, "reports": 0.5, "data": 2.0}
"""Degree of ill-posedness by what carries the noise: nothing, the published coefficients, or X itself."""
LARGEST_ALPHA, LARGEST_R, LARGEST_NU = 300.0, 100.0, 100.0
"""Beyond, floats overflow."""
SPIKY = ("between", "sparse")
"""The regimes whose minimax rates have a logarithm."""


def classification_exponent(beta: float, gamma: float, d: int, private: bool = True) -> float:
    """Exponent r of the minimax excess risk (n alpha^2)^(-r), or n^(-r) without privacy.

    r = beta (1 + gamma) / (2 beta + 2 d) under local privacy [1]_ and beta (1 + gamma) / (2 beta + d)
    without it [2]_.

    Parameters
    ----------
    beta : float
        Hölder exponent of eta, in (0, 1].
    gamma : float
        Margin exponent, >= 0, with beta * gamma <= d.
    d : int
        Dimension, 1 or more.
    private : bool
        Under local privacy, or without.

    Returns
    -------
    float
        r.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019), Theorem 2.3,
       doi:10.48550/arXiv.1912.04629.
    .. [2] J.-Y. Audibert and A. Tsybakov, "Fast learning rates for plug-in classifiers", Ann. Statist. 35
       (2007), doi:10.1214/009053606000001217.

    Examples
    --------
    >>> classification_exponent(beta=1, gamma=1, d=1), classification_exponent(1, 1, 1, private=False)
    (0.5, 0.6666666666666666)
    """
    beta = real("beta", beta, above=0, most=1)
    gamma = real("gamma", gamma, least=0)
    d = whole("d", d)
    if beta * gamma > d:
        raise ValueError(
            f"gamma = {gamma:g} is too large: beta * gamma = {beta * gamma:g} must be at most d = {d}, "
            "or eta could not cross 1/2 inside the support. Lower gamma or beta."
        )
    return beta * (1 + gamma) / (2 * beta + (2 * d if private else d))


class DensityExponent(NamedTuple):
    """`exponent` e in the rate N^-e, and `regime`; arrays if p was one.

    Without privacy the regime is "dense" or "sparse". With privacy it is "dense" (both rates are), "between"
    (sparse with privacy, dense without) or "sparse" (both are).

    >>> found = density_exponent(s=2.0, p=1.0, r=2.0)
    >>> round(found.exponent, 4), found.regime, float(found.log_power)
    (0.6667, 'dense', 0.0)
    """

    exponent: float | np.ndarray
    regime: str | np.ndarray

    @property
    def log_power(self) -> float | np.ndarray:
        """l in the lower bound N^-e (log N)^l of (1.5), (1.6): e where spikes decide, else 0."""
        return np.where(np.isin(self.regime, SPIKY), self.exponent, 0.0)[()]


class Elbows(NamedTuple):
    """The p at which the exponent bends: it is dense above and sparse at and below.

    >>> elbows = density_elbows(s=1, r=6)
    >>> elbows.private, elbows.nonprivate
    (3.0, 2.0)
    """

    private: float
    nonprivate: float


def elbow(s, r, degree):
    """The p at which the exponent bends, of noise whose characteristic function falls like |t|^-degree."""
    v = 2 * degree + 1
    return v * r / (2 * s + v)


def _besov(s, p, r):
    """s, p (array) and r, each in its range."""
    s, r, p = real("s", s, above=0), real("r", r, least=1, most=LARGEST_R), numeric("p", p)
    if not (p >= 1).all():
        raise ValueError(f"p = {p[~(p >= 1)].flat[0]:g} is out of range; it must be 1 <= p <= inf.")
    return s, p, r


def _exponent(s, p, r, degree):
    """The exponent, and where p is sparse; s > 1/p is needed there."""
    s, p, r = _besov(s, p, r)
    sparse = p <= elbow(s, r, degree)
    wrong = sparse & (s * p <= 1)
    if wrong.any():
        bad = p[wrong].flat[0]
        raise ValueError(
            f"s = {s:g} is too small for p = {bad:g}: in the sparse regime the theorem needs "
            f"s > 1/p = {1 / bad:g}, or the densities are not bounded. Raise s or p.")
    v, inverse = 2 * degree + 1, 1 / p
    # Where it is not wanted the sparse line may be negative or divide by 0.
    loss = np.where(sparse, inverse, 0.0)
    sparse_line = r * (s - loss + 1 / r) / (2 * (s - loss) + v)
    return np.where(sparse, sparse_line, r * s / (2 * s + v)), sparse


def density_exponent(s: float, p: ArrayLike, r: float, private: bool = True) -> DensityExponent:
    """The exponent of n (e^alpha - 1)^2, or of n, in the rate over a Besov ball: a `DensityExponent`.

    With privacy it is that of a lower bound, (1.6) [1]_; for bounded alpha Sections 4 and 5 reach it up to
    logarithms, so that it is the minimax rate. For alpha that grows with n it need not be: `density_rate`.
    Without privacy it is that of (1.5), by Donoho et al. [2]_.

    Parameters
    ----------
    s : float
        Smoothness, > 0; in the sparse regime s > 1/p.
    p : float or array
        The norm in which the smoothness is measured, 1 <= p <= inf.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100; the theorem has 1 <= r < inf.
    private : bool
        With privacy, or without.

    Returns
    -------
    DensityExponent
        The exponent and its regime, arrays of the shape of `p` if that is one.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       (1.6) and Corollary 2.1, doi:10.48550/arXiv.1903.01927.
    .. [2] D. Donoho, I. Johnstone, G. Kerkyacharian and D. Picard, "Density estimation by wavelet
       thresholding", Annals of Statistics 24 (1996), doi:10.1214/aos/1032894451.

    Examples
    --------
    >>> density_exponent(s=1, p=2, r=2)
    DensityExponent(exponent=0.5, regime='dense')
    >>> density_exponent(s=2, p=1, r=4), density_exponent(s=2, p=1, r=4, private=False).regime
    (DensityExponent(exponent=1.25, regime='between'), 'dense')
    """
    exponent, sparse = _exponent(s, p, r, DEGREES["reports" if private else "none"])
    if private:
        regime = np.where(~sparse, "dense", np.where(np.asarray(p) > elbow(s, r, 0.0), "between", "sparse"))
    else:
        regime = np.where(sparse, "sparse", "dense")
    return _scalar(exponent, regime)


def noisy_data_exponent(s: float, p: ArrayLike, r: float) -> DensityExponent:
    """The exponent of n when every person adds Laplace noise to X itself: denominator 2s + 5 where dense.

    Fan [1]_ for r = 2; Kerkyacharian et al. [2]_ with degree 2.

    Parameters
    ----------
    s : float
        Smoothness, > 0; in the sparse regime s > 1/p.
    p : float or array
        The norm in which the smoothness is measured, 1 <= p <= inf.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100.

    Returns
    -------
    DensityExponent
        As from `density_exponent`, regimes "dense" and "sparse".

    References
    ----------
    .. [1] J. Fan, "On the optimal rates of convergence for nonparametric deconvolution problems", Annals of
       Statistics 19 (1991), doi:10.1214/aos/1176348248.
    .. [2] G. Kerkyacharian, P. Petrushev, D. Picard and T. Willer, "Needlet algorithms for estimation in
       inverse problems", Electronic Journal of Statistics 1 (2007), doi:10.1214/07-EJS014.

    Examples
    --------
    >>> round(noisy_data_exponent(s=1, p=2, r=2).exponent, 6)
    0.285714
    """
    exponent, sparse = _exponent(s, p, r, DEGREES["data"])
    return _scalar(exponent, np.where(sparse, "sparse", "dense"))


def linear_density_exponent(s: float, p: ArrayLike, r: float, private: bool = True) -> DensityExponent:
    """The exponent of the linear estimator (Corollary 4.1 with J chosen for s*): s* = s - (1/p - 1/r)+ for s.

    As in `density_exponent`, but s* > 0 is all that is needed.

    Parameters
    ----------
    s : float
        Smoothness, > 0, with s* > 0.
    p : float or array
        The norm in which the smoothness is measured, 1 <= p <= inf.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100.
    private : bool
        With privacy, or without.

    Returns
    -------
    DensityExponent
        Regimes "homogeneous" (p >= r, nothing is lost) and "inhomogeneous".

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Corollary 4.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> linear_density_exponent(s=2, p=1, r=2).exponent, density_exponent(s=2, p=1, r=2).exponent
    (0.6, 0.6666666666666666)
    """
    s, p, r = _besov(s, p, r)
    star = s - np.maximum(1 / p - 1 / r, 0.0)
    if (star <= 0).any():
        raise ValueError(f"s = {s:g} is too small: s* = s - (1/p - 1/r)+ = {star.min():g} must be > 0. "
                         "Raise s or p.")
    v = 2.0 if private else 1.0
    return _scalar(r * star / (2 * star + v), np.where(p >= r, "homogeneous", "inhomogeneous"))


def _scalar(exponent, regime):
    if exponent.ndim == 0:
        return DensityExponent(float(exponent), str(regime))
    return DensityExponent(exponent, regime)


def linear_level(n: float, alpha: float, s: float) -> int:
    """The J of (4.2): the largest with 2^J <= min(n^(1/(2s+1)), (n alpha^2)^(1/(2s+2))), at least 0.

    Parameters
    ----------
    n : float
        People, a real number >= 1.
    alpha : float
        Privacy budget in nats, > 0.
    s : float
        Smoothness, > 0; s* for r > p (errata 18).

    Returns
    -------
    int
        J.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       (4.2), doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> linear_level(2**30, 1.0, s=0.5), linear_level(2**30, 1.0, s=1.5)
    (10, 6)
    """
    n, alpha, s = real("n", n, least=1), real("alpha", alpha, above=0), real("s", s, above=0)
    finest = min(math.log2(n) / (2 * s + 1), math.log2(n * alpha**2) / (2 * s + 2))
    return max(0, math.floor(finest + 1e-9))


def density_elbows(s: float, r: float) -> Elbows:
    """Where the private and the non-private exponent bend: p = r/(s+1) and p = r/(2s+1), as `Elbows`.

    An elbow below p = 1, or where s <= 1/p, is one that no Besov ball of the theorem reaches.

    Parameters
    ----------
    s : float
        Smoothness, > 0.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100.

    Returns
    -------
    Elbows
        The two p, private and nonprivate.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Corollary 2.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> density_elbows(s=1, r=6)
    Elbows(private=3.0, nonprivate=2.0)
    """
    s, r = real("s", s, above=0), real("r", r, least=1, most=LARGEST_R)
    return Elbows(elbow(s, r, DEGREES["reports"]), elbow(s, r, DEGREES["none"]))


def crossover_alpha(n: float, s: float) -> float:
    """The alpha in nats, n^(1/(4s+2)), at which the dense rates of (4.3) in n alpha^2 and in n are equal.

    (4.3) bounds the linear estimator; other mechanisms may pay less at a large alpha.

    Parameters
    ----------
    n : float
        People, > 0.
    s : float
        Smoothness, > 0.

    Returns
    -------
    float
        alpha in nats.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       (4.3), doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> round(crossover_alpha(10**6, s=1), 9)
    10.0
    """
    return real("n", n, above=0) ** (1 / (4 * real("s", s, above=0) + 2))


def _power(size, l, exponent):
    """(log(size)^l / size)^exponent with the logarithm cut at 1, below which a rate says nothing."""
    return (np.maximum(np.log(size), 1.0) ** l / size) ** exponent


def _people(n, alpha):
    n, alpha = reals("n", n, above=0), reals("alpha", alpha, above=0, most=LARGEST_ALPHA)
    return n, np.expm1(alpha) ** 2 * n


@overload
def density_rate(n: float, alpha: float, s: float, p: float, r: float, private: bool = ...) -> float: ...


@overload
def density_rate(n: ArrayLike, alpha: ArrayLike, s: float, p: ArrayLike, r: float,
                 private: bool = ...) -> np.ndarray: ...


def density_rate(n: ArrayLike, alpha: ArrayLike, s: float, p: ArrayLike, r: float,
                 private: bool = True) -> float | np.ndarray:
    """The minimax lower rate of Corollary 2.1, logarithms included and up to a constant; arrays broadcast.

    The larger of the rate in n and, if `private`, that in N = n (e^alpha - 1)^2: x^-e where dense,
    (log x / x)^e where sparse. Logarithms are cut at 1. A lower bound for every alpha, and the minimax rate
    up to logarithms for bounded alpha: at alpha = log(n) / 4, s = 1, p = r = 2 it falls like n^-.667, whereas
    the bound of `DenseFamily` falls like n^-.632 between n = 1e12 and 1e18.

    Parameters
    ----------
    n : float or array
        People, > 0.
    alpha : float or array
        Privacy budget in nats, in (0, 300].
    s : float
        Smoothness, > 0; in a sparse regime s > 1/p.
    p : float or array
        The norm in which the smoothness is measured, 1 <= p <= inf.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100.
    private : bool
        With privacy, or without.

    Returns
    -------
    float or array
        The rate of E ||fhat - f||_r^r, of the broadcast shape.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Corollary 2.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> round(float(density_rate(10**6, 1.0, s=1, p=2, r=2)), 6)
    0.000582
    """
    n, people = _people(n, alpha)
    rate = _minimax(n, density_exponent(s, p, r, private=False))
    return np.maximum(rate, _minimax(people, density_exponent(s, p, r)))[()] if private else rate[()]


def _minimax(size, exponent):
    return _power(size, np.where(np.isin(exponent.regime, SPIKY), 1.0, 0.0), exponent.exponent)


@overload
def adaptive_density_rate(n: float, alpha: float, s: float, p: float, r: float, nu: float = ...) -> float: ...


@overload
def adaptive_density_rate(n: ArrayLike, alpha: ArrayLike, s: float, p: ArrayLike, r: float,
                          nu: float = ...) -> np.ndarray: ...


def adaptive_density_rate(n: ArrayLike, alpha: ArrayLike, s: float, p: ArrayLike, r: float,
                          nu: float = 1.5) -> float | np.ndarray:
    """The rate of Theorem 5.1 for the threshold estimator: A^e ∨ P^e', up to a constant; arrays broadcast.

    A = log n / n, P = (log N)^(2 nu + 1) / N with N = n alpha^2; e and e' as in `density_exponent`, without
    and with privacy. Logarithms are cut at 1. The theorem needs s > 1/p in every regime.

    Parameters
    ----------
    n : float or array
        People, > 0.
    alpha : float or array
        Privacy budget in nats, in (0, 300].
    s : float
        Smoothness, > 1/p.
    p : float or array
        The norm in which the smoothness is measured, 1 <= p <= inf.
    r : float
        The norm of the loss E ||fhat - f||_r^r, 1 <= r <= 100.
    nu : float
        Of mechanism (3.2), in (1, 100].

    Returns
    -------
    float or array
        The rate of E ||fhat - f||_r^r, of the broadcast shape.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Theorem 5.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> round(float(adaptive_density_rate(1e6, 1.0, s=2.0, p=2.0, r=2.0)), 3)
    0.11
    """
    n, _ = _people(n, alpha)
    nu = real("nu", nu, above=1, most=LARGEST_NU)
    plain, noisy = density_exponent(s, p, r, private=False), density_exponent(s, p, r)
    if not (s * numeric("p", p) > 1).all():
        raise ValueError(f"s = {s:g} is too small: Theorem 5.1 needs s > 1/p. Raise s or p.")
    return np.maximum(_power(n, 1.0, plain.exponent),
                      _power(n * np.square(alpha), 2 * nu + 1, noisy.exponent))[()]

"""Proposition C.1 of Butucea, Dubois, Kroll & Saumard (2020), executed with constants: how far a noisy
coefficient strays.

With n people, a density of at most B and noise of scale sigma, with t = g j ln 2,

    P(|betahat_jk - beta_jk| >= lambda_j) <= 2 exp(-t) = 2 * 2^(-g j),
    lambda_j = sqrt(2 (B + 2 sigma^2) t / n) + max((2/3) sup |psi| 2^(j/2), sigma) t / n.

What makes it true is a bound on the logarithm of the moment generating function, v s^2 / (2 (1 - b s)) with
v = B + 2 sigma^2 a person and b the maximum above, for psi_jk(X) and for the noise apart (Boucheron, Lugosi
& Massart, 2013, Section 2.4).
"""

import math

import numpy as np
from scipy.special import zeta

from ldp_lib._arguments import real, reals, whole
from ldp_lib.risk.contour import find_saddlepoint, log_power, rows, smaller_side
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.wavelet_constants import mother_values
from ldp_lib.theory.wavelet_privacy import noise_scales
from ldp_lib.wavelets import wavelet_basis

PAPER = "Butucea et al. 2020, proof of Proposition C.1"
LARGEST_A = 700.0
"""e^a has to stay a float."""
CELLS = 2**8
"""Cells per unit length of the quadrature of a moment generating function; its second moment is exact."""


class _NoisySum:
    """S = x - sum of n variables a T + W, a score of `ldp_lib.risk.contour`; arrays of one shape.

    T is 1 or -1 with probability q/2 each and 0 otherwise, W Laplace of scale 1.
    """

    step = 0

    def __init__(self, n, x, q, a):
        self.n, self.x, self.q, self.a = n, x, q, a
        # exp(a s) has to stay a float.
        self.edge = np.minimum(1.0, 600 / np.maximum(a, 1.0))

    def __getitem__(self, cells):
        return rows(self, ("n", "x", "q", "a", "edge"), cells)

    def derivatives(self, s):
        """K'(s) and K''(s) for real s, where E exp(s S) = exp(K(s))."""
        mgf = 1 + self.q * (np.cosh(self.a * s) - 1)
        slope = self.a * self.q * np.sinh(self.a * s) / mgf
        curvature = self.a**2 * self.q * np.cosh(self.a * s) / mgf
        gap = 1 - s * s
        return (self.x + self.n * (slope + 2 * s / gap),
                self.n * (curvature - slope**2 + 2 * (1 + s * s) / gap**2))

    def saddlepoint(self):
        """Where K' is nearly 0, and K'' there."""
        return find_saddlepoint(self.derivatives, self.edge)

    def reach(self, c, digits):
        """Half-length of the contour: where the noise alone has damped |mgf| by exp(-digits).

        |1 - (c + it)^2|^2 = (1 - c^2)^2 + 2 (1 + c^2) t^2 + t^4.
        """
        half = 1 + c * c
        rest = (1 - c * c) ** 2 * np.expm1(np.minimum(2 * digits / self.n, 600.0))
        return np.sqrt(rest / (half + np.sqrt(half**2 + rest)))

    def log_mgf(self, c, t):
        """K(c + it): real and imaginary parts."""
        n, x, q, a = (values[:, None] for values in (self.n, self.x, self.q, self.a))
        s = c + 1j * t
        size, angle = log_power(n, 2 * q * np.sinh(a * s / 2) ** 2, -(s**2))
        return size + x * c, angle + x * t


def log_noisy_tail(n, x, q=0.0, a=0.0):
    """log P(sum of n variables a T + W >= x): exact, relative error of the probability below 1e-9.

    T is 1 or -1 with probability q/2 each and 0 otherwise: a Haar coefficient psi_jk(X) divided by the noise
    scale. W is Laplace of scale 1. q = 0 is the noise alone.  n : whole, >= 1.  x : > 0.  a : up to some
    hundreds. Arrays broadcast.

    >>> round(float(log_noisy_tail(1, 3.0)), 9), round(-3 - math.log(2), 9)
    (-3.693147181, -3.693147181)
    """
    n, x, q, a = np.broadcast_arrays(
        reals("n", n, least=1, most=1e15, integer=True), reals("x", x, above=0),
        reals("q", q, least=0, most=1),
        reals("a", a, least=0, most=LARGEST_A))
    result = np.empty(n.shape)
    alone = n == 1          # a density with kinks: its contour integral would converge slowly
    shifted = x[alone] - np.array([[0.0], [1.0], [-1.0]]) * a[alone]
    above = np.where(shifted > 0, np.exp(-np.abs(shifted)) / 2, 1 - np.exp(-np.abs(shifted)) / 2)
    weights = q[alone] * np.array([[-1.0], [0.5], [0.5]]) + np.array([[1.0], [0.0], [0.0]])
    result[alone] = np.log((weights * above).sum(axis=0))
    if not alone.all():
        result[~alone] = smaller_side(_NoisySum(*(values[~alone] for values in (n, x, q, a))))[1]
    return result[()]


def coefficient_deviation(n, j, sigma, B, psi_max, g):
    """lambda_j of the module's display; arrays broadcast.

    sigma : noise scale of level j.  B : bound of the density.  psi_max : sup |psi|.
    """
    n, j = reals("n", n, above=0), reals("j", j, least=0, most=1000)
    sigma, B, psi_max, g = (reals(name, value, least=0, most=1e100) for name, value in (
        ("sigma", sigma), ("B", B), ("psi_max", psi_max), ("g", g)))
    t = g * np.asarray(j) * math.log(2)
    worst = np.maximum(2 / 3 * psi_max * 2.0 ** (np.asarray(j) / 2), sigma)
    return np.sqrt(2 * (B + 2 * np.square(sigma)) * t / n) + worst * t / n


def ledger_wavelet_C_1(n=10**5, alpha=1.0, j=3, wavelet="db2", levels=6, nu=1.5, B=2.0, g=2.0):
    """The ledger of Proposition C.1, and of the threshold that Theorem 5.1 makes of it, at one coefficient.

    n : people in all.  alpha : nats.  j : level, 1 <= j < levels.
    wavelet, levels, nu : those of mechanism (3.2), tight.
    B : bound of the density, >= 1.  g : the failure probability is 2 * 2^(-g j); Theorem 5.1 asks for
    g >= max(2 r, (R + 1) r), R the regularity of the wavelet.

    Where a line concerns a density, it is B on the support of psi_jk (2^j / c if B is too large for that),
    and the line is tight. "j 2^j <= n" is the condition on the level that the choice of J1 provides.
    """
    n, alpha = whole("n", n, least=2), real("alpha", alpha, above=0, most=100)
    levels = whole("levels", levels, least=2, most=20)
    j = whole("j", j, most=levels - 1)
    nu, B, g = real("nu", nu, above=1, most=100), real("B", B, least=1), real("g", g, above=0)
    basis = wavelet_basis(wavelet)
    sigma, size = float(noise_scales(alpha, wavelet, levels, "by_level", nu)[j + 1]), 2 ** (j / 2)
    t, v = g * j * math.log(2), B + 2 * sigma**2
    bounded, b = 2 / 3 * basis.psi_max * size, max(2 / 3 * basis.psi_max * size, sigma)
    lam = float(coefficient_deviation(n, j, sigma, B, basis.psi_max, g))
    y = math.sqrt(2 * t / (v * n))
    s = y / (1 + b * y)

    top = min(B, 2**j / basis.overlap)
    exponent = s * size * mother_values(wavelet, CELLS)
    # E exp(s psi_jk(X)) - 1; the mean is 0, and what is left of exp(e) - 1 - e must not cancel.
    small = np.abs(exponent) < 1e-3
    rest = np.where(small, exponent**2 / 2 * (1 + exponent / 3 * (1 + exponent / 4 * (1 + exponent / 5))),
                    np.expm1(exponent) - exponent)
    grown = float(np.log1p(top / 2**j * rest.sum() / CELLS))
    people, noise = B * s**2 / (2 * (1 - bounded * s)), sigma**2 * s**2 / (1 - sigma * s)
    both = v * s**2 / (2 * (1 - b * s))
    laplace = -math.log1p(-((sigma * s) ** 2))
    moments = max(2 * 3.0 ** (m - 2) / math.factorial(m) for m in range(2, 20))
    alone = -float(log_noisy_tail(n, math.sqrt(4 * t * n) + t))
    haar = -float(log_noisy_tail(n, n * lam / sigma, min(1.0, B / 2**j), size / sigma))

    C = 2 * basis.S_psi * (2 + zeta(nu))
    shape = np.array([math.sqrt(j / n), size * j ** (nu + 0.5) / (math.sqrt(n) * alpha)])
    K = np.array([math.sqrt(2 * B * g * math.log(2)) + 2 / 3 * basis.psi_max * g * math.log(2),
                  C * (2 * math.sqrt(g * math.log(2)) + g * math.log(2))])

    steps = (
        Step("second moment", "E psi_jk(X)^2 <= B", top, B, PAPER),
        Step("moments, people", "M^(m-2) <= (m!/2) (M/3)^(m-2) for |psi_jk(X) - beta| <= M; the worst m",
             moments, 1.0, "Bernstein's condition"),
        Step("mgf, people",
             "n log E exp(s psi_jk(X)) <= n B s^2 / (2 (1 - M s / 3)), M = 2 sup |psi| 2^(j/2)",
             n * grown, n * people, PAPER),
        Step("mgf, noise", "- n log(1 - sigma^2 s^2) <= n sigma^2 s^2 / (1 - sigma s)", n * laplace,
             n * noise, PAPER),
        Step("mgf, both", "their sum <= n (B + 2 sigma^2) s^2 / (2 (1 - b s)), b = max(M/3, sigma)",
             n * (people + noise), n * both, PAPER),
        Step("Chernoff", "n s lambda_j - n (B + 2 sigma^2) s^2 / (2 (1 - b s)) = t at the best s",
             n * (s * lam - both), t, "Boucheron, Lugosi & Massart 2013, Section 2.4", "="),
        Step("exponent", "t <= n [s lambda_j - log E exp(s ...)] with the exact moment generating functions",
             t, n * (s * lam - grown - laplace), "what the bounds on them give away"),
        Step("tail, noise", "t <= -log P(mean of sigma W >= sqrt(4 sigma^2 t / n) + sigma t / n)", t, alone,
             "exact tail"),
        Step("tail, Haar", "t <= -log P(a Haar coefficient with this noise strays by lambda_j)", t, haar,
             "exact tail"),
        Step("two sides", "P(|betahat_jk - beta_jk| >= lambda_j) <= 2 * 2^(-g j)", 2 * math.exp(-haar),
             2 * 2.0 ** (-g * j), "exact tail, Haar"),
        Step("C", "2 S_psi (2 + sum_{0 < i < J} i^-nu) <= C = 2 S_psi (2 + zeta(nu))",
             sigma * alpha / (size * j**nu), C, "sigma_j <= C 2^(j/2) j^nu / alpha at every J"),
        Step("level", "j 2^j <= n", j * 2.0**j, n, "choice of J1 <= J11 in Theorem 5.1"),
        Step("people's part", "sqrt(2 B t / n) + (M/3) t / n <= K_1 sqrt(j / n)",
             math.sqrt(2 * B * t / n) + bounded * t / n, K[0] * shape[0], "needs j 2^j <= n"),
        Step("noise's part",
             "2 sigma sqrt(t / n) + sigma t / n <= K_2 2^(j/2) j^(nu + 1/2) / sqrt(n alpha^2)",
             2 * sigma * math.sqrt(t / n) + sigma * t / n, K[1] * shape[1], "needs j <= n"),
        Step("threshold",
             "lambda_j <= max(K_1, K_2) t_j, t_j = sqrt(j / n) + 2^(j/2) j^(nu + 1/2) / sqrt(n alpha^2)",
             lam, K.max() * shape.sum(), "Theorem 5.1's t_j"),
    )
    params = {"n": n, "alpha": alpha, "j": j, "wavelet": wavelet, "levels": levels, "nu": nu, "B": B, "g": g}
    return Ledger("wavelet-C.1", params, steps, kind="Proposition")

"""Lower bounds for density estimation under local privacy: Propositions 2.1 and 2.2 with every constant.

Both hide wavelets of one level j on the plateau of a smooth density f0, where psi_jk integrates to 0 and
cannot make the density negative while gamma 2^(j/2) sup |psi| is at most the plateau's height. Supports are
disjoint: every c-th translate is used.

Dense (Proposition 2.1): f0 + gamma sum_k theta_k psi_jk for all signs theta in {-1, 1}^m. Two laws that
differ in one sign are tv = gamma ||psi_jk||_1 apart in total variation, and whatever an estimator says
between them, its two errors over the support of psi_jk add up to at least 2 gamma^r ||psi_jk||_r^r, for
|.|^r is convex. Averaging over all signs,

    sup E ||fhat - f||_r^r >= m gamma^r ||psi_jk||_r^r (1 - D(tv)),

D(tv) bounding the total variation between the reports of all people (`ldp_lib.theory.contraction`).

Sparse (Proposition 2.2): f0 and the m laws f0 + gamma psi_jk, each tv = gamma ||psi_jk||_1 / 2 from f0. With
a log m bounding the divergence of the reports from those under f0 and a < 1/8, Tsybakov (2009), Theorems 2.5
and 2.7, gives

    sup E ||fhat - f||_r^r >= (gamma ||psi_jk||_r / 2)^r sqrt m / (1 + sqrt m) (1 - 2a - sqrt(2a / log m)).

The class is the Besov ball of radius L in the norm of the coefficients, which is that of smoothness s if the
wavelet's regularity exceeds s.
"""

from __future__ import annotations

import functools
import math
from typing import Self

import numpy as np
import pywt
from numpy.typing import ArrayLike
from scipy.special import expit

from ldp_lib._arguments import choice, exponent, interval, numeric, places, real, whole
from ldp_lib._rounding import canonical
from ldp_lib.theory.coefficients import norm_power
from ldp_lib.theory.contraction import CONTRACTIONS, contraction_constant, distinguishability, pair_divergence
from ldp_lib.wavelets import wavelet_basis

FINEST = 48
"""No level beyond: its supports would be no wider than the spacing of floats."""


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
        lower, upper = interval("domain", domain)
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

    def room(self, level, support):
        """How many disjoint supports fit where it is constant, `support` times 2^-level long; arrays."""
        a, b = (end * 2.0**level for end in self.flat)
        return np.maximum(0, (np.floor(b) - np.ceil(a)) // support)

    def coefficients(self, wavelet, finest=14):
        """(alpha_0, [beta_0, beta_1, ...]): the coefficients that are not 0, from samples at level `finest`.

        alpha_Mk = 2^(-M/2) f0 at the centre of mass of phi_Mk up to a relative error of 4^-M, M = `finest`;
        the levels below by the filters. Returns the values alone: the norms do not ask where they stand.
        """
        basis, M = wavelet_basis(wavelet), finest
        centre = float(np.arange(basis.filter_length) @ basis.low) / math.sqrt(2)
        # Counted from a whole number, the first translate is 1 - overlap at each level, as `pywt.dwt` has it.
        start = math.floor(self.domain[0])
        k = np.arange(1 - basis.overlap, math.ceil(math.ldexp(self.domain[1] - start, M)) + 1)
        values, details = 2 ** (-M / 2) * self.pdf(start + (k + centre) * 2.0**-M), []
        for _ in range(M):
            values, detail = pywt.dwt(values, basis.name, "zero")
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


class _Family:
    """What the two families share; see `DenseFamily` for the parameters."""

    sparse = False

    def __init__(self, n: int, alpha: float, s: float, p: float, r: float, wavelet: str = "db4", *,
                 q: float = math.inf, L: float | None = None, domain: tuple[float, float] = (0.0, 1.0),
                 contraction: str = "dominating", level: int | None = None) -> None:
        self.n, self.alpha = whole("n", n), real("alpha", alpha, above=0, most=300)
        self.basis = wavelet_basis(wavelet)
        self.s = real("s", s, above=0, below=self.basis.vanishing_moments,
                      cure="Smoothness is seen up to the number of vanishing moments; take a longer wavelet.")
        self.p, self.q = exponent("p", p), exponent("q", q)
        self.r = real("r", r, least=1, most=20)
        if self.sparse and self.s <= 1 / self.p:
            raise ValueError(f"s = {self.s:g} is too small for p = {self.p:g}: Proposition 2.2 needs "
                             "s > 1/p. Raise s or p.")
        self.contraction = choice("contraction", contraction, CONTRACTIONS)
        self.base = Plateau(domain)
        self.base_norm = self._besov_norm(level=0, extra=0.0)
        L = 2 * self.base_norm if L is None else L
        self.L = real("L", L, above=self.base_norm, cure="f0 itself must lie inside the ball.")
        # The coarsest of which one translate fits the plateau, or two if the family is sparse.
        self.first_level = next(j for j in range(FINEST) if self._count(j) > self.sparse)
        if level is None:
            levels = self._levels()
        else:
            levels = np.array([whole("level", level, least=self.first_level, most=FINEST)])
        value, gamma = self._values(levels)
        # Of equals the lowest level: where nothing is told, the translates of all Haar levels cost the same.
        best = np.unravel_index(canonical(value.T).argmax(), value.T.shape)
        self.level, self.gamma, self.bound = int(levels[best[0]]), float(gamma.T[best]), float(value.T[best])
        self.m = int(self._count(self.level))
        bump, cost = (float(self._bump(self.level, power)) for power in (1, self.r))
        self.tv, self.separation = self._apart(bump, cost)
        self.divergence = float(self._divergence(self.tv))
        self.least_density = self.base.height - self.gamma * 2 ** (self.level / 2) * self.basis.psi_max

    def _levels(self):
        """Levels worth trying: beyond 2^j = N^(1/2), which no s asks for, the bounds only fall."""
        finest = math.log2(1 + self.n * math.expm1(min(self.alpha, 30.0)) ** 2) / 2 + 3
        return np.arange(self.first_level, min(FINEST, self.first_level + math.ceil(finest)) + 1)

    def _count(self, level):
        """m: how many disjoint supports of that level fit the plateau."""
        return self.base.room(level, self.basis.overlap)

    def _largest_gamma(self, level):
        """The largest gamma that keeps the density non-negative and the norm at most L."""
        level = np.asarray(level, dtype=float)
        positive = self.base.height / (2 ** (level / 2) * self.basis.psi_max)
        weight = 2 ** (level * (self.s + 0.5 - 1 / self.p))
        return np.minimum(positive, (self.L - self.base_norm) / (weight * self._crowd(level)))

    def _besov_norm(self, level, extra):
        """Norm of f0 plus a part of level `level` whose coefficients have p-norm `extra`."""
        fathers, weighted = plateau_levels(self.basis.name, self.base.domain, self.s, self.p)
        weighted = np.append(weighted, np.zeros(max(0, level + 1 - len(weighted))))
        # f0 is constant on the supports: its own coefficients there are 0, and the two parts do not meet.
        weighted[level] = p_norm([weighted[level], 2 ** (level * (self.s + 0.5 - 1 / self.p)) * extra],
                                 self.p)
        return fathers + p_norm(weighted, self.q)

    def member_norm(self, size: float) -> float:
        """The norm of f0 with bumps whose coefficients have this size, in place of gamma."""
        return self._besov_norm(self.level, size * float(self._crowd(self.level)))

    def besov_norm(self) -> float:
        """The Besov norm of a member, from its coefficients (of f0: from samples, see `Plateau`)."""
        return self.member_norm(self.gamma)

    @property
    def translates(self) -> np.ndarray:
        """The k that are used, shape (m,)."""
        start = math.ceil(math.ldexp(self.base.flat[0], self.level))
        return start + self.basis.overlap * np.arange(self.m)

    def _bump(self, level, r):
        """||psi_jk||_r^r."""
        return norm_power(self.basis.name, r) * 2.0 ** (np.asarray(level) * (r / 2 - 1))

    def _divergence(self, tv):
        """Bound of the KL divergence between the reports of all people, whose laws are tv apart, in nats."""
        if self.contraction == "dominating":
            return self.n * pair_divergence(self.alpha, tv) / 2       # which is the same in both directions
        kind = "printed" if self.contraction == "printed" else "simple"
        return self.n * contraction_constant(self.alpha, kind) * np.square(tv)

    def at_level(self, level: int) -> Self:
        """The same family at another level, gamma chosen anew."""
        return type(self)(self.n, self.alpha, self.s, self.p, self.r, self.basis.name, q=self.q, L=self.L,
                          domain=self.base.domain, contraction=self.contraction, level=level)

    def __repr__(self):
        return (f"{type(self).__name__}(n={self.n}, alpha={self.alpha:g}, s={self.s:g}, p={self.p:g}, "
                f"r={self.r:g}, wavelet={self.basis.name!r}): level {self.level}, gamma {self.gamma:.3g}, "
                f"m = {self.m}, risk >= {self.bound:.3g}")


class DenseFamily(_Family):
    """f0 + gamma sum_k theta_k psi_jk, theta in {-1, 1}^m: Proposition 2.1 [1]_.

    Parameters
    ----------
    n : int
        People in all, 1 or more.
    alpha : float
        Privacy budget in nats, in (0, 300].
    s : float
        Smoothness of the Besov ball, > 0 and below the number of vanishing moments.
    p : float
        Norm of the coefficients of a level, 1 <= p <= inf.
    r : float
        Of the loss E ||fhat - f||_r^r, 1 to 20.
    wavelet : str
        Name of a `WaveletBasis`.
    q : float
        Norm across the levels, 1 <= q <= inf.
    L : float, optional
        Radius of the ball, larger than the norm of f0; None is twice the norm of f0.
    domain : tuple of float
        (lower, upper), the support of all members.
    contraction : str
        One of `ldp_lib.theory.contraction.CONTRACTIONS`; "noninteractive" holds against mechanisms without
        interaction only.
    level : int, optional
        j, at most 48; None takes the level whose bound is largest.

    Attributes
    ----------
    bound : float
        What no alpha-LDP mechanism and estimator go below on the ball.
    level : int
        j.
    gamma : float
        Size of the coefficients of the wavelets.
    m : int
        How many wavelets there are, with disjoint supports.
    translates : array
        Their k, shape (m,).
    hypotheses : int
        Members, 2^m.
    tv : float
        Total variation between two members that differ in one sign.
    divergence : float
        Bound of the KL divergence in nats between the reports of all people under two such members.
    separation : float
        ||f - f'||_r^r between two such members.
    least_density : float
        A lower bound of every member on the plateau of f0; at least 0.
    base : Plateau
        The density f0.
    base_norm : float
        The norm of f0.
    L : float
        Radius of the ball.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Proposition 2.1, doi:10.48550/arXiv.1903.01927.

    Examples
    --------
    >>> family = DenseFamily(10**6, 1.0, s=1, p=2, r=2)
    >>> family.bound > 0, family.least_density >= 0, family.besov_norm() <= family.L
    (True, True, True)
    """

    @property
    def hypotheses(self) -> int:
        """2^m."""
        return 2**self.m

    def _apart(self, bump, cost):
        """(`tv`, `separation`) of members that differ in one sign, by ||psi_jk||_1 and ||psi_jk||_r^r."""
        return self.gamma * bump, (2 * self.gamma) ** self.r * cost

    def _crowd(self, level):
        """||theta||_p = m^(1/p)."""
        return self._count(level) ** (1 / self.p)

    def _values(self, levels):
        """The bound for a grid of tv, and gamma; shape (grid, levels)."""
        largest = self._largest_gamma(levels)
        per_gamma = self._bump(levels, 1)
        # tv (1 - D) has its maximum where the reports begin to tell: tv of order 1 / (sqrt n min(alpha, 1)).
        grid = np.geomspace(1 / 64, 64, 129) / (math.sqrt(self.n) * min(self.alpha, 1.0))
        gamma = np.minimum(grid[:, None] / per_gamma, largest)
        tv = gamma * per_gamma
        known, back = np.unique(tv, return_inverse=True)
        unknown = 1 - distinguishability(self.n, self.alpha, known, self.contraction)[back].reshape(tv.shape)
        return self._count(levels) * gamma**self.r * self._bump(levels, self.r) * unknown, gamma

    def pdf(self, x: ArrayLike, signs: ArrayLike) -> np.ndarray:
        """The member with these signs (shape (m,), each 1 or -1) at the points x, shape (n,)."""
        signs, x = numeric("signs", signs), places("x", x)
        if signs.shape != (self.m,) or not (np.abs(signs) == 1).all():
            raise ValueError(f"signs must be m = {self.m} entries, each 1 or -1; got {signs!r:.60} of shape "
                             f"{signs.shape}.")
        position = (np.ldexp(x, self.level) - self.translates[0]) / self.basis.overlap
        index = np.floor(position).astype(int)
        inside = (index >= 0) & (index < self.m)
        index = np.where(inside, index, 0)
        bumps = self.basis.wavelet(x, self.level, self.translates[index])
        return self.base.pdf(x) + self.gamma * np.where(inside, signs[index] * bumps, 0.0)


class SparseFamily(_Family):
    """f0 and f0 + gamma psi_jk for m places k: Proposition 2.2 [1]_; needs s > 1/p.

    The bound is that of [2]_, Theorems 2.5 and 2.7.

    Parameters
    ----------
    n, alpha, r, wavelet, q, L, domain : as in `DenseFamily`
        People, nats, the loss, and the Besov ball.
    s, p : float
        As in `DenseFamily`, with s > 1/p.
    contraction : str
        As in `DenseFamily`; "interactive" and "noninteractive" give the same number here.
    level : int, optional
        As in `DenseFamily`; at least two translates must fit the plateau.

    Attributes
    ----------
    hypotheses : int
        Members, m + 1: f0 is one of them.
    tv : float
        Total variation between f0 and another member.
    divergence : float
        Bound of the KL divergence in nats between the reports of all people under f0 and another member.
    separation : float
        ||f - f0||_r^r for another member f.
    bound, level, gamma, m, translates, least_density, base, base_norm, L : as in `DenseFamily`
        The rest.

    References
    ----------
    .. [1] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids", Bernoulli 26 (2020),
       Proposition 2.2, doi:10.48550/arXiv.1903.01927.
    .. [2] A. Tsybakov, "Introduction to Nonparametric Estimation" (2009), Theorems 2.5 and 2.7,
       doi:10.1007/b13794.

    Examples
    --------
    >>> family = SparseFamily(10**8, 1.0, s=2, p=1, r=4)
    >>> family.bound > 0, family.hypotheses == family.m + 1, family.least_density >= 0
    (True, True, True)
    """

    sparse = True

    @property
    def hypotheses(self) -> int:
        """m + 1: f0 is one of them."""
        return self.m + 1

    def _apart(self, bump, cost):
        """(`tv`, `separation`) of f0 and another member; two of these are twice as far apart."""
        return self.gamma * bump / 2, self.gamma**self.r * cost

    def _crowd(self, level):
        """The p-norm of one 1."""
        return np.ones(np.shape(level))

    def _values(self, levels):
        """The bound for a grid of gamma, and gamma; shape (grid, levels)."""
        largest = self._largest_gamma(levels)
        gamma = np.geomspace(1e-8, 1, 801)[:, None] * largest
        m = self._count(levels)
        a = self._divergence(gamma * self._bump(levels, 1) / 2) / np.log(m)
        chance = np.sqrt(m) / (1 + np.sqrt(m)) * np.maximum(1 - 2 * a - np.sqrt(2 * a / np.log(m)), 0.0)
        return (gamma / 2) ** self.r * self._bump(levels, self.r) * np.where(a < 1 / 8, chance, 0.0), gamma

    def pdf(self, x: ArrayLike, k: int | None = None) -> np.ndarray:
        """The member f0 + gamma psi_jk at the points x; k one of `translates`, None for f0 itself."""
        if k is None:
            return self.base.pdf(x)
        if k not in self.translates:
            raise ValueError(f"k = {k!r} is not one of the m = {self.m} translates of this family; "
                             "see `translates`.")
        return self.base.pdf(x) + self.gamma * self.basis.wavelet(x, self.level, k)

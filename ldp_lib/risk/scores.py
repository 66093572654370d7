"""The scores of all rules on cells as contour integrals, and the probabilities of their signs.

On disjoint cells the law of one report (`CellMechanism.law`) says all. With additive noise the score is
S = sum of n variables (Y - 1/2) 1{X in the cell} + sum of n Laplace(b), a contour integral like that of the
paper's mechanism. That of signs, one from everybody, is binomial, an incomplete beta function; that of
answers in {-1, 0, 1} is a majority vote.
"""

from __future__ import annotations

import copy
import math
from functools import reduce
from itertools import combinations
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import part_of, real, reals, together
from ldp_lib.privacy.binomial import at_least
from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.risk.contour import (
    RELATIVE_ERROR, expm1, find_saddlepoint, log_power, sign_probabilities, smaller_side,
)

ABSENT = 1e-30
"""Without noise, an outcome of probability 0 has no finite saddlepoint; this in its place costs at most n
times as much."""


class Score:
    """S = the sum of n people's parts, less a shift; a score of `ldp_lib.risk.contour`, one entry per cell.

    Each part is a sum of independent variables: some with few values, and Laplace noise, if there is any.

    n : people, floats (m,).
    variables : dicts {k: P(value k unit), (m,)} with all outcomes, 0 among them, and k from -2 to 2; the last
        one has no value but 0 and +-1 units.
    unit : see `variables`.  step : S lives on its multiples; 0 if S has a density.
    shift : (m,), a multiple of the step, or 0.
    noises : factors f of the noises f Laplace(scale) in a part: none, (1,), or (1, 1/2).
    scale : of the noises, (m,).  granularity : step of their lattice, 0 for real noise.
    """

    def __init__(self, n, variables, unit, step, shift=0.0, *, noises=(), scale=0.0, granularity=0.0):
        self.n, self.unit, self.step, self.noises, self.granularity = n, unit, step, noises, granularity
        self.shift, self.scale = (np.broadcast_to(value, n.shape) for value in (shift, scale))
        self.variables = variables
        # K is finite for |s| < edge; the lattice noise has mgf 1 / (1 - (sinh(gs/2) / span)^2).
        self.span = np.sinh(granularity / 2 / self.scale) if granularity else np.ones_like(n)
        if noises:
            # exp(s) has to stay a float.
            self.edge = np.minimum(1 / self.scale, 600.0)
        else:
            self.edge = np.full_like(n, 100.0)
            self.variables = [{k: np.maximum(share, ABSENT) for k, share in variable.items()}
                              for variable in variables]

    def __getitem__(self, cells):
        part = copy.copy(self)
        for name in ("n", "shift", "scale", "span", "edge"):
            setattr(part, name, getattr(self, name)[cells])
        part.variables = [{k: share[cells] for k, share in variable.items()} for variable in self.variables]
        return part

    def _tilted(self, variable, s):
        """The probabilities of the outcomes under the weight exp(s S), s real."""
        weights = {k: share * np.exp(k * self.unit * s) if k else share for k, share in variable.items()}
        total = reduce(np.add, weights.values())
        return {k: weight / total for k, weight in weights.items()}

    def _noise(self, s, factor):
        """For one noise: r(s) and r'(s), its mgf being 1 / (1 - r^2)."""
        if self.granularity == 0:
            return factor * self.scale * s, factor * self.scale
        angle = factor * self.granularity / 2
        return np.sinh(angle * s) / self.span, angle * np.cosh(angle * s) / self.span

    def derivatives(self, s):
        """K'(s) and K''(s) for real s."""
        first = second = 0.0
        for variable in self.variables:
            shares = self._tilted(variable, s)
            first = first + self.unit * reduce(np.add, (k * share for k, share in shares.items() if k))
            # A variance without cancellation: over pairs of outcomes.
            for j, k in combinations(shares, 2):
                second = second + (self.unit * (j - k)) ** 2 * shares[j] * shares[k]
        for factor in self.noises:
            r, slope = self._noise(s, factor)
            gap = 1 - r * r
            mean = 2 * r * slope / gap
            bend = r * factor * self.granularity / 2
            first, second = first + mean, second + 2 * (slope**2 + bend**2) / gap + mean**2
        return self.n * first - self.shift, self.n * second

    def saddlepoint(self):
        """Where K' is nearly 0, and K'' there."""
        if self.noises or len(self.variables) > 1 or self.shift.any():
            return find_saddlepoint(self.derivatives, self.edge)
        root = np.log(self.variables[0][-1] / self.variables[0][1]) / (2 * self.unit)
        return root, self.derivatives(root)[1]

    def reach(self, c, digits):
        """Half-length of the contour: where |mgf| has fallen by exp(-digits), at most the period."""
        return self._reach_of_noise(c, digits) if self.noises else self._reach_of_votes(c, digits)

    def _reach_of_noise(self, c, digits):
        n, r = self.n, self._noise(c, 1.0)[0]
        # |mgf(c + it) / mgf(c)| <= ((1 + k x)(1 + w x))^-n with x = |r(it)|^2, k = 1 / (1 - r(c)^2) and
        # w = 1/4 for a second noise, half as large.
        k, w, fall = 1 / (1 - r * r), 0.25 * (len(self.noises) - 1), np.expm1(np.minimum(digits / n, 300.0))
        x = 2 * fall / (k + w + np.sqrt((k + w) ** 2 + 4 * w * k * fall))
        if self.granularity == 0:
            return np.sqrt(x) / self.scale
        sine = np.sqrt(x) * self.span
        # In the second half of its period the second noise is alone, |mgf| < (2 span^2)^n: enough for n >= 3.
        short = (sine < 1) & ((len(self.noises) == 1) | (-n * np.log(2 * self.span**2) > digits))
        return np.where(short, 2 * np.arcsin(np.minimum(sine, 1)) / self.granularity, np.pi / self.step)

    def _reach_of_votes(self, c, digits):
        shares = self._tilted(self.variables[-1], c)
        up, down, none = shares.get(1, np.zeros_like(c)), shares[-1], shares[0]
        # |E exp(it V)|^2 = 1 - b x + a x^2 with x = sin(unit t / 2)^2, which is (1 - 2 none)^2 at the end.
        a = 16 * up * down
        b = 4 * none * (up + down) + a
        fallen = -np.expm1(-np.minimum(2 * digits / self.n, 600.0))
        root = b * b - 4 * a * fallen
        x = 2 * fallen / (b + np.sqrt(np.maximum(root, 0)))
        peak = (root < 0) | ((1 - 2 * none) ** 2 > 1 - fallen)
        return 2 * np.arcsin(np.where(peak, 1, np.sqrt(np.minimum(x, 1)))) / self.unit

    def log_mgf(self, c, t):
        """K(c + it): real and imaginary parts, for c of shape (cells, 1) and t of shape (cells, nodes)."""
        half_sin, half_cos = np.sin(self.unit * t / 2), np.cos(self.unit * t / 2)
        cos, sin = 1 - 2 * half_sin**2, 2 * half_sin * half_cos
        waves = {1: (cos, sin, half_sin)}
        if len(self.variables) > 1:
            waves[2] = 1 - 2 * sin**2, 2 * sin * cos, sin
        above = reduce(_product, (self._moved(variable, c, waves) for variable in self.variables))
        below = reduce(_product, self._damped(c, t)) if self.noises else 0.0
        size, angle = log_power(self.n[:, None], above, below)
        if self.shift.any():
            shift = self.shift[:, None]
            size, angle = size - shift * c, angle - shift * t
        return size, angle

    def _moved(self, variable, c, waves):
        """The mgf of a variable, less 1."""
        terms = []
        for k, share in variable.items():
            if k:
                cos, sin, half_sin = waves[abs(k)]
                terms.append(share[:, None] * expm1(k * self.unit * c, cos, sin if k > 0 else -sin, half_sin))
        return reduce(np.add, terms)

    def _damped(self, c, t):
        """-r(s)^2 at s = c + it for every noise."""
        if self.granularity == 0:
            square = -((self.scale[:, None] * (c + 1j * t)) ** 2)
            return [square if factor == 1 else factor**2 * square for factor in self.noises]
        span, angles = self.span[:, None], [factor * self.granularity / 2 for factor in self.noises]
        return [-(((np.sinh(a * c) * np.cos(a * t) + 1j * np.cosh(a * c) * np.sin(a * t)) / span) ** 2)
                for a in angles]


def _product(a, b):
    """(1 + a)(1 + b) - 1."""
    return a + b + a * b


def cube_score(n, p, q, scale, granularity, threshold=0.0):
    """S = n T_n for `CubeLaplace`, n people in each half, less n times the threshold; flat arrays.

    Y B + Laplace(b) of a person of the first half, and -1/2 times B + Laplace(b) of one of the second,
    p = P(B = 1), q = P(Y B = 1). With lattice noise of step g, S is a multiple of g/2.
    """
    step, shift = granularity / 2, n * threshold
    if step:
        # S < x on the lattice means S < (x rounded up to the lattice).
        shift = step * np.ceil(shift / step)
    return Score(n, [{2: q, 0: 1 - q}, {-1: p, 0: 1 - p}], 0.5, step, shift, noises=(1.0, 0.5), scale=scale,
                 granularity=granularity)


def noise_level(scale, n):
    """One standard deviation of the noise in the score of a cube, from n people with noise of this scale.

    Both halves of the people add up noise, one of them half of it: variance 2 scale^2 (1 + 1/4) / (n/2).
    """
    return scale * math.sqrt(5.0) / math.sqrt(n)


def sampling_level(p, n):
    """The same if nobody adds noise: that of counting n people in a cube of mass p; labels are coins."""
    return np.sqrt(1.5 * p / n)


def cell_score(n, p, q, scale, granularity):
    """S for `CellLaplace`, n people in all: (Y - 1/2) 1{X in the cell} + Laplace(b) of each; flat arrays."""
    return Score(n, [{1: q, -1: p - q, 0: 1 - p}], 0.5, granularity, noises=(1.0,), scale=scale,
                 granularity=granularity)


def majority_score(n, p, q):
    """S = ones - zeros in a cell among n people, without privacy; flat arrays."""
    return Score(n, [{1: q, -1: p - q, 0: 1 - p}], 1.0, 1.0)


LEGAL = {
    "n": {"least": 1, "integer": True},
    "p": {"least": 0, "most": 1},
    "q": {"least": 0, "most": 1},
    "scale": {"above": 0},
    "threshold": {},
}
"""The legal ranges of the arguments of the probabilities; q is at most p, besides."""


def flat_arguments(**arrays):
    """Broadcast to flat float arrays and the common shape; refuse what is not a probability or a count."""
    values = together(**{name: reals(name, value, **LEGAL[name]) for name, value in arrays.items()})
    flat = {name: value.ravel() for name, value in zip(arrays, values, strict=True)}
    flat["q"] = part_of(flat["p"], flat["q"])
    return flat, values[0].shape


@overload
def wrong_side_probability(n: float, p: float, q: float, scale: float, granularity: float = ...,
                           threshold: float = ...) -> float: ...


@overload
def wrong_side_probability(n: ArrayLike, p: ArrayLike, q: ArrayLike, scale: ArrayLike,
                           granularity: float = ..., threshold: ArrayLike = ...) -> np.ndarray: ...


def wrong_side_probability(n: ArrayLike, p: ArrayLike, q: ArrayLike, scale: ArrayLike,
                           granularity: float = 0.0, threshold: ArrayLike = 0.0) -> float | np.ndarray:
    """P(T_n < threshold) for the score T_n of Berrett & Butucea [1]_, exact and vectorised.

    T_n is the mean of n labelled reports minus half the mean of n unlabelled
    ones: **n people in each half, 2n in all**. It is the probability of the
    wrong side where eta > 1/2, and of the right one where eta < 1/2.

    Parameters
    ----------
    n : int or array
        People in each half, whole numbers >= 1; it and p, q, scale and threshold broadcast together.
    p : float or array
        P(X in cube), in [0, 1].
    q : float or array
        P(X in cube, Y = 1), in [0, p].
    scale : float or array
        Noise scale b = 2^(d+1)/alpha, > 0.
    granularity : float
        Step of the noise lattice (one number, at most 64 scales), 0 (default) for real noise.
    threshold : float or array
        Compare T_n with this value instead of 0.

    Returns
    -------
    float or array
        The probabilities, relative error below 1e-9 whatever n is.

    Raises
    ------
    ValueError
        Where the work is too much: only for a handful of people with a scale between 1e-4 and 1e-2 (alpha in
        the hundreds and more). Also for arguments out of range.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Section 2, doi:10.48550/arXiv.1912.04629.

    Examples
    --------
    >>> round(float(wrong_side_probability(2000, 0.3, 0.18, 4.0)), 12)
    0.416198411761
    """
    return cube_sign_probabilities(n, p, q, scale, granularity, threshold)[0][()]


def cube_sign_probabilities(n, p, q, scale, granularity=0.0, threshold=0.0, relative_error=RELATIVE_ERROR):
    """(P(T_n < threshold), P(T_n >= threshold)) as in `wrong_side_probability`; the smaller is accurate."""
    return _noisy_sign_probabilities(cube_score, granularity, relative_error, n=n, p=p, q=q, scale=scale,
                                     threshold=threshold)


def cell_sign_probabilities(n, p, q, scale, granularity=0.0, relative_error=RELATIVE_ERROR):
    """(P(S < 0), P(S >= 0)) for the score of `CellLaplace`, exact and vectorised.

    n : people **in all**, whole numbers >= 1.  p : P(X in the cell).  q : P(X in the cell, Y = 1), in [0, p].
    scale : noise scale b = 1/alpha, > 0.  Arrays broadcast together.
    granularity : step of the noise lattice (one number, 1/2 over a whole number), 0 for real noise.
    The smaller probability has a relative error below 1e-9.

    >>> below, above = cell_sign_probabilities(2000, 0.3, 0.18, 1.0)
    >>> round(float(below), 12)
    0.175746313047
    """
    return _noisy_sign_probabilities(cell_score, granularity, relative_error, n=n, p=p, q=q, scale=scale)


def _noisy_sign_probabilities(build, granularity, relative_error, **arrays):
    """(P(S < 0), P(S >= 0)) of the scores that `build` makes of the arguments."""
    flat, shape = flat_arguments(**arrays)
    granularity = real("granularity", granularity, least=0)
    if granularity > 64 * flat["scale"].min(initial=np.inf):
        raise ValueError(f"granularity = {granularity:g} is out of range; it must be at most 64 scales, 0 "
                         "for real noise. A mechanism's `granularity` is a thousandth of its scale.")
    n, scale = flat["n"], flat["scale"]
    # Chernoff's bound for the sum of all noise reaching 1/2 is below exp(-750) under both conditions.
    quiet = (flat.get("threshold", 0) == 0) & (n * scale**2 < 5.7e-5) & (scale < 1.6e-4)
    below, above = np.empty_like(n), np.empty_like(n)
    for cells, law in ((quiet, _quiet_sign_probabilities), (~quiet, sign_probabilities)):
        if cells.any():
            score = build(granularity=granularity, **{name: value[cells] for name, value in flat.items()})
            below[cells], above[cells] = law(score, relative_error)
    return below.reshape(shape), above.reshape(shape)


def _quiet_sign_probabilities(score, relative_error):
    """The same where the noise is too small to do more than break ties between ones and zeros."""
    tie = np.full_like(score.n, 0.5)
    if score.granularity:
        # Only the ratio of step and scale counts; lattice noise is itself 0 with some probability.
        for people, scale in {*zip(score.n, score.scale, strict=True)}:
            silence = [{-1: np.zeros(1), 0: np.ones(1)}]
            step, granularity = score.step / scale, score.granularity / scale
            noise = Score(np.array([people]), silence, score.unit, step, noises=score.noises, scale=1.0,
                          granularity=granularity)
            tie[(score.n == people) & (score.scale == scale)] = sign_probabilities(noise, relative_error)[0]
    votes = [Score(score.n, score.variables, 1.0, 1.0, level) for level in (0.0, 1.0)]
    negative, not_negative = sign_probabilities(votes[0], relative_error)
    not_positive, positive = sign_probabilities(votes[1], relative_error)
    return negative * (1 - tie) + not_positive * tie, not_negative * (1 - tie) + positive * tie


def log_tail_probability(n, p, q, scale, threshold):
    """log P(T_n < threshold) below the mean of T_n, log P(T_n >= threshold) above it; real noise.

    Arguments as in `wrong_side_probability`; exact far beyond the smallest float.
    """
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale, threshold=threshold)
    return smaller_side(cube_score(granularity=0.0, **flat))[1].reshape(shape)[()]


def majority_sign_probabilities(n, p, q, relative_error=RELATIVE_ERROR):
    """(P(ones < zeros), P(ones >= zeros)) in a cell among n people in all, without privacy; exact.

    p = P(X in cell), q = P(X in cell, Y = 1); arrays broadcast together.
    """
    flat, shape = flat_arguments(n=n, p=p, q=q)
    below, above = sign_probabilities(majority_score(**flat), relative_error)
    return below.reshape(shape), above.reshape(shape)


def score_sign_probabilities(mechanism, n, p, q, relative_error=RELATIVE_ERROR):
    """(P(score < 0), P(score >= 0)) in cells with masses p and q after n people used the mechanism; exact.

    mechanism : a `CellMechanism` that has a `law`, such as `HadamardBit`, the one bit: the law of one report
    says all.
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
        # Half of n signs or more make S >= 0; the rarer side is summed, and keeps its digits.
        enough, rare = np.ceil(np.divide(n, 2)), ones < 0.5
        tail = at_least(np.where(rare, enough, n - enough + 1), n, np.where(rare, ones, 1 - ones))
        return np.where(rare, 1 - tail, tail), np.where(rare, tail, 1 - tail)
    return majority_sign_probabilities(n, told, ones, relative_error)


MOST_TILT = 300.0
"""1/b beyond this is replaced by it: rho is then below the rounding error of every sum that holds it."""


def noisy_majority_probabilities(n: ArrayLike, p: ArrayLike, q: ArrayLike, scale: ArrayLike,
                                 granularity: float = 0.0,
                                 relative_error: float = RELATIVE_ERROR) -> tuple[np.ndarray, np.ndarray]:
    """(P(V + Z <= 0), P(V + Z > 0)): a noisy vote says 0, and 1; exact, ties say 0.

    The noisy majority vote of Algorithms 2 and 4 of Bousquet et al. [1]_. V, ones minus zeros in a cell, is
    a whole number, and the noise Z on it is Laplace with scale b = 2/epsilon.

    Parameters
    ----------
    n : int or array
        People in all, whole numbers >= 1; it and p, q and scale broadcast together.
    p : float or array
        P(X in the cell), in [0, 1].
    q : float or array
        P(X in the cell, Y = 1), in [0, p].
    scale : float or array
        b = 2/epsilon of the noise on ones minus zeros, > 0.
    granularity : float
        Step of the noise lattice (one number, 1 over a whole number), 0 (default) for real noise.
    relative_error : float
        Aim of the contour integrals, 1e-13 by default.

    Returns
    -------
    tuple of two arrays
        P(V + Z <= 0) and P(V + Z > 0). The smaller has a relative error of about 1e-12, an absolute one of
        1e-16 where everybody is in the cell with the same label.

    Notes
    -----
    With rho = exp(-1/b) and a = P(Z >= 0), which is 1/2 for real noise, P(Z >= v) = a rho^v for v = 1, 2,
    ..., so that

        P(V + Z > 0)  = P(V >= 1) - a E[rho^V; V >= 1] + (1 - a) E[rho^-V; V <= 0],
        P(V + Z <= 0) = a E[rho^V; V >= 1] + P(V <= 0) - (1 - a) E[rho^-V; V <= 0].

    Each expectation is the contour integral of V with its pole moved to -1/b or 1/b. Both differences lose
    one binary digit at most, because the subtracted term is about half of the other or less. The period of
    the integrals is that of whole numbers however fine the lattice of the noise is.

    References
    ----------
    .. [1] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Algorithms 2 and 4, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> zero, one = noisy_majority_probabilities(1000, 0.1, 0.06, 2.0)
    >>> round(float(one), 12)
    0.973363645277
    """
    flat, shape = flat_arguments(n=n, p=p, q=q, scale=scale)
    granularity = real("granularity", granularity, least=0)
    n, p, q, rate = flat["n"], flat["p"], flat["q"], np.minimum(1 / flat["scale"], MOST_TILT)
    a = 1 / (1 + np.exp(-granularity / flat["scale"]))
    # With ones and zeros exchanged, V >= 1 is V < 0.
    tilts, exchanged = np.concatenate([np.zeros_like(n), rate, -rate]), (np.tile(v, 3) for v in (n, p, p - q))
    below, rest = (np.split(side, 3) for side in _tilted_sides(*exchanged, tilts, relative_error))
    one = below[0] - a * below[1] + (1 - a) * rest[2]
    zero = a * below[1] + rest[0] - (1 - a) * rest[2]
    return zero.reshape(shape), one.reshape(shape)


def _tilted_sides(n, p, q, tilt, relative_error):
    """E[exp(tilt V); V < 0] and E[exp(tilt V); V >= 0], V = ones - zeros; at most e where they are large."""
    score = majority_score(n, p, q)
    below, log_smaller = smaller_side(score, relative_error, pole=tilt)
    smaller = np.exp(np.minimum(log_smaller, 0))
    # The other side is what is left of the mgf at the tilt; where that is large, nobody asks for it.
    with np.errstate(divide="ignore"):                  # everybody has one label, and the mgf is no float
        total = n * np.log1p(q * np.expm1(tilt) + (p - q) * np.expm1(-tilt))
    other = np.exp(np.minimum(total, 1)) - smaller
    return np.where(below, smaller, other), np.where(below, other, smaller)

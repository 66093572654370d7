"""The proofs of Berrett & Butucea (2019), executed: privacy, consistency, upper and lower bound."""

import math

import numpy as np
from scipy.integrate import quad

from ldp_lib._arguments import real, require_memory, whole
from ldp_lib.privacy import CubeLaplace, LatticeLaplace
from ldp_lib.privacy.audit import epsilon_lower_bound, privacy_loss_distribution
from ldp_lib.privacy.mutants import HalfTheNoise, OneDrawForAllCells
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.theory.classification import MOST_DIMENSIONS
from ldp_lib.theory.proofs.steps import Saboteur, Step, equation, proves

AUDITED = 400
"""Reports of an audit in a ledger: few, because it need only see noise that is the same twice."""


class WideCubes(CubeLaplace):
    """Cubes of half-width 1.6 h: at most places three overlap along an axis, and the noise is for two."""

    reach = 1.6

    def _signals(self, X, factors):
        points = np.stack(np.unravel_index(np.arange(self.K), self.shape), axis=1) * self.h
        inside = np.abs(X[:, None] - points).max(axis=2) < self.reach * self.h
        return inside * factors[:, None].astype(float)


class NarrowCubes(WideCubes):
    """Cubes of half-width 0.6 h: some people are in one cube along an axis, nobody in three."""

    reach = 0.6


class DoubleNoise(CubeLaplace):
    """Noise of scale 2 b."""

    def __init__(self, *args):
        super().__init__(*args)
        self.noise = LatticeLaplace(2 * self.noise.scale)


class NoiseBackwards(CubeLaplace):
    """The noises of a person in another order, which no longer is that of the generator."""

    def privatize(self, X, y, *, rng):
        signals = self.encode(X, y)
        return signals + (super().privatize(X, y, rng=rng) - signals)[:, ::-1]


def _crowded(mechanism):
    """Arguments of 2.1 at which the three mechanisms differ from the honest one."""
    return lambda: {"mechanism": mechanism, "h": 0.15}


@proves("2.1",
        Saboteur("cubes", "cubes of half-width 1.6 h overlap threefold", _crowded(WideCubes),
                 _crowded(NarrowCubes)),
        Saboteur("noise scale", "half the noise", _crowded(HalfTheNoise), _crowded(DoubleNoise)),
        Saboteur("independent noise", "one draw for all entries of a report", _crowded(OneDrawForAllCells),
                 _crowded(NoiseBackwards)))
def ledger_2_1(alpha: float = 1.0, h: float = 0.2, d: int = 1, mechanism: type[CubeLaplace] = CubeLaplace):
    """The ledger of Theorem 2.1 at privacy alpha (nats), bandwidth h and dimension d.

    Its subject is a mechanism of the class `mechanism`. Maxima over people are exact: a person's array is a
    product over the axes, so that grid lines and midpoints of one axis represent all positions. The audit
    looks at AUDITED reports of either person and half with a fixed seed; it refutes an honest mechanism with
    probability 1e-6 at most.
    """
    name, axis, mechanism = mechanism.__name__, mechanism(alpha, h, 1), mechanism(alpha, h, d)
    alpha, rate = mechanism.alpha, mechanism.alpha / 2 ** (mechanism.d + 1)
    require_memory(f"All pairs of {2 * axis.K:,} places", 100.0 * axis.K**2, "Increase h.")
    places = np.concatenate([np.arange(axis.K) * h, (np.arange(axis.K) + 0.5) * h])
    places = places[places <= 1]
    B = axis.encode(places[:, None], np.ones(len(places), int), half=1)
    ones = B.sum(axis=1) ** d
    distance = ones[:, None] + ones - 2 * (B @ B.T) ** d
    first, second = np.unravel_index(distance.argmax(), distance.shape)
    a, b = ((np.full(d, places[i]), 1) for i in (first, second))
    crowded = np.full(d, places[ones.argmax()])
    tails = mechanism.noise.tail(np.array([1.0, 2.0]))
    losses = privacy_loss_distribution(mechanism, a, b)
    both, noise = ("cubes", "noise scale"), ("noise scale",)
    steps = (
        Step("ones in B", "an array B has at most 2^d ones", ones.max(), 2.0**d, subject=name,
             uses=("cubes",)),
        Step("distance", "two arrays differ by ||b - b'||_1 <= 2^(d+1)", distance.max(), 2.0 ** (d + 1),
             subject=name, uses=("cubes",)),
        Step("coordinate", "log P(noise >= 1) / P(noise >= 2) <= alpha / 2^(d+1): what one entry tells",
             math.log(tails[0] / tails[1]), rate, subject=f"the noise of {name}", uses=noise),
        Step("supremum", "the law of the loss ends at ||b - b'||_1 alpha / 2^(d+1) at most",
             losses.loss[-1], distance.max() * rate, "outputs beyond both centres",
             subject=f"a report of {name}", uses=noise),
        *(Step(f"{words} half", f"log-likelihood ratio of {sent} + noise <= alpha",
               mechanism.privacy_loss(*a, *b, half=half), alpha, uses=both,
               subject=f"{name}, the two people farthest apart")
          for half, words, sent in ((1, "first", "B"), (2, "second", "YB"))),
        Step("label only", "the same x with another label costs at most alpha / 2",
             mechanism.privacy_loss(crowded, 0, crowded, 1), alpha / 2, "||b||_1 <= 2^d",
             subject=f"{name}, one person with two labels", uses=both),
        Step("audit", f"{AUDITED:,} reports of either prove a loss of alpha at most",
             epsilon_lower_bound(mechanism, a, b, n=AUDITED, rng=1).epsilon, alpha,
             "the entries of a report have noises of their own", subject=f"reports of {name}",
             uses=("independent noise", *both)),
    )
    return {"alpha": alpha, "h": mechanism.h, "d": mechanism.d}, steps


@proves("2.2")
def ledger_2_2(n: int = 10**6, alpha: float = 1.0, d: int = 1, t: float = 0.05, p: float = 0.2,
               q: float = 0.15):
    """The ledger of Theorem 2.2 at one cube.

    n : people in all, half of them labelled.  alpha : nats.  t : deviation of T_n, in (0, 1].
    p = P(X in cube), in (0, 1].  q = P(X in cube, Y = 1), in [0, p].

    Exponents are compared, not probabilities: they are proportional to n, so that
    the slack of a step is the factor by which it inflates the number of people.
    The last step of the chain needs alpha <= 1 (errata 1 and 3): beyond, the
    ledger shows where it fails.
    """
    half = whole("n", n, least=2) // 2
    alpha, d = real("alpha", alpha, above=0), whole("d", d, most=MOST_DIMENSIONS)
    t, p = real("t", t, above=0, most=1), real("p", p, above=0, most=1)
    q = real("q", q, least=0, most=p)
    b, mean = 2 ** (d + 1) / alpha, q - p / 2
    delta = abs(mean) / 2
    lam = half * alpha**2 * t / 2 ** (2 * d + 4)
    s = lam / half
    if b * s >= 1:
        raise ValueError(
            f"alpha * t = {alpha:g} * {t:g} is out of range: the chain needs "
            f"alpha * t < 2^(d+3) = {2 ** (d + 3)}, "
            "or the moment generating function of the noise is infinite. Lower alpha or t."
        )

    labelled, unlabelled = _centred_log_mgf(q, s), _centred_log_mgf(p, -s / 2)
    noise = -np.log1p(-((b * s) ** 2)) - np.log1p(-((b * s) ** 2) / 4)
    chernoff = lam * t - half * (labelled + unlabelled + noise)
    hoeffding = lam * t - half * (s**2 / 8 + s**2 / 32 + noise)
    bound = half * alpha**2 * t**2 / 2 ** (2 * d + 6)
    tail = -log_tail_probability(half, p, q, b, mean + t)
    integral = quad(lambda z: (np.exp((s * b - 1) * z) + np.exp(-(s * b + 1) * z)) / 2, 0, np.inf,
                    epsrel=1e-11)[0]

    wrong = -log_tail_probability(half, p, q, b, 0.0)
    steps = (
        equation("noise mgf", "E exp(s eps) = 1 / (1 - (b s)^2) for eps ~ Laplace(b)", integral,
                 1 / (1 - (b * s) ** 2)),
        Step("Hoeffding, labelled", "log E exp(s (YB - q)) <= s^2 / 8", labelled, s**2 / 8),
        Step("Hoeffding, unlabelled", "log E exp(-s (B - p) / 2) <= s^2 / 32", unlabelled, s**2 / 32),
        Step("Chernoff", "lambda t - log mgf <= -log P(T_n - E T_n >= t)", chernoff, tail),
        Step("Hoeffding, both", "the exponent with both Hoeffding bounds", hoeffding, chernoff),
        Step("(3.1)", "n alpha^2 t^2 / 2^(2d+6) is below that exponent", bound, hoeffding, ", with errata 1"),
        Step("(3.1), whole", "n alpha^2 t^2 / 2^(2d+6) <= -log P(T_n - E T_n >= t)", bound, tail),
        Step("wrong side",
             "n alpha^2 delta^2 / 2^(2d+6) <= -log(P(wrong side of 0) / 2), delta = |q - p/2| / 2",
             half * alpha**2 * delta**2 / 2 ** (2 * d + 6), np.log(2) + wrong),
    )
    return {"n": 2 * half, "alpha": alpha, "d": d, "t": t, "p": p, "q": q}, steps


def _centred_log_mgf(probability, s):
    """log E exp(s (B - EB)) of a Bernoulli variable, without cancellation.

    Taylor's formula with integral remainder.

    The second derivative is the variance under exponential tilting, at most 1/4; that is Hoeffding's lemma.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    v = (nodes + 1) / 2
    tilted = probability * np.exp(s * v)
    tilted /= 1 - probability + tilted
    return s**2 * (weights / 2) @ ((1 - v) * tilted * (1 - tilted))

"""Theorem 2.2 of Berrett & Butucea (2019), executed: concentration of T_n, the core of consistency."""

import numpy as np
from scipy.integrate import quad

from ldp_lib._arguments import real, whole
from ldp_lib.risk.scores import log_tail_probability
from ldp_lib.theory.holder_class import MOST_DIMENSIONS
from ldp_lib.theory.ledger import Ledger, Step

PAPER = "Berrett & Butucea 2019, proof of Theorem 2.2"


def ledger_2_2(n=10**6, alpha=1.0, d=1, t=0.05, p=0.2, q=0.15):
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
        Step("noise mgf", "E exp(s eps) = 1 / (1 - (b s)^2) for eps ~ Laplace(b)",
             integral, 1 / (1 - (b * s) ** 2), PAPER, "="),
        Step("Hoeffding, labelled", "log E exp(s (YB - q)) <= s^2 / 8", labelled, s**2 / 8, PAPER),
        Step("Hoeffding, unlabelled", "log E exp(-s (B - p) / 2) <= s^2 / 32", unlabelled, s**2 / 32, PAPER),
        Step("Chernoff", "lambda t - log mgf <= -log P(T_n - E T_n >= t)", chernoff, tail, PAPER),
        Step("Hoeffding, both", "the exponent with both Hoeffding bounds", hoeffding, chernoff, PAPER),
        Step("(3.1)", "n alpha^2 t^2 / 2^(2d+6) is below that exponent", bound, hoeffding,
             PAPER + ", with errata 1"),
        Step("(3.1), whole", "n alpha^2 t^2 / 2^(2d+6) <= -log P(T_n - E T_n >= t)", bound, tail, PAPER),
        Step("wrong side",
             "n alpha^2 delta^2 / 2^(2d+6) <= -log(P(wrong side of 0) / 2), delta = |q - p/2| / 2",
             half * alpha**2 * delta**2 / 2 ** (2 * d + 6), np.log(2) + wrong, PAPER),
    )
    params = {"n": 2 * half, "alpha": alpha, "d": d, "t": t, "p": p, "q": q}
    return Ledger("2.2", params, steps)


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

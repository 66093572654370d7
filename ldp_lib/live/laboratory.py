"""The second panel of notebook 01: a laboratory in which mechanisms are broken.

Left, the audit of an honest or a broken mechanism: what n reports prove about the budget it spends. Right,
floating-point noise under two attacks that never err: how many outputs give their sender away, and the bits
that do it.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ldp_lib.privacy import LatticeLaplace, RealLaplace
from ldp_lib.privacy.attacks import precision_attack, reachability_attack
from ldp_lib.privacy.records import halves
from ldp_lib.privacy.specimens import HONEST

from .engine import Control, LivePanel
from .laboratory_audits import ALPHAS, CONFIDENCE, FAILURE, H, PEOPLE, SEED, SUSPECTS, audits
from .laboratory_scene import ROWS, Scene

OUTPUTS = 5_000
"""Outputs of either noise that are attacked."""

SPENDS = {
    **dict.fromkeys((honest.name for honest in HONEST), 1), "half the noise": 2,
    "2^d for 2^(d+1)": 2, "rounding not paid for": 2, "wavelet c for 2c": 2, "mean of many reports": 16,
    "fresh draw a query": 16, "one draw for all cells": math.inf, "noise on non-empty cells only": math.inf,
    "no noise in the second half": math.inf, "one seed for all surveys": math.inf,
    "one seed for everybody": math.inf, "sign of a zero": math.inf, "float Laplace": math.inf,
}
"""The true loss between the two people in units of alpha, where it is a multiple of alpha, or infinite.

The mean of 16 reports moves their sum by 16 times the difference, and far out the sum's density falls like
the one of its largest term. Infinite: some reports of one person cannot come from the other at all.
"""


class Attacked(NamedTuple):
    """Outputs of the input 0, one entry of a record, under both attacks with the wrong guess 1.

    `outputs` (ROWS,) are the first outputs; `excluded` and `exposed` (ROWS,) say for which of them
    reachability excludes the guess, and precision proves the input to be 0. `rates` are the shares of both
    among all OUTPUTS.
    """

    outputs: np.ndarray
    excluded: np.ndarray
    exposed: np.ndarray
    rates: tuple


@functools.cache
def attacked(kind, alpha):
    """`Attacked` for noise of scale 2 / alpha, of one `kind`: `RealLaplace` or `LatticeLaplace`."""
    noise = kind(2 / alpha)
    outputs = noise.sample(OUTPUTS, np.random.default_rng(SEED))
    excluded, exposed = reachability_attack(outputs, 1.0, noise), precision_attack(outputs, 1.0)
    return Attacked(outputs[:ROWS], excluded.ruled_out[:ROWS], exposed.ruled_out[:ROWS],
                    (excluded.rate, exposed.rate))


def exposure(scale):
    """Probability that floating-point Laplace(scale) noise on the input 0 is proved not to come from 1.

    Noise in [2^-i, 2^(1-i)) has its last bit at 2^-(i + 52), and outputs of 1 are multiples of 2^-53: it is
    one with probability 2^(1-i). Exact up to the rounding of the sampler.
    """
    low = 2.0 ** -np.arange(1, 60)
    return float(((1 - 2 * low) * (np.exp(-low / scale) - np.exp(-2 * low / scale))).sum())


def ceiling(n, groups):
    """The largest bound that an audit of n reports can give, unless the noise is known, in nats.

    n : array.  groups : 2 if the halves of the sample publish different things, else 1. The event has all
    held-out reports of one person, none of the other's; the limits are those of Clopper & Pearson, and the
    risk is shared by the groups and two probabilities.
    """
    held_out = n - n // 2
    tail = ((1 - CONFIDENCE) / (2 * groups)) ** (1 / held_out)
    return np.log(tail / (1 - tail))


@functools.cache
def groups(name):
    """How many halves of the sample the suspect called `name` treats differently: 1 or 2."""
    return len(halves(SUSPECTS[name].build(1.0, H)))


class Findings(NamedTuple):
    """What audit and attacks say.

    `name`, `wrong`: the mechanism and what is wrong with it.  `alpha`: the budget it claims, in nats.
    `loss`: the true one; NaN where it is not known.  `people` (k,): numbers of reports up to the
    chosen one; `bounds`, `ceilings` (k,): what they prove and what they could prove, in nats.  `event`: which
    event told the two people apart at the last.  `textbook`, `ours`: `Attacked`; `exposure`: what precision
    finds in the first, exactly.
    """

    name: str
    wrong: str
    alpha: float
    loss: float
    people: np.ndarray
    bounds: np.ndarray
    ceilings: np.ndarray
    event: str
    textbook: Attacked
    ours: Attacked
    exposure: float

    @property
    def refuted(self):
        """Whether the last audit refutes the claim."""
        return self.bounds[-1] > self.alpha


class Laboratory(LivePanel):
    """Audit and attacks on mechanisms that claim to be alpha-private."""

    title = "Which mechanisms survive an audit, and which outputs an attack?"
    size = (10.6, 5.6)
    controls = (
        Control("mechanism", "mechanism", "", tuple(SUSPECTS), "half the noise"),
        Control("alpha", "claimed budget", "α", ALPHAS, 1.0, "{:g}", "nats per report"),
        Control("n", "reports", "n", PEOPLE, 10_000, "{:,}", "of each of two people, in either half"),
    )
    scene = Scene

    def __init__(self):
        # All samplers and attacks now, so that no position is slow at its first visit.
        for alpha in ALPHAS:
            self.compute(alpha=alpha)
        super().__init__()

    @staticmethod
    def compute(mechanism, alpha, n):
        people = np.array([size for size in PEOPLE if size <= n])
        bounds = [audits()[mechanism, alpha, size] for size in people.tolist()]
        return Findings(
            mechanism, SUSPECTS[mechanism].wrong, alpha, SPENDS.get(mechanism, math.nan) * alpha,
            people, np.array([bound.epsilon for bound in bounds]), ceiling(people, groups(mechanism)),
            bounds[-1].event,
            attacked(RealLaplace, alpha), attacked(LatticeLaplace, alpha), exposure(2 / alpha))

    def conclude(self, result):
        claim, n = f"the claim α = {result.alpha:g}", f"{result.people[-1]:,} reports"
        bound = in_nats(result.bounds[-1])
        audit = (f"{n} refute {claim} of {result.name!r}: it spends at least {bound}." if result.refuted else
                 f"{n} do not refute {claim} of {result.name!r}: they prove {bound}, which proves nothing.")
        textbook, ours = (attacked.rates[0] for attacked in (result.textbook, result.ours))
        return (f"{audit} Of the textbook's float outputs {textbook:.0%} rule out the wrong input; "
                f"of the lattice's, {ours:.0%}.")

    def summarise(self, result):
        loss = "not known" if math.isnan(result.loss) else in_nats(result.loss)
        textbook, ours = result.textbook, result.ours
        # What is wrong, and the event, stand in the picture: lines of changing length would move the page.
        return [
            ("spends at least", f"{in_nats(result.bounds[-1])} (simulated)"),
            ("true loss", loss),
            ("verdict", "REFUTED" if result.refuted else "not refuted"),
            ("curve errs with probability", f"{FAILURE:.0e} at most"),
            ("textbook", f"{textbook.rates[0]:.1%} exclude the wrong input, "
                         f"{textbook.rates[1]:.1%} prove x = 0 (exact {result.exposure:.1%})"),
            ("lattice", f"{ours.rates[0]:.0%} and {ours.rates[1]:.0%}"),
            ("a textbook output", textbook.outputs[0].hex()),
            ("one of ours", ours.outputs[0].hex()),
        ]


def in_nats(budget):
    """A budget in words."""
    return "∞" if budget == math.inf else f"{budget:.2f}"

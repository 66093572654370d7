"""Privacy of the cubes: Berrett & Butucea (2019), Theorem 2.1, executed."""

import math

import numpy as np

from ldp_lib._arguments import real, require_memory
from ldp_lib._rounding import canonical
from ldp_lib.privacy import CubeLaplace, LatticeLaplace
from ldp_lib.privacy.audit import epsilon_lower_bound, privacy_loss_distribution
from ldp_lib.privacy.mutants import HalfTheNoise, OneDrawForAllCells
from ldp_lib.stage.ledger import Saboteur, Step, proves


@proves("2.1",
        Saboteur("cubes", "cubes of half-width 1.6 h overlap three- and fourfold",
                 lambda: _with_narrow_cubes(WideCubes), lambda: _with_narrow_cubes(NarrowCubes)),
        Saboteur("noise scale", "half the noise",
                 lambda: _with_narrow_cubes(HalfTheNoise), lambda: _with_narrow_cubes(DoubleNoise)),
        Saboteur("independent noise", "one draw for all entries of a report",
                 lambda: _with_narrow_cubes(OneDrawForAllCells), lambda: _with_narrow_cubes(NoiseBackwards)))
def ledger_2_1(alpha: float = 1.0, h: float = 0.2, d: int = 1, mechanism: type[CubeLaplace] = CubeLaplace):
    """The ledger of Theorem 2.1 at privacy alpha (nats), bandwidth h and dimension d.

    Its subject is a mechanism of the class `mechanism`. Maxima over people are exact for h <= 1/2 or d = 1: a
    person's array is a product over the axes, so that grid lines, midpoints and the end of one axis represent
    all positions. For wider cubes in d >= 2 they are over people on the diagonal. The audit
    looks at AUDITED reports of either person and half with a fixed seed; it refutes an honest mechanism with
    probability 1e-6 at most.
    """
    alpha = real("alpha", alpha, least=1e-6, most=300, cure="Floats hold the laws of the noise so far only.")
    name, axis, mechanism = mechanism.__name__, mechanism(alpha, h, 1), mechanism(alpha, h, d)
    alpha, rate = mechanism.alpha, mechanism.alpha / 2 ** (mechanism.d + 1)
    require_memory(f"All pairs of {2 * axis.K:,} places", 100.0 * axis.K**2, "Increase h.")
    places = np.concatenate([np.arange(axis.K) * h, (np.arange(axis.K) + 0.5) * h])
    places = np.append(places[places <= 1], 1.0)  # which stands for the end if that holds no middle
    B = axis.encode(places[:, None], np.ones(len(places), int), half=1)
    ones = B.sum(axis=1) ** d
    distance = ones[:, None] + ones - 2 * (B @ B.T) ** d
    first, second = np.unravel_index(canonical(distance).argmax(), distance.shape)     # of equals the first
    a, b = ((np.full(d, places[i]), 1) for i in (first, second))
    crowded = np.full(d, places[canonical(ones).argmax()])
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
             epsilon_lower_bound(axis, *((x[:1], y) for x, y in (a, b)), n=AUDITED, rng=1).epsilon, alpha,
             "the entries of a report have noises of their own", subject=f"reports of {name}, d = 1",
             uses=("independent noise",)),
    )
    return {"alpha": alpha, "h": mechanism.h, "d": mechanism.d}, steps


AUDITED = 400
"""Reports of an audit in a ledger: few, because it need only see noise that is the same twice."""


class WideCubes(CubeLaplace):
    """Cubes of half-width 1.6 h: mostly three or four overlap along an axis, and the noise is for two."""

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


def _with_narrow_cubes(mechanism):
    """Arguments of 2.1 at which the three mechanisms differ from the honest one."""
    return {"mechanism": mechanism, "h": 0.15}

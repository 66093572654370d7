"""Every mechanism that the library exports: how to build one, and the two people whom audits compare.

Audits, attacks, the laboratory and the tests of what leaks run over `HONEST`. A mechanism that is exported
and has no line here fails a test.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import labels, points
from ldp_lib.privacy.cell import CellLaplace
from ldp_lib.privacy.central import central_noise, noisy_votes
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import HadamardBit
from ldp_lib.privacy.noise import LatticeLaplace
from ldp_lib.privacy.signed_response import SignedSubset
from ldp_lib.privacy.wavelet import WaveletLaplace


class NoisyVotes:
    """A trusted curator's noisy majority votes in cells of width h, seen as what one person among others
    changes.

    A row is a release of its own: the votes y - 1/2 of one person and of a `crowd` that does not change, plus
    noise of scale 1/alpha in every cell. Replacing the person moves two cells by 1/2, or one by 1: the
    release is alpha-private.
    """

    crowd = 30
    """Votes for 1, less those for 0, in every cell."""

    def __init__(self, alpha, h):
        self.alpha, self.h, self.d = alpha, h, 1
        self.K = round(np.ceil(1 / h))
        # The noise on twice the votes, as a curator draws it, and that on the votes.
        self.noise = LatticeLaplace(central_noise(alpha).scale / 2)

    def encode(self, X, y):
        """What the curator would release without noise, a row for every person (X (n, 1), y (n,)); (n, K)."""
        X = points("X", X, 1)
        votes = np.full((len(X), self.K), float(self.crowd))
        cell = np.clip(X[:, 0] / self.h, 0, self.K - 1).astype(np.intp)
        votes[np.arange(len(X)), cell] += 2 * labels("y", y, len(X)) - 1
        return votes / 2

    def privatize(self, X, y, *, rng):
        """The releases, (n, K), with one draw a cell."""
        return noisy_votes(2 * self.encode(X, y), self.alpha, rng=rng)


def one_cell(mechanism):
    """Builds a signed subset `mechanism` that sends one cell, so that most entries are 0."""
    return lambda alpha, h: mechanism(alpha, h, size=1)


def haar(mechanism):
    """Builds a wavelet `mechanism` with cells at most h wide, whose calibration has nothing to spare."""
    return lambda alpha, h: mechanism(alpha, "haar", _levels(h), "scaling_only")


def _dyadic(alpha, h):
    return DyadicBit(alpha, _levels(h))


def _levels(h):
    """How often 1 is halved until it is h at most."""
    return int(np.ceil(-np.log2(h)))


RECORDS = ((0.1,), 1), ((0.8,), 1)
"""The two people of the trials: at h = 0.3 they have full and disjoint supports."""
LABEL_0 = ((0.1,), 0), ((0.8,), 0)
"""The same places, with the other label."""
PLACES = 0.1, 0.8
"""The same people where a mechanism asks for no label."""


class Specimen(NamedTuple):
    """A mechanism on trial: `name`, what is `wrong`, `build(alpha, h)`, what it is `caught_by`, and the
    `records`.

    `caught_by` is "audit" (`epsilon_lower_bound`), "attack" (`betrayal_attack`), "audit and attack", or ""
    for the honest. `records` are the two people who are compared.
    """

    name: str
    wrong: str
    build: Callable
    caught_by: str
    records: tuple = RECORDS


HONEST = (
    Specimen("CubeLaplace", "nothing: that it passes proves nothing", CubeLaplace, ""),
    Specimen("noisy votes", "nothing, and the curator is trusted", NoisyVotes, ""),
    Specimen("WaveletLaplace", "nothing", haar(WaveletLaplace), "", PLACES),
    Specimen("CellLaplace", "nothing", CellLaplace, ""),
    Specimen("HadamardBit", "nothing", HadamardBit, ""),
    Specimen("DyadicBit", "nothing", _dyadic, ""),
    Specimen("SignedSubset", "nothing", one_cell(SignedSubset), "", LABEL_0),
)
"""Every mechanism that the library exports, and how to build one: a new one is one more line. The mutants
of `ldp_lib.privacy.mutants` are mutants of these."""

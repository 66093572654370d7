"""Mechanisms that look right and are broken, and what catches each.

Every class is an honest mechanism with one mistake that has been made in practice. `MUTANTS` says in words
what is wrong, which instrument catches it and with which power; `audit_table` runs the instruments.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import generator, labels, points, whole
from ldp_lib.privacy.attacks import betrayal_attack
from ldp_lib.privacy.audit import epsilon_lower_bound
from ldp_lib.privacy.cell import CellLaplace
from ldp_lib.privacy.central import central_noise, noisy_votes
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import HadamardBit
from ldp_lib.privacy.noise import LatticeLaplace
from ldp_lib.privacy.signed_response import SignedSubset
from ldp_lib.privacy.wavelet import WaveletLaplace


class HalfTheNoise(CubeLaplace):
    """Noise of scale b/2."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.noise = LatticeLaplace(self.noise.scale / 2)


class SensitivityWithoutTheFactorTwo(CubeLaplace):
    """Noise of scale 2^d / alpha."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.noise = LatticeLaplace(2.0**self.d / self.alpha)


class OneDrawForAllCells(CubeLaplace):
    """One noise a person."""

    def privatize(self, X, y, *, rng):
        return self.encode(X, y) + self.noise.sample((len(X), 1), generator(rng, secure=True))


class NoiseOnNonEmptyCellsOnly(CubeLaplace):
    """Zeros stay zeros."""

    def privatize(self, X, y, *, rng):
        signals = self.encode(X, y)
        noise = self.noise.sample(signals.shape, generator(rng, secure=True))
        return signals + np.where(signals != 0, noise, 0.0)


class NoNoiseInTheSecondHalf(CubeLaplace):
    """Labelled reports go out bare."""

    def privatize(self, X, y, *, rng):
        reports = super().privatize(X, y, rng=rng)
        reports[len(X) // 2:] = self.encode(X, y)[len(X) // 2:]
        return reports


class MeanOfManyReports(CubeLaplace):
    """The first half sends the mean of 16 reports, each of which is within the budget."""

    def privatize(self, X, y, *, rng):
        rng = generator(rng, secure=True)
        reports = super().privatize(X, y, rng=rng)
        first = reports[: len(X) // 2]
        for _ in range(15):
            first += self.encode(X, y)[: len(first)] + self.noise.sample(first.shape, rng)
        first /= 16
        return reports


class LeakWhereNothingDiffers(CubeLaplace):
    """Adds the first feature, times 20 noise scales, to the last entry, which is 0 for most people."""

    def privatize(self, X, y, *, rng):
        reports = super().privatize(X, y, rng=rng)
        reports[:, -1] += 20 * self.scale * np.asarray(X)[:, 0]
        return reports


class SometimesForgets(CubeLaplace):
    """One person in twenty right of the middle sends no noise."""

    def privatize(self, X, y, *, rng):
        reports, bare = super().privatize(X, y, rng=generator(rng)), self.encode(X, y)
        silent = (np.asarray(X)[:, 0] > 0.5) & (generator(rng).random(len(X)) < 0.05)
        reports[silent] = bare[silent]
        return reports


class OneSeedForAllSurveys(CubeLaplace):
    """The seed is written into the program."""

    def privatize(self, X, y, *, rng):
        return super().privatize(X, y, rng=7)


class OneSeedForEverybody(CubeLaplace):
    """Every person's device starts from the same seed."""

    def privatize(self, X, y, *, rng):
        return self.encode(X, y) + self.noise.sample((1, self.K), generator(rng, secure=True))


class RoundingNotPaidFor(CubeLaplace):
    """Rounds up to a lattice of step 2, with the noise of the array that was not rounded."""

    def privatize(self, X, y, *, rng):
        rounded = 2 * np.ceil(self.encode(X, y) / 2)
        return rounded + self.noise.sample(rounded.shape, generator(rng, secure=True))


def float_laplace(alpha, h, d=1):
    """The textbook: numpy's Laplace noise in floating point."""
    return CubeLaplace(alpha, h, d, noise="real")


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


class FreshDrawAQuery(NoisyVotes):
    """Whoever asks 16 times averages 16 answers."""

    def privatize(self, X, y, *, rng):
        rng = generator(rng, secure=True)
        return np.mean([super(FreshDrawAQuery, self).privatize(X, y, rng=rng) for _ in range(16)], axis=0)


class OnePersonsWavelets(WaveletLaplace):
    """Sensitivity c ||phi||, as if the coefficients of one person only could change, in place of 2 c
    ||phi||."""

    def _loss_at_weights(self):
        return super()._loss_at_weights() / 2


class SignOfAZero(SignedSubset):
    """Multiplies the person's own entry by 2Y - 1 in floating point: a 0 becomes -0.0 where Y = 0."""

    def privatize(self, X, y, *, rng):
        whole_numbers = super().privatize(X, y, rng=rng)
        (cells, y), people = self.people(X, y), np.arange(len(y))
        mine = whole_numbers[people, cells] * (2 * y - 1)
        reports = whole_numbers.astype(float)
        reports[people, cells] = mine.astype(float) * (2 * y - 1)
        return reports


def _one_cell(mechanism):
    """Builds a signed subset `mechanism` that sends one cell, so that most entries are 0."""
    return lambda alpha, h: mechanism(alpha, h, size=1)


def _haar(mechanism):
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


class Mutant(NamedTuple):
    """A mechanism on trial: `name`, what is `wrong`, `build(alpha, h)`, what it is `caught_by`, and the
    `records`.

    `caught_by` is "audit" (`epsilon_lower_bound`), "attack" (`betrayal_attack`), "audit and attack", or "" for
    the honest.
    `records` are the two people who are compared.
    """

    name: str
    wrong: str
    build: Callable
    caught_by: str
    records: tuple = RECORDS


HONEST = (
    Mutant("CubeLaplace", "nothing: that it passes proves nothing", CubeLaplace, ""),
    Mutant("noisy votes", "nothing, and the curator is trusted", NoisyVotes, ""),
    Mutant("WaveletLaplace", "nothing", _haar(WaveletLaplace), "", PLACES),
    Mutant("CellLaplace", "nothing", CellLaplace, ""),
    Mutant("HadamardBit", "nothing", HadamardBit, ""),
    Mutant("DyadicBit", "nothing", _dyadic, ""),
    Mutant("SignedSubset", "nothing", _one_cell(SignedSubset), "", LABEL_0),
)
"""Every mechanism that the library exports, and how to build one: a new one is one more line. All of them are
audited, attacked and watched while they read random bytes; the mutants are mutants of these."""


POWER = 1 - 1e-6
"""Each mutant is caught with at least this probability at n = 60,000, h = 0.3, d = 1 and alpha from 0.5 to 2.

The bounds of 24 audits of each at alpha = 0.5, 1 and 2 lay 8 of their standard deviations above alpha or
more, on average, and 5 make 1e-6. The attack betrays 99 of 100 float reports, and it sees 1000.
"""

MUTANTS = (
    Mutant("half the noise", "scale b/2: the budget is 2 alpha", HalfTheNoise, "audit"),
    Mutant("2^d for 2^(d+1)", "counts one person's ones and forgets the other's: the budget is 2 alpha",
           SensitivityWithoutTheFactorTwo, "audit"),
    Mutant("one draw for all cells", "differences of entries show the array", OneDrawForAllCells, "audit"),
    Mutant("noise on non-empty cells only", "an entry that is not 0 says where the person is",
           NoiseOnNonEmptyCellsOnly, "audit"),
    Mutant("no noise in the second half", "every labelled report is bare", NoNoiseInTheSecondHalf, "audit"),
    Mutant("mean of many reports", "16 reports of a person spend the budget 16 times",
           MeanOfManyReports, "audit"),
    Mutant("leak where nothing differs", "x itself stands in an entry nobody looks at",
           LeakWhereNothingDiffers, "audit"),
    Mutant("sometimes forgets", "one in twenty of some people sends no noise", SometimesForgets, "audit"),
    Mutant("one seed for all surveys", "whoever runs the program knows the noise",
           OneSeedForAllSurveys, "audit"),
    Mutant("one seed for everybody", "a participant knows everybody's noise: it is her own",
           OneSeedForEverybody, "audit"),
    Mutant("rounding not paid for", "1 becomes 2, and the sensitivity twice as large",
           RoundingNotPaidFor, "audit"),
    Mutant("fresh draw a query", "the noise of a curator averages out", FreshDrawAQuery, "audit"),
    Mutant("wavelet c for 2c",
           "counts one person's coefficients and forgets the other's: the budget is 2 alpha",
           _haar(OnePersonsWavelets), "audit", PLACES),
    Mutant("sign of a zero", "-0.0 stands in her own cell alone", _one_cell(SignOfAZero), "audit and attack",
           LABEL_0),
    Mutant("float Laplace", "not every float can be reached from every input", float_laplace, "attack"),
)
"""The broken mechanisms, in the order of the table; a new one is one more line."""


class Trial(NamedTuple):
    """One mechanism before both instruments.

    `bound` is the audit's lower bound in nats, `failure_probability` its error, `betrayed` the number among
    `reports` reports that prove with certainty who did not send them.
    """

    name: str
    wrong: str
    alpha: float
    bound: float
    failure_probability: float
    betrayed: int
    reports: int

    @property
    def caught_by(self):
        """The instruments that refute the claim of alpha, as in `Mutant`."""
        return " and ".join(["audit"] * (self.bound > self.alpha) + ["attack"] * (self.betrayed > 0))


class AuditTable(tuple):
    """Trials, one a mechanism; shows itself as a table."""

    def __str__(self):
        head = ("mechanism", "spends at least", "betrayed", "verdict", "what is wrong")
        body = [(trial.name, f"{trial.bound:.2f}", f"{trial.betrayed:,} of {trial.reports:,}",
                 f"REFUTED by {trial.caught_by}" if trial.caught_by else "not refuted",
                 trial.wrong)
                for trial in self]
        widths = [max(map(len, column)) for column in zip(head, *body)]
        return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip()
                         for row in (head, *body))

    __repr__ = __str__


ATTACKED = 1000
"""Reports that the attacks look at: one in five would be enough."""


def audit_table(alpha=1.0, n=60_000, *, rng, h=0.3):
    """Audit and attack the `HONEST` mechanisms and all `MUTANTS` at budget alpha: an `AuditTable`.

    alpha : nats, > 0.  n : reports of each person and half, 100 or more.  h : bandwidth, in (0.2, 0.35), so
    that the two people share no cube.  Each audit fails with probability 1e-6 at most; the attacks never
    fail.
    """
    n = whole("n", n, least=100, cure="Use n = 60000 or more to catch everything.")
    subjects = (*HONEST, *MUTANTS)
    streams = generator(rng).spawn(len(subjects))
    trials = zip(subjects, streams, strict=True)
    return AuditTable(_trial(mutant, alpha, h, n, stream) for mutant, stream in trials)


def _trial(mutant, alpha, h, n, rng):
    mechanism = mutant.build(alpha, h)
    bound = epsilon_lower_bound(mechanism, *mutant.records, n=n, rng=rng)
    reports = min(n, ATTACKED)
    betrayed = betrayal_attack(mechanism, *mutant.records, n=reports, rng=rng).count
    return Trial(mutant.name, mutant.wrong, mechanism.alpha, bound.epsilon, bound.failure_probability,
                 betrayed, reports)

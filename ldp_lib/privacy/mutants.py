"""Mechanisms that look right and are broken, and what catches each.

Every class is an honest mechanism with one mistake that has been made in practice. `MUTANTS` says in words
what is wrong, which instrument catches it and with which power; `audit_table` runs the instruments.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import generator, whole
from ldp_lib.privacy.audit import betrayal_attack, epsilon_lower_bound
from ldp_lib.privacy.central import NoisyVotes
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.noise import LatticeLaplace
from ldp_lib.privacy.registry import LABEL_0, PLACES, REGISTRY, Specimen, haar, one_cell
from ldp_lib.privacy.subsets import SignedSubset
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
    """Multiplies her own entry by 2Y - 1 in floating point: a 0 becomes -0.0 where Y = 0."""

    def privatize(self, X, y, *, rng):
        whole_numbers = super().privatize(X, y, rng=rng)
        (cells, y), people = self.people(X, y), np.arange(len(y))
        mine = whole_numbers[people, cells] * (2 * y - 1)
        reports = whole_numbers.astype(float)
        reports[people, cells] = mine.astype(float) * (2 * y - 1)
        return reports


MUTANTS = (
    Specimen("half the noise", HalfTheNoise, caught_by="audit", spends=2,
             wrong="scale b/2: the budget is 2 alpha"),
    Specimen("2^d for 2^(d+1)", SensitivityWithoutTheFactorTwo, caught_by="audit", spends=2,
             wrong="counts one person's ones and forgets the other's: the budget is 2 alpha"),
    Specimen("one draw for all cells", OneDrawForAllCells, caught_by="audit", spends=math.inf,
             wrong="differences of entries show the array"),
    Specimen("noise on non-empty cells only", NoiseOnNonEmptyCellsOnly, caught_by="audit", spends=math.inf,
             wrong="an entry that is not 0 says where the person is"),
    Specimen("no noise in the second half", NoNoiseInTheSecondHalf, caught_by="audit", spends=math.inf,
             wrong="every labelled report is bare"),
    # Their sum moves by 16 times the difference, and far out its density falls like that of its largest term.
    Specimen("mean of many reports", MeanOfManyReports, caught_by="audit", spends=16,
             wrong="16 reports of a person spend the budget 16 times"),
    Specimen("leak where nothing differs", LeakWhereNothingDiffers, caught_by="audit", spends=math.nan,
             wrong="x itself stands in an entry nobody looks at"),
    Specimen("sometimes forgets", SometimesForgets, caught_by="audit", spends=math.nan,
             wrong="one in twenty of some people sends no noise"),
    Specimen("one seed for all surveys", OneSeedForAllSurveys, caught_by="audit", spends=math.inf,
             wrong="whoever runs the program knows the noise"),
    Specimen("one seed for everybody", OneSeedForEverybody, caught_by="audit", spends=math.inf,
             wrong="a participant knows everybody's noise: it is her own"),
    Specimen("rounding not paid for", RoundingNotPaidFor, caught_by="audit", spends=2,
             wrong="1 becomes 2, and the sensitivity twice as large"),
    Specimen("fresh draw a query", FreshDrawAQuery, caught_by="audit", spends=16,
             wrong="the noise of a curator averages out"),
    Specimen("wavelet c for 2c", OnePersonsWavelets, trial=haar, records=PLACES, caught_by="audit", spends=2,
             wrong="counts one person's coefficients and forgets the other's: the budget is 2 alpha"),
    Specimen("sign of a zero", SignOfAZero, trial=one_cell, records=LABEL_0, caught_by="audit and attack",
             spends=math.inf, wrong="-0.0 stands in her own cell alone"),
    Specimen("float Laplace", float_laplace, caught_by="attack", spends=math.inf,
             wrong="not every float can be reached from every input"),
)
"""The broken mechanisms, in the order of the table; a new one is one more line.

At n = 60,000, h = 0.3, d = 1 and alpha from 0.5 to 2 each is caught, except with probability 1e-6 at most.
The bounds of 24 audits of each at alpha = 0.5, 1 and 2 lay 8 of their standard deviations above alpha or
more, on average, and 5 make 1e-6. The attack betrays 99 of 100 float reports, and it sees 1000.
"""


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
        """The instruments that refute the claim of alpha, as in `Specimen`."""
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
    """Audit and attack the mechanisms of the registry and all `MUTANTS` at budget alpha: an `AuditTable`.

    alpha : nats, > 0.  n : reports of each person and half, 100 or more.  h : bandwidth, in (0.2, 0.35), so
    that the two people share no cube.  Each audit fails with probability 1e-6 at most; the attacks never
    fail.
    """
    n = whole("n", n, least=100, cure="Use n = 60000 or more to catch everything.")
    subjects = (*MUTANTS, *REGISTRY)                 # a new mechanism changes the stream of no mutant
    streams = generator(rng).spawn(len(subjects))
    trials = [_trial(mutant, alpha, h, n, stream) for mutant, stream in zip(subjects, streams, strict=True)]
    return AuditTable(trials[len(MUTANTS):] + trials[:len(MUTANTS)])


def _trial(mutant, alpha, h, n, rng):
    mechanism = mutant.build(alpha, h)
    bound = epsilon_lower_bound(mechanism, *mutant.records, n=n, rng=rng)
    reports = min(n, ATTACKED)
    betrayed = betrayal_attack(mechanism, *mutant.records, n=reports, rng=rng).count
    return Trial(mutant.name, mutant.wrong, mechanism.alpha, bound.epsilon, bound.failure_probability,
                 betrayed, reports)

"""What the bits of reports give away with certainty, whatever their law on paper.

Two attacks look at one output z = x + noise (Mironov, 2012), compare it with a guess of x, and rule the
guess out only if the computer cannot print z from it; a third looks at products z = x * factor, whose zeros
keep the sign of x. So they never err; what counts is how often they succeed. Privacy in the sense of the
definition is lost as soon as one output has this fate: its log-likelihood ratio is infinite. All of them
compare bits: the numbers 0.0 and -0.0 are equal, and the bits are not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, reals, require_memory, together, whole, wrong_kind
from ldp_lib.privacy.mechanism import Mechanism, halves, record_pair, reports, signals, told
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace

WIDEST_SEARCH = 64
"""Where more uniform variables than twice this round to one output, the attack gives up."""


class Attack(NamedTuple):
    """Outputs that prove a guess wrong: `ruled_out` (bool, one an output), their `count` and their `rate`."""

    ruled_out: np.ndarray
    count: int
    rate: float


class Identification(NamedTuple):
    """`record` (n,): row of the one candidate that can have sent each report, -1 where several can.

    `count` and `rate` of the reports that identify their sender.
    """

    record: np.ndarray
    count: int
    rate: float


def _attack(ruled_out):
    return Attack(ruled_out, int(ruled_out.sum()), float(ruled_out.mean()))


def _finite(name, values):
    values = reals(name, values)
    if not values.size:
        raise ValueError(f"{name} has no entry; it must hold finite numbers, at least one.")
    return values


def _aligned(outputs, guess):
    return together(outputs=_finite("outputs", outputs), guess=_finite("guess", guess))


def reachability_attack(outputs: ArrayLike, guess: ArrayLike, noise: LatticeLaplace | RealLaplace) -> Attack:
    """Which `outputs` cannot be `guess` plus a draw of `noise`, bit for bit?

    After Mironov [1]_. `numpy.random.Generator.laplace` draws U = k 2^-53 and returns -b log((2 - U) - U) if
    U >= 1/2 and b log(2 U) below: 2^53 values out of the many more floats. The attack inverts the formula,
    tries the few k that rounding could hide, and compares. On the lattice it asks whether the difference is a
    multiple of the step.

    Parameters
    ----------
    outputs : array of float
        Of any shape; finite, one or more.
    guess : float or array of float
        The inputs in question; they broadcast against the outputs.
    noise : LatticeLaplace or RealLaplace
        What was added, its parameters and code being public.

    Returns
    -------
    Attack
        Which outputs are ruled out, one bool each, their count and their rate.

    References
    ----------
    .. [1] I. Mironov, "On significance of the least significant bits for differential privacy" (CCS, 2012),
       doi:10.1145/2382196.2382264.

    Examples
    --------
    >>> from ldp_lib.privacy import LatticeLaplace, RealLaplace
    >>> noises = RealLaplace(1.0), LatticeLaplace(1.0)
    >>> [round(reachability_attack(1.0 + noise.sample(1000, np.random.default_rng(1)), 0.0, noise).rate, 1)
    ...  for noise in noises]                 # did 0 send what 1 sent?
    [0.8, 0.0]
    """
    outputs, guess = _aligned(outputs, guess)
    if isinstance(noise, LatticeLaplace):
        lattice = [np.mod(values, noise.granularity) for values in (outputs, guess)]
        # A sum of which one term is no -0.0 is none either, and no draw is.
        return _attack((lattice[0] != lattice[1]) | negative_zero(outputs))
    if not isinstance(noise, RealLaplace):
        raise wrong_kind("noise", noise, "a RealLaplace or a LatticeLaplace, such as the `noise` of a "
                                         "mechanism")
    return _attack(~_reached_by_numpy(outputs.ravel(), guess.ravel(), noise.scale).reshape(outputs.shape))


def _reached_by_numpy(outputs, guess, scale):
    """Whether some k gives guess + numpy's draw == output, all arrays flat."""
    noise = outputs - guess
    # exp(-|noise| / scale) is 2 U below 1/2 and 2 - 2 U from there on, in units of 2^-52.
    inverse = np.rint(np.exp(-np.abs(noise) / scale) * 2.0**52)
    middle = np.where(noise < 0, inverse, 2.0**53 - inverse)
    # A last place of output, guess or noise moves it by that many parts of the scale.
    places = np.spacing(np.maximum(np.maximum(np.abs(outputs), np.abs(guess)), np.abs(noise)))
    width = np.ceil(inverse * places / scale) + 2
    reached = width > WIDEST_SEARCH
    for offset in range(-WIDEST_SEARCH, WIDEST_SEARCH + 1):
        left = np.flatnonzero(~reached & (abs(offset) <= width))
        k = middle[left] + offset
        legal = np.where(noise[left] < 0, (k >= 1) & (k < 2.0**52), (k >= 2.0**52) & (k < 2.0**53))
        left, U = left[legal], k[legal] * 2.0**-53
        # The C library's logarithm, which numpy's sampler calls; np.log differs in the last bit.
        log = np.fromiter(map(math.log, np.where(U < 0.5, U + U, (2.0 - U) - U).tolist()), float, U.size)
        again = guess[left] + np.where(U < 0.5, scale * log, 0.0 - scale * log)
        reached[left] = again.view(np.int64) == outputs[left].view(np.int64)
    return reached


def precision_attack(outputs: ArrayLike, guess: ArrayLike) -> Attack:
    """Which `outputs` have too fine a last bit to come from the non-zero `guess`?

    After Mironov [1]_. Let u be half the distance from |x| to the next float. Noise of at least |x| / 2 is a
    multiple of u, and with less the sum exceeds |x| / 2 and is rounded to multiples of u. So every z = x +
    noise is a multiple of u, whatever the law of the noise, and a z that is none proves that x was not the
    input: if it was 0 or x, it was 0.

    Parameters
    ----------
    outputs : array of float
        Of any shape; finite, one or more.
    guess : float or array of float
        They broadcast against the outputs; none is 0.

    Returns
    -------
    Attack
        Which outputs are ruled out, one bool each, their count and their rate.

    References
    ----------
    .. [1] I. Mironov, "On significance of the least significant bits for differential privacy" (CCS, 2012),
       doi:10.1145/2382196.2382264.

    Examples
    --------
    >>> int(precision_attack(np.array([0.5, 2.0**-60]), 1.0).count)
    1
    """
    outputs, guess = _aligned(outputs, guess)
    if (guess == 0).any():
        raise ValueError("guess = 0 forces no resolution on an output; try a non-zero input, such as 1.0.")
    return _attack(np.mod(outputs, np.spacing(np.abs(guess)) / 2) != 0)


def exposure(scale):
    """The rate of `precision_attack` with the guess 1 on floating-point Laplace(scale) noise on the input 0.

    Noise in [2^-i, 2^(1-i)) has its last bit at 2^-(i + 52), and outputs of 1 are multiples of 2^-53: it is
    one with probability 2^(1-i). Exact up to the rounding of the sampler.
    """
    low = 2.0 ** -np.arange(1, 60)
    return float(((1 - 2 * low) * (np.exp(-low / scale) - np.exp(-2 * low / scale))).sum())


def zero_attack(outputs: ArrayLike, guess: ArrayLike) -> Attack:
    """Which `outputs` are zeros with the wrong sign to be a product with `guess`?

    0.0 times a negative number is -0.0, which is equal to 0.0 and has other bits. No sum of other numbers is
    -0.0. So a report that holds one was multiplied by something negative: where that is the signal, a guess
    that is not negative is ruled out.

    Parameters
    ----------
    outputs : array of float
        Of any shape; finite, one or more.
    guess : float or array of float
        They broadcast against the outputs. The sign of a zero counts: -0.0 is negative.

    Returns
    -------
    Attack
        Which outputs are ruled out, one bool each, their count and their rate.

    Examples
    --------
    >>> zero_attack(np.array([0.0, -0.0]), 1.0).ruled_out.tolist()
    [False, True]
    """
    outputs, guess = _aligned(outputs, guess)
    return _attack(negative_zero(outputs) & ~np.signbit(guess))


def negative_zero(values):
    """Where an array holds -0.0."""
    return (values == 0) & np.signbit(values)


def identification_attack(reports: ArrayLike, candidates: ArrayLike,
                          noise: LatticeLaplace | RealLaplace) -> Identification:
    """Which of the `candidates` sent each report? Reachability of every entry.

    Parameters
    ----------
    reports : array, shape (n, K)
        Floats, one row a report.
    candidates : array, shape (m, K)
        What the people in question publish without noise, one row a person, for example numpy.eye(64) for a
        record in one of 64 cells.
    noise : LatticeLaplace or RealLaplace
        What was added to every entry.

    Returns
    -------
    Identification
        Row of the one candidate that can have sent each report, (n,), -1 where several can or none; count and
        rate of the reports that identify their sender.

    Examples
    --------
    >>> from ldp_lib.privacy import RealLaplace
    >>> noise, records = RealLaplace(1.0), np.eye(8)
    >>> reports = records + noise.sample((8, 8), np.random.default_rng(1))
    >>> identification_attack(reports, records, noise).record.tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    reports, candidates = _finite("reports", reports), _finite("candidates", candidates)
    if reports.ndim != 2 or candidates.ndim != 2 or reports.shape[1] != candidates.shape[1]:
        raise ValueError(f"reports and candidates have shapes {reports.shape} and {candidates.shape}; "
                         "they must be (n, K) and (m, K), one row a report and one a person.")
    refuted = np.zeros((len(reports), len(candidates)), dtype=bool)
    for value in np.unique(candidates):
        # Float products of zeros and ones count exactly.
        impossible = reachability_attack(reports, value, noise).ruled_out.astype(float)
        refuted |= impossible @ (candidates == value).T.astype(float) > 0
    certain = (~refuted).sum(axis=1) == 1
    record = np.where(certain, (~refuted).argmax(axis=1), -1)
    return Identification(record, int(certain.sum()), float(certain.mean()))


def betrayal_attack(mechanism: Mechanism, record_a: tuple | float, record_b: tuple | float, *, n: int,
                    rng: Randomness) -> Attack:
    """Of n reports of `record_a` in either half of the sample, which prove that `record_b` did not send them?

    All attacks try every entry. Whoever rules out the truth as well has been misled about the noise, and such
    a report does not count.

    Parameters
    ----------
    mechanism : Mechanism
        What is attacked: anything with `encode`, `privatize` and `K`.
    record_a, record_b : tuple or float
        A pair (x, y), or x for mechanisms without labels.
    n : int
        Reports of `record_a` in each half of the sample, 1 or more.
    rng : Generator, int, "secure" or None
        None or "secure" for the operating system's generator; a numpy Generator or a seed for simulations.
        Real noise is numpy's: None seeds it afresh, "secure" is refused.

    Returns
    -------
    Attack
        Of the half that betrays more: which of its n reports are ruled out, their count and their rate.

    Examples
    --------
    >>> from ldp_lib.privacy import CellLaplace
    >>> pair = ((0.1,), 1), ((0.9,), 1)
    >>> [betrayal_attack(CellLaplace(1.0, 0.25, noise=noise), *pair, n=200, rng=1).rate > 0.5
    ...  for noise in ("real", "lattice")]
    [True, False]
    """
    people = record_pair(mechanism, record_a, record_b)
    n = whole("n", n)
    require_memory(f"An attack on n = {n:,} reports", 96.0 * n * mechanism.K, "Lower n.")
    rng = generator(rng, secure=True)
    samples, others = reports(mechanism, people, 0, n, rng), reports(mechanism, people, 1, 1, rng)
    attacks = []
    for half, sample, other in zip(halves(mechanism), samples, others, strict=True):
        true, wrong = (_excludes(sample, signal, mechanism) for signal in signals(mechanism, people, half))
        # Numbers of another type have other bits.
        attacks.append(_attack((wrong | (sample.dtype != other.dtype)) & ~true))
    return max(attacks, key=lambda attack: attack.count)


def _excludes(sample, signal, mechanism):
    """Which reports of the sample, (n, K), cannot come from this signal, (K,), by any attack."""
    excluded = zero_attack(sample, signal).ruled_out.any(axis=1)
    for columns, noise in told(mechanism, "noise_laws"):
        excluded |= reachability_attack(sample[:, columns], signal[columns], noise).ruled_out.any(axis=1)
        some = np.flatnonzero(signal[columns]) + columns.start
        if some.size:
            excluded |= precision_attack(sample[:, some], signal[some]).ruled_out.any(axis=1)
    return excluded

"""What the bits of a report give away with certainty, whatever its law on paper.

Two attacks look at one output z = x + noise (Mironov, 2012), compare it with a guess of x, and rule the guess
out only if the computer cannot print z from it; a third looks at products z = x * factor, whose zeros keep
the sign of x. So they never err; what counts is how often they succeed. Privacy in the sense of the
definition is lost as soon as one output has this fate: its log-likelihood ratio is infinite. All of them
compare bits: the numbers 0.0 and -0.0 are equal, and the bits are not.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, numeric, require_memory, whole
from ldp_lib.privacy.mechanism import (
    Mechanism, check_mechanism, halves, record_pair, reports, signals, told,
)
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
    values = numeric(name, values)
    if not values.size or not np.isfinite(values).all():
        raise ValueError(f"{name} has {'no entry' if not values.size else 'a NaN or an infinity'}; "
                         "it must hold finite numbers, at least one.")
    return values


def _aligned(outputs, guess):
    outputs, guess = _finite("outputs", outputs), _finite("guess", guess)
    try:
        return np.broadcast_arrays(outputs, guess)
    except ValueError as error:
        raise ValueError(f"outputs and guess have shapes {outputs.shape} and {guess.shape}; give one guess, "
                         "or one for each output.") from error


def reachability_attack(outputs: ArrayLike, guess: ArrayLike, noise: LatticeLaplace | RealLaplace) -> Attack:
    """Which `outputs` cannot be `guess` plus a draw of `noise`, bit for bit? Returns an `Attack`.

    outputs : floats of any shape.  guess : floats that broadcast against them, the inputs in question.
    noise : the `RealLaplace` or `LatticeLaplace` that was added, its parameters and code being public.

    `numpy.random.Generator.laplace` draws U = k 2^-53 and returns -b log((2 - U) - U) if U >= 1/2 and b log(2
    U) below: 2^53 values out of the many more floats. The attack inverts the formula, tries the few k that
    rounding could hide, and compares. On the lattice it asks whether the difference is a multiple of the
    step.
    """
    outputs, guess = _aligned(outputs, guess)
    if isinstance(noise, LatticeLaplace):
        lattice = [np.mod(values, noise.granularity) for values in (outputs, guess)]
        # A sum of which one term is no -0.0 is none either, and no draw is.
        return _attack((lattice[0] != lattice[1]) | negative_zero(outputs))
    if not isinstance(noise, RealLaplace):
        raise TypeError(f"noise = {noise!r:.60} is a {type(noise).__name__}; it must be a RealLaplace or a "
                        "LatticeLaplace, such as the `noise` of a mechanism.")
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
    """Which `outputs` have too fine a last bit to come from the non-zero `guess`? Returns an `Attack`.

    outputs : floats of any shape.  guess : floats that broadcast against them, none 0.

    Let u be half the distance from |x| to the next float. Noise of at least |x| / 2 is a multiple of u, and
    with less the sum exceeds |x| / 2 and is rounded to multiples of u. So every z = x + noise is a multiple
    of u, whatever the law of the noise, and a z that is none proves that x was not the input: if it was 0 or
    x, it was 0.
    """
    outputs, guess = _aligned(outputs, guess)
    if (guess == 0).any():
        raise ValueError("guess = 0 forces no resolution on an output; try a non-zero input, such as 1.0.")
    return _attack(np.mod(outputs, np.spacing(np.abs(guess)) / 2) != 0)


def zero_attack(outputs: ArrayLike, guess: ArrayLike) -> Attack:
    """Which `outputs` are zeros with the wrong sign to be a product with `guess`? Returns an `Attack`.

    outputs : numbers of any shape.  guess : numbers that broadcast against them.

    0.0 times a negative number is -0.0, which is equal to 0.0 and has other bits. No sum of other numbers is
    -0.0. So a report that holds one was multiplied by something negative: where that is the signal, a guess
    that is not negative is ruled out.
    """
    outputs, guess = _aligned(outputs, guess)
    return _attack(negative_zero(outputs) & ~np.signbit(guess))


def negative_zero(values):
    """Where an array holds -0.0."""
    return (values == 0) & np.signbit(values)


def identification_attack(reports: ArrayLike, candidates: ArrayLike,
                          noise: LatticeLaplace | RealLaplace) -> Identification:
    """Which of the `candidates` sent each report? Reachability of every entry; returns an `Identification`.

    reports : (n, K).  candidates : (m, K), what the people in question publish without noise, for example
    numpy.eye(64) for a record in one of 64 cells.  noise : what was added to every entry.
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

    A record is a pair (x, y), or x for mechanisms without labels. All attacks try every entry. Whoever rules
    out the truth as well has been misled about the noise, and such a report does not count. Returns an
    `Attack` on the half that betrays more.
    """
    check_mechanism(mechanism)
    n = whole("n", n)
    require_memory(f"An attack on n = {n:,} reports", 96.0 * n * mechanism.K, "Lower n.")
    people = record_pair(mechanism, record_a, record_b)
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

"""What a report says besides its number: its bits, and the random bytes, hence the time, that it took.

Over every mechanism that the library exports, and with mechanisms that leak, which must be found out.
"""

import inspect
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_lib import privacy
from ldp_lib._arguments import OperatingSystem
from ldp_lib.privacy import (
    CellLaplace, CellSigns, CubeLaplace, DyadicBit, HadamardBit, LatticeLaplace, SetQuestion, SignedSubset,
    SubsetSelection, WaveletLaplace, stability_histogram,
)
from ldp_lib.privacy.attacks import negative_zero
from ldp_lib.privacy.audit import betrayal_attack, epsilon_lower_bound, reachability_attack, zero_attack
from ldp_lib.privacy.central import noisy_votes
from ldp_lib.privacy.mutants import MUTANTS, SignOfAZero
from ldp_lib.privacy.registry import REGISTRY

EXPORTED = {kind for kind in map(vars(privacy).get, privacy.__all__)
            if hasattr(kind, "privatize") and not inspect.isabstract(kind)}
LOCAL = [mechanism for mechanism in (honest.build(1.0, 0.3) for honest in REGISTRY)
         if type(mechanism) in EXPORTED]
RESPONSES = [HadamardBit(1.0, 0.25), HadamardBit(0.001, 0.2), DyadicBit(1.0, 2), DyadicBit(8.0, 1, 2),
             *(SignedSubset(alpha, 0.2, size=size) for alpha in (1e-3, 1.0, 40.0) for size in range(1, 6)),
             SignedSubset(1.0, 1.0), SignedSubset(3.0, 0.3, 2), SignedSubset(2.0, 1 / 64),
             *(SubsetSelection(alpha, 0.2, size=size) for alpha in (1e-3, 40.0) for size in (1, 3, 4)),
             *(kind(alpha, 0.2) for kind in (CellSigns, SetQuestion) for alpha in (1e-3, 40.0))]
SUBJECTS = [*LOCAL, CubeLaplace(0.3, 0.4, 2), CellLaplace(3.0, 0.4, 2), CellLaplace(1.0, 1 / 64),
            WaveletLaplace(1.0, "db2", 3), WaveletLaplace(1.0, "sym4", 2, "by_level"), *RESPONSES]
PLACES = (-0.1, 0.0, 0.1, 0.25, 0.3, 0.6, 0.8, 1.0, 1.7)


def records(mechanism):
    """One-person arguments of `privatize`: places on lines, inside and outside, with both labels."""
    if not mechanism.labelled:
        return [(np.array([x]),) for x in PLACES]
    return [(np.full((1, mechanism.d), x), np.array([y])) for x, y in itertools.product(PLACES, (0, 1))]


def test_every_exported_mechanism_is_attacked():
    """`REGISTRY` is what the audits, the attacks, the laboratory and the tests below run over."""
    assert len(EXPORTED) >= 6 and {type(mechanism) for mechanism in LOCAL} == EXPORTED


@pytest.mark.parametrize("mechanism", SUBJECTS, ids=str)
def test_zeros_have_no_sign_and_all_records_one_type(mechanism):
    types = set()
    for people in records(mechanism):
        crowd = [np.repeat(part, 200, axis=0) for part in people]
        reports = mechanism.privatize(*crowd, rng=1)
        # A zero with a sign would be other bits for the same number.
        assert (reports + reports.dtype.type(0)).tobytes() == reports.tobytes()
        types.add((reports.dtype, reports.flags.c_contiguous))
        sums = mechanism.simulate_aggregate(*crowd, rng=1).totals
        assert not negative_zero(sums).any() and "-0.0" not in json.dumps(sums.tolist())
    assert len(types) == 1


@given(st.integers(0, 2**32), st.integers(1, 4), st.floats(0.5, 6.0))
def test_reports_of_signed_subsets_are_whole_numbers(seed, size, alpha):
    mechanism = SignedSubset(alpha, 0.25, size=size)
    reports = mechanism.privatize(np.full((50, 1), 0.4), np.zeros(50), rng=seed)
    assert reports.dtype == np.int8 and (np.abs(reports).sum(axis=1) == size).all()
    assert set(reports.tobytes()) <= {0, 1, 255}


def test_curators_publish_zeros_without_a_sign():
    votes = noisy_votes(np.tile([-1.0, -0.0, 0.0, 1.0], 50_000), 2.0**9, rng=1)
    assert (votes == 0).any() and not negative_zero(votes).any()
    noise = LatticeLaplace(2.0**-9)
    for draws in (noise.sample(200_000, 1), noise.sample_sum(3, 200_000, 1)):
        assert (draws == 0).any() and not negative_zero(draws).any()
    assert not negative_zero(stability_histogram(np.arange(50_000) % 40, 1.0, 1e-6, rng=1)).any()


def test_the_sign_of_a_zero_is_found_out():
    """Reports that are equal as numbers, and tell the sender's cell and label."""
    mutant, honest = SignOfAZero(3.0, 0.1, size=1), SignedSubset(3.0, 0.1, size=1)
    people = np.full((1000, 1), 0.13), np.zeros(1000)
    reports, right = (mechanism.privatize(*people, rng=1) for mechanism in (mutant, honest))
    signed = negative_zero(reports)
    assert (reports == right).all() and signed[:, 1].sum() == signed.sum() > 300
    record_a, record_b = ((0.13,), 0), ((0.77,), 1)
    assert betrayal_attack(mutant, record_b, record_a, n=1000, rng=1).count == 0
    for other in (record_b, ((0.77,), 0), ((0.13,), 1)):
        # The attack is certain; the bound is wrong with probability 1e-6, and far above alpha.
        assert betrayal_attack(mutant, record_a, other, n=1000, rng=1).count > 400
        assert betrayal_attack(honest, record_a, other, n=1000, rng=1).count == 0
        bound = epsilon_lower_bound(mutant, record_a, other, n=20_000, rng=1)
        assert bound.epsilon > 5 and bound.event.endswith((" 0", " -0"))
        assert epsilon_lower_bound(honest, record_a, other, n=20_000, rng=1).epsilon <= 3
    assert "audit" in next(mutant.caught_by for mutant in MUTANTS if mutant.name == "sign of a zero")


def test_zeros_are_compared_by_their_bits():
    assert zero_attack([-0.0, -0.0, -0.0, 0.0, -1.0], [0.0, 0.5, -0.5, 0.5, 0.5]).ruled_out.tolist() == [
        True, True, False, False, False]
    for noise in (LatticeLaplace(2.0**-9), privacy.RealLaplace(1.0)):
        draws = noise.sample(500, np.random.default_rng(1))
        assert reachability_attack(np.full(3, -0.0), [0.0, 0.5, -0.5], noise).count == 3
        assert reachability_attack(draws, 0.0, noise).count == 0
        assert reachability_attack(0.5 + draws, 0.5, noise).count == 0


class TypeOfTheLabel(SignedSubset):
    """Whole numbers for one label, floats for the other; all of them are equal."""

    def privatize(self, X, y, *, rng):
        reports = super().privatize(X, y, rng=rng)
        return reports if np.all(y) else reports.astype(float)


def test_the_type_of_a_number_is_found_out():
    mutant = TypeOfTheLabel(1.0, 0.25)
    record_a, record_b = ((0.1,), 1), ((0.1,), 0)
    bound = epsilon_lower_bound(mutant, record_a, record_b, n=1000, rng=1)
    assert bound.epsilon == np.inf and "float64" in bound.event
    assert betrayal_attack(mutant, record_a, record_b, n=100, rng=1).count == 100


class Watched(OperatingSystem):
    """A source that can be set to a start, and notes how many bytes are read, and in which order."""

    def __init__(self, seed):
        self.stream, self.read = np.random.default_rng(seed), []

    def bytes(self, length):
        self.read.append(length)
        return self.stream.bytes(length)


def readings(mechanism, people, seed):
    """What each way to report reads from the same source: lists of lengths."""
    for way in ("privatize", "privatize_blocks", "send"):
        if hasattr(mechanism, way):
            source = Watched(seed)
            sent = getattr(mechanism, way)(*people, rng=source)
            list(sent)
            yield way, tuple(source.read)


@pytest.mark.parametrize("mechanism", SUBJECTS, ids=str)
def test_what_is_read_from_a_source_does_not_depend_on_the_record(mechanism):
    """Thirty sources: many of them send lattice noise, whose bits are looked up, on its slow path."""
    slow = False
    for seed in range(30):
        read = {tuple(readings(mechanism, people, seed)) for people in records(mechanism)}
        assert len(read) == 1
        slow |= any(len(lengths) > 1 for _, lengths in read.pop())
    assert slow or isinstance(mechanism, SetQuestion), "a coin alone is one reading"
    # Three people of different kinds, against three of one kind.
    if hasattr(mechanism, "shape"):
        everybody = np.random.default_rng(1).random((3, mechanism.d))
        crowds = [people[:1 + mechanism.labelled]
                  for people in ((everybody, np.array([0, 1, 1])), (everybody * 0, np.zeros(3)))]
        assert len({tuple(readings(mechanism, crowd, 5)) for crowd in crowds}) == 1


@pytest.mark.parametrize("mechanism", RESPONSES, ids=str)
def test_responses_read_the_same_amount_whatever_is_drawn(mechanism):
    """A word is redrawn with odds below 2^-50 here: none of these is."""
    people = records(mechanism)[0]
    amounts = {sum(lengths) for seed in range(300) for _, lengths in readings(mechanism, people, seed)}
    assert len(amounts) == 1


class StopsEarly(SignedSubset):
    """Draws the cells of others only where her own is not sent, as one would write it first."""

    def _drawn(self, own, sign, source):
        if self._coin.toss(1, source).all():
            return own, sign
        return super()._drawn(own, sign, source)


def test_reading_less_for_the_truth_is_found_out():
    mutant = StopsEarly(3.0, 0.05, size=1)
    people = records(mutant)[0]
    assert len({sum(lengths) for seed in range(100) for _, lengths in readings(mutant, people, seed)}) == 2
    with pytest.raises(AssertionError):
        test_responses_read_the_same_amount_whatever_is_drawn(mutant)


class ReadsByTheLabel(HadamardBit):
    """One more byte for the label 1."""

    def _send(self, cells, y, source):
        source.bytes(1 + int(y.sum()))
        return super()._send(cells, y, source)


def test_reading_by_the_record_is_found_out():
    with pytest.raises(AssertionError):
        test_what_is_read_from_a_source_does_not_depend_on_the_record(ReadsByTheLabel(1.0, 0.25))


@pytest.mark.parametrize("size", [1, 2, 5, 9, 10])
def test_compact_and_dense_reports_are_the_same(size):
    mechanism = SignedSubset(2.0, 0.1, size=size)
    X, y = np.random.default_rng(1).random((500, 1)), np.arange(500) % 2
    cells, signs = mechanism.send(X, y, rng=3)
    assert cells.shape == signs.shape == (500, size) and (cells.dtype, signs.dtype) == (np.int32, np.int8)
    # The order of the cells is that of their numbers: it cannot say which one is the sender's.
    assert (np.diff(cells, axis=1) > 0).all()
    dense = mechanism.privatize(X, y, rng=3)
    assert (np.take_along_axis(dense, cells, axis=1) == signs).all()
    assert (np.abs(dense).sum(axis=1) == size).all()
    collected, aggregated = mechanism.collect(cells, signs), mechanism.aggregate(dense)
    assert collected.people == aggregated.people == 500 and collected.mechanism == aggregated.mechanism
    assert collected.totals.tobytes() == aggregated.totals.tobytes()
    assert collected.totals.tobytes() == mechanism.simulate_aggregate(X, y, rng=3).totals.tobytes()
    assert mechanism.collect(cells.tolist(), signs.tolist()).totals.tobytes() == collected.totals.tobytes()


@pytest.mark.parametrize("cells, signs, names", [
    ([[0, 1]], [[1, 2]], "signs must be 1 or -1"), ([[0, 0]], [[1, 1]], "ascending"),
    ([[1, 0]], [[1, 1]], "ascending"), ([[0, 9]], [[1, 1]], "illegal entry in row 0.* at most 4"),
    ([[0]], [[1]], r"must be \(n, 2\)"), ([0, 1], [1, 1], r"cells has shape \(2,\)"),
    (np.zeros((0, 2)), np.zeros((0, 2)), "n >= 1"), ([[0, 1]], [[1]], r"signs has \(1, 1\)"),
    ([[0, 1]], 1, "signs has"),
])
def test_what_nobody_sent_is_refused(cells, signs, names):
    with pytest.raises(ValueError, match=names):
        SignedSubset(1.0, 0.2, size=2).collect(cells, signs)


class Stranger:
    """A mechanism that inherits nothing: X and y on two cells, and the noise is forgotten for one label."""

    alpha, K, d = 1.0, 2, 1

    def __init__(self, honest):
        self.honest, self.inner = honest, CellLaplace(1.0, 0.5)

    def encode(self, X, y):
        return self.inner.encode(X, y)

    def privatize(self, X, y, *, rng):
        reports = self.inner.privatize(X, y, rng=rng)
        return reports if self.honest else np.where(np.asarray(y)[:, None] == 1, self.encode(X, y), reports)


@pytest.mark.parametrize("honest", [True, False])
def test_a_stranger_is_audited_and_attacked(honest):
    """Whoever wants to know what her own class tells need not inherit; false alarm 1e-6."""
    people = ((0.1,), 1), ((0.1,), 0)
    bound = epsilon_lower_bound(Stranger(honest), *people, n=4000, rng=1)
    assert (bound.epsilon > 1) == (not honest)
    assert betrayal_attack(Stranger(honest), *people, n=500, rng=1).count == 0, "both reach the lattice"

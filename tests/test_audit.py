"""Exact trade-offs agree with enumeration; the audit and the attacks reject what is broken, and nothing
else."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from ldp_lib.privacy import (
    CubeLaplace, HadamardBit, LatticeLaplace, RealLaplace, SubsetSelection, WaveletLaplace,
)
from ldp_lib.privacy.audit import (
    _limit,
    betrayal_attack,
    epsilon_lower_bound,
    identification_attack,
    precision_attack,
    privacy_loss_distribution,
    reachability_attack,
    trade_off,
    worst_pair,
)
from ldp_lib.privacy.mutants import MUTANTS, audit_table
from ldp_lib.privacy.registry import PLACES, RECORDS, REGISTRY

OUTPUTS = 100_000


def test_loss_distribution_against_enumeration():
    mechanism = CubeLaplace(alpha=2.0, h=0.4, d=1)
    a, b = (0.1, 1), (0.95, 1)
    law = privacy_loss_distribution(mechanism, a, b)
    assert law.under_a.sum() == pytest.approx(1) and law.under_b.sum() == pytest.approx(1)
    assert np.allclose(np.log(law.under_a / law.under_b), law.loss)
    assert law.loss.max() == pytest.approx(mechanism.privacy_loss(*a, *b))
    # Direct simulation of the loss of reports from a: mean within 6 standard errors (1e-8).
    signals = mechanism.encode([[0.1], [0.95]], [1, 1], half=2)
    z = signals[0] + mechanism.noise.sample((100_000, mechanism.K), np.random.default_rng(0))
    loss = (np.abs(z - signals[1]) - np.abs(z - signals[0])).sum(axis=1) / mechanism.scale
    assert abs(loss.mean() - law.loss @ law.under_a) < 6 * loss.std() / np.sqrt(loss.size)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("alpha", [0.1, 1.0, 8.0])
def test_trade_off_obeys_both_lines_and_touches_them(d, alpha):
    mechanism = CubeLaplace(alpha, 0.3, d)
    level, power = trade_off(mechanism, ([0.1] * d, 1), ([0.8] * d, 1))
    assert (np.diff(level) >= 0).all() and (np.diff(power) >= 0).all()
    assert level[-1] == pytest.approx(1, abs=1e-12) and power[-1] == pytest.approx(1, abs=1e-12)
    assert (power <= np.exp(alpha) * level + 1e-12).all()
    assert (1 - level <= np.exp(alpha) * (1 - power + 1e-12)).all()  # 1e-12: the rounding of 1 - power
    assert power[1] == pytest.approx(np.exp(alpha) * level[1], rel=1e-9)


REFUTABLE = [mutant for mutant in MUTANTS if "audit" in mutant.caught_by]


@pytest.mark.parametrize("alpha", [0.5, 2.0])
@pytest.mark.parametrize("mutant", REFUTABLE, ids=lambda mutant: mutant.name)
def test_mutants_are_refuted_by_the_audit(mutant, alpha):
    """Seeded; with other seeds a mutant passes with probability 1e-6 at most."""
    assert epsilon_lower_bound(mutant.build(alpha, 0.3), *mutant.records, n=60_000,
                               rng=8).epsilon > alpha * 1.1


def test_the_order_of_the_records_does_not_matter():
    forgetful = next(mutant for mutant in MUTANTS if mutant.name == "sometimes forgets")
    assert epsilon_lower_bound(forgetful.build(1.0, 0.3), *RECORDS[::-1], n=60_000, rng=8).epsilon > 2


HONEST_ONES = {mutant.name: mutant for mutant in REGISTRY} | {
    "float": REGISTRY[0]._replace(kind=lambda alpha, h: CubeLaplace(alpha, h, noise="real"))}


@pytest.mark.parametrize("name", HONEST_ONES)
@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_honest_mechanisms_are_never_rejected(name, alpha):
    """A bound above alpha has probability at most 1e-6 a case; that it exceeds 0.4 alpha is power, and
    seeded."""
    honest = HONEST_ONES[name]
    bound = epsilon_lower_bound(honest.build(alpha, 0.3), *honest.records, n=60_000, rng=8)
    assert bound.epsilon <= alpha and bound.failure_probability <= 1.1e-6
    assert bound.epsilon > 0.4 * alpha


class LabelsTwice(HadamardBit):
    """A signed cell: the own one has odds e^alpha, the opposite one e^-alpha, all others 1."""

    def privatize(self, X, y, *, rng):
        K = HadamardBit.encode(self, X[:1], y[:1]).shape[1]
        self.K = K
        cell, sign = np.floor(X[:, 0] * K).astype(int), 2 * y - 1
        weights = np.ones((len(X), 2 * K))
        weights[np.arange(len(X)), 2 * cell + (sign > 0)] = math.exp(self.alpha)
        weights[np.arange(len(X)), 2 * cell + (sign < 0)] = math.exp(-self.alpha)
        drawn = weights.sum(axis=1, keepdims=True) * rng.random((len(X), 1))
        sent = (weights.cumsum(axis=1) < drawn).sum(axis=1)
        made = np.zeros((len(X), K))
        made[np.arange(len(X)), sent // 2] = 2 * (sent % 2) - 1
        return made


def most_told(mechanism, people, n=20_000):
    """The largest bound of the audits of all pairs of `people`."""
    return max(epsilon_lower_bound(mechanism, *pair, n=n, rng=8).epsilon
               for pair in itertools.combinations(people, 2))


EVERYBODY = [((x,), label) for x in PLACES for label in (0, 1)]
"""Two places, both labels."""


@pytest.mark.parametrize("specimen", [each for each in REGISTRY if each.records != PLACES],
                         ids=lambda each: each.name)
def test_no_two_people_with_any_labels_are_told_apart_by_more(specimen):
    """The records of a specimen are those that its author thinks of; false alarms below 12e-6."""
    for alpha in (0.5, 2.0):
        assert most_told(specimen.build(alpha, 0.3), EVERYBODY) <= alpha


def test_labels_of_one_place_that_tell_twice_as_much_are_found():
    mechanism = LabelsTwice(1.0, 0.25)
    assert epsilon_lower_bound(mechanism, *RECORDS, n=20_000, rng=8).epsilon < 1
    assert most_told(mechanism, EVERYBODY) > 1.5


class TellsOne(HadamardBit):
    """One entry of many is always the label."""

    def privatize(self, X, y, *, rng):
        made = super().privatize(X, y, rng=rng)
        made[:, 50] = 2 * y - 1
        return made


def test_one_entry_of_many_that_tells_is_found():
    """All others are fair coins, whose medians jump by chance."""
    for seed in range(6):
        bound = epsilon_lower_bound(TellsOne(1.0, 1 / 64), ((0.01,), 1), ((0.01,), 0), n=10_000, rng=seed)
        assert bound.epsilon > 5 and bound.event.startswith("entry 50")


@pytest.mark.parametrize("made", [
    lambda X: (2**60 + (X > 0.5)).astype(np.int64), lambda X: X + 1j, lambda X: X.astype(object)])
def test_reports_of_which_floats_do_not_hold_every_bit_are_refused(made):
    class Plain:
        K = 1

        def encode(self, X):
            return np.asarray(X, float).reshape(-1, 1)

        def privatize(self, X, *, rng):
            return made(self.encode(X))

    with pytest.raises(ValueError, match="do not hold every bit"):
        epsilon_lower_bound(Plain(), 0.1, 0.9, n=1000, rng=1)


def test_limits_fail_no_more_often_than_they_say():
    """Exactly, by the law of the counts; where one limit is certain the other takes half of the risk."""
    n, confidence = 60, 0.8
    counts, shares = np.arange(n + 1), np.linspace(0.02, 1, 50)
    laws = binom.pmf(counts, n, shares[:, None])
    limits = _limit(counts[:, None], counts, n, confidence)
    failures = np.array([[law_a @ (limits > np.log(a / b)) @ law_b for b, law_b in zip(shares, laws)]
                         for a, law_a in zip(shares, laws)])
    assert failures.max() <= 1 - confidence
    assert failures[:, -1].max() > 0.3 * (1 - confidence)
    lower, upper, share = np.exp(limits[:, n]), np.exp(limits[n, n] - limits[n]), shares[:, None]
    for missed in (lower > share, upper < share):
        assert (laws * missed).sum(axis=1).max() <= (1 - confidence) / 2


def test_bounds_fail_no_more_often_than_they_say():
    """At confidence 1/2 and few reports the limits matter: 200 audits, more than 135 failures have
    probability 4e-7.

    An audit that chose its event on the reports that bound it would fail nearly always.
    """
    mechanism = CubeLaplace(0.2, 0.5)
    records = ((0.1, 1), (0.9, 1))
    spent = mechanism.privacy_loss(0.1, 1, 0.9, 1)
    rng = np.random.default_rng(3)
    failures = sum(epsilon_lower_bound(mechanism, *records, n=200, confidence=0.5, rng=rng).epsilon > spent
                   for _ in range(200))
    assert failures <= 135


def test_the_table_catches_every_mutant_with_its_instrument_and_no_honest_mechanism():
    table = audit_table(1.0, n=60_000, rng=1)
    honest, broken = table[:len(REGISTRY)], table[len(REGISTRY):]
    assert all(trial.caught_by == "" and trial.bound <= 1 and trial.failure_probability <= 1.1e-6
               for trial in honest)
    for mutant, trial in zip(MUTANTS, broken, strict=True):
        assert trial.name == mutant.name and trial.caught_by == mutant.caught_by
    shown = str(table)
    assert shown.count("REFUTED") == len(MUTANTS) and shown.count("not refuted") == len(REGISTRY)


def test_lattice_outputs_betray_nobody():
    for alpha in (0.5, 1.0, 2.0, 8.0):
        noise = LatticeLaplace(2 / alpha)
        draws = noise.sample(OUTPUTS, np.random.default_rng(1))
        for x, guess in ((0.0, 1.0), (1.0, 0.0)):
            assert reachability_attack(x + draws, guess, noise).count == 0
        assert precision_attack(draws, 1.0).count == 0
    assert betrayal_attack(CubeLaplace(1.0, 0.3), *RECORDS, n=OUTPUTS // 10, rng=1).count == 0


@pytest.mark.parametrize("alpha, published", [(0.5, 0.08), (1.0, 0.15), (2.0, 0.27), (8.0, 0.66)])
def test_float_outputs_betray_their_input(alpha, published):
    """A record of 0 and 1 with scale 2/alpha. Rates within 7 standard deviations: 3e-12 a false alarm.

    `exposed` = sum over i >= 1 of (1 - 2^(1-i)) P(2^-i <= |noise| < 2^(1-i)), because noise in that range has
    its last bit at 2^-(i + 52), and outputs of the input 1 are multiples of 2^-53.
    """
    noise, rng = RealLaplace(2 / alpha), np.random.default_rng(1)
    draws = noise.sample(OUTPUTS, rng)
    low = 2.0 ** -np.arange(1, 60)
    exposed = ((1 - 2 * low) * (np.exp(-low / noise.scale) - np.exp(-2 * low / noise.scale))).sum()
    assert round(exposed, 2) == published
    rate = precision_attack(draws, 1.0).rate
    assert abs(rate - exposed) < 7 * np.sqrt(exposed * (1 - exposed) / OUTPUTS)
    assert precision_attack(1 + draws, 1.0).count == 0
    few = draws[:20_000]
    for x, guess in ((0.0, 1.0), (1.0, 0.0)):
        assert reachability_attack(x + few, x, noise).count == 0, "the truth was ruled out"
        assert 0.79 < reachability_attack(x + few, guess, noise).rate < (0.83 if alpha < 8 else 0.96)


def test_the_cell_of_a_float_record_is_identified():
    rng, noise = np.random.default_rng(2), RealLaplace(2.0)
    cells = rng.integers(64, size=2000)
    found = identification_attack(np.eye(64)[cells] + noise.sample((2000, 64), rng), np.eye(64), noise)
    # 7 standard deviations about 0.81.
    assert 0.75 < found.rate < 0.87 and found.count == (found.record >= 0).sum()
    assert (found.record == cells)[found.record >= 0].all()
    safe = LatticeLaplace(2.0)
    assert identification_attack(np.eye(64)[cells] + safe.sample((2000, 64), rng), np.eye(64),
                                 safe).count == 0


@pytest.mark.parametrize("d, h", [(1, 0.2), (1, 0.5), (2, 0.3), (1, 1.5)])
def test_worst_pair_is_the_worst_of_many(d, h):
    mechanism = CubeLaplace(1.0, h, d)
    worst = worst_pair(mechanism)
    assert worst.loss == mechanism.privacy_loss(*worst.record_a, *worst.record_b, half=worst.half)
    rng = np.random.default_rng(0)
    losses = [mechanism.privacy_loss(*(value for _ in range(2) for value in (rng.random(d), rng.integers(2))))
              for _ in range(300)]
    assert max(losses) <= worst.loss <= 1
    if h < 0.5:
        assert worst.loss == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("scales", ["common", "by_level", "scaling_only"])
def test_wavelets_are_audited_by_their_points(scales):
    """The audit's bound stays below the exact loss (1e-6 a false alarm); attacks see float noise and no
    lattice."""
    mechanism = WaveletLaplace(2.0, "db2", 2, scales)
    worst = worst_pair(mechanism)
    records = worst.record_a, worst.record_b
    assert worst.loss == mechanism.privacy_loss(*records) and worst.half is None
    assert worst_pair(mechanism, np.linspace(0, 1, 33)[:, None]).loss <= mechanism.worst_pair().bound
    bound = epsilon_lower_bound(mechanism, *records, n=20_000, rng=1)
    assert 0.15 * worst.loss < bound.epsilon <= worst.loss and not bound.event.startswith("half")
    assert betrayal_attack(mechanism, *records, n=300, rng=1).count == 0
    floats = WaveletLaplace(2.0, "db2", 2, scales, noise="real")
    assert betrayal_attack(floats, *records, n=300, rng=1).count > 200
    with pytest.raises(TypeError, match=r"record_a = \(0.1, 1\) is a tuple"):
        betrayal_attack(mechanism, (0.1, 1), 0.3, n=10, rng=1)


def test_wavelets_of_one_scale_have_an_exact_trade_off():
    mechanism = WaveletLaplace(1.0, "db2", 2, "scaling_only")
    a, b = worst_pair(mechanism)[:2]
    law = privacy_loss_distribution(mechanism, a, b)
    assert law.loss.max() == pytest.approx(mechanism.privacy_loss(a, b), rel=1e-9)
    level, power = trade_off(mechanism, a, b)
    assert (power <= np.exp(1.0) * level + 1e-11).all() and level[-1] == pytest.approx(1, abs=1e-9)
    with pytest.raises(ValueError, match="several noise scales"):
        trade_off(WaveletLaplace(1.0, "db2", 2, "by_level"), a, b)
    with pytest.raises(ValueError, match="half = 1 does not exist"):
        trade_off(mechanism, a, b, half=1)


@pytest.mark.parametrize("bad", [0.1, (0.1,), (0.1, 2), ("a", 1), ((0.1, 0.2), 1)])
def test_bad_records_are_named(bad):
    with pytest.raises((ValueError, TypeError), match="record"):
        trade_off(CubeLaplace(1.0, 0.3), bad, (0.8, 1))


@pytest.mark.parametrize("attack, names", [
    (lambda: reachability_attack([np.nan], 0.0, RealLaplace(1.0)), "outputs = nan is out of range"),
    (lambda: reachability_attack([0.5], 0.0, "real"), "noise = 'real'"),
    (lambda: precision_attack([0.5], 0.0), "guess = 0"),
    (lambda: identification_attack(np.ones((2, 3)), np.eye(2), RealLaplace(1.0)), "shapes"),
])
def test_bad_attacks_are_refused(attack, names):
    with pytest.raises((TypeError, ValueError), match=names):
        attack()


class Shown:
    """A class of one's own that inherits nothing: it shows the label."""

    K = 2

    def encode(self, X, y):
        return np.eye(2)[np.asarray(y)]

    def privatize(self, X, y, *, rng):
        return self.encode(X, y)


def test_a_class_of_ones_own_is_audited_or_told_what_it_lacks():
    pair = ((0.1,), 1), ((0.9,), 0)
    assert epsilon_lower_bound(Shown(), *pair, n=200, confidence=0.9, rng=1).epsilon > 3
    flat = Shown()
    flat.privatize = lambda X, y, *, rng: np.asarray(y) * 1.0
    with pytest.raises(ValueError, match=r"privatize of .* returned the shape .*one report a row"):
        epsilon_lower_bound(flat, *pair, n=200, confidence=0.9, rng=1)
    for exact in (lambda: worst_pair(Shown()), lambda: trade_off(Shown(), *pair)):
        with pytest.raises(TypeError, match="epsilon_lower_bound"):
            exact()


class Silent(HadamardBit):
    """A mechanism that says nothing of its exact losses."""

    disclosure = property()


def test_a_mechanism_without_exact_losses_is_told_what_to_state():
    with pytest.raises(TypeError, match=r"Silent\(.* State `disclosure` if .*`noise_laws`"):
        trade_off(Silent(1.0, 0.3), ((0.1,), 1), ((0.9,), 0))


def test_records_of_several_numbers_without_labels_are_audited():
    mechanism = SubsetSelection(1.0, 0.5, 2)
    pair = worst_pair(mechanism)
    assert pair.loss == 1.0 and np.shape(pair.record_a) == np.shape(pair.record_b) == (2,)
    found = epsilon_lower_bound(mechanism, pair.record_a, pair.record_b, n=20_000, rng=1)
    assert 0.5 < found.epsilon <= 1.0

"""Bits and subsets under the instruments of the audit: exact trade-offs, bounds, attacks, and mutants.

Seeded. Honest mechanisms are rejected with probability at most 1e-6 a case, by the confidence of the bound.
"""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.privacy import CellLaplace, DyadicBit, HadamardBit, SignedSubset
from ldp_lib.privacy.audit import (
    betrayal_attack, epsilon_lower_bound, privacy_loss_distribution, trade_off, worst_pair,
)
from ldp_lib.privacy.exact import ResponseCoin

A, B = ((0.1,), 1), ((0.9,), 1)
RESPONSES = (HadamardBit(1.0, 0.25), DyadicBit(1.0, 2), DyadicBit(0.7, 1, 2), SignedSubset(3.0, 0.25),
             SignedSubset(1.0, 0.2, size=3), SignedSubset(2.0, 1.0))


def subset_loss(mechanism, people):
    """The law of the loss by listing all signed subsets."""
    K, w = mechanism.K, mechanism.size
    cells, y = mechanism.people(*people)
    law = {}
    for chosen in itertools.combinations(range(K), w):
        for signs in itertools.product((-1, 1), repeat=w):
            report = dict(zip(chosen, signs, strict=True))
            mine, other = (report.get(int(c)) == 2 * s - 1 for c, s in zip(cells, y, strict=True))
            loss = mechanism.alpha * (int(mine) - int(other))
            law[loss] = law.get(loss, 0.0) + (math.exp(mechanism.alpha) if mine else 1.0)
    return law


def bit_loss(mechanism, people):
    """The law of the loss by listing all rows and both bits."""
    cells, y = mechanism.people(*people)
    law, odds = {}, math.exp(mechanism.alpha)
    for row in range(mechanism.order):
        signs = [int((2 * s - 1) * mechanism.signs(row, c)) for c, s in zip(cells, y, strict=True)]
        for bit in (-1, 1):
            mine, other = (odds if bit == sign else 1.0 for sign in signs)
            loss = math.log(mine / other)
            law[loss] = law.get(loss, 0.0) + mine / mechanism.row_weights[row]
    return law


@pytest.mark.parametrize("mechanism", RESPONSES, ids=str)
def test_losses_against_enumeration(mechanism):
    places = np.random.default_rng(2).random((4, mechanism.d))
    for (x, y), (x2, y2) in itertools.product(itertools.product(places, (0, 1)), repeat=2):
        people = np.stack([x, x2]), np.array([y, y2])
        listed = (subset_loss if isinstance(mechanism, SignedSubset) else bit_loss)(mechanism, people)
        total = sum(listed.values())
        found = privacy_loss_distribution(mechanism, (tuple(x), y), (tuple(x2), y2))
        assert found.loss.tolist() == [-mechanism.alpha, 0.0, mechanism.alpha]
        for loss, share in zip(found.loss, found.under_a, strict=True):
            near = sum(part for value, part in listed.items() if abs(value - loss) < 1e-9)
            assert share == pytest.approx(near / total, abs=1e-12)
        assert np.allclose(found.under_b, found.under_a[::-1], atol=1e-15)


@pytest.mark.parametrize("mechanism", [*RESPONSES, CellLaplace(1.0, 0.25)], ids=str)
def test_trade_offs_stay_below_both_lines_and_touch_them(mechanism):
    pair = worst_pair(mechanism)
    assert pair.loss == pytest.approx(mechanism.alpha, rel=1e-12)
    level, power = trade_off(mechanism, pair.record_a, pair.record_b)
    factor = math.exp(mechanism.alpha)
    assert (power <= factor * level + 1e-12).all() and (1 - level <= factor * (1 - power) + 1e-11).all()
    assert power[1] == pytest.approx(factor * level[1], rel=1e-9) and level[-1] == pytest.approx(1)


@pytest.mark.parametrize("mechanism", [*RESPONSES[:2], *RESPONSES[3:5], CellLaplace(1.0, 0.25)], ids=str)
def test_honest_mechanisms_are_not_rejected(mechanism):
    """A bound above alpha has probability at most 1e-6 a case; that it exceeds 0.4 alpha is power."""
    bound = epsilon_lower_bound(mechanism, A, B, n=20_000, rng=3)
    assert 0.4 * mechanism.alpha < bound.epsilon <= mechanism.alpha and bound.failure_probability <= 1.1e-6
    assert betrayal_attack(mechanism, A, B, n=1000, rng=3).count == 0


class CoinOfTwiceTheBudget(DyadicBit):
    """The bit is turned over with probability 1 / (e^(2 alpha) + 1)."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._coin = ResponseCoin(2 * self.alpha, 1, 1)


class LevelOfThePlace(DyadicBit):
    """The public row is chosen by the person: fine ones where she lives."""

    def _send(self, cells, y, source):
        rows, bits = super()._send(cells, y, source)
        return np.where(cells > 1, rows | 1, rows), bits


class NoCoinOnTheLeft(HadamardBit):
    """Half of the people send their sign as it is."""

    def _send(self, cells, y, source):
        rows, bits = super()._send(cells, y, source)
        return rows, np.where(cells < self.K // 2, (2 * y - 1) * self.signs(rows, cells), bits)


class TwoAnswers(HadamardBit):
    """Two rows a person, each with the whole budget, sent as their mean."""

    def _reports(self, cells, y, source):
        return (super()._reports(cells, y, source) + super()._reports(cells, y, source)) / 2


class OwnCellOftener(SignedSubset):
    """Odds e^(2 alpha) for the person's own signed cell."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._coin = ResponseCoin(2 * self.alpha, self.size, 2 * self.K - self.size, self.size)


MUTANTS = (CoinOfTwiceTheBudget(1.0, 2), LevelOfThePlace(1.0, 2), NoCoinOnTheLeft(1.0, 0.25),
           TwoAnswers(1.0, 0.25), OwnCellOftener(1.0, 0.25))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: type(mutant).__name__)
def test_mutants_are_rejected(mutant):
    """The bound exceeds the budget by a quarter, and is wrong itself with probability 1e-6."""
    assert epsilon_lower_bound(mutant, A, B, n=20_000, rng=3).epsilon > 1.25 * mutant.alpha

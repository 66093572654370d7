"""*Explore* of notebook 08: every position has its words, and curves have the powers that are said."""

import itertools

import numpy as np
import pytest
from scipy import stats

from ldp_lib.lessons.second_question import explore, numbers
from ldp_lib.lessons.second_question.explore import (
    COINS, PLACES, ROUNDS, compared, everything, laws, plan, power,
)
from ldp_lib.lessons.second_question.numbers import ALPHAS, COUNTS, DELTAS, FACES, PEOPLE, POWER

WAYS = [(1, "private"), (1, "public"), (2, "private")]


def test_every_position_has_its_words():
    count = 0
    for position in itertools.product(*(control.values for control in everything.controls)):
        values = dict(zip((control.name for control in everything.controls), position, strict=True))
        shown = everything(**values)
        assert "nan" not in shown.says and all(words for _, words in shown.numbers)
        assert "no public dice" in shown.says or (values["rounds"], values["coins"]) != (2, "public")
        count += 1
    assert count == len(FACES) * len(ALPHAS) * len(COUNTS) * len(DELTAS) * len(ROUNDS.values) * len(
        COINS.values)


@pytest.mark.parametrize("rounds, coins", WAYS)
def test_areas_are_powers(rounds, coins):
    """What lies right of the edge is the power, as far as curves are limits: to .03 from 16 faces on."""
    step = PLACES[1] - PLACES[0]
    for K, n in itertools.product((16, 64, 256), COUNTS):
        fair, unfair, edge = laws(K, 1.0, 0.5, n, rounds, coins)
        assert fair.sum() * step == pytest.approx(1, abs=0.002)
        if unfair.sum() * step > 0.999:     # all of it is on the axis
            said, _ = power(K, 1.0, 0.5, n, plan(rounds, coins))
            assert unfair[edge <= PLACES].sum() * step == pytest.approx(said, abs=0.03)


def test_one_rounds_power_is_the_noncentral_tail():
    for K, n in ((4, 500), (64, 10_607), (256, 100_000)):
        each = explore.subset_noncentrality(numbers.tilted_die(K, 0.5), 1.0)
        tail = stats.ncx2.sf(stats.chi2.isf(0.05, K - 1), K - 1, n * each)
        assert POWER[K, 1.0, 0.5, n][0] == pytest.approx(tail, abs=1e-4)


def test_powers_grow_with_people_and_people_with_faces():
    for K, alpha, delta in itertools.product(FACES, ALPHAS, DELTAS):
        rows = np.array([POWER[K, alpha, delta, n] for n in COUNTS])
        # Counts are whole, so that exact powers of few people go up in teeth.
        assert (np.diff(rows[:, :4], axis=0) > -0.03).all() and (np.diff(rows[:, 4]) >= 0).all()
    people = np.array([[[PEOPLE[K, alpha, delta] for K in FACES] for alpha in ALPHAS] for delta in DELTAS])
    assert (np.diff(people[..., [0, 1, 2, 4, 5]], axis=2) > 0).all(), "more faces, more people"
    assert (np.diff(people, axis=1) < 0).all() and (np.diff(people, axis=0) < 0).all()
    nobody, even, subset, walsh, dice, two = np.moveaxis(people, -1, 0)
    assert (nobody < np.minimum(np.minimum(subset, walsh), np.minimum(dice, two))).all()
    assert (even < subset).all() and (even < walsh).all()


def test_who_needs_fewer_people_is_said_as_the_table_has_it():
    for K, alpha, delta in PEOPLE:
        _, _, subset, _, dice, two = PEOPLE[K, alpha, delta]
        for coins, one in (("private", subset), ("public", dice)):
            words, factor = compared(K, alpha, delta, coins)
            if abs(one / two - 1) < 0.04:
                assert words == "both need about as many"
                continue
            assert words.startswith("two rounds") == (one > two)
            assert words.startswith("one round" if coins == "private" else "public dice") == (one < two)
            assert float(factor.replace(",", "")) == pytest.approx(one / two, rel=0.05)

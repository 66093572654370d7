"""Exercises 04.6 to 04.8 recognise every mistake of their tables; what they say of it is true."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.lessons.assouad.exercises import DUEL, HIDERS
from ldp_lib.live import EXERCISES, check
from ldp_lib.theory.classification.game import Game, challenge

E = math.e
NAMES = ("04.6", "04.7", "04.8")


def response(alpha):
    """Randomised response on the label inside, a fair coin outside."""

    def mechanism(inside, y):
        one = 1 / (1 + math.exp(-alpha)) if y else 1 / (1 + math.exp(alpha))
        return [one, 1 - one] if inside else [0.5, 0.5]

    return mechanism


def clear(inside, y):
    return [1.0, 0.0] if inside and y else [0.0, 1.0]


def cell_only(inside, y):
    return [E / (1 + E), 1 / (1 + E)] if inside else [1 / (1 + E), E / (1 + E)]


def low(inside, y):
    return [E / (1 + E), 1 / (1 + E)] if inside and y else [1 / (1 + E), E / (1 + E)]


def three(inside, y):
    said = (1 - y) if inside else 2
    return [(E if output == said else 1) / (E + 2) for output in range(3)]


def cells(q, m=None):
    """As many signs as the class allows, or m, and their mass, for any n."""

    def hide(n):
        signs = m or min(q, math.floor(math.sqrt(8 * q) + 1e-9))
        return q, signs, min(2 / math.sqrt(8 * q), 1) / (min(q, math.floor(math.sqrt(8 * q) + 1e-9)))

    return hide


def hide(n):
    q = round(8 * (n / 10**6) ** 0.25)
    m = min(q, math.floor(math.sqrt(8 * q)))
    return q, m, 2 / math.sqrt(8 * q) / m


# What a student writes, and words that only its own feedback has.
MISTAKES = [
    ("04.6", clear, "impossible for somebody"), ("04.6", cell_only, "The sign is in the label"),
    ("04.6", response(0.5), "half of the budget"), ("04.6", response(1.0), "say “low” at no cost"),
    ("04.7", clear, "impossible for somebody"), ("04.7", cell_only, "The sign is in the label"),
    ("04.7", response(0.5), "half of the budget"), ("04.7", low, "Use a third output"),
    ("04.8", cells(4), "everybody sees it"), ("04.8", cells(64), "worth nothing"),
    ("04.8", cells(8, 1), "each of them costs"), ("04.8", cells(8), "must fall with n"),
    ("04.9", 8, "features are protected"), ("04.9", 5, "Too tall"), ("04.9", 40, "Well hidden"),
    ("04.10", 2, "77% of it"), ("04.10", 4, "without privacy"),
]
RIGHT = [("04.9", 20, "4.0 times"), ("04.9", 16, ""), ("04.10", 6.3, "18% of it"),
         ("04.6", low, "1.467"), ("04.6", three, "1.404 times the bound. Best known here"),
         ("04.7", three, "1.404"), ("04.8", hide, "1.000, 1.000, 1.000")]


def test_scores_of_the_duel_are_those_of_the_table():
    """Randomised response, half its budget, a bit about the cell, a bit high for one record, three."""
    for mechanism, score in ((response(1.0), 1.606), (response(0.5), 2.795), (cell_only, 4.447), (low, 1.467),
                             (three, 1.404)):
        found = challenge(mechanism, DUEL)
        assert found.risk / found.bound == pytest.approx(score, abs=5e-4)
    assert DUEL.bound() == pytest.approx(0.00703, abs=5e-6)
    assert "It spends a budget of inf" in check("04.6", clear).text
    assert "It spends a budget of 1.5" in check("04.6", response(1.5)).text


def test_no_extreme_mechanism_with_three_outputs_beats_the_best_known():
    """All at the corners: an output is e times as likely for some of the three kinds of records."""
    patterns, found = list(itertools.product((1.0, E), repeat=3)), []
    for chosen in itertools.combinations(patterns, 3):
        outputs = np.array(chosen).T
        weights = np.linalg.lstsq(outputs, np.ones(3), rcond=None)[0]
        rows = outputs * weights
        if (weights < 1e-9).any() or not np.allclose(rows.sum(axis=1), 1):
            continue
        result = challenge(lambda inside, y: rows[y if inside else 2].tolist(), DUEL)
        found.append(result.risk / result.bound)
    assert len(found) > 1 and min(found) == pytest.approx(1.404, abs=5e-4)


def test_areas_of_the_hider_are_those_of_the_table():
    n = 10**6
    for answer, area, hidden in ((cells(4), 5.69e-6, 0.0005), (cells(64), 0.00017, 0.992),
                                 (cells(8), 0.00210, 0.5385)):
        game = Game(n, 1.0, *answer(n))
        assert game.bound() == pytest.approx(area, rel=0.02)
        assert game.bound() / game.coin == pytest.approx(hidden, abs=1e-3)
    one = Game(n, 1.0, 8, 1, 1 / 32)
    assert one.bound() == pytest.approx(0.00026, abs=5e-6), "an eighth of 0.00210"


def test_a_hypercube_must_be_in_the_class():
    assert "m w may be 0.25" in check("04.8", lambda n: (8, 8, 0.05)).text
    assert "w must be at least 0.03125" in check("04.8", lambda n: (8, 8, 0.02)).text
    assert "fails" in check("04.8", lambda n: (8, 9, 0.01)).text
    assert len(HIDERS) == 3


@pytest.mark.parametrize("exercise", NAMES)
def test_strange_answers_are_told_and_no_mistake_is_claimed(exercise):
    for odd in ("2", [], 3.0, lambda **names: 1 / 0, lambda **names: float("nan"), lambda **names: [0.5, 0.4],
                lambda **names: (1, 2)):
        assert not check(exercise, odd).right and EXERCISES[exercise].feedback(odd) == ""

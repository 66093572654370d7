"""Exercises 01.7 to 01.9 recognise every mistake of their tables; what they say of it is true."""

import numpy as np
import pytest

from ldp_lib.lessons.ldp_check.exercises import AUDITED, FIRST, PAIRS, REPAIRED, SECOND
from ldp_lib.live import check
from ldp_lib.privacy import CubeLaplace, LatticeLaplace
from ldp_lib.privacy.audit import reachability_attack

GRID = np.arange(6) * 0.2


def arrays(x, y):
    """The arrays of people, from the definition."""
    return (np.abs(x[:, None] - GRID) < 0.2) * y[:, None]


def noisy(change):
    """A mechanism that sends what `change` makes of arrays, of lattice noise, and of a generator."""

    def mechanism(x, y, rng):
        array = arrays(x, y)
        return change(array, LatticeLaplace(4.0).sample(array.shape, rng), rng)

    return mechanism


def bare(array, noise, rng):
    return np.where(array != 0, array + noise, 0)


def clipped(array, noise, rng):
    return array + np.clip(noise, -20, 20)


def one_draw(array, noise, rng):
    return array + noise[:, :1]


def floats(array, noise, rng):
    return array + rng.laplace(0, 4, array.shape)


def textbook(array, noise, rng):
    U = rng.random(array.shape) - 0.5
    return array - 4 * np.sign(U) * np.log1p(-2 * np.abs(U))


def rounded(array, noise, rng):
    return np.round(array + rng.laplace(0, 4, array.shape), 3)


def rounded_too_late(array, noise, rng):
    return np.round(array + rng.laplace(0, 4, array.shape), 17)


def honest(array, noise, rng):
    return array + noise


def clipped_reports(array, noise, rng):
    return np.clip(array + noise, -20, 20)


def half(array, noise, rng):
    return array + noise / 2


def all_cubes(array, noise, rng):
    return array + 2 * noise


def too_quiet(array, noise, rng):
    return array + rng.laplace(0, 3, array.shape)


def normal(array, noise, rng):
    return array + rng.normal(0, 4, array.shape)


def same_for_all(array, noise, rng):
    return array + rng.laplace(0, 4, 6)


def three_cubes(x, y, rng):
    """On a grid line somebody is in two cubes of one half."""
    near = np.abs(x[:, None] - np.linspace(0, 1, 6)) <= 0.2
    return near * y[:, None] + LatticeLaplace(4.0).sample(near.shape, rng)


# What a student writes, and words that only its own feedback has.
MISTAKES = [
    ("01.1", 2**3 / 0.5, "Where are B's"), ("01.1", 2**5 / 0.5, "twice what is needed"),
    ("01.7", lambda alpha, d: 1 / alpha, "one cube of one person"),
    ("01.7", lambda alpha, d: 2**d / alpha, "Where are B's"),
    ("01.7", lambda alpha, d: alpha / 2 ** (d + 1), "the rate 1/b"),
    ("01.7", lambda alpha, d: 2 ** (d + 2) / alpha, "twice what is needed"),
    ("01.8", noisy(bare), "proves an empty cube"),
    ("01.8", noisy(one_draw), "draw once"),
    ("01.8", lambda x, y, rng: noisy(honest)(x, np.ones_like(y), rng), "forgot the label"),
    ("01.8", noisy(clipped), "Clip the report"),
    ("01.8", noisy(floats), "Right on paper"), ("01.8", noisy(textbook), "Right on paper"),
    ("01.8", noisy(rounded_too_late), "Right on paper"), ("01.8", noisy(too_quiet), "no audit can say"),
    ("01.8", noisy(normal), "no audit can say"), ("01.8", noisy(lambda array, noise, rng: array), "no noise"),
    ("01.8", noisy(same_for_all), "noise of her own"), ("01.8", three_cubes, "in one cube, not in two"),
    ("01.9", (0.2, 0.4), "On a grid line"), ("01.9", np.array([0.13, 0.8]), "On a grid line"),
    ("01.10", 0.7, "Somebody nearer"), ("01.10", 0.4, "On a grid line"),
    ("01.11", 1, "without a common cube"), ("01.11", 7 / 8, "neither of the two ones"),
    ("01.11", 3 / 8, "three of B's"), ("01.11", 1.5, "twice that of one feature"),
]
RIGHT = [*(("01.8", noisy(change), "") for change in (honest, clipped_reports, rounded)),
         ("01.10", 0.41, "four numbers push"), ("01.10", 0.4001, ""), ("01.11", 3 / 4, "Six numbers")]


@pytest.mark.parametrize(("change", "words"), [
    (half, "spends 1.4"), (all_cubes, "that is too much"), (clipped, "For a 0 it never came"),
    (floats, "last bits that 0% of those for a 1 have"), (bare, "spends"), (one_draw, "spends")])
def test_the_judge_says_what_it_found(change, words):
    assert words in check("01.8", noisy(change)).text


def test_a_mechanism_that_sends_something_else_is_told():
    text = check("01.8", lambda x, y, rng: noisy(honest)(x, y, rng) - arrays(x, y)).text
    assert "off by 1.0" in text
    assert "20000 x 6 finite numbers" in check("01.8", lambda x, y, rng: np.zeros(6)).text


def test_losses_in_the_words_are_exact():
    """The scales of the table, and the exact loss of each between two people without a common cube."""
    for alpha, d, mistake, loss in ((1, 1, 1, 4), (0.5, 1, 1 / 0.5, 4 * 0.5), (1, 2, 4, 2), (0.5, 3, 16, 1),
                                    (1, 1, 1 / 4, 16), (1, 2, 16, 0.5), (2, 1, 4, 1)):
        places = [[person[0]] * d for person in (FIRST, SECOND)]
        array, other = CubeLaplace(alpha, 0.2, d).encode(places, [1, 1], half=2)
        assert np.abs(array - other).sum() / mistake == pytest.approx(loss)
    outputs = np.random.default_rng(1).laplace(0, REPAIRED.scale, 20_000)
    assert reachability_attack(outputs, 1.0, CubeLaplace(1.0, 0.2, noise="real").noise).rate > 0.7
    assert len(PAIRS) == 6 and AUDITED == 20_000


@pytest.mark.parametrize(("places", "right", "words"), [
    ((0.1999, 0.4001), True, "Distance 0.2002: your score is 1.00 times the limit; 1.01 is near"),
    ([0.6001, 0.3999], True, "Distance 0.2002"), (np.array([0.199, 0.4005]), True, "Distance 0.2015"),
    ((0.13, 0.78), False, "They spend all of α. Distance 0.6500: your score is 3.25"),
    ((0.13, 0.33), False, "the loss is 0.50, not 1"), ((0.13, 0.19), False, "the loss is 0.00, not 1"),
    ((0.13, 1.2), False, "Two numbers between 0 and 1"), (0.13, False, "Two numbers between 0 and 1")])
def test_the_challenge_says_the_score(places, right, words):
    verdict = check("01.9", places)
    assert verdict.right == right and words in verdict.text


def test_nobody_closer_than_a_cell_spends_all():
    x = np.arange(101) / 100
    losses = {(a, b): REPAIRED.privacy_loss([a], 1, [b], 1) for a in x for b in x if 0 <= b - a <= 0.2 + 1e-9}
    assert max(losses.values()) < 1

"""Exercises 07.6 to 07.8 recognise every mistake of their tables; what they say of it is true."""

import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from ldp_lib.estimation import CellClassifier, OneBitClassifier
from ldp_lib.lessons.beyond.exercises import ENOUGH, FEWEST, MATRIX, _case
from ldp_lib.lessons.price import PRICES
from ldp_lib.live import EXERCISES, check
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, HadamardBit
from ldp_lib.risk import people_needed

H = hadamard(16)


def flips(alpha):
    return 1 / (math.exp(alpha) + 1)


def sends(share, signed=True, own=False):
    """A function that flips with probability share(alpha)."""

    def send(cell, label, row, alpha, rng):
        row = cell if own else row
        sign = H[row, cell] * ((2 * label - 1) if signed else 1)
        return row, int(-sign if rng.random() < share(alpha) else sign)

    return send


def decodes(factor):
    """A function that multiplies the mean of bits times patterns."""
    return lambda rows, bits, alpha: factor * (bits[:, None] * H[rows]).mean(axis=0)


def decoded(rows, bits, alpha):
    return decodes(1 / math.tanh(alpha / 2))(rows, bits, alpha)


def own_rows(rows, bits, alpha):
    return FACTOR * np.array([H[cell, cell] * bits[rows == cell].mean() for cell in range(16)])


FACTOR = (math.e + 1) / (math.e - 1)
# What a student writes, and words that only its own feedback has.
MISTAKES = [
    ("07.6", sends(lambda alpha: math.exp(-alpha)), "Too careful"),
    ("07.6", sends(lambda alpha: flips(alpha / 2)), "That is alpha/2"),
    ("07.6", sends(flips, own=True), "now tells the cell"),
    ("07.6", sends(flips, signed=False), "You count people"),
    ("07.6", sends(lambda alpha: 1 - flips(alpha)), "flip too often"),
    ("07.7", decodes(1), "Right signs"),
    ("07.7", decodes(FACTOR / 2), "half of what is asked"),
    ("07.7", decodes(FACTOR * 16), "divide by n"),
    ("07.7", own_rows, "Use all"),
    ("07.7", lambda rows, bits, alpha: decodes(FACTOR)(rows, bits, 1.0), "Right at alpha = 1"),
    ("07.6", lambda cell, label, row, alpha, rng: sends(flips)(cell, 1 - label, row, alpha, rng),
     "the sign is turned round"),
    ("07.8", ("cubes", 0.16), "two halves"),
    ("07.8", ("cells", 0.1), "1.7 times"),
    ("07.8", ("one bit", 0.125), "Too wide"), ("07.8", ["one bit", 0.16], "Too wide"),
    ("07.8", ("one bit", 1 / 12), "Too narrow"),
    ("07.9", 714, "enough for one bit"), ("07.9", 194_820, "the paper's cubes"),
]
RIGHT = [
    ("07.6", sends(flips), ""), ("07.7", decoded, ""),
    ("07.8", ("one bit", 1 / 10), "8,623 people. Your score: 1.000"),
    ("07.8", ("one bit", 0.1152), "8,767 people. Your score: 1.017"),
    ("07.9", 1218, "1.7 times"),
]


@pytest.mark.parametrize("exercise", ["07.6", "07.7", "07.8"])
def test_strange_pairs_and_functions_are_wrong(exercise):
    for odd in (("one bit", math.nan), ("bits", 0.1), lambda **arguments: (0, 0.5)):
        assert EXERCISES[exercise].feedback(odd) == "" and check(exercise, odd).text.startswith("✗")


@pytest.mark.parametrize(("answer", "words"), [
    (sends(lambda alpha: 0.0), "flipped for 0.0%"),
    (sends(lambda alpha: flips(alpha) + 0.04), "should be 26.9%"),
    (lambda cell, label, row, alpha, rng: (row, 0), "1 or -1"), (lambda cell: cell, "fails")])
def test_the_judge_of_bits_says_what_it_found(answer, words):
    text = check("07.6", answer).text
    assert text.startswith("✗") and words in text and EXERCISES["07.6"].feedback(answer) == ""


def test_numbers_in_the_words_are_those_of_the_library():
    assert (np.array(MATRIX) == hadamard(4)).all(), "the matrix of the exercise is SciPy's"
    bit, flat = HadamardBit(1.0, 0.1), CellLaplace(1.0, 0.1, noise="real")
    assert flat.variance(0) / bit.variance(0) == pytest.approx(1.708, abs=1e-3)
    assert 2 * bit.scale == pytest.approx(2.164, abs=5e-4) == pytest.approx(FACTOR, abs=5e-4)
    assert (flips(1), math.exp(-1)) == pytest.approx((0.269, 0.368), abs=5e-4)
    assert math.log(1 / math.exp(-1) - 1) == pytest.approx(0.541, abs=5e-4), "what e^-alpha spends"
    law = problem("cps")
    goal = 1 - law.bayes_risk - 0.67
    assert PRICES[0.67][2] == FEWEST == people_needed(OneBitClassifier(1.0, 0.1), law, goal)
    assert people_needed(CellClassifier(1.0, 0.1), law, goal) == PRICES[0.67][3]
    finer = [k / 1000 for k in range(90, 121)]
    people = {h: people_needed(OneBitClassifier(1.0, h), law, goal) for h in finer}
    assert min(people.values()) == FEWEST and sum(count <= ENOUGH for count in people.values()) > 3
    x = np.linspace(0, 1, 40_001)[:, None]
    assert np.allclose(x[1:][np.diff(law.eta(x) >= 0.5), 0], [0.082, 0.575], atol=5e-4)


def test_a_bit_times_its_pattern_is_a_vote_about_every_cell():
    """The mean over patterns, cells and flips of what is decoded is the truth."""
    rows, bits = _case()
    assert np.bincount(rows).tolist() == [25] * 16 and set(bits) == {-1, 1}
    for cell in range(16):
        mean = FACTOR * (1 - 2 * flips(1)) * (H[:, cell, None] * H).mean(axis=0)
        assert mean == pytest.approx(np.eye(16)[cell])

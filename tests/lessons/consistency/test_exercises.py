"""Exercises of notebook 02: what a student writes, and words that only its own feedback has."""

import numpy as np

from ldp_lib.live import check

MISTAKES = [
    ("02.1", 2**0.5, "halve it"), ("02.1", 2, "divide the noise by √2"), ("02.1", 16, "a quarter"),
    ("02.2", 1 / 3, "without privacy"), ("02.2", 0.5, "for d = 1"),
    ("02.6", lambda first, second: second - first, "You say 0 almost everywhere"),
    ("02.6", lambda first, second: second, "You count ones"),
    ("02.6", lambda first, second: second >= 0, "You count ones"),
    ("02.6", lambda first, second: (second - first / 2) / 2, "not the true bar"),
    ("02.6", lambda first, second: second >= first / 2, "not the true bar"),
    ("02.6", lambda first, second: second / first - 0.5, "try n = 1,000"),
    ("02.6", lambda first, second: second / first >= 0.5, "try n = 1,000"),
    ("02.7", lambda n: n**-0.5, "on the edge"),
    ("02.7", lambda n: 2 * n**-0.5, "on the edge"),
    ("02.7", lambda n: n**-0.6, "faster than the noise level"),
    ("02.7", lambda n: n**-1.1, "more cubes than people"),
    ("02.7", lambda n: n**-0.4, "very slowly"),
    ("02.7", lambda n: 1000 / n, "like 1/n or faster"),
    ("02.7", lambda n: 1 / 3, "do not shrink"),
    ("02.7", lambda n: n**-0.1, "stay wide"),
    ("02.7", lambda n: n**0.1 / 10, "grow with n"),
    ("02.7", lambda n: 0.5 * n**-0.25, "take a larger constant"),
    ("02.9", lambda x, h: np.floor(x / h), "to the left"),
    ("02.9", lambda x, h: np.ceil(x / h), "to the right"),
    ("02.10", 0.08, "Too narrow"), ("02.10", 0.354, "Too wide"),
    ("02.10", 0.125, "first hill"), ("02.10", 0.223, "lower hill"),
]
RIGHT = [
    ("02.6", lambda first, second: second - first / 2, "right 67.4% of the time"),
    ("02.7", lambda n: n**-0.25, "0.13, 0.019, 0.0016"),
    ("02.7", lambda n: n**-0.2, "0.096, 0.0052, 0.0005"),
    ("02.8", 0.164, "1.00 times the fewest"), ("02.8", 0.1625, "160,952"),
    ("02.9", lambda x, h: np.rint(x / h), ""),
    ("02.10", 0.16, "24 and 60 years"), ("02.10", 0.157, "24 and 60 years"),
]


def test_a_score_must_be_right_for_few_people_too():
    """This one takes reports that are too noisy for what they are not: those of few people only."""
    def careful(first, second):
        return second - first / 2 if np.abs(np.diff(first, 2)).mean() < 0.2 else second

    assert not check("02.6", careful).right

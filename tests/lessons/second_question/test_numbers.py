"""What the office's question tells of who made it: at most alpha, exactly, and what breaks that is seen."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.lessons.second_question import numbers
from ldp_lib.lessons.second_question.numbers import (
    ENOUGH, FALSE_ALARMS, JUDGES, PEOPLE, POWER, SEEN, survey_losses,
)
from ldp_lib.privacy import CellSigns
from ldp_lib.theory import information_budget


@pytest.mark.parametrize("alpha, K, people", [
    (0.3, 3, 2), (1.0, 2, 3), (1.0, 3, 1), (2.5, 3, 2), (1.0, 4, 2), (1.0, 3, 3)])
def test_no_more_than_alpha_is_told_whatever_is_published(alpha, K, people):
    losses = survey_losses(alpha, K, people)
    question, with_p, everything, again = (losses[what] for what in SEEN)
    assert 0 < question <= everything * (1 + 1e-12)
    # The other person's answer knows nothing of her; reports themselves tell alpha.
    assert with_p == pytest.approx(question) and everything == pytest.approx(alpha)
    assert again == pytest.approx(2 * alpha)
    # Others blur the set; alone, she is the set.
    assert question == pytest.approx(alpha) if people == 1 else question < 0.9 * alpha


def test_the_question_by_the_chances_of_the_sums():
    """The second road, without the survey: her signs shift the law of another person's sums of signs."""
    alpha, K = 1.3, 3
    signs, truth, found = CellSigns(alpha, 1 / K), 1 / (1 + math.exp(-alpha)), {}
    for both in itertools.product((-2, 0, 2), repeat=K):
        about = tuple(np.flatnonzero(np.array(both) > 2 * signs.tilt / K))
        about = about if len(about) < K else ()
        for mine, other in itertools.product(range(K), repeat=2):
            chance = 1.0
            for face, total in enumerate(both):
                up = [truth if face == whose else 0.5 for whose in (mine, other)]
                chance *= {2: up[0] * up[1], -2: (1 - up[0]) * (1 - up[1])}.get(
                    total, up[0] * (1 - up[1]) + up[1] * (1 - up[0]))
            found.setdefault(about, np.zeros((K, K)))[mine, other] += chance
    assert sum(found.values()) == pytest.approx(np.ones((K, K)))
    expected = max(np.log(law.max(axis=0) / law.min(axis=0)).max() for law in found.values())
    assert survey_losses(alpha, K)["the question"] == pytest.approx(expected)


def test_reports_that_are_too_loud_are_seen(monkeypatch):
    """A mutant: the first people's coins have twice the odds in nats, and the office does not know."""
    monkeypatch.setattr(numbers, "CellSigns", lambda alpha, h: CellSigns(2 * alpha, h))
    losses = survey_losses(1.0)
    assert losses["the question"] > 1.0 and losses["all answers"] == pytest.approx(2.0)


def in_one_direction(alpha):
    """Which part of the information of one answer about 64 faces a question about a half can have."""
    budget = information_budget(64, alpha)
    return f"{budget.direction / budget.trace:.0%}"


def times(way):
    """How many times the people four times the faces need: least and most."""
    found = [PEOPLE[4 * K, 1.0, 0.5][way] / PEOPLE[K, 1.0, 0.5][way] for K in (4, 16, 64)]
    return min(found), max(found)


def test_the_notebook_says_what_is_computed(repository):
    text = (repository / "notebooks" / "08_the_second_question.ipynb").read_text(encoding="utf-8")
    for words in (f"puts {in_one_direction(1.0)} of it into one at", f"and {in_one_direction(3.0)} at",
                  f"carries {in_one_direction(1.0)} of that information",
                  f"In about {POWER[64, 1.0, 0.5, ENOUGH[64]][0]:.1%} subset selection finds it",
                  f"With fresh coins, still {FALSE_ALARMS[JUDGES[2]][0]:.1%}"):
        assert words in text
    *_, subset, bit, dice, two = (times(way) for way in range(len(PEOPLE.columns)))
    assert "one bit: seven to nine times. Public dice: four to five. Two rounds: nearly four." in text
    assert 7 <= min(*subset, *bit) <= max(*subset, *bit) <= 9 and 4 <= dice[0] <= dice[1] <= 5
    assert 3.8 < two[0] <= two[1] < 4

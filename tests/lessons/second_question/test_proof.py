"""The pictures of the proof of notebook 08 show the sides of its ledger, and what the library computes."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.lessons.second_question.ledger import best_subsets, halves, yes_or_no
from ldp_lib.lessons.second_question.proof import FACES, STORY, best_power
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import SetQuestion
from ldp_lib.risk import suspects_law
from ldp_lib.theory import ledger, people_bound, report_information, two_round_limit
from ldp_lib.theory.contraction import staircase

FLOAT = 2e-6
"""Relative rounding of float32, in which pictures keep their numbers."""


def drawn(scene, **moved):
    """Marks of a scene by the keys of their axes and their own."""
    picture = STORY.show(**STORY.starts()[scene] | moved).picture
    return {(axes.key, mark.key): mark.arrays for axes in picture.axes for mark in axes.marks}


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_the_budget_is_that_of_the_ledger(alpha):
    book = ledger("second-question", alpha=alpha)
    marks = drawn("one answer", alpha=alpha, faces=4)
    assert marks["variance", "best"]["y"][0] == pytest.approx(book["one output"].left, rel=FLOAT)
    assert marks["variance", "ceiling"]["y"][0] == pytest.approx(math.sinh(alpha / 2) ** 2, rel=FLOAT)
    marks = drawn("directions", alpha=alpha, faces=4)
    for axes, key, sets in (("all", "subset", best_subsets(4, alpha)),
                            ("one", "half", yes_or_no(halves(4)[0]))):
        found = np.sort(np.linalg.eigvalsh(report_information(staircase(alpha, sets))))[::-1]
        high = marks[axes, key]["high"]
        assert high == pytest.approx(found[:len(high)], rel=FLOAT) and found[len(high):] == pytest.approx(0)
    assert marks["one", "half"]["high"][0] == pytest.approx(book["one direction"].left, rel=FLOAT)


def test_one_direction_always_gets_more():
    """As the sentence of the scene says, wherever its controls stand."""
    for alpha, faces in itertools.product(STORY.controls[1].values, FACES.values):
        marks = drawn("directions", alpha=alpha, faces=faces)
        assert marks["one", "half"]["high"][0] > marks["all", "subset"]["high"][0]


@pytest.mark.parametrize("faces, alpha, delta", [(4, 1.0, 0.5), (16, 0.5, 0.25), (256, 2.0, 0.75)])
def test_bounds_are_those_of_the_theory(faces, alpha, delta):
    at = {"faces": faces, "alpha": alpha, "delta": delta}
    even, low = (people_bound(faces, alpha, delta, protocol=each) for each in ("even", "interactive"))
    marks = drawn("even questions", **at)
    assert marks["power", "bound"]["x"][0] == pytest.approx(even, rel=FLOAT)
    below, above = best_power(np.array([even - 1.0, even]), faces, alpha, delta)
    assert below < 0.8 <= above
    assert (marks["agree", "agree"]["high"] / marks["agree", "agree"]["high"].sum()) @ (
        marks["agree", "agree"]["left"] + marks["agree", "agree"]["right"]) == pytest.approx(0, abs=1e-4)
    marks = drawn("any protocol", **at)
    assert marks["told", "bound"]["x"][0] == pytest.approx(low, rel=FLOAT)
    told = marks["told", "told"]
    slope = float(told["y"][-1] / told["x"][-1])
    asked = float(marks["told", "asked"]["y"][0])
    assert slope * (low - 1) < asked * (1 + 1e-5) and slope * low >= asked * (1 - 1e-5)


def test_three_people_tell_what_the_picture_says():
    book = ledger("second-question")
    assert best_power(np.array([3.0]), 4, 1.0, 0.5)[0] == pytest.approx(book["power"].right)
    told = drawn("any protocol", faces=4)["told", "told"]
    assert 3 * told["y"][-1] / told["x"][-1] == pytest.approx(book["all answers"].right, rel=1e-5)


@pytest.mark.parametrize("suspects, asked, alpha", [(7, 100, 1.0), (1, 25, 0.5), (15, 200, 2.0)])
def test_false_alarms_are_at_most_five_percent(suspects, asked, alpha):
    marks = drawn("other people", suspects=suspects, asked=asked, alpha=alpha)
    yes = float(SetQuestion(alpha, 1 / 16, cells=range(suspects)).law(suspects / 16))
    law = [math.comb(asked, k) * yes**k * (1 - yes) ** (asked - k) for k in range(asked + 1)]
    drawn_law = np.concatenate([marks["yes", key]["high"] for key in ("fair", "alarm")])
    assert drawn_law == pytest.approx(law, rel=1e-5, abs=1e-12)
    alarms = float(marks["yes", "alarm"]["high"].sum())
    assert alarms <= 0.05 < alarms + marks["yes", "fair"]["high"][-1]


def test_every_position_says_so():
    for suspects, asked in itertools.product(range(1, 16), (25, 50, 100, 200)):
        for alpha in STORY.controls[1].values:
            shown = STORY.show(**STORY.starts()["other people"] | {
                "suspects": suspects, "asked": asked, "alpha": alpha})
            assert float(dict(shown.numbers)["false alarms"].rstrip("%")) <= 5


@pytest.mark.parametrize("first, faces, delta", [(4000, 16, 0.5), (250, 4, 0.1), (16_000, 64, 0.75)])
def test_the_gain_is_that_of_the_suspects(first, faces, delta):
    law = tilted_die(faces, delta)
    joint, half = suspects_law(law, first, 1.0), np.arange(faces // 2 + 1)
    heavy, light = joint.sum(axis=1) @ half, joint.sum(axis=0) @ half
    marks = drawn("the gain", first=first, faces=faces, delta=delta)
    chances = marks["suspect", "at"]["y"]
    assert chances * faces / 2 == pytest.approx([heavy, light], rel=1e-4, abs=1e-4)
    gain = heavy * law[0] + light * law[-1] - (heavy + light) / faces
    assert marks["added", "added"]["high"].sum() == pytest.approx(gain, rel=1e-4)


def test_no_face_takes_away_wherever_controls_stand():
    names = "first", "faces", "delta"
    values = {control.name: control.values for control in STORY.controls}
    for at in itertools.product(*(values[name] for name in names)):
        marks = drawn("the gain", **dict(zip(names, at, strict=True)))
        assert (marks["added", "added"]["high"] > 0).all()
        assert (marks["suspect", "heavy"]["y"] > marks["suspect", "fair"]["y"]).all()
        assert (marks["suspect", "fair"]["y"] > marks["suspect", "light"]["y"]).all()


def test_from_where_on_one_round_needs_more():
    limit = two_round_limit().noncentrality
    for alpha, delta in itertools.product((0.5, 1.0, 2.0), (0.1, 0.75)):
        marks = drawn("explore", alpha=alpha, delta=delta)
        unit = (math.tanh(alpha / 2) * delta) ** 2
        two, even, low = (marks["people", key][side] for key, side in (("two", "y"), ("even", "y"),
                                                                       ("land", "high")))
        assert two == pytest.approx(limit * np.array(FACES.values) / unit, rel=1e-5)
        for found, protocol in ((even, "even"), (low, "interactive")):
            assert found == pytest.approx(
                [people_bound(K, alpha, delta, protocol=protocol) for K in FACES.values], rel=FLOAT)
        says = STORY.show(**STORY.starts()["explore"] | {"alpha": alpha, "delta": delta}).says
        ahead = np.array(FACES.values)[even > two]
        assert (f"From {ahead[0]} faces on" if len(ahead) else "may need fewer") in says

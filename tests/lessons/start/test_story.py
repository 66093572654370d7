"""The story of notebook 00: facts read off the pictures' own arrays; the reader's answer stays secret."""

import inspect
import json
import math

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib.lessons.price import DESIGNS
from ldp_lib.lessons.start.story import AGE, CROWDS, YOU, people, share, wheel
from ldp_lib.live import kind, panel
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy.responses import yes_reports

Start = kind("start")
TRUTH = math.e / (1 + math.e)
"""Of the wheel at alpha = 1."""


def percent(words):
    """The number that a readout says in percent."""
    return float(words.replace("−", "-").rstrip("%")) / 100


def gained(seen):
    """How often a bettor wins: half, and a quarter of the area between the two curves that are drawn."""
    no, yes = (seen["worlds"][key] for key in ("no", "yes"))
    assert (no["x"] == yes["x"]).all()
    return 0.5 + np.trapezoid(np.abs(yes["y"].astype(float) - no["y"]), no["x"].astype(float)) / 4


def cast_stands(at):
    seen = at()["people"]
    assert (len(seen["no"]["x"]), len(seen["yes"]["x"])) == (71, 73)
    rows = np.concatenate([np.column_stack([seen[key]["x"], seen[key]["y"]]) for key in ("no", "yes")])
    assert len(np.unique(rows, axis=0)) == 144 and (rows == rows.round()).all(), "in rows"
    flown = at(place=AGE)["people"]["yes"]
    X, y = cast()
    assert np.allclose(flown["x"] / flown["x"].max(), X[y == 1, 0] / X[y == 1, 0].max()), "the same persons"
    old = 18 + 73 * X[:, 0] >= 65
    assert at(place=AGE).readout["aged 65 and more"] == f"{y[old].sum()} of {old.sum()}"


def you_are_masked(at):
    before, after = at(), at(answered=True)
    assert "mask" not in before["people"] and "mask" in after["people"]
    assert before["people"]["no"]["x"].tolist() == after["people"]["no"]["x"].tolist()
    for seen in (before, after):
        assert [float(seen["people"]["you"][side][0]) for side in "xy"] == list(YOU)


def coin(at):
    seen = at()
    corner = [seen["wheel"]["truth"][side].astype(float) for side in "xy"]
    area = abs(np.dot(corner[0], np.roll(corner[1], 1)) - np.dot(corner[1], np.roll(corner[0], 1))) / 2
    assert area / math.pi == pytest.approx(TRUTH, abs=5e-4), "the blue part of the wheel"
    opposite = [at(noise=noise)["people"]["opposite"]["x"].size for noise in range(24)]
    deviation = math.sqrt(TRUTH * (1 - TRUTH) / (24 * 144))
    assert abs(np.mean(opposite) / 144 - (1 - TRUTH)) < 3 * deviation, "what comes up"
    spots = {tuple(spot) for key in ("says no", "says yes") for spot in
             zip(*(seen["people"][key][side] for side in "xy"))}
    assert len(spots) == 144, "everybody reports"


def deniability(at):
    seen = at()
    low, high = seen["two beliefs"]["walls"]["y"][[0, 3]].astype(float)
    assert (low, high) == pytest.approx((1 - TRUTH, TRUTH), abs=1e-6), "27% and 73%"
    for prior in (0.01, 0.05, 0.3, 0.5, 0.8, 0.99):
        steps = at(prior=prior)["two beliefs"]
        before = float(steps["before"]["y"][0])
        assert before == pytest.approx(prior)
        after = [float(steps[report]["y"][0]) for report in ("yes", "no")]
        moves = [belief / (1 - belief) * (1 - before) / before for belief in after]
        assert moves == pytest.approx([math.e, 1 / math.e], rel=1e-4), "odds times e^alpha, and no more"
        assert after == pytest.approx(steps["walls"]["y"][[3, 0]].astype(float), abs=1e-6), "at the wall"


def two_worlds(at):
    assert "yes" not in at()["worlds"], "nothing is shown before the answer"
    told = at(answered=True)
    assert gained(told) == pytest.approx(0.51735, abs=1e-5)
    assert told.readout["she wins"] == "51.7%"
    assert gained(at(answered=True, n=1)) == pytest.approx(TRUTH, abs=1e-6), "your own report"
    assert gained(at(answered=True, curator=True)) == pytest.approx(0.6967, abs=2e-3)
    assert at(answered=True, curator=True).readout["she wins"] == "69.7%"
    wins = [gained(at(answered=True, n=n)) for n in CROWDS]
    assert (np.diff(wins) < 0).all() and wins[-1] < 0.5005, "the crowd hides you"


def crowd(at):
    levels = [at(n=n).noise("share") for n in CROWDS]
    assert levels[0] > 1, "one report drowns"
    assert dict(zip(CROWDS, levels))[144] == pytest.approx(0.0902, abs=5e-5)
    assert levels[-1] == pytest.approx(0.00233, abs=5e-6)
    assert np.allclose(np.array(levels) * np.sqrt(CROWDS), levels[0], rtol=1e-6), "like 1 / sqrt(n)"
    bars = [float(at(n=n).heights("signal", "share")[0]) for n in CROWDS]
    assert bars == pytest.approx([0.50676] * len(CROWDS), abs=1e-5), "the share stays"
    last = [float(at(n=CROWDS[-1], noise=noise).heights("seen", "share")[0]) for noise in range(24)]
    assert np.abs(np.array(last) - bars[0]).max() < 3 * levels[-1], "and everybody can read it"
    assert at()["funnel"]["seen"]["y"][1:].size == np.isnan(at()["funnel"]["seen"]["y"]).sum(), "one so far"


def price(at):
    squares = {}
    hidden, seen = at(), at(answered=True)
    assert set(hidden["price"]) == {"open", "cubes", "people", "times open"}, "the others are asked for"
    for words in DESIGNS:
        stack = seen["price"][words]
        squares[words] = float(((stack["right"] - stack["left"]) / 0.8).sum())
        wide, high = (np.ptp(np.append(stack[low], stack[top])) for low, top in
                      (("left", "right"), ("low", "high")))
        assert wide - 1.1 <= high <= wide + 0.1 or squares[words] < 2, "areas, and no slivers beside a tower"
    counts = np.array([163, 234, 8623, 14_912, 160_952])
    assert list(squares.values()) == pytest.approx(counts / 163, rel=1e-3), "one square each for 163 people"
    assert counts[4] / counts[2] == pytest.approx(18.7, abs=0.05)
    assert counts[2] / counts[0] == pytest.approx(52.9, abs=0.05)
    assert counts[4] / counts[0] == pytest.approx(987, abs=0.5)


def free(at):
    seen = at()
    assert set(seen.axes) == {"every prior", "worlds", "funnel"}
    shown = [float(seen["every prior"]["yes"][side][0]) for side in "xy"]
    assert shown == pytest.approx([0.5, TRUTH], abs=1e-6)
    assert gained(seen) == pytest.approx(percent(seen.readout["a bettor wins"]), abs=5e-4)
    louder = at(alpha=0.5)["funnel"]["noise"], seen["funnel"]["noise"]
    wide, narrow = (band["high"].astype(float) - band["low"] for band in louder)
    assert (wide > 1.8 * narrow).all(), "half of alpha: about twice the noise"


FACTS = [
    Fact("start", "cast", cast_stands, {"place": AGE}),
    Fact("start", "you", you_are_masked, {"answered": True}),
    Fact("start", "coin", coin, {"alpha": 2.0}),
    Fact("start", "deniability", deniability, {"alpha": 0.5}),
    Fact("start", "two worlds", two_worlds, {"alpha": 2.0}),
    Fact("start", "sum", crowd, {"alpha": 2.0}),
    Fact("start", "price", price, {"goal": 0.66}),
    Fact("start", "explore", free, {"alpha": 4.0}),
]


def test_what_the_reader_answers_reaches_nobody():
    """Yes and no lead to one and the same position; no control and no address can say which it was."""
    scene = next(scene for scene in Start.scenes if scene.name == "you")
    assert tuple(scene.ask.answers) == ("yes", "no")
    assert scene.ask.right is None, "no answer is called wrong, or said again"
    assert scene.ask.then == {"answered": True}
    for control in Start.controls:
        assert not {"yes", "no"} & set(control.texts)
    described = panel("start").spec["scenes"][1]["ask"]
    assert described["right"] is None and json.loads(json.dumps(described))["then"] == described["then"]
    assert scene.view is people
    assert inspect.signature(people.show).parameters.keys() == {"place", "answered"}


def test_questions_have_right_answers_that_the_pictures_give():
    asked = {scene.name: scene.ask for scene in Start.scenes if scene.ask}
    assert set(asked) == {"you", "two worlds", "price"}
    wins = gained(moved(Start, "two worlds", answered=True))
    bet = [percent(answer) for answer in asked["two worlds"].answers]
    assert list(asked["two worlds"].answers)[np.argmin(np.abs(np.array(bet) - wins))] == (
        asked["two worlds"].right)
    for moves in ({"n": 1}, {"curator": True}):
        wins = moved(Start, "two worlds", answered=True, **moves).readout["she wins"]
        assert all(wins in words for words in asked["two worlds"].answers.values())
    assert all(all(ask.answers.values()) for ask in asked.values())
    assert len(set(asked["you"].answers.values())) == 1, "what is told does not tell the answer"
    one_bit = moved(Start, "price", answered=True).readout["one bit each"]
    assert asked["price"].right == f"{float(one_bit.lstrip('× ')):.0f} times"
    assert "987 times" in next(scene.sentence for scene in Start.scenes if scene.name == "price")
    assert moved(Start, "price").readout == {"cubes": "× 987"}


@pytest.mark.parametrize(("ones", "zeros", "p"), [(0, 0, 0.7), (1, 0, 0.6), (3, 2, 0.9), (7, 5, 0.53)])
def test_the_law_of_the_sum_is_that_of_all_ways_to_spin(ones, zeros, p):
    law = np.ones(1)
    for chance in [p] * ones + [1 - p] * zeros:
        law = np.convolve(law, [1 - chance, chance])
    first, probabilities = yes_reports(ones, zeros, p)
    assert first <= 0 and first + len(probabilities) > ones + zeros
    assert np.abs(probabilities[-first:-first + len(law)] - law).max() < 1e-14
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_the_law_of_a_large_sum_has_its_mean_and_its_variance():
    ones, zeros, p = 70_000, 50_000, 0.6
    first, probabilities = yes_reports(ones, zeros, p)
    values = first + np.arange(len(probabilities))
    mean = (values * probabilities).sum()
    assert mean == pytest.approx(ones * p + zeros * (1 - p), abs=1e-6)
    assert ((values - mean) ** 2 * probabilities).sum() == pytest.approx(120_000 * p * (1 - p), rel=1e-9)


def test_the_share_is_that_of_the_survey():
    assert share() == pytest.approx(problem("cps").majority_rate, rel=1e-12)
    assert moved(Start, "cast").readout["all 215,574"] == "50.7%"


@pytest.mark.parametrize("alpha, words", [(1.0, ["truth 73.1%", "opposite 26.9%"]),
                                          (8.0, ["truth > 99.9%", "opposite < 0.1%"])])
def test_no_part_of_the_wheel_is_said_to_be_all_of_it(alpha, words):
    """"truth 1, opposite 0.000335" stood there at alpha = 8."""
    marks = wheel(1 / (1 + math.exp(-alpha)), 0.1, "").marks
    assert [mark.label for mark in marks if mark.label] == words

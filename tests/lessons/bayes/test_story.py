"""The story of notebook 06: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import itertools
import math

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib import live
from ldp_lib.estimation import CellClassifier, HistogramClassifier, NoisyMajorityClassifier
from ldp_lib.lessons.bayes import story as bayes
from ldp_lib.lessons.bayes.numbers import HOME, RIVALS, SIDE
from ldp_lib.lessons.bayes.story import CROWD, CUTS, JOINED, STORY, YEARS
from ldp_lib.lessons.price import DESIGNS, PRICES
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import CurrentPopulationSurvey, cast
from ldp_lib.privacy import (
    CellLaplace, CubeLaplace, HadamardBit, RealLaplace, stability_histogram, stability_threshold,
)
from ldp_lib.privacy.central import noisy_votes
from ldp_lib.risk import excess_risk

DRAWS = 24


def deep(seen, axes):
    """How deep the noise of every column is."""
    noise = seen[axes]["noise"]
    assert (noise["low"] == -noise["high"]).all()
    return noise["high"].astype(float)


def two_desks(at):
    """Everybody's noise is ±17 people, the curator's ±1.41, around a bar of 4.5; the sum is of the dots."""
    sums = []
    for noise in range(DRAWS):
        for who in ("everybody", "a curator"):
            seen = at(noise=noise, who=who)
            dots = [seen["sent"][key]["y"].astype(float) for key in ("no", "yes", "outside")]
            inside = [np.isfinite(seen["sent"][key]["x"]) for key in ("no", "yes", "outside")]
            assert np.sum(inside, axis=0).tolist() == [1] * 144, "each person once"
            noisy = seen.heights("seen", "sums")[0 if who == "everybody" else 1]
            released = dots[0].sum() + seen["sent"].get("desk", {"y": [0]})["y"][0]
            assert released == pytest.approx(noisy, abs=1e-4), "what is drawn on the left adds up"
            if who == "a curator":
                assert set(np.abs(dots[0])) == {0, 0.5} and dots[0].sum() == 4.5
        sums.append(seen.heights("seen", "sums"))
    assert deep(at(), "sums") == pytest.approx([math.sqrt(2 * 144), math.sqrt(2)], rel=1e-6)
    assert (at().heights("signal", "sums") == 4.5).all(), "the true sum of the dots"
    ages = np.concatenate([at()["sent"][key]["x"] for key in ("no", "yes", "outside")])
    assert np.nanmax(ages) < at()["sent"]["aside"]["x"][0] < at(who="a curator")["sent"]["desk"]["x"][0]
    spread = np.std(sums, axis=0)
    assert 10 < spread[0] < 25 and 0.7 < spread[1] < 2.2, "24 draws"
    assert at().readout["noise"] == "±17 people"


def which_grows(at):
    """Four times the people: bar times 4, everybody's noise times 2, the curator's stays."""
    found = [at(people=n) for n in CROWD.values]
    for before, after in zip(found, found[1:]):
        assert np.divide(*(seen.heights("signal", "rivals") for seen in (after, before))) == pytest.approx(4)
        assert deep(after, "rivals") / deep(before, "rivals") == pytest.approx([2, 1], rel=1e-6)
    assert deep(found[0], "rivals") == pytest.approx([16.97, 1.41], abs=0.006)
    assert found[0].readout == {"bar, on average": "4.26 people", "everybody's noise": "±17",
                                "the curator's": "±1.41"}
    bar = found[2].heights("signal", "rivals")[0]
    assert (bar, deep(found[2], "rivals")[0]) == pytest.approx((68.1, 67.9), abs=0.05), "they meet"


def all_cells(at):
    """However many cells: at a desk they cost hardly anything, and everybody's noise drowns the bars."""
    seen = {(who, cuts): at(who=who, cuts=cuts) for who in bayes.WHO.values for cuts in CUTS.values}
    for who, level in (("everybody", math.sqrt(2 / 2304)), ("a curator", math.sqrt(2) / 2304)):
        mine = [seen[who, cuts] for cuts in CUTS.values]
        assert [each.noise() for each in mine] == pytest.approx([level] * len(mine), rel=1e-6), "the same"
        tallest = [np.abs(each.heights("signal")).max() for each in mine]
        assert [each.heights("signal").size for each in mine] == list(CUTS.values)
        assert (np.diff(tallest) < 0).all(), "fewer people in each"
        lost = [float(each.readout["without noise"].rstrip("%")) / 100 - each.right() for each in mine]
        assert max(lost) < 0.005 if who == "a curator" else (np.diff(lost) > 0).all() and lost[-1] > 0.15
    eight = seen["everybody", 8], seen["a curator", 8]
    assert (eight[0].heights("signal") == eight[1].heights("signal")).all()
    assert [each.right() for each in eight] == pytest.approx([0.612, 0.675], abs=6e-4)
    seen, few = at(), [at(people=144, who=who) for who in bayes.WHO.values]
    assert [each.right() for each in few] == pytest.approx([0.533, 0.652], abs=6e-4)
    four = at(people=9216)
    assert four.noise() == pytest.approx(seen.noise() / 2, rel=1e-6)
    assert (four.heights("signal") == seen.heights("signal")).all(), "as a share of the people bars stay"
    off = [np.std([at(who=who, noise=noise).heights("seen") for noise in range(DRAWS)], axis=0).mean()
           for who in ("everybody", "a curator")]
    assert off[0] > 3 * off[1], "redrawn"
    decided = seen["decisions"]
    middles = (decided["one"]["left"] + decided["one"]["right"]) / 2
    ones = middles[~np.isnan(middles)]
    assert (seen.heights("seen")[(ones / SIDE).astype(int)] >= 0).all(), "above 0 the rule says 1"


def ladder(at):
    seen = at(answered=True)
    counts = [float(((stack["right"] - stack["left"]) / 0.8).sum() * 163) for stack in
              (seen["price"][words] for words in DESIGNS)]
    assert counts == pytest.approx([163, 234, 8623, 14_912, 160_952], rel=1e-4)
    assert set(at()["price"]) == {"open", "cubes", "people", "times open"}, "not before the answer"


def a_moves(at):
    for to, cuts in itertools.product(bayes.TO.values, CUTS.values):
        for kind, length in (("votes", 1), ("yes", 2), ("yes and people", 4)):
            seen = at(to=to, kind=kind, cuts=cuts)
            changes = [seen["change"][key] for key in seen["change"] if key.startswith("change")]
            total = sum(float((each["high"].astype(float) - each["low"]).sum()) for each in changes)
            stays = int(to * cuts) == int(bayes.A * cuts)
            assert total == (0 if stays else length), "of however many cells, two change"
            assert all(np.count_nonzero(each["high"] - each["low"]) == 2 * (not stays) for each in changes)
            assert float(seen["length"]["this"]["right"][0]) == total, "the bar is the sum of the changes"
    over = "scale 1: promise exceeded by"
    assert {kind: at(kind=kind).readout[over] for kind in bayes.KINDS} == {
        "votes": "0.000", "yes": "0.242", "yes and people": "0.429"}
    assert at()["length"]["wall"]["x"] == 1
    assert len(at()["length"]["others"]["right"]) == 0, "the answer is not told"
    assert at(answered=True)["length"]["others"]["right"].tolist() == [2, 4]
    rows = {kind: len(bayes.KINDS) - place for place, kind in enumerate(bayes.KINDS)}
    for kind in bayes.KINDS:  # a question mark stands in the row of every bar that is not told, and no other
        hidden = at(kind=kind)["length"]["hidden"]
        assert set(hidden["y"].tolist()) == set(rows.values()) - {rows[kind]}
        assert len(at(kind=kind, answered=True)["length"]["hidden"]["y"]) == 0
    assert "worst move" in at(to=bayes.TO.values[HOME]).readout["what counts"]


def hides(at):
    """The law that moves is lost for every n; held, it is learnt as soon as walls come between the labels."""
    for n in JOINED.values:
        anew, held = at(joined=n, hold=False), at(joined=n, hold=True)
        for seen in (anew, held):
            crowd = np.concatenate([seen["walls"][key]["x"] for key in ("no", "yes")])
            inside = (np.abs(crowd) < 0.5).all()
            assert inside == (float(seen["risk"]["now"]["y"][0]) == pytest.approx(0.4)), (n, crowd)
        assert (anew["risk"]["moving"]["y"] == np.float32(0.4)).all()
        assert np.isnan(anew["risk"]["held"]["y"]).all(), "the answer is not told"
    risks = at(hold=True)["risk"]["held"]["y"].astype(float)
    assert risks[0] == pytest.approx(0.4) and risks[-1] == pytest.approx(0.055, abs=5e-4)
    assert (np.diff(risks) <= 1e-9).all() and (np.diff(at()["risk"]["fixed"]["y"]) <= 1e-9).all()
    assert at().readout["excess risk"] == "0.400"


def behind_the_gate(at):
    asked, bare = at(), at(answered=True)
    lone = bare["cells"]["alone"]["x"][0]
    assert len(asked["cells"]["shown"]["x"]) == 0 and "cells shown" not in asked.readout, "not told"
    assert asked["cells"]["people"]["high"].sum() == 2000
    assert "gate" not in bare["cells"] and bare.readout["gate"] == "none: δ does nothing"

    def shows(seen):
        return (np.abs(seen["cells"]["shown"]["x"] - lone) < 0.125).any()

    for noise in range(DRAWS):
        seen = at(noise=noise, answered=True)
        assert shows(seen), "whatever the noise is"
        assert seen.readout["the lone person's cell shows"] not in ("nothing", "−0.0")
        assert not shows(at(noise=noise, answered=True, gated=True))
    gated = at(answered=True, gated=True)
    assert gated.readout["the lone person's cell shows"] == "nothing"
    level = float(gated["cells"]["gate"]["y"][0])
    heights = gated["cells"]["released"]["high"]
    assert level == pytest.approx(27.24, abs=0.005) and heights[np.isfinite(heights)].min() >= level
    assert np.isfinite(heights).sum() == len(gated["cells"]["shown"]["x"])
    now = {delta: at(delta=delta)["gates"]["now"] for delta in (1e-2, 1e-4, 1e-6, 1e-8)}
    heights = [float(dot["y"][0]) for dot in now.values()]
    assert np.diff(heights) == pytest.approx(4 * math.log(10), rel=1e-5), "the same step"
    assert (np.diff([dot["x"][0] for dot in now.values()]) < 0).all(), "slider to the left, dot to the left"


def has_a_boundary(at):
    seen = at()
    assert {"cells", "risks", "counts"} == set(seen.axes)
    assert "best" in seen["cells"], "a line in the plane"
    best = seen["cells"]["best"]
    assert np.isfinite(best["y"]).sum() > 20 and np.ptp(best["x"][np.isfinite(best["x"])]) > 0.5
    assert len(np.unique(seen["cells"]["labels"]["values"])) >= 3


FACTS = [
    Fact("bayes", "two desks", two_desks, {"who": "everybody"}),
    Fact("bayes", "four times", which_grows, {"people": 576}),
    Fact("bayes", "all cells", all_cells, {"cuts": 8}),
    Fact("bayes", "ladder", ladder, {"goal": 0.66}),
    Fact("bayes", "sensitivity", a_moves, {"to": bayes.TO.values[HOME]}),
    Fact("bayes", "break it", hides, {"hold": True}),
    Fact("bayes", "gate", behind_the_gate, {"gated": True}),
    Fact("bayes", "explore", has_a_boundary, {"law": "[0, 1]: a threshold"}),
]


def test_the_bar_is_that_of_the_survey():
    X, y = CurrentPopulationSurvey(("age",)).people(rng=0)
    here = (X[:, 0] >= SIDE) & (X[:, 0] < 2 * SIDE)
    assert bayes.margin(144) == pytest.approx(144 * (y[here] - 0.5).sum() / len(y), rel=0.02)
    assert YEARS[HOME] == "27–36" and int(bayes.A / SIDE) == HOME, "A is in it"
    assert cast()[0][24, 0] == pytest.approx(bayes.A, abs=0.005)


@pytest.mark.parametrize("n", CROWD.values)
def test_noise_is_that_of_the_mechanisms(n):
    """Simulated reports of nobody's place in the cell: all that varies is the noise."""
    rng = np.random.default_rng(n)
    assert RIVALS["curator"](n) == RealLaplace(1.0).variance**0.5
    X, y = rng.uniform(0.5, 1, (n, 1)), rng.integers(0, 2, n)
    if n > 2304:
        return
    for words, mechanism in (("one bit each", HadamardBit(1.0, SIDE)), ("cells", CellLaplace(1.0, SIDE))):
        scores = [n * mechanism.score(mechanism.simulate_aggregate(X, y, rng=rng))[HOME] for _ in range(600)]
        assert np.std(scores) == pytest.approx(RIVALS[words](n), rel=0.15), words  # five errors of 600 draws
    cubes = CubeLaplace(1.0, SIDE / 2)
    scores = [n * cubes.score(cubes.simulate_aggregate(X, y, rng=rng))[3] for _ in range(300)]
    assert np.std(scores) == pytest.approx(RIVALS["cubes"](n), rel=0.2)


def test_all_local_noises_double():
    """Of 144, 576 and 2304 people: one bit each, a number for each cell, the cubes of notebook 02."""
    found = [[RIVALS[words](n) for words in ("one bit each", "cells", "cubes")] for n in CROWD.values]
    assert found[0] == pytest.approx([12.70, 16.97, 107.3], abs=0.06)
    assert np.divide(found[1:], found[:-1]) == pytest.approx(2 * np.ones((4, 3)), rel=1e-6)


@pytest.mark.parametrize("n", CROWD.values)
def test_the_bar_stays_in_its_picture(n):
    axes, = bayes.which_noise_grows(people=n).picture.axes
    assert axes.y.low < 0 < bayes.margin(n) < axes.y.high and max(RIVALS["cells"](n), 4) < -axes.y.low


@pytest.mark.parametrize("n", [144, 9216])
def test_accuracies_are_those_of_the_library(n):
    law = problem("cps")
    for who, rule in (("everybody", CellClassifier(1.0, SIDE, mechanism="laplace")), ("open",
                      HistogramClassifier(SIDE)), ("a curator", NoisyMajorityClassifier(1.0, side=SIDE))):
        exact = 1 - law.bayes_risk - excess_risk(rule, law, n)
        assert bayes.accuracy(who, n, len(bayes.CELLS)) == pytest.approx(exact, abs=1e-5)
        if who != "open":
            drawn = [float(dict(bayes.all_cells(who=who, people=n, noise=noise).numbers)["this time"]
                           .rstrip("%")) / 100 for noise in range(DRAWS)]
            # 24 draws of at most 0.07 standard deviation: four standard errors.
            assert np.std(drawn) < 0.07 and np.mean(drawn) == pytest.approx(exact, abs=0.056)


def test_the_curators_noise_is_one_draw_of_the_librarys():
    votes = noisy_votes(np.zeros(4000), 1.0, noise="real", rng=1)
    assert np.std(votes) == pytest.approx(RIVALS["curator"](144), rel=0.1)


def test_too_little_noise_is_as_bad_as_it_is_said():
    """On real numbers: one number down and one up, once or twice, noise of scale 1, epsilon = 1."""
    draws = np.random.default_rng(1).laplace(size=(2, 2, 10**6))
    loss = (np.abs(draws + [[[1]], [[-1]]]) - np.abs(draws)).sum(axis=0)
    for kind, lost in (("yes", loss[0]), ("yes and people", loss.sum(axis=0))):
        delta = np.maximum(0, 1 - np.exp(1 - lost)).mean()
        assert bayes.smallest_delta(kind) == pytest.approx(delta, abs=0.003)
    assert bayes.smallest_delta("votes") == pytest.approx(0, abs=1e-12)


def test_the_gate_is_algorithm_1():
    delta, noise = 1e-6, 5
    seen = moved(live.kind("bayes"), "gate", gated=True, answered=True, noise=noise)
    made = stability_histogram(bayes.settled(), 1.0, delta, noise="real",
                               rng=np.random.default_rng((9, noise)))
    heights = seen["cells"]["released"]["high"]
    assert np.nan_to_num(heights) == pytest.approx(made, rel=1e-5)
    assert stability_threshold(1.0, 10**6 * 2.0**-1000, noise="real") > 1000


def test_prices_are_the_one_table():
    said = bayes.how_many_people(goal=0.67, answered=True).says
    assert said.endswith(", ".join(f"{words} {count:,}" for words, count in zip(DESIGNS, PRICES[0.67])) + ".")
    assert STORY.scene("ladder").view is bayes.how_many_people


def test_the_panel_is_explore_where_no_scene_is_named():
    axes = {axes.key: axes for axes in STORY.show(law="sphere", n=100).picture.axes}
    risks = next(mark for mark in axes["risks"].marks if mark.key == "central").arrays["y"]
    assert STORY.scene("explore").view is bayes.explore.everything and risks[-1] < 0.01

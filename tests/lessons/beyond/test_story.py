"""The story of notebook 07: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import math
from functools import partial

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib.estimation import AdaptiveClassifier, CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons.beyond import story as beyond
from ldp_lib.lessons.beyond.numbers import GALLERY, GALLERY_WIDTHS, LAWS, RIGHT, gallery_range, survey
from ldp_lib.lessons.beyond.story import (
    BIT, CUBES, EDGE, FLAT, HEIGHT, OUT, QUARTERS, STORY, STRIPES, by_noise_alone, decoded, patterns, three,
)
from ldp_lib.live import kind
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk, people_needed, simulate_crowd, simulate_excess_risk

Beyond = kind("beyond")
STOP = 24
"""Draws of noise."""


def her_report(at):
    for design, count, distance in (("cubes", 25, 8), ("cells", 4, 1)):
        seen = at(design=design)
        sides = [seen.heights(f"array {person}", "numbers") for person in "AB"]
        assert len(sides[0]) == count and np.abs(sides[0] - sides[1]).sum() == distance
        assert seen.noise("numbers") == pytest.approx(math.sqrt(2) * distance, rel=1e-6), "it follows it"
        report = seen["numbers"]["report"]["y"]
        assert (report != at(design=design, noise=1)["numbers"]["report"]["y"]).all(), "zeros get noise, too"
        boxes = seen["map"]["of A"]
        assert (np.array(boxes["right"]) - boxes["left"]).max() == pytest.approx(0.5), "the same width"
        assert seen.readout["distance of A and B"] == str(distance)
    seen = at()
    assert [len(seen["map"][key]["left"]) for key in ("of A", "cubes of A", "of B", "cubes of B")] == [4] * 4
    assert len(seen["map"]["centres"]["x"]) == 25, "as many numbers as there are cubes"
    a, b = (seen["map"][f"person {person}"] for person in "AB")
    for person, there, away in (("A", a, b), ("B", b, a)):
        cubes = seen["map"][f"of {person}"]
        for where, inside in ((there, True), (away, False)):
            x, y = where["x"][0], where["y"][0]
            held = (cubes["left"] <= x) & (x <= cubes["right"]) & (cubes["low"] <= y) & (y <= cubes["high"])
            assert held.all() == inside and held.any() == inside, "four overlap where she lives"
    halves = at(design="cells")["numbers"]
    assert halves["half A"]["y"][0] == 0.5 and halves["array B"]["low"].min() == -0.5, "1/2 + 1/2 = 1"


def weights(seen, *keys):
    """What the squares of the cells say: their areas, where a full one says 1/2."""
    sides = [[seen["decoded"][key][high] - seen["decoded"][key][low] for low, high in
              (("left", "right"), ("low", "high"))] for key in keys]
    return [wide.astype(float) * tall / (0.9 * STRIPES.h) ** 2 / 2 for wide, tall in sides]


def one_bit(at):
    seen = [at(rows=k) for k in (1, 7, 16)]
    signal, = weights(seen[0], "signal")
    hers = int(signal.argmax())
    assert signal[hers] == pytest.approx(0.5) and signal.sum() == pytest.approx(0.5)
    means = [np.subtract(*weights(each, "plus", "minus")) for each in seen]
    assert np.abs(np.delete(means[0], hers)) == pytest.approx(0.5), "one pattern speaks of every cell"
    assert means[-1] == pytest.approx(signal, abs=1e-6), "over all patterns only her own is left"
    most = [np.abs(np.delete(mean, hers)).max() for mean in means]
    assert most == pytest.approx([float(each.readout["in other cells, at most"]) for each in seen], abs=6e-3)
    others = [np.abs(np.delete(mean, hers)).mean() for mean in means]
    assert others[0] > others[1] > others[2], "other cells cancel"
    single = [at(rows=1, noise=noise).readout["this bit there"].split(", ") for noise in range(STOP)]
    said = np.array([float(number) for number, _ in single])
    assert np.abs(said) == pytest.approx(0.5 / math.tanh(0.5), abs=5e-3)
    told = [words == "flipped" for _, words in single]
    assert ((said < 0) == told).all(), "a flip turns it round"
    assert 0 < sum(told) < STOP / 2 and seen[0].readout["flipped"] == "26.9% of the time"
    stripes = seen[0]["stripes"]
    assert len(stripes["numbers"]["x"]) == len(stripes["cells"]["left"]) == 16, "its cells are numbered"
    x, y = (float(stripes["A"][side][0]) for side in "xy")
    boxes = stripes["cells"]
    held = (boxes["left"] <= x) & (x < boxes["right"]) & (boxes["low"] <= y) & (y < boxes["high"])
    assert np.flatnonzero(held) == [hers], "hers is where she lives"
    both = seen[0]["decoded"]["plus"], seen[0]["decoded"]["cells"]
    assert all((each["left"] < boxes["right"]).all() and (each["right"] > boxes["left"]).all()
               for each in both), "cells stand where they do on the left"
    pattern = stripes["pattern"]["values"]
    assert sorted(np.unique(pattern)) == [0, 1] and (pattern.sum() == 8)
    # Values come row by row, boxes column by column.
    mine = pattern.reshape(4, 4).T.ravel() == pattern.reshape(4, 4).T.ravel()[hers]
    assert ((means[0] > 0) == mine).all(), "plus where the pattern is as in her cell"


def three_levels(at):
    def noise(seen):
        bands = (seen["levels"][f"noise {words}"] for words in ("paper", "cells", "bit"))
        return np.array([float(band["high"][0]) for band in bands])

    seen = [at(crowd=n) for n in OUT]
    bars = [np.abs(each.heights(f"signal {words}", "levels")) for each in seen
            for words in ("paper", "cells", "bit")]
    assert np.ptp(bars) == 0 and bars[0][0] == pytest.approx(0.0405, abs=5e-5), "the same bars for all"
    for each, at_level in zip(seen, (2, 1, 0), strict=True):
        assert noise(each)[at_level] == pytest.approx(bars[0][0], rel=2e-3), "just out of its noise"
    assert noise(at(crowd=1000)) == pytest.approx([0.566, 0.0447, 0.0342], abs=5e-4)
    assert at().readout["bar / noise, one bit"] == "1.00" and OUT[0] == 714
    few = seen[0]["levels"]
    assert [few[f"seen {words}"]["high"].max() > EDGE or few[f"seen {words}"]["low"].min() < -EDGE
            for words in ("paper", "cells", "bit")] == [True, False, False], "only the paper's bars are cut"


def blocks(at):
    levels = [at(steps=k).noise("blocks") for k in range(5)]
    assert (levels[0] / np.array(levels)) ** 2 == pytest.approx([1, 64, 128, 160, 273.4], rel=1e-3)
    assert levels[3] == pytest.approx(1), "cells: the bars just stand out"
    whole = [(at(steps=0, features=d).noise("blocks") / at(steps=3, features=d).noise("blocks")) ** 2
             for d in (1, 2, 3)]
    assert whole == pytest.approx([40, 160, 640], rel=1e-5)
    for d in (1, 2, 3):
        many = 2 ** (d + 1)
        low = at(features=d, steps=0)["parts"]["paper"]["low"].round(1).tolist()
        paper = [low.count(row) for row in np.float32([3.8, 2.8, 1.8, 0.8]).tolist()]
        assert paper == [many, 1, 2, many / 2], "numbers that differ, a half, two means, all cells"
        for steps in range(5):
            seen = at(features=d, steps=steps)["parts"]
            gone, rest, there = (seen[key]["low"].round(1) for key in ("gone", "rest", "paper"))
            assert set(gone) == set(rest) == set(np.float32([3.8, 2.8, 1.8, 0.8][:steps])), "from above"
            assert not set(gone) & set(there) and len(seen["fewer"]["x"]) == steps
    ends = at(steps=4)["parts"]["rest"]["right"].astype(float)
    assert ends[1] == 2 * at(steps=4)["parts"]["gone"]["right"][8], "all answer, and not one half"
    assert at().readout["cells"] == "160" and at().readout["one bit"] == "273"


def honest(at):
    seen = at(seen=True)
    widths = {key: seen["noise alone"][key]["right"] - seen["noise alone"][key]["left"]
              for key in ("cubes", "window", "spacing")}
    assert widths["cubes"][0] == widths["window"][0] == pytest.approx(2 * widths["spacing"][0], abs=0.02)
    assert np.diff(seen["noise alone"]["cubes"]["left"]) == pytest.approx(
        np.diff(seen["noise alone"]["spacing"]["left"])[:2]), "at the same spacing"
    picture = STORY.show(**STORY.starts()["honest"]).picture
    said = {mark.key: mark.options["words"] for axes in picture.axes for mark in axes.marks
            if mark.kind == "text"}
    assert said["window words"] == ["cells 2h wide: 160 times fewer"]
    assert said["spacing words"] == ["cells h wide: 10 times fewer"]
    assert [by_noise_alone(d) for d in (1, 2, 3)] == [(40, 10), (160, 10), (640, 10)]
    assert seen.readout["same spacing"] == "10"
    rows = np.split(seen["gallery"]["laws"]["y"], np.flatnonzero(np.isnan(seen["gallery"]["laws"]["y"])))[:-1]
    assert len(rows) == len(LAWS), "a small picture of each law"
    jumps = [np.nanmax(np.abs(np.diff(row))) > 0.1 for row in rows]
    assert [name for name, jump in zip(LAWS, jumps) if jump] == ["jump", "checkerboard"]
    factor = seen["gallery"]["factor"]["x"].astype(float)
    assert (factor.min(), factor.max()) == pytest.approx((10.42, 2679.8), rel=1e-3)
    ends = [list(LAWS)[end] for end in (factor.argmin(), factor.argmax())]
    assert ends == ["survey, d = 2", "checkerboard"]
    assert factor[8] == pytest.approx(865.4, abs=0.1), "every law has a number: the rule is consistent"
    assert "never" not in seen["gallery"]
    before = at()["gallery"]["factor"]["x"]
    assert np.isfinite(before).sum() == 1, "only sine, until you have answered"
    large = at(seen=True, large=8.0)["gallery"]["factor"]["x"]
    assert large.min() < 0.8, "at a large budget one bit may need more people"
    assert seen.readout["least"] == "10" and seen.readout["most"] == "2,680"


def no_h(at):
    seen = at()
    best, learnt = (float(seen["right"][f"bar {k}"]["right"][0]) for k in (2, 3))
    assert (best, learnt) == pytest.approx((0.676, 0.688)) and seen.readout["best h, looked up"] == "67.6%"
    areas = [at(noise=noise)["fit"]["areas"]["values"] for noise in range(4)]
    assert all(0.05 < (areas[0] != other).mean() < 0.4 for other in areas[1:]), "another draw, another border"
    rows = areas[0].reshape(96, 96)
    assert (np.diff(rows.astype(int), axis=1) != 0).any(axis=0).sum() > 20, "its border is on no coarse grid"
    fits = [float(at(noise=noise).readout["this fit is right"].rstrip("%")) for noise in range(6)]
    assert np.mean(fits) > 68 and max(fits) < 70.8
    large = at(budget=8.0)["right"]
    assert large["bar 2"]["right"] > large["bar 3"]["right"], "at a large budget the best h wins"


def break_it(at):
    def found(seen):
        return seen["found"]["chance"]["high"].astype(float)

    assert found(at()) == pytest.approx(1 / 16) and found(at(own=True)).max() == 1
    hers = int(at()["found"]["hers"]["x"][0])
    assert found(at(own=True)).argmax() == hers and found(at(own=True)).sum() == 1
    patterns = [at(noise=noise, own=own)["stripes"]["pattern"]["values"] for own in (False, True)
                for noise in range(4)]
    assert (np.diff(patterns[4:], axis=0) == 0).all(), "always the one of her cell"
    assert (np.diff(patterns[:4], axis=0) != 0).any(), "and a random one changes"
    assert at().readout["privacy loss"] == "≤ 1" and at(own=True).readout["privacy loss"] == "∞"


def explore(at):
    seen = at()
    best, paper = (seen["risk"][key]["y"].astype(float) for key in ("best", "paper"))
    assert (best[:8] < paper[:8]).all()
    arrow = seen["risk"]["needed"]
    assert float(arrow["x1"][0]) / float(arrow["x0"][0]) == pytest.approx(860, rel=0.01)
    assert np.isfinite(seen["bit"]["best"]["y"]).sum() > 20, "a border in the plane"


FACTS = [
    Fact("beyond", "her report", her_report, {"design": "cells"}),
    Fact("beyond", "one bit", one_bit, {"rows": 2}),
    Fact("beyond", "three noise levels", three_levels, {"crowd": 1000}),
    Fact("beyond", "blocks", blocks, {"steps": 3}),
    Fact("beyond", "honest", honest, {"goal": 0.05}),
    Fact("beyond", "no h", no_h, {"budget": 0.5}),
    Fact("beyond", "break it", break_it, {"own": True}),
    Fact("beyond", "explore", explore, {"problem": "wave"}),
]


def test_facts_are_told_of_this_story():
    seen = moved(Beyond, "her report")
    assert {fact.scene for fact in FACTS} == {scene.name for scene in STORY.scenes} and seen.readout


# The story's own numerics against the library.

@pytest.mark.share(4)
@pytest.mark.parametrize("name", LAWS)
def test_the_gallery_is_that_of_the_library(name):
    """No bandwidth needs fewer people, and one needs as many."""
    kind, params = LAWS[name]
    law = problem(kind, **params)
    for place, make in enumerate((partial(CubeClassifier, noise="real"), OneBitClassifier)):
        asked = [(alpha, goal, people[place])
                 for (law_name, alpha, goal), people in GALLERY.items() if law_name == name]
        budgets, goals, people = map(np.array, zip(*asked))
        # Whoever may be able by four digits is then asked with all of them.
        risks = [excess_risk(make(h=h), law, people, alpha=budgets, relative_error=1e-4)
                 for h in GALLERY_WIDTHS]
        for column, able in enumerate((risks <= 1.001 * goals).T):
            alpha, goal, stored = asked[column]
            widths = np.array(GALLERY_WIDTHS)[able].tolist()
            assert min(people_needed(make(alpha, h), law, goal) for h in widths) == stored


def test_no_law_is_out_of_reach_of_the_papers_rule():
    """It is universally consistent: where borders of the law lie on few grids, a narrower h has them."""
    law = problem("checkerboard", d=1)
    wide, narrow = (min(excess_risk(CubeClassifier(1.0, 4 / k, noise="real"), law, 10**11) for k in tried)
                    for tried in (range(8, 41), (104,)))
    assert wide > 0.02 > narrow
    assert max(GALLERY_WIDTHS) == 1 / 2 and min(GALLERY_WIDTHS) == 1 / 60


def test_the_range_of_the_gallery_holds_between_its_bandwidths():
    """The law of the least factor, with bandwidths thrice as fine around the best one: about as large."""
    (kind, params), (paper, bit) = LAWS["survey, d = 2"], GALLERY["survey, d = 2", 1.0, 0.02]
    law, finer = problem(kind, **params), [4 / (k / 3) for k in range(85, 112)]
    fewest = [min(people_needed(make(1.0, h), law, 0.02, most=2 * known) or known for h in finer)
              for make, known in ((partial(CubeClassifier, noise="real"), paper), (OneBitClassifier, bit))]
    assert fewest[0] / fewest[1] == pytest.approx(paper / bit, rel=0.15)
    assert "10" in gallery_range() and any(gallery_range() in str(scene.ask) for scene in STORY.scenes)


@pytest.mark.parametrize("alpha", RIGHT)
def test_how_often_rules_are_right_on_the_survey(alpha):
    law, people, _ = survey()
    n, top = len(people[1]), 1 - law.bayes_risk
    rules = partial(CubeClassifier, noise="real"), partial(CellClassifier, mechanism="best")
    for place, make in enumerate(rules):
        known = top - min(excess_risk(make(alpha, 1 / m), law, n) for m in range(2, 18))
        assert known == pytest.approx(RIGHT[alpha][place], abs=5e-4)
    learnt = simulate_excess_risk(AdaptiveClassifier(alpha), law, n, 12, rng=1)
    assert top - learnt.mean == pytest.approx(RIGHT[alpha][2], abs=6e-4)
    assert learnt.standard_error == pytest.approx(RIGHT[alpha][3], rel=0.02)


@pytest.mark.parametrize("scene, moved_to, said, never", [
    ("blocks", {"steps": 0, "features": 1}, "With 1 feature and no block taken away", "1 features"),
    ("blocks", {"steps": 0}, "as many people", " 1 times"),
    ("blocks", {"steps": 1}, "1 block taken away", "1 blocks"),
    ("honest", {"goal": 0.02}, "one bit needs 865 times fewer people on the law shown", "from 865"),
    ("one bit", {"rows": 1}, "One pattern says", "1 patterns"),
    ("no h", {"budget": 8.0}, "standard error of 0.006%", "0.0%")])
def test_sentences_count_to_one(scene, moved_to, said, never):
    sentence = STORY.show(**STORY.starts()[scene] | moved_to).says
    assert said in sentence and never not in sentence


def test_scores_of_the_three_reports_have_the_right_law():
    """2,000 draws of four bars each: means within 5 standard errors, spreads within 10%."""
    draws = np.array([three.__wrapped__(OUT[1], noise)[1] for noise in range(2000)])
    means, spreads = draws.mean(axis=0), draws.std(axis=0)
    assert (np.abs(means - HEIGHT * QUARTERS) < 5 * spreads / 2000**0.5).all()
    levels, _ = three(OUT[1], 0)
    assert spreads == pytest.approx(np.repeat(levels, 4).reshape(3, 4), rel=0.1)
    p, q = problem("sine", d=2).cell_masses(*BIT.boxes())
    assert q - p / 2 == pytest.approx(HEIGHT * QUARTERS)
    assert FLAT.variance(0) == 2 and CUBES.scale == 8
    with pytest.raises(TypeError):
        simulate_crowd(BIT, problem("sine", d=2), 10, rng=1)  # so that one bit is drawn here


def test_the_bit_of_the_picture_is_that_of_the_mechanism():
    X, y = beyond.cast()
    signal = STRIPES.encode(X[beyond.A:beyond.A + 1], y[beyond.A:beyond.A + 1])[0]
    assert decoded(patterns(3, STRIPES.order)[0]).mean(axis=0) / 2 == pytest.approx(signal)
    keep = 1 - beyond.flip_chance(STRIPES.alpha)
    assert math.log(keep / (1 - keep)) == pytest.approx(STRIPES.alpha)
    assert STRIPES.scale * (2 * keep - 1) == pytest.approx(0.5), "on average the bit is her signal"

"""The story of notebook 01: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import math

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib.lessons.ldp_check.story import AGES, BETS, GRID, MISTAKES, STORY, age
from ldp_lib.live import kind, panel
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy.audit import reachability_attack
from ldp_lib.privacy.mutants import float_laplace
from ldp_lib.stage.picture import handle

STOP = 24
"""Draws of noise."""


def lengths(seen):
    """The pushes of a needle, from its arrows: one for each row, 0 where there is none."""
    rows = range(1, len(seen["needle"]["no push"]["x"]) + 1)
    arrows = [seen["needle"].get(f"push {k}", {"x0": [0.0], "x1": [0.0]}) for k in rows]
    return np.array([float(each["x1"][0]) - float(each["x0"][0]) for each in arrows])


def needle(seen):
    """Where the needle stands."""
    return float(seen["needle"]["needle"]["x"][0])


def ones(seen, person, axes="report"):
    """At which ages somebody's array is 1."""
    bars = seen[axes][f"array {person}"]
    return [words for words, low, high in zip(AGES, bars["low"], bars["high"]) if high > low]


def filled(seen, person):
    """At which ages the cubes are in which somebody lives."""
    bars = seen["cubes"][f"of {person}"]
    return [AGES[k] for k in np.flatnonzero(np.isfinite(bars["left"]))]


def her_report(at):
    seen = at()
    assert filled(seen, "A") == ones(seen, "A") == ["18", "33"], "two of six"
    assert math.isclose(seen.noise("report"), math.sqrt(2) * 4, rel_tol=1e-6)
    heights = seen["report"]["array A"]["high"]
    assert seen.noise("report") > 5.6 * heights.max() and heights.max() == 1
    report = seen["report"]["report"]["y"]
    assert (report != heights).all() and (at(noise=1)["report"]["report"]["y"] != report).all(), "zeros, too"
    assert filled(at(x=0.2), "A") == ["33"], "on a grid line she is in one cube"
    assert filled(at(x=0.21), "A") == ["33", "47"], "and across it in another"


def four_pushes(at):
    ends = []
    for noise in range(STOP):
        seen = at(noise=noise)
        pushed = lengths(seen)
        assert np.abs(pushed).max() <= 0.25 + 1e-6, "a quarter of alpha at most"
        assert (pushed[[2, 5]] == 0).all(), "where both have a 0 nothing pushes"
        assert needle(seen) == pytest.approx(pushed.sum(), abs=1e-6), "end to end"
        ends.append(needle(seen))
        report = seen["report"]["report"]["x"].astype(float)
        assert np.abs(report).max() < 16, "in its axes"
        first, second = (seen["report"][f"array {person}"]["x"].astype(float) for person in "AB")
        raw = np.nan_to_num(np.abs(report - second) - np.abs(report - first)) / 4
        assert pushed == pytest.approx(raw, abs=1e-6), "log-likelihood ratios of Laplace noise of scale 4"
        for person, sign in (("A", 1), ("B", -1)):
            land = seen["report"][f"for {person}"]
            inside = (land["left"] < report) & (report < land["right"])
            assert (inside == (sign * pushed > 0)).all(), "it pushes to the person in whose land it stands"
        beyond = (report < 0) | (report > 1)
        beyond &= np.isfinite(first)
        assert np.abs(pushed[beyond]) == pytest.approx(0.25, abs=1e-6), "a full push, however far"
        grey = np.isfinite(seen["needle"]["no push"]["x"])
        assert (grey == np.isnan(first)).all(), "grey dots: the same number for both"
        likelier = float(seen.readout["times likelier from A"])
        assert likelier == pytest.approx(math.exp(needle(seen)), abs=0.006)
        assert seen.readout["budget α"] == "1"
    assert np.abs(ends).max() <= 1 + 1e-6 and max(ends) == pytest.approx(1), "it reaches the wall, never more"
    assert (at()["needle"]["walls"]["x"] == [-1, 1]).all()


def twenty_bets(at):
    """The best bettor wins 11.8 of 20 on average: more than a coin, fewer than the walls allow."""
    seen = at(shown=True)
    assert {"by A", "by B"} <= set(seen["bets"]), "each mark says who sent the report"
    sides = [seen["bets"][key]["x"] for key in ("by A", "by B")]
    here = [np.isfinite(side) for side in sides]
    assert (here[0] != here[1]).all() and sum(here).sum() == BETS, "a coin chose each sender"
    place = np.where(here[0], *sides)
    lost = np.isfinite(seen["bets"]["lost"]["x"])
    decided = place != 0
    assert (lost == ((place > 0) != here[0]))[decided].all(), "lost: the needle stood on the wrong side"
    assert seen.readout["won this time"] == f"{BETS - lost.sum()} of {BETS}"
    assert seen.readout["on average"] == "11.8 = 59.2%"
    assert seen.readout["always at a wall"] == "14.6 = 73.1%"
    assert "won this time" not in at().readout and set(at()["bets"]) == {"envelopes", "flaps"}
    assert len(at()["bets"]["envelopes"]["left"]) == BETS, "closed until you bet"
    rates = [np.isnan(at(shown=True, noise=noise)["bets"]["lost"]["x"]).mean() for noise in range(STOP)]
    # 480 bets: one standard error is 0.022.
    assert abs(np.mean(rates) - 0.5921) < 0.11


def exact(seen):
    """Exact probabilities of the bins."""
    return seen["pile"]["exact"]["high"].astype(float)


def the_law(at):
    seen = at()
    law = exact(seen)
    assert law.sum() == pytest.approx(1, abs=1e-6)
    assert law[-1] == pytest.approx(1 / 16, rel=3e-3) and law[0] == pytest.approx(1 / 16 / math.e, rel=3e-3)
    assert law[4:13].sum() > 0.7, "most needles end in the middle half"
    # The best bettor: half of what both laws differ in, B's being the mirror image of A's.
    assert 0.5 + np.abs(law - law[::-1]).sum() / 4 == pytest.approx(0.5921, abs=5e-4)
    assert seen.readout["the best bettor wins"] == "59.2%"
    for noise in range(STOP):
        each = at(noise=noise)
        fallen = float(each["pile"]["fallen"]["x"][0])
        assert abs(fallen - needle(each)) <= 1 / 8, "the needle falls where it stands"
        assert each["pile"]["drawn"]["high"][round(8 * fallen) + 8] > 0, "and is one of the pile"
    many = at(noise=STOP - 1)
    assert many.readout["at A's wall"].endswith("of 480")
    drawn = many["pile"]["drawn"]["high"].astype(float)
    # 480 draws; each of 17 shares is within 5 standard errors.
    assert (np.abs(drawn - law) < 5 * np.sqrt(law * (1 - law) / 480) + 1e-9).all()


def eight_pushes(at):
    one, two = at(d=1), at(d=2)
    for seen, count in ((one, 4), (two, 8)):
        middles = seen["plane"]["middles"]
        for person in "AB":
            cubes, ones = (seen["plane"][f"{key} {person}"] for key in ("of", "ones"))
            place = seen["plane"][f"person {person}"]
            assert len(cubes["left"]) == len(ones["x"]) == count / 2
            assert ((cubes["left"] < place["x"]) & (place["x"] < cubes["right"])).all(), "she is in all"
            assert ((cubes["low"] < place["y"]) & (place["y"] < cubes["high"])).all()
            assert set(zip(ones["x"], ones["y"])) <= set(zip(middles["x"], middles["y"]))
        assert len(middles["x"]) == 6 ** (count // 4)
        assert exact(seen)[-1] == pytest.approx(2.0**-count, rel=5e-3)
        assert (seen["pile"]["walls"]["x"] == [-1, 1]).all()
    assert [seen.readout["the best bettor wins"] for seen in (one, two)] == ["59.2%", "56.8%"]
    places = np.arange(-8, 9) / 8
    means = [float((exact(seen) * places).sum()) for seen in (one, two)]
    spreads = [float((exact(seen) * (places - mean) ** 2).sum()) ** 0.5
               for seen, mean in zip((one, two), means)]
    assert means[1] / means[0] == pytest.approx(0.5, abs=0.05), "half the drift"
    assert spreads[1] / spreads[0] == pytest.approx(0.7, abs=0.03), "but 0.7 times the spread"
    for seen, mean, spread in zip((one, two), means, spreads):
        said = (seen.readout[key].strip("+±\u00a0 α") for key in ("needle's mean", "spread"))
        assert [float(word) for word in said] == pytest.approx([mean, spread], abs=0.01)


def closer(at):
    def reach(**moves):
        seen = at(**moves)
        far = float(seen["needle"]["reach"]["right"][0])
        differ = set(filled(seen, "A")) ^ set(filled(seen, "B"))
        assert far == pytest.approx(len(differ) / 4), "a quarter for each cube that only one of them has"
        assert np.count_nonzero(lengths(seen)) <= len(differ)
        return far

    far = [reach(x2=x2) for x2 in (0.78, 0.4, 0.35, 0.21, 0.2, 0.19)]
    assert far == pytest.approx([1, 0.75, 0.5, 0.5, 0.25, 0])
    assert reach() == 1, "the answer is not told before it is given"
    assert reach(x2=0.01) == reach(x2=0.19) == 0, "nobody can tell two people in the same cubes apart"


def broken(at):
    sound, half = at(), at(mistake="half the noise")
    assert needle(sound) == pytest.approx(1) and needle(half) == pytest.approx(2), "beyond the wall"
    assert np.abs(lengths(sound)).max() == pytest.approx(0.25)
    assert np.abs(lengths(half)).max() == pytest.approx(0.5)
    assert "it passes the wall" in half.readout and "between the walls" in sound.readout
    assert "inside this time" in at(mistake="half the noise", noise=0).readout
    bare = at(mistake="no noise on zeros")
    report, array = bare["report"]["report"]["y"], bare["report"]["array A"]["high"]
    assert (report[array == 0] == 0).all() and (report[array == 1] != 1).all()
    assert np.isnan(needle(bare)) and (lengths(bare)[[0, 1, 3, 4]] > 5).all(), "the arrows leave the picture"
    floats = at(mistake="ordinary floats")
    assert np.isnan(needle(floats)) and lengths(floats).max() > 5
    assert bare.readout["4 numbers prove it"] == floats.readout["82% of the outputs prove it"] == "∞"
    teeth = [set(np.unique(floats["combs"][f"row {k}"]["x"][~np.isnan(floats["combs"][f"row {k}"]["x"])]))
             for k in range(4)]
    assert len(teeth[0] & teeth[1]) < min(len(teeth[0]), len(teeth[1])) / 2, "two combs with other teeth"
    assert teeth[2] == teeth[3] == set(range(40)), "and one comb"


def everything(at):
    seen = at()
    assert {"arrays", "ratio", "law", "tests"} == set(seen.axes)
    best = seen["tests"]["best"]
    assert (best["y"] <= math.e * best["x"] + 1e-6).all(), "what alpha forbids"
    assert float((best["y"] - best["x"]).max()) == pytest.approx(0.184, abs=2e-3)


FACTS = [
    Fact("ldp_check", "her report", her_report, {"x": 0.2}),
    Fact("ldp_check", "needle", four_pushes, {"x2": 0.33}),
    Fact("ldp_check", "bet", twenty_bets, {"shown": False}),
    Fact("ldp_check", "law", the_law, {"d": 2}),
    Fact("ldp_check", "two features", eight_pushes, {"d": 1}),
    Fact("ldp_check", "closer", closer, {"y2": False}),
    Fact("ldp_check", "break it", broken, {"mistake": "no mistake"}),
    Fact("ldp_check", "explore", everything, {"alpha": 8.0}),
]


def test_both_people_are_of_the_cast():
    X, y = cast()
    for scene in ("her report", "explore"):
        position = STORY.starts()[scene]
        for number, control in ((24, "x"), (133, "x2")):
            assert round(X[number, 0], 2) == position[control] and y[number] == 1
        assert [age(position[control]) for control in ("x", "x2")] == ["27", "75"]


def test_eight_in_ten_outputs_of_floats_prove_who_sent_them():
    """Another sample than the story's, four times as many: one standard error is 0.002."""
    noise = float_laplace(1.0, 0.2).noise
    sent = 1 + noise.sample(40_000, np.random.default_rng(3))
    assert reachability_attack(sent, 0.0, noise).rate == pytest.approx(0.82, abs=0.01)


def test_words_at_the_walls_are_those_of_the_exact_law():
    below = STORY.show(**STORY.starts()["law"]).picture.axes[1]
    marks = {mark.key: mark for mark in below.marks}
    assert marks["walls words"].options["words"] == ["1 in 43", "1 in 16"]
    assert 1 / marks["exact"].arrays["high"][[0, -1]] == pytest.approx([16 * math.e, 16], rel=4e-3)


def test_people_stand_where_they_are_and_b_is_a_handle():
    """A, of whom the sentence says that she is 27, stays."""
    position = STORY.starts()["closer"]
    marks = {mark.key: mark for mark in STORY.show(**position).picture.axes[0].marks}
    for person, control, grip in (("A", "x", None), ("B", "x2", handle("x2"))):
        mark = marks[f"person {person}"]
        assert mark.options["handle"] == grip
        assert mark.arrays["x"] == np.float32(position[control])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_reports_fit_into_their_axes(mistake):
    for noise in range(STOP):
        seen = moved(kind("ldp_check"), "break it", mistake=mistake, noise=noise)
        if "report" in seen.axes:
            assert np.abs(seen["report"]["report"]["y"]).max() < 16
            assert len(seen["report"]["report"]["x"]) == len(GRID)


def test_the_panel_is_explore_where_no_scene_is_named():
    assert "reaches α = 1 exactly" in STORY.show().says and "only 50.0%" in STORY.show(x2=0.33).says
    assert dict(STORY.show(x2=0.33).numbers)["exact loss"] == "0.5 of α = 1 (50.0%)"
    assert panel("ldp_check").values["scene"] == "her report"

"""The story of notebook 03: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import numpy as np
import pytest
from story_facts import Fact


def bump(at):
    seen = at()
    eta = seen["truth"]["eta"]
    assert abs(eta["y"].max() - 0.7) < 1e-6, "a bump of half-width 0.2 is 0.2 high"
    x = eta["x"].astype(float)
    cube = (x > 0) & (x < 0.4)
    area = ((eta["y"].astype(float) - 0.5)[cube]).sum() * (x[1] - x[0])
    assert seen.heights("signal", "score")[0] == pytest.approx(area, rel=1e-3), "its area"
    assert seen.heights("signal", "score")[0] == pytest.approx(0.04)


def halve_h(at):
    wide, narrow = at(), at(width=0.1)
    bars = [np.abs(seen.heights("signal", "score"))[0] for seen in (wide, narrow)]
    assert bars == pytest.approx([0.04, 0.01]) and wide.noise("score") == narrow.noise("score")
    assert wide.noise("score") == pytest.approx(0.00894, abs=5e-6)


def who(at):
    def inside(seen):
        return int(np.isfinite(seen["who"]["inside"]["x"]).sum())

    narrow, wide = at(), at(width=0.2)
    assert inside(narrow) < inside(wide), "fewer people in a narrow cube"
    assert narrow.readout["noise of the sum"] == wide.readout["noise of the sum"] == "±67.9"
    sent = [seen["who"]["outside"]["y"] - np.isfinite(seen["who"]["inside"]["x"]) for seen in (narrow, wide)]
    assert sent[0] == pytest.approx(sent[1], abs=1e-5) and (sent[0] != 0).all(), "everybody sends noise"


def cross(at):
    places = [float(at(n=n)["scales"]["cross"]["x"][0]) for n in (10**6, 4 * 10**6, 16 * 10**6)]
    assert places == pytest.approx([0.0946, 0.0669, 0.0473], abs=5e-5)
    seen = at(open=True)["scales"]
    assert len(np.unique(seen["noise"]["y"])) == 1, "the private noise is flat"
    logs = {key: np.diff(np.log(seen[key]["y"])) / np.diff(np.log(seen[key]["x"])) for key in ("bar", "open")}
    assert logs["bar"] == pytest.approx(2, abs=1e-3) and logs["open"] == pytest.approx(0.5, abs=1e-3)
    at_cross = np.interp(places[0], seen["bar"]["x"], seen["bar"]["y"])
    assert at_cross == pytest.approx(float(seen["noise"]["y"][0]), rel=2e-3)


def two_features(at):
    def people(d, open_, factor=2.0):
        """How many times the people move the crossing to h / 2: a slope of the picture's own lines."""
        seen = at(d=d, open=open_)["scales"]
        noise = seen["open" if open_ else "noise"]["y"].astype(float)
        bar = np.log(seen["bar"]["y"].astype(float))
        slopes = [np.polyfit(np.log(seen["bar"]["x"]), y, 1)[0] for y in (bar, np.log(noise))]
        return factor ** (2 * (slopes[0] - slopes[1]))

    assert [people(d, False) for d in (1, 2)] == pytest.approx([16, 64], rel=1e-3)
    assert [people(d, True) for d in (1, 2)] == pytest.approx([8, 16], rel=1e-3)


def best_h(at):
    seen = at()["compromise"]
    worst = seen["worst"]["y"].astype(float)
    assert worst.min() == pytest.approx(0.00040, abs=5e-6)
    assert worst[np.argmin(np.abs(seen["worst"]["x"] - 1))] == pytest.approx(0.00213, abs=5e-6)
    assert worst == pytest.approx(np.fmax(seen["noise"]["y"], seen["bias"]["y"]).astype(float))


def budget(at):
    before = at()["budget"]["risk"]["y"]
    assert np.isnan(before[-1]) and np.nanargmin(before) == np.isfinite(before).sum() - 1, "so far it falls"
    risk = at(seen=True)["budget"]["risk"]["y"].astype(float)
    low = int(risk.argmin())
    assert 0 < low < len(risk) - 1 and risk[-1] > 8 * risk[low], "the risk rises again"
    capped = at(capped=True, seen=True)["budget"]["risk"]["y"].astype(float)
    assert (np.diff(capped) <= 1e-9).all() and capped[-1] < risk[-1]


def whole_theorem(at):
    seen = at()
    assert {"worst", "sharp", "printed", "lower"} <= set(seen["people"])
    printed = seen["people"]["printed"]
    slope = np.polyfit(np.log(printed["x"].astype(float)), np.log(printed["y"].astype(float)), 1)[0]
    assert slope == pytest.approx(-0.5, abs=1e-3), "the theorem's exponent"
    assert (seen["people"]["worst"]["y"] > np.interp(
        seen["people"]["worst"]["x"], seen["people"]["lower"]["x"], seen["people"]["lower"]["y"])).all()


FACTS = [
    Fact("upper_rate", "bump", bump, {"width": 0.1}),
    Fact("upper_rate", "halve h", halve_h, {"n": 10**8}),
    Fact("upper_rate", "who", who, {"width": 0.2}),
    Fact("upper_rate", "cross", cross, {"d": 2}),
    Fact("upper_rate", "two features", two_features, {"d": 2}),
    Fact("upper_rate", "best h", best_h, {"n": 10**6}),
    Fact("upper_rate", "break it", budget, {"capped": True}),
    Fact("upper_rate", "explore", whole_theorem, {"beta": 0.25}),
]

"""The story of notebook 02: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import math

import numpy as np
import pytest
from story_facts import Fact

from ldp_lib.lessons.consistency.explore import SURVEYED, WIDTH


def one_report(at):
    seen = at()
    assert sorted(seen.heights("signal")) == [0] * 6 + [1, 1], "she is in two of eight cubes"
    assert math.isclose(seen.noise(), math.sqrt(2) * 4, rel_tol=1e-6), "and her noise is 4 sqrt 2 = 5.66 bars"
    other = at(noise=1)
    assert (other["bars"]["report"]["y"] != seen["bars"]["report"]["y"]).all(), "zeros get noise, too"


def a_hundred_and_forty_four(at):
    seen = at()
    tallest = np.abs(seen.heights("signal")).max()
    assert math.isclose(seen.noise(), 4 * math.sqrt(5 / 144), rel_tol=1e-6)
    assert 9.1 <= seen.noise() / tallest <= 9.2, "the noise is nine times the tallest bar"
    assert abs(seen.right() - 0.511) < 1e-9


def more_people(at):
    stops = [144 * 4**k for k in range(6)]
    levels = [at(n=n).noise() for n in stops]
    assert np.allclose(np.divide(levels[:-1], levels[1:]), 2, rtol=1e-6), "half the noise"
    signal = [at(n=n).heights("signal") for n in stops]
    assert all((bars == signal[0]).all() for bars in signal), "the bars stay"
    tallest = np.abs(signal[0]).max()
    assert next(n for n, level in zip(stops, levels) if level < tallest) == 36_864, "12,015 people would do"
    right = [at(n=n).right() for n in (*stops, SURVEYED)]
    assert right == pytest.approx([0.511, 0.521, 0.541, 0.578, 0.629, 0.668, 0.674])


def sign(at):
    seen = at()
    decided = seen["decisions"]
    middles = (decided["one"]["left"] + decided["one"]["right"]) / 2
    places = (seen["bars"]["seen"]["left"] + seen["bars"]["seen"]["right"]) / 2
    ones = middles[~np.isnan(middles)]
    nearest = np.abs(ones[:, None] - places).argmin(axis=1)
    assert (seen.heights("seen")[nearest] >= 0).all(), "above zero the rule says 1"
    off = np.abs(seen.heights("seen") - seen.heights("signal")).max()
    assert off > 0.3 * np.abs(seen.heights("signal")).max(), "the heights are wrong"


def half_the_budget(at):
    whole, half = at(), at(alpha=0.5)
    assert math.isclose(half.noise(), 2 * whole.noise(), rel_tol=1e-6)
    assert math.isclose(at(alpha=0.5, n=147_456).noise(), whole.noise(), rel_tol=1e-6)
    assert half.right() < whole.right() - 0.04
    assert at(alpha=0.5, n=147_456).right() == pytest.approx(whole.right(), abs=0.0015)


def narrow_cubes(at):
    wide, narrow = at(h=0.16), at()
    assert wide.noise() == narrow.noise(), "the noise stays"
    tallest = [float(np.abs(seen.heights("signal")).max()) for seen in (wide, narrow)]
    assert tallest == pytest.approx([0.0816, 0.0449], abs=5e-5), "the bars are lower"
    assert [at(h=h).right() for h in (0.281, 0.16, 0.0625)] == pytest.approx([0.622, 0.674, 0.650])
    assert max(at(h=h).right() for h in WIDTH.values) == 0.674, "0.16 is best, and no width reaches 69%"


def share_of_a_cube(at):
    seen, narrow = at(), at(h=0.177)
    inside = [np.isfinite(each["people"]["inside"]["x"]).sum() for each in (seen, narrow)]
    assert inside == [64, 16], "of 144 people; half as wide, a quarter of them"
    line = {key: seen["scales"][key] for key in ("bar", "noise")}
    slope, flat = (np.diff(np.log(line[key]["y"])) / np.diff(np.log(line[key]["x"])) for key in line)
    assert slope == pytest.approx(2, abs=1e-4), "the bar is proportional to h^d"
    assert (flat == 0).all(), "the noise does not move with h"

    def ratio(each):
        return float(each["scales"]["here"]["y"][0] / each["scales"]["noise"]["y"][0])

    back = at(h=0.177, n=16 * 9216)
    assert ratio(back) == pytest.approx(ratio(seen), rel=1e-5), "16 times the people"
    assert ratio(narrow) == pytest.approx(ratio(seen) / 4, rel=1e-5)
    # What the theorem lets grow is this ratio, squared.
    for n, h in ((9216, 0.354), (400, 0.0625), (1_000_000, 0.14)):
        assert ratio(at(n=n, h=h)) ** 2 == pytest.approx(n * h**4 / 80, rel=1e-5)


def too_fast(at):
    def ratio(**moves):
        race = at(**moves)["race"]
        return race["tallest"]["y"] / race["noise"]["y"]

    slow, fast = ratio(), ratio(pace=0.6)
    assert (np.diff(slow[2:]) > 0).all() and slow[-1] > 2, "the bars rise above the noise"
    assert fast[-1] < fast[3], "the bars fall faster than the noise"
    assert at(law="Cantor set")["risk"]["risk"]["y"][-1] == pytest.approx(0.0350, abs=1e-4), "any law"
    dry = at(pace=1.5, growing=True)["risk"]
    assert dry["risk"]["y"][-1] > 0.9 * dry["coin"]["y"][0], "no noise, and no people in the cubes"


def has_a_boundary(at):
    seen = at()
    assert np.isfinite(seen["fit"]["best"]["y"]).sum() > 20, "a line, not two upright ones"
    assert len(np.unique(seen["fit"]["areas"]["values"])) == 2


FACTS = [
    Fact("consistency", "one report", one_report, {"alpha": 2.0}),
    Fact("consistency", "144 reports", a_hundred_and_forty_four, {"n": 576}),
    Fact("consistency", "more people", more_people, {"h": 0.08}),
    Fact("consistency", "sign", sign, {"n": 1_000_000}),
    Fact("consistency", "half the budget", half_the_budget, {"alpha": 2.0}),
    Fact("consistency", "narrow cubes", narrow_cubes, {"n": 36_864}),
    Fact("consistency", "share of a cube", share_of_a_cube, {"d": 1}),
    Fact("consistency", "break it", too_fast, {"pace": 0.6}),
    Fact("consistency", "explore", has_a_boundary, {"problem": "sine"}),
]

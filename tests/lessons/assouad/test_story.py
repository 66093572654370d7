"""The story of notebook 04: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib.lessons.assouad import explore
from ldp_lib.lessons.assouad import story as assouad
from ldp_lib.lessons.assouad.numbers import best_game, game_with, rectangles
from ldp_lib.lessons.assouad.story import ALPHAS, BINS, DUEL, FLIPS, PLACE, STOPS, STORY
from ldp_lib.lessons.assouad.numbers import CELLS
from ldp_lib.live import kind
from ldp_lib.theory import lower_bound
from ldp_lib.theory.classification.game import (
    Game, challenge, margin_constant, one_bit_risk, one_bit_tv, public_risk,
)
from ldp_lib.theory.contraction import indistinguishability, mirrored_overlap, reports_total_variation

Assouad = kind("assouad")
FLOAT = 2e-6
"""Relative rounding of float32, in which pictures keep their numbers."""


def sides(seen):
    """Width and height of the rectangle."""
    area = seen["rectangle"]["area"]
    assert area["left"] == area["low"] == 0, "it stands in the corner"
    return float(area["right"][0]), float(area["high"][0])


def area(seen):
    return math.prod(sides(seen))


def signs_of(seen):
    """Up or down, from the bumps themselves."""
    tops = seen["truth"]["people"]["y"].reshape(8, 3)[:, 0].astype(float)
    assert np.abs(tops) == pytest.approx(1 / 64, rel=FLOAT), "2 eta - 1 is 1/32 there, so eta - 1/2 is half"
    return np.sign(tops)


def eight_signs(at):
    seen = at()
    signs, sums = signs_of(seen), seen.heights("seen", "sums")
    assert seen.noise("sums") == 1
    assert seen.heights("signal", "sums") == pytest.approx(0.4513 * signs, abs=5e-5), "low in the noise"
    wrong = np.isfinite(seen["sums"]["wrong"]["x"])
    assert (wrong == (np.sign(sums) != signs)).all() and wrong.sum() == 4, "a guess follows the sum"
    assert seen.readout["each costs Δ"] == "0.000977" and seen.readout["their cost"] == "0.00391"
    assert seen.readout["2 × share × height"] == "2 · 1/32 · 1/64" and 2 / 32 / 64 == 2**-10
    assert (seen["sums"]["ends"]["y"] == seen["sums"]["seen"]["low"] + seen["sums"]["seen"]["high"]).all(), (
        "a sum near 0 is seen, too")
    turned = at(sign1=-1)
    assert (signs_of(turned) != signs).tolist() == [True] + 7 * [False], "a flip turns one bump"
    assert (turned.heights("seen", "sums")[1:] == sums[1:]).all(), "and one sum"
    assert turned.heights("seen", "sums")[0] - sums[0] == pytest.approx(-2 * 0.4513, abs=0.15)
    # 192 guesses: one standard error of the share is 0.034.
    share = np.mean([np.isfinite(at(noise=noise)["sums"]["wrong"]["x"]).mean() for noise in range(24)])
    assert abs(share - 0.326) < 5 * 0.034


def overlap(at):
    before = at()
    assert "overlap" not in before["hills"], "not told before"
    assert "hidden from one bit each" not in before.readout
    seen = at(shown=True)["hills"]
    up, down = (seen[key]["y"][:-1:2].astype(float) for key in ("up", "down"))
    assert up.sum() == pytest.approx(1, abs=3e-4) and up == pytest.approx(down[::-1], abs=3e-5)
    middles = (BINS[1:] + BINS[:-1]) / 2
    assert [float(law @ middles) for law in (up, down)] == pytest.approx([0.451, -0.451], abs=3e-3)
    both = seen["overlap"]["high"][::2].astype(float)
    assert both.sum() == pytest.approx(0.652, abs=5e-4) and (both == np.minimum(up, down)).all()
    assert at(shown=True).readout["wrong"] == "32.6%", "1 in 3"
    sums = [float(at(noise=noise)["hills"]["sum"]["x"][0]) for noise in range(24)]
    # The mean of 24 sums has the standard error 0.2.
    assert abs(np.mean(sums) - 0.451) < 3 * 0.2, "a sum comes from the hill of the sign"


def own_bit(at):
    seen = at()
    tops = seen.heights("bits", "bit")
    spent = max(math.log(tops.max() / tops.min()), math.log((1 - tops.min()) / (1 - tops.max())))
    assert float(seen.readout["budget spent"].removesuffix(" of 1")) == pytest.approx(spent, abs=5e-4)
    low, high = (float(seen["bit"]["allowed"][side][0]) for side in ("low", "high"))
    assert low == pytest.approx(tops.min()) and high <= math.e * low + 1e-6, "no bar is above e times another"
    score = "score: risk / bound"
    assert seen.readout[score] == "2.459"
    assert at(yes=0.79).readout[score] == "refused", "above the band"
    assert at(yes=0.77).readout[score] != "refused"
    assert at(yes=0.73, no=0.27, outside=0.5).readout[score] == "1.616"
    assert at(yes=0.73, no=0.27, outside=0.27).readout[score] == "1.479"
    wall, best = (float(seen["hills"][key]["x"][1]) for key in ("walls", "best"))
    least = 2 * NormalDist().cdf(-wall)
    assert DUEL.bound() / DUEL.coin == pytest.approx(least, rel=1e-5), "hidden at least, whatever is sent"
    for yes, no, outside in itertools.product(np.arange(10, 91, 20) / 100, repeat=3):
        bit = at(yes=yes, no=no, outside=outside)
        up, down = bit["hills"]["tops"]["x"].astype(float)
        assert (up > down) == (yes > no) or yes == no, "a larger bar moves its hill"
        both = bit["hills"]["overlap"]
        if bit.readout[score] != "refused":
            assert np.trapezoid(both["high"], both["x"]) / least == pytest.approx(float(bit.readout[score]),
                                                                                 rel=6e-3), "their overlap"
            assert abs(up) < best < wall, "no private hill stands at the wall"
    over = at(yes=0.99, no=0.01, outside=0.01)
    assert over.readout[score] == "refused"
    assert over["hills"]["tops"]["x"][0] > wall, "no promise, no bound"


def largest_rectangle(at):
    areas = {q: area(at(place=q)) for q in PLACE.values}
    assert max(areas, key=areas.get) == 8
    shown = [areas[q] for q in (4, 6, 8, 12, 16, 64)]
    assert shown == pytest.approx([5.69e-6, 0.00124, 0.00210, 0.00163, 0.00121, 0.00017], rel=0.01)
    widths, heights = zip(*(sides(at(place=q)) for q in PLACE.values))
    assert (np.diff(widths) < 0).all() and (np.diff(heights) > 0).all(), "taller costs more and hides worse"
    assert "largest area" not in at(place=8).readout, "not told before"
    seen = at(place=8, seen=True)
    assert seen.readout["area = bound"] == seen.readout["largest area"] == "0.00210"
    both = seen.readout["hidden, any mechanism / one bit"]
    assert both == "0.5385 / 0.652", "half; and as in the scene before"
    curve = seen["rectangle"]["private"]
    assert np.interp(sides(seen)[0], curve["x"][::-1], curve["y"][::-1]) == pytest.approx(sides(seen)[1])
    # Its handle stands where the hider does.
    assert {q: at(place=q)["rectangle"]["hider"]["x"][0] for q in (5, 64)} == pytest.approx(
        {5: 0.0883883 * 5**-1.5, 64: 0.0883883 * 64**-1.5}, rel=1e-5)
    assert area(at()) > 0.0003, "where the scene begins there is a rectangle to be seen"


def more_people(at):
    areas = [area(at(n=n)) for n in (10**4, 10**6, 10**8)]
    assert areas == pytest.approx([0.00811, 0.00210, 0.00037], abs=5e-6)
    assert areas[1] / areas[2] == pytest.approx(5.67, abs=5e-3), "100^(3/8) = 5.62"
    assert [at(n=n).readout["cells q"] for n in (10**4, 10**6, 10**8)] == ["3", "8", "25"]
    before = at()["areas"]["bounds"]
    assert (np.isfinite(before["y"]) == (before["x"] <= 10**6)).all(), "not told before"
    line = at(seen=True)["areas"]["bounds"]
    assert at(n=10**8).readout["signs that the class allows"] == "14", "of 25 cells"
    many = line["x"] >= 10**6
    slope = np.polyfit(*(np.log(line[side][many].astype(float)) for side in "xy"), 1)[0]
    assert slope == pytest.approx(-3 / 8, abs=0.01), "the theorem's exponent"
    dot = at()["areas"]["here"]
    assert (dot["x"][0], dot["y"][0]) == pytest.approx((10**6, areas[1]), rel=1e-5)


def gap(at):
    seen = at()
    curve = seen["scores"]["score"]
    assert curve["x"].tolist() == pytest.approx(ALPHAS)
    shown = [float(curve["y"][ALPHAS.index(alpha)]) for alpha in (0.125, 0.5, 1.0, 2.0, 4.0)]
    assert shown == pytest.approx([1.012, 1.090, 1.210, 1.390, 1.785], abs=5e-4)
    wall = float(seen["rectangle"]["bound"]["high"][0])
    assert sides(seen)[1] / wall == pytest.approx(1.210, abs=5e-4), "one bit's rectangle against the wall's"
    lines = seen["rectangle"]
    assert (lines["bit"]["y"] >= lines["private"]["y"]).all(), "no private mechanism is below"
    assert seen["scores"]["here"]["y"][0] == pytest.approx(1.210, abs=5e-4)


def unprotected(at):
    whole, labels, opened = (at(protect=words) for words in ("x and y", "only y", "nothing"))
    assert area(whole) == pytest.approx(0.0021035, abs=1e-7) and sides(labels)[0] == sides(whole)[0]
    assert area(labels) == pytest.approx(4.17e-5, abs=1e-7)
    assert area(whole) / area(labels) == pytest.approx(50.4, abs=0.1), "a fiftieth"
    best = {words: max(PLACE.values, key=lambda q: area(at(protect=words, place=q)))
            for words in ("only y", "nothing")}
    assert best == {"only y": 20, "nothing": 32}
    largest = area(at(protect="nothing", place=32))
    assert largest == pytest.approx(0.000239, abs=5e-7)
    assert area(whole) / largest == pytest.approx(8.8, abs=0.05)
    assert [seen.readout["budget spent"] for seen in (whole, labels, opened)] == ["1", "∞, on labels 1", "∞"]
    assert not any("largest area" in seen.readout for seen in (whole, labels, opened)), "not told before"
    lines = opened["rectangle"]
    assert lines["edge"]["high"] == lines["area"]["high"], "its outline is seen where it is low"
    assert (lines["open"]["y"] <= lines["private"]["y"] + 1e-6).all(), "lower bumps only stay hidden"


def all_of_it(at):
    seen = at()
    assert {"cube", "ratio", "chance", "ladder"} == set(seen.axes)
    rungs = seen["ladder"]["rungs"]["right"].astype(float)
    assert (np.diff(rungs) < 0).all() and rungs[-1] > 0.3, "no rung is empty where the scene begins"
    assert rungs[2] == pytest.approx(0.8743, abs=5e-5) and seen.readout["lower bound"] == "0.001207"
    chosen = at(choose=True)
    assert chosen.readout["hypercube"].startswith("q = 8, m = 8")
    assert chosen.readout["lower bound"] == "0.002104"
    rungs = chosen["ladder"]["rungs"]["right"].astype(float)
    assert rungs[1] / rungs[2] == pytest.approx(1.210, abs=5e-4)


FACTS = [
    Fact("assouad", "signs", eight_signs, {"noise": 3}),
    Fact("assouad", "one bump", overlap, {"up": "down"}),
    Fact("assouad", "rectangle", largest_rectangle, {"protect": "nothing"}),
    Fact("assouad", "your bit", own_bit, {"no": 0.3}),
    Fact("assouad", "people", more_people, {"n": 10**5}),
    Fact("assouad", "one bit", gap, {"alpha": 2.0}),
    Fact("assouad", "break it", unprotected, {"place": 16}),
    Fact("assouad", "explore", all_of_it, {"q": 4}),
]


@pytest.mark.parametrize("fact", FACTS, ids=[fact.scene for fact in FACTS])
def test_a_scene_shows_its_fact(fact):
    fact.told(lambda **moves: moved(Assouad, fact.scene, **moves))


@pytest.mark.parametrize("fact", FACTS, ids=[fact.scene for fact in FACTS])
def test_a_changed_scene_no_longer_shows_it(fact):
    with pytest.raises(AssertionError):
        fact.told(lambda **moves: moved(Assouad, fact.scene, **(moves | fact.broken)))


# The numbers of the pictures are those of the library.

@pytest.mark.parametrize("q", [3, 8, 25, 120])
def test_curves_are_the_exact_risks_of_the_game(q):
    place = int(np.flatnonzero(CELLS == q)[0])
    game = Game.by_hand(10**6, 1.0, 1.0, 0.5, 1, q, 1.0, 1.0)
    shares = [(game.w + side * game.separation) / 2 for side in (1, -1)]
    risks = {"x and y": game.bound(), "only y": public_risk(game),
             "nothing": game.coin * float(mirrored_overlap(game.n, *shares))}
    for protect, risk in risks.items():
        costs, hidden = rectangles(10**6, 1.0, protect)
        assert costs[place] == pytest.approx(game.coin)
        assert costs[place] * hidden[place] == pytest.approx(risk)
    bit = moved(Assouad, "one bit", alpha=1.0)["rectangle"]["bit"]["y"][place]
    assert bit * game.coin == pytest.approx(one_bit_risk(game))


@pytest.mark.parametrize("n, alpha", [(10**4, 1.0), (10**6, 0.125), (10**6, 4.0), (10**8, 1.0)])
def test_the_largest_rectangle_is_the_lower_bound_of_the_library(n, alpha):
    exact = lower_bound(n, alpha, 1.0, 0.5, 1, C0=margin_constant(0.5))
    mine = best_game(n, alpha)
    assert (mine.q, mine.m) == (exact.q, exact.m) and mine.bound() == pytest.approx(exact.value, rel=1e-9)


def test_no_number_of_cells_beyond_the_curves_is_better():
    for n, alpha in ((STOPS[0], 1.0), (STOPS[-1], 1.0), (10**6, ALPHAS[0]), (10**6, ALPHAS[-1])):
        place = int(np.multiply(*rectangles(n, alpha)).argmax())
        assert 0 < place < len(CELLS) - 1 or n == 10**4
    assert game_with(2, 10**4).bound() < best_game(10**4).bound()


def test_the_hills_overlap_as_the_library_says():
    expected = 1 - float(one_bit_tv(10**6, 1.0, 2.0**-10))
    assert assouad.overlap(game_with(8)) == pytest.approx(expected)
    assert assouad.overlap(best_game(10**6)) == pytest.approx(expected)
    shown, = (mark.options["words"] for mark in assouad.one_bump(shown=True).picture.axes[0].marks
              if mark.key == "overlap words")
    assert shown == [f"hidden: overlap {expected:.0%}"]
    assert np.minimum(*assouad.hills()).sum() == pytest.approx(expected, abs=3e-4)
    assert expected > float(indistinguishability(10**6, 1.0, 2.0**-10)) == pytest.approx(0.5385, abs=5e-5)


def test_sums_have_the_law_of_the_bits():
    """Of 4,800 sums; five standard errors."""
    sums = np.array([[assouad.received(k, up, noise) for k in range(100) for noise in range(24)]
                     for up in (True, False)])
    shift = 1000 * 2.0**-10 * math.tanh(0.5)
    assert np.abs(sums.mean(axis=1) - [shift, -shift]).max() < 5 / math.sqrt(2400)
    assert np.abs(sums.std(axis=1) - 1).max() < 5 / math.sqrt(4800)


def test_no_bit_is_better_than_the_best():
    """The risk is least at a corner: every chance is the least or the largest that the budget allows."""
    scores = []
    for low in np.append(np.linspace(0.02, 0.6, 30), 1 / (1 + math.e)):
        most = min(math.e * low, 1 - (1 - low) / math.e)
        for yes, no, outside in itertools.product((low, most, (low + most) / 2), repeat=3):
            found = challenge(lambda inside, y: [p := ((no, yes)[y] if inside else outside), 1 - p], DUEL)
            scores.append(found.risk / found.bound)
    assert min(scores) == pytest.approx(assouad.BEST_BIT, abs=5e-4)


@pytest.mark.parametrize("yes, outside, words", [(0.73, 0.27, "nearly the best bit"), (0.79, 0.5, "refused"),
                                                 (0.5, 0.5, "hardly"), (0.7, 0.5, "apart")])
def test_the_score_is_answered(yes, outside, words):
    bit = assouad.your_bit(yes=yes, no=0.4 if outside == 0.5 else 0.27, outside=outside)
    assert words in bit.picture.axes[1].title


@pytest.mark.parametrize("bit", [(0.7, 0.4, 0.5), (0.73, 0.27, 0.27), (0.2, 0.5, 0.3)])
def test_the_score_is_the_duels(bit):
    yes, no, outside = bit
    budget, score = assouad.judged(yes, no, outside)
    tv = reports_total_variation(1000, *(
        [one, 1 - one] for side in (1, -1)
        for one in [(0.25 + side / 16) / 2 * yes + (0.25 - side / 16) / 2 * no + 0.75 * outside]))
    assert score == pytest.approx((1 - tv) / 2 * 0.0625 / DUEL.bound())
    judged = challenge(lambda inside, y: [p := ((no, yes)[y] if inside else outside), 1 - p], DUEL)
    assert budget == pytest.approx(judged.budget)
    # A chance at the edge of the band spends the whole budget.
    most = float(moved(Assouad, "your bit", yes=yes, no=no, outside=outside)["bit"]["allowed"]["high"][0])
    rows = np.array([[low := min(bit), 1 - low], [most, 1 - most]])
    assert np.abs(np.log(rows[0] / rows[1])).max() == pytest.approx(1)


def test_every_sign_can_be_dragged():
    picture = STORY.show(**STORY.starts()["signs"]).picture
    grips = {mark.key: mark for mark in picture.axes[0].marks if mark.options.get("handle")}
    assert list(grips) == [control.name for control in FLIPS]
    for name, mark in grips.items():
        grip, (y,) = mark.options["handle"], mark.arrays["y"]
        assert grip["control"] == name and grip["along"] == "y"
        assert (y - grip["offset"]) / grip["factor"] == pytest.approx(math.copysign(1, y), abs=1e-5)


def test_the_default_position_has_a_ladder():
    """Not the one at which everybody finds out every sign."""
    default = {control.name: control.default for control in explore.everything.controls[:-1]}
    assert (explore.rungs(explore.hypercube(**default)) > 0).all()

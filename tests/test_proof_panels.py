"""The proofs as stories: their pictures show the sides of the ledgers, and no scene breaks the layout."""

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from ldp_lib.estimation import OneBitClassifier
from ldp_lib.lessons import steps as proof
from ldp_lib.lessons.assouad import proof as proof_assouad
from ldp_lib.lessons.bayes import proof as proof_bayes
from ldp_lib.lessons.consistency import proof as proof_consistency
from ldp_lib.lessons.ldp_check import proof as proof_ldp_check
from ldp_lib.lessons.upper_rate import proof as proof_upper_rate
from ldp_lib.lessons.upper_rate.ledger import CHAIN
from ldp_lib.lessons.upper_rate.numbers import waterfall
from ldp_lib.live import corners, kind, panel
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit, WaveletLaplace
from ldp_lib.risk import excess_risk
from ldp_lib.stage.ledger import Ledger
from ldp_lib.theory import DenseFamily, SparseFamily, ledger, lower_bound
from ldp_lib.theory.classification.game import Game, one_bit_risk
from ldp_lib.theory.contraction import dominating_pair, symmetric_kl

STORIES = (ProofLdpCheck, ProofConsistency, ProofUpperRate, ProofBayes, ProofAssouad, ProofBeyond,
           ProofElbow, ProofSecondQuestion) = [kind(f"proof_{name}") for name in (
               "ldp_check", "consistency", "upper_rate", "bayes", "assouad", "beyond", "elbow",
               "second_question")]
LN10 = math.log(10)
FLOAT = 2e-6
"""Relative rounding of float32, in which pictures keep their numbers."""


def drawn(story, scene, **moved):
    """Marks of a scene by the keys of their axes and their own."""
    values = story.starts()[scene] | moved
    picture = story.show(**values).picture
    return {(axes.key, mark.key): mark for axes in picture.axes for mark in axes.marks}


def heights(mark):
    return np.abs(mark.arrays["high"].astype(float) - mark.arrays["low"])


WASTED = 25_960.882, 501.10454, 21_100.984, 15.149394
"""Times as many people by each step of the proof of votes. (Once they were said to be 501.12 and 21,100.14:
logarithms of factorials had left two digits at 10^12 people.)"""


def factors(marks):
    """What the bars of the staircase waste, from top to bottom; and the words beside them."""
    sides = [marks["waste", key].arrays for key in ("before", "now") if ("waste", key) in marks]
    sides = {name: np.concatenate([each[name] for each in sides]).astype(float) for name in sides[0]}
    order = np.argsort(-sides["low"])
    texts = [marks["waste", key] for key in ("factors", "late factors") if ("waste", key) in marks]
    words = sorted((-y, word) for mark in texts for y, word in zip(mark.arrays["y"], mark.options["words"]))
    return 10 ** (sides["right"] - sides["left"])[order], [word for _, word in words]


def book_2_2(**params):
    """The ledger at the cube of the story, t being its bar."""
    return ledger("2.2", **{"n": 10**6, "alpha": 1.0, "d": 1, "p": 0.2, "q": 0.15, "t": 0.05} | params)


def chain_2_2(book):
    left = book["(3.1), exponent"].right + book["mgf"].right - book["mgf"].left
    return [book["(3.1)"].right / left, left / book["(3.1), exponent"].right,
            book["(3.1), exponent"].slack, book["(3.2)"].slack / book["(3.1)"].slack]


# All stories.

@pytest.mark.parametrize("story", STORIES)
def test_every_corner_computes_and_draws(story):
    for values in corners(story):
        result = story.show(**values)
        picture = result.picture
        assert 1 <= len(picture.axes) <= 2, values
        for axes in picture.axes:
            for mark in axes.marks:
                arrays = list(mark.arrays.values())
                assert not any(np.isinf(array).any() for array in arrays), (values, mark.key)
        assert result.says and result.numbers


@pytest.mark.parametrize("story", STORIES)
def test_scenes_are_short_and_plain(story):
    for scene in story.scenes:
        assert len(scene.sentence.split()) <= 25, scene.sentence
        assert not re.search(r"[()]", scene.sentence)
        values = story.starts()[scene.name]
        picture = story.show(**values).picture
        for axes in picture.axes:
            lines = [mark for mark in axes.marks if mark.kind == "line"]
            assert len(lines) <= 3 and all(mark.label for mark in lines), (scene.name, axes.key)
        assert scene.name == "explore" or len(story.shown(scene.name)) <= 3


@pytest.mark.parametrize("story", STORIES)
def test_formulas_are_mathml(story):
    for scene in story.scenes:
        if scene.formula:
            root = ElementTree.fromstring(f"<p>{scene.formula}</p>")
            words = "".join(root.itertext())
            assert {side.tag for side in root} <= {"math", "wbr"}
            assert not re.search("alpha|lambda|Lam|frac|[{}^]", words)
    assert sum(bool(scene.formula) for scene in story.scenes) >= len(story.scenes) - 1


def test_formulas_reach_the_browser_and_the_still_pictures():
    live = panel("proof_consistency")
    scene = live.scenes[1]
    assert live.spec["scenes"][1]["formula"] == scene.formula
    row = live._repr_mimebundle_()["text/html"]
    assert row.index(scene.sentence.split("?")[0]) < row.index(scene.formula)


def test_a_formula_must_close_what_it_opens():
    with pytest.raises(ValueError, match="closes a brace"):
        proof.mathml("a}")
    with pytest.raises(ValueError, match="does not close"):
        proof.mathml("x^{2")


@pytest.mark.parametrize("story", STORIES)
def test_words_fit_into_the_picture(story):
    """Factors stand beside their bars, inside the axes: a letter has 11 pixels, the axes 250 at least."""
    for values in story.starts().values():
        for axes in story.show(**values).picture.axes:
            if axes.key == "waste":
                for mark in (mark for mark in axes.marks if mark.kind == "text"):
                    share = mark.arrays["x"] / axes.x.high
                    room = 250 * (share if mark.options["anchor"] == "end" else 1 - share)
                    for word, space in zip(mark.options["words"], room, strict=True):
                        assert 11 * len(word) < space, (word, values)


def test_numbers_in_words():
    assert proof.chance(-7.916) == "1.2·10⁻⁸" and proof.chance(-math.log10(2)) == "0.5"
    assert proof.times(1.0017) == "×1.00" and proof.times(43.0) == "×43"


# Theorem 2.1.

@pytest.mark.parametrize("alpha", [0.25, 1.0, 4.0])
def test_a_push_is_a_ramp_between_two_flats_at_the_walls(alpha):
    marks = drawn(ProofLdpCheck, "one number", alpha=alpha)
    laws = [marks["laws", person].arrays["y"].astype(float) for person in "AB"]
    x, y = (marks["push", "push"].arrays[side] for side in "xy")
    assert y == pytest.approx(laws[0] - laws[1], abs=1e-5), "the distance of the logarithms"
    step = ledger("2.1", alpha=alpha)["coordinate"]
    assert (y.max(), -y.min()) == pytest.approx((step.left, step.left), rel=1e-5)
    assert marks["push", "wall"].arrays["y"][1] == pytest.approx(step.right, rel=FLOAT)
    slopes = np.diff(y) / np.diff(x)
    assert (np.abs(slopes[x[1:] <= 0]) < 1e-5).all() and (np.abs(slopes[x[:-1] >= 1]) < 1e-5).all()
    assert slopes[(x[:-1] > 0) & (x[1:] < 1)] == pytest.approx(2 * step.left, rel=1e-2)


@pytest.mark.parametrize("h", proof_ldp_check.WIDTH.values)
def test_people_differ_in_as_many_numbers_as_the_ledger_says(h):
    book = ledger("2.1", h=h)
    count, chain = (drawn(ProofLdpCheck, scene, h=h) for scene in ("count", "add up"))
    assert count["count", "differ"].arrays["y"].max() == book["distance"].left
    assert count["count", "wall"].arrays["y"] == book["distance"].right
    assert chain["needle", "reach"].arrays["right"] == pytest.approx(book["supremum"].left, rel=FLOAT)
    # No pair of a hundred people is farther apart than the two of the ledger.
    places = np.linspace(0, 1, 101)[:, None]
    arrays = CubeLaplace(1.0, h).encode(places, np.ones(101, int), half=1)
    assert np.abs(arrays[:, None] - arrays).sum(axis=2).max() == book["distance"].left
    numbers = dict(proof_ldp_check.count(h=h).numbers)
    assert numbers["times as many people"] == proof.times((4 / book["distance"].left) ** 2)


def test_wide_cubes_waste_a_third_of_the_budget():
    slack = ledger("2.1", h=0.5)["distance"].slack
    assert (f"{slack:.2f}", f"{slack**2:.2f}") == ("1.33", "1.78")


def test_pushes_add_up_to_a_needle_between_the_walls():
    ends = set()
    for noise in proof_ldp_check.NOISE.values:
        marks = drawn(ProofLdpCheck, "add up", noise=noise)
        needle = marks["needle", "needle"].arrays["x"][0]
        arrows = [mark for mark in marks.values() if mark.kind == "arrow"]
        sizes = np.array([mark.arrays["x1"][0] - mark.arrays["x0"][0] for mark in arrows])
        assert [mark.role for mark in arrows] == ["first" if size > 0 else "second" for size in sizes]
        assert abs(needle) <= 1 + 1e-6 and len(sizes) == 4
        assert needle == pytest.approx(sizes.sum(), abs=1e-6)
        assert (np.abs(sizes) <= ledger("2.1")["coordinate"].right + 1e-6).all()
        ends.add(round(float(needle), 3))
    assert len(ends) > 4, "new noise, new needle"


@pytest.mark.parametrize("alpha, h", [(1.0, 0.2), (1.0, 0.5), (4.0, 0.2)])
def test_the_needle_ends_where_the_ledger_says(alpha, h):
    law = drawn(ProofLdpCheck, "the wall", alpha=alpha, h=h)["law", "law"]
    book = ledger("2.1", alpha=alpha, h=h)
    width = np.ptp([law.arrays["left"].min(), law.arrays["right"].max()])
    assert width / 2 <= book["supremum"].left <= book["first half"].right
    assert width / 2 == pytest.approx(book["supremum"].left, rel=0.01)
    assert heights(law).sum() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("alpha", [0.25, 1.0, 4.0])
def test_no_set_is_more_likely_than_the_wall_allows(alpha):
    marks = drawn(ProofLdpCheck, "any set", alpha=alpha)
    best, wall = (marks["sets", key].arrays["y"] for key in ("best", "wall"))
    assert (best <= wall + 1e-6).all() and (best > marks["sets", "best"].arrays["x"] - 1e-6).all()
    if alpha <= 1:      # a set as rare as one in a hundred lies where the needle stands at A's wall
        assert best[1] == pytest.approx(math.exp(alpha) / 100, rel=1e-4)


@pytest.mark.parametrize("moved", [{}, {"h": 0.5}, {"d": 2, "alpha": 0.5}])
def test_shares_are_those_of_ledger_2_1(moved):
    share = drawn(ProofLdpCheck, "explore", **moved)["used", "used"].arrays["right"]
    book = ledger("2.1", **{"alpha": 1.0, "h": 0.2} | moved)
    np.testing.assert_allclose(share, [book[name].left / book[name].right for name in proof_ldp_check.LINES],
                               rtol=FLOAT)


# Theorem 2.2.

@pytest.mark.parametrize("p, share", [(0.2, 0.75), (0.05, 0.6), (0.8, 1.0)])
def test_the_bar_is_the_mean_of_the_persons(p, share):
    marks = drawn(ProofConsistency, "the bar", p=p, share=share)
    scores = [np.where(np.isnan(marks["cube", key].arrays["x"]), 0, marks["cube", key].arrays["y"])
              for key in ("one", "zero label", "outside")]
    bar = heights(marks["cube", "bar"])[0]
    assert np.sum(scores) / 100 == pytest.approx(bar, rel=FLOAT)
    # The ledger knows it as twice delta, in the exponent n' alpha^2 delta^2 / 2^8 of (3.2).
    book = book_2_2(p=p, q=p * share, t=bar)
    assert bar == pytest.approx(2 * math.sqrt(book["(3.2)"].left * 2**8 / 500_000), rel=FLOAT)


@pytest.mark.parametrize("moved", [{}, {"n": 10**7}, {"alpha": 0.5}, {"share": 0.9}])
def test_chernoff_compares_the_ledgers_tail_with_its_lid(moved):
    marks = drawn(ProofConsistency, "Chernoff", **moved)
    q = 0.2 * moved.pop("share", 0.75)
    book = book_2_2(**moved, q=q, t=q - 0.1)
    exact, lid = (float(marks["tail", key].arrays["y"][0]) * -LN10 for key in ("at exact", "at lid"))
    assert exact == pytest.approx(book["(3.1)"].right, rel=FLOAT)
    assert exact / lid == pytest.approx(chain_2_2(book)[0], rel=FLOAT)
    # Both dots stand on their curves, and the lid is straight and nowhere below the exact chance.
    curve, line = marks["tail", "exact"].arrays, marks["tail", "lid"].arrays
    for arrays, value in ((curve, exact), (line, lid)):
        assert np.interp(q - 0.1, arrays["x"], arrays["y"]) * -LN10 == pytest.approx(value, rel=1e-5)
    assert np.ptp(np.diff(line["y"])) < 1e-4 * np.ptp(line["y"]) and (line["y"] > curve["y"]).all()


def test_lids_are_those_of_the_ledger():
    marks, book = drawn(ProofConsistency, "two lids"), book_2_2()
    for key, side in (("exact", "left"), ("lid", "right")):
        people, noise, both = marks["lids", key].arrays["high"].astype(float)
        assert people == pytest.approx(getattr(book["Hoeffding"], side), rel=FLOAT)
        assert both == pytest.approx(getattr(book["mgf"], side), rel=FLOAT)
        assert people + noise == pytest.approx(both, rel=FLOAT)


def test_the_printed_exponent_is_below_what_is_left():
    marks, step = drawn(ProofConsistency, "round"), book_2_2()["(3.1), exponent"]
    whole, lid, left, printed = (heights(marks["rest", f"bar {k}"])[0] for k in range(4))
    assert whole - lid == pytest.approx(left, rel=FLOAT)
    assert (left, printed) == pytest.approx((step.right, step.left), rel=FLOAT)
    assert (f"{left:.2f}", f"{printed:.2f}", f"{step.slack:.2f}") == ("13.38", "4.88", "2.74")


def test_half_of_the_bar_is_used():
    marks, step = drawn(ProofConsistency, "wrong side"), book_2_2()["(3.2)"]
    exact, lid = (marks["tail", key].arrays for key in ("at exact", "at lid"))
    assert 2 * lid["x"][0] == pytest.approx(exact["x"][0], rel=FLOAT)
    assert math.log(2) - LN10 * exact["y"][0] == pytest.approx(step.right, rel=FLOAT)
    assert math.log(2) - LN10 * lid["y"][0] == pytest.approx(step.left, rel=FLOAT)
    assert np.interp(lid["x"][0], *(marks["tail", "lid"].arrays[side] for side in "xy")) == pytest.approx(
        lid["y"][0], abs=0.01)


@pytest.mark.parametrize("law", proof_consistency.LAWS)
@pytest.mark.parametrize("h", [0.1, 0.025])
def test_the_area_between_truth_and_cubes_is_the_ledgers(law, h):
    marks = drawn(ProofConsistency, "narrow cubes", h=h, law=law)
    gap = {name: array.astype(float) for name, array in marks["eta", "gap"].arrays.items()}
    area = np.trapezoid(gap["high"] - gap["low"], gap["x"])
    assert gap["x"][-1] == pytest.approx(1, rel=FLOAT)
    assert area == pytest.approx(ledger("2.2", law=law, h=h)["differentiation"].left, rel=1e-4)
    assert area == pytest.approx(marks["distance", "at"].arrays["y"][0], rel=1e-4)


def test_the_distance_falls_with_h():
    marks = drawn(ProofConsistency, "narrow cubes")
    exact, promised = (marks["distance", key].arrays["y"] for key in ("exact", "promised"))
    assert (np.diff(exact) > 0).all() and (exact < promised).all()


@pytest.mark.parametrize("place, scene", [*enumerate(("Chernoff", "two lids", "round", "wrong side"))])
def test_what_2_2_wastes_so_far(place, scene):
    found, words = factors(drawn(ProofConsistency, scene))
    expected = chain_2_2(book_2_2())[:place + 1]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert words == [proof.times(factor) for factor in expected]


def test_2_2_wastes_15_times_the_people_most_of_it_with_half_a_bar():
    found, words = factors(drawn(ProofConsistency, "explore"))
    slack = book_2_2()["(3.2)"].slack
    assert math.prod(found) == pytest.approx(slack, rel=1e-5) and f"{slack:.2f}" == "15.50"
    assert words == ["×1.36", "×1.00", "×2.74", "×4.15"]
    shown = heights(drawn(ProofConsistency, "explore")["left", "steps"])
    np.testing.assert_allclose(shown[-2:], [book_2_2()[name].left for name in ("(3.1)", "(3.2)")], rtol=FLOAT)


# Theorem 2.4.

def book_2_4(**params):
    return ledger("2.4", **{"n": 10**6} | params)


def area(mark):
    """Below a curve, or a band's upper end."""
    heights = mark.arrays["high" if mark.kind == "band" else "y"]
    return np.trapezoid(heights.astype(float), mark.arrays["x"].astype(float))


@pytest.mark.parametrize("moved", [{}, {"n": 10**8}, {"alpha": 0.5}])
@pytest.mark.parametrize("scene, first, last", [("give up shell 0", 0, 0), ("round up", 1, 1),
                                                ("tail lid", 2, 2), ("low bar", 3, 5)])
def test_areas_are_the_sides_of_the_ledger(scene, first, last, moved):
    marks, book = drawn(ProofUpperRate, scene, **moved), book_2_4(**moved)
    before, after = (area(marks["cost", key]) for key in ("before", "after"))
    assert before == pytest.approx(book[CHAIN[first]].left, rel=1e-4)
    assert after == pytest.approx(book[CHAIN[last]].right, rel=1e-4)
    assert marks["cost", "after"].label.endswith(proof.short(book[CHAIN[last]].right))


def test_a_step_nowhere_makes_a_cost_smaller():
    for scene in ("give up shell 0", "round up", "tail lid", "low bar"):
        marks = drawn(ProofUpperRate, scene)
        before, after = marks["cost", "before"].arrays["high"], marks["cost", "after"].arrays["y"]
        assert (after >= before - 1e-6).all(), scene


def test_shells_hold_the_people_of_the_ledger():
    marks = drawn(ProofUpperRate, "shells")
    for j in (1, 2):
        box = marks["shells", f"shell {j}"].arrays
        people = (box["right"].astype(float) - box["left"]).sum()
        assert people == pytest.approx(book_2_4(shell=j)["shell mass"].left, rel=1e-5)
    lam = 2 * 2 * book_2_4()["radius"].left            # the radius is h / 2, and Lam = 2 h
    assert marks["shells", "shell 0"].arrays["right"].max() - 0.5 == pytest.approx(2 * lam, rel=1e-5)


@pytest.mark.parametrize("n", [31_623, 10**6, 10**8])  # an odd crowd, too: half of it is a whole number
def test_the_sum_over_shells_is_the_ledgers(n):
    crowd, far = (drawn(ProofUpperRate, scene, n=n) for scene in ("crowd", "far shells"))
    book = book_2_4(n=n)
    for key, side in (("before", "left"), ("after", "right")):
        assert heights(crowd["crowd", key]).sum() == pytest.approx(getattr(book["margin"], side), rel=1e-5)
    inside, beyond = (10 ** far["far", key].arrays["high"].astype(float) for key in ("inside", "beyond"))
    assert inside.sum() == pytest.approx(book["all shells"].left, rel=1e-5)
    assert inside.sum() + beyond.sum() == pytest.approx(book["all shells"].right, rel=1e-5)


STAIRS = {"give up shell 0": 1, "round up": 2, "tail lid": 3, "low bar": 4, "crowd": 5, "far shells": 6}


@pytest.mark.parametrize("scene", STAIRS)
def test_what_2_4_wastes_so_far(scene):
    found, words = factors(drawn(ProofUpperRate, scene))
    people = [factor for _, _, factor in waterfall(book_2_4())]
    expected = [*people[:3], math.prod(people[3:6]), *people[6:]][:STAIRS[scene]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert words == [proof.times(factor) for factor in expected]


def test_the_largest_steps_are_marked():
    for story, last in ((ProofConsistency, 4), (ProofUpperRate, 8)):
        marked = drawn(story, "explore")["waste", "now"].arrays["low"]
        assert marked == pytest.approx(0.7), "the last row"
        assert len(factors(drawn(story, "explore"))[0]) == last


@pytest.mark.parametrize("moved", [{}, {"beta": 0.5}, {"gamma": 0.5, "d": 2}])
def test_the_whole_chain_leads_from_the_exact_risk_to_the_printed_bound(moved):
    marks, book = drawn(ProofUpperRate, "explore", **moved), book_2_4(**moved)
    exact, bounds = (10 ** marks["stages", key].arrays["right"].astype(float) for key in ("exact", "bounds"))
    assert exact[0] == pytest.approx(book["whole"].left, rel=1e-5)
    np.testing.assert_allclose(bounds, [book[name].right for name in CHAIN], rtol=1e-4)
    beta, gamma, d = (book.params[name] for name in ("beta", "gamma", "d"))
    rate = beta * (1 + gamma) / (2 * beta + 2 * d)
    assert math.prod(factors(marks)[0]) == pytest.approx(book["whole"].slack ** (1 / rate), rel=1e-3)


def test_the_ladder_of_a_million_people():
    marks = drawn(ProofUpperRate, "ladder")
    values = np.concatenate([10 ** marks["ladder", key].arrays["right"].astype(float)
                             for key in ("bounds", "exact", "lower")])
    np.testing.assert_allclose(values, [1060.45, 0.691022, 0.652690, 0.176323, 0.00333, 0.000269], rtol=2e-3)
    assert values[0] == pytest.approx(book_2_4()["whole"].right, rel=1e-5)
    assert (np.diff(values) < 0).all(), "each rung is below the one before"
    assert marks["ladder", "nothing"].arrays["left"] == 0
    assert (values > 1).tolist() == [True, *5 * [False]], "only the printed one says nothing"


def test_the_sentence_about_h():
    marks = drawn(ProofUpperRate, "choose h")
    sharp = marks["choice", "sharp"].arrays
    best = sharp["y"].argmin()
    here = np.abs(sharp["x"] - 1).argmin()
    assert f"{sharp['x'][best]:.1f}" == "2.8" and 2 <= sharp["y"][here] / sharp["y"][best] < 2.2
    printed = marks["choice", "printed"].arrays["y"]
    assert printed[here] == pytest.approx(book_2_4(n=10**8)["whole"].right, rel=1e-5)


# Theorem 2.5.

@pytest.mark.parametrize("lean", [-2.0, 0.0, 0.75])
def test_the_average_of_all_signs_is_a_sum_of_single_signs(lean):
    marks = drawn(ProofAssouad, "average", lean=lean)
    risks = heights(marks["signs", "risks"])
    counts = np.array([math.comb(8, k) for k in range(9)])
    average = float(marks["signs", "average"].arrays["y"][0])
    assert risks @ counts / 256 == pytest.approx(average, rel=1e-5) and risks.max() >= average
    marks = drawn(ProofAssouad, "one sign", lean=lean)
    parts, before = marks["sums", "parts"], marks["sums", "so far"]
    assert heights(parts).sum() == pytest.approx(average, rel=1e-5)
    assert (before.arrays["high"] == parts.arrays["low"]).all() and (before.arrays["low"] == 0).all()
    # No threshold beats the overlap of the hills; t = 0 reaches it.
    game = Game.best(10**6, 1.0, 1.0, 0.5, 1)
    least = one_bit_risk(game)
    assert average >= least * (1 - 1e-6) and (average < 1.001 * least) == (lean == 0)
    # The areas under the hills are the two chances, but for a tie at t and the hills' ends.
    hills = drawn(ProofAssouad, "test", lean=lean)
    both = sum(hills["hills", key].arrays["high"].astype(float).sum() / 2 for key in ("missed", "false"))
    assert 8 * game.separation * both / 2 == pytest.approx(average, rel=1e-2)


def test_pinskers_lid_is_a_lid_and_25_percent_too_high():
    marks = drawn(ProofAssouad, "Pinsker")
    exact, lid = (marks["pinsker", key].arrays["y"].astype(float) for key in ("exact", "lid"))
    shown = np.isfinite(lid)
    assert (lid[shown] > exact[shown]).all()
    assert (lid / exact)[0] == pytest.approx(math.sqrt(math.pi / 2), rel=0.01), "25% too high"
    assert np.diff(np.log(lid[shown])) == pytest.approx(np.log(10) / 16, rel=1e-2), "like the root of n"
    here = marks["pinsker", "here"].arrays["y"]
    assert here[0] == pytest.approx(0.3482, abs=1e-4) and here[1] == pytest.approx(0.4513, abs=1e-4)


@pytest.mark.parametrize("alpha", [0.125, 1.0])
def test_constants_of_one_report_are_those_of_the_contractions(alpha):
    marks = drawn(ProofAssouad, "contraction", alpha=alpha)
    best, = marks["constants", "best"].arrays["right"]
    simple, printed = marks["constants", "lids"].arrays["right"]
    assert simple == pytest.approx(math.expm1(alpha) ** 2, rel=FLOAT) and printed == pytest.approx(
        simple * min(4, math.exp(2 * alpha)), rel=FLOAT)
    # J of the pair that no report exceeds.
    pair = dominating_pair(alpha, 1e-4)
    assert best == pytest.approx(symmetric_kl(*pair) / 1e-8, rel=1e-3)
    if alpha == 1:
        assert (simple / best, printed / best) == pytest.approx((1.86, 7.44), abs=5e-3)


def test_rungs_are_the_lower_bounds_and_their_stairs_the_people():
    marks = drawn(ProofAssouad, "choose q")
    ends = np.concatenate([marks["ladder", key].arrays["right"] for key in ("best", "rungs")])
    values = 10 ** ends.astype(float)
    expected = [lower_bound(10**6, 1.0, 1.0, 1.0, 1, contraction=name).value
                for name in ("dominating", "noninteractive", "interactive", "printed")]
    assert values[:4] == pytest.approx(expected, rel=1e-5)
    words = marks["ladder", "words"].options["words"]
    assert [word.partition("q = ")[2] for word in words] == ["7", "10", "12", "17", ""], "each its best q"
    assert values == pytest.approx([2.69e-4, 1.45e-4, 1.03e-4, 5.13e-5, 4.88e-7], rel=0.01)
    found, words = factors(marks)
    assert found == pytest.approx((values[:-1] / values[1:]) ** 2, rel=1e-3), "the risk falls like n^-1/2"
    assert words == ["×3.46", "×1.99", "×4.00", "×11,000"]


@pytest.mark.parametrize("moved", [{}, {"d": 2, "alpha": 0.5}])
def test_slacks_are_those_of_ledger_2_5(moved):
    slack = drawn(ProofAssouad, "explore", **moved)["slacks", "slack"].arrays["right"].astype(float)
    book = ledger("2.5", **{"n": 10**6, "alpha": 1.0, "beta": 1.0, "gamma": 1.0, "d": 1} | moved)
    assert 10**slack == pytest.approx([book[name].slack for name in proof_assouad.LINES], rel=1e-5)


@pytest.mark.parametrize("name", ["game", "contraction, 4", "rate"])
def test_a_change_of_ledger_2_5_is_seen(monkeypatch, name):
    before = drawn(ProofAssouad, "explore")["slacks", "slack"].arrays["right"]
    monkeypatch.setattr(proof_assouad, "ledger", changed(name, "right", 2.0))
    proof_assouad.book_of.cache_clear()
    after = drawn(ProofAssouad, "explore")["slacks", "slack"].arrays["right"]
    proof_assouad.book_of.cache_clear()
    moved = np.flatnonzero(before != after)
    assert [proof_assouad.LINES[k] for k in moved] == [name]


# Notebook 07.

@pytest.mark.parametrize("alpha", [0.25, 1.0, 4.0])
def test_the_mosaic_of_one_bit_has_two_greys_with_the_ratio_of_the_budget(alpha):
    marks = drawn(ProofBeyond, "private", alpha=alpha)
    shades = marks["mosaic", "law"].arrays["values"].reshape(8, 8).astype(int)
    labels = marks["mosaic", "law"].options["labels"]
    low, high = (float(label.rstrip("%")) / 100 for label in labels)
    assert high / low == pytest.approx(math.exp(alpha), rel=0.05)
    assert (shades.sum(axis=0) == 4).all(), "a person's chances add up to 1"
    assert 4 * (low + high) == pytest.approx(1, abs=5e-3)
    assert (shades[:4] + shades[4:] == 1).all(), "of the two bits one is likelier"
    assert (shades[:, :4] + shades[:, 4:] == 1).all(), "and the other one for the other label"
    chances, wall = marks["chances", "chances"].arrays["high"], marks["chances", "wall"].arrays["y"][0]
    assert chances[1] == pytest.approx(wall, rel=1e-5) and chances[1] / chances[0] == pytest.approx(
        math.exp(alpha), rel=1e-5)
    X, y = np.repeat(np.arange(4) / 4 + 0.1, 2)[:, None], np.tile([0, 1], 4)
    bit = HadamardBit(alpha, 0.25)
    worst = max(bit.privacy_loss(X[i], y[i], X[k], y[k]) for i in range(8) for k in range(8))
    assert worst == pytest.approx(alpha)


def test_only_her_own_cell_does_not_cancel():
    for own, other in ((2, 5), (0, 15), (7, 7)):
        marks = drawn(ProofBeyond, "unbiased", own=own, other=other)
        count = [int(np.isfinite(marks["products", key].arrays["left"]).sum())
                 for key in ("same", "opposite")]
        assert count == ([16, 0] if own == other else [8, 8])
        means = marks["means", "means"].arrays["high"]
        assert means == pytest.approx(np.eye(16)[own])


@pytest.mark.parametrize("moved", [{}, {"d": 1}, {"d": 3}, {"alpha": 4.0}])
def test_blocks_lead_from_the_papers_variance_to_that_of_one_bit(moved):
    marks = drawn(ProofBeyond, "variance", **moved)
    paper, flat, one = marks["variance", "variance"].arrays["high"].astype(float)
    d, alpha = moved.get("d", 2), moved.get("alpha", 1.0)
    assert paper / flat == pytest.approx(2.5 * 4 ** (d + 1), rel=FLOAT)
    assert flat == pytest.approx(CellLaplace(alpha, 0.5, d, noise="real").variance(0), rel=FLOAT)
    assert one == pytest.approx(HadamardBit(alpha, 0.5, d).variance(0), rel=FLOAT)
    found, _ = factors(marks)
    assert found == pytest.approx([4 ** (d + 1), 2, 1.25, flat / one], rel=1e-5)
    assert (found[-1] < 1) == (alpha == 4), "at a large budget the last block costs people"


def test_the_lid_on_a_cell_wastes_nine_times_the_people():
    marks = drawn(ProofBeyond, "wrong label", few=10**5)
    exact, lid = (marks["cost", key].arrays for key in ("exact", "cantelli"))
    assert (exact["y"] <= lid["y"] + 1e-6).all() and lid["y"].max() == 1
    # With many people the score is normal: m P(N > m) twice.
    normal = 2 * exact["x"] * [math.erfc(x / 2**0.5) / 2 for x in exact["x"]]
    assert exact["y"] == pytest.approx(normal, abs=0.02)
    found, words = factors(marks)
    assert found == pytest.approx([float(exact["y"].max()) ** -2], rel=1e-4) and words == ["×8.78"]


@pytest.mark.parametrize("n, cells", [(10**5, 20), (10**5, 4), (10**7, 64)])
def test_the_bound_of_all_cells_holds(n, cells):
    marks = drawn(ProofBeyond, "all cells", n=n, cells=cells)
    exact, bound = (marks["sum", key].arrays["high"][0] for key in ("exact", "noise"))
    risk = excess_risk(OneBitClassifier(1.0, 1 / cells), problem("wave"), n)
    assert exact == pytest.approx(risk, rel=1e-4) and exact < bound
    step = heights(marks["sum", "noise"])[0]
    assert step == pytest.approx(cells * HadamardBit(1.0, 0.5).scale / n**0.5, rel=1e-4)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_nobody_is_below_the_lower_bound(alpha):
    marks = drawn(ProofBeyond, "what is left", alpha=alpha)
    land, bit, paper = (marks["left", key].arrays for key in ("land", "bit", "paper"))
    assert (land["high"] == 1).all() and (1 < bit["y"]).all() and (bit["y"] < paper["y"]).all()
    game = Game.best(10**6, alpha, 1.0, 1.0, 1)
    at = int(np.abs(bit["x"] - 10**6).argmin())
    assert bit["y"][at] == pytest.approx(one_bit_risk(game) / game.bound(), rel=1e-5)


# A change of the ledger is seen.

def changed(name, side, factor):
    """Ledgers in which one side of the step `name` is another number."""
    def made(theorem, **params):
        book = ledger(theorem, **params)
        steps = tuple(replace(step, **{side: getattr(step, side) * factor}) if step.name == name else step
                      for step in book.steps)
        return Ledger(book.theorem, book.params, steps, book.kind)
    return made


@pytest.mark.parametrize("name, side, scene", [
    ("(3.1)", "right", "Chernoff"), ("Hoeffding", "left", "two lids"), ("(3.1), exponent", "left", "round"),
    ("(3.2)", "left", "wrong side")])
def test_a_change_of_ledger_2_2_changes_the_picture(monkeypatch, name, side, scene):
    before = drawn(ProofConsistency, scene)
    monkeypatch.setattr(proof_consistency, "ledger", changed(name, side, 1.5))
    proof_consistency.chain.cache_clear()
    after = drawn(ProofConsistency, scene)
    proof_consistency.chain.cache_clear()
    moved = {axes for axes, key in before for part, array in before[axes, key].arrays.items()
             if not np.array_equal(array, after[axes, key].arrays[part], equal_nan=True)}
    assert moved - {"waste"}, "what the step compares"


@pytest.mark.parametrize("name", CHAIN)
def test_a_change_of_ledger_2_4_changes_the_stairs(monkeypatch, name):
    """Twice the risk at n^-1/2 is four times as many people."""
    monkeypatch.setattr(proof_upper_rate, "ledger", changed(name, "right", 2.0))
    caches = (proof_upper_rate.book_of, proof_upper_rate.costs, proof_upper_rate.by_shell)
    for cache in caches:
        cache.cache_clear()
    found, _ = factors(drawn(ProofUpperRate, "explore"))
    for cache in caches:
        cache.cache_clear()
    expected = [factor * (4 if link == name else 1) for link, _, factor in waterfall(book_2_4())]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_a_change_of_ledger_2_1_is_seen(monkeypatch):
    monkeypatch.setattr(proof_ldp_check, "ledger", changed("distance", "right", 2.0))
    proof_ldp_check.book_of.cache_clear()
    walls, = drawn(ProofLdpCheck, "count")["count", "wall"].arrays["y"]
    proof_ldp_check.book_of.cache_clear()
    assert walls == 8


# Theorem 3.2 of Bousquet et al. (2022).

@pytest.mark.parametrize("added, length", [("y − ½", 1), ("y", 2)])
def test_moves_stay_in_the_diamond_or_leave_it(added, length):
    marks = drawn(ProofBayes, "one record", added=added)
    at = np.array([marks["moves", "moves"].arrays[side] for side in "xy"])
    assert np.abs(at).sum(axis=0).max() == length and at.shape[1] == 16
    edge = marks["moves", "hidden"].arrays
    assert np.abs(edge["x"]) + np.abs(edge["y"]) == pytest.approx(1)
    assert ledger("bayes-3.2")["sensitivity"].left == 1


@pytest.mark.parametrize("n", proof_bayes.PEOPLE.values)
def test_errors_of_votes_are_those_of_the_ledger(n):
    book = ledger("bayes-3.2", n=n, **proof_bayes.settings(n))
    plug, three = (drawn(ProofBayes, scene, n=n) for scene in ("plug in", "three parts"))
    assert heights(plug["plug", "exact"])[0] == pytest.approx(book["whole"].left, rel=FLOAT)
    stacked = [heights(plug["plug", f"part {words}"])[0] for words in proof_bayes.PARTS]
    assert sum(stacked) == pytest.approx(book["Theorem 2.7"].right, rel=1e-5)
    names = ("noise", "Jensen", "bias")
    for key, side in (("exact", "left"), ("bound", "right")):
        found = heights(three["three", key])
        assert found == pytest.approx([getattr(book[name], side) for name in names], rel=FLOAT)


def test_thin_cells_are_those_of_the_ledger():
    marks, book = drawn(ProofBayes, "thin cells"), ledger("bayes-3.2")
    people, k = marks["crowding", "people"].arrays, marks["crowding", "k"].arrays["x"][0]
    assert heights(marks["crowding", "people"]).sum() == pytest.approx(1, rel=1e-5) and k == 10
    thin = heights(marks["crowding", "people"])[people["right"] < k + 1].sum()
    assert thin <= book["Lemma 3.3"].left + 1e-6 < heights(marks["crowding", "people"])[
        people["left"] < k + 1].sum(), "the bins end beside k"
    assert proof_bayes.thin_cells().numbers == [("in thin cells", "1.57%"), ("the proof allows", "24.00%")]


def test_chebyshev_is_the_loosest_line_and_not_the_dearest():
    book = ledger("bayes-3.2")
    bars = drawn(ProofBayes, "Chebyshev")
    for key, side in (("exact", "left"), ("bound", "right")):
        top = float(bars["chebyshev", key].arrays["y"][0])
        assert top == pytest.approx(math.log10(getattr(book["heavy cells"], side)), rel=FLOAT)
    assert book.loosest.name == "heavy cells" and min(WASTED) == WASTED[-1] < 16


def test_the_chain_of_votes_is_that_of_the_ledger():
    for n, epsilon in ((10**4, 1.0), (160_000, 0.5)):
        book = ledger("bayes-3.2", n=n, epsilon=epsilon, **proof_bayes.settings(n))
        found = drawn(ProofBayes, "explore", n=n, epsilon=epsilon)["chain", "chain"].arrays["right"]
        assert (np.diff(found) > 0).all()
        assert found[[0, 1, -1]] == pytest.approx(
            [book["whole"].left, book["Theorem 2.7"].right, book["whole"].right], rel=FLOAT)
        assert 2 * sum(book[name].right for name in ("thin cells", "(15)", "bias")) == pytest.approx(
            float(found[3]), rel=FLOAT)
        assert 2 * sum(proof_bayes.parts(book, "right")) == pytest.approx(float(found[2]), rel=FLOAT)
    book = ledger("bayes-3.2")
    assert (f"{book['whole'].right:.2f}", f"{book['whole'].slack:.0f}") == ("1.45", "341")


def test_what_3_2_wastes_in_people():
    """People that each bound needs for the exact risk of ten thousand; beyond 10^12 by its last slope."""
    people = np.array([10**4 * 4**k for k in range(14)])
    bounds = np.log([proof_bayes.chain(proof_bayes.book_of(int(n)))[1:] for n in people]).T
    target, n = math.log(ledger("bayes-3.2")["whole"].left), np.log(people)
    needed = [10**4]
    for bound in bounds:
        slope = (n[-1] - n[-2]) / (bound[-2] - bound[-1])
        needed.append(math.exp(np.interp(-target, -bound, n) if bound[-1] < target
                               else n[-1] + (bound[-1] - target) * slope))
    assert np.divide(needed[1:], needed[:-1]) == pytest.approx(WASTED, rel=1e-6)
    found, words = factors(drawn(ProofBayes, "explore"))
    assert found == pytest.approx(WASTED, rel=1e-5)
    assert words == ["×26,000", "×501", "×21,100", "×15.1"]


def test_the_bound_of_votes_falls_for_every_budget():
    for epsilon in proof_bayes.BUDGET.values:
        marks = drawn(ProofBayes, "tends to 0", epsilon=epsilon)
        exact, bound = (marks["tends", key].arrays["y"] for key in ("exact", "bound"))
        assert (np.diff(bound) < 0).all() and (exact < bound).all()


# Propositions 3.1, 2.1 and 2.2 of Butucea et al.

def test_noise_scales_are_those_of_the_mechanism():
    for J in (1, 3, 4):
        marks = drawn(ProofElbow, "noise scale", J=J)
        shown = heights_across(marks["scales", "detail scales"])
        scales = [WaveletLaplace(1.0, "db2", J, "common", kind, noise="real").scale
                  for kind in ("crude", "tight", "exact")]
        np.testing.assert_allclose(shown, scales, rtol=2e-6)
        fathers = WaveletLaplace(1.0, "db2", J, "scaling_only", noise="real").scale
        assert heights_across(marks["scales", "fathers"]) == pytest.approx([fathers], rel=2e-6)
    found, words = factors(drawn(ProofElbow, "noise scale"))
    book = ledger("wavelet-3.1", levels=6)
    assert found[0] == pytest.approx(book["common, crude"].slack ** 2, rel=1e-5), "noise squared is people"
    assert words == ["×5.43", "×1.65"] and math.prod(found) == pytest.approx(2.994**2, rel=1e-3)


def heights_across(mark):
    """Lengths of bars that lie."""
    return mark.arrays["right"].astype(float) - mark.arrays["left"]


def test_what_a_report_tells_is_the_ledgers():
    for n, alpha in ((10**7, 1.0), (10**6, 0.5)):
        marks = drawn(ProofElbow, "one report", n=n, alpha=alpha)
        book = ledger("wavelet-2.1", n=n, alpha=alpha)
        ends = np.concatenate([marks["told", key].arrays["right"] for key in ("bit", "lids")])
        one = book["one report"]
        told = [one.left, one.right, book["constants"].right]
        assert 10 ** ends.astype(float) == pytest.approx(told, rel=1e-5)
        slack = [book["one report"].slack, book["constants"].slack]
        np.testing.assert_allclose(factors(marks)[0], slack, rtol=1e-5, err_msg="the ratios of these bars")


def test_many_bumps_are_a_member_of_the_family():
    marks = drawn(ProofElbow, "many bumps")
    book = ledger("wavelet-2.1", n=10**7)
    family = DenseFamily(10**7, 1.0, **{key: book.params[key] for key in ("s", "p", "r", "wavelet")})
    x, y = (marks["many", "member"].arrays[side].astype(float) for side in "xy")
    off = np.abs(y - family.base.pdf(x))
    top = family.gamma * 2 ** (family.level / 2) * family.basis.psi_max
    assert 0.8 * top < off.max() <= top * (1 + 1e-5)
    assert marks["many", "member"].label == f"{family.m} bumps, any signs"


def test_one_spike_is_below_an_eighth_of_the_logarithm():
    at = {louder: drawn(ProofElbow, "one of many", louder=louder) for louder in (1.0, 2.0)}
    told = {louder: float(marks["search", "here"].arrays["y"][0]) for louder, marks in at.items()}
    enough = float(at[1.0]["search", "enough"].arrays["y"][0])
    family = SparseFamily(10**7, 1.0, **{key: ledger("wavelet-2.2", n=10**7).params[key]
                                         for key in ("s", "p", "r", "wavelet")})
    assert enough == pytest.approx(math.log(family.m)) and told[1.0] == pytest.approx(family.divergence)
    assert told[1.0] <= enough / 8 < told[2.0] == pytest.approx(4 * told[1.0])


@pytest.mark.parametrize(("p", "s", "r"), [(2.0, 1.0, 5.0), (3.0, 1.0, 5.0), (2.5, 1.25, 6.0)])
def test_the_lever_is_where_the_ceilings_cross_the_noise(p, s, r):
    ceiling = {key: marks.arrays for (_, key), marks in drawn(
        ProofElbow, "ceiling", norm=p, smooth=s, r=r).items()}
    lever = {key: marks.arrays for (_, key), marks in drawn(
        ProofElbow, "lever", norm=p, smooth=s, r=r).items()}
    for key, end in (("many", 0), ("one", 1)):
        x = ceiling["noise"]["x"].astype(float)
        gap = np.log(ceiling["noise"]["y"] / ceiling[key]["y"]).astype(float)
        assert np.interp(0, gap, x) == pytest.approx(float(lever["lever"]["x"][end]), abs=2e-3)
    slope = np.diff(np.log2(lever["lever"]["y"].astype(float)))[0] / np.diff(lever["lever"]["x"])[0]
    assert slope == pytest.approx(r - p * (s + 1), abs=1e-3)
    # The three pieces meet, up to the grid, and every whole number of bumps stays at most at them.
    for key, end in (("before", 0), ("after", 1)):
        piece = lever[key]["y"][np.isfinite(lever[key]["y"])]
        assert float(piece[-1 if end == 0 else 0]) == pytest.approx(float(lever["lever"]["y"][end]), rel=0.25)


def test_both_elbows_are_those_of_the_theorem():
    marks = drawn(ProofElbow, "two elbows")
    bends = [float(marks["exponents", f"{role} elbow"].arrays["x"][0]) for role in ("private", "open")]
    assert bends == pytest.approx([1 / 2.4, 1 / 1.5])
    lines = drawn(ProofElbow, "explore", part="2.2, one spike")["lines", "slack"]
    book = ledger("wavelet-2.2", n=10**7)
    finite = [step.slack for step in book.steps if 1 <= step.slack < math.inf]
    np.testing.assert_allclose(10 ** heights_across(lines), finite, rtol=1e-4)

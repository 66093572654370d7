"""The proofs as stories: their pictures show the sides of the ledgers, and no scene breaks the layout."""

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from ldp_lib.live import corners, panel
from ldp_lib.live.stories import proof, proof_consistency, proof_ldp_check, proof_upper_rate
from ldp_lib.live.stories.proof_consistency import ProofConsistency
from ldp_lib.live.stories.proof_ldp_check import ProofLdpCheck
from ldp_lib.live.stories.proof_upper_rate import ProofUpperRate
from ldp_lib.privacy import CubeLaplace
from ldp_lib.theory import ledger
from ldp_lib.theory.proofs import Ledger
from ldp_lib.theory.proofs.upper import CHAIN, waterfall

STORIES = (ProofLdpCheck, ProofConsistency, ProofUpperRate)
LN10 = math.log(10)
FLOAT = 2e-6
"""Relative rounding of float32, in which pictures keep their numbers."""


def drawn(story, scene, **moved):
    """Marks of a scene by the keys of their axes and their own."""
    values = story.positions()[scene] | moved
    picture = story.draw(story.compute(**values))
    return {(axes.key, mark.key): mark for axes in picture.axes for mark in axes.marks}


def heights(mark):
    return np.abs(mark.arrays["high"].astype(float) - mark.arrays["low"])


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
        result = story.compute(**values)
        picture = story.draw(result)
        assert 1 <= len(picture.axes) <= 2, values
        for axes in picture.axes:
            for mark in axes.marks:
                arrays = list(mark.arrays.values())
                assert not any(np.isinf(array).any() for array in arrays), (values, mark.key)
        view = story.view(values["scene"])
        assert view.conclude(None, result.found) and view.summarise(None, result.found)


@pytest.mark.parametrize("story", STORIES)
def test_scenes_are_short_and_plain(story):
    for scene in story.scenes:
        assert len(scene.sentence.split()) <= 25, scene.sentence
        assert not re.search(r"[()]", scene.sentence)
        values = story.positions()[scene.name]
        picture = story.draw(story.compute(**values))
        for axes in picture.axes:
            lines = [mark for mark in axes.marks if mark.kind == "line"]
            assert len(lines) <= 3 and all(mark.label for mark in lines), (scene.name, axes.key)
        assert scene.name == "explore" or len(story.shown(scene.name)) <= 3


@pytest.mark.parametrize("story", STORIES)
def test_formulas_are_mathml(story):
    for scene in story.scenes:
        if scene.formula:
            root = ElementTree.fromstring(scene.formula)
            words = "".join(root.itertext())
            assert root.tag == "math" and not re.search("alpha|lambda|Lam|frac|[{}^]", words)
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
    for values in story.positions().values():
        for axes in story.draw(story.compute(**values)).axes:
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
    numbers = dict(proof_ldp_check.count_numbers(ProofLdpCheck.compute(scene="count", h=h).found))
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


@pytest.mark.parametrize("n", [10**6, 10**8])
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
    proof_ldp_check.reports.cache_clear()
    walls, = drawn(ProofLdpCheck, "count")["count", "wall"].arrays["y"]
    proof_ldp_check.reports.cache_clear()
    assert walls == 8

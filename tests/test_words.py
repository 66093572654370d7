"""Words that compare or claim something of all are true where a reader can look, and beyond."""

import re

import numpy as np
import pytest
from story_facts import moved

from ldp_lib.lessons.assouad.story import STORY as ASSOUAD
from ldp_lib.lessons.assouad.numbers import best_game
from ldp_lib.lessons.elbow.story import STORY as ELBOW
from ldp_lib.lessons.elbow.story import not_zero
from ldp_lib.lessons.start.story import PRIOR
from ldp_lib.lessons.steps import chance
from ldp_lib.lessons.upper_rate.story import PEOPLE
from ldp_lib.lessons.upper_rate.story import STORY as UPPER_RATE
from ldp_lib.live import kind, panel
from ldp_lib.stage.picture import percent, signed
from ldp_lib.theory import LEDGERS
from ldp_lib.theory.classification.game import one_bit_risk
from ldp_lib.theory.classification.sandwich import sandwich


def test_the_theorems_bandwidth_is_called_narrow_or_wide_as_it_is():
    """At every crowd the words say where the risk of the picture is least; no sentence fixes them."""
    said = set()
    for n in PEOPLE.values:
        axes, = UPPER_RATE.show(**UPPER_RATE.starts()["best h"] | {"n": n}).picture.axes
        place = next(mark.arrays["x"] for mark in axes.marks if mark.key == "best").astype(float)
        wanted = "too narrow" if place[0] > 1 else "too wide" if place[0] < 1 else "the best of these"
        assert axes.title.endswith(f"the theorem's h is {wanted}")
        said.add(wanted)
    assert {"too narrow", "too wide"} <= said
    assert not any("too narrow" in scene.sentence for scene in UPPER_RATE.scenes)


def test_how_loose_the_sandwich_is():
    """At large budgets, as its docstring says."""
    for alpha, words in ((1.0, "40 times at alpha = 1"), (6.0, "509 at 6"), (12.0, "3,298 at 12")):
        ratio = sandwich(10**4, alpha, 1.0, 1.0, 1).ratio
        assert words.startswith(f"{ratio:,.0f} ") and words in sandwich.__doc__


def test_a_lower_bound_is_rounded_down():
    """One bit has 1.2104 times the bound: nobody has less than 82.6% of its risk, and 83% would be false."""
    ask = ASSOUAD.scene("one bit").ask
    said = ask.answers[ask.right]
    least = int(re.search(r"(\d+)%", said)[1]) / 100
    bound = best_game(10**6).bound() / one_bit_risk(best_game(10**6))
    assert bound - 0.01 < least <= bound


def test_no_belief_is_said_to_be_certain():
    for alpha in (1.0, 4.0, 8.0):
        for prior in PRIOR.values:
            seen = moved(kind("start"), "deniability", alpha=alpha, prior=prior)
            assert not {"100.0%", "0.0%"} & set(seen.readout.values()), seen.readout
    assert moved(kind("start"), "coin", alpha=8.0).readout["truth"] == "> 99.9%"
    said = {1.0: "100.0%", 0.99999: "> 99.9%", 0.5: "50.0%", 0.00001: "< 0.1%", 0.0: "0.0%"}
    assert {value: percent(value) for value in said} == said


def test_numbers_below_zero_have_a_minus_and_no_hyphen():
    assert signed("-0.2 to n^-0.5, 1e-05, x-1, (-.5)") == "−0.2 to n^−0.5, 1e-05, x-1, (−.5)"
    shown = panel("ldp_check", scene="explore")
    assert "−" in shown.readout and not re.search(r"(?<![\w.)])-\d", shown.readout)


def test_widths_of_cells_are_not_rounded_to_minutes():
    scene = ELBOW.scene("a day")
    minutes = [float(words.split()[0]) for words in scene.ask.answers]
    assert minutes == [round(1440 / 2**J, 1) for J in (8, 6, 4)]


def test_the_best_linear_rule_is_the_best_of_its_wavelets():
    """Haar's fathers of level 10 have less error, so that the sentence must say which rules it means."""
    shown = ELBOW.show(**ELBOW.starts()["keep or cut"])
    assert "best linear rule of whole levels (db2)" in shown.says


def test_powers_of_ten_have_one_digit_before_the_point():
    assert [chance(exponent) for exponent in (-5.001, -5.0, -5.03, -400.5)] == [
        "1.0·10⁻⁵", "1.0·10⁻⁵", "9.3·10⁻⁶", "3.2·10⁻⁴⁰¹"]


def test_what_the_proof_wastes_is_what_its_scene_compares():
    """05, one report: the step that is marked is the ratio of two of the bars beside it."""
    seen = moved(kind("proof_elbow"), "one report")
    any_report, proofs = seen["told"]["lids"]["right"].astype(float)
    factor = float(seen.readout["times as many people"].removeprefix("×"))
    assert factor == pytest.approx(10 ** (proofs - any_report), rel=5e-3)


def test_the_ledger_of_theorem_2_2_has_one_n():
    book = LEDGERS["2.2"]()
    half = book.params["n'"]
    assert book.params["n"] == 2 * half
    with_n = [step for step in book.steps if re.search(r"\bn\b(?!')", step.claim)]
    assert not with_n, [step.claim for step in with_n]
    wanted = half * book.params["alpha"] ** 2 * book.params["t"] ** 2 / 2 ** (2 * book.params["d"] + 6)
    assert book["(3.1), exponent"].left == pytest.approx(wanted) and "n' = 500000" in str(book)


def test_a_bump_that_leaves_its_plateau_by_rounding_has_room():
    """And one that is higher than the density has none."""
    live = panel("elbow")
    live.go("loud levels")
    live.set(j=2)
    said = live.readout
    assert "0.00778" in said and "room" not in said
    live.set(n=10_000, j=6)
    assert "more than a density has room for" in live.readout


def test_numbers_that_are_printed_as_0_are_not_called_not_0():
    seen = not_zero(np.array([-1e-7, -2.36, 0.0, 4e-4, -0.705]))
    assert seen == "−2.360, −0.705"

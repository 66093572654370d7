"""The story of notebook 08: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import math

import numpy as np
import pytest
from scipy import stats
from story_facts import Fact, moved

from ldp_lib.estimation import UniformityTest
from ldp_lib.lessons.second_question import numbers
from ldp_lib.lessons.second_question.explore import LIMIT, PLACES
from ldp_lib.lessons.second_question.numbers import (
    ENOUGH, FACES, FALSE_ALARMS, JUDGES, PEOPLE, POWER, QUESTIONNAIRE, halves,
)
from ldp_lib.lessons.second_question.story import DICE, SHEET, STORY, heavy_faces
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns
from ldp_lib.risk import questions_power, uniformity_power
from ldp_lib.theory import information_budget

STOP = 24
"""Draws of noise."""
SINH2, TANH2 = math.sinh(0.5) ** 2, math.tanh(0.5) ** 2


def a_die(at):
    seen = at()
    heights = seen.heights("signal", "die")
    assert (np.abs(heights) == 0.5).all() and heights.sum() == 0 and len(heights) == 64, "half are heavy"
    noise = seen.noise("die")
    assert noise == pytest.approx(64 * CellSigns(1.0, 1 / 64).variance(1 / 64) ** 0.5 / ENOUGH[64] ** 0.5)
    assert noise > 2 * 0.5, "which no single face outshines"
    other = at(noise=1)
    assert (other.heights("seen private", "die") != seen.heights("seen private", "die")).any()
    assert (other.heights("signal", "die") == heights).all()
    assert at(n=100_000).noise("die") < noise


def every_face(at):
    for K in (8, 64, 256):
        ink = at(K=K)["information"]["ink"]
        assert len(ink["left"]) == K - 1, "a column for each direction"
        assert ink["high"] == pytest.approx(K * SINH2 / (K - 1), rel=1e-6)
        assert ink["high"].sum() == pytest.approx(information_budget(K, 1.0).trace, rel=1e-6)
    seen = at()["seen"]
    fair, unfair = (seen[key]["y"].astype(float) for key in ("fair", "unfair"))
    step = PLACES[1] - PLACES[0]
    assert fair.sum() * step == pytest.approx(1, abs=1e-3) == unfair.sum() * step
    assert np.minimum(fair, unfair).sum() * step > 0.6, "nearly the same"
    out = PLACES >= seen["edge"]["x"][0]
    assert (fair * out).sum() * step == pytest.approx(0.05, abs=0.01)
    assert float(at().readout["the die is found"].strip("about %")) == pytest.approx(
        100 * (unfair * out).sum() * step, abs=1)


def suspects(at):
    told = []
    for noise in range(STOP):
        seen = at(noise=noise, answered=True)
        above, below = seen["die"]["seen second"], seen["die"]["seen private"]
        assert (above["high"] > 0).all() and (below["low"] <= 0).all() and (below["high"] == 0).all()
        held = heavy_faces(64)[np.round((above["left"] + above["right"]) / 2).astype(int) - 1]
        right = held.sum() + 32 - (~held).sum()
        assert seen.readout["this time"] == str(right)
        told.append(right)
    mean = float(at(answered=True).readout["judged right, on average"].split()[0])
    assert 32 < mean < 42, "hardly better than a coin"
    # A draw has a standard deviation below 4; the seeds are fixed, a false alarm has 1e-6.
    assert abs(np.mean(told) - mean) < 4.9 * 4 / math.sqrt(STOP)


def second_question(at):
    one, two = at(rounds=1), at(rounds=2)
    columns = [seen["information"]["ink"]["high"] for seen in (one, two)]
    assert [len(column) for column in columns] == [63, 1]
    assert columns[1][0] == pytest.approx(64 * TANH2, rel=1e-6) and columns[1][0] <= columns[0].sum()
    assert columns[1][0] > 40 * columns[0][0], "the ink runs into one column"
    found = [float(seen.readout["the die is found"].strip("about %")) for seen in (one, two)]
    assert found[0] < 30 and 79.5 < found[1] < 81
    bells = two["seen"]
    apart = PLACES[bells["unfair"]["y"].argmax()] - PLACES[bells["fair"]["y"].argmax()]
    assert apart > 3 and bells["edge"]["x"][0] == pytest.approx(1.645, abs=1e-3)


def people_against_faces(at):
    seen = at()["people"]
    faces, one, two, even, nobody = (seen["one"]["x"], *(seen[key]["y"] for key in ("one", "two", "even")),
                                     seen["nobody"]["high"])
    assert faces.tolist() == list(FACES)

    def slope(people):
        return math.log(people[-1] / people[-3]) / math.log(faces[-1] / faces[-3])

    assert slope(one) == pytest.approx(1.5, abs=0.06) and slope(two) == pytest.approx(1, abs=0.01)
    assert (one < two).tolist() == [True, True] + [False] * 6, "they cross between 6 and 8"
    assert (nobody < np.minimum(one, two)).all() and (even < one).all()
    assert (even > two).tolist() == [K >= 32 for K in FACES], "from 32 on two rounds win for sure"
    assert at(K=256)["people"]["two here"]["y"] == ENOUGH[256]


def questionnaire(at):
    def held(seen):
        rows = seen["sheet"]["rows"]["values"].reshape(7, 64)[::-1]
        return ((rows[:6] == 1) & (rows[6] == 2)).sum(axis=1)

    assert (held(at(known=True)) == 16).all(), "each question holds half of the heavy faces"
    assert (held(at(known=False)) != 16).any()

    def heavy(seen):
        return seen["sheet"]["rows"]["values"].reshape(7, 64)[0].tolist()

    assert heavy(at(known=True)) == heavy(at(known=True, coins="public")), "chosen before the dice are thrown"
    assert (held(at(known=True, coins="public")) != 16).any(), "other questions than those that were read"
    shares = [float(at(known=known).readout["the die is found"].rstrip("%")) for known in (False, True)]
    assert shares[0] > 75 and shares[1] == pytest.approx(5, abs=0.05)
    dice = [at(known=known, coins="public") for known in (False, True)]
    assert all(float(seen.readout["the die is found"].rstrip("%")) > 75 for seen in dice)


def break_it(at):
    for judge in JUDGES[::-1]:
        for noise in range(STOP):
            seen = at(judge=judge, noise=noise)
            called, kept = (seen["alarms"][key] for key in ("called", "kept"))
            count = (called["high"] - called["low"]).sum()
            assert count + kept["high"].sum() == DICE
            assert seen.readout["in the picture"] == f"{count:g} of {DICE}"
            # Binomial with 0.066 at most: more than 25 of 100 have a chance below 1e-8.
            assert count == DICE if judge == JUDGES[1] else count <= 25
    for judge in JUDGES:
        (share, error), (first, told) = FALSE_ALARMS[judge], at(judge=judge).shown.numbers[0]
        assert first == "fair dice called unfair", "the largest number, which no draw of 100 moves"
        assert told == ("all" if share == 1 else f"{100 * share:.1f}%")
        assert at(judge=judge).readout["simulated"] == "20,000 dice"
        if share < 1:
            assert at(judge=judge).readout["standard error"] == f"{100 * error:.1f}%"
    assert at(judge=JUDGES[2]).readout["a person tells"] == "α = 2"


def densities(at):
    seen = at()
    axes = seen["exponents"]
    for words, elbow in (("no privacy", 0.25), ("one round", 0.75), ("two rounds", 0.5)):
        x, y = axes[words]["x"], axes[words]["y"]
        assert axes[f"elbow {words}"]["x"] == elbow
        assert (y[x >= elbow] == 0.5).all() and (y[x < elbow - 1e-6] < 0.5).all()
    assert (axes["two rounds"]["y"][:20] > axes["one round"]["y"][:20]).all()
    assert float(seen.readout["one round"]) < float(seen.readout["two rounds"])


def explored(at):
    certain = {rounds: at(n=100_000, K=8, rounds=rounds).readout for rounds in (1, 2)}
    assert certain[1]["found, one round"] == "about 99.9%", "an approximation is never beyond a number"
    assert certain[2]["found, two rounds"] == "> 99.9%"
    for coins, slope in (("private", 1.5), ("public", 1.0)):
        curve = at(coins=coins, rounds=1)["people"]["one"]
        found = math.log(curve["y"][-1] / curve["y"][-3]) / math.log(4)
        assert found == pytest.approx(slope, abs=0.06)
    public = at(coins="public", rounds=1)
    assert len(public["information"]["ink"]["left"]) == 6
    assert float(at(coins="private").readout["factor"]) > float(public.readout["factor"]) > 2


FACTS = [Fact("second_question", *each) for each in (
    ("a die", a_die, {"n": 100_000}),
    ("every face", every_face, {"rounds": 2}),
    ("suspects", suspects, {"n": 100_000}),
    ("second question", second_question, {"n": 500}),
    ("people", people_against_faces, {"alpha": 3.0}),
    ("questionnaire", questionnaire, {"coins": "public"}),
    ("break it", break_it, {"judge": JUDGES[0]}),
    ("densities", densities, {"s": 0.9}),
    ("explore", explored, {"K": 4}),
)]


def test_answers_name_the_numbers_of_their_scenes():
    read = {name: moved(STORY, name, **dict(STORY.scene(name).ask.then)).readout
            for name in ("suspects", "second question", "questionnaire")}
    said = {name: " ".join(STORY.scene(name).ask.answers.values()) for name in read}
    assert read["suspects"]["judged right, on average"].split()[0] in said["suspects"]
    assert round(float(read["second question"]["the die is found"].rstrip("%"))) == 80
    one = moved(STORY, "second question", rounds=1).readout["the die is found"]
    assert f"{float(one.strip('about %')):.0f}%" in STORY.scene("second question").ask.answers
    assert read["questionnaire"]["has read"] == "5.0%" and "5%" in said["questionnaire"]
    assert round(float(read["questionnaire"]["not read"].rstrip("%"))) == 78
    assert moved(STORY, "suspects").noise("die") > 2 * 0.5, "more than twice the excess"
    first = moved(STORY, "suspects").shown.picture.axes[0].title.split()[2]
    assert all(f"After {first} people" in told for told in STORY.scene("suspects").ask.answers.values())
    told = STORY.scene("second question").ask.answers.values()
    assert all("weak suspicions add up over the faces" in each for each in told), "why, whatever was said"


def test_sliders_stop_where_two_rounds_have_enough_people():
    for K, n in ENOUGH.items():
        assert PEOPLE[K, 1.0, 0.5][-1] == n and 0.8 <= POWER[K, 1.0, 0.5, n][3] < 0.801
    assert POWER[256, 1.0, 0.5, ENOUGH[256]][4] == pytest.approx(142.6, abs=0.1)


def test_kinds_of_halves_are_all_halves():
    """The second road: the chance of one kind by simulation, and moments by the hypergeometric law."""
    kinds = halves()
    assert sum(chance for chance, _ in kinds) == pytest.approx(1, abs=1e-12)
    assert all(heavy.sum() == 32 and heavy.min() >= 0 and heavy.max() <= 8 for _, heavy in kinds)
    signs = 2 * SHEET[:6, :8].astype(int) - 1
    squares = sum(chance * ((signs @ heavy) ** 2).mean() for chance, heavy in kinds)
    # A question holds a hypergeometric number of heavy faces, and twice its excess over 16 is the tilt.
    assert squares == pytest.approx(4 * stats.hypergeom.var(64, 32, 32), rel=1e-9)


def test_the_average_power_of_the_questionnaire_by_drawing_halves():
    """400 halves: within 5 standard errors; a false alarm has 1e-6."""
    rng = np.random.default_rng(5)
    found = [questions_power(SHEET[:6], tilted_die(64, 0.5)[rng.permutation(64)], 20_000, 1.0)
             for _ in range(400)]
    assert abs(np.mean(found) - QUESTIONNAIRE[20_000][0]) < 5 * np.std(found) / 20


def test_surveys_that_are_simulated_at_once_are_the_librarys():
    """Other people: the true level, within 5 standard errors of 20,000; a false alarm has 1e-6."""
    share, error = numbers.FALSE_ALARMS[JUDGES[0]]
    level = uniformity_power(UniformityTest(1.0, 64), np.full(64, 1 / 64), ENOUGH[64])
    assert abs(share - level) < 5 * error and level <= 0.05
    assert numbers.FALSE_ALARMS[JUDGES[1]][0] == 1.0
    again, error = numbers.FALSE_ALARMS[JUDGES[2]]
    assert again - 5 * error > level, "fresh coins do not repair it"


def test_a_bell_stands_for_the_law_of_two_rounds():
    """Its tail is the exact power, to a hundredth at the die of the story."""
    *_, two, _, mean, spread = POWER[64, 1.0, 0.5, ENOUGH[64]]
    assert stats.norm.sf((LIMIT - mean) / spread) == pytest.approx(two, abs=0.01)

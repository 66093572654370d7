"""The stories: each scene's fact is read off its picture's own arrays, and is false at another position."""

import math
import random
import re

import numpy as np
import pytest
import test_story_assouad
import test_story_bayes
import test_story_beyond
import test_story_elbow
import test_story_ldp_check
import test_story_price
import test_story_start
from story_facts import Fact, moved

from ldp_lib.lessons.bars import signal_bars
from ldp_lib.lessons.consistency.explore import SURVEYED
from ldp_lib.lessons.consistency.story import bars_in_noise
from ldp_lib.live import corners, kind, panel
from ldp_lib.stage import Control, Scene, Story, deck, figure, still
from ldp_lib.stage.control import address
from ldp_lib.stage.widget import LivePanel

STORIES = {name: kind(name) for name in (
    "start", "ldp_check", "consistency", "upper_rate", "price", "bayes", "beyond", "assouad", "elbow")}

MOST_CORNERS = 400


def one_report(at):
    seen = at()
    assert sorted(seen.heights("signal")) == [0] * 6 + [1, 1], "she is in two of eight cubes"
    assert math.isclose(seen.noise(), math.sqrt(2) * 4, rel_tol=1e-6), "and her noise is 4 sqrt 2 = 5.66 bars"
    other = at(noise=1)
    assert (other["tide"]["report"]["y"] != seen["tide"]["report"]["y"]).all(), "zeros get noise, too"


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
    strip = seen["strip"]
    middles = (strip["one"]["left"] + strip["one"]["right"]) / 2
    places = (seen["tide"]["seen"]["left"] + seen["tide"]["seen"]["right"]) / 2
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
    wide, narrow = at(h=0.16), at(h=0.08)
    assert wide.noise() == narrow.noise(), "the noise stays"
    tallest = [float(np.abs(seen.heights("signal")).max()) for seen in (wide, narrow)]
    assert tallest == pytest.approx([0.0816, 0.0449], abs=5e-5), "the bars are lower"
    assert [at(h=h).right() for h in (0.281, 0.16, 0.0625)] == pytest.approx([0.622, 0.674, 0.650])


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
    *test_story_start.FACTS, *test_story_ldp_check.FACTS,
    Fact("consistency", "one report", one_report, {"alpha": 2.0}),
    Fact("consistency", "144 reports", a_hundred_and_forty_four, {"n": 576}),
    Fact("consistency", "more people", more_people, {"h": 0.08}),
    Fact("consistency", "sign", sign, {"n": 1_000_000}),
    Fact("consistency", "half the budget", half_the_budget, {"alpha": 2.0}),
    Fact("consistency", "narrow cubes", narrow_cubes, {"n": 36_864}),
    Fact("consistency", "break it", too_fast, {"pace": 0.6}),
    Fact("consistency", "explore", has_a_boundary, {"problem": "sine"}),
    Fact("upper_rate", "bump", bump, {"width": 0.1}),
    Fact("upper_rate", "halve h", halve_h, {"n": 10**8}),
    Fact("upper_rate", "who", who, {"width": 0.2}),
    Fact("upper_rate", "cross", cross, {"d": 2}),
    Fact("upper_rate", "two features", two_features, {"d": 2}),
    Fact("upper_rate", "best h", best_h, {"n": 10**6}),
    Fact("upper_rate", "break it", budget, {"capped": True}),
    Fact("upper_rate", "explore", whole_theorem, {"beta": 0.25}),
    *test_story_price.FACTS,
    *test_story_bayes.FACTS,
    *test_story_beyond.FACTS,
    *test_story_assouad.FACTS,
    *test_story_elbow.FACTS,
]
NAMES = [f"{fact.story}: {fact.scene}" for fact in FACTS]


@pytest.mark.parametrize("fact", FACTS, ids=NAMES)
def test_a_scene_shows_its_fact(fact):
    story = STORIES[fact.story]
    fact.told(lambda **moves: moved(story, fact.scene, **moves))


@pytest.mark.parametrize("fact", FACTS, ids=NAMES)
def test_a_changed_scene_no_longer_shows_it(fact):
    story = STORIES[fact.story]
    with pytest.raises(AssertionError):
        fact.told(lambda **moves: moved(story, fact.scene, **(moves | fact.broken)))


def test_every_scene_has_a_fact():
    assert NAMES == [f"{name}: {scene.name}" for name, story in STORIES.items() for scene in story.scenes]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_scenes_keep_the_rules(story):
    """Few words, few things: at most 25 words, two axes, three named curves, three controls."""
    assert 5 <= len(story.scenes) <= 9
    for scene, values in zip(story.scenes, story.positions().values(), strict=True):
        for words in (scene.sentence, *(scene.ask.answers.values() if scene.ask else ())):
            most = 25 if words is scene.sentence else 20  # "You said ..." comes before it
            assert len(words.split()) <= most and "(" not in words, words
        if scene.name == "explore":
            continue
        picture = story.show(**values).picture
        assert len(picture.axes) <= 2 and len(story.shown(scene.name)) <= 3
        for axes in picture.axes:
            assert len([mark for mark in axes.marks if mark.kind == "line" and mark.label]) <= 3, axes.key


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_questions_have_answers_that_differ(story):
    for scene in story.scenes:
        if scene.ask:
            assert scene.ask.right in {None, *scene.ask.answers} and len(scene.ask.answers) >= 2
            assert all(scene.ask.answers.values()), "each answer is told something"
            controls = {control.name: control for control in story.controls}
            assert all(value in controls[name].values for name, value in scene.ask.then.items())
        if scene.recall:
            names = [each.name for each in story.scenes]
            before = names.index(scene.recall)
            assert before < names.index(scene.name) and story.scenes[before].ask


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_every_corner_of_every_scene_is_drawn_by_all_renderers(story):
    found = list(corners(story))
    # Of thousands (05 has 10 densities with 5 wavelets) some hundreds are enough: the first, and others.
    chosen = found[:1] + random.Random(7).sample(found, MOST_CORNERS) if len(found) > MOST_CORNERS else found
    drawn = set()
    for values in chosen:
        result = story.show(**values)
        picture = result.picture
        alt = result.says
        assert alt and "nan" not in alt
        state = deck.State(picture, alt, tuple(result.numbers))
        assert len(deck.unpack(deck.pack({(0,): state}))) == 1
        assert still.drawn(picture, story.size).endswith("</svg>")
        # The slow one draws what it has not drawn: every mark of every view, and once more where it is empty.
        marks = {(axes.key, mark.kind, mark.key, all(array.size for array in mark.arrays.values()))
                 for axes in picture.axes for mark in axes.marks}
        if not marks <= drawn:
            drawn |= marks
            figure.render(picture, alt, story.size).canvas.draw()


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_every_scene_has_an_address_that_opens_it(story):
    for values in story.positions().values():
        link = address(story, values)
        opened = panel(link)
        assert opened.values == values and opened.remarks == [] and opened.link == link
        assert opened.failure is None
    first = panel(story.name)
    assert first.values == story.positions()[story.scenes[0].name]


def test_a_moved_state_has_an_address():
    opened = panel("consistency/2?scene=sign&n=144")
    assert opened.values["n"] == 144 and opened.values["h"] == 0.16
    assert opened.link == "consistency/2?scene=sign&n=144"
    wrong = panel("consistency/2?scene=nowhere")
    assert wrong.values["scene"] == "explore" and "nowhere" in wrong.remarks[0]


def test_a_kernel_sees_explore_where_no_scene_is_named():
    """What programs ask for without a scene is the whole panel, as it was before there were scenes."""
    for name, position, keys in (("consistency", {"alpha": 0.5}, ["fit", "risk", "promise"]),
                                 ("upper_rate", {"n": 10**6}, ["compromise", "people"])):
        assert [axes.key for axes in kind(name).show(**position).picture.axes] == keys
    controls = {control.name for control in kind("consistency").controls}
    assert controls >= {"problem", "alpha", "h", "n", "kappa"}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_readers_without_a_kernel_see_one_picture_per_scene(story):
    page = panel(story.name)._repr_mimebundle_()["text/html"]
    pictures = re.findall(r'<p><b>([^<]*)\.</b> ([^<]*)</p><img alt="([^"]*)"', page)
    assert [name for name, *_ in pictures] == [scene.name for scene in story.scenes]
    assert all(len(alt.split()) > 5 for *_, alt in pictures)


@pytest.mark.parametrize("name", STORIES)
def test_states_sent_ahead_are_within_reach(name):
    """A story sends the starts of its scenes, what *play* and an answer lead to, what its sliders reach."""
    shown = panel(name)
    lines = shown._lines(shown.place)
    assert len(lines) == len(set(lines)) and shown.place not in lines[1:]
    starts = {shown._place(values) for values in shown.positions().values()} - {shown.place}
    assert starts <= set(lines)


def test_what_stands_last_is_a_control_of_the_story():
    scenes = (Scene("explore", "All.", bars_in_noise),)
    assert Story("right", "Right", scenes, last=bars_in_noise.controls[:1]).controls[-1].name == "alpha"
    with pytest.raises(TypeError, match="last names other, which no view"):
        Story("wrong", "Wrong", scenes, last=(Control("other", "other", "", (1, 2), 1),))


def test_a_story_must_end_with_explore():
    with pytest.raises(TypeError, match="explore"):
        Story("wrong", "Wrong", (Scene("only", "One.", bars_in_noise),))


def test_a_redraw_is_no_slider():
    control = Control("noise", "noise", "", range(3), 0, "{}", redraw=True)
    assert control.kind == "redraw" and LivePanel.stages()[0][1] == ()


def test_bars_of_a_signal_are_as_wide_as_is_said():
    hollow, = (mark.arrays for mark in signal_bars([0.0, 1.0], [2.0, -1.0], 0.7))
    assert hollow["left"] == pytest.approx([-0.35, 0.65]) and hollow["right"] == pytest.approx([0.35, 1.35])
    seen = signal_bars([0.0, 1.0], [2.0, -1.0], 0.7, seen=np.array([1.0, 1.0]))[0].arrays
    within = (seen["left"] > hollow["left"]) & (seen["right"] < hollow["right"])
    assert within.all(), "in the hollow ones"

"""The stories: each scene's fact is read off its picture's own arrays, and is false at another position."""

import html
import random
import re

import numpy as np
import pytest
from extent import DRAW, all_rows
from lessons import test_price
from story_facts import moved, twins

from ldp_lib.lessons import PANELS
from ldp_lib.lessons.bars import signal_bars
from ldp_lib.lessons.consistency.story import bars_in_noise
from ldp_lib.live import corners, kind, panel
from ldp_lib.stage import Control, Scene, Story, deck, figure, still
from ldp_lib.stage.control import address, legal
from ldp_lib.stage.widget import LivePanel

STORIES = {name: kind(name) for name, place in PANELS.items()
           if place.endswith((".story:STORY", ".price:STORY"))}

MOST_CORNERS = 400 if all_rows() else 40


# The facts stand with their stories: tests/lessons mirrors ldp_lib/lessons.
FACTS = [fact for twin in (*twins("test_story"), test_price) for fact in twin.FACTS]
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
    assert sorted(NAMES) == sorted(f"{name}: {scene.name}" for name, story in STORIES.items()
                                   for scene in story.scenes)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_scenes_keep_the_rules(story):
    """Few words, few things: at most 25 words, two axes, three named curves, three controls."""
    assert 5 <= len(story.scenes) <= 9
    for scene, values in zip(story.scenes, story.starts().values(), strict=True):
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
def test_what_a_picture_offers_to_drag_moves_and_has_an_address(story):
    """What a scene does not move has no handle, and nothing asks to drag it; the rest is found again."""
    for scene, values in zip(story.scenes, story.starts().values(), strict=True):
        marks = [mark for axes in story.show(**values).picture.axes for mark in axes.marks]
        grips = {mark.options["handle"]["control"] for mark in marks if mark.options.get("handle")}
        assert set(scene.drags) <= grips <= {*story.shown(scene.name), *scene.drags}
        assert not [mark.label for mark in marks if "drag" in mark.label and not mark.options.get("handle")]
        answered = values | dict(scene.ask.then if scene.ask else {})
        for control in story.controls:
            if control.name in grips:
                for end in (control.values[0], control.values[-1]):
                    there = answered | {control.name: end}
                    assert legal(story, address(story, there), {}) == (there, [])


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
    # Of thousands (05 has 10 densities with 5 wavelets) some are enough: the first, and others, in CI others
    # for each commit.
    if len(found) > MOST_CORNERS:
        found = found[:1] + random.Random(DRAW).sample(found, MOST_CORNERS)
    drawn = set()
    for values in found:
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
    for values in story.starts().values():
        link = address(story, values)
        opened = panel(link)
        assert opened.values == values and opened.remarks == [] and opened.link == link
        assert opened.failure is None
    first = panel(story.name)
    assert first.values == story.starts()[story.scenes[0].name]


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


def test_readers_without_a_kernel_who_asked_for_a_state_see_that_one():
    shown = panel("elbow?scene=a+day&alpha=2.37&seen=True")
    page = shown._repr_mimebundle_()["text/html"]
    (scene, alt), = re.findall(r'<p><b>([^<]*)\.</b> [^<]*</p><img alt="([^"]*)"', page)
    assert scene == "a day" and shown._state(shown.place).alt in html.unescape(alt)


@pytest.mark.parametrize("name", STORIES)
def test_states_sent_ahead_are_within_reach(name):
    """A story sends the starts of its scenes, what *play* and an answer lead to, what its sliders reach."""
    shown = panel(name)
    lines = shown._lines(shown.place)
    assert len(lines) == len(set(lines)) and shown.place not in lines[1:]
    starts = {shown._place(values) for values in shown.starts().values()} - {shown.place}
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
    assert control.kind == "redraw" and LivePanel.reach()[0][1] == ()


def test_bars_of_a_signal_are_as_wide_as_is_said():
    hollow, = (mark.arrays for mark in signal_bars([0.0, 1.0], [2.0, -1.0], 0.7))
    assert hollow["left"] == pytest.approx([-0.35, 0.65]) and hollow["right"] == pytest.approx([0.35, 1.35])
    seen = signal_bars([0.0, 1.0], [2.0, -1.0], 0.7, seen=np.array([1.0, 1.0]))[0].arrays
    within = (seen["left"] > hollow["left"]) & (seen["right"] < hollow["right"])
    assert within.all(), "in the hollow ones"

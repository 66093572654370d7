"""A lesson of one's own: a file that needs the stage alone, in a notebook and on a page."""

import json
import re

import pytest

from ldp_lib.live import corners, panel
from ldp_lib.site.embed import alone
from ldp_lib.site.stored import write
from ldp_lib.site.talk import talk
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.deck import State
from ldp_lib.stage.judge import REGISTERED
from ldp_lib.stage.widget import widget

LESSON = "examples/queues.py"


@pytest.fixture
def queues(repository, monkeypatch):
    monkeypatch.chdir(repository)
    return panel(LESSON)


def test_it_moves_and_every_state_has_an_address(queues):
    assert queues.failure is None and queues.values == {"scene": "half", "load": 0.5}
    assert queues.readout == "people: 1.00"
    queues.go("explore")
    queues.set(load=0.95)
    assert queues.readout == "people: 19.00" and queues.link == "queues/1?scene=explore&load=0.95"
    assert panel(LESSON, scene="explore", load=0.95).readout == queues.readout
    assert queues.static(load=0.9).alt.startswith("At load 0.90 9.00 people")
    for values in corners(type(queues)):
        assert isinstance(queues._state(queues._place(values)), State)


def test_its_question_has_an_answer_for_everybody(queues):
    spec = queues._specification()
    asked = spec["scenes"][1]["ask"]
    assert asked["answers"] == ["2", "5", "9"] and asked["right"] == 2 and len(asked["told"]) == 3
    assert queues._values(asked["then"]) == {"scene": "busy", "load": 0.9}
    assert spec["scenes"][0]["controls"] == ["load"], "all of its view's"


def test_it_has_a_page(repository, monkeypatch, tmp_path):
    monkeypatch.chdir(repository)
    (name, scenes, states, _), = write(tmp_path, [LESSON])
    assert (name, scenes) == ("queues", 3) and states >= 2 * 19
    script = (tmp_path / "queues-1.js").read_text(encoding="utf-8")
    spec = json.loads(re.search(r'"queues-1", (.*)\);', script)[1])
    assert [each["name"] for each in spec["scenes"]] == ["half", "busy", "explore"]
    assert (tmp_path / "queues-1-1.js").exists() and (tmp_path / "panels.js").exists()


def test_an_address_that_somebody_sends_opens_no_file(tmp_path, monkeypatch):
    """`panel` opens files for who writes Python; what pages ask for is looked up among known names."""
    from ldp_lib.site import serve

    (tmp_path / "mine.py").write_text("raise SystemExit('it was run')", encoding="utf-8")
    with pytest.raises(KeyError):
        serve.deck(str(tmp_path / "mine.py"), (0,))


ONE = Control("one", "one", "", (1, 2), 1)


def nothing(one):
    return Shown((), f"{one}.", [])


def test_what_fits_together_is_told():
    seen = view(ONE)(nothing)
    assert seen(one=2).says == "2." and seen().says == "1."
    with pytest.raises(TypeError, match="nothing has no control two; its controls are one"):
        seen(two=2)
    with pytest.raises(TypeError, match="must take one, as its controls are called, not two"):
        view(ONE)(lambda two: None)
    with pytest.raises(TypeError, match="must be called 'explore'"):
        Story("s", "S", (Scene("last", "Last.", seen),))
    other = view(Control("one", "another", "", (1, 3), 1))(nothing)
    with pytest.raises(TypeError, match="two controls are called 'one'"):
        Story("s", "S", (Scene("first", "First.", seen), Scene("explore", "All.", other)))
    for odd in (Scene("first", "First.", seen, {"one": 3}),
                Scene("first", "First.", seen, ask=Ask({"a": "A."}, "a", {"one": 3})),
                Scene("first", "First.", seen, play=("one", (1, 3)))):
        with pytest.raises(ValueError, match="scene 'first': one = 3 is no position"):
            widget(Story("s", "S", (odd, Scene("explore", "All.", seen))))



@pytest.mark.parametrize(("parts", "told"), [
    (dict(controls=("two",)), "there is no control two; its views have one"),
    (dict(moves={"two": 1}), "there is no control two"),
    (dict(play=("two", (1, 2))), "there is no control two"),
    (dict(ask=Ask({"a": "", "b": ""}, "c")), "right = 'c' is none of its answers, which are 'a', 'b'"),
    (dict(ask=Ask({"a": "", "b": ""}, "a", {"two": 2})), "there is no control two"),
    (dict(recall="later"), "is no scene before it that asks"),
    (dict(name="explore"), "two scenes have this name"),
])
def test_what_a_scene_names_and_is_not_there_is_told(parts, told):
    seen = view(ONE)(nothing)
    with pytest.raises(TypeError, match=told):
        first = Scene(parts.pop("name", "first"), "First.", seen, **parts)
        Story("s", "S", (first, Scene("explore", "All.", seen)))
    with pytest.raises(TypeError, match="'my/story' must be a word"):
        Story("my/story", "S", (Scene("explore", "All.", seen),))


def test_what_is_no_number_is_told_where_it_is_shown():
    wrong = ("inf people wait.", []), ("Many.", [("share", "nan%")]), ("Many.", [("share", 0.5)])
    for says, numbers in wrong:
        seen = view(ONE)(lambda one: Shown((), says if one == 2 else "One.", numbers if one == 2 else []))
        story = Story("s", "S", (Scene("explore", "All.", seen),))
        shown = widget(story)(dict(one=1, scene="explore"))
        assert shown.failure is None
        shown.set(one=2)
        assert "say in words" in shown.failure.error or "must be text" in shown.failure.error


def test_a_file_is_refused_that_is_no_lesson_or_takes_a_name(tmp_path, repository):
    path = tmp_path / "mine.py"
    path.write_text("story = 1", encoding="utf-8")
    with pytest.raises(ValueError, match="has no STORY"):
        panel(str(path))
    source = (repository / LESSON).read_text(encoding="utf-8")
    path.write_text(source.replace('Story("queues"', 'Story("elbow"'), encoding="utf-8")
    with pytest.raises(ValueError, match="called 'elbow', too"):
        panel(str(path))


def test_a_figure_is_of_what_is_shown_or_of_a_scene_that_is_named(queues):
    busy = queues.show(**type(queues).starts()["busy"]).says
    assert queues.static(scene="busy").alt == busy
    found = panel("consistency")  # whose scene begins where no default is
    sign = found.show(**type(found).starts()["sign"]).says
    assert found.static(scene="sign").alt == sign != found.show(scene="sign").says
    queues.go("explore")
    queues.set(load=0.95)
    assert queues.static().alt == queues.show(**queues.values).says != busy


EXERCISE = """
from ldp_lib.stage.judge import exercise, near, number
exercise("90.1", "people at load 0.8", number(lambda: {right}, relative=0.01), "think of idle time",
         mistakes={mistakes})
"""


def test_its_exercises_stand_in_its_file(tmp_path, repository):
    """The file is run whenever a panel is opened; what it says last is what counts."""
    path = tmp_path / "mine.py"
    source = (repository / LESSON).read_text(encoding="utf-8")
    for right in ("3.0", "4.0"):
        path.write_text(source + EXERCISE.format(right=right, mistakes='{near(0.8): "The load."}'),
                        encoding="utf-8")
        panel(str(path)), panel(str(path))
    entry = REGISTERED["90.1"]
    assert entry.told(4.0)[0] == "" and entry.told(3.0)[0] and entry.told(0.8)[1] == "The load."
    path.write_text(source, encoding="utf-8")
    panel(str(path))
    assert "90.1" not in REGISTERED
    path.write_text(source + EXERCISE.format(right="4.0", mistakes='[(near(0.8), "The load.")]'),
                    encoding="utf-8")
    with pytest.raises(TypeError, match="mistakes must be a dictionary, .* not a list"):
        panel(str(path))
    path.write_text(f"{EXERCISE.format(right='4.0', mistakes={})}\n1 / 0", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            panel(str(path))


def test_what_is_no_view_no_file_and_no_panel_is_told(tmp_path, monkeypatch):
    story = Story("s", "S", (Scene("explore", "All.", view(ONE)(lambda one: ((), "One.", []))),))
    assert "must return Shown(columns, says, numbers), not a tuple" in widget(story)().failure.error
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="there is no file my/row.py; .* begins at the folder"):
        panel("my/row.py")
    with pytest.raises(ValueError, match="talk, line 2: there is no file row.py"):
        talk("1 elbow?scene=lever Say.\n2 row.py?scene=busy Say.")
    with pytest.raises(ValueError, match="the path of a lesson of your own, which ends with .py"):
        panel("queues/1?scene=busy")


def test_its_states_have_paths_pages_and_stops(repository, monkeypatch):
    monkeypatch.chdir(repository)
    assert panel(f"{LESSON}?scene=explore&load=0.95").link == "queues/1?scene=explore&load=0.95"
    assert 'ldpDeck("queues-1", 2' in alone(f"{LESSON}?scene=busy")
    stop = talk(f"5 {LESSON}?scene=busy Nine wait.")["stops"][0]
    assert stop["address"] == "queues/1?scene=busy" and stop["name"] == "busy" and not stop["whole"]

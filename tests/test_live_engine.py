"""The engine without a browser: states travel whole, the newest wish goes first, no page breaks a panel."""

import asyncio
import base64
import dataclasses
import itertools
import math
import subprocess
import sys
import threading
import time
import tracemalloc
import types
from pathlib import Path

import comm
import numpy as np
import pytest
import traitlets
from ipywidgets.embed import embed_data

from ldp_lib import stage
from ldp_lib.lessons.consistency.story import STORY, bars_in_noise
from ldp_lib.live import PANELS, Control, LivePanel, Scene, corners, log_steps, panel
from ldp_lib.stage.control import legal
from ldp_lib.stage.deck import State, pack, unpack
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import Axes, Picture, bars, line, linear
from ldp_lib.stage.widget import _WORKER, SLICE, _Turns

sys.path.insert(0, str(Path(__file__).parent / "browser"))
from demo import Demo, ripples


@pytest.fixture
def browser(monkeypatch):
    """Somebody to whom panels talk, as where a kernel has put its own `create_comm`."""
    monkeypatch.setattr(comm, "create_comm", lambda **opened: comm.DummyComm(**opened))


@pytest.fixture
def demo(browser):
    live = Demo()
    yield live
    live.close()


def served(live):
    """Wait until nobody wishes for anything; states ahead are sent in slices, each a task of its own."""
    _WORKER.submit(int).result()
    while live._wishes or live._ahead:
        _WORKER.submit(int).result()
    _WORKER.submit(int).result()  # the last slice has taken its states, and may not have sent them


@pytest.fixture
def sent(demo, monkeypatch):
    """Every state that the demo sends after its first deck, place -> content."""
    found = {}

    def send(self, content, buffers=None):
        found.update(unpack(buffers[0]))

    monkeypatch.setattr(Demo, "send", send)
    return found


def flat(columns):
    """All arrays and words of a picture that came out of a deck, for comparison."""
    return [(axes["title"], axes["x"], axes["y"],
             mark["key"], mark["kind"], mark["role"], mark["label"], mark["options"],
             {name: values.tobytes() for name, values in mark["arrays"].items()})
            for column in columns for axes in column for mark in axes["marks"]]


def expected(live, place):
    values = live._values(place)
    result = live.show(**values)
    state = State(result.picture, result.says, tuple(result.numbers))
    return unpack(pack({place: state}))[place]


def same(one, other):
    return one["alt"] == other["alt"] and one["readout"] == other["readout"] and flat(one["columns"]) == flat(
        other["columns"])


def test_equal_arrays_stand_once_in_a_deck(demo):
    one = demo._state(demo.place)
    single, double = pack({(0,): one}), pack({(0,): one, (1,): one})
    assert len(double) < 1.1 * len(single)
    assert same(unpack(double)[0,], unpack(double)[1,])


@pytest.mark.parametrize("seconds, ahead", [(math.inf, True), (0, False)])
def test_the_first_deck_holds_the_lines_of_the_sliders_for_which_there_is_time(
        monkeypatch, seconds, ahead):
    monkeypatch.setattr("ldp_lib.stage.widget.AHEAD_AT_ONCE", seconds)
    demo = Demo()
    states = unpack(demo.deck)
    both = demo._lines(demo.place)
    assert len(both) > 40 and set(states) == {demo.place, *(both if ahead else ())}
    assert all(sum(a != b for a, b in zip(place, demo.place)) <= 1 for place in states)
    for place, state in list(states.items())[::7]:
        assert same(state, expected(demo, place))


def test_a_wish_is_answered_first_and_its_neighbours_follow(demo, sent):
    demo.set(n=10**7, alpha=10.0)
    served(demo)
    assert next(iter(sent)) == demo.place
    neighbours = [place for place in sent if sum(a != b for a, b in zip(place, demo.place)) == 1]
    assert len(neighbours) >= 40, "both lines"
    for place, state in list(sent.items())[::9]:
        assert same(state, expected(demo, place))


def test_many_threads_and_the_newest_wish_wins(demo, sent):
    """Keys, reset and drags at once, each in a thread of its own, as a kernel with subshells has it."""
    places = [(a, n, 0, 1) for a in range(0, 40, 3) for n in range(0, 20, 4)]

    def hammer(mine):
        for place in mine:
            demo._told(demo, {"need": list(place)}, [])

    threads = [threading.Thread(target=hammer, args=(places[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    demo._told(demo, {"need": [5, 5, 0, 1]}, [])
    served(demo)
    assert (5, 5, 0, 1) in sent
    for place, state in sent.items():
        assert same(state, expected(demo, place)), "no state is made of two"


def test_without_a_browser_no_state_is_made_for_one(monkeypatch):
    made = []
    # To write one widget into a page asks all that there are, also those that other tests have left.
    monkeypatch.setattr("ipywidgets.widgets.widget._instances", {})
    monkeypatch.setattr(Demo, "show", classmethod(lambda cls, **at: made.append(at) or ripples.show(**at)))
    monkeypatch.setattr("ldp_lib.stage.widget.AHEAD_AT_ONCE", math.inf)
    live = Demo()
    live.set(n=10**7)
    served(live)
    assert not made and live.model_id == live.key, "its name among widgets it has"
    assert "10,000,000" in live.readout and len(made) == 1
    state = embed_data([live])["manager_state"]["state"]
    deck, = (base64.b64decode(buffer["data"]) for buffer in state[live.model_id]["buffers"])
    assert set(unpack(deck)) == {live.place, *live._lines(live.place)}, "who asks for a deck gets one"
    assert len(made) == len(unpack(deck)), "the state that was known already is made once"
    assert live.layout.model_id in state, "a widget that it has is one of all from the start"


class Remembering(comm.DummyComm):
    """As ipykernel's: it remembers the subshell that has spoken last, and that one is asked."""

    def publish_msg(self, *told, **more):
        self._reply_subshell_id = "a cell's"


def test_a_page_is_answered_beside_a_busy_cell(monkeypatch):
    """By its own subshell: the one that has spoken last may be busy."""
    monkeypatch.setattr(comm, "create_comm", lambda **opened: Remembering(**opened))
    live = Demo()
    assert not hasattr(live.comm, "_reply_subshell_id"), "once it is opened"
    live.send({"deck": 0})
    assert not hasattr(live.comm, "_reply_subshell_id"), "once it has sent something"
    live.comm.send({})
    assert hasattr(live.comm, "_reply_subshell_id"), "the comm has this memory"


def test_what_went_with_the_panel_is_not_sent_again(demo, sent):
    demo.set(n=10**7)
    served(demo)
    assert sent and not sent.keys() & unpack(demo.deck).keys()


def test_a_new_page_is_told_again_what_is_not_in_the_first_deck(demo, sent):
    demo.set(n=10**7, alpha=10.0)
    served(demo)
    sent.clear()
    demo._told(demo, {"hello": True}, [])
    served(demo)
    assert demo.place in sent and not sent.keys() & unpack(demo.deck).keys()


@pytest.mark.parametrize("bad", [
    None, 5, "0,0,0,0", [0, 0, 0], [0, 0, 0, 0, 0], [-1, 0, 0, 0], [10**9, 0, 0, 0], [0.5, 0, 0, 0],
    [math.nan, 0, 0, 0], [True, 0, 0, 0], ["0", 0, 0, 0], [[0], 0, 0, 0]], ids=repr)
def test_a_hostile_page_cannot_move_the_panel(demo, bad):
    before = demo.place
    for wish in ("place", "need"):
        with pytest.raises(traitlets.TraitError, match="index of a position"):
            demo._told(demo, {wish: bad}, [])
    assert demo.place == before


def test_a_page_can_set_no_trait(demo):
    before = demo.place
    for trait in demo.keys:
        with pytest.raises(traitlets.TraitError, match=f"{trait}: a page can set no trait"):
            demo.set_state({trait: getattr(demo, trait)})
    assert demo.place == before


def test_a_page_says_where_its_controls_stand(demo):
    moves, place = demo.moves, tuple(place + 1 for place in demo.place[:2]) + demo.place[2:]
    demo._told(demo, {"place": list(place)}, [])
    assert demo.place == place and demo.moves == moves, "only a move of the kernel moves the page"
    demo.reset()
    assert demo.moves == moves + 1


def test_values_readout_and_link_follow(demo):
    demo.set(n=100, alpha=10.0)
    assert demo.values == {"alpha": 10.0, "n": 100, "shape": "sum", "points": True}
    assert demo.readout.startswith("people: 100; shown: 500; rate: ")
    assert demo.link == "demo/1?alpha=10.0&n=100"
    demo.reset()
    assert demo.link == "demo/1"


def test_an_address_opens_what_it_names(monkeypatch):
    monkeypatch.setitem(PANELS, "demo", "demo:Demo")
    first = panel("demo", n=10**7, points=False)
    second = panel(first.link)
    assert second.values == first.values and second.remarks == []
    assert panel(first.link, n=100).values["n"] == 100


@pytest.mark.parametrize("link, sentence, stands", [
    ("demo/1?n=150", "n = 150.0 is not one of its positions; it stands at 178.", {"n": 178}),
    ("demo/1?n=nan", "n = nan is no position of it; it stands at 10,000.", {}),
    ("demo/1?alpha=much", "alpha = 'much' is no position of it; it stands at 1.", {}),
    ("demo/1?shape=round", "shape = 'round' is no position of it; it stands at sum.", {}),
    ("demo/1?points=perhaps", "points = 'perhaps' is no position of it; it stands at True.", {}),
    ("demo/1?beta=2", "There is no control beta; the controls are alpha, n, shape, points.", {}),
    ("demo/7?n=100", "The address is of version 7 of this panel, which is 1 now.", {"n": 100}),
])
def test_a_wrong_address_gets_a_sentence_and_the_nearest_state(monkeypatch, link, sentence, stands):
    monkeypatch.setitem(PANELS, "demo", "demo:Demo")
    live = panel(link)
    assert live.remarks == [sentence] and live.spec["remark"] == sentence
    assert live.values == Demo.position(**stands)


def test_every_scene_has_an_address(demo):
    for name, values in demo.starts().items():
        demo.go(name)
        assert demo.values == values
        assert legal(Demo, demo.link, {}) == (values, [])
    assert demo.starts()["more privacy"] == Demo.position(n=10**7, alpha=0.1), "scenes inherit"
    with pytest.raises(ValueError, match="scene = 'less' is unknown; choose one of 'start', 'many'"):
        demo.go("less")


def test_failures_show_with_their_cause_and_are_not_kept(demo, sent):
    demo.set(shape="broken", n=100)
    served(demo)
    assert demo.failure.error == (
        "ArithmeticError: this shape always fails\n"
        "at privacy α = 1, people n = 100, shape = broken, show points = True")
    assert "in ripples" in demo.failure.traceback
    assert sent[demo.place]["error"] == demo.failure.error
    assert demo.place not in demo._sent, "another try may succeed"
    demo.set(shape="product")
    assert demo.failure is None


def test_a_picture_that_cannot_travel_says_so(demo, sent, monkeypatch):
    """What no JSON can hold fails on a thread of its own."""
    shown = demo.show()._replace(numbers=[(np.float32(1), "rate")])
    monkeypatch.setattr(demo, "show", lambda **position: shown)
    demo.set(n=100, alpha=10.0)
    served(demo)
    assert "float32 is not JSON serializable" in sent[demo.place]["error"] and demo.place not in demo._sent


class Stillborn(Demo):
    """A panel that fails where it starts."""

    @classmethod
    def show(cls, **position):
        raise ArithmeticError("never <again>")


def test_a_panel_that_fails_at_once_says_so():
    live = Stillborn()
    assert live.failure.error.startswith("ArithmeticError: never")
    assert "never &lt;again&gt;" in live._repr_mimebundle_()["text/html"]


def test_a_position_is_completed_or_refused():
    assert Demo.show(n=10**4).numbers == Demo.show().numbers != Demo.show(n=100).numbers
    with pytest.raises(TypeError, match="Demo has no control beta; its controls are alpha, n, shape, points"):
        Demo.show(beta=1)


def test_set_refuses_positions_off_the_grid(demo):
    with pytest.raises(ValueError, match=r"n = 101 is not a position of its control; choose one of 100, 178"):
        demo.set(n=101)
    assert demo.values["n"] == 10**4


def test_control_refusals():
    with pytest.raises(ValueError, match="default = 3 is not one of its values"):
        Control("d", "dimension", "d", (1, 2), 3)
    with pytest.raises(ValueError, match="the same text"):
        Control("h", "bandwidth", "h", (0.11, 0.12), 0.11, "{:.1f}")


def test_log_steps():
    assert log_steps(1.0, 10.0, 3) == (1.0, 2.15, 4.64, 10.0)
    assert log_steps(0.05, 20.0, 2) == (0.05, 0.1, 0.316, 1.0, 3.16, 10.0, 20.0)
    assert log_steps(100, 10**4, 2) == (100, 316, 1000, 3160, 10**4)
    with pytest.raises(ValueError, match="0 < low < high"):
        log_steps(0, 1, 3)


def test_corners_are_all_there():
    settings = corners(Demo)
    assert settings[0] == Demo.position()
    assert len(settings) == 1 + 2 * 2 * 4 * 2
    assert {setting["n"] for setting in settings} == {100, 10**4, 10**7}


def test_two_thousand_states_leave_no_memory_behind(demo, sent):
    places = [(a, 8, 0, 1) for a in range(len(Demo.controls[0].values))]
    for place in places:
        demo._state(place)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for step in range(2000):
            demo._state(places[step % len(places)])
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # Half a kilobyte a state.
    assert grown < 2**20


def test_registry_lists_its_names():
    with pytest.raises(ValueError, match="'ldp_check', 'laboratory', 'proof_ldp_check', 'consistency'"):
        panel("nothing")
    assert all(target.count(":") == 1 for target in PANELS.values())


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_called_what_the_registry_calls_it(name):
    assert panel(name).name == name


@pytest.mark.parametrize("name", ["laboratory"])
def test_a_panel_loads_only_what_its_picture_needs(name):
    """These four take 150 MiB and seconds; still figures, audits and fits load what they need of them."""
    program = (f"import sys; from ldp_lib.live import panel; panel({name!r}); "
               "print(*{'pandas', 'scipy.stats', 'matplotlib', 'seaborn'} & set(sys.modules))")
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


def test_a_panel_needs_a_view():
    assert "needs a view" in LivePanel().failure.error


def test_a_scene_cannot_move_what_is_not_there():
    for moves, words in (({"beta": 1}, "scene 'odd': there is no control 'beta'; the controls are alpha"),
                         ({"alpha": 0.123}, "scene 'odd': alpha = 0.123 is no position .* choose one of")):
        with pytest.raises(ValueError, match=words):
            type("Odd", (Demo,), {"scenes": (Scene("odd", "Odd.", ripples, moves),)})


def test_the_scene_that_contributors_are_shown_stands_in_notebook_02(repository):
    words = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = words.partition("## A scene")[2].partition("```python\n")[2].partition("```")[0]
    scene = eval(code.partition("\n\n")[2], {"Scene": stage.Scene, "bars_in_noise": bars_in_noise})
    more = dataclasses.replace(STORY, scenes=(*STORY.scenes[:-1], scene, STORY.scenes[-1]))
    eighth, whole = (more.show(**more.starts()[scene.name] | {"alpha": alpha})
                     .columns[0][0].marks[0].arrays["high"][0] for alpha in (0.125, 1.0))
    assert eighth == pytest.approx(8 * whole)


def test_a_key_that_all_axes_share_stands_once():
    unit = linear(0, 1)
    one = Axes("one", unit, unit, marks=(line("risk", [0, 1], [0, 1], "private", label="risk"),
                                         bars("box", [0], [1], [0], [1], "bound", label="box", hollow=True)))
    other = one._replace(key="other", marks=one.marks[:1])
    alike = render(Picture(((one,), (one._replace(key="two"),))), "", (6, 3))
    assert [axes.get_legend() for axes in alike.axes] == [None, None]
    assert [words.get_text() for words in alike.legends[0].get_texts()] == ["risk", "box"]
    # What is hollow in the picture is hollow in the key.
    assert alike.legends[0].get_patches()[0].get_facecolor()[3] == 0
    differing = render(Picture(((one,), (other,))), "", (6, 3))
    assert not differing.legends and all(axes.get_legend() for axes in differing.axes)


def test_a_python_without_threads_answers_at_later_turns(demo, sent, monkeypatch):
    """That of a browser: the newest wish first; what is ahead in slices, between which others have a turn."""
    order, far = [], tuple(len(control.values) - 1 for control in demo.controls[:2]) + (1, 0)

    async def ask():
        demo._told(None, {"need": far}, [])
        assert not sent, "who asks is not kept waiting"
        while not sent or demo._ahead:
            order.append(len(sent))
            await asyncio.sleep(0)

    monkeypatch.setattr("ldp_lib.stage.widget._WORKER", _Turns())
    clock = itertools.count()  # of a machine on which a slice has room for four states
    monkeypatch.setattr(time, "perf_counter", lambda: SLICE / 5 * next(clock))
    loop = threading.Thread(target=asyncio.run, args=(ask(),))  # Playwright's may run in this one
    loop.start()
    loop.join()
    assert next(iter(sent)) == far and len(sent) >= 40
    assert len(set(order)) > 5, "somebody else had a turn between the slices"


def test_in_colab_a_view_brings_the_browsers_half(demo, monkeypatch):
    """Its outputs are pages of their own, so that no panel could move into a still picture."""
    output = types.SimpleNamespace(enable_custom_widget_manager=lambda: None,
                                   _widgets=types.SimpleNamespace(_installed_url=None))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    shown, _ = demo._repr_mimebundle_()
    assert shown["application/vnd.jupyter.widget-view+json"]["model_id"] == demo.model_id == demo.key
    assert "text/html" not in shown


def test_the_still_picture_is_of_the_position_where_the_panel_stands(demo):
    """A notebook that is saved shows it without a kernel, beside the address of the same state."""
    def shown():
        return demo._repr_mimebundle_()

    first = shown()
    demo.set(n=demo.controls[1].values[-1])
    moved = shown()
    assert moved["text/plain"] == demo._state(demo.place).alt != first["text/plain"]
    assert moved["text/html"] != first["text/html"] and demo.link.split("?")[1] in moved["text/html"]


def test_a_later_wish_ends_the_slices_of_the_one_before(demo, sent, monkeypatch):
    """One task at a time is waiting for a panel, however often it was moved: others do not wait behind it."""
    waiting = []
    monkeypatch.setattr(_WORKER, "submit", lambda task, *given: waiting.append((task, given)))
    monkeypatch.setattr("ldp_lib.stage.widget.SLICE", 0)  # nothing ahead is ever made
    for k in range(25):
        demo._told(demo, {"need": [k, 3, 0, 1]}, [])
    for _ in range(25):
        task, given = waiting.pop(0)
        task(*given)
    assert len(waiting) == 1 and (24, 3, 0, 1) in sent
    demo._ahead.clear()


def test_a_panel_is_asked_for_by_its_name():
    with pytest.raises(TypeError, match="name = 5 is a int"):
        panel(5)


@pytest.mark.parametrize("position", [
    {"alpha": np.array([1.0, 2.0])}, {"alpha": True}, {"scene": ["sign"]}, {"n": "many"}, {"n": math.nan}])
def test_what_is_no_position_is_said_in_the_panel(position):
    found = panel("consistency", **position)
    (name,) = position
    assert len(found.remarks) == 1 and f"{name} = " in found.remarks[0]
    assert not panel("consistency", alpha=np.float64(1.0)).remarks

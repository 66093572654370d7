"""Pages without Python: what is stored, and that the page's own modules read it as it was computed."""

import base64
import builtins
import functools
import hashlib
import importlib
import itertools
import json
import math
import os
import random
import re
import runpy
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace
from urllib.parse import urlencode

import nbformat
import pytest
from extent import all_rows
from joblib.externals.loky import get_reusable_executor
from sphinx.errors import ExtensionError
from test_live_pictures import NODE, ask_node

from ldp_lib.live import EXERCISES, PANELS, check, panel
from ldp_lib.site import stored
from ldp_lib.site.stored import MOST, places, write, write_exercises
from ldp_lib.site.talk import talk
from ldp_lib.stage.control import address, legal, split
from ldp_lib.stage.deck import pack, rounded
from ldp_lib.stage.picture import Picture, between
from ldp_lib.stage.widget import LivePanel, browser_half

FEW = tuple(PANELS) if all_rows() else ("price", "upper_rate", "laboratory")
"""Two stories and a panel that is none, or all."""


@pytest.fixture
def page(repository):
    """Ask the page's own modules."""
    return functools.partial(ask_node, repository / "tests" / "browser" / "pages.mjs")


@pytest.mark.ci
def test_a_full_process_is_replaced_in_silence(tmp_path, monkeypatch):
    """joblib looks at how much a process holds once a second, and after each panel."""
    def fill(folder, name, links, sample):
        vars(builtins).setdefault("held", []).append(b"x" * 400_000_000)
        time.sleep(1.2)
        return os.getpid(), 0, 0, 0

    monkeypatch.setattr(stored, "write_panel", fill)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "2")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rows = write(tmp_path, list(PANELS)[:6])
    get_reusable_executor().shutdown(kill_workers=True)  # or what the last ones hold would stay for minutes
    assert len({row[0] for row in rows}) > 2 and not said


def digest(at, state, seen=rounded):
    """As tests/browser/pages.mjs does it, from what the kernel computed."""
    words = json.dumps([at, state.alt, state.readout], separators=(",", ":"), ensure_ascii=False)
    found = hashlib.sha256(words.encode())
    for axes in state.picture.axes:
        for mark in axes.marks:
            found.update(f"{axes.key} {mark.kind} {mark.key} {mark.role}".encode())
            for name in sorted(mark.arrays):
                found.update(name.encode())
                found.update(seen(axes, name, mark.arrays[name]).tobytes())
    return found.hexdigest()


@pytest.mark.parametrize("name", FEW)
def test_every_stored_state_is_the_kernels(name, tmp_path, monkeypatch, page):
    """As it was when it was written; and a fourth of them are the same again, in another order."""
    shown, compute, made = panel(name), LivePanel._state, {}

    def noted(self, at):
        state = compute(self, at)
        made[at] = digest(at, state)
        return state

    monkeypatch.setattr(LivePanel, "_state", noted)
    row = stored.write_panel(tmp_path, name, ())
    files = [str(path) for path in tmp_path.glob(f"{name}-{shown.version}-*.js")]
    decoded = page("decks", files)
    assert made.keys() == {at for ahead in places(shown).values() for at in ahead}
    assert decoded == {",".join(map(str, at)): told for at, told in made.items()}
    assert row[1:3] == (len(files), sum(map(len, places(shown).values())))
    for at in random.Random(4).sample(sorted(made), len(made) // 4):
        assert digest(at, compute(shown, at)) == made[at], shown._values(at)


def sent(state):
    """The picture of a state as a browser has it."""
    return Picture(tuple(tuple(axes._replace(marks=tuple(mark._replace(arrays={
        name: rounded(axes, name, values) for name, values in mark.arrays.items()}) for mark in axes.marks))
        for axes in column) for column in state.picture.columns))


@pytest.mark.parametrize(("name", "scene"), [("consistency", "more people"), ("elbow", "lever"),
                                             ("bayes", "gate"), ("assouad", "rectangle")])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_glides_is_the_same_in_the_browser_and_in_films(page, name, scene, share):
    shown = panel(name)
    start, told = shown.starts()[scene], {each.name: each for each in shown.scenes}[scene]
    end = dict(told.ask.then) | ({told.play[0]: told.play[1][-1]} if told.play else {})
    here, there = shown._place(start), shown._place(start | end)
    states = {at: shown._state(at) for at in (here, there)}
    halfway = between(*map(sent, states.values()), share)
    found, ends = page("between", {"deck": base64.b64encode(pack(states)).decode(), "share": share})
    assert found == digest(there, states[there]._replace(picture=halfway), lambda axes, name, values: values)
    assert ends == [[axes.x.low, axes.x.high, axes.y.low, axes.y.high] for axes in halfway.axes]


@pytest.mark.parametrize("name", PANELS)
def test_what_a_hand_can_reach_in_a_scene_is_stored(name):
    """A scene whole, but for what is stored alone, or along each control at every budget; and its play."""
    shown, stored = panel(name), places(panel(name))
    assert all(len(ahead) == len(set(ahead)) for ahead in stored.values())
    rng = random.Random(5)
    for number, scene in enumerate(shown.scenes):
        story = hasattr(shown, "shown")
        ahead = set(stored[number if story else 0])
        start = shown.starts()[scene.name]
        assert shown._place(start) in ahead
        start = start | scene.ask.then if scene.ask else start
        names = shown.shown(scene.name) if story else [control.name for control in shown.controls]
        controls = [control for control in shown.controls if control.name in names]
        whole = math.prod(len(control.values) for control in controls) <= MOST
        budget = [control for control in controls if control.name in ("alpha", "epsilon")]
        alone = scene.alone if story else ()
        together = [control for control in controls if control.name not in alone]
        for control in controls:
            for value in control.values:
                others = [] if control.name in alone else together if whole else budget
                moved = {other.name: rng.choice(other.values) for other in others} | {control.name: value}
                assert shown._place(start | moved) in ahead, (scene.name, moved)
        if scene.play:
            control, stops = scene.play
            assert all(shown._place(start | {control: stop}) in ahead for stop in stops)


def test_what_notebooks_and_talks_show_is_stored(building, repository):
    links = building.shown()
    stops = [stop["address"] for path in (repository / "docs" / "talks").glob("*.txt")
             for stop in talk(path.read_text(encoding="utf-8"))["stops"]]
    links = [*links, *stops]
    assert len(set(links)) > 40 and {split(link)[0] for link in links} == set(PANELS)
    for name in PANELS:
        shown = panel(name)
        stored = {at for ahead in places(shown, links).values() for at in ahead}
        for link in links:
            if split(link)[0] == name:
                values, remarks = legal(shown, link, {})
                assert remarks == [] and shown._place(values) in stored, link


@pytest.mark.parametrize("name", PANELS)
def test_a_sample_has_where_each_scene_begins_and_nothing_of_its_own(name):
    """Before its question and after it, and one step from there along each control that it shows."""
    shown = panel(name)
    few, whole = ({at for ahead in places(shown, sample=sample).values() for at in ahead}
                  for sample in (True, False))
    assert few <= whole
    for scene, (label, start) in zip(shown.scenes, shown.starts().items(), strict=True):
        assert shown._place(start) in few, label
        then = scene.ask.then if scene.ask else {}
        seen = shown.shown(label) if hasattr(shown, "shown") else [control.name for control in shown.controls]
        end = {scene.play[0]: scene.play[1][-1]} if scene.play else {}
        again = start | {each: value for each, value in then.items() if each not in seen}
        for hub in (start | then, again, start | then | end):
            for control in shown.controls:
                if control.name in seen:
                    assert {shown._place(hub | {control.name: value}) for value in control.values} <= few


def specification(name):
    """What the page knows of a panel, as a script tells it."""
    return json.loads(json.dumps(stored.specification(panel(name)), allow_nan=False))


@pytest.mark.parametrize("name", FEW)
def test_addresses_are_read_and_written_as_in_python(name, page):
    shown, rng = panel(name), random.Random(6)
    start = shown.starts() or {"": shown.position()}
    asked = [rng.choice(list(start.values()))
             | {control.name: rng.choice(control.values) for control in rng.sample(shown.controls[1:], 2)}
             for _ in range(200)]
    links = [address(shown, values) for values in asked] + [f"{name}/{shown.version}"]
    spec = specification(name)
    wanted = [list(shown._place(legal(shown, link, {})[0])) for link in links]
    found = page("addresses", {"spec": spec, "links": links, "places": wanted})
    assert found["places"] == wanted
    for link, at in zip(found["links"], wanted, strict=True):
        values, remarks = legal(shown, link, {})
        assert remarks == [] and list(shown._place(values)) == at, link


def test_what_no_hand_reaches_is_said_as_in_python(page):
    shown, spec = panel("upper_rate"), specification("upper_rate")
    links = [f"upper_rate?{urlencode({'scene': scene.name, control.name: control.values[end]})}"
             for scene in shown.scenes for control in shown.controls[1:] for end in (0, -1)]
    said = [" ".join(legal(shown, link, {})[1]) for link in links]
    assert page("remarks", {"spec": spec, "links": links}) == said
    assert all(any(re.search(words, each) for each in said) for words in (
        "^$", "does not show [^,]* does\\.$", "does not show .*, .* do\\.$"))


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Return what pages know of exercises, by their names; each knows those of its notebook."""
    folder, found = tmp_path_factory.mktemp("asked"), {}
    write_exercises(folder)
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        known = json.loads(re.fullmatch(r"ldpExercises\((.*)\);\n", text)[1])
        assert {name[:2] for name in known} == {re.fullmatch(r"exercises-(\d\d)\.js", path.name)[1]}
        found |= known
    return found


def test_every_exercise_is_asked_and_its_tolerance_is_said(asked):
    assert set(asked) == set(EXERCISES)
    for name, entry in asked.items():
        assert entry["question"] and entry["enough"].endswith(".")
        assert ("right" in entry or "verdicts" in entry) == EXERCISES[name].judged_in_pages


def test_every_notebook_has_two_things_that_a_page_judges(repository):
    for path in sorted((repository / "notebooks").glob("0*.ipynb")):
        source = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
        judged = [name for name in re.findall(r"""^check\("([^"]+)",""", source, re.MULTILINE)
                  if EXERCISES[name].judged_in_pages]
        assert len(judged) >= 2, path.name
        for name in judged:  # the panel that a form reads is the last one of its story above it
            offer = EXERCISES[name].offer
            if offer and offer.address:
                above = re.findall(r"""panel\("([^"]*)"\)""", source.partition(f'check("{name}"')[0])
                story = split(offer.address)[0]
                assert [link for link in above if split(link)[0] == story][-1] == offer.address


def test_every_position_is_judged_as_in_python(asked, page):
    for name, entry in asked.items():
        if "verdicts" not in entry:
            continue
        offer = EXERCISES[name].offer
        indices = list(itertools.product(*(range(len(control.values)) for control in offer.controls)))
        found = page("placed", {"exercise": entry, "places": indices})
        for answer, said in zip(offer.answers(), found, strict=True):
            wanted = check(name, answer)
            assert said["right"] == wanted.right, (name, answer)
            words = wanted.text.partition(": right. " if wanted.right else ": not yet. ")[2]
            told = said["words"].removeprefix("✓ Right. " if wanted.right else "✗ Not yet. ")
            assert told.partition(" Hint:")[0] == words.partition(" Hint:")[0], (name, answer)


def test_a_panel_is_read_as_in_python(asked, page):
    spec = specification("upper_rate")
    for name in ("03.8", "03.9"):
        entry, offer = asked[name], EXERCISES[name].offer
        shown, (free,) = panel(offer.address), offer.controls
        reached = shown.values | {free.name: free.values[3]}
        elsewhere = reached | {"scene": "explore", "d": 1}
        right, wrong = page("read", {"exercise": entry, "spec": spec, "places": [
            list(shown._place(values)) for values in (reached, elsewhere)]})
        assert right == {"at": [3]}
        shown.set(**elsewhere)
        assert wrong["words"] == offer.given(shown)[1] != ""


def test_numbers_are_judged_as_in_python(asked, page):
    for name, entry in asked.items():
        if "right" not in entry:
            continue
        texts = [f"{entry['right'] * factor:.9f}" for factor in (1, 1.03, 0.5, 2, -1)] + ["x", "", "nan"]
        texts += [f"{wrong:.9f}" for wrong, *_ in entry["mistakes"]]
        for text, said in zip(texts, page("judged", {"exercise": entry, "texts": texts}), strict=True):
            try:
                wanted = check(name, float(text))
            except ValueError:
                assert not said["right"] and "number is expected" in said["words"]
                continue
            assert said["right"] == wanted.right, (name, text)
            for mistake in entry["mistakes"]:
                assert (mistake[2] in said["words"]) == (mistake[2] in wanted.text), (name, text)
            assert ("Close" in said["words"]) == ("Close" in wanted.text), (name, text)
            told = EXERCISES[name].tolerance
            assert (told in said["words"]) == (told in wanted.text) != (said["right"] or text == "nan")


NUMBER = {"question": "", "relative": 1e-3, "above": False, "enough": "Within 0.1% it counts.", "more": "",
          "hint": "", "second": "", "mistakes": []}
"""An exercise whose answer is a number, but for what is right."""


def test_commas_are_decimal_points_or_part_thousands(page):
    """Pictures print "17,800"; some readers write 0,25."""
    entry = NUMBER
    for right, texts, wanted in ((8623.0, ["8,623", "8623", "8,6"], [True, True, False]),
                                 (1234567.0, ["1,234,567"], [True]), (0.25, ["0,25", "0.25"], [True, True]),
                                 (15.0, ["1,5"], [False])):
        found = page("judged", {"exercise": entry | {"right": right}, "texts": texts})
        assert [said["right"] for said in found] == wanted


def test_fractions_and_percents_are_numbers(page):
    """And so is a minus as it is printed; the tolerance is told."""
    entry = NUMBER | {"mistakes": [[-0.5, 0.02, "half"]]}
    for right, texts, wanted in ((1 / 36, ["1/36", " 1 / 36 ", "2/72", "2.7778%", "0.0278"], [True] * 5),
                                 (1 / 36, ["1/35"], [False]),
                                 (0.26444, ["26.44%", "26,44 %", "26.44"], [True, True, False]),
                                 (1.0, ["1/0", "/3", "3/", "1/2/3", "%", "-", "100%"], [False] * 6 + [True]),
                                 (-0.25, ["−0.25", "−1/4", "1/4"], [True, True, False])):
        found = page("judged", {"exercise": entry | {"right": right}, "texts": texts})
        assert [said["right"] for said in found] == wanted, texts
        for text, said in zip(texts, found):
            nothing = text in ("1/0", "/3", "3/", "1/2/3", "%", "-")
            told = "number is expected" if nothing else "Within 0.1% it counts."
            assert said["right"] or told in said["words"]
    half, = page("judged", {"exercise": entry | {"right": 3.0}, "texts": ["−50%"]})
    assert "half" in half["words"]


def test_a_talk_says_which_line_is_wrong():
    stop = {"minutes": 3, "address": "price/1?scene=open", "name": "open", "whole": False, "say": "Say it."}
    assert talk("# Title\n# more\n\n3 price?scene=open Say it.\n") == {"title": "Title", "stops": [stop]}
    stops = talk("1 price All.\n5 break\n1 price?scene=open One.")["stops"]
    assert [each.get("rest") for each in stops] == [5, None]
    assert [stop["whole"] for stop in stops] == [True, False]
    for line, said in (("price", "'price' must have whole minutes"), ("2.5 price Say.", "whole minutes"),
                       ("1 prize Say.", "'prize' is unknown; choose one of 'start'"),
                       ("1 price?scene=one bit each. Say.", r"a space is written \+; .* one\+bit\+each, "),
                       ("1 elbow?scene=lever&p=1 Say.", "lever does not show p; ")):
        with pytest.raises(ValueError, match=f"mine.txt, line 2: .*{said}"):
            talk(f"# Title\n{line}\n", "mine.txt")


@pytest.mark.parametrize("host", ["widget", "site"])
def test_no_two_parts_of_a_script_declare_one_name(host, tmp_path):
    """In one scope a second function takes the place of the first, silently; in a module it is an error."""
    parts = [stored._BROWSER / f"{name}.js" for name in stored._MODULES]
    script, path = LivePanel._esm if host == "widget" else browser_half(*parts), tmp_path / "script.mjs"
    for text, code in ((script, 0), (script + "\nfunction element() {}\n", 1)):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([NODE, "--check", path], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert not code or "'element' has already been declared" in done.stderr


@pytest.fixture
def building(repository):
    """The module that builds the pages."""
    sys.path.insert(0, str(repository / "docs" / "site"))
    return importlib.import_module("build")


def test_pictures_of_a_page_are_files_that_load_late_and_once(building, repository, tmp_path):
    notebook = json.loads((repository / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8"))
    before = json.dumps(notebook)
    for _ in range(2):  # the same picture is the same file
        building.apart(notebook, tmp_path, "../_static/stills")
    after = json.dumps(notebook)
    assert "base64" not in after
    names = re.findall(r'loading=\\"lazy\\" src=\\"../_static/stills/(\w+\.svg)\\"', after)
    wanted = [base64.b64decode(found) for found in re.findall(r'svg\+xml;base64,([^"\\]+)', before)]
    assert len(wanted) > 5 and [(tmp_path / name).read_bytes() for name in names] == wanted
    assert {path.name for path in tmp_path.iterdir()} == set(names)


def test_a_notebook_beside_its_page_has_the_words_of_its_pictures(building, repository):
    notebook = json.loads((repository / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8"))
    shown = [output["data"] for cell in notebook["cells"] for output in cell.get("outputs", ())
             if "data" in output]
    before = [set(each) for each in shown]
    building.spoken(notebook)
    lost = [kinds - set(each) for kinds, each in zip(before, shown, strict=True)]
    assert {"text/html"} in lost and all(each in (set(), {"text/html"}) for each in lost)
    assert all("text/plain" in each for each in shown) and "base64" not in json.dumps(notebook)


def test_pages_that_are_too_heavy_are_refused(building, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "page.html").write_bytes(bytes(1500))
    assert building.weight(tmp_path) == 1500
    monkeypatch.setattr(building, "MOST", 1499)
    with pytest.raises(SystemExit, match="MB; it may have"):
        building.weight(tmp_path)


@pytest.fixture
def mathml(repository):
    """What makes formulas when pages are built, with a process that ends with the test."""
    building = runpy.run_path(str(repository / "docs" / "site" / "conf.py"))
    with building["renderer"]():
        yield lambda text, **options: building["mathml"](SimpleNamespace(astext=lambda: text), **options)


def test_a_formula_is_mathml_and_a_wrong_one_stops_the_build(mathml):
    found = mathml(r"\lvert x \rvert \le \log n", displayMode=False)
    assert found.startswith("<math") and found.endswith("</math>") and 'rspace="0.17em"' in found
    assert '<mi mathvariant="normal">∣</mi>' in found, "a bar that embraces is no relation"
    with pytest.raises(ExtensionError, match=r"\\frac\{1 is no formula: .*expected"):
        mathml(r"\frac{1", displayMode=True)

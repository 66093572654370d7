"""What others have written down stays valid: panels, their scenes and controls, exercises."""

import copy
import json

import pytest
from kept import NAMES, described, lost, with_new_names

from ldp_lib.live import EXERCISES, PANELS, kind
from ldp_lib.stage.control import legal


@pytest.fixture(scope="module")
def known():
    """As printed; what is added is added there, what stands there stays: see CONTRIBUTING.md."""
    return json.loads(NAMES.read_text(encoding="utf-8"))


def test_panels_scenes_and_controls_are_those_that_are_known(known):
    here = {name: described(name) for name in PANELS}
    assert lost(known, here) == {}, "what is gone raises the version, and leaves tests/names.json by hand"
    assert here == known["panels"], "python -m tests.kept adds what is new"


def test_exercises_are_those_that_are_known(known):
    assert list(EXERCISES) == known["exercises"]


@pytest.mark.parametrize("name", PANELS)
def test_every_scene_opens_by_its_address(name, known):
    """Of a story what opens is looked at in `test_stories`."""
    live, link = kind(name), f"{name}/{known['panels'][name]['version']}"
    for scene in known["panels"][name]["scenes"]:
        asked = {"scene": scene} if "scene" in known["panels"][name]["controls"] else {}
        values, remarks = legal(live, link, asked)
        assert remarks == [] and asked.items() <= values.items()


def test_names_are_added_and_none_is_lost_on_the_way(known):
    assert with_new_names(known) == known
    older, renamed = copy.deepcopy(known), copy.deepcopy(known)
    del older["panels"]["price"]
    older["panels"]["elbow"]["scenes"].pop(3)
    older["exercises"].remove("05.8")
    assert with_new_names(older) == known
    renamed["panels"]["elbow"]["scenes"][3] = "another"
    renamed["panels"]["beyond"]["version"] -= 1
    renamed["panels"]["gone"] = known["panels"]["price"]
    renamed["exercises"].append("05.99")
    found = with_new_names(renamed)
    assert all(found["panels"][name] == renamed["panels"][name] for name in ("elbow", "beyond", "gone"))
    assert "05.99" in found["exercises"]

"""What others have written down stays valid: panels, their scenes and controls, exercises."""

import json

import pytest

from ldp_lib.live import EXERCISES, PANELS, panel
from ldp_lib.live import kind as kind_of

NAMES = "tests/names.json"
"""As printed; what is added is added here, what stands here stays: see CONTRIBUTING.md."""


@pytest.fixture(scope="module")
def known(repository):
    return json.loads((repository / NAMES).read_text(encoding="utf-8"))


def described(name):
    shown = kind_of(name)
    return {"version": shown.version, "scenes": [scene.name for scene in shown.scenes],
            "controls": sorted(control.name for control in shown.controls)}


def test_panels_scenes_and_controls_are_those_that_are_known(known):
    assert {name: described(name) for name in PANELS} == known["panels"]


def test_exercises_are_those_that_are_known(known):
    assert list(EXERCISES) == known["exercises"]


@pytest.mark.parametrize("name", PANELS)
def test_every_scene_opens_by_its_address(name, known):
    for scene in known["panels"][name]["scenes"]:
        live = panel(f"{name}/{known['panels'][name]['version']}", scene=scene) if "scene" in (
            known["panels"][name]["controls"]) else panel(name)
        assert live.remarks == [] and live.failure is None

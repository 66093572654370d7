"""Every notebook, in JupyterLab and in Voilà, run, moved and read in a real browser."""

import itertools

import harness
import pytest
from axe_playwright_python.sync_playwright import Axe

NOTEBOOKS = sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb"))
SIZES = {"lab": (1280, 720), "voila": (1920, 1080)}
"""CSS pixels: a laptop, and a projector, where a readout breaks its lines elsewhere."""


def test_there_are_notebooks_with_panels():
    assert any(map(harness.has_panel, NOTEBOOKS))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_panels_move(page, where, notebook):
    def resize(width, height):
        page.set_viewport_size({"width": width, "height": height})

    resize(*SIZES[where.application])
    assert harness.run(page, where, notebook.name) == []
    panels = harness.panels(page, harness.has_panel(notebook))
    assert bool(panels) == harness.has_panel(notebook)
    ids = page.evaluate("() => [...document.querySelectorAll('.ldp-panel [id]')].map(node => node.id)")
    assert len(set(ids)) == len(ids), "panels of one page do not share names"
    for panel in panels:
        harness.check_names(panel)
        # The panel is the same in both hosts: every control in one of them, the first in the other.
        for control in harness.controls(panel)[:None if where.application == "lab" else 1]:
            harness.check_control(panel, control)
        harness.reset(panel)
        harness.check_readable(panel)
        scenes = panel.locator(".ldp-scenes option").count() - 1
        assert scenes > 0
        for scene in range(scenes if where.application == "lab" else 1):
            panel.locator(".ldp-scenes").select_option(str(scene))
            harness.check_readable(panel)
        found = Axe().run(page, context=".ldp-panel").response["violations"]
        assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
        if where.application == "lab":
            panel.focus()
            panel.press("l")
            harness.check_readable(panel, 20)
            harness.reset(panel)
            for control in harness.controls(panel):
                for _ in itertools.islice(harness.move(control), 2):
                    harness.check_readable(panel, 20)
            panel.press("Escape")
            for narrow in ((390, 844), (640, 360)):  # a telephone; a laptop at a zoom of 200%
                resize(*narrow)
                harness.check_readable(panel)
            resize(*SIZES["lab"])

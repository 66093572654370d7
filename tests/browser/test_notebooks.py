"""Every notebook, in JupyterLab and in Voilà, run and moved in a real browser of one width each."""

import harness
import pytest

NOTEBOOKS = sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb"))
WIDTHS = {"lab": 1280, "voila": 1920}
"""CSS pixels: a laptop, and a projector, where a readout breaks its lines elsewhere."""


def test_there_are_notebooks_with_panels():
    assert any(map(harness.has_panel, NOTEBOOKS))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_panels_move(page, where, notebook):
    page.set_viewport_size({"width": WIDTHS[where.application], "height": 1000})
    assert harness.run(page, where, notebook.name) == []
    panels = harness.panels(page, harness.has_panel(notebook))
    assert bool(panels) == harness.has_panel(notebook)
    for panel in panels:
        harness.check_names(panel)
        for control in harness.controls(panel):
            harness.check_control(panel, control)

"""Every notebook, in JupyterLab and in Voilà, run and moved in a real browser."""

import json

import harness
import pytest

NOTEBOOKS = sorted(path.name for path in harness.NOTEBOOKS.glob("[0-9]*.ipynb"))


def has_panel(name):
    """Does a code cell of this notebook ask for a live panel?"""
    cells = json.loads((harness.NOTEBOOKS / name).read_text())["cells"]
    return any(cell["cell_type"] == "code" and "panel(" in "".join(cell["source"]) for cell in cells)


def test_there_are_notebooks_with_panels():
    assert any(map(has_panel, NOTEBOOKS))


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_notebook_runs_and_its_panels_move(page, where, notebook):
    assert harness.run(page, where, notebook) == []
    panels = harness.panels(page)
    assert bool(panels) == has_panel(notebook)
    for panel in panels:
        harness.check_names(panel)
        for control in harness.controls(panel):
            harness.check_control(panel, control)

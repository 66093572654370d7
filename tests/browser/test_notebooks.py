"""Every notebook, in JupyterLab and as a page, run, moved and read in a real browser."""

import itertools

import harness
import pytest

from ldp_lib.live import PANELS

MAIN = sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb"))
SHOWN = {path: harness.shown_panels(path)
         for path in MAIN + sorted(harness.NOTEBOOKS.glob("appendix/*.ipynb"))}
"""The names of the panels of each notebook."""
NOTEBOOKS = MAIN + [path for path in SHOWN if path not in MAIN
                    and set(SHOWN[path]) - {name for main in MAIN for name in SHOWN[main]}]
"""An appendix is opened if it shows a panel that no other notebook does; nbval runs all of them."""
WHOLE = ("00_start_here", "02_universal_consistency")
"""Run from the first cell to the last in JupyterLab; of others, which nbval runs, what shows panels."""
SHARE = pytest.mark.share(5)
HOSTS = [pytest.param(host, path, id=f"{host}-{path.stem}", marks=marks)
         for path in NOTEBOOKS for host, marks in (
             ("lab", [pytest.mark.ci, SHARE] if path.stem != WHOLE[0] else []), ("pages", SHARE))]
SIZES = {"lab": (1280, 720), "pages": (1920, 1080)}
"""CSS pixels: a laptop, and a projector, where a readout breaks its lines elsewhere."""


def new_here(notebook):
    """The titles of panels that no notebook before this one shows: each is moved once in each host."""
    before = {name for path in NOTEBOOKS[:NOTEBOOKS.index(notebook)] for name in SHOWN[path]}
    return {harness.title(name) for name in SHOWN[notebook] if name not in before}


def test_every_panel_of_every_notebook_is_moved_once():
    names = {name for shown in SHOWN.values() for name in shown}
    assert names == set(PANELS)
    moved = [title for path in NOTEBOOKS for title in new_here(path)]
    assert sorted(moved) == sorted(map(harness.title, names)) and len(moved) >= 10


@pytest.mark.parametrize("host, notebook", HOSTS)
def test_notebook_runs_and_its_panels_move(request, host, shelf, notebook, everything):
    where = request.getfixturevalue(host)
    whole = where.application == "pages" or notebook.stem in WHOLE
    page = request.getfixturevalue("page" if whole else "desk")

    def resize(width, height):
        page.set_viewport_size({"width": width, "height": height})

    resize(*SIZES[where.application])
    # Where everything runs scenes glide into each other in pages; where controls are moved, each reset would.
    glides = everything and where.application == "pages"
    page.emulate_media(reduced_motion="no-preference" if glides else "reduce")
    if whole:
        assert harness.run(page, where, str(notebook.relative_to(harness.NOTEBOOKS))) == []
    else:
        harness.write_panels(notebook, shelf / "panels.ipynb")
        assert harness.run_next(page, "panels.ipynb") == []
    panels = harness.panels(page, harness.has_panel(notebook))
    assert {panel.get_attribute("data-title") for panel in panels} == {
        harness.title(name) for name in SHOWN[notebook]}
    ids = page.evaluate("() => [...document.querySelectorAll('.ldp-panel [id]')].map(node => node.id)")
    assert len(set(ids)) == len(ids), "panels of one page do not share names"
    titles = [panel.get_attribute("data-title") for panel in panels]
    for panel in panels:
        harness.check_readable(panel)
    for panel in (panels[titles.index(title)] for title in sorted(new_here(notebook))):
        in_lab, story = where.application == "lab", harness.is_story(panel)
        by_hand = in_lab or notebook.stem not in WHOLE and not everything
        names = []
        for name in harness.scenes(panel):
            names.append(name)
            harness.check_readable(panel)
            if story:
                harness.check_names(panel)
                # All controls of the last scene, and what other scenes are about.
                last = panel.evaluate("node => node.classList.contains('ldp-explore')")
                for control in harness.controls(panel)[:(None if last else 1) if by_hand else 0]:
                    harness.check_control(panel, control)
        assert names
        harness.reset(panel)
        if not story:
            harness.check_names(panel)
            # The panel is the same in both hosts: every control in one of them, the first in the other.
            for control in harness.controls(panel)[:None if by_hand else 1]:
                harness.check_control(panel, control)
            harness.reset(panel)
            harness.check_readable(panel)
        harness.check_accessible(page, ".ldp-panel")
        if in_lab:
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

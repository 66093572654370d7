"""Seconds until a panel moves, all cold: from *Run All* in JupyterLab and from a Voilà page's address."""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from ldp_lib.check import chromium

from .measure import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))

TITLE = "Opening a notebook until its panel moves (fresh profile, fresh kernel)"
GOAL = 6.0
REPEATS = 5


def until_it_moves(page, start):
    """Seconds from `start` until a press on the first panel has changed its picture."""
    import harness

    page.locator(".ldp-panel .ldp-spine").first.wait_for(timeout=120e3)
    panel = page.locator(".ldp-panel").first
    sliders, before = panel.locator(".ldp-control:not([hidden]) input[type=range]"), harness.picture(panel)
    if sliders.count():
        slider = sliders.first
        slider.press("ArrowLeft" if slider.evaluate("node => node.value === node.max") else "ArrowRight")
    else:
        panel.press("PageDown")
    while harness.picture(panel) == before:
        if time.perf_counter() - start > 120:
            raise TimeoutError("the panel did not move within 120 s")
        time.sleep(0.01)
    return time.perf_counter() - start


def opened(application, name):
    """Seconds for one notebook on a server of its own."""
    import harness

    with tempfile.TemporaryDirectory() as home, harness.browser() as process:
        home = Path(home)
        shutil.copytree(harness.NOTEBOOKS, home / "notebooks")
        (home / "data").symlink_to(harness.ROOT / "data")
        with (harness.server(application, home / "notebooks", home) as where,
              harness.new_page(process, height=720) as page):
            if application == "voila":
                start = time.perf_counter()
                page.goto(where.url(name), wait_until="commit", timeout=120e3)
            else:
                harness.open_in_lab(page, where.url(name))
                start = time.perf_counter()
                harness.start_all(page)
            return until_it_moves(page, start)


def rows():
    """Yield a `Row` for notebook 02 in JupyterLab and one for each page of Voilà."""
    if chromium() is None:
        yield Row("LEFT OUT: no Chromium was found", "nothing")
        return
    import harness

    seconds = sorted(opened("lab", "02_universal_consistency.ipynb") for _ in range(REPEATS))
    yield Row(f"notebook 02 in JupyterLab, median of {REPEATS}", f"{statistics.median(seconds):.1f} s",
              f"{seconds[0]:.1f} to {seconds[-1]:.1f} s", f"{GOAL:g} s", statistics.median(seconds) <= GOAL)
    for path in sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb")):
        if harness.has_panel(path):
            taken = opened("voila", path.name)
            yield Row(f"  {path.stem} in Voilà", f"{taken:.1f} s", "", f"{GOAL:g} s", taken <= GOAL)

"""Seconds until a panel moves, all cold: from *Run All* in JupyterLab and from the address of a page."""

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
REPEATS = 3


def until_it_moves(page, start):
    """Seconds from `start` until a press on the first panel has changed its picture, or its scene."""
    import harness

    page.locator(".ldp-panel .ldp-spine").first.wait_for(timeout=120e3)
    panel = page.locator(".ldp-panel").first
    sliders = panel.locator(".ldp-control:not([hidden]) input[type=range]")

    def seen():
        return harness.picture(panel), panel.locator(".ldp-sentence").inner_text()

    before = seen()
    if sliders.count():
        slider = sliders.first
        slider.press("ArrowLeft" if slider.evaluate("node => node.value === node.max") else "ArrowRight")
    else:
        panel.press("PageDown")
    while seen() == before:
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
        folder = home / "notebooks" if application == "lab" else harness.ROOT / "build" / "site"
        with (harness.server(application, folder, home) as where,
              harness.new_page(process, height=720) as page):
            if application == "pages":
                start = time.perf_counter()
                page.goto(where.url(name), wait_until="commit", timeout=120e3)
            else:
                harness.open_in_lab(page, where.url(name))
                start = time.perf_counter()
                harness.start_all(page)
            return until_it_moves(page, start)


STEPS = """async ([panel, slider]) => {
    const figure = panel.querySelector(".ldp-figure"), taken = [];
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    for (let step = 0; step < 60; step += 1) {
        const before = figure.ariaLabel, start = performance.now();
        slider.value = step % 2 ? Number(slider.min) + step : Number(slider.max) - step;
        slider.dispatchEvent(new Event("input"));
        while (figure.ariaLabel === before) {
            if (performance.now() - start > 2000) throw new Error(`step ${step} is not painted after 2 s`);
            await painted();
        }
        await painted();
        taken.push(performance.now() - start);
    }
    return taken;
}"""


def steps(mark):
    """Milliseconds from a slider's step to the painted picture, on the page of 02 at the address `mark`."""
    import harness

    with (tempfile.TemporaryDirectory() as home, harness.browser() as process,
          harness.server("pages", harness.ROOT / "build" / "site", Path(home)) as where,
          harness.new_page(process, height=720) as page):
        page.goto(where.url("02_universal_consistency.ipynb") + mark)
        # The page has two panels, and the one of the address is not the first to be there.
        node = page.locator(".ldp-panel.ldp-explore")
        harness.at_rest(node)
        slider = node.get_by_role("slider", name="privacy budget α", exact=True)
        return sorted(page.evaluate(STEPS, [node.element_handle(), slider.element_handle()]))


def rows():
    """Yield a `Row` for notebook 02 in JupyterLab and one for each page."""
    if chromium() is None:
        yield Row("LEFT OUT: no Chromium was found", "nothing")
        return
    import harness

    seconds = sorted(opened("lab", "02_universal_consistency.ipynb") for _ in range(REPEATS))
    yield Row(f"notebook 02 in JupyterLab, median of {REPEATS}", f"{statistics.median(seconds):.1f} s",
              f"{seconds[0]:.1f} to {seconds[-1]:.1f} s", f"{GOAL:g} s", statistics.median(seconds) <= GOAL)
    for path in sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb")):
        if harness.has_panel(path):
            taken = opened("pages", path.name)
            yield Row(f"  {path.stem} as a page", f"{taken:.1f} s", "", f"{GOAL:g} s", taken <= GOAL)
    for words, mark in (("a stored state", "#consistency/2?scene=explore"),
                        ("a computed state", "#consistency/2?scene=explore&h=0.198&n=30000")):
        taken = steps(mark)
        yield Row(f"  to pixels: {words}", f"{taken[len(taken) // 2]:.0f} ms",
                  f"p95 {taken[int(0.95 * len(taken))]:.0f} ms")

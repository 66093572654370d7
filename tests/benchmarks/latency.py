"""From a slider's key press to new pixels, in Chromium and JupyterLab: a live panel against `interact`.

    python tests/benchmarks/latency.py [PANEL] [--control NAME] [--presses N]

Both draw the same picture from the same `compute`, in the same run, on the same machine: `interact` with
inline matplotlib builds it anew at each step, as everybody does; the panel moves it. Goals: at least 8 times
faster, 95% of the presses within 75 ms, no blank display frame, the last value within 100 ms of a fast drag.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))
import harness  # noqa: E402

PRESSES = 64
DRAG_STEPS = 60

SET_UP = """
%matplotlib inline
import ipywidgets
import matplotlib.pyplot as plt
from ldp_lib.live import PANELS, panel, style
PANELS["demo"] = "demo:Demo"
live = panel({name!r})
"""

INTERACT = """
def draw(**values):
    with style.context():
        figure = plt.figure(figsize=live.size, layout="constrained")
        result = live.compute(**values)
        live.scene(figure).update(result)
        plt.show()
    for label, text in live.summarise(result):
        print(label, text)

ipywidgets.interact(draw, **{control.name: control.widget() for control in live.controls});
"""

# Looks at the picture at every display frame: when the pixels changed, and whether there was anything to see.
WATCH = """
root => {
    const small = new OffscreenCanvas(200, 84).getContext("2d", { willReadFrequently: true });
    const watch = window.watch = { changes: [], frames: 0, blank: 0, pressed: 0, moved: 0, shown: null };
    const look = () => {
        const picture = root.querySelector("canvas, .jp-OutputArea-output img");
        watch.frames += 1;
        if (picture && (picture.naturalWidth ?? picture.width)) {
            small.drawImage(picture, 0, 0, 200, 84);
            const pixels = new Uint32Array(small.getImageData(0, 0, 200, 84).data.buffer);
            let hash = 0;
            for (const pixel of pixels) hash = (Math.imul(hash, 31) + pixel) | 0;
            if (pixels.every(pixel => pixel === pixels[0])) watch.blank += 1;
            else if (hash !== watch.shown) {
                watch.shown = hash;
                watch.changes.push(performance.now());
            }
        } else watch.blank += 1;
        if (watch === window.watch) requestAnimationFrame(look);
    };
    root.addEventListener("keydown", () => { watch.pressed = performance.now(); }, true);
    requestAnimationFrame(look);
}
"""

# Notes when the slider took its last value: what the picture must catch up with after a drag.
FOLLOW = """
slider => {
    new MutationObserver(() => { watch.moved = performance.now(); }).observe(
        slider, { subtree: true, attributeFilter: ["aria-valuenow"] });
}
"""

AFTER_PRESS = """
async () => {
    const next = () => watch.changes.find(at => at > watch.pressed);
    while (next() === undefined && performance.now() < watch.pressed + 5000)
        await new Promise(requestAnimationFrame);
    return next() === undefined ? null : next() - watch.pressed;
}
"""

AFTER_DRAG = """
async () => {
    const still = () => performance.now() - Math.max(watch.moved, watch.changes.at(-1) ?? 0);
    while (still() < 1500) await new Promise(resolve => setTimeout(resolve, 50));
    return [watch.changes.length, (watch.changes.at(-1) ?? NaN) - watch.moved];
}
"""


def measure(page, cell, control, presses):
    """Press and drag one slider of a notebook cell, the first if `control` is empty; return what was seen."""
    slider = cell.locator(f".ldp-control-{control}.widget-slider" if control else ".widget-slider").first
    handle = slider.locator(".noUi-handle")
    cell.evaluate(WATCH)
    slider.evaluate(FOLLOW)
    handle.scroll_into_view_if_needed()
    handle.focus()
    delays = []
    for number in range(presses):
        page.wait_for_timeout(100 + 7 * (number % 5))  # not in step with the display
        handle.press("ArrowRight" if number // 8 % 2 == 0 else "ArrowLeft")
        delays.append(page.evaluate(AFTER_PRESS))
    blank, frames = page.evaluate("() => [watch.blank, watch.frames]")

    page.evaluate("() => { watch.changes.length = 0; }")
    grip, track = handle.bounding_box(), slider.locator(".slider-container").bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, DRAG_STEPS + 1):
        page.mouse.move(x + (track["x"] + track["width"] - x) * step / DRAG_STEPS, y)
    page.mouse.up()
    drawn, last = page.evaluate(AFTER_DRAG)
    seen = sorted(delay for delay in delays if delay is not None)
    return {
        "p50": statistics.median(seen),
        "p95": seen[-(-95 * len(seen) // 100) - 1],
        "missed": len(delays) - len(seen),
        "blank": blank,
        "frames": frames,
        "drawn": drawn,
        "last": last,
    }


def benchmark(name, control, presses):
    """Measure both ways of drawing panel `name` in one notebook; return {"interact": ..., "panel": ...}."""
    with tempfile.TemporaryDirectory() as home, harness.browser() as process:
        home = Path(home)
        shelf = home / "notebooks"
        shelf.mkdir()
        harness.write_notebook(shelf / "latency.ipynb", SET_UP.format(name=name), "live", INTERACT)
        # As wide as the picture, so that its pixels are the screen's and no sharp frame follows.
        with harness.server("lab", shelf, home) as where, harness.new_page(process, width=1170) as page:
            errors = harness.run(page, where, "latency.ipynb")
            if errors:
                raise RuntimeError("\n".join(errors))
            harness.panels(page, True)
            cells = page.locator(".jp-CodeCell")
            return {way: measure(page, cells.nth(place), control, presses)
                    for way, place in (("interact", 2), ("panel", 1))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("panel", nargs="?", default="demo", help="name of a panel; demo by default")
    parser.add_argument("--control", default="", help="name of a control with a slider; the first by default")
    parser.add_argument("--presses", type=int, default=PRESSES)
    options = parser.parse_args()
    seen = benchmark(options.panel, options.control, options.presses)
    print(f"{options.panel}: slider key press to new pixels, {options.presses} presses; "
          f"a fast drag of {DRAG_STEPS} steps")
    print(f"{'':10}{'p50 ms':>9}{'p95 ms':>9}{'missed':>9}"
          f"{'blank frames':>16}{'drag: drawn':>14}{'last value ms':>16}")
    for way, row in seen.items():
        print(f"{way:10}{row['p50']:9.0f}{row['p95']:9.0f}{row['missed']:9}"
              f"{row['blank']:9} of {row['frames']:4}{row['drawn']:13}{row['last']:16.0f}")
    ratio = seen["interact"]["p50"] / seen["panel"]["p50"]
    print(f"the panel is {ratio:.1f} times faster "
          "(goals: 8 times, p95 75 ms, no blank frame, last value 100 ms)")


if __name__ == "__main__":
    main()

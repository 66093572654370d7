"""From a slider's key press to new pixels: the panel of notebook 02 against `interact`, see `latency`."""

from ldp_lib.check import chromium

from .measure import Row

TITLE = "The consistency panel in Chromium and JupyterLab"
GOAL_RATIO, GOAL_P95, GOAL_LAST = 8, 75, 100


def rows():
    """Yield one `Row` a promise of the panel."""
    if chromium() is None:
        yield Row("LEFT OUT: no Chromium was found", "nothing")
        return
    from . import latency

    seen = latency.benchmark("consistency", "alpha", latency.PRESSES)
    interact, panel = seen["interact"], seen["panel"]
    ratio = interact["p50"] / panel["p50"]
    yield Row(f"press to new pixels, median of {latency.PRESSES}", f"{panel['p50']:.0f} ms",
              f"{interact['p50']:.0f} ms for interact: {ratio:.1f} times", "8 times", ratio >= GOAL_RATIO)
    yield Row("  95% of the presses within", f"{panel['p95']:.0f} ms",
              f"{interact['p95']:.0f} ms for interact", "75 ms", panel["p95"] <= GOAL_P95)
    yield Row("  presses that changed nothing", f"{panel['missed']}", f"{interact['missed']} for interact",
              "0", panel["missed"] == 0)
    yield Row("  blank display frames", f"{panel['blank']} of {panel['frames']}",
              f"{interact['blank']} of {interact['frames']} for interact", "0", panel["blank"] == 0)
    yield Row(f"  after a drag of {latency.DRAG_STEPS} steps the last value shows", f"{panel['last']:.0f} ms",
              f"{interact['last']:.0f} ms for interact", "100 ms", panel["last"] <= GOAL_LAST)
    yield Row("  pictures drawn during the drag", f"{panel['drawn']}", f"{interact['drawn']} for interact")

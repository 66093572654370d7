"""From a key press to a painted picture: the panel of notebook 02 against `interact`, see `latency`."""

from ldp_lib.check import chromium

from .measure import Row

TITLE = "The consistency panel in Chromium and JupyterLab (others: python tests/benchmarks/latency.py PANEL)"
GOAL_RATIO, GOAL_FRAME, GOAL_KNOWN, GOAL_ASKED, GOAL_LAST = 20, 17, 33, 45, 60


def rows():
    """Yield one `Row` for each promise of the panel."""
    if chromium() is None:
        yield Row("LEFT OUT: no Chromium was found", "nothing")
        return
    from . import latency

    interact, ways, last, (blank, frames) = latency.benchmark("consistency", "alpha", latency.PRESSES)
    ratio = interact[0] / ways[0][1]
    yield Row("interact, median of single presses", f"{interact[0]:.0f} ms", f"p95 {interact[1]:.0f} ms")
    for way, middle, high, missed, asked in ways:
        goal = GOAL_ASKED if asked > 0.05 else GOAL_KNOWN
        yield Row(f"  {way}", f"{middle:.0f} ms",
                  f"p95 {high:.0f} ms, {asked:.0%} asked the kernel, {missed} without effect",
                  f"p95 {goal} ms", high <= goal)
    yield Row("  against interact", f"{ratio:.1f} times", "", f"{GOAL_RATIO} times", ratio >= GOAL_RATIO)
    yield Row("  blank display frames", f"{blank} of {frames}", "", "0", blank == 0)
    yield Row(f"  last value of a drag of {latency.DRAG_STEPS} steps", f"{last:.0f} ms", "",
              f"{GOAL_LAST} ms", last <= GOAL_LAST)

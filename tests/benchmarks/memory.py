"""MiB of a kernel: after the import cell, with a panel, and after all sweeps of all its controls."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from ldp_lib.live import PANELS

from .measure import Row

TITLE = "Memory of a live kernel (a fresh Python for each panel)"
GOAL_IMPORT, GOAL_GROWTH = 140, 60

SCRIPT = """
import json, resource, sys
import ipykernel.kernelapp, IPython
from ldp_lib.live import panel
from ldp_lib.stage.widget import _WORKER
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
found = [resident()]
live = panel(sys.argv[1])
found.append(resident())
for control in live.controls:
    for value in control.values:
        live.set(**{control.name: value})
        live.readout
    live.reset()
_WORKER.submit(int).result()
while live._ahead:
    _WORKER.submit(int).result()
found.append(resident())
heavy = [name for name in ("pandas", "scipy.stats", "matplotlib", "seaborn") if name in sys.modules]
print(json.dumps([found, heavy]))
"""


def measured(name):
    """MiB after the import, with the panel of this name and after its sweeps; what heavy modules it loads."""
    return json.loads(subprocess.run([sys.executable, "-c", SCRIPT, name], check=True, capture_output=True,
                                     text=True).stdout)


def rows():
    """Yield one `Row` for the import and one for each panel, measured side by side."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(measured, PANELS))
    for place, (name, ((imported, shown, swept), loaded)) in enumerate(zip(PANELS, found, strict=True)):
        if not place:
            yield Row("after the import cell", f"{imported:.0f} MiB", "", f"{GOAL_IMPORT} MiB",
                      imported <= GOAL_IMPORT)
        grown = swept - shown
        yield Row(f"  {name}: all sweeps add", f"{grown:.0f} MiB",
                  f"{shown:.0f} MiB at first; loads {', '.join(loaded) or 'nothing heavy'}",
                  f"{GOAL_GROWTH} MiB", grown <= GOAL_GROWTH and not loaded)

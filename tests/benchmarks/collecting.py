"""What it takes to collect: the arrays that people send, against dense reports of the same mechanism.

The operating system draws all randomness. One worker does all the work, in a process of its own for each run:
memory has no other peak in it.
"""

import json
import subprocess
import sys
import time

import numpy as np

from ldp_lib.privacy import HadamardBit, SignedSubset
from ldp_lib.risk import collect

from .measure import Row, duration, medians
from .mechanism import peak, people

TITLE = "Collecting from one place, secure, 64 x 64 cells"
BANDWIDTH, DIMENSION = 1 / 64, 2
FEW, CROWD = 10**6, 10**7
DENSE_PEOPLE = 3000
GOAL_SECONDS, GOAL_BYTES = 30, 2**30
MECHANISMS = {"one bit": HadamardBit(1.0, BANDWIDTH, DIMENSION),
              "one signed cell": SignedSubset(9.0, BANDWIDTH, DIMENSION)}


def once(name, n):
    """Seconds to collect from n people, and peak bytes of the process before and after it."""
    X, y = people(n, DIMENSION)
    before = peak()
    start = time.perf_counter()
    collect(MECHANISMS[name], [lambda: (X, y)])
    return {"seconds": time.perf_counter() - start, "before": before, "peak": peak()}


def alone(name, n, runs=3):
    """Medians of what `once` returns in a fresh process."""
    program = f"import json; from {__name__} import once; print(json.dumps(once({name!r}, {n})))"
    found = [json.loads(subprocess.check_output([sys.executable, "-c", program])) for _ in range(runs)]
    return (float(np.median([run[key] for run in found])) for key in ("seconds", "before", "peak"))


def rows():
    """Yield one `Row` a comparison."""
    X, y = people(DENSE_PEOPLE, DIMENSION)
    for name, mechanism in MECHANISMS.items():
        if not hasattr(mechanism, "send"):
            continue
        dense, = medians(3, lambda: mechanism.aggregate(mechanism.privatize_blocks(X, y, rng="secure")))
        dense *= FEW / DENSE_PEOPLE
        seconds, _, _ = alone(name, FEW)
        yield Row(f"{name}, {FEW:,} people", duration(seconds),
                  f"{duration(dense)} for dense reports, extrapolated from {DENSE_PEOPLE:,} people: "
                  f"{dense / seconds:,.0f} times")
        seconds, before, top = alone(name, CROWD)
        yield Row(f"{name}, {CROWD:,} people", duration(seconds), goal="30 s", met=seconds <= GOAL_SECONDS)
        yield Row("  peak memory of the worker, its people included", f"{top / 2**30:.2f} GiB",
                  f"{before / 2**30:.2f} GiB before the call", "1 GiB", top <= GOAL_BYTES)

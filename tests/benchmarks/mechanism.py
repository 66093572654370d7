"""What people and analyst compute: reports against plain noise, summed noise against single reports."""

import json
import resource
import subprocess
import sys
import time

import numpy as np

from ldp_lib.privacy import CubeLaplace

from .measure import Row, duration, medians

TITLE = "The cube mechanism"
REPORTERS = 20_000
PEOPLE, BANDWIDTH = 10**7, 1 / 63
HONEST_PEOPLE = 10_000
GOAL_NOISE, GOAL_SECONDS, GOAL_BYTES = 3, 2, 2**30


def people(n, d, seed=1):
    """n people: features (n, d) and labels."""
    rng = np.random.default_rng(seed)
    return rng.random((n, d)), rng.integers(0, 2, n)


def once():
    """Seconds of one large simulated aggregate, and peak bytes of the process before and after it."""
    X, y = people(PEOPLE, 2)
    before = peak()
    start = time.perf_counter()
    CubeLaplace(1.0, BANDWIDTH, 2).simulate_aggregate(X, y, rng=1)
    return {"seconds": time.perf_counter() - start, "before": before, "peak": peak()}


def peak():
    """Largest resident memory of this process so far, in bytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else 1024 * size


def rows():
    """Yield one `Row` a comparison."""
    for h in (0.1, 1 / 63):
        mechanism = CubeLaplace(1.0, h)
        X, y = people(REPORTERS, 1)
        shape, rng = (REPORTERS, mechanism.K), np.random.default_rng(1)
        ours, noise = medians(15, lambda: mechanism.privatize(X, y, rng=rng),
                              lambda: rng.laplace(scale=mechanism.scale, size=shape))
        yield Row(f"privatize, lattice noise, {REPORTERS:,} x {mechanism.K}", duration(ours),
                  f"{duration(noise)} for Generator.laplace alone: {ours / noise:.2f} times", "3 times",
                  ours <= GOAL_NOISE * noise)
        secure, noise = medians(15, lambda: mechanism.privatize(X, y, rng="secure"),
                                lambda: rng.laplace(scale=mechanism.scale, size=shape))
        yield Row('  with rng="secure"', duration(secure), f"{secure / noise:.2f} times the same", "3 times",
                  secure <= GOAL_NOISE * noise)

    # A process of its own for each run: memory has no other peak in it.
    program = f"import json; from {__name__} import once; print(json.dumps(once()))"
    command = [sys.executable, "-c", program]
    runs = [json.loads(subprocess.check_output(command)) for _ in range(3)]
    keys = ("seconds", "before", "peak")
    seconds, before, top = (float(np.median([run[key] for run in runs])) for key in keys)
    mechanism = CubeLaplace(1.0, BANDWIDTH, 2)
    X, y = people(HONEST_PEOPLE, 2)
    honest, = medians(3, lambda: mechanism.aggregate(
        mechanism.privatize_blocks(X, y, rng=1), people=HONEST_PEOPLE))
    honest *= PEOPLE / HONEST_PEOPLE
    yield Row(f"simulate_aggregate, {PEOPLE:,} people, {mechanism.K} cells", duration(seconds),
              f"{duration(honest)} for n x K reports, extrapolated from {HONEST_PEOPLE:,} people: "
              f"{honest / seconds:,.0f} times", "2 s", seconds <= GOAL_SECONDS)
    yield Row("  its peak memory, all of the process", f"{top / 2**30:.2f} GiB",
              f"{before / 2**30:.2f} GiB before the call, the people included", "1 GiB", top <= GOAL_BYTES)

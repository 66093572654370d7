"""Exact excess risk on 64 cells against Monte Carlo to a relative standard error of 1%.

Two honest ways to simulate the same number. The plain one draws people, as `simulate_excess_risk` does; the
goal is set for it. The cheap one draws only what the analyst's sums depend on, two binomial counts and the
summed noise of each cell, all repeats at once; it is shown beside. Both run for a while, and their time is
extrapolated to the repeats that a standard error of 1% needs.

Then curves: one call for all n, or all alpha, beside a call for each. And how long it takes to find the
people that the best of seven bandwidths needs.
"""

import time

import numpy as np

from ldp_lib.estimation import CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import cell_grid, excess_risk, label_probabilities, people_needed, simulate_excess_risk

from .measure import Row, duration, medians

TITLE = "Exact excess risk, 64 cells (sine, d = 1, alpha = 1, h = 1/63), one value of n"
PEOPLE = (10**5, 10**6, 10**8)
MOST_SAMPLED = 10**6
"""Samples of people are drawn up to this size."""
GOAL_SECONDS, GOAL_RATIO = 1e-3, 1000
PRECISION = 0.01
CURVE = np.unique(np.geomspace(100, 10**9, 57).round().astype(int))
BUDGETS = np.geomspace(0.1, 16, 57)
CURVES = (("sine", {}, 1 / 63), ("sine", {"d": 2}, 1 / 20), ("moons", {}, 1 / 10),
          ("checkerboard", {}, 1 / 8))
WIDTHS = (2, 3, 4, 5, 6, 8, 10)
GOAL_SEARCH = 1.0


def aggregate_law(mechanism, grid, n, repeats, rng):
    """Excess risk of `repeats` fits, (repeats,): counts and summed noise of every cell drawn, nothing else.

    Cells are drawn independently of each other, which leaves the mean as it is.
    """
    half, size = n // 2, (repeats, len(grid.p))
    unlabelled = rng.binomial(half, grid.p, size) + mechanism.noise.sample_sum(half, size, rng)
    labelled = rng.binomial(half, grid.q, size) + mechanism.noise.sample_sum(half, size, rng)
    says_one = labelled >= unlabelled / 2
    return np.where(says_one, grid.gain_zero, grid.gain_one).sum(axis=1)


def extrapolated(simulate, repeats):
    """Seconds and repeats that `simulate(repeats)` -> values needs for that precision, and the values."""
    start = time.perf_counter()
    values = simulate(repeats)
    seconds = time.perf_counter() - start
    needed = (values.std(ddof=1) / values.mean() / PRECISION) ** 2
    return seconds * needed / repeats, needed, values


def rows():
    """Yield one `Row` a comparison."""
    rng = np.random.default_rng(1)
    rule, law = CubeClassifier(alpha=1.0, h=1 / 63), problem("sine")
    mechanism, grid = CubeLaplace(rule.alpha, rule.h), cell_grid(rule, law)
    for n in PEOPLE:
        def exact():
            zero, one = label_probabilities(rule, grid, n)
            return grid.gain_one @ zero + grid.gain_zero @ one

        seconds, whole = medians(101, exact, lambda: excess_risk(rule, law, n))
        yield Row(f"n = {n:,}: exact, {exact():.6f}", duration(seconds),
                  f"{duration(whole)} with the masses of the cells, which no n changes", "1 ms",
                  seconds <= GOAL_SECONDS)

        def sums(repeats):
            return aggregate_law(mechanism, grid, n, repeats, rng)

        def people(repeats):
            return simulate_excess_risk(rule, law, n, repeats, rng=rng).values

        ways = [("aggregate law drawn", sums, 4000)]
        if n <= MOST_SAMPLED:
            ways.append(("people drawn", people, 30))
        for way, simulate, repeats in ways:
            needed_seconds, needed, values = extrapolated(simulate, repeats)
            ratio = needed_seconds / seconds
            error = values.std(ddof=1) / repeats**0.5
            yield Row(f"  {way}: {values.mean():.6f}, s.e. {error:.1e}", f"{ratio:,.0f} times slower",
                      f"{duration(needed_seconds)} for {needed:,.0f} repeats, extrapolated",
                      *(("1,000 times", ratio >= GOAL_RATIO) if simulate is people else ()))
    yield from curves()
    yield from searches()


def curves():
    """Yield a `Row` for each rule and law: all n, or all alpha, in one call, and in a loop."""
    for name, params, h in CURVES:
        law = problem(name, **params)
        for rule in (CubeClassifier(1.0, h), OneBitClassifier(1.0, h), HistogramClassifier(h),
                     NoisyMajorityClassifier(1.0, side=h)):
            once, loop = medians(3, lambda: excess_risk(rule, law, CURVE),
                                 lambda: [excess_risk(rule, law, n) for n in CURVE.tolist()])
            yield Row(f"{len(CURVE)} n, {type(rule).__name__}, {name}, d = {law.d}: one call", duration(once),
                      f"{duration(loop)} in a loop, {loop / once:.1f} times")
        for rule in (CubeClassifier, OneBitClassifier):
            once, loop = medians(3, lambda: excess_risk(rule(h=h), law, 10**5, alpha=BUDGETS),
                                 lambda: [excess_risk(rule(a, h), law, 10**5) for a in BUDGETS.tolist()])
            yield Row(f"{len(BUDGETS)} alpha, {rule.__name__}, {name}, d = {law.d}: one call", duration(once),
                      f"{duration(loop)} in a loop, {loop / once:.1f} times")


def searches():
    """Yield a `Row` for each law: the people that the best of seven bandwidths needs for a risk of 0.05."""
    for name in ("moons", "circles"):
        law, rules = problem(name), [CubeClassifier(1.0, 1 / m) for m in WIDTHS]
        seconds, = medians(3, lambda: people_needed(rules, law, 0.05))
        found = people_needed(rules, law, 0.05)
        yield Row(f"people_needed, {len(rules)} cube rules, {name}, d = 2: {found:,}", duration(seconds), "",
                  "1 s", seconds <= GOAL_SEARCH)

"""The lower half of the elbow, measured: spikes at all levels defeat every linear estimator, thresholds find
them.

r = 4, p = 1, s = 1.5: p < r/(s + 1), the sparse regime. The risk is the largest over the spikes at the levels
around the critical one, simulated by `mise`. Slopes are least squares in the logarithms; their standard
errors come from those of the risks.
"""

import math

import numpy as np
import pytest

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.nature import density
from ldp_lib.risk import mise

S, P, R = 1.5, 1.0, 4
SHIFTED = S - 1 / P + 1 / R
SPARSE = R * SHIFTED / (2 * (S - 1 / P) + 2)
LINEAR = R * SHIFTED / (2 * SHIFTED + 2)


def worst_risk(estimator, n, levels, repeats):
    """log of the largest risk over spikes at these levels, and its standard error."""
    risks = [mise(estimator, density("spikes", s=S, p=P, level=j), n, r=R, repeats=repeats,
                  cells=estimator.mechanism(n).levels + 3, rng=j) for j in levels]
    risk = max(risks, key=lambda risk: risk.value)
    return math.log(risk.value), risk.standard_error / risk.value


def slope(x, points):
    """Least-squares slope and its standard error from those of the points."""
    x, (y, error) = np.array(x) - np.mean(x), np.array(points).T
    return x @ y / (x @ x), float(np.sqrt((x * error) @ (x * error)) / (x @ x))


def log_inverse(y):
    """The N with N / log N = y."""
    N = 10 * y
    for _ in range(200):
        N = y * math.log(N)
    return N


@pytest.fixture(scope="module")
def linear():
    """n alpha^2 grows by 2^(2 s' + 2) with every level, the critical spike with it."""
    people = [2.0 ** ((2 * SHIFTED + 2) * m) * 1.6e9 for m in range(4)]
    points = [worst_risk(LinearWaveletDensity(1.0, "db2", 7 + m, scales="scaling_only", noise="real"), int(n),
                         (7 + m,), 16) for m, n in enumerate(people)]
    return slope(np.log(people), points)


@pytest.fixture(scope="module")
def threshold():
    """N / log N grows by 2^(2 (s - 1/p) + 2) with every level."""
    ratios = [2.0 ** ((2 * (S - 1 / P) + 2) * m) * 1e8 for m in range(4)]
    points = []
    for m, ratio in enumerate(ratios):
        rule = ThresholdWaveletDensity(1.0, "db2", 6 + m, first_level=3, scales="common", noise="real",
                                       factor=1.0)
        points.append(worst_risk(rule, int(log_inverse(ratio)), (5 + m, 6 + m), 16))
    return slope(np.log(ratios), points)


def test_threshold_reaches_the_sparse_rate(threshold):
    """Within 5 standard errors of the theorem's slope in N / log N: false alarm 6e-7 for an exact power."""
    measured, error = threshold
    print(f"threshold: {measured:.3f} +- {error:.3f}, theorem {-SPARSE:.3f}")
    assert abs(measured + SPARSE) < 5 * error and error < 0.02


def test_linear_is_slower(linear, threshold):
    """The slopes differ by more than 5 standard errors (false alarm 3e-7); the linear one is Corollary
    4.1's."""
    (slow, error), (fast, other) = linear, threshold
    print(f"linear: {slow:.3f} +- {error:.3f}, theorem {-LINEAR:.3f}")
    assert slow - fast > 5 * math.hypot(error, other)
    assert slow == pytest.approx(-LINEAR, abs=0.02 + 5 * error)

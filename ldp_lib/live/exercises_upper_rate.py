"""The exercises of notebook 03, on the upper bound; `ldp_lib.live.exercises` offers them to the reader."""

import math

import numpy as np
from scipy.optimize import bisect

from ldp_lib.live.judges import Exercise, chosen, function, number
from ldp_lib.risk.hypercube import both_sides, theorem_bumps, wide_risk
from ldp_lib.theory import theorem_bandwidth, upper_bound


def _compromise(d=3):
    """The exponent at beta = gamma = 1: the risk is h^2 where the noise, 1 / (sqrt(n) h^d), meets h."""
    n = 1e12
    log_h = bisect(lambda size: -math.log(n) / 2 - d * size - size, -20.0, 0.0)
    return -2 * log_h / math.log(n)


def _people_for_half_the_risk():
    """Exact, for the hypercube at the theorem's tuning in d = 2, beta = gamma = 1."""

    def risk(n):
        h = np.array([theorem_bandwidth(n, 1.0, 1.0, 2)])
        return float(wide_risk(n, 1.0, 1, theorem_bumps(h, 1.0, 1.0, 2), 2)[0])

    target = risk(10**12) / 2
    return bisect(lambda factor: risk(round(factor * 10**12)) - target, 1.0, 100.0, xtol=1e-3)


def _bandwidth(n, alpha, beta, d):
    return math.exp(-(math.log(n // 2) + 2 * math.log(alpha)) / (2 * d + 2 * beta))


def _regret_of_multiple(multiple, n=10**8):
    h = theorem_bandwidth(n, 1.0, 1.0, 1) * np.array([1.0, multiple])
    theirs, mine = np.maximum(*both_sides(n, 1.0, h, 1.0, 1.0, 1, C0=4.0))
    if 0 < mine <= theirs / 5:
        return ""
    return f"There the exact risk is {mine:.2g}; at the theorem's h it is {theirs:.2g}."


def _people_for_the_printed_bound():
    """Where the bound, which is not cut here, falls below 1."""

    def surplus(log_n):
        return upper_bound(round(math.exp(log_n)), 1.0, 1.0, 1.0, 1, kind="printed").parts["untruncated"] - 1

    return math.exp(bisect(surplus, math.log(1e3), math.log(1e18)))


UPPER_RATE = {
    "03.1": Exercise(
        "the exponent at d = 3",
        number(_compromise),
        "the noise of a cube is 1/(α √n), whatever its size; its signal is h^(β + d); "
        "which h makes them equal?"),
    "03.2": Exercise(
        "people for half the risk, two features",
        number(_people_for_half_the_risk, relative=0.02),
        "solve factor^(-r) = 1/2 with the exponent r of β = γ = 1, d = 2."),
    "03.3": Exercise(
        "the theorem's bandwidth as a function",
        function(_bandwidth, [
            {"n": 10**6, "alpha": 1.0, "beta": 1.0, "d": 1}, {"n": 10**8, "alpha": 0.25, "beta": 0.5, "d": 2},
            {"n": 2000, "alpha": 0.5, "beta": 0.75, "d": 3}]),
        "the theorem's n is the number of people in one half of the sample."),
    "03.4": Exercise(
        "a bandwidth five times better than the theorem's",
        chosen(0, 20, _regret_of_multiple),
        "move the bandwidth in the panel until the two sides meet; nothing random is involved."),
    "03.5": Exercise(
        "the people from whom on the printed bound says anything",
        number(_people_for_the_printed_bound, relative=0.02),
        "upper_bound(...).parts['untruncated'] is the bound before it is cut at 1; it falls like n^(-1/2)."),
}
"""The exercises, by number."""

"""The exercises of notebook 03, on the upper bound."""

import numpy as np

from ldp_lib.live.exercises.judges import chosen, crossing, exercise, function, number
from ldp_lib.risk.hypercube import both_sides, theorem_bumps, wide_risk
from ldp_lib.theory import classification_exponent, theorem_bandwidth, upper_bound

exercise(
    "03.1", "the exponent at d = 3",
    number(lambda: classification_exponent(beta=1, gamma=1, d=3)),
    "the noise of a cube is 1/(α √n), whatever its size; its signal is h^(β + d); "
    "which h makes them equal?")


def _people_for_half_the_risk(n=10**12):
    """Exact, for the hypercube at the theorem's tuning in d = 2, beta = gamma = 1."""

    def risk(people):
        h = np.array([theorem_bandwidth(people, 1.0, 1.0, 2)])
        return float(wide_risk(people, 1.0, 1, theorem_bumps(h, 1.0, 1.0, 2), 2)[0])

    return crossing(lambda people: risk(people) - risk(n) / 2, n, 100 * n) / n


exercise(
    "03.2", "people for half the risk, two features",
    number(_people_for_half_the_risk, relative=0.02),
    "solve factor^(-r) = 1/2 with the exponent r of β = γ = 1, d = 2.")

exercise(
    "03.3", "the theorem's bandwidth as a function",
    function(theorem_bandwidth, [
        {"n": 10**6, "alpha": 1.0, "beta": 1.0, "d": 1}, {"n": 10**8, "alpha": 0.25, "beta": 0.5, "d": 2},
        {"n": 2000, "alpha": 0.5, "beta": 0.75, "d": 3}]),
    "the theorem's n is the number of people in one half of the sample.")


def _regret_of_multiple(multiple, n=10**8):
    h = theorem_bandwidth(n, 1.0, 1.0, 1) * np.array([1.0, multiple])
    theirs, mine = np.maximum(*both_sides(n, 1.0, h, 1.0, 1.0, 1, C0=4.0))
    if 0 < mine <= theirs / 5:
        return ""
    return f"There the exact risk is {mine:.2g}; at the theorem's h it is {theirs:.2g}."


exercise(
    "03.4", "a bandwidth five times better than the theorem's",
    chosen(0, 20, _regret_of_multiple),
    "move the bandwidth in the panel until the two sides meet; nothing random is involved.")


def _excess_of_the_printed_bound(n):
    """How far the bound, which is not cut here, is above 1."""
    return upper_bound(n, 1.0, 1.0, 1.0, 1, kind="printed").parts["untruncated"] - 1


exercise(
    "03.5", "the people from whom on the printed bound says anything",
    number(lambda: crossing(_excess_of_the_printed_bound, 10**3, 10**18), relative=0.02),
    "upper_bound(...).parts['untruncated'] is the bound before it is cut at 1; it falls like n^(-1/2).")

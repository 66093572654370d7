"""The exercises of notebook 05, on private densities; `ldp_lib.live.exercises` offers them to the reader."""

import functools
import math

from scipy.optimize import bisect

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live.judges import Exercise, chosen, function, number
from ldp_lib.nature import density
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk import mise


def _exponent(s=2.0):
    """Squared bias 4^(-J s) meets the noise 4^J / N; at N = e^L, in units of L."""
    log_N = 100.0
    J = bisect(lambda J: -J * s * math.log(4) + log_N - J * math.log(4), 0.0, 200.0)
    return J * s * math.log(4) / log_N


def _elbow(s=1.0, r=6.0):
    """Where the dense and the sparse exponent of the private rate are equal."""

    def gap(p):
        return r * s / (2 * s + 2) - r * (s - 1 / p + 1 / r) / (2 * (s - 1 / p) + 2)

    return bisect(gap, 1.01, 50.0)


def _haar_scale(alpha, J):
    return WaveletLaplace(alpha, "haar", J, "scaling_only", noise="real").scale


_density = functools.cache(density)


def _risk(J, name, wavelet, n):
    return mise(LinearWaveletDensity(1.0, wavelet, J, scales="scaling_only"), _density(name), n).value


def _regret_of_level(J, n=328_521):
    if J != round(J):
        return f"J = {J:g} is not a whole number."
    risks = [_risk(level, "departures", "db2", n) for level in range(10)]
    mine = risks[round(J)]
    if mine <= 1.02 * min(risks):
        return ""
    return f"There the risk is {mine:.3g}, {mine / min(risks):.2f} times the least."


def _people_for_the_claw(share=0.1):
    """People at whom the best J has a risk of `share` of the integral of the square."""
    target = share * _density("claw").l2_norm_squared

    def surplus(log_n):
        return min(_risk(J, "claw", "db4", round(math.exp(log_n))) for J in range(1, 10)) - target

    return math.exp(bisect(surplus, math.log(1e3), math.log(1e9), xtol=1e-4))


ELBOW = {
    "05.1": Exercise(
        "the private exponent at s = 2, p = r = 2",
        number(_exponent),
        "the squared bias is 4^(-Js), the noise 4^J/N; which J makes them equal?"),
    "05.2": Exercise(
        "the p of the private elbow at s = 1, r = 6",
        number(_elbow),
        "the dense and the sparse exponent are equal there."),
    "05.3": Exercise(
        "the noise scale for Haar's fathers as a function",
        function(_haar_scale, [{"alpha": 1.0, "J": 0}, {"alpha": 0.5, "J": 3}, {"alpha": 4.0, "J": 6}],
                 relative=1e-6),
        "one father of level J covers a person, and its height is 2^(J/2); two people may differ in two."),
    "05.4": Exercise(
        "a good resolution for the departures at α = 1",
        chosen(0, 10, _regret_of_level),
        "mise(LinearWaveletDensity(1.0, 'db2', J, scales='scaling_only'), density('departures'), 328_521) is "
        "exact."),
    "05.5": Exercise(
        "people for an error of a tenth on the claw",
        number(_people_for_the_claw, relative=0.02),
        "the least exact risk over J falls in n: bisect."),
}
"""The exercises, by number."""

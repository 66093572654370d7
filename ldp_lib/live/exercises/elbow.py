"""The exercises of notebook 05, on private densities."""

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live.exercises.judges import crossing, exercise, function, nearly_best, number
from ldp_lib.nature import density
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk import best_level, mise
from ldp_lib.theory import density_elbows, density_exponent

exercise(
    "05.1", "the private exponent at s = 2, p = r = 2",
    number(lambda: density_exponent(s=2, p=2, r=2).exponent),
    "the squared bias is 4^(-Js), the noise 4^J/N; which J makes them equal?")

exercise(
    "05.2", "the p of the private elbow at s = 1, r = 6",
    number(lambda: density_elbows(s=1, r=6).private),
    "the dense and the sparse exponent are equal there.")

exercise(
    "05.3", "the noise scale for Haar's fathers as a function",
    function(lambda alpha, J: WaveletLaplace(alpha, "haar", J, "scaling_only", noise="real").scale,
             [{"alpha": 1.0, "J": 0}, {"alpha": 0.5, "J": 3}, {"alpha": 4.0, "J": 6}], relative=1e-6),
    "one father of level J covers a person, and its height is 2^(J/2); two people may differ in two.")


def _risk_for_the_departures(J, n=328_521):
    return mise(LinearWaveletDensity(1.0, "db2", J, scales="scaling_only"), density("departures"), n).value


exercise(
    "05.4", "a good resolution for the departures at α = 1",
    nearly_best(0, 10, _risk_for_the_departures, candidates=range(10), factor=1.02, whole=True),
    "mise(LinearWaveletDensity(1.0, 'db2', J, scales='scaling_only'), density('departures'), 328_521) is "
    "exact.")


def _people_for_the_claw(share=0.1):
    """People at whom the best J has a risk of `share` of the integral of the square."""
    claw = density("claw")
    return crossing(lambda n: best_level(claw, n, 1.0, "db4")[1].value - share * claw.l2_norm_squared,
                    10**3, 10**9)


exercise(
    "05.5", "people for an error of a tenth on the claw",
    number(_people_for_the_claw, relative=0.02),
    "the least exact risk over J falls in n: bisect.")

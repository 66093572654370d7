"""The curator against the crowd: exact risk of a noisy vote on 64 cells, and people needed on the survey.

Both rules have the same budget and the best of a few bandwidths; either number of people is that of the exact
risk.
"""

from ldp_lib.estimation import CubeClassifier, NoisyMajorityClassifier
from ldp_lib.nature import problem
from ldp_lib.risk import cell_grid, label_probabilities, people_needed

from .measure import Row, duration, medians

TITLE = ("Central against local privacy (cps, budget 1), and the exact risk of PCL (sine, 64 cells, "
         "epsilon = 1)")
PEOPLE = (10**5, 10**8)
TARGETS = (0.05, 0.03, 0.02)
SIDES = (0.05, 0.1, 0.15, 0.2, 0.3)
GOAL_SECONDS = 2e-3


def rows():
    """Yield one `Row` a comparison."""
    rule, law = NoisyMajorityClassifier(1.0, side=1 / 64), problem("sine")
    for n in PEOPLE:
        grid = cell_grid(rule, law)
        (seconds,) = medians(101, lambda: label_probabilities(rule, grid, n))
        yield Row(f"n = {n:,}: exact law of all votes", duration(seconds), "", "2 ms",
                  seconds <= GOAL_SECONDS)
    survey = problem("cps")
    for target in TARGETS:
        local = people_needed([CubeClassifier(1.0, h) for h in SIDES], survey, target)
        central = people_needed([NoisyMajorityClassifier(1.0, side=side) for side in SIDES], survey, target)
        yield Row(f"people for excess risk {target}", f"{local / central:,.0f} times fewer",
                  f"local {local:,}, central {central:,}")

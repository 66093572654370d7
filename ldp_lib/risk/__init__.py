"""How far a rule is from the best one: exact where mathematics allows, simulated to check it.

`exact` (risks on cells), `planning` (people needed), `scores` (laws of scores, by integrals in `contour`),
`integrated` (densities), `uniformity` (powers of tests), `quadratic` (sums of squares), `hypercube` (worst
laws of the class), `simulated` and `crowd`.
"""

from ldp_lib.risk.exact import CellGrid, cell_grid, excess_risk, label_probabilities
from ldp_lib.risk.integrated import Mise, best_level, expected_l1_error, mean_count_error, mise
from ldp_lib.risk.planning import Planned, people_for_width, people_needed
from ldp_lib.risk.quadratic import QuadraticError, best_clip, quadratic_one_round, quadratic_two_rounds
from ldp_lib.risk.uniformity import (
    people_for_power, questions_power, subset_noncentrality, subset_people, suspects_law, uniformity_power,
)
from ldp_lib.risk.scores import noisy_majority_probabilities, wrong_side_probability
from ldp_lib.risk.simulated import (
    Simulated, SimulationWarning, collect, simulate_accuracy, simulate_crowd, simulate_excess_risk,
)

__all__ = [
    "CellGrid",
    "Mise",
    "Planned",
    "QuadraticError",
    "Simulated",
    "SimulationWarning",
    "best_clip",
    "best_level",
    "cell_grid",
    "collect",
    "excess_risk",
    "expected_l1_error",
    "label_probabilities",
    "mean_count_error",
    "mise",
    "noisy_majority_probabilities",
    "people_for_power",
    "people_for_width",
    "people_needed",
    "quadratic_one_round",
    "quadratic_two_rounds",
    "questions_power",
    "simulate_accuracy",
    "simulate_crowd",
    "simulate_excess_risk",
    "subset_noncentrality",
    "subset_people",
    "suspects_law",
    "uniformity_power",
    "wrong_side_probability",
]

"""How far a rule is from the best one: exact where mathematics allows, simulated to check it."""

from ldp_lib.risk.scores import wrong_side_probability
from ldp_lib.risk.exact import CellGrid, cell_grid, excess_risk, label_probabilities
from ldp_lib.risk.integrated import Mise, mise
from ldp_lib.risk.simulated import Simulated, simulate_accuracy, simulate_excess_risk

__all__ = [
    "CellGrid",
    "Mise",
    "Simulated",
    "cell_grid",
    "excess_risk",
    "label_probabilities",
    "mise",
    "simulate_accuracy",
    "simulate_excess_risk",
    "wrong_side_probability",
]

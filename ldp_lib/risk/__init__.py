"""How far a rule is from the best one: exact where mathematics allows, simulated to check it."""

from ldp_lib.risk.scores import wrong_side_probability
from ldp_lib.risk.exact import CellLaw, cell_gains, cell_law, excess_risk
from ldp_lib.risk.simulated import SimulatedRisk, simulate_excess_risk

__all__ = [
    "CellLaw",
    "SimulatedRisk",
    "cell_gains",
    "cell_law",
    "excess_risk",
    "simulate_excess_risk",
    "wrong_side_probability",
]

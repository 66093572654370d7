"""What the theorems promise: exponents, bounds, executed proofs, and where the printed ones slip.

By subject: `rates` (exponents), `classification` (the class P(theta), bounds over it, and the game behind the
lower one), `contraction` (how little private reports tell), `densities` (lower bounds over Besov balls),
`bumps` (where they hide best) and `coefficients` (noisy wavelet coefficients), `curator` (the central model),
`second_question` (tests of a die, with interaction and without).  Proofs and errata stand in lessons and
answer here, too: `ledger`, `LEDGERS`, `sabotage`, `errata`.
"""

from ldp_lib.stage.errata import Erratum, Evidence
from ldp_lib.stage.ledger import Ledger, Saboteur, Step
from ldp_lib.theory.classification import theorem_bandwidth
from ldp_lib.theory.classification.lower import LowerBound, lower_bound
from ldp_lib.theory.classification.sandwich import Sandwich, curator_bound, sandwich
from ldp_lib.theory.classification.upper import UpperBound, upper_bound
from ldp_lib.theory.coefficients import coefficient_deviation, log_noisy_tail
from ldp_lib.theory.contraction import distinguishability, indistinguishability
from ldp_lib.theory.curator import (
    cell_signal, histogram_error, histogram_error_bound, histogram_threshold, labelled_people, net, pcl_bound,
    people_for_pcl, people_for_signal,
)
from ldp_lib.theory.densities import DenseFamily, SparseFamily
from ldp_lib.theory.second_question import (
    InformationBudget, TwoRoundLimit, faces_exponent, information_budget, people_bound, quadratic_elbow,
    quadratic_exponent, report_information, two_round_limit,
)
from ldp_lib.theory.rates import (
    DensityExponent, Elbows, adaptive_density_rate, classification_exponent, crossover_alpha, density_elbows,
    density_exponent, density_rate, linear_density_exponent, linear_level, noisy_data_exponent,
)

__all__ = [
    "LEDGERS",
    "DenseFamily",
    "DensityExponent",
    "Elbows",
    "Erratum",
    "Evidence",
    "InformationBudget",
    "Ledger",
    "LowerBound",
    "Saboteur",
    "Sandwich",
    "SparseFamily",
    "Step",
    "TwoRoundLimit",
    "UpperBound",
    "adaptive_density_rate",
    "cell_signal",
    "classification_exponent",
    "coefficient_deviation",
    "crossover_alpha",
    "curator_bound",
    "density_elbows",
    "density_exponent",
    "density_rate",
    "distinguishability",
    "errata",
    "faces_exponent",
    "histogram_error",
    "histogram_error_bound",
    "histogram_threshold",
    "indistinguishability",
    "information_budget",
    "labelled_people",
    "ledger",
    "linear_density_exponent",
    "linear_level",
    "log_noisy_tail",
    "lower_bound",
    "net",
    "noisy_data_exponent",
    "pcl_bound",
    "people_bound",
    "people_for_pcl",
    "people_for_signal",
    "quadratic_elbow",
    "quadratic_exponent",
    "report_information",
    "sabotage",
    "sandwich",
    "theorem_bandwidth",
    "two_round_limit",
    "upper_bound",
]


def __getattr__(name):
    """Proofs and errata, which stand on this room: the one import upwards, named in the contract."""
    if name in ("LEDGERS", "errata", "ledger", "sabotage"):
        from ldp_lib.lessons import proofs

        return getattr(proofs, name)
    raise AttributeError(f"module {__name__} has no attribute {name!r}")

"""What the theorems promise: exponents, bounds, executed proofs, and where the printed ones slip."""

from ldp_lib._arguments import choice
from ldp_lib.theory.central import (
    cell_signal,
    histogram_error,
    histogram_error_bound,
    histogram_threshold,
    labelled_people,
    net,
    pcl_bound,
    people_for_pcl,
    people_for_signal,
)
from ldp_lib.theory.contraction import distinguishability, indistinguishability
from ldp_lib.theory.density_rates import (
    DensityExponent,
    Elbows,
    adaptive_density_rate,
    crossover_alpha,
    density_elbows,
    density_exponent,
    density_rate,
    linear_density_exponent,
    noisy_data_exponent,
)
from ldp_lib.theory.errata import Erratum, Evidence, errata
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.lower import LowerBound, lower_bound
from ldp_lib.theory.rates import classification_exponent
from ldp_lib.theory.theorem_2_1 import ledger_2_1
from ldp_lib.theory.theorem_2_2 import ledger_2_2
from ldp_lib.theory.theorem_2_4 import ledger_2_4
from ldp_lib.theory.theorem_2_5 import ledger_2_5
from ldp_lib.theory.theorem_bayes_3_2 import ledger_bayes_3_2
from ldp_lib.theory.theorem_bayes_4_3 import ledger_bayes_4_3
from ldp_lib.theory.theorem_bayes_4_11 import ledger_bayes_4_11
from ldp_lib.theory.theorem_bayes_a_12 import ledger_bayes_a_12
from ldp_lib.theory.upper import UpperBound, theorem_bandwidth, upper_bound
from ldp_lib.theory.wavelet_concentration import coefficient_deviation, ledger_wavelet_C_1, log_noisy_tail
from ldp_lib.theory.wavelet_linear import ledger_wavelet_4_1, linear_level
from ldp_lib.theory.wavelet_lower import DenseFamily, SparseFamily
from ldp_lib.theory.wavelet_privacy import ledger_wavelet_3_1

__all__ = [
    "LEDGERS",
    "DenseFamily",
    "DensityExponent",
    "Elbows",
    "Erratum",
    "Evidence",
    "Ledger",
    "LowerBound",
    "SparseFamily",
    "Step",
    "UpperBound",
    "adaptive_density_rate",
    "cell_signal",
    "classification_exponent",
    "coefficient_deviation",
    "crossover_alpha",
    "density_elbows",
    "density_exponent",
    "density_rate",
    "distinguishability",
    "errata",
    "histogram_error",
    "histogram_error_bound",
    "histogram_threshold",
    "indistinguishability",
    "labelled_people",
    "ledger",
    "linear_density_exponent",
    "linear_level",
    "log_noisy_tail",
    "lower_bound",
    "net",
    "noisy_data_exponent",
    "pcl_bound",
    "people_for_pcl",
    "people_for_signal",
    "theorem_bandwidth",
    "upper_bound",
]

LEDGERS = {
    "2.1": ledger_2_1,
    "2.2": ledger_2_2,
    "2.4": ledger_2_4,
    "2.5": ledger_2_5,
    "wavelet-3.1": ledger_wavelet_3_1,
    "wavelet-4.1": ledger_wavelet_4_1,
    "wavelet-C.1": ledger_wavelet_C_1,
    "bayes-3.2": ledger_bayes_3_2,
    "bayes-4.3": ledger_bayes_4_3,
    "bayes-A.12": ledger_bayes_a_12,
    "bayes-4.11": ledger_bayes_4_11,
}
"""The executed proofs, by theorem; the parameters of a ledger are those of its function."""


def ledger(theorem, **params):
    """The proof of `theorem` (a key of `LEDGERS`) executed at `params`; what is left out has a default.

    >>> ledger("2.1", alpha=0.5, h=0.1, d=2).holds
    True
    """
    return LEDGERS[choice("theorem", theorem, LEDGERS)](**params)

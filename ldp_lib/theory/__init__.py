"""What the theorems promise: exponents, bounds, executed proofs, and where the printed ones slip."""

from ldp_lib._arguments import choice
from ldp_lib.theory.contraction import distinguishability, indistinguishability
from ldp_lib.theory.errata import Erratum, Evidence, errata
from ldp_lib.theory.ledger import Ledger, Step
from ldp_lib.theory.lower import LowerBound, lower_bound
from ldp_lib.theory.rates import classification_exponent
from ldp_lib.theory.theorem_2_1 import ledger_2_1
from ldp_lib.theory.theorem_2_2 import ledger_2_2
from ldp_lib.theory.theorem_2_4 import ledger_2_4
from ldp_lib.theory.theorem_2_5 import ledger_2_5
from ldp_lib.theory.upper import UpperBound, theorem_bandwidth, upper_bound

__all__ = [
    "LEDGERS",
    "Erratum",
    "Evidence",
    "Ledger",
    "LowerBound",
    "Step",
    "UpperBound",
    "classification_exponent",
    "distinguishability",
    "errata",
    "indistinguishability",
    "ledger",
    "lower_bound",
    "theorem_bandwidth",
    "upper_bound",
]

LEDGERS = {"2.1": ledger_2_1, "2.2": ledger_2_2, "2.4": ledger_2_4, "2.5": ledger_2_5}
"""The executed proofs, by theorem; the parameters of a ledger are those of its function."""


def ledger(theorem, **params):
    """The proof of `theorem` (a key of `LEDGERS`) executed at `params`; what is left out has a default.

    >>> ledger("2.1", alpha=0.5, h=0.1, d=2).holds
    True
    """
    return LEDGERS[choice("theorem", theorem, LEDGERS)](**params)

"""The proofs of the three papers, executed: one module per paper, one function per theorem.

Importing the modules fills `LEDGERS`.
"""

from ldp_lib._arguments import choice
from ldp_lib.theory.proofs import berrett_butucea, wavelets, bayes
from ldp_lib.theory.proofs.steps import LEDGERS, Ledger, Step

__all__ = ["LEDGERS", "Ledger", "Step", "bayes", "berrett_butucea", "ledger", "wavelets"]


def ledger(theorem: str, **params: float | str | None) -> Ledger:
    """The proof of `theorem` (a key of `LEDGERS`) executed at `params`; what is left out has a default.

    >>> ledger("2.1", alpha=0.5, h=0.1, d=2).holds
    True
    """
    return LEDGERS[choice("theorem", theorem, LEDGERS)](**params)

"""The proofs of the three papers, executed: one function per theorem, in the module of its subject.

Berrett & Butucea: 2.1 `privacy`, 2.2 `consistency`, 2.4 `upper`, 2.5 `assouad`.  Butucea et al.: wavelet-2.1
and 2.2 `besov`, 3.1 `wavelets`, 4.1 `linear`, 5.1 and C.1 `adaptive`.  Bousquet et al.: bayes-2.4, 4.2 and
4.3 `histograms`, 4.11 `learner`, 3.2 and A.12 `bayes`, A.13 to A.15 `unbounded`.
"""

import importlib
import pkgutil

from ldp_lib._arguments import choice
from ldp_lib.theory.proofs import steps
from ldp_lib.theory.proofs.steps import Ledger, Saboteur, Step

__all__ = ["LEDGERS", "Ledger", "Saboteur", "Step", "ledger", "sabotage"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

LEDGERS = dict(sorted(steps.LEDGERS.items()))
"""Every executed proof: theorem -> function; the parameters of a ledger are those of its function."""


def ledger(theorem: str, **params: object) -> Ledger:
    """The proof of `theorem` (a key of `LEDGERS`) executed at `params`; what is left out has a default.

    `LEDGERS[theorem]` is the function that does it. `ledger(theorem, **saboteur.broken())`, the saboteur
    being one of `LEDGERS[theorem].saboteurs`, takes an assumption away and makes steps fail.

    >>> ledger("2.1", alpha=0.5, h=0.1, d=2).holds
    True
    """
    return LEDGERS[choice("theorem", theorem, LEDGERS)](**params)


def sabotage(theorem: str) -> dict[str, tuple[str, ...]]:
    """What fails if an assumption of `theorem` is taken away: what is changed -> names of steps that fail.

    >>> sabotage("2.1")["one draw for all entries of a report"]
    ('audit',)
    """
    book = LEDGERS[choice("theorem", theorem, LEDGERS)]
    return {saboteur.change: tuple(step.name for step in book(**saboteur.broken()).steps if not step.holds)
            for saboteur in book.saboteurs}

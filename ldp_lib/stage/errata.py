"""Where a printed proof slips: each entry with evidence that computes.

An entry is a function that returns `Evidence`, under the decorator `erratum`, in the lesson of its paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

ENTRIES = []
"""Every `Erratum` of the modules imported so far."""


class Evidence(NamedTuple):
    """One quantity, three ways: as printed, as corrected, and computed without either.

    >>> from ldp_lib.theory import errata
    >>> found = errata()[0].evidence()
    >>> bool(abs(found.computed - found.corrected) < 1e-12 < abs(found.computed - found.printed))
    True
    """

    quantity: str
    printed: float
    corrected: float
    computed: float


@dataclass(frozen=True)
class Erratum:
    """One slip: where it is, what is printed, what is true, and `evidence()`.

    Parameters
    ----------
    number : int
        The project's number; several slips may share one.
    paper : str
        The work: one of `ldp_lib.lessons.papers`.
    place : str
        Where in the work.
    printed : str
        What stands there.
    corrected : str
        What is true.
    consequence : str
        What follows from the slip, and whether the theorem survives.
    evidence : callable
        Function without arguments that computes the `Evidence`.

    Examples
    --------
    >>> from ldp_lib.theory import errata
    >>> slip = errata()[0]
    >>> slip.place, slip.evidence().printed / slip.evidence().computed
    ('(3.1), third line', 16.0)
    """

    number: int
    paper: str
    place: str
    printed: str
    corrected: str
    consequence: str
    evidence: Callable[[], Evidence]


def erratum(number, paper, place, printed, corrected, consequence):
    """Decorator of a function that returns `Evidence`: files an `Erratum` of these fields and it."""
    def register(evidence):
        ENTRIES.append(Erratum(number, paper, place, printed, corrected, consequence, evidence))
        return evidence

    return register

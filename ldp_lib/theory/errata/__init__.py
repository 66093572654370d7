"""Where the printed proofs slip, each entry with evidence that computes.

The numbers of the entries are the project's. Theorems survive unless an entry says otherwise.
"""

from ldp_lib.theory.errata import consistency, lower, upper, wavelets
from ldp_lib.theory.errata.entry import Erratum, Evidence

__all__ = ["Erratum", "Evidence", "errata"]


def errata():
    """The list of `Erratum` entries for the theorems that the project executes, by number.

    >>> [entry.number for entry in errata()]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 19, 32, 32, 32]
    >>> errata()[0].evidence().corrected == errata()[0].evidence().computed
    True
    """
    return sorted(consistency.ENTRIES + upper.ENTRIES + lower.ENTRIES + wavelets.ENTRIES, key=lambda entry: entry.number)

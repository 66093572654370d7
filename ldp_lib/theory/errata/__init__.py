"""Where the printed proofs slip, each entry with evidence that computes.

The numbers of the entries are the project's. Theorems survive unless an entry says otherwise.
"""

from ldp_lib.theory.errata import bayes, bayes_appendix, consistency, lower, upper
from ldp_lib.theory.errata.entry import Erratum, Evidence

__all__ = ["Erratum", "Evidence", "errata"]


def errata():
    """The list of `Erratum` entries for the theorems that the project executes, by number.

    >>> [entry.number for entry in errata() if 20 <= entry.number < 32]
    [20, 21, 22, 22, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 31, 31]
    >>> errata()[0].evidence().corrected == errata()[0].evidence().computed
    True
    """
    entries = consistency.ENTRIES + upper.ENTRIES + lower.ENTRIES + bayes.ENTRIES + bayes_appendix.ENTRIES
    return sorted(entries, key=lambda entry: entry.number)

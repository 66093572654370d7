"""Where the printed proofs slip, each entry with evidence that computes.

The numbers of the entries are the project's. Theorems survive unless an entry says otherwise.
"""

from ldp_lib.theory.errata.entry import Erratum, Evidence

__all__ = ["Erratum", "Evidence", "errata"]


def errata():
    """The list of `Erratum` entries for the theorems that the project executes, by number.

    >>> sorted({entry.number for entry in errata()}) == list(range(1, 33))
    True
    >>> errata()[0].evidence().corrected == errata()[0].evidence().computed
    True
    """
    # Their evidence needs scipy.stats, which who only wants a rate need not load.
    from ldp_lib.theory.errata import bayes, bayes_appendix, consistency, lower, upper, wavelets

    rooms = consistency, upper, lower, wavelets, bayes, bayes_appendix
    return sorted((entry for room in rooms for entry in room.ENTRIES), key=lambda entry: entry.number)

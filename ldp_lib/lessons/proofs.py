"""The proofs of three papers and of notebook 08, executed, and where printed ones slip.

Ledgers and errata stand in lessons; `ldp_lib.theory` has these names, too.
"""

from ldp_lib import lessons
from ldp_lib._arguments import choice
from ldp_lib.stage import ledger as _ledger
from ldp_lib.stage.errata import ENTRIES, Erratum
from ldp_lib.stage.ledger import Ledger

__all__ = ["LEDGERS", "errata", "ledger", "sabotage"]

lessons.modules("ledger")
LEDGERS = dict(sorted(_ledger.LEDGERS.items()))
"""Every executed proof: theorem -> function; the parameters of a ledger are those of its function."""


def ledger(theorem: str, **params: object) -> Ledger:
    """The proof of `theorem` executed at `params`.

    `LEDGERS[theorem]` is the function that does it. `ledger(theorem, **saboteur.broken())`, the saboteur
    being one of `LEDGERS[theorem].saboteurs`, takes an assumption away and makes steps fail.

    Parameters
    ----------
    theorem : str
        A key of `LEDGERS`: a number of [1]_ such as "2.1"; "wavelet-" and a number of [2]_; "bayes-" and a
        number of [3]_; "second-question", whose proofs are in `ldp_lib.theory.second_question`.
    params : object
        Parameters of that function, by name; what is left out has a default.

    Returns
    -------
    Ledger
        The steps with both sides computed; it shows itself as a table.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       Theorems 2.1, 2.2, 2.4 and 2.5, doi:10.48550/arXiv.1912.04629.
    .. [2] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids" (2020), Bernoulli 26,
       Propositions 2.1, 2.2, 3.1, 4.1 and C.1, Theorem 5.1, doi:10.48550/arXiv.1903.01927.
    .. [3] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), Theorems 2.4, 3.2, 4.2, 4.3, 4.11 and A.12 to
       A.15, doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> ledger("2.1", alpha=0.5, h=0.1, d=2).holds
    True
    """
    return LEDGERS[choice("theorem", theorem, LEDGERS)](**params)


def sabotage(theorem: str) -> dict[str, tuple[str, ...]]:
    """What fails if an assumption of `theorem` is taken away, for each of its saboteurs.

    Parameters
    ----------
    theorem : str
        A key of `LEDGERS`.

    Returns
    -------
    dict of str to tuple of str
        What is changed -> names of the steps that fail.

    Examples
    --------
    >>> sabotage("2.1")["one draw for all entries of a report"]
    ('audit',)
    """
    book = LEDGERS[choice("theorem", theorem, LEDGERS)]
    return {saboteur.change: tuple(step.name for step in book(**saboteur.broken()).steps if not step.holds)
            for saboteur in book.saboteurs}


def errata() -> list[Erratum]:
    """The list of `Erratum` entries for the theorems that the project executes, by number.

    Returns
    -------
    list of Erratum
        Numbers 1 to 32; a number may have several entries.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       doi:10.48550/arXiv.1912.04629.
    .. [2] C. Butucea, A. Dubois, M. Kroll and A. Saumard, "Local differential privacy: Elbow effect in
       optimal density estimation and adaptation over Besov ellipsoids" (2020), Bernoulli 26,
       doi:10.48550/arXiv.1903.01927.
    .. [3] O. Bousquet, H. Kaplan, A. Kontorovich, Y. Mansour, S. Moran, M. Sadigurschi and U. Stemmer,
       "Differentially-private Bayes consistency" (2022), doi:10.48550/arXiv.2212.04216.

    Examples
    --------
    >>> sorted({entry.number for entry in errata()}) == list(range(1, 33))
    True
    >>> errata()[0].evidence().corrected == errata()[0].evidence().computed
    True
    """
    lessons.modules("errata")  # their evidence needs scipy.stats, which proofs do not
    return sorted(ENTRIES, key=lambda entry: entry.number)

"""Where the printed proofs slip, each entry with evidence that computes.

The numbers of the entries are the project's. Theorems survive unless an entry says otherwise. An entry is a
function that returns `Evidence`, under the decorator `erratum`, in the module of its paper.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Erratum", "Evidence", "errata", "erratum"]

CLASSIFICATION = "Berrett & Butucea 2019, Classification under local differential privacy"
WAVELETS = "Butucea, Dubois, Kroll & Saumard 2020, Elbow effect in optimal density estimation"
BAYES = "Bousquet et al. 2022, Differentially-private Bayes consistency"
SLIDES = "Baumann 2022, seminar slides on Berrett & Butucea"
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
        The work: `CLASSIFICATION`, `WAVELETS`, `BAYES` or `SLIDES` of this module.
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
    # Their evidence needs scipy.stats, which who only wants a rate need not load.
    for paper in ("berrett_butucea", "wavelets", "bayes"):
        importlib.import_module(f"{__name__}.{paper}")
    return sorted(ENTRIES, key=lambda entry: entry.number)

"""What an entry of the errata is, and the papers that the entries are about."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

CLASSIFICATION = "Berrett & Butucea 2019, Classification under local differential privacy"
WAVELETS = "Butucea, Dubois, Kroll & Saumard 2020, Elbow effect in optimal density estimation"
BAYES = "Bousquet et al. 2022, Differentially-private Bayes consistency"
SLIDES = "Baumann 2022, seminar slides on Berrett & Butucea"


class Evidence(NamedTuple):
    """One quantity, three ways: as printed, as corrected, and computed without either."""

    quantity: str
    printed: float
    corrected: float
    computed: float


@dataclass(frozen=True)
class Erratum:
    """One slip: where it is, what is printed, what is true, and `evidence()`."""

    number: int
    paper: str
    place: str
    printed: str
    corrected: str
    consequence: str
    evidence: Callable[[], Evidence]

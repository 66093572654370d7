"""The registry of mechanisms: every mechanism has its one line in `REGISTRY`, and those on disjoint cells are
in `CELL_MECHANISMS`, too.

A line says what is asked of all mechanisms alike: the class, the name by which `CellClassifier(mechanism=)`
chooses it, how to build one for a trial, and which two people audits compare. What depends on the mechanism
is a method of its class (`ldp_lib.privacy.mechanism.Mechanism`). Classifiers, exact risks, `best_mechanism`,
audits, attacks, the laboratory, error messages and the tests of what leaks read this table: what is
registered is attacked, and what is exported and not registered fails a test.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from ldp_lib._arguments import whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy.cell import CellLaplace
from ldp_lib.privacy.central import NoisyVotes
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.questions import CellSigns, SetQuestion
from ldp_lib.privacy.responses import DyadicBit, HadamardBit
from ldp_lib.privacy.subsets import SignedSubset, SubsetSelection
from ldp_lib.privacy.wavelet import WaveletLaplace

RECORDS = ((0.1,), 1), ((0.8,), 1)
"""The two people of the trials: at h = 0.3 they have full and disjoint supports."""
LABEL_0 = ((0.1,), 0), ((0.8,), 0)
"""The same places, with the other label."""
PLACES = 0.1, 0.8
"""The same people where a mechanism asks for no label."""


def plain(kind, alpha, h):
    """A mechanism with one feature and nothing else to choose."""
    return kind(alpha, h)


def one_cell(kind, alpha, h):
    """A signed subset that sends one cell, so that most entries are 0."""
    return kind(alpha, h, size=1)


def haar(kind, alpha, h):
    """A wavelet mechanism with cells at most h wide, whose calibration has nothing to spare."""
    return kind(alpha, "haar", _levels(h), "scaling_only")


def dyadic(kind, alpha, h):
    """A mechanism of all dyadic bandwidths whose finest cells are at most h wide."""
    return kind(alpha, _levels(h))


def lower_half(kind, alpha, h):
    """The question whether somebody is in the lower half of the cells."""
    return kind(alpha, h, cells=range(math.ceil(1 / h) // 2))


def _levels(h):
    """How often 1 is halved until it is h at most."""
    return math.ceil(-math.log2(h))


class Specimen(NamedTuple):
    """A line of the registry, or of the broken mechanisms.

    name : its public name.  kind : its class.
    choice : the name by which users choose it among the mechanisms on disjoint cells, "" if it is none.
    trial : builds one for a trial, trial(kind, alpha, h), with one feature and cells about h wide.
    records : the two people who are compared.
    wrong : what is wrong with it, in words.
    caught_by : "audit" (`epsilon_lower_bound`), "attack" (`betrayal_attack`), "audit and attack", or "" for
        the honest.
    spends : the true loss between the two people in units of alpha, where it is a multiple of alpha;
        infinite, if some reports of one person cannot come from the other at all, and NaN if not known.
    """

    name: str
    kind: Callable
    choice: str = ""
    trial: Callable = plain
    records: tuple = RECORDS
    wrong: str = "nothing"
    caught_by: str = ""
    spends: float = 1.0

    def build(self, alpha, h):
        """One for a trial at budget alpha and bandwidth h."""
        return self.trial(self.kind, alpha, h)


REGISTRY = (
    Specimen("CubeLaplace", CubeLaplace, wrong="nothing: that it passes proves nothing"),
    Specimen("noisy votes", NoisyVotes, wrong="nothing, and the curator is trusted"),
    Specimen("WaveletLaplace", WaveletLaplace, trial=haar, records=PLACES),
    Specimen("CellLaplace", CellLaplace, "laplace"),
    Specimen("HadamardBit", HadamardBit, "one-bit"),
    Specimen("DyadicBit", DyadicBit, trial=dyadic),
    Specimen("SignedSubset", SignedSubset, "subset", one_cell, LABEL_0),
    Specimen("SubsetSelection", SubsetSelection, records=PLACES),
    Specimen("CellSigns", CellSigns, records=PLACES),
    Specimen("SetQuestion", SetQuestion, trial=lower_half, records=PLACES),
)
"""Every mechanism of the library: a new one is one more line. The mutants of `ldp_lib.privacy.mutants` are
mutants of these."""

CELL_MECHANISMS = {specimen.choice: specimen.kind for specimen in REGISTRY if specimen.choice}
"""What can report disjoint cells, by the name that users choose: `CellMechanism`s that have a `law`."""


class Candidate(NamedTuple):
    """A mechanism by `name`: its `variance` a person and cell, and the `bits` that she sends."""

    name: str
    variance: float
    bits: int


def variances(alpha: float, cells: int) -> list[Candidate]:
    """The mechanisms on disjoint cells in the order of their exact variances, the best first.

    The mean of a person's score is the same for all of them, so that the order is that of the variances. Of
    equal ones the mechanism that sends fewer bits comes first.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 2^-45 to 10^4: the range that all of them have in common.
    cells : int
        Number of cells, 1 or more.

    Returns
    -------
    list of Candidate
        Tuples `name`, `variance`, the exact second moment of one person's score in a cell of probability
        1/`cells`, and `bits`, what she sends.

    Examples
    --------
    >>> best, *others = variances(4.0, 16)
    >>> best.name, round(best.variance, 3), best.bits
    ('subset', 0.04, 5)
    """
    cells = whole("cells", cells)
    built = {name: kind(alpha, 1 / cells) for name, kind in CELL_MECHANISMS.items()}
    table = [Candidate(name, mechanism.variance(1 / cells), mechanism.bits)
             for name, mechanism in built.items()]
    # Equal variances may differ by a rounding error.
    return sorted(table, key=lambda row: (canonical(row.variance), row.bits))


def best_mechanism(alpha: float, cells: int) -> str:
    """Name of the mechanism of least exact variance on equally likely cells, see `variances`.

    With two cells and more the one bit wins as long as the best subsets are all K cells, which is up to
    alpha = ln 3 and a little further where cells are few (1.34 with two); beyond it signed subsets win.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 2^-45 to 10^4.
    cells : int
        Number K of cells, 1 or more.

    Returns
    -------
    str
        A key of `ldp_lib.privacy.registry.CELL_MECHANISMS`, as `CellClassifier(mechanism=...)` takes it.

    Examples
    --------
    >>> best_mechanism(1.0, 64), best_mechanism(2.0, 64)
    ('one-bit', 'subset')
    """
    return variances(alpha, cells)[0].name

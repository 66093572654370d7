"""What leaves a person's hands: noise, mechanisms, audits, attacks, and what they catch.

Where to look first: `mechanism` says what a mechanism is, and `registry` which ones there are and where;
`central` is what a trusted curator releases, `shuffling` what one who counts bits does.
`noise` and `exact` draw, `wire` makes bytes of reports, `aggregate` keeps sums, and `audit` and `mutants` try
to refute it all.

A report and the time that it took are seen together. From the same random source every local mechanism reads
the same bytes in the same order, whoever the person is. Those of answers (`responses`) also read the same
number of bytes whatever is drawn, but for words beyond the last multiple of a die, which are
redrawn with odds below 2^-30 and say nothing about what is sent. In 6,000 reports of one person to a
`SignedSubset` (20 cells, w = 1, 61 microseconds each) the time did not tell whether her own cell was sent:
the area under the curve of all thresholds was 0.50, with a standard error of 0.01.

Lattice noise keeps a difference: an entry whose first bits do not decide reads eight bytes more
(`ldp_lib.privacy.exact`). Of the reports of one person on 20 cells 9% did, and took 48 microseconds and not
45. That depends on the noise alone, but the report is noise and record: the time narrows down the noise, and
nothing is proved about report and time together. Let devices answer at fixed times. Curators' draws
(`exponential_choice`) take a time that depends on the data, too.
"""

from ldp_lib.privacy.aggregate import Aggregate, CellAggregate, WaveletAggregate
from ldp_lib.privacy.cell import CellLaplace, CellMechanism
from ldp_lib.privacy.central import (
    hockey_stick, lattice_laws, stability_delta, stability_histogram, stability_threshold,
)
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.mechanism import Mechanism
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace
from ldp_lib.privacy.questions import CellSigns, SetQuestion
from ldp_lib.privacy.registry import best_mechanism, variances
from ldp_lib.privacy.responses import DyadicBit, HadamardBit
from ldp_lib.privacy.subsets import SignedSubset, SubsetSelection
from ldp_lib.privacy.shuffling import (
    ShuffledCounts, printed_shuffled_epsilon, shuffled_counts, shuffled_delta, shuffled_epsilon,
)
from ldp_lib.privacy.wavelet import WaveletLaplace, WorstPair
from ldp_lib.privacy.wire import message_bytes, pack, sum_messages, unpack

__all__ = [
    "Aggregate",
    "CellAggregate",
    "CellLaplace",
    "CellMechanism",
    "CellSigns",
    "CubeLaplace",
    "DyadicBit",
    "HadamardBit",
    "LatticeLaplace",
    "Mechanism",
    "RealLaplace",
    "SetQuestion",
    "ShuffledCounts",
    "SignedSubset",
    "SubsetSelection",
    "WaveletAggregate",
    "WaveletLaplace",
    "WorstPair",
    "best_mechanism",
    "hockey_stick",
    "lattice_laws",
    "message_bytes",
    "pack",
    "printed_shuffled_epsilon",
    "shuffled_counts",
    "shuffled_delta",
    "shuffled_epsilon",
    "stability_delta",
    "stability_histogram",
    "stability_threshold",
    "sum_messages",
    "unpack",
    "variances",
]

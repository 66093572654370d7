"""What leaves a person's hands: noise, mechanisms, audits, attacks, and what they catch."""

from ldp_lib.privacy.aggregate import Aggregate, CellAggregate, WaveletAggregate
from ldp_lib.privacy.cell import CellLaplace
from ldp_lib.privacy.central import stability_delta, stability_histogram, stability_threshold
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.divergence import hockey_stick, lattice_laws
from ldp_lib.privacy.dyadic import DyadicBit
from ldp_lib.privacy.hadamard import HadamardBit
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace
from ldp_lib.privacy.signed_response import SignedSubset, best_mechanism, variances
from ldp_lib.privacy.wavelet import WaveletLaplace
from ldp_lib.privacy.worst_pair import WorstPair

__all__ = [
    "Aggregate",
    "CellAggregate",
    "CellLaplace",
    "CubeLaplace",
    "DyadicBit",
    "HadamardBit",
    "LatticeLaplace",
    "RealLaplace",
    "SignedSubset",
    "WaveletAggregate",
    "WaveletLaplace",
    "WorstPair",
    "best_mechanism",
    "hockey_stick",
    "lattice_laws",
    "stability_delta",
    "stability_histogram",
    "stability_threshold",
    "variances",
]

"""What leaves a person's hands: noise, mechanisms, and the audit of their claims."""

from ldp_lib.privacy.cube import Aggregate, CubeLaplace
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace
from ldp_lib.privacy.wavelet import WaveletAggregate, WaveletLaplace
from ldp_lib.privacy.worst_pair import WorstPair

__all__ = [
    "Aggregate", "CubeLaplace", "LatticeLaplace", "RealLaplace", "WaveletAggregate", "WaveletLaplace", "WorstPair",
]

"""What leaves a person's hands: noise, mechanisms, and the audit of their claims."""

from ldp_lib.privacy.cube import Aggregate, CubeLaplace
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace

__all__ = ["Aggregate", "CubeLaplace", "LatticeLaplace", "RealLaplace"]

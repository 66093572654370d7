"""What leaves a person's hands: noise, mechanisms, audits, attacks, and what they catch."""

from ldp_lib.privacy.aggregate import Aggregate
from ldp_lib.privacy.cube import CubeLaplace
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace

__all__ = ["Aggregate", "CubeLaplace", "LatticeLaplace", "RealLaplace"]

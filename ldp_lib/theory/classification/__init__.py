"""Bounds with constants on the excess risk over the class P(theta) of Berrett & Butucea (2019)."""

from ldp_lib.theory.classification.holder_class import ball_volume, checked_theta, theorem_bandwidth
from ldp_lib.theory.classification.lower import LowerBound, lower_bound
from ldp_lib.theory.classification.upper import UpperBound, sharp_bounds, upper_bound

__all__ = [
    "LowerBound",
    "UpperBound",
    "ball_volume",
    "checked_theta",
    "lower_bound",
    "sharp_bounds",
    "theorem_bandwidth",
    "upper_bound",
]

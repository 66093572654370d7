"""What the analyst computes: classifiers with scikit-learn's conventions."""

from ldp_lib.estimation.cube import CubeClassifier
from ldp_lib.estimation.histogram import HistogramClassifier

__all__ = ["CubeClassifier", "HistogramClassifier"]

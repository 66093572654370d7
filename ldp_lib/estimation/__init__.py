"""What the analyst computes: classifiers and density estimators with scikit-learn's conventions."""

from ldp_lib.estimation.cube import CubeClassifier
from ldp_lib.estimation.histogram import HistogramClassifier
from ldp_lib.estimation.wavelet import LinearWaveletDensity, ThresholdWaveletDensity, WaveletDensity, theorem_g

__all__ = [
    "CubeClassifier",
    "HistogramClassifier",
    "LinearWaveletDensity",
    "ThresholdWaveletDensity",
    "WaveletDensity",
    "theorem_g",
]

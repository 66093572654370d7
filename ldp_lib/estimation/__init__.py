"""What the analyst computes: classifiers and densities with scikit-learn's conventions."""

from ldp_lib.estimation.cell import CellClassifier, OneBitClassifier
from ldp_lib.estimation.cube import CubeClassifier
from ldp_lib.estimation.histogram import HistogramClassifier
from ldp_lib.estimation.majority import (
    NoisyMajorityClassifier, StableVoronoiClassifier, VoronoiClassifier,
)
from ldp_lib.estimation.posterior import AdaptiveClassifier
from ldp_lib.estimation.semi_supervised import PrivateSemiSupervised, labelled_sample_size
from ldp_lib.estimation.stable_density import StableHistogramDensity
from ldp_lib.estimation.wavelet import (
    LinearWaveletDensity, ThresholdWaveletDensity, WaveletDensity, theorem_g,
)
from ldp_lib.estimation.wavelet_classifier import WaveletClassifier

__all__ = [
    "AdaptiveClassifier",
    "CellClassifier",
    "CubeClassifier",
    "HistogramClassifier",
    "LinearWaveletDensity",
    "NoisyMajorityClassifier",
    "OneBitClassifier",
    "PrivateSemiSupervised",
    "PublicBox",
    "StableHistogramDensity",
    "StableVoronoiClassifier",
    "ThresholdWaveletDensity",
    "VoronoiClassifier",
    "WaveletClassifier",
    "WaveletDensity",
    "labelled_sample_size",
    "theorem_g",
]


def __getattr__(name):
    """`PublicBox`, a transformer, has scikit-learn's own base class, and is loaded with it when asked for."""
    if name == "PublicBox":
        from ldp_lib.estimation.public_box import PublicBox

        return PublicBox
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

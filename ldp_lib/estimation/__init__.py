"""What the analyst computes: classifiers and densities with scikit-learn's conventions."""

from ldp_lib.estimation.cube import CubeClassifier
from ldp_lib.estimation.histogram import HistogramClassifier
from ldp_lib.estimation.hypotheses import labelled_sample_size
from ldp_lib.estimation.noisy_majority import NoisyMajorityClassifier
from ldp_lib.estimation.semi_supervised import PrivateSemiSupervised
from ldp_lib.estimation.stable_density import StableHistogramDensity
from ldp_lib.estimation.voronoi import StableVoronoiClassifier, VoronoiClassifier

__all__ = [
    "CubeClassifier",
    "HistogramClassifier",
    "NoisyMajorityClassifier",
    "PrivateSemiSupervised",
    "StableHistogramDensity",
    "StableVoronoiClassifier",
    "VoronoiClassifier",
    "labelled_sample_size",
]

"""What the analyst computes: classifiers and densities with scikit-learn's conventions.

Locally private, one report a person: `AdaptiveClassifier`, which chooses no bandwidth, `OneBitClassifier` and
`CellClassifier` with a bandwidth h and an exact risk, `AdditiveClassifier` for more than 8 features,
`AdaptiveDensity`, and `LinearWaveletDensity` with a level of your own. `CubeClassifier`,
`ThresholdWaveletDensity` and `WaveletClassifier` are those of the theorems, or beside them. `UniformityTest`
asks whether a die is fair, in one round or two; `TwoRoundSurvey` is the office of the latter.
With a trusted curator: `NoisyMajorityClassifier`, `VoronoiClassifier`, `StableVoronoiClassifier`,
`StableHistogramDensity`, `PrivateSemiSupervised`. Without privacy: `HistogramClassifier`. `PublicBox` brings
raw features to [0, 1].
"""

from ldp_lib.estimation.adaptive_density import AdaptiveDensity
from ldp_lib.estimation.additive import AdditiveClassifier
from ldp_lib.estimation.asking import AskedAgainError
from ldp_lib.estimation.conventions import expected_failed_checks
from ldp_lib.estimation.base import DomainWarning, FewPeopleWarning
from ldp_lib.estimation.densities import (
    LinearWaveletDensity, StableHistogramDensity, ThresholdWaveletDensity, theorem_g,
)
from ldp_lib.estimation.majority import (
    HistogramClassifier, NoisyMajorityClassifier, StableVoronoiClassifier, VoronoiClassifier,
)
from ldp_lib.estimation.posterior import AdaptiveClassifier, WaveletClassifier
from ldp_lib.estimation.reports import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.estimation.semi_supervised import PrivateSemiSupervised, labelled_sample_size
from ldp_lib.estimation.uniformity import TwoRoundSurvey, UniformityTest

__all__ = [
    "AskedAgainError",
    "AdaptiveClassifier",
    "AdaptiveDensity",
    "AdditiveClassifier",
    "CellClassifier",
    "CubeClassifier",
    "DomainWarning",
    "FewPeopleWarning",
    "HistogramClassifier",
    "LinearWaveletDensity",
    "NoisyMajorityClassifier",
    "OneBitClassifier",
    "PrivateSemiSupervised",
    "PublicBox",
    "StableHistogramDensity",
    "StableVoronoiClassifier",
    "ThresholdWaveletDensity",
    "TwoRoundSurvey",
    "UniformityTest",
    "VoronoiClassifier",
    "WaveletClassifier",
    "expected_failed_checks",
    "labelled_sample_size",
    "theorem_g",
]


def __getattr__(name):
    """`PublicBox`, a transformer, has scikit-learn's own base class, and is loaded with it when asked for."""
    if name == "PublicBox":
        from ldp_lib.estimation.public_box import PublicBox

        return PublicBox
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Which of scikit-learn's estimator checks a rule fails on purpose, and why."""

from ldp_lib._arguments import wrong_kind
from ldp_lib.estimation.base import Discreet
from ldp_lib.estimation.densities import PrivateDensity
from ldp_lib.estimation.majority import StableVoronoiClassifier, VoronoiClassifier
from ldp_lib.estimation.posterior import PosteriorMeanClassifier
from ldp_lib.estimation.semi_supervised import PrivateSemiSupervised

SEED = "fit takes the seed from the rule, for whoever has it draws the noise again"
FRESH = "it fits twice, and the second fit has no seed: its noise is fresh"
LABELS = "it has labels that nobody named in `classes`, and a rule that reads them off y betrays people"
ONE_LABEL = "a rule that always betrays that all labels agree would not be private"
TIES = "it fits twice, and some noise leaves a score of 0, where the rule says class 1 as its theorem does"
COLUMNS = "it looks for columns in X, of which the tag one_d_array has left none"
LINE = "people on a line may come as X of shape (n,)"
MANY = "its people have more features than people can be asked about; `AdditiveClassifier` takes them"
FEATURES = "its people have another number of features than is public, or all of them have labels"

SEEDED = "check_dont_overwrite_parameters", "check_estimators_overwrite_params"
FITTED_TWICE = "check_fit_idempotent", "check_supervised_y_2d"
OTHER_LABELS = (
    "check_classifier_data_not_an_array", "check_classifiers_classes", "check_estimators_dtypes",
    "check_fit2d_1feature",
)
OTHER_LABELS_BEFORE_1_7 = (
    "check_dict_unchanged", "check_dont_overwrite_parameters", "check_dtype_object",
    "check_estimators_fit_returns_self", "check_estimators_overwrite_params", "check_estimators_pickle",
    "check_f_contiguous_array_estimator", "check_fit2d_predict1d", "check_fit_check_is_fitted",
    "check_methods_sample_order_invariance", "check_methods_subset_invariance", "check_pipeline_consistency",
    "check_readonly_memmap_input",
)
"""There they have the labels 0 and 1 only if the first person has a 0."""
MANY_COLUMNS = (
    "check_dict_unchanged", "check_dont_overwrite_parameters", "check_dtype_object",
    "check_estimator_sparse_array", "check_f_contiguous_array_estimator", "check_fit2d_1feature",
    "check_fit2d_1sample", "check_fit2d_predict1d", "check_n_features_in",
    "check_n_features_in_after_fitting",
)
OTHER_FEATURES = (
    *SEEDED, *FITTED_TWICE, *OTHER_LABELS, *OTHER_LABELS_BEFORE_1_7, "check_classifiers_one_label",
    "check_classifiers_regression_target", "check_classifiers_train", "check_estimators_nan_inf",
    "check_fit2d_1sample", "check_fit_score_takes_y", "check_n_features_in",
    "check_n_features_in_after_fitting", "check_positive_only_tag_during_fit",
    "check_transformer_data_not_an_array", "check_transformer_general", "check_transformer_preserve_dtypes",
)


def expected_failed_checks(estimator: Discreet) -> dict[str, str]:
    """The checks that scikit-learn's `check_estimator` finds failing, for what privacy cannot promise.

    Parameters
    ----------
    estimator : Discreet
        An estimator of `ldp_lib.estimation`.

    Returns
    -------
    dict of str to str
        Name of the check -> the reason, as `check_estimator` takes it.

    Examples
    --------
    >>> from ldp_lib.estimation import CubeClassifier
    >>> expected_failed_checks(CubeClassifier(rng=1))["check_dont_overwrite_parameters"]
    'fit takes the seed from the rule, for whoever has it draws the noise again'

    With ``from sklearn.utils.estimator_checks import check_estimator`` and a rule that has a seed,
    ``check_estimator(rule, expected_failed_checks=expected_failed_checks(rule))`` passes if cells are wide,
    h = 0.5 or side = 0.5: scikit-learn brings ten features, and a grid of narrow cells fits in no memory.
    It warns that rules do not inherit from its ``BaseEstimator``: the library loads without scikit-learn.
    """
    if not isinstance(estimator, Discreet):
        raise wrong_kind("estimator", estimator,
                         "one of ldp_lib.estimation, for example CubeClassifier(rng=1)")
    from sklearn import __version__  # loaded by those who check

    classifies, noisy = estimator._kind == "classifier", "rng" in estimator.get_params()
    before_1_7 = tuple(map(int, __version__.split(".")[:2])) < (1, 7)
    # The last reason that holds is the one that is told.
    groups = (
        (isinstance(estimator, PrivateDensity), COLUMNS, MANY_COLUMNS),
        (isinstance(estimator, PrivateDensity), LINE, ("check_fit1d",)),
        (noisy, SEED, SEEDED),
        (noisy and classifies, FRESH, FITTED_TWICE),
        (noisy and classifies and getattr(estimator, "_ties_say_one", False), TIES,
         ("check_classifiers_train",)),
        (noisy and classifies, ONE_LABEL, ("check_classifiers_one_label",)),
        (classifies, LABELS, OTHER_LABELS),
        (classifies and before_1_7, LABELS, OTHER_LABELS_BEFORE_1_7),
        (isinstance(estimator, PosteriorMeanClassifier), MANY, ("check_dtype_object",)),
        (isinstance(estimator, VoronoiClassifier | StableVoronoiClassifier | PrivateSemiSupervised)
         or hasattr(estimator, "transform"), FEATURES, OTHER_FEATURES),
    )
    return {name: reason for holds, reason, names in groups if holds for name in names}

"""What makes an object an estimator of scikit-learn's, which is loaded by those who ask something of it.

scikit-learn brings pandas and scipy.stats along: a second and 90 MiB that the kernel of a live panel has no
use for. Its conventions need no common base class: parameters that can be read, set and copied, and tags.
"""

import inspect


class Estimator:
    """Parameters, which are the arguments of `__init__` and stored unchanged, and scikit-learn's tags.

    `_kind` is scikit-learn's word for what it is, or None.
    """

    _kind = None

    @classmethod
    def _defaults(cls):
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {parameter.name: parameter.default for parameter in parameters if parameter.name != "self"}

    def get_params(self, deep=True):
        """The parameters, name -> value; `deep` changes nothing, for no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params):
        """Set parameters by name. Returns self."""
        names = self._defaults()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"{name!r:.60} is no parameter of {type(self).__name__}; its parameters are "
                                 f"{', '.join(names)}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        changed = (f"{name}={getattr(self, name)!r}" for name, default in self._defaults().items()
                   if repr(getattr(self, name)) != repr(default))
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        classifier = self._kind == "classifier"
        return Tags(estimator_type=self._kind, target_tags=TargetTags(required=classifier),
                    transformer_tags=None, regressor_tags=None,
                    classifier_tags=ClassifierTags() if classifier else None)


class Classifier(Estimator):
    """An estimator with `predict`."""

    _kind = "classifier"

    def score(self, X, y, sample_weight=None):
        """The share of the rows of X, (n, d), whose label in y, (n,), is predicted."""
        from sklearn.metrics import accuracy_score

        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)


def check_is_fitted(estimator):
    """scikit-learn's `NotFittedError` for a rule without attributes that `fit` leaves."""
    if not any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with "
                             "appropriate arguments before using this estimator.")


def validate_data(estimator, *data, **options):
    """scikit-learn's `validate_data`."""
    from sklearn.utils import validation

    return validation.validate_data(estimator, *data, **options)

"""What estimators keep to themselves: the source of their noise, which labels people have, what records
hold."""

import numbers

import numpy as np
from scipy.sparse import issparse

from ldp_lib._arguments import generator
from ldp_lib.estimation.base import Estimator, validate_data


class Discreet(Estimator):
    """An estimator that can be published when it is fitted: its attributes, its copies, its errors.

    * Whoever has the generator or the seed of the noise can draw it again; PCG64 runs backwards, too. `fit`
      takes `rng` away from the rule, which has rng=None from then on. For another simulation set it again.
    * Labels are named beforehand. If they were read off y, one person could decide which labels there are,
      and no finite budget pays for that.
    * Errors, warnings and attributes depend on shapes, public parameters and what was released. What is no
      record at all has to be refused, which shows; the error names the row and its fault, not its values.
    """

    def _source(self, *, secure=False):
        """Where the noise of this fit comes from, which the rule forgets; `secure` as in `generator`."""
        source, self.rng = generator(self.rng, secure=secure), None
        return source

    def _checked(self, X, *y, **options):
        """X as floats, or (X, y), by scikit-learn's `validate_data`; its own errors would print records."""
        if not issparse(X):
            _check_rows(np.asarray(X))
        if any(np.asarray(labels).dtype.kind == "c" for labels in y):
            raise ValueError("Complex data not supported: y must hold labels.")
        return validate_data(self, X, *y, dtype=float, **options)


def _check_rows(X):
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; it must be (n, d), one row a person. Reshape your data: "
                         "X.reshape(-1, 1) for a single feature, X.reshape(1, -1) for a single person.")
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers.")
    if X.dtype.kind not in "biuf" and not _are_numbers(X):
        row = next(k for k, entries in enumerate(X) if not _are_numbers(entries))
        raise ValueError(f"X holds in row {row} what is no number; every entry must be one.")


def _are_numbers(entries):
    try:
        entries.astype(float)
    except ValueError:
        return False
    return True


def public_classes(classes):
    """The two labels that somebody named, (class 0, class 1), as an array."""
    named = list(classes) if isinstance(classes, (tuple, list, np.ndarray)) else []
    if len(named) == 2 and all(isinstance(label, (str, numbers.Real, np.bool_)) for label in named):
        labels = np.array(named)
        # Of labels of two kinds numpy makes one kind.
        if labels.dtype.kind in "biufU" and labels.tolist() == named and named[0] != named[1]:
            return labels
    raise ValueError(f"classes = {classes!r:.60} must be two different labels of one kind, (class 0, class "
                     "1), for example (0, 1).")


def check_labels(legal, classes):
    """Refuse the first label that is not `legal`, (n,) booleans. scikit-learn asks for the first words."""
    if not legal.all():
        raise ValueError(
            f"Unknown label type: the label in row {np.argmin(legal)} of y is not in classes = "
            f"{classes!r:.60}. Only binary classification is supported. Name both labels, classes=(class 0, "
            "class 1): they are public and never read off y.")

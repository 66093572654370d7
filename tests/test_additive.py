"""One report on one of many features: what additive rules learn, and what they cannot."""

import numpy as np
import pytest
from sklearn.base import clone

from ldp_lib.estimation import AdaptiveClassifier, AdditiveClassifier
from ldp_lib.privacy import DyadicBit
from ldp_lib.risk import simulate_accuracy

D = 10


def people(eta, n, rng, d=D):
    X = rng.random((n, d))
    return X, (rng.random(n) < eta(X)).astype(int)


def additive(X):
    return 0.55 + 0.2 * np.cos(np.pi * X[:, 0]) + 0.2 * np.sin(2 * np.pi * X[:, 1]) - 0.1 * (X[:, 2] > 0.3)


def xor(X):
    return 0.5 + 0.45 * np.sign((X[:, 0] - 0.5) * (X[:, 1] - 0.5))


def best(eta):
    """The best rule is right with probability 1/2 + E|eta - 1/2|."""
    return 0.5 + np.abs(eta(np.random.default_rng(0).random((10**6, D))) - 0.5).mean()


@pytest.mark.parametrize("alpha, excess", [(1.0, 0.045), (4.0, 0.008)])
def test_additive_laws_are_learnt_and_xor_is_not(alpha, excess):
    """What the docstring prints. Bounds leave five standard errors: false alarm below 1e-6."""
    found = {eta.__name__: simulate_accuracy(
        AdditiveClassifier(alpha), lambda n, rng, eta=eta: people(eta, n, rng), 10**5, 10, rng=1)
        for eta in (additive, xor)}
    for eta in (additive, xor):
        mean, error, _ = found[eta.__name__]
        print(f"\nalpha = {alpha}, {eta.__name__}: {mean:.4f} +- {error:.4f}, best {best(eta):.4f}")
    assert best(additive) - found["additive"].mean < excess
    assert abs(found["xor"].mean - 0.5) < 0.015


def test_scores_are_the_projection_on_sums_of_functions_of_one_feature():
    """Many people without noise to speak of, against integrals of g over all other features."""
    law = lambda X: 0.5 + 0.3 * X[:, 0] * X[:, 1] - 0.1 * (X[:, 2] > 0.5)  # noqa: E731
    X, y = people(law, 10**6, np.random.default_rng(1), 3)
    rule = AdditiveClassifier(20.0, rng=2).fit(X, y)
    x = np.random.default_rng(3).random((2000, 3))
    m = 0.3 / 4 - 0.05
    truth = 0.15 * x[:, 0] + (0.15 * x[:, 1]) - 0.1 * (x[:, 2] > 0.5) + 0.05 + m - 0.15
    # Noise of a few thousandths; the jump at 1/2 is on a line.
    assert np.abs(rule.decision_function(x) - truth).mean() < 0.01
    assert rule.offset_ == pytest.approx(m, abs=0.003)


def test_of_one_feature_it_is_the_adaptive_rule():
    X, y = people(lambda X: X[:, 0], 5000, np.random.default_rng(1), 1)
    mechanism = AdaptiveClassifier(1.0).build_mechanism(5000, 1)
    aggregate = mechanism.simulate_aggregate(X, y, rng=3)
    one = AdaptiveClassifier(1.0).fit_aggregate(aggregate)
    other = AdditiveClassifier(1.0).fit_aggregate([aggregate])
    assert np.allclose(one.scores_ * 4096, other.scores_[0] + other.offset_)
    assert one.degrees_of_freedom_ == other.degrees_of_freedom_ and one.smooth_ == other.smooth_[0]


def test_everybody_reports_once_on_one_feature():
    X, y = people(additive, 1003, np.random.default_rng(1))
    rule = AdditiveClassifier(1.0, rng=4).fit(X, y)
    assert sum(aggregate.people for aggregate in rule.aggregates_) == 1003
    assert {aggregate.people for aggregate in rule.aggregates_} == {100, 101}
    again = clone(rule).fit_aggregate(rule.aggregates_)
    assert (again.predict(X) == rule.predict(X)).all()
    assert rule.mechanism_.alpha == 1.0 and isinstance(rule.mechanism_, DyadicBit)


@pytest.mark.parametrize("wrong, kind, words", [
    (lambda rule: rule.fit(np.zeros((3, 4)), [0, 1, 1]), ValueError, "3 people are too few for 4 features"),
    (lambda rule: rule.fit_aggregate(rule), TypeError, "aggregates is a AdditiveClassifier"),
    (lambda rule: rule.fit_aggregate([DyadicBit(1.0, 5).count([[0.1]], [1])]), ValueError, "comes from")])
def test_bad_arguments_are_explained(wrong, kind, words):
    with pytest.raises(kind, match=words):
        wrong(AdditiveClassifier())


def test_as_many_people_as_features_are_enough_and_one_fewer_is_not():
    X, y = people(additive, D, np.random.default_rng(2))
    rule = AdditiveClassifier(4.0, rng=1).fit(X, y)
    assert rule.predict(X).shape == (D,)
    with pytest.raises(ValueError, match="9 people are too few for 10 features"):
        clone(rule).fit(X[1:], y[1:])

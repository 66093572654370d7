"""Estimators do what their docstrings say."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from ldp_lib.estimation import (
    AdaptiveClassifier, AdaptiveDensity, CellClassifier, CubeClassifier, HistogramClassifier,
    LinearWaveletDensity, NoisyMajorityClassifier, OneBitClassifier, PublicBox, StableHistogramDensity,
    VoronoiClassifier,
)
from ldp_lib.nature import Interval, problem
from ldp_lib.privacy import CubeLaplace
from ldp_lib.risk import SimulationWarning

@pytest.mark.parametrize("d", [1, 2])
def test_histogram_is_a_majority_vote(d):
    X, y = problem("sine", d=d).sample(500, rng=0)
    rule = HistogramClassifier(h=0.3).fit(X, y)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 0.999, 41)] * d), axis=-1).reshape(-1, d)
    same = (np.floor(grid[:, None] / 0.3) == np.floor(X / 0.3)).all(axis=2)
    assert (rule.predict(grid) == (same @ (2 * y - 1) >= 0)).all()


@pytest.mark.parametrize("d", [1, 2])
def test_cube_rule_without_noise_is_the_kernel_rule(d):
    """With an enormous budget the score is the mean of the definition, computed here by hand."""
    h = 0.3
    X, y = problem("sine", d=d).sample(400, rng=1)
    rule = CubeClassifier(alpha=1e9, h=h, rng=0).fit(X, y)
    points = np.random.default_rng(2).random((200, d))
    nearest = np.floor(points / h + 0.5) * h
    inside = (np.abs(X - nearest[:, None]) < h).all(axis=2)
    score = inside[:, 200:] @ y[200:] / 200 - inside[:, :200].sum(axis=1) / 400
    clear = np.abs(score) > 1e-6
    assert np.allclose(rule.decision_function(points), score, atol=1e-6) and clear.sum() > 100
    assert (rule.predict(points)[clear] == (score >= 0)[clear]).all()


def test_points_outside_belong_to_the_nearest_cell():
    X, y = problem("sine").sample(3000, rng=0)
    for rule in (CubeClassifier(alpha=50.0, h=0.22, rng=0).fit(X, y), HistogramClassifier(h=0.22).fit(X, y)):
        assert (rule.decision_function([[-3.0], [7.0]]) == rule.decision_function([[0.0], [1.0]])).all()


def test_learning_from_reports_alone():
    X, y = problem("sine").sample(4000, rng=0)
    mechanism = CubeLaplace(alpha=2.0, h=0.2)
    aggregate = mechanism.aggregate(mechanism.privatize(X, y, rng=3))
    rule = CubeClassifier(alpha=2.0, h=0.2).fit_aggregate(aggregate)
    assert (rule.scores_ == mechanism.score(aggregate)).all() and set(rule.predict(X)) <= {0, 1}


def test_sums_say_how_many_features_there_are():
    X, y = problem("cps", features=("age", "education")).sample(500, rng=0)
    aggregate = CubeLaplace(2.0, 0.5, 2).simulate_aggregate(X, y, rng=1)
    assert CubeClassifier(2.0, 0.5).fit_aggregate(aggregate).n_features_in_ == 2
    assert CubeClassifier(2.0, 0.5).fit_aggregate(aggregate._replace(mechanism=""), 2).n_features_in_ == 2
    with pytest.raises(ValueError, match="it must come from"):
        CubeClassifier(2.0, 0.5).fit_aggregate(aggregate, 1)


def test_parameters_changed_after_the_fit_change_nothing_until_the_next():
    X, y = problem("sine").sample(500, rng=0)
    for rule in (CubeClassifier(alpha=10.0, h=0.3, rng=0), HistogramClassifier(h=0.3)):
        before = rule.fit(X, y).predict(X)
        assert (rule.set_params(h=0.01).predict(X) == before).all()


def test_foreign_aggregates_are_refused():
    X, y = problem("sine").sample(100, rng=0)
    aggregate = CubeLaplace(alpha=2.0, h=0.2).simulate_aggregate(X, y, rng=0)
    for bad, error, words in ((aggregate, ValueError, "comes from .* it must come from"),
                              (None, TypeError, "must be of the kind Aggregate")):
        with pytest.raises(error, match=words):
            CubeClassifier(alpha=2.0, h=0.1).fit_aggregate(bad)


def test_labels_of_any_kind_come_back():
    X, y = problem("sine").sample(500, rng=0)
    names = np.where(y == 1, "yes", "no")
    rule = CubeClassifier(alpha=100.0, h=0.3, classes=("no", "yes"), rng=0).fit(X, names)
    assert list(rule.classes_) == ["no", "yes"] and set(rule.predict(X)) <= {"no", "yes"}
    assert (rule.predict(X) == np.where(CubeClassifier(alpha=100.0, h=0.3, rng=0).fit(X, y).predict(X), "yes",
                                        "no")).all()


def test_one_class_of_zeros_and_ones_is_a_legal_sample():
    X = np.linspace(0, 1, 50)[:, None]
    assert (HistogramClassifier(h=0.2).fit(X, np.zeros(50)).predict(X) == 0).all()
    assert set(CubeClassifier(rng=0).fit(X, np.ones(50)).predict(X)) <= {0, 1}
    named = HistogramClassifier(classes=("a", "b")).fit(X, ["a"] * 50)
    assert named.classes_.tolist() == ["a", "b"] and (named.predict(X) == "a").all()


@pytest.mark.parametrize("rule, names", [
    (CubeClassifier(alpha=0), "alpha"), (CubeClassifier(h=-1), "h "), (CubeClassifier(noise="none"), "noise"),
    (CubeClassifier(rng="x"), "rng"), (HistogramClassifier(h=0.0), "h "),
    (HistogramClassifier(h=np.nan), "h "),
])
def test_bad_parameters_are_named_by_fit(rule, names):
    X, y = problem("sine").sample(20, rng=0)
    with pytest.raises((ValueError, TypeError), match=names):
        rule.fit(X, y)


def test_scikit_learn_is_loaded_by_those_who_ask():
    """Its conventions hold without its base class, whose module loads scipy.stats and pandas: 90 MiB."""
    program = ("import sys\n"
               "from ldp_lib.estimation import CubeClassifier\n"
               "rule = CubeClassifier(alpha=2.0)\n"
               "assert not {'sklearn', 'scipy.stats', 'pandas'} & set(sys.modules)\n"
               "from sklearn.base import clone, is_classifier\n"
               "assert is_classifier(rule) and clone(rule).get_params() == rule.get_params()\n"
               "print(rule)")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, "CubeClassifier(alpha=2.0)"), run.stderr


def test_estimators_work_in_scikit_learns_own():
    """A search over alpha behind public bounds: copies with new parameters, scored by their right answers."""
    X, y = problem("sine").sample(4000, rng=0)
    rule = Pipeline([("box", PublicBox([0.0], [2.0])), ("rule", CubeClassifier(h=0.1, rng=0))])
    with pytest.warns(SimulationWarning, match="ask the same simulated people again"):
        search = GridSearchCV(rule, {"rule__alpha": (0.01, 100.0)}, cv=3).fit(2 * X, y)
    assert search.best_estimator_["rule"].total_loss_ == pytest.approx(3 * 0.01 + 4 * 100)
    assert search.best_params_ == {"rule__alpha": 100.0}
    assert search.score(2 * X, y) == (search.predict(2 * X) == y).mean() > 0.6
    with pytest.raises(ValueError, match="'budget' is no parameter of CubeClassifier; its param"):
        CubeClassifier().set_params(budget=1.0)
    with pytest.raises(NotFittedError, match="CubeClassifier instance is not fitted yet"):
        CubeClassifier().predict(X)


X, Y = np.linspace(0, 1, 40).reshape(-1, 1), np.arange(40) % 2


@pytest.mark.parametrize("rule, wrong", [
    (NoisyMajorityClassifier(1.0, side=0.5), {"epsilon": -1}),
    (NoisyMajorityClassifier(1.0, side=0.5), {"noise": "latice"}),
    (VoronoiClassifier(1.0, space=Interval(), radius=0.2), {"epsilon": -1}),
    (CubeClassifier(1.0, 0.2), {"alpha": -1}), (HistogramClassifier(0.5), {"h": -1}),
    (AdaptiveDensity(), {"alpha": -1}), (LinearWaveletDensity(), {"alpha": -1}),
    (StableHistogramDensity(side=0.5), {"epsilon": -1})])
def test_a_failed_fit_leaves_nothing_that_predicts(rule, wrong):
    fresh = clone(rule).set_params(**wrong)
    for failed in (fresh, clone(rule).fit(X, Y).set_params(**wrong)):
        with pytest.raises(ValueError):
            failed.fit(X, Y)
    with pytest.raises(NotFittedError):
        (fresh.predict if hasattr(fresh, "predict") else fresh.pdf)(X)


@pytest.mark.parametrize("ask", [
    lambda: AdaptiveDensity().pdf(0.3), lambda: AdaptiveDensity().interval(0.3),
    lambda: AdaptiveDensity().standard_error(0.3), lambda: LinearWaveletDensity().pdf(0.3),
    *(lambda rule=rule: rule.label_confidence([[0.3]])
      for rule in (CubeClassifier(), CellClassifier(), OneBitClassifier(), AdaptiveClassifier()))])
def test_what_is_asked_before_a_fit_says_so(ask):
    with pytest.raises(NotFittedError):
        ask()


def test_what_has_been_learnt_stays_when_parameters_change():
    density = AdaptiveDensity(1.0, rng=1).fit(X)
    before = density.pdf(X), density.interval(X), density.score(X)
    density.set_params(domain=(0, 10))
    after = density.pdf(X), density.interval(X), density.score(X)
    assert all(np.array_equal(one, other) for one, other in zip(before, after))
    wavelets = LinearWaveletDensity(1.0, level=3, rng=1).fit(X)
    before = wavelets.pdf(X)
    assert np.array_equal(wavelets.set_params(project=True).pdf(X), before)


@pytest.mark.parametrize("given, words", [
    ((np.ma.masked_greater(X, 0.5), Y), "no masked"), ((X, np.ma.masked_equal(Y, 1)), "no masked"),
    ((X.astype("datetime64[D]"), Y), "dates or times"),
    (([[10**400]] * 40, Y), "row 0")])
def test_no_record_is_taken_for_another(given, words):
    for rule in (CellClassifier(rng=1), HistogramClassifier(), NoisyMajorityClassifier()):
        with pytest.raises(ValueError, match=words):
            clone(rule).fit(*given)

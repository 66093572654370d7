"""Each person answers once: askings are counted over copies and processes, and nothing else is kept."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from ldp_lib.estimation import (
    AdaptiveClassifier, AskedAgainError, CellClassifier, CubeClassifier, LinearWaveletDensity,
    OneBitClassifier, PublicBox, ThresholdWaveletDensity, WaveletClassifier, asking,
)
from ldp_lib.estimation.asking import Askings
from ldp_lib.nature import density, problem
from ldp_lib.risk import SimulationWarning, mise, simulate_accuracy, simulate_excess_risk

X = np.linspace(0, 1, 400)[:, None]
Y = (X[:, 0] > 0.4).astype(int)
GRID = {"h": (0.1, 0.2, 0.25, 0.3)}
COPIES = {"itself": lambda rule: rule, "clone": clone, "copy": copy.copy, "deepcopy": copy.deepcopy,
          "clone of a pipeline": lambda rule: clone(make_pipeline(PublicBox([0], [1]), rule))[-1]}


def rules(**options):
    return [CubeClassifier(h=0.25, **options), CellClassifier(h=0.25, **options),
            OneBitClassifier(h=0.25, **options), AdaptiveClassifier(levels=2, **options),
            WaveletClassifier(levels=2, **options), LinearWaveletDensity(level=2, **options),
            ThresholdWaveletDensity(levels=2, **options)]


def refused(rule):
    with pytest.raises(AskedAgainError, match="nothing was drawn. Ask once and tune") as caught:
        rule.fit(X, Y)
    return str(caught.value)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("rule", rules(), ids=lambda rule: type(rule).__name__)
def test_people_who_exist_answer_once(rule, copied):
    first = type(rule)(**rule.get_params()).fit(X, Y)
    again = COPIES[copied](first)
    before = first.aggregate_
    assert "times = 1 allows" in refused(again) and "2 in all" in refused(again)
    assert first.aggregate_ is before and first.total_loss_ == 1.0
    # A copy that answers first counts for the original.
    original = type(rule)(**rule.get_params())
    COPIES[copied](original).fit(X, Y)
    refused(original)
    # Another rule knows of no earlier one.
    assert type(rule)(**rule.get_params()).fit(X, Y).total_loss_ == 1.0


@pytest.mark.parametrize("rule", rules(rng=1), ids=lambda rule: type(rule).__name__)
def test_simulated_people_are_asked_again_with_one_warning(rule):
    clone(rule).fit(X, Y)
    with pytest.warns(SimulationWarning, match="same simulated people again: times = 1.*told 2 nats") as seen:
        rule.fit(X, Y)
        for _ in range(3):
            # `fit` took the seed, and they are simulated all the same.
            again = clone(rule).fit(X, Y)
    assert rule.rng is None and again.total_loss_ == 5.0 and len(seen) == 1
    assert seen[0].filename == __file__
    # A seed that is named again is for other people.
    assert clone(rule).set_params(rng=2).fit(X, Y).total_loss_ == 1.0


def test_times_says_how_often_and_losses_add_up():
    rule = CubeClassifier(alpha=0.5, h=0.25, times=3)
    losses = [clone(rule).set_params(alpha=alpha).fit(X, Y).total_loss_ for alpha in (0.5, 0.25, 2.0)]
    assert losses == [0.5, 0.75, 2.75]
    assert "times = 3 allows" in refused(rule) and "3.25 in all" in refused(rule)
    assert rule.set_params(times=4).fit(X, Y).total_loss_ == 3.25
    for times in (0, 1.5, "often", None, True):
        with pytest.raises((TypeError, ValueError), match="times"):
            CubeClassifier(times=times).fit(X, Y)


def test_what_fails_before_anything_is_drawn_is_no_asking():
    rule = CubeClassifier(h=0.25)
    for bad in (lambda: rule.fit(X, Y + 5), lambda: rule.fit(X[:, 0], Y), lambda: rule.fit(X, Y[1:]),
                lambda: clone(rule).set_params(h=-1).fit(X, Y)):
        with pytest.raises(ValueError):
            bad()
    assert rule.fit(X, Y).total_loss_ == 1.0


def test_sums_that_are_there_ask_nobody():
    rule = CubeClassifier(alpha=2.0, h=0.25).fit(X, Y)
    for _ in range(3):
        assert clone(rule).fit_aggregate(rule.aggregate_).total_loss_ == 2.0
    wave = LinearWaveletDensity(alpha=2.0, level=2).fit(X)
    assert clone(wave).fit_aggregate(wave.aggregate_).total_loss_ == 2.0
    # Without privacy there is no bound, and nothing that a second asking would add.
    bare = LinearWaveletDensity(alpha=None, level=2)
    assert bare.fit(X).fit(X).total_loss_ == clone(bare).fit(X).total_loss_ == np.inf


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_without_a_seed_is_refused(n_jobs):
    with warnings.catch_warnings(action="ignore"):  # fits that failed, scores that are not finite
        with pytest.raises((AskedAgainError, ValueError), match="AskedAgainError|times = 1 allows"):
            GridSearchCV(CubeClassifier(h=0.25), GRID, cv=4, n_jobs=n_jobs).fit(X, Y)
        rule = CubeClassifier(h=0.25, times=16)
        with pytest.raises(AskedAgainError, match="times = 16 allows.*17 in all"):
            GridSearchCV(rule, GRID, cv=4, n_jobs=n_jobs).fit(X, Y)


@pytest.mark.parametrize("rule", [CubeClassifier(h=0.25, times=17), CubeClassifier(h=0.25, times=17, rng=1)],
                         ids=repr)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_counts_every_fit_wherever_it_ran(rule, n_jobs):
    search = GridSearchCV(type(rule)(**rule.get_params()), GRID, cv=4, n_jobs=n_jobs, error_score="raise")
    assert search.fit(X, Y).best_estimator_.total_loss_ == 17.0


@pytest.mark.parametrize("rng", [None, 1])
def test_a_search_over_alpha_is_not_counted_too_low(rng):
    """What is sent to another process is counted before the search says its alpha."""
    def search(alpha, n_jobs):
        rule = OneBitClassifier(alpha, h=0.25, times=5, rng=rng)
        return GridSearchCV(rule, {"alpha": [10.0]}, cv=4, n_jobs=n_jobs, error_score="raise").fit(X, Y)

    assert search(0.01, None).best_estimator_.total_loss_ == pytest.approx(50)
    assert search(10.0, 2).best_estimator_.total_loss_ == pytest.approx(50)
    with pytest.raises(AskedAgainError, match="counted at alpha = 0.01: at alpha = 10.*the largest alpha"):
        search(0.01, 2)


def test_scikit_learn_asks_simulated_people_with_one_warning():
    three = Y + (X[:, 0] > 0.7)
    for work, loss in (
            (lambda: cross_val_score(CubeClassifier(4.0, rng=1), X, Y, error_score="raise"), None),
            (lambda: GridSearchCV(CubeClassifier(4.0, rng=1), GRID, cv=4).fit(X, Y).best_estimator_, 68.0),
            (lambda: OneVsRestClassifier(CubeClassifier(4.0, rng=1)).fit(X, three).estimators_[-1], 12.0)):
        with pytest.warns(SimulationWarning, match="told 8 nats") as seen:
            found = work()
        assert len(seen) == 1 and (loss is None or found.total_loss_ == loss)


def test_scikit_learn_asks_people_who_exist_no_second_time():
    with pytest.raises(AskedAgainError):
        OneVsRestClassifier(CubeClassifier(4.0, 0.25)).fit(X, Y + (X[:, 0] > 0.7))
    with pytest.warns(FitFailedWarning, match="4 fits failed out of a total of 5"):
        scores = cross_val_score(CubeClassifier(4.0, 0.25), X, Y)
    assert np.isnan(scores).sum() == 4


def test_a_pickle_asks_nobody_who_exists():
    fresh = CubeClassifier(h=0.25)
    assert "came in a pickle" in refused(pickle.loads(pickle.dumps(fresh)))
    assert fresh.fit(X, Y).total_loss_ == 1.0
    assert "times = 1 allows" in refused(pickle.loads(pickle.dumps(fresh)))
    often = CubeClassifier(h=0.25, times=5)
    assert "came in a pickle" in refused(pickle.loads(pickle.dumps(often)))
    assert "came in a pickle" in refused(pickle.loads(pickle.dumps(often.fit(X, Y))))
    assert often.fit(X, Y).total_loss_ == 2.0
    # Simulated people are.
    assert pickle.loads(pickle.dumps(CubeClassifier(h=0.25, rng=1))).fit(X, Y).total_loss_ == 1.0


def test_a_clone_takes_one_asking_along():
    rule = CubeClassifier(h=0.25, times=3)
    sent = clone(rule)
    assert pickle.dumps(sent) == pickle.dumps(sent)
    there = pickle.loads(pickle.dumps(sent))
    assert there.fit(X, Y).total_loss_ == 1.0
    for another in (there, clone(there), pickle.loads(pickle.dumps(clone(there)))):
        assert "came in a pickle" in refused(another)
    assert rule.fit(X, Y).total_loss_ == 2.0
    assert pickle.loads(pickle.dumps(clone(rule))).fit(X, Y).total_loss_ == 3.0
    assert "4 in all" in refused(rule)
    assert "times = 3 allows" in refused(pickle.loads(pickle.dumps(clone(rule))))


def test_processes_refuse_what_a_process_refuses():
    def work(rule):
        return delayed(type(rule).fit)(rule, X, Y)

    rule = CubeClassifier(h=0.25)
    with pytest.raises(AskedAgainError, match="came in a pickle"):
        Parallel(n_jobs=2)(work(rule) for _ in range(2))


def test_threads_ask_no_more_often_than_times_says():
    rule = OneBitClassifier(h=0.25, times=20)

    def ask(_):
        try:
            return clone(rule).fit(X, Y).total_loss_
        except AskedAgainError:
            return None

    with ThreadPoolExecutor(8) as threads:
        losses = list(threads.map(ask, range(60)))
    assert sorted(loss for loss in losses if loss) == list(range(1, 21))


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: type(rule).__name__)
def test_the_count_is_all_that_a_rule_keeps_of_its_askings(rule):
    rule.fit(X, Y)
    for thing in (rule, pickle.loads(pickle.dumps(rule)), copy.copy(rule), copy.deepcopy(rule)):
        kept = vars(vars(thing)["_askings"])
        assert set(kept) == {"number", "loss", "simulated", "most", "counted", "real"}
        assert (kept["number"], kept["loss"], kept["simulated"]) == (1, 1.0, False)
        assert kept["counted"] == np.inf and kept["real"] is None
        assert kept["most"] == (np.inf if vars(thing)["_askings"] is vars(rule)["_askings"] else 1)
    assert rule.get_params().keys() == clone(rule).get_params().keys()


def test_simulations_with_fresh_people_do_not_warn():
    asked = CubeClassifier(h=0.25).fit(X, Y)
    for rule in (CubeClassifier(h=0.25), CubeClassifier(h=0.25, rng=1), asked):
        simulate_excess_risk(rule, problem("sine"), 100, 3, rng=1)
        simulate_accuracy(rule, lambda n, rng: problem("sine").sample(n, rng=rng), 100, 3, test=100, rng=1)
    mise(ThresholdWaveletDensity(levels=2), density("uniform"), 100, repeats=3, rng=1)
    assert "times = 1 allows" in refused(asked)


def forgetful_clone(self):
    return type(self)(**copy.deepcopy(self.get_params()))


def fresh_pickle(self):
    return vars(self) | {"_askings": Askings()}


def copied(how):
    return lambda: test_people_who_exist_answer_once(CubeClassifier(), how)


@pytest.mark.parametrize("name, damage, notices", [
    ("__sklearn_clone__", forgetful_clone, copied("clone")), ("__copy__", forgetful_clone, copied("copy")),
    ("__deepcopy__", lambda self, memo: forgetful_clone(self), copied("deepcopy")),
    ("__getstate__", fresh_pickle, test_a_pickle_asks_nobody_who_exists),
    ("__getstate__", fresh_pickle, test_a_clone_takes_one_asking_along),
], ids=["clone", "copy", "deepcopy", "pickle of a rule", "pickle of a clone"])
def test_mutants_that_lose_count_are_noticed(name, damage, notices, monkeypatch):
    monkeypatch.setattr(asking.AsksPeople, name, damage)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        notices()


def test_who_comes_after_simulated_people_may_exist():
    """`set_params(rng=None)` ends a simulation: the next fit asks people, and the one after it is refused."""
    rule = CellClassifier(h=0.5, rng=1).fit(X, Y)
    assert rule.set_params(rng=None).fit(X, Y).total_loss_ == 1.0
    with pytest.raises(AskedAgainError):
        rule.fit(X, Y)
    with pytest.raises(AskedAgainError):
        rule.set_params(rng=None).fit(X, Y)


@pytest.mark.parametrize("turned", [
    lambda rule: rule.set_params(rng=None), lambda rule: setattr(rule, "rng", None),
    lambda rule: rule.fit(X, Y).set_params(rng=None)], ids=["set", "attribute", "after a simulation"])
@pytest.mark.parametrize("kept", [lambda rule: rule, lambda rule: pickle.loads(pickle.dumps(rule)), clone],
                         ids=["itself", "pickle", "clone"])
def test_a_seed_in_between_gives_nobody_a_second_turn(turned, kept):
    """People who exist have a count of their own, which simulated ones leave as it is."""
    rule = OneBitClassifier(1.0, h=0.25).fit(X, Y)
    again = kept(rule).set_params(rng=1)
    turned(again)
    again = kept(again)
    again.rng = None
    with pytest.raises(AskedAgainError, match="2 in all"):
        again.fit(X, Y)


def test_a_seed_in_between_gives_a_pickle_no_asking():
    sent = pickle.loads(pickle.dumps(OneBitClassifier(1.0, h=0.25))).set_params(rng=1)
    with pytest.raises(AskedAgainError, match="came in a pickle"):
        sent.set_params(rng=None).fit(X, Y)

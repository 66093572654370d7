"""Data of users: who is outside the public domain is said, to the one who holds them; tables have names."""

import pickle
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from test_what_is_published import fresh

from ldp_lib.estimation import (
    AdaptiveClassifier, CellClassifier, CubeClassifier, DomainWarning, FewPeopleWarning,
    HistogramClassifier,
    LinearWaveletDensity, NoisyMajorityClassifier, OneBitClassifier, PrivateSemiSupervised, PublicBox,
    StableHistogramDensity, StableVoronoiClassifier, ThresholdWaveletDensity, VoronoiClassifier,
    WaveletClassifier,
)
from ldp_lib.nature import Interval, Line
from ldp_lib.privacy import CellLaplace, WaveletLaplace

N = 1000
X, Y = np.linspace(0, 1, N)[:, None], np.arange(N) % 2
HOLDERS = [
    CubeClassifier(h=0.2, rng=1), CellClassifier(h=0.2, rng=1), OneBitClassifier(h=0.2, rng=1),
    AdaptiveClassifier(levels=2, rng=1), WaveletClassifier(levels=2, rng=1), HistogramClassifier(h=0.2),
    LinearWaveletDensity(level=2, rng=1), ThresholdWaveletDensity(levels=2, rng=1),
]
CURATORS = [
    NoisyMajorityClassifier(side=0.2, rng=1), VoronoiClassifier(space=Interval(), radius=0.2, rng=1),
    StableVoronoiClassifier(space=Line(), radius=0.2, rng=1), StableHistogramDensity(side=0.2, rng=1),
    PrivateSemiSupervised(delta=0.1, side=0.1, rng=1),
]


def outside(people, places=(-0.25, 40.0)):
    """`X` with so many people outside [0, 1], below and above."""
    moved = X.copy()
    moved[:people] = np.resize(places, (people, 1))
    return moved


@pytest.mark.parametrize("rule", HOLDERS, ids=str)
def test_the_holder_of_the_data_hears_who_is_outside(rule):
    """More than 1%: how many of how many, where, what to do, in the line that called."""
    fresh(rule).fit(outside(10), Y)  # warnings are errors here
    with pytest.warns(DomainWarning, match=r"11 of 1,000 people .*\[0, 1\].*feature 0: 11") as caught:
        learnt = fresh(rule).fit(outside(11), Y)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert any(cure in str(caught[0].message) for cure in ("PublicBox", "domain=(lower, upper)"))
    # The counts are in the warning alone: fitted to others outside, or at the ends, the rule is the same.
    with pytest.warns(DomainWarning):
        others = fresh(rule).fit(outside(11, (-9.0, 7.0)), Y)
    assert pickle.dumps(learnt) == pickle.dumps(others)
    if not isinstance(rule, CubeClassifier):  # in whose cubes those who are outside are not
        ends = fresh(rule).fit(np.clip(outside(11), 0, 1), Y)
        assert pickle.dumps(learnt) == pickle.dumps(ends)


@pytest.mark.parametrize("rule", CURATORS, ids=str)
def test_a_curator_says_nothing_that_is_not_released(rule):
    """Warnings are errors here."""
    y = np.where(np.arange(N) < 900, -1, Y) if isinstance(rule, PrivateSemiSupervised) else Y
    far = X if isinstance(getattr(rule, "space", None), Interval) else outside(500)
    clone(rule).fit(far, y)


def test_neither_people_nor_those_who_predict_hear_anything():
    far = outside(500)
    for rule in HOLDERS[:6]:
        clone(rule).fit(X, Y).predict(far)
    CellLaplace(1.0, 0.2).privatize(far, Y, rng=1)
    mechanism = WaveletLaplace(1.0, "haar", 2)
    sums = mechanism.aggregate(mechanism.privatize(far, rng=1))
    fitted = LinearWaveletDensity(1.0, "haar", 2).fit_aggregate(sums)
    assert fitted.pdf(far.ravel()).shape == (N,)


def test_columns_are_named_where_they_have_names():
    table = pandas.DataFrame({"age": 18 + 72 * X[:, 0], "share": X[:, 0]})
    with pytest.warns(DomainWarning, match=r"1,000 of 1,000 people .*\(feature 'age': 1,000\)"):
        CubeClassifier(h=0.2, rng=1).fit(table, Y)
    LinearWaveletDensity(level=2, domain=(18, 90), rng=1).fit(table["age"])
    with pytest.warns(DomainWarning, match=r"\[18, 50\]"):
        LinearWaveletDensity(level=2, domain=(18, 50), rng=1).fit(table["age"])


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    return pandas.DataFrame({"person": np.arange(N), "income": rng.lognormal(10, 0.5, N),
                             "sex": rng.choice(["f", "m"], N), "age": rng.integers(18, 91, N)},
                            index=np.arange(N) + 7)


BOX = PublicBox({"age": 18, "income": 0}, {"age": 90, "income": 80_000}, {"sex": ("f", "m")})


def test_columns_are_chosen_by_name(people):
    found = clone(BOX).fit_transform(people)
    by_hand = np.column_stack([(people.age - 18) / 72, np.minimum(people.income / 80_000, 1),
                               np.where(people.sex == "f", 0.25, 0.75)])
    assert found == pytest.approx(by_hand)
    assert (clone(BOX).fit().transform(people[["age", "sex", "income"]]) == found).all()  # whatever the order
    assert clone(BOX).fit().clipped(people) == pytest.approx([0, (people.income > 80_000).mean(), 0])
    assert BOX.memory(0.5) == PublicBox([0] * 3, [1] * 3).memory(0.5)


def test_a_box_speaks_pandas(people):
    box = clone(BOX).set_output(transform="pandas").fit(people)
    found = box.transform(people)
    assert found.columns.tolist() == box.get_feature_names_out().tolist() == ["age", "income", "sex"]
    assert (found.index == people.index).all()
    plain = PublicBox([0], [1]).set_output(transform="pandas").fit(people[["person"]])
    assert plain.transform(people[["person"]]).columns.tolist() == ["person"]
    rule = make_pipeline(box, CellClassifier(alpha=20.0, h=0.5, rng=0))
    assert rule.fit(people, people.sex == "m").score(people, people.sex == "m") > 0.95


def test_more_than_four_features_and_what_they_cost():
    box = PublicBox([0] * 6, [2] * 6).fit()
    assert box.transform([[1.0] * 6]).tolist() == [[0.5] * 6] and box.memory(0.5) == 48 * 2**6
    with pytest.raises(MemoryError, match="drop a feature"):
        box.memory(0.01)


@pytest.mark.parametrize("box, words", [
    (PublicBox({"age": 18}, [90]), "two lists, or two dicts"),
    (PublicBox({"age": 18}, {"income": 90}), "for the same columns"),
    (PublicBox({"age": 18}, {"age": 18}), r"upper\['age'\] = 18"),
    (PublicBox({}, {}), "number of bounds = 0"),
    (PublicBox({"age": 18}, {"age": 90}, {"sex": ("f",)}), r"categories\['sex'\]"),
    (PublicBox({"age": 18}, {"age": 90}, {"sex": ("f", "f")}), "different"),
    (PublicBox([0], [1], {0: ("f", "m")}), "Words can be categories where bounds are dicts"),
    (PublicBox("a", "b"), "lower = 'a' is a str"),
])
def test_bad_names_are_refused(box, words):
    with pytest.raises((ValueError, TypeError), match=words):
        box.fit()


def test_tables_that_do_not_fit_are_refused_without_a_record(people):
    box = clone(BOX).fit()
    spoilt = {"row 4": people.assign(sex=people.sex.where(people.person != 4, "Jane Roe")),
              "row 5": people.assign(age=people.age.astype(object).where(people.person != 5, "Jane Roe")),
              "row 6": people.assign(income=people.income.where(people.person != 6)),
              "row 8": people.assign(sex=people.sex.where(people.person != 8, None)),
              "row 9": people.assign(sex=[["Jane Roe"] if k == 9 else "f" for k in range(N)]),
              "no column 'age'": people.drop(columns="age"), "bounds by name": people.to_numpy()}
    for words, table in spoilt.items():
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            box.transform(table)
        assert "Jane" not in f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
    with pytest.raises(ValueError, match="no column 'age'"):
        clone(BOX).fit(spoilt["no column 'age'"])


def test_raw_data_in_a_table_are_learnt_behind_a_box():
    """Clipped into the last cell in silence they were not: seeded, 16,000 people."""
    rng = np.random.default_rng(5)
    table = pandas.DataFrame({"age": rng.uniform(18, 90, 16_000), "income": rng.uniform(0, 1e5, 16_000)})
    y = ((table.age > 54) ^ (table.income > 50_000)).astype(int)
    rule = CellClassifier(alpha=2.0, h=0.5, rng=1)
    with warnings.catch_warnings(action="ignore", category=DomainWarning):
        raw = fresh(rule).fit(table, y).score(table, y)
    box = PublicBox({"age": 18, "income": 0}, {"age": 90, "income": 1e5})
    assert raw < 0.55 and make_pipeline(box, rule).fit(table, y).score(table, y) > 0.99


@pytest.mark.parametrize("rule", [CubeClassifier(h=0.5, rng=1), CellClassifier(h=0.5, rng=1),
                                  OneBitClassifier(h=0.5, rng=1)], ids=repr)
def test_more_cells_than_people_are_said_and_tell_no_record(rule):
    """4 features make 16 cells, or 81 cubes. The words know numbers of people and of cells alone."""
    cells = 81 if isinstance(rule, CubeClassifier) else 16
    crowd, labels = np.random.default_rng(1).random((cells, 4)), np.arange(cells) % 2
    told = set()
    for X, y in ((crowd, labels), (crowd[::-1] ** 2, 1 - labels)):
        words = rf"has {cells} cells for {cells - 1} people.*Raise h"
        with pytest.warns(FewPeopleWarning, match=words) as caught:
            clone(rule).set_params(rng=1).fit(X[1:], y[1:])
        assert caught[0].filename == __file__
        told.add(str(caught[0].message))
        with warnings.catch_warnings(action="error"):
            clone(rule).set_params(rng=1).fit(X, y)
    assert len(told) == 1


def test_rules_that_average_over_cells_may_have_more_of_them_than_people():
    with warnings.catch_warnings(action="error"):
        AdaptiveClassifier(levels=4, rng=1).fit(X[:10], Y[:10])
        WaveletClassifier(levels=4, rng=1).fit(X[:10], Y[:10])

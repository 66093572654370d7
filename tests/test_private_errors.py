"""Errors name the row of a record and the rule that it broke, never its value: errors end up in logs.

Every public function that takes records or reports is handed a secret in all the wrong ways, and estimators
in `test_what_is_published`.
"""

import datetime
import re

import numpy as np
import pandas
import pytest
from sklearn.base import clone

from bad_input_calls import CALLS as CLASSIFICATION
from bad_input_calls_beyond import CALLS as BEYOND
from bad_input_calls_cells import CALLS as CELLS
from ldp_lib.estimation import (
    AdaptiveClassifier, AdditiveClassifier, LinearWaveletDensity, NoisyMajorityClassifier, OneBitClassifier,
    PublicBox, StableHistogramDensity,
)
from ldp_lib.privacy import CellLaplace, stability_histogram
from ldp_lib.privacy.central import noisy_votes

NUMBER, TEXT, ROW = 4711.25, "alice-4711", 7
PRIVATE = {"X1", "X2", "X3", "labels", "matrix"}
CALLS = [subject for subject in (*CLASSIFICATION, *BEYOND, *CELLS)
         if PRIVATE & set(subject.kinds.values()) and "" not in subject.alias.values()]


def spoilt(good, reports):
    """Values with a secret that are no `good` array, and whether the row of the secret is to be named."""
    good = np.asarray(good)
    for secret in (TEXT, TEXT.encode(), NUMBER * 1j, datetime.datetime(4711, 1, 1), [NUMBER] * 2, {TEXT: 1}):
        array = good.astype(object)
        array[(ROW, *[0] * (good.ndim - 1))] = secret
        yield array, True
        if not reports:  # of which a list is a stream of blocks
            yield array.tolist(), True
    with_nan = np.full(good.shape, NUMBER)
    with_nan[ROW] = np.nan
    yield with_nan, good.ndim > 1
    for array in (np.full((*good.shape, 2), NUMBER), np.full((len(good) + 1, 9), NUMBER), np.full(0, NUMBER),
                  np.empty((0, 1), "M8[s]"),
                  NUMBER, TEXT, {TEXT: NUMBER}, [TEXT], [[NUMBER], [NUMBER] * 2], None,
                  np.ma.masked_greater(np.full(good.shape, NUMBER), 0), iter([NUMBER])):
        yield array, False


def said(error):
    """All that an error and those behind it say."""
    words = []
    while error is not None:
        words.append(str(error))
        error = error.__cause__ or error.__context__
    return " | ".join(words)


def betrayals(function, argument, good):
    """What the errors of function(**{argument: ...}) say that they should not, or do not say."""
    found = []
    for value, in_a_row in spoilt(good, argument == "reports"):
        try:
            function(**{argument: value})
        except (TypeError, ValueError) as error:
            words = said(error)
            if re.search("4711|alice", words):
                found.append(f"{argument} = {value!r:.50}: {words}")
            if in_a_row and not re.search(rf"\brow {ROW}\b", words):
                found.append(f"{argument} = {value!r:.50} names no row: {words}")
        else:
            if in_a_row:
                found.append(f"{argument} = {value!r:.50} is accepted")
    return found


@pytest.mark.parametrize("subject", CALLS, ids=lambda subject: subject.name)
def test_no_error_shows_a_record(subject):
    for argument, kind in subject.kinds.items():
        if kind in PRIVATE:
            found = betrayals(lambda subject=subject, **given: subject.function(**subject.good | given),
                              argument, subject.good[argument])
            assert not found, "\n".join(found)


@pytest.mark.parametrize("function, argument, good", [
    (lambda votes: noisy_votes(votes, 1.0, rng=1), "votes", np.arange(12.0)),
    (lambda counts: stability_histogram(counts, 1.0, 1e-6, rng=1), "counts", np.arange(12)),
    (lambda x: LinearWaveletDensity(1.0, "haar", 2, rng=1).fit(x), "x", np.linspace(0, 1, 12)),
], ids=["votes", "counts", "x"])
def test_no_error_shows_what_a_curator_counts_or_where_people_are(function, argument, good):
    found = betrayals(function, argument, good)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rule", [
    AdaptiveClassifier(rng=1), OneBitClassifier(h=0.5, rng=1), NoisyMajorityClassifier(),
    AdditiveClassifier(rng=1), StableHistogramDensity(), PublicBox([0, 0], [1, 1]),
    PublicBox({"age": 0, "pay": 0}, {"age": 1, "pay": 1})], ids=repr)
@pytest.mark.parametrize("bad, words", [(np.nan, "NaN or an infinity"), (-np.inf, "NaN or an infinity"),
                                        (TEXT, "what is no number|column 'pay' of X must hold numbers")])
def test_what_is_missing_is_named_by_row_and_column_in_words_of_our_own(rule, bad, words):
    """scikit-learn advises a learner without privacy there. A table names the column, a list its place."""
    table = pandas.DataFrame({"age": np.full(12, 0.25), "pay": np.full(12, 0.5)}).astype(object)
    table.loc[ROW, "pay"] = bad
    box = isinstance(rule, PublicBox)
    for X, column in ((table, "'pay'"), (table.to_numpy(), "1")):
        if box and rule.lower != [0, 0] and column == "1":
            continue
        fit = (lambda X: clone(rule).fit_transform(X)) if box else lambda X: clone(rule).fit(X, [0, 1] * 6)
        with pytest.raises((TypeError, ValueError), match=words) as caught:
            fit(X)
        told = said(caught.value)
        assert re.search(rf"\brow {ROW}\b", told) and f"column {column}" in told
        assert "4711" not in told and "sklearn" not in told and "0.25" not in told


def test_labels_are_not_shown_whatever_they_are():
    X = np.full((12, 1), 0.5)
    for wrong in (4711, -4711, 4711.25, 10**4711, np.nan):
        y = [0] * ROW + [wrong] + [1] * (11 - ROW)
        with pytest.raises(ValueError, match=rf"y has no label 0 or 1 in row {ROW}") as caught:
            CellLaplace(1.0, 0.2).privatize(X, y, rng=1)
        assert "4711" not in said(caught.value)


def test_entries_out_of_range_are_not_shown():
    for wrong in (-4711, 4711.25, 4711e300, np.nan):
        counts = np.where(np.arange(12) == ROW, wrong, 3.0)
        words = f"counts has an illegal entry in row {ROW}; every entry must be a whole number and at least 0"
        with pytest.raises(ValueError, match=words) as caught:
            stability_histogram(counts, 1.0, 1e-6, rng=1)
        assert "4711" not in said(caught.value)

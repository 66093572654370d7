"""Ledgers hold over their parameter space, errata have evidence, exponents are the theorems'."""

import functools
import itertools
import math
import random

import numpy as np
import pytest
from extent import POINTS, all_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from ldp_lib.lessons.consistency import ledger as consistency
from ldp_lib.privacy import CubeLaplace
from ldp_lib.theory import LEDGERS, Ledger, Step, classification_exponent, errata, ledger




@settings(max_examples=POINTS)
@given(st.floats(0.01, 20), st.floats(0.02, 1.5), st.integers(1, 3))
def test_theorem_2_1_holds_everywhere(alpha, h, d):
    assert ledger("2.1", alpha=alpha, h=h, d=d).holds


def test_theorem_2_2_holds_for_alpha_up_to_one():
    rng = np.random.default_rng(22)
    corners = list(itertools.product((2, 10**12), (0.01, 1.0), (1, 4), (1e-3, 1.0), (1e-3, 1.0), (0, 0.5, 1),
                                     (1e-3, 1.0)))
    if not all_rows():
        corners = random.Random(22).sample(corners, POINTS)
    points = ((int(10 ** rng.uniform(0.31, 12)), 10 ** rng.uniform(-2, 0), int(rng.integers(1, 5)),
               10 ** rng.uniform(-3, 0), rng.uniform(0.001, 1), rng.random(), 10 ** rng.uniform(-3, 0))
              for _ in range(POINTS))
    for index, (n, alpha, d, t, p, share, h) in enumerate((*corners, *points)):
        executed = ledger("2.2", n=n, alpha=alpha, d=d, t=t, p=p, q=share * p, h=h,
                          law=list(consistency.LAWS)[index % 3])
        assert executed.holds, str(executed)


def test_concentration_chain_breaks_beyond_its_range():
    assert not ledger("2.2", alpha=14.0, t=1.0)["(3.1), exponent"].holds
    assert ledger("2.2", alpha=14.0, t=1.0)["(3.1)"].holds
    with pytest.raises(ValueError, match=r"alpha \* t"):
        ledger("2.2", alpha=17.0, t=1.0)


@functools.cache
def at_even_levels(name):
    """512 people at even levels of the distribution function of a law."""
    cdf = consistency.LAWS[name].cdf
    return np.array([brentq(lambda place, level=level: cdf(place) - level, 0, 1)
                     for level in (np.arange(2**9) + 0.5) / 2**9])


@pytest.mark.parametrize(("h", "shift"), [(0.07, 0), (0.2, 0), (0.03, 2)])
@pytest.mark.parametrize("name", consistency.LAWS)
def test_pieces_of_a_line_are_the_masses_of_its_cubes(name, h, shift):
    """Means over people, against those at even levels."""
    law, x = consistency.LAWS[name], at_even_levels(name)
    parts = consistency.pieces(law, h, shift)
    point = np.clip(np.rint(x / h) + shift, 0, math.ceil(1 / h)) * h
    low, high = np.clip(point - h, 0, 1), np.clip(point + h, 0, 1)
    ends = zip(law.edges, law.edges[1:], law.eta, strict=False)
    p = law.cdf(high) - law.cdf(low)
    q = sum(eta * (law.cdf(np.clip(high, a, b)) - law.cdf(np.clip(low, a, b))) for a, b, eta in ends)
    assert parts.mass @ parts.p == pytest.approx(p.mean(), abs=5e-3)
    assert parts.mass @ parts.q == pytest.approx(q.mean(), abs=5e-3)
    assert parts.mass.sum() == pytest.approx(1, abs=1e-12)


def test_ledgers_register_themselves_and_cite_their_proofs():
    proofs = {"2.1", "2.2", "2.4", "2.5", "wavelet-3.1", "wavelet-4.1", "wavelet-5.1", "wavelet-C.1",
              "bayes-3.2", "bayes-4.3", "bayes-A.12", "bayes-A.13", "bayes-A.14", "bayes-A.15", "bayes-4.11"}
    assert proofs <= set(LEDGERS) and all(book().theorem == name for name, book in LEDGERS.items())
    book = ledger("2.2")
    assert book["(3.1)"].source == "Berrett & Butucea 2019, proof of Theorem 2.2"
    assert book["(3.1), exponent"].source == "Berrett & Butucea 2019, proof of Theorem 2.2, with errata 1"
    assert ledger("wavelet-C.1")["Chernoff"].source == "Boucheron, Lugosi & Massart 2013, Section 2.4"


def test_steps_and_ledgers_report_themselves():
    tight, loose, equal, wrong = (
        Step("a", "", 1, 1, ""), Step("b", "", 1, 3, ""), Step("c", "", 2, 2 + 1e-12, "", "="),
        Step("d", "", 2, 1, ""))
    assert tight.slack == 1 and loose.slack == 3 and equal.holds and not wrong.holds
    assert math.isinf(Step("e", "", 0, 1, "").slack)
    book = Ledger("x", {"n": 1}, (tight, loose, wrong))
    assert book.loosest is loose and not book.holds and book["b"] is loose
    assert "FAILS" in str(book) and "<th" in book._repr_html_() and "(loosest)" in book._repr_html_()
    assert not Step("f", "", math.inf, 1, "").holds and not Step("g", "", math.nan, 1, "").holds
    with pytest.raises(KeyError, match="no step"):
        book["z"]


@pytest.mark.parametrize(
    "entry", [entry for entry in errata() if entry.number in (1, 2, 3, 4, 32)],
    ids=lambda entry: str(entry.number))
def test_erratum_is_reproduced(entry):
    evidence = entry.evidence()
    assert evidence.printed != pytest.approx(evidence.computed, rel=0.1, abs=1e-9)
    if entry.number in (1, 2, 32):
        assert evidence.corrected == pytest.approx(evidence.computed, abs=1e-12)
    else:  # the correction is a lower bound for what is computed
        assert evidence.computed >= evidence.corrected > evidence.printed + 0.4


def test_exponents():
    assert classification_exponent(1, 1, 1) == 0.5
    assert classification_exponent(1, 0, 2) == pytest.approx(1 / 6)
    assert classification_exponent(0.5, 2, 1, private=False) == pytest.approx(0.75)
    for beta, gamma, d in ((0.3, 1, 1), (1, 2, 2), (0.7, 0, 3)):
        private, usual = (classification_exponent(beta, gamma, d, private) for private in (True, False))
        assert private < usual


@pytest.mark.parametrize("bad", [
    dict(beta=0), dict(beta=1.1), dict(gamma=-1), dict(d=0), dict(gamma=3), dict(beta=math.nan)])
def test_bad_exponent_arguments_are_named(bad):
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        classification_exponent(**(dict(beta=1.0, gamma=1.0, d=1) | bad))


def test_unknown_theorems_list_the_known():
    with pytest.raises(ValueError, match="'2.1', '2.2', '2.4', '2.5'"):
        ledger("9.9")


@pytest.mark.parametrize("h", [0.15, 0.2, 0.37, 0.5, 0.7, 0.9])
def test_2_1_finds_the_two_people_who_differ_most(h):
    """Also where only the end of the axis is in its last interval."""
    mechanism = CubeLaplace(1.0, h)
    places = np.concatenate([np.linspace(0, 1, 401), np.arange(mechanism.K) * h])
    places = places[places <= 1]
    arrays = np.unique(mechanism.encode(places[:, None], np.ones(len(places), int), half=1), axis=0)
    farthest = np.abs(arrays[:, None] - arrays).sum(axis=2).max()
    assert ledger("2.1", h=h)["distance"].left == farthest

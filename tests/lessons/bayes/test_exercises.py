"""The exercises of notebook 06: right answers pass, every typical mistake is told, its numbers are true."""

import math

import numpy as np
import pytest

from ldp_lib.estimation import NoisyMajorityClassifier
from ldp_lib.lessons.bayes import exercises as judged
from ldp_lib.lessons.bayes.numbers import smallest_delta
from ldp_lib.live import check
from ldp_lib.nature import problem
from ldp_lib.privacy import RealLaplace, hockey_stick, stability_delta
from ldp_lib.risk import excess_risk


def desk(added, scale, **odd):
    """A desk of the table of mistakes: what it adds up, and the scale of its noise at epsilon = 1."""
    def answer(yes, people, epsilon, laplace):
        sums = added(yes, people)
        noise = np.zeros(len(yes)) if odd.get("silent") else laplace(scale / epsilon, len(yes))
        if odd.get("shared"):
            noise[:] = laplace(scale / epsilon)
        if odd.get("fresh"):
            return lambda cell: sums[cell] + laplace(scale / epsilon)
        if odd.get("bare"):
            noise = np.where(people > 0, noise, 0.0)
        if odd.get("shares"):
            with np.errstate(invalid="ignore"):
                sums = sums / people
        return lambda cell: sums[cell] + noise[cell]
    return answer


def vote(yes, people):
    return yes - people / 2


def one_by_one(yes, people, epsilon, laplace):
    """As right as all at once: draws as they are asked for, but remembered."""
    known = {}

    def ask(cell):
        if cell not in known:
            known[cell] = yes[cell] - people[cell] / 2 + laplace(1 / epsilon)
        return known[cell]
    return ask


DESKS = {
    "ones": (desk(lambda yes, people: yes, 1.0), "δ = 0.24"),
    "ones, twice the noise": (desk(lambda yes, people: yes, 2.0), "Use y - 1/2"),
    "fresh": (desk(vote, 1.0, fresh=True), "Draw once"),
    "no noise in empty cells": (desk(vote, 1.0, bare=True), "nobody is there"),
    "one draw for all": (desk(vote, 1.0, shared=True), "One draw for all cells"),
    "no noise": (desk(vote, 1.0, silent=True), "There is no noise"),
    "twice the noise": (desk(vote, 2.0), "half of the budget is unused"),
    "half the noise": (desk(vote, 0.5), "half of a move"),
    "shares": (desk(vote, 1.0, shares=True), "do not divide"),
    "whole numbers": (desk(lambda yes, people: yes - people // 2, 1.0), "rounds down"),
}


def gated(gate, scale=2.0, **odd):
    """A release of the table of mistakes; `gate` takes epsilon and delta."""
    def answer(count, epsilon, delta, laplace):
        if count == 0 and not odd.get("zeros"):
            return None
        noisy = count + laplace(scale / epsilon)
        seen = count if odd.get("before") else noisy
        if odd.get("twice"):
            seen = count + laplace(scale / epsilon)
        return noisy if odd.get("zeros") or seen >= gate(epsilon, delta) else odd.get("hidden")
    return answer


def sufficient(epsilon, delta):
    return 1 + 2 / epsilon * math.log(1 / (2 * delta))


def printed(epsilon, delta):
    return 1 + 2 / epsilon * math.log(2 / delta)


GATES = {
    "1/epsilon": (gated(lambda epsilon, delta: 1 + math.log(1 / delta) / epsilon), "500 times"),
    "zeros": (gated(sufficient, zeros=True), "never end"),
    "before": (gated(sufficient, before=True), "must see the noisy"),
    "no gate": (gated(lambda epsilon, delta: -1e9), "always shown"),
    "scale 1/epsilon": (gated(lambda epsilon, delta: 1 + math.log(1 / (2 * delta)) / epsilon, 1.0),
                        "spends 2 ε"),
    "two draws": (gated(sufficient, twice=True), "You draw twice"),
    "no number": (gated(sufficient, hidden=math.nan), "return None"),
}


MISTAKES = [*(("06.7", *each) for each in DESKS.values()), *(("06.8", *each) for each in GATES.values()),
            ("06.1", 2 / 0.5, "in both"), ("06.1", 1 / 0.5, "one number of the four"),
            ("06.9", 0.2, "Too wide"), ("06.9", 0.05, "Too narrow"),
            ("06.10", 1e-20, "stays below this gate"), ("06.10", 1e-8, "A smaller δ")]
RIGHT = [("06.10", 1e-13, "46 people"), *(("06.7", answer, "") for answer in (
             desk(vote, 1.0), desk(lambda yes, people: 2 * yes - people, 2.0), one_by_one)),
         ("06.8", gated(sufficient), ""), ("06.8", gated(printed), "")]


@pytest.mark.parametrize("exercise", ["06.7", "06.8"])
@pytest.mark.parametrize("odd", [3, lambda: 1, lambda **given: None, lambda **given: [1], "x"])
def test_odd_answers_are_wrong_and_never_raise(exercise, odd):
    assert not check(exercise, odd).right


def test_deltas_of_the_table():
    """0.24: two counts with noise of scale 1; 0.57: ten questions about the sign of one vote."""
    assert smallest_delta("yes") == pytest.approx(0.242, abs=5e-4)
    says_one = RealLaplace(1.0).tail(-np.array([0.0, -1.0]))
    laws = [[chance, 1 - chance] for chance in says_one]
    spent = [hockey_stick([laws] * questions, 1.0) for questions in (1, 2, 5, 10)]
    assert spent == pytest.approx([0, 0.158, 0.374, 0.572], abs=5e-4)
    assert judged._spent(DESKS["twice the noise"][0]) == pytest.approx(0.5)
    assert judged._spent(DESKS["ones"][0]) == pytest.approx(2)


@pytest.mark.parametrize("epsilon, delta", judged.GATES)
def test_chances_of_the_gates(epsilon, delta):
    found = [judged._chance(judged._gate(gated(gate), 1, epsilon, delta)) for gate in (
        sufficient, printed, lambda epsilon, delta: 1 + math.log(1 / delta) / epsilon)]
    assert found[0] == pytest.approx(delta, rel=1e-5)
    assert found[1] == pytest.approx(stability_delta(epsilon, delta, threshold="printed", noise="real"),
                                     rel=1e-5)
    assert found[2] == pytest.approx(delta**0.5 / 2, rel=1e-5), "500 times at 1e-6"


def test_the_challenge_is_scored_exactly():
    law = problem("cps")
    assert check("06.9", 0.1).right and check("06.9", 0.115).right
    assert "Your score: 1.00 times" in check("06.9", 0.1).text
    assert judged._least() == pytest.approx(0.1308, abs=5e-5)
    for side, least in ((0.1, 0.1308), (0.125, 0.1763), (1 / 12, 0.1451)):
        assert judged._smallest(side) == pytest.approx(least, abs=5e-5)
        right = 1 - law.bayes_risk - excess_risk(NoisyMajorityClassifier(least, side=side), law, 1000)
        assert right == pytest.approx(0.67, abs=1e-4)
    assert not check("06.9", 0.125).right, "the panel's own cells"
    finer = [judged._smallest(side) for side in np.arange(0.03, 0.5, 0.002).round(4).tolist()]
    assert min(finer) >= judged._least() - 1e-9, "no better one, anywhere"

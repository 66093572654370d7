"""The exercises of notebook 06, on consistency with a curator."""

import itertools
import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect, brentq

from ldp_lib.estimation import (
    NoisyMajorityClassifier, OneBitClassifier, StableHistogramDensity, labelled_sample_size,
)
from ldp_lib.lessons.bayes.explore import DELTA
from ldp_lib.nature import problem
from ldp_lib.privacy import RealLaplace, stability_threshold
from ldp_lib.risk import excess_risk, expected_l1_error, people_needed
from ldp_lib.stage import Control
from ldp_lib.stage.judge import (
    Exercise, Offer, chosen, exercise, function, near, number, telling, trial, variants,
)


def _scale_of_two_histograms(epsilon):
    """Scale for people and ones of two cells together, by going through all replacements of a person."""
    people = [np.concatenate([row, label * row]) for row in np.eye(2) for label in (0, 1)]
    return max(np.abs(a - b).sum() for a, b in itertools.product(people, repeat=2)) / epsilon


def _two_histograms(epsilon):
    return Exercise(
        f"the noise scale for people and ones together, ε = {epsilon:g}",
        number(lambda: _scale_of_two_histograms(epsilon)),
        "who moves from one cell to another with label 1 changes four numbers.",
        mistakes={near(2 / epsilon): "So much changes in one of the two histograms. She is in both.",
                  near(1 / epsilon): "That is one number of the four that change."},
        more="Sums of y - 1/2 would need a scale of 1/ε only.",
        task="A curator releases, for every cell, the number of people and the number of ones, all with "
             "Laplace noise of one scale, private if one person is replaced by another. Which scale is the "
             f"least at ε = {epsilon:g}?")


variants("06.1", _two_histograms, epsilon=(0.5, *(k / 40 for k in range(9, 60) if k != 20)))

exercise(
    "06.2", "the sufficient threshold as a function",
    function(lambda epsilon, delta: stability_threshold(epsilon, delta, noise="real"),
             [{"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 0.1, "delta": 1e-3},
              {"epsilon": 3.0, "delta": 0.2}]),
    "a lone person shows if 1 + noise reaches the threshold; the noise is Laplace of scale 2/ε.",
    more="Half the δ lifts it by 2 log 2 / ε, which is 1.4 people at ε = 1.")


def _digits_that_hide_half(n=10**6):
    """-log10 of the delta at which the L1 error is one half."""
    uniform = problem("sine")

    def surplus(digits):
        rule = StableHistogramDensity(1.0, 10.0**-digits, normalise=False, noise="real")
        return expected_l1_error(rule, uniform, n) - 0.5

    return bisect(surplus, 50.0, 300.0, xtol=1e-3)


exercise(
    "06.3", "the digits of δ that hide half of a million people",
    number(_digits_that_hide_half, relative=0.01),
    "a cell of a uniform law expects √n people; which δ puts the threshold there?",
    more="Every digit of δ lifts the gate by 2 log 10, or 4.6 people, at ε = 1.")


def _ratio_of_people():
    local, central = (people_needed(rule, problem("cps"), 0.02)
                      for rule in (OneBitClassifier(1.0, 0.1), NoisyMajorityClassifier(1.0, side=0.1)))
    return local / central


exercise(
    "06.4", "people, one bit over curator, on the survey",
    number(_ratio_of_people, relative=0.04),
    "people_needed(rule, problem, target) finds both.",
    more="Both rules use the same cells: only the trust differs.")


def _width_that_saves_half(n=10**4):
    """The width of a law around the middle of a cube at which half of what can be lost is lost."""
    rule = NoisyMajorityClassifier(1.0)
    return bisect(lambda width: excess_risk(rule, problem("threshold", place=0.505, width=width), n) - 0.2,
                  0.011, 0.1, xtol=1e-7)


exercise(
    "06.5", "the width at which half is lost",
    number(_width_that_saves_half, relative=0.02),
    "only the cube with the border in it is lost; which share of the people lives there?",
    more="A cube without the border has one right label, and that is learnt.")


def _budget_without_price():
    """The epsilon from which on more budget saves no labels."""
    least = labelled_sample_size("rectangles", 0.1, 0.05, 100.0)
    return bisect(lambda epsilon: labelled_sample_size("rectangles", 0.1, 0.05, epsilon) - least - 0.5,
                  0.01, 10.0, xtol=1e-5)


exercise(
    "06.6", "the budget from which on privacy costs no labels",
    number(_budget_without_price, relative=0.01),
    "two of the three conditions of labelled_sample_size do not know ε; where does the third take over?",
    more="The other two conditions are about accuracy, with or without privacy.")


class Dice:
    """What the reader's function gets as `laplace(scale, size=None)`: it counts its draws, and rigs them.

    Draw number k is rigged[k] times its scale, 0 if nothing is rigged.
    """

    def __init__(self, rigged=None, always=0.0):
        self.draws, self._rigged, self._always = 0, rigged or {}, always

    def __call__(self, scale, size=None, *more):
        if more:
            raise TypeError("laplace is asked for a scale and, if need be, a size: laplace(scale, size)")
        shape, drawn = np.shape(scale) if size is None else size, []
        for each in np.broadcast_to(np.asarray(scale, float), shape).flat:
            if not 0 < each < math.inf:
                raise ValueError(f"laplace(scale) needs scale > 0, not {each:g}")
            drawn.append(each * self._rigged.get(self.draws, self._always))
            self.draws += 1
        return drawn[0] if shape == () else np.reshape(drawn, shape)


HOMES = (np.array([3, 0, 5, 0]), np.array([5, 0, 6, 1]))
"""(yes, people) of four cells, one of them empty."""


class Probe(NamedTuple):
    """What the reader's desk answers to questions for the cells 0, 0, 1, 2, 3; the first one is asked twice.

    `plain` : if all draws are 0. `noise` : (draws, 5), what each draw adds, in its scale.
    """

    plain: np.ndarray
    noise: np.ndarray


def _probe(answer, epsilon=1.0, data=HOMES):
    def asked(rigged):
        dice = Dice(rigged)
        ask = answer(yes=data[0].copy(), people=data[1].copy(), epsilon=epsilon, laplace=dice)
        return np.array([float(ask(cell)) for cell in (0, 0, 1, 2, 3)]), dice.draws

    plain, draws = asked({})
    return Probe(plain, np.array([asked({k: 1.0})[0] - plain for k in range(draws)]).reshape(-1, 5))


def _moved(label, there):
    """`HOMES` after somebody of cell 0 who says `label` has moved to another cell."""
    step = np.eye(4, dtype=int)[there] - np.eye(4, dtype=int)[0]
    return HOMES[0] + label * step, HOMES[1] + step


def _spent(answer, epsilon=1.0):
    """The budget that one answer for each cell spends: the worst of all moves, and of a change of mind."""
    plain, noise = _probe(answer, epsilon)
    scale = np.maximum(np.abs(noise[:, 1:]).sum(axis=0), 1e-300)  # infinitesimal where there is no noise
    changed = [_moved(label, there) for label in (0, 1) for there in (1, 2, 3)]
    changed.append((HOMES[0] - [1, 0, 0, 0], HOMES[1]))
    return max((np.abs(_probe(answer, epsilon, data).plain - plain)[1:] / scale).sum() for data in changed)


def _is_vote(probe):
    """Are the answers without noise yes less half of the people, or a multiple?"""
    vote = HOMES[0] - HOMES[1] / 2
    share = probe.plain[1] / vote[0]
    return share > 0 and np.allclose(probe.plain[1:], share * vote)


def _desk_complaint(answer):
    for epsilon in (1.0, 0.25):
        probe = _probe(answer, epsilon)
        if not np.isfinite(probe.plain).all():
            return "All answers must be finite numbers."
        if not _is_vote(probe):
            told = ", ".join(f"{value:g}" for value in probe.plain[1:])
            return f"Without noise your desk says {told}; yes less half of the people is 0.5, 0, 2, -0.5."
        if not np.allclose(probe.noise[:, 0], probe.noise[:, 1]):
            return "The same cell, asked twice, gives two draws."
        heard = probe.noise[:, 1:] != 0
        if (heard.sum(axis=0) != 1).any() or (heard.sum(axis=1) > 1).any():
            return "Each cell needs one draw of noise of its own."
        spent = _spent(answer, epsilon)
        if spent > epsilon * (1 + 1e-9):
            return f"At epsilon = {epsilon:g} your desk spends {telling(spent, epsilon)}."
        if spent < 0.99 * epsilon:
            return f"Private, but at epsilon = {epsilon:g} your desk spends {telling(spent, epsilon)} only."
    return ""


def _desk(test):
    """Recognise desks by what `Probe` sees of them at epsilon = 1."""
    return lambda answer: test(_probe(answer))


exercise(
    "06.7", "a desk that answers for every cell",
    trial("test", _desk_complaint),
    "one person who moves changes two sums of y - 1/2 by a half each; draw once for each cell.",
    second="draw laplace(1 / epsilon, len(people)) before anybody asks, and add it to yes - people / 2.",
    stars=2, mistakes={
        _desk(lambda probe: np.isnan(probe.plain[2]) and np.isfinite(np.delete(probe.plain, 2)).all()):
            "In the cell where nobody lives your answer is no number: do not divide by the number of people.",
        _desk(lambda probe: not np.allclose(probe.noise[:, 0], probe.noise[:, 1])):
            "Your noise averages out: ten questions spend ten times the budget. Draw once, and remember it.",
        _desk(lambda probe: not probe.noise[:, 2].any() and probe.noise[:, 1].any()):
            "An empty cell without noise tells that nobody is there: infinite loss. Silence tells, too.",
        _desk(lambda probe: not probe.noise.any()):
            "There is no noise: whoever knows all others learns the vote of the last one.",
        _desk(lambda probe: ((probe.noise[:, 1:] != 0).sum(axis=1) > 1).any()):
            "One draw for all cells: the difference of two cells has no noise at all.",
        _desk(lambda probe: np.allclose(probe.plain[1:], HOMES[0])):
            "You add up y. A move changes two counts by 1: at scale 1/ε that is δ = 0.24. Use y - 1/2.",
        _desk(lambda probe: np.array_equal(probe.plain[1:], HOMES[0] - HOMES[1] // 2)):
            "Half of 5 people is 2.5: `//` rounds down.",
        lambda answer: math.isclose(_spent(answer), 0.5):
            "Private; half of the budget is unused. The sums of y - 1/2 move by 1 in all, not by 2.",
        lambda answer: _is_vote(_probe(answer)) and math.isclose(_spent(answer), 2):
            "You hide half of a move: the other cell changes, too."},
    more="The noise is drawn once, so asking again tells nothing new.",
    enough="It must spend at least 99% of ε, and no more than ε.")


def _told(answer, count, dice, epsilon=1.0, delta=1e-6):
    """What the reader's function says of a cell of so many people."""
    return answer(count=count, epsilon=epsilon, delta=delta, laplace=dice)


def _gate(answer, count, *budget):
    """From which draw on, in its scale, a cell of `count` people shows: -10^4 if always, infinity if never.

    The place where showing begins is exact to 1e-9.
    """
    def shows(draw):
        return _told(answer, count, Dice(always=draw), *budget) is not None

    low, high = -1e4, 1e4
    if shows(low) or not shows(high):
        return low if shows(low) else math.inf
    return bisect(lambda draw: shows(draw) - 0.5, low, high, xtol=1e-9)


_chance = RealLaplace(1.0).tail
"""P(a Laplace draw of scale 1 is at least this)."""
GATES = ((1.0, 1e-6), (0.5, 1e-3), (2.0, 1e-9), (4.0, 1e-3))
MANY = 10**4
"""People of a cell that always shows."""


def _scale(answer, *budget):
    """The scale of the noise that is added to a full cell."""
    quiet, loud = (float(_told(answer, MANY, Dice(always=draw), *budget)) for draw in (0.0, 1.0))
    return loud - quiet


def _redrawn(answer, *budget):
    """Does the number that is shown have a draw at which the gate does not look?"""
    plain = _told(answer, MANY, Dice(), *budget)
    shown = {k for k in range(DRAWS) if _told(answer, MANY, Dice({k: 1.0}), *budget) != plain}
    return shown != {k for k in range(DRAWS) if _told(answer, 1, Dice({k: 1e4}), *budget) is not None}


DRAWS = 8
"""Of a cell that are looked at, one by one."""


def _no_number(answer):
    """What a hidden cell says instead of None, if it says something."""
    for count, draw in itertools.product((1, MANY), (-1e4, 0.0, 1e4)):
        said = _told(answer, count, Dice(always=draw))
        if said is not None and (isinstance(said, str) or not math.isfinite(said)):
            return f"{said!r:.40}"
    return ""


def _shut(answer, *budget):
    """Is a full cell not shown, whatever is drawn?"""
    return all(_told(answer, MANY, Dice(always=draw), *budget) is None for draw in (0.0, 1.0, 1e4))


def _before(answer, *budget):
    """Does the gate look at the count, and not at the noisy number?"""
    ends = [_gate(answer, count, *budget) for count in range(200)]
    return set(ends[1:]) <= {-1e4, math.inf} and len(set(ends[1:])) == 2


def _shown(test):
    """Recognise gates, functions that show a number for a full cell, by a test."""
    return lambda answer: math.isfinite(_scale(answer)) and test(answer)


def _gate_complaint(answer):
    if all(_shut(answer, *budget) for budget in GATES):
        return f"With your function nothing is ever shown, not even a cell of {MANY:,} people."
    if odd := _no_number(answer):
        return f"Your function returns {odd}; a finite number or None is expected."
    full = _told(answer, MANY, Dice())
    if not math.isclose(full, MANY):
        return f"Without noise a cell of {MANY:,} people must show {MANY:,}, not {full:.6g}."
    for budget in GATES:
        epsilon, delta = budget
        if _gate(answer, 0, *budget) < math.inf:
            return "At count = 0 your function shows a number at times. There are infinitely many such cells."
        if not math.isclose(_scale(answer, *budget), 2 / epsilon):
            return (f"At epsilon = {epsilon:g} the noise of a full cell has scale "
                    f"{_scale(answer, *budget):.3g}; a move changes two counts by 1.")
        if _before(answer, *budget):
            return "Whether a cell is shown must depend on its noisy number."
        if _redrawn(answer, *budget):
            return "What is shown and whether it is shown must come from the same draw."
        alone, three = (_gate(answer, count, *budget) for count in (1, 3))
        if not math.isclose(1 + alone * 2 / epsilon, 3 + three * 2 / epsilon, abs_tol=1e-6):
            return "The gate must stand at one height, for one person and for three."
        chance = _chance(alone)
        if not 0.2 * delta <= chance <= delta * (1 + 1e-6):
            verdict = "too often" if chance > delta else "so the gate is too high: 0.2 to 1 is right"
            return (f"At epsilon = {epsilon:g}, delta = {delta:g} somebody alone is shown with chance "
                    f"{chance:.2g}, {chance / delta:.3g} times delta, {verdict}.")
    return ""


exercise(
    "06.8", "a gate for infinitely many cells",
    trial("test", _gate_complaint),
    "somebody alone is shown if 1 + noise reaches the gate; the noise has scale 2/ε.",
    second="P(noise >= t) = exp(-t ε / 2) / 2: at which t is that delta?", stars=2, mistakes={
        _shown(_no_number): "A cell that is hidden has no number at all: return None.",
        _shown(lambda answer: _gate(answer, 0) < math.inf):
            "Infinitely many cells have nobody: with noise in all of them you never end. Leave them out.",
        _shown(_before):
            "At the gate one person decides whether the cell is shown: δ is 1. The gate must see the noisy "
            "number.",
        _shown(lambda answer: _gate(answer, 1) == -1e4):
            "Without a gate the cell of somebody alone is always shown: δ is 1.",
        _shown(_redrawn):
            "You draw twice: the gate tells of her by one draw, the number by another. Compare and show the "
            "same noisy number.",
        lambda answer: math.isclose(_chance(_gate(answer, 1)), 0.5e-3, rel_tol=1e-3):
            "The noise has scale 2/ε: double the gate. Somebody alone is shown 500 times too often.",
        lambda answer: math.isclose(_scale(answer), 1):
            "A move changes two counts by 1, so noise of scale 1/ε spends 2 ε."},
    more="Empty cells need no noise, because they are never shown.",
    enough="Somebody alone may be shown with 0.2 to 1 times delta.")

SURVEY = problem("cps")
PEOPLE, RIGHT = 1000, 0.67


@cache
def _smallest(side):
    """The least epsilon at which `PEOPLE` people and a curator are right `RIGHT` of the time; inf if none."""

    def surplus(epsilon):
        rule = NoisyMajorityClassifier(epsilon, side=side, noise="real")
        return excess_risk(rule, SURVEY, PEOPLE) - (1 - SURVEY.bayes_risk - RIGHT)

    return brentq(surplus, 1e-3, 10, xtol=1e-6) if surplus(10.0) < 0 else math.inf


@cache
def _least():
    return min(map(_smallest, np.arange(0.09, 0.1201, 0.001).round(4).tolist()))


def _budget(side):
    if math.isinf(_smallest(side)):
        return f"With cells of {side:g} not even ε = 10 is right {RIGHT:.0%} of the time."
    return (f"Cells of {side:g} need ε = {_smallest(side):.4f}. Your score: "
            f"{telling(_smallest(side) / _least(), 1.02)} times the least; 1.02 is enough.")


def _dear(side):
    return "" if _smallest(side) <= 1.02 * _least() else _budget(side)


exercise(
    "06.9", "67% right with 1,000 people and the smallest ε",
    chosen(0.02, 1, _dear),
    "the best rule changes at the ages 24 and 60: 0.082 and 0.575 on the axis from 0 to 1. Cells start at 0.",
    second="A wall stands at 0.575 if side = 0.575 / k, k a whole number: compare the scores of k = 4, "
           "5, 6, 7. Walls near both ages do as well.", stars=3,
    mistakes={
        lambda side: 0.15 <= side < 1 and math.isinf(_smallest(side)):
            "Too wide: cells cross the places where the truth changes. Less noise does not mend that.",
        lambda side: 0 < side <= 0.08:
            "Too narrow: few people live in a cell, so little noise covers its vote."},
    score=lambda side: _budget(float(side)),
    offer=Offer((Control("side", "width of a cell", "", np.arange(50, 251, 2) / 1000, 0.15),)),
    more="It can be so small because each cell gets one draw, whatever the number of people.",
    enough="At most 1.02 times the smallest ε counts.")

HIGHEST = 60
"""People that the gate may ask for."""


def _gate_of(delta):
    return stability_threshold(1.0, delta, noise="real")


def _no_gate(delta):
    level = _gate_of(delta)
    return "" if HIGHEST - 1 <= level <= HIGHEST else f"At δ = {delta:.2g} the gate is {level:.1f} people."


exercise(
    "06.10", "the smallest δ of the slider whose gate is at most 60 people",
    chosen(0, 0.5, _no_gate),
    "a smaller δ lifts the gate. Switch it on, and read its height while you move δ.",
    mistakes={
        lambda delta: 0 < delta and _gate_of(delta) > HIGHEST: "A cell of 60 people stays below this gate.",
        lambda delta: delta < 0.5 and _gate_of(delta) < HIGHEST - 1: "A smaller δ will do: more private."},
    more="Ten digits of δ cost 46 people: the gate grows like the logarithm of 1/δ.",
    enough="A gate from 59 to 60 people counts.",
    offer=Offer((DELTA,), "bayes/2?scene=gate&delta=0.01&answered=True&gated=True"))

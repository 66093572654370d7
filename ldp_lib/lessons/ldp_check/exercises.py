"""The exercises of notebook 01, on privacy."""

import math
from functools import partial

import numpy as np

from ldp_lib.lessons.ldp_check.explore import PLACE_2
from ldp_lib.lessons.ldp_check.story import A
from ldp_lib.privacy import CellLaplace, CubeLaplace, RealLaplace
from ldp_lib.privacy.audit import (
    epsilon_lower_bound, precision_attack, privacy_loss_distribution, reachability_attack,
)
from ldp_lib.stage.judge import (
    EDGE, Exercise, Offer, behaves, chosen, exercise, function, near, number, telling, trial, variants,
)
from ldp_lib.theory.contraction import total_variation

FIRST, SECOND = (0.13, 1), (0.77, 1)
"""Two records of one feature, with label 1 and in other cubes at h = 0.2."""


def _noise_scale(d, alpha):
    return Exercise(
        f"the noise scale at d = {d}, α = {alpha:g}",
        number(lambda: CubeLaplace(alpha, 0.5, d).scale),
        f"count the ones in which two arrays can differ when d = {d}, and divide by the budget.",
        mistakes={near(2**d / alpha): "You counted A's cubes. Where are B's?",
                  near(2 ** (d + 2) / alpha): "Private, but twice what is needed."},
        more="It is 2^(d+1)/α: every further feature doubles it.",
        task="Each person reports in which overlapping cubes she is if her label is 1, and each number gets "
             "Laplace noise. What is the least scale of the noise that is private, for "
             f"{d} feature{'s' * (d > 1)} at α = {alpha:g}?")


variants("01.1", _noise_scale, d=(3, 1, 2, 4), alpha=(0.5, 0.35, 0.4, 0.45, 0.55, 0.6, 0.65, 0.75))

exercise(
    "01.2", "the noise scale of a new statistic at α = 0.5",
    number(lambda: CellLaplace(0.5, 0.25).scale),
    "write down the arrays of two people in different cells, and of two in one cell with different "
    "labels; add up the absolute differences.",
    more="It is 1/α, whatever the number of features: a person lives in one cell.")

REPAIRED = CubeLaplace(1.0, 0.2)
"""What the mechanism of exercise 3 should be."""
AUDITED = 20_000
"""Reports of an audit of the reader's repair: half of them suffice."""
CROWD = np.tile([[FIRST[0]], [SECOND[0]]], (AUDITED // 2, 1)), np.ones(AUDITED, int)
"""X and y of so many people, A and B in turn."""


class _Readers(CubeLaplace):
    """`REPAIRED` with the reader's function in place of `privatize`."""

    def __init__(self, answer):
        super().__init__(REPAIRED.alpha, REPAIRED.h)
        self._answer = answer

    def privatize(self, X, y, *, rng):
        return np.asarray(self._answer(X=X, y=y, rng=rng), dtype=float)


def _complaint(answer, pairs=((FIRST, SECOND), (FIRST, (FIRST[0], 0)))):
    """What is wrong with `answer(X, y, *, rng)`, which must publish the arrays, with no more noise than
    needed, privately: so much as reports of these `pairs` of people show."""
    mechanism = _Readers(answer)
    reports = mechanism.privatize(*CROWD, rng=np.random.default_rng(1))
    if reports.shape != (AUDITED, mechanism.K) or not np.isfinite(reports).all():
        return f"For {AUDITED} people your function must return {AUDITED} x {mechanism.K} finite numbers."
    error = reports - mechanism.encode(*CROWD)
    off = np.abs([error[person::2].mean(axis=0) for person in (0, 1)]).max()
    if off > ROOM:
        return f"On average the reports of your function are off by {off:.2f} in some entry."
    if error.std() > 1.1 * REPAIRED.noise.variance**0.5:
        return f"The noise of your function has standard deviation {error.std():.2f}: that is too much."
    for first, other in pairs:
        bound = epsilon_lower_bound(mechanism, first, other, n=AUDITED, rng=1)
        if bound.epsilon > mechanism.alpha:
            return (f"Between {first} and {other} your function spends {bound.epsilon:.2f} or more; "
                    f"event: {bound.event}.")
    return ""


exercise(
    "01.3", "the bug in a mechanism",
    trial("audit", _complaint),
    "what is done to a report after the noise, without looking at the person again, cannot hurt; what "
    "looks at the person can.",
    more="What happens to a private report afterwards, without the person, costs no budget.",
    enough="It counts if it is right on average, has at most 1.1 times the standard deviation that is "
           "needed, and passes the audits.")


def _loss_at_bandwidth(h):
    loss = CubeLaplace(1.0, h).privacy_loss(*FIRST, *SECOND)
    return "" if loss <= 0.5 else f"At h = {h:g} the loss is {telling(loss, 0.5)}; at most 0.5 is asked for."


exercise(
    "01.4", "a bandwidth that hides two people in each other",
    chosen(0, 0.5, _loss_at_bandwidth),
    "the two people must share a cube; a cube is 2h wide.",
    more="With one common cube two of four numbers still differ: half of α.",
    enough="A loss of at most 0.5 counts.")


def _loss_of_arrays(v, v_prime, scale):
    """The ratio of the likelihoods of the report z = v, where it is largest."""
    at_v, at_v_prime = (-np.log(2 * scale) - np.abs(v - centre) / scale for centre in (v, v_prime))
    return float((at_v - at_v_prime).sum())


def _array_cases():
    rng = np.random.default_rng(5)
    return [
        {"v": rng.normal(size=k).round(2), "v_prime": rng.normal(size=k).round(2), "scale": scale}
        for k, scale in ((1, 0.5), (3, 2.0), (8, 10.0))
    ]


exercise(
    "01.5", "the exact loss as a function",
    function(_loss_of_arrays, _array_cases()),
    "where does one coordinate |z - v'| - |z - v| end when z goes far beyond v, away from v'?",
    more="The loss is the L1 distance over the scale: this is why sensitivity is measured in L1.")


def _advantage_of_two_reports():
    """Total variation between two reports of either person: the losses of independent reports add up."""
    law = privacy_loss_distribution(CubeLaplace(1.0, 0.2), FIRST, SECOND)
    return total_variation(*(np.convolve(under, under) for under in (law.under_a, law.under_b)))


exercise(
    "01.6", "the advantage of a test that sees two reports",
    number(_advantage_of_two_reports),
    "the losses of independent reports add up, so their laws convolve; the advantage is half the sum "
    "of the absolute differences of the two laws.",
    more="Losses add up, so two reports of one person may spend 2α.")

CASES = [{"alpha": 1.0, "d": 1}, {"alpha": 0.5, "d": 2}, {"alpha": 2.0, "d": 3}]

exercise(
    "01.7", "the scale of the noise, as a function",
    function(lambda alpha, d: CubeLaplace(alpha, 0.5, d).scale, CASES),
    "one push is at most 1/b. How many numbers can differ between A and B?",
    second="with d features A lives in 2^d cubes, and B in 2^d others.",
    mistakes={
        behaves(lambda alpha, d: 1 / alpha, CASES):
            "You hide one cube of one person. She has 2^d cubes, and B has her own. At d = 1 the loss is 4α.",
        behaves(lambda alpha, d: 2**d / alpha, CASES):
            "You counted A's cubes. Where are B's? The loss is 2α.",
        behaves(lambda alpha, d: alpha / 2 ** (d + 1), CASES):
            "This is the rate 1/b. NumPy asks for the scale b. At α = 1 and d = 1 the loss is 16.",
        behaves(lambda alpha, d: 2 ** (d + 2) / alpha, CASES):
            "Private: the loss is α/2. But your noise is twice what is needed: it costs 4 times the people."},
    more="Half of the budget doubles it, and so does one feature more.")

PAIRS = [(FIRST, SECOND), ((0.33, 1), (0.89, 1)), (FIRST, (FIRST[0], 0)), (SECOND, (SECOND[0], 0)),
         ((0.5, 1), (0.5, 0)), ((0.5, 1), (FIRST[0], 0))]
"""Whose reports are audited in exercise 8."""


def _as_records(answer):
    """The reader's function of places, labels and a generator as one of `X`, `y` and `rng`."""
    return lambda X, y, rng: answer(x=np.asarray(X, float)[:, 0], y=np.asarray(y), rng=rng)


def _halves(answer):
    """What the reader's function sends where the array is 0, and where it is 1: two matrices."""
    reports = np.asarray(_as_records(answer)(*CROWD, np.random.default_rng(2)), float)
    ones = REPAIRED.encode(*CROWD, half=2) == 1
    return reports[~ones].reshape(AUDITED, -1), reports[ones].reshape(AUDITED, -1)


def _mean(answer, x, label):
    """The mean report of half of `AUDITED` people at x with this label."""
    X, y = np.full((AUDITED // 2, 1), x), np.full(AUDITED // 2, label)
    return np.asarray(_as_records(answer)(X, y, np.random.default_rng(3)), float).mean(axis=0)


def _off_without_label(answer):
    """How far the mean report of people with label 0 is from 0, in its worst entry."""
    return float(np.abs(_mean(answer, FIRST[0], 0)).max())


ROOM = 0.35
"""Six standard errors of a mean over 10,000 reports."""
ON_LINES = 0.2, 0.8


def _forgets_label(answer):
    """Do people with label 0 report what those with label 1 do?"""
    array = REPAIRED.encode([[FIRST[0]]], [1], half=2)
    return (np.abs(_mean(answer, FIRST[0], 0) - array) < ROOM).all()


def _on_lines_differ(answer):
    """In how many numbers people on two grid lines differ on average; 4 if each is in one cube of a half."""
    first, other = (_mean(answer, x, 1) for x in ON_LINES)
    return int((np.abs(first - other) > 0.5).sum())


PILE = 20
"""The largest of 40,000 draws comes once or twice."""


def _edge(answer):
    """How often the largest number comes that is sent for a 1, if it never comes for a 0."""
    zeros, ones = _halves(answer)
    return 0 if (zeros >= ones.max()).any() else int((ones == ones.max()).sum())


def _bits(answer):
    """Shares of the numbers sent for a 0, and for a 1, whose last bits say that a 1 was not behind them.

    They say it of no number sent for a 1, unless it was rounded afterwards; then they tell little.
    """
    zeros, ones = (sent[:1000].ravel() for sent in _halves(answer))
    noise, attack = RealLaplace(REPAIRED.scale), precision_attack
    if not reachability_attack(zeros, 0.0, noise).count:  # every number may be numpy's
        attack = partial(reachability_attack, noise=noise)
    return attack(zeros, 1.0).rate, attack(ones, 1.0).rate


def _shown_by_bits(answer):
    """Is an event of last bits likelier for a 0 than the budget allows?"""
    zeros, ones = _bits(answer)
    return zeros > np.exp(REPAIRED.alpha) * ones


def _leak(answer):
    """What is wrong with the mechanism of exercise 8: an audit, and then attacks that never err."""
    wrong = _complaint(_as_records(answer), PAIRS)
    if wrong:
        return wrong
    if _off_without_label(answer) > ROOM:
        return (f"With label 0 the reports of your function are off by {_off_without_label(answer):.2f} on "
                "average in some entry.")
    if _on_lines_differ(answer) > 4:
        return (f"On average the reports of people at {ON_LINES[0]} and {ON_LINES[1]}, which are grid lines, "
                f"differ in {_on_lines_differ(answer)} numbers: noise of scale 4 hides 4.")
    if _edge(answer) > PILE:
        return (f"The largest number that your function sends for a 1 came {_edge(answer)} times. For a 0 it "
                "never came.")
    if _shown_by_bits(answer):
        zeros, ones = _bits(answer)
        return (f"Of the numbers that your function sends for a 0, {zeros:.0%} have last bits that "
                f"{ones:.0%} of those for a 1 have.")
    return ""


def _no_noise(answer):
    zeros, ones = _halves(answer)
    return (zeros == 0).all() and (ones == 1).all()


def _one_draw(answer):
    zeros = _halves(answer)[0]
    return np.ptp(zeros, axis=1).max() < 1e-9 and np.ptp(zeros) > 0 and (zeros != 0).any()


def _right_but_for_bits(answer):
    """Is the noise Laplace's, of the scale that is needed, and only its last bits tell?

    Another law is told from it with odds of one in a million that Laplace's own is taken for another.
    """
    if _complaint(_as_records(answer), PAIRS) or not _shown_by_bits(answer):
        return False
    from scipy.stats import kstest, laplace  # 46 MiB, which most answers do not need

    return kstest(_halves(answer)[0].ravel(), laplace(scale=REPAIRED.scale).cdf).pvalue > 1e-6


exercise(
    "01.8", "a mechanism that survives audits and attacks",
    trial("audit", _leak),
    "six numbers a person, and each needs noise of its own, of scale 4.",
    second="ldp_lib.privacy.LatticeLaplace(4.0).sample(shape, rng) draws noise on a lattice.", stars=2,
    mistakes={
        _no_noise: "There is no noise: whoever sees the report sees the array.",
        lambda answer: not _halves(answer)[0].any():
            "An exact 0 proves an empty cube. Zeros need noise, too.",
        _one_draw: "You draw once for all six numbers. Their differences show the array without noise.",
        lambda answer: not np.ptp(_halves(answer)[0][::2], axis=0).any():
            "All people in one place report the same. Each person needs noise of her own.",
        _forgets_label: "You forgot the label: with label 0 all six true numbers are 0.",
        lambda answer: _on_lines_differ(answer) > 4: "On a grid line a person is in one cube, not in two.",
        lambda answer: _edge(answer) > PILE:
            "The largest output is possible for a 1 only. Clip the report, not the noise.",
        _right_but_for_bits:
            "Right on paper, but the last bits of floats tell 0 from 1. Draw the noise with "
            "ldp_lib.privacy.LatticeLaplace(4.0).sample(shape, rng).",
        lambda answer: _shown_by_bits(answer) and not _complaint(_as_records(answer), PAIRS):
            "The last bits of floats tell 0 from 1. And the noise has not the law of Laplace noise of scale "
            "4: whether another one is private on paper, no audit can say. Draw it with "
            "ldp_lib.privacy.LatticeLaplace(4.0).sample(shape, rng)."},
    more="An audit can only refute a promise. That it is kept is what the proof says.",
    enough="It counts if it passes audits and attacks, with at most 1.1 times the standard deviation that "
           "is needed.")

CLOSEST = REPAIRED.h
"""People who spend all of alpha are farther apart than a cell of the grid, by as little as they like."""
NEAR = 1.01
"""Times `CLOSEST`: a right answer."""


def _places(answer):
    """Two places in [0, 1], (2,), or None."""
    try:
        places = np.asarray(answer, float)
    except Exception:  # whatever the reader's object does when it is asked for numbers
        return None
    return places if places.shape == (2,) and ((places >= 0) & (places <= 1)).all() else None


def _far(answer):
    """What is wrong with two places as the answer to the challenge."""
    places = _places(answer)
    if places is None:
        return "Two numbers between 0 and 1 are expected, such as (0.13, 0.78)."
    loss = REPAIRED.privacy_loss(places[:1], 1, places[1:], 1)
    if loss < REPAIRED.alpha * (1 - 1e-9):
        return f"Between these two people the loss is {telling(loss, REPAIRED.alpha)}, not 1."
    return "" if np.ptp(places) <= EDGE * NEAR * CLOSEST else f"They spend all of α. {_distance(answer)}"


def _distance(answer):
    far = np.ptp(_places(answer))
    return (f"Distance {far:.4f}: your score is {telling(far / CLOSEST, NEAR)} times the limit; "
            f"{NEAR:g} is near enough.")


def _on_lines(answer):
    lines = _places(answer) / REPAIRED.h
    return (np.abs(lines - np.rint(lines)) < 1e-9).any()


exercise(
    "01.9", "the closest two people who spend all of α",
    _far,
    "count cubes, not distance: they must have no cube in common.",
    second="put one of them just below a grid point, and the other just above the next one.", stars=3,
    mistakes={_on_lines: "On a grid line a person is in one cube instead of two."},
    score=_distance,
    more="Farther apart the needle goes no farther: cubes count, not distance.",
    enough="Within 1% of the limit it counts.")


def _between(place):
    """How far the needle can go between A and somebody else with label 1, in units of α."""
    return REPAIRED.privacy_loss([A], 1, [place], 1) / REPAIRED.alpha


WALL = 1 - 1e-9
FIRST_AT_THE_WALL = next(place for place in PLACE_2.values if place > A and _between(place) > WALL)
"""The first position of the slider beyond A at which all of α is spent."""


def _not_at_the_wall(place):
    reach = _between(place)
    right = reach > WALL and A < place <= FIRST_AT_THE_WALL
    return "" if right else f"With B at {place:g} the needle can go as far as {reach:.3g} α."


exercise(
    "01.10", "the place of B nearest to A = 0.13 at which the needle can reach the wall",
    chosen(0, 1, _not_at_the_wall),
    "drag B away from A: when is the last common cube left, and how many numbers differ then?",
    mistakes={
        lambda place: 0 < place < 1 and _between(place) > WALL and place > FIRST_AT_THE_WALL:
            "There she can be told from A as well as can be. Somebody nearer can, too.",
        lambda place: math.isclose(place, 0.4):
            "On a grid line she lives in one cube only: three numbers differ, not four."},
    more="B is in two cubes now, and A in two others, so that four numbers push by α/4 each.",
    enough="The exact position counts.",
    offer=Offer((PLACE_2,), "ldp_check/2?scene=closer&x2=0.2"))

exercise(
    "01.11", "how far the needle can go, in α, if two people share one of four cubes",
    number(lambda: CubeLaplace(1.0, 0.2, 2).privacy_loss([A, A], 1, [0.33, 0.33], 1)),
    "with two features each of them lives in four cubes. In how many numbers do they differ?",
    second="the scale is 8/α, so that a number that differs pushes by α/8.",
    mistakes={
        near(1): "That needs two people without a common cube.",
        near(7 / 8): "The cube that they share is in both arrays: neither of the two ones is left.",
        near(3 / 8): "Three of A's numbers differ, and three of B's.",
        near(3 / 2): "With two features the scale is 8/α, twice that of one feature."},
    more="Six numbers differ, and each pushes by α/8 at most.")

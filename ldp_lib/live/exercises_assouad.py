"""The exercises of notebook 04, on the lower bound; `ldp_lib.live.exercises` offers them to the reader."""

import itertools
import math

import numpy as np

from ldp_lib.live.duel import challenge
from ldp_lib.live.game import Game
from ldp_lib.live.judges import Exercise, chosen, function, number
from ldp_lib.theory import distinguishability


def _left_of_a_difference(alpha=1.0, tv=0.1):
    """Largest TV of a binary report: an extreme kernel gives each of three kinds of records either end."""
    low, high = 1 / (1 + math.exp(alpha)), 1 / (1 + math.exp(-alpha))
    gap = np.array([tv, -tv, 0.0])
    return max(abs(gap @ np.array(kernel)) for kernel in itertools.product((low, high), repeat=3))


def _too_much(odds=2.0):
    """Right side minus left side of the printed equality, by summing over the four pairs of reports."""
    inside, mixed = 0.0, np.zeros((2, 4))
    for other in (1, -1):
        laws = []
        for sign in (1, -1):
            ones = ((sign > 0) + (other > 0)) / 2
            one = (ones * odds + (1 - ones)) / (1 + odds)
            laws.append(np.outer([one, 1 - one], [one, 1 - one]).ravel())
        inside += np.minimum(*laws).sum() / 2
        mixed += np.array(laws) / 2
    return np.minimum(*mixed).sum() - inside


def _assouad(n, alpha, m, delta):
    return m / 2 * delta * (1 - float(distinguishability(n, alpha, delta, "noninteractive")))


def _cells(q):
    """Say what is wrong with q cells in d = 1: all of them active, X uniform over cells, gamma = 0."""
    if q != int(q):
        return f"{q:g} is not a whole number of cells."
    values = [Game(10**6, 1.0, k, k, 1 / (2 * k)).bound() for k in range(1, 61)]
    mine = Game(10**6, 1.0, int(q), int(q), 1 / (2 * q)).bound()
    share = mine / max(values)
    return "" if share >= 0.999 else f"{q:g} cells prove {mine:.5f}, {share:.1%} of the most."


DUEL = Game(1000, 1.0, 1, 1, 0.25)


def _better_bit(answer):
    """A judge: one bit, alpha-LDP, whose best analyst has a risk 1% below that of the fair coin outside."""
    if not callable(answer):
        return f"A function is expected, not a {type(answer).__name__}."

    def mine(inside, y):
        return [answer(inside=inside, y=y), 1 - answer(inside=inside, y=y)]

    # Whatever the reader's function does wrong is shown to its writer.
    try:
        risk = challenge(mine, DUEL).risk
    except Exception as failure:
        return f"With your function the duel fails: {type(failure).__name__}: {failure}"
    fair = challenge(coin_outside, DUEL).risk
    return "" if risk <= 0.99 * fair else (
        f"With your function the risk is {risk:.6f}; the fair coin outside has {fair:.6f}.")


def coin_outside(inside, y):
    """(P(1), P(0)) of the bit of `one_bit_risk` in a duel, alpha = 1: outside the cell a fair coin."""
    one = 1 / (1 + math.exp(-1.0 if y else 1.0)) if inside else 0.5
    return [one, 1 - one]


ASSOUAD = {
    "04.1": Exercise(
        "what one private bit leaves of a difference of 0.1",
        number(_left_of_a_difference),
        "a bit is 1 with a probability between 1/(1 + e^α) and e^α/(1 + e^α); choose it large where the "
        "first law is larger."),
    "04.2": Exercise(
        "how far the printed equality is off at odds 2 : 1",
        number(_too_much, relative=1e-6),
        "two people have four pairs of reports: write down their probabilities for all four pairs of signs."),
    "04.3": Exercise(
        "the bound as a function",
        function(_assouad, [
            {"n": 10**4, "alpha": 0.5, "m": 3, "delta": 0.01},
            {"n": 10**6, "alpha": 1.0, "m": 8, "delta": 1e-4},
            {"n": 10**6, "alpha": 2.0, "m": 8, "delta": 0.1}]),
        "a total variation is never above 1, so the bound is never below 0."),
    "04.4": Exercise(
        "the number of cells that proves most",
        chosen(0, 200, _cells),
        "Δ falls like 1/q²: few cells are found out, many cost little. Try them all."),
    "04.5": Exercise(
        "a better bit for the duel",
        _better_bit,
        "a bit that is mostly 0 varies less than a fair one; what should people outside the cell send?"),
}
"""The exercises, by number."""

"""The exercises of notebook 04, on the lower bound."""

import itertools
import math
from functools import cache, lru_cache

import numpy as np

from ldp_lib.lessons.assouad.errata import min_inside_and_outside
from ldp_lib.lessons.assouad.numbers import ALPHA, MILLION, THETA, game_with, rectangles
from ldp_lib.lessons.assouad.story import DUEL, PLACE, how_hidden
from ldp_lib.stage.judge import (
    Exercise, Offer, chosen, exercise, function, near, number, telling, trial, variants,
)
from ldp_lib.theory import classification_exponent
from ldp_lib.theory.classification.game import Game, challenge, one_bit_risk
from ldp_lib.theory.classification.lower import assouad_value, legal_hypercubes
from ldp_lib.theory.contraction import extremal_example, kernel_budget, total_variation


def _left_of_a_difference(alpha, tv):
    """TV of a binary report: randomised response gives both kinds of records either end of what is legal."""
    first, second, kernel, _ = extremal_example(alpha, tv)
    return total_variation(first @ kernel, second @ kernel)


def _what_is_left(tv, alpha):
    return Exercise(
        f"what one private bit leaves of a difference of {tv:g}" + f" at α = {alpha:g}" * (alpha != 1),
        number(lambda: _left_of_a_difference(alpha, tv)),
        "a bit is 1 with a probability between 1/(1 + e^α) and e^α/(1 + e^α); choose it large where the "
        "first law is larger.",
        more=f"A share tanh(α/2) is left, {math.tanh(alpha / 2):.0%} at α = {alpha:g}, and no bit leaves "
             "more.",
        task=f"Two laws have total variation distance {tv:g}. A person sends one bit, a coin whose "
             f"probability depends on her record, with α = {alpha:g}. What is the largest total variation "
             "distance that the two laws of her bit can have?")


variants("04.1", _what_is_left, tv=(0.1, 0.15, 0.2, 0.35, 0.4, 0.45), alpha=(1.0, 0.4, 0.6, 0.8, 1.2, 1.5))


def _too_much(odds=2.0):
    """Right side minus left side of the printed equality, by summing over the four pairs of reports."""
    inside, outside = min_inside_and_outside(2, odds)
    return outside - inside


exercise(
    "04.2", "how far the printed equality is off at odds 2 : 1",
    number(_too_much),
    "two people have four pairs of reports: write down their probabilities for all four pairs of signs.",
    more="So the printed line is an inequality. Averaging before the minimum gives the same bound.")


exercise(
    "04.3", "the bound as a function",
    function(lambda n, alpha, m, delta: assouad_value(n, alpha, m, delta, "noninteractive")[0], [
        {"n": 10**4, "alpha": 0.5, "m": 3, "delta": 0.01},
        {"n": 10**6, "alpha": 1.0, "m": 8, "delta": 1e-4},
        {"n": 10**6, "alpha": 2.0, "m": 8, "delta": 0.1}]),
    "a total variation is never above 1, so the bound is never below 0.",
    more="Larger Δ cost more and are seen more easily: somewhere between the product is largest.")


def _proved(q):
    """The bound of q cells in d = 1: all of them active, X uniform over cells, gamma = 0."""
    return Game(10**6, 1.0, q, q, 1 / (2 * q)).bound()


def _regret_of_cells(q):
    share = _proved(q) / max(map(_proved, range(1, 61)))
    if share >= 0.999:
        return ""
    return f"{q} cells prove {_proved(q):.5f}, {telling(100 * share, 99.9)}% of the most; 99.9% is enough."


exercise(
    "04.4", "the number of cells that proves most",
    chosen(0, 200, _regret_of_cells, whole=True),
    "Δ falls like 1/q²: few cells are found out, many cost little. Try them all.",
    more="There 64% is hidden: both sides of the rectangle are long.",
    enough="At least 99.9% of the most counts.")


def _better_bit(answer):
    """What is wrong with a bit that is 1 with probability answer(inside, y): its risk must be 1% below that
    of one bit that is a fair coin outside the cell."""

    def mechanism(inside, y):
        one = answer(inside=inside, y=y)
        return [one, 1 - one]

    risk, fair = challenge(mechanism, DUEL).risk, one_bit_risk(DUEL)
    if risk <= 0.99 * fair:
        return ""
    return (f"With your function the risk is {risk:.6f}, {telling(100 * risk / fair, 99)}% of that of the "
            "fair coin outside; at most 99% is asked for.")


exercise(
    "04.5", "a better bit for the duel",
    trial("duel", _better_bit),
    "a bit that is mostly 0 varies less than a fair one; what should people outside the cell send?",
    more="Outside the cell a bit knows nothing of the sign. The rarer its 1, the less it varies.",
    enough="At most 99% of the risk of the fair coin outside counts.")


def _kernel(answer):
    """The reader's mechanism as rows of probabilities, in the order in which `challenge` asks for them."""
    return np.array([answer(inside=inside, y=y) for inside, y in itertools.product((True, False), (0, 1))],
                    dtype=float)


@lru_cache(maxsize=8)
def _played(answer):
    """The `Challenge` of the reader's mechanism."""
    return challenge(lambda inside, y: answer(inside=inside, y=y), DUEL)


def _ratio(answer):
    found = _played(answer)
    return found.risk / found.bound


def _below(most):
    """What is wrong with a mechanism: its risk must be at most `most` times the bound."""

    def outcome(answer):
        kernel = _kernel(answer)
        if kernel.ndim == 2 and (kernel >= 0).all() and kernel_budget(kernel) > DUEL.alpha * (1 + 1e-12):
            spent = telling(kernel_budget(kernel), DUEL.alpha)
            return f"It spends a budget of {spent}, and α = 1 is allowed: refused."
        ratio = _ratio(answer)
        return "" if ratio <= most else f"Your score is {telling(ratio, most)}; at most {most:g} is needed."

    return outcome


def _told(answer):
    ratio = _ratio(answer)
    known = " Best known here. Nobody has proved that 1 is possible." if ratio < 1.405 else ""
    return f"Your score: {ratio:.3f} times the bound.{known}"


def _coin_outside(answer):
    """Is it one bit, of which people outside of the cell toss a fair coin?"""
    return _kernel(answer).shape[1] == 2 and np.allclose(_kernel(answer)[2:], 0.5)


def _one_bit(answer):
    """Are only two outputs ever sent?"""
    return (_kernel(answer) > 0).any(axis=0).sum() == 2


_WASTED = {
    lambda answer: kernel_budget(_kernel(answer)) == math.inf:
        "One output is impossible for somebody: who sees it knows that it was not her.",
    lambda answer: _played(answer).tv < 1e-9 and np.array_equal(*_kernel(answer)[:2]):
        "The sign is in the label. You never asked for it.",
    lambda answer: _played(answer).budget < 0.55:
        "You left half of the budget at home."}

exercise(
    "04.6", "a mechanism for the duel",
    trial("duel", _below(1.47)),
    "return a list of probabilities that sum to 1; for every output the largest is at most e times the "
    "least.",
    second="what people outside say is only noise: let them send the output that varies least.", stars=2,
    mistakes=_WASTED | {
        lambda answer: _coin_outside(answer) and _ratio(answer) < 1.62:
            "Good, but not yet good enough. People outside toss a fair coin, which varies most. They could "
            "say “low” at no cost."},
    score=_told,
    more="No bit gets below 1.467. More than two outputs can.",
    enough="A score of at most 1.47 counts.")

exercise(
    "04.7", "a better mechanism than every bit",
    trial("duel", _below(1.41)),
    "no bit has less than 1.467. How many kinds of records are there in the duel?",
    second="randomised response on three answers: label 1 inside, label 0 inside, outside.", stars=2,
    mistakes=_WASTED | {
        lambda answer: _one_bit(answer) and _ratio(answer) < 1.62:
            "That is what a bit can do. Use a third output."},
    score=_told,
    more="A third output lets people outside abstain.",
    enough="A score of at most 1.41 counts.")

HIDERS = (10**4, 10**6, 10**8)


@cache
def _best_bounds():
    return tuple(Game.best(n, 1.0, 1.0, 0.5, 1).bound() for n in HIDERS)


def _hidden(answer, n):
    """(the `Game` of the reader's hypercube, "" or why it is not in the class)."""
    q, m, w = answer(n=n)
    game = Game(n, 1.0, q, m, w)
    theta = game.law.theta(0.5)
    if theta.C0 > THETA.C0 * (1 + 1e-9):
        return game, f"too many people are near a toss-up: m w may be {m * w * THETA.C0 / theta.C0:.4g}"
    if theta.mu < THETA.mu * (1 - 1e-9):
        return game, f"people are too rare somewhere: w must be at least {1 / (4 * q):.4g}"
    return game, ""


def _not_hidden(answer):
    told = []
    for n, best in zip(HIDERS, _best_bounds(), strict=True):
        game, wrong = _hidden(answer, n)
        if wrong:
            return f"At n = {n:,} your bumps are not in the class: {wrong}."
        bound = game.bound()
        if bound < 0.95 * best:
            told.append(f"At n = {n:,} your rectangle has the area {bound:.2g} ({bound / game.coin:.3f} "
                        f"hidden), {telling(100 * bound / best, 95)}% of the largest; 95% is enough.")
    return " ".join(told)


def _share(answer, n=10**6):
    """Hidden: 1 - TV."""
    game, _ = _hidden(answer, n)
    return game.bound() / game.coin


def _few_signs(answer):
    game, _ = _hidden(answer, 10**6)
    return game.m < legal_hypercubes(game.q, THETA, "ramp")[0] / 2


exercise(
    "04.8", "hide signs from three crowds",
    trial("hiding", _not_hidden),
    "the best bumps are about half hidden, and their height falls like 1/q.",
    second="q grows like n^(1/4), and is 8 at a million. Then take as many signs m as the class allows.",
    stars=3,
    mistakes={
        _few_signs: "Hide more signs: each of them costs.",
        lambda answer: _share(answer) < 0.02: "Too tall: everybody sees it.",
        lambda answer: _share(answer) > 0.95: "Well hidden, and worth nothing.",
        lambda answer: (_hidden(answer, 10**6)[0].q == _hidden(answer, 10**8)[0].q
                        and _share(answer, 10**8) < 0.1):
            "A hundred million people see these bumps. The height must fall with n."},
    score=lambda answer: "Your areas, as shares of the largest: " + ", ".join(
        f"{_hidden(answer, n)[0].bound() / best:.3f}" for n, best in zip(HIDERS, _best_bounds())) + ".",
    more="q grows like n^(1/4), so the largest rectangle falls like n^(-3/8).",
    enough="At least 95% of the largest rectangle counts.")


def _area(q):
    """Of the rectangle of this many cells, if only labels are protected."""
    return float(game_with(q).coin * how_hidden(game_with(q), *rectangles(MILLION, ALPHA, "only y")))


@cache
def _largest_area():
    return max(map(_area, PLACE.values))


def _smaller(q):
    share = _area(q) / _largest_area()
    return "" if share >= 0.99 else f"With {q} cells the area is {telling(100 * share, 99)}% of the largest."


exercise(
    "04.9", "the number of cells per axis that hides best from reports that protect labels only",
    chosen(3, 121, _smaller, whole=True),
    "fewer people stand between the analyst and a bump now: where do bumps hide?",
    mistakes={
        lambda q: q in (7, 8, 9): "That is best where features are protected, too. Now these bumps are seen.",
        lambda q: 3 < q < 7: "Too tall: everybody sees it.",
        lambda q: 32 <= q <= 120: "Well hidden, and worth little."},
    more="The hider retreats to lower bumps. The largest area of all, at q = 18, is still 4.0 times smaller "
         "than before.",
    enough="At least 99% of the largest area of the slider counts.",
    offer=Offer((PLACE,), "assouad/2?scene=break+it&protect=only+y"))

exercise(
    "04.10", "how many times the people halve the largest rectangle, with one feature",
    number(lambda: 2 ** (1 / classification_exponent(beta=1, gamma=0.5, d=1)), relative=0.02),
    "*Check yourself* printed how many times smaller a hundred times the people make it: which power of n "
    "is that?",
    second="it is n^(-3/8). Solve factor^(-3/8) = 1/2.",
    mistakes={
        near(2): "Twice the people leave 77% of it.",
        near(4): "That is so without privacy, where it falls like one over the root of n."},
    more="A hundred times the people leave 18% of it: the hider retreats to lower bumps.")

"""The exercises of notebook 04, on the lower bound."""

from ldp_lib.live.exercises.judges import chosen, exercise, function, number, trial
from ldp_lib.theory.classification.game import Game, challenge, one_bit_risk
from ldp_lib.theory.classification.lower import assouad_value
from ldp_lib.theory.contraction import extremal_example, total_variation
from ldp_lib.theory.errata.berrett_butucea import min_inside_and_outside


def _left_of_a_difference(alpha=1.0, tv=0.1):
    """TV of a binary report: randomised response gives both kinds of records either end of what is legal."""
    first, second, kernel, _ = extremal_example(alpha, tv)
    return total_variation(first @ kernel, second @ kernel)


exercise(
    "04.1", "what one private bit leaves of a difference of 0.1",
    number(_left_of_a_difference),
    "a bit is 1 with a probability between 1/(1 + e^α) and e^α/(1 + e^α); choose it large where the "
    "first law is larger.")


def _too_much(odds=2.0):
    """Right side minus left side of the printed equality, by summing over the four pairs of reports."""
    inside, outside = min_inside_and_outside(2, odds)
    return outside - inside


exercise(
    "04.2", "how far the printed equality is off at odds 2 : 1",
    number(_too_much, relative=1e-6),
    "two people have four pairs of reports: write down their probabilities for all four pairs of signs.")


exercise(
    "04.3", "the bound as a function",
    function(lambda n, alpha, m, delta: assouad_value(n, alpha, m, delta, "noninteractive")[0], [
        {"n": 10**4, "alpha": 0.5, "m": 3, "delta": 0.01},
        {"n": 10**6, "alpha": 1.0, "m": 8, "delta": 1e-4},
        {"n": 10**6, "alpha": 2.0, "m": 8, "delta": 0.1}]),
    "a total variation is never above 1, so the bound is never below 0.")


def _proved(q):
    """The bound of q cells in d = 1: all of them active, X uniform over cells, gamma = 0."""
    return Game(10**6, 1.0, q, q, 1 / (2 * q)).bound()


def _regret_of_cells(q):
    share = _proved(q) / max(map(_proved, range(1, 61)))
    return "" if share >= 0.999 else f"{q} cells prove {_proved(q):.5f}, {share:.1%} of the most."


exercise(
    "04.4", "the number of cells that proves most",
    chosen(0, 200, _regret_of_cells, whole=True),
    "Δ falls like 1/q²: few cells are found out, many cost little. Try them all.")


DUEL = Game(1000, 1.0, 1, 1, 0.25)


def _better_bit(answer):
    """What is wrong with a bit that is 1 with probability answer(inside, y): its risk must be 1% below that
    of one bit that is a fair coin outside the cell."""

    def mechanism(inside, y):
        one = answer(inside=inside, y=y)
        return [one, 1 - one]

    risk, fair = challenge(mechanism, DUEL).risk, one_bit_risk(DUEL)
    if risk <= 0.99 * fair:
        return ""
    return f"With your function the risk is {risk:.6f}; the fair coin outside has {fair:.6f}."


exercise(
    "04.5", "a better bit for the duel",
    trial("duel", _better_bit),
    "a bit that is mostly 0 varies less than a fair one; what should people outside the cell send?")

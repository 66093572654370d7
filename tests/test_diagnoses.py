"""What the feedback of an exercise says is so: near misses, one-sided, wrongly shaped, from books.

Typical mistakes are in `test_mistakes.py`. Here each answer comes with words that are true of it, which must
be said, and with words that are false, which must not.
"""

import math

import numpy as np
import pytest

from ldp_lib.lessons.elbow.exercises import PEOPLE
from ldp_lib.lessons.ldp_check.exercises import REPAIRED
from ldp_lib.live import check
from ldp_lib.privacy import LatticeLaplace
from ldp_lib.stage import judge as judges


def gate(multiple):
    return lambda coef, level, sd: np.abs(coef) > multiple * sd


def tilted(nats):
    """One bit with odds e^nats."""
    one = 1 / (1 + math.exp(-nats))
    return [one, 1 - one]


def three_outputs(nats, inside, y):
    """Randomised response on three kinds of records."""
    weights = np.ones(3)
    weights[(1 - y) if inside else 2] = math.exp(nats)
    return list(weights / weights.sum())


def shares(yes, people, noise):
    with np.errstate(invalid="ignore"):
        return (yes / people - 0.5 + noise).__getitem__


def floored(yes, people, noise):
    return (yes - people // 2 + noise).__getitem__


def drawn_twice(count, epsilon, delta, laplace):
    gate = 1 + 2 / epsilon * math.log(1 / (2 * delta))
    if count and count + laplace(2 / epsilon) >= gate:
        return count + laplace(2 / epsilon)
    return None


def gated_at(gate, count, epsilon, laplace, hidden=None, less=0.0):
    noisy = count + laplace(2 / epsilon)
    return noisy - less if count and noisy >= gate else hidden if count else None


def clipped(x, y, rng):
    array = REPAIRED.encode(x[:, None], y, half=2)
    return np.clip(array + LatticeLaplace(4.0).sample(array.shape, rng), 0, None)


def half_the_noise(x, y, rng):
    array = REPAIRED.encode(x[:, None], y, half=2)
    return array + rng.laplace(0, 2, array.shape)


ANSWERS = [
    # 01.8: the label is used, and on paper the noise is too little.
    ("01.8", clipped, ["off by"], ["forgot the label"]),
    ("01.8", half_the_noise, ["spends 1.54 or more"], ["Right on paper"]),
    # 03.6: something is learnt, and the digits decide.
    ("03.6", lambda n: 100 * n**-0.5, ["hardly anything"], ["Nothing is learnt"]),
    ("03.6", lambda n: 0.2500001, ["to 0.25 is expected, not 0.2500001"], []),
    # 05.7: nothing else is kept where the spike is cut. 05.8: another wavelet knows more with the same J.
    ("05.7", gate(19.5), [], ["keep smaller ones"]),
    ("05.7", gate(17), ["edges of the plateau"], ["almost as large"]),
    ("05.8", ("haar", "scaling_only", 7, 10**9), ["with this wavelet"], []),
    # 05.7: each answer was tried on the same samples that its error comes from.
    ("05.7", lambda coef, level, sd: coef > 0, ["compare their absolute values"], ["Nothing passes"]),
    ("05.7", lambda coef, level, sd: coef > 3 * sd, ["compare their absolute values"], ["Nothing passes"]),
    ("05.7", lambda coef, level, sd: coef < -3 * sd, ["compare their absolute values"], ["Nothing passes"]),
    ("05.7", gate(0.1), ["empty cells pass"], ["does not know privacy's noise", "every cell"]),
    ("05.7", gate(1.5), ["empty cells pass"], ["edges"]),
    ("05.7", gate(8), ["edges of the plateau"], ["Nothing passes", "empty cells pass"]),
    ("05.7", gate(1000), ["not even the spike"], ["edges"]),
    ("05.7", lambda coef, level, sd: np.abs(coef) > 2 / PEOPLE**0.5, ["does not know privacy's noise"], []),
    ("05.7", lambda coef, level, sd: np.abs(coef) <= 3 * sd, [], ["edges of the plateau", "every cell"]),
    ("05.7", lambda coef, level, sd: True, ["True or False for each coefficient"], ["Nothing passes"]),
    ("05.7", lambda coef, level, sd: np.abs(coef).max() > 3 * sd, ["True or False for each"], []),
    # 05.6
    ("05.6", lambda alpha, J, x: [1, 2], ["a positive number is expected"], ["must not know where people"]),
    ("05.6", lambda alpha, J, x: 2 * math.sqrt(3) * 2 ** (J / 2) / alpha * (1 + 0.0009 * max(x)),
     ["not the same for all people", "must not know where people are"], []),
    ("05.6", lambda alpha, J, x: float(np.std(x)), ["must not know where people are"], []),
    ("05.6", lambda alpha, J, x: max(x) - min(x), ["must not know where people are"], []),
    ("05.6", lambda alpha, J, x: len(x) * 2 ** (J / 2) / alpha, [], ["must not know where people are"]),
    ("05.6", lambda alpha, J, x: 2 * math.sqrt(3) * 2 ** (J / 2) / alpha / 1.002, ["by 1.002;"], ["by 1;"]),
    # 02.6
    ("02.6", lambda first, second: (second - first / 2)[1:],
     ["Of 8 numbers your function must return 8; it returned 7"], []),
    ("02.6", lambda first, second: 0.0, ["must return 8; it returned one"], []),
    ("02.6", lambda first, second: "yes", ["must return 8; it returned one"], []),
    ("02.6", lambda first, second: np.full(len(first), np.nan), ["finite"], ["must return 8; it returned 8"]),
    ("02.6", lambda first, second: -(second - first / 2), [], ["The signs are right"]),
    # 02.7
    ("02.7", lambda n: 0.5 * n**-0.25, ["too narrow: take a larger constant"], ["far below 1/2"]),
    ("02.7", lambda n: -1, ["from 1e-05 to 1 is expected"], ["do not shrink", "reach it"]),
    ("02.7", lambda n: 100 * n**-1.1, ["more people do not bring more of them into a cube"],
     ["more cubes than people", "Without privacy they could"]),
    ("02.7", lambda n: 5 / n, ["like 1/n or faster"], ["Without privacy they could"]),
    ("02.7", lambda n: 1 / n, ["more cubes than people"], ["Without privacy they could"]),
    ("02.6", lambda first, second: second - second.mean(), ["not the true bar"], ["are possible"]),
    ("02.6", lambda first, second: (second - first) / 2, ["say 0 almost everywhere"], ["Only half"]),
    ("02.9", lambda x, h: round(x / (1 / int(1 / h))), [], ["half a step"]),
    ("02.9", lambda x, h: min(round(x / h), int(1 / h)), [], ["half a step"]),
    ("00.3", 11_706, ["up to 1% more", "Close"], ["Nine times", "9.02 points"]),
    ("01.10", 0.42, ["as far as 1 α", "Somebody nearer"], ["grid line"]),
    ("02.10", 0.14, ["66.5%"], ["Too narrow", "hill"]), ("04.9", 25, ["90.60%"], ["Well hidden", "Too tall"]),
    ("05.9", 1.0, ["90 minutes", "still blurred"], ["smaller budget"]),
    ("06.10", 5e-14, ["60.9 people", "stays below"], ["more private"]),
    ("07.9", 1000, ["0.91"], ["one bit", "the paper's"]),
    ("02.7", lambda n: n**-0.05 / 100, [], ["blur, not noise"]),
    ("02.7", lambda n: n**0.1 / 100, ["grow with n"], ["do not shrink"]),
    # 02.8, 06.9 and others with a limit: the limit is told, and the digits decide.
    ("02.8", 0.165, ["1.012 times the fewest", "1.01 is enough"], ["1.01 times the fewest"]),
    ("06.9", 0.101, ["1.021 times the least", "1.02 is enough"], ["1.02 times the least"]),
    ("06.9", 0.2, ["not even ε = 10"], ["is enough"]),
    ("06.9", 1, ["between 0.02 and 1", "The ends are not allowed"], []),
    ("06.9", 0.15, [], ["Less noise does not mend"]),
    # 06.7: the desk draws anew for each question, with twice the noise that is needed.
    ("06.7", lambda yes, people, epsilon, laplace:
         lambda cell: yes[cell] - people[cell] / 2 + laplace(2 / epsilon), ["ten questions spend ten times"],
     ["δ is 0.57"]),
    # 04.6, 04.7: what is said of people outside, of the label, of outputs.
    ("04.6", lambda inside, y: tilted(0.4 if inside and y else -0.4 if inside else 0), ["Your score"],
     ["Good, but", "never asked"]),
    ("04.6", lambda inside, y: tilted(0.0 if inside else 0.5 - y), [], ["Good, but", "fair coin"]),
    ("04.6", lambda inside, y: tilted(0.5 if inside else -0.5), ["never asked"], []),
    ("04.7", lambda inside, y: three_outputs(0.8, inside, y), ["Your score"], ["what a bit can do"]),
    ("04.8", lambda n: (100, 99, 0.0025), [], ["A hundred million people see"]),
    # 03.6
    ("03.6", lambda n: 1e-5, [], ["blur"]),
    # 07.6: another pattern, drawn without a look at the cell.
    ("07.6", lambda cell, label, row, alpha, rng: (int(rng.integers(4)), 1), ["another pattern was sent"],
     ["tells the cell"]),
    # 06.7: an empty cell, and half of 5
    ("06.7", lambda yes, people, epsilon, laplace: shares(yes, people, laplace(1 / epsilon, len(people))),
     ["nobody lives your answer is no number"], ["One draw for all"]),
    ("06.7", lambda yes, people, epsilon, laplace: floored(yes, people, laplace(1 / epsilon, len(people))),
     ["2.5: `//` rounds down"], ["half of a move"]),
    ("06.7", lambda yes, people, epsilon, laplace: laplace(0, 1 / epsilon, len(people)).__getitem__,
     ["laplace(scale, size)"], ["Dice"]),
    # 06.8
    ("06.8", drawn_twice, ["must come from the same draw", "You draw twice"], []),
    ("06.8", lambda count, epsilon, delta, laplace: gated_at(
        2 / epsilon * math.log(2 / delta), count, epsilon, laplace),
     ["At epsilon = 4", "1.85 times delta, too often"], []),
    ("06.8", lambda count, epsilon, delta, laplace: gated_at(
        1 + 2 / epsilon * math.log(10 / delta), count, epsilon, laplace), ["the gate is too high"], []),
    ("06.8", lambda count, epsilon, delta, laplace: gated_at(
        1 + 2 / epsilon * math.log(1 / delta), count, epsilon, laplace, math.nan),
     ["returns nan", "return None"], ["always shown"]),
    ("06.8", lambda count, epsilon, delta, laplace: gated_at(
        1 + 2 / epsilon * math.log(1 / delta), count, epsilon, laplace, None, 1.0),
     ["must show 10,000, not 9999"], ["scale"]),
    ("06.8", lambda count, epsilon, delta, laplace: None, ["nothing is ever shown"], ["NoneType"]),
    # 04.2 and other numbers: the tolerance is told.
    ("04.2", 0.027, ["Within 0.1% it counts"], []),
    ("02.1", 4.3, ["Within 2% it counts"], []),
    ("04.2", -1 / 36, [], ["rounding"]),
]


@pytest.mark.parametrize("exercise, answer, true, false", ANSWERS)
def test_what_is_said_of_an_answer_is_so(exercise, answer, true, false):
    verdict = check(exercise, answer)
    words = verdict.text.partition(" Hint:")[0]
    assert not verdict.right
    for said in true:
        assert said in words
    for said in false:
        assert said not in words


RIGHT = [
    ("00.1", lambda alpha: np.float32(1 / (math.exp(alpha) + 1))), ("05.8", ("haar", "scaling_only", 8, 5e6)),
    ("05.6", lambda alpha, J, x: np.array(2 * math.sqrt(3) * 2 ** (J / 2) / alpha)),
    ("01.9", (0.199, 0.401)), ("05.8", ("sym4", "scaling_only", 7, 4_650_000)),
    ("05.7", lambda coef, level, sd: np.abs(coef) > sd * np.sqrt(2 * np.log(len(coef)))),
    ("05.7", lambda coef, level, sd: np.abs(coef) > sd * np.sqrt(2 * np.log(coef.size))),
    ("05.7", lambda coef, level, sd: [abs(each) > 3 * sd for each in coef]),
    ("04.2", 0.0278), ("04.2", 1 / 36),
]


@pytest.mark.parametrize("exercise, answer", RIGHT)
def test_right_in_another_form_is_right(exercise, answer):
    assert check(exercise, answer).right


def right_score(a, b):
    return b - a / 2


@pytest.mark.parametrize("exercise, answer", [
    ("02.6", right_score), ("02.7", lambda people: people**-0.25), ("00.1", lambda a: 1 / (math.exp(a) + 1)),
    ("05.7", lambda c, j, noise: np.abs(c) > 3 * noise), ("03.7", lambda f, b, dim: f ** (2 * b + 2 * dim)),
    ("06.8", lambda count, eps, d, lap: None)])
def test_names_of_parameters_are_the_readers_own(exercise, answer):
    """Names that the exercise does not use are taken in the order in which it lists them."""
    verdict = check(exercise, answer)
    assert verdict.right or "unexpected keyword" not in verdict.text


def test_digits_decide():
    for value, limit, words in ((1.0214, 1.02, "1.021"), (1.0099, 1.01, "1.0099"), (1.02, 1.02, "1.02"),
                                (1.01000001, 1.01, "1.01000001"), (0.9999999, 1, "0.9999999"),
                                (1.5, 1.02, "1.50"), (0.00121, 0.0012, "0.00121"), (123.4, 1.5, "123.40")):
        assert judges.telling(value, limit) == words

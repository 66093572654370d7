"""Exam questions: each solution by a second road, at all numbers that can be drawn."""

import itertools
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize

from ldp_lib.site.exam import QUESTIONS, exam, main, sheets


def coin(alpha):
    """The truth's probability: the root of p / (1 - p) = e^alpha."""
    return optimize.brentq(lambda p: math.log(p / (1 - p)) - alpha, 1e-9, 1 - 1e-9, xtol=1e-15)


def law(*parts):
    """The law of a sum of independent bits: how many, and the probability of a 1."""
    found = np.ones(1)
    for count, p in parts:
        for _ in range(count):
            found = np.convolve(found, [1 - p, p])
    return found


def belief(alpha, prior):
    yes = {True: coin(alpha), False: 1 - coin(alpha)}
    return yes[True] * prior / (yes[True] * prior + yes[False] * (100 - prior))


def share(alpha, n, yes):
    p = coin(alpha)
    return optimize.brentq(lambda found: 100 * (found * p + (1 - found) * (1 - p)) - yes, -2, 3, xtol=1e-14)


def people(alpha, points):
    p = coin(alpha)
    found = law((10, p))  # of people who say yes: what n of them do follows from ten
    mean = found @ np.arange(11)
    variance = found @ (np.arange(11) - mean) ** 2 / 10
    return next(n for n in itertools.count(1) if variance / n / (2 * p - 1) ** 2 <= (points / 100) ** 2)


def questions(alpha, believed):
    odds = Fraction(1)
    for k in itertools.count():
        if odds >= Fraction(believed, 100 - believed):
            return k
        odds *= Fraction(math.exp(alpha))


def tail(alpha, d, bound):
    scale = 2 ** (d + 1) / alpha  # Theorem 2.1
    return 2 * integrate.quad(lambda z: math.exp(-z / scale) / (2 * scale), bound, np.inf, epsabs=1e-14)[0]


def shuffled(alpha, n, power):
    """By the laws themselves, in 40 digits: if she has a one, and if she has none; all others have none."""
    with mpmath.workdps(40):
        p = 1 / (1 + mpmath.exp(alpha))
        others = [mpmath.binomial(n - 1, k) * p**k * (1 - p) ** (n - 1 - k) for k in range(n)]
        others.append(mpmath.mpf(0))
        before = [mpmath.mpf(0), *others]
        one, none = ([q * here + (1 - q) * there for here, there in zip(before, others)] for q in (1 - p, p))

        def excess(epsilon):
            factor = mpmath.exp(epsilon)
            return max(sum(max(a - factor * b, 0) for a, b in zip(*pair))
                       for pair in ((one, none), (none, one)))

        low, high = mpmath.mpf(0), mpmath.mpf(alpha)
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > mpmath.mpf(10) ** -power else (low, middle)
        return float(high)


def noise(alpha, n, d):
    variance = 2 * integrate.quad(lambda z: z * z * math.exp(-z * alpha) * alpha / 2, 0, np.inf)[0]
    return math.sqrt(sum([variance] * n))


def majority(alpha, n, ones):
    p, many = coin(alpha), ones * n // 100
    found = law((many, p), (n - many, 1 - p))
    return sum(part * (1 if 2 * k < n else 0.5 if 2 * k == n else 0) for k, part in enumerate(found))


def risk(alpha, n, eta):
    p = coin(alpha)
    found = law((n, eta * p + (1 - eta) * (1 - p)))
    right = eta  # the best rule says 1
    return sum(part * (right - (eta if 2 * k > n else 1 - eta)) for k, part in enumerate(found))


def exponent(beta, gamma, d):
    rate = lambda log_n: -log_n * beta * (1 + gamma) / (2 * beta + 2 * d)  # noqa: E731
    return math.exp(optimize.brentq(lambda log_n: rate(log_n) - math.log(0.5), 0, 100, xtol=1e-13))


def bandwidth(alpha, n, beta, d):
    """Where squared bias h^(2 beta) and the variance 1 / (n/2 alpha^2 h^(2d)) of a normed score cross."""
    half = n // 2
    return optimize.brentq(lambda h: h ** (2 * beta) - 1 / (half * alpha**2 * h ** (2 * d)), 1e-6, 10,
                           xtol=1e-15)


def worlds(alpha, n):
    """Of all sequences of reports the smaller of both probabilities, halved."""
    p = coin(alpha)
    ones = map(sum, itertools.product((0, 1), repeat=n))
    return sum(min(p**k * (1 - p) ** (n - k), (1 - p) ** k * p ** (n - k)) / 2 for k in ones)


def divergence(alpha):
    p = np.array([coin(alpha), 1 - coin(alpha)])
    return p @ np.log(p / p[::-1])


def density(s, p, r):
    """The smaller one of the two exponents, as both regimes bound the error from below."""
    slack = s - 1 / p
    return min(r * s / (2 * s + 2), r * (slack + 1 / r) / (2 * slack + 2))


def level(alpha, n, s):
    return max(J for J in range(60) if J == 0 or (2**J) ** (2 * s + 1) <= n * (1 + 1e-9)
               and (2**J) ** (2 * s + 2) <= n * alpha**2 * (1 + 1e-9))


def curator(epsilon, n):
    scale = 2 / epsilon
    return integrate.quad(lambda z: math.exp(-z / scale) / (2 * scale), n, np.inf, epsabs=1e-14)[0]


def threshold(epsilon, power):
    scale = 2 / epsilon
    return 1 + optimize.brentq(lambda t: math.exp(-t / scale) / 2 - 10.0**-power, 0, 1000, xtol=1e-12)


def fewer(alpha, d):
    """Of one person in each half, and of two people."""
    cube, cell = (2 * (side / alpha) ** 2 for side in (2 ** (d + 1), 1))
    return (cube + cube / 4) / (cell / 2)


def rounds(s):
    bends = [min(Fraction(4) * Fraction(s) / (4 * Fraction(s) + c), Fraction(1, 2)) for c in (2, 3)]
    return float(bends[0] - bends[1])


def significant(alpha, n):
    found = law((n, 1 - coin(alpha)))
    return next(k for k in range(n + 2) if found[k:].sum() <= 0.05)


SECOND = {found.__name__: found for found in (
    belief, share, people, questions, tail, shuffled, noise, majority, risk, exponent, bandwidth, worlds,
    divergence, density, level, curator, threshold, fewer, rounds, significant)}


def drawn(name):
    """All numbers that can be drawn; of the slow one some."""
    choices = QUESTIONS[name].choices
    every = [dict(zip(choices, values)) for values in itertools.product(*choices.values())]
    return every[::9] if name == "shuffled" else every


def test_there_are_twenty_and_each_has_a_second_road():
    assert len(QUESTIONS) == 20 and QUESTIONS.keys() == SECOND.keys()
    assert {found.notebook for found in QUESTIONS.values()} == {f"0{number}" for number in range(9)}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_solution_by_a_second_road(name):
    answers = []
    for numbers in drawn(name):
        solved = QUESTIONS[name].solved(**numbers)
        assert solved.answer == pytest.approx(SECOND[name](**numbers), rel=1e-7, abs=1e-12), numbers
        assert "nan" not in solved.words + solved.how and solved.words.endswith((".", "?", ".)"))
        answers.append(f"{solved.answer:.4g}")
    assert len(set(answers)) >= 3, "other numbers, another answer"


def test_an_exam_is_its_seed(tmp_path, capsys):
    asked, told = sheets(7)
    assert sheets(7) == (asked, told) and exam(7) != exam(8)
    assert asked.count("(Notebook 0") == told.count("**") / 2 == 20
    for solved in exam(7):
        assert solved.words in asked and solved.how not in asked
        assert f"**{solved.answer:.4g}.** {solved.how}" in told
    main([str(tmp_path / "new"), "--seed", "7"])
    written = capsys.readouterr().out.split()
    assert [Path(path).read_text(encoding="utf-8") for path in written] == [asked, told]

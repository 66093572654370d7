"""Twenty exam questions with solutions: `python -m ldp_lib.site.exam FOLDER --seed 7`.

Numbers are drawn from the seed, solutions computed exactly, by the library or by the formula that they name.
The two files are Markdown: strike what an exam has no time for.
"""

import argparse
import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from scipy import stats

from ldp_lib.privacy import CellLaplace, CubeLaplace, shuffled_epsilon, stability_threshold
from ldp_lib.privacy.responses import share_of_yes, yes_reports
from ldp_lib.risk import noisy_majority_probabilities
from ldp_lib.theory import (
    classification_exponent, density_elbows, density_exponent, linear_level, quadratic_exponent,
    theorem_bandwidth,
)

ALPHAS = (0.5, 0.8, 1.0, 1.5, 2.0)


class Solved(NamedTuple):
    """A question with its numbers: `words`, the `answer`, and `how` it is found."""

    words: str
    answer: float
    how: str


class Question(NamedTuple):
    """A question of the notebook with this number.

    `choices` : of its numbers, by name. `solve` : of them a function that returns the answer and how it is
    found; its docstring is the question.
    """

    notebook: str
    choices: Mapping[str, tuple]
    solve: Callable[..., tuple[float, str]]

    def solved(self, **numbers: float) -> Solved:
        """The question with these numbers."""
        return Solved(" ".join(self.solve.__doc__.split()).format(**numbers), *self.solve(**numbers))


QUESTIONS: dict[str, Question] = {}
"""By name, in the order of the notebooks."""


def question(notebook, **choices):
    """Decorator of what solves a question: see `Question`."""
    def made(solve):
        QUESTIONS[solve.__name__] = Question(notebook, choices, solve)
        return solve

    return made


def truth(alpha):
    """The probability with which randomised response tells the truth."""
    return 1 / (1 + math.exp(-alpha))


@question("00", alpha=ALPHAS, prior=(20, 30, 40))
def belief(alpha, prior):
    """You believe with {prior}% that somebody's answer is yes. Her report by randomised response at
    α = {alpha:g} says yes. What do you believe now?
    """
    odds = prior / (100 - prior) * math.exp(alpha)
    return odds / (1 + odds), (
        f"A yes multiplies the odds by e^α: {prior}/{100 - prior} becomes {odds:.4g}; odds o are the "
        "probability o/(1 + o).")


@question("00", alpha=ALPHAS, n=(200, 400, 600), yes=(45, 52, 55))
def share(alpha, n, yes):
    """Of {n} reports by randomised response at α = {alpha:g} {yes}% say yes. Estimate the share of people
    whose answer is yes.
    """
    p = truth(alpha)
    return share_of_yes(yes / 100, p), (
        f"A report is the truth with p = e^α/(e^α + 1) = {p:.4f}, so the share of yes reports is expected to "
        f"be 1 - p + (2p - 1) share: the estimate is ({yes / 100} - 1 + p)/(2p - 1), whatever n is.")


@question("00", alpha=ALPHAS, points=(2, 3, 5))
def people(alpha, points):
    """How many people must answer by randomised response at α = {alpha:g}, so that the coins give the
    estimated share of yes a standard deviation of at most {points} points of a hundred?
    """
    p = truth(alpha)
    return math.ceil(p * (1 - p) / ((2 * p - 1) * points / 100) ** 2), (
        "Each coin adds the variance p (1 - p) to the sum of reports, and the estimate divides the sum by "
        "n (2p - 1): n is p (1 - p)/((2p - 1) t)^2, rounded up.")


@question("01", alpha=(0.25, 0.5, 0.75, 1.0), believed=(90, 95, 99))
def questions(alpha, believed):
    """Somebody answers questions that all have one answer, each by randomised response at α = {alpha:g}.
    After how many can a belief of 50% in this answer reach {believed}% for the first time?
    """
    odds = believed / (100 - believed)
    return math.ceil(math.log(odds) / alpha), (
        f"k reports multiply the odds 1 by e^(kα) at most; {believed}% are the odds {odds:.4g}: k is "
        "log(odds)/α, rounded up.")


@question("01", alpha=ALPHAS, d=(1, 2, 3), bound=(4, 8, 16))
def tail(alpha, d, bound):
    """In the mechanism of Berrett and Butucea with d = {d} and α = {alpha:g}, what is the probability that
    the Laplace noise on one cube is above {bound} or below -{bound}?
    """
    scale = CubeLaplace(alpha, 0.5, d).scale
    return math.exp(-bound / scale), (
        f"What two people publish differs by 2^(d+1) in L1 at most, so the scale is b = 2^(d+1)/α = "
        f"{scale:.4g}, and the probability is e^(-t/b).")


@question("01", alpha=ALPHAS, n=(500, 1000, 5000), power=(5, 6))
def shuffled(alpha, n, power):
    """{n} reports by randomised response at α = {alpha:g} are shuffled; all others than one person are known
    to have the same answer. What is the least ε at which the number of ones is (ε, 10^-{power})-private?
    """
    return shuffled_epsilon(10.0**-power, alpha, n), (
        "With the library: `shuffled_epsilon` of `ldp_lib.privacy` halves until the hockey-stick divergence "
        "of the two laws of the number of ones is δ.")


@question("02", alpha=ALPHAS, n=(100, 400, 1600), d=(1, 2))
def noise(alpha, n, d):
    """{n} people with {d}-dimensional features send 1/2 or -1/2 on their own cell, plus Laplace noise of
    scale 1/α on each cell; α = {alpha:g}. What is the standard deviation of the noise in the sum on one cell?
    """
    return math.sqrt(2 * n) * CellLaplace(alpha, 0.5, d).scale, (
        "The variance of Laplace noise of scale 1/α is 2/α^2, and n people have n times as much: √(2n)/α, "
        "whatever the dimension is.")


@question("02", alpha=ALPHAS, n=(20, 30, 40), ones=(60, 70, 80))
def majority(alpha, n, ones):
    """Of the {n} people of a cell {ones}% have the label 1. Each sends the label by randomised response at
    α = {alpha:g}; the majority of reports decides, and a fair coin where there is none. With what probability
    is the decision wrong?
    """
    p, many = truth(alpha), ones * n // 100
    first, law = yes_reports(many, n - many, p)
    wrong = law[:n // 2 + 1 - first].sum() - law[n // 2 - first] / 2
    return float(wrong), (
        f"The number of ones is binomial({many}, p) plus binomial({n - many}, 1 - p) with p = {p:.4f}: "
        f"the probability is P(below {n // 2}) + P({n // 2})/2.")


@question("02", alpha=ALPHAS, n=(25, 51, 101), eta=(0.6, 0.7, 0.9))
def risk(alpha, n, eta):
    """In a cell each of {n} people has the label 1 with probability η = {eta:g} and sends it by randomised
    response at α = {alpha:g}; the majority decides. What is the expected excess risk in this cell?
    """
    q = eta * truth(alpha) + (1 - eta) * (1 - truth(alpha))
    wrong = float(stats.binom.cdf(n // 2, n, q))
    return (2 * eta - 1) * wrong, (
        f"A report is 1 with q = η p + (1 - η)(1 - p) = {q:.4f}; the majority is wrong with "
        f"P(binomial(n, q) < n/2) = {wrong:.4g}, which costs 2η - 1.")


@question("03", beta=(0.5, 0.75, 1.0), gamma=(0.5, 1.0), d=(1, 2, 3))
def exponent(beta, gamma, d):
    """Smoothness β = {beta:g}, margin γ = {gamma:g}, dimension d = {d}: by which factor must the number of
    people grow so that the private minimax excess risk is halved, but for constants?
    """
    r = classification_exponent(beta, gamma, d)
    return 2 ** (1 / r), (
        f"The rate is (n α^2)^(-r) with r = β(1 + γ)/(2β + 2d) = {r:.4g}: the factor is 2^(1/r).")


@question("03", alpha=ALPHAS, n=(2000, 20_000, 200_000), beta=(0.5, 1.0), d=(1, 2))
def bandwidth(alpha, n, beta, d):
    """Which h does the proof of the upper bound take for n = {n}, α = {alpha:g}, β = {beta:g}, d = {d} and
    L = μ = 1?
    """
    return theorem_bandwidth(n, alpha, beta, d), (
        "h = (n' α^2)^(-1/(2d + 2β)), where n' = n/2 people are in each half of the sample.")


@question("04", alpha=ALPHAS, n=(5, 7, 9))
def worlds(alpha, n):
    """In one world everybody's answer is yes, in the other one everybody's is no. {n} people answer by
    randomised response at α = {alpha:g}. What is the least mean, over the two worlds, of the probability of
    taking one for the other?
    """
    p = truth(alpha)
    return float(stats.binom.cdf(n // 2, n, p)), (
        f"The best test takes the majority, and n is odd: P(binomial(n, p) < n/2) with p = {p:.4f}.")


@question("04", alpha=ALPHAS)
def divergence(alpha):
    """What is the Kullback-Leibler divergence, in nats, between the reports of a yes and of a no by
    randomised response at α = {alpha:g}?
    """
    return alpha * math.tanh(alpha / 2), (
        "p log(p/(1 - p)) + (1 - p) log((1 - p)/p) = (2p - 1) α = α tanh(α/2).")


@question("05", s=(1.5, 2.0, 2.5), p=(1.0, 1.5, 6.0), r=(4.0, 5.0))
def density(s, p, r):
    """A density has smoothness s = {s:g} in L_p with p = {p:g}; its error is measured in L_r, to the power r,
    with r = {r:g}. What is the exponent of 1/(n (e^α - 1)^2) in the private lower bound?
    """
    return float(density_exponent(s, p, r).exponent), (
        f"The bend is at p = r/(s + 1) = {density_elbows(s, r).private:.4g}. Above it (dense) the exponent "
        "is r s/(2s + 2), below it (sparse) r (s - 1/p + 1/r)/(2 (s - 1/p) + 2).")


@question("05", alpha=ALPHAS, n=(50_000, 10**6, 2 * 10**7), s=(0.5, 1.0, 1.5))
def level(alpha, n, s):
    """Up to which level J does the linear wavelet estimator go for n = {n}, α = {alpha:g} and smoothness
    s = {s:g}?
    """
    return linear_level(n, alpha, s), (
        "The largest J >= 0 with 2^J <= min(n^(1/(2s + 1)), (n α^2)^(1/(2s + 2))).")


@question("06", epsilon=(0.5, 1.0, 2.0), n=(5, 9, 15))
def curator(epsilon, n):
    """All {n} people of a cell have the label 1. A curator adds Laplace noise of scale 2/ε to ones minus
    zeros, ε = {epsilon:g}, and publishes the sign. With what probability is it negative?
    """
    wrong, _ = noisy_majority_probabilities(n, 1.0, 1.0, 2 / epsilon)
    return float(wrong), "The noise must be below -n: e^(-n ε/2)/2."


@question("06", epsilon=(0.5, 1.0, 2.0), power=(3, 4, 6))
def threshold(epsilon, power):
    """A curator adds Laplace noise of scale 2/ε to the counts of occupied cells, and publishes those above a
    threshold. Which is the least threshold that is (ε, δ)-private for ε = {epsilon:g} and δ = 10^-{power}?
    """
    return stability_threshold(epsilon, 10.0**-power, noise="real"), (
        "Who is alone in a cell is seen with probability δ at most: 1 + (2/ε) log(1/(2δ)).")


@question("07", alpha=ALPHAS, d=(1, 2, 3))
def fewer(alpha, d):
    """A cube's score is the mean of n/2 labelled reports minus half the mean of n/2 others, all with noise of
    scale 2^(d+1)/α; a cell's score is the mean of n reports with noise of scale 1/α. For d = {d} and
    α = {alpha:g}, how many times as large is the variance of the noise in the first score?
    """
    ratio = CubeLaplace(alpha, 0.5, d).scale / CellLaplace(alpha, 0.5, d).scale
    return 2.5 * ratio**2, (
        f"With scales b and b': (1 + 1/4) 2b^2/(n/2) against 2b'^2/n, and b/b' = 2^(d+1) = {ratio:g}: "
        "2.5 · 4^(d+1). It does not depend on α.")


@question("08", s=(0.25, 0.5, 0.75))
def rounds(s):
    """The integral of f^2 is estimated for a density f of smoothness s = {s:g}. By which power of n α^2 does
    a second round of questions make the error smaller?
    """
    one, two = (quadratic_exponent(s, rounds) for rounds in (1, 2))
    return two - one, (
        f"min(4s/(4s + 2), 1/2) = {two:.4g} in two rounds minus min(4s/(4s + 3), 1/2) = {one:.4g} in one.")


@question("08", alpha=ALPHAS, n=(50, 100, 200))
def significant(alpha, n):
    """{n} people answer by randomised response at α = {alpha:g}. From how many yes reports on is the
    hypothesis that nobody's answer is yes rejected at level 5%?
    """
    p = truth(alpha)
    return int(stats.binom.isf(0.05, n, 1 - p)) + 1, (
        f"Then yes reports are binomial(n, 1 - p), 1 - p = {1 - p:.4f}: the least k with P(k or more) <= 5%.")


def exam(seed: int) -> list[Solved]:
    """All questions, each with numbers drawn from the seed.

    Examples
    --------
    >>> len(exam(7)), exam(7) == exam(7), exam(7) == exam(8)
    (20, True, False)
    """
    rng = random.Random(seed)
    return [found.solved(**{name: rng.choice(values) for name, values in found.choices.items()})
            for found in QUESTIONS.values()]


def sheets(seed: int) -> tuple[str, str]:
    """The exam of a seed and its solutions, as Markdown."""
    asked, told = [f"# Exam {seed}\n"], [f"# Exam {seed}: solutions\n"]
    for number, (found, solved) in enumerate(zip(QUESTIONS.values(), exam(seed), strict=True), start=1):
        asked.append(f"{number}. (Notebook {found.notebook}) {solved.words}\n")
        told.append(f"{number}. **{solved.answer:.4g}.** {solved.how}\n")
    return "\n".join(asked), "\n".join(told)


def main(arguments: list[str] | None = None) -> None:
    """Write an exam and its solutions into a folder."""
    parser = argparse.ArgumentParser(description="Write an exam of twenty questions, and its solutions.")
    parser.add_argument("folder", type=Path, help="where both files go; it is made if it is not there")
    parser.add_argument("--seed", type=int, default=1, help="of the numbers: another one is another exam")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(("exam", "solutions"), sheets(given.seed), strict=True):
        path = given.folder / f"{name}_{given.seed}.md"
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()

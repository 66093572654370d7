"""Is a die of K faces fair? Tests from private answers, one a person, whose level is exact.

In one round everybody is asked about a set of faces that is fixed beforehand, or that public dice draw. In
two rounds the first people send a sign for each face (`CellSigns`), the office publishes the faces that look
too frequent, and *other* people say whether theirs is one of them (`SetQuestion`): `TwoRoundSurvey`.

Under the fair die answers are independent coins with known odds. So the laws below are binomial, or those of
sums of independent functions of binomial counts, which a fast Fourier transform convolves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from ldp_lib._arguments import Randomness, choice, indices, points, real, require_memory, whole
from ldp_lib._rounding import canonical
from ldp_lib.estimation.asking import AskedAgainError, AsksPeople
from ldp_lib.estimation.base import parameters
from ldp_lib.nature.dice import MOST_FACES
from ldp_lib.privacy import CellSigns, SetQuestion
from ldp_lib.privacy.binomial import at_least, binomial_chances
from ldp_lib.privacy.exact import LARGEST_BUDGET, SMALLEST_BUDGET, random_subsets
from ldp_lib.privacy.responses import hadamard_signs

COINS = "private", "public"
PUBLIC_QUESTIONS = 6
"""Random halves that public dice draw: about where the fewest people are needed."""
STEPS = 32
"""Squares of deviations count in so many steps a variance, rounded down, so that sums are on a lattice."""
ROUNDING = 1e-10
"""Is added to probabilities of one round: more than their sums lose (the tests compare with convolutions)."""
FAINT = 30.0
"""Sums that run over the end of a transform are damped by e^-30."""


def squared_deviations(n, chance):
    """Scores of k = 0, ..., n yes, (n + 1,): floor of STEPS (k - n chance)^2 / variance, whole numbers."""
    deviation = np.arange(n + 1) - n * chance
    return np.floor(canonical(STEPS * deviation**2 / (n * chance * (1 - chance)))).astype(np.int64)


def chances_below(limit, parts):
    """P(S < v) for v = 0, ..., limit, (limit + 1,): S is a sum of independent scores, whole numbers >= 0.

    parts : (scores, their chances, number of copies), one for each kind. A score of `limit` or more takes the
    sum there. Weights e^(-FAINT v / size) keep what runs over the end of the transform below e^-FAINT; they
    are divided out again, at most e^(FAINT / 8) of rounding.
    """
    limit = max(limit, 1)
    size = 1 << (8 * limit - 1).bit_length()
    weights, transform = np.exp(-FAINT / size * np.arange(limit)), 1.0
    for scores, chances, copies in parts:
        inside = scores < limit
        law = np.bincount(scores[inside], chances[inside], limit) * weights
        transform = transform * _power(np.fft.rfft(law, size), copies)
    law = np.fft.irfft(transform, size)[:limit] / weights
    return np.append(0.0, np.cumsum(law)).clip(0.0, 1.0)


def _power(base, exponent):
    """base ** exponent for a whole number >= 1, by squaring: numpy takes logarithms, ten times as long."""
    result = base
    for bit in f"{exponent:b}"[1:]:
        result = result * result
        if bit == "1":
            result = result * base
    return result


def walsh_sets(K):
    """Fixed questions: the faces where a row of the Hadamard matrix of the least order M >= K is 1, but for
    the first row; (M - 1, K) booleans."""
    order = 1 << (K - 1).bit_length()
    require_memory(f"{order - 1} questions about K = {K} faces", 32.0 * order * K,
                   "Lower K, or ask in two rounds.")
    return hadamard_signs(np.arange(1, order)[:, None], np.arange(K)) > 0


def group_sizes(n, questions):
    """How many of n people are asked each of so many questions, (questions,): alike, but for one person."""
    return n // questions + (np.arange(questions) < n % questions)


def fair_chance(question):
    """P(yes) under the fair die."""
    return float(question.law(len(question.cells) / question.shape[0]))


def fair_parts(people, chances):
    """The parts of `chances_below` under the fair die, for groups of so many people, (m,), whose chances to
    say yes are then `chances`, (m,)."""
    kinds = Counter(zip(people.tolist(), chances, strict=True))
    return [(squared_deviations(n, chance), binomial_chances(n, chance), copies)
            for (n, chance), copies in kinds.items() if n]


def largest_score(questions):
    """A score that a fair die exceeds with a probability near 1e-12 or below: p-values end there."""
    return math.ceil(STEPS * 1.5 * float(chdtri(questions, ROUNDING / 100)))


def faces_above(signs, aggregate):
    """S: the faces whose estimate is above 1/K, in ascending order."""
    share = signs.tilt * aggregate.people / signs.K
    return np.flatnonzero(aggregate.totals > math.floor(canonical(share)))


def places(x, K):
    """Where faces 0 to K - 1 are among K cells of [0, 1]."""
    return (np.asarray(x) + 0.5) / K


@parameters
class UniformityTest(AsksPeople):
    """A test of "all K faces have probability 1/K" from one private report a person.

    Its level is exact: under the fair die P(p_value_ <= a) <= a for every a, n, K and alpha. No coin is
    tossed at the edge.

    Two rounds: a share of the people send a sign for each face; S is the set of faces whose estimate is above
    1/K; the others say whether their face is in S. They are independent of S, so that the number of yes is
    binomial under the fair die, and its upper tail is the p-value (1, where S is empty or holds all faces).
    The mean of p(S) - |S|/K is not below 0 whatever the die is. About K / alpha^2 people are needed.

    One round: the people are dealt out to questions "is yours in S?", M - 1 Walsh functions for the least
    power M of two that is not below K, or `PUBLIC_QUESTIONS` random halves; the statistic adds up squared
    deviations of the counts of yes. About K^(3/2) / alpha^2 people are needed with fixed questions, and
    K / alpha^2 with public dice: who chooses the law of the faces has not seen them. Rates as in [1]_, [2]_.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4; 1 by default.
    K : int
        Number of faces, 2 to 10^6; 64 by default.
    rounds : int
        1 or 2, the default.
    coins : str
        In one round "private", the default: questions are fixed; "public": random halves of the faces that
        everybody sees. Two rounds have private coins only.
    share : float
        Part of the people who are asked in the first of two rounds, in (0, 1); 0.6 by default.
    rng : None, int or Generator
        Of the simulation, as in all rules that learn from reports.
    times : int
        How often each person may be asked in all; 1 by default.

    Attributes
    ----------
    p_value_ : float
        In (0, 1]. In one round 10^-10 is added, more than rounding takes, so that it is never too small.
    questions_ : tuple of SetQuestion
        The sets that were asked about: () where two rounds found no suspect.
    total_loss_ : float
        What a person who was always asked has told, in nats.

    References
    ----------
    .. [1] J. Acharya, C. Canonne, C. Freitag, Z. Sun and H. Tyagi, "Inference under information constraints
       III: local privacy constraints" (2021), doi:10.48550/arXiv.2101.07981.
    .. [2] K. Amin, M. Joseph and J. Mao, "Pan-private uniformity testing", COLT (2020),
       doi:10.48550/arXiv.1911.01452.

    Examples
    --------
    >>> x = np.random.default_rng(1).integers(0, 48, 20_000)         # 16 of 64 faces never come up
    >>> one, two = (UniformityTest(alpha=1.0, K=64, rounds=rounds, rng=2).fit(x) for rounds in (1, 2))
    >>> round(one.p_value_, 3), round(two.p_value_, 3), len(two.questions_[0].cells)
    (0.293, 0.0, 27)
    """

    alpha: float = 1.0
    K: int = 64
    _: KW_ONLY
    rounds: int = 2
    coins: str = "private"
    share: float = 0.6
    rng: Randomness = None
    _learns = "p_value_"

    def fit(self, x: ArrayLike, y: None = None) -> Self:
        """Simulate people with the faces x, (n,) whole numbers from 0 to K - 1, and test. Returns self.

        Whoever calls this holds the data, and numpy draws the reports from `rng`; people are dealt out to
        rounds and questions at random. Let real people answer a `TwoRoundSurvey`. `AskedAgainError` if they
        were asked `times` times. y is ignored.
        """
        K, rounds = self.checked()
        x = indices("x", x, K, private=True)
        if x.ndim != 1 or len(x) < rounds:
            raise ValueError(f"x has shape {x.shape}; it must be (n,), the face of each person, with n >= "
                             f"{rounds}: each round asks somebody.")
        source, loss = self._ask()
        faces = source.permutation(x)
        ask = self._two_rounds if rounds == 2 else self._one_round
        self.p_value_, self.questions_ = ask(faces, source)
        self.total_loss_ = loss
        return self

    def checked(self) -> tuple[int, int]:
        """K and rounds, if all parameters are legal."""
        K = whole("K", self.K, least=2, most=MOST_FACES, cure="K is the number of faces.")
        real("alpha", self.alpha, least=SMALLEST_BUDGET, most=LARGEST_BUDGET,
             cure="alpha is the privacy budget in nats, for example 1.0.")
        rounds = whole("rounds", self.rounds, most=2)
        if choice("coins", self.coins, COINS) == "public" and rounds == 2:
            raise ValueError('coins = "public" is for rounds = 1; two rounds need no public dice. Use coins='
                             '"private".')
        real("share", self.share, above=0, below=1)
        return K, rounds

    def first_people(self, n: int) -> int:
        """How many of n people, 2 or more, are asked in the first of two rounds."""
        return min(max(round(self.share * n), 1), n - 1)

    def sets(self, source: np.random.Generator) -> np.ndarray:
        """The sets that one round asks about, (m, K) booleans."""
        if self.coins == "private":
            return walsh_sets(self.K)
        halves = random_subsets(self.K // 2, self.K, PUBLIC_QUESTIONS, source)
        inside = np.zeros((PUBLIC_QUESTIONS, self.K), dtype=bool)
        np.put_along_axis(inside, halves, True, axis=1)
        return inside

    def _two_rounds(self, faces, source):
        survey = TwoRoundSurvey(self.alpha, self.K)
        first, second = np.split(places(faces, self.K), [self.first_people(len(faces))])
        question = survey.ask_about(faces_above(survey.signs, survey.signs.simulate_aggregate(first,
                                                                                             rng=source)))
        if question is None:
            return 1.0, ()
        return yes_p_value(question, question.simulate_aggregate(second, rng=source)), (question,)

    def _one_round(self, faces, source):
        sets = self.sets(source)
        people = group_sizes(len(faces), len(sets))
        questions = tuple(SetQuestion(self.alpha, 1 / self.K, cells=np.flatnonzero(each)) for each in sets)
        chances = [fair_chance(question) for question in questions]
        score = 0
        for question, chance, group in zip(questions, chances, np.split(faces, np.cumsum(people)[:-1]),
                                           strict=True):
            if len(group):
                answers = question.simulate_aggregate(places(group, self.K), rng=source)
                score += squared_deviations(len(group), chance)[number_of_yes(answers)]
        limit = min(int(score), largest_score(len(sets)))
        below = chances_below(limit, fair_parts(people, chances))[limit]
        return float(min(1 - below + ROUNDING, 1.0)), questions


def number_of_yes(answers):
    """How many of the people in these sums of signs said yes."""
    return round(answers.people + answers.totals[0]) // 2


def yes_p_value(question, answers):
    """P(at least as many yes) under the fair die."""
    return float(at_least(number_of_yes(answers), answers.people, fair_chance(question)))


class TwoRoundSurvey:
    """The office of a test of uniformity in two rounds: it holds sums and the list of who has answered.

    The first people's devices run `signs.privatize`; `first` takes what they send. `question` ends the round
    and says what is to be published; other people's devices run its `privatize`, and `second` takes their
    answers. `p_value` ends the survey. The question is a function of reports: publishing it tells nothing
    more of the first people than they told (post-processing).

    **Whoever answered before is refused** with `AskedAgainError`: she would have told 2 alpha, and a set that
    is judged by the reports that chose it looks guilty whatever the die is. People are named by what they
    were invited by, a number or a word; names and reports are not kept together.

    Parameters
    ----------
    alpha : float
        Privacy budget in nats, 10^-100 to 10^4.
    K : int
        Number of faces, 2 to 10^6. Face k, from 0 on, is the place (k + 1/2) / K of the mechanisms.

    Attributes
    ----------
    signs : CellSigns
        What the first people run.
    people : tuple of int
        How many have answered in the two rounds.

    Examples
    --------
    >>> survey, rng = TwoRoundSurvey(alpha=2.0, K=8), np.random.default_rng(1)
    >>> faces = rng.integers(0, 6, 1500)                               # two faces never come up
    >>> at = (faces + 0.5) / 8
    >>> survey.first(range(900), survey.signs.privatize(at[:900], rng=rng))
    >>> question = survey.question()                                   # published
    >>> question.cells
    (0, 1, 2, 3, 4, 5)
    >>> survey.second(range(900, 1500), question.privatize(at[900:], rng=rng))
    >>> survey.p_value() < 1e-9
    True
    """

    def __init__(self, alpha: float, K: int):
        K = whole("K", K, least=2, most=MOST_FACES, cure="K is the number of faces.")
        self.signs = CellSigns(alpha, 1 / K)
        self._answered, self._sums, self._question, self._stage = set(), [None, None], None, 1

    def __repr__(self):
        return f"TwoRoundSurvey(alpha={self.signs.alpha!r}, K={self.signs.K})"

    @property
    def people(self) -> tuple[int, int]:
        """How many have answered in the first round, and in the second."""
        return tuple(sums.people if sums else 0 for sums in self._sums)

    def first(self, who: Sequence[Hashable], reports: ArrayLike) -> None:
        """Take reports of the first round, (n, K) of 1 and -1, of the people `who`, n different names."""
        self._take(1, self.signs, who, reports)

    def question(self) -> SetQuestion | None:
        """End the first round: the question that is to be published; None where there is no suspect face, or
        nothing else, and nobody need be asked."""
        if self._stage == 1:
            if self._sums[0] is None:
                raise RuntimeError("nobody has answered in the first round; give reports to `first`.")
            self._question, self._stage = self.ask_about(faces_above(self.signs, self._sums[0])), 2
        return self._question

    def ask_about(self, cells: np.ndarray) -> SetQuestion | None:
        """The question about these faces, None where they are none or all."""
        signs = self.signs
        return SetQuestion(signs.alpha, signs.h, cells=cells) if 0 < len(cells) < signs.K else None

    def second(self, who: Sequence[Hashable], answers: ArrayLike) -> None:
        """Take answers of the second round, (n, 1) of 1 and -1, of the people `who`, n different names."""
        if self._stage == 2 and self._question is None:
            raise RuntimeError("the first round left no question; p_value() is 1.")
        self._take(2, self._question, who, answers)

    def p_value(self) -> float:
        """End the survey: P(at least as many yes) under the fair die; 1 where there was no question."""
        if self._stage == 1 or self._question and self._sums[1] is None:
            raise RuntimeError("somebody must answer in both rounds before there is a p-value: `first`, "
                               "`question`, `second`.")
        self._stage = 3
        return yes_p_value(self._question, self._sums[1]) if self._question else 1.0

    def _take(self, stage, mechanism, who, reports):
        if self._stage != stage:
            now = "over" if self._stage == 3 else f"in round {self._stage}"
            raise RuntimeError(f"answers of round {stage} are taken in that round only, and this survey is "
                               f"{now}. To look at a result and ask on would spoil the level; begin another "
                               "survey.")
        names = list(who)
        again = len(names) - len(set(names) - self._answered)
        if again:
            raise AskedAgainError(
                f"{again} of {len(names)} people have answered before: each would have told 2 alpha = "
                f"{2 * self.signs.alpha:g} nats, and who chose the question would judge it. Nothing was "
                "counted; leave them out.")
        signs = points("reports", reports, mechanism.K, cure="Give what `privatize` returns.")
        if len(signs) != len(names) or (np.abs(signs) != 1).any():
            raise ValueError(f"reports of {len(names)} people must have {len(names)} rows of {mechanism.K} "
                             "signs, 1 or -1. Give what `privatize` returns.")
        sums = mechanism.aggregate(signs)
        self._answered.update(names)
        before = self._sums[stage - 1]
        self._sums[stage - 1] = before.merge(sums) if before else sums

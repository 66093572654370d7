"""What the pictures of notebook 08 show and takes long to compute: people needed, powers, false alarms.

And what a survey in two rounds tells of one of its first people: all its transcripts, enumerated.
"""

import functools
import itertools
import math
from collections import defaultdict

import numpy as np
from scipy.special import chdtri, chndtr, comb, ndtr

from ldp_lib._rounding import canonical
from ldp_lib.estimation import TwoRoundSurvey, UniformityTest
from ldp_lib.estimation.uniformity import walsh_sets
from ldp_lib.lessons.computed import Table
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns
from ldp_lib.privacy.binomial import at_least
from ldp_lib.risk import (
    people_for_power, questions_power, subset_noncentrality, subset_people, suspects_law, uniformity_power,
)
from ldp_lib.theory import people_bound

FACES = (4, 6, 8, 16, 32, 64, 128, 256)
ALPHAS = (0.5, 1.0, 2.0, 3.0)
DELTAS = (0.25, 0.5, 0.75)
ENOUGH = {64: 10_607, 256: 42_228}
"""Faces -> people with whom two rounds have power 0.8 at alpha = 1, delta = 0.5; see `PEOPLE`."""
COUNTS = tuple(sorted({500, 1000, 2000, 5000, 20_000, 100_000, *ENOUGH.values()}))
"""Numbers of people of the slider."""
LEVEL = 0.05
SIMULATED = 20_000
"""Fair dice of `FALSE_ALARMS`."""
DIE = 64, 1.0, 0.5
"""Faces, alpha and delta of the scenes that keep them."""


def tests(K, alpha):
    """The `UniformityTest` with fixed questions, with public dice, and in two rounds."""
    return (UniformityTest(alpha, K, rounds=1), UniformityTest(alpha, K, rounds=1, coins="public"),
            UniformityTest(alpha, K))


def people(K, alpha, delta):
    """People for power 0.8 at level 0.05: fewer than `nobody` are proved too few for every protocol, fewer
    than `even` for one round that asks about all directions alike; enough are about `subset` (chi-squared
    approximation), and `walsh`, `dice` and `two` rounds, exact.
    """
    law = tilted_die(K, delta)
    return [f"{n}" for n in (people_bound(K, alpha, delta), people_bound(K, alpha, delta, protocol="even"),
                             subset_people(law, alpha),
                             *(people_for_power(test, law) for test in tests(K, alpha)))]


PEOPLE = Table("second_question_people", people, {"K": FACES, "alpha": ALPHAS, "delta": DELTAS},
               dict.fromkeys(("nobody", "even", "subset", "walsh", "dice", "two"), int))


def power(K, alpha, delta, n):
    """Powers at level 0.05, four decimals: `subset` by the chi-squared approximation, `walsh`, `dice` and
    `two` rounds exact. Of two rounds also how many faces are judged `right` by the first one on average, and
    `mean` and `spread`, a standard deviation, of the number of yes in standard deviations under the fair die.
    """
    law, (_, _, two) = tilted_die(K, delta), tests(K, alpha)
    subset = 1 - chndtr(chdtri(K - 1, LEVEL), K - 1, n * subset_noncentrality(law, alpha))
    exact = [uniformity_power(test, law, n) for test in tests(K, alpha)]
    first, tilt, half = two.first_people(n), math.tanh(alpha / 2), np.arange(K // 2 + 1)
    joint = suspects_law(law, first, alpha)
    right = K / 2 + joint.sum(axis=1) @ half - joint.sum(axis=0) @ half
    heavy, light = half[:, None], half
    fair, yes = ((1 + tilt * (2 * share - 1)) / 2 for share in ((heavy + light) / K,
                                                                heavy * law[0] + light * law[-1]))
    mean = (yes - fair) * np.sqrt((n - first) / (fair * (1 - fair)))
    variance = yes * (1 - yes) / (fair * (1 - fair))
    middle = (joint * mean).sum()
    spread = math.sqrt((joint * (variance + (mean - middle) ** 2)).sum())
    return [*(f"{chance:.4f}" for chance in (subset, *exact)), f"{right:.2f}", f"{middle:.3f}",
            f"{spread:.3f}"]


POWER = Table("second_question_power", power, {"K": FACES, "alpha": ALPHAS, "delta": DELTAS, "n": COUNTS},
              dict.fromkeys(("subset", "walsh", "dice", "two", "right", "mean", "spread"), float))


@functools.lru_cache(maxsize=1)
def halves():
    """How 32 heavy faces of 64 can lie in the eight cells that seven Walsh questions make, up to what makes
    no difference to the first six: (chance, heavy faces of each cell), one for each kind.
    """
    signs = 2 * walsh_sets(8)[:6].astype(int) - 1
    four = np.array([*itertools.product(range(9), repeat=4)])
    ways, found = comb(8, four).prod(axis=1), {}
    for total in range(33):
        left, right = (np.flatnonzero(four.sum(axis=1) == part) for part in (total, 32 - total))
        tilts = np.abs((four[left] @ signs[:, :4].T)[:, None] + four[right] @ signs[:, 4:].T).reshape(-1, 6)
        tilts.sort(axis=1)
        # Each is 64 at most; as digits of one number they are sorted a hundred times as fast.
        digits = tilts @ 65 ** np.arange(6)[::-1]
        kinds, where, kind = np.unique(digits, return_index=True, return_inverse=True)
        chances = np.bincount(kind, np.outer(ways[left], ways[right]).ravel()) / comb(64, 32)
        for tilt, place, chance in zip(kinds.tolist(), where, chances, strict=True):
            a, b = np.unravel_index(place, (len(left), len(right)))
            before, cells = found.get(tilt, (0.0, np.append(four[left[a]], four[right[b]])))
            found[tilt] = before + chance, cells
    return list(found.values())


def questionnaire(n):
    """Powers of six fixed Walsh questions about 64 faces, alpha = 1, delta = 0.5, three decimals: on average
    over all heavy halves, and where the seventh question is the heavy half. And of `dice`, six public random
    halves, whatever the heavy half is. Exact.
    """
    K, alpha, delta = DIE
    sets = walsh_sets(K)[:7]
    cell = np.arange(K) % 8
    average = 0.0
    for chance, heavy in halves():
        law = (1 + delta * np.where(np.arange(K) // 8 < heavy[cell], 1, -1)) / K
        average += chance * questions_power(sets[:6], law, n, alpha)
    known = questions_power(sets[:6], (1 + delta * np.where(sets[6], 1, -1)) / K, n, alpha)
    dice = uniformity_power(UniformityTest(alpha, K, rounds=1, coins="public"), tilted_die(K, delta), n)
    return [f"{chance:.3f}" for chance in (average, known, dice)]


QUESTIONNAIRE = Table("second_question_questionnaire", questionnaire, {"n": COUNTS},
                      dict.fromkeys(("average", "known", "dice"), float))

JUDGES = "other people", "the same reports", "the same people again"
"""Who says of the suspects whether they are heavy."""


def fair_dice(judge, K, n, dice, rng):
    """Surveys in two rounds of so many fair dice, alpha = 1: standardised sums and verdicts, (dice,) each.

    The first people are 0.6 n. "the same people again" toss fresh coins, and have then told 2 alpha.
    """
    first = UniformityTest(1.0, K).first_people(n)
    signs = CellSigns(1.0, 1 / K)
    up = float(signs.law(1.0))
    held = rng.multinomial(first, np.full(K, 1 / K), dice)
    sums = 2 * (rng.binomial(held, up) + rng.binomial(first - held, 0.5)) - first
    suspected = sums > math.floor(canonical(signs.tilt * first / K))
    share = suspected.mean(axis=1)
    if judge == "the same reports":
        # As if the suspects had been named beforehand: so many signs a person, one of which may be tilted.
        mean = signs.tilt * share
        spread = np.sqrt(first * np.maximum(K * share - mean**2, 1))
        z = ((sums * suspected).sum(axis=1) - first * mean) / spread
        return z, ndtr(-z) <= LEVEL
    if judge == "other people":
        asked, inside = n - first, rng.binomial(n - first, share)
    else:
        asked, inside = first, (held * suspected).sum(axis=1)
    yes = rng.binomial(inside, up) + rng.binomial(asked - inside, 1 - up)
    fair = (1 + signs.tilt * (2 * share - 1)) / 2
    z = (yes - asked * fair) / np.sqrt(asked * fair * (1 - fair))
    return z, (at_least(yes, asked, fair) <= LEVEL) & (share > 0) & (share < 1)


def false_alarms(judge):
    """How often a fair die of 64 faces is called unfair, 10,607 people, alpha = 1, nominal level 0.05: the
    share of 20,000 simulated dice (seed 8), four decimals, and its standard error; two digits.
    """
    _, rejected = fair_dice(judge, DIE[0], ENOUGH[64], SIMULATED, np.random.default_rng(8))
    share = rejected.mean()
    return [f"{share:.4f}", f"{math.sqrt(share * (1 - share) / SIMULATED):.2g}"]


FALSE_ALARMS = Table("second_question_false_alarms", false_alarms, {"judge": JUDGES},
                     {"share": float, "error": float})

SEEN = "the question", "the question and the p-value", "all answers", "the same person asked again"
"""The last one is what the office refuses: the first of the first people answers the second question, too."""


def survey_losses(alpha, K=3, people=2):
    """The largest log-likelihood ratio between two faces of one of the first people, for each of `SEEN`.

    A few people answer first and one more afterwards, at the office of a `TwoRoundSurvey`. Every transcript
    has an exact probability given all faces. What somebody sees is a function of it: that is
    post-processing, and tells no more of her than her report.

    Parameters
    ----------
    alpha : float
        Budget of each report in nats.
    K, people : int
        Faces, and people in the first round: 2^(K people) transcripts of it.

    Returns
    -------
    dict
        In nats; exact, and the largest over the faces of all other people.

    Examples
    --------
    >>> [round(loss, 3) for loss in survey_losses(1.0).values()]
    [0.689, 0.689, 1.0, 2.0]
    """
    reports = np.array(list(itertools.product((-1, 1), repeat=K)))
    up = CellSigns(alpha, 1 / K).law(np.eye(K))
    # (reports, faces)
    chances = np.where(reports[:, None] == 1, up, 1 - up).prod(axis=2)
    seen = {what: defaultdict(float) for what in SEEN}
    for sent in itertools.product(range(len(reports)), repeat=people):
        first = functools.reduce(np.multiply.outer, chances[list(sent)])[..., None]
        for answer in (-1, 1):
            about, p_value, last = _second_round(alpha, reports[list(sent)], answer)
            for what, key in zip(SEEN, (about, (about, p_value), (sent, answer)), strict=False):
                seen[what][key] += first * last
            # Her own face decides the answer.
            seen[SEEN[3]][sent, answer] += first * last.reshape(-1, *[1] * people)
    return {what: max(float(np.log(law.max(axis=0) / law.min(axis=0)).max()) for law in found.values())
            for what, found in seen.items()}


def _second_round(alpha, reports, answer):
    """The faces asked about, the p-value after this answer, and P(the answer) given the face of whoever says
    it, (K,); where nobody is asked, it is a coin that nobody reads."""
    K = reports.shape[1]
    survey = TwoRoundSurvey(alpha, K)
    survey.first(range(len(reports)), reports)
    question = survey.question()
    if question is None:
        return (), survey.p_value(), np.full(K, 0.5)
    survey.second(["another"], [[answer]])
    yes = question.law(np.isin(np.arange(K), question.cells))
    return question.cells, survey.p_value(), yes if answer == 1 else 1 - yes

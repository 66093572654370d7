"""The story of notebook 08: suspicions hardly better than a coin, and a second question to other people."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import UniformityTest
from ldp_lib.estimation.uniformity import places, walsh_sets
from ldp_lib.lessons.bars import NOISE, noise_band, signal_bars
from ldp_lib.lessons.second_question import explore, numbers
from ldp_lib.lessons.second_question.explore import (
    ALPHA, COINS, FACES, LIMIT, PEOPLE, ROUNDS, TILT, compared, needed, plan, power,
)
from ldp_lib.privacy import CellSigns
from ldp_lib.privacy.exact import random_subsets
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, bars, cells, dots, figures, line, linear, percent, rule, text
from ldp_lib.theory import faces_exponent, quadratic_elbow, quadratic_exponent

K, TOLD, LEAN = numbers.DIE
"""Faces, alpha and delta of scenes without these controls."""
REACH = 3.7
"""End of the axis of what is seen of a face."""
KNOWN = Control("known", "the adversary has read the fixed questions", "", (False, True), False)
ANSWERED = Control("answered", "the question is answered", "", (False, True), False)
JUDGE = Control("judge", "who answers", "", numbers.JUDGES, numbers.JUDGES[0])
SMOOTH = Control("s", "smoothness", "s", tuple(k / 20 for k in range(2, 21)), 0.5,
                 help="about how often the density can be differentiated")
DICE = 100
"""Fair dice in a picture."""
SEED = 1
"""Of people and noise; chosen so that the first pictures are typical ones."""


class Signs(NamedTuple):
    """What the office sees of each face: excess in units of 1/K, (K,), and its standard deviation."""

    seen: np.ndarray
    level: float


@lru_cache(maxsize=64)
def heavy_faces(K):
    """Which faces are heavy, (K,) booleans; chosen once."""
    return np.random.default_rng(8).permutation(K) < K // 2


@lru_cache(maxsize=1024)
def signs(K, people, noise):
    """The `Signs` from a sign for each face of so many people, alpha = 1."""
    mechanism, rng = CellSigns(TOLD, 1 / K), np.random.default_rng((SEED, noise))
    law = np.where(heavy_faces(K), 1 + LEAN, 1 - LEAN) / K
    faces = np.repeat(places(np.arange(K), K), rng.multinomial(people, law))
    seen = mechanism.score(mechanism.simulate_aggregate(faces, rng=rng))
    return Signs(K * seen - 1, K * math.sqrt(mechanism.variance(1 / K) / people))


def die_axes(K, seen, level, title, roles):
    """The `Axes` of a die: true excess as hollow bars, what is seen as solid ones, the noise as a band.

    roles : role -> (which faces have it, its name in the key).
    """
    at = np.arange(1.0, K + 1)
    hollow, = signal_bars(at, np.where(heavy_faces(K), LEAN, -LEAN), 0.8)
    marks = [noise_band(level, 0.3, K + 0.7, f"noise ±{figures(level, 2)}"),
             rule("zero", "truth", y=0, width=1)]
    for role, (which, words) in roles.items():
        marks.append(bars(f"seen {role}", at[which] - 0.3, at[which] + 0.3, np.minimum(seen[which], 0),
                          np.maximum(seen[which], 0), role, label=words))
    return Axes("die", linear(0.3, K + 0.7, ticks=(1, K // 2, K)), linear(-REACH, REACH, 1), title,
                f"faces 1 to {K}", f"excess, in units of 1/{K}",
                (*marks, hollow._replace(label="true excess")), grid=False)


@view(FACES, PEOPLE, NOISE)
def a_die(K, n, noise):
    """Each face: its true excess, and what the office sees after everybody sent a sign for each face."""
    seen, level = signs(K, n, noise)
    right = int(((seen > 0) == heavy_faces(K)).sum())
    axes = die_axes(K, seen, level, f"a die of {K} faces, {n:,} people, α = {TOLD:g}",
                    {"private": (np.ones(K, dtype=bool), "what the office sees")})
    return Shown((axes,), f"Heavy faces have {LEAN:g} times 1/{K} too much, light ones as much too little. "
                 f"With {n:,} people the noise in a face is {figures(level, 2)} times 1/{K}.",
                 [("noise / excess", figures(level / LEAN, 2)), ("noise", f"±{figures(level, 2)}"),
                  ("excess", f"±{LEAN:g}"), ("on the right side", f"{right} of {K}")])


@view(FACES, PEOPLE, NOISE, ANSWERED)
def suspects(K, n, noise, answered):
    """The same after the first round: faces above zero are suspects."""
    people = UniformityTest(TOLD, K).first_people(n)
    seen, level = signs(K, people, noise)
    above = seen > 0
    right, mean = int((above == heavy_faces(K)).sum()), numbers.POWER[K, TOLD, LEAN, n][4]
    axes = die_axes(K, seen, level, f"round 1: {people:,} of {n:,} people, α = {TOLD:g}",
                    {"second": (above, "suspects"), "private": (~above, "others")})
    judged, counted = "", []
    if answered:
        judged = f", and {right} of {K} are judged right; on average {mean:.1f}, by a coin {K // 2}"
        counted = [("judged right, on average", f"{mean:.1f} of {K}"), ("this time", f"{right}"),
                   ("by a coin", f"{K // 2}")]
    return Shown((axes,), f"After {people:,} people {above.sum()} faces are suspects{judged}.",
                 [*counted, ("suspects", f"{above.sum()} of {K}")])


@view(ROUNDS, FACES, PEOPLE)
def two_rows(rounds, K, n):
    """Above, the information of one answer by directions; below, what the office sees."""
    asked = plan(rounds, "private")
    ink, height = explore.information(K, TOLD, rounds, "private")
    _, found = power(K, TOLD, LEAN, n, asked)
    return Shown(((ink, explore.seen(K, TOLD, LEAN, n, rounds, "private")),),
                 f"{asked.words.capitalize()}, {n:,} people, {K} faces, α = {TOLD:g}: an answer of "
                 f"round {rounds} has at most the information {figures(height)} in each direction that it "
                 f"tells of. The die is found with probability {found}.",
                 [("the die is found", found), ("information in a direction", f"≤ {figures(height)}"),
                  ("directions", "1" if rounds == 2 else f"{K - 1}")])


@view(ALPHA, TILT, FACES)
def people_against_faces(alpha, delta, K):
    """People needed against faces, on logarithmic scales, and what is proved to be too few."""
    here = needed(K, alpha, delta)
    words, factor = compared(K, alpha, delta, "private")
    axes = explore.against_faces(K, alpha, delta, "private", f"α = {alpha:g}, δ = {delta:g}: {words}")
    return Shown((axes,), f"With {K} faces, α = {alpha:g} and δ = {delta:g} one round needs about "
                 f"{here['subset']:,} people and two rounds {here['two']:,}. Fewer than {here['even']:,} are "
                 f"proved too few for one round that asks about all directions alike, fewer than "
                 f"{here['nobody']:,} for all protocols.",
                 [("one round / two rounds", factor), ("one round", f"about {here['subset']:,}"),
                  ("two rounds", f"{here['two']:,}"), ("proved too few", f"below {here['nobody']:,}"),
                  ("slopes", f"{faces_exponent(1):g} and {faces_exponent(2):g}")])


SHEET = walsh_sets(K)[:7]
"""Six questions, and the faces that the adversary makes heavy who has read them."""


@lru_cache(maxsize=4)
def sheet(coins, known):
    """Six questions and the heavy faces, (7, K) booleans; these are chosen before public dice are thrown."""
    rng = np.random.default_rng(3)
    rows = SHEET.copy()
    if not known:
        rows[6] = False
        rows[6, random_subsets(K // 2, K, 1, rng)[0]] = True
    if coins == "public":
        rows[:6] = False
        np.put_along_axis(rows[:6], random_subsets(K // 2, K, 6, rng), True, axis=1)
    return rows


@view(KNOWN, COINS, PEOPLE, ANSWERED)
def questions_read(known, coins, n, answered):
    """Left: six questions and the heavy faces. Right: how often the die is found."""
    rows = sheet(coins, known)
    inside = (rows[:6] & rows[6]).sum(axis=1)
    picture = np.where(rows, np.array([[1]] * 6 + [[2]]), 0)[::-1]
    left = Axes("sheet", linear(0, K, ticks=(0, K), words=("1", f"{K}")),
                linear(0, 7, ticks=[k + 0.5 for k in range(7)],
                       words=("heavy", *(f"question {k}: {inside[k - 1]}" for k in range(6, 0, -1)))),
                f"how many of {K // 2} heavy faces each question holds", f"{K} faces", "",
                (cells("rows", picture, ("nothing", "private", "second"), (0, K, 0, 7)),),
                grid=False, wide=1.6)
    average, against, dice = numbers.QUESTIONNAIRE[n]
    values = np.array([average, against, dice]) if answered else np.array([average])
    found = dice if coins == "public" else against if known else average
    at = 2 if coins == "public" else int(known)
    here = np.arange(values.size) == at
    tall = [bars(f"power {role}", np.flatnonzero(which) - 0.35, np.flatnonzero(which) + 0.35,
                 np.zeros(which.sum()), values[which], role) for role, which in
            (("private", here), ("reference", ~here))]
    right = Axes("power", linear(-0.5, 2.5, ticks=range(3), words=("not read", "has read", "public dice")),
                 linear(0, 1.15, 0.5, "{:.0%}"), f"the die is found, {n:,} people", "", "",
                 (*tall, text("words", range(values.size), values,
                              [percent(value) for value in values], anchor="middle", dy=-12)), grid=False)
    asked = "Six questions drawn by public dice" if coins == "public" else "Six fixed questions"
    says = (f"{asked} hold {', '.join(map(str, inside))} of {K // 2} heavy faces. With {n:,} people "
            f"the die is found with probability {percent(found)}")
    if not answered:
        return Shown((left, right), f"{says}, on average over heavy halves.",
                     [("the die is found", percent(found))])
    return Shown((left, right), f"{says}; by fixed questions {percent(average)} on average over heavy "
                 f"halves, {percent(against)} against who has read them, and by public dice {percent(dice)}.",
                 [("the die is found", percent(found)), ("not read", percent(average)),
                  ("has read", percent(against)), ("public dice", percent(dice))])


@lru_cache(maxsize=128)
def fair(judge, noise):
    """Standardised sums and verdicts of `DICE` fair dice."""
    return numbers.fair_dice(judge, K, numbers.ENOUGH[64], DICE, np.random.default_rng((8, noise)))


@view(JUDGE, NOISE)
def who_judges(judge, noise):
    """A hundred fair dice: how heavy the suspects look, and to how many the office says "unfair"."""
    z, rejected = fair(judge, noise)
    edges = np.arange(-4, 8.01, 0.5)
    marks = []
    for key, which, role, words in (("kept", ~rejected, "private", "called fair"),
                                    ("called", rejected, "second", "called unfair")):
        count = np.histogram(z[which], edges)[0]
        below = 0 * count if key == "kept" else np.histogram(z[~rejected], edges)[0]
        marks.append(bars(key, edges[:-1] + 0.03, edges[1:] - 0.03, below, below + count, role, label=words))
    x = np.linspace(-4, 8, 241)
    marks += [line("promised", x, DICE / 2 * np.exp(-x**2 / 2) / math.sqrt(2 * math.pi), "truth", width=3,
                   dash=(2, 1), label="what the test counts on"),
              rule("edge", "bound", x=LIMIT, width=2)]
    share, error = numbers.FALSE_ALARMS[judge]
    axes = Axes("alarms", linear(-4, 8, 2), linear(0, 30, 10),
                f"{DICE} fair dice of {K} faces, {numbers.ENOUGH[64]:,} people",
                "how heavy the suspects look, in standard deviations", "dice", tuple(marks), grid=False)
    spread = [] if share == 1 else [("standard error", f"{error:.1%}")]
    loss = 2 * TOLD if judge == numbers.JUDGES[2] else TOLD
    return Shown((axes,), f"The second question is answered by {judge}: of {numbers.SIMULATED:,} simulated "
                 f"fair dice {percent(share)} are called unfair, in the picture {rejected.sum()} of {DICE}. "
                 f"Nobody tells more than α = {loss:g}.",
                 [("fair dice called unfair", "all" if share == 1 else f"{share:.1%}"), *spread,
                  ("simulated", f"{numbers.SIMULATED:,} dice"),
                  ("in the picture", f"{rejected.sum()} of {DICE}"),
                  ("promised", f"{numbers.LEVEL:.0%}"), ("a person tells", f"α = {loss:g}")])


@view(SMOOTH)
def exponents(s):
    """The exponent of the error of the integral of f^2 against smoothness, in one round and in two."""
    marks, read = [], {}
    for rounds, role, words in ((0, "open", "no privacy"), (1, "other", "one round"),
                                (2, "private", "two rounds")):
        elbow = quadratic_elbow(rounds)
        grid = np.union1d(np.linspace(SMOOTH.minimum, SMOOTH.maximum, 91), [elbow])
        marks += [line(words, grid, [quadratic_exponent(x, rounds) for x in grid], role, width=4,
                       label=words),
                  dots(f"elbow {words}", [elbow], [0.5], role, size=15)]
        read[words] = quadratic_exponent(s, rounds)
    marks.append(rule("s", "truth", x=s, width=1.5))
    axes = Axes("exponents", linear(0.1, 1, ticks=(0.25, 0.5, 0.75, 1)), linear(0, 0.56, 0.1),
                "the error of ∫ f² falls like 1 / (n α²), or 1 / n, to this power", "smoothness s", "power",
                tuple(marks))
    said = [(words, f"{value:.3f}") for words, value in read.items()]
    return Shown((axes,), f"At smoothness {s:g} the powers are {', '.join(map(' '.join, said))}. Without "
                 "privacy α does not count.", [*said, ("bends", "cited, 2023")])


HERE = f"With {K} faces and {numbers.ENOUGH[K]:,} people"
FIRST = f"After {UniformityTest(TOLD, K).first_people(numbers.ENOUGH[K]):,} people"

STORY = Story("second_question", "The second question", size=(10.4, 5.2), last=(NOISE,), scenes=(
    Scene("a die", "A die has a distribution, or law: half of its faces are too heavy. Nobody knows which. "
          "Could an office see it from private answers?", a_die, {}, ("n", "noise")),
    Scene("every face", "A direction is one way to lean: some faces heavier, others lighter. One round asks "
          "about all faces: a little information on each direction.", two_rows, {"rounds": 1}, ("K", "n")),
    Scene("suspects", "Ask a part of the people first. Faces above zero look too heavy: these are suspects. "
          f"Of {K}, how many are judged right, on average?", suspects, {"answered": False}, ("n", "noise"),
          ask=Ask({
              "32": f"{FIRST} it is 39.2. A coin has 32: the suspicion is a little better.",
              "39": f"{FIRST}. A coin has 32. So weak a suspicion is enough, as you will see.",
              "51": f"{FIRST} it is 39.2. The noise is more than twice the excess of a face.",
              "60": f"{FIRST} it is 39.2. The noise is more than twice the excess of a face."},
              right="39", then={"answered": True})),
    Scene("second question", "Other people hear one question: is yours a suspect? Same people in all, same "
          "budget. How often is the die found now?", two_rows, {}, ("rounds", "K", "n"), ask=Ask({
              "26%": f"{HERE} one round has that, two have 80%: weak suspicions add up over the faces.",
              "50%": f"{HERE} it is 80%: weak suspicions add up over the faces, in one column.",
              "80%": f"{HERE}: information runs into one column, and weak suspicions add up over the "
                     "faces."},
              right="80%", then={"rounds": 2})),
    Scene("people", "How many people find it four times in five? For many faces one round climbs with slope "
          "3/2, two rounds with 1. Where is equality?", people_against_faces, {}, ("alpha", "delta", "K"),
          play=("K", numbers.FACES)),
    Scene("questionnaire", "Six fixed questions, one round. The adversary, who makes the die, reads them "
          "first, then chooses the heavy faces. How often is it found?", questions_read,
          {"n": 20_000, "answered": False}, ("known", "coins"),
          ask=Ask({
              "78%": "That is the average over all heavy halves. Now each fixed question holds half of the "
                     "heavy faces: 5%.",
              "40%": "It is 5%: each fixed question holds half of the heavy faces, and hears nothing.",
              "5%": "Each fixed question holds half of the heavy faces. Now let public dice draw other "
                    "questions afterwards."},
              right="5%", then={"known": True, "answered": True})),
    Scene("break it", "Others answer: a fair die is called unfair in 5%. To save people, let the reports of "
          "the first round answer, too. How often now?", who_judges, {"n": numbers.ENOUGH[K]},
          ("judge", "noise"), ask=Ask({
              "5%": "With the same reports it is all of 20,000 simulated surveys: reports that choose "
                    "suspects find them guilty.",
              "50%": "With the same reports it is all of 20,000 simulated surveys. Suspects are the faces "
                     "that noise has lifted.",
              "nearly always": "The same reports do in all of 20,000 simulated surveys. The noise that "
                               "lifted the suspects finds them guilty."},
              right="nearly always", then={"judge": numbers.JUDGES[1]})),
    Scene("densities", "A density's smoothness says how often it can be differentiated. Beyond an elbow more "
          "of it helps no more. Cited: Butucea, Rohde, Steinberger.", exponents),
    Scene("explore", "For questions: all controls. Left: information, and what the office sees. Right: "
          "people for 80%, against faces.", explore.everything),
))

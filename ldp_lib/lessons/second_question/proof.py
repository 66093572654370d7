"""Why a second question pays, one step at a time: the ledger of notebook 08, drawn for more faces."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib._rounding import canonical
from ldp_lib.lessons.second_question.ledger import LEVEL, POWER, agreement, kappa, suspicion, two_values
from ldp_lib.lessons.steps import mathml
from ldp_lib.privacy.binomial import at_least, binomial_chances
from ldp_lib.stage import Control, Scene, Shown, Story, view
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.picture import Axes, band, bars, dots, figures, line, linear, log, percent, rule, short
from ldp_lib.theory import information_budget, people_bound, two_round_limit
from ldp_lib.theory.contraction import kl

BUDGET = Control("alpha", "budget", "α", powers_of_two(-2, 2, 2), 1.0, "{:.3g}", "in nats")
FACES = Control("faces", "faces", "K", (4, 8, 16, 32, 64, 128, 256), 16, "{}", "of the die")
TILT = Control("delta", "tilt", "δ", (0.1, 0.25, 0.5, 0.75), 0.5, "{:g}",
               "heavy faces have 1 + δ times their fair share")
SUSPECTS = Control("suspects", "suspects", "", tuple(range(1, 16)), 7, "{} of 16",
                   "faces that the first people make suspect")
ASKED = Control("asked", "other people", "", (25, 50, 100, 200), 100, "{}", "who answer the second question")
FIRST = Control("first", "first people", "", (250, 500, 1000, 2000, 4000, 8000, 16_000), 4000, short,
                "who send a sign for each face")
SHARES = np.linspace(0, 1, 201)
MOST = np.geomspace(0.02, 2, 101)
"""People of an axis, in units of what a bound asks for."""
SIDE = 16
"""Faces of the scene with suspects."""


@view(BUDGET, FACES)
def one_answer(alpha, faces):
    """The variance over the faces of Q(z|x)/m(z), by how many faces the answer z favours."""
    ceiling, curve = math.sinh(alpha / 2) ** 2, two_values(SHARES, alpha)
    shares = np.arange(1, faces) / faces
    values = two_values(shares, alpha)
    best = int(canonical(values).argmax())
    used = values[best] / ceiling
    marks = (rule("ceiling", "bound", y=ceiling, width=3, label=f"ceiling sinh²(α/2) = {figures(ceiling)}"),
             line("curve", SHARES, curve, "truth", width=3, label="any share"),
             dots("faces", shares, values, "private", size=7, label=f"whole faces of {faces}"),
             dots("best", [shares[best]], [values[best]], "private", size=14))
    axes = Axes("variance", linear(0, 1, 0.25, "{:.0%}"), linear(0, 1.25 * ceiling),
                "variance of an answer's likelihood over the faces", "share of the faces that it favours", "",
                marks)
    return Shown((axes,), f"With {faces} faces an answer says most if it favours {best + 1} of them: "
                 f"{percent(used)} of the ceiling.",
                 [("favour", f"{best + 1} of {faces}"), ("of the ceiling", percent(used)),
                  ("ceiling", figures(ceiling))])


@view(BUDGET, FACES)
def directions(alpha, faces):
    """What a report tells in each direction: in all alike, or in the one that it is asked about."""
    bound = information_budget(faces, alpha)
    trace = faces * two_values(np.arange(1, faces) / faces, alpha).max()
    each, places = trace / (faces - 1), np.arange(1.0, faces)
    across, up = linear(0.4, faces - 0.4), linear(0, 1.2 * max(bound.direction, each))
    left = (bars("subset", places - 0.4, places + 0.4, np.zeros(faces - 1), np.full(faces - 1, each), "other",
                 label="subset selection"),)
    right = (rule("wall", "bound", y=bound.direction, width=3, label="wall K tanh²(α/2)"),
             bars("half", [0.6], [1.4], [0], [bound.direction], "private", label="a question about a half"))
    numbers = [("that direction, times as much", f"× {figures(bound.direction / each)}"),
               ("one direction", figures(bound.direction)), ("every direction", figures(each))]
    return Shown(
        (Axes("all", across, up, f"asked about everything: {faces - 1} directions", "direction", "", left,
              grid=False),
         Axes("one", across, up, "asked about one half", "direction", "", right, grid=False)),
        f"Subset selection tells {figures(each)} in each of {faces - 1} directions. A question about a half "
        f"tells {figures(bound.direction)} in one, {figures(bound.direction / each)} times as much.", numbers)


@lru_cache(maxsize=256)
def needed(protocol, faces, alpha, delta):
    """`people_bound`."""
    return people_bound(faces, alpha, delta, protocol=protocol)


def best_power(people, faces, alpha, delta):
    """The most power that even questions can have, for numbers of people."""
    agree, chances = agreement(faces)
    lam = people * (math.sinh(alpha / 2) * delta) ** 2 / (faces - 1)
    chi = np.exp(np.minimum(lam[:, None] * agree, 700)) @ chances - 1
    return np.minimum(LEVEL + np.sqrt(LEVEL * (1 - LEVEL) * np.maximum(chi, 0)), 1)


@view(FACES, BUDGET, TILT)
def fixed_questions(faces, alpha, delta):
    """Left: how much two random halves agree. Right: the most power of even questions."""
    (agree, chances), bound = agreement(faces), needed("even", faces, alpha, delta)
    people, wide = bound * MOST, 1.6 / faces
    left = (bars("agree", agree - wide, agree + wide, np.zeros(len(agree)), chances, "truth", hollow=True),)
    right = (rule("wanted", "reference", y=POWER, width=2, label="wanted: 0.8"),
             line("most", people, best_power(people, faces, alpha, delta), "bound", width=3,
                  label="most that even questions can have"),
             dots("bound", [bound], [POWER], "bound", size=13))
    return Shown(
        (Axes("agree", linear(-1.3, 1.3, 1), linear(0, 1.2 * chances.max()),
              "how much two random halves agree", "−1 opposite, 1 the same", "", left, grid=False, wide=0.8),
         Axes("power", log(people[0], people[-1]), linear(0, 1.1, 0.2), "power of the best test", "people n",
              "", right)),
        f"With fewer than {bound:,} people even questions about {faces} faces cannot reach a power of "
        f"{POWER:g} at level {LEVEL:g}.",
        [("even questions need", f"{bound:,}"), ("spread of agreement", f"± {1 / math.sqrt(faces - 1):.2g}")])


@view(TILT, FACES, BUDGET)
def any_protocol(delta, faces, alpha):
    """Left: a half and its opposite together. Right: what all answers can tell, against what is asked."""
    x, factor = np.linspace(-delta, delta, 101), kappa(delta)
    left = (line("lid", x, 2 * factor * x**2, "bound", width=3, label="lid 2κx²"),
            line("pair", x, -np.log1p(-(x**2)), "truth", width=3, label="−log(1 − x²)"))
    bound, asked = needed("interactive", faces, alpha, delta), kl([LEVEL, 1 - LEVEL], [POWER, 1 - POWER])
    people = bound * np.linspace(0, 2, 3)
    slope = factor * (math.sinh(alpha / 2) * delta) ** 2 / (faces - 1)
    right = (rule("asked", "reference", y=asked, width=2, label=f"asked for: {asked:.3g}"),
             line("told", people, slope * people, "bound", width=3, label="all answers tell at most"),
             dots("bound", [bound], [asked], "bound", size=13))
    top = -math.log1p(-(delta**2))
    return Shown(
        (Axes("pair", linear(-1.1 * delta, 1.1 * delta, ticks=(-delta, 0, delta)), linear(0, 1.3 * top),
              "a half and its opposite, together", "x, by how much an answer is too frequent", "", left,
              wide=0.8),
         Axes("told", linear(0, 2 * bound, ticks=(0, bound), words=short), linear(0, 2.3 * asked, 1),
              "divergence, in nats", "people n", "", right)),
        f"With fewer than {bound:,} people no questions about {faces} faces reach a power of {POWER:g} "
        f"at level {LEVEL:g}, whatever they depend on.",
        [("any protocol needs", f"{bound:,}"), ("κ", figures(factor))])


@view(SUSPECTS, ASKED, BUDGET)
def other_people(suspects, asked, alpha):
    """The law of the number of yes under the fair die."""
    chance = (1 + math.tanh(alpha / 2) * (2 * suspects / SIDE - 1)) / 2
    counts, law = np.arange(asked + 1), binomial_chances(asked, chance)
    tails = at_least(counts, asked, chance)
    critical = int(np.argmax(np.append(canonical(tails) <= LEVEL, True)))
    level = float(np.append(tails, 0.0)[critical])
    groups = [bars(key, counts[part] - 0.4, counts[part] + 0.4, np.zeros(part.sum()), law[part], role,
                   label=words)
              for key, part, role, words in (("fair", counts < critical, "reference", "called fair"),
                                             ("alarm", counts >= critical, "second", "called unfair"))
              if part.any()]
    axes = Axes("yes", linear(-1, asked + 1, asked / 5), linear(0, 1.2 * law.max()),
                "how many say yes if the die is fair", "people who say yes", "", tuple(groups), grid=False)
    return Shown((axes,), f"{suspects} of {SIDE} faces are suspect. A fair die is called unfair from "
                 f"{critical} yes of {asked} on: in {level:.1%} of all surveys.",
                 [("false alarms", f"{level:.1%}"), ("called unfair from", f"{critical} of {asked}")])


@view(FIRST, FACES, TILT)
def no_face_takes_away(first, faces, delta):
    """Left: chances to be suspect, against the number of first people. Right: what faces add to the gain."""
    crowds, masses = np.array(FIRST.values), np.array([1, 1 + delta, 1 - delta]) / faces
    fair, heavy, light = np.transpose([suspicion(n, faces, 1.0, masses) for n in FIRST.values])
    at = FIRST.values.index(first)
    added = delta / faces * np.array([heavy[at] - fair[at], fair[at] - light[at]])
    right_faces = faces / 2 * (1 + heavy[at] - light[at])
    gain = faces / 2 * added.sum()
    left = (line("heavy", crowds, heavy, "second", width=3, label="a heavy face"),
            line("fair", crowds, fair, "reference", width=2, label="a fair one"),
            line("light", crowds, light, "first", width=3, label="a light face"),
            dots("at", [first, first], [heavy[at], light[at]], "truth", size=9))
    right = (bars("added", [-0.35, 0.65], [0.35, 1.35], [0, 0], faces / 2 * added, "private"),)
    return Shown(
        (Axes("suspect", log(crowds[0], crowds[-1], short, ticks=(250, 1000, 4000, 16_000)),
              linear(0, 1.05, 0.25, "{:.0%}"), "chance to be suspect", "first people", "", left),
         Axes("added", linear(-0.6, 1.6, ticks=(0, 1), words=("heavy faces", "light faces")),
              linear(0, 1.3 * faces / 2 * added.max(), words=lambda share: f"{100 * share:.2g}%",
                     ticks=(0, float(f"{faces / 2 * added.max():.1g}"))),
              "people beyond the fair share", "", "", right, wide=0.8, grid=False)),
        f"{first:,} people judge {right_faces:.1f} of {faces} faces right on average. The suspects hold "
        f"{gain:.2%} of all people more than their fair share.",
        [("faces judged right", f"{right_faces:.1f} of {faces}"), ("gain", f"{gain:.2%}")])


@view(BUDGET, TILT)
def everything(alpha, delta):
    """People against faces: what is needed, and what two rounds have in the limit."""
    sizes = np.array(FACES.values)
    low, even = (np.array([needed(protocol, K, alpha, delta) for K in FACES.values])
                 for protocol in ("interactive", "even"))
    two = limit().noncentrality * sizes / (math.tanh(alpha / 2) * delta) ** 2
    bottom = low.min() / 3
    marks = (band("land", sizes, np.full(len(sizes), bottom), low, "forbidden",
                  label="no protocol"),
             line("even", sizes, even, "bound", width=3, label="even questions need at least"),
             line("two", sizes, two, "private", width=4, label="two rounds, limit for many faces"))
    axes = Axes("people", log(3.5, 300, "{:g}", ticks=(4, 16, 64, 256)), log(bottom, 2 * even.max()),
                "people for power 0.8 at level 0.05", "faces K", "", marks)
    ahead = [K for K, one, other in zip(FACES.values, even, two, strict=True) if one > other]
    proved = (f"From {ahead[0]} faces on even questions need more than the limit of two rounds."
              if ahead else "At these numbers of faces even questions may need fewer than two rounds.")
    return Shown((axes,), proved + f" With 256 faces no protocol gets by with fewer than {low[-1]:,}.",
                 [("two rounds, 256 faces", short(two[-1])), ("even questions need", f"{even[-1]:,}"),
                  ("any protocol needs", f"{low[-1]:,}")])


@lru_cache(maxsize=1)
def limit():
    """`two_round_limit`."""
    return two_round_limit(LEVEL, POWER)


STORY = Story("proof_second_question", "Why a second question pays", size=(10.0, 5.2), scenes=(
    Scene("one answer", "An answer may be at most e to the α times as likely for a share w of all faces. "
          "Which w tells most?", one_answer, {}, ("alpha", "faces"), formula=mathml(
              "frac{w (1 - w) {(e^alpha - 1)}^2}{{(1 - w + w e^alpha)}^2} <= sinh^2 frac{alpha}{2}")),
    Scene("directions", "M holds what an answer tells: trace M in all directions together, f′Mf in "
          "direction f. Asked about one half, people tell more there.", directions, {}, ("alpha", "faces"),
          formula=mathml(
              'trace M <= K sinh^2 frac{alpha}{2} "," "  " f\' M f <= K tanh^2 frac{alpha}{2}')),
    Scene("even questions", "Even questions ask about all faces alike. Two random halves share H faces. This "
          "limits χ², the distance from a fair die, and the power.", fixed_questions, {},
          ("faces", "alpha", "delta"), formula=mathml(
              "1 + chi^2 <= E e^{lambda (4H/K - 1)} \",\" \"  \" "
              "lambda = frac{n delta^2}{K - 1} sinh^2 frac{alpha}{2}")),
    Scene("any protocol", "Questions may depend on all answers before. If the die is fair, these say nothing "
          "about the heavy half: answers add up.", any_protocol, {}, ("delta", "faces", "alpha"),
          formula=mathml('"divergence" <= n kappa frac{delta^2}{K - 1} sinh^2 frac{alpha}{2}')),
    Scene("other people", "Other people say whether their face is a suspect. If the die is fair, their yes "
          "is a coin with known odds.", other_people, {}, ("suspects", "asked", "alpha"),
          formula=mathml('P("p-value" <= a | "fair die") <= a "  for every " a')),
    Scene("the gain", "Heavy faces are suspect more often, light ones less often. Both bring too many yes; "
          "no face takes away.", no_face_takes_away, {}, ("first", "faces", "delta"), formula=mathml(
              'E p(S) - frac{|S|}{K} = sum_k (p_k - frac{1}{K}) P("face " k " is suspect")')),
    Scene("explore", "How many people for how many faces? Lines and land are bounds; the limit of two rounds "
          "is for many faces.", everything),
))

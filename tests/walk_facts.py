"""What panels say with comparatives has a condition: the words that compare, and the form of a condition.

The conditions stand in the twin of their lesson, `SAID` of `tests/lessons/<lesson>/said.py`, those of the
price in `tests/lessons/test_price.py`. A # in their words stands for a number, which the condition is given;
`tests/test_walk.py` goes to all positions.
"""

import math
import re
from functools import cache
from typing import NamedTuple

import numpy as np

COMPARATIVE = re.compile(
    r"\b(?:more|fewer|less|least|most|better|best|worse|worst|hardly|nearly|above|below|beyond|outside|inside"
    r"|all|none|nobody|nothing|nowhere|never|always|every|everybody|everywhere|any|only|alone|enough|too"
    r"|twice|half|halves?|doubles?|same|cannot|impossible|exceed\w*|falls?|rises?|grows?|shrinks?|stays?"
    r"|(?:larg|small|tall|low|high|deep|narrow|wid|fin|long|short|likeli|loud|rar|sharp|simpl|cheap|loos|near"
    r"|full|farth)(?:er|est)|whatever|as (?:much|many)|(?<!a )(?<!said )(?<!or )no)\b", re.IGNORECASE)
"""Comparatives, superlatives, quantifiers and denials."""
NAMES = (
    "aged # and more", "all # =", "all answers =", "one label for all =", "all cells =",
    "times as many people =",
    "finest h", "everybody, ", "everybody's noise", "noise of everybody", "one bit from everybody",
    "no privacy =", "no privacy, p =", "only wavelets that see you", "best h, looked up", "same spacing =",
    "Everybody's noise", "With no mistake", "With half the noise", "With no noise on zeros",
    "'one seed for all surveys'", "'one seed for everybody'", "in all,", "in all =", "half-width",
    "people inside =", "over heavy halves",
)
"""Words that only name what a number is; whether it is right is not theirs to say."""
CHOSEN = ("what is wrong", "event")
"""Labels of readouts that tell of a mechanism, or of what an audit has found."""

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺·", "0123456789-+.")
NUMBER = re.compile(r"(?<!\w)[+−±×-]?(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
                    r"(?:·10[⁻⁰¹²³⁴-⁹]+|[⁻⁰¹²³⁴-⁹]+)?%?|∞")
"""As panels print one: 1,200, −0.5, ×2.74, 67%, 10⁶ and 1.78·10⁹."""


def value(words):
    """The number that is printed; shares of 100% as they stand.

    >>> [value(words) for words in ("×1,200", "−0.5", "67%", "10⁶", "1.5·10⁻³", "∞")]
    [1200.0, -0.5, 67.0, 1000000.0, 0.0015, inf]
    """
    words = words.strip("±×+%").replace("−", "-").replace(",", "")
    mantissa, _, exponent = words.partition("10") if re.search("[⁰-⁹⁻¹²³]", words) else (words, "", "")
    if words == "∞":
        return math.inf
    if not exponent:
        return float(mantissa)
    return float(mantissa.rstrip("·") or 1) * 10.0 ** int(exponent.translate(RAISED))


@cache
def masked(words):
    """`words` with # for its numbers."""
    return NUMBER.sub("#", words)


def near(found, told, relative=0.006, most=0.0):
    """Whether what is told is what is found, as far as three digits tell."""
    return found == told or abs(found - told) <= relative * abs(told) + most


def ordered(*values):
    """Whether no value is larger than the next, as they are printed."""
    return all(low <= high for low, high in zip(values, values[1:]))


def least_at(line):
    """Where a line is lowest, and how low."""
    k = int(np.nanargmin(line["y"]))
    return float(line["x"][k]), float(line["y"][k])


def below(seen, axes, low, high):
    """Whether a line never stands above another one, as far as they are drawn."""
    first, second = (seen[axes][key]["y"] for key in (low, high))
    both = np.isfinite(first) & np.isfinite(second)
    return bool((first[both] <= second[both] + 1e-4 * (1 + np.abs(second[both]))).all())


def wasted(seen):
    """Decimal logarithms of the factors of people of all steps, from the first."""
    found = [seen["waste"][key] for key in ("before", "now") if key in seen["waste"]]
    low, left, right = (np.concatenate([each[side] for each in found]) for side in ("low", "left", "right"))
    return (right - left)[np.argsort(-low)]


class Said(NamedTuple):
    """Words of a panel, and when they are true.

    where : a view whose sentence, readout or title they are part of, or a scene
    told(seen, *numbers) : is given the `story_facts.Seen` and the numbers in the words
    kind : "view", "scene" or "home"; see `views`, `scenes`, `at_home`
    """

    panel: str
    where: str
    words: str
    told: object
    kind: str


def views(panel, **found):
    """`Said` of views, below the picture or as its title: pairs of words and a condition."""
    return [Said(panel, view, *pair, "view") for view, pairs in found.items() for pair in pairs]


def scenes(panel, found):
    """`Said` of scenes without a fact (of proofs, of *explore*): true wherever the scene's words stand."""
    return [Said(panel, scene, *pair, "scene") for scene, pairs in found.items() for pair in pairs]


def at_home(panel, found):
    """`Said` of scenes, true where the scene begins; elsewhere panels say of which position they speak."""
    return [Said(panel, scene, *pair, "home") for scene, pairs in found.items() for pair in pairs]

"""Exercises of notebook 00: what a student writes, and words that only its own feedback has."""

import math

from ldp_lib.lessons.start.story import share

MISTAKES = [
    ("00.1", lambda alpha: math.exp(-alpha), "Too careful"),
    ("00.1", lambda alpha: 1 / (math.exp(alpha / 2) + 1), "spends α/2"),
    ("00.1", lambda alpha: 1 / (1 + math.exp(-alpha)), "tell the truth"),
    ("00.1", lambda alpha: 0.5, "A fair coin"),
    ("00.2", lambda share, alpha: share, "the share of reports."),
    ("00.2", lambda share, alpha: share - 1 / (math.exp(alpha) + 1), "took off the lies"),
    ("00.2", lambda share, alpha: share * (1 + math.exp(-alpha)), "now and then"),
    ("00.3", 1296, "by 3 only"),
    ("00.3", 11_664, "9.02 points"),
    ("00.3", math.ceil(share() * (1 - share()) / 0.01**2), "without privacy"),
    ("00.4", 1.41, "1 to 4"),
    ("00.4", 0.707, "a larger budget"),
]
RIGHT = [
    ("00.1", lambda alpha: 1 / (math.exp(alpha) + 1), ""),
    ("00.2", lambda share, alpha: (share * (math.exp(alpha) + 1) - 1) / (math.exp(alpha) - 1), ""),
    ("00.3", 11_707, "1.000 times"),
    ("00.4", 1.0, "40.5%"),
]

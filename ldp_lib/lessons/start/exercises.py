"""The exercises of notebook 00: how often to lie, how to correct for lies, how many people that takes."""

import math

from ldp_lib.lessons.start.story import spread, truth
from ldp_lib.privacy.responses import share_of_yes
from ldp_lib.stage.judge import behaves, chosen, exercise, function, telling

BUDGETS = [{"alpha": alpha} for alpha in (0.5, 1.0, 2.0)]


def _lie(alpha):
    return 1 - truth(alpha)


exercise(
    "00.1", "how often to say the opposite",
    function(_lie, BUDGETS),
    "the truth must be e^α times as likely as the lie, and both together are certain.",
    second="if you lie with probability q, (1 - q) / q is e^α.",
    mistakes={
        behaves(lambda alpha: math.exp(-alpha), BUDGETS):
            "Too careful: (1 - q) / q is below e^α. At α = 1 you would spend 0.54 of 1.",
        behaves(lambda alpha: 1 / (math.exp(alpha / 2) + 1), BUDGETS):
            "This spends α/2. There is one report: let it spend all of α.",
        behaves(lambda alpha: math.exp(alpha) / (1 + math.exp(alpha)), BUDGETS):
            "That is how often you tell the truth.",
        behaves(lambda alpha: 0.5, BUDGETS):
            "A fair coin: nobody learns anything about you, or about the crowd."})

SHARES = [{"share": share, "alpha": alpha} for share, alpha in ((0.503, 1.0), (0.6, 0.5), (0.3, 2.0))]


exercise(
    "00.2", "the share of yes behind the share of reports",
    function(lambda share, alpha: share_of_yes(share, truth(alpha)), SHARES),
    "of the people with yes 1 - q report yes, of the others q: write the share of reports down and solve it.",
    second="the share of reports is p (1 - q) + (1 - p) q.", stars=2,
    mistakes={
        behaves(lambda share, alpha: share, SHARES):
            "That is the share of reports. Lies pull it towards one half.",
        behaves(lambda share, alpha: share - _lie(alpha), SHARES):
            "You took off the lies of the others. But people with yes lie, too: divide by 1 - 2q.",
        behaves(lambda share, alpha: share / (1 - _lie(alpha)), SHARES):
            "You forgot that people with no report yes now and then."})

FEWEST = math.ceil(spread(1, truth(1.0)) ** 2 / 0.01**2)


def _too_few_or_many(people):
    deviation = spread(people, truth(1.0))
    if deviation > 0.01 or people > 1.01 * FEWEST:
        limit = 1 if people < FEWEST else 1.01
        return (f"With {people:,} people the standard deviation is {telling(100 * deviation, 1)} points. "
                f"Your score: {telling(people / FEWEST, limit)} times the fewest; from 1 to 1.01 is right.")
    return ""


exercise(
    "00.3", "the fewest people for one point, at α = 1",
    chosen(1, 10**9, _too_few_or_many, whole=True),
    "four times the people halve it: begin with the 9 points of 144.",
    second="the variance of one corrected report is r (1 - r) / (1 - 2q)², r being the share of reports.",
    stars=3, score=lambda people: f"Your score: {people / FEWEST:.3f} times the fewest.")

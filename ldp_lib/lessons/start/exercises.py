"""The exercises of notebook 00: how often to lie, how to correct for lies, how many people that takes."""

import math

from ldp_lib.lessons.start.story import ALPHA, odds, spread, truth
from ldp_lib.privacy.responses import share_of_yes
from ldp_lib.stage.judge import Offer, behaves, chosen, exercise, function, near, number

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
            "A fair coin: nobody learns anything about you, or about the crowd."},
    more="At α = 1 you lie with probability 26.9%, at α = 2 with 11.9%.")

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
            "You forgot that people with no report yes now and then."},
    more="You divide by 1 - 2q, which is 0.46 at α = 1: every deviation gets 2.16 times as large.")

FEWEST = math.ceil(spread(1, truth(1.0)) ** 2 / 0.01**2)

exercise(
    "00.3", "the fewest people for one point, at α = 1",
    number(lambda: FEWEST, relative=0.01, above=True),
    "four times the people halve it: begin with the 9 points of 144.",
    second="the variance of one corrected report is r (1 - r) / (1 - 2q)², r being the share of reports.",
    stars=3,
    mistakes={
        near(144 * 9): "Nine times the people divide the 9 points by 3 only.",
        near(144 * 81, 0.001): "144 times 9²: but it is 9.02 points, so this is just too few.",
        near(math.ceil(spread(1, 1.0) ** 2 / 0.01**2)): "So few are enough without privacy."},
    score=lambda people: f"Your score: {people / FEWEST:.3f} times the fewest.",
    more="Half the standard deviation would take four times as many.")

BEFORE, SURE = 0.2, 0.5
"""What somebody believed of a yes, and what she may never believe after a report."""
LARGEST = max(alpha for alpha in ALPHA.values if odds(BEFORE, math.exp(alpha)) < SURE)
"""Of the positions of the slider."""


def _too_sure(alpha):
    sure = odds(BEFORE, math.exp(alpha))
    right = sure < SURE and alpha >= LARGEST
    return "" if right else f"At α = {alpha:g} a report makes her {sure:.1%} sure of a yes, at most."


exercise(
    "00.4", "the largest budget on the slider that keeps a belief of 20% below one half",
    chosen(0, 9, _too_sure),
    "a report multiplies her odds by e^α at most. What are the odds of 20%, and of one half?",
    mistakes={
        lambda alpha: odds(BEFORE, math.exp(alpha)) >= SURE:
            "Her odds were 1 to 4: e^α must stay below 4.",
        lambda alpha: 0 < alpha < LARGEST:
            "She stays below. But a larger budget does so, too, and lets the crowd be read more easily."},
    more="Odds of 1 to 4 times e are 0.68 to 1, which is 40.5%. The limit is α = log 4 = 1.386.",
    enough="The exact position counts.",
    offer=Offer((ALPHA,), "start/1?scene=deniability&alpha=0.125&prior=0.2"))

"""How long it takes to find how many people a survey needs: exactly, by simulation, and for a width.

The simulated plan is for a learnt rule, which has no exact law: some twenty numbers of people, up to 200
surveys at each, whose sums of bits are drawn from their law. Beside it stands what the intervals of that rule
take, 4,000 places of a rule that a million people have taught.
"""

import numpy as np

from ldp_lib.estimation import AdaptiveClassifier, OneBitClassifier, WaveletClassifier
from ldp_lib.nature import problem
from ldp_lib.risk import people_for_width, people_needed

from .measure import Row, duration, medians

TITLE = "Planning a survey, and how sure it was afterwards (sine, alpha = 1)"
WIDTHS = range(2, 21)
TARGET = 0.05
GOAL_EXACT, GOAL_SIMULATED, GOAL_WIDTH, GOAL_INTERVALS = 1.0, 20.0, 0.1, 2.0


def rows():
    """Yield one `Row` a plan."""
    law, rules = problem("sine"), [OneBitClassifier(1.0, 1 / m) for m in WIDTHS]
    seconds, = medians(3, lambda: people_needed(rules, law, TARGET))
    yield Row(f"exact, risk {TARGET}, {len(rules)} rules of one bit: {people_needed(rules, law, TARGET):,}",
              duration(seconds), "", duration(GOAL_EXACT), seconds <= GOAL_EXACT)
    for rule in (AdaptiveClassifier(1.0), WaveletClassifier(1.0)):
        found = []
        seconds, = medians(1, lambda: found.append(people_needed(rule, law, TARGET, rng=1)))
        plan, = found
        yield Row(f"simulated, risk {TARGET}, {type(rule).__name__}: {plan.people:,}", duration(seconds),
                  f"95%: {plan.low:,} to {plan.high:,}", duration(GOAL_SIMULATED), seconds <= GOAL_SIMULATED)
    bit = OneBitClassifier(1.0, 0.1)
    seconds, = medians(3, lambda: people_for_width(bit, 0.001))
    yield Row(f"intervals 0.001 wide, one bit: {people_for_width(bit, 0.001):,}", duration(seconds), "",
              duration(GOAL_WIDTH), seconds <= GOAL_WIDTH)
    for rule in (AdaptiveClassifier(1.0, rng=1), WaveletClassifier(1.0, rng=1)):
        for d in (1, 2):
            rule.set_params(rng=1).fit(*problem("sine", d=d).sample(10**6, rng=1))
            X = np.random.default_rng(1).random((4000, d))
            seconds, = medians(3, lambda: rule.interval(X))
            yield Row(f"4,000 intervals, {type(rule).__name__}, d = {d}, {rule.mechanism_.K} cells asked",
                      duration(seconds), "", duration(GOAL_INTERVALS), seconds <= GOAL_INTERVALS)

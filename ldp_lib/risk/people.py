"""How many people a rule needs for a given excess risk."""

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.risk.exact import cell_grid, grid_risks, moves

ROUGH = 1e-5
"""Relative error of the risks that are not near the target."""
LEAST = 1e-13
"""What risks on a curve are, at least, in logarithms."""


def people_needed(rules, problem, target, *, most=10**12):
    """The fewest people with exact excess risk at most `target`, to the last one; None beyond `most`.

    rules : a classifier, or a list of them, of which the best counts at every n: bandwidths to choose from,
    say.
    problem : as for `excess_risk`.  target : excess risk aimed at, in (0, 1).

    The answer n is enough, and n - 2 people are not. No smaller number would do if the risk falls along the
    even and along the odd n; that is not proved. With cells that move with n it may be false, and the answer
    is then where the risk first falls to the target while n doubles. Even and odd numbers are searched apart
    because bits can tie: a tie counts as 1, and one person more may do harm.

    >>> from ldp_lib.estimation import CubeClassifier, NoisyMajorityClassifier
    >>> from ldp_lib.nature import problem
    >>> [people_needed(rule, problem("sine"), 0.05) for rule in (
    ...     CubeClassifier(1.0, 0.25), NoisyMajorityClassifier(1.0, side=0.25))]
    [26868, 42]
    """
    rules = list(rules) if isinstance(rules, (list, tuple)) else [rules]
    if not rules:
        raise ValueError("rules is empty; give a classifier, or a list of one or more.")
    target = real("target", target, above=0, below=1)
    most = whole("most", most, least=2)
    # Grids whose cells do not move are made once.
    tried = [(rule, None if moves(rule) else cell_grid(rule, problem)) for rule in rules]

    def suffices(rule, grid, n):
        grid = grid or cell_grid(rule, problem, n)
        rough, = grid_risks(rule, [grid], [n], ROUGH)
        if abs(rough - target) > 10 * ROUGH * target:
            return rough < target
        return grid_risks(rule, [grid], [n])[0] <= target

    def enough(n):
        for place, each in enumerate(tried):
            if suffices(*each, n):
                # The best rule for n is often the best for its neighbours, too.
                tried.insert(0, tried.pop(place))
                return True
        return False

    few, even = 0, 2
    while not enough(even):
        few, even = even, min(2 * even, most - most % 2)
        if few == even:
            return None
    even = _first(enough, few, even)
    if even == 2 or not enough(even - 1):
        return even
    few, odd, step = even - 3, even - 1, 2
    while few > 1 and enough(few):
        few, odd, step = max(few - 2 * step, 1), few, 2 * step
    return _first(enough, few, odd)


def _first(enough, few, many):
    """The first n = few + 2, few + 4, ..., many that is enough; `many` is, and `few` is not."""
    while many - few > 2:
        middle = few + 2 * ((many - few) // 4)
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def people_on_curve(target, people, risks):
    """The people at whom a curve of exact risks first falls to `target`, straight in the logarithms.

    people, risks : arrays (m,).  Infinite if the last are too few; the first if they suffice.
    """
    enough = risks <= target
    if enough[0] or not enough.any():
        return float(people[0]) if enough[0] else np.inf
    end = int(enough.argmax())
    # What is 0, or below it, is a rounding error far below every risk that is looked for.
    before, after = np.log(np.maximum(risks[end - 1:end + 1], LEAST))
    share = (before - np.log(target)) / (before - after)
    return float(people[end - 1] ** (1 - share) * people[end] ** share)

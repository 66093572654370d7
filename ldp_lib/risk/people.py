"""How many people a rule needs for a given excess risk."""

from ldp_lib._arguments import real, whole
from ldp_lib.risk.exact import excess_risk


def people_needed(rules, problem, target, *, most=10**12):
    """The fewest people, to a relative 1%, with exact excess risk at most `target`; None beyond `most`.

    rules : a classifier, or a list of them, of which the best counts at every n: bandwidths to choose from,
    say.
    problem : as for `excess_risk`.  target : excess risk aimed at, in (0, 1).

    The best risk need not fall from one n to the next (cells move), so that the answer is where it first
    falls to the target on a geometric grid with ratio 2, refined by bisection.

    >>> from ldp_lib.estimation import CubeClassifier, NoisyMajorityClassifier
    >>> from ldp_lib.nature import problem
    >>> local, central = (people_needed(rule, problem("sine"), 0.05) for rule in (
    ...     CubeClassifier(1.0, 0.25), NoisyMajorityClassifier(1.0, side=0.25)))
    >>> round(local / central)
    640
    """
    rules = rules if isinstance(rules, (list, tuple)) else [rules]
    target = real("target", target, above=0, below=1)
    most = whole("most", most, least=2)

    def risk(n):
        return min(excess_risk(rule, problem, n) for rule in rules)

    enough = 2
    while risk(enough) > target:
        enough *= 2
        if enough > most:
            return None
    low = enough // 2
    while enough - low > 0.01 * enough and enough - low > 1:
        middle = (low + enough) // 2
        low, enough = (low, middle) if risk(middle) <= target else (middle, enough)
    return enough

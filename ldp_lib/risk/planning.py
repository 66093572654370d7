"""How many people does it take, for a risk or for the width of an interval?

Where the risk is exact, so is the answer. Where it is simulated, the answer is where the simulated mean falls
to the target, and beside it stand the numbers of people that the simulation cannot tell from it.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import Randomness, generator, interval, real, whole
from ldp_lib._rounding import canonical
from ldp_lib.estimation import CellClassifier, CubeClassifier, LinearWaveletDensity
from ldp_lib.estimation.base import GridClassifier
from ldp_lib.estimation.intervals import density_variance_bound, normal_reach, sign_size, variance_bound
from ldp_lib.estimation.posterior import PosteriorMeanClassifier
from ldp_lib.nature import Problem, SpaceProblem
from ldp_lib.privacy import CellAggregate
from ldp_lib.privacy.binomial import binomial_interval
from ldp_lib.privacy.responses import OneBit, hadamard_transform
from ldp_lib.risk.exact import cell_grid, grid_risks, has_exact_law, moving
from ldp_lib.risk.simulated import MOST_REPEATS, excess_of_one_fit, progress_bar

ROUGH = 1e-5
"""Relative error of the risks that are not near the target."""
CLOSE = 1.02
"""A simulated search ends where its two ends are this close to each other, as a ratio."""
STANDARD_ERRORS = 1.96
"""Means that differ from the target by more are told from it: 95% of those that are at it do not."""

FEW, CLEAR = 20, 5.0
"""Twenty fits, then twice as many, and so on, until the mean is five standard errors from the target."""


MOST_PEOPLE = 10**12
"""Of an interval's width; beyond, binomial quantiles lose their digits."""


class Planned(NamedTuple):
    """People for a risk that is simulated: at `people` its mean falls to the target.

    At `low` the simulated mean is above the target by more than 1.96 standard errors, and at `high` below it
    by as much, or the search ended, at 2 or `most`. Numbers between them the simulation does not tell apart:
    of one rule, an interval for the number of people at 95%, if the risk falls with n. The least mean of
    several rules is too low, and so are these numbers.

    >>> from ldp_lib.estimation import AdaptiveClassifier
    >>> from ldp_lib.nature import problem
    >>> plan = people_needed(AdaptiveClassifier(alpha=4.0), problem("sine"), 0.1, repeats=40, rng=1)
    >>> plan.low <= plan.people <= plan.high
    True
    """

    people: int
    low: int
    high: int


def people_needed(rules: GridClassifier | Sequence[GridClassifier], problem: Problem | SpaceProblem,
                  target: float, *, most: int = 10**12, repeats: int = 200, rng: Randomness = None,
                  progress: bool | None = None) -> int | Planned | None:
    """The fewest people with excess risk at most `target`, to the last one; or simulated, with its error.

    Parameters
    ----------
    rules : GridClassifier, or a list of them
        Of several, the best counts at every n: bandwidths to choose from, say. Each as for `cell_grid`.
    problem : Problem or SpaceProblem
        As for `excess_risk`.
    target : float
        Excess risk aimed at, in (0, 1).
    most : int
        The most people to try, 2 or more; 10^12 by default.
    repeats : int
        Fits at every n that is tried, 2 or more; 200 by default. It and the next two matter where a rule has
        no exact law, as `AdaptiveClassifier` and `WaveletClassifier`.
    rng : Generator, int or None
        Of the simulation: a numpy Generator, a seed, or None for fresh entropy. All n meet the same streams.
    progress : bool, optional
        Show a bar. None, the default, shows one after two seconds, where errors go to a terminal.

    Returns
    -------
    int, Planned or None
        The number of people in all, an int where the risks of all rules are exact, a `Planned` where one is
        simulated: `people`, and `low` and `high`, between which simulation cannot tell; None if it is beyond
        `most`.

    Notes
    -----
    Exact: the answer n is enough, and n - 2 people are not. No smaller number would do if the risk falls
    along the even and along the odd n; that is not proved. With cells that move with n it may be false, and
    the answer is then where the risk first falls to the target while n doubles. Even and odd numbers are
    searched apart because bits can tie: a tie counts as 1, and one person more may do harm.

    Simulated: halving on the logarithm of n, down to 2%, as if the mean risk fell with n. Where a learnt rule
    reads finer cells from some n on, it may jump there. For rules that read bits of a `Problem`, the sums of
    all people are drawn from their exact law, at a cost that does not grow with n.

    Examples
    --------
    >>> from ldp_lib.estimation import AdaptiveClassifier, CubeClassifier, NoisyMajorityClassifier
    >>> from ldp_lib.nature import problem
    >>> [people_needed(rule, problem("sine"), 0.05) for rule in (
    ...     CubeClassifier(1.0, 0.25), NoisyMajorityClassifier(1.0, side=0.25))]
    [26868, 42]
    >>> plan = people_needed(AdaptiveClassifier(4.0), problem("sine"), 0.05, repeats=20, rng=1)
    >>> plan.low <= plan.people <= plan.high
    True
    """
    rules = list(rules) if isinstance(rules, (list, tuple)) else [rules]
    if not rules:
        raise ValueError("rules is empty; give a classifier, or a list of one or more.")
    target = real("target", target, above=0, below=1)
    most = whole("most", most, least=2)
    repeats = whole("repeats", repeats, least=2, most=MOST_REPEATS,
                    cure="A standard error needs two repeats.")
    streams = generator(rng)
    if all(map(has_exact_law, rules)):
        return _exact(rules, problem, target, most)
    with progress_bar(progress, desc="numbers of people", unit="n") as bar:
        return _simulated(rules, problem, target, most, streams.spawn(repeats), bar)


def _exact(rules, problem, target, most):
    """The answer to the last one."""
    # Grids whose cells do not move are made once.
    grids = [None if moving(rule) else cell_grid(rule, problem) for rule in rules]

    @functools.cache
    def suffice(place, *people):
        """Are so many enough, and so many, ...?"""
        rule, here = rules[place], [grids[place] or cell_grid(rules[place], problem, n) for n in people]
        rough = grid_risks(rule, here, people, ROUGH)
        enough = rough < target
        for each in np.flatnonzero(np.abs(rough - target) <= 10 * ROUGH * target):
            risk, = grid_risks(rule, [here[each]], [people[each]])
            enough[each] = canonical(risk) <= canonical(target)
        return tuple(enough.tolist())

    every = [functools.partial(suffice, place) for place in range(len(rules))]
    if None in grids:
        # Cells that move may be too many for memory where another rule is long good enough.
        return _fewest(lambda n: any(enough(n)[0] for enough in every), most)
    return _fewest_of_any(every, most)


def _fewest_of_any(rules, most):
    """The fewest people who are enough for one rule, or None, rule by rule.

    rules : functions of one n or more that tell of each whether it is enough; two take hardly longer.
    """
    # In a random order few rules are better than all before them, and only those are searched.
    order, best, better = np.random.default_rng(0).permutation(len(rules)), None, True
    while better:
        better = False
        for enough in (rules[place] for place in order):
            if best is None or (best > 2 and any(enough(*range(max(best - 2, 2), best)))):
                fewer = _fewest(lambda n, enough=enough: enough(n)[0], best - 1 if best else most)
                best, better = fewer or best, better or fewer is not None
    return best


def _fewest(enough, most):
    """The fewest people, 2 to `most`, who are enough, or None, if `enough` stays along the even and odd n."""
    few, even = 0, 2
    while not enough(even):
        few, even = even, min(2 * even, most - most % 2)
        if few == even:
            # An odd number, the last, may be enough where the even one beside it is not.
            odd = most - 1 + most % 2
            if odd < 2 or not enough(odd):
                return None
            even = odd + 1
            break
    else:
        even = first_enough(enough, few, even, 2)
        if even == 2 or not enough(even - 1):
            return even
    few, odd, step = even - 3, even - 1, 2
    while few > 1 and enough(few):
        few, odd, step = max(few - 2 * step, 1), few, 2 * step
    return first_enough(enough, few, odd, 2)


def first_enough(enough, few, many, step=1):
    """The first n = few + step, few + 2 step, ..., many that is enough; `many` is, and `few` is not."""
    while many - few > step:
        middle = few + step * ((many - few) // (2 * step))
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def _simulated(rules, problem, target, most, streams, bar):
    """The `Planned` answer, or None."""

    @functools.cache
    def excess(n):
        """How far the risk of the best rule is above the target, and its standard error."""
        bar.update()
        values = np.empty((len(rules), 0))
        while True:
            # What a few fits show is not looked at more closely.
            part = streams[values.shape[1]:max(FEW, 2 * values.shape[1])]
            # Of canonical numbers the sums are exact, so that equal risks have no standard error.
            values = np.hstack([values, canonical([_risks(rule, problem, n, part) for rule in rules])])
            best = values[values.mean(axis=1).argmin()]
            mean, error = best.mean() - canonical(target), best.std(ddof=1) / math.sqrt(len(best))
            # Twenty equal risks say nothing about the next one, where a rule has few cells.
            if abs(mean) > CLEAR * error > 0 or len(best) == len(streams):
                return mean, error

    def above(n, errors):
        mean, error = excess(n)
        return mean > errors * error

    def border(errors, few, many):
        """Two n, 2% apart: at the first the mean is above the target by so many errors, at the other not."""
        while many > CLOSE * few + 1:
            middle = round(math.sqrt(few * many))
            few, many = (middle, many) if above(middle, errors) else (few, middle)
        return few, many

    few = many = 2
    while above(many, 0.0):
        if many == most:
            return None
        few, many = many, min(2 * many, most)
    people = low = high = border(0.0, few, many)[1]
    # From outside: who looks for a difference from within, step by step, finds one by chance.
    while low > 2 and not above(low, STANDARD_ERRORS):
        low = max(low // 2, 2)
    while high < most and (high == people or above(high, -STANDARD_ERRORS)):
        high = min(2 * high, most)
    return Planned(people, border(STANDARD_ERRORS, low, people)[0], border(-STANDARD_ERRORS, people, high)[1])


def _risks(rule, problem, n, streams):
    """The excess risk of a fit to each stream's people, (repeats,)."""
    grid = cell_grid(rule, problem, n)
    if has_exact_law(rule):
        return np.repeat(grid_risks(rule, [grid], [n]), len(streams))
    streams = [np.random.default_rng(stream.bit_generator.seed_seq) for stream in streams]
    if isinstance(rule, PosteriorMeanClassifier):
        mechanism = rule.build_mechanism(n, problem.d)
        if isinstance(mechanism, OneBit):
            return _risks_of_bits(rule, mechanism, problem, n, grid, streams)
    return np.array([excess_of_one_fit(rule, problem, n, grid, stream) for stream in streams])


def _risks_of_bits(rule, mechanism, problem, n, grid, streams):
    """The same where people send bits, whose sums are drawn from their law.

    Given how many people have a row, their bits are independent, with one chance to be 1.
    """
    p, q = problem.cell_masses(*mechanism.boxes())
    walsh = hadamard_transform(np.pad(2 * q - p, (0, mechanism.order - mechanism.K)))
    chances = (0.5 + walsh / (4 * mechanism.scale)).clip(0, 1)
    rule, rows, risks = copy.copy(rule), 1 / mechanism.row_weights, []
    for stream in streams:
        senders = stream.multinomial(n, rows / rows.sum())
        sums = mechanism.row_weights * (2 * stream.binomial(senders, chances) - senders)
        aggregate = CellAggregate(n, hadamard_transform(sums)[:mechanism.K], repr(mechanism))
        one = rule.fit_aggregate(aggregate, problem.d).scores_.ravel() >= 0
        risks.append(grid.gain_one[~one].sum() + grid.gain_zero[one].sum())
    return np.array(risks)


def people_for_width(estimator: GridClassifier | LinearWaveletDensity, width: float, *,
                     confidence: float = 0.95, d: int = 1, mass: float = 1.0, height: float = 1.0) -> int:
    """The fewest people whose intervals, `estimator.interval`, are `width` wide at most.

    For rules that is so whatever they say; for densities where the estimate is at most `height`.

    Parameters
    ----------
    estimator : CubeClassifier, CellClassifier, OneBitClassifier or LinearWaveletDensity
        Only its parameters count. The posterior of learnt rules is as wide as the reports make it; plan for a
        risk there.
    width : float
        From end to end, > 0: of the integral of g over a cell, which is between -1/2 and 1/2, or of a
        density, at the worst place of its domain.
    confidence : float
        In (0, 1); 0.95 by default.
    d : int
        Features of the people whom a rule asks; 1 by default.
    mass : float
        As for `standard_error` of a rule: a bound of P(X in a cell), above 0 and up to 1, the default.
    height : float
        For a density, a bound of it, in the units of its domain: at least 1 / (upper - lower), the mean of
        any density there. 1 by default, the uniform one on [0, 1].

    Returns
    -------
    int
        The number of people in all.

    Notes
    -----
    From the normal law and the largest variance, in one line; for one bit a person from the binomial law,
    where half of the bits are 1 and the interval is widest, by halving.

    Examples
    --------
    >>> from ldp_lib.estimation import CellClassifier, OneBitClassifier
    >>> people_for_width(OneBitClassifier(1.0, h=0.1), 0.02)
    45185
    >>> people_for_width(CellClassifier(1.0, h=0.1), 0.02, mass=0.1)
    77790
    >>> people_for_width(OneBitClassifier(1.0, h=1.0), 0.04)     # a share of all people, +-2 points
    11349
    """
    width, reach = real("width", width, above=0), normal_reach(confidence)
    d, mass = whole("d", d), real("mass", mass, above=0, most=1)
    height = real("height", height, above=0)
    if isinstance(estimator, LinearWaveletDensity):
        lower, upper = interval("domain", estimator.domain)
        real("height", height, least=1 / (upper - lower), cure="It is 1 / (upper - lower) on the average.")
        return _people(density_variance_bound(estimator, height), width, reach)
    if not isinstance(estimator, CubeClassifier | CellClassifier):
        raise TypeError(f"estimator = {estimator!r:.60} has no interval whose width is known before; give a "
                        "CubeClassifier, CellClassifier, OneBitClassifier or LinearWaveletDensity.")
    mechanism = estimator.build_mechanism(d)
    people = _people(variance_bound(mechanism, mass), width, reach)
    size = sign_size(mechanism)
    if size is None:
        return people + people % 2 if isinstance(estimator, CubeClassifier) else people

    def narrow(n):
        low, high = binomial_interval(n // 2, n, (1 - confidence) / 2)
        return 2 * size * (high - low) <= width

    few, many = 0, people
    while not narrow(many):
        few, many = many, 2 * many
    return first_enough(narrow, few, many)


def _people(variance, width, reach):
    """The fewest people at whom `reach` standard errors are half the width; variance is n times theirs."""
    needed = variance * (2 * reach / width) ** 2
    if not needed <= MOST_PEOPLE:
        raise ValueError(f"width = {width!r} takes {needed:.3g} people, more than {MOST_PEOPLE:.0e}. Raise "
                         "width or alpha, or lower confidence.")
    return max(1, math.ceil(needed))

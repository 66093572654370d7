"""What the pictures of notebook 03 show, in numbers: exact risks and bounds against bandwidth and people.

Berrett & Butucea (2019), Theorem 2.4. One class P(theta) throughout: L = mu = 1, c0 = 4^-d up to r0 = 1/2,
which all hypercubes of `ldp_lib.risk.hypercube` have, and C0 = 2^(1 + gamma), that is P(0 < |2 eta - 1| <= t)
<= 2 t^gamma.

The exact risks are those of hypercubes whose bumps all have one height, at the worst of some widths. So they
bound the rule's worst risk over the class from below, and other laws are worse: bumps of two heights side by
side, for instance (tested).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.upper_rate.ledger import CHAIN
from ldp_lib.risk.hypercube import WIDEST, both_sides, theorem_bumps, wide_risk
from ldp_lib.stage import log_steps, powers_of_two
from ldp_lib.theory import classification_exponent, lower_bound, theorem_bandwidth, upper_bound
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.upper import sharp_bounds

MULTIPLES = powers_of_two(-12, 12, 4)
"""Bandwidths, in multiples of the theorem's."""
COUNTS = log_steps(1000, 10**12, 4)
"""Numbers of people; every second one carries the exact curves, every sixth the bounds."""
TRIED = (2.0, 4.0)
"""The sharper bound takes the better of these multiples of the theorem's h; the best gains a few per cent."""
ERROR = 1e-5
"""Relative error of the risks in the picture, far below the width of a line."""
FIRST = 1 / 18
"""Curves against n begin at this h: few bumps that fit the grid of a wider one fit into [0, 1/2], and the
worst law of the class, to which the lower bound belongs, is worse than the worst of them."""


class Sweep(NamedTuple):
    """Exact excess risk at one n against h = `multiple` * theorem's h, up to `WIDEST`; arrays."""

    multiple: np.ndarray
    bias: np.ndarray
    noise: np.ndarray

    @property
    def worst(self):
        """The larger of the two: what the worst hypercube of one height and these widths costs."""
        return np.maximum(self.bias, self.noise)

    @property
    def best(self):
        """Index of the bandwidth at which that is least."""
        return int(self.worst.argmin())

    def risk(self, multiple):
        """`worst` there; NaN where h > `WIDEST`."""
        return float(next(iter(self.worst[self.multiple == multiple]), math.nan))


class Rates(NamedTuple):
    """Curves (people, value) at the theorem's h; the exact ones begin where h <= `FIRST`."""

    printed: tuple
    """Bound of the paper, not cut at 1."""
    sharp: tuple
    """Sharper bound."""
    worst: tuple
    """Exact, at the worst of the widths."""
    tuned: tuple
    """Exact, hypercube at the theorem's tuning."""
    lower: tuple
    """Lower bound."""


def margin_constant(gamma):
    """C0 of the class, for which at most a share 2 t^gamma of the people has 0 < |2 eta - 1| <= t."""
    return 2.0 ** (1 + gamma)


@lru_cache(maxsize=4096)
def sweep(n, alpha, beta, gamma, d):
    """The `Sweep` at n people."""
    h = np.array(MULTIPLES) * theorem_bandwidth(n, alpha, beta, d)
    multiple, h = np.array(MULTIPLES)[h <= WIDEST], h[h <= WIDEST]
    known = {"C0": margin_constant(gamma), "relative_error": ERROR}
    return Sweep(multiple, *both_sides(n, alpha, h, beta, gamma, d, **known))


def between(n, people, values):
    """The value of a curve at `n`, straight in the logarithms; 0 where a neighbour is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.interp(np.log(n), np.log(people), np.log(values))))


@lru_cache(maxsize=1024)
def rates(alpha, beta, gamma, d):
    """The `Rates`; they do not depend on n."""
    people = np.array(COUNTS[::2])
    h = np.array([theorem_bandwidth(n, alpha, beta, d) for n in people.tolist()])
    few, start = people[::3], h[::3]
    people, h = people[h <= FIRST], h[h <= FIRST]
    C0 = margin_constant(gamma)
    worst = np.maximum(*both_sides(people, alpha, h, beta, gamma, d, C0=C0, relative_error=ERROR))
    tuned = wide_risk(people, alpha, 1, theorem_bumps(h, beta, gamma, d), d, ERROR)
    theta = checked_theta(beta, gamma, d, C0=C0)
    sharp = sharp_bounds(few, alpha, theta, np.outer(TRIED, start)).min(axis=0)
    places = [(n, alpha, beta, gamma, d) for n in few.tolist()]
    printed = np.array([upper_bound(*place, kind="printed", C0=C0).parts["untruncated"] for place in places])
    lower = np.array([lower_bound(*place, contraction="interactive", C0=C0).value for place in places])
    return Rates((few, printed), (few, sharp), (people, worst), (people, tuned), (few, lower))


def exponents(beta, gamma, d):
    """Of the rates with and without privacy."""
    return [classification_exponent(beta, gamma, d, private) for private in (True, False)]


def waterfall(book):
    """What the proof of Theorem 2.4 gives away between exact risk and printed bound, in people.

    book : `ledger("2.4", ...)`.  Returns rows (step of `CHAIN`, its claim, factor): so many times as many
    people bring the right side of the step down to its left side, if a risk falls like n^-r with the
    theorem's r. The product of all factors is that of the printed bound and the exact risk.
    """
    beta, gamma, d = (book.params[name] for name in ("beta", "gamma", "d"))
    rate = beta * (1 + gamma) / (2 * beta + 2 * d)
    return [(name, book[name].claim, book[name].slack ** (1 / rate)) for name in CHAIN]

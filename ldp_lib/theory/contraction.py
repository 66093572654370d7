"""Private contraction: how little an alpha-LDP report tells about which of two laws its person came from.

P1 and P2 are laws of one person, TV their total variation distance, M1 and M2 the laws of her report. All
constants below are for one report; J = KL(M1||M2) + KL(M2||M1).

* "printed": J <= min(4, e^(2 alpha)) (e^alpha - 1)^2 TV^2 (Duchi, Jordan & Wainwright, 2018, Theorem 1).
* "simple": J <= (e^alpha - 1)^2 TV^2. At an output with smallest likelihood l and largest at most e^alpha l,
  |m1 - m2| <= l (e^alpha - 1) TV and |log(m1/m2)| <= |m1 - m2| / l; the l sum to at most 1.
* "dominating": the likelihood of an event is a + (b - a) g(x) with 0 <= g <= 1, b <= e^alpha a and
  1 - a <= e^alpha (1 - b). For gamma >= 1 the mean of g under P1 less gamma times that under P2 is largest
  with g = 1 where P1 exceeds gamma P2: then it is E_gamma(P1, P2) <= E_1(P1, P2) = TV. So M1(A) - gamma M2(A)
  <= a (1 - gamma) + (b - a) TV, which is largest at a = 1 / (e^alpha + 1), b = e^alpha a, or is negative:

      E_gamma(M1, M2) = sup_A M1(A) - gamma M2(A) <= [(e^alpha - 1) TV - (gamma - 1)]+ / (e^alpha + 1).

  The right side is the curve of a pair of laws on three points (`dominating_pair`), so that every alpha-LDP
  report is at most as telling as one draw from that pair. Curves of this kind compose even when the
  mechanisms are chosen as reports come in: E_gamma(M1, M2) = E_2[r E_{gamma/r}(last report)], r the
  likelihood ratio of the earlier ones, is at most the same with the pair's last draw, and so on backwards.
  Hence TV(M1, M2) after n sequentially interactive reports, one a person, is at most TV between n draws of
  the pair, and that is an exact contour integral (`indistinguishability`).

Kernels are arrays (inputs, outputs) whose rows are laws; laws are arrays that sum to 1; alpha is in nats.
"""

from __future__ import annotations

import itertools
import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, rel_entr

from ldp_lib._arguments import choice, real, reals, together, whole
from ldp_lib._rounding import NOTHING
from ldp_lib.privacy.binomial import at_least
from ldp_lib.risk.contour import RELATIVE_ERROR
from ldp_lib.risk.scores import majority_sign_probabilities

PINSKER_PEOPLE = {"printed": 2.0, "interactive": 0.5, "noninteractive": 0.25}
"""K / n in TV(M1, M2)^2 <= K (e^alpha - 1)^2 TV^2 after n reports, by Pinsker's inequality TV^2 <= J / 4.

0.25 is the "simple" constant for n independent reports. With interaction only the two divergences one by one
are bounded by it at each step, hence 0.5. 2 is what the paper uses.
"""
CONTRACTIONS = (*PINSKER_PEOPLE, "dominating")
MOST_COUNTS = 8_000_000
"""`reports_total_variation` goes through this many counts at most: 64 MB, and some seconds."""


def total_variation(m1, m2):
    """TV distance sup_A |m1(A) - m2(A)| of two laws on finitely many points."""
    return float(np.abs(np.subtract(m1, m2)).sum() / 2)


def at_most(k, n, p):
    """P(at most k of n bits are 1), each with probability p; any k is legal, arrays broadcast."""
    return at_least(n - np.asarray(k), n, 1 - p)


def reports_total_variation(n, m1, m2):
    """TV distance between n independent reports from m1 and n from m2, laws on finitely many points; exact.

    Points with the same likelihood ratio are merged; the counts of all but two of the r kinds that remain are
    enumerated, and the last two are binomial. So any n is possible if r <= 2; else n^(r - 2) is limited.
    Both laws must be positive wherever one of them is.
    """
    n, laws = whole("n", n), np.array([m1, m2], dtype=float)
    laws = laws[:, laws.sum(axis=0) > 0]
    _, kind = np.unique(np.round(np.log(laws[0] / laws[1]), 12), return_inverse=True)
    laws = np.array([np.bincount(kind, law) for law in laws])
    free = laws.shape[1] - 2
    if free < 0:
        return 0.0
    size = math.comb(n + free, free)
    if size * free > MOST_COUNTS:
        raise ValueError(f"n = {n} reports of {free + 2} kinds have {size * free:,} counts, more than "
                         f"{MOST_COUNTS:,}; lower n or the number of outputs.")
    # The two extreme kinds come last: the more people answer with the largest ratio, the likelier is m1.
    laws = laws[:, [*range(1, free + 1), 0, free + 1]]
    *others, low, high = np.log(laws[0] / laws[1])
    # Between n people in a row `free` bars are drawn, in all ways: so many are of each kind but the last two.
    bars = itertools.chain.from_iterable(itertools.combinations(range(n + free), free))
    counts = np.diff(np.fromiter(bars, int).reshape(size, free), prepend=-1) - 1
    left = n - counts.sum(axis=1)
    # m1 is likelier if the sum of all ratios, with the largest j times, is above 0.
    most = np.floor(-(counts @ others + left * low) / (high - low))
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) - gammaln(left + 1)
    chances = [np.exp(ways + counts @ np.log(law[:free]) + left * np.log1p(-law[:free].sum()))
               @ (1 - at_most(most, left, law[-1] / law[free:].sum())) for law in laws]
    return float(chances[0] - chances[1])


def kl(m1, m2):
    """KL(m1 || m2) = sum m1 log(m1 / m2) in nats; infinite where m2 = 0 < m1."""
    return float(rel_entr(m1, m2).sum())


def symmetric_kl(m1, m2):
    """J = KL(m1 || m2) + KL(m2 || m1), in nats."""
    return kl(m1, m2) + kl(m2, m1)


def randomised_response(alpha, k=2):
    """The kernel on k points that tells the truth with odds e^alpha : 1 against each lie, shape (k, k);
    alpha-LDP."""
    alpha, k = real("alpha", alpha, above=0), whole("k", k, least=2)
    kernel = np.ones((k, k)) + math.expm1(alpha) * np.eye(k)
    return kernel / kernel.sum(axis=1, keepdims=True)


def staircase(alpha, sets):
    """The kernel (records, outputs) in which an output is e^alpha times as likely for the records in its set.

    sets : booleans (records, outputs), every record in as many sets. For many purposes one of them is
        the best: Kairouz, Oh and Viswanath (2016), doi:10.48550/arXiv.1407.1338.
    """
    odds = 1 + math.expm1(alpha) * np.asarray(sets)
    return odds / odds.sum(axis=1, keepdims=True)


def subsets(records, size):
    """All sets of so many records, booleans (records, sets): the sets of subset selection.

    >>> subsets(3, 2).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """
    chosen = np.array(list(itertools.combinations(range(records), size)))
    return (chosen == np.arange(records)[:, None, None]).any(axis=2)


def kernel_budget(kernel):
    """The alpha of a kernel: the largest log-likelihood ratio of two inputs at one output."""
    kernel = np.asarray(kernel, dtype=float)
    reached = kernel[:, kernel.max(axis=0) > 0]
    if (reached == 0).any():
        return math.inf
    return float(np.log(reached.max(axis=0) / reached.min(axis=0)).max())


def with_budget(kernel, alpha):
    """The mixture of `kernel` with its average row (an extrapolation, if `kernel` is more private) that has
    budget alpha.

    Every row moves by the same factor s towards the average row c: s Q + (1 - s) c. The odds at an output are
    at most e^alpha iff s [(Qmax - c) - e^alpha (Qmin - c)] <= (e^alpha - 1) c; the smallest such s makes one
    of them equal. Refuses a kernel whose rows are all equal: it has budget 0 whatever s is.
    """
    kernel, odds = np.asarray(kernel, dtype=float), math.exp(real("alpha", alpha, above=0))
    if kernel.ndim != 2 or (kernel < 0).any() or not np.allclose(kernel.sum(axis=1), 1):
        raise ValueError("kernel must be a matrix of probabilities whose rows sum to 1, "
                         "one row for each input.")
    centre = kernel.mean(axis=0)
    needed = (kernel.max(axis=0) - centre) - odds * (kernel.min(axis=0) - centre)
    if not (needed > 0).any():
        raise ValueError("kernel has equal rows: its reports tell nothing, "
                         "and no mixture of them has the budget alpha.")
    strength = ((odds - 1) * centre[needed > 0] / needed[needed > 0]).min()
    return strength * kernel + (1 - strength) * centre


def contraction_constant(alpha, kind="simple"):
    """c in J <= c TV^2 for one alpha-LDP report; `kind` is "printed", "simple" or "dominating" (see the
    module).

    "dominating" is 2 (e^alpha - 1)^2 / (e^alpha + 1): log(1 + x) <= x in the symmetric KL divergence of the
    pair.

    >>> [round(contraction_constant(1.0, kind), 3) for kind in ("printed", "simple", "dominating")]
    [11.81, 2.952, 1.588]
    """
    alpha = real("alpha", alpha, above=0)
    gain = math.expm1(alpha) ** 2
    constants = {"printed": min(4.0, math.exp(2 * alpha)) * gain, "simple": gain,
                 "dominating": 2 * gain / (math.exp(alpha) + 1)}
    return constants[choice("kind", kind, constants)]


def extremal_example(alpha, tv):
    """(P1, P2, kernel, J / TV^2) of the mechanism that shows the constants sharp as alpha -> 0.

    P1 = (tv, 1 - tv), P2 = (0, 1) and randomised response: J / tv^2 tends to (e^alpha - 1)^2 / e^alpha as tv
    -> 0.
    """
    tv = real("tv", tv, above=0, most=1)
    first, second, kernel = np.array([tv, 1 - tv]), np.array([0.0, 1.0]), randomised_response(alpha)
    return first, second, kernel, symmetric_kl(first @ kernel, second @ kernel) / tv**2


def dominating_pair(alpha, tv):
    """Two laws on three points, shape (2, 3), at least as far apart as any alpha-LDP reports on laws tv
    apart.

    With k = 1 / (e^alpha + 1) and r = 1 + (e^alpha - 1) tv the pair is (k r, k, rest) and (k, k r, rest).
    """
    alpha, tv = real("alpha", alpha, above=0), real("tv", tv, least=0, most=1)
    share = 1 / (math.exp(alpha) + 1)
    odds = 1 + math.expm1(alpha) * tv
    rest = 1 - share * (1 + odds)
    return np.array([[share * odds, share, rest], [share, share * odds, rest]])


def pair_divergence(alpha, tv):
    """J of the dominating pair, 2 (e^alpha - 1) tv log(1 + (e^alpha - 1) tv) / (e^alpha + 1), without
    cancellation; tv may be an array."""
    gain = math.expm1(real("alpha", alpha, above=0))
    return 2 * gain * tv * np.log1p(gain * reals("tv", tv, least=0, most=1)) / (gain + 2)


LARGEST_ALPHA = 700.0
"""e^alpha has to stay a float."""


def _checked(n, alpha, tv):
    """People, budget and distance as float arrays of one shape."""
    return together(n=reals("n", n, least=1, integer=True),
                    alpha=reals("alpha", alpha, above=0, most=LARGEST_ALPHA),
                    tv=reals("tv", tv, least=0, most=1))


@overload
def indistinguishability(n: float, alpha: float, tv: float, relative_error: float = ...) -> float: ...


@overload
def indistinguishability(n: ArrayLike, alpha: ArrayLike, tv: ArrayLike,
                         relative_error: float = ...) -> np.ndarray: ...


def indistinguishability(n: ArrayLike, alpha: ArrayLike, tv: ArrayLike,
                         relative_error: float = RELATIVE_ERROR) -> float | np.ndarray:
    """1 - TV between n draws of the dominating pair: a lower bound on 1 - TV(M1, M2) for n alpha-LDP reports.

    Valid for sequentially interactive mechanisms and every alpha; exact for the pair. The best test counts
    the first two points against each other: with S their difference in n draws,
    1 - TV = P_1(S < 0) + P_2(S >= 0).

    Parameters
    ----------
    n : int or array
        People who report, whole, one or more. Arrays broadcast.
    alpha : float or array
        Privacy budget in nats, 0 < alpha <= 700.
    tv : float or array
        TV of one person's two laws, in [0, 1].
    relative_error : float
        Target of the contour integrals; the default is `ldp_lib.risk.contour.RELATIVE_ERROR`, 1e-13.

    Returns
    -------
    float or array
        Between 0 and 1, of the shape to which the arguments broadcast; 0 where it is surely below e^-700.

    Examples
    --------
    >>> indistinguishability([1000, 10_000], alpha=1.0, tv=0.01).round(4).tolist()
    [0.8427, 0.5304]
    """
    n, alpha, tv = _checked(n, alpha, tv)
    share = 1 / (np.exp(alpha) + 1)
    odds = 1 + np.expm1(alpha) * tv
    # 1 - TV <= (sum of sqrt(P_1 P_2))^n; where that is below e^-700 the answer is 0, and the integral would
    # be slow. Of two forms one rounds well near 1, the other near 0.
    overlap = np.maximum(1 - share * (np.sqrt(odds) - 1) ** 2,
                         share * (np.expm1(alpha) * (1 - tv) + 2 * np.sqrt(odds)))
    open_question = n * np.log(overlap) > -700
    result = np.zeros(n.shape)
    n, share, odds = (values[open_question] for values in (n, share, odds))
    result[open_question] = mirrored_overlap(n, share * odds, share, relative_error)
    return result[()]


def mirrored_overlap(n, more, less, relative_error=RELATIVE_ERROR):
    """1 - TV between n draws of (more, less, rest) and n of (less, more, rest), laws on three points; exact.

    The best test counts the first two points against each other; a tie speaks for neither. Arrays broadcast.
    """
    n, more, less = np.broadcast_arrays(n, more, less)
    # A third point that rounding leaves is none: beside a large alpha it would weigh more than `less`.
    both = np.where(more + less > 1 - NOTHING, 1.0, more + less)
    overlap, two = np.empty(n.shape), both == 1
    three = np.logical_not(two)
    if three.any():
        sides = np.minimum([more[three], less[three]], both[three])
        missed, false = majority_sign_probabilities(n[three], both[three], sides, relative_error)
        overlap[three] = missed[0] + false[1]
    if two.any():
        # Half of n or more at the rarer point speak for the wrong law, a tie for neither: binomial tails.
        n, less = n[two], less[two]
        overlap[two] = at_least(np.ceil(n / 2), n, less) + at_least(np.floor(n / 2) + 1, n, less)
    return np.minimum(overlap, 1.0)


@overload
def distinguishability(n: float, alpha: float, tv: float, contraction: str = ...,
                       relative_error: float = ...) -> float: ...


@overload
def distinguishability(n: ArrayLike, alpha: ArrayLike, tv: ArrayLike, contraction: str = ...,
                       relative_error: float = ...) -> np.ndarray: ...


def distinguishability(n: ArrayLike, alpha: ArrayLike, tv: ArrayLike, contraction: str = "dominating",
                       relative_error: float = RELATIVE_ERROR) -> float | np.ndarray:
    """An upper bound on TV(M1, M2) between the reports of n people whose laws are `tv` apart.

    Parameters
    ----------
    n : int or array
        People who report, whole, one or more. Arrays broadcast.
    alpha : float or array
        Privacy budget in nats, 0 < alpha <= 700.
    tv : float or array
        TV of one person's two laws, in [0, 1].
    contraction : str
        "printed" (K = 2n), "interactive" (n/2) and "noninteractive" (n/4; only for mechanisms without
        interaction) are square roots of K (e^alpha - 1)^2 tv^2, cut at 1; "dominating", the default, is exact
        for the dominating pair.
    relative_error : float
        As in `indistinguishability`; only "dominating" uses it.

    Returns
    -------
    float or array
        Between 0 and 1, of the shape to which the arguments broadcast.

    References
    ----------
    .. [1] T. Berrett and C. Butucea, "Classification under local differential privacy" (2019),
       proof of Theorem 2.5, for "printed", doi:10.48550/arXiv.1912.04629.
    .. [2] J. Duchi, M. Jordan and M. Wainwright, "Minimax optimal procedures for locally private estimation"
       (2018), JASA 113, Theorem 1, for the contraction behind it, doi:10.1080/01621459.2017.1389735.

    Examples
    --------
    >>> [float(distinguishability(1000, 1.0, 0.01, kind).round(3)) for kind in ("printed", "dominating")]
    [0.768, 0.157]
    """
    if choice("contraction", contraction, CONTRACTIONS) == "dominating":
        return 1 - indistinguishability(n, alpha, tv, relative_error)
    n, alpha, tv = _checked(n, alpha, tv)
    return np.minimum(np.sqrt(PINSKER_PEOPLE[contraction] * n) * np.expm1(alpha) * tv, 1.0)

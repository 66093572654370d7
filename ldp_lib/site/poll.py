"""A poll of the room: every answer is randomised on the telephone of the person who gives it.

The lecturer opens a poll, the room votes on the budget alpha, then the question is shown, and each telephone
tosses the coin of randomised response (`ldp_lib.privacy.exact.ResponseCoin`) and sends one report, 0 or 1.
The server sees votes and reports, never an answer; whoever serves the page serves its script, and so must be
trusted to serve this one. It also sees when a report comes, and from which network address. All others see
how many have come, as they come, and what they say in sums, in steps of `STEP` reports: no single one, and
none of fewer than `LEAST`. Nothing proves who is in the room: whoever knows a poll's code can send reports
under many tokens, and who knows four of five knows the fifth, which is worth alpha. A poll is opened with a
key that the server gives to lecturers.

An estimate is shown while its interval has 0 and 1 outside. "From 100% to 100%" would say everybody's answer,
and hardly ever rightly. The price: a room that agrees sees nothing, or in 2.5% of cases something wrong.

How it is kept until it ends, and sent, is in `ldp_lib.site.gathering`; an answer is in no file.
"""

import collections
import functools
from bisect import bisect_left

import numpy as np

from ldp_lib.privacy.exact import ResponseCoin
from ldp_lib.privacy.responses import share_of_yes, yes_reports

from .gathering import BUDGETS, LEAST, Gathering, RefusedError, check_budget, line

COINS = {alpha: ResponseCoin(alpha, 1, 1) for alpha in BUDGETS}
"""Heads is the truth; the room votes for one of them."""
STEP = 5
"""A new sum is published every so many reports."""
ROOMS, SHARE = (10, 25, 60, 100, 300), 0.3
"""Rooms whose intervals are told beforehand: telephones, and the share of yes."""
MISS = 0.05
"""The interval misses the share with at most this probability."""


class Polls(Gathering):
    """All polls of a server; the arguments are those of a `Gathering`.

    `vote` and `report` are from tokens to an alpha and to 0 or 1; `counted` and `yes` are published.
    """

    kind, short = "poll", "p"
    columns = ("counted INTEGER DEFAULT 0, yes INTEGER DEFAULT 0, "
               "vote TEXT DEFAULT '{}', report TEXT DEFAULT '{}'")
    acts = {"begin": {"question", "key"}, "vote": {"token", "alpha"}, "ask": {"key", "alpha"},
            "report": {"token", "alpha", "yes"}, "end": {"key"}}

    def begin(self, question: str, key: str) -> dict[str, str]:
        """Open a poll with the server's `key`: its `code` for everybody, its own `key` for the lecturer."""
        return self._opened(key, line(question, "A question"), None)

    def vote(self, code: str, token: str, alpha: float) -> bool:
        """One telephone's wish, which it may change until the question is asked; whether it is its first."""
        check_budget(alpha)
        with self._transaction() as base:
            if self._found(base, code, "alpha")[0] is not None:
                raise RefusedError(409, "The vote on alpha is over.")
            votes = self._joined(base, "vote", code, token)
            self._keep(base, "vote", code, votes | {token: float(alpha)})
        return token not in votes

    def ask(self, code: str, key: str, alpha: float) -> None:
        """The lecturer fixes alpha, once and for all, and the question is shown."""
        check_budget(alpha)
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            fixed = self._found(base, code, "alpha")[0]
            if fixed not in (None, alpha):
                raise RefusedError(409, f"The question was asked with alpha = {fixed:g}, which stays. "
                                        "Another alpha takes another poll.")
            base.execute("UPDATE poll SET alpha = ? WHERE code = ?", (alpha, code))

    def report(self, code: str, token: str, alpha: float, yes: int) -> bool:
        """One telephone's report; the first one counts, whatever comes later. Whether it is the first."""
        check_budget(alpha)
        if type(yes) is not int or yes not in (0, 1):
            raise RefusedError(400, "yes must be 0 or 1.")
        with self._transaction() as base:
            if self._found(base, code, "alpha")[0] != alpha:
                raise RefusedError(409, f"The question is not asked with alpha = {alpha:g}.")
            before = self._joined(base, "report", code, token)
            reports = {token: yes} | before
            self._keep(base, "report", code, reports)
            n, new = len(reports), token not in before
            if new and n >= LEAST and n % STEP == 0:
                base.execute("UPDATE poll SET counted = ?, yes = ? WHERE code = ?",
                             (n, sum(reports.values()), code))
        return new

    def state(self, code: str) -> dict[str, object]:
        """What everybody may see: the question only once alpha is fixed; votes, reports, the estimate."""
        with self._transaction("DEFERRED") as base:
            question, alpha, counted, yes = self._found(base, code, "question", "alpha", "counted", "yes")
            votes = collections.Counter(self._telephones(base, "vote", code).values())
            n = len(self._telephones(base, "report", code))
        found = {"question": "" if alpha is None else question, "alpha": alpha, "n": n, "counted": counted,
                 "least": LEAST, "step": STEP, "budgets": BUDGETS,
                 "votes": [votes[budget] for budget in BUDGETS]}
        if alpha is None:
            found["rooms"] = [{"n": room, "prospects": [prospect(room, budget) for budget in BUDGETS]}
                              for room in ROOMS]
        elif counted:
            p = COINS[alpha].probability
            low, high = interval(yes, counted, p)
            if 0 < low and high < 1:
                found |= {"estimate": share_of_yes(yes / counted, p), "low": low, "high": high}
        return found


_reports = functools.lru_cache(2048)(yes_reports)
"""One room's intervals are found among the same laws."""


@functools.lru_cache(4096)
def interval(yes: int, n: int, p: float, miss: float = MISS) -> tuple[float, float]:
    """An exact interval for the share of people in the room whose answer is yes.

    Parameters
    ----------
    yes, n : int
        Yes reports, and all reports.
    p : float
        Probability of telling the truth, above 1/2.
    miss : float
        At most this is the probability that the share is outside, for every share.

    Returns
    -------
    tuple of float
        The least and the largest share for which at least, and at most, so many yes reports have a
        probability above miss / 2. The answers of the room are fixed numbers; only the coins are random. What
        holds for each number of reports does not hold for all of them at once: who watches the interval move
        and stops where it pleases has another probability of missing.

    Examples
    --------
    >>> interval(60, 100, 0.75)
    (0.53, 0.88)
    """

    def tail(ones, upper):
        first, law = _reports(ones, n - ones, p)
        at = np.arange(first, first + len(law))
        return law[(at >= yes) if upper else (at <= yes)].sum()

    # Turn one answer from no to yes, and keep the uniform variables behind all reports: as p > 1/2, none
    # falls. So P(as many or more) never falls in the number of people whose answer is yes, and P(as few or
    # fewer) never rises in it.
    low = bisect_left(range(n), True, key=lambda ones: tail(ones, True) > miss / 2)
    high = n - bisect_left(range(n), True, key=lambda zeros: tail(n - zeros, False) > miss / 2)
    return low / n, high / n


@functools.cache
def prospect(n: int, alpha: float, share: float = SHARE) -> tuple[float, float]:
    """What a room will see of itself, before anybody is asked.

    Parameters
    ----------
    n : int
        Telephones.
    alpha : float
        One of `BUDGETS`.
    share : float
        Share of the room, rounded to whole people, whose answer is yes.

    Returns
    -------
    tuple of float
        The median width of the interval, and the probability that it is shown, with 0 and 1 outside.

    Examples
    --------
    >>> [round(number, 2) for number in prospect(60, 1.0)]
    [0.5, 0.61]
    """
    p, ones = COINS[alpha].probability, round(share * n)
    first, law = _reports(ones, n - ones, p)
    # What is left out is too little to move a median or a probability in its third digit.
    ends = np.array([(*interval(first + place, n, p), law[place]) for place in np.flatnonzero(law > 1e-9)])
    widths, order = ends[:, 1] - ends[:, 0], np.argsort(ends[:, 1] - ends[:, 0], kind="stable")
    middle = np.searchsorted(np.cumsum(ends[order, 2]), 0.5)
    shown = ends[(ends[:, 0] > 0) & (ends[:, 1] < 1), 2].sum() if n >= LEAST else 0.0
    return float(widths[order[middle]]), float(shown)

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

Polls are in a file that all processes of the server share. What is deleted is overwritten there; copies that
a disk may keep of what it has overwritten are beyond us, and an answer is in none of them.

Between a telephone and `Polls` there are JSON texts; `PollHandler` says which addresses take them.
"""

import collections
import contextlib
import functools
import io
import json
import re
import secrets
import sqlite3
import time
import unicodedata
from pathlib import Path

import numpy as np
import segno
import tornado.web

from ldp_lib.doors import Guarded
from ldp_lib.privacy.exact import ResponseCoin
from ldp_lib.privacy.responses import share_of_yes, yes_reports

BUDGETS = (0.5, 1.0, 2.0, 4.0)
"""Nats; the room votes for one of them."""
COINS = {alpha: ResponseCoin(alpha, 1, 1) for alpha in BUDGETS}
"""Heads is the truth."""
LETTERS, LENGTH = "BCDFGHJKLMNPQRSTVWXZ", 6
"""Of a poll's short address: no vowels, so no words. Who guesses a thousand codes a second needs nine hours,
on average, to find one of 64 million; it is worth the question and the counts that the screen shows."""
MOST_POLLS, MOST_PEOPLE, LONGEST_QUESTION = 50, 2000, 200
NO_INK = set("\u115f\u1160\u3164\uffa0\u2800")
"""Printable, and nothing is seen: fillers of Hangul, the pattern of Braille without dots."""
LEAST, STEP = 10, 5
"""Reports that are summed at least; a new sum is published every so many of them."""
AT_ONCE, ANEW = 500, 1.0
"""New telephones in one poll's vote, and in its reports, that one network address, which a whole room may
have, brings at once, and then a second."""
ROOMS, SHARE = (10, 25, 60, 100, 300), 0.3
"""Rooms whose intervals are told beforehand: telephones, and the share of yes."""
OLDEST = 24 * 3600
"""Seconds after which a poll that nobody ended is not found any more; whatever is sent next deletes it."""
MISS = 0.05
"""The interval misses the share with at most this probability."""
TABLE = """
CREATE TABLE IF NOT EXISTS poll (
    code TEXT PRIMARY KEY, key TEXT, question TEXT, alpha REAL, made REAL,
    counted INTEGER DEFAULT 0, yes INTEGER DEFAULT 0, vote TEXT DEFAULT '{}', report TEXT DEFAULT '{}'
)
"""
"""`vote` and `report` are JSON texts, from tokens in alphabetical order to an alpha and to 0 or 1. A row for
each telephone would tell in which order they came: SQLite writes a new row below the last one, wherever its
key belongs. `counted` and `yes` are published."""
CLOSED = Guarded.headers | {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
                               "style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
}
"""Of the telephones' page: the browser sends nothing from it but to this server."""


class RefusedError(ValueError):
    """What cannot be done, in a sentence, with the HTTP status."""

    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


class Polls:
    """All polls of a server, in the SQLite file `path`; every process has its own `Polls` of it.

    Who knows `key`, which the server has printed, opens polls.
    """

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as base:
            base.execute(TABLE)

    @contextlib.contextmanager
    def _transaction(self, kind="IMMEDIATE"):
        """All of what is done with the yielded connection, or nothing."""
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        with contextlib.closing(connection) as base:
            # Polls go with the server: not waiting for the disk loses nothing when a process is killed. (A
            # server that is itself killed leaves its file in the folder of temporary files.)
            for choice in ("secure_delete = ON", "synchronous = OFF"):
                base.execute(f"PRAGMA {choice}")
            with base:
                base.execute(f"BEGIN {kind}")
                if kind == "IMMEDIATE":
                    base.execute("DELETE FROM poll WHERE made <= ?", (time.monotonic() - OLDEST,))
                yield base

    def begin(self, question: str, key: str) -> dict[str, str]:
        """Open a poll with the server's `key`: its `code` for everybody, its own `key` for the lecturer."""
        _check_key(self.key, key, "Only lecturers open polls: open the address that the server printed when "
                                  "it started, which has their key.")
        question = " ".join(unicodedata.normalize("NFKC", question).split()) if type(question) is str else ""
        if not 0 < len(question) <= LONGEST_QUESTION:
            raise RefusedError(400, f"A question has 1 to {LONGEST_QUESTION} characters, "
                                    f"not {len(question)}.")
        if not question.isprintable() or NO_INK & set(question):
            raise RefusedError(400, "The question has characters that cannot be seen; type it anew.")
        code, key = "".join(secrets.choice(LETTERS) for _ in range(LENGTH)), secrets.token_urlsafe(16)
        with self._transaction() as base:
            if base.execute("SELECT count(*) FROM poll").fetchone()[0] >= MOST_POLLS:
                raise RefusedError(503, f"There are {MOST_POLLS} polls already; end one first.")
            base.execute("INSERT INTO poll (code, key, question, made) VALUES (?, ?, ?, ?)",
                         (code, key, question, time.monotonic()))
        return {"code": code, "key": key}

    def vote(self, code: str, token: str, alpha: float) -> bool:
        """One telephone's wish, which it may change until the question is asked; whether it is its first."""
        _check_budget(alpha)
        with self._transaction() as base:
            if self._found(base, code)[2] is not None:
                raise RefusedError(409, "The vote on alpha is over.")
            votes = self._joined(base, "vote", code, token)
            self._keep(base, "vote", code, votes | {token: float(alpha)})
        return token not in votes

    def ask(self, code: str, key: str, alpha: float) -> None:
        """The lecturer fixes alpha, once and for all, and the question is shown."""
        _check_budget(alpha)
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            fixed = self._found(base, code)[2]
            if fixed not in (None, alpha):
                raise RefusedError(409, f"The question was asked with alpha = {fixed:g}, which stays. "
                                        "Another alpha takes another poll.")
            base.execute("UPDATE poll SET alpha = ? WHERE code = ?", (alpha, code))

    def report(self, code: str, token: str, alpha: float, yes: int) -> bool:
        """One telephone's report; the first one counts, whatever comes later. Whether it is the first."""
        _check_budget(alpha)
        if type(yes) is not int or yes not in (0, 1):
            raise RefusedError(400, "yes must be 0 or 1.")
        with self._transaction() as base:
            if self._found(base, code)[2] != alpha:
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
            _, question, alpha, counted, yes = self._found(base, code)
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

    def end(self, code: str, key: str) -> None:
        """Delete everything about the poll."""
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            base.execute("DELETE FROM poll WHERE code = ?", (code,))

    def _found(self, base, code):
        """The lecturer's key, the question, alpha or None, and what is published: reports, yes among them."""
        row = base.execute("SELECT key, question, alpha, counted, yes FROM poll WHERE code = ? AND made > ?",
                           (code, time.monotonic() - OLDEST)).fetchone()
        if row is None:
            raise RefusedError(404, f"There is no poll {code:.10}; it may have ended.")
        return row

    def _check_lecturer(self, base, code, key):
        _check_key(self._found(base, code)[0], key, "Only who opened the poll can do this.")

    def _telephones(self, base, column, code):
        """What each has sent, by token."""
        (text,), = base.execute(f"SELECT {column} FROM poll WHERE code = ?", (code,))
        return json.loads(text)

    def _joined(self, base, column, code, token):
        """The same, before `token` sends; an error if there is no room for it."""
        if type(token) is not str or not re.fullmatch("[0-9a-f]{32}", token):
            raise RefusedError(400, "token must be 32 digits, each 0 to 9 or a to f.")
        found = self._telephones(base, column, code)
        if len(found.keys() - {token}) >= MOST_PEOPLE:
            raise RefusedError(503, f"A poll takes {MOST_PEOPLE} telephones; this one is full.")
        return found

    def _keep(self, base, column, code, found):
        base.execute(f"UPDATE poll SET {column} = ? WHERE code = ?",
                     (json.dumps(found, sort_keys=True), code))


def _check_key(key, given, words):
    if not secrets.compare_digest(key.encode(), str(given).encode(errors="replace")):
        raise RefusedError(403, words)


def _check_budget(alpha):
    if type(alpha) not in (int, float) or alpha not in BUDGETS:  # True is 1 to Python
        raise RefusedError(400, f"alpha = {alpha!r:.40} is not on offer; choose one of "
                                f"{', '.join(map('{:g}'.format, BUDGETS))}.")


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
        first, law = yes_reports(ones, n - ones, p)
        at = np.arange(first, first + len(law))
        return law[(at >= yes) if upper else (at <= yes)].sum()

    # Turn one answer from no to yes, and keep the uniform variables behind all reports: as p > 1/2, none
    # falls. So P(as many or more) never falls in the number of people whose answer is yes, and P(as few or
    # fewer) never rises in it.
    low = _first(lambda ones: tail(ones, True) > miss / 2, n)
    high = n - _first(lambda zeros: tail(n - zeros, False) > miss / 2, n)
    return low / n, high / n


def _first(true, n):
    """The first of 0, ..., n at which a condition that stays true is true; n if there is none before."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if true(middle) else (middle + 1, high)
    return low


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
    first, law = yes_reports(ones, n - ones, p)
    # What is left out is too little to move a median or a probability in its third digit.
    ends = np.array([(*interval(first + place, n, p), law[place]) for place in np.flatnonzero(law > 1e-9)])
    widths, order = ends[:, 1] - ends[:, 0], np.argsort(ends[:, 1] - ends[:, 0], kind="stable")
    middle = np.searchsorted(np.cumsum(ends[order, 2]), 0.5)
    shown = ends[(ends[:, 0] > 0) & (ends[:, 1] < 1), 2].sum() if n >= LEAST else 0.0
    return float(widths[order[middle]]), float(shown)


class PollHandler(Guarded):
    """POST a JSON text to poll/begin, poll/CODE/vote, .../ask, .../report, .../end; GET poll/CODE.

    What is posted must call itself application/json: a browser sends that for a page of another origin only
    after it asked for leave, which it does not get here.
    """

    def initialize(self, polls, visitors, telephones):
        """Tornado's: `polls` are those of this process; `visitors` may come, and bring new `telephones` to a
        vote or its reports, so often and no more.
        """
        self.polls, self.visitors, self.telephones = polls, visitors, telephones

    def prepare(self):
        """Nothing is done for who comes too often."""
        if not self.visitors.allow(self.request.remote_ip):
            self.refuse(429, "So much is asked from your network address that each must wait.")
            self.finish()

    def get(self, code, act):
        """The state of the poll, never kept by a cache."""
        self.answer(lambda: self.polls.state(code))

    def post(self, code, act):
        """Do what is asked."""
        self.answer(lambda: self.told(code, act))

    def told(self, code, act):
        """The method of `Polls` that is asked for, with the arguments that it takes."""
        takes = {"begin": {"question", "key"}, "vote": {"token", "alpha"}, "ask": {"key", "alpha"},
                 "report": {"token", "alpha", "yes"}, "end": {"key"}}.get(act)
        try:
            told = json.loads(self.request.body)
        except (ValueError, RecursionError):
            told = None
        if (not isinstance(told, dict) or told.keys() != takes
                or self.request.headers.get("Content-Type") != "application/json"):
            raise RefusedError(400, "This is not what a poll's page sends.")
        if "token" not in told:
            return getattr(self.polls, act)(*([code] if code else []), **told)
        # What is refused, or sent again, takes no place from the room; nor does a vote from the reports.
        line = self.request.remote_ip, code, act
        if not self.telephones.allow(line, take=False):
            raise RefusedError(429, "So many telephones come from your network address that each must wait.")
        if getattr(self.polls, act)(code, **told):
            self.telephones.allow(line)
        return {}

    def answer(self, act):
        """What `act` returns as JSON, or why not."""
        self.set_header("Cache-Control", "no-store")
        try:
            self.write(act() or {})
        except RefusedError as refused:
            self.refuse(refused.status, str(refused))

    def refuse(self, status, words):
        """Say why not."""
        self.set_status(status)
        self.write({"error": words})


class QrHandler(Guarded):
    """GET poll/CODE/qr.svg: the address of the telephones' page as a QR code."""

    def initialize(self, visitors):
        """Tornado's: `visitors` may come so often and no more."""
        self.visitors = visitors

    def get(self, code):
        """The picture, black on white in every theme, of the address that the lecturer's browser uses."""
        if not self.visitors.allow(self.request.remote_ip):
            raise tornado.web.HTTPError(429)
        host = self.request.host
        if not re.fullmatch(r"([A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:[0-9]{1,5})?", host):
            raise tornado.web.HTTPError(400)
        self.set_header("Content-Type", "image/svg+xml")
        self.set_header("Cache-Control", "no-store")
        picture = io.BytesIO()
        segno.make(f"{self.request.protocol}://{host}/p/{code}", error="m").save(
            picture, kind="svg", scale=8, border=4, light="white")
        self.write(picture.getvalue())


class PhoneHandler(Guarded):
    """GET p/CODE: the telephones' page."""

    headers = CLOSED

    def initialize(self, page):
        """Tornado's: `page` is the file."""
        self.page = page

    def get(self, code):
        """The same page for every poll; its script asks for the code in its address."""
        self.write(self.page.read_text(encoding="utf-8"))


def routes(polls: Polls, visitors: object, telephones: object, page: Path) -> list[tuple]:
    """Tornado's routes of `polls`.

    `visitors` allows whatever is asked, `telephones` new votes and reports; `page` is the telephones'.
    """
    polls, code = {"polls": polls, "visitors": visitors, "telephones": telephones}, f"[{LETTERS}]{{{LENGTH}}}"
    return [(r"/poll/()(begin)", PollHandler, polls),
            (rf"/poll/({code})/qr.svg", QrHandler, {"visitors": visitors}),
            (rf"/poll/({code})/(vote|ask|report|end)", PollHandler, polls),
            (rf"/poll/({code})()", PollHandler, polls), (r"/p/([^/]*)", PhoneHandler, {"page": page})]

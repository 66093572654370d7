"""Telephones that come together by a short address, and what a server keeps of that until its end.

A *gathering* has a code for everybody and a key for the lecturer who opened it: `ldp_lib.site.poll` asks one
question, `ldp_lib.site.room` what the scenes of a talk ask. Gatherings are in a file that all processes of
the server share. What is deleted is overwritten there; copies that a disk may keep of what it has overwritten
are beyond us.

Between a telephone and a `Gathering` there are JSON texts; `GatheringHandler` says which addresses take them.
"""

import contextlib
import io
import json
import re
import secrets
import sqlite3
import time
import unicodedata
from pathlib import Path

import segno
import tornado.web

from ldp_lib.doors import Guarded

BUDGETS = (0.5, 1.0, 2.0, 4.0)
"""Nats that a question can be asked with."""
LETTERS, LENGTH = "BCDFGHJKLMNPQRSTVWXZ", 6
"""Of a code: no vowels, so no words. Who guesses a thousand codes a second needs nine hours,
on average, to find one of 64 million; it is worth the question and the counts that the screen shows."""
MOST, MOST_PEOPLE, LONGEST_QUESTION = 50, 2000, 200
"""Gatherings of a kind, telephones in one, characters."""
NO_INK = set("\u115f\u1160\u3164\uffa0\u2800")
"""Printable, and nothing is seen: fillers of Hangul, the pattern of Braille without dots."""
LEAST = 10
"""Randomised reports that are summed at least."""
AT_ONCE, ANEW = 500, 1.0
"""New telephones in one vote, or in the reports to one question, that one network address, which a whole room
may have, brings at once, and then a second."""
OLDEST = 24 * 3600
"""Seconds after which what nobody ended is not found any more; whatever is sent next deletes it."""
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


class Gathering:
    """All gatherings of one kind of a server, in the SQLite file `path`; every process has its own object.

    Who knows `key`, which the server has printed, opens one. Subclasses have a `kind`, which is what they are
    called in words, in addresses and in the file; `columns` that their rows have beside those of `TABLE`; and
    `acts`, from the name of a method to what a page sends for it.
    """

    kind, short, columns, acts = "", "", "", {}

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as base:
            base.execute(f"CREATE TABLE IF NOT EXISTS {self.kind} (code TEXT PRIMARY KEY, key TEXT, "
                         f"question TEXT, alpha REAL, made REAL, {self.columns})")

    @contextlib.contextmanager
    def _transaction(self, kind="IMMEDIATE"):
        """All of what is done with the yielded connection, or nothing."""
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        with contextlib.closing(connection) as base:
            # Gatherings go with the server: not waiting for the disk loses nothing when a process is killed.
            # (A server that is itself killed leaves its file in the folder of temporary files.)
            for choice in ("secure_delete = ON", "synchronous = OFF"):
                base.execute(f"PRAGMA {choice}")
            with base:
                base.execute(f"BEGIN {kind}")
                if kind == "IMMEDIATE":
                    base.execute(f"DELETE FROM {self.kind} WHERE made <= ?", (time.monotonic() - OLDEST,))
                yield base

    def _opened(self, key, question, alpha):
        """A new one, by the server's `key`: its `code` for everybody, its own `key` for the lecturer."""
        _check_key(self.key, key, f"Only lecturers open {self.kind}s: open the address that the server "
                                  "printed when it started, which has their key.")
        code, key = "".join(secrets.choice(LETTERS) for _ in range(LENGTH)), secrets.token_urlsafe(16)
        with self._transaction() as base:
            if base.execute(f"SELECT count(*) FROM {self.kind}").fetchone()[0] >= MOST:
                raise RefusedError(503, f"There are {MOST} {self.kind}s already; end one first.")
            base.execute(f"INSERT INTO {self.kind} (code, key, question, alpha, made) VALUES (?, ?, ?, ?, ?)",
                         (code, key, question, alpha, time.monotonic()))
        return {"code": code, "key": key}

    def end(self, code: str, key: str) -> None:
        """Delete everything about it."""
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            base.execute(f"DELETE FROM {self.kind} WHERE code = ?", (code,))

    def _found(self, base, code, *columns):
        """What is in these columns."""
        row = base.execute(f"SELECT {', '.join(columns)} FROM {self.kind} WHERE code = ? AND made > ?",
                           (code, time.monotonic() - OLDEST)).fetchone()
        if row is None:
            raise RefusedError(404, f"There is no {self.kind} {code:.10}; it may have ended.")
        return row

    def _check_lecturer(self, base, code, key):
        _check_key(*self._found(base, code, "key"), key, f"Only who opened the {self.kind} can do this.")

    def _telephones(self, base, column, code):
        """What each has sent, by token: a JSON text, with tokens in alphabetical order.

        A row for each telephone would tell in which order they came: SQLite writes a new row below the last
        one, wherever its key belongs.
        """
        return json.loads(*self._found(base, code, column))

    def _joined(self, base, column, code, token):
        """The same, before `token` sends; an error if there is no room for it."""
        if type(token) is not str or not re.fullmatch("[0-9a-f]{32}", token):
            raise RefusedError(400, "token must be 32 digits, each 0 to 9 or a to f.")
        found = self._telephones(base, column, code)
        if len(found.keys() - {token}) >= MOST_PEOPLE:
            raise RefusedError(503, f"A {self.kind} takes {MOST_PEOPLE} telephones; this one is full.")
        return found

    def _keep(self, base, column, code, found):
        base.execute(f"UPDATE {self.kind} SET {column} = ? WHERE code = ?",
                     (json.dumps(found, sort_keys=True), code))


def _check_key(key, given, words):
    if not secrets.compare_digest(key.encode(), str(given).encode(errors="replace")):
        raise RefusedError(403, words)


def check_budget(alpha):
    """Refuse what is not one of `BUDGETS`."""
    if type(alpha) not in (int, float) or alpha not in BUDGETS:  # True is 1 to Python
        raise RefusedError(400, f"alpha = {alpha!r:.40} is not on offer; choose one of "
                                f"{', '.join(map('{:g}'.format, BUDGETS))}.")


def line(text, what):
    """A text in one line, equal to others that look the same; refused if it cannot be seen."""
    text = " ".join(unicodedata.normalize("NFKC", text).split()) if type(text) is str else ""
    if not 0 < len(text) <= LONGEST_QUESTION:
        raise RefusedError(400, f"{what} has 1 to {LONGEST_QUESTION} characters, not {len(text)}.")
    if not text.isprintable() or NO_INK & set(text):
        raise RefusedError(400, f"{what} has characters that cannot be seen; type it anew.")
    return text


class GatheringHandler(Guarded):
    """POST a JSON text to KIND/begin or KIND/CODE/ACT; GET KIND/CODE.

    What is posted must call itself application/json: a browser sends that for a page of another origin only
    after it asked for leave, which it does not get here.
    """

    def initialize(self, gathering, visitors, telephones):
        """Tornado's: `gathering` is that of this process; `visitors` may come, and bring new `telephones` to
        a vote or to the reports of a question, so often and no more.
        """
        self.gathering, self.visitors, self.telephones = gathering, visitors, telephones

    def prepare(self):
        """Nothing is done for who comes too often."""
        if not self.visitors.allow(self.request.remote_ip):
            self.refuse(429, "So much is asked from your network address that each must wait.")
            self.finish()

    def get(self, code, act):
        """The state, never kept by a cache."""
        self.answer(lambda: self.gathering.state(code))

    def post(self, code, act):
        """Do what is asked."""
        self.answer(lambda: self.told(code, act))

    def told(self, code, act):
        """The method that is asked for, with the arguments that it takes."""
        try:
            told = json.loads(self.request.body)
        except (ValueError, RecursionError):
            told = None
        if (not isinstance(told, dict) or told.keys() != self.gathering.acts.get(act)
                or self.request.headers.get("Content-Type") != "application/json"):
            raise RefusedError(400, f"This is not what a {self.gathering.kind}'s page sends.")
        if "token" not in told:
            return getattr(self.gathering, act)(*([code] if code else []), **told)
        # What is refused, or sent again, takes no place from the room; nor does one question from another.
        line = self.request.remote_ip, code, act, str(told.get("number"))
        if not self.telephones.allow(line, take=False):
            raise RefusedError(429, "So many telephones come from your network address that each must wait.")
        if getattr(self.gathering, act)(code, **told):
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
    """GET KIND/CODE/qr.svg: the address of the telephones' page as a QR code."""

    def initialize(self, short, visitors):
        """Tornado's: `short` is what the address begins with; `visitors` may come so often and no more."""
        self.short, self.visitors = short, visitors

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
        segno.make(f"{self.request.protocol}://{host}/{self.short}/{code}", error="m").save(
            picture, kind="svg", scale=8, border=4, light="white")
        self.write(picture.getvalue())


class PhoneHandler(Guarded):
    """GET p/CODE or r/CODE: the telephones' page."""

    headers = CLOSED

    def initialize(self, page):
        """Tornado's: `page` is the file."""
        self.page = page

    def get(self, code):
        """The same page for all; its script asks for the code in its address."""
        self.write(self.page.read_text(encoding="utf-8"))


def routes(gathering: Gathering, visitors: object, telephones: object, page: Path) -> list[tuple]:
    """Tornado's routes of a `gathering`.

    `visitors` allows whatever is asked, `telephones` new votes and reports; `page` is the telephones'.
    """
    kind, code = gathering.kind, f"[{LETTERS}]{{{LENGTH}}}"
    served = {"gathering": gathering, "visitors": visitors, "telephones": telephones}
    return [(rf"/{kind}/()(begin)", GatheringHandler, served),
            (rf"/{kind}/({code})/qr.svg", QrHandler, {"short": gathering.short, "visitors": visitors}),
            (rf"/{kind}/({code})/({'|'.join(act for act in gathering.acts if act != 'begin')})",
             GatheringHandler, served),
            (rf"/{kind}/({code})()", GatheringHandler, served),
            (rf"/{gathering.short}/([^/]*)", PhoneHandler, {"page": page})]

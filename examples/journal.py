"""What a collector keeps, in one SQLite file: which tokens are spent, which messages came, how often.

Both change in one transaction, which is on the disk before anybody is answered. A process that is killed
loses nothing that it has acknowledged, and counts nobody twice. The tables hold no time and no address:
tokens are sorted by their hashes, messages by their bytes, equal ones are a number. Where in the file they
were written still tells in which order they came, until `close` writes the file anew. A journal has a
name that no other one has, so that what was counted of it twice is found.
"""

import hashlib
import itertools
import secrets
import sqlite3
from pathlib import Path

TOKEN_BYTES = 16
TABLES = """
CREATE TABLE IF NOT EXISTS token (hash BLOB PRIMARY KEY, spent INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS report (message BLOB PRIMARY KEY, people INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (name TEXT PRIMARY KEY, answered INTEGER, asked INTEGER) WITHOUT ROWID;
"""
TAKEN, AGAIN = "taken", "again"
"""A new report; a token that is spent, whose first report counts."""


class Journal:
    """The file of one collector; one process writes it."""

    def __init__(self, path, new=False):
        if not new and not Path(path).is_file():
            raise SystemExit(f"There is no journal {path}; `office.py letters` makes those of collectors.")
        mode = "rwc" if new else "rw"
        self.base = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True,
                                    isolation_level=None)
        try:
            for choice in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -65536"):
                self.base.execute(f"PRAGMA {choice}")
            self.base.executescript(TABLES)
        except sqlite3.DatabaseError as wrong:
            raise SystemExit(f"{path} cannot be read as a journal: {wrong}.") from None
        if new:
            self.base.execute("INSERT INTO journal VALUES (?, 0, 0)", (secrets.token_hex(16),))

    def hand_out(self, tokens):
        """Let these tokens be spent here, once each. Only their hashes are kept."""

        def act():
            self.base.executemany("INSERT INTO token VALUES (?, 0)", ((hashed(token),) for token in tokens))
            self.base.execute("UPDATE journal SET asked = asked + ?", (len(tokens),))

        self._together(act)

    def knows(self, token):
        """Whether the token is of a person here."""
        return bool(self.base.execute("SELECT 1 FROM token WHERE hash = ?", (hashed(token),)).fetchone())

    def take(self, records):
        """Spend the known token of each (token, message), keep the message, and say what became of it."""

        def act():
            verdicts = [self._take(hashed(token), message) for token, message in records]
            self.base.execute("UPDATE journal SET answered = answered + ?", (verdicts.count(TAKEN),))
            return verdicts

        return self._together(act)

    def _take(self, key, message):
        if self.base.execute("UPDATE token SET spent = 1 WHERE hash = ? AND spent = 0", (key,)).rowcount:
            self.base.execute("INSERT INTO report VALUES (?, 1) "
                              "ON CONFLICT (message) DO UPDATE SET people = people + 1", (message,))
            return TAKEN
        return AGAIN

    def messages(self):
        """All messages, each as often as it came."""
        for message, people in self.base.execute("SELECT message, people FROM report"):
            yield from itertools.repeat(message, people)

    def answered(self):
        """How many people have answered, and how many were asked."""
        return self.base.execute("SELECT answered, asked FROM journal").fetchone()

    @property
    def name(self):
        """The journal's own."""
        return self.base.execute("SELECT name FROM journal").fetchone()[0]

    def close(self):
        """Write the file anew, in the order of hashes and bytes, and leave no log.

        Raises sqlite3.OperationalError if another process has it open (its code is SQLITE_BUSY), as whatever
        comes next would be in order again, or if the disk is full.
        """
        self.base.execute("PRAGMA journal_mode = DELETE")  # which takes the file for oneself
        self.base.execute("VACUUM")
        self.base.close()

    def _together(self, act):
        """What `act` returns; all of what it does, or nothing."""
        self.base.execute("BEGIN IMMEDIATE")
        with self.base:
            return act()


def hashed(token):
    """Tokens have 128 random bits: nobody finds one from its hash."""
    return hashlib.sha256(token).digest()

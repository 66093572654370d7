"""What a collector keeps, in one SQLite file: which tokens are spent, and which messages came, how often.

Both change in one transaction, which is on the disk before anybody is answered. A process that is killed
loses nothing that it has acknowledged, and counts nobody twice. The tables hold no time and no address:
tokens are sorted by their hashes, messages by their bytes, equal ones are a number. Where in the file they
were written still tells in which order they came, until `close` writes the file anew.
"""

import hashlib
import itertools
import sqlite3
from pathlib import Path

TOKEN_BYTES = 16
TABLES = """
CREATE TABLE IF NOT EXISTS token (hash BLOB PRIMARY KEY, spent INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS report (message BLOB PRIMARY KEY, people INTEGER NOT NULL) WITHOUT ROWID;
"""
TAKEN, AGAIN, UNKNOWN = "taken", "again", "unknown"
"""A new report; a token that is spent, whose first report counts; a token that is of no person here."""


class Journal:
    """The file of one collector; one process writes it."""

    def __init__(self, path, new=False):
        mode = "rwc" if new else "rw"
        self.base = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True,
                                    isolation_level=None)
        for choice in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -65536"):
            self.base.execute(f"PRAGMA {choice}")
        self.base.executescript(TABLES)

    def hand_out(self, tokens):
        """Let these tokens be spent here, once each. Only their hashes are kept."""
        self._together(lambda: self.base.executemany(
            "INSERT INTO token VALUES (?, 0)", ((hashed(token),) for token in tokens)))

    def take(self, records):
        """Spend the token of each (token, message), keep the message, and say what became of it."""
        return self._together(lambda: [self._take(hashed(token), message) for token, message in records])

    def _take(self, key, message):
        if self.base.execute("UPDATE token SET spent = 1 WHERE hash = ? AND spent = 0", (key,)).rowcount:
            self.base.execute("INSERT INTO report VALUES (?, 1) "
                              "ON CONFLICT (message) DO UPDATE SET people = people + 1", (message,))
            return TAKEN
        known = self.base.execute("SELECT 1 FROM token WHERE hash = ?", (key,)).fetchone()
        return AGAIN if known else UNKNOWN

    def messages(self):
        """All messages, each as often as it came."""
        for message, people in self.base.execute("SELECT message, people FROM report"):
            yield from itertools.repeat(message, people)

    def answered(self):
        """How many people have answered, and how many were asked."""
        return self.base.execute("SELECT coalesce(sum(spent), 0), count(*) FROM token").fetchone()

    def close(self):
        """Write the file anew, in the order of hashes and bytes, and leave no log."""
        self.base.execute("VACUUM")
        self.base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.base.close()

    def _together(self, act):
        """What `act` returns; all of what it does, or nothing."""
        self.base.execute("BEGIN IMMEDIATE")
        with self.base:
            return act()


def hashed(token):
    """Tokens have 128 random bits: nobody finds one from its hash."""
    return hashlib.sha256(token).digest()

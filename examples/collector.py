"""A collector: takes the messages of people who hold a token, and counts each of them once.

    python examples/collector.py survey.json collector-1.sqlite --port 8101

POST /reports takes records one after the other, each the 16 bytes of a token and then a message: one of a
telephone, up to 2,000 of a gateway. The answer says how many were `taken`, how many came `again` (their
first message counts) and the places of those whose token is `unknown` here, whose messages nobody looks at;
with more than 20 of them nothing is taken. It comes after the reports are on the disk: whoever hears nothing
sends the same bytes again. GET /reports says how many people have answered. It needs Tornado:
`pip install ldp-lib[pages]`.
"""

import argparse
import asyncio
import os
import signal
import sqlite3

import tornado.netutil
import tornado.web
from journal import AGAIN, TAKEN, TOKEN_BYTES, Journal
from survey import read_rule

from ldp_lib.doors import MOST_CONNECTIONS, Doors, Guarded
from ldp_lib.privacy import message_bytes, sum_messages

MOST_RECORDS, MOST_BODY, MOST_WAITING = 2000, 2**22, 256
"""Records of a request, and bytes; requests that wait for the disk."""
MOST_UNKNOWN = 20
"""Tokens of a request that are looked for in vain."""
MEMORY = 2**28
"""Bytes of all requests that have come in part: so many connections may send one at once."""
PAUSE = 0.005
"""Seconds for which requests gather, so that one write to the disk serves all of them."""


class Collector:
    """Checks messages to the mechanism, and writes them in groups."""

    def __init__(self, mechanism, journal):
        self.mechanism, self.journal, self.waiting = mechanism, journal, []
        self.record = TOKEN_BYTES + message_bytes(mechanism)
        self.most = self.record * max(1, min(MOST_RECORDS, MOST_BODY // self.record))

    def records(self, body):
        """The (token, message) pairs of a request with tokens of people here, and where others stand.

        A ValueError says what is wrong with them, and shows none. Nothing is done for a stranger but to look
        for a token.
        """
        if not body or len(body) % self.record:
            raise ValueError(f"The body has {len(body)} bytes; it must be one record of {self.record} bytes "
                             f"or more: {TOKEN_BYTES} of a token, then a message.")
        records = [body[start:start + self.record] for start in range(0, len(body), self.record)]
        pairs, unknown = [], []
        for place, record in enumerate(records):
            token, message = record[:TOKEN_BYTES], record[TOKEN_BYTES:]
            if self.journal.knows(token):
                pairs.append((token, message))
            else:
                unknown.append(place)
            if len(unknown) > MOST_UNKNOWN:
                raise ValueError(f"More than {MOST_UNKNOWN} of the tokens are of nobody here; they may be of "
                                 "another collector.")
        if pairs:
            try:
                sum_messages(self.mechanism, [message for _, message in pairs])
            except ValueError as error:
                raise ValueError(f"Of the {len(pairs)} records with tokens known here, {error}") from None
        return pairs, unknown

    async def take(self, pairs):
        """What became of each pair, once it is on the disk."""
        if len(self.waiting) >= MOST_WAITING:
            raise sqlite3.OperationalError("too many wait")
        if not self.waiting:
            asyncio.get_running_loop().call_later(PAUSE, self.write)
        written = asyncio.get_running_loop().create_future()
        self.waiting.append((pairs, written))
        return await written

    def write(self):
        """One transaction for everybody who waits."""
        waiting, self.waiting = self.waiting, []
        try:
            verdicts = iter(self.journal.take([pair for pairs, _ in waiting for pair in pairs]))
        except sqlite3.Error as error:
            for _, written in waiting:
                written.set_exception(error)
        else:
            for pairs, written in waiting:
                written.set_result([next(verdicts) for _ in pairs])


class Reports(Guarded):
    """The one address of a collector."""

    def initialize(self, collector):
        """Tornado's."""
        self.collector = collector

    async def post(self):
        """Take all records of the body, or none."""
        try:
            pairs, unknown = self.collector.records(self.request.body)
            verdicts = await self.collector.take(pairs) if pairs else []
        except ValueError as error:
            self.set_status(400)
            self.write({"error": f"{error} Nothing of this request was taken."})
        except sqlite3.Error:
            self.set_status(503)
            self.write({"error": "The disk does not take reports now. Send the same again later."})
        else:
            self.write({TAKEN: verdicts.count(TAKEN), AGAIN: verdicts.count(AGAIN), "unknown": unknown})

    def get(self):
        """How many people have answered, of how many."""
        answered, asked = self.collector.journal.answered()
        self.write({"answered": answered, "asked": asked})


async def serve(mechanism, journal, address, port):
    """Print the address, and serve until told to end."""
    collector = Collector(mechanism, journal)
    server = Doors(
        tornado.web.Application([("/reports", Reports, {"collector": collector})]),
        most=min(MOST_CONNECTIONS, MEMORY // collector.most), max_body_size=collector.most,
        max_header_size=16_384)
    try:
        sockets = tornado.netutil.bind_sockets(port, address)
    except OSError as failure:
        raise SystemExit(f"http://{address}:{port} cannot be used: {failure.strerror}. Another program may "
                         "have it; name another --port, or leave it out.") from None
    server.add_sockets(sockets)
    ended = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, ended.set)
    print(f"http://{address}:{sockets[0].getsockname()[1]}", flush=True)
    await ended.wait()
    server.stop()
    await server.close_all_connections()
    journal.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("survey", help="what is asked, see survey.py")
    parser.add_argument("journal", help="the file that `office.py letters` made for this collector")
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0, the default, is any that is free")
    given = parser.parse_args()
    os.umask(0o077)  # whose tokens are spent
    asyncio.run(serve(read_rule(given.survey)[1], Journal(given.journal), given.address, given.port))

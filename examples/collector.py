"""A collector: takes the messages of people who hold a token, and counts each of them once.

    python examples/collector.py survey.json collector-1.sqlite --port 8101

POST /reports takes records one after the other, each the 16 bytes of a token and then a message: one of a
telephone, many of a gateway. The answer says how many were `taken`, how many came `again` (their first
message counts) and the places of those whose token is `unknown` here. It comes after the reports are on the
disk: whoever hears nothing sends the same bytes again. GET /reports says how many people have answered. It
needs Tornado: `pip install ldp-lib[pages]`.
"""

import argparse
import asyncio
import os
import signal
import sqlite3

import tornado.httpserver
import tornado.netutil
import tornado.web
from journal import AGAIN, TAKEN, TOKEN_BYTES, UNKNOWN, Journal
from survey import read_rule

from ldp_lib.privacy import message_bytes, sum_messages

MOST_BODY, MOST_WAITING = 2**22, 256
"""Bytes of a request; requests that wait for the disk."""
PAUSE = 0.005
"""Seconds for which requests gather, so that one write to the disk serves all of them."""


class Collector:
    """Checks messages to the mechanism, and writes them in groups."""

    def __init__(self, mechanism, journal):
        self.mechanism, self.journal, self.waiting = mechanism, journal, []
        self.record = TOKEN_BYTES + message_bytes(mechanism)

    def records(self, body):
        """The (token, message) pairs of a request, or a ValueError that says why not, and shows none."""
        if not body or len(body) % self.record:
            raise ValueError(f"The body has {len(body)} bytes; it must be one record of {self.record} bytes "
                             f"or more: {TOKEN_BYTES} of a token, then a message.")
        records = [body[start:start + self.record] for start in range(0, len(body), self.record)]
        pairs = [(record[:TOKEN_BYTES], record[TOKEN_BYTES:]) for record in records]
        sum_messages(self.mechanism, [message for _, message in pairs])
        return pairs

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


class Reports(tornado.web.RequestHandler):
    """The one address of a collector."""

    def initialize(self, collector):
        """Tornado's."""
        self.collector = collector

    async def post(self):
        """Take all records of the body, or none."""
        try:
            verdicts = await self.collector.take(self.collector.records(self.request.body))
        except ValueError as error:
            self.set_status(400)
            self.write({"error": f"{error} Nothing of this request was taken."})
        except sqlite3.Error:
            self.set_status(503)
            self.write({"error": "The disk does not take reports now. Send the same again later."})
        else:
            unknown = [place for place, verdict in enumerate(verdicts) if verdict == UNKNOWN]
            self.write({TAKEN: verdicts.count(TAKEN), AGAIN: verdicts.count(AGAIN), UNKNOWN: unknown})

    def get(self):
        """How many people have answered, of how many."""
        answered, asked = self.collector.journal.answered()
        self.write({"answered": answered, "asked": asked})


async def serve(mechanism, journal, address, port):
    """Print the address, and serve until told to end."""
    server = tornado.httpserver.HTTPServer(
        tornado.web.Application([("/reports", Reports, {"collector": Collector(mechanism, journal)})]),
        max_body_size=MOST_BODY, max_header_size=16_384, body_timeout=60)
    sockets = tornado.netutil.bind_sockets(port, address)
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

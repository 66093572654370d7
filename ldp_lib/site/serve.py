"""The pages with every state: `python -m ldp_lib.site.serve FOLDER`.

What is not stored is computed. A state is an address, and the answer to it never changes, so that browsers,
caches and content networks may keep it. No process knows who asks; each core has one, and one that dies is
replaced.
"""

import argparse
import contextlib
import functools
import itertools
import json
import os
import re
import secrets
import shutil
import signal
import socket
import tempfile
import time
from collections import OrderedDict
from pathlib import Path

import tornado.ioloop
import tornado.netutil
import tornado.process
import tornado.web

from ldp_lib.doors import Doors, Guarded
from ldp_lib.live import PANELS, panel
from ldp_lib.stage.control import legal
from ldp_lib.stage.deck import Failure, pack

from . import COMPUTES, gathering, poll, room

LONGEST_QUERY = 2000
"""Characters of an address."""
KEPT = 20_000
"""States that a process remembers, 1 to 10 KiB each."""
RATE, BURST = 400, 800
"""States a second that one network address may ask for in the long run, and at once: a whole room has one."""
CONTENT = ("default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
           "img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'none'; "
           "form-action 'self'")
"""What a page may load. Scripts and styles stand in pages, too."""
YEAR = 365 * 24 * 3600
"""Seconds for which a state may be kept."""


@functools.cache
def shown(name):
    """The panel of this name; its states are asked for one after the other.

    `panel` also opens files, for who writes Python: whoever sends an address does not.
    """
    if name not in PANELS:
        raise KeyError(name)
    return panel(name)


@functools.lru_cache(KEPT)
def deck(name, place):
    """The state at a place of a panel, packed."""
    state = shown(name)._state(place)
    if isinstance(state, Failure):
        raise ArithmeticError(state.error)
    return pack({place: state})


class Visitors:
    """How often each visitor may still ask: `rate` times a second, `burst` times at once."""

    def __init__(self, rate=RATE, burst=BURST, most=10_000):
        self.rate, self.burst, self.most, self.left = rate, burst, most, OrderedDict()

    def allow(self, visitor, take=True):
        """Take one time, or only look; False if there is none left."""
        now = time.monotonic()
        left, since = self.left.get(visitor, (self.burst, now))
        left = min(self.burst, left + self.rate * (now - since))
        if take:
            self.left[visitor] = (left - 1 if left >= 1 else left, now)
            self.left.move_to_end(visitor)
        if len(self.left) > self.most:
            self.left.popitem(last=False)
        return left >= 1


class StateHandler(Guarded):
    """GET /state/consistency/2?scene=sign&n=144 is a deck of one state."""

    def initialize(self, visitors):
        """How many states each visitor may still ask for."""
        self.visitors = visitors

    def get(self, name, version):
        """Answer, or refuse in a sentence."""
        query = self.request.query
        if not self.visitors.allow(self.request.remote_ip):
            return self.refuse(429, f"Too many states at once: each network address gets {RATE} a second.")
        if name not in PANELS:
            return self.refuse(404, f"There is no panel {name:.40}; there are {', '.join(PANELS)}.")
        if len(query) > LONGEST_QUERY:
            return self.refuse(414, f"At most {LONGEST_QUERY} characters are read; these are {len(query)}.")
        values, remarks = legal(shown(name), f"{name}/{version}?{query}", {})
        if remarks:
            return self.refuse(400, "This is the address of no state: " + " ".join(remarks))
        try:
            found = deck(name, shown(name)._place(values))
        except ArithmeticError as failure:
            return self.refuse(422, str(failure))
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Cache-Control", f"public, max-age={YEAR}, immutable")
        return self.write(found)

    def refuse(self, status, words):
        """End with a sentence."""
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.write(words)


class ComputesHandler(Guarded):
    """What a page asks first: here states are computed."""

    def get(self):
        """Yes."""
        self.set_header("Cache-Control", "no-cache")
        self.write(json.dumps(True))


class Pages(Guarded, tornado.web.StaticFileHandler):
    """The pages, with an index for folders."""

    def set_default_headers(self):
        """What holds for every page, also for one that is not there: it loads from here alone."""
        super().set_default_headers()
        self.set_header("Content-Security-Policy", CONTENT)

    def set_extra_headers(self, path):
        """Ask again whether a page is the same: pages have no version in their address.

        Others may show a panel in a frame of theirs; a click in a poll or a room must be one on its own page.
        """
        self.set_header("Cache-Control", "no-cache")
        if Path(self.absolute_path).name in ("poll.html", "talks.html"):  # by whatever address
            self.set_header("Content-Security-Policy", f"{CONTENT}; frame-ancestors 'none'")

    @classmethod
    def get_absolute_path(cls, root, path):
        """No file has such a name, and the system would say so by an error of ours."""
        if "\0" in path:
            raise tornado.web.HTTPError(404)
        return super().get_absolute_path(root, path)


def application(folder, kept, key, processes=1):
    """The Tornado application of each of `processes`: the pages in `folder`, gatherings in the file `kept`.

    Who knows `key` opens polls and rooms.
    """
    # A state is small by itself, and the same for every browser: caches between need not ask what it reads.
    files = {"path": str(folder), "default_filename": "index.html"}
    pages = tornado.web.Application([(r"/(.*)", Pages, files)], compress_response=True)
    guests = Visitors(gathering.MOST_PEOPLE, 2 * gathering.MOST_PEOPLE)  # each looks less than once a second
    telephones = Visitors(gathering.ANEW / processes, gathering.AT_ONCE / processes)
    page = folder / "_static" / "ldp" / "phone.html"
    return tornado.web.Application([
        *(route for kind in (poll.Polls, room.Rooms)
          for route in gathering.routes(kind(kept, key), guests, telephones, page)),
        (r"/state/([a-z_0-9]+)/([0-9]+)", StateHandler, {"visitors": Visitors()}),
        (rf"/_static/ldp/{re.escape(COMPUTES)}", ComputesHandler),
        (r"/.*", pages),
    ])


def main(arguments=None):
    """Serve until stopped, with one process per core."""
    parser = argparse.ArgumentParser(description="Serve the pages and compute what is not stored.")
    parser.add_argument("folder", type=Path, help="the pages that `make site` wrote")
    parser.add_argument("--port", type=int, default=8000, help="0 is any that is free")
    parser.add_argument("--address", default="127.0.0.1", help="0.0.0.0 for everybody on the network")
    parser.add_argument("--processes", type=int, default=0, help="0 is one per core")
    asked = parser.parse_args(arguments)
    if not (asked.folder / "index.html").exists():
        parser.error(f"{asked.folder} has no index.html; run make site first")
    # One queue of visitors for all processes: who waits in it when a process dies gets another one.
    sockets = tornado.netutil.bind_sockets(asked.port, asked.address)
    asked.key, asked.processes = secrets.token_urlsafe(12), asked.processes or tornado.process.cpu_count()
    parent, home = os.getpid(), Path(tempfile.mkdtemp())

    def end(*_):
        """End at once: an exception could be lost, as those in Python's own hooks after a fork are."""
        while os.getpid() == parent and home.exists():  # a child that is ending, too, may still write
            shutil.rmtree(home, ignore_errors=True)
        os._exit(0)

    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):  # a closed window says HUP, unless nohup has it ignored
        told = getattr(signal, name, None)
        if told and signal.getsignal(told) is not signal.SIG_IGN:
            signal.signal(told, end)
    try:
        warm()
        port = sockets[0].getsockname()[1]
        print(f"http://{asked.address}:{port}\nFor lecturers alone, to open polls and rooms: "
              f"http://{reached(asked.address)}:{port}/poll.html#key={asked.key}", flush=True)
        tornado.process.fork_processes(asked.processes, max_restarts=1000)
    except BaseException:  # only children come back; whatever ends their parent ends the polls
        shutil.rmtree(home)
        raise
    serve(asked, sockets, home / "gatherings.sqlite", parent)


def reached(address):
    """By which address others come to a server that listens at `address`."""
    if address != "0.0.0.0":
        return address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line, contextlib.suppress(OSError):
        line.connect(("192.0.2.1", 9))  # sends nothing; the system only says from where it would
        return line.getsockname()[0]
    return address


def warm():
    """Compute what many states share, before anybody waits for it and before there are several processes."""
    for people, alpha in itertools.product(poll.ROOMS, gathering.BUDGETS):
        poll.prospect(people, alpha)
    for name in PANELS:
        start = shown(name).position(**shown(name).start({}))
        for control in shown(name).controls:
            if control.kind == "choice":
                for value in control.values:
                    shown(name)._state(shown(name)._place(start | {control.name: value}))


def serve(asked, sockets, kept, parent):
    """Serve in a child for as long as its `parent` lives."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = Doors(application(asked.folder, kept, asked.key, asked.processes), max_body_size=4096,
                   max_header_size=16_384)
    server.add_sockets(sockets)
    loop = tornado.ioloop.IOLoop.current()
    tornado.ioloop.PeriodicCallback(lambda: os.getppid() == parent or loop.stop(), 1000).start()
    loop.start()


if __name__ == "__main__":
    main()

"""Rude clients: half requests, too many of them, endless bodies. Whoever asks politely is answered."""

import asyncio
import contextlib
import http.client
import socket
import threading
import time

import pytest
import tornado.netutil
import tornado.web

from ldp_lib import doors
from ldp_lib.doors import Doors

MOST = 12
HALVES = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: here\r\nX-Slow: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\nhalf",
}


class Hello(tornado.web.RequestHandler):
    """Says hello to both methods."""

    def get(self):
        """Answer."""
        self.write("hello")

    post = get


@pytest.fixture
def served():
    """Start `Doors` in a thread; the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers = []

    async def begin(sockets, options):
        server = Doors(tornado.web.Application([("/", Hello)]), **options)
        server.add_sockets(sockets)
        servers.append(server)

    def start(**options):
        sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
        asyncio.run_coroutine_threadsafe(begin(sockets, options), loop).result(20)
        return sockets[0].getsockname()[1]

    yield start

    async def stop():
        for server in servers:
            server.stop()
            await server.close_all_connections()

    asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def hello(port):
    """What a polite client hears."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as line:
        line.request("GET", "/")
        return line.getresponse().read()


def ended(line):
    """Wait until the server hangs up; what it has said until then."""
    with contextlib.suppress(ConnectionError):
        return b"".join(iter(lambda: line.recv(4096), b""))


@pytest.mark.parametrize("half", HALVES)
def test_who_holds_the_door_shuts_nobody_out(served, half):
    """Four times as many half requests as there are places; the oldest lose theirs."""
    port = served(most=MOST)
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
                 for _ in range(4 * MOST)]
        for line in lines:
            with contextlib.suppress(ConnectionError):  # it may be out by now
                line.sendall(HALVES[half])
        assert hello(port) == b"hello"
        ended(lines[0])
    assert hello(port) == b"hello"


def test_the_crowded_address_makes_room(served):
    """The one connection of another address stays, although it is the oldest."""
    port = served(most=MOST)
    with contextlib.ExitStack() as stack:
        quiet = stack.enter_context(socket.create_connection(
            ("127.0.0.1", port), timeout=10, source_address=("127.0.0.2", 0)))
        for _ in range(3 * MOST):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        assert hello(port) == b"hello"
        quiet.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        assert ended(quiet).endswith(b"hello")


@pytest.mark.parametrize("half", HALVES)
def test_half_a_request_is_waited_for_so_long_and_no_longer(served, half, monkeypatch):
    monkeypatch.setattr(doors, "PATIENCE", 0.3)
    port = served()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(HALVES[half])
        start = time.monotonic()
        ended(line)
        assert time.monotonic() - start < 5
    assert hello(port) == b"hello"


def test_there_are_fewer_places_than_files(monkeypatch):
    """Accepting never fails for want of a file; a soft limit is raised to the hard one."""
    monkeypatch.setattr(doors.resource, "getrlimit", lambda _: (64, 256))
    told = []
    monkeypatch.setattr(doors.resource, "setrlimit", lambda _, limits: told.append(limits))
    assert Doors(tornado.web.Application([])).most == 256 - doors.OWN_FILES and told == [(256, 256)]
    assert Doors(tornado.web.Application([]), most=10).most == 10

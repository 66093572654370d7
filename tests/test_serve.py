"""`make serve`: a state is an address; what is no address is refused in a sentence."""

import contextlib
import gzip
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from urllib.parse import quote

import pytest
from benchmarks.load import server

from ldp_lib.live import PANELS, panel
from ldp_lib.site import COMPUTES, stored
from ldp_lib.site.serve import BURST, LONGEST_QUERY, RATE, Visitors, reached
from ldp_lib.stage.control import address
from ldp_lib.stage.deck import pack


PAGE = b"<p>pages</p>" * 1000
STATES = "_static/ldp"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """A server of an index, a poll, and the stored states of a panel."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("index.html", "poll.html"):
        (folder / name).write_bytes(PAGE)
    stored.write(folder / STATES, ["start"], sample=True)
    (folder.parent / "secret.txt").write_text("nobody's", encoding="utf-8")
    with server(folder) as (_, found):
        yield found


def asked(port, path, method="GET", **headers):
    """Status, headers and body of one answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


@pytest.mark.parametrize("name", PANELS)
def test_a_state_is_the_kernels_and_everybody_may_keep_it(port, name):
    """Whichever process answers; and the answer names nobody."""
    shown = panel(name)
    values, names = shown.reach()[-1]
    moved = next(control for control in reversed(shown.controls) if control.name in names)
    link = address(shown, values | {moved.name: moved.values[-1]})
    place = panel(link).place
    answers = [asked(port, f"/state/{link}") for _ in range(4)]
    for status, headers, body in answers:
        assert status == 200 and body == pack({place: shown._state(place)})
        assert "immutable" in headers["Cache-Control"] and "public" in headers["Cache-Control"]
        assert headers["Content-Type"] == "application/octet-stream"
        assert not {"Set-Cookie", "Vary"} & set(headers)


def test_pages_are_sent_compressed(port):
    """To whom reads that; what a browser has already is not sent again."""
    status, headers, body = asked(port, "/", **{"Accept-Encoding": "gzip"})
    assert (status, headers["Content-Encoding"], headers["Vary"]) == (200, "gzip", "Accept-Encoding")
    assert gzip.decompress(body) == PAGE and len(body) < len(PAGE) / 10
    assert asked(port, "/")[2] == PAGE
    known = {"If-None-Match": headers["Etag"]}
    assert [asked(port, "/", **known, **more)[::2] for more in ({}, {"Accept-Encoding": "gzip"})] == [
        (304, b"")] * 2


def test_pages_are_told_that_states_are_computed_here(port, tmp_path):
    """The file says what holds for every other server; it is not what is sent."""
    assert json.loads(asked(port, f"/{STATES}/{COMPUTES}")[2]) is True
    stored.write(tmp_path, ["start"], sample=True)
    assert json.loads((tmp_path / COMPUTES).read_text(encoding="ascii")) is False


HOSTILE = {
    "/state/nowhere/1": (404, "There is no panel nowhere"),
    "/state/consistency/1": (400, "version 1"),
    "/state/consistency/2?alpha=-1": (400, "alpha"),
    "/state/consistency/2?alpha=nan": (400, "alpha"),
    "/state/consistency/2?alpha=1e999": (400, "alpha"),
    "/state/consistency/2?n=" + "9" * 400: (400, "n"),
    "/state/consistency/2?problem=" + quote("<script>alert(1)</script>"): (400, "problem"),
    "/state/consistency/2?__class__=1": (400, "There is no control __class__"),
    "/state/consistency/2?alpha=1&alpha=-5": (400, "alpha"),
    "/state/consistency/2?%ff%fe=%00": (400, "There is no control"),
    "/state/consistency/2?h=" + "0" * LONGEST_QUERY: (414, f"At most {LONGEST_QUERY} characters"),
}


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path[:50])
def test_what_is_no_address_is_refused_in_a_sentence(port, path):
    status, headers, body = asked(port, path)
    wanted, words = HOSTILE[path]
    text = body.decode("utf-8")
    assert status == wanted and words in text and len(text) < 3000
    assert re.match(r"[A-Z]", text) and text.rstrip().endswith(".")
    assert headers["Content-Type"].startswith("text/plain"), "a browser makes no page of it"
    assert "Traceback" not in text and "immutable" not in headers.get("Cache-Control", "")


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//secret.txt",
                                  "/_static/../../secret.txt", "/state/../../secret.txt"])
def test_no_file_outside_of_the_pages_is_read(port, path):
    status, _, body = asked(port, path)
    assert status in (400, 403, 404) and b"nobody's" not in body


@pytest.mark.parametrize("path", ["/%00", "/index.html%00.js", "/_static/%00/x", "/%00/../index.html"])
def test_no_file_has_such_a_name(port, path):
    """The system's refusal of it was an error of ours, with a traceback in the log."""
    assert asked(port, path)[0] == 404


def test_every_answer_tells_the_browser_what_it_is(port):
    """Panels may be framed by other pages; the poll may not, whatever the address that leads to it."""
    for path in ("/", "/index.html", "/nowhere.html", "/%00", "/state/price/1", "/state/nowhere/1"):
        headers = asked(port, path)[1]
        assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")
        assert "frame-ancestors" not in headers.get("Content-Security-Policy", "")
    for path in ("/", "/nowhere.html", "/poll.html"):
        policy = asked(port, path)[1]["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';") and "object-src 'none'; base-uri 'none'" in policy
    for path in ("/poll.html", "/_static%2f..%2fpoll.html", "/_static/%2e%2e/poll.html", "/./poll.html"):
        status, headers, _ = asked(port, path)
        assert status == 200 and headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


@pytest.mark.ci
def test_half_requests_shut_nobody_out(tmp_path):
    """Three times as many as two processes with 160 files each can hold; a request is answered at once."""
    (tmp_path / "index.html").write_text("<p>pages</p>", encoding="utf-8")
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))}
    with server(tmp_path, **few) as (_, port), contextlib.ExitStack() as stack:
        for _ in range(600):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            with contextlib.suppress(ConnectionError):
                line.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nX-Slow: ")
        for _ in range(5):
            assert asked(port, "/")[2] == b"<p>pages</p>"


def test_other_methods_are_refused(port):
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert asked(port, "/state/price/1", method)[0] == 405


@pytest.mark.parametrize("method, headers", [("POST", {"Content-Length": str(10**9)}),
                                             ("GET", {"X-Long": "x" * 60_000})])
def test_what_is_too_large_is_not_even_read(port, method, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, "/poll/begin")
    for name, value in headers.items():
        connection.putheader(name, value)
    try:
        connection.endheaders()
        assert connection.getresponse().status in (400, 413, 431)
    except ConnectionError:
        pass  # the shortest refusal, which may come before all is sent
    finally:
        connection.close()
    assert asked(port, "/")[0] == 200


def test_a_page_is_asked_for_again(port):
    status, headers, body = asked(port, "/")
    assert (status, body, headers["Cache-Control"]) == (200, PAGE, "no-cache")
    assert asked(port, "/", **{"If-None-Match": headers["Etag"]})[0] == 304


def test_a_visitor_gets_so_many_states_and_no_more(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("ldp_lib.site.serve.time.monotonic", lambda: now[0])
    visitors = Visitors(most=2)
    assert sum(visitors.allow("one") for _ in range(BURST + 50)) == BURST
    now[0] += 0.5
    assert sum(visitors.allow("one") for _ in range(BURST)) == RATE // 2
    assert visitors.allow("two") and visitors.allow("three") and len(visitors.left) == 2


def test_everybody_is_an_address_that_others_can_come_to(monkeypatch):
    """What telephones need instead of 0.0.0.0; without a network, what was given."""
    assert reached("127.0.0.1") == "127.0.0.1" and reached("room.test") == "room.test"
    assert re.fullmatch(r"\d+(\.\d+){3}", reached("0.0.0.0"))

    def nowhere(*_):
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", nowhere)
    assert reached("0.0.0.0") == "0.0.0.0"


def hears():
    """What runs the tests may be deaf, to SIGHUP under nohup, to SIGQUIT behind an &, and so are children."""
    for told in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(told, signal.SIG_DFL)


@pytest.mark.ci
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_whatever_ends_the_server_ends_its_polls(tmp_path, repository, ending):
    """A window of a terminal that is closed says SIGHUP to all processes in it."""
    folder, home = tmp_path / "pages", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "index.html").write_text("", encoding="utf-8")
    with subprocess.Popen([sys.executable, "-m", "ldp_lib.site.serve", str(folder), "--port=0",
                           "--processes=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=os.environ | {"PYTHONPATH": str(repository), "TMPDIR": str(home)},
                          start_new_session=True, preexec_fn=hears) as process:
        try:
            for _ in range(2):
                process.stdout.readline()
            while not list(home.glob("*/gatherings.sqlite")):  # a test has a limit of time
                assert process.poll() is None
            os.killpg(process.pid, getattr(signal, ending))
            process.wait(30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert not list(home.glob("*/*"))


@pytest.mark.ci
def test_a_signal_in_a_hook_after_a_fork_is_not_lost(tmp_path, repository):
    """Python ignores exceptions there, so that one which only raised would be waited for in vain."""
    (tmp_path / "home").mkdir()
    (tmp_path / "index.html").touch()
    program = ("import os, signal; os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), "
               f"signal.SIGQUIT)); from ldp_lib.site.serve import main; main([{str(tmp_path)!r}, '--port=0', "
               "'--processes=1'])")
    environment = os.environ | {"PYTHONPATH": str(repository), "TMPDIR": str(tmp_path / "home")}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=hears) as process:
        try:
            assert process.wait(60) == 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert not list((tmp_path / "home").glob("*/*"))

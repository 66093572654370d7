"""From telephone to office with real processes, which are killed: nothing is lost and nobody counts twice.

The programs are those of `examples/`. With LDP_FULL=1 a million people answer, and it is printed how long
that takes.
"""

from extent import all_rows
import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from benchmarks.survey import EXAMPLES, Survey, client, ended, journals, office

from ldp_lib import privacy
from ldp_lib.estimation import CellClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CellAggregate, CellLaplace, HadamardBit, message_bytes, pack, sum_messages
from ldp_lib.risk import excess_risk, people_needed

pytestmark = pytest.mark.ci
FULL = all_rows()
PEOPLE, BATCH = (1_000_000, 2000) if FULL else (20_000, 100)
CLIENTS, COLLECTORS = 4, 2
MECHANISM = HadamardBit(1.0, 0.125)
TOKEN = 16


@pytest.fixture
def surveyed(tmp_path):
    """Make surveys; their collectors end with the test."""
    made = []

    def make(*arguments, **options):
        made.append(Survey(tmp_path, *arguments, **options))
        return made[-1]

    yield make
    for survey in made:
        survey.close()


def wait_for(true, what, seconds=600 if FULL else 60):
    """Wait until a condition holds; to look takes a tenth of the time at most."""
    start = looked = time.monotonic()
    while not true():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.002 + 9 * (time.monotonic() - looked))
        looked = time.monotonic()


def spent(survey, number):
    """How many tokens of a collector are spent, by its file: it may be dead."""
    with sqlite3.connect(survey.folder / f"collector-{number + 1}.sqlite", timeout=60) as base:
        return base.execute("SELECT sum(spent), count(*) FROM token").fetchone()


def arrived(survey, number):
    """The hashes of the tokens that are spent at a collector."""
    with sqlite3.connect(survey.folder / f"collector-{number + 1}.sqlite", timeout=60) as base:
        return {key for key, in base.execute("SELECT hash FROM token WHERE spent")}


def kill_half_way(survey, number, share):
    """Kill a collector when so many of its people have answered, and start it again where it was."""
    _, asked = spent(survey, number)
    wait_for(lambda: spent(survey, number)[0] >= share * asked, f"collector {number} gets no reports")
    survey.kill(number)
    assert share * asked <= spent(survey, number)[0] < asked
    assert survey.listen(number, survey.urls[number].rpartition(":")[2]) == survey.urls[number]


@pytest.mark.long
def test_processes_are_killed_and_everybody_counts_once(surveyed, tmp_path):
    survey = surveyed(PEOPLE, COLLECTORS, CLIENTS)
    start = time.perf_counter()
    clients = [survey.send(number, BATCH) for number in range(CLIENTS - 1)]
    wait_for((survey.folder / "outbox-0.csv").exists, "a gateway writes nothing")
    keys = {hashlib.sha256(token).digest() for _, token, _ in survey.outbox(0)}
    wait_for(lambda: any(keys & arrived(survey, number) for number in range(COLLECTORS)), "it sends nothing")
    kill_half_way(survey, 0, 0.1)
    # A gateway dies, too; what it has sent stands in its outbox.
    clients[0].kill()
    clients[0].communicate()
    first = survey.outbox(0)
    clients[0] = survey.send(0, BATCH)
    kill_half_way(survey, 0, 0.5)
    kill_half_way(survey, 1, 0.2)
    told = [json.loads(ended(client)) for client in clients]
    assert survey.outbox(0) == first
    assert all(said["unknown"] == 0 for said in told) and sum(said["again"] for said in told) > 0

    # The last gateway's network loses answers: reports arrive, nobody says so, and they are sent again.
    last = CLIENTS - 1
    survey.fill(last)
    lost = {url: [token + message for to, token, message in survey.outbox(last) if to == url]
            for url in survey.urls}
    half = len(survey.outbox(last)) // COLLECTORS // 2
    for number, url in enumerate(survey.urls):
        before = survey.answered(number)
        for first in range(0, half, BATCH):
            hang_up(url, b"".join(lost[url][first:min(first + BATCH, half)]))
        wait_for(lambda: survey.answered(number) == before + half, "reports did not arrive")
    assert json.loads(ended(survey.send(last, BATCH))) == {
        "taken": PEOPLE // CLIENTS - COLLECTORS * half, "again": COLLECTORS * half, "unknown": 0}
    seconds = time.perf_counter() - start

    # Everybody sends everything once more, some with another answer.
    again = [json.loads(ended(survey.send(number, 2000))) for number in range(CLIENTS)]
    assert again == [{"taken": 0, "again": PEOPLE // CLIENTS, "unknown": 0}] * CLIENTS
    url, token, message = survey.outbox(0)[0]
    other = message[:-1] + bytes([message[-1] ^ 16])
    told = survey.post(survey.urls.index(url), token + other)
    assert told == (200, {"taken": 0, "again": 1, "unknown": []})

    peaks = [survey.peak(number) for number in range(COLLECTORS)]
    counted(survey)
    if FULL:
        print(f"\n{PEOPLE:,} people, {CLIENTS} gateways, {COLLECTORS} collectors, four killed on the way: "
              f"{seconds:.0f} s, {PEOPLE / seconds:,.0f} a second, "
              f"{max(peaks) / 2**20:.0f} MiB a collector")


def counted(survey):
    """Kill the collectors, sum what they have, and compare with what the clients hold."""
    for number in range(COLLECTORS):
        survey.kill(number)
        said = survey.run("office", "count", "survey.json", f"collector-{number + 1}.sqlite",
                          f"reports-{number + 1}.json")
        assert said.startswith(f"{PEOPLE // COLLECTORS:,} of {PEOPLE // COLLECTORS:,} people have answered")
    held = [record for number in range(CLIENTS) for record in survey.outbox(number)]
    assert len({token for _, token, _ in held}) == len(held) == PEOPLE
    files = [CellAggregate.load(survey.folder / f"reports-{number + 1}.json")
             for number in range(COLLECTORS)]
    for url, found in zip(survey.urls, files, strict=True):
        expected = sum_messages(MECHANISM, [message for to, _, message in held if to == url])
        assert found.people == expected.people and (found.totals == expected.totals).all()
    total = sum_messages(MECHANISM, [message for _, _, message in held])
    assert files[0].merge(files[1]).totals.tobytes() == total.totals.tobytes()
    said = survey.run("office", "learn", "survey.json", "reports-1.json", "reports-2.json")
    for program, *given, words in (
            ("office", "learn", "survey.json", "reports-1.json", "reports-1.json", "would count twice"),
            ("cluster", "survey.json", "reports-2.json", "people-0.csv", "its people were asked"),
            ("cluster", "survey.json", "reports-3.json", "clinic.csv", "./clinic.csv", "asked twice")):
        refused = survey.start(program, *given)
        assert words in refused.communicate()[1] and refused.returncode == 1
    assert f"{PEOPLE:,} people" in said
    scores = [float(word) for word in re.findall(r"cell +\d+ +(\S+)", said)]
    assert np.allclose(scores, MECHANISM.score(total), atol=1e-5, rtol=0)


def hang_up(url, body):
    """Send a request and leave before the answer."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(f"POST /reports HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
                     .encode() + body)


@pytest.fixture
def small(surveyed):
    """A survey of ten people with one collector; nobody has answered."""
    return surveyed(10)


def test_what_is_forged_or_damaged_is_refused_in_a_sentence_and_nothing_is_kept(small):
    """Also when good records stand in the same request."""
    small.fill(0)
    (_, token, message), *others = small.outbox(0)
    good, size = token + message, TOKEN + len(message)
    wrong = pack(HadamardBit(2.0, 0.125), ([0], [1]))[0]
    for body, words in (
            (b"", "has 0 bytes"), (good[:-1], f"has {size - 1} bytes"),
            (good + b"x", f"has {size + 1} bytes"),
            (token + wrong, r"messages\[0\] is of another mechanism"),
            (good + token + bytes([2]) + message[1:], r"messages\[1\] is not of version 1"),
            (good + good + token + message[:-1] + b"\xff", r"messages\[2\] holds nothing that")):
        status, told = small.post(0, body)
        assert status == 400 and re.search(words, told["error"]), told
        assert told["error"].endswith("Nothing of this request was taken.")
        assert not any(secret in told["error"] for secret in (token.hex(), message.hex()))
        assert small.answered(0) == 0
    forged = b"".join(secrets.token_bytes(TOKEN) + message for _ in range(3))
    assert small.post(0, forged + good + good) == (200, {"taken": 1, "again": 1, "unknown": [0, 1, 2]})
    assert small.answered(0) == 1
    # More than a request may have is not read to its end; without a token, no message is read at all.
    with pytest.raises((OSError, ValueError)):
        small.post(0, bytes(2001 * size))
    assert small.post(0, secrets.token_bytes(20 * size)) == (
        200, {"taken": 0, "again": 0, "unknown": list(range(20))})
    status, told = small.post(0, secrets.token_bytes(20 * size) + good + secrets.token_bytes(1979 * size))
    assert status == 400 and told["error"].startswith("More than 20 of the tokens are of nobody here")
    rest = b"".join(token + message for _, token, message in others)
    assert small.post(0, rest) == (200, {"taken": 9, "again": 0, "unknown": []})
    small.kill(0)
    small.run("office", "count", "survey.json", "collector-1.sqlite", "reports-1.json")
    found = CellAggregate.load(small.folder / "reports-1.json")
    expected = sum_messages(MECHANISM, [message for _, _, message in small.outbox(0)])
    assert found.people == 10 and (found.totals == expected.totals).all()


def test_the_collector_keeps_no_token_and_no_order(small):
    """Nor an address or a time: its tables have the columns that are said."""
    small.fill(0)
    held = small.outbox(0)
    assert small.post(0, b"".join(token + message for _, token, message in held))[0] == 200
    small.kill(0)
    small.run("office", "count", "survey.json", "collector-1.sqlite", "reports-1.json")
    files = sorted(small.folder.glob("collector-1.sqlite*"))
    assert [path.name for path in files] == ["collector-1.sqlite"]
    kept = files[0].read_bytes()
    assert not any(token in kept or token.hex().encode() in kept for _, token, _ in held)
    with sqlite3.connect(files[0]) as base:
        tables = dict(base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        assert set(tables) == {"token", "report", "journal"}
        assert all("WITHOUT ROWID" in sql for sql in tables.values())
        columns = [[name for _, name, *_ in base.execute(f"PRAGMA table_info({table})")] for table in tables]
        assert sorted(columns) == [
            ["hash", "spent"], ["message", "people"], ["name", "answered", "asked"]]
        messages = [message for message, _ in base.execute("SELECT * FROM report")]
    assert messages == sorted({message for _, _, message in held})


def test_how_many_have_answered_is_no_scan(tmp_path):
    """Of twenty thousand tokens: SQLite's own steps are counted, not seconds."""
    made = journals.Journal(tmp_path / "collector.sqlite", new=True)
    tokens = [number.to_bytes(16) for number in range(20_000)]
    made.hand_out(tokens)
    assert made.take([(token, b"one") for token in tokens[:3] + tokens[:1]]) == ["taken"] * 3 + ["again"]
    steps = []
    made.base.set_progress_handler(lambda: steps.append(1), 1)
    assert made.answered() == (3, 20_000) and made.knows(tokens[-1]) and not made.knows(b"\xff" * 16)
    assert 0 < len(steps) < 200
    made.base.set_progress_handler(None, 0)
    made.close()


def test_half_requests_do_not_stop_a_collector(small):
    """Half a head, and bodies that stop one byte early; the collector has 160 files and 600 such visitors."""
    small.fill(0)
    body = b"".join(token + message for _, token, message in small.outbox(0))
    small.stop(0)
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))}
    small.running[0] = small.start("collector", "survey.json", "collector-1.sqlite", **few)
    small.urls[0] = small.running[0].stdout.readline().strip()
    host, _, port = small.urls[0].removeprefix("http://").rpartition(":")
    head = b"POST /reports HTTP/1.1\r\nHost: here\r\n"
    rest = b"X-Slow: ", b"Content-Length: 50000\r\n\r\n" + bytes(49_999)
    with contextlib.ExitStack() as stack:
        for number in range(600):
            line = stack.enter_context(socket.create_connection((host, int(port)), timeout=20))
            with contextlib.suppress(ConnectionError):
                line.sendall(head + rest[number % 2])
        assert small.post(0, body) == (200, {"taken": 10, "again": 0, "unknown": []})
        assert small.answered(0) == 10


BAD = {
    "not found": b"HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno",
    "broken": b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno",
    "elsewhere": b"HTTP/1.1 302 No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "no JSON": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
    "other JSON": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
    "wrong types": b'HTTP/1.1 200 OK\r\n\r\n{"taken": "10", "again": 0, "unknown": []}',
    "below zero": b'HTTP/1.1 200 OK\r\n\r\n{"taken": -10, "again": 0, "unknown": []}',
    "too few": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 1, "again": 0, "unknown": []}',
    "too many": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 1%s, "again": 0, "unknown": []}' % (b"0" * 4000),
    "digits": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 1%s, "again": 0, "unknown": []}' % (b"0" * 5000),
    "no places": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 0, "again": 0, "unknown": "ab"}',
    "nobody's places": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 0, "again": 0, "unknown": [0, 2]}',
    "one place twice": b'HTTP/1.1 200 OK\r\n\r\n{"taken": 0, "again": 0, "unknown": [0, 0]}',
    "deep": b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
    "escapes": b"HTTP/1.1 400 \x1b]0;title\x07\r\nContent-Length: 8\r\n\r\n\x1b[2J\x1b[1m",
    "no HTTP": b"hello\r\n\r\n",
    "nothing": b"",
}
SLOW = {
    "dripping head": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "dripping body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
    "endless": (b"HTTP/1.1 200 OK\r\n\r\n", b" " * 2**16),
    "silent": (b"", b""),
}


@contextlib.contextmanager
def bad_collector(first, drip=None):
    """The address of somebody who reads what comes, answers `first`, and then drips or hangs up."""
    over = threading.Event()

    def talk(line):
        with line, contextlib.suppress(OSError):
            line.recv(65_536)
            line.sendall(first)
            while drip is not None and not over.wait(0 if len(drip) > 100 else 0.05):
                line.sendall(drip)

    def listen():
        while not over.is_set():
            with contextlib.suppress(OSError):
                threads.append(threading.Thread(target=talk, args=(door.accept()[0],)))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(0.1)
        threads = [threading.Thread(target=listen)]
        threads[0].start()
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
        finally:
            over.set()
            for thread in threads:
                thread.join()


@pytest.mark.share(3)
@pytest.mark.parametrize("kind", [*BAD, *SLOW])
def test_a_bad_collector_stops_nobody_else(small, kind):
    """It comes first in the outbox, the honest one gets everything nevertheless, and all is over in time."""
    small.fill(0)
    path, good = small.folder / "outbox-0.csv", small.urls[0]
    with bad_collector(*SLOW.get(kind, (BAD.get(kind),))) as url:
        lines = path.read_text(encoding="ascii").splitlines()
        bad = [line.replace(good, url) for line in lines[:4]]
        path.write_text("\n".join([*bad, *lines[4:]]) + "\n", encoding="ascii")
        start = time.monotonic()
        sums, failed = client.deliver(path, 2, patience=1)
        assert time.monotonic() - start < 8
    assert sums == {"taken": 6, "again": 0, "unknown": 0} and small.answered(0) == 6
    said, = failed
    assert said.startswith(url) and said.isprintable() and len(said) < 500


def test_what_was_not_acknowledged_is_said_and_nothing_sent_is_no_success(small):
    small.fill(0)
    path, good = small.folder / "outbox-0.csv", small.urls[0]
    honest = path.read_text(encoding="ascii")
    with bad_collector(BAD["not found"]) as url:
        path.write_text(honest.replace(good, url, 1), encoding="ascii")
        refused = small.send(0)
        out, err = refused.communicate()
    assert json.loads(out)["taken"] == 9 and refused.returncode == 1
    assert f"{url} answers 404" in err and "run this again" in err and "Traceback" not in err
    path.write_text(f"{good},{'00' * 16},{honest.splitlines()[0].rpartition(',')[2]}", encoding="ascii")
    assert "1 reports were not taken: their collector does not know the token" in refusal(small.send(0))
    path.write_text("", encoding="ascii")
    refused = small.send(0)
    assert "is empty: nothing was sent" in refused.communicate()[1] and refused.returncode == 1


def test_a_budget_that_is_hardly_more_is_told_by_all_its_digits(surveyed):
    survey = surveyed(10, options=("--alpha", "1.0000000001"))
    refused = survey.start("client", "survey.json", "letters-0.csv", "people-0.csv", "outbox.csv")
    assert "alpha = 1.0000000001 nats, more than --most-alpha = 1.0;" in refused.communicate()[1]


def test_nobody_counts_twice_whenever_a_journal_is_counted(small):
    """A collector that still runs is counted, and again later: two files of one journal."""
    small.fill(0)
    records = [token + message for _, token, message in small.outbox(0)]
    assert small.post(0, b"".join(records[:4]))[0] == 200
    said = small.run("office", "count", "survey.json", "collector-1.sqlite", "early.json")
    assert "4 of 10 people" in said and "is in use and still tells in which order" in said
    assert small.post(0, b"".join(records[4:]))[0] == 200
    small.stop(0)
    said = small.run("office", "count", "survey.json", "collector-1.sqlite", "late.json")
    assert "10 of 10 people" in said and "order" not in said
    refused = small.start("office", "learn", "survey.json", "early.json", "late.json")
    assert "late.json and early.json are of the same people" in refused.communicate()[1]
    assert refused.returncode == 1
    assert "10 people" in small.run("office", "learn", "survey.json", "late.json")


def test_a_full_disk_is_not_called_a_running_collector(small, monkeypatch, capsys):
    small.fill(0)
    assert small.post(0, b"".join(token + message for _, token, message in small.outbox(0)))[0] == 200
    small.kill(0)

    def full(_):
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(journals.Journal, "close", full)
    office.count(argparse.Namespace(**{name: small.folder / path for name, path in (
        ("survey", "survey.json"), ("reports", "reports.json"), ("journal", "collector-1.sqlite"))}))
    said = capsys.readouterr().out
    assert "could not be written anew (database or disk is full)" in said and "is in use" not in said


def test_the_plan_is_the_exact_risk(small):
    sine, rule = problem("sine"), CellClassifier(1.0, 0.125, mechanism="one-bit")
    n = people_needed(rule, sine, 0.05)
    accuracy = 1 - sine.bayes_risk - excess_risk(rule, sine, n)
    assert f"{n:,} people if the law is sine: expected accuracy {accuracy:.4f}, exact" in small.plan
    refused = small.start("office", "letters", "survey.json", 10, "http://other")
    assert "exists: its people have their letters" in refused.communicate()[1] and refused.returncode == 1


def refusal(process):
    """What a program says that ends with a sentence, not with a traceback."""
    words = process.communicate(timeout=60)[1]
    assert process.returncode == 1 and "Traceback" not in words, words
    return words


def test_a_plan_is_not_overwritten(small):
    """Letters may be out: people would be asked for a budget that their letter does not name."""
    path = small.folder / "survey.json"
    before = path.read_text(encoding="utf-8")
    words = refusal(small.start("office", "plan", "survey.json", "--alpha", "3", "--h", "0.25"))
    assert "survey.json holds another plan" in words and path.read_text(encoding="utf-8") == before
    assert small.run("office", "plan", "survey.json") == small.plan


@pytest.mark.parametrize("option, value", [("--alpha", "0"), ("--h", "0"), ("--risk", "0")])
def test_a_plan_that_cannot_be_is_not_written(tmp_path, option, value):
    there = tmp_path / "s.json"
    refused = subprocess.run([sys.executable, EXAMPLES / "office.py", "plan", there, option, value],
                             capture_output=True, text=True)
    assert refused.returncode == 1 and "No plan was written" in refused.stderr
    assert "Traceback" not in refused.stderr and not there.exists()


def test_letters_overwrite_nothing_and_leave_nothing_behind(small):
    """Neither those that are out, nor half of a set of journals."""
    before = (small.folder / "letters.csv").read_bytes()
    (small.folder / "collector-1.sqlite").rename(small.folder / "collector-2.sqlite")
    call = "office", "letters", "survey.json"
    assert "letters.csv exists" in refusal(small.start(*call, 5, "http://one"))
    assert (small.folder / "letters.csv").read_bytes() == before
    (small.folder / "letters.csv").unlink()
    assert "collector-2.sqlite exists" in refusal(small.start(*call, 5, "http://one", "http://other"))
    assert not (small.folder / "collector-1.sqlite").exists()
    assert "-5 letters are none" in refusal(small.start(*call, "--", "-5", "http://one"))
    for url in ("foo", "127.0.0.1:27112", "htps://one", "https://one/some/prefix", "http://"):
        assert f"{url!r} is no address of a collector" in refusal(small.start(*call, 5, url))
    assert not (small.folder / "letters.csv").exists()


def test_an_outbox_that_names_no_collector_is_not_sent(small):
    small.fill(0)
    path = small.folder / "outbox-0.csv"
    path.write_text(path.read_text(encoding="ascii").replace("http:", "htps:", 1), encoding="ascii")
    assert "is no address of a collector" in refusal(small.send(0))
    assert small.answered(0) == 0


def test_what_is_no_survey_no_journal_and_no_text_is_said(small):
    assert "None of 10 people have answered" in refusal(
        small.start("office", "count", "survey.json", "collector-1.sqlite", "reports.json"))
    assert "There is no journal other.sqlite" in refusal(
        small.start("collector", "survey.json", "other.sqlite"))
    assert "cannot be read as a journal" in refusal(
        small.start("office", "count", "survey.json", "letters.csv", "reports.json"))
    (small.folder / "half.json").write_text('{"mechanism": "one-bit", "alpha": 1, "h": 0.5}')
    assert "half.json is no survey" in refusal(small.start("office", "learn", "half.json", "r.json"))
    (small.folder / "people-0.csv").write_bytes(b"0.5,\xff\n" * 10)
    (small.folder / "outbox-0.csv").unlink(missing_ok=True)
    words = refusal(small.send(0))
    assert "must hold numbers alone" in words and "xff" not in words


def test_a_port_in_use_and_files_that_are_not_there_are_said(small):
    port = small.urls[0].rpartition(":")[2]
    words = refusal(small.start("collector", "survey.json", "collector-1.sqlite", "--port", port))
    assert f":{port} cannot be used" in words and "name another --port" in words
    words = refusal(small.start("office", "learn", "survey.json", "nofile.json"))
    assert "There is no file nofile.json" in words


def test_a_client_says_what_it_does_and_for_what_it_waits(small):
    """On its second channel: the first has the answers, for programs."""
    sent = small.send(0)
    told, words = sent.communicate(timeout=60)
    assert json.loads(told)["taken"] == 10
    assert words.splitlines() == ["10 people are asked; each tells 1 nats at most.",
                                  "10 reports are in outbox-0.csv and are sent now."]
    small.kill(0)
    words = refusal(small.start("client", "survey.json", "letters-0.csv", "people-0.csv", "outbox-0.csv",
                                "--patience", "0.2"))
    assert f"{small.urls[0]} does not take reports now" in words and "trying for 0.2 seconds" in words
    usage = small.run("client", "--help")
    assert "1000 unless given" in usage and "60 unless given" in usage


def test_what_is_learnt_says_where_each_cell_lies(small):
    ended(small.send(0))
    small.kill(0)
    small.run("office", "count", "survey.json", "collector-1.sqlite", "reports-1.json")
    said = small.run("office", "learn", "survey.json", "reports-1.json")
    found = re.findall(r"cell +(\d+) .* (\S+)\.\.(\S+)$", said, re.MULTILINE)
    assert [tuple(map(float, row)) for row in found] == [(k, k / 8, (k + 1) / 8) for k in range(8)]


def test_dense_reports_and_a_cluster_merge_with_those_of_telephones(surveyed):
    """The intervals are those of the rule, whoever has collected."""
    survey = surveyed(40, options=("--mechanism", "laplace", "--h", "0.25"))
    assert json.loads(ended(survey.send(0, 7))) == {"taken": 40, "again": 0, "unknown": 0}
    survey.run("office", "count", "survey.json", "collector-1.sqlite", "reports-1.json")
    shutil.copy(survey.folder / "people-0.csv", survey.folder / "clinic.csv")
    assert survey.run("cluster", "survey.json", "reports-2.json", "people-0.csv", "clinic.csv").startswith(
        "80 people")
    mechanism = CellLaplace(1.0, 0.25)
    phones, cluster = (CellAggregate.load(survey.folder / f"reports-{number}.json") for number in (1, 2))
    expected = sum_messages(mechanism, [message for _, _, message in survey.outbox(0)])
    assert (phones.totals == expected.totals).all() and phones.merge(cluster).people == 120
    said = survey.run("office", "learn", "survey.json", "reports-1.json", "reports-2.json")
    for program, *given, words in (
            ("office", "learn", "survey.json", "reports-1.json", "reports-1.json", "would count twice"),
            ("cluster", "survey.json", "reports-2.json", "people-0.csv", "its people were asked")):
        refused = survey.start(program, *given)
        assert words in refused.communicate()[1] and refused.returncode == 1
    rule = CellClassifier(1.0, 0.25).fit_aggregate(phones.merge(cluster))
    for low, high in rule.interval(np.arange(4)[:, None] / 4 + 0.1):
        assert f"[{low:+.5f}, {high:+.5f}]" in said


def test_a_device_has_a_limit_of_its_own_and_asks_nobody_beyond_it(surveyed):
    survey = surveyed(10, options=("--alpha", "3"))
    refused = survey.start("client", "survey.json", "letters.csv", "people-0.csv", "outbox.csv")
    assert "more than --most-alpha = 1.0; nobody was asked" in refused.communicate()[1]
    assert refused.returncode == 1 and not (survey.folder / "outbox.csv").exists()


def test_letters_for_others_leave_no_reports_behind(surveyed):
    """Drawn again they would be second reports of the same people, on the same disk."""
    survey = surveyed(10)
    (survey.folder / "few.csv").write_text("http://here,00\n", encoding="ascii")
    refused = survey.start("client", "survey.json", "few.csv", "people-0.csv", "outbox.csv")
    assert "1 letters are not for 10 people; nobody was asked" in refused.communicate()[1]
    with pytest.raises(ValueError, match="shorter"):
        client.fill(survey.folder / "outbox.csv", [("http://here", "00")] * 2, [b"one"])
    assert not [path for path in survey.folder.iterdir() if path.name.startswith("outbox.csv")]


def test_of_two_outboxes_the_first_counts(tmp_path):
    for message in (b"first", b"second"):
        client.fill(tmp_path / "outbox.csv", [("http://here", "00")], [message])
    assert [record for _, record in client.records_of(tmp_path / "outbox.csv")] == [b"\0first"]
    assert [path.name for path in tmp_path.iterdir()] == ["outbox.csv"]


def test_what_is_no_number_is_refused_without_words_of_a_person(tmp_path):
    (tmp_path / "people.csv").write_text("0.3,1\n0.4,HIV+\n")
    program = "from survey import read_people; read_people('people.csv')"
    refused = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
                             env=os.environ | {"PYTHONPATH": str(EXAMPLES)}, check=False)
    assert "must hold numbers alone" in refused.stderr and "HIV" not in refused.stderr


def test_a_collector_that_ends_leaves_no_order_of_arrival_and_nothing_for_others_to_read(surveyed):
    """Messages of eight bytes of noise each: 300 of them are found in the order of their bytes."""
    survey = surveyed(300, options=("--mechanism", "laplace", "--h", "0.5"))
    ended(survey.send(0, 1))
    messages = sorted({message for *_, message in survey.outbox(0)})
    survey.stop(0)
    path = survey.folder / "collector-1.sqlite"
    assert sorted(survey.folder.glob("collector-1.sqlite*")) == [path]
    content = path.read_bytes()
    places = [content.find(message[-8:]) for message in messages]
    # Inside a page SQLite writes from the end.
    assert -1 not in places and sum(a > b for a, b in zip(places, places[1:])) > 0.9 * len(places)
    for secret in (path, survey.folder / "outbox-0.csv", survey.folder / "letters.csv"):
        assert not secret.stat().st_mode & 0o077, secret


def test_the_page_tells_the_lengths_and_names_the_programs(repository):
    page = (repository / "docs" / "site" / "practice.md").read_text(encoding="utf-8")
    lengths = re.findall(r"^\| `(\w+\([^`]+\))` \| (\d+) \|$", page, re.MULTILINE)
    assert len(lengths) == 6
    for made, length in lengths:
        assert message_bytes(eval(made, vars(privacy))) == int(length), made
    assert set(re.findall(r"python (examples/\w+\.py)", page)) <= {
        f"examples/{path.name}" for path in EXAMPLES.glob("*.py")}


@pytest.mark.parametrize("program", ["client", "cluster", "collector", "office"])
def test_every_program_says_how_it_is_used(program):
    said = subprocess.check_output([sys.executable, EXAMPLES / f"{program}.py", "--help"], text=True)
    assert f"python examples/{program}.py" in said


def test_the_table_of_real_data_has_all_rules_and_data_sets():
    program = [sys.executable, "-W", "error", EXAMPLES / "real_data.py", "--surveys", "2"]
    printed = subprocess.check_output(program, text=True).splitlines()
    assert re.findall(r"\w+ \d|histogram|logistic", printed[0]) == [
        *(f"{who} {alpha}" for who in ("local", "curator") for alpha in (1, 2, 4)), "histogram", "logistic"]
    assert len(printed) == 10 and all(line.count("+-") == 8 for line in printed[1:])
    # With many people and a budget of 4 nothing is far from open data.
    survey = [float(cell.split("+-")[0]) for cell in printed[1].split()[-8:]]
    assert survey[2] == pytest.approx(survey[6], abs=0.01) and survey[2] > 0.68

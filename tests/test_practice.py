"""From telephone to office with real processes, which are killed: nothing is lost and nobody counts twice.

The programs are those of `examples/`. With LDP_FULL=1 a million people answer, and it is printed how long
that takes.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from benchmarks.survey import EXAMPLES, Survey, client, ended

from ldp_lib import privacy
from ldp_lib.estimation import CellClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CellAggregate, CellLaplace, HadamardBit, message_bytes, pack, sum_messages
from ldp_lib.risk import excess_risk, people_needed

FULL = bool(int(os.environ.get("LDP_FULL", "0")))
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
    """Wait until a condition holds."""
    start = time.monotonic()
    while not true():
        assert time.monotonic() - start < seconds, what
        time.sleep(0.002)


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
    lost = {url: b"".join(token + message for to, token, message in survey.outbox(last) if to == url)
            for url in survey.urls}
    half = len(survey.outbox(last)) // COLLECTORS // 2
    for number, url in enumerate(survey.urls):
        before = survey.answered(number)
        hang_up(url, lost[url][:half * (TOKEN + message_bytes(MECHANISM))])
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
            (good + good + token + message[:-1] + b"\xff", r"messages\[2\] holds nothing that"),
            (secrets.token_bytes(size), "messages")):
        status, told = small.post(0, body)
        assert status == 400 and re.search(words, told["error"]), told
        assert told["error"].endswith("Nothing of this request was taken.")
        assert not any(secret in told["error"] for secret in (token.hex(), message.hex()))
        assert small.answered(0) == 0
    forged = b"".join(secrets.token_bytes(TOKEN) + message for _ in range(3))
    assert small.post(0, forged + good + good) == (200, {"taken": 1, "again": 1, "unknown": [0, 1, 2]})
    assert small.answered(0) == 1
    # More than a request may have is not read to its end.
    with pytest.raises((OSError, ValueError)):
        small.post(0, bytes(2**23))
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
        assert set(tables) == {"token", "report"} and all("WITHOUT ROWID" in sql for sql in tables.values())
        columns = [[name for _, name, *_ in base.execute(f"PRAGMA table_info({table})")] for table in tables]
        assert sorted(columns) == [["hash", "spent"], ["message", "people"]]
        messages = [message for message, _ in base.execute("SELECT * FROM report")]
    assert messages == sorted({message for _, _, message in held})


def test_the_plan_is_the_exact_risk(small):
    sine, rule = problem("sine"), CellClassifier(1.0, 0.125, mechanism="one-bit")
    n = people_needed(rule, sine, 0.05)
    accuracy = 1 - sine.bayes_risk - excess_risk(rule, sine, n)
    assert f"{n:,} people if the law is sine: expected accuracy {accuracy:.4f}, exact" in small.plan
    refused = small.start("office", "letters", "survey.json", 10, "http://other")
    assert "exists: its people have their letters" in refused.communicate()[1] and refused.returncode == 1


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
    assert "more than --most-alpha = 1; nobody was asked" in refused.communicate()[1]
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

"""What one collector of `examples/` takes: messages a second from gateways and from telephones, and memory.

`Survey` runs the programs of `examples/` as processes; tests/test_practice.py kills them.
"""

import csv
import functools
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ldp_lib.nature import problem

from .measure import Row, duration

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))
import client  # noqa: E402
import journal as journals  # noqa: E402, F401
import office  # noqa: E402, F401
import survey as examples  # noqa: E402

TITLE = "A collector (examples/collector.py): one bit a person, on the disk before it is acknowledged"
GATEWAY, TELEPHONES, AT_ONCE = 200_000, 4_000, 16
GOAL_GATEWAY, GOAL_TELEPHONES, GOAL_BYTES = 10_000, 300, 2**28


def started(folder, name, *arguments, **options):
    """A program of `examples/` as a process in a folder; `options` are of `subprocess.Popen`."""
    program = [sys.executable, "-W", "error", EXAMPLES / f"{name}.py"]
    return subprocess.Popen([*program, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(EXAMPLES.parent)},
                            **options)


@functools.cache
def planned(people, collectors, options):
    """A temporary folder with a plan and its letters, which surveys of a kind copy; what `plan` printed."""
    made = tempfile.TemporaryDirectory()
    said = ended(started(made.name, "office", "plan", "survey.json", *options))
    ended(started(made.name, "office", "letters", "survey.json", people, *collectors))
    return made, said


class Survey:
    """A survey in a folder: collectors that listen, letters to `people`, clients with a share each."""

    def __init__(self, folder, people, collectors=1, clients=1, options=()):
        self.folder, self.people, self.running = folder, people, {}
        names = [f"http://collector-{number + 1}" for number in range(collectors)]
        made, self.plan = planned(people, tuple(names), tuple(options))
        shutil.copytree(made.name, folder, dirs_exist_ok=True)
        # Any free port: where a collector listens is known when it does.
        self.urls = [self.listen(number, 0) for number in range(collectors)]
        letters = (folder / "letters.csv").read_text(encoding="ascii")
        for name, url in zip(names, self.urls, strict=True):
            letters = letters.replace(f"{name},", f"{url},")
        lines = letters.splitlines()
        X, y = problem("sine").sample(people, rng=1)
        for number in range(clients):
            mine = slice(number * people // clients, (number + 1) * people // clients)
            (folder / f"letters-{number}.csv").write_text("\n".join(lines[mine]) + "\n", encoding="ascii")
            np.savetxt(folder / f"people-{number}.csv", np.column_stack([X, y])[mine], "%.6f", ",")

    def start(self, name, *arguments, **options):
        """A program of `examples/` as a process; `options` are of `subprocess.Popen`."""
        return started(self.folder, name, *arguments, **options)

    def run(self, name, *arguments):
        """What a program prints."""
        return ended(self.start(name, *arguments))

    def listen(self, number, port):
        """Start a collector; its address."""
        journal = f"collector-{number + 1}.sqlite"
        self.running[number] = self.start("collector", "survey.json", journal, "--port", port)
        return self.running[number].stdout.readline().strip()

    def send(self, number, batch=1000):
        """A client that sends what its people answer."""
        return self.start("client", "survey.json", f"letters-{number}.csv", f"people-{number}.csv",
                          f"outbox-{number}.csv", "--batch", batch)

    def fill(self, number):
        """What a client's people send, in its outbox, and not sent yet; its path."""
        path = self.folder / f"outbox-{number}.csv"
        _, mechanism = examples.read_rule(self.folder / "survey.json")
        people = examples.read_people(self.folder / f"people-{number}.csv")
        with (self.folder / f"letters-{number}.csv").open(newline="", encoding="ascii") as letters:
            client.fill(path, csv.reader(letters), client.messages_of(mechanism, *people))
        return path

    def outbox(self, number):
        """Address, token and message of each person of a client."""
        with (self.folder / f"outbox-{number}.csv").open(newline="", encoding="ascii") as file:
            return [(url, bytes.fromhex(token), bytes.fromhex(message))
                    for url, token, message in csv.reader(file)]

    def post(self, number, body):
        """Status and answer of a collector."""
        return asked(self.urls[number], "POST", body)

    def answered(self, number):
        """How many people have answered to a collector."""
        return asked(self.urls[number], "GET")[1]["answered"]

    def kill(self, number):
        """End a collector as a power cut would."""
        self.running[number].kill()
        self.running[number].communicate()

    def stop(self, number):
        """Tell a collector to end, and wait."""
        process = self.running.pop(number)
        process.terminate()
        ended(process)

    def peak(self, number):
        """Peak bytes of a collector."""
        status = Path(f"/proc/{self.running[number].pid}/status").read_text(encoding="ascii")
        return 1024 * int(status.split("VmHWM:")[1].split()[0])

    def close(self):
        """End all collectors."""
        for number in self.running:
            self.kill(number)


def ended(process):
    """What a process has printed; it must have ended well."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out


def asked(url, method, body=None):
    """Status and answer of one request."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    try:
        connection.request(method, "/reports", body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def timed(people, deliver):
    """Seconds in which `deliver` has posted what is in an outbox, and peak bytes of the collector."""
    with tempfile.TemporaryDirectory() as folder:
        survey = Survey(Path(folder), people)
        try:
            outbox = survey.fill(0)
            start = time.perf_counter()
            deliver(outbox)
            seconds = time.perf_counter() - start
            assert survey.answered(0) == people
            return seconds, survey.peak(0)
        finally:
            survey.close()


def gateway(outbox):
    """A thousand messages a request."""
    assert not client.deliver(outbox, 1000, patience=60)[1]


def telephones(outbox):
    """A request and a connection for each message, so many at a time."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(lambda record: client.post(*record, people=1, patience=60),
                         client.records_of(outbox)))


def rows():
    """Yield one `Row` for gateways, one for telephones, and one for memory."""
    seconds, peak = timed(GATEWAY, gateway)
    yield Row(f"{GATEWAY:,} messages, 1,000 a request", f"{GATEWAY / seconds:,.0f} a second",
              duration(seconds), f"{GOAL_GATEWAY:,} a second", GATEWAY / seconds >= GOAL_GATEWAY)
    yield Row("  peak memory of the collector", f"{peak / 2**20:,.0f} MiB", "", "256 MiB", peak <= GOAL_BYTES)
    seconds, _ = timed(TELEPHONES, telephones)
    yield Row(f"{TELEPHONES:,} telephones, {AT_ONCE} at a time, a connection each",
              f"{TELEPHONES / seconds:,.0f} a second", duration(seconds), f"{GOAL_TELEPHONES:,} a second",
              TELEPHONES / seconds >= GOAL_TELEPHONES)

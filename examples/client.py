"""A telephone, or a gateway of many: randomises answers here, and sends them until they are acknowledged.

    python examples/client.py survey.json letters.csv people.csv outbox.csv

Line by line, people.csv has the people and letters.csv where each sends to and her token. What they send is
written to outbox.csv before the first byte leaves. If that file exists, what is in it is sent, and nobody is
asked again: a second report of the same answer would cost her a second alpha. So the program may be killed
and run again at any time.
"""

import argparse
import contextlib
import csv
import http.client
import itertools
import json
import os
import secrets
import socket
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from survey import address, read_people, read_rule
from tqdm import tqdm

from ldp_lib.privacy import pack

MOST_ANSWER, ATTEMPT = 2**20, 30
"""Bytes of an answer; seconds for a request with its answer, however slowly they come."""


class UnansweredError(Exception):
    """A collector does not do its part; in a sentence."""


def messages_of(mechanism, X, y):
    """What these people send: every one's noise from the operating system of this machine."""
    if hasattr(mechanism, "send"):
        return pack(mechanism, mechanism.send(X, y, rng="secure"))
    return [message for block in mechanism.privatize_blocks(X, y, rng="secure")
            for message in pack(mechanism, block)]


def fill(outbox, letters, messages):
    """Write who sends what where, one a line: whole or not at all, and never twice."""
    scratch = outbox.with_name(f"{outbox.name}.{secrets.token_hex(8)}.part")
    try:
        with scratch.open("x", newline="", encoding="ascii") as file:
            csv.writer(file).writerows((url, token, message.hex()) for (url, token), message in zip(
                letters, messages, strict=True))
            file.flush()
            os.fsync(file.fileno())
        # Of two programs that run at once one is first; what the other has drawn leaves this machine never.
        with contextlib.suppress(FileExistsError):
            os.link(scratch, outbox)
    finally:
        scratch.unlink(missing_ok=True)
    folder = os.open(outbox.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def records_of(outbox):
    """Address, and token and message as bytes, of everybody in the outbox."""
    with outbox.open(newline="", encoding="ascii") as file:
        for url, token, message in csv.reader(file):
            yield url, bytes.fromhex(token) + bytes.fromhex(message)


def request(url, body, seconds):
    """Status and answer of one request, which is over after so many seconds."""
    place = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    with contextlib.closing(kind(place.netloc, timeout=seconds)) as connection:
        connection.connect()
        line = connection.sock  # later on `connection` may give it away

        def hang_up():
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

        clock = threading.Timer(seconds, hang_up)
        clock.start()
        try:
            connection.request("POST", "/reports", body, {"Content-Type": "application/octet-stream"})
            answer = connection.getresponse()
            return answer.status, answer.read(MOST_ANSWER)
        finally:
            clock.cancel()


def post(url, body, people, patience):
    """The collector's answer to the `body` of so many people: the same bytes again while there is none, for
    `patience` seconds."""
    end = time.monotonic() + patience
    for attempt in itertools.count():
        try:
            status, told = request(url, body, max(1, min(ATTEMPT, end - time.monotonic())))
        except (OSError, http.client.HTTPException) as error:
            status, told = 503, repr(error)
        if status == 200:
            return understood(url, told, people)
        if status < 500 or time.monotonic() > end:
            raise UnansweredError(f"{url} answers {status}: {told!r:.300}")
        if not attempt:
            print(f"{url} does not take reports now ({told!r:.100}); trying for {patience:g} seconds.",
                  file=sys.stderr)
        time.sleep(min(0.1 * 2**attempt, 1))


def understood(url, told, people):
    """What a collector says of the records of so many people: how many were taken, came again, are unknown.

    Each record is one of these; who has a token that the collector does not know is told by place.
    """
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        said = json.loads(told)
        taken, again, unknown = said["taken"], said["again"], said["unknown"]
        numbers = [taken, again, *unknown]
        placed = len(set(unknown)) == len(unknown) and set(unknown) <= set(range(people))
        if (set(map(type, numbers)) == {int} and min(numbers) >= 0 and placed
                and taken + again + len(unknown) == people):
            return {"taken": taken, "again": again, "unknown": len(unknown)}
    raise UnansweredError(f"{url} answers what no collector says of {people:,} reports: {told!r:.300}")


def deliver(outbox, batch, patience):
    """Post everything in the outbox; the answers added up, and the sentences of collectors that failed."""
    sums, failed = {"taken": 0, "again": 0, "unknown": 0}, []
    everybody = sorted((address(url), record) for url, record in records_of(outbox))
    print(f"{len(everybody):,} reports are in {outbox} and are sent now.", file=sys.stderr)
    with tqdm(total=len(everybody), unit="reports", disable=None, delay=2) as bar:
        for url, group in itertools.groupby(everybody, key=lambda record: record[0]):
            try:
                while records := list(itertools.islice(group, batch)):
                    told = post(url, b"".join(record for _, record in records), len(records), patience)
                    sums = {verdict: count + told[verdict] for verdict, count in sums.items()}
                    bar.update(len(records))
            except UnansweredError as why:  # the others still get what is theirs
                failed.append(str(why))
    return sums, failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("survey", help="what is asked, see survey.py")
    parser.add_argument("letters", type=Path, help="address and token of each person, by `office.py letters`")
    parser.add_argument("people", help="features and label of each person")
    parser.add_argument("outbox", type=Path, help="what they send; kept here until the survey is over")
    parser.add_argument("--batch", type=int, default=1000,
                        help="people a request of 4 MiB at most, 1000 unless given; 1 for a telephone")
    parser.add_argument("--patience", type=float, default=60,
                        help="seconds to wait for a collector, 60 unless given")
    parser.add_argument("--most-alpha", type=float, default=1.0,
                        help="nats that a person tells at most in this one survey; 1 unless given")
    given = parser.parse_args()
    if given.batch < 1:
        parser.error(f"--batch {given.batch} sends nothing; it must be 1 or more.")
    os.umask(0o077)  # tokens, and who sent what
    if not given.outbox.exists():
        _, mechanism = read_rule(given.survey)
        if mechanism.alpha > given.most_alpha:
            raise SystemExit(f"The survey asks for alpha = {mechanism.alpha!r} nats, more than --most-alpha "
                             f"= {given.most_alpha!r}; nobody was asked.")
        X, y = read_people(given.people)
        with given.letters.open(newline="", encoding="ascii") as file:
            letters = [(address(url), token) for url, token in csv.reader(file)]
        if len(letters) != len(X):
            raise SystemExit(f"{len(letters)} letters are not for {len(X)} people; nobody was asked.")
        print(f"{len(X):,} people are asked; each tells {mechanism.alpha:g} nats at most.", file=sys.stderr)
        fill(given.outbox, letters, messages_of(mechanism, X, y))
    sums, failed = deliver(given.outbox, given.batch, given.patience)
    print(json.dumps(sums))
    if failed:
        failed.append(f"Not everything in {given.outbox} is acknowledged; run this again.")
    elif not any(sums.values()):
        failed.append(f"{given.outbox} is empty: nothing was sent.")
    elif sums["unknown"]:
        failed.append(f"{sums['unknown']:,} reports were not taken: their collector does not know the token. "
                      "Ask the office whose letters these are.")
    if failed:
        raise SystemExit("\n".join(failed))

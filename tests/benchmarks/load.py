"""A class that moves sliders at once, on one machine with its generator: seconds from a move to the state.

    python -m tests.benchmarks.load [STUDENTS] [SECONDS]

Students come within ten seconds to a server that has just started. Each opens three scenes of the panels of
notebooks 01, 02 and 03, fetches the file of each as a page does, and moves in bursts, 1.5 states a second.
Two moves of three go to stored states, which the page has and nobody is asked for; one of three goes to a
state of *explore* that is stored nowhere: two controls stand somewhere at random, and a third one is swept.
One process of the server is killed half-way, and a request that it took along is sent once more, as a page
does.
"""

import asyncio
import contextlib
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from ldp_lib.live import panel
from ldp_lib.site.stored import places
from ldp_lib.stage.control import address

from .measure import Row

TITLE = "A class on `make serve`: computed states, 1.5 moves a second and student, a third stored nowhere"
ROOT = Path(__file__).resolve().parents[2]
PANELS = ("ldp_check", "consistency", "upper_rate")
COMING, REST, GAP = 10, 2.15, 0.1
"""Seconds in which students come; mean seconds between bursts of 3 to 8 moves; between moves of a burst."""
GOAL, MEMORY = 0.2, 2.0
"""Seconds at p95, and GiB of all processes together."""


class Outcome(NamedTuple):
    """What a class saw: seconds of each request, how many moves there were, how many states were lost."""

    files: list
    states: list
    moves: int
    lost: int
    seconds: float
    gibibytes: float

    def p(self, share):
        """A quantile of the seconds of computed states."""
        return sorted(self.states)[min(len(self.states) - 1, int(share * len(self.states)))]

    def faults(self, students, seconds):
        """What a class of so many students must not meet: a list of sentences, empty if it met nothing."""
        wrong = {
            "states were lost": self.lost,
            "files did not come": len(self.files) != 3 * students,
            "fewer moves than were meant": self.moves <= 0.6 * students * (seconds - 5),
            "fewer computed states than were meant": len(self.states) <= self.moves / 5,
            "more memory than was promised": self.gibibytes >= MEMORY,
            "half of all states came late": self.p(0.5) >= GOAL}
        return [words for words, found in wrong.items() if found]


class Lesson:
    """Where students can go."""

    def __init__(self):
        self.panels = {name: panel(name) for name in PANELS}
        self.stored = {name: {at for ahead in places(shown).values() for at in ahead}
                       for name, shown in self.panels.items()}

    def scenes(self, rng):
        """Three scenes: the address of each one's file, and moves: an address, or None where it is stored."""
        for name in rng.sample(PANELS, 3):
            shown = self.panels[name]
            number = rng.randrange(len(shown.scenes))
            yield f"/_static/ldp/{name}-{shown.version}-{number}.js", self.moves(name, rng)

    def moves(self, name, rng):
        shown, start = self.panels[name], self.panels[name].starts()["explore"]
        controls = [control for control in shown.controls if control.name in shown.shown("explore")]
        while True:
            values = start | {control.name: rng.choice(control.values) for control in rng.sample(controls, 2)}
            swept = rng.choice([control for control in controls if len(control.values) > 2])
            here = swept.values.index(values[swept.name])
            for _ in range(rng.randint(3, 10)):
                here = max(0, min(len(swept.values) - 1, here + rng.choice((-1, 1))))
                values = values | {swept.name: swept.values[here]}
                if shown._place(values) not in self.stored[name]:
                    yield from rng.sample([None, None, f"/state/{address(shown, values)}"], 3)


class Student:
    """One connection that is kept, as a browser keeps it."""

    def __init__(self, port, seen):
        self.port, self.seen, self.pipe = port, seen, None

    async def fetch(self, path, kind):
        """Note the seconds of one request, or that it was lost twice."""
        began = time.monotonic()
        for _ in range(2):
            try:
                if self.pipe is None:
                    self.pipe = await asyncio.open_connection("127.0.0.1", self.port)
                reader, writer = self.pipe
                writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.split("content-length: ")[1].split()[0]))
                if " 200 " in head.partition("\r\n")[0]:
                    kind.append(time.monotonic() - began)
                    return
            except (OSError, asyncio.IncompleteReadError):
                await self.leave()
        self.seen["lost"] += 1

    async def leave(self):
        """Close the connection, if there is one."""
        if self.pipe:
            writer, self.pipe = self.pipe[1], None
            writer.close()
            with contextlib.suppress(OSError):  # the other side was faster
                await writer.wait_closed()

    async def attend(self, lesson, rng, end):
        """Three scenes after each other, until the end."""
        await asyncio.sleep(rng.random() * COMING)
        third = (end - time.monotonic()) / 3
        for number, (file, moves) in enumerate(lesson.scenes(rng)):
            until = end - (2 - number) * third
            await self.fetch(file, self.seen["files"])
            while time.monotonic() < until:
                for _ in range(rng.randint(3, 8)):
                    wanted = next(moves)
                    self.seen["moves"] += 1
                    if wanted:
                        await self.fetch(wanted, self.seen["states"])
                    await asyncio.sleep(GAP)
                await asyncio.sleep(rng.expovariate(1 / REST))
        await self.leave()


@contextlib.contextmanager
def server(folder, **options):
    """The pages in `folder` on a free port, with two processes: the number of their parent, and the port.

    options : of `subprocess.Popen`.
    """
    command = [sys.executable, "-m", "ldp_lib.site.serve", "--port=0", "--processes=2", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **options) as process:
        try:
            port = int(process.stdout.readline().rpartition(":")[2])
            while len(children(process.pid)) < 2:
                time.sleep(0.05)
            yield process.pid, port
        finally:
            process.terminate()


def children(pid):
    """The processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gibibytes(pid):
    """Memory of a server and its children, what they share counted once."""
    rolls = (Path(f"/proc/{one}/smaps_rollup").read_text() for one in [pid, *children(pid)])
    return sum(int(roll.split("Pss:")[1].split()[0]) for roll in rolls) / 2**20


def lesson(folder, students, seconds, kill=True, seed=1):
    """Hold a lesson of so many students and seconds; return its `Outcome`."""
    plan, seen = Lesson(), {"files": [], "states": [], "moves": 0, "lost": 0}

    async def held(pid, port):
        end = time.monotonic() + seconds
        room = [Student(port, seen).attend(plan, random.Random(f"{seed} {number}"), end)
                for number in range(students)]

        async def killer():
            await asyncio.sleep(seconds / 2)
            if kill:
                os.kill(children(pid)[0], signal.SIGKILL)

        await asyncio.gather(killer(), *room)

    with server(folder) as (pid, port):
        began = time.monotonic()
        asyncio.run(held(pid, port))
        taken, memory = time.monotonic() - began, gibibytes(pid)
    return Outcome(seen["files"], seen["states"], seen["moves"], seen["lost"], taken, memory)


def row(students, seconds=40):
    """A `Row` for a class of so many students; RuntimeError if it met what it must not."""
    found = lesson(ROOT / "build" / "site", students, seconds)
    if faults := found.faults(students, seconds):
        raise RuntimeError(f"{students} students: {'; '.join(faults)}")
    return Row(f"{students} students, {found.moves / found.seconds:.0f} moves/s, "
               f"{len(found.states) / found.seconds:.0f} computed/s", f"p95 {1e3 * found.p(0.95):.0f} ms",
               f"p50 {1e3 * found.p(0.5):.0f}, p99 {1e3 * found.p(0.99):.0f} ms, files "
               f"{1e3 * statistics.median(found.files):.0f} ms, lost {found.lost}, {found.gibibytes:.2f} GiB",
               f"{1e3 * GOAL:g} ms", found.p(0.95) <= GOAL)


def rows():
    """Yield a `Row` for 300 students; 30 come in tests/browser/test_load.py."""
    yield row(300)


if __name__ == "__main__":
    print(row(*map(int, sys.argv[1:])))

"""Answers of others run in a process of their own; what they return is judged here.

The judge stays on this side of a pipe. Over it go calls and values, as JSON: numbers, arrays, texts, lists.
So an answer can say whatever it likes, but no verdict: none is read. The process of `Answerer` runs the
program of an answer (`ldp_lib.stage.rerun`) within limits of time, memory and processes. On Linux it has no
network, no files but those of Python and the library, read-only and without judges, and it sees no other
process (`ldp_lib.site.walls`).
"""

import ast
import base64
import contextlib
import importlib
import json
import numbers
import os
import re
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ldp_lib
from ldp_lib.nature.surveys import DATA_FOLDER
from ldp_lib.stage.judge import with_any_names

SECONDS, TO_START = 60, 120
"""For one answer with all that its judge asks, and for the start of a process on a busy machine."""
LIMITS = {resource.RLIMIT_AS: 2 * 2**30, resource.RLIMIT_NPROC: 4, resource.RLIMIT_NOFILE: 64,
          resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
"""Of each process: bytes of addresses, of which the library takes a quarter of a GiB; processes and threads,
with the one that waits; open files; bytes of a file, also of one in memory; of what a crash leaves."""
LONGEST = 32 * 2**20
"""Bytes of one message."""
WORDS = 1000
"""Characters that are read of what an answer says when it fails."""
PACKAGE = Path(ldp_lib.__file__).resolve().parent


class Ended(BaseException):
    """An answer gave no more answers; why, in words. No judge, which catches every Exception, goes on."""


class Line:
    """One end of a pipe between two processes that call each other's functions.

    `functions` : those of this side that the other one knows, by number.
    """

    def __init__(self, reading, writing):
        self._reading, self._writing, self.functions = reading, writing, []

    def send(self, **message):
        """Send a message, of JSON's types."""
        self._writing.write(json.dumps(message).encode() + b"\n")
        self._writing.flush()

    def receive(self):
        """The next message, a dict."""
        text = self._reading.readline(LONGEST)
        if not text.endswith(b"\n"):
            raise Ended("it sent more than can be read" if text else "its process ended")
        try:
            return dict(json.loads(text))
        except Exception:  # whatever comes from there, this side goes on
            raise Ended("it sent what is no answer") from None

    def result(self):
        """What the other side returns; until then its calls are answered. What it raised is raised."""
        while "call" in (message := self.receive()):
            self._answer(message["call"])
        try:
            if "ready" in message:  # so says the process that waits for this one
                raise Ended("its process ended")
            if "failure" not in message:
                return self._unpacked(message["value"])
            kind, words = (str(each)[:WORDS] for each in message["failure"])
            failure = type(kind, (Exception,), {"__module__": "builtins"})(words)
        except Exception:
            raise Ended("it sent what is no answer") from None
        raise failure

    def call(self, number, arguments, named):
        """Call a function of the other side."""
        self.send(call=[number, self.packed(list(arguments)), self.packed(dict(named))])
        return self.result()

    def _answer(self, call):
        try:
            number, arguments, named = call
            value = self.functions[number](*self._unpacked(arguments), **self._unpacked(named))
            packed = self.packed(value)
        except (Exception, SystemExit) as failure:
            self.fail(failure)
        else:
            self.send(value=packed)

    def fail(self, failure):
        """Tell the other side what was raised here."""
        words = ""
        with contextlib.suppress(Exception):  # some failures cannot even say what they are
            words = str(failure)[:WORDS]
        self.send(failure=[type(failure).__name__, words])

    def packed(self, value):
        """A value as JSON knows it. A function becomes a number; a generator the seed of another one.

        Both None and ... are no answer.
        """
        if value is ...:
            return None
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, (list, tuple)):
            return {"list" if isinstance(value, list) else "tuple": [*map(self.packed, value)]}
        if isinstance(value, dict):
            return {"dict": [[self.packed(key), self.packed(each)] for key, each in value.items()]}
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf":
            name = "array" if isinstance(value, np.ndarray) else "scalar"
            return {name: [value.dtype.str, value.shape, base64.b64encode(value.tobytes()).decode()]}
        if isinstance(value, np.random.Generator):
            return {"rng": int(value.integers(2**63))}
        if callable(value):
            self.functions.append(value)
            return {"function": len(self.functions) - 1}
        if isinstance(value, numbers.Real):
            return float(value)
        return {"other": type(value).__name__}

    def _unpacked(self, packed):
        if not isinstance(packed, dict):
            return packed
        (kind, content), = packed.items()
        match kind:
            case "list" | "tuple":
                return {"list": list, "tuple": tuple}[kind](map(self._unpacked, content))
            case "dict":
                return {self._unpacked(key): self._unpacked(each) for key, each in content}
            case "array" | "scalar":
                dtype, shape, data = content
                if not re.fullmatch(r"[<>|=][biuf]\d\d?", dtype):
                    raise ValueError(dtype)
                array = np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()
                return array if kind == "array" else array[()]
            case "rng":
                return np.random.default_rng(content)
            case "function":
                return lambda *arguments, **named: self.call(content, arguments, named)
            case "other":
                return type(content[:WORDS], (), {})()
        raise ValueError(kind)


class Answerer:
    """Runs programs, each in a process of its own; ends them all at the end of a `with`.

    trust : whether programs may read and write files and use the network. Without, RuntimeError where the
        system cannot prevent it.
    """

    def __init__(self, trust=False, seconds=SECONDS):
        self._trust, self._seconds, self._process = trust, seconds, None
        self._home = tempfile.TemporaryDirectory()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()
        self._home.cleanup()

    def _command(self):
        python = [sys.executable, "-m", __name__, str(self._seconds)]
        if self._trust:
            return python
        if not (unshare := shutil.which("unshare")):
            raise RuntimeError("there is no unshare here, which Linux has")
        seen = {*map(os.path.realpath, (sys.prefix, sys.base_prefix)), sys.prefix, sys.base_prefix}
        system = [path for path in ("/usr", "/lib", "/lib64", "/bin") if os.path.exists(path)]
        paths = [*system, *sorted(seen - {"/usr"}), PACKAGE, DATA_FOLDER, "/dev/null", "/dev/urandom"]
        judges = (path for name in ("exercises.py", "__pycache__/exercises.*")
                  for path in PACKAGE.glob(f"lessons/*/{name}"))
        root = os.geteuid() == 0
        # Nobody has this number, so that its limit of processes counts those of this answer alone, not
        # those of the one before, which may still be ending.
        uid = str(1_000_000_000 + secrets.randbelow(1_000_000_000)) if root else "-1"
        return [unshare, *(() if root else ("--user", "--map-root-user")), "--mount", "--net", "--ipc",
                "--pid", "--fork", "--kill-child", sys.executable, "-IS", str(PACKAGE / "site" / "walls.py"),
                self._home.name, uid, ":".join(map(str, paths)), ":".join(map(str, judges)), *python]

    def _start(self):
        """Start a process, which is ready when it says so."""
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        settings = {"PATH": os.defpath, "PYTHONPATH": str(PACKAGE.parent), "LANG": "C.UTF-8", **threads}
        with tempfile.TemporaryFile() as said:
            self._process = subprocess.Popen(
                self._command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                cwd=self._home.name, env=settings, start_new_session=True)
            with contextlib.suppress(OSError):  # where memory is short, the system ends an answer first
                Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000")
            self._line = Line(self._process.stdout, self._process.stdin)
            try:
                self._line.receive()
            except Ended as why:
                self._end()
                said.seek(0)
                words = said.read().decode(errors="replace").strip()[-WORDS:]
                raise RuntimeError(words or str(why)) from None

    def _end(self):
        """End the process and all that came of it."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            self._process = None

    @contextlib.contextmanager
    def answer(self, program: str) -> Iterator[object]:
        """Give what the last line of a program is: data, or a function that is called in its process.

        `Ended` if it cannot be run, and whenever it gives no answer any more: then the process is ended.
        RuntimeError if no process can be had.
        """
        def late(*_):
            raise Ended(f"it took longer than {self._seconds} seconds")

        before = signal.signal(signal.SIGALRM, late)
        try:
            if self._process is None:
                signal.setitimer(signal.ITIMER_REAL, TO_START)
                self._start()
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
            self._line.send(program=program)
            try:
                answer = self._line.result()
            except Exception as failure:
                raise Ended(f"it cannot be run: {type(failure).__name__}: {failure}") from None
            yield answer
            self._line.send(end=True)
            if self._line.receive() != {"ready": True}:  # it has said more than it was asked
                self._end()
        except (Ended, BrokenPipeError) as why:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._end()
            raise why if isinstance(why, Ended) else Ended("its process ended") from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def run(program):
    """What the last line of a program is; a function that it defines there."""
    *before, last = ast.parse(program).body
    names = {"__name__": "__main__"}
    if not isinstance(last, ast.Expr):
        before, last = [*before, last], ast.Expr(ast.Name(getattr(last, "name", "answer"), ast.Load()))
    exec(compile(ast.Module(before, []), "answer", "exec"), names)
    value = ast.fix_missing_locations(ast.Expression(last.value))
    return with_any_names(eval(compile(value, "answer", "eval"), names))


def _serve(line, program):
    """Run a program in this process, and answer calls until there are no more."""
    try:
        value = line.packed(run(program))
    except (Exception, SystemExit) as failure:
        line.fail(failure)
    else:
        line.send(value=value)
        while "call" in (message := line.receive()):
            line._answer(message["call"])


def main(seconds):
    """Wait for programs, and let each of them run in a process of its own; the first one of a pid namespace
    is immune to what the others send, and ends all that an answer left behind."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # what is printed is lost, however much it is
        os.dup2(nothing, stream)
    for room in ("live", "risk", "theory"):  # programs find them loaded
        importlib.import_module(f"ldp_lib.{room}")
    for limit, most in LIMITS.items():
        resource.setrlimit(limit, (most, most))
    line = Line(reading, writing)
    line.send(ready=True)
    while True:
        message = line.receive()
        if not (child := os.fork()):
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            _serve(line, message["program"])
            os._exit(0)
        os.waitpid(child, 0)
        if os.getpid() == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.waitpid(-1, 0)
        line.send(ready=True)


if __name__ == "__main__":
    with contextlib.suppress(Ended, BrokenPipeError):
        main(int(sys.argv[1]))
    os._exit(0)

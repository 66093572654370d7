"""Answers run in a process of their own: what they may do, what they may not, and how they are judged."""

import contextlib
import os
import shutil
import socket
import time

import numpy as np
import pytest
from test_exercises import printed

from ldp_lib.live import EXERCISES
from ldp_lib.site import answerer
from ldp_lib.site.answerer import Answerer, Ended

SECONDS = 8
"""After which an answer that does not end is ended; on a busy machine 1 + 1 may take three."""
KINDS = ("01.7", "01.9", "02.6", "04.7", "05.8", "06.7", "08.1")
"""Of every kind of answer one: functions of numbers, of arrays, that return functions; pairs."""


@pytest.fixture(scope="module")
def walled():
    """An answerer for all tests."""
    with Answerer() as made:
        yield made


def value(answerer, program):
    with answerer.answer(program) as found:
        return found


def test_values_come_as_they_are(walled):
    for program, right in (("1 + 1", 2), ("(1, 'a', [2.5, None])", (1, "a", [2.5, None])),
                           ("{'a': True, 2: float('inf')}", {"a": True, 2: float("inf")}),
                           ("10**400", 10**400), ("from fractions import Fraction\nFraction(1, 4)", 0.25)):
        found = value(walled, program)
        assert found == right and type(found) is type(right)
    single = value(walled, "import numpy as np\nnp.float32(0.1)")
    assert type(single) is np.float32 and single == np.float32(0.1)
    array = value(walled, "import numpy as np\nnp.arange(6).reshape(2, 3) > 2")
    assert array.dtype == bool and array.tolist() == [[False] * 3, [True] * 3]
    assert type(value(walled, "1j")).__name__ == "complex"


def test_functions_are_called_and_call(walled):
    with walled.answer("calls = 0\ndef f(k):\n    global calls\n    calls += 1\n    return k, calls") as f:
        assert f(k=5) == (5, 1) and f(7) == (7, 2)
    with walled.answer("def f(*, draw):\n    draws = draw(2.0)\n    return lambda cell: draws[cell]") as f:
        assert f(draw=lambda scale: np.array([1.0, scale]))(1) == 2.0
    with walled.answer("lambda k: {}[k]") as f, pytest.raises(Exception, match="'k'") as failure:
        f(k="k")
    assert failure.typename == "KeyError"


def test_the_names_of_parameters_are_free(walled):
    with walled.answer("lambda crowd, a: crowd / a") as f:
        assert f(n=8, alpha=2) == 4


def test_a_generator_is_another_one_that_goes_on(walled):
    """What the judge draws tells nothing about what the answer draws, and every call has new noise."""
    rng = np.random.default_rng(1)
    with walled.answer("lambda rng: rng.random()") as f:
        drawn = [f(rng=rng) for _ in range(3)]
    assert len({*drawn, *np.random.default_rng(1).random(9)}) == 12


WHY = {
    "raises": ("1 / 0", "cannot be run: ZeroDivisionError: division by zero"),
    "leaves": ("import sys\nsys.exit()", "cannot be run: SystemExit"),
    "no Python": ("def", "cannot be run: SyntaxError"),
    "dies": ("import os\nos._exit(0)\n1", "its process ended"),
    "takes all memory": ("x = bytearray(10**10)\n1", "MemoryError"),
    "keeps memory in a file": ("import os\nf = os.memfd_create('x')\nos.ftruncate(f, 10**9)\n1", "OSError"),
    "says nonsense": ("import os\nfor each in range(3, 9):\n    try:\n        os.write(each, b'[1\\n')\n"
                      "    except OSError:\n        pass\n1", "sent what is no answer"),
    "says too much": ("import os\nfor each in range(3, 9):\n    try:\n        while True:\n"
                      "            os.write(each, b'x' * 2**20)\n    except OSError:\n        pass\n1",
                      "more than can be read"),
    "an array of objects": ("import os, time\nfor each in range(3, 9):\n    try:\n        os.write(each, "
                            "b'{\"value\": {\"array\": [\"|O8\", [1], \"AAAAAAAAAAA=\"]}}\\n')\n"
                            "    except OSError:\n        pass\ntime.sleep(9)\n1", "no answer"),
    "deep": ("x = []\nfor _ in range(10**5):\n    x = [x]\nx", "RecursionError"),
    "forks": ("import os\nwhile True:\n    os.fork()\n1", "BlockingIOError|its process ended"),
    "kills": ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(1, signal.SIGKILL)\n1 / 0",
              "ZeroDivisionError"),
}
FEW = "raises", "dies", "says nonsense"
"""Tried without CI, too."""


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.ci] * (kind not in FEW)) for kind in WHY])
def test_what_gives_no_answer_is_ended_and_the_next_one_is_run(walled, kind):
    program, why = WHY[kind]
    with pytest.raises(Ended, match=why.replace("(", r"\(")), walled.answer(program):
        pass
    assert value(walled, "1 + 1") == 2


@pytest.mark.ci
@pytest.mark.parametrize("program", ["while True:\n    pass\n1", "import time\ntime.sleep(10**6)\n1"])
def test_what_does_not_end_is_ended(program):
    with Answerer(seconds=SECONDS) as made:
        with pytest.raises(Ended, match=f"took longer than {SECONDS} seconds"), made.answer(program):
            pass
        assert value(made, "1 + 1") == 2


def test_what_is_printed_is_lost(walled):
    assert value(walled, "for _ in range(10**5):\n    print('right' * 100)\n3") == 3


def forged(words):
    """A program that writes words into every pipe that it has, and answers 0."""
    return (f"import os\nfor each in range(3, 9):\n    try:\n        os.write(each, {words!r})\n"
            "    except OSError:\n        pass\n0")


@pytest.mark.ci
@pytest.mark.parametrize("words", [
    b'{"right": true, "value": 0}\n', b"\xe2\x9c\x93 right\n", b'{"failure": ["SystemExit", ""]}\n',
    b'{"call": [0, [], {}]}\n', b'{"value": 0}\n{"ready": true}\n'])
def test_a_verdict_of_its_own_is_not_read(walled, words):
    with contextlib.suppress(Ended), walled.answer(forged(words)) as answer:
        assert EXERCISES["00.3"].told(answer)[0]
    walled._end()  # its own next answers may be read wrongly; another student's have another process
    with walled.answer("11_707") as answer:
        assert not EXERCISES["00.3"].told(answer)[0]


def test_judges_are_out_of_reach(walled):
    """Whoever changes the judge in an answer's process changes nothing; right answers are not there."""
    meddling = ("from ldp_lib.stage import judge\njudge.Exercise.judged = lambda *_: ('', '')\n"
                "judge._attempted = lambda *_, **__: ('', '')\n0")
    with walled.answer(meddling) as answer:
        assert EXERCISES["00.3"].told(answer)[0]
    assert value(walled, "from ldp_lib.live import EXERCISES\nlen(EXERCISES)") == 0
    hidden = answerer.PACKAGE / "lessons" / "start" / "exercises.py"
    assert hidden.stat().st_size and value(walled, f"open({str(hidden)!r}).read()") == ""


@pytest.mark.ci
def test_no_file_of_others_is_seen_and_none_is_written(walled, tmp_path):
    (tmp_path / "secret").write_text("mine")
    for path in (tmp_path / "secret", "/etc/passwd", "/proc/1/environ", "/home"):
        with pytest.raises(Ended, match="FileNotFoundError"):
            value(walled, f"import os\nos.stat({str(path)!r})")
    for folder in ("/", "/tmp", "/usr", "/dev/shm", answerer.PACKAGE, answerer.sys.prefix):
        with pytest.raises(Ended, match="Read-only|No such|Permission"):
            value(walled, f"open({str(folder)!r} + '/mine', 'w')")
    assert not (answerer.PACKAGE / "mine").exists()


def test_there_is_no_network(walled):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for family, address in (("AF_INET", ("127.0.0.1", port)), ("AF_INET", ("192.0.2.1", 9))):
            with pytest.raises(Ended, match="OSError|unreachable|refused"):
                value(walled, f"import socket\ns = socket.socket(socket.{family})\ns.connect({address!r})")


def test_rights_cannot_be_got_back(walled):
    libc = "import ctypes\nlibc = ctypes.CDLL(None)\n"
    for call in ("libc.unshare(0x10000000)", "libc.unshare(0x20000)", "libc.chroot(b'/usr')",
                 "libc.mount(None, b'/usr', None, ctypes.c_ulong(32 | 4096), None)", "libc.setuid(0)"):
        if call == "libc.setuid(0)" and os.geteuid():
            continue  # in a namespace of her own she stays the root that is nobody special
        assert value(walled, libc + call) == -1, call


def test_nothing_is_left_of_an_answer_that_divides(walled):
    """Also what has left the session of its parent ends with the answer."""
    program = ("import os, time\nif not os.fork():\n    os.setsid()\n    time.sleep(600)\n    os._exit(0)\n"
               "os.getpid()")
    first = value(walled, program)
    alive = ("import os\nfound = []\nfor each in range(2, 300):\n    try:\n        os.kill(each, 0)\n"
             "        found.append(each)\n    except OSError:\n        pass\nlen(found)")
    assert first > 1 and value(walled, alive) == 1, "itself"


@pytest.mark.ci
def test_all_processes_end_with_the_answerer():
    with Answerer() as made:
        value(made, "1")
        group = made._process.pid
    with pytest.raises(ProcessLookupError):
        for _ in range(100):  # they are told to end, and end
            os.killpg(group, 0)
            time.sleep(0.1)


def test_without_walls_it_refuses_and_says_why(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with Answerer() as made, pytest.raises(RuntimeError, match="no unshare here"), made.answer("1"):
        pass
    with Answerer(trust=True) as made:
        assert value(made, "1") == 1
    monkeypatch.setattr(shutil, "which", lambda name: shutil.os.path.realpath("/bin/false"))
    with Answerer() as made, pytest.raises(RuntimeError), made.answer("1"):
        pass


@pytest.fixture(scope="module")
def solutions(repository):
    return printed(repository / "notebooks")


@pytest.mark.parametrize("exercise", KINDS)
def test_the_printed_solution_is_right_there_too(walled, solutions, exercise):
    _, name, source = solutions[exercise]
    with walled.answer(f"{source}\n{name}") as answer:
        assert EXERCISES[exercise].told(answer)[0] == ""


@pytest.mark.ci
@pytest.mark.share(3)
@pytest.mark.parametrize("exercise", [name for name in EXERCISES if name not in KINDS])
def test_so_is_every_other_one(walled, solutions, exercise):
    test_the_printed_solution_is_right_there_too(walled, solutions, exercise)

"""Would a test see it? Change one operator, constant or line of the library at a time, and run its tests.

    python -m tests.benchmarks.mutation --count 200 --seed 1       the whole library
    python -m tests.benchmarks.mutation --rooms risk browser       some rooms
    python -m tests.benchmarks.mutation --tree FOLDER              what both have, by FOLDER's tests

Judged is what is committed. Mutants are ranked by a hash of seed, file, line and change: one that two
versions of the library have is tried in both. Of each the tests run that execute its statement, the quickest
first, until one is red: `executed.py` finds them, once for every state of the library, and keeps them in a
folder of temporary files. Then come the others of the same files, which share what the first computed, and
what is not known to execute anything; of what is executed at import, and of scripts, the tests that use the
file, and in Chromium those of its half. Tests that wait for CI run, too, but for those in Chromium. A test
that is red without a mutant ends the run: it would kill all of them. What no test sees that begins in time
survives, unless `equivalent.py` says why nobody could see it. A mutant whose tests do not end is killed by
the clock, and counted so. Run it where nothing else does: without its walls an answer may do what it likes.
"""

import argparse
import ast
import collections
import contextlib
import functools
import hashlib
import importlib
import json
import math
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from scipy import stats

from .equivalent import EQUIVALENT
from .executed import kept_in
from .size import COMMENTS_AND_STRINGS

REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS = 60
"""After so many of the processor no further test of a mutant begins, however busy the machine is."""
PATIENCE = 10
"""A test that takes so many seconds of the processor, and as many times its own, does not end."""
WATCHING = 60
"""After so many seconds the rest of a file of tests counts as not known."""
ELSEWHERE = {f"test_{name}.py" for name in (
    "container", "docstrings", "documents", "execute", "hand_out", "hub", "jitter", "lecturers", "mutation",
    "newcomer", "notebooks_contract", "quick", "readme", "releases", "server", "setup", "tooling", "types",
    "wheel")}
"""Tests that run other processes, or no line of the library: coverage would not see it."""
LOADED = ("anywidget", "contourpy", "hypothesis", "joblib", "matplotlib.figure", "mpmath", "nbclient",
          "nbformat", "numpy", "pandas", "pywt", "scipy.integrate", "scipy.optimize", "scipy.special",
          "scipy.stats", "sklearn.ensemble", "sklearn.neighbors", "tornado.web", "tqdm.auto")
"""What tests import from elsewhere, before they are born."""
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in",
           "is": "is not", "is not": "is", "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//",
           "**": "*", "&": "|", "|": "&", "and": "or", "or": "and", "True": "False", "False": "True",
           "===": "!==", "!==": "===", "&&": "||", "||": "&&", "??": "||", "true": "false", "false": "true"}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
         ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.Add: "+", ast.Sub: "-", ast.Mult: "*",
         ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|",
         ast.And: "and", ast.Or: "or"}
IN_A_BROWSER = re.compile(r"(?<= )(?:[!=]==|[<>]=?|[-+*/]|&&|\|\||\?\?)(?= )|(?<![\w.#])\d+(?:\.\d+)?\b(?!\w)"
                          r"|\b(?:true|false)\b")
"""What is changed in a script, outside of strings and comments."""
DRAWN = {"stage": ["test_panel.py", "test_story.py"], "site": ["test_site.py", "test_room.py"]}
"""Tests in Chromium of the browser's halves."""


class Mutant(NamedTuple):
    """Characters `start` to `end` of a file become `new`."""

    file: str
    start: int
    end: int
    old: str
    new: str
    line: str
    number: int

    @property
    def room(self):
        """`browser`, or a folder of the library."""
        parts = self.file.split("/")
        return "browser" if self.file.endswith(".js") else parts[1] if len(parts) > 2 else "root"

    @property
    def name(self):
        """What it is in every version of its file: the file, a line, its change, and the how manieth such."""
        return self.file, self.line.strip(), f"{self.old} -> {self.new}", self.number

    def rank(self, seed):
        """A number that depends on nothing else."""
        return hashlib.sha256(repr((seed, *self.name)).encode()).hexdigest()


def number(text):
    """Another number: the next whole one, or one that is a tenth more; of 0.0, a tenth."""
    return str(int(text) + 1) if re.fullmatch(r"\d+", text) else repr(float(text) * 1.1 or 0.1)


def python_changes(source):
    """(start, end, new) of every change of a Python source, in characters."""
    lines = source.splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))

    def at(row, column):
        return begins[row - 1] + len(lines[row - 1].encode()[:column].decode())

    def ends(node):
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    def between(left, right, sign):
        """Where the operator of two neighbours stands."""
        start, end = ends(left)[1], ends(right)[0]
        found = re.search(rf"(?<![\w*/<>=!]){re.escape(sign)}(?![\w*/=])", source[start:end])
        if found and sign in SWAPPED:
            yield start + found.start(), start + found.end(), SWAPPED[sign]

    def below(node):
        """Nodes that are computed: no annotations, decorators, format strings or docstrings."""
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child
                    yield from below(child)

    for node in below(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, sign, right in zip(sides, node.ops, sides[1:]):
                yield from between(left, right, SIGNS[type(sign)])
        elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            yield from between(node.left, node.right, SIGNS[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:]):
                yield from between(left, right, SIGNS[type(node.op)])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            start = ends(node)[0]
            yield start, start + (4 if isinstance(node.op, ast.Not) else 1), ""
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            start, end = ends(node)
            text = source[start:end]
            if text in SWAPPED or re.fullmatch(r"[\d_]+(\.\d+)?(e-?\d+)?", text):
                yield start, end, SWAPPED.get(text) or number(text.replace("_", ""))
        elif (isinstance(node, (ast.AugAssign, ast.Raise, ast.Continue, ast.Break))
              or isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            yield *ends(node), "pass"


def script_changes(source):
    """The same of a script."""
    kept = COMMENTS_AND_STRINGS[".js"].sub(lambda found: " " * len(found[0]), source)
    for found in IN_A_BROWSER.finditer(kept):
        yield *found.span(), SWAPPED.get(found[0]) or number(found[0])


def mutants(tree):
    """All of them."""
    for path in sorted(tree.glob("ldp_lib/**/*")):
        changes = {".py": python_changes, ".js": script_changes}.get(path.suffix)
        if changes and path.name != "__main__.py":
            source, before = path.read_text(encoding="utf-8"), collections.Counter()
            for start, end, new in sorted(changes(source)):
                line = source[source.rfind("\n", 0, start) + 1:source.find("\n", end)]
                same = line.strip(), source[start:end], new
                before[same] += 1
                file = str(path.relative_to(tree))
                yield Mutant(file, start, end, source[start:end], new, line, before[same])


def chosen(found, seed, count, rooms):
    """The first of them by rank: those that are tried in time are a sample, too."""
    asked = [mutant for mutant in found if not rooms or mutant.room in rooms]
    return sorted(asked, key=lambda mutant: mutant.rank(seed))[:count]


def cloned(tree, folder):
    """What is committed in a tree, in a folder of its own."""
    subprocess.run(["git", "clone", "-q", "--shared", str(tree), str(folder)], check=True)
    if not (folder / "tests" / "quick.py").exists():  # older than the choice of tests
        shutil.copy(REPOSITORY / "tests" / "quick.py", folder / "tests")
    return folder


def executed(tree):
    """What `executed.py` sees in a tree: seconds of each test, and tests by file and line."""
    asked = ["git", "rev-parse", "HEAD:ldp_lib"]
    state = subprocess.run(asked, cwd=tree, capture_output=True, text=True, check=True).stdout.strip()
    kept = Path(tempfile.gettempdir()) / "ldp_executed" / state
    kept.mkdir(parents=True, exist_ok=True)
    files = [path.relative_to(tree).as_posix()
             for path in sorted({*tree.glob("tests/test_*.py"), *tree.glob("tests/lessons/**/test_*.py")})]
    tests = [file for file in files if Path(file).name not in ELSEWHERE and not kept_in(kept, file).exists()]
    command = [sys.executable, "-P", REPOSITORY / "tests" / "benchmarks" / "executed.py", kept, str(WATCHING)]
    halves = [subprocess.Popen([*command, *half], cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)},
                               stdout=subprocess.DEVNULL) for half in (tests[::2], tests[1::2]) if half]
    for half in halves:
        half.wait()
    seconds, lines = {}, {}
    for path in sorted(kept.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        seconds |= found["seconds"]
        for file, rows in found["lines"].items():
            for row, tests in rows.items():
                lines.setdefault(file, {}).setdefault(int(row), set()).update(tests)
    return seconds, lines


def statement(mutant, tree):
    """The lines of the smallest statement around a mutant, of one with a body its head; is it called?"""
    source = (tree / mutant.file).read_text(encoding="utf-8")
    row = 1 + source.count("\n", 0, mutant.start)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    around = [range(node.lineno, node.body[0].lineno if hasattr(node, "body") else node.end_lineno + 1)
              for node in nodes]
    called = any(row in range(node.body[0].lineno, node.end_lineno + 1) for node in nodes
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return min((rows for rows in around if row in rows), key=len, default=range(row, row + 1)), called


def users(files, tree):
    """Tests that use each file, the most telling first, and those of what stands on it."""
    program = ("import json, sys; from tests.quick import chosen; json.dump({file: [[row.test for row in "
               "chosen([file], deep)] for deep in (False, True)] for file in sys.argv[1:]}, sys.stdout)")
    done = subprocess.run([sys.executable, "-c", program, *files], cwd=tree, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(tree)}, check=True)
    return {file: [[test for test in tests if "test_lines_are" not in test] for tests in found]
            for file, found in json.loads(done.stdout).items()}


def suites(mutant, tree, using, known):
    """(files, seconds of their tests that come first) to run one after the other.

    `using` : of `users` for its file; `known` : of `executed`.
    """
    seconds, lines = known
    near, above = using
    if not mutant.file.endswith(".py"):
        drawn = [f"tests/browser/{name}" for name in DRAWN[Path(mutant.file).parts[-3]]]
        found = [near, [file for file in above if file not in near], drawn]
        return [(suite, {}) for suite in found if suite]
    rows, called = statement(mutant, tree)
    executed_by = lines.get(mutant.file, {})
    # What is in no function is executed by whoever imports it first: all that execute the file use it.
    seen = set().union(*(executed_by.get(row, ()) for row in (rows if called else executed_by)))
    first = {test: seconds[test] for test in sorted(seen, key=seconds.get)}
    files = [test.partition("::")[0] for test in first]
    # Fingerprints, files of little else, those with the quickest tests; a file is read in a second.
    known_by = called and seen
    found = dict.fromkeys(file for file in (KEPT, *near) if file in files or not known_by)
    found = [*found, *(file for file in dict.fromkeys(files) if file not in found)]
    watched = {test.partition("::")[0] for test in seconds}
    rest = [file for file in near if file.partition("::")[0] not in watched] + ([] if known_by else above)
    rest = [file for file in dict.fromkeys(rest) if file not in found]
    return [suite for suite in ((found[:FILES], first), (found[FILES:], first), (rest, {})) if suite[0]]


FILES = 8
"""So many are read first."""
KEPT = "tests/test_kept.py"
"""Looks at all that panels show and proofs compute, in a second or two for each."""


def spent():
    """Seconds of the processor, of this process and of those that it waited for."""
    return sum(os.times()[:4])


class Judge:
    """A plugin of pytest: what comes first, until when tests begin, how long each may take, which was red."""

    def __init__(self, first, seconds):
        self.first, self.seconds, self.red = first, seconds, ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """A file's tests stay together: they share what takes long to begin."""
        files = {path: k for k, path in enumerate(dict.fromkeys(item.path for item in items))}
        items.sort(key=lambda item: (item.nodeid not in self.first, files[item.path],
                                     self.first.get(item.nodeid, 0)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Tell pytest that it is done when the time is over; one that does not end is killed."""
        if spent() > self.seconds:
            return True
        most = time.process_time() + PATIENCE * (1 + self.first.get(item.nodeid, SECONDS / PATIENCE))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(most), resource.RLIM_INFINITY))
        return None

    def pytest_runtest_logreport(self, report):
        """A test, or what it needs."""
        if report.failed:
            self.red = self.red or report.nodeid

    def pytest_collectreport(self, report):
        """A file that cannot be read."""
        self.pytest_runtest_logreport(report)


def born(tree, arguments, judge, said):
    """Run pytest in a tree, in a process that was just born, and never return; `said` : where to write."""
    with open(said, "w", encoding="utf-8") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)
    code = 3
    try:
        os.chdir(tree)
        os.environ["PYTHONPATH"] = str(tree)
        if not any("tests/browser" in argument for argument in arguments):
            os.environ["CI"] = "true"
        for name in [*sys.modules]:
            if name.partition(".")[0] in ("tests", "benchmarks", "ldp_lib", "conftest"):
                del sys.modules[name]
        elsewhere = [path for path in sys.path if "site-packages" in path
                     or path and not Path(path).is_relative_to(REPOSITORY)]
        sys.path[:] = [str(tree / "tests"), str(tree), *elsewhere]
        importlib.invalidate_caches()
        signal.alarm(math.ceil(5 * SECONDS))  # also where it only waits
        code = pytest.main(arguments, [judge])
    except BaseException:
        traceback.print_exc()
    finally:
        said.with_suffix(".red").write_text(judge.red, encoding="utf-8")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))


def ran(tests, tree, first=None, seconds=SECONDS):
    """(what pytest returns of them in a tree, the first red one, what it said)."""
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning",
                 "--no-header", "--rootdir", str(tree), *tests]
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        child = os.fork()
        if not child:
            born(tree, arguments, Judge(first or {}, seconds), said)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        red = said.with_suffix(".red")
        return code, red.read_text(encoding="utf-8") if red.exists() else "", said.read_text(encoding="utf-8")


NO_TEST = 5
"""What pytest returns where nothing was collected."""
OVER = {-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL}
"""What the clock returns."""


def judged(mutant, tree, suites):
    """What became of it, and by what: "killed", "clock", "survived", or "by chance"; the tree is as before.

    By chance: what was red is green when asked again, a test to be mended, which says nothing of the mutant.
    """
    path = tree / mutant.file
    source = path.read_text(encoding="utf-8")
    over = spent() + SECONDS
    path.write_text(source[:mutant.start] + mutant.new + source[mutant.end:], encoding="utf-8")
    try:
        for tests, first in suites:
            drawn = tests[0].startswith("tests/browser")
            tests = [test for test in tests if (tree / test.partition("::")[0]).exists()]
            if not tests:  # an older tree has none of them
                continue
            if drawn:
                scripts(tree)
            code, red, said = ran(tests, tree, first, over - spent() + drawn * SECONDS)
            if "not found: " in said:
                raise SystemExit(f"{tree} lacks tests that were chosen:\n{said}")
            if code in OVER:
                return "clock", ""
            if code not in (0, NO_TEST):
                if red and ran([red], tree)[0] == 0:
                    return "by chance", red
                return "killed", red or said.strip().splitlines()[-1]
        return "survived", ""
    finally:
        path.write_text(source, encoding="utf-8")


def scripts(tree):
    """The pages of a tree, built once, with its present scripts."""
    site = tree / "build" / "sample"
    run = functools.partial(subprocess.run, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, check=True,
                            capture_output=True)
    if not site.exists():
        run([sys.executable, "docs/site/build.py", "--sample", "build/sample"])
    run([sys.executable, "-c", SCRIPTS, *map(str, site.glob("**/ldp"))])


SCRIPTS = """
import sys, tempfile, shutil
from pathlib import Path
from ldp_lib.site.stored import write
for folder in map(Path, sys.argv[1:]):
    with tempfile.TemporaryDirectory() as made:
        write(Path(made), ())
        for name in ("panels.js", "phone.js"):
            shutil.copy(Path(made) / name, folder)
"""


@functools.cache
def green(test, tree):
    """Whether a test that killed is green without a mutant."""
    return not test.startswith("tests/") or ran([test], tree)[0] in (0, NO_TEST)


TREES: list[Path] = []
"""Of this worker."""


def begin(home, tree):
    """A worker: a tree of its own, and all that tests import from elsewhere."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JUPYTER_PLATFORM_DIRS": "1"}
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    TREES[:] = [cloned(tree, Path(home) / str(os.getpid()))]


def one(mutant, suites, over):
    """What became of a mutant, by what, whether that is green without it, and the seconds."""
    if time.monotonic() > over:
        return "not begun", "", True, 0.0
    start = time.monotonic()
    fate, by = judged(mutant, *TREES, suites)
    return fate, by, green(by, *TREES), time.monotonic() - start


def main():
    """Try them, and print what became of each, and the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.mutation", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="*", default=[], help="privacy, ..., root, browser; all by default")
    parser.add_argument("--tree", type=Path, default=REPOSITORY, help="another checkout, whose tests judge")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=240, help="after these no mutant is begun")
    asked = parser.parse_args()
    over, fates = time.monotonic() + 60 * asked.minutes, collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as home:
        home, asked.tree = Path(home), asked.tree.resolve()
        here, there = cloned(REPOSITORY, home / "here"), cloned(asked.tree, home / "there")
        known = executed(here)
        both = {mutant.name: mutant for mutant in mutants(there)}
        tried = [mutant for mutant in chosen(mutants(here), asked.seed, asked.count, asked.rooms)
                 if mutant.name in both]
        using = users(sorted({mutant.file for mutant in tried}), there)
        with ProcessPoolExecutor(asked.workers, multiprocessing.get_context("fork"), begin,
                                 (home, asked.tree)) as pool:
            asks = [pool.submit(one, both[mutant.name], suites(mutant, here, using[mutant.file], known), over)
                    for mutant in tried]
            for mutant, found in zip(tried, asks):
                fate, by, sound, seconds = found.result()
                if not sound:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise SystemExit(f"{by} is red in {asked.tree} without a mutant: mend it first")
                if fate == "survived" and mutant.name in EQUIVALENT:
                    fate, by = "equivalent", EQUIVALENT[mutant.name]
                fates[mutant.room][fate] += 1
                print(f"{fate:<10} {seconds:4.0f} s  {mutant.file}: {mutant.line.strip()}   "
                      f"[{mutant.old} -> {mutant.new}]  {by}", flush=True)
    print_fates(fates)
    return any(row["survived"] for row in fates.values())


def print_fates(fates):
    """By room and in all, with an exact interval (Clopper and Pearson, 1934) for the share that is killed."""
    print(f"\n{'room':<12}{'killed':>8}{'clock':>8}{'survived':>10}{'equivalent':>12}{'by chance':>11}"
          f"{'not begun':>11}   killed of what differs")
    for room, row in [*sorted(fates.items()), ("all", sum(fates.values(), collections.Counter()))]:
        killed, survived = row["killed"] + row["clock"], row["survived"]
        share = stats.binomtest(killed, killed + survived) if killed + survived else None
        words = (f"{killed / (killed + survived):.1%} ({share.proportion_ci().low:.0%} to "
                 f"{share.proportion_ci().high:.0%})") if share else ""
        print(f"{room:<12}{row['killed']:>8}{row['clock']:>8}{survived:>10}{row['equivalent']:>12}"
              f"{row['by chance']:>11}{row['not begun']:>11}   {words}")


if __name__ == "__main__":
    sys.exit(main())

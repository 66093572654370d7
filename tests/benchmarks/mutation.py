"""Would a test see it? Change one operator, constant or line of the library at a time, and run its tests.

    python -m tests.benchmarks.mutation --count 200 --seed 1       the whole library
    python -m tests.benchmarks.mutation --rooms risk browser       some rooms
    python -m tests.benchmarks.mutation --tree FOLDER              what both have, by FOLDER's tests

Judged is what is committed. Mutants are ranked by a hash of seed, file, line and change: one that two
versions of the library have is tried in both. Of each the tests of its module run, the most telling first,
until one is red; then those of what stands on it. A test that is red without a mutant ends the run: it would
kill all of them. What no test sees that begins in time survives, unless `equivalent.py` says why nobody could
see it. A mutant whose tests do not end is killed by the clock, and counted so.
"""

import argparse
import ast
import collections
import hashlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from scipy import stats

from .equivalent import EQUIVALENT
from .size import COMMENTS_AND_STRINGS

REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS = 150
"""For the tests of one module, and once more for those of what stands on it."""
PATIENCE = 4
"""Tests that take so many times `SECONDS` do not end."""
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
    """Another number: the next whole one, or one that is a tenth more."""
    return str(int(text) + 1) if re.fullmatch(r"\d+", text) else repr(float(text) * 1.1)


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
    """The first of them by rank, in the order of their files."""
    asked = [mutant for mutant in found if not rooms or mutant.room in rooms]
    return sorted(sorted(asked, key=lambda mutant: mutant.rank(seed))[:count])


def cloned(tree, folder):
    """What is committed in a tree, in a folder of its own."""
    subprocess.run(["git", "clone", "-q", "--shared", str(tree), str(folder)], check=True)
    if not (folder / "tests" / "quick.py").exists():  # older than the choice of tests
        shutil.copy(REPOSITORY / "tests" / "quick.py", folder / "tests")
    return folder


def run(arguments, tree):
    """What Python said in a tree, whose library and tests it imports."""
    return subprocess.run([sys.executable, *arguments], cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)},
                          capture_output=True, text=True, timeout=PATIENCE * SECONDS, check=False)


def suites(mutant, tree):
    """Tests to run one suite after the other, each until one of them is red."""
    asked = "from tests.quick import chosen; print(*(row.test for row in chosen([{!r}], {})))"
    found = []
    for deep in (False, True):
        done = run(["-c", asked.format(mutant.file, deep)], tree)
        done.check_returncode()
        tests = [test for test in done.stdout.split() if "test_lines_are" not in test]
        found.append([test for test in tests if not found or test not in found[0]])
    if mutant.room == "browser":
        found.append([f"tests/browser/{name}" for name in DRAWN[Path(mutant.file).parts[-3]]])
    return [tests for tests in found if tests]


OVER = """
import resource, sys, time, pytest
resource.setrlimit(resource.RLIMIT_CPU, ({most}, {most}))  # an endless loop does not outlive who asked
sys.path.insert(0, "tests")
class Over:
    over = time.monotonic() + {seconds}
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        return time.monotonic() > self.over or None
raise SystemExit(pytest.main({arguments!r}, [Over()]))
"""
"""Begins no test after so many seconds, and is killed after `most` of its processor."""


def ran(tests, tree):
    """What pytest said of them in a tree, the first red one the last."""
    if tests[0].startswith("tests/browser"):
        run(["docs/site/build.py", "--sample", "build/sample"], tree).check_returncode()
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    over = OVER.format(seconds=SECONDS, most=math.ceil(PATIENCE * SECONDS), arguments=arguments)
    return run(["-c", over], tree)


NO_TEST = 5
"""What pytest returns where nothing was collected."""


def judged(mutant, tree):
    """What became of it, and by what: "killed", "clock", "survived", or "by chance"; the tree is as before.

    By chance: what was red is green when asked again, a test to be mended, which says nothing of the mutant.
    """
    path = tree / mutant.file
    source = path.read_text(encoding="utf-8")
    path.write_text(source[:mutant.start] + mutant.new + source[mutant.end:], encoding="utf-8")
    try:
        for tests in suites(mutant, tree):
            done = ran(tests, tree)
            if "not found: " in done.stderr:
                raise SystemExit(f"{tree} lacks tests that were chosen:\n{done.stderr}")
            if done.returncode == -signal.SIGKILL:
                return "clock", ""
            if done.returncode not in (0, NO_TEST):
                red = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
                if red and ran([red[1]], tree).returncode == 0:
                    return "by chance", red[1]
                return "killed", red[1] if red else (done.stderr or done.stdout).strip().splitlines()[-1]
        return "survived", ""
    except subprocess.TimeoutExpired:
        return "clock", ""
    except subprocess.CalledProcessError as broken:  # not even the choice of tests can import it
        return "killed", broken.stderr.strip().splitlines()[-1]
    finally:
        path.write_text(source, encoding="utf-8")


def green(test, tree, known):
    """Whether a test that killed is green without a mutant; asked once."""
    if test.startswith("tests/") and test not in known:
        known[test] = ran([test], tree).returncode in (0, NO_TEST)
    return known.get(test, True)


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
    known: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(asked.workers) as pool:
        trees = [cloned(asked.tree.resolve(), Path(home) / str(k)) for k in range(asked.workers)]
        here = mutants(cloned(REPOSITORY, Path(home) / "here"))
        tried = chosen(here, asked.seed, asked.count, asked.rooms)
        there = {mutant.name: mutant for mutant in mutants(trees[0])}
        tried = [there[mutant.name] for mutant in tried if mutant.name in there]

        def one(mutant):
            if time.monotonic() > over:
                return None
            tree, start = trees.pop(), time.monotonic()
            try:
                fate, by = judged(mutant, tree)
                if not green(by, tree, known):
                    raise SystemExit(f"{by} is red in {asked.tree} without a mutant: mend it first")
                return fate, by, time.monotonic() - start
            finally:
                trees.append(tree)

        for mutant, found in zip(tried, pool.map(one, tried)):
            fate, by, seconds = found or ("not begun", "", 0)
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

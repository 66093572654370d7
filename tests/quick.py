"""`make quick`: in less than a minute, what a change is most likely to break.

Changed is what git sees beside the last commit, or else the last commit itself. Nothing is typed here that
says which test belongs to what: of a module those run that import it or a name that it defines, of any
other file those that name it. Who imports little else comes first; what is not begun after `SECONDS` is left
out and said. With DEEP=1 all of them run, and those of every module that stands on a changed one.
"""

import ast
import functools
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import grimp
import pytest

from ldp_lib.lessons import PANELS

REPOSITORY = Path(__file__).resolve().parents[1]
TESTS = REPOSITORY / "tests"
SECONDS = 40
"""After so many no further test begins."""
RULES = ("test_rooms_import_only_from_earlier_rooms", "test_exported_names_exist", "test_no_machine_is_named",
         "test_lines_are_short")
CONTRACT = "tests/test_notebooks_contract.py::test_every_notebook_keeps_the_common_rules"
OF_A_MODULE = "test_every_public_name_is_documented", "test_every_example_runs"
"""In tests/test_architecture.py."""


OF_A_LESSON = (
    "tests/test_names.py::test_panels_scenes_and_controls_are_those_that_are_known",
    "tests/test_stories.py::test_every_scene_has_a_fact",
    "tests/test_kept.py::test_pictures_and_words_are_what_they_were[{}]",
    "tests/test_walk.py::test_every_comparative_has_a_condition[{}]",
    "tests/test_walk.py::test_what_is_said_is_true_wherever_a_hand_can_lead[{}]")


class Chosen(NamedTuple):
    """What pytest is asked to run, and why."""

    test: str
    why: str


@functools.cache
def graph():
    """Who imports whom in the library."""
    return grimp.build_graph("ldp_lib", cache_dir=None)


def file_of(module):
    """The file of a module or a package."""
    path = REPOSITORY.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def module_of(file):
    """The module that a file of the library holds, or None."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return module if file.endswith(".py") and module in graph().modules else None


@functools.cache
def named(path):
    """(module, name) of all that a file imports, also inside functions; no name where it is whole."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(alias.name, None) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {(node.module, alias.name) for alias in node.names}
    return found


def defined(module, name):
    """The module that defines what `from module import name` brings."""
    if f"{module}.{name}" in graph().modules:
        return f"{module}.{name}"
    path = file_of(module)
    brought = {each for each, what in named(path) if what == name and each in graph().modules}
    return defined(brought.pop(), name) if path.name == "__init__.py" and brought else module


@functools.cache
def used(path):
    """The modules of the library that a test uses, by itself, by a helper beside it, or as a twin of one."""
    found = {f"ldp_lib.lessons.{path.parent.name}.{path.stem.removeprefix('test_')}"} & graph().modules
    for module, name in named(path):
        if module in graph().modules:
            found.add(defined(module, name))
        helper = TESTS.joinpath(*module.split(".")).with_suffix(".py")
        if helper.exists() and helper != path:
            found |= used(helper)
    return found


@functools.cache
def imported(script):
    """The scripts that a script of a browser or of Node imports, and those that they import."""
    found = {(script.parent / name).resolve()
             for name in re.findall(r'from "(\.[^"]+)"', script.read_text(encoding="utf-8"))}
    return found.union(*map(imported, found))


def all_tests():
    """The files of tests that need no browser."""
    return sorted({*TESTS.glob("test_*.py"), *TESTS.glob("lessons/**/test_*.py")})


def name_of(path):
    """What pytest calls a file of tests."""
    return path.relative_to(REPOSITORY).as_posix()


def importers(module):
    """The modules that import a module; of one that is a program, those that name its file."""
    file = f'"{file_of(module).name}"'
    return graph().find_modules_that_directly_import(module) or {
        each for each in graph().modules if file in file_of(each).read_text(encoding="utf-8")}


def users(module):
    """The tests that use a module; where there are none, those of who imports it or holds it, and so on."""
    asked, seen = {module}, set()
    while asked - seen:
        found = [path for path in all_tests() if used(path) & asked]
        if found:
            # First those that are of little else, of two alike the one that has its name.
            name = module.rpartition(".")[2]
            return sorted(found, key=lambda path: (len(used(path)), name not in path.stem))
        seen |= asked
        asked = {each for one in asked for each in importers(one)}
        asked |= {one.rpartition(".")[0] for one in seen} & graph().modules
    return []


def chosen(files, deep=False):
    """What to run for changed files, in order, each test once."""
    rows = [Chosen(file, "it was changed") for file in files
            if REPOSITORY / file in all_tests()]
    rows += [Chosen(f"tests/test_architecture.py::{rule}", "a rule of the house") for rule in RULES]
    modules = sorted(filter(None, map(module_of, files)))
    rows += [Chosen(f"tests/test_architecture.py::{rule}[{module}]", "of each module")
             for module in modules for rule in OF_A_MODULE]
    lessons = sorted({*map(lesson_of, files)} - {""})
    rows += [Chosen(test.format(name), "of each lesson") for lesson in lessons for test in OF_A_LESSON
             for name in panels_of(lesson)]
    for file in files:
        path = Path(file)
        if path.suffix == ".ipynb":
            rows += [Chosen(f"{CONTRACT}[{path.stem}]", "the contract of notebooks"),
                     Chosen("tests/test_exercises.py", "it runs the solutions that notebooks print")]
        elif module_of(file) is None:
            helped = [test for test in all_tests() if (path.stem, None) in named(test) or path.stem in {
                module for module, _ in named(test)}] if path.match("tests/*.py") else []
            sought = [f'twins("{path.stem}")' if path.match("tests/lessons/*/*") else path.name]
            sought += [script.name for script in TESTS.glob("browser/*.mjs")
                       if REPOSITORY / path in imported(script)]
            naming = [test for test in all_tests()
                      if any(name in test.read_text(encoding="utf-8") for name in sought)]
            rows += [Chosen(name_of(test), f"names {path.name}") for test in helped or naming]
    owners = {module: f"uses {module}" for module in modules}
    if deep:
        owners |= {above: f"uses {above}, which stands on {module}" for module in modules
                   for above in sorted(graph().find_downstream_modules(module)) if above not in owners}
    # The most telling test of every module, then the second of each, and so on.
    ranked = [(place, path, why) for module, why in owners.items()
              for place, path in enumerate(users(module))]
    rows += [Chosen(name_of(path), why) for _, path, why in sorted(ranked, key=lambda row: row[0])]
    first = {row.test: row for row in reversed(rows)}
    return [row for row in dict.fromkeys(first[row.test] for row in rows)
            if row.test.partition("::")[0] == row.test or row.test.partition("::")[0] not in first]


def lesson_of(file):
    """The lesson that a file is of, or whose twin it is; "" for others."""
    found = re.match(r"(?:ldp_lib|tests)/lessons/(\w+)/", file)
    return found[1] if found else ""


def panels_of(lesson):
    """The names of a lesson's panels."""
    return [name for name, place in PANELS.items() if place.startswith(f"ldp_lib.lessons.{lesson}.")]


def git(*arguments):
    """The lines that git prints."""
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed():
    """Names of changed files, and what they are changed against."""
    files = [*git("diff", "--name-only", "HEAD"), *git("ls-files", "--others", "--exclude-standard")]
    return (files, "since the last commit") if files else (
        git("diff", "--name-only", "HEAD~1", "HEAD"), "by the last commit")


class Patience:
    """Begins no test when the time is over, and says how many were left."""

    def __init__(self, over):
        self.over, self.left = over, []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Tell pytest that this one is done."""
        if time.monotonic() < self.over:
            return None
        self.left.append(item.nodeid)
        return True

    def pytest_terminal_summary(self, terminalreporter):
        """What was not begun."""
        if self.left:
            files = ", ".join(sorted({name.partition("::")[0].removeprefix("tests/") for name in self.left}))
            terminalreporter.write_line(f"{SECONDS} seconds are over: {len(self.left)} tests were not begun "
                                        f"({files}). make quick DEEP=1 and make test run them.")


def main():
    """Run what was chosen; the exit code says whether all of it passed."""
    over, deep = time.monotonic() + SECONDS, bool(os.environ.get("DEEP"))
    files, since = changed()
    rows = chosen(files, deep)
    print(f"Changed {since}: {', '.join(files)}")
    for why in dict.fromkeys(row.why for row in rows):
        print(f"  {why}: " + ", ".join(row.test.removeprefix("tests/") for row in rows if row.why == why))
    sys.stdout.flush()
    codes = [subprocess.run([sys.executable, "-m", "ruff", "check", "--force-exclude", "--quiet", "."],
                            cwd=REPOSITORY).returncode]
    notebooks = [file for file in files if file.endswith(".ipynb") and (REPOSITORY / file).exists()]
    if notebooks:
        codes.append(subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "tests.processor", "--nbval", "--nbval-current-env",
             "--nbval-cell-timeout=240", "--nbval-kernel-startup-timeout=180", "--nbval-sanitize-with",
             "tests/sanitize.cfg", *notebooks], cwd=REPOSITORY).returncode)
    os.chdir(REPOSITORY)
    workers = ["-n", "2", "--dist", "worksteal"] if deep else []
    codes.append(pytest.main(["-q", *workers, *(row.test for row in rows)], [] if deep else [Patience(over)]))
    return any(codes)


if __name__ == "__main__":
    sys.exit(main())

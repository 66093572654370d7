"""Which test executes which line of the library, and how long each takes; beside `tests.benchmarks.mutation`.

    python -P tests/benchmarks/executed.py FOLDER SECONDS TEST ...     in a tree that PYTHONPATH names

Writes into FOLDER for every file of tests what it saw: {"seconds": {test: ...}, "lines": {file: {line:
tests}}}. What is not begun in so many SECONDS of a file, or is red, is not in it. Caches of the library are
empty when a file of tests begins; what the tests of one file share, its first one executes.
"""

import collections
import functools
import gc
import json
import os
import re
import sys
import time
from pathlib import Path

import coverage
import pytest


def kept_in(folder, file):
    """Where what a file of tests saw is kept; files of one name in two folders do not share it."""
    return folder / (Path(file).with_suffix(".json").as_posix().removeprefix("tests/").replace("/", "-"))


class Watched:
    """Tells coverage which test runs, and writes what was seen when a file is over."""

    def __init__(self, watch, folder, seconds):
        self.watch, self.folder, self.most = watch, folder, seconds
        self.seconds, self.file, self.over = collections.Counter(), "", 0.0

    def written(self):
        """What the tests of a file executed."""
        if self.file:
            data = self.watch.get_data()
            data.set_query_contexts([re.escape(self.file) + "::"])
            green = {test: round(took, 3) for test, took in self.seconds.items() if took < float("inf")}
            lines = {str(Path(file).relative_to(Path.cwd())):
                     {line: sorted({*tests} & green.keys()) for line, tests in
                      data.contexts_by_lineno(file).items() if {*tests} & green.keys()}
                     for file in data.measured_files()}
            found = {"seconds": green, "lines": {file: rows for file, rows in lines.items() if rows}}
            kept_in(self.folder, self.file).write_text(json.dumps(found), encoding="utf-8")
        self.seconds.clear()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Tell pytest that it is done when a file has had its time."""
        file = item.nodeid.partition("::")[0]
        if file != self.file:
            self.written()
            self.file, self.over = file, time.monotonic() + self.most
            for each in gc.get_objects():
                if isinstance(each, functools._lru_cache_wrapper) and "ldp_lib" in str(each.__module__):
                    each.cache_clear()
        self.watch.switch_context(item.nodeid)
        return time.monotonic() > self.over or None

    def pytest_runtest_logreport(self, report):
        """A red test is no judge."""
        self.seconds[report.nodeid] += report.duration if not report.failed else float("inf")

    def pytest_sessionfinish(self):
        """The last file is over, too."""
        self.written()


def main(folder, seconds, *tests):
    """Watch them."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    sys.path.insert(0, "tests")
    watch = coverage.Coverage(data_file=None, include=["ldp_lib/*"], config_file=False)
    watch.start()
    pytest.main(["-q", "-p", "no:cacheprovider", *tests], [Watched(watch, Path(folder), float(seconds))])
    watch.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

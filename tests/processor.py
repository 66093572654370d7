"""For `make test`: what to do when a notebook prints other numbers on this machine than in the repository.

A plugin of pytest beside nbval, which wants no bars. Under a cell that failed it shows the lines that differ,
and at the end what the processor is, what numpy and BLAS found on it, and where to report it.
"""

import json
import os
import platform
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

MOST_LINES = 12
"""Of one cell."""


def lines(outputs):
    """What a cell printed, line by line, tables too; pictures are left out."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        text = output.get("text", "") or data.get("text/html") or data.get("text/plain", "")
        text = re.sub(r"data:image/[^\"]*|ldp-still-\w+", "", "".join(text))
        found += [re.sub(r"<[^>]*>", " ", line).strip() for line in re.split(r"\n|(?=<t[rd])|(?=<p)", text)]
    return [line for line in found if line]


def differing(stored, found):
    """Pairs of lines, stored above found, that are not the same; what is only on one side comes last."""
    one, other = lines(stored), lines(found)
    pairs = [f"stored: {a}\nhere:   {b}" for a, b in zip(one, other) if a != b]
    pairs += [f"stored: {a}" for a in one[len(other):]] + [f"here:   {b}" for b in other[len(one):]]
    return pairs[:MOST_LINES] + ["..."] * (len(pairs) > MOST_LINES)


def machine():
    """Processor, system and versions, one line each."""
    import numpy as np
    import threadpoolctl

    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        name = names[0] if names else name
    features = np.show_config(mode="dicts").get("SIMD Extensions", {})
    kernels = {f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}"
               for pool in threadpoolctl.threadpool_info()}
    return [f"processor: {name}, {platform.machine()}", f"system:    {platform.platform()}",
            f"numpy:     {np.__version__}, found {', '.join(features.get('found', ())) or 'no extensions'}",
            f"BLAS:      {', '.join(sorted(kernels))}",
            f"versions:  Python {platform.python_version()}, SciPy {version('scipy')}"]


def address():
    """Where this copy comes from, or words for it."""
    asked = subprocess.run(["git", "remote", "get-url", "origin"], cwd=Path(__file__).parent, check=False,
                           capture_output=True, text=True)
    return asked.stdout.strip() or "the repository that this copy is from"


def pytest_configure():
    """Kernels inherit it: whether a bar shows depends on how slow a machine is."""
    os.environ["TQDM_DISABLE"] = "1"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Under a failed cell: the lines that differ."""
    report = (yield).get_result()
    found = getattr(item, "test_outputs", None)
    if report.when == "call" and report.failed and found is not None and hasattr(item, "cell"):
        pairs = differing(json.loads(json.dumps(item.cell.get("outputs", []))), json.loads(json.dumps(found)))
        report.sections.append(("lines that differ", "\n".join(pairs)))


def pytest_terminal_summary(terminalreporter):
    """After failures: whose fault it may be, and what to send where."""
    failed = [report.nodeid for report in terminalreporter.getreports("failed") if "::Cell" in report.nodeid]
    if failed:
        terminalreporter.section("notebooks print other numbers here than in the repository")
        for line in (*failed, "", "The lines that differ stand above, under each of these cells. If you",
                     "changed nothing, please report them, with what follows, as an issue at",
                     f"    {address()}", "", *(f"    {line}" for line in machine())):
            terminalreporter.write_line(line)


if __name__ == "__main__":
    sys.stdout.write("\n".join(machine()) + "\n")

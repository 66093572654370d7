"""What all tests share, and which of them wait for CI."""

import gc
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import hypothesis
import pytest
from extent import DRAW, all_rows, beyond_their_share, everything_runs

# As many workers as cores: threads of one would wait for those of the other. (Nothing has loaded numpy yet.)
if "PYTEST_XDIST_WORKER" in os.environ:
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(threads, "1")

# Ten thousand tests stay: looking for garbage among them as often as usual takes a twentieth of the time.
gc.set_threshold(20_000)

# The same examples in every run, and no failure because a machine was busy.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")

# Jupyter warns until a program has chosen where its folders are; this is the choice of its next version.
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")


@pytest.fixture(scope="session")
def repository():
    """Return the folder of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def everything():
    """Whether everything runs, on all pages as users get them."""
    return everything_runs()


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """Return a function that installs what no user needs beside what is here, and returns its Python."""
    def environment(*packages):
        home = tmp_path_factory.mktemp(packages[0])
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        python = home / "bin" / "python"
        (next(home.glob("lib/python*/site-packages")) / "here.pth").write_text(sysconfig.get_path("purelib"))
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
        subprocess.run([*pip, *packages], check=True)
        return python

    return environment


LEFT_OUT = pytest.StashKey[set]()
SAID_IN = pytest.StashKey[str | None]()


def pytest_configure(config):
    """The file that LEFT_OUT names is this run's own: runs that its tests start say nothing there."""
    config.stash[LEFT_OUT] = set()
    config.stash[SAID_IN] = os.environ.pop("LEFT_OUT", None)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Tests that wait are deselected, not skipped: one that skips is a failing test."""
    waiting = {item for item in items if item.get_closest_marker("ci") and not everything_runs()}
    if not all_rows():
        waiting.update(beyond_their_share([item for item in items if item not in waiting]))
    # Begun last, what takes a minute would be waited for alone.
    items[:] = sorted((item for item in items if item not in waiting),
                      key=lambda item: item.get_closest_marker("long") is None)
    config.hook.pytest_deselected(items=list(waiting))
    config.stash[LEFT_OUT] |= {item.nodeid for item in waiting}


def pytest_sessionfinish(session):
    """A worker of pytest-xdist tells the one who prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = sorted(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker that was killed has told nothing; all others have seen the same tests."""
    node.config.stash[LEFT_OUT] |= set(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(terminalreporter, config):
    """Also into the file that LEFT_OUT named: `make test` says it once more at its very end."""
    left_out, said_in = config.stash[LEFT_OUT], config.stash[SAID_IN]
    if not left_out or hasattr(config, "workeroutput"):
        return
    files = ", ".join(sorted({name.partition("::")[0].removeprefix("tests/") for name in left_out}))
    what = "are more rows of a grid" if everything_runs() else (
        "build, install, kill, load, look again (these run where CI is true), or are more rows of a grid")
    what += f", drawn by {DRAW}" * bool(DRAW)
    words = (f"{len(left_out)} tests were LEFT OUT: they {what} ({files}).\n"
             "make test-all runs all; now: LDP_FULL=1 .venv/bin/python -m pytest -m 'ci or share'")
    terminalreporter.section("left out")
    terminalreporter.write_line(words)
    if said_in:
        with open(said_in, "a", encoding="utf-8") as file:
            file.write(f"{words}\n")

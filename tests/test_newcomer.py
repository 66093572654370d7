"""What somebody adds who has read CONTRIBUTING.md only: two patches, applied to a copy and tried there.

`newcomer/mechanism.patch` is a mechanism and `newcomer/panel.patch` a panel, without the stored audits. That
they apply and work shows what an addition touches; they insert where nobody appends. If one does not apply
because the lines beside it have changed, make it anew: `git diff -U1`.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
from benchmarks.size import python_lines

MOST_FILES, MOST_LINES = 6, 60

MECHANISM = """
from ldp_lib.estimation import CellClassifier
from ldp_lib.live.panels.laboratory import SUSPECTS, run
from ldp_lib.nature import problem
from ldp_lib.privacy import variances
from ldp_lib.privacy.audit import betrayal_attack, epsilon_lower_bound
from ldp_lib.privacy.registry import CELL_MECHANISMS, REGISTRY
from ldp_lib.risk import excess_risk, people_needed, simulate_excess_risk

NAME, ALPHA = "cell-or-nothing", 1.5
line = next(specimen for specimen in REGISTRY if specimen.choice == NAME)
assert CELL_MECHANISMS[NAME] is line.kind and SUSPECTS[line.name] is line
assert NAME in [row.name for row in variances(ALPHA, 16)]

# An honest mechanism fails an audit with probability 1e-6 at most. One of twice the budget is refuted.
mechanism = line.build(ALPHA, 0.3)
audited = epsilon_lower_bound(mechanism, *line.records, n=2000, rng=1)
assert 0 < audited.epsilon <= ALPHA, audited
assert run(line.name, 1.0, 1000).epsilon <= 1.0, "the laboratory"
damaged = epsilon_lower_bound(line.build(2 * ALPHA, 0.3), *line.records, n=2000, rng=1)
assert damaged.epsilon > ALPHA, damaged
assert betrayal_attack(mechanism, *line.records, n=2000, rng=1).count == 0

# The exact risk within six standard errors of a simulation: a false alarm has probability 2e-9 (normal law).
rule, law, goal = CellClassifier(ALPHA, 0.25, mechanism=NAME), problem("sine"), 0.05
enough = people_needed(rule, law, goal)
assert excess_risk(rule, law, enough) <= goal < excess_risk(rule, law, enough - 2)
for people in (100, enough):
    simulated = simulate_excess_risk(rule, law, people, 300, rng=2)
    exact = excess_risk(rule, law, people)
    assert abs(simulated.mean - exact) <= 6 * simulated.standard_error, (people, exact, simulated)
"""

PANEL = """
from ldp_lib.live import PANELS, panel
from ldp_lib.live.engine import still
from ldp_lib.live.engine.deck import State, pack, unpack

assert "one_report" in PANELS
live = panel("one_report")
for alpha in (0.1, 1.0, 10.0):
    result = live.compute(alpha=alpha)
    state = State(live.draw(result), live.conclude(result), tuple(live.summarise(result)))
    assert unpack(pack({(0,): state}))[0,]["alt"] == state.alt
    drawn = still.drawn(state.picture, live.size)
    assert drawn.count("<g clip-path") == len(state.picture.axes) == 2
    figure = live.static(alpha=alpha)
    figure.canvas.draw()
    assert figure.alt == state.alt and len(figure.axes) == 2
assert [live.compute(alpha=alpha).people for alpha in (0.1, 1.0, 10.0)] == [800, 8, 1]
"""


def run(folder, *command):
    """Run a command in `folder`, with the library that is there; fail with what it wrote."""
    settings = {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def touched(patch):
    """The files that a patch names, and those that it makes."""
    words = patch.read_text(encoding="utf-8")
    new = re.findall(r"^new file mode .*\n(?:index .*\n)?--- /dev/null\n\+\+\+ b/(.*)$", words, re.MULTILINE)
    return re.findall(r"^diff --git a/(.*) b/\1$", words, re.MULTILINE), new


@pytest.fixture
def copy(repository, tmp_path):
    """What a newcomer works on: the library and its data."""
    for name in ("ldp_lib", "data"):
        shutil.copytree(repository / name, tmp_path / name)
    # Inside another checkout git would look for the files there.
    run(tmp_path, "git", "init", "--quiet")
    return tmp_path


@pytest.mark.parametrize("name, program", [("mechanism", MECHANISM), ("panel", PANEL)])
def test_an_addition_is_small_and_seen_by_everything(copy, repository, name, program):
    patch = repository / "tests" / "newcomer" / f"{name}.patch"
    run(copy, "git", "apply", str(patch))
    files, new = touched(patch)
    # The stored audits are one file more. Two notebooks that print all mechanisms are executed, not edited.
    assert len(files) + (name == "mechanism") <= MOST_FILES, files
    module, tests = sorted(new)
    assert python_lines((copy / module).read_text(encoding="utf-8")) <= MOST_LINES
    # Everything in one process, because importing takes longest.
    end = f'import sys, pytest; sys.exit(pytest.main(["-q", "--doctest-modules", {module!r}, {tests!r}]))'
    start = f"import ldp_lib; assert ldp_lib.__file__.startswith({str(copy)!r}), ldp_lib.__file__"
    run(copy, sys.executable, "-W", "error", "-c", "\n".join([start, program, end]))

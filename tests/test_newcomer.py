"""What somebody adds who has read CONTRIBUTING.md only: two patches and the printed examples, in a copy.

`newcomer/mechanism.patch` is a mechanism and `newcomer/panel.patch` a panel, without the stored audits. That
they apply and work shows what an addition touches; they insert where nobody appends. If one does not apply
because the lines beside it have changed, make it anew: `git diff -U1`. All tests that name one
of the additions run, together: what costs is to collect them.
"""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from benchmarks.size import python_lines
from test_documents import examples

MOST_FILES, MOST_LINES = 6, 60

MECHANISM = """
from ldp_lib.estimation import CellClassifier
from ldp_lib.lessons.ldp_check.laboratory import SUSPECTS, run
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
from ldp_lib.stage import still
from ldp_lib.stage.deck import State, pack, unpack

assert "one_report" in PANELS
live = panel("one_report")
for alpha in (0.1, 1.0, 10.0):
    result = live.show(alpha=alpha)
    state = State(result.picture, result.says, tuple(result.numbers))
    assert unpack(pack({(0,): state}))[0,]["alt"] == state.alt
    drawn = still.drawn(state.picture, live.size)
    assert drawn.count("<g clip-path") == len(state.picture.axes) == 2
    figure = live.static(alpha=alpha)
    figure.canvas.draw()
    assert figure.alt == state.alt and len(figure.axes) == 2
assert [live.show(alpha=alpha).numbers[1][1] for alpha in (0.1, 1.0, 10.0)] == ["800", "8", "1"]
"""


def run(folder, *command):
    """Run a command in `folder`, with the library that is there; fail with what it wrote."""
    settings = {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "LDP_FULL": ""}  # grids that are whole have the audits, too
    done = subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def touched(patch):
    """The files that a patch names, and those that it makes."""
    words = patch.read_text(encoding="utf-8")
    new = re.findall(r"^new file mode .*\n(?:index .*\n)?--- /dev/null\n\+\+\+ b/(.*)$", words, re.MULTILINE)
    return re.findall(r"^diff --git a/(.*) b/\1$", words, re.MULTILINE), new


def try_out(copy, names):
    """Run what all tests say of names; the stored audits, of two minutes, were not made.

    Asserts stay as they are written: in a copy they all would be rewritten first.
    """
    some = f"({names}) and not file_holds_what_the_audit_says and not test_newcomer"
    run(copy, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--assert=plain",
        "--ignore=tests/browser", "-k", some)


OF_A_ROOM = "test_docstrings or test_hints or test_types"


@pytest.fixture
def copy(repository, tmp_path):
    """What a newcomer works on, without pages."""
    for name in ("ldp_lib", "data", "tests", "notebooks", "examples"):
        shutil.copytree(repository / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(repository / "pyproject.toml", tmp_path)
    # Inside another checkout git would look for the files there.
    run(tmp_path, "git", "init", "--quiet")
    return tmp_path


def add(file, before, words):
    """Insert `words` into a file, before the first line that begins with `before`; at its end for ""."""
    text = file.read_text(encoding="utf-8")
    place = re.search(rf"^{re.escape(before)}", text, re.MULTILINE).start() if before else len(text)
    file.write_text(text[:place] + words + text[place:], encoding="utf-8")


def add_mechanism(copy, source):
    (copy / "ldp_lib/privacy/sign_vector.py").write_text(source, encoding="utf-8")
    for file in ("registry", "__init__"):
        add(copy / f"ldp_lib/privacy/{file}.py", "from ldp_lib.privacy.wavelet",
            "from ldp_lib.privacy.sign_vector import SignVector\n")
    add(copy / "ldp_lib/privacy/__init__.py", '    "SignedSubset"', '    "SignVector",\n')
    add(copy / "ldp_lib/privacy/registry.py", '    Specimen("SignedSubset"',
        '    Specimen("SignVector", SignVector, "sign-vector"),\n')


def add_law(copy, source):
    (copy / "ldp_lib/nature/ramp.py").write_text(source, encoding="utf-8")
    add(copy / "ldp_lib/nature/__init__.py", "from ldp_lib.nature.surveys",
        "from ldp_lib.nature.ramp import Ramp\n")
    add(copy / "ldp_lib/nature/__init__.py", '    "wave"', '    "ramp": Ramp,\n')
    add(copy / "tests/test_nature.py", '    ("threshold", {}),', '    ("ramp", {}),\n')


def add_density(copy, source):
    """Beside the class that it is made from."""
    source = source.replace("from ldp_lib.nature import Density\n\n\n", "")
    add(copy / "ldp_lib/nature/densities.py", "DENSITIES", f"{source}\n\n")
    add(copy / "ldp_lib/nature/densities.py", '    "smooth"', '    "parabola": Parabola,\n')


def add_panel(copy, source):
    (copy / "ldp_lib/lessons/start/belief.py").write_text(source, encoding="utf-8")
    lesson = copy / "ldp_lib/lessons/start/__init__.py"
    lesson.write_text(lesson.read_text(encoding="utf-8").replace('{"start"', '{"belief": "belief", "start"'),
                      encoding="utf-8")


def add_exercise(copy, source):
    add(copy / "ldp_lib/lessons/beyond/exercises.py", "", "\n\n" + source.partition("\n\n")[2])
    path = copy / "notebooks/07_beyond_the_papers.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells += [
        nbformat.v4.new_markdown_cell("### Exercise 9: cells"),
        nbformat.v4.new_code_cell('answer = ...\ncheck("07.10", answer)'),
        nbformat.v4.new_markdown_cell("<details><summary>Solution</summary>\n\n```python\nanswer = 10**3\n```"
                                      "\n\n</details>")]
    nbformat.write(notebook, path)


def add_proof(copy, source):
    source = f'"""Warner\'s bit."""\n\n{source}'
    (copy / "ldp_lib/lessons/start/ledger.py").write_text(source, encoding="utf-8")


def add_erratum(copy, source):
    add(copy / "ldp_lib/lessons/bayes/errata.py", "", "\n\n" + source.partition("\n\n")[2])
    for file in ("ldp_lib/lessons/proofs.py", "tests/test_rate_errata.py"):
        text = (copy / file).read_text(encoding="utf-8")
        (copy / file).write_text(text.replace("range(1, 33)", "range(1, 34)"), encoding="utf-8")
    add(copy / "tests/test_rate_errata.py", '          14: "equal"', '          33: "equal",\n')


ADDED = {
    "A mechanism": (add_mechanism, "SignVector or sign-vector", "privacy"),
    "A law": (add_law, "ramp", "nature"), "A density": (add_density, "parabola", "nature"),
    "A panel": (add_panel, "belief", "live"),
    "An exercise": (add_exercise, "07.10", ""), "A step of a proof": (add_proof, "Warner", "theory"),
    "An erratum": (add_erratum, "errata and 33", "theory"),
}
"""What is printed -> how it is added, its name, and the room whose docstrings are read. A scene has no name:
a change of its story is tried by `tests/test_stories.py` as a whole."""


@pytest.mark.ci
@pytest.mark.long
def test_additions_are_small_and_seen_by_everything(copy, repository):
    for name, program in (("mechanism", MECHANISM), ("panel", PANEL)):
        patch = repository / "tests" / "newcomer" / f"{name}.patch"
        run(copy, "git", "apply", str(patch))
        files, new = touched(patch)
        # The stored audits are one file more; two files are written by `tests.kept`. Two notebooks that print
        # all mechanisms are executed, not edited.
        assert len(files) + (name == "mechanism") <= MOST_FILES, files
        module, tests = sorted(new)
        assert python_lines((copy / module).read_text(encoding="utf-8")) <= MOST_LINES
        # Everything in one process, because importing takes longest.
        end = f'import sys, pytest; sys.exit(pytest.main(["-q", "--doctest-modules", {module!r}, {tests!r}]))'
        start = f"import ldp_lib; assert ldp_lib.__file__.startswith({str(copy)!r}), ldp_lib.__file__"
        run(copy, sys.executable, "-W", "error", "-c", "\n".join([start, program, end]))
    printed = dict(examples(repository))
    for heading, (act, _, _) in ADDED.items():
        act(copy, printed[heading])
    run(copy, sys.executable, "-m", "tests.kept", "one_report", "belief")
    _, names, rooms = zip(*ADDED.values())
    of_rooms = f"({OF_A_ROOM}) and ({' or '.join(sorted({*rooms} - {''}))})"
    try_out(copy, " or ".join(f"({name})" for name in (
        "CellOrNothing or one_report and not test_one_report_", *names, of_rooms)))


def test_every_printed_example_but_a_scene_is_added(repository):
    assert {heading for heading, _ in examples(repository)} - set(ADDED) == {"A scene, and a story"}

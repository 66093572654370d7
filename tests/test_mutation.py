"""The count of mutants can fail: it finds what is changed, and says of each test what it sees."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks import mutation

SOURCE = '''"""Adds 1 + 1."""
def half(value: "1 < 2", least=0.5):
    if not value >= least:
        raise ValueError(f"{value + 1}")
    print("1 + 1")
    return -value // 2 * True
'''
SEEN = {(">=", ">"), ("not ", ""), ("-", ""), ("//", "/"), ("*", "/"), ("2", "3"), ("True", "False"),
        ("0.5", "0.55"), ('raise ValueError(f"{value + 1}")', "pass"), ('print("1 + 1")', "pass")}
SCRIPT = """// 1 + 1
const half = (value) => value >= 0.5 && value !== 2 ? value / 2 : "a + b";
"""


def test_what_is_computed_is_changed_and_no_word():
    changes = list(mutation.python_changes(SOURCE))
    assert {(SOURCE[start:end], new) for start, end, new in changes} == SEEN
    scripts = {(SCRIPT[start:end], new) for start, end, new in mutation.script_changes(SCRIPT)}
    assert scripts == {(">=", ">"), ("0.5", "0.55"), ("&&", "||"), ("!==", "==="), ("2", "3"), ("/", "*")}
    for start, end, new in changes:
        compile(SOURCE[:start] + new + SOURCE[end:], "mutant", "exec")


def test_every_room_has_mutants_and_a_seed_chooses():
    found = list(mutation.mutants(mutation.REPOSITORY))
    folders = {path.parent.name for path in mutation.REPOSITORY.glob("ldp_lib/*/__init__.py")}
    assert {mutant.room for mutant in found} == folders | {"root", "browser"}
    assert len({mutant.name for mutant in found}) == len(found) > 20_000
    first, again, other = (mutation.chosen(found, seed, 20, ["risk"]) for seed in (1, 1, 2))
    assert first == again and first != other and len(first) == 20


@pytest.fixture
def toy(tmp_path):
    """A tree of one module, and what its only test looks at."""
    (tmp_path / "ldp_lib").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "ldp_lib" / "__init__.py").touch()
    (tmp_path / "ldp_lib" / "toy.py").write_text("def half(value):\n    return value / 2\n")

    def fate(body):
        (tmp_path / "tests" / "test_toy.py").write_text(
            f"from ldp_lib.toy import half\n\ndef test_half():\n    {body}\n")
        division = next(mutant for mutant in mutation.mutants(tmp_path) if mutant.old == "/")
        found = mutation.judged(division, tmp_path, [(["tests/test_toy.py"], {})])
        assert (tmp_path / division.file).read_text().endswith("value / 2\n")
        return found

    return fate, tmp_path


@pytest.mark.ci
def test_a_test_that_looks_kills_and_one_that_does_not_lets_live(toy, monkeypatch):
    fate, tree = toy
    assert fate("assert half(4) == 2") == ("killed", "tests/test_toy.py::test_half")
    assert mutation.green("tests/test_toy.py::test_half", tree)
    assert fate("half(4)") == ("survived", "")
    monkeypatch.setattr(mutation, "PATIENCE", 0.5)
    monkeypatch.setattr(mutation, "SECONDS", 0.5)
    assert fate("while half(4) != 2: pass") == ("clock", "")


@pytest.mark.ci
def test_a_test_that_is_red_by_itself_is_no_judge(toy):
    fate, tree = toy
    assert fate("assert half(4) == 3") == ("killed", "tests/test_toy.py::test_half")
    assert not mutation.green("tests/test_toy.py::test_half", tree)


@pytest.mark.ci
def test_a_test_that_is_red_once_kills_nothing(toy):
    fate, _ = toy
    once = "import os; new = not os.path.exists('seen'); open('seen', 'w').close(); assert not new"
    assert fate(once) == ("by chance", "tests/test_toy.py::test_half")


@pytest.mark.ci
def test_a_test_that_does_not_exist_kills_nothing(toy):
    fate, tree = toy
    fate("assert half(4) == 2")
    with pytest.raises(SystemExit, match="lacks tests that were chosen"):
        mutation.judged(next(mutation.mutants(tree)), tree, [(["tests/test_toy.py::test_nowhere"], {})])


@pytest.mark.ci
def test_first_come_the_tests_that_execute_a_statement_the_quickest_first(toy):
    fate, tree = toy
    fate("pass")
    division = next(mutant for mutant in mutation.mutants(tree) if mutant.old == "/")
    head = division._replace(start=0)
    assert mutation.statement(division, tree) == (range(2, 3), True)
    assert mutation.statement(head, tree) == (range(1, 2), False)
    seconds = {"tests/test_slow.py::test": 9.0, "tests/test_toy.py::test_half": 1.0,
               "tests/test_words.py::test": 1.0}
    seen = {"ldp_lib/toy.py": {1: {"tests/test_words.py::test"}, 2: {*list(seconds)[:2]}}}
    near = ["tests/test_words.py", "tests/test_not_watched.py"]
    first = {test: seconds[test] for test in ("tests/test_toy.py::test_half", "tests/test_slow.py::test")}
    assert mutation.suites(division, tree, (near, []), (seconds, seen)) == [
        (["tests/test_toy.py", "tests/test_slow.py"], first), (["tests/test_not_watched.py"], {})]
    assert mutation.suites(division, tree, (near, [*near, "tests/test_above.py"]), (seconds, {})) == [
        ([mutation.KEPT, *near], {}), (["tests/test_above.py"], {})]
    assert mutation.suites(head, tree, (near, []), (seconds, seen)) == [
        ([mutation.KEPT, *near, "tests/test_toy.py", "tests/test_slow.py"], seconds)]


@pytest.mark.ci
def test_who_executes_what_is_seen(toy):
    fate, tree = toy
    fate("half(4)")
    program = mutation.REPOSITORY / "tests" / "benchmarks" / "executed.py"
    subprocess.run([sys.executable, "-P", program, ".", "99", "tests/test_toy.py"], cwd=tree,
                   check=True, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True)
    found = json.loads((tree / "test_toy.json").read_text())
    assert found["lines"]["ldp_lib/toy.py"] == {"2": ["tests/test_toy.py::test_half"]}
    assert [*found["seconds"]] == ["tests/test_toy.py::test_half"]

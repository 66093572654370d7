"""The count of mutants can fail: it finds what is changed, and says of each test what it sees."""


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
def toy(tmp_path, monkeypatch):
    """A tree of one module, and what its only test looks at."""
    (tmp_path / "ldp_lib").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "ldp_lib" / "__init__.py").touch()
    (tmp_path / "ldp_lib" / "toy.py").write_text("def half(value):\n    return value / 2\n")

    def fate(body):
        (tmp_path / "tests" / "test_toy.py").write_text(
            f"from ldp_lib.toy import half\n\ndef test_half():\n    {body}\n")
        monkeypatch.setattr(mutation, "suites", lambda mutant, tree: [["tests/test_toy.py"]])
        division = next(mutant for mutant in mutation.mutants(tmp_path) if mutant.old == "/")
        found = mutation.judged(division, tmp_path)
        assert (tmp_path / division.file).read_text().endswith("value / 2\n")
        return found

    return fate, tmp_path


@pytest.mark.ci
def test_a_test_that_looks_kills_and_one_that_does_not_lets_live(toy, monkeypatch):
    fate, tree = toy
    assert fate("assert half(4) == 2") == ("killed", "tests/test_toy.py::test_half")
    assert mutation.green("tests/test_toy.py::test_half", tree, {})
    assert fate("half(4)") == ("survived", "")
    monkeypatch.setattr(mutation, "PATIENCE", 3 / mutation.SECONDS)
    assert fate("while half(4) != 2: pass") == ("clock", "")


@pytest.mark.ci
def test_a_test_that_is_red_by_itself_is_no_judge(toy):
    fate, tree = toy
    assert fate("assert half(4) == 3") == ("killed", "tests/test_toy.py::test_half")
    assert not mutation.green("tests/test_toy.py::test_half", tree, {})


@pytest.mark.ci
def test_a_test_that_is_red_once_kills_nothing(toy):
    fate, _ = toy
    once = "import os; new = not os.path.exists('seen'); open('seen', 'w').close(); assert not new"
    assert fate(once) == ("by chance", "tests/test_toy.py::test_half")


@pytest.mark.ci
def test_a_test_that_does_not_exist_kills_nothing(toy, monkeypatch):
    fate, tree = toy
    fate("assert half(4) == 2")
    monkeypatch.setattr(mutation, "suites", lambda mutant, tree: [["tests/test_toy.py::test_nowhere"]])
    with pytest.raises(SystemExit, match="lacks tests that were chosen"):
        mutation.judged(next(mutation.mutants(tree)), tree)

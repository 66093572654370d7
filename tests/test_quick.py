"""`make quick` chooses something for everything that can be changed, and its own test first."""

import subprocess
from pathlib import Path

import pytest
import quick
from quick import Patience, chosen, file_of, graph, module_of, users

ROOMS = sorted(graph().modules - {"ldp_lib"})


@pytest.mark.parametrize("module", ROOMS)
def test_a_change_of_a_module_chooses_tests_that_use_it(module, repository):
    file = str(file_of(module).relative_to(repository))
    assert module_of(file) == module
    files = [row.test for row in chosen([file])]
    assert {f"tests/test_architecture.py::test_every_example_runs[{module}]",
            "tests/test_architecture.py"} & set(files)
    assert any(Path(name).name.startswith("test_") and "::" not in name for name in files), files


@pytest.mark.parametrize("module, first", [
    ("ldp_lib.privacy.wire", "test_wire"), ("ldp_lib.nature.holder", "test_holder"),
    ("ldp_lib.risk.contour", "test_contour"), ("ldp_lib.wavelets", "test_wavelets"),
    ("ldp_lib.estimation.asking", "test_asking"), ("ldp_lib.theory.contraction", "test_contraction"),
    ("ldp_lib.site.poll", "test_poll"), ("ldp_lib.site.walls", "test_answerer"),
    ("ldp_lib.lessons.elbow.story", "lessons/elbow/test_story")])
def test_its_own_test_is_among_the_first(module, first):
    assert f"tests/{first}.py" in map(quick.name_of, users(module)[:3])


def test_a_name_is_followed_to_the_module_that_defines_it():
    """`from ldp_lib.privacy import SubsetSelection`, as tests import it."""
    assert quick.defined("ldp_lib.privacy", "SubsetSelection") == "ldp_lib.privacy.subsets"
    assert quick.defined("ldp_lib.privacy", "wire") == "ldp_lib.privacy.wire"
    assert quick.defined("ldp_lib.nature", "problem") == "ldp_lib.nature"


def test_what_is_no_module_chooses_who_names_or_uses_it():
    def names(*files):
        return {row.test for row in chosen(files)}

    assert "tests/test_setup.py" in names("Makefile")
    assert "tests/test_documents.py" in names("ARCHITECTURE.md")
    assert "tests/test_stories.py" in names("tests/story_facts.py")
    assert "tests/test_wire.py" in names("tests/test_wire.py")
    assert {"tests/test_table.py", "tests/test_live_pictures.py"} <= names("ldp_lib/stage/browser/draw.js")
    of_a_notebook = names("notebooks/02_universal_consistency.ipynb")
    assert "tests/test_exercises.py" in of_a_notebook
    assert any("contract" in name and "[02_universal_consistency]" in name for name in of_a_notebook)


def test_deep_adds_what_stands_on_a_change():
    file = "ldp_lib/risk/scores.py"
    near, far = ({row.test for row in chosen([file], deep)} for deep in (False, True))
    # What a whole file of tests holds is not said once more.
    assert {test for test in near if test.partition("::")[0] not in far} < far
    assert "tests/lessons/beyond/test_story.py" in far - near
    whole = [row.test for row in chosen(["tests/test_architecture.py", file])]
    assert whole.count("tests/test_architecture.py") == 1 and not any("::" in name for name in whole)


def test_nothing_begins_after_the_last_second(request):
    late, early = Patience(over=0), Patience(over=float("inf"))
    assert late.pytest_runtest_protocol(request.node) is True and late.left == [request.node.nodeid]
    assert early.pytest_runtest_protocol(request.node) is None and not early.left


def test_what_is_changed_is_what_git_sees(tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True,
                       capture_output=True)

    monkeypatch.setattr(quick, "REPOSITORY", tmp_path)
    git("init")
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "-m", name)
    assert quick.changed() == (["two"], "by the last commit")
    (tmp_path / "one").write_text("other")
    (tmp_path / "three").write_text("new")
    assert quick.changed() == (["one", "three"], "since the last commit")

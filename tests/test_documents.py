"""README, ARCHITECTURE, CONTRIBUTING, LECTURERS: what they name exists, and their examples run."""

import importlib
import re
import subprocess
import sys

import pytest

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LECTURERS.md", "deploy/README.md",
             "docs/site/own_data.md", "docs/site/practice.md", "RELEASE.md")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:[\w.*-]+/)*[\w.*-]+(?:/|\.(?:py|md|toml|txt|yml|yaml|ipynb|js|cfg))")


@pytest.fixture(params=DOCUMENTS)
def document(request, repository):
    """Return the text of a document."""
    return (repository / request.param).read_text(encoding="utf-8")


def named(document):
    """Yield what stands between backticks outside of fenced code."""
    return re.findall(r"`([^`\n]+)`", FENCED.sub("", document))


def exists(dotted):
    """Is there a module, or an attribute of one, of this dotted name?"""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as missing:
            if not dotted.startswith(missing.name):
                raise  # the module is there, and something that it imports is not
            continue
        for part in parts[length:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def test_existing_and_absent_names_are_told_apart():
    assert exists("ldp_lib.live.LivePanel.show") and exists("ldp_lib.privacy.audit")
    assert not exists("ldp_lib.live.LivePanel.colour") and not exists("ldp_lib.privacy.absent")


def test_every_name_of_the_library_exists(document):
    names = {name for name in named(document) if re.fullmatch(r"ldp_lib(?:\.\w+)+", name)}
    assert names
    assert [name for name in sorted(names) if not exists(name)] == []


def test_every_path_exists(repository, document):
    """Also those that commands name, and links."""
    paths = {name for name in named(document) if FILE.fullmatch(name)}
    paths |= set(re.findall(r"\]\(([^)#\s]+)\)", document))
    for _, source in FENCED.findall(document):
        paths |= set(re.findall(r"\btests/[\w/]+\.py", source))
    assert paths
    assert [path for path in sorted(paths) if not any(repository.glob(path))] == []


def test_every_target_of_make_exists(repository, document):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    asked = {name.split()[1] for name in named(document) if name.startswith("make ")}
    asked |= {line.split()[1] for _, source in FENCED.findall(document)
              for line in source.splitlines() if line.startswith("make ")}
    assert asked <= targets


def examples(repository):
    """Yield the Python examples of CONTRIBUTING.md, by heading."""
    for section in (repository / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        for language, source in FENCED.findall(section):
            if language == "python":
                yield section.partition("\n")[0], source


def test_every_example_runs(repository, tmp_path):
    """Each as a module of its own, in another process: some register what they define."""
    found = list(examples(repository))
    assert len({heading for heading, _ in found}) == len(found) >= 8
    for heading, source in found:
        module = tmp_path / f"{heading.replace(' ', '_').lower()}.py"
        module.write_text(source, encoding="utf-8")
        run = subprocess.run([sys.executable, "-W", "error", "-m", "doctest", module],
                             capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"{heading}: {run.stdout}{run.stderr}"


def test_examples_keep_the_rules_of_the_linter(repository, tmp_path):
    """Those of the house, so that a newcomer who copies one is not told off."""
    for heading, source in examples(repository):
        module = tmp_path / f"{heading.replace(' ', '_').lower()}.py"
        module.write_text(source, encoding="utf-8")
    run = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise",
                          "--config", repository / "pyproject.toml", "--ignore", "D100,B018", tmp_path],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr

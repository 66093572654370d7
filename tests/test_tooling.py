"""What looks after the repository: the linter, the hooks before a commit, public CI, set-ups without make."""

import re
import shutil
import subprocess
import sys
import tomllib
import warnings

import pytest
import yaml

LINTED = ("ldp_lib", "tests", "notebooks/", "data", "deploy/", "docs/", "examples/")


@pytest.fixture(scope="module")
def readme(repository):
    """Return the text of the README."""
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recipes(repository):
    """Return the commands of the Makefile with its variables for `python3`, `.venv/bin` and `pip` put in."""
    text = (repository / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    text = text.replace("$(PIP)", re.search("^PIP := (.*)$", text, re.MULTILINE)[1])
    commands = [line.removeprefix("\t") for line in text.splitlines() if line.startswith("\t")]
    return [command.replace("$(PYTHON)", "python3").replace("$(BIN)", ".venv/bin") for command in commands]


def words(command):
    """Split a command, without the quotes that a shell would take away."""
    return command.replace('"', "").split()


def test_the_linter_finds_nothing(repository):
    """Its rules stand in pyproject.toml, each that is left out with its reason."""
    run = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", *LINTED],
        cwd=repository, capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_everything_is_linted(repository):
    """Python files lie where the linter looks."""
    command = ["git", "ls-files", "*.py"]
    listing = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    assert [name for name in listing.split() if not name.startswith(LINTED)] == []


def test_hooks_run_what_is_installed(repository, recipes):
    """Local hooks download nothing, and their programs are those of the pinned environment."""
    hooks = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]
    for hook in hooks["repos"][0]["hooks"]:
        program, *arguments = hook["entry"].split()
        files = [argument for argument in arguments if argument.startswith("tests/")]
        assert hook["language"] == "system"
        assert program.startswith(".venv/bin/")
        assert shutil.which(repository / program), program
        assert [name for name in files if not (repository / name).exists()] == []
    assert ".venv/bin/pre-commit install" in recipes


def test_public_ci_runs_the_two_commands(repository):
    """And builds pages and wheel, on the oldest Python that is supported; a tag publishes them."""
    text = (repository / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    tried, published = workflow["jobs"]["test"], workflow["jobs"]["publish"]
    ran = [(step["run"], step.get("env")) for step in tried["steps"] if "run" in step]
    wheel = ".venv/bin/python -m pip wheel --no-deps --wheel-dir dist ."
    assert ran == [("make .venv/.installed", None), ("make test", {"CI": "true"}), ("make site", None),
                   (wheel, None)]
    [python] = [step["with"]["python-version"] for step in tried["steps"]
                if "python-version" in step.get("with", ())]
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={python}"
    assert "secrets" not in text and workflow["permissions"] == {"contents": "read"}
    assert published["needs"] == "test" and published["if"] == "startsWith(github.ref, 'refs/tags/')"


def test_without_make_the_same_is_installed(repository, readme, recipes):
    """README and environment.yml install one extra, which the extra of the Makefile contains."""
    shown = [words(line) for line in re.findall(r"^    (\S.*)$", readme, re.MULTILINE)]
    environment, install = (next(line for line in shown if part in line) for part in ("venv", "pip"))
    assert " ".join(environment) in recipes
    found = next(line for line in recipes if "--constraint constraints.txt --editable" in line)
    of_make = words(found.rpartition("|| ")[2])  # where the exact versions alone do not fit
    assert set(of_make) - {"--quiet", "--no-compile"} - set(install) == {".[test]"}
    assert set(install) - set(of_make) == {".[live]"}
    conda = yaml.safe_load((repository / "environment.yml").read_text(encoding="utf-8"))
    assert conda["dependencies"][-1]["pip"] == ["-c constraints.txt", f"-e {install[-1]}"]
    extras = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "ldp-lib[cluster,hub,pages]" in extras["optional-dependencies"]["test"]


def test_without_make_the_same_is_started(readme, recipes):
    """The command of `make lab`."""
    [start] = [line for line in re.findall(r"^    (\S.*)$", readme, re.MULTILINE) if "jupyter lab" in line]
    assert start in recipes


def test_only_a_warning_to_nobody_is_no_error():
    """In the thread that hands out joblib's work an error is the end of all of it."""
    warnings.warn_explicit("One worker less.", UserWarning, "process_executor.py", 1,
                           module="joblib.externals.loky.process_executor")
    with pytest.raises(UserWarning, match="One worker less"):
        warnings.warn_explicit("One worker less.", UserWarning, "parallel.py", 1, module="joblib.parallel")

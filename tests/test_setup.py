"""The set-up: versions that agree everywhere, the Makefile, and the program that explains a broken set-up."""

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import types

import pytest
import yaml
from extent import all_rows, beyond_their_share, everything_runs

from ldp_lib import __version__, check
from ldp_lib.lessons.computed import TABLES
from ldp_lib.nature import surveys


def canonical(name):
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path):
    """Return {name: version} of a file of lines name==version; any other line fails."""
    lines = [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line).groups() for line in lines]
    assert len({canonical(name) for name, _ in pairs}) == len(pairs)
    return {canonical(name): version for name, version in pairs}


@pytest.fixture(scope="module")
def project(repository):
    """Return the table [project] of pyproject.toml."""
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def bounds(project):
    """Return {name: lower bound} of every direct dependency, all written name>=version and nothing else."""
    extras = project["optional-dependencies"]
    assert "ldp-lib[cluster,hub,pages]" in extras["test"] and "ldp-lib[live]" in extras["pages"]
    lines = [line for group in (project["dependencies"], *extras.values()) for line in group
             if not line.startswith("ldp-lib[")]
    pairs = [re.fullmatch(r"([\w.-]+)>=(\d+(?:\.\d+)*)", line).groups() for line in lines]
    assert len(dict(pairs)) == len(pairs)
    return {canonical(name): version for name, version in pairs}


def test_the_lowest_versions_are_the_lower_bounds(repository, bounds):
    assert pins(repository / "tests" / "lowest.txt") == bounds


def test_the_exact_versions_meet_the_lower_bounds(repository, bounds):
    exact = pins(repository / "constraints.txt")
    assert set(bounds) <= set(exact)
    for name, least in bounds.items():
        assert check.numbers(exact[name]) >= check.numbers(least), name


def test_the_build_runs_on_an_exact_version(repository):
    """Whatever builds the project is tested with what is pinned, also where pip builds out of sight."""
    system = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert system["requires"] == [f"hatchling=={pins(repository / 'constraints.txt')['hatchling']}"]


def test_the_exact_versions_are_closed(repository):
    """Whatever a pinned distribution requires is pinned too, so that nothing floats."""
    exact = pins(repository / "constraints.txt")
    installed = {canonical(found.name): found for found in importlib.metadata.distributions()}
    # Other versions may require other things: this looks at those that are installed as pinned.
    for name in (name for name, found in installed.items() if found.version == exact.get(name)):
        for line in installed[name].requires or ():
            requirement, _, marker = line.partition(";")
            wanted = canonical(re.match(r"[\w.-]+", requirement)[0])
            assert marker or wanted in exact or wanted == "setuptools", (name, line)


def test_no_process_compiles_grammars_that_nobody_reads(repository):
    """Jupyter and pytest read the schema of notebooks: see `make constraints`."""
    assert not {"lark", "rfc3987-syntax"} & set(pins(repository / "constraints.txt"))


def test_conda_installs_the_same(repository, project):
    environment = yaml.safe_load((repository / "environment.yml").read_text(encoding="utf-8"))
    python, pip, packages = environment["dependencies"]
    assert pip == "pip"
    assert packages == {"pip": ["-c constraints.txt", "-e .[live]"]}
    wanted = re.fullmatch(r"python=(3\.\d+)", python)[1]
    assert check.numbers(wanted) >= check.numbers(project["requires-python"].removeprefix(">="))


def test_the_oldest_python_is_the_same_everywhere(repository, project):
    oldest = ".".join(map(str, check.OLDEST_PYTHON))
    assert project["requires-python"] == f">={oldest}"
    assert str(check.OLDEST_PYTHON) in (repository / "Makefile").read_text(encoding="utf-8")


def test_every_import_is_declared(repository, bounds):
    distributions = importlib.metadata.packages_distributions()
    undeclared = {}
    for folder in ("ldp_lib", "tests", "notebooks", "data"):
        for path in (repository / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    modules = [node.module]
                for top in {module.partition(".")[0] for module in modules}:
                    known = {canonical(name) for name in distributions.get(top, ())} - {"ldp-lib"}
                    if known and not known & set(bounds):
                        undeclared[top] = path.name
    assert not undeclared


def test_the_citation_names_this_version_and_the_papers(repository, project):
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__ == importlib.metadata.version("ldp-lib")
    assert citation["license"] == project["license"] == "MIT"
    assert [a["name"] for a in citation["authors"]] == [a["name"] for a in project["authors"]]
    cited = {identifier["value"] for paper in citation["references"] for identifier in paper["identifiers"]}
    assert cited == {"arXiv:1912.04629", "arXiv:1903.01927", "arXiv:2212.04216"}


def test_ci_runs_make_test_with_what_others_leave_out(repository):
    run = repository / ".ci" / "run"
    assert os.access(run, os.X_OK)
    text = run.read_text(encoding="ascii")
    assert "set -euo pipefail" in text
    assert text.endswith('\nCI=true LDP_DRAW="$(git rev-parse HEAD || true)" make test\n')


def test_what_asks_how_quick_something_is_runs_by_itself(repository):
    found = subprocess.run(["make", "--dry-run", "CI=true", "browser-tests"], cwd=repository,
                           capture_output=True, text=True, check=True).stdout.splitlines()
    beside, alone = (line for line in found if " -m pytest " in line)
    marked = [str(path.relative_to(repository)) for path in (repository / "tests").rglob("test_*.py")
              if re.search(r"^@pytest\.mark\.alone$", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert alone.partition(" -m alone ")[2].split() == marked and " -n " not in alone
    assert ' -n 3 --dist worksteal -m "not alone" tests/browser' in beside


@pytest.mark.ci
def test_what_is_left_out_is_said(repository, tmp_path, monkeypatch):
    """By the run, and into the file that `make test` prints at its end; in CI nothing that builds is."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "tests/test_wheel.py"]
    for variable in ("CI", "LDP_FULL"):
        monkeypatch.delenv(variable, raising=False)
    assert not everything_runs() and not all_rows()
    monkeypatch.setenv("LEFT_OUT", str(tmp_path / "left_out.txt"))
    run = subprocess.run([*command, "-n", "1"], cwd=repository, capture_output=True, text=True)
    said = (tmp_path / "left_out.txt").read_text(encoding="utf-8")
    assert run.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, run.stdout + run.stderr
    assert re.match(r"[1-9]\d* tests were LEFT OUT: they build.*\(test_wheel\.py\)", said), said
    assert run.stdout.count(said) == 1 and said.count("LEFT OUT") == 1
    monkeypatch.setenv("LDP_FULL", "1")
    assert everything_runs() and all_rows()
    monkeypatch.delenv("LDP_FULL")
    monkeypatch.setenv("CI", "true")
    assert everything_runs() and not all_rows()
    run = subprocess.run([*command, "--collect-only"], cwd=repository, capture_output=True, text=True)
    assert run.stdout.count("\ntests/test_wheel.py::") >= int(said.split()[0]) - 1
    assert "LEFT OUT" not in run.stdout and "deselected" not in run.stdout


@pytest.mark.ci
def test_rows_of_a_grid_are_left_out_in_ci_and_by_no_full_run(repository, monkeypatch):
    """CI draws them by its commit. What takes a minute begins first, so that nobody waits for it alone."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:nbval", "--collect-only",
               "tests/test_contour.py", "tests/test_newcomer.py"]
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("LDP_DRAW", "c0ffee")
    monkeypatch.delenv("LDP_FULL", raising=False)
    some = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    assert re.search(r"\d+ tests were LEFT OUT: they are more rows of .* drawn by c0ffee \(test_cont", some)
    assert some.startswith("tests/test_newcomer.py::test_additions")
    monkeypatch.setenv("LDP_FULL", "1")
    full = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    assert full.count("::") > some.count("::") and "LEFT OUT" not in full


def test_of_a_grid_a_share_is_left_out():
    """At least one row of each grid is met, the same in each run of one draw; of what is not marked all."""
    def row(nodeid, share):
        mark = types.SimpleNamespace(args=(share,))
        return types.SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda name: share and mark)

    items = [row(f"a.py::test_{k}[{place}]", share)
             for k, share in enumerate((3, 5, None, 3)) for place in range(7)]
    left = [item.nodeid for item in beyond_their_share(items)]
    assert len(left) == len(set(left)) and left == [item.nodeid for item in beyond_their_share(items)]
    assert [sum(f"test_{k}" in name for name in left) for k in range(4)] == [4, 5, 0, 4]
    assert {item.nodeid for item in beyond_their_share(items[::-1])} == set(left)
    drawn = [{item.nodeid for item in beyond_their_share(items, draw)} for draw in "abcdefghijklmnopqrst"]
    assert set.intersection(*drawn) == set()


def test_what_a_test_starts_says_nothing_of_what_is_left_out():
    """Such a run lies elsewhere, and `make test` names a file of its own folder."""
    assert "LEFT_OUT" not in os.environ


def test_make_test_says_it_at_its_end(repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^test: [^=\n]*\n((?:\t.*\n|(?:if|else|endif).*\n)+)", makefile, re.MULTILINE)[1]
    assert "rm -f $(LEFT_OUT)" in recipe.splitlines()[0]
    assert "cat $(LEFT_OUT)" in recipe.splitlines()[-1]


def make(repository, *arguments):
    """Run make without inheriting the state of a make that runs the tests."""
    inherited = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    environment = {key: value for key, value in os.environ.items() if key not in inherited}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)


def test_what_one_process_compiles_the_next_one_reads(repository, monkeypatch):
    """Also where containers ask for the opposite: to collect the tests took three times as long there."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    asked = make(repository, "asked", "--eval=asked: ; @env")
    assert "PATH=" in asked.stdout and "PYTHONDONTWRITEBYTECODE" not in asked.stdout


def test_an_old_python_is_refused_in_plain_words(repository, tmp_path):
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    old.chmod(0o755)
    answer = make(repository, "python", f"PYTHON={old}")
    assert answer.returncode != 0
    assert "Python 3.11 or newer is needed" in answer.stdout and "make PYTHON=" in answer.stdout


def test_this_python_is_accepted(repository):
    answer = make(repository, "python", f"PYTHON={sys.executable}")
    assert (answer.returncode, answer.stdout) == (0, "")


def installed_by(repository, folder, fails):
    """The commands of the set-up in order, on a machine where those that have the word `fails` fail."""
    folder.mkdir()
    said = folder / "said"
    (folder / "python").write_text(f'#!/bin/sh\necho "$*" >>{said}\ncase "$*" in *"{fails}"*) exit 1; esac\n')
    (folder / "python").chmod(0o755)
    mark = folder / "installed"
    done = make(repository, f"BIN={folder}", f"PYTHON={folder}/python", f"VENV={mark}", str(mark))
    assert mark.exists() == (not done.returncode), done.stderr
    return said.read_text(encoding="utf-8").splitlines(), mark.exists()


def test_what_fits_is_looked_for_only_where_the_exact_versions_do_not(repository, tmp_path):
    """They are not there, or they are not enough: another Python may need more."""
    looked_for = "-m pip install --quiet --no-compile --constraint constraints.txt --editable .[test]"
    said, done = installed_by(repository, tmp_path / "all", "nothing fails")
    assert done and looked_for not in said and said[-1] == "-m pip check --quiet"
    exact = [word.split("==") for command in said for word in command.split() if "==" in word]
    assert {canonical(name): version for name, version in exact} == pins(repository / "constraints.txt")
    for number, fails in enumerate(("numpy==", "no-build-isolation", "pip check")):
        said, done = installed_by(repository, tmp_path / str(number), fails)
        assert done and said[-1] == looked_for, fails
    assert not installed_by(repository, tmp_path / "none", "install")[1]


def answer(capsys):
    """Run the check; return its exit code and what it printed."""
    code = check.main()
    return code, capsys.readouterr().out


def test_a_sound_setup_is_called_fine(capsys):
    code, text = answer(capsys)
    assert (code, "cure" in text) == (0, False), text
    assert text.endswith("The set-up is fine.\n")
    for word in ("Python", "numpy", "ipywidgets", "kernel", "anywidget", "cps_full_year", "Chromium"):
        assert word in text


def test_an_empty_environment_is_explained(repository, tmp_path):
    """The check must speak where nothing is installed, which cannot be simulated in this environment."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    # By a link of its own, away from the metadata that an editable install leaves beside the package.
    (tmp_path / "ldp_lib").symlink_to(repository / "ldp_lib")
    run = subprocess.run(
        [python, "-m", "ldp_lib.check"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 1, run.stderr
    assert "ldp-lib is not installed" in run.stdout and "cure: run `make lab`" in run.stdout


def test_missing_and_old_packages_are_named_with_a_cure(capsys, monkeypatch):
    real = importlib.metadata.version

    def version(name):
        if name == "anywidget":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.26.4" if name == "numpy" else real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    code, text = answer(capsys)
    assert code == 1
    assert "numpy 1.26.4 is too old" in text and "anywidget is not installed" in text
    assert text.count("cure: run `make lab`") == 2
    assert "Things that are wrong: 2." in text


def test_panels_without_their_packages_say_what_to_install():
    code = "import sys; sys.modules['anywidget'] = None; import ldp_lib; import ldp_lib.live"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1 and "anywidget" in run.stderr.splitlines()[-1]
    assert "pip install 'ldp-lib[live]'" in run.stderr.splitlines()[-1]


def test_an_old_python_is_named(capsys, monkeypatch):
    monkeypatch.setattr(check.sys, "version_info", (3, 10, 4))
    code, text = answer(capsys)
    assert code == 1 and "is too old" in text and "make lab PYTHON=" in text


@pytest.fixture
def jupyter_folder(tmp_path, monkeypatch):
    """Return a folder that Jupyter looks into before any other."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    return tmp_path


def test_a_kernel_of_another_environment_is_named(capsys, jupyter_folder):
    folder = jupyter_folder / "kernels" / "python3"
    folder.mkdir(parents=True)
    spec = {"argv": ["/elsewhere/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]}
    (folder / "kernel.json").write_text(json.dumps(spec | {"display_name": "Python 3", "language": "python"}))
    code, text = answer(capsys)
    assert code == 1
    assert "the kernel python3 runs /elsewhere/bin/python" in text
    assert f"remove the stale kernel in {folder}" in text


def test_an_unknown_kernel_is_named(capsys, monkeypatch):
    from jupyter_client import kernelspec

    def unknown(self, name):
        raise kernelspec.NoSuchKernel(name)

    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", unknown)
    code, text = answer(capsys)
    assert code == 1 and "no kernel python3" in text


def test_a_stray_widget_extension_is_named(capsys, jupyter_folder):
    folder = jupyter_folder / "labextensions" / "anywidget"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"version": "0.1.0"}')
    code, text = answer(capsys)
    assert code == 1 and f"takes anywidget 0.1.0 from {folder}" in text


def test_an_absent_widget_extension_is_named(capsys, monkeypatch, tmp_path):
    import jupyter_core.paths

    monkeypatch.setattr(jupyter_core.paths, "jupyter_path", lambda *parts: [str(tmp_path)])
    findings = list(check.check_widgets())
    assert len(findings) == 2
    assert all("would stay blank" in finding.what and "pip install" in finding.cure for finding in findings)


def test_missing_data_is_named(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(surveys, "DATA_FOLDER", tmp_path)
    code, text = answer(capsys)
    assert code == 1
    assert text.count("cure: Run `python data/build.py`") == 1, "one after the other, so once"
    assert f"Things that are wrong: {len(surveys.CHECKSUMS) + len(TABLES)}." in text


def test_chromium_is_looked_for_by_name_and_by_variable(monkeypatch, tmp_path):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\n", encoding="ascii")
    browser.chmod(0o755)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check.chromium() == str(browser)
    monkeypatch.setenv("PATH", "")
    assert check.chromium() is None
    monkeypatch.setenv("CHROMIUM", str(browser))
    assert check.chromium() == str(browser)
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "absent"))
    assert check.chromium() is None


def test_the_engine_without_a_window_is_taken_unless_all_is_looked_at(repository, monkeypatch, tmp_path):
    engine = tmp_path / "chromium-headless-shell"
    engine.write_text("#!/bin/sh\n", encoding="ascii")
    engine.chmod(0o755)
    for name in ("CHROMIUM", "LDP_FULL", "CI"):
        monkeypatch.delenv(name, raising=False)

    def taken(*arguments):
        return make(repository, "asked", "--eval=asked: ; @echo '$(WINDOWLESS)'", *arguments).stdout.strip()

    there = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tmp_path}:{there}")
    assert taken() == taken("CI=true") == str(engine)
    assert taken("LDP_FULL=1") == taken("CHROMIUM=/elsewhere/chromium") == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check.chromium() == str(engine), "where there is no other"


def test_only_plain_requirements_are_read(monkeypatch):
    lines = ["numpy>=2.0.2", 'anywidget>=0.9.13; extra == "live"', 'pytest>=8; extra == "test"',
             'ldp-lib[live]; extra == "test"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: lines)
    assert list(check.requirements("any", extras=("live",))) == [("numpy", "2.0.2"), ("anywidget", "0.9.13")]

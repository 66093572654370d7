"""The house rules: who imports whom, documented names, examples that run, short modules, no machine paths."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import ldp_lib

REPOSITORY = Path(__file__).resolve().parents[1]
MODULES = sorted(module.name for module in pkgutil.walk_packages(ldp_lib.__path__, "ldp_lib."))


def tracked_text_files():
    """Return the text files that git knows."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout
    paths = [REPOSITORY / name for name in listing.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in {".gz", ".png", ".gif"}]


def test_rooms_import_only_from_earlier_rooms(monkeypatch, capsys):
    monkeypatch.chdir(REPOSITORY)
    code = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert code == 0, capsys.readouterr().out


def test_the_library_needs_no_pictures():
    """The rooms before `live` import no matplotlib, no widgets, no scikit-learn, which would load pandas; the
    package alone imports not even numpy."""
    rooms = ", ".join(f"ldp_lib.{room}" for room in ("nature", "privacy", "estimation", "risk", "theory"))
    pictures = {'matplotlib', 'seaborn', 'ipywidgets', 'anywidget', 'IPython'}
    heavy = {'sklearn', 'pandas', 'scipy.interpolate', 'scipy.optimize', 'scipy.spatial', 'scipy.stats'}
    program = (
        "import sys, ldp_lib\n"
        "assert not {'numpy', 'pandas'} & set(sys.modules)\n"
        f"import {rooms}\n"
        f"print(*sorted({pictures | heavy} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


def test_panels_load_nothing_heavy():
    """In every scene, nor do exercises: what the kernel of a student does not need is a second and 90 MiB."""
    heavy = {'matplotlib', 'seaborn', 'sklearn', 'scipy.stats', 'pandas'}
    program = ("import sys\nfrom ldp_lib.live import check\nfrom ldp_lib.site.serve import warm\n"
               "warm()\ncheck('00.1', ...)\n"
               f"print(*sorted({heavy} & set(sys.modules)))")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


def own_names(module):
    """Yield (name, object) of the public classes, functions and methods that a module defines."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            yield name, thing
            for attribute, value in vars(thing).items():
                member = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not attribute.startswith("_") and isinstance(member, (types.FunctionType, property)):
                    yield f"{name}.{attribute}", getattr(thing, attribute)
        elif inspect.isfunction(thing):
            yield name, thing


def is_documented(thing):
    """Has somebody written a docstring for `thing`?"""
    if not inspect.isclass(thing):
        return bool(inspect.getdoc(thing))  # which also finds the docstring of an overridden method
    # Python makes up "Point(x, y)" as the docstring of a NamedTuple or a dataclass that has none.
    return bool(thing.__doc__) and not thing.__doc__.startswith(f"{thing.__name__}(")


@pytest.mark.parametrize("name", ["ldp_lib", *MODULES])
def test_every_public_name_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    assert not [f"{name}.{what}" for what, thing in own_names(module) if not is_documented(thing)]


@pytest.mark.parametrize("name", ["ldp_lib", *MODULES])
def test_every_example_runs(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_exported_names_exist():
    for name in MODULES:
        module = importlib.import_module(name)
        for exported in getattr(module, "__all__", ()):
            assert hasattr(module, exported), f"{name}.{exported}"


def test_no_machine_is_named():
    """No path of somebody's computer: home folders, work folders."""
    machine = re.compile(r"(?<![\w.])/(?:home|Users|root|work|mnt|tmp|private)/\w|\b[A-Z]:\\+Users")
    named = []
    for path in tracked_text_files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if machine.search(line) and path != Path(__file__).resolve():
                named.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()[:100]}")
    assert not named


def test_lines_are_short():
    folders = (REPOSITORY / name for name in ("ldp_lib", "tests", "notebooks", "data", "examples"))
    long = [f"{path.name}:{number}" for folder in folders for path in folder.rglob("*.py")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if len(line) > 110]
    assert not long

"""What `pip install` brings: built, installed away from the repository, and run from an empty folder."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

from ldp_lib import __version__
from ldp_lib.lessons.computed import TABLES
from ldp_lib.live import PANELS
from ldp_lib.nature.surveys import CHECKSUMS

pytestmark = pytest.mark.ci

EXAMPLE = """
import doctest, sys
import ldp_lib
assert ldp_lib.__file__.startswith(sys.prefix), ldp_lib.__file__
print(doctest.testfile(sys.argv[1], module_relative=False))
"""

FIRST_PICTURES = """
import sys
import ldp_lib
from ldp_lib.live import PANELS, panel
assert ldp_lib.__file__.startswith(sys.prefix), ldp_lib.__file__
for name in PANELS:
    live = panel(name)
    assert live.failure is None and live.deck
    print(name, "data:image/svg+xml" in live._repr_mimebundle_()["text/html"])
"""

CONNECTION = """
import sys
from jupyter_server.serverapp import ServerApp
server = ServerApp()
server.initialize(["--no-browser", "--allow-root", "--port=0", *sys.argv[1:]])
print("connection:", server.kernel_websocket_connection_class.__name__)
"""


def run(*command, cwd):
    """Return what a command prints; no variable leads it back to the repository or to somebody's settings."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment |= {f"JUPYTER_{kind}_DIR": str(cwd) for kind in ("CONFIG", "DATA", "RUNTIME")}
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True,
                         text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def pip(*arguments, cwd):
    """Run pip, which asks no index."""
    run(sys.executable, "-m", "pip", *arguments, "--no-deps", "--no-index", cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wheel")


@pytest.fixture(scope="module")
def sdist(repository, folder):
    """Return the source distribution."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder / "sdist", cwd=repository)
    return next((folder / "sdist").iterdir())


@pytest.fixture(scope="module")
def wheel(sdist, folder):
    """Return the wheel that is built from the source distribution."""
    pip("wheel", "--no-build-isolation", "--wheel-dir", folder / "wheel", sdist, cwd=folder)
    return next((folder / "wheel").iterdir())


@pytest.fixture(scope="module")
def python(wheel, folder):
    """Return the Python of an environment with the wheel and this one's packages, without the project."""
    run(sys.executable, "-m", "venv", "--without-pip", folder / "environment", cwd=folder)
    python = folder / "environment" / "bin" / "python"
    pip("--python", python, "install", wheel, cwd=folder)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # Folders that such a file names are not searched for further ones, as the one that names the repository.
    with open(os.path.join(packages, "packages.pth"), "w") as path:
        path.write("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    return python


@pytest.fixture
def run_there(python, tmp_path):
    """Return a function that runs a program in that environment, in an empty folder."""
    return lambda program, *arguments: run(python, "-c", program, *arguments, cwd=tmp_path)


def test_the_wheel_is_the_same_from_the_repository(repository, wheel, folder):
    pip("wheel", "--no-build-isolation", "--wheel-dir", folder / "direct", repository, cwd=folder)
    assert next((folder / "direct").iterdir()).read_bytes() == wheel.read_bytes()


def test_the_wheel_holds_the_package_and_its_tables_only(repository, wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist()
            if not name.startswith(f"ldp_lib-{__version__}.dist-info/")}
    package = {path.relative_to(repository).as_posix() for path in (repository / "ldp_lib").rglob("*")
               if path.is_file() and path.parent.name != "__pycache__"}
    tables = {f"ldp_lib/data/{name}" for name in
              ("README.md", *CHECKSUMS, *(f"{name}.csv" for name in TABLES))}
    assert held == package | tables


def test_the_source_distribution_can_rebuild_the_tables(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"data/build.py", "data/README.md", "data/cps_full_year.csv.gz", "README.md", "LICENSE"} <= names


def test_the_readme_example_runs(run_there, repository):
    for page, count in ((repository / "README.md", 6), (repository / "docs/site/own_data.md", 26)):
        assert run_there(EXAMPLE, page) == f"TestResults(failed=0, attempted={count})\n"


def test_every_panel_shows_its_first_picture(run_there):
    assert run_there(FIRST_PICTURES).splitlines() == [f"{name} True" for name in PANELS]


def test_the_repository_is_out_of_reach(run_there, repository):
    assert str(repository) not in run_there("import sys; print(*sys.path, sep='\\n')").splitlines()


@pytest.mark.parametrize("options, connection", [
    ((), "ZMQChannelsWebsocketConnection"),
    (("--ServerApp.jpserver_extensions=ldp_lib.server=True",), "PromptWebsocket"),
])
def test_the_installation_changes_no_server(run_there, python, options, connection):
    assert not (python.parents[1] / "etc").exists()
    assert run_there(CONNECTION, *options).endswith(f"connection: {connection}\n")

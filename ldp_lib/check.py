"""Say in plain words what is wrong with a set-up: `python -m ldp_lib.check`.

Every line is about one thing; a problem is followed by its cure.  The exit
code is 1 if something is wrong.  Only the standard library is needed until the
packages are known to be there, so that the check also works where they are not.
"""

import importlib.metadata
import itertools
import json
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

OLDEST_PYTHON = (3, 11)
INSTALL = "run `make lab` in the repository, or `pip install -c constraints.txt -e .[live]` there"
LAB_EXTENSIONS = {"@jupyter-widgets/jupyterlab-manager": "ipywidgets", "anywidget": "anywidget"}
"""JupyterLab extension without which a widget stays blank -> the package that needs it."""


class Finding(NamedTuple):
    """One line of the answer: `cure` is empty when all is well."""

    what: str
    cure: str = ""


def check_python():
    """Is this Python new enough?"""
    what = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        yield Finding(f"{what} is too old", "use Python 3.11 or newer: `make lab PYTHON=/path/to/python3.11`")
    else:
        yield Finding(what)


def check_packages():
    """Is every package there, and new enough, that the library or its panels need?"""
    for name, least in requirements("ldp-lib", extras=("live",)):
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(f"{name} is not installed ({least} or newer is needed)", INSTALL)
            continue
        if numbers(found) < numbers(least):
            yield Finding(f"{name} {found} is too old ({least} or newer is needed)", INSTALL)
        else:
            yield Finding(f"{name} {found} ({least} or newer is needed)")


def requirements(distribution, extras):
    """Yield (name, lower bound) of the direct dependencies that an installed distribution declares."""
    for line in importlib.metadata.requires(distribution) or ():
        match = re.fullmatch(r"([\w.-]+)>=([\d.]+)(?:\s*;\s*extra == [\"'](\w+)[\"'])?", line)
        if match and (match[3] is None or match[3] in extras):
            yield match[1], match[2]


def numbers(version):
    """Return the leading numbers of a version: "2.4.6rc1" -> (2, 4, 6)."""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", version)[0].split("."))


def check_kernel():
    """Does the kernel `python3`, which the notebooks ask for, run in this environment?"""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        yield Finding("no kernel python3 is known to Jupyter", INSTALL)
        return
    program = shutil.which(spec.argv[0]) or spec.argv[0]
    # Jupyter replaces a bare "python" by its own interpreter, so only a path can lead elsewhere.
    if os.sep in spec.argv[0] and not same_environment(program):
        yield Finding(
            f"the kernel python3 runs {program}, not {sys.executable}",
            f"remove the stale kernel in {spec.resource_dir} (`jupyter kernelspec remove python3`)",
        )
    else:
        yield Finding("the kernel python3 runs in this environment")


def same_environment(program):
    """Do `program` and this interpreter stand in the same folder (links to one Python are not the same)?"""
    return Path(program).parent.resolve() == Path(sys.executable).parent.resolve()


def check_widgets():
    """Does JupyterLab find the browser's half of every widget package?"""
    from jupyter_core.paths import jupyter_path

    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    for extension, package in LAB_EXTENSIONS.items():
        places = [folder / extension / "package.json" for folder in folders]
        found = next(filter(Path.is_file, places), None)
        if found is None:
            yield Finding(
                f"JupyterLab has no extension {extension}: panels of {package} would stay blank",
                f"`pip install --force-reinstall -c constraints.txt {package} jupyterlab_widgets`, "
                "then restart JupyterLab and reload the page",
            )
            continue
        version = json.loads(found.read_text(encoding="utf-8"))["version"]
        if not found.is_relative_to(sys.prefix):
            yield Finding(
                f"JupyterLab takes {extension} {version} from {found.parent}, outside this environment",
                f"remove that folder if panels stay blank; {package} here brings its own",
            )
        else:
            yield Finding(f"JupyterLab has {extension} {version}")


def check_data():
    """Are the data files there and as published?"""
    from ldp_lib.lessons.computed import TABLES
    from ldp_lib.nature import surveys

    for name in (*surveys.CHECKSUMS, *(f"{name}.csv" for name in TABLES)):
        try:
            surveys.read_table(name)
        except (FileNotFoundError, ValueError) as error:
            yield Finding(str(error).removesuffix(surveys.CURE).strip(), surveys.CURE)
        else:
            yield Finding(f"data/{name} is the published table")


BROWSERS = "chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"
"""Programs that show pages: those that people have, and the engine of the first without a window."""


def chromium():
    """Return the path of a Chromium for the browser tests (the variable CHROMIUM comes first), or None."""
    if "CHROMIUM" in os.environ:
        return shutil.which(os.environ["CHROMIUM"])
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def findings():
    """Yield all findings; what cannot be looked at for want of packages is left out after saying so."""
    yield from check_python()
    try:
        packages = list(check_packages())
    except importlib.metadata.PackageNotFoundError:
        packages = [Finding(f"ldp-lib is not installed for {sys.executable}", INSTALL)]
    yield from packages
    if any(finding.cure for finding in packages):
        yield Finding("the kernel, the widgets and the data are looked at once the packages are there")
        return
    yield from check_kernel()
    yield from check_widgets()
    yield from check_data()
    browser = chromium()
    yield Finding(f"Chromium for the browser tests: {browser or 'none found; only those tests need it'}")


def main():
    """Print the findings; return 1 if something is wrong, else 0."""
    wrong = 0
    for cure, alike in itertools.groupby(findings(), key=lambda finding: finding.cure):
        for finding in alike:
            print(f"[{'wrong' if cure else 'ok'}]".ljust(8) + finding.what)
            wrong += bool(cure)
        if cure:
            print(" " * 8 + f"cure: {cure}")
    print(f"Things that are wrong: {wrong}." if wrong else "The set-up is fine.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

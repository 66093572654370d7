"""JupyterLite: `make lite` builds it, and its page runs as far as Python, which comes from elsewhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.ci, pytest.mark.long]  # it installs JupyterLite


@pytest.fixture(scope="module")
def lite(tmp_path_factory):
    """The built site."""
    home = tmp_path_factory.mktemp("lite")
    make = ["make", "--silent", "lite", "VENV=", f"BIN={Path(sys.executable).parent}", f"LITE={home}",
            f"PYTHON={sys.executable}"]
    inherited = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of a make that runs the tests
    settings = {name: value for name, value in os.environ.items() if name not in inherited}
    subprocess.run(make, cwd=harness.ROOT, env=settings, check=True, capture_output=True)
    return home / "site"


def test_a_notebook_opens_in_lite_and_asks_for_python_only(page, lite, tmp_path):
    kept = {path.relative_to(lite / "files") for path in (lite / "files").rglob("*") if path.is_file()}
    assert {path.suffix for path in kept} == {".ipynb"} and Path("appendix", "errata.ipynb") in kept
    wheels = json.loads((lite / "pypi" / "all.json").read_text(encoding="utf-8"))
    (wheel,), = wheels["ldp-lib"]["releases"].values()
    assert (lite / "pypi" / wheel["filename"]).exists()
    said = (harness.ROOT / "docs" / "site" / "hosts.md").read_text(encoding="utf-8")
    python = re.search(r"https://cdn\S+/full/", said)[0] + "pyodide.mjs"
    asked = []
    page.context.on("request", lambda request: asked.append(request.url))
    with harness.server("files", lite, tmp_path) as where:
        with page.context.expect_event("requestfailed", lambda request: request.url == python):
            page.goto(where.url("lab/index.html?path=00_start_here.ipynb"))
        expect(page.locator(".ldp-still img").first).to_be_visible()
    assert {url for url in asked if not url.startswith((where.url(""), "data:", "blob:"))} == {python}
    assert any("/extensions/anywidget/" in url for url in asked)

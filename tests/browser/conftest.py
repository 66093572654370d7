"""One browser, one JupyterLab and one server of pages for all browser tests."""

import shutil

import harness
import pytest

from ldp_lib.check import chromium


@pytest.fixture(scope="session")
def browser():
    if chromium() is None:
        pytest.fail("no Chromium was found; install it or set CHROMIUM to its path")
    with harness.browser() as process:
        yield process


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """A copy of the notebooks and their data, in which running them changes nothing that is kept."""
    shelf = tmp_path_factory.mktemp("shelf")
    unwanted = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(harness.NOTEBOOKS, shelf / "notebooks", ignore=unwanted)
    (shelf / "data").symlink_to(harness.ROOT / "data")
    harness.write_demo(shelf / "notebooks")
    return shelf / "notebooks"


@pytest.fixture(scope="session")
def lab(shelf, tmp_path_factory):
    with harness.server("lab", shelf, tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def loaded(browser, lab):
    with harness.new_page(browser) as page:
        harness.open_in_lab(page, lab.url("broken.ipynb"))  # its kernel will be ended
        yield page


@pytest.fixture
def desk(loaded):
    """A page of JupyterLab for `harness.run_next`, which takes less than half of the time of loading one."""
    loaded.set_viewport_size({"width": 1280, "height": 1000})
    loaded.evaluate("localStorage.removeItem('ldp-answers')")
    return loaded


@pytest.fixture(scope="session")
def site(everything):
    """The folder of pages, or of those with a sample of their states."""
    folder = harness.ROOT / "build" / ("site" if everything else "sample")
    if not (folder / "index.html").exists():
        pytest.fail(f"there are no pages; run make {folder.relative_to(harness.ROOT)}/index.html")
    return folder


@pytest.fixture(scope="session")
def pages(site, tmp_path_factory):
    with harness.server("pages", site, tmp_path_factory.mktemp("pages")) as running:
        yield running


@pytest.fixture(scope="module", params=[pytest.param("lab", marks=[pytest.mark.ci, pytest.mark.share(2)]),
                                        pytest.param("pages", marks=pytest.mark.share(2))])
def where(request):
    """One script draws in both: of each test CI draws one of them, and without CI pages are enough."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def page(browser):
    with harness.new_page(browser) as page:
        yield page

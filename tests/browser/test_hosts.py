"""What happens around a panel: busy and dead kernels, lost connections, saved notebooks, other hosts."""

import base64
import re
import shutil
import subprocess
import sys
import time

import harness
import pytest
from playwright.sync_api import expect


@pytest.fixture
def lab_page(page, lab):
    page.set_viewport_size({"width": 1280, "height": 900})
    return page


def opened(page, where, name="demo.ipynb"):
    assert harness.run(page, where, name) == []
    return harness.panels(page, True)[0]


def first_slider(panel):
    return panel.get_by_role("slider", name="privacy α", exact=True)


KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"


def printed(page, expression):
    """What the kernel prints of an expression."""
    return page.evaluate("""async (code) => {
        const future = KERNEL.requestExecute({ code });
        let text = "";
        future.onIOPub = ({ header, content }) => { if (header.msg_type === "stream") text += content.text; };
        await future.done;
        return text;
    }""".replace("KERNEL", KERNEL), f"print({expression})")


def seconds_until(condition, limit=10.0):
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < limit, "it never happened"
        time.sleep(0.02)
    return time.monotonic() - start


def test_it_moves_while_other_cells_run(lab_page, lab):
    """From the moment that it is seen, to states that are known and to others; and the kernel follows."""
    harness.open_in_lab(lab_page, lab.url("busy.ipynb"))
    harness.start_all(lab_page)
    lab_page.locator(".ldp-panel .ldp-spine").first.wait_for()
    panel = lab_page.locator(".ldp-panel").first
    for name, presses in (("privacy α", 3), ("people n", 3)):
        handle = panel.get_by_role("slider", name=name, exact=True)
        for _ in range(presses):
            before = harness.picture(panel)
            handle.press("ArrowRight")
            seconds_until(lambda: harness.picture(panel) != before, 2.0)
    assert lab_page.evaluate("window.ended") is False, "all this happened while a cell ran"
    lab_page.wait_for_function("window.ended")
    said = lab_page.locator(".jp-OutputArea-output pre").last
    expect(said).to_have_text(re.compile(r"'alpha': 1\.41, 'n': 56200"))


def test_a_restarted_kernel_is_announced_and_the_cell_brings_it_back(lab_page, lab):
    panel = opened(lab_page, lab)
    lab_page.evaluate("() => { jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }")
    status = panel.locator(".ldp-status")
    assert seconds_until(lambda: "The kernel is gone" in status.inner_text()) < 3
    before = harness.picture(panel)
    first_slider(panel).press("ArrowRight")
    assert harness.picture(panel) != before, "known positions still move"
    panel.get_by_label("shape").select_option(label="product")
    expect(status).to_contain_text("This position is not known")
    expect(panel).to_have_class(re.compile("ldp-gone"))
    lab_page.wait_for_timeout(1500)
    again = opened(lab_page, lab)
    expect(again.locator(".ldp-status")).to_have_text("")


@pytest.mark.share(2)
@pytest.mark.parametrize("end", ["shutdown", "killed"])
def test_a_dead_kernel_is_announced(lab_page, lab, end):
    panel = opened(lab_page, lab)
    if end == "shutdown":
        lab_page.evaluate("() => { jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    else:
        lab_page.evaluate("""() => {
            const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
            kernel.requestExecute({ code: "import os; os.kill(os.getpid(), 9)" });
        }""")
    assert seconds_until(lambda: "The kernel is gone" in panel.locator(".ldp-status").inner_text()) < 5


@pytest.mark.share(2)
@pytest.mark.parametrize("silent", [False, True], ids=["closed", "dead for a while, then closed"])
def test_a_lost_connection_is_announced_and_heals(lab_page, lab, silent):
    """The browser goes offline and comes back: picture, slider and kernel agree, on the last hand's word."""
    panel = opened(lab_page, lab)
    if silent:  # what is sent from now on arrives nowhere, and nobody knows
        lab_page.evaluate(f"() => {{ {KERNEL}._ws.send = () => {{}}; }}")
        first_slider(panel).press("ArrowRight")
        harness.at_rest(panel)
    lab_page.evaluate(f"() => {{ {KERNEL}._ws.close(4000); }}")
    # JupyterLab reconnects at once; in between the panel may say so.
    if not silent:
        first_slider(panel).press("ArrowRight")
    lab_page.wait_for_function(f"() => {KERNEL}.connectionStatus === 'connected'")
    seconds_until(lambda: panel.locator(".ldp-status").inner_text() == "", 15)
    expect(first_slider(panel)).to_have_attribute("aria-valuetext", "1.12")
    lab_page.wait_for_timeout(1000)  # JupyterLab asks the kernel for the states that it had
    expect(first_slider(panel)).to_have_attribute("aria-valuetext", "1.12")
    assert "'alpha': 1.12" in printed(lab_page, "live.values")
    panel.get_by_label("shape").select_option(label="product")
    harness.at_rest(panel)
    assert "'alpha': 1.12" in (value := printed(lab_page, "live.values")) and "product" in value
    # What the host restores, even if it comes late, moves nothing; what the kernel moves does.
    printed(lab_page, "setattr(live, 'place', live._place(live.position()))")
    lab_page.wait_for_timeout(300)
    expect(first_slider(panel)).to_have_attribute("aria-valuetext", "1.12")
    printed(lab_page, "live.set(alpha=1.26)")
    expect(first_slider(panel)).to_have_attribute("aria-valuetext", "1.26")


@pytest.mark.ci  # it kills a JupyterLab of its own; a connection that closes is lost in each run
def test_a_dead_server_is_announced(browser, shelf, tmp_path):
    with (harness.server("lab", shelf, tmp_path) as where, harness.new_page(browser) as page):
        panel = opened(page, where)
        where.stop(at_once=True)
        assert seconds_until(lambda: panel.locator(".ldp-status").inner_text() != "", 6) < 5
        before = harness.picture(panel)
        first_slider(panel).press("ArrowRight")
        assert harness.picture(panel) != before


def test_a_reloaded_page_finds_its_panel_again(lab_page, lab):
    panel = opened(lab_page, lab)
    first_slider(panel).press("ArrowRight")
    harness.at_rest(panel)
    lab_page.evaluate("async () => { await jupyterapp.shell.currentWidget.context.save(); }")
    lab_page.reload()
    lab_page.locator(".ldp-panel .ldp-spine").first.wait_for()
    panel = lab_page.locator(".ldp-panel").first
    expect(first_slider(panel)).to_have_attribute("aria-valuetext", "1.12")
    before = harness.at_rest(panel)
    first_slider(panel).press("ArrowRight")
    assert harness.at_rest(panel) != before


def test_a_cell_run_twice_and_deleted_leaves_one_panel(desk):
    assert harness.run_next(desk, "demo.ipynb") == []
    assert harness.run_cells(desk) == []
    panels = harness.panels(desk, True)
    assert len(panels) == 1
    before = harness.picture(panels[0])
    first_slider(panels[0]).press("ArrowRight")
    assert harness.at_rest(panels[0]) != before


@pytest.fixture(scope="module")
def typed(browser, lab):
    """A panel that many keys are pressed in."""
    with harness.new_page(browser, height=900) as page:
        yield opened(page, lab)


@pytest.mark.parametrize("keys", ["00", "dd", "a", "ArrowDown", "x", "3"])
def test_keys_in_a_panel_never_reach_the_host(typed, keys):
    panel, page = typed, typed.page
    cells = page.locator(".jp-Cell").count()
    for focused in (first_slider(panel), panel.get_by_role("button", name="lecture size"), panel,
                    panel.locator(".ldp-handle").first):
        focused.focus()
        for key in keys if keys.islower() or keys.isdigit() else [keys]:
            page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.locator(".jp-Cell").count() == cells == 2
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    expect(panel).to_be_visible()


@pytest.fixture(scope="module")
def saved(browser, lab, shelf):
    """A notebook that was run and saved in JupyterLab, at another position than the first."""
    shutil.copy(shelf / "demo.ipynb", shelf / "saved.ipynb")
    with harness.new_page(browser) as page:
        panel = opened(page, lab, "saved.ipynb")
        first_slider(panel).press("ArrowRight")
        harness.at_rest(panel)
        page.evaluate("async () => { await jupyterapp.shell.currentWidget.context.save(); }")
        page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    return shelf / "saved.ipynb"


STILL = ".ldp-still img"


def check_still(page):
    """The picture is seen and has its words, and nothing complains that a model is missing."""
    image = page.locator(STILL).first
    expect(image).to_be_visible()
    expect(image).to_have_attribute("alt", re.compile("Ripples. With 10,000 people"))
    assert image.evaluate("node => node.naturalWidth") > 500
    assert "model not found" not in page.content() and "Loading widget" not in page.content()


@pytest.fixture
def windowing(lab):
    """Choose JupyterLab's way with cells outside the window, for one test."""
    yield lab.windowing
    lab.windowing()


WAYS = "full", *(pytest.param(way, marks=pytest.mark.ci) for way in ("defer", "none"))


@pytest.mark.parametrize("way", WAYS)
def test_a_saved_notebook_shows_its_picture_in_lab(page, saved, lab, windowing, way):
    windowing(way)
    harness.open_in_lab(page, lab.url(saved.name))
    assert page.evaluate("jupyterapp.shell.currentWidget.content.notebookConfig.windowingMode") == way
    check_still(page)


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.ci)  # servers of their own
                                        for name in ("notebook", "nbclassic")])
def other(request, shelf, tmp_path_factory):
    """Other hosts than JupyterLab."""
    with harness.server(request.param, shelf, tmp_path_factory.mktemp(request.param)) as running:
        yield running


def test_a_saved_notebook_shows_its_picture_in_other_hosts(page, saved, other):
    page.goto(other.url(saved.name))
    check_still(page)


def test_a_saved_notebook_shows_its_picture_in_nbconvert(page, saved, tmp_path):
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", tmp_path, saved],
                   check=True, capture_output=True)
    page.goto(f"data:text/html;base64,{base64.b64encode((tmp_path / 'saved.html').read_bytes()).decode()}")
    check_still(page)


def test_figures_have_their_words_where_readers_are(desk):
    """Those of matplotlib; JupyterLab drops the words of a bare image."""
    assert harness.run_next(desk, "figure.ipynb") == []
    image = desk.locator(".jp-OutputArea-output img").first
    expect(image).to_be_visible()
    expect(image).to_have_attribute("alt", re.compile("With 10,000 people the rate is"))


def test_a_panel_moves_in_windowed_lab_after_it_left_the_window(page, shelf, lab, windowing):
    """JupyterLab takes cells that are far from the window out of the page."""
    cells = [harness.REGISTERED, "live = panel('demo')\nlive", *["print('\\n' * 60)"] * 12]
    harness.write_notebook(shelf / "long.ipynb", *cells)
    windowing("full")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert harness.run(page, lab, "long.ipynb") == []
    scroll = "to => { jupyterapp.shell.currentWidget.content.scrollToItem(to, 'center'); }"
    for place in (12, 1):
        page.evaluate(scroll, place)
        page.wait_for_timeout(800)
    panel = page.locator(".ldp-panel").first
    panel.locator(".ldp-spine").first.wait_for()
    before = harness.at_rest(panel)
    first_slider(panel).press("ArrowRight")
    assert harness.at_rest(panel) != before


def test_arrow_keys_move_a_slider_in_other_hosts(page, other):
    page.set_viewport_size({"width": 1280, "height": 900})
    if other.application == "notebook":
        harness.open_in_lab(page, other.url("demo.ipynb"))
        harness.start_all(page)
    else:
        page.goto(other.url("demo.ipynb"))
        page.wait_for_function("() => window.Jupyter?.notebook?.kernel?.is_connected()")
        page.evaluate("() => { Jupyter.notebook.execute_all_cells(); }")
    panel = harness.panels(page, True)[0]
    before, handle = harness.picture(panel), first_slider(panel)
    handle.press("ArrowRight")
    assert harness.at_rest(panel) != before
    expect(handle).to_have_attribute("aria-valuetext", "1.12")
    expect(panel.locator(".ldp-status")).to_have_text("")  # no host's silence is taken for a dead kernel
    for key in "00":
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    expect(page.get_by_role("dialog")).to_have_count(0)

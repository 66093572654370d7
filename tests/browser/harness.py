"""A real browser, a real JupyterLab and a real Voilà for tests, screenshots and benchmarks.

Everything a server writes (settings, workspaces, runtime files, kernels' history) goes into a temporary
directory, and the browser may speak to 127.0.0.1 only, so that a notebook which fetches anything fails here.
"""

import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
from playwright.sync_api import expect, sync_playwright

from ldp_lib.check import chromium

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]
INPUTS = ".noUi-handle, select, input[type=checkbox]"
START_SECONDS = 60
RUN_SECONDS = 180
FRAME_SECONDS = 20


@contextlib.contextmanager
def browser():
    """Start the browser; its pages can reach this machine only."""
    with sync_playwright() as playwright:
        process = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield process
        finally:
            process.close()


@contextlib.contextmanager
def new_page(process, width=1280, height=1000, scale=1.0, theme="light"):
    """Open a page of `width` x `height` CSS pixels at device pixel ratio `scale`."""
    context = process.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale,
                                  color_scheme=theme)
    context.route(lambda url: not url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")),
                  lambda route: route.abort())
    context.set_default_timeout(1e3 * FRAME_SECONDS)
    try:
        yield context.new_page()
    finally:
        context.close()


class Server:
    """A JupyterLab or Voilà server on `directory`: `url(path)` is the address of a notebook in it."""

    def __init__(self, application, directory, home, theme="light"):
        self.application = application
        self._token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._log = home / f"{application}.log"
        environment = os.environ | {
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "jupyter"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "IPYTHONDIR": str(home / "ipython"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "browser")]),
        }
        common = ["--no-browser", f"--port={self._port}"]
        if application == "lab":
            write_settings(home / "settings", theme)
            command = ["jupyterlab", *common, "--allow-root", "--ServerApp.ip=127.0.0.1",
                       "--ServerApp.port_retries=0", "--ServerApp.jpserver_extensions=ldp_lib.server=True",
                       f"--IdentityProvider.token={self._token}",
                       f"--ServerApp.root_dir={directory}",
                       "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None",
                       "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
        else:
            command = ["voila", *common, "--Voila.ip=127.0.0.1", "--Voila.port_retries=0",
                       f"--theme={theme}", str(directory)]
        with self._log.open("w") as log:
            self._process = subprocess.Popen([sys.executable, "-m", *command], env=environment, stdout=log,
                                             stderr=subprocess.STDOUT, cwd=home, start_new_session=True)
        self._wait()

    def _wait(self):
        path = "/api/status" if self.application == "lab" else "/voila/static/"
        ready = f"http://127.0.0.1:{self._port}{path}"
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                urllib.request.urlopen(f"{ready}?token={self._token}", timeout=5).close()
                return
            except urllib.error.HTTPError:
                # It answers; that it does not list its static files is no matter.
                return
            except OSError:
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"{self.application} did not start; it wrote:\n{self._log.read_text()[-4000:]}")

    def url(self, path):
        """Address of the notebook at `path`, relative to the server's directory."""
        if self.application == "lab":
            return f"http://127.0.0.1:{self._port}/doc/tree/{path}?token={self._token}&reset"
        return f"http://127.0.0.1:{self._port}/voila/render/{path}"

    def stop(self):
        """Stop the server; it stops its kernels."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def server(application, directory, home, theme="light"):
    """Run a `Server` ("lab" or "voila") while the context is open."""
    running = Server(application, directory, home, theme)
    try:
        yield running
    finally:
        running.stop()


def write_settings(directory, theme="light"):
    """Keep JupyterLab quiet and let it render every cell, also those far from the window."""
    settings = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "apputils-extension/themes": {"theme": f"JupyterLab {theme.title()}"},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for name, content in settings.items():
        path = directory / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))


def write_notebook(path, *cells):
    """Write a notebook of code `cells`."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def run_in_lab(page, address):
    """Open the notebook at `address` in JupyterLab and run all cells; return its error outputs."""
    page.goto(address)
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.isReady",
                           timeout=1e3 * START_SECONDS)
    return page.evaluate(
        """async seconds => {
            const notebook = jupyterapp.shell.currentWidget;
            await notebook.context.ready;
            await notebook.sessionContext.ready;
            const late = new Promise(resolve => setTimeout(resolve, 1000 * seconds, "late"));
            const ended = await Promise.race([jupyterapp.commands.execute("notebook:run-all-cells"), late]);
            const errors = ended === "late" ? [`not finished after ${seconds} s`] : [];
            for (const cell of notebook.content.model.toJSON().cells)
                for (const output of cell.outputs ?? [])
                    if (output.output_type === "error") errors.push(`${output.ename}: ${output.evalue}`);
            return errors;
        }""", RUN_SECONDS)


def run_in_voila(page, address):
    """Open the notebook at `address` in Voilà, which runs it; return its error outputs."""
    page.goto(address, timeout=1e3 * RUN_SECONDS)
    page.wait_for_selector("body[data-voila='voila']", timeout=1e3 * RUN_SECONDS)
    # A cell that fails leaves a message of Voilà's in the place of its output, and nothing after it is run.
    return page.get_by_text("There was an error when executing cell").all_inner_texts()


def write_demo(directory):
    """Write the demo panel's notebook demo.ipynb, and twice.ipynb and broken.ipynb; return the first."""
    write_notebook(directory / "broken.ipynb", "1 / 0")
    registered = "from ldp_lib.live import PANELS, panel\nPANELS['demo'] = 'demo:Demo'"
    moved = "live = panel('demo')\nlive.set(n=178)"
    write_notebook(directory / "twice.ipynb", registered, moved, "live", "live")
    write_notebook(directory / "demo.ipynb", registered, "panel('demo')")
    return directory / "demo.ipynb"


def run(page, where, path):
    """Run the notebook at `path` on the server `where`; return its error outputs."""
    return (run_in_lab if where.application == "lab" else run_in_voila)(page, where.url(path))


def has_panel(notebook):
    """Does a code cell of the notebook at this path ask for a live panel?"""
    cells = nbformat.read(notebook, nbformat.NO_CONVERT).cells
    return any(cell.cell_type == "code" and "panel(" in cell.source for cell in cells)


def panels(page, expected):
    """Return the live panels of the page, each at rest at its first picture; wait if `expected`."""
    if expected:
        page.locator(".ldp-panel canvas").first.wait_for(timeout=1e3 * START_SECONDS)
        at_rest(page.locator(".ldp-panel").first)
    every = page.locator(".ldp-panel").all()
    for panel in every:
        panel.scroll_into_view_if_needed()
        expect(panel.locator("canvas")).to_have_attribute("aria-label", re.compile("."))
        at_rest(panel)
    return every


def at_rest(panel):
    """Wait until the picture has not changed for longer than a sharp frame waits; return what it shows."""
    return panel.evaluate("""async panel => {
        const canvas = panel.querySelector("canvas");
        const patience = Date.now() + 20000;
        let shown = canvas.toDataURL(), since = Date.now();
        while (Date.now() - since < 900 && Date.now() < patience) {
            await new Promise(resolve => setTimeout(resolve, 50));
            const now = canvas.toDataURL();
            if (now !== shown) [shown, since] = [now, Date.now()];
        }
        return [shown, panel.querySelector(".ldp-readout").textContent];
    }""")


def controls(panel):
    """Return the inputs of a panel: slider handles, dropdowns and checkboxes."""
    return panel.locator(".ldp-control").locator(INPUTS).all()


def move(control):
    """Move one control from the keyboard, as far as it goes, back and elsewhere; yield after every step."""
    kind = control.evaluate("node => node.tagName")
    control.scroll_into_view_if_needed()
    control.focus()
    if kind == "SELECT":
        for position in reversed(range(control.evaluate("node => node.options.length"))):
            if position != control.evaluate("node => node.selectedIndex"):
                control.select_option(index=position)
                yield
    elif kind == "INPUT":
        for _ in range(2):
            control.press("Space")
            yield
    else:
        low, high, now = (float(control.get_attribute(f"aria-value{end}")) for end in ("min", "max", "now"))
        far, near = ("End", "Home") if high - now >= now - low else ("Home", "End")
        # Also on the way back: beyond some position a control may be without effect.
        for key in [far, near] + 8 * ["ArrowLeft" if near == "End" else "ArrowRight"]:
            control.press(key)
            yield


def check_names(panel):
    """Picture and controls have accessible names; a control is called by the words beside it."""
    expect(panel.get_by_role("img")).to_have_accessible_name(re.compile("[a-z]"))
    for control in panel.locator(".ldp-control").all():
        words = "".join(control.locator(".widget-label, .widget-label-basic").all_inner_texts()).strip()
        expect(control.locator(INPUTS)).to_have_accessible_name(words)


def check_control(panel, control):
    """From the first picture, moving `control` changes picture and readout; no error shows, nothing jumps."""
    name = control.get_attribute("aria-label")
    panel.get_by_role("button", name="reset").click()
    before, size = at_rest(panel), panel.bounding_box()
    changed = [False, False]
    for _ in move(control):
        after = at_rest(panel)
        changed = [done or new != old for done, new, old in zip(changed, after, before)]
        expect(panel.get_by_role("alert")).to_have_count(0)
        moved = panel.bounding_box()
        assert abs(moved["height"] - size["height"]) <= 1, f"{name}: the panel jumped"
        assert abs(moved["width"] - size["width"]) <= 1, f"{name}: the panel jumped"
        if all(changed):
            return
    assert changed[0], f"{name}: the picture did not change"
    assert changed[1], f"{name}: the readout did not change"

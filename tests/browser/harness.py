"""A real browser and the real hosts of notebooks for tests, screenshots and benchmarks.

Everything a server writes (settings, workspaces, runtime files, kernels' history) goes into a temporary
directory, and the browser may speak to 127.0.0.1 only, so that a notebook which fetches anything fails here.
"""

import contextlib
import importlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from ldp_lib.check import chromium
from ldp_lib.live import PANELS

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
    # Not a route of Playwright: that asks this process about each request, and switches the cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Pages of the browser's own behind its address bar, made anew for each window, cost half a second each.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,AimEnabled,"
    # And what Playwright switches off, whose list this one replaces.
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DestroyProfileOnBrowserClose,LensOverlay,MediaRouter,"
    "OptimizationHints,PaintHolding,ThirdPartyStoragePartitioning,AvoidUnnecessaryBeforeUnloadCheckSync",
]
INPUTS = "input, select"
START_SECONDS = 60
RUN_SECONDS = 180
FRAME_SECONDS = 60
WATCHED = 100 if os.environ.get("LDP_FULL") else 0
"""Milliseconds in which a panel that says that it rests is watched: nothing may move."""


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
    context.set_default_timeout(1e3 * FRAME_SECONDS)
    expect.set_options(timeout=1e3 * FRAME_SECONDS)
    try:
        yield context.new_page()
    finally:
        context.close()


class Server:
    """A server on `directory`: `url(path)` is the address of a notebook in it.

    application : "lab" (JupyterLab), "notebook" (Notebook 7), "nbclassic", "marimo" (`directory` is one of
        its notebooks), "pages" (`directory` is that of `make site`), or "files" (any folder, as it is).
    python : whose application it is.
    """

    def __init__(self, application, directory, home, theme="light", python=sys.executable):
        self.application = application
        self._settings, self._theme = home / "settings", theme
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
        if application == "pages":
            command = ["ldp_lib.site.serve", f"--port={self._port}", "--processes=2", str(directory)]
        elif application == "files":
            command = ["http.server", "--bind=127.0.0.1", f"--directory={directory}", str(self._port)]
        elif application == "marimo":
            environment["XDG_CONFIG_HOME"] = str(home)
            command = ["marimo", "run", "--headless", "--no-token", "--host=127.0.0.1",
                       f"--port={self._port}", str(directory)]
        else:
            self.windowing()
            module = {"lab": "jupyterlab"}.get(application, application)
            command = [module, *common, "--allow-root", "--ServerApp.ip=127.0.0.1",
                       "--ServerApp.port_retries=0", f"--IdentityProvider.token={self._token}",
                       f"--ServerApp.root_dir={directory}"]
            if application == "lab":
                command += ["--ServerApp.jpserver_extensions=ldp_lib.server=True",
                            "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None",
                            "--LanguageServerManager.autodetect=False",
                            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
            if application == "notebook":
                command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
        with self._log.open("w") as log:
            self._process = subprocess.Popen([python, "-m", *command], env=environment, stdout=log,
                                             stderr=subprocess.STDOUT, cwd=home, start_new_session=True)
        self._wait()

    def _wait(self):
        path = "/" if self.application in ("pages", "files", "marimo") else "/api/status"
        ready = f"http://127.0.0.1:{self._port}{path}"
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                urllib.request.urlopen(f"{ready}?token={self._token}", timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"{self.application} did not start; it wrote:\n{self._log.read_text()[-4000:]}")

    def windowing(self, way="none"):
        """Have JupyterLab's next page treat cells outside the window so: "none", "defer" or "full"."""
        write_settings(self._settings, self._theme, way)

    def url(self, path):
        """Address of the notebook at `path`, relative to the server's directory, or of its page."""
        if self.application in ("files", "marimo"):
            return f"http://127.0.0.1:{self._port}/{path}"
        if self.application == "pages":
            return f"http://127.0.0.1:{self._port}/notebooks/{path.removesuffix('.ipynb')}.html"
        place = {"lab": "doc/tree", "notebook": "notebooks",
                 "nbclassic": "nbclassic/notebooks"}[self.application]
        query = f"?token={self._token}" + "&reset" * (self.application == "lab")
        return f"http://127.0.0.1:{self._port}/{place}/{path}{query}"

    @property
    def lecturers(self):
        """The address with the key, which pages print for whoever opens polls."""
        return re.search(r"http\S+#key=\S+", self._log.read_text())[0]

    def stop(self, at_once=False):
        """Stop the server; it stops its kernels, unless it is killed `at_once`."""
        if at_once:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def server(*arguments, **options):
    """Run a `Server` while the context is open."""
    running = Server(*arguments, **options)
    try:
        yield running
    finally:
        running.stop()


def write_settings(directory, theme="light", windowing="none"):
    """Keep JupyterLab quiet; without windowing it renders every cell, also those far from the window."""
    settings = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "apputils-extension/themes": {"theme": f"JupyterLab {theme.title()}"},
        "notebook-extension/tracker": {"windowingMode": windowing},
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


def open_in_lab(page, address):
    """Open the notebook at `address` in JupyterLab and wait until it can be run."""
    page.goto(address)
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.isReady",
                           timeout=1e3 * START_SECONDS)
    page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.ready; }")


def start_all(page):
    """Begin to run all cells; `window.ended` says when they have been run."""
    page.evaluate("""() => {
        window.ended = false;
        jupyterapp.commands.execute("notebook:run-all-cells").then(() => { window.ended = true; });
    }""")


def run_in_lab(page, address):
    """Open the notebook at `address` in JupyterLab and run all cells; return its error outputs."""
    open_in_lab(page, address)
    return run_cells(page)


def run_next(page, path):
    """In the JupyterLab of `page`, close the open notebook and run the one at `path`; return its errors."""
    page.evaluate("""async (path) => {
        const before = jupyterapp.shell.currentWidget;
        await before.sessionContext.shutdown();
        before.dispose();
        const { context, sessionContext } = await jupyterapp.commands.execute("docmanager:open", { path });
        await context.ready;
        await sessionContext.ready;
    }""", path)
    return run_cells(page)


def run_cells(page):
    """Run all cells of the notebook that is open in JupyterLab; return its error outputs."""
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


REGISTERED = "from ldp_lib.live import PANELS, panel\nPANELS['demo'] = 'demo:Demo'"


def write_demo(directory):
    """Write notebooks with the demo panel, and one that fails."""
    write_notebook(directory / "broken.ipynb", "1 / 0")
    moved = "live = panel('demo')\nlive.set(n=178)"
    write_notebook(directory / "twice.ipynb", REGISTERED, moved, "live", "live")
    write_notebook(directory / "demo.ipynb", REGISTERED, "live = panel('demo')\nlive")
    write_notebook(directory / "figure.ipynb", REGISTERED, "panel('demo').static()")
    write_notebook(directory / "laboratory.ipynb", "from ldp_lib.live import panel\npanel('laboratory')")
    write_notebook(directory / "pair.ipynb", REGISTERED, "panel('demo')", "panel('demo', n=178)")
    busy = ("import time\nstart = time.time()\n"
            "while time.time() - start < 6: sum(range(1000))\nprint(live.values)")
    write_notebook(directory / "busy.ipynb", REGISTERED, "live = panel('demo')\nlive", busy)


def run(page, where, path):
    """Run the notebook at `path` on the server `where`, or open its page; return its error outputs."""
    if where.application != "pages":
        return run_in_lab(page, where.url(path))
    page.goto(where.url(path))
    for place in page.locator(".ldp-still[data-link]").all():  # a panel moves in when somebody comes near
        place.scroll_into_view_if_needed()
        place.locator(".ldp-spine").first.wait_for()
    return page.locator(".cell_output .stderr, .cell_output .traceback").all_inner_texts()


def shown_panels(notebook):
    """The names of the live panels that code cells of the notebook at this path ask for, once each."""
    cells = nbformat.read(notebook, nbformat.NO_CONVERT).cells
    found = (re.findall(r"""\bpanel\(["'](\w+)""", cell.source) for cell in cells if cell.cell_type == "code")
    return list(dict.fromkeys(name for names in found for name in names))


def write_panels(notebook, path):
    """Write at `path` the cells of the notebook at `notebook` that show panels, and no others."""
    cells = nbformat.read(notebook, nbformat.NO_CONVERT).cells
    write_notebook(path, *(cell.source for cell in cells
                           if cell.cell_type == "code" and re.search(r"\bpanel\(", cell.source)))


def has_panel(notebook):
    """Does a code cell of the notebook at this path ask for a live panel?"""
    return bool(shown_panels(notebook))


def title(name):
    """The title of the panel of this name."""
    module, _, kind = PANELS[name].partition(":")
    return getattr(importlib.import_module(module), kind).title


def panels(page, expected):
    """Return the live panels of the page, each with its first picture; wait if `expected`."""
    if expected:
        page.locator(".ldp-panel .ldp-spine").first.wait_for(timeout=1e3 * START_SECONDS)
    every = page.locator(".ldp-panel").all()
    for panel in every:
        panel.scroll_into_view_if_needed()
        expect(panel.locator(".ldp-figure")).to_have_attribute("aria-label", re.compile("."))
        at_rest(panel)
    return every


SHOWN = """panel => {
    const drawn = panel.querySelector(".ldp-figure").innerHTML.replaceAll(/ldp-[0-9a-z]+-\\d+/g, "");
    let hash = [17, 23];
    for (let k = 0; k < drawn.length; k++) {
        hash[0] = Math.imul(hash[0] ^ drawn.charCodeAt(k), 2654435761);
        hash[1] = Math.imul(hash[1] ^ drawn.charCodeAt(k), 1597334677) + hash[0] | 0;
    }
    return [`${drawn.length} ${hash}`, panel.querySelector(".ldp-readout").textContent];
}"""
"""A picture by its fingerprint, since whole ones take most of their time on the way here; and the readout."""

RESTING = f"""async (panel, [limit, watched]) => {{
    const shown = {SHOWN}, start = performance.now();
    // A frame with all that it lays out: a new size of the window is known to panels after it.
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    do {{
        await frame();
        if (performance.now() - start > limit) throw new Error(`no rest in ${{limit}} ms`);
    }} while (!panel.ldpRests());
    const last = shown(panel);
    if (watched) await new Promise((resolve, failed) => {{
        const watch = new MutationObserver(() => {{
            if (String(shown(panel)) !== String(last)) failed(new Error("it said that it rests, and moved"));
        }});
        watch.observe(panel, {{ subtree: true, childList: true, attributes: true, characterData: true }});
        setTimeout(() => {{
            watch.disconnect();
            resolve();
        }}, watched);
    }});
    return last;
}}"""


def until(page, condition, limit=30_000):
    """Wait until an expression of a page or a frame is true, for `limit` ms.

    Playwright's own wait asks a second time by `eval`, which the policy of served pages forbids.
    """
    page.evaluate(f"""limit => new Promise((come, failed) => {{
        const start = performance.now();
        (function look() {{
            if ({condition}) come();
            else if (performance.now() - start > limit) failed(new Error(`not in ${{limit}} ms`));
            else setTimeout(look, 20);
        }})();
    }})""", limit)


def picture(panel):
    """What a panel shows: the fingerprint of its picture with its words, and its readout."""
    return panel.evaluate(SHOWN)


def at_rest(panel):
    """Wait until the panel says that it rests; return what it shows."""
    return panel.evaluate(RESTING, [1e3 * FRAME_SECONDS, WATCHED])


def controls(panel):
    """Return the inputs that a panel shows: sliders, dropdowns and checkboxes."""
    return panel.locator(".ldp-control:not([hidden])").locator(INPUTS).all()


def is_story(panel):
    """Has the panel scenes with views of their own?"""
    return panel.evaluate("node => node.classList.contains('ldp-story')")


def scenes(panel):
    """Go from scene to scene; yield the name of each."""
    chooser = panel.locator(".ldp-scenes")
    for option in chooser.locator("option").all():
        if option.get_attribute("value") != "-1":
            chooser.select_option(option.get_attribute("value"))
            at_rest(panel)
            yield option.inner_text()


def move(control):
    """Move one control from the keyboard, as far as it goes, back and elsewhere; yield after every step."""
    kind = control.evaluate("node => node.type")
    control.scroll_into_view_if_needed()
    control.focus()
    if kind == "select-one":
        for position in reversed(range(control.evaluate("node => node.options.length"))):
            if position != control.evaluate("node => node.selectedIndex"):
                control.select_option(index=position)
                yield
    elif kind == "checkbox":
        for _ in range(2):
            control.press("Space")
            yield
    else:
        low, high, now = (float(control.evaluate(f"node => node.{end}")) for end in ("min", "max", "value"))
        far, near = ("End", "Home") if high - now >= now - low else ("Home", "End")
        # Also on the way back: beyond some position a control may be without effect.
        for key in [far, near] + 8 * ["ArrowLeft" if near == "End" else "ArrowRight"]:
            control.press(key)
            yield


def check_names(panel):
    """Panel, picture and controls have accessible names; a control is called by the words beside it."""
    expect(panel).to_have_accessible_name(re.compile("[a-z]"))
    expect(panel.locator(".ldp-figure")).to_have_accessible_name(re.compile("[a-z]"))
    for control in panel.locator(".ldp-control:not([hidden])").all():
        expect(control.locator(INPUTS)).to_have_accessible_name(control.locator("label").inner_text())


LABEL_IN_NAME = "label-content-name-mismatch"
"""A rule of axe that is off by itself."""


def check_accessible(page, context=None, **options):
    """Whatever axe finds is a failure; to describe what passes would take it most of its time.

    Who speaks to a browser says the words on a button: they must be in its name.
    """
    rules = {LABEL_IN_NAME: {"enabled": True}} | options.pop("rules", {})
    axe = Axe("0") if page.evaluate("'axe' in window") else Axe()  # a page reads it once
    found = axe.run(page, context, options | {"resultTypes": ["violations"], "rules": rules}).response
    wrong = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found["violations"]]
    assert not wrong, wrong
    assert found["passes"], "axe has looked at nothing"


SMALLEST = 14
"""CSS pixels of the smallest letter of a panel."""
HOST = 112
"""CSS pixels of a window's height that JupyterLab's bars need."""

# Letters that are too small, words over words, words that are cut, a large number in lines, plots without
# room, and scroll bars.
UNREADABLE = """(panel, least) => {
    const wrong = [], seen = node => node.getClientRects().length && !node.closest(".ldp-spoken");
    for (const node of panel.querySelectorAll("*"))
        if (seen(node) && [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())
            && parseFloat(getComputedStyle(node).fontSize) < least - 0.01)
            wrong.push(["small", node.textContent]);
    for (const plot of panel.querySelectorAll(".ldp-plot")) {
        if (!seen(plot)) continue;
        const room = plot.getBoundingClientRect();
        if (Math.min(room.width, room.height) < 70) wrong.push(["no room", room.width, room.height]);
        const words = [...plot.querySelectorAll("text")]
            .map(node => [node.textContent, node.getBoundingClientRect()]);
        const written = new Set(words.map(([one]) => one));
        for (const name of plot.dataset.names.split("|"))
            if (name && !written.has(name)) wrong.push(["dropped", name]);
        words.forEach(([one, a], k) => {
            if (a.left < room.left - 2 || a.right > room.right + 2
                || a.top < room.top - 2 || a.bottom > room.bottom + 2)
                wrong.push(["cut", one]);
            for (const [other, b] of words.slice(k + 1))
                if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
                    wrong.push(["overlap", one, other]);
        });
        // A label beside a bar's end is not pushed back over it.
        const ends = [...plot.querySelectorAll("path.ldp-area")].flatMap(path => [...path.getAttribute("d")
            .matchAll(/M(\\S+) (\\S+)H(\\S+)V(\\S+)H\\S+z/g)].map(found => found.slice(1).map(Number)));
        for (const node of plot.querySelectorAll(".ldp-mark text[text-anchor=start]")) {
            const [x, box] = [Number(node.getAttribute("x")), node.getBBox()], y = box.y + box.height / 2;
            if (ends.some(([x0, y0, x1, y1]) => x0 < x && x < x1 - 2 && x1 < x + box.width
                                                && Math.min(y0, y1) < y && y < Math.max(y0, y1)))
                wrong.push(["over the end of a bar", node.textContent]);
        }
    }
    for (const node of panel.querySelectorAll(".ldp-header .ldp-readout > :first-child b"))
        if (node.getClientRects().length > 1) wrong.push(["in lines", node.textContent]);
    for (const node of panel.querySelectorAll(
        ".ldp-key span, .ldp-title, .ldp-label, .ldp-control, .ldp-formula, output"))
        if (seen(node) && node.scrollWidth > node.clientWidth + 1
            && getComputedStyle(node).display !== "inline")
            wrong.push(["wide", node.textContent]);
    if (panel.scrollWidth > panel.clientWidth || panel.scrollHeight > panel.clientHeight)
        wrong.push(["scrolls", panel.scrollHeight - panel.clientHeight]);
    return wrong;
}"""


LOOKED_AT = f"""async (panel, [limit, watched, least]) => {{
    await ({RESTING})(panel, [limit, watched]);
    const [narrow, lecture] = ["narrow", "lecture"].map((kind) => panel.classList.contains(`ldp-${{kind}}`));
    return [({UNREADABLE})(panel, least), narrow, lecture, panel.getBoundingClientRect().height];
}}"""
"""At rest: what cannot be read, and what decides how much room there is."""


def check_readable(panel, least=SMALLEST):
    """Nothing of the panel is too small, cut, or over something else, and all of it fits the window."""
    wrong, narrow, lecture, height = panel.evaluate(LOOKED_AT, [1e3 * FRAME_SECONDS, WATCHED, least])
    assert wrong == [], wrong
    size = panel.page.viewport_size
    if not narrow and (size["width"] > 640 or size["height"] < 480):
        assert height <= size["height"] - (0 if lecture else HOST)


def reset(panel):
    """Press the reset button; return what the panel shows then."""
    panel.get_by_role("button", name="reset").click()
    return at_rest(panel)


MOVED = f"""async (panel, patience) => {{
    const shown = await ({RESTING})(panel, patience), {{ width, height }} = panel.getBoundingClientRect();
    const error = panel.querySelector(".ldp-error");
    return [shown, error.getClientRects().length ? error.textContent : "", [width, height]];
}}"""
"""At rest: what is shown, the error that is seen, and the panel's size."""


def check_control(panel, control):
    """From the first picture, moving `control` changes picture and readout; no error shows, nothing jumps."""
    name = control.evaluate("node => node.id")
    reset(panel)
    before, _, size = panel.evaluate(MOVED, [1e3 * FRAME_SECONDS, WATCHED])
    changed = [False, False]
    for _ in move(control):
        after, error, moved = panel.evaluate(MOVED, [1e3 * FRAME_SECONDS, WATCHED])
        changed = [done or new != old for done, new, old in zip(changed, after, before)]
        assert not error, error
        assert all(abs(now - then) <= 1 for now, then in zip(moved, size)), f"{name}: the panel jumped"
        if all(changed):
            return
    assert changed[0], f"{name}: the picture did not change"
    assert changed[1], f"{name}: the readout did not change"

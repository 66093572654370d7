"""Panels in other people's pages, as `examples/embedding` has them: a blog, slides, and a page of a course.

They stand on another server than the panels. Tools are installed by name and used as docs/site/embed.md says,
in the versions that it says were tried.
"""

import contextlib
import functools
import http.server
import json
import re
import shutil
import subprocess
import threading

import harness
import pytest
from playwright.sync_api import expect

from ldp_lib.site import COMPUTES, embed

EXAMPLES = harness.ROOT / "examples" / "embedding"
SITE = "https://example.org/privacy/"
DRAWS = "@myst-theme/anywidget@1.4.1", "react@18.3.1", "react-dom@18.3.1", "esbuild@0.28.2"
"""Besides myst-to-react, what the themes of MyST draw with; the themes are in no package registry."""

DRAWN = """
import React from "react";
import { createRoot } from "react-dom/client";
import { ThemeProvider } from "@myst-theme/providers";
import { ANY_RENDERERS } from "@myst-theme/anywidget";
import { DEFAULT_RENDERERS, MyST } from "myst-to-react";
import { mdast } from "./_build/site/content/course.json";

const renderers = { ...DEFAULT_RENDERERS, ...ANY_RENDERERS };
createRoot(document.querySelector("main")).render(
  <ThemeProvider renderers={renderers}><MyST ast={mdast.children} /></ThemeProvider>);
"""
PAGE = """<!doctype html>
<title>A course</title>
<style>.relative { position: relative; } .inline-block { display: inline-block; }</style>
<main></main>
<script type="module" src="course.js"></script>
"""


@contextlib.contextmanager
def served(folder):
    """The address at which files of `folder` are served meanwhile."""
    files = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@pytest.fixture
def abroad(site, tmp_path):
    """The examples in a folder of somebody else's, which is served at the address beside it."""
    with served(site) as panels, served(tmp_path) as address:
        for path in EXAMPLES.iterdir():
            (tmp_path / path.name).write_text(path.read_text(encoding="utf-8").replace(SITE, panels))
        yield tmp_path, address


def tried(name):
    """The package of npm in the version that the page says was tried."""
    page = (harness.ROOT / "docs" / "site" / "embed.md").read_text(encoding="utf-8")
    return f"{name}@{re.search(re.escape(name) + ' ([0-9]+[.][0-9]+[.][0-9]+)', page)[1]}"


def install(folder, *packages):
    """Install packages of npm in `folder`."""
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages], check=True)


@contextlib.contextmanager
def visit(browser, address, width, height):
    """A window at `address`; whatever it or its frames ask for is on this machine."""
    with harness.new_page(browser, width=width, height=height) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        yield page
        assert [url for url in asked if not url.startswith(("http://127.0.0.1:", "data:", "blob:"))] == []


def at_rest(page, count):
    """The frames of the page, `count` of them, each at rest."""
    every = page.locator("iframe")
    every.nth(count - 1).wait_for(state="attached")
    found = [handle.content_frame() for handle in every.element_handles()]
    for frame in found:
        harness.until(frame, "window.ldpRests?.()")
    return found


def panel(frame):
    return frame.locator(".ldp-panel")


def check_height(frame):
    """The frame is as high as its page, which can be read and does not scroll."""
    needed = frame.evaluate("document.documentElement.offsetHeight")
    harness.until(frame, f"innerHeight === {needed} && ldpRests()")
    assert panel(frame).evaluate(harness.UNREADABLE, harness.SMALLEST) == []
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight"), "it scrolls"


def check_moves(frame, others):
    """A slider of the panel moves its picture, and nothing in the `others`."""
    before, beside = harness.picture(panel(frame)), [harness.picture(panel(each)) for each in others]
    panel(frame).get_by_role("slider").first.press("ArrowRight")
    assert harness.at_rest(panel(frame))[0] != before[0], "the picture did not change"
    assert [harness.picture(panel(each)) for each in others] == beside, "another panel changed"


STYLES = """panel => [panel, ...panel.querySelectorAll("*")].map(node => {
    const { font, letterSpacing, color, display } = getComputedStyle(node);
    return [font, letterSpacing, color, display].join();
})"""


def test_three_panels_in_a_rude_page(browser, abroad):
    _, address = abroad
    with visit(browser, f"{address}blog.html", 760, 3000) as page:
        found = at_rest(page, 3)
        for frame in found:
            check_height(frame)
            with harness.new_page(browser, frame.evaluate("innerWidth"), 3000) as alone:
                alone.goto(frame.url)
                harness.at_rest(panel(alone))
                assert panel(frame).evaluate(STYLES) == panel(alone).evaluate(STYLES), "styles went in"
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).font").startswith("30px")
        here, before = page.url, page.evaluate("history.length")
        panel(found[2]).locator(".ldp-questions button").first.click()
        harness.at_rest(panel(found[2]))
        for frame in found:
            check_moves(frame, [other for other in found if other is not frame])
        kept = [json.loads(frame.evaluate("localStorage['ldp-answers']")) for frame in found]
        assert [list(answers) for answers in kept] == 3 * [["elbow"]]
        page.locator("h1").click()
        page.keyboard.press("l")
        assert [frame.locator(".ldp-lecture").count() for frame in found] == [0, 0, 0], "a key went in"
        assert page.evaluate("localStorage.length") == 0
        assert (page.url, page.evaluate("history.length")) == (here, before), "the address around changed"


@pytest.mark.ci
def test_slides_of_reveal(browser, abroad):
    folder, address = abroad
    install(folder, tried("reveal.js"))
    with visit(browser, f"{address}slides.html", 1280, 720) as page:
        page.wait_for_function("Reveal.isReady()")
        found = at_rest(page, 2)
        for number, frame in enumerate(found, 1):
            page.locator(".navigate-right").click()
            page.wait_for_function("number => Reveal.getIndices().h === number", arg=number)
            # A focus in a slide that is on its way scrolls the deck, which reveal.js mends once a second.
            page.wait_for_function("document.getAnimations().length === 0")
            check_height(frame)
            check_moves(frame, [other for other in found if other is not frame])
            assert page.evaluate("Reveal.getIndices().h") == number, "a key of the panel turned the slide"
            box = frame.frame_element().bounding_box()
            left, right = box["x"], box["x"] + box["width"]
            assert box["y"] >= 0 and box["y"] + box["height"] <= 720, "the window cuts it"
            arrows = [arrow.bounding_box() for arrow in page.locator(".controls .enabled").all()]
            assert arrows
            beside = [arrow["x"] + arrow["width"] <= left or arrow["x"] >= right for arrow in arrows]
            assert all(beside), (box, arrows)
        page.mouse.click(5, 700)  # beside the panel, whose focus ends
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("Reveal.getIndices().h === 1")


@pytest.mark.ci
def test_a_course_page_of_myst(browser, abroad):
    folder, address = abroad
    install(folder, tried("mystmd"), tried("myst-to-react"), *DRAWS)
    # A theme that is not here would be fetched from outside, so there is an empty one.
    (folder / "template.yml").write_text("jtex: v1\ntitle: none\n")
    (folder / "myst.yml").write_text("version: 1\nproject: {title: All}\nsite: {template: ./template.yml}\n")
    subprocess.run(["node_modules/.bin/myst", "build", "--site", "--ci"], cwd=folder, check=True)
    (folder / "course.jsx").write_text(DRAWN)
    bundle = "--bundle", "--format=esm", '--define:process.env.NODE_ENV="production"', "--outfile=course.js"
    subprocess.run(["node_modules/.bin/esbuild", "course.jsx", *bundle], cwd=folder, check=True)
    shutil.copytree(folder / "_build" / "site" / "public", folder, dirs_exist_ok=True)
    (folder / "index.html").write_text(PAGE)
    with visit(browser, address, 800, 3000) as page:
        found = at_rest(page, 3)
        for frame in found[1:]:  # that of MyST's own comes first: widgets stand in trees of their own
            check_height(frame)
        for frame in found:
            check_moves(frame, [other for other in found if other is not frame])



def test_a_page_of_its_own_is_dark_where_its_reader_is_and_a_frame_is_not(browser, site):
    with served(site) as address, harness.new_page(browser, theme="dark") as page:
        page.goto(f"{address}embed/elbow.html")
        expect(page.locator(".ldp-panel")).to_have_attribute("data-theme", "dark")
        harness.check_accessible(page)
        page.set_content('<iframe src="/embed/elbow.html" style="width: 760px; height: 700px"></iframe>')
        frame, = at_rest(page, 1)
        expect(panel(frame)).to_have_attribute("data-theme", "light")


def test_a_low_frame_hides_nothing(browser, site):
    """A host that fits a frame to what it holds begins with a low one: it would stay low."""
    with served(site) as address, harness.new_page(browser) as page:
        page.goto(f"{address}404.html")
        page.set_content('<iframe src="/embed/laboratory.html" style="width: 760px; height: 150px"></iframe>')
        frame, = at_rest(page, 1)
        expect(panel(frame).locator(".ldp-readout")).to_have_css("display", "flex")
        page.set_viewport_size({"width": 760, "height": 300})
        page.goto(f"{address}embed/laboratory.html")
        expect(page.locator(".ldp-readout")).to_have_css("display", "none")


@pytest.mark.parametrize("name", ["embed/elbow", "notebooks/02_universal_consistency"])
def test_any_server_has_all_that_a_page_asks_for(browser, site, name):
    """Also the answer whether states are computed there: a missing file would be an error on the console."""
    asked = []
    with served(site) as address, harness.new_page(browser) as page:
        page.on("response", lambda answer: asked.append((answer.status, answer.url)))
        page.goto(f"{address}{name}.html")
        harness.panels(page, True)
        page.wait_for_load_state("networkidle")
    assert any(url.endswith(COMPUTES) for _, url in asked)
    assert [url for status, url in asked if status >= 400] == []


def test_one_file_moves_from_a_disk_and_asks_for_nothing(browser, tmp_path):
    path = tmp_path / "alone.html"
    path.write_text(embed.alone("price", sample=True), encoding="utf-8")
    with harness.new_page(browser) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        harness.until(page, "window.ldpRests?.()")
        page.locator(".ldp-panel button", has_text="›").first.click()
        harness.until(page, "ldpRests()")
        assert page.locator(".ldp-panel select").first.input_value() != "0"
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]

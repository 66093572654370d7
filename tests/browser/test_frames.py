"""Panels in a foreign page: they move, they tell their heights, and no style or key goes in or out."""

import contextlib
import io

import harness
import pytest

from ldp_lib.live import panel
from ldp_lib.site import embed

ADDRESSES = "consistency?scene=half+the+budget", "elbow?scene=lever", "start?scene=cast"
HOSTILE = "* { color: red !important; font: 9px serif !important; } svg, button { display: none !important; }"


@pytest.fixture
def foreign(site):
    """A page of somebody else's, in the folder of the built ones, with three panels."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for address in ADDRESSES:
            panel(address).embed()
    page = site / "foreign.html"
    page.write_text(f"<!doctype html><title>A blog</title><style>{HOSTILE}</style><h1>A blog</h1>\n"
                    f"{printed.getvalue()}<p>The end.</p>", encoding="utf-8")
    yield page
    page.unlink()


def frames(page):
    """The panels' frames, in their order, each at rest."""
    found = [each for each in page.frames if each.parent_frame]
    for frame in found:
        frame.wait_for_function("window.ldpRests?.()")
    return found


def test_three_panels_in_a_foreign_page(browser, foreign):
    with harness.new_page(browser) as page:
        page.set_viewport_size({"width": 900, "height": 3000})
        page.goto(foreign.as_uri())
        page.wait_for_function("document.querySelectorAll('iframe').length === 3")
        first, second, third = frames(page)
        heights = "[...document.querySelectorAll('iframe')].map((each) => each.clientHeight)"
        needed = [frame.evaluate("document.documentElement.offsetHeight") for frame in (first, second, third)]
        page.wait_for_function(f"needed => String({heights}) === String(needed)", arg=needed)
        for frame in (first, second, third):
            assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight"), "it would scroll"
            button = frame.locator(".ldp-panel button").first
            assert button.is_visible()
            assert button.evaluate("node => getComputedStyle(node).color") != "rgb(255, 0, 0)"
        assert first.url.endswith("#scene=half+the+budget")
        before = [frame.locator(".ldp-panel").inner_text() for frame in (second, third)]
        first.get_by_role("slider").first.focus()
        page.keyboard.press("ArrowLeft")
        first.wait_for_function("window.ldpRests()")
        assert [frame.locator(".ldp-panel").inner_text() for frame in (second, third)] == before
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(255, 0, 0)"
        assert not page.url.partition("#")[2], "the address of the page around is its own"


def test_one_file_moves_from_a_disk_and_asks_for_nothing(browser, tmp_path):
    path = tmp_path / "alone.html"
    path.write_text(embed.alone("price", sample=True), encoding="utf-8")
    with harness.new_page(browser) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_function("window.ldpRests?.()")
        page.locator(".ldp-panel button", has_text="›").first.click()
        page.wait_for_function("window.ldpRests()")
        assert page.locator(".ldp-panel select").first.input_value() != "0"
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]

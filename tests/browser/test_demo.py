"""The engine in a real browser, on the demo panel: what the tests of the notebooks rely on."""

import re

import harness
import pytest
from playwright.sync_api import expect


@pytest.fixture
def demo(page, where):
    assert harness.run(page, where, "demo.ipynb") == []
    panel, = harness.panels(page)
    return panel


def test_controls_move_picture_and_readout(demo):
    harness.check_names(demo)
    for control in harness.controls(demo):
        if control.evaluate("node => node.tagName") != "SELECT":
            harness.check_control(demo, control)


def test_a_failing_callback_is_shown_and_the_picture_stays(demo):
    before = harness.at_rest(demo)
    demo.get_by_label("shape").select_option("broken")
    expect(demo.get_by_role("alert")).to_contain_text("ArithmeticError: this shape always fails")
    expect(demo.get_by_role("alert")).to_contain_text("at privacy α = 1, people n = 10,000")
    assert harness.at_rest(demo) == before
    demo.get_by_label("shape").select_option("product")
    expect(demo.get_by_role("alert")).to_have_count(0)
    assert harness.at_rest(demo) != before


def test_reset_restores_the_first_picture(demo):
    before = harness.at_rest(demo)
    handle = demo.get_by_role("slider").first
    handle.focus()
    for _ in range(5):
        handle.press("ArrowRight")
    assert harness.at_rest(demo) != before
    demo.get_by_role("button", name="reset").click()
    assert harness.at_rest(demo) == before


def test_readout_is_spoken(demo):
    handle = demo.get_by_role("slider", name="people n")
    expect(handle).to_have_attribute("aria-valuetext", "10,000")
    handle.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "17,800")
    expect(demo.get_by_role("status")).to_have_text(re.compile("people: 17,800"))
    expect(demo.get_by_role("img")).to_have_accessible_name(re.compile("With 17,800 people"))


@pytest.mark.parametrize("width", [1280, 700])
def test_labels_are_never_cut(demo, page, width):
    page.set_viewport_size({"width": width, "height": 900})
    harness.at_rest(demo)
    for text in demo.locator(".ldp-control .widget-label, .ldp-control .widget-readout").all():
        assert text.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), text.inner_text()
    assert demo.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), "the panel fits its cell"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_picture_is_sharp_at_rest(browser, where, scale):
    with harness.new_page(browser, width=1280, scale=scale) as page:
        assert harness.run(page, where, "demo.ipynb") == []
        panel, = harness.panels(page)
        shown, drawn = panel.locator("canvas").evaluate("node => [node.clientWidth * devicePixelRatio, node.width]")
        assert drawn >= min(2000, 0.95 * shown)

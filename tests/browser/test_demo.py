"""The engine in a real browser, on the demo panel: what the tests of the notebooks rely on."""

import re

import harness
import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def opened(browser, where):
    """The panel, opened once on each server."""
    with harness.new_page(browser) as page:
        assert harness.run(page, where, "demo.ipynb") == []
        yield harness.panels(page, True)[0]


@pytest.fixture
def demo(opened):
    """The panel at its first picture."""
    opened.page.set_viewport_size({"width": 1280, "height": 1000})
    opened.get_by_role("button", name="reset").click()
    harness.at_rest(opened)
    return opened


def test_a_failing_cell_is_noticed(page, where):
    assert len(harness.run(page, where, "broken.ipynb")) == 1


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


def test_reset_wins_over_a_key_that_is_held(demo):
    """Presses and the click come before the kernel's answer to the first press, as while a key repeats."""
    before = harness.at_rest(demo)
    demo.evaluate("""panel => {
        const press = { key: "ArrowRight", bubbles: true, cancelable: true };
        for (const handle of panel.querySelectorAll(".noUi-handle"))
            for (let repeats = 0; repeats < 6; repeats++)
                handle.dispatchEvent(new KeyboardEvent("keydown", press));
        panel.querySelector(".ldp-controls button").click();
    }""")
    assert harness.at_rest(demo) == before
    for handle, text in zip(demo.get_by_role("slider").all(), ("1", "10,000"), strict=True):
        expect(handle).to_have_attribute("aria-valuetext", text)


def test_the_last_value_wins(demo):
    """After a drag faster than frames can follow, picture and readout are those of the slider."""
    handle = demo.get_by_role("slider", name="people n")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = demo.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(1, 61):
        mouse.move(x + step, y)
    mouse.up()
    harness.at_rest(demo)
    people = handle.get_attribute("aria-valuetext")
    assert people != "10,000"
    expect(demo.get_by_role("img")).to_have_accessible_name(re.compile(f"With {people} people"))
    expect(demo.locator(".ldp-readout")).to_contain_text(f"people {people}")


def test_two_views_show_the_same(page, where):
    """Both open after the panel has moved, when the newest frame says no more than what changed."""
    assert harness.run(page, where, "twice.ipynb") == []
    first, second = harness.panels(page, True)
    before = harness.at_rest(first)
    assert harness.at_rest(second) == before
    second.get_by_role("slider", name="people n").press("ArrowRight")
    after = harness.at_rest(first)
    assert after != before
    assert harness.at_rest(second) == after


def test_readout_is_spoken(demo):
    handle = demo.get_by_role("slider", name="people n")
    expect(handle).to_have_attribute("aria-valuetext", "10,000")
    handle.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "17,800")
    expect(demo.get_by_role("status")).to_have_text(re.compile("people: 17,800"))
    expect(demo.get_by_role("img")).to_have_accessible_name(re.compile("With 17,800 people"))


@pytest.mark.parametrize("width", [1280, 700])
def test_labels_are_never_cut(demo, width):
    demo.page.set_viewport_size({"width": width, "height": 900})
    harness.at_rest(demo)
    for text in demo.locator(".ldp-control .widget-label, .ldp-control .widget-readout").all():
        assert text.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), text.inner_text()
    for track in demo.locator(".slider-container").all():
        assert track.bounding_box()["width"] >= 130, "the track is long enough to be dragged"
    assert demo.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), "the panel fits its cell"


def test_picture_is_sharp_at_rest(browser, where):
    """On a screen with two device pixels for each CSS pixel."""
    with harness.new_page(browser, scale=2.0) as page:
        assert harness.run(page, where, "demo.ipynb") == []
        panel, = harness.panels(page, True)
        shown, drawn = panel.locator("canvas").evaluate("node => [2 * node.clientWidth, node.width]")
        assert drawn >= min(2000, 0.95 * shown)

"""The demo panel in a real browser: what every panel relies on, in JupyterLab."""

import math
import re

import harness
import pytest
from demo import Demo
from playwright.sync_api import Error, expect

from ldp_lib.stage.picture import cut


@pytest.mark.parametrize("address", ["http://example.org/", "https://192.0.2.1/", "ws://example.org/"])
def test_nothing_is_fetched_from_outside(page, address):
    if address.startswith("ws"):
        assert not page.evaluate("""address => new Promise(done => {
            new WebSocket(address).onclose = ({ wasClean }) => done(wasClean);
        })""", address)
    else:
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            page.goto(address)


@pytest.fixture(scope="module")
def opened(browser, lab):
    """The panel, opened once on each server."""
    with harness.new_page(browser) as page:
        assert harness.run(page, lab, "demo.ipynb") == []
        yield harness.panels(page, True)[0]


@pytest.fixture
def demo(opened):
    """The panel at its first picture."""
    opened.page.set_viewport_size({"width": 1280, "height": 720})
    if opened.evaluate("node => node.classList.contains('ldp-lecture')"):
        opened.press("Escape")
    harness.reset(opened)
    return opened


def slider(panel, name):
    return panel.get_by_role("slider", name=name, exact=True)


def test_a_bar_that_axes_cut_has_an_open_arrow_at_its_end(demo):
    """One for each that the picture's data have, and its tip is where the axes end."""
    shown = Demo()
    *_, row = shown.show(**shown.position()).picture.axes
    ways = [way for *_, way in cut(row.marks[0], row.x, row.y)]
    tips, top = demo.evaluate("""panel => {
        const [,, svg] = [...panel.querySelectorAll(".ldp-plot > svg")];
        const [, top] = svg.querySelector(".ldp-spine").getAttribute("d").match(/[\\d.]+/g).map(Number);
        const arrows = svg.querySelector(".ldp-mark .ldp-ring").getAttribute("d");
        return [[...arrows.matchAll(/M\\S+ ([\\d.]+)L/g)].map(([, y]) => Number(y)), top];
    }""")
    assert ways == 4 * ["up"] and tips == 4 * [top]


def test_axes_leave_room_for_words_and_marks_end_a_pixel_beyond(demo):
    """Below an axis a line of words and a tick, 1.81 letters in whole pixels; half a letter above."""
    for left, top, bottom, right, height, size, *clip in demo.evaluate("""panel =>
        [...panel.querySelectorAll(".ldp-plot > svg")].slice(1).map((svg) => {
            const spine = svg.querySelector(".ldp-spine").getAttribute("d").match(/[\\d.]+/g);
            const size = parseFloat(getComputedStyle(svg.parentNode).fontSize);
            const rect = svg.querySelector("clipPath rect");
            const clip = ["x", "y", "width", "height"].map((name) => rect.getAttribute(name));
            return [...spine, svg.getAttribute("height"), size, ...clip].map(Number);
        })"""):
        assert (top, height - bottom) == (math.ceil(0.6 * size), math.ceil(1.81 * size))
        assert clip == [left - 1, top - 1, right - left + 2, bottom - top + 2]


def test_what_the_pointer_is_near_is_told_in_numbers(demo):
    """Near in both directions: 40 pixels beside or above it nothing is said of the dot."""
    box, told = demo.locator(".ldp-handle").first.bounding_box(), demo.locator(".ldp-hover:visible")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    demo.page.mouse.move(x, y)
    expect(told).to_have_text("here: 10,000, 0.01225")
    for away in ((40, 0), (0, -40)):
        demo.page.mouse.move(x + away[0], y + away[1])
        expect(told.filter(has_text="here")).to_have_count(0)


def test_a_failing_cell_is_noticed(desk):
    assert len(harness.run_next(desk, "broken.ipynb")) == 1


def test_controls_move_picture_and_readout(demo):
    harness.check_names(demo)
    for control in harness.controls(demo):
        if control.evaluate("node => node.tagName") != "SELECT":
            harness.check_control(demo, control)


def test_what_is_drawn_is_what_was_computed(demo):
    """The curve's pixels, turned back into data with the ticks, are the rates of the formula."""
    n, rates = demo.evaluate("""panel => {
        const svg = [...panel.querySelectorAll(".ldp-plot > svg")][1];
        const texts = [...svg.querySelectorAll(":scope > g:nth-of-type(1) text")];
        const at = (word, name) => Number(texts.find(text => text.textContent === word).getAttribute(name));
        const x = [at("10³", "x"), at("10⁶", "x")];
        const size = parseFloat(getComputedStyle(svg).fontSize);
        const y = [at("1", "y") - 0.35 * size, at("10⁻³", "y") - 0.35 * size];
        const lines = [...svg.querySelectorAll(".ldp-line")].map(node => node.getAttribute("d"));
        const longest = lines.sort((a, b) => b.length - a.length)[0];
        const points = longest.slice(1).split("L").map(pair => pair.split(" ").map(Number));
        return [points.map(([px]) => 10 ** (3 + 3 * (px - x[0]) / (x[1] - x[0]))),
                points.map(([, py]) => 10 ** (-3 * (py - y[0]) / (y[1] - y[0])))];
    }""")
    assert len(n) == 40
    assert rates == pytest.approx([0.5 / (1 + m**0.4) for m in n], rel=0.03)


def test_a_failing_callback_is_shown_and_the_picture_stays(demo):
    before = harness.picture(demo)
    demo.get_by_label("shape").select_option(label="broken")
    expect(demo.get_by_role("alert")).to_contain_text("ArithmeticError: this shape always fails")
    expect(demo.get_by_role("alert")).to_contain_text("at privacy α = 1, people n = 10,000")
    assert harness.at_rest(demo) == before
    demo.get_by_label("shape").select_option(label="product")
    expect(demo.locator(".ldp-error")).to_be_hidden()
    assert harness.at_rest(demo) != before


def test_long_work_is_announced_and_the_panel_stays_answerable(demo):
    demo.get_by_label("shape").select_option(label="slow")
    expect(demo.locator(".ldp-status")).to_have_text("computing …")
    demo.get_by_label("shape").select_option(label="sum")
    expect(demo.locator(".ldp-status")).to_have_text("")


def test_the_last_value_wins(demo):
    """After a drag faster than frames can follow, picture and readout are those of the slider."""
    handle = slider(demo, "people n")
    box, mouse = handle.bounding_box(), demo.page.mouse
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] * 0.4, y)
    mouse.down()
    for step in range(1, 61):
        mouse.move(box["x"] + box["width"] * (0.4 + step / 110), y)
    mouse.up()
    harness.at_rest(demo)
    people = handle.get_attribute("aria-valuetext")
    assert people != "10,000"
    expect(demo.locator(".ldp-figure")).to_have_accessible_name(re.compile(f"With {people} people"))
    expect(demo.locator(".ldp-readout")).to_contain_text(f"people {people}")


def test_many_hands_at_once_leave_one_picture(demo):
    """Keys on two sliders, reset and a drag, with no pause between them."""
    first, second = slider(demo, "privacy α"), slider(demo, "people n")
    box, mouse = second.bounding_box(), demo.page.mouse
    for round_ in range(4):
        first.focus()
        for _ in range(6):
            demo.page.keyboard.press("ArrowRight")
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mouse.down()
        for step in range(12):
            mouse.move(box["x"] + box["width"] / 2 + 6 * step * (-1) ** round_, box["y"] + box["height"] / 2)
        mouse.up()
        if round_ % 2:
            demo.get_by_role("button", name="reset").click()
    second.focus()
    demo.page.keyboard.press("ArrowLeft")
    harness.at_rest(demo)
    people = second.get_attribute("aria-valuetext")
    alpha = float(first.get_attribute("aria-valuetext"))
    n = int(people.replace(",", ""))
    rate = 0.5 / (1 + alpha * n**0.4)
    expect(demo.locator(".ldp-readout")).to_contain_text(f"people {people}")
    readout = demo.locator(".ldp-readout").inner_text().replace("\n", " ")
    shown = float(re.search(r"rate ([\d.]+)", readout)[1])
    assert shown == pytest.approx(rate, rel=5e-3), "one picture, one number"


def test_reset_holds_although_a_key_is_held(demo):
    before, handle = harness.picture(demo), slider(demo, "privacy α")
    handle.focus()
    for _ in range(6):  # the first press, and what the keyboard repeats
        demo.page.keyboard.down("ArrowRight")
    demo.evaluate("node => [...node.querySelectorAll('button')].find(b => b.textContent === 'reset').click()")
    for _ in range(6):
        demo.page.keyboard.down("ArrowRight")
    assert harness.at_rest(demo) == before
    demo.page.keyboard.up("ArrowRight")
    handle.press("ArrowRight")
    assert harness.at_rest(demo) != before, "a new press is heard"


def test_a_handle_moves_its_control(demo):
    grip = demo.get_by_role("slider", name="people n, in the picture")
    expect(grip).to_have_attribute("aria-valuetext", "10,000")
    grip.focus()
    demo.page.keyboard.press("ArrowRight")
    expect(slider(demo, "people n")).to_have_attribute("aria-valuetext", "17,800")
    expect(grip).to_have_attribute("aria-valuetext", "17,800")
    box = grip.bounding_box()
    mouse = demo.page.mouse
    mouse.move(box["x"] + 12, box["y"] + 12)
    mouse.down()
    for step in range(1, 20):
        mouse.move(box["x"] + 12 + 8 * step, box["y"] + 12)
    mouse.up()
    moved = harness.at_rest(demo)
    n = int(slider(demo, "people n").get_attribute("aria-valuetext").replace(",", ""))
    assert n >= 100_000 and f"people {n:,}" in moved[1].replace("people", "people ").replace("  ", " ")
    now = grip.bounding_box()
    assert abs(now["x"] - box["x"] - 152) < 30, "it stands where the pointer left it, at the nearest position"


def test_two_views_show_the_same(desk):
    assert harness.run_next(desk, "twice.ipynb") == []
    first, second = harness.panels(desk, True)
    before = harness.picture(first)
    assert harness.picture(second) == before and "178" in before[1]
    slider(second, "people n").press("ArrowRight")
    after = harness.at_rest(first)
    assert after != before
    assert harness.at_rest(second) == after


def test_panels_do_not_share_names(desk):
    """A clip path or a hatch is found by its id, and the first one in the page is taken."""
    assert harness.run_next(desk, "pair.ipynb") == []
    assert len(harness.panels(desk, True)) == 2
    ids = desk.evaluate("[...document.querySelectorAll('.ldp-panel [id]')].map(node => node.id)")
    assert len(ids) > 10 and len(set(ids)) == len(ids)


def test_readout_is_spoken_once_the_slider_rests(demo):
    handle = slider(demo, "people n")
    expect(handle).to_have_attribute("aria-valuetext", "10,000")
    handle.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "17,800")
    expect(demo.locator(".ldp-spoken")).to_have_text(re.compile("people: 17,800"))
    expect(demo.locator(".ldp-figure")).to_have_accessible_name(re.compile("With 17,800 people"))


def test_scenes_from_the_keyboard(demo):
    demo.focus()
    demo.press("PageDown")
    expect(demo.locator(".ldp-sentence")).to_have_text("Ten thousand people.")
    demo.press("PageDown")
    expect(slider(demo, "people n")).to_have_attribute("aria-valuetext", "10,000,000")
    demo.press("PageUp")
    expect(slider(demo, "people n")).to_have_attribute("aria-valuetext", "10,000")


def test_shortcuts_can_be_switched_off(demo):
    demo.get_by_role("button", name="keys on").click()
    demo.focus()
    demo.press("l")
    expect(demo).not_to_have_class(re.compile("ldp-lecture"))
    demo.get_by_role("button", name="keys off").click()
    demo.focus()
    demo.press("l")
    expect(demo).to_have_class(re.compile("ldp-lecture"))
    demo.press("Escape")
    expect(demo).not_to_have_class(re.compile("ldp-lecture"))


@pytest.mark.parametrize("size, lecture, least", [
    ((1280, 720), False, harness.SMALLEST), ((1280, 720), True, 20), ((1920, 1080), True, 28),
    ((1024, 768), False, harness.SMALLEST), ((640, 360), False, harness.SMALLEST),
    ((390, 844), False, harness.SMALLEST)], ids=str)
def test_it_can_be_read(demo, size, lecture, least):
    """Letters large enough, nothing scrolls inside the panel, and in the window all of it is seen."""
    demo.page.set_viewport_size(dict(zip(("width", "height"), size)))
    if lecture:
        demo.focus()
        demo.press("l")
    harness.check_readable(demo, least)


def test_plots_follow_their_words_and_do_not_jump(desk):
    """Readout and key of the laboratory have one line or several, as the mechanism says."""
    desk.set_viewport_size({"width": 1280, "height": 720})
    assert harness.run_next(desk, "laboratory.ipynb") == []
    (panel,) = harness.panels(desk, True)
    mechanism = panel.locator("select:not(.ldp-scenes)")
    names = range(mechanism.evaluate("node => node.options.length"))
    for name in names:
        mechanism.select_option(str(name))
        harness.check_readable(panel)
    seen = set()
    for name in names:
        mechanism.select_option(str(name))
        harness.at_rest(panel)
        seen.add(str([plot.bounding_box() for plot in panel.locator(".ldp-plot").all()]))
    assert len(seen) == 1, "once all words have been seen, no plot moves"


def test_the_picture_gives_way_to_words(demo):
    """A sentence or a readout that needs more lines cuts nothing of the picture."""
    for part in (".ldp-sentence", ".ldp-readout b"):
        demo.evaluate("(node, part) => node.querySelector(part).append(' and so on'.repeat(18))", part)
        harness.check_readable(demo)
    slider(demo, "people n").press("ArrowRight")


def test_lecture_keeps_the_keyboard(demo):
    """Tab goes round in the panel, and a clicker turns scenes wherever the focus is, in dropdowns, too."""
    demo.focus()
    demo.press("l")
    here = "panel => panel.contains(document.activeElement) && document.activeElement.outerHTML.slice(0, 60)"
    for key in ("Tab", "Shift+Tab"):
        stops = []
        for _ in range(16):
            demo.page.keyboard.press(key)
            stops.append(demo.evaluate(here))
        assert all(stops) and stops[0] in stops[2:], "round and round"
    demo.press("Escape")
    demo.get_by_label("shape").focus()
    demo.page.keyboard.press("PageDown")
    expect(demo.locator(".ldp-sentence")).to_have_text("Ten thousand people.")
    expect(demo.get_by_label("shape")).to_have_value("0")
    demo.get_by_label("scene", exact=True).focus()
    demo.page.keyboard.press("PageDown")
    expect(demo.locator(".ldp-sentence")).to_have_text("Ten million people.")


def test_the_theme_follows_the_page(demo):
    """Switched while the panel is open."""
    light = demo.evaluate("node => getComputedStyle(node).backgroundColor")
    demo.page.evaluate("""() => {
        const style = document.body.appendChild(document.createElement("style"));
        style.id = "night";
        style.textContent = "body, body * { background-color: #111 !important }";
        document.body.classList.add("night");
    }""")
    expect(demo).to_have_attribute("data-theme", "dark")
    demo.page.evaluate("""() => {
        document.getElementById("night").remove();
        document.body.classList.remove("night");
    }""")
    expect(demo).to_have_attribute("data-theme", "light")
    assert demo.evaluate("node => getComputedStyle(node).backgroundColor") == light == "rgb(255, 255, 255)"


def test_axe_finds_nothing(demo):
    harness.check_accessible(demo.page, ".ldp-panel")

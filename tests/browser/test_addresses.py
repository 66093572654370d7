"""Addresses of pages: each ends where it says, and nothing jumps while a page finds its heights."""

from extent import all_rows
import random
import re

import harness
import pytest
from playwright.sync_api import expect

PAGES = ["index", *(f"notebooks/{path.stem}" for path in sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb")))]
WINDOWS = {"telephone": (390, 844), "laptop": (1366, 768)}
TARGETS = 1000 if all_rows() else 1
"""Of each page in each window, opened afresh, beside its lowest panel."""
NEAR = 8
"""CSS pixels between a target and where it should be."""
SHIFT = 0.05

SHIFTED = """window.shifted = 0;
new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifted += value;
}).observe({ type: "layout-shift", buffered: true });"""

# Pixels between the target and the line that it asks for; less where the page ends. When it has come to
# rest: panels are there, and nothing has scrolled for some frames.
MISSED = """async (asked) => {
    const name = `${asked.split(/[/?]/)[0]}/`, page = document.scrollingElement, start = performance.now();
    const target = document.getElementById(asked)
        ?? [...document.querySelectorAll(".ldp-still")].find(({ dataset }) => dataset.link.startsWith(name));
    let last = "", since = start;
    while (performance.now() - since < STILL) {
        if (performance.now() - start > 15000) throw new Error("no rest in 15 s");
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const drawn = document.querySelectorAll(".ldp-spine").length;
        const now = `${target.getBoundingClientRect().top} ${page.scrollHeight} ${drawn}`;
        if (now !== last || !ldpRests()) since = performance.now();
        last = now;
    }
    const wanted = parseFloat(getComputedStyle(target).scrollMarginTop);
    const missed = target.getBoundingClientRect().top - wanted;
    const rest = page.scrollHeight - page.clientHeight - page.scrollTop;
    return Math.max(-page.scrollTop, Math.min(missed, Math.max(0, rest)));
}""".replace("STILL", "700" if all_rows() else "100")


@pytest.mark.share(3)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_every_address_of_a_page_lands(browser, site, pages, name, window):
    """Sections and panels, afresh and from within; the telephone reads the disk, the laptop a server.

    Nothing jumps while the page comes.
    """
    width, height = WINDOWS[window]
    base = site.as_uri() if window == "telephone" else pages.url("x").partition("/notebooks")[0]
    with harness.new_page(browser, width=width, height=height) as page:
        page.add_init_script(SHIFTED)
        page.goto(f"{base}/{name}.html")
        ids = page.evaluate("[...document.querySelectorAll('article section[id]')].map(node => node.id)")
        links = page.evaluate("[...document.querySelectorAll('.ldp-still')].map(node => node.dataset.link)")
        firsts = list({link.split("/")[0]: link for link in reversed(links)}.values())[::-1]  # of each name
        targets, found, shifted = ids + firsts, {}, {}
        page.evaluate(MISSED, ids[0])  # rooms of panels and formulas are theirs before they come
        shifted["the page"] = page.evaluate("shifted")
        for asked in (ids[0], ids[-1], firsts[0]):
            page.evaluate("asked => { location.hash = asked; }", asked)
            found["within", asked] = page.evaluate(MISSED, asked)
        for each in sorted({firsts[-1], *random.Random(3).sample(targets, min(TARGETS, len(targets)))}):
            page.goto("about:blank")
            page.goto(f"{base}/{name}.html#{each}")
            found["afresh", each] = page.evaluate(MISSED, each)
            shifted[each] = page.evaluate("shifted")
    assert {each: missed for each, missed in found.items() if abs(missed) > NEAR} == {}
    assert {each: much for each, much in shifted.items() if much >= SHIFT} == {}


def test_on_the_way_to_a_target_nothing_is_shown_that_moves(page, site):
    """Neither the article nor what stands below it; what stands above it does not move."""
    page.goto(f"{site.as_uri()}/notebooks/06_dp_bayes_consistency.html")
    for part in ("article", "footer"):
        expect(page.locator(part)).to_have_css("visibility", "visible")
    page.evaluate("document.documentElement.classList.add('ldp-landing')")
    for part in ("article", "footer"):
        expect(page.locator(part)).to_have_css("visibility", "hidden")


def test_what_grows_above_a_target_waits_or_is_made_good(page, site):
    """Panels above it come when a hand scrolls, and until then it stays where it is, whatever else grows."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.as_uri()}/notebooks/03_upper_rate.html#recap")
    page.evaluate(MISSED, "recap")
    above = """() => [...document.querySelectorAll('.ldp-still .ldp-panel')].filter((panel) =>
        panel.getBoundingClientRect().top < document.querySelector('#recap').offsetTop - scrollY).length"""
    assert page.evaluate(above) == 0
    page.evaluate("""() => document.querySelector('article').prepend(
        Object.assign(document.createElement('div'), { style: 'height: 500px' }))""")
    assert abs(page.evaluate(MISSED, "recap")) <= NEAR
    page.mouse.wheel(0, -4000)
    page.wait_for_function(f"({above})() > 0")


def test_a_hand_that_scrolls_is_not_held(page, site):
    """Neither by an address nor by what comes into the page after it."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.as_uri()}/notebooks/03_upper_rate.html#the-theorem")
    page.evaluate(MISSED, "the-theorem")
    gone = "Math.abs(document.getElementById('the-theorem').getBoundingClientRect().top) > 1000"
    page.mouse.wheel(0, -2500)
    page.wait_for_function(gone)
    page.evaluate("document.querySelector('article').append(document.createElement('textarea'))")
    page.evaluate("document.querySelector('article').lastChild.style.height = '500px'")
    page.wait_for_timeout(300)
    assert page.evaluate(gone)


@pytest.mark.parametrize("link, scene, moved, said", [
    ("elbow?scene=lever&p=1", "lever", {}, "lever does not show p; explore does."),
    ("assouad/2?scene=people&n=10000", "people", {"people n": "10,000"}, "nothing moves before its answer"),
    ("consistency/2?scene=explore&h=0.1&n=1000&alpha=0.5", "explore", {}, "not stored on this page"),
], ids=["not shown", "not reached", "not stored"])
def test_an_address_that_no_hand_reaches_opens_the_nearest(page, site, link, scene, moved, said):
    """With a sentence, and never without a picture."""
    name = re.split("[/?]", link)[0]
    notebook = next(path for path in harness.NOTEBOOKS.glob("0*.ipynb") if name in harness.shown_panels(path))
    page.goto(f"{site.as_uri()}/notebooks/{notebook.stem}.html#{link}")
    node = page.locator(f'.ldp-panel[data-title="{harness.title(name)}"]').first
    node.locator(".ldp-spine").first.wait_for()
    expect(node.locator(".ldp-sentence")).to_contain_text(said)
    expect(node.locator(".ldp-scenes option:checked")).to_have_text(re.compile(f"{scene}$"))
    expect(node.locator(".ldp-error")).to_be_hidden()
    for control, text in moved.items():
        expect(node.get_by_role("slider", name=control, exact=True)).to_have_attribute("aria-valuetext", text)
    node.press("PageUp")
    expect(node.locator(".ldp-sentence")).not_to_contain_text(said)

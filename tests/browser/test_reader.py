"""A page for who does not see it: what is told, what is announced, and numbers in the place of pictures."""

import csv
import re
from pathlib import Path

import harness
import pytest
from playwright.sync_api import expect

from ldp_lib.live import panel

PAGE = "notebooks/02_universal_consistency"


@pytest.fixture
def story(page, site):
    """The story of 02 on its page, on which nothing glides."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site.as_uri()}/{PAGE}.html")
    # Another panel of this name may come before.
    place = page.locator(".ldp-still[data-link^='consistency/']").first
    place.scroll_into_view_if_needed()
    node = place.get_by_role("group", name=harness.title("consistency"), exact=True)
    harness.at_rest(node)
    return node


def named(words):
    """In a tree: words as they are quoted there, or as they are."""
    return re.sub(r"[\s\"\\']+", " ", words)


def tree(node):
    """What a screen reader has of a part of the page."""
    return named(node.aria_snapshot())


def turn(node, name):
    """Come to a scene as a screen reader does, from the one before."""
    scenes = node.get_by_role("combobox", name="scene", exact=True)
    for _ in scenes.locator("option").all():
        if scenes.locator(":checked").inner_text().endswith(f". {name}"):
            return
        node.get_by_role("button", name="next scene", exact=True).press("Enter")
        harness.at_rest(node)
    raise AssertionError(f"{name} was passed; now it is {scenes.locator(':checked').inner_text()}")


@pytest.mark.share(3)
@pytest.mark.parametrize("name", harness.shown_panels(harness.NOTEBOOKS / f"{Path(PAGE).name}.ipynb"))
def test_the_tree_alone_leads_through_all_scenes(page, site, name):
    """Question, answers, verdict, sentence, read-out and numbers of every scene, without a look."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site.as_uri()}/{PAGE}.html#{panel(name).link}")
    node = page.get_by_role("group", name=harness.title(name), exact=True).first
    harness.at_rest(node)
    shown, asked = panel(name), 0
    for scene in shown.scenes:
        turn(node, scene.name)
        if scene.ask:
            asked += 1
            assert named(scene.sentence) in tree(node)
            answers = node.get_by_role("group", name="your answer")
            told = [f'button your answer: {named(answer)}' for answer in scene.ask.answers]
            assert all(words in tree(answers) for words in told)
            answers.get_by_role("button", name=f"your answer: {scene.ask.right}", exact=True).press("Enter")
            harness.at_rest(node)
            verdict = f"You said {scene.ask.right}. Right. {scene.ask.answers[scene.ask.right]}"
            assert named(verdict) in tree(node)
            expect(node.locator("[aria-live=polite]")).to_contain_text(verdict)
        else:
            assert named(scene.sentence) in tree(node)
        picture = node.locator(".ldp-figure").get_attribute("aria-label")
        readout = tree(node.locator(".ldp-readout"))
        assert f"group {named(picture)}" in tree(node) and re.search(r"\d|[a-z]{2}", readout)
        assert readout.removeprefix("- text: ") in tree(node)
        switch = node.get_by_role("button", name="table of the picture's numbers", exact=True)
        switch.press("Enter")
        tables = node.get_by_role("region", name="numbers of the picture").get_by_role("table")
        assert tables.count() == len(shown.show(**shown.starts()[scene.name]).picture.axes)
        assert all(table.get_by_role("rowheader").count() for table in tables.all())
        switch.press("Enter")
    assert asked or name == "price" or name.startswith("proof")


def test_the_focus_stays_in_the_panel_when_its_control_goes(story):
    """By keys from scene to scene, with the focus on what only one of them has."""
    for name, control in (("144 reports", "new noise"), ("more people", None), ("sign", "new noise")):
        turn(story, name)
        if control:
            button = story.get_by_role("button", name=control)
            button.focus()
            button.press("PageDown")
            harness.at_rest(story)
            expect(story).to_be_focused()
    turn(story, "narrow cubes")
    story.get_by_role("slider", name="bandwidth h").press("PageUp")
    harness.at_rest(story)
    expect(story).to_be_focused()
    story.press("PageDown")
    expect(story.get_by_role("combobox", name="scene", exact=True).locator(":checked")).to_have_text(
        re.compile("narrow cubes"))


def test_what_is_asked_and_what_an_answer_was_worth_is_announced(story):
    """Nothing when the page opens; then what is new, and while it plays only its end."""
    said = story.locator("[aria-live=polite]")
    scene = next(scene for scene in panel("consistency").scenes if scene.name == "more people")
    story.page.wait_for_timeout(800)
    expect(said).to_be_empty()
    turn(story, "more people")
    expect(said).to_contain_text(scene.sentence)
    story.evaluate("""panel => {
        window.announced = [];
        const said = panel.querySelector("[aria-live=polite]");
        new MutationObserver(() => announced.push(said.textContent)).observe(said, { childList: true });
    }""")
    story.get_by_role("button", name="your answer: 52%", exact=True).press("Enter")
    harness.at_rest(story)
    expect(said).to_contain_text("With 215,574 people")
    verdict, end = story.page.evaluate("announced")
    assert verdict == f"You said 52%. No. {scene.ask.answers['52%']}"
    assert end.startswith("With 215,574 people") and "right, on average: 67.4%" in end
    # A scene, and its numbers at once: neither cuts the other off.
    story.evaluate("""panel => {
        for (const name of ["next scene", "table of the picture's numbers"])
            panel.querySelector(`[aria-label="${name}"]`).click();
    }""")
    scene = next(scene for scene in panel("consistency").scenes if scene.name == "sign")
    told = f"^{re.escape(scene.sentence)} Numbers, as tables[.] With 80,000 people.*best rule: 69.3%"
    expect(said).to_have_text(re.compile(told))


def test_numbers_take_the_place_of_the_picture(story):
    """With a key, real tables; they follow the controls and are saved; nothing moves around them."""
    turn(story, "sign")
    before, shown = story.bounding_box(), panel("consistency")
    story.locator(".ldp-handle").focus()
    story.page.keyboard.press("t")
    expect(story.locator(".ldp-figure")).to_be_hidden()
    switch = story.get_by_role("button", name="table of the picture's numbers", exact=True)
    expect(story).to_be_focused()
    expect(story.locator("[aria-live=polite]")).to_contain_text("Numbers, as tables.")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert story.bounding_box() == before
    for scope, least in (("col", 4), ("row", 20)):
        assert story.locator(f"table:first-of-type th[scope={scope}]").count() >= least
    people = story.get_by_role("slider", name="people n", exact=True)
    people.press("ArrowRight")
    n = int(people.get_attribute("aria-valuetext").replace(",", ""))
    made = panel(shown.link.partition("?")[0], scene="sign", n=n).numbers()
    for table, (key, wanted) in zip(story.get_by_role("table").all(), made.items(), strict=True):
        title = wanted.attrs["title"]
        expect(table.locator("caption")).to_have_text(title)
        assert table.get_by_role("columnheader").all_inner_texts() == list(wanted.columns)
        assert table.get_by_role("rowheader").all_inner_texts() == list(wanted["series"])
        with story.page.expect_download() as saved:
            story.get_by_role("button", name=f"save as CSV: {title}", exact=True).click()
        assert saved.value.suggested_filename == f"{key}.csv"
        heads, *rows = csv.reader(Path(saved.value.path()).read_text(encoding="utf-8").splitlines())
        assert heads == list(wanted.columns)
        for row, right in zip(rows, wanted.itertuples(index=False), strict=True):
            for cell, value in zip(row, right, strict=True):
                if isinstance(value, str):
                    assert cell == value
                else:
                    assert float(cell or "nan") == pytest.approx(value, rel=5e-5, abs=1e-5, nan_ok=True)
    switch.press("t")
    expect(story.locator(".ldp-figure")).to_be_visible()
    expect(story.get_by_role("table")).to_have_count(0)


@pytest.mark.share(2)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tables_are_accessible_and_stay_on_a_telephone(browser, site, theme):
    """All axes of *explore*, with thousands of cells: what is wide or long scrolls in their own place."""
    with harness.new_page(browser, width=390, height=844, theme=theme) as page:
        page.goto(f"{site.as_uri()}/{PAGE}.html#consistency?scene=explore")
        node = page.get_by_role("group", name=harness.title("consistency"), exact=True)
        harness.at_rest(node)
        height = node.bounding_box()["height"]
        node.get_by_role("button", name="table of the picture's numbers").click()
        assert abs(node.bounding_box()["height"] - height) < 2, "but for lines that are rounded"
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
        harness.check_readable(node)
        harness.check_accessible(page, ".ldp-panel")

"""The pages of `make site`, opened from the disk: no server, no kernel, nothing from outside."""

from extent import all_rows, everything_runs
import base64
import html
import random
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import harness
import nbformat
import pytest
from PIL import Image
from playwright.sync_api import expect

from ldp_lib.live import EXERCISES, panel
from ldp_lib.site.stored import places
from ldp_lib.site.talk import page as write_talk
from ldp_lib.site.talk import talk
from ldp_lib.stage.control import address
from ldp_lib.stage.deck import pack
from ldp_lib.stage.widget import browser_half

MAIN = sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb"))
LOOKED_AT = "" if all_rows() else "embed"
STATES = 200 if all_rows() else 20 if everything_runs() else 8
"""Of each page, compared as drawn, beside those where scenes begin."""


@pytest.fixture
def still(page):
    """A page on which nothing glides."""
    page.emulate_media(reduced_motion="reduce")
    return page


def opened(page, site, name, mark=""):
    """The panels of a page, from the disk; a console without complaints."""
    complaints = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site.as_uri()}/{name}.html{mark}")
    found = harness.panels(page, True)
    assert complaints == []
    return found


SEEN = f"""async (panel, number) => {{
    panel.style.width = number % 2 ? "" : "90%";
    const over = performance.now() + {1000 * harness.FRAME_SECONDS};
    do {{
        if (performance.now() > over) throw new Error("the panel does not come to rest");
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }} while (!panel.ldpRests());
    return ({harness.SHOWN})(panel);
}}"""
"""What a panel shows, by turns at two widths: at a new one it forgets how high words beside other pictures
were. Pictures have numbers from 0."""
DRAWN = f"async ([panel, spec, decks]) => ldpDrawn(panel, spec, decks, {SEEN})"
"""What the page's own code draws of states that it is given."""
VISITED = f"""async ([panel, visits]) => {{
    const seen = {SEEN}, found = [];
    const [figure, readout] = [".ldp-figure", ".ldp-readout"].map((part) => panel.querySelector(part));
    for (const [link, alt, values] of visits) {{
        const there = () => figure.ariaLabel === alt
            && values.every((value) => readout.textContent.includes(value));
        const before = location.hash;
        location.hash = link;
        if (location.hash !== before)
            await new Promise((resolve) => addEventListener("hashchange", resolve, {{ once: true }}));
        for (const start = performance.now(); !there() && performance.now() - start < 10000;)
            await new Promise((resolve) => requestAnimationFrame(resolve));
        found.push(await seen(panel, found.length));
    }}
    return found;
}}"""
"""What the page shows at addresses, one after the other, as soon as it says what it should."""


@pytest.mark.share(3)
@pytest.mark.parametrize("notebook", MAIN, ids=lambda path: path.stem)
def test_stored_states_are_drawn_as_the_kernels(still, site, everything, notebook):
    """Where each scene begins, and others of it: the figure and the numbers, mark by mark."""
    rng = random.Random(7)
    opened(still, site, f"notebooks/{notebook.stem}")
    names = harness.shown_panels(notebook)
    # What nobody sees is laid out alike, and not painted.
    still.add_style_tag(content="html { visibility: hidden }")
    for name in names:
        place = still.locator(f'.ldp-still[data-link^="{name}/"]').first
        place.scroll_into_view_if_needed()
        node = still.locator(f'.ldp-panel[data-title="{harness.title(name)}"]').first
        harness.at_rest(node)
        shown, here = panel(name), node.evaluate_handle("node => node")

        def visited(places, shown=shown, here=here):
            states = [shown._state(at) for at in places]
            visits = [[address(shown, shown._values(at)), state.alt, [value for _, value in state.readout]]
                      for at, state in zip(places, states, strict=True)]
            return still.evaluate(VISITED, [here, visits])

        scenes = [shown._place(start) for start in shown.starts().values()]
        stored = sorted({at for ahead in places(shown, sample=not everything).values() for at in ahead})
        chosen = list(dict.fromkeys(scenes + rng.sample(stored, min(len(stored), STATES // len(names)))))
        rng.shuffle(chosen)
        chosen.insert(0, panel(place.get_attribute("data-link")).place)  # where the page begins
        found = visited(chosen)
        still.add_script_tag(content=f"(() => {{ {browser_half(Path(__file__).with_name('drawn.js'))} }})()")
        spec = shown._specification()
        decks = [base64.b64encode(pack({at: shown._state(at)})).decode() for at in chosen]
        wanted = still.evaluate(DRAWN, [here, spec, decks])
        assert len(found) == len(wanted) >= 6
        for at, seen, want in zip(chosen, found, wanted, strict=True):
            assert seen == want, shown._values(at)


BARE = """() => {
    const text = document.querySelector("article").cloneNode(true);
    text.querySelectorAll("pre, code, math, .ldp-panel").forEach(node => node.remove());
    return [...text.textContent.matchAll(/.{0,40}[$].{0,40}/g)].map(String);
}"""
"""Dollar signs in the words of a page: formulas that were not read as such."""


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [*(f"notebooks/{path.stem}" for path in MAIN), "index", "LECTURERS", "talks",
                                  "scenes", "practice", "library/ldp_lib.privacy",
                                  *(pytest.param(f"notebooks/appendix/{name}_in_full", marks=pytest.mark.ci)
                                    for name in ("02", "03", "04"))])
def test_a_page_is_accessible_and_fits_a_telephone_and_a_screen(browser, site, name):
    """It comes in the dark; then it is light, and colours are all that differs."""
    with harness.new_page(browser, width=390, height=844, theme="dark") as page:
        page.emulate_media(reduced_motion="reduce", color_scheme="dark")
        page.goto(f"{site.as_uri()}/{name}.html")
        panels = harness.panels(page, "notebooks/0" in name)
        for node in panels:
            for _ in harness.scenes(node):
                harness.check_readable(node)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
        page.set_viewport_size({"width": 1280, "height": 720})
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 1280
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate(BARE) == []
        for theme, rules in (("dark", {}), ("light", {"runOnly": "color-contrast"})):
            page.emulate_media(reduced_motion="reduce", color_scheme=theme)
            for node in panels:
                expect(node).to_have_attribute("data-theme", theme)
            harness.check_accessible(page, **rules)


def test_pages_are_html_where_their_makers_are_not(site):
    """No blocks in paragraphs and folds; at all the rest looks the validator of CONTRIBUTING.md."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<summary[^>]*>\s*<p|<style scoped", text), path
        assert not re.search(r"<p>(?:(?!</p>|<p>).)*<div class=\"math", text, re.DOTALL), path


THEME = "ldpRests() && [...document.querySelectorAll('.ldp-panel')].every(one => one.dataset.theme === '%s')"
"""All panels rest, in the colours of a theme."""

# For each word axe asks what lies above and below it: of a listing's words one of each kind is enough.
ONE_OF_A_KIND = """() => {
    for (const listing of document.querySelectorAll("pre")) {
        const kinds = new Set();
        for (const word of listing.querySelectorAll("span[class]:not(:has(*), [style])")) {
            let kind = "";
            for (let node = word; node !== listing; node = node.parentNode)
                kind += `${node.tagName} ${node.className}, `;
            if (kinds.has(kind)) word.replaceWith(word.textContent);
            else kinds.add(kind);
        }
    }
}"""


@pytest.mark.ci
@pytest.mark.parametrize("begin", [0, 1])
def test_axe_finds_nothing_on_embedded_panels(browser, site, begin):
    """Every other page comes in the light, then it is dark; the rest come in the dark. Colours are all that
    differs. The other pages are looked at one by one; with `LDP_FULL` all of them here, too."""
    first, second = ("light", "dark") if begin == 0 else ("dark", "light")
    with harness.new_page(browser, width=1280, height=720) as page:
        # A page that knows where it will stand finds no styles here.
        paths = [path for path in sorted((site / LOOKED_AT).rglob("*.html"))
                 if "_static" not in path.parts and "<base" not in path.read_text(encoding="utf-8")]
        for path in paths[begin::2]:
            page.emulate_media(reduced_motion="reduce", color_scheme=first)
            page.goto(path.as_uri())
            page.evaluate(ONE_OF_A_KIND)
            for theme, rules in ((first, {}), (second, {"runOnly": "color-contrast"})):
                page.emulate_media(reduced_motion="reduce", color_scheme=theme)
                harness.until(page, THEME % theme)
                harness.check_accessible(page, **rules)


def test_the_address_of_a_state_opens_it_and_follows_the_hand(still, site):
    node, *_ = opened(still, site, "notebooks/02_universal_consistency",
                      "#consistency/2?scene=half+the+budget&alpha=0.25")
    expect(node.locator(".ldp-scenes option:checked")).to_have_text("5. half the budget")
    budget = node.get_by_role("slider", name="privacy budget α", exact=True)
    expect(budget).to_have_attribute("aria-valuetext", "0.25")
    before = still.url
    budget.press("ArrowRight")
    still.wait_for_function("before => location.href !== before", arg=before)
    picture, link = harness.at_rest(node), still.url
    still.goto("about:blank")
    still.goto(link)
    again, *_ = harness.panels(still, True)
    assert harness.at_rest(again) == picture


def test_the_address_of_an_answered_scene_brings_back_where_its_question_stood(still, site):
    """A control that is put back there is named, so that the answer does not move it away again."""
    node, *_ = opened(still, site, "notebooks/03_upper_rate", "#upper_rate/2?scene=halve+h")
    width = node.get_by_role("slider", name="bandwidth h", exact=True)
    node.locator(".ldp-questions button").first.click()
    harness.at_rest(node)
    expect(width).to_have_attribute("aria-valuetext", "0.1")
    width.press("End")
    still.wait_for_url("**scene=halve+h&width=0.2")
    link = still.url
    still.goto("about:blank")
    still.goto(link)
    again, *_ = harness.panels(still, True)
    harness.at_rest(again)
    width = again.get_by_role("slider", name="bandwidth h", exact=True)
    expect(width).to_have_attribute("aria-valuetext", "0.2")
    expect(again.locator(".ldp-sentence")).to_contain_text("You said")


def test_the_address_of_an_answer_explains_it_to_whoever_has_not_answered(still, site):
    """Nobody is quoted, nothing is grey, and the question can still be asked."""
    node, *_ = opened(still, site, "notebooks/02_universal_consistency",
                      "#consistency/2?scene=half+the+budget&alpha=0.5&n=147456")
    sentence = node.locator(".ldp-sentence")
    expect(sentence).to_have_text(re.compile(r"^A smaller budget .* Right is 4 times\. "))
    expect(sentence).not_to_have_class(re.compile("ldp-left"))
    node.get_by_role("button", name="ask me", exact=True).click()
    expect(node.get_by_role("button", name="your answer: 4 times", exact=True)).to_be_visible()
    expect(sentence).not_to_contain_text("Right is")


def test_what_is_said_stays_above_the_slider_of_a_telephone(browser, site):
    """Below the bar of the page, and over no picture while the panel begins below it."""
    with harness.new_page(browser, width=390, height=844) as page:
        for name in ("index.html", "notebooks/00_start_here.html#start/1?scene=coin"):
            page.goto(f"{site.as_uri()}/{name}")
            node = harness.panels(page, True)[0]
            said, figure = node.locator(".ldp-header"), node.locator(".ldp-figure")
            page.evaluate("scrollTo(0, 0)")
            room = node.bounding_box()["y"]
            assert said.bounding_box()["y"] - room < 8
            assert figure.bounding_box()["y"] >= said.bounding_box()["y"] + said.bounding_box()["height"]
            node.get_by_role("slider").last.evaluate(
                "slider => scrollBy(0, slider.getBoundingClientRect().top - 760)")
            bar = page.locator(".mobile-header").bounding_box()
            assert said.bounding_box()["y"] >= bar["y"] + bar["height"] - 1


@pytest.mark.parametrize("name", ["beyond", "price", "second_question"])
def test_every_scene_can_be_read_on_a_telephone(browser, site, name):
    """Before its question has been answered, and after."""
    with harness.new_page(browser, width=390, height=844) as page:
        page.emulate_media(reduced_motion="reduce")
        node, = opened(page, site, f"embed/{name}")
        for _ in harness.scenes(node):
            harness.check_readable(node)
            answers = node.locator(".ldp-questions button:visible")
            if answers.count():
                answers.first.click()
                harness.check_readable(node)


@pytest.mark.share(2)
@pytest.mark.parametrize("width, height", [(390, 844), (1280, 720)], ids=["telephone", "laptop"])
def test_the_first_screen_of_the_index_moves_by_itself(browser, site, width, height):
    """Picture and control are on it; the address stays that of the page, and who wants stillness has it."""
    with harness.new_page(browser, width=width, height=height) as page:
        for motion in ("reduce", "no-preference"):
            page.emulate_media(reduced_motion=motion)
            page.goto(f"{site.as_uri()}/index.html")
            node = page.locator(".ldp-panel")
            node.locator(".ldp-spine").first.wait_for()
            harness.at_rest(node)
            people = node.get_by_role("slider", name="people n", exact=True)
            expect(people).to_have_attribute("aria-valuetext", "1" if motion == "reduce" else "215,574")
        for part in (node.locator(".ldp-sentence"), node.locator(".ldp-plot").first, people,
                     node.get_by_role("button", name="play", exact=True)):
            box = part.bounding_box()
            assert 0 <= box["y"] and box["y"] + box["height"] <= height
        expect(node.locator(".ldp-sentence")).not_to_have_class(re.compile("ldp-left"))
        assert page.evaluate("scrollY") == 0 and "#" not in page.url
        people.press("ArrowLeft")
        page.wait_for_url("**#start/*")


def test_what_is_wrong_in_an_address_is_said_and_the_nearest_state_shown(still, site):
    node, *_ = opened(still, site, "notebooks/02_universal_consistency", "#consistency/1?scene=sign&n=77")
    said = node.locator(".ldp-sentence")
    expect(said).to_contain_text("another version of this picture, which is consistency/2 now")
    expect(said).to_contain_text("There is no n = 77 here; what comes nearest is shown.")
    expect(node.locator(".ldp-scenes option:checked")).to_have_text("4. sign")
    node.press("PageDown")
    expect(said).not_to_contain_text("nearest")


def test_what_is_not_stored_is_greyed_and_cannot_be_reached(still, site):
    node, *_ = opened(still, site, "notebooks/02_universal_consistency", "#consistency/2?scene=explore")
    harness.at_rest(node)
    width = node.get_by_role("slider", name="bandwidth h", exact=True)
    people = node.get_by_role("slider", name="people n", exact=True)
    assert people.evaluate("input => input.style.background") == ""
    width.press("ArrowRight")
    harness.at_rest(node)
    assert "gradient" in people.evaluate("input => input.style.background")
    before = people.get_attribute("aria-valuetext")
    for _ in range(6):  # back where the sweep over h began, or nowhere
        people.press("ArrowRight")
        harness.at_rest(node)
        expect(node.locator(".ldp-status")).to_have_text("")
        expect(node.locator(".ldp-error")).to_be_hidden()
    assert people.get_attribute("aria-valuetext") == before
    node.get_by_role("button", name="reset").click()
    people.press("ArrowRight")
    harness.at_rest(node)
    assert people.get_attribute("aria-valuetext") != before


@pytest.mark.parametrize("name", ["appendix/02_in_full", "appendix/05_in_full"])
def test_numbers_are_judged_in_the_page(still, site, name):
    still.goto(f"{site.as_uri()}/notebooks/{name}.html")
    forms = still.locator("form.ldp-exercise")
    forms.first.wait_for()
    for form in forms.all():
        field, said = form.get_by_role("textbox"), form.get_by_role("status")
        number = field.get_attribute("aria-label").split()[-1]
        for answer, mark in (("-12345", "✗"), (repr(EXERCISES[number].judge.right), "✓ Right")):
            field.fill(answer)
            field.press("Enter")
            expect(said).to_contain_text(mark)


def test_a_panel_is_the_answer(still, site):
    """From the keyboard: the button reads where the slider above stands, and nothing but what was asked."""
    still.goto(f"{site.as_uri()}/notebooks/03_upper_rate.html")
    expect(still.locator(".ldp-exercise")).to_have_count(4)
    form = still.locator("form.ldp-exercise").filter(has_text="where the panel above stands").first
    form.scroll_into_view_if_needed()
    node = still.locator(".ldp-panel", has=still.get_by_role("slider", name="bandwidth")).filter(
        has_text="too narrow").last
    node.wait_for()
    harness.at_rest(node)
    slider, said = node.get_by_role("slider", name="bandwidth").first, form.get_by_role("status")
    multiples, = EXERCISES["03.8"].offer.controls
    for multiple, words in ((0.5, "noise costs most. Hint"), (4.76, "✓ Right. At the theorem's h"),
                            (8.0, "Too wide"), (0.5, "noise costs most. Hint")):
        slider.press("Home")
        for _ in range(multiples.values.index(multiple)):
            slider.press("ArrowRight")
        harness.at_rest(node)
        form.get_by_role("button").press("Enter")
        expect(said).to_contain_text(words)
    people = node.get_by_role("slider", name="people").first
    people.press("ArrowRight")
    harness.at_rest(node)
    form.get_by_role("button").press("Enter")
    expect(said).to_contain_text("people n = 10⁸ is expected")


def test_a_short_plan_is_judged_by_lists_and_sliders(still, site):
    still.goto(f"{site.as_uri()}/notebooks/07_beyond_the_papers.html")
    form = still.locator("form.ldp-exercise").filter(has=still.locator("select"))
    form.get_by_label("design").select_option(label="one bit")
    width = form.get_by_label("width h")
    width.press("Home")
    for _ in range(3):
        width.press("ArrowRight")
    expect(width).to_have_attribute("aria-valuetext", "0.1")
    form.get_by_role("button").press("Enter")
    expect(form.get_by_role("status")).to_contain_text("✓ Right. 8,623 people.")


def test_what_is_thought_of_code_stays_in_the_browser(still, site):
    address = f"{site.as_uri()}/notebooks/02_universal_consistency.html"
    still.goto(address)
    asked = still.locator("div.ldp-exercise").filter(has_text="The score of every cube")
    expect(asked).to_contain_text("It must agree to 5 digits.")
    asked.get_by_text("a place to think").click()
    asked.get_by_role("textbox").fill("half of the people would say 1")
    still.goto(address)
    asked.get_by_text("a place to think").click()
    expect(asked.get_by_role("textbox")).to_have_value("half of the people would say 1")


def test_code_is_tried_in_the_notebook_beside_the_page(still, site):
    opened(still, site, "notebooks/02_universal_consistency")
    link = still.locator(".ldp-exercise a").first
    kept = harness.NOTEBOOKS / "02_universal_consistency.ipynb"
    beside = Path(unquote(urlsplit(link.evaluate("node => node.href")).path))
    one, other = (nbformat.read(path, nbformat.NO_CONVERT) for path in (kept, beside))
    nbformat.validate(other)
    assert [cell.source for cell in other.cells] == [cell.source for cell in one.cells]


def test_an_address_of_no_talk_or_no_stop_is_answered(still, site):
    for odd in ("constructor", "__proto__", "abc"):
        still.goto(f"{site.as_uri()}/talks.html#{odd}")
        expect(still.locator('a[href="#25_minutes"]')).to_be_visible()
        still.goto("about:blank")
    still.goto(f"{site.as_uri()}/talks.html#25_minutes/1.6")
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^2\\. "))
    still.evaluate("sessionStorage.setItem('ldp-talk', '{bad')")
    still.goto("about:blank")
    still.goto(f"{site.as_uri()}/talks.html#25_minutes/2")
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^2\\. "))


def test_a_strangers_address_repeats_little_and_a_kept_answer_is_a_number(still, site):
    page = f"{site.as_uri()}/notebooks/02_universal_consistency.html"
    still.goto(f"{page}#consistency/2?" + "&".join(f"x{k}={'y' * 80}" for k in range(300)))
    expect(still.get_by_text("There is no x0").first).to_be_visible()
    said = still.locator(".ldp-panel").first.inner_text()
    assert said.count("There is no") == 3 and "y" * 41 not in said
    kept = {"consistency": {scene.name: "constructor" for scene in panel("consistency").scenes}}
    still.evaluate("kept => localStorage.setItem('ldp-answers', JSON.stringify(kept))", kept)
    still.goto("about:blank")
    still.goto(page)
    expect(still.locator(".ldp-panel").first).to_be_visible()
    assert "native code" not in still.locator("body").inner_text()


TALKS = sorted((harness.ROOT / "docs" / "talks").glob("*.txt"))


@pytest.mark.share(2)
@pytest.mark.parametrize("path", [*TALKS[:-1], pytest.param(TALKS[-1], marks=pytest.mark.ci)],
                         ids=lambda path: path.stem)
def test_a_talk_is_held_from_the_keyboard(browser, site, path, everything):
    """Every stop, in every size: the right scene, letters of 24 px, notes with vote and time; black.

    Steps of a proof are looked at in all sizes where everything runs, elsewhere the first of them.
    """
    stops = talk(path.read_text(encoding="utf-8"))["stops"]
    with harness.new_page(browser, height=720) as page:
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"{site.as_uri()}/talks.html")
        link = page.locator(f'a[href="#{path.stem}"]')
        while not link.evaluate("node => node === document.activeElement"):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.locator(".ldp-lecture .ldp-spine").first.wait_for()
        with page.context.expect_page() as window:
            page.keyboard.press("s")
        notes = window.value
        for number, stop in enumerate(stops):
            chosen = page.get_by_label("stop").locator(":checked")
            expect(chosen).to_have_text(re.compile(f"^{number + 1}\\. "))
            node = page.locator(".ldp-lecture")
            scene = panel(stop["address"])
            names = [each.name for each in scene.scenes] if stop["whole"] else [scene.values["scene"]]
            for place, name in enumerate(names):
                scene = panel(stop["address"].split("?")[0], scene=name)
                alt = scene._state(scene.place).alt
                expect(node.locator(".ldp-figure")).to_have_attribute("aria-label", alt)
                sizes = ((1024, 768), 20), ((1920, 1080), 36), ((1280, 720), 24)
                for size, least in sizes if everything or not place else sizes[-1:]:
                    page.set_viewport_size({"width": size[0], "height": size[1]})
                    harness.check_readable(node, 20 if name == "explore" else least)
                    assert node.bounding_box() == {"x": 0, "y": 0, "width": size[0], "height": size[1]}
                said = notes.locator("main")
                expect(said).to_contain_text(stop["say"])
                ask = next(each for each in scene.spec["scenes"] if each["name"] == name).get("ask")
                if ask:  # the vote, its right answer and why stand before what to do
                    right = f"Right: {ask['answers'][ask['right']]}. {ask['told'][ask['right']]}"
                    told = f"Vote: .*{re.escape(right)}.*{re.escape(stop['say'])}"
                    expect(said).to_have_text(re.compile(told))
                    expect(node.locator(".ldp-locked")).to_contain_text("until the room has answered")
                minutes = sum(stop["minutes"] + stop.get("rest", 0) for stop in stops)
                before = sum(each["minutes"] + each.get("rest", 0) for each in stops[:number])
                expect(said).to_contain_text(re.compile(
                    rf"Stop {number + 1} of {len(stops)} · \d+:\d\d of {minutes}:00"
                    rf" · this stop until {before + stop['minutes']}:00"))
                if stop["whole"]:
                    expect(said).to_contain_text(f"scene {place + 1} of {len(names)}")
                (page if number % 2 else notes).keyboard.press("PageDown")  # either window hears the remote
        page.bring_to_front()
        for key in "b.":
            page.keyboard.press(key)
            covered = node.evaluate("node => getComputedStyle(node, '::after').backgroundColor")
            assert (covered == "rgb(0, 0, 0)") is (key == "b")
        page.keyboard.press("Escape")
        expect(page.locator(".ldp-lecture")).to_have_count(0)


def test_a_rehearsal_gives_no_vote_away(still, site):
    """What was answered is known until the page is loaded again, which comes back to the same stop."""
    still.goto(f"{site.as_uri()}/talks.html#25_minutes/5")
    node = still.locator(".ldp-lecture")
    node.get_by_role("button", name="your answer: 4 times").click()
    expect(node.locator(".ldp-sentence")).to_contain_text("The room said 4 times. Right.")
    still.keyboard.press("PageDown")
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^6"))
    still.keyboard.press("PageUp")
    expect(node.locator(".ldp-sentence")).to_contain_text("The room said 4 times. Right.")
    node.get_by_role("slider").first.press("Home")
    expect(node.locator(".ldp-sentence")).to_have_text(re.compile("^At privacy budget.*: The room said 4"))
    still.wait_for_timeout(500)  # addresses are written with a delay
    assert still.evaluate("[location.hash, localStorage.length]") == ["#25_minutes/5", 0]
    still.reload()
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^5"))
    expect(node.get_by_role("button", name="your answer: 4 times")).to_be_visible()


@pytest.mark.share(2)
@pytest.mark.parametrize("where", ["disk", "server"])
def test_a_talk_is_loaded_again_where_it_was(browser, site, pages, where):
    """Stop, step, clock and notes; back into a proof is to its last step; black stays black."""
    base = site.as_uri() if where == "disk" else pages.url("x").partition("/notebooks")[0]
    with harness.new_page(browser, height=720) as page:
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"{base}/talks.html#45_minutes/5/3")
        page.locator(".ldp-lecture .ldp-spine").first.wait_for()
        with page.context.expect_page() as window:
            page.keyboard.press("s")
        said = window.value.locator("main")
        expect(said).to_contain_text(re.compile("Stop 5 of 8 · 0:0[2-9] .*scene 3 of 9"))
        page.keyboard.press(" ")
        expect(page.locator(".ldp-scenes")).to_have_value("3")
        page.reload()
        page.locator(".ldp-lecture .ldp-spine").first.wait_for()
        page.wait_for_timeout(1000)
        notes = page.context.pages[1]
        expect(notes.locator("main")).to_contain_text(re.compile("Stop 5 of 8 · 0:(0[3-9]|1).*scene 4 of 9"))
        for _ in range(6):
            notes.keyboard.press("ArrowRight")
            page.wait_for_timeout(400)
        expect(page.get_by_label("stop").locator(":checked")).to_have_text("6. keep or cut")
        page.keyboard.press("b")
        page.keyboard.press("PageUp")
        expect(page.locator(".ldp-scenes")).to_have_value("8")
        expect(page.locator(".ldp-lecture")).to_have_class(re.compile("ldp-black"))


def test_a_cut_network_loses_nothing_of_a_talk(page, pages):
    """All stops have come when the network goes."""
    base, come = pages.url("x").partition("/notebooks")[0], []
    page.on("requestfinished", lambda request: come.append(request.url.rpartition("/")[2]))
    page.goto(f"{base}/talks.html#25_minutes/6")
    page.locator(".ldp-lecture .ldp-spine").first.wait_for()
    last = f"upper_rate-{panel('upper_rate').version}-3.js"
    harness.until(page, "[...document.scripts].some((one) => one.src.includes('-3.js'))")
    while not any(name.startswith(last) for name in come):
        page.wait_for_timeout(100)
    page.context.set_offline(True)
    chosen = page.get_by_label("stop").locator(":checked")
    for number in range(7, 11):
        page.keyboard.press("PageDown")
        expect(chosen).to_have_text(re.compile(f"^{number}\\. "))
        expect(page.locator(".ldp-error")).to_be_hidden()
    expect(chosen).to_have_text("10. cross (the last)")


def test_a_stop_that_does_not_come_is_said(page, site, tmp_path):
    """The screen, the list and the address stay where they are."""
    gone = shutil.ignore_patterns("library", "upper_rate-*")
    copy = shutil.copytree(site, tmp_path / "site", ignore=gone)
    page.goto(f"{copy.as_uri()}/talks.html#25_minutes/6")
    page.locator(".ldp-lecture .ldp-spine").first.wait_for()
    said = page.locator(".ldp-talk-said")
    expect(said).to_have_text(re.compile("Not all stops are here: upper_rate-.*is missing"))
    page.keyboard.press("PageDown")
    expect(said).to_have_text(re.compile("Stop 7 cannot be shown: upper_rate-.*is missing"))
    expect(page.get_by_label("stop").locator(":checked")).to_have_text("6. narrow cubes")
    assert page.url.endswith("#25_minutes/6")


def test_zoom_enlarges_letters_and_keeps_the_picture(page, site):
    """150% of 1280 x 720: the figure is as high, in the room's eyes, and scrolls."""
    sizes = []
    for width, height in ((1280, 720), (853, 480)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("about:blank")
        page.goto(f"{site.as_uri()}/talks.html#25_minutes/1")
        page.locator(".ldp-lecture .ldp-spine").first.wait_for()
        figure = page.locator(".ldp-figure").bounding_box()["height"] / height
        letters = page.locator(".ldp-label").first
        letters = letters.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
        sizes.append((figure, letters / height))
    (before, small), (after, large) = sizes
    assert large > 1.2 * small and after > 0.95 * before
    page.goto(f"{site.as_uri()}/talks.html#25_minutes/3")  # what is said of an answer is seen
    page.get_by_role("button", name="your answer: 67%").press("Enter")
    expect(page.locator(".ldp-lecture .ldp-sentence")).to_contain_text("The room said")
    expect(page.locator(".ldp-lecture .ldp-sentence")).to_be_in_viewport(ratio=1)


@pytest.mark.share(3)
@pytest.mark.parametrize("stop", ["25_minutes/5", "45_minutes/6", "90_minutes/16/3"])
def test_a_talk_on_a_telephone_can_be_read(page, site, stop):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.as_uri()}/talks.html#{stop}")
    node = page.locator(".ldp-lecture")
    node.locator(".ldp-spine").first.wait_for()
    if node.locator(".ldp-questions button").first.is_visible():
        node.locator(".ldp-questions button").first.click()
    harness.at_rest(node)
    wrong = node.evaluate(harness.UNREADABLE, harness.SMALLEST)
    assert [each for each in wrong if each[0] != "scrolls"] == [], "it may be longer than the window"
    assert node.evaluate("node => node.scrollWidth") <= 390


def test_key_l_takes_the_panel_in_view_into_lecture_size(still, site):
    node, *_ = opened(still, site, "notebooks/03_upper_rate")
    node.scroll_into_view_if_needed()
    still.evaluate("document.activeElement.blur()")
    still.keyboard.press("l")
    expect(node).to_have_class(re.compile("ldp-lecture"))
    harness.check_readable(node, 20)
    with still.context.expect_page() as window:
        still.keyboard.press("s")
    expect(window.value.locator("main")).to_contain_text("Scene 1 of")
    still.keyboard.press("PageDown")
    expect(window.value.locator("main")).to_contain_text("Scene 2 of")
    still.keyboard.press("l")
    expect(node).not_to_have_class(re.compile("ldp-lecture"))


def test_the_window_of_notes_is_of_the_panel_that_opened_it_last(still, site):
    """Its keys move no other panel, and it goes back to the first one that asks for it again."""
    first, second = opened(still, site, "notebooks/03_upper_rate")[:2]
    notes = None
    for node, other in ((first, second), (second, first), (first, second)):
        node.scroll_into_view_if_needed()
        node.focus()
        node.press("l")
        if notes is None:
            with still.context.expect_page() as window:
                node.press("s")
            notes = window.value
        else:
            node.press("s")
        chosen = [panel.locator(".ldp-scenes").input_value() for panel in (node, other)]
        notes.keyboard.press("PageDown")
        expect(node.locator(".ldp-scenes")).to_have_value(str(int(chosen[0]) + 1))
        expect(notes.locator("main")).to_contain_text(f"Scene {int(chosen[0]) + 2} of")
        still.wait_for_timeout(1200)  # of the first panel's clock nothing is left
        expect(notes.locator("main")).to_contain_text(node.locator(".ldp-sentence").inner_text())
        expect(other.locator(".ldp-scenes")).to_have_value(chosen[1])
        node.press("Escape")


def test_a_printed_page_has_its_pictures_and_no_controls(still, site):
    node, *_ = opened(still, site, "notebooks/04_assouad_lower_bound")
    still.emulate_media(media="print")
    expect(node.locator(".ldp-plot").first).to_be_visible()
    for hidden in (".ldp-bar", ".ldp-controls"):
        expect(node.locator(hidden)).to_be_hidden()
    expect(still.locator(".skip-to-content")).to_be_hidden()
    expect(node).to_have_css("break-inside", "avoid")


PAPER = {"A4": 718, "Letter": 740}
"""CSS pixels between margins of 10 mm."""
CUT = """() => [...document.querySelectorAll("article *")].filter((node) => {
    const { right, width } = node.getBoundingClientRect(), { overflowX } = getComputedStyle(node);
    const scrolls = overflowX !== "visible" && node.clientWidth && node.scrollWidth > node.clientWidth + 1;
    const out = right > document.documentElement.clientWidth + 1;
    return width && !node.matches(".ldp-spoken") && (scrolls || out);
}).map((node) => `${node.tagName} ${node.className} ${node.textContent.trim().slice(0, 60)}`)"""
"""What would scroll or stick out, which paper cannot show."""


@pytest.mark.share(3)
@pytest.mark.parametrize("name", ["index", "practice", "notebooks/02_universal_consistency",
                                  "notebooks/05_wavelet_elbow", "notebooks/05b_keep_or_cut",
                                  "notebooks/appendix/02_in_full",
                                  "library/ldp_lib.privacy.CubeLaplace"])
def test_a_printed_page_is_whole(still, site, name):
    still.emulate_media(media="print", reduced_motion="reduce")
    still.goto(f"{site.as_uri()}/{name}.html")
    for width in PAPER.values():
        still.set_viewport_size({"width": width, "height": 1000})
        still.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        harness.until(still, "ldpRests()")
        assert still.evaluate(CUT) == []


def test_pages_say_to_others_what_and_where_they_are(site):
    """Each with words and a picture that is there; whole addresses if it was said where the pages stand."""
    seen, where = {}, re.search('rel="canonical" href="(.*)index.html"', (site / "index.html").read_text())
    for path in [site / "index.html", site / "talks.html", *sorted((site / "notebooks").rglob("*.html"))]:
        text, name = path.read_text(encoding="utf-8"), path.relative_to(site).as_posix()
        said = {key: html.unescape(words) for key, words
                in re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', text)}
        base = where[1] if where else ""
        assert said["og:url"] == base + name and said["twitter:card"] == "summary_large_image"
        assert 40 <= len(said["description"]) <= 220 and said["og:description"] == said["description"]
        assert said["og:title"] and said["og:image:alt"]
        with Image.open(site / said["og:image"].removeprefix(base)) as card:
            assert card.size == (1200, 630)
        assert (f'rel="canonical" href="{base}{name}"' in text) == bool(where)
        assert text.count('rel="shortcut icon" href="data:image/svg+xml,%3Csvg') == 1
        seen[name] = said["description"], said["og:image"]
    assert len({words for words, _ in seen.values()}) == len(seen)
    cards = {image for name, (_, image) in seen.items() if re.fullmatch("notebooks/0[1-8].*", name)}
    assert len(cards) == 9
    lost = (site / "404.html").read_text(encoding="utf-8")
    assert lost.count('href="notebooks/0') >= len(cards)
    assert (f'<base href="{where[1]}">' in lost if where else "<base" not in lost)
    assert (site / "sitemap.xml").exists() == bool(where)
    if where:
        listed = set(re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text(encoding="utf-8")))
        assert {where[1] + name for name in seen} <= listed and f"{where[1]}404.html" not in listed


def test_visits_while_a_panel_loads_are_of_one_panel(still, site):
    """Two addresses in a hurry, then a third one: the panel that is seen follows."""
    still.goto(f"{site.as_uri()}/notebooks/02_universal_consistency.html")
    still.evaluate("""() => {
        for (const scene of ["break+it", "sign"]) location.hash = `consistency/2?scene=${scene}`;
    }""")
    node = still.locator(f'.ldp-panel[data-title="{harness.title("consistency")}"]').first
    expect(node.locator(".ldp-scenes")).to_have_value("3")
    for place, name in ((5, "narrow+cubes"), (2, "more+people")):
        still.evaluate("name => { location.hash = `consistency?scene=${name}`; }", name)
        expect(node.locator(".ldp-scenes")).to_have_value(str(place))
        expect(node.locator(".ldp-sentence")).not_to_contain_text("version")
    for wrong, said in (("n=9%", "There is no n = 9%"), ("alpha=7", "There is no alpha = 7")):
        still.evaluate("wrong => { location.hash = `consistency/2?scene=sign&${wrong}`; }", wrong)
        expect(node.locator(".ldp-sentence")).to_contain_text(said)


def test_a_handle_stops_at_the_ends_of_its_control(still, site):
    """Dragged beyond the picture, where what it is drawn at has no inverse."""
    node = opened(still, site, "notebooks/04_assouad_lower_bound", "#assouad?scene=rectangle")[0]
    node.locator(".ldp-questions button").first.click()
    harness.at_rest(node)
    handle = node.locator(".ldp-handle").first
    for side, end in ((-2000, handle.get_attribute("aria-valuemax")), (2000, "0")):
        box = handle.bounding_box()
        still.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        still.mouse.down()
        still.mouse.move(box["x"] + side, box["y"], steps=5)
        still.mouse.up()
        expect(handle).to_have_attribute("aria-valuenow", end)
        expect(node.locator(".ldp-error")).to_be_hidden()


def test_a_missing_file_is_said(page, site, tmp_path):
    """Somebody copied the pages without all states."""
    copy = shutil.copytree(site, tmp_path / "site", ignore=shutil.ignore_patterns("price-*-0.js"))
    page.goto(f"{copy.as_uri()}/notebooks/02_universal_consistency.html#{panel('price', scene='open').link}")
    node = page.locator(f'.ldp-panel[data-title="{harness.title("price")}"]')
    expect(node.locator(".ldp-error")).to_contain_text("-0.js is missing.")


def test_what_is_not_stored_is_computed_where_pages_are_served(page, pages):
    """At the same place as from the disk, and every visitor may keep it."""
    link = "consistency/2?scene=explore&h=0.1&n=1000&alpha=0.5"
    answers = []
    page.on("response", lambda answer: answers.append(answer) if "/state/" in answer.url else None)
    page.goto(pages.url("02_universal_consistency.ipynb") + f"#{link}")
    node = page.locator(".ldp-panel").first
    expect(node.locator(".ldp-figure")).to_have_attribute("aria-label", re.compile("."))
    harness.at_rest(node)
    shown = panel(link)
    expect(node.locator(".ldp-figure")).to_have_attribute("aria-label", shown._state(shown.place).alt)
    asked = next(answer for answer in answers if "explore" in answer.url)
    assert asked.status == 200 and "immutable" in asked.headers["cache-control"]


def test_a_strangers_address_takes_no_key_away(page, pages):
    """Nor does what somebody else has left in the browser's storage stop the page."""
    page.goto(pages.lecturers)
    page.get_by_role("button", name="open a poll").click()
    page.get_by_role("button", name="end the poll").click()
    page.goto(pages.lecturers.partition("#")[0] + "?from=elsewhere#key=of-a-stranger")
    page.get_by_role("button", name="open a poll").click()
    page.get_by_role("button", name="end the poll").click()
    expect(page.get_by_text("The poll has ended and is deleted.")).to_be_visible()
    page.evaluate("localStorage.setItem('ldp-poll', '{bad'), sessionStorage.setItem('ldp-poll-last', 'null')")
    page.reload()
    expect(page.get_by_role("button", name="open a poll")).to_be_visible()


def test_a_poll_on_the_page_of_the_site(page, pages):
    """Nobody has answered; the scale ends where its line ends, in the wide column of a page."""
    begun = []
    page.on("request", lambda request: begun.append(request) if request.url.endswith("/poll/begin") else None)
    page.goto(pages.lecturers)
    page.get_by_role("button", name="open a poll").dblclick()  # one poll: nobody could end the other one
    page.get_by_role("button", name="ask with α = 2").click()
    expect(page.locator(".ldp-poll-number")).to_have_text("Nothing to see yet: fewer than 10 reports.")
    assert len(begun) == 1
    line, ends = (page.locator(f".ldp-poll-{part}").bounding_box() for part in ("line", "ends"))
    assert ends["x"] == line["x"] and abs(ends["width"] - line["width"]) < 1
    page.get_by_role("button", name="end the poll").click()
    expect(page.get_by_text("The poll has ended and is deleted.")).to_be_visible()


WRONG = (
    ("5 consistency", "line 1: it needs whole minutes, an address and what to say"),
    ("# Mine\n5 nowhere Say.", "line 2: there is no panel nowhere; there are start, "),
    ("5 consistency?scene=the+end Say.", "line 1: consistency has no scene the end; a space is written +"),
    ("5 consistency/99?scene=sign Say.", "line 1: consistency has version"), ("# Mine", "no line has a stop"),
    ("5 nowhere Say.\n1 price Say.\n5 price", "line 1: there is no panel nowhere",
     "line 3: it needs whole minutes"),
)


def dropped(page, text):
    """Let a file fall on what stands in the middle of the window."""
    page.evaluate("""text => {
        const dataTransfer = new DataTransfer(), from = { bubbles: true, cancelable: true, dataTransfer };
        dataTransfer.items.add(new File([text], "mine.txt", { type: "text/plain" }));
        const under = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
        for (const kind of ["dragenter", "dragover", "drop"])
            if (under.dispatchEvent(new DragEvent(kind, from)) && kind !== "dragenter")
                throw new Error(`${kind}: the browser would leave the page for the file`);
    }""", text)


def test_a_talk_of_ones_own_is_read_and_never_sent(page, pages, tmp_path, repository):
    """What Python makes of the same file is what the page shows; what is wrong is told with its line."""
    asked = []
    page.on("request", lambda request: asked.append(request.method))
    page.goto(f"{pages.url('x').partition('/notebooks')[0]}/talks.html")
    choose = page.locator(".ldp-talk-own input")
    said = page.locator(".ldp-talk-said")
    for text, *told in WRONG:
        choose.set_input_files({"name": "mine.txt", "mimeType": "text/plain", "buffer": text.encode()})
        expect(said).to_have_text(re.compile("\n".join(f"mine.txt, {re.escape(line)}.*" for line in told)))
    path = repository / "docs" / "talks" / "25_minutes.txt"
    choose.set_input_files(path)
    page.locator(".ldp-talk-bar select").wait_for()
    stops = talk(path.read_text(encoding="utf-8"))["stops"]
    names = page.locator(".ldp-talk-bar select option").all_inner_texts()
    assert [name.partition(". ")[2].removesuffix(" (the last)") for name in names] == [
        stop["name"] for stop in stops]
    page.reload()
    page.locator(".ldp-talk-bar select").wait_for()
    assert page.url.partition("#")[2].startswith("own") and set(asked) == {"GET"}


def test_a_file_is_dropped_anywhere(still, site):
    """On the list, on notes to print, on a talk that is held: what is wrong is told and changes nothing; a
    talk begins from its first stop with a clock of its own."""
    said, stop = still.locator(".ldp-talk-said"), still.get_by_label("stop").locator(":checked")
    still.goto(f"{site.as_uri()}/talks.html")
    expect(still.locator(".ldp-talk-own")).to_be_visible()
    dropped(still, "1 nowhere Say.")
    expect(said).to_contain_text("mine.txt, line 1: there is no panel nowhere")
    dropped(still, "1 elbow?scene=lever Say.\n2 price?scene=open Say.")
    expect(stop).to_have_text("1. lever")
    still.locator(".ldp-lecture .ldp-spine").first.wait_for()
    still.keyboard.press("PageDown")
    expect(stop).to_have_text("2. open (the last)")
    with still.context.expect_page():
        still.keyboard.press("s")
    dropped(still, "2.5 elbow?scene=lever Say.")
    expect(said).to_contain_text("mine.txt, line 1: it needs whole minutes")
    expect(stop).to_have_text("2. open (the last)")
    dropped(still, "1 price?scene=open Say.\n2 elbow?scene=lever Say.")
    expect(stop).to_have_text("1. open")
    assert still.evaluate("sessionStorage.getItem('ldp-talk')") is None, "the clock of the talk before"
    still.goto("about:blank")  # another # alone would load the page again some time after it has been gone to
    still.goto(f"{site.as_uri()}/talks.html#25_minutes/notes")
    expect(still.locator(".ldp-talk section").first).to_be_visible()
    dropped(still, "1 elbow?scene=lever Say.")
    expect(stop).to_have_text("1. lever (the last)")


def test_a_talk_is_chosen_from_the_list_of_all_scenes(still, site):
    """From an empty file to the screen: scenes, one line mended, held; and the file again in the list. How
    many minutes and votes it has by now is told."""
    still.goto(f"{site.as_uri()}/scenes.html")
    told, text = still.locator(".ldp-choice").get_by_role("status"), still.get_by_label("a talk of your own")
    expect(told).to_have_text("0 stops, 0 minutes, 0 votes.")
    scenes = panel("consistency").scenes
    answers, = (scene.ask.answers for scene in scenes if scene.name == "half the budget")
    expect(still.locator("li[data-address='consistency?scene=half+the+budget']")).to_contain_text(
        f"Vote: {' · '.join(answers)}.")
    for link, words in (
            ("consistency?scene=half+the+budget", "; there the room votes. 1 stop, 2 minutes, 1 vote."),
            ("elbow?scene=explore", ". 2 stops, 4 minutes, 1 vote.")):
        still.get_by_role("button", name=f"add {link} to the talk").click()
        expect(told).to_have_text(f"{link} is the last stop{words}")
    written = text.input_value()
    text.fill(f"{written}5 break\n10 consistency All of it.\n3 elb")
    votes = 1 + sum(bool(scene.ask) for scene in scenes)
    expect(told).to_have_text(f"3 stops, 19 minutes, {votes} votes. Not counted: line 6.")
    text.fill(f"{written}5 break\n")
    expect(told).to_have_text("2 stops, 9 minutes, 1 vote.")
    text.fill(written.replace("elbow?scene=explore", "elbow?scene=lever"))
    written = text.input_value()
    still.get_by_role("link", name="lever", exact=True).first.click()
    still.locator(".ldp-embed .ldp-spine").first.wait_for()
    still.go_back()
    expect(text).to_have_value(written)
    assert [stop["name"] for stop in talk(written)["stops"]] == ["half the budget", "lever"]
    text.fill(written.replace("?scene=lever", "?scene=leaver"))
    still.get_by_role("button", name="hold it: this talk").click()
    expect(still.locator(".ldp-choice")).to_contain_text("line 3: elbow has no scene leaver; a space is")
    text.fill(written)
    still.get_by_role("button", name="hold it: this talk").click()
    stops = still.get_by_label("stop").locator("option")
    expect(stops).to_have_text(["1. half the budget", "2. lever (the last)"])
    still.go_back()
    expect(text).to_have_value(written)
    files = (written, "a_talk_of_my_own.txt"), (f"# Élite: 1/2 \\ é?\n{written}", "élite_1_2_é.txt")
    for content, name in files:
        text.fill(content)
        with still.expect_download() as saved:
            still.get_by_role("button", name="save this talk").click()
        assert Path(saved.value.path()).read_text(encoding="utf-8") == content
        assert saved.value.suggested_filename == name


def test_the_page_of_a_talk_file_holds_it_at_once(still, site, tmp_path):
    """Its page beside the others; here they are links to them."""
    folder = tmp_path / "site"
    folder.mkdir()
    for path in site.iterdir():
        (folder / path.name).symlink_to(path)
    text = '# Mine\n3 elbow?scene=lever Say <b>"it"</b> & more.\n5 break\n2 laboratory All.'
    (tmp_path / "mine.txt").write_text(text, encoding="utf-8")
    made, remarks = write_talk(tmp_path / "mine.txt", folder)
    assert remarks == []
    failed = []
    still.on("requestfailed", lambda request: failed.append(request.url))
    still.goto(made.as_uri())
    expect(still.get_by_label("stop").locator("option")).to_have_count(2)
    expect(still.get_by_label("stop").locator(":checked")).to_have_text("1. lever")
    assert still.evaluate("location.hash") == "#own/1"
    still.keyboard.press("PageDown")  # to a panel that has one file, whatever its scenes
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^2"))
    still.keyboard.press("PageUp")
    with still.context.expect_page() as window:
        still.keyboard.press("s")
    expect(window.value.locator("main")).to_contain_text('Say <b>"it"</b> & more.')
    expect(window.value.locator("body")).to_contain_text("this stop until 3:00, then a break of 5 minutes")
    assert failed == []


def test_notes_to_print_have_every_vote_its_answer_and_the_time_it_took(still, site):
    still.goto(f"{site.as_uri()}/talks.html#25_minutes/4")
    still.locator(".ldp-lecture .ldp-spine").first.wait_for()
    still.wait_for_timeout(1500)
    still.keyboard.press("PageDown")
    expect(still.get_by_label("stop").locator(":checked")).to_have_text(re.compile("^5"))
    still.goto(f"{site.as_uri()}/talks.html")
    still.get_by_role("link", name="notes to print: Noise that does not hide").click()
    parts = still.locator(".ldp-talk section")
    stops = talk((harness.ROOT / "docs" / "talks" / "25_minutes.txt").read_text(encoding="utf-8"))["stops"]
    expect(parts).to_have_count(len(stops))
    for stop, part in zip(stops, parts.all()):
        expect(part).to_contain_text(stop["say"])
        shown = panel(stop["address"])
        scene = next(each for each in shown.scenes if each.name == shown.values["scene"])
        expect(part).to_contain_text(scene.sentence)
        if scene.ask:
            expect(part).to_contain_text(f"Right: {scene.ask.right}. {scene.ask.answers[scene.ask.right]}")
    expect(parts.nth(3)).to_contain_text(re.compile(r"7:00 to 9:00; it took 0:0[1-9]"))
    expect(parts.nth(0)).not_to_contain_text("it took")
    harness.check_accessible(still)
    still.emulate_media(media="print")
    expect(still.get_by_role("button", name="print")).to_be_hidden()
    still.goto(f"{site.as_uri()}/talks.html#90_minutes/notes")
    expect(still.locator(".ldp-talk section").filter(has_text=", then a break of 5 minutes")).to_have_count(1)

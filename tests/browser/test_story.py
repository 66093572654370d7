"""A story in a real browser: scenes by keyboard, answers that lock, play, noise redrawn, hurried hands."""

import re
from pathlib import Path

import harness
import pytest
from playwright.sync_api import expect

STORY = "from ldp_lib.live import panel\npanel('consistency')"


@pytest.fixture(scope="module")
def opened(browser, where, shelf):
    """The story of notebook 02, opened once on each server."""
    harness.write_notebook(shelf / "story.ipynb", STORY)
    name = "story.ipynb" if where.application == "lab" else "02_universal_consistency.ipynb"
    with harness.new_page(browser) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        assert harness.run(page, where, name) == []
        yield harness.panels(page, True)[0]


@pytest.fixture
def story(opened):
    """At its first scene, nothing answered; on the way there nothing glides."""
    opened.page.emulate_media(reduced_motion="reduce")
    opened.page.evaluate("localStorage.removeItem('ldp-answers')")
    if opened.evaluate("node => node.classList.contains('ldp-lecture')"):
        opened.press("Escape")
    scene(opened, "more people")
    if button(opened, "ask me again").is_visible():
        button(opened, "ask me again").click()
    scene(opened, "half the budget")
    if button(opened, "ask me again").is_visible():
        button(opened, "ask me again").click()
    scene(opened, "one report")
    opened.page.emulate_media(reduced_motion="no-preference")
    return opened


def button(panel, name):
    return panel.get_by_role("button", name=name, exact=True)


def scene(panel, name):
    """Go to a scene by its name in the list."""
    words = panel.locator(".ldp-scenes option", has_text=name).inner_text()
    panel.locator(".ldp-scenes").select_option(label=words)
    harness.at_rest(panel)


def test_scenes_turn_by_keyboard_and_stop_at_the_ends(story):
    names, last = [], story.locator(".ldp-scenes option").count()
    story.focus()
    for _ in range(last + 2):
        names.append(story.locator(".ldp-scenes").evaluate("node => node.selectedOptions[0].textContent"))
        story.page.keyboard.press("PageDown")
        harness.at_rest(story)
        expect(story.locator(".ldp-sentence")).to_have_text(re.compile("[a-z]"))
    assert len(set(names)) == last and names[-1] == names[-3]
    story.page.keyboard.press("PageUp")
    expect(story.locator(".ldp-scenes")).to_have_value(str(last - 2))


def test_letters_are_large_and_nothing_is_cut(story):
    for k in range(story.locator(".ldp-scenes option").count()):
        story.locator(".ldp-scenes").select_option(str(k))
        explore = story.evaluate("node => node.classList.contains('ldp-explore')")
        harness.check_readable(story, 14 if explore else 18)
        story.focus()
        story.press("l")
        harness.check_readable(story, 20)
        story.press("Escape")


def test_lecture_keys_in_either_host(story):
    """Black and back; notes in a window whose keys turn scenes. Outside a lecture both letters are idle."""
    black = "node => getComputedStyle(node, '::after').backgroundColor === 'rgb(0, 0, 0)'"
    story.focus()
    story.press("b")
    story.press("s")
    assert not story.evaluate(black) and len(story.page.context.pages) == 1
    story.press("l")
    for dark in (True, False):
        story.press("b")
        assert story.evaluate(black) is dark
    with story.page.context.expect_page() as window:
        story.press("s")
    expect(window.value.locator("main")).to_contain_text("Scene 1 of")
    window.value.keyboard.press("PageDown")
    expect(story.locator(".ldp-scenes")).to_have_value("1")
    expect(window.value.locator("main")).to_contain_text("Scene 2 of")
    window.value.close()


PICTURES = """async (panel) => {
    const found = new Set();
    for (const since = performance.now(); performance.now() - since < 800;) {
        found.add(panel.querySelector(".ldp-figure").innerHTML);
        await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return found.size;
}"""
"""How many different pictures there are in 0.8 s."""


def test_things_glide_to_scenes_that_are_known(story):
    """As they do when a scene is seen for the first time; nothing glides where less motion is wanted."""
    scene(story, "sign")
    scene(story, "144 reports")
    story.focus()
    story.page.keyboard.press("PageUp")
    harness.at_rest(story)
    for motion, many in (("no-preference", True), ("reduce", False)):
        story.page.emulate_media(reduced_motion=motion)
        story.page.keyboard.press("PageDown")
        assert (story.evaluate(PICTURES) > 5) is many
        story.page.keyboard.press("PageUp")
        harness.at_rest(story)
    story.page.emulate_media(reduced_motion="no-preference")


FRAMES = f"""async (panel, long) => {{
    const found = [];
    for (const since = performance.now(); performance.now() - since < long;) {{
        found.push([panel.ldpRests(), String(({harness.SHOWN})(panel))]);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }}
    return found.map(([rests, shown]) => [rests, shown === found.at(-1)[1]]);
}}"""
"""Of every frame: does the panel say that it rests, and is it as in the last one?"""


def check_rest(panel, long):
    """For `long` milliseconds: the panel moves, and once it has said that it rests it does not."""
    frames = panel.evaluate(FRAMES, long)
    assert frames[0] == [False, False] and frames[-1] == [True, True] and len(frames) > 20
    assert all(still for rests, still in frames if rests)
    assert frames == sorted(frames), "and it does not say otherwise again"


def test_what_says_that_it_rests_does_not_move(story):
    """After a glide, after an answer with the play that follows, after noise that was held."""
    scene(story, "sign")
    story.focus()
    story.page.keyboard.press("PageUp")
    check_rest(story, 1000)
    scene(story, "half the budget")
    button(story, "your answer: twice").click()
    check_rest(story, 5000)
    scene(story, "144 reports")
    story.focus()
    story.page.keyboard.down("n")
    assert not any(rests for rests, _ in story.evaluate(FRAMES, 1000)), "held, it has no rest"
    story.page.keyboard.up("n")
    harness.at_rest(story)
    assert all(rests and still for rests, still in story.evaluate(FRAMES, 1000))


def test_noise_stops_with_its_key_wherever_the_focus_is(story):
    scene(story, "144 reports")
    story.press("l")
    with story.page.context.expect_page() as window:
        story.press("s")
    window.value.keyboard.press("n")
    harness.at_rest(story)
    story.page.wait_for_timeout(500)
    assert story.evaluate(PICTURES) == 1
    window.value.close()
    story.page.keyboard.down("n")
    story.evaluate("() => document.activeElement.blur()")
    story.page.keyboard.up("n")
    story.page.wait_for_timeout(500)
    assert story.evaluate(PICTURES) == 1


def test_play_is_not_stopped_by_the_play_that_was_due(story):
    scene(story, "half the budget")
    button(story, "your answer: twice").click()
    button(story, "play").click()  # before it begins by itself
    expect(story.locator(".ldp-readout")).to_contain_text("62.9%")
    expect(story.get_by_role("slider", name="people n", exact=True)).to_have_attribute(
        "aria-valuetext", "147,456")
    button(story, "play").click()  # from the last stop it begins with the first
    slider = story.get_by_role("slider", name="people n", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "36,864")


def test_keys_mean_what_has_the_focus(story):
    """Not the picture behind an open dialog; the last scene is no reset; a held letter is one press."""
    button(story, "my answers").click()
    story.page.keyboard.press("PageDown")
    story.page.keyboard.press("Escape")
    expect(story.locator(".ldp-scenes")).to_have_value("0")
    scene(story, "explore")
    slider = story.get_by_role("slider").first
    slider.press("ArrowRight")
    moved = slider.get_attribute("aria-valuetext")
    story.focus()
    story.page.keyboard.press("PageDown")
    harness.at_rest(story)
    expect(slider).to_have_attribute("aria-valuetext", moved)
    story.focus()
    for _ in range(4):
        story.page.keyboard.down("l")  # again and again, as a key that is held
    story.page.keyboard.up("l")
    expect(story).to_have_class(re.compile("ldp-lecture"))


def test_an_answer_is_locked_and_then_the_world_answers(story):
    scene(story, "more people")
    expect(story.get_by_role("slider", name="people n", exact=True)).to_be_hidden()
    expect(button(story, "play")).to_be_hidden()
    before = harness.picture(story)
    button(story, "your answer: 52%").click()
    expect(story.locator(".ldp-sentence")).to_have_text(re.compile(r"You said 52%\. No\."))
    expect(button(story, "your answer: 67%")).to_be_hidden()
    expect(story.locator(".ldp-readout")).to_contain_text("67.4%")
    assert harness.at_rest(story) != before
    scene(story, "narrow cubes")
    expect(story.locator(".ldp-sentence")).to_have_text(re.compile("In “more people” you said: 52%"))
    scene(story, "more people")
    expect(story.locator(".ldp-sentence")).to_have_text(re.compile(r"You said 52%"))
    kept = story.page.evaluate("JSON.parse(localStorage.getItem('ldp-answers')).consistency['more people']")
    assert kept == 0, "it is kept in the browser"
    button(story, "ask me again").click()
    expect(button(story, "your answer: 52%")).to_be_visible()


def test_the_kernel_is_not_told_the_answer(browser, lab, shelf):
    """Whatever is answered, the same messages leave the page, and the words in none of them."""
    harness.write_notebook(shelf / "told.ipynb", STORY)
    sent = []
    with harness.new_page(browser) as page:
        page.on("websocket", lambda socket: socket.on(
            "framesent", lambda frame: sent.append(frame if isinstance(frame, bytes) else frame.encode())))
        assert harness.run_in_lab(page, lab.url("told.ipynb")) == []
        panel, said = harness.panels(page, True)[0], {}
        for words in ("16 times", "twice"):
            scene(panel, "half the budget")
            if button(panel, "ask me again").is_visible():
                button(panel, "ask me again").click()
            harness.at_rest(panel)
            sent.clear()
            button(panel, f"your answer: {words}").click()
            expect(panel.locator(".ldp-sentence")).to_have_text(re.compile(f"You said {words}"))
            page.wait_for_timeout(1000)  # play has not begun
            said[words] = sorted(re.findall(rb'"content":(\{[^{}]*\})', b"".join(sent)))
            assert words.encode() not in b"".join(sent)
    assert said["twice"] == said["16 times"] and any(b"place" in message for message in said["twice"])


def test_a_question_is_asked_where_its_scene_begins_and_nowhere_else(browser, lab, shelf):
    """Not at another address of the scene; and once it is answered, every panel shows what came of it."""
    moved = "panel('consistency/2?scene=half+the+budget&alpha=0.25')"
    begin = "panel('consistency/2?scene=half+the+budget')"
    harness.write_notebook(shelf / "asked.ipynb", STORY, moved, begin)
    with harness.new_page(browser) as page:
        assert harness.run_in_lab(page, lab.url("asked.ipynb")) == []
        first, elsewhere, begins = harness.panels(page, True)
        expect(button(elsewhere, "your answer: twice")).to_be_hidden()
        expect(button(elsewhere, "ask me again")).to_be_hidden()
        expect(elsewhere.get_by_role("slider", name="privacy budget α", exact=True)).to_be_visible()
        scene(first, "half the budget")
        button(first, "your answer: twice").click()
        grip = begins.get_by_role("slider", name="people n, in the picture")
        grip.press("ArrowRight")
        expect(grip).to_have_attribute("aria-valuetext", "36,864")
        expect(button(begins, "your answer: twice")).to_be_visible()
        assert harness.run_in_lab(page, lab.url("asked.ipynb")) == []
        begins = harness.panels(page, True)[2]
        expect(begins.locator(".ldp-sentence")).to_have_text(re.compile("You said twice"))
        alpha = begins.get_by_role("slider", name="privacy budget α", exact=True)
        expect(alpha).to_have_attribute("aria-valuetext", "0.5")


def test_an_explanation_stays_with_the_position_it_speaks_of(story):
    """Elsewhere it is grey and names its position; as before when the position returns."""
    scene(story, "half the budget")
    expect(story.locator(".ldp-locked")).to_have_text("Nothing moves until you have answered.")
    button(story, "your answer: twice").click()
    told, sentence = "You said twice. No. Twice the people", story.locator(".ldp-sentence")
    expect(sentence).to_have_text(re.compile(f"^{told}"))
    expect(story.locator(".ldp-readout")).to_contain_text("62.9%")
    expect(sentence).to_have_text(re.compile(f"^{told}"))
    high = story.locator(".ldp-figure").bounding_box()
    budget = story.get_by_role("slider", name="privacy budget α", exact=True)
    for back in (lambda: budget.press("ArrowLeft"), lambda: harness.reset(story)):
        budget.press("ArrowRight")
        expect(sentence).to_have_text(re.compile(f"^At privacy budget α = 0.5, people n = 147,456: {told}"))
        expect(sentence).to_have_class(re.compile("ldp-left"))
        expect(story.locator(".ldp-status")).to_have_text("Grey words were true at the position they name.")
        expect(button(story, "ask me again")).to_be_visible()
        assert story.locator(".ldp-figure").bounding_box() == high, "the picture stays where it is"
        back()
        expect(sentence).to_have_text(re.compile(f"^{told}"))
        expect(sentence).not_to_have_class(re.compile("ldp-left"))
        expect(story.locator(".ldp-status")).to_have_text("")


def test_a_sentence_that_is_left_names_its_position(story):
    """Where nothing is asked, too."""
    scene(story, "sign")
    people = story.get_by_role("slider", name="people n", exact=True)
    sentence = story.locator(".ldp-sentence")
    before, at = sentence.inner_text(), people.get_attribute("aria-valuetext")
    people.press("ArrowLeft")
    expect(sentence).to_have_text(f"At people n = {at}: {before}")
    people.press("ArrowRight")
    expect(sentence).to_have_text(before)


@pytest.mark.share(2)
@pytest.mark.parametrize("kept", ["5", "[]", "no json", '{"consistency": {"half the budget": 9}}'])
def test_what_is_stored_may_be_damaged_or_old(story, kept):
    story.page.evaluate("kept => localStorage.setItem('ldp-answers', kept)", kept)
    scene(story, "half the budget")
    button(story, "your answer: twice").click()
    expect(story.locator(".ldp-sentence")).to_have_text(re.compile("You said twice"))
    expect(story.locator(".ldp-error")).to_be_hidden()


def test_answers_are_listed_saved_and_forgotten(story):
    scene(story, "half the budget")
    button(story, "your answer: twice").click()
    button(story, "my answers").click()
    sheet = story.locator("dialog")
    expect(sheet.locator("li")).to_have_text([re.compile(
        r"^half the budget: A smaller .* You said twice\. No\. Twice .* Right is 4 times\. The noise")])
    with story.page.expect_download() as saving:
        button(sheet, "save as a file").click()
    assert "You said twice. No. Twice" in Path(saving.value.path()).read_text(encoding="utf-8")
    button(sheet, "forget my answers").click()
    expect(sheet).to_be_hidden()
    expect(button(story, "your answer: twice")).to_be_visible()
    assert story.page.evaluate("JSON.parse(localStorage.getItem('ldp-answers')).consistency") == {}


def test_new_noise_once_and_held(story):
    scene(story, "144 reports")
    before = harness.at_rest(story)
    story.focus()
    story.page.keyboard.press("n")
    once = harness.at_rest(story)
    assert once != before
    redraw = button(story, "new noise")
    for press in (lambda: redraw.press("Enter"), lambda: redraw.evaluate("node => node.click()")):
        press()
        before, once = once, harness.at_rest(story)
        assert once != before, "by keys, and by a screen reader"
    redraw.hover()
    story.page.mouse.down()
    seen = set()
    for _ in range(12):
        story.page.wait_for_timeout(150)
        seen.add(str(harness.picture(story)))
    story.page.mouse.up()
    assert len(seen) >= 4, "held, it draws again and again"
    resting = harness.at_rest(story)
    story.page.wait_for_timeout(900)
    assert harness.picture(story) == resting, "and stops"


def test_play_can_be_stopped_by_hand(story):
    scene(story, "more people")
    button(story, "your answer: 67%").click()
    story.page.wait_for_timeout(1500)
    handle = story.get_by_role("slider", name="people n", exact=True)
    handle.focus()
    handle.press("Home")
    resting = harness.at_rest(story)
    story.page.wait_for_timeout(1500)
    assert harness.picture(story) == resting, "a hand on the slider ends the play"


def test_hurried_hands_leave_scene_and_picture_in_step(story):
    """Many keys at once, reset while a key is held, scenes while play runs."""
    story.focus()
    keys = "PageDown PageDown n n p PageDown r ArrowRight PageDown n PageUp p l l PageDown PageDown"
    for key in keys.split():
        story.page.keyboard.press(key)
    for _ in range(8):
        story.page.keyboard.down("n")
    story.page.keyboard.press("PageDown")
    story.page.keyboard.up("n")
    scene(story, "narrow cubes")
    handle = story.get_by_role("slider", name="bandwidth h", exact=True)
    handle.focus()
    for _ in range(5):
        story.page.keyboard.down("ArrowLeft")
    button(story, "reset").click()
    harness.at_rest(story)
    assert handle.get_attribute("aria-valuetext") == "0.08"
    expect(story.locator(".ldp-error")).to_be_hidden()
    expect(story.locator(".ldp-figure")).to_have_accessible_name(re.compile("h = 0.08 "))
    story.page.keyboard.up("ArrowLeft")


def test_a_telephone_shows_every_scene(story):
    story.page.set_viewport_size({"width": 390, "height": 844})
    for k in range(story.locator(".ldp-scenes option").count()):
        story.locator(".ldp-scenes").select_option(str(k))
        harness.check_readable(story)
    story.page.set_viewport_size({"width": 1280, "height": 720})


def test_what_is_said_stays_after_a_reload(browser, lab, shelf):
    harness.write_notebook(shelf / "said.ipynb", STORY)
    with harness.new_page(browser) as page:
        assert harness.run_in_lab(page, lab.url("said.ipynb")) == []
        panel = harness.panels(page, True)[0]
        scene(panel, "half the budget")
        button(panel, "your answer: twice").click()
        assert harness.run_in_lab(page, lab.url("said.ipynb")) == []
        panel = harness.panels(page, True)[0]
        scene(panel, "half the budget")
        expect(panel.locator(".ldp-sentence")).to_have_text(re.compile("You said twice"))
